//! What a task finds, on its way to the sink or to the part of a product that it is searched for, and what it tells of itself.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::node::Goal;
use super::state::Task;
use crate::line::Word;
use crate::puzzle::Grid;
use crate::solutions::{Batch, Count, Factor, expand};

impl<W: Word> Task<'_, '_, W> {
    /// Hands a leaf, or the fillings of a rest and their number, to whatever it is searched for.
    pub(super) fn emit(&mut self, fillings: u64, rest: Option<Arc<Factor>>) {
        let context = self
            .contexts
            .last()
            .expect("a task has a context while it runs");
        if !self.shared.collecting.grids {
            let product;
            let number = match fillings {
                1 => &context.number,
                _ => {
                    let mut all = context.number.clone();
                    all *= &Count::from(fillings);
                    product = all;
                    &product
                }
            };
            match &context.goal {
                Goal::Root if *number == Count::ONE => self.batch.push_one(),
                Goal::Root => self.batch.push_count(number),
                Goal::RegionSearch(part) => part.collect_number(number),
            }
            return;
        }
        let stride = Grid::stride(self.shared.clues.width());
        self.words.clear();
        for row in self.board.rows() {
            self.words.extend((0..stride).map(|i| row.filled.part(i)));
        }
        if context.factors.is_empty() && rest.is_none() {
            match &context.goal {
                Goal::RegionSearch(part) => {
                    part.collect(&self.words);
                }
                Goal::Root => {
                    self.batch.push_grid(&self.words);
                    self.pass_on_if_full();
                }
            }
            return;
        }
        let factors: Vec<_> = context.factors.iter().cloned().chain(rest).collect();
        match &context.goal {
            Goal::RegionSearch(part) => {
                expand(&mut self.words, &factors, |words| part.collect(words));
            }
            Goal::Root => self.emit_bundle(factors),
        }
    }

    /// Hands over a bundle, in pieces that fit a batch: else nobody could stop the run while a sink expands billions.
    pub(super) fn emit_bundle(&mut self, factors: Vec<Arc<Factor>>) {
        let most = self.shared.most_in_batch;
        let mut product = 1u64;
        let (inner, outer): (Vec<_>, Vec<_>) = factors.into_iter().partition(|factor| {
            let grown = product.saturating_mul(factor.count() as u64);
            let fits = grown <= most;
            if fits {
                product = grown;
            }
            fits
        });
        let mut words = std::mem::take(&mut self.words);
        if outer.is_empty() {
            // All of it at once: nothing can be torn.
            self.batch.push_bundle(&words, &inner);
            self.pass_on_if_full();
            self.words = words;
            return;
        }
        let whole = expand(&mut words, &outer, |words| {
            self.batch.push_bundle(words, &inner);
            if self.pass_on_if_full() {
                return !self.shared.control.poll();
            }
            true
        });
        if !whole {
            // Relaxed: read when all tasks are done.
            self.shared.torn.store(true, Ordering::Relaxed);
        }
        self.words = words;
    }

    /// Passes the batch on if it is full, and says so.
    pub(super) fn pass_on_if_full(&mut self) -> bool {
        let full = self.batch.leaves() >= self.shared.most_leaves
            || self
                .batch
                .count()
                .to_u64()
                .is_none_or(|count| count >= self.shared.most_in_batch);
        if full {
            self.pass_on();
        }
        full
    }

    /// Passes on how far the task has come.
    pub(super) fn pass_sums_on(&mut self) {
        let nodes = self.statistics.nodes - self.passed_on;
        self.passed_on = self.statistics.nodes;
        self.shared.meter.add(std::mem::take(&mut self.done), nodes);
    }

    /// Passes solutions on.
    pub(super) fn pass_on(&mut self) {
        self.passed = self.board.settles();
        let shared = self.shared;
        if self.batch.count().is_zero() {
            return;
        }
        let empty = Batch::new(shared.clues.width(), shared.clues.height());
        let mut batch = std::mem::replace(&mut self.batch, empty);
        if let Some(limit) = shared.control.accept(batch.count().to_u64()) {
            // What is over the limit is dropped, and regions were listed no further than it: whatever stopped the run first, cubes
            // would not be all that is left.
            shared.torn.store(true, Ordering::Relaxed);
            batch.truncate(limit);
            if limit == 0 {
                return;
            }
        }
        let count = batch.count().clone();
        match shared.sink.take(batch) {
            ControlFlow::Continue(()) => {
                shared
                    .meter
                    .add_solutions(count.to_u64().unwrap_or(u64::MAX));
                shared
                    .totals
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .1 += &count;
            }
            ControlFlow::Break(why) => {
                shared.torn.store(true, Ordering::Relaxed);
                shared.control.stop(why);
            }
        }
    }
}
