//! Short names for the declared symbols of a script: constants become `x0`, `x1`, .., functions `f0`, `f1`, ..
//!
//! Sorts, datatypes with their constructors and selectors, labels of `:named` and bound variables keep their names. So
//! does every symbol that occurs in text that smelt carries through without understanding it, because there we could
//! not rename it.

use std::collections::{HashMap, HashSet};

use crate::print::script_text;
use crate::script::{Command, Script};
use crate::sexp::{Kind, Scanner, Tape};
use crate::substitute::{Substitution, substitute};
use crate::symbol::Symbol;
use crate::term::{AttributeValue, Head, Terms};
use crate::walk::subterms;

/// Renames the declared symbols of a script in the order of their declarations.
pub fn rename_declared(terms: &mut Terms, script: &mut Script) {
    let new_names = choose_names(terms, script);
    let mut substitution = Substitution::new();
    for (name, new_name) in &new_names {
        substitution.rename(*name, *new_name);
    }
    for position in 0..script.commands.len() {
        let mut command = script.commands[position].clone();
        for name in declared_names(&mut command) {
            *name = new_names.get(name).copied().unwrap_or(*name);
        }
        for term in command.terms_mut() {
            *term = substitute(terms, *term, &substitution);
        }
        if command != script.commands[position] {
            script.replace(position, command);
        }
    }
}

/// The new name of every symbol that gets one.
fn choose_names(terms: &mut Terms, script: &Script) -> HashMap<Symbol, Symbol> {
    let kept = names_in_opaque_text(terms, script);
    let mut order: Vec<(Symbol, &'static str)> = Vec::new();
    let mut renamed = HashSet::new();
    let mut params = HashSet::new();
    for command in &script.commands {
        for (name, stem) in declarations(command) {
            if !kept.contains(&name) && renamed.insert(name) {
                order.push((name, stem));
            }
        }
        for definition in command.definitions() {
            params.extend(definition.params.iter().map(|param| param.name));
        }
    }
    let text = script_text(terms, script);
    let used: HashSet<Symbol> = symbols_in(terms, &text).into_iter().collect();
    let mut next_number: HashMap<&str, u32> = HashMap::new();
    let mut chosen = Vec::new();
    for (name, stem) in order {
        let number = next_number.entry(stem).or_default();
        let new_name = loop {
            let candidate = format!("{stem}{number}");
            *number += 1;
            // A name that means something else anywhere in the script is not free. What other scripts in the arena call
            // something does not matter: the same script gets the same names whatever was read before.
            match terms.symbols.get(&candidate).filter(|symbol| used.contains(symbol)) {
                Some(symbol) if !renamed.contains(&symbol) || params.contains(&symbol) => {}
                _ => break candidate,
            }
        };
        chosen.push((name, new_name));
    }
    chosen.into_iter().map(|(name, new_name)| (name, terms.symbols.intern(&new_name))).collect()
}

const CONSTANT: &str = "x";
const FUNCTION: &str = "f";

/// The symbols that a command declares, with the stem of their new names.
fn declarations(command: &Command) -> Vec<(Symbol, &'static str)> {
    let stem = |is_constant| if is_constant { CONSTANT } else { FUNCTION };
    match command {
        Command::DeclareConst(name, _) => vec![(*name, CONSTANT)],
        Command::DeclareFun(name, params, _) => vec![(*name, stem(params.is_empty()))],
        _ => command
            .definitions()
            .iter()
            .map(|definition| (definition.name, stem(definition.params.is_empty())))
            .collect(),
    }
}

fn declared_names(command: &mut Command) -> Vec<&mut Symbol> {
    match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => vec![name],
        _ => command.definitions_mut().iter_mut().map(|definition| &mut definition.name).collect(),
    }
}

/// The symbols in commands, terms and attributes that are kept as text.
fn names_in_opaque_text(terms: &mut Terms, script: &Script) -> HashSet<Symbol> {
    let mut texts: HashSet<Symbol> = HashSet::new();
    let mut roots = Vec::new();
    for command in &script.commands {
        match command {
            Command::Opaque(text) => {
                texts.insert(*text);
            }
            Command::Extension(extension) => texts.extend(extension.texts()),
            _ => {}
        }
        roots.extend(command.terms());
    }
    for term in subterms(terms, &roots) {
        match terms.head(term) {
            Head::Opaque(text) => {
                texts.insert(text);
            }
            Head::Annotated(attributes) => {
                texts.extend(terms.attributes(attributes).iter().filter_map(
                    |attribute| match attribute.value {
                        AttributeValue::Text(text) => Some(text),
                        _ => None,
                    },
                ));
            }
            _ => {}
        }
    }
    let texts: Vec<String> = texts.into_iter().map(|text| terms.text(text).to_owned()).collect();
    texts.iter().flat_map(|text| symbols_in(terms, text)).collect()
}

