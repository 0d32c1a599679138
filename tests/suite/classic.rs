//! The classics against brute force, against the engine, against the known answers, and stopped anywhere.

use std::time::{Duration, Instant};

use crate::common::corpus::{self, KnownPuzzle};
use crate::common::{Random, brute_force, permutation};
use omnogram::classic::{Algorithm, Classic, End};
use omnogram::puzzle::{Clue, Grid, Line, Puzzle, verify};
use omnogram::search::{ClassicSearch, Limits, Search};
use omnogram::solutions::{Count, Stop};
use proptest::prelude::*;

fn sorted(algorithm: Algorithm, puzzle: &Puzzle) -> (Vec<Grid>, End) {
    let mut grids = Vec::new();
    let end = Classic::new(algorithm).run(puzzle, &mut grids);
    grids.sort();
    (grids, end)
}

/// Does it find exactly these solutions, or nothing that is wrong?
fn holds(algorithm: Algorithm, puzzle: &Puzzle, solutions: &[Grid]) {
    if algorithm == Algorithm::BruteForce && solutions.is_empty() {
        // It would go on for ever.
        return;
    }
    let (grids, end) = sorted(algorithm, puzzle);
    match end {
        End::Complete => assert_eq!(grids, solutions, "{algorithm} on {puzzle:?}"),
        End::Stopped => panic!("{algorithm}: nobody stopped it"),
        End::Stuck(known) => {
            assert!(!algorithm.is_complete());
            assert!(grids.iter().all(|grid| solutions.contains(grid)));
            assert_eq!(grids.len(), usize::from(algorithm == Algorithm::BruteForce));
            for (r, row) in known.iter().enumerate() {
                for (c, cell) in row.iter().enumerate() {
                    let Some(filled) = *cell else { continue };
                    let right = solutions.iter().all(|grid| grid.get(r, c) == filled);
                    assert!(right, "{algorithm} on {puzzle:?}");
                }
            }
        }
    }
}

/// Random pictures of up to 5x5, and one in ten times with its last row taken from elsewhere, so that there may be no solution.
fn random_puzzle(random: &mut Random) -> Puzzle {
    let (width, height) = random.size(1, 5);
    let density = [0.3, 0.5, 0.7][random.below(3)];
    let puzzle = random.puzzle(width, height, density);
    if !random.chance(0.1) {
        return puzzle;
    }
    let mut rows = puzzle.rows().to_vec();
    rows[height - 1] = random.grid(width, 1, density).clue(Line::Row(0));
    Puzzle::new(rows, puzzle.columns().to_vec()).unwrap()
}

#[test]
fn a_thousand_random_puzzles() {
    let mut random = Random(7);
    let mut unsolvable = 0;
    for _ in 0..1000 {
        let puzzle = random_puzzle(&mut random);
        let solutions = brute_force(&puzzle);
        unsolvable += u32::from(solutions.is_empty());
        let (engine, outcome) = Search::new(&puzzle).collect();
        assert!(outcome.is_complete());
        assert_eq!(engine, solutions);
        let cells = puzzle.width() * puzzle.height();
        for algorithm in Algorithm::ALL {
            let dear = matches!(algorithm, Algorithm::Exhaustive | Algorithm::BruteForce);
            if !dear || cells <= 16 {
                holds(algorithm, &puzzle, &solutions);
            }
        }
    }
    assert!(unsolvable > 10, "{unsolvable}");
}

/// The largest of those sizes once, for the two that are too dear for a thousand.
#[test]
fn a_puzzle_of_five_by_five() {
    let heart = corpus::read("pictures/heart.non");
    let solutions = brute_force(&heart);
    holds(Algorithm::Exhaustive, &heart, &solutions);
    holds(Algorithm::BruteForce, &heart, &solutions);
}

proptest! {
    /// Clues of which nobody knows whether they go together.
    #[test]
    fn any_clues(rows in proptest::collection::vec(0u32..32, 1..5), columns in proptest::collection::vec(0u32..32, 1..5)) {
        let clues = |bits: &[u32], length: usize| -> Vec<Clue> {
            let clue = |bits: &u32| {
                let mut grid = Grid::new(length, 1);
                (0..length).for_each(|c| grid.set(0, c, bits >> c & 1 == 1));
                grid.clue(Line::Row(0))
            };
            bits.iter().map(clue).collect()
        };
        let puzzle = Puzzle::new(clues(&rows, columns.len()), clues(&columns, rows.len())).unwrap();
        let solutions = brute_force(&puzzle);
        for algorithm in Algorithm::ALL {
            holds(algorithm, &puzzle, &solutions);
        }
    }
}

