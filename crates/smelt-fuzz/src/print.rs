//! Printing and rewriting: what is read without problems prints to a text that reads as the same commands, and
//! sharing, expanding, substituting and renaming neither panic nor change what they must not.

use smelt_smtlib::canonical::canonical;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::{Layout, Printer, script_text, term_text};
use smelt_smtlib::read::{Reading, read_script, read_script_as};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::share::share;
use smelt_smtlib::substitute::{Substitution, expand_lets, replace_at, substitute};
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::{
    free_names, occurrences, polarity_at, subterm_at, subterms, tree_size, variables_at,
};

/// Terms that are larger than this as a tree are not printed flat.
const MAX_FLAT: u64 = 10_000;
/// Occurrences that are looked at in each assertion.
const MAX_OCCURRENCES: usize = 20;

/// Reads a text, prints it and reads it back.
pub fn check(source: &str) {
    check_script(source);
    check_script(&crate::well_formed_part(source));
}

fn check_script(source: &str) {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, source);
    let is_well_formed = reading.diagnostics.is_empty();
    if is_well_formed {
        check_same_dialect(&mut terms, &reading);
        check_other_dialect(&mut terms, &reading);
    }
    for assertion in reading.script.assertions() {
        let preserves = check_rewriting(&mut terms, assertion);
        assert!(preserves || !is_well_formed, "changed: {}", term_text(&mut terms, assertion));
    }
}

fn check_same_dialect(terms: &mut Terms, reading: &Reading) {
    check_reads_back(terms, &reading.script);
    let mut shared = reading.script.clone();
    for position in 0..shared.commands.len() {
        if let Command::Assert(assertion) = shared.commands[position] {
            shared.replace(position, Command::Assert(share(terms, assertion)));
        }
    }
    check_reads_back(terms, &shared);
}

fn check_reads_back(terms: &mut Terms, script: &Script) {
    let text = script_text(terms, script);
    let again = read_script_as(terms, &text, script.dialect);
    assert_eq!(again.diagnostics, [], "in {text}");
    assert_eq!(again.script.commands, script.commands, "through {text}");
}

/// The other dialect may spell literals differently, so only the second round must be the identity.
fn check_other_dialect(terms: &mut Terms, reading: &Reading) {
    let dialect = match reading.script.dialect {
        Dialect::V26 => Dialect::V25,
        Dialect::V25 => Dialect::V26,
    };
    // A declared symbol may have the name that an operator has in the other dialect.
    let is_operator = |name: &str| !smelt_smtlib::op::Op::named(name).is_empty();
    if reading.scope.declarations().any(|declaration| is_operator(terms.text(declaration.name))) {
        return;
    }
    let first = printed(terms, &reading.script, dialect);
    let again = read_script_as(terms, &first, dialect);
    assert_eq!(again.diagnostics, [], "in {first}");
    let second = printed(terms, &again.script, dialect);
    assert_eq!(first, second);
}

fn printed(terms: &mut Terms, script: &Script, dialect: Dialect) -> String {
    let mut printer = Printer::new(terms, dialect, Layout::Shared);
    printer.script(script);
    printer.finish()
}

/// Rewrites in every way; false if something changed that must not, which ill-formed terms may.
fn check_rewriting(terms: &mut Terms, assertion: Term) -> bool {
    let expanded = expand_lets(terms, assertion);
    let shared = share(terms, assertion);
    let expanded_again = expand_lets(terms, shared);
    let forms = [expanded, expanded_again].map(|term| canonical(terms, &[term], |_, _| false));
    if tree_size(terms, expanded) < MAX_FLAT {
        let mut printer = Printer::new(terms, Dialect::V26, Layout::Flat);
        printer.term(expanded);
        printer.finish();
    }
    for occurrence in occurrences(terms, assertion, MAX_OCCURRENCES) {
        assert_eq!(subterm_at(terms, assertion, &occurrence.path), Some(occurrence.term));
        assert_eq!(polarity_at(terms, assertion, &occurrence.path), occurrence.polarity);
        variables_at(terms, assertion, &occurrence.path);
        let replaced = replace_at(terms, assertion, &occurrence.path, occurrence.term);
        assert!(replaced.is_some(), "the path exists");
    }
    forms[0] == forms[1] && substitutes_itself(terms, assertion)
}

/// Replacing a constant by itself changes nothing but the names of binders that bind the same name.
fn substitutes_itself(terms: &mut Terms, assertion: Term) -> bool {
    let names = free_names(terms, assertion);
    let mut substitution = Substitution::new();
    let all = subterms(terms, &[assertion]);
    let heads: Vec<Head> = all.iter().map(|term| terms.head(*term)).collect();
    for term in all {
        // A qualified constant would become one that is not.
        if let Head::Global(name) = terms.head(term)
            && terms.args(term).is_empty()
            && !heads.contains(&Head::Qualified(name))
        {
            substitution.replace(name, term);
        }
    }
    let replaced = substitute(terms, assertion, &substitution);
    let forms = [assertion, replaced].map(|term| canonical(terms, &[term], |_, _| false));
    names.locals.is_empty() && forms[0] == forms[1]
}
