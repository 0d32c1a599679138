//! Repair: the smallest edit that makes the puzzle of a picture unique or solvable line by line, or the smallest set of cells to give away.
//!
//! The mathematics is in three statements. If Q is another solution of the clues of a picture P and no flip touches a row or column in
//! which the two differ, then Q with the same flips is another solution of the edited picture: so every good edit flips a cell of one of
//! these lines, and whether the difference survives an edit is decided by these lines alone. Line solving stops at a set of cells that
//! stays out of reach as long as no flip touches one of its lines. And a set of given cells makes the solution unique if and only if it
//! meets every difference. [`Obstacle`](obstacle::Obstacle) is what a difference and a set out of reach have in common.

mod descent;
mod edit;
mod examine;
mod harm;
mod hitting;
mod levels;
mod near;
mod obstacle;
mod packing;
mod pool;
mod repairer;
mod reveal;
mod task;

pub use repairer::{Only, Repair, Repaired};
pub use reveal::Revealed;
