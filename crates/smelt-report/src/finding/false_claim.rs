//! The evidence of a false claim, a step of a proof or a simplification: the claim, the values that make it false, and a
//! formula for other solvers.

use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_oracle::foreign_text::{markdown_block, markdown_code, markdown_text};
use smelt_oracle::guilty_step::GuiltyStep;

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
    text.push_str(&values_text(values, "It has no constants to choose values for."));
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

/// The step of the proof of a wrong `unsat` that is to blame.
pub(super) fn guilty_text(step: &GuiltyStep) -> String {
    let GuiltyStep { rule, line, premises, conclusion, values, script } = step;
    let mut text = format!(
        "\n## The guilty inference\n\nOf the proof that it prints, the first step that is false is that by {} on line \
         {line} (evaluated by smelt, independently of any solver). It concludes:\n\n{}",
        markdown_code(rule),
        markdown_block("smt2", conclusion)
    );
    if !premises.is_empty() {
        text.push_str(&format!("\nfrom:\n\n{}", markdown_block("smt2", &premises.join("\n"))));
    }
    text.push_str(&values_text(values, "The model above makes its premises true and its conclusion false."));
    text.push_str(&format!(
        "\nIt is right if and only if this formula is unsatisfiable:\n\n{}",
        markdown_block("smt2", script)
    ));
    text
}

/// The values that make a claim false, or what there is to say without.
fn values_text(values: &[String], otherwise: &str) -> String {
    if values.is_empty() {
        return format!("\n{otherwise}\n");
    }
    let lines: String = values.iter().map(|value| format!("- {}\n", markdown_code(value))).collect();
    format!("\nValues that make it false:\n\n{lines}")
}
