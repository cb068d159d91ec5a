//! Functions and arrays as Yices prints them: `(= f @fun_1)` and a table for `@fun_1`, in any order.
//!
//! ```text
//! (function @fun_1
//!  (type (Array (_ BitVec 4) (_ BitVec 4)))
//!  (= (@fun_1 #b0001) #b0111)
//!  (default #b0001))
//! ```
//! They are turned into the definitions that other solvers print.

use std::collections::BTreeMap;

use smelt_smtlib::read::Scope;
use smelt_smtlib::sexp::{Kind, Tape};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::Terms;

/// The tables and names read so far.
#[derive(Debug, Default)]
pub(super) struct YicesFunctions<'t> {
    tables: BTreeMap<&'t str, Table<'t>>,
    /// Symbol and table.
    names: Vec<(&'t str, &'t str)>,
}

#[derive(Debug)]
struct Table<'t> {
    /// Arguments and value.
    rows: Vec<(Vec<&'t str>, &'t str)>,
    default: &'t str,
}

impl<'t> YicesFunctions<'t> {
    /// Takes an answer if it is a table or the name of one.
    pub(super) fn read(&mut self, tape: &Tape, text: &'t str) -> bool {
        let content = |index: u32| tape.node(index).span.text(text);
        let parts: Vec<u32> = tape.children(0).collect();
        match parts.as_slice() {
            [word, name, value] if content(*word) == "=" && content(*value).starts_with("@fun_") => {
                self.names.push((content(*name), content(*value)));
                true
            }
            [word, name, rest @ ..]
                if content(*word) == "function" && tape.node(*name).kind == Kind::Symbol =>
            {
                let mut table = Table { rows: Vec::new(), default: "" };
                for part in rest {
                    let items: Vec<u32> = tape.children(*part).collect();
                    match items.as_slice() {
                        [word, call, value] if content(*word) == "=" => {
                            let arguments = tape.children(*call).skip(1).map(content).collect();
                            table.rows.push((arguments, content(*value)));
                        }
                        [word, value] if content(*word) == "default" => table.default = content(*value),
                        _ => {}
                    }
                }
                self.tables.insert(content(*name), table);
                true
            }
            _ => false,
        }
    }

    /// The definitions of the symbols that have a table, as SMT-LIB text.
    pub(super) fn definitions(&self, terms: &Terms, scope: &Scope) -> Vec<String> {
        let definition = |(name, table): &(&'t str, &'t str)| {
            let table = self.tables.get(table).filter(|table| !table.default.is_empty())?;
            let symbol = terms.symbols.get(name.trim_matches('|'))?;
            let declaration = scope.declaration(symbol)?;
            if declaration.params.is_empty() {
                array_text(terms, name, declaration.result, table)
            } else {
                Some(function_text(terms, name, &declaration.params, declaration.result, table))
            }
        };
        self.names.iter().filter_map(definition).collect()
    }
}

fn sort_text(terms: &Terms, sort: Sort) -> String {
    let mut text = String::new();
    terms.sorts.write(&terms.symbols, sort, &mut text);
    text
}

fn array_text(terms: &Terms, name: &str, sort: Sort, table: &Table<'_>) -> Option<String> {
    matches!(terms.sorts.kind(sort), SortKind::Array(..)).then_some(())?;
    let sort = sort_text(terms, sort);
    let mut body = "(store ".repeat(table.rows.len());
    body.push_str(&format!("((as const {sort}) {})", table.default));
    for (arguments, value) in &table.rows {
        body.push_str(&format!(" {} {value})", arguments.join(" ")));
    }
    Some(format!("(define-fun {name} () {sort} {body})"))
}

fn function_text(terms: &Terms, name: &str, params: &[Sort], result: Sort, table: &Table<'_>) -> String {
    let params: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(number, sort)| format!("(y!{number} {})", sort_text(terms, *sort)))
        .collect();
    let mut body = String::new();
    for (arguments, value) in &table.rows {
        let tests: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(number, argument)| format!("(= y!{number} {argument})"))
            .collect();
        body.push_str(&format!("(ite (and {}) {value} ", tests.join(" ")));
    }
    body.push_str(table.default);
    body.push_str(&")".repeat(table.rows.len()));
    format!("(define-fun {name} ({}) {} {body})", params.join(" "), sort_text(terms, result))
}
