//! `smelt bisect --repo`: commits of a git repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_campaign::consent::ConsentItem;
use smelt_campaign::repository::{Commit, Repository};
use smelt_runner::limits::Limits;
use smelt_runner::solver::program_on_path;
use smelt_runner::stop_signals;
use smelt_triage::bisect::asking::LevelScale;
use smelt_triage::bisect::commits::{
    CommitEvent, CommitQuestion, CommitTrigger, CommitWork, Commits, Criterion, Workplace,
};
use smelt_triage::bisect::summary::{CommitResult, SearchedHistory, line};
use smelt_triage::bisect::{Localization, localize};

use super::{Args, print, worst};
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::render::progress::Progress;
use crate::render::streams::Streams;

pub(super) fn run(args: &Args, repo: &Path, streams: &mut Streams) -> Result<Exit, CliError> {
    let (Some(git), Some(shell)) = (program_on_path("git"), program_on_path("sh")) else {
        return Err(CliError::environment("no `git` and `sh` on the PATH"));
    };
    let triggers = CommitTrigger::read(&args.triggers)?;
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
    let stop = stop_signals::stop_when_asked();
    // Without a terminal, nothing is said on the way.
    let progress = Progress::moving(Duration::MAX);
    let mut failures: Vec<(String, PathBuf)> = Vec::new();
    let mut listener = |event: CommitEvent<'_>| {
        if let CommitEvent::BuildFailed(commit, log) = event {
            failures.push((commit.id.clone(), log.to_owned()));
        }
        progress.show(None, || event.to_string(), String::new);
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
    let settings = args.depth().settings(history.len(), triggers.len(), scale == LevelScale::Times);
    let found = localize(&mut laboratory, &settings);
    if let Ok(text) = fs::read_to_string(&clone) {
        trust::remember_item(&ConsentItem::configuration(&clone, &text));
    }
    let builds = laboratory.builds();
    let problem = laboratory.into_problem();
    drop(progress);
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
    let (triggers, points) = (triggers.len(), history.len());
    streams.message(&CommitWork { builds, triggers, points, folder: &args.save }.text(&found))?;
    Ok(exit)
}

/// The configuration of the clone in the folder that keeps what was seen.
const CLONE_CONFIGURATION: &str = "repository/.git/config";

/// Processor time for each run of a command.
const DEFAULT_TIMEOUT_SECS: f64 = 10.0;

/// Prints all triggers.
fn show(
    args: &Args,
    found: &Localization,
    commits: &[Commit],
    triggers: &[CommitTrigger],
    scale: LevelScale,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let name = |commit: &Commit| if args.json { commit.id.clone() } else { commit.short() };
    let mut exits = Vec::new();
    for (trigger, located) in triggers.iter().zip(&found.triggers) {
        let result = CommitResult { found, located };
        let history = SearchedHistory::of_commits(commits, name, scale, result);
        let line = line(&trigger.name, located, &history);
        exits.push(print(&line, located, &history, args.json, streams)?);
    }
    Ok(worst(&exits))
}
