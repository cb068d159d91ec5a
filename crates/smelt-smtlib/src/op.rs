//! Operators: the one table that parser, checker, printer, evaluator, generators and mutators read.
//!
//! [`Op`] names every operator of the theories; [`Op::info`] gives its spellings, its signatures and attributes.
//! The rows are in `table.rs`; adding an operator is adding a row there (and, because the evaluator has
//! no fallback branch, saying what it means). The language of the signatures is in `signature.rs`.

mod signature;
mod table;

use std::sync::OnceLock;

use crate::reserved::RESERVED;
pub(crate) use signature::Bindings;
pub use signature::{Attribute, Constructor, NumExpr, Signature, SortPattern};
pub use table::Op;
pub(crate) use table::{ROWS, Row};

/// The theory that an operator belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Theory {
    /// Booleans, equality, `ite`.
    Core,
    /// Integer arithmetic.
    Ints,
    /// Real arithmetic, and what mixes integers and reals.
    Reals,
    /// Transcendental functions of cvc5 and Z3.
    Transcendentals,
    /// Bit-vectors of fixed size.
    BitVectors,
    /// IEEE floating point.
    Floats,
    /// Arrays with extensionality.
    Arrays,
    /// Unicode strings.
    Strings,
    /// Regular languages.
    Regexes,
    /// Sequences, as in cvc5 and Z3.
    Sequences,
    /// Functions as values.
    HigherOrder,
    /// Tuples of cvc5.
    Tuples,
    /// Finite sets of cvc5.
    Sets,
    /// Relations of cvc5: sets of tuples.
    Relations,
    /// Bags and tables of cvc5.
    Bags,
    /// Finite fields.
    FiniteFields,
    /// Values that may be missing, of cvc5.
    Nullables,
    /// Finite sets of Z3.
    FiniteSets,
    /// Separation logic.
    Separation,
    /// How many elements a sort has.
    Cardinality,
}

/// How SMT-LIB text spells operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// SMT-LIB 2.6 and 2.7.
    #[default]
    V26,
    /// The names and string escapes of the string solvers before the Unicode theory (Z3 up to 4.8.8, cvc4 1.6).
    V25,
}

impl Dialect {
    /// The version of SMT-LIB that stands for it.
    pub fn version(self) -> &'static str {
        match self {
            Dialect::V25 => "2.5",
            Dialect::V26 => "2.6",
        }
    }
}

/// All that the table says of one operator.
#[derive(Debug)]
pub struct OpInfo {
    /// The operator.
    pub op: Op,
    /// Its theory.
    pub theory: Theory,
    /// Its name, as SMT-LIB 2.6 spells it, without indices.
    pub name: &'static str,
    /// Names that older dialects give it; the first is the one we print.
    pub old_names: &'static [&'static str],
    /// The names of its indices, as in `(_ extract i j)`.
    pub indices: Vec<&'static str>,
    /// Whether it takes any number of indices; without any it is written without parentheses.
    pub takes_any_indices: bool,
    /// Its overloads, in the order in which they are tried.
    pub signatures: Vec<Signature>,
    /// How it takes more than two arguments.
    pub attribute: Attribute,
    /// Whether its sorts are computed; its signature is then one example of them.
    pub is_computed: bool,
    /// Whether its result sort does not follow from its arguments, so that it must be written `(as name sort)`.
    pub is_ascribed: bool,
}

impl Op {
    /// How many operators there are.
    pub const COUNT: usize = ROWS.len();

