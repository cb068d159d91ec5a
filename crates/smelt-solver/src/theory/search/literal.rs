//! Literals: Boolean variables and their negations.

use std::fmt;
use std::ops::Not;

/// A Boolean variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The variable with this number, or its negation.
    pub(crate) fn new(variable: usize, positive: bool) -> Literal {
        let code = 2 * variable + usize::from(!positive);
        Literal(u32::try_from(code).expect("fewer than 2^31 Boolean variables"))
    }

    /// The number of its variable.
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the variable itself and not its negation.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// A number that is unique among all literals.
    pub(crate) fn code(self) -> u32 {
        self.0
    }

    /// The literal with that number.
    pub(crate) fn from_code(code: u32) -> Literal {
        Literal(code)
    }
}

impl Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}b{}", if self.is_positive() { "" } else { "-" }, self.variable())
    }
}
