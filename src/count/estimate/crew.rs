//! A crew of dives that go down together, and what it says of the number of solutions.
//!
//! A dive walks down a random path of the tree. Where both sides of a branch are alive, one is taken with a probability `p`, and the
//! weight of the dive is divided by `p`; where one contradicts, the other is taken for certain. A dive that ends in a solution is worth
//! its weight, one that ends in a contradiction nothing, and in the mean over all paths a dive is worth exactly the number of solutions,
//! whatever the probabilities are (Knuth, "Estimating the efficiency of backtrack programs", 1975). They decide how far single dives
//! spread: here they follow what the lines believe of each cell.
//!
//! In most puzzles nearly every dive of a hundred choices dies. So a crew goes down line by line, and where its weights have become too
//! uneven, places are drawn again, in proportion to the weights: dead dives give way to copies of those that live, and all weigh the
//! mean of what they weighed (a particle filter: Gordon, Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state
//! estimation", 1993). That leaves the mean as it is. What is small enough at the bottom is counted exactly.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::exact::Exact;
use super::scaled::Scaled;
use crate::belief::Beliefs;
use crate::board::{Board, Cell, Region, Touch};
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
    /// Branches made.
    pub(super) nodes: u64,
}

/// One dive on its way.
#[derive(Clone, Debug)]
struct Dive<'p, W> {
    rows: Box<[Known<W>]>,
    beliefs: Beliefs<'p>,
    /// Lines in which something has become known since they last spoke.
    stale: Box<[bool]>,
    weight: Scaled,
    /// Fillings that it ended in, once it has.
    ended: Option<u64>,
}

/// Sends down one crew after the other.
#[derive(Clone, Debug)]
pub(super) struct Diver<'p, W> {
    board: Board<'p, W>,
    /// What the lines believe at the root.
    root: Beliefs<'p>,
    exact: Exact,
    nodes: u64,
}

impl<'p, W: Word> Diver<'p, W> {
    /// Starts from a board at a fixpoint. `stop` is asked while the lines agree, and breaks that off: what they believe then is worse,
    /// but not wrong.
    pub(super) fn new(board: Board<'p, W>, stop: impl Fn() -> bool) -> Self {
        let mut root = Beliefs::new(board.clues());
        root.see(|row, column| board.known(Cell::new(row, column)));
        for _ in 0..SWEEPS {
            if root.sweep(&stop).is_none() {
                break;
            }
        }
        Diver {
            board,
            root,
            exact: Exact::new(),
            nodes: 0,
        }
    }

    /// Sends so many dives down a region. `None` when `stop`, asked now and then, breaks it off.
    pub(super) fn crew(
        &mut self,
        region: &Region<W>,
        size: usize,
        random: &mut Xoshiro256PlusPlus,
        stop: impl Fn() -> bool,
    ) -> Option<Ending<W>> {
        let lines = self.board.clues().height() + self.board.clues().width();
        let first = Dive {
            rows: self.board.rows().into(),
            beliefs: self.root.clone(),
            stale: vec![false; lines].into(),
            weight: Scaled::ONE,
            ended: None,
        };
        let mut crew = vec![first; size];
        for line in order(&self.board, region) {
            for dive in &mut crew {
                if dive.ended.is_none() {
                    self.descend(dive, region, line, random, &stop)?;
                }
            }
            if crew.iter().all(|dive| dive.ended.is_some()) {
                break;
            }
            draw_again(&mut crew, random);
        }
        Some(self.end(crew))
    }

