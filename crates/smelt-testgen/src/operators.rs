//! Which operators techniques may introduce, and what they need besides the operator table to apply them.
//!
//! The table knows every operator that some solver knows. The standard set leaves out what SMT-LIB 2.6 does not have;
//! mutations of seeds use what the solvers read that read the seed. [`is_portable`] leaves out the uses of operators that
//! solvers refuse.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Attribute, Constructor, Op, OpInfo, Signature, SortPattern, Theory};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::term::{Index, Term, Terms};

use crate::random::Random;
use crate::readers::Readers;
pub(crate) use crate::values::{draw_sort, draw_value};

/// Operators that are not in SMT-LIB 2.6, or that a widely used solver lacks, in theories that are otherwise standard.
const EXTENSIONS: &[Op] = &[
    // Z3's words.
    Op::ImpliesWord,
    Op::Iff,
    Op::AtMost,
    Op::AtLeast,
    Op::PbLe,
    Op::PbGe,
    Op::PbEq,
    // Standard, but not in Z3.
    Op::Divisible,
    // Arithmetic of Z3 and cvc5.
    Op::Power,
    Op::IntDivTotal,
    Op::ModTotal,
    Op::IntAnd,
    Op::IntPow2,
    Op::IntLog2,
    Op::Rem,
    Op::ParametricIntAnd,
    Op::RealDivTotal,
    // SMT-LIB 2.7: releases before 2024 do not know them.
    Op::BvNegO,
    Op::BvUaddO,
    Op::BvSaddO,
    Op::BvUmulO,
    Op::BvSmulO,
    Op::BvUsubO,
    Op::BvSsubO,
    Op::BvSdivO,
    Op::UbvToInt,
    Op::SbvToInt,
    Op::IntToBv,
    // Older names of these, and bit-vector operators of single solvers.
    Op::Bv2Nat,
    Op::Bv2Int,
    Op::Int2Bv,
    Op::BvRedOr,
    Op::BvRedAnd,
    Op::ExtRotateLeft,
    Op::ExtRotateRight,
    Op::BvUmulNoovfl,
    Op::BvSmulNoovfl,
    Op::BvSmulNoudfl,
    Op::Bit2Bool,
    Op::BvUdivI,
    Op::BvSdivI,
    Op::BvUremI,
    Op::BvSremI,
    Op::BvSmodI,
    Op::MakeBv,
    Op::BvIte,
    Op::ToFpScaled,
    Op::SelectFunction,
    Op::StoreFunction,
    Op::ConstFunction,
    Op::FpToIeeeBv,
    Op::ToFpBv,
    Op::ToFpFp,
    Op::ToFpReal,
    Op::ToFpSigned,
    // Arrays of cvc5 and Z3.
    Op::EqRange,
    Op::ArrayDefault,
    Op::ArrayExt,
    Op::ArrayUnion,
    Op::ArrayIntersection,
    Op::ArraySetMinus,
    Op::ArrayComplement,
    Op::ArraySubset,
    Op::ArrayCard,
    Op::ArrayHasSize,
    // Its argument must be a value in cvc5.
    Op::ConstArray,
    // Strings of Z3 or cvc5.
    Op::StrIndexofFromStart,
    Op::StrRev,
    Op::StrToLower,
    Op::StrToUpper,
    Op::StrUpdate,
    Op::StrIndexofRe,
    Op::StrFromUbv,
    Op::StrFromSbv,
    Op::ReLoopBetween,
    Op::ReLoopFrom,
];

/// Operators that a technique may introduce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSet {
    /// In table order.
    ops: Vec<Op>,
    /// The solvers that shall read what is made with them.
    pub(crate) readers: Readers,
}

impl OperatorSet {
    /// The operators of SMT-LIB 2.6.
    pub fn standard() -> Self {
        static STANDARD: LazyLock<Vec<Op>> =
            LazyLock::new(|| Op::all().filter(|op| is_standard(*op)).collect());
        OperatorSet { ops: STANDARD.clone(), readers: Readers::BOTH }
    }

