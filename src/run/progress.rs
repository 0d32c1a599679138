//! How far a run has come, and who is told of it.

use std::fmt;
use std::time::Duration;

use crate::solutions::Count;

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

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// It searches the tree.
    Searching,
    /// It looks for the cells that are the same in every solution.
    Backbone,
    /// It counts, and branches in the order of this name.
    Branching(&'static str),
    /// It counts, and sweeps a frontier in the direction of this name.
    Sweeping(&'static str),
}

impl fmt::Display for Activity {
    /// A few words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activity::Searching => f.write_str("searching"),
            Activity::Backbone => f.write_str("backbone"),
            Activity::Branching(order) => write!(f, "branching {order}"),
            Activity::Sweeping(way) => write!(f, "sweeping {way}"),
        }
    }
}

/// A moment of a running search.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Share of the work that is finished, from 0 to 1. It only grows, and ends at 1 when the run is complete. `None` where nothing tells
    /// it, as while the best way to count is sought.
    pub share: Option<f64>,
    /// Nodes so far.
    pub nodes: u64,
    /// Solutions so far: a lower bound, that only grows.
    pub solutions: Count,
    /// What is being done.
    pub activity: Activity,
    /// Time since the start.
    pub elapsed: Duration,
}

impl Snapshot {
    /// Time left if the rest goes as fast as what is done; `None` where that is not known, and before anything is done.
    pub fn left(&self) -> Option<Duration> {
        let share = self.share?;
        let rest = self.elapsed.as_secs_f64() * (1.0 - share) / share;
        Duration::try_from_secs_f64(rest).ok()
    }
}

/// Called now and then while a run goes on, and once at its end.
pub(crate) type Observer<'a> = &'a (dyn Fn(Snapshot) + Sync);

/// How often a run is observed.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Does this work, and calls `tell` ten times a second meanwhile, from a thread of its own.
pub(crate) fn ticking<T>(tell: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|threads| {
        let (finished, ticks) = crossbeam::channel::bounded::<()>(0);
        let tell = &tell;
        threads.spawn(move || {
            let ticks = || ticks.recv_timeout(TICK);
            while ticks().is_err_and(|error| error.is_timeout()) {
                tell();
            }
        });
        let done = work();
        drop(finished);
        done
    })
}
