//! Diagnostics as people read them: the message, the place, the line with carets, the advice.
//!
//! A broken file can have a line of 100 MB or a million problems, so only a window of a line is shown, only the first
//! [`MAX_SHOWN`] problems of a file, and places are found in one pass over the text.

use std::fmt::Write;

use anstyle::{AnsiColor, Effects, Style};
use smelt_smtlib::diagnostic::{Diagnostic, Problem};
use smelt_smtlib::source::{Place, Span};

use crate::inputs::Unreadable;

/// The colour of the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
const WARNING: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);
const HELP: Style = AnsiColor::Cyan.on_default().effects(Effects::BOLD);
const FRAME: Style = AnsiColor::Blue.on_default().effects(Effects::BOLD);
const BOLD: Style = Style::new().effects(Effects::BOLD);

/// How many problems of one file are shown.
pub(crate) const MAX_SHOWN: usize = 20;

/// How many characters of a line are shown.
const WINDOW: usize = 100;

/// How many of them stand before the problem when the line is cut.
const BEFORE: usize = 40;

/// How much a problem matters to the command that reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The input is of no use.
    Error,
    /// Work goes on.
    Warning,
}

impl Severity {
    fn word(self) -> (&'static str, Style) {
        match self {
            Severity::Error => ("error", ERROR),
            Severity::Warning => ("warning", WARNING),
        }
    }
}

/// The name of a kind of problem in JSON.
pub(crate) fn problem_name(problem: Problem) -> &'static str {
    match problem {
        Problem::Syntax => "syntax",
        Problem::Form => "form",
        Problem::UnknownName => "unknown-name",
        Problem::Sort => "sort",
        Problem::Scope => "scope",
    }
}

/// Each diagnostic with its place, in the order of the text.
pub(crate) fn in_text_order<'d>(
    source: &str,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> Vec<(&'d Diagnostic, Place)> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.span.start);
    let mut passed = 0;
    let mut place = Place { line: 1, column: 1 };
    sorted
        .into_iter()
        .map(|diagnostic| {
            let start = (diagnostic.span.start as usize).min(source.len());
            for character in source[passed..start].chars() {
                if character == '\n' {
                    place = Place { line: place.line + 1, column: 1 };
                } else {
                    place.column += 1;
                }
            }
            passed = start;
            (diagnostic, place)
        })
        .collect()
}

/// The text for an input that cannot be read.
pub(crate) fn render_unreadable(problem: &Unreadable) -> String {
    unreadable(problem, Severity::Error)
}

/// The text for an input that cannot be read, where others are used.
pub(crate) fn render_skipped(problem: &Unreadable) -> String {
    unreadable(problem, Severity::Warning)
}

fn unreadable(problem: &Unreadable, severity: Severity) -> String {
    let mut text = String::new();
    let (word, style) = severity.word();
    let place = problem.place.map_or(String::new(), |place| format!(":{}:{}", place.line, place.column));
    let name = match problem.name.as_str() {
        "-" => format!("standard input{place}"),
        name => format!("`{}{place}`", visible(name)),
    };
    append(&mut text, format_args!("{style}{word}{style:#}{BOLD}: cannot read {name}: "));
    append(&mut text, format_args!("{}{BOLD:#}\n", visible(&problem.message)));
    append_help(&mut text, problem.help.as_deref());
    text.push('\n');
    text
}

/// The text for a warning about a whole input.
pub(crate) fn render_warning(name: &str, message: &str, help: &str) -> String {
    let mut text = String::new();
    let (word, style) = Severity::Warning.word();
    append(&mut text, format_args!("{style}{word}{style:#}{BOLD}: `{}`: {message}{BOLD:#}\n", visible(name)));
    append_help(&mut text, Some(help));
    text.push('\n');
    text
}

/// The text for the first problems of a source, and how many more there are.
pub(crate) fn render<'d>(
    name: &str,
    source: &str,
    severity: Severity,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> String {
    let diagnostics: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    let mut text = String::new();
    let shown = diagnostics.iter().copied().take(MAX_SHOWN);
    for (diagnostic, place) in in_text_order(source, shown) {
        render_one(&mut text, name, source, severity, diagnostic, place);
    }
    if diagnostics.len() > MAX_SHOWN {
        let (word, style) = severity.word();
        let more = diagnostics.len() - MAX_SHOWN;
        let plural = if more == 1 { "" } else { "s" };
        append(
            &mut text,
            format_args!(
                "{style}{word}{style:#}{BOLD}: and {more} more {word}{plural} in `{}`{BOLD:#}\n\n",
                visible(name)
            ),
        );
    }
    text
}

fn render_one(
    text: &mut String,
    name: &str,
    source: &str,
    severity: Severity,
    diagnostic: &Diagnostic,
    place: Place,
) {
    let (word, style) = severity.word();
    let name = if name == "-" { "<stdin>" } else { name };
    let window = window(source, diagnostic.span);
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    append(text, format_args!("{style}{word}{style:#}{BOLD}: {}{BOLD:#}\n", visible(&diagnostic.message)));
    append(
        text,
        format_args!("{margin}{FRAME}-->{FRAME:#} {}:{}:{}\n", visible(name), place.line, place.column),
    );
    append(text, format_args!("{margin} {FRAME}|{FRAME:#}\n"));
    append(text, format_args!("{FRAME}{number} |{FRAME:#} {}\n", window.line));
    append(
        text,
        format_args!(
            "{margin} {FRAME}|{FRAME:#} {}{style}{}{style:#}\n",
            " ".repeat(window.indent),
            "^".repeat(window.carets)
        ),
    );
    append_help(text, diagnostic.help.as_deref());
    text.push('\n');
}

fn append_help(text: &mut String, help: Option<&str>) {
    if let Some(help) = help {
        append(text, format_args!("{HELP}help{HELP:#}: {}\n", visible(help)));
    }
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}

/// The part of a line that shows a span.
#[derive(Debug, PartialEq, Eq)]
struct Window {
    line: String,
    /// How many characters stand before the span.
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

    fn check(source: &str, span: Span, expect: Expect) {
        let diagnostic = Diagnostic::new(Problem::Sort, span, "wrong").with_help("right it");
        let text = render("a.smt2", source, Severity::Error, [&diagnostic]);
        expect.assert_eq(&anstream::adapter::strip_str(&text).to_string());
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
        let text = render("a.smt2", &source, Severity::Error, &diagnostics);
        assert_eq!(text.matches("stray").count(), MAX_SHOWN);
        assert!(
            anstream::adapter::strip_str(&text).to_string().ends_with("and 10 more errors in `a.smt2`\n\n")
        );
    }
}
