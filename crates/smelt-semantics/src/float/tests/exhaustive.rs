//! Every operation on all values of tiny formats, against exact rationals and a naive definition of rounding.
//!
//! The oracle shares nothing with the code under test: a value is its packed pattern, decoded with rationals, and
//! rounding looks for the neighbours among all values of the format.

use std::cmp::Ordering;

use super::*;

/// A finite value of a format, or an infinity or NaN.
#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Number { is_negative: bool, number: RBig },
    Infinity { is_negative: bool },
    NaN,
}

/// All values of a format, with their meanings.
struct Table {
    format: Format,
    /// Indexed by the packed pattern.
    meanings: Vec<Meaning>,
    /// The numbers that are not negative in ascending order; the pattern is the index.
    magnitudes: Vec<RBig>,
}

fn power_of_two(exponent: i64) -> RBig {
    RBig::from(2).pow(isize::try_from(exponent).unwrap())
}

impl Table {
    fn new(exponent_bits: u32, significand_bits: u32) -> Self {
        let (eb, sb) = (i64::from(exponent_bits), i64::from(significand_bits));
        let bias = (1i64 << (eb - 1)) - 1;
        let decode = |pattern: i64| {
            let is_negative = pattern >> (eb + sb - 1) == 1;
            let exponent = pattern >> (sb - 1) & ((1 << eb) - 1);
            let fraction = pattern & ((1 << (sb - 1)) - 1);
            if exponent == (1 << eb) - 1 {
                return if fraction == 0 { Meaning::Infinity { is_negative } } else { Meaning::NaN };
            }
            let magnitude = if exponent == 0 {
                RBig::from(fraction) * power_of_two(1 - bias - (sb - 1))
            } else {
                RBig::from(fraction + (1 << (sb - 1))) * power_of_two(exponent - bias - (sb - 1))
            };
            Meaning::Number { is_negative, number: if is_negative { -magnitude } else { magnitude } }
        };
        let meanings: Vec<Meaning> = (0..1 << (eb + sb)).map(decode).collect();
        let magnitudes = meanings.iter().map_while(|meaning| match meaning {
            Meaning::Number { number, .. } => Some(number.clone()),
            _ => None,
        });
        let magnitudes = magnitudes.collect();
        Table { format: format(exponent_bits, significand_bits), meanings, magnitudes }
    }

    fn float(&self, pattern: usize) -> Float {
        Float::from_ieee_bv(self.format, &BitVec::from_u64(self.format.width(), pattern as u64))
    }

    fn floats(&self) -> Vec<Float> {
        (0..self.meanings.len()).map(|pattern| self.float(pattern)).collect()
    }

    fn with_sign(&self, is_negative: bool, magnitude: usize) -> usize {
        if is_negative { magnitude + self.meanings.len() / 2 } else { magnitude }
    }

    fn infinity(&self, is_negative: bool) -> usize {
        self.with_sign(is_negative, self.magnitudes.len())
    }

    fn nan(&self) -> usize {
        self.magnitudes.len() + 1
    }

    /// Rounds a number whose order relative to given magnitudes is known. A zero result keeps the sign.
    fn round_by(&self, mode: RoundingMode, is_negative: bool, compare: impl Fn(&RBig) -> Ordering) -> usize {
        let below = self.magnitudes.partition_point(|value| compare(value) != Ordering::Less) - 1;
        if compare(&self.magnitudes[below]) == Ordering::Equal {
            return self.with_sign(is_negative, below);
        }
        // After the largest value, infinity behaves as if it were the next number of an unbounded format.
        let largest = &self.magnitudes[self.magnitudes.len() - 1];
        let step = largest - &self.magnitudes[self.magnitudes.len() - 2];
        let above_number = self.magnitudes.get(below + 1).cloned().unwrap_or(largest + step);
        let middle = (&self.magnitudes[below] + above_number) / RBig::from(2);
        let is_above = match (mode, compare(&middle)) {
            (NearestTiesToEven, Ordering::Equal) => below % 2 == 1,
            (NearestTiesToAway, Ordering::Equal) => true,
            (NearestTiesToEven | NearestTiesToAway, order) => order == Ordering::Greater,
            (TowardPositive, _) => !is_negative,
            (TowardNegative, _) => is_negative,
            (TowardZero, _) => false,
        };
        self.with_sign(is_negative, below + usize::from(is_above))
    }

