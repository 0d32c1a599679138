//! Generation: random pictures whose puzzles are unique, or can be solved by a given method.
//!
//! A picture is drawn with the wanted share of filled cells, and a local search swaps cells until its puzzle has the wanted property. Each
//! puzzle has random numbers of its own, so that a run gives the same puzzles on any number of threads.

mod candidate;
mod climb;
mod random;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use climb::{Climb, images};
use random::Random;

use super::profile::{Method, Profile};
use super::repair::Repair;
use super::symmetry::Symmetry;
use crate::error::{Error, Kind, Result};
use crate::line::{Word, by_width};
use crate::puzzle::{Cell, Grid, MAX_SIDE, Position, Puzzle};
use crate::render::differing;
use crate::run::{Control, Instant, Limits};
use crate::solutions::Stop;

/// Lines settled after which a puzzle is given up, unless a number of attempts is set.
const MAX_SETTLES: u64 = 50_000_000;

/// Memory that the local search needs for each cell, in bytes.
const BYTES_PER_CELL: u64 = 64;

/// Memory of a search for a second solution, in bytes: bounded, so that the puzzles do not depend on a thread's share of the memory.
const SEARCH_BYTES: u64 = 256 << 20;

/// Pictures that one search for cells to give away may examine.
const REVEAL_NODES: u64 = 50;

/// Unknown cells for each cell that may be given, at which cells to give away are first looked for. One cell mostly decides several.
const UNKNOWN_PER_GIVEN: usize = 16;

/// What a generated puzzle must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// Nothing: a random picture is taken as it is.
    #[default]
    Anything,
    /// Exactly one solution, however hard it is to find.
    Unique,
    /// Exactly one solution, and this method is the simplest that finds it. Only [`Method::Lines`], [`Method::Probing`],
    /// [`Method::Nested2`] and [`Method::Search`] can be found.
    Method(Method),
}

/// Generates puzzles from random pictures.
///
/// The pictures are **not** a uniform sample of all pictures with the wanted property. They begin as uniform random pictures of the wanted
/// density; swaps then remove what is ambiguous. Dense pictures hardly change. In loose ones, of a density below about 0.5, cells gather in
/// fewer and longer blocks, since few pictures without them are unique.
///
/// ```
/// use omnogram::design::{Generator, Wanted};
/// use omnogram::search::{Search, Verdict};
///
/// let generator = Generator::new(15, 10)?.density(0.5)?.seed(7).wanted(Wanted::Unique);
/// let puzzle = generator.make(0).puzzle.unwrap();
/// assert_eq!(puzzle.notes().goal.as_ref().unwrap().filled(), 75);
/// assert_eq!(Search::new(&puzzle).check().0, Verdict::Unique);
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Generator {
    width: usize,
    height: usize,
    density: f64,
    seed: u64,
    symmetry: Option<Symmetry>,
    wanted: Wanted,
    sweeps: Option<RangeInclusive<usize>>,
    reveal: usize,
    attempts: Option<u64>,
    limits: Limits,
}

/// A generated puzzle, or why there is none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The puzzle, with its picture as the goal; `None` if no picture was found within the attempts or limits.
    pub puzzle: Option<Puzzle>,
    /// Why the run was stopped; `None` if it has found a puzzle or given up.
    pub stopped: Option<Stop>,
    /// The number of the puzzle.
    pub number: u64,
    /// The size of the picture.
    pub width: usize,
    /// The size of the picture.
    pub height: usize,
    /// Whether the puzzle is proved to be unique. `false` if it was not asked for.
    pub unique: bool,
    /// The simplest method that solves the puzzle; `None` if it is not known, because it was not asked for.
    pub method: Option<Method>,
    /// The sweeps of line solving that solve the puzzle; `None` if they were not asked for. See [`Profile::sweeps`].
    pub sweeps: Option<usize>,
    /// Random pictures that were begun with.
    pub attempts: u64,
    /// Cells in which the picture differs from the random one.
    pub changed: usize,
    /// Lines settled.
    pub settles: u64,
    /// Nodes of searches for a second solution.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
}

