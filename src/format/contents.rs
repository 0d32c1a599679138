//! The result of a reader: one puzzle or several, or their errors.

use crate::error::Result;
use crate::puzzle::{Grid, Notes, Puzzle};

/// The puzzles that a reader found in a text. A pack is read lazily, so that reading a malicious one can end early.
pub(super) enum Contents<'a> {
    Single(Result<Puzzle>),
    Pack(Box<dyn Iterator<Item = Result<Puzzle>> + 'a>),
    /// A pack if there is more than one puzzle, else a single puzzle.
    Several(Box<dyn Iterator<Item = Result<Puzzle>> + 'a>),
}

impl<'a> Contents<'a> {
    /// The puzzles that `next` returns one after the other.
    pub(super) fn several(next: impl FnMut() -> Option<Result<Puzzle>> + 'a) -> Self {
        Contents::Several(Box::new(std::iter::from_fn(next)))
    }
}

/// The puzzle of a picture, with the picture as its goal.
pub(super) fn puzzle_of_picture(picture: Grid) -> Result<Puzzle> {
    let puzzle = Puzzle::from_grid(&picture);
    puzzle.with_notes(Notes {
        goal: Some(picture),
        ..Notes::default()
    })
}
