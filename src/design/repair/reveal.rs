//! The smallest set of cells that, given away at the start, leave the picture as the only solution, or let line solving reach it.
//!
//! A set suffices if and only if it meets every obstacle. These are far too many, but a few are enough: a smallest hitting set of those
//! known either suffices, or an obstacle is found that it does not meet (Moreno-Centeno and Karp, "The implicit hitting set approach to
//! solve combinatorial optimization problems", Operations Research 61, 2013). The known obstacles give a lower bound at any time.

use std::sync::Arc;
use std::time::Duration;

use super::examine::{Examined, Examiner};
use super::hitting::{greedy, minimum};
use super::obstacle::Scratch;
use super::repairer::Repair;
use crate::board::{Board, Clues};
use crate::design::picture::{Picture, grid_of_rows};
use crate::line::{Word, by_width};
use crate::puzzle::{Cell, Grid, Puzzle};
use crate::run::{Control, Instant, memory_plan};
use crate::sat::{SatAnswer, SatSolver};
use crate::search::{Cube, Limits, Search};
use crate::solutions::Stop;

/// Most nodes of one search for a smallest hitting set.
const MAX_NODES: u64 = 2_000_000;

/// The result of [`Repair::reveal`].
///
/// With the feature `serde` it is serialized as the command prints it with `--json`, with rows and columns from 1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revealed {
    /// The cells to be given away beside those that are given already, in reading order; none if the picture needs none. `None`: the run was stopped before one was found.
    pub cells: Option<Vec<Cell>>,
    /// Whether it is proved that no smaller set suffices.
    pub minimal: bool,
    /// The largest number of cells that is proved not to suffice; `None` if no cell is needed, or nothing is proved.
    pub none_within: Option<usize>,
    /// Why the run stopped before its answer was complete.
    pub stopped: Option<Stop>,
    /// Duration of the run.
    pub elapsed: Duration,
}

impl Repair<'_> {
    /// Looks for the smallest set of cells that, given away at the start, make the picture the only solution of its clues; with
    /// [`Repair::line_solvable`], that let line solving reach it. Cells to keep, a direction, a budget and alternatives have no effect.
    ///
    /// ```
    /// use omnogram::design::Repair;
    ///
    /// let picture = omnogram::Grid::from_rows(&["#..", ".#.", "..#"])?;
    /// let revealed = Repair::new(&picture).reveal();
    /// assert_eq!(revealed.cells.map(|cells| cells.len()), Some(2));
    /// assert!(revealed.minimal);
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    pub fn reveal(&self) -> Revealed {
        let longest = self.picture.width().max(self.picture.height());
        by_width!(longest, W => self.reveal_for_width::<W>())
    }

    fn reveal_for_width<W: Word>(&self) -> Revealed {
        let started = Instant::now();
        let control = Arc::new(Control::new(&self.limits, false));
        let original = Picture::<W>::new(self.picture);
        let examiner = self.examiner(&control, &original, 1);
        let puzzle = examiner.puzzle(self.picture);
        let mut search = RevealSearch {
            examiner: &examiner,
            grid: self.picture,
            clues: Clues::new(&puzzle),
            puzzle: &puzzle,
            solver: None,
            scratch: Scratch::default(),
            obstacles: Vec::new(),
            max_elements: memory_plan::OBSTACLES.of(self.limits.bytes()) / BYTES_PER_ELEMENT,
            best: None,
            least: 0,
        };
        self.observed(started, &examiner, || search.run());
        let RevealSearch { best, least, .. } = search;
        let minimal = best.as_ref().map(Vec::len) == Some(least);
        Revealed {
            minimal,
            none_within: least.checked_sub(1),
            cells: best,
            stopped: control.reason().filter(|_| !minimal),
            elapsed: started.elapsed(),
        }
    }
}

/// The approximate memory per cell of an obstacle in the search for hitting sets, in bytes.
const BYTES_PER_ELEMENT: u64 = 64;

/// The search for the smallest set of cells to give away.
struct RevealSearch<'a, W: Word> {
    examiner: &'a Examiner<'a, W>,
    grid: &'a Grid,
    puzzle: &'a Puzzle,
    clues: Clues,
    /// A solver that looks for solutions other than the picture; `None` before it is needed, or if there is none.
    solver: Option<SatSolver>,
    scratch: Scratch<W>,
    /// The obstacles known, as sets of cells that are numbered row by row.
    obstacles: Vec<Vec<usize>>,
    /// Most cells of all obstacles together for which there is memory.
    max_elements: u64,
    /// The smallest set found that suffices.
    best: Option<Vec<Cell>>,
    /// No smaller number suffices.
    least: usize,
}

