//! All occurrences of the same at once: of a declared constant, and of a term that repeats itself.

use rustc_hash::FxHashMap;
use smelt_smtlib::script::Command;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::changes::changes;
use super::measure::tree_size;
use super::places::DECLARATION_WORDS;
use super::search::{Growth, Portions, Reducer};
use super::terms::{root_of, set_root};
use super::values::values;

/// So many other constants are tried for a constant.
const MAX_OTHERS: usize = 2;

/// So many terms that repeat themselves are tried in one round.
const MAX_REPEATED: usize = 40;

/// Replaces all occurrences of declared constants by values and by other constants, and leaves out their declarations.
pub(super) fn replace_symbols(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = replace_many_symbols(reducer);
    let mut done: Vec<Symbol> = Vec::new();
    while let Some((place, name, sort)) = next_constant(&reducer.commands, &done) {
        if reducer.is_stopped {
            return has_changed;
        }
        done.push(name);
        let constant = reducer.terms.constant(name, sort);
        let counts = occurrence_counts(&reducer.terms, &reducer.commands);
        // Replaced constants are as many words as before.
        if !counts.contains_key(&constant) || reducer.least_loss > DECLARATION_WORDS {
            continue;
        }
        let mut replacements = values(&mut reducer.terms, sort);
        let others: Vec<Symbol> = constants(&reducer.commands[..place])
            .filter(|(_, _, other)| *other == sort)
            .map(|(_, other, _)| other)
            .take(MAX_OTHERS)
            .collect();
        replacements.extend(others.into_iter().map(|other| reducer.terms.constant(other, sort)));
        has_changed |= replace_first(reducer, constant, &replacements, Some(place));
    }
    has_changed
}

/// Replaces many declared constants by the first value of their sort at once.
fn replace_many_symbols(reducer: &mut Reducer<'_>) -> bool {
    let commands = reducer.commands.clone();
    let mut chosen: Vec<(usize, Term, Term)> = Vec::new();
    for (place, name, sort) in constants(&commands) {
        let value = values(&mut reducer.terms, sort).first().copied();
        let constant = reducer.terms.constant(name, sort);
        chosen.extend(value.map(|value| (place, constant, value)));
    }
    let weights = vec![DECLARATION_WORDS; chosen.len()];
    let left = reducer.keep_fewest(Portions::Several, &weights, &mut |terms, kept| {
        let gone: Vec<_> =
            chosen.iter().zip(kept).filter(|(_, is_kept)| !**is_kept).map(|(one, _)| one).collect();
        let mut candidate = Vec::with_capacity(commands.len());
        for (place, command) in commands.iter().enumerate() {
            if gone.iter().any(|(gone, ..)| *gone == place) {
                continue;
            }
            let mut command = command.clone();
            for (_, constant, value) in &gone {
                if let Some(root) = root_of(&command) {
                    set_root(&mut command, replace_everywhere(terms, root, *constant, *value));
                }
            }
            candidate.push(command);
        }
        Some(candidate)
    });
    left.has_changed
}

/// The last constant that was not looked at yet: what is declared later is more likely to be of use to few.
fn next_constant(commands: &[Command], done: &[Symbol]) -> Option<(usize, Symbol, Sort)> {
    constants(commands).filter(|(_, name, _)| !done.contains(name)).last()
}

/// The declared constants with their places.
fn constants(commands: &[Command]) -> impl Iterator<Item = (usize, Symbol, Sort)> + '_ {
    commands.iter().enumerate().filter_map(|(place, command)| match command {
        Command::DeclareConst(name, sort) => Some((place, *name, *sort)),
        Command::DeclareFun(name, params, sort) if params.is_empty() => Some((place, *name, *sort)),
        _ => None,
    })
}

/// Makes terms simpler that occur more than once, everywhere at once.
pub(super) fn replace_repeated(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    let counts = occurrence_counts(&reducer.terms, &reducer.commands);
    let mut repeated: Vec<(u64, Term)> = counts
        .into_iter()
        .filter(|(term, count)| *count > 1 && !matches!(reducer.terms.head(*term), Head::Global(_)))
        .filter(|(term, _)| !reducer.terms.has_locals(*term))
        .map(|(term, count)| (tree_size(&reducer.terms, term) * count, term))
        .collect();
    repeated.sort_unstable_by(|one, other| other.cmp(one));
    repeated.truncate(MAX_REPEATED);
    for (weight, term) in repeated {
        if reducer.is_stopped || weight < reducer.least_loss as u64 {
            return has_changed;
        }
        let mut replacements = changes(&mut reducer.terms, term, &[]);
        let least_loss = reducer.least_loss as u64;
        let size = tree_size(&reducer.terms, term);
        let copies = weight / size;
        replacements
            .retain(|other| copies * size.saturating_sub(tree_size(&reducer.terms, *other)) >= least_loss);
        has_changed |= replace_first(reducer, term, &replacements, None);
    }
    has_changed
}

/// How often each term occurs as an argument or as the whole of a command.
fn occurrence_counts(terms: &Terms, commands: &[Command]) -> FxHashMap<Term, u64> {
    let mut counts = FxHashMap::default();
    let roots: Vec<Term> = commands.iter().filter_map(root_of).collect();
    for root in &roots {
        *counts.entry(*root).or_default() += 1;
    }
    for term in subterms(terms, &roots) {
        for arg in terms.args(term) {
            *counts.entry(*arg).or_default() += 1;
        }
    }
    counts
}

/// Puts the first of some terms that will do in place of all occurrences of another; a command may go with it.
fn replace_first(
    reducer: &mut Reducer<'_>,
    old: Term,
    replacements: &[Term],
    dropped: Option<usize>,
) -> bool {
    // The change of all occurrences has the other name than that of a single one.
    let mut named = Vec::new();
    for new in replacements {
        let name = !reducer.name_of_change(old, *new);
        if !reducer.has_failed(name) {
            named.push((*new, name));
        }
    }
    let commands = reducer.commands.clone();
    let found = reducer.attempt_first(named.len(), Growth::None, &mut |terms, number| {
        let mut candidate = commands.clone();
        for command in &mut candidate {
            if let Some(root) = root_of(command) {
                set_root(command, replace_everywhere(terms, root, old, named[number].0));
            }
        }
        if let Some(place) = dropped {
            candidate.remove(place);
        }
        Some(candidate)
    });
    reducer.remember_refused(&named);
    found.is_some()
}

/// Puts a term in place of all occurrences of another one.
fn replace_everywhere(terms: &mut Terms, root: Term, old: Term, new: Term) -> Term {
    let mut replaced: FxHashMap<Term, Term> = FxHashMap::default();
    replaced.insert(old, new);
    for term in subterms(terms, &[root]) {
        if term != old && terms.args(term).iter().any(|arg| replaced.contains_key(arg)) {
            let args: Vec<Term> =
                terms.args(term).iter().map(|arg| replaced.get(arg).copied().unwrap_or(*arg)).collect();
            let changed = terms.with_args(term, &args);
            replaced.insert(term, changed);
        }
    }
    replaced.get(&root).copied().unwrap_or(root)
}
