//! Classes of string variables that are equal under an assignment, with explanations.
//!
//! Variables are united by equations between them, by equations with words, and by length zero with the empty word.
//! An equation whose other parts are known counts, too, so that constants travel through concatenations, and a
//! variable inside of its own concatenation is equal to it as soon as the rest is empty, which the lengths see to.
//! Every union remembers its premises; an explanation is the way from one member to the other.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::premises::Premises;
use crate::effort::{Effort, Stopped};
use crate::engines::abstraction::Abstraction;
use crate::engines::abstraction::facts::Shape;
use crate::engines::abstraction::rounds::Round;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Piece, Text, Var};

/// Passes over all equations; more are not worth their time.
const MAX_PASSES: usize = 12;

/// One part of a text with what was used to find it. Parts that are empty are kept for what they rest on.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) piece: Piece,
    pub(super) because: Premises,
}

impl Part {
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.piece, Piece::Word(word) if word.is_empty())
    }
}

/// A text whose parts are known to be equal to the parts of another one.
pub(super) type Form = Vec<Part>;

/// What a form is if it is short.
enum Single {
    Word(Vec<u32>),
    Var(Var),
    Other,
}

/// Why there are no classes.
pub(super) enum NoClasses {
    /// These premises contradict each other.
    Contradiction(Premises),
    /// The effort is spent, or the interrupt flag was set.
    Stopped(Stopped),
}

impl From<Premises> for NoClasses {
    fn from(premises: Premises) -> Self {
        NoClasses::Contradiction(premises)
    }
}

impl From<Stopped> for NoClasses {
    fn from(stopped: Stopped) -> Self {
        NoClasses::Stopped(stopped)
    }
}

/// The classes of one assignment.
pub(super) struct Classes {
    /// Variables and words that occur, with their numbers.
    numbers: FxHashMap<Piece, usize>,
    pieces: Vec<Piece>,
    /// The way to another member of the class, and why they are equal. Ways have no cycles.
    parents: Vec<Option<(usize, Premises)>>,
    /// The number that stands for the class.
    roots: Vec<usize>,
    /// The members of a class, at its root.
    members: Vec<Vec<usize>>,
}

impl Classes {
    /// The classes of the facts that matter.
    pub(super) fn of(
        effort: &mut Effort,
        abstraction: &mut Abstraction,
        round: &Round,
    ) -> Result<Classes, NoClasses> {
        let mut classes = Classes {
            numbers: FxHashMap::default(),
            pieces: Vec::new(),
            parents: Vec::new(),
            roots: Vec::new(),
            members: Vec::new(),
        };
        classes.unite_empty(abstraction, round)?;
        let equations = equations(abstraction, &round.facts);
        let pieces: usize = equations.iter().map(|(_, left, right)| left.len() + right.len()).sum();
        for _ in 0..MAX_PASSES {
            effort.spend(1 + pieces as u64 / 4)?;
            if !classes.unite_equations(abstraction, &equations)? {
                break;
            }
        }
        Ok(classes)
    }

    fn unite_empty(&mut self, abstraction: &mut Abstraction, round: &Round) -> Result<(), Premises> {
        let mut seen: FxHashSet<Var> = FxHashSet::default();
        let facts = round.facts.iter().map(|position| &abstraction.facts[*position]);
        let mut vars: Vec<Var> = facts.flat_map(|fact| fact.shape.vars().collect::<Vec<_>>()).collect();
        vars.retain(|var| seen.insert(*var));
        for var in vars {
            let length = abstraction.lengths[var as usize];
            if round.assignment.integer(length).is_zero() {
                let is_empty = abstraction.search.equals(&Linear::variable(length), &Linear::constant(0));
                self.unite(Piece::Var(var), Piece::word(&[]), Premises::of(is_empty))?;
            }
        }
        Ok(())
    }

    /// Unites the sides of equations that have become short enough. Whether there were any.
    fn unite_equations(
        &mut self,
        abstraction: &Abstraction,
        equations: &[(usize, Text, Text)],
    ) -> Result<bool, Premises> {
        let mut is_new = false;
        for (position, left, right) in equations {
            let guard = Premises::of(abstraction.facts[*position].guard);
            let (left, right) = (self.flat(left), self.flat(right));
            let because = left.iter().chain(&right).fold(guard, |because, part| because.and(&part.because));
            let (one, other) = match (single(&left), single(&right)) {
                (Single::Word(one), Single::Word(other)) => {
                    if one != other {
                        return Err(because);
                    }
                    continue;
                }
                (Single::Var(var), Single::Word(word)) | (Single::Word(word), Single::Var(var)) => {
                    (Piece::Var(var), Piece::word(&word))
                }
                (Single::Var(one), Single::Var(other)) => (Piece::Var(one), Piece::Var(other)),
                _ => continue,
            };
            is_new |= self.unite(one, other, because)?;
        }
        Ok(is_new)
    }

