//! Selects the plan for each component by trying all plans on the component itself.
//!
//! The method is successive halving. In each round every branching order that is still selected walks the component for a budget of work,
//! and the half with the worse forecasts is dropped ([`ranking`]). The budget grows from round to round, and the last order left counts the
//! component to the end. What the dropped orders have counted stays in the component table.
//!
//! Beside the orders, the frontier is swept in both directions, as long as the forecast suggests that the sweep can end. The sweeps come
//! first in each round. A sweep that is *due* by its last two forecasts gets up to as much work as the leader, and the other direction waits;
//! it comes last in its round if the leader is expected to end sooner. From [`DECISIVE_BUDGET_NS`] on, a sweep comes last, too, if it is not
//! due even by its last forecast, and always if it is not expected to end before the deadline of the run: a sweep proves nothing before its
//! frontiers meet, while the leader proves solutions on the way.
//!
//! A sweep that outgrows the memory is dropped. When all of them have done so, they begin again and are divided into parts.
//!
//! A plan near its end is [prolonged](prolongation): it goes on before the others have their turn. As the sweeps come first, one that is
//! expected to need less work than the rest of the round is done at once.
//!
//! The trials of a round do not depend on the number of threads. One worker, the *host*, runs the trials; the others, the *helpers*, join
//! its walks or take trials of their own. A *walk* is a trial that branches. The *leader* is the walk that a round tries first and gives
//! the most work. While more than [`MAX_SHARED_PLANS`] orders are left and the budget is small, each trial but the leader's is for one
//! worker alone: several workers count different places of a component at once, and a forecast from that cannot be compared with one from a
//! single worker. The leader's walk, and later every walk, is shared by all workers. A sweep uses the threads that have nothing else to do.
//! While a sweep is due or prolonged and the leader has its turn after it, those are all threads, because the sweep is expected to end.
//!
//! Another process can [resume] the selection.

mod prolongation;
mod ranking;
mod resume;
pub(crate) mod state;

use std::collections::VecDeque;
use std::time::Instant;

use super::components::ComponentValue;
use super::options::Method;
use super::plan::{Plan, Trial, TrialEnd, TrialResult};
use super::sweep::Direction;
use super::walk::order::Order;
use crate::graph::NodeId;
use crate::solutions::Count;
use ranking::DECISIVE_BUDGET_NS;
use state::{InterruptedTrial, SelectionState};

/// Factor by which the budget grows per round.
const BUDGET_GROWTH: u64 = 4;

/// A smaller budget is raised to this, in nanoseconds of work, before it is multiplied.
const MIN_BUDGET_BEFORE_GROWTH_NS: u64 = 1_000_000;

/// All workers share each trial if at most this number of plans but sweeps is left, or if the budget is at least [`DECISIVE_BUDGET_NS`].
const MAX_SHARED_PLANS: usize = 2;

/// Minimum budget of a round in which helpers take trials of their own, in nanoseconds. For such a trial each helper builds a SAT solver of
/// its own, which is too expensive for a smaller budget.
const MIN_HELPER_BUDGET_NS: u64 = 10_000_000;

/// The leader has this multiple of the work of all other plans together.
const LEADER_WORK_FACTOR: u64 = 2;

/// A sweep is not expected to end before the deadline if it needs this multiple of the work until then, or more. Its forecast may be too
/// long.
const MAX_EXCESS_OF_DEADLINE: f64 = 2.0;

/// In a [short](PlanSelection::new_short) selection the last plan is tried again as long as its forecast of what is left is less than this,
/// in nanoseconds of work.
const MAX_RETRIED_REMAINING_NS: f64 = 6e8;

/// It is also tried again as long as it has had less work than [`MIN_RETRIED_WORK_NS`] and its forecast is less than this, in nanoseconds of
/// work. Many early forecasts are too long: of five puzzles with a forecast of 1 to 8 seconds after 0.3 seconds of work, three were done
/// within two seconds. The backbone search, which comes next, costs about as much.
const MAX_EARLY_FORECAST_NS: f64 = 8e9;
const MIN_RETRIED_WORK_NS: u64 = 1_000_000_000;

/// The budget of a trial that is tried again, as a multiple of the forecast; and its maximum, as a multiple of the budget before.
const RETRY_BUDGET_FACTOR: f64 = 2.5;
const MAX_RETRY_GROWTH: u64 = 4;

