//! `data-driven`: generative mutation whose arguments come from the seeds of the hunt, not from the formula alone.
//!
//! The term bank has the small terms of all seeds. What they are about is expressed by constants of the formula of the
//! same sorts, or else by constants that are declared for it.
//!
//! Follows section 5.6 of Winterer's thesis, where the bank brings constants that a formula has not seen.

use rustc_hash::FxHashSet;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::free_names;

use super::generative::{Draw, is_replaceable, put};
use super::scope::{Spoken, Surroundings};
use crate::fresh_names::{given_names, new_name};
use crate::ground_truth::Truth;
use crate::mutant::Mutant;
use crate::operators::OperatorSet;
use crate::random::Random;
use crate::technique::Technique;
use crate::term_index::TermIndex;
use crate::term_pool::{TermPool, constants_of};

/// Data-driven mutation.
#[derive(Debug, Clone, Default)]
pub struct DataDrivenMutation;

/// How many places are tried.
const PLACE_TRIES: usize = 16;
/// How many terms of the bank are tried for an argument.
const BANK_TRIES: usize = 4;
/// An argument comes from the formula itself once in so many draws.
const OWN_ONE_IN: u64 = 4;
/// A constant is declared although there is one of its sort once in so many draws.
const NEW_ONE_IN: u64 = 12;
/// What declared constants are called.
const STEM: &str = "unseen";

impl Technique for DataDrivenMutation {
    fn name(&self) -> &'static str {
        "data-driven"
    }

    fn summary(&self) -> &'static str {
        "put a fresh application over parts of all seeds in the place of an expression"
    }

    fn chain_length(&self) -> u32 {
        60
    }

    fn step(&self, terms: &mut Terms, mutant: &mut Mutant<'_>, random: &mut Random) -> bool {
        let operators = mutant.operators(terms, random);
        let script = &mut mutant.script;
        let bank = mutant.library.bank();
        let survey = TermIndex::new(terms, script, |term, facts| is_replaceable(terms, term, facts));
        for _ in 0..PLACE_TRIES {
            let Some(place) = survey.draw(terms, random) else { return false };
            if place.wants_literal(terms) {
                continue;
            }
            let withdrawal = Withdrawal::new(terms, script, bank, operators);
            let mut draw = Draw::new(terms, script, &survey, &place, operators);
            draw.withdrawal = Some(withdrawal);
            let new = draw.application(&place, random);
            let declared = draw.withdrawal.map(|withdrawal| withdrawal.declared).unwrap_or_default();
            let Some(new) = new else { continue };
            put(terms, script, &place, new);
            let used = free_names(terms, new).globals;
            for (name, sort) in declared.into_iter().filter(|(name, _)| used.contains(name)) {
                declare(script, name, sort);
                if let Truth::Sat(model) = &mut mutant.truth
                    && let Some(value) = operators.draw_value(terms, sort, random)
                {
                    model.set(terms, name, value);
                }
            }
            mutant.truth.doubt();
            return true;
        }
        false
    }
}

/// Declares a constant before the first assertion.
fn declare(script: &mut Script, name: Symbol, sort: Sort) {
    let is_assertion = |command: &Command| matches!(command, Command::Assert(_));
    let place = script.commands.iter().position(is_assertion).unwrap_or(script.commands.len());
    let rest = script.commands.split_off(place);
    script.origins.truncate(place);
    script.push(Command::DeclareConst(name, sort));
    rest.into_iter().for_each(|command| script.push(command));
}

/// Terms taken out of the bank for one place.
pub(super) struct Withdrawal<'b> {
    bank: &'b TermPool,
    operators: &'b OperatorSet,
    constants: Vec<(Symbol, Sort)>,
    /// FreshNames that no new constant can have.
    taken: FxHashSet<String>,
    /// Constants that must be declared for what was drawn.
    declared: Vec<(Symbol, Sort)>,
}

impl<'b> Withdrawal<'b> {
    fn new(terms: &Terms, script: &Script, bank: &'b TermPool, operators: &'b OperatorSet) -> Self {
        let taken = given_names(terms, script).into_iter().map(|name| terms.text(name).to_owned());
        let constants = constants_of(script);
        Withdrawal { bank, operators, constants, taken: taken.collect(), declared: Vec::new() }
    }

