//! Which of the two large families of solvers read an operator.
//!
//! Each of them has operators that the other does not know. A case with some of both is read by none and tells nothing,
//! so a chain speaks one language: what both read, or also what one of them reads. Our evaluator judges a solver that is
//! alone by its models.
//!
//! What current releases read with default options is in the lists below: those of Z3 5.4 and cvc5 1.4.

use smelt_smtlib::op::{Op, Theory};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Head, Term, Terms};
use smelt_smtlib::walk::subterms;

/// The families that read something, of Z3 and cvc5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Readers(u8);

impl Readers {
    /// Neither.
    pub const NONE: Readers = Readers(0);
    /// Z3 alone.
    pub const Z3: Readers = Readers(1);
    /// cvc5 alone.
    pub const CVC5: Readers = Readers(2);
    /// Both.
    pub const BOTH: Readers = Readers(3);

    /// Those that read both of two things.
    pub fn and(self, other: Readers) -> Readers {
        Readers(self.0 & other.0)
    }

    /// Whether all of these read it.
    pub fn include(self, other: Readers) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those that read an operator.
    pub fn of_op(op: Op) -> Readers {
        match op.info().theory {
            Theory::Tuples
            | Theory::Sets
            | Theory::Relations
            | Theory::Bags
            | Theory::FiniteFields
            | Theory::Nullables
            | Theory::Separation
            | Theory::Cardinality => return Readers::CVC5,
            Theory::FiniteSets => return Readers::Z3,
            _ => {}
        }
        if Z3_ALONE.contains(&op) {
            return Readers::Z3;
        }
        if CVC5_ALONE.contains(&op) {
            return Readers::CVC5;
        }
        if NEITHER.contains(&op) { Readers::NONE } else { Readers::BOTH }
    }

    /// Those that read all terms of a script with default options.
    pub fn of_script(terms: &Terms, script: &Script) -> Readers {
        let is_higher_order = is_higher_order(terms, script);
        let roots: Vec<Term> = script.terms().collect();
        let declared = script.commands.iter().filter_map(|command| match command {
            Command::DeclareConst(_, sort) | Command::DeclareFun(_, _, sort) => Some(*sort),
            _ => None,
        });
        let readers = declared.map(|sort| Readers::of_sort(terms, sort)).fold(Readers::BOTH, Readers::and);
        let is_plain = |term: &Term| !(is_higher_order && matches!(terms.head(*term), Head::Lambda(_)));
        subterms(terms, &roots)
            .into_iter()
            .filter(is_plain)
            .map(|term| Readers::of_term(terms, term))
            .fold(readers, Readers::and)
    }

    /// Those that read a term, whatever its arguments are.
    pub(crate) fn of_term(terms: &Terms, term: Term) -> Readers {
        let head = match terms.head(term) {
            Head::Op(op, _) => Readers::of_op(op),
            Head::Updater(_) => Readers::CVC5,
            Head::Lambda(_) => Readers::Z3,
            _ => Readers::BOTH,
        };
        head.and(Readers::of_sort(terms, terms.sort(term)))
    }

    /// Those that read a sort with default options. cvc5 takes floats of two formats only.
    fn of_sort(terms: &Terms, sort: Sort) -> Readers {
        const FORMATS: [(u32, u32); 2] = [(8, 24), (11, 53)];
        let is_odd = |kind: &SortKind| matches!(kind, SortKind::Float(exponent, significand) if !FORMATS.contains(&(*exponent, *significand)));
        if terms.sorts.any_part(sort, is_odd) { Readers::Z3 } else { Readers::BOTH }
    }

    /// Those among some families by name.
    pub fn named(families: &[String]) -> Readers {
        let has = |name: &str| families.iter().any(|family| family == name);
        match (has("z3"), has("cvc5")) {
            (true, true) => Readers::BOTH,
            (true, false) => Readers::Z3,
            (false, true) => Readers::CVC5,
            (false, false) => Readers::NONE,
        }
    }
}

/// Whether a script asks for functions as values, without which cvc5 does not read lambdas.
pub(crate) fn is_higher_order(terms: &Terms, script: &Script) -> bool {
    script.logic().is_some_and(|logic| terms.text(logic).starts_with("HO_"))
}

