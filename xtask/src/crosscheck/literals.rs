//! Random values to start terms from, weighted to the corners of each sort.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Index, Literal, Term, Terms};

/// Integers at which something happens: code points, powers of two and their neighbours come on top of these.
const INTS: &[i64] =
    &[0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 7, 9, 10, 16, 48, 57, 65, 97, 255, 256, 196_607, 196_608, i64::MAX];
/// Pieces of string literals, as they are written between the quotes. All are printable ASCII: the theory has no other
/// literals, and solvers differ in how they read them (Z3 takes bytes, cvc5 takes nothing).
const PIECES: &[&str] = &[
    "a",
    "a",
    "a",
    "b",
    "b",
    "b",
    "ab",
    "ba",
    "aa",
    "0",
    "1",
    "9",
    "00",
    "-",
    " ",
    "A",
    "Z",
    "z",
    "\"\"",
    "\\",
    "\\u",
    "\\u{",
    "\\u{}",
    "\\u{g}",
    "\\u{61}",
    "\\u{0061}",
    "\\u0062",
    "\\u00",
    "\\x41",
    "\\n",
    "\\u{0}",
    "\\u{7f}",
    "\\u{ff}",
    "\\u{e9}",
    "\\u{c9}",
    "\\u{d800}",
    "\\u{ffff}",
    "\\u{10000}",
    "\\u{1F600}",
    "\\u{2ffff}",
    "\\u{2FFFF}",
    "\\u{30000}",
    "\\u{000061}",
    "@",
    "[",
    "`",
    "{",
    "/",
    ":",
];

/// An integer; small ones are for positions and counts.
pub fn int(terms: &mut Terms, is_small: bool, rng: &mut Xoshiro256PlusPlus) -> Term {
    let magnitude = match rng.random_range(0..20) {
        _ if is_small && rng.random_bool(0.8) => rng.random_range(0..6).to_string(),
        0..12 => INTS.choose(rng).expect("the list is not empty").to_string(),
        12..16 => rng.random_range(0..100).to_string(),
        16..19 => {
            let power = 1i128 << rng.random_range(1..100);
            (power + rng.random_range(-1..2)).to_string()
        }
        _ if rng.random_bool(0.1) => digits(rng.random_range(100..400), rng),
        _ => digits(rng.random_range(20..45), rng),
    };
    signed(terms, Literal::Numeral, &magnitude, Sort::INT, rng.random_bool(0.3))
}

/// A real number, as a decimal or a fraction.
pub fn real(terms: &mut Terms, rng: &mut Xoshiro256PlusPlus) -> Term {
    let whole = |rng: &mut Xoshiro256PlusPlus| match rng.random_range(0..10) {
        0..7 => rng.random_range(0..10).to_string(),
        7..9 => (1u128 << rng.random_range(1..80)).to_string(),
        _ => digits(rng.random_range(10..30), rng),
    };
    let is_negative = rng.random_bool(0.3);
    match rng.random_range(0..4) {
        0 => {
            let text = format!("{}.0", whole(rng));
            signed(terms, Literal::Decimal, &text, Sort::REAL, is_negative)
        }
        1 => {
            let fraction =
                *["5", "25", "1", "3", "75", "0625", "333", "50", "000001"].choose(rng).expect("not empty");
            let text = format!("{}.{fraction}", whole(rng));
            signed(terms, Literal::Decimal, &text, Sort::REAL, is_negative)
        }
        2 => signed(terms, Literal::Decimal, "0.0", Sort::REAL, is_negative),
        _ => {
            let (above, below) = (format!("{}.0", whole(rng)), format!("{}.0", whole(rng)));
            let below = if below.starts_with('0') { "3.0".to_owned() } else { below };
            let above = signed(terms, Literal::Decimal, &above, Sort::REAL, is_negative);
            let below = terms.literal(Literal::Decimal, &below, Sort::REAL);
            apply(terms, Op::RealDiv, &[above, below])
        }
    }
}

/// A bit-vector.
pub fn bits(terms: &mut Terms, width: u32, rng: &mut Xoshiro256PlusPlus) -> Term {
    let text = bit_text(width, rng);
    literal_of_bits(terms, &text, rng)
}

fn literal_of_bits(terms: &mut Terms, text: &str, rng: &mut Xoshiro256PlusPlus) -> Term {
    let width = text.len() as u32;
    let sort = terms.sorts.bit_vec(width);
    let number = u128::from_str_radix(text, 2).ok();
    match (rng.random_range(0..3), number) {
        (0, Some(number)) if width.is_multiple_of(4) => {
            let hex = format!("{number:0digits$x}", digits = width as usize / 4);
            terms.literal(Literal::Hex, &hex, sort)
        }
        (1, Some(number)) => terms.literal(Literal::BvDecimal, &number.to_string(), sort),
        _ => terms.literal(Literal::Binary, text, sort),
    }
}

