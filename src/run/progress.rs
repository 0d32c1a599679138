//! Progress of a run: statistics, snapshots, and the observer that receives them.

use std::fmt;
use std::time::Duration;

use crossbeam::channel::{RecvTimeoutError, bounded};

use super::ticker::{self, TICK};
use crate::solutions::Count;

/// Counters of a search, summed over all tasks.
///
/// Serialized without the nodes, which are a field beside the statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Statistics {
    /// Nodes of the search tree: the root, both sides of every branch, and one for each region searched by itself.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub nodes: u64,
    /// Leaves: nodes without unknown cells.
    pub leaves: u64,
    /// Nodes proved to have no solution.
    pub dead_ends: u64,
    /// Nodes whose unknown cells were split into independent regions.
    pub splits: u64,
    /// Cells probed, both sides counted as one.
    pub probes: u64,
    /// Lines settled.
    pub settles: u64,
    /// Tasks spawned.
    pub tasks: u64,
    /// Conflicts of the SAT solver that runs beside the tree search.
    pub conflicts: u64,
}

impl Statistics {
    /// Adds the counters of another part of the search.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// Searching the tree.
    #[default]
    Searching,
    /// Looking for the cells that are the same in every solution.
    Backbone,
    /// Counting by branching.
    Branching,
    /// Counting by a frontier sweep in this direction.
    Sweeping(&'static str),
    /// Examining edits of a picture.
    Repairing,
    /// Working out all clue sets of a size; they are counted as solutions.
    Census,
}

impl fmt::Display for Activity {
    /// A few words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activity::Searching => f.write_str("searching"),
            Activity::Backbone => f.write_str("backbone"),
            Activity::Branching => f.write_str("branching"),
            Activity::Sweeping(direction) => write!(f, "sweeping {direction}"),
            Activity::Repairing => f.write_str("repairing"),
            Activity::Census => f.write_str("census"),
        }
    }
}

/// The progress of a run at one moment. The default is that of a search at its start.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// Finished share of the work, from 0 to 1. It never decreases, and is 1 when the run is complete. `None` where it cannot be estimated,
    /// for example in a count.
    pub share: Option<f64>,
    /// Nodes so far.
    pub nodes: u64,
    /// Solutions so far: a lower bound that never decreases.
    pub solutions: Count,
    /// The present activity.
    pub activity: Activity,
    /// Time since the start.
    pub elapsed: Duration,
}

impl Snapshot {
    /// Estimated time left, if the rest takes as long per share as the finished work; `None` while the share is unknown or 0.
    pub fn left(&self) -> Option<Duration> {
        let share = self.share?;
        let rest = self.elapsed.as_secs_f64() * (1.0 - share) / share;
        Duration::try_from_secs_f64(rest).ok()
    }
}

/// A function that receives the progress of a run, ten times a second and once at the end: from a separate thread, or, where the pool has
/// one thread only, from that one.
///
/// ```
/// use omnogram::search::{Observer, Outcome, Snapshot};
/// use omnogram::{Puzzle, Search};
///
/// fn count(puzzle: &Puzzle, observer: Observer<'_>) -> Outcome {
///     Search::new(puzzle).observer(observer).count()
/// }
///
/// let puzzle = Puzzle::from_clues(&[[1], [1]], &[[1], [1]])?;
/// let outcome = count(&puzzle, &|snapshot: Snapshot| eprintln!("{} nodes", snapshot.nodes));
/// assert!(outcome.is_complete());
/// # Ok::<(), omnogram::Error>(())
/// ```
pub type Observer<'a> = &'a (dyn Fn(Snapshot) + Sync);

/// Runs `work`, and meanwhile calls `tell` every [`TICK`]: from another thread, or, where the pool has one thread only, on this one whenever
/// `work` polls its [`Control`](super::Control).
pub(crate) fn ticking<T>(tell: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    if rayon::current_num_threads() == 1 {
        return ticker::ticking(&tell, work);
    }
    std::thread::scope(|threads| {
        let (finished, ticks) = bounded::<()>(0);
        let tell = &tell;
        // Without a thread for it nothing is told, which changes no answer.
        let _ = std::thread::Builder::new().spawn_scoped(threads, move || {
            while ticks.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                tell();
            }
        });
        let done = work();
        drop(finished);
        done
    })
}
