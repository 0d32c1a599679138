//! Probes the sides of branches under the orders that probe, and selects the next cell by the result.

use super::order::Order;
use super::worker::Worker;
use crate::board::{Board, Cell, Probed, Region, between_settles};
use crate::count::components::Component;
use crate::line::Word;

impl<W: Word> Worker<'_, '_, W> {
    /// The cell of a component to branch on.
    pub(crate) fn pick(&mut self, component: &Component<W>) -> Cell {
        let probed = self.top().probed.filter(|_| self.order.probes());
        let best = probed.and_then(|probed| {
            let cells = match self.order {
                Order::Dissected => Region::of_rows(self.ranks.first_line(component)),
                _ => region(component),
            };
            self.prober.best(probed, &cells)
        });
        best.unwrap_or_else(|| self.order.pick(&self.board, component, &self.ranks))
    }

    /// Probes the side of the top frame, which has just been decided, unless the component is small. `false` when the side has no solution
    /// or the run was stopped.
    pub(crate) fn probe(&mut self) -> bool {
        let changed = self.board.take_changed();
        let top = self.frames.last().expect("a side belongs to a frame");
        if top.component.size < self.shared.options.min_probed_cells {
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
        let is_over = between_settles::<W>(&self.shared.control);
        match (self.prober).probe(&mut self.board, &region, inherited, is_over, stop) {
            Probed::Contradiction => self.statistics.dead_ends += 1,
            Probed::Stopped => {}
            Probed::Fixpoint(records, _) => {
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
