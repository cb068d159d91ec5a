//! The expressions of this module against a definition of regular languages by recursion, against the matcher of
//! `smelt-semantics` and against `aws-smt-strings`, on random expressions and all short words.

use aws_smt_strings::regular_expressions::{ReManager, RegLan};
use aws_smt_strings::smt_strings::SmtString;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use smelt_semantics::Budget;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::model::Model;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_smtlib::op::Dialect;
use smelt_smtlib::read::{Scope, read_term};
use smelt_smtlib::term::Terms;

use super::convert::Unconverted;
use super::*;
use smelt_semantics::LimitReached;
use smelt_semantics::letters::LetterSet;

const A: u32 = 'a' as u32;
const MAX_LEN: usize = 4;

/// A regular expression as a tree. Letters are a, b and c; d stands for all the others.
#[derive(Debug, Clone)]
enum Shape {
    None,
    All,
    AllChar,
    Word(Vec<u32>),
    Range(u32, u32),
    Concat(Vec<Shape>),
    Union(Vec<Shape>),
    Inter(Vec<Shape>),
    Diff(Box<Shape>, Box<Shape>),
    Complement(Box<Shape>),
    Loop(Box<Shape>, u64, Option<u64>),
    /// The letter becomes the word.
    Preimage(u32, Vec<u32>, Box<Shape>),
}

struct Generator {
    rng: Xoshiro256PlusPlus,
    has_preimages: bool,
}

impl Generator {
    fn new(seed: u64, has_preimages: bool) -> Self {
        Generator { rng: Xoshiro256PlusPlus::seed_from_u64(seed), has_preimages }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }

    fn word(&mut self, max_len: u64) -> Vec<u32> {
        (0..self.below(max_len + 1)).map(|_| A + self.below(3) as u32).collect()
    }

    fn shapes(&mut self, depth: u32) -> Vec<Shape> {
        (0..2 + self.below(2)).map(|_| self.shape(depth)).collect()
    }

    fn shape(&mut self, depth: u32) -> Shape {
        let kinds = if depth == 0 { 6 } else { 14 };
        let depth = depth.saturating_sub(1);
        match self.below(kinds) {
            0 => Shape::AllChar,
            1..=3 => Shape::Word(self.word(2)),
            4 => Shape::Range(A + self.below(3) as u32, A + self.below(3) as u32),
            5 => match self.below(4) {
                0 => Shape::None,
                1 => Shape::All,
                _ => Shape::Word(self.word(3)),
            },
            6 | 7 => Shape::Concat(self.shapes(depth)),
            8 => Shape::Union(self.shapes(depth)),
            9 => Shape::Inter(self.shapes(depth)),
            10 => Shape::Diff(Box::new(self.shape(depth)), Box::new(self.shape(depth))),
            11 => Shape::Complement(Box::new(self.shape(depth))),
            12 if self.has_preimages => {
                let letter = A + self.below(3) as u32;
                Shape::Preimage(letter, self.word(2), Box::new(self.shape(depth)))
            }
            _ => {
                let min = self.below(3);
                let max = if self.below(2) == 0 { None } else { Some(min + self.below(3)) };
                Shape::Loop(Box::new(self.shape(depth)), min, max)
            }
        }
    }
}

