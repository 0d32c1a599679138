//! The work of a run on one machine, a count, a listing or a census, which can be killed and resumed if it has a journal.
//!
//! The open work is a stack of units, which are cubes or slices of a census; at first there is one for the whole problem. A thread takes a
//! unit, works on it for one commit interval, and hands back its result with the units that it leaves open. It is asked to do so earlier if
//! other threads are idle. So whatever the shape of the tree, there are results to record at regular intervals, and every thread gets work.
//! The interval bounds the work that a crash loses: it is short at first, and then a small part of the time since the process started. Work
//! without a partial result, which leaves the whole unit open if it is stopped, has more time.
//!
//! Records are written to the journal every few seconds, and synced to the disk. A resumed run replays them in order.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{RecvTimeoutError, bounded};

use super::digest::{Digest, Id};
use super::journal::{Attempt, Journal, JournalRecord};
use super::line::seal;
use super::list::SolutionList;
use super::record::{OpenUnit, UnitResult};
use super::unit::WorkUnit;
use super::work::no_threads;
use crate::census::Tally;
use crate::error::{Error, Result};
use crate::run::{Instant, Limits, Observer, Snapshot, TICK, lock};
use crate::solutions::{Count, Stop};

/// Time between checks whether a thread has to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The commit interval, the maximum time that work may go unrecorded: the time since the process started divided by
/// `COMMIT_INTERVAL_DIVISOR`, within these bounds.
const MIN_COMMIT_INTERVAL: Duration = Duration::from_millis(50);
const MAX_COMMIT_INTERVAL: Duration = Duration::from_secs(4);
const COMMIT_INTERVAL_DIVISOR: u32 = 20;

/// An attempt at a unit that takes at least this time without a result is *fruitless*. It is recorded, and the unit is cut: by this process
/// when the unit is handed back, unless the search has partial results and the run goes on, or else by the next process.
const MIN_FRUITLESS_TIME: Duration = Duration::from_millis(100);

/// The maximum time of a unit without a partial result: the time of the run with its earlier processes, divided by
/// `UNIT_TIME_DIVISOR`, but at least `MIN_UNIT_TIME`, so that small counts are not cut. A unit that cannot be cut gets twice the time.
const MIN_UNIT_TIME: Duration = Duration::from_secs(4);
const UNIT_TIME_DIVISOR: u32 = 20;

/// Minimum time that a thread works on a unit before it is asked to hand it back because other threads are idle.
const MIN_HAND_BACK_AGE: Duration = Duration::from_millis(10);

/// The open units of a run, those that threads work on, and its results.
#[derive(Debug)]
pub(super) struct Worklist<U> {
    pub(super) limits: Limits,
    /// Whether a unit that is stopped has a partial result.
    has_partial_results: bool,
    state: Mutex<State<U>>,
    /// Notified when open units have been added, and when the run ends.
    changed: Condvar,
}

/// All mutable state, behind one lock that is taken a few times per unit.
#[derive(Debug)]
pub(super) struct State<U> {
    pub(super) puzzle: Digest,
    journal: Option<Journal>,
    /// The list of solutions, if they are listed.
    pub(super) list: Option<SolutionList>,
    /// The open units, as a stack: taking the last one next keeps their number small.
    pub(super) open: Vec<QueuedUnit<U>>,
    pub(super) running: Vec<RunningUnit<U>>,
    /// Number of threads that wait for a unit.
    pub(super) idle_threads: usize,
    /// Solutions in the results so far, or clue sets.
    pub(super) total: Count,
    /// The best lower bound on the number of solutions, which may include solutions of units that were stopped and have no result.
    pub(super) proved: Count,
    /// The numbers of a census so far.
    pub(super) tally: Tally,
    /// Nodes of the results so far, and of what this process has done without a result.
    pub(super) nodes: u64,
    /// Nodes that this process has spent.
    pub(super) nodes_spent: u64,
    /// Share of the whole problem that is done, from 0 to 1.
    done: f64,
    /// When this process started the run, and the time that earlier processes have taken.
    pub(super) began: Instant,
    elapsed_before: Duration,
    /// Records that are not in the journal yet.
    pending: String,
    /// Time of the last commit.
    last_commit: Instant,
    /// Why the run must stop, if it must.
    pub(super) stopped: Option<Stop>,
    /// The first failure to write the journal or the list.
    pub(super) failed: Option<Error>,
    /// The number of the last job handed out.
    last_ticket: usize,
    /// [`MIN_FRUITLESS_TIME`] and [`MIN_UNIT_TIME`], unless a test sets them.
    pub(super) min_fruitless_time: Duration,
    pub(super) min_unit_time: Duration,
}

