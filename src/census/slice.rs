//! A slice of a census: the clue sets whose row clues have a number in a range.

use std::fmt;
use std::str::FromStr;

use super::problem::Census;
use crate::error::{Error, Result};

/// A range of the tuples of row clues of a census.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    census: Census,
    from: u64,
    to: u64,
}

impl Slice {
    /// The whole census.
    pub fn whole(census: Census) -> Self {
        Slice::new(census, 0, u64::MAX)
    }

    /// The tuples of this census with the numbers `from..to`; both are at most the number of tuples.
    pub fn new(census: Census, from: u64, to: u64) -> Self {
        let to = to.min(census.tuples());
        Slice {
            census,
            from: from.min(to),
            to,
        }
    }

    /// The census that it is a part of.
    pub fn census(&self) -> Census {
        self.census
    }

    /// The first tuple.
    pub fn from(&self) -> u64 {
        self.from
    }

    /// The tuple after the last one.
    pub fn to(&self) -> u64 {
        self.to
    }

    /// Number of its tuples.
    pub fn tuples(&self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// Whether it has no tuple.
    pub fn is_empty(&self) -> bool {
        self.tuples() == 0
    }

    /// Its parts before and from this tuple on.
    pub fn split_at(&self, tuple: u64) -> (Slice, Slice) {
        let tuple = tuple.clamp(self.from, self.to);
        let (mut before, mut rest) = (*self, *self);
        (before.to, rest.from) = (tuple, tuple);
        (before, rest)
    }

    /// At most this number of parts with about as many tuples each; no part is empty.
    pub(crate) fn even_parts(mut self, parts: u64) -> Vec<Slice> {
        let mut cut = Vec::new();
        for left in (1..=parts).rev() {
            let (part, rest) = self.split_at(self.from + self.tuples().div_ceil(left));
            cut.extend((!part.is_empty()).then_some(part));
            self = rest;
        }
        cut
    }

    /// Whether all its tuples are tuples of this one.
    pub fn contains(&self, other: &Slice) -> bool {
        self.census == other.census && self.from <= other.from && other.to <= self.to
    }
}

impl fmt::Display for Slice {
    /// `5x5 count 120..345`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}..{}", self.census, self.from, self.to)
    }
}

impl FromStr for Slice {
    type Err = Error;

    /// Reads a slice that has a tuple: an empty one is never written, and there would be nothing to work out in it.
    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (census, range) = text.rsplit_once(' ')?;
            let census: Census = census.parse().ok()?;
            let (from, to) = range.split_once("..")?;
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            (from < to && to <= census.tuples()).then_some(Slice { census, from, to })
        };
        parse().ok_or_else(|| Error::data(format!("{text:?} is not a slice of a census")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_read_back() {
        for text in ["5x5 count 120..345", "3x8 none 0..166375", "1x1 lines 1..2"] {
            assert_eq!(text.parse::<Slice>().unwrap().to_string(), text);
        }
        for text in [
            "5x5 count",
            "5x5 count 3..2",
            "5x5 count 3..3",
            "2x2 none 0..10",
            "1..2",
        ] {
            assert!(text.parse::<Slice>().is_err(), "{text}");
        }
    }
}
