//! Emits leaves to the sink, or to the region search to which they belong, and reports the progress of a task.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::node::LeafTarget;
use super::state::Task;
use crate::line::Word;
use crate::puzzle::Grid;
use crate::run::lock;
use crate::solutions::{Batch, Count, Factor, expand};

impl<W: Word> Task<'_, '_, W> {
    /// Passes a leaf, or a small subproblem with this number of fillings, to its target. `list` holds the fillings if grids are wanted.
    pub(super) fn emit(&mut self, fillings: u64, list: Option<Arc<Factor>>) {
        #[cfg(feature = "checked")]
        crate::board::checked::Rows::of(self.board.rows(), self.shared.clues.width())
            .confirm_leaf(self.shared.clues);
        let context = self.contexts.last();
        let context = context.expect("a task has a context while it runs");
        if !self.shared.collect_options.with_grids {
            let product;
            let number = match fillings {
                1 => &context.fillings_per_leaf,
                _ => {
                    let mut all = context.fillings_per_leaf.clone();
                    all *= &Count::from(fillings);
                    product = all;
                    &product
                }
            };
            match &context.target {
                LeafTarget::Root if *number == Count::ONE => self.batch.push_one(),
                LeafTarget::Root => self.batch.push_count(number),
                LeafTarget::RegionCollector(search) => search.collect_number(number),
            }
            return;
        }
        let stride = Grid::stride(self.shared.clues.width());
        self.words.clear();
        for row in self.board.rows() {
            self.words.extend((0..stride).map(|i| row.filled.part(i)));
        }
        if context.factors.is_empty() && list.is_none() {
            match &context.target {
                LeafTarget::RegionCollector(search) => {
                    search.collect(&self.words);
                }
                LeafTarget::Root => {
                    self.batch.push_grid(&self.words);
                    self.flush_if_full();
                }
            }
            return;
        }
        let factors = context.factors.iter().map(|(factor, _)| Arc::clone(factor));
        let factors: Vec<_> = factors.chain(list).collect();
        match &context.target {
            LeafTarget::RegionCollector(search) => {
                expand(&mut self.words, &factors, |words| search.collect(words));
            }
            LeafTarget::Root => self.emit_bundle(factors),
        }
    }

    /// Emits a bundle in pieces that fit a batch, so that the run can be stopped before a sink has expanded billions of solutions.
    pub(super) fn emit_bundle(&mut self, factors: Vec<Arc<Factor>>) {
        let max_solutions = self.shared.max_batch_solutions;
        let mut product = 1u64;
        let (inner, outer): (Vec<_>, Vec<_>) = factors.into_iter().partition(|factor| {
            let grown = product.saturating_mul(factor.count() as u64);
            let fits = grown <= max_solutions;
            if fits {
                product = grown;
            }
            fits
        });
        let mut words = std::mem::take(&mut self.words);
        if outer.is_empty() {
            // The whole bundle fits a batch.
            self.batch.push_bundle(&words, &inner);
            self.flush_if_full();
            self.words = words;
            return;
        }
        let all_emitted = expand(&mut words, &outer, |words| {
            self.batch.push_bundle(words, &inner);
            if self.flush_if_full() {
                return !self.shared.control.poll();
            }
            true
        });
        if !all_emitted {
            // Relaxed: read when all tasks have ended.
            self.shared.cubes_incomplete.store(true, Ordering::Relaxed);
        }
        self.words = words;
    }

    /// Flushes the batch if it is full, and returns whether it was.
    pub(super) fn flush_if_full(&mut self) -> bool {
        let (shared, count) = (self.shared, self.batch.count().to_u64());
        let full = self.batch.leaves() >= shared.max_batch_leaves
            || count.is_none_or(|count| count >= shared.max_batch_solutions);
        if full {
            self.flush();
        }
        full
    }

    /// Adds finished weight and nodes to the meter.
    pub(super) fn report_progress(&mut self) {
        let nodes = self.statistics.nodes - self.reported_nodes;
        self.reported_nodes = self.statistics.nodes;
        let weight = std::mem::take(&mut self.unreported_weight);
        self.shared.meter.add(weight, nodes);
    }

    /// Passes the batch to the sink, cut at the limit on solutions.
    pub(super) fn flush(&mut self) {
        self.settles_at_flush = self.board.settles();
        let shared = self.shared;
        if self.batch.count().is_zero() {
            return;
        }
        let empty = Batch::new(shared.clues.width(), shared.clues.height());
        let mut batch = std::mem::replace(&mut self.batch, empty);
        if let Some(limit) = shared.control.accept(batch.count().to_u64()) {
            // Solutions beyond the limit are dropped, also from lists of regions, so the cubes would not cover all open work,
            // even if another limit has stopped the run.
            shared.cubes_incomplete.store(true, Ordering::Relaxed);
            batch.truncate(limit);
            if limit == 0 {
                return;
            }
        }
        let count = batch.count().clone();
        match shared.sink.take(batch) {
            ControlFlow::Continue(()) => {
                let solutions = count.to_u64().unwrap_or(u64::MAX);
                shared.meter.add_solutions(solutions);
                lock(&shared.totals).1 += &count;
            }
            ControlFlow::Break(why) => {
                shared.cubes_incomplete.store(true, Ordering::Relaxed);
                shared.control.stop(why);
            }
        }
    }
}
