//! How a part is counted best: all ways are tried on the part itself.
//!
//! In rounds (successive halving). In each, every order of branching that is still in it walks the part for some work, and the half with
//! the worse forecasts drops out (`judge`); the next round gives more, and the last one left goes to the end. What the losers
//! have counted stays in the component table.
//!
//! Beside the orders the frontier is swept both ways, then the better one, as long as it looks as if it could end; where it looks much
//! better than any order, all threads sweep together.
//!
//! On several threads the trials of a round are the same. In the first rounds all but the leader's are for one worker each, side by side:
//! what several workers do at several ends of a component cannot be compared with what one does from its beginning. The leader's walk, and
//! later every walk, is shared by all workers. A sweep uses the threads that have nothing else to do.
//!
//! A contest can be gone on with in another process, as its [`SelectionState`] says. A walk in some order that was cut short comes back to
//! where it was, so that its time is added up over all processes; a sweep that was cut short has nothing left, and is not begun
//! a third time: then the part is branched and what has become narrow is swept.

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

/// How many times more work than the last each round has, which had this much at least.
const BUDGET_GROWTH: u64 = 4;
const MIN_GROWN_BUDGET_NS: u64 = 1_000_000;

/// With this number of orders left, or fewer, all workers take part in each trial; and from [`CLEAR_BUDGET_NS`] on with any number.
const MAX_SHARED_ORDERS: usize = 2;

/// Work of each plan in a round, in nanoseconds, from which on helpers take over trials: in less a worker's solver is hardly built.
const MIN_HELPER_BUDGET_NS: u64 = 200_000_000;

/// The order that leads is given at least this number of times the work of each other one.
const MIN_LEAD: u64 = 2;

/// In a short contest the last trial goes on if its forecast is less than this many nanoseconds of work.
const MAX_CONTINUED_FORECAST_NS: f64 = 6e8;

/// It is then given its forecast times this factor.
const CONTINUATION_FACTOR: f64 = 2.5;

/// Least work, in nanoseconds, of a walk that an earlier process had to break off: less would not show how far it gets.
const MIN_RESUMED_WALK_NS: u64 = 20_000_000;

/// How often a sweep is begun before it is given up.
const MAX_SWEEP_TRIES: u32 = 2;

/// What a worker is to do next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next {
    /// Begin this trial.
    Try(Trial),
    /// Join the walk that the host has begun.
    Join,
    /// Ask again after a while.
    Wait,
    /// Leave, as no trial is left for now, or as a sweep needs all threads.
    Leave,
}

/// The contest for one part after the other.
#[derive(Debug)]
pub(crate) struct PlanSelection {
    method: Method,
    /// Does a walk in some order go on where the one before it in the same order has ended?
    resumes: bool,
    /// Is the tree search one of the plans?
    has_tree: bool,
    /// The only trials that there are, where it is over when they are.
    only: &'static [Plan],
    /// Work of a trial in the first round, in nanoseconds.
    first: u64,
    /// What each part is worth that is done, in order.
    done: Vec<ComponentValue>,
    /// How many parts there are.
    components: usize,
    /// Ways to be tried in this round.
    todo: VecDeque<Plan>,
    /// What was tried in this round.
    tried: Vec<TrialResult>,
    /// The same of the round before.
    before: Vec<TrialResult>,
    /// Orders that wait for the outcome of a sweep.
    waiting: Vec<TrialResult>,
    /// Nanoseconds of work of a trial in this round; and the order that leads it, with its work.
    budget: u64,
    favoured: Option<(Plan, u64)>,
    /// Are there many ways in this round, which are compared by what one worker does?
    compares: bool,
    /// Is the one way left a sweep, for which all threads are wanted?
    together: bool,
    /// Are all workers to come anew?
    regroup: bool,
    /// Is there nothing left to try, for now?
    at_rest: bool,
    /// Where all this work of each way has not sufficed the contest is over, for the time being.
    until: u64,
    /// The budget that the round has, or would have if there were several ways left.
    nominal: u64,
    /// The trial that is under way, since when.
    under_way: Vec<(Trial, Instant)>,
    /// Trials of this round that an earlier process has not ended.
    open: Vec<UnfinishedTrial>,
    /// How an earlier process left the part that it was at.
    resumed: Option<SelectionState>,
    /// Is nothing more to be done?
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

