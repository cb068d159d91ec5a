//! Tests of regular languages: random expressions against an enumeration of their short members and against
//! `aws-smt-strings`; then hostile expressions and single laws.

use std::collections::BTreeSet;
use std::fmt;

use aws_smt_strings::regular_expressions::{ReManager, RegLan};
use aws_smt_strings::smt_strings::SmtString;
use dashu_int::{IBig, UBig};
use proptest::prelude::*;

use super::{Re, Regexes};
use crate::letters::LetterSet;
use crate::string::{MAX_CHAR, Str};
use crate::{Budget, LimitReached};

/// Words up to this length are enumerated.
const MAX_LEN: usize = 4;
/// Two letters that expressions mention, and one that stands for all the others.
const ALPHABET: [u32; 3] = ['a' as u32, 'b' as u32, 'z' as u32];

type Word = Vec<u32>;
type Words = BTreeSet<Word>;

/// An expression as the input has it.
#[derive(Clone)]
enum Term {
    None,
    All,
    Allchar,
    Text(Word),
    Range(u32, u32),
    Concat(Vec<Term>),
    Union(Vec<Term>),
    Inter(Vec<Term>),
    Complement(Box<Term>),
    Difference(Box<Term>, Box<Term>),
    Star(Box<Term>),
    Plus(Box<Term>),
    Optional(Box<Term>),
    Power(Box<Term>, u32),
    Loop(Box<Term>, u32, u32),
}

/// Random expressions with counters up to about `large_count`.
///
/// `aws-smt-strings` panics if a product of nested counters exceeds 32 bits, hence the parameter.
fn any_term(large_count: u32) -> impl Strategy<Value = Term> {
    let letter = prop::sample::select(&ALPHABET[..2]);
    let leaf = prop_oneof![
        1 => Just(Term::None),
        1 => Just(Term::All),
        2 => Just(Term::Allchar),
        8 => prop::collection::vec(letter.clone(), 0..=3).prop_map(Term::Text),
        2 => (letter.clone(), letter).prop_map(|(low, high)| Term::Range(low, high)),
    ];
    let count = prop_oneof![8 => 0..=4u32, 1 => Just(large_count)];
    leaf.prop_recursive(5, 20, 3, move |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let several = prop::collection::vec(inner, 1..=3);
        prop_oneof![
            4 => several.clone().prop_map(Term::Concat),
            3 => several.clone().prop_map(Term::Union),
            2 => several.prop_map(Term::Inter),
            1 => boxed.clone().prop_map(Term::Complement),
            1 => (boxed.clone(), boxed.clone()).prop_map(|(term, removed)| Term::Difference(term, removed)),
            1 => boxed.clone().prop_map(Term::Star),
            1 => boxed.clone().prop_map(Term::Plus),
            1 => boxed.clone().prop_map(Term::Optional),
            1 => (boxed.clone(), count.clone()).prop_map(|(term, count)| Term::Power(term, count)),
            3 => (boxed, count.clone(), count.clone()).prop_map(|(term, min, max)| Term::Loop(term, min, max)),
        ]
    })
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = |name: &str, terms: &[Term]| {
            write!(f, "({name}")?;
            terms.iter().try_for_each(|term| write!(f, " {term:?}"))?;
            write!(f, ")")
        };
        match self {
            Term::None => write!(f, "re.none"),
            Term::All => write!(f, "re.all"),
            Term::Allchar => write!(f, "re.allchar"),
            Term::Text(word) => write!(f, "(str.to_re {})", text(word)),
            Term::Range(low, high) => write!(f, "(re.range {} {})", text(&[*low]), text(&[*high])),
            Term::Concat(terms) => list("re.++", terms),
            Term::Union(terms) => list("re.union", terms),
            Term::Inter(terms) => list("re.inter", terms),
            Term::Complement(term) => write!(f, "(re.comp {term:?})"),
            Term::Difference(term, removed) => write!(f, "(re.diff {term:?} {removed:?})"),
            Term::Star(term) => write!(f, "(re.* {term:?})"),
            Term::Plus(term) => write!(f, "(re.+ {term:?})"),
            Term::Optional(term) => write!(f, "(re.opt {term:?})"),
            Term::Power(term, count) => write!(f, "((_ re.^ {count}) {term:?})"),
            Term::Loop(term, min, max) => write!(f, "((_ re.loop {min} {max}) {term:?})"),
        }
    }
}

