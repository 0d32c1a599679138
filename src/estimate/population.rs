//! A population of particles, and the number of solutions it estimates.
//!
//! A particle follows a random path of the search tree. Where both sides of a branch are consistent, one is taken with a probability `p`,
//! and the weight of the particle is divided by `p`; where one contradicts, the other is taken. A particle that ends in a solution has its
//! weight as value, one that ends in a contradiction 0, and the expected value is exactly the number of solutions for all probabilities
//! (Knuth, "Estimating the efficiency of backtrack programs", 1975). These determine the variance: here they follow the beliefs of the
//! lines on each cell.
//!
//! In most puzzles nearly every path of a hundred choices ends in a contradiction. So a population descends line by line and is resampled
//! where the values of its particles are too uneven: dead particles are replaced by copies of living ones (a particle filter: Gordon,
//! Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993). The value of a particle at
//! a line is estimated as its weight times a number of remaining fillings that the lines tell, for the weight alone is great where the path
//! was unlikely, and there few fillings remain (an auxiliary particle filter: Pitt and Shephard, "Filtering via simulation", 1999). A
//! particle of which `q` copies are expected has its weight divided by `q`, which leaves the expected value unchanged. Small remainders are
//! counted exactly.
//!
//! If nearly all particles die even so, a [`Guide`] is asked which sides of a branch have no solution. And if a solution (the *witness*) is
//! known, the population follows its path, the *spine*: at each branch the spine takes the side of the witness, and a new particle starts
//! on the other side. If there are many other sides, only a random share of them get a particle, with weights to match. So the solutions
//! near the witness are not found by chance only, and the value of a population is never 0.
//!
//! Half of the populations start at the last line, because paths that are rare from one end need not be rare from the other.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::budget::Budget;
use super::exact::ExactCounter;
use super::guide::Guide;
use super::particle::{Particle, resample, uniform};
use super::scaled::Scaled;
use crate::belief::Beliefs;
use crate::board::{Board, Clues, Region};
use crate::line::{Known, Word};
use crate::puzzle::{Cell, Grid};
use crate::sat::SatAnswer;

/// Minimum probability of a consistent side of a branch: the beliefs may be wrong.
const MIN_PROBABILITY: f64 = 0.02;

/// Maximum probability of a side for which the guide has no answer, if the other side has a solution.
const MAX_DOUBTFUL_PROBABILITY: f64 = 0.25;

/// Sweeps of belief propagation at the root.
const ROOT_SWEEPS: usize = 20;

/// Maximum number of unknown cells for which a particle, or the spine, attempts an exact count, and maximum number of its branches.
const MAX_EXACT_CELLS: usize = 60;
const MAX_EXACT_SPINE_CELLS: usize = 240;
const MAX_BRANCHES: u64 = 300;

/// The result of a population.
#[derive(Clone, Debug)]
pub(super) struct PopulationResult<W> {
    /// Its value, the mean over its particles.
    pub(super) value: Scaled,
    /// Particles that found a solution, and particles that died.
    pub(super) alive: u64,
    pub(super) dead: u64,
    /// Whether the value is the exact number of fillings, because no random choice influenced it.
    pub(super) is_exact: bool,
    pub(super) proved: ProvedFillings<W>,
}

/// Fillings that particles have proved.
#[derive(Clone, Debug)]
pub(super) struct ProvedFillings<W> {
    pub(super) number: u64,
    /// The rows of the first particle that found any.
    pub(super) witness: Option<Box<[Known<W>]>>,
}

/// Runs one population after the other.
#[derive(Clone, Debug)]
pub(super) struct ParticleFilter<'p, W> {
    board: Board<'p, W>,
    /// The known cells at the root, and the beliefs there: where each particle begins.
    root_rows: Box<[Known<W>]>,
    root_beliefs: Beliefs<'p>,
    exact: ExactCounter,
}

impl<'p, W: Word> ParticleFilter<'p, W> {
    /// A filter for a board at a propagation fixpoint. `stop` is polled during belief propagation and ends it early: the beliefs are then
    /// less accurate, but the estimate stays unbiased.
    pub(super) fn new(board: Board<'p, W>, stop: impl Fn() -> bool) -> Self {
        let mut root_beliefs = Beliefs::new(board.clues());
        for row in (0..board.clues().height()).take_while(|_| !stop()) {
            for column in 0..board.clues().width() {
                root_beliefs.note(row, column, board.known(Cell::new(row, column)));
            }
        }
        for _ in 0..ROOT_SWEEPS {
            if root_beliefs.sweep(&stop).is_none() {
                break;
            }
        }
        ParticleFilter {
            root_rows: board.rows().into(),
            board,
            root_beliefs,
            exact: ExactCounter::default(),
        }
    }

