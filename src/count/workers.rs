//! The workers of a count: each asks the plan selection what to do next, and tries a plan or joins the shared walk under way.

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

/// The first and the longest time for which a worker without work sleeps before it asks again; the time doubles in between. Asking takes a
/// few microseconds.
const IDLE_SLEEPS: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(1)];

impl<W: Word> Shared<'_, W> {
    /// Counts all components on all threads: one worker hosts the trials, the others help.
    pub(crate) fn run_workers(&self) {
        loop {
            self.closed_to_workers.store(false, Ordering::Relaxed);
            let exchange = (self.workers > 1).then(Arc::default);
            match self.workers {
                1 => self.run_one_worker(),
                workers => rayon::scope(|scope| {
                    for _ in 1..workers {
                        let exchange = exchange.clone();
                        scope.spawn(move |_| {
                            if !self.closed_to_workers.load(Ordering::Relaxed) {
                                self.help(exchange);
                            }
                        });
                    }
                    self.run_worker_with(exchange);
                }),
            }
            if !lock(&self.selection).take_restart() || self.control.stopped() {
                break;
            }
        }
    }

    /// Tries one plan after the other in one worker, whose SAT solver keeps its learnt clauses from trial to trial.
    pub(crate) fn run_one_worker(&self) {
        self.run_worker_with(None);
    }

    /// [`Self::run_one_worker`], with a SAT solver that exchanges learnt clauses with those of the helpers.
    fn run_worker_with(&self, exchange: Option<Arc<Exchange>>) {
        let _guard = StopOnPanic(&self.control);
        let mut worker = Worker::new(self, exchange);
        let mut sleep = IDLE_SLEEPS[0];
        while !self.control.stopped() {
            let next = {
                let mut selection = lock(&self.selection);
                let next = selection.next();
                self.record_selection(&selection);
                next
            };
            match next {
                Next::Try(trial) => {
                    self.status.set_activity(trial.plan.activity());
                    let ended = worker.run_trial(trial);
                    self.report(trial, ended);
                    sleep = IDLE_SLEEPS[0];
                }
                Next::Wait => sleep = self.sleep(sleep),
                Next::Join | Next::Leave => break,
            }
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Joins shared walks and takes over trials that are for one worker, until no trial is left.
    fn help(&self, exchange: Option<Arc<Exchange>>) {
        let _guard = StopOnPanic(&self.control);
        let mut worker = Worker::new(self, exchange);
        worker.delay_first_question();
        let mut sleep = IDLE_SLEEPS[0];
        while !self.control.stopped() {
            let next = lock(&self.selection).next_for_helper();
            let walk = lock(&self.walk).clone();
            match (next, walk) {
                (Next::Leave, _) => break,
                (Next::Try(trial), _) => {
                    let ended = worker.run_trial(trial);
                    self.report(trial, ended);
                }
                (Next::Join, Some(walk)) => worker.join_walk(&walk),
                // Sweeps and the tree search may have tasks in the pool.
                _ if rayon::yield_now() == Some(rayon::Yield::Executed) => {}
                _ => {
                    sleep = self.sleep(sleep);
                    continue;
                }
            }
            sleep = IDLE_SLEEPS[0];
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Sleeps for this time; returns the time for the next sleep.
    fn sleep(&self, sleep: Duration) -> Duration {
        self.control.poll();
        std::thread::sleep(sleep);
        IDLE_SLEEPS[1].min(2 * sleep)
    }
}

/// Stops the run when its worker panics, as the other workers would wait forever for that worker's share of the walk.
struct StopOnPanic<'c>(&'c Control);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Stop::Interrupt);
        }
    }
}
