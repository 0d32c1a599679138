//! The smallest difference between two solutions: two cells emptied and two filled, at the corners of a rectangle, so that no clue of its
//! two rows and two columns changes. Most solutions of ambiguous puzzles have such a rectangle, and it is found without search.

use std::cell::Cell;
use std::ops::Range;

use crate::puzzle::{Grid, Puzzle};

/// Cell reads after which the scan gives up: some ten milliseconds.
const MAX_CELL_READS: u64 = 4_000_000;

/// Another solution that differs from this one of the puzzle in four cells; `None` if there is none, or the scan found none.
pub(crate) fn switched_solution(puzzle: &Puzzle, solution: &Grid) -> Option<Grid> {
    switch_rectangle(solution).filter(|other| puzzle.wrong_given_cell(other).is_none())
}

/// Another grid with the same clues that differs in four cells; `None` if there is none, or the scan gave up.
pub(crate) fn switch_rectangle(grid: &Grid) -> Option<Grid> {
    let (width, height) = (grid.width(), grid.height());
    let reads = Cell::new(0u64);
    let get = |row, column| {
        reads.set(reads.get() + 1);
        grid.get(row, column)
    };
    let in_row = |row, column| targets(width, column, |column| get(row, column));
    let in_column = |column, row| targets(height, row, |row| get(row, column));
    for row in 0..height {
        for column in (0..width).filter(|&column| grid.get(row, column)) {
            if reads.get() > MAX_CELL_READS {
                return None;
            }
            let rows = in_column(column, row);
            if rows.iter().all(Range::is_empty) {
                continue;
            }
            for other_column in in_row(row, column).into_iter().flatten() {
                for other_row in rows.clone().into_iter().flatten() {
                    if reads.get() > MAX_CELL_READS {
                        return None;
                    }
                    let corner = (other_row, other_column);
                    if get(corner.0, corner.1)
                        && contains(&in_row(corner.0, corner.1), column)
                        && contains(&in_column(corner.1, corner.0), row)
                    {
                        let mut other = grid.clone();
                        other.set(row, column, false);
                        other.set(row, other_column, true);
                        other.set(other_row, column, true);
                        other.set(other_row, other_column, false);
                        return Some(other);
                    }
                }
            }
        }
    }
    None
}

/// The empty cells before and after a filled cell of a line to which it can move without changing the clue. A block of one cell moves
/// anywhere within its gap; of a longer block the first cell moves behind the last, or the last before the first.
fn targets(length: usize, from: usize, filled: impl Fn(usize) -> bool) -> [Range<usize>; 2] {
    let start = (0..from).rev().take_while(|&i| filled(i)).last();
    let last = (from + 1..length).take_while(|&i| filled(i)).last();
    // The cell beyond the target must be empty or outside the line.
    let is_free = |i: usize| i >= length || !filled(i);
    match (start, last) {
        (None, None) => {
            let before = (0..from).rev().find(|&i| filled(i));
            let after = (from + 1..length).find(|&i| filled(i));
            let (low, high) = (before.map_or(0, |i| i + 2), after.map_or(length, |i| i - 1));
            [low..from, from + 1..high]
        }
        (None, Some(last)) => {
            let to = last + 1;
            let fits = to < length && is_free(to + 1);
            [0..0, to..to + usize::from(fits)]
        }
        (Some(start), None) => {
            let fits = start > 0 && (start == 1 || is_free(start - 2));
            [start - usize::from(fits)..start, 0..0]
        }
        (Some(_), Some(_)) => [0..0, 0..0],
    }
}

fn contains(ranges: &[Range<usize>; 2], at: usize) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Line, Puzzle, verify};

    #[test]
    fn moving_to_a_target_keeps_the_clue() {
        for bits in 0u32..1 << 9 {
            let cells: Vec<bool> = (0..9).map(|i| bits >> i & 1 == 1).collect();
            let clue = |cells: &[bool]| {
                let mut grid = Grid::new(9, 1);
                (0..9).for_each(|i| grid.set(0, i, cells[i]));
                grid.clue(Line::Row(0))
            };
            for from in (0..9).filter(|&i| cells[i]) {
                for to in targets(9, from, |i| cells[i]).into_iter().flatten() {
                    assert!(!cells[to], "{cells:?} {from} {to}");
                    let mut moved = cells.clone();
                    (moved[from], moved[to]) = (false, true);
                    assert_eq!(clue(&cells), clue(&moved), "{cells:?} {from} {to}");
                }
            }
        }
    }

    #[test]
    fn a_rectangle_is_switched() {
        for rows in [
            &["#.", ".#"][..],
            &[".#..", "...#"],
            &["#..", "...", "..#"],
            // Blocks of two cells, shifted in opposite directions.
            &["##.", ".##"],
        ] {
            let grid = Grid::from_rows(rows).unwrap();
            let other = switch_rectangle(&grid).unwrap_or_else(|| panic!("{rows:?}"));
            assert_eq!(
                verify(&Puzzle::from_grid(&grid), &other),
                Ok(()),
                "{rows:?}"
            );
            assert_ne!(grid, other);
        }
        for rows in [&["##", ".#"][..], &["###", "#.#", "###"], &["#"]] {
            assert_eq!(switch_rectangle(&Grid::from_rows(rows).unwrap()), None);
        }
    }
}
