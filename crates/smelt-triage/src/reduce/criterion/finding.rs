//! A finding that must stay the same finding: same class, same culprit, same kind of evidence.

use std::mem::discriminant;

use smelt_campaign::campaign::solver_of;
use smelt_campaign::exhibit::{Picked, Stage, exhibit};
use smelt_campaign::options::configured;
use smelt_campaign::replay::{Replay, present_verdict, replay};
use smelt_campaign::slowdown::replay::Keeping;
use smelt_campaign::solvers::{DEFAULT_TIMEOUT_SECS, TargetsError, family_of, recorded_target, targets_of};
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_report::finding::exhibit::Exhibit;
use smelt_runner::installation::Installation;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use super::pair::tells_rule;
use super::warm::Warm;
use super::{CriterionError, Reproduction};

/// At least this many other solvers must contradict a `sat` that was known to be wrong by how its formula was made.
const MAX_OTHERS: usize = 2;

/// How every command begins that asks for an answer.
const CHECK: &str = "(check-sat";

/// Why a finding cannot be reduced.
#[derive(Debug, thiserror::Error)]
pub enum NotReducible {
    /// It is about several formulas, or about how its case was made.
    #[error("findings of class {0} are about several formulas and cannot be reduced yet")]
    SeveralFormulas(&'static str),
    /// Its solvers cannot be run.
    #[error(transparent)]
    Targets(#[from] TargetsError),
}

/// The options that were drawn for the culprit of a finding.
#[derive(Debug, Clone)]
pub struct DrawnOptions {
    /// All of them.
    pub drawn: Vec<String>,
    /// Those that the culprit is still run with.
    pub needed: Vec<String>,
}

/// A finding, and what is needed to reproduce it.
pub struct FindingCriterion<'i> {
    installation: &'i Installation,
    finding: Finding,
    targets: Vec<Target>,
    limits: Limits,
    opinion: Option<Solver>,
    /// The pre-filter; none before the first question.
    warm: Option<Warm>,
    /// What a slowdown must keep.
    keeping: Option<Keeping>,
    replays: u64,
    /// Whether the finding asks for an answer; some crashes do not.
    has_check: bool,
    options: Option<DrawnOptions>,
}

/// Whether a finding can be reduced: those about a session are about any number of formulas, and those about two need
/// to tell the rule that led from one to the other.
pub fn is_reducible(finding: &Finding) -> bool {
    match finding.verdict.evidence {
        Evidence::WarmCold { .. } => false,
        // What is suspect follows from how the case was made, which a smaller one does not have.
        Evidence::SuspectClaim { .. } => false,
        Evidence::EarlierLink { .. } => tells_rule(finding),
        _ => true,
    }
}

impl<'i> FindingCriterion<'i> {
    /// The criterion of a finding, with this limit for each run, or that of the finding. Its solvers are started.
    pub fn new(
        installation: &'i Installation,
        finding: &Finding,
        timeout_secs: Option<f64>,
    ) -> Result<Self, NotReducible> {
        if !is_reducible(finding) {
            return Err(NotReducible::SeveralFormulas(finding.verdict.class.word()));
        }
        let finding = &Finding { verdict: present_verdict(finding), ..finding.clone() };
        let is_alone = finding.verdict.evidence.is_about_culprit_alone();
        let is_wanted =
            |command: &SolverCommand| !is_alone || Some(&command.solver) == finding.verdict.culprit.as_ref();
        let targets = targets_of(installation, finding, is_wanted)?;
        let options = drawn_options(finding).map(|drawn| DrawnOptions { needed: drawn.clone(), drawn });
        let seconds = timeout_secs.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
        let limits = Limits::for_seconds(seconds);
        Ok(FindingCriterion {
            installation,
            finding: finding.clone(),
            keeping: Keeping::new(finding, &targets, &limits),
            targets,
            limits,
            opinion: installation.finder().own(),
            warm: None,
            replays: 0,
            has_check: finding.formula.as_ref().unwrap_or(&finding.script).contains(CHECK),
            options,
        })
    }

