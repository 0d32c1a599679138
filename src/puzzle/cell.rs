//! The coordinates of a cell.

use super::grid::Grid;

/// A cell, by row and column, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// Row from the top.
    pub row: u16,
    /// Column from the left.
    pub column: u16,
}

impl Cell {
    /// The cell at this row and column.
    ///
    /// # Panics
    ///
    /// Never for cells of a puzzle, whose sides are at most [`MAX_SIDE`](crate::puzzle::MAX_SIDE).
    pub fn new(row: usize, column: usize) -> Self {
        let [row, column] =
            [row, column].map(|i| u16::try_from(i).expect("sides are at most MAX_SIDE"));
        Cell { row, column }
    }

    /// Its row and column.
    pub(crate) fn place(self) -> (usize, usize) {
        (self.row.into(), self.column.into())
    }

    /// Whether it is filled in this grid.
    pub(crate) fn is_filled_in(self, grid: &Grid) -> bool {
        grid.get(self.row.into(), self.column.into())
    }
}
