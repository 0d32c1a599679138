//! Exact numbers of solutions: machine words as long as they suffice, big numbers beyond. For people they are rounded to a few digits.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;

use crate::error::{Error, Result};
use crate::puzzle::MAX_SIDE;

/// The most decimal digits of a number of solutions, which is at most 2 to the number of cells. The logarithm of 2, rounded up, is 0.30103.
const MAX_DIGITS: usize = ((MAX_SIDE * MAX_SIDE) as u64 * 30_103 / 100_000) as usize + 1;

/// Number of digits up to which the quadratic time of num-bigint's parser does not matter.
const SHORT_DIGITS: usize = 1 << 10;

/// A number of solutions, exact at any size. Prints in full, in decimal.
#[derive(Clone, Debug)]
pub struct Count(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Small(u128),
    /// Only for numbers that `Small` cannot hold.
    Big(BigUint),
}

use Inner::{Big, Small};

impl Count {
    /// No solution.
    pub const ZERO: Count = Count(Small(0));
    /// One solution.
    pub const ONE: Count = Count(Small(1));

    /// The number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0 {
            Small(n) => u64::try_from(n).ok(),
            Big(_) => None,
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// The nearest floating-point number, for rates; infinite beyond 2^1024.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Small(n) => *n as f64,
            // Decimal parsing rounds correctly, to infinity where the number is too large.
            Big(n) => n.to_string().parse().unwrap_or(f64::INFINITY),
        }
    }

    /// A number that fits into machine words.
    #[inline]
    pub(crate) fn small(n: u128) -> Self {
        Count(Small(n))
    }

    /// Number of binary digits; 0 for zero.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Small(n) => u64::from(u128::BITS - n.leading_zeros()),
            Big(n) => n.bits(),
        }
    }

    /// The number with these 64-bit digits, lowest first.
    pub fn from_words(words: &[u64]) -> Self {
        match *words {
            [] => Count::ZERO,
            [low] => Count::from(low),
            [low, high] => Count(Small(u128::from(high) << 64 | u128::from(low))),
            _ => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                Count::from_big(BigUint::from_bytes_le(&bytes))
            }
        }
    }

    /// The 64-bit digits, lowest first and without leading zeros: none for 0.
    ///
    /// ```
    /// use omnogram::solutions::Count;
    ///
    /// assert_eq!(Count::from_words(&[7, 1, 0]).to_words(), [7, 1]);
    /// assert!(Count::ZERO.to_words().is_empty());
    /// ```
    pub fn to_words(&self) -> Vec<u64> {
        match &self.0 {
            Small(n) => {
                let words = [*n as u64, (*n >> 64) as u64];
                let number = self.bits().div_ceil(64) as usize;
                words[..number].to_vec()
            }
            Big(n) => n.to_u64_digits(),
        }
    }

    /// The quotient and the remainder of the division by `by`.
    ///
    /// # Panics
    ///
    /// When `by` is zero.
    pub fn div_rem(&self, by: &Count) -> (Count, Count) {
        match (&self.0, &by.0) {
            (Small(a), Small(b)) => (Count(Small(a / b)), Count(Small(a % b))),
            _ => {
                let (a, b) = (self.big(), by.big());
                let quotient = &a / &b;
                let remainder = a - &quotient * b;
                (Count::from_big(quotient), Count::from_big(remainder))
            }
        }
    }

    /// The exact number rounded half up to two digits, as in `5.2 x 10^15`. `None` up to nine digits, which are readable in full.
    pub fn rough(&self) -> Option<Rough> {
        let digits = self.to_string();
        if digits.len() <= 9 {
            return None;
        }
        let power = digits.len() as i64 - 1;
        let leading: u64 = digits[..3].parse().expect("decimal digits");
        // Digits after the third do not matter, because half is rounded up.
        Some(match (leading + 5) / 10 {
            100 => Rough::new("10", power + 1),
            leading => Rough::new(&leading.to_string(), power),
        })
    }

    fn from_big(n: BigUint) -> Self {
        Count(u128::try_from(&n).map_or(Big(n), Small))
    }

    fn big(&self) -> BigUint {
        match &self.0 {
            Small(n) => BigUint::from(*n),
            Big(n) => n.clone(),
        }
    }

    /// The sum with one more solution, for the hot path.
    #[inline]
    pub fn add_one(&mut self) {
        match &mut self.0 {
            Small(n) if *n < u128::MAX => *n += 1,
            _ => *self += &Count::ONE,
        }
    }
}

