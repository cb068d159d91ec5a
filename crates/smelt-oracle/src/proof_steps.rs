//! The steps of a proof of a script, tested: what is wrong with it, for people and for programs.
//!
//! Reading proofs and testing steps is in [`smelt_proof::steps`].

use serde::Serialize;
use smelt_proof::steps::{
    FalseStep, ProofFormat, RuleTally, StepTable, TestLimits, read_proof, standalone, test_steps,
};
use smelt_semantics::environment::Environment;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::print::term_text;
use smelt_smtlib::read::read_script;
use smelt_smtlib::script::Script;
use smelt_smtlib::term::Terms;

/// Which proofs are asked for, and how their steps are tested.
#[derive(Debug, Clone, Copy)]
pub struct StepOptions {
    /// The format to ask solvers for that have several.
    pub format: ProofFormat,
    /// Under so many assignments each step is evaluated.
    pub assignments: usize,
    /// What these are drawn by.
    pub seed: u64,
}

/// What was found out about one proof, also a line of JSON. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct ProofReport {
    file: String,
    solver: String,
    answer: &'static str,
    problem: Option<String>,
    /// What finding the proof took.
    pub cpu_ms: f64,
    steps: usize,
    alone: StepCounts,
    with_premises: StepCounts,
    false_steps: Vec<FalseLine>,
    #[serde(skip)]
    table: StepTable,
}

#[derive(Debug, Default, Serialize)]
struct StepCounts {
    seen: u64,
    checked: u64,
    false_steps: u64,
}

impl From<&RuleTally> for StepCounts {
    fn from(tally: &RuleTally) -> Self {
        StepCounts { seen: tally.seen, checked: tally.checked, false_steps: tally.false_steps }
    }
}

#[derive(Debug, Serialize)]
struct FalseLine {
    rule: String,
    line: u32,
    conclusion: String,
    script: String,
}

/// A script and the solver that is asked for a proof of it, as users name them.
#[derive(Debug, Clone, Copy)]
pub struct ProofOrigin<'o> {
    /// The file with the script.
    pub file: &'o str,
    /// The solver.
    pub solver: &'o str,
}

/// The answer where there is an `unsat` and no proof that can be read.
const UNREADABLE: &str = "unreadable";

impl ProofReport {
    /// Where there is no proof: the answer, or why there is none.
    pub fn without_proof(origin: ProofOrigin<'_>, answer: &'static str, problem: Option<String>) -> Self {
        ProofReport {
            file: origin.file.to_owned(),
            solver: origin.solver.to_owned(),
            answer,
            problem,
            cpu_ms: 0.0,
            steps: 0,
            alone: StepCounts::default(),
            with_premises: StepCounts::default(),
            false_steps: Vec::new(),
            table: StepTable::default(),
        }
    }

    /// Tests the steps of a proof of a script.
    pub fn of(origin: ProofOrigin<'_>, script: &str, proof: &str, options: &StepOptions) -> Self {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, script);
        let environment = Environment::at_last_check(&terms, &reading.script);
        let derivation = match read_proof(&mut terms, &reading.scope, proof, Dialect::V26) {
            Ok(derivation) => derivation,
            Err(problem) => return Self::without_proof(origin, UNREADABLE, Some(problem.to_string())),
        };
        let StepOptions { assignments, seed, .. } = *options;
        let limits = TestLimits { assignments, seed, ..TestLimits::default() };
        let test = test_steps(&mut terms, &environment, &derivation, None, limits);
        let false_steps =
            test.false_steps.iter().map(|step| false_line(&mut terms, &reading.script, step)).collect();
        let [alone, with_premises] = test.table.sums();
        ProofReport {
            steps: derivation.steps.len(),
            alone: StepCounts::from(&alone),
            with_premises: StepCounts::from(&with_premises),
            false_steps,
            table: test.table,
            ..Self::without_proof(origin, "unsat", None)
        }
    }

    /// Whether a step is false.
    pub fn has_false_steps(&self) -> bool {
        !self.false_steps.is_empty()
    }

    /// Why there is no proof, in a line.
    pub fn problem_line(&self) -> Option<String> {
        self.problem.as_ref().map(|problem| format!("{} {}: {problem}\n", self.file, self.solver))
    }

    /// The steps that are false, each as a script of its own.
    pub fn text(&self) -> String {
        let step_text = |step: &FalseLine| {
            format!(
                "; {} {}: the step by `{}` on line {} is false:\n{}\n",
                self.file, self.solver, step.rule, step.line, step.script
            )
        };
        self.false_steps.iter().map(step_text).collect()
    }
}

fn false_line(terms: &mut Terms, script: &Script, step: &FalseStep) -> FalseLine {
    FalseLine {
        rule: step.rule.clone(),
        line: step.line,
        conclusion: term_text(terms, step.conclusion),
        script: standalone(terms, script, step, true),
    }
}

/// What came of many proofs.
#[derive(Debug, Default)]
pub struct ProofTotals {
    table: StepTable,
    proofs: u64,
    unreadable: u64,
    solving_ms: f64,
}

impl ProofTotals {
    /// Counts one more.
    pub fn add(&mut self, report: &ProofReport) {
        if report.answer == "unsat" {
            self.proofs += 1;
            self.solving_ms += report.cpu_ms;
        }
        self.unreadable += u64::from(report.answer == UNREADABLE);
        self.table.add(&report.table);
    }

    /// The table of rules, and what all of it took.
    pub fn text(&self, checking_ms: f64) -> String {
        let ProofTotals { table, proofs, unreadable, solving_ms } = self;
        format!(
            "{table}{proofs} proofs, {unreadable} unreadable; processor time: solving {solving_ms:.0} ms, checking \
             {checking_ms:.0} ms\n"
        )
    }
}
