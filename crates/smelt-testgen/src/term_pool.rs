//! The term bank: small terms harvested from all seeds, for techniques that bring parts of other formulas along.
//!
//! A harvested term uses operators, literals and free constants only, all of sorts that every script has. Its constants
//! have numbered names, so that terms that differ in names alone are one; who takes a term out says what stands for
//! them. Literals are harvested too: they are how a formula meets values that it has not seen.
//!
//! Terms are kept in an arena of the bank's own and copied from there, because every chain has another arena.
//!
//! The idea is that of Park, Winterer, Zhang and Su (OOPSLA 2021): generation from what other formulas contain.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::transfer::Transfer;
use smelt_smtlib::walk::{free_names, subterms};

use crate::random::Random;
use crate::readers::Readers;
use crate::seed::Seed;
use crate::term_index::TermIndex;

/// Terms by the texts of their sorts.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermPool {
    arena: Terms,
    terms: FxHashMap<String, Vec<Harvested>>,
}

/// A term of the bank.
#[derive(Debug, Clone)]
pub(crate) struct Harvested {
    term: Term,
    /// Its constants.
    constants: Vec<Term>,
    /// Its operators.
    pub ops: Vec<Op>,
    /// The families of solvers that read it.
    pub readers: Readers,
    /// The names that binders in it bind.
    pub bound: Vec<String>,
}

/// A harvested term has at most so many nodes.
const MAX_NODES: u64 = 9;
/// So many terms of a sort are enough.
const MAX_OF_A_SORT: usize = 2_000;
/// So many seeds are harvested, evenly spread.
const MAX_SEEDS: usize = 1_000;
/// Larger seeds are not harvested.
const MAX_SEED_BYTES: usize = 8_000;
/// What harvested constants are called.
const CONSTANT: &str = "harvested_constant";

impl TermPool {
    /// Harvests seeds, given by name and text.
    pub(crate) fn harvest(seeds: &[(String, String)]) -> Self {
        let mut bank = TermPool::default();
        let mut seen = FxHashSet::default();
        let small: Vec<&str> = seeds
            .iter()
            .map(|(_, source)| source.as_str())
            .filter(|source| source.len() <= MAX_SEED_BYTES)
            .collect();
        for source in small.iter().step_by(small.len().div_ceil(MAX_SEEDS).max(1)) {
            bank.harvest_seed(source, &mut seen);
        }
        bank
    }

    fn harvest_seed(&mut self, source: &str, seen: &mut FxHashSet<Term>) {
        let mut terms = Terms::new();
        let Ok(seed) = Seed::read(&mut terms, "", source) else { return };
        let constants: FxHashSet<Symbol> =
            constants_of(&seed.script).into_iter().map(|(name, _)| name).collect();
        let survey = TermIndex::new(&terms, &seed.script, |_, _| false);
        for term in &survey.terms {
            let facts = survey.facts(*term);
            let is_small = facts.nodes <= MAX_NODES && !facts.has_opaque && !facts.has_names;
            if !is_small || matches!(terms.head(*term), Head::Global(_) | Head::Local(_)) {
                continue;
            }
            if terms.has_locals(*term) && !free_names(&terms, *term).locals.is_empty() {
                continue;
            }
            let Some(used) = used_constants(&terms, *term, &constants) else { continue };
            let harvested = self.take_out(&terms, *term, &used);
            let sort = sort_text(&terms, terms.sort(*term));
            let of_sort = self.terms.entry(sort).or_default();
            if of_sort.len() < MAX_OF_A_SORT && seen.insert(harvested.term) {
                of_sort.push(harvested);
            }
        }
    }

    /// Copies a term of a seed, with numbered constants for its own.
    fn take_out(&mut self, terms: &Terms, term: Term, used: &[Term]) -> Harvested {
        let mut transfer = Transfer::new(terms);
        let mut constants = Vec::with_capacity(used.len());
        for (number, constant) in used.iter().enumerate() {
            let name = self.arena.symbols.intern(&format!("{CONSTANT}_{number}"));
            let sort = transfer.sort(&mut self.arena, terms.sort(*constant));
            let numbered = self.arena.constant(name, sort);
            transfer.replace(*constant, numbered);
            constants.push(numbered);
        }
        let below = subterms(terms, &[term]);
        let bound = below.iter().flat_map(|term| {
            (0..terms.args(*term).len()).flat_map(|position| terms.bound_at(*term, position).iter())
        });
        Harvested {
            term: transfer.term(&mut self.arena, term),
            constants,
            ops: below.iter().filter_map(|term| terms.op(*term)).collect(),
            readers: below
                .iter()
                .map(|term| Readers::of_term(terms, *term))
                .fold(Readers::BOTH, Readers::and),
            bound: bound.map(|variable| terms.text(variable.name).to_owned()).collect(),
        }
    }

