//! The terms of commands: lets expanded, connectives tidied up, and subterms of one depth replaced by values together.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::substitute;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::measure::tree_size;
use super::search::{Growth, MIN_SEVERAL, Portions, Reducer};
use super::values::values;

/// The most places of one level that are looked at,
const MAX_PLACES: usize = 50_000;
/// and the most steps that the ways to them have together.
const MAX_STEPS: usize = 1 << 20;

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

/// Leaves out what says nothing in connectives, everywhere at once.
pub(super) fn tidy(reducer: &mut Reducer<'_>) -> bool {
    let mut tidied = reducer.commands.clone();
    for command in &mut tidied {
        if let Some(root) = root_of(command) {
            set_root(command, tidy_term(&mut reducer.terms, root));
        }
    }
    let least_loss = std::mem::replace(&mut reducer.least_loss, 0);
    let is_found = tidied != reducer.commands && reducer.attempt(tidied, Growth::None);
    reducer.least_loss = least_loss;
    is_found
}

fn tidy_term(terms: &mut Terms, root: Term) -> Term {
    let mut tidied: FxHashMap<Term, Term> = FxHashMap::default();
    for term in subterms(terms, &[root]) {
        let args: Vec<Term> =
            terms.args(term).iter().map(|arg| tidied.get(arg).copied().unwrap_or(*arg)).collect();
        let changed = match without_neutral(terms, term, &args) {
            Some(simpler) => simpler,
            None => terms.with_args(term, &args),
        };
        if changed != term {
            tidied.insert(term, changed);
        }
    }
    tidied.get(&root).copied().unwrap_or(root)
}

/// A connective without the arguments that say nothing; none if all say something.
fn without_neutral(terms: &mut Terms, term: Term, args: &[Term]) -> Option<Term> {
    let neutral = match terms.op(term)? {
        Op::And => Op::True,
        Op::Or => Op::False,
        Op::Not => {
            return match terms.op(args[0])? {
                Op::True => Some(terms.bool(false)),
                Op::False => Some(terms.bool(true)),
                _ => None,
            };
        }
        Op::Ite => {
            return match terms.op(args[0])? {
                Op::True => Some(args[1]),
                Op::False => Some(args[2]),
                _ => None,
            };
        }
        _ => return None,
    };
    let left: Vec<Term> = args.iter().copied().filter(|arg| terms.op(*arg) != Some(neutral)).collect();
    match left.as_slice() {
        _ if left.len() == args.len() => None,
        [] => Some(terms.bool(neutral == Op::True)),
        [one] => Some(*one),
        _ => terms.apply(terms.op(term)?, &[], &left).ok(),
    }
}

/// Replaces many subterms of the same depth by values at once.
pub(super) fn replace_levels(reducer: &mut Reducer<'_>) -> bool {
    let (words, least_loss) = (reducer.words(), reducer.least_loss);
    // What was in vain is asked again when the script is clearly smaller, or less is asked for.
    if reducer.vain_levels.is_some_and(|(before, loss)| words * 2 > before && least_loss * 2 > loss) {
        return false;
    }
    let has_changed = replace_all_levels(reducer);
    reducer.vain_levels = (!has_changed).then_some((words, least_loss));
    has_changed
}

fn replace_all_levels(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    // An assertion as a whole is left out rather than replaced.
    let (mut version, mut above) = (reducer.version(), places_at(reducer, 0));
    for level in 1..=MAX_LEVELS {
        // A sort has more than one simple value; the first is tried everywhere, in the end also the second.
        for choice in 0..if reducer.least_loss > 0 { 1 } else { 2 } {
            // The places of a level follow from those of the level above, as long as nothing has changed.
            if reducer.version() != version {
                (version, above) = (reducer.version(), places_at(reducer, level - 1));
            }
            let places = below(&reducer.terms, &above);
            if places.is_empty() || reducer.is_stopped {
                return has_changed;
            }
            if places.len() < MIN_SEVERAL {
                break;
            }
            let least_size = reducer.least_loss.max(2) as u64;
            let mut chosen: Vec<(Place, Term)> = Vec::new();
            for place in places {
                if tree_size(&reducer.terms, place.term).saturating_mul(FEW) >= least_size {
                    let value = value_for(&mut reducer.terms, place.term, choice);
                    chosen.extend(value.map(|value| (place, value)));
                }
            }
            let weight = |place: &Place| tree_size(&reducer.terms, place.term) as usize - 1;
            let weights: Vec<usize> = chosen.iter().map(|(place, _)| weight(place)).collect();
            let commands = reducer.commands.clone();
            let left = reducer.keep_fewest(Portions::Several, &weights, &mut |terms, kept| {
                let mut candidate = commands.clone();
                for ((place, value), _) in chosen.iter().zip(kept).filter(|(_, is_kept)| !**is_kept) {
                    let root = root_of(&candidate[place.command])?;
                    let changed = substitute::replace_at(terms, root, &place.path, *value)?;
                    set_root(&mut candidate[place.command], changed);
                }
                Some(candidate)
            });
            has_changed |= left.has_changed;
        }
        if reducer.version() == version {
            above = below(&reducer.terms, &above);
        }
    }
    has_changed
}

/// Deeper levels are left to other passes.
const MAX_LEVELS: usize = 500;

/// So many places together may be worth what is asked for; what is smaller is not looked at.
const FEW: u64 = 64;

/// A subterm, the number of its command, and the way to it.
struct Place {
    command: usize,
    term: Term,
    path: Vec<u32>,
}

/// The places of a depth.
fn places_at(reducer: &Reducer<'_>, level: usize) -> Vec<Place> {
    let roots = reducer.commands.iter().enumerate();
    let place = |(command, root)| Place { command, term: root, path: Vec::new() };
    let mut places: Vec<Place> =
        roots.filter_map(|(number, command)| Some(place((number, root_of(command)?)))).collect();
    for _ in 0..level {
        places = below(&reducer.terms, &places);
    }
    places
}

/// The places of the arguments of some places, as many as there is room for.
fn below(terms: &Terms, places: &[Place]) -> Vec<Place> {
    let most = MAX_STEPS / (1 + places.first().map_or(0, |place| place.path.len()));
    let args = |place: &Place| {
        let Place { command, path, .. } = place;
        let (command, path) = (*command, path.clone());
        terms.args(place.term).iter().enumerate().map(move |(position, arg)| {
            let path = path.iter().copied().chain([position as u32]).collect();
            Place { command, term: *arg, path }
        })
    };
    places.iter().flat_map(args).take(most.min(MAX_PLACES)).collect()
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
        Command::Extension(extension) => extension.terms().next(),
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
        Command::Extension(extension) => {
            if let Some(term) = extension.terms_mut().next() {
                *term = root;
            }
        }
        _ => {}
    }
}
