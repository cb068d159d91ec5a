//! The laws of unions and intersections.
//!
//! Operands are flat, sorted and free of repetitions; sets of characters are merged into one. That unions and
//! intersections do not depend on the order and repetition of their operands is what makes the derivatives of
//! an expression finitely many. The constructors of the input keep a *long* operand of the same kind whole,
//! because a nested input of depth n would otherwise cost n²; derivation flattens everything.

use rustc_hash::FxHashSet;

use super::build::MAX_INLINED;
use super::{Node, Re, Regexes};
use crate::letters::LetterSet;
use crate::{Budget, LimitReached};

/// Cost of one operand of a union or intersection in normalisation.
const OPERAND_COST: u64 = 8;

/// Which operands of the same kind are merged into their parent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flatten {
    Short,
    All,
}

impl Regexes {
    /// The union of the operands, in normal form.
    pub(super) fn union_of(
        &mut self,
        operands: &[Re],
        flatten: Flatten,
        budget: &mut Budget,
    ) -> Result<Re, LimitReached> {
        let operands = self.flat_operands(operands, union_operands, flatten, budget)?;
        let operands = self.merge_loops(operands, budget)?;
        let mut ranges = Vec::new();
        let mut classes = Vec::new();
        let mut others = Vec::new();
        for re in operands {
            match self.node(re) {
                _ if re == Re::ALL => return Ok(Re::ALL),
                Node::Class(class) => {
                    budget.spend(class.intervals().len() as u64)?;
                    ranges.extend_from_slice(class.intervals());
                    classes.push(re);
                }
                _ => others.push(re),
            }
        }
        let covers_epsilon = |re: Re| re != Re::EPSILON && self.is_nullable(re);
        if others.iter().any(|&re| covers_epsilon(re)) {
            others.retain(|&re| re != Re::EPSILON);
        }
        match *classes {
            [] | [Re::NONE] => {}
            [only] => others.push(only),
            _ => {
                let class = self.intern(Node::Class(LetterSet::from_intervals(ranges)), budget)?;
                others.extend((class != Re::NONE).then_some(class));
            }
        }
        others.sort_unstable();
        others.dedup();
        if self.has_opposites(&others) {
            return Ok(Re::ALL);
        }
        match *others {
            [] => Ok(Re::NONE),
            [only] => Ok(only),
            _ => self.intern(Node::Union(others.into()), budget),
        }
    }

    /// The intersection of the operands, in normal form.
    pub(super) fn inter_of(
        &mut self,
        operands: &[Re],
        flatten: Flatten,
        budget: &mut Budget,
    ) -> Result<Re, LimitReached> {
        let operands = self.flat_operands(operands, inter_operands, flatten, budget)?;
        if operands.contains(&Re::EPSILON) {
            let all_nullable = operands.iter().all(|&re| self.is_nullable(re));
            return Ok(if all_nullable { Re::EPSILON } else { Re::NONE });
        }
        let is_class = |re: &Re| matches!(self.node(*re), Node::Class(_));
        let has_class = operands.iter().any(is_class);
        let mut class = LetterSet::full();
        let mut others = Vec::new();
        for re in operands {
            let narrower = match self.node(re) {
                Node::Class(other) => Some(other.clone()),
                Node::Word { .. } if has_class => Some(LetterSet::empty()),
                Node::Complement(inner) if has_class => match self.node(*inner) {
                    Node::Class(other) => Some(other.complement()),
                    _ => None,
                },
                _ => None,
            };
            match narrower {
                Some(other) => {
                    budget.spend((class.intervals().len() + 2 * other.intervals().len()) as u64)?;
                    class = class.intersect(&other);
                }
                None if re == Re::ALL => {}
                None => others.push(re),
            }
        }
        if class.is_empty() {
            return Ok(Re::NONE);
        }
        if has_class {
            others.push(self.intern(Node::Class(class), budget)?);
        }
        others.sort_unstable();
        others.dedup();
        if self.has_opposites(&others) {
            return Ok(Re::NONE);
        }
        match *others {
            [] => Ok(Re::ALL),
            [only] => Ok(only),
            _ => self.intern(Node::Inter(others.into()), budget),
        }
    }

    /// The operands, with those of operands of the same kind in their place.
    pub(super) fn flat_operands(
        &self,
        operands: &[Re],
        same_kind: fn(&Node) -> Option<&[Re]>,
        flatten: Flatten,
        budget: &mut Budget,
    ) -> Result<Vec<Re>, LimitReached> {
        let mut leaves = Vec::new();
        // A shared operand is entered once, or the walk would be exponential in the depth.
        let mut entered = FxHashSet::default();
        let mut pending = vec![operands.iter()];
        while let Some(siblings) = pending.last_mut() {
            let Some(&re) = siblings.next() else {
                pending.pop();
                continue;
            };
            budget.spend(OPERAND_COST)?;
            match same_kind(self.node(re)) {
                Some(nested) if flatten == Flatten::All || nested.len() <= MAX_INLINED => {
                    if entered.insert(re) {
                        pending.push(nested.iter());
                    }
                }
                _ => leaves.push(re),
            }
        }
        Ok(leaves)
    }

    /// Whether some operand is the complement of another. The operands are sorted.
    fn has_opposites(&self, operands: &[Re]) -> bool {
        operands.iter().any(|&re| match self.node(re) {
            Node::Complement(inner) => operands.binary_search(inner).is_ok(),
            _ => false,
        })
    }
}

pub(super) fn union_operands(node: &Node) -> Option<&[Re]> {
    if let Node::Union(operands) = node { Some(operands) } else { None }
}

pub(super) fn inter_operands(node: &Node) -> Option<&[Re]> {
    if let Node::Inter(operands) = node { Some(operands) } else { None }
}
