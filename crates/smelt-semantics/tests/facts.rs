//! The facts of `testdata/facts` hold: the contract of the semantics, written independently of it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::value::Value;
use smelt_smtlib::op::{Dialect, Op, Theory};
use smelt_smtlib::read::{Scope, read_command, read_term};
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::term::Terms;
use smelt_smtlib::walk::subterms;

/// Files whose facts hold in every model but need not have a value: quantifiers over infinite sorts, free symbols.
const MAY_BE_UNKNOWN: [&str; 2] = ["quantified.txt", "uninterpreted.txt"];

/// Operators that have no meaning in a model: the heap is not in it, and nothing but a model says how large a sort is.
const WITHOUT_MEANING: [Theory; 2] = [Theory::Separation, Theory::Cardinality];

/// Facts that hold whatever value is chosen where the standard leaves one open. We know no value, so we cannot tell.
const MAX_UNKNOWN_ELSEWHERE: usize = 21;

struct Facts {
    terms: Terms,
    failures: Vec<String>,
    unknown: Vec<String>,
    operators: BTreeSet<Op>,
    count: usize,
}

fn check_all() -> Facts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/facts");
    let mut facts = Facts {
        terms: Terms::new(),
        failures: Vec::new(),
        unknown: Vec::new(),
        operators: BTreeSet::new(),
        count: 0,
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        check_file(&mut facts, &name, &std::fs::read_to_string(&file).unwrap());
    }
    facts
}

fn check_file(facts: &mut Facts, name: &str, text: &str) {
    let mut scope = Scope::new();
    let mut commands = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}: {line}", number + 1);
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        if let Some(command) = line.strip_prefix('!') {
            let mut tape = Tape::new();
            Scanner::new(command).read(&mut tape).unwrap();
            match read_command(&mut facts.terms, &mut scope, command, &tape, Dialect::V26) {
                Ok(command) => commands.push(command),
                Err(problems) => facts.failures.push(format!("{place}\n  {}", problems[0].message)),
            }
            continue;
        }
        facts.count += 1;
        let term = match read_term(&mut facts.terms, &mut scope, line, Dialect::V26) {
            Ok(term) => term,
            Err(problems) => {
                facts.failures.push(format!("{place}\n  {}", problems[0].message));
                continue;
            }
        };
        facts.operators.extend(
            subterms(&facts.terms, &[term]).into_iter().filter_map(|subterm| facts.terms.op(subterm)),
        );
        let environment = Environment::of(&facts.terms, &commands);
        let model = Model::new();
        match Evaluator::new(&facts.terms, &environment, &model).eval(term) {
            Ok(Value::Bool(true)) => {}
            Ok(value) => facts.failures.push(format!("{place}\n  evaluates to {value:?}")),
            Err(unknown) => {
                let reason = unknown.describe(&facts.terms);
                if !MAY_BE_UNKNOWN.contains(&name) {
                    facts.unknown.push(format!("{place}\n  {reason}"));
                }
            }
        }
    }
}

#[test]
fn every_fact_holds_and_every_operator_has_one() {
    let facts = check_all();
    assert!(facts.failures.is_empty(), "{} facts fail:\n{}", facts.failures.len(), facts.failures.join("\n"));
    assert!(facts.count >= 2_200, "only {} facts", facts.count);
    assert!(
        facts.unknown.len() <= MAX_UNKNOWN_ELSEWHERE,
        "{} facts are unknown:\n{}",
        facts.unknown.len(),
        facts.unknown.join("\n")
    );
    let without: Vec<&str> = Op::all()
        .filter(|op| {
            op.info().theory != Theory::Transcendentals && !WITHOUT_MEANING.contains(&op.info().theory)
        })
        .filter(|op| !facts.operators.contains(op))
        .map(|op| op.info().name)
        .collect();
    assert!(without.is_empty(), "operators without a fact: {without:?}");
}
