//! `weakening`: follows the implications of a formula, or what implies it, step by step.
//!
//! A satisfiable formula stays so when it is weakened, an unsatisfiable one when it is strengthened. A step finds one side
//! of a rule at a subformula or at a regular expression and puts the other side there. The polarity of the place says
//! which: weakening the whole means weakening what stands at positive places and strengthening what stands at negative
//! ones; where the polarity is not known, only rules whose sides are equal apply.
//!
//! The model of a satisfiable seed is carried along and evaluated, as for every technique. A solver that decides one
//! formula of a chain and gives up on the next is incomplete in a way that is worth knowing.
//!
//! Follows Bringolf, Winterer and Su, "Finding and Understanding Incompleteness Bugs in SMT Solvers" (ASE 2022), and
//! chapter 6 of Winterer's thesis, whose rules for sums, string inequalities and loops are false as printed.

mod build;
mod matching;
mod parameters;
mod pattern;
pub mod rule;
pub mod step;
pub mod verify;

use rustc_hash::FxHashSet;
use smelt_oracle::case::{Expectation, Relation};
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{AttributeValue, Head, Term, Terms};
use smelt_smtlib::walk::{Polarity, free_names, polarity_at, variables_at};

use crate::fresh_names::{given_names, new_name};
use crate::ground_truth::Truth;
use crate::mutant::Mutant;
use crate::mutation::scope::{Spoken, Surroundings, annotated_names};
use crate::random::Random;
use crate::technique::Technique;
use crate::term_index::{Facts, TermIndex, TermSite};
use build::Builder;
use matching::Matcher;
use parameters::{Parameters, holds};
use pattern::Pattern;
use rule::{Claim, Domain, Rule};

/// Weakening and strengthening.
#[derive(Debug, Clone)]
pub struct Weakening {
    /// The rules that it may use.
    pub rules: Vec<Rule>,
}

/// What a chain, or a step at one place, does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From a formula to one that it implies.
    Weaken,
    /// From a formula to one that implies it.
    Strengthen,
}

/// How many places are tried.
const PLACE_TRIES: usize = 16;
/// A quantifier over a sort without an end is put in once in so many draws: no evaluation decides it.
const ENDLESS_ONE_IN: u64 = 6;

impl Default for Weakening {
    fn default() -> Self {
        Weakening { rules: rule::built_in() }
    }
}

impl Technique for Weakening {
    fn name(&self) -> &'static str {
        "weakening"
    }

    fn summary(&self) -> &'static str {
        "weaken what is satisfiable and strengthen what is not, by rules at places of known polarity"
    }

    fn chain_length(&self) -> u32 {
        25
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let direction =
            *mutant.direction.get_or_insert_with(|| match (&mutant.truth, mutant.seed.expectation) {
                (Truth::Sat(_), _) => Direction::Weaken,
                (Truth::Unsat(_), _) => Direction::Strengthen,
                (Truth::Unknown, Expectation::Sat) => Direction::Weaken,
                (Truth::Unknown, Expectation::Unsat) => Direction::Strengthen,
                (Truth::Unknown, Expectation::None) if random.one_in(2) => Direction::Weaken,
                (Truth::Unknown, Expectation::None) => Direction::Strengthen,
            });
        let Some(step) = self.find_step(terms, &mutant.script, direction, random) else { return false };
        let place = &step.place;
        let root = replace_in_scope(terms, place.root, &place.path, step.new)
            .expect("a place leads to a term of its assertion");
        mutant.detail = step.describe(&mutant.script, direction);
        mutant.relation = Some(match (step.rule.claim, direction) {
            (Claim::Equal, _) => Relation::Equal,
            (Claim::Weakens, Direction::Weaken) => Relation::Weaker,
            (Claim::Weakens, Direction::Strengthen) => Relation::Stronger,
        });
        mutant.script.replace(place.command, Command::Assert(root));
        true
    }
}

/// One use of a rule.
struct RuleUse<'r> {
    rule: &'r Rule,
    place: TermSite,
    new: Term,
}

