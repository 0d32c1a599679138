//! What all tasks of a run share, and what one task keeps while it walks its subtree.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

use crossbeam::queue::SegQueue;
use crossbeam::utils::CachePadded;

use super::super::cube::{Cube, Decision};
use super::super::meter::Meter;
use super::super::options::Options;
use super::super::portfolio::{Portfolio, Turns};
use super::super::probing_policy::ProbingPolicy;
use super::super::product::Collecting;
use super::node::{Context, Node, StackEntry};
use super::subproblem_cache::Rests;
use crate::board::{Board, Clues, Inherited, Prober};
use crate::line::Word;
use crate::run::{Control, Statistics};
use crate::solutions::{Batch, Count, Sink};

/// What all tasks of a run share.
pub(in crate::search) struct Shared<'a, W: Word> {
    pub(in crate::search) clues: &'a Clues,
    pub(in crate::search) options: &'a Options,
    pub(in crate::search) control: Arc<Control>,
    /// Shared with clause learning where the search is a race.
    pub(in crate::search) portfolio: Option<Arc<Portfolio>>,
    pub(in crate::search) meter: Meter,
    pub(in crate::search) sink: &'a dyn Sink,
    pub(in crate::search) collecting: Collecting,
    /// Settles between two looks at the clock.
    pub(in crate::search) breath: u64,
    /// The most leaves of a batch: no more than the solutions that are asked for.
    pub(in crate::search) most_leaves: usize,
    /// The most solutions of a batch, small enough that a sink takes a batch in a short time.
    pub(in crate::search) most_in_batch: u64,
    /// The most threads that work; with 1 nothing is given away.
    pub(in crate::search) threads: usize,
    /// Tasks spawned that have not begun. Relaxed: a hint whether to split.
    pub(in crate::search) waiting: CachePadded<AtomicUsize>,
    /// Cubes that were handed back, each with its weight.
    pub(in crate::search) cubes: SegQueue<(Cube, u64)>,
    /// A bundle was cut in the middle, so that the cubes do not cover all that is left.
    pub(in crate::search) torn: AtomicBool,
    /// Sums of finished tasks, and the solutions that the sink accepted.
    pub(in crate::search) totals: Mutex<(Statistics, Count)>,
    /// The probing habit of the last task that ended or gave a node away, for tasks that have not learnt their own yet.
    pub(in crate::search) policy: Mutex<Option<ProbingPolicy>>,
    /// Rests known to tasks that have ended, to be taken over by new tasks.
    pub(in crate::search) rests: SegQueue<Rests>,
    /// Nodes to search, where there is no pool to spawn them in.
    pub(in crate::search) pending: SegQueue<Node<W>>,
}

/// One task at work on a subtree.
pub(in crate::search) struct Task<'s, 'a, W: Word> {
    pub(super) shared: &'s Shared<'a, W>,
    /// Clause learning, where it shares the task's thread.
    pub(super) turns: Option<&'s RefCell<Turns<'a>>>,
    pub(super) board: Board<'a, W>,
    pub(super) prober: Prober<W>,
    pub(super) stack: Vec<StackEntry<W>>,
    pub(super) contexts: Vec<Context<W>>,
    pub(super) path: Vec<Decision>,
    /// Whether the present node is free of contradiction.
    pub(super) alive: bool,
    /// Its share of the tree.
    pub(super) weight: u64,
    /// What it inherits from the last probed node above it.
    pub(super) inherited: Option<Inherited>,
    /// Open cells when regions were last looked for.
    pub(super) split_at: usize,
    pub(super) policy: ProbingPolicy,
    /// Settles when the node began, when the task last polled the control, passed solutions on, and gave a node away.
    pub(super) node_began: u64,
    pub(super) looked: u64,
    pub(super) passed: u64,
    pub(super) gave: u64,
    /// Nodes reserved and not used.
    pub(super) nodes_left: u64,
    /// The lowest height of the stack since the last leaf: no leaf was found above it, and nothing above it was given away.
    pub(super) low: usize,
    /// Settles at the last leaf or retreat.
    pub(super) fertile: u64,
    /// The present node is probed whatever the habit says.
    pub(super) insist: bool,
    pub(super) rests: Rests,
    /// Weight of finished nodes that the meter does not know of yet.
    pub(super) done: u64,
    pub(super) batch: Batch,
    pub(super) words: Vec<u64>,
    pub(super) statistics: Statistics,
    /// Nodes that the meter knows of.
    pub(super) passed_on: u64,
}

/// Looks at the limits and gives the learner its turn. A task calls it at intervals; `settles` is the work done since the last call.
pub(super) fn breathe<W: Word>(
    shared: &Shared<'_, W>,
    turns: Option<&RefCell<Turns<'_>>>,
    settles: u64,
) {
    shared.control.poll();
    match (turns, &shared.portfolio) {
        (Some(turns), _) => turns.borrow_mut().spent(settles),
        (None, Some(portfolio)) => {
            let all = portfolio.spent(settles);
            if shared.options.learning.is_some_and(|alone| all >= alone) {
                portfolio.call();
            }
        }
        (None, None) => {}
    }
}