    /// The operators that some solvers read.
    pub fn read_by(readers: Readers) -> &'static OperatorSet {
        static SETS: LazyLock<[OperatorSet; 3]> = LazyLock::new(|| {
            [Readers::Z3, Readers::CVC5, Readers::BOTH].map(|readers| OperatorSet {
                ops: Op::all()
                    .filter(|op| Readers::of_op(*op).include(readers) && why_never_introduced(*op).is_none())
                    .filter(|op| readers != Readers::CVC5 || !takes_functions(*op))
                    .collect(),
                readers,
            })
        });
        let [z3, cvc5, both] = &*SETS;
        match readers {
            Readers::Z3 => z3,
            Readers::CVC5 => cvc5,
            _ => both,
        }
    }

    /// The operators of this set for which `wanted` holds, such as those that a solver is known to accept.
    pub fn filter(mut self, wanted: impl Fn(Op) -> bool) -> Self {
        self.ops.retain(|op| wanted(*op));
        self
    }

    /// This set with one operator more.
    pub fn with(mut self, op: Op) -> Self {
        if let Err(place) = self.ops.binary_search(&op) {
            self.ops.insert(place, op);
        }
        self
    }

    /// Whether an operator is in the set.
    pub fn contains(&self, op: Op) -> bool {
        self.ops.binary_search(&op).is_ok()
    }

    /// In table order those that can take a first argument of one sort to a result of another, and perhaps some more:
    /// most operators are ruled out at once where both sorts are common ones.
    pub(crate) fn near(&self, first: Sort, result: Sort) -> impl Iterator<Item = Op> + '_ {
        let (shelf, all) = match SHELVES.get(&(first, result)) {
            Some(shelf) => (shelf.as_slice(), &[][..]),
            None => (&[][..], self.ops.as_slice()),
        };
        shelf.iter().copied().filter(|op| self.contains(*op)).chain(all.iter().copied())
    }

    /// A value of a sort, written with operators of this set: solvers that do not read constant arrays get none.
    pub(crate) fn draw_value(&self, terms: &mut Terms, sort: Sort, random: &mut Random) -> Option<Term> {
        let has_arrays = terms.sorts.any_part(sort, |kind| matches!(kind, SortKind::Array(..)));
        if has_arrays && !self.contains(Op::ConstArray) {
            return None;
        }
        draw_value(terms, sort, random)
    }

    /// The operators in table order.
    pub fn iter(&self) -> impl Iterator<Item = Op> + '_ {
        self.ops.iter().copied()
    }
}

/// All operators by first argument and result, for sorts that are the same everywhere.
static SHELVES: LazyLock<FxHashMap<(Sort, Sort), Vec<Op>>> = LazyLock::new(|| {
    const COMMON: [Sort; 5] = [Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING, Sort::REG_LAN];
    let sorts = Terms::new().sorts;
    let fits = |op: Op, first: Sort, result: Sort| {
        let info = op.info();
        info.signatures.iter().any(|signature| {
            // Where a real is wanted, an integer may stand.
            let takes = |sort: Sort| may_be(&sorts, param(info, signature, 0), sort);
            may_be(&sorts, &signature.result, result)
                && (signature.params.is_empty() || takes(first) || (first == Sort::INT && takes(Sort::REAL)))
        })
    };
    let pairs = COMMON.iter().flat_map(|first| COMMON.iter().map(move |result| (*first, *result)));
    pairs
        .map(|(first, result)| ((first, result), Op::all().filter(|op| fits(*op, first, result)).collect()))
        .collect()
});

impl Default for OperatorSet {
    fn default() -> Self {
        OperatorSet::standard()
    }
}

fn is_standard(op: Op) -> bool {
    let theory = op.info().theory;
    let is_extension = match theory {
        Theory::Core
        | Theory::Ints
        | Theory::Reals
        | Theory::BitVectors
        | Theory::Floats
        | Theory::Arrays
        | Theory::Strings
        | Theory::Regexes => EXTENSIONS.contains(&op),
        Theory::Transcendentals
        | Theory::Sequences
        | Theory::HigherOrder
        | Theory::Tuples
        | Theory::Sets
        | Theory::Relations
        | Theory::Bags
        | Theory::FiniteFields
        | Theory::Nullables
        | Theory::FiniteSets
        | Theory::Separation
        | Theory::Cardinality => true,
    };
    !is_extension
}

/// Whether solvers accept an operator of the standard at arguments of sorts that the table allows.
pub(crate) fn is_portable(sorts: &Sorts, op: Op, args: &[Sort]) -> bool {
    match op {
        // Regular languages are no first-class values.
        Op::Eq | Op::Distinct | Op::Ite => {
            let sort = args[args.len() - 1];
            !sorts.any_part(sort, |kind| {
                matches!(kind, SortKind::RegLan | SortKind::Unknown | SortKind::Arrow(_) | SortKind::Param(_))
            })
        }
        // The standard has them for integers only.
        Op::Abs | Op::ToReal => args[0] == Sort::INT,
        // Solvers take two arguments only, whatever the standard says.
        Op::BvSub | Op::BvXnor | Op::StrLt | Op::StrLe => args.len() == 2,
        _ => true,
    }
}

/// Whether solvers want the arguments of an operator to be literals, whatever the standard says.
pub(crate) fn wants_literals(op: Op) -> bool {
    // cvc5 wants a value in a constant array.
    matches!(op, Op::ReRange | Op::ConstArray)
}

