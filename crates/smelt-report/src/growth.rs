//! How times grow: a line, a power or an exponential through measurements, and a figure of both.
//!
//! Fits are least squares on logarithms, so that all points count alike whatever their size; the error is the standard
//! deviation of the logarithms around the fit, as a share of the time. What a solver takes to start is taken off first, and
//! points that hardly rise above that are left out.

use crate::plot::{Axes, Figure, Mark, Panel, Row, Scale, Series, Shape, Style};

/// How times grow with n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// As n.
    Linear,
    /// As a power of n.
    Polynomial {
        /// The exponent.
        exponent: f64,
    },
    /// As a number to the power of n.
    Exponential {
        /// What the time is multiplied by from n to n + 1.
        base: f64,
    },
}

/// A law with its constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// How times grow.
    pub law: Law,
    /// The time at n = 1 of a power, at n = 0 of an exponential, in milliseconds, start excluded.
    pub factor_ms: f64,
    /// How far points are from it, as a share of the time.
    pub error: f64,
    /// How many points there are.
    pub points: usize,
}

/// Why nothing is said of how times grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFit {
    /// Too few points rise above the start of the solver.
    FewPoints,
    /// The largest time is not large enough compared with the smallest: every law fits a piece that is short enough.
    LittleGrowth,
    /// Points are far from the best of the laws.
    PoorFit,
}

impl NoFit {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            NoFit::FewPoints => {
                "not enough growth to tell: fewer than 4 times rise above the start of the solver"
            }
            NoFit::LittleGrowth => {
                "not enough growth to tell: the largest time is less than 10 times the smallest"
            }
            NoFit::PoorFit => "no law fits: times are too far from a line, a power and an exponential",
        }
    }
}

/// So many points are needed.
pub const FEWEST_POINTS: usize = 4;

/// Times must grow by this factor.
const MIN_GROWTH: f64 = 10.0;

/// Points are at most this far from a law, as a share of the time.
const MAX_ERROR: f64 = 0.5;

/// Points that are less than this share of the start above the start are left out, or less than so many milliseconds.
const MIN_SHARE: f64 = 0.5;
const MIN_MS: f64 = 5.0;

/// A line is taken if it is at most so many times as far off as the best fit.
const LINE_PATIENCE: f64 = 1.1;

/// The best law for pairs of n and milliseconds, start included; none without enough points, growth and precision.
pub fn fit(points: &[(u32, f64)], start_ms: f64) -> Result<Fit, NoFit> {
    let least = (MIN_SHARE * start_ms).max(MIN_MS);
    let above: Vec<(f64, f64)> = points
        .iter()
        .map(|(size, time)| (f64::from(*size), time - start_ms))
        .filter(|(size, time)| *size > 0.0 && *time >= least)
        .collect();
    if above.len() < FEWEST_POINTS {
        return Err(NoFit::FewPoints);
    }
    let largest = above.iter().map(|(_, time)| *time).fold(f64::MIN, f64::max);
    let smallest = above.iter().map(|(_, time)| *time).fold(f64::MAX, f64::min);
    if largest < MIN_GROWTH * smallest {
        return Err(NoFit::LittleGrowth);
    }
    let logs = |size: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        above.iter().map(|(n, time)| (size(*n), time.ln())).collect()
    };
    let with_logs = logs(&f64::ln);
    let with_sizes = logs(&|n| n);
    let count = above.len();
    let power = line(&with_logs).ok_or(NoFit::FewPoints)?;
    let exponential = line(&with_sizes).ok_or(NoFit::FewPoints)?;
    let intercept = with_logs.iter().map(|(x, y)| y - x).sum::<f64>() / count as f64;
    let linear = Line { slope: 1.0, intercept, free: 1 };
    let best = power.error(&with_logs).min(exponential.error(&with_sizes));
    let (line, law, error) = if linear.error(&with_logs) <= LINE_PATIENCE * best + 1e-9 {
        (linear, Law::Linear, linear.error(&with_logs))
    } else if power.error(&with_logs) <= exponential.error(&with_sizes) {
        (power, Law::Polynomial { exponent: power.slope }, power.error(&with_logs))
    } else {
        (exponential, Law::Exponential { base: exponential.slope.exp() }, exponential.error(&with_sizes))
    };
    let grows = line.slope > MIN_SLOPE || matches!(law, Law::Exponential { base } if base > 1.0);
    let fit = Fit { law, factor_ms: line.intercept.exp(), error: error.exp() - 1.0, points: count };
    match fit {
        _ if !grows => Err(NoFit::LittleGrowth),
        Fit { error, .. } if error > MAX_ERROR => Err(NoFit::PoorFit),
        fit => Ok(fit),
    }
}

