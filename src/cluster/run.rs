//! A run on one machine that can be killed at any moment and resumed.
//!
//! The open work is a set of cubes, at first one for the whole puzzle. With the search tree, each thread takes a cube and works on it for
//! one commit interval; then, or earlier if other threads are idle, it is asked to stop, and hands back the cubes that it leaves open. So
//! whatever the shape of the tree, there are answers to record at regular intervals, and every thread gets work. The interval bounds the
//! work that a crash loses: it is short at first, and then a small share of the time since the process started.
//!
//! A count with a component table works on one cube at a time, with all threads. If it is stopped in the middle of a cube, it leaves the
//! whole cube open. So a cube that takes longer than a small share of the time of the run is stopped and cut into pieces. The components
//! of the cube that are counted stay in the table.
//!
//! If a process ends while it works on a cube without a result, the cube is cut too: by this process if it can, otherwise by the next one.
//! So a run makes progress even when its processes are killed again and again.
//!
//! Records are written to the journal every few seconds, and synced to the disk. Where solutions are listed, those of a cube are appended
//! to the list when the cube is handed back. The list is synced before the journal records its length, and anything beyond that length is
//! cut off when the run is resumed.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::cube::Id;
use super::journal::{Attempt, Journal, JournalRecord};
use super::line::seal;
use super::solutions::{DigestSink, SolutionStore};
use super::state::{ActiveCube, Appending, State};
use super::work::{CubeQueue, CubeSolver, Job, Mode, is_unchanged, no_threads};
use crate::error::Result;
use crate::run::{Activity, Control, Limits, Observer, Snapshot, Statistics, TICK, lock};
use crate::search::{Cube, Outcome, Total};
use crate::solutions::{Batch, Count, Stop};

/// Time between checks whether a thread has to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The commit interval, the maximum time that work may go unrecorded: the time since the process started, divided by
/// `COMMIT_INTERVAL_DIVISOR`, but within these bounds.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(50);
const MAX_COMMIT_INTERVAL: Duration = Duration::from_secs(4);
const COMMIT_INTERVAL_DIVISOR: u32 = 20;

/// If a process has worked on a cube for at least this time without a result, the cube is cut into pieces: by this process if it is
/// stopping, otherwise by the next one, which may have no more time.
const MIN_FRUITLESS_TIME: Duration = Duration::from_millis(100);

/// The maximum time of a cube that cannot be stopped in the middle: the time of the run with its earlier processes, divided by
/// `CUBE_TIME_DIVISOR`, but at least `MIN_CUBE_TIME`, so that small counts are not cut. A cube that cannot be cut gets twice the time.
const MIN_CUBE_TIME: Duration = Duration::from_secs(4);
const CUBE_TIME_DIVISOR: u32 = 20;

/// Minimum time that a thread works on a cube before it is asked to share the cube with idle threads.
pub(super) const MIN_SHARING_AGE: Duration = Duration::from_millis(10);

/// Bytes of solutions that a thread buffers before its search is stopped and they are written.
const MAX_BUFFERED_BYTES: u64 = 64 << 20;

/// The longest time that work may go unrecorded at present, in a process that began then.
pub(super) fn commit_interval(began: Instant) -> Duration {
    (began.elapsed() / COMMIT_INTERVAL_DIVISOR).clamp(MIN_COMMIT_INTERVAL, MAX_COMMIT_INTERVAL)
}

/// A journalled run.
#[derive(Debug)]
pub struct JournalledRun<'a> {
    cube_solver: CubeSolver<'a>,
    limits: Limits,
    /// [`MIN_FRUITLESS_TIME`] and [`MIN_CUBE_TIME`], unless a test sets them.
    min_fruitless_time: Duration,
    min_cube_time: Duration,
    state: Mutex<State>,
    /// Notified when open cubes have been added, and when the run ends.
    changed: Condvar,
    /// When this process started the run.
    began: Instant,
}

/// Buffers the solutions of a cube until the cube is handed back.
#[derive(Debug)]
pub struct SolutionBuffer {
    batches: Vec<Batch>,
    /// Bytes of one solution as listed.
    solution_bytes: u64,
    /// Bytes of all solutions in the buffer, as listed.
    bytes: u64,
    /// Asks the search to stop.
    stop: Arc<AtomicBool>,
}

