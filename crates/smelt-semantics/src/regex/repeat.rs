//! The laws of loops, whose counters stay symbolic.
//!
//! For a body r write r{a..b} for the union of the powers of r from a to b. The laws rest on two facts: sums
//! of the numbers of two intervals form an interval, and if r contains the empty string then its powers
//! ascend, so that r{a..b} = r{0..b}.

use dashu_int::UBig;

use super::{Counts, Node, Re, Regexes};
use crate::{Budget, LimitReached};

/// A loop within an operand of a union: `re` is `prefix` ++ `body` repeated `counts` times ++ `suffix`.
struct LoopView {
    prefix: Re,
    body: Re,
    suffix: Re,
    counts: Counts,
    re: Re,
}

impl Regexes {
    /// The union of the powers of `body` from `counts.min` to `counts.max`.
    pub(super) fn repeat(
        &mut self,
        mut body: Re,
        mut counts: Counts,
        budget: &mut Budget,
    ) -> Result<Re, LimitReached> {
        budget.spend(counts.size())?;
        if counts.max.as_ref().is_some_and(|max| *max < counts.min) {
            return Ok(Re::NONE);
        }
        if body == Re::EPSILON || counts.max == Some(UBig::ZERO) {
            return Ok(Re::EPSILON);
        }
        if body == Re::NONE {
            return Ok(if counts.min == UBig::ZERO { Re::EPSILON } else { Re::NONE });
        }
        if self.is_nullable(body) {
            counts.min = UBig::ZERO;
            body = self.without_epsilon(body, budget)?;
        }
        if let Node::Loop { body: inner_body, counts: inner } = self.node(body) {
            budget.spend(inner.size().saturating_mul(counts.size()))?;
            if let Some(product) = inner.product(&counts) {
                body = *inner_body;
                counts = product;
            }
        }
        if counts == Counts::once() {
            return Ok(body);
        }
        if counts.min == UBig::ZERO && counts.max == Some(UBig::ONE) {
            return self.optional(body, budget);
        }
        self.intern(Node::Loop { body, counts: Box::new(counts) }, budget)
    }

    /// A union without its operand for the empty string; other expressions as they are.
    fn without_epsilon(&mut self, re: Re, budget: &mut Budget) -> Result<Re, LimitReached> {
        match self.node(re) {
            Node::Union(operands) if operands.contains(&Re::EPSILON) => {
                let rest: Vec<Re> = operands.iter().copied().filter(|&re| re != Re::EPSILON).collect();
                self.union(&rest, budget)
            }
            _ => Ok(re),
        }
    }

    /// The one loop that two neighbouring factors are, if they repeat the same body.
    pub(super) fn joined_loops(
        &self,
        left: Re,
        right: Re,
        budget: &mut Budget,
    ) -> Result<Option<(Re, Counts)>, LimitReached> {
        let (body, right_body) = (self.loop_body(left), self.loop_body(right));
        if body != right_body {
            return Ok(None);
        }
        let (left_counts, right_counts) = (self.loop_counts(left), self.loop_counts(right));
        budget.spend(left_counts.size() + right_counts.size())?;
        let max = left_counts.max.zip(right_counts.max).map(|(left, right)| left + right);
        Ok(Some((body, Counts { min: left_counts.min + right_counts.min, max })))
    }

    /// What the expression repeats, where everything repeats itself once.
    fn loop_body(&self, re: Re) -> Re {
        match self.node(re) {
            Node::Loop { body, .. } => *body,
            Node::Union(operands) => match **operands {
                [Re::EPSILON, body] => body,
                _ => re,
            },
            _ => re,
        }
    }

    /// How often the expression repeats its [`Regexes::loop_body`].
    fn loop_counts(&self, re: Re) -> Counts {
        match self.node(re) {
            Node::Loop { counts, .. } => (**counts).clone(),
            _ if self.loop_body(re) == re => Counts::once(),
            _ => Counts { min: UBig::ZERO, max: Some(UBig::ONE) },
        }
    }