    /// Rounds a rational; a zero gets the sign that an exact zero has in this context.
    fn round(&self, mode: RoundingMode, exact: &RBig, zero_is_negative: bool) -> usize {
        if exact.is_zero() {
            return self.with_sign(zero_is_negative, 0);
        }
        let is_negative = exact < &RBig::ZERO;
        let magnitude = if is_negative { -exact } else { exact.clone() };
        self.round_by(mode, is_negative, |value| magnitude.cmp(value))
    }

    fn check(&self, actual: &Float, expected: usize, context: impl Fn() -> String) {
        assert_eq!(actual.format(), self.format);
        let actual_pattern = match actual.to_ieee_bv() {
            None => self.nan(),
            Some(bits) => usize::try_from(bits.to_u64().unwrap()).unwrap(),
        };
        assert_eq!(actual_pattern, expected, "{}: got {actual}, not {}", context(), self.float(expected));
    }

    fn add(&self, mode: RoundingMode, x: &Meaning, y: &Meaning) -> usize {
        use Meaning::*;
        match (x, y) {
            (NaN, _) | (_, NaN) => self.nan(),
            (Infinity { is_negative: a }, Infinity { is_negative: b }) if a != b => self.nan(),
            (Infinity { is_negative }, _) | (_, Infinity { is_negative }) => self.infinity(*is_negative),
            (Number { is_negative: a, number: x }, Number { is_negative: b, number: y }) => {
                // Holds for two zeros and for opposite numbers: of one sign, else negative in one mode only.
                let zero_is_negative = if a == b { *a } else { mode == TowardNegative };
                self.round(mode, &(x + y), zero_is_negative)
            }
        }
    }

    fn mul(x: &Meaning, y: &Meaning) -> Meaning {
        use Meaning::*;
        match (x, y) {
            (NaN, _) | (_, NaN) => NaN,
            (Number { is_negative: a, number: x }, Number { is_negative: b, number: y }) => {
                Number { is_negative: a != b, number: x * y }
            }
            (Number { number, .. }, Infinity { .. }) | (Infinity { .. }, Number { number, .. })
                if number.is_zero() =>
            {
                NaN
            }
            (Infinity { is_negative: a } | Number { is_negative: a, .. }, Infinity { is_negative: b })
            | (Infinity { is_negative: a }, Number { is_negative: b, .. }) => {
                Infinity { is_negative: a != b }
            }
        }
    }

    fn div(&self, mode: RoundingMode, x: &Meaning, y: &Meaning) -> usize {
        use Meaning::*;
        match (x, y) {
            (NaN, _) | (_, NaN) | (Infinity { .. }, Infinity { .. }) => self.nan(),
            (Infinity { is_negative: a }, Number { is_negative: b, .. }) => self.infinity(a != b),
            (Number { is_negative: a, .. }, Infinity { is_negative: b }) => self.with_sign(a != b, 0),
            (Number { is_negative: a, number: x }, Number { is_negative: b, number: y }) => {
                match (x.is_zero(), y.is_zero()) {
                    (true, true) => self.nan(),
                    (false, true) => self.infinity(a != b),
                    _ => self.round(mode, &(x / y), a != b),
                }
            }
        }
    }

