//! Local search for a picture whose puzzle is unique, or solved by settling lines.
//!
//! A step swaps a filled and an empty cell, so that the density stays, and with a symmetry all their images. Both cells are chosen where
//! line solving stops, mostly near each other. The swap is kept if the *score* does not grow: the number of cells that line solving leaves
//! unknown, and the looseness of the clues, which leads on where line solving finds nothing at all. Small growth is accepted now and then,
//! as in simulated annealing. The idea of changing a picture where line solving stops is that of Batenburg, Henstra, Kosters and
//! Palenstijn, "Constructing simple nonograms of varying difficulty", Pure Mathematics and Applications 20 (2009).
//!
//! For a unique puzzle the swaps are aimed: a second solution shows cells that could be exchanged, and one of those is swapped. Only where
//! no second solution is found soon, and no proof either, steps of the first kind follow until the search is easier.

use std::sync::Arc;

use super::candidate::{At, Candidate, UNIT};
use super::random::Random;
use crate::design::symmetry::Symmetry;
use crate::line::Word;
use crate::puzzle::{Grid, Puzzle};
use crate::render::differing;
use crate::run::{Control, Limits};
use crate::search::{Search, reduce_difference, switch_rectangle};

/// Nodes of one search for a second solution.
const SEARCH_NODES: u64 = 50;

/// Lines that searches may settle beyond those that steps have settled: some ten searches of 30x30 cells.
const SEARCH_SETTLES: u64 = 1_000_000;

/// Chance in a thousand that the score may grow by one unknown cell more: a temperature of half a cell.
const GROWTH_CHANCE: usize = 135;

/// Most differences between solutions that are remembered.
const MAX_DIFFERENCES: usize = 64;

/// Steps that try to end one difference before any step is taken.
const AIMED_STEPS: usize = 200;

/// The local search from one picture.
#[derive(Debug)]
pub(super) struct Climb<'a, W> {
    width: usize,
    height: usize,
    symmetry: Option<Symmetry>,
    /// The picture as it is now.
    pub(super) picture: Candidate<W>,
    random: &'a mut Random,
    control: &'a Arc<Control>,
    /// Memory for searches, in bytes.
    memory: u64,
    /// The cells that line solving leaves unknown, those that are filled first.
    unknown: [Vec<At>; 2],
    /// The groups of cells that were exchanged in second solutions found so far.
    differences: Vec<Vec<At>>,
    best: i64,
    /// Steps tried since the best score so far.
    tried: usize,
    /// Lines settled, and nodes, of searches.
    settles: u64,
    nodes: u64,
    /// Lines that the next search is expected to settle: as many as the last one.
    search_cost: u64,
}

impl<'a, W: Word> Climb<'a, W> {
    /// A local search that starts at this picture.
    pub(super) fn new(
        grid: &Grid,
        symmetry: Option<Symmetry>,
        random: &'a mut Random,
        control: &'a Arc<Control>,
        memory: u64,
    ) -> Self {
        let picture = Candidate::new(grid, control);
        let cells = grid.width() * grid.height();
        let mut climb = Climb {
            width: grid.width(),
            height: grid.height(),
            symmetry,
            unknown: picture.unknown_cells(),
            picture,
            random,
            control,
            memory,
            differences: Vec::new(),
            best: i64::MAX,
            tried: 0,
            settles: 0,
            nodes: 0,
            // All cells are probed once or twice, each way with the lines of about one side.
            search_cost: 4 * cells as u64 * (cells as f64).sqrt().ceil() as u64,
        };
        climb.best = climb.score();
        climb
    }

    /// Whether line solving solves the picture's puzzle.
    pub(super) fn is_line_solvable(&self) -> bool {
        self.picture.unknown == 0
    }

    /// Lines settled, and nodes of searches, so far.
    pub(super) fn work(&self) -> (u64, u64) {
        (self.settles + self.picture.settles, self.nodes)
    }

    /// Steps until the puzzle is unique. `Some(false)`: there was no progress for long; `None`: the run has been stopped.
    pub(super) fn make_unique(&mut self) -> Option<bool> {
        while !self.is_line_solvable() {
            if self.control.poll() {
                return None;
            }
            // Searches take at most about half of the work; where that is used up, steps towards line solving follow.
            while self.settles + self.search_cost > self.picture.settles + SEARCH_SETTLES {
                let reached = self.down_to(self.picture.unknown.saturating_sub(1))?;
                if !reached || self.is_line_solvable() {
                    return Some(reached);
                }
            }
            let second = self.second_solution();
            let unknown = self.picture.unknown;
            let goes_on = match second {
                Some(None) => return Some(true),
                Some(Some(difference)) => {
                    if self.differences.len() == MAX_DIFFERENCES {
                        self.differences.remove(0);
                    }
                    self.differences.push(difference.clone());
                    let mut has_progress = self.end_difference(&difference);
                    if !has_progress {
                        self.differences.pop();
                        has_progress = self.down_to(unknown.saturating_sub(1))?;
                    }
                    has_progress && !self.is_stuck()
                }
                None if self.control.poll() => return None,
                None => self.down_to(unknown - (unknown / 8).max(1))?,
            };
            if !goes_on {
                return Some(false);
            }
        }
        (!self.control.stopped()).then_some(true)
    }

