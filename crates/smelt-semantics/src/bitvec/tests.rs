//! Bit-vectors against the definitions: all values of small widths, random values of large ones.

use proptest::prelude::*;

use super::*;

/// The value of the low `width` bits as two's complement.
fn signed(width: u32, value: i128) -> i128 {
    let value = value & ((1 << width) - 1);
    if value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value }
}

fn bv(width: u32, value: i128) -> BitVec {
    BitVec::from_ibig(width, IBig::from(value))
}

/// The standard's definition of flooring and truncating division on zero divisors is in terms of `bvudiv`.
fn expected_sdiv(x: i128, y: i128) -> i128 {
    if y == 0 { if x < 0 { 1 } else { -1 } } else { x / y }
}

/// Compares every binary operation on `x` and `y`, both below 2^width, with its meaning on integers.
fn check_binary(width: u32, x: i128, y: i128) {
    let (a, b) = (bv(width, x), bv(width, y));
    let (sx, sy) = (signed(width, x), signed(width, y));
    let modulus = 1i128 << width;
    let (least, most) = (-(modulus / 2), modulus / 2 - 1);
    let values: [(&str, BitVec, i128); 21] = [
        ("and", a.and(&b), x & y),
        ("or", a.or(&b), x | y),
        ("xor", a.xor(&b), x ^ y),
        ("nand", a.nand(&b), !(x & y)),
        ("nor", a.nor(&b), !(x | y)),
        ("xnor", a.xnor(&b), !(x ^ y)),
        ("add", a.add(&b), x + y),
        ("sub", a.sub(&b), x - y),
        ("mul", a.mul(&b), x * y),
        ("udiv", a.udiv(&b), if y == 0 { modulus - 1 } else { x / y }),
        ("urem", a.urem(&b), if y == 0 { x } else { x % y }),
        ("sdiv", a.sdiv(&b), expected_sdiv(sx, sy)),
        ("srem", a.srem(&b), if sy == 0 { sx } else { sx % sy }),
        ("smod", a.smod(&b), if sy == 0 { sx } else { sx - sy * floor_div(sx, sy) }),
        ("shl", a.shl(&b), if y >= width.into() { 0 } else { x << y }),
        ("lshr", a.lshr(&b), if y >= width.into() { 0 } else { x >> y }),
        ("ashr", a.ashr(&b), sx >> y.min(120)),
        ("ext_rotate_left", a.ext_rotate_left(&b), rotate(width, x, y % i128::from(width))),
        (
            "ext_rotate_right",
            a.ext_rotate_right(&b),
            rotate(width, x, (i128::from(width) - y % i128::from(width)) % i128::from(width)),
        ),
        ("not", a.not(), !x),
        ("neg", a.neg(), -x),
    ];
    for (name, actual, expected) in values {
        assert_eq!(actual, bv(width, expected), "{name} {a} {b}");
    }
    let fits = |exact: i128| (least..=most).contains(&exact);
    let claims = [
        ("ult", a.ult(&b), x < y),
        ("ule", a.ule(&b), x <= y),
        ("ugt", a.ugt(&b), x > y),
        ("uge", a.uge(&b), x >= y),
        ("slt", a.slt(&b), sx < sy),
        ("sle", a.sle(&b), sx <= sy),
        ("sgt", a.sgt(&b), sx > sy),
        ("sge", a.sge(&b), sx >= sy),
        ("nego", a.nego(), !fits(-sx)),
        ("uaddo", a.uaddo(&b), x + y >= modulus),
        ("saddo", a.saddo(&b), !fits(sx + sy)),
        ("usubo", a.usubo(&b), x - y < 0),
        ("ssubo", a.ssubo(&b), !fits(sx - sy)),
        ("umulo", a.umulo(&b), x * y >= modulus),
        ("smulo", a.smulo(&b), !fits(sx * sy)),
        ("sdivo", a.sdivo(&b), sy != 0 && !fits(sx / sy)),
        ("umul_noovfl", a.umul_noovfl(&b), x * y < modulus),
        ("smul_noovfl", a.smul_noovfl(&b), sx * sy <= most),
        ("smul_noudfl", a.smul_noudfl(&b), sx * sy >= least),
        ("comp", a.comp(&b) == BitVec::from_bool(true), x == y),
        ("redor", a.redor() == BitVec::from_bool(true), x != 0),
        ("redand", a.redand() == BitVec::from_bool(true), x == modulus - 1),
    ];
    for (name, actual, expected) in claims {
        assert_eq!(actual, expected, "{name} {a} {b}");
    }
}

