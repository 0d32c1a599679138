//! The progress of a tree search, from which it can be resumed.

use crate::search::Cube;
use crate::solutions::Count;

/// What has been found in a tree, and the subtrees that have not been searched.
#[derive(Clone, Debug)]
pub(crate) struct OpenTree {
    /// The open subtrees as cubes, each with its share of the whole tree.
    pub(crate) cubes: Vec<(Cube, f64)>,
    /// Number of solutions found so far.
    pub(crate) found: Count,
    /// Nodes so far.
    pub(crate) nodes: u64,
    /// Nanoseconds of work so far.
    pub(crate) work: u64,
}

impl OpenTree {
    /// The share of the tree that has not been searched.
    pub(crate) fn open_share(&self) -> f64 {
        self.cubes.iter().map(|(_, share)| share).sum()
    }

    /// Whether the whole tree has been searched.
    pub(crate) fn is_done(&self) -> bool {
        self.cubes.is_empty()
    }
}
