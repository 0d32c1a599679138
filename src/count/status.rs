//! What whoever watches a count is told: the nodes, the solutions that are proved, and what is being done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::checkpointer::Checkpointer;
use crate::run::lock;
use crate::run::{Activity, Observer, Snapshot, ticking};
use crate::solutions::Count;

/// How a count stands. All of its threads write it, and its watcher reads it.
#[derive(Debug)]
pub(crate) struct Status {
    began: Instant,
    /// Relaxed: a sum for showing alone.
    nodes: AtomicU64,
    /// The most solutions that have been proved so far: what is shown only grows.
    least: Mutex<Count>,
    activity: Mutex<Activity>,
}

impl Status {
    pub(crate) fn new(began: Instant, least: Count) -> Self {
        Status {
            began,
            nodes: AtomicU64::new(0),
            least: Mutex::new(least),
            activity: Mutex::new(Activity::Branching("down")),
        }
    }

    pub(crate) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// Notes that at least this number of solutions are proved; returns the most that was noted.
    pub(crate) fn raise(&self, least: Count) -> Count {
        let mut most = lock(&self.least);
        if *most < least {
            *most = least;
        }
        most.clone()
    }

    pub(crate) fn begin(&self, activity: Activity) {
        *lock(&self.activity) = activity;
    }

    fn snapshot(&self, complete: bool) -> Snapshot {
        Snapshot {
            // How much of all ways to count is done says nothing of what is left.
            share: complete.then_some(1.0),
            nodes: self.nodes.load(Ordering::Relaxed),
            solutions: lock(&self.least).clone(),
            activity: *lock(&self.activity),
            elapsed: self.began.elapsed(),
        }
    }

    /// Counts, which says whether all is counted, and tells the observer and the journal ten times a second how far that is.
    pub(crate) fn watched<T>(
        &self,
        observer: Option<Observer<'_>>,
        checkpointer: Option<&Checkpointer>,
        count: impl FnOnce() -> (T, bool),
    ) -> T {
        let tell = |complete: bool| {
            let snapshot = self.snapshot(complete);
            if let Some(checkpointer) = checkpointer {
                checkpointer.record_progress(&snapshot);
            }
            if let Some(observer) = observer {
                observer(snapshot);
            }
        };
        if observer.is_none() && checkpointer.is_none() {
            return count().0;
        }
        let (table, complete) = ticking(|| tell(false), count);
        tell(complete);
        table
    }
}