impl Weakening {
    /// Finds a place and a rule that applies there.
    fn find_step(
        &self,
        terms: &mut Terms,
        script: &Script,
        direction: Direction,
        random: &mut Random,
    ) -> Option<RuleUse<'_>> {
        let survey = TermIndex::new(terms, script, |term, facts| {
            is_movable(terms, term, facts) && domain_of(terms.sort(term)).is_some()
        });
        let spoken = Spoken::by_script(terms, script);
        let labels = used_labels(terms, &survey, script);
        for _ in 0..PLACE_TRIES {
            let place = survey.draw(terms, random)?;
            let mut rewriting = Rewriting {
                spoken: spoken.clone(),
                parameters: Parameters::new(terms, script, &survey, &place),
                script,
            };
            rewriting.spoken.by_variables(terms, &variables_at(terms, place.root, &place.path));
            let local = local_direction(terms, &place, &labels, direction);
            let domain = domain_of(terms.sort(place.term))?;
            let mut uses: Vec<(&Rule, &Pattern, &Pattern)> = Vec::new();
            for rule in self.rules.iter().filter(|rule| rule.domain == domain) {
                let is_equal = rule.claim == Claim::Equal;
                if is_equal || local == Some(Direction::Weaken) {
                    uses.push((rule, &rule.left, &rule.right));
                }
                if is_equal || local == Some(Direction::Strengthen) {
                    uses.push((rule, &rule.right, &rule.left));
                }
            }
            uses.retain(|(_, from, _)| may_match(terms, from, place.term));
            while let Some((rule, from, to)) = random.take(&mut uses) {
                if let Some(new) = rewriting.rewrite(terms, rule, from, to, place.term, random)
                    && new != place.term
                {
                    return Some(RuleUse { rule, place, new });
                }
            }
        }
        None
    }
}

impl RuleUse<'_> {
    /// The rule and the position, for people.
    fn describe(&self, script: &Script, direction: Direction) -> String {
        let before = &script.commands[..self.place.command];
        let number = 1 + before.iter().filter(|command| matches!(command, Command::Assert(_))).count();
        let path: Vec<String> = self.place.path.iter().map(|argument| (argument + 1).to_string()).collect();
        let position = if path.is_empty() {
            " as a whole".to_owned()
        } else {
            format!(" at argument {}", path.join("."))
        };
        let (done, doing) = match direction {
            Direction::Weaken => ("weakened", "weakens"),
            Direction::Strengthen => ("strengthened", "strengthens"),
        };
        let done = if self.rule.claim == Claim::Equal { "rewritten" } else { done };
        format!("assertion {number} {done} by rule {}{position}, in a chain that {doing}", self.rule.id)
    }
}

/// What there is to use rules at one place.
struct Rewriting<'w> {
    /// Operators that cannot be named there.
    spoken: Spoken,
    parameters: Parameters,
    script: &'w Script,
}

impl Rewriting<'_> {
    /// What a rule makes of a term, from one of its sides to the other; none if it does not apply.
    fn rewrite(
        &self,
        terms: &mut Terms,
        rule: &Rule,
        from: &Pattern,
        to: &Pattern,
        term: Term,
        random: &mut Random,
    ) -> Option<Term> {
        let is_hidden = |part: &Pattern| match part {
            Pattern::Application { ops, .. } => ops.iter().any(|op| self.spoken.contains(*op)),
            _ => false,
        };
        if to.any(&is_hidden) {
            return None;
        }
        let mut matcher = Matcher { terms, declared: &rule.declared, random };
        let assignment = matcher.find(from, term)?;
        let assignment = self.parameters.complete(terms, rule, to, assignment, &self.spoken, random)?;
        if !holds(terms, rule, &assignment) {
            return None;
        }
        let is_quantified = |part: &Pattern| matches!(part, Pattern::Quantified { .. });
        let bound_name =
            if to.any(&is_quantified) { fresh_name(terms, self.script) } else { terms.symbols.intern("x") };
        if introduces_endless(terms, from, to, &assignment) && !random.one_in(ENDLESS_ONE_IN) {
            return None;
        }
        let new = Builder { terms, assignment: &assignment, bound_name }.build(to)?;
        (terms.sort(new) == terms.sort(term)).then_some(new)
    }
}

