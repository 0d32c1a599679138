//! Bitwise: every line is a number, and the AND of its arrangements gives its certain cells.
//!
//! *Idea.* Write each row and each column as a binary number, a one for a filled cell; the grid is w + h numbers, all zero at first. The
//! possibilities of a line are the numbers with the runs of its clue, between the smallest that contains the cells filled so far and the
//! largest, with all blocks to the left. The AND of the possibilities is the set of certainly filled cells; if there are none, the grid
//! is contradictory. Fill the certain cells of all rows and columns until the grid does not change. Then branch, breadth first, on each
//! possibility of the first line that is not finished.
//!
//! Only filled cells are recorded; that a cell is certainly empty is not. So it has to guess much earlier than
//! [deducing](super::deducing) does.
//!
//! *Cost.* Each visit of a line enumerates all C(n - s + 1, k) numbers of its clue. The breadth-first search holds a whole level of the
//! tree, with w + h numbers per grid: both grow exponentially, and the author regards puzzles beyond 15x15 as hopeless.
//!
//! *Source.* Alexandre Oliveira, "Nonogram Solver Algorithm - The Power of Analysis", 2023. He tries every number in the range; here
//! the numbers with other runs are [not generated](super::numbers).

use std::collections::VecDeque;

use super::numbers::{Number, Numbers};
use super::watch::{End, Flow, Observer};
use crate::puzzle::{Clue, Grid, Line, Puzzle};

/// The filled cells: the numbers of the rows, then those of the columns.
type State = Vec<Number>;

/// Finds every solution. A step is a number tried.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Observer) -> Flow<End> {
    let lines: Vec<(Line, &Clue)> = puzzle.lines().collect();
    let bytes = (lines.len() * size_of::<Number>() + size_of::<State>()) as u64;
    let mut queue = VecDeque::from([vec![0; lines.len()]]);
    while let Some(mut state) = queue.pop_front() {
        if !fill_certain(puzzle, &lines, &mut state, watch)? {
            continue;
        }
        let unfinished = |&i: &usize| state[i].count_ones() as usize != lines[i].1.filled();
        let Some(i) = (0..lines.len()).find(unfinished) else {
            watch.found(picture(puzzle, &state))?;
            continue;
        };
        let (line, clue) = lines[i];
        for number in Numbers::new(clue, puzzle.length(line)) {
            watch.step()?;
            if number & state[i] == state[i] {
                let mut child = state.clone();
                fill(puzzle, &mut child, line, number);
                watch.keep(bytes * (queue.len() as u64 + 1))?;
                queue.push_back(child);
            }
        }
    }
    Flow::Continue(End::Complete)
}

/// Fills the certain cells until nothing changes; `false` on a contradiction.
fn fill_certain(
    puzzle: &Puzzle,
    lines: &[(Line, &Clue)],
    state: &mut State,
    watch: &mut dyn Observer,
) -> Flow<bool> {
    loop {
        let before = state.clone();
        for (i, &(line, clue)) in lines.iter().enumerate() {
            let mut certain = None;
            for number in Numbers::new(clue, puzzle.length(line)) {
                watch.step()?;
                if number & state[i] == state[i] {
                    certain = Some(certain.unwrap_or(Number::MAX) & number);
                }
            }
            match certain {
                Some(certain) => fill(puzzle, state, line, certain),
                None => return Flow::Continue(false),
            }
        }
        if *state == before {
            return Flow::Continue(true);
        }
    }
}

/// Fills the cells of a number in a line, and in the lines that it crosses.
fn fill(puzzle: &Puzzle, state: &mut State, line: Line, number: Number) {
    let height = puzzle.height();
    let cells = puzzle.length(line);
    let (i, bit, first) = match line {
        Line::Row(r) => (r, 1 << (height - 1 - r), height),
        Line::Column(c) => (height + c, 1 << (puzzle.width() - 1 - c), 0),
    };
    state[i] |= number;
    for cell in (0..cells).filter(|cell| number >> (cells - 1 - cell) & 1 == 1) {
        state[first + cell] |= bit;
    }
}

fn picture(puzzle: &Puzzle, state: &State) -> Grid {
    let width = puzzle.width();
    let rows = state[..puzzle.height()].iter();
    let cells = rows.map(|row| {
        (0..width)
            .map(|c| row >> (width - 1 - c) & 1 == 1)
            .collect()
    });
    super::rows::picture(&cells.collect::<Vec<Vec<bool>>>())
}
