//! A stand-in for the counting engine, to be replaced by it: branches and falls apart, but remembers nothing.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{Builder, Edge, NodeId, Space};
use crate::board::{Board, Cell, Clues, Region, split};
use crate::line::{Wide, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::search::{Limits, Outcome, Snapshot, Statistics, Total};
use crate::solutions::{Count, Stop};

/// Called now and then while a run goes on, and once at its end.
type Observer<'a> = &'a (dyn Fn(Snapshot) + Sync);

/// Counts the solutions of one puzzle.
#[derive(Clone)]
pub struct Counting<'a> {
    puzzle: &'a Puzzle,
    limits: Limits,
    observer: Option<Observer<'a>>,
}

impl fmt::Debug for Counting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Counting");
        debug
            .field("puzzle", self.puzzle)
            .field("limits", &self.limits);
        debug.finish_non_exhaustive()
    }
}

impl<'a> Counting<'a> {
    /// Counts all solutions, without limits.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Counting {
            puzzle,
            limits: Limits::default(),
            observer: None,
        }
    }

    /// Within these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Calls `observer` at the end.
    #[must_use]
    pub fn observer(mut self, observer: Observer<'a>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Counts, and keeps the space; `None` when the run was stopped.
    pub fn space(&self) -> (Option<Space>, Outcome) {
        match self.puzzle.width().max(self.puzzle.height()) {
            0..=64 => self.drive::<u64>(),
            65..=128 => self.drive::<u128>(),
            129..=512 => self.drive::<Wide<8>>(),
            _ => self.drive::<Wide<64>>(),
        }
    }

    fn drive<W: Word>(&self) -> (Option<Space>, Outcome) {
        let started = Instant::now();
        let clues = Clues::new(self.puzzle);
        let mut board = Board::<W>::new(&clues);
        let mut run = Run {
            limits: &self.limits,
            started,
            builder: Builder::new(clues.width(), clues.height()),
            nodes: 1,
            stopped: None,
        };
        let sums = self.puzzle.sums();
        let mut known = Grid::new(clues.width(), clues.height());
        let mut roots = None;
        if sums.0 == sums.1 && board.propagate() {
            for (r, row) in board.rows().iter().enumerate() {
                row.filled.cells().for_each(|c| known.set(r, c, true));
            }
            let whole = Region::whole(&board);
            roots = run.rest(&mut board, &whole);
        }
        let space = match roots {
            Some(roots) => run.builder.finish(&known, roots),
            None => Space::none(clues.width(), clues.height()),
        };
        let outcome = Outcome {
            solutions: match run.stopped {
                None => Total::Exactly(space.count().clone()),
                Some(_) => Total::AtLeast(Count::ZERO),
            },
            stopped: run.stopped,
            cubes: Vec::new(),
            statistics: Statistics {
                nodes: run.nodes,
                ..Statistics::default()
            },
            elapsed: started.elapsed(),
        };
        if let Some(observer) = self.observer {
            observer(Snapshot {
                share: 1.0,
                nodes: run.nodes,
                solutions: outcome.solutions.number().to_u64().unwrap_or(u64::MAX),
                elapsed: outcome.elapsed,
            });
        }
        (run.stopped.is_none().then_some(space), outcome)
    }
}

struct Run<'a> {
    limits: &'a Limits,
    started: Instant,
    builder: Builder,
    nodes: u64,
    stopped: Option<Stop>,
}

impl Run<'_> {
    /// The nodes of the open cells of a region; `None` when they cannot be filled.
    fn rest<W: Word>(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
    ) -> Option<Vec<NodeId>> {
        let parts = split(board, region);
        parts.iter().map(|part| self.node(board, part)).collect()
    }

    fn node<W: Word>(&mut self, board: &mut Board<'_, W>, region: &Region<W>) -> Option<NodeId> {
        let open: Vec<Cell> = region.unknown(board).collect();
        // Any order must do; not that of the reader.
        let cell = open[open.len() / 2];
        let mut edges = Vec::new();
        for filled in [true, false] {
            self.look();
            if self.stopped.is_some() {
                return None;
            }
            self.nodes += 1;
            let mark = board.mark();
            if board.decide(cell, filled)
                && let Some(rest) = self.rest(board, region)
            {
                let known = |&cell: &Cell| Some((cell, board.known(cell)?));
                let cells = open.iter().filter_map(known).collect();
                edges.push(Edge { cells, rest });
            }
            board.undo(mark);
        }
        (!edges.is_empty()).then(|| self.builder.node(edges))
    }

    fn look(&mut self) {
        let Limits {
            time,
            nodes,
            memory,
            interrupt,
            ..
        } = self.limits;
        if nodes.is_some_and(|nodes| self.nodes > nodes) {
            self.stopped = Some(Stop::Nodes);
        } else if time.is_some_and(|time| self.started.elapsed() >= time) {
            self.stopped = Some(Stop::Time);
        } else if memory.is_some_and(|memory| self.builder.bytes() > memory) {
            self.stopped = Some(Stop::Memory);
        } else if interrupt
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            self.stopped = Some(Stop::Interrupt);
        }
    }
}
