//! Claims about single operations, printing and extreme formats. All values of tiny formats are in `exhaustive`,
//! random values of the IEEE formats in `apfloat`.

mod apfloat;
mod exhaustive;

use dashu_ratio::RBig;
use expect_test::{Expect, expect};

use super::RoundingMode::*;
use super::*;
use crate::bitvec::BitVec;
use crate::{Budget, LimitReached};

fn format(exponent_bits: u32, significand_bits: u32) -> Format {
    Format::new(exponent_bits, significand_bits).unwrap()
}

fn integer(format: Format, number: i64) -> Float {
    Float::from_integer(format, NearestTiesToEven, IBig::from(number))
}

fn check(float: Float, expect: Expect) {
    expect.assert_eq(&float.to_string());
}

#[test]
fn a_format_needs_two_bits_of_each_kind_and_a_packed_width() {
    assert_eq!(Format::new(1, 2), None);
    assert_eq!(Format::new(2, 1), None);
    assert_eq!(Format::new(u32::MAX - 1, 2), None);
    assert!(Format::new(2, 2).is_some());
}

#[test]
fn values_print_as_smt_lib_terms() {
    let half = format(5, 11);
    check(Float::nan(half), expect!["(_ NaN 5 11)"]);
    check(Float::infinity(half, Sign::Positive), expect!["(_ +oo 5 11)"]);
    check(Float::infinity(half, Sign::Negative), expect!["(_ -oo 5 11)"]);
    check(Float::zero(half, Sign::Positive), expect!["(_ +zero 5 11)"]);
    check(Float::zero(half, Sign::Negative), expect!["(_ -zero 5 11)"]);
    check(Float::min_subnormal(half, Sign::Negative), expect!["(fp #b1 #b00000 #b0000000001)"]);
    check(Float::min_normal(half, Sign::Positive), expect!["(fp #b0 #b00001 #b0000000000)"]);
    check(Float::max_finite(half, Sign::Positive), expect!["(fp #b0 #b11110 #b1111111111)"]);
    check(integer(half, -3), expect!["(fp #b1 #b10000 #b1000000000)"]);
}

#[test]
fn structural_and_ieee_equality_differ_on_nan_and_zeros() {
    let (nan, zero) = (Float::nan(format(3, 3)), Float::zero(format(3, 3), Sign::Positive));
    assert!(nan == nan.clone() && !nan.ieee_eq(&nan));
    assert!(zero != zero.neg() && zero.ieee_eq(&zero.neg()));
}

#[test]
fn min_and_max_of_zeros_of_different_sign_are_unspecified() {
    let zero = Float::zero(format(3, 3), Sign::Positive);
    assert_eq!(zero.min(&zero.neg()), None);
    assert_eq!(zero.neg().max(&zero), None);
    assert_eq!(zero.min(&zero), Some(zero.clone()));
}

/// In such a format a sum or remainder that spelled its bits out would not fit into any memory.
#[test]
fn a_million_exponent_bits_are_no_special_case() {
    let wide = format(1 << 20, 53);
    let (most, least) = (Float::max_finite(wide, Sign::Positive), Float::min_subnormal(wide, Sign::Positive));
    let next = most.sub(TowardZero, &least);
    assert_ne!(next, most);
    assert_eq!(next.add(TowardPositive, &least), most);
    assert_eq!(most.add(NearestTiesToEven, &least), most);
    assert_eq!(most.add(TowardPositive, &least), Float::infinity(wide, Sign::Positive));
    assert_eq!(least.mul(TowardPositive, &least), least);
    assert_eq!(least.mul(NearestTiesToAway, &least), Float::zero(wide, Sign::Positive));
    assert_eq!(most.div(TowardZero, &least), most);
    // The product is about 2^-50.
    let fused = most.fma(NearestTiesToEven, &least, &integer(wide, 1));
    assert_eq!(fused.to_ubv(TowardPositive, 53), Some(BitVec::from_u64(53, 2)));
    assert_eq!(most.to_ubv(TowardZero, 64), None);
    assert_eq!(least.to_sbv(TowardPositive, 64), Some(BitVec::from_u64(64, 1)));
    assert_eq!(most.round_to_integral(NearestTiesToEven), most);
    assert_eq!(least.round_to_integral(TowardPositive), integer(wide, 1));
    assert_eq!(Float::from_ieee_bv(wide, &least.to_ieee_bv().unwrap()), least);
    assert_eq!(most.sqrt(TowardZero).mul(NearestTiesToEven, &most.sqrt(TowardPositive)), most);
}