    /// A term of the bank that can stand at a place; none if the argument had better come from the formula.
    pub(super) fn draw(
        &mut self,
        terms: &mut Terms,
        sort: Sort,
        spoken: &Spoken,
        surroundings: &Surroundings,
        random: &mut Random,
    ) -> Option<Term> {
        if random.one_in(OWN_ONE_IN) {
            return None;
        }
        for _ in 0..BANK_TRIES {
            let harvested = self.bank.draw(terms, sort, random)?;
            let may_stand = |op| self.operators.contains(op) && !spoken.contains(op);
            let is_read = harvested.readers.include(self.operators.readers);
            if !is_read || !harvested.ops.iter().all(|op| may_stand(*op)) {
                continue;
            }
            self.taken.extend(harvested.bound.iter().cloned());
            let bank = self.bank;
            let term = bank.copy(harvested, terms, |terms, sort| {
                Some(self.stand_in(terms, sort, &harvested.bound, random))
            });
            if let Some(term) = term
                && surroundings.admits(terms, term)
            {
                return Some(term);
            }
        }
        None
    }

    /// What stands for a constant of a harvested term: one of the script that no binder of the term would capture, or
    /// a new one.
    fn stand_in(&mut self, terms: &mut Terms, sort: Sort, bound: &[String], random: &mut Random) -> Term {
        let is_free = |name: Symbol| bound.iter().all(|bound| bound != terms.text(name));
        let known: Vec<Symbol> = self
            .constants
            .iter()
            .filter(|(name, other)| *other == sort && is_free(*name))
            .map(|(name, _)| *name)
            .collect();
        let name = match random.choose(&known) {
            Some(known) if !random.one_in(NEW_ONE_IN) => *known,
            _ => {
                let name = terms.symbols.intern(&new_name(STEM, &mut self.taken));
                self.declared.push((name, sort));
                name
            }
        };
        terms.constant(name, sort)
    }
}

#[cfg(test)]
mod tests {
    use smelt_oracle::case::Expectation;

    use super::*;
    use crate::chain::Chain;
    use crate::library::Library;
    use crate::seed::Seed;

    fn cases(source: &str, others: &[&str]) -> Vec<(Expectation, String)> {
        let seeds = others.iter().map(|other| (String::new(), (*other).to_owned())).collect();
        let library = Library::new(seeds);
        let technique = DataDrivenMutation;
        let mut found = Vec::new();
        for random_seed in 0..300 {
            let mut terms = Terms::new();
            let seed = Seed::read(&mut terms, "a", source).unwrap();
            let mut chain = Chain::start(&mut terms, &seed, &technique, &library, random_seed);
            found.extend(
                (0..3).map_while(|_| chain.next(&mut terms)).map(|case| (case.expectation, case.script)),
            );
        }
        found
    }

    const SUBJECT: &str =
        "; expect: sat\n; model: (define-fun x () Int 1)\n(declare-const x Int)(assert (< x 3))(check-sat)";

    #[test]
    fn data_driven() {
        let other = "(declare-const n Int)(declare-const s String)\
            (assert (= (* 77 n) (str.len (str.++ s \"zebra\"))))(check-sat)";
        let found = cases(SUBJECT, &[other]);
        let has = |part: &str| found.iter().any(|(_, text)| text.contains(part));
        for expected in
            ["(* 77 x)", "\"zebra\"", "(declare-const unseen String)", "(str.++ unseen \"zebra\")"]
        {
            assert!(has(expected), "{expected} is in none of {:#?}", &found[..10]);
        }
        assert!(!has("harvested"));
        let claimed = found.iter().filter(|(expectation, text)| {
            *expectation == Expectation::Sat && text.contains("(declare-const unseen ")
        });
        assert!(claimed.count() > 10, "new constants have values in the model");
    }

    #[test]
    fn binders_capture_nothing() {
        let mutant = "(declare-const x Int)(assert (exists ((y Int)) (< x y)))(check-sat)";
        let other = "(declare-const y Int)(assert (forall ((x Int)) (= (+ x y) 9)))(check-sat)";
        let found = cases(mutant, &[other]);
        assert!(found.iter().any(|(_, text)| text.contains("(forall ((x Int)) (= (+ x unseen) 9))")));
        assert!(found.iter().all(|(_, text)| !text.contains("(= (+ x x) 9)")));
    }

    #[test]
    fn operators_outside_of_the_set_stay_in_the_bank() {
        let other = "(declare-const s String)(assert (= (str.rev s) \"abc\"))(check-sat)";
        let subject =
            "(declare-const p Bool)(declare-const t String)(assert (implies p (= t \"a\")))(check-sat)";
        for (_, text) in cases(subject, &[other]) {
            assert!(!text.contains("str.rev"), "{text}");
        }
    }
}
