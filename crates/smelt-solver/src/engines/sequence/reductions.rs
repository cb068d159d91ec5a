//! Functions and negated predicates by what they mean, when nothing else helps.
//!
//! Each reduction is made once for a fact and brings fresh variables for the parts of a word. Before this comes into
//! play the fixed-length backend has failed, so only what the search keeps running into is reduced.

use rustc_hash::FxHashSet;
use smelt_semantics::letters::LetterSet;

use crate::engines::abstraction::Abstraction;
use crate::engines::abstraction::definitions::{concatenate, constant_word};
use crate::engines::abstraction::facts::{Fact, Shape};
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Piece, Text};
use crate::theory::search::{Assignment, Literal};

/// Facts reduced in one run.
const MAX_REDUCED: usize = 120;

/// What was reduced so far, by the positions of facts.
#[derive(Default)]
pub(super) struct Reductions {
    reduced: FxHashSet<usize>,
    /// Searches whose first occurrence is known to be the first, by their literals.
    first: FxHashSet<Literal>,
}

/// A way to reduce a fact. Whether it applies.
type Reduction = fn(&mut Abstraction, &Assignment, &Fact) -> bool;

/// Cheap ones first; those behind one that applies to some fact have to wait.
static REDUCTIONS: &[Reduction] =
    &[read_number, write_number, search_from, different_at, negated_end, replace_everything];

impl Reductions {
    /// Reduces facts in the first way that applies to some. Whether it does.
    pub(super) fn apply(
        &mut self,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        facts: &[usize],
    ) -> bool {
        if self.reduced.len() + self.first.len() > MAX_REDUCED {
            return false;
        }
        if self.say_first(abstraction, assignment) {
            return true;
        }
        for reduction in REDUCTIONS {
            let mut is_new = false;
            for &position in facts {
                if self.reduced.contains(&position) {
                    continue;
                }
                let fact = abstraction.facts[position].clone();
                if reduction(abstraction, assignment, &fact) {
                    self.reduced.insert(position);
                    is_new = true;
                }
            }
            if is_new {
                return true;
            }
        }
        false
    }

    /// Says of searches that succeed that there is no earlier occurrence: what comes before the end of the first one,
    /// without the last letter, has none.
    fn say_first(&mut self, abstraction: &mut Abstraction, assignment: &Assignment) -> bool {
        let mut searches: Vec<(Literal, Text, Text)> = abstraction
            .occurrences
            .iter()
            .filter(|(_, occurrence)| assignment.decides(occurrence.found) == Some(true))
            .map(|((_, part), occurrence)| (occurrence.found, occurrence.before.clone(), part.clone()))
            .collect();
        searches.sort_unstable_by_key(|(found, ..)| *found);
        let mut is_new = false;
        for (found, before, part) in searches {
            if !self.first.insert(found) {
                continue;
            }
            is_new |= match constant_word(&part) {
                Some(word) => say_first_word(abstraction, found, before, &word),
                None => say_first_text(abstraction, found, before, part),
            };
        }
        is_new
    }
}

fn say_first_word(abstraction: &mut Abstraction, found: Literal, before: Text, word: &[u32]) -> bool {
    // For a letter the search says so itself.
    let [all_but_last @ .., _] = word else { return false };
    if all_but_last.is_empty() {
        return false;
    }
    let early = concatenate([before, vec![Piece::word(all_but_last)]]);
    let word = abstraction.regexes.word(word);
    let with = abstraction.regexes.containing(word);
    let without = abstraction.regexes.complement(with);
    abstraction.derive_fact(found, Shape::Plain(Constraint::Member(early, without)));
    true
}

fn say_first_text(abstraction: &mut Abstraction, found: Literal, before: Text, part: Text) -> bool {
    let length = abstraction.length(&part);
    let has_letters = abstraction.search.at_least(&length, &Linear::constant(1));
    let guard = abstraction.conjunction(&[found, has_letters]);
    let (early, last) = (abstraction.new_string(), abstraction.new_string());
    say_letter(abstraction, guard, last);
    let both = concatenate([before, part.clone()]);
    let cut = vec![Piece::Var(early), Piece::Var(last)];
    abstraction.derive_fact(guard, Shape::Plain(Constraint::Equal(both, cut)));
    let whole = vec![Piece::Var(early)];
    abstraction.derive_fact(guard, Shape::Plain(Constraint::Contains { whole, part, holds: false }));
    true
}

