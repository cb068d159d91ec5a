//! The simplest values of a sort.

use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Index, Literal, Term, Terms};

use super::literals::short_bits;

/// A few values of a sort, the simplest first; none if they cannot be written down.
pub(super) fn values(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    match *terms.sorts.kind(sort) {
        SortKind::Bool => vec![terms.bool(true), terms.bool(false)],
        SortKind::Int => literals(terms, Literal::Numeral, sort, &["0", "1"]),
        SortKind::Real => literals(terms, Literal::Decimal, sort, &["0.0", "1.0"]),
        SortKind::String => literals(terms, Literal::Str, sort, &["", "a"]),
        SortKind::RegLan => [Op::ReNone, Op::ReAll, Op::ReAllChar]
            .iter()
            .filter_map(|op| terms.apply(*op, &[], &[]).ok())
            .collect(),
        SortKind::RoundingMode => terms.apply(Op::Rne, &[], &[]).into_iter().collect(),
        SortKind::BitVec(width) => {
            vec![short_bits(terms, width, 0), short_bits(terms, width, 1)]
        }
        SortKind::Float(exponent, significand) => {
            let format = [exponent, significand].map(|bits| Index::Number(u64::from(bits)));
            [Op::FpPlusZero, Op::FpNan].iter().filter_map(|op| terms.apply(*op, &format, &[]).ok()).collect()
        }
        SortKind::Array(_, element) => {
            let value = values(terms, element).first().copied();
            let constant = value.map(|value| terms.apply_ascribed(Op::ConstArray, &[], &[value], Some(sort)));
            constant.and_then(Result::ok).into_iter().collect()
        }
        SortKind::Seq(_) => empty(terms, Op::SeqEmpty, sort),
        SortKind::Set(_) => empty(terms, Op::SetEmpty, sort),
        SortKind::FiniteSet(_) => empty(terms, Op::FiniteSetEmpty, sort),
        SortKind::Bag(_) => empty(terms, Op::BagEmpty, sort),
        SortKind::Nullable(_) => empty(terms, Op::NullableNull, sort),
        SortKind::FiniteField(_) => literals(terms, Literal::Field, sort, &["0", "1"]),
        SortKind::Tuple(_)
        | SortKind::Named(..)
        | SortKind::Param(_)
        | SortKind::Arrow(_)
        | SortKind::Unknown => Vec::new(),
    }
}

/// A constant of the language that is ascribed its sort.
fn empty(terms: &mut Terms, op: Op, sort: Sort) -> Vec<Term> {
    terms.apply_ascribed(op, &[], &[], Some(sort)).into_iter().collect()
}

fn literals(terms: &mut Terms, kind: Literal, sort: Sort, texts: &[&str]) -> Vec<Term> {
    texts.iter().map(|text| terms.literal(kind, text, sort)).collect()
}
