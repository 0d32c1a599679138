//! The SAT solver for a puzzle: the solver of this build with the order encoding of `encode`.

use std::fmt;
use std::sync::Arc;

use super::built_in::Solver;
use super::encode::Encoding;
use super::exchange::{Exchange, MAX_LITERALS, Member};
use super::incremental::{Answer, IncrementalSolver, literal};
use crate::belief::Beliefs;
use crate::board::Clues;
use crate::puzzle::{Grid, Puzzle};

/// Approximate memory of the solver per start of a block, in bytes.
pub(super) const BYTES_PER_START: u64 = 500;

/// Sweeps of belief propagation before the phases of a solver are set.
const BELIEF_SWEEPS: usize = 30;

/// The answer of a [`SatSolver`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatAnswer {
    /// A solution that is not forbidden.
    Solution(Grid),
    /// There is no solution that is not forbidden.
    None,
    /// The solver was stopped before it had an answer.
    Unknown,
}

/// A SAT solver with clause learning, for one puzzle.
///
/// It works on the thread that made it, and keeps learnt clauses from one call to the next.
///
/// ```
/// use omnogram::puzzle::{Clue, Grid, Puzzle};
/// use omnogram::sat::{SatAnswer, SatSolver};
///
/// let one = || Clue::new([1]).unwrap();
/// let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).unwrap();
/// let unknown = Grid::new(2, 2);
/// let mut solver = SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, || false).unwrap();
/// let mut found = 0;
/// while let SatAnswer::Solution(grid) = solver.solve(None) {
///     solver.forbid(&grid);
///     found += 1;
/// }
/// assert_eq!(found, 2);
/// ```
pub struct SatSolver {
    solver: Solver,
    encoding: Encoding,
    /// Its membership in an exchange of learnt clauses.
    member: Option<Member>,
}

impl fmt::Debug for SatSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SatSolver")
            .field("cells", &self.encoding.cells.count())
            .field("conflicts", &self.conflicts())
            .finish_non_exhaustive()
    }
}

impl SatSolver {
    /// Whether this build has a solver: whether it was built with the feature `sat` or `sat-rust`.
    pub const IS_BUILT_IN: bool = cfg!(any(feature = "sat", feature = "sat-rust"));

    /// Encodes a puzzle in which the cells of `filled` are known to be filled and those of `empty` to be empty. The more cells are known,
    /// the smaller the encoding.
    ///
    /// `stop` is called at intervals, and stops the solver when it returns `true`. `None` when the solver would take more than about
    /// `memory` bytes, or when `stop` returns `true` before everything is encoded, or in a build that [has no
    /// solver](SatSolver::IS_BUILT_IN).
    pub fn new(
        puzzle: &Puzzle,
        filled: &Grid,
        empty: &Grid,
        memory: u64,
        mut stop: impl FnMut() -> bool + 'static,
    ) -> Option<Self> {
        let mut solver = Solver::new()?;
        // Variables are `i32`.
        let max_starts = (memory / BYTES_PER_START).min(1 << 28) as usize;
        let encoding = Encoding::new(puzzle, (filled, empty), max_starts, &mut stop)?;
        encoding.encode(puzzle, &mut stop, |_, clause| solver.add_clause(clause))?;
        solver.stop_when(stop);
        Some(SatSolver {
            solver,
            encoding,
            member: None,
        })
    }

    /// Joins an exchange: shares short learnt clauses with its other solvers whenever [`SatSolver::exchange_clauses`] is called. All of
    /// them must have the same puzzle with the same known cells, and no forbidden solutions.
    pub(crate) fn share_clauses(&mut self, exchange: Arc<Exchange>) {
        let member = Member::new(exchange);
        self.solver.export_learnt(MAX_LITERALS, member.listener());
        self.member = Some(member);
    }

    /// Publishes its learnt clauses and adds those of the other solvers, if it has joined an exchange.
    pub(crate) fn exchange_clauses(&mut self) {
        if let Some(member) = &mut self.member {
            member.exchange_clauses(|clause| self.solver.add_clause(clause));
        }
    }

    /// Looks for a solution, until this number of conflicts or until stopped.
    pub fn solve(&mut self, conflicts: Option<u32>) -> SatAnswer {
        match self.solver.solve(conflicts) {
            Answer::Satisfiable => {
                let grid = self.encoding.grid(|variable| self.solver.is_true(variable));
                SatAnswer::Solution(grid)
            }
            Answer::Unsatisfiable => SatAnswer::None,
            Answer::Unknown => SatAnswer::Unknown,
        }
    }

