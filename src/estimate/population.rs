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
//! Where even so nearly all dives die, a [`Guide`] is asked which sides of a branch have no solution. And where a solution is at hand, the
//! crew goes down beside the way to that *witness*: at every branch on the way, the side that the witness is on is gone on with, the other
//! one is given to a new dive, or where they are many to a share of them that is drawn by lot, with weights to match. So the solutions
//! near the witness are counted, not met by luck, and a crew is never worth nothing.
//!
//! Crews go down from the first line or up from the last one: what is rare from one side need not be so from the other.

use std::rc::Rc;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::exact::Exact;
use super::guide::{Guide, Hope};
use super::particle::{Particle, draw_again, uniform};
use super::scaled::Scaled;
use super::steps::Steps;
use crate::belief::Beliefs;
use crate::board::{Board, Cell, Clues, Region};
use crate::line::{Known, Word};
use crate::puzzle::Grid;

/// No side of a branch is less likely to be taken than this: what the lines believe may be wrong.
const LEAST: f64 = 0.02;

/// The most likely that a side is taken of which the guide cannot say whether it has a solution, where the other side has one.
const DOUBTFUL: f64 = 0.25;

/// Rounds in which the lines agree on what they believe at the root.
const SWEEPS: usize = 20;

/// Most unknown cells that a dive tries to count exactly, those with which the way to the witness is, and most branches for that.
const FEW: usize = 60;
const WITNESSED: usize = 240;
const BRANCHES: u64 = 300;

/// What a crew has come to.
#[derive(Clone, Debug)]
pub(super) struct Ending<W> {
    /// What it is worth, in the mean over its dives.
    pub(super) worth: Scaled,
    /// Dives that found something, and dives that found nothing.
    pub(super) alive: u64,
    pub(super) dead: u64,
    /// Is that the number itself, as nothing was left to chance?
    pub(super) exact: bool,
    /// Fillings that it has seen for certain, and what all those of the first dive that found any have in common.
    pub(super) seen: u64,
    pub(super) witness: Option<Box<[Known<W>]>>,
}

/// Sends down one crew after the other.
#[derive(Clone, Debug)]
pub(super) struct ParticleFilter<'p, W> {
    board: Board<'p, W>,
    /// What is known at the root, and what the lines believe there.
    rows: Box<[Known<W>]>,
    root: Beliefs<'p>,
    exact: Exact,
}

impl<'p, W: Word> ParticleFilter<'p, W> {
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
        ParticleFilter {
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
        Beliefs::bytes(clues) + (height + width) * (word + 1) + size_of::<Particle<'_, W>>() as u64
    }

