//! The known cells of a puzzle, and their consequences.
//!
//! The [`Board`] stores the known cells of every line twice, by row and by column, and is the only type that assigns or unassigns a cell.
//! [`Board::propagate`] settles lines until nothing changes or a contradiction appears; [`Prober`] tries cells both ways; [`split_unless`] finds
//! the independent regions.
//!
//! Every change is recorded on an undo trail, so that branches work in place and are undone, never copied. A probe is undone by copying
//! back the few lines that it has changed.

#[cfg(feature = "checked")]
pub(crate) mod checked;
mod clues;
mod known_cells;
mod line_set;
#[cfg(feature = "checked")]
pub(crate) mod plain_region;
mod probe;
mod propagate;
mod regions;
mod settle_cache;

pub use clues::Clues;
pub(crate) use clues::blocks;
pub use known_cells::Board;
pub(crate) use known_cells::Changes;
pub use line_set::LineSet;
pub use probe::{NodeProbeResult, NodeRecords, Prober, ProberMark};
pub(crate) use propagate::between_settles;
pub(crate) use regions::DisjointSets;
pub use regions::{Region, split_unless};
