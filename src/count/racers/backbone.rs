//! The search for the backbone as a racer: it counts nothing, but the cells that it finds make the root smaller.

use std::sync::Arc;

use super::progress::Progress;
use crate::count::backbone::Questions;
use crate::count::options;
use crate::count::race::{Others, Racer, SliceEnd};
use crate::count::workers::{Job, Workers};
use crate::line::Word;
use crate::run::Activity;
use crate::solutions::Count;

/// A search for the backbone. Its state outlives it, as it is about the puzzle and not about one component.
#[derive(Debug)]
pub(crate) struct BackboneRacer {
    questions: Arc<Questions>,
    /// Unknown cells of the root.
    unknown: usize,
    progress: Progress,
}

impl BackboneRacer {
    /// `unknown`: the number of unknown cells of the root.
    pub(crate) fn new(questions: &Arc<Questions>, unknown: usize) -> Self {
        BackboneRacer {
            questions: Arc::clone(questions),
            unknown,
            progress: Progress::default(),
        }
    }
}

impl<W: Word> Racer<W> for BackboneRacer {
    fn activity(&self) -> Activity {
        Activity::Backbone
    }

    fn advance(
        &mut self,
        workers: &mut Workers<'_, '_, '_, W>,
        work: u64,
        _others: &Others<'_, '_, W>,
    ) -> (u64, SliceEnd) {
        let questions = &self.questions;
        let before = questions.work();
        let is_shared = questions.result().is_some() && before >= options::BACKBONE_SHARED_NS;
        // More solvers than cores take turns, and learn alone what another one has learnt meanwhile.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let number = if is_shared {
            workers.crew().workers.min(cores)
        } else {
            1
        };
        questions.begin_slice(work, number);
        workers.run(Job::Backbone(Arc::clone(questions)), number);
        let spent = questions.work() - before;
        if questions.is_unsatisfiable() {
            return (spent, SliceEnd::Unsatisfiable);
        }
        if questions.is_unavailable() {
            return (spent, SliceEnd::Out);
        }
        let Some(result) = questions.result() else {
            self.progress.record(questions.work(), 0.0);
            return (spent, SliceEnd::More);
        };
        let found = Count::from(result.solutions + 1);
        workers.crew().status.raise_bound(found);
        let backbone = result.backbone;
        let size = backbone.filled.width() * backbone.filled.height();
        let undecided = backbone.undecided();
        self.progress
            .record(questions.work(), 1.0 - undecided as f64 / size as f64);
        // The cells that the root would not know yet if nothing more were found.
        let open = size - backbone.same();
        let end = match () {
            // A root with half of the unknown cells is worth beginning again.
            () if 2 * open <= self.unknown => SliceEnd::Facts(Box::new(backbone)),
            () if undecided > 0 => SliceEnd::More,
            () if open < self.unknown => SliceEnd::Facts(Box::new(backbone)),
            () => SliceEnd::Out,
        };
        (spent, end)
    }

    fn left(&self) -> f64 {
        // Without progress nothing is known, and as much is left as is done: what has lasted long lasts long.
        self.progress.left().min(self.questions.work() as f64)
    }

    fn expected_slices(&self) -> u64 {
        match self.questions.work() {
            0 => options::BACKBONE_EXPECTED,
            // It goes on after a root that it has made smaller.
            _ => 0,
        }
    }

    fn first_slices(&self) -> u64 {
        options::BACKBONE_SLICES
    }
}
