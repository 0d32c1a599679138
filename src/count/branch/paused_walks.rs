//! The walks that go on in later rounds: their stacks and tasks as data, so that any worker can go on with them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::bound::Bound;
use super::piece::{ComponentsInProgress, Piece, shard};
use crate::count::components::Key;
use crate::count::plan::Plan;
use crate::line::Word;
use crate::solutions::Count;

/// Bytes of a component in progress besides its key, with the room that the table has for others.
const CLAIM_BYTES: u64 = 100;

/// A walk that has paused.
#[derive(Debug)]
pub(crate) struct PausedWalk<W> {
    /// The stacks, that of the whole component first, and the tasks that nobody has begun.
    pub(super) pieces: VecDeque<Piece<W>>,
    /// The components in progress, by shard; and the bytes of what is unfinished.
    pub(super) in_progress: Vec<ComponentsInProgress<W>>,
    pub(super) unfinished_bytes: u64,
    /// The share that is done, out of [`WHOLE`](crate::search::WHOLE).
    pub(super) done: u64,
}

impl<W> PausedWalk<W> {
    fn bytes(&self) -> u64 {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Stack(stack) => stack.bytes(),
            Piece::Task(task) => task.bytes(),
        });
        let claims = self.in_progress.iter().flat_map(|shard| shard.keys());
        let claims = claims.map(|key| size_of_val(&**key) as u64 + CLAIM_BYTES);
        self.unfinished_bytes + pieces.sum::<u64>() + claims.sum::<u64>()
    }

    /// Whether nothing of it is left to be counted.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// A lower bound for the count of the component, from all pieces.
    pub(super) fn bound(&self) -> Count
    where
        W: Word,
    {
        let waiting = |key: &Key| {
            let sides = self.in_progress[shard(key)].get(key);
            let sides = sides.into_iter().flatten();
            sides.map(|gap| Arc::clone(&gap.side)).collect()
        };
        let mut bound = Bound::new(waiting);
        for piece in &self.pieces {
            match piece {
                Piece::Stack(stack) => bound.add_stack(&stack.frames),
                Piece::Task(task) => bound.add_task(task),
            }
        }
        bound.result()
    }

    /// Whether it has several pieces or has claimed components, as a walk that several workers may share.
    pub(super) fn is_shared(&self) -> bool {
        self.pieces.len() > 1 || self.in_progress.iter().any(|shard| !shard.is_empty())
    }
}

/// The walks of one component that have paused, at most one by each plan.
#[derive(Debug)]
pub(crate) struct PausedWalks<W> {
    component: usize,
    walks: Vec<(Plan, PausedWalk<W>)>,
}

impl<W> Default for PausedWalks<W> {
    fn default() -> Self {
        PausedWalks {
            component: 0,
            walks: Vec::new(),
        }
    }
}

impl<W> PausedWalks<W> {
    /// Takes out the walk of this component by this plan. Drops all walks of other components.
    pub(super) fn take(&mut self, component: usize, plan: Plan) -> Option<PausedWalk<W>> {
        if self.component != component {
            self.component = component;
            self.walks.clear();
        }
        let is_same = |(paused, _): &(Plan, PausedWalk<W>)| *paused == plan;
        let place = self.walks.iter().position(is_same)?;
        Some(self.walks.remove(place).1)
    }

    /// Keeps a walk of this component by this plan if it is that of the last [`take`](Self::take). Then drops walks, the one that has paused
    /// first at first, until all together hold at most this number of bytes.
    pub(super) fn keep(&mut self, component: usize, plan: Plan, walk: PausedWalk<W>, bytes: u64) {
        if self.component != component {
            return;
        }
        self.walks.push((plan, walk));
        let mut held = self.bytes();
        self.walks.retain(|(_, walk)| {
            let is_kept = held <= bytes;
            held -= if is_kept { 0 } else { walk.bytes() };
            is_kept
        });
    }

    /// Bytes of all walks together.
    pub(super) fn bytes(&self) -> u64 {
        self.walks.iter().map(|(_, walk)| walk.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::super::order::Order;
    use super::super::piece::PausedStack;
    use super::*;
    use crate::count::components::Component;

    const DOWN: Plan = Plan::Branch(Order::Down);
    const PROBED: Plan = Plan::Branch(Order::Probed);

    /// A walk with a stack of one frame.
    fn walk() -> PausedWalk<u64> {
        let frame = Frame::new(Component::empty(), 0, None);
        PausedWalk {
            pieces: [Piece::Stack(PausedStack::of(vec![frame]))].into(),
            in_progress: Vec::new(),
            unfinished_bytes: 1000,
            done: 0,
        }
    }

    #[test]
    fn a_walk_goes_on_for_its_component_and_its_plan_only() {
        let mut walks = PausedWalks::default();
        assert!(walks.take(5, DOWN).is_none());
        walks.keep(5, DOWN, walk(), u64::MAX);
        walks.keep(4, PROBED, walk(), u64::MAX);
        assert!(walks.take(5, PROBED).is_none());
        assert!(walks.take(5, DOWN).is_some());
        assert!(walks.take(5, DOWN).is_none());
        walks.keep(5, DOWN, walk(), u64::MAX);
        assert!(walks.take(6, DOWN).is_none());
        assert!(walks.take(5, DOWN).is_none());
        assert_eq!(walks.bytes(), 0);
    }

    #[test]
    fn the_walk_that_paused_first_is_dropped_first_and_no_more_than_needed() {
        let bytes = walk().bytes();
        assert_eq!(bytes, 1000 + size_of::<Frame<u64>>() as u64);
        for (max_bytes, kept) in [
            (2 * bytes, [true, true]),
            (2 * bytes - 1, [false, true]),
            (bytes - 1, [false, false]),
        ] {
            let mut walks = PausedWalks::default();
            walks.keep(0, DOWN, walk(), max_bytes);
            walks.keep(0, PROBED, walk(), max_bytes);
            assert_eq!(
                [DOWN, PROBED].map(|plan| walks.take(0, plan).is_some()),
                kept
            );
        }
    }
}