fn floor_div(x: i128, y: i128) -> i128 {
    let quotient = x / y;
    if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient }
}

fn rotate(width: u32, x: i128, amount: i128) -> i128 {
    x << amount | x >> (i128::from(width) - amount)
}

#[test]
fn every_operation_agrees_with_the_integers_on_widths_up_to_four() {
    for width in 1..=4 {
        for x in 0..1 << width {
            for y in 0..1 << width {
                check_binary(width, x, y);
            }
        }
    }
}

#[test]
fn cutting_and_joining_agree_with_digits_on_widths_up_to_four() {
    for width in 1..=4u32 {
        for x in 0..1u64 << width {
            let value = BitVec::from_u64(width, x);
            let digits = value.to_binary_digits();
            assert_eq!(BitVec::parse_binary(&digits), Some(value.clone()));
            assert_eq!(value.to_ubig(), UBig::from(x));
            assert_eq!(value.to_signed(), IBig::from(signed(width, x.into())));
            for high in 0..width {
                assert_eq!(value.bit(high), x >> high & 1 == 1);
                for low in 0..=high {
                    let cut = &digits[(width - 1 - high) as usize..(width - low) as usize];
                    assert_eq!(value.extract(high, low).to_binary_digits(), cut);
                }
            }
            for count in 1..=9u32 {
                assert_eq!(value.repeat(count).to_binary_digits(), digits.repeat(count as usize));
                let (zeros, signs) = ("0".repeat(count as usize), digits[..1].repeat(count as usize));
                assert_eq!(value.zero_extend(count).to_binary_digits(), zeros + &digits);
                assert_eq!(value.sign_extend(count).to_binary_digits(), signs + &digits);
                let (front, back) = digits.split_at(count as usize % width as usize);
                assert_eq!(value.rotate_left(count.into()).to_binary_digits(), back.to_owned() + front);
                assert_eq!(value.rotate_left(count.into()).rotate_right(count.into()), value);
            }
        }
    }
}

