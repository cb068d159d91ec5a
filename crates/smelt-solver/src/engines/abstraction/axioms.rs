//! What string constraints say about lengths and integers alone.
//!
//! Every clause added here is implied by the constraint under its guard, so the abstraction never loses a model.
//! Functions are total: their constraints define a fresh variable and need no guard.

use std::sync::Arc;

use smelt_semantics::Budget;
use smelt_semantics::string::MAX_CHAR;

use super::Abstraction;
use super::facts::Shape;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Text};
use crate::theory::number::Integer;
use crate::theory::regex::Re;
use crate::theory::regex::lengths::LengthSet;
use crate::theory::search::Literal;

/// Budget for the lengths of one language.
const LENGTHS_BUDGET: u64 = 20_000_000;
/// Sets with more single lengths or residues are replaced by their bounds.
const MAX_CASES: usize = 40;
/// Powers of ten that tie numbers to the lengths of their numerals.
const POWERS: u32 = 9;

impl Abstraction {
    /// Adds what the constraint implies about lengths and integers whenever the guard holds.
    pub(crate) fn add_length_axioms(&mut self, guard: Literal, shape: &Shape) {
        match shape {
            Shape::Plain(constraint) => self.add_plain_axioms(guard, constraint),
            Shape::IndexOf { result, source, part, start } => {
                let [source, part] = [source, part].map(|text| self.length(text));
                self.add_indexof_axioms(result, &source, &part, start);
            }
            Shape::ToCode { code, text } => {
                let length = self.length(text);
                let is_letter = self.search.equals(&length, &one());
                let is_code = self.search.at_least(code, &zero());
                self.search.add_clause(&[!is_letter, is_code]);
                self.search.add_clause(&[is_letter, !is_code]);
                self.bound(code, -1, Some(i64::from(MAX_CHAR)));
            }
            Shape::FromCode { result, code } => {
                let length = self.length(result);
                let is_letter = self.search.equals(&length, &one());
                let is_empty = self.search.equals(&length, &zero());
                let is_low = self.search.at_most(code, &Linear::constant(-1));
                let is_high = self.search.at_least(code, &Linear::constant(i64::from(MAX_CHAR) + 1));
                self.search.add_clause(&[is_letter, is_low, is_high]);
                self.search.add_clause(&[is_empty, !is_low]);
                self.search.add_clause(&[is_empty, !is_high]);
            }
            Shape::ToInt { value, text } => {
                let length = self.length(text);
                self.bound(value, -1, None);
                let is_empty = self.search.equals(&length, &zero());
                let is_none = self.search.equals(value, &Linear::constant(-1));
                self.search.add_clause(&[!is_empty, is_none]);
                self.add_powers(value, &length, false);
            }
            Shape::FromInt { result, value } => {
                let length = self.length(result);
                let is_empty = self.search.equals(&length, &zero());
                let is_negative = self.search.at_most(value, &Linear::constant(-1));
                self.search.add_clause(&[!is_empty, is_negative]);
                self.search.add_clause(&[is_empty, !is_negative]);
                self.add_powers(value, &length, true);
            }
        }
    }

    fn add_plain_axioms(&mut self, guard: Literal, constraint: &Constraint) {
        match constraint {
            Constraint::Equal(left, right) => {
                let same = self.equal_lengths(left, right);
                self.search.add_clause(&[!guard, same]);
            }
            Constraint::Different(left, right) => {
                let sum = &self.length(left) + &self.length(right);
                let not_empty = self.search.at_least(&sum, &one());
                self.search.add_clause(&[!guard, not_empty]);
            }
            Constraint::Member(text, re) => self.add_language_lengths(&[guard], text, *re),
            Constraint::Prefix { part, whole, holds }
            | Constraint::Suffix { part, whole, holds }
            | Constraint::Contains { whole, part, holds } => {
                let [part, whole] = [part, whole].map(|text| self.length(text));
                let literal = if *holds {
                    self.search.at_most(&part, &whole)
                } else {
                    self.search.at_least(&part, &one())
                };
                self.search.add_clause(&[!guard, literal]);
            }
            Constraint::Less { left, right, or_equal } => {
                let [left, right] = [left, right].map(|text| self.length(text));
                let mut clause = vec![!guard, self.search.at_least(&right, &one())];
                if *or_equal {
                    clause.push(self.search.equals(&left, &zero()));
                }
                self.search.add_clause(&clause);
            }
            Constraint::Replace { result, source, part, new } => {
                let [result, source, part, new] = [result, source, part, new].map(|text| self.length(text));
                let is_same = self.search.equals(&result, &source);
                let replaced = &(&source - &part) + &new;
                let is_replaced = self.search.equals(&result, &replaced);
                let fits = self.search.at_most(&part, &source);
                let is_empty = self.search.equals(&part, &zero());
                self.search.add_clause(&[is_same, is_replaced]);
                self.search.add_clause(&[is_same, fits]);
                self.search.add_clause(&[!is_empty, is_replaced]);
            }
            Constraint::ReplaceAll { result, source, part, new } => {
                let [result, source, part, new] = [result, source, part, new].map(|text| self.length(text));
                self.add_replace_all_axioms(&result, &source, &part, &new);
            }
            _ => {}
        }
    }

