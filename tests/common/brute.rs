//! All solutions by brute force, on `puzzle` alone: the oracle of the tests and of the fuzz targets.
#![allow(dead_code, reason = "each user takes its share")]

use omnogram::puzzle::{Grid, Puzzle};

/// Every solution, in canonical order: all arrangements of each row, columns checked as prefixes, and then the given cells. For small
/// puzzles.
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
    for (cell, filled) in puzzle.given_cells() {
        grids.retain(|grid| grid.get(cell.row.into(), cell.column.into()) == filled);
    }
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
