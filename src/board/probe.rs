//! Probing: every unknown cell is tried both ways, with propagation, until no more cells are decided.
//!
//! A side that contradicts decides the cell; cells on which both sides agree are decided too. The result of a probe depends only on the
//! lines in which its sides decided a cell, so it is not repeated while none of them has changed. The records of a node are inherited by
//! its children, which repeat only the probes affected by their own decision; this gives the same tree at a fraction of the cost.
//!
//! A record also has the cells that each side decided. A repeated probe begins with these cells: at first only the lines that get such a
//! cell and have changed since are to be settled, and propagation goes on from there. It reaches the same fixpoint as a probe from scratch,
//! with about half of the settles.
//!
//! Cell B *follows* cell A if one side of A decides B as filled, and the opposite side of A decides B as empty. Each side of B then decides
//! no more than the side of A that implies it. So a probe of B would show nothing that the probe of A does not, neither here nor at a node
//! below where B is still unknown, and B is no better to branch on than A. Followers are not probed. The fixpoint is the same; in counts of
//! five 25x25 puzzles this saved 12 to 29 % of the settles.
//!
//! The number of cells that each side decides is recorded, to choose the cell to branch on.
//!
//! The records of a path take much memory on a large board. Beyond a maximum those of the nodes nearest to the root are dropped, and a
//! child of such a node is probed from scratch: there are far fewer of these children than of those deeper down.

use std::ops::Range;

use super::known_cells::{Board, Snapshot};
use super::line_set::LineSet;
use super::regions::Region;
use crate::line::{Known, Word};
use crate::puzzle::Cell;

/// Maximum number of cells probed at a node; more would take too long, and search works without.
const MAX_PROBED_CELLS: usize = 1 << 20;

/// The result of the latest probe of one cell.
#[derive(Clone, Copy, Debug)]
struct ProbeRecord {
    cell: Cell,
    /// Length of [`Prober::events`] when the probe ended: the later entries are newer than it; [`NEVER`] if the cell has not been probed.
    event_count: u32,
    /// The filled and the empty side.
    sides: [Side; 2],
}

impl ProbeRecord {
    /// The lines in which either side decided a cell.
    fn lines(&self) -> LineSet {
        let [filled, empty] = self.sides;
        filled.lines.union(empty.lines)
    }
}

/// What one side of a probe decided.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// The cells, as a range of [`Prober::side_rows`], which is empty if they were not kept. Some may be known by now.
    start: u32,
    end: u32,
    /// The lines of the cells.
    lines: LineSet,
    /// Number of the cells, including the probed one.
    decides: u32,
}

impl Side {
    /// Before the first probe.
    const NONE: Side = Side {
        start: 0,
        end: 0,
        lines: LineSet::NONE,
        decides: 0,
    };

    /// The same side, without the cells.
    fn without_cells(self) -> Self {
        Side {
            start: 0,
            end: 0,
            ..self
        }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The same side, with the lines and the number of those of its cells that are still unknown; `None` if one is known with the other
    /// value.
    fn on<W: Word>(self, board: &Board<'_, W>, side_rows: &[SideRow<W>]) -> Option<Self> {
        let mut left = Side {
            lines: LineSet::NONE,
            decides: 0,
            ..self
        };
        for &SideRow { row, cells } in &side_rows[self.range()] {
            let known = board.rows()[row as usize];
            let conflict = cells.filled & known.empty | cells.empty & known.filled;
            if !conflict.is_zero() {
                return None;
            }
            let new = cells.without(known).cells();
            if !new.is_zero() {
                left.lines.rows |= 1 << (row % 64);
                left.lines.columns |= new.fold();
                left.decides += new.count() as u32;
            }
        }
        Some(left)
    }
}

/// Cells of one row that a side decided.
#[derive(Clone, Copy, Debug)]
struct SideRow<W> {
    row: u32,
    cells: Known<W>,
}

/// Maximum size of [`Prober::side_rows`], in bytes, with the room that the list may have.
const MAX_SIDE_BYTES: u64 = 1 << 22;

/// Size of [`Prober::records`], in bytes, up to which no record is dropped.
const MIN_RECORD_BYTES: u64 = 1 << 17;

const NEVER: u32 = u32::MAX;

/// The probe records of a node, as a range of [positions](ProberMark), and the lines changed since.
#[derive(Clone, Copy, Debug)]
pub struct NodeRecords {
    start: usize,
    end: usize,
    changed: LineSet,
}

impl NodeRecords {
    /// The same records, after these lines have changed too.
    #[must_use]
    pub fn after(self, changed: LineSet) -> Self {
        NodeRecords {
            changed: self.changed.union(changed),
            ..self
        }
    }
}

/// The result of the probe of one cell.
#[derive(Clone, Copy, Debug)]
enum CellProbeResult {
    /// Both sides lead to a contradiction.
    Contradiction,
    /// Cells were decided.
    Deduction,
    Nothing,
}

/// The result of probing a node.
#[derive(Clone, Copy, Debug)]
pub enum NodeProbeResult {
    /// The board has no solution.
    Contradiction,
    /// Stopped early; the board is correct, but not at a probing fixpoint.
    Stopped,
    /// Fixpoint: the records for the children, and the best cell to branch on, if any is unknown.
    Fixpoint(NodeRecords, Option<Cell>),
}

/// A state of a [`Prober`] to which [`Prober::backtrack`] returns; by default, the one without records.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProberMark {
    /// The position of the next record: its index in [`Prober::records`] plus the number of records dropped.
    records: usize,
    side_rows: usize,
}

