//! What is known so far of a whole puzzle, and what follows from it.
//!
//! The [`Board`] holds the known cells of every line twice over, by row and by column, and is the only thing that assigns or
//! unassigns a cell. [`Board::propagate`] settles lines until nothing changes or a contradiction appears; [`Prober`] tries cells
//! both ways; [`split`] finds what has become independent.
//!
//! Every change is on an undo trail, so that a probe or a branch works in place and is taken back, never copied.

mod cell;
mod clues;
mod line_set;
mod probe;
mod propagate;
mod regions;

pub use cell::Cell;
pub use clues::Clues;
pub use line_set::LineSet;
pub use probe::{Inherited, Probed, Prober};
pub use propagate::Board;
pub use regions::{Region, split, split_unless};
