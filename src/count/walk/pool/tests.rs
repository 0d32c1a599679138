use super::super::frame::Frame;
use super::super::order::Order;
use super::*;
use crate::board::Cell;
use crate::count::components::ComponentTable;
use crate::count::plan::Plan;
use crate::puzzle::Grid;

impl<W: Word> Walk<W> {
    /// Sets the number of workers that the walk takes to be idle. It offers tasks to idle workers.
    pub(in crate::count::walk) fn pretend_idle_workers(&self, workers: usize) {
        self.idle_workers.store(workers, Ordering::Relaxed);
    }

    /// Waits for a task, as [`Walk::wait_for_piece`] does.
    pub(in crate::count::walk) fn wait_for_task(&self) -> Option<WalkTask<W>> {
        match self.wait_for_piece()? {
            Piece::Task(task) => Some(task),
            Piece::Stack(stack) => panic!("{stack:?}"),
        }
    }

    /// The lower bound from what is left when the walk has ended without a count.
    fn bound_at_end(&self) -> Option<Count> {
        Some(self.pause(|| false)?.bound())
    }

    /// The share that is done, without an upper bound, and the bytes of what is unfinished.
    pub(in crate::count::walk) fn sums(&self) -> (u64, u64) {
        let sums = [&self.done, &self.unfinished_bytes];
        let [done, bytes] = sums.map(|sum| sum.load(Ordering::Relaxed));
        (done, bytes)
    }
}

fn walk() -> Walk<u64> {
    Walk::new(Trial {
        is_solo: false,
        ..Trial::of(Plan::Branch(Order::Down))
    })
}

fn component(key: u32) -> Component<u64> {
    Component {
        rows: [(0, 0b11), (1, 0b11), (2, 0b11)].into(),
        size: 6,
        key: vec![key; 5].into(),
    }
}

/// A task for the whole walk that nobody has begun.
fn task(walk: &Walk<u64>) -> WalkTask<u64> {
    WalkTask {
        rows: Vec::new(),
        component: component(1),
        side: None,
        owner: walk.root(),
        witness_above: None,
        weight: 0,
        path: Vec::new(),
        may_ask_oracle: false,
    }
}

/// Bytes of the cells and of the key of [`component`].
const ROWS: u64 = 3 * size_of::<(u16, u64)>() as u64;
const KEY: u64 = 5 * size_of::<u32>() as u64;

#[test]
fn a_component_in_progress_is_claimed_once_and_its_waiting_sides_are_charged() {
    let walk = walk();
    let side = Unfinished::product(Destination::WalkResult);
    let claim = |key, has_room| walk.claim(&component(key), 7, has_room, || Arc::clone(&side));
    assert_eq!(claim(1, true), Claim::Mine);
    assert_eq!(claim(2, false), Claim::Mine);
    assert_eq!(claim(1, false), Claim::Untracked);
    assert!(walk.has_room(1) && !walk.has_room(0));
    assert_eq!(claim(1, true), Claim::InProgress);
    let waits = ROWS + size_of::<WaitingSide<u64>>() as u64;
    let (_, bytes) = walk.sums();
    assert!((waits + 200..waits + 1000).contains(&bytes), "{bytes}");
    assert!(walk.has_room(bytes + 1) && !walk.has_room(bytes));
    assert_eq!(walk.release(&component(2).key).len(), 0);
    // The value fills the gap, and the stack's own gap is left.
    let store = Store::new(Arc::new(ComponentTable::new(1 << 20)), false, 0);
    let value = ComponentValue::number(Count::from(3));
    walk.fill_waiting(&store, &component(1).key, &value);
    assert_eq!(walk.sums(), (7, 0));
    assert!(!walk.is_over());
    walk.fill(&store, side, GapValue::number(Count::from(5)));
    match walk.take_end() {
        TrialEnd::Done(value) => assert_eq!(value.count, Count::from(15)),
        ended => panic!("{ended:?}"),
    }
}

