//! Selects the plans that stay after a round, and the one that leads the next.
//!
//! A forecast is derived from guessed weights; the number of solutions that a plan has proved is certain. So the plan that proves most in
//! the same work stays as well, and from [`DECISIVE_BUDGET_NS`] on plans that prove far less are dropped, unless they are near their end.
//! One plan leads each round: it comes first and has at least as much work as all others together. In the first rounds the probing order
//! leads, unless another plan proves far more; later the plan that proves most leads. The tree search is one of the plans; it is the best
//! one where components hardly repeat.

use crate::count::branch::order::Order;
use crate::count::plan::{Plan, TrialResult};

/// From this budget on, in nanoseconds of work, plans can rule each other out, and an order can rule out sweeps.
pub(crate) const DECISIVE_BUDGET_NS: u64 = 1_200_000_000;

/// Below this budget, in nanoseconds, the probing order and the tree search stay as long as no order is near its end.
const PATIENT_BUDGET_NS: u64 = 5_000_000_000;

/// From [`DECISIVE_BUDGET_NS`] on, an order is dropped if it proves less than this share of what another one proves in the same work,
/// unless its forecast is less than [`NEAR_END_ROUNDS`] rounds.
const MIN_RATE_SHARE: f64 = 0.25;

/// Forecasts of orders that lag behind tend to grow from round to round, so only one that is nearly due is believed. The probing order may
/// take [`AFFORDABLE_ROUNDS`].
const NEAR_END_ROUNDS: f64 = 2.0;
const AFFORDABLE_ROUNDS: f64 = 16.0;

/// The branching order that probes. It is the best one on most puzzles, or close to the best one, so it leads the first rounds.
const PROBING_PLAN: Plan = Plan::Branch(Order::Probed);

/// Another plan leads instead of the probing order when its rate is more than this multiple of the rate of the probing order. The rate of
/// the tree search is divided by it.
const LEAD_FACTOR: f64 = 2.5;

/// For that comparison, the probing order counts as having proved at least this number of solutions.
const MIN_PROVED: f64 = 1000.0;

/// The leading plan has at least the work of all others together. It has this work one more time for each power of ten by which its rate
/// exceeds the rate of every other plan; at most this number of times in all.
const MAX_LEAD: u64 = 4;

/// Below this budget, in nanoseconds, at least two plans stay, because the first rounds are weak evidence.
const TWO_PLANS_BUDGET_NS: u64 = 25_000_000_000;

/// A sweep is dropped when its forecast is this or more, in nanoseconds of work.
const MAX_SWEEP_FORECAST_NS: f64 = 1e13;

/// A sweep is due when its last two forecasts are less than this multiple of the work of the leader.
const MAX_DUE_FORECAST: f64 = 4.0;

/// Factor by which the forecast of a sweep grows on the way, if it is made early: 3 to 6 on random 15x15 puzzles.
const EARLY_FORECAST: f64 = 4.0;

/// Sweeps are dropped when the best forecast of an order, times this factor, is less than the forecast of the sweep.
const BRANCH_ADVANTAGE: f64 = 32.0;

/// The plans other than sweeps that stay after a round of this budget, and the best forecast. The leader of the next round comes first;
/// from [`DECISIVE_BUDGET_NS`] on all are sorted by [`rate`]. `before` has the results of the round before.
pub(crate) fn select_plans(
    plans: Vec<TrialResult>,
    before: &[TrialResult],
    budget: u64,
) -> (Vec<TrialResult>, f64) {
    let mut forecasts: Vec<(f64, TrialResult)> = plans
        .into_iter()
        .map(|tried| {
            let earlier = before.iter().find(|same| same.plan == tried.plan);
            (tried.recent_forecast(earlier), tried)
        })
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
    let (affordable, near_end) = (
        AFFORDABLE_ROUNDS * budget as f64,
        NEAR_END_ROUNDS * budget as f64,
    );
    let is_patient = !is_decisive || budget < PATIENT_BUDGET_NS && best > affordable;
    let stays = |(i, &(forecast, tried)): (usize, &(f64, TrialResult))| {
        let is_fastest = fastest_index == Some(i) && fastest_rate > 0.0;
        let is_spared = is_patient && [PROBING_PLAN, Plan::Tree].contains(&tried.plan);
        let max_forecast = match tried.plan {
            PROBING_PLAN => affordable,
            _ => near_end,
        };
        let lags =
            is_decisive && rate(&tried) < MIN_RATE_SHARE * fastest_rate && forecast > max_forecast;
        (is_fastest || is_spared || i < max_kept && !lags).then_some(tried)
    };
    let mut plans: Vec<TrialResult> = forecasts.iter().enumerate().filter_map(stays).collect();
    let probing = plans.iter().find(|tried| tried.plan == PROBING_PLAN);
    let min_rate = |tried: &TrialResult| MIN_PROVED / tried.spent as f64;
    let probing_leads =
        probing.is_some_and(|tried| LEAD_FACTOR * rate(tried).max(min_rate(tried)) >= fastest_rate);
    if is_decisive {
        // The plan that proves most comes first, in case the time does not suffice for all.
        plans.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    } else if let Some(leader) = if probing_leads {
        Some(PROBING_PLAN)
    } else {
        fastest_plan
    } {
        // The others keep their order behind the leader.
        plans.sort_by_key(|tried| tried.plan != leader);
    }
    (plans, best)
}

/// What is left of a sweep. Forecasts of sweeps tend to grow on the way, so what is left is taken up to [`EARLY_FORECAST`] times.
fn cautious_remaining(sweep: &TrialResult) -> f64 {
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
    forecast < MAX_DUE_FORECAST * leader_work as f64
}

/// Solutions proved per nanosecond of work, for comparing plans. The rate of the tree search is reduced: it has no component table, so it
/// does not get faster with time.
fn rate(tried: &TrialResult) -> f64 {
    match tried.plan {
        Plan::Tree => tried.rate() / LEAD_FACTOR,
        _ => tried.rate(),
    }
}

/// The work of the first of these plans in the next round, as a multiple of that of all others together.
pub(crate) fn lead_factor(plans: &[TrialResult]) -> u64 {
    let Some((first, others)) = plans.split_first() else {
        return 1;
    };
    let rates = others.iter().map(rate);
    // If no other plan has proved a solution, the best of them is assumed to have proved one in the work of the first plan.
    let next = rates.fold(1.0 / first.spent.max(1) as f64, f64::max);
    let powers = (rate(first) / next).max(1.0).log10();
    (1 + powers as u64).min(MAX_LEAD)
}
