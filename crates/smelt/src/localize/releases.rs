//! `smelt localize` without a repository: releases of a solver.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_campaign::dating::{Added, Dating, FORMAT};
use smelt_campaign::record::{export_with, folder_of};
use smelt_campaign::releases::{Open, Reply, answers, ask, no_answer, options_of, run_text};
use smelt_oracle::finding::Class;
use smelt_oracle::run::{Answer, Run};
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_store::configuration::SolverCommand;
use smelt_store::finding::Recorded;
use smelt_triage::localize::{Laboratory, Localization, Stopped, localize};
use smelt_trial::target::Target;

use super::show::{ANSWERS, Gap, GapKind, History, Line, Point, Scale, line, print, worst};
use super::{Args, refuse, settings};
use crate::exit::{Exit, Failure};
use crate::findings::{find_one, read};
use crate::interrupt;
use crate::profiles::Profiles;
use crate::releases::{Releases, Selection};
use crate::replay::{DEFAULT_TIMEOUT_SECS, family_of, source_of, targets_of};
use crate::solvers::Place;
use crate::streams::Streams;
use crate::trust;

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if let Err(message) = wanted_answer(args) {
        return refuse(&message, streams);
    }
    let profiles = match Profiles::read(None) {
        Ok(profiles) => profiles,
        Err(message) => return refuse(&message, streams),
    };
    if args.solver.as_ref().is_some_and(|solver| profiles.has(solver))
        && let Err(exit) = profiles.agree(streams)?
    {
        return Ok(exit);
    }
    let stop = interrupt::stop_when_asked();
    let place = Place::of_user();
    let mut rows: Vec<Releases<'_>> = Vec::new();
    let mut exits = Vec::new();
    for name in &args.triggers {
        // Ids of findings have no ending, so whatever has one is meant to be a file.
        let path = Path::new(name);
        let subject = match path.is_file() || path.extension().is_some() {
            true => file_subject(args, &profiles, name, streams)?,
            false => finding_subject(args, &profiles, name, streams)?,
        };
        let (subject, selection) = match subject {
            Ok(found) => found,
            Err(exit) => return Ok(exit),
        };
        // Releases that were probed for one trigger are ready for the next.
        let known = rows.iter().position(|row| row.selection == selection);
        let index = match known {
            Some(index) => index,
            None => match Releases::new(&place, selection, args.install) {
                Ok(mut releases) => {
                    if !args.install
                        && let Err(problem) = releases.add_listed()
                    {
                        streams.message(&format!(
                            "only installed releases are known, others may lie between them: {problem}\n"
                        ))?;
                    }
                    rows.push(releases);
                    rows.len() - 1
                }
                Err(message) => return refuse(&message, streams),
            },
        };
        let mut laboratory = Asking {
            releases: &mut rows[index],
            subject: &subject,
            stop: Arc::clone(&stop),
            gaps: BTreeMap::new(),
            problem: None,
        };
        let found = search(args, &mut laboratory);
        if let Some(problem) = laboratory.problem.take() {
            streams.error(&problem)?;
            return Ok(Exit::EnvironmentFailed);
        }
        let gaps = laboratory.into_gaps(&found);
        exits.push(conclude(args, &found, &rows[index], &Seen { subject: &subject, gaps }, streams)?);
        if !found.is_finished {
            break;
        }
    }
    Ok(worst(&exits))
}

/// At most this many releases are measured at first, spread evenly; a regression that was fixed soon after is seen among
/// few only.
const MOST_TIMED: usize = 16;

fn search(args: &Args, laboratory: &mut Asking<'_, '_>) -> Localization {
    let scale = laboratory.subject.scale;
    let mut settings = settings(args, laboratory.releases.len(), 1, scale == Scale::Times);
    if scale == Scale::Answers {
        // Answers are different or not: there is no more and no less.
        settings.least_share = 0.0;
    }
    settings.absent = laboratory.releases.missing();
    settings.probes.extend(laboratory.releases.culprit(&laboratory.subject.culprit));
    // Asking a release that is installed is cheap, and a bug may be in a single one. Times are measured several times.
    let installed: Vec<usize> = laboratory.releases.installed();
    let most = if scale == Scale::Times { MOST_TIMED } else { installed.len() };
    let step = installed.len().div_ceil(most.max(1)).max(1);
    settings.probes.extend(installed.into_iter().step_by(step));
    if args.all {
        settings.look_at_all();
    }
    settings.probes.retain(|point| !settings.absent.contains(point));
    settings.probes.sort_unstable();
    settings.probes.dedup();
    localize(laboratory, &settings)
}

