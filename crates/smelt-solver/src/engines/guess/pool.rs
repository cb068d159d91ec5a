//! Values that are worth trying for each constant.
//!
//! The value that it had in an earlier check comes first. Then what the assertions say of it: literals that it is
//! compared with, words of languages that it is in. Then the literals of the whole problem, then short words over its letters.

use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::string::Str;
use smelt_semantics::value::Value;
use smelt_semantics::{Budget, LimitReached};
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::{Term, Terms};
use smelt_smtlib::walk::subterms;

use super::members::visible_member;
use crate::model_cache::Earlier;

/// Literals longer than this are tried only where they are compared.
const MAX_LITERAL: usize = 200;
/// Words as long as a number in the problem are tried up to this length.
const MAX_LENGTH: u32 = 300;
/// Letters that short words are made of.
const MAX_LETTERS: usize = 10;
/// Values for one constant.
const MAX_VALUES: usize = 400;

/// Values to try for each constant, the most promising first.
pub(super) fn pools(
    terms: &Terms,
    assertions: &[Term],
    constants: &[Term],
    earlier: &Earlier,
) -> Vec<Vec<Value>> {
    let all_terms = subterms(terms, assertions);
    let own = own_values(terms, &all_terms);
    let strings = general_strings(terms, &all_terms);
    let integers = general_integers(terms, &all_terms);
    constants
        .iter()
        .map(|constant| {
            let general: Vec<Value> = match terms.sort(*constant) {
                Sort::BOOL => vec![Value::Bool(true), Value::Bool(false)],
                Sort::INT => integers.iter().cloned().map(Value::Int).collect(),
                _ => strings.iter().cloned().map(Value::Str).collect(),
            };
            let mut seen = FxHashSet::default();
            let special = own.get(constant).cloned().unwrap_or_default();
            last_value(terms, *constant, earlier)
                .into_iter()
                .chain(special)
                .chain(general)
                .filter(|value| seen.insert(value.clone()))
                .take(MAX_VALUES)
                .collect()
        })
        .collect()
}

/// The value of a constant in an earlier check. Its name may have been declared anew, with another sort.
pub(super) fn last_value(terms: &Terms, constant: Term, earlier: &Earlier) -> Option<Value> {
    let value = earlier.value(build::constant_name(terms, constant)?)?;
    let sort = match value {
        Value::Bool(_) => Sort::BOOL,
        Value::Int(_) => Sort::INT,
        Value::Str(_) => Sort::STRING,
        _ => return None,
    };
    (sort == terms.sort(constant)).then(|| value.clone())
}

/// Literals and languages that constants are directly compared with.
fn own_values(terms: &Terms, all_terms: &[Term]) -> FxHashMap<Term, Vec<Value>> {
    let environment = Environment::default();
    let model = Model::new();
    let mut evaluator = Evaluator::new(terms, &environment, &model);
    let mut own: FxHashMap<Term, Vec<Value>> = FxHashMap::default();
    for term in all_terms {
        let args = terms.args(*term);
        match (terms.op(*term), args) {
            (
                Some(
                    Op::Eq
                    | Op::StrContains
                    | Op::StrPrefixof
                    | Op::StrSuffixof
                    | Op::StrLe
                    | Op::StrIndexof
                    | Op::StrReplace,
                ),
                [left, right, ..],
            ) => {
                for (constant, other) in [(left, right), (right, left)] {
                    if build::constant_name(terms, *constant).is_some()
                        && let Some(value) = literal::value_of(terms, *other)
                    {
                        own.entry(*constant).or_default().push(value);
                    }
                }
            }
            (Some(Op::StrInRe), &[text, language]) => {
                let parts = build::parts(terms, text);
                let Some(constant) =
                    parts.into_iter().find(|part| build::constant_name(terms, *part).is_some())
                else {
                    continue;
                };
                if let Ok(Value::Regex(re)) = evaluator.eval(language) {
                    let mut budget = Budget::new(1 << 20);
                    let regexes = evaluator.regexes();
                    let word = match regexes.example(re, &mut budget) {
                        Ok(word) => word,
                        Err(LimitReached) => visible_member(terms, language),
                    };
                    if let Some(word) = word {
                        own.entry(constant).or_default().push(Value::Str(word));
                    }
                    // A word outside of the language, for its negation.
                    if let Ok(other) = regexes.complement(re, &mut budget)
                        && let Ok(Some(word)) = regexes.example(other, &mut budget)
                    {
                        own.entry(constant).or_default().push(Value::Str(word));
                    }
                }
            }
            _ => {}
        }
    }
    own
}

