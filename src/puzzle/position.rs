//! A partly filled grid: what a player has found so far, or what a puzzle states from the start.

use std::fmt;
use std::str::FromStr;

use super::cell::Cell;
use super::grid::Grid;
use super::line::MAX_SIDE;
use crate::error::{Error, Result};

/// A grid in which each cell is filled, empty or unknown.
///
/// Its text has a row per line, with `#` for filled, `.` for empty and `?` or `-` for unknown cells; blank lines are ignored.
///
/// ```
/// use omnogram::puzzle::Position;
///
/// let position: Position = "#?\n?.\n".parse()?;
/// assert_eq!((position.get(0, 0), position.get(0, 1), position.get(1, 1)), (Some(true), None, Some(false)));
/// assert_eq!(position.to_string(), "#?\n?.\n");
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    filled: Grid,
    empty: Grid,
}

impl Position {
    /// A position without known cells.
    ///
    /// # Panics
    ///
    /// If a side is 0 or above [`MAX_SIDE`].
    pub fn unknown(width: usize, height: usize) -> Self {
        Position {
            filled: Grid::new(width, height),
            empty: Grid::new(width, height),
        }
    }

    /// A position with these filled cells and these empty cells, which are others.
    pub(crate) fn of_grids(filled: Grid, empty: Grid) -> Self {
        Position { filled, empty }
    }

    /// The filled cells, and the empty cells.
    pub(crate) fn grids(&self) -> (&Grid, &Grid) {
        (&self.filled, &self.empty)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.filled.width()
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.filled.height()
    }

    /// Whether this cell is filled; `None` if it is unknown.
    ///
    /// # Panics
    ///
    /// If the cell is outside the grid.
    pub fn get(&self, row: usize, column: usize) -> Option<bool> {
        let filled = self.filled.get(row, column);
        (filled || self.empty.get(row, column)).then_some(filled)
    }

    /// Sets the value of a cell.
    ///
    /// # Panics
    ///
    /// If the cell is outside the grid.
    pub fn set(&mut self, row: usize, column: usize, value: Option<bool>) {
        self.filled.set(row, column, value == Some(true));
        self.empty.set(row, column, value == Some(false));
    }

    /// Number of unknown cells.
    pub fn unknown_cells(&self) -> usize {
        self.width() * self.height() - self.filled.filled() - self.empty.filled()
    }

    /// Its rows, as in its text.
    pub fn rows(&self) -> Vec<String> {
        self.to_string().lines().map(str::to_owned).collect()
    }

    /// The known cells with their values, row by row.
    pub fn known(&self) -> impl Iterator<Item = (Cell, bool)> + '_ {
        let cells = (0..self.height()).flat_map(|r| (0..self.width()).map(move |c| (r, c)));
        cells.filter_map(|(r, c)| Some((Cell::new(r, c), self.get(r, c)?)))
    }

    /// The first known cell that has another value in a grid of the same size, and its known value.
    pub(crate) fn wrong_cell(&self, grid: &Grid) -> Option<(Cell, bool)> {
        let mut known = self.known();
        known.find(|&(cell, filled)| cell.is_filled_in(grid) != filled)
    }

    /// Whether every known cell has its value in a grid of the same size.
    pub(crate) fn agrees_with(&self, grid: &Grid) -> bool {
        self.wrong_cell(grid).is_none()
    }

    /// Checks that it has the size of a puzzle of this width and height.
    pub(crate) fn check_size(&self, width: usize, height: usize) -> Result<()> {
        let own = format!("{}x{}", self.width(), self.height());
        let wanted = format!("{width}x{height}");
        if own == wanted {
            return Ok(());
        }
        let message = format!("the position is {own}, the puzzle {wanted}");
        Err(Error::data(message))
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let rows = (1..).zip(text.lines().map(str::trim_end));
        let rows: Vec<(usize, &str)> = rows.filter(|(_, row)| !row.is_empty()).collect();
        let width = rows.first().map_or(0, |(_, row)| row.chars().count());
        if width == 0 || width > MAX_SIDE || rows.len() > MAX_SIDE {
            let error = Error::data(format!(
                "a position of {} rows and {width} columns: it has 1 to {MAX_SIDE} of each",
                rows.len()
            ));
            // The first row that is too long, or one too many; an empty text has no place.
            let first = if width > MAX_SIDE { 0 } else { MAX_SIDE };
            return Err(match rows.get(first) {
                Some((line, row)) => error.at(*line, 1, row),
                None => error,
            });
        }
        let mut position = Position::unknown(width, rows.len());
        for (r, (line, row)) in rows.into_iter().enumerate() {
            let length = row.chars().count();
            if length != width {
                let message = format!("a row of {length} cells in a position with {width} columns");
                return Err(Error::data(message).at(line, 1, row));
            }
            for (c, cell) in row.chars().enumerate() {
                match cell {
                    '#' => position.filled.set(r, c, true),
                    '.' => position.empty.set(r, c, true),
                    '?' | '-' => {}
                    other => {
                        let message = format!("{other:?} in a position: a cell is '#', '.' or '?'");
                        return Err(Error::data(message).at(line, c + 1, row));
                    }
                }
            }
        }
        Ok(position)
    }
}

impl fmt::Display for Position {
    /// Rows of `#`, `.` and `?`, each followed by a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for r in 0..self.height() {
            for c in 0..self.width() {
                f.write_str(match self.get(r, c) {
                    Some(true) => "#",
                    Some(false) => ".",
                    None => "?",
                })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position {}x{}\n{self}", self.width(), self.height())
    }
}
