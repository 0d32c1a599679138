//! An edit of a picture, and sets of cells and of lines.

use crate::design::picture::Picture;
use crate::line::Word;
use crate::puzzle::Cell;

/// An edit: cells to flip, and the picture after it.
#[derive(Clone, Debug)]
pub(super) struct Edit<'a, W> {
    /// The picture before the edit.
    pub(super) original: &'a Picture<W>,
    pub(super) picture: Picture<W>,
    /// In the order in which they were flipped.
    pub(super) flips: Vec<Cell>,
    /// The lines in which cells are flipped.
    pub(super) touched: LineWords<W>,
}

impl<'a, W: Word> Edit<'a, W> {
    /// The edit of these flips, all different.
    pub(super) fn new(original: &'a Picture<W>, flips: &[Cell]) -> Self {
        let mut edit = Edit {
            original,
            picture: original.clone(),
            flips: Vec::new(),
            touched: LineWords::NONE,
        };
        flips.iter().for_each(|&cell| edit.flip(cell));
        edit
    }

    /// Adds a flip, or undoes it if it is part of the edit.
    pub(super) fn flip(&mut self, cell: Cell) {
        self.picture.flip(cell);
        match self.flips.iter().position(|&flip| flip == cell) {
            Some(at) => drop(self.flips.remove(at)),
            None => self.flips.push(cell),
        }
        self.touched = LineWords::NONE;
        for cell in &self.flips {
            self.touched.rows |= W::bit(cell.row.into());
            self.touched.columns |= W::bit(cell.column.into());
        }
    }
}

/// A set of lines: a word for the rows and one for the columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineWords<W> {
    pub(super) rows: W,
    pub(super) columns: W,
}

impl<W: Word> LineWords<W> {
    pub(super) const NONE: Self = LineWords {
        rows: W::ZERO,
        columns: W::ZERO,
    };

    /// Adds a line of a picture of this height.
    pub(super) fn insert(&mut self, line: usize, height: usize) {
        match line.checked_sub(height) {
            None => self.rows |= W::bit(line),
            Some(column) => self.columns |= W::bit(column),
        }
    }

    /// Whether it has this line of a picture of this height.
    pub(super) fn has(&self, line: usize, height: usize) -> bool {
        match line.checked_sub(height) {
            None => self.rows.has(line),
            Some(column) => self.columns.has(column),
        }
    }

    /// Whether the two have a line in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        !(self.rows & other.rows | self.columns & other.columns).is_zero()
    }

    /// Whether it has all these lines.
    pub(super) fn covers(&self, lines: &Self) -> bool {
        (lines.rows & !self.rows | lines.columns & !self.columns).is_zero()
    }

    /// Whether it has all these lines but one row and one column, which a single flip can touch.
    pub(super) fn nearly_covers(&self, lines: &Self) -> bool {
        (lines.rows & !self.rows).count() <= 1 && (lines.columns & !self.columns).count() <= 1
    }
}

/// A set of cells, by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellSet<W> {
    pub(super) rows: Vec<W>,
}

impl<W: Word> FromIterator<W> for CellSet<W> {
    fn from_iter<I: IntoIterator<Item = W>>(rows: I) -> Self {
        CellSet {
            rows: rows.into_iter().collect(),
        }
    }
}

impl<W: Word> CellSet<W> {
    /// No cells of a picture of this height.
    pub(super) fn none(height: usize) -> Self {
        CellSet {
            rows: vec![W::ZERO; height],
        }
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count()).sum()
    }

    /// The cells in reading order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        let rows = self.rows.iter().enumerate();
        rows.flat_map(|(row, cells)| cells.cells().map(move |column| Cell::new(row, column)))
    }

    pub(super) fn has(&self, cell: Cell) -> bool {
        self.rows[usize::from(cell.row)].has(cell.column.into())
    }

    pub(super) fn insert(&mut self, cell: Cell) {
        self.rows[usize::from(cell.row)] |= W::bit(cell.column.into());
    }

    pub(super) fn remove(&mut self, cell: Cell) {
        self.rows[usize::from(cell.row)] &= !W::bit(cell.column.into());
    }

    pub(super) fn remove_all(&mut self, cells: &Self) {
        for (row, &cells) in self.rows.iter_mut().zip(&cells.rows) {
            *row &= !cells;
        }
    }
}
