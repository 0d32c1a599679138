//! The check build's own propagation and its test of regions, on the clues and the known cells alone.

use super::clues::Clues;
use crate::line::checked::{self, Cells, PlainLine};
use crate::line::{Known, Word};
use crate::puzzle::Cell;

/// The cells of a board, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows(Vec<Cells>);

impl Rows {
    /// The cells of these rows.
    pub(crate) fn of<W: Word>(rows: &[Known<W>], width: usize) -> Self {
        let cells = |row: &Known<W>| {
            assert!(
                (row.filled & row.empty).is_zero(),
                "checked: a cell is known as filled and as empty"
            );
            (0..width).map(|i| row.get(i)).collect()
        };
        Rows(rows.iter().map(cells).collect())
    }

    /// The cells of a line; rows first, then columns.
    fn line(&self, line: usize) -> Cells {
        match line.checked_sub(self.0.len()) {
            None => self.0[line].clone(),
            Some(column) => self.0.iter().map(|row| row[column]).collect(),
        }
    }

    /// Settles every line, and again those in which a cell became known, until none is left; `None` is a contradiction.
    fn propagated(&self, clues: &Clues) -> Option<Self> {
        let mut rows = self.clone();
        let mut open = vec![true; clues.height() + clues.width()];
        while let Some(line) = open.iter().position(|&open| open) {
            open[line] = false;
            let before = rows.line(line);
            let plain = PlainLine::of(clues.line(line), &before);
            let settled = plain.settle()?;
            for i in (0..before.len()).filter(|&i| settled[i] != before[i]) {
                let (row, column) = match line.checked_sub(clues.height()) {
                    None => (line, i),
                    Some(column) => (i, column),
                };
                rows.0[row][column] = settled[i];
                open[row] = true;
                open[clues.height() + column] = true;
            }
        }
        Some(rows)
    }

    /// Confirms that propagation leads from these cells to those, or to a contradiction.
    ///
    /// # Panics
    ///
    /// If plain propagation leads elsewhere.
    pub(super) fn confirm_propagation(&self, clues: &Clues, after: Option<&Self>) {
        let wanted = self.propagated(clues);
        assert!(
            wanted.as_ref() == after,
            "checked: propagation\n{}\ncells\n{}\nfound\n{}\nwanted\n{}",
            clues_text(clues),
            self.text(),
            after.map_or("a contradiction".to_owned(), Self::text),
            wanted.map_or("a contradiction".to_owned(), |rows| rows.text())
        );
    }

    /// Confirms what a probe has found: the cells that are known `after` it have the same values whichever value the probed cell has.
    ///
    /// # Panics
    ///
    /// If one of them has not.
    pub(super) fn confirm_agreement(&self, clues: &Clues, probed: Cell, after: &Self) {
        for value in [true, false] {
            let mut side = self.clone();
            side.0[usize::from(probed.row)][usize::from(probed.column)] = Some(value);
            let Some(side) = side.propagated(clues) else {
                continue;
            };
            let cells = side.0.iter().flatten().zip(after.0.iter().flatten());
            assert!(
                { cells }.all(|(side, after)| after.is_none() || side == after),
                "checked: probe of {probed:?}\n{}\nfound\n{}\nwith {value}\n{}",
                self.with_clues(clues),
                after.text(),
                side.text()
            );
        }
    }

    /// Confirms that these regions of unknown cells are independent of each other and of all other unknown cells: in each line, the
    /// number of arrangements is the product of the numbers of fillings of its parts.
    ///
    /// # Panics
    ///
    /// If they are not, or if a cell is known or in two regions.
    pub(crate) fn confirm_regions(&self, clues: &Clues, regions: &[Vec<Cell>]) {
        // Cells outside are region 0.
        let mut region_of = vec![vec![0; clues.width()]; clues.height()];
        for (region, &cell) in (1..)
            .zip(regions)
            .flat_map(|(i, cells)| cells.iter().map(move |cell| (i, cell)))
        {
            let (row, column) = (usize::from(cell.row), usize::from(cell.column));
            let is_new = self.0[row][column].is_none() && region_of[row][column] == 0;
            assert!(
                is_new,
                "checked: regions: {cell:?} is known or in two regions\n{}\ncells\n{}",
                clues_text(clues),
                self.text()
            );
            region_of[row][column] = region;
        }
        for line in 0..clues.height() + clues.width() {
            let group = |i: usize| match line.checked_sub(clues.height()) {
                None => region_of[line][i],
                Some(column) => region_of[i][column],
            };
            let plain = PlainLine::of(clues.line(line), &self.line(line));
            if let Err(why) = plain.confirm_independent(&group) {
                panic!(
                    "checked: regions: line {line}: {why}\n{}\ncells\n{}\nregions {region_of:?}",
                    clues_text(clues),
                    self.text()
                );
            }
        }
    }

    /// Confirms that each line has an arrangement, so that lines without unknown cells satisfy their clues.
    ///
    /// # Panics
    ///
    /// If a line has none.
    pub(crate) fn confirm_leaf(&self, clues: &Clues) {
        for line in 0..clues.height() + clues.width() {
            let plain = PlainLine::of(clues.line(line), &self.line(line));
            assert!(
                plain.settle().is_some(),
                "checked: leaf: line {line}\n{}\ncells\n{}",
                clues_text(clues),
                self.text()
            );
        }
    }

    /// The clues and the cells, as text.
    pub(crate) fn with_clues(&self, clues: &Clues) -> String {
        format!("{}\ncells\n{}", clues_text(clues), self.text())
    }

    fn text(&self) -> String {
        let rows = self.0.iter().map(|row| checked::text(row));
        rows.collect::<Vec<_>>().join("\n")
    }
}

fn clues_text(clues: &Clues) -> String {
    let line = |line: usize| format!("{:?}", clues.line(line));
    let lines = |lines: std::ops::Range<usize>| lines.map(line).collect::<Vec<_>>().join(" ");
    let (height, all) = (clues.height(), clues.height() + clues.width());
    format!("rows {}\ncolumns {}", lines(0..height), lines(height..all))
}
