//! What several tests need: families with known answers, a brute force that shares nothing with the engine, and options that make
//! everything happen on small puzzles.
#![allow(dead_code, reason = "each test uses its share")]

pub(crate) mod command;
pub(crate) mod corpus;
pub(crate) mod pieces;
mod random;
mod threads;

use omnogram::puzzle::{Clue, Grid, Puzzle};
use omnogram::solutions::Count;
use omnogram::{count, search};

#[allow(unused_imports, reason = "each test uses its share")]
pub(crate) use {
    random::Random,
    threads::{on_threads, pool},
};

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

/// Every solution, in canonical order: all arrangements of each row, columns checked as prefixes. For small puzzles.
pub(crate) fn brute_force(puzzle: &Puzzle) -> Vec<Grid> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let row_clue = |bits: u32| clue_of((0..width).map(|c| bits >> c & 1 == 1));
    let rows: Vec<Vec<u32>> = puzzle
        .rows()
        .iter()
        .map(|clue| {
            (0..1u32 << width)
                .filter(|&bits| row_clue(bits) == clue.lengths().collect::<Vec<_>>())
                .collect()
        })
        .collect();
    let mut found = Vec::new();
    let mut chosen = vec![];
    fill(puzzle, &rows, &mut chosen, &mut found);
    let mut grids: Vec<Grid> = found
        .iter()
        .map(|rows| {
            Grid::from_words(
                width,
                height,
                rows.iter().map(|&bits| u64::from(bits)).collect(),
            )
        })
        .collect();
    grids.sort();
    grids
}

fn fill(puzzle: &Puzzle, rows: &[Vec<u32>], chosen: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    if chosen.len() == puzzle.height() {
        let fits = |c: usize| {
            clue_of(chosen.iter().map(|bits| bits >> c & 1 == 1))
                == puzzle.columns()[c].lengths().collect::<Vec<_>>()
        };
        if (0..puzzle.width()).all(fits) {
            found.push(chosen.clone());
        }
        return;
    }
    for &bits in &rows[chosen.len()] {
        chosen.push(bits);
        // Runs that have ended must be the first of the clue, and the open one no longer than its block.
        let possible = (0..puzzle.width()).all(|c| {
            let clue: Vec<usize> = puzzle.columns()[c].lengths().collect();
            let runs = clue_of(chosen.iter().map(|bits| bits >> c & 1 == 1));
            let open = bits >> c & 1 == 1;
            let ended = runs.len() - usize::from(open);
            runs.len() <= clue.len()
                && runs[..ended] == clue[..ended]
                && (!open || runs[ended] <= clue[ended])
        });
        if possible {
            fill(puzzle, rows, chosen, found);
        }
        chosen.pop();
    }
}

/// The lengths of the blocks of a full line.
pub(crate) fn clue_of(cells: impl Iterator<Item = bool>) -> Vec<usize> {
    let cells: Vec<bool> = cells.collect();
    cells
        .split(|&filled| !filled)
        .map(<[bool]>::len)
        .filter(|&length| length > 0)
        .collect()
}

/// n!
pub(crate) fn factorial(n: u64) -> Count {
    let mut product = Count::ONE;
    (1..=n).for_each(|i| product *= &Count::from(i));
    product
}

/// Clause learning at once and all the time.
pub(crate) fn eager() -> search::Options {
    search::Options {
        sat_after_settles: Some(0),
        settles_per_poll: 1,
        ..search::Options::default()
    }
}

/// Habits of a count that make everything happen on small puzzles: questions at every node, rounds of trials, no probing of the root, and
/// probing of the smallest component in the order that probes.
pub(crate) fn restless() -> count::Options {
    count::Options {
        oracle_percent: 0,
        trial_ns: 0,
        max_probing_settles: 0,
        min_shared_cells: 0,
        min_probed_cells: 0,
        ..count::Options::default()
    }
}
