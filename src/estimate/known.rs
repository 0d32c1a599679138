//! Exact results before the first particle: a solution, the backbone, and the counts of regions that are quickly counted.

use std::sync::Arc;
use std::time::Duration;

use super::exact::apply;
use crate::board::{Board, Region};
use crate::count::Counter;
use crate::line::Word;
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::run::{Control, Limits, memory_plan};
use crate::search::{Cube, Effort, Outcome, Search, Total};
use crate::solutions::Count;

/// Maximum ticks of the SAT solver for the backbone, where there is no limit on time.
const MAX_BACKBONE_TICKS: u64 = 4_000_000;

/// Decides the backbone cells that are found within the limits. `None` if there is no solution; else a solution, if one was found.
pub(super) fn decide_backbone<W: Word>(
    puzzle: &Puzzle,
    board: &mut Board<'_, W>,
    limits: &Limits,
) -> (Option<Option<Arc<Grid>>>, Outcome) {
    let control = Arc::new(Control::new(limits, false));
    // A portfolio of several engines would multiply the work.
    let search = Search::new(puzzle).single_threaded().limits(limits.clone());
    let effort = Effort {
        ticks: limits.time.is_none().then_some(MAX_BACKBONE_TICKS),
        solvers: 1,
    };
    let (backbone, mut found, outcome) = search.backbone_under(&control, effort, None);
    if outcome.solutions == Total::Exactly(Count::ZERO) {
        return (None, outcome);
    }
    let rows = (0..puzzle.height()).map(|row| (row, backbone.known_in_row(row)));
    // If the run has ended, nothing is estimated.
    let is_consistent = board.decide_all(rows, &control) != Some(false);
    let witness = found.pop().map(Arc::new);
    (is_consistent.then_some(witness), outcome)
}

/// The number of fillings of a region, or a lower bound, counted within `limits`. Other cells, if unknown, are as in the
/// witness; without one the number is then at least 0.
pub(super) fn count_region<W: Word>(
    puzzle: &Puzzle,
    board: &Board<'_, W>,
    region: &Region<W>,
    witness: Option<&Grid>,
    limits: &Limits,
) -> Total {
    let cells = (0..puzzle.height())
        .flat_map(|row| (0..puzzle.width()).map(move |column| Cell::new(row, column)));
    let path: Option<Vec<(Cell, bool)>> = cells
        .filter(|&cell| !region.has(cell))
        .map(|cell| {
            let in_witness = || Some(cell.is_filled_in(witness?));
            Some((cell, board.known(cell).or_else(in_witness)?))
        })
        .collect();
    let Some(path) = path else {
        return Total::AtLeast(Count::ZERO);
    };
    let counter = Counter::new(puzzle).limits(limits.clone());
    counter.within(Cube::of(path)).run().solutions
}

/// Decides the cells of a region as in a solution.
pub(super) fn apply_solution<W: Word>(
    board: &mut Board<'_, W>,
    region: &Region<W>,
    solution: &Grid,
) {
    let cells: Vec<Cell> = region.unknown(board).collect();
    let filling = cells.into_iter();
    apply(
        board,
        filling.map(|cell| (cell, cell.is_filled_in(solution))),
    );
}

/// Maximum time for counting a region, so that an interrupted long run has particles by then.
pub(super) const MAX_COUNT_TIME: Duration = Duration::from_secs(5);

/// Limits for a subtask: this time, a fixed share of the memory, and `1/divisor` of the nodes.
pub(super) fn sub_limits(limits: &Limits, time: Option<Duration>, divisor: u64) -> Limits {
    let nodes = limits.nodes.map(|nodes| nodes / divisor);
    let memory = limits.memory.map(|memory| memory_plan::EXACT.of(memory));
    limits.clone().time(time).nodes(nodes).memory(memory)
}