    /// Goes down one dive until every cell of a line is known. `None` when `stop` breaks it off.
    fn descend(
        &mut self,
        dive: &mut Dive<'p, W>,
        region: &Region<W>,
        line: usize,
        random: &mut Xoshiro256PlusPlus,
        stop: impl Fn() -> bool,
    ) -> Option<()> {
        let root = self.board.mark();
        let rows = dive.rows.iter().copied().enumerate();
        let sound = self.board.decide_all(rows);
        debug_assert!(sound, "a dive is at a fixpoint");
        let mut few = FEW;
        while dive.ended.is_none() {
            if stop() {
                self.board.undo(root);
                return None;
            }
            let open = region.unknown(&self.board).count();
            if open <= few {
                // Where that takes too long, another attempt is made when half of the cells are known.
                few = open / 2;
                let number = self.exact.count(&mut self.board, region, BRANCHES);
                if let Some(number) = number {
                    dive.weight = dive.weight * Scaled::from(number as f64);
                    dive.ended = Some(number);
                    break;
                }
            }
            let Some(cell) = next(&self.board, region, line) else {
                break;
            };
            let likely = self.ask(dive, line, cell);
            self.nodes += 1;
            if !self.branch(dive, cell, likely, random) {
                dive.weight = Scaled::ZERO;
                dive.ended = Some(0);
            }
        }
        dive.rows.copy_from_slice(self.board.rows());
        self.board.undo(root);
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
        // 53 bits are what the mantissa of a number below 1 holds.
        let filled = (random.next_u64() >> 11) as f64 * 2f64.powi(-53) < likely;
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

    /// How likely a cell of a line is to be filled, after the lines concerned have spoken again.
    fn ask(&self, dive: &mut Dive<'p, W>, line: usize, cell: Cell) -> f64 {
        let height = self.board.clues().height();
        let Dive { beliefs, stale, .. } = dive;
        let mut say = |other: usize| {
            if std::mem::take(&mut stale[other]) {
                beliefs.say(other);
            }
        };
        match line.checked_sub(height) {
            None => {
                let columns = self.board.unknown_in_row(line);
                columns.cells().for_each(|column| say(height + column));
            }
            Some(column) => self.board.unknown_in_column(column).cells().for_each(say),
        }
        stale[line] = false;
        beliefs.say(line);
        let odds = beliefs.log_odds(usize::from(cell.row), usize::from(cell.column));
        (1.0 / (1.0 + (-odds).exp())).clamp(LEAST, 1.0 - LEAST)
    }

    /// Sums up a crew whose dives have all ended.
    fn end(&mut self, crew: Vec<Dive<'p, W>>) -> Ending<W> {
        let size = Scaled::from(crew.len() as f64);
        let mut ending = Ending {
            worth: crew.iter().map(|dive| dive.weight).sum::<Scaled>() / size,
            dead: 0,
            seen: 0,
            witness: None,
            nodes: std::mem::take(&mut self.nodes) + self.exact.take_nodes(),
        };
        for dive in crew {
            match dive.ended {
                None | Some(0) => ending.dead += 1,
                Some(number) => ending.see(number, dive.rows),
            }
        }
        ending
    }
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

impl<W: Word> Dive<'_, W> {
    /// Passes on to the beliefs what has become known in these lines.
    fn see(&mut self, board: &Board<'_, W>, changed: Touch) {
        let (height, width) = (board.clues().height(), board.clues().width());
        let has = |set: u64, line: usize| set >> (line % 64) & 1 == 1;
        for row in (0..height).filter(|&row| has(changed.rows, row)) {
            self.stale[row] = true;
            for column in 0..width {
                let known = board.known(Cell::new(row, column));
                self.beliefs.note(row, column, known);
            }
        }
        for column in (0..width).filter(|&column| has(changed.columns, column)) {
            self.stale[height + column] = true;
        }
    }
}

/// The lines of a region in the order in which they are filled in: across its shorter side, from the first one on.
fn order<W: Word>(board: &Board<'_, W>, region: &Region<W>) -> Vec<usize> {
    let rows: Vec<usize> = region
        .rows()
        .filter(|(_, cells)| !cells.is_zero())
        .map(|(row, _)| row)
        .collect();
    let columns = region.rows().fold(W::ZERO, |all, (_, cells)| all | cells);
    match rows.len() >= columns.count() {
        true => rows,
        false => {
            let height = board.clues().height();
            columns.cells().map(|column| height + column).collect()
        }
    }
}

/// The first cell of a line that is unknown.
fn next<W: Word>(board: &Board<'_, W>, region: &Region<W>, line: usize) -> Option<Cell> {
    let mut cells = region.unknown(board);
    match line.checked_sub(board.clues().height()) {
        None => cells.find(|cell| usize::from(cell.row) == line),
        Some(column) => cells.find(|cell| usize::from(cell.column) == column),
    }
}

/// Gives every dive as many places as its weight earns, and all of them the same weight, if they weigh too differently.
fn draw_again<W: Word>(crew: &mut Vec<Dive<'_, W>>, random: &mut Xoshiro256PlusPlus) {
    let sum: Scaled = crew.iter().map(|dive| dive.weight).sum();
    if sum.is_zero() {
        return;
    }
    let size = crew.len() as f64;
    let shares: Vec<f64> = crew
        .iter()
        .map(|dive| (dive.weight / sum).to_f64())
        .collect();
    // As many dives of one weight would be worth as much.
    let effective = 1.0 / shares.iter().map(|share| share * share).sum::<f64>();
    if effective > size / 2.0 {
        return;
    }
    // One random number for all: each dive gets its share of the places, rounded up or down.
    let offset = (random.next_u64() >> 11) as f64 * 2f64.powi(-53);
    let mut places = Vec::with_capacity(crew.len());
    let mut reached = 0.0;
    for (i, share) in shares.iter().enumerate() {
        reached += share * size;
        while places.len() < crew.len() && places.len() as f64 + offset < reached {
            places.push(i);
        }
    }
    // Rounding may have kept the sum of the shares below 1.
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    places.resize(crew.len(), last);
    let weight = sum / Scaled::from(size);
    *crew = places
        .into_iter()
        .map(|i| Dive {
            weight,
            ..crew[i].clone()
        })
        .collect();
}
