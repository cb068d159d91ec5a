//! What came of a triage, in a few lines.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use smelt_oracle::finding::Class;
use smelt_oracle::run::{Answer, Run};
use smelt_report::finding::triage_files::{Added, Dating, Newest};
use smelt_store::finding::Finding;

use super::Args;
use crate::error::CliError;
use crate::findings::Size;
use crate::streams::Streams;

/// The width of a terminal that nothing is known of.
const COLUMNS: usize = 80;

/// The result of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
struct Line<'l> {
    file: String,
    solver: &'l str,
    /// Nothing if nothing is wrong.
    class: Option<Class>,
    title: Option<&'l str>,
    id: Option<&'l str>,
    case_bytes: Option<usize>,
    bytes: Option<usize>,
    reduced: bool,
    first_bad: Option<&'l str>,
    last_good: Option<&'l str>,
    fixed: Option<&'l str>,
    undecided: &'l [(String, String)],
    not_tested: &'l [String],
    newest: Option<&'l Newest>,
    same_as: Option<&'l str>,
    report: Option<String>,
    answers: Vec<(&'l str, Answer)>,
}

/// Prints what the folder of a finding says.
pub(super) fn print(
    args: &Args,
    finding: &Finding,
    output: &Path,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let added = Added::read(output);
    let report = output.join("report.md");
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
    let size = Size::of(finding, &added);
    let (triage, dating) = (added.triage.as_ref(), added.dating.clone().unwrap_or_default());
    let newest = triage.and_then(|triage| triage.newest.as_ref());
    let same_as = triage.and_then(|triage| triage.same_as.as_deref());
    let solver = finding.verdict.culprit.as_deref().unwrap_or("-");
    if args.json {
        streams.json_line(&Line {
            file: args.file.display().to_string(),
            solver,
            class: Some(finding.verdict.class),
            title: Some(title),
            id: Some(finding.id.as_str()),
            case_bytes: Some(finding.bytes),
            bytes: Some(size.bytes),
            reduced: size.is_reduced,
            first_bad: dating.first_bad.as_deref(),
            last_good: dating.last_good.as_deref(),
            fixed: dating.fixed.as_deref(),
            undecided: &dating.undecided,
            not_tested: &dating.not_tested,
            newest,
            same_as,
            report: Some(report.display().to_string()),
            answers: finding.runs.iter().map(|run| (run.solver.as_str(), run.answer)).collect(),
        })?;
        return Ok(());
    }
    let word = if size.is_reduced { "reduced from" } else { "not reduced" };
    let before = if size.is_reduced { format!(" {} bytes", finding.bytes) } else { String::new() };
    let mut rows = vec![
        ("bug", title.to_owned()),
        ("solver", solver.to_owned()),
        ("formula", format!("{} bytes, {word}{before}", size.bytes)),
    ];
    rows.push(("releases", releases_text(&dating, added.dating.is_some())));
    rows.extend(newest.map(|newest| ("newest", newest_text(newest))));
    rows.extend(same_as.map(|same_as| ("duplicate", format!("seems to be {same_as}"))));
    rows.push(("report", report.display().to_string()));
    for (name, value) in rows {
        for line in wrapped(name, &value) {
            writeln!(streams.results(), "{line}")?;
        }
    }
    Ok(())
}

/// Prints that nothing is wrong, and what all solvers say.
pub(super) fn print_nothing(
    args: &Args,
    solver: &str,
    runs: &[Run],
    streams: &mut Streams,
) -> Result<(), CliError> {
    if args.json {
        streams.json_line(&Line {
            file: args.file.display().to_string(),
            solver,
            class: None,
            title: None,
            id: None,
            case_bytes: None,
            bytes: None,
            reduced: false,
            first_bad: None,
            last_good: None,
            fixed: None,
            undecided: &[],
            not_tested: &[],
            newest: None,
            same_as: None,
            report: None,
            answers: runs.iter().map(|run| (run.solver.as_str(), run.answer)).collect(),
        })?;
        return Ok(());
    }
    let out = streams.results();
    for run in runs {
        let reason = run.reason.as_ref().filter(|_| !run.answer.is_decided());
        let reason = reason.map_or_else(String::new, |reason| format!(" ({})", reason.trim()));
        writeln!(out, "{}: {}{reason}", run.solver, run.answer.word())?;
    }
    writeln!(out, "nothing wrong with {solver} on {}", args.file.display())?;
    Ok(())
}

fn releases_text(dating: &Dating, is_asked: bool) -> String {
    if !is_asked {
        return "not tested".to_owned();
    }
    let first = match (&dating.first_bad, &dating.last_good) {
        (Some(first_bad), Some(last_good)) => format!("introduced in {first_bad} ({last_good} is good)"),
        (Some(first_bad), None) => format!("in {first_bad} already, the earliest that was asked"),
        (None, _) => "none of those asked shows it".to_owned(),
    };
    let fixed = match (&dating.fixed, &dating.first_bad) {
        (Some(fixed), _) => format!("; fixed in {fixed}"),
        (None, Some(_)) => "; not fixed in any that was decided".to_owned(),
        (None, None) => String::new(),
    };
    let mut text = format!("{first}{fixed}");
    for (count, what) in [(dating.undecided.len(), "undecided"), (dating.not_tested.len(), "not tested")] {
        if count > 0 {
            text.push_str(&format!("; {count} {what}"));
        }
    }
    text
}

fn newest_text(newest: &Newest) -> String {
    let answer = newest.answer.map_or("rejected", Answer::word);
    match newest.shows {
        Some(true) => format!("{} still shows it", newest.release),
        Some(false) => format!("{} does not show it (`{answer}`)", newest.release),
        None => format!("{} is undecided (`{answer}`)", newest.release),
    }
}

/// `name: value`, on lines that fit a terminal.
fn wrapped(name: &str, value: &str) -> Vec<String> {
    let head = format!("{:<10} ", format!("{name}:"));
    let indent = " ".repeat(head.len());
    let mut lines = vec![head];
    let mut is_first = true;
    for word in value.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let space = if is_first { "" } else { " " };
        if !is_first && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push(format!("{indent}{word}"));
        } else {
            line.push_str(space);
            line.push_str(word);
        }
        is_first = false;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal() {
        let lines = wrapped("releases", &"word ".repeat(40));
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= COLUMNS), "{lines:?}");
        assert_eq!(wrapped("bug", "Crash in QF_S"), ["bug:       Crash in QF_S"]);
    }

    #[test]
    fn a_release_without_an_answer_is_undecided() {
        let newest = Newest { release: "z3@5".to_owned(), shows: None, answer: Some(Answer::Timeout) };
        assert_eq!(newest_text(&newest), "z3@5 is undecided (`timeout`)");
        let dating =
            Dating { undecided: vec![("z3@5".to_owned(), "timeout".to_owned())], ..Dating::default() };
        assert_eq!(releases_text(&dating, true), "none of those asked shows it; 1 undecided");
    }
}
