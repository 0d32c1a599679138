//! Selects the plans that stay after a round, and the one that leads the next.
//!
//! A forecast is derived from guessed weights; the number of solutions that a plan has proved is certain. So the plan that proves most in
//! the same work stays as well, and from [`FIRST_LAG_BUDGET_NS`] on plans that prove far less are dropped, unless they are near their end.
//! One plan leads each round: it comes before the other walks and has more work than all other plans together. In the first rounds the
//! probing order leads, unless another plan proves far more and its forecast is not far worse, or has led and is expected to end far
//! sooner. Later the plan that proves most leads, and the leader changes only if another plan proves twice as much, and a plan [sits the
//! round out](sits_out) if the leader has just proved far more than it. The tree search is one of the plans; it is the best one where
//! components hardly repeat.

use crate::count::plan::{Plan, TrialResult};
use crate::count::walk::order::Order;

/// From this budget on, in nanoseconds of work, plans can rule each other out, and an order can rule out sweeps.
pub(crate) const DECISIVE_BUDGET_NS: u64 = 1_200_000_000;

/// Below this budget, in nanoseconds, the probing order and the tree search stay as long as no order is near its end.
const PATIENT_BUDGET_NS: u64 = 5_000_000_000;

/// From [`DECISIVE_BUDGET_NS`] on, an order is dropped if it proves less than this share of what another one proves in the same work,
/// unless its forecast is less than [`NEAR_END_ROUNDS`] rounds.
const MIN_RATE_SHARE: f64 = 0.25;

/// From this budget on, in nanoseconds of work, an order is already dropped if it proves less than this share of what another one proves.
const FIRST_LAG_BUDGET_NS: u64 = 300_000_000;
const MIN_FIRST_RATE_SHARE: f64 = 0.05;

/// Forecasts of orders that lag behind tend to grow from round to round, so only one that is nearly due is believed. The probing order may
/// take [`AFFORDABLE_ROUNDS`].
const NEAR_END_ROUNDS: f64 = 2.0;
const AFFORDABLE_ROUNDS: f64 = 16.0;

/// The branching order that probes. It is the best one on most puzzles, or close to the best one, so it leads the first rounds.
const PROBING_PLAN: Plan = Plan::Branch(Order::Probed);

/// Another plan leads instead of the probing order when its rate is more than this multiple of the rate of the probing order. The rate of
/// the tree search is divided by it.
const LEAD_FACTOR: f64 = 2.5;

/// Maximum forecast of a plan that leads instead of the probing order, as a multiple of the forecast of the probing order. The more its rate
/// exceeds [`LEAD_FACTOR`], the longer its forecast may be.
const MAX_LEADER_FORECAST: f64 = 4.0;

/// The same, if several workers have shared the walk of the probing order. That walk has many unfinished components at once, and what is
/// known of each is multiplied with what is known of the others: it can have done a half and proved a hundredth. So another plan, which one
/// worker has walked, must also have the better forecast.
const MAX_LEADER_FORECAST_IF_SHARED: f64 = 0.5;

/// From [`DECISIVE_BUDGET_NS`] on, the rate of the plan that has led the round counts this many times, so that plans with similar rates do
/// not take turns. Before that, it leads on instead of the probing order if its forecast, this many times, is still the shorter one.
const INCUMBENT_FACTOR: f64 = 2.0;

/// For the comparison with [`LEAD_FACTOR`], the probing order counts as having proved at least this number of solutions.
const MIN_PROVED: f64 = 1000.0;

/// Below this budget, in nanoseconds, at least two plans stay, because the first rounds are weak evidence.
const TWO_PLANS_BUDGET_NS: u64 = 25_000_000_000;

/// A sweep is dropped when its forecast is this or more, in nanoseconds of work.
const MAX_SWEEP_FORECAST_NS: f64 = 1e13;

/// For the comparison with a sweep, what is left for the leader is multiplied by this as long as the leader has had less work than
/// [`DECISIVE_BUDGET_NS`]. Until then the forecasts of walks are wrong by a factor of about 16 (root mean square of the logarithm over 72
/// trials), far more than those of sweeps.
const EARLY_LEADER_FACTOR: f64 = 4.0;