/// The expression in our arena.
fn build(regexes: &mut Regexes, term: &Term, budget: &mut Budget) -> Result<Re, LimitReached> {
    let mut built = |terms: &[Term], budget: &mut Budget| -> Result<Vec<Re>, LimitReached> {
        terms.iter().map(|term| build(regexes, term, budget)).collect()
    };
    let one = |term: &Term| std::slice::from_ref(term).to_vec();
    let operands = match term {
        Term::Concat(terms) | Term::Union(terms) | Term::Inter(terms) => built(terms, budget)?,
        Term::Complement(term) | Term::Star(term) | Term::Plus(term) | Term::Optional(term) => {
            built(&one(term), budget)?
        }
        Term::Power(term, _) | Term::Loop(term, _, _) => built(&one(term), budget)?,
        Term::Difference(term, removed) => built(&[*term.clone(), *removed.clone()], budget)?,
        _ => Vec::new(),
    };
    match term {
        Term::None => Ok(Re::NONE),
        Term::All => Ok(Re::ALL),
        Term::Allchar => Ok(Re::ALLCHAR),
        Term::Text(word) => regexes.to_re(&text(word), budget),
        Term::Range(low, high) => regexes.range(&text(&[*low]), &text(&[*high]), budget),
        Term::Concat(_) => regexes.concat(&operands, budget),
        Term::Union(_) => regexes.union(&operands, budget),
        Term::Inter(_) => regexes.inter(&operands, budget),
        Term::Complement(_) => regexes.complement(operands[0], budget),
        Term::Difference(..) => regexes.difference(operands[0], &operands[1..], budget),
        Term::Star(_) => regexes.star(operands[0], budget),
        Term::Plus(_) => regexes.plus(operands[0], budget),
        Term::Optional(_) => regexes.optional(operands[0], budget),
        Term::Power(_, count) => regexes.power(operands[0], &UBig::from(*count), budget),
        Term::Loop(_, min, max) => {
            regexes.repeat_between(operands[0], &UBig::from(*min), &UBig::from(*max), budget)
        }
    }
}

/// The expression in `aws-smt-strings`.
fn build_aws(manager: &mut ReManager, term: &Term) -> RegLan {
    let mut list = |terms: &[Term]| terms.iter().map(|term| build_aws(manager, term)).collect::<Vec<_>>();
    match term {
        Term::None => manager.empty(),
        Term::All => manager.full(),
        Term::Allchar => manager.all_chars(),
        Term::Text(word) => manager.str(&SmtString::from(word.as_slice())),
        Term::Range(low, high) => manager.smt_range(&SmtString::from(*low), &SmtString::from(*high)),
        Term::Concat(terms) => {
            let terms = list(terms);
            manager.concat_list(terms)
        }
        Term::Union(terms) => {
            let terms = list(terms);
            manager.union_list(terms)
        }
        Term::Inter(terms) => {
            let terms = list(terms);
            manager.inter_list(terms)
        }
        Term::Complement(term) => {
            let term = build_aws(manager, term);
            manager.complement(term)
        }
        Term::Difference(term, removed) => {
            let (term, removed) = (build_aws(manager, term), build_aws(manager, removed));
            manager.diff(term, removed)
        }
        Term::Star(term) => {
            let term = build_aws(manager, term);
            manager.star(term)
        }
        Term::Plus(term) => {
            let term = build_aws(manager, term);
            manager.plus(term)
        }
        Term::Optional(term) => {
            let term = build_aws(manager, term);
            manager.opt(term)
        }
        Term::Power(term, count) => {
            let term = build_aws(manager, term);
            manager.exp(term, *count)
        }
        Term::Loop(term, min, max) => {
            let term = build_aws(manager, term);
            manager.smt_loop(term, *min, *max)
        }
    }
}

