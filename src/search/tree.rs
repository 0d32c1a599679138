//! The [`Search`] builder, and the run of a search: from the root of the tree to the outcome.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::queue::SegQueue;
use crossbeam::utils::CachePadded;

use super::cube::Cube;
use super::meter::{Meter, WHOLE};
use super::near::reduce_difference;
use super::options::Options;
use super::outcome::{Outcome, Total};
use super::portfolio::{Portfolio, SatEngine, SatTurns};
use super::product::{CollectOptions, MemoryBudget};
use super::switch::switched_solution;
use super::task::{self, Node, Shared};
use crate::board::{Board, Clues};
use crate::line::{Word, by_width};
use crate::puzzle::{Grid, Puzzle, verify};
use crate::run::{Control, Instant, Limits, Observer, Statistics, lock, memory_plan, ticking};
use crate::sat::SatSolver;
use crate::solutions::{Count, CountSink, Set, Sink, Stop};

/// A search for the solutions of one puzzle.
///
/// ```
/// use omnogram::puzzle::{Clue, Puzzle};
/// use omnogram::search::{Search, Verdict};
///
/// let one = || Clue::new([1]).unwrap();
/// let puzzle = Puzzle::new(vec![one(), one(), one()], vec![one(), one(), one()]).unwrap();
/// let outcome = Search::new(&puzzle).count();
/// assert_eq!(outcome.solutions.to_string(), "6");
/// assert_eq!(outcome.solutions.verdict(), Verdict::Multiple);
/// ```
#[derive(Clone)]
pub struct Search<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(super) cubes: Option<Vec<Cube>>,
    pub(crate) limits: Limits,
    pub(super) options: Options,
    pub(crate) single_threaded: bool,
    pub(crate) observer: Option<Observer<'a>>,
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("puzzle", self.puzzle)
            .field("cubes", &self.cubes)
            .field("limits", &self.limits)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<'a> Search<'a> {
    /// A search for all solutions, without limits.
    ///
    /// It uses the threads of the rayon pool in which it is run; [`rayon::ThreadPool::install`] chooses another pool.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Search {
            puzzle,
            cubes: None,
            limits: Limits::default(),
            options: Options::default(),
            single_threaded: false,
            observer: None,
        }
    }

    /// Searches only these subtrees, for example those that an earlier run handed back.
    ///
    /// # Panics
    ///
    /// When a cube decides a cell outside the puzzle.
    #[must_use]
    pub fn cubes(mut self, cubes: Vec<Cube>) -> Self {
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        for (cell, _) in cubes.iter().flat_map(Cube::decisions) {
            let (row, column) = cell.place();
            assert!(
                row < height && column < width,
                "{cell:?} is outside the puzzle"
            );
        }
        self.cubes = Some(cubes);
        self
    }

    /// Sets the limits. The methods that look for a fixed number of solutions ([`Search::solve`], [`Search::check`], [`Search::first`],
    /// [`Search::second`]) and [`Search::backbone`] ignore a limit on solutions.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the heuristics.
    #[cfg(feature = "unstable")]
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Searches without the cache of the fillings of small subproblems.
    pub(crate) fn without_subproblem_cache(mut self) -> Self {
        self.options.subproblem_cache = false;
        self
    }

    /// Uses only the calling thread, even within a larger pool: for many puzzles at once, one on each thread. Without it a search uses all
    /// threads of the pool; [`Search::first`] and [`Search::second`] may use one more for the SAT solver.
    #[must_use]
    pub fn single_threaded(mut self) -> Self {
        self.single_threaded = true;
        self
    }

    /// Calls `observer` ten times a second, and once at the end: from a separate thread, or from this one if the pool has one thread. [`Search::solutions`] and [`Search::incremental`]
    /// do not call it.
    #[must_use]
    pub fn observer(mut self, observer: Observer<'a>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Counts the solutions.
    pub fn count(&self) -> Outcome {
        self.run(&CountSink::new())
    }

    /// Passes every solution to a sink; this control limits time and nodes, instead of the limits of the search. A limit of
    /// the search on solutions truncates lists of regions and batches; the sink or the control must end the run when it is reached.
    pub(crate) fn run_under(&self, control: &Arc<Control>, sink: &dyn Sink) -> Outcome {
        self.run_with(control, sink, None)
    }

    /// Finds up to `max_solutions` solutions and stops: one to solve a puzzle, two to know whether it is unique.
    ///
    /// The SAT solver joins in where the tree search alone has no answer soon, unless only some cubes are searched or the build has no
    /// solver (feature `sat` or `sat-rust`). A limit on solutions set before is replaced by `max_solutions`.
    pub fn first(&self, max_solutions: usize) -> (Vec<Grid>, Outcome) {
        self.first_under(&self.portfolio_control(), max_solutions)
    }

    /// Looks for a second solution of a puzzle with the known solution `first`. The solutions returned begin with `first`. The difference
    /// between the two is reduced: if it consists of independent groups of cells, only the smallest group is kept.
    ///
    /// The whole puzzle is searched: cubes and a limit on solutions set before are ignored. If `first` is not a solution, this is the same
    /// as [`Search::first`] for up to two solutions.
    ///
    /// ```
    /// use omnogram::puzzle::{Clue, Grid, Puzzle};
    /// use omnogram::search::{Search, Verdict};
    ///
    /// let one = || Clue::new([1]).unwrap();
    /// let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).unwrap();
    /// let known = Grid::from_rows(&[".#", "#."]).unwrap();
    /// let (found, outcome) = Search::new(&puzzle).second(&known);
    /// assert_eq!(outcome.solutions.verdict(), Verdict::Multiple);
    /// assert_eq!(found[0], known);
    /// assert_eq!(found[1].to_string(), "#.\n.#\n");
    /// ```
    pub fn second(&self, first: &Grid) -> (Vec<Grid>, Outcome) {
        let whole = Search {
            cubes: None,
            ..self.clone()
        };
        if verify(self.puzzle, first).is_err() {
            return whole.first(2);
        }
        let started = Instant::now();
        if let Some(other) = switched_solution(self.puzzle, first) {
            let outcome = Outcome {
                solutions: Total::AtLeast(Count::from(2)),
                stopped: Some(Stop::Limit),
                cubes: Vec::new(),
                shares: Vec::new(),
                done: 0.0,
                statistics: Statistics::default(),
                elapsed: started.elapsed(),
            };
            return (vec![first.clone(), other], outcome);
        }
        let portfolio = Arc::new(Portfolio::new(self.puzzle, 2, Some(first)));
        let (mut found, outcome) = whole.run_portfolio(&self.portfolio_control(), &portfolio);
        if let [first, other] = &mut found[..] {
            *other = reduce_difference(first, other);
        }
        (found, outcome)
    }

    /// As [`Search::first`], under a control that may serve other runs too.
    pub(crate) fn first_under(
        &self,
        control: &Arc<Control>,
        max_solutions: usize,
    ) -> (Vec<Grid>, Outcome) {
        let portfolio = Arc::new(Portfolio::new(self.puzzle, max_solutions, None));
        self.run_portfolio(control, &portfolio)
    }

    /// Looks for a solution other than `first`, which must be one, under a control that may serve other runs too. If cubes are set, only
    /// they are searched, and `first` must lie in one of them. A limit on solutions is ignored. `None`: there is no other solution, or the
    /// run was stopped, as the field `stopped` of the outcome tells.
    pub(crate) fn other_under(
        &self,
        control: &Arc<Control>,
        first: &Grid,
    ) -> (Option<Grid>, Outcome) {
        let portfolio = Arc::new(Portfolio::new(self.puzzle, 2, Some(first)));
        let (found, outcome) = self.run_portfolio(control, &portfolio);
        (found.into_iter().nth(1), outcome)
    }

    /// A control for a portfolio, which counts the solutions itself, because both engines may find the same one.
    pub(super) fn portfolio_control(&self) -> Arc<Control> {
        Arc::new(Control::new(&self.limits, false))
    }

    /// Searches for the solutions that a portfolio wants: by the tree, together with the SAT solver where that may be used.
    pub(super) fn run_portfolio(
        &self,
        control: &Arc<Control>,
        portfolio: &Arc<Portfolio>,
    ) -> (Vec<Grid>, Outcome) {
        let mut outcome = self.run_with(control, &**portfolio, Some(portfolio));
        let (found, conflicts) = portfolio.take_result();
        #[cfg(feature = "checked")]
        for grid in &found {
            crate::solutions::checked::confirm(self.puzzle, grid);
        }
        outcome.statistics.conflicts = conflicts;
        outcome.solutions = Total::of(Count::from(found.len() as u64), outcome.stopped);
        (found, outcome)
    }

    /// Collects all solutions, each once, in canonical order.
    pub fn collect(&self) -> (Vec<Grid>, Outcome) {
        let set = Set::new(self.limits.bytes());
        let outcome = self.run(&set);
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        (set.into_sorted(width, height), outcome)
    }

    /// Passes every solution to a sink.
    pub fn run(&self, sink: &dyn Sink) -> Outcome {
        let control = Arc::new(Control::new(&self.limits, true));
        self.run_with(&control, sink, None)
    }

    /// Runs to the end under this control, which may also serve other runs. If there is a portfolio, it must be the sink.
    fn run_with(
        &self,
        control: &Arc<Control>,
        sink: &dyn Sink,
        portfolio: Option<&Arc<Portfolio>>,
    ) -> Outcome {
        #[cfg(feature = "checked")]
        let sink = &crate::solutions::checked::CheckedSink::new(self.puzzle, sink);
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.run_for_width::<W>(control, sink, portfolio))
    }

    fn run_for_width<W: Word>(
        &self,
        control: &Arc<Control>,
        sink: &dyn Sink,
        portfolio: Option<&Arc<Portfolio>>,
    ) -> Outcome {
        let uses_solver = SatSolver::IS_BUILT_IN
            && portfolio.is_some()
            && self.cubes.is_none()
            && self.options.sat_after_settles.is_some();
        let clues = Clues::new(self.puzzle);
        let threads = match self.threads() {
            threads if uses_solver => (threads - 1).max(1),
            threads => threads,
        };
        let shared = self.shared::<W>(&clues, control, sink, portfolio, threads);
        self.report_progress(&shared.meter, || self.search(&shared, uses_solver));
        if let (Some(portfolio), None) = (portfolio, shared.control.reason()) {
            shared.meter.finish(portfolio.count());
        }
        if let Some(observer) = self.observer {
            observer(shared.meter.snapshot());
        }
        conclude(shared)
    }

    /// The state shared by the tasks of a run.
    pub(super) fn shared<'s, W: Word>(
        &'s self,
        clues: &'s Clues,
        control: &Arc<Control>,
        sink: &'s dyn Sink,
        portfolio: Option<&Arc<Portfolio>>,
        threads: usize,
    ) -> Shared<'s, W> {
        // The number of solutions after which the run may stop.
        let wanted = match portfolio {
            Some(portfolio) => Some(portfolio.max_solutions as u64),
            None => self.limits.solutions,
        };
        let (max_solutions, memory) = (wanted.unwrap_or(u64::MAX), self.limits.bytes());
        let cells = (clues.width() * clues.height()) as u64;
        // The time of a settle grows with the square of the words per line: of the blocks, and of the words read for each.
        let words = (W::BITS / 64) as u64;
        let shared = Shared::<W> {
            clues,
            options: &self.options,
            control: Arc::clone(control),
            portfolio: portfolio.cloned(),
            meter: Meter::new(),
            sink,
            collect_options: CollectOptions {
                width: clues.width(),
                with_grids: sink.wants_grids(),
                max_fillings: max_solutions.max(1),
                memory: Arc::new(MemoryBudget {
                    reserved: AtomicU64::new(0),
                    limit: memory_plan::FILLINGS.of(memory),
                }),
                max_list_bytes: self.options.region_bytes,
            },
            settles_per_poll: (self.options.settles_per_poll / (words * words)).max(1),
            max_batch_leaves: (self.options.batch_leaves as u64).min(max_solutions) as usize,
            max_batch_solutions: (self.options.batch_cells / cells).max(1),
            threads,
            probe_bytes: memory_plan::SEARCH_PROBES.part(memory, threads as u64),
            subproblem_bytes: memory_plan::SUBPROBLEMS.part(memory, threads as u64),
            waiting_tasks: CachePadded::default(),
            cubes: SegQueue::new(),
            cubes_incomplete: AtomicBool::new(false),
            totals: Mutex::new((Statistics::default(), Count::ZERO)),
            policy: Mutex::new(None),
            caches: SegQueue::new(),
            pending_nodes: SegQueue::new(),
        };
        if wanted == Some(0) {
            shared.control.stop(Stop::Limit);
        }
        shared
    }

    /// Runs `work`, and reports its progress to the observer at intervals.
    pub(super) fn report_progress<T>(&self, meter: &Meter, work: impl FnOnce() -> T) -> T {
        match self.observer {
            Some(observer) => ticking(|| observer(meter.snapshot()), work),
            None => work(),
        }
    }

    /// Propagates the root, then searches every cube: in parallel in the pool, or one after the other on one thread.
    fn search<W: Word>(&self, shared: &Shared<'_, W>, uses_solver: bool) {
        let cubes = self.cubes.clone().unwrap_or_else(|| vec![Cube::default()]);
        let count = cubes.len() as u64;
        // The weights add up to exactly the whole for any number of cubes.
        let weight = |i: usize| WHOLE / count + u64::from((i as u64) < WHOLE % count);
        let mut board = Board::<W>::new(shared.clues);
        let mut is_stopped = shared.between_settles();
        let root_is_consistent = board.propagate_unless(&mut is_stopped);
        lock(&shared.totals).0.settles += board.settles();
        if let Some(portfolio) = &shared.portfolio
            && root_is_consistent != Some(false)
        {
            portfolio.add_root_cells(&board);
        }
        if root_is_consistent.is_none() {
            let open = cubes.into_iter().enumerate();
            open.for_each(|(i, cube)| shared.cubes.push((cube, weight(i))));
            return;
        }
        let sums = self.puzzle.sums();
        if root_is_consistent == Some(false) || sums.0 != sums.1 {
            shared.meter.add(WHOLE, 1);
            return;
        }
        let unknown = board.unknown();
        let nodes = cubes.into_iter().enumerate().filter_map(|(i, cube)| {
            let weight = weight(i);
            if shared.control.stopped() {
                shared.cubes.push((cube, weight));
                return None;
            }
            let (mark, settles_before) = (board.mark(), board.settles());
            let mut node = None;
            match board.follow(cube.decisions(), &mut is_stopped) {
                Some(true) => node = Some(Node::root(&board, cube, weight, &self.options)),
                Some(false) => shared.meter.add(weight, 1),
                None => shared.cubes.push((cube, weight)),
            }
            board.undo(mark);
            lock(&shared.totals).0.settles += board.settles() - settles_before;
            node
        });
        let portfolio = shared.portfolio.as_ref().filter(|_| uses_solver);
        let engine = portfolio.map(|portfolio| SatEngine {
            portfolio,
            control: &shared.control,
            puzzle: self.puzzle,
            clues: shared.clues,
            memory: memory_plan::SOLVER.of(self.limits.bytes()),
        });
        if self.threads() == 1 {
            let after_settles = self.options.sat_after_settles.unwrap_or(u64::MAX);
            let turns = engine.map(|engine| RefCell::new(SatTurns::new(engine, after_settles)));
            for node in nodes {
                task::run_all(shared, node, turns.as_ref());
            }
        } else {
            std::thread::scope(|threads| {
                // The solver has a thread of its own. As a job of the pool it would block a worker while it waits to be told to start.
                if let Some(engine) = engine.filter(|_| unknown > 0) {
                    // Without a thread for it the search goes on alone.
                    let _ = std::thread::Builder::new().spawn_scoped(threads, move || engine.run());
                }
                let _dismissal = engine.map(|engine| engine.portfolio.dismiss_on_drop());
                rayon::in_place_scope_fifo(|scope| {
                    nodes.for_each(|node| task::spawn(shared, node, scope));
                });
            });
        }
    }

    /// Number of threads to use.
    pub(super) fn threads(&self) -> usize {
        if self.single_threaded {
            1
        } else {
            rayon::current_num_threads()
        }
    }
}

