//! The walks that go on in later rounds: their stacks and tasks as data, so that any worker can go on with them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::bound::Bound;
use super::paused::{Held, Paused};
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

impl<W> Held for PausedWalk<W> {
    fn bytes(&self) -> u64 {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Stack(stack) => stack.bytes(),
            Piece::Task(task) => task.bytes(),
        });
        let claims = self.in_progress.iter().flat_map(|shard| shard.keys());
        let claims = claims.map(|key| size_of_val(&**key) as u64 + CLAIM_BYTES);
        self.unfinished_bytes + pieces.sum::<u64>() + claims.sum::<u64>()
    }
}

/// The walks of one component that have paused, at most one by each plan.
pub(crate) type PausedWalks<W> = Paused<Plan, PausedWalk<W>>;

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::super::piece::PausedStack;
    use super::*;
    use crate::count::components::Component;

    #[test]
    fn the_bytes_of_a_walk_are_those_of_its_pieces_claims_and_unfinished_components() {
        let frame = Frame::<u64>::new(Component::empty(), 0, None);
        let claims = ComponentsInProgress::from_iter([(vec![7; 5].into(), Vec::new())]);
        let walk = PausedWalk {
            pieces: [Piece::Stack(PausedStack::of(vec![frame]))].into(),
            in_progress: vec![claims],
            unfinished_bytes: 1000,
            done: 0,
        };
        let frame_bytes = size_of::<Frame<u64>>() as u64;
        assert_eq!(walk.bytes(), 1000 + frame_bytes + 20 + CLAIM_BYTES);
        assert!(walk.is_shared());
    }
}
