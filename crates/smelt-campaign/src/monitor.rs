//! A solver watched: compared with a reference on the first formulas of grammars, with what that guarantees.
//!
//! Formulas are run in sessions; whatever is wrong is asked again in fresh processes before it counts. There is no record:
//! the result is a statement about all formulas up to a size, and a list of differences.
//!
//! | to find | look in |
//! |---|---|
//! | one formula on both solvers, judged | `monitor/compare.rs` |
//! | differences that are known and do not count | [`baseline`] |
//! | results as JUnit XML and SARIF | [`results`] |

pub mod baseline;
mod compare;
pub mod results;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use dashu_int::UBig;
use serde::Serialize;
use smelt_runner::clock;
use smelt_runner::limits::Limits;
use smelt_runner::parallel;
use smelt_testgen::enumeration::{Enumeration, Parameters};
use smelt_trial::SolverFailure;
use smelt_trial::target::Target;
use smelt_trial::worker::Worker;

use compare::{Agreement, Compared, compare};
pub use compare::{Difference, DifferenceCulprit};

/// A solver and its reference, and on what they are compared.
#[derive(Debug)]
pub struct Monitor {
    /// The solver that is watched, then the reference.
    pub targets: [Target; 2],
    /// The limits of each run.
    pub limits: Limits,
    /// How many workers there are.
    pub jobs: NonZeroUsize,
    /// How formulas look.
    pub parameters: Parameters,
    /// How many formulas of each grammar.
    pub count: u64,
    /// Only formulas up to this size.
    pub max_size: Option<u32>,
}

/// What came of the formulas of a grammar. In `--json` the names of the fields never change.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MonitorTally {
    /// The grammar.
    pub grammar: String,
    /// The solver that is watched.
    pub solver: String,
    /// The solver that it is compared with.
    pub reference: String,
    /// How many variables are declared.
    pub variables: u32,
    /// How many assertions a formula has.
    pub asserts: u32,
    /// How many formulas were compared, from the first on without a gap.
    pub formulas: u64,
    /// All formulas up to this size are among them.
    pub complete_size: Option<u32>,
    /// How many of them are up to that size.
    pub complete_formulas: u64,
    /// Both decide them, and agree.
    pub agreed: u64,
    /// The solver gives up.
    pub unknown: u64,
    /// The solver reaches a limit.
    pub timeout: u64,
    /// The solver does not take them.
    pub refused: u64,
    /// The solver decided them, the reference did not.
    pub unchecked: u64,
    /// The solver answers `sat` and its model satisfies the formula by our evaluator.
    pub models: u64,
    /// The solver is wrong, or nothing tells who is.
    pub differences: u64,
    /// The reference is wrong.
    pub reference_wrong: u64,
    /// One of the two follows another definition of an operator.
    pub drift: u64,
}

/// A worker takes this many formulas at once.
const CHUNK: u64 = 500;

/// This many formulas are run before the first of them is judged.
const BATCH: u64 = 32;

/// A solver cannot be run on a formula of a grammar.
#[derive(Debug, thiserror::Error)]
#[error("cannot run the solvers on formula {index} of {grammar}: {failure}")]
pub struct MonitorError {
    /// The index of the formula, or of one shortly before it.
    index: u64,
    grammar: String,
    failure: SolverFailure,
}

/// Some formulas of a grammar in a row.
struct Stretch {
    start: u64,
    end: u64,
}

/// What came of a stretch: the index of the first formula, and the formulas that were compared.
struct ComparedStretch {
    start: u64,
    compared: Vec<Compared>,
}

