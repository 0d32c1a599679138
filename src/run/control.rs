//! The stop flag of a run: it checks the limits, and every loop of the run polls it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::clock::Instant;
use super::limits::Limits;
use super::ticker;
use crate::solutions::Stop;

/// Value of the stop flag when the question is answered and the run ends without a [`Stop`].
const FINISHED: u8 = u8::MAX;

/// Stop flag and remaining limits of one run, shared by its tasks.
#[derive(Debug)]
pub(crate) struct Control {
    /// A [`Stop`], [`FINISHED`], or 0 while running. Relaxed: the flag orders no other memory access; beside
    /// [`Control::clear_solution_limit`] it changes only once, from 0.
    stop: AtomicU8,
    deadline: Option<Instant>,
    /// Relaxed: it publishes no other data, and is polled again.
    interrupt: Option<Arc<AtomicBool>>,
    /// Nodes not yet reserved by any task. Relaxed: a sum.
    nodes: Option<AtomicU64>,
    /// Solutions that may still be accepted. Relaxed: a sum.
    solutions: Option<AtomicU64>,
    /// Calls of [`Control::stopped`] until it stops the run, for tests. Relaxed: a sum.
    checks: Option<AtomicU64>,
    /// The run that contains this sub-run.
    parent: Option<Arc<Control>>,
}

impl Control {
    /// `accepting`: whether the control enforces the limit on solutions, through [`Control::accept`].
    pub(crate) fn new(limits: &Limits, accepting: bool) -> Self {
        let end = |time| Instant::now().checked_add(time);
        Control {
            stop: AtomicU8::new(0),
            deadline: limits.time.and_then(end),
            interrupt: limits.interrupt.clone(),
            nodes: limits.nodes.map(AtomicU64::new),
            solutions: limits.solutions.filter(|_| accepting).map(AtomicU64::new),
            checks: limits.checks.map(AtomicU64::new),
            parent: None,
        }
    }

    /// The control of a sub-run of at most this number of nodes, reserved from this run too. Whatever stops this run stops the sub-run.
    pub(crate) fn part(self: &Arc<Self>, nodes: u64) -> Self {
        let limits = Limits::default().nodes(nodes);
        Control {
            parent: Some(Arc::clone(self)),
            ..Control::new(&limits, false)
        }
    }

    /// Stops the run. A later reason does not replace the first.
    pub(crate) fn stop(&self, why: Stop) {
        self.replace_state(0, why as u8);
    }

    /// Ends the run because its question is answered; [`Control::reason`] stays `None`.
    pub(crate) fn finish(&self) {
        self.replace_state(0, FINISHED);
    }

    /// Clears [`Stop::Limit`], so that the next phase of a run can start. No other thread may use the control meanwhile.
    pub(crate) fn clear_solution_limit(&self) {
        self.replace_state(Stop::Limit as u8, 0);
    }

