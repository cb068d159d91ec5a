//! `smelt bisect --repo`: commits of a git repository.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use smelt_oracle::foreign_text::in_line;
use smelt_runner::limits::Limits;
use smelt_runner::solver::program_on_path;
use smelt_triage::bisect::asking::{Gap, GapKind, LevelScale};
use smelt_triage::bisect::commits::{
    CommitEvent, CommitQuestion, CommitTrigger, Commits, Criterion, Workplace,
};
use smelt_triage::bisect::repository::{Commit, Repository};
use smelt_triage::bisect::summary::{HistoryPoint, SearchedHistory, line};
use smelt_triage::bisect::{Localization, bisection_steps, localize};

use super::{Args, print, settings, worst};
use crate::config::trust::{self, ConsentItem};
use crate::error::{CliError, Exit};
use crate::interrupt;
use crate::render::streams::Streams;

/// This much of the name of a commit is shown.
const SHOWN: usize = 12;

pub(super) fn run(args: &Args, repo: &Path, streams: &mut Streams) -> Result<Exit, CliError> {
    let (Some(git), Some(shell)) = (program_on_path("git"), program_on_path("sh")) else {
        return Err(CliError::environment("no `git` and `sh` on the PATH"));
    };
    let triggers = read_triggers(&args.triggers)?;
    let good = args.good.as_deref().unwrap_or_default();
    let opened = Repository::open(&git, repo)
        .and_then(|repository| Ok((repository.history(good, &args.bad)?, repository)));
    let (history, repository) =
        opened.map_err(|error| CliError::Usage(format!("cannot use `{}`: {error}", repo.display())))?;
    let criterion = match &args.match_out {
        Some(text) => Criterion::Output(text.clone()),
        None if args.measure_time => Criterion::Time,
        None => Criterion::Status,
    };
    let scale = if criterion == Criterion::Time { LevelScale::Times } else { LevelScale::Claims };
    let question = CommitQuestion {
        shell,
        build: args.build.clone().unwrap_or_default(),
        command: args.command.clone(),
        criterion,
        build_time: args.build_time,
        limits: Limits::for_seconds(args.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS)),
    };
    let stop = interrupt::stop_when_asked();
    let bar = io::stderr().is_terminal().then(ProgressBar::new_spinner);
    let mut failures: Vec<(String, PathBuf)> = Vec::new();
    let mut listener = |event: CommitEvent<'_>| {
        if let CommitEvent::BuildFailed(commit, log) = event {
            failures.push((commit.id.clone(), log.to_owned()));
        }
        if let Some(bar) = &bar {
            bar.set_message(in_line(&message(event)));
            bar.tick();
        }
    };
    // The configuration of a clone that another user has put there can make git start programs.
    let clone = args.save.join(CLONE_CONFIGURATION);
    if let Ok(text) = fs::read_to_string(&clone) {
        let source = format!("the folder `{}`", args.save.display());
        trust::ask(&source, &[ConsentItem::configuration(&clone, &text)], streams)?;
    }
    let place = Workplace { folder: &args.save, stop };
    let laboratory = Commits::new(&repository, &history, &triggers, &question, place, &mut listener);
    let mut laboratory = laboratory.map_err(|error| CliError::environment(error.to_string()))?;
    let settings = settings(args, history.len(), triggers.len(), scale == LevelScale::Times);
    let found = localize(&mut laboratory, &settings);
    if let Ok(text) = fs::read_to_string(&clone) {
        trust::remember_item(&ConsentItem::configuration(&clone, &text));
    }
    let builds = laboratory.builds();
    let problem = laboratory.into_problem();
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    if let Some(problem) = problem {
        return Err(CliError::environment(problem.to_string()));
    }
    if found.prepared == 0 && found.failed > 0 {
        let log = failures.last().map_or(args.save.join("logs"), |(_, log)| log.clone());
        return Err(CliError::usage(format!(
            "the build fails at every commit that was tried, {} of {}; what it says is in `{}`",
            found.failed,
            history.len(),
            log.display()
        )));
    }
    let exit = show(args, &found, &history, &triggers, scale, streams)?;
    streams.message(&summary(&found, builds, triggers.len(), history.len(), &args.save))?;
    Ok(exit)
}

/// The configuration of the clone in the folder that keeps what was seen.
const CLONE_CONFIGURATION: &str = "repository/.git/config";

/// Processor time for each run of a command.
const DEFAULT_TIMEOUT_SECS: f64 = 10.0;

fn short(commit: &Commit) -> String {
    commit.id.chars().take(SHOWN).collect()
}

fn message(event: CommitEvent<'_>) -> String {
    match event {
        CommitEvent::Building(commit) => format!("building {} {}", short(commit), commit.title),
        CommitEvent::BuildFailed(commit, _) => format!("{} does not build", short(commit)),
        CommitEvent::Measuring(commit, trigger) => format!("{} on {trigger}", short(commit)),
    }
}

/// Prints all triggers.
fn show(
    args: &Args,
    found: &Localization,
    commits: &[Commit],
    triggers: &[CommitTrigger],
    scale: LevelScale,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let name = |commit: &Commit| if args.json { commit.id.clone() } else { short(commit) };
    let point = |commit: &Commit| HistoryPoint { name: name(commit), title: commit.title.clone() };
    let gap = |kind: GapKind, reason: &str, point: usize| Gap {
        name: name(&commits[point]),
        reason: reason.to_owned(),
        kind,
    };
    let mut exits = Vec::new();
    for (trigger, located) in triggers.iter().zip(&found.triggers) {
        let failed = found.not_ready.iter().map(|point| gap(GapKind::NotTested, "does not build", *point));
        let undecided = located.undecided.iter().map(|point| gap(GapKind::Undecided, NO_RESULT, *point));
        let history = SearchedHistory {
            points: commits.iter().map(point).collect(),
            scale,
            noun: "commit",
            gaps: failed.chain(undecided).collect(),
            is_finished: found.is_finished,
        };
        let line = line(&trigger.name, located, &history);
        exits.push(print(&line, located, &history, args.json, streams)?);
    }
    Ok(worst(&exits))
}

/// Why nothing is concluded from a run of the command.
const NO_RESULT: &str = "the command says that it cannot tell, or did not end by itself";

fn summary(found: &Localization, builds: usize, triggers: usize, points: usize, save: &Path) -> String {
    let end = if found.is_finished {
        String::new()
    } else {
        format!("stopped early; the same command continues with what is in `{}`\n", save.display())
    };
    format!(
        "{end}{} of {points} commits tried, {} of them fail; {builds} built now, {} runs; one bisection for each trigger: {} builds\n",
        found.prepared + found.failed,
        found.failed,
        found.runs,
        triggers * bisection_steps(points) as usize
    )
}

/// Triggers by their files, or the command alone if there are none.
fn read_triggers(paths: &[String]) -> Result<Vec<CommitTrigger>, CliError> {
    if paths.is_empty() {
        return Ok(vec![CommitTrigger { name: "command".to_owned(), file: None }]);
    }
    let read = |path: &String| {
        let content = fs::read(path).map_err(|error| CliError::unreadable(path, &error))?;
        let absolute = std::path::absolute(path)
            .map_err(|error| CliError::Input(format!("cannot find `{path}`: {error}")))?;
        Ok(CommitTrigger { name: path.clone(), file: Some((absolute, content)) })
    };
    paths.iter().map(read).collect()
}
