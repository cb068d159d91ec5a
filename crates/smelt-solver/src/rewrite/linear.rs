//! Linear forms: integer terms as sums of atoms with coefficients.

use dashu_int::IBig;
use smelt_semantics::literal;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::term::{Term, Terms};

/// A sum of a constant and of atoms with coefficients.
///
/// Atoms are sorted, each occurs once, and no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    /// The constant.
    pub constant: IBig,
    /// Atoms with their coefficients.
    pub monomials: Vec<(Term, IBig)>,
}

impl Linear {
    /// A constant.
    pub fn constant(value: impl Into<IBig>) -> Self {
        Linear { constant: value.into(), monomials: Vec::new() }
    }

    /// The linear form of an integer term, whose arguments are in normal form.
    ///
    /// What is not a sum, a difference or a product with a literal is an atom.
    pub fn of(terms: &Terms, term: Term) -> Self {
        let mut form = Linear::default();
        form.add(terms, term, &IBig::ONE);
        form.sort();
        form
    }

    /// The linear form of a difference.
    pub fn of_difference(terms: &Terms, left: Term, right: Term) -> Self {
        let mut form = Linear::default();
        form.add(terms, left, &IBig::ONE);
        form.add(terms, right, &IBig::NEG_ONE);
        form.sort();
        form
    }

    /// Adds a multiple of a term without sorting. Sums inside of sums are few after normalisation.
    fn add(&mut self, terms: &Terms, term: Term, factor: &IBig) {
        let mut pending = vec![(term, factor.clone())];
        while let Some((term, factor)) = pending.pop() {
            if let Some(value) = literal::int_value(terms, term) {
                self.constant += value * factor;
                continue;
            }
            let args = terms.args(term);
            match terms.op(term) {
                Some(Op::Add) => pending.extend(args.iter().map(|arg| (*arg, factor.clone()))),
                Some(Op::Neg) => pending.push((args[0], -factor)),
                Some(Op::Sub) => {
                    pending.push((args[0], factor.clone()));
                    pending.extend(args[1..].iter().map(|arg| (*arg, -factor.clone())));
                }
                Some(Op::Mul) => match literal_factor(terms, args) {
                    Some((value, rest)) => pending.push((rest, factor * value)),
                    None => self.monomials.push((term, factor)),
                },
                _ => self.monomials.push((term, factor)),
            }
        }
    }

    fn sort(&mut self) {
        self.monomials.sort_unstable_by_key(|(atom, _)| *atom);
        let mut merged: Vec<(Term, IBig)> = Vec::with_capacity(self.monomials.len());
        for (atom, coefficient) in self.monomials.drain(..) {
            match merged.last_mut() {
                Some((last, sum)) if *last == atom => *sum += coefficient,
                _ => merged.push((atom, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| *coefficient != IBig::ZERO);
        self.monomials = merged;
    }

    /// The sum of this and a multiple of another form.
    pub fn plus(&self, other: &Linear, factor: &IBig) -> Linear {
        let mut sum = self.clone();
        sum.constant += &other.constant * factor;
        sum.monomials.extend(other.monomials.iter().map(|(atom, coefficient)| (*atom, coefficient * factor)));
        sum.sort();
        sum
    }

    /// The value, if no atom is left.
    pub fn as_constant(&self) -> Option<&IBig> {
        self.monomials.is_empty().then_some(&self.constant)
    }

    /// The greatest common divisor of the coefficients; zero if there are none.
    pub fn divisor(&self) -> IBig {
        use dashu_int::ops::Gcd;
        self.monomials.iter().fold(IBig::ZERO, |divisor, (_, coefficient)| {
            if divisor == IBig::ZERO {
                absolute(coefficient)
            } else {
                IBig::from((&divisor).gcd(coefficient))
            }
        })
    }

    /// The term of this form: atoms with their coefficients, then the constant.
    pub fn to_term(&self, terms: &mut Terms) -> Term {
        let mut summands = Vec::with_capacity(self.monomials.len() + 1);
        for (atom, coefficient) in &self.monomials {
            summands.push(multiple(terms, *atom, coefficient));
        }
        if self.constant != IBig::ZERO || summands.is_empty() {
            summands.push(literal::int(terms, &self.constant));
        }
        build::sum(terms, &summands)
    }

    /// Two terms whose difference is this form, with positive coefficients only.
    pub fn to_sides(&self, terms: &mut Terms) -> (Term, Term) {
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (atom, coefficient) in &self.monomials {
            if *coefficient > IBig::ZERO {
                left.monomials.push((*atom, coefficient.clone()));
            } else {
                right.monomials.push((*atom, -coefficient));
            }
        }
        // A side without atoms takes the constant, also a negative one; else it is positive where it stands.
        let is_left =
            left.monomials.is_empty() || (self.constant > IBig::ZERO && !right.monomials.is_empty());
        if is_left {
            left.constant = self.constant.clone();
        } else {
            right.constant = -&self.constant;
        }
        (left.to_term(terms), right.to_term(terms))
    }
}

fn absolute(value: &IBig) -> IBig {
    if *value < IBig::ZERO { -value } else { value.clone() }
}

fn multiple(terms: &mut Terms, atom: Term, coefficient: &IBig) -> Term {
    if *coefficient == IBig::ONE {
        return atom;
    }
    let coefficient = literal::int(terms, coefficient);
    build::apply(terms, Op::Mul, &[coefficient, atom])
}

/// The literal of a product of a literal and one other factor.
fn literal_factor(terms: &Terms, factors: &[Term]) -> Option<(IBig, Term)> {
    let &[left, right] = factors else { return None };
    match (literal::int_value(terms, left), literal::int_value(terms, right)) {
        (Some(value), _) => Some((value, right)),
        (None, Some(value)) => Some((value, left)),
        (None, None) => None,
    }
}
