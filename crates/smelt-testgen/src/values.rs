//! Values and sorts to draw: small ones that people like to read, and now and then those at which solvers err.
//!
//! These are the powers of two and of ten with their neighbours, the bounds of machine numbers, floats that are subnormal
//! or halfway between others, long strings and characters at the ends of the alphabet, and wide bit vectors.

use smelt_smtlib::op::{Op, SortPattern};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::term::{Head, Index, Literal, Term, Terms, Variable};

use crate::random::Random;

/// A value is at a boundary once in so many draws.
const BOUNDARY_ONE_IN: u64 = 4;
/// Wider bit vectors are not written down.
const WIDEST: u32 = 1024;
/// The longest string that is drawn, in repetitions of a word.
const MAX_REPETITIONS: u64 = 24;

/// A value of a sort, if its values can be written down.
pub(crate) fn draw_value(terms: &mut Terms, sort: Sort, random: &mut Random) -> Option<Term> {
    match *terms.sorts.kind(sort) {
        SortKind::Bool => Some(terms.bool(random.one_in(2))),
        SortKind::Int => {
            let text = draw_integer(random);
            let value = terms.literal(Literal::Numeral, &text, sort);
            if random.one_in(4) { terms.apply(Op::Neg, &[], &[value]).ok() } else { Some(value) }
        }
        SortKind::Real => {
            let text = draw_decimal(random);
            let value = terms.literal(Literal::Decimal, &text, sort);
            if random.one_in(4) { terms.apply(Op::Neg, &[], &[value]).ok() } else { Some(value) }
        }
        SortKind::String => {
            let text = draw_text(random);
            Some(terms.literal(Literal::Str, &text, sort))
        }
        SortKind::RegLan => {
            let word = draw_value(terms, Sort::STRING, random)?;
            terms.apply(Op::StrToRe, &[], &[word]).ok()
        }
        SortKind::RoundingMode => {
            let modes = [Op::Rne, Op::Rna, Op::Rtp, Op::Rtn, Op::Rtz];
            terms.apply(*random.choose(&modes)?, &[], &[]).ok()
        }
        SortKind::BitVec(width) if width <= WIDEST => {
            let digits = draw_bits(width as usize, random);
            Some(terms.literal(Literal::Binary, &digits, sort))
        }
        SortKind::Float(exponent, significand) => draw_float(terms, exponent, significand, random),
        SortKind::Array(_, element) => {
            let element = draw_value(terms, element, random)?;
            terms.apply_ascribed(Op::ConstArray, &[], &[element], Some(sort)).ok()
        }
        SortKind::Seq(element) => {
            if random.one_in(2) {
                return terms.apply_ascribed(Op::SeqEmpty, &[], &[], Some(sort)).ok();
            }
            let element = draw_value(terms, element, random)?;
            terms.apply(Op::SeqUnit, &[], &[element]).ok()
        }
        SortKind::Set(element) => {
            let of_one = |terms: &mut Terms, value: Term| terms.apply(Op::SetSingleton, &[], &[value]).ok();
            let empty = terms.apply_ascribed(Op::SetEmpty, &[], &[], Some(sort)).ok();
            empty_or(terms, empty, element, of_one, random)
        }
        SortKind::FiniteSet(element) => {
            // The text of a singleton is that of a set of cvc5.
            let of_one =
                |terms: &mut Terms, value: Term| terms.apply(Op::FiniteSetRange, &[], &[value, value]).ok();
            let empty = terms.apply_ascribed(Op::FiniteSetEmpty, &[], &[], Some(sort)).ok();
            if element == Sort::INT { empty_or(terms, empty, element, of_one, random) } else { empty }
        }
        SortKind::Nullable(element) => {
            let of_one = |terms: &mut Terms, value: Term| terms.apply(Op::NullableSome, &[], &[value]).ok();
            let null = terms.apply_ascribed(Op::NullableNull, &[], &[], Some(sort)).ok();
            empty_or(terms, null, element, of_one, random)
        }
        SortKind::Bag(element) => {
            let of_one = |terms: &mut Terms, value: Term| {
                let count = terms.literal(Literal::Numeral, "2", Sort::INT);
                terms.apply(Op::BagMake, &[], &[value, count]).ok()
            };
            let empty = terms.apply_ascribed(Op::BagEmpty, &[], &[], Some(sort)).ok();
            empty_or(terms, empty, element, of_one, random)
        }
        SortKind::Tuple(_) => {
            let parts = terms.sorts.components(sort);
            let values: Vec<Term> =
                parts.into_iter().map(|part| draw_value(terms, part, random)).collect::<Option<_>>()?;
            let op = if values.is_empty() { Op::TupleUnit } else { Op::Tuple };
            terms.apply(op, &[], &values).ok()
        }
        SortKind::FiniteField(order) => {
            let order: u128 = terms.text(order).parse().ok()?;
            let value = match random.below(4) {
                0 => 0,
                1 => 1,
                2 => order.checked_sub(1)?,
                _ => u128::from(random.word()) % order.max(1),
            };
            Some(terms.literal(Literal::Field, &value.to_string(), sort))
        }
        SortKind::Arrow(_) => draw_function(terms, sort, random),
        _ => None,
    }
}

