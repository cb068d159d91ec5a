//! Subterms: replaced by values on whole levels at once, then place by place.

use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::substitute;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{Occurrence, occurrences, subterm_at};

use super::changes::changes;
use super::values::values;
use super::{Growth, Reducer};

/// The most places of one term that are looked at.
const MOST_PLACES: usize = 50_000;

/// Puts the bound terms in place of the variables of every `let`.
pub(super) fn expand_lets(reducer: &mut Reducer<'_>) -> bool {
    let has_let = (0..reducer.commands.len()).any(|place| {
        let Some(root) = root_of(&reducer.commands[place]) else { return false };
        let all = smelt_smtlib::walk::subterms(&reducer.terms, &[root]);
        all.into_iter().any(|term| matches!(reducer.terms.head(term), Head::Let(_)))
    });
    if !has_let {
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
    let mut level = 0;
    loop {
        let places = places_at(reducer, level);
        if places.is_empty() || reducer.is_stopped {
            return has_changed;
        }
        // A sort has more than one simple value; the first is tried everywhere, then the second.
        for choice in 0..2 {
            let places = places_at(reducer, level);
            let values: Vec<Option<Term>> =
                places.iter().map(|(_, place)| value_for(&mut reducer.terms, place, choice)).collect();
            let places: Vec<_> =
                places.into_iter().zip(values).filter_map(|(at, value)| Some((at, value?))).collect();
            let commands = reducer.commands.clone();
            has_changed |= reducer.keep_fewest(places.len(), &mut |terms, kept| {
                let mut candidate = commands.clone();
                for (((command, place), value), _) in
                    places.iter().zip(kept).filter(|(_, is_kept)| !**is_kept)
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
fn value_for(terms: &mut Terms, place: &Occurrence, choice: usize) -> Option<Term> {
    let is_leaf = terms.args(place.term).is_empty() && matches!(terms.head(place.term), Head::Literal(..));
    let sort = terms.sort(place.term);
    let value = *values(terms, sort).get(choice)?;
    (!is_leaf && value != place.term).then_some(value)
}

/// Makes single subterms simpler, those high up first.
pub(super) fn simplify_places(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    for command in 0..reducer.commands.len() {
        let mut number = 0;
        let mut paths = ordered_paths(reducer, command);
        while number < paths.len() && !reducer.is_stopped {
            if simplify_at(reducer, command, &paths[number]) {
                has_changed = true;
                paths = ordered_paths(reducer, command);
            } else {
                number += 1;
            }
        }
    }
    has_changed
}

/// The ways to all places of a command, short ones first.
fn ordered_paths(reducer: &Reducer<'_>, command: usize) -> Vec<Vec<u32>> {
    let Some(root) = reducer.commands.get(command).and_then(root_of) else { return Vec::new() };
    let mut paths: Vec<Vec<u32>> =
        occurrences(&reducer.terms, root, MOST_PLACES).into_iter().map(|place| place.path).collect();
    paths.sort_by_key(Vec::len);
    paths
}

fn simplify_at(reducer: &mut Reducer<'_>, command: usize, path: &[u32]) -> bool {
    let Some(root) = root_of(&reducer.commands[command]) else { return false };
    let Some(term) = subterm_at(&reducer.terms, root, path) else { return false };
    let constants = constants_of(reducer, command, reducer.terms.sort(term));
    for change in changes(&mut reducer.terms, term, &constants) {
        let Some(changed) = substitute::replace_in_scope(&mut reducer.terms, root, path, change) else {
            continue;
        };
        let mut candidate = reducer.commands.clone();
        set_root(&mut candidate[command], changed);
        if reducer.attempt(candidate, Growth::None) {
            return true;
        }
    }
    false
}

/// Declared constants of a sort that a command may use.
fn constants_of(reducer: &mut Reducer<'_>, command: usize, sort: Sort) -> Vec<Term> {
    let declared: Vec<_> = reducer.commands[..command]
        .iter()
        .filter_map(|command| match command {
            Command::DeclareConst(name, declared) if *declared == sort => Some(*name),
            Command::DeclareFun(name, params, declared) if params.is_empty() && *declared == sort => {
                Some(*name)
            }
            _ => None,
        })
        .take(MOST_CONSTANTS)
        .collect();
    declared.into_iter().map(|name| reducer.terms.constant(name, sort)).collect()
}

/// How many declared constants are tried at one place.
const MOST_CONSTANTS: usize = 3;

/// The term of a command that is made simpler.
fn root_of(command: &Command) -> Option<Term> {
    match command {
        Command::Assert(term) => Some(*term),
        Command::DefineConst(definition)
        | Command::DefineFun(definition)
        | Command::DefineFunRec(definition) => Some(definition.body),
        _ => None,
    }
}

fn set_root(command: &mut Command, root: Term) {
    let set_body = |definition: &mut Definition| definition.body = root;
    match command {
        Command::Assert(term) => *term = root,
        Command::DefineConst(definition)
        | Command::DefineFun(definition)
        | Command::DefineFunRec(definition) => {
            set_body(definition);
        }
        _ => {}
    }
}
