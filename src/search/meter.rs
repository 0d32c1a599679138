//! The progress of a search. Tasks keep sums of their own and add them here at intervals; the observer reads them.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam::utils::CachePadded;

use crate::run::{Activity, Instant, Snapshot};

/// The weight of the whole tree. The weight of a node is divided among its children without a remainder, in proportion to their estimated
/// sizes, so that the weights of finished nodes add up to exactly this at the end.
pub(crate) const WHOLE: u64 = 1 << 62;

/// The sums over all tasks. Relaxed: they are only displayed, or read when all tasks have ended.
#[derive(Debug)]
pub(super) struct Meter {
    pub(super) started: Instant,
    done: CachePadded<AtomicU64>,
    nodes: CachePadded<AtomicU64>,
    solutions: CachePadded<AtomicU64>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Meter {
            started: Instant::now(),
            done: CachePadded::default(),
            nodes: CachePadded::default(),
            solutions: CachePadded::default(),
        }
    }

    /// Adds the weight of finished nodes, and the number of nodes.
    pub(super) fn add(&self, done: u64, nodes: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    pub(super) fn add_solutions(&self, solutions: u64) {
        let add = |sum: u64| Some(sum.saturating_add(solutions));
        let sum = &self.solutions;
        let _ = sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Sets the finished share of the tree to 1, and the number of solutions.
    pub(super) fn finish(&self, solutions: u64) {
        self.done.store(WHOLE, Ordering::Relaxed);
        self.solutions.store(solutions, Ordering::Relaxed);
    }

    /// Share of the tree that is finished.
    pub(super) fn share(&self) -> f64 {
        self.done.load(Ordering::Relaxed) as f64 / WHOLE as f64
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            share: Some(self.share()),
            nodes: self.nodes.load(Ordering::Relaxed),
            solutions: self.solutions.load(Ordering::Relaxed).into(),
            activity: Activity::Searching,
            elapsed: self.started.elapsed(),
        }
    }
}
