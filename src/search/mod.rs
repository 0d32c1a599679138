//! The search tree: propagate, probe, branch, on all cores.
//!
//! A [`Search`] says what to search and within which limits; [`Search::run`] gives every solution to a [`Sink`](crate::solutions::Sink) and
//! returns an [`Outcome`]: their number, whether they are all, and if not, why the run stopped and which [`Cube`]s are still open. With one
//! thread there is no pool and a single task, and a run is reproducible.

mod backbone;
mod classic;
mod cube;
mod incremental;
mod meter;
mod near;
mod options;
mod oracle;
mod outcome;
mod portfolio;
mod probing_policy;
mod product;
mod solutions;
mod switch;
mod task;
mod tree;

pub(crate) use backbone::Effort;
pub use cube::{Cube, Decision};
pub(crate) use meter::WHOLE;
pub(crate) use near::{connected_groups, reduce_difference};
pub(crate) use oracle::Oracle;
pub use outcome::{Outcome, Total, Verdict};
pub use solutions::Solutions;
pub(crate) use switch::{switch_rectangle, switched_solution};
pub(crate) use task::narrowest_cell;
pub use tree::Search;

pub use crate::run::{Activity, Limits, Observer, Snapshot, Statistics};
pub use crate::sat::Backbone;

unstable! {
    use classic::ClassicSearch;
    use incremental::CubeSearch;
    use options::{Options, Probing};
}
