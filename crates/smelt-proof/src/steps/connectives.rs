//! Steps that follow by their connectives alone, whatever their atoms mean: clauses resolved, tautologies, conjunctions
//! taken apart.
//!
//! That takes no assignment, so it is cheap, and it holds under all of them, also where atoms are not understood. It finds
//! what unit propagation finds; anything else is left to evaluation.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Head, Term, Terms};

use crate::boolean::{definition, is_connective};
use crate::propagation::Clauses;

/// Steps with more connectives and atoms are not looked at.
const MAX_PARTS: usize = 2_000;

/// Whether a conclusion follows from its premises by their connectives alone.
pub(super) fn follows(terms: &Terms, premises: &[Term], conclusion: Term) -> bool {
    let mut numbering = Numbering { terms, numbers: FxHashMap::default(), pending: Vec::new() };
    let premises: Vec<i32> = premises.iter().map(|premise| numbering.literal(*premise)).collect();
    let mut goal = vec![numbering.literal(conclusion)];
    // A step without a connective that is not a premise itself says something of atoms.
    if numbering.pending.is_empty() && !premises.contains(&goal[0]) {
        return false;
    }
    let mut clauses = Clauses::new();
    while let Some(term) = numbering.pending.pop() {
        let name = numbering.numbers[&term];
        let args: Vec<i32> = terms.args(term).iter().map(|arg| numbering.literal(*arg)).collect();
        let clauses_of_term = match terms.op(term) {
            Some(Op::True) => vec![vec![name]],
            Some(Op::False) => vec![vec![-name]],
            Some(op) => definition(op, name, &args).unwrap_or_default(),
            None => Vec::new(),
        };
        for clause in clauses_of_term {
            clauses.add(&clause);
        }
        if numbering.numbers.len() > MAX_PARTS {
            return false;
        }
    }
    goal.extend(premises.iter().map(|premise| -premise));
    clauses.show(&goal).is_some()
}

/// Numbers for formulas, as literals have them.
struct Numbering<'a> {
    terms: &'a Terms,
    numbers: FxHashMap<Term, i32>,
    /// Connectives that were numbered last.
    pending: Vec<Term>,
}

impl Numbering<'_> {
    /// A formula as a literal, without negations and annotations around it.
    fn literal(&mut self, mut term: Term) -> i32 {
        let mut sign = 1;
        loop {
            match self.terms.head(term) {
                Head::Op(Op::Not, _) => sign = -sign,
                Head::Annotated(_) => {}
                _ => break,
            }
            term = self.terms.args(term)[0];
        }
        let next = self.numbers.len() as i32 + 1;
        let number = *self.numbers.entry(term).or_insert(next);
        let is_constant = matches!(self.terms.op(term), Some(Op::True | Op::False));
        if number == next && (is_constant || is_connective(self.terms, term)) {
            self.pending.push(term);
        }
        sign * number
    }
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::read::read_script;

    use super::*;

    /// Whether the last of some formulas follows from those before it.
    fn check(formulas: &[&str]) -> bool {
        let mut terms = Terms::new();
        let asserted: String = formulas.iter().map(|formula| format!("(assert {formula})")).collect();
        let constants: String = "abcdpq".chars().map(|name| format!("(declare-const {name} Bool)")).collect();
        let reading =
            read_script(&mut terms, &format!("(declare-const x Int){constants}{asserted}(check-sat)"));
        assert!(reading.diagnostics.is_empty(), "{formulas:?}");
        let asserted: Vec<Term> = reading.script.assertions().collect();
        let (conclusion, premises) = asserted.split_last().unwrap();
        follows(&terms, premises, *conclusion)
    }

    #[test]
    fn what_follows_by_connectives_does() {
        assert!(check(&["(or (not (and a b c)) b)"]));
        assert!(check(&["(or (and a b) (not a) (not b))"]));
        assert!(check(&["(or (= a b) a b)"]));
        assert!(check(&["(or (not (ite a b c)) (not a) b)"]));
        assert!(check(&["(or a (> x 1) (not c))", "(not a)", "(not (> x 1))", "(not c)"]));
        assert!(check(&["(or a b)", "(not a)", "b"]));
        assert!(check(&["(and a (> x 1))", "(> x 1)"]));
        assert!(check(&["(= a b)", "b", "a"]));
        assert!(check(&["(=> a b c)", "a", "b", "c"]));
        assert!(check(&["(or a b)", "(or (not a) c)", "(not c)", "b"]));
        assert!(check(&["a", "(not a)", "false"]));
        assert!(check(&["true"]));
        assert!(check(&["(> x 1)", "(! (> x 1) :named again)"]));
    }

    #[test]
    fn what_does_not_follow_does_not() {
        assert!(!check(&["(or (not (and a b c)) d)"]));
        assert!(!check(&["(or a b)", "(not a)", "c"]));
        assert!(!check(&["(or a b c)", "(not a)", "b"]));
        assert!(!check(&["(= a b)", "(not b)", "a"]));
        assert!(!check(&["(ite a b c)", "b"]));
        assert!(!check(&["(=> a b)", "b"]));
        assert!(!check(&["(> x 1)", "(> x 0)"]));
        assert!(!check(&["(xor a b)", "(not a)", "c"]));
        assert!(!check(&["false"]));
    }
}
