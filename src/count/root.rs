//! The root of a count: its known cells, and the components of the unknown cells. A root never changes; whoever finds cells makes a new one.

use super::components::{Component, ComponentFinder, PieceCache, UniqueTable};
use super::setup::Setup;
use crate::board::{Board, Clues, NodeProbeResult, Prober, Region, between_settles};
use crate::line::{Known, Word};
use crate::puzzle::{Cell, Grid};
use crate::run::{Control, Pace, Statistics};
use crate::sat::Backbone;

/// The root of a count.
#[derive(Debug)]
pub(crate) struct Root<W> {
    /// The known cells of each row.
    pub(crate) rows: Vec<Known<W>>,
    /// The components, the smallest first.
    pub(crate) components: Vec<Component<W>>,
}

/// What came of making a root.
#[derive(Debug)]
pub(crate) enum Opened<W> {
    Root(Root<W>),
    /// There is no solution.
    Contradiction,
    /// The run was stopped meanwhile.
    Stopped,
}

impl<W: Word> Root<W> {
    /// Propagates and probes the puzzle, with the decisions of the cube that is counted. Adds what that took to the statistics.
    pub(crate) fn open(
        setup: &Setup<'_>,
        clues: &Clues,
        numbers: &UniqueTable,
        control: &Control,
        statistics: &mut Statistics,
    ) -> Opened<W> {
        let mut board = Board::<W>::new(clues);
        let consistent = propagate_and_probe(setup, &mut board, control);
        statistics.settles += board.settles();
        if !consistent {
            return Opened::Contradiction;
        }
        Root::of(&board, numbers, control)
    }

    /// The root in which these cells are known too.
    pub(crate) fn with(
        &self,
        cells: &Backbone,
        clues: &Clues,
        numbers: &UniqueTable,
        control: &Control,
    ) -> Opened<W> {
        let mut board = Board::with_rows(clues, &self.rows);
        let rows = (0..clues.height()).map(|row| (row, cells.known_in_row(row)));
        match board.decide_all(rows, control) {
            Some(true) => Root::of(&board, numbers, control),
            Some(false) => Opened::Contradiction,
            None => Opened::Stopped,
        }
    }

    fn of(board: &Board<'_, W>, numbers: &UniqueTable, control: &Control) -> Opened<W> {
        if control.stopped() {
            return Opened::Stopped;
        }
        match components(board, numbers, control) {
            Some(components) => Opened::Root(Root {
                rows: board.rows().to_vec(),
                components,
            }),
            None => Opened::Stopped,
        }
    }

    /// The cells that are known to be filled.
    pub(crate) fn filled(&self, width: usize) -> Grid {
        let mut filled = Grid::new(width, self.rows.len());
        for (r, row) in self.rows.iter().enumerate() {
            row.filled.cells().for_each(|c| filled.set(r, c, true));
        }
        filled
    }

    /// Number of unknown cells.
    pub(crate) fn unknown(&self) -> usize {
        let sizes = self.components.iter();
        sizes.map(|component| component.size as usize).sum()
    }
}

/// Propagates the board of a puzzle, and probes it as far as the options allow. `false` on a contradiction; `true` also when the run was
/// stopped.
fn propagate_and_probe<W: Word>(
    setup: &Setup<'_>,
    board: &mut Board<'_, W>,
    control: &Control,
) -> bool {
    let (rows, columns) = setup.puzzle.sums();
    // A settle reads a few words for each block of the line.
    let (mut pace, settle_cost) = (Pace::new(control), W::BITS as u64);
    let propagated = board.propagate_unless(|| pace.spend(settle_cost));
    if rows != columns || propagated == Some(false) {
        return false;
    }
    if propagated.is_none() {
        return true;
    }
    match board.follow(setup.cube.decisions(), || pace.spend(settle_cost)) {
        Some(true) => {}
        Some(false) => return false,
        None => return true,
    }
    let limit = board.settles() + setup.options.max_probing_settles;
    let mut settles = board.settles();
    let region = Region::whole(board);
    let is_over = between_settles::<W>(control);
    let probed = Prober::default().probe(board, &region, None, is_over, |board| {
        let since = board.settles() - std::mem::replace(&mut settles, board.settles());
        pace.spend(since * settle_cost) || board.settles() >= limit
    });
    !matches!(probed, NodeProbeResult::Contradiction)
}

/// The components of a board, the smallest first; `None` when the run was stopped meanwhile.
pub(crate) fn components<W: Word>(
    board: &Board<'_, W>,
    numbers: &UniqueTable,
    control: &Control,
) -> Option<Vec<Component<W>>> {
    let (width, height) = (board.clues().width(), board.clues().height());
    let rows: Vec<_> = (0..height).map(|row| (row as u16, W::low(width))).collect();
    let mut lines = PieceCache::new(width + height, u64::MAX);
    let mut components = Vec::new();
    let mut pace = Pace::new(control);
    let mut splitter = ComponentFinder::new(width, height);
    splitter.split(
        board,
        &rows,
        &mut lines,
        numbers,
        &mut components,
        &mut pace,
    )?;
    components.sort_by_key(|component| component.size);
    Some(components)
}

/// The cells of a component, in reading order.
pub(crate) fn cells_of<W: Word>(component: &Component<W>) -> Vec<Cell> {
    let row = |&(row, cells): &(u16, W)| {
        let cells = cells.cells();
        cells.map(move |column| Cell::new(row.into(), column))
    };
    component.rows.iter().flat_map(row).collect()
}
