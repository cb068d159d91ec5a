//! Short names for declared constants and functions.

use rustc_hash::FxHashSet;
use smelt_smtlib::script::{Command, Definition};
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};

use super::{Growth, Reducer};

/// Gives declared constants and functions names of one letter, all at once.
pub(super) fn shorten(reducer: &mut Reducer<'_>) -> bool {
    let declared: Vec<Symbol> = reducer.commands.iter().filter_map(declared_name).collect();
    let mut taken: FxHashSet<String> = reducer
        .text
        .split(|letter: char| letter.is_whitespace() || "()".contains(letter))
        .map(str::to_owned)
        .collect();
    let mut renaming = Substitution::new();
    let mut is_needed = false;
    let mut names = ('a'..='z').map(String::from).chain((0..).map(|number: u32| format!("v{number}")));
    let mut renamed = Vec::new();
    for name in declared {
        let text = reducer.terms.text(name).to_owned();
        if text.len() <= 1 {
            continue;
        }
        let Some(short) = names.find(|short| !taken.contains(short)) else { break };
        if short.len() >= text.len() {
            continue;
        }
        taken.insert(short.clone());
        let symbol = reducer.terms.symbols.intern(&short);
        renaming.rename(name, symbol);
        renamed.push((name, symbol));
        is_needed = true;
    }
    if !is_needed {
        return false;
    }
    let new_name = |name: Symbol| renamed.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| *new);
    let mut commands = reducer.commands.clone();
    for command in &mut commands {
        rename(&mut reducer.terms, command, &renaming, &new_name);
    }
    reducer.attempt(commands, Growth::None)
}

fn declared_name(command: &Command) -> Option<Symbol> {
    match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => Some(*name),
        Command::DefineConst(definition) | Command::DefineFun(definition) => Some(definition.name),
        _ => None,
    }
}

fn rename(
    terms: &mut Terms,
    command: &mut Command,
    renaming: &Substitution,
    new_name: &dyn Fn(Symbol) -> Symbol,
) {
    let renamed = |terms: &mut Terms, term: &mut Term| *term = substitute(terms, *term, renaming);
    let rename_definition = |terms: &mut Terms, definition: &mut Definition| {
        definition.name = new_name(definition.name);
        renamed(terms, &mut definition.body);
    };
    match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => *name = new_name(*name),
        Command::Assert(term) => renamed(terms, term),
        Command::CheckSatAssuming(all) | Command::GetValue(all) => {
            all.iter_mut().for_each(|term| renamed(terms, term));
        }
        Command::DefineConst(definition)
        | Command::DefineFun(definition)
        | Command::DefineFunRec(definition) => rename_definition(terms, definition),
        Command::DefineFunsRec(definitions) => {
            definitions.iter_mut().for_each(|definition| rename_definition(terms, definition));
        }
        _ => {}
    }
}