/// A sweep that is due gets at most this multiple of the work that it is expected to need before its forecast is judged again.
const DUE_SWEEP_FACTOR: f64 = 1.5;

/// A leader that comes before a sweep that is due, because it is expected to end sooner, gets at most this multiple of the work that it is
/// expected to need: it may take far longer.
const SOONER_LEADER_FACTOR: f64 = 2.0;

/// Minimum work of a trial, in nanoseconds, if its plan has used up the budget of the round already, after an interruption or as the leader
/// of the round before: less would not show its progress.
const MIN_TRIAL_NS: u64 = 20_000_000;

/// What a worker is to do next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next {
    /// Begin this trial.
    Try(Trial),
    /// Join the shared walk that is under way.
    Join,
    /// Ask again after a while.
    Wait,
    /// Leave, because no trial is left for now.
    Leave,
}

/// Selects plans for one component after the other.
#[derive(Debug)]
pub(crate) struct PlanSelection {
    method: Method,
    /// Whether the tree search is one of the plans.
    has_tree: bool,
    /// The plans of a short selection; empty otherwise.
    short_plans: &'static [Plan],
    /// Nanoseconds of work of a trial in the first round.
    first_budget: u64,
    /// The values of the components counted so far, in order.
    values: Vec<ComponentValue>,
    /// Number of components.
    components: usize,
    /// Plans still to be tried in this round.
    todo: VecDeque<Plan>,
    /// Results of this round.
    tried: Vec<TrialResult>,
    /// The results of the round before, of the plans that are left.
    before: Vec<TrialResult>,
    /// The sweep in the other direction, while one sweep is due.
    waiting: Vec<TrialResult>,
    /// The last results of the sweeps that have outgrown the memory, and whether sweeps are divided into parts from now on.
    outgrown: Vec<TrialResult>,
    divides_sweeps: bool,
    /// Nanoseconds of work that a plan has had, over all rounds, when its trial in this round ends (a trial that starts over gets all of it
    /// again); the same for a sweep; and the leader of the round, with its nanoseconds of work.
    round_work: u64,
    sweep_work: u64,
    leader: Option<(Plan, u64)>,
    /// The nanoseconds of work that were left for the leader when the round began, by [`ranking::leader_remaining`].
    leader_remaining: f64,
    /// The plans that have been prolonged in this round, one entry for each time, with their nanoseconds of work.
    prolonged: Vec<(Plan, u64)>,
    /// Whether each trial of this round but the leader's is for one worker alone.
    has_solo_trials: bool,
    /// Whether the last answer to the host was [`Next::Leave`]. Then helpers leave too.
    host_left: bool,
    /// Nanoseconds of work of each plan after which the selection pauses.
    work_limit: u64,
    /// Nanoseconds of work of all workers until the deadline of the run; infinite without one.
    work_left: f64,
    /// The budget that the round has, or would have if several plans were left.
    nominal_budget: u64,
    /// The trials under way, and when each began.
    under_way: Vec<(Trial, Instant)>,
    /// Trials of this round that earlier processes have begun and not ended.
    interrupted: Vec<InterruptedTrial>,
    /// The state in which an earlier process left the component that it was counting, until that component is reached.
    resumed: Option<SelectionState>,
    /// Whether no more trials may begin.
    halted: bool,
}

impl PlanSelection {
    pub(crate) fn new(method: Method, components: usize, first_budget: u64) -> Self {
        let mut selection = PlanSelection {
            method,
            has_tree: false,
            short_plans: &[],
            first_budget,
            values: Vec::with_capacity(components),
            components,
            todo: VecDeque::new(),
            tried: Vec::new(),
            before: Vec::new(),
            waiting: Vec::new(),
            outgrown: Vec::new(),
            divides_sweeps: false,
            round_work: 0,
            sweep_work: 0,
            leader: None,
            leader_remaining: f64::INFINITY,
            prolonged: Vec::new(),
            has_solo_trials: false,
            host_left: false,
            work_limit: u64::MAX,
            work_left: f64::INFINITY,
            nominal_budget: first_budget,
            under_way: Vec::new(),
            interrupted: Vec::new(),
            resumed: None,
            halted: false,
        };
        selection.begin_component();
        selection
    }

    /// A short selection: each of these plans is tried once on each component, and the selection ends at the first component that none of
    /// them counts. If the forecast of the last plan is short, [`retry_last`](Self::retry_last) lets the selection go on with another trial
    /// of that plan.
    pub(crate) fn new_short(
        components: usize,
        first_budget: u64,
        short_plans: &'static [Plan],
    ) -> Self {
        let mut selection = PlanSelection {
            short_plans,
            ..PlanSelection::new(Method::Regions, components, first_budget)
        };
        selection.begin_component();
        selection
    }

