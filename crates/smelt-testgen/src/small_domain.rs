//! Small sets of values of a sort, on which claims about operators are tried.

use smelt_semantics::Budget;
use smelt_semantics::domain::values;
use smelt_semantics::environment::Environment;
use smelt_semantics::print::value_text;
use smelt_smtlib::op::{Dialect, Op};
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Index, Literal, Term, Terms};

/// Sorts with so many values or fewer are tried with all of them.
const WHOLE_SORT: u64 = 16;

/// Values of a sort on which operators behave differently; all of them if they are few.
pub(crate) fn small_domain(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    let environment = Environment::default();
    let all = values(terms, &environment, sort, WHOLE_SORT, &mut Budget::default()).ok().flatten();
    let Some(all) = all else { return some_values(terms, sort) };
    let texts: Vec<String> =
        all.iter().filter_map(|value| value_text(terms, &environment, value, sort)).collect();
    let mut scope = Scope::new();
    texts.iter().filter_map(|text| read_term(terms, &mut scope, text, Dialect::V26).ok()).collect()
}

/// Some values of a sort, the telling ones first.
fn some_values(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    const WORDS: &[&str] = &["", "a", "b", "ab", "aa", "ba", ":", "12", "aab", "aba", "\\u{2ffff}"];
    match *terms.sorts.kind(sort) {
        SortKind::Int => signed(terms, Literal::Numeral, &["0", "1", "2", "3", "7", "100"], sort),
        SortKind::Real => signed(terms, Literal::Decimal, &["0.0", "1.0", "2.5", "0.125", "7.0"], sort),
        SortKind::String => WORDS.iter().map(|word| terms.literal(Literal::Str, word, sort)).collect(),
        SortKind::BitVec(width) => {
            let digits = width as usize;
            let zeros = "0".repeat(digits - 1);
            let mixed: String = "011".chars().cycle().take(digits).collect();
            let texts =
                [format!("0{zeros}"), format!("{zeros}1"), "1".repeat(digits), format!("1{zeros}"), mixed];
            texts.iter().map(|text| terms.literal(Literal::Binary, text, sort)).collect()
        }
        SortKind::Float(exponent, significand) => {
            let format = [exponent, significand].map(|bits| Index::Number(u64::from(bits)));
            let ops = [Op::FpPlusZero, Op::FpMinusZero, Op::FpPlusInfinity, Op::FpMinusInfinity, Op::FpNan];
            ops.iter().filter_map(|op| terms.apply(*op, &format, &[]).ok()).collect()
        }
        SortKind::Array(index, element) => {
            let (indices, elements) = (few_values(terms, index), few_values(terms, element));
            let mut arrays: Vec<Term> = elements
                .iter()
                .filter_map(|value| terms.apply_ascribed(Op::ConstArray, &[], &[*value], Some(sort)).ok())
                .collect();
            for (position, index) in indices.iter().enumerate() {
                let base = arrays.get(position % elements.len().max(1)).copied();
                let value = elements.get((position + 1) % elements.len().max(1)).copied();
                if let (Some(base), Some(value)) = (base, value) {
                    arrays.extend(terms.apply(Op::Store, &[], &[base, *index, value]));
                }
            }
            arrays
        }
        SortKind::Seq(element) => {
            let elements = few_values(terms, element);
            let mut all: Vec<Term> = Vec::new();
            all.extend(terms.apply_ascribed(Op::SeqEmpty, &[], &[], Some(sort)));
            let units: Vec<Term> =
                elements.iter().filter_map(|value| terms.apply(Op::SeqUnit, &[], &[*value]).ok()).collect();
            all.extend(&units);
            for unit in &units {
                all.extend(terms.apply(Op::SeqConcat, &[], &[*unit, units[0]]));
            }
            all
        }
        _ => Vec::new(),
    }
}

/// Numbers and what is left of zero.
fn signed(terms: &mut Terms, literal: Literal, texts: &[&str], sort: Sort) -> Vec<Term> {
    let mut numbers = Vec::new();
    for text in texts {
        let number = terms.literal(literal, text, sort);
        numbers.push(number);
        // The first is zero.
        if numbers.len() > 1 {
            numbers.extend(terms.apply(Op::Neg, &[], &[number]));
        }
    }
    numbers
}

/// A few values of a sort.
fn few_values(terms: &mut Terms, sort: Sort) -> Vec<Term> {
    small_domain(terms, sort).into_iter().take(3).collect()
}
