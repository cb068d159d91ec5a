//! Releases asked about a finding or a formula: the laboratory in which a history of releases is searched.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use smelt_campaign::configure::error::RequestError;
use smelt_campaign::releases::{Open, Reply, answers, ask, no_answer, run_text};
use smelt_campaign::replay::ReplayError;
use smelt_oracle::run::{Answer, Run};
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Finding;
use smelt_trial::target::Target;

use super::releases::Releases;
use super::{BisectSettings, Change, Laboratory, Localization, Stopped, localize};

/// What the numbers of a localization mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelScale {
    /// 0 is good, 1 is bad.
    Claims,
    /// The number of an answer in [`ANSWERS`].
    Answers,
    /// Milliseconds.
    Times,
}

/// The answers that releases give, by their numbers.
pub const ANSWERS: [Answer; 7] = [
    Answer::Sat,
    Answer::Unsat,
    Answer::Unknown,
    Answer::Timeout,
    Answer::Memout,
    Answer::Crash,
    Answer::Flood,
];

/// The answer with this name.
pub fn parse_answer(word: &str) -> Result<Answer, RequestError> {
    let found = ANSWERS.into_iter().find(|answer| answer.word() == word);
    found
        .ok_or_else(|| RequestError::unknown_word("answer", word, ANSWERS.iter().map(|answer| answer.word())))
}

impl LevelScale {
    /// A measured value, in words.
    pub fn text(self, value: f64) -> String {
        match self {
            LevelScale::Claims if value > 0.5 => "bad".to_owned(),
            LevelScale::Claims => "good".to_owned(),
            LevelScale::Answers => ANSWERS.get(value as usize).map_or("-", |answer| answer.word()).to_owned(),
            LevelScale::Times => format!("{value:.0} ms"),
        }
    }

    /// What a change is, in a word.
    pub fn kind(self, change: &Change) -> &'static str {
        match (self, change.is_rise()) {
            (LevelScale::Claims, true) => "introduced",
            (LevelScale::Claims, false) => "fixed",
            (LevelScale::Answers, _) => "changed",
            (LevelScale::Times, true) => "slower",
            (LevelScale::Times, false) => "faster",
        }
    }
}

/// A point at which nothing was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// Its name.
    pub name: String,
    /// Why, in words.
    pub reason: String,
    /// What kind of reason that is.
    #[serde(skip)]
    pub kind: GapKind,
}

/// Why nothing was measured at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapKind {
    /// It was not run on the trigger.
    NotTested,
    /// The same, because the release is not installed.
    NotInstalled,
    /// It was, and nothing can be concluded.
    Undecided,
}

/// What releases are asked.
pub struct Subject {
    /// The name of the trigger.
    pub name: String,
    /// The question.
    pub asked: Asked,
    /// What its answers mean.
    pub scale: LevelScale,
    /// Of each run.
    pub limits: Limits,
    /// The solver that is known to be bad.
    pub culprit: Option<SolverCommand>,
}

/// A question to a release.
pub enum Asked {
    /// Whether it shows a finding, beside its other solvers.
    Finding {
        /// The finding.
        finding: Box<Finding>,
        /// Its solvers besides the culprit.
        others: Vec<Target>,
        /// Our own solver, which is asked where the others disagree.
        opinion: Option<Solver>,
        /// A smaller formula that shows it.
        reduced: Option<String>,
    },
    /// What it answers, or whether it answers this.
    File {
        /// The formula.
        text: String,
        /// The answer of a release that is bad.
        wanted: Option<Answer>,
    },
}

/// A release that cannot be asked.
#[derive(Debug, thiserror::Error)]
#[error("cannot ask {release}: {error}")]
pub struct AskError {
    /// Its name.
    pub release: String,
    /// Why.
    pub error: ReplayError,
}

/// What was found in a history of releases.
#[derive(Debug)]
pub struct Found {
    /// Where things change.
    pub localization: Localization,
    /// The releases of which nothing is known, in the order of the history.
    pub gaps: Vec<Gap>,
}

/// At most this many releases are measured at first, spread evenly; a regression that was fixed soon after is seen among
/// few only.
const MAX_TIMED: usize = 16;

/// Searches the releases for changes; with `is_exhaustive` all of them are asked.
pub fn search(
    releases: &mut Releases<'_>,
    subject: &Subject,
    mut settings: BisectSettings,
    is_exhaustive: bool,
    stop: &AtomicBool,
) -> Result<Found, AskError> {
    if subject.scale == LevelScale::Answers {
        // Answers are different or not: there is no more and no less.
        settings.least_share = 0.0;
    }
    settings.absent = releases.missing();
    settings.probes.extend(subject.culprit.as_ref().and_then(|culprit| releases.position_of(culprit)));
    // Asking a release that is installed is cheap, and a bug may be in a single one. Times are measured several times.
    let installed: Vec<usize> = releases.installed();
    let most = if subject.scale == LevelScale::Times { MAX_TIMED } else { installed.len() };
    let step = installed.len().div_ceil(most.max(1)).max(1);
    settings.probes.extend(installed.into_iter().step_by(step));
    if is_exhaustive {
        settings.look_at_all();
    }
    settings.probes.retain(|point| !settings.absent.contains(point));
    settings.probes.sort_unstable();
    settings.probes.dedup();
    let mut asking = Asking { releases, subject, stop, gaps: BTreeMap::new(), problem: None };
    let localization = localize(&mut asking, &settings);
    if let Some(problem) = asking.problem {
        return Err(problem);
    }
    let gaps = asking.into_gaps(&localization);
    Ok(Found { localization, gaps })
}

