//! Whether facts about strings of known lengths contradict each other, by trying all words.
//!
//! Letters that no literal and no range tells apart can be exchanged for each other, so of each such class as many
//! letters are tried as there are places for them.

use std::collections::BTreeMap;

use dashu_int::IBig;
use smelt_semantics::environment::Environment;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::literal;
use smelt_semantics::model::Model;
use smelt_semantics::string::{MAX_CHAR, Str};
use smelt_semantics::value::Value;
use smelt_smtlib::build;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::symbol::Symbol;
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

use crate::integer::{div_floor, divides};
use crate::linear::{Relation, constraints};

/// More words than this are too many.
const MAX_TRIES: usize = 20_000;

/// Words to try, and what they must not satisfy.
struct Trial<'a> {
    environment: &'a Environment,
    facts: &'a [Term],
    /// The values of integers.
    model: Model,
    /// The constants that are strings, with their lengths.
    words: Vec<(Symbol, usize)>,
    letters: Vec<u32>,
}

/// Whether no values of the constants make all facts true; false also if there are too many to try.
pub(crate) fn are_refuted(terms: &mut Terms, environment: &Environment, facts: &[Term]) -> bool {
    let parts = subterms(terms, facts);
    if !parts.iter().all(|part| treats_letters_alike(terms, *part)) {
        return false;
    }
    let mut words: Vec<(Symbol, usize)> = Vec::new();
    let mut model = Model::new();
    let fixed = fixed_values(terms, facts);
    for part in &parts {
        let Head::Global(name) = terms.head(*part) else { continue };
        let is_string = terms.sort(*part) == Sort::STRING;
        let measured = if is_string { build::len(terms, *part) } else { *part };
        let Some(value) = fixed.get(&measured) else { return false };
        if is_string {
            let Ok(length) = usize::try_from(value) else { return false };
            words.push((name, length));
        } else {
            let value = literal::int(terms, value);
            model.set(terms, name, value);
        }
    }
    let places = words.iter().map(|(_, length)| length).sum();
    let letters = letters(terms, &parts, places);
    let tries = u32::try_from(places).ok().and_then(|places| letters.len().checked_pow(places));
    if tries.is_none_or(|tries| tries > MAX_TRIES) {
        return false;
    }
    let trial = Trial { environment, facts, model, words, letters };
    let mut chosen = vec![0; places];
    loop {
        if !trial.is_refuted_by(terms, &chosen) {
            return false;
        }
        let Some(place) = chosen.iter().position(|letter| letter + 1 < trial.letters.len()) else {
            return true;
        };
        chosen[place] += 1;
        chosen[..place].fill(0);
    }
}

impl Trial<'_> {
    /// Whether one of the facts is false for these letters.
    fn is_refuted_by(&self, terms: &mut Terms, chosen: &[usize]) -> bool {
        let mut model = self.model.clone();
        let mut rest = chosen;
        for (name, length) in &self.words {
            let (word, others) = rest.split_at(*length);
            rest = others;
            let word = word.iter().map(|letter| self.letters[*letter]).collect::<Vec<u32>>();
            let word = Str::from_code_points(word).expect("letters are code points");
            let literal = literal::string(terms, &word);
            model.set(terms, *name, literal);
        }
        let mut evaluator = Evaluator::new(terms, self.environment, &model);
        self.facts.iter().any(|fact| matches!(evaluator.eval(*fact), Ok(Value::Bool(false))))
    }
}

/// IBig terms that the facts give a value, one after the other.
fn fixed_values(terms: &mut Terms, facts: &[Term]) -> BTreeMap<Term, IBig> {
    let mut equations = Vec::new();
    for fact in facts {
        let known = constraints(terms, *fact).into_iter();
        equations.extend(known.filter(|(_, relation)| *relation == Relation::Zero).map(|(form, _)| form));
    }
    let mut fixed: BTreeMap<Term, IBig> = BTreeMap::new();
    loop {
        let before = fixed.len();
        for equation in &equations {
            let mut rest = equation.constant.clone();
            let mut open = Vec::new();
            for (term, factor) in &equation.factors {
                match fixed.get(term) {
                    Some(value) => rest += &(factor * value),
                    None => open.push((*term, factor)),
                }
            }
            if let [(term, factor)] = open.as_slice()
                && divides(factor, &rest)
            {
                fixed.insert(*term, -div_floor(&rest, factor));
            }
        }
        if fixed.len() == before {
            return fixed;
        }
    }
}

