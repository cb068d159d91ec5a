use super::*;

fn rational(numerator: i64, denominator: u64) -> RBig {
    RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
}

fn polynomial(coefficients: &[i64]) -> Polynomial {
    Polynomial::new(coefficients.iter().map(|number| rational(*number, 1)).collect())
}

fn sign(numbers: &Irrationals, number: &Number) -> Option<Ordering> {
    numbers.sign(number, &mut Budget::default()).unwrap()
}

fn root_of_two(numbers: &mut Irrationals) -> Number {
    numbers.root(&polynomial(&[-2, 0, 1]), RBig::ZERO, rational(2, 1)).unwrap()
}

#[test]
fn powers_of_a_root_are_reduced() {
    let mut numbers = Irrationals::default();
    let root = root_of_two(&mut numbers);
    assert_eq!(numbers.product(&root, &root).unwrap().as_rational(), Some(rational(2, 1)));
    let sum = root.plus(&Number::rational(RBig::ONE));
    // (r + 1)^2 = 2 r + 3
    let square = numbers.product(&sum, &sum).unwrap();
    let expected = root.times_rational(&rational(2, 1)).plus(&Number::rational(rational(3, 1)));
    assert_eq!(square, expected);
}

#[test]
fn a_number_that_shares_a_root_is_zero() {
    let mut numbers = Irrationals::default();
    // The root of x^4 - 10 x^2 + 1 near 3.146 is the sum of the roots of 2 and 3; that of x^4 - 4 near 1.4 that of 2.
    let sum = numbers.root(&polynomial(&[1, 0, -10, 0, 1]), rational(3, 1), rational(4, 1)).unwrap();
    let other = numbers.root(&polynomial(&[-4, 0, 0, 0, 1]), RBig::ONE, rational(2, 1)).unwrap();
    let square = numbers.product(&other, &other).unwrap();
    let two = Number::rational(rational(2, 1));
    assert_eq!(sign(&numbers, &square.plus(&two.negated())), Some(Ordering::Equal));
    assert_eq!(sign(&numbers, &sum.plus(&two.negated())), Some(Ordering::Greater));
    // Several roots may make up zero, too.
    let root = root_of_two(&mut numbers);
    assert_eq!(sign(&numbers, &root.plus(&other.negated())), Some(Ordering::Equal));
    let three = numbers.root(&polynomial(&[-3, 0, 1]), RBig::ONE, rational(2, 1)).unwrap();
    let both = root.plus(&three).plus(&sum.negated());
    assert_eq!(sign(&numbers, &both), Some(Ordering::Equal));
    let near = both.plus(&Number::rational(RBig::from_parts(-IBig::ONE, UBig::from(10u8).pow(100))));
    assert_eq!(sign(&numbers, &near), Some(Ordering::Less));
    assert_eq!(sign(&numbers, &root.plus(&sum.negated())), Some(Ordering::Less));
}

#[test]
fn roots_are_found_by_their_position() {
    let mut numbers = Irrationals::default();
    // (x + 3) (x^2 - 2)
    let three = polynomial(&[-6, -2, 3, 1]);
    let smallest = numbers.root_at(&three, 1).unwrap().plus(&Number::rational(rational(3, 1)));
    assert_eq!(sign(&numbers, &smallest), Some(Ordering::Equal));
    let small = numbers.root_at(&three, 2).unwrap();
    let large = numbers.root_at(&three, 3).unwrap();
    assert_eq!(sign(&numbers, &small), Some(Ordering::Less));
    assert_eq!(sign(&numbers, &large), Some(Ordering::Greater));
    assert_eq!(numbers.root_at(&three, 0), None);
    assert_eq!(numbers.root_at(&three, 4), None);
    assert_eq!(numbers.root_at(&polynomial(&[1, 0, 1]), 1), None);
    let nine = numbers.root_at(&polynomial(&[-9, 0, 1]), 2).unwrap();
    assert_eq!(nine.as_rational(), Some(rational(3, 1)));
}

#[test]
fn numbers_that_cvc5_prints_are_read() {
    let mut numbers = Irrationals::default();
    let text = "(_ real_algebraic_number <1*x^2 + (-8), (11/4, 3)>)";
    let number = root_of_text(text, &mut numbers).unwrap();
    let square = numbers.product(&number, &number).unwrap();
    assert_eq!(square.as_rational(), Some(rational(8, 1)));
    assert_eq!(numbers.floor(&number, &mut Budget::default()).unwrap(), Some(IBig::from(2)));
    for text in [
        "(_ real_algebraic_number <1*x^2 + (-8), (-3, 3)>)",
        "(_ real_algebraic_number <1*y^2 + (-8), (2, 3)>)",
        "(_ real_algebraic_number <, (2, 3)>)",
        "(_ real_algebraic_number <1*x^2, (2)>)",
    ] {
        assert_eq!(root_of_text(text, &mut numbers), None);
    }
}

#[test]
fn intervals_that_touch_tell_nothing() {
    let mut numbers = Irrationals::default();
    let one = Number::rational(RBig::ONE);
    let e = numbers.apply(Function::Exp, &one).unwrap();
    let minus = numbers.apply(Function::Exp, &one.negated()).unwrap();
    let product = numbers.product(&e, &minus).unwrap();
    // It is one, which nothing here finds out.
    assert_eq!(sign(&numbers, &product.plus(&one.negated())), None);
    assert_eq!(sign(&numbers, &e.plus(&minus.negated())), Some(Ordering::Greater));
    assert_eq!(numbers.floor(&e, &mut Budget::default()).unwrap(), Some(IBig::from(2)));
    assert_eq!(numbers.floor(&product, &mut Budget::default()).unwrap(), None);
}

#[test]
fn multiples_of_a_right_angle_have_exact_sines() {
    let mut numbers = Irrationals::default();
    let pi = numbers.pi();
    for (halves, sine, cosine) in [(0, 0, 1), (1, 1, 0), (2, 0, -1), (3, -1, 0), (-1, -1, 0), (-2, 0, -1)] {
        let angle = pi.times_rational(&rational(halves, 2));
        let value = |function, numbers: &mut Irrationals| {
            numbers.apply(function, &angle).unwrap().as_rational().unwrap()
        };
        assert_eq!(value(Function::Sin, &mut numbers), rational(sine, 1));
        assert_eq!(value(Function::Cos, &mut numbers), rational(cosine, 1));
    }
}
