//! Backtracking: all arrangements of all rows, in all combinations.
//!
//! *Idea.* List the arrangements of every row by its own clue. Enumerate all combinations, the first row's arrangement changing slowest,
//! and reduce the columns of each combination to their runs: if these equal the column clues, it is a solution. The improved form, which
//! the original says would fail much earlier, checks the columns as soon as a row is added: the runs so far must be a prefix of the
//! clue, and the rest of the clue must fit the remaining rows.
//!
//! *Cost.* The product of the numbers of arrangements of all rows, O(wh) each: 3,125 combinations for five rows with five arrangements,
//! and 10^10 for ten rows with ten. The improved form costs O(w) for each row tried, and mostly fails in the first
//! few rows; the number of consistent prefixes still grows exponentially.
//!
//! *Source.* The first of three solvers in the Haskell wiki, "99 questions/Solutions/98", 2010 and before; the puzzle is number 98 of the
//! Ninety-Nine Haskell Problems.

use super::rows::{columns_fit, picture};
use super::slide::{Slide, room};
use super::watch::{End, Flow, Observer};
use crate::puzzle::{Clue, Puzzle};

/// When the columns are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// When all rows are chosen.
    AtTheEnd,
    /// Whenever a row is added.
    EveryRow,
}

/// Finds every solution. A step is a block placed while the lists are built, and later an arrangement tried in its row.
pub(super) fn run(puzzle: &Puzzle, check: Check, watch: &mut dyn Observer) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let mut rows = Vec::with_capacity(height);
    let mut bytes = 0;
    for clue in puzzle.rows() {
        rows.push(arrangements(clue, width, &mut bytes, watch)?);
    }
    let columns: Vec<Column> = puzzle.columns().iter().map(Column::new).collect();
    // For each chosen row and the one after them: the index of the arrangement to try next, and the state of the columns before the row.
    let mut open = vec![(0, vec![Run::default(); width])];
    let mut chosen: Vec<Vec<bool>> = Vec::new();
    while let Some((next, runs)) = open.last_mut() {
        let row = chosen.len();
        let Some(arrangement) = rows[row].get(*next) else {
            open.pop();
            chosen.pop();
            continue;
        };
        *next += 1;
        watch.step()?;
        let mut after = Vec::new();
        if check == Check::EveryRow {
            let remaining = height - row - 1;
            let added = columns.iter().zip(runs).zip(arrangement);
            let added =
                added.map(|((column, &mut run), &filled)| column.add(run, filled, remaining));
            match added.collect() {
                Some(runs) => after = runs,
                None => continue,
            }
        }
        chosen.push(arrangement.clone());
        if row + 1 < height {
            open.push((0, after));
            continue;
        }
        if check == Check::EveryRow || columns_fit(puzzle, &chosen) {
            watch.found(picture(&chosen))?;
        }
        chosen.pop();
    }
    Flow::Continue(End::Complete)
}

/// Lists the arrangements of a clue in a line of unknown cells; `bytes` is increased by the size of the list.
fn arrangements(
    clue: &Clue,
    length: usize,
    bytes: &mut u64,
    watch: &mut dyn Observer,
) -> Flow<Vec<Vec<bool>>> {
    let mut list = Vec::new();
    let mut slide = Slide::new(clue, vec![None; length]);
    while slide.advance(watch)? {
        *bytes += (length + size_of::<Vec<bool>>()) as u64;
        watch.keep(*bytes)?;
        list.push(slide.cells());
    }
    Flow::Continue(list)
}

/// The state of a column: the number of completed blocks, and the filled cells of the block that is not complete yet.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    completed: usize,
    length: usize,
}

/// A column's clue.
#[derive(Debug)]
struct Column {
    blocks: Vec<usize>,
    /// See [`room`].
    room: Vec<usize>,
}

impl Column {
    fn new(clue: &Clue) -> Self {
        let blocks: Vec<usize> = clue.lengths().collect();
        Column {
            room: room(&blocks),
            blocks,
        }
    }

    /// The state after one more cell, if the runs are still a prefix of the clue and its rest fits the `remaining` cells.
    fn add(&self, run: Run, filled: bool, remaining: usize) -> Option<Run> {
        let block = self.blocks.get(run.completed).copied();
        let run = match (filled, block) {
            (true, Some(block)) if run.length < block => Run {
                length: run.length + 1,
                ..run
            },
            (true, _) => return None,
            (false, _) if run.length == 0 => run,
            (false, Some(block)) if run.length == block => Run {
                completed: run.completed + 1,
                length: 0,
            },
            (false, _) => return None,
        };
        (self.room[run.completed] <= remaining + run.length).then_some(run)
    }
}
