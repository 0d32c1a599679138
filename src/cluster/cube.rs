//! Cubes as records: the path as text, the id derived from it, and the line that is passed from one machine to another.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::digest::{Digest, hash64};
use super::disjoint;
use super::part::{self, Part, Text};
use crate::board::Cell;
use crate::census::Slice;
use crate::error::{Error, Result};
use crate::puzzle::{MAX_SIDE, Puzzle};
use crate::search::{Cube, Decision};

/// The id of a cube, or of a slice of a census: a hash of the puzzle's digest and the decisions. Written as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

impl Id {
    /// The id of a cube of this puzzle.
    pub fn of<P: Part>(puzzle: Digest, cube: &P) -> Self {
        Id(hash64(format!("{puzzle} {}", Text(cube)).as_bytes()))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Id {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = digits.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        let wrong = || Error::data(format!("{text:?} is not the id of a cube"));
        number.map(Id).ok_or_else(wrong)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Parses a path of decisions.
fn parse_path(text: &str) -> Option<Cube> {
    let side = |text: &str| {
        let number: usize = text.parse().ok()?;
        (1..=MAX_SIDE).contains(&number).then(|| number - 1)
    };
    let decision = |text: &str| {
        let (cell, filled) = match text.strip_suffix('#') {
            Some(cell) => (cell, true),
            None => (text.strip_suffix('.')?, false),
        };
        let (row, column) = cell.split_once(':')?;
        let cell = Cell::new(side(row)?, side(column)?);
        Some(Decision { cell, filled })
    };
    let path: Option<Vec<Decision>> = text.split_whitespace().map(decision).collect();
    Some(Cube { path: path? })
}

/// Its text is the path: in `3:4# 5:6.` the fourth cell of the third row is filled, and the sixth cell of the fifth row is empty.
impl Part for Cube {
    const NAME: &str = "a path of decisions";
    const COUNTED: &str = "solutions";

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Decision { cell, filled }) in self.path.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            let mark = if *filled { '#' } else { '.' };
            write!(f, "{separator}{}:{}{mark}", cell.row + 1, cell.column + 1)?;
        }
        Ok(())
    }

    fn parse(text: &str) -> Option<Self> {
        parse_path(text)
    }

    fn contains(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    fn overlapping(parts: &[&Self]) -> Vec<(usize, usize)> {
        disjoint::overlapping(parts)
    }
}

/// A cube to be answered, or a slice of a census: one line of a file of cubes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "P: Part")]
pub struct CubeTask<P = Cube> {
    /// The id of the cube.
    pub id: Id,
    /// The decisions.
    #[serde(rename = "path", with = "part")]
    pub cube: P,
    /// The puzzle whose cube it is.
    pub puzzle: Digest,
    /// Number of cubes in the whole split.
    pub of: u64,
    /// Estimated number of nodes of its search tree, or for a slice of the pictures that its clue sets stand for.
    pub size: f64,
    /// Number of cells that its decisions leave unknown, if recorded: the cube has at most 2 to this power solutions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<u32>,
}

impl<P: Part> CubeTask<P> {
    /// A piece of a puzzle, or of a census.
    pub fn new(puzzle: Digest, cube: P, of: u64, size: f64) -> Self {
        CubeTask {
            id: Id::of(puzzle, &cube),
            cube,
            puzzle,
            of,
            size,
            unknown: None,
        }
    }

    /// The same piece, with its number of unknown cells recorded.
    #[must_use]
    pub fn with_unknown(mut self, cells: u32) -> Self {
        self.unknown = Some(cells);
        self
    }
}

impl CubeTask<Slice> {
    /// Checks that the digest and the id are those of the slice.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when they are not.
    pub fn check_census(&self) -> Result<()> {
        let digest = Digest::of_census(self.cube.census());
        match self.puzzle == digest && self.id == Id::of(digest, &self.cube) {
            true => Ok(()),
            false => Err(Error::data("the id of this slice does not match its range")),
        }
    }
}

impl CubeTask {
    /// Checks that the cube belongs to this puzzle.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when it is of another puzzle, its id does not match its path, or a cell is outside.
    pub fn check(&self, puzzle: &Puzzle, digest: Digest) -> Result<()> {
        if self.puzzle != digest {
            return Err(Error::data(
                "this cube belongs to another puzzle: the digests differ",
            ));
        }
        if self.id != Id::of(digest, &self.cube) {
            return Err(Error::data("the id of this cube does not match its path"));
        }
        check_inside(puzzle, &self.cube)
    }
}

/// Checks that all cells of a cube lie in the puzzle.
pub(super) fn check_inside(puzzle: &Puzzle, cube: &Cube) -> Result<()> {
    let outside = |decision: &&Decision| {
        let Cell { row, column } = decision.cell;
        usize::from(row) >= puzzle.height() || usize::from(column) >= puzzle.width()
    };
    match cube.path.iter().find(outside) {
        None => Ok(()),
        Some(Decision { cell, .. }) => Err(Error::data(format!(
            "cell {}:{} is outside the puzzle",
            cell.row + 1,
            cell.column + 1
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_back() {
        for text in ["", "1:1#", "3:4# 5:6. 4096:4096#"] {
            assert_eq!(Text(&parse_path(text).unwrap()).to_string(), text);
        }
        for text in ["1:1", "0:1#", "1:4097#", "1#", "a:1#", "1:1#2:2#", "1:1:1."] {
            assert!(parse_path(text).is_none(), "{text}");
        }
    }
}