fn literals(terms: &Terms, all_terms: &[Term]) -> Vec<Str> {
    all_terms.iter().filter_map(|term| literal::string_value(terms, *term)).collect()
}

fn numbers(terms: &Terms, all_terms: &[Term]) -> Vec<IBig> {
    all_terms.iter().filter_map(|term| literal::int_value(terms, *term)).collect()
}

fn general_strings(terms: &Terms, all_terms: &[Term]) -> Vec<Str> {
    let mut literals = literals(terms, all_terms);
    literals.sort_by_key(Str::len);
    let mut letters: Vec<u32> = Vec::new();
    for letter in
        literals.iter().filter(|word| word.len() <= MAX_LITERAL).flat_map(|word| word.chars().iter())
    {
        if !letters.contains(letter) && letters.len() < MAX_LETTERS {
            letters.push(*letter);
        }
    }
    // A letter that the problem does not know, and a digit if strings are read as numbers.
    if all_terms.iter().any(|term| matches!(terms.op(*term), Some(Op::StrToInt | Op::StrFromInt))) {
        letters.extend([u32::from(b'0'), u32::from(b'1'), u32::from(b'9')]);
    }
    let other =
        |letters: &[u32]| (u32::from(b'a')..=u32::from(b'z')).find(|letter| !letters.contains(letter));
    letters.extend(other(&letters));
    if letters.len() == 1 {
        letters.extend(other(&letters));
    }
    let mut words: Vec<Vec<u32>> = vec![Vec::new()];
    words.extend(letters.iter().map(|letter| vec![*letter]));
    words.extend(literals.iter().filter(|word| word.len() <= MAX_LITERAL).map(|word| word.chars().to_vec()));
    for left in &letters {
        words.extend(letters.iter().map(|right| vec![*left, *right]));
    }
    let filler = letters.last().copied().unwrap_or(u32::from(b'a'));
    for number in numbers(terms, all_terms) {
        let Ok(length) = u32::try_from(&number) else { continue };
        for length in [length.saturating_sub(1), length, length.saturating_add(1)] {
            if length <= MAX_LENGTH {
                words.push(vec![filler; length as usize]);
            }
        }
    }
    for word in literals.iter().filter(|word| word.len() <= MAX_LITERAL) {
        for letter in letters.iter().take(4) {
            let mut longer = word.chars().to_vec();
            longer.push(*letter);
            words.push(longer.clone());
            longer.rotate_right(1);
            words.push(longer);
        }
    }
    for left in literals.iter().filter(|word| word.len() <= 16).take(8) {
        for right in literals.iter().filter(|word| word.len() <= 16).take(8) {
            words.push([left.chars(), right.chars()].concat());
        }
    }
    words.extend(words_of_two(&letters[..2]));
    let mut seen = FxHashSet::default();
    words.retain(|word| seen.insert(word.clone()));
    words.into_iter().filter_map(Str::from_code_points).collect()
}

/// Words of three and four letters out of two: enough for one word to occur in another at several places.
fn words_of_two(letters: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    (3..=4u32).flat_map(move |len| {
        (0..1usize << len).map(move |choice| (0..len).map(|place| letters[choice >> place & 1]).collect())
    })
}

fn general_integers(terms: &Terms, all_terms: &[Term]) -> Vec<IBig> {
    let mut values: Vec<IBig> = [0, 1, -1, 2, 3, 4, 5].into_iter().map(IBig::from).collect();
    for number in numbers(terms, all_terms) {
        values.extend([number.clone(), &number - IBig::ONE, &number + IBig::ONE, -&number]);
    }
    for word in literals(terms, all_terms) {
        values.push(IBig::from(word.len()));
        values.push(word.to_code());
    }
    let mut seen = FxHashSet::default();
    values.retain(|value| seen.insert(value.clone()));
    values
}
