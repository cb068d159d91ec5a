//! Derivatives: what may follow after a first character.
//!
//! The derivative of a language by a character c is the set of all w with cw in the language. It is computed
//! bottom-up with an explicit stack and remembered per node.

use dashu_int::UBig;

use super::boolean::{Flatten, inter_operands, union_operands};
use super::{Counts, Node, Re, Regexes};
use crate::{Budget, LimitReached};

/// Cost of one derivative of one node that was not known before, with its place in the memory.
const DERIVATIVE_COST: u64 = 16;

impl Regexes {
    /// The strings w such that `character` followed by w is in the language.
    pub fn derivative(&mut self, re: Re, character: u32, budget: &mut Budget) -> Result<Re, LimitReached> {
        // Most calls repeat an earlier one, and go through here without an allocation.
        if let Some(derivative) = self.known_derivative(re, character) {
            return Ok(derivative);
        }
        let mut pending = vec![re];
        while let Some(&re) = pending.last() {
            budget.spend(1)?;
            if self.known_derivative(re, character).is_some() {
                pending.pop();
                continue;
            }
            let operands = self.operands_to_derive(re, budget)?;
            budget.spend(4 * operands.len() as u64)?;
            let unknown = |operand: &&Re| self.known_derivative(**operand, character).is_none();
            let waiting = pending.len();
            pending.extend(operands.iter().filter(unknown));
            if pending.len() > waiting {
                continue;
            }
            let mut derived = Vec::with_capacity(operands.len());
            derived.extend(operands.iter().filter_map(|&operand| self.known_derivative(operand, character)));
            budget.spend(DERIVATIVE_COST)?;
            let derivative = self.derivative_from(re, &derived, budget)?;
            self.derivatives.insert((re, character), derivative);
            pending.pop();
        }
        Ok(self.known_derivative(re, character).expect("the stack is only empty after `re` is derived"))
    }

    /// The derivative, if it is evident or remembered.
    fn known_derivative(&self, re: Re, character: u32) -> Option<Re> {
        match self.node(re) {
            Node::Epsilon => Some(Re::NONE),
            Node::Class(class) => Some(if class.contains(character) { Re::EPSILON } else { Re::NONE }),
            Node::Word { word, start } if self.word_chars(*word, *start)[0] != character => Some(Re::NONE),
            _ if re == Re::ALL => Some(Re::ALL),
            _ => self.derivatives.get(&(re, character)).copied(),
        }
    }

    /// The expressions whose derivatives [`Regexes::derivative_from`] needs.
    fn operands_to_derive(&mut self, re: Re, budget: &mut Budget) -> Result<Vec<Re>, LimitReached> {
        match *self.node(re) {
            Node::Class(_) | Node::Epsilon | Node::Word { .. } => Ok(Vec::new()),
            Node::Concat { head, tail, .. } => match self.node(head) {
                Node::Concat { .. } => Ok(vec![self.right_associated(re, budget)?]),
                _ if self.is_nullable(head) => Ok(vec![head, tail]),
                _ => Ok(vec![head]),
            },
            Node::Union(_) => self.flat_operands(&[re], union_operands, Flatten::All, budget),
            Node::Inter(_) => self.flat_operands(&[re], inter_operands, Flatten::All, budget),
            Node::Complement(operand) => Ok(vec![operand]),
            Node::Loop { body, .. } => Ok(vec![body]),
        }
    }

    /// The derivative of `re` from those of [`Regexes::operands_to_derive`].
    fn derivative_from(&mut self, re: Re, derived: &[Re], budget: &mut Budget) -> Result<Re, LimitReached> {
        match (self.node(re), derived) {
            (Node::Word { word, start }, _) => self.word_suffix(*word, *start + 1, budget),
            (&Node::Concat { tail, .. }, &[head, after_head]) => {
                let through_head = self.concat_two(head, tail, budget)?;
                self.union_of(&[through_head, after_head], Flatten::All, budget)
            }
            (Node::Concat { head, tail, .. }, &[only]) => match self.node(*head) {
                Node::Concat { .. } => Ok(only),
                _ => self.concat_two(only, *tail, budget),
            },
            (Node::Union(_), operands) => self.union_of(operands, Flatten::All, budget),
            (Node::Inter(_), operands) => self.inter_of(operands, Flatten::All, budget),
            (Node::Complement(_), &[operand]) => self.complement(operand, budget),
            (Node::Loop { body, counts }, &[first_round]) => {
                let (body, rest) = (*body, counts.one_less());
                budget.spend(rest.size())?;
                let other_rounds = self.repeat(body, rest, budget)?;
                self.concat_two(first_round, other_rounds, budget)
            }
            _ => unreachable!("the derived operands are those that the node asked for"),
        }
    }

    /// The concatenation with its factors associated to the right.
    fn right_associated(&mut self, re: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        let factors = self.factors(re, budget)?;
        self.concat(&factors, budget)
    }

    fn word_suffix(&mut self, word: u32, start: u32, budget: &mut Budget) -> Result<Re, LimitReached> {
        match *self.word_chars(word, start) {
            [character] => self.single(character, budget),
            _ => self.intern(Node::Word { word, start }, budget),
        }
    }
}

impl Counts {
    /// The counts after the first round.
    ///
    /// This is right for bodies with the empty string, too: their powers ascend, so leaving out rounds adds
    /// nothing.
    fn one_less(&self) -> Counts {
        let minus_one = |count: &UBig| if *count == UBig::ZERO { UBig::ZERO } else { count - UBig::ONE };
        Counts { min: minus_one(&self.min), max: self.max.as_ref().map(minus_one) }
    }
}
