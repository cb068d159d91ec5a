//! What a script declares that can be applied: functions, constructors, selectors, testers and updaters.

use smelt_smtlib::script::{Command, Constructor, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Terms};

/// A symbol that can be applied.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub head: Head,
    pub params: Vec<Sort>,
    pub result: Sort,
}

/// In the order of the script all that can be applied, but for recursive functions, whose evaluation need not end, and
/// for what has parameters for sorts.
pub(super) fn declared_functions(terms: &mut Terms, script: &Script) -> Vec<Declared> {
    let mut found = Vec::new();
    for command in &script.commands {
        match command {
            Command::DeclareFun(name, params, result) if !params.is_empty() => {
                found.push(Declared { head: Head::Global(*name), params: params.clone(), result: *result });
            }
            Command::DefineFun(definition) if !definition.params.is_empty() => {
                let params = definition.params.iter().map(|param| param.sort).collect();
                found.push(Declared { head: Head::Global(definition.name), params, result: definition.sort });
            }
            Command::DeclareDatatypes(datatypes) => {
                for datatype in datatypes.iter().filter(|datatype| datatype.params.is_empty()) {
                    let sort = terms.sorts.intern(SortKind::Named(datatype.name, [].into()));
                    datatype
                        .constructors
                        .iter()
                        .for_each(|constructor| add_constructor(constructor, sort, &mut found));
                }
            }
            _ => {}
        }
    }
    found.retain(|declared| {
        declared.params.iter().chain([&declared.result]).all(|sort| is_usual(terms, *sort))
    });
    found
}

fn add_constructor(constructor: &Constructor, sort: Sort, found: &mut Vec<Declared>) {
    let fields: Vec<Sort> = constructor.selectors.iter().map(|(_, field)| *field).collect();
    let mut add = |head: Head, params: Vec<Sort>, result: Sort| found.push(Declared { head, params, result });
    add(Head::Global(constructor.name), fields, sort);
    add(Head::Tester(constructor.name), vec![sort], Sort::BOOL);
    for &(selector, field) in &constructor.selectors {
        let selector: Symbol = selector;
        add(Head::Global(selector), vec![sort], field);
        add(Head::Updater(selector), vec![sort, field], sort);
    }
}

/// Whether terms of a sort can be put anywhere.
fn is_usual(terms: &Terms, sort: Sort) -> bool {
    !terms.sorts.any_part(sort, |kind| {
        matches!(kind, SortKind::Unknown | SortKind::Arrow(_) | SortKind::Param(_) | SortKind::RegLan)
    })
}
