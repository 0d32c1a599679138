//! Does this grid satisfy this puzzle? Plain counting of runs, which knows nothing of lines being settled or trees being searched,
//! so that it can judge both.

use std::fmt;

use super::clue::Clue;
use super::grid::Grid;
use super::line::Line;
use super::model::Puzzle;

/// Why a grid is not a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The grid has another size: its width and height, then the puzzle's.
    Size((usize, usize), (usize, usize)),
    /// The first line whose runs are not those of its clue: the line, what the clue asks for, what the grid has.
    Line(Line, Clue, Clue),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Size(grid, puzzle) => {
                write!(
                    f,
                    "the grid is {}x{}, the puzzle {}x{}",
                    grid.0, grid.1, puzzle.0, puzzle.1
                )
            }
            Mismatch::Line(line, wanted, found) => {
                write!(f, "{line} has {found}, its clue is {wanted}")
            }
        }
    }
}

/// Does `grid` satisfy every clue of `puzzle`?
///
/// Takes time proportional to the number of cells.
///
/// # Errors
///
/// The first [`Mismatch`]: sizes, then rows, then columns.
pub fn verify(puzzle: &Puzzle, grid: &Grid) -> Result<(), Mismatch> {
    let sizes = (
        (grid.width(), grid.height()),
        (puzzle.width(), puzzle.height()),
    );
    if sizes.0 != sizes.1 {
        return Err(Mismatch::Size(sizes.0, sizes.1));
    }
    for (line, clue) in puzzle.lines() {
        let found = grid.clue(line);
        if found != *clue {
            return Err(Mismatch::Line(line, clue.clone(), found));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_line_that_differs() {
        let puzzle = Puzzle::from_grid(&Grid::from_rows(&["##.", "..#"]).unwrap());
        let wrong = Grid::from_rows(&["##.", "#.."]).unwrap();
        assert_eq!(
            verify(&puzzle, &wrong).unwrap_err().to_string(),
            "column 1 has 2, its clue is 1"
        );
        let small = Grid::from_rows(&["##"]).unwrap();
        assert_eq!(
            verify(&puzzle, &small).unwrap_err().to_string(),
            "the grid is 2x1, the puzzle 3x2"
        );
    }
}
