use std::time::Instant;

use super::super::racer::Claim;
use super::*;
use crate::board::{Board, Clues};
use crate::count::Counter;
use crate::count::checkpointer::Checkpointer;
use crate::count::components::{ComponentTable, Store};
use crate::count::options::Method;
use crate::count::root;
use crate::count::selection::PlanSelection;
use crate::count::shared::Shared;
use crate::count::status::Status;
use crate::puzzle::{Clue, Grid, Puzzle, random_grid};
use crate::run::{Control, Limits};

/// How a walk begins.
#[derive(Clone, Debug)]
struct Start {
    order: Order,
    /// A solution that is known from the start.
    witness: Option<Grid>,
    memory: u64,
    min_shared_cells: u32,
    nodes: Option<u64>,
    /// Whether a checkpointer records the trail.
    is_recorded: bool,
}

impl Default for Start {
    fn default() -> Self {
        Start {
            order: Order::Narrow,
            witness: None,
            memory: 1 << 26,
            min_shared_cells: 2,
            nodes: None,
            is_recorded: false,
        }
    }
}

/// What a walk through the first component of a puzzle comes to.
struct Walked {
    ended: TrialEnd,
    /// The best lower bound that was recorded for the puzzle, and for the component.
    bound: Count,
    best_bound: f64,
    /// The share that is done, without an upper bound, and the bytes that are charged.
    done: u64,
    bytes: u64,
    tasks: u64,
    nodes: u64,
}

/// Calls `test` with a worker of two that is about to walk through the first component.
fn with_walk<T>(
    puzzle: &Puzzle,
    start: &Start,
    test: impl FnOnce(&mut Worker<'_, '_, u64>, &Arc<Walk<u64>>) -> T,
) -> T {
    let mut setup = Counter::new(puzzle).setup;
    setup.options.min_shared_cells = start.min_shared_cells;
    let clues = Clues::new(puzzle);
    let limits = Limits::default().nodes(start.nodes);
    let control = Arc::new(Control::new(&limits, false));
    let status = Status::new(Instant::now(), Count::ZERO);
    let store = Store::new(Arc::new(ComponentTable::new(1 << 22)), false, 0);
    let selection = PlanSelection::new(Method::Regions, 1, 0);
    let memory = start.memory;
    let mut shared = Shared::new(&setup, &clues, control, &status, memory, store, selection);
    let mut board = Board::<u64>::new(&clues);
    assert!(board.propagate());
    shared.rows = board.rows().to_vec();
    let numbers = &shared.store.table.state_numbers;
    let components = root::components(&board, numbers, &shared.control);
    shared.components = components.expect("nothing stops it");
    shared.workers = 2;
    let checkpointer = Checkpointer::new(puzzle, 1 << 20);
    shared.checkpointer = start.is_recorded.then_some(&checkpointer);
    let trial = Trial {
        is_solo: false,
        ..Trial::of(Plan::Branch(start.order))
    };
    let walk = Arc::new(Walk::new(trial));
    let mut worker = Worker::new(&shared, None);
    worker.prepare(&walk, false);
    let component = shared.components[0].clone();
    let witness = start.witness.clone().map(Arc::new);
    let bottom = Frame::bottom(component, worker.board.mark(), walk.root(), witness);
    worker.frames.push(Frame {
        weights: [WHOLE, 0],
        ..bottom
    });
    walk.begin_stack();
    test(&mut worker, &walk)
}

