//! The sink that keeps the first few solutions: one to solve a puzzle, two to know that it is not unique.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::{Batch, Sink, Stop};
use crate::puzzle::Grid;

/// Keeps up to a number of solutions. It does not stop the run itself: that is what the limit on solutions is for.
#[derive(Debug)]
pub struct First {
    most: usize,
    grids: Mutex<Vec<Grid>>,
}

impl First {
    /// Keeps up to `most` solutions.
    pub fn new(most: usize) -> Self {
        First {
            most,
            grids: Mutex::new(Vec::new()),
        }
    }

    /// The solutions, in the order in which they came.
    pub fn into_grids(self) -> Vec<Grid> {
        self.grids
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Sink for First {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut grids = self
            .grids
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        batch.try_each(|words| {
            if grids.len() < self.most {
                grids.push(Grid::from_words(
                    batch.width(),
                    batch.height(),
                    words.into(),
                ));
            }
            grids.len() < self.most
        });
        ControlFlow::Continue(())
    }
}
