//! Diagnostics of commands: what [`smelt_smtlib::snippet`] renders, in our colours, and inputs that cannot be read.

use std::sync::LazyLock;

use anstyle::{AnsiColor, Effects, Style};
use smelt_smtlib::diagnostic::Diagnostic;
use smelt_smtlib::snippet::{Marks, Renderer, Severity};

use smelt_campaign::inputs::UnreadableInput;

/// The colour of the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);

static RENDERER: LazyLock<Renderer> = LazyLock::new(|| {
    let marks = |style: Style| Marks { on: format!("{style}"), off: format!("{style:#}") };
    let bold = |color: AnsiColor| marks(color.on_default().effects(Effects::BOLD));
    Renderer {
        error: marks(ERROR),
        warning: bold(AnsiColor::Yellow),
        help: bold(AnsiColor::Cyan),
        frame: bold(AnsiColor::Blue),
        message: marks(Style::new().effects(Effects::BOLD)),
    }
});

/// The text for an input that cannot be read.
pub(crate) fn render_unreadable(problem: &UnreadableInput) -> String {
    unreadable(problem, Severity::Error)
}

/// The text for an input that cannot be read, where others are used.
pub(crate) fn render_skipped(problem: &UnreadableInput) -> String {
    unreadable(problem, Severity::Warning)
}

fn unreadable(problem: &UnreadableInput, severity: Severity) -> String {
    let place = problem.place.map_or(String::new(), |place| format!(":{}:{}", place.line, place.column));
    let name = match problem.name.as_str() {
        "-" => format!("standard input{place}"),
        name => format!("`{name}{place}`"),
    };
    let message = format!("cannot read {name}: {}", problem.message);
    RENDERER.whole(severity, &message, problem.help.as_deref())
}

/// The text for a warning about a whole input.
pub(crate) fn render_warning(name: &str, message: &str, help: &str) -> String {
    RENDERER.whole(Severity::Warning, &format!("`{name}`: {message}"), Some(help))
}

/// The text for the first problems of a source, and how many more there are.
pub(crate) fn render<'d>(
    name: &str,
    source: &str,
    severity: Severity,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> String {
    RENDERER.source(name, source, severity, diagnostics)
}
