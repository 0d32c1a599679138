//! The probing policy: chooses between searching with and without probing, by measured cost.
//!
//! On most puzzles, probing every node makes nearly every leaf a solution; on loosely constrained ones it decides nothing and costs a
//! hundred times as much as the leaf. Which case holds cannot be told from the puzzle. So both modes are tried in turn, each for a
//! *stretch* of some solutions, and the one with fewer settles per solution is kept. The other is tried again, at intervals that grow as
//! long as it is worse. Costs are measured in settles, never by the clock, so that a run on one thread is reproducible.

/// The mode in use, and the measured cost of both modes. A task inherits the policy of the task that created its first node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbingPolicy {
    is_probing: bool,
    /// Whether the present stretch is a trial of the mode that was not in use before.
    is_trial: bool,
    /// Whether a solution has been found. Nothing is measured before the first one, whose cost says nothing about later ones.
    has_solution: bool,
    /// Settles and solutions of the present stretch.
    settles: u64,
    solutions: u64,
    /// Settles per solution in the latest stretch without probing, and in the latest one with probing.
    costs: [Option<f64>; 2],
    /// Stretches until the next trial, and from one trial to the next.
    stretches_to_trial: u64,
    trial_interval: u64,
    /// Settles of probing since it last decided a cell.
    fruitless_settles: u64,
    /// Settles to probe one node: a running mean.
    probe_cost: u64,
    /// Solutions per stretch.
    stretch_solutions: u64,
    /// Bound beyond which a stretch ends early: with probing on the fruitless settles, without it on the settles per solution.
    max_fruitless_settles: u64,
}

/// Maximum solutions counted for one leaf: a single large bundle says little about the next leaf.
const MAX_SOLUTIONS_PER_LEAF: u64 = 64;

/// Minimum and maximum of stretches between two trials.
const MIN_TRIAL_INTERVAL: u64 = 4;
const MAX_TRIAL_INTERVAL: u64 = 1 << 14;

/// A stretch ends early when it has cost this many times a stretch in the other mode.
const MAX_COST_RATIO: f64 = 4.0;

/// Work without a solution, in mean costs of probing a node, after which the search should go back to an unprobed node and probe it.
const PROBE_COSTS_BEFORE_RETREAT: u64 = 1;

impl ProbingPolicy {
    pub(super) fn new(stretch_solutions: u64, max_fruitless_settles: u64) -> Self {
        ProbingPolicy {
            is_probing: true,
            stretches_to_trial: 1,
            trial_interval: MIN_TRIAL_INTERVAL,
            stretch_solutions,
            max_fruitless_settles,
            ..ProbingPolicy::default()
        }
    }

    /// Whether neither mode has been measured yet.
    pub(super) fn is_unmeasured(&self) -> bool {
        self.costs == [None, None]
    }

    /// Whether the next node should be probed.
    pub(super) fn is_probing(&self) -> bool {
        self.is_probing
    }

    /// Records that probing a node took `settles`, and whether it decided any cell.
    pub(super) fn record_probe(&mut self, settles: u64, decided: bool) {
        self.fruitless_settles += settles;
        if decided {
            self.fruitless_settles = 0;
        }
        self.probe_cost = (3 * self.probe_cost + settles) / 4;
    }

    /// Whether the search does not probe, and its last `settles` found no solution and cost more than probing a node does.
    pub(super) fn should_retreat(&self, settles: u64) -> bool {
        !self.is_probing && settles > PROBE_COSTS_BEFORE_RETREAT * self.probe_cost
    }

    /// Records a finished node: its `settles`, including those of probing, and its number of solutions, 0 for a dead end.
    pub(super) fn record_node(&mut self, settles: u64, solutions: u64) {
        if !self.has_solution && solutions > 0 {
            self.has_solution = true;
            self.settles = 0;
            return;
        }
        self.settles += settles;
        self.solutions += solutions.min(MAX_SOLUTIONS_PER_LEAF);
        let other_cost = self.costs[usize::from(!self.is_probing)];
        let is_too_costly = other_cost.is_some_and(|cost| {
            self.settles as f64 > MAX_COST_RATIO * cost * self.stretch_solutions as f64
        });
        let max_settles = self.max_fruitless_settles;
        let is_fruitless = if self.is_probing {
            self.fruitless_settles > max_settles
        } else {
            self.settles > max_settles.saturating_mul(1 + self.solutions)
        };
        if self.solutions >= self.stretch_solutions || is_too_costly || is_fruitless {
            self.end_stretch(other_cost);
        }
    }

    /// Ends the present stretch, and chooses the mode of the next one. `other_cost` is the cost of the mode not in use, if it was measured.
    fn end_stretch(&mut self, other_cost: Option<f64>) {
        // Without a solution the cost per solution is infinite.
        let cost = match self.solutions {
            0 => f64::INFINITY,
            solutions => self.settles as f64 / solutions as f64,
        };
        self.costs[usize::from(self.is_probing)] = Some(cost);
        let is_worse = other_cost.is_some_and(|other| cost >= other);
        self.stretches_to_trial = self.stretches_to_trial.saturating_sub(1);
        if self.is_trial {
            self.is_trial = false;
            if is_worse {
                // Back to the other mode, for a longer interval.
                self.is_probing = !self.is_probing;
                self.trial_interval = (2 * self.trial_interval).min(MAX_TRIAL_INTERVAL);
                self.max_fruitless_settles = self.max_fruitless_settles.saturating_mul(2);
            } else {
                self.trial_interval = MIN_TRIAL_INTERVAL;
            }
            self.stretches_to_trial = self.trial_interval;
        } else if is_worse
            || self.stretches_to_trial == 0
            || self.is_probing && self.fruitless_settles > self.max_fruitless_settles
        {
            self.is_probing = !self.is_probing;
            self.is_trial = true;
        }
        (self.settles, self.solutions, self.fruitless_settles) = (0, 0, 0);
    }
}
