//! The driver with solvers that are no solvers.

use smelt_oracle::run::{Answer, Limit, Run};

use super::*;
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
    let mut confirmed = Confirmed {
        individual: Individual {
            number: 0,
            text: String::new(),
            complexity: 1,
            time: 1.0,
            coverage: 0,
            measured: Measured::default(),
        },
        target: (Answer::Timeout, 20.0),
        reference: None,
    };
    assert!(!confirmed.is_timeout());
    confirmed.reference = Some(("r".to_owned(), Answer::Sat, 0.1));
    assert!(confirmed.is_timeout());
    confirmed.target = (Answer::Sat, 3.0);
    assert!(!confirmed.is_timeout());
}

#[test]
fn statistics_are_asked_for_after_the_check() {
    let mut subject = Subject::read("(declare-const x String) (assert (= x \"a\")) (check-sat)");
    subject.script.push(Command::GetInfo(subject.terms.symbols.intern(":all-statistics")));
    let text = smelt_smtlib::print::script_text(&mut subject.terms, &subject.script);
    assert!(text.ends_with("(check-sat)\n(get-info :all-statistics)\n"), "{text}");
}
