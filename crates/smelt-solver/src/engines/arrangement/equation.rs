//! Equations that lose their ends: what both sides begin or end with in common is taken away.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::premises::Premises;
use super::segments::Segments;
use crate::effort::{Effort, Stopped};
use crate::theory::fixed_length::{Piece, Text, Var};

/// An end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

/// One side of an equation. No word in it is empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Side(VecDeque<Piece>);

impl Side {
    /// The side that is this text.
    pub(super) fn new(text: &Text) -> Self {
        let is_there = |piece: &&Piece| !matches!(piece, Piece::Word(letters) if letters.is_empty());
        Side(text.iter().filter(is_there).cloned().collect())
    }

    /// Its pieces from front to back.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.0.iter()
    }

    /// The text that it is.
    pub(super) fn text(&self) -> Text {
        self.0.iter().cloned().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of pieces.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The variable that this is, if it is nothing else.
    pub(super) fn single_var(&self) -> Option<Var> {
        match (self.0.len(), self.0.front()) {
            (1, Some(Piece::Var(var))) => Some(*var),
            _ => None,
        }
    }

    /// The piece at an end.
    pub(super) fn outer(&self, end: End) -> Option<&Piece> {
        match end {
            End::Front => self.0.front(),
            End::Back => self.0.back(),
        }
    }

    /// Takes the piece at an end away.
    pub(super) fn pop(&mut self, end: End) {
        match end {
            End::Front => self.0.pop_front(),
            End::Back => self.0.pop_back(),
        };
    }

    /// Takes letters away from the word at an end.
    fn pop_letters(&mut self, end: End, count: usize) {
        let Some(Piece::Word(letters)) = self.outer(end) else { unreachable!("a word is at the end") };
        let rest: Option<Piece> = (letters.len() > count).then(|| match end {
            End::Front => Piece::word(&letters[count..]),
            End::Back => Piece::word(&letters[..letters.len() - count]),
        });
        self.pop(end);
        if let Some(rest) = rest {
            self.put(end, rest);
        }
    }

    fn put(&mut self, end: End, piece: Piece) {
        match end {
            End::Front => self.0.push_front(piece),
            End::Back => self.0.push_back(piece),
        }
    }

    fn put_text(&mut self, end: End, text: &Text) {
        match end {
            End::Front => text.iter().rev().for_each(|piece| self.0.push_front(piece.clone())),
            End::Back => self.0.extend(text.iter().cloned()),
        }
    }
}

/// An equation that holds under its premises.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) premises: Premises,
    /// The shapes that it had before steps that may lead back to them.
    seen: FxHashSet<Vec<u32>>,
    /// How many such steps there were.
    pub(super) overlaps: usize,
    /// It came back to a shape that it had before, or there were too many steps that may lead back.
    pub(super) is_loop: bool,
}

/// What an equation is after its ends were taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stripped {
    /// There are no words for which it holds.
    Clash,
    /// It says nothing (any more).
    Nothing,
    /// There is something left.
    Open,
}

impl Equation {
    /// The equation of two texts.
    pub(super) fn new(left: &Text, right: &Text, premises: Premises) -> Self {
        let [left, right] = [left, right].map(Side::new);
        Equation { left, right, premises, seen: FxHashSet::default(), overlaps: 0, is_loop: false }
    }

    /// Takes away what both sides have in common at both ends, and uses definitions there.
    pub(super) fn strip(
        &mut self,
        segments: &Segments<'_>,
        effort: &mut Effort,
    ) -> Result<Stripped, Stopped> {
        for end in [End::Front, End::Back] {
            if let Stripped::Clash = self.strip_end(segments, effort, end)? {
                return Ok(Stripped::Clash);
            }
        }
        Ok(if self.left.is_empty() && self.right.is_empty() { Stripped::Nothing } else { Stripped::Open })
    }

    /// The same at one end only.
    pub(super) fn strip_end(
        &mut self,
        segments: &Segments<'_>,
        effort: &mut Effort,
        end: End,
    ) -> Result<Stripped, Stopped> {
        loop {
            effort.spend(1 + self.premises.len() as u64 / 64)?;
            if self.use_definition(segments, end) {
                continue;
            }
            match (self.left.outer(end), self.right.outer(end)) {
                (Some(Piece::Var(one)), Some(Piece::Var(two))) if one == two => {
                    self.left.pop(end);
                    self.right.pop(end);
                }
                (Some(Piece::Word(one)), Some(Piece::Word(two))) => {
                    let count = one.len().min(two.len());
                    let agree = match end {
                        End::Front => one[..count] == two[..count],
                        End::Back => one[one.len() - count..] == two[two.len() - count..],
                    };
                    effort.spend((one.len() + two.len()) as u64 / 64)?;
                    if !agree {
                        return Ok(Stripped::Clash);
                    }
                    self.left.pop_letters(end, count);
                    self.right.pop_letters(end, count);
                }
                (None, None) => return Ok(Stripped::Nothing),
                _ => return Ok(Stripped::Open),
            }
        }
    }

    /// Puts the definition of a variable at an end in its place. Whether there was one.
    ///
    /// A variable of length zero is put aside by its length instead: its definition could be long.
    fn use_definition(&mut self, segments: &Segments<'_>, end: End) -> bool {
        for side in [&mut self.left, &mut self.right] {
            if let Some(&Piece::Var(var)) = side.outer(end)
                && let Some(definition) = segments.definition(var)
                && (definition.text.is_empty() || segments.value(var) != Some(0))
            {
                side.pop(end);
                side.put_text(end, &definition.text);
                self.premises.extend(&definition.premises);
                return true;
            }
        }
        false
    }

    /// Takes a variable away that is empty in the assignment, at an end. Whether there was one.
    pub(super) fn drop_empty(&mut self, segments: &mut Segments<'_>, end: End) -> bool {
        for side in [&mut self.left, &mut self.right] {
            if let Some(&Piece::Var(var)) = side.outer(end)
                && segments.value(var) == Some(0)
            {
                side.pop(end);
                segments.add_empty(&mut self.premises, var);
                return true;
            }
        }
        false
    }

    /// Remembers the shape. Whether it was there before.
    pub(super) fn was_here(&mut self, effort: &mut Effort) -> Result<bool, Stopped> {
        let shape = shape(&[(&self.left, &self.right)]);
        effort.spend(shape.len() as u64 / 16)?;
        Ok(!self.seen.insert(shape))
    }
}

/// Equations with their variables numbered in the order in which they occur: the same for systems that differ only in
/// the names of variables.
pub(super) fn shape(equations: &[(&Side, &Side)]) -> Vec<u32> {
    const VAR: u32 = 1 << 30;
    const END_OF_SIDE: u32 = u32::MAX;
    let mut names: FxHashMap<Var, u32> = FxHashMap::default();
    let mut shape = Vec::new();
    for (left, right) in equations {
        for side in [left, right] {
            for piece in side.pieces() {
                match piece {
                    Piece::Var(var) => {
                        let next = VAR + u32::try_from(names.len()).expect("fewer than 2^30 variables");
                        shape.push(*names.entry(*var).or_insert(next));
                    }
                    Piece::Word(letters) => shape.extend_from_slice(letters),
                }
            }
            shape.push(END_OF_SIDE);
        }
    }
    shape
}
