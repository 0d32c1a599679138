//! The search for the backbone in slices: SAT solvers look for a solution, and then ask about the cells that no solution has flipped yet.
//!
//! It is data, as a walk is: what is known of the cells, and what is spent. Each worker asks with its own SAT solver.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::crew::Crew;
use super::options;
use crate::line::Word;
use crate::run::lock;
use crate::sat::{BackboneResult, BackboneSearch, SatAnswer};
use crate::search::Oracle;

/// Conflicts of one call of the SAT solver while it looks for a first solution. Between two calls the work is looked at.
const FIRST_CONFLICTS: u32 = 2000;

/// The questions about the cells of a puzzle, and what is known from the answers.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// Begun with the first solution.
    search: Mutex<Option<Arc<BackboneSearch>>>,
    /// Nanoseconds of work so far, and at which the slice is over. Relaxed: sums.
    work: AtomicU64,
    limit: AtomicU64,
    /// Number of workers that ask in this slice. Relaxed: set while nobody asks.
    solvers: AtomicUsize,
    /// Whether the puzzle has no solution, and whether no solver can be built. Relaxed: read when the slice is over.
    is_unsatisfiable: AtomicBool,
    is_unavailable: AtomicBool,
}

impl Questions {
    /// Begins a slice of this many nanoseconds of work, by this many workers. Nobody may ask meanwhile.
    pub(crate) fn begin_slice(&self, work: u64, solvers: usize) {
        self.solvers.store(solvers, Ordering::Relaxed);
        self.limit
            .store(self.work().saturating_add(work), Ordering::Relaxed);
    }

    /// The nanoseconds of work so far.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.work() >= self.limit.load(Ordering::Relaxed)
    }

    pub(crate) fn is_unsatisfiable(&self) -> bool {
        self.is_unsatisfiable.load(Ordering::Relaxed)
    }

    pub(crate) fn is_unavailable(&self) -> bool {
        self.is_unavailable.load(Ordering::Relaxed)
    }

    fn search(&self) -> Option<Arc<BackboneSearch>> {
        lock(&self.search).clone()
    }

    /// What is known of the cells, once a solution is known.
    pub(crate) fn result(&self) -> Option<BackboneResult> {
        Some(self.search()?.result())
    }

    /// Asks the oracle about cells until the slice is over. Before a solution is known, only one worker may ask.
    pub(crate) fn ask<W: Word>(&self, crew: &Crew<'_, W>, oracle: &mut Oracle<'_>) {
        let charge = |ns: u64| self.work.fetch_add(ns, Ordering::Relaxed);
        if !oracle.is_built() {
            charge(options::SOLVER_NS);
        }
        let witness = crew.witness();
        let asked = oracle.with_solver(crew.clues, &crew.rows, |solver| {
            let mut ticks = solver.ticks();
            let mut charge_ticks = |now: u64| {
                charge(options::TICK_NS * (now - std::mem::replace(&mut ticks, now)));
            };
            let mut first = witness;
            let search = loop {
                if let Some(search) = self.search() {
                    break search;
                }
                if let Some(first) = &first {
                    let search = Arc::new(BackboneSearch::new(first, &[]));
                    *lock(&self.search) = Some(search);
                    continue;
                }
                let answer = solver.solve(Some(FIRST_CONFLICTS));
                charge_ticks(solver.ticks());
                match answer {
                    SatAnswer::Solution(solution) => {
                        let solution = Arc::new(solution);
                        crew.record_witness(&solution);
                        first = Some(solution);
                    }
                    SatAnswer::None => {
                        self.is_unsatisfiable.store(true, Ordering::Relaxed);
                        return;
                    }
                    SatAnswer::Unknown if crew.control.poll() || self.is_over() => return,
                    SatAnswer::Unknown => {}
                }
            };
            let solvers = self.solvers.load(Ordering::Relaxed);
            search.ask(solver, solvers, |_, now| {
                charge_ticks(now);
                crew.control.poll() || self.is_over()
            });
        });
        if asked.is_none() {
            self.is_unavailable.store(true, Ordering::Relaxed);
        }
    }
}
