//! Answers cubes, on as many threads as are wanted.
//!
//! A cube is searched by one thread, for nothing is as cheap as not to share. Only where cubes are counted with a memory for parts that
//! come again, all threads count the same cube, and all cubes share that memory.

use std::sync::Arc;
use std::time::Duration;

use super::solutions::{DigestSink, SolutionStore};
use super::split::Splitter;
use crate::count::{Checkpointer, ComponentTable, Counter, Method};
use crate::error::{Error, Kind, Result};
use crate::puzzle::Puzzle;
use crate::run::Limits;
use crate::search::{self, Ask, Cube, Outcome, Search, Total};
use crate::solutions::{Count, CountSink, Stop};

/// What is asked about every cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// How many solutions it has.
    Count(Method),
    /// All its solutions.
    List,
}

/// A cube to be answered.
#[derive(Debug)]
pub struct Job<S> {
    /// The decisions.
    pub cube: Cube,
    /// Within which limits.
    pub limits: Limits,
    /// Where its solutions go, if they are listed.
    pub keeper: DigestSink<S>,
    /// Anything by which whoever gave it out knows it again.
    pub ticket: usize,
}

/// Gives out cubes and takes what they have come to. All threads share it.
pub trait CubeQueue: Sync {
    /// Where solutions go.
    type SolutionStore: SolutionStore;

    /// The next cube; `None` when there are no more. May wait.
    fn next(&self) -> Option<Job<Self::SolutionStore>>;

    /// Takes what a cube has come to. What it has found and what it leaves open are together the whole cube; where `counts` is false,
    /// what its keeper holds is of no use, and the cube itself is open.
    fn take(&self, job: Job<Self::SolutionStore>, outcome: Outcome, counts: bool);

    /// Where a count keeps track of how far it has come, if anywhere: then it goes on from there.
    fn checkpointer(&self) -> Option<&Checkpointer> {
        None
    }
}

/// Pieces into which a cube is cut that was left in the middle, and the longest time that this may take: the run is to stop.
const PIECES: usize = 8;
const CUTTING: Duration = Duration::from_millis(100);

/// Answers cubes of one puzzle.
#[derive(Debug)]
pub struct CubeSolver<'a> {
    puzzle: &'a Puzzle,
    task: Task,
    threads: usize,
    memory: u64,
}

impl<'a> CubeSolver<'a> {
    /// On this number of threads, in about `memory` bytes.
    pub fn new(puzzle: &'a Puzzle, task: Task, threads: usize, memory: u64) -> Self {
        CubeSolver {
            puzzle,
            task,
            threads: threads.max(1),
            memory,
        }
    }

    /// The puzzle.
    pub fn puzzle(&self) -> &'a Puzzle {
        self.puzzle
    }

    /// About how many bytes it takes.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// What is asked.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Can a cube be left at any moment, so that what was found counts and what is left is open?
    pub fn divides(&self) -> bool {
        matches!(self.task, Task::Count(Method::Tree) | Task::List)
    }

    /// How many cubes are worked on at a time.
    pub fn lanes(&self) -> usize {
        match self.divides() {
            true => self.threads,
            false => 1,
        }
    }

    /// Works until there are no more cubes.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when the threads cannot be started.
    pub fn run<O: CubeQueue>(&self, queue: &O) -> Result<()> {
        if let Task::Count(method) = self.task
            && method != Method::Tree
        {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .build();
            let failed =
                |error| Error::new(Kind::Io, format!("the threads cannot be started: {error}"));
            pool.map_err(failed)?.install(|| self.count(method, queue));
            return Ok(());
        }
        match self.threads {
            1 => self.search(queue),
            threads => std::thread::scope(|scope| {
                (0..threads).for_each(|_| {
                    scope.spawn(|| self.search(queue));
                });
            }),
        }
        Ok(())
    }

    /// What one thread does that searches.
    fn search<O: CubeQueue>(&self, queue: &O) {
        let options = search::Options {
            // Counting by the tree makes every solution a leaf of its own.
            rests: self.task == Task::List,
            ..search::Options::default()
        };
        let limits = Limits {
            memory: Some(self.memory / self.threads as u64),
            ..Limits::default()
        };
        let search = Search::new(self.puzzle).options(options).limits(limits);
        search.apart(|ask: &mut Ask<'_>| {
            while let Some(job) = queue.next() {
                let outcome = match self.task {
                    Task::Count(_) => ask(&job.cube, &job.limits, &CountSink::new()),
                    Task::List => ask(&job.cube, &job.limits, &job.keeper),
                };
                hand_in(queue, job, outcome);
            }
        });
    }

    /// Counts cube after cube on all threads.
    fn count<O: CubeQueue>(&self, method: Method, queue: &O) {
        let counted = Arc::new(ComponentTable::new(self.memory));
        while let Some(job) = queue.next() {
            let limits = Limits {
                memory: Some(self.memory),
                ..job.limits.clone()
            };
            let counting = Counter::new(self.puzzle)
                .method(method)
                .within(job.cube.clone())
                .limits(limits);
            let outcome = match queue.checkpointer() {
                // Whoever looks on sees to it that what is proved is kept, too.
                Some(checkpointer) => counting.checkpointer(checkpointer).run(),
                None => counting.sharing(&counted).run(),
            };
            hand_in(queue, job, outcome);
        }
    }

    /// Cuts what cannot be left in the middle, so that it will not be met again as it is. An interrupt cuts nothing: whoever goes on
    /// may have all the time that it takes.
    pub fn cut(&self, cube: &Cube, outcome: Outcome) -> Outcome {
        if matches!(outcome.stopped, None | Some(Stop::Interrupt)) || !is_same(cube, &outcome) {
            return outcome;
        }
        self.pieces(cube, outcome)
    }

    /// The same outcome with the cube in pieces, as all that is open.
    pub(super) fn pieces(&self, cube: &Cube, outcome: Outcome) -> Outcome {
        let limits = Limits {
            time: Some(CUTTING),
            ..Limits::default()
        };
        let split = Splitter::new(self.puzzle, PIECES)
            .within(cube.clone())
            .limits(limits)
            .rough();
        let all: f64 = split.cubes.iter().map(|(_, size)| size).sum();
        let (cubes, sizes): (Vec<Cube>, Vec<f64>) = split.cubes.into_iter().unzip();
        Outcome {
            shares: sizes.iter().map(|size| size / all).collect(),
            cubes,
            ..outcome
        }
    }
}

/// Hands in what a cube has come to. Of what was left in the middle nothing counts, and all is open.
fn hand_in<O: CubeQueue>(queue: &O, job: Job<O::SolutionStore>, outcome: Outcome) {
    let counts = outcome.is_complete() || !outcome.cubes.is_empty();
    let outcome = match counts {
        true => outcome,
        false => Outcome {
            solutions: Total::AtLeast(Count::ZERO),
            cubes: vec![job.cube.clone()],
            shares: vec![1.0],
            done: 0.0,
            ..outcome
        },
    };
    queue.take(job, outcome, counts);
}

/// Is a cube as open as it was?
pub(super) fn is_same(cube: &Cube, outcome: &Outcome) -> bool {
    outcome.cubes.len() == 1 && outcome.cubes[0] == *cube
}
