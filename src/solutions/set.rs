//! The deduplicated set: every solution once, shared by all tasks.
//!
//! The branches of the search are disjoint, so it never finds a grid twice, and [`Set::repeats`] proves it in the tests. Where the
//! same part of a tree may be answered twice, as in merged runs, the set makes it once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashSet;

use super::batch::Batch;
use super::sink::Sink;
use super::stop::Stop;
use crate::puzzle::Grid;

/// What an entry costs beside its words: the box, its place in the table at a usual load, the allocator's rounding.
const OVERHEAD: u64 = 48;

/// Keeps every solution once, keyed by the whole packed grid, within a number of bytes.
#[derive(Debug)]
pub struct Set {
    grids: DashSet<Box<[u64]>>,
    /// Relaxed: these are sums that nothing else is read by.
    bytes: AtomicU64,
    repeats: AtomicU64,
    most: u64,
}

impl Set {
    /// A set of up to about `memory` bytes.
    pub fn new(memory: u64) -> Self {
        Set {
            grids: DashSet::new(),
            bytes: AtomicU64::new(0),
            repeats: AtomicU64::new(0),
            most: memory,
        }
    }

    /// Number of different solutions.
    pub fn len(&self) -> usize {
        self.grids.len()
    }

    /// Is there none yet?
    pub fn is_empty(&self) -> bool {
        self.grids.is_empty()
    }

    /// How many solutions came that were in it already.
    pub fn repeats(&self) -> u64 {
        self.repeats.load(Ordering::Relaxed)
    }

    /// The solutions in canonical order, for grids of this size. They take the set's memory over.
    pub fn into_sorted(self, width: usize, height: usize) -> Vec<Grid> {
        let mut grids: Vec<Grid> = self
            .grids
            .into_iter()
            .map(|words| Grid::from_words(width, height, words))
            .collect();
        grids.sort_unstable();
        grids
    }
}

impl Sink for Set {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let fits = batch.try_each(|words| {
            let cost = words.len() as u64 * 8 + OVERHEAD;
            if self.bytes.load(Ordering::Relaxed) + cost > self.most {
                return false;
            }
            if self.grids.insert(words.into()) {
                self.bytes.fetch_add(cost, Ordering::Relaxed);
            } else {
                self.repeats.fetch_add(1, Ordering::Relaxed);
            }
            true
        });
        if fits {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Stop::Memory)
        }
    }
}
