//! Checks a grid against a puzzle by counting runs, independently of line solving and search, so that it can check both.

use std::fmt;

use super::cell::Cell;
use super::clue::Clue;
use super::grid::Grid;
use super::line::Line;
use super::model::Puzzle;
use super::position::Position;
use crate::error::{Error, Result};

/// Why a grid is not a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The sizes differ: width and height of the grid, then of the puzzle.
    Size((usize, usize), (usize, usize)),
    /// The first line whose runs differ from its clue: the line, its clue, the runs of the grid.
    Line(Line, Clue, Clue),
    /// The first cell whose value differs from the given one, and the given value: whether it is filled.
    Given(Cell, bool),
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
            Mismatch::Given(cell, filled) => {
                let words = |filled| if filled { "filled" } else { "empty" };
                let (row, column) = (cell.row + 1, cell.column + 1);
                let (found, given) = (words(!filled), words(*filled));
                write!(
                    f,
                    "row {row} column {column} is {found}, but given as {given}"
                )
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

    /// Adds the given cells to a position.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the sizes differ, or, naming the cell, if a known cell has another value than the given
    /// one.
    pub fn add_given_to(&self, position: &mut Position) -> Result<()> {
        position.check_size(self.width(), self.height())?;
        for (cell, filled) in self.given_cells() {
            let (row, column) = cell.place();
            if position.get(row, column) == Some(!filled) {
                let mismatch = Mismatch::Given(cell, filled);
                return Err(Error::data(format!("in the position, {mismatch}")));
            }
            position.set(row, column, Some(filled));
        }
        Ok(())
    }

    /// The first given cell that has another value in a grid of the same size, and its given value.
    pub(crate) fn wrong_given_cell(&self, grid: &Grid) -> Option<(Cell, bool)> {
        self.given().and_then(|given| given.wrong_cell(grid))
    }
}

/// Checks that `grid` satisfies every clue of `puzzle`, and has its given cells. [`mismatches`] lists everything that is wrong.
///
/// O(cells).
///
/// # Errors
///
/// The first [`Mismatch`] in this order: sizes, given cells, rows, columns.
pub fn verify(puzzle: &Puzzle, grid: &Grid) -> std::result::Result<(), Mismatch> {
    match different_size(puzzle, grid) {
        Some(size) => Err(size),
        None => differences(puzzle, grid).next().map_or(Ok(()), Err),
    }
}

/// Every [`Mismatch`] between `grid` and `puzzle`, in the order of [`verify`]: each given cell that the grid contradicts, and each line
/// whose runs differ from its clue. It is the size alone if the sizes differ, and nothing if the grid is a solution.
///
/// O(cells).
pub fn mismatches(puzzle: &Puzzle, grid: &Grid) -> Vec<Mismatch> {
    match different_size(puzzle, grid) {
        Some(size) => vec![size],
        None => differences(puzzle, grid).collect(),
    }
}

fn different_size(puzzle: &Puzzle, grid: &Grid) -> Option<Mismatch> {
    let grid = (grid.width(), grid.height());
    let puzzle = (puzzle.width(), puzzle.height());
    (grid != puzzle).then_some(Mismatch::Size(grid, puzzle))
}

/// The given cells and the lines that differ, of a grid that has the size of the puzzle.
fn differences<'a>(puzzle: &'a Puzzle, grid: &'a Grid) -> impl Iterator<Item = Mismatch> + 'a {
    let given = puzzle.given_cells().filter(|(cell, filled)| {
        let (row, column) = cell.place();
        grid.get(row, column) != *filled
    });
    let given = given.map(|(cell, filled)| Mismatch::Given(cell, filled));
    let lines = puzzle.lines().filter_map(|(line, clue)| {
        let found = grid.clue(line);
        (found != *clue).then(|| Mismatch::Line(line, clue.clone(), found))
    });
    given.chain(lines)
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
        let given = puzzle.with_given("??.\n.?#".parse().unwrap()).unwrap();
        assert_eq!(
            verify(&given, &wrong).unwrap_err(),
            Mismatch::Given(Cell::new(1, 0), false)
        );
        assert_eq!(
            verify(&given, &wrong).unwrap_err().to_string(),
            "row 2 column 1 is filled, but given as empty"
        );
    }
    #[test]
    fn lists_everything_that_is_wrong() {
        let puzzle = Puzzle::from_grid(&Grid::from_rows(&["##.", "..#"]).unwrap());
        let puzzle = puzzle.with_given("#??\n.?#".parse().unwrap()).unwrap();
        let listed = |rows: &[&str]| -> Vec<String> {
            let grid = Grid::from_rows(rows).unwrap();
            let listed = mismatches(&puzzle, &grid);
            assert_eq!(verify(&puzzle, &grid).err().as_ref(), listed.first());
            listed.iter().map(Mismatch::to_string).collect()
        };
        assert!(listed(&["##.", "..#"]).is_empty());
        assert_eq!(listed(&["##"]), ["the grid is 2x1, the puzzle 3x2"]);
        assert_eq!(
            listed(&["#.#", "#.#"]),
            [
                "row 2 column 1 is filled, but given as empty",
                "row 1 has 1 1, its clue is 2",
                "row 2 has 1 1, its clue is 1",
                "column 1 has 2, its clue is 1",
                "column 2 has 0, its clue is 1",
                "column 3 has 2, its clue is 1",
            ]
        );
    }
}
