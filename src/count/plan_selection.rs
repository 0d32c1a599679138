//! Selects the plan for each component by trying all plans on the component itself.
//!
//! The method is successive halving. In each round every branching order that is still selected walks the component for a budget of work,
//! and the half with the worse forecasts is dropped ([`ranking`]). The budget grows from round to round, and the last order left counts the
//! component to the end. What the dropped orders have counted stays in the component table.
//!
//! Beside the orders, the frontier is swept in both directions, later in the better one only, as long as the forecast suggests that the
//! sweep can end. If its forecast is much better than that of any order, all threads take part in the sweep.
//!
//! The trials of a round do not depend on the number of threads. In the first rounds all trials but the leader's are for one worker each
//! and run at the same time: what several workers do in several places of a component cannot be compared with what one does from its
//! beginning. The leader's walk, and later every walk, is shared by all workers. A sweep uses the threads that have nothing else to do.
//!
//! Another process can resume the selection from its [`SelectionState`]. An interrupted walk returns to where it was, so its work adds up
//! over all processes. An interrupted sweep has lost its progress, and is not begun a third time: then the component is branched, and
//! components that have become narrow are swept.

use std::collections::VecDeque;
use std::time::Instant;

use super::branch::order::Order;
use super::components::ComponentValue;
use super::frontier::Direction;
use super::options::Method;
use super::plan::{Plan, Trial, TrialEnd, TrialResult};
use super::ranking::{self, CLEAR_BUDGET_NS};
use super::selection_state::{SelectionState, UnfinishedTrial, endless, finite};
use crate::graph::NodeId;
use crate::solutions::Count;

/// Factor by which the budget grows per round, and the minimum that is multiplied by it, in nanoseconds of work.
const BUDGET_GROWTH: u64 = 4;
const MIN_GROWN_BUDGET_NS: u64 = 1_000_000;

/// Up to this number of orders all workers share each trial. From a budget of [`CLEAR_BUDGET_NS`] on they do so with any number.
const MAX_SHARED_ORDERS: usize = 2;

/// Minimum budget of a round in which helpers take over trials, in nanoseconds: building a worker's SAT solver takes a good part of that.
const MIN_HELPER_BUDGET_NS: u64 = 200_000_000;

/// The leading order has at least this multiple of the work of each other plan.
const MIN_LEAD: u64 = 2;

/// In a short selection the last trial is continued if its forecast is less than this, in nanoseconds of work.
const MAX_CONTINUED_FORECAST_NS: f64 = 6e8;

/// The budget of the continued trial, as a multiple of its forecast.
const CONTINUATION_FACTOR: f64 = 2.5;

/// Minimum work, in nanoseconds, of a walk that is resumed after an interruption: less would not show its progress.
const MIN_RESUMED_WALK_NS: u64 = 20_000_000;

/// Maximum number of times that a sweep is begun.
const MAX_SWEEP_TRIES: u32 = 2;

/// What a worker is to do next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next {
    /// Begin this trial.
    Try(Trial),
    /// Join the shared walk that is under way.
    Join,
    /// Ask again after a while.
    Wait,
    /// Leave, because no trial is left for now, or because a sweep needs all threads.
    Leave,
}

