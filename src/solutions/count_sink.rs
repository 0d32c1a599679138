//! The sink that counts.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::batch::Batch;
use super::count::Count;
use super::sink::Sink;
use super::stop::Stop;

/// Adds up the numbers of solutions and never looks at a grid.
#[derive(Debug, Default)]
pub struct CountSink(Mutex<Count>);

impl Default for Count {
    fn default() -> Self {
        Count::ZERO
    }
}

impl CountSink {
    /// A sink with the sum 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The sum.
    pub fn into_count(self) -> Count {
        self.0
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Sink for CountSink {
    fn wants_grids(&self) -> bool {
        false
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        *self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) += batch.count();
        ControlFlow::Continue(())
    }
}
