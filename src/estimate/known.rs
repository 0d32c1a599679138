//! What is known before the first dive: a solution, the cells that are the same in all, and the number itself where it is soon counted.

use std::sync::Arc;
use std::time::Duration;

use crate::board::{Board, Cell, Region};
use crate::count::Counter;
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle, verify};
use crate::run::{Control, Limits, shares};
use crate::search::{Cube, Decision, Outcome, Search, Total};
use crate::solutions::Count;

/// Conflicts that the backbone may take.
const EFFORT: u64 = 2000;

/// The goal of the puzzle's file, where it is a solution.
pub(super) fn goal(puzzle: &Puzzle) -> Option<Arc<Grid>> {
    let goal = puzzle.notes().goal.as_ref()?;
    verify(puzzle, goal).is_ok().then(|| Arc::new(goal.clone()))
}

/// Takes the backbone out, as far as it is soon found. `None` when that contradicts; else a solution, if one was met.
pub(super) fn backbone<W: Word>(
    puzzle: &Puzzle,
    board: &mut Board<'_, W>,
    limits: &Limits,
) -> (Option<Option<Arc<Grid>>>, Outcome) {
    let control = Arc::new(Control::new(limits, false));
    // Several engines side by side would do several times the work.
    let search = Search::new(puzzle).alone().limits(limits.clone());
    let (backbone, mut found, outcome) =
        search.backbone_under(&control, Some(EFFORT), rayon::current_num_threads());
    if outcome.solutions == Total::Exactly(Count::ZERO) {
        return (None, outcome);
    }
    let row = |row| Known {
        filled: W::from_parts(backbone.filled.row(row)),
        empty: W::from_parts(backbone.empty.row(row)),
    };
    let alive = board.decide_all((0..puzzle.height()).map(|r| (r, row(r))));
    let witness = found.pop().map(Arc::new);
    (alive.then_some(witness), outcome)
}

/// The number of fillings of a region, or at least how many, counted within `limits` and with all other cells as in a solution: where there
/// are others, there must be one.
pub(super) fn count<W: Word>(
    puzzle: &Puzzle,
    board: &Board<'_, W>,
    region: &Region<W>,
    witness: Option<&Grid>,
    limits: &Limits,
) -> Total {
    let (width, height) = (puzzle.width(), puzzle.height());
    let cells = (0..height).flat_map(|row| (0..width).map(move |column| Cell::new(row, column)));
    let others = cells.filter(|&cell| !region.has(cell));
    let decide = |cell: Cell| {
        let filled = || Some(witness?.get(cell.row.into(), cell.column.into()));
        let filled = board.known(cell).or_else(filled)?;
        Some(Decision { cell, filled })
    };
    let Some(path) = others.map(decide).collect() else {
        return Total::AtLeast(Count::ZERO);
    };
    let cube = Cube { path };
    let counting = Counter::new(puzzle).limits(limits.clone()).within(cube);
    counting.run().solutions
}

/// Decides the cells of a region as in a solution.
pub(super) fn fill<W: Word>(board: &mut Board<'_, W>, region: &Region<W>, solution: &Grid) {
    let cells: Vec<Cell> = region.unknown(board).collect();
    for cell in cells {
        let filled = solution.get(cell.row.into(), cell.column.into());
        let alive = !board.is_unknown(cell) || board.decide(cell, filled);
        debug_assert!(alive, "a solution contradicts nothing");
    }
}

/// The longest time for the backbone, and for counting a region: whoever interrupts a long run has dives by then.
const MOST: Duration = Duration::from_secs(5);

/// A part of the limits: this time, but not more than [`MOST`], half of the memory, and a share of the nodes.
pub(super) fn part(limits: &Limits, time: Option<Duration>, share: u64) -> Limits {
    Limits {
        time: time.map(|time| time.min(MOST)),
        nodes: limits.nodes.map(|nodes| nodes / share),
        memory: limits.memory.map(|memory| memory / shares::KNOWN),
        ..limits.clone()
    }
}
