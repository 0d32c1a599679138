//! Backtracking: all arrangements of all rows, in all combinations.
//!
//! *Idea.* List the arrangements of every row by its own clue. Combine them in all ways, the first row's slowest, and contract the columns
//! of each combination to their runs: where those are the column clues, it is a solution. The improved form, of which the original says
//! that it would fail much earlier, looks at the columns as soon as a row is added: the runs so far must be the beginning of the clue,
//! and the rest of the clue must fit the rows that are left.
//!
//! *Cost.* The product of the numbers of arrangements of all rows, O(wh) each: 3,125 combinations for five rows with five arrangements,
//! and 10^10 for ten rows with ten. The improved form costs O(w) for each row tried, and mostly dies in the first
//! few rows; the number of beginnings that look good still grows exponentially.
//!
//! *Source.* The first of three solvers in the Haskell wiki, "99 questions/Solutions/98", 2010 and before; the puzzle is number 98 of the
//! Ninety-Nine Haskell Problems.

use super::rows::{columns_fit, picture};
use super::slide::Slide;
use super::watch::{End, Flow, Watch};
use crate::puzzle::{Clue, Puzzle};

/// When the columns are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// When all rows are there.
    AtTheEnd,
    /// Whenever a row is added.
    EveryRow,
}

/// Every solution. A step is a block set down for the lists, then an arrangement tried in its row.
pub(super) fn run(puzzle: &Puzzle, check: Check, watch: &mut dyn Watch) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let mut rows = Vec::with_capacity(height);
    let mut bytes = 0;
    for clue in puzzle.rows() {
        rows.push(arrangements(clue, width, &mut bytes, watch)?);
    }
    let columns: Vec<Column> = puzzle.columns().iter().map(Column::new).collect();
    // For each row that is chosen or about to be: the arrangement to be tried next, and how far the columns had come before it.
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
            let left = height - row - 1;
            let added = columns.iter().zip(runs).zip(arrangement);
            let added = added.map(|((column, &mut run), &filled)| column.add(run, filled, left));
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

/// The arrangements of a clue in an empty line, as a list.
fn arrangements(
    clue: &Clue,
    length: usize,
    bytes: &mut u64,
    watch: &mut dyn Watch,
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

/// How far a column has come: blocks that have ended, and filled cells of the one that has not.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    ended: usize,
    length: usize,
}

/// A column's clue.
#[derive(Debug)]
struct Column {
    blocks: Vec<usize>,
    /// Cells that the blocks from each on need, gaps included.
    room: Vec<usize>,
}

impl Column {
    fn new(clue: &Clue) -> Self {
        let blocks: Vec<usize> = clue.lengths().collect();
        let rest = |block| blocks[block..].iter().sum::<usize>() + blocks.len() - block;
        // Without a gap behind the last; for no blocks at all, nothing.
        let room = (0..=blocks.len()).map(|block| rest(block).saturating_sub(1));
        let room = room.collect();
        Column { blocks, room }
    }

    /// How far it has come with one more cell, if the runs are still the beginning of the clue and the rest fits the cells left.
    fn add(&self, run: Run, filled: bool, left: usize) -> Option<Run> {
        let block = self.blocks.get(run.ended).copied();
        let run = match (filled, block) {
            (true, Some(block)) if run.length < block => Run {
                length: run.length + 1,
                ..run
            },
            (true, _) => return None,
            (false, _) if run.length == 0 => run,
            (false, Some(block)) if run.length == block => Run {
                ended: run.ended + 1,
                length: 0,
            },
            (false, _) => return None,
        };
        (self.room[run.ended] <= left + run.length).then_some(run)
    }
}
