//! What each operator of the table does to values.
//!
//! One match over all operators and no fallback branch: a new row in the table does not compile until it has a meaning
//! here. The Boolean connectives and `ite` are here for completeness; the evaluator takes the short way where one
//! argument decides.

use std::sync::Arc;

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Index, Terms};

use crate::bitvec::{self, BitVec};
use crate::environment::Environment;
use crate::float::{Float, Format, RoundingMode};
use crate::regex::{Re, Regexes};
use crate::string::Str;
use crate::unknown::Unknown;
use crate::value::{Array, Seq, Value};
use crate::{Budget, domain, sequence};

type Outcome = Result<Value, Unknown>;

/// What applying needs besides the arguments.
pub(crate) struct Context<'a> {
    pub terms: &'a Terms,
    pub environment: &'a Environment,
    pub budget: &'a mut Budget,
    pub regexes: &'a mut Regexes,
}

/// An operator with its indices, the sorts of its arguments and of its result.
pub(crate) struct Application<'a> {
    pub op: Op,
    pub indices: &'a [Index],
    pub sort: Sort,
    pub args: &'a [Value],
}

/// Applies an operator to values of the right sorts.
pub(crate) fn apply(ctx: &mut Context<'_>, application: &Application<'_>) -> Outcome {
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

        Op::Neg => args.numeric(application.sort, ctx, |a, _| -a, |a, _| -a),
        Op::Sub => args.numeric(application.sort, ctx, |a, b| a - b, |a, b| a - b),
        Op::Add => args.numeric(application.sort, ctx, |a, b| a + b, |a, b| a + b),
        Op::Mul => args.numeric(application.sort, ctx, |a, b| a * b, |a, b| a * b),
        Op::IntDiv => args.fold_ints(ctx, |a, b| div_euclid(a, b).ok_or(Unknown::Open(Op::IntDiv))),
        Op::Mod => args.fold_ints(ctx, |a, b| rem_euclid(a, b).ok_or(Unknown::Open(Op::Mod))),
        Op::Abs => match args.get(0)? {
            Value::Real(number) if *number < RBig::ZERO => Ok(Value::Real(-number.clone())),
            Value::Int(number) if *number < IBig::ZERO => Ok(Value::Int(-number.clone())),
            other => Ok(other.clone()),
        },
        Op::Le => args.compare(|ordering| ordering.is_le()),
        Op::Lt => args.compare(|ordering| ordering.is_lt()),
        Op::Ge => args.compare(|ordering| ordering.is_ge()),
        Op::Gt => args.compare(|ordering| ordering.is_gt()),
        Op::Divisible => {
            let divisor = index_integer(ctx.terms, application.indices, 0)?;
            let remainder = rem_euclid(args.int(0)?, &divisor).ok_or(Unknown::Open(Op::Divisible))?;
            remainder.is_zero().ok()
        }
        Op::Power => power(ctx, args, application.sort),
        Op::IntDivTotal => args.fold_ints(ctx, |a, b| Ok(div_euclid(a, b).unwrap_or(IBig::ZERO))),
        Op::ModTotal => args.fold_ints(ctx, |a, b| Ok(rem_euclid(a, b).unwrap_or_else(|| a.clone()))),
        Op::IntAnd => {
            let width = number(0)?;
            ctx.spend_bits(width)?;
            let (a, b) = (args.int(0)?, args.int(1)?);
            let width = u32::try_from(width).map_err(|_| Unknown::Limit)?;
            if width == 0 {
                return Err(Unknown::Open(Op::IntAnd));
            }
            let both = BitVec::from_ibig(width, a.clone()).and(&BitVec::from_ibig(width, b.clone()));
            IBig::from(both.to_ubig()).ok()
        }
        Op::IntPow2 => {
            let exponent = args.int(0)?;
            if *exponent < IBig::ZERO {
                return IBig::ZERO.ok();
            }
            let exponent = u64::try_from(exponent).map_err(|_| Unknown::Limit)?;
            ctx.spend_bits(exponent)?;
            (IBig::ONE << exponent as usize).ok()
        }
        Op::IntLog2 => {
            let number = args.int(0)?;
            let log = if *number > IBig::ZERO { number.bit_len() - 1 } else { 0 };
            IBig::from(log).ok()
        }

        Op::RealDiv => {
            args.fold_reals(ctx, |a, b| if b.is_zero() { Err(Unknown::Open(Op::RealDiv)) } else { Ok(a / b) })
        }
        Op::RealDivTotal => args.fold_reals(ctx, |a, b| Ok(if b.is_zero() { RBig::ZERO } else { a / b })),
        Op::ToReal => Ok(Value::Real(args.real(0)?)),
        Op::ToInt => args.real(0)?.floor().ok(),
        Op::IsInt => args.real(0)?.is_int().ok(),

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

        Op::Concat => args.fold_bvs(ctx, |a, b| a.concat(b)),
        Op::Extract => {
            let (high, low) = (number(0)?, number(1)?);
            let bits = args.bv(0)?;
            if low > high || high >= u64::from(bits.width()) {
                return Err(Unknown::IllSorted);
            }
            ctx.spend_width(bits.width())?;
            bits.extract(high as u32, low as u32).ok()
        }
        Op::BvNot => args.bv1(ctx, BitVec::not),
        Op::BvNeg => args.bv1(ctx, BitVec::neg),
        Op::BvAnd => args.fold_bvs(ctx, BitVec::and),
        Op::BvOr => args.fold_bvs(ctx, BitVec::or),
        Op::BvXor => args.fold_bvs(ctx, BitVec::xor),
        Op::BvNand => args.fold_bvs(ctx, BitVec::nand),
        Op::BvNor => args.fold_bvs(ctx, BitVec::nor),
        Op::BvXnor => args.fold_bvs(ctx, BitVec::xnor),
        Op::BvAdd => args.fold_bvs(ctx, BitVec::add),
        Op::BvSub => args.fold_bvs(ctx, BitVec::sub),
        Op::BvMul => args.fold_bvs(ctx, BitVec::mul),
        Op::BvUdiv => args.fold_bvs(ctx, BitVec::udiv),
        Op::BvUrem => args.fold_bvs(ctx, BitVec::urem),
        Op::BvSdiv => args.fold_bvs(ctx, BitVec::sdiv),
        Op::BvSrem => args.fold_bvs(ctx, BitVec::srem),
        Op::BvSmod => args.fold_bvs(ctx, BitVec::smod),
        Op::BvShl => args.fold_bvs(ctx, BitVec::shl),
        Op::BvLshr => args.fold_bvs(ctx, BitVec::lshr),
        Op::BvAshr => args.fold_bvs(ctx, BitVec::ashr),
        Op::BvComp => args.fold_bvs(ctx, BitVec::comp),
        Op::BvUlt => args.bv_test(ctx, BitVec::ult),
        Op::BvUle => args.bv_test(ctx, BitVec::ule),
        Op::BvUgt => args.bv_test(ctx, BitVec::ugt),
        Op::BvUge => args.bv_test(ctx, BitVec::uge),
        Op::BvSlt => args.bv_test(ctx, BitVec::slt),
        Op::BvSle => args.bv_test(ctx, BitVec::sle),
        Op::BvSgt => args.bv_test(ctx, BitVec::sgt),
        Op::BvSge => args.bv_test(ctx, BitVec::sge),
        Op::Repeat => {
            let bits = args.bv(0)?;
            let count = u32::try_from(number(0)?).map_err(|_| Unknown::Limit)?;
            let width = bits.width().checked_mul(count).filter(|width| *width > 0).ok_or(Unknown::Limit)?;
            ctx.spend_width(width)?;
            bits.repeat(count).ok()
        }
        Op::ZeroExtend => ctx.extend(args.bv(0)?, number(0)?, BitVec::zero_extend),
        Op::SignExtend => ctx.extend(args.bv(0)?, number(0)?, BitVec::sign_extend),
        Op::RotateLeft => args.bv1(ctx, |bits| bits.rotate_left(number(0).unwrap_or(0))),
        Op::RotateRight => args.bv1(ctx, |bits| bits.rotate_right(number(0).unwrap_or(0))),
        Op::BvNegO => args.bv(0)?.nego().ok(),
        Op::BvUaddO => args.bv_test(ctx, BitVec::uaddo),
        Op::BvSaddO => args.bv_test(ctx, BitVec::saddo),
        Op::BvUmulO => args.bv_test(ctx, BitVec::umulo),
        Op::BvSmulO => args.bv_test(ctx, BitVec::smulo),
        Op::BvUsubO => args.bv_test(ctx, BitVec::usubo),
        Op::BvSsubO => args.bv_test(ctx, BitVec::ssubo),
        Op::BvSdivO => args.bv_test(ctx, BitVec::sdivo),
        Op::UbvToInt | Op::Bv2Nat | Op::Bv2Int => IBig::from(args.bv(0)?.to_ubig()).ok(),
        Op::SbvToInt => args.bv(0)?.to_signed().ok(),
        Op::IntToBv | Op::Int2Bv => {
            let width =
                u32::try_from(number(0)?).ok().filter(|width| *width > 0).ok_or(Unknown::IllSorted)?;
            ctx.spend_width(width)?;
            BitVec::from_ibig(width, args.int(0)?.clone()).ok()
        }
        Op::BvRedOr => args.bv1(ctx, BitVec::redor),
        Op::BvRedAnd => args.bv1(ctx, BitVec::redand),
        Op::ExtRotateLeft => args.fold_bvs(ctx, BitVec::ext_rotate_left),
        Op::ExtRotateRight => args.fold_bvs(ctx, BitVec::ext_rotate_right),
        Op::BvUmulNoovfl => args.bv_test(ctx, BitVec::umul_noovfl),
        Op::BvSmulNoovfl => args.bv_test(ctx, BitVec::smul_noovfl),
        Op::BvSmulNoudfl => args.bv_test(ctx, BitVec::smul_noudfl),
        Op::Bit2Bool => {
            let bits = args.bv(0)?;
            let position = u32::try_from(number(0)?).ok().filter(|position| *position < bits.width());
            bits.bit(position.ok_or(Unknown::IllSorted)?).ok()
        }

        Op::Rne | Op::RoundNearestTiesToEven => Ok(Value::RoundingMode(RoundingMode::NearestTiesToEven)),
        Op::Rna | Op::RoundNearestTiesToAway => Ok(Value::RoundingMode(RoundingMode::NearestTiesToAway)),
        Op::Rtp | Op::RoundTowardPositive => Ok(Value::RoundingMode(RoundingMode::TowardPositive)),
        Op::Rtn | Op::RoundTowardNegative => Ok(Value::RoundingMode(RoundingMode::TowardNegative)),
        Op::Rtz | Op::RoundTowardZero => Ok(Value::RoundingMode(RoundingMode::TowardZero)),
        Op::Fp => {
            let format = ctx.format(application.sort)?;
            ctx.budget.spend(format.operation_cost())?;
            Float::from_fields(args.bv(0)?, args.bv(1)?, args.bv(2)?).ok()
        }
        Op::FpPlusInfinity => Float::infinity(ctx.format(application.sort)?, dashu_int::Sign::Positive).ok(),
        Op::FpMinusInfinity => Float::infinity(ctx.format(application.sort)?, dashu_int::Sign::Negative).ok(),
        Op::FpPlusZero => Float::zero(ctx.format(application.sort)?, dashu_int::Sign::Positive).ok(),
        Op::FpMinusZero => Float::zero(ctx.format(application.sort)?, dashu_int::Sign::Negative).ok(),
        Op::FpNan => Float::nan(ctx.format(application.sort)?).ok(),
        Op::FpAbs => args.float(0)?.abs().ok(),
        Op::FpNeg => args.float(0)?.neg().ok(),
        Op::FpAdd => args.float_op(ctx, |mode, a, b| a.add(mode, b)),
        Op::FpSub => args.float_op(ctx, |mode, a, b| a.sub(mode, b)),
        Op::FpMul => args.float_op(ctx, |mode, a, b| a.mul(mode, b)),
        Op::FpDiv => args.float_op(ctx, |mode, a, b| a.div(mode, b)),
        Op::FpFma => {
            ctx.spend_format(args.float(1)?)?;
            args.float(1)?.fma(args.mode(0)?, args.float(2)?, args.float(3)?).ok()
        }
        Op::FpSqrt => {
            ctx.spend_format(args.float(1)?)?;
            args.float(1)?.sqrt(args.mode(0)?).ok()
        }
        Op::FpRem => args.float(0)?.rem(ctx.budget, args.float(1)?)?.ok(),
        Op::FpRoundToIntegral => {
            ctx.spend_format(args.float(1)?)?;
            args.float(1)?.round_to_integral(args.mode(0)?).ok()
        }
        Op::FpMin => args.float(0)?.min(args.float(1)?).ok_or(Unknown::Open(Op::FpMin))?.ok(),
        Op::FpMax => args.float(0)?.max(args.float(1)?).ok_or(Unknown::Open(Op::FpMax))?.ok(),
        Op::FpLeq => args.chain(|a, b| Ok(a.float()?.leq(b.float()?))),
        Op::FpLt => args.chain(|a, b| Ok(a.float()?.lt(b.float()?))),
        Op::FpGeq => args.chain(|a, b| Ok(a.float()?.geq(b.float()?))),
        Op::FpGt => args.chain(|a, b| Ok(a.float()?.gt(b.float()?))),
        Op::FpEq => args.chain(|a, b| Ok(a.float()?.ieee_eq(b.float()?))),
        Op::FpIsNormal => args.float(0)?.is_normal().ok(),
        Op::FpIsSubnormal => args.float(0)?.is_subnormal().ok(),
        Op::FpIsZero => args.float(0)?.is_zero().ok(),
        Op::FpIsInfinite => args.float(0)?.is_infinite().ok(),
        Op::FpIsNan => args.float(0)?.is_nan().ok(),
        Op::FpIsNegative => args.float(0)?.is_negative().ok(),
        Op::FpIsPositive => args.float(0)?.is_positive().ok(),
        Op::ToFp => to_fp(ctx, args, application.sort),
        Op::ToFpUnsigned => {
            let format = ctx.format(application.sort)?;
            ctx.budget.spend(format.operation_cost())?;
            Float::from_ubv(format, args.mode(0)?, args.bv(1)?).ok()
        }
        Op::FpToUbv => {
            let width = ctx.bv_width(application.sort)?;
            args.float(1)?.to_ubv(args.mode(0)?, width).ok_or(Unknown::Open(Op::FpToUbv))?.ok()
        }
        Op::FpToSbv => {
            let width = ctx.bv_width(application.sort)?;
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

        // The evaluator applies arrays that are given by a function before it comes here.
        Op::Select => Ok(args.array(0)?.select(args.get(1)?).clone()),
        Op::Store => {
            let array = args.array(0)?;
            ctx.budget.spend(array.entry_count() as u64 + 1)?;
            if args.get(1)?.is_opaque_to_equality() {
                return Err(Unknown::FunctionEquality);
            }
            let stored = array.store(args.get(1)?.clone(), args.get(2)?.clone()).ok_or(Unknown::Limit)?;
            Ok(Value::Array(Arc::new(stored)))
        }
        Op::ConstArray => {
            let SortKind::Array(index, _) = *ctx.terms.sorts.kind(application.sort) else {
                return Err(Unknown::IllSorted);
            };
            let index_count = domain::cardinality(ctx.terms, ctx.environment, index);
            let array = Array::constant(args.get(0)?.clone(), index_count).ok_or(Unknown::Limit)?;
            Ok(Value::Array(Arc::new(array)))
        }

        Op::Char => character(ctx.terms, application.indices),
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
        Op::StrFromUbv => Str::from_int(&IBig::from(args.bv(0)?.to_ubig()), ctx.budget)?.ok(),
        Op::StrFromSbv => {
            let number = args.bv(0)?.to_signed();
            let digits = Str::from_int(&IBig::from(number.clone().unsigned_abs()), ctx.budget)?;
            if number >= IBig::ZERO {
                return digits.ok();
            }
            let minus = Str::from_code(&IBig::from(u32::from(b'-')));
            Str::concat(&[minus, digits], ctx.budget)?.ok()
        }

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
            let count = index_natural(ctx.terms, application.indices, 0)?;
            ctx.regexes.power(args.re(0)?, &count, ctx.budget)?.ok()
        }
        Op::ReLoop => {
            let min = index_natural(ctx.terms, application.indices, 0)?;
            let max = index_natural(ctx.terms, application.indices, 1)?;
            ctx.regexes.repeat_between(args.re(0)?, &min, &max, ctx.budget)?.ok()
        }
        Op::ReLoopBetween => {
            let natural = |position: usize| {
                UBig::try_from(args.int(position)?.clone()).map_err(|_| Unknown::Open(Op::ReLoopBetween))
            };
            ctx.regexes.repeat_between(args.re(0)?, &natural(1)?, &natural(2)?, ctx.budget)?.ok()
        }
        Op::ReLoopFrom => {
            let min = index_natural(ctx.terms, application.indices, 0)?;
            let body = args.re(0)?;
            let required = ctx.regexes.power(body, &min, ctx.budget)?;
            let more = ctx.regexes.star(body, ctx.budget)?;
            ctx.regexes.concat(&[required, more], ctx.budget)?.ok()
        }

        Op::SeqEmpty => Value::seq(Vec::new()).ok_or(Unknown::Limit),
        Op::SeqUnit => Value::seq(vec![args.get(0)?.clone()]).ok_or(Unknown::Limit),
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
        | Op::SeqRev => sequence::apply(application.op, application.args, ctx.budget),
    }
}

