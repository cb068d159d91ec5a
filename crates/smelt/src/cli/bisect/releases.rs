//! `smelt bisect` without a repository: releases of a solver.

use std::fs;
use std::path::Path;

use smelt_campaign::record::{export_with, folder_of};
use smelt_campaign::releases::options_of;
use smelt_campaign::solvers::{DEFAULT_TIMEOUT_SECS, family_of};
use smelt_oracle::finding::Class;
use smelt_report::finding::triage_files::Added;
use smelt_runner::family::Family;
use smelt_runner::limits::Limits;
use smelt_store::configuration::SolverCommand;
use smelt_triage::bisect::asking::{Asked, Found, LevelScale, Subject, search};
use smelt_triage::bisect::releases::{Releases, Selection};
use smelt_triage::bisect::summary::{HistoryPoint, SearchedHistory, line};

use super::{Args, print, settings, worst};
use crate::cli::findings::{find_one, read};
use crate::cli::replay::{source_of, targets_of};
use crate::config::profiles::Profiles;
use crate::config::solvers::installation;
use crate::config::trust;
use crate::error::{CliError, Exit};
use crate::interrupt;
use crate::render::streams::Streams;

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let profiles = Profiles::read(None)?;
    if args.solver.as_ref().is_some_and(|solver| profiles.has(solver)) {
        profiles.agree(streams)?;
    }
    let stop = interrupt::stop_when_asked();
    let place = installation();
    let mut rows: Vec<Releases<'_>> = Vec::new();
    let mut exits = Vec::new();
    for name in &args.triggers {
        // Ids of findings have no ending, so whatever has one is meant to be a file.
        let path = Path::new(name);
        let (subject, selection) = match path.is_file() || path.extension().is_some() {
            true => file_subject(args, &profiles, name)?,
            false => finding_subject(args, &profiles, name, streams)?,
        };
        // Releases that were probed for one trigger are ready for the next.
        let known = rows.iter().position(|row| row.selection == selection);
        let index = match known {
            Some(index) => index,
            None => {
                let mut releases = Releases::new(&place, selection, args.install)?;
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
        };
        let releases = &mut rows[index];
        let settings = settings(args, releases.count(), 1, subject.scale == LevelScale::Times);
        let found = search(releases, &subject, settings, args.all, &stop)
            .map_err(|error| CliError::environment(error.to_string()))?;
        exits.push(conclude(args, &found, releases, &subject, streams)?);
        if !found.localization.is_finished {
            break;
        }
    }
    Ok(worst(&exits))
}

/// Prints what was found, and adds it to the folder of a finding.
fn conclude(
    args: &Args,
    found: &Found,
    releases: &Releases<'_>,
    subject: &Subject,
    streams: &mut Streams,
) -> Result<Exit, CliError> {
    let point = |number: usize| HistoryPoint { name: releases.name(number), title: String::new() };
    let history = SearchedHistory {
        points: (0..releases.count()).map(point).collect(),
        scale: subject.scale,
        noun: "release",
        gaps: found.gaps.clone(),
        is_finished: found.localization.is_finished,
    };
    let located = &found.localization.triggers[0];
    let line = line(&subject.name, located, &history);
    let exit = print(&line, located, &history, args.json, streams)?;
    if !history.is_finished {
        streams.message("stopped early\n")?;
    }
    if let Asked::Finding { recorded, .. } = &subject.asked
        && history.is_finished
        && exit == Exit::Findings
    {
        let folder = folder_of(&args.dir, &recorded.finding.id);
        Added::load(&folder)
            .map(|added| Added { dating: Some(line.dating()), ..added })
            .and_then(|added| export_with(recorded, &added, &folder))
            .map_err(|error| CliError::Output { path: folder.display().to_string(), error })?;
    }
    Ok(exit)
}

fn file_subject(args: &Args, profiles: &Profiles, path: &str) -> Result<(Subject, Selection), CliError> {
    let wanted = args.answer;
    let Some(solver) = &args.solver else {
        return Err(CliError::usage("a file needs --solver, such as z3"));
    };
    let text = fs::read_to_string(path).map_err(|error| CliError::unreadable(path, &error))?;
    let selection = profiles.selection(solver)?;
    let scale = match (args.measure_time, wanted) {
        (true, _) => LevelScale::Times,
        (false, Some(_)) => LevelScale::Claims,
        (false, None) => LevelScale::Answers,
    };
    let limits = Limits::for_seconds(args.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS));
    let asked = Asked::File { text, wanted };
    Ok((Subject { name: path.to_owned(), asked, scale, limits, culprit: None }, selection))
}

fn finding_subject(
    args: &Args,
    profiles: &Profiles,
    id: &str,
    streams: &mut Streams,
) -> Result<(Subject, Selection), CliError> {
    let findings = read(&args.dir)?;
    let recorded = find_one(&findings, id, &args.dir)?;
    let finding = &recorded.finding;
    // Releases are run with the options of the culprit.
    trust::ask_about(&source_of(finding), &finding.commands, streams)?;
    let is_culprit = |command: &SolverCommand| Some(&command.solver) == finding.verdict.culprit.as_ref();
    let Some(culprit) = finding.commands.iter().find(|command| is_culprit(command)).cloned() else {
        let message = format!("finding `{}` blames no solver whose releases could be asked", finding.id);
        return Err(CliError::usage(message));
    };
    let family = Family::of_name(family_of(&culprit));
    let selection = match &args.solver {
        Some(solver) => profiles.selection(solver)?,
        None if family.package().is_none() => {
            return Err(CliError::Usage(format!("`{}` has no releases", culprit.solver)));
        }
        None => Selection { family, request: None, options: options_of(&culprit, family) },
    };
    // A crash or a wrong model needs no other solver.
    let is_alone = matches!(finding.verdict.class, Class::Crash | Class::InvalidModel);
    let others = match is_alone {
        true => Vec::new(),
        false => targets_of(finding, |command| !is_culprit(command), streams)?,
    };
    let is_timed = args.measure_time || finding.verdict.class == Class::Slowdown;
    let seconds = args.timeout.or(finding.timeout_secs).unwrap_or(DEFAULT_TIMEOUT_SECS);
    let added = Added::read(&folder_of(&args.dir, &finding.id));
    // A formula that was reduced together with the one before it says nothing without that.
    let reduced = added.reduced.filter(|_| added.before.is_none());
    let opinion = installation().finder().own();
    let subject = Subject {
        name: finding.id.to_string(),
        asked: Asked::Finding { recorded: Box::new(recorded.clone()), others, opinion, reduced },
        scale: if is_timed { LevelScale::Times } else { LevelScale::Claims },
        limits: Limits::for_seconds(seconds),
        culprit: Some(culprit),
    };
    Ok((subject, selection))
}
