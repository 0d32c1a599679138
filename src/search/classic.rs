//! Runs a [classic](crate::classic) algorithm in place of the tree search, with the same limits, sinks and outcome. This module only adapts
//! the interfaces.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::cube::{Cube, Decision};
use super::outcome::{Outcome, Total};
use super::tree::Search;
use crate::board::Cell;
use crate::classic::{Classic, End, Flow, Observer};
use crate::puzzle::Grid;
use crate::run::Control;
use crate::run::Statistics;
use crate::solutions::{Batch, Count, Sink, Stop};

/// Maximum steps between two polls of the control. Fewer where lines are long, as the time of a step may grow with the line length.
const MAX_STEPS_PER_POLL: u64 = 256;

/// Maximum solutions of a batch, and the maximum time that a solution waits in it.
const MAX_BATCH_SOLUTIONS: u64 = 1024;
const MAX_BATCH_DELAY: Duration = Duration::from_millis(20);

impl Search<'_> {
    /// Runs the algorithm under this control, until `wanted` solutions are found.
    pub(super) fn run_classic(
        &self,
        classic: &Classic,
        control: &Control,
        sink: &dyn Sink,
        wanted: Option<u64>,
    ) -> Outcome {
        let started = Instant::now();
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        let mut watch = RunWatch {
            control,
            sink,
            batch: Batch::new(width, height),
            nodes: 0,
            max_nodes: self.limits.nodes.unwrap_or(u64::MAX),
            memory: self.memory(),
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
        classic.needs(self.puzzle, Some(watch.memory));
        if !control.stopped() {
            if let End::Stuck(known) = classic.run(self.puzzle, &mut watch) {
                control.stop(Stop::Stuck);
                // A cube cannot exclude solutions found before.
                if watch.batch.count().is_zero() && watch.found.is_zero() {
                    open.push(cube(&known));
                }
            }
            watch.flush();
        }
        let stopped = control.reason();
        let RunWatch { nodes, found, .. } = watch;
        let statistics = Statistics {
            nodes,
            leaves: found.to_u64().unwrap_or(u64::MAX),
            ..Statistics::default()
        };
        Outcome {
            solutions: match stopped {
                None => Total::Exactly(found),
                Some(_) => Total::AtLeast(found),
            },
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
    let mut path = Vec::new();
    for (row, cells) in known.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let (row, column) = (row as u16, column as u16);
            path.extend(cell.map(|filled| Decision {
                cell: Cell { row, column },
                filled,
            }));
        }
    }
    Cube { path }
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
        match self.control.stopped() {
            true => Flow::Break(()),
            false => Flow::Continue(()),
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
        match self.sink.wants_grids() {
            true => self.batch.push_grid(grid.words()),
            false => self.batch.push_one(),
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
