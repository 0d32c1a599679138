//! Local search for a good edit, which has one early where the levels would take long: flips the cell that removes most obstacles, until
//! none of those known stands, then examines the picture, and goes on with what that finds. From a good edit flips are dropped as long as
//! it stays good; then an edit of one flip less is looked for.
//!
//! Obstacles have weights, which grow while they stand, so that the search leaves local optima (Morris, "The breakout method for escaping
//! from local minima", AAAI 1993); a cell that was flipped just now is not flipped back at once. No random numbers are used.

use super::examine::Effort;
use super::harm::harm;
use super::obstacle::Touched;
use super::pool::View;
use super::task::{Examined, Task};
use crate::board::Cell;
use crate::design::picture::Picture;
use crate::line::Word;

/// The effort for one examination.
const EFFORT: Effort = Effort {
    nodes: Some(2000),
    many: true,
};

/// Steps in which a cell stays as it is after its flip.
const TABU_STEPS: usize = 3;

/// How long a descent lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Most steps; after an edit has been found, most steps until a smaller one.
    pub(super) steps: usize,
    /// Most flips of an edit.
    pub(super) most: usize,
    /// A good edit has at least this number of flips, so that the search ends with one of this size.
    pub(super) least: usize,
    /// Whether it ends with the first good edit, once no flip can be dropped.
    pub(super) first_only: bool,
}

/// The state of a descent.
struct Descent<'t, 'a, W: Word> {
    task: &'t Task<'a, W>,
    view: View<'t, W>,
    /// The weights of the obstacles in `view`.
    weights: Vec<u64>,
    picture: Picture<W>,
    flips: Vec<Cell>,
    /// The step in which each cell was flipped, row by row.
    flipped_at: Vec<usize>,
    step: usize,
}

/// The memory for a picture of this number of cells, beside the obstacles, in bytes.
pub(super) fn descent_bytes(cells: usize) -> u64 {
    ((size_of::<usize>() + size_of::<i64>()) * cells) as u64
}

/// Looks for good edits, which are added to those found.
pub(super) fn descend<W: Word>(task: &Task<'_, W>, bounds: Bounds) {
    let cells = task.original.width() * task.original.height();
    let mut descent = Descent {
        task,
        view: View::new(&task.pool),
        weights: Vec::new(),
        picture: task.original.clone(),
        flips: Vec::new(),
        flipped_at: vec![0; cells],
        step: TABU_STEPS + 1,
    };
    descent.run(bounds);
}

impl<W: Word> Descent<'_, '_, W> {
    fn run(&mut self, bounds: Bounds) {
        let mut most = bounds.most;
        let mut end = self.step + bounds.steps;
        while self.step < end && !self.task.control.poll() {
            self.step += 1;
            self.view.update();
            self.weights.resize(self.view.obstacles.len(), 1);
            if self.stands() {
                self.move_on(most);
                continue;
            }
            let examined = self
                .task
                .examine(&self.picture, &self.flips, EFFORT, &mut self.view);
            match examined {
                Examined::Bad => {}
                Examined::Unknown => self.move_on(most),
                Examined::Good => {
                    self.drop_flips();
                    if bounds.first_only || self.flips.len() <= bounds.least {
                        return;
                    }
                    most = self.flips.len() - 1;
                    end = self.step + bounds.steps;
                    self.move_on(most);
                }
            }
        }
    }

    fn flip(&mut self, cell: Cell) {
        self.picture.flip(cell);
        match self.flips.iter().position(|&flip| flip == cell) {
            Some(at) => drop(self.flips.remove(at)),
            None => self.flips.push(cell),
        }
        let at = self.index(cell);
        self.flipped_at[at] = self.step;
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.row) * self.picture.width() + usize::from(cell.column)
    }

    /// Whether a known obstacle stands.
    fn stands(&mut self) -> bool {
        let touched = Touched::new(&self.flips);
        let View {
            obstacles, scratch, ..
        } = &mut self.view;
        let mut obstacles = obstacles.iter();
        obstacles.any(|entry| entry.stands(&self.picture, &touched, scratch))
    }

    /// Flips the best cell; if the edit has `most` flips or more, undoes those that are missed least before.
    fn move_on(&mut self, most: usize) {
        while self.flips.len() >= most {
            let gains = self.gains(false);
            let oldest = |cell: &Cell| {
                let at = self.index(*cell);
                (gains[at], std::cmp::Reverse(self.flipped_at[at]))
            };
            let Some(cell) = self.flips.iter().copied().max_by_key(oldest) else {
                return;
            };
            self.flip(cell);
        }
        let gains = self.gains(true);
        let (mut best, mut best_key) = (None, (i64::MIN, 0, 0));
        for row in 0..self.picture.height() {
            for column in 0..self.picture.width() {
                let cell = Cell::new(row, column);
                let at = self.index(cell);
                let is_flipped = self.flips.contains(&cell);
                let may = is_flipped || self.task.allowed[row].has(column);
                let is_tabu = self.flipped_at[at] + TABU_STEPS > self.step;
                if !may || is_tabu || gains[at] < best_key.0 {
                    continue;
                }
                // Of equal gain: an undone flip, then the one that hurts least.
                self.picture.flip(cell);
                let hurts = harm(&self.picture, &[cell]);
                self.picture.flip(cell);
                let key = (gains[at], i64::from(is_flipped), -i64::from(hurts));
                if key > best_key {
                    (best, best_key) = (Some(cell), key);
                }
            }
        }
        if let Some(cell) = best {
            self.flip(cell);
        }
    }

    /// For each cell the weight of the obstacles that its flip removes, less that of the obstacles that it restores. With `learn`, the
    /// weights of the obstacles that stand grow.
    fn gains(&mut self, learn: bool) -> Vec<i64> {
        let touched = Touched::new(&self.flips);
        let width = self.picture.width();
        let all = W::low(width);
        let mut gains = vec![0; width * self.picture.height()];
        let mut cells = vec![W::ZERO; self.picture.height()];
        let View {
            obstacles, scratch, ..
        } = &mut self.view;
        for (entry, weight) in obstacles.iter().zip(&mut self.weights) {
            if !touched.nearly_covers(&entry.fallen) {
                continue;
            }
            cells.fill(all);
            entry.obstacle.remove_kept(
                self.task.original,
                &self.picture,
                &self.flips,
                &touched,
                scratch,
                &mut cells,
            );
            let stands = entry.stands(&self.picture, &touched, scratch);
            let sign = if stands { 1 } else { -1 };
            for (row, &removing) in cells.iter().enumerate() {
                let changing = if stands { removing } else { all & !removing };
                for column in changing.cells() {
                    gains[row * width + column] += sign * *weight as i64;
                }
            }
            *weight += u64::from(learn && stands);
        }
        gains
    }

    /// Drops flips, those that hurt most first, as long as the edit stays good.
    fn drop_flips(&mut self) {
        let mut order = self.flips.clone();
        order.sort_by_key(|&cell| std::cmp::Reverse(harm(&self.picture, &[cell])));
        for cell in order {
            if self.task.control.poll() {
                return;
            }
            self.flip(cell);
            let good = !self.stands()
                && self
                    .task
                    .examine(&self.picture, &self.flips, EFFORT, &mut self.view)
                    == Examined::Good;
            if !good {
                self.flip(cell);
            }
        }
    }
}
