//! Answers cubes on a given number of threads.
//!
//! With the tree search each thread searches a cube of its own, so threads share nothing but the queue. With a method that keeps a table of
//! counted components, all threads count the same cube, and all cubes share the table.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use super::solutions::{DigestSink, SolutionStore};
use super::split::Splitter;
use crate::count::{ComponentTable, Counter, Method};
use crate::error::{Error, Kind, Result};
use crate::puzzle::Puzzle;
use crate::run::{Limits, Snapshot, Statistics};
use crate::search::{self, Cube, CubeSearch, Outcome, Search, Total};
use crate::solutions::{Count, CountSink, Stop};

/// What is wanted of every cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The number of its solutions.
    Count(Method),
    /// All its solutions.
    List,
}

/// A cube to be answered.
#[derive(Debug)]
pub(super) struct Job<S> {
    /// The decisions.
    pub(super) cube: Cube,
    /// The limits for this cube.
    pub(super) limits: Limits,
    /// Receives its solutions, if they are listed.
    pub(super) sink: DigestSink<S>,
    /// A number by which the queue recognises the job; it has no other meaning.
    pub(super) ticket: usize,
}

/// Hands out cubes and takes their outcomes. All threads share it.
pub(super) trait CubeQueue: Sync {
    /// Receives the solutions of a cube.
    type SolutionStore: SolutionStore;

    /// The next cube; `None` when there are no more. May block.
    fn next(&self) -> Option<Job<Self::SolutionStore>>;

    /// Takes the outcome of a cube, complete or not. The open cubes of the outcome are the part of the cube still to be searched. If
    /// `solutions_are_usable` is false, that is the whole cube, and the solutions in the sink must be dropped.
    fn submit(&self, job: Job<Self::SolutionStore>, outcome: Outcome, solutions_are_usable: bool);

    /// Takes the progress of a count with a component table: ten times a second, and before the outcome is submitted.
    fn observe(&self, _ticket: usize, _snapshot: Snapshot) {}
}

/// Number of pieces into which an unfinished cube is cut, and the maximum time for it, as the process may be about to end.
const CUBES_PER_CUT: usize = 8;
/// The same in the journal of a count with a component table. With more pieces, more is counted several times.
const CUBES_PER_CUT_OF_COUNT: usize = 2;
const MAX_CUT_TIME: Duration = Duration::from_millis(100);

/// The error of threads that cannot be started.
pub(super) fn no_threads(error: impl Display) -> Error {
    Error::new(Kind::Io, format!("the threads cannot be started: {error}"))
}

/// Answers cubes of one puzzle.
#[derive(Debug)]
pub struct CubeSolver<'a> {
    pub(super) puzzle: &'a Puzzle,
    pub(super) mode: Mode,
    threads: usize,
    memory: u64,
}

impl<'a> CubeSolver<'a> {
    /// A solver on `threads` threads, at least one, that uses about `memory` bytes.
    pub fn new(puzzle: &'a Puzzle, mode: Mode, threads: usize, memory: u64) -> Self {
        CubeSolver {
            puzzle,
            mode,
            threads: threads.max(1),
            memory,
        }
    }

    /// Whether a cube that is stopped has a partial result: the solutions found so far, and as open cubes only what was not searched. That
    /// holds for the search tree, which also searches each cube on one thread.
    pub(super) fn has_partial_results(&self) -> bool {
        matches!(self.mode, Mode::Count(Method::Tree) | Mode::List)
    }

    /// Number of cubes that are worked on at a time.
    pub(super) fn parallel_cubes(&self) -> usize {
        if self.has_partial_results() {
            self.threads
        } else {
            1
        }
    }

    /// Works until there are no more cubes.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when the threads cannot be started.
    pub(super) fn run<O: CubeQueue>(&self, queue: &O) -> Result<()> {
        if let Mode::Count(method) = self.mode
            && method != Method::Tree
        {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
            let pool = pool.build().map_err(no_threads)?;
            pool.install(|| self.count_cubes(method, queue));
            return Ok(());
        }
        std::thread::scope(|scope| {
            // Of the threads some may not start. The others do their work too.
            for _ in 1..self.threads {
                let thread = std::thread::Builder::new();
                if (thread.spawn_scoped(scope, || self.search_cubes(queue))).is_err() {
                    break;
                }
            }
            self.search_cubes(queue);
        });
        Ok(())
    }

