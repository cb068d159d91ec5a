//! Whether a numeral is a prime number, as the order of a finite field must be.
//!
//! The test of Miller and Rabin with fixed bases: right for every number below 2^64, and wrong for a larger composite
//! number only if it was made to deceive.

/// Numbers of more limbs are not looked at: testing them would take long, and no field in use is so large.
const MAX_LIMBS: usize = 32;

/// Bases that are right for every number below 2^64.
const BASES: [u32; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Bases for numbers of more than [`SHORT`] limbs, each of which takes a while.
const FEW_BASES: usize = 4;
const SHORT: usize = 4;

/// A natural number, lowest limb first, without leading zeros.
type Limbs = Vec<u32>;

/// Whether decimal digits are those of a composite number, of 0 or of 1. Numbers of more than 1024 bits are not tested.
pub(super) fn is_composite(digits: &str) -> bool {
    let Some(number) = parse(digits) else { return false };
    match number.as_slice() {
        [] | [1] => return true,
        _ => {}
    }
    for base in BASES {
        if number == [base] {
            return false;
        }
        if remainder(&number, base) == 0 {
            return true;
        }
    }
    let count = if number.len() > SHORT { FEW_BASES } else { BASES.len() };
    let field = Montgomery::new(number);
    BASES[..count].iter().any(|base| field.is_witness(*base))
}

fn parse(digits: &str) -> Option<Limbs> {
    let mut limbs: Limbs = Vec::new();
    for digit in digits.bytes() {
        let mut carry = u64::from(digit - b'0');
        for limb in &mut limbs {
            carry += u64::from(*limb) * 10;
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
        if limbs.len() > MAX_LIMBS {
            return None;
        }
    }
    Some(limbs)
}

fn remainder(number: &[u32], divisor: u32) -> u32 {
    let step = |rest: u64, limb: &u32| (rest << 32 | u64::from(*limb)) % u64::from(divisor);
    number.iter().rev().fold(0, step) as u32
}

/// Multiplication modulo an odd number, of numbers that are multiplied by a power of two.
struct Montgomery {
    modulus: Limbs,
    /// Minus the inverse of the lowest limb of the modulus, modulo 2^32.
    inverse: u32,
}

impl Montgomery {
    fn new(modulus: Limbs) -> Self {
        // Each step of Newton doubles the number of right bits.
        let lowest = modulus[0];
        let mut inverse = 1u32;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(lowest.wrapping_mul(inverse)));
        }
        Montgomery { modulus, inverse: inverse.wrapping_neg() }
    }

    /// Takes the modulus away once if the number, with one more limb, is not below it.
    fn reduce(&self, number: &mut [u32]) {
        let (top, low) = number.split_last().expect("numbers here have a limb more than the modulus");
        if *top == 0 && low.iter().rev().lt(self.modulus.iter().rev()) {
            return;
        }
        let mut borrow = 0i64;
        for (at, limb) in number.iter_mut().enumerate() {
            borrow += i64::from(*limb) - self.modulus.get(at).map_or(0, |limb| i64::from(*limb));
            *limb = borrow as u32;
            borrow >>= 32;
        }
    }

    /// The sum of a number and itself.
    fn double(&self, number: &mut Limbs) {
        let mut carry = 0u64;
        for limb in number.iter_mut() {
            carry += u64::from(*limb) << 1;
            *limb = carry as u32;
            carry >>= 32;
        }
        number.push(carry as u32);
        self.reduce(number);
        number.pop();
    }

    /// A small number in the form in which numbers are multiplied here.
    fn form(&self, small: u32) -> Limbs {
        let size = self.modulus.len();
        let mut number = vec![0; size];
        // Bit by bit from the top, so that everything stays below the modulus: the bases are tiny.
        for bit in (0..32).rev() {
            self.double(&mut number);
            if small >> bit & 1 == 1 {
                number.push(0);
                let mut carry = 1u64;
                for limb in number.iter_mut() {
                    carry += u64::from(*limb);
                    *limb = carry as u32;
                    carry >>= 32;
                }
                self.reduce(&mut number);
                number.pop();
            }
        }
        (0..32 * size).for_each(|_| self.double(&mut number));
        number
    }

    fn product(&self, left: &[u32], right: &[u32]) -> Limbs {
        let size = self.modulus.len();
        let mut sum = vec![0u32; size + 2];
        for limb in left {
            let mut carry = 0u64;
            for (place, other) in sum.iter_mut().zip(right) {
                carry += u64::from(*place) + u64::from(*limb) * u64::from(*other);
                *place = carry as u32;
                carry >>= 32;
            }
            carry += u64::from(sum[size]);
            sum[size] = carry as u32;
            sum[size + 1] = (carry >> 32) as u32;
            // A multiple of the modulus makes the lowest limb zero.
            let factor = sum[0].wrapping_mul(self.inverse);
            let mut carry = 0u64;
            for (place, other) in sum.iter_mut().zip(&self.modulus) {
                carry += u64::from(*place) + u64::from(factor) * u64::from(*other);
                *place = carry as u32;
                carry >>= 32;
            }
            carry += u64::from(sum[size]);
            sum[size] = carry as u32;
            sum[size + 1] = sum[size + 1].wrapping_add((carry >> 32) as u32);
            sum.rotate_left(1);
            sum[size + 1] = 0;
        }
        sum.pop();
        self.reduce(&mut sum);
        sum.truncate(size);
        sum
    }

    /// Whether a base shows that the modulus is composite.
    fn is_witness(&self, base: u32) -> bool {
        let (one, base) = (self.form(1), self.form(base));
        // The modulus minus one is odd times a power of two.
        let mut odd = self.modulus.clone();
        odd[0] -= 1;
        let is_set = |bit: usize| odd[bit / 32] >> (bit % 32) & 1 == 1;
        let bits = 32 * odd.len();
        let twos = (0..bits).find(|bit| is_set(*bit)).expect("the modulus is more than one");
        let mut power = one.clone();
        for bit in (twos..bits).rev() {
            power = self.product(&power, &power);
            if is_set(bit) {
                power = self.product(&power, &base);
            }
        }
        let mut minus_one = self.modulus.clone();
        let mut borrow = 0i64;
        for (limb, taken) in minus_one.iter_mut().zip(&one) {
            borrow += i64::from(*limb) - i64::from(*taken);
            *limb = borrow as u32;
            borrow >>= 32;
        }
        if power == one || power == minus_one {
            return false;
        }
        for _ in 1..twos {
            power = self.product(&power, &power);
            if power == minus_one {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_told_apart_as_by_division() {
        for number in 0u32..5000 {
            let is_prime = number > 1 && (2..number).take_while(|d| d * d <= number).all(|d| number % d != 0);
            assert_eq!(is_composite(&number.to_string()), !is_prime, "{number}");
        }
    }

    #[test]
    fn orders_of_fields_in_use_are_prime() {
        for order in [
            "18446744069414584321",
            "21888242871839275222246405745257275088548364400416034343698204186575808495617",
            "52435875175126190479447740508185965837690552500527637822603658699938581184513",
            "57896044618658097711785492504343953926634992332820282019728792003956564819949",
        ] {
            assert!(!is_composite(order), "{order}");
        }
    }

    #[test]
    fn large_composite_numbers_are_found() {
        // Squares and products of primes of many digits, and numbers that deceive single bases.
        for number in [
            "3215031751",
            "340282366604025813516997721482669850625",
            "57896044618658097711785492504343953926634992332820282019728792003956564819951",
            "479001599000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        ] {
            assert!(is_composite(number), "{number}");
        }
    }

    #[test]
    fn huge_numbers_are_taken_on_trust() {
        assert!(!is_composite(&"9".repeat(2_000)));
    }
}
