//! The [`Repair`] builder and the run of a repair: a local search for a first edit, then the levels, which prove what is smallest.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::descent::descend;
use super::edit::{CellSet, Edit};
use super::examine::{Effort, Examiner};
use super::levels::{FINEST_PACKING, pack, search_level};
use super::obstacle::ObstacleKind;
use super::pool::{Pool, PoolView};
use super::task::{BestEdits, Task};
use crate::design::picture::Picture;
use crate::error::{Error, Result};
use crate::line::{Word, by_width};
use crate::puzzle::{Cell, Grid, Mismatch, Position};
use crate::run::{Activity, Control, Instant, Limits, Observer, Snapshot, memory_plan, ticking};
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
/// An edit is a set of cells to flip; the puzzle has the clues of the edited picture. Each edit returned has been checked by its own
/// search.
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
    given: Option<&'a Position>,
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
            .field("given", &self.given)
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
            given: None,
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
            assert_eq!(
                (mask.width(), mask.height()),
                (self.picture.width(), self.picture.height()),
                "width and height of the mask"
            );
        }
        self
    }

    /// Solves every picture with these given cells, beside its clues, and never flips them.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the sizes differ, or, naming the cell, if a given cell has another value in the picture.
    pub fn given(mut self, given: impl Into<Option<&'a Position>>) -> Result<Self> {
        self.given = given.into();
        if let Some(given) = self.given {
            given.check_size(self.picture.width(), self.picture.height())?;
            if let Some((cell, filled)) = given.wrong_cell(self.picture) {
                let mismatch = Mismatch::Given(cell, filled);
                return Err(Error::data(format!("in the picture, {mismatch}")));
            }
        }
        Ok(self)
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

    /// Returns up to this number of further edits of the same size, at most 1000: of those examined, the ones that hurt the picture least.
    pub fn alternatives(mut self, number: usize) -> Self {
        self.alternatives = number;
        self
    }

    /// Sets the limits. A limit on solutions is ignored; a node is an edit that is examined, or a node of a search for a second solution.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Calls `observer` ten times a second, from a separate thread if the pool has several. The nodes of a snapshot are the edits examined.
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
        let task = Task {
            examiner: self.examiner(&control, &original, rayon::current_num_threads()),
            pool: Pool::new(memory_plan::OBSTACLES.of(self.limits.bytes())),
            allowed: self.allowed(&original),
            best: BestEdits {
                wanted: 1 + self.alternatives.min(MAX_ALTERNATIVES),
                edits: Mutex::default(),
            },
        };
        let none_within = self.observed(started, &task.examiner, || self.search(&task));
        let edits = task
            .best
            .edits
            .into_inner()
            .unwrap_or_else(|e| e.into_inner());
        let mut edits = edits.into_iter().map(|(_, flips)| flips);
        let flips = edits.next();
        let proved = none_within.map_or(0, |flips| flips + 1);
        let size = flips.as_ref().map(Vec::len);
        let minimal = size == Some(proved);
        let complete = minimal || size.is_none() && self.budget.is_some_and(|most| proved > most);
        Repaired {
            minimal,
            none_within: none_within.filter(|_| size != Some(0)),
            alternatives: edits.collect(),
            stopped: control.reason().filter(|_| !complete),
            elapsed: started.elapsed(),
            flips,
        }
    }

    /// Examines pictures, on up to this number of threads at once.
    pub(super) fn examiner<'e, W: Word>(
        &'e self,
        control: &'e Arc<Control>,
        original: &'e Picture<W>,
        threads: usize,
    ) -> Examiner<'e, W> {
        Examiner {
            control,
            original,
            given: self.given,
            kind: if self.line_solvable {
                ObstacleKind::Stuck
            } else {
                ObstacleKind::Difference
            },
            memory: memory_plan::EXAMINATIONS.part(self.limits.bytes(), threads as u64),
            examined: AtomicU64::new(0),
        }
    }

    /// Runs a search, and meanwhile tells the observer the number of pictures examined so far.
    pub(super) fn observed<T, W: Word>(
        &self,
        started: Instant,
        examiner: &Examiner<'_, W>,
        search: impl FnOnce() -> T,
    ) -> T {
        let Some(observer) = self.observer else {
            return search();
        };
        let tell = || {
            observer(Snapshot {
                nodes: examiner.examined(),
                activity: Activity::Repairing,
                elapsed: started.elapsed(),
                ..Snapshot::default()
            });
        };
        ticking(tell, search)
    }

    /// The cells that may be flipped.
    fn allowed<W: Word>(&self, original: &Picture<W>) -> CellSet<W> {
        let all = W::low(original.width);
        let rows = (0..original.height).map(|row| {
            let allowed = match self.only {
                None => all,
                Some(Only::Add) => all & !original.line(row),
                Some(Only::Remove) => original.line(row),
            };
            let kept = [
                self.keep,
                self.given.map(|given| given.grids().0),
                self.given.map(|given| given.grids().1),
            ];
            kept.into_iter().flatten().fold(allowed, |allowed, mask| {
                allowed & !W::from_parts(mask.row(row))
            })
        });
        rows.collect()
    }

    /// Adds to the best edits; returns the largest number of flips proved not to suffice.
    fn search<W: Word>(&self, task: &Task<'_, W>) -> Option<usize> {
        let mut view = PoolView::new(&task.pool);
        let unchanged = Edit::new(task.examiner.original, &[]);
        let effort = Effort {
            nodes: None,
            several: true,
        };
        if task.examine(&unchanged, effort, &mut view) != Some(false) {
            return None;
        }
        let cells = task.allowed.len();
        let most = self.budget.unwrap_or(cells).min(cells);
        let all = self.picture.width() * self.picture.height();
        let memory = memory_plan::DESCENT.of(self.limits.bytes());
        let steps = FIRST_STEPS + all / CELLS_PER_STEP;
        // The first good edit is enough.
        descend(task, steps, most, usize::MAX, memory);
        view.update();
        let (_, packing) = pack(task, &unchanged, &task.allowed, FINEST_PACKING, &mut view);
        // Without a least number no edit is good.
        let excluded = packing.least.map_or(most, |least| least.saturating_sub(1));
        let mut none_within = excluded.min(most);
        let mut is_improved = false;
        while none_within < most && !task.examiner.control.poll() {
            let level = none_within + 1;
            if level >= MAX_LEVEL && !is_improved {
                is_improved = true;
                if let Some(size) = task.best.size().filter(|&size| size > level) {
                    descend(task, FURTHER_STEPS, size - 1, level, memory);
                }
            }
            if task.best.size().is_some_and(|size| size < level) {
                break;
            }
            // Each node has two sets of cells.
            let bytes_per_node = 2 * size_of::<W>() * self.picture.height();
            if (bytes_per_node * level * rayon::current_num_threads()) as u64 > memory {
                task.examiner.control.stop(Stop::Memory);
                break;
            }
            let only_if_cheap = level > MAX_LEVEL && self.budget.is_none();
            if !search_level(task, level, only_if_cheap) {
                break;
            }
            none_within = level;
        }
        // An edit of more cells than may be flipped does not exist.
        let is_impossible = none_within == cells;
        Some(if is_impossible { all } else { none_within })
    }
}