/// The members of the language among the words of [`universe`], by its definition.
fn enumerate(term: &Term) -> Words {
    // Powers above the length of the words in question do not change any more: without the empty word they
    // have become empty, with it they have stopped to grow.
    let clamp = |count: u32| count.min(MAX_LEN as u32 + 1);
    match term {
        Term::None => Words::new(),
        Term::All => universe(),
        Term::Allchar => universe().into_iter().filter(|word| word.len() == 1).collect(),
        Term::Text(word) => Words::from([word.clone()]),
        Term::Range(low, high) => {
            (*low..=*high).map(|c| vec![c]).filter(|w| universe().contains(w)).collect()
        }
        Term::Concat(terms) => {
            terms.iter().map(enumerate).fold(empty_word(), |left, right| product(&left, &right))
        }
        Term::Union(terms) => terms.iter().flat_map(enumerate).collect(),
        Term::Inter(terms) => terms.iter().map(enumerate).fold(universe(), |left, right| &left & &right),
        Term::Complement(term) => &universe() - &enumerate(term),
        Term::Difference(term, removed) => &enumerate(term) - &enumerate(removed),
        Term::Star(term) => powers(&enumerate(term), 0, MAX_LEN as u32 + 1),
        Term::Plus(term) => powers(&enumerate(term), 1, MAX_LEN as u32 + 1),
        Term::Optional(term) => powers(&enumerate(term), 0, 1),
        Term::Power(term, count) => powers(&enumerate(term), clamp(*count), clamp(*count)),
        Term::Loop(_, min, max) if min > max => Words::new(),
        Term::Loop(term, min, max) => powers(&enumerate(term), clamp(*min), clamp(*max)),
    }
}

fn powers(words: &Words, min: u32, max: u32) -> Words {
    let mut power = empty_word();
    let mut union = Words::new();
    for count in 0..=max {
        if count >= min {
            union.extend(power.iter().cloned());
        }
        power = product(&power, words);
    }
    union
}

fn product(left: &Words, right: &Words) -> Words {
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| [&l[..], r].concat()));
    pairs.filter(|word| word.len() <= MAX_LEN).collect()
}

fn empty_word() -> Words {
    Words::from([Word::new()])
}

/// All words over the alphabet up to the length.
fn universe() -> Words {
    let mut all = empty_word();
    for _ in 0..MAX_LEN {
        let longer: Vec<Word> =
            all.iter().flat_map(|word| ALPHABET.map(|letter| [&word[..], &[letter]].concat())).collect();
        all.extend(longer);
    }
    all
}

fn text(word: &[u32]) -> Str {
    Str::from_code_points(word.to_vec()).unwrap()
}

fn lit(literal: &str) -> Str {
    Str::from_literal(literal).unwrap()
}

/// The leftmost and then shortest match of at least `min_len` characters, by definition.
fn first_match(words: &Words, word: &[u32], min_len: usize) -> Option<(usize, usize)> {
    let spans = (0..=word.len()).flat_map(|start| (start..=word.len()).map(move |end| (start, end)));
    spans.filter(|&(start, end)| end - start >= min_len && words.contains(&word[start..end])).min()
}

