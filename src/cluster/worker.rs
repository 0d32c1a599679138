//! What a worker does: it reads cubes, or slices of a census, and answers one after the other on each of its threads.

use std::io::{BufReader, Read};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, bounded};

use super::digest::Digest;
use super::line::RecordReader;
use super::record::{UnitResult, UnitTask};
use super::solutions::{DigestSink, SolutionStore};
use super::unit::WorkUnit;
use super::work::{CubeQueue, CubeSolver, Job, Mode, no_threads};
use crate::census::{Slice, Sweeper, Tables};
use crate::error::Result;
use crate::run::{Instant, Limits};
use crate::search::{Cube, Outcome};

/// Number of tasks that are read ahead.
const READ_AHEAD: usize = 64;

/// Time that a thread waits for a task between two checks of whether the work is over.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The tasks of a worker. They are read ahead of their turn, on a thread of its own, as reading a pipe may block for ever.
#[derive(Debug)]
pub struct TaskReader<U> {
    tasks: Receiver<Result<UnitTask<U>>>,
}

impl<U: WorkUnit> TaskReader<U> {
    /// Begins to read tasks, each of which has to pass this check; `file` is the name of the input in errors.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the thread cannot be started.
    pub fn start(
        input: impl Read + Send + 'static,
        file: &str,
        check: impl Fn(&UnitTask<U>) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let (sender, tasks) = bounded(READ_AHEAD);
        let mut records = RecordReader::new(BufReader::new(input), file);
        let reading = thread::Builder::new().spawn(move || {
            while let Some(task) = records.record::<UnitTask<U>>() {
                let checked = task.and_then(|task| match check(&task) {
                    Ok(()) => Ok(task),
                    Err(error) => Err(records.at_last_line(error)),
                });
                if sender.send(checked).is_err() {
                    break;
                }
            }
        });
        reading.map_err(no_threads)?;
        Ok(TaskReader { tasks })
    }

    /// The next task, or the error in its line; `None` at the end, and once the work `is_over`, which is asked regularly.
    pub fn next(&self, is_over: impl Fn() -> bool) -> Option<Result<UnitTask<U>>> {
        while !is_over() {
            match self.tasks.recv_timeout(POLL_INTERVAL) {
                Ok(task) => return Some(task),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

/// The cubes that a worker answers, each with a store for its solutions, and what takes the results.
struct Answering<'a, N, D> {
    solver: &'a CubeSolver<'a>,
    puzzle: Digest,
    limits: &'a Limits,
    next: N,
    done: D,
}

impl<S, N, D> CubeQueue for Answering<'_, N, D>
where
    S: SolutionStore,
    N: Fn() -> Option<(Cube, S)> + Sync,
    D: Fn(UnitResult, S) + Sync,
{
    type SolutionStore = S;

    fn next(&self) -> Option<Job<S>> {
        let (cube, store) = (self.next)()?;
        Some(Job {
            cube,
            limits: self.limits.clone(),
            sink: DigestSink::new(store),
            ticket: 0,
        })
    }

    fn submit(&self, job: Job<S>, outcome: Outcome, solutions_are_usable: bool) {
        let outcome = self.solver.cut(&job.cube, outcome);
        let (store, set) = job.sink.into_parts();
        let is_listed = solutions_are_usable && self.solver.mode == Mode::List;
        let set = is_listed.then_some(set);
        let result = UnitResult::new(self.puzzle, &job.cube, &outcome, set);
        (self.done)(result, store);
    }
}

impl CubeSolver<'_> {
    /// Answers the cubes that `next` returns, until it returns none, each within these limits. The solutions of a cube are passed to the
    /// store beside it, and `done` takes the store with the result. If the result has no digest of a set, the solutions are not to be used.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the threads cannot be started.
    pub fn answer_each<S: SolutionStore>(
        &self,
        limits: &Limits,
        next: impl Fn() -> Option<(Cube, S)> + Sync,
        done: impl Fn(UnitResult, S) + Sync,
    ) -> Result<()> {
        self.run(&Answering {
            solver: self,
            puzzle: Digest::of(self.puzzle),
            limits,
            next,
            done,
        })
    }
}

/// Works out the slices that `next` returns, until it returns none, each within these limits and on one thread. The result is that of a
/// slice, or a message if the engine contradicts the enumeration. It runs on the threads of the current rayon pool.
pub fn answer_slices(
    limits: &Limits,
    next: impl Fn() -> Option<Slice> + Sync,
    done: impl Fn(std::result::Result<UnitResult<Slice>, String>) + Sync,
) {
    rayon::broadcast(|context| {
        let threads = context.num_threads() as u64;
        let memory = limits.memory.map_or(u64::MAX, |memory| memory / threads);
        while let Some(slice) = next() {
            let started = Instant::now();
            let tables = Tables::new(slice.census());
            let swept = Sweeper::new(&tables, memory).sweep(&slice, limits, |_| false);
            done(swept.map(|(tally, ended)| {
                let open = ended.rest(&slice).into_iter().collect();
                UnitResult::of_slice(&slice, tally, open, ended.stopped(), started.elapsed())
            }));
        }
    });
}
