//! Steps that no single line gives: a cell is tried, and lines follow from it.

use std::collections::VecDeque;

use super::super::rounds::dirty_lines;
use crate::board::{Board, Region, between_settles};
use crate::line::{Known, Word};
use crate::puzzle::Cell;
use crate::run::{Control, Pace};

/// What trying cells has found.
#[derive(Clone, Debug)]
pub(super) enum Trial {
    /// This value of a cell leads to a contradiction through these lines, the last of which has no arrangement.
    Contradiction(Cell, bool, Vec<usize>),
    /// Either value of this cell leads to these other cells.
    EitherWay(Cell, Vec<(Cell, bool)>),
    /// Nothing is decided.
    Nothing,
}

/// Of all contradictions the one with the fewest lines, the first in reading order, filled before empty; if there is none, the cell for
/// which most follows either way. The board must be at a fixpoint and is unchanged. `None` if the run has ended.
pub(super) fn best<W: Word>(board: &mut Board<'_, W>, control: &Control) -> Option<Trial> {
    let cells: Vec<Cell> = Region::whole(board).unknown(board).collect();
    let mut shortest: Option<(Cell, bool, Vec<usize>)> = None;
    'cells: for &cell in &cells {
        for filled in [true, false] {
            // Two lines are the least: a line at a fixpoint has an arrangement with either value of a cell.
            let below = (shortest.as_ref()).map_or(usize::MAX, |(_, _, lines)| lines.len());
            if below <= 2 {
                break 'cells;
            }
            if control.poll() || control.reserve_nodes(1) == 0 {
                return None;
            }
            let mark = board.mark();
            try_cell(board, cell, filled);
            let lines = follow(board, cell, below, control);
            board.undo(mark);
            if let Some(lines) = lines? {
                shortest = Some((cell, filled, lines));
            }
        }
    }
    if let Some((cell, filled, lines)) = shortest {
        let lines = shortened(board, (cell, filled), lines, control)?;
        return Some(Trial::Contradiction(cell, filled, lines));
    }
    let (mut best, mut most) = (Trial::Nothing, 0);
    for cell in cells {
        if control.poll() || control.reserve_nodes(1) == 0 {
            return None;
        }
        let filled = rows_after(board, cell, true, control)?;
        let empty = rows_after(board, cell, false, control)?;
        let mut common = Vec::new();
        for (row, (a, b)) in filled.iter().zip(&empty).enumerate() {
            let unknown = board.unknown_in_row(row);
            for (both, value) in [(a.filled & b.filled, true), (a.empty & b.empty, false)] {
                let columns = (both & unknown).cells();
                common.extend(columns.map(|column| (Cell::new(row, column), value)));
            }
        }
        if common.len() > most {
            most = common.len();
            common.sort_unstable();
            best = Trial::EitherWay(cell, common);
        }
    }
    Some(best)
}

/// The known cells of every row after this decision; the board is unchanged. `None` if the run has ended.
fn rows_after<W: Word>(
    board: &mut Board<'_, W>,
    cell: Cell,
    filled: bool,
    control: &Control,
) -> Option<Vec<Known<W>>> {
    let mark = board.mark();
    board.decide_under(cell, filled, control)?;
    let rows = board.rows().to_vec();
    board.undo(mark);
    Some(rows)
}

/// Makes a cell known, so that its row and its column are to be settled.
fn try_cell<W: Word>(board: &mut Board<'_, W>, cell: Cell, filled: bool) {
    let known = Known::of_cell(usize::from(cell.column), filled);
    board.learn(usize::from(cell.row), known);
    let _ = board.take_dirty();
}

/// Settles lines in the order in which they change, until one has no arrangement. Returns the lines that decided cells, and that one;
/// `Some(None)` if there is no contradiction with fewer than `below` lines, `None` if the run has ended. `cell` has just been tried.
fn follow<W: Word>(
    board: &mut Board<'_, W>,
    cell: Cell,
    below: usize,
    control: &Control,
) -> Option<Option<Vec<usize>>> {
    let mut is_over = between_settles::<W>(control);
    let column = board.clues().height() + usize::from(cell.column);
    let mut queue = VecDeque::from([usize::from(cell.row), column]);
    let mut queued = vec![false; board.clues().height() + board.clues().width()];
    queue.iter().for_each(|&line| queued[line] = true);
    let mut lines = Vec::new();
    while let Some(line) = queue.pop_front() {
        if is_over() {
            return None;
        }
        queued[line] = false;
        let Some(new) = board.preview(line) else {
            lines.push(line);
            return Some((lines.len() < below).then_some(lines));
        };
        if new.cells().is_zero() {
            continue;
        }
        lines.push(line);
        // The contradiction would be one line more.
        if lines.len() + 1 >= below {
            return Some(None);
        }
        board.learn(line, new);
        for line in dirty_lines(board) {
            if !std::mem::replace(&mut queued[line], true) {
                queue.push_back(line);
            }
        }
    }
    Some(None)
}

/// The same contradiction without the lines that it does not need; `None` if the run has ended.
fn shortened<W: Word>(
    board: &mut Board<'_, W>,
    (cell, filled): (Cell, bool),
    mut lines: Vec<usize>,
    control: &Control,
) -> Option<Vec<usize>> {
    let mut pace = Pace::new(control);
    let mut at = lines.len() - 1;
    while at > 0 {
        at -= 1;
        if pace.spend((W::BITS * lines.len()) as u64) {
            return None;
        }
        let mut fewer = lines.clone();
        fewer.remove(at);
        let mark = board.mark();
        try_cell(board, cell, filled);
        // A line without an arrangement may now come earlier.
        let contradicts = fewer.iter().position(|&line| {
            let Some(new) = board.preview(line) else {
                return true;
            };
            board.learn(line, new);
            false
        });
        board.undo(mark);
        if let Some(last) = contradicts {
            fewer.truncate(last + 1);
            lines = fewer;
            at = at.min(lines.len() - 1);
        }
    }
    Some(lines)
}
