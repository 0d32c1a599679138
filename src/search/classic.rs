//! Runs a [classic](crate::classic) algorithm with the limits, sinks and outcome of the tree search. This module only adapts the
//! interfaces.

use std::ops::ControlFlow;
use std::time::Duration;

use super::cube::Cube;
use super::near::reduce_difference;
use super::outcome::{Outcome, Total};
use super::portfolio::Portfolio;
use crate::classic::{Classic, End, Flow, Observer};
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::run::{Control, Instant, Limits, Statistics};
use crate::solutions::{Batch, Count, CountSink, Set, Sink, Stop};

/// Maximum steps between two polls of the control. Fewer where lines are long, as the time of a step may grow with the line length.
const MAX_STEPS_PER_POLL: u64 = 256;

/// Maximum solutions of a batch, and the maximum time that a solution waits in it.
const MAX_BATCH_SOLUTIONS: u64 = 1024;
const MAX_BATCH_DELAY: Duration = Duration::from_millis(20);

/// A search by a classic algorithm, on the calling thread alone, with the limits and sinks and the outcome of a [`Search`](super::Search).
/// Its steps are counted, and limited, as nodes.
///
/// ```
/// use omnogram::classic::{Algorithm, Classic};
/// use omnogram::puzzle::{Clue, Puzzle};
/// use omnogram::search::ClassicSearch;
///
/// let one = || Clue::new([1]).unwrap();
/// let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).unwrap();
/// let search = ClassicSearch::new(&puzzle, Classic::new(Algorithm::LineOrder));
/// assert_eq!(search.count().solutions.to_string(), "2");
/// ```
///
/// # Panics
///
/// Every method that runs it panics when the algorithm [cannot hold](crate::classic::Algorithm::check) the puzzle.
#[derive(Clone, Debug)]
pub struct ClassicSearch<'a> {
    puzzle: &'a Puzzle,
    classic: Classic,
    limits: Limits,
}

