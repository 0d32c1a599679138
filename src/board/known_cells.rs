//! The known cells of a board, and the undo trail.

use super::clues::Clues;
use super::line_set::LineSet;
use super::settle_cache::SettleCache;
use crate::line::{Kernel, Known, Word};
use crate::puzzle::Cell;

/// A trail entry: cells of one line that became known.
#[derive(Clone, Copy, Debug)]
struct Change<W> {
    line: u32,
    new: Known<W>,
}

/// What has been decided on a board since some mark, in order, as by [`Board::changes_since`].
#[derive(Clone, Debug)]
pub(crate) struct Changes<W>(Box<[Change<W>]>);

#[cfg(test)]
impl<W> Default for Changes<W> {
    fn default() -> Self {
        Changes(Box::default())
    }
}

impl<W> Changes<W> {
    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }
}

/// The known cells of a puzzle, with an undo trail and a queue of lines to settle.
///
/// Lines are numbered rows first, then columns. Invariant: a cell has the same value, or is unknown, in both its row and its column.
#[derive(Clone, Debug)]
pub struct Board<'p, W> {
    pub(super) clues: &'p Clues,
    /// Known cells of every line.
    pub(super) lines: Vec<Known<W>>,
    /// Lines that changed since they were last settled.
    pub(super) dirty_rows: W,
    pub(super) dirty_columns: W,
    trail: Vec<Change<W>>,
    unknown: usize,
    /// Lines in which a cell became known since [`Board::take_changed`].
    changed: LineSet,
    pub(super) settles: u64,
    pub(super) kernel: Kernel<W>,
    pub(super) settle_cache: SettleCache<W>,
}

/// The known cells of a board at one time, to which [`Board::restore`] returns.
#[derive(Clone, Debug)]
pub(super) struct Snapshot<W> {
    /// Known cells of every line; none before the first [`Board::update_snapshot`].
    pub(super) lines: Vec<Known<W>>,
    unknown: usize,
    mark: usize,
}

impl<W> Snapshot<W> {
    pub(super) const fn new() -> Self {
        Snapshot {
            lines: Vec::new(),
            unknown: 0,
            mark: 0,
        }
    }
}

impl<'p, W: Word> Board<'p, W> {
    /// A board on which only the given cells are known; every line is still to be settled.
    ///
    /// # Panics
    ///
    /// If a line is longer than the word.
    pub fn new(clues: &'p Clues) -> Self {
        let mut rows = vec![Known::NOTHING; clues.height()];
        if let Some(given) = clues.given() {
            let (filled, empty) = given.grids();
            for (r, row) in rows.iter_mut().enumerate() {
                row.filled = W::from_parts(filled.row(r));
                row.empty = W::from_parts(empty.row(r));
            }
        }
        let mut board = Self::with_rows(clues, &rows);
        board.dirty_rows = W::low(clues.height());
        board.dirty_columns = W::low(clues.width());
        board
    }

    /// A board with these known cells, as returned by [`Board::rows_at`]: it must be at a fixpoint, as no line is queued to be settled.
    ///
    /// # Panics
    ///
    /// If a line is longer than the word, or the number of rows is not that of the puzzle.
    pub fn with_rows(clues: &'p Clues, rows: &[Known<W>]) -> Self {
        let (width, height) = (clues.width(), clues.height());
        assert!(
            width.max(height) <= W::BITS,
            "a line of a {width}x{height} board exceeds the word"
        );
        let mut board = Board::with(clues, Vec::new(), 0);
        board.set_rows(rows);
        board
    }

    /// A board with these known cells of every line, rows first, as [`Board::into_lines`] returns them; no line is queued to be settled.
    pub(crate) fn with_lines(clues: &'p Clues, lines: Vec<Known<W>>) -> Self {
        let (width, height) = (clues.width(), clues.height());
        let known: usize = lines[..height].iter().map(|row| row.cells().count()).sum();
        Board::with(clues, lines, width * height - known)
    }

    fn with(clues: &'p Clues, lines: Vec<Known<W>>, unknown: usize) -> Self {
        Board {
            clues,
            lines,
            dirty_rows: W::ZERO,
            dirty_columns: W::ZERO,
            trail: Vec::new(),
            unknown,
            changed: LineSet::NONE,
            settles: 0,
            kernel: Kernel::new(),
            settle_cache: SettleCache::new(),
        }
    }

    /// The known cells of every line, rows first.
    pub(crate) fn into_lines(self) -> Vec<Known<W>> {
        self.lines
    }

    /// The lines that decided a cell since the board was made, some of them several times.
    pub(crate) fn deciding_lines(&self) -> impl Iterator<Item = usize> {
        self.trail.iter().map(|change| change.line as usize)
    }