impl Generator {
    /// A generator of random pictures of this size, of which half of the cells are filled.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if a side is 0 or above [`MAX_SIDE`].
    pub fn new(width: usize, height: usize) -> Result<Self> {
        let sides = 1..=MAX_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            let message =
                format!("a picture has 1 to {MAX_SIDE} columns and rows, not {width}x{height}");
            return Err(Error::new(Kind::Usage, message));
        }
        Ok(Generator {
            width,
            height,
            density: 0.5,
            seed: 0,
            symmetry: None,
            wanted: Wanted::default(),
            sweeps: None,
            reveal: 0,
            attempts: None,
            limits: Limits::default(),
        })
    }

    /// Sets the share of filled cells. The number of filled cells is rounded, with a symmetry to a sum of sizes of sets of images.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if it is not from 0 to 1.
    pub fn density(mut self, density: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&density) {
            let message = format!("a density is from 0 to 1, not {density}");
            return Err(Error::new(Kind::Usage, message));
        }
        self.density = density;
        Ok(self)
    }

    /// Sets the seed of the random numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the symmetry of the pictures.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if only square pictures can have it, and this size is not square.
    pub fn symmetry(mut self, symmetry: impl Into<Option<Symmetry>>) -> Result<Self> {
        self.symmetry = symmetry.into();
        if self.width != self.height && self.symmetry.is_some_and(Symmetry::needs_square) {
            let (width, height) = (self.width, self.height);
            let message =
                format!("only square pictures can have this symmetry, not {width}x{height}");
            return Err(Error::new(Kind::Usage, message));
        }
        Ok(self)
    }

    /// Sets what a puzzle must have.
    pub fn wanted(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    /// Sets how many sweeps of line solving a puzzle must need; see [`Profile::sweeps`]. It has an effect for [`Method::Lines`] only.
    /// Pictures whose puzzles need another number are dropped, each an attempt.
    pub fn sweeps(mut self, sweeps: impl Into<Option<RangeInclusive<usize>>>) -> Self {
        self.sweeps = sweeps.into();
        self
    }

    /// Lets a puzzle have up to this number of given cells, as few as are found: they make the picture its only solution, or for
    /// [`Method::Lines`] let line solving reach it. The picture is changed only as far as so few cells then suffice. It has no effect for
    /// [`Wanted::Anything`] and other methods.
    pub fn reveal(mut self, cells: usize) -> Self {
        self.reveal = cells;
        self
    }

    /// Sets the number of random pictures to begin with before a puzzle is given up. Without it a puzzle is given up after some fifty
    /// million settled lines, which take from ten seconds to a minute.
    pub fn attempts(mut self, attempts: impl Into<Option<u64>>) -> Self {
        self.attempts = attempts.into();
        self
    }

    /// Sets the limits on each puzzle. A limit on solutions has no meaning here.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes the puzzle of this number, on the calling thread: always the same one for the same options and seed, unless a limit on time or
    /// an interrupt stops the run.
    pub fn make(&self, number: u64) -> Generated {
        by_width!(self.width.max(self.height), W => self.make_for_width::<W>(number))
    }

    fn make_for_width<W: Word>(&self, number: u64) -> Generated {
        let started = Instant::now();
        let control = Arc::new(Control::new(&self.limits, false));
        let mut random = Random::new(self.seed, number);
        let mut generated = Generated {
            puzzle: None,
            stopped: None,
            number,
            width: self.width,
            height: self.height,
            unique: false,
            method: None,
            sweeps: None,
            attempts: 0,
            changed: 0,
            settles: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
        };
        if (self.width * self.height) as u64 * BYTES_PER_CELL > self.limits.bytes() {
            control.stop(Stop::Memory);
        }
        while generated.puzzle.is_none() && !control.poll() && self.may_try(&generated) {
            generated.attempts += 1;
            let drawn = self.draw(&mut random);
            if self.wanted == Wanted::Anything {
                generated.puzzle = Some(with_goal(drawn));
                break;
            }
            let memory = self.limits.bytes().min(SEARCH_BYTES);
            let mut climb = Climb::<W>::new(&drawn, self.symmetry, &mut random, &control, memory);
            let mut given = Vec::new();
            let reached = match self.wanted {
                Wanted::Unique | Wanted::Method(Method::Lines) if self.reveal > 0 => {
                    self.reveal_few(&mut climb, &mut given, started)
                }
                Wanted::Method(Method::Lines) => climb.down_to(0),
                _ => climb.make_unique(),
            };
            let (settles, nodes) = climb.work();
            generated.settles += settles;
            generated.nodes += nodes;
            if reached == Some(true) && !control.stopped() {
                let picture = climb.picture.grid();
                let changed = differing(&drawn, &picture).len();
                let puzzle = with_given(with_goal(picture), &given);
                generated.method = self.method(&puzzle, climb.is_line_solvable(), started);
                let suits = match self.wanted {
                    Wanted::Method(wanted) => generated.method == Some(wanted),
                    Wanted::Anything | Wanted::Unique => true,
                };
                if suits && self.has_sweeps(&puzzle, &mut generated, started) {
                    generated.unique = true;
                    generated.changed = changed;
                    generated.puzzle = Some(puzzle);
                }
            }
        }
        if generated.puzzle.is_none() {
            (generated.stopped, generated.method) = (control.reason(), None);
            generated.sweeps = None;
        }
        generated.elapsed = started.elapsed();
        generated
    }

    /// Steps until so few cells are unknown that giving away at most [`Generator::reveal`] of them is enough, and finds these; the result
    /// is as that of [`Climb::down_to`].
    fn reveal_few<W: Word>(
        &self,
        climb: &mut Climb<'_, W>,
        given: &mut Vec<Cell>,
        started: Instant,
    ) -> Option<bool> {
        let mut per_given = UNKNOWN_PER_GIVEN;
        // At the latest all cells that line solving leaves unknown are enough.
        while per_given > 0 {
            if !climb.down_to(per_given.saturating_mul(self.reveal))? {
                return Some(false);
            }
            let picture = climb.picture.grid();
            let limits = self.limits.left_since(started);
            let nodes = limits.nodes.unwrap_or(REVEAL_NODES).min(REVEAL_NODES);
            let lines = self.wanted == Wanted::Method(Method::Lines);
            let repair = Repair::new(&picture).line_solvable(lines);
            let revealed = repair.limits(limits.nodes(nodes)).reveal();
            if let Some(cells) = revealed.cells.filter(|cells| cells.len() <= self.reveal) {
                *given = cells;
                return Some(true);
            }
            per_given /= 2;
        }
        Some(false)
    }

    /// Whether the puzzle needs a number of sweeps that is wanted; notes the number.
    fn has_sweeps(&self, puzzle: &Puzzle, generated: &mut Generated, started: Instant) -> bool {
        let (Some(wanted), Some(Method::Lines)) = (&self.sweeps, generated.method) else {
            return true;
        };
        let profile = Profile::of_unique(puzzle, &self.limits.left_since(started));
        generated.sweeps = Some(profile.sweeps);
        profile.line_solvable() && wanted.contains(&profile.sweeps)
    }

    /// The simplest method that solves a unique puzzle, as far as it must be known.
    fn method(&self, puzzle: &Puzzle, lines: bool, started: Instant) -> Option<Method> {
        match self.wanted {
            _ if lines => Some(Method::Lines),
            Wanted::Method(Method::Lines) if puzzle.given().is_some() => Some(Method::Lines),
            Wanted::Method(_) => {
                Some(Profile::of_unique(puzzle, &self.limits.left_since(started)).method)
            }
            Wanted::Anything | Wanted::Unique => None,
        }
    }

    /// Whether another attempt may follow.
    fn may_try(&self, generated: &Generated) -> bool {
        match self.attempts {
            Some(attempts) => generated.attempts < attempts,
            None => generated.settles < MAX_SETTLES,
        }
    }

    /// A random picture. Cells are visited in order, and each is filled with the share of cells that are still to be filled, so that their
    /// number is exact and every such picture equally likely (Knuth's Algorithm S); with a symmetry, the images follow.
    fn draw(&self, random: &mut Random) -> Grid {
        let (width, height) = (self.width, self.height);
        let mut grid = Grid::new(width, height);
        let mut left = width * height;
        let mut wanted = (self.density * left as f64).round() as usize;
        for cell in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            let images = images(self.symmetry, cell, width, height);
            // The first of its images decides.
            if images[0] != cell {
                continue;
            }
            if random.below(left) < wanted {
                for &(row, column) in &images {
                    grid.set(row, column, true);
                }
                wanted = wanted.saturating_sub(images.len());
            }
            left -= images.len();
        }
        grid
    }
}

/// A puzzle with a goal, of which these cells are given.
fn with_given(puzzle: Puzzle, cells: &[Cell]) -> Puzzle {
    let Some(goal) = puzzle.notes().goal.as_ref().filter(|_| !cells.is_empty()) else {
        return puzzle;
    };
    let mut given = Position::unknown(puzzle.width(), puzzle.height());
    for (row, column) in cells.iter().map(|cell| cell.place()) {
        given.set(row, column, Some(goal.get(row, column)));
    }
    (puzzle.with_given(given)).expect("the goal has the size of the puzzle")
}

/// The puzzle of a picture, which is its goal.
fn with_goal(picture: Grid) -> Puzzle {
    let puzzle = Puzzle::from_grid(&picture);
    let notes = puzzle.notes().clone().goal(picture);
    (puzzle.with_notes(notes)).expect("the goal has the size of the puzzle")
}
