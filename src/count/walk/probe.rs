//! Probes the sides of branches, and selects the next cell by the result.

use super::walker::Walker;
use crate::board::{Board, NodeProbeResult, Region, between_settles};
use crate::count::components::Component;
use crate::line::Word;
use crate::puzzle::Cell;

impl<W: Word> Walker<'_, '_, W> {
    /// The cell of a component to branch on: the one for which the product of the numbers of cells that its two sides decide is largest. If
    /// there is no cell of which both sides decide others, or the component is too small to be probed, it is the narrowest cell: where little
    /// follows from a decision, components recur if lines are finished one after the other.
    pub(super) fn pick(&mut self, component: &Component<W>) -> Cell {
        let region = region(component);
        let probed = self.top().probed;
        let probed = probed.filter(|&probed| !self.prober.is_loose(probed, &region));
        let best = probed.and_then(|probed| self.prober.best(probed, &region));
        best.unwrap_or_else(|| narrowest(&self.board, component))
    }

    /// Probes the side of the top frame, which has just been decided, unless the component is small. `false` when the side has no solution
    /// or the run was stopped.
    pub(super) fn probe(&mut self) -> bool {
        let changed = self.board.take_changed();
        let top = self.frames.last().expect("a side belongs to a frame");
        if top.component.size < self.crew.options.min_probed_cells {
            return true;
        }
        let (region, settle_cost) = (region(&top.component), W::BITS as u64);
        // The records of the frame above hold on this side too, except for the lines that the decision has changed.
        let above = self.frames.len().checked_sub(2);
        let inherited = above.and_then(|above| self.frames[above].probed);
        let inherited = inherited.map(|inherited| inherited.after(changed));
        let (pace, mut settles) = (&mut self.pace, self.board.settles());
        let stop = |board: &Board<'_, W>| {
            let since = board.settles() - std::mem::replace(&mut settles, board.settles());
            pace.spend(since * settle_cost)
        };
        let is_over = between_settles::<W>(&self.crew.control);
        match (self.prober).probe(&mut self.board, &region, inherited, is_over, stop) {
            NodeProbeResult::Contradiction => self.statistics.dead_ends += 1,
            NodeProbeResult::Stopped => {}
            NodeProbeResult::Fixpoint(records, _) => {
                self.top().probed = Some(records);
                return true;
            }
        }
        false
    }
}

/// The cells of a component.
fn region<W: Word>(component: &Component<W>) -> Region<W> {
    let rows = component.rows.iter();
    Region::of_rows(rows.map(|&(row, cells)| (row.into(), cells)))
}

/// The cell whose row and column have the fewest unknown cells.
fn narrowest<W: Word>(board: &Board<'_, W>, component: &Component<W>) -> Cell {
    let rows = || {
        component
            .rows
            .iter()
            .map(|&(row, cells)| (usize::from(row), cells))
    };
    // The unknown cells of each column are counted once, because a component has many more cells than columns.
    let columns = rows().fold(W::ZERO, |columns, (_, cells)| columns | cells);
    let mut in_columns = vec![0; board.clues().width()];
    columns.cells().for_each(|column| {
        in_columns[column] = board.unknown_in_column(column).count();
    });
    let narrowest = rows().flat_map(|(row, cells)| {
        let in_row = board.unknown_in_row(row).count();
        let narrowest = cells.cells().min_by_key(|&column| in_columns[column]);
        narrowest.map(|column| (in_row + in_columns[column], row, column))
    });
    let (_, row, column) = narrowest.min().expect("a component has a cell");
    Cell::new(row, column)
}