    /// Excludes this solution from all later calls.
    pub fn forbid(&mut self, grid: &Grid) {
        // Known cells have no variable and need no literal.
        let cells = self.encoding.cells.each();
        let differs = |(variable, row, column)| -literal(variable, grid.get(row, column));
        self.solver
            .add_clause(&cells.map(differs).collect::<Vec<_>>());
    }

    /// Sets the initial phases by belief propagation, so that the search begins where solutions are likely. `None` when `is_over` has
    /// stopped it.
    pub(crate) fn guess_phases(&mut self, clues: &Clues, is_over: impl Fn() -> bool) -> Option<()> {
        let mut beliefs = Beliefs::new(clues);
        beliefs.set_known(|row, column| {
            (self.encoding.cells.variable(row, column) == 0)
                .then(|| self.encoding.filled.get(row, column))
        });
        for _ in 0..BELIEF_SWEEPS {
            beliefs.sweep(&is_over)?;
        }
        for (variable, row, column) in self.encoding.cells.each() {
            let is_likely = beliefs.log_odds(row, column) > 0.0;
            self.solver.set_phase(literal(variable, is_likely));
        }
        for (line, blocks) in self.encoding.starts.lines().enumerate() {
            // Where every block has one start there are no variables to set.
            if blocks.iter().all(|starts| starts.len() == 1) {
                continue;
            }
            if is_over() {
                break;
            }
            let mut blocks: Vec<_> = blocks.iter().map(|block| (block.iter(), 0.0)).collect();
            beliefs.starts(line, |j, i, probability| {
                let (starts, probability_started) = &mut blocks[j];
                *probability_started += probability;
                let here = starts.as_slice().first();
                if let Some(&(_, variable)) = here.filter(|&&(start, _)| usize::from(start) == i) {
                    starts.next();
                    if variable != 0 {
                        let is_likely = *probability_started > 0.5;
                        self.solver.set_phase(literal(variable, is_likely));
                    }
                }
            });
        }
        Some(())
    }

    /// Moves the assignment of the solver to this solution, so that later calls search near it. The solution must agree with the known
    /// cells.
    pub fn move_to(&mut self, solution: &Grid) {
        for (variable, row, column) in self.encoding.cells.each() {
            let filled = solution.get(row, column);
            self.solver.assume(literal(variable, filled));
        }
        self.solve(None);
    }

    /// Clears the phases that were set at the start, so that later calls search near the latest assignment, where a second solution
    /// usually is.
    pub fn clear_phases(&mut self) {
        for variable in 1..=self.encoding.starts.max_variable() {
            self.solver.clear_phase(variable);
        }
    }

    /// Assumes the value of a cell for the next call of [`SatSolver::solve`] only. [`SatAnswer::None`] then means: none under the
    /// assumptions.
    pub fn assume(&mut self, row: usize, column: usize, filled: bool) {
        let variable = self.encoding.cells.variable(row, column);
        if variable != 0 {
            self.solver.assume(literal(variable, filled));
        }
    }

    /// For the next call of [`SatSolver::solve`] only, requires that at least one of these cells (row, column) differs from this grid,
    /// which must agree with the known cells. [`SatAnswer::None`] then means that none of them can differ.
    pub fn require_difference(&mut self, from: &Grid, cells: &[(usize, usize)]) {
        let differs = |&(row, column): &(usize, usize)| {
            let variable = self.encoding.cells.variable(row, column);
            (variable != 0).then(|| -literal(variable, from.get(row, column)))
        };
        let clause: Vec<_> = cells.iter().filter_map(differs).collect();
        self.solver.constrain(&clause);
    }

    /// After [`SatAnswer::None`], whether this assumption of [`SatSolver::assume`] was needed for it.
    pub(super) fn is_needed(&mut self, row: usize, column: usize, filled: bool) -> bool {
        let variable = self.encoding.cells.variable(row, column);
        variable != 0 && self.solver.is_needed(literal(variable, filled))
    }

    /// The value of this cell in every solution that is not forbidden, if one has been proved so far.
    pub fn fixed_cell(&self, row: usize, column: usize) -> Option<bool> {
        match self.encoding.cells.variable(row, column) {
            0 => Some(self.encoding.filled.get(row, column)),
            variable => self.solver.fixed(variable),
        }
    }

    /// Fixes this cell for all later calls.
    pub fn fix_cell(&mut self, row: usize, column: usize, filled: bool) {
        let variable = self.encoding.cells.variable(row, column);
        if variable != 0 && self.solver.fixed(variable).is_none() {
            self.solver.add_clause(&[literal(variable, filled)]);
        }
    }

    /// Number of conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }

    /// Work done so far, in ticks: a deterministic measure, some nanoseconds each. A tick is CaDiCaL's; batsat's propagations are counted as
    /// ticks by what they take on average.
    pub fn ticks(&self) -> u64 {
        self.solver.ticks()
    }
}
