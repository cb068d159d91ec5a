//! Regular over-approximation: a language for every string variable, from all constraints that give one.
//!
//! Memberships, constants, prefixes, suffixes, factors and written numbers give a language to the variable they speak of;
//! an equation gives a variable the concatenation of the languages on the other side. A language or a meeting of two that
//! is empty refutes the constraints it came from, at every length. Otherwise the lengths of a language are a lesson.

use rustc_hash::FxHashMap;
use smelt_semantics::Budget;
use smelt_semantics::letters::LetterSet;

use super::Abstraction;
use super::facts::Shape;
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};
use crate::theory::regex::{Emptiness, Re, Regexes};
use crate::theory::search::{Assignment, Literal};

/// Budget for one test of emptiness.
const EMPTINESS_BUDGET: u64 = 20_000_000;
/// Rounds in which languages travel through equations.
const ROUNDS: usize = 2;

/// A language and the positions of the facts it follows from.
#[derive(Clone, Debug)]
struct Language {
    re: Re,
    facts: Vec<usize>,
}

/// What the languages of an assignment taught.
pub(crate) enum Taught {
    /// A clause was added that excludes the assignment.
    Lesson,
    /// Nothing new.
    Nothing,
}

/// Remembers what was found out about languages.
#[derive(Default)]
pub(crate) struct Languages {
    /// Languages known to be empty or not; absent if that was too expensive or not asked.
    emptiness: FxHashMap<Re, Option<bool>>,
}

impl Languages {
    /// Refutes the facts by their languages, or refutes the lengths of the assignment, if it can.
    pub(crate) fn check(
        &mut self,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        facts: &[usize],
    ) -> Taught {
        let before = abstraction.search.because("languages");
        let taught = self.compare(abstraction, assignment, facts);
        abstraction.search.because(before);
        taught
    }

    fn compare(&mut self, abstraction: &mut Abstraction, assignment: &Assignment, facts: &[usize]) -> Taught {
        let mut languages: FxHashMap<Var, Language> = FxHashMap::default();
        let mut order: Vec<Var> = Vec::new();
        for &position in facts {
            let Some((var, re)) = own_language(abstraction, position) else { continue };
            let language = languages.entry(var).or_insert_with(|| {
                order.push(var);
                Language { re: Re::ALL, facts: Vec::new() }
            });
            language.re = abstraction.regexes.inter(&[language.re, re]);
            language.facts.push(position);
            if self.is_empty(abstraction, language.re) {
                let facts = language.facts.clone();
                let facts = self.shrink(abstraction, facts);
                abstraction.refute(&facts);
                return Taught::Lesson;
            }
        }
        for _ in 0..ROUNDS {
            for &position in facts {
                let Some((sides, other)) = meeting(abstraction, position) else { continue };
                if let Some(refuted) =
                    self.meet(abstraction, &mut languages, &mut order, position, &sides, other)
                {
                    abstraction.refute(&refuted);
                    return Taught::Lesson;
                }
            }
        }
        let mut taught = Taught::Nothing;
        for var in order {
            let language = &languages[&var];
            let length = assignment.integer(abstraction.lengths[var as usize]);
            let lengths = abstraction.lengths_of_language(language.re);
            // A length that cannot be counted may be one of the language.
            if length.to_u64().is_some_and(|length| !lengths.contains(length)) {
                let guards: Vec<Literal> = guards_of(abstraction, &language.facts);
                abstraction.add_length_set(&guards, &vec![Piece::Var(var)], &lengths);
                taught = Taught::Lesson;
            }
        }
        taught
    }

