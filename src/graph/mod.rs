//! The solution graph: all solutions of a puzzle as a graph of decisions and regions.
//!
//! A [`Space`] is what counting leaves behind when it keeps what it has counted: each node is a region with all its fillings, an edge
//! decides cells and leads to the independent regions that remain, and equal regions are one node wherever they lie. It tells how often
//! each cell is filled ([`Cells`]), draws solutions at random ([`Samples`]), and lists them in order from any place on ([`Ordered`]). A
//! [`Builder`] puts one together from the bottom up.

mod arena;
mod arenas;
mod builder;
mod cells;
mod edge;
mod fillings;
mod listed;
mod nnf;
mod odometer;
mod ordered;
mod picture;
mod restrict;
mod room;
mod runs;
mod sample;
mod space;
mod tally;

pub(crate) use arenas::Arenas;
pub use builder::Builder;
pub use cells::Cells;
pub use edge::{Becomes, Edge, NodeId};
pub use nnf::Nnf;
pub use ordered::{Advance, Ordered};
pub use sample::Samples;
pub use space::Space;
