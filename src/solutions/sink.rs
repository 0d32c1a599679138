//! What takes solutions.

use std::ops::ControlFlow;

use super::batch::Batch;
use super::stop::Stop;

/// Takes the solutions that a search finds. All tasks share one sink.
pub trait Sink: Sync {
    /// Whether it looks at the pictures. If not, batches carry only their number, and regions are counted, not listed.
    fn wants_grids(&self) -> bool;

    /// Takes a batch, and may wait, which slows the search down; [`ControlFlow::Break`] stops the run.
    fn take(&self, batch: Batch) -> ControlFlow<Stop>;
}
