//! Resumes a plan selection in another process.
//!
//! Another process resumes the selection from its [`SelectionState`]. An interrupted walk returns to where it was, so its work adds up
//! over all processes. An interrupted sweep has lost its progress, and is not begun a third time: instead, the plan
//! [`Plan::BranchAndSweep`] is added to the round.

use super::state::{InterruptedTrial, SelectionState, with_infinity, without_infinity};
use super::{PlanSelection, ranking};
use crate::count::options::Method;
use crate::count::plan::{Plan, TrialResult};

/// Maximum number of times that a sweep is begun.
const MAX_SWEEP_TRIES: u32 = 2;

impl PlanSelection {
    /// Resumes the selection from the state of an earlier process, if that had the same number of components.
    pub(crate) fn resume(mut self, state: SelectionState) -> Self {
        if state.components == self.components {
            self.resumed = Some(state);
            self.begin_component();
        }
        self
    }

    /// The state from which another process can resume; `None` when there is nothing to resume.
    pub(crate) fn state(&self) -> Option<SelectionState> {
        (!self.is_short() && !self.is_over()).then(|| SelectionState {
            components: self.components,
            component: self.values.len(),
            budget: self.nominal_budget,
            sweep_work: self.sweep_work,
            leader: self.leader,
            todo: self.todo.iter().copied().collect(),
            tried: without_infinity(&self.tried),
            before: without_infinity(&self.before),
            waiting: without_infinity(&self.waiting),
            interrupted: self.interrupted.clone(),
            under_way: (self.under_way.iter())
                .map(|(trial, since)| (trial.plan, *since))
                .collect(),
        })
    }

