//! A finding that must stay the same finding: same class, same culprit, same kind of evidence.

use std::mem::discriminant;

use smelt_campaign::replay::replay;
use smelt_campaign::slowdown::replay::Keeping;
use smelt_campaign::target::Target;
use smelt_oracle::finding::{Class, Evidence, Verdict};
use smelt_runner::limits::Limits;
use smelt_runner::orphans::Guard;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Recorded;

use super::warm::Warm;
use super::work::Test;
use crate::exit::{Exit, Failure};
use crate::guard;
use crate::replay::{DEFAULT_TIMEOUT_SECS, targets_of};
use crate::solvers::Place;
use crate::streams::Streams;

/// A finding, and what is needed to show it again.
pub(super) struct Shown {
    recorded: Recorded,
    targets: Vec<Target>,
    limits: Limits,
    opinion: Option<Solver>,
    /// Those who must say at once what they said, asked before all else; none before the first question.
    warm: Option<Warm>,
    /// What a slowdown must keep.
    keeping: Option<Keeping>,
    replays: u64,
    _guard: Option<Guard>,
}

impl Shown {
    /// What shows a finding again; what keeps it from being reduced is told to the user.
    pub(super) fn new(
        recorded: &Recorded,
        timeout_secs: Option<f64>,
        streams: &mut Streams,
    ) -> Result<Result<Self, Exit>, Failure> {
        let finding = &recorded.finding;
        if let Evidence::WarmCold { .. } | Evidence::EarlierLink { .. } = finding.verdict.evidence {
            let class = finding.verdict.class.word();
            streams.error(&format!(
                "findings of class {class} are about several formulas and cannot be reduced yet"
            ))?;
            return Ok(Err(Exit::BadInput));
        }
        // What a solver does to itself needs nobody else.
        let is_alone = matches!(finding.verdict.class, Class::Crash | Class::InvalidModel);
        let is_wanted =
            |command: &SolverCommand| !is_alone || Some(&command.solver) == finding.verdict.culprit.as_ref();
        let targets = match targets_of(finding, is_wanted, streams)? {
            Ok(targets) => targets,
            Err(exit) => return Ok(Err(exit)),
        };
        let seconds = timeout_secs.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
        let limits = Limits::for_seconds(seconds);
        Ok(Ok(Shown {
            recorded: recorded.clone(),
            keeping: Keeping::new(finding, &targets, &limits),
            targets,
            limits,
            opinion: Place::of_user().finder().own(),
            warm: None,
            replays: 0,
            _guard: guard::start(),
        }))
    }

    /// The formula to begin with.
    pub(super) fn formula(&self) -> String {
        let finding = &self.recorded.finding;
        finding.formula.clone().unwrap_or_else(|| self.recorded.script.clone())
    }

    fn is_same(&self, verdict: &Verdict) -> bool {
        let wanted = &self.recorded.finding.verdict;
        let same_evidence = match (&wanted.evidence, &verdict.evidence) {
            (Evidence::Signature(one), Evidence::Signature(other)) => one == other,
            // What was known by how the formula was made must be shown by others once it is changed.
            (Evidence::Construction, _) => true,
            (one, other) => discriminant(one) == discriminant(other),
        };
        verdict.class == wanted.class && verdict.culprit == wanted.culprit && same_evidence
    }
}

impl Test for Shown {
    fn shows(&mut self, script: &str) -> Result<bool, String> {
        if let Some(keeping) = &self.keeping {
            self.replays += 1;
            return keeping.shows(script).map_err(|error| error.to_string());
        }
        if let Some(warm) = &mut self.warm {
            if !warm.may_show(script)? {
                return Ok(false);
            }
        } else {
            self.warm = Some(Warm::new(&self.recorded.finding, &self.targets, &self.limits, script)?);
        }
        self.replays += 1;
        // Nothing is expected of a formula that was changed.
        let mut changed = self.recorded.clone();
        changed.script = script.to_owned();
        changed.finding.formula = Some(script.to_owned());
        let replay = replay(&changed, &self.targets, &self.limits, self.opinion.as_ref())
            .map_err(|error| error.to_string())?;
        Ok(replay.verdicts.iter().any(|verdict| self.is_same(verdict)))
    }

    fn effort(&self) -> String {
        let warm = self.warm.as_ref().map_or(0, Warm::runs);
        format!(", {} runs ({warm} in sessions, {} replays)", warm + self.replays, self.replays)
    }
}