/// The symbols that occur in a text.
fn symbols_in(terms: &mut Terms, text: &str) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut scanner = Scanner::new(text);
    let mut tape = Tape::new();
    while let Ok(true) = scanner.read(&mut tape) {
        for index in 0..tape.len() {
            let node = tape.node(index);
            let name = node.span.text(text);
            match node.kind {
                Kind::Symbol => symbols.push(terms.symbols.intern(name)),
                Kind::QuotedSymbol => symbols.push(terms.symbols.intern(name.trim_matches('|'))),
                _ => {}
            }
        }
    }
    symbols
}

#[cfg(test)]
mod tests {
    use crate::read::read_script;
    use expect_test::{Expect, expect};

    use super::*;

    fn check(source: &str, expect: Expect) {
        let mut terms = Terms::new();
        let mut script = read_script(&mut terms, source).script;
        rename_declared(&mut terms, &mut script);
        let text = script_text(&mut terms, &script);
        expect.assert_eq(&text);
        assert_eq!(
            read_script(&mut terms, &text).diagnostics.len(),
            read_script(&mut terms, source).diagnostics.len()
        );
    }

    #[test]
    fn constants_and_functions_get_short_names() {
        check(
            "(declare-const |a b| Int)(declare-fun g (Int) Int)(declare-fun c () Int)(assert (= (g |a b|) c))",
            expect![[r#"
                (declare-const x0 Int)
                (declare-fun f0 (Int) Int)
                (declare-fun x1 () Int)
                (assert (= (f0 x0) x1))
            "#]],
        );
    }

    #[test]
    fn names_may_change_places() {
        check(
            "(declare-const x1 Int)(declare-const x0 Int)(assert (< x1 x0))",
            expect![[r#"
                (declare-const x0 Int)
                (declare-const x1 Int)
                (assert (< x0 x1))
            "#]],
        );
    }

    #[test]
    fn names_do_not_depend_on_what_was_read_before() {
        let mut terms = Terms::new();
        read_script(&mut terms, "(declare-const x0 Int)(declare-const x1 Int)(assert (< x0 x1))");
        let mut script = read_script(&mut terms, "(declare-const a Int)(assert (< a 1))").script;
        rename_declared(&mut terms, &mut script);
        assert_eq!(script_text(&mut terms, &script), "(declare-const x0 Int)\n(assert (< x0 1))\n");
    }

    #[test]
    fn names_of_other_things_are_avoided() {
        check(
            "(declare-datatype x0 ((x1)))(declare-const a x0)(define-fun f ((x2 Int)) Bool (= a x1))",
            expect![[r#"
                (declare-datatypes ((x0 0)) (((x1))))
                (declare-const x3 x0)
                (define-fun f0 ((x2 Int)) Bool (= x3 x1))
            "#]],
        );
    }

    #[test]
    fn a_parameter_with_the_name_of_a_renamed_symbol_captures_nothing() {
        check(
            "(declare-const a Int)(declare-const x0 Int)(define-fun f ((x0 Int)) Int (+ a x0))",
            expect![[r#"
                (declare-const x1 Int)
                (declare-const x2 Int)
                (define-fun f0 ((x0 Int)) Int (+ x1 x0))
            "#]],
        );
    }

    #[test]
    fn symbols_in_the_terms_of_extensions_are_renamed() {
        check(
            "(declare-const a Int)(declare-const id Int)(minimize (+ a id))(assert-soft (> a 0) :id id)(eval a)",
            expect![[r#"
                (declare-const x0 Int)
                (declare-const id Int)
                (minimize (+ x0 id))
                (assert-soft (> x0 0) :id id)
                (eval x0)
            "#]],
        );
    }

    #[test]
    fn symbols_in_text_that_is_not_understood_keep_their_names() {
        check(
            "(declare-const a Int)(declare-const b Int)(help (+ a x0))(assert (< a b))",
            expect![[r#"
                (declare-const a Int)
                (declare-const x1 Int)
                (help (+ a x0))
                (assert (< a x1))
            "#]],
        );
    }
}
