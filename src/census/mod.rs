//! Every clue set of a small size: how many there are, how many are unique, how many line solving alone solves, and how the numbers of
//! solutions are distributed.
//!
//! A *clue set* is the clues of all rows and columns of some picture. A census takes one tuple of row clues after the other. A
//! [`Sweeper`] goes through all pictures with these rows, column by column: a node of its tree is a tuple of clues of the first columns,
//! with the states of the rows after these columns and the number of ways that lead to each. So a leaf is a clue set, and the number there
//! is its number of solutions. This enumeration shares no code with the rest of the crate.
//!
//! The engine works on the same clue set: [`Board`](crate::board::Board) solves it by lines, and [`Search`](crate::Search) counts its
//! solutions. A disagreement ends the census. So a census proves the engine against the enumeration, on every clue set of that size.
//!
//! Clue sets that are mirror images of each other, or transposes where the size is square, have the same numbers. One of them is worked
//! out, and counted with the number of all of them: it is the one with the smallest pair of tuples of row and column clues.
//!
//! The tuples of row clues are numbered, and a [`Slice`] of a census is a range of them. The numbers of disjoint slices add up. Each
//! [`Tally`] also has the number of pictures that its clue sets stand for; for a whole census that must be all pictures, which is checked.

mod engine;
mod lines;
mod problem;
mod sample;
mod slice;
mod sweep;
mod tables;
mod tally;

pub use problem::{Census, Engine, MAX_CELLS, MAX_LINE};
pub use sample::{Estimated, Figure, cut, estimate};
pub use slice::Slice;
pub use sweep::{Ended, Sweeper};
pub use tables::Tables;
pub use tally::Tally;
