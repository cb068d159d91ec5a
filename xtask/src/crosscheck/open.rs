//! Comparisons of what the standard leaves open.
//!
//! Nobody knows what `(div 1 0)` is, but `(= (div 1 0) (div (+ 1 0) 0))` is true: operators are functions. An
//! application is compared with one whose arguments have the same values and are written otherwise.

use rand::RngExt;
use rand::seq::IndexedRandom;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Literal, Term};

use super::catalogue::{Form, Maker, Production, Shape};
use super::generate::{Filter, Generator};
use super::literals;

impl Generator<'_> {
    /// A comparison of two applications of one operator, or of a selector, to equal arguments that are probably those
    /// where it is open.
    pub(super) fn compare_open(&mut self, op: Option<Op>, depth: u32, allowed: Filter<'_>) -> Term {
        self.forms.insert(Form::Open { op });
        let catalogue = self.catalogue;
        let is_of_op = |production: &&Production| match (op, production.form) {
            (Some(op), Form::Op { op: other, shape: Shape::Usual, .. }) => op == other,
            (None, Form::Selector) => true,
            _ => false,
        };
        let productions: Vec<&Production> = catalogue.productions.iter().filter(is_of_op).collect();
        let production = *productions.choose(&mut self.rng).expect("operators of the list are drawn");
        let made = self.make(production, depth, allowed);
        let made = self.opened(made, production);
        let disguised = self.disguised(made);
        let equal = literals::apply(&mut self.terms, Op::Eq, &[made, disguised]);
        match self.rng.random_range(0..4) {
            0 => equal,
            1 => literals::apply(&mut self.terms, Op::Not, &[equal]),
            2 => literals::apply(&mut self.terms, Op::Distinct, &[made, disguised]),
            _ => {
                let chosen = literals::apply(&mut self.terms, Op::Ite, &[equal, disguised, made]);
                literals::apply(&mut self.terms, Op::Eq, &[chosen, made])
            }
        }
    }

    /// The application with a last argument for which a division or a power is open.
    fn opened(&mut self, term: Term, production: &Production) -> Term {
        let (op, sort) = match (&production.maker, production.args.last()) {
            (Maker::Op(op @ (Op::IntDiv | Op::Mod | Op::RealDiv | Op::Power), _), Some(sort)) => (*op, *sort),
            _ => return term,
        };
        let number = if op == Op::Power { "1" } else { "0" };
        let literal = match sort {
            Sort::REAL => self.terms.literal(Literal::Decimal, &format!("{number}.0"), sort),
            _ => self.terms.literal(Literal::Numeral, number, sort),
        };
        let last =
            if op == Op::Power { literals::apply(&mut self.terms, Op::Neg, &[literal]) } else { literal };
        let mut args = self.terms.args(term).to_vec();
        if let Some(slot) = args.last_mut() {
            *slot = last;
        }
        self.terms.with_args(term, &args)
    }

    /// The same application to arguments of the same values.
    fn disguised(&mut self, term: Term) -> Term {
        let args: Vec<Term> =
            self.terms.args(term).to_vec().into_iter().map(|arg| self.disguised_argument(arg)).collect();
        self.terms.with_args(term, &args)
    }

    fn disguised_argument(&mut self, arg: Term) -> Term {
        let sort = self.terms.sort(arg);
        let terms = &mut self.terms;
        match *terms.sorts.kind(sort) {
            SortKind::Int => {
                let zero = terms.literal(Literal::Numeral, "0", sort);
                literals::apply(terms, Op::Add, &[arg, zero])
            }
            SortKind::Real => {
                let zero = terms.literal(Literal::Decimal, "0.0", sort);
                literals::apply(terms, Op::Add, &[arg, zero])
            }
            SortKind::Float(..) => {
                let opposite = literals::apply(terms, Op::FpNeg, &[arg]);
                literals::apply(terms, Op::FpNeg, &[opposite])
            }
            _ => {
                let condition = terms.bool(true);
                literals::apply(terms, Op::Ite, &[condition, arg, arg])
            }
        }
    }
}