    /// Compares the words of a text with another language; if one of the sides is a variable, it learns from the other.
    /// The facts that cannot hold together, if they cannot.
    fn meet(
        &mut self,
        abstraction: &mut Abstraction,
        languages: &mut FxHashMap<Var, Language>,
        order: &mut Vec<Var>,
        position: usize,
        sides: &[Text],
        other: Option<Re>,
    ) -> Option<Vec<usize>> {
        let mut both: Vec<Language> =
            sides.iter().map(|side| text_language(abstraction, languages, side)).collect();
        both.extend(other.map(|re| Language { re, facts: Vec::new() }));
        let operands: Vec<Re> = both.iter().map(|language| language.re).collect();
        let common = abstraction.regexes.inter(&operands);
        let mut facts: Vec<usize> = both.iter().flat_map(|language| language.facts.iter().copied()).collect();
        facts.push(position);
        facts.sort_unstable();
        facts.dedup();
        if self.is_empty(abstraction, common) {
            return Some(facts);
        }
        for side in sides {
            let [Piece::Var(var)] = side.as_slice() else { continue };
            let known = languages.entry(*var).or_insert_with(|| {
                order.push(*var);
                Language { re: Re::ALL, facts: Vec::new() }
            });
            if known.re != common {
                *known = Language { re: common, facts: facts.clone() };
            }
        }
        None
    }

    /// Whether the language is known to be empty; false also if that is too expensive to find out.
    fn is_empty(&mut self, abstraction: &mut Abstraction, re: Re) -> bool {
        let known = self.emptiness.entry(re).or_insert_with(|| {
            let emptiness = abstraction.regexes.emptiness(re, &mut Budget::new(EMPTINESS_BUDGET));
            emptiness.ok().map(|emptiness| matches!(emptiness, Emptiness::Empty))
        });
        known.unwrap_or(false)
    }

    /// Leaves out facts that are not needed for the language of one variable to be empty.
    fn shrink(&mut self, abstraction: &mut Abstraction, mut facts: Vec<usize>) -> Vec<usize> {
        let mut position = 0;
        while position < facts.len() && facts.len() > 1 {
            let rest = facts.iter().enumerate().filter(|(other, _)| *other != position);
            let operands: Vec<Re> =
                rest.filter_map(|(_, fact)| Some(own_language(abstraction, *fact)?.1)).collect();
            let re = abstraction.regexes.inter(&operands);
            if self.is_empty(abstraction, re) {
                facts.remove(position);
            } else {
                position += 1;
            }
        }
        facts
    }
}

/// The guards of some facts.
fn guards_of(abstraction: &Abstraction, facts: &[usize]) -> Vec<Literal> {
    facts.iter().map(|position| abstraction.facts[*position].guard).collect()
}

/// The variable that a fact speaks of, with the language that it gives, for facts about one variable alone.
fn own_language(abstraction: &mut Abstraction, position: usize) -> Option<(Var, Re)> {
    let constraint = match &abstraction.facts[position].shape {
        Shape::Plain(constraint) => constraint.clone(),
        Shape::FromInt { result, .. } => {
            let var = single_var(result)?;
            return Some((var, written_numbers(&mut abstraction.regexes)));
        }
        _ => return None,
    };
    if let Constraint::Equal(left, right) = &constraint
        && let Some((var, front, back)) = conjugate_parts(left, right)
    {
        return Some((var, conjugates(abstraction, &front, &back)));
    }
    let regexes = &mut abstraction.regexes;
    match &constraint {
        Constraint::Member(text, re) => Some((single_var(text)?, *re)),
        Constraint::Equal(left, right) | Constraint::Different(left, right) => {
            let (var, word) = match (single_var(left), word_of(right)) {
                (Some(var), Some(word)) => (var, word),
                _ => (single_var(right)?, word_of(left)?),
            };
            let re = regexes.word(&word);
            let holds = matches!(constraint, Constraint::Equal(..));
            Some((var, if holds { re } else { regexes.complement(re) }))
        }
        Constraint::Prefix { part, whole, holds }
        | Constraint::Suffix { part, whole, holds }
        | Constraint::Contains { whole, part, holds } => {
            let var = single_var(whole)?;
            let word = regexes.word(&word_of(part)?);
            let re = match constraint {
                Constraint::Prefix { .. } => regexes.concat(&[word, Re::ALL]),
                Constraint::Suffix { .. } => regexes.concat(&[Re::ALL, word]),
                _ => regexes.containing(word),
            };
            Some((var, if *holds { re } else { regexes.complement(re) }))
        }
        _ => None,
    }
}

