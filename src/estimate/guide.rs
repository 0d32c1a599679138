//! Where nearly all dives die, clause learning says which sides of a branch have no solution at all.
//!
//! A side without a solution is taken with probability 0, which leaves the mean of a dive as it is: only chances move that would have
//! been lost. A [`Guide`] has the oracle of one thread, a solution of the puzzle if one is at hand, and remembers what it was told of the
//! branches on the way to that solution, which every crew goes again.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::steps::Steps;
use crate::board::{Cell, Clues};
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::run::Control;
use crate::sat::Answer;
use crate::search::Oracle;

/// Conflicts that a question may take, and how many of them count as much as a node.
const CONFLICTS: u32 = 100;
const NODE: u64 = 4;

/// Questions may take this number of times the work of the dives, and in any case the second number of the solver's ticks. A node of a dive, at
/// which all lines of one direction speak, takes about a tick for each cell of the puzzle.
const SHARE: u64 = 3;
const FIRST: u64 = 5_000_000;

/// Whether there is a solution below a node.
#[derive(Clone, Debug)]
pub(super) enum Hope {
    /// There is this one.
    Alive(Rc<Grid>),
    /// There is none.
    Dead,
    /// The question took too long.
    Unknown,
}

/// What one thread asks.
#[derive(Debug)]
pub(super) struct Guide<'a> {
    oracle: Oracle<'a>,
    witness: Option<Rc<Grid>>,
    /// Of the branches on the way to the witness, upwards or not, what is known of the side that it is not on.
    known: HashMap<(bool, Cell), Hope>,
    /// Of the last such way upwards and of the last one downwards, the branches of which nothing is known.
    open: [u64; 2],
    /// Ticks that may be spent on asking.
    ticks: u64,
    cells: u64,
}

impl<'a> Guide<'a> {
    pub(super) fn new(
        puzzle: &'a Puzzle,
        control: Arc<Control>,
        memory: u64,
        witness: Option<&Arc<Grid>>,
    ) -> Self {
        Guide {
            oracle: Oracle::new(puzzle, control, memory).near(witness.cloned()),
            witness: witness.map(|grid| Rc::new(Grid::clone(grid))),
            known: HashMap::new(),
            open: [0; 2],
            ticks: FIRST,
            cells: (puzzle.width() * puzzle.height()) as u64,
        }
    }

    /// A solution of the whole puzzle, if one is at hand.
    pub(super) fn witness(&self) -> Option<Rc<Grid>> {
        self.witness.clone()
    }

    /// Notes a node of a dive: the more is done, the more may be asked.
    pub(super) fn note(&mut self) {
        self.ticks += SHARE * self.cells;
    }

    /// Notes how many branches were open on the way to the witness.
    pub(super) fn note_open(&mut self, upwards: bool, open: u64) {
        self.open[usize::from(upwards)] = open;
    }

    /// With which chance a branch on the way to the witness is looked into, so that a crew of this size gets about twice as many new dives.
    /// What is known to be alive always is.
    pub(super) fn chance(&self, upwards: bool, cell: Cell, size: usize, lines: usize) -> f64 {
        match self.known.get(&(upwards, cell)) {
            Some(Hope::Alive(_)) => 1.0,
            _ => {
                // Before the first time, a line is taken to have two branches.
                let open = match self.open[usize::from(upwards)] {
                    0 => 2 * lines as u64,
                    open => open,
                };
                (2.0 * size as f64 / open as f64).min(1.0)
            }
        }
    }

    /// Is nothing there beside the way to the witness at this branch?
    pub(super) fn is_dead(&self, upwards: bool, cell: Cell) -> bool {
        matches!(self.known.get(&(upwards, cell)), Some(Hope::Dead))
    }

    /// Is there a solution in which these decisions hold? `rows` is what is known at the root. `None` when the steps end.
    pub(super) fn ask<W: Word>(
        &mut self,
        clues: &Clues,
        rows: &[Known<W>],
        path: impl Iterator<Item = (Cell, bool)>,
        steps: &mut Steps<'_>,
    ) -> Option<Hope> {
        if self.oracle.is_dumb() || self.oracle.ticks() > self.ticks {
            return Some(Hope::Unknown);
        }
        let before = self.oracle.conflicts();
        let answer = self.oracle.ask(clues, rows, path, CONFLICTS);
        for _ in 0..=(self.oracle.conflicts() - before) / NODE {
            if !steps.node() {
                return None;
            }
        }
        Some(match answer {
            Answer::Solution(grid) => Hope::Alive(Rc::new(grid)),
            Answer::None => Hope::Dead,
            Answer::Unknown => Hope::Unknown,
        })
    }

    /// What there is beside the way to the witness, at the branch on this cell, whose side has this path. What is known is not asked again.
    pub(super) fn beside<W: Word>(
        &mut self,
        (upwards, cell): (bool, Cell),
        clues: &Clues,
        rows: &[Known<W>],
        path: impl Iterator<Item = (Cell, bool)>,
        steps: &mut Steps<'_>,
    ) -> Option<Hope> {
        if let Some(hope) = self.known.get(&(upwards, cell)) {
            return Some(hope.clone());
        }
        let hope = self.ask(clues, rows, path, steps)?;
        if !matches!(hope, Hope::Unknown) {
            self.known.insert((upwards, cell), hope.clone());
        }
        Some(hope)
    }
}
