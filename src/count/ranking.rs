//! Selects the plans that stay after a round, and the one that leads the next.
//!
//! A forecast is derived from guessed weights; the number of solutions that a plan has proved is certain. So the plan that proves most in
//! the same work stays as well, and from [`CLEAR_BUDGET_NS`] on plans that prove far less are dropped, unless they are near their end. One
//! plan leads each round: it comes first and has at least as much work as all others together. In the first rounds the probing order leads,
//! unless another plan proves far more; later the plan that proves most leads. The tree search is one of the plans; it is the best one
//! where components hardly repeat.

use super::branch::order::Order;
use super::plan::{Plan, TrialResult};

/// From this budget on, in nanoseconds of work, only the better direction is swept, and sweeps and orders can rule each other out.
pub(crate) const CLEAR_BUDGET_NS: u64 = 1_200_000_000;

/// Below this budget, in nanoseconds, the probing order and the tree search stay as long as no order is near its end.
const PATIENT_BUDGET_NS: u64 = 5_000_000_000;

/// From [`CLEAR_BUDGET_NS`] on, an order is dropped if it proves less than this share of what another one proves in the same work, unless
/// its forecast is less than [`AFFORDABLE_ROUNDS`] rounds.
const MIN_RATE_SHARE: f64 = 0.25;

/// The probing order is the best one on most puzzles, or close to the best one, so it leads the first rounds.
const PROBING: Plan = Plan::Branch(Order::Probed);

/// Another plan leads instead when it proves more than this factor times the solutions that the probing order proves in the same work; the
/// rate of the tree search is divided by it. A probing order that has proved less than the second number is treated as if it had proved
/// that many solutions.
const LEAD_FACTOR: f64 = 2.5;
const MIN_PROVED: f64 = 1000.0;

/// The leading plan has the work of all others together, and that once more for each power of ten by which it proves more solutions in the
/// same work than any other one: at most this multiple.
const MAX_LEAD: u64 = 4;

/// Below this budget, in nanoseconds, at least two orders stay, because the first rounds are weak evidence.
const TWO_PLANS_BUDGET_NS: u64 = 25_000_000_000;

/// A sweep is dropped when its forecast is this or more, in nanoseconds of work.
const MAX_SWEEP_FORECAST_NS: f64 = 1e13;

/// All threads sweep when the forecast of the sweep times this factor is less than that of any order.
const SWEEP_ADVANTAGE: f64 = 4.0;

/// They also do so when the forecast of the sweep is less than this number of rounds, each of the budget of the last one: a plan that ends
/// that soon is affordable in any case.
const AFFORDABLE_ROUNDS: f64 = 16.0;

/// Sweeps are dropped when the forecast of an order times this factor is less than that of the sweep.
const BRANCH_ADVANTAGE: f64 = 32.0;

/// The orders that stay after a round of this budget, and the best forecast. The leader of the next round comes first; from
/// [`CLEAR_BUDGET_NS`] on all are sorted by the solutions that they prove. `before` has the results of the previous round.
pub(crate) fn best_of(
    orders: Vec<TrialResult>,
    before: &[TrialResult],
    budget: u64,
) -> (Vec<TrialResult>, f64) {
    let mut forecasts: Vec<(f64, TrialResult)> = orders
        .into_iter()
        .map(|tried| {
            let earlier = before.iter().find(|same| same.plan == tried.plan);
            (tried.forecast(earlier), tried)
        })
        .collect();
    // The sort is stable and ties are broken, so that runs are reproducible.
    forecasts.sort_by(|(a, x), (b, y)| {
        let even = || x.foreseen.total_cmp(&y.foreseen);
        a.total_cmp(b).then_with(even)
    });
    let best = forecasts.first().map_or(f64::INFINITY, |&(best, _)| best);
    let fewest = match budget < TWO_PLANS_BUDGET_NS || best.is_infinite() {
        true => 2,
        false => 1,
    };
    let most = forecasts.len().div_ceil(2).max(fewest);
    let rates = forecasts.iter().map(|(_, tried)| rate(tried));
    let fastest_rate = rates.fold(0.0, f64::max);
    let leads = |(_, tried): &(f64, TrialResult)| rate(tried) == fastest_rate;
    let leader = forecasts.iter().position(leads);
    let fastest = leader.map(|leader| forecasts[leader].1.plan);
    let (clear, soon) = (budget >= CLEAR_BUDGET_NS, AFFORDABLE_ROUNDS * budget as f64);
    let patient = !clear || budget < PATIENT_BUDGET_NS && best > soon;
    let stays = |(i, &(forecast, tried)): (usize, &(f64, TrialResult))| {
        let leads = leader == Some(i) && fastest_rate > 0.0;
        let probes = patient && [PROBING, Plan::Tree].contains(&tried.plan);
        let lags = clear && rate(&tried) < MIN_RATE_SHARE * fastest_rate && forecast > soon;
        (leads || probes || i < most && !lags).then_some(tried)
    };
    let mut orders: Vec<TrialResult> = forecasts.iter().enumerate().filter_map(stays).collect();
    let thorough = orders.iter().find(|tried| tried.plan == PROBING);
    let least = |tried: &TrialResult| MIN_PROVED / tried.spent as f64;
    let leads =
        thorough.is_some_and(|tried| LEAD_FACTOR * rate(tried).max(least(tried)) >= fastest_rate);
    if clear {
        // The plan that proves most comes first, in case the time does not suffice for all.
        orders.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    } else if let Some(leader) = if leads { Some(PROBING) } else { fastest } {
        // The others keep their order behind the leader.
        orders.sort_by_key(|tried| tried.plan != leader);
    }
    (orders, best)
}

/// The sweeps that stay after a round of this budget, and whether all threads are to sweep. The best forecast of an order is `order`.
pub(crate) fn best_sweeps(
    mut sweeps: Vec<TrialResult>,
    order: f64,
    budget: u64,
) -> (Vec<TrialResult>, bool) {
    let mut together = false;
    sweeps.sort_by(|a, b| a.foreseen.total_cmp(&b.foreseen));
    let clear = budget >= CLEAR_BUDGET_NS;
    if clear {
        sweeps.truncate(1);
    }
    sweeps.retain(|tried| tried.foreseen < MAX_SWEEP_FORECAST_NS);
    if let (true, Some(sweep)) = (clear, sweeps.first()) {
        let sweep = sweep.foreseen;
        match order * BRANCH_ADVANTAGE < sweep {
            true => sweeps.clear(),
            false => {
                together =
                    sweep * SWEEP_ADVANTAGE < order || sweep < AFFORDABLE_ROUNDS * budget as f64
            }
        }
    }
    (sweeps, together)
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
pub(crate) fn lead_of(orders: &[TrialResult]) -> u64 {
    let Some((first, others)) = orders.split_first() else {
        return 1;
    };
    let rates = others.iter().map(rate);
    // If no other plan has proved a solution, the best of them is assumed to have proved one in the work of the first plan.
    let next = rates.fold(1.0 / first.spent.max(1) as f64, f64::max);
    let powers = (rate(first) / next).max(1.0).log10();
    (1 + powers as u64).min(MAX_LEAD)
}