    /// One in which each of these plans is tried once, and that is over as soon as a part is counted by none of them. The last of several
    /// goes on, if it looks as if it was soon done, until it has taken a good deal more than that.
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

    /// Goes on with the last trial of a short contest, once, if it looks as if that was worth it.
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

    /// The same, where each walk begins anew.
    pub(crate) fn restarting(self) -> Self {
        PlanSelection {
            resumes: false,
            ..self
        }
    }

    /// The same, with the tree search as one of the plans. There must be one part alone.
    pub(crate) fn with_tree(self) -> Self {
        debug_assert_eq!(self.components, 1);
        let mut selection = PlanSelection {
            has_tree: true,
            ..self
        };
        selection.begin_component();
        selection
    }

    /// The same, to be broken off where `until` nanoseconds of work of each way do not suffice.
    pub(crate) fn until(self, until: u64) -> Self {
        PlanSelection { until, ..self }
    }

    /// The same, gone on with as an earlier process has left it, if that had the same parts.
    pub(crate) fn resume(mut self, state: SelectionState) -> Self {
        if state.components == self.components {
            self.resumed = Some(state);
            self.begin_component();
        }
        self
    }

    /// How it stands; `None` where there is nothing to go on with.
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

    /// Takes up the part at hand where an earlier process has left it.
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
        // What was under way comes first, and of that the sweeps, while there is most time for them.
        let (sweeps, walks): (Vec<UnfinishedTrial>, Vec<UnfinishedTrial>) =
            open.iter().copied().partition(|open| open.plan.is_sweep());
        for open in walks.iter().chain(&sweeps) {
            self.todo.retain(|plan| *plan != open.plan);
            self.todo.push_front(open.plan);
        }
        self.open = open;
        let waiting = endless(&state.waiting);
        if sweeps.is_empty() {
            // Those that waited for a sweep need not any more.
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

    /// Goes on after it was broken off, until each way has had `until` nanoseconds of work.
    pub(crate) fn extend(&mut self, until: u64) {
        self.until = until;
        self.under_way.clear();
        self.at_rest = false;
    }

    /// Gives nobody anything to do any more.
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
            // Most parts are soon counted by anything.
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

    /// The ways of a round are known.
    fn begin_trials(&mut self) {
        let orders = self.todo.iter().filter(|plan| !plan.is_sweep()).count();
        self.compares =
            !self.is_short() && orders > MAX_SHARED_ORDERS && self.budget < CLEAR_BUDGET_NS;
    }

    /// What the host is to do next.
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
                // A round is judged when all its trials have ended.
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

    /// What a helper is to do next.
    pub(crate) fn next_for_helper(&mut self) -> Next {
        let is_over = self.at_rest || self.done.len() == self.components;
        // A sweep that all threads are wanted for takes them from rayon.
        if is_over || self.together && !self.under_way.is_empty() {
            return Next::Leave;
        }
        let is_walk = |plan: Plan| !plan.is_sweep() && plan != Plan::Tree;
        let shared = |(trial, _): &(Trial, Instant)| is_walk(trial.plan) && !trial.alone;
        if self.under_way.iter().any(shared) {
            return Next::Join;
        }
        let favoured = self.favoured.map(|(leader, _)| leader);
        let alone = |&plan: &Plan| is_walk(plan) && favoured != Some(plan);
        let place = self.todo.iter().position(alone);
        let begins = self.compares && self.budget >= MIN_HELPER_BUDGET_NS;
        match place.filter(|_| begins && !self.halted && !self.regroup) {
            Some(place) => {
                let plan = self.todo.remove(place).expect("it was found there");
                Next::Try(self.begin(plan))
            }
            None => Next::Wait,
        }
    }

    /// The trial of this plan in this round, which begins now.
    fn begin(&mut self, plan: Plan) -> Trial {
        let walk = |open: &&UnfinishedTrial| open.plan == plan && !plan.is_sweep();
        let cut_short = self.open.iter().find(walk).map_or(0, |open| open.spent);
        let before = self.before.iter().find(|tried| tried.plan == plan);
        let before = before.map_or(0, |tried| tried.spent);
        let resumes = self.resumes && !plan.is_sweep();
        let had = cut_short + if resumes { before } else { 0 };
        // One that led in the round before has to get further than it was.
        let further = if resumes { 0 } else { 2 * before };
        let favoured = self.favoured.filter(|(leader, _)| *leader == plan);
        let whole = favoured.map_or(self.budget.max(further), |(_, whole)| whole);
        let trial = Trial {
            component: self.done.len(),
            plan,
            budget: (whole.saturating_sub(had)).max(MIN_RESUMED_WALK_NS.min(self.budget)),
            had,
            thorough: !self.is_short(),
            // What several workers do at several ends is not to be compared with what one does from the beginning.
            alone: self.compares && favoured.is_none(),
        };
        self.under_way.push((trial, Instant::now()));
        trial
    }

    /// Chooses what is still in it.
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
        // The first one has as much as all others together, or several times that.
        let others = (lead * (self.todo.len() as u64).saturating_sub(1)).max(MIN_LEAD);
        let leads = !self.together && self.todo.len() > 1 && !self.todo[0].is_sweep();
        let whole = self.budget.saturating_mul(others).min(self.until);
        self.favoured = leads.then(|| (self.todo[0], whole));
        self.begin_trials();
    }

