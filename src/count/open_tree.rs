//! How far a tree has been searched, for going on with it.

use crate::search::Cube;
use crate::solutions::Count;

/// What has been found in a tree, and what is open.
#[derive(Clone, Debug)]
pub(crate) struct OpenTree {
    /// What is open, each cube with its share of the whole tree.
    pub(crate) cubes: Vec<(Cube, f64)>,
    /// Solutions that have been found.
    pub(crate) found: Count,
    /// Nodes so far.
    pub(crate) nodes: u64,
    /// Nanoseconds of work so far.
    pub(crate) work: u64,
}
