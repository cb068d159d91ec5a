//! `smelt bisect` without a repository: releases of a solver.

use std::path::Path;

use smelt_campaign::profiles::Profiles;
use smelt_runner::stop_signals;
use smelt_triage::bisect::asking::{LevelScale, search};
use smelt_triage::bisect::releases::Releases;
use smelt_triage::bisect::request::{ReleaseRequest, ReleaseSearch};
use smelt_triage::bisect::summary::{SearchedHistory, line};

use super::{Args, print, worst};
use crate::config::solvers::installation;
use crate::error::{CliError, Exit};
use crate::render::streams::Streams;

pub(super) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, CliError> {
    let profiles = Profiles::read(None)?;
    profiles.agree_to(&args.solver, streams)?;
    let stop = stop_signals::stop_when_asked();
    let place = installation();
    let request = ReleaseRequest {
        solver: args.solver.clone(),
        answer: args.answer,
        is_timed: args.measure_time,
        timeout_secs: args.timeout,
        dir: args.dir.clone(),
    };
    let mut rows: Vec<Releases<'_>> = Vec::new();
    let mut exits = Vec::new();
    for name in &args.triggers {
        // Ids of findings have no ending, so whatever has one is meant to be a file.
        let path = Path::new(name);
        let ReleaseSearch { subject, selection } = match path.is_file() || path.extension().is_some() {
            true => request.of_file(&profiles, name)?,
            false => request.of_finding(&profiles, &place, name, streams)?,
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
        let settings = args.depth().settings(releases.count(), 1, subject.scale == LevelScale::Times);
        let found = search(releases, &subject, settings, args.all, &stop)
            .map_err(|error| CliError::environment(error.to_string()))?;
        let history = SearchedHistory::of_releases(releases, &found, subject.scale);
        let located = &found.localization.triggers[0];
        let line = line(&subject.name, located, &history);
        let exit = print(&line, located, &history, args.json, streams)?;
        exits.push(exit);
        if !history.is_finished {
            streams.message("stopped early\n")?;
            break;
        }
        if exit == Exit::Findings {
            request.keep(&subject, &line)?;
        }
    }
    Ok(worst(&exits))
}