    /// Takes in how a trial ended, and returns the index of the component to be counted now. A trial of a component that another worker
    /// has counted meanwhile says nothing.
    pub(crate) fn report(&mut self, trial: Trial, ended: TrialEnd) -> usize {
        if trial.component != self.done.len() {
            return self.done.len();
        }
        if !matches!(ended, TrialEnd::Stopped) {
            (self.under_way).retain(|(under_way, _)| under_way.plan != trial.plan);
            self.open.retain(|open| open.plan != trial.plan);
        }
        // The share that the walk has come to took the work of earlier trials too.
        let spent = trial.had.saturating_add(trial.budget);
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
                // Those that went home are wanted again.
                self.together = false;
                self.regroup = true;
            }
            TrialEnd::Full | TrialEnd::Stopped => {}
        }
        self.done.len()
    }

    /// Lets all workers come anew, if they are wanted.
    pub(crate) fn regroup(&mut self) -> bool {
        std::mem::take(&mut self.regroup)
    }

    /// The product of the parts that are done, and how many are not.
    pub(crate) fn result(&self) -> (Count, usize) {
        let mut product = Count::ONE;
        self.done.iter().for_each(|value| product *= &value.count);
        (product, self.components - self.done.len())
    }

    /// Is all counted?
    pub(crate) fn is_over(&self) -> bool {
        self.is_void() || self.done.len() == self.components
    }

    /// Is it clear that there is no solution?
    pub(crate) fn is_void(&self) -> bool {
        self.done.iter().any(|value| value.count.is_zero())
    }

    /// The nodes of all parts; `None` when one has no solution.
    pub(crate) fn nodes(&self) -> Option<Vec<NodeId>> {
        self.done.iter().map(|value| value.node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contest for one part that another process goes on with.
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
    fn what_was_under_way_comes_first() {
        let mut selection = PlanSelection::new(Method::Auto, 1, 10);
        let first = next(&mut selection).unwrap();
        selection.report(first, spent(f64::INFINITY));
        // On one thread, a sweep; it is cut short, and so is the next process.
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
    fn helpers_try_what_is_for_one_worker_and_join_the_leader() {
        let mut selection = PlanSelection::new(Method::Auto, 2, MIN_HELPER_BUDGET_NS);
        let host = next(&mut selection).unwrap();
        let Next::Try(helper) = selection.next_for_helper() else {
            panic!("there are walks for one worker");
        };
        assert!(host.alone && helper.alone && !helper.plan.is_sweep());
        assert_ne!(host.plan, helper.plan);
        // The round is judged when the helper is back.
        selection.report(host, spent(1e9));
        while let Some(trial) = next(&mut selection) {
            selection.report(trial, spent(1e9));
        }
        assert!(matches!(selection.next(), Next::Wait));
        assert!(matches!(selection.next_for_helper(), Next::Wait));
        selection.report(helper, spent(1e9));
        let leader = next(&mut selection).unwrap();
        assert!(!leader.alone && matches!(selection.next_for_helper(), Next::Join));
        selection.report(leader, spent(1e9));
        // What is counted by one makes the trials of the others void.
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
    fn a_walk_has_what_is_left_of_its_budget_and_is_judged_by_all_of_it() {
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
        // Another puzzle's would have other parts.
        let other = PlanSelection::new(Method::Regions, 2, 10 * MIN_RESUMED_WALK_NS).resume(state);
        assert!(other.open.is_empty());
    }

    #[test]
    fn those_that_waited_for_a_sweep_go_on_when_it_is_lost() {
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
