//! The lines of a puzzle, by name, and how long they may be.

use std::fmt;

/// The most rows, and the most columns, that a puzzle can have.
pub const MAX_SIDE: usize = 4096;

/// A row or a column, by its number from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Line {
    /// A row, counted from the top.
    Row(usize),
    /// A column, counted from the left.
    Column(usize),
}

impl fmt::Display for Line {
    /// For people, so counted from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Row(i) => write!(f, "row {}", i + 1),
            Line::Column(i) => write!(f, "column {}", i + 1),
        }
    }
}
