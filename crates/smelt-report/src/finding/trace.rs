//! The evidence of a finding about an incremental session: the check, the script of what is in force there, and what
//! solvers answer to that alone.

use smelt_oracle::finding::{Class, Evidence, SolverAnswer, Verdict};
use smelt_oracle::foreign_text::{markdown_block, markdown_text};

pub(super) fn text(verdict: &Verdict) -> String {
    let Evidence::Trace { check, said, printed, script, alone, model } = &verdict.evidence else {
        return String::new();
    };
    if let Some(printed) = printed {
        return printed_text(verdict, printed);
    }
    let culprit = markdown_text(verdict.culprit.as_deref().unwrap_or("the solver"));
    let said = said.word();
    let mut text = format!(
        "Check {check} of the session is answered `{said}`. This script has what is in force at that check, and \
         nothing else; its answer must be the same:\n\n{}\nAnswers to it in fresh processes: {}.\n",
        markdown_block("smt2", script),
        answers(alone)
    );
    let Some(model) = model else { return text };
    let printer = markdown_text(&model.solver);
    let numbers = model.false_assertions.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if model.text.is_empty() {
        text.push_str(&format!(
            "\nAssertion {numbers} of the script is false under every model (evaluated by smelt, independently of any \
             solver), so `{said}` is wrong.\n"
        ));
        return text;
    }
    text.push_str(&match numbers.as_str() {
        "" => format!(
            "\nThis model, printed by {printer}, satisfies the script (evaluated by smelt, independently of any \
             solver), so `{said}` is wrong"
        ),
        numbers => format!(
            "\nThe model that {culprit} prints in the session makes assertion {numbers} of the script false (evaluated by \
             smelt, independently of any solver)"
        ),
    });
    text.push_str(&format!(":\n\n{}", markdown_block("smt2", &model.text)));
    text
}

/// The same where what is printed besides the answer is wrong.
fn printed_text(verdict: &Verdict, printed: &str) -> String {
    let Evidence::Trace { check, script, alone, model, .. } = &verdict.evidence else {
        return String::new();
    };
    let is_value = verdict.class == Class::InvalidModel;
    let (what, asserts) = match is_value {
        true => (
            "`(get-value ..)` prints",
            "its model as far as it has literals, and that the term has this value",
        ),
        false => ("`(get-unsat-assumptions)` prints", "these assumptions instead of all that were made"),
    };
    let mut text = format!(
        "After check {check}, {what}\n\n{}\nThis script has what is in force at that check and asserts {asserts}, so \
         it must be unsatisfiable:\n\n{}\nAnswers to it in fresh processes: {}.\n",
        markdown_block("smt2", printed),
        markdown_block("smt2", script),
        answers(alone)
    );
    let Some(model) = model else {
        text.push_str("\nOne of these assumptions was never made.\n");
        return text;
    };
    let sentence = match is_value {
        true => "The model printed before it gives the term another value".to_owned(),
        false => format!("This model of the script was printed by {}", markdown_text(&model.solver)),
    };
    text.push_str(&format!(
        "\n{sentence} (evaluated by smelt, independently of any solver):\n\n{}",
        markdown_block("smt2", &model.text)
    ));
    text
}

/// ``z3 `sat`, cvc5 `sat` ``.
fn answers(alone: &[SolverAnswer]) -> String {
    let one = |one: &SolverAnswer| format!("{} `{}`", markdown_text(&one.solver), one.answer.word());
    alone.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use smelt_oracle::finding::JudgedModel;
    use smelt_oracle::run::Answer;

    use super::*;

    #[test]
    fn the_answer_alone_and_the_model_that_refutes_it_are_shown() {
        let alone = vec![SolverAnswer { solver: "z3".to_owned(), answer: Answer::Sat }];
        let model = |false_assertions| JudgedModel {
            solver: "cvc5".to_owned(),
            text: "((define-fun p () Bool true))".to_owned(),
            false_assertions,
        };
        let shown = |said, model| {
            let script = "(declare-const p Bool)\n(assert p)\n(check-sat)\n".to_owned();
            let (alone, culprit) = (alone.clone(), Some("z3".to_owned()));
            let evidence = Evidence::Trace { check: 3, said, printed: None, script, alone, model };
            text(&Verdict { class: Class::TraceInconsistency, culprit, evidence })
        };
        let contradiction = shown(Answer::Unsat, None);
        assert!(contradiction.contains("Check 3 of the session is answered `unsat`"), "{contradiction}");
        assert!(contradiction.contains("(assert p)") && contradiction.contains("z3 `sat`."));
        assert!(shown(Answer::Unsat, Some(model(Vec::new()))).contains("so `unsat` is wrong:\n\n```smt2"));
        let invalid = shown(Answer::Sat, Some(model(vec![1])));
        assert!(invalid.contains("makes assertion 1 of the script false"), "{invalid}");
    }

    #[test]
    fn a_value_is_shown_with_the_model_that_gives_another() {
        let model = JudgedModel {
            solver: "z3".to_owned(),
            text: "((define-fun p () Bool true))".to_owned(),
            false_assertions: vec![2],
        };
        let shown = |class, printed: &str, model| {
            let (script, alone) = ("(check-sat)\n".to_owned(), Vec::new());
            let (printed, said) = (Some(printed.to_owned()), Answer::Sat);
            let evidence = Evidence::Trace { check: 1, said, printed, script, alone, model };
            text(&Verdict { class, culprit: None, evidence })
        };
        let value = shown(Class::InvalidModel, "(p false)", Some(model));
        assert!(value.contains("`(get-value ..)` prints\n\n```smt2\n(p false)"), "{value}");
        assert!(value.contains("gives the term another value"), "{value}");
        let foreign = shown(Class::InvalidCore, "(q)", None);
        assert!(foreign.contains("never made"), "{foreign}");
    }
}