/// The empty value, or what is made of one element.
fn empty_or(
    terms: &mut Terms,
    empty: Option<Term>,
    element: Sort,
    of_one: impl FnOnce(&mut Terms, Term) -> Option<Term>,
    random: &mut Random,
) -> Option<Term> {
    if random.one_in(3) {
        return empty;
    }
    let value = draw_value(terms, element, random)?;
    of_one(terms, value)
}

/// A function that gives one of its arguments or always the same value.
fn draw_function(terms: &mut Terms, sort: Sort, random: &mut Random) -> Option<Term> {
    let mut params = terms.sorts.flat_arrow(sort);
    let result = params.pop()?;
    let variables: Vec<Variable> = params
        .iter()
        .enumerate()
        .map(|(number, sort)| Variable { name: terms.symbols.intern(&format!("p{number}")), sort: *sort })
        .collect();
    let alike: Vec<Variable> = variables.iter().copied().filter(|variable| variable.sort == result).collect();
    let body = match random.choose(&alike) {
        Some(variable) if !random.one_in(3) => terms.local(variable.name, result),
        _ => draw_value(terms, result, random)?,
    };
    let binders = terms.intern_binders(&variables);
    Some(terms.intern(Head::Lambda(binders), &[body], sort))
}

fn draw_integer(random: &mut Random) -> String {
    const SMALL: &[u128] = &[0, 1, 2, 3, 5, 10];
    const BITS: &[u32] = &[7, 8, 15, 16, 31, 32, 52, 53, 63, 64, 100];
    if !random.one_in(BOUNDARY_ONE_IN) {
        return SMALL[random.position(SMALL.len())].to_string();
    }
    let power = match random.one_in(2) {
        true => 1u128 << BITS[random.position(BITS.len())],
        false => 10u128.pow(1 + random.below(24) as u32),
    };
    (power + u128::from(random.below(3)) - 1).to_string()
}

fn draw_decimal(random: &mut Random) -> String {
    const SMALL: &[&str] = &["0.0", "1.0", "2.0", "0.5", "1.25", "10.0"];
    const FRACTIONS: &[&str] = &[
        "0.1",
        "0.001",
        "0.0000000001",
        "0.333333333333333333",
        "0.99999999999999999999",
        "0.000030517578125",
        "1.0000000000000002220446049250313080847263336181640625",
        "2147483647.5",
    ];
    if !random.one_in(BOUNDARY_ONE_IN) {
        return SMALL[random.position(SMALL.len())].to_owned();
    }
    match random.one_in(2) {
        true => FRACTIONS[random.position(FRACTIONS.len())].to_owned(),
        false => format!("{}.0", draw_integer(random)),
    }
}

fn draw_text(random: &mut Random) -> String {
    const WORDS: &[&str] = &["", "a", "b", "ab", "ba", "aa", "0", "12", "A", "-1", " "];
    const CORNERS: &[&str] = &[
        "\\u{0}",
        "\\u{7f}",
        "\\u{ff}",
        "\\u{100}",
        "\\u{d800}",
        "\\u{ffff}",
        "\\u{2ffff}",
        "\\",
        "007",
        "-0",
        "2147483648",
        "18446744073709551616",
        "99999999999999999999",
        "aA",
    ];
    if !random.one_in(BOUNDARY_ONE_IN) {
        return WORDS[random.position(WORDS.len())].to_owned();
    }
    match random.one_in(3) {
        true => {
            let word = WORDS[1 + random.position(WORDS.len() - 1)];
            word.repeat(2 + random.below(MAX_REPETITIONS - 1) as usize)
        }
        false => CORNERS[random.position(CORNERS.len())].to_owned(),
    }
}

/// Binary digits: nothing but zeros or ones, one digit that differs at an end, halves, stripes, or anything.
fn draw_bits(width: usize, random: &mut Random) -> String {
    let rest = width - 1;
    match random.below(8) {
        0 => "0".repeat(width),
        1 => "1".repeat(width),
        2 => format!("1{}", "0".repeat(rest)),
        3 => format!("{}1", "0".repeat(rest)),
        4 => format!("0{}", "1".repeat(rest)),
        5 => format!("{}0", "1".repeat(rest)),
        6 => "01".repeat(width.div_ceil(2))[..width].to_owned(),
        _ => (0..width).map(|_| if random.one_in(2) { '1' } else { '0' }).collect(),
    }
}