/// The digits of a bit-vector, the highest first.
fn bit_text(width: u32, rng: &mut Xoshiro256PlusPlus) -> String {
    let width = width as usize;
    let small = |number: usize| {
        let text = format!("{number:0width$b}");
        text[text.len() - width..].to_owned()
    };
    match rng.random_range(0..12) {
        0 => "0".repeat(width),
        1 => small(1),
        2 => "1".repeat(width),
        3 => format!("1{}", "0".repeat(width - 1)),
        4 => format!("0{}", "1".repeat(width - 1)),
        5 => format!("1{}1", "0".repeat(width.saturating_sub(2)))[..width].to_owned(),
        6 => small((width + 1).saturating_sub(rng.random_range(0..3))),
        7 => small(rng.random_range(0..8)),
        8 => {
            let set = rng.random_range(0..width);
            (0..width).map(|position| if position == set { '1' } else { '0' }).collect()
        }
        _ => random_bits(width, rng),
    }
}

fn random_bits(width: usize, rng: &mut Xoshiro256PlusPlus) -> String {
    (0..width).map(|_| if rng.random_bool(0.5) { '1' } else { '0' }).collect()
}

/// A floating-point number, in one of the ways to write it.
pub fn float(terms: &mut Terms, exponent: u32, significand: u32, rng: &mut Xoshiro256PlusPlus) -> Term {
    let indices = [Index::Number(exponent.into()), Index::Number(significand.into())];
    let special = match rng.random_range(0..16) {
        0 => Some(Op::FpNan),
        1 => Some(Op::FpPlusInfinity),
        2 => Some(Op::FpMinusInfinity),
        3 => Some(Op::FpPlusZero),
        4 => Some(Op::FpMinusZero),
        _ => None,
    };
    if let Some(op) = special {
        return apply_indexed(terms, op, &indices, &[]);
    }
    let fraction = significand as usize - 1;
    let bias = format!("0{}", "1".repeat(exponent as usize - 1));
    let largest = format!("{}0", "1".repeat(exponent as usize - 1));
    let zero = "0".repeat(exponent as usize);
    let small = |number: usize| {
        let text = format!("{number:0fraction$b}");
        text[text.len() - fraction..].to_owned()
    };
    let (exponent_bits, fraction_bits) = match rng.random_range(0..14) {
        0 => (zero, small(1)),
        1 => (zero, "1".repeat(fraction)),
        2 => (zero, random_bits(fraction, rng)),
        3 => (format!("{}1", "0".repeat(exponent as usize - 1)), small(0)),
        4 => (largest, "1".repeat(fraction)),
        5 => (bias, small(0)),
        6 => (bias, small(1)),
        7 => (bias, random_bits(fraction, rng)),
        8 => (format!("1{}", "0".repeat(exponent as usize - 1)), small(0)),
        9 => (random_bits(exponent as usize, rng), "1".repeat(fraction)),
        10 => (random_bits(exponent as usize, rng), small(1)),
        _ => (random_bits(exponent as usize, rng), random_bits(fraction, rng)),
    };
    let sign = if rng.random_bool(0.5) { "1" } else { "0" };
    if rng.random_bool(0.15) {
        let bits = literal_of_bits(terms, &format!("{sign}{exponent_bits}{fraction_bits}"), rng);
        return apply_indexed(terms, Op::ToFp, &indices, &[bits]);
    }
    let fields = [sign, &exponent_bits, &fraction_bits].map(|text| {
        let sort = terms.sorts.bit_vec(text.len() as u32);
        terms.literal(Literal::Binary, text, sort)
    });
    apply(terms, Op::Fp, &fields)
}

/// A string.
pub fn string(terms: &mut Terms, rng: &mut Xoshiro256PlusPlus) -> Term {
    let text = match rng.random_range(0..10) {
        0 => String::new(),
        1..5 => {
            let length = rng.random_range(0..6);
            (0..length).map(|_| *["a", "b"].choose(rng).expect("not empty")).collect()
        }
        5 => digits(rng.random_range(1..5), rng),
        6 => PIECES.choose(rng).expect("not empty").to_string(),
        _ => {
            let length = rng.random_range(1..5);
            (0..length).map(|_| *PIECES.choose(rng).expect("not empty")).collect()
        }
    };
    terms.literal(Literal::Str, &text, Sort::STRING)
}

/// A string of exactly one character, as the ends of ranges are.
pub fn character(terms: &mut Terms, rng: &mut Xoshiro256PlusPlus) -> Term {
    let text = *["a", "a", "b", "z", "0", "9", "A", "\\u{0}", "\\u{ff}", "\\u{2ffff}"]
        .choose(rng)
        .expect("not empty");
    terms.literal(Literal::Str, text, Sort::STRING)
}

fn digits(count: usize, rng: &mut Xoshiro256PlusPlus) -> String {
    (0..count).map(|position| char::from(b'0' + rng.random_range(u8::from(position == 0)..10))).collect()
}

fn signed(terms: &mut Terms, literal: Literal, text: &str, sort: Sort, is_negative: bool) -> Term {
    let number = terms.literal(literal, text, sort);
    if is_negative { apply(terms, Op::Neg, &[number]) } else { number }
}

/// Applies an operator to arguments that it takes.
pub fn apply(terms: &mut Terms, op: Op, args: &[Term]) -> Term {
    apply_indexed(terms, op, &[], args)
}

fn apply_indexed(terms: &mut Terms, op: Op, indices: &[Index], args: &[Term]) -> Term {
    terms.apply(op, indices, args).expect("literals are built with the right sorts")
}