impl Context<'_> {
    /// Whether two values of one sort are equal.
    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Result<bool, Unknown> {
        match (left, right) {
            (Value::Int(int), Value::Real(real)) | (Value::Real(real), Value::Int(int)) => {
                Ok(*real == RBig::from(int.clone()))
            }
            (Value::Regex(left), Value::Regex(right)) => {
                Ok(left == right || self.regexes.equal_languages(*left, *right, self.budget)?)
            }
            (Value::Str(left), Value::Str(right)) => {
                self.budget.spend(left.len().min(right.len()) as u64)?;
                Ok(left == right)
            }
            _ if left.is_opaque_to_equality() || right.is_opaque_to_equality() => {
                if left == right {
                    Ok(true)
                } else {
                    Err(Unknown::FunctionEquality)
                }
            }
            _ => Ok(left == right),
        }
    }

    fn format(&self, sort: Sort) -> Result<Format, Unknown> {
        match self.terms.sorts.kind(sort) {
            SortKind::Float(exponent, significand) => {
                Format::new(*exponent, *significand).ok_or(Unknown::Limit)
            }
            _ => Err(Unknown::IllSorted),
        }
    }

    fn bv_width(&mut self, sort: Sort) -> Result<u32, Unknown> {
        match self.terms.sorts.kind(sort) {
            SortKind::BitVec(width) => {
                self.spend_width(*width)?;
                Ok(*width)
            }
            _ => Err(Unknown::IllSorted),
        }
    }

    fn spend_width(&mut self, width: u32) -> Result<(), Unknown> {
        Ok(self.budget.spend(bitvec::operation_cost(width))?)
    }

    /// Charges for a number of so many bits.
    fn spend_bits(&mut self, bits: u64) -> Result<(), Unknown> {
        Ok(self.budget.spend(bits / 64 + 1)?)
    }

    fn spend_format(&mut self, float: &Float) -> Result<(), Unknown> {
        Ok(self.budget.spend(float.format().operation_cost())?)
    }

    fn extend(&mut self, bits: &BitVec, extra: u64, extend: fn(&BitVec, u32) -> BitVec) -> Outcome {
        let extra = u32::try_from(extra).map_err(|_| Unknown::Limit)?;
        self.spend_width(bits.width().checked_add(extra).ok_or(Unknown::Limit)?)?;
        extend(bits, extra).ok()
    }
}