impl<W: Word> RevealSearch<'_, W> {
    /// Looks until the smallest set is found and proved to be it, or the run is stopped.
    fn run(&mut self) {
        while !self.is_proved() {
            // The greedy set needs no proof, and finds obstacles as well as a smallest one.
            let known = self.obstacles.len();
            if !self.examine(&greedy(&self.obstacles)) {
                return;
            }
            if self.obstacles.len() > known {
                self.least = self.least.max(1);
                continue;
            }
            let mut nodes = 0;
            let found = minimum(&self.obstacles, || {
                nodes += 1;
                nodes > MAX_NODES || self.examiner.control.poll()
            });
            match found {
                Err(number) => {
                    self.least = self.least.max(number);
                    return;
                }
                Ok(set) => {
                    self.least = self.least.max(set.len());
                    if !self.is_proved() && !self.examine(&set) {
                        return;
                    }
                }
            }
        }
    }

    /// Whether the smallest set found is proved to be the smallest of all.
    fn is_proved(&self) -> bool {
        self.best.as_ref().map(Vec::len) == Some(self.least)
    }

    /// Examines a set of given cells: adds new obstacles, or improves the best set. `false`: the run has been stopped.
    fn examine(&mut self, given: &[usize]) -> bool {
        if !self.examiner.begin() {
            return false;
        }
        let width = self.grid.width();
        let given = given.iter().map(|&i| Cell::new(i / width, i % width));
        let given: Vec<Cell> = given.collect();
        match self.finding(&given) {
            Examined::Unknown => return false,
            Examined::Good => {
                if (self.best.as_ref()).is_none_or(|best| given.len() < best.len()) {
                    self.best = Some(given);
                }
            }
            Examined::Bad(obstacles) => {
                for obstacle in obstacles {
                    let places = obstacle.cells().map(Cell::place);
                    let numbers = places.map(|(row, column)| row * width + column);
                    self.obstacles.push(numbers.collect());
                }
                let elements: usize = self.obstacles.iter().map(Vec::len).sum();
                if elements as u64 > self.max_elements {
                    self.examiner.control.stop(Stop::Memory);
                }
            }
        }
        true
    }

    /// Whether the picture is good when these cells are known.
    fn finding(&mut self, given: &[Cell]) -> Examined<W> {
        let (examiner, grid, puzzle) = (self.examiner, self.grid, self.puzzle);
        let (solver, scratch) = (&mut self.solver, &mut self.scratch);
        let stop = || examiner.control.poll();
        let mut board = Board::<W>::new(&self.clues);
        if board.propagate_unless(stop).is_none() {
            return Examined::Unknown;
        }
        let root = board.rows().to_vec();
        let value = |&cell: &Cell| (cell, examiner.original.get(cell));
        let path = || given.iter().map(value);
        if board.follow(path(), stop).is_none() {
            return Examined::Unknown;
        }
        if board.unknown() == 0 {
            return Examined::Good;
        }
        let search = || {
            if solver.is_none() {
                let filled = grid_of_rows(grid.width(), root.iter().map(|row| row.filled));
                let empty = grid_of_rows(grid.width(), root.iter().map(|row| row.empty));
                let control = Arc::clone(examiner.control);
                let stop = move || control.poll();
                let memory = examiner.memory;
                *solver = SatSolver::new(puzzle, &filled, &empty, memory, stop);
                if let Some(solver) = solver {
                    solver.move_to(grid);
                    solver.forbid(grid);
                }
            }
            let Some(solver) = solver else {
                let limits = Limits::default().memory(examiner.memory);
                let search = Search::new(puzzle)
                    .cubes(vec![Cube::of(path())])
                    .limits(limits);
                return examiner.other(&search, grid, u64::MAX);
            };
            for (cell, filled) in path() {
                let (row, column) = cell.place();
                solver.assume(row, column, filled);
            }
            match solver.solve(None) {
                SatAnswer::Solution(other) => Some(Some(other)),
                SatAnswer::None => Some(None),
                SatAnswer::Unknown => None,
            }
        };
        let original = examiner.original;
        examiner.judge(&mut board, original, Vec::new(), true, search, scratch)
    }
}
