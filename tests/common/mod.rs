//! What several tests need: random pictures, families with known answers, and a brute force that shares nothing with the engine.
#![allow(dead_code, reason = "each test uses its share")]

pub(crate) mod command;
pub(crate) mod pieces;

use omnogram::puzzle::{Clue, Grid, Puzzle};

/// Splitmix64: small, and the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn chance(&mut self, p: f64) -> bool {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 <= p
    }

    pub(crate) fn grid(&mut self, width: usize, height: usize, density: f64) -> Grid {
        let mut grid = Grid::new(width, height);
        for r in 0..height {
            for c in 0..width {
                grid.set(r, c, self.chance(density));
            }
        }
        grid
    }
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

fn clue_of(cells: impl Iterator<Item = bool>) -> Vec<usize> {
    let cells: Vec<bool> = cells.collect();
    cells
        .split(|&filled| !filled)
        .map(<[bool]>::len)
        .filter(|&length| length > 0)
        .collect()
}

/// Runs `work` in a pool of so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}
