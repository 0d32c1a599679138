//! Counting without listing against brute force, the list, closed forms, and itself by other methods.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::corpus;
use crate::common::{
    HISTOGRAM_OF_4X4, METHODS, Random, beside, brute_force, clue_sets_of_4x4, factorial,
    on_threads, permutation, restless, switches,
};
use num_bigint::BigUint;
use omnogram::Cell;
use omnogram::count::{ComponentTable, Counter, Method, Options};
use omnogram::puzzle::{Clue, Grid, Puzzle};
use omnogram::search::{Cube, Decision, Limits, Search, Total};
use omnogram::solutions::{Count, Stop};

fn exactly(n: u64) -> Total {
    Total::Exactly(Count::from(n))
}

/// The number by every method and both ways to go about it.
fn agree(puzzle: &Puzzle, expected: &Total) {
    for method in METHODS {
        for options in [Options::default(), restless()] {
            let counting = Counter::new(puzzle).method(method).options(options.clone());
            let outcome = counting.run();
            assert_eq!(
                outcome.solutions, *expected,
                "{method:?} {options:?} {puzzle:?}"
            );
        }
    }
}

#[test]
fn random_puzzles_agree_with_brute_force_by_every_method() {
    let mut random = Random(4);
    for threads in [1, 3] {
        on_threads(threads, || {
            for _ in 0..400 {
                let (width, height) = random.size(1, 7);
                let density = [0.2, 0.35, 0.5, 0.7][random.below(4)];
                let puzzle = random.puzzle(width, height, density);
                let number = brute_force(&puzzle).len() as u64;
                agree(&puzzle, &exactly(number));
            }
        });
    }
}

#[test]
fn components_are_probed() {
    let mut probes = 0;
    for puzzle in Random(14).puzzles(100, 8, 8, 0.4) {
        let counting = Counter::new(&puzzle).method(Method::Regions);
        let counting = counting.options(restless());
        let outcome = on_threads(1, || counting.run());
        assert_eq!(outcome.solutions, Search::new(&puzzle).count().solutions);
        probes += outcome.statistics.probes;
    }
    assert!(probes > 1000, "{probes}");
}

/// Clues that belong to no picture, so that most puzzles have no solution, whole and in parts.
#[test]
fn mixed_clues_agree_with_brute_force() {
    let mut random = Random(5);
    for _ in 0..300 {
        let puzzle = random.sized_mixed(2, 5);
        agree(&puzzle, &exactly(brute_force(&puzzle).len() as u64));
    }
}

#[test]
fn thousands_of_puzzles_up_to_9x9_agree_with_the_search() {
    let mut random = Random(6);
    on_threads(2, || {
        for _ in 0..2000 {
            let (width, height) = random.size(4, 6);
            let density = 0.3 + random.below(40) as f64 / 100.0;
            let puzzle = random.puzzle(width, height, density);
            let listed = Search::new(&puzzle).count().solutions;
            for method in [Method::Auto, Method::Regions, Method::Frontier] {
                let counted = Counter::new(&puzzle).method(method).run().solutions;
                assert_eq!(counted, listed, "{method:?} {puzzle:?}");
            }
        }
    });
}

#[test]
fn the_whole_space_of_4x4_by_auto() {
    let histogram = on_threads(1, || {
        let mut histogram = BTreeMap::new();
        for (puzzle, grids) in clue_sets_of_4x4() {
            let number = grids.len() as u64;
            let counted = Counter::new(&puzzle).run().solutions;
            assert_eq!(counted, exactly(number));
            *histogram.entry(number).or_insert(0) += 1;
        }
        histogram
    });
    assert_eq!(histogram, BTreeMap::from(HISTOGRAM_OF_4X4));
}

fn count_of(number: &BigUint) -> Count {
    number.to_string().parse().expect("decimal digits")
}

#[test]
fn families_come_out_as_their_closed_forms() {
    for n in 1..=30 {
        let outcome = Counter::new(&permutation(n)).run();
        assert_eq!(outcome.solutions, Total::Exactly(factorial(n as u64)));
    }
    for method in METHODS {
        for n in 1..=9 {
            let outcome = Counter::new(&permutation(n)).method(method).run();
            assert_eq!(outcome.solutions, Total::Exactly(factorial(n as u64)));
        }
    }
    for k in [1, 5, 40, 150] {
        let outcome = Counter::new(&switches(k)).run();
        let expected = count_of(&BigUint::from(2u32).pow(k as u32));
        assert_eq!(outcome.solutions, Total::Exactly(expected), "{k}");
    }
}

