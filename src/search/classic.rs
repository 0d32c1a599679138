//! A [classic](crate::classic) in the place of the search: within the same limits, into the same sinks, with the same outcome. It only
//! passes on; how the classic solves is its own.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::cube::{Cube, Decision};
use super::outcome::{Outcome, Total};
use super::tree::Search;
use crate::board::Cell;
use crate::classic::{Classic, End, Flow, Watch};
use crate::puzzle::Grid;
use crate::run::Control;
use crate::run::Statistics;
use crate::solutions::{Batch, Count, Sink, Stop};

/// Most steps between two looks at the clock. Where lines are long there are fewer, as a step may take as long as a line.
const BREATH: u64 = 256;

/// Most solutions that wait to be handed over together, and how long they wait.
const BATCH: u64 = 1024;
const PATIENCE: Duration = Duration::from_millis(20);

impl Search<'_> {
    /// Runs the classic under this control, until there are as many solutions as are wanted.
    pub(super) fn run_classic(
        &self,
        classic: &Classic,
        control: &Control,
        sink: &dyn Sink,
        wanted: Option<u64>,
    ) -> Outcome {
        let started = Instant::now();
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        let mut watching = Watching {
            control,
            sink,
            batch: Batch::new(width, height),
            nodes: 0,
            most_nodes: self.limits.nodes.unwrap_or(u64::MAX),
            memory: self.memory(),
            wanted: wanted.unwrap_or(u64::MAX),
            found: Count::ZERO,
            breath: (BREATH * 32 / (width + height) as u64).clamp(1, BREATH),
            handed_over: started,
        };
        if watching.wanted == 0 {
            control.stop(Stop::Limit);
        }
        let mut open = Vec::new();
        control.poll();
        // Lets go of what would be in the way.
        classic.needs(self.puzzle, Some(watching.memory));
        if !control.stopped() {
            if let End::Stuck(known) = classic.run(self.puzzle, &mut watching) {
                control.stop(Stop::Stuck);
                // Where there is a solution already, that one would have to be left out.
                if watching.batch.count().is_zero() && watching.found.is_zero() {
                    open.push(cube(&known));
                }
            }
            watching.hand_over();
        }
        let stopped = control.reason();
        let Watching { nodes, found, .. } = watching;
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

/// What is known, as the part of the tree where all solutions are.
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

/// Watches a classic on behalf of a control and a sink.
struct Watching<'a> {
    control: &'a Control,
    sink: &'a dyn Sink,
    batch: Batch,
    nodes: u64,
    most_nodes: u64,
    memory: u64,
    /// Solutions that are still wanted.
    wanted: u64,
    found: Count,
    breath: u64,
    handed_over: Instant,
}

impl Watching<'_> {
    fn hand_over(&mut self) {
        let count = self.batch.count().clone();
        if count.is_zero() {
            return;
        }
        let empty = Batch::new(self.batch.width(), self.batch.height());
        let batch = std::mem::replace(&mut self.batch, empty);
        self.handed_over = Instant::now();
        match self.sink.take(batch) {
            ControlFlow::Continue(()) => self.found += &count,
            ControlFlow::Break(stop) => self.control.stop(stop),
        }
    }

    /// Has anything stopped the run?
    fn flow(&self) -> Flow {
        match self.control.stopped() {
            true => Flow::Break(()),
            false => Flow::Continue(()),
        }
    }
}

impl Watch for Watching<'_> {
    #[inline]
    fn step(&mut self) -> Flow {
        if self.nodes == self.most_nodes {
            self.control.stop(Stop::Nodes);
            return Flow::Break(());
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(self.breath) {
            self.control.poll();
            if !self.batch.count().is_zero() && self.handed_over.elapsed() >= PATIENCE {
                self.hand_over();
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
        } else if self.batch.count() >= &Count::from(BATCH) {
            self.hand_over();
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
