//! Propagation: settle lines until nothing changes or a contradiction appears.

use super::known_cells::Board;
use crate::line::{Known, Word};
use crate::puzzle::Cell;
use crate::run::{Control, Pace};

impl<W: Word> Board<'_, W> {
    /// Decides one unknown cell and propagates; `false` is a contradiction.
    pub fn decide(&mut self, cell: Cell, filled: bool) -> bool {
        self.decide_unless(cell, filled, || false) == Some(true)
    }

    /// Decides one unknown cell and propagates; `None` if `stop`, called before every settle, returns `true`.
    pub fn decide_unless(
        &mut self,
        cell: Cell,
        filled: bool,
        stop: impl FnMut() -> bool,
    ) -> Option<bool> {
        debug_assert!(self.is_unknown(cell));
        let new = Known::of_cell(usize::from(cell.column), filled);
        self.assign_row(usize::from(cell.row), new);
        self.propagate_unless(stop)
    }

    /// As [`Board::decide`]; `None` if the run has ended, also while lines are settled.
    pub(crate) fn decide_under(
        &mut self,
        cell: Cell,
        filled: bool,
        control: &Control,
    ) -> Option<bool> {
        self.decide_unless(cell, filled, between_settles::<W>(control))
    }

    /// Makes all these decisions, and propagates once; a cell that is known already must agree. `Some(false)` is a contradiction; `None` if
    /// `stop`, called before every settle, returns `true`.
    pub fn follow(
        &mut self,
        path: impl IntoIterator<Item = (Cell, bool)>,
        stop: impl FnMut() -> bool,
    ) -> Option<bool> {
        // Cells of one row that follow each other are assigned together, because the trail has a row of cells for each assignment.
        let mut assigned = (0, Known::NOTHING);
        for (cell, filled) in path {
            let row = usize::from(cell.row);
            if row != assigned.0 {
                let before = std::mem::replace(&mut assigned, (row, Known::NOTHING));
                if !self.assign_rows(std::iter::once(before)) {
                    return Some(false);
                }
            }
            let new = Known::of_cell(usize::from(cell.column), filled);
            assigned.1.filled |= new.filled;
            assigned.1.empty |= new.empty;
        }
        if self.assign_rows(std::iter::once(assigned)) {
            self.propagate_unless(stop)
        } else {
            Some(false)
        }
    }

    /// Decides all these cells, unless known already, and propagates; `Some(false)` is a contradiction, `None` the end of the run.
    pub(crate) fn decide_all(
        &mut self,
        rows: impl Iterator<Item = (usize, Known<W>)>,
        control: &Control,
    ) -> Option<bool> {
        if self.assign_rows(rows) {
            self.propagate_under(control)
        } else {
            Some(false)
        }
    }

    /// Settles lines until nothing changes; `false` is a contradiction, after which only [`Board::undo`] or [`Board::set_rows`] may follow.
    ///
    /// Each round settles all dirty rows, then all dirty columns, so a line is settled once for all changes of the lines that cross it.
    pub fn propagate(&mut self) -> bool {
        self.propagate_unless(|| false) == Some(true)
    }

    /// As [`Board::propagate`]; `None` if the run has ended, also while lines are settled.
    pub(crate) fn propagate_under(&mut self, control: &Control) -> Option<bool> {
        self.propagate_unless(between_settles::<W>(control))
    }

    /// As [`Board::propagate`]; `None` if `stop`, called before every settle, returns `true`.
    pub fn propagate_unless(&mut self, stop: impl FnMut() -> bool) -> Option<bool> {
        #[cfg(feature = "checked")]
        let before = super::checked::Rows::of(self.rows(), self.clues.width());
        let propagated = self.settle_dirty_lines(stop);
        #[cfg(feature = "checked")]
        if let Some(is_consistent) = propagated {
            let after = super::checked::Rows::of(self.rows(), self.clues.width());
            before.confirm_propagation(self.clues, is_consistent.then_some(&after));
        }
        propagated
    }

    /// [`Board::propagate_unless`], which is a function of its own for the sake of the check build.
    #[inline(always)]
    fn settle_dirty_lines(&mut self, mut stop: impl FnMut() -> bool) -> Option<bool> {
        let (width, height) = (self.clues.width(), self.clues.height());
        while !(self.dirty_rows | self.dirty_columns).is_zero() {
            let rows = std::mem::replace(&mut self.dirty_rows, W::ZERO);
            for row in rows.cells() {
                if stop() {
                    return None;
                }
                if !self.settle(row, width) {
                    return Some(false);
                }
            }
            let columns = std::mem::replace(&mut self.dirty_columns, W::ZERO);
            for column in columns.cells() {
                if stop() {
                    return None;
                }
                if !self.settle(height + column, height) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    fn settle(&mut self, line: usize, length: usize) -> bool {
        let Some(new) = self.look(line, length) else {
            return false;
        };
        if !new.cells().is_zero() {
            self.assign(line, new);
        }
        true
    }

    /// The cells that settling a line decides; `None` is a contradiction.
    #[inline]
    fn look(&mut self, line: usize, length: usize) -> Option<Known<W>> {
        self.settles += 1;
        let (known, blocks) = (self.lines[line], self.clues.line(line));
        self.settle_cache.get_or_settle(line, known, || {
            let after = self.kernel.settle(blocks, length, known)?;
            Some(after.without(known))
        })
    }

    /// The cells that settling a line would decide; `None` is a contradiction. The board does not change.
    pub fn preview(&mut self, line: usize) -> Option<Known<W>> {
        self.look(line, self.clues.length(line))
    }

    /// The cuts of a line. The board must be at a fixpoint, so that settling decides no cell.
    pub(super) fn cuts(&mut self, line: usize) -> W {
        let length = self.clues.length(line);
        self.settles += 1;
        let (_, cuts) = self
            .kernel
            .cuts(self.clues.line(line), length, self.lines[line])
            .expect("a line at a fixpoint has an arrangement");
        cuts
    }
}

/// The largest boards, in bits of a line, that are propagated in milliseconds at most.
const MAX_QUICK_BITS: usize = 128;

/// Whether the run has ended, to be asked before every settle. Only large boards poll the control, because only there can one propagation
/// take seconds: it may settle tens of thousands of lines, each of which takes up to a millisecond.
pub(crate) fn between_settles<W: Word>(control: &Control) -> impl FnMut() -> bool {
    let mut pace = Pace::new(control);
    move || W::BITS > MAX_QUICK_BITS && pace.spend(W::BITS as u64)
}

#[cfg(test)]
mod tests {
    use super::super::known_cells::tests::{known, puzzle};
    use super::*;
    use crate::board::Clues;
    use crate::line::Wide;
    use crate::puzzle::Puzzle;
    use crate::run::Limits;
    use crate::solutions::Stop;

    #[test]
    fn all_word_types_propagate_alike() {
        let clues = Clues::new(&puzzle());
        let (mut a, mut b, mut c) = (
            Board::<u64>::new(&clues),
            Board::<u128>::new(&clues),
            Board::<Wide<8>>::new(&clues),
        );
        assert!(a.propagate() && b.propagate() && c.propagate());
        assert_eq!((known(&a), a.settles()), (known(&b), b.settles()));
        assert_eq!((known(&a), a.settles()), (known(&c), c.settles()));
    }

    fn ones(size: usize) -> Clues {
        let ones = vec![[1]; size];
        Clues::new(&Puzzle::from_clues(&ones, &ones).unwrap())
    }

    #[test]
    fn decisions_that_lines_refute_are_a_contradiction() {
        let clues = ones(4);
        let mut board = Board::<u64>::new(&clues);
        let first_column = (0..2).map(|row| {
            (
                row,
                Known {
                    filled: 1,
                    empty: 0,
                },
            )
        });
        let control = Control::new(&Limits::default(), false);
        assert_eq!(board.decide_all(first_column, &control), Some(false));
    }

    #[test]
    fn only_boards_of_long_lines_poll_between_settles() {
        let control = Control::new(&Limits::default(), false);
        control.stop(Stop::Interrupt);
        let (mut quick, mut slow) = (
            between_settles::<u128>(&control),
            between_settles::<Wide<3>>(&control),
        );
        assert!((0..100_000).all(|_| !quick()));
        assert!((0..100_000).any(|_| slow()));
        let clues = ones(600);
        let mut board = Board::<Wide<16>>::new(&clues);
        let row = |row| {
            (
                row,
                Known {
                    filled: Wide::bit(row),
                    empty: Wide::ZERO,
                },
            )
        };
        assert_eq!(board.decide_all((0..600).map(row), &control), None);
    }
}
