//! Whether probing is worth its while, judged by what it costs.
//!
//! On most puzzles full probing makes nearly every leaf a solution and is worth any price; on loose ones, where everything can be
//! filled in somehow, it decides nothing and costs a hundred times what the leaf does. No look at the puzzle tells which, so both
//! ways are tried by turns, a stretch of some solutions each, and the one that takes fewer settles per solution goes on. The other
//! is looked at again ever more rarely while it stays the worse one. The measure is settles, never the clock: a run on one thread
//! repeats exactly.

/// Probing or not, and what each has cost. A task's first node inherits its parent's.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbingPolicy {
    probing: bool,
    /// Is the present stretch a look at the other way?
    trial: bool,
    /// The way down to the first solution says nothing of what the next ones cost: nothing is measured before it.
    begun: bool,
    /// Settles and solutions of the present stretch.
    settles: u64,
    solutions: u64,
    /// Settles per solution in the latest stretch without probing, and with it.
    costs: [Option<f64>; 2],
    /// Stretches until the next trial, and how many there are from one trial to the next.
    left: u64,
    interval: u64,
    /// Settles of probing since it last decided something.
    fruitless: u64,
    /// What probing a node costs, in settles: a running mean.
    probe_cost: u64,
    /// Solutions that make a stretch.
    stretch: u64,
    /// Settles after which probing that decides nothing is broken off, and for each solution searching without it.
    patience: u64,
}

/// The most solutions that a leaf counts for: a single large bundle says little of what the next leaf will be.
const MOST: u64 = 64;

/// The fewest and the most stretches between two trials.
const INTERVALS: (u64, u64) = (4, 1 << 14);

/// A stretch may cost this many times what the other way took before it is broken off.
const GENEROUS: f64 = 4.0;

/// Probes of a node that may be spent on dead ends before it is probed after all.
const LOST: u64 = 1;

impl ProbingPolicy {
    pub(super) fn new(stretch: u64, patience: u64) -> Self {
        ProbingPolicy {
            probing: true,
            trial: false,
            begun: false,
            settles: 0,
            solutions: 0,
            costs: [None, None],
            left: 1,
            interval: INTERVALS.0,
            fruitless: 0,
            probe_cost: 0,
            stretch,
            patience,
        }
    }

    /// Has nothing been measured yet?
    pub(super) fn is_green(&self) -> bool {
        self.costs == [None, None]
    }

    /// Should the next node be probed?
    pub(super) fn probing(&self) -> bool {
        self.probing
    }

    /// Notes that probing a node took `settles` and decided something or nothing.
    pub(super) fn probed(&mut self, settles: u64, decided: bool) {
        self.fruitless = if decided { 0 } else { self.fruitless + settles };
        self.probe_cost = (3 * self.probe_cost + settles) / 4;
    }

    /// Has searching without probing gone on for so long without a solution, `settles`, that probing would have been cheaper?
    pub(super) fn is_lost(&self, settles: u64) -> bool {
        !self.probing && settles > LOST * self.probe_cost
    }

    /// Notes that a node is done with, which took `settles` in all, and how many solutions it was worth: 0 for a dead end.
    pub(super) fn node(&mut self, settles: u64, solutions: u64) {
        if !self.begun && solutions > 0 {
            self.begun = true;
            self.settles = 0;
            return;
        }
        self.settles += settles;
        self.solutions += solutions.min(MOST);
        let other = self.costs[usize::from(!self.probing)];
        let dear = match other {
            Some(cost) => self.settles as f64 > GENEROUS * cost * self.stretch as f64,
            None => false,
        };
        let fruitless = match self.probing {
            true => self.fruitless > self.patience,
            false => self.settles > self.patience.saturating_mul(1 + self.solutions),
        };
        if self.solutions >= self.stretch || dear || fruitless {
            self.end_stretch(other);
        }
    }

    fn end_stretch(&mut self, other: Option<f64>) {
        // Without a solution there is no price, and none is too high.
        let cost = match self.solutions {
            0 => f64::INFINITY,
            solutions => self.settles as f64 / solutions as f64,
        };
        self.costs[usize::from(self.probing)] = Some(cost);
        let worse = other.is_some_and(|other| cost >= other);
        self.left = self.left.saturating_sub(1);
        if self.trial {
            self.trial = false;
            if worse {
                // As before, and for longer.
                self.probing = !self.probing;
                self.interval = (2 * self.interval).min(INTERVALS.1);
                self.patience = self.patience.saturating_mul(2);
            } else {
                self.interval = INTERVALS.0;
            }
            self.left = self.interval;
        } else if worse || self.left == 0 || self.probing && self.fruitless > self.patience {
            self.probing = !self.probing;
            self.trial = true;
        }
        self.settles = 0;
        self.solutions = 0;
        self.fruitless = 0;
    }
}