/// Wrapping of results, so that the match reads as a list of definitions.
trait IntoOutcome {
    fn ok(self) -> Outcome;
}

macro_rules! into_outcome {
    ($($from:ty => $variant:ident,)*) => {
        $(impl IntoOutcome for $from {
            fn ok(self) -> Outcome {
                Ok(Value::$variant(self))
            }
        })*
    };
}

into_outcome! {
    bool => Bool,
    IBig => Int,
    BitVec => BitVec,
    Float => Float,
    Str => Str,
    Re => Regex,
}

macro_rules! accessors {
    ($($name:ident: $variant:ident($type:ty);)*) => {
        impl Value {
            $(
                /// The content, if the value is of that kind.
                pub(crate) fn $name(&self) -> Result<&$type, Unknown> {
                    match self {
                        Value::$variant(content) => Ok(content),
                        _ => Err(Unknown::IllSorted),
                    }
                }
            )*
        }

        impl<'a> Args<'a> {
            $(
                fn $name(self, position: usize) -> Result<&'a $type, Unknown> {
                    self.get(position)?.$name()
                }
            )*
        }
    };
}

/// The arguments of an application.
#[derive(Clone, Copy)]
struct Args<'a>(&'a [Value]);

accessors! {
    int: Int(IBig);
    bv: BitVec(BitVec);
    float: Float(Float);
    str: Str(Str);
    array: Array(Arc<Array>);
}