    fn rem(&self, x: &Meaning, y: &Meaning, x_pattern: usize) -> usize {
        match (x, y) {
            (Meaning::Number { .. }, Meaning::Infinity { .. }) => x_pattern,
            (Meaning::Number { is_negative, number: x }, Meaning::Number { number: y, .. })
                if !y.is_zero() =>
            {
                let multiple = round_to_integer(NearestTiesToEven, &(x / y));
                let exact = x - y * RBig::from(multiple);
                let rounded = self.round(TowardZero, &exact, *is_negative);
                assert_eq!(rounded, self.round(TowardPositive, &exact, *is_negative), "remainders are exact");
                rounded
            }
            _ => self.nan(),
        }
    }

    fn sqrt(&self, mode: RoundingMode, x: &Meaning, x_pattern: usize) -> usize {
        match x {
            Meaning::Infinity { is_negative: false } => x_pattern,
            Meaning::Number { number, .. } if number.is_zero() => x_pattern,
            Meaning::Number { is_negative: false, number } => {
                self.round_by(mode, false, |value| number.cmp(&(value * value)))
            }
            _ => self.nan(),
        }
    }
}

/// Rounds to one of the two integers around a number.
fn round_to_integer(mode: RoundingMode, number: &RBig) -> IBig {
    let (floor, ceil) = (number.floor(), number.ceil());
    if floor == ceil {
        return floor;
    }
    let is_negative = number < &RBig::ZERO;
    let is_up = match (mode, (number - RBig::from(floor.clone())).cmp(&(RBig::ONE / RBig::from(2)))) {
        (NearestTiesToEven, Ordering::Equal) => floor.bit(0),
        (NearestTiesToAway, Ordering::Equal) => !is_negative,
        (NearestTiesToEven | NearestTiesToAway, order) => order == Ordering::Greater,
        (TowardPositive, _) => true,
        (TowardNegative, _) => false,
        (TowardZero, _) => is_negative,
    };
    if is_up { ceil } else { floor }
}

fn tables() -> Vec<Table> {
    [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (2, 6)].map(|(eb, sb)| Table::new(eb, sb)).into()
}

#[test]
fn binary_operations_agree_on_all_pairs() {
    for table in tables() {
        let floats = table.floats();
        for (i, (x, a)) in table.meanings.iter().zip(&floats).enumerate() {
            for (y, b) in table.meanings.iter().zip(&floats) {
                for mode in RoundingMode::ALL {
                    let context = || format!("{mode:?} {a} {b}");
                    table.check(&a.add(mode, b), table.add(mode, x, y), context);
                    table.check(&a.sub(mode, &b.neg()), table.add(mode, x, y), context);
                    table.check(&a.div(mode, b), table.div(mode, x, y), context);
                    let product = match Table::mul(x, y) {
                        Meaning::NaN => table.nan(),
                        Meaning::Infinity { is_negative } => table.infinity(is_negative),
                        Meaning::Number { is_negative, number } => table.round(mode, &number, is_negative),
                    };
                    table.check(&a.mul(mode, b), product, context);
                }
                let remainder = a.rem(&mut Budget::default(), b).unwrap();
                table.check(&remainder, table.rem(x, y, i), || format!("{a} rem {b}"));
            }
        }
    }
}

#[test]
fn fused_operations_agree_on_all_triples() {
    for table in tables().into_iter().filter(|table| table.meanings.len() <= 64) {
        let floats = table.floats();
        for (x, a) in table.meanings.iter().zip(&floats) {
            for (y, b) in table.meanings.iter().zip(&floats) {
                let product = Table::mul(x, y);
                for (z, c) in table.meanings.iter().zip(&floats) {
                    // Five modes on every triple would take most of a minute.
                    let modes = if floats.len() <= 32 { &RoundingMode::ALL[..] } else { &[TowardNegative] };
                    for mode in modes {
                        let expected = table.add(*mode, &product, z);
                        table.check(&a.fma(*mode, b, c), expected, || format!("{mode:?} {a} {b} {c}"));
                    }
                }
            }
        }
    }
}

