//! What each operator of the table does to values.
//!
//! One match over all operators and no fallback branch: a new row in the table does not compile until it has a meaning
//! here. The Boolean connectives and `ite` are here for completeness; the evaluator takes the short way where one
//! argument decides.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashSet;
use smelt_smtlib::op::Op;
use smelt_smtlib::sort::{Sort, SortKind};
use smelt_smtlib::term::{Index, Terms};

use crate::bitvec::BitVec;
use crate::environment::Environment;
use crate::float::{Float, Format, RoundingMode};
use crate::regex::{Re, Regexes};
use crate::string::Str;
use crate::unknown::Unknown;
use crate::value::{Array, Seq, Value};
use crate::{Budget, cost, domain, sequence};

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

        Op::Neg => args.numeric(application.sort, ctx, Work::Linear, |a, _| -a, |a, _| -a),
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
            let divisor = IBig::from(ctx.index_natural(application.indices, 0)?);
            let number = args.int(0)?;
            ctx.budget.spend(Work::Quotient.cost(int_words(number), int_words(&divisor)))?;
            let remainder = rem_euclid(number, &divisor).ok_or(Unknown::Open(Op::Divisible))?;
            remainder.is_zero().ok()
        }
        Op::Power => power(ctx, args, application.sort),
        Op::IntDivTotal => {
            args.fold_ints(ctx, Work::Quotient, |a, b| Ok(div_euclid(a, b).unwrap_or(IBig::ZERO)))
        }
        Op::ModTotal => {
            args.fold_ints(ctx, Work::Quotient, |a, b| Ok(rem_euclid(a, b).unwrap_or_else(|| a.clone())))
        }
        Op::IntAnd => {
            let width = number(0)?;
            let (a, b) = (args.int(0)?, args.int(1)?);
            ctx.spend_bits(width)?;
            ctx.budget.spend_words(int_words(a) + int_words(b))?;
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
        Op::ToReal => Ok(Value::Real(ctx.real(args.get(0)?)?)),
        Op::ToInt => {
            let number = ctx.real(args.get(0)?)?;
            let (numerator, denominator) = (int_words(number.numerator()), number.denominator().as_words());
            ctx.budget.spend(Work::Quotient.cost(numerator, denominator.len() as u64))?;
            number.floor().ok()
        }
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

        Op::Concat => {
            let mut result = args.bv(0)?.clone();
            for position in 1..args.0.len() {
                let low = args.bv(position)?;
                ctx.spend_width(result.width().checked_add(low.width()).ok_or(Unknown::Limit)?)?;
                result = result.concat(low);
            }
            result.ok()
        }
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
        Op::BvAnd => args.fold_bvs(ctx, Work::Linear, BitVec::and),
        Op::BvOr => args.fold_bvs(ctx, Work::Linear, BitVec::or),
        Op::BvXor => args.fold_bvs(ctx, Work::Linear, BitVec::xor),
        Op::BvNand => args.fold_bvs(ctx, Work::Linear, BitVec::nand),
        Op::BvNor => args.fold_bvs(ctx, Work::Linear, BitVec::nor),
        Op::BvXnor => args.fold_bvs(ctx, Work::Linear, BitVec::xnor),
        Op::BvAdd => args.fold_bvs(ctx, Work::Linear, BitVec::add),
        Op::BvSub => args.fold_bvs(ctx, Work::Linear, BitVec::sub),
        Op::BvMul => args.fold_bvs(ctx, Work::Product, BitVec::mul),
        Op::BvUdiv => args.fold_bvs(ctx, Work::Quotient, BitVec::udiv),
        Op::BvUrem => args.fold_bvs(ctx, Work::Quotient, BitVec::urem),
        Op::BvSdiv => args.fold_bvs(ctx, Work::Quotient, BitVec::sdiv),
        Op::BvSrem => args.fold_bvs(ctx, Work::Quotient, BitVec::srem),
        Op::BvSmod => args.fold_bvs(ctx, Work::Quotient, BitVec::smod),
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
        Op::Repeat => {
            let bits = args.bv(0)?;
            let count = u32::try_from(number(0)?).map_err(|_| Unknown::Limit)?;
            let width = bits.width().checked_mul(count).filter(|width| *width > 0).ok_or(Unknown::Limit)?;
            ctx.spend_bits(2 * u64::from(width))?;
            bits.repeat(count).ok()
        }
        Op::ZeroExtend => ctx.extend(args.bv(0)?, number(0)?, BitVec::zero_extend),
        Op::SignExtend => ctx.extend(args.bv(0)?, number(0)?, BitVec::sign_extend),
        Op::RotateLeft => args.bv1(ctx, |bits| bits.rotate_left(number(0).unwrap_or(0))),
        Op::RotateRight => args.bv1(ctx, |bits| bits.rotate_right(number(0).unwrap_or(0))),
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
        Op::IntToBv | Op::Int2Bv => {
            let width =
                u32::try_from(number(0)?).ok().filter(|width| *width > 0).ok_or(Unknown::IllSorted)?;
            ctx.spend_width(width)?;
            ctx.budget.spend_words(int_words(args.int(0)?))?;
            BitVec::from_ibig(width, args.int(0)?.clone()).ok()
        }
        Op::BvRedOr => args.bv1(ctx, BitVec::redor),
        Op::BvRedAnd => args.bv1(ctx, BitVec::redand),
        Op::ExtRotateLeft => args.fold_bvs(ctx, Work::Linear, BitVec::ext_rotate_left),
        Op::ExtRotateRight => args.fold_bvs(ctx, Work::Linear, BitVec::ext_rotate_right),
        Op::BvUmulNoovfl => args.bv_test(ctx, Work::Product, BitVec::umul_noovfl),
        Op::BvSmulNoovfl => args.bv_test(ctx, Work::Product, BitVec::smul_noovfl),
        Op::BvSmulNoudfl => args.bv_test(ctx, Work::Product, BitVec::smul_noudfl),
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
            let (sign, exponent, significand) = (args.bv(0)?, args.bv(1)?, args.bv(2)?);
            let widths = (sign.width(), exponent.width(), significand.width());
            if widths != (1, format.exponent_bits(), format.significand_bits() - 1) {
                return Err(Unknown::IllSorted);
            }
            ctx.budget.spend(format.operation_cost())?;
            Float::from_fields(sign, exponent, significand).ok()
        }
        Op::FpPlusInfinity => Float::infinity(ctx.format(application.sort)?, dashu_int::Sign::Positive).ok(),
        Op::FpMinusInfinity => Float::infinity(ctx.format(application.sort)?, dashu_int::Sign::Negative).ok(),
        Op::FpPlusZero => Float::zero(ctx.format(application.sort)?, dashu_int::Sign::Positive).ok(),
        Op::FpMinusZero => Float::zero(ctx.format(application.sort)?, dashu_int::Sign::Negative).ok(),
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
        Op::ToFp => to_fp(ctx, args, application.sort),
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

        // The evaluator applies arrays that are given by a function before it comes here.
        Op::Select => {
            let (array, index) = (args.array(0)?, args.get(1)?);
            if index.is_opaque_to_equality() && array.entry_count() > 0 {
                return Err(Unknown::FunctionEquality);
            }
            ctx.budget.spend(index.weight().saturating_mul(8))?;
            ctx.copy(array.select(index))
        }
        Op::Store => {
            let (array, index, element) = (args.array(0)?, args.get(1)?, args.get(2)?);
            if index.is_opaque_to_equality() {
                return Err(Unknown::FunctionEquality);
            }
            ctx.budget.spend(index.weight().saturating_mul(8))?;
            ctx.budget.spend_words(array.store_words(index, element))?;
            let stored = if element.equals(array.default(), ctx.budget)? {
                array.store_default(index.clone())
            } else {
                array.store_other(index.clone(), element.clone())
            };
            Ok(Value::Array(Arc::new(stored.ok_or(Unknown::Limit)?)))
        }
        Op::ConstArray => {
            let SortKind::Array(index, _) = *ctx.terms.sorts.kind(application.sort) else {
                return Err(Unknown::IllSorted);
            };
            let index_count = domain::charged_cardinality(ctx.terms, ctx.environment, index, ctx.budget)?;
            let default = ctx.part(args.get(0)?)?;
            let array = Array::constant(default, index_count).ok_or(Unknown::Limit)?;
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
        Op::StrFromUbv => {
            ctx.spend_width(args.bv(0)?.width())?;
            Str::from_int(&IBig::from(args.bv(0)?.to_ubig()), ctx.budget)?.ok()
        }
        Op::StrFromSbv => {
            ctx.spend_width(args.bv(0)?.width())?;
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
            let count = ctx.index_natural(application.indices, 0)?;
            ctx.regexes.power(args.re(0)?, &count, ctx.budget)?.ok()
        }
        Op::ReLoop => {
            let min = ctx.index_natural(application.indices, 0)?;
            let max = ctx.index_natural(application.indices, 1)?;
            ctx.regexes.repeat_between(args.re(0)?, &min, &max, ctx.budget)?.ok()
        }
        Op::ReLoopBetween => {
            let natural = |position: usize| {
                UBig::try_from(args.int(position)?.clone()).map_err(|_| Unknown::Open(Op::ReLoopBetween))
            };
            ctx.budget.spend_words(int_words(args.int(1)?) + int_words(args.int(2)?))?;
            ctx.regexes.repeat_between(args.re(0)?, &natural(1)?, &natural(2)?, ctx.budget)?.ok()
        }
        Op::ReLoopFrom => {
            let min = ctx.index_natural(application.indices, 0)?;
            let body = args.re(0)?;
            let required = ctx.regexes.power(body, &min, ctx.budget)?;
            let more = ctx.regexes.star(body, ctx.budget)?;
            ctx.regexes.concat(&[required, more], ctx.budget)?.ok()
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
        | Op::SeqRev => sequence::apply(application.op, application.args, ctx.budget),
    }
}