impl Value {
    /// The content of a sequence.
    pub(crate) fn seq_content(&self) -> Result<&Arc<Seq>, Unknown> {
        match self {
            Value::Seq(content) => Ok(content),
            _ => Err(Unknown::IllSorted),
        }
    }

    /// A number as a rational.
    pub(crate) fn real(&self) -> Result<RBig, Unknown> {
        match self {
            Value::Int(number) => Ok(RBig::from(number.clone())),
            Value::Real(number) => Ok(number.clone()),
            _ => Err(Unknown::IllSorted),
        }
    }
}

impl<'a> Args<'a> {
    fn get(self, position: usize) -> Result<&'a Value, Unknown> {
        self.0.get(position).ok_or(Unknown::IllSorted)
    }

    fn bool(self, position: usize) -> Result<bool, Unknown> {
        match self.get(position)? {
            Value::Bool(value) => Ok(*value),
            _ => Err(Unknown::IllSorted),
        }
    }

    fn bools(self) -> Result<Vec<bool>, Unknown> {
        (0..self.0.len()).map(|position| self.bool(position)).collect()
    }

    fn mode(self, position: usize) -> Result<RoundingMode, Unknown> {
        match self.get(position)? {
            Value::RoundingMode(mode) => Ok(*mode),
            _ => Err(Unknown::IllSorted),
        }
    }

    fn re(self, position: usize) -> Result<Re, Unknown> {
        match self.get(position)? {
            Value::Regex(re) => Ok(*re),
            _ => Err(Unknown::IllSorted),
        }
    }

    fn regexes(self) -> Result<Vec<Re>, Unknown> {
        (0..self.0.len()).map(|position| self.re(position)).collect()
    }

    fn real(self, position: usize) -> Result<RBig, Unknown> {
        self.get(position)?.real()
    }

    /// Whether a relation holds between all neighbours.
    fn chain(self, mut holds: impl FnMut(&Value, &Value) -> Result<bool, Unknown>) -> Outcome {
        for pair in self.0.windows(2) {
            if !holds(&pair[0], &pair[1])? {
                return false.ok();
            }
        }
        true.ok()
    }

    fn pairwise_distinct(self, ctx: &mut Context<'_>) -> Outcome {
        for (position, left) in self.0.iter().enumerate() {
            for right in &self.0[position + 1..] {
                ctx.budget.spend(1)?;
                if ctx.equal(left, right)? {
                    return false.ok();
                }
            }
        }
        true.ok()
    }

    fn compare(self, accepts: fn(std::cmp::Ordering) -> bool) -> Outcome {
        self.chain(|left, right| {
            Ok(accepts(match (left, right) {
                (Value::Int(left), Value::Int(right)) => left.cmp(right),
                _ => left.real()?.cmp(&right.real()?),
            }))
        })
    }

    /// Folds integers or, if the result is real, rationals; with one argument the second is zero.
    fn numeric(
        self,
        sort: Sort,
        ctx: &mut Context<'_>,
        on_ints: fn(&IBig, &IBig) -> IBig,
        on_reals: fn(&RBig, &RBig) -> RBig,
    ) -> Outcome {
        let is_unary = self.0.len() == 1;
        if sort == Sort::INT {
            if is_unary {
                return on_ints(self.int(0)?, &IBig::ZERO).ok();
            }
            return self.fold_ints(ctx, |a, b| Ok(on_ints(a, b)));
        }
        if is_unary {
            return Ok(Value::Real(on_reals(&self.real(0)?, &RBig::ZERO)));
        }
        self.fold_reals(ctx, |a, b| Ok(on_reals(&a, &b)))
    }

    fn fold_ints(
        self,
        ctx: &mut Context<'_>,
        mut step: impl FnMut(&IBig, &IBig) -> Result<IBig, Unknown>,
    ) -> Outcome {
        let mut result = self.int(0)?.clone();
        for position in 1..self.0.len() {
            let next = self.int(position)?;
            ctx.budget.spend(product_cost(result.bit_len(), next.bit_len()))?;
            result = step(&result, next)?;
        }
        result.ok()
    }

    fn fold_reals(
        self,
        ctx: &mut Context<'_>,
        mut step: impl FnMut(RBig, RBig) -> Result<RBig, Unknown>,
    ) -> Outcome {
        let mut result = self.real(0)?;
        for position in 1..self.0.len() {
            let next = self.real(position)?;
            // Rational arithmetic takes greatest common divisors, which are quadratic here.
            ctx.budget.spend(4 * product_cost(bits_of(&result), bits_of(&next)))?;
            result = step(result, next)?;
        }
        Ok(Value::Real(result))
    }

    fn bv1(self, ctx: &mut Context<'_>, compute: impl Fn(&BitVec) -> BitVec) -> Outcome {
        let bits = self.bv(0)?;
        ctx.spend_width(bits.width())?;
        compute(bits).ok()
    }

    fn fold_bvs(self, ctx: &mut Context<'_>, step: impl Fn(&BitVec, &BitVec) -> BitVec) -> Outcome {
        let mut result = self.bv(0)?.clone();
        for position in 1..self.0.len() {
            let next = self.bv(position)?;
            let width = result.width().checked_add(next.width()).ok_or(Unknown::Limit)?;
            ctx.spend_width(width)?;
            result = step(&result, next);
        }
        result.ok()
    }

    fn bv_test(self, ctx: &mut Context<'_>, test: fn(&BitVec, &BitVec) -> bool) -> Outcome {
        ctx.spend_width(self.bv(0)?.width())?;
        test(self.bv(0)?, self.bv(1)?).ok()
    }

    fn float_op(
        self,
        ctx: &mut Context<'_>,
        compute: impl Fn(RoundingMode, &Float, &Float) -> Float,
    ) -> Outcome {
        ctx.spend_format(self.float(1)?)?;
        compute(self.mode(0)?, self.float(1)?, self.float(2)?).ok()
    }
}

