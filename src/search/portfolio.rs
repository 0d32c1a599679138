//! A portfolio of two engines on one question: the tree search, and a SAT solver beside it.
//!
//! Different engines win on different puzzles, so where one or a few solutions are wanted both look for them. They exchange what they have
//! proved: the solutions found, and the *facts*, cells that are the same in every solution not found yet. The first engine
//! with the answer ends the run. A solution that is known beforehand, the *witness*, counts as found, and both search near it.
//!
//! Beside a thread pool the solver has a thread of its own, and the tree search uses one thread fewer. On a single thread the two take
//! turns, measured by work and not by the clock, so that a run is reproducible. In a turn the solver is called repeatedly, each time for a
//! limited number of conflicts; between two calls the engines exchange what they have proved.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use crate::board::{Board, Clues};
use crate::line::{Known, Word};
use crate::puzzle::{self, Grid, Puzzle};
use crate::run::Control;
use crate::run::lock;
use crate::sat::{Backbone, SatAnswer, SatSolver};
use crate::solutions::{Batch, Sink, Stop};

/// The state shared by both engines.
#[derive(Debug)]
pub(super) struct Portfolio {
    width: usize,
    height: usize,
    /// Number of solutions wanted.
    pub(super) max_solutions: usize,
    /// A solution known beforehand.
    pub(super) witness: Option<Grid>,
    /// The solutions found, all different; the witness, if any, is the first.
    found: Mutex<Vec<Grid>>,
    /// Number of solutions found. Relaxed: only a hint for the solver that there are new solutions to forbid.
    count: AtomicUsize,
    facts: Facts,
    /// Settles of all tasks, where the solver has a thread of its own. Relaxed: a sum.
    settles: AtomicU64,
    /// Whether the solver has been told to start. Relaxed: its waiting thread reads the flag only while it holds `gate`.
    is_solver_started: AtomicBool,
    /// Whether the tree search has ended. Relaxed: the waiting thread reads it while it holds `gate`; for other readers it is a hint.
    is_tree_done: AtomicBool,
    /// The lock of `changed`, the condition variable on which the thread of the solver waits until one of the two flags is set.
    gate: Mutex<()>,
    changed: Condvar,
    /// Conflicts of the solver. Relaxed: read when the solver has ended.
    conflicts: AtomicU64,
}

/// Cells that are the same in every solution not found yet.
#[derive(Debug)]
struct Facts {
    /// One bit per cell, packed as in a [`Grid`]: filled, empty. Relaxed: each bit is valid by itself, whenever it is read.
    filled: Box<[AtomicU64]>,
    empty: Box<[AtomicU64]>,
    /// Whether the solver has proved a fact that the tree search had not. Relaxed: a hint.
    has_solver_fact: AtomicBool,
}

impl Facts {
    /// The words of the filled cells, and those of the empty ones.
    fn words(&self) -> [Vec<u64>; 2] {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        [&self.filled, &self.empty].map(|words| words.iter().map(load).collect())
    }

    /// Adds a fact proved by the solver.
    fn add(&self, width: usize, row: usize, column: usize, filled: bool) {
        let words = if filled { &self.filled } else { &self.empty };
        let word = &words[row * Grid::stride(width) + column / 64];
        let bit = 1 << (column % 64);
        // Most facts are known already, and reading a word is cheaper than changing it.
        if word.load(Ordering::Relaxed) & bit == 0
            && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
        {
            self.has_solver_fact.store(true, Ordering::Relaxed);
        }
    }
}

impl Portfolio {
    /// A portfolio that looks for `max_solutions` solutions of a puzzle. The witness, if one is known, counts as one of them.
    pub(super) fn new(puzzle: &Puzzle, max_solutions: usize, witness: Option<&Grid>) -> Self {
        let words = Grid::stride(puzzle.width()) * puzzle.height();
        let no_cells = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Portfolio {
            width: puzzle.width(),
            height: puzzle.height(),
            max_solutions,
            witness: witness.cloned(),
            found: Mutex::new(witness.cloned().into_iter().collect()),
            count: AtomicUsize::new(usize::from(witness.is_some())),
            facts: Facts {
                filled: no_cells(),
                empty: no_cells(),
                has_solver_fact: AtomicBool::new(false),
            },
            settles: AtomicU64::new(0),
            is_solver_started: AtomicBool::new(false),
            is_tree_done: AtomicBool::new(false),
            gate: Mutex::new(()),
            changed: Condvar::new(),
            conflicts: AtomicU64::new(0),
        }
    }