#[test]
fn an_unfinished_component_is_charged_until_its_last_gap_is_filled() {
    let walk = walk();
    let store = Store::new(Arc::new(ComponentTable::new(1 << 20)), false, 0);
    let (side, open) = (walk.root(), Unfinished::open_component());
    open.add_gap();
    assert!(open.leave_stack(&Count::from(2), Vec::new()).is_none());
    let record = ComponentRecord {
        component: component(1),
        nodes: 1,
        recompute_cost: 1,
    };
    walk.charge(&record);
    let (_, bytes) = walk.sums();
    let min = ROWS + KEY + 200;
    assert!((min..min + 800).contains(&bytes), "{bytes}");
    open.close_component(Arc::clone(&side), record);
    assert_eq!(open.value(), Count::from(2));
    walk.fill(&store, Arc::clone(&open), GapValue::number(Count::ZERO));
    assert!(!walk.is_over());
    walk.fill(&store, open, GapValue::number(Count::from(4)));
    assert!(walk.is_over());
    assert_eq!(walk.sums().1, 0);
    let (kept, _) = store.get(&component(1).key).expect("its value is stored");
    assert_eq!(kept.count, Count::from(6));
}

#[test]
fn a_side_with_a_factor_of_0_is_cancelled_and_complete() {
    let side = Unfinished::<u64>::product(Destination::WalkResult);
    side.add_gap();
    assert!(!side.is_cancelled());
    let (count, ..) = side.fill_gap(GapValue::number(Count::ZERO)).unwrap();
    assert!(count.is_zero() && side.is_cancelled());
    // A factor that arrives later is not passed on.
    assert!(side.fill_gap(GapValue::number(Count::ONE)).is_none());
}

#[test]
fn the_last_task_ends_a_walk_that_has_no_value() {
    let walk = walk();
    walk.pretend_idle_workers(1);
    assert!(walk.wants_tasks());
    walk.push_task(task(&walk));
    assert!(!walk.wants_tasks());
    walk.push_task(task(&walk));
    assert!(!walk.wants_tasks());
    walk.end_piece();
    assert!(walk.wait_for_task().is_some());
    walk.end_piece();
    assert!(!walk.is_over());
    walk.end_piece();
    assert!(walk.is_over() && walk.wait_for_task().is_none());
    assert!(matches!(walk.take_end(), TrialEnd::Full));
}

/// The frame of a component of which one side has 7 fillings, and the current one at least 2.
fn frame() -> Frame<u64> {
    Frame {
        decision: Some((Cell::new(0, 0), true)),
        sum: Count::from(7),
        product: Count::from(2),
        is_alive: true,
        ..Frame::new(component(1), 0, None)
    }
}

/// A stack that counts the whole component, with that frame on top.
fn stack(walk: &Walk<u64>) -> Option<PausedStack<u64>> {
    let bottom = Frame {
        pending: Vec::new(),
        ..Frame::bottom(component(2), 0, walk.root(), None)
    };
    Some(PausedStack::of(vec![bottom, frame()]))
}

#[test]
fn a_walk_pauses_when_all_stacks_have_ended_but_does_not_wait_forever() {
    let (quick, stuck) = (walk(), walk());
    quick.begin_stack();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(10));
            quick.end_stack(stack(&quick));
        });
        assert_eq!(quick.bound_at_end(), Some(Count::from(9)));
    });
    stuck.end_stack(stack(&stuck));
    stuck.begin_stack();
    stuck.begin_stack();
    assert!(stuck.pause(|| true).is_none());
}

#[test]
fn a_task_that_nobody_has_begun_proves_one_filling_of_a_component_of_a_side_with_a_solution() {
    let witness = Some(Arc::new(Grid::new(1, 1)));
    let side = Some((Cell::new(0, 0), true));
    for (side, witness_above, proved) in [
        (None, None, Count::ZERO),
        (None, witness.clone(), Count::ONE),
        (side, None, Count::ZERO),
        (side, witness, Count::ZERO),
    ] {
        let walk = walk();
        walk.push_task(WalkTask {
            side,
            witness_above,
            ..task(&walk)
        });
        assert_eq!(walk.bound_at_end(), Some(proved));
    }
}

#[test]
fn a_worker_that_waits_for_a_task_is_idle() {
    let walk = walk();
    let wants_tasks = std::thread::scope(|scope| {
        scope.spawn(|| while walk.wait_for_task().is_none() {});
        let began = Instant::now();
        while !walk.wants_tasks() && began.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        let wants_tasks = walk.wants_tasks();
        walk.push_task(task(&walk));
        wants_tasks
    });
    assert!(wants_tasks);
}