/// Walks through the first component in one worker, which gives away all it can and counts these tasks itself: so it repeats exactly.
fn walk_alone(puzzle: &Puzzle, start: &Start) -> Walked {
    with_walk(puzzle, start, |worker, walk| {
        walk.pretend_idle_workers(1 << 20);
        worker.run_stack(walk, None);
        worker.run_tasks(walk);
        let (done, bytes) = walk.sums();
        Walked {
            ended: worker.end_walk(walk),
            bound: worker.shared.lower_bound(),
            best_bound: walk.best_bound(),
            done,
            bytes,
            tasks: worker.statistics.tasks,
            nodes: worker.statistics.nodes,
        }
    })
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

/// Checks that a walk has counted all, and that its shares and bytes add up.
fn assert_whole(walked: &Walked, expected: &Count) {
    match &walked.ended {
        TrialEnd::Done(value) => assert_eq!(value.count, *expected),
        ended => panic!("nothing stops it: {ended:?}"),
    }
    // Where a weight is divided, less than one for each node is lost.
    let lost = WHOLE.checked_sub(walked.done);
    assert!(
        lost.is_some_and(|lost| lost <= 2 * walked.nodes),
        "{lost:?}"
    );
    assert!(walked.tasks <= walked.nodes);
    assert_eq!(walked.bytes, 0);
}

#[test]
fn tasks_are_counted_once_and_have_their_share() {
    for puzzle in [permutations(6), pairs(6), joined_permutations(3)] {
        let expected = Counter::new(&puzzle).run().solutions.number().clone();
        for (memory, gives_tasks) in [(1 << 26, true), (0, false)] {
            let start = Start {
                memory,
                ..Start::default()
            };
            let walked = walk_alone(&puzzle, &start);
            assert_whole(&walked, &expected);
            assert_eq!(walked.tasks > 0, gives_tasks);
        }
    }
}

#[test]
fn every_order_counts_the_same() {
    let puzzle = pairs(5);
    let expected = Counter::new(&puzzle).run().solutions.number().clone();
    for order in Order::ALL {
        let start = Start {
            order,
            ..Start::default()
        };
        assert_whole(&walk_alone(&puzzle, &start), &expected);
    }
}

#[test]
fn components_of_a_side_with_a_solution_are_given_away_and_counted_once() {
    // On the way to these pictures a side splits: with the picture as a known solution, one or two components are given away.
    for seed in [115, 301, 312] {
        let picture = random_grid(16, seed);
        let puzzle = Puzzle::from_grid(&picture);
        let expected = Counter::new(&puzzle).run().solutions.number().clone();
        let start = Start {
            witness: Some(picture),
            ..Start::default()
        };
        assert_whole(&walk_alone(&puzzle, &start), &expected);
    }
}

#[test]
fn a_component_is_given_away_with_the_board_and_the_decisions_of_its_side() {
    let puzzle = Puzzle::from_grid(&random_grid(16, 301));
    // A worker on the first component of the first side that has split; returns the size of the largest one and what is given away.
    let give = |min_shared_cells, oracle: bool, is_alive_above: bool| {
        let start = Start {
            min_shared_cells,
            ..Start::default()
        };
        with_walk(&puzzle, &start, |worker, walk| {
            while worker.top().pending.len() < 2 {
                match worker.top().pending.pop() {
                    Some(component) => worker.begin_component(component),
                    None => assert!(!worker.end_side(walk)),
                }
            }
            let rows = worker.board.rows().to_vec();
            let decisions = worker.frames.iter().filter_map(|frame| frame.decision);
            let path: Vec<_> = decisions.collect();
            let component = worker.top().pending.pop().expect("there are two");
            worker.begin_component(component);
            let side = worker.frames.len() - 2;
            for (i, frame) in worker.frames.iter_mut().enumerate() {
                frame.has_other_side = false;
                frame.is_alive = is_alive_above || i == side;
            }
            worker.may_ask_oracle = oracle;
            let largest = worker.frames[side].pending[0].clone();
            let left = worker.frames[side].pending.len();
            worker.give_task_away(walk);
            let task = walk.wait_for_task();
            if let Some(task) = &task {
                assert_eq!(task.component.key, largest.key);
                assert_eq!((&task.rows, &task.path), (&rows, &path));
                let frame = &worker.frames[side];
                assert_eq!(task.weight, frame.weight() / frame.component_count);
                assert_eq!(frame.gap_weight_in_side, task.weight);
                assert!(frame.has_gaps && task.side.is_none() && task.weight > 0);
                assert_eq!(frame.pending.len(), left - 1);
            }
            (largest.size, task.is_some())
        })
    };
    let (size, is_given) = give(2, false, false);
    assert!(is_given);
    assert_eq!(give(size, false, false), (size, true));
    assert_eq!(give(size + 1, false, false), (size, false));
    // The oracle takes the decisions above for granted.
    assert_eq!(give(size, true, true), (size, true));
    assert_eq!(give(size, true, false), (size, false));
}

#[test]
fn a_dropped_component_is_counted_by_another_worker_if_a_side_waits_for_it() {
    for is_waited_for in [false, true] {
        with_walk(&pairs(4), &Start::default(), |worker, walk| {
            let component = worker.top().pending.pop().expect("nothing is begun");
            worker.begin_component(component.clone());
            assert!(worker.top().is_claimed);
            if is_waited_for {
                let claim = walk.claim(&component, 1, true, || walk.root());
                assert_eq!(claim, Claim::InProgress);
            }
            worker.abandon(1);
            assert_eq!(worker.frames.len(), 1);
            let task = walk.wait_for_task();
            let keys = task.map(|task| (task.component.key, task.rows));
            let expected = is_waited_for.then(|| (component.key, worker.shared.rows.clone()));
            assert_eq!(keys, expected);
        });
    }
}

#[test]
fn a_walk_with_tasks_that_is_stopped_proves_most_of_what_it_has_counted() {
    for puzzle in [permutations(6), pairs(5), joined_permutations(3)] {
        let all = Counter::new(&puzzle).run().solutions.number().clone();
        let nodes = walk_alone(&puzzle, &Start::default()).nodes;
        let mut before = Count::ZERO;
        for nodes in 0..nodes {
            let start = Start {
                nodes: Some(nodes),
                ..Start::default()
            };
            let walked = walk_alone(&puzzle, &start);
            assert!(matches!(walked.ended, TrialEnd::Stopped));
            assert!(walked.bound >= before && walked.bound <= all);
            assert!(walked.best_bound <= all.to_f64());
            before = walked.bound;
        }
        before *= &Count::from(2);
        assert!(before >= all);
    }
}

#[test]
fn a_side_is_given_away_if_all_above_it_has_a_solution_or_has_to_be_searched() {
    for (is_alive_above, gave_up, component_count, is_given) in [
        (true, false, 2, true),
        (false, false, 1, false),
        (false, true, 1, true),
        (false, true, 2, false),
    ] {
        with_walk(&pairs(4), &Start::default(), |worker, walk| {
            let component = worker.top().pending.pop().expect("nothing is begun");
            worker.begin_component(component);
            worker.frames[0].is_alive = is_alive_above;
            worker.frames[0].retry_threshold_ns = gave_up.into();
            worker.frames[0].component_count = component_count;
            worker.frames[1].is_alive = false;
            worker.may_ask_oracle = true;
            worker.give_task_away(walk);
            let (cell, filled) = worker.top().decision.expect("it has branched");
            let task = walk.wait_for_task();
            let given = task.map(|task| (task.side, task.path, task.rows));
            let rows = worker.shared.rows.clone();
            let expected = is_given.then(|| (Some((cell, !filled)), Vec::new(), rows));
            assert_eq!(given, expected);
        });
    }
}

/// A worker asks the oracle about a side before it gives a piece of it away.
#[test]
fn a_side_that_the_oracle_refutes_is_a_dead_end() {
    // Each of these puzzles has one solution, and no side splits: one side of each branch is a dead end.
    for seed in [68, 111, 137, 348] {
        let puzzle = Puzzle::from_grid(&random_grid(16, seed));
        let [with_oracle, without] = [SatSolver::IS_BUILT_IN, false].map(|may_ask_oracle| {
            with_walk(&puzzle, &Start::default(), |worker, walk| {
                walk.pretend_idle_workers(1 << 20);
                worker.may_ask_oracle = may_ask_oracle;
                worker.question_threshold_ns = 0;
                worker.run_stack(walk, None);
                worker.run_tasks(walk);
                assert!(matches!(walk.take_end(), TrialEnd::Done(_)));
                let statistics = &worker.statistics;
                assert_eq!(statistics.nodes, 2 * statistics.dead_ends);
                statistics.nodes
            })
        });
        assert_eq!(with_oracle < without, SatSolver::IS_BUILT_IN);
    }
}

#[test]
fn the_stack_of_a_task_proves_nothing_for_the_whole_component() {
    let mut picture = Grid::new(4, 4);
    (0..4).for_each(|i| picture.set(i, i, true));
    let start = Start {
        witness: Some(picture),
        nodes: Some(0),
        ..Start::default()
    };
    for (is_task, bound) in [(true, 0.0), (false, 1.0)] {
        with_walk(&permutations(4), &start, |worker, walk| {
            let owner = is_task.then(|| walk.root());
            worker.poll(walk, !is_task);
            assert_eq!(walk.best_bound(), bound);
            worker.run_stack(walk, owner.as_ref());
            assert!(walk.is_over());
            assert_eq!(walk.best_bound(), bound);
        });
    }
}

/// Does this many steps of a walk on one worker, which gives away all it can, and pauses it then. Another worker goes on with it to its end.
/// Returns the count of both, the lower bound between them, and their nodes together.
fn walk_with_pause(puzzle: &Puzzle, order: Order, steps: usize) -> (Count, Count, u64) {
    let start = Start {
        order,
        ..Start::default()
    };
    with_walk(puzzle, &start, |worker, walk| {
        for _ in 0..steps {
            match worker.top().pending.pop() {
                Some(component) if !worker.top().product.is_zero() => {
                    worker.begin_component(component);
                }
                _ => {
                    if worker.end_side(walk) {
                        break;
                    }
                }
            }
            worker.give_task_away(walk);
        }
        let rows_then = worker.board.rows().to_vec();
        let is_begun = worker.frames.len() > 1;
        worker.poll(walk, is_begun);
        walk.end_out_of_budget();
        walk.end_stack(worker.pause_stack(None));
        worker.prober.clear();
        let paused = walk.pause(|| false).expect("no worker has a stack");
        assert!(!paused.is_empty() || walk.is_done());
        let bound = paused.bound();
        let mut other = Worker::new(worker.shared, None);
        let resumed = Arc::new(Walk::resumed(walk.trial, paused));
        other.prepare(&resumed, true);
        if let Some(Piece::Stack(stack)) = is_begun.then(|| resumed.wait_for_piece()).flatten() {
            assert!(other.resume(stack).is_none());
            assert_eq!(other.board.rows(), rows_then);
            other.run_stack(&resumed, None);
        }
        other.run_tasks(&resumed);
        let (done, bytes) = resumed.sums();
        let nodes = worker.statistics.nodes + other.statistics.nodes;
        match [resumed.take_end(), walk.take_end()] {
            [TrialEnd::Done(value), _] => {
                assert!(done <= WHOLE && WHOLE - done <= 2 * nodes && bytes == 0);
                (value.count, bound, nodes)
            }
            ended => panic!("nothing stops it: {ended:?}"),
        }
    })
}

/// Once, a walk that several workers shared began again in each round, and counted only that anew of which the component table had no
/// value: its share fell from .91 to .84 from one round to the next.
#[test]
fn a_walk_that_pauses_loses_nothing_and_proves_what_it_has_counted() {
    for (puzzle, order) in [
        (permutations(6), Order::Narrow),
        (pairs(5), Order::Down),
        (pairs(5), Order::Probed),
        (joined_permutations(3), Order::Narrow),
    ] {
        let all = Counter::new(&puzzle).run().solutions.number().clone();
        let (_, _, nodes) = walk_with_pause(&puzzle, order, 0);
        let mut before = Count::ZERO;
        for steps in 1..nodes as usize {
            let (count, bound, nodes_with_pause) = walk_with_pause(&puzzle, order, steps);
            assert_eq!(count, all);
            assert!(before <= bound && bound <= all);
            // The order in which sides and components are counted is another one, and with it what the component table has.
            assert!(
                nodes_with_pause <= nodes,
                "{steps}: {nodes_with_pause} of {nodes}"
            );
            before = bound;
        }
        assert!(!before.is_zero());
    }
}

/// A later process would take the sides of a task for those of the whole component.
#[test]
fn the_stack_of_a_task_is_not_recorded_as_the_trail_of_the_component() {
    let start = Start {
        nodes: Some(3),
        is_recorded: true,
        ..Start::default()
    };
    let plan = Plan::Branch(start.order);
    for is_task in [false, true] {
        with_walk(&permutations(6), &start, |worker, walk| {
            worker.recorded_plan = Some(plan);
            let owner = is_task.then(|| walk.root());
            worker.run_stack(walk, owner.as_ref());
            assert!(matches!(walk.take_end(), TrialEnd::Stopped));
            assert_eq!(worker.shared.trail(0, plan).is_none(), is_task);
        });
    }
}
