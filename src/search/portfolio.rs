//! Two engines on one question: the tree, and clause learning beside it.
//!
//! Different engines win on different puzzles, so where one or a few solutions are wanted both look for them, and each tells the other
//! what it has proved: the solutions found, and the *facts*, cells that are the same in every solution but those found. Whoever
//! knows first ends the race. A solution that is known beforehand, the *witness*, counts as found, and both look near it. Beside a pool, which then splits the tree among one thread fewer, a thread of its own learns; on a single
//! thread the two take turns, measured by what they do and not by the clock, so that a run repeats exactly.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use crate::belief::Beliefs;
use crate::board::{self, Board, Clues};
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::run::Control;
use crate::run::lock;
use crate::sat::{Answer, SatSolver};
use crate::solutions::{Batch, Sink, Stop};

/// What the engines share.
#[derive(Debug)]
pub(super) struct Portfolio {
    width: usize,
    height: usize,
    /// Solutions that are wanted.
    most: usize,
    /// A solution that was known beforehand.
    witness: Option<Grid>,
    /// Those found, all different; the witness is the first of them.
    found: Mutex<Vec<Grid>>,
    /// How many. Relaxed: a hint to look.
    count: AtomicUsize,
    facts: Facts,
    /// Settles of all tasks of the tree, where the learner has a thread of its own. Relaxed: a sum.
    settles: AtomicU64,
    /// Has the learner been called? Relaxed: whoever waits for it holds the gate.
    called: AtomicBool,
    /// The tree has been searched, or given up. Relaxed, likewise; else a hint to look.
    tree_done: AtomicBool,
    /// Where a learner with a thread of its own waits for one of the two.
    gate: Mutex<()>,
    changed: Condvar,
    /// Conflicts that the learner met. Relaxed: read when it is done.
    conflicts: AtomicU64,
}

/// Cells that are the same in every solution but those found.
#[derive(Debug)]
struct Facts {
    /// One bit a cell, packed as in a [`Grid`]: filled, empty. Relaxed: each bit is true by itself, whenever it is seen.
    filled: Box<[AtomicU64]>,
    empty: Box<[AtomicU64]>,
    /// Is there any that the tree does not know by itself? Relaxed, likewise.
    any: AtomicBool,
}

impl Facts {
    /// The learner has found out about a cell.
    fn learn(&self, width: usize, row: usize, column: usize, filled: bool) {
        let words = if filled { &self.filled } else { &self.empty };
        let word = &words[row * Grid::stride(width) + column / 64];
        let bit = 1 << (column % 64);
        if word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            self.any.store(true, Ordering::Relaxed);
        }
    }
}

fn load(words: &[AtomicU64]) -> Vec<u64> {
    words
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect()
}

impl Portfolio {
    /// A race for `most` solutions of a puzzle, of which one may be known.
    pub(super) fn new(puzzle: &Puzzle, most: usize, witness: Option<&Grid>) -> Self {
        let words = Grid::stride(puzzle.width()) * puzzle.height();
        let none = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Portfolio {
            width: puzzle.width(),
            height: puzzle.height(),
            most,
            witness: witness.cloned(),
            found: Mutex::new(witness.cloned().into_iter().collect()),
            count: AtomicUsize::new(usize::from(witness.is_some())),
            facts: Facts {
                filled: none(),
                empty: none(),
                any: AtomicBool::new(false),
            },
            settles: AtomicU64::new(0),
            called: AtomicBool::new(false),
            tree_done: AtomicBool::new(false),
            gate: Mutex::new(()),
            changed: Condvar::new(),
            conflicts: AtomicU64::new(0),
        }
    }

    /// The solutions found, and the conflicts that the learner met.
    pub(super) fn result(&self) -> (Vec<Grid>, u64) {
        let found = std::mem::take(&mut *lock(&self.found));
        (found, self.conflicts.load(Ordering::Relaxed))
    }

    /// The cells that are filled, and those that are empty, in every solution, as far as either engine knows. `found` are those found.
    pub(super) fn known(&self, found: &[Grid]) -> (Grid, Grid) {
        let (mut filled, mut empty) = (load(&self.facts.filled), load(&self.facts.empty));
        // A fact may hold in all solutions but those found: then they have to agree with it too.
        for grid in found {
            for (i, &word) in grid.words().iter().enumerate() {
                filled[i] &= word;
                empty[i] &= !word;
            }
        }
        let grid = |words: Vec<u64>| Grid::from_words(self.width, self.height, words.into());
        (grid(filled), grid(empty))
    }

