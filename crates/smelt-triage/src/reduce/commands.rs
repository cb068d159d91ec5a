//! Commands: leaving them out, making several out of one, and making them simpler.

use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Role};
use smelt_smtlib::sort::SortKind;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use super::measure::tree_size;
use super::search::{Growth, Portions, Reducer};

/// Leaves out commands that declare nothing, when nobody knows yet which of them are needed.
pub(super) fn drop_most_commands(reducer: &mut Reducer<'_>) -> bool {
    drop_where(reducer, Portions::Halving, |command| command.role() != Role::Declaration)
}

/// Leaves out commands that declare nothing, when most are needed.
pub(super) fn drop_commands(reducer: &mut Reducer<'_>) -> bool {
    drop_where(reducer, Portions::Quartering, |command| command.role() != Role::Declaration)
}

/// Leaves out declarations, whether they are used or not; those without which the script is ill-formed stay.
pub(super) fn drop_declarations(reducer: &mut Reducer<'_>) -> bool {
    drop_where(reducer, Portions::Halving, |command| command.role() == Role::Declaration)
}

/// Leaves out declarations that nothing uses, and assertions that say nothing.
pub(super) fn drop_unused(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    // What only unused definitions use is unused too.
    loop {
        let used = used_symbols(&reducer.terms, &reducer.commands);
        let asserted = reducer.commands.iter().flat_map(Command::terms);
        let trivial: Vec<Term> = asserted.filter(|term| is_trivial(&reducer.terms, *term)).collect();
        let is_unused = |command: &Command| match command {
            Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => !used.contains(name),
            Command::DefineConst(definition) | Command::DefineFun(definition) => {
                !used.contains(&definition.name)
            }
            Command::Assert(term) => trivial.contains(term),
            _ => false,
        };
        let least_loss = std::mem::replace(&mut reducer.least_loss, 0);
        let found = drop_where(reducer, Portions::Halving, is_unused);
        reducer.least_loss = least_loss;
        has_changed |= found;
        if !found || reducer.is_stopped {
            return has_changed;
        }
    }
}

/// Whether a formula is true by the look of it.
fn is_trivial(terms: &Terms, term: Term) -> bool {
    match terms.op(term) {
        Some(Op::True) => true,
        Some(Op::Eq) => terms.args(term).iter().all(|arg| *arg == terms.args(term)[0]),
        _ => false,
    }
}

/// The names that terms of commands use.
pub(super) fn used_symbols(terms: &Terms, commands: &[Command]) -> FxHashSet<Symbol> {
    let roots: Vec<Term> = commands.iter().flat_map(Command::terms).collect();
    let heads = subterms(terms, &roots).into_iter().map(|term| terms.head(term));
    let mut used: FxHashSet<Symbol> = heads
        .filter_map(|head| match head {
            Head::Global(name) | Head::Qualified(name) | Head::Opaque(name) => Some(name),
            _ => None,
        })
        .collect();
    // What we do not understand may use anything.
    for command in commands {
        let texts: Vec<Symbol> = match command {
            Command::Opaque(text) => vec![*text],
            Command::Extension(extension) => extension.texts().collect(),
            _ => continue,
        };
        for text in texts {
            let words =
                terms.text(text).split(|letter: char| letter.is_whitespace() || "()|".contains(letter));
            used.extend(words.filter_map(|word| terms.symbols.get(word)));
        }
    }
    used
}

fn drop_where(reducer: &mut Reducer<'_>, portions: Portions, may_go: impl Fn(&Command) -> bool) -> bool {
    let commands = reducer.commands.clone();
    let names: Vec<u64> = commands.iter().map(|command| reducer.name_of_loss(command)).collect();
    let may_go = |place: &usize| may_go(&commands[*place]) && !reducer.has_failed(names[*place]);
    let places: Vec<usize> = (0..commands.len()).filter(may_go).collect();
    let terms = &reducer.terms;
    let weight = |command: &Command| {
        let roots = command.terms();
        1 + roots.into_iter().map(|root| tree_size(terms, root) as usize).sum::<usize>()
    };
    let weights: Vec<usize> = places.iter().map(|place| weight(&commands[*place])).collect();
    let left = reducer.keep_fewest(portions, &weights, &mut |_, kept| {
        let is_dropped = |place: &usize| places.binary_search(place).is_ok_and(|number| !kept[number]);
        let left = (0..commands.len()).filter(|place| !is_dropped(place));
        Some(left.map(|place| commands[place].clone()).collect())
    });
    for number in left.needed {
        reducer.remember_failure(names[places[number]]);
    }
    left.has_changed
}

/// Asserts the parts of conjunctions one by one, so that they can be left out.
pub(super) fn split_conjunctions(reducer: &mut Reducer<'_>) -> bool {
    let mut split = Vec::new();
    for command in &reducer.commands {
        match command {
            Command::Assert(term) => {
                split.extend(conjuncts(&reducer.terms, *term).into_iter().map(Command::Assert));
            }
            _ => split.push(command.clone()),
        }
    }
    split.len() > reducer.commands.len() && reducer.attempt(split, Growth::Some)
}

