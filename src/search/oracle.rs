//! Whether there is a solution at all below a node, asked of clause learning.
//!
//! Below a wrong decision high up a search without learning dies a million deaths, each new to it. So when a side of a branch has
//! taken many nodes and shown no solution, a [`SatSolver`] is asked about its path. What it answers is either a proof, which closes the
//! side at once, and whose clauses help with the next one, or a solution, a *witness* that no node on its way needs to be asked about.

use std::sync::Arc;

use super::portfolio::guess;
use crate::board::{Cell, Clues};
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::run::Control;
use crate::sat::{Answer, Exchange, SatSolver};

/// Most conflicts that a question may take: one that is too hard now may be easy with a few cells more.
pub(crate) const CONFLICTS: u32 = 1000;

/// The learner of one worker, made when it is first asked.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    puzzle: &'a Puzzle,
    control: Arc<Control>,
    /// Bytes that it may take.
    memory: u64,
    solver: Option<SatSolver>,
    /// Where it looks first, if a solution is at hand.
    near: Option<Arc<Grid>>,
    /// Where its learner meets those of other threads.
    exchange: Option<Arc<Exchange>>,
    /// What the learner had done after the last question, in its own measure: asking it takes a look-up by name.
    ticks: u64,
    /// There is no memory for one.
    dumb: bool,
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
            dumb: false,
        }
    }

    /// It looks first near this solution, if there is one.
    pub(crate) fn near(mut self, solution: Option<Arc<Grid>>) -> Self {
        self.near = solution;
        self
    }

    /// Its learner hands clauses to those of this exchange.
    pub(crate) fn sharing(mut self, exchange: Option<Arc<Exchange>>) -> Self {
        self.exchange = exchange;
        self
    }

    /// Is there nobody to ask?
    pub(crate) fn is_dumb(&self) -> bool {
        self.dumb
    }

    /// A solution in which these cells are so, unless it takes more than this number of conflicts to say. `rows` is what is known at the
    /// root, and so on any path; it must be the same each time.
    pub(crate) fn ask<W: Word>(
        &mut self,
        clues: &Clues,
        rows: &[Known<W>],
        path: impl Iterator<Item = (Cell, bool)>,
        conflicts: u32,
    ) -> Answer {
        if self.solver.is_none() {
            let (filled, empty) = known(rows, self.puzzle.width());
            let control = Arc::clone(&self.control);
            let stop = move || control.poll();
            let (puzzle, memory) = (self.puzzle, self.memory);
            self.solver = SatSolver::new(puzzle, &filled, &empty, memory, stop, |_, _, _| {});
            if let Some(solver) = &mut self.solver {
                let over = || self.control.poll();
                if let Some(exchange) = &self.exchange {
                    solver.share(Arc::clone(exchange));
                }
                match &self.near {
                    Some(solution) => solver.visit(solution),
                    // Where it is broken off the run is over.
                    None => drop(guess(solver, clues, (&filled, &empty), over)),
                }
            }
        }
        let Some(solver) = &mut self.solver else {
            self.dumb = true;
            return Answer::Unknown;
        };
        solver.meet();
        for (cell, filled) in path {
            solver.assume(usize::from(cell.row), usize::from(cell.column), filled);
        }
        let answer = solver.solve(Some(conflicts));
        self.ticks = solver.ticks();
        solver.meet();
        answer
    }

    /// Conflicts met so far.
    pub(crate) fn conflicts(&self) -> u64 {
        self.solver.as_ref().map_or(0, SatSolver::conflicts)
    }

    /// Work done so far, in the learner's own measure.
    pub(crate) fn ticks(&self) -> u64 {
        self.ticks
    }
}

/// The known cells of some rows of this width, those that are filled and those that are empty.
fn known<W: Word>(rows: &[Known<W>], width: usize) -> (Grid, Grid) {
    let nothing = Grid::new(width, rows.len());
    let (mut filled, mut empty) = (nothing.clone(), nothing);
    for (r, row) in rows.iter().enumerate() {
        row.filled.cells().for_each(|c| filled.set(r, c, true));
        row.empty.cells().for_each(|c| empty.set(r, c, true));
    }
    (filled, empty)
}
