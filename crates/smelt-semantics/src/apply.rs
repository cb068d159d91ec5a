//! What each operator of the table does to values.
//!
//! One match over all operators and no fallback branch: a new row in the table does not compile until it has a meaning
//! here. What takes more than a few lines is in a file for its theory. The Boolean connectives and `ite` are here for
//! completeness; the evaluator takes the short way where one argument decides.

use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::Sort;
use smelt_smtlib::term::Index;

use crate::bitvec::BitVec;
use crate::cost::Work;
use crate::eval::EvalResult;
use crate::float::{Float, RoundingMode};
use crate::regex::Re;
use crate::sequence;
use crate::string::Str;
use crate::unknown::Unknown;
use crate::value::Value;
use args::{Args, IntoOutcome};
use arithmetic::{div_euclid, rem_euclid};
use context::{Context, index_number};

mod args;
mod arithmetic;
mod arrays;
mod bags;
mod bits;
pub(crate) mod context;
mod equality;
mod floats;
pub(crate) mod relations;
mod sets;
mod strings;
mod tuples;

/// Whether no two of some values are equal.
pub(crate) fn pairwise_distinct(ctx: &mut Context<'_>, values: &[Value]) -> EvalResult {
    Args(values).pairwise_distinct(ctx)
}

/// An operator with its indices, its arguments and the sort of its result.
pub(crate) struct Application<'a> {
    pub op: Op,
    pub indices: &'a [Index],
    pub sort: Sort,
    pub args: &'a [Value],
}

/// Applies the operator that an index names to values: the first of that name that takes them.
pub(crate) fn apply_named(
    ctx: &mut Context<'_>,
    index: Option<&Index>,
    args: &[Value],
    sort: Sort,
) -> EvalResult {
    let Some(Index::Text(name)) = index else { return Err(Unknown::IllSorted) };
    for op in Op::named(ctx.terms.text(*name)) {
        match apply(ctx, &Application { op: *op, indices: &[], sort, args }) {
            Err(Unknown::IllSorted) => {}
            outcome => return outcome,
        }
    }
    Err(Unknown::IllSorted)
}

/// How many of some truth values are true.
fn count_true(args: Args<'_>) -> Result<UBig, Unknown> {
    Ok(UBig::from(args.bools()?.into_iter().filter(|arg| *arg).count()))
}

