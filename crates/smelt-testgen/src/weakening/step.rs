//! A step of a chain, seen again: whether a rule leads from one formula to the other at a place.
//!
//! Whoever makes both formulas smaller keeps to this, so that the answer of the one still tells that of the other.

use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{Polarity, polarity_at, subterms};

use super::matching::Matcher;
use super::parameters::holds;
use super::rule::{Claim, Rule};
use super::{Direction, domain_of};
use crate::random::Random;

/// Matching is left to chance where there are several ways; so often it is tried.
const TRIES: u64 = 8;

/// A step as the detail of a case tells it: the rule, and which way the chain goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The id of the rule.
    pub rule: String,
    /// Which way the chain goes.
    pub direction: Direction,
}

/// Reads the detail of a case; none if it is not about a rule.
pub fn told(detail: &str) -> Option<Told> {
    let (_, after) = detail.split_once(" by rule ")?;
    let rule = after.split([' ', ',']).next()?.to_owned();
    let direction = match after.rsplit(' ').next()? {
        "weakens" => Direction::Weaken,
        "strengthens" => Direction::Strengthen,
        _ => return None,
    };
    Some(Told { rule, direction })
}

/// A subterm of an assertion, replaced by another term.
#[derive(Debug, Clone, Copy)]
pub struct Replaced<'p> {
    /// The assertion before.
    pub root: Term,
    /// The path to the subterm.
    pub path: &'p [u32],
    /// The subterm.
    pub old: Term,
    /// The term in its place.
    pub new: Term,
}

/// Whether a rule allows the replacement, so that the assertion as a whole goes in a direction.
pub fn is_step(terms: &mut Terms, rule: &Rule, direction: Direction, replaced: Replaced<'_>) -> bool {
    let Replaced { root, path, old, new } = replaced;
    let is_annotated = |term: &Term| matches!(terms.head(*term), Head::Annotated(_));
    // What has a name may be used elsewhere, where its polarity is another one.
    if domain_of(terms.sort(old)) != Some(rule.domain) || subterms(terms, &[root]).iter().any(is_annotated) {
        return false;
    }
    let is_weaker = match (polarity_at(terms, root, path), direction) {
        (Polarity::Positive, Direction::Weaken) | (Polarity::Negative, Direction::Strengthen) => Some(true),
        (Polarity::Negative, Direction::Weaken) | (Polarity::Positive, Direction::Strengthen) => Some(false),
        (Polarity::Mixed, _) => None,
    };
    let mut ways = Vec::new();
    if rule.claim == Claim::Equal || is_weaker == Some(true) {
        ways.push((&rule.left, &rule.right));
    }
    if rule.claim == Claim::Equal || is_weaker == Some(false) {
        ways.push((&rule.right, &rule.left));
    }
    for (from, to) in ways {
        for seed in 0..TRIES {
            let mut random = Random::new(seed);
            let mut matcher = Matcher { terms, declared: &rule.declared, random: &mut random };
            let found = matcher.find(from, old).and_then(|assignment| matcher.find_also(to, new, assignment));
            if found.is_some_and(|assignment| holds(terms, rule, &assignment)) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::read::read_script_as;

    use super::*;

    /// Whether some built-in rule leads from one assertion to another, as a whole.
    fn leads(direction: Direction, old: &str, new: &str) -> bool {
        let mut terms = Terms::new();
        let text = format!("(declare-const a Int)(declare-const b Int)(assert {old})(assert {new})");
        let reading = read_script_as(&mut terms, &text, Dialect::V26);
        assert!(reading.diagnostics.is_empty());
        let roots: Vec<Term> = reading.script.assertions().collect();
        let rules = crate::weakening::rule::built_in();
        let replaced = Replaced { root: roots[0], path: &[], old: roots[0], new: roots[1] };
        rules.iter().any(|rule| is_step(&mut terms, rule, direction, replaced))
    }

    #[test]
    fn a_rule_leads_one_way() {
        assert!(leads(Direction::Weaken, "(> a b)", "(>= a b)"));
        assert!(!leads(Direction::Strengthen, "(> a b)", "(>= a b)"));
        assert!(leads(Direction::Strengthen, "(>= a b)", "(> a b)"));
    }

    #[test]
    fn both_sides_are_about_the_same() {
        assert!(!leads(Direction::Weaken, "(> a b)", "(>= b a)"));
        assert!(!leads(Direction::Weaken, "(> a 1)", "(>= b 1)"));
    }

    #[test]
    fn details_tell_rule_and_direction() {
        let detail = "assertion 1 weakened by rule gt-ge at argument 1.2, in a chain that weakens";
        let expected = Told { rule: "gt-ge".to_owned(), direction: Direction::Weaken };
        assert_eq!(told(detail), Some(expected));
        assert_eq!(
            told("assertion 1 rewritten by rule x as a whole, in a chain that strengthens").unwrap().rule,
            "x"
        );
        assert_eq!(told("fused"), None);
    }
}
