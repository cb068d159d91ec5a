//! Diagnostics as people read them: the message, the place, the line with carets, the advice.
//!
//! A broken file can have a line of 100 MB or a million problems, so only a window of a line is shown, only the first
//! [`MAX_SHOWN`] problems of a file, and places are found in one pass over the text. Nothing is printed here; colours are
//! [`Marks`] that the caller passes.

use std::fmt::Display;

use crate::diagnostic::Diagnostic;
use crate::source::{LineColumn, Span};

/// How many problems of one file are shown.
pub const MAX_SHOWN: usize = 20;

/// How many characters of a line are shown.
const WINDOW: usize = 100;

/// How many of them are before the problem when the line is cut.
const BEFORE: usize = 40;

/// How much a problem matters to the command that reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The input is of no use.
    Error,
    /// Work continues.
    Warning,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// What comes before and after a part of a text, such as the codes of a colour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// Before it.
    pub on: String,
    /// After it.
    pub off: String,
}

impl Marks {
    fn around(&self, text: impl Display) -> String {
        format!("{}{text}{}", self.on, self.off)
    }
}

/// Renders diagnostics, with marks for the parts of a text; by default without any.
#[derive(Debug, Clone, Default)]
pub struct Renderer {
    /// The word `error`, and carets below what is wrong.
    pub error: Marks,
    /// The same for warnings.
    pub warning: Marks,
    /// The word `help`.
    pub help: Marks,
    /// Line numbers, and what is around a line.
    pub frame: Marks,
    /// The message.
    pub message: Marks,
}

impl Renderer {
    /// The text for a problem of a whole input: the message, which may quote the input, and the advice.
    pub fn whole(&self, severity: Severity, message: &str, help: Option<&str>) -> String {
        format!("{}{}\n", self.headline(severity, message), self.advice(help))
    }

    /// The text for the first problems of a source, and how many more there are.
    pub fn source<'d>(
        &self,
        name: &str,
        source: &str,
        severity: Severity,
        diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    ) -> String {
        let diagnostics: Vec<&Diagnostic> = diagnostics.into_iter().collect();
        let shown = diagnostics.iter().copied().take(MAX_SHOWN);
        let mut text: String = in_text_order(source, shown)
            .into_iter()
            .map(|located| self.snippet(name, source, severity, &located))
            .collect();
        if diagnostics.len() > MAX_SHOWN {
            let word = severity.word();
            let more = diagnostics.len() - MAX_SHOWN;
            let plural = if more == 1 { "" } else { "s" };
            text.push_str(&self.headline(severity, &format!("and {more} more {word}{plural} in `{name}`")));
            text.push('\n');
        }
        text
    }

    fn snippet(
        &self,
        name: &str,
        source: &str,
        severity: Severity,
        located: &LocatedDiagnostic<'_>,
    ) -> String {
        let LocatedDiagnostic { diagnostic, place } = located;
        let name = if name == "-" { "<stdin>" } else { name };
        let window = window(source, diagnostic.span);
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let head = self.headline(severity, &diagnostic.message);
        let arrow = self.frame.around("-->");
        let position = format!("{}:{}:{}", visible(name), place.line, place.column);
        let bar = self.frame.around("|");
        let numbered = self.frame.around(format_args!("{number} |"));
        let indent = " ".repeat(window.indent);
        let carets = self.marks(severity).around("^".repeat(window.carets));
        format!(
            "{head}{margin}{arrow} {position}\n{margin} {bar}\n{numbered} {}\n{margin} {bar} {indent}{carets}\n{}\n",
            window.line,
            self.advice(diagnostic.help.as_deref())
        )
    }

    fn marks(&self, severity: Severity) -> &Marks {
        match severity {
            Severity::Error => &self.error,
            Severity::Warning => &self.warning,
        }
    }

    fn headline(&self, severity: Severity, message: &str) -> String {
        let word = self.marks(severity).around(severity.word());
        format!("{word}{}\n", self.message.around(format_args!(": {}", visible(message))))
    }

    fn advice(&self, help: Option<&str>) -> String {
        help.map_or_else(String::new, |help| format!("{}: {}\n", self.help.around("help"), visible(help)))
    }
}

/// A diagnostic with its place in the source.
#[derive(Debug, Clone, Copy)]
pub struct LocatedDiagnostic<'d> {
    /// What is wrong.
    pub diagnostic: &'d Diagnostic,
    /// Where it begins.
    pub place: LineColumn,
}

/// Each diagnostic with its place, in the order of the text.
pub fn in_text_order<'d>(
    source: &str,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> Vec<LocatedDiagnostic<'d>> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.span.start);
    let mut passed = 0;
    let mut place = LineColumn { line: 1, column: 1 };
    sorted
        .into_iter()
        .map(|diagnostic| {
            let start = (diagnostic.span.start as usize).min(source.len());
            for character in source[passed..start].chars() {
                if character == '\n' {
                    place = LineColumn { line: place.line + 1, column: 1 };
                } else {
                    place.column += 1;
                }
            }
            passed = start;
            LocatedDiagnostic { diagnostic, place }
        })
        .collect()
}

