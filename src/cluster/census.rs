//! A census on the threads of one machine, with or without a journal.
//!
//! The open work is a set of slices. A thread takes one and works on it for a commit interval, or until other threads are idle. Then it
//! hands back the numbers of the tuples that are done, and the rest of the slice, which stays open. With a journal every answer is
//! recorded, in the same form as in a file of results, and written and synced at the same intervals as in a [journalled
//! run](super::JournalledRun). A tuple that was stopped in the middle is in no answer, so nothing is lost or counted twice.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::answer::{Answer, Open};
use super::cube::Id;
use super::digest::Digest;
use super::journal::{Journal, JournalRecord};
use super::line::seal;
use super::part::Part;
use super::run::{MIN_SHARING_AGE, commit_interval};
use crate::census::{Census, Ended, Slice, Sweeper, Tables, Tally, cut};
use crate::error::{Error, Kind, Result};
use crate::run::{Activity, Limits, Observer, Snapshot, lock, ticking};
use crate::solutions::{Count, Stop};

/// Slices for each thread at the beginning.
const SLICES_PER_THREAD: usize = 16;

/// A census on the threads of one machine.
#[derive(Debug)]
pub struct CensusRun<'a> {
    tables: &'a Tables,
    census: Census,
    limits: Limits,
    state: Mutex<State>,
    /// Notified when slices have been added, and when the run ends.
    changed: Condvar,
    /// Number of threads that wait for a slice. Relaxed: a hint to share work, which publishes nothing.
    idle: AtomicUsize,
    /// Pictures and clue sets of all finished tuples. Relaxed: sums that are only shown.
    pictures: AtomicU64,
    clue_sets: AtomicU64,
    began: Instant,
}

/// What changes, behind one lock that is taken twice for each slice.
#[derive(Debug)]
struct State {
    journal: Option<Journal>,
    /// The open slices, as a stack.
    open: Vec<Slice>,
    /// Number of slices that threads work on.
    running: usize,
    tally: Tally,
    /// Time that earlier processes of the run have taken.
    elapsed_before: Duration,
    /// Records that are not in the journal yet.
    pending: String,
    last_commit: Instant,
    stopped: Option<Stop>,
    failed: Option<Error>,
    disagreement: Option<String>,
}

/// How a census ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CensusOutcome {
    /// The numbers: of all clue sets, or if the run was stopped of those that are done.
    pub tally: Tally,
    /// Why the run stopped, if it did.
    pub stopped: Option<Stop>,
    /// What is wrong, if the engine contradicts the enumeration, or the numbers do not add up to all pictures.
    pub disagreement: Option<String>,
    /// Duration of the run, with those of its earlier processes.
    pub elapsed: Duration,
}

impl<'a> CensusRun<'a> {
    /// A census that resumes from the records of its journal, if it has one, as [`Journal::open`] read them. The limits on time and memory
    /// apply to this process.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`] when the records contradict each other.
    pub fn new(
        census: Census,
        tables: &'a Tables,
        journal: Option<(Journal, Vec<JournalRecord<Slice>>)>,
        limits: Limits,
    ) -> Result<Self> {
        let (journal, records) = match journal {
            Some((journal, records)) => (Some(journal), records),
            None => (None, Vec::new()),
        };
        let mut state = State {
            journal,
            open: vec![Slice::whole(census)],
            running: 0,
            tally: Tally::default(),
            elapsed_before: Duration::ZERO,
            pending: String::new(),
            last_commit: Instant::now(),
            stopped: None,
            failed: None,
            disagreement: None,
        };
        state.replay(census, records)?;
        Ok(CensusRun {
            tables,
            census,
            limits,
            idle: AtomicUsize::new(0),
            pictures: AtomicU64::new(state.tally.pictures),
            clue_sets: AtomicU64::new(state.tally.clue_sets),
            state: Mutex::new(state),
            changed: Condvar::new(),
            began: Instant::now(),
        })
    }

    /// The share of the pictures that is done, from 0 to 1, and the number of clue sets so far.
    pub fn done(&self) -> (f64, u64) {
        let pictures = self.pictures.load(Ordering::Relaxed);
        (
            pictures as f64 / self.census.pictures() as f64,
            self.clue_sets.load(Ordering::Relaxed),
        )
    }

