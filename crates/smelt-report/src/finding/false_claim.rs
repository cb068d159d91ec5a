//! The evidence of a false claim, a step of a proof or a simplification: the claim, the values that make it false, and a
//! formula for other solvers.

use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::foreign_text::{markdown_block, markdown_code, markdown_text};

pub(super) fn text(verdict: &Verdict) -> String {
    let Evidence::FalseClaim { rule, line, conclusion, values, script, confirmed_by } = &verdict.evidence
    else {
        return String::new();
    };
    let claim = match verdict.class {
        Class::InvalidSimplification => {
            format!("The result of {} does not have the value of the term", markdown_code(rule))
        }
        _ => format!("The step by {} on line {line} of its proof is false", markdown_code(rule)),
    };
    let mut text = format!(
        "{claim} (evaluated by smelt, independently of any solver). The claim:\n\n{}",
        markdown_block("smt2", conclusion)
    );
    if values.is_empty() {
        text.push_str("\nIt has no constants to choose values for.\n");
    } else {
        text.push_str("\nValues that make it false:\n\n");
        for value in values {
            text.push_str(&format!("- {}\n", markdown_code(value)));
        }
    }
    text.push_str(&format!(
        "\nIt holds if and only if this formula is unsatisfiable:\n\n{}",
        markdown_block("smt2", script)
    ));
    if !confirmed_by.is_empty() {
        let solvers = markdown_text(&confirmed_by.join(", "));
        text.push_str(&format!("\n`sat` with these values asserted: {solvers}.\n"));
    }
    text
}
