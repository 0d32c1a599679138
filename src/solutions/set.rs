//! The deduplicated set: every solution once, shared by all tasks.
//!
//! The branches of the search are disjoint, so it never finds a grid twice; [`Set::repeats`] verifies this in the tests. Where the same
//! subtree may be searched twice, as in merged runs, the set keeps each solution once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashSet;

use super::batch::Batch;
use super::sink::Sink;
use super::stop::Stop;
use crate::puzzle::Grid;

/// Memory of an entry beside its words, in bytes: the box, its slot in the table at a usual load, the allocator's rounding.
const BYTES_PER_ENTRY: u64 = 48;

/// Keeps every solution once, keyed by the whole packed grid, within a memory limit.
#[derive(Debug)]
pub struct Set {
    grids: DashSet<Box<[u64]>>,
    /// Bytes in use, and grids rejected as repeats. Relaxed: sums that order no other memory access.
    bytes: AtomicU64,
    repeats: AtomicU64,
    max_bytes: u64,
}

impl Set {
    /// A set of up to about `memory` bytes.
    pub fn new(memory: u64) -> Self {
        Set {
            grids: DashSet::new(),
            bytes: AtomicU64::new(0),
            repeats: AtomicU64::new(0),
            max_bytes: memory,
        }
    }

    /// Number of different solutions.
    pub fn len(&self) -> usize {
        self.grids.len()
    }

    /// Whether it has no solutions.
    pub fn is_empty(&self) -> bool {
        self.grids.is_empty()
    }

    /// Number of solutions taken that were in the set already.
    pub fn repeats(&self) -> u64 {
        self.repeats.load(Ordering::Relaxed)
    }

    /// The solutions in canonical order, for grids of this size. They reuse the memory of the set.
    pub fn into_sorted(self, width: usize, height: usize) -> Vec<Grid> {
        let grids = self.grids.into_iter();
        let grids = grids.map(|words| Grid::from_words(width, height, words));
        let mut grids: Vec<Grid> = grids.collect();
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
            let cost = words.len() as u64 * 8 + BYTES_PER_ENTRY;
            if self.bytes.load(Ordering::Relaxed) + cost > self.max_bytes {
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
