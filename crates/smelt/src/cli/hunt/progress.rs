//! How a hunt goes: a bar on a terminal, a line every now and then elsewhere.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use smelt_campaign::summary::{answers, findings_by_class};
use smelt_oracle::foreign_text::for_terminal;
use smelt_store::configuration::Budget;
use smelt_store::totals::Totals;

/// Between two lines where there is no terminal.
const LINE_PAUSE: Duration = Duration::from_secs(10);

/// Tells on standard error how a hunt goes.
pub(super) struct Progress {
    started: Instant,
    before: Totals,
    bar: Option<ProgressBar>,
    budget: Budget,
    last_line: Cell<Instant>,
    /// The solvers that were warned of.
    warned: RefCell<BTreeSet<usize>>,
}

impl Progress {
    /// Begins with what the campaign has done before.
    pub(super) fn new(before: Totals, budget: Budget) -> Self {
        let now = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| bar(&budget));
        Progress { started: now, before, bar, budget, last_line: Cell::new(now), warned: RefCell::default() }
    }

    /// Shows the totals, unless they were shown just now.
    pub(super) fn show(&self, totals: &Totals) {
        let elapsed = self.started.elapsed();
        let Some(bar) = &self.bar else {
            if self.last_line.get().elapsed() >= LINE_PAUSE {
                self.last_line.set(Instant::now());
                let _ = writeln!(std::io::stderr(), "{:.0} s: {}", elapsed.as_secs_f64(), self.line(totals));
            }
            return;
        };
        match (self.budget.time_secs, self.budget.cases) {
            (Some(_), _) => bar.set_position((self.before.elapsed + elapsed).as_millis() as u64),
            (None, Some(_)) => bar.set_position(totals.cases),
            (None, None) => bar.tick(),
        }
        bar.set_message(self.line(totals));
    }

    /// Warns of solvers, each once.
    pub(super) fn warn(&self, warnings: Vec<(usize, String)>) {
        for (solver, warning) in warnings {
            if !self.warned.borrow_mut().insert(solver) {
                continue;
            }
            let warning = for_terminal(&warning);
            match &self.bar {
                Some(bar) => bar.println(warning),
                None => _ = writeln!(std::io::stderr(), "{warning}"),
            }
        }
    }

    fn line(&self, totals: &Totals) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        let per_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        // The end of the line is cut off on a narrow terminal.
        let mut parts = vec![
            findings_by_class(totals),
            format!("{} cases ({:.0}/s)", totals.cases, per_second(totals.cases, self.before.cases)),
            format!("{} runs ({:.0}/s)", totals.runs, per_second(totals.runs, self.before.runs)),
        ];
        parts.extend(totals.solver_share().map(|share| format!("{:.0} % in solvers", share * 100.0)));
        parts.extend(Some(answers(totals)).filter(|answers| !answers.is_empty()));
        parts.join(", ")
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(budget: &Budget) -> ProgressBar {
    let (length, template) = match (budget.time_secs, budget.cases) {
        (Some(seconds), _) => (Some((seconds * 1e3) as u64), "{elapsed} {bar:20} {wide_msg}"),
        (None, Some(cases)) => (Some(cases), "{elapsed} {bar:20} {wide_msg}"),
        (None, None) => (None, "{elapsed} {spinner} {wide_msg}"),
    };
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(5));
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_come_first_so_that_a_narrow_terminal_shows_them() {
        let mut totals = Totals { cases: 99, runs: 237, ..Totals::default() };
        let progress = Progress::new(Totals::default(), Budget::default());
        assert!(progress.line(&totals).starts_with("no findings, 99 cases"), "{}", progress.line(&totals));
        totals.findings.push(("crash".to_owned(), 2));
        assert!(progress.line(&totals).starts_with("findings: crash 2, 99 cases"));
    }
}