/// The puzzles of the descriptions, by every algorithm that can end on them.
#[test]
fn the_puzzles_of_the_descriptions() {
    for (name, solutions) in [
        ("blog-picture", 1),
        ("wiki-test", 1),
        ("literate", 1),
        ("small-example", 1),
        ("r-package", 1),
        ("diagonals", 2),
    ] {
        let puzzle = corpus::read(&format!("known/{name}.non"));
        let cells = puzzle.width() * puzzle.height();
        for algorithm in Algorithm::ALL {
            let affordable = match algorithm {
                Algorithm::BruteForce => cells <= 25,
                Algorithm::Exhaustive => cells <= 25,
                Algorithm::Backtracking => cells <= 49,
                _ => true,
            };
            if !affordable {
                continue;
            }
            let (grids, end) = sorted(algorithm, &puzzle);
            let stuck = matches!(end, End::Stuck(_));
            let expected = match algorithm {
                Algorithm::BruteForce => 1,
                // No cell of these is certain, or too few are.
                Algorithm::PermutationElimination if stuck => 0,
                _ => solutions,
            };
            assert_eq!(grids.len(), expected, "{algorithm} on {name}");
            assert!(grids.iter().all(|grid| verify(&puzzle, grid) == Ok(())));
            let no_end = match algorithm {
                Algorithm::BruteForce => true,
                Algorithm::PermutationElimination => ["literate", "diagonals"].contains(&name),
                _ => false,
            };
            assert_eq!(stuck, no_end, "{algorithm} on {name}");
        }
    }
}

/// The table of answers, as far as a budget of steps and a little memory go: whoever ends is right, whoever does not says "at least".
#[test]
fn the_table_of_answers() {
    let answers = corpus::answers();
    let mut ended = [0; Algorithm::ALL.len()];
    for answer in &answers {
        let KnownPuzzle { name, puzzle, .. } = answer;
        let solutions = answer.solutions.parse::<Count>().unwrap();
        for (algorithm, ended) in Algorithm::ALL.into_iter().zip(&mut ended) {
            if algorithm.check(puzzle).is_err() {
                continue;
            }
            // A step of the sets walks along a line, and of others it costs as much as a line is long.
            let longest = puzzle.width().max(puzzle.height()) as u64;
            let steps = match algorithm {
                Algorithm::SetBased => 20_000_000 / (longest * longest),
                _ => 1_000_000 / longest,
            };
            let limits = Limits::default().nodes(steps).memory(64 << 20);
            let search = ClassicSearch::new(puzzle, Classic::new(algorithm)).limits(limits);
            let (grids, outcome) = search.collect();
            assert!(
                grids.iter().all(|grid| verify(puzzle, grid) == Ok(())),
                "{algorithm} on {name}"
            );
            let found = Count::from(grids.len() as u64);
            match outcome.stopped {
                None => {
                    assert_eq!(found, solutions, "{algorithm} on {name}");
                    assert!(outcome.solutions.is_exact());
                    *ended += 1;
                }
                Some(Stop::Stuck) => {
                    assert!(!algorithm.is_complete(), "{algorithm} on {name}");
                    assert!(found <= solutions);
                    // What it knows is no more than a part of the puzzle in which all solutions are.
                    if let [cube] = &*outcome.cubes
                        && answer.listable
                        && solutions < Count::from(10_000)
                    {
                        let rest = Search::new(puzzle).cubes(vec![cube.clone()]).count();
                        assert_eq!(*rest.solutions.number(), solutions, "{algorithm} on {name}");
                    }
                }
                Some(Stop::Nodes | Stop::Memory) => {
                    assert!(found <= solutions, "{algorithm} on {name}")
                }
                other => panic!("{algorithm} on {name}: {other:?}"),
            }
        }
    }
    println!("{ended:?} of {}", answers.len());
    for (algorithm, ended) in Algorithm::ALL.into_iter().zip(ended) {
        let least = match algorithm {
            Algorithm::BruteForce => 1,
            Algorithm::Exhaustive => 8,
            Algorithm::Backtracking => 15,
            _ => 20,
        };
        assert!(ended >= least, "{algorithm} ended on {ended}");
    }
}