fn bits_of(number: &RBig) -> usize {
    number.numerator().bit_len() + number.denominator().bit_len()
}

/// What multiplying or dividing numbers of so many bits costs.
fn product_cost(left_bits: usize, right_bits: usize) -> u64 {
    (left_bits as u64 / 64 + 1).saturating_mul(right_bits as u64 / 64 + 1)
}

/// Division that leaves a remainder from 0 up to the magnitude of the divisor; none by zero.
fn div_euclid(dividend: &IBig, divisor: &IBig) -> Option<IBig> {
    use dashu_int::ops::DivEuclid;
    (!divisor.is_zero()).then(|| dividend.div_euclid(divisor))
}

fn rem_euclid(dividend: &IBig, divisor: &IBig) -> Option<IBig> {
    use dashu_int::ops::RemEuclid;
    (!divisor.is_zero()).then(|| IBig::from(dividend.rem_euclid(divisor)))
}

/// `(^ base exponent)`, where solvers agree what it is: for a non-negative integer exponent; zero to the zero is one.
fn power(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> Outcome {
    let exponent = args.real(1)?;
    let base = args.real(0)?;
    let Some(exponent) = exponent.is_int().then(|| exponent.numerator().clone()) else {
        return Err(Unknown::Irrational);
    };
    if exponent < IBig::ZERO {
        return Err(Unknown::Open(Op::Power));
    }
    let exponent = isize::try_from(exponent).map_err(|_| Unknown::Limit)?;
    let bits = (bits_of(&base) as u64).saturating_mul(exponent as u64);
    ctx.budget.spend(product_cost(bits as usize, bits as usize))?;
    let result = base.pow(exponent);
    if sort == Sort::INT { result.numerator().clone().ok() } else { Ok(Value::Real(result)) }
}

fn to_fp(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> Outcome {
    let format = ctx.format(sort)?;
    ctx.budget.spend(format.operation_cost())?;
    if args.0.len() == 1 {
        return Float::from_ieee_bv(format, args.bv(0)?).ok();
    }
    let mode = args.mode(0)?;
    match args.get(1)? {
        Value::Float(float) => {
            ctx.spend_format(float)?;
            float.to_format(format, mode).ok()
        }
        Value::BitVec(bits) => Float::from_sbv(format, mode, bits).ok(),
        number => {
            let number = number.real()?;
            ctx.budget.spend(product_cost(bits_of(&number), bits_of(&number)))?;
            Float::from_rational(format, mode, &number).ok()
        }
    }
}

/// `(_ char #x41)`.
fn character(terms: &Terms, indices: &[Index]) -> Outcome {
    let code = match indices {
        [Index::Text(text)] => terms
            .text(*text)
            .strip_prefix("#x")
            .filter(|digits| digits.len() <= 5)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok()),
        [Index::Number(number)] => u32::try_from(*number).ok(),
        _ => None,
    };
    let text = code.and_then(|code| Str::from_code_points(vec![code]));
    text.ok_or(Unknown::IllSorted)?.ok()
}

fn index_number(indices: &[Index], position: usize) -> Result<u64, Unknown> {
    match indices.get(position) {
        Some(Index::Number(number)) => Ok(*number),
        Some(Index::Text(_)) => Err(Unknown::Limit),
        None => Err(Unknown::IllSorted),
    }
}

fn index_natural(terms: &Terms, indices: &[Index], position: usize) -> Result<UBig, Unknown> {
    match indices.get(position) {
        Some(Index::Number(number)) => Ok(UBig::from(*number)),
        Some(Index::Text(text)) => terms.text(*text).parse().map_err(|_| Unknown::IllSorted),
        None => Err(Unknown::IllSorted),
    }
}

fn index_integer(terms: &Terms, indices: &[Index], position: usize) -> Result<IBig, Unknown> {
    index_natural(terms, indices, position).map(IBig::from)
}