    /// Sends `size` dives through a region, from its last line to its first one if `upwards`. `None` when the step limit ends them early.
    pub(super) fn population(
        &mut self,
        region: &Region<W>,
        size: usize,
        upwards: bool,
        mut guide: Option<&mut Guide<'_>>,
        random: &mut Xoshiro256PlusPlus,
        steps: &mut Steps<'_>,
    ) -> Option<Ending<W>> {
        let (rows, columns) = lines(&self.board, region);
        let first = Particle {
            rows: self.rows.clone(),
            beliefs: self.root.clone(),
            stale: vec![false; self.board.clues().height() + self.board.clues().width()].into(),
            weight: Scaled::ONE,
            rest: 0.0,
            ended: None,
            path: Vec::new(),
            within: guide.as_ref().and_then(|guide| guide.witness()),
        };
        let (mut population, mut spine) = match &first.within {
            Some(witness) => {
                let spine = Spine {
                    particle: first.clone(),
                    witness: Rc::clone(witness),
                    upwards,
                    size,
                    lines: rows.len() + columns.len(),
                    few: WITNESSED,
                    sides: 0,
                    alive: 0,
                };
                (Vec::new(), Some(spine))
            }
            None => (vec![first], None),
        };
        while spine.is_none() && population.len() < size {
            if steps.stop() {
                return None;
            }
            population.push(population[0].clone());
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
        let mut dead = 0;
        for line in order {
            if let (Some(spine), Some(guide)) = (&mut spine, &mut guide) {
                self.branch_off(spine, (region, line), guide, &mut population, random, steps)?;
            }
            for particle in &mut population {
                if particle.ended.is_none() {
                    self.descend(particle, region, line, &mut guide, random, steps)?;
                    particle.look_ahead(&all, steps)?;
                }
            }
            if spine.is_some() {
                // New dives need their places.
                let before = population.len();
                population.retain(|particle| !particle.weight.is_zero());
                dead += (before - population.len()) as u64;
            }
            let spine_ended = spine
                .as_ref()
                .is_none_or(|spine| spine.particle.ended.is_some());
            if spine_ended && population.iter().all(|particle| particle.ended.is_some()) {
                break;
            }
            draw_again(&mut population, size, random);
        }
        if let (Some(spine), Some(guide)) = (&spine, guide) {
            guide.note_open(upwards, spine.sides - spine.alive);
        }
        Some(end(population, size, dead, spine))
    }

    /// Goes on with the way to the witness until every cell of a line is known, and adds to the crew dives on the sides that the witness is
    /// not on, unless they have no solution. `None` when the steps end.
    fn branch_off(
        &mut self,
        spine: &mut Spine<'p, W>,
        (region, line): (&Region<W>, usize),
        guide: &mut Guide<'_>,
        population: &mut Vec<Particle<'p, W>>,
        random: &mut Xoshiro256PlusPlus,
        steps: &mut Steps<'_>,
    ) -> Option<()> {
        let (upwards, size, lines) = (spine.upwards, spine.size, spine.lines);
        let particle = &mut spine.particle;
        self.board.set_rows(&particle.rows);
        while particle.ended.is_none() {
            let open = region.unknown(&self.board).count();
            if open <= spine.few {
                spine.few = open / 2;
                particle.ended = (self.exact).count(&mut self.board, region, BRANCHES, steps);
                if particle.ended.is_some() {
                    break;
                }
            }
            let Some(cell) = next(&self.board, region, line) else {
                break;
            };
            if !steps.node() {
                return None;
            }
            let filled = spine.witness.get(cell.row.into(), cell.column.into());
            let here = self.board.mark();
            if self.board.decide(cell, !filled) && !guide.is_dead(upwards, cell) {
                spine.sides += 1;
                let chance = guide.chance(upwards, cell, size, lines);
                let drawn = uniform(random) < chance;
                let other = (cell, !filled);
                let path = particle.path.iter().copied().chain([other]);
                let (clues, rows) = (self.board.clues(), &self.rows);
                let hope = match drawn {
                    true => guide.beside((upwards, cell), clues, rows, path, steps)?,
                    false => Hope::Unknown,
                };
                if matches!(hope, Hope::Dead) {
                    spine.sides -= 1;
                } else if drawn {
                    let mut new = particle.clone();
                    new.path.push(other);
                    // As the others of a crew, of which it is worth the mean.
                    new.weight = Scaled::from(size as f64 / chance);
                    new.within = match hope {
                        Hope::Alive(grid) => Some(grid),
                        _ => None,
                    };
                    spine.alive += u64::from(new.within.is_some());
                    let changed = self.board.take_changed();
                    new.see(&self.board, changed);
                    new.rows.copy_from_slice(self.board.rows());
                    population.push(new);
                }
            }
            self.board.undo(here);
            self.board.take_changed();
            let alive = self.board.decide(cell, filled);
            debug_assert!(alive, "a solution contradicts nothing");
            let changed = self.board.take_changed();
            particle.see(&self.board, changed);
            particle.path.push((cell, filled));
        }
        particle.rows.copy_from_slice(self.board.rows());
        Some(())
    }

    /// Goes down one dive until every cell of a line is known. `None` when the steps end before that.
    fn descend(
        &mut self,
        particle: &mut Particle<'p, W>,
        region: &Region<W>,
        line: usize,
        guide: &mut Option<&mut Guide<'_>>,
        random: &mut Xoshiro256PlusPlus,
        steps: &mut Steps<'_>,
    ) -> Option<()> {
        self.board.set_rows(&particle.rows);
        if let (Some(guide), None) = (guide.as_mut(), &particle.within) {
            let path = particle.path.iter().copied();
            match guide.ask(self.board.clues(), &self.rows, path, steps)? {
                Hope::Alive(grid) => particle.within = Some(grid),
                Hope::Dead => particle.die(),
                Hope::Unknown => {}
            }
        }
        let mut few = FEW;
        while particle.ended.is_none() {
            let open = region.unknown(&self.board).count();
            if open <= few {
                // Where that takes too long, another attempt is made when half of the cells are known.
                few = open / 2;
                let number = self.exact.count(&mut self.board, region, BRANCHES, steps);
                if let Some(number) = number {
                    particle.weight = particle.weight * Scaled::from(number as f64);
                    particle.ended = Some(number);
                    break;
                }
            }
            let Some(cell) = next(&self.board, region, line) else {
                break;
            };
            let likely = self.ask(particle, line, cell, steps);
            let (Some(mut likely), true) = (likely, steps.node()) else {
                return None;
            };
            let mut beside = None;
            if let Some(guide) = guide {
                guide.note();
                (likely, beside) = self.weigh(particle, cell, likely, guide, steps)?;
            }
            match self.branch(particle, cell, likely, random) {
                None => particle.die(),
                Some(filled) => {
                    let here =
                        |grid: &Rc<Grid>| grid.get(cell.row.into(), cell.column.into()) == filled;
                    particle.within = particle.within.take().filter(here).or(beside.filter(here));
                }
            }
        }
        particle.rows.copy_from_slice(self.board.rows());
        Some(())
    }

    /// How likely a cell is to be filled when the guide has been asked about the side of which no solution is known, and the solution
    /// that there is. `None` when the steps end.
    fn weigh(
        &mut self,
        particle: &Particle<'p, W>,
        cell: Cell,
        likely: f64,
        guide: &mut Guide<'_>,
        steps: &mut Steps<'_>,
    ) -> Option<(f64, Option<Rc<Grid>>)> {
        let Some(within) = &particle.within else {
            return Some((likely, None));
        };
        let other = !within.get(cell.row.into(), cell.column.into());
        let here = self.board.mark();
        let open = self.board.decide(cell, other);
        self.board.undo(here);
        self.board.take_changed();
        let sure = if other { 0.0 } else { 1.0 };
        if !open {
            return Some((sure, None));
        }
        let path = particle.path.iter().copied().chain([(cell, other)]);
        let hope = guide.ask(self.board.clues(), &self.rows, path, steps)?;
        Some(match hope {
            Hope::Alive(grid) => (likely, Some(grid)),
            Hope::Dead => (sure, None),
            Hope::Unknown if other => (likely.min(DOUBTFUL), None),
            Hope::Unknown => (likely.max(1.0 - DOUBTFUL), None),
        })
    }

    /// Takes one side of a cell, and says which; `None` where both contradict.
    fn branch(
        &mut self,
        particle: &mut Particle<'p, W>,
        cell: Cell,
        likely: f64,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<bool> {
        let mut filled = uniform(random) < likely;
        let here = self.board.mark();
        let other = self.board.decide(cell, !filled);
        self.board.undo(here);
        self.board.take_changed();
        if self.board.decide(cell, filled) {
            if other {
                let taken = if filled { likely } else { 1.0 - likely };
                particle.weight = particle.weight / Scaled::from(taken);
            }
        } else {
            self.board.undo(here);
            self.board.take_changed();
            filled = !filled;
            if !other || !self.board.decide(cell, filled) {
                return None;
            }
        }
        let changed = self.board.take_changed();
        particle.see(&self.board, changed);
        particle.path.push((cell, filled));
        Some(filled)
    }

    /// How likely a cell of a line is to be filled, after the lines concerned have spoken again. `None` when the steps end.
    fn ask(
        &self,
        particle: &mut Particle<'p, W>,
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
            particle.say(if line < height { height } else { 0 } + crossing, steps)?;
        }
        particle.stale[line] = true;
        particle.say(line, steps)?;
        let odds = (particle.beliefs).log_odds(usize::from(cell.row), usize::from(cell.column));
        Some((1.0 / (1.0 + (-odds).exp())).clamp(LEAST, 1.0 - LEAST))
    }
}

/// The way to a witness, which a crew goes down beside.
struct Spine<'p, W> {
    particle: Particle<'p, W>,
    witness: Rc<Grid>,
    /// What the crew was told, and how many lines its region has.
    upwards: bool,
    size: usize,
    lines: usize,
    /// The most unknown cells with which it is counted exactly.
    few: usize,
    /// Sides that may have a solution, and those that have one for certain.
    sides: u64,
    alive: u64,
}