/// A name for a bound variable that the script does not give to anything.
fn fresh_name(terms: &mut Terms, script: &Script) -> Symbol {
    let given = given_names(terms, script);
    let mut taken: FxHashSet<String> = given.into_iter().map(|name| terms.text(name).to_owned()).collect();
    let name = new_name("x", &mut taken);
    terms.symbols.intern(&name)
}

/// Whether a rule puts a quantifier over infinitely or very many values where there was none.
fn introduces_endless(
    terms: &mut Terms,
    from: &Pattern,
    to: &Pattern,
    assignment: &matching::Assignment,
) -> bool {
    const FEW_BITS: u32 = 4;
    let is_quantified = |part: &Pattern| matches!(part, Pattern::Quantified { .. });
    if from.any(&is_quantified) || !to.any(&is_quantified) {
        return false;
    }
    let mut sorts = Vec::new();
    let mut pending = vec![to];
    while let Some(part) = pending.pop() {
        match part {
            Pattern::Quantified { shape, body, .. } => {
                sorts.extend(shape.sort(&mut terms.sorts, &assignment.letters));
                pending.push(body);
            }
            Pattern::Application { args, .. } => pending.extend(args),
            _ => {}
        }
    }
    sorts.iter().any(|sort| match terms.sorts.kind(*sort) {
        SortKind::Bool => false,
        SortKind::BitVec(width) => *width > FEW_BITS,
        _ => true,
    })
}

/// The rules that are about terms of a sort.
fn domain_of(sort: Sort) -> Option<Domain> {
    match sort {
        Sort::BOOL => Some(Domain::Formulas),
        Sort::REG_LAN => Some(Domain::Languages),
        _ => None,
    }
}

/// Whether a term may be dropped or copied.
fn is_movable(terms: &Terms, term: Term, facts: &Facts) -> bool {
    !facts.has_names && !facts.has_opaque && !matches!(terms.head(term), Head::Annotated(_))
}

/// Whether a pattern can be found at a term, by what stands at its head.
fn may_match(terms: &Terms, pattern: &Pattern, term: Term) -> bool {
    match pattern {
        Pattern::Application { ops, .. } => terms.op(term).is_some_and(|op: Op| ops.contains(&op)),
        Pattern::Quantified { .. } => matches!(terms.head(term), Head::Forall(_) | Head::Exists(_)),
        _ => true,
    }
}

/// The names that annotations give and that assertions use.
fn used_labels(terms: &Terms, survey: &TermIndex, script: &Script) -> FxHashSet<Symbol> {
    let labels = annotated_names(terms, &survey.terms);
    if labels.is_empty() {
        return labels;
    }
    let used: FxHashSet<Symbol> =
        script.assertions().flat_map(|assertion| free_names(terms, assertion).globals).collect();
    labels.into_iter().filter(|label| used.contains(label)).collect()
}

/// What has to be done at a place for the whole to become weaker or stronger; none if nothing tells.
fn local_direction(
    terms: &Terms,
    place: &TermSite,
    used_labels: &FxHashSet<Symbol>,
    direction: Direction,
) -> Option<Direction> {
    let flipped = match direction {
        Direction::Weaken => Direction::Strengthen,
        Direction::Strengthen => Direction::Weaken,
    };
    if !used_labels.is_empty() && is_below_label(terms, place, used_labels) {
        return None;
    }
    match polarity_at(terms, place.root, &place.path) {
        Polarity::Positive => Some(direction),
        Polarity::Negative => Some(flipped),
        Polarity::Mixed => None,
    }
}

/// Whether a place is inside of something that is used elsewhere by its name.
fn is_below_label(terms: &Terms, place: &TermSite, used_labels: &FxHashSet<Symbol>) -> bool {
    let mut term = place.root;
    for position in &place.path {
        if let Head::Annotated(attributes) = terms.head(term)
            && terms.attributes(attributes).iter().any(|attribute| {
                matches!(attribute.value, AttributeValue::Name(name) if used_labels.contains(&name))
            })
        {
            return true;
        }
        term = terms.args(term)[*position as usize];
    }
    false
}

#[cfg(test)]
mod tests;
