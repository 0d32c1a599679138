//! The [`Repair`] builder and the run of a repair: a local search for a first edit, then the levels, which prove what is smallest.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::descent::{Bounds, descend, descent_bytes};
use super::examine::{Effort, Examiner};
use super::found::Found;
use super::levels::{Searched, least_flips, level_bytes, search_level};
use super::obstacle::Kind;
use super::pool::{Pool, View};
use super::task::{Examined, Task};
use crate::board::Cell;
use crate::design::picture::Picture;
use crate::line::{Word, by_width};
use crate::puzzle::Grid;
use crate::run::{Activity, Control, Limits, Observer, Snapshot, memory_plan, ticking};
use crate::solutions::Stop;

/// Without a budget, edits of up to this number of flips are searched in full; larger ones as far as it is cheap.
const MAX_LEVEL: usize = 3;

/// Most further edits that are kept.
const MAX_ALTERNATIVES: usize = 1000;

/// Steps of the local search for the first edit: this number, and one more for every `CELLS_PER_STEP` cells.
const FIRST_STEPS: usize = 400;
const CELLS_PER_STEP: usize = 4;
/// Steps of the local search for each smaller edit.
const FURTHER_STEPS: usize = 300;

/// What an edit may do with the cells that it flips.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Only {
    /// Fill empty cells.
    Add,
    /// Empty filled cells.
    Remove,
}

/// Looks for the smallest edit of a picture that makes its puzzle unique.
///
/// An edit is a set of cells to flip. The puzzle is that of the clues of the edited picture. Each edit that is returned has been checked by
/// a search of its own.
///
/// ```
/// use omnogram::design::Repair;
/// use omnogram::{Grid, Puzzle, Search};
///
/// let picture = Grid::from_rows(&["#..", ".#.", "..#"])?;
/// let repaired = Repair::new(&picture).run();
/// let flips = repaired.flips.expect("a picture of this size can be repaired");
/// assert!(repaired.minimal);
/// let mut edited = picture.clone();
/// for cell in &flips {
///     let (row, column) = (usize::from(cell.row), usize::from(cell.column));
///     edited.set(row, column, !picture.get(row, column));
/// }
/// let (verdict, ..) = Search::new(&Puzzle::from_grid(&edited)).check();
/// assert_eq!(verdict, omnogram::search::Verdict::Unique);
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Repair<'a> {
    pub(super) picture: &'a Grid,
    keep: Option<&'a Grid>,
    only: Option<Only>,
    pub(super) line_solvable: bool,
    budget: Option<usize>,
    alternatives: usize,
    pub(super) limits: Limits,
    observer: Option<Observer<'a>>,
}

impl fmt::Debug for Repair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repair")
            .field("picture", self.picture)
            .field("keep", &self.keep)
            .field("only", &self.only)
            .field("line_solvable", &self.line_solvable)
            .field("budget", &self.budget)
            .field("alternatives", &self.alternatives)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// The result of [`Repair::run`].
///
/// With the feature `serde` it is serialized as the command prints it with `--json`, with rows and columns from 1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Repaired {
    /// The cells of the best edit, in reading order; none if the picture is good as it is. `None`: no edit was found.
    pub flips: Option<Vec<Cell>>,
    /// Whether it is proved that no edit has fewer flips.
    pub minimal: bool,
    /// The largest number of flips that is proved not to suffice: the number of all cells if no edit at all does. `None` if the picture is
    /// good as it is, or nothing is proved.
    pub none_within: Option<usize>,
    /// Further edits of the same number of flips, those that hurt the picture less first.
    pub alternatives: Vec<Vec<Cell>>,
    /// Why the run stopped before its answer was complete.
    pub stopped: Option<Stop>,
    /// Duration of the run.
    pub elapsed: Duration,
}

impl<'a> Repair<'a> {
    /// Looks for an edit of any cells, without limits.
    ///
    /// It uses the threads of the rayon pool in which it is run.
    pub fn new(picture: &'a Grid) -> Self {
        Repair {
            picture,
            keep: None,
            only: None,
            line_solvable: false,
            budget: None,
            alternatives: 0,
            limits: Limits::default(),
            observer: None,
        }
    }

    /// Never flips the filled cells of this mask.
    ///
    /// # Panics
    ///
    /// If its size is not that of the picture.
    pub fn keep(mut self, mask: impl Into<Option<&'a Grid>>) -> Self {
        self.keep = mask.into();
        if let Some(mask) = self.keep {
            let size = |grid: &Grid| (grid.width(), grid.height());
            assert_eq!(
                size(mask),
                size(self.picture),
                "width and height of the mask"
            );
        }
        self
    }

    /// Only adds filled cells, or only removes them.
    pub fn only(mut self, only: impl Into<Option<Only>>) -> Self {
        self.only = only.into();
        self
    }

    /// Wants a puzzle that line solving alone solves, which is then unique too.
    pub fn line_solvable(mut self, line_solvable: bool) -> Self {
        self.line_solvable = line_solvable;
        self
    }

    /// Flips at most this number of cells, and searches all edits up to it if necessary. Without a budget, the search for edits of more
    /// than three flips ends when it is no longer cheap: after some seconds on a picture of 100x100 cells.
    pub fn budget(mut self, flips: impl Into<Option<usize>>) -> Self {
        self.budget = flips.into();
        self
    }

    /// Returns up to this number of further edits of the same size, but at most 1000: of the edits examined, those that hurt the picture
    /// least.
    pub fn alternatives(mut self, number: usize) -> Self {
        self.alternatives = number;
        self
    }