/// The outcome of a run, from the shared state.
pub(super) fn conclude<W: Word>(shared: Shared<'_, W>) -> Outcome {
    let stopped = shared.control.reason();
    // Solutions in the open cubes may have been found already: by the solver, or before the run.
    let portfolio = shared.portfolio.as_ref();
    let found_elsewhere = portfolio
        .is_some_and(|portfolio| portfolio.solver_started() || portfolio.witness.is_some());
    let totals = shared.totals.into_inner();
    let (mut statistics, count) = totals.unwrap_or_else(PoisonError::into_inner);
    statistics.nodes = statistics.nodes.max(1);
    let incomplete = shared.cubes_incomplete.into_inner()
        || found_elsewhere
        || matches!(stopped, Some(Stop::Limit | Stop::Memory | Stop::Closed));
    let mut open: Vec<(Cube, u64)> = Vec::new();
    if !incomplete {
        open.extend(shared.cubes);
    }
    let weight_sum: f64 = open.iter().map(|&(_, weight)| weight as f64).sum();
    let shares = open.iter().map(|&(_, weight)| match weight_sum {
        0.0 => 1.0 / open.len() as f64,
        sum => weight as f64 / sum,
    });
    Outcome {
        solutions: Total::of(count, stopped),
        stopped,
        shares: shares.collect(),
        done: shared.meter.share(),
        cubes: open.into_iter().map(|(cube, _)| cube).collect(),
        statistics,
        elapsed: shared.meter.started.elapsed(),
    }
}