/// Membership by the definition.
fn accepts(shape: &Shape, word: &[u32]) -> bool {
    match shape {
        Shape::None => false,
        Shape::All => true,
        Shape::AllChar => word.len() == 1,
        Shape::Word(letters) => word == letters,
        Shape::Range(low, high) => matches!(word, [letter] if low <= letter && letter <= high),
        Shape::Concat(parts) => match parts.split_first() {
            None => word.is_empty(),
            Some((first, rest)) => (0..=word.len()).any(|cut| {
                accepts(first, &word[..cut]) && accepts(&Shape::Concat(rest.to_vec()), &word[cut..])
            }),
        },
        Shape::Union(parts) => parts.iter().any(|part| accepts(part, word)),
        Shape::Inter(parts) => parts.iter().all(|part| accepts(part, word)),
        Shape::Diff(kept, removed) => accepts(kept, word) && !accepts(removed, word),
        Shape::Complement(part) => !accepts(part, word),
        Shape::Loop(body, min, max) => {
            if word.is_empty() && (*min == 0 || accepts(body, &[])) {
                return true;
            }
            // Rounds that take nothing are only needed to reach the minimum.
            if *max == Some(0) {
                return false;
            }
            let next_max = max.map(|max| max - 1);
            (1..=word.len()).any(|cut| {
                let fewest = if accepts(body, &[]) { 0 } else { min.saturating_sub(1) };
                accepts(body, &word[..cut])
                    && accepts(&Shape::Loop(body.clone(), fewest, next_max), &word[cut..])
            })
        }
        Shape::Preimage(letter, image, body) => {
            let map = LetterMap::replacing(LetterSet::single(*letter), image);
            accepts(body, &map.apply(word))
        }
    }
}

fn build(regexes: &mut Regexes, shape: &Shape) -> Re {
    let build_all = |regexes: &mut Regexes, parts: &[Shape]| {
        parts.iter().map(|part| build(regexes, part)).collect::<Vec<Re>>()
    };
    match shape {
        Shape::None => Re::NONE,
        Shape::All => Re::ALL,
        Shape::AllChar => Re::ALLCHAR,
        Shape::Word(letters) => regexes.word(letters),
        Shape::Range(low, high) => regexes.letters(LetterSet::range(*low, *high)),
        Shape::Concat(parts) => {
            let parts = build_all(regexes, parts);
            regexes.concat(&parts)
        }
        Shape::Union(parts) => {
            let parts = build_all(regexes, parts);
            regexes.union(&parts)
        }
        Shape::Inter(parts) => {
            let parts = build_all(regexes, parts);
            regexes.inter(&parts)
        }
        Shape::Diff(kept, removed) => {
            let (kept, removed) = (build(regexes, kept), build(regexes, removed));
            regexes.difference(kept, removed)
        }
        Shape::Complement(part) => {
            let part = build(regexes, part);
            regexes.complement(part)
        }
        Shape::Loop(body, min, max) => {
            let body = build(regexes, body);
            regexes.repeat(body, *min, *max)
        }
        Shape::Preimage(letter, image, body) => {
            let body = build(regexes, body);
            regexes.preimage(&LetterMap::replacing(LetterSet::single(*letter), image), body)
        }
    }
}

fn build_aws(manager: &mut ReManager, shape: &Shape) -> RegLan {
    match shape {
        Shape::None => manager.empty(),
        Shape::All => manager.full(),
        Shape::AllChar => manager.all_chars(),
        Shape::Word(letters) => manager.str(&SmtString::from(letters.as_slice())),
        Shape::Range(low, high) if low > high => manager.empty(),
        Shape::Range(low, high) => manager.range(*low, *high),
        Shape::Concat(parts) => {
            let parts: Vec<RegLan> = parts.iter().map(|part| build_aws(manager, part)).collect();
            manager.concat_list(parts)
        }
        Shape::Union(parts) => {
            let parts: Vec<RegLan> = parts.iter().map(|part| build_aws(manager, part)).collect();
            manager.union_list(parts)
        }
        Shape::Inter(parts) => {
            let parts: Vec<RegLan> = parts.iter().map(|part| build_aws(manager, part)).collect();
            manager.inter_list(parts)
        }
        Shape::Diff(kept, removed) => {
            let (kept, removed) = (build_aws(manager, kept), build_aws(manager, removed));
            manager.diff(kept, removed)
        }
        Shape::Complement(part) => {
            let part = build_aws(manager, part);
            manager.complement(part)
        }
        Shape::Loop(body, min, Some(max)) => {
            let body = build_aws(manager, body);
            manager.smt_loop(body, *min as u32, *max as u32)
        }
        Shape::Loop(body, min, None) => {
            let body = build_aws(manager, body);
            let (first, rest) = (manager.exp(body, *min as u32), manager.star(body));
            manager.concat(first, rest)
        }
        Shape::Preimage(..) => unreachable!("not generated here"),
    }
}

