//! A walk as a racer.

use std::sync::Arc;

use super::progress::Progress;
use crate::count::race::{Others, Racer, SliceEnd};
use crate::count::root::Root;
use crate::count::walk::Walk;
use crate::count::workers::{Job, Workers};
use crate::line::Word;
use crate::run::{Activity, memory_plan};
use crate::solutions::Count;

/// A walk through one component.
#[derive(Debug)]
pub(crate) struct WalkRacer<'r, W: Word> {
    root: &'r Root<W>,
    component: usize,
    /// The walk, once it has begun.
    walk: Option<Arc<Walk<W>>>,
    /// Least work of a slice: twice that of the longest walk that was dropped, so that a walk that begins again still ends.
    least_work: u64,
    progress: Progress,
    proved: Count,
}

impl<'r, W: Word> WalkRacer<'r, W> {
    pub(crate) fn new(root: &'r Root<W>, component: usize) -> Self {
        WalkRacer {
            root,
            component,
            walk: None,
            least_work: 0,
            progress: Progress::default(),
            proved: Count::ZERO,
        }
    }
}

impl<W: Word> Racer<W> for WalkRacer<'_, W> {
    fn activity(&self) -> Activity {
        Activity::Branching
    }

    fn advance(
        &mut self,
        workers: &mut Workers<'_, '_, '_, W>,
        work: u64,
        others: &Others<'_, '_, W>,
    ) -> (u64, SliceEnd) {
        let crew = workers.crew();
        if crew.store.keeps_graph() {
            // Sweeps and the graph have one share.
            let both = memory_plan::sweep_for_graph_on(crew.workers, crew.memory);
            others.fit_all(both.saturating_sub(crew.store.graph_bytes()));
        }
        let (root, component) = (self.root, self.component);
        let walk = self
            .walk
            .get_or_insert_with(|| Arc::new(Walk::new(root, component)));
        let walk = Arc::clone(walk);
        let before = walk.work();
        let work = work.max(self.least_work);
        walk.begin_slice(work);
        // In a shorter slice the others would not have begun before it is over.
        let number = if work > crew.options.slice_ns {
            crew.workers
        } else {
            1
        };
        workers.run(Job::Walk(Arc::clone(&walk)), number);
        let spent = walk.work() - before;
        self.progress.record(walk.work(), walk.done());
        let bound = walk.bound();
        if bound > self.proved {
            self.proved = bound;
        }
        let end = match walk.value() {
            Some(value) => SliceEnd::Counted(value),
            // The graph has outgrown its memory.
            None if crew.store.is_outgrown() || walk.has_no_piece() => SliceEnd::Out,
            None => {
                // Walks have a share of their own, so only they make room there. What it has counted stays in the component table.
                if walk.bytes() > memory_plan::PAUSED_WALKS.of(crew.memory) {
                    self.least_work = self.least_work.max(2 * walk.work());
                    (self.walk, self.progress) = (None, Progress::default());
                }
                SliceEnd::More
            }
        };
        (spent, end)
    }

    fn left(&self) -> f64 {
        match self.walk {
            Some(_) => self.progress.left(),
            // It was dropped, and needs at least that work again.
            None => self.least_work as f64,
        }
    }

    fn expected_slices(&self) -> u64 {
        0
    }

    fn proved(&self) -> Count {
        self.proved.clone()
    }
}