/// The empty word, and numbers in decimal without needless zeros: all that `str.from_int` gives.
fn written_numbers(regexes: &mut Regexes) -> Re {
    let [digit, first_digit] =
        [b'0', b'1'].map(|low| regexes.letters(LetterSet::range(u32::from(low), u32::from(b'9'))));
    let more_digits = regexes.star(digit);
    let positive = regexes.concat(&[first_digit, more_digits]);
    let zero = regexes.word(&[u32::from(b'0')]);
    regexes.union(&[Re::EMPTY_WORD, zero, positive])
}

/// For `front x = x back`, or the same the other way round: the variable and the words around it.
fn conjugate_parts(left: &Text, right: &Text) -> Option<(Var, Vec<u32>, Vec<u32>)> {
    match (left.as_slice(), right.as_slice()) {
        ([Piece::Word(front), Piece::Var(x)], [Piece::Var(y), Piece::Word(back)])
        | ([Piece::Var(x), Piece::Word(back)], [Piece::Word(front), Piece::Var(y)])
            if x == y =>
        {
            Some((*x, front.to_vec(), back.to_vec()))
        }
        _ => None,
    }
}

/// All x with `front x = x back`: for every way to write front as `p q` and back as `q p`, the words of `(p q)* p`.
fn conjugates(abstraction: &mut Abstraction, front: &[u32], back: &[u32]) -> Re {
    if front.len() != back.len() {
        return Re::NONE;
    }
    if front.is_empty() {
        return Re::ALL;
    }
    let regexes = &mut abstraction.regexes;
    let whole = regexes.word(front);
    let repeated = regexes.star(whole);
    let mut solutions = Vec::new();
    for cut in 0..front.len() {
        let (p, q) = front.split_at(cut);
        if back.starts_with(q) && back[q.len()..] == *p {
            let tail = regexes.word(p);
            solutions.push(regexes.concat(&[repeated, tail]));
        }
    }
    regexes.union(&solutions)
}

/// The texts that a fact says are equal words, and a language that these words are in.
fn meeting(abstraction: &Abstraction, position: usize) -> Option<(Vec<Text>, Option<Re>)> {
    match &abstraction.facts[position].shape {
        Shape::Plain(Constraint::Equal(left, right)) => Some((vec![left.clone(), right.clone()], None)),
        Shape::Plain(Constraint::Member(text, re)) if single_var(text).is_none() => {
            Some((vec![text.clone()], Some(*re)))
        }
        _ => None,
    }
}

/// The concatenation of the languages of the pieces.
fn text_language(
    abstraction: &mut Abstraction,
    languages: &FxHashMap<Var, Language>,
    text: &Text,
) -> Language {
    let mut facts = Vec::new();
    let factors: Vec<Re> = text
        .iter()
        .map(|piece| match piece {
            Piece::Word(word) => abstraction.regexes.word(word),
            Piece::Var(var) => match languages.get(var) {
                Some(language) => {
                    facts.extend_from_slice(&language.facts);
                    language.re
                }
                None => Re::ALL,
            },
        })
        .collect();
    Language { re: abstraction.regexes.concat(&factors), facts }
}

fn single_var(text: &Text) -> Option<Var> {
    match text.as_slice() {
        [Piece::Var(var)] => Some(*var),
        _ => None,
    }
}

/// The word of a text without variables.
fn word_of(text: &Text) -> Option<Vec<u32>> {
    match text.as_slice() {
        [] => Some(Vec::new()),
        [Piece::Word(word)] => Some(word.to_vec()),
        _ => None,
    }
}
