//! Asks the oracle which sides of a branch have no solution, for regions in which nearly all particles die.
//!
//! A side without a solution is taken with probability 0, which does not change the expected value of a particle: only probability that
//! would be lost moves. The answers for branches along the path to a known solution (the *witness*), which every population follows again,
//! are cached.

use std::collections::HashMap;
use std::sync::Arc;

use super::budget::Budget;
use crate::board::Clues;
use crate::line::{Known, Word};
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::run::Control;
use crate::sat::SatAnswer;
use crate::search::Oracle;

/// Maximum number of conflicts of a query, and number of conflicts that count as one node.
const MAX_CONFLICTS: u32 = 100;
const CONFLICTS_PER_NODE: u64 = 4;

/// Ticks granted to the oracle per node and cell of the puzzle, and at the start. A node of a particle costs about one tick per cell, so
/// the first is also the cost of queries relative to that of particles.
const TICKS_PER_NODE_CELL: u64 = 3;
const INITIAL_TICKS: u64 = 5_000_000;

/// The oracle of one thread, with its cache and budget.
#[derive(Debug)]
pub(super) struct Guide<'a> {
    oracle: Oracle<'a>,
    /// A solution of the whole puzzle, if one is known.
    pub(super) witness: Option<Arc<Grid>>,
    /// For branches on the path to the witness, by direction (upwards or not) and cell: the answer for the other side.
    answers: HashMap<(bool, Cell), SatAnswer>,
    /// The number of branches without answer on the last path to the witness downwards and on the last one upwards.
    pub(super) open: [u64; 2],
    /// Ticks granted so far, and number of cells of the puzzle.
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
            witness: witness.cloned(),
            answers: HashMap::new(),
            open: [0; 2],
            ticks: INITIAL_TICKS,
            cells: (puzzle.width() * puzzle.height()) as u64,
        }
    }

    /// Records a node of a particle, which grants the oracle further ticks.
    pub(super) fn record_node(&mut self) {
        self.ticks += TICKS_PER_NODE_CELL * self.cells;
    }

    /// The probability with which the other side of a branch on the path to the witness is explored, so that a population of this size gets
    /// about twice as many new particles. It is 1 for a side with a known solution.
    pub(super) fn probability(&self, upwards: bool, cell: Cell, size: usize, lines: usize) -> f64 {
        if let Some(SatAnswer::Solution(_)) = self.answers.get(&(upwards, cell)) {
            return 1.0;
        }
        // Before the first path, assume two branches per line.
        let open = match self.open[usize::from(upwards)] {
            0 => 2 * lines as u64,
            open => open,
        };
        (2.0 * size as f64 / open as f64).min(1.0)
    }

    /// Whether the other side of this branch on the path to the witness is known to have no solution.
    pub(super) fn is_dead(&self, upwards: bool, cell: Cell) -> bool {
        self.answers.get(&(upwards, cell)) == Some(&SatAnswer::None)
    }

    /// Asks the oracle for a solution with these decisions. `rows` is the root board. `None` if the budget ends.
    pub(super) fn query<W: Word>(
        &mut self,
        clues: &Clues,
        rows: &[Known<W>],
        path: impl Iterator<Item = (Cell, bool)>,
        budget: &mut Budget<'_>,
    ) -> Option<SatAnswer> {
        if self.oracle.is_unavailable() || self.oracle.ticks() > self.ticks {
            return Some(SatAnswer::Unknown);
        }
        let before = self.oracle.conflicts();
        let answer = self.oracle.ask(clues, rows, path, MAX_CONFLICTS);
        let mut nodes = 0..=(self.oracle.conflicts() - before) / CONFLICTS_PER_NODE;
        nodes.all(|_| budget.take_node()).then_some(answer)
    }

    /// The same for the side with this path, at the branch of the witness path on this cell. Cached unless unknown.
    pub(super) fn query_side<W: Word>(
        &mut self,
        (upwards, cell): (bool, Cell),
        clues: &Clues,
        rows: &[Known<W>],
        path: impl Iterator<Item = (Cell, bool)>,
        budget: &mut Budget<'_>,
    ) -> Option<SatAnswer> {
        if let Some(answer) = self.answers.get(&(upwards, cell)) {
            return Some(answer.clone());
        }
        let answer = self.query(clues, rows, path, budget)?;
        if answer != SatAnswer::Unknown {
            self.answers.insert((upwards, cell), answer.clone());
        }
        Some(answer)
    }
}
