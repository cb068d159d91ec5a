//! Calibration: how much the times of one solver on one formula vary.

use smelt_oracle::slowness::Measured;
use smelt_testgen::random::Random;
use smelt_testgen::search::bandit::Maker;
use smelt_testgen::search::complexity::Complexity;

use super::maker::FormulaMaker;
use super::measure::{Bench, REPEATS, Subject};
use crate::hunt::HuntError;

/// How times vary, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Noise {
    /// How many formulas were measured.
    pub formulas: usize,
    /// The time of a formula on average.
    pub mean_ms: f64,
    /// The difference between the slowest and the fastest run of a formula, on average.
    pub mean_difference_ms: f64,
    /// The largest of these differences.
    pub greatest_difference_ms: f64,
}

impl Noise {
    /// What the measurements of some formulas show.
    pub fn of(measured: &[Measured]) -> Noise {
        let count = measured.len().max(1) as f64;
        let difference = |one: &Measured| one.greatest_ms() - one.least_ms();
        Noise {
            formulas: measured.len(),
            mean_ms: measured.iter().map(Measured::median_ms).sum::<f64>() / count,
            mean_difference_ms: measured.iter().map(difference).sum::<f64>() / count,
            greatest_difference_ms: measured.iter().map(difference).fold(0.0, f64::max),
        }
    }

    /// The least difference that can be told from noise: twice the largest, and a tenth of a second at least.
    pub fn floor_ms(&self) -> f64 {
        (2.0 * self.greatest_difference_ms).max(100.0)
    }
}

/// For each formula that is measured, so many are drawn at most.
const DRAWS: usize = 2;

/// The formulas by which noise is measured.
pub(super) struct NoiseSample<'s> {
    pub complexity: &'s Complexity,
    /// How many are measured at most.
    pub formulas: usize,
}

/// Measures a sample of formulas on the suspect, several times each; those that it does not decide do not count.
pub(super) fn calibrate(
    bench: &Bench<'_>,
    maker: &mut FormulaMaker,
    sample: &NoiseSample<'_>,
    random: &mut Random,
) -> Result<Noise, HuntError> {
    let mut measured = Vec::new();
    let Some(suspect) = bench.targets.last() else { return Ok(Noise::default()) };
    for _ in 0..sample.formulas * DRAWS {
        if measured.len() == sample.formulas {
            break;
        }
        let mut subject = Subject::read(&maker.fresh(sample.complexity, random));
        let mut one = Measured { solver: suspect.solver.name.clone(), runs: Vec::new() };
        for _ in 0..REPEATS {
            let run = bench.run(suspect, &mut subject)?;
            one.runs.extend(run.map(|run| bench.measurement(&run)));
            // Where it does not decide, the limit decides, which does not vary.
            if one.decided().is_none() {
                break;
            }
        }
        if one.runs.len() == REPEATS && one.decided().is_some() {
            measured.push(one);
        }
    }
    Ok(Noise::of(&measured))
}

#[cfg(test)]
mod tests {
    use smelt_oracle::run::Answer;
    use smelt_oracle::slowness::Measurement;

    use super::*;

    fn measured(times: &[f64]) -> Measured {
        let runs = times.iter().map(|cpu_ms| Measurement { answer: Answer::Sat, cpu_ms: *cpu_ms });
        Measured { solver: "s".to_owned(), runs: runs.collect() }
    }

    #[test]
    fn noise_is_the_spread_of_each_formula() {
        let noise = Noise::of(&[measured(&[10.0, 30.0, 20.0]), measured(&[100.0, 100.0, 160.0])]);
        assert_eq!(
            noise,
            Noise { formulas: 2, mean_ms: 60.0, mean_difference_ms: 40.0, greatest_difference_ms: 60.0 }
        );
        assert_eq!(noise.floor_ms(), 120.0);
    }

    #[test]
    fn nothing_is_known_without_measurements() {
        assert_eq!(Noise::of(&[]), Noise::default());
        assert_eq!(Noise::default().floor_ms(), 100.0);
    }
}
