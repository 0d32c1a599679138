use super::*;
use crate::count::plan::{Trial, TrialEnd};
use crate::count::shared::tests::{setup, two_permutations, with_shared};
use crate::sat::SatSolver;

/// Calls `test` with a worker at the root of [`two_permutations`], of which the first component has 2x2 cells.
fn with_worker(test: impl FnOnce(&mut Worker<'_, '_, u64>)) {
    with_shared(&setup(&two_permutations()), false, |shared, _| {
        test(&mut Worker::new(&shared, None));
    });
}

/// A side with one component, which is being counted.
fn side() -> Frame<u64> {
    Frame {
        product: Count::ONE,
        ..Frame::new(Component::empty(), 0, None)
    }
}

/// If a side is marked as alive although one of its components may have no solution, the oracle is asked about a part of that side. If the
/// component has no solution, that part is then stored with zero fillings, although it can have some.
#[test]
fn the_sides_above_one_with_a_solution_are_alive_up_to_one_with_a_component_that_may_have_none() {
    let split = || Frame {
        component_count: 2,
        ..side()
    };
    let pending = || Frame {
        pending: vec![Component::empty()],
        ..split()
    };
    let product = |product: u64| Frame {
        product: Count::from(product),
        ..split()
    };
    let gap = || Frame {
        has_gaps: true,
        ..split()
    };
    let alive = || Frame {
        is_alive: true,
        ..side()
    };
    for (middle, expected) in [
        (side(), [true; 3]),
        (product(3), [true; 3]),
        (product(0), [false, false, true]),
        (pending(), [false, false, true]),
        (gap(), [false, false, true]),
        // What is alive was marked together with all that follows from it.
        (alive(), [false, true, true]),
    ] {
        with_worker(|worker| {
            worker.frames = vec![side(), middle, side()];
            worker.mark_alive();
            let marked: Vec<bool> = worker.frames.iter().map(|it| it.is_alive).collect();
            assert_eq!(marked, expected);
        });
    }
}

/// A side that the oracle has given up on has to be searched, so the oracle is asked about the sides within it. If the side has split, a
/// component without a filling could be the reason for an answer about another component.
#[test]
fn the_sides_within_one_that_the_oracle_has_given_up_on_are_asked_about() {
    // In the first row, the first cell is filled. The second cell cannot be filled then.
    for (second, gave_up, component_count, expected) in [
        (true, true, 1, (false, vec![false, false])),
        (false, true, 1, (true, vec![true, true])),
        (true, true, 2, (true, vec![false, false])),
        (true, false, 1, (true, vec![true, false])),
    ] {
        let no_answer = (true, vec![false, false]);
        let expected = if SatSolver::IS_BUILT_IN {
            expected
        } else {
            no_answer
        };
        with_worker(|worker| {
            worker.question_threshold_ns = 0;
            let decided = |column, filled| Frame {
                decision: Some((Cell { row: 0, column }, filled)),
                ..side()
            };
            let given_up_on = Frame {
                component_count,
                retry_threshold_ns: if gave_up { u64::MAX } else { 0 },
                ..decided(0, true)
            };
            worker.frames = vec![given_up_on, decided(1, second)];
            let may_have = worker.may_have_solution(false);
            let alive: Vec<bool> = worker.frames.iter().map(|it| it.is_alive).collect();
            assert_eq!((may_have, alive), expected);
            assert_eq!(worker.frames[1].product.is_zero(), !may_have);
        });
    }
}

#[test]
fn work_adds_nodes_cells_and_sweeps() {
    with_worker(|worker| {
        let before = worker.work();
        worker.statistics.nodes += 2;
        worker.branched_cells += 3;
        worker.sweep_ns += 5;
        assert_eq!(
            worker.work() - before,
            2 * NS_PER_NODE + 3 * NS_PER_CELL + 5
        );
    });
    let usual = NS_PER_NODE + 10 * NS_PER_SETTLE + 50 * NS_PER_CELL;
    assert_eq!([7 * usual, usual - 1].map(nodes_in), [7, 0]);
}

#[test]
fn a_helper_asks_its_first_question_later() {
    with_worker(|worker| {
        worker.delay_first_question();
        let delayed = worker.question_threshold_ns;
        worker.expect_question_of(FIRST_QUESTION_NS);
        assert!(delayed > 100 * worker.question_threshold_ns);
        assert!(worker.question_threshold_ns > 0);
        assert!(delayed > MAX_UNPROBED_QUESTION_THRESHOLD_NS);
    });
}

/// The journal has the components that are costly to count again, so these costs decide what a resumed run finds there.
#[test]
fn a_component_costs_its_nodes_to_redo_and_one_of_the_table_what_the_table_says() {
    with_worker(|worker| {
        worker.recompute_cost = 100;
        assert!(matches!(
            worker.run_trial(Trial::of(Plan::Branch(Order::Down))),
            TrialEnd::Done(_)
        ));
        let component = worker.shared.components[0].clone();
        let (value, cost) = worker.shared.store.get(&component.key).unwrap();
        // Each value of its first cell decides the others.
        assert_eq!((value.count, cost), (Count::from(2), 2));
        assert_eq!((worker.statistics.nodes, worker.recompute_cost), (2, 102));
        let leaves = worker.statistics.leaves;
        worker.frames.push(side());
        worker.begin_component(component);
        assert_eq!(worker.top().product, Count::from(2));
        assert_eq!(worker.statistics.leaves, leaves + 1);
        assert_eq!(worker.recompute_cost, 104);
    });
}

#[test]
fn the_components_of_a_side_have_equal_weights_and_the_counted_side_of_a_trail_is_done() {
    for is_resumed in [false, true] {
        with_worker(|worker| {
            worker.frames.push(Frame {
                weights: [1000, 0],
                component_count: 2,
                ..side()
            });
            let component = worker.shared.components[0].clone();
            let step = TrailStep {
                size: component.size,
                cell: Cell::new(0, 0),
                filled: true,
                has_other_side: false,
                sum: Count::from(9),
                component_count: 1,
                done_components: 0,
                product: Count::ONE,
            };
            let step = Some(&step).filter(|_| is_resumed);
            worker.branch(component, Cell::new(0, 0), step, false);
            // One of two cells is filled in both lines of the cell.
            assert_eq!(worker.top().weights, [250, 250]);
            assert_eq!(worker.top().sum, Count::from(u64::from(is_resumed) * 9));
            assert_eq!(worker.share_done, u64::from(is_resumed) * 250);
            let earlier_cost = u64::from(is_resumed) * u64::from(u32::MAX);
            assert_eq!(worker.recompute_cost, earlier_cost + 1);
        });
    }
}
