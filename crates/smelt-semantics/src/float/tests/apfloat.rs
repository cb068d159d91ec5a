//! Operations in the IEEE formats, on random and corner values, against LLVM's APFloat.

use proptest::prelude::*;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round};

use super::*;

fn ap_round(mode: RoundingMode) -> Round {
    match mode {
        NearestTiesToEven => Round::NearestTiesToEven,
        NearestTiesToAway => Round::NearestTiesToAway,
        TowardPositive => Round::TowardPositive,
        TowardNegative => Round::TowardNegative,
        TowardZero => Round::TowardZero,
    }
}

fn from_bits(format: Format, bits: u128) -> Float {
    Float::from_ieee_bv(format, &BitVec::from_ubig(format.width(), UBig::from(bits)))
}

fn from_ap<F: ApFloat>(format: Format, value: F) -> Float {
    from_bits(format, value.to_bits())
}

/// Random bits; half of the time with an exponent, and sometimes a significand, near where cases change.
fn shape(format: Format, bits: u128, choice: u8) -> u128 {
    let (eb, sb) = (format.exponent_bits(), format.significand_bits());
    let bits = bits & (u128::MAX >> (128 - format.width()));
    let fraction_mask = (1u128 << (sb - 1)) - 1;
    let exponent_mask = (1u128 << eb) - 1;
    let bias = exponent_mask >> 1;
    let exponent = match choice % 16 {
        0 => 0,
        1 => 1,
        2 => exponent_mask,
        3 => exponent_mask - 1,
        4 => bias,
        5 => bias + u128::from(sb) - 1,
        6 => bias - 1,
        7 => bias + u128::from(choice / 16),
        8 => (bias + u128::from(choice / 16)).saturating_sub(8),
        _ => bits >> (sb - 1) & exponent_mask,
    };
    let fraction = match choice / 16 % 8 {
        0 => 0,
        1 => 1,
        2 => fraction_mask,
        3 => 1 << (sb - 2),
        4 => bits & fraction_mask & !(fraction_mask >> 4),
        _ => bits & fraction_mask,
    };
    let sign = bits >> (format.width() - 1);
    sign << (format.width() - 1) | exponent << (sb - 1) | fraction
}

/// Compares all operations that both sides have.
fn check_format<F>(format: Format, inputs: [u128; 3])
where
    F: ApFloat
        + FloatConvert<Half>
        + FloatConvert<BFloat>
        + FloatConvert<Single>
        + FloatConvert<Double>
        + FloatConvert<Quad>,
{
    let [a, b, c] = inputs.map(|bits| from_bits(format, bits));
    let [x, y, z] = inputs.map(F::from_bits);
    for mode in RoundingMode::ALL {
        let round = ap_round(mode);
        let results = [
            ("add", a.add(mode, &b), x.add_r(y, round).value),
            ("sub", a.sub(mode, &b), x.sub_r(y, round).value),
            ("mul", a.mul(mode, &b), x.mul_r(y, round).value),
            ("div", a.div(mode, &b), x.div_r(y, round).value),
            ("fma", a.fma(mode, &b, &c), x.mul_add_r(y, z, round).value),
            ("round_to_integral", a.round_to_integral(mode), x.round_to_integral(round).value),
        ];
        for (name, actual, expected) in results {
            assert_eq!(actual, from_ap(format, expected), "{name} {mode:?} {a} {b} {c}");
        }
        check_conversion::<F, Half>(&a, x, mode, HALF);
        check_conversion::<F, BFloat>(&a, x, mode, BFLOAT);
        check_conversion::<F, Single>(&a, x, mode, SINGLE);
        check_conversion::<F, Double>(&a, x, mode, DOUBLE);
        check_conversion::<F, Quad>(&a, x, mode, QUAD);
        let bits = BitVec::from_ubig(128, UBig::from(inputs[1]));
        let unsigned = from_ap(format, F::from_u128_r(inputs[1], round).value);
        assert_eq!(Float::from_ubv(format, mode, &bits), unsigned, "{mode:?} {bits}");
        let signed = from_ap(format, F::from_i128_r(inputs[1].cast_signed(), round).value);
        assert_eq!(Float::from_sbv(format, mode, &bits), signed, "{mode:?} {bits}");
        for width in [8usize, 32, 64, 128] {
            let width_bits = u32::try_from(width).unwrap();
            let unsigned = x.to_u128_r(width, round, &mut false);
            let is_in_range = !unsigned.status.contains(rustc_apfloat::Status::INVALID_OP);
            let expected = is_in_range.then(|| BitVec::from_ubig(width_bits, UBig::from(unsigned.value)));
            assert_eq!(a.to_ubv(mode, width_bits), expected, "to_ubv {mode:?} {a} {width}");
            let signed = x.to_i128_r(width, round, &mut false);
            let is_in_range = !signed.status.contains(rustc_apfloat::Status::INVALID_OP);
            let expected = is_in_range.then(|| BitVec::from_ibig(width_bits, IBig::from(signed.value)));
            assert_eq!(a.to_sbv(mode, width_bits), expected, "to_sbv {mode:?} {a} {width}");
        }
    }
    let remainder = a.rem(&mut Budget::default(), &b).unwrap();
    assert_eq!(remainder, from_ap(format, x.ieee_rem(y).value), "rem {a} {b}");
    assert_eq!(a.compare(&b), x.partial_cmp(&y), "compare {a} {b}");
    check_sqrt(&a);
    if let Some(real) = a.to_real(&mut Budget::default()).unwrap() {
        let expected = if a.is_zero() { a.abs() } else { a.clone() };
        assert_eq!(Float::from_rational(format, TowardNegative, &real), expected);
    }
}

