//! The solution graph: all solutions of a puzzle as a graph of decisions and regions.
//!
//! A [`SolutionGraph`] is what counting leaves behind when it keeps what it has counted: each node is a region with all its fillings, an edge
//! decides cells and leads to the independent regions that remain, and equal regions are one node wherever they lie. It tells how often
//! each cell is filled ([`CellCounts`]), draws solutions at random ([`Samples`]), and lists them in order from any place on ([`Lexicographic`]). A
//! [`Builder`] puts one together from the bottom up.

mod arena;
mod arenas;
mod builder;
mod cells;
mod condition;
mod edge;
mod fillings;
mod lexicographic;
mod listed;
mod nnf;
mod picture;
mod room;
mod runs;
mod sample;
mod solution_graph;
mod sorted_product;
mod tally;

pub(crate) use arenas::Arenas;
pub use builder::Builder;
pub use cells::CellCounts;
pub use edge::{Becomes, Edge, NodeId};
pub use lexicographic::{Advance, Lexicographic};
pub use nnf::Nnf;
pub use sample::Samples;
pub use solution_graph::SolutionGraph;
