//! Clause learning by itself and racing the tree: against brute force, with every number of threads, stopped anywhere.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Random, brute_force, eager, on_threads, permutation, switches};
use omnogram::puzzle::{Clue, Grid, Puzzle, verify};
use omnogram::sat::{SatAnswer, SatSolver};
use omnogram::search::{Limits, Options, Search, Snapshot, Total, Verdict};
use omnogram::solutions::{Count, Stop};

/// Every solution that a learner finds, in canonical order.
fn learnt(puzzle: &Puzzle, filled: &Grid, empty: &Grid) -> Vec<Grid> {
    let never = || false;
    let mut solver = SatSolver::new(puzzle, filled, empty, u64::MAX, never).unwrap();
    let mut found = Vec::new();
    loop {
        match solver.solve(None) {
            SatAnswer::Solution(grid) => {
                solver.forbid(&grid);
                solver.clear_phases();
                found.push(grid);
            }
            SatAnswer::None => break,
            SatAnswer::Unknown => panic!("nobody stopped it"),
        }
    }
    found.sort();
    found
}

/// A random puzzle, and a picture of it.
fn random(random: &mut Random) -> (Puzzle, Grid) {
    let grid = random.any_grid(6);
    (Puzzle::from_grid(&grid), grid)
}

#[test]
fn a_learner_finds_what_brute_force_finds() {
    let mut source = Random(1);
    for _ in 0..400 {
        let (puzzle, grid) = random(&mut source);
        let mut known = [
            Grid::new(grid.width(), grid.height()),
            Grid::new(grid.width(), grid.height()),
        ];
        let mut expected = brute_force(&puzzle);
        assert_eq!(learnt(&puzzle, &known[0], &known[1]), expected);
        // With some cells known.
        for _ in 0..source.below(5) {
            let (row, column) = (source.below(grid.height()), source.below(grid.width()));
            let filled = grid.get(row, column);
            known[usize::from(!filled)].set(row, column, true);
            expected.retain(|grid| grid.get(row, column) == filled);
        }
        assert_eq!(learnt(&puzzle, &known[0], &known[1]), expected);
    }
    for _ in 0..400 {
        let puzzle = source.sized_mixed(1, 6);
        let nothing = Grid::new(puzzle.width(), puzzle.height());
        assert_eq!(learnt(&puzzle, &nothing, &nothing), brute_force(&puzzle));
    }
}

#[test]
fn a_learner_says_what_is_the_same_in_all_solutions() {
    let mut source = Random(2);
    let mut said = 0;
    for _ in 0..300 {
        let (puzzle, _) = random(&mut source);
        let solutions = brute_force(&puzzle);
        let nothing = Grid::new(puzzle.width(), puzzle.height());
        let mut solver = SatSolver::new(&puzzle, &nothing, &nothing, u64::MAX, || false).unwrap();
        let facts = |solver: &SatSolver| -> Vec<(usize, usize, bool)> {
            (0..puzzle.height())
                .flat_map(|row| (0..puzzle.width()).map(move |column| (row, column)))
                .filter_map(|(row, column)| {
                    let filled = solver.fixed_cell(row, column)?;
                    Some((row, column, filled))
                })
                .collect()
        };
        let SatAnswer::Solution(first) = solver.solve(None) else {
            panic!("there is one");
        };
        assert!(verify(&puzzle, &first).is_ok());
        for (row, column, filled) in facts(&solver) {
            assert!(solutions.iter().all(|grid| grid.get(row, column) == filled));
            said += 1;
        }
        // And then in all but the first.
        solver.forbid(&first);
        let answer = solver.solve(None);
        assert_eq!(answer == SatAnswer::None, solutions.len() == 1);
        if answer != SatAnswer::None {
            for (row, column, filled) in facts(&solver) {
                let others = solutions.iter().filter(|grid| **grid != first);
                assert!(
                    others
                        .into_iter()
                        .all(|grid| grid.get(row, column) == filled)
                );
                said += 1;
            }
        }
    }
    assert!(said > 100, "{said}");
}

#[test]
fn a_learner_refuses_what_would_not_fit() {
    let puzzle = permutation(30);
    let nothing = Grid::new(30, 30);
    assert!(SatSolver::new(&puzzle, &nothing, &nothing, 1000, || false).is_none());
}

#[test]
fn a_race_finds_the_first_few_as_brute_force_does() {
    let mut source = Random(3);
    for round in 0..600 {
        let puzzle = match round % 3 {
            0 => source.sized_mixed(1, 6),
            _ => random(&mut source).0,
        };
        let all = brute_force(&puzzle);
        for threads in [1, 2, 4] {
            for most in [1, 2, 3, 100] {
                let search = Search::new(&puzzle).options(eager());
                let (found, outcome) = on_threads(threads, || search.first(most));
                assert_eq!(found.len(), most.min(all.len()));
                assert!(found.iter().all(|grid| all.contains(grid)));
                let mut distinct = found.clone();
                distinct.sort();
                distinct.dedup();
                assert_eq!(distinct.len(), found.len(), "a solution came twice");
                let number = Count::from(found.len() as u64);
                match outcome.stopped {
                    None => assert_eq!(outcome.solutions, Total::Exactly(number)),
                    Some(stop) => {
                        assert_eq!(stop, Stop::Limit);
                        assert_eq!(outcome.solutions, Total::AtLeast(number));
                        assert_eq!(found.len(), most);
                    }
                }
            }
        }
    }
}

