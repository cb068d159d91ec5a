//! What came of a triage, in a few words and lines.

use std::path::Path;

use serde::Serialize;
use smelt_oracle::finding::Class;
use smelt_oracle::run::{Answer, Run};
use smelt_store::finding::Finding;

use super::listing::ShownSize;
use super::triage_files::{Added, Dating, Newest};

/// The width of a terminal that nothing is known of.
const COLUMNS: usize = 80;

/// What releases do with a finding; nothing is known if none was asked.
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

/// What the newest release does with it.
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

/// The result of a triage as JSON. The names of the fields never change.
#[derive(Debug, Default, Serialize)]
pub struct TriageLine<'l> {
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

fn answers(runs: &[Run]) -> Vec<(&str, Answer)> {
    runs.iter().map(|run| (run.solver.as_str(), run.answer)).collect()
}

/// The folder of a finding after its triage.
#[derive(Debug)]
pub struct Triaged<'t> {
    finding: &'t Finding,
    added: Added,
    title: String,
    report: String,
    dating: Dating,
}

impl<'t> Triaged<'t> {
    /// Reads the folder of a finding.
    pub fn read(finding: &'t Finding, folder: &Path) -> Triaged<'t> {
        let added = Added::read(folder);
        let report = folder.join("report.md");
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        let dating = added.dating.clone().unwrap_or_default();
        Triaged { finding, added, title, report: report.display().to_string(), dating }
    }

    fn newest(&self) -> Option<&Newest> {
        self.added.triage.as_ref().and_then(|triage| triage.newest.as_ref())
    }

    fn same_as(&self) -> Option<&str> {
        self.added.triage.as_ref().and_then(|triage| triage.same_as.as_deref())
    }

    fn solver(&self) -> &str {
        self.finding.verdict.culprit.as_deref().unwrap_or("-")
    }

    /// As JSON; `file` has the formula.
    pub fn line(&self, file: &Path) -> TriageLine<'_> {
        let size = ShownSize::of(self.finding, &self.added);
        TriageLine {
            file: file.display().to_string(),
            solver: self.solver(),
            class: Some(self.finding.verdict.class),
            title: Some(&self.title),
            id: Some(self.finding.id.as_str()),
            case_bytes: Some(self.finding.bytes),
            bytes: Some(size.bytes),
            reduced: size.is_reduced,
            first_bad: self.dating.first_bad.as_deref(),
            last_good: self.dating.last_good.as_deref(),
            fixed: self.dating.fixed.as_deref(),
            undecided: &self.dating.undecided,
            not_tested: &self.dating.not_tested,
            newest: self.newest(),
            same_as: self.same_as(),
            report: Some(self.report.clone()),
            answers: answers(&self.finding.runs),
        }
    }

    /// In a few lines.
    pub fn text(&self) -> String {
        let size = ShownSize::of(self.finding, &self.added);
        let word = if size.is_reduced { "reduced from" } else { "not reduced" };
        let before = if size.is_reduced { format!(" {} bytes", self.finding.bytes) } else { String::new() };
        let mut rows = vec![
            ("bug", self.title.clone()),
            ("solver", self.solver().to_owned()),
            ("formula", format!("{} bytes, {word}{before}", size.bytes)),
            ("releases", releases_text(&self.dating, self.added.dating.is_some())),
        ];
        rows.extend(self.newest().map(|newest| ("newest", newest_text(newest))));
        rows.extend(self.same_as().map(|same_as| ("duplicate", format!("seems to be {same_as}"))));
        rows.push(("report", self.report.clone()));
        let lines = rows.iter().flat_map(|(name, value)| wrapped(name, value));
        lines.map(|line| line + "\n").collect()
    }
}

/// A triage that finds nothing wrong, as JSON.
pub fn nothing_line<'l>(file: &Path, solver: &'l str, runs: &'l [Run]) -> TriageLine<'l> {
    TriageLine { file: file.display().to_string(), solver, answers: answers(runs), ..TriageLine::default() }
}

/// The same in words: what all solvers say.
pub fn nothing_text(file: &Path, solver: &str, runs: &[Run]) -> String {
    let line = |run: &Run| {
        let reason = run.reason.as_ref().filter(|_| !run.answer.is_decided());
        let reason = reason.map_or_else(String::new, |reason| format!(" ({})", reason.trim()));
        format!("{}: {}{reason}\n", run.solver, run.answer.word())
    };
    let lines: String = runs.iter().map(line).collect();
    format!("{lines}nothing wrong with {solver} on {}\n", file.display())
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
