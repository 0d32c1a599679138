//! Prolongs plans near their end.
//!
//! A leader or a sweep is *prolonged* if it is expected to end within the work of the plans after it, a sweep only if it is also expected
//! to end sooner than the leader: it goes on, before these have their turn. A sweep that is due is also prolonged if it has done a good
//! part and is expected to end sooner than the leader. A sweep whose forecast has just grown by far is not prolonged until it has done a
//! good part. When the selection would pause, any plan near its end is prolonged, because the backbone search that follows lets all plans
//! start over.

use super::{PlanSelection, ranking};
use crate::count::plan::{Plan, TrialResult};

/// The work by which a plan near its end is prolonged, as a multiple of the work that it is expected to need.
const PROLONGATION_FACTOR: f64 = 2.0;

/// How often a leader, and a sweep, is prolonged in a round. Forecasts near the end are often too short. A sweep loses nothing when it
/// pauses, so it is prolonged by less, and more often.
const MAX_LEADER_PROLONGATIONS: usize = 2;
const MAX_SWEEP_PROLONGATIONS: usize = 4;

/// A walk that is prolonged gets at least the work that it has had, divided by this, because a walk that several workers share loses a part
/// of its work when it pauses. It does not get all the work of the others at once, because a forecast can be far too short: a walk seemed to
/// have done 99.8 % when it had proved a quarter of the solutions.
const WALK_EXTENSION_DIVISOR: u64 = 2;

/// A sweep that is due is also prolonged if it is expected to end sooner than the leader, and within a multiple of the work that it has had:
/// the second one if the leader is expected to take more than [`FAR_LEADER`] times as long as the sweep.
const MAX_SWEEP_EXTENSION: u64 = 3;
const MAX_SWEEP_EXTENSION_IF_FAR: u64 = 6;
const FAR_LEADER: f64 = 4.0;

/// At the work limit of the selection, a plan is prolonged if it is expected to end within the work that it has had, divided by this.
const MAX_EXCESS_DIVISOR: u64 = 2;

impl PlanSelection {
    /// Records a result of this round, or prolongs its plan.
    pub(super) fn record(&mut self, result: TrialResult) {
        match self.prolongation(&result) {
            Some(more) => self.prolong(result, more),
            None => self.tried.push(result),
        }
    }

    /// The work by which a plan is prolonged after this result, in nanoseconds: if it is the leader or a sweep, and if it is expected to end
    /// within the work of the plans that have their turn after it. A sweep that is due may also have more, see [`MAX_SWEEP_EXTENSION`]; at
    /// the work limit see [`MAX_EXCESS_DIVISOR`]. A leader is prolonged up to [`MAX_LEADER_PROLONGATIONS`] times in a round, a sweep up to
    /// [`MAX_SWEEP_PROLONGATIONS`] times, and any plan once at the work limit.
    fn prolongation(&self, result: &TrialResult) -> Option<u64> {
        let plan = result.plan;
        let is_at_limit = result.spent >= self.work_limit;
        let may_extend = match plan.is_sweep() {
            // At the limit, another sweep that has yet to come would get as much work.
            true => !is_at_limit || !self.todo.iter().any(|plan| plan.is_sweep()),
            false => {
                let is_leader = self.leading_plan() == Some(plan);
                !self.is_short() && (is_at_limit || is_leader)
            }
        };
        let times = self.prolonged.iter().filter(|(other, _)| *other == plan);
        let max_times = match is_at_limit {
            true => 1,
            false if plan.is_sweep() => MAX_SWEEP_PROLONGATIONS,
            false => MAX_LEADER_PROLONGATIONS,
        };
        let is_steady = !plan.is_sweep() || ranking::is_steady(result, &self.before);
        if !may_extend || !is_steady || self.is_short() || times.count() >= max_times {
            return None;
        }
        let is_before_walks = !plan.is_sweep() || self.leader_is_to_come();
        let taken = match is_before_walks {
            true => self.taken_by_helpers(),
            false => Vec::new(),
        };
        let others = self.todo.iter().chain(&taken);
        let others = others.map(|&plan| self.work_of(plan));
        let others = others.fold(0, u64::saturating_add);
        let (remaining, max) = match plan.is_sweep() {
            true => {
                let is_due = self.sweep_work > self.round_work;
                let is_far = self.leader_remaining() > FAR_LEADER * result.remaining();
                let extension = match is_far {
                    true => MAX_SWEEP_EXTENSION_IF_FAR,
                    false => MAX_SWEEP_EXTENSION,
                };
                let done = extension.saturating_mul(result.spent);
                let sooner = done.min(self.leader_remaining() as u64);
                let max = match is_due {
                    true => others.max(sooner),
                    false if result.remaining() < self.leader_remaining() => others,
                    false => 0,
                };
                (result.remaining(), max)
            }
            false => (result.recent_remaining(&self.before), others),
        };
        let max = match is_at_limit {
            true => result.spent / MAX_EXCESS_DIVISOR,
            false => max.min(self.work_limit - result.spent),
        };
        (remaining < max as f64).then(|| {
            let more = (PROLONGATION_FACTOR * remaining) as u64;
            let least = match plan.is_sweep() {
                true => self.round_work,
                false => result.spent / WALK_EXTENSION_DIVISOR,
            };
            more.max(least).min(max)
        })
    }

