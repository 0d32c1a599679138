//! What all workers of a count share, whatever they work on.

use std::sync::{Arc, Mutex};

use super::components::Store;
use super::options::Options;
use super::setup::Setup;
use super::status::Status;
use crate::board::Clues;
use crate::line::{Known, Word};
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Control, Statistics, lock};
use crate::sat::Exchange;
use crate::search::switched_solution;
use crate::solutions::Count;

/// What the workers of a count share.
#[derive(Debug)]
pub(crate) struct Crew<'a, W> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) clues: &'a Clues,
    pub(crate) options: &'a Options,
    pub(crate) control: Arc<Control>,
    /// Bytes that the whole count may take, and the number of workers.
    pub(crate) memory: u64,
    pub(crate) workers: usize,
    /// The component table, and the solution graph if it is kept.
    pub(crate) store: Store,
    pub(crate) status: &'a Status,
    /// The known cells of the first root. All SAT solvers are made with them, so that they can exchange clauses.
    pub(crate) rows: Vec<Known<W>>,
    /// For the SAT solvers of several workers.
    pub(crate) exchange: Option<Arc<Exchange>>,
    /// Whether all solutions of the puzzle are counted.
    is_whole: bool,
    /// The first solution that was met, if any.
    witness: Mutex<Option<Arc<Grid>>>,
    /// The work of all workers that have ended.
    statistics: Mutex<Statistics>,
}

impl<'a, W: Word> Crew<'a, W> {
    pub(crate) fn new(
        setup: &'a Setup<'_>,
        clues: &'a Clues,
        control: &Arc<Control>,
        status: &'a Status,
        store: Store,
        rows: &[Known<W>],
    ) -> Self {
        let workers = setup.threads();
        Crew {
            puzzle: setup.puzzle,
            clues,
            options: &setup.options,
            control: Arc::clone(control),
            memory: setup.limits.bytes(),
            workers,
            store,
            status,
            rows: rows.to_vec(),
            exchange: (workers > 1).then(Arc::default),
            is_whole: setup.is_whole(),
            witness: Mutex::default(),
            statistics: Mutex::default(),
        }
    }

    /// A solution, if one has been met.
    pub(crate) fn witness(&self) -> Option<Arc<Grid>> {
        lock(&self.witness).clone()
    }

    /// Records a solution, unless one is known. Most solutions of ambiguous puzzles show another one at once.
    pub(crate) fn record_witness(&self, solution: &Arc<Grid>) {
        let mut witness = lock(&self.witness);
        if witness.is_none() {
            *witness = Some(Arc::clone(solution));
            drop(witness);
            // The other solution need not lie in the cube that is counted.
            let has_other = self.is_whole && switched_solution(self.puzzle, solution).is_some();
            let known = Count::from(1 + u64::from(has_other));
            self.status.raise_bound(known);
        }
    }

    /// Adds the statistics of work that has ended.
    pub(crate) fn add_statistics(&self, statistics: &Statistics) {
        lock(&self.statistics).add(statistics);
    }

    /// The statistics of all work that has ended.
    pub(crate) fn statistics(&self) -> Statistics {
        *lock(&self.statistics)
    }
}
