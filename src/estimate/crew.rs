//! A crew of dives that go down together, and what it says of the number of solutions.
//!
//! A dive walks down a random path of the tree. Where both sides of a branch are alive, one is taken with a probability `p`, and the
//! weight of the dive is divided by `p`; where one contradicts, the other is taken for certain. A dive that ends in a solution is worth
//! its weight, one that ends in a contradiction nothing, and in the mean over all paths a dive is worth exactly the number of solutions,
//! whatever the probabilities are (Knuth, "Estimating the efficiency of backtrack programs", 1975). They decide how far single dives
//! spread: here they follow what the lines believe of each cell.
//!
//! In most puzzles nearly every dive of a hundred choices dies. So a crew goes down line by line, and where its dives are worth too
//! different things, places are drawn again: dead dives give way to copies of those that live (a particle filter: Gordon, Salmond and
//! Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993). What a dive is worth at a line is its weight
//! times about how many fillings its rest has, which the lines tell as well; the weight alone says nothing, as it is great where the
//! path was unlikely, and that is where few fillings are left (an auxiliary particle filter: Pitt and Shephard, "Filtering via
//! simulation", 1999). A dive that is drawn with a chance `q` has its weight divided by `q`, which leaves the mean as it is, whatever the
//! chances are. What is small enough at the bottom is counted exactly.
//!
//! Crews go down from the first line or up from the last one: what is rare from one side need not be so from the other.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::dive::{Dive, draw_again, uniform};
use super::exact::Exact;
use super::scaled::Scaled;
use super::steps::Steps;
use crate::belief::Beliefs;
use crate::board::{Board, Cell, Clues, Region};
use crate::line::{Known, Word};

/// No side of a branch is less likely to be taken than this: what the lines believe may be wrong.
const LEAST: f64 = 0.02;

/// Rounds in which the lines agree on what they believe at the root.
const SWEEPS: usize = 20;

/// Most unknown cells that a dive tries to count exactly, and most branches for that.
const FEW: usize = 60;
const BRANCHES: u64 = 300;

/// What a crew has come to.
#[derive(Clone, Debug)]
pub(super) struct Ending<W> {
    /// What it is worth, in the mean over its dives.
    pub(super) worth: Scaled,
    /// Dives that found nothing.
    pub(super) dead: u64,
    /// Fillings that it has seen for certain, and what all those of the first dive that found any have in common.
    pub(super) seen: u64,
    pub(super) witness: Option<Box<[Known<W>]>>,
}

/// Sends down one crew after the other.
#[derive(Clone, Debug)]
pub(super) struct Diver<'p, W> {
    board: Board<'p, W>,
    /// What is known at the root, and what the lines believe there.
    rows: Box<[Known<W>]>,
    root: Beliefs<'p>,
    exact: Exact,
}

impl<'p, W: Word> Diver<'p, W> {
    /// Starts from a board at a fixpoint. `stop` is asked while the lines agree, and breaks that off: what they believe then is worse,
    /// but not wrong.
    pub(super) fn new(board: Board<'p, W>, stop: impl Fn() -> bool) -> Self {
        let mut root = Beliefs::new(board.clues());
        for row in (0..board.clues().height()).take_while(|_| !stop()) {
            for column in 0..board.clues().width() {
                root.note(row, column, board.known(Cell::new(row, column)));
            }
        }
        for _ in 0..SWEEPS {
            if root.sweep(&stop).is_none() {
                break;
            }
        }
        Diver {
            rows: board.rows().into(),
            board,
            root,
            exact: Exact::default(),
        }
    }

    /// Bytes of a dive on a board of this size. A diver takes about as many.
    pub(super) fn bytes(clues: &Clues) -> u64 {
        let (width, height) = (clues.width() as u64, clues.height() as u64);
        let word = size_of::<Known<W>>() as u64;
        Beliefs::bytes(clues) + (height + width) * (word + 1) + size_of::<Dive<'_, W>>() as u64
    }

    /// Sends `size` dives through a region, from its last line to its first one if `upwards`. `None` when the step limit ends them early.
    pub(super) fn crew(
        &mut self,
        region: &Region<W>,
        size: usize,
        upwards: bool,
        random: &mut Xoshiro256PlusPlus,
        steps: &mut Steps<'_>,
    ) -> Option<Ending<W>> {
        let (rows, columns) = lines(&self.board, region);
        let first = Dive {
            rows: self.rows.clone(),
            beliefs: self.root.clone(),
            stale: vec![false; self.board.clues().height() + self.board.clues().width()].into(),
            weight: Scaled::ONE,
            rest: 0.0,
            ended: None,
        };
        let mut crew = vec![first];
        while crew.len() < size {
            if steps.stop() {
                return None;
            }
            crew.push(crew[0].clone());
        }
        // Across its shorter side.
        let mut order = match rows.len() >= columns.len() {
            true => rows.clone(),
            false => columns.clone(),
        };
        if upwards {
            order.reverse();
        }
        let all = [rows, columns].concat();
        for line in order {
            for dive in &mut crew {
                if dive.ended.is_none() {
                    self.descend(dive, region, line, random, steps)?;
                    dive.look_ahead(&all, steps)?;
                }
            }
            if crew.iter().all(|dive| dive.ended.is_some()) {
                break;
            }
            draw_again(&mut crew, random);
        }
        Some(end(crew))
    }