    /// Merges operands of a union that differ only in the counts of one loop, if these form an interval.
    pub(super) fn merge_loops(
        &mut self,
        mut operands: Vec<Re>,
        budget: &mut Budget,
    ) -> Result<Vec<Re>, LimitReached> {
        let has_epsilon = operands.contains(&Re::EPSILON);
        let mut views = Vec::new();
        operands.retain(|&re| match self.loop_view(re) {
            Some(view) => {
                views.push(view);
                false
            }
            None => true,
        });
        for view in &views {
            budget.spend(4 * view.counts.size())?;
        }
        views.sort_unstable_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        let mut merged: Vec<LoopView> = Vec::new();
        for view in views {
            match merged.last_mut() {
                Some(last) if last.place() == view.place() && last.counts.touch(&view.counts) => {
                    if last.counts.absorb(view.counts) {
                        last.re = Re::NONE;
                    }
                }
                _ => merged.push(view),
            }
        }
        for mut view in merged {
            let is_bare = view.prefix == Re::EPSILON && view.suffix == Re::EPSILON;
            if has_epsilon && is_bare && view.counts.min == UBig::ONE {
                view.counts.min = UBig::ZERO;
                view.re = Re::NONE;
            }
            // A view without expression is one whose counts have changed.
            operands.push(match view.re {
                Re::NONE => {
                    let repeated = self.repeat(view.body, view.counts, budget)?;
                    self.concat(&[view.prefix, repeated, view.suffix], budget)?
                }
                re => re,
            });
        }
        Ok(operands)
    }

    /// The expression as a loop, perhaps with one factor before and a rest after it.
    fn loop_view(&self, re: Re) -> Option<LoopView> {
        let as_loop = |re: Re| match self.node(re) {
            Node::Loop { body, counts } => Some((*body, (**counts).clone())),
            _ => None,
        };
        let view = |prefix, looping: Re, suffix| {
            as_loop(looping).map(|(body, counts)| LoopView { prefix, body, suffix, counts, re })
        };
        match *self.node(re) {
            Node::Loop { .. } => view(Re::EPSILON, re, Re::EPSILON),
            Node::Concat { head, tail, .. } => {
                view(Re::EPSILON, head, tail).or_else(|| match *self.node(tail) {
                    Node::Concat { head: second, tail: rest, .. } => view(head, second, rest),
                    _ => view(head, tail, Re::EPSILON),
                })
            }
            _ => None,
        }
    }
}

impl LoopView {
    fn place(&self) -> (Re, Re, Re) {
        (self.prefix, self.body, self.suffix)
    }

    fn sort_key(&self) -> ((Re, Re, Re), &UBig) {
        (self.place(), &self.counts.min)
    }
}

impl Counts {
    /// Exactly once.
    fn once() -> Self {
        Counts { min: UBig::ONE, max: Some(UBig::ONE) }
    }

    /// The counts of r in (r{self}){outer}, if they form an interval.
    ///
    /// The counts for i rounds are i·min to i·max. Those for i and i + 1 rounds leave no gap between them if
    /// (i + 1)·min <= i·max + 1, and if that holds for the first i then for every later one.
    fn product(&self, outer: &Counts) -> Option<Counts> {
        let is_gapless = match &self.max {
            Some(max) => self.min <= (max - &self.min) * &outer.min + UBig::ONE,
            None => self.min <= UBig::ONE || outer.min > UBig::ZERO,
        };
        let is_power = outer.max.as_ref() == Some(&outer.min);
        (is_gapless || is_power).then(|| Counts {
            min: &self.min * &outer.min,
            max: self.max.as_ref().zip(outer.max.as_ref()).map(|(inner, outer)| inner * outer),
        })
    }

    /// Whether the union with later counts, whose minimum is not smaller, is an interval.
    fn touch(&self, later: &Counts) -> bool {
        self.max.as_ref().is_none_or(|max| later.min <= max + UBig::ONE)
    }

    /// Extends the maximum to that of the other counts; whether that changed anything.
    fn absorb(&mut self, other: Counts) -> bool {
        let grows = match (&self.max, &other.max) {
            (Some(max), Some(other)) => max < other,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if grows {
            self.max = other.max;
        }
        grows
    }
}