/// What was asked, and where there was no telling.
struct Seen<'s> {
    subject: &'s Subject,
    gaps: Vec<Gap>,
}

/// Prints what was found, and adds it to the folder of a finding.
fn conclude(
    args: &Args,
    found: &Localization,
    releases: &Releases<'_>,
    seen: &Seen<'_>,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let point = |number: usize| Point { name: releases.name(number), title: String::new() };
    let history = History {
        points: (0..releases.len()).map(point).collect(),
        scale: seen.subject.scale,
        noun: "release",
        gaps: seen.gaps.clone(),
        is_finished: found.is_finished,
    };
    let located = &found.triggers[0];
    let line = line(&seen.subject.name, located, &history);
    let exit = print(&line, located, &history, args.json, streams)?;
    if !found.is_finished {
        streams.message("stopped early\n")?;
    }
    if let Asked::Finding { recorded, .. } = &seen.subject.asked
        && found.is_finished
        && exit == Exit::Findings
    {
        let folder = folder_of(&args.dir, &recorded.finding.id);
        Added::load(&folder)
            .map(|added| Added { dating: Some(dating_of(&line)), ..added })
            .and_then(|added| export_with(recorded, &added, &folder))
            .map_err(|error| Failure::Output { path: folder.display().to_string(), error })?;
    }
    Ok(exit)
}

fn dating_of(line: &Line) -> Dating {
    Dating {
        format: FORMAT,
        first_bad: line.first_bad.clone(),
        last_good: line.last_good.clone(),
        fixed: line.fixed.clone(),
        more_may_exist: line.more_may_exist,
        seen: line.seen.clone(),
        ..Dating::default()
    }
}

/// The answer of a release that is bad, if one is given.
fn wanted_answer(args: &Args) -> Result<Option<Answer>, String> {
    args.answer.as_deref().map(answer_of).transpose()
}

fn answer_of(word: &str) -> Result<Answer, String> {
    ANSWERS.into_iter().find(|answer| answer.word() == word).ok_or_else(|| {
        let known: Vec<&str> = ANSWERS.iter().map(|answer| answer.word()).collect();
        format!("unknown answer `{word}` (expected one of: {})", known.join(", "))
    })
}

/// What releases are asked.
struct Subject {
    name: String,
    asked: Asked,
    scale: Scale,
    limits: Limits,
    /// The solver that is known to be bad.
    culprit: Option<SolverCommand>,
}

enum Asked {
    /// Whether they show a finding, beside its other solvers.
    Finding { recorded: Box<Recorded>, others: Vec<Target>, opinion: Option<Solver>, reduced: Option<String> },
    /// What they answer, or whether they answer this.
    File { text: String, wanted: Option<Answer> },
}

type SubjectOf = Result<(Subject, Selection), Exit>;

fn file_subject(
    args: &Args,
    profiles: &Profiles,
    path: &str,
    streams: &mut Streams,
) -> Result<SubjectOf, Failure> {
    let wanted = match wanted_answer(args) {
        Ok(wanted) => wanted,
        Err(message) => return Ok(Err(refuse(&message, streams)?)),
    };
    let Some(solver) = &args.solver else {
        return Ok(Err(refuse("a file needs --solver, such as z3", streams)?));
    };
    let read = fs::read_to_string(path).map_err(|error| format!("cannot read `{path}`: {error}"));
    match read.and_then(|text| Ok((text, Selection::of(solver, profiles)?))) {
        Err(message) => Ok(Err(refuse(&message, streams)?)),
        Ok((text, selection)) => {
            let scale = match (args.measure_time, wanted) {
                (true, _) => Scale::Times,
                (false, Some(_)) => Scale::Claims,
                (false, None) => Scale::Answers,
            };
            let limits = Limits::for_seconds(args.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS));
            let asked = Asked::File { text, wanted };
            Ok(Ok((Subject { name: path.to_owned(), asked, scale, limits, culprit: None }, selection)))
        }
    }
}