/// The parameter that the argument at `position` stands for.
pub(crate) fn param(info: &OpInfo, signature: &'static Signature, position: usize) -> &'static SortPattern {
    match info.attribute {
        Attribute::Fixed => &signature.params[position],
        _ => &signature.params[position.min(1)],
    }
}

/// Whether a signature may take so many arguments. The standard wants two at least of an associative operator.
pub(crate) fn takes_arity(info: &OpInfo, signature: &Signature, arity: usize) -> bool {
    match info.attribute {
        Attribute::Fixed => signature.params.len() == arity,
        _ => arity >= 2,
    }
}

/// Whether a pattern may become a sort, as far as this can be seen without binding variables.
pub(crate) fn may_be(sorts: &Sorts, pattern: &SortPattern, sort: Sort) -> bool {
    match pattern {
        SortPattern::Fixed(expected) => *expected == sort,
        SortPattern::Var(_) => true,
        SortPattern::BitVec(_) => matches!(sorts.kind(sort), SortKind::BitVec(_)),
        SortPattern::Float(..) => matches!(sorts.kind(sort), SortKind::Float(..)),
        SortPattern::Field(_) => matches!(sorts.kind(sort), SortKind::FiniteField(_)),
        SortPattern::Applied(constructor, parts) => {
            Constructor::of(sorts.kind(sort)) == Some(*constructor)
                && sorts.components(sort).len() == parts.len()
        }
    }
}

/// Draws indices with which an operator at arguments of these sorts has this result; none if there are none.
///
/// An operator without indices has none to draw: the answer is the empty list.
pub(crate) fn draw_indices(
    terms: &mut Terms,
    op: Op,
    args: &[Sort],
    result: Sort,
    random: &mut Random,
) -> Option<Vec<Index>> {
    if op.info().indices.is_empty() && !op.info().takes_any_indices {
        return Some(Vec::new());
    }
    let width_of = |sort: Sort| match terms.sorts.kind(sort) {
        SortKind::BitVec(width) => Some(u64::from(*width)),
        _ => None,
    };
    let numbers = match op {
        Op::Extract => {
            let (from, to) = (width_of(args[0])?, width_of(result)?);
            let low = random.below(from.checked_sub(to)? + 1);
            vec![low + to - 1, low]
        }
        Op::Repeat => {
            let (from, to) = (width_of(args[0])?, width_of(result)?);
            if to % from != 0 {
                return None;
            }
            vec![to / from]
        }
        Op::ZeroExtend | Op::SignExtend => vec![width_of(result)?.checked_sub(width_of(args[0])?)?],
        Op::RotateLeft | Op::RotateRight => vec![random.below(width_of(result)? + 1)],
        Op::IntToBv | Op::Int2Bv | Op::FpToUbv | Op::FpToSbv => vec![width_of(result)?],
        Op::Bit2Bool => vec![random.below(width_of(args[0])?)],
        Op::Divisible => vec![1 + random.below(8)],
        Op::IntAnd => vec![1 + random.below(8)],
        Op::RePower | Op::ReLoopFrom => vec![random.below(4)],
        Op::ReLoop => {
            let least = random.below(4);
            vec![least, least + random.below(3)]
        }
        Op::FpPlusInfinity | Op::FpMinusInfinity | Op::FpPlusZero | Op::FpMinusZero | Op::FpNan => {
            float_format(&terms.sorts, result)?
        }
        Op::ToFp | Op::ToFpUnsigned | Op::ToFpBv | Op::ToFpFp | Op::ToFpReal | Op::ToFpSigned => {
            float_format(&terms.sorts, result)?
        }
        Op::AtMost | Op::AtLeast => vec![random.below(1 + args.len() as u64)],
        Op::PbLe | Op::PbGe | Op::PbEq => {
            let bound = random.below(4);
            std::iter::once(bound).chain(args.iter().map(|_| random.below(3))).collect()
        }
        Op::Char => {
            let code = 0x61 + random.below(4);
            return Some(vec![Index::Text(terms.symbols.intern(&format!("#x{code:x}")))]);
        }
        Op::TupleSelect => {
            let parts = components_of_tuple(&terms.sorts, args[0])?;
            vec![position_of(&parts, result, random)?]
        }
        Op::TupleUpdate => {
            let parts = components_of_tuple(&terms.sorts, args[0])?;
            vec![position_of(&parts, args[1], random)?]
        }
        Op::TupleProject | Op::RelProject | Op::TableProject => {
            let from = components_of_tuple(&terms.sorts, args[0])?;
            let to = components_of_tuple(&terms.sorts, result)?;
            to.iter().map(|wanted| position_of(&from, *wanted, random)).collect::<Option<_>>()?
        }
        Op::RelTableJoin | Op::TableJoin => {
            let (left, right) =
                (components_of_tuple(&terms.sorts, args[0])?, components_of_tuple(&terms.sorts, args[1])?);
            let place = random.position(left.len().max(1));
            vec![place as u64, position_of(&right, *left.get(place)?, random)?]
        }
        Op::RelGroup | Op::TableGroup => {
            vec![random.position(components_of_tuple(&terms.sorts, args[0])?.len().max(1)) as u64]
        }
        Op::RelAggregate | Op::TableAggregate => {
            vec![random.position(components_of_tuple(&terms.sorts, args[2])?.len().max(1)) as u64]
        }
        Op::ArrayMapOp | Op::NullableLiftOp => {
            let element = *terms.sorts.components(args[0]).last()?;
            let name = if element == Sort::BOOL { "not" } else { "-" };
            return Some(vec![Index::Text(terms.symbols.intern(name))]);
        }
        // An indexed operator that nobody taught us to draw indices for is not introduced.
        _ => return None,
    };
    Some(numbers.into_iter().map(Index::Number).collect())
}

/// The components of a tuple, or of the tuples of a relation or table.
fn components_of_tuple(sorts: &Sorts, sort: Sort) -> Option<Vec<Sort>> {
    let sort = match sorts.kind(sort) {
        SortKind::Set(element) | SortKind::Bag(element) => *element,
        _ => sort,
    };
    matches!(sorts.kind(sort), SortKind::Tuple(_)).then(|| sorts.components(sort))
}

/// Where one of some sorts is this one.
fn position_of(parts: &[Sort], wanted: Sort, random: &mut Random) -> Option<u64> {
    let places: Vec<usize> = (0..parts.len()).filter(|place| parts[*place] == wanted).collect();
    random.choose(&places).map(|place| *place as u64)
}

fn float_format(sorts: &Sorts, sort: Sort) -> Option<Vec<u64>> {
    match sorts.kind(sort) {
        SortKind::Float(exponent, significand) => Some(vec![u64::from(*exponent), u64::from(*significand)]),
        _ => None,
    }
}

/// Why no technique introduces an operator; none if one does.
pub fn why_never_introduced(op: Op) -> Option<&'static str> {
    if Readers::of_op(op) == Readers::NONE {
        return Some("neither z3 nor cvc5 reads it");
    }
    match op {
        Op::SetUniverse | Op::SetComplement | Op::EqRange => Some("cvc5 wants an option for it"),
        Op::FmfCard => Some("its index is a sort that a script declares"),
        Op::AsArray | Op::ArrayMap => Some("it takes a function by its name"),
        Op::ApplyTerm => Some("its text is that of an ordinary application if it applies a name"),
        Op::FiniteSetSingleton => Some("its text is that of an operator of cvc5"),
        _ if op.info().theory == Theory::Separation => Some("it needs a declared heap"),
        _ => None,
    }
}

