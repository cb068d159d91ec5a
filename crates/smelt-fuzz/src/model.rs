//! Models that solvers print: reading one never fails on balanced text, and what it says of an assertion is never taken
//! back with more effort.

use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::model::{self, Evaluation, Model};
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script;
use smelt_smtlib::sexp::{Scanner, Tape};
use smelt_smtlib::term::Terms;

const SMALL_BUDGET: u64 = 1 << 14;
const LARGE_BUDGET: u64 = 1 << 18;

/// Reads a script and the model after it in both dialects, and checks the one against the other.
pub fn check(input: &str) {
    let [script, text] = crate::parts(input);
    for dialect in [Dialect::V26, Dialect::V25] {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, script);
        let model = match Model::parse(&mut terms, &reading.scope, text, dialect) {
            Ok(model) => model,
            Err(problems) => {
                assert!(!problems.is_empty(), "a refusal says why");
                assert!(!is_balanced(text) || !text.contains('('), "balanced text is read: {problems:?}");
                continue;
            }
        };
        let environment = Environment::at_last_check(&terms, &reading.script);
        let small = model::check(&terms, &environment, &model, Budget::new(SMALL_BUDGET));
        let large = model::check(&terms, &environment, &model, Budget::new(LARGE_BUDGET));
        assert_eq!(small.len(), environment.assertions.len(), "every assertion has a evaluation");
        for (small, large) in small.iter().zip(&large) {
            let is_decided = |evaluation: &Evaluation| !matches!(evaluation, Evaluation::Unknown(_));
            assert!(!is_decided(small) || small == large, "{small:?} becomes {large:?}");
        }
    }
}

fn is_balanced(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    let mut tape = Tape::new();
    loop {
        match scanner.read(&mut tape) {
            Ok(true) => {}
            Ok(false) => return true,
            Err(_) => return false,
        }
    }
}
