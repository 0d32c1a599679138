//! The tree: propagate, probe, branch, recurse, on all cores.
//!
//! A [`Search`] says what to search and within which limits; [`Search::run`] gives every solution to a [`Sink`](crate::solutions::Sink) and returns an
//! [`Outcome`]: how many, whether that is all, why it stopped if not, and the [`Cube`]s that stay open then.
//!
//! A node is data, a task walks a subtree with an explicit stack, and gives its oldest open piece away only when too few tasks
//! wait. With one thread there is no pool, nothing is split, and a run repeats exactly.

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
mod switch;
mod task;
mod tree;

pub use cube::{Cube, Decision};
pub use incremental::Ask;
pub(crate) use meter::WHOLE;
pub use options::{Options, Probing};
pub(crate) use oracle::{CONFLICTS, Oracle};
pub use outcome::{Outcome, Total, Verdict};
pub(crate) use task::narrowest;
pub use tree::Search;

pub use crate::run::{Activity, Limits, Snapshot, Statistics};
