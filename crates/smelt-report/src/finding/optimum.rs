//! The evidence of a wrong optimum: what was reported of each objective, the values under a model, and a formula without
//! objectives that any other solver can decide.

use smelt_oracle::finding::{Evidence, ObjectiveValue, OptimumProblem, Verdict};
use smelt_oracle::foreign_text::{markdown_block, markdown_code, markdown_text};

pub(super) fn text(verdict: &Verdict) -> String {
    let Evidence::Optimum { priority, objectives, problem, script } = &verdict.evidence else {
        return String::new();
    };
    let mut text = match problem {
        OptimumProblem::Better { solver, .. } => format!(
            "The reported values are not the best ones ({}): the model below, printed by {}, satisfies all hard assertions, \
             and the objectives have better values under it (evaluated by smelt, independently of any solver).\n",
            weighed(priority),
            markdown_text(solver)
        ),
        OptimumProblem::OtherValue { .. } => {
            "Under the model that it prints itself the objectives do not have the values that it reports (evaluated by \
             smelt, independently of any solver).\n"
                .to_owned()
        }
        OptimumProblem::NotAttained { unsat } => format!(
            "No model has such values ({}): {} say `unsat` of the formula below.\n",
            weighed(priority),
            markdown_text(&unsat.join(", "))
        ),
    };
    text.push_str("\n| objective | reported | value under the model |\n|---|---|---|\n");
    for ObjectiveValue { objective, reported, value } in objectives {
        let value = match problem {
            OptimumProblem::NotAttained { .. } => "",
            _ => value.as_deref().unwrap_or("not known"),
        };
        text.push_str(&format!(
            "| {} | {} | {} |\n",
            markdown_code(objective).replace('|', "\\|"),
            markdown_code(reported).replace('|', "\\|"),
            markdown_text(value)
        ));
    }
    if let OptimumProblem::Better { model, .. } | OptimumProblem::OtherValue { model } = problem {
        text.push_str(&format!("\n{}", markdown_block("smt2", model)));
    }
    if !script.is_empty() {
        let answer = match problem {
            OptimumProblem::NotAttained { .. } => {
                "The reported values can be had only if this formula is satisfiable"
            }
            _ => "The reported values are the best ones only if this formula is unsatisfiable",
        };
        text.push_str(&format!("\n{answer}:\n\n{}", markdown_block("smt2", script)));
    }
    text
}

/// How objectives are weighed, in words.
fn weighed(priority: &str) -> &'static str {
    match priority {
        "box" => "each objective by itself",
        "pareto" => "no other point may be as good in all objectives and better in one",
        _ => "the first objective counts most",
    }
}
