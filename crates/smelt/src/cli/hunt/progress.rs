//! How a hunt goes: a bar on a terminal, a line every now and then elsewhere, and warnings about solvers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

use smelt_campaign::summary::progress_line;
use smelt_oracle::foreign_text::for_terminal;
use smelt_store::configuration::Budget;
use smelt_store::totals::Totals;

use crate::render::progress::Progress;

/// Tells on standard error how a hunt goes.
pub(super) struct HuntProgress {
    progress: Progress,
    started: Instant,
    before: Totals,
    budget: Budget,
    /// The solvers that were warned of.
    warned: RefCell<BTreeSet<usize>>,
}

impl HuntProgress {
    /// Begins with what the campaign has done before.
    pub(super) fn new(before: Totals, budget: Budget) -> Self {
        let length = budget.time_secs.map(|seconds| (seconds * 1e3) as u64).or(budget.cases);
        let progress = Progress::measured(length);
        HuntProgress { progress, started: Instant::now(), before, budget, warned: RefCell::default() }
    }

    /// Shows the totals, unless they were shown just now.
    pub(super) fn show(&self, totals: &Totals) {
        let elapsed = self.started.elapsed();
        let time = self.budget.time_secs.map(|_| (self.before.elapsed + elapsed).as_millis() as u64);
        let position = time.or(self.budget.cases.map(|_| totals.cases));
        let line = || progress_line(totals, &self.before, elapsed);
        self.progress.show(position, line, || format!("{:.0} s: {}", elapsed.as_secs_f64(), line()));
    }

    /// Warns of solvers, each once.
    pub(super) fn warn(&self, warnings: Vec<(usize, String)>) {
        for (solver, warning) in warnings {
            if self.warned.borrow_mut().insert(solver) {
                self.progress.keep(&for_terminal(&warning));
            }
        }
    }
}
