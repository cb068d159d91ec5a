//! Which operators techniques may introduce, and what they need besides the operator table to apply them.
//!
//! The table knows every operator that some solver knows. A case that only one solver accepts tells nothing, so
//! the standard set leaves out what SMT-LIB 2.6 does not have, and [`is_portable`] the uses of standard operators
//! that solvers refuse.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use smelt_smtlib::op::{Attribute, Op, OpInfo, Signature, SortPattern, Theory};
use smelt_smtlib::sort::{Sort, SortKind, Sorts};
use smelt_smtlib::term::{Index, Literal, Term, Terms};

use crate::random::Random;

/// Operators that are not in SMT-LIB 2.6, or that a widely used solver lacks, in theories that are otherwise standard.
const EXTENSIONS: &[Op] = &[
    // Z3's words.
    Op::ImpliesWord,
    Op::Iff,
    // Standard, but not in Z3.
    Op::Divisible,
    // Arithmetic of Z3 and cvc5.
    Op::Power,
    Op::IntDivTotal,
    Op::ModTotal,
    Op::IntAnd,
    Op::IntPow2,
    Op::IntLog2,
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
    Op::FpToIeeeBv,
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
}

impl OperatorSet {
    /// The operators of SMT-LIB 2.6.
    pub fn standard() -> Self {
        static STANDARD: LazyLock<Vec<Op>> =
            LazyLock::new(|| Op::all().filter(|op| is_standard(*op)).collect());
        OperatorSet { ops: STANDARD.clone() }
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
    !matches!(theory, Theory::Transcendentals | Theory::Sequences) && !EXTENSIONS.contains(&op)
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
    op == Op::ReRange
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
        SortPattern::Array(..) => matches!(sorts.kind(sort), SortKind::Array(..)),
        SortPattern::Seq(_) => matches!(sorts.kind(sort), SortKind::Seq(_)),
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
    if op.info().indices.is_empty() {
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
        Op::ToFp | Op::ToFpUnsigned => float_format(&terms.sorts, result)?,
        Op::Char => {
            let code = 0x61 + random.below(4);
            return Some(vec![Index::Text(terms.symbols.intern(&format!("#x{code:x}")))]);
        }
        // An indexed operator that nobody taught us to draw indices for is not introduced.
        _ => return None,
    };
    Some(numbers.into_iter().map(Index::Number).collect())
}

fn float_format(sorts: &Sorts, sort: Sort) -> Option<Vec<u64>> {
    match sorts.kind(sort) {
        SortKind::Float(exponent, significand) => Some(vec![u64::from(*exponent), u64::from(*significand)]),
        _ => None,
    }
}

/// A small value of a sort, if its values can be written down.
pub(crate) fn draw_value(terms: &mut Terms, sort: Sort, random: &mut Random) -> Option<Term> {
    const INTS: &[&str] = &["0", "1", "2", "3", "5", "10"];
    const REALS: &[&str] = &["0.0", "1.0", "2.0", "0.5", "1.25", "10.0"];
    const WORDS: &[&str] = &["", "a", "b", "ab", "ba", "aa", "0", "12", "A", "-1", " "];
    const WIDEST: u32 = 1024;
    match *terms.sorts.kind(sort) {
        SortKind::Bool => Some(terms.bool(random.one_in(2))),
        SortKind::Int | SortKind::Real => {
            let (kind, texts) =
                if sort == Sort::INT { (Literal::Numeral, INTS) } else { (Literal::Decimal, REALS) };
            let value = terms.literal(kind, random.choose(texts)?, sort);
            if random.one_in(4) { terms.apply(Op::Neg, &[], &[value]).ok() } else { Some(value) }
        }
        SortKind::String => Some(terms.literal(Literal::Str, random.choose(WORDS)?, sort)),
        SortKind::RegLan => {
            let word = draw_value(terms, Sort::STRING, random)?;
            terms.apply(Op::StrToRe, &[], &[word]).ok()
        }
        SortKind::RoundingMode => {
            let modes = [Op::Rne, Op::Rna, Op::Rtp, Op::Rtn, Op::Rtz];
            terms.apply(*random.choose(&modes)?, &[], &[]).ok()
        }
        SortKind::BitVec(width) if width <= WIDEST => {
            let digits = width as usize;
            let text = match random.below(4) {
                0 => "0".repeat(digits),
                1 => "1".repeat(digits),
                2 => format!("1{}", "0".repeat(digits - 1)),
                _ => format!("{}1", "0".repeat(digits - 1)),
            };
            Some(terms.literal(Literal::Binary, &text, sort))
        }
        SortKind::Float(exponent, significand) => {
            let ops = [Op::FpPlusZero, Op::FpMinusZero, Op::FpPlusInfinity, Op::FpMinusInfinity, Op::FpNan];
            let format = [exponent, significand].map(|bits| Index::Number(u64::from(bits)));
            terms.apply(*random.choose(&ops)?, &format, &[]).ok()
        }
        _ => None,
    }
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