    /// Has no effect if the state is another one.
    fn replace_state(&self, old: u8, new: u8) {
        let _ = (self.stop).compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the run has ended. Reads the flag alone, cheap enough for every node.
    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        #[cfg(feature = "checked")]
        {
            super::checked::count_check();
            super::checked::give_way();
        }
        if let Some(checks) = &self.checks
            && checks
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
                .is_err()
        {
            self.stop(Stop::Interrupt);
        }
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// An error once the run has ended, with the reason.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.stopped() {
            return Err(self.reason().unwrap_or(Stop::Interrupt));
        }
        Ok(())
    }

    /// Why the run stopped; `None` while it runs and when it has finished.
    pub(crate) fn reason(&self) -> Option<Stop> {
        let state = self.stop.load(Ordering::Relaxed);
        [
            Stop::Limit,
            Stop::Time,
            Stop::Nodes,
            Stop::Memory,
            Stop::Interrupt,
            Stop::Closed,
            Stop::Stuck,
        ]
        .into_iter()
        .find(|&stop| stop as u8 == state)
    }

    /// Checks the deadline, the interrupt flag and the parent run; whether the run has ended. Takes some 50 nanoseconds: call it at
    /// intervals of a microsecond or more.
    pub(crate) fn poll(&self) -> bool {
        ticker::tick();
        let interrupt = self.interrupt.as_ref();
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.stop(Stop::Interrupt);
        }
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            self.stop(Stop::Time);
        }
        if let Some(parent) = self.parent.as_ref().filter(|parent| parent.poll()) {
            // A finished parent has no reason, but the sub-run is cut short.
            self.stop(parent.reason().unwrap_or(Stop::Interrupt));
        }
        self.stopped()
    }

    /// Reserves up to `want` nodes, but at most 1/128 of those left, so that no task is stopped while another holds a large reserve.
    /// Returns 0, and stops the run, when no node is left.
    pub(crate) fn reserve_nodes(&self, want: u64) -> u64 {
        let own = self.reserve_own_nodes(want);
        let Some(parent) = self.parent.as_ref().filter(|_| own > 0) else {
            return own;
        };
        let got = parent.reserve_nodes(own);
        if got == 0 {
            self.stop(Stop::Nodes);
        }
        self.return_own_nodes(own - got);
        got
    }

    fn reserve_own_nodes(&self, want: u64) -> u64 {
        let Some(nodes) = &self.nodes else {
            return want;
        };
        let share = |left: u64| want.min(left.div_ceil(128));
        let rest = |left: u64| Some(left - share(left));
        let left = nodes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        let left = left.unwrap_or_default();
        if left == 0 {
            self.stop(Stop::Nodes);
        }
        share(left)
    }

    /// Returns unused reserved nodes.
    pub(crate) fn return_nodes(&self, unused: u64) {
        self.return_own_nodes(unused);
        if let Some(parent) = &self.parent {
            parent.return_nodes(unused);
        }
    }

    fn return_own_nodes(&self, unused: u64) {
        if let Some(nodes) = &self.nodes {
            nodes.fetch_add(unused, Ordering::Relaxed);
        }
    }

    /// Subtracts `found` solutions from the limit (`None`: more than a `u64` holds). Returns `None` when all of them are accepted and more
    /// may follow; otherwise stops the run and returns how many of them are accepted.
    pub(crate) fn accept(&self, found: Option<u64>) -> Option<u64> {
        let solutions = self.solutions.as_ref()?;
        let found = found.unwrap_or(u64::MAX);
        let rest = |left: u64| Some(left.saturating_sub(found));
        let left = solutions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        let left = left.unwrap_or_default();
        if found < left {
            return None;
        }
        self.stop(Stop::Limit);
        Some(left)
    }
}

/// Polls a [`Control`] once per [`Pace::WORK`] units of work, for loops whose steps are too short to poll at each.
#[derive(Debug)]
pub(crate) struct Pace<'c> {
    control: &'c Control,
    /// Units of work until the next poll.
    left: u64,
    polls: u64,
}

impl<'c> Pace<'c> {
    /// Units of work between two polls. A unit takes a few nanoseconds, up to a hundred with cache misses.
    pub(crate) const WORK: u64 = 1 << 14;

    pub(crate) fn new(control: &'c Control) -> Self {
        Pace {
            control,
            left: Self::WORK,
            polls: 0,
        }
    }

    /// Number of polls so far.
    pub(crate) fn polls(&self) -> u64 {
        self.polls
    }

    /// Records work done; `true` when the run has ended.
    #[inline]
    pub(crate) fn spend(&mut self, work: u64) -> bool {
        if work < self.left {
            self.left -= work;
            return false;
        }
        self.left = Self::WORK;
        self.polls += 1;
        self.control.poll()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_nodes(nodes: u64) -> Arc<Control> {
        let limits = Limits::default().nodes(nodes);
        Arc::new(Control::new(&limits, false))
    }

    fn all_nodes(control: &Control) -> u64 {
        std::iter::repeat_with(|| control.reserve_nodes(10))
            .take_while(|&got| got > 0)
            .sum()
    }

    #[test]
    fn a_sub_run_takes_its_nodes_from_the_run() {
        let run = with_nodes(1000);
        let part = run.part(300);
        assert_eq!(all_nodes(&part), 300);
        assert_eq!((part.reason(), run.reason()), (Some(Stop::Nodes), None));
        let part = run.part(300);
        assert!(part.reserve_nodes(10) > 0);
        part.return_nodes(1);
        let part = run.part(u64::MAX);
        all_nodes(&part);
        assert_eq!(part.reason(), Some(Stop::Nodes));
        assert_eq!(run.reason(), Some(Stop::Nodes));
    }

    #[test]
    fn a_stopped_run_stops_its_sub_run() {
        let run = with_nodes(1000);
        let part = run.part(10);
        assert!(!part.poll());
        run.stop(Stop::Memory);
        part.poll();
        assert_eq!(part.reason(), Some(Stop::Memory));
        // When the run is finished, its sub-run is interrupted.
        let run = with_nodes(1000);
        let part = run.part(10);
        run.finish();
        part.poll();
        assert_eq!((run.reason(), part.reason()), (None, Some(Stop::Interrupt)));
    }
}