    /// Unites two pieces. Whether they were not before; the premises of a contradiction if two words became equal.
    fn unite(&mut self, one: Piece, other: Piece, because: Premises) -> Result<bool, Premises> {
        let (one, other) = (self.number(one), self.number(other));
        let (from, to) = (self.roots[one], self.roots[other]);
        if from == to {
            return Ok(false);
        }
        self.reverse_way(one);
        self.parents[one] = Some((other, because));
        let moved = std::mem::take(&mut self.members[from]);
        for member in &moved {
            self.roots[*member] = to;
        }
        self.members[to].extend(moved);
        let mut words =
            self.members[to].iter().filter(|member| matches!(self.pieces[**member], Piece::Word(_)));
        if let (Some(one), Some(other)) = (words.next(), words.next()) {
            return Err(self.way(*one, *other));
        }
        Ok(true)
    }

    fn number(&mut self, piece: Piece) -> usize {
        if let Some(number) = self.numbers.get(&piece) {
            return *number;
        }
        let number = self.pieces.len();
        self.numbers.insert(piece.clone(), number);
        self.pieces.push(piece);
        self.parents.push(None);
        self.roots.push(number);
        self.members.push(vec![number]);
        number
    }

    /// Turns the way from a member around, so that it ends there.
    fn reverse_way(&mut self, start: usize) {
        let mut from = start;
        let mut step = self.parents[from].take();
        while let Some((to, because)) = step {
            step = self.parents[to].replace((from, because));
            from = to;
        }
    }

    /// Why two members of a class are equal.
    fn way(&self, one: usize, other: usize) -> Premises {
        let ancestors = |start: usize| {
            let mut on_the_way = vec![start];
            let mut at = start;
            while let Some((to, _)) = &self.parents[at] {
                on_the_way.push(*to);
                at = *to;
            }
            on_the_way
        };
        let (mut left, mut right) = (ancestors(one), ancestors(other));
        // What both have in common is not needed, except for the place where they meet.
        while left.len() > 1 && right.len() > 1 && left[left.len() - 2] == right[right.len() - 2] {
            left.pop();
            right.pop();
        }
        let meeting = left.last().copied();
        let mut premises = Premises::default();
        for at in left.into_iter().chain(right) {
            if Some(at) != meeting
                && let Some((_, because)) = &self.parents[at]
            {
                premises.add(because);
            }
        }
        premises
    }

    /// What stands for a variable: the word of its class, or else its first variable; and why.
    pub(super) fn value(&self, var: Var) -> Part {
        let piece = Piece::Var(var);
        let Some(number) = self.numbers.get(&piece) else {
            return Part { piece, because: Premises::default() };
        };
        let members = &self.members[self.roots[*number]];
        let word = members.iter().find(|member| matches!(self.pieces[**member], Piece::Word(_)));
        let first = || {
            members
                .iter()
                .min_by_key(|member| match &self.pieces[**member] {
                    Piece::Var(var) => *var,
                    Piece::Word(_) => Var::MAX,
                })
                .expect("a class has members")
        };
        let chosen = *word.unwrap_or_else(first);
        Part { piece: self.pieces[chosen].clone(), because: self.way(*number, chosen) }
    }

    /// A text with its variables replaced by what stands for them.
    pub(super) fn flat(&self, text: &Text) -> Form {
        text.iter()
            .map(|piece| match piece {
                Piece::Var(var) => self.value(*var),
                Piece::Word(_) => Part { piece: piece.clone(), because: Premises::default() },
            })
            .collect()
    }
}

/// The equations among facts: their positions and their sides.
pub(super) fn equations(abstraction: &Abstraction, facts: &[usize]) -> Vec<(usize, Text, Text)> {
    let sides = |position: &usize| match &abstraction.facts[*position].shape {
        Shape::Plain(Constraint::Equal(left, right)) => Some((*position, left.clone(), right.clone())),
        _ => None,
    };
    facts.iter().filter_map(sides).collect()
}

/// The text of a form, without what is empty; neighbouring words become one.
pub(super) fn text_of(form: &Form) -> Text {
    let mut text: Text = Vec::new();
    for part in form.iter().filter(|part| !part.is_empty()) {
        match (text.last_mut(), &part.piece) {
            (Some(Piece::Word(left)), Piece::Word(right)) => {
                let joined: Arc<[u32]> = left.iter().chain(right.iter()).copied().collect();
                *left = joined;
            }
            _ => text.push(part.piece.clone()),
        }
    }
    text
}

/// Everything that a form rests on.
pub(super) fn premises_of(form: &Form) -> Premises {
    form.iter().fold(Premises::default(), |premises, part| premises.and(&part.because))
}

fn single(form: &Form) -> Single {
    match text_of(form).as_slice() {
        [] => Single::Word(Vec::new()),
        [Piece::Word(word)] => Single::Word(word.to_vec()),
        [Piece::Var(var)] => Single::Var(*var),
        _ => Single::Other,
    }
}
