//! Examines a node: applies the facts of the SAT solver, probes, splits into regions, looks up small subproblems, or chooses a cell.

use std::sync::Arc;

use super::super::options::Probing;
use super::node::Finding;
use super::state::{Task, poll};
use super::subproblem_cache;
use crate::board::{Board, NodeProbeResult, Region, between_settles, split_unless};
use crate::line::{Known, Word};
use crate::puzzle::Cell;
use crate::run::Pace;

impl<W: Word> Task<'_, '_, W> {
    /// Examines the present node.
    pub(super) fn examine(&mut self) -> Finding<W> {
        if !self.is_consistent || self.context().target.is_closed() {
            return Finding::DeadEnd;
        }
        match self.apply_facts() {
            Some(true) => {}
            Some(false) => return Finding::DeadEnd,
            None => return Finding::Stopped,
        }
        if self.open_cells() == 0 {
            return Finding::Leaf;
        }
        let is_root_of_cube = self.fewest_open_cells == usize::MAX;
        let probing = match self.shared.options.probing {
            Probing::Always => true,
            Probing::Never => false,
            Probing::Root => is_root_of_cube,
            Probing::Adaptive => self.policy.is_probing() || self.force_probe,
        };
        let mut best_cell = None;
        if probing {
            match self.probe() {
                NodeProbeResult::Contradiction => return Finding::DeadEnd,
                NodeProbeResult::Stopped => return Finding::Stopped,
                NodeProbeResult::Fixpoint(inherited, cell) => {
                    self.inherited = Some(inherited);
                    best_cell = cell;
                }
            }
            if let Some(portfolio) = &self.shared.portfolio
                && self.is_root_of_tree()
            {
                portfolio.add_root_cells(&self.board);
            }
            if self.open_cells() == 0 {
                return Finding::Leaf;
            }
        }
        let open = self.open_cells();
        // Compared with probing, looking for regions is cheap. Without probing it pays only if many cells are unknown, but at most half as
        // many as at any node before on the path.
        let is_split_due = if probing {
            open < self.fewest_open_cells
        } else {
            open <= self.fewest_open_cells / 2
                && (is_root_of_cube || open >= self.shared.options.fewest_cells_to_split)
        };
        self.fewest_open_cells = self.fewest_open_cells.min(open);
        if self.shared.options.regions && is_split_due {
            let region = Arc::clone(&self.context().region);
            let mut pace = Pace::new(&self.shared.control);
            // If it is stopped, the node is treated as one region, and the search loop hands it back.
            let regions = split_unless(&mut self.board, &region, || pace.spend(W::BITS as u64));
            if let Some(regions) = regions.filter(|regions| regions.len() > 1) {
                return Finding::Regions(regions);
            }
        }
        if open <= subproblem_cache::MAX_CELLS
            && let Some(finding) = self.small_subproblem()
        {
            return finding;
        }
        Finding::Branch(best_cell.unwrap_or_else(|| self.narrowest_cell()))
    }

    fn probe(&mut self) -> NodeProbeResult {
        let settles_before = self.board.settles();
        let region = Arc::clone(&self.context().region);
        let (shared, turns, is_root_of_tree) = (self.shared, self.turns, self.is_root_of_tree());
        let (unknown, settles_at_poll) = (self.board.unknown(), &mut self.settles_at_poll);
        let stop = |board: &Board<'_, W>| {
            let settles = board.settles() - *settles_at_poll;
            if settles >= shared.settles_per_poll {
                *settles_at_poll = board.settles();
                if let Some(portfolio) = shared.portfolio.as_ref().filter(|_| is_root_of_tree) {
                    portfolio.add_root_cells(board);
                }
                poll(shared, turns, settles);
            }
            shared.control.stopped()
        };
        let is_over = between_settles::<W>(&shared.control);
        let (prober, inherited) = (&mut self.prober, self.inherited);
        let probed = prober.probe(&mut self.board, &region, inherited, is_over, stop);
        let decided =
            matches!(probed, NodeProbeResult::Contradiction) || self.board.unknown() < unknown;
        let spent = self.board.settles() - settles_before;
        self.policy.record_probe(spent, decided);
        probed
    }

    /// Whether the present node is the root of the tree, so that its known cells are the same in every solution.
    fn is_root_of_tree(&self) -> bool {
        self.path.is_empty() && self.stack.is_empty()
    }

    /// Decides the cells of the region that the SAT solver has fixed; `Some(false)` is a contradiction, `None` the end of the run.
    fn apply_facts(&mut self) -> Option<bool> {
        let portfolio = self.shared.portfolio.as_ref();
        let Some(facts) = portfolio.and_then(|portfolio| portfolio.facts::<W>()) else {
            return Some(true);
        };
        let region = Arc::clone(&self.context().region);
        self.board.take_changed();
        let facts = region.rows().map(|(row, cells)| {
            let fact = facts(row);
            let fact_in_region = Known {
                filled: fact.filled & cells,
                empty: fact.empty & cells,
            };
            (row, fact_in_region)
        });
        let is_consistent = self.board.decide_all(facts, &self.shared.control);
        let changed = self.board.take_changed();
        self.inherited = self.inherited.map(|inherited| inherited.after(changed));
        is_consistent
    }

    /// The cell to branch on at a node that is not probed.
    pub(super) fn narrowest_cell(&self) -> Cell {
        narrowest_cell(&self.board, &self.context().region)
    }
}

/// A cheap choice of the cell to branch on, for nodes that are not probed. Takes the line through the region with the fewest unknown cells,
/// and on that line the unknown cell whose crossing line has the fewest. The region must have an unknown cell.
pub(crate) fn narrowest_cell<W: Word>(board: &Board<'_, W>, region: &Region<W>) -> Cell {
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
