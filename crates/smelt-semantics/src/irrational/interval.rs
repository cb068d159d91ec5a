//! Intervals that surely contain a real number, and what functions make of them.
//!
//! The ends are whole multiples of a power of two. Every step rounds outwards, so that the result contains what the
//! function gives for any number of the interval; more bits make it narrower, never wrong.

use dashu_int::ops::DivEuclid;
use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

/// An interval with both ends, in units of a [`Scale`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low: IBig,
    pub(crate) high: IBig,
}

/// The unit of intervals: one divided by two to the power of so many bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) bits: usize,
}

/// Exponents and angles of larger size are not looked at.
const MAX_ARGUMENT: i32 = 512;
/// Bits that the inside of a function has in addition.
const GUARD: usize = 48;

impl Interval {
    fn point(number: IBig) -> Interval {
        Interval { low: number.clone(), high: number }
    }

    /// The sign of all numbers inside, if it is the same.
    pub(crate) fn sign(&self) -> Option<Sign> {
        if self.low > IBig::ZERO {
            Some(Sign::Positive)
        } else if self.high < IBig::ZERO {
            Some(Sign::Negative)
        } else {
            None
        }
    }

    pub(crate) fn plus(&self, other: &Interval) -> Interval {
        Interval { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    pub(crate) fn minus(&self, other: &Interval) -> Interval {
        self.plus(&other.negated())
    }

    fn negated(&self) -> Interval {
        Interval { low: -&self.high, high: -&self.low }
    }

    /// The interval with so many units more on both sides.
    fn widened(&self, units: &IBig) -> Interval {
        Interval { low: &self.low - units, high: &self.high + units }
    }

    /// The larger of the sizes of both ends.
    fn size(&self) -> IBig {
        let size = |number: &IBig| if *number < IBig::ZERO { -number } else { number.clone() };
        size(&self.low).max(size(&self.high))
    }

    fn divided_by(&self, divisor: u32) -> Interval {
        let divisor = IBig::from(divisor);
        Interval { low: floor(&self.low, &divisor), high: ceiling(&self.high, &divisor) }
    }
}

/// A quotient by a positive number, rounded down.
fn floor(dividend: &IBig, divisor: &IBig) -> IBig {
    dividend.div_euclid(divisor)
}

/// A quotient by a positive number, rounded up.
fn ceiling(dividend: &IBig, divisor: &IBig) -> IBig {
    -(-dividend).div_euclid(divisor)
}

impl Scale {
    fn one(self) -> IBig {
        IBig::ONE << self.bits
    }

    /// The narrowest interval around a rational number.
    pub(crate) fn around(self, number: &RBig) -> Interval {
        let scaled = number.numerator() * self.one();
        let divisor = IBig::from(number.denominator().clone());
        Interval { low: floor(&scaled, &divisor), high: ceiling(&scaled, &divisor) }
    }

    pub(crate) fn product(self, one: &Interval, other: &Interval) -> Interval {
        let ends =
            [&one.low * &other.low, &one.low * &other.high, &one.high * &other.low, &one.high * &other.high];
        let (mut low, mut high) = (ends[0].clone(), ends[0].clone());
        for end in &ends[1..] {
            low = low.min(end.clone());
            high = high.max(end.clone());
        }
        let unit = self.one();
        Interval { low: floor(&low, &unit), high: ceiling(&high, &unit) }
    }

    /// One divided by the numbers of an interval, unless zero is among them.
    pub(crate) fn inverse(self, interval: &Interval) -> Option<Interval> {
        let square = IBig::ONE << (2 * self.bits);
        match interval.sign()? {
            Sign::Positive => {
                Some(Interval { low: floor(&square, &interval.high), high: ceiling(&square, &interval.low) })
            }
            Sign::Negative => Some(self.inverse(&interval.negated())?.negated()),
        }
    }

    /// The interval in units of another scale.
    fn rescaled(self, interval: &Interval, to: Scale) -> Interval {
        if to.bits >= self.bits {
            let shift = to.bits - self.bits;
            return Interval { low: &interval.low << shift, high: &interval.high << shift };
        }
        let unit = IBig::ONE << (self.bits - to.bits);
        Interval { low: floor(&interval.low, &unit), high: ceiling(&interval.high, &unit) }
    }

    /// Whether all numbers of an interval are small enough for series.
    fn is_small(self, interval: &Interval) -> bool {
        interval.size() <= IBig::from(MAX_ARGUMENT) << self.bits
    }

    /// The exponential function, which grows.
    pub(crate) fn exp(self, interval: &Interval) -> Option<Interval> {
        if !self.is_small(interval) {
            return None;
        }
        Some(Interval { low: self.exp_of(&interval.low).low, high: self.exp_of(&interval.high).high })
    }

    fn exp_of(self, number: &IBig) -> Interval {
        // With a halved argument as often as this, the series ends soon; then the result is squared as often.
        let halvings = 12;
        let inner = Scale { bits: self.bits + 2 * MAX_ARGUMENT as usize + GUARD };
        let point = self.rescaled(&Interval::point(number.clone()), inner);
        let divisor = IBig::ONE << halvings;
        let point = Interval { low: floor(&point.low, &divisor), high: ceiling(&point.high, &divisor) };
        let mut term = Interval::point(inner.one());
        let mut sum = term.clone();
        for step in 1u32.. {
            term = inner.product(&term, &point).divided_by(step);
            sum = sum.plus(&term);
            if term.size() <= IBig::ONE {
                break;
            }
        }
        // The argument is below one half, so that what remains is less than the last term.
        let mut power = sum.widened(&IBig::from(4));
        for _ in 0..halvings {
            power = inner.product(&power, &power);
        }
        inner.rescaled(&power, self)
    }

    /// The sine and the cosine.
    pub(crate) fn sine_and_cosine(self, interval: &Interval) -> Option<[Interval; 2]> {
        if !self.is_small(interval) {
            return None;
        }
        let inner = Scale { bits: self.bits + GUARD };
        let angle = self.rescaled(interval, inner);
        let turn = {
            let pi = inner.pi();
            pi.plus(&pi)
        };
        // The nearest whole number of turns; which one is taken is of no importance.
        let middle = (&angle.low + &angle.high).div_euclid(IBig::from(2));
        let turns = (&middle + (&turn.low).div_euclid(IBig::from(2))).div_euclid(&turn.low);
        let back = Interval { low: &turn.low * &turns, high: &turn.high * &turns };
        let back = if turns < IBig::ZERO { Interval { low: back.high, high: back.low } } else { back };
        let angle = angle.minus(&back);
        let mut sums = [Interval::point(IBig::ZERO), Interval::point(IBig::ZERO)];
        let mut term = Interval::point(inner.one());
        for step in 0u32.. {
            let sum = &mut sums[if step % 2 == 0 { 1 } else { 0 }];
            *sum = if step % 4 < 2 { sum.plus(&term) } else { sum.minus(&term) };
            // The terms then halve at least, so that what remains is less than twice the last one.
            if term.size() <= IBig::ONE && step > 16 {
                break;
            }
            if step > 4 * MAX_ARGUMENT as u32 + 8 * inner.bits as u32 {
                return None;
            }
            term = inner.product(&term, &angle).divided_by(step + 1);
        }
        let one = inner.one();
        Some(sums.map(|sum| {
            let sum = sum.widened(&IBig::from(4));
            let sum = Interval { low: sum.low.max(-&one), high: sum.high.min(one.clone()) };
            inner.rescaled(&sum, self)
        }))
    }

    /// The arc tangent, which grows.
    pub(crate) fn arctan(self, interval: &Interval) -> Interval {
        let inner = Scale { bits: self.bits + GUARD };
        let interval = self.rescaled(interval, inner);
        let ends =
            Interval { low: inner.arctan_of(&interval.low).low, high: inner.arctan_of(&interval.high).high };
        inner.rescaled(&ends, self)
    }

    fn arctan_of(self, number: &IBig) -> Interval {
        if *number < IBig::ZERO {
            return self.arctan_of(&-number).negated();
        }
        if *number > self.one() {
            let inverse = self.inverse(&Interval::point(number.clone())).expect("a positive number has one");
            let quarter = self.pi().divided_by(2);
            return quarter.minus(&self.small_arctan(&inverse));
        }
        self.small_arctan(&Interval::point(number.clone()))
    }

    fn half(self) -> IBig {
        IBig::ONE << (self.bits - 1)
    }

    /// The arc tangent of numbers from 0 to a bit more than 1.
    fn small_arctan(self, interval: &Interval) -> Interval {
        let half = Interval::point(self.half());
        if interval.low <= half.low {
            return self.arctan_series(interval);
        }
        // The arc tangents of 1/2 and of (x - 1/2) / (1 + x/2) add up to that of x.
        let product = self.product(&half, interval);
        let divisor = product.plus(&Interval::point(self.one()));
        let inverse = self.inverse(&divisor).expect("the divisor is more than one");
        let rest = self.product(&interval.minus(&half), &inverse);
        self.arctan_series(&half).plus(&self.arctan_series(&rest))
    }

    /// The arc tangent by its series, of numbers of size up to a bit more than a half.
    fn arctan_series(self, interval: &Interval) -> Interval {
        let square = self.product(interval, interval);
        let mut power = interval.clone();
        let mut sum = Interval::point(IBig::ZERO);
        for step in 0u32.. {
            let term = power.divided_by(2 * step + 1);
            sum = if step % 2 == 0 { sum.plus(&term) } else { sum.minus(&term) };
            power = self.product(&power, &square);
            // The remaining terms are powers of a number below one third.
            if power.size() <= IBig::ONE || step as usize > 2 * self.bits {
                break;
            }
        }
        let rest = power.size() * IBig::from(2) + IBig::from(4);
        sum.widened(&rest)
    }

    /// The number pi, by Machin's formula.
    pub(crate) fn pi(self) -> Interval {
        let inner = Scale { bits: self.bits + GUARD };
        let fraction = |divisor: u32| {
            let fraction = inner.around(&RBig::from_parts(IBig::ONE, UBig::from(divisor)));
            inner.arctan_series(&fraction)
        };
        let times = |interval: Interval, factor: i32| Interval {
            low: interval.low * IBig::from(factor),
            high: interval.high * IBig::from(factor),
        };
        inner.rescaled(&times(fraction(5), 16).minus(&times(fraction(239), 4)), self)
    }

    /// The square root of numbers of which it is known that they are not negative.
    pub(crate) fn square_root(self, interval: &Interval) -> Interval {
        let root = |number: &IBig| {
            let scaled = number.clone().max(IBig::ZERO) << self.bits;
            let root: UBig = UBig::try_from(scaled).unwrap_or(UBig::ZERO).nth_root(2);
            IBig::from(root)
        };
        Interval { low: root(&interval.low), high: root(&interval.high) + IBig::ONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { bits: 128 };

    fn ratio(numerator: i64, denominator: u64) -> RBig {
        RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
    }

    fn around(numerator: i64, denominator: u64) -> Interval {
        SCALE.around(&ratio(numerator, denominator))
    }

    /// Whether an interval is narrow and contains a number that is known to some places.
    fn is_about(interval: &Interval, text: &str) -> bool {
        let (whole, fraction) = text.split_once('.').unwrap();
        let digits: IBig = format!("{whole}{fraction}").parse().unwrap();
        let unit = UBig::from(10u8).pow(fraction.len());
        let below = SCALE.around(&RBig::from_parts(&digits - IBig::ONE, unit.clone()));
        let above = SCALE.around(&RBig::from_parts(&digits + IBig::ONE, unit));
        let width = &interval.high - &interval.low;
        below.low < interval.low && interval.high < above.high && width < IBig::ONE << 32
    }

    #[test]
    fn functions_agree_with_tables() {
        assert!(is_about(&SCALE.pi(), "3.14159265358979323846"));
        let exp = |numerator, denominator| SCALE.exp(&around(numerator, denominator)).unwrap();
        assert!(is_about(&exp(1, 1), "2.71828182845904523536"));
        assert!(is_about(&exp(0, 1), "1.00000000000000000000"));
        assert!(is_about(&exp(-41, 10), "0.01657267540176124754"));
        assert!(is_about(&exp(51, 10), "164.02190729990174394"));
        let [sine, cosine] = SCALE.sine_and_cosine(&around(1, 1)).unwrap();
        assert!(is_about(&sine, "0.84147098480789650665"));
        assert!(is_about(&cosine, "0.54030230586813971740"));
        let [sine, cosine] = SCALE.sine_and_cosine(&around(-100, 1)).unwrap();
        assert!(is_about(&sine, "0.50636564110975879366"));
        assert!(is_about(&cosine, "0.86231887228768393410"));
        assert!(is_about(&SCALE.arctan(&around(1, 1)), "0.78539816339744830962"));
        assert!(is_about(&SCALE.arctan(&around(3, 10)), "0.29145679447786709199"));
        assert!(is_about(&SCALE.arctan(&around(-10, 1)), "-1.47112767430373459185"));
        assert!(is_about(&SCALE.square_root(&around(2, 1)), "1.41421356237309504880"));
    }

    #[test]
    fn results_contain_those_of_narrower_arguments() {
        let contains =
            |outer: &Interval, inner: &Interval| outer.low <= inner.low && inner.high <= outer.high;
        for (low, high) in [(-300, 300), (10, 20), (-7, -3), (99, 101)] {
            let ends = [around(low, 100), around(high, 100)];
            let wide = Interval { low: ends[0].low.clone(), high: ends[1].high.clone() };
            for place in low..=high {
                let point = around(place, 100);
                assert!(contains(&SCALE.exp(&wide).unwrap(), &SCALE.exp(&point).unwrap()));
                assert!(contains(&SCALE.arctan(&wide), &SCALE.arctan(&point)));
                let wide = SCALE.sine_and_cosine(&wide).unwrap();
                let narrow = SCALE.sine_and_cosine(&point).unwrap();
                assert!(wide.iter().zip(&narrow).all(|(wide, narrow)| contains(wide, narrow)));
            }
        }
    }
}
