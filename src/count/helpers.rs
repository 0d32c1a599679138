//! The helpers of a count: how many are still to begin, and whether they may.
//!
//! A helper is a task of the rayon pool. A thread that waits for the tasks of a sweep or of the tree search runs any task of the pool. If
//! that is a helper that has not begun, the thread gets back to its own work only when that helper leaves. So helpers may not begin beside
//! such tasks. A helper that comes later leaves at once, and its thread runs nothing but tasks of the pool from then on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum time that helpers are given to begin before tasks keep them from it. An idle thread takes some 50 microseconds; the threads
/// of a pool that others use as well may all be busy.
const MAX_TIME_TO_BEGIN: Duration = Duration::from_millis(10);

/// The time between two looks at whether they have begun.
const TIME_BETWEEN_LOOKS: Duration = Duration::from_micros(20);

/// Which helpers have begun. Relaxed: a thread that has closed it, or has seen it closed, finds it closed in whatever task it runs next;
/// the number of those to begin is a hint.
#[derive(Debug, Default)]
pub(crate) struct Helpers {
    unbegun: AtomicUsize,
    is_closed: AtomicBool,
}

impl Helpers {
    /// Lets this number of helpers begin.
    pub(crate) fn expect(&self, number: usize) {
        self.unbegun.store(number, Ordering::Relaxed);
        self.is_closed.store(false, Ordering::Relaxed);
    }

    /// Called by each helper that comes. Returns whether it may begin.
    pub(crate) fn begin(&self) -> bool {
        self.unbegun.fetch_sub(1, Ordering::Relaxed);
        !self.is_closed.load(Ordering::Relaxed)
    }

    /// Whether none will begin any more, so that each task of the pool is one of a sweep or of the tree search.
    pub(crate) fn are_complete(&self) -> bool {
        self.unbegun.load(Ordering::Relaxed) == 0 || self.is_closed.load(Ordering::Relaxed)
    }

    /// Lets no more helpers begin, because tasks for the pool follow. Waits a moment for those that have not begun.
    pub(crate) fn close(&self) {
        self.close_after(MAX_TIME_TO_BEGIN);
    }

    fn close_after(&self, max_time: Duration) {
        let began = Instant::now();
        while !self.are_complete() && began.elapsed() < max_time {
            thread::sleep(TIME_BETWEEN_LOOKS);
        }
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep that came first once kept all helpers from beginning, so that one thread did all that followed.
    #[test]
    fn helpers_have_time_to_begin() {
        let helpers = Helpers::default();
        helpers.expect(2);
        assert!(helpers.begin() && !helpers.are_complete());
        thread::scope(|threads| {
            let second = threads.spawn(|| {
                thread::sleep(Duration::from_millis(1));
                helpers.begin()
            });
            helpers.close_after(Duration::from_secs(60));
            assert!(second.join().unwrap());
        });
        assert!(helpers.are_complete());
    }

    #[test]
    fn no_helper_begins_beside_tasks() {
        let helpers = Helpers::default();
        helpers.expect(1);
        assert!(!helpers.are_complete());
        helpers.close();
        assert!(helpers.are_complete() && !helpers.begin());
        helpers.expect(1);
        assert!(helpers.begin());
    }
}
