//! Tests of the string operations: all small arguments against the standard's definitions, and literals.
//!
//! The module `definition` writes the definitions of the theory UnicodeStrings down over decompositions of
//! words, without looking at how the operations are implemented.

use dashu_int::IBig;
use proptest::prelude::*;

use super::{CharTooLarge, MAX_CHAR, Str};
use crate::{Budget, LimitReached};

/// The definitions of the standard, by search over all decompositions of a word.
mod definition {
    type Word = Vec<u32>;

    /// All (u, v) with u ++ v = w, shortest u first.
    fn splits(w: &[u32]) -> impl Iterator<Item = (&[u32], &[u32])> {
        (0..=w.len()).map(|at| w.split_at(at))
    }

    /// All (u, v) with u ++ part ++ v = w, shortest u first.
    fn around<'a>(w: &'a [u32], part: &'a [u32]) -> impl Iterator<Item = (&'a [u32], &'a [u32])> {
        splits(w)
            .flat_map(move |(u, rest)| splits(rest).map(move |(middle, v)| (u, middle, v)))
            .filter_map(move |(u, middle, v)| (middle == part).then_some((u, v)))
    }

    pub fn substr(w: &[u32], m: i64, n: i64) -> Word {
        let len = w.len() as i64;
        for (w1, rest) in splits(w) {
            for (w2, _) in splits(rest) {
                let fits = w1.len() as i64 == m && w2.len() as i64 == n.min(len - m);
                if 0 <= m && m < len && 0 < n && fits {
                    return w2.to_vec();
                }
            }
        }
        Word::new()
    }

    pub fn at(w: &[u32], n: i64) -> Word {
        substr(w, n, 1)
    }

    pub fn contains(w: &[u32], part: &[u32]) -> bool {
        around(w, part).next().is_some()
    }

    pub fn prefixof(w1: &[u32], w: &[u32]) -> bool {
        splits(w).any(|(u, _)| u == w1)
    }

    pub fn suffixof(w1: &[u32], w: &[u32]) -> bool {
        splits(w).any(|(_, v)| v == w1)
    }

    pub fn indexof(w: &[u32], part: &[u32], i: i64) -> i64 {
        let starts = around(w, part).map(|(u, _)| u.len() as i64);
        if i < 0 { -1 } else { starts.filter(|&n| n >= i).min().unwrap_or(-1) }
    }

    pub fn replace(w: &[u32], old: &[u32], new: &[u32]) -> Word {
        match around(w, old).next() {
            None => w.to_vec(),
            Some((u, v)) => [u, new, v].concat(),
        }
    }

    pub fn replace_all(w: &[u32], old: &[u32], new: &[u32]) -> Word {
        match around(w, old).next() {
            Some((u, v)) if !old.is_empty() => [u, new, &replace_all(v, old, new)].concat(),
            _ => w.to_vec(),
        }
    }

    pub fn lt(w1: &[u32], w2: &[u32]) -> bool {
        match (w1, w2) {
            (_, []) => false,
            ([], _) => true,
            ([a, rest1 @ ..], [b, rest2 @ ..]) => a < b || (a == b && lt(rest1, rest2)),
        }
    }

    pub fn to_int(w: &[u32]) -> i64 {
        let is_digits = !w.is_empty() && w.iter().all(|&c| (0x30..=0x39).contains(&c));
        if is_digits { w.iter().fold(0, |value, &c| 10 * value + i64::from(c) - 0x30) } else { -1 }
    }

    pub fn update(w: &[u32], i: i64, patch: &[u32]) -> Word {
        let written = |(at, &old): (usize, &u32)| match usize::try_from(at as i64 - i) {
            Ok(offset) if i >= 0 => patch.get(offset).copied().unwrap_or(old),
            _ => old,
        };
        w.iter().enumerate().map(written).collect()
    }
}

/// All words up to the given length.
fn words(alphabet: &str, max_len: usize) -> Vec<Str> {
    let mut all = vec![Vec::new()];
    let mut shorter = 0..1;
    for _ in 0..max_len {
        for index in shorter.clone() {
            for character in alphabet.chars() {
                let mut longer: Vec<u32> = all[index].clone();
                longer.push(u32::from(character));
                all.push(longer);
            }
        }
        shorter = shorter.end..all.len();
    }
    all.into_iter().map(|chars| Str::from_code_points(chars).unwrap()).collect()
}

fn lit(text: &str) -> Str {
    Str::from_literal(text).unwrap()
}

fn big() -> Budget {
    Budget::default()
}

#[test]
fn operations_on_one_word_agree_with_the_definitions() {
    for w in words("a0\u{2FFFF}", 4) {
        assert_eq!(w.len(), w.chars().len());
        assert_eq!(w.to_int(&mut big()), Ok(definition::to_int(w.chars()).into()));
        assert_eq!(w.is_digit(), w == lit("0"));
        assert_eq!(w.to_code(), if w.len() == 1 { w.chars()[0].into() } else { IBig::NEG_ONE });
        assert_eq!(w.reverse(&mut big()).unwrap().reverse(&mut big()).unwrap(), w);
        for m in -2..=6 {
            assert_eq!(w.at(&m.into()).chars(), definition::at(w.chars(), m));
            for n in -2..=6 {
                let actual = w.substr(&m.into(), &n.into(), &mut big()).unwrap();
                assert_eq!(actual.chars(), definition::substr(w.chars(), m, n), "{w} {m} {n}");
            }
        }
    }
}

