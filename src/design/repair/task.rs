//! What the parts of a repair share: the picture, the cells that may be flipped, the obstacles and the edits found.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::examine::{Effort, Examiner, Finding};
use super::found::Found;
use super::harm::harm;
use super::obstacle::Kind;
use super::pool::{Pool, View};
use crate::board::Cell;
use crate::design::picture::Picture;
use crate::line::{self, Word};
use crate::puzzle::{Grid, Line, Puzzle};
use crate::run::Control;
use crate::search::{Limits, Search, Verdict};

/// The state of one repair.
#[derive(Debug)]
pub(super) struct Task<'a, W> {
    pub(super) control: &'a Arc<Control>,
    pub(super) original: &'a Picture<W>,
    pub(super) examiner: Examiner<'a, W>,
    pub(super) pool: Pool<W>,
    /// The cells that may be flipped, by row.
    pub(super) allowed: Vec<W>,
    pub(super) found: Found,
    /// Pictures examined so far. Relaxed: a sum.
    examined: AtomicU64,
}

impl<'a, W: Word> Task<'a, W> {
    pub(super) fn new(
        examiner: Examiner<'a, W>,
        pool: Pool<W>,
        allowed: Vec<W>,
        found: Found,
    ) -> Self {
        Task {
            control: examiner.control,
            original: examiner.original,
            examiner,
            pool,
            allowed,
            found,
            examined: AtomicU64::new(0),
        }
    }

    /// Number of pictures examined so far.
    pub(super) fn examined(&self) -> u64 {
        self.examined.load(Ordering::Relaxed)
    }

    /// Examines the picture with these flips. A good one is added to those found; the obstacles of another are shared.
    pub(super) fn examine(
        &self,
        picture: &Picture<W>,
        flips: &[Cell],
        effort: Effort,
        view: &mut View<'_, W>,
    ) -> Examined {
        self.examined.fetch_add(1, Ordering::Relaxed);
        if self.control.reserve_nodes(1) == 0 || self.control.poll() {
            return Examined::Unknown;
        }
        match self.examiner.examine(picture, effort, &mut view.scratch) {
            Finding::Unknown => Examined::Unknown,
            Finding::Obstacles(obstacles) => {
                view.share(obstacles, self.original);
                Examined::Bad
            }
            Finding::Good => {
                let mut flips = flips.to_vec();
                flips.sort_unstable();
                let harm = harm(picture, &flips);
                if self.found.wants(flips.len(), harm) {
                    if !self.confirm(picture, effort) {
                        return Examined::Unknown;
                    }
                    self.found.add(harm, flips);
                }
                Examined::Good
            }
        }
    }

    /// Checks a good picture by a search that knows nothing of it, and for line solving also line by line without a board. `false`: the
    /// run has been stopped.
    ///
    /// # Panics
    ///
    /// If the picture is not good.
    fn confirm(&self, picture: &Picture<W>, effort: Effort) -> bool {
        let grid = picture.to_grid();
        let puzzle = Puzzle::from_grid(&grid);
        let search = Search::new(&puzzle).limits(Limits::default().memory(self.examiner.memory));
        let search = match effort.nodes {
            Some(_) => search.single_threaded(),
            None => search,
        };
        let (solutions, outcome) = search.first_under(&Arc::new(self.control.part(u64::MAX)), 2);
        match outcome.solutions.verdict() {
            Verdict::Unique => {
                assert_eq!(solutions, std::slice::from_ref(&grid), "the only solution")
            }
            Verdict::Undecided => return false,
            verdict => panic!("{verdict}: examined as unique\n{grid}"),
        }
        if self.examiner.kind == Kind::Stuck {
            assert_eq!(solved_by_lines(&puzzle), Some(grid), "line-solvable");
        }
        true
    }
}

/// The result of examining a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Examined {
    Good,
    /// Its obstacles have been shared.
    Bad,
    Unknown,
}

/// The solution of a puzzle by line solving alone, in rounds over all lines; `None` if that stops before the end.
fn solved_by_lines(puzzle: &Puzzle) -> Option<Grid> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let mut cells = vec![vec![None; width]; height];
    loop {
        let mut changed = false;
        for (line, clue) in puzzle.lines() {
            let mut known: Vec<Option<bool>> = match line {
                Line::Row(row) => cells[row].clone(),
                Line::Column(column) => cells.iter().map(|row| row[column]).collect(),
            };
            if !line::settle(clue, &mut known) {
                return None;
            }
            for (i, value) in known.into_iter().enumerate() {
                let cell = match line {
                    Line::Row(row) => &mut cells[row][i],
                    Line::Column(column) => &mut cells[i][column],
                };
                changed |= *cell != value;
                *cell = value;
            }
        }
        if !changed {
            break;
        }
    }
    let mut grid = Grid::new(width, height);
    for (row, cells) in cells.into_iter().enumerate() {
        for (column, cell) in cells.into_iter().enumerate() {
            grid.set(row, column, cell?);
        }
    }
    Some(grid)
}
