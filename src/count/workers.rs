//! The workers of a count: each asks the contest what to do next, tries a plan, or joins the walk that is under way.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::branch::worker::Worker;
use super::plan::Ended;
use super::plan_selection::Help;
use super::shared::Shared;
use crate::line::Word;
use crate::run::{Control, lock};
use crate::sat::Exchange;
use crate::solutions::{Count, Stop};

/// A worker with nothing to do looks for something after the first time, and then ever more rarely, up to the second: one that waits for
/// another's trial would else take a tenth of a core to look.
const NAPS: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(8)];

impl<W: Word> Shared<'_, W> {
    /// Counts all parts on all threads: one hosts the trials, the others help.
    pub(crate) fn work(&self) {
        loop {
            self.closed.store(false, Ordering::Relaxed);
            let exchange = (self.workers > 1).then(Arc::default);
            match self.workers {
                1 => self.host(),
                workers => rayon::scope(|scope| {
                    for _ in 1..workers {
                        let exchange = exchange.clone();
                        scope.spawn(move |_| {
                            if !self.closed.load(Ordering::Relaxed) {
                                self.help(exchange);
                            }
                        });
                    }
                    self.host_with(exchange);
                }),
            }
            if !lock(&self.selection).regroup() || self.control.stopped() {
                break;
            }
        }
    }

    /// Tries one plan after the other. All trials have one host, whose learner keeps from one to the next what it has learnt.
    pub(crate) fn host(&self) {
        self.host_with(None);
    }

    /// The same, where the learners of the helpers are in this exchange.
    fn host_with(&self, exchange: Option<Arc<Exchange>>) {
        let _others = Others(&self.control);
        let mut worker = Worker::new(self, exchange);
        loop {
            let next = {
                let mut selection = lock(&self.selection);
                let next = selection.next();
                self.note(&selection);
                next
            };
            let Some(trial) = next else {
                break;
            };
            self.status.begin(trial.plan.activity());
            let ended = worker.try_out(trial);
            let stopped = matches!(ended, Ended::Stopped);
            let mut selection = lock(&self.selection);
            let component = selection.report(trial, ended);
            if self.store.is_outgrown() {
                selection.halt();
            }
            self.note(&selection);
            if selection.is_void() {
                // No solution of this part, none at all.
                self.control.settle();
                break;
            }
            if component != trial.component {
                // Still under the contest's lock: whoever reads both sees the part and its bound together.
                *lock(&self.bound) = Count::ZERO;
            }
            drop(selection);
            self.status.raise(self.proved());
            if stopped {
                break;
            }
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Joins in the walks that are shared, until there is nothing left to try.
    fn help(&self, exchange: Option<Arc<Exchange>>) {
        let _others = Others(&self.control);
        let mut worker = Worker::new(self, exchange);
        worker.wait_for_learner();
        let mut nap = NAPS[0];
        while !self.control.stopped() {
            let help = lock(&self.selection).help();
            let walk = lock(&self.walk).clone();
            let busy = match (help, walk) {
                (Help::Leave, _) => break,
                (Help::Join, Some(walk)) => {
                    worker.help(&walk);
                    true
                }
                _ => {
                    self.control.look();
                    // Sweeps may have something to do.
                    rayon::yield_now() == Some(rayon::Yield::Executed)
                }
            };
            nap = match busy {
                true => NAPS[0],
                false => {
                    std::thread::sleep(nap);
                    NAPS[1].min(2 * nap)
                }
            };
        }
        lock(&self.statistics).add(&worker.statistics());
    }
}

/// Stops the other workers when this one panics: they would wait for its part of the walk for ever.
struct Others<'c>(&'c Control);

impl Drop for Others<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Stop::Interrupt);
        }
    }
}
