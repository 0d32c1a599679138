//! The workers of a count: each asks the plan selection what to do next, and tries a plan or joins the shared walk under way.

use std::sync::Arc;
use std::time::Duration;

use super::selection::Next;
use super::shared::Shared;
use super::walk::worker::Worker;
use crate::line::Word;
use crate::run::{Control, lock};
use crate::sat::Exchange;
use crate::solutions::Stop;

/// The first time for which a worker without work sleeps before it asks again; the time then doubles up to the maximum. Asking takes a few
/// microseconds.
const FIRST_IDLE_SLEEP: Duration = Duration::from_micros(50);
const MAX_IDLE_SLEEP: Duration = Duration::from_millis(1);

/// The maximum while there is a sweep, which has tasks for all threads every few milliseconds.
const MAX_SLEEP_BESIDE_SWEEP: Duration = Duration::from_micros(200);

impl<W: Word> Shared<'_, W> {
    /// Counts all components on all threads: one worker hosts the trials, the others help.
    pub(crate) fn run_workers(&self) {
        let exchange = (self.workers > 1).then(Arc::default);
        match self.workers {
            1 => self.run_one_worker(),
            workers => {
                self.helpers.expect(workers - 1);
                rayon::scope(|scope| {
                    for _ in 1..workers {
                        scope.spawn(|_| {
                            if self.helpers.begin() {
                                self.help(exchange.clone());
                            }
                        });
                    }
                    self.host(exchange.clone());
                });
            }
        }
    }

    /// Tries one plan after the other in one worker, whose SAT solver keeps its learnt clauses from trial to trial.
    pub(crate) fn run_one_worker(&self) {
        self.host(None);
    }

    /// Runs the host. If there is an exchange, its SAT solver exchanges learnt clauses with those of the helpers.
    fn host(&self, exchange: Option<Arc<Exchange>>) {
        let _guard = StopOnPanic(&self.control);
        let mut worker = Worker::new(self, exchange);
        let mut sleep = FIRST_IDLE_SLEEP;
        while !self.control.stopped() {
            let next = {
                let mut selection = lock(&self.selection);
                selection.set_work_left(self.work_left());
                let next = selection.next();
                self.record_selection(&selection);
                next
            };
            match next {
                Next::Try(trial) => {
                    self.status.set_activity(trial.plan.activity());
                    let ended = worker.run_trial(trial);
                    self.report(trial, ended);
                    sleep = FIRST_IDLE_SLEEP;
                }
                Next::Wait => sleep = self.sleep(sleep, MAX_IDLE_SLEEP),
                Next::Join | Next::Leave => break,
            }
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// The nanoseconds of work of all workers until the deadline; infinite without one.
    fn work_left(&self) -> f64 {
        let time_left = self.control.time_left();
        time_left.map_or(f64::INFINITY, |time| {
            time.as_nanos() as f64 * self.workers as f64
        })
    }

    /// Joins shared walks and takes over trials that are for one worker, until no trial is left for now.
    fn help(&self, exchange: Option<Arc<Exchange>>) {
        let _guard = StopOnPanic(&self.control);
        let mut worker = Worker::new(self, exchange);
        worker.delay_first_question();
        let mut sleep = FIRST_IDLE_SLEEP;
        while !self.control.stopped() {
            let (next, is_sweeping) = {
                let mut selection = lock(&self.selection);
                (selection.next_for_helper(), selection.is_sweeping())
            };
            let walk = lock(&self.walk).clone();
            match (next, walk) {
                (Next::Leave, _) => break,
                (Next::Try(trial), _) => {
                    let ended = worker.run_trial(trial);
                    self.report(trial, ended);
                }
                (Next::Join, Some(walk)) => worker.join_walk(&walk),
                // Sweeps and the tree search may have tasks in the pool. A helper that has not begun is a task, too: it would run within
                // this helper, which could not go on before that one leaves, while the thread that was meant for it has nothing to do.
                _ if self.helpers.are_complete()
                    && rayon::yield_now() == Some(rayon::Yield::Executed) => {}
                _ => {
                    let max = match is_sweeping {
                        true => MAX_SLEEP_BESIDE_SWEEP,
                        false => MAX_IDLE_SLEEP,
                    };
                    sleep = self.sleep(sleep, max);
                    continue;
                }
            }
            sleep = FIRST_IDLE_SLEEP;
        }
        lock(&self.statistics).add(&worker.statistics());
    }

    /// Sleeps for this time, or for `max` if that is less; returns the time for the next sleep.
    fn sleep(&self, sleep: Duration, max: Duration) -> Duration {
        self.control.poll();
        std::thread::sleep(sleep.min(max));
        max.min(2 * sleep)
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::options::Method;
    use super::super::plan::TrialEnd;
    use super::super::selection::PlanSelection;
    use super::super::shared::tests::{setup, two_permutations, with_shared};
    use super::*;
    use crate::solutions::Count;

    #[test]
    fn a_helper_counts_what_is_for_one_worker_until_no_component_is_left() {
        let puzzle = two_permutations();
        with_shared(&setup(&puzzle), false, |shared, _| {
            let selection = PlanSelection::new(Method::Auto, 2, 1_000_000_000);
            shared.replace_selection(selection);
            let shared = &shared;
            std::thread::scope(|threads| {
                threads.spawn(|| shared.help(None));
                // The host tries one plan for each component, in vain.
                let mut tried = None;
                loop {
                    let mut selection = lock(&shared.selection);
                    let component = selection.component();
                    if selection.is_over() {
                        break;
                    } else if tried.replace(component) != Some(component)
                        && let Next::Try(trial) = selection.next()
                    {
                        let spent = TrialEnd::Spent {
                            forecast: f64::INFINITY,
                            proved: 0.0,
                            is_recent: false,
                        };
                        selection.report(trial, spent);
                    }
                    drop(selection);
                    shared.sleep(FIRST_IDLE_SLEEP, MAX_IDLE_SLEEP);
                }
            });
            assert_eq!(shared.lower_bound(), Count::from(12));
            assert!(lock(&shared.statistics).nodes > 0);
        });
    }

    #[test]
    fn a_helper_without_work_runs_tasks_unless_one_may_be_a_helper_and_notices_an_interrupt() {
        let puzzle = two_permutations();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.unwrap();
        for (unbegun, closed, has_task, runs_task) in [
            (0, false, true, true),
            (1, true, true, true),
            (1, false, true, false),
            (0, false, false, false),
        ] {
            let interrupt = Arc::new(AtomicBool::new(false));
            let mut setup = setup(&puzzle);
            setup.limits.interrupt = Some(Arc::clone(&interrupt));
            with_shared(&setup, false, |shared, _| {
                shared.helpers.expect(unbegun);
                if closed {
                    shared.helpers.close();
                }
                let (ended, end) = crossbeam::channel::bounded::<()>(0);
                // Without the task, only the interrupt ends the run. If it is not noticed, the test fails instead of waiting forever.
                let interrupted_after = Duration::from_millis(if runs_task { 5000 } else { 20 });
                std::thread::scope(|threads| {
                    let control = &shared.control;
                    threads.spawn(move || {
                        let _ = end.recv_timeout(interrupted_after);
                        interrupt.store(true, Ordering::Relaxed);
                        let _ = end.recv_timeout(Duration::from_secs(5));
                        control.stop(Stop::Stuck);
                    });
                    pool.install(|| {
                        rayon::scope(|scope| {
                            if has_task {
                                scope.spawn(|_| shared.control.stop(Stop::Closed));
                            }
                            shared.help(None);
                        });
                    });
                    drop(ended);
                });
                let expected = if runs_task {
                    Stop::Closed
                } else {
                    Stop::Interrupt
                };
                assert_eq!(shared.control.reason(), Some(expected));
            });
        }
    }

    #[test]
    fn a_worker_without_work_sleeps_longer_each_time() {
        let puzzle = two_permutations();
        with_shared(&setup(&puzzle), false, |shared, _| {
            let max = MAX_IDLE_SLEEP;
            assert_eq!(shared.sleep(FIRST_IDLE_SLEEP, max), 2 * FIRST_IDLE_SLEEP);
            assert_eq!(shared.sleep(max, max), max);
            assert_eq!(shared.sleep(max, FIRST_IDLE_SLEEP), FIRST_IDLE_SLEEP);
        });
    }

    #[test]
    fn the_panic_of_a_worker_stops_the_run() {
        for panics in [false, true] {
            let control = Control::new(&crate::run::Limits::default(), false);
            let work = std::panic::AssertUnwindSafe(|| {
                let _guard = StopOnPanic(&control);
                if panics {
                    std::panic::resume_unwind(Box::new(()));
                }
            });
            assert_eq!(std::panic::catch_unwind(work).is_err(), panics);
            assert_eq!(control.reason(), panics.then_some(Stop::Interrupt));
        }
    }
}