    /// Bytes of a particle on a board of this size. A [`ParticleFilter`] takes about as many.
    pub(super) fn bytes(clues: &Clues) -> u64 {
        let (width, height) = (clues.width() as u64, clues.height() as u64);
        let word = size_of::<Known<W>>() as u64;
        Beliefs::bytes(clues) + (height + width) * (word + 1) + size_of::<Particle<'_, W>>() as u64
    }

    /// Runs a population of `size` particles through a region, from its last line to its first one if `upwards`. `None` if the budget ends.
    pub(super) fn population(
        &mut self,
        region: &Region<W>,
        size: usize,
        upwards: bool,
        guide: Option<&mut Guide<'_>>,
        random: &mut Xoshiro256PlusPlus,
        budget: &mut Budget<'_>,
    ) -> Option<PopulationResult<W>> {
        let run = PopulationRun {
            filter: self,
            region,
            size,
            upwards,
            guide,
            random,
            budget,
        };
        run.finish()
    }
}

/// What a population needs on its way.
struct PopulationRun<'r, 'p, 'g, 'b, W> {
    filter: &'r mut ParticleFilter<'p, W>,
    region: &'r Region<W>,
    size: usize,
    upwards: bool,
    guide: Option<&'r mut Guide<'g>>,
    random: &'r mut Xoshiro256PlusPlus,
    budget: &'r mut Budget<'b>,
}

/// The path to the witness, beside which a population is sampled.
struct Spine<'p, W> {
    particle: Particle<'p, W>,
    witness: Arc<Grid>,
    /// Number of lines of the region.
    lines: usize,
    /// Number of unknown cells from which an exact count is attempted.
    exact_cells: usize,
    /// Number of other sides that may have a solution, and number of other sides known to have one.
    open_sides: u64,
    alive_sides: u64,
}