/// Probes the cells of a region to a fixpoint; stores the records of all nodes on the path from the first node of the task.
#[derive(Clone, Debug)]
pub struct Prober<W> {
    /// Records of the nodes on the path, one range per node, without those dropped from its beginning.
    records: Vec<ProbeRecord>,
    /// Number of records dropped.
    dropped: usize,
    /// Maximum number of records; but those of the node being probed and of its parent are kept.
    max_records: usize,
    /// The lines changed by each deduction at this node, in order. With inherited records, the first entry is the lines changed since those
    /// records were made.
    events: Vec<LineSet>,
    /// The cells that the sides of these records decided, the rows of a side in order.
    side_rows: Vec<SideRow<W>>,
    /// Beyond this number of them, the cells of further sides are not kept.
    max_side_rows: usize,
    /// The board at the last fixpoint, to which it returns after each side of a probe.
    snapshot: Snapshot<W>,
    /// By row, the cells of the node being probed that follow another one.
    followers: Vec<W>,
    probes: u64,
    deductions: u64,
}

impl<W: Word> Default for Prober<W> {
    /// A prober that keeps all records, and as many cells of the sides of probes as it ever may.
    fn default() -> Self {
        Prober::new(u64::MAX)
    }
}

impl<W: Word> Prober<W> {
    /// A prober that takes about `bytes` bytes: half of them for records, but at least an eighth of a MiB, and the other half for the cells
    /// of the sides of probes, but at most 4 MiB.
    pub fn new(bytes: u64) -> Self {
        // Half of a list may be room.
        let bytes_per_row = 2 * size_of::<SideRow<W>>() as u64;
        let bytes_per_record = 2 * size_of::<ProbeRecord>() as u64;
        let half = bytes / 2;
        let max_records = half.max(MIN_RECORD_BYTES) / bytes_per_record;
        Prober {
            records: Vec::new(),
            dropped: 0,
            max_records: usize::try_from(max_records).unwrap_or(usize::MAX),
            events: Vec::new(),
            side_rows: Vec::new(),
            max_side_rows: (half.min(MAX_SIDE_BYTES) / bytes_per_row) as usize,
            snapshot: Snapshot::new(),
            followers: Vec::new(),
            probes: 0,
            deductions: 0,
        }
    }