/// The expression as SMT-LIB text.
fn print(shape: &Shape) -> String {
    let text =
        |letters: &[u32]| letters.iter().filter_map(|&letter| char::from_u32(letter)).collect::<String>();
    let print_all = |parts: &[Shape]| parts.iter().map(print).collect::<Vec<_>>().join(" ");
    match shape {
        Shape::None => "re.none".to_owned(),
        Shape::All => "re.all".to_owned(),
        Shape::AllChar => "re.allchar".to_owned(),
        Shape::Word(letters) => format!("(str.to_re \"{}\")", text(letters)),
        Shape::Range(low, high) => format!("(re.range \"{}\" \"{}\")", text(&[*low]), text(&[*high])),
        Shape::Concat(parts) => format!("(re.++ {})", print_all(parts)),
        Shape::Union(parts) => format!("(re.union {})", print_all(parts)),
        Shape::Inter(parts) => format!("(re.inter {})", print_all(parts)),
        Shape::Diff(kept, removed) => format!("(re.diff {} {})", print(kept), print(removed)),
        Shape::Complement(part) => format!("(re.comp {})", print(part)),
        Shape::Loop(body, 0, None) => format!("(re.* {})", print(body)),
        Shape::Loop(body, 1, None) => format!("(re.+ {})", print(body)),
        Shape::Loop(body, 0, Some(1)) => format!("(re.opt {})", print(body)),
        Shape::Loop(body, min, Some(max)) if min == max => format!("((_ re.^ {min}) {})", print(body)),
        Shape::Loop(body, min, Some(max)) => format!("((_ re.loop {min} {max}) {})", print(body)),
        Shape::Loop(body, min, None) => {
            let body = print(body);
            format!("(re.++ ((_ re.^ {min}) {body}) (re.* {body}))")
        }
        Shape::Preimage(..) => unreachable!("not generated here"),
    }
}

/// All words over a, b, c, d up to a length.
fn words(max_len: usize) -> Vec<Vec<u32>> {
    let mut words: Vec<Vec<u32>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..max_len {
        let to = words.len();
        for index in from..to {
            for letter in A..A + 4 {
                let mut longer = words[index].clone();
                longer.push(letter);
                words.push(longer);
            }
        }
        from = to;
    }
    words
}

fn budget() -> Budget {
    Budget::new(1 << 32)
}

#[test]
fn expressions_mean_what_the_definition_says() {
    let words = words(MAX_LEN);
    let mut generator = Generator::new(1, true);
    let mut regexes = Regexes::new();
    for round in 0..1500 {
        let shape = generator.shape(3);
        let re = build(&mut regexes, &shape);
        let mirrored = regexes.reverse(re, &mut budget()).unwrap();
        let mut lens = [false; MAX_LEN + 1];
        for word in words.iter().filter(|word| word.len() < MAX_LEN || round % 8 == 0) {
            let expected = accepts(&shape, word);
            lens[word.len()] |= expected;
            assert_eq!(regexes.matches(re, word, &mut budget()).unwrap(), expected, "{shape:?} {word:?}");
            let backwards: Vec<u32> = word.iter().rev().copied().collect();
            assert_eq!(
                regexes.matches(mirrored, &backwards, &mut budget()).unwrap(),
                expected,
                "mirror of {shape:?} {word:?}"
            );
            assert!(!expected || regexes.progression(re).contains(word.len() as u64), "{shape:?} {word:?}");
        }
        let has_words = lens.iter().any(|&has| has);
        let emptiness = regexes.emptiness(re, &mut budget()).unwrap();
        assert!(!has_words || emptiness == Emptiness::NonEmpty, "{shape:?}");
        let lengths = regexes.lengths(re, &mut budget());
        assert_eq!(lengths.is_exact && lengths.is_empty(), emptiness == Emptiness::Empty, "{shape:?}");
        for (len, has_word) in lens.into_iter().enumerate().take(MAX_LEN) {
            assert!(!has_word || lengths.contains(len as u64), "{shape:?} {lengths:?} {len}");
            assert!(
                !lengths.is_exact || has_word == lengths.contains(len as u64),
                "{shape:?} {lengths:?} {len}"
            );
            let wanted = Wanted { len: Some(len as u64), avoid: &[] };
            let found = regexes.find_word(re, wanted, &mut budget()).unwrap();
            assert_eq!(found.is_some(), has_word, "{shape:?} {len}");
            if let Some(found) = found {
                assert!(found.len() == len && accepts(&shape, &found), "{shape:?} {found:?}");
            }
        }
        let shortest = regexes.find_word(re, Wanted::default(), &mut budget()).unwrap();
        assert_eq!(shortest.is_none(), emptiness == Emptiness::Empty, "{shape:?}");
        if let Some(word) = shortest {
            assert_eq!(lengths.min(), Some(word.len() as u64), "{shape:?}");
            assert!(word.len() > MAX_LEN || accepts(&shape, &word), "{shape:?} {word:?}");
        }
    }
}