/// A power with a smaller exponent is no growth.
const MIN_SLOPE: f64 = 0.1;

impl Fit {
    /// The time for n, start excluded.
    pub fn at(&self, size: u32) -> f64 {
        let n = f64::from(size);
        match self.law {
            Law::Linear => self.factor_ms * n,
            Law::Polynomial { exponent } => self.factor_ms * n.powf(exponent),
            Law::Exponential { base } => self.factor_ms * base.powf(n),
        }
    }

    /// The law in words, with its error.
    pub fn text(&self) -> String {
        let law = match self.law {
            Law::Linear => format!("linear, {} ms * n", short(self.factor_ms)),
            Law::Polynomial { exponent } => {
                format!("polynomial, {} ms * n^{exponent:.2}", short(self.factor_ms))
            }
            Law::Exponential { base } => format!("exponential, {} ms * {base:.3}^n", short(self.factor_ms)),
        };
        format!("{law} (error {:.0} %, {} points)", self.error * 100.0, self.points)
    }
}

fn short(number: f64) -> String {
    if number >= 10.0 { format!("{number:.0}") } else { format!("{number:.2}") }
}

/// A line through points, with how many of its numbers were free.
#[derive(Debug, Clone, Copy)]
struct Line {
    slope: f64,
    intercept: f64,
    free: usize,
}

impl Line {
    /// The standard deviation of points around the line.
    fn error(&self, points: &[(f64, f64)]) -> f64 {
        let square = |(x, y): &(f64, f64)| (y - self.intercept - self.slope * x).powi(2);
        let freedom = points.len().saturating_sub(self.free).max(1);
        (points.iter().map(square).sum::<f64>() / freedom as f64).sqrt()
    }
}

/// The line with the least squares; none if all points are above each other.
fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if spread == 0.0 {
        return None;
    }
    let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    Some(Line { slope, intercept: mean_y - slope * mean_x, free: 2 })
}

/// Times of one solver over n, for a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The solver.
    pub solver: String,
    /// What it takes to start.
    pub start_ms: f64,
    /// A time for each n; none where it was not run or did not end.
    pub times_ms: Vec<Option<f64>>,
    /// How they grow, or why that is not known.
    pub fit: Result<Fit, NoFit>,
}

const COLOURS: [&str; 6] = ["#1f5fa8", "#c62828", "#2e7d32", "#8e24aa", "#ef6c00", "#00838f"];
const SHAPES: [Shape; 3] = [Shape::Circle, Shape::Square, Shape::Triangle];
const FIT_COLOUR: &str = "#b0b0b0";