#[test]
fn unary_operations_agree_on_all_values() {
    for table in tables() {
        for (pattern, meaning) in table.meanings.iter().enumerate() {
            let float = table.float(pattern);
            let half = table.meanings.len() / 2;
            let is_nan = *meaning == Meaning::NaN;
            let (negated, absolute) = if is_nan {
                (table.nan(), table.nan())
            } else {
                ((pattern + half) % (2 * half), pattern % half)
            };
            table.check(&float.neg(), negated, || format!("neg {float}"));
            table.check(&float.abs(), absolute, || format!("abs {float}"));
            for mode in RoundingMode::ALL {
                let context = || format!("{mode:?} {float}");
                table.check(&float.sqrt(mode), table.sqrt(mode, meaning, pattern), context);
                let integral = match meaning {
                    Meaning::NaN => table.nan(),
                    Meaning::Infinity { .. } => pattern,
                    Meaning::Number { is_negative, number } => {
                        let integer = RBig::from(round_to_integer(mode, number));
                        table.round(mode, &integer, *is_negative)
                    }
                };
                table.check(&float.round_to_integral(mode), integral, context);
            }
        }
    }
}

#[test]
fn comparisons_and_choices_agree_on_all_pairs() {
    /// Infinities as numbers beyond all others; `None` for NaN.
    fn order_key(table: &Table, meaning: &Meaning) -> Option<RBig> {
        let beyond = &table.magnitudes[table.magnitudes.len() - 1] + RBig::ONE;
        match meaning {
            Meaning::NaN => None,
            Meaning::Infinity { is_negative } => Some(if *is_negative { -beyond } else { beyond }),
            Meaning::Number { number, .. } => Some(number.clone()),
        }
    }
    for table in tables() {
        let floats = table.floats();
        for (x, a) in table.meanings.iter().zip(&floats) {
            for (y, b) in table.meanings.iter().zip(&floats) {
                let keys = order_key(&table, x).zip(order_key(&table, y));
                let holds = |claim: fn(&RBig, &RBig) -> bool| {
                    keys.as_ref().is_some_and(|(left, right)| claim(left, right))
                };
                assert_eq!(a.lt(b), holds(|x, y| x < y), "{a} {b}");
                assert_eq!(a.leq(b), holds(|x, y| x <= y), "{a} {b}");
                assert_eq!(a.gt(b), holds(|x, y| x > y), "{a} {b}");
                assert_eq!(a.geq(b), holds(|x, y| x >= y), "{a} {b}");
                assert_eq!(a.ieee_eq(b), holds(|x, y| x == y), "{a} {b}");
                assert_eq!(a == b, x == y, "{a} {b}");
                let (min, max) = match (x, y) {
                    (Meaning::NaN, _) => (Some(b), Some(b)),
                    (_, Meaning::NaN) => (Some(a), Some(a)),
                    _ if holds(|x, y| x < y) => (Some(a), Some(b)),
                    _ if holds(|x, y| x > y) => (Some(b), Some(a)),
                    _ if x == y => (Some(a), Some(a)),
                    _ => (None, None),
                };
                assert_eq!((a.min(b).as_ref(), a.max(b).as_ref()), (min, max), "{a} {b}");
            }
        }
    }
}

