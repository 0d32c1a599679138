//! A count or a listing on one machine that can be killed at any moment and resumed.
//!
//! A count with a component table works on one cube at a time, with all threads, and has no partial result. So a cube that takes longer
//! than a small share of the time of the run is stopped and cut into pieces. The components of the cube that are counted stay in the table.
//!
//! If a process ends while it works on a cube without a result, the cube is cut too: by this process if it can, otherwise by the next one.
//! So a run makes progress even when its processes are killed again and again.
//!
//! Where solutions are listed, those of a cube are appended to the list when the cube is handed back.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use super::journal::{Journal, JournalRecord};
use super::list::SolutionList;
use super::record::{UnitResult, check_inside};
use super::solutions::{DigestSink, SolutionStore};
use super::work::{CubeQueue, CubeSolver, Job, Mode, is_unchanged, unsearched};
use super::worklist::{QueuedUnit, RunningUnit, State, Worklist};
use crate::error::{Error, Result};
use crate::run::{Control, Limits, Observer, Snapshot, Statistics};
use crate::search::{Cube, Outcome, Total};
use crate::solutions::{Batch, Count, Stop};

/// Bytes of solutions that a thread buffers before its search is stopped and they are written.
const MAX_BUFFERED_BYTES: u64 = 64 << 20;

/// A journalled run.
#[derive(Debug)]
pub struct JournalledRun<'a> {
    cube_solver: CubeSolver<'a>,
    worklist: Worklist<Cube>,
}

/// Buffers the solutions of a cube until the cube is handed back.
#[derive(Debug)]
pub(super) struct SolutionBuffer {
    batches: Vec<Batch>,
    /// Bytes of one solution as listed.
    solution_bytes: u64,
    /// Bytes of all solutions in the buffer, as listed.
    bytes: u64,
    /// Asks the search to stop.
    stop: Arc<AtomicBool>,
}

impl SolutionBuffer {
    fn is_full(&self) -> bool {
        self.bytes >= MAX_BUFFERED_BYTES
    }
}

impl SolutionStore for SolutionBuffer {
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop> {
        let more = batch.count().to_u64().unwrap_or(u64::MAX);
        let more_bytes = more.saturating_mul(self.solution_bytes);
        self.bytes = self.bytes.saturating_add(more_bytes);
        if self.is_full() {
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
        list: Option<SolutionList>,
        limits: Limits,
    ) -> Result<Self> {
        debug_assert_eq!(list.is_some(), cube_solver.mode == Mode::List);
        let puzzle = cube_solver.puzzle;
        let stops = Limits::default()
            .time(limits.time)
            .interrupt(limits.interrupt.clone());
        let control = Control::new(&stops, false);
        let worklist = Worklist::new(
            journal.header().puzzle(),
            Cube::default(),
            Some((journal, records)),
            list,
            limits,
            cube_solver.has_partial_results(),
            |cube, result| {
                if result.open_units().contains(&cube) && !result.count.is_zero() {
                    let what = format!("this record has solutions of cube {}", result.id);
                    return Err(Error::data(what + ", but leaves the whole cube open"));
                }
                (result.open_units().iter()).try_for_each(|open| check_inside(puzzle, open))
            },
        )?;
        let journalled = JournalledRun {
            cube_solver,
            worklist,
        };
        let mut state = journalled.worklist.lock();
        journalled.cut_fruitless(&mut state, &control);
        state.stopped = control.reason();
        if journalled.worklist.limits.nodes == Some(0) {
            state.stopped = Some(Stop::Nodes);
        }
        drop(state);
        Ok(journalled)
    }

    /// Cuts the cubes on which an earlier process has worked without a result, until the run is stopped, and records that now and then.
    fn cut_fruitless(&self, state: &mut State<Cube>, control: &Control) {
        for queued in std::mem::take(&mut state.open) {
            let mut outcome = unsearched(&queued.unit);
            if queued.is_fruitless && state.failed.is_none() && !control.poll() {
                outcome = self.cube_solver.replace_by_pieces(&queued.unit, outcome);
            }
            if is_unchanged(&queued.unit, &outcome) {
                state.open.push(queued);
                continue;
            }
            let result = UnitResult::new(state.puzzle, &queued.unit, &outcome, None);
            state.record(queued.share_of_whole, result);
            state.commit_if_due();
        }
    }

    /// Cuts a cube if it has been worked on for this time, and not as usual after some seconds: for tests.
    #[must_use]
    pub fn cut_after(self, time: Duration) -> Self {
        let mut state = self.worklist.lock();
        (state.min_fruitless_time, state.min_unit_time) = (time, time);
        drop(state);
        self
    }

    /// The share of the work that is done, and the number of solutions proved so far, with those of earlier processes.
    pub fn done_and_proved(&self) -> (f64, Count) {
        let state = self.worklist.lock();
        (state.share_done(), state.proved.clone())
    }

    /// Works until all cubes are answered, or a limit is reached. The outcome covers all processes of the run, except for statistics
    /// other than nodes, which are not recorded.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the journal or the list cannot be written. The run can be resumed in this case too.
    pub fn run(&self, observer: Option<Observer<'_>>) -> Result<Outcome> {
        self.worklist
            .work(observer, snapshot, || self.cube_solver.run(self))??;
        let state = self.worklist.lock();
        let stopped = state.reason();
        Ok(Outcome {
            solutions: match stopped {
                None => Total::Exactly(state.total.clone()),
                Some(_) => Total::AtLeast(state.proved.clone()),
            },
            stopped,
            cubes: state.open.iter().map(|open| open.unit.clone()).collect(),
            shares: state.open.iter().map(|open| open.share_of_whole).collect(),
            done: state.share_done(),
            statistics: Statistics {
                nodes: state.nodes,
                ..Statistics::default()
            },
            elapsed: state.elapsed(),
        })
    }

    /// Cuts a cube that was handed back unchanged, if that is better than to work on it again. Records the attempt for the next process.
    fn cut_if_fruitless(
        &self,
        state: &mut State<Cube>,
        running: &RunningUnit<Cube>,
        overfilled: bool,
        outcome: Outcome,
    ) -> Outcome {
        let cube = &running.queued.unit;
        let fruitless = running.since.elapsed() >= state.min_fruitless_time;
        if fruitless && !running.is_attempt_recorded || state.proved > state.total {
            state.record_attempt(cube);
        }
        let can_go_on = self.cube_solver.has_partial_results() && state.stopped.is_none();
        // The cube must be cut if its solutions overfilled the buffer (which an unusable outcome does not tell), if it needs more than a
        // limit allows, or if it has had enough time. A search of the tree only needs more time, unless this process must stop.
        if overfilled
            || matches!(outcome.stopped, Some(Stop::Nodes | Stop::Memory))
            || fruitless && !can_go_on
        {
            return self.cube_solver.replace_by_pieces(cube, outcome);
        }
        outcome
    }

    /// Stops the run if this process has used up its limit on nodes, or if a test's limit on checks ended the cube; wakes the idle threads.
    fn release(&self, mut state: MutexGuard<'_, State<Cube>>, stopped: Option<Stop>) {
        let limits = &self.worklist.limits;
        if (limits.nodes).is_some_and(|nodes| state.nodes_spent >= nodes) {
            state.stopped = state.stopped.or(Some(Stop::Nodes));
        } else if stopped == Some(Stop::Interrupt) && limits.checks.is_some() {
            state.stopped = state.stopped.or(Some(Stop::Interrupt));
        }
        self.worklist.release(state);
    }
}

fn snapshot(state: &State<Cube>) -> Snapshot {
    let running = state.running.iter();
    let mut counts = running.filter_map(|running| running.count.as_ref());
    let nodes = counts.clone().map(|count| count.nodes);
    Snapshot {
        share: Some(state.share_done()),
        nodes: nodes.fold(state.nodes, u64::saturating_add),
        solutions: state.proved.clone(),
        activity: counts
            .next()
            .map(|count| count.activity)
            .unwrap_or_default(),
        elapsed: state.elapsed(),
    }
}

impl CubeQueue for JournalledRun<'_> {
    type SolutionStore = SolutionBuffer;