/// For the comparison with a sweep, the leader is assumed to be slower than so far by at most this factor, unless several workers share its
/// walk. Without progress since the round before it would seem never to end.
const MAX_SLOWDOWN: f64 = 8.0;

/// A sweep is due when its last two forecasts are less than this multiple of the work of the leader.
const MAX_DUE_FORECAST: f64 = 4.0;

/// Factor by which the forecast of a sweep may grow on the way, if it is made early: one in ten is too short by more than this.
const EARLY_FORECAST: f64 = 2.0;

/// A sweep that has done less than [`STEADY_SHARE`] is neither due nor prolonged if its forecast has grown by more than this factor in the
/// last trial: the leader has its turn first. On eleven random puzzles, forecasts of sweeps grew by up to 3.1 from one trial to the next. On
/// three puzzles whose sweeps had cost a multiple of what the leader needed, they had grown by 4 to 7.
const MAX_FORECAST_GROWTH: f64 = 3.5;

/// A sweep that has done at least this share of its forecast is judged by what is left, however much the forecast has grown. On a random
/// 17x17 puzzle the forecast grew from 3.4 to 13 seconds when it had done 4.5, and it needed 17.
const STEADY_SHARE: f64 = 0.25;

/// Sweeps are dropped when the best forecast of an order, times this factor, is less than the forecast of the sweep.
const BRANCH_ADVANTAGE: f64 = 32.0;

/// The plans other than sweeps that stay after a round of this budget, and the best forecast. The leader of the next round comes first;
/// from [`DECISIVE_BUDGET_NS`] on all are sorted by [`rate`]. `before` has the results of the round before; `leader` has led the round.
pub(crate) fn select_plans(
    plans: Vec<TrialResult>,
    before: &[TrialResult],
    budget: u64,
    leader: Option<Plan>,
) -> (Vec<TrialResult>, f64) {
    let mut forecasts: Vec<(f64, TrialResult)> = plans
        .into_iter()
        .map(|tried| (tried.recent_forecast(before), tried))
        .collect();
    // The sort is stable and ties are broken, so that runs are reproducible.
    forecasts.sort_by(|(a, x), (b, y)| {
        let tie_break = || x.forecast.total_cmp(&y.forecast);
        a.total_cmp(b).then_with(tie_break)
    });
    let best = forecasts.first().map_or(f64::INFINITY, |&(best, _)| best);
    let min_kept = match budget < TWO_PLANS_BUDGET_NS || best.is_infinite() {
        true => 2,
        false => 1,
    };
    let max_kept = forecasts.len().div_ceil(2).max(min_kept);
    let rates = forecasts.iter().map(|(_, tried)| rate(tried));
    let fastest_rate = rates.fold(0.0, f64::max);
    let is_fastest = |(_, tried): &(f64, TrialResult)| rate(tried) == fastest_rate;
    let fastest_index = forecasts.iter().position(is_fastest);
    let fastest_plan = fastest_index.map(|index| forecasts[index].1.plan);
    let is_decisive = budget >= DECISIVE_BUDGET_NS;
    let min_share = match budget {
        DECISIVE_BUDGET_NS.. => MIN_RATE_SHARE,
        FIRST_LAG_BUDGET_NS.. => MIN_FIRST_RATE_SHARE,
        _ => 0.0,
    };
    let affordable = AFFORDABLE_ROUNDS * budget as f64;
    let is_patient = !is_decisive || budget < PATIENT_BUDGET_NS && best > affordable;
    let stays = |(i, &(forecast, tried)): (usize, &(f64, TrialResult))| {
        let is_fastest = fastest_index == Some(i) && fastest_rate > 0.0;
        let is_spared = is_patient && [PROBING_PLAN, Plan::Tree].contains(&tried.plan);
        let lags = rate(&tried) < min_share * fastest_rate
            && forecast > max_forecast_of_laggard(tried.plan, budget);
        (is_fastest || is_spared || i < max_kept && !lags).then_some(tried)
    };
    let mut plans: Vec<TrialResult> = forecasts.iter().enumerate().filter_map(stays).collect();
    if is_decisive {
        // The plan that proves most comes first, in case the time does not suffice for all.
        let rate = |tried: &TrialResult| match Some(tried.plan) == leader {
            true => INCUMBENT_FACTOR * rate(tried),
            false => rate(tried),
        };
        plans.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    } else {
        let of = |plan: Plan| forecasts.iter().find(|(_, tried)| tried.plan == plan);
        let (probing, former) = (of(PROBING_PLAN), leader.and_then(of));
        let min_rate = |tried: &TrialResult| MIN_PROVED / tried.spent as f64;
        let probing_leads = probing.is_some_and(|&(forecast, tried)| {
            let rate = rate(&tried).max(min_rate(&tried));
            // Then several workers have shared its walk.
            let max_forecast = match tried.is_recent {
                true => MAX_LEADER_FORECAST_IF_SHARED,
                false => MAX_LEADER_FORECAST * fastest_rate / (LEAD_FACTOR * rate),
            };
            let is_far = |index: usize| forecasts[index].0 > max_forecast * forecast;
            LEAD_FACTOR * rate >= fastest_rate || fastest_index.is_some_and(is_far)
        });
        let is_sooner =
            |(former, probing): (&(f64, _), &(f64, _))| INCUMBENT_FACTOR * former.0 < probing.0;
        let leader = match probing_leads {
            true if former.zip(probing).is_some_and(is_sooner) => leader,
            true => Some(PROBING_PLAN),
            false => fastest_plan,
        };
        // The others keep their order behind the leader.
        plans.sort_by_key(|tried| Some(tried.plan) != leader);
    }
    (plans, best)
}

