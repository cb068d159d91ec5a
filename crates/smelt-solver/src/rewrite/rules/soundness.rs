//! Every rewrite rule keeps the value of every term, on all small inputs; the evaluator is the judge.

use smelt_proof::rewrite::Identities;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::{EvalResult, Evaluator};
use smelt_semantics::model::Model;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_command, read_term};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::free_names;

use super::RULES;
use crate::rewrite::Rewriter;

const EXAMPLES: &str = include_str!("../../../testdata/rules.txt");

const DECLARATIONS: &[(&str, &str)] = &[
    ("x", "String"),
    ("y", "String"),
    ("z", "String"),
    ("i", "Int"),
    ("j", "Int"),
    ("p", "Bool"),
    ("q", "Bool"),
    ("r", "Bool"),
];

struct Example<'t> {
    rule: &'t str,
    must_fire: bool,
    term: &'t str,
}

fn examples() -> Vec<Example<'static>> {
    let lines = EXAMPLES.lines().filter(|line| !line.starts_with(';') && !line.trim().is_empty());
    lines
        .map(|line| {
            let (head, term) = line.split_once(": ").unwrap_or_else(|| panic!("no rule in {line}"));
            let (must_fire, rule) = head.strip_prefix('!').map_or((true, head), |rule| (false, rule));
            Example { rule, must_fire, term }
        })
        .collect()
}

fn declared(terms: &mut Terms) -> Scope {
    let mut scope = Scope::new();
    for (name, sort) in DECLARATIONS {
        let text = format!("(declare-const {name} {sort})");
        let mut tape = Tape::new();
        Scanner::new(&text).read(&mut tape).unwrap();
        read_command(terms, &mut scope, &text, &tape, Dialect::V26).unwrap();
    }
    scope
}

/// All words over a and b up to some length, and some others.
fn strings(max_len: usize) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut layer = words.clone();
    for _ in 0..max_len {
        layer = layer.iter().flat_map(|word| [format!("{word}a"), format!("{word}b")]).collect();
        words.extend(layer.iter().cloned());
    }
    words.extend(["7".to_owned(), "01".to_owned(), "\\u{1f600}".to_owned(), "c".to_owned()]);
    words.iter().map(|word| format!("\"{word}\"")).collect()
}

/// The values that a variable takes, as literals.
fn values(sort: &str, string_count: usize) -> Vec<String> {
    match sort {
        "Bool" => vec!["true".to_owned(), "false".to_owned()],
        "Int" => (-2..=4)
            .map(|value: i32| if value < 0 { format!("(- {})", -value) } else { value.to_string() })
            .collect(),
        _ => strings(if string_count > 2 { 2 } else { 3 }),
    }
}

fn evaluate(terms: &Terms, model: &Model, term: Term) -> EvalResult {
    Evaluator::new(terms, &Environment::default(), model).eval(term)
}

/// Compares two terms under all small assignments of the variables of the first.
fn assert_equal_everywhere(terms: &mut Terms, scope: &mut Scope, before: Term, after: Term, what: &str) {
    let names = free_names(terms, before).globals;
    let free_after = free_names(terms, after).globals;
    assert!(free_after.is_subset(&names), "{what}: a variable appears from nowhere");
    let used: Vec<&(&str, &str)> = DECLARATIONS
        .iter()
        .filter(|(name, _)| terms.symbols.get(name).is_some_and(|symbol| names.contains(&symbol)))
        .collect();
    let string_count = used.iter().filter(|(_, sort)| *sort == "String").count();
    let domains: Vec<(Symbol, Vec<Term>)> = used
        .iter()
        .map(|(name, sort)| {
            let literals = values(sort, string_count);
            let terms_of_values =
                literals.iter().map(|text| read_term(terms, scope, text, Dialect::V26).unwrap()).collect();
            (terms.symbols.get(name).unwrap(), terms_of_values)
        })
        .collect();
    let total: usize = domains.iter().map(|(_, domain)| domain.len()).product();
    for number in 0..total {
        let mut model = Model::new();
        let mut rest = number;
        for (name, domain) in &domains {
            model.set(terms, *name, domain[rest % domain.len()]);
            rest /= domain.len();
        }
        let (expected, found) = (evaluate(terms, &model, before), evaluate(terms, &model, after));
        if expected != found {
            let after = smelt_smtlib::print::term_text(terms, after);
            let values: Vec<String> = domains
                .iter()
                .map(|(name, _)| {
                    let value = model.definition(*name).unwrap().body;
                    format!(
                        "{} = {}",
                        terms.text(*name).to_owned(),
                        smelt_smtlib::print::term_text(terms, value)
                    )
                })
                .collect();
            panic!("{what} became {after}: {expected:?} and {found:?} for {}", values.join(", "));
        }
    }
}

#[test]
fn every_rule_keeps_the_value_of_its_examples() {
    let mut terms = Terms::new();
    let mut scope = declared(&mut terms);
    let mut wrong = Vec::new();
    for example in examples() {
        let before = read_term(&mut terms, &mut scope, example.term, Dialect::V26)
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", example.term));
        let mut rewriter = Rewriter::new();
        let after = rewriter.rewrite(&mut terms, before);
        let has_fired = rewriter.count(example.rule) > 0;
        if has_fired != example.must_fire {
            let after = smelt_smtlib::print::term_text(&mut terms, after);
            wrong.push(format!("{}: {} became {after}", example.rule, example.term));
        }
        assert_equal_everywhere(&mut terms, &mut scope, before, after, example.term);
    }
    assert!(wrong.is_empty(), "rules that fired or did not fire:\n{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_an_example() {
    let examples = examples();
    for rule in RULES {
        assert!(
            examples.iter().any(|example| example.rule == rule.id && example.must_fire),
            "rule {} has no example",
            rule.id
        );
    }
    for example in &examples {
        assert!(Rewriter::has_rule(example.rule), "there is no rule {}", example.rule);
    }
}

#[test]
fn rules_have_names_of_their_own() {
    let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}

#[test]
fn a_rule_that_is_switched_off_does_not_fire() {
    let mut terms = Terms::new();
    let mut scope = declared(&mut terms);
    for example in examples().iter().filter(|example| example.must_fire) {
        let before = read_term(&mut terms, &mut scope, example.term, Dialect::V26).unwrap();
        let mut rewriter = Rewriter::without(&[example.rule.to_owned()]);
        let after = rewriter.rewrite(&mut terms, before);
        assert_eq!(rewriter.count(example.rule), 0);
        if example.rule.starts_with("sum") || example.rule.starts_with("concat") {
            // Other rules build on these; their normal forms are the ones most worth doing without.
            assert_equal_everywhere(&mut terms, &mut scope, before, after, example.term);
        }
    }
}

/// Rules with an example that the identities of the proof checker do not verify: their steps are trusted.
const TRUSTED: &[&str] = &["length-of-substr", "substr-nested", "in-re-of-itself"];

#[test]
fn the_proof_checker_verifies_the_rules_without_knowing_them() {
    let mut terms = Terms::new();
    let mut scope = declared(&mut terms);
    let mut identities = Identities::default();
    let mut trusted = Vec::new();
    for example in examples().iter().filter(|example| example.must_fire) {
        let before = read_term(&mut terms, &mut scope, example.term, Dialect::V26).unwrap();
        let after = Rewriter::new().rewrite(&mut terms, before);
        if !identities.are_equal(&mut terms, before, after) {
            trusted.push(example.rule);
        }
    }
    trusted.dedup();
    assert_eq!(trusted, TRUSTED);
}