    /// Works on the threads of the current rayon pool until all slices are done, or a limit is reached.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when the journal cannot be written. The run can be resumed in this case too.
    pub fn run(&self, observer: Option<Observer<'_>>) -> Result<CensusOutcome> {
        self.cut_whole();
        let work = || {
            rayon::broadcast(|context| self.work(context.num_threads()));
        };
        match observer {
            Some(observer) => ticking(|| observer(self.snapshot()), work),
            None => work(),
        }
        let mut state = lock(&self.state);
        state.commit();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        let complete = state.open.is_empty();
        let (counted, all) = (state.tally.pictures, self.census.pictures());
        let is_wrong = complete && (counted != all || !state.tally.is_consistent());
        let missing = || {
            let slips = "these numbers are wrong";
            format!("{slips}: their clue sets stand for {counted} pictures, but there are {all}")
        };
        let found = state.disagreement.take();
        Ok(CensusOutcome {
            tally: state.tally.clone(),
            stopped: (!complete).then(|| state.stopped.unwrap_or(Stop::Interrupt)),
            disagreement: found.or_else(|| is_wrong.then(missing)),
            elapsed: self.elapsed(&state),
        })
    }

    fn elapsed(&self, state: &State) -> Duration {
        // Saturating, because the record of a file may hold any duration.
        state.elapsed_before.saturating_add(self.began.elapsed())
    }

    fn snapshot(&self) -> Snapshot {
        let (share, clue_sets) = self.done();
        Snapshot {
            share: Some(share),
            nodes: clue_sets,
            solutions: Count::from(clue_sets),
            activity: Activity::Census,
            elapsed: self.elapsed(&lock(&self.state)),
        }
    }

    /// Cuts the census if it is still whole.
    fn cut_whole(&self) {
        let mut state = lock(&self.state);
        let whole = Slice::whole(self.census);
        if state.open != [whole] {
            return;
        }
        let slices = SLICES_PER_THREAD * rayon::current_num_threads();
        let slices = cut(self.tables, slices, 1).into_iter();
        let open: Vec<Slice> = slices.map(|(slice, _)| slice).collect();
        state.open = Vec::new();
        let elapsed = self.elapsed(&state);
        state.record(&whole, Tally::default(), open, Duration::ZERO, elapsed);
    }

    /// Takes slices and works them out until there are no more: the work of one thread.
    fn work(&self, threads: usize) {
        let memory = self.limits.bytes() / threads as u64;
        let mut sweeper = Sweeper::new(self.tables, memory);
        while let Some(slice) = self.next() {
            let (since, interval) = (Instant::now(), commit_interval(self.began));
            let limits = Limits {
                time: self
                    .limits
                    .time
                    .map(|time| time.saturating_sub(self.began.elapsed())),
                ..self.limits.clone()
            };
            let (mut pictures, mut clue_sets) = (0, 0);
            let result = sweeper.sweep(&slice, &limits, |tally| {
                self.pictures
                    .fetch_add(tally.pictures - pictures, Ordering::Relaxed);
                self.clue_sets
                    .fetch_add(tally.clue_sets - clue_sets, Ordering::Relaxed);
                (pictures, clue_sets) = (tally.pictures, tally.clue_sets);
                let age = since.elapsed();
                age >= interval || age >= MIN_SHARING_AGE && self.idle.load(Ordering::Relaxed) > 0
            });
            self.submit(&slice, result, since.elapsed());
        }
    }

