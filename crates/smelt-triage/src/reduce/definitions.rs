//! Definitions put where they are used, and constants that an equation defines put in place.

use rustc_hash::FxHashMap;
use smelt_smtlib::op::Op;
use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{free_names, subterms};

use super::search::{Growth, Reducer};
use super::terms::{root_of, set_root};

/// Puts the bodies of all definitions in place of their uses.
pub(super) fn inline(reducer: &mut Reducer<'_>) -> bool {
    let mut commands = reducer.commands.clone();
    let mut place = 0;
    while place < commands.len() {
        match without_definition(&mut reducer.terms, &commands, place) {
            Some(fewer) => commands = fewer,
            None => place += 1,
        }
    }
    commands != reducer.commands && reducer.attempt(commands, Growth::Some)
}

/// Puts the body of a single definition in place of its uses, as long as that makes the script smaller.
pub(super) fn inline_each(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    let mut place = 0;
    while place < reducer.commands.len() && !reducer.is_stopped {
        let commands = reducer.commands.clone();
        let is_inlined = without_definition(&mut reducer.terms, &commands, place)
            .is_some_and(|fewer| reducer.attempt(fewer, Growth::None));
        has_changed |= is_inlined;
        place += usize::from(!is_inlined);
    }
    has_changed
}

/// The commands without the definition at a place, whose body is put in; none if there is no such definition.
fn without_definition(terms: &mut Terms, commands: &[Command], place: usize) -> Option<Vec<Command>> {
    let (Command::DefineFun(definition) | Command::DefineConst(definition)) = &commands[place] else {
        return None;
    };
    let mut fewer = commands.to_vec();
    fewer.remove(place);
    for command in &mut fewer[place..] {
        if let Some(root) = root_of(command) {
            set_root(command, unfold(terms, root, definition));
        }
        if let Command::CheckSatAssuming(_) | Command::GetValue(_) | Command::Extension(_) = command {
            for term in command.terms_mut() {
                *term = unfold(terms, *term, definition);
            }
        }
    }
    Some(fewer)
}

/// Puts the body of a definition in place of its uses in a term.
fn unfold(terms: &mut Terms, root: Term, definition: &Definition) -> Term {
    let mut replaced: FxHashMap<Term, Term> = FxHashMap::default();
    for term in subterms(terms, &[root]) {
        let args: Vec<Term> =
            terms.args(term).iter().map(|arg| replaced.get(arg).copied().unwrap_or(*arg)).collect();
        let is_use = matches!(terms.head(term), Head::Global(name) if name == definition.name)
            && args.len() == definition.params.len();
        let changed = match is_use {
            true => {
                let mut substitution = Substitution::new();
                for (parameter, arg) in definition.params.iter().zip(&args) {
                    substitution.replace(parameter.name, *arg);
                }
                substitute(terms, definition.body, &substitution)
            }
            false => terms.with_args(term, &args),
        };
        if changed != term {
            replaced.insert(term, changed);
        }
    }
    replaced.get(&root).copied().unwrap_or(root)
}

/// Puts the other side of an asserted equation in place of a declared constant, and leaves out the equation.
pub(super) fn solve_equations(reducer: &mut Reducer<'_>) -> bool {
    let mut has_changed = false;
    let mut place = 0;
    while place < reducer.commands.len() && !reducer.is_stopped {
        let commands = reducer.commands.clone();
        let solutions = solutions_at(&reducer.terms, &commands, place);
        let found = reducer.attempt_first(solutions.len(), Growth::None, &mut |terms, number| {
            let (name, value) = solutions[number];
            let mut substitution = Substitution::new();
            substitution.replace(name, value);
            let mut fewer = commands.clone();
            fewer.remove(place);
            for command in &mut fewer {
                if let Some(root) = root_of(command) {
                    set_root(command, substitute(terms, root, &substitution));
                }
            }
            fewer.retain(|command| !declares(command, name));
            Some(fewer)
        });
        has_changed |= found.is_some();
        place += usize::from(found.is_none());
    }
    has_changed
}

fn declares(command: &Command, wanted: Symbol) -> bool {
    matches!(command, Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) if *name == wanted)
}

/// The constants that an assertion equates with something else.
fn solutions_at(terms: &Terms, commands: &[Command], place: usize) -> Vec<(Symbol, Term)> {
    let Command::Assert(root) = &commands[place] else { return Vec::new() };
    if terms.op(*root) != Some(Op::Eq) || terms.args(*root).len() != 2 {
        return Vec::new();
    }
    let (left, right) = (terms.args(*root)[0], terms.args(*root)[1]);
    let mut found = Vec::new();
    for (side, other) in [(left, right), (right, left)] {
        if let Head::Global(name) = terms.head(side)
            && terms.args(side).is_empty()
            && commands.iter().any(|command| declares(command, name))
            && !free_names(terms, other).contains(name)
        {
            found.push((name, other));
        }
    }
    found
}