/// What denotes a number is made of digits, and nothing else is.
fn read_number(abstraction: &mut Abstraction, _: &Assignment, fact: &Fact) -> bool {
    let Shape::ToInt { value, text } = &fact.shape else { return false };
    let is_number = abstraction.search.at_least(value, &Linear::constant(0));
    let digits = abstraction.regexes.letters(LetterSet::range(u32::from('0'), u32::from('9')));
    let numerals = abstraction.regexes.repeat(digits, 1, None);
    let others = abstraction.regexes.complement(numerals);
    for (condition, re) in [(is_number, numerals), (!is_number, others)] {
        let guard = abstraction.conjunction(&[fact.guard, condition]);
        abstraction.derive_fact(guard, Shape::Plain(Constraint::Member(text.clone(), re)));
    }
    true
}

/// The numeral of a number has no leading zeros and denotes the number.
fn write_number(abstraction: &mut Abstraction, _: &Assignment, fact: &Fact) -> bool {
    let Shape::FromInt { result, value } = &fact.shape else { return false };
    let is_number = abstraction.search.at_least(value, &Linear::constant(0));
    let guard = abstraction.conjunction(&[fact.guard, is_number]);
    let regexes = &mut abstraction.regexes;
    let [first, digits] =
        ['1', '0'].map(|low| regexes.letters(LetterSet::range(u32::from(low), u32::from('9'))));
    let zero = regexes.word(&[u32::from('0')]);
    let more = regexes.star(digits);
    let others = regexes.concat(&[first, more]);
    let numerals = regexes.union(&[zero, others]);
    abstraction.derive_fact(guard, Shape::Plain(Constraint::Member(result.clone(), numerals)));
    // The axioms about lengths count without a guard, so the number that is denoted has a name of its own.
    let denoted = Linear::variable(abstraction.search.new_int());
    let is_denoted = abstraction.search.equals(&denoted, value);
    abstraction.search.add_clause(&[!guard, is_denoted]);
    let always = abstraction.search.always();
    abstraction.derive_fact(always, Shape::ToInt { value: denoted, text: result.clone() });
    true
}

/// A search from a start position on is a search in what follows there.
fn search_from(abstraction: &mut Abstraction, _: &Assignment, fact: &Fact) -> bool {
    let Shape::IndexOf { result, source, part, start } = &fact.shape else { return false };
    if start.as_constant().is_some_and(|start| start.is_zero()) {
        return false;
    }
    let source_length = abstraction.length(source);
    let conditions = [
        abstraction.search.at_least(start, &Linear::constant(0)),
        abstraction.search.at_most(start, &source_length),
        fact.guard,
    ];
    let is_inside = abstraction.conjunction(&conditions);
    let (skipped, rest) = (abstraction.new_string(), abstraction.new_string());
    let cut = vec![Piece::Var(skipped), Piece::Var(rest)];
    abstraction.derive_fact(is_inside, Shape::Plain(Constraint::Equal(source.clone(), cut)));
    let skipped_length = Linear::variable(abstraction.lengths[skipped as usize]);
    let starts_there = abstraction.search.equals(&skipped_length, start);
    let occurrence = abstraction.occurrence(&vec![Piece::Var(rest)], part);
    abstraction.derived.extend(&occurrence.facts);
    let is_found = abstraction.search.at_least(result, &Linear::constant(0));
    let before = abstraction.length(&occurrence.before);
    let is_there = abstraction.search.equals(result, &(start + &before));
    for clause in [
        [!is_inside, starts_there].as_slice(),
        &[!is_inside, !is_found, occurrence.found],
        &[!is_inside, is_found, !occurrence.found],
        &[!is_inside, !is_found, is_there],
    ] {
        abstraction.search.add_clause(clause);
    }
    true
}

