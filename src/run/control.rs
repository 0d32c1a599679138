//! The limits as everything that takes part in a run sees them: a flag that all poll, and the loops that poll it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

use super::limits::Limits;
use crate::solutions::Stop;

/// Not stopped by anything, but answered: the tree need not go on.
const SETTLED: u8 = u8::MAX;

/// The limits as the tasks of one run see them.
#[derive(Debug)]
pub(crate) struct Control {
    /// A [`Stop`], [`SETTLED`], or 0. Relaxed: it only ever goes from 0 to one value, and nothing is read by its leave.
    stop: AtomicU8,
    deadline: Option<Instant>,
    interrupt: Option<Arc<AtomicBool>>,
    /// Nodes that nobody has reserved yet. Relaxed: a sum.
    nodes: Option<AtomicU64>,
    /// Solutions that may still be accepted. Relaxed: a sum.
    solutions: Option<AtomicU64>,
    checks: Option<AtomicU64>,
    /// The run that this is a part of.
    whole: Option<Arc<Control>>,
}

impl Control {
    /// `accepting`: it is for the control to see when there are enough solutions.
    pub(crate) fn new(limits: &Limits, accepting: bool) -> Self {
        Control {
            stop: AtomicU8::new(0),
            deadline: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            interrupt: limits.interrupt.clone(),
            nodes: limits.nodes.map(AtomicU64::new),
            solutions: limits.solutions.filter(|_| accepting).map(AtomicU64::new),
            checks: limits.checks.map(AtomicU64::new),
            whole: None,
        }
    }

    /// For a part of this run that may take this number of nodes. Its nodes are those of the run, and whatever stops the run stops the part.
    pub(crate) fn part(self: &Arc<Self>, nodes: u64) -> Self {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        Control {
            whole: Some(Arc::clone(self)),
            ..Control::new(&limits, false)
        }
    }

    /// Stops the run; the first reason counts.
    pub(crate) fn stop(&self, why: Stop) {
        self.end(why as u8);
    }

    /// Ends the run because its question is answered: there is no [`Control::reason`].
    pub(crate) fn settle(&self) {
        self.end(SETTLED);
    }

    /// Goes on after there were enough solutions, where that was only the first step. Nobody else may look at the control meanwhile.
    pub(crate) fn go_on(&self) {
        // A failure means that something else has stopped it.
        let _ =
            self.stop
                .compare_exchange(Stop::Limit as u8, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn end(&self, how: u8) {
        // A failure means that it has stopped already.
        let _ = self
            .stop
            .compare_exchange(0, how, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Has the run been stopped? Cheap enough for every node.
    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        if let Some(checks) = &self.checks
            && checks
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
                .is_err()
        {
            self.stop(Stop::Interrupt);
        }
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// Why the run has been stopped.
    pub(crate) fn reason(&self) -> Option<Stop> {
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
        .find(|&stop| stop as u8 == self.stop.load(Ordering::Relaxed))
    }

    /// Looks at the clock and at the interrupt flag, and says whether the run has been stopped. Takes some 50 nanoseconds: for every
    /// step that takes a microsecond or more.
    pub(crate) fn poll(&self) -> bool {
        self.look();
        self.stopped()
    }

    /// Looks at the clock and at the interrupt flag: for every now and then.
    pub(crate) fn look(&self) {
        if self
            .interrupt
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            self.stop(Stop::Interrupt);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.stop(Stop::Time);
        }
        if let Some(whole) = self.whole.as_ref().filter(|whole| whole.poll()) {
            // Where the run is answered the part is not.
            self.stop(whole.reason().unwrap_or(Stop::Interrupt));
        }
    }

    /// Reserves up to `want` nodes, fewer when the end is near, so that no task is stopped while another has many to spare; 0 when
    /// there are none left, and then the run is stopped.
    pub(crate) fn reserve_nodes(&self, want: u64) -> u64 {
        let mine = self.reserve_own_nodes(want);
        let Some(whole) = self.whole.as_ref().filter(|_| mine > 0) else {
            return mine;
        };
        let got = whole.reserve_nodes(mine);
        if got == 0 {
            self.stop(Stop::Nodes);
        }
        self.return_own_nodes(mine - got);
        got
    }

    fn reserve_own_nodes(&self, want: u64) -> u64 {
        let Some(nodes) = &self.nodes else {
            return want;
        };
        let share = |left: u64| want.min(left.div_ceil(128));
        let take = |left: u64| Some(left - share(left));
        let left = nodes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .unwrap_or_default();
        if left == 0 {
            self.stop(Stop::Nodes);
        }
        share(left)
    }

    /// Gives reserved nodes back that were not used.
    pub(crate) fn return_nodes(&self, unused: u64) {
        self.return_own_nodes(unused);
        if let Some(whole) = &self.whole {
            whole.return_nodes(unused);
        }
    }

    fn return_own_nodes(&self, unused: u64) {
        if let Some(nodes) = &self.nodes {
            nodes.fetch_add(unused, Ordering::Relaxed);
        }
    }

    /// How many of `found` more solutions may be accepted: all (`None`), or a number, and then the run is stopped.
    pub(crate) fn accept(&self, found: Option<u64>) -> Option<u64> {
        let solutions = self.solutions.as_ref()?;
        let found = found.unwrap_or(u64::MAX);
        let take = |left: u64| Some(left.saturating_sub(found));
        let left = solutions
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .unwrap_or_default();
        if found >= left {
            self.stop(Stop::Limit);
            return Some(left);
        }
        None
    }
}

/// Polls a [`Control`] once for every [`Pace::WORK`] units of work, for loops whose steps are too short to poll at each, and too many
/// to be left alone.
#[derive(Debug)]
pub(crate) struct Pace<'c> {
    control: &'c Control,
    /// Units of work until the next poll.
    left: u64,
    polls: u64,
}

impl<'c> Pace<'c> {
    /// Units of work between two polls. A unit is a few nanoseconds, up to a hundred where memory is waited for.
    pub(crate) const WORK: u64 = 1 << 14;

    pub(crate) fn new(control: &'c Control) -> Self {
        Pace {
            control,
            left: Self::WORK,
            polls: 0,
        }
    }

    /// How often the control has been polled.
    pub(crate) fn polls(&self) -> u64 {
        self.polls
    }

    /// Notes some work; `true` when the run has been stopped.
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
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        Arc::new(Control::new(&limits, false))
    }

    fn all_nodes(control: &Control) -> u64 {
        std::iter::repeat_with(|| control.reserve_nodes(10))
            .take_while(|&got| got > 0)
            .sum()
    }

    #[test]
    fn the_nodes_of_a_part_are_those_of_the_run() {
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
    fn what_stops_the_run_stops_its_part() {
        let run = with_nodes(1000);
        let part = run.part(10);
        part.look();
        assert!(!part.stopped());
        run.stop(Stop::Memory);
        part.look();
        assert_eq!(part.reason(), Some(Stop::Memory));
        // An answered run says nothing of what its part has found.
        let run = with_nodes(1000);
        let part = run.part(10);
        run.settle();
        part.look();
        assert_eq!((run.reason(), part.reason()), (None, Some(Stop::Interrupt)));
    }
}
