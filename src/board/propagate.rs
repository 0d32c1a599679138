//! The known cells of a board, and propagation: lines are settled until nothing changes or a contradiction appears.

use super::cell::Cell;
use super::clues::Clues;
use super::line_set::LineSet;
use crate::line::{Kernel, Known, Word};

/// What one step added to one line; both sets are of cells that were unknown.
#[derive(Clone, Copy, Debug)]
struct Change<W> {
    line: u32,
    new: Known<W>,
}

/// The known cells of a puzzle, with an undo trail and a queue of lines to settle.
///
/// Lines are numbered rows first, then columns. Invariant: a cell is known in its row exactly when it is known, with the same
/// value, in its column.
#[derive(Clone, Debug)]
pub struct Board<'p, W> {
    clues: &'p Clues,
    /// Known cells of every line.
    lines: Vec<Known<W>>,
    /// Lines that changed since they were last settled.
    dirty_rows: W,
    dirty_columns: W,
    trail: Vec<Change<W>>,
    unknown: usize,
    /// Lines in which a cell became known, since [`Board::watch`] or [`Board::take_changed`].
    pub(super) changed: LineSet,
    /// Lines that were settled, since [`Board::watch`].
    pub(super) settled: LineSet,
    settles: u64,
    kernel: Kernel<W>,
}

impl<'p, W: Word> Board<'p, W> {
    /// Nothing known, and every line to be settled.
    ///
    /// # Panics
    ///
    /// When a line is longer than the word.
    pub fn new(clues: &'p Clues) -> Self {
        let nothing = vec![Known::NOTHING; clues.height()];
        let mut board = Self::with_rows(clues, &nothing);
        board.dirty_rows = W::low(clues.height());
        board.dirty_columns = W::low(clues.width());
        board
    }

    /// A board with these known cells, as [`Board::rows_at`] gave them: a fixpoint, so that no line is to be settled.
    ///
    /// # Panics
    ///
    /// When a line is longer than the word, or the rows are not as many as the puzzle's.
    pub fn with_rows(clues: &'p Clues, rows: &[Known<W>]) -> Self {
        let (width, height) = (clues.width(), clues.height());
        assert!(width.max(height) <= W::BITS, "a board of {width}x{height}");
        let mut board = Board {
            clues,
            lines: Vec::new(),
            dirty_rows: W::ZERO,
            dirty_columns: W::ZERO,
            trail: Vec::new(),
            unknown: 0,
            changed: LineSet::NONE,
            settled: LineSet::NONE,
            settles: 0,
            kernel: Kernel::new(),
        };
        board.set_rows(rows);
        board
    }

    /// Makes these the known cells, as in [`Board::with_rows`]. The trail begins anew, so that nothing before can be undone.
    ///
    /// # Panics
    ///
    /// When the rows are not as many as the puzzle's.
    pub fn set_rows(&mut self, rows: &[Known<W>]) {
        let (width, height) = (self.clues.width(), self.clues.height());
        assert_eq!(rows.len(), height, "rows of a board");
        self.lines.clear();
        self.lines.extend_from_slice(rows);
        self.lines.resize(height + width, Known::NOTHING);
        self.unknown = width * height;
        for (r, row) in rows.iter().enumerate() {
            self.unknown -= row.cells().count();
            let columns = &mut self.lines[height..];
            row.filled
                .cells()
                .for_each(|c| columns[c].filled |= W::bit(r));
            row.empty
                .cells()
                .for_each(|c| columns[c].empty |= W::bit(r));
        }
        self.dirty_rows = W::ZERO;
        self.dirty_columns = W::ZERO;
        self.trail.clear();
    }

