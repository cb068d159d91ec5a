//! The variables of an arrangement: those of the round, and fresh ones for parts that are cut off others.
//!
//! A fresh variable exists only within its arrangement. It stands for what is left of a variable when a part of known
//! length is cut off, so its length is a linear term over the lengths of the round, and its value is determined by the
//! values of the others wherever the premises of its definition hold. Nothing is ever claimed about it otherwise.

use rustc_hash::{FxHashMap, FxHashSet};

use super::premises::{Premise, PremiseTable, Premises};
use crate::effort::{Effort, Stopped};
use crate::theory::arith::{IntVar, Linear};
use crate::theory::fixed_length::{Piece, Text, Var};
use crate::theory::search::Assignment;
use crate::theory::word::vars_of;

/// Texts with more pieces are not written out.
const MAX_PIECES: usize = 20_000;

/// What a variable is equal to, and why.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) text: Text,
    pub(super) premises: Premises,
}

/// A fresh variable.
struct Cut {
    length: Linear,
    value: i64,
}

/// Variables with their lengths and definitions. A definition never leads back to its variable.
pub(super) struct Segments<'a> {
    lengths: &'a [IntVar],
    assignment: &'a Assignment,
    cuts: Vec<Cut>,
    definitions: FxHashMap<Var, Definition>,
    pub(super) table: PremiseTable,
    /// A variable was cut that also occurs on the other side of the equation.
    pub(super) has_overlaps: bool,
}

impl<'a> Segments<'a> {
    /// The variables with these lengths, without definitions.
    pub(super) fn new(lengths: &'a [IntVar], assignment: &'a Assignment) -> Self {
        Segments {
            lengths,
            assignment,
            cuts: Vec::new(),
            definitions: FxHashMap::default(),
            table: PremiseTable::default(),
            has_overlaps: false,
        }
    }

    /// How many variables there are.
    pub(super) fn count(&self) -> usize {
        self.lengths.len() + self.cuts.len()
    }

    /// How many of them are fresh.
    pub(super) fn fresh_count(&self) -> usize {
        self.cuts.len()
    }

    /// The length of a variable as a term.
    pub(super) fn length(&self, var: Var) -> Linear {
        let index = var as usize;
        match self.lengths.get(index) {
            Some(length) => Linear::variable(*length),
            None => self.cuts[index - self.lengths.len()].length.clone(),
        }
    }

    /// The length of a variable in the assignment; none if it is out of reach.
    pub(super) fn value(&self, var: Var) -> Option<i64> {
        let index = var as usize;
        match self.lengths.get(index) {
            Some(length) => self.assignment.integer(*length).to_i64(),
            None => Some(self.cuts[index - self.lengths.len()].value),
        }
    }

    /// What a variable is known to be equal to.
    pub(super) fn definition(&self, var: Var) -> Option<&Definition> {
        self.definitions.get(&var)
    }

    /// The variables of the problem that have a definition, ascending.
    pub(super) fn defined(&self) -> Vec<Var> {
        let is_of_problem = |var: &Var| (*var as usize) < self.lengths.len();
        let mut vars: Vec<Var> = self.definitions.keys().copied().filter(is_of_problem).collect();
        vars.sort_unstable();
        vars
    }

    /// A fresh variable of this length.
    pub(super) fn fresh(&mut self, length: Linear, value: i64) -> Var {
        debug_assert!(value >= 0);
        self.cuts.push(Cut { length, value });
        Var::try_from(self.count() - 1).expect("fewer than 2^32 string variables")
    }

    /// Defines a variable. It must not have a definition, and the text must not lead back to it.
    pub(super) fn define(&mut self, var: Var, text: Text, premises: Premises) {
        debug_assert!(!text.contains(&Piece::Var(var)));
        let earlier = self.definitions.insert(var, Definition { text, premises });
        debug_assert!(earlier.is_none());
    }

    /// Adds the premise that a variable is empty, as it is in the assignment.
    pub(super) fn add_empty(&mut self, premises: &mut Premises, var: Var) {
        let length = self.length(var);
        self.table.add(premises, Premise::AtMostZero(length));
    }

    /// Whether a text speaks of a variable, through definitions.
    pub(super) fn leads_to<'t>(
        &self,
        effort: &mut Effort,
        text: impl IntoIterator<Item = &'t Piece>,
        var: Var,
    ) -> Result<bool, Stopped> {
        let mut seen: FxHashSet<Var> = FxHashSet::default();
        let mut pending: Vec<Var> = Vec::new();
        let vars = text.into_iter().filter_map(|piece| match piece {
            Piece::Var(var) => Some(*var),
            Piece::Word(_) => None,
        });
        pending.extend(vars);
        let mut looked_at = 0;
        while let Some(current) = pending.pop() {
            if current == var {
                return Ok(true);
            }
            looked_at += 1;
            if seen.insert(current)
                && let Some(definition) = self.definition(current)
            {
                pending.extend(vars_of(&definition.text));
            }
        }
        effort.spend(looked_at / 16)?;
        Ok(false)
    }

    /// A text by variables without definitions, and the premises for it; none if it gets too long.
    pub(super) fn expand(
        &self,
        effort: &mut Effort,
        text: &Text,
    ) -> Result<Option<(Text, Premises)>, Stopped> {
        let mut expanded: Text = Vec::new();
        let mut premises = Premises::default();
        let mut pending: Vec<&Piece> = text.iter().rev().collect();
        let mut steps = 0;
        while let Some(piece) = pending.pop() {
            steps += 1;
            if steps > MAX_PIECES {
                return Ok(None);
            }
            match piece {
                Piece::Var(var) if let Some(definition) = self.definition(*var) => {
                    premises.extend(&definition.premises);
                    pending.extend(definition.text.iter().rev());
                }
                piece => expanded.push(piece.clone()),
            }
        }
        effort.spend(1 + steps as u64 / 8)?;
        Ok(Some((expanded, premises)))
    }
}
