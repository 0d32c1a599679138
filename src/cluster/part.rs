//! A part of a large problem that can be answered by itself: a cube of a puzzle, or a slice of a census.

use std::fmt;
use std::hash::Hash;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

use crate::census::Slice;

/// A part of a problem. Parts are data: they are written as text, and a record holds that text.
pub trait Part: Clone + fmt::Debug + PartialEq + Eq + Hash {
    /// What the text of a part is.
    const NAME: &str;

    /// What is counted in a part, in the plural.
    const COUNTED: &str;

    /// Writes the part as text.
    ///
    /// # Errors
    ///
    /// When the text cannot be written.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The part that [`write`](Self::write) has written; `None` if the text is of no part.
    fn parse(text: &str) -> Option<Self>;

    /// Whether `other` is a part of this part.
    fn contains(&self, other: &Self) -> bool;

    /// The parts to remove so that the others are disjoint, each with a part that it may overlap; both as indices.
    fn overlapping(parts: &[&Self]) -> Vec<(usize, usize)>;
}

/// A part as text, for formatting.
pub(super) struct Text<'a, P>(pub(super) &'a P);

impl<P: Part> fmt::Display for Text<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f)
    }
}

/// Serialises a part as text, for `serde(with)`.
pub(super) fn serialize<P: Part, S: Serializer>(
    part: &P,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Text(part))
}

/// Reads a part from text, for `serde(with)`.
pub(super) fn deserialize<'de, P: Part, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<P, D::Error> {
    let text = String::deserialize(deserializer)?;
    P::parse(&text).ok_or_else(|| D::Error::custom(format!("{text:?} is not {}", P::NAME)))
}

impl Part for Slice {
    const NAME: &str = "a slice of a census";
    const COUNTED: &str = "clue sets";

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn contains(&self, other: &Self) -> bool {
        Slice::contains(self, other)
    }

    fn overlapping(parts: &[&Self]) -> Vec<(usize, usize)> {
        let mut sorted: Vec<usize> = (0..parts.len()).collect();
        sorted.sort_by_key(|&place| (parts[place].from(), parts[place].to(), place));
        let (mut found, mut last) = (Vec::new(), None::<usize>);
        for place in sorted {
            match last {
                Some(last) if parts[place].from() < parts[last].to() => found.push((place, last)),
                _ => last = Some(place),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_that_overlap_are_found() {
        let slices = ["0..3", "5..9", "3..5", "8..12", "2..4"];
        let slices = slices.map(|range| format!("4x4 none {range}").parse::<Slice>().unwrap());
        let slices: Vec<&Slice> = slices.iter().collect();
        assert_eq!(Slice::overlapping(&slices), [(4, 0), (3, 1)]);
    }
}