fn replace_all_by_definition(words: &Words, word: &[u32], new: &[u32]) -> Word {
    match first_match(words, word, 1) {
        None => word.to_vec(),
        Some((start, end)) => {
            [&word[..start], new, &replace_all_by_definition(words, &word[end..], new)].concat()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn membership_agrees_with_the_enumeration(term in any_term(1_000_000_000)) {
        let (regexes, budget) = (&mut Regexes::new(), &mut Budget::default());
        let re = build(regexes, &term, budget).unwrap();
        let members = enumerate(&term);
        for word in universe() {
            let actual = regexes.matches(&text(&word), re, budget).unwrap();
            prop_assert_eq!(actual, members.contains(&word), "{}", text(&word));
        }
    }

    #[test]
    fn membership_agrees_with_aws(
        term in any_term(9),
        words in prop::collection::vec(prop::collection::vec(prop::sample::select(&ALPHABET[..]), 0..14), 20),
    ) {
        let (regexes, budget) = (&mut Regexes::new(), &mut Budget::default());
        let manager = &mut ReManager::new();
        let re = build(regexes, &term, budget).unwrap();
        let aws_re = build_aws(manager, &term);
        for word in words {
            let expected = manager.str_in_re(&SmtString::from(word.as_slice()), aws_re);
            prop_assert_eq!(regexes.matches(&text(&word), re, budget).unwrap(), expected, "{}", text(&word));
        }
    }

    #[test]
    fn replacement_and_search_agree_with_the_definition(term in any_term(1_000_000_000)) {
        let (regexes, budget) = (&mut Regexes::new(), &mut Budget::default());
        let re = build(regexes, &term, budget).unwrap();
        let members = enumerate(&term);
        let new = lit("cd");
        for word in universe() {
            let subject = text(&word);
            let replaced = match first_match(&members, &word, 0) {
                None => word.clone(),
                Some((start, end)) => [&word[..start], new.chars(), &word[end..]].concat(),
            };
            prop_assert_eq!(regexes.replace_re(&subject, re, &new, budget).unwrap(), text(&replaced));
            let replaced = replace_all_by_definition(&members, &word, new.chars());
            prop_assert_eq!(regexes.replace_re_all(&subject, re, &new, budget).unwrap(), text(&replaced));
            for start in -1..=word.len() as i64 + 1 {
                let rest = usize::try_from(start).ok().and_then(|start| word.get(start..));
                let found = rest.and_then(|rest| first_match(&members, rest, 0));
                let expected = found.map_or(-1, |(offset, _)| start + offset as i64);
                let actual = regexes.index_of_re(&subject, re, &start.into(), budget);
                prop_assert_eq!(actual, Ok(IBig::from(expected)));
            }
        }
    }

    #[test]
    fn emptiness_and_examples_agree_with_the_enumeration_and_with_aws(term in any_term(9)) {
        let (regexes, budget) = (&mut Regexes::new(), &mut Budget::new(1 << 22));
        let Ok(re) = build(regexes, &term, budget) else { return Ok(()) };
        let Ok(is_empty) = regexes.is_empty(re, budget) else { return Ok(()) };
        let manager = &mut ReManager::new();
        let aws_re = build_aws(manager, &term);
        if let Some(expected) = manager.is_empty_re_bounded(aws_re, 1000) {
            prop_assert_eq!(is_empty, expected);
        }
        let members = enumerate(&term);
        let Ok(example) = regexes.example(re, budget) else { return Ok(()) };
        prop_assert_eq!(example.is_none(), is_empty);
        if let Some(example) = &example {
            let aws_example = SmtString::from(example.chars());
            prop_assert!(manager.str_in_re(&aws_example, aws_re), "{} is no member", example);
        }
        if let Some(shortest) = members.iter().map(Vec::len).min() {
            prop_assert_eq!(example.map(|example| example.len()), Some(shortest));
        }
    }

    #[test]
    fn character_classes_are_sets(
        left in prop::collection::vec((edge_character(), edge_character()), 0..5),
        right in prop::collection::vec((edge_character(), edge_character()), 0..5),
    ) {
        let ordered = |ranges: Vec<(u32, u32)>| -> Vec<_> {
            ranges.into_iter().filter(|(low, high)| low <= high).collect()
        };
        let (left, right) = (ordered(left), ordered(right));
        let is_in = |ranges: &[(u32, u32)], c| ranges.iter().any(|&(low, high)| (low..=high).contains(&c));
        let (left_class, right_class) =
            (LetterSet::from_intervals(left.clone()), LetterSet::from_intervals(right.clone()));
        for character in (0..=20).chain(MAX_CHAR - 20..=MAX_CHAR) {
            let (in_left, in_right) = (is_in(&left, character), is_in(&right, character));
            prop_assert_eq!(left_class.contains(character), in_left);
            prop_assert_eq!(left_class.complement().contains(character), !in_left);
            prop_assert_eq!(left_class.intersect(&right_class).contains(character), in_left && in_right);
        }
        let twice = left_class.complement().complement();
        prop_assert_eq!(twice.intervals(), left_class.intervals());
    }

    #[test]
    fn equality_agrees_with_aws(left in any_term(9), right in any_term(9)) {
        check_equality(&left, &right)?;
    }

    #[test]
    fn equality_sees_through_rewriting(
        (x, y, z) in (any_term(9), any_term(9), any_term(9)),
        law in 0..8usize,
    ) {
        use Term::{Complement, Concat, Inter, Loop, Optional, Plus, Star, Union};
        let not = |term: Term| Complement(Box::new(term));
        let star = |term: Term| Star(Box::new(term));
        let (left, right) = match law {
            0 => (not(Union(vec![x.clone(), y.clone()])), Inter(vec![not(x), not(y)])),
            1 => (Concat(vec![x.clone(), Union(vec![y.clone(), z.clone()])]),
                  Union(vec![Concat(vec![x.clone(), y]), Concat(vec![x, z])])),
            2 => (star(Union(vec![x.clone(), y.clone()])), star(Concat(vec![star(x), star(y)]))),
            3 => (Plus(Box::new(x.clone())), Concat(vec![star(x.clone()), x])),
            4 => (Concat(vec![Concat(vec![x.clone(), y.clone()]), z.clone()]), Concat(vec![x, Concat(vec![y, z])])),
            5 => (Loop(Box::new(x.clone()), 1, 3), Concat(vec![x.clone(), Optional(Box::new(
                Concat(vec![x.clone(), Optional(Box::new(x))])))])),
            6 => (Term::Power(Box::new(Term::Power(Box::new(x.clone()), 2)), 2), Term::Power(Box::new(x), 4)),
            _ => (Term::Difference(Box::new(x.clone()), Box::new(y.clone())), Inter(vec![not(y), x])),
        };
        let (regexes, budget) = (&mut Regexes::new(), &mut Budget::new(1 << 22));
        let Ok(left) = build(regexes, &left, budget) else { return Ok(()) };
        let Ok(right) = build(regexes, &right, budget) else { return Ok(()) };
        prop_assert_ne!(regexes.equal_languages(left, right, budget), Ok(false));
    }
}

/// A character near one of the ends of the alphabet.
fn edge_character() -> impl Strategy<Value = u32> {
    prop_oneof![0..=10u32, MAX_CHAR - 10..=MAX_CHAR]
}

fn check_equality(left: &Term, right: &Term) -> Result<(), TestCaseError> {
    let (regexes, budget) = (&mut Regexes::new(), &mut Budget::new(1 << 22));
    let Ok(left_re) = build(regexes, left, budget) else { return Ok(()) };
    let Ok(right_re) = build(regexes, right, budget) else { return Ok(()) };
    let Ok(equal) = regexes.equal_languages(left_re, right_re, budget) else { return Ok(()) };
    let same_short_words = enumerate(left) == enumerate(right);
    prop_assert!(same_short_words || !equal);
    if same_short_words {
        let manager = &mut ReManager::new();
        let (left, right) = (build_aws(manager, left), build_aws(manager, right));
        let (only_left, only_right) = (manager.diff(left, right), manager.diff(right, left));
        let differs = manager.union(only_left, only_right);
        if let Some(expected) = manager.is_empty_re_bounded(differs, 1000) {
            prop_assert_eq!(equal, expected);
        }
    }
    Ok(())
}

/// Checks that the constructors give both expressions the same id.
fn check_law(make: impl Fn(&mut Regexes, &mut Budget) -> Result<(Re, Re), LimitReached>) {
    let (left, right) = make(&mut Regexes::new(), &mut Budget::default()).unwrap();
    assert_eq!(left, right);
}

#[test]
fn constants_are_what_the_constructors_make_of_their_definitions() {
    check_law(|r, b| Ok((r.star(Re::ALLCHAR, b)?, Re::ALL)));
    check_law(|r, b| Ok((r.complement(Re::NONE, b)?, Re::ALL)));
    check_law(|r, b| Ok((r.to_re(&Str::empty(), b)?, Re::EPSILON)));
    check_law(|r, b| Ok((r.range(&lit(r"\u{0}"), &lit(r"\u{2ffff}"), b)?, Re::ALLCHAR)));
    check_law(|r, b| Ok((r.union(&[], b)?, Re::NONE)));
    check_law(|r, b| Ok((r.inter(&[], b)?, Re::ALL)));
    check_law(|r, b| Ok((r.concat(&[], b)?, Re::EPSILON)));
}

#[test]
fn a_range_is_empty_unless_both_ends_are_single_characters_in_order() {
    for (low, high) in [("b", "a"), ("", "a"), ("a", ""), ("a", "bb"), ("aa", "b"), ("", "")] {
        check_law(|r, b| Ok((r.range(&lit(low), &lit(high), b)?, Re::NONE)));
    }
    check_law(|r, b| Ok((r.range(&lit("a"), &lit("a"), b)?, r.to_re(&lit("a"), b)?)));
}

#[test]
fn loops_are_normalised() {
    let count = |count: u32| UBig::from(count);
    check_law(|r, b| Ok((r.repeat_between(Re::ALLCHAR, &count(3), &count(2), b)?, Re::NONE)));
    check_law(|r, b| Ok((r.power(Re::NONE, &count(0), b)?, Re::EPSILON)));
    check_law(|r, b| {
        let star = r.star(Re::ALLCHAR, b)?;
        Ok((r.star(star, b)?, star))
    });
    check_law(|r, b| {
        let a = r.to_re(&lit("a"), b)?;
        let inner = r.repeat_between(a, &count(2), &count(3), b)?;
        Ok((r.power(inner, &count(5), b)?, r.repeat_between(a, &count(10), &count(15), b)?))
    });
    check_law(|r, b| {
        let a = r.to_re(&lit("a"), b)?;
        let (short, long) =
            (r.repeat_between(a, &count(0), &count(4), b)?, r.repeat_between(a, &count(5), &count(9), b)?);
        Ok((r.union(&[long, short], b)?, r.repeat_between(a, &count(0), &count(9), b)?))
    });
}

#[test]
fn a_loop_of_loops_with_gaps_keeps_them() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::default());
    let a = r.to_re(&lit("a"), b).unwrap();
    let three_or_four = r.repeat_between(a, &UBig::from(3u8), &UBig::from(4u8), b).unwrap();
    let twice_at_most = r.repeat_between(three_or_four, &UBig::ZERO, &UBig::from(2u8), b).unwrap();
    let lengths: Vec<usize> =
        (0..12).filter(|&len| r.matches(&text(&vec![97; len]), twice_at_most, b).unwrap()).collect();
    assert_eq!(lengths, [0, 3, 4, 6, 7, 8]);
}

