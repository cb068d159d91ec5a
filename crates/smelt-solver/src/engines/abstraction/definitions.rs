//! Functions and predicates by word equations.
//!
//! Equations with fresh variables for the parts of a word say the same as most functions, and refutations of equations
//! are general where refutations of functions hold for single lengths. Fresh variables are shared by meaning: all
//! searches for `part` in `source` speak of the same text before and after its first occurrence.

use smelt_smtlib::term::Term;

use super::Abstraction;
use super::facts::Shape;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Matching, Piece, Text};
use crate::theory::number::Integer;
use crate::theory::regex::{Occurrences, Re};
use crate::theory::search::Literal;

/// A search for one text in another.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    /// Whether the text is there at all.
    pub(crate) found: Literal,
    /// What comes before the first occurrence, if there is one.
    pub(crate) before: Text,
    /// What comes after it.
    pub(crate) after: Text,
    /// The facts that say so.
    pub(crate) facts: Vec<usize>,
}

/// Which end of the whole a part must lie at, if any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Start,
    End,
    Anywhere,
}

impl Abstraction {
    /// The literal of a prefix, suffix or factor.
    pub(crate) fn part_atom(&mut self, term: Term, whole: Text, part: Text, anchor: Anchor) -> Literal {
        if let Some(word) = constant_word(&part) {
            let word = self.regexes.word(&word);
            let re = match anchor {
                Anchor::Start => self.regexes.concat(&[word, Re::ALL]),
                Anchor::End => self.regexes.concat(&[Re::ALL, word]),
                Anchor::Anywhere => self.regexes.containing(word),
            };
            return self.text_membership(term, whole, re);
        }
        if anchor == Anchor::Anywhere {
            let occurrence = self.occurrence(&whole, &part);
            self.use_facts(term, &occurrence.facts);
            return occurrence.found;
        }
        let literal = self.search.new_bool();
        let rest = vec![Piece::Var(self.new_string())];
        let constraint = if anchor == Anchor::Start {
            let around = concatenate([part.clone(), rest]);
            self.add_fact(term, literal, Shape::Plain(Constraint::Equal(whole.clone(), around)));
            Constraint::Prefix { part, whole, holds: false }
        } else {
            let around = concatenate([rest, part.clone()]);
            self.add_fact(term, literal, Shape::Plain(Constraint::Equal(whole.clone(), around)));
            Constraint::Suffix { part, whole, holds: false }
        };
        self.add_fact(term, !literal, Shape::Plain(constraint));
        literal
    }

    /// The search for `part` in `source`, made once.
    pub(crate) fn occurrence(&mut self, source: &Text, part: &Text) -> Occurrence {
        let key = (source.clone(), part.clone());
        if let Some(occurrence) = self.occurrences.get(&key) {
            return occurrence.clone();
        }
        let found = self.search.new_bool();
        let before = vec![Piece::Var(self.new_string())];
        let after = vec![Piece::Var(self.new_string())];
        let around = concatenate([before.clone(), part.clone(), after.clone()]);
        let mut facts = vec![self.push_fact(found, Shape::Plain(Constraint::Equal(source.clone(), around)))];
        match constant_word(part) {
            Some(word) => {
                let word = self.regexes.word(&word);
                let without = self.regexes.containing(word);
                let re = self.regexes.complement(without);
                facts.push(self.push_fact(!found, Shape::Plain(Constraint::Member(source.clone(), re))));
                // What comes before the first occurrence contains none; a letter never overlaps itself.
                if let [Piece::Word(letters)] = part.as_slice()
                    && letters.len() == 1
                {
                    facts.push(self.push_fact(found, Shape::Plain(Constraint::Member(before.clone(), re))));
                }
            }
            None => {
                let (whole, part) = (source.clone(), part.clone());
                let without = Constraint::Contains { whole, part, holds: false };
                facts.push(self.push_fact(!found, Shape::Plain(without)));
            }
        }
        let is_empty = self.is_empty(part);
        let starts = self.is_empty(&before);
        self.search.add_clause(&[!is_empty, found]);
        self.search.add_clause(&[!is_empty, starts]);
        let occurrence = Occurrence { found, before, after, facts };
        self.occurrences.insert(key, occurrence.clone());
        occurrence
    }

    /// Says by equations that `result` is the given part of `source`; the length axioms say the rest.
    pub(crate) fn define_substr(&mut self, term: Term, source: Text, start: &Linear, count: &Linear) -> Text {
        let result = vec![Piece::Var(self.new_string())];
        let [before, after] = [(); 2].map(|()| vec![Piece::Var(self.new_string())]);
        let source_length = self.length(&source);
        let conditions = [
            self.search.at_least(start, &Linear::constant(0)),
            self.search.at_most(&(start + &Linear::constant(1)), &source_length),
            self.search.at_least(count, &Linear::constant(1)),
        ];
        let inside = self.conjunction(&conditions);
        let result_length = self.length(&result);
        self.add_substr_axioms(&result_length, &source_length, start, count);
        let before_length = self.length(&before);
        let is_start = self.search.equals(&before_length, start);
        self.search.add_clause(&[!inside, is_start]);
        let around = concatenate([before, result.clone(), after]);
        self.add_fact(term, inside, Shape::Plain(Constraint::Equal(source, around)));
        result
    }

