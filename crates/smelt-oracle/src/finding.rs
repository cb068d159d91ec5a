//! Findings: what judges say is wrong, with the culprit and the evidence.

use serde::{Deserialize, Serialize};

use crate::run::Answer;
use crate::slowness::{Measured, Threshold};

/// What kind of wrong a finding is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Says `unsat` on a satisfiable formula.
    SoundnessRefutation,
    /// Says `sat` on an unsatisfiable formula.
    SoundnessSolution,
    /// The model of a `sat` does not satisfy the formula.
    InvalidModel,
    /// What the solver calls an unsat core has a model.
    InvalidCore,
    /// A step of the proof of an `unsat` is false.
    InvalidProofStep,
    /// What it simplifies a term to has another value.
    InvalidSimplification,
    /// What it reports as the best value of an objective is not.
    InvalidOptimum,
    /// What it calls an interpolant is none.
    InvalidInterpolant,
    /// What it makes of a formula by eliminating a quantifier means something else.
    InvalidElimination,
    /// What it calls an abduct is none.
    InvalidAbduct,
    /// A signal, a failed assertion or an internal error.
    Crash,
    /// Much slower than an earlier release, or than another solver.
    Slowdown,
    /// Gives up where an earlier release gives the right answer.
    IncompletenessRegression,
    /// Does not end where another solver decides quickly.
    Hang,
    /// Gives up on a formula that follows from one that it decides.
    IncompletenessImplication,
    /// Contradicts itself when it is asked the same in another way.
    Inconsistency,
    /// Answers a check of an incremental session otherwise than the script of what is in force there.
    TraceInconsistency,
    /// Prints something else when it is run again.
    Nondeterminism,
    /// Answers differently after it has answered other formulas.
    WarmCold,
    /// Solvers disagree, and nothing tells who is wrong.
    Disputed,
    /// The solver follows an older definition of an operator.
    Drift,
}

impl Class {
    /// All classes, the worst first.
    pub const ALL: [Class; 21] = [
        Class::SoundnessRefutation,
        Class::SoundnessSolution,
        Class::InvalidModel,
        Class::InvalidCore,
        Class::InvalidProofStep,
        Class::InvalidSimplification,
        Class::InvalidOptimum,
        Class::InvalidInterpolant,
        Class::InvalidElimination,
        Class::InvalidAbduct,
        Class::Crash,
        Class::Slowdown,
        Class::IncompletenessRegression,
        Class::Hang,
        Class::IncompletenessImplication,
        Class::Inconsistency,
        Class::TraceInconsistency,
        Class::Nondeterminism,
        Class::WarmCold,
        Class::Disputed,
        Class::Drift,
    ];

    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Class::SoundnessRefutation => "soundness-refutation",
            Class::SoundnessSolution => "soundness-solution",
            Class::InvalidModel => "invalid-model",
            Class::InvalidCore => "invalid-core",
            Class::InvalidProofStep => "invalid-proof-step",
            Class::InvalidSimplification => "invalid-simplification",
            Class::InvalidOptimum => "invalid-optimum",
            Class::InvalidInterpolant => "invalid-interpolant",
            Class::InvalidElimination => "invalid-elimination",
            Class::InvalidAbduct => "invalid-abduct",
            Class::Crash => "crash",
            Class::Slowdown => "slowdown",
            Class::IncompletenessRegression => "incompleteness-regression",
            Class::Hang => "hang",
            Class::IncompletenessImplication => "incompleteness-implication",
            Class::Inconsistency => "inconsistency",
            Class::TraceInconsistency => "trace-inconsistency",
            Class::Nondeterminism => "nondeterminism",
            Class::WarmCold => "warm-cold",
            Class::Disputed => "disputed",
            Class::Drift => "drift",
        }
    }

    /// How bad it is for those who use the solver, in a word.
    pub fn severity(self) -> &'static str {
        match self {
            Class::SoundnessRefutation | Class::SoundnessSolution => "critical",
            Class::InvalidModel | Class::InvalidCore | Class::InvalidOptimum | Class::Crash => "high",
            Class::InvalidInterpolant | Class::InvalidElimination | Class::InvalidAbduct => "high",
            Class::InvalidProofStep | Class::InvalidSimplification => "medium",
            Class::Slowdown | Class::IncompletenessRegression | Class::Hang => "medium",
            Class::TraceInconsistency => "medium",
            Class::IncompletenessImplication
            | Class::Inconsistency
            | Class::Nondeterminism
            | Class::WarmCold
            | Class::Disputed
            | Class::Drift => "low",
        }
    }

    /// Whether it is a wrong answer.
    pub fn is_soundness(self) -> bool {
        matches!(self, Class::SoundnessRefutation | Class::SoundnessSolution)
    }

    /// Whether it is about what operators mean, so that another definition of one explains it.
    pub fn is_about_meaning(self) -> bool {
        matches!(
            self,
            Class::SoundnessRefutation
                | Class::SoundnessSolution
                | Class::InvalidModel
                | Class::InvalidCore
                | Class::Disputed
        )
    }

    /// What it means, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Class::SoundnessRefutation => "says `unsat` on a satisfiable formula",
            Class::SoundnessSolution => "says `sat` on an unsatisfiable formula",
            Class::InvalidModel => "prints a model that does not satisfy the formula",
            Class::InvalidCore => "prints an unsat core that has a model",
            Class::InvalidProofStep => "prints a proof of which a step is false",
            Class::InvalidSimplification => "simplifies a term to one with another value",
            Class::InvalidOptimum => "reports an optimum that is not the best value",
            Class::InvalidInterpolant => "prints an interpolant that does not separate two formulas",
            Class::InvalidElimination => "eliminates a quantifier and changes what the formula means",
            Class::InvalidAbduct => "prints an abduct that does not explain the goal",
            Class::Crash => "crashes",
            Class::Slowdown => "is much slower than an earlier release or another solver",
            Class::IncompletenessRegression => "gives up where an earlier release gives the right answer",
            Class::Hang => "does not end where another solver decides quickly",
            Class::IncompletenessImplication => "gives up on a formula that follows from one that it decides",
            Class::Inconsistency => "contradicts itself when it is asked the same in another way",
            Class::TraceInconsistency => "answers a check of a session otherwise than what is in force there",
            Class::Nondeterminism => "prints something else when it is run again",
            Class::WarmCold => "answers differently after it has answered other formulas",
            Class::Disputed => "disagrees with others, and nothing tells who is wrong",
            Class::Drift => "follows an older definition of an operator",
        }
    }
}