    /// Leaves out those of the options drawn for the culprit without which a script shows the finding: all, or one after
    /// the other.
    pub fn drop_options(&mut self, script: &str) -> Result<(), CriterionError> {
        let Some(DrawnOptions { needed, .. }) = &self.options else { return Ok(()) };
        if let Evidence::EarlierLink { .. } = self.finding.verdict.evidence {
            return Ok(());
        }
        let mut left = needed.clone();
        if left.is_empty() || self.reproduces_with_options(script, &[])? {
            return Ok(());
        }
        let mut place = 0;
        while left.len() > 1 && place < left.len() {
            let mut fewer = left.clone();
            fewer.remove(place);
            match self.reproduces_with_options(script, &fewer)? {
                true => left = fewer,
                false => place += 1,
            }
        }
        Ok(())
    }

    /// Whether a script shows the finding when the culprit is started with fewer options; then it is from now on.
    fn reproduces_with_options(&mut self, script: &str, fewer: &[String]) -> Result<bool, CriterionError> {
        let culprit = self.finding.verdict.culprit.as_deref();
        let place = self.targets.iter().position(|target| Some(target.solver.name.as_str()) == culprit);
        let (Some(place), Some(DrawnOptions { needed, .. })) = (place, &self.options) else {
            return Ok(false);
        };
        let before = self.targets[place].clone();
        let mut solver = before.solver.clone();
        solver.invocation.args.truncate(solver.invocation.args.len() - needed.len());
        solver.invocation.args.extend(fewer.iter().map(Into::into));
        let target = configured(&before, solver, &self.installation.cache())
            .map_err(|error| CriterionError::Run { program: before.solver.name.clone(), error })?;
        self.targets[place] = target;
        // Sessions were started with other options.
        self.warm = None;
        let is_same = self.replays_the_same(script, None)?;
        match (&mut self.options, is_same) {
            (Some(options), true) => options.needed = fewer.to_vec(),
            _ => self.targets[place] = before,
        }
        Ok(is_same)
    }

    /// The options that were drawn for the culprit; none if none were.
    pub fn options(&self) -> Option<&DrawnOptions> {
        self.options.as_ref()
    }

    /// Whether fresh processes show the finding with another formula, and another one before it if there is one.
    pub(super) fn replays_the_same(
        &mut self,
        script: &str,
        before: Option<&str>,
    ) -> Result<bool, CriterionError> {
        self.replays += 1;
        let replay =
            replay(&self.changed(script, before), &self.targets, &self.limits, self.opinion.as_ref())?;
        Ok(self.pick(&replay).is_some())
    }

    /// A formula, and the one before it if there is one, with all evidence about it; none if it does not show the finding.
    pub fn exhibit(&self, script: &str, before: Option<&str>) -> Result<Option<Exhibit>, CriterionError> {
        let is_heard =
            |command: &SolverCommand| self.targets.iter().any(|target| target.solver.name == command.solver);
        // Those that are not needed for the verdict are shown if they can be run.
        let others: Vec<Target> = self
            .finding
            .commands
            .iter()
            .filter(|command| !is_heard(command))
            .filter_map(|command| {
                recorded_target(self.installation, solver_of(command, family_of(command))).ok()
            })
            .collect();
        let stage = Stage {
            targets: &self.targets,
            others: &others,
            limits: &self.limits,
            opinion: self.opinion.as_ref(),
        };
        Ok(exhibit(&self.changed(script, before), &stage, &|replay| self.pick(replay))?)
    }

    /// The finding with another formula, of which nothing is expected.
    fn changed(&self, script: &str, before: Option<&str>) -> Finding {
        let mut changed = self.finding.clone();
        changed.script = script.to_owned();
        changed.formula = Some(script.to_owned());
        if let (Evidence::EarlierLink { formula, .. }, Some(before)) = (&mut changed.verdict.evidence, before)
        {
            *formula = before.to_owned();
        }
        changed
    }

    /// The verdict of a replay that is the finding.
    fn pick(&self, replay: &Replay) -> Option<Picked> {
        let mut verdicts = replay.verdicts.iter().zip(&replay.asked);
        if let Some((verdict, asked)) = verdicts.clone().find(|(verdict, _)| self.is_same(verdict)) {
            return Some((verdict.clone(), asked.clone()));
        }
        let (verdict, _) = verdicts.find(|(verdict, _)| self.is_same_by_others(verdict, &replay.refuted))?;
        let Evidence::Disagreement { unsat, .. } = &verdict.evidence else { return None };
        let wanted = &self.finding.verdict;
        let evidence = Evidence::Agreement { solvers: unsat.clone() };
        Some((Verdict { evidence, ..wanted.clone() }, None))
    }