    /// Steps until line solving leaves at most `most` cells unknown; the result is as that of [`Climb::make_unique`].
    pub(super) fn down_to(&mut self, most: usize) -> Option<bool> {
        while self.picture.unknown > most {
            if self.control.poll() {
                return None;
            }
            if self.is_stuck() {
                return Some(false);
            }
            let side = self.random.below(2);
            if let Some(&cell) = self.random.choose(&self.unknown[side]) {
                self.step(cell);
            } else {
                self.tried += 1;
            }
        }
        (!self.control.stopped()).then_some(true)
    }

    /// Takes a step that ends this difference, if one is found soon.
    fn end_difference(&mut self, difference: &[At]) -> bool {
        for _ in 0..AIMED_STEPS {
            if self.control.poll() {
                return false;
            }
            let cell = difference[self.random.below(difference.len())];
            if self.step(cell) {
                return true;
            }
        }
        false
    }

    /// Tries to swap a cell with one of the other kind; returns whether the swap was kept.
    fn step(&mut self, cell: At) -> bool {
        self.tried += 1;
        let Some(swap) = self.swap(cell) else {
            return false;
        };
        let (looseness, unknown) = (self.picture.looseness, self.picture.unknown);
        self.picture.flip(&swap);
        let mut most = unknown as i64 + (looseness - self.picture.looseness).div_euclid(UNIT);
        while self.random.below(1000) < GROWTH_CHANCE {
            most += 1;
        }
        let mut differences = self.differences.iter();
        let keeps_clues = differences.any(|difference| self.picture.keeps_clues(difference));
        let kept = !keeps_clues
            && usize::try_from(most)
                .is_ok_and(|most| self.picture.keep_if(&swap, most, self.control));
        if !kept {
            self.picture.flip(&swap);
            return false;
        }
        self.unknown = self.picture.unknown_cells();
        let score = self.score();
        if score < self.best {
            self.best = score;
            self.tried = 0;
        }
        true
    }

    /// The cells to flip so that this one is swapped with one of the other kind, with all images; `None` if none keeps the density.
    fn swap(&mut self, cell: At) -> Option<Vec<At>> {
        let images_of = |cell| images(self.symmetry, cell, self.width, self.height);
        let images = images_of(cell);
        let others = &self.unknown[usize::from(self.picture.is_filled(cell))];
        let distance = |other: At| cell.0.abs_diff(other.0) + cell.1.abs_diff(other.1);
        let mut other = *self.random.choose(others)?;
        // Mostly a near one: the best of some.
        if self.random.below(4) > 0 {
            for _ in 0..20 {
                let next = *self.random.choose(others)?;
                if distance(next) < distance(other) {
                    other = next;
                }
                if distance(other) <= 3 {
                    break;
                }
            }
        }
        let mut swap = images_of(other);
        if swap.len() != images.len() {
            return None;
        }
        swap.extend(images);
        Some(swap)
    }

    fn score(&self) -> i64 {
        self.picture.unknown as i64 * UNIT + self.picture.looseness
    }

    /// Whether the score has not become better for long.
    fn is_stuck(&self) -> bool {
        self.tried > 1000 + 4 * self.width * self.height
    }

    /// One group of cells in which a second solution differs. `Some(None)`: there is none, `None`: it was not found soon.
    fn second_solution(&mut self) -> Option<Option<Vec<At>>> {
        let grid = self.picture.grid();
        if let Some(second) = switch_rectangle(&grid) {
            return Some(Some(differing(&grid, &second)));
        }
        let puzzle = Puzzle::from_grid(&grid);
        let limits = Limits::default().memory(self.memory);
        let search = Search::new(&puzzle).single_threaded().limits(limits);
        let part = Arc::new(self.control.part(SEARCH_NODES));
        let (second, outcome) = search.other_under(&part, &grid);
        self.search_cost = outcome.statistics.settles;
        self.settles += outcome.statistics.settles;
        self.nodes += outcome.statistics.nodes;
        let Some(second) = second else {
            return outcome.is_complete().then_some(None);
        };
        let second = reduce_difference(&grid, &second);
        Some(Some(differing(&grid, &second)))
    }
}

/// The images of a cell under a symmetry, itself among them, each once.
pub(super) fn images(symmetry: Option<Symmetry>, cell: At, width: usize, height: usize) -> Vec<At> {
    let Some(symmetry) = symmetry else {
        return vec![cell];
    };
    let transforms = symmetry.transforms().iter();
    let images = transforms.map(|transform| transform.place(cell, width, height));
    let mut images: Vec<At> = images.collect();
    images.sort_unstable();
    images.dedup();
    images
}