/// Whether a plan with the result `tried` from the round before sits out a round of this budget, because the leader has just proved far more
/// in the same work. `led` and `before` are the results of the leader in this round and before it.
pub(crate) fn sits_out(
    tried: &TrialResult,
    led: &TrialResult,
    before: &TrialResult,
    budget: u64,
) -> bool {
    let recent = TrialResult {
        spent: led.spent.saturating_sub(before.spent),
        proved: led.proved - before.proved,
        ..*led
    };
    let max_forecast = max_forecast_of_laggard(tried.plan, budget);
    budget >= DECISIVE_BUDGET_NS
        && rate(tried) < MIN_RATE_SHARE * rate(&recent)
        && tried.forecast > max_forecast
}

/// Maximum forecast of a plan that stays, or has its turn, although it lags behind.
fn max_forecast_of_laggard(plan: Plan, budget: u64) -> f64 {
    let rounds = match plan {
        PROBING_PLAN => AFFORDABLE_ROUNDS,
        _ => NEAR_END_ROUNDS,
    };
    rounds * budget as f64
}

/// The nanoseconds of work that are left for the leader, from its recent progress, for the comparison with a sweep, and at most
/// [`MAX_SLOWDOWN`] times what it would be by all its progress. `before` has the results of the round before.
pub(crate) fn leader_remaining(leader: &TrialResult, before: &[TrialResult]) -> f64 {
    let remaining = (leader.recent_remaining(before)).min(MAX_SLOWDOWN * leader.remaining());
    match leader.spent < DECISIVE_BUDGET_NS {
        true => EARLY_LEADER_FACTOR * remaining,
        false => remaining,
    }
}

/// What is left of a sweep. Forecasts of sweeps may grow on the way, so what is left is taken up to [`EARLY_FORECAST`] times.
pub(crate) fn cautious_remaining(sweep: &TrialResult) -> f64 {
    let share = sweep.spent as f64 / sweep.forecast;
    (EARLY_FORECAST - (EARLY_FORECAST - 1.0) * share) * sweep.remaining()
}

