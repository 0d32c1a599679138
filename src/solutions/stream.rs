//! The sink that passes solutions, as they are found, to one thread that writes them.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::batch::Batch;
use super::sink::Sink;
use super::stop::Stop;

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
