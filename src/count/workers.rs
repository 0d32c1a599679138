//! The workers of a count: each asks the contest what to do next, tries a plan, or joins the walk that is under way.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::branch::worker::Worker;
use super::contest::Next;
use super::plan::Ended;
use super::shared::{Shared, lock};
use crate::line::Word;
use crate::run::Control;
use crate::solutions::{Count, Stop};

/// A worker with nothing to do looks for something after the first time, and then ever more rarely, up to the second: one that waits for
/// another's trial would else take a tenth of a core to look.
const NAPS: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(8)];

impl<W: Word> Shared<'_, W> {
    /// Counts all parts on all threads.
    pub(crate) fn work(&self) {
        loop {
            self.closed.store(false, Ordering::Relaxed);
            match self.workers {
                1 => self.take_part(),
                workers => rayon::scope(|scope| {
                    for _ in 0..workers {
                        scope.spawn(move |_| {
                            if !self.closed.load(Ordering::Relaxed) {
                                self.take_part();
                            }
                        });
                    }
                }),
            }
            if !lock(&self.contest).regroup() || self.control.stopped() {
                break;
            }
        }
    }

    /// One worker's part in it.
    pub(crate) fn take_part(&self) {
        let _others = Others(&self.control);
        let mut worker = Worker::new(self);
        let mut nap = NAPS[0];
        loop {
            let next = {
                let mut contest = lock(&self.contest);
                let next = contest.next();
                self.note(&contest);
                next
            };
            let trial = match next {
                None => break,
                Some(Next::Try(trial)) => trial,
                Some(next) => {
                    nap = match self.help(&mut worker, matches!(next, Next::Help)) {
                        true => NAPS[0],
                        false => {
                            std::thread::sleep(nap);
                            NAPS[1].min(2 * nap)
                        }
                    };
                    if self.control.stopped() {
                        break;
                    }
                    continue;
                }
            };
            self.status.begin(trial.plan.activity());
            let ended = worker.try_out(trial);
            let stopped = matches!(ended, Ended::Stopped);
            let mut contest = lock(&self.contest);
            let part = contest.report(trial, ended);
            if self.store.is_outgrown() {
                contest.halt();
            }
            self.note(&contest);
            if contest.is_void() {
                // No solution of this part, none at all.
                self.control.settle();
                break;
            }
            if part != trial.part {
                // Still under the contest's lock: whoever reads both sees the part and its bound together.
                *lock(&self.bound) = Count::ZERO;
            }
            drop(contest);
            self.status.raise(self.proved());
            if stopped {
                break;
            }
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Joins the walk that is under way, if that is `wanted`; else sweeps may have something to do. Was there anything?
    fn help(&self, worker: &mut Worker<'_, '_, W>, wanted: bool) -> bool {
        let walk = lock(&self.walk).clone().filter(|_| wanted);
        match walk {
            Some(walk) => {
                worker.help(&walk);
                true
            }
            None => {
                self.control.look();
                rayon::yield_now() == Some(rayon::Yield::Executed)
            }
        }
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
