//! The classics against brute force, against the engine, against the known answers, and stopped anywhere.

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::{Random, brute_force, permutation, puzzle};
use omnogram::classic::{Algorithm, Classic, End};
use omnogram::format;
use omnogram::puzzle::{Clue, Grid, Line, Puzzle, verify};
use omnogram::search::{Limits, Search, Total};
use omnogram::solutions::{Count, Stop};
use proptest::prelude::*;

/// Those that list every solution.
fn complete() -> impl Iterator<Item = Algorithm> {
    let all = Algorithm::ALL.into_iter();
    all.filter(|algorithm| algorithm.is_complete())
}

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
    let (width, height) = (1 + random.below(5), 1 + random.below(5));
    let density = [0.3, 0.5, 0.7][random.below(3)];
    let puzzle = Puzzle::from_grid(&random.grid(width, height, density));
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
    let heart = read("puzzles/pictures/heart.non");
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

fn read(path: &str) -> Puzzle {
    let (path, number) = path
        .split_once('#')
        .map_or((path, 1), |(path, number)| (path, number.parse().unwrap()));
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    format::read(&bytes, path)
        .swap_remove(number - 1)
        .puzzle
        .unwrap()
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
        let puzzle = read(&format!("puzzles/known/{name}.non"));
        let cells = puzzle.width() * puzzle.height();
        for algorithm in Algorithm::ALL {
            let affordable = match algorithm {
                Algorithm::BruteForce => cells <= 25,
                Algorithm::Exhaustive => cells <= 25,
                Algorithm::Backtracking => cells <= 25,
                _ => true,
            };
            if !affordable {
                continue;
            }
            let started = Instant::now();
            let (grids, end) = sorted(algorithm, &puzzle);
            let took = started.elapsed();
            println!("{name} {algorithm} {took:?}");
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