    fn add_replace_all_axioms(&mut self, result: &Linear, source: &Linear, part: &Linear, new: &Linear) {
        let is_same = self.search.equals(result, source);
        let is_empty = self.search.equals(part, &zero());
        let fits = self.search.at_most(part, source);
        let keeps_length = self.search.equals(part, new);
        self.search.add_clause(&[!is_empty, is_same]);
        self.search.add_clause(&[fits, is_same]);
        self.search.add_clause(&[!keeps_length, is_same]);
        let [no_growth, no_shrinking] = [self.search.at_least(part, new), self.search.at_most(part, new)];
        let [at_most, at_least] = [self.search.at_most(result, source), self.search.at_least(result, source)];
        self.search.add_clause(&[is_empty, !no_growth, at_most]);
        self.search.add_clause(&[!no_shrinking, at_least]);
        if let (Some(part), Some(new)) = (part.as_constant(), new.as_constant())
            && part.is_positive()
        {
            // Every occurrence changes the length by the same amount and takes its place in the source.
            let count = Linear::variable(self.search.new_int());
            let gain = new - part;
            let changed = source + &count.scaled(&gain);
            let literals = [
                self.search.at_least(&count, &zero()),
                self.search.at_most(&count.scaled(part), source),
                self.search.equals(result, &changed),
            ];
            for literal in literals {
                self.search.add_clause(&[literal]);
            }
        }
    }

    pub(crate) fn add_substr_axioms(
        &mut self,
        result: &Linear,
        source: &Linear,
        start: &Linear,
        count: &Linear,
    ) {
        let rest = source - start;
        let starts_inside = self.search.at_least(start, &zero());
        let ends_inside = self.search.at_least(&rest, &one());
        let counts = self.search.at_least(count, &one());
        let is_empty = self.search.equals(result, &zero());
        for condition in [starts_inside, ends_inside, counts] {
            self.search.add_clause(&[condition, is_empty]);
        }
        let outside = [!starts_inside, !ends_inside, !counts];
        let literals = [self.search.at_most(result, count), self.search.at_most(result, &rest)];
        for literal in literals {
            self.search.add_clause(&[outside[0], outside[1], outside[2], literal]);
        }
        let takes_count = self.search.at_least(result, count);
        let takes_rest = self.search.at_least(result, &rest);
        self.search.add_clause(&[outside[0], outside[1], outside[2], takes_count, takes_rest]);
        let shorter = self.search.at_most(result, source);
        self.search.add_clause(&[shorter]);
    }

    fn add_indexof_axioms(&mut self, result: &Linear, source: &Linear, part: &Linear, start: &Linear) {
        self.bound(result, -1, None);
        let found = self.search.at_least(result, &zero());
        let after_start = self.search.at_least(result, start);
        let fits = self.search.at_most(&(result + part), source);
        self.search.add_clause(&[!found, after_start]);
        self.search.add_clause(&[!found, fits]);
        let starts_inside = self.search.at_least(start, &zero());
        let ends_inside = self.search.at_most(start, source);
        self.search.add_clause(&[!found, starts_inside]);
        self.search.add_clause(&[!found, ends_inside]);
        let is_empty = self.search.equals(part, &zero());
        let at_start = self.search.equals(result, start);
        self.search.add_clause(&[!is_empty, !starts_inside, !ends_inside, at_start]);
    }

