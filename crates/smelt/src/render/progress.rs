//! How something goes that takes long: a bar or a moving line on a terminal, a line every now and then elsewhere.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use smelt_oracle::foreign_text::in_line;

/// Between two lines where there is no terminal.
const LINE_PAUSE: Duration = Duration::from_secs(10);

/// Shows on standard error how something goes. What cannot be written is no reason to stop.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    pause: Duration,
    last_line: Cell<Instant>,
}

impl Progress {
    fn new(bar: Option<ProgressBar>, pause: Duration) -> Self {
        Progress { bar, pause, last_line: Cell::new(Instant::now()) }
    }

    /// With a line that moves; without a terminal, a line is printed after each pause.
    pub(crate) fn moving(pause: Duration) -> Self {
        Progress::new(io::stderr().is_terminal().then(ProgressBar::new_spinner), pause)
    }

    /// With a bar of this length; a moving line if there is none.
    pub(crate) fn measured(length: Option<u64>) -> Self {
        let bar = || {
            let shape = if length.is_some() { "{bar:20}" } else { "{spinner}" };
            let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template(&format!("{{elapsed}} {shape} {{wide_msg}}"));
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        };
        Progress::new(io::stderr().is_terminal().then(bar), LINE_PAUSE)
    }

    /// A line that is printed without a terminal too, after the usual pause.
    pub(crate) fn lines() -> Self {
        Progress::new(None, LINE_PAUSE)
    }

    /// Changes the length of the bar.
    pub(crate) fn set_length(&self, length: u64) {
        self.bar.iter().for_each(|bar| bar.set_length(length));
    }

    /// Shows how it goes: beside the bar at this position, or in a line unless there was one just now.
    pub(crate) fn show(
        &self,
        position: Option<u64>,
        beside: impl FnOnce() -> String,
        line: impl FnOnce() -> String,
    ) {
        match &self.bar {
            Some(bar) => {
                position.map_or_else(|| bar.tick(), |position| bar.set_position(position));
                bar.set_message(in_line(&beside()));
                bar.tick();
            }
            None if self.last_line.get().elapsed() >= self.pause => {
                self.last_line.set(Instant::now());
                let _ = writeln!(io::stderr(), "{}", line());
            }
            None => {}
        }
    }

    /// Writes a line that stays.
    pub(crate) fn keep(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => _ = writeln!(io::stderr(), "{line}"),
        }
    }
}

impl Drop for Progress {
    /// Takes the bar away.
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}