#[test]
fn a_union_of_loops_with_a_gap_between_them_keeps_it() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::default());
    let a = r.to_re(&lit("a"), b).unwrap();
    let short = r.repeat_between(a, &UBig::from(2u8), &UBig::from(3u8), b).unwrap();
    let long = r.repeat_between(a, &UBig::from(5u8), &UBig::from(6u8), b).unwrap();
    let union = r.union(&[short, long], b).unwrap();
    let lengths: Vec<usize> =
        (0..9).filter(|&len| r.matches(&text(&vec![97; len]), union, b).unwrap()).collect();
    assert_eq!(lengths, [2, 3, 5, 6]);
}

#[test]
fn surrogates_are_characters() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::default());
    let surrogates = r.range(&lit(r"\uD800"), &lit(r"\uDFFF"), b).unwrap();
    assert_eq!(r.matches(&lit(r"\uDABC"), surrogates, b), Ok(true));
    assert_eq!(r.matches(&lit(r"\uE000"), surrogates, b), Ok(false));
    assert_eq!(r.replace_re_all(&lit(r"a\uD800\uDFFF"), surrogates, &lit("b"), b), Ok(lit("abb")));
}

#[test]
fn a_billion_rounds_cost_nothing() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::new(1 << 20));
    let a = r.to_re(&lit("a"), b).unwrap();
    let ab = r.to_re(&lit("ab"), b).unwrap();
    let either = r.union(&[a, ab], b).unwrap();
    let many = r.repeat_between(either, &UBig::from(2u8), &(UBig::ONE << 100), b).unwrap();
    let word: Word = lit("aab").chars().repeat(100);
    assert_eq!(r.matches(&text(&word), many, b), Ok(true));
    let exactly = r.power(either, &UBig::from(1_000_000_000u32), b).unwrap();
    assert_eq!(r.matches(&text(&word), exactly, b), Ok(false));
    assert_eq!(r.is_empty(exactly, b), Ok(false));
}