    /// The finding.
    pub fn finding(&self) -> &Finding {
        &self.finding
    }

    /// Why the finding does not reproduce even with its own formula, where that is known.
    pub fn why_not_reproduced(&self) -> Option<String> {
        let verdict = &self.finding.verdict;
        let is_wrong_sat = verdict.class == Class::SoundnessSolution;
        (is_wrong_sat && verdict.evidence == Evidence::Construction).then(|| {
            format!(
                "what shows it is how the formula was made, which a smaller one does not have, \
                 and not {MAX_OTHERS} other solvers contradict a model that fails"
            )
        })
    }

    /// The formula to begin with.
    pub fn formula(&self) -> String {
        let finding = &self.finding;
        finding.formula.clone().unwrap_or_else(|| self.finding.script.clone())
    }

    fn is_same(&self, verdict: &Verdict) -> bool {
        let wanted = &self.finding.verdict;
        let same_evidence = match (&wanted.evidence, &verdict.evidence) {
            (Evidence::Signature(one), Evidence::Signature(other)) => one == other,
            (Evidence::EarlierLink { answer: one, .. }, Evidence::EarlierLink { answer: other, .. }) => {
                one == other
            }
            // What was known by how the formula was made must be shown by others once it is changed.
            (Evidence::Construction, _) => true,
            // What others said of the formula is then seen without them.
            (Evidence::Agreement { .. }, Evidence::FalseUnderEveryModel { .. }) => true,
            (Evidence::Trace { printed: one, .. }, Evidence::Trace { printed: other, .. }) => {
                one.is_some() == other.is_some()
            }
            (one, other) => discriminant(one) == discriminant(other),
        };
        verdict.class == wanted.class && verdict.culprit == wanted.culprit && same_evidence
    }

    /// A `sat` that is wrong by how its formula was made loses that when the formula is changed, and two other families
    /// need not be at hand. That it is wrong is known; it stays so as long as the model fails and two others say `unsat`.
    fn is_same_by_others(&self, verdict: &Verdict, refuted: &[String]) -> bool {
        let wanted = &self.finding.verdict;
        let (Class::SoundnessSolution, Evidence::Construction, Some(culprit)) =
            (wanted.class, &wanted.evidence, &wanted.culprit)
        else {
            return false;
        };
        let (Class::Disputed, Evidence::Disagreement { sat, unsat }) = (verdict.class, &verdict.evidence)
        else {
            return false;
        };
        refuted.contains(culprit) && sat.contains(culprit) && unsat.len() >= MAX_OTHERS
    }
}

impl Reproduction for FindingCriterion<'_> {
    fn reproduces(&mut self, script: &str) -> Result<bool, CriterionError> {
        // Without a check there is nothing that other solvers and releases could answer.
        if self.has_check && !script.contains(CHECK) {
            return Ok(false);
        }
        if let Some(keeping) = &self.keeping {
            self.replays += 1;
            return Ok(keeping.shows(script)?);
        }
        if let Some(warm) = &mut self.warm {
            if !warm.may_reproduce(script)? {
                return Ok(false);
            }
        } else {
            self.warm = Some(Warm::new(&self.finding, &self.targets, &self.limits, script)?);
        }
        self.replays_the_same(script, None)
    }

    fn effort(&self) -> String {
        let warm = self.warm.as_ref().map_or(0, Warm::runs);
        format!(", {} runs ({warm} in sessions, {} replays)", warm + self.replays, self.replays)
    }
}

/// The options that were drawn for the culprit of a finding, which its name tells; none if none were.
fn drawn_options(finding: &Finding) -> Option<Vec<String>> {
    let culprit = finding.verdict.culprit.as_ref()?;
    let command = finding.commands.iter().find(|command| command.solver == *culprit)?;
    let drawn: Vec<String> = culprit.split('+').skip(1).map(str::to_owned).collect();
    (!drawn.is_empty() && command.args.ends_with(&drawn)).then_some(drawn)
}
