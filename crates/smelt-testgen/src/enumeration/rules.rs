//! Rules as they are enumerated: nonterminals, productions, and the text between children.
//!
//! Every string that a nonterminal derives is a balanced sequence of S-expressions, so the spaces between elements are
//! known when a grammar is compiled.

use smelt_smtlib::source::Span;

use super::lexer::lexemes;

/// The position of a nonterminal.
pub(super) type NonterminalId = u32;

/// A grammar without repetitions: what is counted and enumerated.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub nonterminals: Vec<Nonterminal>,
    pub start: NonterminalId,
    /// How many variables each group has.
    pub groups: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct Nonterminal {
    /// For people: the name of the rule, with the repetition if it stands for one.
    pub name: String,
    pub productions: Vec<Production>,
}

/// A right side: texts around children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Production {
    /// Where it is written in the grammar.
    pub span: Span,
    /// What it adds to the size: 1 if the alternative that it was written as contains a nonterminal.
    pub cost: u32,
    /// One text more than children.
    pub texts: Vec<String>,
    pub children: Vec<NonterminalId>,
    /// Whether its two children stand in order only: the first is not larger, and if they are of the same size and
    /// nonterminal its index is not larger either.
    pub is_unordered: bool,
    /// The place of a child that can be exchanged with the next; none once that is broken up.
    pub exchanges: Option<usize>,
    /// Set if it is a variable: its group, and its position there.
    pub variable: Option<(usize, u32)>,
}

impl Production {
    /// The tokens and children of the right side in their order.
    pub fn symbols(&self) -> Vec<Symbol<'_>> {
        let mut symbols = Vec::new();
        for (position, text) in self.texts.iter().enumerate() {
            symbols.extend(lexemes(text).into_iter().map(|lexeme| Symbol::Token(lexeme.text)));
            symbols.extend(self.children.get(position).map(|child| Symbol::Child(*child)));
        }
        symbols
    }
}

/// An element of a right side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol<'r> {
    Token(&'r str),
    Child(NonterminalId),
}

impl Rules {
    pub fn nonterminal(&self, id: NonterminalId) -> &Nonterminal {
        &self.nonterminals[id as usize]
    }

    /// The same without productions and nonterminals that derive nothing or that the start does not reach.
    pub fn without_useless(mut self) -> Rules {
        let is_productive = self.productive();
        for nonterminal in &mut self.nonterminals {
            nonterminal
                .productions
                .retain(|production| production.children.iter().all(|child| is_productive[*child as usize]));
        }
        let mut renumbered: Vec<Option<NonterminalId>> = vec![None; self.nonterminals.len()];
        renumbered[self.start as usize] = Some(0);
        let mut kept = vec![self.start];
        let mut next = 0;
        while let Some(id) = kept.get(next).copied() {
            next += 1;
            for production in &self.nonterminals[id as usize].productions {
                for child in &production.children {
                    if renumbered[*child as usize].is_none() {
                        renumbered[*child as usize] = Some(kept.len() as NonterminalId);
                        kept.push(*child);
                    }
                }
            }
        }
        let nonterminals = kept
            .iter()
            .map(|id| {
                let mut nonterminal = self.nonterminals[*id as usize].clone();
                for child in
                    nonterminal.productions.iter_mut().flat_map(|production| &mut production.children)
                {
                    *child = renumbered[*child as usize].expect("children of what is kept are kept");
                }
                nonterminal
            })
            .collect();
        Rules { nonterminals, start: 0, groups: self.groups }
    }

    /// For each nonterminal whether it derives anything.
    fn productive(&self) -> Vec<bool> {
        let mut is_productive = vec![false; self.nonterminals.len()];
        loop {
            let mut has_changed = false;
            for (position, nonterminal) in self.nonterminals.iter().enumerate() {
                let derives = |production: &Production| {
                    production.children.iter().all(|child| is_productive[*child as usize])
                };
                if !is_productive[position] && nonterminal.productions.iter().any(derives) {
                    is_productive[position] = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return is_productive;
            }
        }
    }

    /// The largest size of a tree of the start; none if there is no largest. Everything must derive something.
    pub fn largest_size(&self) -> Option<u32> {
        let count = self.nonterminals.len();
        let mut largest: Vec<u32> = vec![0; count];
        // Without recursion the sizes are right after as many rounds as there are nonterminals.
        for round in 0..=count {
            let mut has_changed = false;
            for position in 0..count {
                let size_of = |production: &Production| {
                    production
                        .children
                        .iter()
                        .fold(production.cost, |sum, child| sum.saturating_add(largest[*child as usize]))
                };
                let size = self.nonterminals[position].productions.iter().map(size_of).max().unwrap_or(0);
                has_changed |= size != largest[position];
                largest[position] = size;
            }
            if !has_changed {
                return Some(largest[self.start as usize]).filter(|size| *size < u32::MAX);
            }
            if round == count {
                return None;
            }
        }
        None
    }
}
