//! Every edit of a given number of flips, without those that cannot help: iterative deepening with learned obstacles.
//!
//! Each obstacle that stands must be removed by some flip, so a node branches on the cells of the rows and columns of one obstacle, and
//! excludes a cell below its later siblings: every set of flips is met at most once. Where a single flip is left, it must remove *every*
//! obstacle, and these flips are found by a few word operations for each of them. Only what passes all known obstacles is examined, and an
//! examination that fails adds the obstacles that it has found.
//!
//! A packing of the obstacles bounds the flips that are still needed: it closes nodes, and excludes cells below others.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::examine::Effort;
use super::harm::harm;
use super::obstacle::{Obstacle, Scratch, Touched};
use super::packing::{Packing, Shares};
use super::pool::View;
use super::task::{Examined, Task};
use crate::board::Cell;
use crate::design::picture::Picture;
use crate::line::Word;
use crate::run::lock;

/// The effort for the first examination of an edit; those that it leaves open are examined in full at the end of the level.
const FIRST: Effort = Effort {
    nodes: Some(2000),
    many: false,
};
const FULL: Effort = Effort {
    nodes: None,
    many: false,
};
/// The same at the end of a level that is searched only as far as it is cheap.
const SECOND: Effort = Effort {
    nodes: Some(100_000),
    many: false,
};

/// Nodes of a level that is searched only as far as it is cheap, some seconds. An examination counts as `NODES_PER_EXAMINATION` nodes, and
/// a packing as one for every `CELLS_PER_NODE` cells and rows of its obstacles.
const CHEAP_NODES: u64 = 10_000_000;
/// The same of a level of which an edit is known, to find better ones.
const FURTHER_NODES: u64 = 500_000;
const NODES_PER_EXAMINATION: u64 = 50;
const CELLS_PER_NODE: u64 = 64;

/// The number of obstacles that are packed, and the step: for all flips of an edit, for several, and for two.
const FINEST: (usize, f64) = (512, 0.05);
const FINE: (usize, f64) = (128, 0.2);
const COARSE: (usize, f64) = (64, 0.4);

/// Examinations after the first edit of a level has been found, to find better ones: this number, and as many as were needed before.
const MIN_FURTHER_EXAMINATIONS: u64 = 500;

/// The search of one level.
struct Level<'t, 'a, W> {
    task: &'t Task<'a, W>,
    /// Edits that the first examination has left open.
    open: Mutex<Vec<Vec<Cell>>>,
    /// Number of examinations at which the level ends; `None` before an edit has been found.
    ends_at: Mutex<Option<u64>>,
    /// Examinations before this level.
    before: u64,
    /// Nodes that may still be visited, if it is searched only as far as it is cheap. Relaxed: a sum.
    nodes_left: Option<AtomicU64>,
    /// Whether something was left out. Relaxed: read when the level has ended.
    is_cut: AtomicBool,
}

/// Whether a level has been searched to its end, so that no edit of this size or less remains unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Searched {
    /// There is no edit of this size.
    None,
    /// Some were found.
    Found,
    /// The run has been stopped, or it was not cheap.
    Stopped,
}

