//! The state of plan selection, for another process that resumes it.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::count::plan::{Plan, TrialResult};

/// The state of plan selection for one component.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) struct SelectionState {
    /// Number of components, and the index of the one that is being counted.
    pub(crate) components: usize,
    pub(crate) component: usize,
    /// Nanoseconds of work of a trial in this round.
    pub(crate) budget: u64,
    /// The same for a sweep.
    pub(crate) sweep_work: u64,
    /// The plan that leads this round, and its nanoseconds of work.
    pub(crate) leader: Option<(Plan, u64)>,
    /// Plans to be tried in this round, and those that have been tried.
    pub(crate) todo: Vec<Plan>,
    pub(crate) tried: Vec<TrialResult>,
    /// Plans tried in the round before.
    pub(crate) before: Vec<TrialResult>,
    /// The sweep in the other direction, while one sweep is due.
    pub(crate) waiting: Vec<TrialResult>,
    /// Trials of this round that earlier processes have begun and not ended.
    pub(crate) interrupted: Vec<InterruptedTrial>,
    /// The plans of the trials under way, and when each trial began.
    #[cfg_attr(feature = "unstable", serde(skip))]
    pub(crate) under_way: Vec<(Plan, Instant)>,
}

impl SelectionState {
    /// Removes the plans for which `is_kept` returns `false`, and of several entries of a plan all but the first.
    pub(crate) fn keep_plans(&mut self, is_kept: impl Fn(Plan) -> bool) {
        fn keep<T>(
            entries: &mut Vec<T>,
            plan: impl Fn(&T) -> Plan,
            is_kept: impl Fn(Plan) -> bool,
        ) {
            let mut seen = Vec::new();
            entries.retain(|entry| {
                let plan = plan(entry);
                let is_new = is_kept(plan) && !seen.contains(&plan);
                if is_new {
                    seen.push(plan);
                }
                is_new
            });
        }
        self.leader = self.leader.filter(|&(plan, _)| is_kept(plan));
        keep(&mut self.todo, |&plan| plan, &is_kept);
        for results in [&mut self.tried, &mut self.before, &mut self.waiting] {
            keep(results, |result| result.plan, &is_kept);
        }
        keep(&mut self.interrupted, |trial| trial.plan, &is_kept);
    }
}

/// A trial that was interrupted.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) struct InterruptedTrial {
    pub(crate) plan: Plan,
    /// Nanoseconds that it has run: in all tries together, but for a sweep in the longest one, as each try of a sweep starts afresh.
    pub(crate) spent: u64,
    /// Number of times that it was begun.
    pub(crate) tries: u32,
}

/// Stands for infinity, which JSON cannot represent; greater than any forecast in nanoseconds.
const INFINITY_IN_JSON: f64 = 1e300;

/// Replaces infinity by a number that JSON can represent.
pub(crate) fn without_infinity(tried: &[TrialResult]) -> Vec<TrialResult> {
    let finite = |&tried: &TrialResult| TrialResult {
        forecast: tried.forecast.min(INFINITY_IN_JSON),
        ..tried
    };
    tried.iter().map(finite).collect()
}

/// The inverse of [`without_infinity`].
pub(crate) fn with_infinity(tried: &[TrialResult]) -> Vec<TrialResult> {
    let with_infinity = |&tried: &TrialResult| TrialResult {
        forecast: match tried.forecast < INFINITY_IN_JSON {
            true => tried.forecast,
            false => f64::INFINITY,
        },
        ..tried
    };
    tried.iter().map(with_infinity).collect()
}

impl SelectionState {
    /// A copy for the journal: what the trials under way have spent until now is added to `interrupted`. That is the work of a walk if
    /// `walk_work` has its plan, else the time since the trial began.
    pub(crate) fn for_journal(&self, walk_work: &[(Plan, u64)]) -> SelectionState {
        let mut state = self.clone();
        for (plan, since) in std::mem::take(&mut state.under_way) {
            let work = walk_work.iter().find(|(walked, _)| *walked == plan);
            let spent = match work {
                Some(&(_, work)) => work,
                None => u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX),
            };
            let place = state
                .interrupted
                .iter()
                .position(|interrupted| interrupted.plan == plan);
            let place = place.unwrap_or_else(|| {
                state.interrupted.push(InterruptedTrial {
                    plan,
                    spent: 0,
                    tries: 0,
                });
                state.interrupted.len() - 1
            });
            let interrupted = &mut state.interrupted[place];
            interrupted.tries = interrupted.tries.saturating_add(1);
            interrupted.spent = match plan.is_sweep() {
                true => interrupted.spent.max(spent),
                false => interrupted.spent.saturating_add(spent),
            };
        }
        state
    }
}
