//! Real numbers that are no rational numbers: roots of polynomials and values of transcendental functions.
//!
//! A number is a polynomial with rational coefficients over [`Atom`]s, of which equal ones are the same. Two numbers are
//! compared by the sign of their difference: it is zero if the polynomial is, or if it is one over a single root that it
//! shares with the polynomial of that root; it is positive or negative if an interval around it says so. Where only roots
//! are involved, it is zero if it is nearer to zero than any other number made of them could be. Where nothing of that
//! helps, nothing is known: whether two transcendental numbers are equal is no question that always has an answer.

mod interval;
mod polynomial;
mod read;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

use crate::cost::fraction_words;
use crate::{Budget, LimitReached};
use interval::{Interval, Scale};
pub(crate) use polynomial::Polynomial;
pub(crate) use read::root_of_text;

/// A number with more summands is not kept.
const MAX_SUMMANDS: usize = 64;
/// Powers with larger exponents are not kept.
const MAX_EXPONENT: u32 = 64;
/// Polynomials of higher degree are not looked at for roots.
pub(crate) const MAX_DEGREE: usize = 24;
/// Coefficients of more machine words are not kept.
const MAX_WORDS: u64 = 64;
/// Intervals are made with so many bits, one after the other, until one tells the sign.
const PRECISIONS: [usize; 3] = [64, 192, 640];
/// Numbers that may be nearer to zero than this many bits tell are not told from zero.
const MAX_SEPARATION: usize = 2_048;
/// Bits that are left for rounding where a number is told from zero.
const EXTRA_BITS: usize = 128;
/// What an operation costs.
const STEP_COST: u64 = 4_096;

/// A function with irrational values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Exp,
    Sin,
    Cos,
    Arcsin,
    Arctan,
    /// Of numbers that are not negative.
    SquareRoot,
    /// One divided by a number that is not zero.
    Inverse,
}

/// What numbers are made of.
#[derive(Debug, Clone, PartialEq)]
enum Atom {
    Pi,
    Root(Root),
    Of(Function, Number),
}

/// The only root of a polynomial between two numbers, which are no roots.
#[derive(Debug, Clone, PartialEq)]
struct Root {
    /// Monic, with simple roots.
    polynomial: Polynomial,
    low: RBig,
    high: RBig,
}

/// Powers of atoms that are multiplied, in the order of the atoms.
type Product = Vec<Power>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Power {
    atom: u32,
    exponent: u32,
}

/// A sum of products with coefficients, none of which is zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Number(BTreeMap<Product, RBig>);

/// The number of a number that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NumberId(u32);

/// The atoms and numbers of an evaluation.
#[derive(Debug, Default)]
pub(crate) struct Irrationals {
    atoms: Vec<Atom>,
    numbers: Vec<Number>,
}

impl Number {
    /// A rational number.
    pub(crate) fn rational(number: RBig) -> Number {
        if number.is_zero() { Number::default() } else { Number(BTreeMap::from([(Vec::new(), number)])) }
    }

    fn atom(atom: u32) -> Number {
        Number(BTreeMap::from([(vec![Power { atom, exponent: 1 }], RBig::ONE)]))
    }

