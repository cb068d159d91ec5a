//! A vertical axis: where values are, and where its ticks.

use super::{Scale, number};

/// An axis from zero up.
pub(super) struct Axis {
    scale: Scale,
    /// The largest value: its end.
    end: f64,
    /// Isolation two ticks of a linear axis.
    step: f64,
}

/// A linear axis has about so many ticks.
const TICKS: f64 = 4.0;

impl Axis {
    pub fn new(scale: Scale, largest: f64) -> Self {
        match scale {
            Scale::Linear => {
                let step = round_step(largest / TICKS);
                Axis { scale, end: ((largest / step).ceil() * step).max(step), step }
            }
            Scale::Logarithmic => {
                let power = largest.max(10.0).log10().ceil();
                Axis { scale, end: 10_f64.powf(power), step: 1.0 }
            }
        }
    }

    /// How far up a value is: 0 at the start, 1 at the end.
    pub fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => value / self.end,
            // One is as far from zero as ten is from one.
            Scale::Logarithmic => decades(value) / decades(self.end),
        };
        share.clamp(0.0, 1.0)
    }

    /// Values with their texts, from the start on.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => {
                let count = (self.end / self.step).round() as u32;
                (0..=count)
                    .map(|tick| f64::from(tick) * self.step)
                    .map(|value| (value, number(value)))
                    .collect()
            }
            Scale::Logarithmic => {
                let powers = 0..=self.end.log10().round() as i32;
                let values = powers.map(|power| 10_f64.powi(power));
                let ticks: Vec<f64> = std::iter::once(0.0).chain(values).collect();
                // Of many powers every other one is enough.
                let stride = if ticks.len() > 6 { 2 } else { 1 };
                ticks.into_iter().step_by(stride).map(|value| (value, number(value))).collect()
            }
        }
    }
}

fn decades(value: f64) -> f64 {
    if value < 1.0 { value.max(0.0) } else { 1.0 + value.log10() }
}

/// The next larger of 1, 2 and 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    if step <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale, largest: f64) -> Vec<String> {
        Axis::new(scale, largest).ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(texts(Scale::Linear, 4981.0), ["0", "2000", "4000", "6000"]);
        assert_eq!(texts(Scale::Linear, 0.7), ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(texts(Scale::Linear, 0.0), ["0", "1"]);
    }

    #[test]
    fn logarithmic_ticks_are_zero_and_powers_of_ten() {
        assert_eq!(texts(Scale::Logarithmic, 0.0), ["0", "1", "10"]);
        assert_eq!(texts(Scale::Logarithmic, 785.0), ["0", "1", "10", "100", "1000"]);
        let axis = Axis::new(Scale::Logarithmic, 100.0);
        assert_eq!([0.0, 1.0, 10.0, 100.0].map(|value| axis.share(value) * 3.0), [0.0, 1.0, 2.0, 3.0]);
    }
}