    /// Solutions found so far.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed) as u64
    }

    /// Solutions that are wanted.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Which way the tree decides this cell first: as the witness has it, else filled.
    pub(super) fn side(&self, cell: board::Cell) -> bool {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        let witness = self.witness.as_ref();
        witness.is_none_or(|witness| witness.get(row, column))
    }

    /// Has the learner done anything?
    pub(super) fn has_learnt(&self) -> bool {
        self.called.load(Ordering::Relaxed)
    }

    /// Takes a solution, unless it is there already; `false` when no more are wanted.
    fn find(&self, grid: Grid) -> bool {
        let mut found = lock(&self.found);
        if found.len() < self.most && !found.contains(&grid) {
            found.push(grid);
            self.count.store(found.len(), Ordering::Relaxed);
        }
        found.len() < self.most
    }

    /// The tree, at its root, knows these cells.
    pub(super) fn tell<W: Word>(&self, board: &Board<'_, W>) {
        let stride = Grid::stride(self.width);
        for (r, row) in board.rows().iter().enumerate() {
            for i in 0..stride {
                self.facts.filled[r * stride + i].fetch_or(row.filled.part(i), Ordering::Relaxed);
                self.facts.empty[r * stride + i].fetch_or(row.empty.part(i), Ordering::Relaxed);
            }
        }
    }

    /// What the learner found out about a row, as long as there is anything.
    pub(super) fn facts<W: Word>(&self) -> Option<impl Fn(usize) -> Known<W> + '_> {
        let stride = Grid::stride(self.width);
        let row = move |words: &[AtomicU64], r: usize| {
            let mut parts = [0; 64];
            for (part, word) in parts.iter_mut().zip(&words[r * stride..][..stride]) {
                *part = word.load(Ordering::Relaxed);
            }
            W::from_parts(&parts[..stride])
        };
        self.facts
            .any
            .load(Ordering::Relaxed)
            .then_some(move |r| Known {
                filled: row(&self.facts.filled, r),
                empty: row(&self.facts.empty, r),
            })
    }

    /// Adds to the settles of the tree; returns their sum.
    pub(super) fn spent(&self, settles: u64) -> u64 {
        self.settles.fetch_add(settles, Ordering::Relaxed) + settles
    }

    /// The tree has gone on for long enough: the learner shall begin, if there is one.
    pub(super) fn call(&self) {
        if !self.called.load(Ordering::Relaxed) {
            let _gate = lock(&self.gate);
            self.called.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
    }

    /// Dismisses the learner when it is let go, even by a panic: else it would be waited for.
    pub(super) fn leave_together(&self) -> impl Drop + '_ {
        struct Leaving<'a>(&'a Portfolio);
        impl Drop for Leaving<'_> {
            fn drop(&mut self) {
                self.0.dismiss();
            }
        }
        Leaving(self)
    }

    /// The tree is done.
    fn dismiss(&self) {
        let _gate = lock(&self.gate);
        self.tree_done.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Learns on this thread, once called, until the race is over.
    pub(super) fn learn(
        self: &Arc<Self>,
        control: &Arc<Control>,
        puzzle: &Puzzle,
        clues: &Clues,
        memory: u64,
    ) {
        let done = || self.tree_done.load(Ordering::Relaxed);
        let waits = |_: &mut ()| !self.called.load(Ordering::Relaxed) && !done();
        let gate = lock(&self.gate);
        drop(self.changed.wait_while(gate, waits));
        if done() || control.stopped() {
            return;
        }
        if let Some(mut runner) = SatRunner::new(self, control, puzzle, clues, memory) {
            while runner.go() {}
        }
    }
}

/// The tree's solutions.
impl Sink for Portfolio {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut more = true;
        batch.try_each(|words| {
            more = self.find(Grid::from_words(
                batch.width(),
                batch.height(),
                words.into(),
            ));
            more
        });
        match more {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Stop::Limit),
        }
    }
}

/// The learner in a race.
#[derive(Debug)]
struct SatRunner {
    portfolio: Arc<Portfolio>,
    control: Arc<Control>,
    solver: SatSolver,
    /// The facts that it was told or knows by itself.
    filled: Vec<u64>,
    empty: Vec<u64>,
    /// Solutions that it was told of. Its solver asks whether there are more by now.
    forbidden: Rc<Cell<usize>>,
}

/// Ticks of the learner's solver that count as much as a settle: it is given rather more of the time than the tree.
const TICKS: u64 = 20;

/// Sweeps of belief that tell the learner where to look first.
const SWEEPS: usize = 30;

/// Tells a learner by belief propagation, going by the cells known to be filled and to be empty, where to look first. `None` when `over`
/// says so before that is done.
pub(crate) fn guess(
    solver: &mut SatSolver,
    clues: &Clues,
    (filled, empty): (&Grid, &Grid),
    over: impl Fn() -> bool,
) -> Option<()> {
    let mut beliefs = Beliefs::new(clues);
    beliefs.see(|row, column| {
        let empty = || empty.get(row, column).then_some(false);
        filled.get(row, column).then_some(true).or_else(empty)
    });
    for _ in 0..SWEEPS {
        beliefs.sweep(&over)?;
    }
    solver.guess(&mut beliefs, over);
    Some(())
}

/// The conflicts that the learner may take in one turn: the first number, and those that it has had so far divided by the second number.
const BITE: (u64, u64) = (200, 4);