#[test]
fn a_race_that_is_stopped_anywhere_never_claims_too_much() {
    let mut source = Random(4);
    for _ in 0..60 {
        let (puzzle, _) = random(&mut source);
        let all = brute_force(&puzzle);
        for threads in [1, 3] {
            for checks in 0..25 {
                let limits = Limits::default().checks(checks);
                let search = Search::new(&puzzle).options(eager()).limits(limits);
                let (found, outcome) = on_threads(threads, || search.first(2));
                assert!(found.iter().all(|grid| all.contains(grid)));
                match outcome.solutions.verdict() {
                    Verdict::None => assert_eq!(all.len(), 0),
                    Verdict::Unique => assert_eq!(all.len(), 1),
                    Verdict::Multiple => assert!(all.len() > 1),
                    Verdict::Undecided => assert!(outcome.stopped.is_some()),
                }
            }
        }
    }
}

/// Dominoes that lean on each other down a staircase: the tree alone is long about them.
fn staircase(n: usize) -> Puzzle {
    let side = 2 * n + 1;
    let mut grid = Grid::new(side, side);
    for i in 0..n {
        let at = 2 * i;
        (0..3).for_each(|d| grid.set(at, side - 1 - at - 2 + d, true));
        (0..2).for_each(|d| grid.set(at + 1, side - 1 - at - 2 * d, true));
    }
    Puzzle::from_grid(&grid)
}

#[test]
fn each_engine_proves_what_the_other_does() {
    let puzzles = [staircase(4), switches(3), permutation(6)];
    for puzzle in &puzzles {
        let tree = Options {
            sat_after_settles: None,
            ..Options::default()
        };
        let (_, alone) = Search::new(puzzle).options(tree).first(2);
        for threads in [1, 2, 4] {
            for learning in [0, 1000] {
                let options = Options {
                    sat_after_settles: Some(learning),
                    ..Options::default()
                };
                let (found, both) =
                    on_threads(threads, || Search::new(puzzle).options(options).first(2));
                if threads == 1 && learning == 0 && alone.statistics.settles > 10_000 {
                    assert!(both.statistics.conflicts > 0, "the learner took part");
                }
                assert_eq!(both.solutions.verdict(), alone.solutions.verdict());
                assert!(found.iter().all(|grid| verify(puzzle, grid).is_ok()));
            }
        }
    }
}

#[test]
fn taking_turns_repeats_exactly() {
    for puzzle in Random(5).puzzles(20, 18, 18, 0.45) {
        let options = Options {
            sat_after_settles: Some(500),
            ..Options::default()
        };
        let run = || {
            on_threads(1, || {
                let (found, outcome) = Search::new(&puzzle).options(options.clone()).first(2);
                (found, outcome.solutions, outcome.statistics)
            })
        };
        assert_eq!(run(), run());
    }
}

/// Once, the learner was a job of the pool that waited to be called: two races in a pool of two threads waited for ever.
#[test]
fn races_side_by_side_in_one_pool_do_not_wait_for_each_other() {
    use rayon::prelude::*;
    let puzzles: Vec<Puzzle> = (0..12).map(|i| staircase(2 + i % 4)).collect();
    let first = |puzzle| Search::new(puzzle).first(2).1.solutions.verdict();
    let one_by_one: Vec<Verdict> = on_threads(1, || puzzles.iter().map(first).collect());
    let together: Vec<Verdict> = on_threads(2, || puzzles.par_iter().map(first).collect());
    assert_eq!(together, one_by_one);
}

#[test]
fn alone_is_one_thread_in_any_pool() {
    let puzzle = staircase(4);
    let run = |threads| {
        let (found, outcome) =
            on_threads(threads, || Search::new(&puzzle).single_threaded().first(2));
        (found, outcome.statistics)
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn a_race_can_be_interrupted_and_timed() {
    // Nobody has ever solved it; its rows and columns hardly know of each other.
    let one = || Clue::new([1, 1, 2, 1, 3, 1, 1, 2]).unwrap();
    let puzzle = Puzzle::new(vec![one(); 45], vec![one(); 45]).unwrap();
    for threads in [1, 2] {
        let limits = Limits::default().interrupt(Arc::new(AtomicBool::new(true)));
        let search = Search::new(&puzzle).limits(limits);
        let (_, outcome) = on_threads(threads, || search.first(2));
        assert_eq!(outcome.stopped, Some(Stop::Interrupt));
        let limits = Limits::default().time(Duration::from_millis(300));
        let search = Search::new(&puzzle).limits(limits);
        let (found, outcome) = on_threads(threads, || search.first(2));
        assert!(outcome.stopped.is_some());
        assert!(found.iter().all(|grid| verify(&puzzle, grid).is_ok()));
        assert!(outcome.elapsed < Duration::from_secs(30), "{outcome:?}");
    }
}

#[test]
fn what_is_answered_is_wholly_done() {
    for puzzle in Random(6).puzzles(100, 12, 12, 0.45) {
        for threads in [1, 3] {
            let last = Mutex::new(None);
            let observer = |snapshot: Snapshot| *last.lock().unwrap() = snapshot.share;
            let search = Search::new(&puzzle).options(eager()).observer(&observer);
            let (_, outcome) = on_threads(threads, || search.first(50));
            if outcome.is_complete() {
                assert_eq!(*last.lock().unwrap(), Some(1.0));
            }
        }
    }
}

#[test]
fn encoding_can_be_stopped() {
    let puzzle = permutation(30);
    let nothing = Grid::new(30, 30);
    for checks in 0..2 * 60 {
        let mut left = checks;
        let stop = move || {
            left -= 1;
            left < 0
        };
        assert!(SatSolver::new(&puzzle, &nothing, &nothing, u64::MAX, stop).is_none());
    }
}
