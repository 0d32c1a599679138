//! The pieces of a walk that a worker can take: tasks that nobody has begun, and stacks that have paused.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::frame::Frame;
use super::unfinished::{Unfinished, WaitingSide};
use crate::board::Changes;
use crate::count::components::{Component, Key};
use crate::line::Known;
use crate::puzzle::Cell;

/// Number of shards of the table of components in progress; each has its own lock.
pub(super) const SHARDS: usize = 64;

/// A task of a walk for any worker, which nobody has begun: the other side of a branch, the whole component, or a component that its worker
/// has abandoned.
#[derive(Debug)]
pub(crate) struct WalkTask<W> {
    /// The known cells of each row, before the task is begun.
    pub(crate) rows: Vec<Known<W>>,
    pub(crate) component: Component<W>,
    /// The side of the branch on this cell; `None` for the whole component.
    pub(crate) side: Option<(Cell, bool)>,
    /// To what its result is passed: for a side, the component that it divides; for a component, the side that contains it.
    pub(crate) owner: Arc<Unfinished<W>>,
    /// The estimated share of this task in the work of the walk, out of [`WHOLE`](crate::search::WHOLE).
    pub(crate) weight: u64,
}

impl<W> WalkTask<W> {
    /// Bytes of the task.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<Self>() + size_of_val(&*self.rows)) as u64 + self.component.bytes()
    }
}

/// A piece of a walk that a worker takes.
#[derive(Debug)]
pub(crate) enum Piece<W> {
    Task(WalkTask<W>),
    /// A stack of an earlier slice.
    Stack(PausedStack<W>),
}

impl<W> Piece<W> {
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Piece::Task(task) => task.bytes(),
            Piece::Stack(stack) => stack.bytes(),
        }
    }
}

/// The keys of components in progress, with the sides that wait for each.
pub(super) type ComponentsInProgress<W> = FxHashMap<Key, Vec<WaitingSide<W>>>;

/// The stack of a worker that has stopped between two nodes.
#[derive(Debug)]
pub(crate) struct PausedStack<W> {
    /// The known cells of each row before the first frame, and what the frames have decided since then.
    pub(super) rows: Vec<Known<W>>,
    pub(super) changes: Changes<W>,
    /// The frames, whose marks count from the first one's.
    pub(super) frames: Vec<Frame<W>>,
    /// The owner of the gap for which it counts.
    pub(super) owner: Arc<Unfinished<W>>,
    /// The totals of the worker: share of the walk done in this stack, and nodes.
    pub(super) share_done: u64,
    pub(super) nodes: u64,
}

impl<W> PausedStack<W> {
    pub(super) fn bytes(&self) -> u64 {
        let frames: u64 = self.frames.iter().map(Frame::bytes).sum();
        size_of_val(&*self.rows) as u64 + self.changes.bytes() + frames
    }
}

/// The index of the shard that has this key.
pub(super) fn shard(key: &Key) -> usize {
    let hash = BuildHasherDefault::<FxHasher>::default().hash_one(key);
    (hash >> 32) as usize % SHARDS
}

#[cfg(test)]
impl<W> PausedStack<W> {
    /// A stack on an empty board that counts for this owner.
    pub(super) fn of(frames: Vec<Frame<W>>, owner: Arc<Unfinished<W>>) -> Self {
        PausedStack {
            rows: Vec::new(),
            changes: Changes::default(),
            frames,
            owner,
            share_done: 0,
            nodes: 0,
        }
    }
}