/// The sweeps that stay after a round of this budget, the better one first. `best_order` is the best forecast of an order.
pub(crate) fn select_sweeps(
    mut sweeps: Vec<TrialResult>,
    best_order: f64,
    budget: u64,
) -> Vec<TrialResult> {
    let max_forecast = match budget < DECISIVE_BUDGET_NS {
        true => MAX_SWEEP_FORECAST_NS,
        false => MAX_SWEEP_FORECAST_NS.min(BRANCH_ADVANTAGE * best_order),
    };
    sweeps.retain(|tried| tried.remaining() < max_forecast);
    sweeps.sort_by(|a, b| cautious_remaining(a).total_cmp(&cautious_remaining(b)));
    sweeps
}

/// Whether a sweep has done at least [`STEADY_SHARE`] of its forecast, or the forecast is at most [`MAX_FORECAST_GROWTH`] times its forecast
/// in `before`, the results of the trials before. True if `before` has no result of the sweep.
pub(crate) fn is_steady(sweep: &TrialResult, before: &[TrialResult]) -> bool {
    let earlier = before.iter().find(|tried| tried.plan == sweep.plan);
    let has_done_much = sweep.spent as f64 >= STEADY_SHARE * sweep.forecast;
    has_done_much
        || earlier.is_none_or(|earlier| sweep.forecast <= MAX_FORECAST_GROWTH * earlier.forecast)
}

/// Whether the first of these sweeps is due in a round in which the leader has this work, by its last two forecasts: the first short one
/// may be an accident. `before` has the results of the round before.
pub(crate) fn is_due(sweeps: &[TrialResult], before: &[TrialResult], leader_work: u64) -> bool {
    let Some(sweep) = sweeps.first() else {
        return false;
    };
    let earlier = before.iter().find(|tried| tried.plan == sweep.plan);
    let forecast = earlier.map_or(f64::INFINITY, |earlier| {
        earlier.remaining().max(sweep.remaining())
    });
    is_steady(sweep, before) && forecast < MAX_DUE_FORECAST * leader_work as f64
}

