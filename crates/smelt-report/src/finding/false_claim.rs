//! The evidence of a false claim, a step of a proof or a simplification: the claim, the values that make it false, and a
//! formula for other solvers.

use smelt_oracle::finding::{ABDUCT_AGREES, Class, Evidence, Verdict};
use smelt_oracle::foreign_text::{markdown_block, markdown_code, markdown_text};

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
    if !is_evaluated {
        // Nothing was evaluated.
    } else if values.is_empty() {
        text.push_str("\nIt has no constants to choose values for.\n");
    } else {
        text.push_str("\nValues that make it false:\n\n");
        for value in values {
            text.push_str(&format!("- {}\n", markdown_code(value)));
        }
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
