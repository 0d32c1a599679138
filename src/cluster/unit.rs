//! What can be answered by itself and added to the rest: a cube of a puzzle, or a slice of a census.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use super::digest::Id;
use super::disjoint;
use crate::census::Slice;
use crate::error::{Error, Result};
use crate::puzzle::{Cell, MAX_SIDE};
use crate::search::{Cube, Decision};

/// A cube of a puzzle, or a slice of a census. It is data: records hold its text.
pub trait WorkUnit:
    Clone + fmt::Debug + fmt::Display + FromStr<Err = Error> + Eq + Hash + Send + Sync + 'static
{
    /// What it is, in messages.
    const NAME: &str;

    /// What is counted in it, in the plural.
    const COUNTED: &str;

    /// The unit with this id, in messages.
    fn in_words(id: Id) -> String;

    /// Whether `other` is a part of it.
    fn contains(&self, other: &Self) -> bool;

    /// The units to remove so that the others are disjoint, each with a unit that it may overlap; both as indices.
    fn overlapping(units: &[&Self]) -> Vec<(usize, usize)>;
}

impl WorkUnit for Cube {
    const NAME: &str = "cube";
    const COUNTED: &str = "solutions";

    fn in_words(id: Id) -> String {
        format!("cube {id}")
    }

    fn contains(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    fn overlapping(units: &[&Self]) -> Vec<(usize, usize)> {
        disjoint::overlapping(units)
    }
}

impl fmt::Display for Cube {
    /// The path: in `3:4# 5:6.` the fourth cell of the third row is filled, and the sixth cell of the fifth row is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Decision { cell, filled }) in self.path.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            let mark = if *filled { '#' } else { '.' };
            write!(f, "{separator}{}:{}{mark}", cell.row + 1, cell.column + 1)?;
        }
        Ok(())
    }
}

impl FromStr for Cube {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let path: Option<_> = text.split_whitespace().map(parse_decision).collect();
        match path {
            Some(path) => Ok(Cube { path }),
            None => Err(Error::data(format!("{text:?} is not a path of decisions"))),
        }
    }
}

fn parse_decision(text: &str) -> Option<Decision> {
    let (cell, filled) = match text.strip_suffix('#') {
        Some(cell) => (cell, true),
        None => (text.strip_suffix('.')?, false),
    };
    let (row, column) = cell.split_once(':')?;
    let cell = Cell::new(parse_place(row)?, parse_place(column)?);
    Some(Decision { cell, filled })
}

/// The index of a row or column that is numbered from 1.
fn parse_place(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (1..=MAX_SIDE).contains(&number).then(|| number - 1)
}

impl WorkUnit for Slice {
    const NAME: &str = "slice";
    const COUNTED: &str = "clue sets";

    fn in_words(_: Id) -> String {
        "this slice".to_owned()
    }

    fn contains(&self, other: &Self) -> bool {
        Slice::contains(self, other)
    }

    fn overlapping(units: &[&Self]) -> Vec<(usize, usize)> {
        let mut sorted: Vec<usize> = (0..units.len()).collect();
        sorted.sort_by_key(|&index| (units[index].from(), units[index].to(), index));
        let (mut found, mut last) = (Vec::new(), None::<usize>);
        for index in sorted {
            match last {
                Some(last) if units[index].from() < units[last].to() => found.push((index, last)),
                _ => last = Some(index),
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

    #[test]
    fn paths_are_read_back() {
        for text in ["", "1:1#", "3:4# 5:6. 4096:4096#"] {
            assert_eq!(text.parse::<Cube>().unwrap().to_string(), text);
        }
        for text in ["1:1", "0:1#", "1:4097#", "1#", "a:1#", "1:1#2:2#", "1:1:1."] {
            assert!(text.parse::<Cube>().is_err(), "{text}");
        }
    }
}
