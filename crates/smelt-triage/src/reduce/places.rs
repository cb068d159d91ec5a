//! Single places: each subterm made simpler, large ones first.

use std::collections::BinaryHeap;

use smelt_smtlib::op::{Attribute, Op};
use smelt_smtlib::script::Command;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::substitute;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{free_names, subterm_at};

use super::changes::{changes, coarse_changes};
use super::measure::tree_size;
use super::search::{Growth, Portions, Reducer};
use super::terms::{root_of, set_root};

/// A place: how large what stands there is, its command, and the number of the way to it.
type Place = (u64, usize, u32);

/// Ways to places, each as the way to the place around it and the argument to take there: written out, the ways into a
/// deep term would take the square of its depth.
#[derive(Default)]
struct Ways(Vec<(u32, u32)>);

impl Ways {
    /// The way to the root of a command.
    const ROOT: u32 = u32::MAX;

    /// The way to an argument of a place.
    fn below(&mut self, way: u32, position: u32) -> u32 {
        self.0.push((way, position));
        self.0.len() as u32 - 1
    }

    /// A way written out.
    fn path(&self, mut way: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while let Some((around, position)) = self.0.get(way as usize) {
            path.push(*position);
            way = *around;
        }
        path.reverse();
        path
    }
}

/// How many declared constants are tried at one place.
const MAX_CONSTANTS: usize = 3;

/// What a declaration adds, in words.
pub(super) const DECLARATION_WORDS: usize = 3;

/// Makes single subterms simpler, large ones first. What is below a place comes after it.
pub(super) fn simplify(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    let roots = |reducer: &Reducer<'_>| -> Vec<Place> {
        let sized = |(number, root)| (tree_size(&reducer.terms, root), number, Ways::ROOT);
        let commands = reducer.commands.iter().enumerate();
        commands.filter_map(|(number, command)| Some(sized((number, root_of(command)?)))).collect()
    };
    let mut pending: BinaryHeap<Place> = roots(reducer).into();
    let mut ways = Ways::default();
    while let Some((size, command, way)) = pending.pop() {
        if reducer.is_stopped || size < reducer.least_loss as u64 {
            return has_changed;
        }
        let path = ways.path(way);
        let commands_before = reducer.commands.len();
        while simplify_at(reducer, command + reducer.commands.len() - commands_before, &path) {
            has_changed = true;
        }
        let added = reducer.commands.len() - commands_before;
        if added > 0 {
            // Declarations were put at the beginning.
            pending = pending.into_iter().map(|(size, command, way)| (size, command + added, way)).collect();
        }
        let Some(term) = term_at(reducer, command + added, &path) else { continue };
        for (position, arg) in reducer.terms.args(term).iter().enumerate() {
            let below = ways.below(way, position as u32);
            pending.push((tree_size(&reducer.terms, *arg), command + added, below));
        }
    }
    has_changed
}

fn term_at(reducer: &Reducer<'_>, command: usize, path: &[u32]) -> Option<Term> {
    let root = root_of(&reducer.commands[command])?;
    subterm_at(&reducer.terms, root, path)
}

/// Whether something simpler stands at a place now.
fn simplify_at(reducer: &mut Reducer<'_>, command: usize, path: &[u32]) -> bool {
    let Some(term) = term_at(reducer, command, path) else { return false };
    drop_arguments(reducer, command, path, term)
        || change_at(reducer, command, path, term)
        || introduce_constant(reducer, command, path, term)
}

fn change_at(reducer: &mut Reducer<'_>, command: usize, path: &[u32], term: Term) -> bool {
    let Some(root) = root_of(&reducer.commands[command]) else { return false };
    let mut changed = match reducer.least_loss {
        0 => {
            let constants = constants_of(reducer, command, term);
            changes(&mut reducer.terms, term, &constants)
        }
        _ => coarse_changes(&mut reducer.terms, term),
    };
    if path.is_empty() && matches!(reducer.commands[command], Command::Assert(_)) {
        // True is the same as leaving it out; false hides what is to be shown.
        changed.retain(|change| !matches!(reducer.terms.op(*change), Some(Op::True | Op::False)));
    }
    let size = tree_size(&reducer.terms, term);
    let least_loss = reducer.least_loss as u64;
    changed.retain(|change| tree_size(&reducer.terms, *change) + least_loss <= size);
    let named = reducer.untried(term, changed);
    let commands = reducer.commands.clone();
    let found = reducer.attempt_first(named.len(), Growth::None, &mut |terms, number| {
        let changed = substitute::replace_in_scope(terms, root, path, named[number].0)?;
        let mut candidate = commands.clone();
        set_root(&mut candidate[command], changed);
        Some(candidate)
    });
    reducer.remember_refused(&named);
    found.is_some()
}