impl Default for Count {
    fn default() -> Self {
        Count::ZERO
    }
}

impl From<u64> for Count {
    fn from(n: u64) -> Self {
        Count(Small(u128::from(n)))
    }
}

impl FromStr for Count {
    type Err = Error;

    /// A number in decimal digits, of which there are at most as many as in the largest number of solutions of any puzzle, 5,050,446.
    fn from_str(text: &str) -> Result<Self> {
        if text.len() > MAX_DIGITS {
            let length = text.len();
            let message = format!("{length} characters are too many for a number of solutions");
            return Err(Error::data(message));
        }
        let are_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = are_digits.then(|| from_digits(text.as_bytes())).flatten();
        let wrong = || Error::data(format!("{text:?} is not a number of solutions"));
        number.map(Count::from_big).ok_or_else(wrong)
    }
}

/// The number with these decimal digits. num-bigint parses in quadratic time, so it parses short parts, and in each round pairs are joined.
fn from_digits(digits: &[u8]) -> Option<BigUint> {
    // The lowest digits first. Each part has a value less than `power`, but for the last one, which may have fewer digits.
    let parts = digits.rchunks(SHORT_DIGITS);
    let parts = parts.map(|part| BigUint::parse_bytes(part, 10));
    let mut parts = parts.collect::<Option<Vec<BigUint>>>()?;
    let mut power = BigUint::from(10u8).pow(SHORT_DIGITS as u32);
    while parts.len() > 1 {
        let joined = parts.chunks(2).map(|pair| match pair {
            [low, high] => low + high * &power,
            _ => pair[0].clone(),
        });
        parts = joined.collect();
        if parts.len() > 1 {
            power = &power * &power;
        }
    }
    parts.pop()
}

impl std::ops::AddAssign<&Count> for Count {
    fn add_assign(&mut self, other: &Count) {
        let sum = match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.checked_add(*b).map(Small),
            _ => None,
        };
        *self = Count(sum.unwrap_or_else(|| Big(self.big() + other.big())));
    }
}

impl std::ops::SubAssign<&Count> for Count {
    /// # Panics
    ///
    /// When the difference would be negative.
    fn sub_assign(&mut self, other: &Count) {
        assert!(*self >= *other, "a difference of counts is negative");
        *self = match (&self.0, &other.0) {
            (Small(a), Small(b)) => Count(Small(a - b)),
            _ => Count::from_big(self.big() - other.big()),
        };
    }
}

impl std::ops::MulAssign<&Count> for Count {
    fn mul_assign(&mut self, other: &Count) {
        let product = match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.checked_mul(*b).map(|n| Count(Small(n))),
            _ => None,
        };
        *self = product.unwrap_or_else(|| Count::from_big(self.big() * other.big()));
    }
}

impl PartialEq for Count {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Count {}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            _ => self.big().cmp(&other.big()),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n) => n.fmt(f),
            Big(n) => n.fmt(f),
        }
    }
}

/// A number rounded to a few decimal digits: `5.2 x 10^15`, or in the form `{:e}`, for programs, `5.2e15`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rough {
    /// `5.2`
    leading: String,
    power: i64,
}

impl Rough {
    /// From the first digits of a number, rounded, and the power of ten of the first digit.
    pub(crate) fn new(digits: &str, power: i64) -> Self {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let leading = format!("{first}{point}{rest}");
        Rough { leading, power }
    }

    /// The power of ten of the first digit.
    pub fn power(&self) -> i64 {
        self.power
    }
}

impl fmt::Display for Rough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x 10^{}", self.leading, self.power)
    }
}