impl SolutionStore for SolutionBuffer {
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop> {
        let more = batch.count().to_u64().unwrap_or(u64::MAX);
        self.bytes = self
            .bytes
            .saturating_add(more.saturating_mul(self.solution_bytes));
        if self.bytes >= MAX_BUFFERED_BYTES {
            // Relaxed: no other data is passed with the flag.
            self.stop.store(true, Ordering::Relaxed);
        }
        self.batches.push(batch);
        ControlFlow::Continue(())
    }
}

impl<'a> JournalledRun<'a> {
    /// Resumes from the records of a journal, as [`Journal::open`] read them. Solutions are listed if there is a list to append to, and
    /// counted otherwise. The limits on time and nodes apply to this process, not to the run as a whole.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the records contradict each other or the list;
    /// [`Kind::Io`](crate::error::Kind::Io) when the list cannot be read or written.
    pub fn new(
        cube_solver: CubeSolver<'a>,
        journal: Journal,
        records: Vec<JournalRecord>,
        list: Option<Appending>,
        limits: Limits,
    ) -> Result<Self> {
        debug_assert_eq!(list.is_some(), cube_solver.mode() == Mode::List);
        let began = Instant::now();
        let stops = Limits::default()
            .time(limits.time)
            .interrupt(limits.interrupt.clone());
        let control = Control::new(&stops, false);
        let mut state = State::resume(journal, records, list, &cube_solver, &control)?;
        state.stopped = control.reason();
        if limits.nodes == Some(0) {
            state.stopped = Some(Stop::Nodes);
        }
        Ok(JournalledRun {
            cube_solver,
            limits,
            min_fruitless_time: MIN_FRUITLESS_TIME,
            min_cube_time: MIN_CUBE_TIME,
            state: Mutex::new(state),
            changed: Condvar::new(),
            began,
        })
    }

    /// Cuts a cube if it has been worked on for this time, and not as usual after some seconds: for tests.
    #[must_use]
    pub fn cut_after(mut self, time: Duration) -> Self {
        (self.min_fruitless_time, self.min_cube_time) = (time, time);
        self
    }

    /// The share of the work that is done, and the number of solutions proved so far. Before [`run`](Self::run), that is the work of
    /// earlier processes.
    pub fn done_and_proved(&self) -> (f64, Count) {
        let state = self.lock();
        (state.share_done(), state.proved.clone())
    }

