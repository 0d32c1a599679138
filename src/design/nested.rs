//! Solving by probing, and by probing within probing.
//!
//! *Depth 1*: every unknown cell is tried both ways with line solving, until no more cells are decided, as [`Prober`] does. *Depth 2*: a
//! cell is tried, and probing of depth 1 follows; if that ends in a contradiction, the cell has the other value.

use super::rounds::Ended;
use crate::board::{Board, NodeProbeResult, NodeRecords, Prober, Region, between_settles};
use crate::line::Word;
use crate::puzzle::Cell;
use crate::run::Control;

/// A board that is probed at growing depth.
#[derive(Debug)]
pub(super) struct Nested<'b, 'p, W> {
    pub(super) board: &'b mut Board<'p, W>,
    region: Region<W>,
    prober: Prober<W>,
    inherited: Option<NodeRecords>,
    control: &'b Control,
    /// Number of probes, of any depth, that decided a cell for good.
    pub(super) probes: u64,
}

impl<'b, 'p, W: Word> Nested<'b, 'p, W> {
    /// The board must be at a propagation fixpoint.
    pub(super) fn new(board: &'b mut Board<'p, W>, control: &'b Control) -> Self {
        let region = Region::whole(board);
        Nested {
            board,
            region,
            prober: Prober::default(),
            inherited: None,
            control,
            probes: 0,
        }
    }

    /// Probes at depth 1 until no more cells are decided.
    pub(super) fn probe(&mut self) -> Ended {
        let before = self.prober.deductions();
        let probed = self.probe_from(self.inherited);
        self.probes += self.prober.deductions() - before;
        match probed {
            NodeProbeResult::Contradiction => Ended::Contradiction,
            NodeProbeResult::Stopped => Ended::Stopped,
            NodeProbeResult::Fixpoint(inherited, _) => {
                // Drops the records of earlier fixpoints, so that they cannot pile up.
                let branch = self.prober.branch(inherited);
                let (prober, inherited) = branch.expect("all records are kept");
                (self.prober, self.inherited) = (prober, Some(inherited));
                Ended::Fixpoint
            }
        }
    }

    /// Probes at depth 2 until no more cells are decided. [`Nested::probe`] must have reached its fixpoint.
    pub(super) fn probe_within(&mut self) -> Ended {
        let cells: Vec<Cell> = self.region.unknown(self.board).collect();
        // One round without a deduction is a fixpoint.
        let (mut i, mut unchanged) = (0, 0);
        while unchanged < cells.len() && self.board.unknown() > 0 {
            let cell = cells[i];
            i = (i + 1) % cells.len();
            unchanged += 1;
            for filled in [true, false] {
                if !self.board.is_unknown(cell) {
                    break;
                }
                match self.fails(cell, filled) {
                    None => return Ended::Stopped,
                    Some(false) => {}
                    Some(true) => {
                        self.probes += 1;
                        unchanged = 0;
                        self.board.take_changed();
                        match self.board.decide_under(cell, !filled, self.control) {
                            Some(true) => {}
                            Some(false) => return Ended::Contradiction,
                            None => return Ended::Stopped,
                        }
                        let changed = self.board.take_changed();
                        self.inherited = self.inherited.map(|inherited| inherited.after(changed));
                        let ended = self.probe();
                        if ended != Ended::Fixpoint {
                            return ended;
                        }
                    }
                }
            }
        }
        Ended::Fixpoint
    }

    /// Whether probing contradicts this value of a cell; the board is unchanged. `None` if the run has ended.
    fn fails(&mut self, cell: Cell, filled: bool) -> Option<bool> {
        let (on_board, in_prober) = (self.board.mark(), self.prober.mark());
        self.board.take_changed();
        let mut fails = (self.board.decide_under(cell, filled, self.control)).map(|alive| !alive);
        if fails == Some(false) {
            let changed = self.board.take_changed();
            let inherited = self.inherited.map(|inherited| inherited.after(changed));
            fails = match self.probe_from(inherited) {
                NodeProbeResult::Contradiction => Some(true),
                NodeProbeResult::Stopped => None,
                NodeProbeResult::Fixpoint(..) => Some(false),
            };
        }
        self.board.undo(on_board);
        self.prober.backtrack(in_prober);
        fails
    }

    fn probe_from(&mut self, inherited: Option<NodeRecords>) -> NodeProbeResult {
        let control = self.control;
        let is_over = between_settles::<W>(control);
        // A probe counts as a node.
        let stop = |_: &Board<'_, W>| control.poll() || control.reserve_nodes(1) == 0;
        (self.prober).probe(self.board, &self.region, inherited, is_over, stop)
    }
}