    /// The next slice, once there is one; `None` when the run ends.
    fn next(&self) -> Option<Slice> {
        let mut state = lock(&self.state);
        loop {
            if state.is_over() {
                return None;
            }
            if let Some(slice) = state.open.pop() {
                state.running += 1;
                return Some(slice);
            }
            if state.running == 0 {
                // Nothing is open or running, so nothing will be added. The idle threads are woken so that they end.
                self.changed.notify_all();
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            state = self.wait(state);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the result of a slice.
    fn submit(
        &self,
        slice: &Slice,
        result: std::result::Result<(Tally, Ended), String>,
        took: Duration,
    ) {
        let mut state = lock(&self.state);
        state.running -= 1;
        match result {
            Err(message) => {
                state.disagreement.get_or_insert(message);
                state.open.push(*slice);
            }
            Ok((tally, ended)) => {
                let rest = match ended {
                    Ended::Done => slice.split_at(slice.to()).1,
                    Ended::Paused(next) => slice.split_at(next).1,
                    Ended::Stopped(next, stop) => {
                        state.stopped.get_or_insert(stop);
                        slice.split_at(next).1
                    }
                };
                // A slice of which nothing is done needs no record.
                match ended != Ended::Done && rest == *slice {
                    true => state.open.push(rest),
                    false => {
                        let parts = 1 + self.idle.load(Ordering::Relaxed) as u64;
                        let open = even_parts(rest, parts);
                        let elapsed = self.elapsed(&state);
                        state.record(slice, tally, open, took, elapsed);
                    }
                }
                if state.last_commit.elapsed() >= commit_interval(self.began) {
                    state.commit();
                }
            }
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// Cuts a slice into this number of parts with about as many tuples each; no part is empty.
fn even_parts(mut rest: Slice, parts: u64) -> Vec<Slice> {
    let mut open = Vec::new();
    for left in (1..=parts).rev() {
        let tuples = (rest.to() - rest.from()).div_ceil(left);
        let (part, after) = rest.split_at(rest.from() + tuples);
        open.extend((!part.is_empty()).then_some(part));
        rest = after;
    }
    open
}

impl State {
    /// Whether no further slice is to be started.
    fn is_over(&self) -> bool {
        self.stopped.is_some() || self.failed.is_some() || self.disagreement.is_some()
    }

    /// Adds the answer to a slice, and its record.
    fn record(
        &mut self,
        slice: &Slice,
        tally: Tally,
        open: Vec<Slice>,
        took: Duration,
        elapsed: Duration,
    ) {
        self.tally.add(&tally);
        self.open.extend(&open);
        if self.journal.is_some() {
            let stopped = None;
            let mut answer = Answer::of_slice(slice, tally, open, stopped, took.as_secs_f64());
            answer.elapsed = Some(elapsed.as_secs_f64());
            self.pending.push_str(&seal(&answer));
        }
    }

    /// Writes the pending records to the journal and syncs it.
    fn commit(&mut self) {
        self.last_commit = Instant::now();
        if let Some(journal) = self.journal.as_mut().filter(|_| !self.pending.is_empty())
            && self.failed.is_none()
        {
            let pending = std::mem::take(&mut self.pending);
            self.failed = journal.append(&pending).err();
        }
    }

    /// Applies the records of a journal, in order.
    fn replay(&mut self, census: Census, records: Vec<JournalRecord<Slice>>) -> Result<()> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let name = journal.name().to_owned();
        let puzzle = Digest::of_census(census);
        let id = |slice: &Slice| Id::of(puzzle, slice);
        let whole = Slice::whole(census);
        // Its keys come from a file, which must not be able to make them collide.
        let mut open = HashMap::from([(id(&whole), whole)]);
        for (line, record) in (2..).zip(records) {
            let wrong = |message: &str| {
                let error = Error::new(Kind::Data, message);
                Err(error.at(line, 1, "").in_file(&name))
            };
            let JournalRecord::Answer(answer) = record else {
                return wrong("this record is not of a census");
            };
            let Some(slice) = open.remove(&answer.id) else {
                return wrong("this slice was not open when this record was written");
            };
            let left: Vec<&Slice> = answer.open.iter().map(|open| &open.cube).collect();
            let inside = left.iter().all(|part| slice.contains(part));
            if !inside || !Slice::overlapping(&left).is_empty() {
                return wrong(
                    "the slices that this record leaves open are not disjoint parts of its slice",
                );
            }
            let Some(tally) = answer.tally.filter(Tally::is_consistent) else {
                return wrong("this record has no numbers, or they contradict each other");
            };
            if left.contains(&&slice) && tally != Tally::default() {
                return wrong("this record has numbers, but leaves its whole slice open");
            }
            self.tally.add(&tally);
            let elapsed = answer.elapsed.unwrap_or_default();
            self.elapsed_before = Duration::try_from_secs_f64(elapsed).unwrap_or_default();
            open.extend(
                answer
                    .open
                    .iter()
                    .map(|Open { cube, .. }| (id(cube), *cube)),
            );
        }
        self.open = open.into_values().collect();
        // The first tuples last, as they are the most work: a stack.
        self.open
            .sort_by_key(|slice| std::cmp::Reverse(slice.from()));
        Ok(())
    }
}
