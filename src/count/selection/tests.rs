//! Tests of the choice between plans.

use super::*;

pub(super) fn next(selection: &mut PlanSelection) -> Option<Trial> {
    match selection.next() {
        Next::Try(trial) => Some(trial),
        _ => None,
    }
}

pub(super) fn spent(forecast: f64) -> TrialEnd {
    TrialEnd::Spent {
        forecast,
        proved: 0.0,
        is_recent: false,
    }
}

pub(super) fn plans(selection: &mut PlanSelection) -> Vec<Plan> {
    let first = next(selection).map(|trial| trial.plan);
    first
        .into_iter()
        .chain(selection.todo.iter().copied())
        .collect()
}

/// A short trial on several threads ended before it had got back to where the walk had been, and the plan was dropped because it seemed
/// to have proved 17 solutions instead of 1.3 million.
#[test]
fn a_trial_does_not_lose_what_an_earlier_one_has_proved() {
    let mut selection = PlanSelection::new(Method::Regions, 1, MIN_TRIAL_NS);
    let proved = |proved| TrialEnd::Spent {
        forecast: 1e9,
        proved,
        is_recent: false,
    };
    let first = next(&mut selection).unwrap();
    selection.report(first, proved(1000.0));
    let again = loop {
        let trial = next(&mut selection).unwrap();
        let is_again = trial.plan == first.plan;
        selection.report(trial, proved(17.0));
        if is_again {
            break selection.tried.last();
        }
    };
    assert_eq!(again.map(|tried| tried.proved), Some(1000.0));
}

