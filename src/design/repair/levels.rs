//! Every edit of a given number of flips, without those that cannot help: iterative deepening with learned obstacles.
//!
//! Each obstacle that stands must be removed by some flip, so a node branches on the cells of the rows and columns of one obstacle, and
//! excludes a cell below its later siblings: every set of flips is met at most once. A last flip must remove *every* obstacle; these flips
//! are found by a few word operations each. Only what passes all known obstacles is examined, and adds those found if it fails.
//!
//! A packing of the obstacles bounds the flips that are still needed: it closes nodes, and excludes cells below others.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::edit::{CellSet, Edit};
use super::examine::Effort;
use super::harm::harm;
use super::obstacle::Obstacle;
use super::packing::{Helping, Packing};
use super::pool::PoolView;
use super::task::Task;
use crate::line::Word;
use crate::puzzle::Cell;
use crate::run::lock;

/// The effort for the first examination of an edit.
const FIRST_EFFORT: Effort = Effort {
    nodes: Some(2000),
    several: false,
};
/// The effort at the end of a level for the edits that the first examination left undecided.
const LAST_EFFORT: Effort = Effort {
    nodes: None,
    several: false,
};
/// The same for a level that is searched only as far as it is cheap.
const CHEAP_LAST_EFFORT: Effort = Effort {
    nodes: Some(100_000),
    several: false,
};

/// Nodes of a level that is searched only as far as it is cheap, some seconds. An examination counts as `NODES_PER_EXAMINATION` nodes, and
/// a packing as one for every `CELLS_PER_NODE` cells and rows of its obstacles.
const CHEAP_NODES: u64 = 10_000_000;
/// The same of a level of which an edit is known, to find better ones.
const FURTHER_NODES: u64 = 500_000;
const NODES_PER_EXAMINATION: u64 = 50;
const CELLS_PER_NODE: u64 = 64;

/// How finely obstacles are packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackingEffort {
    max_obstacles: usize,
    /// The step of [`Packing::new`].
    step: f64,
}

/// For all flips of an edit.
pub(super) const FINEST_PACKING: PackingEffort = PackingEffort {
    max_obstacles: 512,
    step: 0.05,
};
/// For the flips that are left, if they are more than two.
const FINE_PACKING: PackingEffort = PackingEffort {
    max_obstacles: 128,
    step: 0.2,
};
/// For two.
const COARSE_PACKING: PackingEffort = PackingEffort {
    max_obstacles: 64,
    step: 0.4,
};

/// Examinations after the first edit of a level has been found, to find better ones: this number, and as many as were needed before.
const MIN_FURTHER_EXAMINATIONS: u64 = 500;

/// The search of one level.
struct Level<'t, 'a, W> {
    task: &'t Task<'a, W>,
    /// The flips of edits that the first examination has left undecided.
    undecided: Mutex<Vec<Vec<Cell>>>,
    /// Number of examinations of the whole repair before this level, and that at which the level ends; `None` before an edit has been found.
    examined_before: u64,
    max_examined: Mutex<Option<u64>>,
    /// Nodes that may still be visited, if it is searched only as far as it is cheap. Relaxed: a sum.
    nodes_left: Option<AtomicU64>,
    /// Whether something was left out. Relaxed: read when the level has ended.
    is_incomplete: AtomicBool,
}

/// Searches the edits of exactly `size` flips, at least one; there must be none of fewer. Returns whether it is proved that there is none;
/// if not, some are found, or the run was stopped, or the search was not cheap. With `only_if_cheap` it gives up after some seconds. If an
/// edit of this size is known, it looks for better ones for a second at most.
pub(super) fn search_level<W: Word>(task: &Task<'_, W>, size: usize, only_if_cheap: bool) -> bool {
    let is_known = task.best.size() == Some(size);
    let cheap = only_if_cheap.then_some(CHEAP_NODES);
    let nodes_left = is_known.then_some(FURTHER_NODES).or(cheap);
    let level = Level {
        task,
        nodes_left: nodes_left.map(AtomicU64::new),
        undecided: Mutex::default(),
        examined_before: task.examiner.examined(),
        max_examined: Mutex::default(),
        is_incomplete: AtomicBool::new(false),
    };
    if is_known {
        level.note_found();
    }
    let mut worker = Worker::new(&level);
    worker.search(size);
    worker.examine_undecided(size);
    task.best.size().is_none_or(|known| known > size) && !level.is_incomplete.into_inner()
}

impl<W: Word> Level<'_, '_, W> {
    /// Notes that an edit has been found, so that the level ends soon.
    fn note_found(&self) {
        let examined = self.task.examiner.examined();
        let further = MIN_FURTHER_EXAMINATIONS + (examined - self.examined_before);
        lock(&self.max_examined).get_or_insert(examined + further);
    }

