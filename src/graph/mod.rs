//! The solution graph: all solutions of a puzzle as a deterministic DNNF.
//!
//! A [`SolutionGraph`] is built during counting: each node is a region with all its fillings, an edge decides some cells and leads to the
//! independent regions that remain undecided, and equal regions share one node wherever they lie. It gives the number of solutions in which
//! each cell is filled ([`CellCounts`]), draws solutions at random ([`Samples`]), and lists them in canonical order from any index
//! ([`Lexicographic`]).

mod arena;
mod arenas;
mod builder;
mod cells;
mod condition;
mod counts;
mod edge;
mod lexicographic;
mod nnf;
mod places;
mod runs;
mod sample;
mod solution_graph;

pub(crate) use arenas::Arenas;
pub use cells::CellCounts;
pub(crate) use counts::CountList;
pub use lexicographic::{Advance, Lexicographic};
pub use nnf::Nnf;
pub use sample::Samples;
pub use solution_graph::SolutionGraph;

unstable! {
    use builder::Builder;
    use edge::{CellFate, Edge, EdgeForm, EdgeRef, NodeId};
}