impl Monitor {
    /// Compares the solvers on the first formulas of a grammar, until `deadline` at most.
    pub fn watch(
        &self,
        name: &str,
        enumeration: &mut Enumeration,
        deadline: Option<Instant>,
        stop: &AtomicBool,
    ) -> Result<(MonitorTally, Vec<Difference>), MonitorError> {
        let [solver, reference] = self.targets.each_ref().map(|target| target.solver.name.as_str());
        let sizes = || self.max_size.into_iter();
        let mut end = UBig::from(self.count);
        if let Some(size) = sizes().chain(enumeration.largest_size()).min() {
            end = end.min(enumeration.count_below(size + 1).clone());
        }
        let end = u64::try_from(&end).expect("the end is at most the count");
        let starts = (0..end).step_by(CHUNK as usize);
        let stretches: Vec<Stretch> =
            starts.map(|start| Stretch { start, end: (start + CHUNK).min(end) }).collect();
        let mut tally = MonitorTally {
            grammar: name.to_owned(),
            solver: solver.to_owned(),
            reference: reference.to_owned(),
            variables: self.parameters.variables,
            asserts: self.parameters.asserts,
            ..MonitorTally::default()
        };
        let mut differences = Vec::new();
        let is_over =
            || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| clock::now() >= deadline);
        let work = |stretch: &Stretch| self.compare_stretch(name, enumeration, stretch, stop, &is_over);
        let mut is_contiguous = true;
        parallel::in_order(&stretches, self.jobs, work, |done| -> Result<(), MonitorError> {
            let ComparedStretch { start, compared } = done?;
            for (index, compared) in (start..).zip(compared) {
                is_contiguous &= index == tally.formulas;
                if is_contiguous {
                    tally.count(&compared);
                }
                if let Some(mut difference) = compared.difference {
                    difference.place(solver, name, index);
                    differences.push(difference);
                }
            }
            Ok(())
        })?;
        let last = sizes().chain(enumeration.largest_size()).min().unwrap_or(u32::MAX - 1);
        for size in 0..=last {
            match u64::try_from(enumeration.count_below(size + 1)) {
                // Sizes without formulas are no extent to speak of.
                Ok(0) => {}
                Ok(complete) if complete <= tally.formulas => {
                    (tally.complete_size, tally.complete_formulas) = (Some(size), complete);
                }
                _ => break,
            }
        }
        Ok((tally, differences))
    }

    /// Compares the solvers on the formulas of a stretch, or on the first of them.
    fn compare_stretch(
        &self,
        name: &str,
        enumeration: &Enumeration,
        stretch: &Stretch,
        stop: &AtomicBool,
        is_over: &dyn Fn() -> bool,
    ) -> Result<ComparedStretch, MonitorError> {
        let mut enumeration = enumeration.clone();
        let mut worker = Worker::new(&self.targets, self.limits, None);
        let mut compared = Vec::new();
        let mut cursor = enumeration.from(&UBig::from(stretch.start));
        let mut next = stretch.start;
        while next < stretch.end && !is_over() {
            let end = (next + BATCH).min(stretch.end);
            let mut batch = Vec::new();
            while next < end
                && let Some(formulas) = &mut cursor
            {
                batch.push(formulas.text().to_owned());
                next += 1;
                if !formulas.advance() {
                    cursor = None;
                }
            }
            let count = batch.len();
            if count == 0 {
                break;
            }
            let done = compare(&mut worker, batch, stop, is_over).map_err(|failure| MonitorError {
                index: next - count as u64,
                grammar: name.to_owned(),
                failure,
            })?;
            let is_cut = done.len() < count;
            compared.extend(done);
            if is_cut {
                break;
            }
        }
        Ok(ComparedStretch { start: stretch.start, compared })
    }
}

impl MonitorTally {
    fn count(&mut self, compared: &Compared) {
        self.formulas += 1;
        self.models += u64::from(compared.has_model);
        *match compared.agreement {
            Agreement::Agreed => &mut self.agreed,
            Agreement::Unknown => &mut self.unknown,
            Agreement::Timeout => &mut self.timeout,
            Agreement::Refused => &mut self.refused,
            Agreement::Unchecked => &mut self.unchecked,
            Agreement::Differs => &mut self.differences,
            Agreement::ReferenceWrong => &mut self.reference_wrong,
            Agreement::Drifts => &mut self.drift,
        } += 1;
    }

    /// What was found out, in words.
    pub fn guarantee(&self) -> String {
        let tally = self;
        let MonitorTally { grammar, solver, reference, variables, asserts, formulas, .. } = tally;
        let extent = match tally.complete_size {
            Some(size) if tally.complete_formulas == *formulas => {
                format!("all {formulas} formulas of grammar {grammar} up to size {size}")
            }
            Some(size) => {
                let complete = tally.complete_formulas;
                format!(
                    "the first {formulas} formulas of grammar {grammar}, with all {complete} up to size {size}"
                )
            }
            None => format!("the first {formulas} formulas of grammar {grammar}"),
        };
        let mut text = format!(
            "{extent} ({variables} variables, {asserts} asserts): {solver} agreed with {reference} on {}, unknown on {}, \
             timed out on {}",
            tally.agreed, tally.unknown, tally.timeout
        );
        let rest = [
            ("not taken", tally.refused),
            ("not decided by the reference", tally.unchecked),
            ("reference wrong on", tally.reference_wrong),
            ("other definition of an operator on", tally.drift),
            ("wrong or disputed", tally.differences),
        ];
        for (what, count) in rest {
            if count > 0 || what == "wrong or disputed" {
                text.push_str(&format!(", {what} {count}"));
            }
        }
        text.push_str(&format!("; {} models checked", tally.models));
        text
    }
}