// Unless they say otherwise, the methods return `None` if the budget ends.
impl<'p, W: Word> PopulationRun<'_, 'p, '_, '_, W> {
    /// Runs the population to its end.
    fn finish(mut self) -> Option<PopulationResult<W>> {
        let board = &self.filter.board;
        let (rows, columns) = lines(board, self.region);
        let first = Particle {
            rows: self.filter.root_rows.clone(),
            beliefs: self.filter.root_beliefs.clone(),
            stale: vec![false; board.clues().height() + board.clues().width()].into(),
            weight: Scaled::ONE,
            log_remaining: 0.0,
            final_count: None,
            path: Vec::new(),
            solution: self.guide.as_ref().and_then(|guide| guide.witness.clone()),
        };
        let mut spine = first.solution.clone().map(|witness| Spine {
            particle: first.clone(),
            witness,
            lines: rows.len() + columns.len(),
            exact_cells: MAX_EXACT_SPINE_CELLS,
            open_sides: 0,
            alive_sides: 0,
        });
        let mut population = Vec::new();
        if spine.is_none() {
            population.push(first);
            for _ in 1..self.size {
                if self.budget.must_stop() {
                    return None;
                }
                population.push(population[0].clone());
            }
        }
        let all_lines = [&rows[..], &columns].concat();
        // The lines are processed along the longer side of the region.
        let mut order = std::cmp::max_by_key(columns, rows, Vec::len);
        if self.upwards {
            order.reverse();
        }
        let mut dead = 0;
        for line in order {
            if let Some(spine) = &mut spine {
                self.branch_off(spine, line, &mut population)?;
            }
            for particle in &mut population {
                if particle.final_count.is_none() {
                    self.descend(particle, line)?;
                    particle.update_estimate(&all_lines, self.budget)?;
                }
            }
            if spine.is_some() {
                // Makes room for new particles.
                let before = population.len();
                population.retain(|particle| !particle.weight.is_zero());
                dead += (before - population.len()) as u64;
            }
            let spine = spine.iter().map(|spine| &spine.particle);
            if (spine.chain(&population)).all(|particle| particle.final_count.is_some()) {
                break;
            }
            resample(&mut population, self.size, self.random);
        }
        if let (Some(spine), Some(guide)) = (&spine, self.guide) {
            guide.open[usize::from(self.upwards)] = spine.open_sides - spine.alive_sides;
        }
        Some(result_of(population, self.size, dead, spine))
    }

    /// Advances the spine until every cell of a line is known, and adds particles for the other sides that may have a solution.
    fn branch_off(
        &mut self,
        spine: &mut Spine<'p, W>,
        line: usize,
        population: &mut Vec<Particle<'p, W>>,
    ) -> Option<()> {
        self.filter.board.set_rows(&spine.particle.rows);
        while spine.particle.final_count.is_none() {
            spine.particle.final_count = self.count_if_few_unknown(&mut spine.exact_cells);
            if spine.particle.final_count.is_some() {
                break;
            }
            let Some(cell) = self.next_cell(line) else {
                break;
            };
            if !self.budget.take_node() {
                return None;
            }
            let filled = cell.is_filled_in(&spine.witness);
            let mark = self.filter.board.mark();
            if self.decide(cell, !filled)? {
                self.add_other_side(spine, cell, population)?;
            }
            self.undo(mark);
            let alive = self.decide(cell, filled)?;
            debug_assert!(alive, "a solution contradicts nothing");
            spine.particle.record_changes(&mut self.filter.board);
            spine.particle.path.push((cell, filled));
        }
        spine
            .particle
            .rows
            .copy_from_slice(self.filter.board.rows());
        Some(())
    }

    /// Adds a particle for the side of a cell that the spine does not take, on the board of that side. Only a random share of these sides
    /// get one, and none of those that are known or found to have no solution.
    fn add_other_side(
        &mut self,
        spine: &mut Spine<'p, W>,
        cell: Cell,
        population: &mut Vec<Particle<'p, W>>,
    ) -> Option<()> {
        let Some(guide) = &mut self.guide else {
            return Some(());
        };
        if guide.is_dead(self.upwards, cell) {
            return Some(());
        }
        spine.open_sides += 1;
        let probability = guide.probability(self.upwards, cell, self.size, spine.lines);
        if uniform(self.random) >= probability {
            return Some(());
        }
        let other = (cell, !cell.is_filled_in(&spine.witness));
        let path = spine.particle.path.iter().copied().chain([other]);
        let (clues, rows) = (self.filter.board.clues(), &self.filter.root_rows);
        let side = (self.upwards, cell);
        let solution = match guide.query_side(side, clues, rows, path, self.budget)? {
            SatAnswer::Solution(grid) => {
                spine.alive_sides += 1;
                Some(Arc::new(grid))
            }
            SatAnswer::Unknown => None,
            SatAnswer::None => {
                spine.open_sides -= 1;
                return Some(());
            }
        };
        let mut new = spine.particle.clone();
        new.path.push(other);
        // The value of a population is the mean over `size` particles, hence the factor `size`.
        new.weight = Scaled::from(self.size as f64 / probability);
        new.solution = solution;
        new.record_changes(&mut self.filter.board);
        new.rows.copy_from_slice(self.filter.board.rows());
        population.push(new);
        Some(())
    }

    /// Advances a particle until every cell of a line is known.
    fn descend(&mut self, particle: &mut Particle<'p, W>, line: usize) -> Option<()> {
        self.filter.board.set_rows(&particle.rows);
        if particle.solution.is_none() {
            match self.query(particle.path.iter().copied())? {
                SatAnswer::Solution(grid) => particle.solution = Some(Arc::new(grid)),
                SatAnswer::None => particle.kill(),
                SatAnswer::Unknown => {}
            }
        }
        let mut exact_cells = MAX_EXACT_CELLS;
        while particle.final_count.is_none() {
            if let Some(count) = self.count_if_few_unknown(&mut exact_cells) {
                particle.weight = particle.weight * Scaled::from(count as f64);
                particle.final_count = Some(count);
                break;
            }
            let Some(cell) = self.next_cell(line) else {
                break;
            };
            let mut probability = self.fill_probability(particle, line, cell)?;
            if !self.budget.take_node() {
                return None;
            }
            let mut side_solution = None;
            if let Some(guide) = &mut self.guide {
                guide.record_node();
                (probability, side_solution) =
                    self.adjust_probability(particle, cell, probability)?;
            }
            match self.branch(particle, cell, probability)? {
                None => particle.kill(),
                Some(filled) => {
                    let mut solutions = particle.solution.take().into_iter().chain(side_solution);
                    particle.solution = solutions.find(|grid| cell.is_filled_in(grid) == filled);
                }
            }
        }
        particle.rows.copy_from_slice(self.filter.board.rows());
        Some(())
    }

    /// Counts the fillings of the region if at most `exact_cells` of its cells are unknown, and then sets `exact_cells` to half of these,
    /// so that the next attempt comes later. `None` if it is not attempted, takes too many branches, or the budget ends.
    fn count_if_few_unknown(&mut self, exact_cells: &mut usize) -> Option<u64> {
        let ParticleFilter { board, exact, .. } = &mut *self.filter;
        let unknown = self.region.unknown(board).count();
        if unknown > *exact_cells {
            return None;
        }
        *exact_cells = unknown / 2;
        exact.count(board, self.region, MAX_BRANCHES, self.budget)
    }

    /// The first unknown cell of the region on a line, if there is one.
    fn next_cell(&self, line: usize) -> Option<Cell> {
        let board = &self.filter.board;
        let mut cells = self.region.unknown(board);
        match line.checked_sub(board.clues().height()) {
            None => cells.find(|cell| usize::from(cell.row) == line),
            Some(column) => cells.find(|cell| usize::from(cell.column) == column),
        }
    }

    /// Asks the guide, if there is one, for a solution with these decisions.
    fn query(&mut self, path: impl Iterator<Item = (Cell, bool)>) -> Option<SatAnswer> {
        let Some(guide) = &mut self.guide else {
            return Some(SatAnswer::Unknown);
        };
        guide.query(
            self.filter.board.clues(),
            &self.filter.root_rows,
            path,
            self.budget,
        )
    }

    /// The probability to fill a cell after asking the guide about the side without a known solution, and the solution found there.
    fn adjust_probability(
        &mut self,
        particle: &Particle<'p, W>,
        cell: Cell,
        probability: f64,
    ) -> Option<(f64, Option<Arc<Grid>>)> {
        let Some(solution) = &particle.solution else {
            return Some((probability, None));
        };
        let other = !cell.is_filled_in(solution);
        let certain = if other { 0.0 } else { 1.0 };
        if !self.is_consistent(cell, other)? {
            return Some((certain, None));
        }
        let path = particle.path.iter().copied().chain([(cell, other)]);
        Some(match self.query(path)? {
            SatAnswer::Solution(grid) => (probability, Some(Arc::new(grid))),
            SatAnswer::None => (certain, None),
            SatAnswer::Unknown if other => (probability.min(MAX_DOUBTFUL_PROBABILITY), None),
            SatAnswer::Unknown => (probability.max(1.0 - MAX_DOUBTFUL_PROBABILITY), None),
        })
    }

    /// Decides a cell at random and returns its value; `Some(None)` if both values lead to a contradiction.
    fn branch(
        &mut self,
        particle: &mut Particle<'p, W>,
        cell: Cell,
        probability: f64,
    ) -> Option<Option<bool>> {
        let mut filled = uniform(self.random) < probability;
        let other_is_consistent = self.is_consistent(cell, !filled)?;
        let mark = self.filter.board.mark();
        if self.decide(cell, filled)? {
            if other_is_consistent {
                let taken = if filled {
                    probability
                } else {
                    1.0 - probability
                };
                particle.weight = particle.weight / Scaled::from(taken);
            }
        } else {
            self.undo(mark);
            filled = !filled;
            if !other_is_consistent || !self.decide(cell, filled)? {
                return Some(None);
            }
        }
        particle.record_changes(&mut self.filter.board);
        particle.path.push((cell, filled));
        Some(Some(filled))
    }

    /// Decides a cell on the board; `Some(false)` is a contradiction.
    fn decide(&mut self, cell: Cell, filled: bool) -> Option<bool> {
        let control = self.budget.control;
        self.filter.board.decide_under(cell, filled, control)
    }

    fn undo(&mut self, mark: usize) {
        self.filter.board.undo(mark);
        self.filter.board.take_changed();
    }

    /// Whether propagation does not contradict this value of a cell; the board stays as it is.
    fn is_consistent(&mut self, cell: Cell, filled: bool) -> Option<bool> {
        let mark = self.filter.board.mark();
        let is_consistent = self.decide(cell, filled)?;
        self.undo(mark);
        Some(is_consistent)
    }

    /// The probability to fill a cell of a line, after updating the messages of the lines that matter.
    fn fill_probability(
        &self,
        particle: &mut Particle<'p, W>,
        line: usize,
        cell: Cell,
    ) -> Option<f64> {
        let board = &self.filter.board;
        let height = board.clues().height();
        let (first, crossing) = match line.checked_sub(height) {
            None => (height, board.unknown_in_row(line)),
            Some(column) => (0, board.unknown_in_column(column)),
        };
        for crossing in crossing.cells() {
            particle.update_line(first + crossing, self.budget)?;
        }
        particle.stale[line] = true;
        particle.update_line(line, self.budget)?;
        let (row, column) = cell.place();
        let odds = particle.beliefs.log_odds(row, column);
        Some((1.0 / (1.0 + (-odds).exp())).clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))
    }
}

