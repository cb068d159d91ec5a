//! Counts: how many trees of each size a nonterminal derives.
//!
//! The children of a production are counted from the right: a *tail* is a list of children, and the number of ways to
//! share a size among them is a convolution of the counts of the first with those of the tail after it. Productions
//! that differ in their texts only have the same tails, so a grammar has few convolutions.
//!
//! Follows Duregård et al. 2012, "Feat: Functional Enumeration of Algebraic Types", with tables by size in the place of
//! lazy lists.

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::rules::{NonterminalId, Production, Rules};

/// The position of a tail.
pub(super) type TailId = u32;

/// How many trees there are, up to some size.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// By nonterminal and size.
    counts: Vec<Vec<UBig>>,
    tails: Vec<Tail>,
    /// By nonterminal and production: the tails from each child on.
    tails_of: Vec<Vec<Vec<TailId>>>,
    /// For each nonterminal whether it is counted after the others of a size, because it needs them.
    is_late: Vec<bool>,
    /// How many sizes are counted, from 0 on.
    sizes: u32,
    zero: UBig,
}

#[derive(Debug, Clone)]
struct Tail {
    kind: TailKind,
    /// By size; empty for a single child, whose counts it has.
    counts: Vec<UBig>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TailKind {
    Single(NonterminalId),
    Several(NonterminalId, TailId),
    /// Two in order.
    Unordered(NonterminalId, NonterminalId),
}

impl Tail {
    /// Whether it has counts of its own.
    fn is_counted(&self) -> bool {
        !matches!(self.kind, TailKind::Single(_))
    }
}

fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

impl Table {
    pub fn new(rules: &Rules) -> Self {
        let mut known: FxHashMap<TailKind, TailId> = FxHashMap::default();
        let mut tails: Vec<Tail> = Vec::new();
        let mut intern = |kind: TailKind| {
            *known.entry(kind).or_insert_with(|| {
                tails.push(Tail { kind, counts: Vec::new() });
                (tails.len() - 1) as TailId
            })
        };
        let mut tails_of_production = |production: &Production| {
            let mut found: Vec<TailId> = Vec::new();
            for child in production.children.iter().rev() {
                let kind = match found.last() {
                    None => TailKind::Single(*child),
                    Some(_) if production.is_unordered => TailKind::Unordered(*child, production.children[1]),
                    Some(rest) => TailKind::Several(*child, *rest),
                };
                found.push(intern(kind));
            }
            found.reverse();
            found
        };
        let tails_of = rules
            .nonterminals
            .iter()
            .map(|nonterminal| nonterminal.productions.iter().map(&mut tails_of_production).collect())
            .collect();
        let is_late = rules
            .nonterminals
            .iter()
            .map(|nonterminal| {
                let needs_own_size =
                    |production: &Production| production.cost == 0 && !production.children.is_empty();
                nonterminal.productions.iter().any(needs_own_size)
            })
            .collect();
        Table {
            counts: vec![Vec::new(); rules.nonterminals.len()],
            tails,
            tails_of,
            is_late,
            sizes: 0,
            zero: UBig::ZERO,
        }
    }

    /// How many sizes are counted.
    pub fn sizes(&self) -> u32 {
        self.sizes
    }

    /// Counts the sizes up to and including this one.
    pub fn extend(&mut self, rules: &Rules, size: u32) {
        while self.sizes <= size {
            self.count_next(rules);
        }
    }

    /// All that is counted, as bytes: the number of sizes, then every number with its length before it.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = self.sizes.to_le_bytes().to_vec();
        let tails = self.tails.iter().filter(|tail| tail.is_counted()).map(|tail| &tail.counts);
        for count in self.counts.iter().chain(tails).flatten() {
            let digits = count.to_le_bytes();
            bytes.extend_from_slice(&(digits.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&digits);
        }
        bytes
    }

    /// Takes over what a table of the same rules has saved; none if that is not what the bytes are.
    pub fn restore(&mut self, bytes: &[u8]) -> Option<()> {
        let mut left = bytes;
        let sizes = take_u32(&mut left)?;
        let mut take_counts = || -> Option<Vec<UBig>> {
            let mut counts = Vec::new();
            for _ in 0..sizes {
                let (digits, rest) = (take_u32(&mut left)? as usize, left);
                counts.push(UBig::from_le_bytes(rest.get(..digits)?));
                left = &rest[digits..];
            }
            Some(counts)
        };
        let counts: Vec<Vec<UBig>> = (0..self.counts.len()).map(|_| take_counts()).collect::<Option<_>>()?;
        let mut tails = Vec::new();
        for tail in &self.tails {
            tails.push(if tail.is_counted() { take_counts()? } else { Vec::new() });
        }
        if !left.is_empty() {
            return None;
        }
        self.counts = counts;
        self.tails.iter_mut().zip(tails).for_each(|(tail, counts)| tail.counts = counts);
        self.sizes = sizes;
        Some(())
    }

