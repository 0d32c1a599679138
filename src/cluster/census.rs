//! A census on the threads of one machine, with or without a journal.
//!
//! A thread works on a slice until it is asked to hand it back. Then it hands back the numbers of the tuples that are done, and the rest of
//! the slice, which stays open. A tuple that was stopped in the middle is in no result, so nothing is lost or counted twice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::digest::Digest;
use super::journal::{Journal, JournalRecord};
use super::record::UnitResult;
use super::worklist::Worklist;
use crate::census::{Census, Ended, Slice, Sweeper, Tables, Tally, cut};
use crate::error::{Error, Result};
use crate::run::{Activity, Instant, Limits, Observer, Snapshot, lock};
use crate::solutions::{Count, Stop};

/// Slices for each thread at the beginning.
const SLICES_PER_THREAD: usize = 16;

/// A census on the threads of one machine.
#[derive(Debug)]
pub struct CensusRun<'a> {
    tables: &'a Tables,
    census: Census,
    worklist: Worklist<Slice>,
    /// Pictures and clue sets of all finished tuples. Relaxed: sums that are only shown.
    pictures: AtomicU64,
    clue_sets: AtomicU64,
    /// How the engine contradicts the enumeration, if it does.
    disagreement: Mutex<Option<String>>,
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
    /// [`Kind::Data`](crate::error::Kind::Data) when the records contradict each other.
    pub fn new(
        census: Census,
        tables: &'a Tables,
        journal: Option<(Journal, Vec<JournalRecord<Slice>>)>,
        limits: Limits,
    ) -> Result<Self> {
        let (puzzle, whole) = (Digest::of_census(census), Slice::whole(census));
        let worklist = Worklist::new(puzzle, whole, journal, None, limits, true, check)?;
        let tally = worklist.lock().tally.clone();
        Ok(CensusRun {
            tables,
            census,
            worklist,
            pictures: AtomicU64::new(tally.pictures),
            clue_sets: AtomicU64::new(tally.clue_sets),
            disagreement: Mutex::default(),
        })
    }

    /// The share of the pictures that is done, from 0 to 1, and the number of clue sets so far.
    pub fn done(&self) -> (f64, u64) {
        let pictures = self.pictures.load(Relaxed) as f64;
        let share = pictures / self.census.pictures() as f64;
        (share, self.clue_sets.load(Relaxed))
    }

    /// Works on the threads of the current rayon pool until all slices are done, or a limit is reached.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`](crate::error::Kind::Io) when the journal cannot be written. The run can be resumed in this case too.
    pub fn run(&self, observer: Option<Observer<'_>>) -> Result<CensusOutcome> {
        self.cut_whole();
        self.worklist.work(
            observer,
            |state| {
                let (share, clue_sets) = self.done();
                Snapshot {
                    share: Some(share),
                    nodes: clue_sets,
                    solutions: Count::from(clue_sets),
                    activity: Activity::Census,
                    elapsed: state.elapsed(),
                }
            },
            || rayon::broadcast(|context| self.work(context.num_threads())),
        )?;
        let state = self.worklist.lock();
        let stopped = state.reason();
        let (counted, all) = (state.tally.pictures, self.census.pictures());
        let mut disagreement = lock(&self.disagreement).take();
        if stopped.is_none() && (counted != all || !state.tally.is_consistent()) {
            disagreement.get_or_insert(format!(
                "these numbers are wrong: their clue sets stand for {counted} pictures, but there are {all}"
            ));
        }
        Ok(CensusOutcome {
            tally: state.tally.clone(),
            stopped,
            disagreement,
            elapsed: state.elapsed(),
        })
    }

    /// Cuts the census if it is still whole.
    fn cut_whole(&self) {
        let mut state = self.worklist.lock();
        let whole = Slice::whole(self.census);
        if !matches!(&state.open[..], [queued] if queued.unit == whole) {
            return;
        }
        state.open.clear();
        let number = SLICES_PER_THREAD * rayon::current_num_threads();
        // The first tuples last, as they are the most work: a stack.
        let slices = cut(self.tables, number, 1).into_iter().rev();
        let open = slices.map(|(slice, _)| slice).collect();
        let result = UnitResult::of_slice(&whole, Tally::default(), open, None, Duration::ZERO);
        state.record(1.0, result);
    }

    /// Takes slices and works them out until there are no more: the work of one thread.
    fn work(&self, threads: usize) {
        let limits = &self.worklist.limits;
        let mut sweeper = Sweeper::new(self.tables, limits.bytes() / threads as u64);
        while let Some((ticket, slice, stop)) = self.worklist.take() {
            let since = Instant::now();
            let left = limits.left_since(self.worklist.lock().began);
            let (mut pictures, mut clue_sets) = (0, 0);
            let result = sweeper.sweep(&slice, &left, |tally| {
                let before = (pictures, clue_sets);
                (pictures, clue_sets) = (tally.pictures, tally.clue_sets);
                self.pictures.fetch_add(pictures - before.0, Relaxed);
                self.clue_sets.fetch_add(clue_sets - before.1, Relaxed);
                stop.load(Relaxed)
            });
            self.submit(ticket, &slice, result, since.elapsed());
        }
    }

    /// Takes the result of a slice.
    fn submit(
        &self,
        ticket: usize,
        slice: &Slice,
        result: std::result::Result<(Tally, Ended), String>,
        took: Duration,
    ) {
        let mut state = self.worklist.lock();
        let running = state.end(ticket);
        match result {
            Err(message) => {
                lock(&self.disagreement).get_or_insert(message);
                state.stopped.get_or_insert(Stop::Interrupt);
                state.open.push(running.queued);
            }
            Ok((tally, ended)) => {
                if let Some(stop) = ended.stopped() {
                    state.stopped.get_or_insert(stop);
                }
                let rest = ended.rest(slice);
                // A slice of which nothing is done needs no record.
                if rest == Some(*slice) {
                    state.open.push(running.queued);
                } else {
                    let parts = 1 + state.idle_threads as u64;
                    let open = rest.map_or(Vec::new(), |rest| rest.even_parts(parts));
                    let result = UnitResult::of_slice(slice, tally, open, None, took);
                    state.record(running.queued.share_of_whole, result);
                }
                state.commit_if_due();
            }
        }
        self.worklist.release(state);
    }
}

/// Checks what a record says of its slice.
fn check(slice: &Slice, result: &UnitResult<Slice>) -> Result<()> {
    let tally = result.tally.as_ref().filter(|tally| tally.is_consistent());
    let message = match tally {
        None => "this record has no numbers, or they contradict each other",
        Some(tally) if result.open_units().contains(&slice) && *tally != Tally::default() => {
            "this record has numbers, but leaves its whole slice open"
        }
        Some(_) => return Ok(()),
    };
    Err(Error::data(message))
}
