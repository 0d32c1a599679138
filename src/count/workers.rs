//! The workers of a count: each asks the contest what to do next, tries a plan, or joins the walk that is under way.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::branch::worker::Worker;
use super::plan_selection::Next;
use super::shared::Shared;
use crate::line::Word;
use crate::run::{Control, lock};
use crate::sat::Exchange;
use crate::solutions::Stop;

/// A worker with nothing to do asks again after the first time, and then ever more rarely, up to the second. Asking takes a few
/// microseconds.
const NAPS: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(1)];

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
        let mut nap = NAPS[0];
        while !self.control.stopped() {
            let next = {
                let mut selection = lock(&self.selection);
                let next = selection.next();
                self.note(&selection);
                next
            };
            match next {
                Next::Try(trial) => {
                    self.status.begin(trial.plan.activity());
                    let ended = worker.try_out(trial);
                    self.report(trial, ended);
                    nap = NAPS[0];
                }
                Next::Wait => nap = self.nap(nap),
                Next::Join | Next::Leave => break,
            }
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Joins the walks that are shared and takes over trials that are for one worker, until there is nothing left to try.
    fn help(&self, exchange: Option<Arc<Exchange>>) {
        let _others = Others(&self.control);
        let mut worker = Worker::new(self, exchange);
        worker.delay_first_question();
        let mut nap = NAPS[0];
        while !self.control.stopped() {
            let next = lock(&self.selection).next_for_helper();
            let walk = lock(&self.walk).clone();
            match (next, walk) {
                (Next::Leave, _) => break,
                (Next::Try(trial), _) => {
                    let ended = worker.try_out(trial);
                    self.report(trial, ended);
                }
                (Next::Join, Some(walk)) => worker.help(&walk),
                // Sweeps and the tree may have something to do.
                _ if rayon::yield_now() == Some(rayon::Yield::Executed) => {}
                _ => {
                    nap = self.nap(nap);
                    continue;
                }
            }
            nap = NAPS[0];
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Sleeps for this long; returns for how long to sleep next.
    fn nap(&self, nap: Duration) -> Duration {
        self.control.poll();
        std::thread::sleep(nap);
        NAPS[1].min(2 * nap)
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