    /// What the table says of this operator.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        INFOS[self as usize].get_or_init(|| compile(&ROWS[self as usize]))
    }

    /// Every operator, in table order.
    pub fn all() -> impl Iterator<Item = Op> {
        ROWS.iter().map(|row| row.op)
    }

    /// Whether a function is written among the indices, as in `((_ map f) a)`; it is the first argument.
    pub fn writes_function_as_index(self) -> bool {
        matches!(self, Op::AsArray | Op::ArrayMap)
    }

    /// The spelling of this operator in a dialect.
    #[inline]
    pub fn spelling(self, dialect: Dialect) -> &'static str {
        let info = self.info();
        match dialect {
            Dialect::V26 => info.name,
            Dialect::V25 => info.old_names.first().copied().unwrap_or(info.name),
        }
    }

    /// The operators that a name may stand for, in the order in which they are tried.
    pub fn named(name: &str) -> &'static [Op] {
        RESERVED.get(name).map_or(&[], |symbol| RESERVED.ops(symbol))
    }

    /// Every name that some dialect gives some operator.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        RESERVED.operator_names()
    }
}

/// What a name of an operator says of the dialect of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// All dialects have it.
    Neutral,
    /// SMT-LIB 2.6 has it, older dialects spell it otherwise.
    New,
    /// Only older dialects have it.
    Old,
}

/// Signatures are read when they are first asked for: most programs use few operators, and start faster for it.
static INFOS: [OnceLock<OpInfo>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];

impl Row {
    /// The spelling without indices.
    const fn name(&self) -> &'static str {
        let [b'(', b'_', b' ', rest @ ..] = self.spelling.as_bytes() else { return self.spelling };
        let mut length = 0;
        while rest[length] != b' ' {
            length += 1;
        }
        self.spelling.split_at(3).1.split_at(length).0
    }

    /// The name first, then those in older dialects.
    pub(crate) const fn name_at(&self, position: usize) -> (&'static str, Spelling) {
        match position {
            0 if self.old_names.is_empty() => (self.name(), Spelling::Neutral),
            0 => (self.name(), Spelling::New),
            _ => (self.old_names[position - 1], Spelling::Old),
        }
    }

    /// The names of the indices.
    fn indices(&self) -> Vec<&'static str> {
        match self.spelling.strip_prefix("(_ ") {
            Some(rest) => rest.trim_end_matches(')').split(' ').skip(1).collect(),
            None => Vec::new(),
        }
    }
}

fn compile(row: &'static Row) -> OpInfo {
    let mut indices = row.indices();
    let takes_any_indices = indices.last().is_some_and(|index| index.ends_with(".."));
    if takes_any_indices {
        indices.clear();
    }
    let (signatures, attribute) = signature::parse(row.signature, &indices);
    let is_computed = row.signature.ends_with(":computed");
    let is_ascribed = signatures.iter().any(|signature| signature.leaves_result_open());
    let (op, theory, name) = (row.op, row.theory, row.name());
    OpInfo {
        op,
        theory,
        name,
        old_names: row.old_names,
        indices,
        takes_any_indices,
        signatures,
        attribute,
        is_computed,
        is_ascribed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_the_place_of_their_operator() {
        for (index, op) in Op::all().enumerate() {
            assert_eq!(op as usize, index);
            assert_eq!(op.info().op, op);
        }
    }

    #[test]
    fn old_and_new_spellings_name_the_same_operator() {
        assert_eq!(Op::named("str.in.re"), [Op::StrInRe]);
        assert_eq!(Op::named("str.in_re"), [Op::StrInRe]);
        assert_eq!(Op::StrInRe.spelling(Dialect::V25), "str.in.re");
    }

    #[test]
    fn minus_is_two_operators() {
        assert_eq!(Op::named("-"), [Op::Neg, Op::Sub]);
    }

    #[test]
    fn only_operators_without_a_sort_of_their_own_are_ascribed() {
        let ascribed: Vec<&str> =
            Op::all().filter(|op| op.info().is_ascribed).map(|op| op.info().name).collect();
        let expected = [
            "const",
            "const",
            "seq.empty",
            "set.empty",
            "set.universe",
            "bag.empty",
            "nullable.null",
            "set.empty",
            "sep.nil",
        ];
        assert_eq!(ascribed, expected);
    }
}