    /// Takes the solutions found, and the number of conflicts of the solver.
    pub(super) fn take_result(&self) -> (Vec<Grid>, u64) {
        let found = std::mem::take(&mut *lock(&self.found));
        (found, self.conflicts.load(Ordering::Relaxed))
    }

    /// The cells known to be the same in every solution; `found` are the solutions found.
    pub(super) fn known(&self, found: &[Grid]) -> Backbone {
        let [mut filled, mut empty] = self.facts.words();
        // The facts say nothing about the solutions found, so a cell counts only if it has its value in these too.
        for grid in found {
            for (i, &word) in grid.words().iter().enumerate() {
                filled[i] &= word;
                empty[i] &= !word;
            }
        }
        Backbone {
            filled: Grid::from_words(self.width, self.height, filled.into()),
            empty: Grid::from_words(self.width, self.height, empty.into()),
            ambiguous: Grid::new(self.width, self.height),
        }
    }

    /// Number of solutions found so far.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed) as u64
    }

    /// The value that the tree search tries first for this cell: that of the witness, else filled.
    pub(super) fn first_value(&self, cell: puzzle::Cell) -> bool {
        let witness = self.witness.as_ref();
        witness.is_none_or(|witness| cell.is_filled_in(witness))
    }

    /// Whether the solver has been started.
    pub(super) fn solver_started(&self) -> bool {
        self.is_solver_started.load(Ordering::Relaxed)
    }

    /// Adds a solution, unless it has been found before; `false` when no more are wanted.
    fn add_solution(&self, grid: Grid) -> bool {
        let mut found = lock(&self.found);
        if found.len() < self.max_solutions && !found.contains(&grid) {
            found.push(grid);
            self.count.store(found.len(), Ordering::Relaxed);
        }
        found.len() < self.max_solutions
    }

    /// Adds the cells known at the root of the tree to the facts.
    pub(super) fn add_root_cells<W: Word>(&self, board: &Board<'_, W>) {
        let stride = Grid::stride(self.width);
        for (r, row) in board.rows().iter().enumerate() {
            for i in 0..stride {
                self.facts.filled[r * stride + i].fetch_or(row.filled.part(i), Ordering::Relaxed);
                self.facts.empty[r * stride + i].fetch_or(row.empty.part(i), Ordering::Relaxed);
            }
        }
    }

    /// The facts by row; `None` when the solver has contributed none.
    pub(super) fn facts<W: Word>(&self) -> Option<impl Fn(usize) -> Known<W> + '_> {
        let stride = Grid::stride(self.width);
        let row = move |words: &[AtomicU64], r: usize| {
            let mut parts = [0; 64];
            for (part, word) in parts.iter_mut().zip(&words[r * stride..][..stride]) {
                *part = word.load(Ordering::Relaxed);
            }
            W::from_parts(&parts[..stride])
        };
        let facts = &self.facts;
        let is_any = facts.has_solver_fact.load(Ordering::Relaxed);
        is_any.then_some(move |r| Known {
            filled: row(&facts.filled, r),
            empty: row(&facts.empty, r),
        })
    }

    /// Adds to the settles of the tree search and returns their sum.
    pub(super) fn add_settles(&self, settles: u64) -> u64 {
        self.settles.fetch_add(settles, Ordering::Relaxed) + settles
    }

    /// Wakes the thread that waits in [`SatEngine::run`], if there is one.
    pub(super) fn start_solver(&self) {
        if !self.solver_started() {
            let _gate = lock(&self.gate);
            self.is_solver_started.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
    }

    /// A guard that dismisses the solver when dropped, on a panic too: otherwise the scope would wait for its thread forever.
    pub(super) fn dismiss_on_drop(&self) -> impl Drop + '_ {
        struct Dismissal<'a>(&'a Portfolio);
        impl Drop for Dismissal<'_> {
            fn drop(&mut self) {
                let _gate = lock(&self.0.gate);
                self.0.is_tree_done.store(true, Ordering::Relaxed);
                self.0.changed.notify_all();
            }
        }
        Dismissal(self)
    }

    /// Whether the tree search has ended.
    fn is_tree_done(&self) -> bool {
        self.is_tree_done.load(Ordering::Relaxed)
    }
}