    /// Sets the limits. A limit on solutions is ignored; a node is an edit that is examined, or a node of a search for a second solution.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Calls `observer` ten times a second from a separate thread. The nodes of a snapshot are the edits examined.
    pub fn observer(mut self, observer: Observer<'a>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Looks for an edit. With one thread the result is the same in every run; with more, only the number of flips is, where it is proved
    /// to be minimal.
    ///
    /// A limit may stop the run before the answer is complete; the best edit found by then is returned. The time is mostly that of the
    /// searches for second solutions, of which there may be thousands for edits of three flips.
    pub fn run(&self) -> Repaired {
        let longest = self.picture.width().max(self.picture.height());
        by_width!(longest, W => self.run_for_width::<W>())
    }

    fn run_for_width<W: Word>(&self) -> Repaired {
        let started = Instant::now();
        let control = Arc::new(Control::new(&self.limits, false));
        let original = Picture::<W>::new(self.picture);
        let threads = rayon::current_num_threads() as u64;
        let examiner = Examiner {
            control: &control,
            original: &original,
            kind: if self.line_solvable {
                Kind::Stuck
            } else {
                Kind::Difference
            },
            memory: memory_plan::EXAMINATIONS.part(self.limits.bytes(), threads),
        };
        let pool = Pool::new(memory_plan::OBSTACLES.of(self.limits.bytes()));
        let found = Found::new(1 + self.alternatives.min(MAX_ALTERNATIVES));
        let task = Task::new(examiner, pool, self.allowed(&original), found);
        let none_within = self.observed(started, || task.examined(), || self.search(&task));
        let mut edits = task.found.into_edits().into_iter();
        let flips = edits.next();
        let proved = none_within.map_or(0, |flips| flips + 1);
        let size = flips.as_ref().map(Vec::len);
        let minimal = size == Some(proved);
        let complete = match (size, self.budget) {
            (Some(_), _) => minimal,
            (None, Some(budget)) => proved > budget,
            (None, None) => false,
        };
        Repaired {
            minimal,
            none_within: none_within.filter(|_| size != Some(0)),
            alternatives: edits.collect(),
            stopped: control.reason().filter(|_| !complete),
            elapsed: started.elapsed(),
            flips,
        }
    }

    /// Runs a search, and meanwhile tells the observer the number of pictures examined so far.
    pub(super) fn observed<T>(
        &self,
        started: Instant,
        examined: impl Fn() -> u64 + Sync,
        search: impl FnOnce() -> T,
    ) -> T {
        let Some(observer) = self.observer else {
            return search();
        };
        let tell = || {
            observer(Snapshot {
                nodes: examined(),
                activity: Activity::Repairing,
                elapsed: started.elapsed(),
                ..Snapshot::default()
            });
        };
        ticking(tell, search)
    }

    /// The cells that may be flipped, by row.
    fn allowed<W: Word>(&self, original: &Picture<W>) -> Vec<W> {
        let all = W::low(original.width());
        let row = |row: usize| {
            let kept = self
                .keep
                .map_or(W::ZERO, |mask| W::from_parts(mask.row(row)));
            let own = match self.only {
                None => all,
                Some(Only::Add) => all & !original.line(row),
                Some(Only::Remove) => original.line(row),
            };
            own & !kept
        };
        (0..original.height()).map(row).collect()
    }

    /// Adds edits to those found; returns the largest number of flips proved not to suffice.
    fn search<W: Word>(&self, task: &Task<'_, W>) -> Option<usize> {
        let mut view = View::new(&task.pool);
        let full = Effort {
            nodes: None,
            many: true,
        };
        match task.examine(task.original, &[], full, &mut view) {
            Examined::Good | Examined::Unknown => return None,
            Examined::Bad => {}
        }
        let cells: usize = task.allowed.iter().map(|row| row.count()).sum();
        let most = self.budget.unwrap_or(cells).min(cells);
        let all = self.picture.width() * self.picture.height();
        self.descend(
            task,
            Bounds {
                steps: FIRST_STEPS + all / CELLS_PER_STEP,
                most,
                least: 1,
                first_only: true,
            },
        );
        let mut none_within = match least_flips(task, &mut view) {
            Some(least) => least.saturating_sub(1).min(most),
            None => most,
        };
        let mut is_improved = false;
        while none_within < most && !task.control.poll() {
            let level = none_within + 1;
            if level >= MAX_LEVEL && !is_improved {
                is_improved = true;
                self.improve(task, none_within);
            }
            if task.found.size().is_some_and(|size| size < level) {
                break;
            }
            if level_bytes(task.original, level) > memory_plan::DESCENT.of(self.limits.bytes()) {
                task.control.stop(Stop::Memory);
                break;
            }
            let only_if_cheap = level > MAX_LEVEL && self.budget.is_none();
            match search_level(task, level, only_if_cheap) {
                Searched::None => none_within = level,
                Searched::Found | Searched::Stopped => break,
            }
        }
        // An edit of more cells than may be flipped does not exist.
        if none_within == cells {
            Some(all)
        } else {
            Some(none_within)
        }
    }

    /// Looks for a smaller edit than the best one found by local search, if it may exist.
    fn improve<W: Word>(&self, task: &Task<'_, W>, none_within: usize) {
        if let Some(size) = task.found.size().filter(|&size| size > none_within + 1) {
            self.descend(
                task,
                Bounds {
                    steps: FURTHER_STEPS,
                    most: size - 1,
                    least: none_within + 1,
                    first_only: false,
                },
            );
        }
    }

    /// Local search, if there is memory for it.
    fn descend<W: Word>(&self, task: &Task<'_, W>, bounds: Bounds) {
        let cells = self.picture.width() * self.picture.height();
        if bounds.most > 0 && descent_bytes(cells) <= memory_plan::DESCENT.of(self.limits.bytes()) {
            descend(task, bounds);
        }
    }
}