/// Sums up a crew of `size` dives that have all ended, some of them `dead` before.
fn end<W: Word>(
    population: Vec<Particle<'_, W>>,
    size: usize,
    dead: u64,
    spine: Option<Spine<'_, W>>,
) -> Ending<W> {
    let mut ending = Ending {
        worth: population
            .iter()
            .map(|particle| particle.weight)
            .sum::<Scaled>()
            / Scaled::from(size as f64),
        alive: 0,
        dead,
        exact: false,
        seen: 0,
        witness: None,
    };
    for particle in population {
        match particle.ended {
            None | Some(0) => ending.dead += 1,
            Some(number) => {
                ending.alive += 1;
                ending.see(number, particle.rows);
            }
        }
    }
    if let Some(spine) = spine {
        // At its end it has a filling: that of the witness.
        let number = spine.particle.ended.unwrap_or(1);
        ending.worth = ending.worth + Scaled::from(number as f64);
        ending.exact = spine.sides == 0;
        ending.see(number + spine.alive, spine.particle.rows);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::puzzle::Puzzle;
    use crate::run::{Control, Limits};

    /// Crews that are led, with a witness and without, are worth the number of solutions in the mean.
    #[test]
    fn crews_that_are_led_are_right_in_the_mean() {
        let rows = [
            ".#...#..#.#",
            "..........#",
            "....#....#.",
            "#..#.##...#",
            "#.......##.",
            "#..........",
            ".....#....#",
            ".......##.#",
            ".#.#....#..",
            "..##.......",
            ".#.........",
        ];
        let witness = Grid::from_rows(&rows).unwrap();
        let puzzle = Puzzle::from_grid(&witness);
        let clues = Clues::new(&puzzle);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let region = Region::whole(&board);
        let mut diver = ParticleFilter::new(board, || false);
        let control = Arc::new(Control::new(&Limits::default(), false));
        let mut steps = Steps::new(&control);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let truth = 21_693.0;
        let witness = Arc::new(witness);
        for witness in [None, Some(&witness)] {
            let mut guide = Guide::new(&puzzle, Arc::clone(&control), u64::MAX, witness);
            let populations = (0..300).map(|i| {
                let guide = Some(&mut guide);
                let population =
                    diver.population(&region, 6, i % 2 == 1, guide, &mut random, &mut steps);
                let ending = population.expect("nothing stops it");
                assert!(ending.seen as f64 <= truth && !ending.exact);
                assert!(witness.is_none() || ending.seen > 0);
                ending.worth.to_f64()
            });
            let populations: Vec<f64> = populations.collect();
            let mean = populations.iter().sum::<f64>() / 300.0;
            let squares: f64 = populations
                .iter()
                .map(|population| (population - mean).powi(2))
                .sum();
            let error = (squares / 299.0 / 300.0).sqrt();
            assert!(error < 0.1 * truth, "{error}");
            assert!((mean - truth).abs() < 4.0 * error, "{mean}, {error}");
        }
    }
}
