//! How often each operator is chosen where several could be.

use std::fmt;
use std::sync::LazyLock;

use smelt_smtlib::op::{Op, Signature, Theory};
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::Terms;

use crate::operators::{OperatorSet, may_be, param};

/// A weight for each operator that random formulas can have; an operator of weight zero is never chosen.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights {
    /// In table order; no weight is zero.
    rows: Vec<(Op, u32)>,
}

/// The usual weight of an operator on strings or regular expressions, and of equality.
const OFTEN: u32 = 4;
/// The usual weight of what stands around strings.
const SOMETIMES: u32 = 1;

impl Default for Weights {
    /// The standard operators on strings and regular expressions, and what of Booleans and linear arithmetic stands around
    /// them.
    fn default() -> Self {
        static STANDARD: LazyLock<Weights> = LazyLock::new(Weights::standard);
        STANDARD.clone()
    }
}

impl Weights {
    fn standard() -> Self {
        let weight = |op: Op| match op {
            // Not linear, or arbitrary where they divide by zero: slow for reasons that have nothing to do with strings.
            Op::Mul | Op::IntDiv | Op::Mod | Op::True | Op::False => 0,
            Op::Eq => OFTEN,
            Op::Char | Op::ReNone => SOMETIMES,
            _ => match op.info().theory {
                Theory::Strings | Theory::Regexes => OFTEN,
                _ => SOMETIMES,
            },
        };
        let mut weights = Weights { rows: Vec::new() };
        for op in OperatorSet::standard().iter().filter(|op| is_known(*op)) {
            weights.set(op, weight(op));
        }
        weights
    }

    /// These weights, with zero for operators that solvers before the Unicode theory do not have.
    pub fn older(self) -> Self {
        self.filter(|op| match op.info().theory {
            Theory::Strings => matches!(
                op,
                Op::StrConcat
                    | Op::StrLen
                    | Op::StrAt
                    | Op::StrSubstr
                    | Op::StrPrefixof
                    | Op::StrSuffixof
                    | Op::StrContains
                    | Op::StrIndexof
                    | Op::StrReplace
                    | Op::StrToInt
                    | Op::StrFromInt
                    | Op::StrInRe
            ),
            Theory::Regexes => matches!(
                op,
                Op::StrToRe
                    | Op::ReConcat
                    | Op::ReUnion
                    | Op::ReInter
                    | Op::ReStar
                    | Op::RePlus
                    | Op::ReOpt
                    | Op::ReRange
                    | Op::ReAllChar
            ),
            _ => true,
        })
    }

    /// The weight of an operator.
    pub fn of(&self, op: Op) -> u32 {
        self.rows.binary_search_by_key(&op, |row| row.0).map_or(0, |place| self.rows[place].1)
    }

    /// Gives an operator a weight; does nothing for operators on other sorts, of which no formulas are made.
    pub fn set(&mut self, op: Op, weight: u32) {
        match self.rows.binary_search_by_key(&op, |row| row.0) {
            Ok(place) if weight == 0 => drop(self.rows.remove(place)),
            Ok(place) => self.rows[place].1 = weight,
            Err(place) if weight > 0 && is_known(op) => self.rows.insert(place, (op, weight)),
            Err(_) => {}
        }
    }

    /// These weights, with zero for operators that are not wanted, such as those that a solver does not know.
    pub fn filter(mut self, is_wanted: impl Fn(Op) -> bool) -> Self {
        self.rows.retain(|(op, _)| is_wanted(*op));
        self
    }

    /// The operators that can be chosen, in table order.
    pub fn ops(&self) -> impl Iterator<Item = Op> + '_ {
        self.rows.iter().map(|(op, _)| *op)
    }

    /// The operators that can be chosen with their weights, in table order.
    pub fn iter(&self) -> impl Iterator<Item = (Op, u32)> + '_ {
        self.rows.iter().copied()
    }
}

impl fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

/// Whether formulas of strings, integers, Booleans and regular expressions can be made with an operator.
fn is_known(op: Op) -> bool {
    let terms = Terms::new();
    !op.info().is_ascribed
        && SORTS.into_iter().any(|sort| signature(&terms, op, sort).is_some())
        // Bounds as terms are no longer in any solver.
        && op != Op::ReLoopBetween
}

/// The sorts of terms in random formulas.
const SORTS: [Sort; 4] = [Sort::STRING, Sort::INT, Sort::BOOL, Sort::REG_LAN];

/// The overload with which an operator gives a sort out of strings, integers, Booleans and regular expressions.
pub(super) fn signature(terms: &Terms, op: Op, result: Sort) -> Option<&'static Signature> {
    let info = op.info();
    let is_grown = |signature: &&'static Signature| {
        let arity = signature.params.len();
        let has_params = (0..arity).all(|position| {
            SORTS.iter().any(|sort| may_be(&terms.sorts, param(info, signature, position), *sort))
        });
        has_params && may_be(&terms.sorts, &signature.result, result)
    };
    // Regular expressions are no first-class values: there is no choice between them.
    let is_possible = SORTS.contains(&result) && !(op == Op::Ite && result == Sort::REG_LAN);
    info.signatures.iter().find(is_grown).filter(|_| is_possible)
}
