//! The result of a reader: one puzzle or several, or their errors.

use crate::error::Result;
use crate::puzzle::{Grid, Notes, Puzzle};

/// The puzzles that a reader found in a text. A pack is read lazily, so that reading a malicious one can end early.
pub(super) struct Contents<'a> {
    pub(super) puzzles: Box<dyn Iterator<Item = Result<Puzzle>> + 'a>,
    /// Whether the puzzles have numbers even if there is only one.
    pub(super) numbered: bool,
}

impl<'a> Contents<'a> {
    /// The puzzles that `next` returns one after the other.
    pub(super) fn several(next: impl FnMut() -> Option<Result<Puzzle>> + 'a) -> Self {
        Contents {
            puzzles: Box::new(std::iter::from_fn(next)),
            numbered: false,
        }
    }

    /// The puzzles of a pack, which have numbers even if there is only one.
    pub(super) fn pack(puzzles: impl Iterator<Item = Result<Puzzle>> + 'a) -> Self {
        Contents {
            puzzles: Box::new(puzzles),
            numbered: true,
        }
    }
}

impl From<Result<Puzzle>> for Contents<'_> {
    fn from(puzzle: Result<Puzzle>) -> Self {
        Contents {
            puzzles: Box::new(std::iter::once(puzzle)),
            numbered: false,
        }
    }
}

/// The puzzle of a picture, with the picture as its goal.
pub(super) fn puzzle_of_picture(picture: Grid) -> Result<Puzzle> {
    let puzzle = Puzzle::from_grid(&picture);
    puzzle.with_notes(Notes::default().goal(picture))
}