impl SatRunner {
    /// `None` when the puzzle is too large, or the race is over before it is ready.
    fn new(
        portfolio: &Arc<Portfolio>,
        control: &Arc<Control>,
        puzzle: &Puzzle,
        clues: &Clues,
        memory: u64,
    ) -> Option<Self> {
        let (filled, empty) = (load(&portfolio.facts.filled), load(&portfolio.facts.empty));
        let grid =
            |words: &[u64]| Grid::from_words(portfolio.width, portfolio.height, words.into());
        let known = (grid(&filled), grid(&empty));
        // Until it is ready, solutions that are found do not disturb it.
        let forbidden = Rc::new(Cell::new(usize::MAX));
        let over = || control.poll() || portfolio.tree_done.load(Ordering::Relaxed);
        let stop = {
            let (portfolio, control) = (Arc::clone(portfolio), Arc::clone(control));
            let forbidden = Rc::clone(&forbidden);
            move || {
                control.poll()
                    || portfolio.tree_done.load(Ordering::Relaxed)
                    || portfolio.count.load(Ordering::Relaxed) > forbidden.get()
            }
        };
        let fixed = {
            let portfolio = Arc::clone(portfolio);
            move |row, column, filled| portfolio.facts.learn(portfolio.width, row, column, filled)
        };
        let mut solver = SatSolver::new(puzzle, &known.0, &known.1, memory, stop, fixed)?;
        // Once there is a solution, another is looked for near it.
        if let Some(witness) = &portfolio.witness {
            solver.visit(witness);
        } else if portfolio.count.load(Ordering::Relaxed) == 0 {
            guess(&mut solver, clues, (&known.0, &known.1), over)?;
        }
        forbidden.set(0);
        Some(SatRunner {
            portfolio: Arc::clone(portfolio),
            control: Arc::clone(control),
            solver,
            filled,
            empty,
            forbidden,
        })
    }

    /// Work done so far, in what counts as settles.
    fn work(&self) -> u64 {
        self.solver.ticks() / TICKS
    }

    /// Goes on for a bite. `false` when there is nothing more to be done.
    fn go(&mut self) -> bool {
        self.catch_up();
        let bite = BITE.0 + self.solver.conflicts() / BITE.1;
        let answer = self.solver.solve(u32::try_from(bite).ok());
        let conflicts = self.solver.conflicts();
        self.portfolio.conflicts.store(conflicts, Ordering::Relaxed);
        match answer {
            Answer::Solution(grid) => {
                if !self.portfolio.find(grid) {
                    self.control.stop(Stop::Limit);
                }
            }
            Answer::None => self.control.finish(),
            Answer::Unknown => {}
        }
        !self.control.stopped() && !self.portfolio.tree_done.load(Ordering::Relaxed)
    }

    /// Tells the learner what has been found and proved.
    fn catch_up(&mut self) {
        let found = lock(&self.portfolio.found);
        for grid in &found[self.forbidden.get()..] {
            self.solver.forbid(grid);
        }
        if self.forbidden.replace(found.len()) == 0 && !found.is_empty() {
            self.solver.stay();
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
                    self.solver.know(i / stride, i % stride * 64 + bit, filled);
                }
            }
        }
    }
}

/// The learner's turns, where it has no thread of its own.
#[derive(Debug)]
pub(super) struct SatTurns<'a> {
    portfolio: &'a Arc<Portfolio>,
    control: &'a Arc<Control>,
    puzzle: &'a Puzzle,
    clues: &'a Clues,
    memory: u64,
    runner: Option<SatRunner>,
    /// Settles of the tree so far, and at the learner's next turn.
    settles: u64,
    next: u64,
}

impl<'a> SatTurns<'a> {
    /// The first turn comes after `alone` settles.
    pub(super) fn new(
        portfolio: &'a Arc<Portfolio>,
        control: &'a Arc<Control>,
        puzzle: &'a Puzzle,
        clues: &'a Clues,
        memory: u64,
        alone: u64,
    ) -> Self {
        SatTurns {
            portfolio,
            control,
            puzzle,
            clues,
            memory,
            runner: None,
            settles: 0,
            next: alone,
        }
    }

    /// Adds to the settles of the tree, and lets the learner have its turn when it is due.
    pub(super) fn spent(&mut self, settles: u64) {
        self.settles += settles;
        if self.settles < self.next || self.control.stopped() {
            return;
        }
        // Ever longer turns, so that there are few.
        self.next = self.settles + self.settles / 2;
        self.portfolio.called.store(true, Ordering::Relaxed);
        if self.runner.is_none() {
            let (portfolio, control) = (self.portfolio, self.control);
            self.runner = SatRunner::new(portfolio, control, self.puzzle, self.clues, self.memory);
        }
        match &mut self.runner {
            Some(runner) => while runner.work() < self.settles && runner.go() {},
            None => self.next = u64::MAX,
        }
    }
}
