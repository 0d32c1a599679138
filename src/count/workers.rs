//! The workers of a count: each asks the contest what to do next, tries a plan, or joins the walk that is under way.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::branch::worker::Worker;
use super::contest::Next;
use super::plan::Ended;
use super::shared::{Shared, lock};
use crate::line::Word;
use crate::search::{Observer, TICK};
use crate::solutions::Count;

/// A worker with nothing to do looks for something after the first time, and then ever more rarely, up to the second: one that waits for
/// another's trial would else take a tenth of a core to look.
const NAPS: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(8)];

impl<W: Word> Shared<'_, W> {
    /// Counts all parts on all threads, and shows the observer ten times a second how far that is. What is done `aside` brings the whole
    /// no further.
    pub(crate) fn work(&self, observer: Option<Observer<'_>>, began: Instant, aside: bool) {
        let Some(observer) = observer else {
            return self.work_unobserved();
        };
        let snapshot = |complete: bool| self.snapshot(began, complete, aside);
        std::thread::scope(|threads| {
            let (finished, ticks) = crossbeam::channel::bounded::<()>(0);
            threads.spawn(move || {
                let ticks = || ticks.recv_timeout(TICK);
                while ticks().is_err_and(|error| error.is_timeout()) {
                    observer(snapshot(false));
                }
            });
            self.work_unobserved();
            drop(finished);
        });
        let over = !aside && lock(&self.contest).is_over();
        let complete = over && self.control.reason().is_none();
        observer(snapshot(complete));
    }

    fn work_unobserved(&self) {
        loop {
            self.closed.store(false, Ordering::Relaxed);
            match self.workers {
                1 => self.take_part(0),
                workers => rayon::scope(|scope| {
                    for index in 0..workers {
                        scope.spawn(move |_| {
                            if !self.closed.load(Ordering::Relaxed) {
                                self.take_part(index);
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
    pub(crate) fn take_part(&self, index: usize) {
        let mut worker = Worker::new(self, index);
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