/// Leaves out arguments of an operator that takes any number of them.
fn drop_arguments(reducer: &mut Reducer<'_>, command: usize, path: &[u32], term: Term) -> bool {
    let Head::Op(op, indices) = reducer.terms.head(term) else { return false };
    let args = reducer.terms.args(term).to_vec();
    if op.info().attribute == Attribute::Fixed || args.len() < 3 {
        return false;
    }
    let Some(root) = root_of(&reducer.commands[command]) else { return false };
    let indices = reducer.terms.indices(indices).to_vec();
    let weights: Vec<usize> = args.iter().map(|arg| tree_size(&reducer.terms, *arg) as usize).collect();
    let commands = reducer.commands.clone();
    let sort = reducer.terms.sort(term);
    let left = reducer.keep_fewest(Portions::Halving, &weights, &mut |terms, kept| {
        let left: Vec<Term> =
            args.iter().zip(kept).filter(|(_, is_kept)| **is_kept).map(|(arg, _)| *arg).collect();
        let fewer = match left.as_slice() {
            [] => return None,
            [one] if terms.sort(*one) == sort => *one,
            _ => terms.apply(op, &indices, &left).ok()?,
        };
        let changed = substitute::replace_in_scope(terms, root, path, fewer)?;
        let mut candidate = commands.clone();
        set_root(&mut candidate[command], changed);
        Some(candidate)
    });
    left.has_changed
}

/// Declares a constant and puts it in the place of a larger term.
fn introduce_constant(reducer: &mut Reducer<'_>, command: usize, path: &[u32], term: Term) -> bool {
    let size = tree_size(&reducer.terms, term) as usize;
    let sort = reducer.terms.sort(term);
    let is_plain = !reducer.terms.sorts.any_part(sort, |kind| {
        matches!(kind, SortKind::Unknown | SortKind::RegLan | SortKind::Param(_) | SortKind::Named(..))
    });
    // A new constant that is asserted says nothing: that is asked about by leaving the assertion out.
    let is_asserted = path.is_empty() && matches!(reducer.commands[command], Command::Assert(_));
    if !is_plain
        || is_asserted
        || size < DECLARATION_WORDS + 2
        || size < reducer.least_loss + DECLARATION_WORDS
    {
        return false;
    }
    let Some(root) = root_of(&reducer.commands[command]) else { return false };
    let name = reducer.terms.symbols.fresh("x");
    let constant = reducer.terms.constant(name, sort);
    // The same change has the same name in another round, whatever the constant is called.
    let any = any_constant(&mut reducer.terms, sort);
    let change = reducer.name_of_change(term, any);
    if reducer.has_failed(change) {
        return false;
    }
    let Some(changed) = substitute::replace_at(&mut reducer.terms, root, path, constant) else {
        return false;
    };
    let mut candidate = reducer.commands.clone();
    set_root(&mut candidate[command], changed);
    let start = after_settings(&candidate);
    candidate.insert(start, Command::DeclareConst(name, sort));
    let is_found = reducer.attempt(candidate, Growth::None);
    reducer.remember_refused(&[(constant, change)]);
    is_found
}

/// Stands for any new constant of a sort.
fn any_constant(terms: &mut Terms, sort: Sort) -> Term {
    let name = terms.symbols.intern("new constant");
    terms.constant(name, sort)
}

/// Where declarations may be put: after what is set, which must come first.
fn after_settings(commands: &[Command]) -> usize {
    let is_setting = |command: &Command| {
        matches!(command, Command::SetLogic(_) | Command::SetOption(..) | Command::SetInfo(..))
    };
    commands.iter().take_while(|command| is_setting(command)).count()
}

/// Declared constants of the sort of a term that a command may use, those that the term has first.
fn constants_of(reducer: &mut Reducer<'_>, command: usize, term: Term) -> Vec<Term> {
    let sort = reducer.terms.sort(term);
    let used = free_names(&reducer.terms, term);
    let mut declared: Vec<_> = reducer.commands[..command]
        .iter()
        .filter_map(|command| match command {
            Command::DeclareConst(name, declared) if *declared == sort => Some(*name),
            Command::DeclareFun(name, params, declared) if params.is_empty() && *declared == sort => {
                Some(*name)
            }
            _ => None,
        })
        .collect();
    declared.sort_by_key(|name| !used.contains(*name));
    declared.truncate(MAX_CONSTANTS);
    declared.into_iter().map(|name| reducer.terms.constant(name, sort)).collect()
}