#[test]
fn all_matchers_agree() {
    let words = words(3);
    let mut generator = Generator::new(2, false);
    let mut regexes = Regexes::new();
    let mut terms = Terms::new();
    for _ in 0..600 {
        let shape = generator.shape(4);
        let re = build(&mut regexes, &shape);
        let term = read_term(&mut terms, &mut Scope::new(), &print(&shape), Dialect::V26).unwrap();
        let converted = regexes.from_term(&terms, term, &mut budget()).unwrap();
        let environment = Environment::of(&terms, &[]);
        let model = Model::new();
        let mut evaluator = Evaluator::new(&terms, &environment, &model);
        let Ok(Value::Regex(meant)) = evaluator.eval(term) else { panic!("{shape:?} has no value") };
        let mut manager = ReManager::new();
        let aws = build_aws(&mut manager, &shape);
        for word in &words {
            let text = Str::from_code_points(word.clone()).unwrap();
            let expected = evaluator.regexes().matches(&text, meant, &mut budget()).unwrap();
            assert_eq!(regexes.matches(re, word, &mut budget()).unwrap(), expected, "{shape:?} {word:?}");
            assert_eq!(
                regexes.matches(converted, word, &mut budget()).unwrap(),
                expected,
                "{shape:?} {word:?}"
            );
            assert_eq!(
                manager.str_in_re(&SmtString::from(word.as_slice()), aws),
                expected,
                "{shape:?} {word:?}"
            );
        }
        let is_empty = regexes.emptiness(re, &mut budget()).unwrap() == Emptiness::Empty;
        assert_eq!(manager.is_empty_re(aws), is_empty, "{shape:?}");
        assert_eq!(evaluator.regexes().is_empty(meant, &mut budget()).unwrap(), is_empty, "{shape:?}");
        let difference = regexes.difference(converted, re);
        assert_eq!(regexes.emptiness(difference, &mut budget()).unwrap(), Emptiness::Empty, "{shape:?}");
    }
}

#[test]
fn words_to_avoid_are_avoided() {
    let mut regexes = Regexes::new();
    let re = regexes.letters(LetterSet::range(A, A + 2));
    let mut avoid = Vec::new();
    for letter in A..A + 3 {
        let wanted = Wanted { len: Some(1), avoid: &avoid };
        let word = regexes.find_word(re, wanted, &mut budget()).unwrap();
        assert_eq!(word, Some(vec![letter]));
        avoid.extend(word);
    }
    assert_eq!(regexes.find_word(re, Wanted { len: None, avoid: &avoid }, &mut budget()).unwrap(), None);
}