/// The sink of the tree search.
impl Sink for Portfolio {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let are_more_wanted = batch.try_each(|words| {
            self.add_solution(Grid::from_words(self.width, self.height, words.into()))
        });
        if are_more_wanted {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Stop::Limit)
        }
    }
}

/// The SAT solver as an engine of a portfolio, not built yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct SatEngine<'a> {
    pub(super) portfolio: &'a Arc<Portfolio>,
    pub(super) control: &'a Arc<Control>,
    pub(super) puzzle: &'a Puzzle,
    pub(super) clues: &'a Clues,
    /// Memory limit of the solver, in bytes.
    pub(super) memory: u64,
}

/// The same with its solver.
#[derive(Debug)]
struct SatRunner {
    portfolio: Arc<Portfolio>,
    control: Arc<Control>,
    solver: SatSolver,
    /// The facts passed to the solver or proved by it.
    filled: Vec<u64>,
    empty: Vec<u64>,
    /// Number of solutions found that are forbidden in the solver. Its terminator compares this with the number found.
    forbidden: Rc<Cell<usize>>,
}

/// Ticks of the solver that count as one settle, by which turns are measured. They take longer than a settle does: the solver gets more
/// time.
const TICKS_PER_SETTLE: u64 = 20;

/// Maximum conflicts of a call of the solver: this number, plus its conflicts so far divided by [`CALL_CONFLICT_DIVISOR`].
const MIN_CALL_CONFLICTS: u64 = 200;
const CALL_CONFLICT_DIVISOR: u64 = 4;

impl SatEngine<'_> {
    /// Waits until the solver is told to start, and runs it until either engine has the answer; ends when the tree search has ended.
    pub(super) fn run(self) {
        let portfolio = self.portfolio;
        drop(portfolio.changed.wait_while(lock(&portfolio.gate), |()| {
            !portfolio.solver_started() && !portfolio.is_tree_done()
        }));
        if portfolio.is_tree_done() || self.control.stopped() {
            return;
        }
        if let Some(mut runner) = self.build() {
            while runner.call_solver() {}
        }
    }

    /// Builds the solver. `None` when it needs too much memory, or the run ends before it is ready.
    fn build(self) -> Option<SatRunner> {
        let (portfolio, control) = (Arc::clone(self.portfolio), Arc::clone(self.control));
        let [filled, empty] = portfolio.facts.words();
        let (width, height) = (portfolio.width, portfolio.height);
        let grid = |words: &[u64]| Grid::from_words(width, height, words.into());
        // Until the solver is ready, solutions found must not stop it.
        let forbidden = Rc::new(Cell::new(usize::MAX));
        let stop = {
            let (portfolio, control) = (Arc::clone(&portfolio), Arc::clone(&control));
            let forbidden = Rc::clone(&forbidden);
            move || {
                control.poll()
                    || portfolio.is_tree_done()
                    || portfolio.count.load(Ordering::Relaxed) > forbidden.get()
            }
        };
        let known = (grid(&filled), grid(&empty));
        let mut solver = SatSolver::new(self.puzzle, &known.0, &known.1, self.memory, stop)?;
        // A second solution is searched near the known one.
        if let Some(witness) = &portfolio.witness {
            solver.move_to(witness);
        } else if portfolio.count.load(Ordering::Relaxed) == 0 {
            solver.guess_phases(self.clues, || control.poll() || portfolio.is_tree_done())?;
        }
        forbidden.set(0);
        Some(SatRunner {
            portfolio,
            control,
            solver,
            filled,
            empty,
            forbidden,
        })
    }
}