    /// A term of this sort; none if there is none.
    pub(crate) fn draw(&self, terms: &Terms, sort: Sort, random: &mut Random) -> Option<&Harvested> {
        random.choose(self.terms.get(&sort_text(terms, sort))?)
    }

    /// Copies a term of the bank; `stand_in` says what stands for a constant of a sort, which no binder of the term may
    /// bind. None if nothing can.
    pub(crate) fn copy(
        &self,
        harvested: &Harvested,
        terms: &mut Terms,
        mut stand_in: impl FnMut(&mut Terms, Sort) -> Option<Term>,
    ) -> Option<Term> {
        let mut transfer = Transfer::new(&self.arena);
        for constant in &harvested.constants {
            let sort = transfer.sort(terms, self.arena.sort(*constant));
            transfer.replace(*constant, stand_in(terms, sort)?);
        }
        Some(transfer.term(terms, harvested.term))
    }
}

/// The constants that a script declares.
pub(crate) fn constants_of(script: &Script) -> Vec<(Symbol, Sort)> {
    let constant = |command: &Command| match command {
        Command::DeclareConst(name, sort) => Some((*name, *sort)),
        Command::DeclareFun(name, params, sort) if params.is_empty() => Some((*name, *sort)),
        _ => None,
    };
    script.commands.iter().filter_map(constant).collect()
}

/// The constants of a term in the order of its text; none if it uses something else that a script must declare.
fn used_constants(terms: &Terms, root: Term, constants: &FxHashSet<Symbol>) -> Option<Vec<Term>> {
    let mut used = Vec::new();
    for term in subterms(terms, &[root]) {
        let sort = terms.sort(term);
        if !is_everywhere(&terms.sorts, sort) {
            return None;
        }
        match terms.head(term) {
            Head::Global(name) => {
                let is_constant = terms.args(term).is_empty() && constants.contains(&name);
                // Solvers have no constants of regular languages.
                if !is_constant || sort == Sort::REG_LAN {
                    return None;
                }
                used.push(term);
            }
            Head::Qualified(_)
            | Head::Tester(_)
            | Head::Updater(_)
            | Head::Match(_)
            | Head::Annotated(_)
            | Head::Opaque(_) => return None,
            _ => {}
        }
    }
    Some(used)
}

/// Whether every script has a sort, without declaring anything.
fn is_everywhere(sorts: &Sorts, sort: Sort) -> bool {
    !sorts.any_part(sort, |kind| {
        matches!(kind, SortKind::Named(..) | SortKind::Param(_) | SortKind::Arrow(_) | SortKind::Unknown)
    })
}

fn sort_text(terms: &Terms, sort: Sort) -> String {
    let mut text = String::new();
    terms.sorts.write(&terms.symbols, sort, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::term_text;

    use super::*;

    fn harvest(source: &str) -> Vec<String> {
        let bank = TermPool::harvest(&[(String::new(), source.to_owned())]);
        let mut found: Vec<String> = bank
            .terms
            .values()
            .flatten()
            .map(|harvested| {
                let mut terms = Terms::new();
                let term = bank.copy(harvested, &mut terms, |terms, sort| {
                    let name = terms.symbols.intern("c");
                    Some(terms.constant(name, sort))
                });
                term_text(&mut terms, term.expect("there is something for every constant"))
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn terms_are_harvested_with_literals_and_without_names() {
        let source = "(declare-const x Int)(declare-const y Int)(assert (< (+ x 1) 7))(assert (< (+ y 1) 7))(check-sat)";
        assert_eq!(harvest(source), ["(+ c 1)", "(< (+ c 1) 7)", "1", "7"]);
    }

    #[test]
    fn what_a_script_must_declare_is_left() {
        let source = "(declare-sort S 0)(declare-fun f (Int) Int)(declare-const s S)(declare-const x Int)\
            (assert (= s s))(assert (= (f x) (* 2 x)))(assert (forall ((y Int)) (< y 3)))(check-sat)";
        assert_eq!(harvest(source), ["(* 2 c)", "(forall ((y Int)) (< y 3))", "2", "3"]);
    }
}