/// Searches the edits of exactly `size` flips, at least one; there must be none of fewer. With `only_if_cheap` it gives up after some
/// seconds. If an edit of this size is known, it looks for better ones for a second at most.
pub(super) fn search_level<W: Word>(
    task: &Task<'_, W>,
    size: usize,
    only_if_cheap: bool,
) -> Searched {
    let single_threaded = rayon::current_num_threads() == 1;
    let is_known = task.found.size() == Some(size);
    let nodes_left = match (is_known, only_if_cheap) {
        (true, _) => Some(FURTHER_NODES),
        (false, true) => Some(CHEAP_NODES),
        (false, false) => None,
    };
    let level = Level {
        task,
        nodes_left: nodes_left.map(AtomicU64::new),
        open: Mutex::default(),
        ends_at: Mutex::default(),
        before: task.examined(),
        is_cut: AtomicBool::new(false),
    };
    if is_known {
        level.note_found();
    }
    let mut view = View::new(&task.pool);
    let children = level.children(task.original, &[], &task.allowed, size, &mut view);
    match children {
        Children::Closed => {}
        Children::Last(cells) => {
            let examine = |view: &mut View<'_, W>, cell: Cell| {
                let mut cells = none(task.original);
                cells[usize::from(cell.row)] = W::bit(usize::from(cell.column));
                let mut picture = task.original.clone();
                level.last(&mut picture, &mut Vec::new(), (&mut cells, 0), view);
            };
            let cells = each(&cells);
            if single_threaded {
                cells.for_each(|cell| examine(&mut view, cell));
            } else {
                let cells: Vec<Cell> = cells.collect();
                cells
                    .into_par_iter()
                    .for_each_init(|| View::new(&task.pool), examine);
            }
        }
        Children::Branch { cells, allowed } => {
            let branch = |view: &mut View<'_, W>, at: usize| {
                let mut allowed = allowed.clone();
                cells[..=at]
                    .iter()
                    .for_each(|&cell| remove(&mut allowed, cell));
                let mut picture = task.original.clone();
                picture.flip(cells[at]);
                level.node(&mut picture, &mut vec![cells[at]], &allowed, size - 1, view);
            };
            if single_threaded {
                (0..cells.len()).for_each(|at| branch(&mut view, at));
            } else {
                (0..cells.len())
                    .into_par_iter()
                    .for_each_init(|| View::new(&task.pool), branch);
            }
        }
    }
    level.examine_open(size, &mut view);
    let is_cut = level.is_cut.into_inner();
    match task.found.size() {
        Some(known) if known <= size => Searched::Found,
        _ if is_cut => Searched::Stopped,
        _ => Searched::None,
    }
}

/// The flips to try at a node.
enum Children<W> {
    /// No edit below this node can be good, or it has been examined.
    Closed,
    /// Each of these cells as the last flip.
    Last(Vec<W>),
    /// Each of these cells, with further flips of cells that are allowed.
    Branch { cells: Vec<Cell>, allowed: Vec<W> },
}

impl<W: Word> Level<'_, '_, W> {
    /// Notes that an edit has been found, so that the level ends soon.
    fn note_found(&self) {
        let examined = self.task.examined();
        let further = MIN_FURTHER_EXAMINATIONS + (examined - self.before);
        lock(&self.ends_at).get_or_insert(examined + further);
    }

    /// Takes nodes from those left; `true` if there are too few.
    fn spend(&self, nodes: u64) -> bool {
        self.nodes_left.as_ref().is_some_and(|left| {
            let take = |left: u64| left.checked_sub(nodes);
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .is_err()
        })
    }

    /// Examines the picture with these flips in a first effort.
    fn examine(&self, picture: &Picture<W>, flips: &[Cell], view: &mut View<'_, W>) -> Examined {
        self.spend(NODES_PER_EXAMINATION);
        self.task.examine(picture, flips, FIRST, view)
    }