/// A special value, or one by its bits: zeros, subnormal, smallest and largest ones, and ties are among them.
fn draw_float(terms: &mut Terms, exponent: u32, significand: u32, random: &mut Random) -> Option<Term> {
    let fraction = significand.checked_sub(1).filter(|bits| *bits > 0)?;
    if random.one_in(2) || exponent + fraction > WIDEST {
        let ops = [Op::FpPlusZero, Op::FpMinusZero, Op::FpPlusInfinity, Op::FpMinusInfinity, Op::FpNan];
        let format = [exponent, significand].map(|bits| Index::Number(u64::from(bits)));
        return terms.apply(*random.choose(&ops)?, &format, &[]).ok();
    }
    let parts = [
        if random.one_in(2) { "1".to_owned() } else { "0".to_owned() },
        draw_bits(exponent as usize, random),
        draw_bits(fraction as usize, random),
    ];
    let args: Vec<Term> = parts
        .iter()
        .map(|digits| {
            let sort = terms.sorts.bit_vec(digits.len() as u32);
            terms.literal(Literal::Binary, digits, sort)
        })
        .collect();
    terms.apply(Op::Fp, &[], &args).ok()
}

/// A sort that a pattern may stand for, whether some script has it or not.
pub(crate) fn draw_sort(sorts: &mut Sorts, pattern: &SortPattern, random: &mut Random) -> Option<Sort> {
    const WIDTHS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 65];
    // Those that solvers read with default options.
    const FORMATS: &[[u32; 2]] = &[[8, 24], [11, 53]];
    Some(match pattern {
        SortPattern::Fixed(sort) => *sort,
        SortPattern::Var(_) => match random.below(4) {
            0 => Sort::BOOL,
            1 | 2 => Sort::INT,
            _ => sorts.bit_vec(8),
        },
        SortPattern::BitVec(_) => sorts.bit_vec(WIDTHS[random.position(WIDTHS.len())]),
        SortPattern::Float(..) => {
            let [exponent, significand] = FORMATS[random.position(FORMATS.len())];
            sorts.float(exponent, significand)
        }
        // Fields are those of the script; what has parts is made of sorts for these.
        SortPattern::Field(_) | SortPattern::Applied(..) => return None,
    })
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::print::term_text;
    use smelt_smtlib::read::{Scope, read_term};

    use super::*;

    /// The texts of many values of a sort; each is read back.
    fn values(sort: impl Fn(&mut Terms) -> Sort) -> Vec<String> {
        let mut random = Random::new(3);
        let mut texts = Vec::new();
        for _ in 0..4000 {
            let mut terms = Terms::new();
            let sort = sort(&mut terms);
            let value = draw_value(&mut terms, sort, &mut random).unwrap();
            assert_eq!(terms.sort(value), sort);
            let text = term_text(&mut terms, value);
            assert_eq!(read_term(&mut terms, &mut Scope::new(), &text, Dialect::V26), Ok(value), "{text}");
            texts.push(text);
        }
        texts
    }

    #[test]
    fn boundaries_are_drawn() {
        let check = |texts: Vec<String>, expected: &[&str]| {
            for part in expected {
                assert!(texts.iter().any(|text| text.contains(part)), "{part}");
            }
        };
        check(values(|_| Sort::INT), &["0", "4294967296", "(- ", "9007199254740993"]);
        check(values(|_| Sort::REAL), &["0.5", "0.000030517578125", "(- "]);
        check(values(|_| Sort::STRING), &["\\u{2ffff}", "aaaaaaaaaa", "-0"]);
        check(values(|terms| terms.sorts.bit_vec(65)), &["#b1000000", "#b0101010"]);
        check(values(|terms| terms.sorts.float(8, 24)), &["(_ NaN 8 24)", "(fp #b1 #b00000000 #b1"]);
    }

    #[test]
    fn arrays_and_sequences_have_values_if_their_elements_do() {
        let texts = values(|terms| terms.sorts.array(Sort::INT, Sort::BOOL));
        assert!(texts.iter().all(|text| text.starts_with("((as const (Array Int Bool)) ")));
        let texts = values(|terms| terms.sorts.intern(SortKind::Seq(Sort::BOOL)));
        assert!(texts.iter().any(|text| text == "(as seq.empty (Seq Bool))"));
        let mut terms = Terms::new();
        let name = terms.symbols.intern("S");
        let declared = terms.sorts.intern(SortKind::Named(name, [].into()));
        assert_eq!(draw_value(&mut terms, declared, &mut Random::new(1)), None);
    }
}
