//! What the steps of an arrangement rest on.
//!
//! A premise is a fact of the round or a relation between lengths that the assignment makes true. Everything that an
//! arrangement derives carries the set of its premises, so that a contradiction becomes a clause: not all of them hold.

use rustc_hash::FxHashMap;

use crate::engines::abstraction::Abstraction;
use crate::theory::arith::Linear;
use crate::theory::search::Literal;

/// Something that holds under the assignment of the round.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Premise {
    /// The fact at this position.
    Fact(usize),
    /// The sum is zero or less.
    AtMostZero(Linear),
    /// The sum is zero.
    IsZero(Linear),
}

impl Premise {
    fn literal(&self, abstraction: &mut Abstraction) -> Literal {
        match self {
            Premise::Fact(position) => abstraction.facts[*position].guard,
            Premise::AtMostZero(sum) => abstraction.search.at_most_zero(sum),
            Premise::IsZero(sum) => abstraction.search.is_zero(sum),
        }
    }
}

/// A set of premises, by their numbers, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Premises(Vec<u32>);

impl Premises {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds all of another set.
    pub(super) fn extend(&mut self, other: &Premises) {
        if other.0.iter().all(|number| self.0.binary_search(number).is_ok()) {
            return;
        }
        self.0.extend_from_slice(&other.0);
        self.0.sort_unstable();
        self.0.dedup();
    }
}

/// The premises of one arrangement, numbered.
#[derive(Default)]
pub(super) struct PremiseTable {
    premises: Vec<Premise>,
    numbers: FxHashMap<Premise, u32>,
}

impl PremiseTable {
    /// Adds a premise to a set. What holds without variables needs no premise.
    pub(super) fn add(&mut self, premises: &mut Premises, premise: Premise) {
        if let Premise::AtMostZero(sum) | Premise::IsZero(sum) = &premise
            && sum.as_constant().is_some()
        {
            return;
        }
        let number = match self.numbers.get(&premise) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.premises.len()).expect("fewer than 2^32 premises");
                self.numbers.insert(premise.clone(), number);
                self.premises.push(premise);
                number
            }
        };
        premises.extend(&Premises(vec![number]));
    }

    /// The premises of a set.
    pub(super) fn list(&self, premises: &Premises) -> Vec<Premise> {
        premises.0.iter().map(|number| self.premises[*number as usize].clone()).collect()
    }
}

/// The facts among premises.
pub(super) fn facts_of(premises: &[Premise]) -> Vec<usize> {
    premises
        .iter()
        .filter_map(|premise| match premise {
            Premise::Fact(position) => Some(*position),
            _ => None,
        })
        .collect()
}

/// Adds the clause that the premises do not hold together.
pub(super) fn refute(abstraction: &mut Abstraction, premises: &[Premise]) {
    let mut clause: Vec<Literal> = premises.iter().map(|premise| !premise.literal(abstraction)).collect();
    clause.sort_unstable();
    clause.dedup();
    abstraction.search.add_clause(&clause);
}
