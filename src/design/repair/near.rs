//! Obstacles near a picture, by propagation alone: second solutions that differ in few cells, and small stuck sets.
//!
//! A *dive* decides one cell against the picture and the others along it. In a large picture it rarely succeeds, so the cells outside a
//! small window are decided along the picture first; windows are moved over the picture until one has an obstacle. An obstacle is shrunk by
//! deciding one of its cells along the picture and looking for another obstacle among the rest.

use super::edit::CellSet;
use super::obstacle::ObstacleKind;
use crate::board::{Board, Clues};
use crate::design::picture::Picture;
use crate::line::{Known, Word};
use crate::puzzle::Cell;
use crate::run::Control;
use crate::search::connected_groups;

/// Sides of the windows, in the order in which they are tried. They are moved by half a side.
const WINDOWS: [usize; 2] = [12, 24];

/// Most cells of a window that are tried in vain.
const MAX_FAILED_IN_WINDOW: usize = 2;

/// An obstacle of more cells is not shrunk: it would take too long.
const MAX_SHRUNK_CELLS: usize = 400;

/// Looks for obstacles near a picture.
#[derive(Debug)]
pub(super) struct Near<'a, W> {
    pub(super) control: &'a Control,
    pub(super) kind: ObstacleKind,
    pub(super) picture: &'a Picture<W>,
    pub(super) clues: &'a Clues,
}

