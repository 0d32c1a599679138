//! Whether probing is worth its while, judged by what it costs.
//!
//! On most puzzles full probing makes nearly every leaf a solution and is worth any price; on loose ones, where everything can be
//! filled in somehow, it decides nothing and costs a hundred times what the leaf does. No look at the puzzle tells which, so both
//! ways are tried by turns, and the one with fewer settles per leaf goes on. The measure is settles and leaves, never the clock: a
//! run on one thread repeats exactly.

/// Probing or not, and the trial that decides it. A task's first node inherits its parent's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habit {
    probing: bool,
    /// Settles and leaves of the present stretch.
    settles: u64,
    leaves: u64,
    /// What a leaf costs with probing, in settles; measured in the latest stretch that had probing.
    cost: Option<f64>,
    /// Settles of probing since it last decided something.
    fruitless: u64,
    /// Leaves that a stretch with the better habit lasts before the other is tried again; doubles each time it proves better.
    term: u64,
    /// Is the present stretch a trial of doing without?
    trial: bool,
    trial_leaves: u64,
    patience: u64,
}

/// The longest stretch between two trials, in leaves.
const LONGEST: u64 = 1 << 20;

/// A trial may cost this many times what probing took for as many leaves before it is broken off.
const GENEROUS: f64 = 4.0;

impl Habit {
    pub(super) fn new(trial_leaves: u64, patience: u64) -> Self {
        Habit {
            probing: true,
            settles: 0,
            leaves: 0,
            cost: None,
            fruitless: 0,
            term: trial_leaves,
            trial: false,
            trial_leaves,
            patience,
        }
    }

    /// Should the next node be probed?
    pub(super) fn probing(&self) -> bool {
        self.probing
    }

    /// Notes that probing a node took `settles` and decided something or nothing.
    pub(super) fn probed(&mut self, settles: u64, decided: bool) {
        self.fruitless = if decided { 0 } else { self.fruitless + settles };
    }

    /// Notes that a node is done with, which took `settles` in all, and whether it was a leaf.
    pub(super) fn node(&mut self, settles: u64, leaf: bool) {
        self.settles += settles;
        self.leaves += u64::from(leaf);
        let stretch = self.settles as f64 / self.leaves.max(1) as f64;
        match (self.probing, self.trial) {
            // Probing: after its term, or when it has been fruitless for long, see how it goes without.
            (true, _) => {
                let over = self.leaves >= self.term;
                if over || self.fruitless > self.patience {
                    self.cost = Some(stretch);
                    self.switch(false, true);
                }
            }
            // A trial of doing without ends when it has enough leaves, or has cost too much for the few it has.
            (false, true) => {
                let cost = self.cost.unwrap_or(f64::INFINITY);
                let spent = self.settles as f64 > GENEROUS * cost * self.trial_leaves as f64
                    || self.settles > self.patience;
                if self.leaves >= self.trial_leaves || spent {
                    let better = self.leaves > 0 && stretch < cost;
                    if better {
                        self.term = self.trial_leaves;
                    } else {
                        self.term = (2 * self.term).min(LONGEST);
                        self.patience = self.patience.saturating_mul(2);
                    }
                    self.switch(!better, false);
                }
            }
            // Doing without is the habit, until leaves become dearer than probing ever made them.
            (false, false) => {
                let window = self.leaves >= self.trial_leaves;
                let dear = self.cost.is_some_and(|cost| {
                    self.settles as f64 > 2.0 * cost * self.trial_leaves as f64
                });
                if dear {
                    self.switch(true, false);
                } else if window {
                    self.settles = 0;
                    self.leaves = 0;
                }
            }
        }
    }

    fn switch(&mut self, probing: bool, trial: bool) {
        self.probing = probing;
        self.trial = trial;
        self.settles = 0;
        self.leaves = 0;
        self.fruitless = 0;
    }
}