/// Selects plans for one component after the other.
#[derive(Debug)]
pub(crate) struct PlanSelection {
    method: Method,
    /// Whether a walk resumes where the previous walk in the same order ended.
    resumes: bool,
    /// Whether the tree search is one of the plans.
    has_tree: bool,
    /// The plans of a short selection; empty otherwise.
    only: &'static [Plan],
    /// Work of a trial in the first round, in nanoseconds.
    first: u64,
    /// The values of the components counted so far, in order.
    done: Vec<ComponentValue>,
    /// Number of components.
    components: usize,
    /// Plans still to be tried in this round.
    todo: VecDeque<Plan>,
    /// Results of this round.
    tried: Vec<TrialResult>,
    /// Results of the previous round.
    before: Vec<TrialResult>,
    /// Branching orders that wait for the outcome of a sweep.
    waiting: Vec<TrialResult>,
    /// Nanoseconds of work of a trial in this round; and the plan that leads the round, with its nanoseconds of work.
    budget: u64,
    favoured: Option<(Plan, u64)>,
    /// Whether the trials of this round, but for the leader's, are for one worker each, so that many orders can be compared.
    compares: bool,
    /// Whether the only plan in this round is a sweep that uses all threads.
    together: bool,
    /// Whether all workers must leave and be started again.
    regroup: bool,
    /// Whether no trial is left for now.
    at_rest: bool,
    /// The selection pauses once each plan has had this work, in nanoseconds.
    until: u64,
    /// The budget that the round has, or would have if several plans were left.
    nominal: u64,
    /// The trials under way, and when each began.
    under_way: Vec<(Trial, Instant)>,
    /// Trials of this round that earlier processes have begun and not ended.
    open: Vec<UnfinishedTrial>,
    /// The state in which an earlier process left the component that it was counting, until that component is reached.
    resumed: Option<SelectionState>,
    /// Whether no more trials may begin.
    halted: bool,
}

impl PlanSelection {
    pub(crate) fn new(method: Method, components: usize, first: u64) -> Self {
        let mut selection = PlanSelection {
            method,
            resumes: true,
            has_tree: false,
            only: &[],
            first,
            done: Vec::with_capacity(components),
            components,
            todo: VecDeque::new(),
            tried: Vec::new(),
            before: Vec::new(),
            waiting: Vec::new(),
            budget: 0,
            favoured: None,
            compares: false,
            together: false,
            regroup: false,
            at_rest: false,
            until: u64::MAX,
            nominal: first,
            under_way: Vec::new(),
            open: Vec::new(),
            resumed: None,
            halted: false,
        };
        selection.begin_component();
        selection
    }

    /// A short selection: each of these plans is tried once, and the selection ends as soon as none of them counts a component. If there
    /// are several plans and the forecast of the last one is short, that trial is continued, up to a multiple of its forecast.
    pub(crate) fn short(components: usize, first: u64, only: &'static [Plan]) -> Self {
        let mut selection = PlanSelection {
            only,
            ..PlanSelection::new(Method::Regions, components, first)
        };
        selection.begin_component();
        selection
    }

    fn is_short(&self) -> bool {
        !self.only.is_empty()
    }

    /// Continues the last trial of a short selection, once, if its forecast is short enough.
    fn continue_last(&mut self) -> bool {
        let (first, several) = (self.first, self.only.len() > 1);
        let soon = |tried: &mut TrialResult| {
            several && tried.spent == first && tried.foreseen < MAX_CONTINUED_FORECAST_NS
        };
        let last = self.tried.pop_if(soon);
        if let Some(last) = last {
            self.favoured = Some((last.plan, (CONTINUATION_FACTOR * last.foreseen) as u64));
            self.todo.push_back(last.plan);
        }
        last.is_some()
    }

    /// The same, but each walk begins at the root of its component.
    pub(crate) fn restarting(self) -> Self {
        PlanSelection {
            resumes: false,
            ..self
        }
    }

    /// The same, with the tree search as one of the plans. There must be exactly one component.
    pub(crate) fn with_tree(self) -> Self {
        debug_assert_eq!(self.components, 1);
        let mut selection = PlanSelection {
            has_tree: true,
            ..self
        };
        selection.begin_component();
        selection
    }

    /// The same, but it pauses once each plan has had `until` nanoseconds of work.
    pub(crate) fn until(self, until: u64) -> Self {
        PlanSelection { until, ..self }
    }

