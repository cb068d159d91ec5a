//! Studies are written, read again, and go on.

use std::time::Duration;

use smelt_oracle::evaluated::ModelWord;
use smelt_oracle::finding::Class;
use smelt_oracle::run::Answer;

use super::*;

fn configuration() -> StudyConfiguration {
    StudyConfiguration {
        formulas: 2,
        random_seed: 7,
        max_size: 12,
        variables: 2,
        asserts: 1,
        timeout_secs: 0.5,
        reference_timeout_secs: 2.0,
        mode: "warm".to_owned(),
        references: vec!["z3".to_owned()],
    }
}

fn solver(name: &str, is_release: bool) -> SolverRecord {
    SolverRecord {
        id: 0,
        name: name.to_owned(),
        given: name.to_owned(),
        family: "z3".to_owned(),
        version: None,
        fingerprint: "f".to_owned(),
        is_release,
        is_reference: !is_release,
    }
}

fn row(formula: u32, answer: Answer) -> RunRow {
    RunRow {
        theory: 1,
        role: Role::Release,
        solver: 1,
        formula,
        answer,
        limit: None,
        model: Some(ModelWord::Refuted),
        cpu: Duration::from_micros(1500),
        wall: Duration::from_micros(2500),
        output: Some("()".to_owned()),
        class: Some(Class::InvalidModel),
        note: Some("why".to_owned()),
    }
}

#[test]
fn what_is_recorded_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let formula = FormulaRecord { grammar_index: "10".to_owned(), size: 4, script: "(check-sat)".to_owned() };
    {
        let mut store = StudyStore::open(folder.path()).unwrap();
        assert_eq!(store.configuration().unwrap(), None);
        store.begin(&configuration()).unwrap();
        store.add_theory("ints", std::slice::from_ref(&formula)).unwrap();
        assert_eq!(store.add_solver(&solver("z3", true)).unwrap(), 1);
        store.record(&[row(0, Answer::Sat), row(3, Answer::Crash)]).unwrap();
    }
    let mut store = StudyStore::open(folder.path()).unwrap();
    assert_eq!(store.configuration().unwrap(), Some(configuration()));
    let theory = TheoryRecord { id: 1, name: "ints".to_owned(), formulas: vec![formula] };
    assert_eq!(store.theories().unwrap(), [theory]);
    assert_eq!(store.runs(1).unwrap(), [row(0, Answer::Sat), row(3, Answer::Crash)]);
    assert_eq!(store.done(1, Role::Release, 1).unwrap(), [0, 3].into());
    assert!(store.done(1, Role::Again, 1).unwrap().is_empty());
    assert_eq!(store.add_solver(&solver("z3", false)).unwrap(), 1);
    let solvers = store.solvers().unwrap();
    assert!(solvers.len() == 1 && solvers[0].is_release && solvers[0].is_reference);
}

#[test]
fn a_theory_is_added_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = StudyStore::open(folder.path()).unwrap();
    store.add_theory("ints", &[]).unwrap();
    assert!(store.add_theory("ints", &[]).is_err());
}

#[test]
fn differences_name_the_options() {
    let other = StudyConfiguration { timeout_secs: 1.0, ..configuration() };
    assert_eq!(configuration().differences(&other), ["--timeout was 0.5 and is 1"]);
    assert!(configuration().differences(&configuration()).is_empty());
}

#[test]
fn smaller_timeouts_are_powers_of_two_below_the_largest() {
    let timeouts = |timeout_secs| StudyConfiguration { timeout_secs, ..configuration() }.timeouts();
    assert_eq!(timeouts(0.125), [1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 0.125]);
    assert_eq!(timeouts(0.04), [1.0 / 64.0, 1.0 / 32.0, 0.04]);
    assert_eq!(timeouts(0.01), [0.01]);
}
