//! Runs: their number, their threads and limits, and what is kept from one run to the next.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use super::listing::Listing;
use super::reply::event;
use super::sink::Sink;
use crate::count::ComponentTable;
use crate::graph::SolutionGraph;
use crate::puzzle::Puzzle;
use crate::run::{Instant, Limits, Snapshot, lock};
use crate::solutions::{Count, Rough};

/// Maximum bytes of a solution graph that is kept for the next question about its puzzle.
const MAX_KEPT_BYTES: u64 = 1 << 28;

/// What all runs share.
#[derive(Debug)]
pub(super) struct Engine {
    /// Threads of each pool; 0 for all cores.
    threads: usize,
    /// The limits on every run.
    limits: Limits,
    /// Pools that no run uses.
    idle: Mutex<Vec<ThreadPool>>,
    /// The components counted so far. After a stroke most of them are needed again.
    table: Mutex<Arc<ComponentTable>>,
    /// The last solution graph, and its puzzle.
    graph: Mutex<Option<(Puzzle, Arc<SolutionGraph>)>>,
    /// The last search for all solutions.
    listing: Mutex<Option<Listing>>,
}

/// A run under way.
pub(super) struct Run<'e> {
    pub(super) engine: &'e Engine,
    sink: &'e dyn Sink,
    started: Instant,
    /// The limits on this run, from its start.
    limits: Limits,
}

/// The progress of a run.
#[derive(Serialize)]
struct Progress<'a> {
    /// A lower bound on the number of solutions.
    solutions: &'a Count,
    #[serde(skip_serializing_if = "Option::is_none")]
    magnitude: Option<Rough>,
    share: Option<f64>,
    activity: String,
    seconds: f64,
}

impl Engine {
    /// `limits` are those of every run, but for the memory, which is that of all runs together, at most `runs` at a time.
    pub(super) fn new(threads: usize, runs: usize, limits: Limits) -> Self {
        // The component table has a share of its own.
        let bytes = limits.bytes() / (runs as u64 + 1);
        Engine {
            threads,
            limits: limits.memory(bytes),
            idle: Mutex::default(),
            table: Mutex::new(Arc::new(ComponentTable::new(bytes))),
            graph: Mutex::default(),
            listing: Mutex::default(),
        }
    }

    /// Begins a run with a limit on its time.
    pub(super) fn begin<'e>(&'e self, sink: &'e dyn Sink, time: Option<Duration>) -> Run<'e> {
        let time = self.limits.time.into_iter().chain(time).min();
        let limits = self.limits.clone().time(time);
        Run {
            engine: self,
            sink,
            started: Instant::now(),
            limits: limits.interrupt(Arc::clone(sink.interrupt())),
        }
    }

    /// Runs this on a pool of threads that no other run uses, so that a short run does not wait for a long one.
    pub(super) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let idle = lock(&self.idle).pop();
        let pool = idle.or_else(|| {
            ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .thread_name(|i| format!("search {i}"))
                .build()
                .ok()
        });
        // Without new threads, those of the process are used.
        let Some(pool) = pool else { return work() };
        let done = pool.install(work);
        lock(&self.idle).push(pool);
        done
    }

    /// The component table. A full one is replaced.
    pub(super) fn table(&self) -> Arc<ComponentTable> {
        let mut table = lock(&self.table);
        if table.is_full() {
            *table = Arc::new(ComponentTable::new(self.limits.bytes()));
        }
        Arc::clone(&table)
    }

    /// The solution graph of this puzzle, if it was kept.
    pub(super) fn kept_graph(&self, puzzle: &Puzzle) -> Option<Arc<SolutionGraph>> {
        let kept = lock(&self.graph);
        let (of, graph) = kept.as_ref()?;
        has_same_solutions(of, puzzle).then(|| Arc::clone(graph))
    }

    /// Keeps the solution graph of this puzzle, if it is not too large.
    pub(super) fn keep_graph(&self, puzzle: &Puzzle, graph: &Arc<SolutionGraph>) {
        if graph.bytes() <= self.limits.bytes().min(MAX_KEPT_BYTES) {
            *lock(&self.graph) = Some((puzzle.clone(), Arc::clone(graph)));
        }
    }

    /// The search for all solutions of this puzzle, if it was kept. It is kept no longer.
    pub(super) fn kept_listing(&self, puzzle: &Puzzle) -> Option<Listing> {
        let kept = lock(&self.listing).take();
        kept.filter(|kept| has_same_solutions(&kept.puzzle, puzzle))
    }

    /// Keeps a search for all solutions.
    pub(super) fn keep_listing(&self, listing: Listing) {
        *lock(&self.listing) = Some(listing);
    }
}

/// Whether two puzzles have the same clues and the same given cells; their notes do not matter.
fn has_same_solutions(one: &Puzzle, other: &Puzzle) -> bool {
    one.rows() == other.rows() && one.columns() == other.columns() && one.given() == other.given()
}

impl Run<'_> {
    /// The limits, with the time that is left.
    pub(super) fn limits(&self) -> Limits {
        let time = self.limits.time;
        let left = time.map(|time| time.saturating_sub(self.started.elapsed()));
        self.limits.clone().time(left)
    }

    /// Seconds since the run began.
    pub(super) fn seconds(&self) -> f64 {
        (self.started.elapsed().as_secs_f64() * 1e6).round() / 1e6
    }

    /// Begins the answer: from now on, what goes wrong is an event.
    pub(super) fn begin(&self) {
        self.sink.begin();
    }

    /// Sends an event. The first one begins the answer.
    pub(super) fn send(&self, name: &str, data: &impl Serialize) {
        self.sink.begin();
        self.sink.send(event(name, data));
    }

    /// Sends the progress, as an observer.
    pub(super) fn progress(&self, snapshot: Snapshot) {
        let progress = Progress {
            solutions: &snapshot.solutions,
            magnitude: snapshot.solutions.rough(),
            share: snapshot.share,
            activity: snapshot.activity.to_string(),
            seconds: self.seconds(),
        };
        self.sink.begin();
        self.sink.offer(event("progress", &progress));
    }
}
