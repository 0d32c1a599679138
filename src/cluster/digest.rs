//! Hashes (XXH3) that identify puzzles, cubes, records and sets of solutions.
//!
//! They guard against accidents, such as mixed-up files and flipped bits, not against a deliberate forgery.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use twox_hash::{XxHash3_64, XxHash3_128};

use crate::census::Census;
use crate::error::{Error, Result};
use crate::puzzle::Puzzle;

/// A digest of 128 bits, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(u128);

impl Digest {
    /// The digest of a puzzle's clues and given cells alone: neither the title nor the file format changes it.
    ///
    /// ```
    /// use omnogram::cluster::Digest;
    /// use omnogram::format;
    ///
    /// let digest = |text: &str| Digest::of(format::read(text.as_bytes(), "").swap_remove(0).puzzle.as_ref().unwrap());
    /// let clues = r#""rows": [[1], [1]], "columns": [[1], [1]]"#;
    /// assert_eq!(digest(&format!("{{{clues}}}")), digest(&format!(r#"{{"title": "Diagonals", {clues}}}"#)));
    /// ```
    pub fn of(puzzle: &Puzzle) -> Self {
        let mut text = String::new();
        for (side, clues) in [("rows", puzzle.rows()), ("columns", puzzle.columns())] {
            text.push_str(side);
            for clue in clues {
                text.push('\n');
                for length in clue.lengths() {
                    text.push_str(&format!("{length},"));
                }
            }
            text.push('\n');
        }
        if let Some(given) = puzzle.given() {
            text.push_str(&format!("given\n{given}"));
        }
        Self::of_text(&text)
    }

    /// The digest of a text.
    pub(super) fn of_text(text: &str) -> Self {
        Digest(XxHash3_128::oneshot(text.as_bytes()))
    }

    /// The digest of a census: of its size, and of what the engine does.
    pub fn of_census(census: Census) -> Self {
        Self::of_text(&format!("census {census}"))
    }
}

/// The id of a cube, or of a slice of a census: a hash of the puzzle's digest and its text. Written as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

impl Id {
    /// The id of a cube of this puzzle, or of a slice of this census.
    pub fn of(puzzle: Digest, unit: &impl fmt::Display) -> Self {
        Id(hash64(format!("{puzzle} {unit}").as_bytes()))
    }
}

/// A 64-bit hash (XXH3) of some bytes, for checksums and ids.
pub(super) fn hash64(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Text and serde for a hash: it is written as a fixed number of hexadecimal digits.
macro_rules! hexadecimal {
    ($name:ident, $number:ty, $digits:literal, $what:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:0digits$x}", self.0, digits = $digits)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                let is_hash =
                    text.len() == $digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                match <$number>::from_str_radix(text, 16) {
                    Ok(number) if is_hash => Ok($name(number)),
                    _ => Err(Error::data(format!("{text:?} is not {}", $what))),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                as_text::serialize(self, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                as_text::deserialize(deserializer)
            }
        }
    };
}

hexadecimal!(Digest, u128, 32, "a digest");
hexadecimal!(Id, u64, 16, "the id of a cube");

/// Values as their text, for `serde(with)`. Numbers of solutions too, because they may exceed the range of JSON readers' numbers.
pub(super) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// The digest of a set of solutions of one puzzle, independent of their order: the sum of the digests of its members modulo 2^128.
#[derive(Clone, Debug, Default)]
pub struct SetDigest {
    sum: u128,
    /// Scratch space for the bytes of one solution.
    bytes: Vec<u8>,
}

impl SetDigest {
    /// The digest of the empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one solution, packed as in [`Grid`](crate::puzzle::Grid).
    #[inline]
    pub fn add(&mut self, words: &[u64]) {
        self.bytes.clear();
        for word in words {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        self.sum = self.sum.wrapping_add(XxHash3_128::oneshot(&self.bytes));
    }

    /// The digest.
    pub fn digest(&self) -> Digest {
        Digest(self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Clue;

    #[test]
    fn set_digest_depends_on_members_not_on_order() {
        let digest = |grids: &[[u64; 2]]| {
            let mut digest = SetDigest::new();
            grids.iter().for_each(|words| digest.add(words));
            digest.digest()
        };
        assert_eq!(digest(&[[1, 2], [3, 4]]), digest(&[[3, 4], [1, 2]]));
        assert_ne!(digest(&[[1, 2], [3, 4]]), digest(&[[1, 2], [4, 3]]));
        assert_ne!(digest(&[[1, 2], [1, 2]]), digest(&[[1, 2]]));
    }

    #[test]
    fn digest_round_trips_as_text_and_depends_on_the_clues() {
        let clue = |lengths: &[usize]| Clue::new(lengths.iter().copied()).unwrap();
        let puzzle = |a: &[usize], b: &[usize]| {
            Digest::of(&Puzzle::new(vec![clue(a), clue(b)], vec![clue(&[]); 3]).unwrap())
        };
        let one = puzzle(&[1], &[1, 1]);
        assert_eq!(one.to_string().parse::<Digest>().unwrap(), one);
        assert_ne!(one, puzzle(&[1, 1], &[1]));
        for text in ["", "0", "+0000000000000000000000000000000"] {
            assert!(text.parse::<Digest>().is_err());
        }
    }
}
