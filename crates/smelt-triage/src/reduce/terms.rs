//! The terms of commands: lets expanded, and subterms of one depth replaced by values together.

use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::substitute;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{Occurrence, occurrences, subterms, tree_size};

use super::search::{Growth, Reducer};
use super::values::values;

/// The most places of one term that are looked at.
const MOST_PLACES: usize = 50_000;

/// Puts the bound terms in place of the variables of every `let`.
pub(super) fn expand_lets(reducer: &mut Reducer<'_>) -> bool {
    let roots: Vec<Term> = reducer.commands.iter().filter_map(root_of).collect();
    let all = subterms(&reducer.terms, &roots);
    if !all.into_iter().any(|term| matches!(reducer.terms.head(term), Head::Let(_))) {
        return false;
    }
    let mut expanded = reducer.commands.clone();
    for command in &mut expanded {
        if let Some(root) = root_of(command) {
            set_root(command, substitute::expand_lets(&mut reducer.terms, root));
        }
    }
    reducer.attempt(expanded, Growth::Some)
}

/// Replaces many subterms of the same depth by values at once.
pub(super) fn replace_levels(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    // An assertion as a whole is left out rather than replaced.
    let mut level = 1;
    loop {
        // A sort has more than one simple value; the first is tried everywhere, then the second.
        for choice in 0..2 {
            let places = places_at(reducer, level);
            if places.is_empty() || reducer.is_stopped {
                return has_changed;
            }
            let least_size = reducer.least_loss.max(2) as u64;
            let mut chosen: Vec<(usize, Occurrence, Term)> = Vec::new();
            for (command, place) in places {
                if tree_size(&reducer.terms, place.term) * FEW >= least_size {
                    let value = value_for(&mut reducer.terms, place.term, choice);
                    chosen.extend(value.map(|value| (command, place, value)));
                }
            }
            let weight = |place: &Occurrence| tree_size(&reducer.terms, place.term) as usize - 1;
            let weights: Vec<usize> = chosen.iter().map(|(_, place, _)| weight(place)).collect();
            let commands = reducer.commands.clone();
            has_changed |= reducer.keep_fewest(&weights, &mut |terms, kept| {
                let mut candidate = commands.clone();
                for ((command, place, value), _) in chosen.iter().zip(kept).filter(|(_, is_kept)| !**is_kept)
                {
                    let root = root_of(&candidate[*command])?;
                    let changed = substitute::replace_at(terms, root, &place.path, *value)?;
                    set_root(&mut candidate[*command], changed);
                }
                Some(candidate)
            });
        }
        level += 1;
    }
}

/// So many places together may be worth what is asked for; what is smaller is not looked at.
const FEW: u64 = 64;

/// All places of a depth, with the number of their command.
fn places_at(reducer: &Reducer<'_>, level: usize) -> Vec<(usize, Occurrence)> {
    let mut found = Vec::new();
    for (number, command) in reducer.commands.iter().enumerate() {
        if let Some(root) = root_of(command) {
            let all = occurrences(&reducer.terms, root, MOST_PLACES);
            found.extend(
                all.into_iter().filter(|place| place.path.len() == level).map(|place| (number, place)),
            );
        }
    }
    found
}

/// A simple value for a place that holds something larger.
fn value_for(terms: &mut Terms, term: Term, choice: usize) -> Option<Term> {
    let sort = terms.sort(term);
    let value = *values(terms, sort).get(choice)?;
    (!terms.args(term).is_empty() && value != term).then_some(value)
}

/// The term of a command that is made simpler.
pub(super) fn root_of(command: &Command) -> Option<Term> {
    match command {
        Command::Assert(term) => Some(*term),
        Command::DefineConst(definition)
        | Command::DefineFun(definition)
        | Command::DefineFunRec(definition) => Some(definition.body),
        _ => None,
    }
}

/// Puts another term in its place.
pub(super) fn set_root(command: &mut Command, root: Term) {
    let set_body = |definition: &mut Definition| definition.body = root;
    match command {
        Command::Assert(term) => *term = root,
        Command::DefineConst(definition)
        | Command::DefineFun(definition)
        | Command::DefineFunRec(definition) => set_body(definition),
        _ => {}
    }
}
