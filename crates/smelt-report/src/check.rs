//! What is wrong with a script: one line of JSON for each, and a line of text for all.

use serde::Serialize;
use smelt_smtlib::diagnostic::Diagnostic;
use smelt_smtlib::legibility::TermCounts;
use smelt_smtlib::read::Reading;
use smelt_smtlib::snippet::{LocatedDiagnostic, in_text_order};
use smelt_smtlib::source::LineColumn;
use smelt_smtlib::term::Terms;

/// One line of `--json`. The names of the fields never change.
#[derive(Debug, Serialize)]
pub struct CheckLine {
    file: String,
    ok: bool,
    errors: Vec<ErrorLine>,
    logic: Option<String>,
    dialect: Option<&'static str>,
    terms: Option<u64>,
    opaque: Option<u64>,
}

/// An error in a line of `--json`.
#[derive(Debug, Serialize)]
pub struct ErrorLine {
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    help: Option<String>,
    kind: &'static str,
}

impl ErrorLine {
    /// Why an input cannot be read, and where, if that has a place.
    pub fn unreadable(place: Option<LineColumn>, message: String, help: Option<String>) -> ErrorLine {
        let (line, column) = place.map(|place| (place.line, place.column)).unzip();
        ErrorLine { line, column, message, help, kind: "unreadable" }
    }

    fn of(located: &LocatedDiagnostic<'_>) -> ErrorLine {
        let Diagnostic { message, help, problem, .. } = located.diagnostic;
        ErrorLine {
            line: Some(located.place.line),
            column: Some(located.place.column),
            message: message.clone(),
            help: help.clone(),
            kind: problem.word(),
        }
    }
}

impl CheckLine {
    /// A script that was read from this text.
    pub fn of(file: String, source: &str, terms: &Terms, reading: &Reading) -> CheckLine {
        let errors: Vec<ErrorLine> =
            in_text_order(source, &reading.diagnostics).iter().map(ErrorLine::of).collect();
        let counts = TermCounts::of(terms, &reading.script);
        CheckLine {
            file,
            ok: errors.is_empty(),
            errors,
            logic: reading.script.logic().map(|logic| terms.text(logic).to_owned()),
            dialect: Some(reading.script.dialect.version()),
            terms: Some(counts.terms),
            opaque: Some(counts.opaque),
        }
    }

    /// An input that gives no text.
    pub fn unreadable(file: String, error: ErrorLine) -> CheckLine {
        let errors = vec![error];
        CheckLine { file, ok: false, errors, logic: None, dialect: None, terms: None, opaque: None }
    }
}

/// How many inputs are good, and how much of these is understood.
#[derive(Debug, Default)]
pub struct CheckTotals {
    good: u64,
    bad: u64,
    unreadable: u64,
    counts: TermCounts,
}

impl CheckTotals {
    /// Counts a script without errors.
    pub fn add_good(&mut self, counts: TermCounts) {
        self.good += 1;
        self.counts.add(counts);
    }

    /// Counts a script with errors.
    pub fn add_bad(&mut self) {
        self.bad += 1;
    }

    /// Counts an input that gives no text.
    pub fn add_unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// Whether all inputs are good.
    pub fn is_good(&self) -> bool {
        self.bad + self.unreadable == 0
    }

    /// All of that in a line.
    pub fn text(&self) -> String {
        let CheckTotals { good, bad, unreadable, counts } = self;
        let total = good + bad + unreadable;
        let mut parts = vec![format!("{good} well-sorted")];
        if *bad > 0 {
            parts.push(format!("{bad} with errors"));
        }
        if *unreadable > 0 {
            parts.push(format!("{unreadable} unreadable"));
        }
        if counts.opaque > 0 {
            parts.push(format!("{} of {} terms opaque", counts.opaque, counts.terms));
        }
        format!("{total} file{}: {}", if total == 1 { "" } else { "s" }, parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(good: u64, bad: u64, unreadable: u64, counts: TermCounts) -> String {
        CheckTotals { good, bad, unreadable, counts }.text()
    }

    #[test]
    fn the_summary_counts_what_there_is() {
        let none = TermCounts { terms: 7, opaque: 0 };
        assert_eq!(summary(1, 0, 0, none), "1 file: 1 well-sorted");
        assert_eq!(summary(3012, 2, 0, none), "3014 files: 3012 well-sorted, 2 with errors");
        assert_eq!(summary(0, 0, 1, none), "1 file: 0 well-sorted, 1 unreadable");
        let some = TermCounts { terms: 9, opaque: 2 };
        assert_eq!(summary(1, 0, 0, some), "1 file: 1 well-sorted, 2 of 9 terms opaque");
    }
}