#[test]
fn packing_and_classification_agree_on_all_values() {
    for table in tables() {
        let (eb, sb) = (table.format.exponent_bits(), table.format.significand_bits());
        for (pattern, meaning) in table.meanings.iter().enumerate() {
            let float = table.float(pattern);
            let exponent = pattern >> (sb - 1) & ((1 << eb) - 1);
            let is_finite = matches!(meaning, Meaning::Number { .. });
            let is_zero = matches!(meaning, Meaning::Number { number, .. } if number.is_zero());
            let is_negative = matches!(
                meaning,
                Meaning::Number { is_negative: true, .. } | Meaning::Infinity { is_negative: true }
            );
            let is_nan = *meaning == Meaning::NaN;
            table.check(&float, if is_nan { table.nan() } else { pattern }, || format!("pattern {pattern}"));
            assert_eq!(float.is_nan(), is_nan);
            assert_eq!(float.is_zero(), is_zero);
            assert_eq!(float.is_infinite(), matches!(meaning, Meaning::Infinity { .. }));
            assert_eq!(float.is_negative(), is_negative);
            assert_eq!(float.is_positive(), !is_negative && !is_nan);
            assert_eq!(float.is_normal(), is_finite && exponent != 0);
            assert_eq!(float.is_subnormal(), is_finite && exponent == 0 && !is_zero);
            let real = match meaning {
                Meaning::Number { number, .. } => Some(number.clone()),
                _ => None,
            };
            assert_eq!(float.to_real(&mut Budget::default()), Ok(real));
        }
        let positive = Sign::Positive;
        table.check(&Float::max_finite(table.format, positive), table.magnitudes.len() - 1, String::new);
        table.check(&Float::min_subnormal(table.format, positive), 1, String::new);
        table.check(&Float::min_normal(table.format, positive), 1 << (sb - 1), String::new);
    }
}

#[test]
fn conversions_between_formats_agree_on_all_values() {
    for source in tables() {
        for target in tables() {
            for (pattern, meaning) in source.meanings.iter().enumerate() {
                for mode in RoundingMode::ALL {
                    let expected = match meaning {
                        Meaning::NaN => target.nan(),
                        Meaning::Infinity { is_negative } => target.infinity(*is_negative),
                        Meaning::Number { is_negative, number } => target.round(mode, number, *is_negative),
                    };
                    let float = source.float(pattern);
                    let context = || format!("{mode:?} {float}");
                    target.check(&float.to_format(target.format, mode), expected, context);
                }
            }
        }
    }
}

#[test]
fn rationals_and_integers_convert_to_every_format() {
    for table in tables() {
        for mode in RoundingMode::ALL {
            for numerator in -70i64..=70 {
                for denominator in [1u32, 2, 3, 4, 5, 7, 8, 16, 64, 100, 1000] {
                    let number = RBig::from_parts(IBig::from(numerator), UBig::from(denominator));
                    let float = Float::from_rational(table.format, mode, &number);
                    table.check(&float, table.round(mode, &number, false), || format!("{mode:?} {number}"));
                }
            }
            for width in 1..=6 {
                for pattern in 0..1 << width {
                    let bits = BitVec::from_u64(width, pattern);
                    let signed = table.round(mode, &RBig::from(bits.to_signed()), false);
                    let unsigned = table.round(mode, &RBig::from(bits.to_ubig()), false);
                    let context = || format!("{mode:?} {bits}");
                    table.check(&Float::from_sbv(table.format, mode, &bits), signed, context);
                    table.check(&Float::from_ubv(table.format, mode, &bits), unsigned, context);
                }
            }
        }
    }
}

#[test]
fn every_value_converts_to_bit_vectors_of_small_widths() {
    for table in tables() {
        for (pattern, meaning) in table.meanings.iter().enumerate() {
            for mode in RoundingMode::ALL {
                for width in 1..=7u32 {
                    let integer = match meaning {
                        Meaning::Number { number, .. } => Some(round_to_integer(mode, number)),
                        _ => None,
                    };
                    let within = |least: i64, end: i64| {
                        let integer =
                            integer.clone().filter(|i| *i >= IBig::from(least) && *i < IBig::from(end));
                        integer.map(|integer| BitVec::from_ibig(width, integer))
                    };
                    let float = table.float(pattern);
                    assert_eq!(float.to_ubv(mode, width), within(0, 1 << width), "{mode:?} {float} {width}");
                    let half = 1 << (width - 1);
                    assert_eq!(float.to_sbv(mode, width), within(-half, half), "{mode:?} {float} {width}");
                }
            }
        }
    }
}