/// Applies an operator to values of the right sorts.
pub(crate) fn apply(ctx: &mut Context<'_>, application: &Application<'_>) -> EvalResult {
    let args = Args(application.args);
    let number = |position: usize| index_number(application.indices, position);
    match application.op {
        Op::True => Ok(Value::Bool(true)),
        Op::False => Ok(Value::Bool(false)),
        Op::Not => Ok(Value::Bool(!args.bool(0)?)),
        Op::And => args.bools()?.into_iter().all(|arg| arg).ok(),
        Op::Or => args.bools()?.into_iter().any(|arg| arg).ok(),
        Op::Xor => (args.bools()?.into_iter().filter(|arg| *arg).count() % 2 == 1).ok(),
        Op::Implies | Op::ImpliesWord => {
            let bools = args.bools()?;
            let (conclusion, premises) = bools.split_last().ok_or(Unknown::IllSorted)?;
            (*conclusion || premises.iter().any(|premise| !premise)).ok()
        }
        Op::Eq | Op::Iff => args.chain(|left, right| ctx.equal(left, right)),
        Op::Distinct => args.pairwise_distinct(ctx),
        Op::Ite => Ok(if args.bool(0)? { args.get(1)? } else { args.get(2)? }.clone()),

        Op::AtMost => (count_true(args)? <= ctx.index_natural(application.indices, 0)?).ok(),
        Op::AtLeast => (count_true(args)? >= ctx.index_natural(application.indices, 0)?).ok(),
        Op::PbLe | Op::PbGe | Op::PbEq => {
            let bound = ctx.index_natural(application.indices, 0)?;
            let mut sum = UBig::ZERO;
            for (position, arg) in args.bools()?.into_iter().enumerate() {
                if arg {
                    sum += ctx.index_natural(application.indices, position + 1)?;
                }
            }
            match application.op {
                Op::PbLe => (sum <= bound).ok(),
                Op::PbGe => (sum >= bound).ok(),
                _ => (sum == bound).ok(),
            }
        }
        Op::MakeBv => {
            let digits: String = args.bools()?.into_iter().map(|bit| if bit { '1' } else { '0' }).collect();
            BitVec::parse_binary(&digits).ok_or(Unknown::IllSorted)?.ok()
        }
        Op::SeqStrConcat => sequence::apply(Op::SeqConcat, application.args, ctx.budget),
        Op::SeqStrLen => sequence::apply(Op::SeqLen, application.args, ctx.budget),
        Op::SeqStrAt => sequence::apply(Op::SeqAt, application.args, ctx.budget),
        Op::SeqStrSubstr => sequence::apply(Op::SeqExtract, application.args, ctx.budget),
        Op::SeqStrContains => sequence::apply(Op::SeqContains, application.args, ctx.budget),
        Op::SeqStrIndexof => sequence::apply(Op::SeqIndexof, application.args, ctx.budget),
        Op::SeqStrReplace => sequence::apply(Op::SeqReplace, application.args, ctx.budget),
        Op::SeqStrReplaceAll => sequence::apply(Op::SeqReplaceAll, application.args, ctx.budget),
        Op::SeqStrPrefixof => sequence::apply(Op::SeqPrefixof, application.args, ctx.budget),
        Op::SeqStrSuffixof => sequence::apply(Op::SeqSuffixof, application.args, ctx.budget),
        Op::SeqStrUpdate => sequence::apply(Op::SeqUpdate, application.args, ctx.budget),
        Op::SeqStrRev => sequence::apply(Op::SeqRev, application.args, ctx.budget),
        // Of these only the sorts are known.
        Op::StoreFunction | Op::ConstFunction | Op::ToFpScaled => Err(Unknown::NoMeaning(application.op)),

        // An operator that an index names is the first of its name that takes the arguments.
        Op::Neg if args.0.len() != 1 => Err(Unknown::IllSorted),
        Op::Neg => args.negated(application.sort, ctx),
        // Its text is that of a negation.
        Op::Sub if args.0.len() == 1 => args.negated(application.sort, ctx),
        Op::Sub => args.numeric(application.sort, ctx, Work::Linear, |a, b| a - b, |a, b| a - b),
        Op::Add => args.numeric(application.sort, ctx, Work::Linear, |a, b| a + b, |a, b| a + b),
        Op::Mul => args.numeric(application.sort, ctx, Work::Product, |a, b| a * b, |a, b| a * b),
        Op::IntDiv => {
            args.fold_ints(ctx, Work::Quotient, |a, b| div_euclid(a, b).ok_or(Unknown::Open(Op::IntDiv)))
        }
        Op::Mod => args.fold_ints(ctx, Work::Quotient, |a, b| rem_euclid(a, b).ok_or(Unknown::Open(Op::Mod))),
        Op::Abs => match ctx.copy(args.get(0)?)? {
            Value::Real(number) if number < RBig::ZERO => Ok(Value::Real(-number)),
            Value::Int(number) if number < IBig::ZERO => Ok(Value::Int(-number)),
            other => Ok(other),
        },
        Op::Le => args.compare(ctx, |ordering| ordering.is_le()),
        Op::Lt => args.compare(ctx, |ordering| ordering.is_lt()),
        Op::Ge => args.compare(ctx, |ordering| ordering.is_ge()),
        Op::Gt => args.compare(ctx, |ordering| ordering.is_gt()),
        Op::Divisible => {
            let divisor = ctx.index_natural(application.indices, 0)?;
            arithmetic::divisible(ctx, args, IBig::from(divisor))
        }
        Op::Power => arithmetic::power(ctx, args, application.sort),
        Op::IntDivTotal => {
            args.fold_ints(ctx, Work::Quotient, |a, b| Ok(div_euclid(a, b).unwrap_or(IBig::ZERO)))
        }
        Op::ModTotal => {
            args.fold_ints(ctx, Work::Quotient, |a, b| Ok(rem_euclid(a, b).unwrap_or_else(|| a.clone())))
        }
        Op::IntAnd => arithmetic::int_and(ctx, args, number(0)?),
        Op::IntPow2 => arithmetic::int_pow2(ctx, args),
        Op::IntLog2 => arithmetic::int_log2(args),

        Op::RealDiv => {
            args.fold_reals(ctx, |a, b| if b.is_zero() { Err(Unknown::Open(Op::RealDiv)) } else { Ok(a / b) })
        }
        Op::RealDivTotal => args.fold_reals(ctx, |a, b| Ok(if b.is_zero() { RBig::ZERO } else { a / b })),
        Op::ToReal => Ok(Value::Real(ctx.real(args.get(0)?)?)),
        Op::ToInt => arithmetic::to_int(ctx, args),
        Op::IsInt => match args.get(0)? {
            Value::Real(number) => number.is_int().ok(),
            other => other.int().map(|_| Value::Bool(true)),
        },

        Op::RealPi
        | Op::Pi
        | Op::Exp
        | Op::Sqrt
        | Op::Sin
        | Op::Cos
        | Op::Tan
        | Op::Csc
        | Op::Sec
        | Op::Cot
        | Op::Arcsin
        | Op::Arccos
        | Op::Arctan
        | Op::Arccsc
        | Op::Arcsec
        | Op::Arccot
        | Op::Asin
        | Op::Acos
        | Op::Atan
        | Op::Sinh
        | Op::Cosh
        | Op::Tanh
        | Op::Asinh
        | Op::Acosh
        | Op::Atanh => Err(Unknown::Irrational),

        Op::Concat => bits::concat(ctx, args),
        Op::Extract => bits::extract(ctx, args, number(0)?, number(1)?),
        Op::BvNot => args.bv1(ctx, BitVec::not),
        Op::BvNeg => args.bv1(ctx, BitVec::neg),
        Op::BvAnd => args.fold_bvs(ctx, Work::Linear, BitVec::and),
        Op::BvOr => args.fold_bvs(ctx, Work::Linear, BitVec::or),
        Op::BvXor => args.fold_bvs(ctx, Work::Linear, BitVec::xor),
        Op::BvNand => args.fold_bvs(ctx, Work::Linear, BitVec::nand),
        Op::BvNor => args.fold_bvs(ctx, Work::Linear, BitVec::nor),
        // Z3 alone takes one argument, and inverts it, which no reading as an associative operator gives.
        Op::BvXnor if args.0.len() == 1 => Err(Unknown::Open(Op::BvXnor)),
        Op::BvXnor => args.fold_bvs(ctx, Work::Linear, BitVec::xnor),
        Op::BvAdd => args.fold_bvs(ctx, Work::Linear, BitVec::add),
        Op::BvSub => args.fold_bvs(ctx, Work::Linear, BitVec::sub),
        Op::BvMul => args.fold_bvs(ctx, Work::Product, BitVec::mul),
        Op::BvUdiv | Op::BvUdivI => args.fold_bvs(ctx, Work::Quotient, BitVec::udiv),
        Op::BvUrem | Op::BvUremI => args.fold_bvs(ctx, Work::Quotient, BitVec::urem),
        Op::BvSdiv | Op::BvSdivI => args.fold_bvs(ctx, Work::Quotient, BitVec::sdiv),
        Op::BvSrem | Op::BvSremI => args.fold_bvs(ctx, Work::Quotient, BitVec::srem),
        Op::BvSmod | Op::BvSmodI => args.fold_bvs(ctx, Work::Quotient, BitVec::smod),
        Op::BvShl => args.fold_bvs(ctx, Work::Linear, BitVec::shl),
        Op::BvLshr => args.fold_bvs(ctx, Work::Linear, BitVec::lshr),
        Op::BvAshr => args.fold_bvs(ctx, Work::Linear, BitVec::ashr),
        Op::BvComp => args.fold_bvs(ctx, Work::Linear, BitVec::comp),
        Op::BvUlt => args.bv_test(ctx, Work::Linear, BitVec::ult),
        Op::BvUle => args.bv_test(ctx, Work::Linear, BitVec::ule),
        Op::BvUgt => args.bv_test(ctx, Work::Linear, BitVec::ugt),
        Op::BvUge => args.bv_test(ctx, Work::Linear, BitVec::uge),
        Op::BvSlt => args.bv_test(ctx, Work::Linear, BitVec::slt),
        Op::BvSle => args.bv_test(ctx, Work::Linear, BitVec::sle),
        Op::BvSgt => args.bv_test(ctx, Work::Linear, BitVec::sgt),
        Op::BvSge => args.bv_test(ctx, Work::Linear, BitVec::sge),
        Op::Repeat => bits::repeat(ctx, args, number(0)?),
        Op::ZeroExtend => bits::extend(ctx, args, number(0)?, BitVec::zero_extend),
        Op::SignExtend => bits::extend(ctx, args, number(0)?, BitVec::sign_extend),
        Op::RotateLeft => {
            let amount = number(0)?;
            args.bv1(ctx, |bits| bits.rotate_left(amount))
        }
        Op::RotateRight => {
            let amount = number(0)?;
            args.bv1(ctx, |bits| bits.rotate_right(amount))
        }
        Op::BvNegO => {
            ctx.spend_width(args.bv(0)?.width())?;
            args.bv(0)?.nego().ok()
        }
        Op::BvUaddO => args.bv_test(ctx, Work::Linear, BitVec::uaddo),
        Op::BvSaddO => args.bv_test(ctx, Work::Linear, BitVec::saddo),
        Op::BvUmulO => args.bv_test(ctx, Work::Product, BitVec::umulo),
        Op::BvSmulO => args.bv_test(ctx, Work::Product, BitVec::smulo),
        Op::BvUsubO => args.bv_test(ctx, Work::Linear, BitVec::usubo),
        Op::BvSsubO => args.bv_test(ctx, Work::Linear, BitVec::ssubo),
        Op::BvSdivO => args.bv_test(ctx, Work::Linear, BitVec::sdivo),
        Op::UbvToInt | Op::Bv2Nat | Op::Bv2Int => {
            ctx.budget.spend_words(args.bv(0)?.word_count())?;
            IBig::from(args.bv(0)?.to_ubig()).ok()
        }
        Op::SbvToInt => {
            ctx.spend_width(args.bv(0)?.width())?;
            args.bv(0)?.to_signed().ok()
        }
        Op::IntToBv | Op::Int2Bv => bits::from_int(ctx, args, number(0)?),
        Op::BvRedOr => args.bv1(ctx, BitVec::redor),
        Op::BvRedAnd => args.bv1(ctx, BitVec::redand),
        Op::ExtRotateLeft => args.fold_bvs(ctx, Work::Linear, BitVec::ext_rotate_left),
        Op::ExtRotateRight => args.fold_bvs(ctx, Work::Linear, BitVec::ext_rotate_right),
        Op::BvUmulNoovfl => args.bv_test(ctx, Work::Product, BitVec::umul_noovfl),
        Op::BvSmulNoovfl => args.bv_test(ctx, Work::Product, BitVec::smul_noovfl),
        Op::BvSmulNoudfl => args.bv_test(ctx, Work::Product, BitVec::smul_noudfl),
        Op::Bit2Bool => bits::is_set(args, number(0)?),

        Op::Rne | Op::RoundNearestTiesToEven => Ok(Value::RoundingMode(RoundingMode::NearestTiesToEven)),
        Op::Rna | Op::RoundNearestTiesToAway => Ok(Value::RoundingMode(RoundingMode::NearestTiesToAway)),
        Op::Rtp | Op::RoundTowardPositive => Ok(Value::RoundingMode(RoundingMode::TowardPositive)),
        Op::Rtn | Op::RoundTowardNegative => Ok(Value::RoundingMode(RoundingMode::TowardNegative)),
        Op::Rtz | Op::RoundTowardZero => Ok(Value::RoundingMode(RoundingMode::TowardZero)),
        Op::Fp => floats::from_fields(ctx, args, application.sort),
        Op::FpPlusInfinity => Float::infinity(ctx.format(application.sort)?, Sign::Positive).ok(),
        Op::FpMinusInfinity => Float::infinity(ctx.format(application.sort)?, Sign::Negative).ok(),
        Op::FpPlusZero => Float::zero(ctx.format(application.sort)?, Sign::Positive).ok(),
        Op::FpMinusZero => Float::zero(ctx.format(application.sort)?, Sign::Negative).ok(),
        Op::FpNan => Float::nan(ctx.format(application.sort)?).ok(),
        Op::FpAbs => args.floats(ctx, 0..1)?[0].float()?.abs().ok(),
        Op::FpNeg => args.floats(ctx, 0..1)?[0].float()?.neg().ok(),
        Op::FpAdd => args.float_op(ctx, |mode, a, b| a.add(mode, b)),
        Op::FpSub => args.float_op(ctx, |mode, a, b| a.sub(mode, b)),
        Op::FpMul => args.float_op(ctx, |mode, a, b| a.mul(mode, b)),
        Op::FpDiv => args.float_op(ctx, |mode, a, b| a.div(mode, b)),
        Op::FpFma => {
            args.floats(ctx, 1..4)?;
            ctx.spend_format(args.float(1)?)?;
            args.float(1)?.fma(args.mode(0)?, args.float(2)?, args.float(3)?).ok()
        }
        Op::FpSqrt => {
            ctx.spend_format(args.float(1)?)?;
            args.float(1)?.sqrt(args.mode(0)?).ok()
        }
        Op::FpRem => {
            args.floats(ctx, 0..2)?;
            ctx.spend_format(args.float(0)?)?;
            args.float(0)?.rem(ctx.budget, args.float(1)?)?.ok()
        }
        Op::FpRoundToIntegral => {
            ctx.spend_format(args.float(1)?)?;
            args.float(1)?.round_to_integral(args.mode(0)?).ok()
        }
        Op::FpMin => {
            args.floats(ctx, 0..2)?;
            args.float(0)?.min(args.float(1)?).ok_or(Unknown::Open(Op::FpMin))?.ok()
        }
        Op::FpMax => {
            args.floats(ctx, 0..2)?;
            args.float(0)?.max(args.float(1)?).ok_or(Unknown::Open(Op::FpMax))?.ok()
        }
        Op::FpLeq => args.float_chain(ctx, Float::leq),
        Op::FpLt => args.float_chain(ctx, Float::lt),
        Op::FpGeq => args.float_chain(ctx, Float::geq),
        Op::FpGt => args.float_chain(ctx, Float::gt),
        Op::FpEq => args.float_chain(ctx, Float::ieee_eq),
        Op::FpIsNormal => args.float(0)?.is_normal().ok(),
        Op::FpIsSubnormal => args.float(0)?.is_subnormal().ok(),
        Op::FpIsZero => args.float(0)?.is_zero().ok(),
        Op::FpIsInfinite => args.float(0)?.is_infinite().ok(),
        Op::FpIsNan => args.float(0)?.is_nan().ok(),
        Op::FpIsNegative => args.float(0)?.is_negative().ok(),
        Op::FpIsPositive => args.float(0)?.is_positive().ok(),
        Op::ToFp | Op::ToFpBv | Op::ToFpFp | Op::ToFpReal | Op::ToFpSigned => {
            floats::to_fp(ctx, args, application.sort)
        }
        Op::ToFpUnsigned => {
            let format = ctx.format(application.sort)?;
            ctx.budget.spend(format.operation_cost())?;
            ctx.spend_width(args.bv(1)?.width())?;
            Float::from_ubv(format, args.mode(0)?, args.bv(1)?).ok()
        }
        Op::FpToUbv => {
            let width = ctx.bv_width(application.sort)?;
            args.floats(ctx, 1..2)?;
            args.float(1)?.to_ubv(args.mode(0)?, width).ok_or(Unknown::Open(Op::FpToUbv))?.ok()
        }
        Op::FpToSbv => {
            let width = ctx.bv_width(application.sort)?;
            args.floats(ctx, 1..2)?;
            args.float(1)?.to_sbv(args.mode(0)?, width).ok_or(Unknown::Open(Op::FpToSbv))?.ok()
        }
        Op::FpToReal => {
            let number = args.float(0)?.to_real(ctx.budget)?.ok_or(Unknown::Open(Op::FpToReal))?;
            Ok(Value::Real(number))
        }
        Op::FpToIeeeBv => {
            ctx.spend_format(args.float(0)?)?;
            args.float(0)?.to_ieee_bv().ok_or(Unknown::Open(Op::FpToIeeeBv))?.ok()
        }

        Op::Select => arrays::select(ctx, args),
        Op::Store => arrays::store(ctx, args),
        Op::ConstArray => arrays::constant(ctx, args, application.sort),

        Op::Char => strings::character(ctx.terms, application.indices),
        Op::StrConcat => {
            let parts: Vec<Str> = args.0.iter().map(|arg| arg.str().cloned()).collect::<Result<_, _>>()?;
            Str::concat(&parts, ctx.budget)?.ok()
        }
        Op::StrLen => IBig::from(args.str(0)?.len()).ok(),
        Op::StrLt => args.chain(|a, b| Ok(a.str()?.is_less(b.str()?, ctx.budget)?)),
        Op::StrLe => args.chain(|a, b| Ok(a.str()?.is_at_most(b.str()?, ctx.budget)?)),
        Op::StrAt => args.str(0)?.at(args.int(1)?).ok(),
        Op::StrSubstr => args.str(0)?.substr(args.int(1)?, args.int(2)?, ctx.budget)?.ok(),
        Op::StrPrefixof => args.str(0)?.is_prefix_of(args.str(1)?, ctx.budget)?.ok(),
        Op::StrSuffixof => args.str(0)?.is_suffix_of(args.str(1)?, ctx.budget)?.ok(),
        Op::StrContains => args.str(0)?.contains(args.str(1)?, ctx.budget)?.ok(),
        Op::StrIndexof => args.str(0)?.index_of(args.str(1)?, args.int(2)?, ctx.budget)?.ok(),
        Op::StrIndexofFromStart => args.str(0)?.index_of(args.str(1)?, &IBig::ZERO, ctx.budget)?.ok(),
        Op::StrReplace => args.str(0)?.replace(args.str(1)?, args.str(2)?, ctx.budget)?.ok(),
        Op::StrReplaceAll => args.str(0)?.replace_all(args.str(1)?, args.str(2)?, ctx.budget)?.ok(),
        Op::StrReplaceRe => ctx.regexes.replace_re(args.str(0)?, args.re(1)?, args.str(2)?, ctx.budget)?.ok(),
        Op::StrReplaceReAll => {
            ctx.regexes.replace_re_all(args.str(0)?, args.re(1)?, args.str(2)?, ctx.budget)?.ok()
        }
        Op::StrIsDigit => args.str(0)?.is_digit().ok(),
        Op::StrToCode => args.str(0)?.to_code().ok(),
        Op::StrFromCode => Str::from_code(args.int(0)?).ok(),
        Op::StrToInt => args.str(0)?.to_int(ctx.budget)?.ok(),
        Op::StrFromInt => Str::from_int(args.int(0)?, ctx.budget)?.ok(),
        Op::StrInRe => ctx.regexes.matches(args.str(0)?, args.re(1)?, ctx.budget)?.ok(),
        Op::StrRev => args.str(0)?.reverse(ctx.budget)?.ok(),
        Op::StrToLower => args.str(0)?.to_lower(ctx.budget)?.ok(),
        Op::StrToUpper => args.str(0)?.to_upper(ctx.budget)?.ok(),
        Op::StrUpdate => args.str(0)?.update(args.int(1)?, args.str(2)?, ctx.budget)?.ok(),
        Op::StrIndexofRe => {
            ctx.regexes.index_of_re(args.str(0)?, args.re(1)?, args.int(2)?, ctx.budget)?.ok()
        }
        Op::StrFromUbv => {
            ctx.spend_width(args.bv(0)?.width())?;
            Str::from_int(&IBig::from(args.bv(0)?.to_ubig()), ctx.budget)?.ok()
        }
        Op::StrFromSbv => strings::from_sbv(ctx, args),

        Op::StrToRe => ctx.regexes.to_re(args.str(0)?, ctx.budget)?.ok(),
        Op::ReNone => Re::NONE.ok(),
        Op::ReAll => Re::ALL.ok(),
        Op::ReAllChar => Re::ALLCHAR.ok(),
        Op::ReConcat => ctx.regexes.concat(&args.regexes()?, ctx.budget)?.ok(),
        Op::ReUnion => ctx.regexes.union(&args.regexes()?, ctx.budget)?.ok(),
        Op::ReInter => ctx.regexes.inter(&args.regexes()?, ctx.budget)?.ok(),
        Op::ReStar => ctx.regexes.star(args.re(0)?, ctx.budget)?.ok(),
        Op::ReComp => ctx.regexes.complement(args.re(0)?, ctx.budget)?.ok(),
        Op::ReDiff => {
            let regexes = args.regexes()?;
            let (first, removed) = regexes.split_first().ok_or(Unknown::IllSorted)?;
            ctx.regexes.difference(*first, removed, ctx.budget)?.ok()
        }
        Op::RePlus => ctx.regexes.plus(args.re(0)?, ctx.budget)?.ok(),
        Op::ReOpt => ctx.regexes.optional(args.re(0)?, ctx.budget)?.ok(),
        Op::ReRange => ctx.regexes.range(args.str(0)?, args.str(1)?, ctx.budget)?.ok(),
        Op::RePower => {
            let count = ctx.index_natural(application.indices, 0)?;
            ctx.regexes.power(args.re(0)?, &count, ctx.budget)?.ok()
        }
        Op::ReLoop => {
            let min = ctx.index_natural(application.indices, 0)?;
            let max = ctx.index_natural(application.indices, 1)?;
            ctx.regexes.repeat_between(args.re(0)?, &min, &max, ctx.budget)?.ok()
        }
        Op::ReLoopBetween => strings::loop_between(ctx, args),
        Op::ReLoopFrom => {
            let min = ctx.index_natural(application.indices, 0)?;
            strings::loop_from(ctx, args, &min)
        }

        Op::SeqEmpty => Value::seq(Vec::new()).ok_or(Unknown::Limit),
        Op::SeqUnit => Value::seq(vec![ctx.part(args.get(0)?)?]).ok_or(Unknown::Limit),
        Op::SeqConcat
        | Op::SeqLen
        | Op::SeqNth
        | Op::SeqExtract
        | Op::SeqAt
        | Op::SeqContains
        | Op::SeqIndexof
        | Op::SeqReplace
        | Op::SeqReplaceAll
        | Op::SeqPrefixof
        | Op::SeqSuffixof
        | Op::SeqUpdate
        | Op::SeqIndexofFromStart
        | Op::SeqLastIndexof
        | Op::SeqRev => sequence::apply(application.op, application.args, ctx.budget),

        Op::Rem => args.fold_ints(ctx, Work::Quotient, |a, b| {
            let remainder = rem_euclid(a, b).ok_or(Unknown::Open(Op::Rem))?;
            Ok(if *b < IBig::ZERO { -remainder } else { remainder })
        }),
        Op::ParametricIntAnd => arithmetic::parametric_int_and(ctx, args),
        Op::Euler => Err(Unknown::Irrational),
        Op::BvIte => {
            let chosen = if args.bv(0)?.to_ubig().is_zero() { args.get(2)? } else { args.get(1)? };
            ctx.copy(chosen)
        }

        Op::EqRange => arrays::equal_in_range(ctx, args),
        Op::ArrayDefault => arrays::default(ctx, args),
        Op::ArrayUnion => arrays::pointwise(ctx, args, |a, b| a || b),
        Op::ArrayIntersection => arrays::pointwise(ctx, args, |a, b| a && b),
        Op::ArraySetMinus => arrays::pointwise(ctx, args, |a, b| a && !b),
        Op::ArrayComplement => arrays::complement(ctx, args),
        Op::ArraySubset => {
            let rest = arrays::pointwise(ctx, args, |a, b| a && !b)?;
            arrays::size(ctx, rest.array()?).map(|size| size == Some(0))?.ok()
        }
        Op::ArrayCard => {
            IBig::from(arrays::size(ctx, args.array(0)?)?.ok_or(Unknown::Open(Op::ArrayCard))?).ok()
        }
        Op::ArrayHasSize => {
            (arrays::size(ctx, args.array(0)?)?.map(IBig::from).as_ref() == Some(args.int(1)?)).ok()
        }
        // Some index at which two arrays differ.
        Op::ArrayExt => Err(Unknown::Open(Op::ArrayExt)),

        // The evaluator calls functions itself.
        Op::Apply
        | Op::ApplyTerm
        | Op::SelectFunction
        | Op::AsArray
        | Op::ArrayMap
        | Op::NullableLift
        | Op::SeqMap
        | Op::SeqMapi
        | Op::SeqFoldl
        | Op::SeqFoldli
        | Op::SeqFoldLeft
        | Op::SeqFoldLefti
        | Op::SetMap
        | Op::SetFilter
        | Op::SetAll
        | Op::SetSome
        | Op::SetFold
        | Op::RelAggregate
        | Op::BagMap
        | Op::BagFilter
        | Op::BagAll
        | Op::BagSome
        | Op::BagFold
        | Op::BagPartition
        | Op::TableAggregate
        | Op::FiniteSetMap
        | Op::FiniteSetFilter => Err(Unknown::IllSorted),
        Op::ArrayMapOp => arrays::map_operator(ctx, application),

        Op::Tuple
        | Op::TupleUnit
        | Op::TupleSelect
        | Op::TupleUpdate
        | Op::TupleProject
        | Op::NullableNull
        | Op::NullableSome
        | Op::NullableVal
        | Op::NullableIsNull
        | Op::NullableIsSome
        | Op::NullableLiftOp => tuples::apply(ctx, application),
        Op::FfAdd | Op::FfMul | Op::FfNeg | Op::FfBitsum => tuples::field(ctx, application),

        Op::SetEmpty
        | Op::SetUniverse
        | Op::SetSingleton
        | Op::SetInsert
        | Op::SetUnion
        | Op::SetInter
        | Op::SetMinus
        | Op::SetComplement
        | Op::SetMember
        | Op::SetSubset
        | Op::SetCard
        | Op::SetChoose
        | Op::SetIsEmpty
        | Op::SetIsSingleton
        | Op::FiniteSetEmpty
        | Op::FiniteSetSingleton
        | Op::FiniteSetRange
        | Op::FiniteSetUnion
        | Op::FiniteSetIntersect
        | Op::FiniteSetDifference
        | Op::FiniteSetIn
        | Op::FiniteSetSubset
        | Op::FiniteSetSize => sets::apply(ctx, application),
        Op::RelJoin
        | Op::RelProduct
        | Op::RelTranspose
        | Op::RelTclosure
        | Op::RelJoinImage
        | Op::RelIden
        | Op::RelTableJoin
        | Op::RelProject
        | Op::RelGroup
        | Op::TableProduct
        | Op::TableProject
        | Op::TableJoin
        | Op::TableGroup => relations::apply(ctx, application),
        Op::BagEmpty
        | Op::BagMake
        | Op::BagUnionMax
        | Op::BagUnionDisjoint
        | Op::BagInterMin
        | Op::BagDifferenceSubtract
        | Op::BagDifferenceRemove
        | Op::BagSubbag
        | Op::BagCount
        | Op::BagMember
        | Op::BagSetof
        | Op::BagCard
        | Op::BagChoose => bags::apply(ctx, application),

        Op::FmfCard => sets::has_at_most(ctx, application),
        // The evaluator knows the heap.
        Op::SepEmp | Op::SepNil | Op::SepPto | Op::SepStar | Op::SepWand => {
            Err(Unknown::NoMeaning(application.op))
        }
    }
}