    fn next(&self) -> Option<Job<SolutionBuffer>> {
        let (ticket, cube, stop) = self.worklist.take()?;
        let state = self.worklist.lock();
        // The threads share the remaining nodes.
        let nodes = self.worklist.limits.nodes.map(|nodes| {
            let left = nodes.saturating_sub(state.nodes_spent);
            (left / self.cube_solver.parallel_cubes() as u64).max(1)
        });
        let limits = Limits {
            interrupt: Some(Arc::clone(&stop)),
            nodes,
            checks: self.worklist.limits.checks,
            ..Limits::default()
        };
        let buffer = SolutionBuffer {
            batches: Vec::new(),
            solution_bytes: state.list.as_ref().map_or(0, SolutionList::solution_bytes),
            bytes: 0,
            stop,
        };
        Some(Job {
            cube,
            limits,
            sink: DigestSink::new(buffer),
            ticket,
        })
    }

    fn observe(&self, ticket: usize, snapshot: Snapshot) {
        let mut state = self.worklist.lock();
        let mut proved = state.total.clone();
        proved += &snapshot.solutions;
        state.raise_bound(proved);
        let mut running = state.running.iter_mut();
        if let Some(running) = running.find(|running| running.ticket == ticket) {
            running.count = Some(snapshot);
        }
    }

    fn submit(&self, job: Job<SolutionBuffer>, mut outcome: Outcome, solutions_are_usable: bool) {
        let mut state = self.worklist.lock();
        let running = state.end(job.ticket);
        let (buffer, set) = job.sink.into_parts();
        state.nodes_spent = (state.nodes_spent).saturating_add(outcome.statistics.nodes);
        if is_unchanged(&job.cube, &outcome) && outcome.solutions.number().is_zero() {
            outcome = self.cut_if_fruitless(&mut state, &running, buffer.is_full(), outcome);
            if is_unchanged(&job.cube, &outcome) {
                state.open.push(QueuedUnit {
                    min_run_time: 2 * running.since.elapsed(),
                    ..running.queued
                });
                state.nodes = state.nodes.saturating_add(outcome.statistics.nodes);
                if outcome.stopped == Some(Stop::Memory) {
                    state.stopped = state.stopped.or(outcome.stopped);
                }
                return self.release(state, outcome.stopped);
            }
        }
        if solutions_are_usable
            && let Some(list) = &mut state.list
            && let Err(error) = list.append(&buffer.batches)
        {
            state.failed = state.failed.take().or(Some(error));
            state.open.push(running.queued);
            return self.worklist.release(state);
        }
        let is_listed = solutions_are_usable && self.cube_solver.mode == Mode::List;
        let set = is_listed.then_some(set);
        let result = UnitResult::new(state.puzzle, &job.cube, &outcome, set);
        state.record(running.queued.share_of_whole, result);
        state.commit_if_due();
        self.release(state, outcome.stopped);
    }
}
