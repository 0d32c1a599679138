//! Cubes: subtrees given by their paths of decisions alone, so that they can be stored, sent and searched elsewhere.

use crate::puzzle::Cell;

/// The decision of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// The cell.
    pub cell: Cell,
    /// Whether it is filled; otherwise it is empty.
    pub filled: bool,
}

/// A subtree: all solutions in which these decisions hold. The empty path is the whole puzzle.
///
/// The solutions that a run has found and those in the cubes that it handed back are disjoint, and together all solutions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cube {
    /// The decisions, in the order in which they were made.
    pub path: Vec<Decision>,
}

impl Cube {
    /// The cube of these decisions, each a cell and whether it is filled.
    pub(crate) fn of(decisions: impl IntoIterator<Item = (Cell, bool)>) -> Self {
        let decision = |(cell, filled)| Decision { cell, filled };
        let path = decisions.into_iter().map(decision).collect();
        Cube { path }
    }

    /// The decisions, each as a cell and whether it is filled.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = (Cell, bool)> {
        let path = self.path.iter();
        path.map(|decision| (decision.cell, decision.filled))
    }
}