    /// The value of a search from a start position on, as a new integer.
    pub(crate) fn define_indexof(&mut self, term: Term, source: Text, part: Text, start: &Linear) -> Linear {
        let result = Linear::variable(self.search.new_int());
        let found = self.search.at_least(&result, &Linear::constant(0));
        if start.as_constant().is_some_and(Integer::is_zero) {
            let occurrence = self.occurrence(&source, &part);
            self.use_facts(term, &occurrence.facts);
            let before = self.length(&occurrence.before);
            let is_before = self.search.equals(&result, &before);
            self.search.add_clause(&[!found, occurrence.found]);
            self.search.add_clause(&[found, !occurrence.found]);
            self.search.add_clause(&[!found, is_before]);
        } else {
            let [before, after] = [(); 2].map(|()| vec![Piece::Var(self.new_string())]);
            let before_length = self.length(&before);
            let is_before = self.search.equals(&result, &before_length);
            self.search.add_clause(&[!found, is_before]);
            let around = concatenate([before, part.clone(), after]);
            self.add_fact(term, found, Shape::Plain(Constraint::Equal(source.clone(), around)));
        }
        let shape = Shape::IndexOf { result: result.clone(), source, part, start: start.clone() };
        self.add_fact(term, self.search.always(), shape);
        result
    }

    /// The value of a replacement of the first occurrence, as a new string.
    pub(crate) fn define_replace(&mut self, term: Term, source: Text, part: Text, new: Text) -> Text {
        let result = vec![Piece::Var(self.new_string())];
        let occurrence = self.occurrence(&source, &part);
        self.use_facts(term, &occurrence.facts);
        let around = concatenate([occurrence.before.clone(), new.clone(), occurrence.after.clone()]);
        self.add_fact(term, occurrence.found, Shape::Plain(Constraint::Equal(result.clone(), around)));
        let unchanged = Constraint::Equal(result.clone(), source.clone());
        self.add_fact(term, !occurrence.found, Shape::Plain(unchanged));
        let shape = Constraint::Replace { result: result.clone(), source, part, new };
        self.add_fact(term, self.search.always(), Shape::Plain(shape));
        result
    }

    /// The value of a replacement of matches of a language, as a new string.
    pub(crate) fn define_replace_regex(
        &mut self,
        term: Term,
        source: Text,
        matching: Matching,
        new: Text,
    ) -> Text {
        let is_first = matching.occurrences == Occurrences::First;
        if is_first && self.regexes.is_nullable(matching.language) {
            // The empty word at the start is the first match.
            return concatenate([new, source]);
        }
        let result = vec![Piece::Var(self.new_string())];
        let match_re = self.regexes.difference(matching.language, Re::EMPTY_WORD);
        let with = self.regexes.containing(match_re);
        let found = self.text_membership(term, source.clone(), with);
        let unchanged = Constraint::Equal(result.clone(), source.clone());
        self.add_fact(term, !found, Shape::Plain(unchanged));
        let [before, matched, after] = [(); 3].map(|()| vec![Piece::Var(self.new_string())]);
        let cut =
            Constraint::Equal(source.clone(), concatenate([before.clone(), matched.clone(), after.clone()]));
        self.add_fact(term, found, Shape::Plain(cut));
        self.add_fact(term, found, Shape::Plain(Constraint::Member(matched, match_re)));
        let rest = if is_first { after } else { vec![Piece::Var(self.new_string())] };
        let replaced = Constraint::Equal(result.clone(), concatenate([before, new.clone(), rest]));
        self.add_fact(term, found, Shape::Plain(replaced));
        let shape = Constraint::ReplaceRegex { result: result.clone(), source, matching, new };
        self.add_fact(term, self.search.always(), Shape::Plain(shape));
        result
    }

    /// The literal that a text is empty.
    fn is_empty(&mut self, text: &Text) -> Literal {
        let length = self.length(text);
        self.search.equals(&length, &Linear::constant(0))
    }
}

/// The word of a text without variables.
pub(crate) fn constant_word(text: &Text) -> Option<Vec<u32>> {
    match text.as_slice() {
        [] => Some(Vec::new()),
        [Piece::Word(word)] => Some(word.to_vec()),
        _ => None,
    }
}

/// One text after the other; neighbouring words become one.
pub(crate) fn concatenate(texts: impl IntoIterator<Item = Text>) -> Text {
    let mut whole: Text = Vec::new();
    for piece in texts.into_iter().flatten() {
        match (whole.last_mut(), &piece) {
            (Some(Piece::Word(left)), Piece::Word(right)) => {
                let joined: Vec<u32> = left.iter().chain(right.iter()).copied().collect();
                *left = joined.into();
            }
            _ => whole.push(piece),
        }
    }
    whole
}