#[test]
fn a_deep_expression_does_not_overflow_the_stack() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::default());
    let (a, ab) = (r.to_re(&lit("a"), b).unwrap(), r.to_re(&lit("ab"), b).unwrap());
    let depth = 100_000;
    let (mut left, mut right, mut mixed) = (a, a, a);
    for round in 0..depth {
        let next = if round % 2 == 0 { ab } else { a };
        left = r.concat(&[left, next], b).unwrap();
        right = r.concat(&[next, right], b).unwrap();
        mixed = r.complement(mixed, b).unwrap();
        mixed = r.concat(&[mixed, next], b).unwrap();
        mixed = r.star(mixed, b).unwrap();
        mixed = r.union(&[mixed, next], b).unwrap();
    }
    let word = [&[97][..], &[97, 98, 97].repeat(depth / 2)].concat();
    assert_eq!(r.matches(&text(&word), left, b), Ok(true));
    assert_eq!(r.is_empty(right, b), Ok(false));
    // The question is whether this returns at all.
    let _ = r.matches(&lit("abaab"), mixed, &mut Budget::new(1 << 25));
    let _ = r.equal_languages(mixed, left, &mut Budget::new(1 << 25));
    let _ = r.example(right, &mut Budget::new(1 << 25));
}

#[test]
fn a_nested_union_of_many_words_is_linear() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::default());
    let mut union = Re::NONE;
    for number in 0..20_000 {
        let digits = Str::from_int(&IBig::from(number), b).unwrap();
        let digits = r.to_re(&digits, b).unwrap();
        union = r.union(&[union, digits], b).unwrap();
    }
    assert_eq!(r.matches(&lit("19999"), union, b), Ok(true));
    assert_eq!(r.matches(&lit("20000"), union, b), Ok(false));
}