#[test]
fn hostile_loops_are_not_unrolled() {
    let mut regexes = Regexes::new();
    let letter = regexes.letters(LetterSet::range(A, A + 25));
    let huge = regexes.repeat(letter, 1_000_000_000, Some(2_000_000_000));
    let nested = regexes.repeat(huge, 1000, Some(100_000));
    let mut budget = Budget::new(100_000);
    assert_eq!(regexes.emptiness(nested, &mut budget), Ok(Emptiness::NonEmpty));
    let lengths = regexes.lengths(nested, &mut budget);
    assert!(lengths.is_exact && lengths.contains(1_000_000_000_000) && !lengths.contains(999_999_999_999));
    let even = regexes.word(&[A, A]);
    let even = regexes.repeat(even, 500_000_000, Some(500_000_000));
    let odd = regexes.repeat(letter, 1_000_000_001, Some(1_000_000_001));
    assert_eq!(regexes.inter(&[even, odd]), Re::NONE);
    let hard = regexes.complement(odd);
    let hard = regexes.inter(&[hard, huge]);
    assert_eq!(
        regexes.find_word(hard, Wanted { len: Some(1 << 30), avoid: &[] }, &mut budget),
        Err(LimitReached)
    );
    assert!(regexes.node_count() < 5000);
}

#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    let mut regexes = Regexes::new();
    let mut re = regexes.word(&[A]);
    for depth in 0..20_000u32 {
        let other = regexes.word(&[A, A + depth % 3]);
        let both = regexes.union(&[re, other]);
        let loose = regexes.complement(both);
        re = regexes.concat_two(loose, other);
    }
    let _ = regexes.emptiness(re, &mut Budget::new(1 << 24));
    let _ = regexes.lengths(re, &mut Budget::new(1 << 22));
    let _ = regexes.reverse(re, &mut Budget::new(1 << 26)).unwrap();
}

#[test]
fn chains_of_concatenations_are_read_in_linear_time() {
    let mut text = "(str.to_re \"a\")".to_owned();
    for _ in 0..3000 {
        text = format!("(re.++ {text} re.allchar)");
    }
    let mut terms = Terms::new();
    let term = read_term(&mut terms, &mut Scope::new(), &text, Dialect::V26).unwrap();
    let mut regexes = Regexes::new();
    let re = regexes.from_term(&terms, term, &mut Budget::new(1 << 22)).unwrap();
    assert_eq!(regexes.progression(re), Progression::single(3001));
}

#[test]
fn languages_that_are_large_forwards_are_searched_backwards() {
    let mut regexes = Regexes::new();
    let letter = regexes.letters(LetterSet::single(A));
    let other = regexes.letters(LetterSet::single(A + 1));
    let gap = regexes.repeat(Re::ALLCHAR, 40, Some(40));
    let with_a = regexes.concat(&[Re::ALL, letter, gap]);
    let with_b = regexes.concat(&[Re::ALL, other, gap]);
    let both = regexes.inter(&[with_a, with_b]);
    assert_eq!(regexes.emptiness(both, &mut Budget::new(1 << 26)), Ok(Emptiness::Empty));
}

#[test]
fn terms_that_are_not_ground_are_named() {
    let mut terms = Terms::new();
    let name = terms.symbols.intern("x");
    let sort = smelt_smtlib::sort::Sort::STRING;
    let x = terms.constant(name, sort);
    let term = terms.apply(smelt_smtlib::op::Op::StrToRe, &[], &[x]).unwrap();
    let converted = Regexes::new().from_term(&terms, term, &mut budget());
    assert_eq!(converted, Err(Unconverted::NotGround(x)));
}

#[test]
fn the_only_word_is_seen() {
    let mut regexes = Regexes::new();
    let (ab, c) = (regexes.word(&[A, A + 1]), regexes.word(&[A + 2]));
    let abc = regexes.concat_two(ab, c);
    assert_eq!(regexes.as_word(abc), Some(vec![A, A + 1, A + 2]));
    assert_eq!(regexes.as_word(Re::EMPTY_WORD), Some(vec![]));
    assert_eq!(regexes.as_word(Re::ALLCHAR), None);
}