    /// The plans that helpers have begun in this round: all but sweeps and the leader. With one worker they would still be left when the
    /// leader, or a sweep before it, ends its trial. So they count as left: then a plan goes on in the same cases on any number of threads.
    fn taken_by_helpers(&self) -> Vec<Plan> {
        let under_way = self.under_way.iter().map(|(trial, _)| trial.plan);
        let plans = self.tried.iter().map(|tried| tried.plan).chain(under_way);
        let is_for_helper = |plan: &Plan| !plan.is_sweep() && Some(*plan) != self.leading_plan();
        plans.filter(is_for_helper).collect()
    }

    /// Lets a plan, which has this result, go on with more work before the other plans have their turn.
    fn prolong(&mut self, result: TrialResult, more: u64) {
        let (plan, work) = (result.plan, result.spent.saturating_add(more));
        self.prolonged.push((plan, work));
        if !plan.is_sweep() {
            // In a journal, only the leader has its own work.
            self.leader = Some((plan, work));
        }
        self.before.retain(|tried| tried.plan != plan);
        self.before.push(result);
        self.todo.push_front(plan);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DOWN, RIGHT, after_round, next, spent};
    use super::*;
    use crate::count::options::Method;
    use crate::count::plan::{Plan, Trial, TrialEnd};
    use crate::count::walk::order::Order;

    #[test]
    fn a_due_sweep_near_its_end_goes_on_before_the_others() {
        let mut selection = after_round(1e15, 1e15, 1e11);
        let sweep = next(&mut selection).unwrap();
        assert_eq!(sweep.plan, RIGHT);
        let kept = sweep.earlier_work + sweep.budget;
        let forecast = 1.1 * kept as f64;
        selection.report(sweep, TrialEnd::Paused { forecast, kept });
        let again = next(&mut selection).unwrap();
        assert_eq!((again.plan, again.earlier_work), (RIGHT, kept));
        assert!(again.budget >= kept / 10);
    }

    /// A sweep of TCGA 2016 #515 took 40 seconds while the leader had a few seconds left.
    #[test]
    fn a_leader_near_its_end_goes_on_before_the_others() {
        let mut selection = after_round(1e15, 1e9, 1e15);
        let sweep = next(&mut selection).unwrap();
        selection.report(sweep, spent(1e15));
        let leader = next(&mut selection).unwrap();
        let work = leader.earlier_work + leader.budget;
        let nearly_done = |trial: Trial| spent(1.01 * trial.budget as f64);
        selection.report(leader, nearly_done(leader));
        let again = next(&mut selection).unwrap();
        assert_eq!((again.plan, again.earlier_work), (leader.plan, work));
        assert!(again.budget <= leader.budget);
        // It has made no progress since.
        selection.report(again, nearly_done(again));
        assert_ne!(next(&mut selection).unwrap().plan, leader.plan);
        // What it had before counts as work of this round.
        let results: Vec<u64> = selection.tried.iter().map(|tried| tried.spent).collect();
        let sweep_work = sweep.earlier_work + sweep.budget;
        assert_eq!(results, [sweep_work, work + again.budget]);
    }

