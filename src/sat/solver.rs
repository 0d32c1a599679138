//! The solver that learns clauses, with a puzzle put to it.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use cadical_sys::{CaDiCal, FixedAssignmentListener, Status, Terminator};

use super::encode::{BlockStarts, CellVariables, encode};
use super::exchange::{Exchange, Member};
use crate::belief::Beliefs;
use crate::puzzle::{Grid, Puzzle};

/// Bytes that the solver takes for each start of a block, roughly.
const BYTES_OF_START: u64 = 500;

/// What a [`SatSolver`] has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A solution, none of those forbidden.
    Solution(Grid),
    /// There is no other solution than those forbidden.
    None,
    /// It was stopped before it knew.
    Unknown,
}

/// A puzzle in the hands of a clause-learning solver.
///
/// It works on the thread that made it. What it has learnt stays from one call to the next.
///
/// ```
/// use omnogram::puzzle::{Clue, Grid, Puzzle};
/// use omnogram::sat::{Answer, SatSolver};
///
/// let one = || Clue::new([1]).unwrap();
/// let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).unwrap();
/// let unknown = Grid::new(2, 2);
/// let mut learner = SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, || false, |_, _, _| {}).unwrap();
/// let mut found = 0;
/// while let Answer::Solution(grid) = learner.solve(None) {
///     learner.forbid(&grid);
///     found += 1;
/// }
/// assert_eq!(found, 2);
/// ```
pub struct SatSolver {
    solver: CaDiCal,
    cells: Rc<CellVariables>,
    starts: BlockStarts,
    /// What was known when it was made.
    filled: Grid,
    /// Whom it hands clauses to.
    member: Option<Member>,
}

impl fmt::Debug for SatSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learner")
            .field("cells", &self.cells.count())
            .field("conflicts", &self.conflicts())
            .finish_non_exhaustive()
    }
}

/// Asks a closure whether to stop.
struct Asking<F>(F);

impl<F: FnMut() -> bool> Terminator for Asking<F> {
    fn terminated(&mut self) -> bool {
        (self.0)()
    }
}

/// Tells a closure which cells hold from now on.
struct Telling<F>(F, Rc<CellVariables>);

impl<F: FnMut(usize, usize, bool)> FixedAssignmentListener for Telling<F> {
    fn notify_fixed_assignment(&mut self, literal: i32) {
        if let Some((row, column)) = self.1.place(literal.abs()) {
            (self.0)(row, column, literal > 0);
        }
    }
}

impl SatSolver {
    /// Takes a puzzle in which the cells of `filled` are known to be filled and those of `empty` to be empty; the more, the better.
    ///
    /// `stop` is asked every now and then whether to give up, and `fixed` told of every cell (row, column, filled?) as soon as it is
    /// the same in all solutions that are not forbidden. `None` when it would take more than about `memory` bytes, or when `stop` says
    /// so before all is encoded.
    pub fn new(
        puzzle: &Puzzle,
        filled: &Grid,
        empty: &Grid,
        memory: u64,
        mut stop: impl FnMut() -> bool + 'static,
        fixed: impl FnMut(usize, usize, bool) + 'static,
    ) -> Option<Self> {
        // Variables are numbered by an i32.
        let most = (memory / BYTES_OF_START).min(1 << 28) as usize;
        let cells = Rc::new(CellVariables::new(filled, empty));
        let starts = BlockStarts::new(puzzle, (filled, empty), &cells, most, &mut stop)?;
        let mut solver = CaDiCal::new();
        // Puzzles are small: simplifying the clauses takes longer than it saves. Few restarts, always back to where most was
        // assigned, prove and find sooner than restarting fast; measured over tournament and survey puzzles.
        solver.configure("plain");
        solver.set("stabilizeonly", 1);
        solver.set("shrink", 0);
        // What is assumed is kept assigned from one call to the next, as far as it is the same.
        solver.set("ilb", 1);
        // The attempt to satisfy all clauses by one simple rule never succeeds on a puzzle, gives up what is assigned, and made each of
        // the counter's short questions some ten times as dear.
        solver.set("lucky", 0);
        // Before the clauses, as what follows from them at once is told only then.
        solver.connect_fixed_listener(Telling(fixed, Rc::clone(&cells)));
        encode(puzzle, filled, &cells, &starts, &mut stop, |clause| {
            clause.iter().for_each(|&literal| solver.add(literal));
            solver.add(0);
        })?;
        solver.connect_terminator(Asking(stop));
        Some(SatSolver {
            solver,
            cells,
            starts,
            filled: filled.clone(),
            member: None,
        })
    }

    /// Hands short clauses to all learners of this exchange, and takes theirs, whenever [`SatSolver::meet`] is called. All of them have been
    /// given the same puzzle with the same known cells, and forbid nothing.
    pub(crate) fn share(&mut self, exchange: Arc<Exchange>) {
        let member = Member::new(exchange);
        self.solver.connect_learner(member.listener());
        self.member = Some(member);
    }

