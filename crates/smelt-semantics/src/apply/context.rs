//! What applying an operator needs besides its arguments: arenas, the environment, the budget.
//!
//! Here is what all theories use: charged copies, charges for bits, and the indices of operators.

use dashu_int::UBig;
use smelt_smtlib::term::{Index, Terms};

use crate::environment::Environment;
use crate::eval::EvalResult;
use crate::model::Universes;
use crate::regex::Regexes;
use crate::unknown::Unknown;
use crate::value::Value;
use crate::{Budget, cost};

/// What applying needs besides the arguments.
pub(crate) struct Context<'a> {
    pub terms: &'a Terms,
    pub environment: &'a Environment,
    pub universes: &'a Universes,
    pub budget: &'a mut Budget,
    pub regexes: &'a mut Regexes,
}

impl Context<'_> {
    /// A copy of a value, charged.
    pub(crate) fn copy(&mut self, value: &Value) -> EvalResult {
        copied(value, self.budget)
    }

    /// A copy of a value that becomes a part of a container.
    pub(crate) fn part(&mut self, value: &Value) -> EvalResult {
        self.budget.spend_words(value.part_words())?;
        Ok(value.clone())
    }

    /// An index as a number of any length.
    pub(super) fn index_natural(&mut self, indices: &[Index], position: usize) -> Result<UBig, Unknown> {
        match indices.get(position) {
            Some(Index::Number(number)) => Ok(UBig::from(*number)),
            Some(Index::Text(text)) => {
                let text = self.terms.text(*text);
                self.budget.spend(cost::radix_conversion(text.len() as u64))?;
                text.parse().map_err(|_| Unknown::IllSorted)
            }
            None => Err(Unknown::IllSorted),
        }
    }

    /// Charges for a number of so many bits.
    #[inline]
    pub(super) fn spend_bits(&mut self, bits: u64) -> Result<(), Unknown> {
        Ok(self.budget.spend_words(cost::words(bits))?)
    }
}

/// A copy of a value, charged.
pub(crate) fn copied(value: &Value, budget: &mut Budget) -> EvalResult {
    budget.spend_words(value.own_words())?;
    Ok(value.clone())
}

/// An index as a machine number.
#[inline]
pub(super) fn index_number(indices: &[Index], position: usize) -> Result<u64, Unknown> {
    match indices.get(position) {
        Some(Index::Number(number)) => Ok(*number),
        Some(Index::Text(_)) => Err(Unknown::Limit),
        None => Err(Unknown::IllSorted),
    }
}
