//! The model: a [`Clue`] for every line, the [`Puzzle`] they make, a [`Grid`] as an answer, and [`verify`], which says whether
//! a grid satisfies a puzzle and shares nothing with the search.
//!
//! Everything is checked when it is constructed and immutable afterwards.

mod clue;
mod grid;
mod line;
mod model;
mod verify;

pub use clue::{Block, Clue};
pub use grid::Grid;
pub(crate) use grid::order;
pub use line::{Line, MAX_SIDE};
pub use model::{Notes, Puzzle};
pub use verify::{Mismatch, verify};
