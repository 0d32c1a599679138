//! The status of a count for its observer: the nodes, the solutions that are proved, and the current activity.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::run::{Activity, Instant, Observer, Snapshot, lock, ticking};
use crate::solutions::Count;

/// The status of a count. All of its threads write it, and the thread of the observer reads it.
#[derive(Debug)]
pub(crate) struct Status {
    began: Instant,
    /// Relaxed: a sum that is only displayed.
    nodes: AtomicU64,
    /// The best lower bound on the number of solutions so far, so that the displayed number never falls.
    proved: Mutex<Count>,
    activity: Mutex<Activity>,
}

impl Status {
    pub(crate) fn new(began: Instant) -> Self {
        Status {
            began,
            nodes: AtomicU64::new(0),
            proved: Mutex::default(),
            activity: Mutex::default(),
        }
    }

    pub(crate) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// Raises the lower bound on the number of solutions to `proved`, if that is higher; returns the bound.
    pub(crate) fn raise_bound(&self, proved: Count) -> Count {
        let mut bound = lock(&self.proved);
        if *bound < proved {
            *bound = proved;
        }
        bound.clone()
    }

    pub(crate) fn set_activity(&self, activity: Activity) {
        *lock(&self.activity) = activity;
    }

    fn snapshot(&self, complete: bool) -> Snapshot {
        Snapshot {
            // Before the end, the shares that the racers have done are no estimate of the remaining work.
            share: complete.then_some(1.0),
            nodes: self.nodes.load(Ordering::Relaxed),
            solutions: lock(&self.proved).clone(),
            activity: *lock(&self.activity),
            elapsed: self.began.elapsed(),
        }
    }

    /// Runs `count`, and passes snapshots to the observer: ten times a second, and once at the end. `count` returns its result and whether
    /// the count is complete.
    pub(crate) fn watch<T>(
        &self,
        observer: Option<Observer<'_>>,
        count: impl FnOnce() -> (T, bool),
    ) -> T {
        let Some(observer) = observer else {
            return count().0;
        };
        let (result, complete) = ticking(|| observer(self.snapshot(false)), count);
        observer(self.snapshot(complete));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_observer_gets_what_was_reported_until_the_end() {
        for complete in [true, false] {
            let status = Status::new(Instant::now());
            let seen = Mutex::new(Vec::new());
            let observer = |snapshot: Snapshot| lock(&seen).push(snapshot);
            let result = status.watch(Some(&observer), || {
                status.add_nodes(3);
                status.add_nodes(4);
                assert_eq!(status.raise_bound(Count::from(5)), Count::from(5));
                assert_eq!(status.raise_bound(Count::from(2)), Count::from(5));
                status.set_activity(Activity::Sweeping("right"));
                ("result", complete)
            });
            assert_eq!(result, "result");
            let last = lock(&seen).pop().expect("there is one at the end");
            assert_eq!((last.nodes, last.solutions), (7, Count::from(5)));
            assert_eq!(last.activity, Activity::Sweeping("right"));
            assert_eq!(last.share, complete.then_some(1.0));
        }
    }
}
