//! Obstacles near a picture, by propagation alone: second solutions that differ in few cells, and small stuck sets.
//!
//! A *dive* decides one cell against the picture and the others along it. In a large picture it rarely succeeds, so the cells outside a
//! small window are decided along the picture first; windows are moved over the picture until one has an obstacle. An obstacle is shrunk by
//! deciding one of its cells along the picture and looking for another obstacle among the rest.

use super::obstacle::Kind;
use crate::board::{Board, Cell, Clues};
use crate::design::picture::Picture;
use crate::line::{Known, Word};
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
    pub(super) kind: Kind,
    pub(super) picture: &'a Picture<W>,
    pub(super) clues: &'a Clues,
}

/// The result of a dive.
#[derive(Debug)]
pub(super) enum Dived<W> {
    /// There is no second solution.
    Unique,
    /// The cells in which it differs, by row.
    Other(Vec<W>),
    Open,
}

impl<W: Word> Near<'_, W> {
    /// Looks for a second solution from this board, which is left anywhere. Cells that cannot differ are decided on the way. Gives up after
    /// this number of failed dives.
    pub(super) fn dive(&self, board: &mut Board<'_, W>, failures: usize) -> Dived<W> {
        let mut failures_left = failures;
        for row in 0..self.picture.height() {
            let mut next = 0;
            while let Some(column) = unknown_from(board, row, next) {
                next = column + 1;
                if self.control.poll() {
                    return Dived::Open;
                }
                let cell = Cell::new(row, column);
                let mark = board.mark();
                let Some(can_differ) =
                    board.decide_under(cell, !self.picture.get(cell), self.control)
                else {
                    return Dived::Open;
                };
                if !can_differ {
                    board.undo(mark);
                    if (board.decide_under(cell, self.picture.get(cell), self.control)).is_none() {
                        return Dived::Open;
                    }
                } else if self.complete(board) {
                    let rows = board.rows().iter().enumerate();
                    let cells = rows.map(|(r, known)| known.filled ^ self.picture.line(r));
                    return Dived::Other(cells.collect());
                } else {
                    board.undo(mark);
                    failures_left -= 1;
                    if failures_left == 0 {
                        return Dived::Open;
                    }
                }
            }
        }
        match board.unknown() {
            0 => Dived::Unique,
            _ => Dived::Open,
        }
    }

    /// Completes a board near the picture, without backtracking over more than one decision; `false` if that fails.
    fn complete(&self, board: &mut Board<'_, W>) -> bool {
        for row in 0..self.picture.height() {
            while let Some(column) = unknown_from(board, row, 0) {
                if self.control.poll() {
                    return false;
                }
                let cell = Cell::new(row, column);
                let mark = board.mark();
                let own = self.picture.get(cell);
                if board.decide_under(cell, own, self.control) != Some(true) {
                    board.undo(mark);
                    if board.decide_under(cell, !own, self.control) != Some(true) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Up to `most` obstacles, each of which lies in a small window. The board must be at a fixpoint, and stays as it is.
    pub(super) fn in_windows(&self, board: &mut Board<'_, W>, most: usize) -> Vec<Vec<W>> {
        let (width, height) = (self.picture.width(), self.picture.height());
        let mut found = Vec::new();
        for side in WINDOWS {
            let starts =
                |length: usize| (0..length.saturating_sub(side / 2).max(1)).step_by(side / 2);
            for top in starts(height) {
                for left in starts(width) {
                    if found.len() >= most || self.control.poll() {
                        return found;
                    }
                    let columns = W::low((left + side).min(width)) & !W::low(left);
                    let rows = top..(top + side).min(height);
                    let inside = |row| {
                        if rows.contains(&row) {
                            columns
                        } else {
                            W::ZERO
                        }
                    };
                    let in_window = |row: usize| (board.unknown_in_row(row) & columns).count();
                    // The smallest obstacle has four cells.
                    if rows.clone().map(in_window).sum::<usize>() < 4 {
                        continue;
                    }
                    let outside: Vec<(usize, Known<W>)> = (0..height)
                        .map(|row| (row, board.unknown_in_row(row) & !inside(row)))
                        .filter(|(_, cells)| !cells.is_zero())
                        .map(|(row, cells)| (row, self.along(row, cells)))
                        .collect();
                    let mark = board.mark();
                    let outside = board.decide_all(outside.into_iter(), self.control);
                    if outside == Some(true) && board.unknown() > 0 {
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

    /// These cells of a row with their values in the picture.
    fn along(&self, row: usize, cells: W) -> Known<W> {
        Known {
            filled: cells & self.picture.line(row),
            empty: cells & !self.picture.line(row),
        }
    }

    /// An obstacle among the unknown cells of a board at a fixpoint, which is left anywhere.
    fn obstacle(&self, board: &mut Board<'_, W>, failures: usize) -> Option<Vec<W>> {
        match self.kind {
            Kind::Stuck => Some(unknown(board)),
            Kind::Difference => match self.dive(board, failures) {
                Dived::Other(cells) => Some(cells),
                Dived::Unique | Dived::Open => None,
            },
        }
    }

    /// An obstacle within these cells of an obstacle, with fewer cells where that is found easily.
    pub(super) fn shrink(&self, mut cells: Vec<W>) -> Vec<W> {
        let count = |cells: &[W]| cells.iter().map(|row| row.count()).sum::<usize>();
        if !(5..=MAX_SHRUNK_CELLS).contains(&count(&cells)) {
            return cells;
        }
        let all = W::low(self.picture.width());
        let known = |cells: &[W]| -> Vec<Known<W>> {
            let rows = cells.iter().enumerate();
            rows.map(|(row, &unknown)| self.along(row, all & !unknown))
                .collect()
        };
        // With all other cells known, no line of an obstacle decides one of its cells, so the board is at a fixpoint.
        let mut board = Board::with_rows(self.clues, &known(&cells));
        for row in 0..cells.len() {
            let mut tried = W::ZERO;
            while let Some(column) = (cells[row] & !tried).cells().next() {
                if self.control.poll() {
                    return cells;
                }
                tried |= W::bit(column);
                let cell = Cell::new(row, column);
                board.set_rows(&known(&cells));
                match board.decide_under(cell, self.picture.get(cell), self.control) {
                    None => return cells,
                    Some(true) if board.unknown() > 0 => {}
                    Some(_) => continue,
                }
                if let Some(smaller) = self.obstacle(&mut board, 1) {
                    let groups = self.groups(&smaller).into_iter();
                    cells = groups.min_by_key(|cells| count(cells)).unwrap_or(cells);
                }
            }
        }
        cells
    }

    /// Cells, by row, in groups that share no line.
    pub(super) fn groups(&self, cells: &[W]) -> Vec<Vec<W>> {
        let (width, height) = (self.picture.width(), self.picture.height());
        let each = cells.iter().enumerate();
        let each = each.flat_map(|(row, cells)| cells.cells().map(move |column| (row, column)));
        let by_row = |group: Vec<(usize, usize)>| {
            let mut rows = vec![W::ZERO; height];
            group.iter().for_each(|&(r, c)| rows[r] |= W::bit(c));
            rows
        };
        let groups = connected_groups((width, height), each);
        groups.into_iter().map(by_row).collect()
    }
}

/// The unknown cells of a board, by row.
pub(super) fn unknown<W: Word>(board: &Board<'_, W>) -> Vec<W> {
    let rows = 0..board.clues().height();
    rows.map(|row| board.unknown_in_row(row)).collect()
}

/// The first unknown cell of a row at or after a column.
fn unknown_from<W: Word>(board: &Board<'_, W>, row: usize, column: usize) -> Option<usize> {
    if column >= board.clues().width() {
        return None;
    }
    (board.unknown_in_row(row) & !W::low(column)).cells().next()
}