#[test]
fn remainders_of_numbers_far_apart_use_modular_arithmetic() {
    let wide = format(1 << 10, 24);
    let most = Float::max_finite(wide, Sign::Positive);
    let mut budget = Budget::new(1 << 20);
    // The largest number is (2^24 - 1)·2^(2^1023 - 24). Modulo 7 powers of two repeat after three steps;
    // 2^1023 - 24 is 2 modulo 3 and 2^24 - 1 a multiple of 7.
    assert_eq!(most.rem(&mut budget, &integer(wide, 7)), Ok(Float::zero(wide, Sign::Positive)));
    // Modulo 5 they repeat after four: 2^24 - 1 is 0 modulo 5. Modulo 11 after ten: the order of the factors is
    // 2^24 - 1 = 4 and 2^(8 - 24) = 2^4 = 5 modulo 11, hence 20 = 9, nearest -2.
    assert_eq!(most.rem(&mut budget, &integer(wide, 11)), Ok(integer(wide, -2)));
    assert_eq!(integer(wide, 7).rem(&mut budget, &most), Ok(integer(wide, 7)));
    assert_eq!(most.rem(&mut Budget::new(100), &integer(wide, 7)), Err(LimitReached));
}

#[test]
fn reals_that_do_not_fit_the_budget_reach_the_limit() {
    let quad = format(15, 113);
    let most = Float::max_finite(quad, Sign::Positive);
    assert_eq!(most.to_real(&mut Budget::new(2_000)), Err(LimitReached));
    let real = most.to_real(&mut Budget::new(2_400)).unwrap().unwrap();
    assert_eq!(Float::from_rational(quad, TowardZero, &real), most);
    let wide = Float::max_finite(format(100, 10), Sign::Negative);
    assert_eq!(wide.to_real(&mut Budget::default()), Err(LimitReached));
}

#[test]
fn a_million_significand_bits_are_no_special_case() {
    let long = format(15, 1 << 20);
    let third = integer(long, 1).div(NearestTiesToEven, &integer(long, 3));
    assert_eq!(third.mul(NearestTiesToEven, &integer(long, 3)), integer(long, 1));
    let root = integer(long, 2).sqrt(TowardZero);
    assert!(root.mul(TowardPositive, &root).leq(&integer(long, 2)));
    let remainder = third.rem(&mut Budget::default(), &integer(long, 1)).unwrap();
    assert_eq!(remainder, third);
}

/// No format of IEEE 754 is like this one, and SMT-LIB does not speak of the case.
#[test]
fn an_integral_part_beyond_the_range_overflows() {
    let narrow = format(2, 7);
    let most = Float::max_finite(narrow, Sign::Positive);
    assert_eq!(most.round_to_integral(NearestTiesToEven), Float::infinity(narrow, Sign::Positive));
    assert_eq!(most.round_to_integral(TowardZero), integer(narrow, 3));
    assert_eq!(most.to_ubv(NearestTiesToEven, 3), Some(BitVec::from_u64(3, 4)));
}

#[test]
fn a_real_zero_becomes_the_positive_one_in_every_mode() {
    for mode in RoundingMode::ALL {
        let zero = Float::from_rational(format(3, 3), mode, &RBig::ZERO);
        assert_eq!(zero, Float::zero(format(3, 3), Sign::Positive));
    }
}
