//! Enumeration: all formulas of a grammar, small ones first, by their numbers.
//!
//! A [`grammar::Grammar`] is compiled to rules, and the rules are counted by size, so that any formula can be had by its
//! index ([`Enumeration::nth`]), any formula has its index ([`Enumeration::index_of`]), and a [`Cursor`] goes from one
//! formula to the next as fast as their text can be written. The size of a formula is the number of productions in its
//! derivation whose right side contains a nonterminal.
//!
//! Follows the thesis "Solidifying Modern SMT Solvers", chapter 7 (ET).

mod ambiguity;
pub mod built_in;
mod compile;
pub mod grammar;
mod guard;
mod lexer;
mod rank;
mod recognise;
mod rules;
pub mod symmetry;
mod table;
mod tree;

use dashu_int::UBig;
use smelt_smtlib::diagnostic::{Diagnostic, Diagnostics};

use crate::random::Random;
use grammar::Grammar;
use rules::Rules;
use table::Table;
use tree::Tree;

/// What a grammar leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// How many variables are declared.
    pub variables: u32,
    /// How many assertions a formula has.
    pub asserts: u32,
    /// What equivalent formulas are left out.
    pub symmetry: Symmetry,
    /// How commands are set.
    pub layout: Layout,
}

/// Which formulas are left out because another one says the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// Those with other names for variables of one sort.
    pub variables: bool,
    /// Those with arguments of commutative operators in another order.
    pub arguments: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters { variables: 2, asserts: 1, symmetry: Symmetry::default(), layout: Layout::Lines }
    }
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A line for each command.
    Lines,
    /// A line for each formula.
    OneLine,
}

impl Layout {
    fn between_commands(self) -> &'static str {
        match self {
            Layout::Lines => "\n",
            Layout::OneLine => " ",
        }
    }
}

/// What is wrong with a grammar that compiles: what is not well-sorted by the sorts that guard its rules, and what would
/// be enumerated twice. `source` is the text that the grammar was read from.
///
/// The grammars that come with smelt have nothing of the kind.
pub fn problems(grammar: &Grammar, source: &str, parameters: &Parameters) -> Vec<Diagnostic> {
    let mut problems = guard::sort_problems(grammar);
    if problems.is_empty() {
        match compile::compile(grammar, parameters) {
            Ok(rules) => problems = ambiguity::overlaps(&rules, source),
            Err(found) => problems = found.into(),
        }
    }
    problems
}

/// All formulas of a grammar in the order of their sizes.
#[derive(Debug, Clone)]
pub struct Enumeration {
    rules: Rules,
    table: Table,
    /// For each size how many formulas are smaller.
    smaller: Vec<UBig>,
    /// The largest size, if there is one.
    largest: Option<u32>,
}

impl Enumeration {
    /// The formulas of a grammar, or what is wrong with it.
    pub fn new(grammar: &Grammar, parameters: &Parameters) -> Result<Self, Diagnostics> {
        let mut rules = compile::compile(grammar, parameters)?;
        if parameters.symmetry.arguments {
            symmetry::mark_commutative(&mut rules);
            rules = rules.without_useless();
        }
        if parameters.symmetry.variables {
            rules = symmetry::order_variables(&rules);
        }
        symmetry::order_marked(&mut rules);
        Ok(Enumeration {
            table: Table::new(&rules),
            smaller: vec![UBig::ZERO],
            largest: rules.largest_size(),
            rules,
        })
    }

    /// How many formulas have this size.
    pub fn count(&mut self, size: u32) -> &UBig {
        self.extend(size);
        self.table.count(self.rules.start, size)
    }

    /// How many formulas are smaller than this size: the index of the first that is not.
    pub fn count_below(&mut self, size: u32) -> &UBig {
        self.extend(size);
        &self.smaller[size as usize]
    }

    /// The largest size of a formula; none if there is no largest.
    pub fn largest_size(&self) -> Option<u32> {
        self.largest
    }

    /// The size of the formula with this index; none if there are fewer formulas.
    pub fn size_at(&mut self, index: &UBig) -> Option<u32> {
        let mut size = self.smaller.partition_point(|smaller| smaller <= index) as u32 - 1;
        loop {
            if self.largest.is_some_and(|largest| size > largest) {
                return None;
            }
            if self.count_below(size + 1) > index {
                return Some(size);
            }
            size += 1;
        }
    }

