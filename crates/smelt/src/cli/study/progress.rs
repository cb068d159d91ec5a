//! How a study goes: a bar on a terminal, a line every now and then elsewhere.

use std::cell::{Cell, RefCell};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use smelt_campaign::release_study::{Phase, StudyProgress as Done};

/// Between two lines where there is no terminal.
const LINE_PAUSE: Duration = Duration::from_secs(10);

/// Tells on standard error how a study goes.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    /// The phase, and when it began.
    phase: RefCell<Option<(Phase, Instant)>>,
    last_line: Cell<Instant>,
}

impl Progress {
    pub(super) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{elapsed} {bar:20} {wide_msg}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Progress { bar, phase: RefCell::new(None), last_line: Cell::new(Instant::now()) }
    }

    /// Shows how far a phase has come, unless that was shown just now.
    pub(super) fn show(&self, done: &Done) {
        let mut phase = self.phase.borrow_mut();
        let begun = match *phase {
            Some((current, begun)) if current == done.phase => begun,
            _ => {
                let now = Instant::now();
                *phase = Some((done.phase, now));
                now
            }
        };
        let elapsed = begun.elapsed();
        match &self.bar {
            Some(bar) => {
                bar.set_length(done.total);
                bar.set_position(done.done);
                bar.set_message(line(done, elapsed));
            }
            None if self.last_line.get().elapsed() >= LINE_PAUSE => {
                self.last_line.set(Instant::now());
                let _ = writeln!(std::io::stderr(), "{}", line(done, elapsed));
            }
            None => {}
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `releases: 1200 of 5000 runs (45/s), 84 s left`.
fn line(done: &Done, elapsed: Duration) -> String {
    let phase = match done.phase {
        Phase::References => "references",
        Phase::Releases => "releases",
        Phase::Again => "looking again",
    };
    let rate = (done.done - done.before) as f64 / elapsed.as_secs_f64().max(0.1);
    let mut text = format!("{phase}: {} of {} runs ({rate:.0}/s)", done.done, done.total);
    if rate > 0.0 && elapsed > Duration::from_secs(2) {
        let left = (done.total - done.done) as f64 / rate;
        text.push_str(&match left {
            left if left > 90.0 => format!(", {:.0} min left", left / 60.0),
            left => format!(", {left:.0} s left"),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_the_rate_of_this_process_and_what_is_left() {
        let done = Done { phase: Phase::Releases, before: 100, done: 200, total: 1000 };
        let text = line(&done, Duration::from_secs(10));
        assert_eq!(text, "releases: 200 of 1000 runs (10/s), 80 s left");
    }
}