    pub(super) fn is_short(&self) -> bool {
        !self.short_plans.is_empty()
    }

    /// Prepares another trial of the last plan of a short selection if its forecast, from what it has done since the trial before, is short
    /// enough. Returns whether it does. The budgets grow, so that a wrong forecast is found out early.
    pub(crate) fn retry_last(&mut self) -> bool {
        let Some(&last) = self.tried.last() else {
            return false;
        };
        let forecast = last.recent_forecast(&self.before);
        let budget = (RETRY_BUDGET_FACTOR * forecast) as u64;
        let budget = budget.min(MAX_RETRY_GROWTH.saturating_mul(last.spent));
        // A trial without work has no forecast, and there would be no end.
        let is_near = forecast - (last.spent as f64) < MAX_RETRIED_REMAINING_NS;
        let is_early = last.spent < MIN_RETRIED_WORK_NS && forecast < MAX_EARLY_FORECAST_NS;
        if budget <= last.spent || !(is_near || is_early) {
            return false;
        }
        self.leader = Some((last.plan, budget));
        self.before.clear();
        self.before.extend(self.tried.pop());
        self.todo.push_back(last.plan);
        true
    }

    /// Adds the tree search to the plans.
    pub(crate) fn with_tree(self) -> Self {
        let mut selection = PlanSelection {
            has_tree: true,
            ..self
        };
        selection.begin_component();
        selection
    }

    /// Changes the selection: it pauses when each plan has had `work_limit` nanoseconds of work.
    pub(crate) fn with_work_limit(self, work_limit: u64) -> Self {
        PlanSelection { work_limit, ..self }
    }

    /// Ends a pause: the selection continues until each plan has had `work_limit` nanoseconds of work.
    pub(crate) fn extend(&mut self, work_limit: u64) {
        self.work_limit = work_limit;
        self.under_way.clear();
        self.host_left = false;
    }

    /// Tells how many nanoseconds of work all workers can do until the deadline of the run.
    pub(crate) fn set_work_left(&mut self, work_left: f64) {
        self.work_left = work_left;
    }

    /// Lets no more trials begin.
    pub(crate) fn halt(&mut self) {
        self.halted = true;
    }