fn check_conversion<F, T>(a: &Float, x: F, mode: RoundingMode, format: Format)
where
    F: FloatConvert<T>,
    T: ApFloat,
{
    let expected: T = x.convert_r(ap_round(mode), &mut false).value;
    assert_eq!(a.to_format(format, mode), from_ap(format, expected), "to {format:?} {mode:?} {a}");
}

/// APFloat has no square root, but one is characterised by the squares of its neighbours.
fn check_sqrt(a: &Float) {
    if !a.is_positive() || a.is_zero() || a.is_infinite() {
        return;
    }
    let square = |float: Float| {
        let real = float.to_real(&mut Budget::default()).unwrap().unwrap();
        &real * &real
    };
    let exact = a.to_real(&mut Budget::default()).unwrap().unwrap();
    let (down, up) = (a.sqrt(TowardZero), a.sqrt(TowardPositive));
    assert_eq!(a.sqrt(TowardNegative), down);
    if down == up {
        assert_eq!(square(down), exact);
        return;
    }
    let bits = |float: &Float| float.to_ieee_bv().unwrap().to_ubig();
    assert_eq!(bits(&down) + UBig::ONE, bits(&up), "sqrt {a}");
    assert!(square(down.clone()) < exact && exact < square(up.clone()), "sqrt {a}");
    // Four times the square of the middle is the square of the sum; a root is never halfway between two values.
    let double = |float: &Float| float.to_real(&mut Budget::default()).unwrap().unwrap();
    let sum = double(&down) + double(&up);
    let nearest = if RBig::from(4) * exact > &sum * &sum { up } else { down };
    assert_eq!(a.sqrt(NearestTiesToEven), nearest);
    assert_eq!(a.sqrt(NearestTiesToAway), nearest);
}

const HALF: Format = Format { exponent_bits: 5, significand_bits: 11 };
const BFLOAT: Format = Format { exponent_bits: 8, significand_bits: 8 };
const SINGLE: Format = Format { exponent_bits: 8, significand_bits: 24 };
const DOUBLE: Format = Format { exponent_bits: 11, significand_bits: 53 };
const QUAD: Format = Format { exponent_bits: 15, significand_bits: 113 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_ieee_formats_agree_with_apfloat(bits: [u128; 3], choices: [u8; 3]) {
        let inputs = |format: Format| std::array::from_fn(|i| shape(format, bits[i], choices[i]));
        check_format::<Half>(HALF, inputs(HALF));
        check_format::<BFloat>(BFLOAT, inputs(BFLOAT));
        check_format::<Single>(SINGLE, inputs(SINGLE));
        check_format::<Double>(DOUBLE, inputs(DOUBLE));
        check_format::<Quad>(QUAD, inputs(QUAD));
    }
}