    /// Takes nodes from those left; `true` if there are too few.
    fn spend(&self, nodes: u64) -> bool {
        let take = |left: u64| left.checked_sub(nodes);
        self.nodes_left.as_ref().is_some_and(|left| {
            (left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)).is_err()
        })
    }

    /// Whether the level ends here.
    fn is_over(&self) -> bool {
        let enough =
            lock(&self.max_examined).is_some_and(|max| self.task.examiner.examined() >= max);
        let over = enough || self.spend(1) || self.task.examiner.control.poll();
        if over {
            self.is_incomplete.store(true, Ordering::Relaxed);
        }
        over
    }
}

/// What a thread has of its own in the search of a level.
struct Worker<'l, 't, 'a, W: Word> {
    level: &'l Level<'t, 'a, W>,
    view: PoolView<'t, W>,
    edit: Edit<'a, W>,
}

impl<'l, 't, 'a, W: Word> Worker<'l, 't, 'a, W> {
    /// A worker that begins with the original picture.
    fn new(level: &'l Level<'t, 'a, W>) -> Self {
        Worker {
            level,
            view: PoolView::new(&level.task.pool),
            edit: Edit::new(level.task.examiner.original, &[]),
        }
    }

    /// Searches the edits of this number of flips, on all threads.
    fn search(&mut self, size: usize) {
        if self.turns_out_good() {
            return;
        }
        let mut allowed = self.level.task.allowed.clone();
        if size == 1 {
            self.remove_useless(0, &mut allowed);
            let cells: Vec<Cell> = allowed.iter().collect();
            self.on_all_threads(cells.len(), |worker, at| {
                let mut last = CellSet::none(allowed.rows.len());
                last.insert(cells[at]);
                worker.try_last_flips(last);
            });
        } else if let Some((cells, allowed)) = self.branch(&allowed, size) {
            self.on_all_threads(cells.len(), |worker, at| {
                let mut allowed = allowed.clone();
                cells[..=at].iter().for_each(|&cell| allowed.remove(cell));
                worker.edit.flip(cells[at]);
                worker.add_flips(&allowed, size - 1);
                worker.edit.flip(cells[at]);
            });
        }
    }

    /// Calls `search` with the numbers below this one: in order if there is one thread, else with a worker for each thread.
    fn on_all_threads(&mut self, numbers: usize, search: impl Fn(&mut Self, usize) + Send + Sync) {
        let level = self.level;
        if rayon::current_num_threads() == 1 {
            (0..numbers).for_each(|at| search(self, at));
        } else {
            let numbers = (0..numbers).into_par_iter();
            numbers.for_each_init(|| Worker::new(level), search);
        }
    }

    /// Searches the edits that add `left` flips of allowed cells.
    fn add_flips(&mut self, allowed: &CellSet<W>, left: usize) {
        if self.level.is_over() || self.turns_out_good() {
            return;
        }
        if left == 1 {
            return self.try_last_flips(allowed.clone());
        }
        let Some((cells, mut allowed)) = self.branch(allowed, left) else {
            return;
        };
        for cell in cells {
            allowed.remove(cell);
            self.edit.flip(cell);
            self.add_flips(&allowed, left - 1);
            self.edit.flip(cell);
        }
    }

    /// Examines the edit in a first effort.
    fn examine(&mut self) -> Option<bool> {
        self.level.spend(NODES_PER_EXAMINATION);
        let is_good = self
            .level
            .task
            .examine(&self.edit, FIRST_EFFORT, &mut self.view);
        if is_good == Some(true) {
            self.level.note_found();
        }
        is_good
    }

    /// Makes sure that a known obstacle stands, by an examination where none does; without one, the examination did not decide or the pool
    /// is full. `true` if the edit turns out to be good instead.
    fn turns_out_good(&mut self) -> bool {
        self.view.update();
        if let Some(at) = self.view.standing(&self.edit) {
            self.view.move_forward(at);
            return false;
        }
        self.examine() == Some(true)
    }