/// Solutions proved per nanosecond of work, for comparing plans. The rate of the tree search is reduced: it has no component table, so it
/// does not get faster with time.
fn rate(tried: &TrialResult) -> f64 {
    match tried.plan {
        Plan::Tree => tried.rate() / LEAD_FACTOR,
        _ => tried.rate(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::sweep::Direction;

    const DOWN: Plan = Plan::Branch(Order::Down);
    const OTHER: Plan = Plan::Branch(Order::Narrow);
    const SWEEP: Plan = Plan::Sweep(Direction::Down);

    fn tried(plan: Plan, spent: u64, forecast: f64, proved: f64) -> TrialResult {
        TrialResult {
            plan,
            spent,
            forecast,
            proved,
            is_recent: false,
        }
    }

    /// The plans that stay of these two. The first one has a rate of 1 solution per nanosecond.
    fn stay(
        forecast: f64,
        other: Plan,
        other_rate: f64,
        other_forecast: f64,
        budget: u64,
    ) -> usize {
        let work = budget as f64;
        let plans = vec![
            tried(DOWN, budget, forecast, work),
            tried(other, budget, other_forecast, other_rate * work),
        ];
        let (plans, best) = select_plans(plans, &[], budget, None);
        assert_eq!(best, forecast.min(other_forecast));
        assert_eq!(plans[0].plan, DOWN);
        plans.len()
    }

    #[test]
    fn two_plans_stay_in_the_first_rounds_and_without_a_forecast() {
        let budget = TWO_PLANS_BUDGET_NS;
        assert_eq!(stay(1e15, OTHER, 0.9, 2e15, budget - 1), 2);
        assert_eq!(stay(1e15, OTHER, 0.9, 2e15, budget), 1);
        assert_eq!(stay(f64::INFINITY, OTHER, 0.9, f64::INFINITY, budget), 2);
    }

    #[test]
    fn a_plan_that_proves_little_stays_only_near_its_end() {
        let budget = 10_000_000_000;
        assert_eq!(stay(1e15, OTHER, 0.1, 1.9e10, budget), 2);
        assert_eq!(stay(1e15, OTHER, 0.1, 2.1e10, budget), 1);
        assert_eq!(stay(1e15, PROBING_PLAN, 0.1, 15e10, budget), 2);
        assert_eq!(stay(1e15, PROBING_PLAN, 0.1, 17e10, budget), 1);
    }

    #[test]
    fn a_plan_that_proves_next_to_nothing_is_dropped_earlier() {
        let budget = FIRST_LAG_BUDGET_NS;
        assert_eq!(stay(1e15, OTHER, 0.04, 1e15, budget - 1), 2);
        assert_eq!(stay(1e15, OTHER, 0.04, 1e15, budget), 1);
        assert_eq!(stay(1e15, OTHER, 0.04, 5.9e8, budget), 2);
        assert_eq!(stay(1e15, OTHER, 0.06, 1e15, budget), 2);
        assert_eq!(stay(1e15, OTHER, 0.06, 1e15, DECISIVE_BUDGET_NS), 1);
        // The probing order and the tree search are spared until later.
        assert_eq!(stay(1e15, PROBING_PLAN, 0.04, 1e15, budget), 2);
        assert_eq!(stay(1e15, Plan::Tree, 0.04, 1e15, budget), 2);
    }

    /// In the first 7.6 s of TAAI 2011 #486, the tree search had 1.8 s, although the leader had just proved 1723 solutions in the time in
    /// which the tree search proved 587.
    #[test]
    fn a_plan_sits_a_decisive_round_out_if_the_leader_has_just_proved_far_more() {
        let budget = DECISIVE_BUDGET_NS;
        let sits_out = |plan: Plan, rate: f64, forecast: f64, budget: u64| {
            let before = tried(DOWN, budget, 1e15, 1e-3 * budget as f64);
            let led = tried(DOWN, 3 * budget, 1e15, 2.001 * budget as f64);
            let plan = tried(plan, budget, forecast, rate * budget as f64);
            super::sits_out(&plan, &led, &before, budget)
        };
        assert!(sits_out(OTHER, 0.24, 1e15, budget));
        assert!(!sits_out(OTHER, 0.26, 1e15, budget));
        assert!(!sits_out(OTHER, 0.24, 1e15, budget - 1));
        assert!(!sits_out(OTHER, 0.24, 1.9 * budget as f64, budget));
        assert!(sits_out(PROBING_PLAN, 0.24, 17.0 * budget as f64, budget));
        assert!(!sits_out(PROBING_PLAN, 0.24, 15.0 * budget as f64, budget));
        assert!(sits_out(Plan::Tree, 0.6, 1e15, budget));
        assert!(!sits_out(Plan::Tree, 0.7, 1e15, budget));
    }

    /// The plan that leads after a round of this budget, led by the probing order, which has proved 1000 solutions. `other` has this rate, as
    /// a multiple of that of the probing order, and this forecast, as a multiple of the other forecast.
    fn leader(budget: u64, other_rate: f64, other_forecast: f64, is_shared: bool) -> Plan {
        let probing = TrialResult {
            is_recent: is_shared,
            ..tried(PROBING_PLAN, budget, 1e12, 1000.0)
        };
        let other = tried(OTHER, budget, other_forecast * 1e12, other_rate * 1000.0);
        let (plans, _) = select_plans(vec![probing, other], &[], budget, Some(PROBING_PLAN));
        assert_eq!(plans.len(), 2);
        plans[0].plan
    }

    #[test]
    fn another_plan_leads_the_first_rounds_if_it_proves_more_and_its_forecast_is_not_far_worse() {
        let budget = DECISIVE_BUDGET_NS - 1;
        assert_eq!(leader(budget, 2.4, 1.0, false), PROBING_PLAN);
        assert_eq!(leader(budget, 2.6, 1.0, false), OTHER);
        assert_eq!(leader(budget, 2.6, 4.1, false), OTHER);
        assert_eq!(leader(budget, 2.6, 4.2, false), PROBING_PLAN);
    }

    /// The probing order had four seconds of ICGA 2021 #529 because its forecast was 4.7 times shorter, although the plan that had led until
    /// then had proved fourteen times as much in the same work.
    #[test]
    fn the_more_another_plan_proves_the_longer_its_forecast_may_be() {
        let budget = DECISIVE_BUDGET_NS - 1;
        assert_eq!(leader(budget, 14.0, 4.7, false), OTHER);
        assert_eq!(leader(budget, 25.0, 39.0, false), OTHER);
        assert_eq!(leader(budget, 25.0, 41.0, false), PROBING_PLAN);
    }

    /// TAAI 2011 #470 took 11 or 21 seconds on eight threads: when the shared walk in the probing order had done 78 % and proved 50,000 of
    /// 1.8 million solutions, a walk of one worker, which had done 10 %, seemed six times as quick.
    #[test]
    fn a_plan_of_one_worker_leads_instead_of_a_shared_walk_only_with_half_of_its_forecast() {
        let budget = DECISIVE_BUDGET_NS - 1;
        assert_eq!(leader(budget, 6.0, 0.6, true), PROBING_PLAN);
        assert_eq!(leader(budget, 6.0, 0.4, true), OTHER);
        assert_eq!(leader(budget, 2.4, 0.4, true), PROBING_PLAN);
    }

    /// A walk of TCGA 2016 #445 had done nine tenths, and then the probing order and a long sweep came before it.
    #[test]
    fn the_leader_of_a_first_round_leads_on_if_it_is_expected_to_end_far_sooner() {
        let leader = |forecast: f64, former: Plan| {
            let plans = vec![
                tried(PROBING_PLAN, 1000, 1e12, 1000.0),
                tried(OTHER, 1000, forecast, 1000.0),
            ];
            select_plans(plans, &[], DECISIVE_BUDGET_NS - 1, Some(former)).0[0].plan
        };
        assert_eq!(leader(0.4e12, OTHER), OTHER);
        assert_eq!(leader(0.6e12, OTHER), PROBING_PLAN);
        assert_eq!(leader(0.4e12, PROBING_PLAN), PROBING_PLAN);
    }

    /// TCGA 2016 #445 took 14 instead of 9 seconds of work on two threads: the leader had proved six times as much as the probing order, and
    /// gave way to it, because the walk of the leader had been shared.
    #[test]
    fn a_shared_leader_that_proves_more_than_the_walk_of_one_worker_leads_on() {
        let (budget, forecast) = (DECISIVE_BUDGET_NS - 1, 1e12);
        for is_shared in [false, true] {
            let plans = vec![
                tried(PROBING_PLAN, budget, forecast, 1000.0),
                TrialResult {
                    is_recent: is_shared,
                    ..tried(OTHER, budget, 0.6 * forecast, 6000.0)
                },
            ];
            let (plans, _) = select_plans(plans, &[], budget, Some(OTHER));
            assert_eq!(plans[0].plan, OTHER);
        }
    }

    #[test]
    fn another_plan_leads_later_rounds_if_it_proves_twice_as_much() {
        let budget = DECISIVE_BUDGET_NS;
        assert_eq!(leader(budget, 1.9, 1.0, true), PROBING_PLAN);
        assert_eq!(leader(budget, 2.1, 1.0, true), OTHER);
        assert_eq!(leader(budget, 2.1, 100.0, true), OTHER);
    }

    #[test]
    fn the_tree_search_stays_for_a_while_if_no_order_is_near_its_end() {
        let budget = 2_000_000_000;
        assert_eq!(stay(1e12, Plan::Tree, 0.0, 1e15, budget), 2);
        assert_eq!(stay(32e9, Plan::Tree, 0.0, 1e15, budget), 1);
        assert_eq!(stay(1e10, Plan::Tree, 0.0, 1e15, budget), 1);
        assert_eq!(stay(1e12, Plan::Tree, 0.0, 1e15, PATIENT_BUDGET_NS), 1);
    }

    #[test]
    fn sweeps_stay_up_to_a_forecast_and_later_up_to_a_multiple_of_that_of_an_order() {
        let stays = |forecast: f64, best_order: f64, budget: u64| {
            let sweeps = vec![tried(SWEEP, 0, forecast, 0.0)];
            !select_sweeps(sweeps, best_order, budget).is_empty()
        };
        assert!(stays(9e12, 1.0, DECISIVE_BUDGET_NS - 1));
        assert!(!stays(1e13, 1.0, DECISIVE_BUDGET_NS - 1));
        assert!(stays(3.1e10, 1e9, DECISIVE_BUDGET_NS));
        assert!(!stays(3.3e10, 1e9, DECISIVE_BUDGET_NS));
        assert!(!stays(1e13, 1e15, DECISIVE_BUDGET_NS));
    }

    /// With eight threads, random 15x15 puzzle 4 took ten times the work of one thread, because a walk seemed to be near its end.
    #[test]
    fn what_is_left_of_an_early_leader_is_taken_four_times() {
        for (spent, factor) in [(DECISIVE_BUDGET_NS - 1, 4.0), (DECISIVE_BUDGET_NS, 1.0)] {
            let leader = tried(DOWN, spent, 2.0 * spent as f64, 0.0);
            assert_eq!(leader_remaining(&leader, &[]), factor * spent as f64);
            // The share grew from a quarter to a half in the last three quarters of the work, so the other half takes twice as much.
            let before = tried(DOWN, spent / 4, spent as f64, 0.0);
            let remaining = leader_remaining(&leader, &[before]);
            assert!((remaining / (1.5 * factor * spent as f64) - 1.0).abs() < 1e-6);
        }
    }

    /// A random 25x25 puzzle took five times the work, because a walk that had done three quarters, and had lost a part of that when it paused,
    /// seemed to be stuck. So a sweep that took much longer went on.
    #[test]
    fn a_leader_without_progress_is_eight_times_slower_at_most() {
        for (spent, factor) in [(DECISIVE_BUDGET_NS - 1, 4.0), (DECISIVE_BUDGET_NS, 1.0)] {
            let before = tried(DOWN, spent / 2, 0.5 / 0.75 * spent as f64, 0.0);
            let leader = tried(DOWN, spent, spent as f64 / 0.74, 0.0);
            assert_eq!(leader.recent_remaining(&[before]), f64::INFINITY);
            let remaining = leader_remaining(&leader, &[before]) / spent as f64;
            assert!((remaining / (8.0 * factor * (1.0 / 0.74 - 1.0)) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_forecast_of_a_sweep_is_trusted_more_the_more_is_done() {
        for (spent, remaining) in [(0, 200.0), (50, 75.0), (100, 0.0)] {
            let sweep = tried(SWEEP, spent, 100.0, 0.0);
            assert_eq!(cautious_remaining(&sweep), remaining);
        }
    }

    #[test]
    fn a_sweep_is_due_below_four_times_the_work_of_the_leader() {
        let is_due = |now: f64, before: f64| {
            let [now, before] = [now, before].map(|forecast| tried(SWEEP, 0, forecast, 0.0));
            is_due(&[now], &[before], 25)
        };
        assert!(is_due(99.0, 99.0) && !is_due(100.0, 99.0) && !is_due(99.0, 100.0));
        // A forecast that has just grown by far is not believed.
        assert!(is_due(35.0, 10.0) && !is_due(36.0, 10.0));
    }

    #[test]
    fn a_sweep_is_steady_from_a_quarter_of_its_forecast_on() {
        let before = tried(SWEEP, 10, 20.0, 0.0);
        for (spent, steady) in [(24, false), (25, true), (90, true)] {
            assert_eq!(
                is_steady(&tried(SWEEP, spent, 100.0, 0.0), &[before]),
                steady
            );
            // Of another plan there is nothing to compare with.
            let other = TrialResult {
                plan: DOWN,
                ..before
            };
            assert!(is_steady(&tried(SWEEP, spent, 100.0, 0.0), &[other]));
        }
    }

    #[test]
    fn the_rate_of_the_tree_search_is_reduced() {
        assert_eq!(rate(&tried(DOWN, 100, 1.0, 250.0)), 2.5);
        assert_eq!(rate(&tried(Plan::Tree, 100, 1.0, 250.0)), 1.0);
    }
}