/// The result of a population of nominal size `size` whose particles have all ended, and from which `dead` ones have been removed before.
fn result_of<W: Word>(
    population: Vec<Particle<'_, W>>,
    size: usize,
    dead: u64,
    spine: Option<Spine<'_, W>>,
) -> PopulationResult<W> {
    let weight: Scaled = population.iter().map(|particle| particle.weight).sum();
    let mut result = PopulationResult {
        value: weight / Scaled::from(size as f64),
        alive: 0,
        dead,
        is_exact: false,
        proved: ProvedFillings::NONE,
    };
    for particle in population {
        match particle.final_count {
            None | Some(0) => result.dead += 1,
            Some(count) => {
                result.alive += 1;
                result.proved.record(count, particle.rows);
            }
        }
    }
    if let Some(spine) = spine {
        // If it was not counted, it has at least one filling: the witness.
        let count = spine.particle.final_count.unwrap_or(1);
        result.value = result.value + Scaled::from(count as f64);
        result.is_exact = spine.open_sides == 0;
        let proved = count + spine.alive_sides;
        result.proved.record(proved, spine.particle.rows);
    }
    result
}

impl<W: Word> ProvedFillings<W> {
    pub(super) const NONE: Self = ProvedFillings {
        number: 0,
        witness: None,
    };