    /// Works until all cubes are answered, or a limit is reached. The outcome covers all processes of the run, except for statistics
    /// other than nodes, which are not recorded.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the journal or the list cannot be written. The run can be resumed in this case too.
    pub fn run(&self, observer: Option<Observer<'_>>) -> Result<Outcome> {
        let result = std::thread::scope(|threads| {
            let (running, run_ended) = crossbeam::channel::bounded::<()>(0);
            let poll = move || {
                let mut last_shown = Instant::now();
                while run_ended
                    .recv_timeout(POLL_INTERVAL)
                    .is_err_and(|error| error.is_timeout())
                {
                    self.poll();
                    if let Some(observer) = observer
                        && last_shown.elapsed() >= TICK
                    {
                        last_shown = Instant::now();
                        let snapshot = self.snapshot(&self.lock());
                        observer(snapshot);
                    }
                }
            };
            std::thread::Builder::new()
                .spawn_scoped(threads, poll)
                .map_err(no_threads)?;
            let result = self.cube_solver.run(self);
            drop(running);
            result
        });
        let mut state = self.lock();
        state.commit();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        result?;
        if let Some(observer) = observer {
            observer(self.snapshot(&state));
        }
        let complete = state.open.is_empty();
        Ok(Outcome {
            solutions: match complete {
                true => Total::Exactly(state.total.clone()),
                false => Total::AtLeast(state.proved.clone()),
            },
            stopped: match complete {
                true => None,
                false => Some(state.stopped.unwrap_or(Stop::Interrupt)),
            },
            cubes: state.open.iter().map(|open| open.cube.clone()).collect(),
            shares: state.open.iter().map(|open| open.share).collect(),
            done: state.share_done(),
            statistics: Statistics {
                nodes: state.nodes,
                ..Statistics::default()
            },
            elapsed: self.elapsed(&state),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn elapsed(&self, state: &State) -> Duration {
        // Saturating, because the record of a file may hold any duration.
        state.elapsed_before.saturating_add(self.began.elapsed())
    }

    /// The longest time that work may go unrecorded at present.
    fn commit_interval(&self) -> Duration {
        commit_interval(self.began)
    }

    /// The longest time that a cube may be worked on at present, unless it needs more.
    fn max_cube_time(&self, state: &State) -> Duration {
        match self.cube_solver.has_partial_results() {
            true => self.commit_interval(),
            false => (self.elapsed(state) / CUBE_TIME_DIVISOR).max(self.min_cube_time),
        }
    }

    fn snapshot(&self, state: &State) -> Snapshot {
        let counts = || {
            state
                .running
                .iter()
                .filter_map(|active| active.count.as_ref())
        };
        let nodes = counts().map(|count| count.nodes);
        Snapshot {
            share: Some(state.share_done()),
            nodes: nodes.fold(state.nodes, u64::saturating_add),
            solutions: state.proved.clone(),
            activity: counts()
                .next()
                .map_or(Activity::Searching, |count| count.activity),
            elapsed: self.elapsed(state),
        }
    }

    /// The record that a cube was worked on without a result.
    fn attempt(&self, state: &State, cube: &Cube) -> String {
        let puzzle = state.journal.header().puzzle();
        seal(&Attempt {
            id: Id::of(puzzle, cube),
            puzzle,
            elapsed: self.elapsed(state).as_secs_f64(),
            proved: state.proved.clone(),
        })
    }

    /// Called every [`POLL_INTERVAL`]. Asks threads to stop: all of them at a limit, each when its cube has had its time, and the one with
    /// the largest share of the work when others are idle. Commits records that are due.
    fn poll(&self) {
        let mut guard = self.lock();
        let state = &mut *guard;
        // Relaxed, here and below: no other data is passed with the flags.
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if state.stopped.is_none() {
            if self.limits.interrupt.as_ref().is_some_and(is_set) {
                state.stopped = Some(Stop::Interrupt);
            } else if self
                .limits
                .time
                .is_some_and(|time| self.began.elapsed() >= time)
            {
                state.stopped = Some(Stop::Time);
            }
        }
        let stopping = state.stopped.is_some() || state.failed.is_some();
        let max_time = self.max_cube_time(state);
        for active in &state.running {
            if stopping || active.since.elapsed() >= max_time.max(active.open_cube.min_run_time) {
                active.stop.store(true, Ordering::Relaxed);
            }
        }
        if state.idle_threads > 0 && state.open.is_empty() {
            let due = |active: &&ActiveCube| {
                active.since.elapsed() >= MIN_SHARING_AGE.max(active.open_cube.min_run_time)
                    && !is_set(&active.stop)
            };
            let largest = state
                .running
                .iter()
                .filter(due)
                .max_by(|a, b| a.open_cube.share.total_cmp(&b.open_cube.share));
            if let Some(active) = largest {
                active.stop.store(true, Ordering::Relaxed);
            }
        }
        if !self.cube_solver.has_partial_results() {
            self.record_attempts(state);
        }
        if state.last_commit.elapsed() >= self.commit_interval() {
            state.commit();
        }
        if stopping {
            self.changed.notify_all();
        }
    }

    /// Records for each cube, once, that it has been worked on for a while, in case this process is killed before it has a result.
    fn record_attempts(&self, state: &mut State) {
        let is_due = |active: &ActiveCube| {
            !active.is_attempt_recorded && active.since.elapsed() >= self.min_fruitless_time
        };
        while let Some(due) = state.running.iter().position(is_due) {
            let record = self.attempt(state, &state.running[due].open_cube.cube);
            state.running[due].is_attempt_recorded = true;
            state.pending.push_str(&record);
        }
    }
}

impl CubeQueue for JournalledRun<'_> {
    type SolutionStore = SolutionBuffer;

    fn next(&self) -> Option<Job<SolutionBuffer>> {
        let mut state = self.lock();
        let open_cube = loop {
            if state.stopped.is_some() || state.failed.is_some() {
                return None;
            }
            if let Some(open_cube) = state.open.pop() {
                break open_cube;
            }
            if state.running.is_empty() {
                // Nothing is open or running, so no cube will be added. The idle threads are woken so that they end.
                self.changed.notify_all();
                return None;
            }
            state.idle_threads += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle_threads -= 1;
        };
        let stop = Arc::new(AtomicBool::new(false));
        state.last_ticket += 1;
        let ticket = state.last_ticket;
        let limits = Limits {
            interrupt: Some(Arc::clone(&stop)),
            // The threads share the remaining nodes.
            nodes: self.limits.nodes.map(|nodes| {
                (nodes.saturating_sub(state.nodes_spent) / self.cube_solver.parallel_cubes() as u64)
                    .max(1)
            }),
            checks: self.limits.checks,
            ..Limits::default()
        };
        let buffer = SolutionBuffer {
            batches: Vec::new(),
            solution_bytes: state.list.as_ref().map_or(0, |(_, text)| text.each()),
            bytes: 0,
            stop: Arc::clone(&stop),
        };
        let cube = open_cube.cube.clone();
        state.running.push(ActiveCube {
            ticket,
            open_cube,
            since: Instant::now(),
            stop,
            is_attempt_recorded: false,
            count: None,
        });
        Some(Job {
            cube,
            limits,
            sink: DigestSink::new(buffer),
            ticket,
        })
    }

    fn observe(&self, ticket: usize, snapshot: Snapshot) {
        let mut state = self.lock();
        let mut proved = state.total.clone();
        proved += &snapshot.solutions;
        state.raise_bound(proved);
        if let Some(active) = state
            .running
            .iter_mut()
            .find(|active| active.ticket == ticket)
        {
            active.count = Some(snapshot);
        }
    }

    fn submit(&self, job: Job<SolutionBuffer>, outcome: Outcome, solutions_are_usable: bool) {
        let mut state = self.lock();
        let index = state
            .running
            .iter()
            .position(|active| active.ticket == job.ticket)
            .expect("the queue has handed out the job");
        let active = state.running.swap_remove(index);
        let (buffer, set) = job.sink.into_parts();
        state.nodes_spent = (state.nodes_spent).saturating_add(outcome.statistics.nodes);
        let mut outcome = outcome;
        if is_unchanged(&job.cube, &outcome) && outcome.solutions.number().is_zero() {
            let fruitless = active.since.elapsed() >= self.min_fruitless_time;
            if fruitless && !active.is_attempt_recorded || state.proved > state.total {
                // Recorded for the next process, in case this process is killed while it works on the cube again, and for the bound.
                let record = self.attempt(&state, &job.cube);
                state.pending.push_str(&record);
            }
            let can_go_on = self.cube_solver.has_partial_results() && state.stopped.is_none();
            // The cube must be cut if its solutions overfilled the buffer (which an unusable outcome does not tell), if it needs more than a
            // limit allows, or if it has had enough time. A search of the tree only needs more time, unless this process must stop.
            if buffer.bytes >= MAX_BUFFERED_BYTES
                || matches!(outcome.stopped, Some(Stop::Nodes | Stop::Memory))
                || fruitless && !can_go_on
            {
                outcome = self.cube_solver.replace_by_pieces(&job.cube, outcome);
            }
            if is_unchanged(&job.cube, &outcome) {
                let mut open_cube = active.open_cube;
                open_cube.min_run_time = 2 * active.since.elapsed();
                state.nodes = state.nodes.saturating_add(outcome.statistics.nodes);
                if outcome.stopped == Some(Stop::Memory) {
                    state.stopped = state.stopped.or(outcome.stopped);
                }
                state.open.push(open_cube);
                self.finish_job(state, outcome.stopped);
                return;
            }
        }
        let puzzle = state.journal.header().puzzle();
        let listed = solutions_are_usable && self.cube_solver.mode() == Mode::List;
        let mut answer = Answer::new(
            puzzle,
            Id::of(puzzle, &job.cube),
            &outcome,
            listed.then_some(set),
        );
        if solutions_are_usable && let Err(error) = state.append_solutions(&buffer.batches) {
            state.failed = state.failed.take().or(Some(error));
            state.open.push(active.open_cube);
            self.changed.notify_all();
            return;
        }
        answer.length = state.list.is_some().then_some(state.list_bytes);
        answer.elapsed = Some(self.elapsed(&state).as_secs_f64());
        let record = seal(&answer);
        state.pending.push_str(&record);
        state.add_answer(active.open_cube.share, answer);
        let due = state.last_commit.elapsed() >= self.commit_interval();
        if due || state.open.is_empty() && state.running.is_empty() {
            state.commit();
        }
        self.finish_job(state, outcome.stopped);
    }
}

impl JournalledRun<'_> {
    /// Stops the run if this process has used up its limit on nodes, or if a test's limit on checks ended the cube; wakes the idle threads.
    fn finish_job(&self, mut state: MutexGuard<'_, State>, stopped: Option<Stop>) {
        if (self.limits.nodes).is_some_and(|nodes| state.nodes_spent >= nodes) {
            state.stopped = state.stopped.or(Some(Stop::Nodes));
        } else if stopped == Some(Stop::Interrupt) && self.limits.checks.is_some() {
            state.stopped = state.stopped.or(Some(Stop::Interrupt));
        }
        drop(state);
        self.changed.notify_all();
    }
}