    /// Ties a number to the length of a numeral; `is_shortest` if the numeral has no leading zeros.
    fn add_powers(&mut self, value: &Linear, length: &Linear, is_shortest: bool) {
        let mut power = Integer::ONE;
        for digits in 1..=POWERS {
            power = &power * &Integer::from(10);
            let is_short = self.search.at_most(length, &Linear::constant(i64::from(digits)));
            let is_small = self.search.at_most(value, &Linear::constant(&power - &Integer::ONE));
            self.search.add_clause(&[!is_short, is_small]);
            if is_shortest {
                self.search.add_clause(&[is_short, !is_small]);
            }
        }
    }

    fn bound(&mut self, integer: &Linear, least: i64, most: Option<i64>) {
        let literal = self.search.at_least(integer, &Linear::constant(least));
        self.search.add_clause(&[literal]);
        if let Some(most) = most {
            let literal = self.search.at_most(integer, &Linear::constant(most));
            self.search.add_clause(&[literal]);
        }
    }

    fn equal_lengths(&mut self, left: &Text, right: &Text) -> Literal {
        let [left, right] = [left, right].map(|text| self.length(text));
        self.search.equals(&left, &right)
    }

    /// Says that the length of a text is one of its language, if all guards hold.
    pub(crate) fn add_language_lengths(&mut self, guards: &[Literal], text: &Text, re: Re) {
        let lengths = self.lengths_of_language(re);
        self.add_length_set(guards, text, &lengths);
    }

    /// The lengths of the words of a language. What is too large to be unrolled is tried once only.
    pub(crate) fn lengths_of_language(&mut self, re: Re) -> Arc<LengthSet> {
        let regexes = &mut self.regexes;
        let lengths = self.language_lengths.entry(re);
        lengths.or_insert_with(|| Arc::new(regexes.lengths(re, &mut Budget::new(LENGTHS_BUDGET)))).clone()
    }

    /// Says that the length of a text is in a set, if all guards hold.
    pub(crate) fn add_length_set(&mut self, guards: &[Literal], text: &Text, lengths: &LengthSet) {
        let length = self.length(text);
        let mut clause: Vec<Literal> = guards.iter().map(|guard| !*guard).collect();
        if lengths.is_empty() {
            self.search.add_clause(&clause);
            return;
        }
        if lengths.single.len() + lengths.residues.len() > MAX_CASES {
            self.add_length_bounds(&clause, &length, lengths);
            return;
        }
        for single in &lengths.single {
            clause.push(self.search.equals(&length, &Linear::constant(Integer::from(*single))));
        }
        for residue in &lengths.residues {
            let first = Integer::from(lengths.start) + Integer::from(*residue);
            let is_case = if lengths.period == 1 {
                self.search.at_least(&length, &Linear::constant(first))
            } else {
                let rounds = Linear::variable(self.search.new_int());
                let not_negative = self.search.at_least(&rounds, &zero());
                self.search.add_clause(&[not_negative]);
                let reached = &rounds.scaled(&Integer::from(lengths.period)) + &Linear::constant(first);
                self.search.equals(&length, &reached)
            };
            let is_case = match lengths.max {
                None => is_case,
                Some(max) => {
                    let within = self.search.at_most(&length, &Linear::constant(Integer::from(max)));
                    let both = self.search.new_bool();
                    self.search.add_clause(&[!both, is_case]);
                    self.search.add_clause(&[!both, within]);
                    both
                }
            };
            clause.push(is_case);
        }
        self.search.add_clause(&clause);
    }

    fn add_length_bounds(&mut self, refuted: &[Literal], length: &Linear, lengths: &LengthSet) {
        let mut bounds = Vec::new();
        if let Some(min) = lengths.min() {
            bounds.push(self.search.at_least(length, &Linear::constant(Integer::from(min))));
        }
        let most = if lengths.residues.is_empty() { lengths.single.last().copied() } else { lengths.max };
        if let Some(most) = most {
            bounds.push(self.search.at_most(length, &Linear::constant(Integer::from(most))));
        }
        for bound in bounds {
            let mut clause = refuted.to_vec();
            clause.push(bound);
            self.search.add_clause(&clause);
        }
    }
}

fn zero() -> Linear {
    Linear::constant(0)
}

fn one() -> Linear {
    Linear::constant(1)
}