#[test]
fn a_side_whose_last_gap_is_filled_has_an_edge_in_the_graph_unless_it_is_empty() {
    let walk = walk();
    let store = Store::new(Arc::new(ComponentTable::new(1 << 20)), true, 1 << 20);
    for (count, edges) in [(Count::from(3), 1), (Count::ZERO, 0)] {
        let (open, side) = (Unfinished::open_component(), Unfinished::open_side());
        open.add_gap();
        let rows = component(1).rows;
        let filled = vec![0b01; rows.len()].into();
        side.close_side(Arc::clone(&open), Some((rows, filled)));
        walk.fill(&store, side, GapValue::number(count.clone()));
        let (whole, of_sides) = open.leave_stack(&Count::ZERO, Vec::new()).unwrap();
        assert_eq!((whole, of_sides.len()), (count, edges));
    }
}

/// The forecast of a walk that has done this share of its work in the first half of its budget, and this one in the second.
fn forecast(first: f64, second: f64, earlier_work: u64, is_joined: bool) -> f64 {
    let walk = Walk::<u64>::new(Trial {
        budget: 1000,
        earlier_work,
        ..walk().trial
    });
    if is_joined {
        walk.join();
    }
    for share in [first, second] {
        assert!(!walk.is_over());
        walk.add(500, (share * WHOLE as f64) as u64);
    }
    walk.end_out_of_budget();
    match walk.take_end() {
        TrialEnd::Spent {
            forecast,
            is_recent,
            ..
        } => {
            assert_eq!(is_recent, is_joined);
            forecast
        }
        other => panic!("{other:?}"),
    }
}

/// On eight threads, random 17x17 puzzle 8 took 28 seconds of work instead of 18, and random 17x17 puzzle 6 took 14 instead of 5: a shared walk
/// that had done three quarters at once seemed to be near its end, so that a sweep that was much quicker gave way to it.
#[test]
fn the_forecast_of_a_shared_walk_is_from_its_recent_progress() {
    let is_near = |forecast: f64, expected: f64| assert!((forecast / expected - 1.0).abs() < 1e-6);
    is_near(forecast(0.75, 0.05, 0, false), 1250.0);
    // The last 5 % took 500, so the other 20 % take 2000.
    is_near(forecast(0.75, 0.05, 0, true), 3000.0);
    // The same with earlier work, as a multiple of the work of this trial.
    is_near(forecast(0.75, 0.05, 1000, true), 2000.0);
    // It is not expected to become quicker, nor to stand still.
    is_near(forecast(0.2, 0.6, 0, true), 1250.0);
    is_near(forecast(0.8, 0.0, 0, true), 1000.0 + MAX_SLOWDOWN * 250.0);
    assert_eq!(forecast(0.0, 0.0, 0, true), f64::INFINITY);
    assert_eq!(forecast(1.0, 0.0, 0, true), 1000.0);
}

/// The budget may be used up just when another worker fills the last gap.
#[test]
fn a_count_replaces_the_end_of_the_budget_but_not_the_other_way_round() {
    for is_done_first in [false, true] {
        let walk = walk();
        for ends_with_count in [is_done_first, !is_done_first] {
            match ends_with_count {
                true => walk.end(TrialEnd::Done(ComponentValue::number(Count::ONE))),
                false => walk.end_out_of_budget(),
            }
        }
        assert!(walk.is_done());
        assert!(matches!(walk.take_end(), TrialEnd::Done(_)));
    }
}

#[test]
fn a_long_chain_of_unfinished_sides_and_components_is_dropped_without_a_deep_stack() {
    let mut chain = Unfinished::<u64>::product(Destination::WalkResult);
    for _ in 0..500_000 {
        let open = Unfinished::open_component();
        let record = ComponentRecord {
            component: component(1),
            nodes: 1,
            recompute_cost: 1,
        };
        open.close_component(chain, record);
        chain = Unfinished::open_side();
        chain.close_side(open, None);
    }
    drop(chain);
}
