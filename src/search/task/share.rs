//! What a task gives to others: its oldest open piece when too few tasks wait, everything open when the run must stop, its sums when
//! it ends.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use rayon::ScopeFifo;

use super::super::cube::{Cube, Decision};
use super::node::{Context, Goal, Node, Pending, StackEntry};
use super::state::{Shared, Task};
use crate::line::Word;

impl<'s, 'a, W: Word> Task<'s, 'a, W> {
    /// Gives the oldest open piece away if too few tasks wait.
    pub(super) fn feed<'scope>(&mut self, scope: Option<&ScopeFifo<'scope>>)
    where
        's: 'scope,
        'a: 'scope,
    {
        if self.shared.threads == 1
            || self.shared.waiting.load(Ordering::Relaxed) >= self.shared.threads
        {
            return;
        }
        if self.board.settles() - self.gave < self.shared.breath {
            return;
        }
        // A join waits for what lies above it, so it stays; the oldest other piece goes.
        let Some(oldest) = self
            .stack
            .iter()
            .position(|open| !matches!(open.what, Pending::Join(..)))
        else {
            return;
        };
        self.gave = self.board.settles();
        self.teach();
        let open = self.stack.remove(oldest);
        self.low = if oldest < self.low {
            self.low - 1
        } else {
            oldest
        };
        let mut path = self.path[..open.path].to_vec();
        let rows = self.board.rows_at(open.mark);
        let (context, decision, split_at) = match open.what {
            Pending::Sibling(decision) => {
                path.push(decision);
                (
                    self.contexts[open.context].clone(),
                    Some(decision),
                    open.split_at,
                )
            }
            Pending::Region(region, goal) => {
                let size = region.size();
                (Context::apart(region, goal), None, size)
            }
            Pending::Join(..) => unreachable!("joins stay"),
        };
        let node = Node {
            rows,
            path,
            decision,
            context,
            weight: open.weight,
            policy: self.policy,
            split_at,
            probed: None,
            results: None,
        };
        self.spawn(node, scope);
    }

    /// Lets others know what it knows of probing, be it only how far it has come with finding out.
    fn teach(&self) {
        let mut policy = self
            .shared
            .policy
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !self.policy.is_green() || policy.is_none_or(|policy| policy.is_green()) {
            *policy = Some(self.policy);
        }
    }

    pub(super) fn spawn<'scope>(&self, node: Node<W>, scope: Option<&ScopeFifo<'scope>>)
    where
        's: 'scope,
        'a: 'scope,
    {
        let shared = self.shared;
        match scope {
            Some(scope) => spawn(shared, node, scope),
            None => shared.pending.push(node),
        }
    }

    /// The run has been stopped: everything open becomes cubes.
    pub(super) fn hand_back(&mut self) {
        let wanted = !self.shared.torn.load(Ordering::Relaxed);
        let give = |end: usize, last: Option<Decision>, context: usize, weight: u64| match &self
            .contexts[context]
            .goal
        {
            Goal::Root if wanted => {
                let path = self.path[..end].iter().copied().chain(last).collect();
                self.shared.cubes.push((Cube { path }, weight));
            }
            Goal::Root => {}
            goal => goal.abandon(),
        };
        for open in &self.stack {
            let StackEntry {
                path,
                context,
                weight,
                ..
            } = *open;
            match &open.what {
                Pending::Sibling(decision) => give(path, Some(*decision), context, weight),
                Pending::Join(..) => give(path, None, context, weight),
                // Its join stands for it.
                Pending::Region(_, goal) => goal.abandon(),
            }
        }
        // The one under way comes last, as it would be gone on with first.
        give(self.path.len(), None, self.contexts.len() - 1, self.weight);
    }

    /// Lets go of everything and adds up.
    pub(super) fn close<'scope>(mut self, scope: Option<&ScopeFifo<'scope>>)
    where
        's: 'scope,
        'a: 'scope,
    {
        // From the top, as a part must be let go before the product that it belongs to.
        while let Some(open) = self.stack.pop() {
            match open.what {
                Pending::Sibling(_) => {}
                Pending::Region(_, goal) => {
                    if let Some(node) = Node::released(goal) {
                        self.spawn(node, scope);
                    }
                }
                Pending::Join(product, _) => drop(product),
            }
        }
        self.teach();
        self.leave_contexts(0, scope);
        self.shared.control.return_nodes(self.nodes_left);
        self.pass_sums_on();
        self.pass_on();
        self.shared.rests.push(std::mem::take(&mut self.rests));
        self.statistics.settles = self.board.settles();
        self.statistics.probes = self.prober.probes();
        let mut totals = self
            .shared
            .totals
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        totals.0.add(&self.statistics);
    }
}

/// Spawns a node as a task of its own.
pub(in crate::search) fn spawn<'s, 'a, 'scope, W: Word>(
    shared: &'s Shared<'a, W>,
    node: Node<W>,
    scope: &ScopeFifo<'scope>,
) where
    's: 'scope,
    'a: 'scope,
{
    shared.waiting.fetch_add(1, Ordering::Relaxed);
    scope.spawn_fifo(move |scope| {
        shared.waiting.fetch_sub(1, Ordering::Relaxed);
        Task::run(shared, node, Some(scope), None);
    });
}