/// The laboratory for releases.
struct Asking<'a, 'i> {
    releases: &'a mut Releases<'i>,
    subject: &'a Subject,
    stop: &'a AtomicBool,
    /// The releases whose last run tells nothing, and why.
    gaps: BTreeMap<usize, Open>,
    problem: Option<AskError>,
}

impl Asking<'_, '_> {
    /// The releases of which nothing is known, in the order of the history.
    fn into_gaps(self, found: &Localization) -> Vec<Gap> {
        let located = &found.triggers[0];
        let releases = self.releases;
        let mut gaps: BTreeMap<usize, Gap> = BTreeMap::new();
        let mut add = |point: usize, kind: GapKind, reason: String| {
            gaps.insert(point, Gap { name: releases.name(point), reason, kind });
        };
        for point in releases.missing() {
            add(point, GapKind::NotInstalled, "not installed".to_owned());
        }
        for point in &found.not_ready {
            let reason = releases.problem(*point).map(ToString::to_string);
            add(*point, GapKind::NotTested, reason.unwrap_or_else(|| "cannot be run".to_owned()));
        }
        for point in &located.undecided {
            match self.gaps.get(point) {
                Some(Open::Rejects(message)) => {
                    add(*point, GapKind::NotTested, format!("rejects the formula: {message}"));
                }
                Some(Open::Undecided(reason)) => add(*point, GapKind::Undecided, reason.clone()),
                None => add(*point, GapKind::Undecided, "measurements failed".to_owned()),
            }
        }
        gaps.into_values().collect()
    }
}

impl Laboratory for Asking<'_, '_> {
    fn prepare(&mut self, point: usize) -> Result<bool, Stopped> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(self.releases.target(point).is_some())
    }

    fn measure(&mut self, point: usize, _trigger: usize) -> Result<Option<f64>, Stopped> {
        let subject = self.subject;
        let Some(target) = self.releases.target(point) else { return Ok(None) };
        let measured = match &subject.asked {
            Asked::Finding { finding, others, opinion, reduced } => {
                let mut trigger = finding.as_ref().clone();
                trigger.formula = reduced.clone().or(trigger.formula);
                ask(&trigger, target, others, &subject.limits, opinion.as_ref()).map(|asked| {
                    match (subject.scale, asked.run, asked.open) {
                        (_, None, Some(open)) => Err(open),
                        (LevelScale::Times, Some(run), _) => time_of(&run, &subject.limits),
                        (_, _, Some(open)) => Err(open),
                        (_, _, None) => Ok(f64::from(u8::from(asked.shows == Some(true)))),
                    }
                })
            }
            Asked::File { text, wanted } => {
                run_text(text, target, &subject.limits).map(|reply| match (reply, subject.scale) {
                    (Reply::Rejects(message), _) => Err(Open::Rejects(message)),
                    (Reply::Ran(run), LevelScale::Times) => time_of(&run, &subject.limits),
                    (Reply::Ran(run), _) => answer_value(&run, *wanted, &subject.limits),
                })
            }
        };
        // A run that we were told to end says nothing.
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        match measured {
            Ok(Ok(value)) => Ok(Some(value)),
            Ok(Err(open)) => {
                self.gaps.insert(point, open);
                Ok(None)
            }
            Err(error) => {
                self.problem = Some(AskError { release: self.releases.name(point), error });
                Err(Stopped)
            }
        }
    }
}

/// What a release answers, or whether that is what is looked for. A crash is a behaviour that can be compared with
/// answers; running out of time or memory is none.
fn answer_value(run: &Run, wanted: Option<Answer>, limits: &Limits) -> Result<f64, Open> {
    if let Some(wanted) = wanted {
        return answers(run, wanted, limits).map(|is_bad| f64::from(u8::from(is_bad)));
    }
    match no_answer(run, limits) {
        Some(open) if run.answer != Answer::Crash => Err(open),
        _ => Ok(ANSWERS.iter().position(|known| *known == run.answer).unwrap_or_default() as f64),
    }
}

/// The time that a release takes to decide; giving up or crashing is not fast, and what the clock has ended is not slow.
fn time_of(run: &Run, limits: &Limits) -> Result<f64, Open> {
    match run.answer {
        Answer::Sat | Answer::Unsat => Ok(run.cpu_ms),
        Answer::Timeout if !run.is_cut_by_the_clock() => Ok(limits.cpu.as_secs_f64() * 1e3),
        Answer::Unknown => Err(Open::Undecided("answers unknown, which takes no time to compare".to_owned())),
        _ => Err(no_answer(run, limits).unwrap_or(Open::Undecided(run.answer.word().to_owned()))),
    }
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Limit;

    use super::*;

    #[test]
    fn only_what_is_decided_has_a_time() {
        let limits = Limits::for_seconds(2.0);
        let run = |answer| Run {
            solver: String::new(),
            answer,
            answers: Vec::new(),
            output: String::new(),
            outputs: Vec::new(),
            reason: None,
            crash_signature: None,
            reports: Vec::new(),
            limit: None,
            cpu_ms: 5.0,
            wall_ms: 5.0,
            max_rss_kb: None,
            leaked: 0,
        };
        assert_eq!(time_of(&run(Answer::Sat), &limits), Ok(5.0));
        assert_eq!(time_of(&Run { cpu_ms: 1990.0, ..run(Answer::Timeout) }, &limits), Ok(2000.0));
        let cut = Run { limit: Some(Limit::Wall), ..run(Answer::Timeout) };
        assert!(time_of(&cut, &limits).is_err());
        assert!(time_of(&run(Answer::Unknown), &limits).is_err());
    }
}