    /// Records fillings of a particle or of another population, one of which agrees with `rows`.
    pub(super) fn record(&mut self, number: u64, rows: Box<[Known<W>]>) {
        self.number = self.number.max(number);
        let witness = self.witness.get_or_insert_with(|| rows.clone());
        let mut pairs = witness.iter().zip(&rows);
        let differs = pairs.any(|(a, b)| !(a.filled & b.empty | a.empty & b.filled).is_zero());
        if self.number == 1 && differs {
            self.number = 2;
        }
    }
}

/// The rows and the columns of a region; column numbers follow row numbers.
fn lines<W: Word>(board: &Board<'_, W>, region: &Region<W>) -> (Vec<usize>, Vec<usize>) {
    let rows = region.rows().filter(|(_, cells)| !cells.is_zero());
    let columns = region.rows().fold(W::ZERO, |all, (_, cells)| all | cells);
    let height = board.clues().height();
    let columns = columns.cells().map(|column| height + column);
    (rows.map(|(row, _)| row).collect(), columns.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::puzzle::Puzzle;
    use crate::run::{Control, Limits};

    /// Guided populations, with a witness and without, estimate the number of solutions without bias.
    #[cfg(any(feature = "sat", feature = "sat-rust"))]
    #[test]
    fn guided_populations_are_unbiased() {
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
        let mut filter = ParticleFilter::new(board, || false);
        let control = Arc::new(Control::new(&Limits::default(), false));
        let mut budget = Budget::new(&control);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let truth = 21_693.0;
        let witness = Arc::new(witness);
        for witness in [None, Some(&witness)] {
            let mut guide = Guide::new(&puzzle, Arc::clone(&control), u64::MAX, witness);
            let populations = (0..300).map(|i| {
                let guide = Some(&mut guide);
                let population =
                    filter.population(&region, 6, i % 2 == 1, guide, &mut random, &mut budget);
                let result = population.expect("the run has no limits");
                assert!(result.proved.number as f64 <= truth && !result.is_exact);
                assert!(witness.is_none() || result.proved.number > 0);
                result.value.to_f64()
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
