//! Probing: every unknown cell is tried both ways, with propagation, until nothing more is learnt.
//!
//! A side that contradicts decides the cell; what both sides agree on is decided too. A probe depends on nothing but the lines that
//! it settled, so it is skipped while none of them has changed. What was learnt at a node is inherited by its children: they repeat
//! only the probes that their own decision touched, which makes the same tree at a fraction of the work.
//!
//! How many cells each side would decide is kept, for choosing where to branch.

use super::cell::Cell;
use super::line_set::LineSet;
use super::propagate::Board;
use super::regions::Region;
use crate::line::{Known, Word};

/// Probing this many cells or more at once is hopeless; search goes on without it.
const MOST_CELLS: usize = 1 << 20;

/// What is remembered of the latest probe of one cell.
#[derive(Clone, Copy, Debug)]
struct ProbeRecord {
    cell: Cell,
    /// Number of events before it; [`NEVER`] when it was not probed yet.
    seen: u32,
    /// Lines that either side settled.
    touched: LineSet,
    /// Cells that each side decided, itself included: filled, empty.
    decides: [u32; 2],
}

const NEVER: u32 = u32::MAX;

/// Records of a node's probes, and what has changed since they were made.
#[derive(Clone, Copy, Debug)]
pub struct Inherited {
    start: usize,
    end: usize,
    changed: LineSet,
}

impl Inherited {
    /// The same records on a board where these lines have changed too.
    #[must_use]
    pub fn after(self, changed: LineSet) -> Self {
        Inherited {
            changed: self.changed.and(changed),
            ..self
        }
    }
}

/// How probing a node ended.
#[derive(Clone, Copy, Debug)]
pub enum Probed {
    /// There is no solution here.
    Contradiction,
    /// It was told to stop; the board is sound, but not at the fixpoint.
    Stopped,
    /// Nothing more is to be learnt. The records for the children, and the best branch, if a cell is left.
    Fixpoint(Inherited, Option<Cell>),
}

/// Probes the cells of a region to a fixpoint; keeps the records of all nodes on the path from the task's first one.
#[derive(Clone, Debug)]
pub struct Prober<W> {
    /// Records of the nodes on the path, one stretch a node.
    records: Vec<ProbeRecord>,
    /// Lines changed by each deduction since the node's probing began.
    events: Vec<LineSet>,
    /// The rows as the filled side left them.
    side: Vec<Known<W>>,
    probes: u64,
}

impl<W: Word> Default for Prober<W> {
    fn default() -> Self {
        Prober {
            records: Vec::new(),
            events: Vec::new(),
            side: Vec::new(),
            probes: 0,
        }
    }
}

impl<W: Word> Prober<W> {
    /// Cells probed so far, both sides counted as one.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// The present end of the records, for [`Prober::backtrack`].
    pub fn mark(&self) -> usize {
        self.records.len()
    }

    /// A prober that begins with these records alone, for somebody who goes on elsewhere.
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

    /// Forgets the records made since `mark`.
    pub fn backtrack(&mut self, mark: usize) {
        self.records.truncate(mark);
    }

    /// Probes the unknown cells of `region` until nothing more is learnt. The board must be at a fixpoint of propagation.
    ///
    /// `stop` is asked before every probe.
    pub fn probe(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        inherited: Option<Inherited>,
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
                        self.records.push(ProbeRecord { seen: 0, ..record });
                    }
                }
            }
            None => {
                let fresh = |cell| ProbeRecord {
                    cell,
                    seen: NEVER,
                    touched: LineSet::ALL,
                    decides: [0, 0],
                };
                self.records
                    .extend(region.unknown(board).take(MOST_CELLS).map(fresh));
            }
        }
        let count = self.records.len() - start;
        // Once around without a deduction is a fixpoint.
        let (mut i, mut quiet) = (0, 0);
        while quiet < count {
            let record = &self.records[start + i];
            let known = !board.is_unknown(record.cell);
            if known
                || record.seen != NEVER
                    && !self.events[record.seen as usize..]
                        .iter()
                        .any(|e| e.meets(record.touched))
            {
                quiet += 1;
            } else if stop(board) {
                return Probed::Stopped;
            } else {
                match self.probe_cell(board, start + i) {
                    None => return Probed::Contradiction,
                    Some(true) => quiet = 0,
                    Some(false) => quiet += 1,
                }
            }
            i = if i + 1 == count { 0 } else { i + 1 };
        }
        // Only what is still unknown is of use to the children.
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

    /// Where in a region it is best to branch, by what was learnt at a node.
    pub fn best(&self, node: Inherited, region: &Region<W>) -> Option<Cell> {
        let records = self.records[node.start..node.end].iter();
        records
            .filter(|record| region.has(record.cell))
            .min_by_key(|record| std::cmp::Reverse(worth(record.decides)))
            .map(|record| record.cell)
    }

    /// Probes one cell. `None` is a contradiction, else whether anything was decided.
    fn probe_cell(&mut self, board: &mut Board<'_, W>, at: usize) -> Option<bool> {
        self.probes += 1;
        let cell = self.records[at].cell;
        let (mark, unknown) = (board.mark(), board.unknown());
        board.watch();
        if !board.decide(cell, true) {
            return self.learn(board, mark, |board| board.decide(cell, false));
        }
        let filled = unknown - board.unknown();
        let changed = board.take_changed();
        self.side.clear();
        self.side.extend_from_slice(board.rows());
        board.undo(mark);
        if !board.decide(cell, false) {
            return self.learn(board, mark, |board| board.decide(cell, true));
        }
        let empty = unknown - board.unknown();
        let both = changed.rows & board.changed.rows;
        // What the two sides share, beyond what was known; rows modulo 64 may bring some rows too many, which share nothing new.
        let mut shared = false;
        for (r, (side, row)) in self.side.iter_mut().zip(board.rows()).enumerate() {
            if both >> (r % 64) & 1 == 1 {
                *side = Known {
                    filled: side.filled & row.filled,
                    empty: side.empty & row.empty,
                };
            }
        }
        let touched = board.settled;
        board.undo(mark);
        for r in 0..self.side.len() {
            if both >> (r % 64) & 1 == 1 {
                let row = board.rows()[r];
                let new = Known {
                    filled: self.side[r].filled & !row.filled,
                    empty: self.side[r].empty & !row.empty,
                };
                if !new.cells().is_zero() {
                    if !shared {
                        board.watch();
                        shared = true;
                    }
                    board.assign_row(r, new);
                }
            }
        }
        if shared {
            if !board.propagate() {
                return None;
            }
            let changed = board.take_changed();
            self.events.push(changed);
        }
        // What was shared follows from either side, so it does not change what either side decides.
        let seen = self.events.len() as u32;
        self.records[at] = ProbeRecord {
            cell,
            seen,
            touched,
            decides: [filled as u32, empty as u32],
        };
        Some(shared)
    }

    /// One side contradicts: back to the mark, and the other side for good.
    fn learn(
        &mut self,
        board: &mut Board<'_, W>,
        mark: usize,
        decide: impl FnOnce(&mut Board<'_, W>) -> bool,
    ) -> Option<bool> {
        board.undo(mark);
        board.watch();
        if !decide(board) {
            return None;
        }
        let changed = board.take_changed();
        self.events.push(changed);
        Some(true)
    }
}

/// How good a cell is to branch on: both sides should decide much, above all the one that decides less.
fn worth([filled, empty]: [u32; 2]) -> u64 {
    let (less, more) = (filled.min(empty), filled.max(empty));
    u64::from(less) << 32 | u64::from(more)
}