    /// Takes cubes and searches them until there are no more: the work of one thread.
    fn search_cubes<O: CubeQueue>(&self, queue: &O) {
        let options = search::Options {
            // `Method::Tree` promises that every solution is a leaf of its own, which the cache would break.
            subproblem_cache: self.mode == Mode::List,
            ..search::Options::default()
        };
        let limits = Limits::default().memory(self.memory / self.threads as u64);
        let search = Search::new(self.puzzle).options(options).limits(limits);
        search.incremental(&mut |search_cube: &mut CubeSearch<'_>| {
            while let Some(job) = queue.next() {
                let outcome = match self.mode {
                    Mode::Count(_) => search_cube(&job.cube, &job.limits, &CountSink::new()),
                    Mode::List => search_cube(&job.cube, &job.limits, &job.sink),
                };
                submit(queue, job, outcome);
            }
        });
    }

    /// Counts one cube after the other, each on all threads.
    fn count_cubes<O: CubeQueue>(&self, method: Method, queue: &O) {
        let table = Arc::new(ComponentTable::new(self.memory));
        while let Some(job) = queue.next() {
            let limits = job.limits.clone().memory(self.memory);
            let outcome = Counter::new(self.puzzle)
                .method(method)
                .within(job.cube.clone())
                .limits(limits)
                .sharing(&table)
                .observer(&|snapshot| queue.observe(job.ticket, snapshot))
                .run();
            submit(queue, job, outcome);
        }
    }

    /// If a limit stopped a cube and left it wholly open, cuts it, so that the next attempt works on smaller cubes. Not after an interrupt,
    /// for the next attempt may have all the time that it needs.
    pub(super) fn cut(&self, cube: &Cube, outcome: Outcome) -> Outcome {
        if matches!(outcome.stopped, None | Some(Stop::Interrupt)) || !is_unchanged(cube, &outcome)
        {
            return outcome;
        }
        self.cut_into(CUBES_PER_CUT, cube, outcome)
    }

    /// For a journal: cuts a cube, and returns the same outcome with the pieces as its open cubes.
    pub(super) fn replace_by_pieces(&self, cube: &Cube, outcome: Outcome) -> Outcome {
        let pieces = if self.has_partial_results() {
            CUBES_PER_CUT
        } else {
            CUBES_PER_CUT_OF_COUNT
        };
        self.cut_into(pieces, cube, outcome)
    }

    fn cut_into(&self, pieces: usize, cube: &Cube, outcome: Outcome) -> Outcome {
        let limits = Limits::default().time(MAX_CUT_TIME);
        let splitter = Splitter::new(self.puzzle, pieces).within(cube.clone());
        let split = splitter.limits(limits).rough();
        let total: f64 = split.cubes.iter().map(|(_, size)| size).sum();
        let (cubes, sizes): (Vec<Cube>, Vec<f64>) = split.cubes.into_iter().unzip();
        Outcome {
            shares: sizes.iter().map(|size| size / total).collect(),
            cubes,
            ..outcome
        }
    }
}

/// Passes the outcome of a cube to the queue. If its open cubes are not known, its solutions are not usable, and all of it stays open.
fn submit<O: CubeQueue>(queue: &O, job: Job<O::SolutionStore>, mut outcome: Outcome) {
    let solutions_are_usable = outcome.is_complete() || !outcome.cubes.is_empty();
    if !solutions_are_usable {
        outcome = Outcome {
            stopped: outcome.stopped,
            statistics: outcome.statistics,
            elapsed: outcome.elapsed,
            ..unsearched(&job.cube)
        };
    }
    queue.submit(job, outcome, solutions_are_usable);
}

/// The outcome of a cube on which no work has been done.
pub(super) fn unsearched(cube: &Cube) -> Outcome {
    Outcome {
        solutions: Total::AtLeast(Count::ZERO),
        stopped: Some(Stop::Interrupt),
        cubes: vec![cube.clone()],
        shares: vec![1.0],
        done: 0.0,
        statistics: Statistics::default(),
        elapsed: Duration::ZERO,
    }
}

/// Whether the outcome leaves the whole cube open, unchanged.
pub(super) fn is_unchanged(cube: &Cube, outcome: &Outcome) -> bool {
    outcome.cubes.len() == 1 && outcome.cubes[0] == *cube
}