    /// With eight threads the tree search of TCGA 2016 #495 had done 98 % at the work limit; then it started over.
    #[test]
    fn a_plan_near_its_end_goes_on_at_the_work_limit() {
        let first_budget = 1_000_000_000;
        let mut selection =
            PlanSelection::new(Method::Regions, 1, first_budget).with_work_limit(first_budget);
        let nearly_done = next(&mut selection).unwrap();
        selection.report(nearly_done, spent(1.1e9));
        let again = next(&mut selection).unwrap();
        assert_eq!(
            (again.plan, again.earlier_work),
            (nearly_done.plan, first_budget)
        );
        assert!(again.budget <= first_budget / 2);
        selection.report(again, spent(1e15));
        while let Some(other) = next(&mut selection) {
            assert_ne!(other.plan, nearly_done.plan);
            selection.report(other, spent(1e15));
        }
    }

    const LEADER: Plan = Plan::Branch(Order::Down);
    const OTHER: Plan = Plan::Branch(Order::Narrow);

    fn result(plan: Plan, spent: u64, forecast: f64) -> TrialResult {
        TrialResult {
            plan,
            spent,
            forecast,
            proved: 0.0,
            is_recent: false,
        }
    }

    /// A round in which two other orders with a work of 100 follow the leader.
    fn round() -> PlanSelection {
        let mut selection = PlanSelection::new(Method::Auto, 1, 100);
        selection.leader = Some((LEADER, 200));
        selection.todo = [OTHER, Plan::Branch(Order::Probed)].into();
        selection
    }

    /// A round in which a sweep is due and no walk is to come.
    fn round_with_due_sweep() -> PlanSelection {
        let mut selection = round();
        selection.todo.clear();
        selection.sweep_work = 200;
        selection.tried = vec![result(OTHER, 100, 110.0)];
        selection
    }

    #[test]
    fn a_leader_near_its_end_goes_on_twice_within_the_work_of_the_others() {
        let mut selection = round();
        let more = |selection: &PlanSelection, forecast: f64| {
            selection.prolongation(&result(LEADER, 200, forecast))
        };
        // Twice what is left, but at least half of what it has had.
        assert_eq!(more(&selection, 220.0), Some(100));
        assert_eq!(more(&selection, 270.0), Some(140));
        assert_eq!(more(&selection, 399.0), Some(200));
        assert_eq!(more(&selection, 400.0), None);
        let other = result(OTHER, 100, 101.0);
        assert_eq!(selection.prolongation(&other), None);
        selection.work_limit = 350;
        assert_eq!(more(&selection, 280.0), Some(150));
        selection.prolonged.push((LEADER, 0));
        assert_eq!(more(&selection, 280.0), Some(150));
        selection.prolonged.push((LEADER, 0));
        assert_eq!(more(&selection, 280.0), None);
    }

    #[test]
    fn a_due_sweep_goes_on_if_it_is_expected_to_end_sooner_than_the_leader() {
        let mut selection = round_with_due_sweep();
        let sweep = result(RIGHT, 100, 250.0);
        for (leader_remaining, more) in [(1000.0, Some(300)), (200.0, Some(200)), (140.0, None)] {
            selection.leader_remaining = leader_remaining;
            assert_eq!(selection.prolongation(&sweep), more);
        }
    }

    /// Of random 15x15 puzzle 3011, a sweep with 14 seconds left, and 3.2 done, waited for walks with minutes left; `--cells` took 89 seconds of
    /// work instead of 39.
    #[test]
    fn a_due_sweep_goes_on_for_longer_if_the_leader_is_far_from_its_end() {
        let mut selection = round_with_due_sweep();
        let mut goes_on = |forecast: f64, leader_remaining: f64| {
            selection.leader_remaining = leader_remaining;
            let sweep = result(RIGHT, 100, forecast);
            selection.prolongation(&sweep).is_some()
        };
        assert!(goes_on(399.0, 1000.0) && !goes_on(401.0, 1000.0));
        assert!(goes_on(401.0, 1205.0) && goes_on(699.0, 1e9));
        assert!(!goes_on(701.0, 1e9));
    }

    /// A sweep of TCGA 2016 #274 needed a little more than the first 20 milliseconds, and the trials of ten orders came before the rest.
    #[test]
    fn a_sweep_that_is_not_due_goes_on_within_the_work_of_the_others() {
        let mut selection = round();
        selection.leader_remaining = 900.0;
        let more = |selection: &PlanSelection, forecast: f64| {
            selection.prolongation(&result(RIGHT, 100, forecast))
        };
        assert_eq!(more(&selection, 170.0), Some(140));
        assert_eq!(more(&selection, 299.0), Some(200));
        assert_eq!(more(&selection, 300.0), None);
        for times in 1..=MAX_SWEEP_PROLONGATIONS {
            selection.prolong(result(RIGHT, 100, 170.0), 140);
            assert_eq!(selection.work_of(RIGHT), 240);
            assert_eq!(selection.work_of(DOWN), 100);
            selection.todo.pop_front();
            let is_last = times == MAX_SWEEP_PROLONGATIONS;
            assert_eq!(more(&selection, 170.0).is_none(), is_last);
        }
    }

