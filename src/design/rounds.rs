//! How a puzzle is solved by single lines: in sweeps, in rounds, and by the easiest line at each moment.
//!
//! All three settle lines to the same fixpoint, because a line never decides less when more is known. They differ in what they measure.

use crate::board::{Board, Clues};
use crate::line::{Known, Word, arrangements};
use crate::puzzle::{Clue, Line, Puzzle};
use crate::run::Pace;
use crate::solutions::Count;

/// A round of line solving: all lines are settled at once, from the same known cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Round {
    /// Number of lines that decide a cell.
    pub helping: usize,
    /// Number of lines with unknown cells.
    pub open: usize,
    /// Number of unknown cells.
    pub unknown: usize,
}

/// How a stretch of line solving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// No line decides another cell.
    Fixpoint,
    /// A line has no arrangement.
    Contradiction,
    /// The control ended the run.
    Stopped,
}

/// Settles all rows, then all columns, and so on in turn, until no line decides another cell. Returns the last sweep that decided one.
pub(super) fn sweeps<W: Word>(board: &mut Board<'_, W>, pace: &mut Pace<'_>) -> (usize, Ended) {
    let height = board.clues().height();
    let (mut rows, mut columns) = board.take_dirty();
    let (mut sweep, mut last) = (0, 0);
    while !(rows | columns).is_zero() {
        sweep += 1;
        // Odd sweeps are of rows.
        let (lines, first) = match sweep % 2 {
            1 => (std::mem::replace(&mut rows, W::ZERO), 0),
            _ => (std::mem::replace(&mut columns, W::ZERO), height),
        };
        let unknown = board.unknown();
        for line in lines.cells() {
            if pace.spend(W::BITS as u64) {
                return (last, Ended::Stopped);
            }
            match board.preview(first + line) {
                Some(new) => board.learn(first + line, new),
                None => return (last, Ended::Contradiction),
            }
        }
        if board.unknown() < unknown {
            last = sweep;
        }
        let dirty = board.take_dirty();
        (rows, columns) = (rows | dirty.0, columns | dirty.1);
    }
    (last, Ended::Fixpoint)
}

/// Settles all lines at once, from the same known cells, until no line decides another cell, or for this number of rounds. Returns each
/// round in which a line did, and [`Ended::Fixpoint`] also where more rounds would follow.
pub(super) fn rounds<W: Word>(
    board: &mut Board<'_, W>,
    most: usize,
    pace: &mut Pace<'_>,
) -> (Vec<Round>, Ended) {
    let clues = board.clues();
    let mut rounds = Vec::new();
    while rounds.len() < most {
        let decided = match deciding(board, pace) {
            Ok(decided) => decided,
            Err(ended) => return (rounds, ended),
        };
        if decided.is_empty() {
            break;
        }
        let is_open = |line: &usize| board.line(*line).cells() != W::low(clues.length(*line));
        rounds.push(Round {
            helping: decided.len(),
            open: (0..clues.height() + clues.width()).filter(is_open).count(),
            unknown: board.unknown(),
        });
        // Two lines that disagree on a cell contradict in the next round, because what the second says is not learnt.
        for (line, new) in decided {
            board.learn(line, new);
        }
    }
    (rounds, Ended::Fixpoint)
}

/// The board before the round of this index in [`rounds`], and the lines that decide a cell in it. `None` after a contradiction or a stop.
pub(super) fn before_round<'p, W: Word>(
    clues: &'p Clues,
    index: usize,
    pace: &mut Pace<'_>,
) -> Option<(Board<'p, W>, Vec<Line>)> {
    let mut board = Board::<W>::new(clues);
    let (before, _) = rounds(&mut board, index, pace);
    if before.len() < index {
        return None;
    }
    let deciding = deciding(&mut board, pace).ok()?.into_iter();
    let lines = deciding.map(|(line, _)| line_of(clues, line)).collect();
    Some((board, lines))
}

/// The lines that changed since the last call and decide cells, with these cells; or why there is no answer.
fn deciding<W: Word>(
    board: &mut Board<'_, W>,
    pace: &mut Pace<'_>,
) -> Result<Vec<(usize, Known<W>)>, Ended> {
    let mut decided = Vec::new();
    for line in dirty_lines(board) {
        if pace.spend(W::BITS as u64) {
            return Err(Ended::Stopped);
        }
        let new = board.preview(line).ok_or(Ended::Contradiction)?;
        if !new.cells().is_zero() {
            decided.push((line, new));
        }
    }
    Ok(decided)
}

/// The largest number of arrangements of a line when it decides cells, if the line with the fewest of those that decide any is always
/// settled first. No other order has a smaller one, because the arrangements of a line only get fewer when more is known. `None` if no line
/// decides a cell, or after a contradiction or a stop.
pub(super) fn hardest<W: Word>(
    puzzle: &Puzzle,
    clues: &Clues,
    pace: &mut Pace<'_>,
) -> Option<Count> {
    let mut board = Board::<W>::new(clues);
    // The lines that changed since they were last looked at, and those put off: they decide cells, but have too many arrangements.
    let mut due = dirty_lines(&mut board);
    let mut later: Vec<Option<u128>> = vec![None; clues.height() + clues.width()];
    let (mut most, mut hardest) = (0, None);
    while board.unknown() > 0 {
        for line in std::mem::take(&mut due) {
            let length = clues.length(line);
            // Counting takes some ten times as long as settling.
            if pace.spend(10 * W::BITS as u64) {
                return None;
            }
            later[line] = None;
            let new = board.preview(line)?;
            if new.cells().is_zero() {
                continue;
            }
            let count = arrangements::count_up_to_max(clues.line(line), length, board.line(line));
            if count <= most {
                board.learn(line, new)
            } else {
                later[line] = Some(count)
            }
        }
        due = dirty_lines(&mut board);
        if !due.is_empty() {
            continue;
        }
        // The easiest of the others; among equals the first.
        let put_off = later.iter().enumerate();
        let put_off = put_off.filter_map(|(line, count)| Some(((*count)?, line)));
        let Some((count, line)) = put_off.min() else {
            break;
        };
        most = count;
        hardest = Some((line, board.line(line), count));
        due.push(line);
    }
    let (line, known, count) = hardest?;
    // The largest number may stand for more.
    if count < u128::MAX {
        return Some(Count::small(count));
    }
    let cells = cells_of_line(clues, line, known);
    let number = arrangements::count(clue_of(puzzle, line_of(clues, line)), &cells);
    Some(Count::from_words(&number.to_u64_digits()))
}

/// The cells of a line on a board, of which these are known.
pub(super) fn cells_of_line<W: Word>(
    clues: &Clues,
    line: usize,
    known: Known<W>,
) -> Vec<Option<bool>> {
    (0..clues.length(line)).map(|i| known.get(i)).collect()
}

/// The clue of a line.
pub(super) fn clue_of(puzzle: &Puzzle, line: Line) -> &Clue {
    match line {
        Line::Row(row) => &puzzle.rows()[row],
        Line::Column(column) => &puzzle.columns()[column],
    }
}

/// The line with this number on a board.
pub(super) fn line_of(clues: &Clues, line: usize) -> Line {
    match line.checked_sub(clues.height()) {
        None => Line::Row(line),
        Some(column) => Line::Column(column),
    }
}

/// The numbers of the lines that changed since the last call.
pub(super) fn dirty_lines<W: Word>(board: &mut Board<'_, W>) -> Vec<usize> {
    let height = board.clues().height();
    let (rows, columns) = board.take_dirty();
    let columns = columns.cells().map(|column| height + column);
    rows.cells().chain(columns).collect()
}
