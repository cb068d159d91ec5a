//! Operators on numbers that are not rational.
//!
//! Such a number is no value: a term that has it is unknown, but it is known which number it is, and so what operators
//! of arithmetic give for it and how it compares with others.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_ratio::RBig;
use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Literal, Term};

use super::open::{Absent, Part};
use super::{Evaluator, Frame, Next, coerce};
use crate::LimitReached;
use crate::irrational::{Function, MAX_DEGREE, Number, Polynomial, root_of_text};
use crate::unknown::Unknown;
use crate::value::Value;

/// What an operation on numbers costs.
const STEP_COST: u64 = 1 << 14;
/// Polynomials nested deeper are not read.
const MAX_DEPTH: u32 = 32;

impl Evaluator<'_> {
    /// An operator on values whose result is no rational number.
    pub(super) fn apply_irrationally(&mut self, frame: &mut Frame, op: Op, args: Vec<Value>) -> Next {
        let parts: Vec<Part> = args.iter().cloned().map(Ok).collect();
        match self.apply_to_numbers(frame.term, op, &parts) {
            Some(Err(Absent { reason: Unknown::Open(op), .. })) => self.open(frame, op, args),
            Some(part) => Next::Done(part),
            None => Next::Done(Err(Unknown::Irrational.into())),
        }
    }

    /// What an operator gives for numbers, if that is known.
    pub(super) fn apply_to_numbers(&mut self, term: Term, op: Op, parts: &[Part]) -> Option<Part> {
        if !matches!(op.info().theory, Theory::Ints | Theory::Reals | Theory::Transcendentals)
            && !matches!(op, Op::Eq | Op::Distinct)
        {
            return None;
        }
        let numbers: Vec<Number> = parts.iter().map(|part| self.number_of(part)).collect::<Option<_>>()?;
        match self.numbers_applied(op, &numbers) {
            Ok(Outcome::Truth(value)) => Some(Ok(Value::Bool(value))),
            Ok(Outcome::Whole(number)) => Some(Ok(Value::Int(number))),
            Ok(Outcome::Number(number)) => self.part_of(number).map(|part| self.coerced(part, term)),
            Ok(Outcome::Open) => Some(Err(Unknown::Open(op).into())),
            Ok(Outcome::Unknown) => None,
            Err(limit) => Some(Err(limit.into())),
        }
    }

    fn number_of(&self, part: &Part) -> Option<Number> {
        match part {
            Ok(value) => match coerce(value.clone(), Sort::REAL) {
                Value::Real(number) => Some(Number::rational(number)),
                _ => None,
            },
            Err(absent) => Some(self.irrationals.number(absent.number?).clone()),
        }
    }

    fn part_of(&mut self, number: Number) -> Option<Part> {
        if let Some(rational) = number.as_rational() {
            return Some(Ok(Value::Real(rational)));
        }
        let number = self.irrationals.keep(number)?;
        Some(Err(Absent { reason: Unknown::Irrational, open: None, number: Some(number) }))
    }

    fn numbers_applied(&mut self, op: Op, args: &[Number]) -> Result<Outcome, LimitReached> {
        self.budget.spend(STEP_COST * (args.len() as u64 + 1))?;
        let sum = |args: &[Number]| args.iter().fold(Number::default(), |sum, arg| sum.plus(arg));
        let number = match (op, args) {
            (Op::Add, _) => Some(sum(args)),
            (Op::Neg, [only]) | (Op::Sub, [only]) => Some(only.negated()),
            (Op::Sub, [first, rest @ ..]) => Some(first.plus(&sum(rest).negated())),
            (Op::Mul, [first, rest @ ..]) => {
                rest.iter().try_fold(first.clone(), |product, next| self.irrationals.product(&product, next))
            }
            (Op::ToReal, [only]) => Some(only.clone()),
            (Op::RealDiv, [dividend, divisor]) => match self.inverse(divisor)? {
                Some(inverse) => self.irrationals.product(dividend, &inverse),
                None => None,
            },
            (Op::Abs, [only]) => match self.irrationals.sign(only, &mut self.budget)? {
                Some(Ordering::Less) => Some(only.negated()),
                Some(_) => Some(only.clone()),
                None => None,
            },
            (Op::Power, [base, exponent]) => self.power(base, exponent),
            (Op::Le | Op::Lt | Op::Ge | Op::Gt | Op::Eq, _) => return self.chain(op, args),
            (Op::Distinct, _) => return self.distinct(args),
            (Op::ToInt, [only]) => {
                let floor = self.irrationals.floor(only, &mut self.budget)?;
                return Ok(floor.map_or(Outcome::Unknown, Outcome::Whole));
            }
            (Op::IsInt, [only]) => {
                let Some(floor) = self.irrationals.floor(only, &mut self.budget)? else {
                    return Ok(Outcome::Unknown);
                };
                let rest = only.plus(&Number::rational(-RBig::from(floor)));
                let sign = self.irrationals.sign(&rest, &mut self.budget)?;
                return Ok(sign.map_or(Outcome::Unknown, |sign| Outcome::Truth(sign == Ordering::Equal)));
            }
            (Op::RealPi | Op::Pi, []) => Some(self.irrationals.pi()),
            (Op::Euler, []) => self.irrationals.apply(Function::Exp, &Number::rational(RBig::ONE)),
            (_, [only]) if op.info().theory == Theory::Transcendentals => {
                return self.transcendental(op, only);
            }
            _ => None,
        };
        Ok(number.map_or(Outcome::Unknown, Outcome::Number))
    }

    /// One divided by a number that is surely not zero.
    fn inverse(&mut self, number: &Number) -> Result<Option<Number>, LimitReached> {
        match self.irrationals.sign(number, &mut self.budget)? {
            Some(Ordering::Less | Ordering::Greater) => Ok(self.irrationals.apply(Function::Inverse, number)),
            _ => Ok(None),
        }
    }

    fn power(&mut self, base: &Number, exponent: &Number) -> Option<Number> {
        let exponent = exponent.as_rational().filter(RBig::is_int)?;
        let exponent = u32::try_from(exponent.numerator().clone()).ok().filter(|exponent| *exponent <= 16)?;
        let one = Number::rational(RBig::ONE);
        (0..exponent).try_fold(one, |power, _| self.irrationals.product(&power, base))
    }

    fn transcendental(&mut self, op: Op, argument: &Number) -> Result<Outcome, LimitReached> {
        let rational = |number: i8| Number::rational(RBig::from(IBig::from(number)));
        let half = Number::rational(RBig::from_parts(IBig::ONE, 2u8.into()));
        let mut of = |function| self.irrationals.apply(function, argument);
        let number = match op {
            Op::Exp => of(Function::Exp),
            Op::Sin => of(Function::Sin),
            Op::Cos => of(Function::Cos),
            Op::Arctan | Op::Atan => of(Function::Arctan),
            Op::Tan | Op::Sec | Op::Csc | Op::Cot => {
                let (Some(sine), Some(cosine)) = (of(Function::Sin), of(Function::Cos)) else {
                    return Ok(Outcome::Unknown);
                };
                let one = rational(1);
                let (dividend, divisor) = match op {
                    Op::Tan => (sine, cosine),
                    Op::Sec => (one, cosine),
                    Op::Csc => (one, sine),
                    _ => (cosine, sine),
                };
                match self.inverse(&divisor)? {
                    Some(inverse) => self.irrationals.product(&dividend, &inverse),
                    None => None,
                }
            }
            Op::Sinh | Op::Cosh | Op::Tanh => {
                let minus = argument.negated();
                let (Some(up), Some(down)) = (
                    self.irrationals.apply(Function::Exp, argument),
                    self.irrationals.apply(Function::Exp, &minus),
                ) else {
                    return Ok(Outcome::Unknown);
                };
                let (sum, difference) = (up.plus(&down), up.plus(&down.negated()));
                match op {
                    Op::Sinh => self.irrationals.product(&difference, &half),
                    Op::Cosh => self.irrationals.product(&sum, &half),
                    _ => match self.inverse(&sum)? {
                        Some(inverse) => self.irrationals.product(&difference, &inverse),
                        None => None,
                    },
                }
            }
            Op::Sqrt => match self.irrationals.sign(argument, &mut self.budget)? {
                Some(Ordering::Less) => return Ok(Outcome::Open),
                Some(_) => self.irrationals.apply(Function::SquareRoot, argument),
                None => None,
            },
            Op::Arcsin | Op::Asin | Op::Arccos | Op::Acos => {
                let above = self.irrationals.sign(&argument.plus(&rational(-1)), &mut self.budget)?;
                let below = self.irrationals.sign(&argument.plus(&rational(1)), &mut self.budget)?;
                match (below, above) {
                    (Some(Ordering::Less), _) | (_, Some(Ordering::Greater)) => return Ok(Outcome::Open),
                    (Some(_), Some(_)) => {}
                    _ => return Ok(Outcome::Unknown),
                }
                let arcsine = self.irrationals.apply(Function::Arcsin, argument);
                match op {
                    Op::Arcsin | Op::Asin => arcsine,
                    _ => {
                        let pi = self.irrationals.pi();
                        match (self.irrationals.product(&pi, &half), arcsine) {
                            (Some(quarter), Some(arcsine)) => Some(quarter.plus(&arcsine.negated())),
                            _ => None,
                        }
                    }
                }
            }
            _ => None,
        };
        Ok(number.map_or(Outcome::Unknown, Outcome::Number))
    }

    /// A relation of neighbours: one that does not hold decides.
    fn chain(&mut self, op: Op, args: &[Number]) -> Result<Outcome, LimitReached> {
        let mut all = Outcome::Truth(true);
        for pair in args.windows(2) {
            let difference = pair[0].plus(&pair[1].negated());
            match self.irrationals.sign(&difference, &mut self.budget)? {
                Some(sign) => {
                    let holds = match op {
                        Op::Le => sign.is_le(),
                        Op::Lt => sign.is_lt(),
                        Op::Ge => sign.is_ge(),
                        Op::Gt => sign.is_gt(),
                        _ => sign.is_eq(),
                    };
                    if !holds {
                        return Ok(Outcome::Truth(false));
                    }
                }
                None => all = Outcome::Unknown,
            }
        }
        Ok(all)
    }

    fn distinct(&mut self, args: &[Number]) -> Result<Outcome, LimitReached> {
        let mut all = Outcome::Truth(true);
        for (place, one) in args.iter().enumerate() {
            for other in &args[place + 1..] {
                match self.irrationals.sign(&one.plus(&other.negated()), &mut self.budget)? {
                    Some(Ordering::Equal) => return Ok(Outcome::Truth(false)),
                    Some(_) => {}
                    None => all = Outcome::Unknown,
                }
            }
        }
        Ok(all)
    }

    /// An algebraic number as solvers print it: `(root-obj (+ (^ x 2) (- 3)) 2)`, or that of cvc5.
    pub(super) fn printed_root(&mut self, text: Symbol, term: Term) -> Part {
        if let Err(limit) = self.budget.spend(STEP_COST << 6) {
            return Err(limit.into());
        }
        let number = match self.terms.args(term) {
            [] => root_of_text(self.terms.text(text), &mut self.irrationals),
            [polynomial, position] if self.terms.text(text) == "root-obj" => {
                let polynomial = self.polynomial_of(*polynomial, 0).map(Polynomial::new);
                match (polynomial, self.terms.head(*position)) {
                    (Some(polynomial), Head::Literal(Literal::Numeral, position)) => {
                        let position = self.terms.text(position).parse().unwrap_or(0);
                        self.irrationals.root_at(&polynomial, position)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        number.and_then(|number| self.part_of(number)).unwrap_or(Err(Unknown::Irrational.into()))
    }

    /// The coefficients of a polynomial that is written as a term over one symbol.
    fn polynomial_of(&mut self, term: Term, depth: u32) -> Option<Vec<RBig>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let args = self.terms.args(term);
        let (op, args) = match self.terms.head(term) {
            Head::Literal(literal, text) => {
                let value = self.literal(literal, text, self.terms.sort(term)).ok()?;
                return Some(vec![self.number_of(&Ok(value))?.as_rational()?]);
            }
            Head::Op(op, _) => (op, args),
            // The only symbol is the variable.
            _ if args.is_empty() => return Some(vec![RBig::ZERO, RBig::ONE]),
            _ => return None,
        };
        if op == Op::Power {
            let base = self.polynomial_of(*args.first()?, depth + 1)?;
            let exponent = self.polynomial_of(*args.get(1)?, depth + 1)?;
            let [exponent] = exponent.as_slice() else { return None };
            let exponent = usize::try_from(exponent.numerator().clone()).ok()?;
            if exponent > MAX_DEGREE {
                return None;
            }
            return (0..exponent).try_fold(vec![RBig::ONE], |power, _| times(&power, &base));
        }
        let parts: Vec<Vec<RBig>> =
            args.iter().map(|arg| self.polynomial_of(*arg, depth + 1)).collect::<Option<_>>()?;
        let (first, rest) = parts.split_first()?;
        match op {
            Op::Neg => times(first, &[-RBig::ONE]),
            Op::ToReal => Some(first.clone()),
            Op::Add => Some(rest.iter().fold(first.clone(), |sum, next| plus(&sum, next))),
            Op::Sub => rest
                .iter()
                .try_fold(first.clone(), |sum, next| Some(plus(&sum, &times(next, &[-RBig::ONE])?))),
            Op::Mul => rest.iter().try_fold(first.clone(), |product, next| times(&product, next)),
            Op::RealDiv => match rest {
                [divisor] if divisor.len() == 1 && !divisor[0].is_zero() => {
                    times(first, &[RBig::ONE / &divisor[0]])
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// What an operator gives for numbers.
enum Outcome {
    Number(Number),
    Whole(IBig),
    Truth(bool),
    /// The operator has no meaning of its own there.
    Open,
    Unknown,
}

fn plus(one: &[RBig], other: &[RBig]) -> Vec<RBig> {
    let at = |part: &[RBig], place: usize| part.get(place).cloned().unwrap_or_default();
    (0..one.len().max(other.len())).map(|place| at(one, place) + at(other, place)).collect()
}

/// A product; none if its degree is too high.
fn times(one: &[RBig], other: &[RBig]) -> Option<Vec<RBig>> {
    if one.len() + other.len() > MAX_DEGREE + 2 {
        return None;
    }
    let mut product = vec![RBig::ZERO; (one.len() + other.len()).saturating_sub(1)];
    for (left_place, left) in one.iter().enumerate() {
        for (right_place, right) in other.iter().enumerate() {
            product[left_place + right_place] += left * right;
        }
    }
    Some(product)
}
