//! The result of a reader: one puzzle or several, or their errors.

use crate::error::Result;
use crate::puzzle::{Grid, Notes, Puzzle};

/// A puzzle, and what its reader warns of.
pub(super) struct Parsed {
    pub(super) puzzle: Puzzle,
    pub(super) warnings: Vec<String>,
}

impl From<Puzzle> for Parsed {
    fn from(puzzle: Puzzle) -> Self {
        Parsed {
            puzzle,
            warnings: Vec::new(),
        }
    }
}

/// The puzzles that a reader found in a text. A pack is read lazily, so that reading a malicious one can end early.
pub(super) struct Contents<'a> {
    pub(super) puzzles: Box<dyn Iterator<Item = Result<Parsed>> + 'a>,
    /// Whether the puzzles have numbers even if there is only one.
    pub(super) numbered: bool,
}

impl<'a> Contents<'a> {
    /// The puzzles that `next` returns one after the other.
    pub(super) fn several(next: impl FnMut() -> Option<Result<Puzzle>> + 'a) -> Self {
        Contents {
            puzzles: Box::new(std::iter::from_fn(next).map(|puzzle| puzzle.map(Parsed::from))),
            numbered: false,
        }
    }

    /// The puzzles of a pack, which have numbers even if there is only one.
    pub(super) fn pack<T: Into<Parsed>>(puzzles: impl Iterator<Item = Result<T>> + 'a) -> Self {
        Contents {
            puzzles: Box::new(puzzles.map(|puzzle| puzzle.map(T::into))),
            numbered: true,
        }
    }
}

impl<T: Into<Parsed>> From<Result<T>> for Contents<'_> {
    fn from(puzzle: Result<T>) -> Self {
        Contents {
            puzzles: Box::new(std::iter::once(puzzle.map(T::into))),
            numbered: false,
        }
    }
}

/// The puzzle of a picture, with the picture as its goal.
pub(super) fn puzzle_of_picture(picture: Grid) -> Result<Puzzle> {
    let puzzle = Puzzle::from_grid(&picture);
    puzzle.with_notes(Notes::default().goal(picture))
}