#[test]
fn helpers_take_trials_for_one_worker_and_join_the_leader() {
    let mut selection = PlanSelection::new(Method::Auto, 2, MIN_HELPER_BUDGET_NS);
    let first = next(&mut selection).unwrap();
    assert!(matches!(selection.next_for_helper(), Next::Wait));
    selection.report(first, spent(1e9));
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
    let leader = loop {
        let trial = next(&mut selection).unwrap();
        if !trial.plan.is_sweep() {
            break trial;
        }
        selection.report(trial, spent(1e15));
    };
    assert!(!leader.is_solo && matches!(selection.next_for_helper(), Next::Join));
    selection.report(leader, spent(1e15));
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

pub(super) const DOWN: Plan = Plan::Sweep(Direction::Down);
pub(super) const RIGHT: Plan = Plan::Sweep(Direction::Right);

/// A selection after a round in which the orders had this forecast and the sweeps had others, in nanoseconds.
pub(super) fn after_round(orders: f64, down: f64, right: f64) -> PlanSelection {
    let mut selection = PlanSelection::new(Method::Auto, 1, DECISIVE_BUDGET_NS);
    let tried = |plan: Plan, forecast: f64| TrialResult {
        plan,
        spent: DECISIVE_BUDGET_NS,
        forecast,
        proved: 0.0,
        is_recent: false,
    };
    let orders = Order::ALL.map(|order| tried(Plan::Branch(order), orders));
    let sweeps = [tried(DOWN, down), tried(RIGHT, right)];
    selection.todo.clear();
    selection.before = sweeps.to_vec();
    selection.tried = orders.into_iter().chain(sweeps).collect();
    selection
}

/// Random 15x15 no. 7006 was counted by the sweep to the right, and not by the parts of the sweep down, which outgrew the memory first.
#[test]
fn sweeps_are_divided_when_all_have_outgrown_the_memory() {
    let mut selection = after_round(1e15, 1e9, 2e9);
    let sweep = next(&mut selection).unwrap();
    assert_eq!(sweep.plan, DOWN);
    selection.report(sweep, TrialEnd::Full);
    // The other direction waits.
    assert!(!selection.divides_sweeps() && !selection.todo.contains(&DOWN));
    let mut trial = next(&mut selection).unwrap();
    while trial.plan != RIGHT {
        selection.report(trial, spent(1e15));
        trial = next(&mut selection).unwrap();
    }
    selection.report(trial, TrialEnd::Full);
    assert!(selection.divides_sweeps());
    let again = next(&mut selection).unwrap();
    assert_eq!((again.plan, again.earlier_work), (DOWN, 0));
    assert_eq!(selection.waiting.len(), 1);
    assert_eq!(selection.waiting[0].plan, RIGHT);
    // Parts that do not fit either are given up.
    selection.report(again, TrialEnd::Full);
    assert!(!selection.todo.iter().any(|plan| plan.is_sweep()));
}

#[test]
fn a_sweep_that_is_due_has_the_work_of_the_leader_and_the_other_direction_waits() {
    let mut selection = after_round(1e15, 2e11, 1e11);
    let sweep = next(&mut selection).unwrap();
    let leader = next(&mut selection).unwrap();
    assert_eq!(sweep.plan, RIGHT);
    let work = |trial: Trial| trial.earlier_work + trial.budget;
    assert_eq!(work(sweep), work(leader));
    assert_eq!(leader.plan, Plan::Branch(Order::Down));
    assert!(!selection.todo.contains(&DOWN));
    // The sweep has no room. In the next round the other direction is due.
    selection.report(sweep, TrialEnd::Full);
    selection.report(leader, spent(1e15));
    while !selection.todo.is_empty() {
        let trial = next(&mut selection).unwrap();
        assert!(work(trial) < work(leader));
        selection.report(trial, spent(1e15));
    }
    let left = plans(&mut selection);
    assert!(left[0] == DOWN && !left.contains(&RIGHT), "{left:?}");
}

/// A sweep of TCGA 2016 #631, which was expected to need 9 more seconds, had 18 before another one was forecast: 43.
#[test]
fn a_sweep_that_is_due_is_judged_again_after_somewhat_more_work_than_it_is_expected_to_need() {
    let mut selection = after_round(1e15, 2e10, 1e10);
    let sweep = next(&mut selection).unwrap();
    let remaining = 1e10 - sweep.earlier_work as f64;
    assert_eq!(sweep.plan, RIGHT);
    assert!((sweep.budget as f64 / remaining - DUE_SWEEP_FACTOR).abs() < 1e-6);
}

/// On two threads, random 25x25 puzzle 8 took more than 15 seconds in two of three runs, because a sweep was prolonged, by 27 seconds of work,
/// after its forecast had grown from 4 to 21 seconds. The leader needed one more second.
#[test]
fn a_sweep_whose_forecast_has_just_grown_by_far_gives_way_to_the_leader() {
    let cases = [
        (1.0, 0.2, true),
        (3.4, 0.2, true),
        (3.6, 0.2, false),
        (3.6, 0.3, true),
        (10.0, 0.2, false),
    ];
    for (growth, done, goes_on) in cases {
        let mut selection = after_round(1e15, 2e10, 1e10);
        let sweep = next(&mut selection).unwrap();
        let forecast = growth * 1e10;
        let kept = (done * forecast) as u64;
        selection.report(sweep, TrialEnd::Paused { forecast, kept });
        let after = next(&mut selection).unwrap();
        assert_eq!(after.plan.is_sweep(), goes_on, "{growth} {done}");
    }
}

#[test]
fn the_leader_comes_before_a_sweep_if_it_is_expected_to_end_sooner() {
    // Forecasts of sweeps may grow, so one that is not much shorter than that of the leader does not come first.
    for (leader_forecast, is_first) in [(1e9, true), (2.2e9, true), (4e9, false)] {
        let mut selection = after_round(leader_forecast, 2e9, 2e9);
        let plans = plans(&mut selection);
        assert_eq!(plans[0] == Plan::Branch(Order::Down), is_first);
        assert_eq!(plans.last() == Some(&DOWN), is_first);
    }
}

/// A sweep of ICGA 2021 #565 that was expected to need 23 minutes came before the leader, so that 18 million solutions were proved in 15
/// seconds instead of 31 million.
#[test]
fn a_sweep_that_is_far_from_its_end_comes_last_once_the_budget_is_decisive() {
    let is_first = |selection: &mut PlanSelection| {
        let plans = plans(selection);
        assert!(plans.contains(&DOWN) && plans.contains(&RIGHT));
        plans[0].is_sweep()
    };
    assert!(!is_first(&mut after_round(1e15, 1e12, 1e12)));
    // It is not due, but by its last forecast it is near its end.
    let mut selection = after_round(1e15, 1e9, 1e12);
    selection.before[0].forecast = 1e12;
    assert!(is_first(&mut selection));
    let mut selection = after_round(1e15, 1e12, 1e12);
    selection.nominal_budget = DECISIVE_BUDGET_NS / BUDGET_GROWTH - 1;
    assert!(is_first(&mut selection));
}

#[test]
fn a_sweep_that_cannot_end_before_the_deadline_comes_last() {
    for (work_left, is_first) in [(f64::INFINITY, true), (6e9, true), (4e9, false)] {
        let mut selection = after_round(1e15, 1e12, 1e10);
        selection.set_work_left(work_left);
        let plans = plans(&mut selection);
        let (first, last) = (plans.first(), plans.last());
        assert_eq!(first == Some(&RIGHT), is_first);
        assert_eq!(last == Some(&RIGHT), !is_first);
    }
}

/// A sweep of TCGA 2016 #515 used up its work several times, and began again each time.
#[test]
fn a_paused_sweep_goes_on_unless_its_memory_was_freed() {
    for kept in [DECISIVE_BUDGET_NS / 2, 0] {
        let mut selection = after_round(1e15, 1e15, 1e9);
        selection.tried.retain(|tried| tried.plan != RIGHT);
        let forecast = 1e9;
        selection.tried.push(TrialResult {
            plan: RIGHT,
            spent: kept,
            forecast,
            proved: 0.0,
            is_recent: false,
        });
        let sweep = next(&mut selection).unwrap();
        assert_eq!((sweep.plan, sweep.earlier_work), (RIGHT, kept));
        let forecast = 1e15;
        selection.report(sweep, TrialEnd::Paused { forecast, kept });
        let result = selection.tried.last().map(|it| (it.spent, it.forecast));
        assert_eq!(result, Some((kept, forecast)));
    }
}

/// On some puzzles of 25x25 cells, the forecasts of one sweep fell from 1124 to 8 seconds, and much work was wasted on the sweep.
#[test]
fn a_sweep_is_due_only_if_its_forecast_has_been_short_twice() {
    let long = after_round(1e15, 1e12, 1e12);
    let mut shorter = after_round(1e15, 1e9, 1e12);
    shorter.before[0].forecast = 1e12;
    for mut selection in [long, shorter] {
        let mut trials = vec![next(&mut selection).unwrap()];
        while !selection.todo.is_empty() {
            trials.push(next(&mut selection).unwrap());
        }
        let leader = selection.leader.map(|(leader, _)| leader);
        let budget = |plan: Option<Plan>| {
            let trial = trials.iter().find(|trial| Some(trial.plan) == plan);
            trial.expect("it is tried").budget
        };
        assert!(budget(Some(DOWN)) < budget(leader) && budget(Some(RIGHT)) < budget(leader));
    }
}

/// Random puzzles of 15x15 cells, which a sweep counts in half a second, took 2 to 4 seconds, because a leader that was expected to need
/// more had its turn first.
#[test]
fn a_sweep_that_needs_less_than_the_rest_of_the_round_is_done_before_the_leader() {
    let sweep_ends = |forecast: f64| {
        let mut selection = after_round(1e15, forecast, 1e12);
        selection.before[0].forecast = 1e12;
        let mut work = Vec::new();
        loop {
            let trial = next(&mut selection).unwrap();
            if trial.plan != DOWN {
                return work;
            }
            let kept = trial.earlier_work + trial.budget;
            work.push(kept as f64);
            if kept as f64 >= forecast {
                let four = ComponentValue::number(Count::from(4));
                selection.report(trial, TrialEnd::Done(four));
                assert!(selection.is_over());
                return work;
            }
            selection.report(trial, TrialEnd::Paused { forecast, kept });
        }
    };
    let rest_of_round = 4.0 * DECISIVE_BUDGET_NS as f64 * Order::ALL.len() as f64;
    let work = sweep_ends(0.5 * rest_of_round);
    assert!(
        work.len() == 2 && work[1] >= 0.5 * rest_of_round,
        "{work:?}"
    );
    assert_eq!(sweep_ends(4.0 * rest_of_round).len(), 1);
}

/// On random 15x15 puzzle 4, two threads chose another leader than one after the same results.
#[test]
fn the_leader_of_the_second_round_does_not_depend_on_helpers() {
    let tried = |order: Order, forecast: f64, proved: f64, is_recent: bool| TrialResult {
        plan: Plan::Branch(order),
        spent: MIN_TRIAL_NS,
        forecast,
        proved,
        is_recent,
    };
    let leader = |is_shared: bool, is_later: bool| {
        let mut selection = PlanSelection::new(Method::Auto, 1, MIN_TRIAL_NS);
        selection.todo.clear();
        selection.tried = vec![
            tried(Order::Probed, 1e12, 1e4, is_shared),
            tried(Order::Narrow, 8e11, 1e5, false),
        ];
        let probing = Plan::Branch(Order::Probed);
        selection.leader = is_later.then_some((probing, MIN_TRIAL_NS));
        next(&mut selection).unwrap().plan
    };
    let [probing, narrow] = [Order::Probed, Order::Narrow].map(Plan::Branch);
    // In the first round no walk is shared.
    assert_eq!(leader(false, false), narrow);
    assert_eq!(leader(false, true), narrow);
    // Later the walk of the leader has been shared, and one that was not needs the better forecast by far.
    assert_eq!(leader(true, true), probing);
}

#[test]
fn the_leader_is_compared_with_a_sweep_by_its_recent_progress() {
    for (forecast_before, is_first) in [(2.2e9, true), (1.3e9, false)] {
        let mut selection = after_round(2.2e9, 2e9, 2e9);
        let leader = selection.tried[0];
        selection.before.push(TrialResult {
            spent: leader.spent / 2,
            forecast: forecast_before,
            ..leader
        });
        let plans = plans(&mut selection);
        assert_eq!(plans[0] == leader.plan, is_first, "{plans:?}");
    }
}

/// Random 15x15 puzzle 4004 took 31 seconds on one thread and 15 on two: a leader with two seconds left by its forecast, four times less than
/// a sweep, came before the sweep and had 15 seconds in vain.
#[test]
fn a_leader_that_comes_before_a_due_sweep_gets_no_more_than_twice_what_it_is_expected_to_need() {
    let budget = |orders: f64, sweep: f64| {
        let mut selection = after_round(orders, sweep, sweep);
        let first = next(&mut selection).unwrap();
        assert!(!first.plan.is_sweep() && selection.todo.contains(&DOWN));
        first.budget as f64
    };
    let round_work = 4.0 * DECISIVE_BUDGET_NS as f64;
    let spent = DECISIVE_BUDGET_NS as f64;
    let near = |budget: f64, expected: f64| assert!((budget / expected - 1.0).abs() < 1e-6);
    near(budget(spent + 1e10, 1e11), 2e10);
    // At least the work of the round.
    near(budget(spent + 1e9, 5e10), round_work - spent);
    // At most what a leader always has.
    let leader_work = 12.0 * round_work;
    near(budget(spent + 4e10, 1e11), leader_work - spent);
}

/// By `--method frontier`, one direction was swept without a limit, although its forecast had become five times that of the other.
#[test]
fn a_sweep_that_is_left_alone_gives_way_when_its_forecast_gets_worse() {
    let mut selection = PlanSelection::new(Method::Frontier, 1, MIN_TRIAL_NS);
    let mut down_alone = 0;
    loop {
        let trial = next(&mut selection).unwrap();
        let kept = trial.earlier_work + trial.budget;
        assert!(kept < 1_000_000_000_000, "{trial:?}");
        if down_alone > 0 && trial.plan == RIGHT {
            break;
        }
        let waits = !selection.waiting.is_empty() && trial.plan == DOWN;
        down_alone += u32::from(waits);
        let forecast: f64 = match (trial.plan, down_alone) {
            (DOWN, 0) => 1e9,
            (DOWN, _) => 1e13,
            _ => 2e9,
        };
        let forecast = forecast.max(1.1 * kept as f64);
        selection.report(trial, TrialEnd::Paused { forecast, kept });
    }
}

/// Random 15x15 puzzle 1 took 3.3 seconds, of which the quick trial took 1.6, because the walk did the first part quickly.
#[test]
fn the_last_plan_of_a_short_selection_is_tried_again_as_long_as_it_gets_on() {
    const PLANS: &[Plan] = &[Plan::Branch(Order::Down), Plan::Branch(Order::Probed)];
    let mut selection = PlanSelection::new_short(1, 20_000_000, PLANS);
    let first = next(&mut selection).unwrap();
    selection.report(first, spent(1e15));
    let mut budgets = Vec::new();
    for share in [0.1, 0.4, 0.9, 0.901] {
        let trial = next(&mut selection).unwrap();
        let earlier_work = budgets.last().map_or(0, |&budget| budget);
        assert_eq!((trial.plan, trial.earlier_work), (PLANS[1], earlier_work));
        budgets.push(earlier_work + trial.budget);
        selection.report(trial, spent(trial.budget as f64 / share));
        assert_eq!(selection.retry_last(), share < 0.901);
    }
    // The last share but one took 240 milliseconds for one half, so another 48 are expected.
    assert_eq!(budgets[..3], [20_000_000, 80_000_000, 320_000_000]);
    assert!(
        (budgets[3] as f64 / 2.5 / 368e6 - 1.0).abs() < 1e-3,
        "{budgets:?}"
    );
    assert!(next(&mut selection).is_none());
}

/// On two threads, a first walk would have counted random 25x25 puzzle 4 in 0.3 seconds, but its early forecast was 1.7 seconds. So a backbone
/// search came next, and the count took 1.7 seconds.
#[test]
fn the_last_plan_of_a_short_selection_is_tried_again_at_first_if_its_forecast_is_not_long() {
    let max_work = |forecast: f64| {
        let mut selection = PlanSelection::new_short(1, 20_000_000, &[Plan::Branch(Order::Probed)]);
        loop {
            let trial = next(&mut selection).unwrap();
            let work = trial.earlier_work + trial.budget;
            let share = work as f64 / forecast;
            selection.report(trial, spent(trial.budget as f64 / share));
            if !selection.retry_last() {
                return work;
            }
        }
    };
    assert_eq!(max_work(8.1e9), 20_000_000);
    assert_eq!(max_work(7.9e9), 1_280_000_000);
}

#[test]
fn a_plan_that_has_had_no_work_is_not_tried_again() {
    for forecast in [0.0, f64::NAN] {
        let mut selection = PlanSelection::new_short(1, 0, &[Plan::Branch(Order::Down)]);
        let trial = next(&mut selection).unwrap();
        selection.report(trial, spent(forecast));
        assert!(!selection.retry_last());
    }
}

#[test]
fn trials_are_for_one_worker_while_many_orders_are_left_and_the_budget_is_small() {
    const SHORT_PLANS: &[Plan] = &[
        Plan::Branch(Order::ALL[0]),
        Plan::Branch(Order::ALL[1]),
        Plan::Branch(Order::ALL[2]),
    ];
    assert!(!PlanSelection::new_short(1, 1, SHORT_PLANS).has_solo_trials);
    let has_solo_trials = |orders: usize, budget: u64| {
        let mut selection = PlanSelection::new(Method::Auto, 1, budget);
        let orders = Order::ALL[..orders].iter().copied().map(Plan::Branch);
        selection.todo = orders.chain([DOWN, RIGHT]).collect();
        selection.begin_trials();
        selection.has_solo_trials
    };
    assert!(has_solo_trials(3, 1) && has_solo_trials(3, DECISIVE_BUDGET_NS - 1));
    assert!(!has_solo_trials(2, 1) && !has_solo_trials(3, DECISIVE_BUDGET_NS));
}

#[test]
fn helpers_wait_where_trials_are_short_or_shared_or_may_not_begin() {
    let after_host = |budget: u64| {
        let mut selection = PlanSelection::new(Method::Auto, 1, budget);
        let first = next(&mut selection).unwrap();
        selection.report(first, spent(1e15));
        next(&mut selection).unwrap();
        selection
    };
    let is_tried = |mut selection: PlanSelection| match selection.next_for_helper() {
        Next::Try(_) => true,
        Next::Wait => false,
        other => panic!("{other:?}"),
    };
    assert!(is_tried(after_host(MIN_HELPER_BUDGET_NS)));
    assert!(!is_tried(after_host(MIN_HELPER_BUDGET_NS - 1)));
    let mut halted = after_host(MIN_HELPER_BUDGET_NS);
    halted.halt();
    assert!(!is_tried(halted));
    // While a sweep leads a round of few orders, their walks wait for all workers.
    let mut few = after_round(1e15, 1e15, 1e9);
    few.tried.retain(|tried| match tried.plan {
        Plan::Branch(order) => Order::ALL[..2].contains(&order),
        _ => true,
    });
    assert_eq!(next(&mut few).unwrap().plan, RIGHT);
    assert!(!is_tried(few));
}

/// With two threads, the helper worked on trials that nobody needed, while the host ended the count by a sweep on one thread.
#[test]
fn helpers_wait_while_a_sweep_that_is_expected_to_end_comes_before_the_leader() {
    let helper_waits = |sweep_work: u64, leader: Plan, is_prolonged: bool| {
        let mut selection = PlanSelection::new(Method::Auto, 1, MIN_HELPER_BUDGET_NS);
        selection.todo = [DOWN, Plan::Branch(Order::Up), Plan::Branch(Order::Left)].into();
        selection.leader = Some((leader, 8 * MIN_HELPER_BUDGET_NS));
        selection.sweep_work = sweep_work;
        if is_prolonged {
            selection.prolonged.push((DOWN, 2 * sweep_work));
        }
        selection.before = vec![TrialResult {
            plan: leader,
            spent: 1,
            forecast: 2.0,
            proved: 0.0,
            is_recent: false,
        }];
        assert_eq!(next(&mut selection).unwrap().plan, DOWN);
        matches!(selection.next_for_helper(), Next::Wait)
    };
    let (leader, had_its_turn) = (Plan::Branch(Order::Up), Plan::Branch(Order::Right));
    let budget = MIN_HELPER_BUDGET_NS;
    assert!(helper_waits(8 * budget, leader, false));
    assert!(helper_waits(budget, leader, true));
    assert!(!helper_waits(budget, leader, false));
    assert!(!helper_waits(8 * budget, had_its_turn, false));
}

/// Once, a plan had its turn in each round until it was dropped, however far the leader had got ahead of it in the round.
#[test]
fn a_plan_that_lags_far_behind_the_leader_sits_the_round_out_and_may_come_back() {
    let (leader, other) = (Plan::Branch(Order::Probed), Plan::Branch(Order::Down));
    let mut selection = PlanSelection::new(Method::Regions, 1, DECISIVE_BUDGET_NS);
    selection.todo.clear();
    selection.tried = [(leader, 2000.0), (other, 1500.0)]
        .map(|(plan, proved)| TrialResult {
            plan,
            spent: DECISIVE_BUDGET_NS,
            forecast: 1e15,
            proved,
            is_recent: false,
        })
        .to_vec();
    let proved = |proved| TrialEnd::Spent {
        forecast: 1e15,
        proved,
        is_recent: false,
    };
    let first = next(&mut selection).unwrap();
    assert_eq!(first.plan, leader);
    // In all this is less than four times the rate of the other plan, but since the round before it is more.
    selection.report(first, proved(45_000.0));
    let second = next(&mut selection).unwrap();
    assert_eq!(second.plan, leader);
    assert!(second.budget > first.budget);
    // It has not proved more since then.
    selection.report(second, proved(45_000.0));
    let third = next(&mut selection).unwrap();
    assert_eq!(
        (third.plan, third.earlier_work),
        (other, DECISIVE_BUDGET_NS)
    );
}

#[test]
fn no_trial_begins_after_a_halt() {
    let mut selection = PlanSelection::new(Method::Regions, 1, MIN_TRIAL_NS);
    let trial = next(&mut selection).unwrap();
    selection.halt();
    assert!(matches!(selection.next(), Next::Leave));
    selection.report(trial, spent(1e9));
    assert!(matches!(selection.next(), Next::Leave));
    assert!(matches!(selection.next_for_helper(), Next::Leave));
}

#[test]
fn the_last_plan_that_is_left_has_no_limit_but_that_of_the_selection() {
    for plan in [Plan::Branch(Order::Down), DOWN] {
        let mut selection = after_round(1e15, 1e9, 1e15);
        let limit = 1000 * DECISIVE_BUDGET_NS;
        selection.work_limit = limit;
        selection.tried.retain(|tried| tried.plan == plan);
        let trial = next(&mut selection).unwrap();
        assert_eq!(trial.plan, plan);
        assert_eq!(trial.earlier_work + trial.budget, limit);
        assert!(selection.todo.is_empty());
    }
}

#[test]
fn a_component_without_a_filling_ends_the_selection() {
    let mut selection = PlanSelection::new(Method::Regions, 3, MIN_TRIAL_NS);
    for (number, is_over) in [(4, false), (0, true)] {
        let trial = next(&mut selection).unwrap();
        let value = ComponentValue::number(Count::from(number));
        selection.report(trial, TrialEnd::Done(value));
        assert_eq!(selection.has_no_solution(), is_over);
        assert_eq!(selection.is_over(), is_over);
        assert_eq!(selection.state().is_none(), is_over);
    }
    assert_eq!(selection.result(), (Count::ZERO, 1));
    assert_eq!(selection.nodes(), None);
}
