//! Examining a node: apply the facts of the SAT solver, probe, split into regions, look up small subproblems, and if cells stay unknown,
//! choose the one to branch on.

use std::sync::Arc;

use super::super::options::Probing;
use super::node::Finding;
use super::state::{Task, poll};
use super::subproblem_cache;
use crate::board::{Board, Cell, Probed, Region, split_unless};
use crate::line::{Known, Word};
use crate::run::Pace;

impl<W: Word> Task<'_, '_, W> {
    /// Examines the present node.
    pub(super) fn examine(&mut self) -> Finding<W> {
        if !self.is_consistent || self.context().goal.is_closed() {
            return Finding::DeadEnd;
        }
        if !self.apply_facts() {
            return Finding::DeadEnd;
        }
        if self.open_cells() == 0 {
            return Finding::Leaf;
        }
        let at_root = self.cells_at_split_check == usize::MAX;
        let probing = match self.shared.options.probing {
            Probing::Always => true,
            Probing::Never => false,
            Probing::Root => at_root,
            Probing::Adaptive => self.policy.is_probing() || self.force_probe,
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
            if let Some(portfolio) = self.shared.portfolio.as_ref().filter(|_| self.is_at_root()) {
                portfolio.add_root_cells(&self.board);
            }
            if self.open_cells() == 0 {
                return Finding::Leaf;
            }
        }
        let open = self.open_cells();
        // Compared with probing, the search for regions is cheap. Without probing it pays only where many cells are unknown, and at most
        // half of those at the last check.
        let due = match probing {
            true => open < self.cells_at_split_check,
            false => {
                open <= self.cells_at_split_check / 2
                    && (at_root || open >= self.shared.options.fewest_cells_to_split)
            }
        };
        if self.shared.options.regions && due {
            self.cells_at_split_check = open;
            let region = Arc::clone(&self.context().region);
            let mut pace = Pace::new(&self.shared.control);
            let stop = || pace.spend(W::BITS as u64);
            // Stopped midway, the node counts as one region; the next check of the control hands it back.
            let regions = split_unless(&mut self.board, &region, stop).unwrap_or_default();
            if regions.len() > 1 {
                return Finding::Regions(regions);
            }
        }
        self.cells_at_split_check = self.cells_at_split_check.min(open);
        if open <= subproblem_cache::MAX_CELLS
            && let Some(finding) = self.small_subproblem()
        {
            return finding;
        }
        Finding::Branch(best.unwrap_or_else(|| self.narrowest()))
    }

    fn probe(&mut self) -> Probed {
        let settles_before = self.board.settles();
        let region = Arc::clone(&self.context().region);
        let (shared, turns, at_root) = (self.shared, self.turns, self.is_at_root());
        let (unknown, polled_at) = (self.board.unknown(), &mut self.polled_at);
        let stop = |board: &Board<'_, W>| {
            let settles = board.settles() - *polled_at;
            if settles >= shared.settles_per_poll {
                *polled_at = board.settles();
                if let Some(portfolio) = shared.portfolio.as_ref().filter(|_| at_root) {
                    portfolio.add_root_cells(board);
                }
                poll(shared, turns, settles);
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
        self.policy
            .record_probe(self.board.settles() - settles_before, decided);
        probed
    }

    /// Whether the present node is the root of the tree, where known cells hold in every solution.
    fn is_at_root(&self) -> bool {
        self.path.is_empty() && self.stack.is_empty()
    }

    /// Decides the cells fixed by the SAT solver; `false` on a contradiction.
    fn apply_facts(&mut self) -> bool {
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
        let is_consistent = self.board.decide_all(region.rows().map(|(row, cells)| {
            let fact = facts(row);
            let here = Known {
                filled: fact.filled & cells,
                empty: fact.empty & cells,
            };
            (row, here)
        }));
        let changed = self.board.take_changed();
        self.inherited = self.inherited.map(|inherited| inherited.after(changed));
        is_consistent
    }

    /// The cell to branch on at a node that is not probed.
    pub(super) fn narrowest(&self) -> Cell {
        narrowest(&self.board, &self.context().region)
    }
}

/// An unknown cell of the region: on its line with the fewest unknown cells, where the crossing line with the fewest crosses it. A cheap
/// choice for nodes that are not probed. The region must have an unknown cell.
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
