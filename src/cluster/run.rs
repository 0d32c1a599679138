//! A run on one machine that can be killed at any moment and gone on with.
//!
//! What is open are cubes, the whole puzzle at first. Each thread takes one and works on it for a while; then, or when other threads
//! have nothing to do, it is asked to stop and hands back what it has left open. So there is always something to record, and everybody
//! has work, whatever the tree looks like. The while is short at first and then a small share of the time that the process has lived:
//! what a crash costs. It does not matter how long the run has taken before, so that a run gets on that is cut short again and again.
//!
//! A count that looks up what it has counted before cannot be left in the middle so. It keeps track of how far it has come, and what
//! another process needs to go on from there is recorded as often.
//!
//! Records go into the journal every few seconds, and on to the disk. Where solutions are listed, those of a cube are added to the list
//! when it is handed back; the list is on the disk before the journal says how long it is, and what is longer than that is cut off when
//! the run is gone on with.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::cube::Id;
use super::journal::{Journal, JournalRecord, Progress};
use super::line::seal;
use super::solutions::{DigestSink, SolutionStore};
use super::state::{ActiveCube, Appending, State};
use super::work::{CubeQueue, CubeSolver, Job, Task, is_same};
use crate::count::Checkpointer;
use crate::error::Result;
use crate::run::{Activity, Limits, Observer, Snapshot, Statistics, TICK};
use crate::search::{Outcome, Total};
use crate::solutions::{Batch, Count, Stop};

/// How often it is looked whether anybody has to stop.
const LOOK: Duration = Duration::from_millis(5);

/// The shortest and the longest time that work goes unrecorded, and what share of the process's life it may be.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(4);
const SHARE: u32 = 20;

/// When a process has worked on a cube for this long and recorded no result, the next process cuts the cube before it works on it: it may
/// not have more time than the first one.
const FRUITLESS: Duration = Duration::from_millis(250);

/// A thread is not asked to share before it has worked so long.
const BRIEF: Duration = Duration::from_millis(10);

/// Bytes of solutions that a thread keeps before it hands them in.
const FULL: u64 = 64 << 20;

/// A journalled run.
#[derive(Debug)]
pub struct JournalledRun<'a> {
    cube_solver: CubeSolver<'a>,
    /// How far the cube under way has come, where that is a count that cannot be left in the middle.
    checkpointer: Option<Checkpointer>,
    limits: Limits,
    state: Mutex<State>,
    /// Told when there is something to do, or nothing more.
    changed: Condvar,
    began: Instant,
}

/// Keeps the solutions of a cube until it is handed in.
#[derive(Debug)]
pub struct Heap {
    batches: Vec<Batch>,
    /// Bytes of one solution, and of all.
    each: u64,
    bytes: u64,
    /// Asks the search to stop.
    stop: Arc<AtomicBool>,
}

impl SolutionStore for Heap {
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop> {
        let more = batch.count().to_u64().unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(more.saturating_mul(self.each));
        if self.bytes >= FULL {
            // Relaxed: the flag is all there is to know.
            self.stop.store(true, Ordering::Relaxed);
        }
        self.batches.push(batch);
        ControlFlow::Continue(())
    }
}

impl<'a> JournalledRun<'a> {
    /// Goes on with what a journal holds, as [`Journal::open`] read it. Solutions are listed if there is a list to add to, and else
    /// counted. Of the limits, time and nodes are of this part of the run alone.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the records contradict each other, or the list;
    /// [`Kind::Io`](crate::error::Kind::Io) when the list cannot be read or written.
    pub fn new(
        cube_solver: CubeSolver<'a>,
        journal: Journal,
        records: Vec<JournalRecord>,
        list: Option<Appending>,
        limits: Limits,
    ) -> Result<Self> {
        debug_assert_eq!(list.is_some(), cube_solver.task() == Task::List);
        let began = Instant::now();
        let checkpointer = (!cube_solver.divides())
            .then(|| Checkpointer::new(cube_solver.puzzle(), cube_solver.memory()));
        let mut state = State::resume(journal, records, list, &cube_solver, checkpointer.as_ref())?;
        if limits.nodes == Some(0) {
            state.stopped = Some(Stop::Nodes);
        }
        Ok(JournalledRun {
            cube_solver,
            checkpointer,
            limits,
            state: Mutex::new(state),
            changed: Condvar::new(),
            began,
        })
    }

    /// Cubes that were answered by earlier parts of the run, in words for people: the share that is done, and the solutions so far.
    pub fn so_far(&self) -> (f64, Count) {
        let state = self.lock();
        (self.done(&state).0, self.proved(&state))
    }