/// Operators that only Z3 reads. cvc5 wants `--arrays-exp` for constant arrays.
const Z3_ALONE: &[Op] = &[
    Op::ImpliesWord,
    Op::Iff,
    Op::AtMost,
    Op::AtLeast,
    Op::PbLe,
    Op::PbGe,
    Op::PbEq,
    Op::Pi,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Sinh,
    Op::Cosh,
    Op::Tanh,
    Op::Asinh,
    Op::Acosh,
    Op::Atanh,
    Op::Bv2Int,
    Op::BvUdivI,
    Op::BvSdivI,
    Op::BvUremI,
    Op::BvSremI,
    Op::BvSmodI,
    Op::MakeBv,
    Op::ExtRotateLeft,
    Op::ExtRotateRight,
    Op::BvUmulNoovfl,
    Op::BvSmulNoovfl,
    Op::BvSmulNoudfl,
    Op::Bit2Bool,
    Op::ToFpScaled,
    Op::FpToIeeeBv,
    Op::StrIndexofFromStart,
    Op::StrFromUbv,
    Op::StrFromSbv,
    Op::ReLoopBetween,
    Op::ReLoopFrom,
    Op::Rem,
    Op::Euler,
    Op::ArrayDefault,
    Op::ArrayExt,
    Op::ArrayUnion,
    Op::ArrayIntersection,
    Op::ArraySetMinus,
    Op::ArrayComplement,
    Op::ArraySubset,
    Op::ConstArray,
    Op::SelectFunction,
    Op::StoreFunction,
    Op::ConstFunction,
    Op::SeqIndexofFromStart,
    Op::SeqLastIndexof,
    Op::SeqMap,
    Op::SeqMapi,
    Op::SeqFoldl,
    Op::SeqFoldli,
    Op::SeqFoldLeft,
    Op::SeqFoldLefti,
    Op::AsArray,
    Op::ArrayMap,
    Op::ArrayMapOp,
];

/// Operators that only cvc5 reads.
const CVC5_ALONE: &[Op] = &[
    Op::Divisible,
    Op::IntDivTotal,
    Op::ModTotal,
    Op::IntAnd,
    Op::IntPow2,
    Op::IntLog2,
    Op::RealDivTotal,
    Op::RealPi,
    Op::Sqrt,
    Op::Csc,
    Op::Sec,
    Op::Cot,
    Op::Arcsin,
    Op::Arccos,
    Op::Arctan,
    Op::Arccsc,
    Op::Arcsec,
    Op::Arccot,
    Op::StrRev,
    Op::StrToLower,
    Op::StrToUpper,
    Op::StrUpdate,
    Op::StrIndexofRe,
    Op::SeqUpdate,
    Op::SeqRev,
    Op::ParametricIntAnd,
    Op::BvIte,
    Op::ToFpBv,
    Op::ToFpFp,
    Op::ToFpReal,
    Op::ToFpSigned,
    Op::EqRange,
    Op::Apply,
    // The words for strings on sequences.
    Op::SeqStrConcat,
    Op::SeqStrLen,
    Op::SeqStrAt,
    Op::SeqStrSubstr,
    Op::SeqStrContains,
    Op::SeqStrIndexof,
    Op::SeqStrReplace,
    Op::SeqStrReplaceAll,
    Op::SeqStrPrefixof,
    Op::SeqStrSuffixof,
    Op::SeqStrUpdate,
    Op::SeqStrRev,
];

/// Operators that current releases of neither read.
const NEITHER: &[Op] = &[Op::ArrayCard, Op::ArrayHasSize];

#[cfg(test)]
mod tests {
    use smelt_smtlib::op::Dialect;
    use smelt_smtlib::read::read_script_as;

    use super::*;

    fn check(source: &str, readers: Readers) {
        let mut terms = Terms::new();
        let reading = read_script_as(&mut terms, source, Dialect::V26);
        assert_eq!(reading.diagnostics, []);
        assert_eq!(Readers::of_script(&terms, &reading.script), readers, "{source}");
    }

    #[test]
    fn a_script_is_read_by_those_who_read_all_of_it() {
        check("(declare-const x Int)(assert (= x 1))(check-sat)", Readers::BOTH);
        check("(declare-const x String)(assert (= x (str.rev x)))(check-sat)", Readers::CVC5);
        check("(declare-const p Bool)(assert (implies p p))(check-sat)", Readers::Z3);
        check("(declare-const p Bool)(assert (implies p (= 1 (int.pow2 0))))(check-sat)", Readers::NONE);
        check("(declare-const x (_ FloatingPoint 3 5))(check-sat)", Readers::Z3);
        check("(declare-const x Float32)(assert (fp.isNaN x))(check-sat)", Readers::BOTH);
    }

    #[test]
    fn every_operator_is_read_by_a_family_once() {
        for op in Z3_ALONE.iter().chain(CVC5_ALONE) {
            assert!(Z3_ALONE.contains(op) != CVC5_ALONE.contains(op), "{op:?}");
            assert!(!NEITHER.contains(op), "{op:?}");
        }
    }
}
