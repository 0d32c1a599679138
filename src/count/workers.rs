//! The workers of a count and the threads on which they work. A slice of work is a fork-join of all of them.
//!
//! A worker stays on its thread, because its SAT solver cannot leave it. The first worker is on the calling thread. The others have threads of
//! their own, which are started when all workers are first wanted, and sleep between two slices: threads of the pool are left to the tasks
//! of sweeps. A count on one thread starts none.

use std::sync::Arc;
use std::thread::{Builder, Scope};

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};

use super::backbone::Questions;
use super::crew::Crew;
use super::walk::{Walk, Walker};
use crate::line::Word;
use crate::run::{Control, Statistics, memory_plan};
use crate::search::Oracle;
use crate::solutions::Stop;

/// What all workers work on in a slice.
#[derive(Clone, Debug)]
pub(crate) enum Job<W> {
    Walk(Arc<Walk<W>>),
    Backbone(Arc<Questions>),
}

/// The workers of a count.
#[derive(Debug)]
pub(crate) struct Workers<'scope, 'env, 'a, W: Word> {
    crew: &'env Crew<'a, W>,
    scope: &'scope Scope<'scope, 'env>,
    first: Worker<'env, 'a, W>,
    /// For each other thread: the jobs sent to it, and a message when it has done one.
    others: Vec<(Sender<Job<W>>, Receiver<()>)>,
    is_started: bool,
}

impl<'scope, 'env, 'a: 'env, W: Word> Workers<'scope, 'env, 'a, W> {
    /// Calls `work` with the workers of a crew, and ends their threads after it.
    pub(crate) fn scoped<T>(
        crew: &'env Crew<'a, W>,
        work: impl for<'s> FnOnce(&mut Workers<'s, 'env, 'a, W>) -> T,
    ) -> T {
        std::thread::scope(|scope| {
            let mut workers = Workers {
                crew,
                scope,
                first: Worker::new(crew),
                others: Vec::new(),
                is_started: false,
            };
            let result = work(&mut workers);
            workers.first.end();
            result
        })
    }

    /// What the workers share.
    pub(crate) fn crew(&self) -> &'env Crew<'a, W> {
        self.crew
    }

    /// Lets this many workers do a job, at least one, or all if there are no more.
    pub(crate) fn run(&mut self, job: Job<W>, number: usize) {
        if number > 1 {
            self.start();
        }
        let others = &self.others[..(number - 1).min(self.others.len())];
        for (jobs, _) in others {
            // Fails if the thread has panicked; then the run is stopped.
            let _ = jobs.send(job.clone());
        }
        let guard = StopOnPanic(&self.crew.control);
        self.first.run(&job);
        drop(guard);
        for (_, done) in others {
            let _ = done.recv();
        }
    }

    /// Starts the other threads. Of those that the system refuses, the others do the work too.
    fn start(&mut self) {
        if std::mem::replace(&mut self.is_started, true) {
            return;
        }
        for _ in 1..self.crew.workers {
            let (jobs, next_job) = unbounded::<Job<W>>();
            let (done, is_done) = bounded(1);
            let crew = self.crew;
            let thread = move || {
                let _guard = StopOnPanic(&crew.control);
                let mut worker = Worker::new(crew);
                for job in next_job {
                    worker.run(&job);
                    if done.send(()).is_err() {
                        break;
                    }
                }
                worker.end();
            };
            match Builder::new().spawn_scoped(self.scope, thread) {
                Ok(_) => self.others.push((jobs, is_done)),
                Err(_) => return,
            }
        }
    }
}

/// What a thread needs for its part of any job.
#[derive(Debug)]
struct Worker<'c, 'a, W: Word> {
    crew: &'c Crew<'a, W>,
    walker: Walker<'c, 'a, W>,
    oracle: Oracle<'a>,
}

impl<'c, 'a, W: Word> Worker<'c, 'a, W> {
    fn new(crew: &'c Crew<'a, W>) -> Self {
        let memory = memory_plan::SOLVERS.part(crew.memory, crew.workers as u64);
        let oracle = Oracle::new(crew.puzzle, Arc::clone(&crew.control), memory);
        Worker {
            crew,
            walker: Walker::new(crew),
            oracle: oracle.sharing(crew.exchange.clone()),
        }
    }

    fn run(&mut self, job: &Job<W>) {
        match job {
            Job::Walk(walk) => self.walker.walk(walk),
            Job::Backbone(questions) => questions.ask(self.crew, &mut self.oracle),
        }
    }

    /// Adds what it has done to the statistics of the crew.
    fn end(&self) {
        self.crew.add_statistics(&Statistics {
            conflicts: self.oracle.conflicts(),
            ..self.walker.statistics()
        });
    }
}

/// Stops the run when its thread panics, as the other workers would wait for that thread's share of the walk.
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
    use super::*;

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