    /// Whether the level ends here.
    fn is_over(&self) -> bool {
        let enough = lock(&self.ends_at).is_some_and(|end| self.task.examined() >= end);
        let over = enough || self.spend(1) || self.task.control.poll();
        if over {
            self.is_cut.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Searches the edits that add `left` flips to those made in the picture.
    fn node(
        &self,
        picture: &mut Picture<W>,
        flips: &mut Vec<Cell>,
        allowed: &[W],
        left: usize,
        view: &mut View<'_, W>,
    ) {
        if self.is_over() {
            return;
        }
        match self.children(picture, flips, allowed, left, view) {
            Children::Closed => {}
            Children::Last(mut cells) => {
                let tested = view.obstacles.len();
                self.last(picture, flips, (&mut cells, tested), view);
            }
            Children::Branch { cells, mut allowed } => {
                for cell in cells {
                    remove(&mut allowed, cell);
                    picture.flip(cell);
                    flips.push(cell);
                    self.node(picture, flips, &allowed, left - 1, view);
                    flips.pop();
                    picture.flip(cell);
                }
            }
        }
    }

    /// The flips to try at a node.
    fn children(
        &self,
        picture: &Picture<W>,
        flips: &[Cell],
        allowed: &[W],
        left: usize,
        view: &mut View<'_, W>,
    ) -> Children<W> {
        view.update();
        let touched = Touched::new(flips);
        if !view.stands(picture, &touched) {
            match self.examine(picture, flips, view) {
                Examined::Bad => {}
                Examined::Good => {
                    self.note_found();
                    return Children::Closed;
                }
                // Without an obstacle, every cell may help.
                Examined::Unknown if left > 1 => {
                    return Children::Branch {
                        cells: each(allowed).collect(),
                        allowed: allowed.to_vec(),
                    };
                }
                Examined::Unknown => {}
            }
        }
        if left == 1 {
            let mut cells = allowed.to_vec();
            self.remove_useless(picture, flips, &touched, 0, view, &mut cells);
            return Children::Last(cells);
        }
        let (most, step) = match left {
            0..=2 => COARSE,
            _ => FINE,
        };
        let (standing, packing) = pack(self.task, (picture, flips), allowed, (most, step), view);
        let cells: usize = standing.iter().map(Vec::len).sum();
        let rows = standing.len() * picture.height();
        self.spend(1 + (cells + rows) as u64 / CELLS_PER_NODE);
        if packing.least().is_none_or(|least| least > left) {
            return Children::Closed;
        }
        let width = picture.width();
        let mut helpful = if packing.allows_others(left) {
            allowed.to_vec()
        } else {
            none(picture)
        };
        for (cell, may) in packing.cells(left) {
            let cell = cell as usize;
            let (row, column) = (cell / width, W::bit(cell % width));
            if may {
                helpful[row] |= column
            } else {
                helpful[row] &= !column
            }
        }
        let allowed = helpful;
        let is_helpful = |cell: &Cell| allowed[usize::from(cell.row)].has(cell.column.into());
        let fewest: Option<Vec<Cell>> = standing
            .into_iter()
            .map(|helping| {
                let own = helping.into_iter().filter(|(_, size)| *size <= left);
                own.map(|(cell, _)| cell).filter(is_helpful).collect()
            })
            .min_by_key(Vec::len);
        // If the pool is full, an obstacle may be missing in it.
        let cells = fewest.unwrap_or_else(|| each(&allowed).collect());
        Children::Branch { cells, allowed }
    }

    /// Removes from `cells` those that leave some obstacle standing when they are flipped; the first `tested` obstacles are known to leave
    /// none.
    fn remove_useless(
        &self,
        picture: &Picture<W>,
        flips: &[Cell],
        touched: &Touched<W>,
        tested: usize,
        view: &mut View<'_, W>,
        cells: &mut [W],
    ) {
        let mut most = (0, None);
        let count = |cells: &[W]| cells.iter().map(|row| row.count()).sum::<usize>();
        let mut left = count(cells);
        for at in tested..view.obstacles.len() {
            if left == 0 {
                break;
            }
            let View {
                obstacles, scratch, ..
            } = &mut *view;
            if !touched.nearly_covers(&obstacles[at].fallen) {
                continue;
            }
            let obstacle = &obstacles[at].obstacle;
            let original = self.task.original;
            obstacle.remove_kept(original, picture, flips, touched, scratch, cells);
            let now = count(cells);
            if left - now > most.0 && left > 2 * now {
                most = (left - now, Some(at));
            }
            left = now;
        }
        if let (_, Some(at)) = most
            && left == 0
        {
            view.move_to_front(at);
        }
    }

    /// Tries each of these cells as the last flip; the first `tested` obstacles stand after none of them.
    fn last(
        &self,
        picture: &mut Picture<W>,
        flips: &mut Vec<Cell>,
        (cells, mut tested): (&mut [W], usize),
        view: &mut View<'_, W>,
    ) {
        let touched = Touched::new(flips);
        loop {
            view.update();
            if view.obstacles.len() > tested {
                self.remove_useless(picture, flips, &touched, tested, view, cells);
                tested = view.obstacles.len();
            }
            let Some(cell) = each(cells).next() else {
                return;
            };
            if self.is_over() {
                return;
            }
            remove(cells, cell);
            picture.flip(cell);
            flips.push(cell);
            if self.task.found.wants(flips.len(), harm(picture, flips)) {
                match self.examine(picture, flips, view) {
                    Examined::Good => self.note_found(),
                    Examined::Unknown => lock(&self.open).push(flips.clone()),
                    Examined::Bad => {}
                }
            }
            flips.pop();
            picture.flip(cell);
        }
    }

    /// Examines in full what the first examination has left open, unless an edit has been found.
    fn examine_open(&self, size: usize, view: &mut View<'_, W>) {
        view.update();
        let effort = match self.nodes_left {
            Some(_) => SECOND,
            None => FULL,
        };
        for flips in std::mem::take(&mut *lock(&self.open)) {
            if self.task.found.size().is_some_and(|known| known <= size) {
                return;
            }
            let picture = self.task.original.flipped(&flips);
            if view.stands(&picture, &Touched::new(&flips)) {
                continue;
            }
            match self.task.examine(&picture, &flips, effort, view) {
                Examined::Unknown => self.is_cut.store(true, Ordering::Relaxed),
                Examined::Good | Examined::Bad => {}
            }
        }
    }
}

/// The memory for the nodes of a search for edits of this size, beside the obstacles, in bytes.
pub(super) fn level_bytes<W: Word>(picture: &Picture<W>, size: usize) -> u64 {
    (2 * size_of::<W>() * picture.height() * size * rayon::current_num_threads()) as u64
}

/// The number of flips that any good edit needs at least, as far as the obstacles known show it; `None` if no edit is good.
pub(super) fn least_flips<W: Word>(task: &Task<'_, W>, view: &mut View<'_, W>) -> Option<usize> {
    view.update();
    pack(task, (task.original, &[]), &task.allowed, FINEST, view)
        .1
        .least()
}

/// An obstacle as the cells whose flips help to remove it, each with the least number of flips of which it is one.
type Helping = Vec<(Cell, usize)>;

/// Packs the obstacles that stand in the picture with these flips, those first that the fewest flips remove; up to a number of them.
fn pack<W: Word>(
    task: &Task<'_, W>,
    (picture, flips): (&Picture<W>, &[Cell]),
    allowed: &[W],
    (most, step): (usize, f64),
    view: &mut View<'_, W>,
) -> (Vec<Helping>, Packing) {
    let width = picture.width();
    let touched = Touched::new(flips);
    let View {
        scratch, obstacles, ..
    } = view;
    let mut removing = allowed.to_vec();
    let set_removing = |removing: &mut Vec<W>, obstacle: &Obstacle<W>, scratch: &mut Scratch<W>| {
        removing.copy_from_slice(allowed);
        obstacle.remove_kept(task.original, picture, flips, &touched, scratch, removing);
    };
    let mut found = Vec::new();
    for entry in obstacles.iter() {
        if entry.stands(picture, &touched, scratch) {
            set_removing(&mut removing, &entry.obstacle, scratch);
            let number = removing.iter().map(|row| row.count()).sum::<usize>();
            found.push((number, &*entry.obstacle));
        }
    }
    found.sort_by_key(|(number, _)| *number);
    let helping = |&(_, obstacle): &(usize, &Obstacle<W>)| {
        set_removing(&mut removing, obstacle, scratch);
        obstacle.helping(picture, allowed, &removing)
    };
    let standing: Vec<Helping> = found.iter().take(most).map(helping).collect();
    let share = |&(cell, size): &(Cell, usize)| {
        let number = usize::from(cell.row) * width + usize::from(cell.column);
        (number as u32, 1.0 / size as f64)
    };
    let shares: Vec<Shares> = standing
        .iter()
        .map(|helping| helping.iter().map(share).collect())
        .collect();
    let packing = Packing::new(shares, step, || task.control.poll());
    (standing, packing)
}

/// The cells of a set given by row, in reading order.
fn each<W: Word>(cells: &[W]) -> impl Iterator<Item = Cell> + '_ {
    let rows = cells.iter().enumerate();
    rows.flat_map(|(row, cells)| cells.cells().map(move |column| Cell::new(row, column)))
}

/// No cells, by row.
fn none<W: Word>(picture: &Picture<W>) -> Vec<W> {
    vec![W::ZERO; picture.height()]
}

fn remove<W: Word>(cells: &mut [W], cell: Cell) {
    cells[usize::from(cell.row)] &= !W::bit(usize::from(cell.column));
}
