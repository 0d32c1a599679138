//! The queue of puzzles that a verb answers, in order. A puzzle is read when the queue reaches it; with several puzzles, runs on them start
//! ahead of their turn, one per thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::vec;

use crossbeam::channel::{Receiver, bounded};
use omnogram::format::Entry;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Limits, Search};
use omnogram::solutions::Stop;
use rayon::ThreadPool;

use super::given::Given;
use super::inputs::Source;
use super::interrupt::Interrupt;
use super::words::counted;

/// What a verb runs on each puzzle, as this search, which uses some or all threads, of this puzzle within these limits. It returns what it
/// has found, and why it was stopped, if it was.
pub(super) trait Run<T>:
    Fn(&Search<'_>, &Puzzle, &Limits) -> (T, Option<Stop>) + Clone + Send + Sync + 'static
{
}

impl<T, F> Run<T> for F where
    F: Fn(&Search<'_>, &Puzzle, &Limits) -> (T, Option<Stop>) + Clone + Send + Sync + 'static
{
}

/// Most puzzles per thread that are read ahead of the next answer.
pub(super) const MAX_AHEAD_PER_THREAD: usize = 16;

/// Time limit of a run ahead of its turn, on one thread. A puzzle that takes longer is given to all threads at its turn.
const AHEAD_TIME: Duration = Duration::from_secs(1);

/// The puzzles that are still to be answered.
#[derive(Debug)]
pub(super) struct Queue<'a> {
    sources: vec::IntoIter<Source>,
    /// The remaining puzzles of the current source.
    entries: vec::IntoIter<Entry>,
    /// Whether there are several sources, and whether the current one has several puzzles.
    several: bool,
    several_here: bool,
    /// The cells that are given beside those of the files.
    given: &'a Given,
}

/// A puzzle, or the error in its place.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: Arc<Entry>,
    /// Whether it is one of several puzzles, so that its answer has to name it.
    pub(super) several: bool,
}

/// A puzzle that waits for its turn.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    pub(super) item: Item,
    /// Receives the result of a run ahead of its turn, if one was started.
    finding: Option<Receiver<T>>,
}

impl<'a> Queue<'a> {
    pub(super) fn new(sources: Vec<Source>, given: &'a Given) -> Self {
        Queue {
            several: sources.len() > 1,
            sources: sources.into_iter(),
            entries: Vec::new().into_iter(),
            several_here: false,
            given,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sources.len() == 0 && self.entries.len() == 0
    }

    /// The next puzzle. Unless `may_wait`, `None` if reading it might block, as on a pipe.
    pub(super) fn next(&mut self, interrupt: &Interrupt, may_wait: bool) -> Option<Item> {
        loop {
            if let Some(entry) = self.entries.next() {
                return Some(Item {
                    entry: Arc::new(self.given.add_to(entry)),
                    several: self.several || self.several_here,
                });
            }
            let may_block = self.sources.as_slice().first()?.may_block();
            if may_block && !may_wait {
                return None;
            }
            let source = self.sources.next()?;
            let entries = if may_block {
                interrupt.while_reading(|| source.read())
            } else {
                source.read()
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

impl<T: Send + 'static> Waiting<T> {
    pub(super) fn new(item: Item) -> Self {
        Waiting {
            item,
            finding: None,
        }
    }

    /// Starts a run on one thread of the pool, as soon as one is free, unless it was started before.
    pub(super) fn start(&mut self, pool: &ThreadPool, limits: &Limits, run: &impl Run<T>) {
        if self.finding.is_some() || self.item.entry.puzzle.is_err() {
            return;
        }
        let (entry, run) = (Arc::clone(&self.item.entry), run.clone());
        let shorter = limits.time.is_none_or(|time| time > AHEAD_TIME);
        let time = limits.time.map_or(AHEAD_TIME, |time| time.min(AHEAD_TIME));
        let threads = pool.current_num_threads() as u64;
        let memory = limits.memory.map(|memory| memory / threads);
        let limits = limits.clone().time(time).memory(memory);
        let (sender, receiver) = bounded(1);
        self.finding = Some(receiver);
        pool.spawn_fifo(move || {
            let Ok(puzzle) = &entry.puzzle else { return };
            // Relaxed: the flag publishes no other data.
            let interrupt = limits.interrupt.as_ref();
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return;
            }
            let search = Search::new(puzzle).single_threaded().limits(limits.clone());
            let (found, stopped) = run(&search, puzzle, &limits);
            if !(shorter && stopped == Some(Stop::Time)) {
                // There is no receiver any more if an earlier answer could not be written.
                let _ = sender.send(found);
            }
        });
    }

    /// Waits for the result of the run ahead of its turn. `None` if none was started, or if it reached its time limit.
    pub(super) fn wait(&self) -> Option<T> {
        self.finding.as_ref()?.recv().ok()
    }
}