    fn count_next(&mut self, rules: &Rules) {
        let size = self.sizes;
        for is_late in [false, true] {
            for position in 0..rules.nonterminals.len() {
                if self.is_late[position] != is_late {
                    continue;
                }
                let mut sum = UBig::ZERO;
                for (production, tails) in
                    rules.nonterminals[position].productions.iter().zip(&self.tails_of[position])
                {
                    let Some(rest) = size.checked_sub(production.cost) else { continue };
                    sum += match tails.first() {
                        None => UBig::from(rest == 0),
                        // The tail of a late nonterminal is not counted yet for this size.
                        Some(tail) if is_late => self.convolution(self.tails[*tail as usize].kind, rest),
                        Some(tail) => self.tail(*tail, rest).clone(),
                    };
                }
                self.counts[position].push(sum);
            }
        }
        for position in 0..self.tails.len() {
            let kind = self.tails[position].kind;
            if self.tails[position].is_counted() {
                let count = self.convolution(kind, size);
                self.tails[position].counts.push(count);
            }
        }
        self.sizes += 1;
    }

    /// The number of ways to share a size among the children of a tail, from the counts of its parts.
    fn convolution(&self, kind: TailKind, size: u32) -> UBig {
        let product = |left: &UBig, right: &UBig| {
            if left.is_zero() || right.is_zero() { UBig::ZERO } else { left * right }
        };
        match kind {
            TailKind::Single(child) => self.count(child, size).clone(),
            TailKind::Several(child, rest) => match self.tails[rest as usize].kind {
                // Of two alike the pairs with exchanged sizes need not be multiplied again.
                TailKind::Single(other) if other == child => {
                    let mut sum = UBig::ZERO;
                    for first in 0..size.div_ceil(2) {
                        sum += product(self.count(child, first), self.count(child, size - first));
                    }
                    sum <<= 1;
                    if size.is_multiple_of(2) {
                        sum += self.count(child, size / 2).sqr();
                    }
                    sum
                }
                _ => {
                    let mut sum = UBig::ZERO;
                    for first in 0..=size {
                        sum += product(self.count(child, first), self.tail(rest, size - first));
                    }
                    sum
                }
            },
            TailKind::Unordered(left, right) => {
                let mut sum = UBig::ZERO;
                for first in 0..size.div_ceil(2) {
                    sum += product(self.count(left, first), self.count(right, size - first));
                }
                if size.is_multiple_of(2) && left == right {
                    sum += triangle(self.count(left, size / 2));
                } else if size.is_multiple_of(2) {
                    sum += product(self.count(left, size / 2), self.count(right, size / 2));
                }
                sum
            }
        }
    }

    /// How many trees of this size a nonterminal derives.
    pub fn count(&self, nonterminal: NonterminalId, size: u32) -> &UBig {
        self.counts[nonterminal as usize].get(size as usize).unwrap_or(&self.zero)
    }

    /// The number of ways to share this size among the children of a tail.
    pub fn tail(&self, tail: TailId, size: u32) -> &UBig {
        let Tail { kind, counts } = &self.tails[tail as usize];
        match kind {
            TailKind::Single(child) => self.count(*child, size),
            _ => counts.get(size as usize).unwrap_or(&self.zero),
        }
    }

    /// The tails of a production, from each child on.
    pub fn tails_of(&self, nonterminal: NonterminalId, production: u32) -> &[TailId] {
        &self.tails_of[nonterminal as usize][production as usize]
    }

    /// How many trees of this size begin with a production.
    pub fn production<'t>(
        &'t self,
        rules: &Rules,
        nonterminal: NonterminalId,
        production: u32,
        size: u32,
    ) -> &'t UBig {
        let cost = rules.nonterminal(nonterminal).productions[production as usize].cost;
        match (size.checked_sub(cost), self.tails_of(nonterminal, production).first()) {
            (None, _) => &self.zero,
            (Some(rest), Some(tail)) => self.tail(*tail, rest),
            (Some(0), None) => &ONE,
            (Some(_), None) => &self.zero,
        }
    }
}

static ONE: UBig = UBig::ONE;

/// How many pairs of so many things there are, if their order does not count.
pub(super) fn triangle(count: &UBig) -> UBig {
    (count * (count + UBig::ONE)) >> 1
}