/// Asserts the atoms of formulas one by one: what does not depend on how they are put together is soon alone then.
pub(super) fn split_atoms(reducer: &mut Reducer<'_>) -> bool {
    let mut split = Vec::new();
    let mut seen = FxHashSet::default();
    for command in &reducer.commands {
        match command {
            Command::Assert(term) => {
                let atoms = atoms(&reducer.terms, *term).into_iter().filter(|atom| seen.insert(*atom));
                split.extend(atoms.map(Command::Assert));
            }
            _ => split.push(command.clone()),
        }
    }
    split.len() > reducer.commands.len() && reducer.attempt(split, Growth::Some)
}

/// The largest parts of a formula that are not put together from formulas.
fn atoms(terms: &Terms, root: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut pending = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        let args = terms.args(term);
        let is_bool = |arg: &Term| matches!(terms.sorts.kind(terms.sort(*arg)), SortKind::Bool);
        let is_connective =
            matches!(terms.head(term), Head::Op(..)) && !args.is_empty() && args.iter().all(is_bool);
        match is_connective {
            true => pending.extend(args.iter().rev()),
            false => found.push(term),
        }
    }
    found
}

fn conjuncts(terms: &Terms, root: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut pending = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(term) = pending.pop() {
        match terms.op(term) {
            // What is shared is taken apart once.
            _ if !seen.insert(term) => {}
            Some(Op::And) => pending.extend(terms.args(term).iter().rev()),
            _ => found.push(term),
        }
    }
    found
}

/// Declares constants instead of functions without arguments.
pub(super) fn declare_constants(reducer: &mut Reducer<'_>) -> bool {
    change_all(reducer, |command| match command {
        Command::DeclareFun(name, params, sort) if params.is_empty() => {
            Some(Command::DeclareConst(*name, *sort))
        }
        _ => None,
    })
}

/// Makes commands simpler: checks without assumptions, no levels.
pub(super) fn simplify_commands(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = change_all(reducer, |command| match command {
        Command::CheckSatAssuming(_) => Some(Command::CheckSat),
        _ => None,
    });
    has_changed |= drop_levels(reducer);
    has_changed |= join_levels(reducer);
    has_changed | drop_listed(reducer)
}

/// Opens or closes levels at once that are opened or closed one after the other.
fn join_levels(reducer: &mut Reducer<'_>) -> bool {
    let mut joined: Vec<Command> = Vec::new();
    for command in &reducer.commands {
        match (joined.last_mut(), command) {
            (Some(Command::Push(before)), Command::Push(count))
            | (Some(Command::Pop(before)), Command::Pop(count)) => *before += count,
            _ => joined.push(command.clone()),
        }
    }
    joined.len() < reducer.commands.len() && reducer.attempt(joined, Growth::None)
}

/// Changes all commands for which there is another one, at once.
fn change_all(reducer: &mut Reducer<'_>, change: impl Fn(&Command) -> Option<Command>) -> bool {
    let changed: Vec<Command> =
        reducer.commands.iter().map(|command| change(command).unwrap_or_else(|| command.clone())).collect();
    changed != reducer.commands && reducer.attempt(changed, Growth::None)
}

/// Leaves out a `push` together with its `pop`.
fn drop_levels(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    let mut start = 0;
    while start < reducer.commands.len() && !reducer.is_stopped {
        let commands = reducer.commands.clone();
        let pair = match &commands[start] {
            Command::Push(1) => closing(&commands, start),
            _ => None,
        };
        let is_dropped = pair.is_some_and(|end| {
            let left = (0..commands.len()).filter(|place| *place != start && *place != end);
            reducer.attempt(left.map(|place| commands[place].clone()).collect(), Growth::None)
        });
        has_changed |= is_dropped;
        start += usize::from(!is_dropped);
    }
    has_changed
}

/// The place of the `pop` that belongs to a `push`.
fn closing(commands: &[Command], start: usize) -> Option<usize> {
    let mut open = 0;
    for (place, command) in commands.iter().enumerate().skip(start) {
        match command {
            Command::Push(1) => open += 1,
            Command::Pop(1) => open -= 1,
            Command::Push(_) | Command::Pop(_) | Command::Reset => return None,
            _ => {}
        }
        if open == 0 {
            return Some(place);
        }
    }
    None
}

/// Leaves out terms of `check-sat-assuming` and `get-value`, and functions of `define-funs-rec`.
fn drop_listed(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    for place in 0..reducer.commands.len() {
        let commands = reducer.commands.clone();
        let count = match &commands[place] {
            Command::CheckSatAssuming(all) | Command::GetValue(all) => all.len(),
            Command::DefineFunsRec(definitions) => definitions.len(),
            _ => continue,
        };
        let left = reducer.keep_fewest(Portions::Halving, &vec![1; count], &mut |_, kept| {
            let mut changed = commands.clone();
            match &mut changed[place] {
                Command::CheckSatAssuming(all) | Command::GetValue(all) => retain(all, kept),
                Command::DefineFunsRec(definitions) => retain(definitions, kept),
                _ => {}
            }
            Some(changed)
        });
        has_changed |= left.has_changed;
    }
    has_changed
}

/// Keeps the elements that are kept.
pub(super) fn retain<T>(all: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter();
    all.retain(|_| flags.next().is_some_and(|is_kept| *is_kept));
}
