//! Clauses that inferences become, and fresh variables by what they mean.
//!
//! A fresh variable is a definition: whatever the other variables are, it has a value that makes all clauses about it
//! true. It is made once for each meaning, so that the same inference under another assignment says something about
//! the same variable.

use rustc_hash::{FxHashMap, FxHashSet};

use super::compare::{Difference, Direction, front};
use super::memberships::{Membership, define_cuts};
use super::premises::Premises;
use crate::engines::abstraction::Abstraction;
use crate::engines::abstraction::facts::Shape;
use crate::theory::arith::Linear;
use crate::theory::fixed_length::{Constraint, Piece, Var};
use crate::theory::search::{Assignment, Literal};

/// What was said so far.
#[derive(Default)]
pub(super) struct Lemmas {
    sent: FxHashSet<Vec<Literal>>,
    /// What follows a piece at the start of a variable, or comes before it at the end, if it is there.
    rests: FxHashMap<(Direction, Piece, Var), Var>,
    /// Memberships that were made here. The literal implies the membership.
    memberships: FxHashMap<Membership, Literal>,
    /// Literals that imply that the parts of a text are in the parts of a language; none if there are too many ways.
    cuts: FxHashMap<Membership, Option<Literal>>,
}

/// A variable and a word at the same place of two forms of one word, and why they are there.
struct VarAtWord<'w> {
    var: Var,
    word: &'w [u32],
    premises: Premises,
}

impl Lemmas {
    /// Says that one of the conclusions follows. False if that is nothing new under the assignment.
    pub(super) fn send(
        &mut self,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        premises: &Premises,
        conclusions: &[Literal],
    ) -> bool {
        if conclusions.iter().any(|literal| assignment.decides(*literal) == Some(true)) {
            return false;
        }
        let clause = premises.imply(conclusions);
        if !self.sent.insert(clause.clone()) {
            return false;
        }
        abstraction.search.add_clause(&clause);
        true
    }

    /// Says what follows from the first difference of two forms of one word.
    pub(super) fn unify(
        &mut self,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        difference: Difference,
        direction: Direction,
    ) -> bool {
        match difference {
            Difference::None(_) | Difference::End(_) => false,
            Difference::Clash(premises) => self.send(abstraction, assignment, &premises, &[]),
            Difference::Variables(one, other, premises) => {
                self.unify_variables(abstraction, assignment, [one, other], premises, direction)
            }
            Difference::Word(var, word, premises) => {
                self.unify_word(abstraction, assignment, VarAtWord { var, word: &word, premises }, direction)
            }
        }
    }

    /// Of two variables at the same end of a word one is at the end of the other; their lengths say which.
    fn unify_variables(
        &mut self,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        vars: [Var; 2],
        mut premises: Premises,
        direction: Direction,
    ) -> bool {
        let [one, other] = vars;
        let [one_length, other_length] = vars.map(|var| Linear::variable(abstraction.lengths[var as usize]));
        let (one_value, other_value) = (assignment.value(&one_length), assignment.value(&other_length));
        if one_value == other_value {
            premises.push(abstraction.search.equals(&one_length, &other_length));
            let equal = abstraction.derived_equation(vec![Piece::Var(one)], vec![Piece::Var(other)]);
            return self.send(abstraction, assignment, &premises, &[equal]);
        }
        if one_value > other_value {
            return self.unify_variables(abstraction, assignment, [other, one], premises, direction);
        }
        premises.push(abstraction.search.at_most(&one_length, &other_length));
        let equal = self.continues(abstraction, Piece::Var(one), other, direction);
        self.send(abstraction, assignment, &premises, &[equal])
    }

    /// A variable and a word at the same end of a word: one is at the end of the other.
    fn unify_word(
        &mut self,
        abstraction: &mut Abstraction,
        assignment: &Assignment,
        difference: VarAtWord<'_>,
        direction: Direction,
    ) -> bool {
        let VarAtWord { var, word, mut premises } = difference;
        let length = Linear::variable(abstraction.lengths[var as usize]);
        let value = assignment.value(&length);
        let shorter = value.to_usize().filter(|value| *value < word.len());
        let equal = match shorter {
            Some(count) => {
                premises.push(abstraction.search.equals(&length, &Linear::constant(value)));
                let part = front(word, count, direction);
                let part = if part.is_empty() { Vec::new() } else { vec![Piece::word(part)] };
                abstraction.derived_equation(vec![Piece::Var(var)], part)
            }
            None => {
                let word_length = Linear::constant(crate::theory::number::Integer::from(word.len()));
                premises.push(abstraction.search.at_least(&length, &word_length));
                self.continues(abstraction, Piece::word(word), var, direction)
            }
        };
        self.send(abstraction, assignment, &premises, &[equal])
    }

    /// The literal that a variable is a piece and something more.
    fn continues(
        &mut self,
        abstraction: &mut Abstraction,
        piece: Piece,
        whole: Var,
        direction: Direction,
    ) -> Literal {
        let key = (direction, piece.clone(), whole);
        let rest = *self.rests.entry(key).or_insert_with(|| abstraction.new_string());
        let parts = match direction {
            Direction::Forward => vec![piece, Piece::Var(rest)],
            Direction::Backward => vec![Piece::Var(rest), piece],
        };
        abstraction.derived_equation(vec![Piece::Var(whole)], parts)
    }

    /// A literal that implies that the word is in the language.
    pub(super) fn membership(&mut self, abstraction: &mut Abstraction, membership: Membership) -> Literal {
        if let Some(literal) = self.memberships.get(&membership) {
            return *literal;
        }
        let literal = abstraction.search.new_bool();
        let constraint = Constraint::Member(membership.text.clone(), membership.re);
        abstraction.derive_fact(literal, Shape::Plain(constraint));
        self.memberships.insert(membership, literal);
        literal
    }

    /// A literal that implies that the pieces of a text are in parts of the language; none if there are too many ways.
    pub(super) fn is_cut(
        &mut self,
        abstraction: &mut Abstraction,
        membership: Membership,
    ) -> Option<Literal> {
        if let Some(known) = self.cuts.get(&membership) {
            return *known;
        }
        let literal = abstraction.search.new_bool();
        let cut = define_cuts(abstraction, self, literal, &membership).then_some(literal);
        self.cuts.insert(membership, cut);
        cut
    }
}