    /// Hands on what it has learnt and takes over what the others have, if it has an exchange.
    pub(crate) fn meet(&mut self) {
        if let Some(member) = &mut self.member {
            member.meet(|literal| self.solver.add(literal));
        }
    }

    /// Looks for a solution, until it has met this many conflicts or is stopped.
    pub fn solve(&mut self, conflicts: Option<u32>) -> Answer {
        if let Some(conflicts) = conflicts {
            let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
            self.solver.limit("conflicts", conflicts);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => {
                let mut grid = self.filled.clone();
                for (variable, row, column) in self.cells.each() {
                    grid.set(row, column, self.solver.val(variable) > 0);
                }
                Answer::Solution(grid)
            }
            Status::UNSATISFIABLE => Answer::None,
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    /// From now on this solution is none.
    pub fn forbid(&mut self, grid: &Grid) {
        for (variable, row, column) in self.cells.each() {
            // What is fixed says nothing.
            self.solver.add(match grid.get(row, column) {
                true => -variable,
                false => variable,
            });
        }
        self.solver.add(0);
    }

    /// Looks first where the beliefs say that solutions are. What was known must be known to them. Goes no further when `stop`, asked
    /// before every line, says so.
    pub fn guess(&mut self, beliefs: &mut Beliefs<'_>, mut stop: impl FnMut() -> bool) {
        for (variable, row, column) in self.cells.each() {
            let filled = beliefs.log_odds(row, column) > 0.0;
            self.solver.phase(if filled { variable } else { -variable });
        }
        for (line, blocks) in self.starts.lines().enumerate() {
            // Where every block has one start there is nothing to guess.
            if blocks.iter().all(|starts| starts.len() == 1) {
                continue;
            }
            if stop() {
                return;
            }
            let mut blocks: Vec<_> = blocks.iter().map(|block| (block.iter(), 0.0)).collect();
            beliefs.starts(line, |j, i, likely| {
                let (starts, begun) = &mut blocks[j];
                *begun += likely;
                let here = starts.as_slice().first();
                if let Some(&(_, variable)) = here.filter(|&&(start, _)| usize::from(start) == i) {
                    starts.next();
                    if variable != 0 {
                        self.solver
                            .phase(if *begun > 0.5 { variable } else { -variable });
                    }
                }
            });
        }
    }

    /// Puts it where this solution is, from where it goes on to look. What was known must agree with it.
    pub fn visit(&mut self, solution: &Grid) {
        for (variable, row, column) in self.cells.each() {
            self.solver.assume(match solution.get(row, column) {
                true => variable,
                false => -variable,
            });
        }
        self.solve(None);
    }

    /// Forgets what it guessed: from now on it looks near where it has been. Where there is a second solution, it mostly is.
    pub fn stay(&mut self) {
        for variable in 1..=self.starts.top() {
            self.solver.unphase(variable);
        }
    }

    /// For the next call of [`SatSolver::solve`] alone, this cell is such. An [`Answer::None`] then speaks of what was assumed.
    pub fn assume(&mut self, row: usize, column: usize, filled: bool) {
        let variable = self.cells.variable(row, column);
        if variable != 0 {
            self.solver
                .assume(if filled { variable } else { -variable });
        }
    }

    /// For the next call of [`SatSolver::solve`] alone, at least one of these cells, as (row, column), is other than in this picture,
    /// which agrees with what was known. An [`Answer::None`] then says that none of them can be.
    pub fn differ(&mut self, from: &Grid, cells: &[(usize, usize)]) {
        for &(row, column) in cells {
            let variable = self.cells.variable(row, column);
            if variable != 0 {
                self.solver.constrain(match from.get(row, column) {
                    true => -variable,
                    false => variable,
                });
            }
        }
        self.solver.constrain(0);
    }

    /// What this cell is in every solution that is not forbidden, as far as that has been proved.
    pub fn known(&self, row: usize, column: usize) -> Option<bool> {
        let fixed = match self.cells.variable(row, column) {
            0 if self.filled.get(row, column) => 1,
            0 => -1,
            variable => self.solver.fixed(variable),
        };
        (fixed != 0).then_some(fixed > 0)
    }

    /// From now on this cell is known.
    pub fn know(&mut self, row: usize, column: usize, filled: bool) {
        let variable = self.cells.variable(row, column);
        if variable != 0 && self.solver.fixed(variable) == 0 {
            self.solver
                .clause1(if filled { variable } else { -variable });
        }
    }

    /// Conflicts met so far.
    pub fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").max(0) as u64
    }

    /// Work done so far, in the solver's own measure, which no clock disturbs: some nanoseconds each.
    pub fn ticks(&self) -> u64 {
        self.solver.get_statistic_value("ticks").max(0) as u64
    }
}
