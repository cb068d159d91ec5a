//! A false step as a script of its own, which any solver can be asked about: the premises and the negated conclusion.

use rustc_hash::FxHashSet;
use smelt_smtlib::print::{script_text, term_text, write_symbol};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::substitute::{Substitution, substitute};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::free_names;

use super::tester::FalseStep;

/// A script that is satisfiable if and only if a step is false, over the declarations of the script whose proof it is
/// part of. With `pinned`, the values are asserted that make the step false.
pub fn standalone(terms: &mut Terms, script: &Script, step: &FalseStep, pinned: bool) -> String {
    let mut locals = Substitution::new();
    let mut declarations = String::new();
    for value in step.values.iter().filter(|value| value.is_local) {
        let constant = terms.constant(value.name, value.sort);
        locals.replace(value.name, constant);
        declarations.push_str("(declare-const ");
        write_symbol(terms.text(value.name), &mut declarations);
        declarations.push(' ');
        terms.sorts.write(&terms.symbols, value.sort, &mut declarations);
        declarations.push_str(")\n");
    }
    let premises: Vec<Term> =
        step.premises.iter().map(|premise| substitute(terms, *premise, &locals)).collect();
    let conclusion = substitute(terms, step.conclusion, &locals);
    let formulas: Vec<Term> = premises.iter().copied().chain([conclusion]).collect();
    let used = used_names(terms, script, &formulas);
    let mut kept = script.emptied();
    for command in &script.commands {
        if is_needed(command, &used) {
            kept.push(command.clone());
        }
    }
    let mut text = script_text(terms, &kept);
    text.push_str(&declarations);
    for premise in premises {
        text.push_str(&format!("(assert {})\n", term_text(terms, premise)));
    }
    text.push_str(&format!("(assert (not {}))\n", term_text(terms, conclusion)));
    if pinned {
        for value in &step.values {
            if let Some(printed) = &value.text
                && !printed.contains("smelt!val!")
            {
                text.push_str("(assert (= ");
                write_symbol(terms.text(value.name), &mut text);
                text.push_str(&format!(" {printed}))\n"));
            }
        }
    }
    text.push_str("(check-sat)\n");
    text
}

/// The names that some formulas use, those in definitions that they use included.
fn used_names(terms: &Terms, script: &Script, formulas: &[Term]) -> FxHashSet<Symbol> {
    let mut used = FxHashSet::default();
    let mut pending: Vec<Term> = formulas.to_vec();
    while let Some(formula) = pending.pop() {
        for name in free_names(terms, formula).globals {
            if used.insert(name) {
                let definitions = script.commands.iter().flat_map(Command::definitions);
                pending
                    .extend(definitions.filter(|definition| definition.name == name).map(|found| found.body));
            }
        }
    }
    used
}

/// Whether a command declares one of the names. Sorts and datatypes are always kept.
fn is_needed(command: &Command, used: &FxHashSet<Symbol>) -> bool {
    match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => used.contains(name),
        Command::DeclareDatatypes(_) | Command::DeclareSort(..) | Command::DefineSort(..) => true,
        other => other.definitions().iter().any(|definition| used.contains(&definition.name)),
    }
}
