use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::frame::Frame;
use super::piece::{PausedStack, Piece, WalkTask};
use super::pool::{Claim, Walk};
use super::unfinished::{ComponentRecord, Destination, GapValue, Unfinished, WaitingSide};
use super::walker::Walker;
use crate::board::{Board, Clues};
use crate::count::Counter;
use crate::count::components::{Component, ComponentTable, ComponentValue, Store};
use crate::count::crew::Crew;
use crate::count::root::{Opened, Root};
use crate::count::setup::Setup;
use crate::count::status::Status;
use crate::puzzle::{Cell, Clue, Puzzle, random_grid};
use crate::run::{Control, Instant, Limits, Statistics};
use crate::search::WHOLE;
use crate::solutions::Count;

/// How a walk begins.
#[derive(Clone, Debug)]
struct Start {
    workers: usize,
    memory: u64,
    nodes: Option<u64>,
}

impl Default for Start {
    fn default() -> Self {
        Start {
            workers: 2,
            memory: 1 << 26,
            nodes: None,
        }
    }
}

/// Calls `test` with the crew and the root of a puzzle that was propagated, but not probed.
fn with_crew<T>(
    puzzle: &Puzzle,
    start: &Start,
    test: impl FnOnce(&Crew<'_, u64>, &Root<u64>) -> T,
) -> T {
    let mut setup: Setup<'_> = Counter::new(puzzle).setup;
    setup.options.min_shared_cells = 2;
    setup.options.min_probed_cells = 5;
    setup.options.max_probing_settles = 0;
    let clues = Clues::new(puzzle);
    let table = Arc::new(ComponentTable::new(1 << 24));
    let (control, status) = (
        Arc::new(Control::new(&Limits::default(), false)),
        Status::new(Instant::now()),
    );
    let numbers = &table.state_numbers;
    let mut statistics = Statistics::default();
    let root = match Root::<u64>::open(&setup, &clues, numbers, &control, &mut statistics) {
        Opened::Root(root) => root,
        other => panic!("{other:?}"),
    };
    let control = Arc::new(Control::new(&Limits::default().nodes(start.nodes), false));
    let store = Store::new(table, false, 0);
    let mut crew = Crew::new(&setup, &clues, &control, &status, store, &root.rows);
    (crew.workers, crew.memory) = (start.workers, start.memory);
    test(&crew, &root)
}

/// What a walk through the first component of a puzzle comes to.
#[derive(Debug)]
struct Walked {
    value: Option<Count>,
    /// The lower bounds after the slices.
    bounds: Vec<Count>,
    done: f64,
    bytes: u64,
    statistics: Statistics,
}

/// Walks through the first component in slices of this much work. One worker after the other does a slice; each gives away all that it can
/// and counts these tasks itself: so it repeats exactly.
fn walk(puzzle: &Puzzle, start: &Start, work: u64) -> Walked {
    with_crew(puzzle, start, |crew, root| {
        let walk = Arc::new(Walk::new(root, 0));
        let mut workers: Vec<_> = (0..3).map(|_| Walker::new(crew)).collect();
        let mut bounds = Vec::new();
        for i in 0.. {
            walk.pretend_idle_workers(1 << 20);
            walk.begin_slice(work);
            workers[i % 3].walk(&walk);
            bounds.push(walk.bound());
            if walk.value().is_some() || crew.control.stopped() {
                break;
            }
        }
        let mut statistics = Statistics::default();
        workers
            .iter()
            .for_each(|worker| statistics.add(&worker.statistics()));
        Walked {
            value: walk.value().map(|value| value.count),
            bounds,
            done: walk.done(),
            bytes: walk.bytes(),
            statistics,
        }
    })
}

impl Walk<u64> {
    /// Sets the number of workers that the walk takes to be idle. It offers tasks to idle workers.
    fn pretend_idle_workers(&self, workers: usize) {
        self.idle_workers.store(workers, Ordering::Relaxed);
    }
}

/// The permutations of this many things.
fn permutations(side: usize) -> Puzzle {
    let ones = vec![Clue::new([1]).unwrap(); side];
    Puzzle::new(ones.clone(), ones).unwrap()
}

/// Two blocks of one cell in each row and column.
fn pairs(side: usize) -> Puzzle {
    let twos = vec![Clue::new([1, 1]).unwrap(); side];
    Puzzle::new(twos.clone(), twos).unwrap()
}

/// Two squares of permutations that touch in one row: most branches split.
fn joined_permutations(side: usize) -> Puzzle {
    let rows = (0..2 * side - 1).map(|row| match row + 1 == side {
        true => Clue::new([1, 1]).unwrap(),
        false => Clue::new([1]).unwrap(),
    });
    let rows: Vec<Clue> = rows.collect();
    Puzzle::new(rows, vec![Clue::new([1]).unwrap(); 2 * side]).unwrap()
}

fn number(puzzle: &Puzzle) -> Count {
    Counter::new(puzzle).run().solutions.number().clone()
}

/// Pieces go from worker to worker, so this covers loading and unloading of stacks, tasks, gaps and bounds.
#[test]
fn a_walk_in_slices_counts_each_component_once_and_proves_what_it_has_counted() {
    for puzzle in [permutations(6), pairs(5), pairs(6), joined_permutations(3)] {
        let all = number(&puzzle);
        let whole = walk(&puzzle, &Start::default(), u64::MAX);
        assert!(whole.statistics.tasks > 0);
        for (workers, memory) in [(1, 1 << 26), (2, 1 << 26), (2, 0)] {
            let start = Start {
                workers,
                memory,
                ..Start::default()
            };
            for work in [1, 20_000, 200_000, u64::MAX] {
                let walked = walk(&puzzle, &start, work);
                assert_eq!(walked.value.as_ref(), Some(&all));
                assert_eq!(walked.statistics.tasks > 0, workers > 1 && memory > 0);
                assert!(walked.bounds.is_sorted(), "{:?}", walked.bounds);
                assert_eq!(walked.bounds.last(), Some(&all));
                // Where a weight is divided, less than one for each node is lost.
                let lost = (1.0 - walked.done) * WHOLE as f64;
                assert!((0.0..=2.0 * walked.statistics.nodes as f64 + 2048.0).contains(&lost));
                assert_eq!(walked.bytes, 0);
                // The order in which pieces are counted is another one, and with it what the component table has.
                let most = 3 * whole.statistics.nodes;
                assert!(walked.statistics.nodes <= most, "{walked:?}");
            }
        }
    }
}

#[test]
fn a_walk_that_is_stopped_proves_most_of_what_it_has_counted() {
    for puzzle in [permutations(6), pairs(5), joined_permutations(3)] {
        let all = number(&puzzle);
        let nodes = walk(&puzzle, &Start::default(), u64::MAX).statistics.nodes;
        let mut best = Count::ZERO;
        for nodes in 0..nodes {
            let start = Start {
                nodes: Some(nodes),
                ..Start::default()
            };
            let walked = walk(&puzzle, &start, u64::MAX);
            assert_eq!(walked.value, None);
            let bound = walked.bounds.last().unwrap();
            assert!(*bound <= all);
            best = best.max(bound.clone());
        }
        best *= &Count::from(2);
        assert!(best >= all);
    }
}

fn component(key: u32) -> Component<u64> {
    Component {
        rows: [(0, 0b11), (1, 0b11), (2, 0b11)].into(),
        size: 6,
        key: vec![key; 5].into(),
    }
}

/// A walk through a component whose pieces are taken out.
fn empty_walk() -> Walk<u64> {
    let root = Root {
        rows: Vec::new(),
        components: vec![component(1)],
    };
    let walk = Walk::new(&root, 0);
    walk.begin_slice(1 << 40);
    assert!(matches!(walk.wait_for_piece(), Some(Piece::Task(_))));
    walk
}

fn result() -> Arc<Unfinished<u64>> {
    Unfinished::product(Destination::WalkResult)
}

/// A task for the whole walk that nobody has begun.
fn task(side: Option<(Cell, bool)>) -> WalkTask<u64> {
    WalkTask {
        rows: Vec::new(),
        component: component(1),
        side,
        owner: result(),
        weight: 0,
    }
}

fn store() -> Store {
    Store::new(Arc::new(ComponentTable::new(1 << 20)), false, 0)
}

#[test]
fn a_component_in_progress_is_claimed_once_and_its_waiting_sides_are_charged() {
    let (walk, side) = (empty_walk(), result());
    let claim = |key, has_room| walk.claim(&component(key), 7, has_room, || Arc::clone(&side));
    assert_eq!(claim(1, true), Claim::Mine);
    assert_eq!(claim(2, false), Claim::Mine);
    assert_eq!(claim(1, false), Claim::Untracked);
    assert!(walk.has_room(1) && !walk.has_room(0));
    let before = walk.bytes();
    assert_eq!(claim(1, true), Claim::InProgress);
    let waits = size_of_val(&*component(1).rows) + size_of::<WaitingSide<u64>>();
    assert!(walk.bytes() >= before + waits as u64);
    assert_eq!(walk.release(&component(2).key).len(), 0);
    // The value fills the gap, and the stack's own gap is left.
    let value = ComponentValue::number(Count::from(3));
    walk.fill_waiting(&store(), &component(1).key, &value);
    assert_eq!((walk.bytes(), walk.is_over()), (0, false));
    walk.fill(&store(), side, GapValue::number(Count::from(5)));
    assert_eq!(walk.value().unwrap().count, Count::from(15));
    assert!(walk.is_over());
}

#[test]
fn an_unfinished_component_is_charged_until_its_last_gap_is_filled() {
    let (walk, store) = (empty_walk(), store());
    let open = Unfinished::open_component();
    open.add_gap();
    assert!(open.leave_stack(&Count::from(2), Vec::new()).is_none());
    let record = ComponentRecord {
        component: component(1),
        nodes: 1,
    };
    walk.charge(&record);
    assert!(walk.bytes() > record.component.bytes());
    open.close_component(result(), record);
    walk.fill(&store, Arc::clone(&open), GapValue::number(Count::ZERO));
    assert!(!walk.is_over());
    walk.fill(&store, open, GapValue::number(Count::from(4)));
    assert!(walk.is_over());
    assert_eq!(walk.bytes(), 0);
    let kept = store.get(&component(1).key).expect("its value is stored");
    assert_eq!(kept.count, Count::from(6));
}

#[test]
fn a_side_with_a_factor_of_0_is_cancelled_and_complete() {
    let side = result();
    side.add_gap();
    assert!(!side.is_cancelled());
    let (count, ..) = side.fill_gap(GapValue::number(Count::ZERO)).unwrap();
    assert!(count.is_zero() && side.is_cancelled());
    // A factor that arrives later is not passed on.
    assert!(side.fill_gap(GapValue::number(Count::ONE)).is_none());
}

#[test]
fn the_last_piece_ends_the_slice() {
    let walk = empty_walk();
    walk.pretend_idle_workers(1);
    assert!(walk.wants_tasks());
    walk.push_task(task(None));
    assert!(!walk.wants_tasks());
    walk.end_piece();
    assert!(walk.wait_for_piece().is_some());
    assert!(!walk.is_over() && !walk.has_no_piece());
    walk.end_piece();
    assert!(walk.is_over() && walk.has_no_piece());
    assert!(walk.wait_for_piece().is_none());
}

#[test]
fn the_work_of_a_slice_ends_it() {
    let walk = empty_walk();
    walk.begin_slice(100);
    walk.add(99, WHOLE / 4);
    assert_eq!((walk.is_over(), walk.work()), (false, 99));
    walk.add(5, 0);
    assert_eq!(
        (walk.is_over(), walk.work(), walk.done()),
        (true, 104, 0.25)
    );
    walk.begin_slice(10);
    assert_eq!((walk.is_over(), walk.work()), (false, 104));
}

#[test]
fn a_bound_is_what_stacks_and_tasks_prove() {
    // A component of which one side has 7 fillings, and the current one at least 2.
    let frame = Frame {
        decision: Some((Cell::new(0, 0), true)),
        sum: Count::from(7),
        product: Count::from(2),
        ..Frame::new(component(1), 0)
    };
    let walk = empty_walk();
    let owner = result();
    let bottom = Frame {
        pending: Vec::new(),
        ..Frame::bottom(component(2), 0, Arc::clone(&owner))
    };
    walk.put_back(Piece::Stack(PausedStack::of(vec![bottom, frame], owner)));
    assert_eq!(walk.bound(), Count::from(9));
    for side in [None, Some((Cell::new(0, 0), true))] {
        let walk = empty_walk();
        walk.push_task(task(side));
        assert_eq!(walk.bound(), Count::ZERO);
    }
}

#[test]
fn a_worker_that_waits_for_a_piece_is_idle() {
    let walk = empty_walk();
    let wants_tasks = std::thread::scope(|scope| {
        scope.spawn(|| while walk.wait_for_piece().is_none() {});
        let began = Instant::now();
        while !walk.wants_tasks() && began.elapsed().as_secs() < 10 {
            std::thread::yield_now();
        }
        let wants_tasks = walk.wants_tasks();
        walk.push_task(task(None));
        wants_tasks
    });
    assert!(wants_tasks);
}

#[test]
fn a_side_whose_last_gap_is_filled_has_an_edge_in_the_graph_unless_it_is_empty() {
    let walk = empty_walk();
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

#[test]
fn a_long_chain_of_unfinished_sides_and_components_is_dropped_without_a_deep_stack() {
    let mut chain = result();
    for _ in 0..500_000 {
        let open = Unfinished::open_component();
        let record = ComponentRecord {
            component: component(1),
            nodes: 1,
        };
        open.close_component(chain, record);
        chain = Unfinished::open_side();
        chain.close_side(open, None);
    }
    drop(chain);
}

/// Without the board of a puzzle nothing is known of its cells.
#[test]
fn a_worker_begins_with_the_board_of_the_first_root() {
    let puzzle = Puzzle::from_grid(&random_grid(16, 301));
    with_crew(&puzzle, &Start::default(), |crew, root| {
        let worker = Walker::new(crew);
        let board = Board::with_rows(crew.clues, &root.rows);
        assert_eq!(worker.board.rows(), board.rows());
    });
}
