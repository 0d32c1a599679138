//! A solver in which lines can be left out, to find the lines that contradict each other.
//!
//! Every clause of a line has a literal more, the line's selector. A call assumes the selectors of the lines that count; if there is no
//! solution, the assumptions that the solver needed are lines that contradict each other, a *core*.

use std::fmt;

use super::built_in::Solver;
use super::encode::Encoding;
use super::incremental::{Answer, IncrementalSolver};
use super::solver::BYTES_PER_START;
use crate::puzzle::{Grid, Line, Puzzle};

/// The answer of a [`LineSolver`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineAnswer {
    /// A grid that agrees with all lines that count and with the given cells.
    Solution(Grid),
    /// There is none: these lines contradict each other, or if there are none, the given cells do.
    Core(Vec<Line>),
    /// The solver was stopped before it had an answer.
    Unknown,
}

/// A SAT solver with clause learning for some lines of a puzzle at a time. It keeps learnt clauses from one call to the next.
pub struct LineSolver {
    solver: Solver,
    encoding: Encoding,
    lines: Vec<Line>,
}

impl fmt::Debug for LineSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineSolver")
            .field("lines", &self.lines.len())
            .finish_non_exhaustive()
    }
}

impl LineSolver {
    /// Encodes a puzzle. `stop` is called at intervals, and stops the solver when it returns `true`. `None` when the solver would take more
    /// than about `memory` bytes, or when `stop` returns `true` before everything is encoded, or in a build that [has no
    /// solver](super::SatSolver::IS_BUILT_IN).
    pub fn new(
        puzzle: &Puzzle,
        memory: u64,
        mut stop: impl FnMut() -> bool + 'static,
    ) -> Option<Self> {
        let mut solver = Solver::new()?;
        let max_starts = (memory / BYTES_PER_START).min(1 << 28) as usize;
        let encoding = Encoding::of_whole(puzzle, max_starts, &mut stop)?;
        let selector = |line| selector(&encoding, puzzle.height(), line);
        let mut selected = Vec::new();
        encoding.encode(puzzle, &mut stop, |line, clause| {
            selected.clear();
            selected.extend_from_slice(clause);
            selected.extend(line.map(|line| -selector(line)));
            solver.add_clause(&selected);
        })?;
        solver.stop_when(stop);
        let lines = puzzle.lines().map(|(line, _)| line).collect();
        Some(LineSolver {
            solver,
            encoding,
            lines,
        })
    }

    /// Looks for a grid that agrees with all lines but these.
    pub fn solve_without(&mut self, left_out: &[Line]) -> LineAnswer {
        let height = self.encoding.filled.height();
        for &line in self.lines.iter().filter(|line| !left_out.contains(line)) {
            self.solver.assume(selector(&self.encoding, height, line));
        }
        match self.solver.solve(None) {
            Answer::Satisfiable => {
                let grid = self.encoding.grid(|variable| self.solver.is_true(variable));
                LineAnswer::Solution(grid)
            }
            Answer::Unsatisfiable => {
                let counting = self
                    .lines
                    .iter()
                    .copied()
                    .filter(|line| !left_out.contains(line));
                let is_needed = |line: &Line| {
                    self.solver
                        .is_needed(selector(&self.encoding, height, *line))
                };
                LineAnswer::Core(counting.filter(is_needed).collect())
            }
            Answer::Unknown => LineAnswer::Unknown,
        }
    }
}

/// The variable that is true if a line counts. Those of the rows come first.
fn selector(encoding: &Encoding, height: usize, line: Line) -> i32 {
    let index = match line {
        Line::Row(row) => row,
        Line::Column(column) => height + column,
    };
    encoding.starts.max_variable() + 1 + index as i32
}