    /// Queues a line to be settled, because its clue has changed.
    pub(crate) fn queue(&mut self, line: usize) {
        match line.checked_sub(self.clues.height()) {
            None => self.dirty_rows |= W::bit(line),
            Some(column) => self.dirty_columns |= W::bit(column),
        }
    }

    /// Replaces the known cells, as in [`Board::with_rows`]. Clears the trail, so earlier changes cannot be undone.
    ///
    /// # Panics
    ///
    /// If the number of rows is not that of the puzzle.
    pub fn set_rows(&mut self, rows: &[Known<W>]) {
        let (width, height) = (self.clues.width(), self.clues.height());
        assert_eq!(rows.len(), height, "one entry per row of the board");
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

    /// The clues of the puzzle.
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

    /// The value of this cell; `None` if unknown.
    pub fn known(&self, cell: Cell) -> Option<bool> {
        self.lines[usize::from(cell.row)].get(usize::from(cell.column))
    }

    /// The estimated probability that an unknown cell is filled, from the numbers of filled cells missing in its row and its column, as
    /// numerator and denominator. It is neither 0 nor 1.
    pub fn filled_chance(&self, cell: Cell) -> (u64, u64) {
        let (row, column) = (
            usize::from(cell.row),
            self.clues.height() + usize::from(cell.column),
        );
        let [missing_in_row, missing_in_column] = [row, column].map(|line| {
            let known = self.lines[line].filled.count();
            self.clues.filled(line).saturating_sub(known) as u64
        });
        let unknown = (
            self.unknown_in_row(row).count() as u64,
            self.unknown_in_column(usize::from(cell.column)).count() as u64,
        );
        let denominator = 2 * unknown.0 * unknown.1;
        let filled = missing_in_row * unknown.1 + missing_in_column * unknown.0;
        // Both sides may be consistent although a line lacks all of its unknown cells, or none of them.
        (
            filled.clamp(1, (denominator - 1).max(1)),
            denominator.max(2),
        )
    }

    /// Whether this cell is unknown.
    pub fn is_unknown(&self, cell: Cell) -> bool {
        !self.lines[usize::from(cell.row)]
            .cells()
            .has(usize::from(cell.column))
    }

    /// Number of lines settled so far, from scratch or by a stored result: a measure of work independent of the clock.
    pub fn settles(&self) -> u64 {
        self.settles
    }

    /// The current length of the trail, for [`Board::undo`].
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes everything since `mark`. This also recovers from a contradiction.
    pub fn undo(&mut self, mark: usize) {
        // Queued lines only follow from changes that are undone.
        self.dirty_rows = W::ZERO;
        self.dirty_columns = W::ZERO;
        while self.trail.len() > mark {
            let Change { line, new } = self.trail.pop().expect("the trail is longer than the mark");
            self.unknown += new.cells().count();
            unassign(&mut self.lines, self.clues.height(), line as usize, new);
        }
    }

    /// Copies the known cells into a snapshot. `changed` must have all lines that differ from it.
    pub(super) fn update_snapshot(&self, snapshot: &mut Snapshot<W>, changed: LineSet) {
        snapshot.lines.resize(self.lines.len(), Known::NOTHING);
        for line in changed.lines::<W>(self.clues) {
            snapshot.lines[line] = self.lines[line];
        }
        (snapshot.unknown, snapshot.mark) = (self.unknown, self.mark());
    }

    /// Undoes everything since a snapshot. `changed` must have all lines that differ from it. This also recovers from a contradiction.
    ///
    /// It does what [`Board::undo`] does, for less where the cells of many changes lie in a few lines.
    pub(super) fn restore(&mut self, snapshot: &Snapshot<W>, changed: LineSet) {
        for line in changed.lines::<W>(self.clues) {
            self.lines[line] = snapshot.lines[line];
        }
        self.trail.truncate(snapshot.mark);
        self.unknown = snapshot.unknown;
        // Queued lines only follow from changes that are undone.
        self.dirty_rows = W::ZERO;
        self.dirty_columns = W::ZERO;
    }

    /// The known cells of every row as they were at `mark`; the board is unchanged.
    pub fn rows_at(&self, mark: usize) -> Vec<Known<W>> {
        let mut lines = self.lines.clone();
        for change in self.trail[mark..].iter().rev() {
            unassign(
                &mut lines,
                self.clues.height(),
                change.line as usize,
                change.new,
            );
        }
        lines.truncate(self.clues.height());
        lines
    }

    /// What has been decided since `mark`.
    pub(crate) fn changes_since(&self, mark: usize) -> Changes<W> {
        Changes(self.trail[mark..].into())
    }

    /// Decides again what was decided on a board with the same known cells as this one has. It moves [`Board::mark`] as far as the decisions
    /// did then, and settles no lines.
    pub(crate) fn redo(&mut self, changes: &Changes<W>) {
        for change in &changes.0 {
            self.assign(change.line as usize, change.new);
        }
        // These lines were settled then.
        self.dirty_rows = W::ZERO;
        self.dirty_columns = W::ZERO;
    }

    /// Decides all these cells, unless known already, without settling lines; `false` if a cell is known with another value.
    pub(crate) fn assign_rows(&mut self, rows: impl Iterator<Item = (usize, Known<W>)>) -> bool {
        for (row, cells) in rows {
            let known = self.lines[row];
            let conflict = cells.filled & (known.empty | cells.empty) | cells.empty & known.filled;
            if !conflict.is_zero() {
                return false;
            }
            let new = cells.without(known);
            if !new.cells().is_zero() {
                self.assign_row(row, new);
            }
        }
        true
    }

    /// Assigns cells that were decided by an earlier propagation and contradict no known cell. Since then, cells have become known only in
    /// the lines of `changed`. Queues only those of these lines that get a cell: every other line is either as that propagation left it, or
    /// as it is now.
    pub(super) fn assign_decided(
        &mut self,
        rows: impl Iterator<Item = (usize, Known<W>)>,
        changed: LineSet,
    ) {
        let is_consistent = self.assign_rows(rows);
        debug_assert!(is_consistent, "no known cell is contradicted");
        self.dirty_rows &= W::spread(changed.rows);
        self.dirty_columns &= W::spread(changed.columns);
    }

    /// Decides unknown cells of a row without settling lines.
    pub(super) fn assign_row(&mut self, row: usize, new: Known<W>) {
        self.assign(row, new);
        self.dirty_rows |= W::bit(row);
    }

    /// Lines in which a cell became known since the last call.
    pub fn take_changed(&mut self) -> LineSet {
        std::mem::replace(&mut self.changed, LineSet::NONE)
    }

    /// The known cells of a line; lines are numbered rows first, then columns.
    pub fn line(&self, line: usize) -> Known<W> {
        self.lines[line]
    }

    /// Makes unknown cells of a line known, and settles no line: those of the cells that are known already stay as they are.
    pub fn learn(&mut self, line: usize, cells: Known<W>) {
        let unknown = !self.lines[line].cells();
        let new = Known {
            filled: cells.filled & unknown,
            empty: cells.empty & unknown,
        };
        if !new.cells().is_zero() {
            self.assign(line, new);
        }
    }

    /// The rows and the columns that changed since they were last settled or taken; at the start of a board, all of them.
    pub fn take_dirty(&mut self) -> (W, W) {
        let rows = std::mem::replace(&mut self.dirty_rows, W::ZERO);
        let columns = std::mem::replace(&mut self.dirty_columns, W::ZERO);
        (rows, columns)
    }

    /// The only place that assigns: `new` cells of a line, unknown before, become known in the line and in the lines that cross it.
    pub(super) fn assign(&mut self, line: usize, new: Known<W>) {
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
}

/// The only place that unassigns.
fn unassign<W: Word>(lines: &mut [Known<W>], height: usize, line: usize, new: Known<W>) {
    lines[line].filled &= !new.filled;
    lines[line].empty &= !new.empty;
    let (index, first) = if line < height {
        (line, height)
    } else {
        (line - height, 0)
    };
    let mask = !W::bit(index);
    new.filled
        .cells()
        .for_each(|i| lines[first + i].filled &= mask);
    new.empty
        .cells()
        .for_each(|i| lines[first + i].empty &= mask);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::puzzle::{Grid, Puzzle};

    pub(in crate::board) fn puzzle() -> Puzzle {
        Puzzle::from_grid(&Grid::from_rows(&["#.#.", ".##.", "#..#", "##.#"]).unwrap())
    }

    pub(in crate::board) fn known<W: Word>(board: &Board<W>) -> Vec<String> {
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

    #[test]
    fn undo_and_restore_return_every_line() {
        let clues = Clues::new(&puzzle());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let before = (board.lines.clone(), board.unknown());
        let mut snapshot = Snapshot::new();
        board.update_snapshot(&mut snapshot, LineSet::ALL);
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
                        board.take_changed();
                        board.decide(cell, filled);
                        let changed = board.take_changed();
                        board.restore(&snapshot, changed);
                        assert_eq!((board.lines.clone(), board.unknown()), before);
                        assert_eq!(board.mark(), mark);
                    }
                }
            }
        }
    }

    #[test]
    fn decisions_made_again_give_the_same_board() {
        let clues = Clues::new(&puzzle());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        assert!(board.mark() > 0);
        let changes = board.changes_since(0);
        assert!(changes.bytes() > 0);
        let mut other = Board::<u64>::new(&clues);
        let before = other.lines.clone();
        other.redo(&changes);
        assert_eq!(
            (&other.lines, other.unknown()),
            (&board.lines, board.unknown())
        );
        assert_eq!(other.mark(), board.mark());
        assert_eq!(other.take_dirty(), (0, 0));
        other.undo(0);
        assert_eq!(other.lines, before);
    }

    /// A row with 2 of 6 cells to fill and a column with 1 of 3: the chance is the mean of 2/6 and 1/3.
    #[test]
    fn the_chance_of_a_cell_is_the_mean_of_its_lines() {
        let clues = Clues::new(&Puzzle::from_clues(&[[2]; 3], &[[1]; 6]).unwrap());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let (filled, all) = board.filled_chance(Cell::new(1, 2));
        assert_eq!((3 * filled, board.unknown()), (all, 18));
        board.decide(Cell::new(0, 0), true);
        // The rest of the first row is decided, and the first column.
        let (filled, all) = board.filled_chance(Cell::new(1, 3));
        assert_eq!((filled, all), (2 * 2 + 4, 2 * 4 * 2));
    }

    #[test]
    fn the_lines_of_changed_cells_are_reported() {
        let clues = Clues::new(&Puzzle::from_clues(&[[1]; 4], &[[1]; 4]).unwrap());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        board.take_changed();
        board.learn(
            1,
            Known {
                filled: 1 << 2,
                empty: 0,
            },
        );
        let changed = board.take_changed();
        assert_eq!((changed.rows, changed.columns), (1 << 1, 1 << 2));
        board.learn(
            4 + 3,
            Known {
                filled: 0,
                empty: 1 << 3,
            },
        );
        let changed = board.take_changed();
        assert_eq!((changed.rows, changed.columns), (1 << 3, 1 << 3));
        let changed = board.take_changed();
        assert!(!changed.meets(LineSet::ALL));
    }

    #[test]
    fn cells_known_with_another_value_are_a_conflict() {
        let clues = Clues::new(&puzzle());
        let cell = |filled, empty| Known::<u64> { filled, empty };
        let board = || {
            let mut board = Board::<u64>::new(&clues);
            assert!(board.assign_rows([(1, cell(0b10, 0b01))].into_iter()));
            board
        };
        assert!(!board().assign_rows([(1, cell(0b01, 0))].into_iter()));
        assert!(!board().assign_rows([(1, cell(0, 0b10))].into_iter()));
        let mut board = board();
        assert!(board.assign_rows([(1, cell(0b10, 0b01)), (2, cell(1, 0))].into_iter()));
        assert_eq!(known(&board)[..3], ["????", ".#??", "#???"]);
    }

    #[test]
    fn a_board_of_given_lines_settles_those_that_are_queued() {
        let clues = Clues::new(&puzzle());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let (rows, unknown) = (known(&board), board.unknown());
        let lines = board.into_lines();
        let mut again = Board::with_lines(&clues, lines.clone());
        assert_eq!((known(&again), again.unknown()), (rows.clone(), unknown));
        assert!(again.propagate());
        assert_eq!(again.settles(), 0);
        let mut of_rows = Board::<u64>::new(&clues);
        of_rows.set_rows(again.rows());
        assert_eq!(
            (known(&of_rows), of_rows.unknown()),
            (rows.clone(), unknown)
        );
        (0..8).for_each(|line| again.queue(line));
        assert!(again.propagate());
        assert_eq!((known(&again), again.settles()), (rows, 8));
        assert_eq!(again.into_lines(), lines);
    }

    #[test]
    fn both_values_of_a_cell_have_a_chance() {
        let cell = Cell::new(0, 0);
        for (clue, chance) in [(&[2][..], 7), (&[1], 4), (&[], 1)] {
            let lines = [clue; 2];
            let clues = Clues::new(&Puzzle::from_clues(&lines, &lines).unwrap());
            assert_eq!(Board::<u64>::new(&clues).filled_chance(cell), (chance, 8));
        }
    }

    #[test]
    fn cells_with_another_value_than_the_known_one_are_refused() {
        let clues = Clues::new(&puzzle());
        let mut board = Board::<u64>::new(&clues);
        let known = |filled, empty| Known { filled, empty };
        let mut assigns = |cells| board.assign_rows([(0, cells)].into_iter());
        assert!(assigns(known(0b01, 0b10)) && assigns(known(0b01, 0b10)));
        assert!(!assigns(known(0b10, 0)) && !assigns(known(0, 0b01)));
        // A cell with both values is refused whatever is known of it.
        assert!((0..3).all(|i| !assigns(known(1 << i, 1 << i))));
    }
}