/// Whether a term has the same meaning after letters of one class were exchanged.
fn treats_letters_alike(terms: &Terms, term: Term) -> bool {
    match terms.head(term) {
        Head::Global(_) => {
            terms.args(term).is_empty() && matches!(terms.sort(term), Sort::STRING | Sort::INT)
        }
        Head::Literal(..) => true,
        Head::Op(op, _) => matches!(
            op,
            Op::True
                | Op::False
                | Op::Not
                | Op::And
                | Op::Or
                | Op::Ite
                | Op::Eq
                | Op::Distinct
                | Op::Neg
                | Op::Add
                | Op::Sub
                | Op::Mul
                | Op::Le
                | Op::Lt
                | Op::Ge
                | Op::Gt
                | Op::StrConcat
                | Op::StrLen
                | Op::StrAt
                | Op::StrSubstr
                | Op::StrPrefixof
                | Op::StrSuffixof
                | Op::StrContains
                | Op::StrIndexof
                | Op::StrReplace
                | Op::StrReplaceAll
                | Op::StrInRe
                | Op::StrToRe
                | Op::ReConcat
                | Op::ReUnion
                | Op::ReInter
                | Op::ReStar
                | Op::RePlus
                | Op::ReOpt
                | Op::ReComp
                | Op::ReDiff
                | Op::ReRange
                | Op::ReAllChar
                | Op::ReAll
                | Op::ReNone
                | Op::RePower
                | Op::ReLoop
        ),
        _ => false,
    }
}

/// Letters to try for a number of places: of each class the first ones.
fn letters(terms: &Terms, parts: &[Term], places: usize) -> Vec<u32> {
    let mut named: Vec<u32> = Vec::new();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for part in parts {
        if let Some(word) = literal::string_value(terms, *part) {
            named.extend_from_slice(word.chars());
        }
        if terms.op(*part) == Some(Op::ReRange) {
            let ends = terms.args(*part).iter().map(|end| literal::string_value(terms, *end));
            let ends: Vec<u32> = ends.flatten().filter_map(|end| end.chars().first().copied()).collect();
            ranges.extend(<[u32; 2]>::try_from(ends).ok().map(|[low, high]| (low, high)));
        }
    }
    let mut starts: Vec<u32> = named.iter().flat_map(|letter| [*letter, letter + 1]).collect();
    starts.extend(ranges.iter().flat_map(|(low, high)| [*low, high + 1]));
    starts.extend([0, MAX_CHAR + 1]);
    starts.sort_unstable();
    starts.dedup();
    let mut classes: BTreeMap<(Option<u32>, Vec<bool>), Vec<u32>> = BTreeMap::new();
    for interval in starts.windows(2) {
        let name = named.contains(&interval[0]).then_some(interval[0]);
        let inside = ranges.iter().map(|(low, high)| (low..=high).contains(&&interval[0])).collect();
        let class = classes.entry((name, inside)).or_default();
        let missing = places.saturating_sub(class.len());
        class.extend((interval[0]..interval[1]).take(missing));
    }
    classes.into_values().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    fn check(facts: &[&str], expected: bool) {
        let mut terms = Terms::new();
        let terms_of_facts = read(&mut terms, facts);
        assert_eq!(are_refuted(&mut terms, &Environment::default(), &terms_of_facts), expected, "{facts:?}");
    }

    #[test]
    fn words_of_known_lengths_are_all_tried() {
        check(&["(= (str.len x) 1)", "(= (str.++ x \"a\") (str.++ \"b\" x))"], true);
        check(&["(= (str.len x) 2)", "(= (str.++ x \"a\") (str.++ \"a\" x))"], false);
        check(
            &[
                "(= (str.len x) 1)",
                "(= (+ (str.len x) (str.len y)) 2)",
                "(= (str.++ x \"a\") (str.++ y \"b\"))",
            ],
            true,
        );
    }

    #[test]
    fn there_are_as_many_letters_as_places() {
        let lengths = ["(= (str.len x) 1)", "(= (str.len y) 1)", "(distinct x y \"a\")"];
        check(&lengths, false);
        let range = "(re.range \"a\" \"b\")";
        let inside = [format!("(str.in_re x {range})"), format!("(str.in_re y {range})")];
        check(&[lengths[0], lengths[1], lengths[2], &inside[0], &inside[1]], true);
    }

    #[test]
    fn nothing_is_said_of_unknown_lengths_and_of_the_order_of_letters() {
        check(&["(= (str.++ x \"a\") (str.++ x \"b\"))"], false);
        check(&["(= (str.len x) 1)", "(str.< x \"\")"], false);
    }
}