#[test]
fn every_cut_of_a_word_is_listed_once() {
    let words = words(3);
    let mut generator = Generator::new(5, false);
    let mut regexes = Regexes::new();
    for _ in 0..150 {
        let (whole_shape, part_shape) = (generator.shape(2), generator.shape(2));
        let (whole, part) = (build(&mut regexes, &whole_shape), build(&mut regexes, &part_shape));
        let cuts = regexes.cuts(whole, part, &mut budget()).unwrap();
        for word in &words {
            let is_in_whole = accepts(&whole_shape, word);
            for place in 0..=word.len() {
                let (first, rest) = word.split_at(place);
                let fitting = cuts.iter().filter(|cut| {
                    regexes.matches(cut.first, first, &mut budget()).unwrap()
                        && regexes.matches(cut.rest, rest, &mut budget()).unwrap()
                });
                let expected = usize::from(is_in_whole && accepts(&part_shape, first));
                assert_eq!(fitting.count(), expected, "{whole_shape:?} {part_shape:?} {word:?} {place}");
            }
        }
        for cut in cuts {
            let lengths = regexes.lengths(cut.first, &mut budget());
            assert!(lengths.is_exact && !lengths.is_empty(), "{whole_shape:?} {part_shape:?} {lengths:?}");
        }
    }
}

#[test]
fn replacements_are_seen_through() {
    let words = words(4);
    let mut generator = Generator::new(6, true);
    let mut regexes = Regexes::new();
    let (mut accepted, mut changed) = (0, 0);
    for _ in 0..400 {
        let shape = generator.shape(2);
        let (mut part, new) = (generator.word(2), generator.word(2));
        part.push(A + generator.below(2) as u32);
        let occurrences = if generator.below(2) == 0 { Occurrences::First } else { Occurrences::All };
        let body = build(&mut regexes, &shape);
        let replacement = Replacement::new(&part, &new, occurrences).unwrap();
        let re = regexes.replaced(&replacement, body);
        let opposite = regexes.complement(body);
        let opposite = regexes.replaced(&replacement, opposite);
        let (part, new) = (Str::from_code_points(part).unwrap(), Str::from_code_points(new).unwrap());
        let lengths = regexes.lengths(re, &mut budget());
        for word in &words {
            let text = Str::from_code_points(word.clone()).unwrap();
            let result = match occurrences {
                Occurrences::First => text.replace(&part, &new, &mut budget()).unwrap(),
                Occurrences::All => text.replace_all(&part, &new, &mut budget()).unwrap(),
            };
            let expected = accepts(&shape, result.chars());
            accepted += usize::from(expected);
            changed += usize::from(expected && result != text);
            let context = || format!("{shape:?} {replacement:?} {word:?}");
            assert_eq!(regexes.matches(re, word, &mut budget()).unwrap(), expected, "{}", context());
            assert_eq!(regexes.matches(opposite, word, &mut budget()).unwrap(), !expected, "{}", context());
            let len = word.len() as u64;
            assert!(!expected || lengths.contains(len), "{}", context());
            assert!(!expected || regexes.progression(re).contains(len), "{}", context());
        }
    }
    assert!(accepted > 10_000 && changed > 1_000, "{accepted} {changed}");
}

/// A loop with this number of repetitions of any letter.
fn letters_repeated(regexes: &mut Regexes, count: u64) -> Re {
    regexes.repeat(Re::ALLCHAR, count, Some(count))
}

#[test]
fn words_too_long_to_count_may_have_an_even_length() {
    let mut regexes = Regexes::new();
    let mut huge = Re::ALLCHAR;
    for _ in 0..4 {
        huge = regexes.repeat(huge, 65_536, Some(65_536));
    }
    let two = letters_repeated(&mut regexes, 2);
    let even = regexes.star(two);
    let both = regexes.inter(&[huge, even]);
    assert_ne!(both, Re::NONE);
    assert!(!regexes.is_known_empty(both));
    // Less is known of lengths, but not that there are none.
    assert!(!regexes.lengths(both, &mut Budget::new(100_000)).is_empty());
}

#[test]
fn a_source_may_be_longer_than_the_longest_result_that_can_be_counted() {
    let mut regexes = Regexes::new();
    let longest = letters_repeated(&mut regexes, u64::MAX);
    for new in [&[][..], &[A]] {
        let replacement = Replacement::new(&[A, A + 1, A], new, Occurrences::First).unwrap();
        let sources = regexes.replaced(&replacement, longest);
        assert_eq!(regexes.progression(sources).max, None);
    }
}
