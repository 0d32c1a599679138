//! The observer of an algorithm, and how a run ends.

use std::ops::ControlFlow;

use crate::puzzle::Grid;

/// Whether to continue or stop: `?` propagates a stop.
pub type Flow<T = ()> = ControlFlow<(), T>;

/// The observer of an algorithm. It is called for every step and every solution, and may stop the algorithm at each call.
pub trait Observer {
    /// One more step, as the documentation of each algorithm defines it; it takes at most some hundred instructions per cell of a line.
    fn step(&mut self) -> Flow;

    /// Takes a solution. Each is reported once.
    fn found(&mut self, grid: Grid) -> Flow;

    /// Reports that the algorithm is about to hold about this many bytes in all.
    fn keep(&mut self, bytes: u64) -> Flow;
}

/// Collects all solutions and never stops the algorithm.
impl Observer for Vec<Grid> {
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
    /// The algorithm cannot decide more cells. The value holds the known cells, row by row, which are the same in every solution.
    Stuck(Vec<Vec<Option<bool>>>),
}
