//! Checks a grid against a puzzle by counting runs, independently of line solving and search, so that it can check both.

use std::fmt;

use super::clue::Clue;
use super::grid::Grid;
use super::line::Line;
use super::model::Puzzle;

/// Why a grid is not a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The sizes differ: width and height of the grid, then of the puzzle.
    Size((usize, usize), (usize, usize)),
    /// The first line whose runs differ from its clue: the line, its clue, the runs of the grid.
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
            Mismatch::Line(line, clue, found) => {
                write!(f, "{line} has {found}, its clue is {clue}")
            }
        }
    }
}

impl Puzzle {
    /// The goal, if it is a solution.
    pub(crate) fn solved_goal(&self) -> Option<&Grid> {
        let goal = self.notes().goal.as_ref();
        goal.filter(|goal| verify(self, goal).is_ok())
    }
}

/// Checks that `grid` satisfies every clue of `puzzle`.
///
/// O(cells).
///
/// # Errors
///
/// The first [`Mismatch`] in this order: sizes, rows, columns.
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
