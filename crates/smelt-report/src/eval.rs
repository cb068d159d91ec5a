//! What a model says of a formula: one line of JSON.

use serde::Serialize;
use smelt_oracle::model_report::{FormulaValue, ModelReport};

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct EvalLine {
    file: String,
    result: &'static str,
    assertions: Vec<&'static str>,
    /// Why assertions are unknown, or what is wrong with the input.
    reasons: Vec<String>,
    /// Symbols that evaluation came across and that the model gives no value.
    missing: Vec<String>,
    /// Whether these have default values.
    completed: bool,
}

impl EvalLine {
    /// A formula that was evaluated.
    pub fn of(file: String, report: ModelReport) -> EvalLine {
        EvalLine {
            file,
            result: report.value.word(),
            assertions: report.assertions,
            reasons: report.reasons,
            missing: report.missing,
            completed: report.is_completed,
        }
    }

    /// A formula that cannot be read, or whose model cannot be, has an unknown value, too.
    pub fn unknown(file: String, reasons: Vec<String>) -> EvalLine {
        let result = FormulaValue::Unknown.word();
        EvalLine { file, result, assertions: Vec::new(), reasons, missing: Vec::new(), completed: false }
    }
}