fn finding_subject(
    args: &Args,
    profiles: &Profiles,
    id: &str,
    streams: &mut Streams,
) -> Result<SubjectOf, Failure> {
    let findings = match read(&args.dir, streams)? {
        Ok(findings) => findings,
        Err(exit) => return Ok(Err(exit)),
    };
    let Some(recorded) = find_one(&findings, id, &args.dir, streams)? else { return Ok(Err(Exit::BadInput)) };
    let finding = &recorded.finding;
    // Releases are run with the options of the culprit.
    if let Err(exit) = trust::ask_about(&source_of(finding), &finding.commands, streams)? {
        return Ok(Err(exit));
    }
    let is_culprit = |command: &SolverCommand| Some(&command.solver) == finding.verdict.culprit.as_ref();
    let Some(culprit) = finding.commands.iter().find(|command| is_culprit(command)).cloned() else {
        let message = format!("finding `{}` blames no solver whose releases could be asked", finding.id);
        return Ok(Err(refuse(&message, streams)?));
    };
    let family = Family::of_name(family_of(&culprit));
    let selection = match &args.solver {
        Some(solver) => Selection::of(solver, profiles),
        None if family.package().is_none() => Err(format!("`{}` has no releases", culprit.solver)),
        None => Ok(Selection { family, request: None, options: options_of(&culprit, family) }),
    };
    let selection = match selection {
        Ok(selection) => selection,
        Err(message) => return Ok(Err(refuse(&message, streams)?)),
    };
    // What a solver does to itself needs nobody else.
    let is_alone = matches!(finding.verdict.class, Class::Crash | Class::InvalidModel);
    let others = match is_alone {
        true => Vec::new(),
        false => match targets_of(finding, |command| !is_culprit(command), streams)? {
            Ok(others) => others,
            Err(exit) => return Ok(Err(exit)),
        },
    };
    let is_timed = args.measure_time || finding.verdict.class == Class::Slowdown;
    let seconds = args.timeout.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
    let added = Added::read(&folder_of(&args.dir, &finding.id));
    // A formula that was reduced together with the one before it says nothing without that.
    let reduced = added.reduced.filter(|_| added.before.is_none());
    let opinion = Place::of_user().finder().own();
    let subject = Subject {
        name: finding.id.to_string(),
        asked: Asked::Finding { recorded: Box::new(recorded.clone()), others, opinion, reduced },
        scale: if is_timed { Scale::Times } else { Scale::Claims },
        limits: Limits::for_seconds(seconds),
        culprit: Some(culprit),
    };
    Ok(Ok((subject, selection)))
}

/// The laboratory for releases.
struct Asking<'a, 'p> {
    releases: &'a mut Releases<'p>,
    subject: &'a Subject,
    stop: Arc<AtomicBool>,
    /// The releases whose last run tells nothing, and why.
    gaps: BTreeMap<usize, Open>,
    problem: Option<String>,
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
            let reason = releases.problem(*point).unwrap_or("cannot be run");
            add(*point, GapKind::NotTested, reason.to_owned());
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
            Asked::Finding { recorded, others, opinion, reduced } => {
                let mut trigger = recorded.as_ref().clone();
                trigger.finding.formula = reduced.clone().or(trigger.finding.formula);
                ask(&trigger, target, others, &subject.limits, opinion.as_ref()).map(|asked| {
                    match (subject.scale, asked.run, asked.open) {
                        (_, None, Some(open)) => Err(open),
                        (Scale::Times, Some(run), _) => time_of(&run, &subject.limits),
                        (_, _, Some(open)) => Err(open),
                        (_, _, None) => Ok(f64::from(u8::from(asked.shows == Some(true)))),
                    }
                })
            }
            Asked::File { text, wanted } => {
                run_text(text, target, &subject.limits).map(|reply| match (reply, subject.scale) {
                    (Reply::Rejects(message), _) => Err(Open::Rejects(message)),
                    (Reply::Ran(run), Scale::Times) => time_of(&run, &subject.limits),
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
                self.problem = Some(format!("cannot ask {}: {error}", self.releases.name(point)));
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
