//! Operators: the one table that parser, checker, printer, evaluator, generators and mutators read.
//!
//! [`Op`] names every operator of the theories; [`Op::info`] gives its spellings, its signatures and attributes.
//! The rows are in `table.rs`; adding an operator is adding a row there (and, because the evaluator has
//! no fallback branch, saying what it means). The language of the signatures is in `signature.rs`.

mod signature;
mod table;

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

pub(crate) use signature::Bindings;
pub use signature::{Attribute, NumExpr, Signature, SortPattern};
pub use table::Op;
use table::{ROWS, Row};

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
    pub old_names: Vec<&'static str>,
    /// The names of its indices, as in `(_ extract i j)`.
    pub indices: Vec<&'static str>,
    /// Its overloads, in the order in which they are tried.
    pub signatures: Vec<Signature>,
    /// How it takes more than two arguments.
    pub attribute: Attribute,
    /// Whether its result sort does not follow from its arguments, so that it must be written `(as name sort)`.
    pub is_ascribed: bool,
}

impl Op {
    /// What the table says of this operator.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        INFOS[self as usize].get_or_init(|| compile(&ROWS[self as usize]))
    }

    /// Every operator, in table order.
    pub fn all() -> impl Iterator<Item = Op> {
        ROWS.iter().map(|row| row.op)
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
        TABLE.by_name.get(name).map_or(&[], |index| ops_of_reserved(*index))
    }

    /// Every name that some dialect gives some operator.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        TABLE.names.iter().copied()
    }
}

/// The names of operators in the order of their first row; position is the id of their symbol.
pub(crate) fn reserved_names() -> &'static [&'static str] {
    &TABLE.names
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

/// What the `index`-th reserved name says of the dialect.
#[inline]
pub(crate) fn spelling_of_reserved(index: usize) -> Spelling {
    TABLE.spellings[index]
}

/// The operators that the `index`-th reserved name may stand for.
#[inline]
pub(crate) fn ops_of_reserved(index: usize) -> &'static [Op] {
    let [start, end] = [TABLE.starts[index], TABLE.starts[index + 1]];
    &TABLE.ops[start as usize..end as usize]
}

/// Signatures are read when they are first asked for: most programs use few operators, and start faster for it.
static INFOS: [OnceLock<OpInfo>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];

/// All names of operators, in the order of their first row.
struct Table {
    names: Vec<&'static str>,
    spellings: Vec<Spelling>,
    /// The operators of all names, name after name.
    ops: Vec<Op>,
    /// Where the operators of each name start, and where the last ones end.
    starts: Vec<u32>,
    by_name: FxHashMap<&'static str, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        names: Vec::with_capacity(ROWS.len()),
        spellings: Vec::with_capacity(ROWS.len()),
        ops: Vec::new(),
        starts: Vec::new(),
        by_name: FxHashMap::with_capacity_and_hasher(ROWS.len(), Default::default()),
    };
    let mut named: Vec<(usize, Op)> = Vec::with_capacity(2 * ROWS.len());
    for row in ROWS {
        let new_spelling = if row.old_names.is_empty() { Spelling::Neutral } else { Spelling::New };
        let old = row.old_names.split_whitespace().map(|name| (name, Spelling::Old));
        for (name, spelling) in std::iter::once((row.name(), new_spelling)).chain(old) {
            let index = *table.by_name.entry(name).or_insert(table.names.len());
            if index == table.names.len() {
                table.names.push(name);
                table.spellings.push(spelling);
            }
            named.push((index, row.op));
        }
    }
    // Operators of one name stay in the order of their rows.
    named.sort_by_key(|(index, _)| *index);
    table.ops = named.iter().map(|(_, op)| *op).collect();
    let starts = (0..=table.names.len()).map(|name| named.partition_point(|(index, _)| *index < name) as u32);
    table.starts = starts.collect();
    table
});

impl Row {
    /// The spelling without indices.
    fn name(&self) -> &'static str {
        match self.spelling.strip_prefix("(_ ") {
            Some(rest) => rest.split(' ').next().expect("split yields at least one word"),
            None => self.spelling,
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
    let indices = row.indices();
    let (signatures, attribute) = signature::parse(row.signature, &indices);
    let is_ascribed = signatures.iter().any(|signature| signature.leaves_result_open());
    let old_names = row.old_names.split_whitespace().collect();
    let (op, theory, name) = (row.op, row.theory, row.name());
    OpInfo { op, theory, name, old_names, indices, signatures, attribute, is_ascribed }
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
    fn a_name_says_whether_it_is_old() {
        let spelling = |name: &str| TABLE.spellings[TABLE.by_name[name]];
        assert_eq!(spelling("str.in.re"), Spelling::Old);
        assert_eq!(spelling("str.in_re"), Spelling::New);
        assert_eq!(spelling("str.len"), Spelling::Neutral);
    }

    #[test]
    fn minus_is_two_operators() {
        assert_eq!(Op::named("-"), [Op::Neg, Op::Sub]);
    }

    #[test]
    fn only_operators_without_a_sort_of_their_own_are_ascribed() {
        let ascribed: Vec<&str> =
            Op::all().filter(|op| op.info().is_ascribed).map(|op| op.info().name).collect();
        assert_eq!(ascribed, ["const", "seq.empty"]);
    }
}