impl Context<'_> {
    /// Whether two values of one sort are equal.
    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Result<bool, Unknown> {
        match (left, right) {
            (Value::Int(int), Value::Real(real)) | (Value::Real(real), Value::Int(int)) => {
                Ok(real.is_int() && real.numerator() == int)
            }
            (Value::Regex(left), Value::Regex(right)) => {
                Ok(left == right || self.regexes.equal_languages(*left, *right, self.budget)?)
            }
            _ => {
                let is_known = !left.is_opaque_to_equality() && !right.is_opaque_to_equality();
                match left.equals(right, self.budget)? {
                    is_equal if is_equal || is_known => Ok(is_equal),
                    _ => Err(Unknown::FunctionEquality),
                }
            }
        }
    }

    /// A copy of a value, charged.
    pub(crate) fn copy(&mut self, value: &Value) -> Outcome {
        copied(value, self.budget)
    }

    /// A copy of a value that becomes a part of a container.
    fn part(&mut self, value: &Value) -> Outcome {
        self.budget.spend_words(value.part_words())?;
        Ok(value.clone())
    }

    /// A number as a rational.
    fn real(&mut self, value: &Value) -> Result<RBig, Unknown> {
        self.budget.spend_words(value.own_words())?;
        match value {
            Value::Int(number) => Ok(RBig::from(number.clone())),
            Value::Real(number) => Ok(number.clone()),
            _ => Err(Unknown::IllSorted),
        }
    }

    fn index_natural(&mut self, indices: &[Index], position: usize) -> Result<UBig, Unknown> {
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

    /// Charges for a bit-vector that is read and written once.
    fn spend_width(&mut self, width: u32) -> Result<(), Unknown> {
        self.spend_bits(u64::from(width))
    }

    /// Charges for a number of so many bits.
    fn spend_bits(&mut self, bits: u64) -> Result<(), Unknown> {
        Ok(self.budget.spend_words(cost::words(bits))?)
    }

    /// Charges for an operation on two bit-vectors, which must have one width.
    fn spend_pair(&mut self, work: Work, left: &BitVec, right: &BitVec) -> Result<(), Unknown> {
        if left.width() != right.width() {
            return Err(Unknown::IllSorted);
        }
        let words = cost::words(u64::from(left.width()));
        Ok(self.budget.spend(work.cost(words, words))?)
    }

    fn spend_format(&mut self, float: &Float) -> Result<(), Unknown> {
        Ok(self.budget.spend(float.format().operation_cost())?)
    }

    fn extend(&mut self, bits: &BitVec, extra: u64, extend: fn(&BitVec, u32) -> BitVec) -> Outcome {
        let extra = u32::try_from(extra).map_err(|_| Unknown::Limit)?;
        let width = bits.width().checked_add(extra).ok_or(Unknown::Limit)?;
        self.spend_bits(2 * u64::from(width))?;
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
        let has_real = self.0.iter().any(|value| matches!(value, Value::Real(_)));
        let has_int = self.0.iter().any(|value| matches!(value, Value::Int(_)));
        if (has_real && has_int) || self.0.iter().any(Value::is_opaque_to_equality) {
            return self.compare_all_pairs(ctx);
        }
        let mut seen = FxHashSet::default();
        for value in self.0 {
            ctx.budget.spend(value.weight().saturating_add(HASH_COST))?;
            if !seen.insert(value) {
                return false.ok();
            }
        }
        true.ok()
    }

    fn compare_all_pairs(self, ctx: &mut Context<'_>) -> Outcome {
        for (position, left) in self.0.iter().enumerate() {
            for right in &self.0[position + 1..] {
                ctx.budget.spend(HASH_COST)?;
                if ctx.equal(left, right)? {
                    return false.ok();
                }
            }
        }
        true.ok()
    }

    fn compare(self, ctx: &mut Context<'_>, accepts: fn(Ordering) -> bool) -> Outcome {
        self.chain(|left, right| {
            let words = (left.own_words(), right.own_words());
            Ok(accepts(match (left, right) {
                (Value::Int(left), Value::Int(right)) => {
                    ctx.budget.spend(words.0.min(words.1))?;
                    left.cmp(right)
                }
                _ => {
                    // Fractions are compared by the products of numerators and denominators.
                    ctx.budget.spend(cost::product(words.0, words.1).saturating_mul(2))?;
                    ctx.real(left)?.cmp(&ctx.real(right)?)
                }
            }))
        })
    }

    /// Folds integers or, if the result is real, rationals; with one argument the second is zero.
    fn numeric(
        self,
        sort: Sort,
        ctx: &mut Context<'_>,
        work: Work,
        on_ints: fn(&IBig, &IBig) -> IBig,
        on_reals: fn(&RBig, &RBig) -> RBig,
    ) -> Outcome {
        let is_unary = self.0.len() == 1;
        if sort == Sort::INT {
            if is_unary {
                ctx.budget.spend_words(int_words(self.int(0)?))?;
                return on_ints(self.int(0)?, &IBig::ZERO).ok();
            }
            return self.fold_ints(ctx, work, |a, b| Ok(on_ints(a, b)));
        }
        if is_unary {
            return Ok(Value::Real(on_reals(&ctx.real(self.get(0)?)?, &RBig::ZERO)));
        }
        self.fold_reals(ctx, |a, b| Ok(on_reals(&a, &b)))
    }

    fn fold_ints(
        self,
        ctx: &mut Context<'_>,
        work: Work,
        mut step: impl FnMut(&IBig, &IBig) -> Result<IBig, Unknown>,
    ) -> Outcome {
        ctx.budget.spend_words(int_words(self.int(0)?))?;
        let mut result = self.int(0)?.clone();
        for position in 1..self.0.len() {
            let next = self.int(position)?;
            ctx.budget.spend(work.cost(int_words(&result), int_words(next)))?;
            result = step(&result, next)?;
        }
        result.ok()
    }

    fn fold_reals(
        self,
        ctx: &mut Context<'_>,
        mut step: impl FnMut(RBig, RBig) -> Result<RBig, Unknown>,
    ) -> Outcome {
        let mut result = ctx.real(self.get(0)?)?;
        for position in 1..self.0.len() {
            let next = ctx.real(self.get(position)?)?;
            ctx.budget.spend(cost::fraction(fraction_words(&result), fraction_words(&next)))?;
            result = step(result, next)?;
        }
        Ok(Value::Real(result))
    }

    fn bv1(self, ctx: &mut Context<'_>, compute: impl Fn(&BitVec) -> BitVec) -> Outcome {
        let bits = self.bv(0)?;
        ctx.spend_width(bits.width())?;
        compute(bits).ok()
    }

    /// Folds bit-vectors of one width; `bvcomp` has two arguments only.
    fn fold_bvs(
        self,
        ctx: &mut Context<'_>,
        work: Work,
        step: impl Fn(&BitVec, &BitVec) -> BitVec,
    ) -> Outcome {
        let mut result = self.bv(0)?.clone();
        for position in 1..self.0.len() {
            let next = self.bv(position)?;
            ctx.spend_pair(work, &result, next)?;
            result = step(&result, next);
        }
        result.ok()
    }

    fn bv_test(self, ctx: &mut Context<'_>, work: Work, test: fn(&BitVec, &BitVec) -> bool) -> Outcome {
        ctx.spend_pair(work, self.bv(0)?, self.bv(1)?)?;
        test(self.bv(0)?, self.bv(1)?).ok()
    }

    fn float_op(
        self,
        ctx: &mut Context<'_>,
        compute: impl Fn(RoundingMode, &Float, &Float) -> Float,
    ) -> Outcome {
        self.floats(ctx, 1..3)?;
        ctx.spend_format(self.float(1)?)?;
        compute(self.mode(0)?, self.float(1)?, self.float(2)?).ok()
    }

    fn float_chain(self, ctx: &mut Context<'_>, holds: fn(&Float, &Float) -> bool) -> Outcome {
        self.floats(ctx, 0..self.0.len())?;
        self.chain(|left, right| Ok(holds(left.float()?, right.float()?)))
    }

    /// The arguments at some positions, which must be floats of one format. Charges for reading them.
    fn floats(self, ctx: &mut Context<'_>, positions: Range<usize>) -> Result<&'a [Value], Unknown> {
        let floats = self.0.get(positions).ok_or(Unknown::IllSorted)?;
        for value in floats {
            ctx.budget.spend_words(value.own_words())?;
            if value.float()?.format() != floats[0].float()?.format() {
                return Err(Unknown::IllSorted);
            }
        }
        Ok(floats)
    }
}

/// How the effort of an operation on two numbers grows.
#[derive(Clone, Copy)]
enum Work {
    Linear,
    Product,
    Quotient,
}

impl Work {
    fn cost(self, left_words: u64, right_words: u64) -> u64 {
        match self {
            Work::Linear => cost::linear(left_words.max(right_words) + 1),
            Work::Product => cost::product(left_words, right_words),
            Work::Quotient => cost::quotient(left_words, right_words),
        }
    }
}

/// What looking a value up in a table costs, besides reading it.
const HASH_COST: u64 = 16;

/// A copy of a value, charged.
pub(crate) fn copied(value: &Value, budget: &mut Budget) -> Outcome {
    budget.spend_words(value.own_words())?;
    Ok(value.clone())
}

fn int_words(number: &IBig) -> u64 {
    number.as_sign_words().1.len() as u64
}

fn fraction_words(number: &RBig) -> u64 {
    int_words(number.numerator()) + number.denominator().as_words().len() as u64
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
    let (base, exponent) = (ctx.real(args.get(0)?)?, ctx.real(args.get(1)?)?);
    let Some(exponent) = exponent.is_int().then(|| exponent.numerator()) else {
        return Err(Unknown::Irrational);
    };
    if *exponent < IBig::ZERO {
        return Err(Unknown::Open(Op::Power));
    }
    let bits = base.numerator().bit_len() + if base.is_int() { 0 } else { base.denominator().bit_len() };
    // The powers of 0, 1 and -1 repeat, however large the exponent is.
    let is_unit = base.is_int() && (-1..=1).any(|unit| *base.numerator() == IBig::from(unit));
    let exponent = if is_unit && *exponent > IBig::from(2) {
        2 - isize::from(exponent.bit(0))
    } else {
        isize::try_from(exponent).map_err(|_| Unknown::Limit)?
    };
    let words = cost::words((bits as u64).saturating_mul(exponent as u64));
    ctx.budget.spend(cost::product(words, words))?;
    let result = base.pow(exponent);
    if sort == Sort::INT { result.numerator().clone().ok() } else { Ok(Value::Real(result)) }
}

fn to_fp(ctx: &mut Context<'_>, args: Args<'_>, sort: Sort) -> Outcome {
    let format = ctx.format(sort)?;
    ctx.budget.spend(format.operation_cost())?;
    if args.0.len() == 1 {
        let bits = args.bv(0)?;
        if bits.width() != format.width() {
            return Err(Unknown::IllSorted);
        }
        return Float::from_ieee_bv(format, bits).ok();
    }
    let mode = args.mode(0)?;
    match args.get(1)? {
        Value::Float(float) => {
            ctx.spend_format(float)?;
            float.to_format(format, mode).ok()
        }
        Value::BitVec(bits) => {
            ctx.spend_width(bits.width())?;
            Float::from_sbv(format, mode, bits).ok()
        }
        number => {
            let number = ctx.real(number)?;
            // The numerator is made longer than the denominator by the precision of the format.
            let precision = cost::words(u64::from(format.significand_bits()));
            let words = fraction_words(&number) + precision;
            ctx.budget.spend(cost::quotient(words, words))?;
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
