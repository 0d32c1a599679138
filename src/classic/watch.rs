//! The observer of an algorithm, and how a run ends.

use std::ops::ControlFlow;

use crate::puzzle::Grid;

/// Go on, or stop: `?` passes a stop up.
pub type Flow<T = ()> = ControlFlow<(), T>;

/// The observer of an algorithm. It is told of every step and every solution, and may stop the algorithm at each.
pub trait Watch {
    /// One more step, as the documentation of each algorithm defines it; it takes some hundred instructions a cell of a line at most.
    fn step(&mut self) -> Flow;

    /// A solution. None comes twice.
    fn found(&mut self, grid: Grid) -> Flow;

    /// The algorithm is about to hold about this many bytes in all.
    fn keep(&mut self, bytes: u64) -> Flow;
}

/// Collects all solutions, however many, however long it takes.
impl Watch for Vec<Grid> {
    fn step(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn found(&mut self, grid: Grid) -> Flow {
        self.push(grid);
        Flow::Continue(())
    }

    fn keep(&mut self, _bytes: u64) -> Flow {
        Flow::Continue(())
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All solutions were found.
    Complete,
    /// The watch stopped it.
    Stopped,
    /// The algorithm cannot decide more cells: what it knows of each cell, row by row, which holds in every solution.
    Stuck(Vec<Vec<Option<bool>>>),
}
