//! The model: a [`Clue`] for every line, the [`Puzzle`] of all clues and of the cells given with them, a [`Grid`] as a solution, a
//! [`Position`] as a part of one, and [`verify`], which checks a grid against a puzzle and shares no code with the search.
//!
//! All types are checked when constructed; a puzzle is immutable afterwards.

mod cell;
mod clue;
mod grid;
mod line;
mod model;
mod position;
mod verify;

pub use cell::Cell;
pub use clue::{Block, Clue};
pub use grid::Grid;
pub(crate) use grid::order;
#[cfg(test)]
pub(crate) use grid::tests::random_grid;
pub use line::{Line, MAX_SIDE};
pub use model::{Notes, Puzzle};
pub use position::Position;
pub use verify::{Mismatch, mismatches, verify};
