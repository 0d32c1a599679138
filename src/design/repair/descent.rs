//! Local search, which has a good edit early where the levels would take long: flips the cell that removes most obstacles, until none known
//! stands, then examines the picture. From a good edit flips are dropped as long as it stays good; then one of one flip less is looked for.
//!
//! Obstacles have weights, which grow while they stand, so that the search leaves local optima (Morris, "The breakout method for escaping
//! from local minima", AAAI 1993); a cell that was flipped just now is not flipped back at once. No random numbers are used.

use std::cmp::Reverse;

use super::edit::{CellSet, Edit};
use super::examine::Effort;
use super::harm::harm_of_flip;
use super::pool::PoolView;
use super::task::Task;
use crate::line::Word;
use crate::puzzle::Cell;

/// The effort for one examination.
const EFFORT: Effort = Effort {
    nodes: Some(2000),
    several: true,
};

/// Steps in which a cell stays as it is after its flip.
const TABU_STEPS: usize = 3;

/// The state of a descent.
struct Descent<'t, 'a, W: Word> {
    task: &'t Task<'a, W>,
    view: PoolView<'t, W>,
    /// The weights of the obstacles in `view`.
    weights: Vec<u64>,
    edit: Edit<'a, W>,
    /// The step in which each cell was flipped, row by row.
    flipped_at: Vec<usize>,
    step: usize,
}

/// Looks for good edits of at most `most` flips, which are added to the best edits, until one of at most `enough` flips is found, or none
/// within this number of steps after the last. Does nothing if this memory does not suffice, in bytes.
pub(super) fn descend<W: Word>(
    task: &Task<'_, W>,
    steps: usize,
    most: usize,
    enough: usize,
    memory: u64,
) {
    let original = task.examiner.original;
    let cells = original.width * original.height;
    let bytes = (size_of::<usize>() + size_of::<i64>()) * cells;
    if most == 0 || bytes as u64 > memory {
        return;
    }
    let mut descent = Descent {
        task,
        view: PoolView::new(&task.pool),
        weights: Vec::new(),
        edit: Edit::new(original, &[]),
        flipped_at: vec![0; cells],
        step: TABU_STEPS + 1,
    };
    descent.run(steps, most, enough);
}

impl<W: Word> Descent<'_, '_, W> {
    fn run(&mut self, steps: usize, mut most: usize, enough: usize) {
        let mut end = self.step + steps;
        while self.step < end && !self.task.examiner.control.poll() {
            self.step += 1;
            self.view.update();
            self.weights.resize(self.view.obstacles.len(), 1);
            if self.view.standing(&self.edit).is_some() {
                self.move_on(most);
                continue;
            }
            match self.task.examine(&self.edit, EFFORT, &mut self.view) {
                Some(false) => {}
                None => self.move_on(most),
                Some(true) => {
                    self.drop_flips();
                    if self.edit.flips.len() <= enough {
                        return;
                    }
                    most = self.edit.flips.len() - 1;
                    end = self.step + steps;
                    self.move_on(most);
                }
            }
        }
    }

    fn flip(&mut self, cell: Cell) {
        self.edit.flip(cell);
        let at = self.index(cell);
        self.flipped_at[at] = self.step;
    }

    fn index(&self, cell: Cell) -> usize {
        let (row, column) = cell.place();
        row * self.edit.picture.width + column
    }

    /// Flips the best cell; if the edit has `most` flips or more, undoes those that are missed least before.
    fn move_on(&mut self, most: usize) {
        while self.edit.flips.len() >= most {
            let gains = self.gains(false);
            let missed_least = self.edit.flips.iter().copied().max_by_key(|&cell| {
                let at = self.index(cell);
                (gains[at], Reverse(self.flipped_at[at]))
            });
            let Some(cell) = missed_least else {
                return;
            };
            self.flip(cell);
        }
        let gains = self.gains(true);
        let (mut best, mut best_key) = (None, (i64::MIN, 0, 0));
        let width = self.edit.picture.width;
        for (at, &gain) in gains.iter().enumerate() {
            let cell = Cell::new(at / width, at % width);
            let is_flipped = self.edit.flips.contains(&cell);
            let may = is_flipped || self.task.allowed.has(cell);
            let is_tabu = self.flipped_at[at] + TABU_STEPS > self.step;
            if !may || is_tabu || gain < best_key.0 {
                continue;
            }
            // Of equal gain: an undone flip, then the one that hurts least.
            self.edit.picture.flip(cell);
            let hurts = harm_of_flip(&self.edit.picture, cell);
            self.edit.picture.flip(cell);
            let key = (gain, i64::from(is_flipped), -i64::from(hurts));
            if key > best_key {
                (best, best_key) = (Some(cell), key);
            }
        }
        if let Some(cell) = best {
            self.flip(cell);
        }
    }

    /// For each cell the weight of the obstacles that its flip removes, less that of those that it restores. With `learn`, the weights
    /// of the obstacles that stand grow.
    fn gains(&mut self, learn: bool) -> Vec<i64> {
        let (width, height) = (self.edit.picture.width, self.edit.picture.height);
        let all = W::low(width);
        let mut gains = vec![0; width * height];
        let mut changing = CellSet::none(height);
        let PoolView {
            obstacles, scratch, ..
        } = &mut self.view;
        for (entry, weight) in obstacles.iter().zip(&mut self.weights) {
            if !self.edit.touched.nearly_covers(&entry.fallen) {
                continue;
            }
            changing.rows.fill(all);
            let obstacle = &entry.obstacle;
            obstacle.remove_kept(&self.edit, scratch, &mut changing);
            let stands = entry.stands(&self.edit, scratch);
            if !stands {
                changing.rows.iter_mut().for_each(|row| *row = all & !*row);
            }
            let sign = if stands { 1 } else { -1 };
            for cell in changing.iter() {
                let (row, column) = cell.place();
                gains[row * width + column] += sign * *weight as i64;
            }
            *weight += u64::from(learn && stands);
        }
        gains
    }

    /// Drops flips, those that hurt most first, as long as the edit stays good.
    fn drop_flips(&mut self) {
        let mut order = self.edit.flips.clone();
        order.sort_by_key(|&cell| Reverse(harm_of_flip(&self.edit.picture, cell)));
        for cell in order {
            if self.task.examiner.control.poll() {
                return;
            }
            self.flip(cell);
            let is_good = self.view.standing(&self.edit).is_none()
                && self.task.examine(&self.edit, EFFORT, &mut self.view) == Some(true);
            if !is_good {
                self.flip(cell);
            }
        }
    }
}