/// Beyond 64 cells other words do the work.
#[test]
fn words_of_every_length_count_alike() {
    let narrow = |length: usize| {
        let one = || Clue::new([1]).unwrap();
        let mut columns = vec![Clue::new([]).unwrap(); length];
        (0..3).for_each(|i| columns[i * (length / 3)] = one());
        Puzzle::new(vec![one(), one(), one()], columns).unwrap()
    };
    for length in [6, 64, 65, 128, 129, 600] {
        agree(&narrow(length), &exactly(6));
    }
}

/// Every answer of the table, in the time that a test has.
#[test]
fn all_puzzles_of_the_table() {
    let mut counted = 0;
    for known in corpus::answers() {
        let outcome = on_threads(2, || Counter::new(&known.puzzle).run());
        let found = outcome.solutions.to_string();
        assert_eq!(found, known.solutions, "{}", known.name);
        counted += 1;
    }
    assert!(counted > 50, "{counted}");
}

/// Without memory nothing is cached and no line is numbered, and the answer is the same.
#[test]
fn little_memory_costs_time_but_no_truth() {
    for puzzle in Random(8).puzzles(30, 8, 8, 0.4) {
        let expected = Search::new(&puzzle).count().solutions;
        for memory in [0, 1 << 12, 1 << 16, 1 << 20] {
            for method in [Method::Auto, Method::Regions, Method::Frontier] {
                let limits = Limits::default().memory(memory);
                let counting = Counter::new(&puzzle).method(method).limits(limits);
                assert_eq!(counting.run().solutions, expected, "{method:?} {memory}");
            }
        }
    }
}

/// The backbone search works on the whole puzzle, so a cube must do without it: it may have no solution where the puzzle has one.
#[test]
fn the_only_solution_of_a_puzzle_is_in_one_of_two_cubes() {
    let puzzle = corpus::read("hard/unique-12x12-seed-1988.non");
    for column in 0..puzzle.width() {
        let mut counts = [false, true].map(|filled| {
            let cell = Cell::new(puzzle.height() / 2, column);
            let path = vec![Decision { cell, filled }];
            let counter = Counter::new(&puzzle).options(restless());
            let outcome = on_threads(1, || counter.within(Cube { path }).run());
            outcome.solutions.number().to_u64()
        });
        counts.sort_unstable();
        assert_eq!(counts, [Some(0), Some(1)], "{column}");
    }
}

