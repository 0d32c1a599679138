//! The interface that takes solutions.

use std::ops::ControlFlow;

use super::batch::Batch;
use super::stop::Stop;

/// Takes the solutions that a search finds. All tasks share one sink.
pub trait Sink: Sync {
    /// Whether it needs the grids. If not, batches have only numbers of solutions, and regions are counted, not listed.
    fn wants_grids(&self) -> bool;

    /// Takes a batch. It may block, which slows the search down; [`ControlFlow::Break`] stops the run.
    fn take(&self, batch: Batch) -> ControlFlow<Stop>;
}
