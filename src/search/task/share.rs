//! How a task gives work away: its oldest open entry, or everything open when the run must stop; at its end it adds up its sums.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use rayon::ScopeFifo;

use super::super::cube::{Cube, Decision};
use super::super::portfolio::SatTurns;
use super::node::{Context, LeafTarget, Node, Pending, StackEntry};
use super::state::{Shared, Task};
use crate::line::Word;
use crate::run::lock;

impl<'s, 'a, W: Word> Task<'s, 'a, W> {
    /// Gives the oldest open entry to another task if too few tasks are waiting.
    pub(super) fn give_oldest(&mut self, scope: Option<&ScopeFifo<'s>>) {
        let shared = self.shared;
        if shared.threads == 1
            || shared.waiting_tasks.load(Ordering::Relaxed) >= shared.threads
            || self.board.settles() - self.settles_at_gift < shared.settles_per_poll
        {
            return;
        }
        // A join depends on the entries above it, so it is kept, and the oldest of the other entries is given away.
        let is_join = |entry: &StackEntry<W>| matches!(entry.pending, Pending::Join(..));
        let Some(oldest) = self.stack.iter().position(|entry| !is_join(entry)) else {
            return;
        };
        self.settles_at_gift = self.board.settles();
        self.publish_policy();
        let entry = self.stack.remove(oldest);
        self.retreat_floor = if oldest < self.retreat_floor {
            self.retreat_floor - 1
        } else {
            oldest
        };
        let mut path = self.path[..entry.path_len].to_vec();
        let rows = self.board.rows_at(entry.mark);
        let (context, decision, fewest_open_cells) = match entry.pending {
            Pending::Sibling(decision) => {
                path.push(decision);
                (
                    self.contexts[entry.context_index].clone(),
                    Some(decision),
                    entry.fewest_open_cells,
                )
            }
            Pending::Region(region, target) => {
                let size = region.size();
                (Context::for_region(region, target), None, size)
            }
            Pending::Join(..) => unreachable!("joins are not given away"),
        };
        let node = Node {
            rows,
            path,
            decision,
            context,
            weight: entry.weight,
            policy: self.policy,
            fewest_open_cells,
            probed: None,
            results: None,
        };
        self.spawn(node, scope);
    }

    /// Publishes the probing policy of this task for new tasks. A policy without measurements never replaces one that has some.
    fn publish_policy(&self) {
        let mut policy = lock(&self.shared.policy);
        if !self.policy.is_unmeasured() || policy.is_none_or(|policy| policy.is_unmeasured()) {
            *policy = Some(self.policy);
        }
    }

    pub(super) fn spawn(&self, node: Node<W>, scope: Option<&ScopeFifo<'s>>) {
        match scope {
            Some(scope) => spawn(self.shared, node, scope),
            None => self.shared.pending_nodes.push(node),
        }
    }

    /// Called when the run has been stopped: turns everything open into cubes.
    pub(super) fn hand_back(&mut self) {
        for entry in &self.stack {
            let decision = match &entry.pending {
                Pending::Sibling(decision) => Some(*decision),
                Pending::Join(..) => None,
                // The cube that is handed back for its join contains this region too.
                Pending::Region(_, target) => {
                    target.abandon();
                    continue;
                }
            };
            self.hand_back_subtree(entry.path_len, decision, entry.context_index, entry.weight);
        }
        // The present node is handed back last, because the search would have continued with it first.
        self.hand_back_subtree(self.path.len(), None, self.contexts.len() - 1, self.weight);
    }

    /// Turns the subtree below the first decisions of the path, and one more, into a cube, unless its leaves are only those of a region.
    fn hand_back_subtree(
        &self,
        path_len: usize,
        decision: Option<Decision>,
        context_index: usize,
        weight: u64,
    ) {
        let LeafTarget::Root = self.contexts[context_index].target else {
            return self.contexts[context_index].target.abandon();
        };
        if !self.shared.cubes_incomplete.load(Ordering::Relaxed) {
            let decisions = self.path[..path_len].iter().copied();
            let path = decisions.chain(decision).collect();
            self.shared.cubes.push((Cube { path }, weight));
        }
    }

    /// Releases everything open, and adds the sums of this task to the totals.
    pub(super) fn finish(mut self, scope: Option<&ScopeFifo<'s>>) {
        // From the top, as a region search must be released before its product.
        while let Some(entry) = self.stack.pop() {
            if let Pending::Region(_, target) = entry.pending
                && let Some(node) = Node::from_released(target)
            {
                self.spawn(node, scope);
            }
        }
        self.publish_policy();
        self.leave_contexts(0, scope);
        self.shared.control.return_nodes(self.reserved_nodes);
        self.report_progress();
        self.flush();
        self.shared.caches.push(std::mem::take(&mut self.cache));
        self.statistics.settles = self.board.settles();
        self.statistics.probes = self.prober.probes();
        lock(&self.shared.totals).0.add(&self.statistics);
    }
}

/// Searches a subtree on the calling thread alone, including the nodes that its tasks leave pending.
pub(in crate::search) fn run_all<'s, 'a, W: Word>(
    shared: &'s Shared<'a, W>,
    node: Node<W>,
    turns: Option<&'s RefCell<SatTurns<'a>>>,
) {
    Task::run(shared, node, None, turns);
    while let Some(node) = shared.pending_nodes.pop() {
        Task::run(shared, node, None, turns);
    }
}

/// Spawns a node as a task of its own.
pub(in crate::search) fn spawn<'s, W: Word>(
    shared: &'s Shared<'_, W>,
    node: Node<W>,
    scope: &ScopeFifo<'s>,
) {
    shared.waiting_tasks.fetch_add(1, Ordering::Relaxed);
    scope.spawn_fifo(move |scope| {
        shared.waiting_tasks.fetch_sub(1, Ordering::Relaxed);
        Task::run(shared, node, Some(scope), None);
    });
}