/// A figure of families, a panel each: its name, the values of n, and the times of the solvers.
pub fn figure(title: &str, families: &[(String, Vec<u32>, Vec<Curve>)]) -> Figure {
    let style = |number: usize| Style::new(COLOURS[number % COLOURS.len()], SHAPES[number % SHAPES.len()]);
    let mut legend: Vec<(String, Style)> = Vec::new();
    let mut panels = Vec::new();
    for (_, sizes, curves) in families {
        let mut series = Vec::new();
        for curve in curves {
            let number = legend.iter().position(|(name, _)| *name == curve.solver).unwrap_or_else(|| {
                legend.push((curve.solver.clone(), style(legend.len())));
                legend.len() - 1
            });
            // Below the measurements, so that they can be seen.
            series.extend(curve.fit.ok().map(|fit| {
                Series {
                    name: format!("{}, {}", curve.solver, fit.text()),
                    style: Style::new(FIT_COLOUR, SHAPES[number % SHAPES.len()]),
                    values: sizes
                        .iter()
                        .zip(&curve.times_ms)
                        .map(|(size, time)| time.map(|_| fit.at(*size) + curve.start_ms))
                        .collect(),
                }
            }));
            series.push(Series {
                name: curve.solver.clone(),
                style: style(number),
                values: curve.times_ms.clone(),
            });
        }
        let labels = sizes.iter().map(|size| format!("n = {size}")).collect();
        panels.push(Panel { labels, mark: Mark::Lines, series });
    }
    Figure {
        title: title.to_owned(),
        unit: "ms".to_owned(),
        columns: families.iter().map(|(name, ..)| name.clone()).collect(),
        rows: vec![Row { name: "processor time".to_owned(), panels }],
        legend,
        scale: Scale::Logarithmic,
        axes: Axes::PerRow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [u32; 7] = [1, 2, 4, 8, 12, 16, 24];

    /// A fit of times that follow a law, with a start of 20 ms and a wobble of so many percent.
    fn fitted(law: impl Fn(f64) -> f64, wobble: f64) -> Result<Fit, NoFit> {
        let points: Vec<(u32, f64)> = SIZES
            .iter()
            .enumerate()
            .map(|(number, size)| {
                let sign = if number % 2 == 0 { 1.0 } else { -1.0 };
                (*size, 20.0 + law(f64::from(*size)) * (1.0 + sign * wobble))
            })
            .collect();
        fit(&points, 20.0)
    }

    #[test]
    fn a_line_is_linear() {
        let fit = fitted(|n| 30.0 * n, 0.0).unwrap();
        assert_eq!(fit.law, Law::Linear);
        assert!((fit.factor_ms - 30.0).abs() < 1e-6 && fit.error < 1e-6, "{fit:?}");
        assert_eq!(fitted(|n| 30.0 * n, 0.05).unwrap().law, Law::Linear);
    }

    #[test]
    fn a_square_has_exponent_two() {
        for wobble in [0.0, 0.05] {
            let Law::Polynomial { exponent } = fitted(|n| 15.0 * n * n, wobble).unwrap().law else {
                panic!()
            };
            assert!((exponent - 2.0).abs() < 0.1, "{exponent}");
        }
    }

    #[test]
    fn doubling_is_exponential() {
        for wobble in [0.0, 0.05] {
            let fit = fitted(|n| 11.0 * 1.5f64.powf(n), wobble).unwrap();
            let Law::Exponential { base } = fit.law else { panic!("{fit:?}") };
            assert!((base - 1.5).abs() < 0.02, "{base}");
            assert!((fit.at(10) / (11.0 * 1.5f64.powi(10)) - 1.0).abs() < 0.1);
        }
    }

    #[test]
    fn the_error_is_the_deviation_of_the_points() {
        let fit = fitted(|n| 30.0 * n * n * n, 0.1).unwrap();
        assert!((0.08..0.15).contains(&fit.error), "{fit:?}");
        assert!(fit.text().starts_with("polynomial, 3"), "{}", fit.text());
    }

    #[test]
    fn what_does_not_grow_or_hardly_rises_has_no_law() {
        assert_eq!(fitted(|_| 100.0, 0.0), Err(NoFit::LittleGrowth));
        assert_eq!(fitted(|n| 0.1 * n, 0.0), Err(NoFit::FewPoints));
        assert_eq!(fitted(|n| 500.0 / n, 0.0), Err(NoFit::LittleGrowth));
        assert_eq!(fit(&[(1, 100.0), (2, 200.0), (3, 300.0)], 0.0), Err(NoFit::FewPoints));
        assert_eq!(fit(&[(2, 100.0); 5], 0.0), Err(NoFit::LittleGrowth));
    }

    #[test]
    fn growth_by_less_than_ten_times_is_not_called_exponential() {
        let points =
            [(1, 20.0), (2, 22.0), (3, 25.0), (4, 29.0), (6, 36.0), (8, 45.0), (12, 60.0), (16, 75.0)];
        assert_eq!(fit(&points, 10.0), Err(NoFit::LittleGrowth));
        assert!(NoFit::LittleGrowth.text().starts_with("not enough growth to tell"));
    }

    #[test]
    fn times_that_jump_follow_no_law() {
        let points = [(1, 30.0), (2, 900.0), (3, 40.0), (4, 2000.0), (6, 35.0), (8, 3000.0)];
        assert_eq!(fit(&points, 10.0), Err(NoFit::PoorFit));
    }

    #[test]
    fn a_figure_has_measurements_and_fits() {
        let times_ms: Vec<Option<f64>> =
            SIZES.iter().map(|size| Some(20.0 + 30.0 * f64::from(*size))).collect();
        let curve =
            Curve { solver: "z3".to_owned(), start_ms: 20.0, fit: fitted(|n| 30.0 * n, 0.0), times_ms };
        let svg = figure("Growth", &[("strings".to_owned(), SIZES.to_vec(), vec![curve])]).svg();
        // Seven measurements, seven points of the fit, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 15, "{svg}");
        assert!(svg.contains("z3, linear, 30 ms * n"), "{svg}");
    }
}
