//! A dive for one solution, led by beliefs.
//!
//! Again and again the lines tell what they think of the unknown cells, and the few cells that they are surest of are decided that
//! way: belief-guided decimation, as it is known from random satisfiability (Mézard, Parisi and Zecchina, Science 297, 2002). A
//! contradiction is backed out of step by step, so a dive that ends without a solution has proved that there is none. It finds the
//! first solution of puzzles on which both the tree and clause learning are lost; it says nothing of a second one.

use crate::belief::Beliefs;
use crate::board::{Board, Cell, Clues};
use crate::line::{Known, Word};
use crate::puzzle::Grid;

/// What a dive has come to.
#[derive(Debug)]
pub(super) enum Dived {
    /// A solution.
    Solution(Grid),
    /// There is none.
    None,
    /// It has used up what it was given.
    Going,
}

/// A decision on the way down: where the trail was before it.
#[derive(Debug)]
struct Step {
    mark: usize,
    cell: Cell,
    filled: bool,
}

/// The state of a dive, from one turn to the next.
#[derive(Debug)]
pub(super) struct Dive<'p, W> {
    board: Board<'p, W>,
    beliefs: Beliefs<'p>,
    steps: Vec<Step>,
    /// Sweeps before the next decisions.
    sweeps: usize,
}

/// Sweeps before the first decisions, and before all others.
const SWEEPS: (usize, usize) = (100, 10);

/// When the lines change their minds no more than this, in the mean, they have been heard.
const AGREEMENT: f64 = 1e-3;

/// One in so many unknown cells is decided between sweeps. Fewer is safer, and slower.
const BOLDNESS: usize = 200;

impl<'p, W: Word> Dive<'p, W> {
    /// Begins with these known cells, a fixpoint of propagation.
    pub(super) fn new(clues: &'p Clues, rows: &[Known<W>]) -> Self {
        Dive {
            board: Board::with_rows(clues, rows),
            beliefs: Beliefs::new(clues),
            steps: Vec::new(),
            sweeps: SWEEPS.0,
        }
    }

    /// Work done so far, in settles or what takes about as long.
    pub(super) fn work(&self) -> u64 {
        self.board.settles() + self.beliefs.steps() / 8
    }

    /// Goes on until its work is so much in all; `stop` is asked before every sweep.
    pub(super) fn go(&mut self, work: u64, mut stop: impl FnMut() -> bool) -> Dived {
        while self.board.unknown() > 0 {
            let board = &self.board;
            self.beliefs
                .see(|row, column| board.known(Cell::new(row, column)));
            while self.sweeps > 0 {
                if stop() || self.work() >= work {
                    return Dived::Going;
                }
                self.sweeps -= 1;
                if self.beliefs.sweep() < AGREEMENT {
                    self.sweeps = 0;
                }
            }
            self.sweeps = SWEEPS.1;
            if !self.decide() {
                return Dived::None;
            }
        }
        let (width, height) = (self.board.clues().width(), self.board.clues().height());
        let stride = Grid::stride(width);
        let rows = self.board.rows().iter();
        let words = rows.flat_map(|row| (0..stride).map(|i| row.filled.part(i)));
        Dived::Solution(Grid::from_words(width, height, words.collect()))
    }

    /// Decides the cells that are believed most. `false` when nothing is left to be tried.
    fn decide(&mut self) -> bool {
        let clues = self.board.clues();
        let mut cells: Vec<(f64, Cell)> = (0..clues.height())
            .flat_map(|row| {
                let unknown = self.board.unknown_in_row(row).cells();
                unknown.map(move |column| (row, column))
            })
            .map(|(row, column)| (self.beliefs.log_odds(row, column), Cell::new(row, column)))
            .collect();
        let count = cells.len().div_ceil(BOLDNESS);
        if count < cells.len() {
            let surer = |a: &(f64, Cell), b: &(f64, Cell)| b.0.abs().total_cmp(&a.0.abs());
            cells.select_nth_unstable_by(count, surer);
            cells.truncate(count);
            cells.sort_unstable_by(surer);
        }
        for (log_odds, cell) in cells {
            if !self.board.is_unknown(cell) {
                continue;
            }
            let step = Step {
                mark: self.board.mark(),
                cell,
                filled: log_odds > 0.0,
            };
            let holds = self.board.decide(step.cell, step.filled);
            self.steps.push(step);
            if !holds {
                return self.back_out();
            }
        }
        true
    }

    /// Takes the latest decisions back until one of them can be turned round.
    fn back_out(&mut self) -> bool {
        while let Some(Step { mark, cell, filled }) = self.steps.pop() {
            self.board.undo(mark);
            let (row, column) = (usize::from(cell.row), usize::from(cell.column));
            self.beliefs.lean(row, column, !filled);
            // Turned round it follows from the decisions before it, so it is none itself.
            if self.board.decide(cell, !filled) {
                return true;
            }
        }
        false
    }
}