    /// Goes down one dive until every cell of a line is known. `None` when the steps end before that.
    fn descend(
        &mut self,
        dive: &mut Dive<'p, W>,
        region: &Region<W>,
        line: usize,
        random: &mut Xoshiro256PlusPlus,
        steps: &mut Steps<'_>,
    ) -> Option<()> {
        self.board.set_rows(&dive.rows);
        let mut few = FEW;
        while dive.ended.is_none() {
            let open = region.unknown(&self.board).count();
            if open <= few {
                // Where that takes too long, another attempt is made when half of the cells are known.
                few = open / 2;
                let number = self.exact.count(&mut self.board, region, BRANCHES, steps);
                if let Some(number) = number {
                    dive.weight = dive.weight * Scaled::from(number as f64);
                    dive.ended = Some(number);
                    break;
                }
            }
            let Some(cell) = next(&self.board, region, line) else {
                break;
            };
            let likely = self.ask(dive, line, cell, steps);
            let (Some(likely), true) = (likely, steps.node()) else {
                return None;
            };
            if !self.branch(dive, cell, likely, random) {
                dive.weight = Scaled::ZERO;
                dive.ended = Some(0);
            }
        }
        dive.rows.copy_from_slice(self.board.rows());
        Some(())
    }

    /// Takes one side of a cell; `false` where both contradict.
    fn branch(
        &mut self,
        dive: &mut Dive<'p, W>,
        cell: Cell,
        likely: f64,
        random: &mut Xoshiro256PlusPlus,
    ) -> bool {
        let filled = uniform(random) < likely;
        let here = self.board.mark();
        let other = self.board.decide(cell, !filled);
        self.board.undo(here);
        self.board.take_changed();
        if self.board.decide(cell, filled) {
            if other {
                let taken = if filled { likely } else { 1.0 - likely };
                dive.weight = dive.weight / Scaled::from(taken);
            }
        } else {
            self.board.undo(here);
            self.board.take_changed();
            if !other || !self.board.decide(cell, !filled) {
                return false;
            }
        }
        let changed = self.board.take_changed();
        dive.see(&self.board, changed);
        true
    }

    /// How likely a cell of a line is to be filled, after the lines concerned have spoken again. `None` when the steps end.
    fn ask(
        &self,
        dive: &mut Dive<'p, W>,
        line: usize,
        cell: Cell,
        steps: &Steps<'_>,
    ) -> Option<f64> {
        let height = self.board.clues().height();
        let crossing = match line.checked_sub(height) {
            None => self.board.unknown_in_row(line),
            Some(column) => self.board.unknown_in_column(column),
        };
        for crossing in crossing.cells() {
            dive.say(if line < height { height } else { 0 } + crossing, steps)?;
        }
        dive.stale[line] = true;
        dive.say(line, steps)?;
        let odds = (dive.beliefs).log_odds(usize::from(cell.row), usize::from(cell.column));
        Some((1.0 / (1.0 + (-odds).exp())).clamp(LEAST, 1.0 - LEAST))
    }
}

/// Sums up a crew whose dives have all ended.
fn end<W: Word>(crew: Vec<Dive<'_, W>>) -> Ending<W> {
    let size = Scaled::from(crew.len() as f64);
    let mut ending = Ending {
        worth: crew.iter().map(|dive| dive.weight).sum::<Scaled>() / size,
        dead: 0,
        seen: 0,
        witness: None,
    };
    for dive in crew {
        match dive.ended {
            None | Some(0) => ending.dead += 1,
            Some(number) => ending.see(number, dive.rows),
        }
    }
    ending
}

impl<W: Word> Ending<W> {
    /// Notes what a dive, or another crew, has seen.
    pub(super) fn see(&mut self, number: u64, rows: Box<[Known<W>]>) {
        self.seen = self.seen.max(number);
        match &self.witness {
            None => self.witness = Some(rows),
            Some(witness) => {
                let mut pairs = witness.iter().zip(&rows);
                let differs = |(a, b): (&Known<W>, &Known<W>)| {
                    !(a.filled & b.empty | a.empty & b.filled).is_zero()
                };
                if self.seen == 1 && pairs.any(differs) {
                    self.seen = 2;
                }
            }
        }
    }
}

/// The rows and the columns of a region, numbered rows first.
fn lines<W: Word>(board: &Board<'_, W>, region: &Region<W>) -> (Vec<usize>, Vec<usize>) {
    let rows = region.rows().filter(|(_, cells)| !cells.is_zero());
    let columns = region.rows().fold(W::ZERO, |all, (_, cells)| all | cells);
    let height = board.clues().height();
    (
        rows.map(|(row, _)| row).collect(),
        columns.cells().map(|column| height + column).collect(),
    )
}

/// The first cell of a line that is unknown.
fn next<W: Word>(board: &Board<'_, W>, region: &Region<W>, line: usize) -> Option<Cell> {
    let mut cells = region.unknown(board);
    match line.checked_sub(board.clues().height()) {
        None => cells.find(|cell| usize::from(cell.row) == line),
        Some(column) => cells.find(|cell| usize::from(cell.column) == column),
    }
}
