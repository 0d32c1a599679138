//! Probing: every unknown cell is tried both ways, with propagation, until no more cells are decided.
//!
//! A side that contradicts decides the cell; cells on which both sides agree are decided too. The result of a probe depends only on the
//! lines that it settled, so it is not repeated while none of them has changed. The records of a node are inherited by its children, which
//! repeat only the probes affected by their own decision; this gives the same tree at a fraction of the cost.
//!
//! The number of cells that each side decides is recorded, to choose the cell to branch on.

use super::cell::Cell;
use super::line_set::LineSet;
use super::propagate::Board;
use super::regions::Region;
use crate::line::{Known, Word};

/// Maximum number of cells probed at a node; more would take too long, and search works without.
const MAX_PROBED_CELLS: usize = 1 << 20;

/// The result of the latest probe of one cell.
#[derive(Clone, Copy, Debug)]
struct ProbeRecord {
    cell: Cell,
    /// Number of events before it; [`NEVER`] if it has not been probed.
    event_count: u32,
    /// Lines settled by either side.
    touched: LineSet,
    /// Number of cells that each side decided, including the probed one: filled, empty.
    decides: [u32; 2],
}

const NEVER: u32 = u32::MAX;

/// The probe records of a node, as a range of indices, and the lines changed since.
#[derive(Clone, Copy, Debug)]
pub struct Inherited {
    start: usize,
    end: usize,
    changed: LineSet,
}

impl Inherited {
    /// The same records, after these lines have changed too.
    #[must_use]
    pub fn after(self, changed: LineSet) -> Self {
        Inherited {
            changed: self.changed.and(changed),
            ..self
        }
    }
}

/// The result of the probe of one cell.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// Both sides lead to a contradiction.
    Contradiction,
    /// Cells were decided.
    Deduction,
    Nothing,
}

/// The result of probing a node.
#[derive(Clone, Copy, Debug)]
pub enum Probed {
    /// The board has no solution.
    Contradiction,
    /// Stopped early; the board is correct, but not at a probing fixpoint.
    Stopped,
    /// Fixpoint: the records for the children, and the best cell to branch on, if any is unknown.
    Fixpoint(Inherited, Option<Cell>),
}

/// Probes the cells of a region to a fixpoint; stores the records of all nodes on the path from the first node of the task.
#[derive(Clone, Debug)]
pub struct Prober<W> {
    /// Records of the nodes on the path, one range per node.
    records: Vec<ProbeRecord>,
    /// Lines changed by each deduction since probing of the node began.
    events: Vec<LineSet>,
    /// The rows after deciding the filled side.
    filled_rows: Vec<Known<W>>,
    probes: u64,
    deductions: u64,
}

impl<W: Word> Default for Prober<W> {
    fn default() -> Self {
        Prober {
            records: Vec::new(),
            events: Vec::new(),
            filled_rows: Vec::new(),
            probes: 0,
            deductions: 0,
        }
    }
}

impl<W: Word> Prober<W> {
    /// Number of probes so far; both sides count as one.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// Number of probes so far that decided a cell.
    pub fn deductions(&self) -> u64 {
        self.deductions
    }

    /// The current number of records, for [`Prober::backtrack`].
    pub fn mark(&self) -> usize {
        self.records.len()
    }

    /// A prober with these records only, to continue in another task.
    #[must_use]
    pub fn branch(&self, inherited: Inherited) -> (Self, Inherited) {
        let records = self.records[inherited.start..inherited.end].to_vec();
        let inherited = Inherited {
            start: 0,
            end: records.len(),
            ..inherited
        };
        let prober = Prober {
            records,
            ..Prober::default()
        };
        (prober, inherited)
    }

    /// Removes the records made since `mark`.
    pub fn backtrack(&mut self, mark: usize) {
        self.records.truncate(mark);
    }

