//! What a study came to: its files, and a table or one JSON object for each theory and release.

use std::collections::BTreeMap;

use serde::Serialize;
use smelt_oracle::finding::Class;
use smelt_runner::timing::Conditions;

use super::{Release, Results, Study, Theory, figures, page, tables};

/// A file in the folder of a study.
#[derive(Debug)]
pub struct StudyFile {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The page, the figures and the tables of a study.
pub fn files(study: &Study) -> Vec<StudyFile> {
    let figures = figures::figures(study);
    let page = StudyFile { name: "index.html".to_owned(), text: page::page(study, &figures) };
    let drawn = figures
        .iter()
        .map(|named| StudyFile { name: format!("{}.svg", named.name), text: named.figure.svg() });
    let tables = tables::csv(study).into_iter();
    let tables = tables.map(|(name, text)| StudyFile { name: name.to_owned(), text });
    [page].into_iter().chain(drawn).chain(tables).collect()
}

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct StudyLine<'s> {
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
pub struct MeasuredStudyLine<'s> {
    #[serde(flatten)]
    line: StudyLine<'s>,
    machine: &'s Conditions,
}

/// One line for each theory and release, with what the machine was like.
pub fn lines<'s>(study: &'s Study, machine: &'s Conditions) -> Vec<MeasuredStudyLine<'s>> {
    let mut lines = Vec::new();
    for theory in &study.theories {
        for (position, group) in study.groups.iter().enumerate() {
            for (release, results) in group.releases.iter().zip(&theory.results[position]) {
                let line = json_line(study, theory, release, results, theory.jointly_solved[position]);
                lines.push(MeasuredStudyLine { line, machine });
            }
        }
    }
    lines
}

/// A table for each theory.
pub fn text(study: &Study) -> String {
    let mut text = String::new();
    for theory in &study.theories {
        let known = theory.known.iter().filter(|(_, count)| *count > 0);
        let known: Vec<String> = known.map(|(status, count)| format!("{count} {}", status.words())).collect();
        text += &format!("{}: {} formulas: {}\n", theory.name, theory.formulas, known.join(", "));
        text += &format!("{}\n", header(study));
        for (group, results) in study.groups.iter().zip(&theory.results) {
            for (release, results) in group.releases.iter().zip(results) {
                text += &format!("{}\n", text_line(release, results));
            }
        }
    }
    text
}

/// References that contradict a model, in lines.
pub fn wrong_references(study: &Study) -> String {
    let mut text = String::new();
    for theory in &study.theories {
        for (reference, count) in &theory.wrong_references {
            text += &format!(
                "reference {reference} says unsat of {count} formulas of {} that have a model\n",
                theory.name
            );
        }
    }
    text
}

fn json_line<'s>(
    study: &'s Study,
    theory: &'s Theory,
    release: &'s Release,
    results: &'s Results,
    jointly_solved: u32,
) -> StudyLine<'s> {
    StudyLine {
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
