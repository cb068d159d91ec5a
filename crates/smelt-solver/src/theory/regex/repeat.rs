//! The laws of loops, whose counters stay symbolic.
//!
//! For a body r write r{a..b} for the union of the powers of r from a to b. The laws rest on two facts: sums of the numbers of
//! two intervals form an interval, and if r contains the empty word then its powers ascend, so that r{a..b} = r{0..b}.
//! Where a count would not fit into its type, the law is not applied.

use super::{Node, Re, Regexes};

/// A loop within an operand of a union: `re` is `prefix` ++ `body` repeated `min` to `max` times ++ `suffix`.
struct LoopView {
    place: (Re, Re, Re),
    min: u64,
    max: Option<u64>,
    /// `None` if the counts are no longer those of an expression.
    re: Option<Re>,
}

impl Regexes {
    /// The union of the powers of `body` from `min` to `max`; without `max`, of all from `min` on.
    pub fn repeat(&mut self, mut body: Re, mut min: u64, mut max: Option<u64>) -> Re {
        self.work += 1;
        if max.is_some_and(|max| max < min) {
            return Re::NONE;
        }
        if body == Re::EMPTY_WORD || max == Some(0) {
            return Re::EMPTY_WORD;
        }
        if body == Re::NONE {
            return if min == 0 { Re::EMPTY_WORD } else { Re::NONE };
        }
        if self.is_nullable(body) {
            min = 0;
            body = self.without_empty_word(body);
        }
        if let Node::Loop { body: inner, min: inner_min, max: inner_max } = *self.node(body)
            && let Some(product) = (Counts { min: inner_min, max: inner_max }).repeated(Counts { min, max })
        {
            body = inner;
            Counts { min, max } = product;
        }
        match (min, max) {
            (1, Some(1)) => body,
            (0, Some(1)) => self.optional(body),
            _ => self.intern(Node::Loop { body, min, max }),
        }
    }

    /// A union without its operand for the empty word; other expressions as they are.
    fn without_empty_word(&mut self, re: Re) -> Re {
        match &*self.shared_node(re) {
            Node::Union(operands) if operands.contains(&Re::EMPTY_WORD) => {
                let rest: Vec<Re> = operands.iter().copied().filter(|&re| re != Re::EMPTY_WORD).collect();
                self.union(&rest)
            }
            _ => re,
        }
    }

    /// The one loop that two neighbouring factors are, if they repeat the same body.
    pub(super) fn joined_loops(&self, left: Re, right: Re) -> Option<(Re, u64, Option<u64>)> {
        let (left_body, left_min, left_max) = self.as_loop(left);
        let (right_body, right_min, right_max) = self.as_loop(right);
        let min = left_min.checked_add(right_min)?;
        let max = match (left_max, right_max) {
            (Some(left), Some(right)) => Some(left.checked_add(right)?),
            _ => None,
        };
        (left_body == right_body).then_some((left_body, min, max))
    }

    /// What the expression repeats and how often, where everything repeats itself once.
    fn as_loop(&self, re: Re) -> (Re, u64, Option<u64>) {
        match self.node(re) {
            Node::Loop { body, min, max } => (*body, *min, *max),
            Node::Union(operands) => match **operands {
                [Re::EMPTY_WORD, body] => (body, 0, Some(1)),
                _ => (re, 1, Some(1)),
            },
            _ => (re, 1, Some(1)),
        }
    }

    /// Merges operands of a union that differ only in the counts of one loop, if these form an interval.
    pub(super) fn merge_loops(&mut self, mut operands: Vec<Re>) -> Vec<Re> {
        let has_empty_word = operands.contains(&Re::EMPTY_WORD);
        let mut views = Vec::new();
        operands.retain(|&re| match self.loop_view(re) {
            Some(view) => {
                views.push(view);
                false
            }
            None => true,
        });
        self.work += views.len() as u64;
        views.sort_unstable_by_key(|view| (view.place, view.min));
        let mut merged: Vec<LoopView> = Vec::new();
        for view in views {
            match merged.last_mut() {
                Some(last) if last.place == view.place && last.touches(&view) => last.absorb(&view),
                _ => merged.push(view),
            }
        }
        for mut view in merged {
            let (prefix, body, suffix) = view.place;
            let is_bare = prefix == Re::EMPTY_WORD && suffix == Re::EMPTY_WORD;
            if has_empty_word && is_bare && view.min == 1 {
                view.min = 0;
                view.re = None;
            }
            operands.push(match view.re {
                Some(re) => re,
                None => {
                    let repeated = self.repeat(body, view.min, view.max);
                    self.concat(&[prefix, repeated, suffix])
                }
            });
        }
        operands
    }

    /// The expression as a loop, perhaps with one factor before and a rest after it.
    fn loop_view(&self, re: Re) -> Option<LoopView> {
        let view = |prefix, looping: Re, suffix| match *self.node(looping) {
            Node::Loop { body, min, max } => {
                Some(LoopView { place: (prefix, body, suffix), min, max, re: Some(re) })
            }
            _ => None,
        };
        match *self.node(re) {
            Node::Loop { .. } => view(Re::EMPTY_WORD, re, Re::EMPTY_WORD),
            Node::Concat { head, tail } => {
                view(Re::EMPTY_WORD, head, tail).or_else(|| match *self.node(tail) {
                    Node::Concat { head: second, tail: rest } => view(head, second, rest),
                    _ => view(head, tail, Re::EMPTY_WORD),
                })
            }
            _ => None,
        }
    }
}

impl LoopView {
    /// Whether the union with later counts, whose minimum is not smaller, is an interval.
    fn touches(&self, later: &LoopView) -> bool {
        self.max.is_none_or(|max| later.min <= max.saturating_add(1))
    }

    fn absorb(&mut self, later: &LoopView) {
        let grows = match (self.max, later.max) {
            (Some(max), Some(other)) => max < other,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if grows {
            self.max = later.max;
            self.re = None;
        }
    }
}

/// How often something may be repeated; without `max`, any number of times from `min` on.
#[derive(Clone, Copy)]
struct Counts {
    min: u64,
    max: Option<u64>,
}

impl Counts {
    /// The counts of r in (r{self}){outer}, if they form an interval.
    ///
    /// The counts for i rounds are i·min to i·max. Those for i and i + 1 rounds leave no gap between them if
    /// (i + 1)·min <= i·max + 1, and if that holds for the first i then for every later one.
    fn repeated(self, outer: Counts) -> Option<Counts> {
        let is_gapless = match self.max {
            Some(max) => self.min <= (max - self.min).checked_mul(outer.min)?.saturating_add(1),
            None => self.min <= 1 || outer.min > 0,
        };
        let is_power = outer.max == Some(outer.min);
        if !is_gapless && !is_power {
            return None;
        }
        let max = match (self.max, outer.max) {
            (Some(inner), Some(outer)) => Some(inner.checked_mul(outer)?),
            _ => None,
        };
        Some(Counts { min: self.min.checked_mul(outer.min)?, max })
    }
}