    /// Probes the unknown cells of `region` until no more are decided. The board must be at a propagation fixpoint.
    ///
    /// `stop` is called before every probe, and `is_over` before every settle; either ends it by returning `true`.
    pub fn probe(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        inherited: Option<Inherited>,
        mut is_over: impl FnMut() -> bool,
        mut stop: impl FnMut(&Board<'_, W>) -> bool,
    ) -> Probed {
        let start = self.records.len();
        self.events.clear();
        match inherited {
            Some(parent) => {
                self.events.push(parent.changed);
                for i in parent.start..parent.end {
                    let record = self.records[i];
                    if region.has(record.cell) && board.is_unknown(record.cell) {
                        self.records.push(ProbeRecord {
                            event_count: 0,
                            ..record
                        });
                    }
                }
            }
            None => {
                let new_record = |cell| ProbeRecord {
                    cell,
                    event_count: NEVER,
                    touched: LineSet::ALL,
                    decides: [0, 0],
                };
                self.records
                    .extend(region.unknown(board).take(MAX_PROBED_CELLS).map(new_record));
            }
        }
        let count = self.records.len() - start;
        // One round without a deduction is a fixpoint.
        let (mut i, mut unchanged) = (0, 0);
        while unchanged < count {
            let record = &self.records[start + i];
            let known = !board.is_unknown(record.cell);
            if known
                || record.event_count != NEVER
                    && !self.events[record.event_count as usize..]
                        .iter()
                        .any(|e| e.meets(record.touched))
            {
                unchanged += 1;
            } else if stop(board) {
                return Probed::Stopped;
            } else {
                match self.probe_cell(board, start + i, &mut is_over) {
                    None => return Probed::Stopped,
                    Some(Probe::Contradiction) => return Probed::Contradiction,
                    Some(Probe::Deduction) => {
                        self.deductions += 1;
                        unchanged = 0;
                    }
                    Some(Probe::Nothing) => unchanged += 1,
                }
            }
            i = if i + 1 == count { 0 } else { i + 1 };
        }
        // Children need only the records of unknown cells.
        let mut end = start;
        for i in start..self.records.len() {
            if board.is_unknown(self.records[i].cell) {
                self.records[end] = self.records[i];
                end += 1;
            }
        }
        self.records.truncate(end);
        let inherited = Inherited {
            start,
            end,
            changed: LineSet::NONE,
        };
        Probed::Fixpoint(inherited, self.best(inherited, region))
    }

    /// The best cell of a region to branch on, by the records of a node.
    pub fn best(&self, node: Inherited, region: &Region<W>) -> Option<Cell> {
        let records = self.records[node.start..node.end].iter();
        records
            .filter(|record| region.has(record.cell))
            .min_by_key(|record| std::cmp::Reverse(branch_score(record.decides)))
            .map(|record| record.cell)
    }

    /// Probes one cell. `None` if `is_over` has ended it; the board is then correct, but not at a fixpoint.
    fn probe_cell(
        &mut self,
        board: &mut Board<'_, W>,
        at: usize,
        is_over: &mut impl FnMut() -> bool,
    ) -> Option<Probe> {
        self.probes += 1;
        let cell = self.records[at].cell;
        let (mark, unknown) = (board.mark(), board.unknown());
        board.watch();
        if !try_side(board, mark, (cell, true), is_over)? {
            return self.decide_other_side(board, mark, (cell, false), is_over);
        }
        let filled = unknown - board.unknown();
        let changed = board.take_changed();
        self.filled_rows.clear();
        self.filled_rows.extend_from_slice(board.rows());
        board.undo(mark);
        if !try_side(board, mark, (cell, false), is_over)? {
            return self.decide_other_side(board, mark, (cell, true), is_over);
        }
        let empty = unknown - board.unknown();
        let common_rows = changed.rows & board.changed.rows;
        // Cells on which both sides agree, beyond those known; as rows are taken modulo 64, some rows without new cells may be included.
        let mut has_agreement = false;
        for (r, (filled_rows, row)) in self.filled_rows.iter_mut().zip(board.rows()).enumerate() {
            if common_rows >> (r % 64) & 1 == 1 {
                *filled_rows = Known {
                    filled: filled_rows.filled & row.filled,
                    empty: filled_rows.empty & row.empty,
                };
            }
        }
        let touched = board.settled;
        board.undo(mark);
        #[cfg(feature = "checked")]
        let before = super::checked::Rows::of(board.rows(), board.clues().width());
        for r in 0..self.filled_rows.len() {
            if common_rows >> (r % 64) & 1 == 1 {
                let row = board.rows()[r];
                let new = Known {
                    filled: self.filled_rows[r].filled & !row.filled,
                    empty: self.filled_rows[r].empty & !row.empty,
                };
                if !new.cells().is_zero() {
                    if !has_agreement {
                        board.watch();
                        has_agreement = true;
                    }
                    board.assign_row(r, new);
                }
            }
        }
        if has_agreement {
            #[cfg(feature = "checked")]
            before.confirm_agreement(
                board.clues(),
                cell,
                &super::checked::Rows::of(board.rows(), board.clues().width()),
            );
            if !board.propagate_unless(is_over)? {
                return Some(Probe::Contradiction);
            }
            let changed = board.take_changed();
            self.events.push(changed);
        }
        // Cells on which both sides agree follow from either, so `decides` need not change.
        let event_count = self.events.len() as u32;
        self.records[at] = ProbeRecord {
            cell,
            event_count,
            touched,
            decides: [filled as u32, empty as u32],
        };
        Some(match has_agreement {
            true => Probe::Deduction,
            false => Probe::Nothing,
        })
    }

    /// After a contradiction of one side: undoes to the mark, and decides the other side permanently.
    fn decide_other_side(
        &mut self,
        board: &mut Board<'_, W>,
        mark: usize,
        (cell, filled): (Cell, bool),
        is_over: &mut impl FnMut() -> bool,
    ) -> Option<Probe> {
        board.undo(mark);
        board.watch();
        if !board.decide_unless(cell, filled, is_over)? {
            return Some(Probe::Contradiction);
        }
        let changed = board.take_changed();
        self.events.push(changed);
        Some(Probe::Deduction)
    }
}

/// Decides a cell; `Some(false)` is a contradiction. `None` if `is_over` has ended it; the board is then as at the mark.
fn try_side<W: Word>(
    board: &mut Board<'_, W>,
    mark: usize,
    (cell, filled): (Cell, bool),
    is_over: &mut impl FnMut() -> bool,
) -> Option<bool> {
    let decided = board.decide_unless(cell, filled, is_over);
    if decided.is_none() {
        board.undo(mark);
    }
    decided
}

/// Score of a branch on a cell: both sides should decide many cells, above all the one that decides fewer.
fn branch_score([filled, empty]: [u32; 2]) -> u64 {
    let (fewer, more) = (filled.min(empty), filled.max(empty));
    u64::from(fewer) << 32 | u64::from(more)
}
