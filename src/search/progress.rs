//! How far a run has come. Tasks add up on their own and pass sums on every now and then; whoever wants to show them pulls.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;

/// The weight of the whole tree. A node's weight is shared out among its children without a remainder, as much to each as it is likely
/// to hold of the tree, so that the weights of finished parts add up to exactly this at the end.
pub(crate) const WHOLE: u64 = 1 << 62;

/// Counts of what a search did. Sums over all tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes of the search tree: the root and both sides of every branch, and one for each region searched apart.
    pub nodes: u64,
    /// Leaves: nodes at which nothing was left open.
    pub leaves: u64,
    /// Nodes that turned out to hold no solution.
    pub dead_ends: u64,
    /// Times that the open cells fell apart into regions.
    pub splits: u64,
    /// Cells probed, both sides counted as one.
    pub probes: u64,
    /// Lines settled.
    pub settles: u64,
    /// Tasks spawned.
    pub tasks: u64,
    /// Conflicts that clause learning met beside the tree.
    pub conflicts: u64,
}

impl Statistics {
    /// Adds the counts of another part of the search.
    pub fn add(&mut self, other: &Statistics) {
        let Statistics {
            nodes,
            leaves,
            dead_ends,
            splits,
            probes,
            settles,
            tasks,
            conflicts,
        } = other;
        self.nodes += nodes;
        self.leaves += leaves;
        self.dead_ends += dead_ends;
        self.splits += splits;
        self.probes += probes;
        self.settles += settles;
        self.tasks += tasks;
        self.conflicts += conflicts;
    }
}

/// A moment of a running search.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    /// Share of the tree that is finished, from 0 to 1. It only grows, and ends at 1 when the run is complete.
    pub share: f64,
    /// Nodes so far.
    pub nodes: u64,
    /// Solutions so far, rounded down to what a `u64` can hold.
    pub solutions: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

impl Snapshot {
    /// Time left if the rest goes as fast as what is done; `None` before anything is done.
    pub fn left(&self) -> Option<Duration> {
        let rest = self.elapsed.as_secs_f64() * (1.0 - self.share) / self.share;
        Duration::try_from_secs_f64(rest).ok()
    }
}

/// The sums that tasks pass on. Relaxed: each is read for showing alone.
#[derive(Debug)]
pub(super) struct Meter {
    started: Instant,
    done: CachePadded<AtomicU64>,
    nodes: CachePadded<AtomicU64>,
    solutions: CachePadded<AtomicU64>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Meter {
            started: Instant::now(),
            done: CachePadded::new(AtomicU64::new(0)),
            nodes: CachePadded::new(AtomicU64::new(0)),
            solutions: CachePadded::new(AtomicU64::new(0)),
        }
    }

    pub(super) fn add(&self, done: u64, nodes: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    pub(super) fn add_solutions(&self, found: u64) {
        let add = |sum: u64| Some(sum.saturating_add(found));
        let _ = self
            .solutions
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// All is done, by whatever means, and so many solutions there are.
    pub(super) fn finish(&self, solutions: u64) {
        self.done.store(WHOLE, Ordering::Relaxed);
        self.solutions.store(solutions, Ordering::Relaxed);
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            share: self.done.load(Ordering::Relaxed) as f64 / WHOLE as f64,
            nodes: self.nodes.load(Ordering::Relaxed),
            solutions: self.solutions.load(Ordering::Relaxed),
            elapsed: self.elapsed(),
        }
    }
}
