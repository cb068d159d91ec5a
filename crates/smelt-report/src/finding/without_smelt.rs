//! For each kind of evidence what stands without smelt: what a reader who does not trust it can check, and how.

use smelt_oracle::finding::{Class, Evidence, OptimumProblem, Verdict};

/// What can be checked without smelt, in a sentence or two.
pub(super) fn without_smelt(verdict: &Verdict) -> &'static str {
    match &verdict.evidence {
        Evidence::Model { .. } => {
            "Assert the values of the model: the formula is then ground, and any other solver says `sat`. The table has the \
             value of each assertion and of its arguments, so that it can be followed by hand."
        }
        Evidence::FalseAssertions { .. } => {
            "Assert the values of the model that the solver prints: the formula is then ground, and any other solver says \
             `unsat`. The table has the value of each assertion and of its arguments, so that it can be followed by hand."
        }
        Evidence::FalseUnderEveryModel { .. } => {
            "Any other solver says `unsat` of the assertions in the table alone. The values of their arguments do not depend \
             on a model, so that they can be followed by hand."
        }
        Evidence::Construction => {
            "The seed and the technique that it was made by are named at the end; other solvers can be asked about this \
             formula and about the seed."
        }
        Evidence::SuspectClaim { .. } => {
            "The answers of all solvers are above; nothing is claimed of any of them."
        }
        Evidence::Agreement { .. } => {
            "Solvers that share no code say `unsat`, each above with its command, and the values of the model that is \
             printed can be asserted: any other solver says `unsat` then."
        }
        Evidence::Signature(_) => "The command above ends as shown, by itself.",
        Evidence::Disagreement { .. } => {
            "Two answers to one formula, each above with its command: one of them is wrong, whichever it is."
        }
        Evidence::Core { .. } => {
            "The assertions of the core, alone, with the values of the model: any other solver says `sat`."
        }
        Evidence::FalseClaim { .. } => match verdict.class {
            Class::InvalidSimplification => {
                "The term and its result are in the formula above: with the values listed, any other solver says `sat` of it."
            }
            Class::InvalidInterpolant | Class::InvalidElimination | Class::InvalidAbduct => {
                "What was asked for must satisfy the obligation above; its formula, if there is one, can be asked of any \
                 other solver, with the values listed asserted where there are some."
            }
            _ => {
                "The step is the formula above: with the values listed, any other solver says `sat` of it, and no step of \
                 a proof may be refuted so."
            }
        },
        Evidence::Optimum { problem: OptimumProblem::Better { .. }, .. } => {
            "Assert the values of the model: any other solver says `sat` of the hard assertions, and the objective is then \
             ground, so that its value can be compared with the one that was reported."
        }
        Evidence::Optimum { problem: OptimumProblem::OtherValue { .. }, .. } => {
            "The solver contradicts itself: under the model that it prints the objective is ground, and has another value \
             than the one that it reports."
        }
        Evidence::Optimum { problem: OptimumProblem::NotAttained { .. }, .. } => {
            "Any other solver says `unsat` of the formula above, which demands the value that was reported."
        }
        Evidence::Trace { model: None, .. } => {
            "The solver contradicts itself: the session and the script of what is in force at its check mean the same."
        }
        Evidence::Trace { printed: Some(_), .. } => {
            "The script above has all that was printed; any other solver can be asked about it, with the values of the \
             model asserted."
        }
        Evidence::Trace { .. } => {
            "The script above has all that is in force at the check, and no history: any other solver can be asked about \
             it, with the values of the model asserted."
        }
        Evidence::Contradiction { .. } => {
            "The solver contradicts itself: both answers are its own, to questions that mean the same."
        }
        Evidence::Times { .. } | Evidence::Slowdown { .. } => {
            "Processor times of repeated runs in turn on one machine; each command above can be measured again."
        }
        Evidence::EarlierAnswer { .. } => "Both releases are above with their commands.",
        Evidence::EarlierLink { .. } => {
            "The solver decides the formula before it by itself; that one follows from the other by the step named."
        }
        Evidence::WarmCold { .. } => {
            "The solver contradicts itself: the last formula of the session, alone, gets the other answer."
        }
    }
}