    fn begin_component(&mut self) {
        let sweeps = [Direction::Down, Direction::Right].map(Plan::Sweep);
        let branches = Order::ALL.map(Plan::Branch);
        self.todo = match self.method {
            _ if self.is_short() => self.short_plans.to_vec().into(),
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
        self.outgrown.clear();
        self.divides_sweeps = false;
        (self.leader, self.leader_remaining) = (None, f64::INFINITY);
        (self.round_work, self.nominal_budget) = (self.first_budget, self.first_budget);
        self.sweep_work = self.first_budget;
        self.begin_trials();
        self.under_way.clear();
        self.interrupted.clear();
        let component = self.values.len();
        let here = |state: &mut SelectionState| state.component == component;
        if let Some(state) = self.resumed.take_if(here) {
            self.restore(state);
        }
    }

    /// Prepares the trials of a round whose plans are in `todo`.
    fn begin_trials(&mut self) {
        self.prolonged.clear();
        let others = self.todo.iter().filter(|plan| !plan.is_sweep()).count();
        self.has_solo_trials =
            !self.is_short() && others > MAX_SHARED_PLANS && self.round_work < DECISIVE_BUDGET_NS;
    }

    /// What the host does next.
    pub(crate) fn next(&mut self) -> Next {
        let next = self.choose();
        self.host_left = matches!(next, Next::Leave);
        next
    }

    fn choose(&mut self) -> Next {
        if self.values.len() == self.components || self.halted {
            return Next::Leave;
        }
        while let Some(result) = self.todo.front().and_then(|&plan| self.sits_out(plan)) {
            self.todo.pop_front();
            self.tried.push(result);
        }
        if self.todo.is_empty() {
            if !self.under_way.is_empty() {
                // A round is ranked when all its trials have ended.
                return Next::Wait;
            }
            let pauses = self.round_work >= self.work_limit && !self.tried.is_empty();
            if self.is_short() || pauses {
                return Next::Leave;
            }
            self.begin_round();
        }
        match self.todo.pop_front() {
            Some(plan) => Next::Try(self.begin(plan)),
            None => Next::Leave,
        }
    }

    /// The result that a plan keeps if it [sits this round out](ranking::sits_out).
    fn sits_out(&self, plan: Plan) -> Option<TrialResult> {
        let leader = self.leading_plan().filter(|&leader| leader != plan)?;
        let of = |results: &[TrialResult], plan: Plan| {
            results.iter().copied().find(|tried| tried.plan == plan)
        };
        let (led, before) = (of(&self.tried, leader)?, of(&self.before, leader)?);
        let result = of(&self.before, plan).filter(|_| !plan.is_sweep())?;
        ranking::sits_out(&result, &led, &before, self.round_work).then_some(result)
    }

    /// What a helper does next.
    pub(crate) fn next_for_helper(&mut self) -> Next {
        let is_over = self.host_left || self.values.len() == self.components;
        if is_over {
            return Next::Leave;
        }
        let is_shared = |&(Trial { plan, is_solo, .. }, _): &(Trial, Instant)| {
            !plan.is_sweep() && plan != Plan::Tree && !is_solo
        };
        if self.under_way.iter().any(is_shared) {
            return Next::Join;
        }
        let is_solo = |&plan: &Plan| !plan.is_sweep() && self.leading_plan() != Some(plan);
        let place = self.todo.iter().position(is_solo);
        // The first trial counts most components.
        let has_results = !self.tried.is_empty() || !self.before.is_empty();
        let may_begin = self.has_solo_trials
            && self.round_work >= MIN_HELPER_BUDGET_NS
            && has_results
            && !self.sweep_leads();
        match place.filter(|_| may_begin && !self.halted) {
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

    /// Whether a sweep is under way.
    pub(crate) fn is_sweeping(&self) -> bool {
        (self.under_way.iter()).any(|(trial, _)| trial.plan.is_sweep())
    }

    /// The leader of this round.
    fn leading_plan(&self) -> Option<Plan> {
        self.leader.map(|(leader, _)| leader)
    }

    /// The nanoseconds of work that are left for the leader, for the comparison with a sweep; infinite without a leader.
    fn leader_remaining(&self) -> f64 {
        let is_leader = |tried: &&TrialResult| Some(tried.plan) == self.leading_plan();
        let tried = self.tried.iter().find(is_leader);
        tried.map_or(self.leader_remaining, |tried| {
            ranking::leader_remaining(tried, &self.before)
        })
    }

    /// Whether a sweep under way has more work than the round, and the leader has its turn after it.
    fn sweep_leads(&self) -> bool {
        let is_longer = |&(trial, _): &(Trial, Instant)| {
            trial.plan.is_sweep() && self.work_of(trial.plan) > self.round_work
        };
        self.leader_is_to_come() && self.under_way.iter().any(is_longer)
    }

    /// Whether this round has a leader that has not had its turn.
    fn leader_is_to_come(&self) -> bool {
        let leader = self.leading_plan();
        leader.is_some_and(|leader| self.todo.contains(&leader))
    }

    /// Begins the trial of this plan in this round.
    fn begin(&mut self, plan: Plan) -> Trial {
        let interrupted = self.interrupted.iter().find(|trial| trial.plan == plan);
        let interrupted = interrupted.filter(|_| !plan.is_sweep());
        let interrupted_work = interrupted.map_or(0, |trial| trial.spent);
        let is_previous = |tried: &&TrialResult| tried.plan == plan;
        let previous = self.before.iter().find(is_previous);
        let previous_work = previous.map_or(0, |tried| tried.spent);
        let earlier_work = interrupted_work.saturating_add(previous_work);
        let is_leader = self.leading_plan() == Some(plan);
        let work = self.work_of(plan).saturating_sub(earlier_work);
        let is_due_sweep = plan.is_sweep() && self.sweep_work > self.round_work;
        let work = match previous.filter(|_| is_due_sweep) {
            Some(previous) => {
                let needed = (DUE_SWEEP_FACTOR * previous.remaining()) as u64;
                work.min(needed.max(self.round_work))
            }
            None => work,
        };
        let trial = Trial {
            component: self.values.len(),
            plan,
            budget: work.max(MIN_TRIAL_NS.min(self.round_work)),
            earlier_work,
            thorough: !self.is_short(),
            is_solo: self.has_solo_trials && !is_leader,
        };
        self.under_way.push((trial, Instant::now()));
        trial
    }

    /// Drops the plans with the worst results, and begins the next round with the others.
    fn begin_round(&mut self) {
        let tried = std::mem::take(&mut self.tried);
        let (mut sweeps, others): (Vec<TrialResult>, Vec<TrialResult>) =
            tried.into_iter().partition(|tried| tried.plan.is_sweep());
        sweeps.append(&mut self.waiting);
        let (others, best_forecast) =
            ranking::select_plans(others, &self.before, self.round_work, self.leading_plan());
        let mut sweeps = ranking::select_sweeps(sweeps, best_forecast, self.round_work);
        let before = [&others[..], &sweeps].concat();
        self.interrupted.clear();
        self.nominal_budget = self
            .nominal_budget
            .max(MIN_BUDGET_BEFORE_GROWTH_NS)
            .saturating_mul(BUDGET_GROWTH);
        let plans = (others.len() + sweeps.len()) as u64;
        let multiple = LEADER_WORK_FACTOR * plans.saturating_sub(1).max(1);
        self.round_work = self.nominal_budget.min(self.work_limit);
        let leader_work = self
            .round_work
            .saturating_mul(multiple)
            .min(self.work_limit);
        let is_due = ranking::is_due(&sweeps, &self.before, leader_work);
        let is_due_by_last_forecast = ranking::is_due(&sweeps, &sweeps, leader_work);
        if is_due {
            self.waiting = sweeps.split_off(1);
        }
        self.sweep_work = if is_due { leader_work } else { self.round_work };
        let has_leader = plans > 1 && !others.is_empty();
        self.leader = (others.first())
            .filter(|_| has_leader)
            .map(|leader| (leader.plan, leader_work));
        self.leader_remaining = others.first().map_or(f64::INFINITY, |leader| {
            ranking::leader_remaining(leader, &self.before)
        });
        let leads = |sweep: &TrialResult| {
            let is_near = match is_due {
                true => ranking::cautious_remaining(sweep) < self.leader_remaining(),
                false => self.round_work < DECISIVE_BUDGET_NS || is_due_by_last_forecast,
            };
            is_near && sweep.remaining() < MAX_EXCESS_OF_DEADLINE * self.work_left
        };
        let (first, last) = match sweeps.first().is_none_or(leads) {
            true => (&sweeps, &others),
            false => (&others, &sweeps),
        };
        let ends_later = |sweep: &TrialResult| {
            is_due && ranking::cautious_remaining(sweep) >= self.leader_remaining()
        };
        if let Some(leader) = others.first()
            && sweeps.first().is_some_and(ends_later)
        {
            let work = self.work_before_sweep(leader).min(leader_work);
            self.leader = self.leader.map(|(plan, _)| (plan, work));
        }
        self.todo = (first.iter().chain(last)).map(|tried| tried.plan).collect();
        if self.todo.is_empty() {
            self.todo.push_back(Plan::BranchAndSweep);
        }
        // A sweep alone may still have to give way to the one that waits.
        if self.todo.len() == 1 && self.waiting.is_empty() {
            (self.round_work, self.sweep_work) = (self.work_limit, self.work_limit);
        }
        self.before = before;
        self.begin_trials();
    }

    /// Nanoseconds of work that the leader has had when its trial ends, at least those of the round, if it comes before a sweep that is due
    /// because it is expected to end sooner.
    fn work_before_sweep(&self, leader: &TrialResult) -> u64 {
        let recent = SOONER_LEADER_FACTOR * leader.recent_remaining(&self.before);
        let more = self.leader_remaining.max(recent) as u64;
        (leader.spent.saturating_add(more)).max(self.round_work)
    }

    /// Records how a trial ended, and returns the index of the component to be counted now. A trial of a component that has been counted in
    /// the meantime is ignored.
    pub(crate) fn report(&mut self, trial: Trial, ended: TrialEnd) -> usize {
        if trial.component != self.values.len() {
            return self.values.len();
        }
        if !matches!(ended, TrialEnd::Stopped) {
            (self.under_way).retain(|(under_way, _)| under_way.plan != trial.plan);
            (self.interrupted).retain(|interrupted| interrupted.plan != trial.plan);
        }
        // The trial's forecast is its own work divided by the share of the component that is done. Earlier trials of the plan have done
        // part of that share, so the forecast is scaled up to the work of all its trials.
        let spent = trial.earlier_work.saturating_add(trial.budget);
        let scale = spent as f64 / trial.budget as f64;
        match ended {
            TrialEnd::Done(value) => {
                self.values.push(value);
                self.begin_component();
            }
            TrialEnd::Spent {
                forecast,
                proved,
                is_recent,
            } => {
                // What an earlier trial has proved still holds. A walk that was not kept may end before it has got back there.
                let same_plan = |tried: &&TrialResult| tried.plan == trial.plan;
                let earlier = self.before.iter().find(same_plan);
                let result = TrialResult {
                    plan: trial.plan,
                    spent,
                    forecast: forecast * scale,
                    proved: earlier.map_or(proved, |earlier| earlier.proved.max(proved)),
                    is_recent,
                };
                self.record(result);
            }
            TrialEnd::Paused { forecast, kept } => self.record(TrialResult {
                plan: trial.plan,
                spent: kept,
                forecast,
                proved: 0.0,
                is_recent: false,
            }),
            TrialEnd::Full => self.record_full(trial.plan),
            TrialEnd::Stopped => {}
        }
        self.values.len()
    }

    /// Records that a plan needs more memory than it may take. When no sweep is left that has not outgrown the memory, the sweeps begin again
    /// and are divided into parts: that with the shortest forecast now, the others in the next round.
    fn record_full(&mut self, plan: Plan) {
        // The layers of which a graph is built cannot be divided.
        if !plan.is_sweep() || self.divides_sweeps || self.is_short() {
            return;
        }
        // Without a result from a round before, the lines are too long.
        let before = self.before.iter().find(|tried| tried.plan == plan);
        self.outgrown
            .extend(before.map(|&before| TrialResult { spent: 0, ..before }));
        let results = self.tried.iter().chain(&self.waiting);
        let mut left = (results.map(|tried| tried.plan))
            .chain(self.todo.iter().copied())
            .chain(self.under_way.iter().map(|(trial, _)| trial.plan));
        if left.any(Plan::is_sweep) || self.outgrown.is_empty() {
            return;
        }
        self.divides_sweeps = true;
        let mut sweeps = std::mem::take(&mut self.outgrown);
        sweeps.sort_by(|a, b| a.forecast.total_cmp(&b.forecast));
        self.waiting = sweeps.split_off(1);
        self.before.retain(|tried| !tried.plan.is_sweep());
        self.todo.extend(sweeps.iter().map(|tried| tried.plan));
        self.todo.rotate_right(1);
        self.before.extend(sweeps);
    }

    /// Whether the sweeps that have outgrown the memory have begun again.
    #[cfg(test)]
    pub(crate) fn divides_sweeps(&self) -> bool {
        self.divides_sweeps
    }

    /// Records that a sweep of this component, which had paused, has to begin again.
    pub(crate) fn record_dropped_sweep(&mut self, component: usize, direction: Direction) {
        if component == self.values.len() {
            let results = [&mut self.tried, &mut self.before, &mut self.waiting];
            let results = results.into_iter().flatten();
            let dropped = results.filter(|tried| tried.plan == Plan::Sweep(direction));
            dropped.for_each(|tried| tried.spent = 0);
        }
    }

    /// Nanoseconds of work that a plan has had when its trial in this round ends.
    fn work_of(&self, plan: Plan) -> u64 {
        let is_plan = |(other, _): &&(Plan, u64)| *other == plan;
        let prolonged = self.prolonged.iter().rev();
        match prolonged.chain(&self.leader).find(is_plan) {
            Some(&(_, work)) => work,
            None if plan.is_sweep() => self.sweep_work,
            None => self.round_work,
        }
    }

    /// The index of the component that is being counted.
    pub(crate) fn component(&self) -> usize {
        self.values.len()
    }

    /// The product of the components counted so far, and the number of the others.
    pub(crate) fn result(&self) -> (Count, usize) {
        let mut product = Count::ONE;
        self.values.iter().for_each(|value| product *= &value.count);
        (product, self.components - self.values.len())
    }

    /// Whether the number of solutions is known.
    pub(crate) fn is_over(&self) -> bool {
        self.has_no_solution() || self.values.len() == self.components
    }

    /// Whether a component is known to have no solution.
    pub(crate) fn has_no_solution(&self) -> bool {
        self.values.iter().any(|value| value.count.is_zero())
    }

    /// The graph nodes of all components; `None` when one has no solution.
    pub(crate) fn nodes(&self) -> Option<Vec<NodeId>> {
        self.values.iter().map(|value| value.node).collect()
    }
}

#[cfg(test)]
mod tests;