/// A unit that is open.
#[derive(Clone, Debug)]
pub(super) struct QueuedUnit<U> {
    pub(super) unit: U,
    /// Estimated share of the work of the whole problem, from 0 to 1.
    pub(super) share_of_whole: f64,
    /// Minimum time that a thread works on the unit before it is asked to hand it back, unless the run is over: twice the time of the last
    /// attempt, if that left the unit unchanged.
    pub(super) min_run_time: Duration,
    /// Whether an earlier process has worked on the unit without a result.
    pub(super) is_fruitless: bool,
}

impl<U> QueuedUnit<U> {
    fn new(unit: U, share_of_whole: f64) -> Self {
        QueuedUnit {
            unit,
            share_of_whole,
            min_run_time: Duration::ZERO,
            is_fruitless: false,
        }
    }
}

/// A unit that a thread works on.
#[derive(Debug)]
pub(super) struct RunningUnit<U> {
    pub(super) ticket: usize,
    pub(super) queued: QueuedUnit<U>,
    pub(super) since: Instant,
    /// Asks the thread to hand back the unit. Relaxed: it publishes no other data.
    stop: Arc<AtomicBool>,
    /// Whether the journal says that the unit was worked on.
    pub(super) is_attempt_recorded: bool,
    /// How far a count of the unit with a component table is.
    pub(super) count: Option<Snapshot>,
}