impl fmt::LowerExp for Rough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}e{}", self.leading, self.power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_beyond_machine_words() {
        let mut factorial = Count::ONE;
        for n in 1..=40u64 {
            factorial *= &Count::from(n);
        }
        assert_eq!(
            factorial.to_string(),
            "815915283247897734345611269596115894272000000000"
        );
        let mut sum = Count(Small(u128::MAX));
        sum.add_one();
        assert_eq!(sum.to_string(), "340282366920938463463374607431768211456");
        assert!(sum > Count(Small(u128::MAX)) && factorial > sum);
        sum *= &Count::ZERO;
        assert!(sum.is_zero() && sum == Count::ZERO);
        assert_eq!(
            (factorial.to_u64(), Count::from(7).to_u64()),
            (None, Some(7))
        );
        assert!((factorial.to_f64() / 8.159e47 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn text_words_and_division_agree() {
        for text in [
            "0",
            "7",
            "18446744073709551616",
            "340282366920938463463374607431768211455",
            "340282366920938463463374607431768211456",
            "815915283247897734345611269596115894272000000000",
        ] {
            let number: Count = text.parse().unwrap();
            assert_eq!(number.to_string(), text);
            assert_eq!(number.bits(), number.big().bits());
            let mut sum = number.clone();
            sum.add_one();
            sum -= &number;
            assert_eq!(sum, Count::ONE);
            let words = number.big().to_u64_digits();
            assert_eq!(Count::from_words(&words), number);
            for by in [3, u64::MAX] {
                let (mut back, left) = number.div_rem(&Count::from(by));
                assert!(left < Count::from(by));
                back *= &Count::from(by);
                back += &left;
                assert_eq!(back, number);
            }
            let (one, nothing) = sum.div_rem(&sum);
            assert!(one == Count::ONE && nothing.is_zero());
        }
        for text in ["", "-1", "1e3", "+1", " 1", "1_0"] {
            assert!(text.parse::<Count>().is_err(), "{text}");
        }
    }

    /// The time of parsing grew with the square of the length: a record of 1.5 million digits took seconds to read, and a record may have
    /// 256 MiB.
    #[test]
    fn long_numbers_are_read_part_by_part_and_longer_ones_than_any_are_refused() {
        let length = |digits: usize| "7".repeat(digits);
        for digits in [1, 1023, 1024, 1025, 2048, 2049, 5000, 9217] {
            let text = length(digits);
            assert_eq!(
                Some(text.parse::<Count>().unwrap().big()),
                BigUint::parse_bytes(text.as_bytes(), 10)
            );
        }
        let large = format!("1{}", "0".repeat(9999));
        assert_eq!(
            large.parse::<Count>().unwrap().big(),
            BigUint::from(10u8).pow(9999)
        );
        let most = length(MAX_DIGITS).parse::<Count>().unwrap();
        assert!(most.bits() > (MAX_SIDE * MAX_SIDE) as u64);
        assert!(most.div_rem(&Count::from(7)).1.is_zero());
        let error = length(MAX_DIGITS + 1).parse::<Count>().unwrap_err();
        assert_eq!(
            error.message(),
            "5050447 characters are too many for a number of solutions"
        );
    }

    #[test]
    fn large_numbers_are_rounded() {
        let rounded = |digits: &str| {
            let number: BigUint = digits.parse().unwrap();
            Count::from_big(number)
                .rough()
                .map(|rough| rough.to_string())
        };
        assert_eq!(rounded("999999999"), None);
        for (digits, rough) in [
            ("1000000000", "1.0 x 10^9"),
            ("1049999999", "1.0 x 10^9"),
            ("1050000000", "1.1 x 10^9"),
            ("5222571924721419", "5.2 x 10^15"),
            ("9949999999999999", "9.9 x 10^15"),
            ("9950000000000000", "1.0 x 10^16"),
            ("1296999999999999999999999999999999999999999", "1.3 x 10^42"),
        ] {
            assert_eq!(rounded(digits).as_deref(), Some(rough), "{digits}");
        }
        let thousands = format!("996{}", "9".repeat(4997));
        assert_eq!(rounded(&thousands).as_deref(), Some("1.0 x 10^5000"));
        assert_eq!(
            format!("{:e}", Count::from(u64::MAX).rough().unwrap()),
            "1.8e19"
        );
    }
}