/// Why we say so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Our evaluator accepted a model of the formula, printed by this solver.
    Model {
        /// Who printed the model.
        solver: String,
        /// The model as it was printed.
        model: String,
    },
    /// The model that the culprit printed makes these assertions false.
    FalseAssertions {
        /// The model as it was printed.
        model: String,
        /// Which assertions are false, counted from 1.
        assertions: Vec<usize>,
    },
    /// These assertions are false under every model, says our evaluator, so that `sat` is wrong.
    FalseUnderEveryModel {
        /// Which assertions are false, counted from 1.
        assertions: Vec<usize>,
    },
    /// The case was made to have this answer.
    Construction,
    /// Every solver that decided contradicts what the case was made to be, or a model of it is known: the claim is suspect.
    SuspectClaim {
        /// Those who contradict it.
        solvers: Vec<String>,
        /// The one whose model our evaluator accepts, if there is one.
        refuted_by: Option<String>,
    },
    /// Solvers of two other families say otherwise, and the culprit's model fails.
    Agreement {
        /// Who they are.
        solvers: Vec<String>,
    },
    /// The crash itself.
    Signature(String),
    /// Who says `sat` and who says `unsat`.
    Disagreement {
        /// Those who say `sat`.
        sat: Vec<String>,
        /// Those who say `unsat`.
        unsat: Vec<String>,
    },
    /// Our evaluator accepted a model of the core.
    Core {
        /// The assertions in the core, counted from 1.
        assertions: Vec<usize>,
        /// Who printed the model.
        solver: String,
        /// The model as it was printed.
        model: String,
    },
    /// Our evaluator says that a claim is false: a step of a proof, that a term has the value of what it is simplified
    /// to, or what a derived formula must imply or be implied by. Without values other solvers say so, or it can be seen.
    FalseClaim {
        /// The name of the rule, how simplification was asked for, or which obligation of a derived formula it is.
        rule: String,
        /// The line in the proof, or the number of the result.
        line: u32,
        /// What it claims.
        conclusion: String,
        /// Values of its constants that make it false, as `name = value`.
        values: Vec<String>,
        /// The premises and the negated conclusion as a script, which has a model; empty if nothing need be asked.
        script: String,
        /// Solvers that say so too, of the script with these values.
        confirmed_by: Vec<String>,
    },
    /// The values that were reported of objectives are wrong.
    Optimum {
        /// How several objectives are weighed: `lex`, `box` or `pareto`.
        priority: String,
        /// All objectives in order.
        objectives: Vec<ObjectiveValue>,
        /// What is wrong.
        problem: OptimumProblem,
        /// A formula without objectives, of which the problem tells whether it has a model; empty if a model that the
        /// culprit printed shows all.
        script: String,
    },
    /// The solver contradicts itself.
    Contradiction {
        /// How the same was asked in another way.
        change: String,
        /// What it said, first and then.
        contradiction: String,
        /// What it printed after the second answer.
        output: String,
    },
    /// A check of an incremental session, and the script of what is in force there, asked in fresh processes.
    Trace {
        /// Which check of the session it is, counted from 1.
        check: usize,
        /// What the session answers to it.
        said: Answer,
        /// What it prints besides, if that is what is wrong: a term with its value, or assumptions that it needs.
        #[serde(default)]
        printed: Option<String>,
        /// What is in force there, and that the term has this value if it is about one, as SMT-LIB 2.6.
        script: String,
        /// What solvers answer to that script, the culprit first.
        alone: Vec<SolverAnswer>,
        /// A model that refutes the answer or is refuted itself, if there is one.
        model: Option<JudgedModel>,
    },
    /// Processor times of repeated runs in turn.
    Times {
        /// Who is the fast one.
        reference: String,
        /// Milliseconds of the culprit.
        culprit_ms: Vec<f64>,
        /// Milliseconds of the reference.
        reference_ms: Vec<f64>,
    },
    /// Processor times of all solvers of a search for slowness, the culprit's last.
    Slowdown {
        /// Who is the fastest of the others.
        reference: String,
        /// The first one after it that is slow.
        first_bad: String,
        /// Repeated runs in turn.
        measured: Vec<Measured>,
        /// What counts as slow.
        threshold: Threshold,
    },
    /// An earlier release gave a certified answer.
    EarlierAnswer {
        /// The earlier release.
        solver: String,
        /// What it said.
        answer: Answer,
        /// Why the later one gave up, in its words.
        reason: String,
    },
    /// The solver decides the formula before this one in its chain, which tells the answer of this one too.
    EarlierLink {
        /// The formula before this one, as SMT-LIB 2.6.
        formula: String,
        /// What the solver says of it.
        answer: Answer,
        /// What was done to it, and where.
        change: String,
        /// Why the solver gave up on this one, in its words.
        reason: String,
    },
    /// The answer in a session, seen again when the session was replayed, and that in a fresh process.
    WarmCold {
        /// In the session.
        warm: Answer,
        /// In a fresh process.
        cold: Answer,
        /// The crash, if it is one.
        signature: Option<String>,
    },
}

