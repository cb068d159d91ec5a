//! A run of a solver on a file: one line of text, or of JSON.

use serde::Serialize;
use smelt_oracle::run::{Answer, Limit, Run};
use smelt_oracle::signature::Signature;
use smelt_runner::identity::Identity;

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct RunLine<'r> {
    file: &'r str,
    solver: &'r str,
    answer: Answer,
    answers: &'r [Answer],
    cpu_ms: f64,
    wall_ms: f64,
    max_rss_kb: Option<u64>,
    reason: Option<&'r str>,
    crash_signature: Option<&'r str>,
    reports: &'r [String],
    limit: Option<Limit>,
    leaked: usize,
    program: &'r str,
    version: Option<&'r str>,
    hash: Option<&'r str>,
}

impl<'r> RunLine<'r> {
    /// A run on a file, by the program that this is.
    pub fn new(file: &'r str, run: &'r Run, identity: &'r Identity) -> RunLine<'r> {
        line(file, run, identity)
    }
}

fn line<'r>(file: &'r str, run: &'r Run, identity: &'r Identity) -> RunLine<'r> {
    RunLine {
        file,
        solver: &run.solver,
        answer: run.answer,
        answers: &run.answers,
        cpu_ms: round(run.cpu_ms),
        wall_ms: round(run.wall_ms),
        max_rss_kb: run.max_rss_kb,
        reason: run.reason.as_deref(),
        crash_signature: run.crash_signature.as_deref(),
        reports: &run.reports,
        limit: run.limit,
        leaked: run.leaked,
        program: &identity.program,
        version: identity.version.as_deref(),
        hash: identity.hash.as_deref(),
    }
}

fn round(millis: f64) -> f64 {
    (millis * 1000.0).round() / 1000.0
}

/// A run on a file, in words.
pub fn text(file: &str, run: &Run) -> String {
    let mut text = format!("{file} {} {} {:.0} ms", run.solver, run.answer.word(), run.cpu_ms);
    if let Some(limit) = run.limit {
        text.push_str(&format!(", {} limit", limit.word()));
    }
    if !run.answer.is_decided()
        && let Some(reason) = &run.reason
    {
        text.push_str(&format!(" ({})", reason.trim()));
    }
    for report in &run.reports {
        text.push_str(&format!("; {}", Signature::parse(report).headline()));
    }
    text
}