    /// The formula with this index; none if there are fewer formulas.
    pub fn nth(&mut self, index: &UBig) -> Option<String> {
        let size = self.size_at(index)?;
        Some(self.tree(size, index).text)
    }

    /// The index of a formula, whatever its spaces and comments; none if the grammar does not have it.
    pub fn index_of(&mut self, formula: &str) -> Option<UBig> {
        let tree = recognise::recognise(&self.rules, formula)?;
        let size = tree.nodes[0].size;
        self.extend(size);
        Some(rank::rank(&self.rules, &self.table, &tree)? + &self.smaller[size as usize])
    }

    /// A walk over the formulas from this index on; none if there are fewer formulas.
    pub fn from(&mut self, index: &UBig) -> Option<Cursor<'_>> {
        let size = self.size_at(index)?;
        let tree = self.tree(size, index);
        Some(Cursor { enumeration: self, tree, size })
    }

    /// The index of a formula of this size, each with the same chance; none if there are none.
    pub fn sample(&mut self, size: u32, random: &mut Random) -> Option<UBig> {
        let count = self.count(size).clone();
        let offset = below(&count, random)?;
        Some(offset + self.count_below(size))
    }

    /// The index of a formula of at most this size, each with the same chance; none if there are none.
    pub fn sample_up_to(&mut self, size: u32, random: &mut Random) -> Option<UBig> {
        let count = self.count_below(size + 1).clone();
        below(&count, random)
    }

    /// How many sizes are counted, from 0 on.
    pub fn counted_sizes(&self) -> u32 {
        self.table.sizes()
    }

    /// All that is counted, as bytes that [`Enumeration::restore`] takes.
    pub fn counts(&self) -> Vec<u8> {
        self.table.save()
    }

    /// What tells whether counts are those of this enumeration.
    pub fn identity(&self) -> String {
        format!("{:?}", self.rules)
    }

    /// Takes over the counts of an enumeration with the same identity; false, and nothing changes, if the bytes are no
    /// counts. Counts of another enumeration make all formulas wrong.
    pub fn restore(&mut self, counts: &[u8]) -> bool {
        if self.table.restore(counts).is_none() {
            return false;
        }
        self.smaller.truncate(1);
        self.sum_up();
        true
    }

    fn tree(&self, size: u32, index: &UBig) -> Tree {
        rank::unrank(&self.rules, &self.table, size, index - &self.smaller[size as usize])
    }

    fn extend(&mut self, size: u32) {
        self.table.extend(&self.rules, size);
        self.sum_up();
    }

    /// Counts the formulas below each size that the table has.
    fn sum_up(&mut self) {
        while self.smaller.len() < self.table.sizes() as usize + 1 {
            let last = self.smaller.len() - 1;
            let next = &self.smaller[last] + self.table.count(self.rules.start, last as u32);
            self.smaller.push(next);
        }
    }
}

/// A number below another, each with the same chance; none below zero.
fn below(bound: &UBig, random: &mut Random) -> Option<UBig> {
    use dashu_int::ops::BitTest;
    if bound.is_zero() {
        return None;
    }
    let bits = bound.bit_len();
    loop {
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.word()).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let drawn = UBig::from_le_bytes(&bytes) >> (bytes.len() * 8 - bits);
        if drawn < *bound {
            return Some(drawn);
        }
    }
}

/// A walk over formulas in their order.
#[derive(Debug)]
pub struct Cursor<'e> {
    enumeration: &'e mut Enumeration,
    tree: Tree,
    size: u32,
}

impl Cursor<'_> {
    /// The formula.
    pub fn text(&self) -> &str {
        &self.tree.text
    }

    /// Its size.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Goes on to the next formula; false if there is none, and then the walk is over.
    pub fn advance(&mut self) -> bool {
        if self.tree.advance(&self.enumeration.rules, &self.enumeration.table) {
            return true;
        }
        loop {
            self.size += 1;
            if self.enumeration.largest.is_some_and(|largest| self.size > largest) {
                return false;
            }
            self.enumeration.extend(self.size);
            if let Some(tree) = Tree::first(&self.enumeration.rules, &self.enumeration.table, self.size) {
                self.tree = tree;
                return true;
            }
        }
    }
}

#[cfg(test)]
mod tests;