impl Evidence {
    /// Whether a run of the culprit alone shows it again, so that no other solver is needed.
    pub fn is_about_culprit_alone(&self) -> bool {
        matches!(
            self,
            Evidence::Signature(_)
                | Evidence::FalseAssertions { .. }
                | Evidence::FalseUnderEveryModel { .. }
                | Evidence::Trace { model: None, .. }
        )
    }
}

/// The obligation of an abduct that holds if the script of its claim has a model, and not if it has none.
pub const ABDUCT_AGREES: &str = "the abduct agrees with the assertions";

/// What was reported of an objective, and what a model makes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectiveValue {
    /// The objective.
    pub objective: String,
    /// What the culprit printed as its best value.
    pub reported: String,
    /// Its value under the model that is the evidence, as our evaluator has it; none if it is not known.
    pub value: Option<String>,
}

/// What is wrong with values of objectives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimumProblem {
    /// Under this model of the hard assertions, which our evaluator accepts, the objectives have better values.
    Better {
        /// Who printed the model.
        solver: String,
        /// The model as it was printed.
        model: String,
    },
    /// Under the model that the culprit printed itself the objectives have other values.
    OtherValue {
        /// The model as it was printed.
        model: String,
    },
    /// No model has the value, nor one close to it.
    NotAttained {
        /// Solvers that say so.
        unsat: Vec<String>,
    },
}

/// What a solver answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverAnswer {
    /// The solver.
    pub solver: String,
    /// Its answer.
    pub answer: Answer,
}

/// A model with what our evaluator says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedModel {
    /// Who printed it.
    pub solver: String,
    /// The model as it was printed; empty if the assertions are false under every model.
    pub text: String,
    /// The assertions that are false under it, counted from 1; none if it satisfies all.
    pub false_assertions: Vec<usize>,
}

/// What one judge says of the runs of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What is wrong.
    pub class: Class,
    /// The solver to blame; none where nothing tells.
    pub culprit: Option<String>,
    /// Why.
    pub evidence: Evidence,
}