#[test]
fn operations_on_two_words_agree_with_the_definitions() {
    for w in words("ab", 5) {
        for v in words("ab", 4) {
            let budget = &mut big();
            assert_eq!(w.contains(&v, budget), Ok(definition::contains(w.chars(), v.chars())));
            assert_eq!(v.is_prefix_of(&w, budget), Ok(definition::prefixof(v.chars(), w.chars())));
            assert_eq!(v.is_suffix_of(&w, budget), Ok(definition::suffixof(v.chars(), w.chars())));
            assert_eq!(w.is_less(&v, budget), Ok(definition::lt(w.chars(), v.chars())));
            assert_eq!(w.is_at_most(&v, budget), Ok(w == v || definition::lt(w.chars(), v.chars())));
            let joined = Str::concat(&[w.clone(), v.clone(), w.clone()], budget).unwrap();
            assert_eq!(joined.chars(), [w.chars(), v.chars(), w.chars()].concat());
            for i in -2..=7 {
                let actual = w.index_of(&v, &i.into(), budget).unwrap();
                assert_eq!(actual, definition::indexof(w.chars(), v.chars(), i).into(), "{w} {v} {i}");
                let actual = w.update(&i.into(), &v, budget).unwrap();
                assert_eq!(actual.chars(), definition::update(w.chars(), i, v.chars()), "{w} {i} {v}");
            }
        }
    }
}

#[test]
fn replacements_agree_with_the_definitions() {
    for w in words("ab", 6) {
        for old in words("ab", 3) {
            for new in words("ab", 2) {
                let actual = w.replace(&old, &new, &mut big()).unwrap();
                assert_eq!(actual.chars(), definition::replace(w.chars(), old.chars(), new.chars()));
                let actual = w.replace_all(&old, &new, &mut big()).unwrap();
                let expected = definition::replace_all(w.chars(), old.chars(), new.chars());
                assert_eq!(actual.chars(), expected, "{w} {old} {new}");
            }
        }
    }
}

#[test]
fn from_code_and_to_code_are_inverse_on_characters() {
    for code in 0..=MAX_CHAR {
        assert_eq!(Str::from_code(&code.into()).to_code(), code.into());
    }
    for code in [IBig::from(-1), IBig::from(MAX_CHAR + 1), IBig::ONE << 64, -(IBig::ONE << 64)] {
        assert_eq!(Str::from_code(&code), Str::empty());
    }
}

#[test]
fn huge_positions_and_counts_are_ordinary_arguments() {
    let huge = IBig::ONE << 200;
    let w = lit("abc");
    assert_eq!(w.at(&huge), Str::empty());
    assert_eq!(w.substr(&IBig::ONE, &huge, &mut big()), Ok(lit("bc")));
    assert_eq!(w.substr(&huge, &IBig::ONE, &mut big()), Ok(Str::empty()));
    assert_eq!(w.substr(&-&huge, &huge, &mut big()), Ok(Str::empty()));
    assert_eq!(w.index_of(&Str::empty(), &huge, &mut big()), Ok(IBig::NEG_ONE));
    assert_eq!(w.update(&huge, &w, &mut big()), Ok(w.clone()));
}

#[test]
fn numbers_go_through_decimal_digits() {
    for (value, text) in [(0i64, "0"), (7, "7"), (1234567890123456789, "1234567890123456789"), (-1, "")] {
        assert_eq!(Str::from_int(&IBig::from(value), &mut big()), Ok(lit(text)));
    }
    assert_eq!(lit("000").to_int(&mut big()), Ok(IBig::ZERO));
    assert_eq!(lit("007").to_int(&mut big()), Ok(IBig::from(7)));
    for not_a_number in ["", "-1", "+1", "1_000", " 1", "1 ", "\u{660}", "1a"] {
        assert_eq!(lit(not_a_number).to_int(&mut big()), Ok(IBig::NEG_ONE), "{not_a_number:?}");
    }
}

#[test]
fn a_million_digits_are_converted_within_the_default_budget() {
    let digits = Str::from_code_points(vec![u32::from(b'7'); 1_000_000]).unwrap();
    let budget = &mut big();
    let value = digits.to_int(budget).unwrap();
    assert_eq!(Str::from_int(&value, budget), Ok(digits));
}

#[test]
fn only_ascii_letters_change_case() {
    let mixed = lit("aZ09[`{@ \u{e9}\u{c9}\u{17f}");
    assert_eq!(mixed.to_lower(&mut big()), Ok(lit("az09[`{@ \u{e9}\u{c9}\u{17f}")));
    assert_eq!(mixed.to_upper(&mut big()), Ok(lit("AZ09[`{@ \u{e9}\u{c9}\u{17f}")));
}

