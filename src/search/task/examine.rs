//! What is to be done at a node: facts are obeyed, cells probed, regions and small rests looked for, and where something stays open
//! all the same, a cell is chosen to branch on.

use std::sync::Arc;

use super::super::options::Probing;
use super::node::Finding;
use super::state::{Task, breathe};
use super::subproblem_cache;
use crate::board::{Board, Cell, Probed, Region, split_unless};
use crate::line::{Known, Word};
use crate::run::Pace;

impl<W: Word> Task<'_, '_, W> {
    /// What is to be done at this node.
    pub(super) fn examine(&mut self) -> Finding<W> {
        if !self.alive || self.context().goal.is_closed() {
            return Finding::DeadEnd;
        }
        if !self.obey_facts() {
            return Finding::DeadEnd;
        }
        if self.open_cells() == 0 {
            return Finding::Leaf;
        }
        let at_root = self.split_at == usize::MAX;
        let probing = match self.shared.options.probing {
            Probing::Always => true,
            Probing::Never => false,
            Probing::Root => at_root,
            Probing::Adaptive => self.policy.probing() || self.insist,
        };
        let mut best = None;
        if probing {
            match self.probe() {
                Probed::Contradiction => return Finding::DeadEnd,
                Probed::Stopped => return Finding::Stopped,
                Probed::Fixpoint(inherited, cell) => {
                    self.inherited = Some(inherited);
                    best = cell;
                }
            }
            if let Some(portfolio) = self.shared.portfolio.as_ref().filter(|_| self.is_at_base()) {
                portfolio.tell(&self.board);
            }
            if self.open_cells() == 0 {
                return Finding::Leaf;
            }
        }
        let open = self.open_cells();
        // After probing a look for regions costs little; else it is worth it only where much is left, and much less than last time.
        let due = match probing {
            true => open < self.split_at,
            false => {
                open <= self.split_at / 2
                    && (at_root || open >= self.shared.options.fewest_cells_to_split)
            }
        };
        if self.shared.options.regions && due {
            self.split_at = open;
            let region = Arc::clone(&self.context().region);
            let mut pace = Pace::new(&self.shared.control);
            let stop = || pace.spend(W::BITS as u64);
            // Where it was stopped in the middle the node is handed back as a whole.
            let regions = split_unless(&mut self.board, &region, stop).unwrap_or_default();
            if regions.len() > 1 {
                return Finding::Regions(regions);
            }
        }
        self.split_at = self.split_at.min(open);
        if open <= subproblem_cache::CELLS
            && let Some(finding) = self.rest()
        {
            return finding;
        }
        Finding::Branch(best.unwrap_or_else(|| self.narrowest()))
    }

    fn probe(&mut self) -> Probed {
        let began = self.board.settles();
        let region = Arc::clone(&self.context().region);
        let (shared, turns, base) = (self.shared, self.turns, self.is_at_base());
        let (unknown, looked) = (self.board.unknown(), &mut self.looked);
        let stop = |board: &Board<'_, W>| {
            let settles = board.settles() - *looked;
            if settles >= shared.breath {
                *looked = board.settles();
                if let Some(portfolio) = shared.portfolio.as_ref().filter(|_| base) {
                    portfolio.tell(board);
                }
                breathe(shared, turns, settles);
            }
            shared.control.stopped()
        };
        let probed = self
            .prober
            .probe(&mut self.board, &region, self.inherited, stop);
        let decided = match probed {
            Probed::Contradiction => true,
            Probed::Stopped | Probed::Fixpoint(..) => self.board.unknown() < unknown,
        };
        self.policy.probed(self.board.settles() - began, decided);
        probed
    }

    /// Is this the root, where everything known holds in every solution?
    fn is_at_base(&self) -> bool {
        self.path.is_empty() && self.stack.is_empty()
    }

    /// Decides what clause learning has found out; `false` is a contradiction.
    fn obey_facts(&mut self) -> bool {
        let Some(facts) = self
            .shared
            .portfolio
            .as_ref()
            .and_then(|portfolio| portfolio.facts::<W>())
        else {
            return true;
        };
        let region = Arc::clone(&self.context().region);
        self.board.take_changed();
        let alive = self.board.decide_all(region.rows().map(|(row, cells)| {
            let fact = facts(row);
            let here = Known {
                filled: fact.filled & cells,
                empty: fact.empty & cells,
            };
            (row, here)
        }));
        let changed = self.board.take_changed();
        self.inherited = self.inherited.map(|inherited| inherited.after(changed));
        alive
    }

    /// The unknown cell to branch on at a node that is not probed.
    pub(super) fn narrowest(&self) -> Cell {
        narrowest(&self.board, &self.context().region)
    }
}

/// The unknown cell of the region's narrowest line, the one with fewest unknown cells, where the narrowest line crosses it: cheap, for
/// nodes that are not probed. There must be one.
pub(crate) fn narrowest<W: Word>(board: &Board<'_, W>, region: &Region<W>) -> Cell {
    let in_row = |row: usize| board.unknown_in_row(row).count();
    let in_column = |column: usize| board.unknown_in_column(column).count();
    let open = || {
        region
            .rows()
            .map(|(row, cells)| (row, cells & board.unknown_in_row(row)))
    };
    let columns = open().fold(W::ZERO, |columns, (_, cells)| columns | cells);
    let row = open()
        .filter(|(_, cells)| !cells.is_zero())
        .min_by_key(|&(row, _)| in_row(row));
    let column = columns.cells().min_by_key(|&column| in_column(column));
    let (Some((row, cells)), Some(column)) = (row, column) else {
        unreachable!("an open node has an unknown cell");
    };
    if in_row(row) <= in_column(column) {
        let column = cells.cells().min_by_key(|&column| in_column(column));
        Cell::new(row, column.expect("the row has an unknown cell"))
    } else {
        let rows = open().filter(|(_, cells)| cells.has(column));
        let row = rows.min_by_key(|&(row, _)| in_row(row));
        Cell::new(row.expect("the column has an unknown cell").0, column)
    }
}