/// Different words of one length have different letters behind a common beginning.
fn different_at(abstraction: &mut Abstraction, assignment: &Assignment, fact: &Fact) -> bool {
    let Shape::Plain(Constraint::Different(left, right)) = &fact.shape else { return false };
    let [left_length, right_length] = [left, right].map(|text| abstraction.length(text));
    let length = assignment.value(&left_length);
    // Single letters are different as they are.
    if length != assignment.value(&right_length) || length.to_usize() == Some(1) {
        return false;
    }
    let same_length = abstraction.search.equals(&left_length, &right_length);
    let guard = abstraction.conjunction(&[fact.guard, same_length]);
    say_different_letters(abstraction, guard, [left, right], true);
    true
}

/// What is no prefix and not too long has another letter somewhere; the same from the right for a suffix.
fn negated_end(abstraction: &mut Abstraction, assignment: &Assignment, fact: &Fact) -> bool {
    let (part, whole, is_forward) = match &fact.shape {
        Shape::Plain(Constraint::Prefix { part, whole, holds: false }) => (part, whole, true),
        Shape::Plain(Constraint::Suffix { part, whole, holds: false }) => (part, whole, false),
        _ => return false,
    };
    let [part_length, whole_length] = [part, whole].map(|text| abstraction.length(text));
    if assignment.value(&part_length) > assignment.value(&whole_length) {
        return false;
    }
    let fits = abstraction.search.at_most(&part_length, &whole_length);
    let guard = abstraction.conjunction(&[fact.guard, fits]);
    say_different_letters(abstraction, guard, [part, whole], is_forward);
    true
}

/// Both texts have a common part at one end and different letters behind it, whenever the guard is true.
fn say_different_letters(abstraction: &mut Abstraction, guard: Literal, texts: [&Text; 2], is_forward: bool) {
    let common = Piece::Var(abstraction.new_string());
    let letters = texts.map(|text| {
        let (letter, rest) = (abstraction.new_string(), abstraction.new_string());
        say_letter(abstraction, guard, letter);
        let mut parts = vec![common.clone(), Piece::Var(letter), Piece::Var(rest)];
        if !is_forward {
            parts.reverse();
        }
        abstraction.derive_fact(guard, Shape::Plain(Constraint::Equal(text.clone(), parts)));
        vec![Piece::Var(letter)]
    });
    let [one, other] = letters;
    abstraction.derive_fact(guard, Shape::Plain(Constraint::Different(one, other)));
}

/// A variable is a single letter whenever the guard is true.
fn say_letter(abstraction: &mut Abstraction, guard: Literal, letter: crate::theory::fixed_length::Var) {
    let length = Linear::variable(abstraction.lengths[letter as usize]);
    let is_letter = abstraction.search.equals(&length, &Linear::constant(1));
    abstraction.search.add_clause(&[!guard, is_letter]);
}

/// Replacing everything replaces the first occurrence and everything behind it.
fn replace_everything(abstraction: &mut Abstraction, _: &Assignment, fact: &Fact) -> bool {
    let Shape::Plain(Constraint::ReplaceAll { result, source, part, new }) = &fact.shape else {
        return false;
    };
    let occurrence = abstraction.occurrence(source, part);
    abstraction.derived.extend(&occurrence.facts);
    let part_length = abstraction.length(part);
    let has_letters = abstraction.search.at_least(&part_length, &Linear::constant(1));
    let replaces = abstraction.conjunction(&[fact.guard, occurrence.found, has_letters]);
    let unchanged = Constraint::Equal(result.clone(), source.clone());
    for reason in [!occurrence.found, !has_letters] {
        let keeps = abstraction.conjunction(&[fact.guard, reason]);
        abstraction.derive_fact(keeps, Shape::Plain(unchanged.clone()));
    }
    let rest = vec![Piece::Var(abstraction.new_string())];
    let all = concatenate([occurrence.before, new.clone(), rest.clone()]);
    abstraction.derive_fact(replaces, Shape::Plain(Constraint::Equal(result.clone(), all)));
    let (source, part, new) = (occurrence.after, part.clone(), new.clone());
    let always = abstraction.search.always();
    let others = Constraint::ReplaceAll { result: rest, source, part, new };
    abstraction.derive_fact(always, Shape::Plain(others));
    true
}