#[test]
fn search_is_linear_on_periodic_strings() {
    let repeated = |character: char, count| vec![u32::from(character); count];
    let haystack = Str::from_code_points(repeated('a', 1 << 20)).unwrap();
    let needle = Str::from_code_points([repeated('a', 1 << 19), repeated('b', 1)].concat()).unwrap();
    let budget = &mut Budget::new(1 << 24);
    assert_eq!(haystack.contains(&needle, budget), Ok(false));
    assert_eq!(haystack.replace_all(&needle, &Str::empty(), budget), Ok(haystack.clone()));
}

#[test]
fn a_result_beyond_the_budget_is_refused_before_it_is_built() {
    let long = Str::from_code_points(vec![0; 1 << 16]).unwrap();
    let refused = Err(LimitReached);
    assert_eq!(Str::concat(&vec![long.clone(); 1 << 16], &mut big()), refused);
    assert_eq!(long.replace_all(&lit("\\u{0}"), &long, &mut big()), refused);
    assert_eq!(long.reverse(&mut Budget::new(100)), refused);
}

/// Checks what the text between the quotes means, and that printing it reads back.
fn check_literal(text: &str, code_points: &[u32]) {
    let value = Str::from_literal(text).unwrap();
    assert_eq!(value.chars(), code_points, "{text}");
    check_round_trip(&value);
}

fn check_round_trip(value: &Str) {
    let printed = value.to_literal();
    let inner = printed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap();
    assert_eq!(Str::from_literal(inner).as_ref(), Ok(value), "{printed}");
    assert!(printed.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{printed}");
    assert!(!inner.replace("\"\"", "").contains('"'), "{printed}");
}

fn check_verbatim(text: &str) {
    check_literal(text, &text.chars().map(u32::from).collect::<Vec<_>>());
}

#[test]
fn escapes_have_four_digits_or_one_to_five_in_braces() {
    check_literal(r"\u0041", &[0x41]);
    check_literal(r"\u00412", &[0x41, 0x32]);
    check_literal(r"\u{41}", &[0x41]);
    check_literal(r"\u{0}\u{00041}", &[0, 0x41]);
    check_literal(r"\u{2FFFF}\u{2ffff}", &[0x2FFFF, 0x2FFFF]);
    check_literal(r"\uD800\udfff\uFFFF", &[0xD800, 0xDFFF, 0xFFFF]);
    check_literal(r"\\u0041", &[0x5c, 0x41]);
    check_literal(r"\u\u0041", &[0x5c, 0x75, 0x41]);
    check_literal(r"\u{\u{41}", &[0x5c, 0x75, 0x7b, 0x41]);
    check_literal(r"\u{5c}u0041", &[0x5c, 0x75, 0x30, 0x30, 0x34, 0x31]);
}

#[test]
fn everything_else_after_a_backslash_is_verbatim() {
    for text in
        [r"\", r"\\", r"\u", r"\u{", r"\u{}", r"\u{30000}", r"\u{FFFFF}", r"\u{000041}", r"\u{41", r"\u123"]
    {
        check_verbatim(text);
    }
    for text in [
        r"\u12G4", r"\u{4G}", r"\u{+41}", r"\u+041", r"\U0041", r"\x41", r"\n", r"\u{ 41}", r"\u00é1", r"\ué",
    ] {
        check_verbatim(text);
    }
}

#[test]
fn a_doubled_quote_is_one_quote() {
    check_literal(r#""""#, &[0x22]);
    check_literal(r#""""""#, &[0x22, 0x22]);
    check_literal(r#"\u00""41"#, &[0x5c, 0x75, 0x30, 0x30, 0x22, 0x34, 0x31]);
    check_literal(r"\u{22}", &[0x22]);
}

#[test]
fn a_raw_character_above_the_limit_is_reported() {
    check_verbatim("\u{2FFFF}é");
    let error = CharTooLarge { offset: 3, character: '\u{30000}' };
    assert_eq!(Str::from_literal("aé\u{30000}"), Err(error));
}

#[test]
fn printing_escapes_only_what_it_must() {
    for (text, printed) in [
        (r"a b~", r#""a b~""#),
        (r"\", r#""\""#),
        (r"\x", r#""\x""#),
        (r"\u{}", r#""\u{5c}u{}""#),
        (r"\\u{7f}\ud800", r#""\\u{7f}\u{d800}""#),
        (r#""""#, r#""""""#),
        (r"\u{A}é", r#""\u{a}\u{e9}""#),
    ] {
        assert_eq!(lit(text).to_literal(), printed);
    }
}

#[test]
fn every_word_over_the_characters_of_escapes_survives_printing() {
    for word in words("\\u{4}\"", 5) {
        check_round_trip(&word);
        check_literal(&word.to_literal()[1..word.to_literal().len() - 1], word.chars());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_string_survives_printing(chars in prop::collection::vec(0..=MAX_CHAR, 0..20)) {
        check_round_trip(&Str::from_code_points(chars).unwrap());
    }

    #[test]
    fn every_text_can_be_read(text in ".{0,30}") {
        if let Ok(value) = Str::from_literal(&text) {
            check_round_trip(&value);
        }
    }
}
