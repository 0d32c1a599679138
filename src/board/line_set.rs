//! A coarse set of lines, for asking whether what a probe depended on has changed.

/// A set of rows and columns, each by its number modulo 64.
///
/// Exact up to 64 lines a side; beyond, it may say that a line is in it which is not, never the other way round. A probe that is
/// repeated for nothing costs time, one that is skipped wrongly would cost strength, so that is the safe side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSet {
    /// Rows modulo 64.
    pub rows: u64,
    /// Columns modulo 64.
    pub columns: u64,
}

impl LineSet {
    /// No line.
    pub const NONE: LineSet = LineSet {
        rows: 0,
        columns: 0,
    };
    /// Every line.
    pub const ALL: LineSet = LineSet {
        rows: u64::MAX,
        columns: u64::MAX,
    };

    /// May they have a line in common?
    pub fn meets(self, other: LineSet) -> bool {
        (self.rows & other.rows) | (self.columns & other.columns) != 0
    }

    /// The lines of both.
    #[must_use]
    pub fn and(self, other: LineSet) -> LineSet {
        LineSet {
            rows: self.rows | other.rows,
            columns: self.columns | other.columns,
        }
    }
}
