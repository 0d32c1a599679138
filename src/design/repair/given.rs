//! Is the original picture good when some of its cells are given away?

use std::sync::Arc;

use super::examine::{Examiner, Finding};
use super::obstacle::Scratch;
use crate::board::{Board, Cell, Clues};
use crate::line::Word;
use crate::puzzle::{Grid, Puzzle};
use crate::sat::{SatAnswer, SatSolver};
use crate::search::{Cube, Decision, Limits, Search};

/// Examines the original picture with some cells given away. It keeps a solver from one question to the next.
#[derive(Debug)]
pub(super) struct GivenExaminer<'a, W> {
    examiner: &'a Examiner<'a, W>,
    grid: Grid,
    puzzle: Puzzle,
    clues: Clues,
    /// The solver, which knows that the original is not wanted; `None` before the first question to it, or if there is none.
    solver: Option<SatSolver>,
}

impl<'a, W: Word> GivenExaminer<'a, W> {
    pub(super) fn new(examiner: &'a Examiner<'a, W>) -> Self {
        let grid = examiner.original.to_grid();
        let puzzle = Puzzle::from_grid(&grid);
        GivenExaminer {
            examiner,
            clues: Clues::new(&puzzle),
            grid,
            puzzle,
            solver: None,
        }
    }

    /// Whether the original picture is good when these cells are known.
    pub(super) fn examine(&mut self, given: &[Cell], scratch: &mut Scratch<W>) -> Finding<W> {
        let GivenExaminer {
            examiner,
            grid,
            puzzle,
            clues,
            solver,
        } = self;
        let stop = || examiner.control.poll();
        let mut board = Board::<W>::new(clues);
        if board.propagate_unless(stop).is_none() {
            return Finding::Unknown;
        }
        let root = (cells(&board, true), cells(&board, false));
        let value = |&cell: &Cell| (cell, examiner.original.get(cell));
        let path = || given.iter().map(value);
        if board.follow(path(), stop).is_none() {
            return Finding::Unknown;
        }
        if board.unknown() == 0 {
            return Finding::Good;
        }
        let search = || {
            if solver.is_none() {
                let control = Arc::clone(examiner.control);
                let (filled, empty) = &root;
                let stop = move || control.poll();
                let memory = examiner.memory;
                *solver = SatSolver::new(puzzle, filled, empty, memory, stop);
                if let Some(solver) = solver {
                    solver.move_to(grid);
                    solver.forbid(grid);
                }
            }
            let Some(solver) = solver else {
                let path = path().map(|(cell, filled)| Decision { cell, filled });
                let path = path.collect();
                let search = Search::new(puzzle)
                    .cubes(vec![Cube { path }])
                    .limits(Limits::default().memory(examiner.memory));
                return examiner.other(&search, grid, u64::MAX);
            };
            for (cell, filled) in path() {
                solver.assume(usize::from(cell.row), usize::from(cell.column), filled);
            }
            match solver.solve(None) {
                SatAnswer::Solution(other) => Some(Some(other)),
                SatAnswer::None => Some(None),
                SatAnswer::Unknown => None,
            }
        };
        let original = examiner.original;
        examiner.judge(&mut board, original, Vec::new(), true, search, scratch)
    }
}

/// The cells of a board that are known to be filled, or to be empty.
fn cells<W: Word>(board: &Board<'_, W>, filled: bool) -> Grid {
    let width = board.clues().width();
    let stride = Grid::stride(width);
    let words = board.rows().iter().flat_map(|row| {
        let cells = if filled { row.filled } else { row.empty };
        (0..stride).map(move |i| cells.part(i))
    });
    Grid::from_words(width, board.rows().len(), words.collect())
}
