//! Where two forms of the same word differ first, read from the left or from the right.

use super::classes::{Form, Part};
use super::premises::Premises;
use crate::theory::fixed_length::{Piece, Var};

/// From where forms are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// What the comparison found. The premises say why both forms are equal to their texts up to there.
#[derive(Debug)]
pub(super) enum Difference {
    /// There is none.
    None(Premises),
    /// Letters that are not the same.
    Clash(Premises),
    /// Two variables at the same place.
    Variables(Var, Var, Premises),
    /// A variable and a word at the same place.
    Word(Var, Vec<u32>, Premises),
    /// One form ends before the other.
    End(Premises),
}

impl Difference {
    /// What the comparison rests on.
    pub(super) fn premises_mut(&mut self) -> &mut Premises {
        match self {
            Difference::None(premises)
            | Difference::Clash(premises)
            | Difference::Variables(_, _, premises)
            | Difference::Word(_, _, premises)
            | Difference::End(premises) => premises,
        }
    }
}

/// The first difference.
pub(super) fn first_difference(left: &Form, right: &Form, direction: Direction) -> Difference {
    let mut premises = Premises::default();
    let (mut left, mut right) = (Reader::new(left, direction), Reader::new(right, direction));
    loop {
        let one = left.next(&mut premises);
        let other = right.next(&mut premises);
        match (one, other) {
            (None, None) => return Difference::None(premises),
            (None, Some(_)) | (Some(_), None) => return Difference::End(premises),
            (Some(Piece::Var(one)), Some(Piece::Var(other))) => {
                if one != other {
                    return Difference::Variables(one, other, premises);
                }
            }
            (Some(Piece::Var(var)), Some(Piece::Word(word)))
            | (Some(Piece::Word(word)), Some(Piece::Var(var))) => {
                return Difference::Word(var, word.to_vec(), premises);
            }
            (Some(Piece::Word(one)), Some(Piece::Word(other))) => {
                let common = one.len().min(other.len());
                if front(&one, common, direction) != front(&other, common, direction) {
                    return Difference::Clash(premises);
                }
                left.put_back(&one, common);
                right.put_back(&other, common);
            }
        }
    }
}

/// The number of letters, from where the word is read.
pub(super) fn front(word: &[u32], count: usize, direction: Direction) -> &[u32] {
    match direction {
        Direction::Forward => &word[..count],
        Direction::Backward => &word[word.len() - count..],
    }
}

struct Reader<'f> {
    parts: Vec<&'f Part>,
    direction: Direction,
    /// What is left of a word.
    rest: Vec<u32>,
}

impl<'f> Reader<'f> {
    fn new(form: &'f Form, direction: Direction) -> Reader<'f> {
        // The next part is the last one here.
        let parts = match direction {
            Direction::Forward => form.iter().rev().collect(),
            Direction::Backward => form.iter().collect(),
        };
        Reader { parts, direction, rest: Vec::new() }
    }

    /// The next piece that is not empty.
    fn next(&mut self, premises: &mut Premises) -> Option<Piece> {
        if !self.rest.is_empty() {
            return Some(Piece::word(&std::mem::take(&mut self.rest)));
        }
        while let Some(part) = self.parts.pop() {
            premises.add(&part.because);
            if !part.is_empty() {
                return Some(part.piece.clone());
            }
        }
        None
    }

    /// Gives back what follows the first letters of a word.
    fn put_back(&mut self, word: &[u32], read: usize) {
        self.rest = match self.direction {
            Direction::Forward => word[read..].to_vec(),
            Direction::Backward => word[..word.len() - read].to_vec(),
        };
    }
}
