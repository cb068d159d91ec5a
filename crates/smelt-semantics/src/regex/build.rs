//! Constructors of regular expressions, and the laws of concatenation.
//!
//! Every law preserves the language. Concatenations associate to the right. A *long* concatenation as a head
//! is not taken apart, because a left-nested input of depth n would otherwise cost n²; derivation does it
//! where needed. The laws of unions and intersections are in `boolean`, those of loops in `repeat`.

use dashu_int::UBig;

use super::boolean::Flatten;
use super::{Counts, Node, Re, Regexes};
use crate::letters::LetterSet;
use crate::string::Str;
use crate::{Budget, LimitReached};

/// Operands of the same kind are merged into their parent up to this length.
pub(super) const MAX_INLINED: usize = 32;

impl Regexes {
    /// `str.to_re`.
    pub fn to_re(&mut self, text: &Str, budget: &mut Budget) -> Result<Re, LimitReached> {
        match *text.chars() {
            [] => return Ok(Re::EPSILON),
            [character] => return self.single(character, budget),
            _ => {}
        }
        budget.spend(text.len() as u64)?;
        let too_many = |_| LimitReached;
        u32::try_from(text.len()).map_err(too_many)?;
        let word = match self.word_ids.get(text) {
            Some(&word) => word,
            None => {
                let word = u32::try_from(self.words.len()).map_err(too_many)?;
                self.words.push(text.clone());
                self.word_ids.insert(text.clone(), word);
                word
            }
        };
        self.intern(Node::Word { word, start: 0 }, budget)
    }

    /// `re.range`: empty unless both ends are single characters in order.
    pub fn range(&mut self, low: &Str, high: &Str, budget: &mut Budget) -> Result<Re, LimitReached> {
        match (low.chars(), high.chars()) {
            (&[low], &[high]) => self.intern(Node::Class(LetterSet::range(low, high)), budget),
            _ => Ok(Re::NONE),
        }
    }

    /// `re.++`.
    pub fn concat(&mut self, factors: &[Re], budget: &mut Budget) -> Result<Re, LimitReached> {
        factors.iter().rev().try_fold(Re::EPSILON, |tail, &head| self.concat_two(head, tail, budget))
    }

    /// `re.union`.
    pub fn union(&mut self, operands: &[Re], budget: &mut Budget) -> Result<Re, LimitReached> {
        self.union_of(operands, Flatten::Short, budget)
    }

    /// `re.inter`.
    pub fn inter(&mut self, operands: &[Re], budget: &mut Budget) -> Result<Re, LimitReached> {
        self.inter_of(operands, Flatten::Short, budget)
    }

    /// `re.comp`.
    pub fn complement(&mut self, re: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        let is_some_chars = |counts: &Counts| counts.min == UBig::ONE && counts.max.is_none();
        match self.node(re) {
            _ if re == Re::NONE => Ok(Re::ALL),
            _ if re == Re::ALL => Ok(Re::NONE),
            Node::Complement(inner) => Ok(*inner),
            Node::Epsilon => self.plus(Re::ALLCHAR, budget),
            Node::Loop { body: Re::ALLCHAR, counts } if is_some_chars(counts) => Ok(Re::EPSILON),
            _ => self.intern(Node::Complement(re), budget),
        }
    }

    /// `re.diff`, which associates to the left: the strings of `re` that are in none of `removed`.
    pub fn difference(&mut self, re: Re, removed: &[Re], budget: &mut Budget) -> Result<Re, LimitReached> {
        let mut operands = vec![re];
        for &removed in removed {
            operands.push(self.complement(removed, budget)?);
        }
        self.inter(&operands, budget)
    }

    /// `re.*`.
    pub fn star(&mut self, body: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        self.repeat(body, Counts { min: UBig::ZERO, max: None }, budget)
    }

    /// `re.+`.
    pub fn plus(&mut self, body: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        self.repeat(body, Counts { min: UBig::ONE, max: None }, budget)
    }

    /// `re.opt`.
    pub fn optional(&mut self, body: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        self.union(&[Re::EPSILON, body], budget)
    }

    /// `(_ re.^ n)`.
    pub fn power(&mut self, body: Re, count: &UBig, budget: &mut Budget) -> Result<Re, LimitReached> {
        self.repeat_between(body, count, count, budget)
    }

    /// `(_ re.loop min max)`: empty if `min` is above `max`.
    pub fn repeat_between(
        &mut self,
        body: Re,
        min: &UBig,
        max: &UBig,
        budget: &mut Budget,
    ) -> Result<Re, LimitReached> {
        budget.spend((min.as_words().len() + max.as_words().len()) as u64)?;
        self.repeat(body, Counts { min: min.clone(), max: Some(max.clone()) }, budget)
    }

    /// The language of one string of one character.
    pub(super) fn single(&mut self, character: u32, budget: &mut Budget) -> Result<Re, LimitReached> {
        self.intern(Node::Class(LetterSet::range(character, character)), budget)
    }

    pub(super) fn concat_two(&mut self, head: Re, tail: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        match self.node(head) {
            Node::Concat { factor_count, .. } if *factor_count as usize <= MAX_INLINED => {
                let factors = self.factors(head, budget)?;
                factors.into_iter().rev().try_fold(tail, |tail, factor| self.prepend(factor, tail, budget))
            }
            _ => self.prepend(head, tail, budget),
        }
    }

    /// All factors of a concatenation, however it is nested.
    pub(super) fn factors(&self, re: Re, budget: &mut Budget) -> Result<Vec<Re>, LimitReached> {
        let mut factors = Vec::new();
        let mut pending = vec![re];
        while let Some(re) = pending.pop() {
            budget.spend(1)?;
            match *self.node(re) {
                Node::Concat { head, tail, .. } => pending.extend([tail, head]),
                _ => factors.push(re),
            }
        }
        Ok(factors)
    }

    /// Concatenation with a head that is not taken apart.
    fn prepend(&mut self, mut head: Re, mut tail: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        loop {
            budget.spend(1)?;
            if head == Re::NONE || tail == Re::NONE {
                return Ok(Re::NONE);
            }
            if head == Re::EPSILON {
                return Ok(tail);
            }
            let (first, rest) = match *self.node(tail) {
                Node::Epsilon => return Ok(head),
                Node::Concat { head, tail, .. } => (head, tail),
                _ => (tail, Re::EPSILON),
            };
            if first == Re::ALL && self.is_nullable(head) {
                return Ok(tail);
            }
            if head == Re::ALL && self.is_nullable(first) {
                tail = rest;
            } else if let Some((body, counts)) = self.joined_loops(head, first, budget)? {
                head = self.repeat(body, counts, budget)?;
                tail = rest;
            } else {
                let factor_count = self.factor_count(head).saturating_add(self.factor_count(tail));
                return self.intern(Node::Concat { head, tail, factor_count }, budget);
            }
        }
    }

    fn factor_count(&self, re: Re) -> u32 {
        match *self.node(re) {
            Node::Concat { factor_count, .. } => factor_count,
            _ => 1,
        }
    }
}
