//! The oracle: the SAT solver of one worker, for the nodes of an estimate and the backbone of a count.
//!
//! Below a wrong decision high in the tree, descents without clause learning die one by one. If a [`SatSolver`] proves that a side has no
//! solution, the clauses learnt help later calls. Otherwise its solution, a *witness*, shows that every node on the path has one too.

use std::sync::Arc;

use crate::board::Clues;
use crate::line::{Known, Word};
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::run::Control;
use crate::sat::{Exchange, SatAnswer, SatSolver};

/// The SAT solver of one worker, built at the first call.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    puzzle: &'a Puzzle,
    control: Arc<Control>,
    /// Memory limit of the solver, in bytes.
    memory: u64,
    solver: Option<SatSolver>,
    /// A known solution, near which the solver searches first.
    near: Option<Arc<Grid>>,
    /// For sharing learnt clauses with the solvers of other threads.
    exchange: Option<Arc<Exchange>>,
    /// Ticks of the solver after the last question, cached because the solver looks statistics up by name.
    ticks: u64,
    /// Whether the solver could not be built: the build has none, there is too little memory, or the run has ended.
    is_unavailable: bool,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(puzzle: &'a Puzzle, control: Arc<Control>, memory: u64) -> Self {
        Oracle {
            puzzle,
            control,
            memory,
            solver: None,
            near: None,
            exchange: None,
            ticks: 0,
            is_unavailable: !SatSolver::IS_BUILT_IN,
        }
    }

    /// Searches near this solution first, if there is one.
    pub(crate) fn near(mut self, solution: Option<Arc<Grid>>) -> Self {
        self.near = solution;
        self
    }

    /// Shares learnt clauses through this exchange.
    pub(crate) fn sharing(mut self, exchange: Option<Arc<Exchange>>) -> Self {
        self.exchange = exchange;
        self
    }

    /// Whether the solver has been built.
    pub(crate) fn is_built(&self) -> bool {
        self.solver.is_some()
    }

    /// Whether the solver could not be built, so that every answer is [`SatAnswer::Unknown`].
    pub(crate) fn is_unavailable(&self) -> bool {
        self.is_unavailable
    }

    /// Looks for a solution in which the cells of `path` have these values, within a number of conflicts. `rows` are the cells known at the
    /// root of the tree, so they hold on every path; they must be the same in every call.
    pub(crate) fn ask<W: Word>(
        &mut self,
        clues: &Clues,
        rows: &[Known<W>],
        path: impl Iterator<Item = (Cell, bool)>,
        conflicts: u32,
    ) -> SatAnswer {
        let Some(solver) = self.solver(clues, rows) else {
            return SatAnswer::Unknown;
        };
        for (cell, filled) in path {
            solver.assume(usize::from(cell.row), usize::from(cell.column), filled);
        }
        let answer = solver.solve(Some(conflicts));
        self.ticks = solver.ticks();
        #[cfg(feature = "checked")]
        if let SatAnswer::Solution(grid) = &answer {
            crate::solutions::checked::confirm(self.puzzle, grid);
        }
        answer
    }

    /// Lets `work` use the solver, which is built if it does not exist yet, for the cells known at the root. `None` if there is none.
    pub(crate) fn with_solver<W: Word, T>(
        &mut self,
        clues: &Clues,
        rows: &[Known<W>],
        work: impl FnOnce(&mut SatSolver) -> T,
    ) -> Option<T> {
        Some(work(self.solver(clues, rows)?))
    }

    fn solver<W: Word>(&mut self, clues: &Clues, rows: &[Known<W>]) -> Option<&mut SatSolver> {
        if self.solver.is_none() {
            let [filled, empty] = to_grids(rows, self.puzzle.width());
            let control = Arc::clone(&self.control);
            let stop = move || control.poll();
            self.solver = SatSolver::new(self.puzzle, &filled, &empty, self.memory, stop);
            if let Some(solver) = &mut self.solver {
                if let Some(exchange) = &self.exchange {
                    solver.share_clauses(Arc::clone(exchange));
                }
                match &self.near {
                    Some(solution) => solver.move_to(solution),
                    // `None` means that the run has ended.
                    None => drop(solver.guess_phases(clues, || self.control.poll())),
                }
            }
        }
        self.is_unavailable = self.solver.is_none();
        self.solver.as_mut()
    }

    /// Number of conflicts so far.
    pub(crate) fn conflicts(&self) -> u64 {
        self.solver.as_ref().map_or(0, SatSolver::conflicts)
    }

    /// Work done for questions so far, in ticks of the solver.
    pub(crate) fn ticks(&self) -> u64 {
        self.ticks
    }
}

/// The filled and the empty cells of some rows of this width, as grids.
fn to_grids<W: Word>(rows: &[Known<W>], width: usize) -> [Grid; 2] {
    [|row: &Known<W>| row.filled, |row: &Known<W>| row.empty].map(|cells| {
        let mut grid = Grid::new(width, rows.len());
        for (r, row) in rows.iter().enumerate() {
            cells(row).cells().for_each(|c| grid.set(r, c, true));
        }
        grid
    })
}
