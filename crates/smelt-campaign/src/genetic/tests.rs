//! The driver with solvers that are no solvers.

use smelt_oracle::run::{Answer, Limit, Run};

use super::*;
use crate::configure::values::TraceSource;
use crate::slowdown::measure::tests::run;

#[test]
fn times_end_at_the_limit_and_the_clock_says_nothing() {
    assert_eq!(answer_within(&run(Answer::Sat, 900.0), 1.0), Answer::Sat);
    assert_eq!(answer_within(&run(Answer::Sat, 1100.0), 1.0), Answer::Timeout);
    assert_eq!(answer_within(&run(Answer::Timeout, 990.0), 1.0), Answer::Timeout);
    let cut = Run { limit: Some(Limit::Wall), ..run(Answer::Timeout, 200.0) };
    assert_eq!(answer_within(&cut, 1.0), Answer::Error);
    assert_eq!(answer_within(&run(Answer::Crash, 1100.0), 1.0), Answer::Crash);
}

#[test]
fn only_what_a_reference_decides_is_a_confirmed_timeout() {
    let mut rerun = Rerun { number: 0, target: (Answer::Timeout, 20.0), reference: None };
    assert!(!rerun.is_timeout());
    rerun.reference = Some(("r".to_owned(), Answer::Sat, 0.1));
    assert!(rerun.is_timeout());
    rerun.target = (Answer::Sat, 3.0);
    assert!(!rerun.is_timeout());
}

fn about() -> GeneticRecord {
    GeneticRecord {
        given: vec!["r".to_owned(), "t".to_owned()],
        solvers: Vec::new(),
        variant: "default".to_owned(),
        population: 3,
        random_seed: 7,
        timeout_secs: 1.0,
        confirm_secs: 2.0,
        coverage: Provider::Gcov { folder: "build".into() }.text(),
        traces: TraceSource::Solver,
    }
}

/// What running a formula is said to have shown.
fn measured(candidate: &Candidate) -> Measured {
    let mut covered = Covered::default();
    covered.files.entry("a".to_owned()).or_default().insert(candidate.number, 1);
    let trace = Trace::of_lines(candidate.text.lines().map(str::as_bytes));
    let target_secs = candidate.text.len() as f64 / 1e3;
    Measured { target_secs, reference_secs: 0.0, covered, trace }
}

#[test]
fn an_evolution_that_is_read_again_continues_with_the_same_formulas() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { population: 3, ..Settings::default() };
    let mut evolution = Evolution::new(settings.clone(), 7);
    for _ in 0..5 {
        let candidate = evolution.ask().unwrap();
        evolution.tell(candidate.number, measured(&candidate));
    }
    // One is being run when the process is killed.
    evolution.ask().unwrap();
    let state = State {
        format: FORMAT,
        about: about(),
        search: evolution.snapshot(),
        reruns: vec![Rerun { number: 1, target: (Answer::Timeout, 2.0), reference: None }],
        crashes: vec!["(check-sat)".to_owned()],
        disagreements: Vec::new(),
        elapsed_secs: 3.0,
    };
    assert!(!State::exists(folder.path()));
    state.write(folder.path()).unwrap();
    let read = State::read(folder.path()).unwrap();
    assert_eq!(read, state);
    let mut again = Evolution::resume(settings.clone(), 7, read.search);
    let mut whole = Evolution::new(settings, 7);
    for _ in 0..5 {
        let candidate = whole.ask().unwrap();
        whole.tell(candidate.number, measured(&candidate));
    }
    for _ in 0..12 {
        let candidate = again.ask().unwrap();
        assert_eq!(whole.ask().unwrap(), candidate);
        again.tell(candidate.number, measured(&candidate));
        whole.tell(candidate.number, measured(&candidate));
    }
    assert_eq!(again.history(), whole.history());
    assert_eq!(again.front(), whole.front());
}

#[test]
fn a_file_that_is_not_an_evolution_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    assert!(State::read(folder.path()).unwrap_err().to_string().contains("cannot read"));
    std::fs::write(folder.path().join(state::FILE), "{}").unwrap();
    assert!(State::read(folder.path()).unwrap_err().to_string().contains("cannot use"));
}

#[test]
fn statistics_are_asked_for_after_the_check() {
    let mut subject = Subject::read("(declare-const x String) (assert (= x \"a\")) (check-sat)");
    subject.script.push(Command::GetInfo(subject.terms.symbols.intern(":all-statistics")));
    let text = smelt_smtlib::print::script_text(&mut subject.terms, &subject.script);
    assert!(text.ends_with("(check-sat)\n(get-info :all-statistics)\n"), "{text}");
}
