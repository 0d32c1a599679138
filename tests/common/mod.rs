//! What several tests need: families with known answers, a brute force that shares nothing with the engine, and options that make
//! everything happen on small puzzles.
#![allow(dead_code, reason = "each test uses its share")]

mod brute;
pub(crate) mod command;
pub(crate) mod corpus;
mod habits;
pub(crate) mod pieces;
pub(crate) mod proofs;
mod random;
pub(crate) mod reading;
pub(crate) mod recorded;
pub(crate) mod records;
pub(crate) mod repairing;
pub(crate) mod settling;
mod threads;
pub(crate) mod whole;

use std::collections::HashMap;

use omnogram::puzzle::{Clue, Grid, Puzzle};
use omnogram::solutions::Count;

#[allow(unused_imports, reason = "each test uses its share")]
pub(crate) use {
    brute::{brute_force, clue_of},
    habits::{METHODS, eager, restless},
    random::Random,
    threads::{on_threads, pool},
};

/// How many clue sets of 4x4 have how many solutions.
pub(crate) const HISTOGRAM_OF_4X4: [(u64, u64); 9] = [
    (1, 52_362),
    (2, 5050),
    (3, 422),
    (4, 209),
    (5, 20),
    (6, 112),
    (8, 4),
    (9, 16),
    (24, 1),
];

/// Every clue set of 4x4, with all its solutions in canonical order.
pub(crate) fn clue_sets_of_4x4() -> Vec<(Puzzle, Vec<Grid>)> {
    let mut groups: HashMap<String, (Puzzle, Vec<Grid>)> = HashMap::new();
    for bits in 0..1u32 << 16 {
        let mut grid = Grid::new(4, 4);
        (0..16).for_each(|i| grid.set(i / 4, i % 4, bits >> i & 1 == 1));
        let puzzle = Puzzle::from_grid(&grid);
        let group = groups.entry(format!("{puzzle:?}"));
        let (_, grids) = group.or_insert_with(|| (puzzle, Vec::new()));
        grids.push(grid);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.iter_mut().for_each(|(_, grids)| grids.sort());
    groups
}

/// The number of random puzzles in a test, which `OMNOGRAM_ROUNDS` changes.
pub(crate) fn rounds(usual: usize) -> usize {
    let rounds = std::env::var("OMNOGRAM_ROUNDS").ok();
    rounds.map_or(usual, |rounds| rounds.parse().expect("a number"))
}

/// A puzzle from block lengths; panics if they do not fit.
pub(crate) fn puzzle(rows: &[&[usize]], columns: &[&[usize]]) -> Puzzle {
    let clues = |lines: &[&[usize]]| {
        lines
            .iter()
            .map(|line| Clue::new(line.iter().copied()).unwrap())
            .collect()
    };
    Puzzle::new(clues(rows), clues(columns)).unwrap()
}

/// n x n with every clue 1: n! solutions.
pub(crate) fn permutation(n: usize) -> Puzzle {
    puzzle(&vec![&[1][..]; n], &vec![&[1][..]; n])
}

/// k switches: 2^k solutions.
pub(crate) fn switches(k: usize) -> Puzzle {
    let side = 4 * k + 4;
    let mut grid = Grid::new(side, side);
    (0..side * side).for_each(|i| grid.set(i / side, i % side, true));
    for a in (2..4 * k).step_by(4) {
        grid.set(a, a + 1, false);
        grid.set(a + 1, a, false);
        for d in 0..2 {
            grid.set(a + d, a - 1, false);
            grid.set(a + d, a + 2, false);
            grid.set(a - 1, a + d, false);
            grid.set(a + 2, a + d, false);
        }
    }
    Puzzle::from_grid(&grid)
}

/// Two puzzles in one, which know nothing of each other: their solutions multiply.
pub(crate) fn beside(first: &Puzzle, second: &Puzzle) -> Puzzle {
    let clues = |first: &[Clue], before: usize, second: &[Clue], after: usize| {
        // Blocks as long as the other puzzle keep both in their corners.
        let first = first.iter().map(|clue| {
            let lengths: Vec<usize> = clue.lengths().chain([after]).collect();
            Clue::new(lengths).unwrap()
        });
        let second = second.iter().map(|clue| {
            let lengths: Vec<usize> = [before].into_iter().chain(clue.lengths()).collect();
            Clue::new(lengths).unwrap()
        });
        let gap = Clue::new([]).unwrap();
        first.chain([gap]).chain(second).collect()
    };
    let (a, b) = (first, second);
    Puzzle::new(
        clues(a.rows(), a.width(), b.rows(), b.width()),
        clues(a.columns(), a.height(), b.columns(), b.height()),
    )
    .unwrap()
}

/// n!
pub(crate) fn factorial(n: u64) -> Count {
    let mut product = Count::ONE;
    (1..=n).for_each(|i| product *= &Count::from(i));
    product
}