/// Each stops at the n-th time that it is asked, whatever n, and what it has found by then is right and is called a lower bound.
#[test]
fn stopped_anywhere() {
    let puzzles = [
        corpus::read("known/blog-picture.non"),
        permutation(4),
        corpus::read("pack.nonpack#3"),
    ];
    for puzzle in &puzzles {
        let solutions = brute_force(puzzle);
        for algorithm in Algorithm::ALL {
            let mut complete = 0;
            for n in 0..40 {
                let limits = Limits::default().nodes(1 << n);
                let checks = Limits::default().checks(n).nodes(100_000);
                for (limits, reason) in [(limits, Stop::Nodes), (checks, Stop::Interrupt)] {
                    let search = ClassicSearch::new(puzzle, Classic::new(algorithm));
                    let (grids, outcome) = search.limits(limits).collect();
                    assert!(grids.iter().all(|grid| solutions.contains(grid)));
                    assert_eq!(outcome.solutions.number(), &Count::from(grids.len() as u64));
                    assert_eq!(outcome.solutions.is_exact(), outcome.stopped.is_none());
                    match outcome.stopped {
                        None => complete += usize::from(grids == solutions),
                        Some(Stop::Stuck) => assert!(!algorithm.is_complete()),
                        Some(Stop::Nodes) => {}
                        stopped => assert_eq!(stopped, Some(reason), "{algorithm}"),
                    }
                }
                if n == 18 {
                    break;
                }
            }
            let dear = algorithm == Algorithm::Exhaustive && puzzle.width() * puzzle.height() > 16;
            assert!(
                complete > 0 || dear || !algorithm.is_complete(),
                "{algorithm}"
            );
        }
    }
}

#[test]
fn every_limit_strikes() {
    let puzzle = permutation(20);
    for algorithm in Algorithm::ALL {
        let search = ClassicSearch::new(&puzzle, Classic::new(algorithm));
        let run = |limits: Limits| search.clone().limits(limits).count();
        let started = Instant::now();
        let short = run(Limits::default()
            .time(Duration::from_millis(30))
            .memory(1 << 30));
        assert!(started.elapsed() < Duration::from_secs(2), "{algorithm}");
        let stuck = algorithm == Algorithm::PermutationElimination;
        let stop = if stuck { Stop::Stuck } else { Stop::Time };
        assert_eq!(short.stopped, Some(stop), "{algorithm}");
        let nodes = run(Limits::default().nodes(700));
        assert_eq!(
            (nodes.stopped, nodes.statistics.nodes),
            (Some(Stop::Nodes), 700),
            "{algorithm}"
        );
        let memory = run(Limits::default().memory(100));
        assert_eq!(memory.stopped, Some(Stop::Memory), "{algorithm}");
        let none = run(Limits::default().solutions(0));
        assert_eq!(none.stopped, Some(Stop::Limit), "{algorithm}");
    }
    for algorithm in [
        Algorithm::BacktrackingPrefix,
        Algorithm::SetBased,
        Algorithm::LineOrder,
    ] {
        let limits = Limits::default().solutions(5);
        let search = ClassicSearch::new(&puzzle, Classic::new(algorithm)).limits(limits);
        let (grids, outcome) = search.collect();
        assert_eq!(
            (grids.len(), outcome.stopped),
            (5, Some(Stop::Limit)),
            "{algorithm}"
        );
    }
}

/// The same seed draws the same, another one something else.
#[test]
fn brute_force_is_repeated_by_its_seed() {
    let puzzle = permutation(5);
    let first = |seed: u64| {
        let classic = Classic::new(Algorithm::BruteForce).seed(seed);
        ClassicSearch::new(&puzzle, classic).first(1, None).0
    };
    assert_eq!(first(3), first(3));
    assert!((4..10).any(|seed| first(seed) != first(3)));
}

/// Arrangements are listed once for all puzzles, and let go when there is no room for them.
#[test]
fn arrangements_are_shared() {
    let classic = Classic::new(Algorithm::PermutationElimination);
    let needs = |puzzle: &Puzzle, memory| classic.needs(puzzle, memory).unwrap();
    // Ten lines of five arrangements, one list for all of them.
    let before = needs(&permutation(5), None);
    assert_eq!(
        (before.arrangements, before.bytes, before.kept),
        (50.0, 55.0 * 16.0, 0.0)
    );
    classic.run(&permutation(5), &mut Vec::new());
    let after = needs(&permutation(5), None);
    assert_eq!((after.bytes, after.kept), (50.0 * 16.0, 5.0 * 16.0));
    classic.run(&permutation(7), &mut Vec::new());
    assert_eq!(classic.kept(), 12 * 16);
    assert_eq!(needs(&permutation(7), Some(100)).kept, 0.0);
    assert_eq!(classic.kept(), 0);
}
