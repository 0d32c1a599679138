//! A row or a column of a puzzle, and the limit on their number.

use std::fmt;

/// Maximum number of rows, and of columns, of a puzzle.
pub const MAX_SIDE: usize = 4096;

/// A row or a column, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Line {
    /// A row, counted from the top.
    Row(usize),
    /// A column, counted from the left.
    Column(usize),
}

impl Line {
    /// Row and column of its cell with this index.
    pub(crate) fn place(self, index: usize) -> (usize, usize) {
        match self {
            Line::Row(row) => (row, index),
            Line::Column(column) => (index, column),
        }
    }
}

impl fmt::Display for Line {
    /// For users, so numbered from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Row(i) => write!(f, "row {}", i + 1),
            Line::Column(i) => write!(f, "column {}", i + 1),
        }
    }
}