    /// The same, resumed from the state of an earlier process, if that had the same number of components.
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
            component: self.done.len(),
            budget: self.nominal,
            favoured: self.favoured,
            todo: self.todo.iter().copied().collect(),
            tried: finite(&self.tried),
            before: finite(&self.before),
            waiting: finite(&self.waiting),
            open: self.open.clone(),
            running: (self.under_way.iter())
                .map(|(trial, since)| (trial.plan, *since))
                .collect(),
        })
    }

    /// Restores the state of an earlier process for the current component.
    fn restore(&mut self, state: SelectionState) {
        (self.budget, self.nominal) = (state.budget, state.budget);
        self.favoured = state.favoured;
        self.tried = endless(&state.tried);
        self.before = endless(&state.before);
        let (lost, open): (Vec<UnfinishedTrial>, Vec<UnfinishedTrial>) = state
            .open
            .into_iter()
            .partition(|open| open.plan.is_sweep() && open.tries >= MAX_SWEEP_TRIES);
        self.todo = state.todo.into();
        let kept = |plan: &Plan| lost.iter().all(|open| open.plan != *plan);
        self.todo.retain(kept);
        // Interrupted trials come first, and of these the sweeps, as most time is left now.
        let (sweeps, walks): (Vec<UnfinishedTrial>, Vec<UnfinishedTrial>) =
            open.iter().copied().partition(|open| open.plan.is_sweep());
        for open in walks.iter().chain(&sweeps) {
            self.todo.retain(|plan| *plan != open.plan);
            self.todo.push_front(open.plan);
        }
        self.open = open;
        let waiting = endless(&state.waiting);
        if sweeps.is_empty() {
            // The sweep is lost, so the orders that waited for it need not wait any more.
            self.todo.extend(waiting.iter().map(|tried| tried.plan));
        } else {
            self.waiting = waiting;
        }
        self.begin_trials();
        let instead = Plan::BranchAndSweep;
        let there = self.todo.contains(&instead) || self.tried.iter().any(|t| t.plan == instead);
        if !lost.is_empty() && !there && self.method != Method::Regions {
            self.todo.push_back(instead);
        }
    }

    /// Ends a pause: the selection continues until each plan has had `until` nanoseconds of work.
    pub(crate) fn extend(&mut self, until: u64) {
        self.until = until;
        self.under_way.clear();
        self.at_rest = false;
    }

    /// Lets no more trials begin.
    pub(crate) fn halt(&mut self) {
        self.halted = true;
    }

    fn begin_component(&mut self) {
        let sweeps = [Direction::Down, Direction::Right].map(Plan::Sweep);
        let branches = Order::ALL.map(Plan::Branch);
        self.todo = match self.method {
            _ if self.is_short() => self.only.to_vec().into(),
            Method::Regions => branches.into(),
            Method::Frontier => sweeps.into(),
            // Any plan counts most components quickly, so the sweeps can come after the first order.
            _ => [&branches[..1], &sweeps, &branches[1..]].concat().into(),
        };
        if self.has_tree {
            self.todo.push_back(Plan::Tree);
        }
        self.tried.clear();
        self.before.clear();
        self.waiting.clear();
        self.favoured = None;
        self.regroup |= self.together;
        self.together = false;
        (self.budget, self.nominal) = (self.first, self.first);
        self.begin_trials();
        self.under_way.clear();
        self.open.clear();
        let component = self.done.len();
        let here = |state: &mut SelectionState| state.component == component;
        if let Some(state) = self.resumed.take_if(here) {
            self.restore(state);
        }
    }

    /// Prepares the trials of a round whose plans are in `todo`.
    fn begin_trials(&mut self) {
        let orders = self.todo.iter().filter(|plan| !plan.is_sweep()).count();
        self.compares =
            !self.is_short() && orders > MAX_SHARED_ORDERS && self.budget < CLEAR_BUDGET_NS;
    }

    /// What the host does next.
    pub(crate) fn next(&mut self) -> Next {
        let next = self.choose();
        self.at_rest = matches!(next, Next::Leave);
        next
    }

    fn choose(&mut self) -> Next {
        if self.done.len() == self.components || self.regroup || self.halted {
            return Next::Leave;
        }
        if self.todo.is_empty() {
            match self.is_short() {
                // A round is ranked when all its trials have ended.
                _ if !self.under_way.is_empty() => return Next::Wait,
                true if self.continue_last() => {}
                true => return Next::Leave,
                false if self.budget >= self.until && !self.tried.is_empty() => return Next::Leave,
                false => self.begin_round(),
            }
        }
        match self.todo.pop_front() {
            Some(plan) => Next::Try(self.begin(plan)),
            None => Next::Leave,
        }
    }

    /// What a helper does next.
    pub(crate) fn next_for_helper(&mut self) -> Next {
        let is_over = self.at_rest || self.done.len() == self.components;
        // A sweep on all threads takes them from the rayon pool, so helpers must leave.
        if is_over || self.together && !self.under_way.is_empty() {
            return Next::Leave;
        }
        let is_walk = |plan: Plan| !plan.is_sweep() && plan != Plan::Tree;
        let shared = |(trial, _): &(Trial, Instant)| is_walk(trial.plan) && !trial.is_solo;
        if self.under_way.iter().any(shared) {
            return Next::Join;
        }
        let favoured = self.favoured.map(|(leader, _)| leader);
        let alone = |&plan: &Plan| is_walk(plan) && favoured != Some(plan);
        let place = self.todo.iter().position(alone);
        let begins = self.compares && self.budget >= MIN_HELPER_BUDGET_NS;
        match place.filter(|_| begins && !self.halted && !self.regroup) {
            Some(place) => {
                let plan = self
                    .todo
                    .remove(place)
                    .expect("the position was just found");
                Next::Try(self.begin(plan))
            }
            None => Next::Wait,
        }
    }

    /// Begins the trial of this plan in this round.
    fn begin(&mut self, plan: Plan) -> Trial {
        let walk = |open: &&UnfinishedTrial| open.plan == plan && !plan.is_sweep();
        let cut_short = self.open.iter().find(walk).map_or(0, |open| open.spent);
        let before = self.before.iter().find(|tried| tried.plan == plan);
        let before = before.map_or(0, |tried| tried.spent);
        let resumes = self.resumes && !plan.is_sweep();
        let had = cut_short + if resumes { before } else { 0 };
        // A walk that starts over must get further than in the previous round, also if the plan led that round.
        let further = if resumes { 0 } else { 2 * before };
        let favoured = self.favoured.filter(|(leader, _)| *leader == plan);
        let whole = favoured.map_or(self.budget.max(further), |(_, whole)| whole);
        let trial = Trial {
            component: self.done.len(),
            plan,
            budget: (whole.saturating_sub(had)).max(MIN_RESUMED_WALK_NS.min(self.budget)),
            earlier_work: had,
            thorough: !self.is_short(),
            // What several workers do in several places cannot be compared with what one does from the beginning.
            is_solo: self.compares && favoured.is_none(),
        };
        self.under_way.push((trial, Instant::now()));
        trial
    }

    /// Drops the plans with the worst results, and begins the next round with the others.
    fn begin_round(&mut self) {
        let tried = std::mem::take(&mut self.tried);
        let (sweeps, orders): (Vec<TrialResult>, Vec<TrialResult>) =
            tried.into_iter().partition(|tried| tried.plan.is_sweep());
        let (mut orders, best) = ranking::best_of(orders, &self.before, self.budget);
        orders.append(&mut self.waiting);
        let (sweeps, together) = ranking::best_sweeps(sweeps, best, self.budget);
        self.together = together;
        self.before.clone_from(&orders);
        let lead = ranking::lead_of(&orders);
        if self.together {
            self.waiting = std::mem::take(&mut orders);
        }
        let plans = orders.iter().chain(&sweeps).map(|tried| tried.plan);
        self.todo = plans.collect();
        if self.todo.is_empty() {
            self.todo.push_back(Plan::BranchAndSweep);
        }
        self.open.clear();
        self.nominal = self
            .nominal
            .max(MIN_GROWN_BUDGET_NS)
            .saturating_mul(BUDGET_GROWTH);
        self.budget = match self.todo.len() {
            1 if self.together => u64::MAX,
            1 => self.until,
            _ => self
                .budget
                .max(MIN_GROWN_BUDGET_NS)
                .saturating_mul(BUDGET_GROWTH),
        };
        // The leader has as much work as all others together, or a multiple of that.
        let others = (lead * (self.todo.len() as u64).saturating_sub(1)).max(MIN_LEAD);
        let leads = !self.together && self.todo.len() > 1 && !self.todo[0].is_sweep();
        let whole = self.budget.saturating_mul(others).min(self.until);
        self.favoured = leads.then(|| (self.todo[0], whole));
        self.begin_trials();
    }

    /// Records how a trial ended, and returns the index of the component to be counted now. Trials of components that have been counted
    /// meanwhile are ignored.
    pub(crate) fn report(&mut self, trial: Trial, ended: TrialEnd) -> usize {
        if trial.component != self.done.len() {
            return self.done.len();
        }
        if !matches!(ended, TrialEnd::Stopped) {
            (self.under_way).retain(|(under_way, _)| under_way.plan != trial.plan);
            self.open.retain(|open| open.plan != trial.plan);
        }
        // The share that the walk has done includes the work of earlier trials.
        let spent = trial.earlier_work.saturating_add(trial.budget);
        let whole = spent as f64 / trial.budget as f64;
        match ended {
            TrialEnd::Done(value) => {
                self.done.push(value);
                self.begin_component();
            }
            TrialEnd::Spent { foreseen, proved } => self.tried.push(TrialResult {
                plan: trial.plan,
                spent,
                foreseen: foreseen * whole,
                proved,
            }),
            TrialEnd::Full if self.together => {
                // The helpers that left for the sweep are needed again.
                self.together = false;
                self.regroup = true;
            }
            TrialEnd::Full | TrialEnd::Stopped => {}
        }
        self.done.len()
    }

    /// Whether all workers must be started again; resets that request.
    pub(crate) fn regroup(&mut self) -> bool {
        std::mem::take(&mut self.regroup)
    }

    /// The product of the components counted so far, and the number of the others.
    pub(crate) fn result(&self) -> (Count, usize) {
        let mut product = Count::ONE;
        self.done.iter().for_each(|value| product *= &value.count);
        (product, self.components - self.done.len())
    }

    /// Whether the number of solutions is known.
    pub(crate) fn is_over(&self) -> bool {
        self.is_void() || self.done.len() == self.components
    }

    /// Whether a component is known to have no solution.
    pub(crate) fn is_void(&self) -> bool {
        self.done.iter().any(|value| value.count.is_zero())
    }

    /// The graph nodes of all components; `None` when one has no solution.
    pub(crate) fn nodes(&self) -> Option<Vec<NodeId>> {
        self.done.iter().map(|value| value.node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The selection as another process resumes it.
    fn resumed_in_another_process(selection: &PlanSelection) -> PlanSelection {
        let state = selection.state().expect("it is not over").settled();
        let text = serde_json::to_string(&state).unwrap();
        let selection = PlanSelection::new(selection.method, selection.components, selection.first);
        selection.resume(serde_json::from_str(&text).unwrap())
    }

    fn next(selection: &mut PlanSelection) -> Option<Trial> {
        match selection.next() {
            Next::Try(trial) => Some(trial),
            _ => None,
        }
    }

    fn spent(foreseen: f64) -> TrialEnd {
        TrialEnd::Spent {
            foreseen,
            proved: 0.0,
        }
    }

    fn plans(selection: &mut PlanSelection) -> Vec<Plan> {
        let first = next(selection).map(|trial| trial.plan);
        first
            .into_iter()
            .chain(selection.todo.iter().copied())
            .collect()
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
            foreseen: f64::INFINITY,
            proved: 0.0,
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
    fn helpers_take_trials_for_one_worker_and_join_the_leader() {
        let mut selection = PlanSelection::new(Method::Auto, 2, MIN_HELPER_BUDGET_NS);
        let host = next(&mut selection).unwrap();
        let Next::Try(helper) = selection.next_for_helper() else {
            panic!("there are walks for one worker");
        };
        assert!(host.is_solo && helper.is_solo && !helper.plan.is_sweep());
        assert_ne!(host.plan, helper.plan);
        // The round is ranked when the helper's trial has ended.
        selection.report(host, spent(1e9));
        while let Some(trial) = next(&mut selection) {
            selection.report(trial, spent(1e9));
        }
        assert!(matches!(selection.next(), Next::Wait));
        assert!(matches!(selection.next_for_helper(), Next::Wait));
        selection.report(helper, spent(1e9));
        let leader = next(&mut selection).unwrap();
        assert!(!leader.is_solo && matches!(selection.next_for_helper(), Next::Join));
        selection.report(leader, spent(1e9));
        // When one trial has counted the component, the results of the others are ignored.
        let host = next(&mut selection).unwrap();
        let Next::Try(helper) = selection.next_for_helper() else {
            panic!("there are walks for one worker");
        };
        let two = ComponentValue::number(Count::from(2));
        assert_eq!(selection.report(helper, TrialEnd::Done(two)), 1);
        assert_eq!(
            selection.report(host, TrialEnd::Done(ComponentValue::number(Count::from(3)))),
            1
        );
        let (product, open) = selection.result();
        assert_eq!((product, open), (Count::from(2), 1));
    }

    #[test]
    fn a_resumed_walk_gets_the_rest_of_its_budget_and_is_ranked_by_its_whole_work() {
        let mut selection = PlanSelection::new(Method::Regions, 1, 10 * MIN_RESUMED_WALK_NS);
        let walk = next(&mut selection).unwrap();
        assert_eq!(walk.budget, 10 * MIN_RESUMED_WALK_NS);
        let mut state = selection.state().unwrap().settled();
        state.open[0].spent = 6 * MIN_RESUMED_WALK_NS;
        let selection = |state: &SelectionState| {
            let selection = PlanSelection::new(Method::Regions, 1, 10 * MIN_RESUMED_WALK_NS);
            selection.resume(state.clone())
        };
        let mut resumed = selection(&state);
        let again = next(&mut resumed).unwrap();
        assert_eq!(
            (again.plan, again.budget),
            (walk.plan, 4 * MIN_RESUMED_WALK_NS)
        );
        resumed.report(again, spent(8.0));
        let tried = TrialResult {
            plan: walk.plan,
            spent: walk.budget,
            foreseen: 20.0,
            proved: 0.0,
        };
        assert_eq!(resumed.tried, [tried]);
        state.open[0].spent = 60 * MIN_RESUMED_WALK_NS;
        assert_eq!(
            next(&mut selection(&state)).unwrap().budget,
            MIN_RESUMED_WALK_NS
        );
        // A state with another number of components is ignored.
        let other = PlanSelection::new(Method::Regions, 2, 10 * MIN_RESUMED_WALK_NS).resume(state);
        assert!(other.open.is_empty());
    }

    #[test]
    fn orders_that_waited_for_a_sweep_continue_when_it_is_lost() {
        let mut selection = PlanSelection::new(Method::Auto, 1, CLEAR_BUDGET_NS);
        let sweep = Plan::Sweep(Direction::Down);
        let tried = |plan: Plan, foreseen: f64| TrialResult {
            plan,
            spent: CLEAR_BUDGET_NS,
            foreseen,
            proved: 0.0,
        };
        let orders = Order::ALL.map(|order| tried(Plan::Branch(order), 1e30));
        selection.todo.clear();
        selection.tried = orders.into_iter().chain([tried(sweep, 1e9)]).collect();
        let trial = next(&mut selection).unwrap();
        assert_eq!((trial.plan, trial.budget), (sweep, u64::MAX));
        let mut selection = resumed_in_another_process(&selection);
        let trial = next(&mut selection).unwrap();
        assert_eq!(trial.plan, sweep);
        assert!(trial.budget < u64::MAX);
        let mut selection = resumed_in_another_process(&selection);
        let left = plans(&mut selection);
        let walks: Vec<Plan> = orders[..5].iter().map(|tried| tried.plan).collect();
        assert!(walks.iter().all(|plan| left.contains(plan)), "{left:?}");
        assert!(left.contains(&Plan::BranchAndSweep) && left.len() == 6);
        assert!(selection.budget < u64::MAX);
    }
}