/// Whether cvc5 wants a logic of functions for an operator.
fn takes_functions(op: Op) -> bool {
    let is_function = |pattern: &SortPattern| matches!(pattern, SortPattern::Applied(Constructor::Arrow, _));
    let takes = op.info().signatures.iter().flat_map(|signature| &signature.params).any(is_function);
    // cvc5 expands it to one that does.
    takes || op == Op::RelProject
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_not_standard() {
        let standard = OperatorSet::standard();
        assert!(standard.contains(Op::StrContains));
        assert!(!standard.contains(Op::StrRev));
        assert!(!standard.contains(Op::Exp));
        assert!(!standard.contains(Op::SeqLen));
    }

    #[test]
    fn a_set_can_be_widened_and_narrowed() {
        let standard = OperatorSet::standard();
        let wider = standard.clone().with(Op::StrRev).with(Op::StrRev);
        assert!(wider.contains(Op::StrRev));
        assert_eq!(wider.filter(|op| op != Op::StrRev), standard);
    }

    #[test]
    fn indices_can_be_drawn_for_every_standard_operator_that_has_them() {
        let mut terms = Terms::new();
        let byte = terms.sorts.bit_vec(8);
        let float = terms.sorts.float(3, 5);
        let sorts = [
            Sort::BOOL,
            Sort::INT,
            Sort::REAL,
            Sort::STRING,
            Sort::REG_LAN,
            Sort::ROUNDING_MODE,
            byte,
            float,
        ];
        for op in OperatorSet::standard().iter().filter(|op| !op.info().indices.is_empty()) {
            let drawn = sorts.iter().any(|result| {
                sorts
                    .iter()
                    .any(|arg| draw_indices(&mut terms, op, &[*arg], *result, &mut Random::new(0)).is_some())
            });
            assert!(drawn, "{op:?}");
        }
    }
}