    /// The clues that the board obeys.
    pub fn clues(&self) -> &'p Clues {
        self.clues
    }

    /// Number of unknown cells.
    pub fn unknown(&self) -> usize {
        self.unknown
    }

    /// The known cells of every row.
    pub fn rows(&self) -> &[Known<W>] {
        &self.lines[..self.clues.height()]
    }

    /// The known cells of a column.
    pub fn column(&self, column: usize) -> Known<W> {
        self.lines[self.clues.height() + column]
    }

    /// The unknown cells of a row.
    pub fn unknown_in_row(&self, row: usize) -> W {
        !self.lines[row].cells() & W::low(self.clues.width())
    }

    /// The unknown cells of a column.
    pub fn unknown_in_column(&self, column: usize) -> W {
        !self.lines[self.clues.height() + column].cells() & W::low(self.clues.height())
    }

    /// What is known of this cell.
    pub fn known(&self, cell: Cell) -> Option<bool> {
        let (row, column) = (self.lines[usize::from(cell.row)], usize::from(cell.column));
        row.filled
            .has(column)
            .then_some(true)
            .or(row.empty.has(column).then_some(false))
    }

    /// How likely an unknown cell is to be filled, estimated from the filled cells that its row and its column still need: a numerator
    /// and a denominator. The numerator is neither zero nor the whole.
    pub fn odds(&self, cell: Cell) -> (u64, u64) {
        let (row, column) = (
            usize::from(cell.row),
            self.clues.height() + usize::from(cell.column),
        );
        let wants = |line: usize| {
            self.clues
                .filled(line)
                .saturating_sub(self.lines[line].filled.count()) as u64
        };
        let unknown = (
            self.unknown_in_row(row).count() as u64,
            self.unknown_in_column(usize::from(cell.column)).count() as u64,
        );
        let of = 2 * unknown.0 * unknown.1;
        let filled = wants(row) * unknown.1 + wants(column) * unknown.0;
        // Both sides may be possible although a line wants all of its unknown cells, or none of them.
        (filled.clamp(1, (of - 1).max(1)), of.max(2))
    }

    /// Whether this cell is unknown.
    pub fn is_unknown(&self, cell: Cell) -> bool {
        !self.lines[usize::from(cell.row)]
            .cells()
            .has(usize::from(cell.column))
    }

    /// Lines settled so far; a measure of work that no clock disturbs.
    pub fn settles(&self) -> u64 {
        self.settles
    }

    /// The present point of the trail, for [`Board::undo`].
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back everything since `mark`. A board in contradiction is sound again afterwards.
    pub fn undo(&mut self, mark: usize) {
        // What is still to be settled only followed from what is taken back.
        self.dirty_rows = W::ZERO;
        self.dirty_columns = W::ZERO;
        while self.trail.len() > mark {
            let Change { line, new } = self.trail.pop().expect("the trail is longer than the mark");
            self.unknown += new.cells().count();
            take_back(&mut self.lines, self.clues.height(), line as usize, new);
        }
    }

    /// The known cells of every row as they were at `mark`, without disturbing the board.
    pub fn rows_at(&self, mark: usize) -> Vec<Known<W>> {
        let mut lines = self.lines.clone();
        for change in self.trail[mark..].iter().rev() {
            take_back(
                &mut lines,
                self.clues.height(),
                change.line as usize,
                change.new,
            );
        }
        lines.truncate(self.clues.height());
        lines
    }

    /// Makes one unknown cell known and propagates; `false` is a contradiction.
    pub fn decide(&mut self, cell: Cell, filled: bool) -> bool {
        self.decide_unless(cell, filled, || false) == Some(true)
    }

    /// Makes one unknown cell known and propagates, but gives up (`None`) when `stop`, asked before every settle, says so.
    pub fn decide_unless(
        &mut self,
        cell: Cell,
        filled: bool,
        stop: impl FnMut() -> bool,
    ) -> Option<bool> {
        debug_assert!(self.is_unknown(cell));
        let bit = W::bit(usize::from(cell.column));
        let new = match filled {
            true => Known {
                filled: bit,
                empty: W::ZERO,
            },
            false => Known {
                filled: W::ZERO,
                empty: bit,
            },
        };
        self.assign(usize::from(cell.row), new);
        self.dirty_rows |= W::bit(usize::from(cell.row));
        self.propagate_unless(stop)
    }

    /// Makes these decisions one after the other, and propagates each; of cells that are known by then they must agree. `Some(false)` is
    /// a contradiction. Gives up (`None`) when `stop`, asked before every settle, says so. Leaves what was decided until then.
    pub fn follow(
        &mut self,
        path: impl IntoIterator<Item = (Cell, bool)>,
        mut stop: impl FnMut() -> bool,
    ) -> Option<bool> {
        for (cell, filled) in path {
            let holds = match self.known(cell) {
                Some(known) => known == filled,
                None => self.decide_unless(cell, filled, &mut stop)?,
            };
            if !holds {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Makes all these cells known that are not yet, and propagates; `false` is a contradiction.
    pub fn decide_all(&mut self, rows: impl Iterator<Item = (usize, Known<W>)>) -> bool {
        for (row, cells) in rows {
            let known = self.lines[row];
            let against = cells.filled & known.empty | cells.empty & known.filled;
            if !against.is_zero() {
                return false;
            }
            let new = Known {
                filled: cells.filled & !known.filled,
                empty: cells.empty & !known.empty,
            };
            if !new.cells().is_zero() {
                self.assign_row(row, new);
            }
        }
        self.propagate()
    }

    /// Makes unknown cells of a row known without settling anything yet.
    pub(super) fn assign_row(&mut self, row: usize, new: Known<W>) {
        self.assign(row, new);
        self.dirty_rows |= W::bit(row);
    }

    /// Settles lines until nothing changes; `false` is a contradiction, after which only [`Board::undo`] makes sense.
    ///
    /// Each round settles all dirty rows, then all dirty columns: so a line is settled once for all changes in the lines that cross it.
    pub fn propagate(&mut self) -> bool {
        self.propagate_unless(|| false) == Some(true)
    }

    /// Propagates, but gives up (`None`) when `stop`, asked before every settle, says so.
    pub fn propagate_unless(&mut self, mut stop: impl FnMut() -> bool) -> Option<bool> {
        let (width, height) = (self.clues.width(), self.clues.height());
        while !(self.dirty_rows | self.dirty_columns).is_zero() {
            let rows = std::mem::replace(&mut self.dirty_rows, W::ZERO);
            self.settled.rows |= rows.fold();
            for row in rows.cells() {
                if stop() {
                    return None;
                }
                if !self.settle(row, width) {
                    return Some(false);
                }
            }
            let columns = std::mem::replace(&mut self.dirty_columns, W::ZERO);
            self.settled.columns |= columns.fold();
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

    /// Starts to watch which lines change and which are settled.
    pub(super) fn watch(&mut self) {
        self.changed = LineSet::NONE;
        self.settled = LineSet::NONE;
    }

    /// Lines in which a cell became known since the last call.
    pub fn take_changed(&mut self) -> LineSet {
        std::mem::replace(&mut self.changed, LineSet::NONE)
    }

    fn settle(&mut self, line: usize, length: usize) -> bool {
        self.settles += 1;
        let known = self.lines[line];
        let Some(after) = self.kernel.settle(self.clues.line(line), length, known) else {
            return false;
        };
        let new = Known {
            filled: after.filled & !known.filled,
            empty: after.empty & !known.empty,
        };
        if !new.cells().is_zero() {
            self.assign(line, new);
        }
        true
    }

    /// The one place that assigns: `new` cells of a line, unknown before, become known in it and in the lines that cross it.
    fn assign(&mut self, line: usize, new: Known<W>) {
        self.lines[line].filled |= new.filled;
        self.lines[line].empty |= new.empty;
        let cells = new.cells();
        let height = self.clues.height();
        let crossings = if line < height {
            self.dirty_columns |= cells;
            self.changed.rows |= 1 << (line % 64);
            self.changed.columns |= cells.fold();
            &mut self.lines[height..]
        } else {
            self.dirty_rows |= cells;
            self.changed.columns |= 1 << ((line - height) % 64);
            self.changed.rows |= cells.fold();
            &mut self.lines[..height]
        };
        let bit = W::bit(if line < height { line } else { line - height });
        new.filled.cells().for_each(|i| crossings[i].filled |= bit);
        new.empty.cells().for_each(|i| crossings[i].empty |= bit);
        self.unknown -= cells.count();
        self.trail.push(Change {
            line: line as u32,
            new,
        });
    }

    /// The present cuts of a line. The board must be at a fixpoint, so that settling decides no cell.
    pub(super) fn cuts(&mut self, line: usize) -> W {
        let length = if line < self.clues.height() {
            self.clues.width()
        } else {
            self.clues.height()
        };
        self.settles += 1;
        let (_, cuts) = self
            .kernel
            .cuts(self.clues.line(line), length, self.lines[line])
            .expect("a line at a fixpoint has an arrangement");
        cuts
    }
}

/// The one place that unassigns.
fn take_back<W: Word>(lines: &mut [Known<W>], height: usize, line: usize, new: Known<W>) {
    lines[line].filled &= !new.filled;
    lines[line].empty &= !new.empty;
    let (index, first) = if line < height {
        (line, height)
    } else {
        (line - height, 0)
    };
    let rest = !W::bit(index);
    new.filled
        .cells()
        .for_each(|i| lines[first + i].filled &= rest);
    new.empty
        .cells()
        .for_each(|i| lines[first + i].empty &= rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Region, split_unless};
    use crate::line::Wide;
    use crate::puzzle::{Clue, Grid, Puzzle};

    fn puzzle() -> Puzzle {
        Puzzle::from_grid(&Grid::from_rows(&["#.#.", ".##.", "#..#", "##.#"]).unwrap())
    }

    fn known<W: Word>(board: &Board<W>) -> Vec<String> {
        let cell = |row: &Known<W>, c| {
            if row.filled.has(c) {
                '#'
            } else {
                ['?', '.'][usize::from(row.empty.has(c))]
            }
        };
        board
            .rows()
            .iter()
            .map(|row| (0..board.clues().width()).map(|c| cell(row, c)).collect())
            .collect()
    }

    /// Boards of millions of cells took minutes to fall apart, whatever the limits were.
    #[test]
    fn falling_apart_stops_when_it_is_told_to() {
        let ones = vec![Clue::new([1]).unwrap(); 70];
        let clues = Clues::new(&Puzzle::new(ones.clone(), ones).unwrap());
        let mut board = Board::<Wide<8>>::new(&clues);
        assert!(board.propagate());
        let whole = Region::whole(&board);
        let mut asked = 0;
        let mut ask = |most: u32| {
            asked = 0;
            split_unless(&mut board, &whole, || {
                asked += 1;
                asked > most
            })
        };
        assert_eq!(ask(u32::MAX), Some(vec![whole.clone()]));
        for most in [0, 1, 30, 100, 139] {
            assert_eq!(ask(most), None);
        }
        assert!(asked == 140, "every line is asked about");
    }

    #[test]
    fn undo_restores_every_line() {
        let clues = Clues::new(&puzzle());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let before = (board.lines.clone(), board.unknown());
        for r in 0..4 {
            for c in 0..4 {
                for filled in [true, false] {
                    let cell = Cell::new(r, c);
                    if board.is_unknown(cell) {
                        let mark = board.mark();
                        board.decide(cell, filled);
                        assert_eq!(board.rows_at(mark), before.0[..4]);
                        board.undo(mark);
                        assert_eq!((board.lines.clone(), board.unknown()), before);
                    }
                }
            }
        }
    }

    #[test]
    fn every_word_propagates_alike() {
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
}
