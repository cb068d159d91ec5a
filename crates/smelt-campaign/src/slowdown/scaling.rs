//! What solvers take on a family of formulas for growing n.

use std::sync::atomic::{AtomicBool, Ordering};

use smelt_oracle::slowness::Measured;
use smelt_runner::timing::Timing;

use super::measure::{Bench, Subject, limits};
use crate::hunt::HuntError;
use smelt_trial::target::Target;

/// How a family is measured.
#[derive(Debug, Clone)]
pub struct FamilyScale<'s> {
    /// The solvers.
    pub targets: &'s [Target],
    /// The formulas for growing n.
    pub formulas: &'s [String],
    /// How often each solver is measured on each formula, in turn with the others.
    pub repeats: usize,
    /// Processor time allowed for each run, in seconds.
    pub timeout_secs: f64,
}

/// The times of a solver on the formulas of a family.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyCurve {
    /// The solver.
    pub solver: String,
    /// What it takes for almost nothing, in milliseconds: the median.
    pub start_ms: f64,
    /// Measurements for the first of the formulas, up to the first at which it does not end.
    pub measured: Vec<Measured>,
}

/// A formula that takes no time.
const NOTHING: &str = "(check-sat)\n";

/// Measures the formulas of a family, on a core that nothing else is measured on. A solver that has not ended on one of them is spared the larger ones.
pub fn scale(scale: &FamilyScale<'_>, stop: &AtomicBool) -> Result<Vec<FamilyCurve>, HuntError> {
    let bench = Bench { targets: scale.targets, limits: limits(scale.timeout_secs) };
    let timing = Timing::begin(1);
    let _core = timing.pin();
    let mut curves: Vec<FamilyCurve> = starts(&bench, scale)?
        .into_iter()
        .map(|start| FamilyCurve { start_ms: start.median_ms(), solver: start.solver, measured: Vec::new() })
        .collect();
    let mut is_done = vec![false; curves.len()];
    for formula in scale.formulas {
        let mut subject = Subject::read(formula);
        let mut measured: Vec<Measured> =
            curves.iter().map(|curve| Measured { solver: curve.solver.clone(), runs: Vec::new() }).collect();
        for turn in 0..scale.repeats {
            for (position, target) in scale.targets.iter().enumerate() {
                // One run without an end is enough.
                let has_ended = turn == 0 || measured[position].decided().is_some();
                if is_done[position] || !has_ended || stop.load(Ordering::Relaxed) {
                    continue;
                }
                let run = bench.run(target, &mut subject)?;
                measured[position].runs.extend(run.map(|run| bench.measurement(&run)));
            }
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        for (position, one) in measured.into_iter().enumerate() {
            if !is_done[position] {
                is_done[position] = one.decided().is_none();
                curves[position].measured.push(one);
            }
        }
        if is_done.iter().all(|is_done| *is_done) {
            break;
        }
    }
    Ok(curves)
}

/// What each solver takes for almost nothing, measured in turn.
fn starts(bench: &Bench<'_>, scale: &FamilyScale<'_>) -> Result<Vec<Measured>, HuntError> {
    let mut subject = Subject::read(NOTHING);
    let name = |target: &Target| target.solver.name.clone();
    let mut starts: Vec<Measured> =
        scale.targets.iter().map(|target| Measured { solver: name(target), runs: Vec::new() }).collect();
    bench.repeat(&mut subject, &mut starts, scale.repeats)?;
    Ok(starts)
}
