//! Cubes: parts of the search tree that are named by decisions alone, so that they can be stored, sent and searched elsewhere.

use crate::board::Cell;

/// One cell decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// The cell.
    pub cell: Cell,
    /// Filled, or else empty.
    pub filled: bool,
}

/// All solutions in which these decisions hold. The empty path is the whole puzzle.
///
/// What a run has found and the cubes that it handed back are disjoint and together everything, whatever engine searches the cubes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cube {
    /// The decisions, in the order in which they were made.
    pub path: Vec<Decision>,
}

impl Cube {
    /// Its decisions, each as a cell and whether that is filled.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = (Cell, bool)> {
        self.path
            .iter()
            .map(|decision| (decision.cell, decision.filled))
    }
}