    /// Its approximate size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let records = self.records.capacity() * size_of::<ProbeRecord>();
        let side_rows = self.side_rows.capacity() * size_of::<SideRow<W>>();
        (size_of::<Self>() + records + side_rows) as u64
    }

    /// Number of probes so far; both sides count as one.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// Number of probes so far that decided a cell.
    pub fn deductions(&self) -> u64 {
        self.deductions
    }

    /// The current state, for [`Prober::backtrack`].
    pub fn mark(&self) -> ProberMark {
        ProberMark {
            records: self.dropped + self.records.len(),
            side_rows: self.side_rows.len(),
        }
    }

    /// The records of a node, as a range of indices; `None` if they have been dropped.
    fn range(&self, node: NodeRecords) -> Option<Range<usize>> {
        let start = node.start.checked_sub(self.dropped)?;
        Some(start..node.end - self.dropped)
    }

    /// A prober with these records only, to continue in another task; `None` if they have been dropped.
    #[must_use]
    pub fn branch(&self, inherited: NodeRecords) -> Option<(Self, NodeRecords)> {
        // Without the cells of the sides, the first probe of each cell is from scratch.
        let records: Vec<ProbeRecord> = self.records[self.range(inherited)?]
            .iter()
            .map(|record| ProbeRecord {
                sides: record.sides.map(Side::without_cells),
                ..*record
            })
            .collect();
        let inherited = NodeRecords {
            start: 0,
            end: records.len(),
            ..inherited
        };
        let prober = Prober {
            records,
            max_records: self.max_records,
            max_side_rows: self.max_side_rows,
            ..Prober::default()
        };
        Some((prober, inherited))
    }

    /// Removes all records.
    pub fn clear(&mut self) {
        self.backtrack(ProberMark::default());
    }

    /// Removes the records made since `mark`.
    pub fn backtrack(&mut self, mark: ProberMark) {
        self.records
            .truncate(mark.records.saturating_sub(self.dropped));
        self.side_rows.truncate(mark.side_rows);
    }

    /// Probes the unknown cells of `region` until no more are decided. The board must be at a propagation fixpoint.
    ///
    /// With the records of the parent, `inherited`, only what has changed since then is probed; otherwise each cell is.
    ///
    /// `stop` is called before every probe, and `is_over` before every settle; either ends it by returning `true`.
    pub fn probe(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        inherited: Option<NodeRecords>,
        mut is_over: impl FnMut() -> bool,
        mut stop: impl FnMut(&Board<'_, W>) -> bool,
    ) -> NodeProbeResult {
        self.drop_records(inherited);
        let start = self.records.len();
        self.events.clear();
        self.followers.clear();
        self.followers.resize(board.clues().height(), W::ZERO);
        board.update_snapshot(&mut self.snapshot, LineSet::ALL);
        match inherited.and_then(|parent| Some((parent, self.range(parent)?))) {
            Some((parent, records)) => {
                self.events.push(parent.changed);
                for i in records {
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
                let cells = region.unknown(board).take(MAX_PROBED_CELLS);
                self.records.extend(cells.map(|cell| ProbeRecord {
                    cell,
                    event_count: NEVER,
                    sides: [Side::NONE; 2],
                }));
            }
        }
        let count = self.records.len() - start;
        // One round without a deduction is a fixpoint.
        let (mut i, mut unchanged) = (0, 0);
        while unchanged < count {
            let record = &self.records[start + i];
            let is_left_out = !board.is_unknown(record.cell) || self.is_follower(record.cell);
            if is_left_out
                || record.event_count != NEVER
                    && !self.events[record.event_count as usize..]
                        .iter()
                        .any(|e| e.meets(record.lines()))
            {
                unchanged += 1;
            } else if stop(board) {
                return NodeProbeResult::Stopped;
            } else {
                match self.probe_cell(board, start + i, &mut is_over) {
                    None => return NodeProbeResult::Stopped,
                    Some(CellProbeResult::Contradiction) => return NodeProbeResult::Contradiction,
                    Some(CellProbeResult::Deduction) => {
                        self.deductions += 1;
                        unchanged = 0;
                    }
                    Some(CellProbeResult::Nothing) => unchanged += 1,
                }
            }
            i = if i + 1 == count { 0 } else { i + 1 };
        }
        // Children need only the records of unknown cells that follow no other.
        let mut end = start;
        for i in start..self.records.len() {
            let cell = self.records[i].cell;
            if board.is_unknown(cell) && !self.is_follower(cell) {
                self.records[end] = self.records[i];
                end += 1;
            }
        }
        self.records.truncate(end);
        let inherited = NodeRecords {
            start: self.dropped + start,
            end: self.dropped + end,
            changed: LineSet::NONE,
        };
        NodeProbeResult::Fixpoint(inherited, self.best(inherited, region))
    }

    /// If there are as many records as there may be, drops the older half of them, but none of the parent.
    fn drop_records(&mut self, parent: Option<NodeRecords>) {
        if self.records.len() >= self.max_records {
            let kept = parent.and_then(|parent| self.range(parent));
            let first_kept = kept.map_or(self.records.len(), |kept| kept.start);
            let older = first_kept.min(self.records.len().div_ceil(2));
            self.records.drain(..older);
            self.dropped += older;
        }
    }

    /// The best cell of a region to branch on, by the records of a node; `None` if no cell is unknown, if every unknown cell follows one
    /// outside of the region, or if the records have been dropped.
    pub fn best(&self, node: NodeRecords, region: &Region<W>) -> Option<Cell> {
        let best = self.records_in(node, region)?.min_by_key(|record| {
            std::cmp::Reverse(branch_score(record.sides.map(|side| side.decides)))
        });
        best.map(|record| record.cell)
    }

    /// Whether no cell of a region has two sides that both decide other cells: then little follows from any decision.
    pub fn is_loose(&self, node: NodeRecords, region: &Region<W>) -> bool {
        !self
            .records_in(node, region)
            .into_iter()
            .flatten()
            .any(|record| record.sides.iter().all(|side| side.decides > 1))
    }

    /// The records of the cells of a region.
    fn records_in<'s>(
        &'s self,
        node: NodeRecords,
        region: &'s Region<W>,
    ) -> Option<impl Iterator<Item = &'s ProbeRecord>> {
        let records = self.records[self.range(node)?].iter();
        Some(records.filter(|record| region.has(record.cell)))
    }

    /// Probes one cell. `None` if `is_over` has ended it; the board is then correct, but not at a fixpoint.
    fn probe_cell(
        &mut self,
        board: &mut Board<'_, W>,
        at: usize,
        is_over: &mut impl FnMut() -> bool,
    ) -> Option<CellProbeResult> {
        self.probes += 1;
        let ProbeRecord { cell, sides, .. } = self.records[at];
        let since = self.records[at].event_count as usize;
        // A cell that has not been probed has no sides whose lines could have changed.
        let events = self.events.get(since..).unwrap_or_default().iter();
        let changed = events.fold(LineSet::NONE, |all, event| all.union(*event));
        let start = self.side_rows.len();
        let Some(filled) = self.probe_side(board, (cell, true), sides[0], changed, is_over)? else {
            return self.decide_other_side(board, (cell, false), start, is_over);
        };
        let Some(empty) = self.probe_side(board, (cell, false), sides[1], changed, is_over)? else {
            return self.decide_other_side(board, (cell, true), start, is_over);
        };
        #[cfg(feature = "checked")]
        let rows_before = super::checked::Rows::of(board.rows(), board.clues().width());
        let mut sides = [filled, empty];
        let has_agreement = self.compare_sides(board, cell, sides);
        if has_agreement {
            #[cfg(feature = "checked")]
            rows_before.confirm_agreement(
                board.clues(),
                cell,
                &super::checked::Rows::of(board.rows(), board.clues().width()),
            );
            if !board.propagate_unless(is_over)? {
                return Some(CellProbeResult::Contradiction);
            }
            self.end_deduction(board);
            // Cells on which both sides agree follow from either: what is known now contradicts neither side, and decides no more for it.
            sides = sides.map(|side| side.on(board, &self.side_rows).expect("the sides agree"));
        }
        if self.side_rows.len() > self.max_side_rows {
            self.side_rows.truncate(start);
            // The cells of an earlier probe may be kept.
            for side in sides.iter_mut().filter(|side| side.end as usize > start) {
                *side = side.without_cells();
            }
        }
        self.records[at] = ProbeRecord {
            cell,
            event_count: self.events.len() as u32,
            sides,
        };
        Some(if has_agreement {
            CellProbeResult::Deduction
        } else {
            CellProbeResult::Nothing
        })
    }

    /// Decides one side of a cell and propagates, and undoes that. Begins with the cells that the `earlier` probe of this side decided, if
    /// they are kept; since then cells have become known only in the lines of `changed`. `Some(None)` is a contradiction; `None` if `is_over` has ended it.
    fn probe_side(
        &mut self,
        board: &mut Board<'_, W>,
        (cell, filled): (Cell, bool),
        earlier: Side,
        changed: LineSet,
        is_over: &mut impl FnMut() -> bool,
    ) -> Option<Option<Side>> {
        let kept = &self.side_rows[earlier.range()];
        let decided = if kept.is_empty() {
            board.take_changed();
            board.decide_unless(cell, filled, is_over)
        } else {
            let Some(left) = earlier.on(board, &self.side_rows) else {
                return Some(None);
            };
            if !left.lines.meets(changed) {
                return Some(Some(left));
            }
            board.take_changed();
            let rows = kept.iter().map(|side| (side.row as usize, side.cells));
            board.assign_decided(rows, changed);
            board.propagate_unless(is_over)
        };
        let (lines, start) = (board.take_changed(), self.side_rows.len());
        let mut decides = 0;
        if decided == Some(true) {
            let rows = W::spread(lines.rows) & W::low(board.clues().height());
            for row in rows.cells() {
                let cells = board.rows()[row].without(self.snapshot.lines[row]);
                // Rows are taken modulo 64, so some of these may have no new cell.
                if !cells.cells().is_zero() {
                    decides += cells.cells().count() as u32;
                    let row = row as u32;
                    self.side_rows.push(SideRow { row, cells });
                }
            }
        }
        board.restore(&self.snapshot, lines);
        if !decided? {
            return Some(None);
        }
        Some(Some(Side {
            start: start as u32,
            end: self.side_rows.len() as u32,
            lines,
            decides,
        }))
    }

    /// Assigns the cells on which both sides of a cell agree, without settling lines, and marks those on which they disagree as followers.
    /// Returns whether the sides agree on any.
    fn compare_sides(&mut self, board: &mut Board<'_, W>, cell: Cell, sides: [Side; 2]) -> bool {
        let [filled, empty] = sides.map(|side| &self.side_rows[side.range()]);
        let mut has_agreement = false;
        let mut others = empty.iter().peekable();
        for &SideRow { row, cells } in filled {
            while others.next_if(|other| other.row < row).is_some() {}
            let Some(other) = others.next_if(|other| other.row == row) else {
                continue;
            };
            let other = other.cells;
            self.followers[row as usize] |= cells.filled & other.empty | cells.empty & other.filled;
            let common = Known {
                filled: cells.filled & other.filled,
                empty: cells.empty & other.empty,
            };
            let new = common.without(board.rows()[row as usize]);
            if !new.cells().is_zero() {
                if !has_agreement {
                    board.take_changed();
                    has_agreement = true;
                }
                board.assign_row(row as usize, new);
            }
        }
        // The sides disagree on the cell itself.
        self.followers[usize::from(cell.row)] &= !W::bit(usize::from(cell.column));
        has_agreement
    }

    /// Whether the cell is known to follow another one.
    fn is_follower(&self, cell: Cell) -> bool {
        self.followers[usize::from(cell.row)].has(usize::from(cell.column))
    }

    /// Records what a deduction has changed, at the fixpoint after it.
    fn end_deduction(&mut self, board: &mut Board<'_, W>) {
        let changed = board.take_changed();
        self.events.push(changed);
        board.update_snapshot(&mut self.snapshot, changed);
    }

    /// After a contradiction of one side: decides the other side permanently. Drops the cells of sides from `start` on.
    fn decide_other_side(
        &mut self,
        board: &mut Board<'_, W>,
        (cell, filled): (Cell, bool),
        start: usize,
        is_over: &mut impl FnMut() -> bool,
    ) -> Option<CellProbeResult> {
        self.side_rows.truncate(start);
        board.take_changed();
        if !board.decide_unless(cell, filled, is_over)? {
            return Some(CellProbeResult::Contradiction);
        }
        self.end_deduction(board);
        Some(CellProbeResult::Deduction)
    }
}

/// Score of a branch on a cell: both sides should decide many cells. The product of their numbers grows most with the smaller one;
/// look-ahead SAT solvers rank branches in this way (Heule and van Maaren, Look-Ahead Based SAT Solvers, in the Handbook of Satisfiability,
/// 2009). Of equal products, the one with the larger sum is better.
fn branch_score(decides: [u32; 2]) -> (u64, u64) {
    let [filled, empty] = decides.map(u64::from);
    (filled * empty, filled + empty)
}

#[cfg(test)]
mod tests;