/// Stopped anywhere, it gives a lower bound that is one, and says that it was stopped.
#[test]
fn a_stopped_count_is_never_too_large() {
    let mut random = Random(9);
    let mut puzzles: Vec<Puzzle> = (0..6).map(|_| random.puzzle(9, 9, 0.35)).collect();
    puzzles.push(permutation(9));
    puzzles.push(switches(4));
    let mut partial = 0;
    for puzzle in &puzzles {
        let all = Counter::new(puzzle).run().solutions.number().clone();
        for method in [Method::Auto, Method::Regions, Method::Frontier] {
            for options in [Options::default(), restless()] {
                for checks in (0..40).chain((40..2000).step_by(97)) {
                    let limits = Limits::default().checks(checks);
                    let counting = Counter::new(puzzle).method(method);
                    let counting = counting.options(options.clone()).limits(limits);
                    let outcome = on_threads(1, || counting.run());
                    match (&outcome.solutions, outcome.stopped) {
                        (Total::Exactly(count), None) => assert_eq!(*count, all),
                        (Total::AtLeast(count), Some(Stop::Interrupt)) => {
                            assert!(*count <= all, "{count} of {all}");
                            partial += u64::from(!count.is_zero());
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
    assert!(partial > 100, "{partial}");
}

/// Workers that share a walk fill each other's gaps: the number is the same, also where the space is kept, memory is short, or nothing is
/// too small to be given away.
#[test]
fn workers_that_share_a_walk_agree() {
    let mut random = Random(14);
    for threads in [2, 5, 8] {
        on_threads(threads, || {
            for round in 0..60 {
                let side = 7 + round % 6;
                let puzzle = random.puzzle(side, 9, 0.35);
                let expected = Search::new(&puzzle).count().solutions;
                for method in [Method::Auto, Method::Regions] {
                    for memory in [None, Some(1 << 16)] {
                        let limits = Limits::default().memory(memory);
                        let counting = Counter::new(&puzzle).method(method);
                        let counting = counting.options(restless()).limits(limits);
                        assert_eq!(counting.run().solutions, expected, "{method:?} {puzzle:?}");
                    }
                }
                let space = Counter::new(&puzzle).options(restless()).graph().0;
                let count = space.expect("nothing stops it").count().clone();
                assert_eq!(Total::Exactly(count), expected, "{puzzle:?}");
            }
        });
    }
}

/// A side that was refuted while helpers waited for tasks was once asked about for ever, in two of four runs of this puzzle.
#[test]
fn a_side_that_is_refuted_for_helpers_is_left() {
    let rows = [
        &[1, 2, 1, 1, 1][..],
        &[1, 1, 1, 1, 2][..],
        &[1, 1, 1, 1, 2, 2][..],
        &[1, 1, 1, 1, 1, 2][..],
        &[2, 1, 2][..],
        &[1, 1, 4, 2][..],
        &[1, 1, 1, 6][..],
        &[1, 1, 1, 1][..],
        &[1, 1, 1, 1, 2][..],
        &[1, 2, 1, 3, 1][..],
        &[2, 2, 3][..],
        &[2, 1, 2, 2][..],
        &[2][..],
        &[1, 2, 1, 1, 3][..],
        &[1, 1, 1, 1, 1][..],
        &[3, 2, 2, 1, 1][..],
    ];
    let columns = [
        &[1, 1, 1, 1][..],
        &[1, 2, 2, 1][..],
        &[1, 1, 2, 2, 1][..],
        &[1, 2, 1, 1][..],
        &[1, 1, 1, 1, 1, 1][..],
        &[2, 2, 1, 1, 1, 1][..],
        &[1, 2, 1][..],
        &[1, 2, 1, 1, 1][..],
        &[1, 1, 1, 1, 2, 1][..],
        &[1, 1, 1, 1][..],
        &[1, 2, 2, 1, 1][..],
        &[3, 2, 3, 2][..],
        &[1, 1, 1, 1, 1][..],
        &[1, 1, 3, 1, 2][..],
        &[6, 1, 1, 1][..],
        &[3, 3, 1, 1, 1][..],
    ];
    let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
    let puzzle = Puzzle::new(rows.map(clue).to_vec(), columns.map(clue).to_vec()).unwrap();
    for _ in 0..5 {
        let limits = Limits::default().time(Duration::from_secs(60));
        let outcome = on_threads(8, || Counter::new(&puzzle).limits(limits).run());
        assert_eq!(outcome.solutions, exactly(60337));
    }
}

/// A goal that is a solution is known from the start. One that is none, or that lies outside the cube, changes nothing.
#[test]
fn a_goal_that_is_a_solution_is_counted_from_the_start() {
    let mut random = Random(16);
    for _ in 0..6 {
        let grid = random.grid(10, 10, 0.35);
        let puzzle = Puzzle::from_grid(&grid);
        let all = Counter::new(&puzzle).run().solutions;
        assert!(*all.number() > Count::ONE);
        let with_goal = |goal: &Grid| {
            let notes = puzzle.notes().clone().goal(goal.clone());
            puzzle.clone().with_notes(notes).unwrap()
        };
        let mut other = grid.clone();
        other.set(3, 4, !grid.get(3, 4));
        let (solution, none) = (with_goal(&grid), with_goal(&other));
        for limits in [Limits::default().nodes(0), Limits::default().checks(0)] {
            let bound = |puzzle| {
                let counting = Counter::new(puzzle).limits(limits.clone());
                counting.run().solutions
            };
            // A goal may show a second solution at once.
            let known = bound(&solution);
            assert!(*known.number() >= Count::ONE && known.number() <= all.number());
            assert!(matches!(known, Total::AtLeast(_)));
            assert_eq!(bound(&none), Total::AtLeast(Count::ZERO));
        }
        agree(&solution, &all);
        agree(&none, &all);
        for (row, column) in [(0, 0), (3, 4), (9, 5)] {
            let decision = Decision {
                cell: Cell::new(row, column),
                filled: !grid.get(row, column),
            };
            let path = vec![decision];
            let count = |puzzle| {
                let cube = Cube { path: path.clone() };
                Counter::new(puzzle).within(cube).run().solutions
            };
            assert_eq!(count(&solution), count(&puzzle));
        }
    }
}

/// Stopped anywhere on several threads, what is proved is a lower bound.
#[test]
fn a_shared_walk_that_is_stopped_is_never_too_large() {
    for puzzle in Random(15).puzzles(6, 10, 10, 0.35) {
        let all = Counter::new(&puzzle).run().solutions.number().clone();
        for threads in [2, 8] {
            for checks in (0..40).step_by(7).chain((40..2000).step_by(211)) {
                let limits = Limits::default().checks(checks);
                let counting = Counter::new(&puzzle).method(Method::Regions);
                let counting = counting.options(restless()).limits(limits);
                match on_threads(threads, || counting.run()).solutions {
                    Total::Exactly(count) => assert_eq!(count, all),
                    Total::AtLeast(count) => assert!(count <= all, "{count} of {all}"),
                }
            }
        }
    }
}

/// What one thread counts once, many count once between them.
#[test]
fn more_threads_do_no_more_work() {
    let (mut one, mut eight) = (0, 0);
    for puzzle in Random(16).puzzles(6, 11, 11, 0.35) {
        let nodes = |threads| {
            let counting = Counter::new(&puzzle).method(Method::Regions);
            on_threads(threads, || counting.run()).statistics.nodes
        };
        one += nodes(1);
        eight += nodes(8);
    }
    assert!(
        eight < one + one / 4,
        "{one} nodes on one thread, {eight} on eight"
    );
}

#[test]
fn limits_are_named() {
    let mut random = Random(10);
    let puzzle = random.puzzle(20, 20, 0.3);
    for method in [Method::Auto, Method::Regions, Method::Frontier] {
        let stopped = |limits: Limits| {
            let outcome = Counter::new(&puzzle).method(method).limits(limits).run();
            assert!(!outcome.solutions.is_exact());
            outcome.stopped
        };
        let time = Limits::default().time(Duration::from_millis(50));
        assert_eq!(stopped(time), Some(Stop::Time));
        let nodes = Limits::default().nodes(500);
        if method != Method::Frontier {
            assert_eq!(stopped(nodes), Some(Stop::Nodes));
        }
    }
}

#[test]
fn a_limit_on_solutions_has_no_effect() {
    let puzzle = permutation(5);
    for method in METHODS {
        let counter = Counter::new(&puzzle).limits(Limits::default().solutions(7));
        let total = counter.method(method).run().solutions;
        assert_eq!(total, Total::Exactly(Count::from(120)), "{method:?}");
    }
}

#[test]
fn one_thread_repeats_exactly() {
    for puzzle in Random(11).puzzles(5, 12, 12, 0.35) {
        let run = || {
            let outcome = on_threads(1, || Counter::new(&puzzle).run());
            (outcome.solutions, outcome.statistics)
        };
        assert_eq!(run(), run());
    }
}

/// What is shown is a lower bound that only grows, and no share, of which nothing is known.
#[test]
fn progress_only_grows() {
    let mut random = Random(12);
    let puzzle = random.puzzle(14, 14, 0.3);
    let seen = Mutex::new(Vec::new());
    let observer = |snapshot: omnogram::search::Snapshot| seen.lock().unwrap().push(snapshot);
    let limits = Limits::default().time(Duration::from_secs(2));
    let counting = Counter::new(&puzzle).limits(limits).observer(&observer);
    let outcome = on_threads(2, || counting.run());
    let seen = seen.into_inner().unwrap();
    assert!(!seen.is_empty());
    for pair in seen.windows(2) {
        assert!(pair[0].solutions <= pair[1].solutions, "{pair:?}");
        assert_eq!(pair[0].share, None);
    }
    let last = seen.last().unwrap();
    assert!(last.solutions <= *outcome.solutions.number());
}

/// A table that serves counts of many puzzles, also of puzzles whose lines need words of different widths, never mixes up their components.
#[test]
fn a_table_serves_many_puzzles() {
    let table = Arc::new(ComponentTable::new(1 << 28));
    let count = |puzzle: &Puzzle| Counter::new(puzzle).sharing(&table).run().solutions;
    let mut random = Random(17);
    for round in 0..300 {
        let puzzle = random.puzzle(3 + round % 4, 3 + round % 5, 0.4);
        let solutions = brute_force(&puzzle).len() as u64;
        assert_eq!(count(&puzzle), exactly(solutions), "{puzzle:?}");
        // Beside others, with lines of up to 30 and of more than 64 cells.
        let switched = [1_u32, 17][round % 2];
        let wide = beside(&puzzle, &switches(switched as usize));
        let product = solutions * 2_u64.pow(switched);
        assert_eq!(count(&wide), exactly(product), "{puzzle:?} {switched}");
    }
}

#[test]
fn a_counter_shows_its_settings() {
    let puzzle = permutation(3);
    let counter = Counter::new(&puzzle).method(Method::Regions);
    let shown = format!("{counter:?}");
    assert!(shown.starts_with("Counter {"), "{shown}");
    assert!(shown.contains("method: Regions"), "{shown}");
}

/// What the sides that are under way have proved belongs to the lower bound of a stopped count.
#[test]
fn a_stopped_count_of_components_proves_some_solutions() {
    let puzzle = Random(22).puzzle(14, 14, 0.35);
    let counter = Counter::new(&puzzle).method(Method::Regions);
    let mut proved = Vec::new();
    for nodes in [100, 1000, 4000] {
        let limits = Limits::default().nodes(nodes);
        let outcome = on_threads(1, || counter.clone().limits(limits).run());
        assert_eq!(outcome.stopped, Some(Stop::Nodes));
        proved.push(outcome.solutions.number().clone());
    }
    assert!(
        proved.is_sorted() && proved[2] > Count::from(1000),
        "{proved:?}"
    );
}
