//! Random formulas over strings: well-sorted by construction, with knobs for how complex they are.
//!
//! [`random_script`] makes a formula out of nothing, [`insert`] changes one by a single operator, which is the step of
//! searches that learn which operators are worth it. Nothing is claimed of the answer.
//!
//! The four knobs are those of Zhang et al., "Demystifying Performance Regressions in String Solvers" (section 4.1.3);
//! the operators are all of the table that are standard, not a fixed few. Growing terms by sort follows StringFuzz's
//! random generator (Blotsky et al., CAV 2018); keeping arguments of the right sort where an operator is inserted follows
//! BanditFuzz (Scott et al., 2020).

mod term;
mod weights;

use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute::replace_in_scope;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{subterm_at, variables_at};

pub use weights::Weights;

use crate::mutation::scope::{Spoken, Surroundings};
use crate::random::Random;
use crate::term_index::{Facts, TermIndex, TermSite};
pub(crate) use term::Grower;

/// How complex formulas are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knobs {
    /// The most characters of a string literal.
    pub literal_length: u32,
    /// How many constants are declared, strings for the most part.
    pub variables: u32,
    /// How many formulas are asserted.
    pub assertions: u32,
    /// How many levels an asserted formula has, constants and literals included; the innermost level of a regular
    /// expression is a whole word or range.
    pub depth: u32,
    /// How often operators are chosen.
    pub weights: Weights,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs { literal_length: 10, variables: 4, assertions: 5, depth: 3, weights: Weights::default() }
    }
}

/// Terms are never grown deeper: their size may double with each level.
pub const MAX_DEPTH: u32 = 12;

/// The sorts of the declared constants, over and over.
const CONSTANT_SORTS: [Sort; 8] =
    [Sort::STRING, Sort::STRING, Sort::INT, Sort::STRING, Sort::STRING, Sort::BOOL, Sort::STRING, Sort::INT];

/// How many places are tried for an operator.
const PLACE_TRIES: usize = 64;
/// An argument of the replaced term is kept once in so many draws.
const KEPT_ONE_IN: u64 = 2;

/// Makes a formula: declarations, assertions, and one check.
pub fn random_script(terms: &mut Terms, knobs: &Knobs, random: &mut Random) -> Script {
    let mut script = Script::default();
    let mut constants = Vec::new();
    for (number, sort) in (0..knobs.variables).zip(CONSTANT_SORTS.into_iter().cycle()) {
        let letter = match sort {
            Sort::STRING => 's',
            Sort::INT => 'i',
            _ => 'b',
        };
        let name = terms.symbols.intern(&format!("{letter}{number}"));
        script.push(Command::DeclareConst(name, sort));
        constants.push(terms.constant(name, sort));
    }
    for _ in 0..knobs.assertions {
        let mut grower = Grower { terms, knobs, constants: &constants, random };
        let formula = grower.assertion();
        script.push(Command::Assert(formula));
    }
    script.push(Command::CheckSat);
    script
}

/// The operators that a search can choose between: those that the standard weights have.
pub fn actions() -> Vec<Op> {
    Weights::default().ops().collect()
}

/// Replaces a randomly chosen subterm by an application of `action` of the same sort; none if there is no place.
///
/// Arguments are arguments of the replaced term where the sort is right, or are grown anew, no deeper than the knobs say.
pub fn insert(
    terms: &mut Terms,
    script: &Script,
    action: Op,
    knobs: &Knobs,
    random: &mut Random,
) -> Option<Script> {
    if Spoken::by_script(terms, script).contains(action) {
        return None;
    }
    let survey = TermIndex::new(terms, script, |term, facts| {
        is_replaceable(facts) && weights::signature(terms, action, terms.sort(term)).is_some()
    });
    let declared = declared_constants(terms, script);
    for _ in 0..PLACE_TRIES {
        let place = survey.draw(terms, random)?;
        // At the innermost level a formula would grow with each step.
        if place.path.len() as u32 >= knobs.depth.max(2) || is_for_literals(terms, &place) {
            continue;
        }
        let mut spoken = Spoken::default();
        spoken.by_variables(terms, &variables_at(terms, place.root, &place.path));
        if spoken.contains(action) {
            continue;
        }
        let surroundings = Surroundings::of(terms, &place);
        let constants: Vec<Term> =
            declared.iter().copied().filter(|constant| surroundings.admits(terms, *constant)).collect();
        let mut kept = terms.args(place.term).to_vec();
        if terms.is_binder(place.term) {
            kept.clear();
        }
        kept.retain(|_| random.one_in(KEPT_ONE_IN));
        let levels = knobs.depth.saturating_sub(place.path.len() as u32 + 1);
        let sort = terms.sort(place.term);
        let mut grower = Grower { terms, knobs, constants: &constants, random };
        let Some(new) = grower.application(action, sort, levels, &mut kept) else { continue };
        if new == place.term {
            continue;
        }
        let root = replace_in_scope(terms, place.root, &place.path, new)
            .expect("a place leads to a term of its assertion");
        let mut mutant = script.clone();
        mutant.replace(place.command, Command::Assert(root));
        return Some(mutant);
    }
    None
}

/// Whether a subterm may be dropped.
fn is_replaceable(facts: &Facts) -> bool {
    !facts.has_names && !facts.has_opaque
}

/// Whether only literals are put at a place: solvers want it so, or formulas of ours always have it so.
pub(crate) fn is_for_literals(terms: &Terms, place: &TermSite) -> bool {
    let Some((_, above)) = place.path.split_last() else { return false };
    let parent = subterm_at(terms, place.root, above).and_then(|parent| terms.op(parent));
    parent.is_some_and(term::takes_literals)
}

/// The constants that a script declares with a sort that terms are grown of.
pub(crate) fn declared_constants(terms: &mut Terms, script: &Script) -> Vec<Term> {
    let declared = script.commands.iter().filter_map(|command| match command {
        Command::DeclareConst(name, sort) => Some((*name, *sort)),
        Command::DeclareFun(name, params, sort) if params.is_empty() => Some((*name, *sort)),
        _ => None,
    });
    let is_grown = |sort: Sort| matches!(sort, Sort::STRING | Sort::INT | Sort::BOOL);
    let wanted: Vec<_> = declared.filter(|(_, sort)| is_grown(*sort)).collect();
    wanted.into_iter().map(|(name, sort)| terms.intern(Head::Global(name), &[], sort)).collect()
}

#[cfg(test)]
mod tests;
