//! The interface that takes solutions; the sink that counts them, and the sink that passes them on to one thread that writes them.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::batch::Batch;
use super::count::Count;
use super::stop::Stop;

/// Takes the solutions that a search finds. All tasks share one sink.
pub trait Sink: Sync {
    /// Whether it needs the grids. If not, batches have only numbers of solutions, and regions are counted, not listed.
    fn wants_grids(&self) -> bool;

    /// Takes a batch. It may block, which slows the search down; [`ControlFlow::Break`] stops the run.
    fn take(&self, batch: Batch) -> ControlFlow<Stop>;
}

/// Adds up the numbers of solutions and never looks at a grid.
#[derive(Debug, Default)]
pub struct CountSink(Mutex<Count>);

impl CountSink {
    /// A sink with the sum 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The sum.
    pub fn into_count(self) -> Count {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for CountSink {
    fn wants_grids(&self) -> bool {
        false
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += batch.count();
        ControlFlow::Continue(())
    }
}

/// The sending end of a bounded channel of batches. When the channel is full the search waits, so that a slow reader slows the search
/// instead of filling memory; when the receiving end has been dropped the run stops.
#[derive(Clone, Debug)]
pub struct Stream(SyncSender<Batch>);

/// The receiving end of a [`Stream`]. It can be iterated over; the iterator ends when every sender has been dropped.
pub type Batches = Receiver<Batch>;

impl Stream {
    /// A stream that holds up to `batches` batches.
    pub fn new(batches: usize) -> (Self, Batches) {
        let (sender, receiver) = sync_channel(batches);
        (Stream(sender), receiver)
    }
}

impl Sink for Stream {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        match self.0.send(batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(Stop::Closed),
        }
    }
}
