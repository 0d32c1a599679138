//! The root of a count: its known cells, and the components of the unknown ones.

use super::components::{Component, ComponentFinder, PieceCache, UniqueTable};
use super::setup::Setup;
use crate::board::{Board, Cell, Probed, Prober, Region, between_settles};
use crate::line::Word;
use crate::run::{Control, Pace};
use crate::sat::Backbone;

/// Propagates the root, and probes it or takes over the cells that an earlier process has found so. `false` on a contradiction.
pub(crate) fn propagate_root<W: Word>(
    setup: &Setup<'_>,
    board: &mut Board<'_, W>,
    control: &Control,
    cells_found: Option<&Backbone>,
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
    if let Some(cells) = cells_found {
        let height = setup.puzzle.height();
        let rows = (0..height).map(|row| (row, cells.known_in_row(row)));
        // If the run has ended, nothing is counted.
        return board.decide_all(rows, control) != Some(false);
    }
    let limit = board.settles() + setup.options.max_probing_settles;
    let mut settles = board.settles();
    let region = Region::whole(board);
    let is_over = between_settles::<W>(control);
    let probed = Prober::default().probe(board, &region, None, is_over, |board| {
        let since = board.settles() - std::mem::replace(&mut settles, board.settles());
        pace.spend(since * settle_cost) || board.settles() >= limit
    });
    !matches!(probed, Probed::Contradiction)
}

/// The components of the root, the smallest first; `None` when the run was stopped meanwhile.
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

/// The cells that are known on a board.
pub(crate) fn known_cells<W: Word>(board: &Board<'_, W>) -> Backbone {
    let mut cells = Backbone::unknown(board.clues().width(), board.clues().height());
    for (r, row) in board.rows().iter().enumerate() {
        row.filled
            .cells()
            .for_each(|c| cells.filled.set(r, c, true));
        row.empty.cells().for_each(|c| cells.empty.set(r, c, true));
    }
    cells
}

/// The cells of a component, in reading order.
pub(crate) fn cells_of<W: Word>(component: &Component<W>) -> Vec<Cell> {
    let row = |&(row, cells): &(u16, W)| {
        let cells = cells.cells();
        cells.map(move |column| Cell::new(row.into(), column))
    };
    component.rows.iter().flat_map(row).collect()
}
