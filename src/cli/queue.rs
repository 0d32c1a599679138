//! The puzzles that a verb is to answer, in order: read when their turn comes, and begun ahead of it where there are several.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::vec;

use crossbeam::channel::{Receiver, bounded};
use omnogram::format::Entry;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::{Limits, Outcome, Search};
use omnogram::solutions::Stop;
use rayon::ThreadPool;

use super::counted::counted;
use super::inputs::Source;
use super::interrupt::Interrupt;

/// The first few solutions of a puzzle, and how the search for them ended.
pub(super) type Found = (Vec<Grid>, Outcome);

/// Looks for the first few solutions of a puzzle, `most`. Where two are wanted, the goal of its file is the first, if it is a solution.
pub(super) fn look(search: &Search<'_>, puzzle: &Puzzle, most: usize) -> Found {
    match &puzzle.notes().goal {
        Some(goal) if most == 2 => search.second(goal),
        _ => search.first(most),
    }
}

/// Puzzles, for each thread, that are looked at before the answer of the first of them is given.
pub(super) const AHEAD: usize = 16;

/// A puzzle that takes longer than this on one thread is left until its turn, when it has all threads for itself.
const HARD: Duration = Duration::from_secs(1);

/// What is still to be answered.
#[derive(Debug)]
pub(super) struct Queue {
    sources: vec::IntoIter<Source>,
    /// What is left of the file at hand.
    entries: vec::IntoIter<Entry>,
    several: bool,
    several_here: bool,
}

/// A puzzle, or what is wrong with it.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Arc<Entry>,
    /// Is it one of several, so that its answer must be told from theirs?
    pub(super) several: bool,
    begun: Option<Receiver<Found>>,
}

impl Queue {
    pub(super) fn new(sources: Vec<Source>) -> Self {
        Queue {
            several: sources.len() > 1,
            sources: sources.into_iter(),
            entries: Vec::new().into_iter(),
            several_here: false,
        }
    }

    /// Is nothing left?
    pub(super) fn is_empty(&self) -> bool {
        self.sources.len() == 0 && self.entries.len() == 0
    }

    /// The next one; unless `patient` none for which one would have to wait, as at the end of a pipe.
    pub(super) fn next(&mut self, interrupt: &Interrupt, patient: bool) -> Option<Item> {
        loop {
            if let Some(entry) = self.entries.next() {
                return Some(Item {
                    entry: Arc::new(entry),
                    several: self.several || self.several_here,
                    begun: None,
                });
            }
            let may_wait = self.sources.as_slice().first()?.may_wait();
            if may_wait && !patient {
                return None;
            }
            let source = self.sources.next()?;
            let entries = match may_wait {
                true => interrupt.while_reading(|| source.read()),
                false => source.read(),
            };
            self.several_here = entries.len() > 1;
            self.entries = entries.into_iter();
        }
    }

    /// How much is left in words: what is in the queue, and this number of further puzzles.
    pub(super) fn left(&self, puzzles: usize) -> String {
        let puzzles = puzzles + self.entries.len();
        let files = counted(self.sources.len() as u64, "file");
        match (puzzles, self.sources.len()) {
            (0, _) => files,
            (_, 0) => counted(puzzles as u64, "puzzle"),
            _ => format!("{} and {files}", counted(puzzles as u64, "puzzle")),
        }
    }
}

impl Item {
    /// Looks for up to `most` solutions on one thread of the pool, as soon as one is free.
    pub(super) fn begin(&mut self, pool: &ThreadPool, limits: &Limits, most: usize) {
        if self.begun.is_some() || self.entry.puzzle.is_err() {
            return;
        }
        let entry = Arc::clone(&self.entry);
        let shorter = limits.time.is_none_or(|time| time > HARD);
        let limits = Limits {
            time: if shorter { Some(HARD) } else { limits.time },
            memory: limits
                .memory
                .map(|memory| memory / pool.current_num_threads() as u64),
            ..limits.clone()
        };
        let (sender, receiver) = bounded(1);
        self.begun = Some(receiver);
        pool.spawn_fifo(move || {
            let asked = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
            let Ok(puzzle) = &entry.puzzle else { return };
            if limits.interrupt.as_ref().is_some_and(asked) {
                return;
            }
            let found = look(&Search::new(puzzle).alone().limits(limits), puzzle, most);
            if !(shorter && found.1.stopped == Some(Stop::Time)) {
                // Nobody takes it when the answers before it could not be written.
                let _ = sender.send(found);
            }
        });
    }

    /// What was found ahead of its turn, waited for if it has been begun. `None` if it has not, or turned out to be hard.
    pub(super) fn found(&self) -> Option<Found> {
        self.begun.as_ref()?.recv().ok()
    }
}
