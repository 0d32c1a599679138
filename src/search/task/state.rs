//! The state shared by all tasks of a run, and the state of one task.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use crossbeam::queue::SegQueue;
use crossbeam::utils::CachePadded;

use super::super::cube::{Cube, Decision};
use super::super::meter::Meter;
use super::super::options::Options;
use super::super::portfolio::{Portfolio, SatTurns};
use super::super::probing_policy::ProbingPolicy;
use super::super::product::CollectOptions;
use super::node::{Context, Node, StackEntry};
use super::subproblem_cache::SubproblemCache;
use crate::board::{Board, Clues, NodeRecords, Prober};
use crate::line::Word;
use crate::run::{Control, Statistics};
use crate::solutions::{Batch, Count, Sink};

/// The state shared by all tasks of a run.
pub(in crate::search) struct Shared<'a, W: Word> {
    pub(in crate::search) clues: &'a Clues,
    pub(in crate::search) options: &'a Options,
    pub(in crate::search) control: Arc<Control>,
    /// Shared with the SAT solver where a portfolio is run.
    pub(in crate::search) portfolio: Option<Arc<Portfolio>>,
    pub(in crate::search) meter: Meter,
    pub(in crate::search) sink: &'a dyn Sink,
    pub(in crate::search) collect_options: CollectOptions,
    /// Settles of a task between two polls of the control.
    pub(in crate::search) settles_per_poll: u64,
    /// Maximum leaves of a batch, at most the number of solutions wanted.
    pub(in crate::search) max_batch_leaves: usize,
    /// Maximum solutions of a batch, small enough that a sink takes a batch in a short time.
    pub(in crate::search) max_batch_solutions: u64,
    /// Number of threads; with 1 a task gives nothing away.
    pub(in crate::search) threads: usize,
    /// Bytes that one task may take for probes, and for its subproblem cache.
    pub(in crate::search) probe_bytes: u64,
    pub(in crate::search) subproblem_bytes: u64,
    /// Tasks spawned that have not begun. Relaxed: a hint whether to give entries away.
    pub(in crate::search) waiting_tasks: CachePadded<AtomicUsize>,
    /// Cubes handed back, each with its weight.
    pub(in crate::search) cubes: SegQueue<(Cube, u64)>,
    /// Whether solutions were dropped, so that the cubes do not cover everything open. Relaxed: a hint until all tasks have ended.
    pub(in crate::search) cubes_incomplete: AtomicBool,
    /// Sums of finished tasks, and the solutions that the sink accepted.
    pub(in crate::search) totals: Mutex<(Statistics, Count)>,
    /// The probing policy published by the last task that ended or gave a node away. Tasks without measurements of their own adopt it.
    pub(in crate::search) policy: Mutex<Option<ProbingPolicy>>,
    /// Subproblem caches of ended tasks, to be reused by new tasks.
    pub(in crate::search) caches: SegQueue<SubproblemCache>,
    /// Nodes to be searched, if there is no thread pool in which to spawn tasks.
    pub(in crate::search) pending_nodes: SegQueue<Node<W>>,
}

impl<W: Word> Shared<'_, W> {
    /// Whether the run has ended, to be asked before every settle outside of a task.
    pub(in crate::search) fn between_settles(&self) -> impl FnMut() -> bool {
        let mut settles = 0u64;
        move || {
            settles += 1;
            if settles.is_multiple_of(self.settles_per_poll) {
                self.control.poll();
            }
            self.control.stopped()
        }
    }
}

/// A task that searches one subtree.
pub(in crate::search) struct Task<'s, 'a, W: Word> {
    pub(super) shared: &'s Shared<'a, W>,
    /// The turns of the SAT solver, where it shares the task's thread.
    pub(super) turns: Option<&'s RefCell<SatTurns<'a>>>,
    pub(super) board: Board<'a, W>,
    pub(super) prober: Prober<W>,
    pub(super) stack: Vec<StackEntry<W>>,
    pub(super) contexts: Vec<Context<W>>,
    pub(super) path: Vec<Decision>,
    /// Whether propagation at the present node found no contradiction.
    pub(super) is_consistent: bool,
    /// Weight of the present node.
    pub(super) weight: u64,
    /// Probing records of the deepest probed node on the path to the present node.
    pub(super) inherited: Option<NodeRecords>,
    /// The fewest unknown cells of the present region at a node of the path; `usize::MAX` at the root of a cube, before the first.
    pub(super) fewest_open_cells: usize,
    pub(super) policy: ProbingPolicy,
    /// Settles of the task at its last leaf or dead end, at the last poll, at the last flush, and when it last gave an entry away.
    pub(super) settles_at_last_end: u64,
    pub(super) settles_at_poll: u64,
    pub(super) settles_at_flush: u64,
    pub(super) settles_at_gift: u64,
    /// Nodes reserved from the control and not used yet.
    pub(super) reserved_nodes: u64,
    /// First stack entry to which a retreat may go back: from it on, no leaf has been found below, and no entry has been given away.
    pub(super) retreat_floor: usize,
    /// Settles of the task at the last leaf or retreat.
    pub(super) settles_at_progress: u64,
    /// Whether the present node must be probed, whatever the policy is.
    pub(super) force_probe: bool,
    pub(super) cache: SubproblemCache,
    /// Weight of finished nodes not yet reported to the meter.
    pub(super) unreported_weight: u64,
    pub(super) batch: Batch,
    /// Scratch: a packed grid.
    pub(super) words: Vec<u64>,
    pub(super) statistics: Statistics,
    /// Nodes already reported to the meter.
    pub(super) reported_nodes: u64,
}

/// Polls the control, and runs or starts the SAT solver when it is due. `settles` is the work of the task since the last call.
pub(super) fn poll<W: Word>(
    shared: &Shared<'_, W>,
    turns: Option<&RefCell<SatTurns<'_>>>,
    settles: u64,
) {
    shared.control.poll();
    match (turns, &shared.portfolio) {
        (Some(turns), _) => turns.borrow_mut().add_settles(settles),
        (None, Some(portfolio)) => {
            let total = portfolio.add_settles(settles);
            let due_after = shared.options.sat_after_settles;
            if due_after.is_some_and(|after| total >= after) {
                portfolio.start_solver();
            }
        }
        (None, None) => {}
    }
}
