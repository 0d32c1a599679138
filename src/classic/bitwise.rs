//! Bitwise: every line is a number, and what is certain is an AND.
//!
//! *Idea.* Write each row and each column as a number in binary, a one for a filled cell; the grid is w + h numbers, all zero in the
//! beginning. The possibilities of a line are the numbers with the runs of its clue, between the smallest that contains what is filled
//! so far and the largest, with all blocks to the left. The AND of the possibilities is what is certainly filled; if there are none, the
//! numbers make no sense. Paint what is certain in all rows and columns until the grid does not change, and then, breadth first, suppose
//! each possibility of the first line that is not finished.
//!
//! Only filled cells are ever written down: that a cell is certainly empty is forgotten at once. So it gets to guess much earlier than
//! [deducing](super::deducing) does.
//!
//! *Cost.* Each look at a line takes all C(n - s + 1, k) numbers of its clue. The breadth-first search holds a whole level of the tree, of
//! w + h numbers a grid: both grow exponentially, and its author gives up hope beyond 15x15.
//!
//! *Source.* Alexandre Oliveira, "Nonogram Solver Algorithm - The Power of Analysis", 2023. He tries every number in the range; here
//! the ones with other runs are [passed over](super::numbers).

use std::collections::VecDeque;

use super::numbers::{Number, Numbers};
use super::watch::{End, Flow, Watch};
use crate::puzzle::{Clue, Grid, Line, Puzzle};

/// What is painted: the numbers of the rows, then those of the columns.
type State = Vec<Number>;

/// Every solution. A step is a number looked at.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Watch) -> Flow<End> {
    let lines = lines(puzzle);
    let bytes = (lines.len() * size_of::<Number>() + size_of::<State>()) as u64;
    let mut waiting = VecDeque::from([vec![0; lines.len()]]);
    while let Some(mut state) = waiting.pop_front() {
        if !paint(puzzle, &lines, &mut state, watch)? {
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
                let mut supposed = state.clone();
                put(puzzle, &mut supposed, line, number);
                watch.keep(bytes * (waiting.len() as u64 + 1))?;
                waiting.push_back(supposed);
            }
        }
    }
    Flow::Continue(End::Complete)
}

/// Paints what is certain until nothing changes; `false` when it makes no sense.
fn paint(
    puzzle: &Puzzle,
    lines: &[(Line, &Clue)],
    state: &mut State,
    watch: &mut dyn Watch,
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
                Some(certain) => put(puzzle, state, line, certain),
                None => return Flow::Continue(false),
            }
        }
        if *state == before {
            return Flow::Continue(true);
        }
    }
}

/// Paints a line, and so the lines that it crosses.
fn put(puzzle: &Puzzle, state: &mut State, line: Line, number: Number) {
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

fn lines(puzzle: &Puzzle) -> Vec<(Line, &Clue)> {
    puzzle.lines().collect()
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
