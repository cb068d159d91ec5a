//! Pre-filter: a script on which a solver answers differently in a warm session is not replayed in fresh processes.
//!
//! Starting a solver costs more than most small formulas. A session can only reject a script; what it lets through is
//! replayed in fresh processes. A solver that answers the finding itself differently in a session than in a fresh process
//! is not asked.

use smelt_oracle::finding::{Class, Evidence};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::isolation::Isolation;
use smelt_runner::limits::Limits;
use smelt_runner::session::Session;
use smelt_runner::solver::Solver;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::read_script_as;
use smelt_smtlib::term::Terms;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use super::CriterionError;

/// A run in a session may take this many times as long as the finding itself, and at least [`MIN_SECS`].
const SLOWER: f64 = 4.0;
const MIN_SECS: f64 = 0.5;

/// A solver in a session, and what it must say.
struct Witness {
    target: Target,
    session: Session,
    answer: Answer,
}

/// All that are asked, the culprit first.
pub(super) struct Warm {
    witnesses: Vec<Witness>,
    runs: u64,
}

impl Warm {
    /// The solvers whose answer to the finding is the same in a session.
    pub(super) fn new(
        finding: &Finding,
        targets: &[Target],
        limits: &Limits,
        script: &str,
    ) -> Result<Self, CriterionError> {
        let mut warm = Warm { witnesses: Vec::new(), runs: 0 };
        for name in names_of(finding) {
            let target = targets.iter().find(|target| target.solver.name == name);
            let run = finding.runs.iter().find(|run| run.solver == name);
            let (Some(target), Some(run)) = (target, run) else { continue };
            let mut witness = Witness::new(target, run.answer, *limits);
            warm.runs += 2;
            let first = witness.run(script)?;
            // A solver that takes far longer for a smaller formula does something else with it.
            let seconds = (first.cpu_ms / 1000.0 * SLOWER).max(MIN_SECS);
            witness.limit(seconds.min(limits.cpu.as_secs_f64()));
            // The second time is the first that is warm.
            if first.answer == witness.answer && witness.agrees(script)? {
                warm.witnesses.push(witness);
            }
        }
        Ok(warm)
    }

    /// Whether all solvers answer a script as they answer the finding.
    pub(super) fn may_reproduce(&mut self, script: &str) -> Result<bool, CriterionError> {
        for witness in &mut self.witnesses {
            self.runs += 1;
            if !witness.agrees(script)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many scripts were run in sessions.
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }
}

impl Witness {
    fn new(target: &Target, answer: Answer, limits: Limits) -> Self {
        let solver = Solver { invocation: target.solver.invocation.quick(), ..target.solver.clone() };
        Witness { target: target.clone(), session: Session::new(solver, Isolation::Reset, limits), answer }
    }

    /// Starts anew with other limits.
    fn limit(&mut self, seconds: f64) {
        *self = Witness::new(&self.target, self.answer, Limits::for_seconds(seconds));
    }

    fn agrees(&mut self, script: &str) -> Result<bool, CriterionError> {
        Ok(self.run(script)?.answer == self.answer)
    }

    fn run(&mut self, script: &str) -> Result<Run, CriterionError> {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, script, Dialect::V26);
        let text = self.target.text(&mut terms, &reading.script);
        self.session
            .run(&text)
            .map_err(|error| CriterionError::Session { solver: self.target.solver.name.clone(), error })
    }
}

/// The solvers whose answers make the finding: the culprit, and those that show that it is wrong.
fn names_of(finding: &Finding) -> Vec<&str> {
    let verdict = &finding.verdict;
    // What a session says last is not what is wrong with it.
    let is_in_session = matches!(verdict.evidence, Evidence::Trace { .. });
    let is_about_answers = !is_in_session
        && matches!(
            verdict.class,
            Class::Crash
                | Class::InvalidModel
                | Class::InvalidCore
                | Class::SoundnessRefutation
                | Class::SoundnessSolution
                | Class::Disputed
                | Class::Drift
        );
    let mut names: Vec<&str> = Vec::new();
    if is_about_answers {
        names.extend(verdict.culprit.as_deref());
        match &verdict.evidence {
            Evidence::Model { solver, .. } => names.push(solver),
            Evidence::Agreement { solvers } => names.extend(solvers.iter().map(String::as_str)),
            Evidence::Disagreement { sat, unsat } => {
                names.extend(sat.iter().chain(unsat).map(String::as_str));
            }
            _ => {}
        }
    }
    let mut unique: Vec<&str> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}