    /// Works until all is done, or a limit strikes. The outcome is of all parts of the run together, but for the settles and such,
    /// which nobody has written down.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the journal or the list cannot be written. Then, too, it can be gone on with.
    pub fn run(&self, observer: Option<Observer<'_>>) -> Result<Outcome> {
        let worked = std::thread::scope(|threads| {
            let (finished, over) = crossbeam::channel::bounded::<()>(0);
            threads.spawn(move || {
                let mut shown = Instant::now();
                while over
                    .recv_timeout(LOOK)
                    .is_err_and(|error| error.is_timeout())
                {
                    self.look();
                    if let Some(observer) = observer
                        && shown.elapsed() >= TICK
                    {
                        shown = Instant::now();
                        let snapshot = self.snapshot(&self.lock());
                        observer(snapshot);
                    }
                }
            });
            let worked = self.cube_solver.run(self);
            drop(finished);
            worked
        });
        let mut state = self.lock();
        state.commit();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        worked?;
        if let Some(observer) = observer {
            observer(self.snapshot(&state));
        }
        let (done, nodes) = self.done(&state);
        let complete = state.open.is_empty();
        Ok(Outcome {
            solutions: match complete {
                true => Total::Exactly(state.total.clone()),
                false => Total::AtLeast(self.proved(&state)),
            },
            stopped: match complete {
                true => None,
                false => Some(state.stopped.unwrap_or(Stop::Interrupt)),
            },
            cubes: state.open.iter().map(|part| part.cube.clone()).collect(),
            shares: state.open.iter().map(|part| part.share).collect(),
            done,
            statistics: Statistics {
                nodes,
                ..Statistics::default()
            },
            elapsed: self.elapsed(&state),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn elapsed(&self, state: &State) -> Duration {
        state.earlier + self.began.elapsed()
    }

    /// How long work may go unrecorded by now.
    fn pace(&self) -> Duration {
        (self.began.elapsed() / SHARE).clamp(SHORTEST, LONGEST)
    }

    /// Solutions that are proved to be there.
    fn proved(&self, state: &State) -> Count {
        let mut proved = state.total.clone();
        if let Some(checkpointer) = self.checkpointer.as_ref().filter(|_| state.kept.is_some()) {
            proved += &checkpointer.least();
        }
        proved
    }

    /// Share of the work that is finished, and the nodes so far.
    fn done(&self, state: &State) -> (f64, u64) {
        if state.open.is_empty() && state.running.is_empty() {
            return (1.0, state.nodes + state.attempted);
        }
        let mut nodes = state.nodes + state.attempted;
        if let (Some(checkpointer), Some(_)) = (&self.checkpointer, state.kept)
            && !state.running.is_empty()
        {
            nodes += checkpointer.nodes();
        }
        (state.done.clamp(0.0, 1.0), nodes)
    }

    fn snapshot(&self, state: &State) -> Snapshot {
        let (share, nodes) = self.done(state);
        Snapshot {
            // Of a count that is not divided nothing tells how much is left.
            share: (state.kept.is_none() || share > 0.0).then_some(share),
            nodes,
            solutions: self.proved(state),
            activity: Activity::Searching,
            elapsed: self.elapsed(state),
        }
    }

    /// How far a cube has come that is not answered yet, as a record.
    fn progress(&self, state: &State, id: Id, running: bool) -> Progress {
        let more = self.checkpointer.as_ref().filter(|_| running);
        Progress {
            id,
            puzzle: state.journal.header().puzzle(),
            elapsed: self.elapsed(state).as_secs_f64(),
            life: self.began.elapsed().as_secs_f64(),
            nodes: state.attempted + more.map_or(0, |checkpointer| checkpointer.nodes()),
            checkpoint: None,
        }
    }

    /// Records how far the count has come that is kept track of.
    fn record(&self, state: &mut State, running: bool) {
        if let (Some(checkpointer), Some(id)) = (&self.checkpointer, state.kept)
            && let Some(checkpoint) = checkpointer.checkpoint()
        {
            let progress = Progress {
                checkpoint: Some(checkpoint),
                ..self.progress(state, id, running)
            };
            state.pending.push_str(&seal(&progress));
        }
    }

    /// Every now and then: who has worked for long is asked to hand in, and so is the one with the most to do when others have nothing.
    fn look(&self) {
        let mut state = self.lock();
        // Relaxed, here and below: the flags are all there is to know.
        let asked = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if state.stopped.is_none() {
            if self.limits.interrupt.as_ref().is_some_and(asked) {
                state.stopped = Some(Stop::Interrupt);
            } else if self
                .limits
                .time
                .is_some_and(|time| self.began.elapsed() >= time)
            {
                state.stopped = Some(Stop::Time);
            }
        }
        let over = state.stopped.is_some() || state.failed.is_some();
        let (pace, divides) = (self.pace(), self.cube_solver.divides());
        for active in &state.running {
            if over || divides && active.since.elapsed() >= pace.max(active.part.patience) {
                active.stop.store(true, Ordering::Relaxed);
            }
        }
        if state.idle > 0 && state.open.is_empty() {
            let due = |active: &&ActiveCube| {
                active.since.elapsed() >= BRIEF.max(active.part.patience) && !asked(&active.stop)
            };
            let largest = state
                .running
                .iter()
                .filter(due)
                .max_by(|a, b| a.part.share.total_cmp(&b.part.share));
            if let Some(active) = largest {
                active.stop.store(true, Ordering::Relaxed);
            }
        }
        if state.committed.elapsed() >= pace {
            if !state.running.is_empty() {
                self.record(&mut state, true);
            }
            state.commit();
        }
        if over {
            self.changed.notify_all();
        }
    }
}

impl CubeQueue for JournalledRun<'_> {
    type SolutionStore = Heap;

    fn next(&self) -> Option<Job<Heap>> {
        let mut state = self.lock();
        let part = loop {
            if state.stopped.is_some() || state.failed.is_some() {
                return None;
            }
            if let Some(part) = state.open.pop() {
                break part;
            }
            if state.running.is_empty() {
                // Those who wait have nothing to wait for.
                self.changed.notify_all();
                return None;
            }
            state.idle += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        };
        let stop = Arc::new(AtomicBool::new(false));
        state.tickets += 1;
        let ticket = state.tickets;
        if let Some(checkpointer) = &self.checkpointer {
            let id = Id::of(state.journal.header().puzzle(), &part.cube);
            if state.kept.replace(id) != Some(id) {
                checkpointer.restart();
                state.attempted = 0;
            }
        }
        let spent = state.nodes + state.attempted - state.before;
        let limits = Limits {
            interrupt: Some(Arc::clone(&stop)),
            // The threads share what is left.
            nodes: self.limits.nodes.map(|nodes| {
                (nodes.saturating_sub(spent) / self.cube_solver.lanes() as u64).max(1)
            }),
            checks: self.limits.checks,
            ..Limits::default()
        };
        let heap = Heap {
            batches: Vec::new(),
            each: state.list.as_ref().map_or(0, |(_, text)| text.each()),
            bytes: 0,
            stop: Arc::clone(&stop),
        };
        let cube = part.cube.clone();
        state.running.push(ActiveCube {
            ticket,
            part,
            since: Instant::now(),
            stop,
        });
        Some(Job {
            cube,
            limits,
            keeper: DigestSink::new(heap),
            ticket,
        })
    }

    fn checkpointer(&self) -> Option<&Checkpointer> {
        self.checkpointer.as_ref()
    }

    fn take(&self, job: Job<Heap>, outcome: Outcome, counts: bool) {
        let mut state = self.lock();
        let place = state
            .running
            .iter()
            .position(|active| active.ticket == job.ticket)
            .expect("a job that was given out");
        let active = state.running.swap_remove(place);
        let (heap, set) = job.keeper.into_parts();
        let mut outcome = outcome;
        if is_same(&job.cube, &outcome) && outcome.solutions.number().is_zero() {
            let fruitless = self.cube_solver.divides() && active.since.elapsed() >= FRUITLESS;
            // Too much for a heap, or for all the time that there was: it must be cut. Anything else needs more time.
            if heap.bytes >= FULL || fruitless && state.stopped.is_some() {
                outcome = self.cube_solver.pieces(&job.cube, outcome);
            }
            if is_same(&job.cube, &outcome) {
                let id = Id::of(state.journal.header().puzzle(), &job.cube);
                let mut part = active.part;
                part.patience = 2 * active.since.elapsed();
                if self.checkpointer.is_some() {
                    state.attempted += outcome.statistics.nodes;
                    state.stopped = state.stopped.or(outcome.stopped);
                    self.record(&mut state, false);
                } else {
                    state.nodes += outcome.statistics.nodes;
                    if fruitless {
                        // Should the process die while it tries again.
                        let progress = seal(&self.progress(&state, id, false));
                        state.pending.push_str(&progress);
                    }
                }
                state.open.push(part);
                self.after(state, outcome.stopped);
                return;
            }
        }
        let header = state.journal.header().puzzle();
        let listed = counts && self.cube_solver.task() == Task::List;
        let mut answer = Answer::new(
            header,
            Id::of(header, &job.cube),
            &outcome,
            listed.then_some(set),
        );
        if counts && let Err(error) = state.write(&heap.batches) {
            state.failed = state.failed.take().or(Some(error));
            state.open.push(active.part);
            self.changed.notify_all();
            return;
        }
        answer.length = state.list.is_some().then_some(state.length);
        answer.elapsed = Some(self.elapsed(&state).as_secs_f64());
        if let Some(checkpointer) = &self.checkpointer {
            answer.nodes += std::mem::take(&mut state.attempted);
            state.kept = None;
            checkpointer.restart();
        }
        let record = seal(&answer);
        state.pending.push_str(&record);
        state.account(active.part.share, answer);
        let due = state.committed.elapsed() >= self.pace();
        if due || state.open.is_empty() && state.running.is_empty() {
            state.commit();
        }
        self.after(state, outcome.stopped);
    }
}

impl JournalledRun<'_> {
    /// What is to be seen to when a cube has been handed in.
    fn after(&self, mut state: MutexGuard<'_, State>, stopped: Option<Stop>) {
        let spent = state.nodes + state.attempted - state.before;
        if self.limits.nodes.is_some_and(|nodes| spent >= nodes) {
            state.stopped = state.stopped.or(Some(Stop::Nodes));
        } else if stopped == Some(Stop::Interrupt) && self.limits.checks.is_some() {
            state.stopped = state.stopped.or(Some(Stop::Interrupt));
        }
        drop(state);
        self.changed.notify_all();
    }
}