/// The part of a line that shows a span.
#[derive(Debug, PartialEq, Eq)]
struct Window {
    line: String,
    /// How many characters are before the span.
    indent: usize,
    /// How many characters of the span are shown, at least one.
    carets: usize,
}

/// Cuts out of a source what shows the start of a span.
fn window(source: &str, span: Span) -> Window {
    const CUT: &str = "...";
    let start = (span.start as usize).min(source.len());
    let end = (span.end as usize).clamp(start, source.len());
    let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
    // Looking further than the window could take a while, and nobody will see it.
    let before: Vec<char> = source[line_start..start].chars().rev().take(WINDOW).collect();
    let after: Vec<char> = source[start..].chars().take_while(|c| *c != '\n').take(WINDOW + 1).collect();
    let is_short = before.len() < WINDOW && before.len() + after.len() <= WINDOW;
    let kept_before = if is_short { before.len() } else { before.len().min(BEFORE) };
    let kept_after = after.len().min(WINDOW - kept_before);
    let mut line = String::new();
    let mut indent = kept_before;
    if kept_before < before.len() {
        line.push_str(CUT);
        indent += CUT.len();
    }
    line.extend(before[..kept_before].iter().rev().map(|c| printable(*c)));
    line.extend(after[..kept_after].iter().map(|c| printable(*c)));
    if kept_after < after.len() {
        line.push_str(CUT);
    }
    let carets = source[start..end].chars().take_while(|c| *c != '\n').take(kept_after).count().max(1);
    Window { line: line.trim_end().to_owned(), indent, carets }
}

/// One column for one character, and nothing that a terminal would obey.
fn printable(character: char) -> char {
    match character {
        '\t' | '\r' => ' ',
        _ if character.is_control() => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}

/// A text of ours that may quote a source, without what a terminal would obey.
fn visible(text: &str) -> String {
    text.chars().map(printable).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::diagnostic::Problem;

    fn check(source: &str, span: Span, expect: Expect) {
        let diagnostic = Diagnostic::new(Problem::Sort, span, "wrong").with_help("right it");
        let text = Renderer::default().source("a.smt2", source, Severity::Error, [&diagnostic]);
        expect.assert_eq(&text);
    }

    #[test]
    fn a_problem_is_shown_with_its_line_and_carets() {
        check(
            "(exit)\n\t(assert ü)\n",
            Span::new(16, 18),
            expect![[r#"
                error: wrong
                 --> a.smt2:2:10
                  |
                2 |  (assert ü)
                  |          ^
                help: right it

            "#]],
        );
    }

    #[test]
    fn a_span_over_several_lines_shows_the_first() {
        check(
            "(a\nb)",
            Span::new(0, 5),
            expect![[r#"
                error: wrong
                 --> a.smt2:1:1
                  |
                1 | (a
                  | ^^
                help: right it

            "#]],
        );
    }

    #[test]
    fn a_problem_at_the_end_of_the_text_has_a_caret() {
        check(
            "(a)\n",
            Span::new(4, 4),
            expect![[r#"
                error: wrong
                 --> a.smt2:2:1
                  |
                2 | 
                  | ^
                help: right it

            "#]],
        );
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let source = format!("{}<here>{}", "a".repeat(1000), "b".repeat(1000));
        check(
            &source,
            Span::new(1000, 1006),
            expect![[r#"
                error: wrong
                 --> a.smt2:1:1001
                  |
                1 | ...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<here>bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...
                  |                                            ^^^^^^
                help: right it

            "#]],
        );
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        check(
            "(\u{1b}[31m)",
            Span::new(1, 2),
            expect![[r#"
                error: wrong
                 --> a.smt2:1:2
                  |
                1 | (�[31m)
                  |  ^
                help: right it

            "#]],
        );
    }

    #[test]
    fn many_problems_are_counted_and_not_shown() {
        let source = ")".repeat(30);
        let diagnostics: Vec<Diagnostic> =
            (0..30).map(|at| Diagnostic::new(Problem::Syntax, Span::new(at, at + 1), "stray")).collect();
        let text = Renderer::default().source("a.smt2", &source, Severity::Error, &diagnostics);
        assert_eq!(text.matches("stray").count(), MAX_SHOWN);
        assert!(text.ends_with("error: and 10 more errors in `a.smt2`\n\n"), "{text}");
    }

    #[test]
    fn marks_are_around_the_parts() {
        let marks = |on: &str| Marks { on: format!("<{on}>"), off: format!("</{on}>") };
        let renderer =
            Renderer { warning: marks("w"), message: marks("m"), help: marks("h"), ..Renderer::default() };
        let text = renderer.whole(Severity::Warning, "odd", Some("look"));
        assert_eq!(text, "<w>warning</w><m>: odd</m>\n<h>help</h>: look\n\n");
    }
}
