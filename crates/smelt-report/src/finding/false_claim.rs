//! The evidence of a false claim, a step of a proof or a simplification: the claim, the values that make it false, and a
//! formula for other solvers.

use smelt_oracle::finding::{ABDUCT_AGREES, Class, Evidence, Verdict};
use smelt_oracle::foreign_text::{markdown_block, markdown_code, markdown_text};
use smelt_oracle::guilty_step::GuiltyStep;

pub(super) fn text(verdict: &Verdict) -> String {
    let Evidence::FalseClaim { rule, line, conclusion, values, script, confirmed_by } = &verdict.evidence
    else {
        return String::new();
    };
    let is_derived =
        matches!(verdict.class, Class::InvalidInterpolant | Class::InvalidElimination | Class::InvalidAbduct);
    // Other claims about derived formulas always have constants to choose values for.
    let is_evaluated = !is_derived || !values.is_empty();
    let claim = match verdict.class {
        Class::InvalidSimplification => {
            format!("The result of {} does not have the value of the term", markdown_code(rule))
        }
        _ if is_derived => {
            format!("Of the formula that it prints it must hold that {}; it does not", markdown_text(rule))
        }
        _ => format!("The step by {} on line {line} of its proof is false", markdown_code(rule)),
    };
    let mut text = format!(
        "{claim}{}. The claim:\n\n{}",
        if is_evaluated { " (evaluated by smelt, independently of any solver)" } else { "" },
        markdown_block("smt2", conclusion)
    );
    if is_evaluated {
        text.push_str(&values_text(values, "It has no constants to choose values for."));
    }
    if script.is_empty() {
        return text;
    }
    let (wanted, found) =
        if rule == ABDUCT_AGREES { ("satisfiable", "unsat") } else { ("unsatisfiable", "sat") };
    text.push_str(&format!(
        "\nIt holds if and only if this formula is {wanted}:\n\n{}",
        markdown_block("smt2", script)
    ));
    if !confirmed_by.is_empty() {
        let solvers = markdown_text(&confirmed_by.join(", "));
        let with_values = if is_evaluated { " with these values asserted" } else { "" };
        text.push_str(&format!("\n`{found}`{with_values}: {solvers}.\n"));
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
