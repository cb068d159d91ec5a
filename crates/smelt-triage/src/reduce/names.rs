//! Short names for everything that a script declares or binds.

use rustc_hash::{FxHashMap, FxHashSet};
use smelt_smtlib::print::write_symbol;
use smelt_smtlib::script::Command;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::search::{Portions, Reducer, commands_of};
use super::terms::root_of;
use super::tokens::words;

/// Gives constants, functions, sorts and variables names of one letter, as many as possible at once.
pub(super) fn shorten(reducer: &mut Reducer<'_>) -> bool {
    let text = reducer.text.clone();
    let all = words(&text);
    let mut taken: FxHashSet<&str> = all.iter().copied().collect();
    let letters: Vec<String> = ('a'..='z').map(String::from).collect();
    let numbered: Vec<String> = (0..1000).map(|number| format!("v{number}")).collect();
    let mut short_names = letters.iter().chain(&numbered);
    let mut renamed: Vec<(String, &str)> = Vec::new();
    for name in names_of(&reducer.terms, &reducer.commands) {
        let mut word = String::new();
        write_symbol(reducer.terms.text(name), &mut word);
        if word.len() <= 1 || renamed.iter().any(|(other, _)| *other == word) {
            continue;
        }
        let Some(short) = short_names.find(|short| !taken.contains(short.as_str())) else { break };
        if short.len() < word.len() {
            taken.insert(short);
            renamed.push((word, short));
        }
    }
    let weights = vec![1; renamed.len()];
    let dialect = reducer.dialect();
    let left = reducer.keep_fewest(Portions::Halving, &weights, &mut |terms, kept| {
        let chosen: FxHashMap<&str, &str> = renamed
            .iter()
            .zip(kept)
            .filter(|(_, is_kept)| !**is_kept)
            .map(|((word, short), _)| (word.as_str(), *short))
            .collect();
        let changed: String = all.iter().map(|word| chosen.get(word).copied().unwrap_or(word)).collect();
        commands_of(terms, &changed, dialect)
    });
    left.has_changed
}

/// What commands declare, define or bind.
fn names_of(terms: &Terms, commands: &[Command]) -> Vec<Symbol> {
    let mut found = Vec::new();
    for command in commands {
        match command {
            Command::DeclareConst(name, _)
            | Command::DeclareFun(name, ..)
            | Command::DeclareSort(name, _)
            | Command::DeclareSortParameter(name) => found.push(*name),
            Command::DefineSort(name, params, _) => {
                found.push(*name);
                found.extend(params);
            }
            Command::DefineConst(definition)
            | Command::DefineFun(definition)
            | Command::DefineFunRec(definition) => {
                found.push(definition.name);
                found.extend(definition.params.iter().map(|variable| variable.name));
            }
            Command::DefineFunsRec(definitions) => {
                found.extend(definitions.iter().map(|definition| definition.name));
            }
            Command::DeclareDatatypes(datatypes) => {
                for datatype in datatypes {
                    found.push(datatype.name);
                    for constructor in &datatype.constructors {
                        found.push(constructor.name);
                        found.extend(constructor.selectors.iter().map(|(name, _)| *name));
                    }
                }
            }
            _ => {}
        }
    }
    let roots: Vec<Term> = commands.iter().filter_map(root_of).collect();
    for term in subterms(terms, &roots) {
        for position in 0..terms.args(term).len() {
            found.extend(terms.bound_at(term, position).iter().map(|variable| variable.name));
        }
    }
    found
}