proptest! {
    #[test]
    fn values_of_almost_a_machine_word_agree_with_the_integers(width in 55u32..=62, x: u64, y: u64, spread in 0u32..60) {
        let mask = (1u64 << width) - 1;
        check_binary(width, (x & mask).into(), ((y & mask) >> spread).into());
    }

    /// The wide operation on extended operands, cut back, is the narrow one.
    #[test]
    fn wide_operations_agree_with_narrow_ones(width in 1u32..=64, extra in 1u32..=128, x: u64, y: u64) {
        let (a, b) = (BitVec::from_u64(width, x), BitVec::from_u64(width, y));
        let (zero_a, zero_b) = (a.zero_extend(extra), b.zero_extend(extra));
        let (sign_a, sign_b) = (a.sign_extend(extra), b.sign_extend(extra));
        let cut = |wide: BitVec| wide.extract(width - 1, 0);
        prop_assert_eq!(cut(sign_a.add(&sign_b)), a.add(&b));
        prop_assert_eq!(cut(zero_a.sub(&zero_b)), a.sub(&b));
        prop_assert_eq!(cut(sign_a.mul(&sign_b)), a.mul(&b));
        prop_assert_eq!(cut(zero_a.udiv(&zero_b)), a.udiv(&b));
        prop_assert_eq!(cut(zero_a.urem(&zero_b)), a.urem(&b));
        prop_assert_eq!(cut(sign_a.sdiv(&sign_b)), a.sdiv(&b));
        prop_assert_eq!(cut(sign_a.srem(&sign_b)), a.srem(&b));
        prop_assert_eq!(cut(sign_a.smod(&sign_b)), a.smod(&b));
        prop_assert_eq!(cut(zero_a.shl(&zero_b)), a.shl(&b));
        prop_assert_eq!(cut(zero_a.lshr(&zero_b)), a.lshr(&b));
        prop_assert_eq!(cut(sign_a.ashr(&zero_b)), a.ashr(&b));
        prop_assert_eq!(zero_a.ult(&zero_b), a.ult(&b));
        prop_assert_eq!(sign_a.slt(&sign_b), a.slt(&b));
        prop_assert_eq!(cut(zero_a.not()), a.not());
        prop_assert_eq!(sign_a.neg(), sign_a.not().add(&BitVec::from_u64(width + extra, 1)));
        let exact = sign_a.to_signed() * sign_b.to_signed();
        prop_assert_eq!(a.smulo(&b), BitVec::from_ibig(width, exact.clone()).to_signed() != exact);
    }

    #[test]
    fn wide_overflow_predicates_agree_with_exact_arithmetic(
        width in 65u32..200,
        x in prop::collection::vec(any::<u64>(), 4),
        y in prop::collection::vec(any::<u64>(), 4),
        x_bits in 0u32..200,
        y_bits in 0u32..200,
    ) {
        // Short operands as well as long ones, so that products fall on both sides of the bound.
        let operand = |words: &[u64], bits: u32| {
            let value = BitVec::from_ubig(bits.clamp(1, width), UBig::from_words(words));
            value.sign_extend(width - value.width())
        };
        let (a, b) = (operand(&x, x_bits), operand(&y, y_bits));
        let (sx, sy) = (a.to_signed(), b.to_signed());
        let fits = |exact: IBig| BitVec::from_ibig(width, exact.clone()).to_signed() == exact;
        prop_assert_eq!(a.saddo(&b), !fits(&sx + &sy));
        prop_assert_eq!(a.ssubo(&b), !fits(&sx - &sy));
        prop_assert_eq!(a.smulo(&b), !fits(&sx * &sy));
        prop_assert_eq!(a.uaddo(&b), (a.to_ubig() + b.to_ubig()).bit_len() > width as usize);
        prop_assert_eq!(a.umulo(&b), (a.to_ubig() * b.to_ubig()).bit_len() > width as usize);
        prop_assert_eq!(a.nego(), !fits(-&sx));
        let literal = a.to_string();
        let parsed = literal.strip_prefix("#x").map(BitVec::parse_hex);
        let parsed = parsed.or_else(|| literal.strip_prefix("#b").map(BitVec::parse_binary));
        prop_assert_eq!(parsed, Some(Some(a)));
    }
}

#[test]
fn the_least_wide_value_overflows_when_negated_or_divided_by_minus_one() {
    let least = BitVec::from_ubig(100, UBig::ONE << 99);
    assert!(least.nego());
    assert!(least.sdivo(&BitVec::ones(100)));
    assert_eq!(least.sdiv(&BitVec::ones(100)), least);
    assert!(!BitVec::ones(100).nego());
}

#[test]
fn vectors_of_ones_are_recognised_at_word_boundaries() {
    for width in [1, 63, 64, 65, 127, 128, 129, 192, 256] {
        assert!(BitVec::ones(width).is_ones(), "{width}");
        assert!(!BitVec::ones(width).lshr(&BitVec::from_u64(width, 1)).is_ones(), "{width}");
    }
}

#[test]
fn a_shift_by_a_huge_amount_empties_the_vector() {
    let huge = BitVec::ones(200);
    assert_eq!(huge.shl(&huge), BitVec::zero(200));
    assert_eq!(huge.lshr(&huge), BitVec::zero(200));
    assert_eq!(huge.ashr(&huge), huge);
}

#[test]
fn literals_print_as_hexadecimal_only_if_the_width_is_a_multiple_of_four() {
    assert_eq!(BitVec::from_u64(8, 10).to_string(), "#x0a");
    assert_eq!(BitVec::from_u64(7, 10).to_string(), "#b0001010");
    assert_eq!(BitVec::zero(1).to_string(), "#b0");
    assert_eq!(BitVec::zero(1 << 20).to_string().len(), (1 << 18) + 2);
}

#[test]
fn text_that_is_not_digits_is_no_literal() {
    for text in ["", "2", "+1", "0_1", "é", " 1"] {
        assert_eq!(BitVec::parse_binary(text), None, "{text}");
    }
    assert_eq!(BitVec::parse_hex("g"), None);
    assert_eq!(BitVec::parse_hex("aF"), Some(BitVec::from_u64(8, 0xaf)));
}
