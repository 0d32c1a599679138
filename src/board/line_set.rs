//! An approximate set of lines, to test whether the lines that a probe depended on have changed.

use super::clues::Clues;
use crate::line::Word;

/// A set of rows and columns, as bits of their numbers modulo 64.
///
/// Exact up to 64 lines per side; beyond, it may contain lines that were not added, but never lacks one that was. That is the safe
/// direction: a probe repeated needlessly costs time, a probe skipped wrongly would lose deductions.
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

    /// Whether they have a line in common; may be wrongly `true` beyond 64 lines.
    pub fn meets(self, other: LineSet) -> bool {
        (self.rows & other.rows) | (self.columns & other.columns) != 0
    }

    /// The numbers of the lines, rows first; beyond 64 lines, some that were not added.
    pub(crate) fn lines<W: Word>(self, clues: &Clues) -> impl Iterator<Item = usize> {
        let (width, height) = (clues.width(), clues.height());
        let rows = W::spread(self.rows) & W::low(height);
        let columns = W::spread(self.columns) & W::low(width);
        rows.cells()
            .chain(columns.cells().map(move |column| height + column))
    }

    /// The union.
    #[must_use]
    pub fn union(self, other: LineSet) -> LineSet {
        LineSet {
            rows: self.rows | other.rows,
            columns: self.columns | other.columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_the_lines_of_both_sets() {
        let set = |rows, columns| LineSet { rows, columns };
        let union = set(0b011, 0b110).union(set(0b110, 0b011));
        assert_eq!(union, set(0b111, 0b111));
        assert!(union.meets(set(0b100, 0)) && union.meets(set(0, 0b1)));
        assert!(!union.meets(set(0b1000, 0b1000)) && !union.meets(LineSet::NONE));
        assert!(!LineSet::NONE.meets(LineSet::ALL));
    }
}
