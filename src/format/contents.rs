//! What a reader gives: one puzzle, or several, each or its error.

use crate::error::Result;
use crate::puzzle::{Grid, Notes, Puzzle};

/// What a reader found in a text. A pack is lazy, so that a hostile one can be left early.
pub(super) enum Contents<'a> {
    Single(Result<Puzzle>),
    Pack(Box<dyn Iterator<Item = Result<Puzzle>> + 'a>),
    /// A pack if there is more than one in it.
    Several(Box<dyn Iterator<Item = Result<Puzzle>> + 'a>),
}

impl<'a> Contents<'a> {
    /// The puzzles that come out one after the other.
    pub(super) fn several(next: impl FnMut() -> Option<Result<Puzzle>> + 'a) -> Self {
        Contents::Several(Box::new(std::iter::from_fn(next)))
    }
}

/// The puzzle of a picture, which is its goal.
pub(super) fn drawn(picture: Grid) -> Result<Puzzle> {
    let puzzle = Puzzle::from_grid(&picture);
    puzzle.with_notes(Notes {
        goal: Some(picture),
        ..Notes::default()
    })
}