#[test]
fn an_exponential_search_ends_at_the_limit() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::new(1 << 24));
    let (a, ab) = (r.to_re(&lit("a"), b).unwrap(), r.range(&lit("a"), &lit("b"), b).unwrap());
    let (any, tail) = (r.star(ab, b).unwrap(), r.power(ab, &UBig::from(40u8), b).unwrap());
    // Which of the last forty letters were an `a` decides, so there are 2^40 derivatives.
    let nondeterministic = r.concat(&[any, a, tail], b).unwrap();
    let not_empty = r.concat(&[any, ab], b).unwrap();
    let nothing = r.difference(nondeterministic, &[not_empty], b).unwrap();
    assert_eq!(r.is_empty(nothing, b), Err(LimitReached));
    assert_eq!(r.equal_languages(nothing, Re::NONE, &mut Budget::new(1 << 24)), Err(LimitReached));
    assert_eq!(r.example(nothing, &mut Budget::new(1 << 24)), Err(LimitReached));
}

#[test]
fn an_empty_match_is_replaced_once_and_never_by_replace_re_all() {
    let (r, b) = (&mut Regexes::new(), &mut Budget::default());
    let a = r.to_re(&lit("a"), b).unwrap();
    let any_as = r.star(a, b).unwrap();
    assert_eq!(r.replace_re(&lit("baab"), any_as, &lit("c"), b), Ok(lit("cbaab")));
    assert_eq!(r.replace_re_all(&lit("baab"), any_as, &lit("c"), b), Ok(lit("bccb")));
    assert_eq!(r.replace_re(&lit(""), any_as, &lit("c"), b), Ok(lit("c")));
    assert_eq!(r.replace_re_all(&lit(""), any_as, &lit("c"), b), Ok(lit("")));
    assert_eq!(r.index_of_re(&lit("ab"), any_as, &IBig::from(2), b), Ok(IBig::from(2)));
    assert_eq!(r.index_of_re(&lit("ab"), any_as, &IBig::from(3), b), Ok(IBig::NEG_ONE));
}
