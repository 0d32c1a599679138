//! Large numbers rounded to a few digits, for people.

use std::fmt;

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
        let leading = match rest {
            "" => first.to_owned(),
            rest => format!("{first}.{rest}"),
        };
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
