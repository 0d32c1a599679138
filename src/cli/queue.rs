//! The queue of puzzles that a verb answers, in order. A puzzle is read when the queue reaches it; with several puzzles, searches start
//! ahead of their turn, one per thread.

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

use super::inputs::Source;
use super::interrupt::Interrupt;
use super::plural::counted;

/// The first few solutions of a puzzle, and how the search for them ended.
pub(super) type FirstSolutions = (Vec<Grid>, Outcome);

/// Searches for the first `most` solutions of a puzzle. If `most` is two, the goal of its file is the first, provided it is a solution.
pub(super) fn find_first(search: &Search<'_>, puzzle: &Puzzle, most: usize) -> FirstSolutions {
    match &puzzle.notes().goal {
        Some(goal) if most == 2 => search.second(goal),
        _ => search.first(most),
    }
}

/// Most puzzles per thread that are read ahead of the next answer.
pub(super) const MAX_AHEAD_PER_THREAD: usize = 16;

/// Time limit of a search ahead of its turn, on one thread. A puzzle that takes longer is searched at its turn, on all threads.
const AHEAD_TIME: Duration = Duration::from_secs(1);

/// The puzzles that are still to be answered.
#[derive(Debug)]
pub(super) struct Queue {
    sources: vec::IntoIter<Source>,
    /// The remaining puzzles of the current source.
    entries: vec::IntoIter<Entry>,
    /// Whether there are several sources, and whether the current one has several puzzles.
    several: bool,
    several_here: bool,
}

/// A puzzle, or the error in its place.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Arc<Entry>,
    /// Whether it is one of several puzzles, so that its answer has to name it.
    pub(super) several: bool,
    /// Receives the result of a search ahead of its turn, if one was started.
    result: Option<Receiver<FirstSolutions>>,
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

    /// Whether no source and no puzzle remains.
    pub(super) fn is_empty(&self) -> bool {
        self.sources.len() == 0 && self.entries.len() == 0
    }

    /// The next puzzle. Unless `may_wait`, `None` if reading it might block, as on a pipe.
    pub(super) fn next(&mut self, interrupt: &Interrupt, may_wait: bool) -> Option<Item> {
        loop {
            if let Some(entry) = self.entries.next() {
                return Some(Item {
                    entry: Arc::new(entry),
                    several: self.several || self.several_here,
                    result: None,
                });
            }
            let may_block = self.sources.as_slice().first()?.may_block();
            if may_block && !may_wait {
                return None;
            }
            let source = self.sources.next()?;
            let entries = match may_block {
                true => interrupt.while_reading(|| source.read()),
                false => source.read(),
            };
            self.several_here = entries.len() > 1;
            self.entries = entries.into_iter();
        }
    }

    /// The rest of the queue and `puzzles` further puzzles, in words.
    pub(super) fn remaining(&self, puzzles: usize) -> String {
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
    /// Starts a search for up to `most` solutions on one thread of the pool, as soon as one is free.
    pub(super) fn start_search(&mut self, pool: &ThreadPool, limits: &Limits, most: usize) {
        if self.result.is_some() || self.entry.puzzle.is_err() {
            return;
        }
        let entry = Arc::clone(&self.entry);
        let shorter = limits.time.is_none_or(|time| time > AHEAD_TIME);
        let limits = limits
            .clone()
            .time(limits.time.map_or(AHEAD_TIME, |time| time.min(AHEAD_TIME)))
            .memory(
                limits
                    .memory
                    .map(|memory| memory / pool.current_num_threads() as u64),
            );
        let (sender, receiver) = bounded(1);
        self.result = Some(receiver);
        pool.spawn_fifo(move || {
            let asked = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
            let Ok(puzzle) = &entry.puzzle else { return };
            if limits.interrupt.as_ref().is_some_and(asked) {
                return;
            }
            let found = find_first(
                &Search::new(puzzle).single_threaded().limits(limits),
                puzzle,
                most,
            );
            if !(shorter && found.1.stopped == Some(Stop::Time)) {
                // There is no receiver any more if an earlier answer could not be written.
                let _ = sender.send(found);
            }
        });
    }

    /// Waits for the result of the search ahead of its turn. `None` if none was started, or if it reached its time limit.
    pub(super) fn wait_for_result(&self) -> Option<FirstSolutions> {
        self.result.as_ref()?.recv().ok()
    }
}