impl SatRunner {
    /// Calls the solver once, after an exchange. `false` when the run has ended.
    fn call_solver(&mut self) -> bool {
        self.update_solver();
        let max_conflicts = MIN_CALL_CONFLICTS + self.solver.conflicts() / CALL_CONFLICT_DIVISOR;
        let answer = self.solver.solve(u32::try_from(max_conflicts).ok());
        let conflicts = self.solver.conflicts();
        self.portfolio.conflicts.store(conflicts, Ordering::Relaxed);
        match answer {
            SatAnswer::Solution(grid) => {
                if !self.portfolio.add_solution(grid) {
                    self.control.stop(Stop::Limit);
                }
            }
            SatAnswer::None => self.control.finish(),
            SatAnswer::Unknown => {}
        }
        self.publish_facts();
        !self.control.stopped() && !self.portfolio.is_tree_done()
    }

    /// Adds the cells that the solver has proved to the facts.
    fn publish_facts(&self) {
        let (width, height) = (self.portfolio.width, self.portfolio.height);
        for (row, column) in (0..width * height).map(|i| (i / width, i % width)) {
            if let Some(filled) = self.solver.fixed_cell(row, column) {
                self.portfolio.facts.add(width, row, column, filled);
            }
        }
    }

    /// Passes to the solver the solutions and facts that it does not have yet.
    fn update_solver(&mut self) {
        let found = lock(&self.portfolio.found);
        for grid in &found[self.forbidden.get()..] {
            self.solver.forbid(grid);
        }
        if self.forbidden.replace(found.len()) == 0 && !found.is_empty() {
            self.solver.clear_phases();
        }
        drop(found);
        let stride = Grid::stride(self.portfolio.width);
        for (facts, known, filled) in [
            (&self.portfolio.facts.filled, &mut self.filled, true),
            (&self.portfolio.facts.empty, &mut self.empty, false),
        ] {
            for (i, (fact, known)) in facts.iter().zip(known).enumerate() {
                let new = fact.load(Ordering::Relaxed) & !*known;
                *known |= new;
                for bit in new.cells() {
                    let (row, column) = (i / stride, i % stride * 64 + bit);
                    self.solver.fix_cell(row, column, filled);
                }
            }
        }
    }
}

/// The turns of the solver, where it shares the thread of the tree search.
#[derive(Debug)]
pub(super) struct SatTurns<'a> {
    engine: SatEngine<'a>,
    runner: Option<SatRunner>,
    /// Settles of the tree search so far, and the number of them at which the next turn of the solver is due.
    settles: u64,
    next_turn_at: u64,
}

impl<'a> SatTurns<'a> {
    /// The first turn comes after `first_turn_at` settles of the tree search.
    pub(super) fn new(engine: SatEngine<'a>, first_turn_at: u64) -> Self {
        SatTurns {
            engine,
            runner: None,
            settles: 0,
            next_turn_at: first_turn_at,
        }
    }

    /// Adds to the settles of the tree search, and runs the solver when its turn is due.
    pub(super) fn add_settles(&mut self, settles: u64) {
        self.settles += settles;
        if self.settles < self.next_turn_at || self.engine.control.stopped() {
            return;
        }
        // The settles grow by half from one turn to the next, so that there are few turns.
        self.next_turn_at = self.settles + self.settles / 2;
        let portfolio = self.engine.portfolio;
        portfolio.is_solver_started.store(true, Ordering::Relaxed);
        if self.runner.is_none() {
            self.runner = self.engine.build();
        }
        match &mut self.runner {
            // A turn lasts until the solver has done as much work as the tree search.
            Some(runner) => {
                let ticks = self.settles * TICKS_PER_SETTLE;
                while runner.solver.ticks() < ticks && runner.call_solver() {}
            }
            None => self.next_turn_at = u64::MAX,
        }
    }
}