impl<'a> ClassicSearch<'a> {
    /// A search for all solutions of a puzzle, without limits.
    pub fn new(puzzle: &'a Puzzle, classic: Classic) -> Self {
        ClassicSearch {
            puzzle,
            classic,
            limits: Limits::default(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Counts the solutions.
    pub fn count(&self) -> Outcome {
        self.run(&CountSink::new())
    }

    /// Collects all solutions, each once, in canonical order.
    pub fn collect(&self) -> (Vec<Grid>, Outcome) {
        let set = Set::new(self.limits.bytes());
        let outcome = self.run(&set);
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        (set.into_sorted(width, height), outcome)
    }

    /// Finds up to `max_solutions` solutions and stops. If one is `known`, it counts as the first, and the others are different; the second
    /// is brought near to it, as that of [`Search::second`](super::Search::second) is.
    pub fn first(&self, max_solutions: usize, known: Option<&Grid>) -> (Vec<Grid>, Outcome) {
        let portfolio = Portfolio::new(self.puzzle, max_solutions, known);
        let mut outcome = self.run_until(&portfolio, Some(max_solutions as u64));
        let (mut found, _) = portfolio.take_result();
        if known.is_some()
            && let [first, other, ..] = &mut found[..]
        {
            *other = reduce_difference(first, other);
        }
        outcome.solutions = Total::of(Count::from(found.len() as u64), outcome.stopped);
        (found, outcome)
    }

    /// Passes every solution to a sink.
    pub fn run(&self, sink: &dyn Sink) -> Outcome {
        self.run_until(sink, self.limits.solutions)
    }

    /// Runs the algorithm until `wanted` solutions are found.
    fn run_until(&self, sink: &dyn Sink, wanted: Option<u64>) -> Outcome {
        #[cfg(feature = "checked")]
        let sink = &crate::solutions::checked::CheckedSink::new(self.puzzle, sink);
        let started = Instant::now();
        let control = &Control::new(&self.limits, false);
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        let mut watch = RunWatch {
            control,
            sink,
            batch: Batch::new(width, height),
            nodes: 0,
            max_nodes: self.limits.nodes.unwrap_or(u64::MAX),
            memory: self.limits.bytes(),
            wanted: wanted.unwrap_or(u64::MAX),
            found: Count::ZERO,
            steps_per_poll: (MAX_STEPS_PER_POLL * 32 / (width + height) as u64)
                .clamp(1, MAX_STEPS_PER_POLL),
            flushed_at: started,
        };
        if watch.wanted == 0 {
            control.stop(Stop::Limit);
        }
        let mut open = Vec::new();
        control.poll();
        // Frees tables kept for other puzzles if they would not leave enough memory.
        self.classic.needs(self.puzzle, Some(watch.memory));
        if !control.stopped() {
            if let End::Stuck(known) = self.classic.run(self.puzzle, &mut watch) {
                control.stop(Stop::Stuck);
                // A cube cannot exclude solutions found before.
                if watch.batch.count().is_zero() && watch.found.is_zero() {
                    open.push(cube(&known));
                }
            }
            watch.flush();
        }
        let stopped = control.reason();
        let statistics = Statistics {
            nodes: watch.nodes,
            leaves: watch.found.to_u64().unwrap_or(u64::MAX),
            ..Statistics::default()
        };
        Outcome {
            solutions: Total::of(watch.found, stopped),
            stopped,
            shares: vec![1.0; open.len()],
            cubes: open,
            done: f64::from(stopped.is_none()),
            statistics,
            elapsed: started.elapsed(),
        }
    }
}

/// The known cells as a cube, which contains all solutions.
fn cube(known: &[Vec<Option<bool>>]) -> Cube {
    Cube::of(known.iter().enumerate().flat_map(|(row, cells)| {
        let decision = move |(column, filled)| Some((Cell::new(row, column), filled?));
        cells.iter().copied().enumerate().filter_map(decision)
    }))
}

/// Connects an algorithm to a control and a sink.
struct RunWatch<'a> {
    control: &'a Control,
    sink: &'a dyn Sink,
    batch: Batch,
    nodes: u64,
    max_nodes: u64,
    memory: u64,
    /// Solutions still wanted.
    wanted: u64,
    found: Count,
    steps_per_poll: u64,
    flushed_at: Instant,
}

impl RunWatch<'_> {
    fn flush(&mut self) {
        let count = self.batch.count().clone();
        if count.is_zero() {
            return;
        }
        let empty = Batch::new(self.batch.width(), self.batch.height());
        let batch = std::mem::replace(&mut self.batch, empty);
        self.flushed_at = Instant::now();
        match self.sink.take(batch) {
            ControlFlow::Continue(()) => self.found += &count,
            ControlFlow::Break(stop) => self.control.stop(stop),
        }
    }

    /// Breaks when the run has ended.
    fn flow(&self) -> Flow {
        if self.control.stopped() {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }
}

impl Observer for RunWatch<'_> {
    #[inline]
    fn step(&mut self) -> Flow {
        if self.nodes == self.max_nodes {
            self.control.stop(Stop::Nodes);
            return Flow::Break(());
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(self.steps_per_poll) {
            self.control.poll();
            if !self.batch.count().is_zero() && self.flushed_at.elapsed() >= MAX_BATCH_DELAY {
                self.flush();
            }
            return self.flow();
        }
        Flow::Continue(())
    }

    fn found(&mut self, grid: Grid) -> Flow {
        if self.sink.wants_grids() {
            self.batch.push_grid(grid.words());
        } else {
            self.batch.push_one();
        }
        self.wanted -= 1;
        if self.wanted == 0 {
            self.control.stop(Stop::Limit);
        } else if self.batch.count() >= &Count::from(MAX_BATCH_SOLUTIONS) {
            self.flush();
        }
        self.flow()
    }

    fn keep(&mut self, bytes: u64) -> Flow {
        if bytes > self.memory {
            self.control.stop(Stop::Memory);
        }
        self.flow()
    }
}
