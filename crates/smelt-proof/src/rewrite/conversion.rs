//! Identities of conversions between strings, integers and code points.

use dashu_int::IBig;
use smelt_semantics::Budget;
use smelt_semantics::literal;
use smelt_semantics::string::{MAX_CHAR, Str};
use smelt_smtlib::build::{self, apply};
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};

use super::never;
use super::symbols::{Symbol, symbols};

pub(super) fn conversion(terms: &mut Terms, term: Term) -> Option<Term> {
    let arg = terms.args(term)[0];
    let inner = (terms.op(arg), terms.args(arg).first().copied());
    let nothing = literal::int(terms, &IBig::NEG_ONE);
    match (terms.op(term)?, inner) {
        (Op::StrIsDigit, _) => {
            let code = apply(terms, Op::StrToCode, &[arg]);
            Some(is_between(terms, 0x30, code, 0x39))
        }
        (Op::StrToInt, (Some(Op::StrFromInt), Some(number))) => {
            let zero = literal::int(terms, &IBig::ZERO);
            let is_written = build::at_most(terms, zero, number);
            Some(build::ite(terms, is_written, number, nothing))
        }
        (Op::StrToCode, (Some(Op::StrFromCode), Some(number))) => {
            let is_code = is_between(terms, 0, number, MAX_CHAR);
            Some(build::ite(terms, is_code, number, nothing))
        }
        (Op::StrFromCode, (Some(Op::StrToCode), Some(text))) => {
            let is_character = has_one_character(terms, text);
            let empty = build::empty(terms);
            Some(build::ite(terms, is_character, text, empty))
        }
        (Op::StrToInt, _) => {
            let is_other = |symbol: &Symbol| matches!(symbol, Symbol::Char(character) if !(0x30..=0x39).contains(character));
            symbols(terms, arg).iter().any(is_other).then_some(nothing)
        }
        (Op::StrToCode, _) => {
            let is_character = has_one_character(terms, arg);
            never(terms, &[is_character]).then_some(nothing)
        }
        (Op::StrFromInt, _) => {
            let zero = literal::int(terms, &IBig::ZERO);
            let is_written = build::at_most(terms, zero, arg);
            never(terms, &[is_written]).then(|| build::empty(terms))
        }
        _ => None,
    }
}

fn has_one_character(terms: &mut Terms, text: Term) -> Term {
    let length = build::len(terms, text);
    let one = literal::int(terms, &IBig::ONE);
    build::eq(terms, length, one)
}

fn is_between(terms: &mut Terms, low: u32, number: Term, high: u32) -> Term {
    let [low, high] = [low, high].map(|bound| literal::int(terms, &IBig::from(bound)));
    let bounds = [build::at_most(terms, low, number), build::at_most(terms, number, high)];
    build::and(terms, &bounds)
}

/// Conversions that are equal to a literal.
pub(super) fn equation(terms: &mut Terms, term: Term) -> Option<Term> {
    let &[left, right] = terms.args(term) else { return None };
    let (converted, value) = if build::is_value(terms, right) { (left, right) } else { (right, left) };
    if !build::is_value(terms, value) || !matches!(terms.sort(value), Sort::INT | Sort::STRING) {
        return None;
    }
    let arg = *terms.args(converted).first()?;
    match terms.op(converted)? {
        Op::StrFromInt => {
            let text = literal::string_value(terms, value)?;
            if text.is_empty() {
                let zero = literal::int(terms, &IBig::ZERO);
                return Some(apply(terms, Op::Lt, &[arg, zero]));
            }
            let mut budget = Budget::default();
            let number = text.to_int(&mut budget).ok()?;
            if Str::from_int(&number, &mut budget).ok()? != text {
                return Some(terms.bool(false));
            }
            let number = literal::int(terms, &number);
            Some(build::eq(terms, arg, number))
        }
        Op::StrFromCode => match *literal::string_value(terms, value)?.chars() {
            [] => {
                let is_code = is_between(terms, 0, arg, MAX_CHAR);
                Some(build::not(terms, is_code))
            }
            [character] => {
                let code = literal::int(terms, &IBig::from(character));
                Some(build::eq(terms, arg, code))
            }
            _ => Some(terms.bool(false)),
        },
        Op::StrToCode => {
            let code = u32::try_from(&literal::int_value(terms, value)?).ok()?;
            let character = Str::from_code_points(vec![code])?;
            let character = literal::string(terms, &character);
            Some(build::eq(terms, arg, character))
        }
        _ => None,
    }
}