    /// The rational number that it is, if no atom is left.
    pub(crate) fn as_rational(&self) -> Option<RBig> {
        match self.0.len() {
            0 => Some(RBig::ZERO),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    pub(crate) fn plus(&self, other: &Number) -> Number {
        let mut sum = self.clone();
        for (product, coefficient) in &other.0 {
            let entry = sum.0.entry(product.clone()).or_default();
            *entry += coefficient;
            if entry.is_zero() {
                sum.0.remove(product);
            }
        }
        sum
    }

    pub(crate) fn times_rational(&self, factor: &RBig) -> Number {
        if factor.is_zero() {
            return Number::default();
        }
        Number(self.0.iter().map(|(product, coefficient)| (product.clone(), coefficient * factor)).collect())
    }

    pub(crate) fn negated(&self) -> Number {
        self.times_rational(&-RBig::ONE)
    }

    /// Whether it is small enough to be worked with.
    fn is_small(&self) -> bool {
        self.0.len() <= MAX_SUMMANDS
            && self.0.iter().all(|(product, coefficient)| {
                fraction_words(coefficient) <= MAX_WORDS
                    && product.iter().all(|power| power.exponent <= MAX_EXPONENT)
            })
    }
}

impl Irrationals {
    /// Keeps a number; none if it is too large.
    pub(crate) fn keep(&mut self, number: Number) -> Option<NumberId> {
        let id = NumberId(u32::try_from(self.numbers.len()).ok()?);
        let is_small = number.is_small();
        is_small.then(|| {
            self.numbers.push(number);
            id
        })
    }

    /// A number that was kept.
    pub(crate) fn number(&self, id: NumberId) -> &Number {
        &self.numbers[id.0 as usize]
    }

    fn number_of(&mut self, atom: Atom) -> Number {
        let known = self.atoms.iter().position(|other| match (other, &atom) {
            (Atom::Root(one), Atom::Root(other)) => one.is_same(other),
            (one, other) => one == other,
        });
        let place = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        Number::atom(place as u32)
    }

    /// The number pi.
    pub(crate) fn pi(&mut self) -> Number {
        self.number_of(Atom::Pi)
    }

    /// What a function gives for a number in its domain.
    pub(crate) fn apply(&mut self, function: Function, argument: &Number) -> Option<Number> {
        let rational = argument.as_rational();
        if let (Function::SquareRoot, Some(square)) = (function, &rational) {
            let polynomial = Polynomial::new(vec![-square, RBig::ZERO, RBig::ONE]);
            return match square.is_zero() {
                true => Some(Number::default()),
                false => self.root(&polynomial, RBig::ZERO, square + RBig::ONE),
            };
        }
        if let (Function::Inverse, Some(divisor)) = (function, &rational) {
            return (!divisor.is_zero()).then(|| Number::rational(RBig::ONE / divisor));
        }
        if let (Function::Sin | Function::Cos, Some(halves)) = (function, self.halves_of_pi(argument)) {
            let quarter = if function == Function::Sin { halves } else { halves + IBig::ONE };
            let value = match (quarter & IBig::from(3)).try_into().unwrap_or(0u8) {
                0 | 2 => 0,
                1 => 1,
                _ => -1,
            };
            return Some(Number::rational(RBig::from(IBig::from(value))));
        }
        match (function, &rational) {
            (Function::Exp, Some(zero)) if zero.is_zero() => Some(Number::rational(RBig::ONE)),
            (Function::Arcsin | Function::Arctan, Some(zero)) if zero.is_zero() => Some(Number::default()),
            (Function::Arcsin, Some(one)) if *one == RBig::ONE || *one == -RBig::ONE => {
                let half = RBig::from_parts(IBig::ONE, UBig::from(2u8));
                Some(self.pi().times_rational(&(half * one)))
            }
            _ => Some(self.number_of(Atom::Of(function, argument.clone()))),
        }
    }

    /// How often half of pi a number is, if it is a whole number of times.
    fn halves_of_pi(&mut self, number: &Number) -> Option<IBig> {
        if number.0.is_empty() {
            return Some(IBig::ZERO);
        }
        let pi = self.pi();
        let (product, _) = pi.0.first_key_value()?;
        let (other, factor) = number.0.first_key_value()?;
        let halves = factor * RBig::from(IBig::from(2));
        (number.0.len() == 1 && product == other && halves.is_int()).then(|| halves.numerator().clone())
    }

    /// The only root of a polynomial above one number and below another.
    pub(crate) fn root(&mut self, polynomial: &Polynomial, low: RBig, high: RBig) -> Option<Number> {
        if polynomial.is_zero() || polynomial.degree() > MAX_DEGREE {
            return None;
        }
        let polynomial = polynomial.with_simple_roots();
        let (mut low, mut high) = (low, high);
        let inside = polynomial.roots_between(&low, &high);
        if inside != 1 + usize::from(polynomial.at(&high).is_zero()) {
            return None;
        }
        // Ends that are roots are moved, as long as no other root is lost.
        let halfway = |low: &RBig, high: &RBig| (low + high) / RBig::from(IBig::from(2));
        for _ in 0..64 {
            if !polynomial.at(&low).is_zero() && !polynomial.at(&high).is_zero() {
                break;
            }
            let middle = halfway(&low, &high);
            if polynomial.at(&middle).is_zero() {
                return Some(Number::rational(middle));
            }
            // A root at an end is not meant.
            if polynomial.roots_between(&low, &middle) > 0 { high = middle } else { low = middle }
        }
        let is_simple = low < high
            && !polynomial.at(&low).is_zero()
            && !polynomial.at(&high).is_zero()
            && polynomial.roots_between(&low, &high) == 1;
        if !is_simple {
            return None;
        }
        if polynomial.degree() == 1 {
            return Some(Number::rational(-&polynomial.coefficients()[0]));
        }
        if let Some(rational) = rational_root(&polynomial, &low, &high) {
            return Some(Number::rational(rational));
        }
        Some(self.number_of(Atom::Root(Root { polynomial, low, high })))
    }

    /// The root of a polynomial with this position, counted from 1 in the order of size.
    pub(crate) fn root_at(&mut self, polynomial: &Polynomial, position: usize) -> Option<Number> {
        if polynomial.is_zero() || polynomial.degree() > MAX_DEGREE {
            return None;
        }
        let bound = polynomial.root_bound();
        let (mut low, mut high) = (-&bound, bound);
        let mut before = 0;
        let count = polynomial.roots_between(&low, &high);
        if position == 0 || position > count {
            return None;
        }
        let mut inside = count;
        for _ in 0..256 {
            if inside == 1 {
                // The end belongs to the roots that are counted, and the middle may be one.
                return match polynomial.at(&high).is_zero() {
                    true => Some(Number::rational(high)),
                    false => self.root(polynomial, low, high),
                };
            }
            let middle = (&low + &high) / RBig::from(IBig::from(2));
            let left = polynomial.roots_between(&low, &middle);
            if position <= before + left {
                high = middle;
                inside = left;
            } else {
                before += left;
                inside -= left;
                low = middle;
            }
        }
        None
    }

    /// A product; none if it is too large.
    pub(crate) fn product(&self, one: &Number, other: &Number) -> Option<Number> {
        if one.0.len() * other.0.len() > MAX_SUMMANDS * MAX_SUMMANDS {
            return None;
        }
        let mut all = Number::default();
        for (left, left_coefficient) in &one.0 {
            for (right, right_coefficient) in &other.0 {
                let summand =
                    Number(BTreeMap::from([(multiplied(left, right), left_coefficient * right_coefficient)]));
                all = all.plus(&self.reduced(summand)?);
            }
        }
        all.is_small().then_some(all)
    }

    /// The number without high powers of roots, which are sums of lower ones.
    fn reduced(&self, number: Number) -> Option<Number> {
        let mut pending = number.0;
        let mut done = Number::default();
        for _ in 0..MAX_SUMMANDS * MAX_EXPONENT as usize {
            let Some((product, coefficient)) = pending.pop_last() else { return Some(done) };
            let reducible = product.iter().enumerate().find_map(|(place, power)| {
                match &self.atoms[power.atom as usize] {
                    Atom::Root(root) if power.exponent as usize >= root.polynomial.degree() => {
                        Some((place, &root.polynomial))
                    }
                    _ => None,
                }
            });
            let Some((place, polynomial)) = reducible else {
                done = done.plus(&Number(BTreeMap::from([(product, coefficient)])));
                continue;
            };
            if fraction_words(&coefficient) > MAX_WORDS {
                return None;
            }
            let power = product[place];
            let rest = power.exponent - polynomial.degree() as u32;
            // The polynomial is monic, so that its highest power is minus the sum of the others.
            for (exponent, lower) in polynomial.coefficients().iter().take(polynomial.degree()).enumerate() {
                let mut product = product.clone();
                product[place] = Power { atom: power.atom, exponent: rest + exponent as u32 };
                product.retain(|power| power.exponent > 0);
                let entry = pending.entry(product.clone()).or_default();
                *entry -= lower * &coefficient;
                if entry.is_zero() {
                    pending.remove(&product);
                }
            }
        }
        None
    }

    /// How a number compares with zero, if that can be told.
    pub(crate) fn sign(
        &self,
        number: &Number,
        budget: &mut Budget,
    ) -> Result<Option<Ordering>, LimitReached> {
        if let Some(rational) = number.as_rational() {
            return Ok(Some(rational.cmp(&RBig::ZERO)));
        }
        if self.is_zero_at_a_root(number, budget)? {
            return Ok(Some(Ordering::Equal));
        }
        for bits in PRECISIONS {
            let Some(interval) = self.around(number, Scale { bits }, budget)? else { return Ok(None) };
            match interval.sign() {
                Some(Sign::Positive) => return Ok(Some(Ordering::Greater)),
                Some(Sign::Negative) => return Ok(Some(Ordering::Less)),
                None => {}
            }
        }
        let Some(bits) = self.separation(number) else { return Ok(None) };
        let scale = Scale { bits: bits + EXTRA_BITS };
        let Some(interval) = self.around(number, scale, budget)? else { return Ok(None) };
        let least = IBig::ONE << EXTRA_BITS;
        Ok(match interval.sign() {
            Some(Sign::Positive) => Some(Ordering::Greater),
            Some(Sign::Negative) => Some(Ordering::Less),
            // Only zero is so near to zero.
            None => (interval.high < least && -interval.low < least).then_some(Ordering::Equal),
        })
    }

    /// A number that is made of roots is zero, or further from zero than one divided by two to the power of so many bits.
    ///
    /// Multiplied with `whole` it is an algebraic integer. So are its conjugates, which come from other roots of the same
    /// polynomials; each is at most `whole` times `size`, and the product of those that are not zero is an integer.
    fn separation(&self, number: &Number) -> Option<usize> {
        let mut exponents: BTreeMap<u32, u32> = BTreeMap::new();
        for power in number.0.keys().flatten() {
            let largest = exponents.entry(power.atom).or_default();
            *largest = power.exponent.max(*largest);
        }
        let mut conjugates = 1usize;
        let mut whole =
            number.0.values().fold(IBig::ONE, |whole, coefficient| whole * coefficient.denominator());
        let mut sizes: BTreeMap<u32, RBig> = BTreeMap::new();
        for (atom, exponent) in exponents {
            let Atom::Root(root) = &self.atoms[atom as usize] else { return None };
            conjugates = conjugates.checked_mul(root.polynomial.degree())?;
            let coefficients = root.polynomial.coefficients().iter();
            let denominator = coefficients.fold(IBig::ONE, |all, number| all * number.denominator());
            whole *= denominator.pow(exponent as usize);
            sizes.insert(atom, root.polynomial.root_bound());
        }
        let magnitude = |number: &RBig| if *number < RBig::ZERO { -number } else { number.clone() };
        let mut size = RBig::ONE;
        for (product, coefficient) in &number.0 {
            let mut summand = magnitude(coefficient);
            for power in product {
                let factor = &sizes[&power.atom];
                summand = (0..power.exponent).fold(summand, |summand, _| summand * factor);
            }
            size += summand;
        }
        let bits = (size.ceil() * &whole).bit_len();
        let needed = bits.checked_mul(conjugates.checked_sub(1)?)?.checked_add(whole.bit_len())?;
        (needed <= MAX_SEPARATION).then_some(needed)
    }

    /// The largest integer that is not above a number, if that can be told.
    pub(crate) fn floor(&self, number: &Number, budget: &mut Budget) -> Result<Option<IBig>, LimitReached> {
        if let Some(rational) = number.as_rational() {
            return Ok(Some(rational.floor()));
        }
        for bits in PRECISIONS {
            let Some(interval) = self.around(number, Scale { bits }, budget)? else { return Ok(None) };
            use dashu_int::ops::DivEuclid;
            let unit = IBig::ONE << bits;
            let (low, high) = (interval.low.div_euclid(&unit), interval.high.div_euclid(&unit));
            if low == high {
                return Ok(Some(low));
            }
            let difference = number.plus(&Number::rational(-RBig::from(high.clone())));
            if self.sign(&difference, budget)? == Some(Ordering::Equal) {
                return Ok(Some(high));
            }
        }
        Ok(None)
    }

    /// Whether a number that is a polynomial over one root is zero: then the root is one of both polynomials.
    fn is_zero_at_a_root(&self, number: &Number, budget: &mut Budget) -> Result<bool, LimitReached> {
        let mut only: Option<u32> = None;
        let mut coefficients: Vec<RBig> = Vec::new();
        for (product, coefficient) in &number.0 {
            let exponent = match product.as_slice() {
                [] => 0,
                [power] if only.is_none_or(|atom| atom == power.atom) => {
                    only = Some(power.atom);
                    power.exponent as usize
                }
                _ => return Ok(false),
            };
            if coefficients.len() <= exponent {
                coefficients.resize(exponent + 1, RBig::ZERO);
            }
            coefficients[exponent] = coefficient.clone();
        }
        let Some(Atom::Root(root)) = only.and_then(|atom| self.atoms.get(atom as usize)) else {
            return Ok(false);
        };
        let degree = root.polynomial.degree() as u64;
        budget.spend(STEP_COST * degree * degree * degree)?;
        let common = root.polynomial.common_divisor(&Polynomial::new(coefficients));
        Ok(common.degree() > 0 && common.roots_between(&root.low, &root.high) > 0)
    }

    /// An interval around a number; none if a function is not known there.
    fn around(
        &self,
        number: &Number,
        scale: Scale,
        budget: &mut Budget,
    ) -> Result<Option<Interval>, LimitReached> {
        // Atoms are made of earlier ones, so that all can be looked at in their order.
        let mut known: Vec<Option<Interval>> = Vec::new();
        let needed = self.needed(number);
        for (place, atom) in self.atoms.iter().enumerate() {
            if !needed[place] {
                known.push(None);
                continue;
            }
            budget.spend(STEP_COST * (scale.bits as u64))?;
            known.push(match atom {
                Atom::Pi => Some(scale.pi()),
                Atom::Root(root) => Some(root.around(scale)),
                Atom::Of(function, argument) => {
                    sum_of(argument, &known, scale).and_then(|argument| function.around(&argument, scale))
                }
            });
        }
        budget.spend(STEP_COST * number.0.len() as u64)?;
        Ok(sum_of(number, &known, scale))
    }

    /// For each atom whether a number is made of it.
    fn needed(&self, number: &Number) -> Vec<bool> {
        let mut needed = vec![false; self.atoms.len()];
        let mark = |number: &Number, needed: &mut Vec<bool>| {
            number.0.keys().flatten().for_each(|power| needed[power.atom as usize] = true);
        };
        mark(number, &mut needed);
        for (place, atom) in self.atoms.iter().enumerate().rev() {
            if let (true, Atom::Of(_, argument)) = (needed[place], atom) {
                mark(argument, &mut needed);
            }
        }
        needed
    }
}

/// The interval around a sum of products of atoms whose intervals are known.
fn sum_of(number: &Number, atoms: &[Option<Interval>], scale: Scale) -> Option<Interval> {
    let mut sum = scale.around(&RBig::ZERO);
    for (product, coefficient) in &number.0 {
        let mut value = scale.around(coefficient);
        for power in product {
            let atom = atoms.get(power.atom as usize)?.as_ref()?;
            for _ in 0..power.exponent {
                value = scale.product(&value, atom);
            }
        }
        sum = sum.plus(&value);
    }
    Some(sum)
}

impl Function {
    fn around(self, argument: &Interval, scale: Scale) -> Option<Interval> {
        Some(match self {
            Function::Exp => scale.exp(argument)?,
            Function::Sin => scale.sine_and_cosine(argument)?[0].clone(),
            Function::Cos => scale.sine_and_cosine(argument)?[1].clone(),
            Function::Arctan => scale.arctan(argument),
            Function::Arcsin => {
                // The arc tangent of x divided by the root of 1 - x^2.
                let square = scale.product(argument, argument);
                let rest = scale.around(&RBig::ONE).minus(&square);
                let divisor = scale.inverse(&scale.square_root(&rest))?;
                scale.arctan(&scale.product(argument, &divisor))
            }
            Function::SquareRoot => scale.square_root(argument),
            Function::Inverse => scale.inverse(argument)?,
        })
    }
}

impl Root {
    /// Whether this is the same root of the same polynomial.
    fn is_same(&self, other: &Root) -> bool {
        if self.polynomial != other.polynomial {
            return false;
        }
        let low = self.low.clone().max(other.low.clone());
        let high = self.high.clone().min(other.high.clone());
        low < high && self.polynomial.roots_between(&low, &high) == 1
    }

    fn around(&self, scale: Scale) -> Interval {
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        let rises = self.polynomial.at(&low) < RBig::ZERO;
        let unit = RBig::from_parts(IBig::ONE, UBig::ONE << scale.bits);
        while &high - &low > unit {
            let middle = (&low + &high) / RBig::from(IBig::from(2));
            let value = self.polynomial.at(&middle);
            if value.is_zero() {
                return scale.around(&middle);
            }
            if (value < RBig::ZERO) == rises { low = middle } else { high = middle }
        }
        Interval { low: scale.around(&low).low, high: scale.around(&high).high }
    }
}

fn multiplied(one: &Product, other: &Product) -> Product {
    let mut all = one.clone();
    for power in other {
        match all.iter_mut().find(|known| known.atom == power.atom) {
            Some(known) => known.exponent += power.exponent,
            None => all.push(*power),
        }
    }
    all.sort_unstable();
    all
}

/// A rational root between two numbers, if the polynomial is one of degree 2: its roots are rational together.
fn rational_root(polynomial: &Polynomial, low: &RBig, high: &RBig) -> Option<RBig> {
    let [constant, linear, _] = polynomial.coefficients() else { return None };
    let discriminant = linear * linear - constant * RBig::from(IBig::from(4));
    let root = |number: &UBig| {
        let root = number.nth_root(2);
        (&root * &root == *number).then_some(root)
    };
    let numerator = root(&UBig::try_from(discriminant.numerator().clone()).ok()?)?;
    let root = RBig::from_parts(IBig::from(numerator), root(discriminant.denominator())?);
    let half = RBig::from_parts(IBig::ONE, UBig::from(2u8));
    let candidates = [(&root - linear) * &half, (-&root - linear) * &half];
    candidates.into_iter().find(|candidate| candidate > low && candidate < high)
}

#[cfg(test)]
mod tests;