    /// Restores the state of an earlier process for the current component.
    pub(super) fn restore(&mut self, mut state: SelectionState) {
        // The state comes from a file, in which there could be plans that this count does not offer.
        let mut offered: Vec<Plan> = self.todo.iter().copied().collect();
        offered.push(Plan::BranchAndSweep);
        let is_offered = |plan: Plan| offered.contains(&plan);
        state.keep_plans(is_offered);
        (self.round_work, self.nominal_budget) = (state.budget, state.budget);
        self.sweep_work = state.sweep_work;
        self.leader = state.leader;
        // The sweeps were in the memory of the earlier process.
        for results in [&mut state.tried, &mut state.before, &mut state.waiting] {
            let sweeps = results.iter_mut().filter(|tried| tried.plan.is_sweep());
            sweeps.for_each(|tried| tried.spent = 0);
        }
        self.tried = with_infinity(&state.tried);
        self.before = with_infinity(&state.before);
        let (lost, interrupted): (Vec<InterruptedTrial>, Vec<InterruptedTrial>) =
            state.interrupted.into_iter().partition(|interrupted| {
                interrupted.plan.is_sweep() && interrupted.tries >= MAX_SWEEP_TRIES
            });
        self.todo = state.todo.into();
        let kept = |plan: &Plan| lost.iter().all(|interrupted| interrupted.plan != *plan);
        self.todo.retain(kept);
        // Interrupted trials come first, and among them sweeps, because a process has most time left at its beginning. What is pushed to
        // the front last comes first.
        let (sweeps, walks): (Vec<InterruptedTrial>, Vec<InterruptedTrial>) = interrupted
            .iter()
            .copied()
            .partition(|interrupted| interrupted.plan.is_sweep());
        for interrupted in walks.iter().chain(&sweeps) {
            self.todo.retain(|plan| *plan != interrupted.plan);
            self.todo.push_front(interrupted.plan);
        }
        let is_leader = |tried: &&TrialResult| Some(tried.plan) == self.leading_plan();
        let leader = self.before.iter().find(is_leader);
        self.leader_remaining = leader.map_or(f64::INFINITY, |leader| {
            ranking::leader_remaining(leader, &[])
        });
        self.interrupted = interrupted;
        self.waiting = with_infinity(&state.waiting);
        self.begin_trials();
        let fallback = Plan::BranchAndSweep;
        let is_planned =
            self.todo.contains(&fallback) || self.tried.iter().any(|t| t.plan == fallback);
        if !lost.is_empty() && !is_planned && self.method != Method::Regions {
            self.todo.push_back(fallback);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MIN_TRIAL_NS;
    use super::super::tests::{DOWN, after_round, next, plans, spent};
    use super::*;
    use crate::count::plan::TrialEnd;
    use crate::count::sweep::Direction;
    use crate::count::walk::order::Order;

    /// The selection as another process resumes it.
    fn resumed_in_another_process(selection: &PlanSelection) -> PlanSelection {
        let state = selection.state().expect("it is not over").for_journal(&[]);
        // Without the feature, a state cannot be written.
        #[cfg(feature = "unstable")]
        let state = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
        let selection = PlanSelection::new(
            selection.method,
            selection.components,
            selection.first_budget,
        );
        selection.resume(state)
    }

    #[test]
    fn interrupted_trials_come_first() {
        let mut selection = PlanSelection::new(Method::Auto, 1, 10);
        let first = next(&mut selection).unwrap();
        selection.report(first, spent(f64::INFINITY));
        // The host begins a sweep, and two processes in turn are interrupted during it.
        let sweep = next(&mut selection).unwrap();
        assert!(sweep.plan.is_sweep());
        let mut selection = resumed_in_another_process(&selection);
        let tried = TrialResult {
            plan: first.plan,
            spent: first.budget,
            forecast: f64::INFINITY,
            proved: 0.0,
            is_recent: false,
        };
        assert_eq!(selection.tried, [tried]);
        assert_eq!(next(&mut selection).unwrap().plan, sweep.plan);
        let mut selection = resumed_in_another_process(&selection);
        let left = plans(&mut selection);
        assert!(!left.contains(&sweep.plan) && !left.contains(&first.plan));
        assert!(left.contains(&Plan::BranchAndSweep), "{left:?}");
        assert_eq!(left.len(), Order::ALL.len() + 1);
    }

    #[test]
    fn what_is_left_for_the_leader_is_known_after_an_interruption() {
        let mut selection = after_round(1e10, 1e12, 1e12);
        next(&mut selection).unwrap();
        let remaining = selection.leader_remaining;
        assert_eq!(remaining, selection.before[0].remaining());
        let resumed = resumed_in_another_process(&selection);
        assert_eq!(resumed.leader_remaining, remaining);
        assert_eq!(
            PlanSelection::new(Method::Auto, 1, 10).leader_remaining,
            f64::INFINITY
        );
    }

    /// JSON has no infinity.
    #[test]
    fn a_forecast_of_infinity_is_written_as_a_number_and_read_back() {
        let mut selection = after_round(f64::INFINITY, 1e9, f64::INFINITY);
        selection.waiting = selection.before.clone();
        let state = selection.state().unwrap();
        let written = [&state.tried[..], &state.before, &state.waiting].concat();
        assert!(written.iter().all(|tried| tried.forecast.is_finite()));
        let resumed = resumed_in_another_process(&selection);
        let forecasts = |results: &[TrialResult]| -> Vec<f64> {
            results.iter().map(|tried| tried.forecast).collect()
        };
        assert_eq!(forecasts(&resumed.tried), forecasts(&selection.tried));
        assert_eq!(forecasts(&resumed.before), [1e9, f64::INFINITY]);
        assert_eq!(forecasts(&resumed.waiting), [1e9, f64::INFINITY]);
    }

    #[test]
    fn a_resumed_walk_gets_the_rest_of_its_budget_and_is_ranked_by_its_whole_work() {
        let mut selection = PlanSelection::new(Method::Regions, 1, 10 * MIN_TRIAL_NS);
        let walk = next(&mut selection).unwrap();
        assert_eq!(walk.budget, 10 * MIN_TRIAL_NS);
        let mut state = selection.state().unwrap().for_journal(&[]);
        state.interrupted[0].spent = 6 * MIN_TRIAL_NS;
        let selection = |state: &SelectionState| {
            let selection = PlanSelection::new(Method::Regions, 1, 10 * MIN_TRIAL_NS);
            selection.resume(state.clone())
        };
        let mut resumed = selection(&state);
        let again = next(&mut resumed).unwrap();
        assert_eq!((again.plan, again.budget), (walk.plan, 4 * MIN_TRIAL_NS));
        resumed.report(again, spent(8.0));
        let tried = TrialResult {
            plan: walk.plan,
            spent: walk.budget,
            forecast: 20.0,
            proved: 0.0,
            is_recent: false,
        };
        assert_eq!(resumed.tried, [tried]);
        state.interrupted[0].spent = 60 * MIN_TRIAL_NS;
        assert_eq!(next(&mut selection(&state)).unwrap().budget, MIN_TRIAL_NS);
        // A state with another number of components is ignored.
        let other = PlanSelection::new(Method::Regions, 2, 10 * MIN_TRIAL_NS).resume(state);
        assert!(other.interrupted.is_empty());
    }

    #[test]
    fn orders_behind_a_sweep_continue_when_it_is_lost() {
        let mut selection = after_round(1e15, 1e11, 2e11);
        let sweep = next(&mut selection).unwrap();
        let mut selection = resumed_in_another_process(&selection);
        let again = next(&mut selection).unwrap();
        // What it had done in the earlier process is lost.
        assert!(sweep.earlier_work > 0 && again.earlier_work == 0);
        let work = sweep.earlier_work + sweep.budget;
        assert_eq!((again.plan, again.budget), (DOWN, work));
        let mut selection = resumed_in_another_process(&selection);
        let left = plans(&mut selection);
        let mut walks = Order::ALL[..5].iter().map(|&order| Plan::Branch(order));
        assert!(walks.all(|plan| left.contains(&plan)), "{left:?}");
        assert!(left.contains(&Plan::BranchAndSweep) && left.len() == 6);
        assert_eq!(selection.waiting.len(), 1);
    }

    /// Once, the tree search from a journal counted the whole puzzle as each of its components.
    #[test]
    fn plans_that_are_not_offered_are_not_resumed() {
        let selection = PlanSelection::new(Method::Regions, 2, 10);
        let mut state = selection.state().unwrap();
        let (tree, sweep) = (Plan::Tree, Plan::Sweep(Direction::Down));
        let down = Plan::Branch(Order::Down);
        state.todo = vec![tree, down, sweep, down];
        state.leader = Some((tree, 1));
        let tried = TrialResult {
            plan: tree,
            spent: 1,
            forecast: 1.0,
            proved: 0.0,
            is_recent: false,
        };
        (state.tried, state.before, state.waiting) = (vec![tried], vec![tried], vec![tried]);
        state.interrupted = [tree, sweep, down, down]
            .map(|plan| InterruptedTrial {
                plan,
                spent: u64::MAX,
                tries: u32::MAX,
            })
            .to_vec();
        let mut selection = selection.resume(state);
        assert_eq!(plans(&mut selection), [down]);
        assert!(selection.tried.is_empty() && selection.before.is_empty());
    }

    /// If its trial were still taken for an interrupted one, the work of that one would be counted again in the next round.
    #[test]
    fn a_walk_that_was_reported_is_not_interrupted_any_more() {
        let selection = PlanSelection::new(Method::Regions, 1, 10 * MIN_TRIAL_NS);
        let [first, second] = [Order::Down, Order::Probed].map(Plan::Branch);
        let mut state = selection.state().unwrap();
        state.interrupted = [first, second]
            .map(|plan| InterruptedTrial {
                plan,
                spent: MIN_TRIAL_NS,
                tries: 1,
            })
            .to_vec();
        let mut resumed = selection.resume(state);
        let left = |resumed: &PlanSelection| -> Vec<Plan> {
            resumed.interrupted.iter().map(|trial| trial.plan).collect()
        };
        let trial = next(&mut resumed).unwrap();
        assert_eq!(trial.plan, second);
        // The run is stopped during the trial, so that another process has to resume it.
        resumed.report(trial, TrialEnd::Stopped);
        assert_eq!(left(&resumed), [first, second]);
        resumed.report(trial, spent(1e15));
        assert_eq!(left(&resumed), [first]);
    }
}
