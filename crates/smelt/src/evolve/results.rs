//! What a study came to: its files, and tables or lines on standard output.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use smelt_oracle::finding::Class;
use smelt_report::evolution::{Release, Results, Study, Theory, figures, page, tables};
use smelt_runner::timing::Conditions;

use crate::error::{CliError, cannot_write};
use crate::streams::Streams;

/// Writes the page, the figures and the tables into the folder of the study.
pub(super) fn write_files(folder: &Path, study: &Study) -> Result<(), CliError> {
    let figures = figures::figures(study);
    let mut files: Vec<(String, String)> = vec![("index.html".to_owned(), page::page(study, &figures))];
    files.extend(figures.iter().map(|named| (format!("{}.svg", named.name), named.figure.svg())));
    files.extend(tables::csv(study).into_iter().map(|(name, text)| (name.to_owned(), text)));
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text)
            .map_err(|error| CliError::Environment(cannot_write(path.display(), &error)))?;
    }
    Ok(())
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'s> {
    theory: &'s str,
    solver: &'s str,
    formulas: u32,
    runs: u32,
    sat: u32,
    unsat: u32,
    unknown: u32,
    timeout: u32,
    rejected: u32,
    crash: u32,
    /// Confirmed, by class.
    classes: BTreeMap<&'static str, u32>,
    timeouts_secs: &'s [f64],
    /// For each of these.
    solved: &'s [u32],
    cpu_secs: f64,
    joint_cpu_secs: f64,
    jointly_solved: u32,
    solved_per_cpu_sec: Option<f64>,
}

/// The same with what the machine was like.
#[derive(Debug, Serialize)]
struct MeasuredLine<'s> {
    #[serde(flatten)]
    line: Line<'s>,
    machine: &'s Conditions,
}

/// Prints tables, or lines of JSON with what the machine was like if that is given.
pub(super) fn print(study: &Study, json: Option<&Conditions>, streams: &mut Streams) -> Result<(), CliError> {
    for theory in &study.theories {
        if json.is_none() {
            let known = theory.known.iter().filter(|(_, count)| *count > 0);
            let known: Vec<String> =
                known.map(|(status, count)| format!("{count} {}", status.words())).collect();
            writeln!(
                streams.results(),
                "{}: {} formulas: {}",
                theory.name,
                theory.formulas,
                known.join(", ")
            )?;
            writeln!(streams.results(), "{}", header(study))?;
        }
        for (position, group) in study.groups.iter().enumerate() {
            for (release, results) in group.releases.iter().zip(&theory.results[position]) {
                if let Some(machine) = json {
                    let joint = theory.jointly_solved[position];
                    let line = json_line(study, theory, release, results, joint);
                    streams.json_line(&MeasuredLine { line, machine })?;
                } else {
                    writeln!(streams.results(), "{}", text_line(release, results))?;
                }
            }
        }
        for (reference, count) in &theory.wrong_references {
            streams.message(&format!(
                "reference {reference} says unsat of {count} formulas of {} that have a model\n",
                theory.name
            ))?;
        }
    }
    Ok(())
}

fn json_line<'s>(
    study: &'s Study,
    theory: &'s Theory,
    release: &'s Release,
    results: &'s Results,
    jointly_solved: u32,
) -> Line<'s> {
    Line {
        theory: &theory.name,
        solver: &release.name,
        formulas: theory.formulas,
        runs: results.runs,
        sat: results.sat,
        unsat: results.unsat,
        unknown: results.unknown,
        timeout: results.timeout,
        rejected: results.rejected,
        crash: results.crash,
        classes: results.classes.iter().map(|(class, count)| (class.word(), *count)).collect(),
        timeouts_secs: &study.timeouts,
        solved: &results.solved,
        cpu_secs: results.cpu_secs,
        joint_cpu_secs: results.joint_secs,
        jointly_solved,
        solved_per_cpu_sec: results.throughput(),
    }
}

fn header(study: &Study) -> String {
    let first = study.timeouts.first().copied().unwrap_or(0.0);
    format!(
        "  {:<18} {:>6} {:>6} {:>7} {:>7} {:>8} {:>6} {:>7} {:>6} {:>8} {:>6} {:>8} {:>6} {:>9} {:>9}",
        "release",
        "sat",
        "unsat",
        "unknown",
        "timeout",
        "rejected",
        "crash",
        "unsound",
        "model",
        "disputed",
        "older",
        format!("{:.0} ms", first * 1e3),
        "solved",
        "joint s",
        "solved/s"
    )
}

fn text_line(release: &Release, results: &Results) -> String {
    format!(
        "  {:<18} {:>6} {:>6} {:>7} {:>7} {:>8} {:>6} {:>7} {:>6} {:>8} {:>6} {:>8} {:>6} {:>9.3} {:>9}",
        release.name,
        results.sat,
        results.unsat,
        results.unknown,
        results.timeout,
        results.rejected,
        results.of_class(Class::Crash),
        results.unsound(),
        results.of_class(Class::InvalidModel),
        results.of_class(Class::Disputed),
        results.of_class(Class::Drift),
        results.solved.first().copied().unwrap_or(0),
        results.solved_at_last(),
        results.joint_secs,
        results.throughput().map(|rate| format!("{rate:.0}")).unwrap_or_default()
    )
}
