//! Pictures as rows of cells: comparison with the clues, and conversion to a grid.

use crate::puzzle::{Clue, Grid, Puzzle};

/// Whether the runs of filled cells are the blocks of the clue.
pub(super) fn fits(clue: &Clue, cells: impl Iterator<Item = bool>) -> bool {
    let mut blocks = clue.lengths();
    let mut remaining = None;
    for filled in cells {
        remaining = match (filled, remaining) {
            (false, None) => None,
            (false, Some(0)) => None,
            (false, Some(_)) => return false,
            (true, Some(cells)) => match usize::checked_sub(cells, 1) {
                None => return false,
                next => next,
            },
            (true, None) => match blocks.next() {
                None => return false,
                Some(block) => Some(block - 1),
            },
        };
    }
    remaining.unwrap_or(0) == 0 && blocks.next().is_none()
}

/// Whether the columns of these rows have the blocks of their clues.
pub(super) fn columns_fit(puzzle: &Puzzle, rows: &[Vec<bool>]) -> bool {
    let mut columns = puzzle.columns().iter().enumerate();
    columns.all(|(c, clue)| fits(clue, rows.iter().map(|row| row[c])))
}

/// The grid with these rows.
pub(super) fn picture(rows: &[Vec<bool>]) -> Grid {
    let mut grid = Grid::new(rows[0].len(), rows.len());
    for (r, row) in rows.iter().enumerate() {
        let filled = row.iter().enumerate().filter(|&(_, &filled)| filled);
        filled.for_each(|(c, _)| grid.set(r, c, true));
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_fit_when_their_runs_are_the_clue() {
        let cells = |text: &str| -> Vec<bool> { text.chars().map(|c| c == '#').collect() };
        let clue = Clue::new([2, 1]).unwrap();
        for (text, fit) in [
            ("##.#.", true),
            (".##.#", true),
            ("##..#", true),
            ("##...", false),
            ("###.#", false),
            ("#.##.", false),
            ("##.##", false),
            ("##.#.#", false),
            ("#", false),
            ("", false),
        ] {
            assert_eq!(fits(&clue, cells(text).into_iter()), fit, "{text}");
        }
        assert!(fits(&Clue::default(), cells("...").into_iter()));
        assert!(!fits(&Clue::default(), cells("..#").into_iter()));
    }
}
