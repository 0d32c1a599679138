//! What the parts of a repair share: the picture, the cells that may be flipped, the obstacles and the best edits.

use std::sync::{Arc, Mutex};

use super::edit::{CellSet, Edit};
use super::examine::{Effort, Examined, Examiner};
use super::harm::harm;
use super::obstacle::ObstacleKind;
use super::pool::{Pool, PoolView};
use crate::design::picture::Picture;
use crate::design::profile::line_solvable;
use crate::line::Word;
use crate::puzzle::Cell;
use crate::run::lock;
use crate::search::{Limits, Search, Verdict};

/// The state of one repair.
#[derive(Debug)]
pub(super) struct Task<'a, W> {
    pub(super) examiner: Examiner<'a, W>,
    pub(super) pool: Pool<W>,
    /// The cells that may be flipped.
    pub(super) allowed: CellSet<W>,
    pub(super) best: BestEdits,
}

impl<W: Word> Task<'_, W> {
    /// Whether an edit is good. A good one is added to the best, the obstacles of another to the pool. `None`: it was not decided.
    pub(super) fn examine(
        &self,
        edit: &Edit<'_, W>,
        effort: Effort,
        view: &mut PoolView<'_, W>,
    ) -> Option<bool> {
        if !self.examiner.begin() {
            return None;
        }
        match (self.examiner).examine(&edit.picture, effort, &mut view.scratch) {
            Examined::Unknown => None,
            Examined::Bad(obstacles) => {
                self.pool.add(obstacles, self.examiner.original);
                view.update();
                Some(false)
            }
            Examined::Good => {
                let harm = harm(edit);
                if self.best.wants(edit.flips.len(), harm) {
                    if !self.confirm(&edit.picture, effort) {
                        return None;
                    }
                    self.best.add(harm, &edit.flips);
                }
                Some(true)
            }
        }
    }

    /// Checks a good picture by a search that knows nothing of it, and by line solving if wanted. `false`: the run has been stopped.
    ///
    /// # Panics
    ///
    /// If the picture is not good.
    fn confirm(&self, picture: &Picture<W>, effort: Effort) -> bool {
        let grid = picture.to_grid();
        let puzzle = self.examiner.puzzle(&grid);
        let limits = Limits::default().memory(self.examiner.memory);
        let mut search = Search::new(&puzzle).limits(limits);
        if effort.nodes.is_some() {
            search = search.single_threaded();
        }
        let control = Arc::new(self.examiner.control.part(u64::MAX));
        let (solutions, outcome) = search.first_under(&control, 2);
        match outcome.solutions.verdict() {
            Verdict::Unique => {
                assert_eq!(solutions, std::slice::from_ref(&grid), "the only solution")
            }
            Verdict::Undecided => return false,
            verdict => panic!("{verdict}: examined as unique\n{grid}"),
        }
        if self.examiner.kind == ObstacleKind::Stuck {
            assert!(line_solvable(&puzzle), "examined as line-solvable\n{grid}");
        }
        true
    }
}

/// The best edits found so far, shared by all threads: the smallest, and of these the ones that hurt the picture least.
#[derive(Debug)]
pub(super) struct BestEdits {
    /// Most edits to keep, at least one.
    pub(super) wanted: usize,
    /// The edits, all of the same number of flips, with their harm: least harm first; of equal harm the first in reading order.
    pub(super) edits: Mutex<Vec<(u32, Vec<Cell>)>>,
}

impl BestEdits {
    /// Number of flips of the edits kept; `None` if there are none.
    pub(super) fn size(&self) -> Option<usize> {
        lock(&self.edits).first().map(|(_, flips)| flips.len())
    }

    /// Whether an edit of this many flips and this harm would be kept.
    pub(super) fn wants(&self, size: usize, harm: u32) -> bool {
        let edits = lock(&self.edits);
        match edits.last() {
            None => true,
            Some((_, flips)) if flips.len() != size => size < flips.len(),
            Some((worst, _)) => edits.len() < self.wanted || harm < *worst,
        }
    }

    /// Adds an edit.
    pub(super) fn add(&self, harm: u32, flips: &[Cell]) {
        let mut edits = lock(&self.edits);
        let known = edits.first().map_or(usize::MAX, |(_, flips)| flips.len());
        if flips.len() > known {
            return;
        }
        if flips.len() < known {
            edits.clear();
        }
        let mut flips = flips.to_vec();
        flips.sort_unstable();
        let edit = (harm, flips);
        if let Err(at) = edits.binary_search(&edit) {
            edits.insert(at, edit);
            edits.truncate(self.wanted);
        }
    }
}