impl<W: Word> Near<'_, W> {
    /// The cells in which a solution other than the picture that agrees with the known cells of this board differs from it; `Some(None)` if
    /// there is none, `None` after this number of failed dives or at the end of the run. The board is left changed.
    pub(super) fn dive(
        &self,
        board: &mut Board<'_, W>,
        mut failures: usize,
    ) -> Option<Option<CellSet<W>>> {
        let mut next = (0, 0);
        while let Some(cell) = unknown_from(board, next) {
            next = (cell.row.into(), usize::from(cell.column) + 1);
            if self.control.poll() {
                return None;
            }
            let own = self.picture.get(cell);
            let mark = board.mark();
            let can_differ = board.decide_under(cell, !own, self.control)?;
            if can_differ && self.complete(board) {
                let rows = board.rows().iter().enumerate();
                let cells = rows.map(|(row, known)| known.filled ^ self.picture.line(row));
                return Some(Some(cells.collect()));
            }
            board.undo(mark);
            if can_differ {
                failures -= 1;
                if failures == 0 {
                    return None;
                }
            } else {
                board.decide_under(cell, own, self.control)?;
            }
        }
        (board.unknown() == 0).then_some(None)
    }

    /// Completes a board near the picture, without backtracking over more than one decision; `false` if that fails.
    fn complete(&self, board: &mut Board<'_, W>) -> bool {
        let mut next = (0, 0);
        while let Some(cell) = unknown_from(board, next) {
            if self.control.poll() {
                return false;
            }
            next = cell.place();
            let own = self.picture.get(cell);
            let mark = board.mark();
            if board.decide_under(cell, own, self.control) != Some(true) {
                board.undo(mark);
                if board.decide_under(cell, !own, self.control) != Some(true) {
                    return false;
                }
            }
        }
        true
    }

    /// Up to `most` obstacles, each of which lies in a small window. The board must be at a fixpoint, and stays as it is.
    pub(super) fn in_windows(&self, board: &mut Board<'_, W>, most: usize) -> Vec<CellSet<W>> {
        let (width, height) = (self.picture.width, self.picture.height);
        let mut found = Vec::new();
        for side in WINDOWS {
            for top in window_starts(height, side) {
                for left in window_starts(width, side) {
                    if found.len() >= most || self.control.poll() {
                        return found;
                    }
                    let columns = W::low((left + side).min(width)) & !W::low(left);
                    let rows = top..(top + side).min(height);
                    let inside = |row| (board.unknown_in_row(row) & columns).count();
                    // The smallest obstacle has four cells.
                    if rows.clone().map(inside).sum::<usize>() < 4 {
                        continue;
                    }
                    let mut outside = unknown(board);
                    outside.rows[rows]
                        .iter_mut()
                        .for_each(|row| *row &= !columns);
                    let mark = board.mark();
                    let along = self.along(&outside).into_iter().enumerate();
                    if board.decide_all(along, self.control) == Some(true) && board.unknown() > 0 {
                        found.extend(self.obstacle(board, MAX_FAILED_IN_WINDOW));
                    }
                    board.undo(mark);
                }
            }
            // Larger windows have the same obstacles, and others that need more time.
            if !found.is_empty() || side >= width.max(height) {
                break;
            }
        }
        found
    }

    /// These cells with their values in the picture, by row.
    fn along(&self, cells: &CellSet<W>) -> Vec<Known<W>> {
        let rows = cells.rows.iter().enumerate();
        rows.map(|(row, &cells)| Known {
            filled: cells & self.picture.line(row),
            empty: cells & !self.picture.line(row),
        })
        .collect()
    }

    /// An obstacle among the unknown cells of a board at a fixpoint. It changes the board and does not restore it.
    fn obstacle(&self, board: &mut Board<'_, W>, failures: usize) -> Option<CellSet<W>> {
        match self.kind {
            ObstacleKind::Stuck => Some(unknown(board)),
            ObstacleKind::Difference => self.dive(board, failures).flatten(),
        }
    }

    /// An obstacle within these cells of an obstacle, with fewer cells where that is found easily.
    pub(super) fn shrink(&self, mut cells: CellSet<W>) -> CellSet<W> {
        if !(5..=MAX_SHRUNK_CELLS).contains(&cells.len()) {
            return cells;
        }
        let all = W::low(self.picture.width);
        let others =
            |cells: &CellSet<W>| self.along(&cells.rows.iter().map(|&row| all & !row).collect());
        // With all other cells known, no line of an obstacle decides one of its cells, so the board is at a fixpoint.
        let mut board = Board::with_rows(self.clues, &others(&cells));
        for row in 0..self.picture.height {
            let mut tried = W::ZERO;
            while let Some(column) = (cells.rows[row] & !tried).cells().next() {
                if self.control.poll() {
                    return cells;
                }
                tried |= W::bit(column);
                let cell = Cell::new(row, column);
                board.set_rows(&others(&cells));
                match board.decide_under(cell, self.picture.get(cell), self.control) {
                    None => return cells,
                    Some(true) if board.unknown() > 0 => {}
                    Some(_) => continue,
                }
                if let Some(smaller) = self.obstacle(&mut board, 1) {
                    let groups = self.groups(&smaller).into_iter();
                    cells = groups.min_by_key(CellSet::len).unwrap_or(cells);
                }
            }
        }
        cells
    }

    /// Cells in groups that share no line.
    pub(super) fn groups(&self, cells: &CellSet<W>) -> Vec<CellSet<W>> {
        let size = (self.picture.width, self.picture.height);
        let groups = connected_groups(size, cells.iter().map(Cell::place)).into_iter();
        let groups = groups.map(|group| {
            let mut cells = CellSet::none(size.1);
            for (row, column) in group {
                cells.insert(Cell::new(row, column));
            }
            cells
        });
        groups.collect()
    }
}

/// Where windows of this side begin along a side of a picture.
fn window_starts(length: usize, side: usize) -> impl Iterator<Item = usize> {
    (0..length.saturating_sub(side / 2).max(1)).step_by(side / 2)
}

/// The unknown cells of a board.
pub(super) fn unknown<W: Word>(board: &Board<'_, W>) -> CellSet<W> {
    let rows = 0..board.clues().height();
    rows.map(|row| board.unknown_in_row(row)).collect()
}

/// The first unknown cell of a board at or after this row and column, in reading order.
fn unknown_from<W: Word>(board: &Board<'_, W>, (row, column): (usize, usize)) -> Option<Cell> {
    (row..board.clues().height()).find_map(|r| {
        // The column may be that behind the last one.
        let before = if r == row { W::low(column) } else { W::ZERO };
        let mut cells = (board.unknown_in_row(r) & !before).cells();
        Some(Cell::new(r, cells.next()?))
    })
}