    /// The cells to flip next, one of which is in every good edit below this node, and those that may be flipped; `None`: there is none.
    fn branch(&mut self, allowed: &CellSet<W>, left: usize) -> Option<(Vec<Cell>, CellSet<W>)> {
        let effort = if left == 2 {
            COARSE_PACKING
        } else {
            FINE_PACKING
        };
        let task = self.level.task;
        let (standing, packing) = pack(task, &self.edit, allowed, effort, &mut self.view);
        let cells: usize = standing.iter().map(Vec::len).sum();
        let rows = standing.len() * allowed.rows.len();
        self.level.spend(1 + (cells + rows) as u64 / CELLS_PER_NODE);
        let least = packing.least.filter(|&least| least <= left)?;
        // A flip of a cell of no obstacle is one more than those that are needed.
        let mut helpful = if least < left {
            allowed.clone()
        } else {
            CellSet::none(allowed.rows.len())
        };
        for &(cell, least) in &packing.least_with {
            if least <= left {
                helpful.insert(cell);
            } else {
                helpful.remove(cell);
            }
        }
        let cells = standing.into_iter().map(|helping| {
            let helping = helping.into_iter();
            let helping = helping.filter(|&(cell, flips)| flips <= left && helpful.has(cell));
            helping.map(|(cell, _)| cell).collect()
        });
        let fewest: Option<Vec<Cell>> = cells.min_by_key(Vec::len);
        // Without an obstacle, every cell may help.
        let cells = fewest.unwrap_or_else(|| helpful.iter().collect());
        Some((cells, helpful))
    }

    /// Removes from `cells` those that leave an obstacle standing when they are flipped; the first `tested` obstacles are done.
    fn remove_useless(&mut self, tested: usize, cells: &mut CellSet<W>) {
        let (mut most_removed, mut best) = (0, None);
        let mut left = cells.len();
        for at in tested..self.view.obstacles.len() {
            if left == 0 {
                break;
            }
            let entry = &self.view.obstacles[at];
            if !self.edit.touched.nearly_covers(&entry.fallen) {
                continue;
            }
            let scratch = &mut self.view.scratch;
            entry.obstacle.remove_kept(&self.edit, scratch, cells);
            let kept = cells.len();
            let removed = left - kept;
            if removed > most_removed && removed > kept {
                (most_removed, best) = (removed, Some(at));
            }
            left = kept;
        }
        if let Some(at) = best
            && left == 0
        {
            self.view.move_forward(at);
        }
    }

    /// Tries each of these cells as the last flip, without those that leave an obstacle standing.
    fn try_last_flips(&mut self, mut cells: CellSet<W>) {
        let mut tested = 0;
        loop {
            self.view.update();
            self.remove_useless(tested, &mut cells);
            tested = self.view.obstacles.len();
            let Some(cell) = cells.iter().next() else {
                return;
            };
            if self.level.is_over() {
                return;
            }
            cells.remove(cell);
            self.edit.flip(cell);
            let best = &self.level.task.best;
            if best.wants(self.edit.flips.len(), harm(&self.edit)) && self.examine().is_none() {
                lock(&self.level.undecided).push(self.edit.flips.clone());
            }
            self.edit.flip(cell);
        }
    }

    /// Examines with more effort what the first examination has left undecided, unless an edit has been found.
    fn examine_undecided(&mut self, size: usize) {
        let Worker { level, view, .. } = self;
        view.update();
        let effort = match level.nodes_left {
            Some(_) => CHEAP_LAST_EFFORT,
            None => LAST_EFFORT,
        };
        for flips in std::mem::take(&mut *lock(&level.undecided)) {
            if level.task.best.size().is_some_and(|known| known <= size) {
                return;
            }
            let edit = Edit::new(level.task.examiner.original, &flips);
            if let Some(at) = view.standing(&edit) {
                view.move_forward(at);
            } else if level.task.examine(&edit, effort, view).is_none() {
                level.is_incomplete.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Packs the obstacles that stand after an edit, those first that the fewest flips remove.
pub(super) fn pack<W: Word>(
    task: &Task<'_, W>,
    edit: &Edit<'_, W>,
    allowed: &CellSet<W>,
    effort: PackingEffort,
    view: &mut PoolView<'_, W>,
) -> (Vec<Helping>, Packing) {
    let mut removing = allowed.clone();
    let mut found: Vec<(usize, &Obstacle<W>)> = Vec::new();
    for entry in &view.obstacles {
        if entry.stands(edit, &mut view.scratch) {
            removing.rows.clone_from(&allowed.rows);
            let obstacle = &*entry.obstacle;
            obstacle.remove_kept(edit, &mut view.scratch, &mut removing);
            found.push((removing.len(), obstacle));
        }
    }
    found.sort_by_key(|(number, _)| *number);
    found.truncate(effort.max_obstacles);
    let mut standing: Vec<Helping> = Vec::new();
    for (_, obstacle) in found {
        removing.rows.clone_from(&allowed.rows);
        obstacle.remove_kept(edit, &mut view.scratch, &mut removing);
        standing.push(obstacle.helping(&edit.picture, allowed, &removing));
    }
    let packing = Packing::new(&standing, effort.step, || task.examiner.control.poll());
    (standing, packing)
}
