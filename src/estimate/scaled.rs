//! Floating-point numbers with an unbounded exponent.

use std::f64::consts::LN_2;
use std::iter::Sum;
use std::ops::{Add, Div, Mul};

use crate::solutions::{Count, Rough};

/// A non-negative number with the precision of an [`f64`] but a far greater range: `mantissa` times 2 to the power of `exponent`.
///
/// Integers up to 2^53 and their products with powers of two are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    /// 0, or in [1, 2).
    mantissa: f64,
    exponent: i64,
}

/// An exponent within the range of [`f64`] and beyond its precision: of two numbers this far apart, the smaller does not change the sum.
const MAX_SHIFT: i64 = 1000;

impl Scaled {
    /// Zero.
    pub const ZERO: Scaled = Scaled::of(0.0, 0);
    /// One.
    pub const ONE: Scaled = Scaled::of(1.0, 0);

    const fn of(mantissa: f64, exponent: i64) -> Self {
        Scaled { mantissa, exponent }
    }

    /// `value` times 2 to the power of `exponent`; `value` must be finite and not negative.
    fn new(value: f64, exponent: i64) -> Self {
        debug_assert!(value.is_finite() && value >= 0.0, "{value}");
        if value == 0.0 {
            return Scaled::ZERO;
        }
        if !value.is_normal() {
            return Scaled::new(value * 2f64.powi(MAX_SHIFT as i32), exponent - MAX_SHIFT);
        }
        // Sets the bits of the exponent to those of 1.
        let bits = value.to_bits();
        let power = (bits >> 52) as i64 - 1023;
        let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
        Scaled::of(mantissa, exponent + power)
    }

    /// The number with this natural logarithm.
    pub(super) fn exp(log: f64) -> Self {
        let power = (log / LN_2).floor();
        Scaled::new((log - power * LN_2).exp(), power as i64)
    }

    /// Its natural logarithm; minus infinity for zero.
    pub(super) fn ln(self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * LN_2
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// The nearest [`f64`]; infinite from 2^1024 on, 0 below 2^-1000.
    pub fn to_f64(self) -> f64 {
        match self.exponent {
            1024.. => f64::INFINITY,
            -1000..1024 => self.mantissa * 2f64.powi(self.exponent as i32),
            _ => 0.0,
        }
    }

    /// Its logarithm to base 10; minus infinity for zero.
    pub fn log10(self) -> f64 {
        self.mantissa.log10() + self.exponent as f64 * std::f64::consts::LOG10_2
    }

    /// Rounded to `digits` decimal digits and a power of ten. `None` for zero.
    pub fn rough(self, digits: usize) -> Option<Rough> {
        if self.is_zero() {
            return None;
        }
        let log = self.log10();
        let mut power = log.floor();
        let mut leading = 10f64.powf(log - power + (digits - 1) as f64).round();
        if leading >= 10f64.powi(digits as i32) {
            (leading, power) = (leading / 10.0, power + 1.0);
        }
        Some(Rough::new(&format!("{leading:.0}"), power as i64))
    }
}

impl From<f64> for Scaled {
    /// # Panics
    ///
    /// In debug builds, if it is negative, infinite or not a number.
    fn from(value: f64) -> Self {
        Scaled::new(value, 0)
    }
}

impl From<&Count> for Scaled {
    fn from(number: &Count) -> Self {
        if let Some(number) = number.to_u64() {
            return Scaled::from(number as f64);
        }
        let digits = number.to_string();
        // Seventeen digits distinguish adjacent [`f64`]s; the remaining ones are a power of ten.
        let (leading, rest) = digits.split_at(17);
        let ten = Scaled::from(10.0);
        let leading: f64 = leading.parse().expect("decimal digits");
        (0..rest.len()).fold(Scaled::from(leading), |number, _| number * ten)
    }
}

impl Add for Scaled {
    type Output = Scaled;

    fn add(self, other: Scaled) -> Scaled {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        let (larger, smaller) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let shift = (smaller.exponent - larger.exponent).max(-MAX_SHIFT);
        let added = smaller.mantissa * 2f64.powi(shift as i32);
        Scaled::new(larger.mantissa + added, larger.exponent)
    }
}

impl Sum for Scaled {
    fn sum<I: Iterator<Item = Scaled>>(numbers: I) -> Scaled {
        numbers.fold(Scaled::ZERO, Add::add)
    }
}

impl Mul for Scaled {
    type Output = Scaled;

    fn mul(self, other: Scaled) -> Scaled {
        let exponent = self.exponent + other.exponent;
        Scaled::new(self.mantissa * other.mantissa, exponent)
    }
}

impl Div for Scaled {
    type Output = Scaled;

    /// # Panics
    ///
    /// In debug builds, if `other` is zero.
    fn div(self, other: Scaled) -> Scaled {
        let exponent = self.exponent - other.exponent;
        Scaled::new(self.mantissa / other.mantissa, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_exceeds_f64() {
        let mut power = Scaled::ONE;
        for _ in 0..500 {
            power = power * Scaled::from(10.0);
        }
        assert_eq!(power.rough(2).unwrap().to_string(), "1.0 x 10^500");
        assert_eq!(power.to_f64(), f64::INFINITY);
        assert!((power.log10() - 500.0).abs() < 1e-9);
        for _ in 0..500 {
            power = power / Scaled::from(10.0);
        }
        assert!((power.to_f64() - 1.0).abs() < 1e-12);
        assert!((power / Scaled::from(1e300) / Scaled::from(1e300)).to_f64() == 0.0);
    }

    #[test]
    fn sums_equal_those_of_f64() {
        for (a, b) in [
            (1.0, 2.0),
            (0.0, 5.0),
            (1e300, 1.0),
            (3.0, 1e-300),
            (0.1, 0.2),
        ] {
            let sum = Scaled::from(a) + Scaled::from(b);
            assert_eq!(sum.to_f64(), a + b);
            assert_eq!((Scaled::from(b) + Scaled::from(a)).to_f64(), a + b);
        }
    }

    #[test]
    fn exp_and_ln_are_inverse() {
        for log in [0.0, 1.0, -1.0, 700.0, -700.0, 1e5, -1e5, 0.3] {
            let back = Scaled::exp(log).ln();
            assert!((back - log).abs() <= 1e-9 * log.abs().max(1.0), "{back}");
        }
        assert_eq!(Scaled::exp(0.0), Scaled::ONE);
    }

    #[test]
    fn rounds_to_few_digits() {
        let rounded = |value: f64, digits| Scaled::from(value).rough(digits).unwrap().to_string();
        assert_eq!(rounded(9.96e20, 2), "1.0 x 10^21");
        assert_eq!(rounded(1234567890.0, 3), "1.23 x 10^9");
        assert_eq!(Scaled::ZERO.rough(2), None);
    }
}