    /// On two threads, a sweep of random 15x15 puzzle 4 gave way to a leader that took twice as long: a helper had begun trials of other
    /// plans, so that fewer seemed to be left.
    #[test]
    fn trials_that_helpers_take_before_the_leader_count_as_if_they_were_left() {
        let mut selection = round();
        selection.leader_remaining = 900.0;
        selection.todo.push_front(LEADER);
        let goes_on = |selection: &PlanSelection, forecast: f64| {
            let sweep = result(RIGHT, 100, forecast);
            selection.prolongation(&sweep).is_some()
        };
        let [one, other] = [OTHER, Plan::Branch(Order::Probed)];
        for todo in [vec![LEADER, one, other], vec![LEADER, other], vec![LEADER]] {
            let is_taken = |plan: &Plan| !todo.contains(plan);
            let taken = [one, other].into_iter().filter(is_taken);
            selection.tried = taken.map(|plan| result(plan, 100, 1e15)).collect();
            selection.todo = todo.clone().into();
            assert!(goes_on(&selection, 499.0) && !goes_on(&selection, 500.0));
        }
        // The same if the trial of the helper is under way.
        let helped = selection.tried.pop().expect("a helper has taken it").plan;
        assert!(!goes_on(&selection, 499.0));
        selection.begin(helped);
        assert!(goes_on(&selection, 499.0) && !goes_on(&selection, 500.0));
        // Once the leader has had its turn, what is done is not left.
        selection.todo = [other].into();
        assert!(goes_on(&selection, 199.0) && !goes_on(&selection, 200.0));
    }

    /// On two threads, the leader of TCGA 2016 #445 was prolonged by a third of what it gets on one thread, because a helper had taken two of
    /// three other trials. So another plan came next, although the leader was near its end.
    #[test]
    fn trials_that_helpers_take_during_that_of_the_leader_count_as_if_they_were_left() {
        let mut selection = round();
        let more = |selection: &PlanSelection| {
            let leader = result(LEADER, 200, 399.0);
            selection.prolongation(&leader)
        };
        assert_eq!(more(&selection), Some(200));
        let taken = selection.todo.pop_front().expect("it has two plans");
        assert_eq!(more(&selection), None);
        selection.begin(taken);
        assert_eq!(more(&selection), Some(200));
        selection.under_way.clear();
        selection.tried = vec![result(taken, 100, 1e15), result(RIGHT, 100, 1e15)];
        assert_eq!(more(&selection), Some(200));
    }

    #[test]
    fn a_sweep_that_is_not_due_goes_on_only_if_it_is_expected_to_end_sooner_than_the_leader() {
        let mut selection = round();
        let sweep = result(RIGHT, 100, 170.0);
        for (leader_remaining, goes_on) in [(71.0, true), (69.0, false)] {
            selection.leader_remaining = leader_remaining;
            assert_eq!(selection.prolongation(&sweep).is_some(), goes_on);
        }
        // In this round the leader has had its turn, and half of its work is left, but with less progress than before.
        selection.before = vec![result(LEADER, 100, 250.0)];
        selection.tried = vec![result(LEADER, 200, 400.0)];
        assert!((selection.leader_remaining() - 4.0 * 500.0).abs() < 1e-9);
        assert!(selection.prolongation(&sweep).is_some());
    }

    #[test]
    fn at_the_work_limit_the_last_sweep_goes_on_for_up_to_half_of_its_work() {
        let mut selection = round();
        selection.work_limit = 1000;
        let more = |selection: &PlanSelection, forecast: f64| {
            selection.prolongation(&result(RIGHT, 1000, forecast))
        };
        assert_eq!(more(&selection, 1100.0), Some(200));
        assert_eq!(more(&selection, 1499.0), Some(500));
        assert_eq!(more(&selection, 1500.0), None);
        selection.todo.push_back(DOWN);
        assert_eq!(more(&selection, 1100.0), None);
    }
}