impl<U: WorkUnit> RunningUnit<U> {
    /// Whether the thread has worked on the unit for this time, and for the time that the unit needs at least.
    fn is_older_than(&self, age: Duration) -> bool {
        self.since.elapsed() >= age.max(self.queued.min_run_time)
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl<U: WorkUnit> Worklist<U> {
    /// The work on the whole problem. If there is a journal, it resumes from the records. `check` refuses records that cannot be true of
    /// their unit.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the records contradict each other or the list;
    /// [`Kind::Io`](crate::error::Kind::Io) when the list cannot be read or truncated.
    pub(super) fn new(
        puzzle: Digest,
        whole: U,
        journal: Option<(Journal, Vec<JournalRecord<U>>)>,
        list: Option<SolutionList>,
        limits: Limits,
        has_partial_results: bool,
        check: impl Fn(&U, &UnitResult<U>) -> Result<()>,
    ) -> Result<Self> {
        let (journal, records) = journal.unzip();
        let mut state = State {
            puzzle,
            journal,
            list,
            open: Vec::new(),
            running: Vec::new(),
            idle_threads: 0,
            total: Count::ZERO,
            proved: Count::ZERO,
            tally: Tally::default(),
            nodes: 0,
            nodes_spent: 0,
            done: 0.0,
            began: Instant::now(),
            elapsed_before: Duration::ZERO,
            pending: String::new(),
            last_commit: Instant::now(),
            stopped: None,
            failed: None,
            last_ticket: 0,
            min_fruitless_time: MIN_FRUITLESS_TIME,
            min_unit_time: MIN_UNIT_TIME,
        };
        state.replay(whole, records.unwrap_or_default(), check)?;
        if let (Some(list), Some(journal)) = (&mut state.list, &state.journal) {
            list.truncate(journal.name())?;
        }
        Ok(Worklist {
            limits,
            has_partial_results,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<U>> {
        lock(&self.state)
    }

    /// Runs `work`, whose threads take units, and meanwhile polls and shows snapshots to the observer.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the journal or the list cannot be written, or no thread can be started.
    pub(super) fn work<T>(
        &self,
        observer: Option<Observer<'_>>,
        snapshot: impl Fn(&State<U>) -> Snapshot + Sync,
        work: impl FnOnce() -> T,
    ) -> Result<T> {
        let result = thread::scope(|threads| {
            let (running, ended) = bounded::<()>(0);
            let snapshot = &snapshot;
            let polling = thread::Builder::new().spawn_scoped(threads, move || {
                let mut last_shown = Instant::now();
                while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    self.poll();
                    if let Some(observer) = observer
                        && last_shown.elapsed() >= TICK
                    {
                        last_shown = Instant::now();
                        let shown = snapshot(&self.lock());
                        observer(shown);
                    }
                }
            });
            polling.map_err(no_threads)?;
            let result = work();
            drop(running);
            Ok(result)
        })?;
        let mut state = self.lock();
        state.commit();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        if let Some(observer) = observer {
            observer(snapshot(&state));
        }
        Ok(result)
    }

    /// Called every [`POLL_INTERVAL`]. Asks threads to hand back their units: all when the run is over; those that have had their time; and
    /// that with the largest share of the work when threads are idle. Records attempts that have become fruitless, and commits if that is
    /// due.
    fn poll(&self) {
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.stopped.is_none() {
            let interrupt = self.limits.interrupt.as_ref();
            // Relaxed: no other data is passed with the flag.
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                state.stopped = Some(Stop::Interrupt);
            } else if (self.limits.time).is_some_and(|time| state.began.elapsed() >= time) {
                state.stopped = Some(Stop::Time);
            }
        }
        let max_time = if self.has_partial_results {
            state.commit_interval()
        } else {
            (state.elapsed() / UNIT_TIME_DIVISOR).max(state.min_unit_time)
        };
        for running in &state.running {
            if state.is_over() || running.is_older_than(max_time) {
                running.stop();
            }
        }
        if state.idle_threads > 0 && state.open.is_empty() {
            let candidates = state.running.iter().filter(|running| {
                running.is_older_than(MIN_HAND_BACK_AGE) && !running.stop.load(Ordering::Relaxed)
            });
            let largest = candidates
                .max_by(|a, b| (a.queued.share_of_whole).total_cmp(&b.queued.share_of_whole));
            if let Some(running) = largest {
                running.stop();
            }
        }
        if !self.has_partial_results {
            for i in 0..state.running.len() {
                let running = &mut state.running[i];
                let is_due = running.since.elapsed() >= state.min_fruitless_time;
                if is_due && !std::mem::replace(&mut running.is_attempt_recorded, true) {
                    let unit = running.queued.unit.clone();
                    state.record_attempt(&unit);
                }
            }
        }
        state.commit_if_due();
        if state.is_over() {
            self.changed.notify_all();
        }
    }

    /// Takes the next open unit, once there is one: its ticket, the unit, and the flag that asks to hand it back. `None` when the run ends.
    pub(super) fn take(&self) -> Option<(usize, U, Arc<AtomicBool>)> {
        let mut state = self.lock();
        loop {
            if state.is_over() {
                return None;
            }
            if let Some(queued) = state.open.pop() {
                return Some(state.start(queued));
            }
            if state.running.is_empty() {
                // Nothing is open or running, so no unit will be added. The idle threads are woken so that they end.
                self.changed.notify_all();
                return None;
            }
            state.idle_threads += 1;
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
            state.idle_threads -= 1;
        }
    }

    /// Wakes the idle threads after a unit was handed back.
    pub(super) fn release(&self, state: MutexGuard<'_, State<U>>) {
        drop(state);
        self.changed.notify_all();
    }
}

impl<U: WorkUnit> State<U> {
    /// Applies the records of a journal, in order.
    fn replay(
        &mut self,
        whole: U,
        records: Vec<JournalRecord<U>>,
        check: impl Fn(&U, &UnitResult<U>) -> Result<()>,
    ) -> Result<()> {
        let name = self.journal.as_ref().map_or("", Journal::name).to_owned();
        // The keys come from a file, which must not be able to make them collide.
        let (mut open, mut order) = (HashMap::new(), 0u64);
        let id = Id::of(self.puzzle, &whole);
        open.insert(id, (order, QueuedUnit::new(whole, 1.0)));
        for (line, record) in (2..).zip(records) {
            let wrong = |error: Error| error.at(line, 1, "").in_file(&name);
            match record {
                JournalRecord::Attempt(attempt) => {
                    let Some((_, queued)) = open.get_mut(&attempt.id) else {
                        return Err(wrong(not_open::<U>(attempt.id)));
                    };
                    queued.is_fruitless = true;
                    self.set_elapsed(attempt.elapsed);
                    self.raise_bound(attempt.proved);
                }
                JournalRecord::Result(result) => {
                    let Some((_, queued)) = open.remove(&result.id) else {
                        return Err(wrong(not_open::<U>(result.id)));
                    };
                    check_open(&queued.unit, &result)
                        .and_then(|()| check(&queued.unit, &result))
                        .map_err(wrong)?;
                    if let Some(elapsed) = result.elapsed {
                        self.set_elapsed(elapsed);
                    }
                    self.add(queued.share_of_whole, result);
                    for queued in self.open.drain(..) {
                        order += 1;
                        open.insert(Id::of(self.puzzle, &queued.unit), (order, queued));
                    }
                }
            }
        }
        let mut open: Vec<_> = open.into_values().collect();
        open.sort_by_key(|&(order, _)| order);
        self.open = open.into_iter().map(|(_, queued)| queued).collect();
        Ok(())
    }

    /// Sets the time of the run so far, in seconds.
    fn set_elapsed(&mut self, seconds: f64) {
        if let Ok(elapsed) = Duration::try_from_secs_f64(seconds) {
            self.elapsed_before = elapsed;
        }
    }

    /// The time of the run, with its earlier processes.
    pub(super) fn elapsed(&self) -> Duration {
        // Saturating, because the record of a file may hold any duration.
        self.elapsed_before.saturating_add(self.began.elapsed())
    }

    /// Whether no further unit is to be started.
    pub(super) fn is_over(&self) -> bool {
        self.stopped.is_some() || self.failed.is_some()
    }

    /// Why the run ended before all units were answered.
    pub(super) fn reason(&self) -> Option<Stop> {
        (!self.open.is_empty()).then(|| self.stopped.unwrap_or(Stop::Interrupt))
    }

    /// The longest time that work may go unrecorded at present.
    fn commit_interval(&self) -> Duration {
        let interval = self.began.elapsed() / COMMIT_INTERVAL_DIVISOR;
        interval.clamp(MIN_COMMIT_INTERVAL, MAX_COMMIT_INTERVAL)
    }

    /// The share of the work of the whole problem that is done, from 0 to 1.
    pub(super) fn share_done(&self) -> f64 {
        if self.open.is_empty() && self.running.is_empty() {
            1.0
        } else {
            self.done.clamp(0.0, 1.0)
        }
    }

    /// Raises the lower bound on the number of solutions, if `proved` is higher.
    pub(super) fn raise_bound(&mut self, proved: Count) {
        if self.proved < proved {
            self.proved = proved;
        }
    }

    /// Hands out a unit.
    fn start(&mut self, queued: QueuedUnit<U>) -> (usize, U, Arc<AtomicBool>) {
        self.last_ticket += 1;
        let stop = Arc::new(AtomicBool::new(false));
        let unit = queued.unit.clone();
        self.running.push(RunningUnit {
            ticket: self.last_ticket,
            queued,
            since: Instant::now(),
            stop: Arc::clone(&stop),
            is_attempt_recorded: false,
            count: None,
        });
        (self.last_ticket, unit, stop)
    }

    /// Takes back the unit with this ticket.
    pub(super) fn end(&mut self, ticket: usize) -> RunningUnit<U> {
        let mut running = self.running.iter();
        let index = running.position(|running| running.ticket == ticket);
        let index = index.expect("the run has handed out this ticket");
        self.running.swap_remove(index)
    }

    /// Adds a result to the totals, and its open units to the stack. `share_of_whole` is that of its unit.
    fn add(&mut self, share_of_whole: f64, result: UnitResult<U>) {
        self.total += &result.count;
        self.raise_bound(self.total.clone());
        if let Some(tally) = &result.tally {
            self.tally.add(tally);
        }
        // Saturating, because the record of a file may hold any number.
        self.nodes = self.nodes.saturating_add(result.nodes);
        let open_share: f64 = result.open.iter().map(|open| open.share).sum();
        self.done += share_of_whole * (1.0 - open_share).max(0.0);
        for OpenUnit { unit, share } in result.open {
            self.open
                .push(QueuedUnit::new(unit, share_of_whole * share));
        }
    }

    /// Records a result that was found in this process, and adds it as [`add`](Self::add) does.
    pub(super) fn record(&mut self, share_of_whole: f64, mut result: UnitResult<U>) {
        if self.journal.is_some() {
            result.length = self.list.as_ref().map(|list| list.length);
            result.elapsed = Some(self.elapsed().as_secs_f64());
            self.pending.push_str(&seal(&result));
        }
        self.add(share_of_whole, result);
    }

    /// Records that a unit has been worked on without a result, in case this process is killed before it has one.
    pub(super) fn record_attempt(&mut self, unit: &U) {
        self.pending.push_str(&seal(&Attempt {
            id: Id::of(self.puzzle, unit),
            puzzle: self.puzzle,
            elapsed: self.elapsed().as_secs_f64(),
            proved: self.proved.clone(),
        }));
    }

    /// Commits if the last commit is a commit interval ago.
    pub(super) fn commit_if_due(&mut self) {
        if self.last_commit.elapsed() >= self.commit_interval() {
            self.commit();
        }
    }

    /// Appends the pending records to the journal, after syncing the list to the disk.
    fn commit(&mut self) {
        self.last_commit = Instant::now();
        if let Some(journal) = &mut self.journal
            && !self.pending.is_empty()
            && self.failed.is_none()
        {
            let pending = std::mem::take(&mut self.pending);
            let synced = self.list.as_ref().map_or(Ok(()), SolutionList::sync);
            self.failed = synced.and_then(|()| journal.append(&pending)).err();
        }
    }
}

/// The error of a record of a unit that is not open.
fn not_open<U: WorkUnit>(id: Id) -> Error {
    let unit = U::in_words(id);
    Error::data(format!("{unit} was not open when this record was written"))
}

/// Checks that the units that a result leaves open are disjoint parts of its unit.
fn check_open<U: WorkUnit>(unit: &U, result: &UnitResult<U>) -> Result<()> {
    let (name, subject) = (U::NAME, U::in_words(result.id));
    let open = result.open_units();
    let message = if !open.iter().all(|open| unit.contains(open)) {
        format!("this record leaves a {name} open that is not part of {subject}")
    } else if !U::overlapping(&open).is_empty() {
        format!("the {name}s that this record leaves open in {subject} overlap")
    } else {
        return Ok(());
    };
    Err(Error::data(message))
}
