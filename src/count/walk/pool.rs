//! A walk counts one component by branching. It is data: a pool of pieces, the components in progress, and what is spent.
//!
//! A *piece* is a part of the component that one worker counts at a time, depth first: a task that nobody has begun, or the stack of a worker
//! that has stopped between two nodes. A slice of the walk is a fork-join: each worker takes a piece, loads its stack, steps, and from time
//! to time looks at what is spent; when the slice is over it puts its stack back. While a worker has nothing to do, another one gives away a
//! [`WalkTask`], the one nearest to the bottom of its stack. That leaves a *gap*.
//!
//! While a component is being counted, its key is in the table of components in progress. Another worker that meets the key in this time
//! leaves a gap as well, and continues with another component. When a side or component leaves the stack with gaps, it is kept as an
//! [`Unfinished`]. The worker that fills its last gap completes it, which may complete others in turn. So no worker waits for another, and
//! nothing is counted twice. Gaps form no cycle, because the components within a component are smaller than it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::bound::Bound;
use super::piece::{ComponentsInProgress, Piece, SHARDS, WalkTask, shard};
use super::unfinished::{ComponentRecord, Destination, GapValue, Kind, Unfinished, WaitingSide};
use crate::count::components::{Component, ComponentValue, Key, Store, edge};
use crate::count::root::Root;
use crate::graph::Edge;
use crate::line::Word;
use crate::run::lock;
use crate::search::WHOLE;
use crate::solutions::Count;

/// A worker without a piece checks at this interval whether the run was stopped.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Bytes of a component in progress besides its key, with the room that the table has for others.
const CLAIM_BYTES: u64 = 100;

/// A walk through one component.
#[derive(Debug)]
pub(crate) struct Walk<W> {
    /// The pieces that wait for a worker: stacks first, then tasks.
    pieces: Mutex<VecDeque<Piece<W>>>,
    /// Wakes workers that wait for a piece.
    wake: Condvar,
    /// Number of waiting pieces, and number of workers that wait for one. Relaxed: hints.
    waiting_pieces: AtomicUsize,
    pub(super) idle_workers: AtomicUsize,
    /// Number of pieces that are waiting or under way. It is increased by a piece that is under way, so relaxed: it cannot be 0 meanwhile.
    /// It is decreased with acquire and release, so that the last piece to end sees whether another one has ended the walk.
    live_pieces: AtomicUsize,
    /// The table of components in progress.
    in_progress: Box<[Mutex<ComponentsInProgress<W>>]>,
    /// Bytes of unfinished components, and of the sides that wait for them. Relaxed: a sum.
    unfinished_bytes: AtomicU64,
    /// Nanoseconds of work of all workers, and the share that is done, out of [`WHOLE`]. Relaxed: sums.
    work: AtomicU64,
    done: AtomicU64,
    /// The work at which the slice is over. Relaxed: set while nobody works on the walk.
    limit: AtomicU64,
    /// Whether the slice is over. Stored with release and read with acquire, so that who sees the end sees the value.
    is_over: AtomicBool,
    /// The value of the component.
    value: Mutex<Option<ComponentValue>>,
}

/// The result of a worker's attempt to claim a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The worker must count it; others will not.
    Mine,
    /// The worker must count it, although others may do so too.
    Untracked,
    /// Another worker counts it: the side has one more gap.
    InProgress,
}

impl<W: Word> Walk<W> {
    /// A walk through this component of a root, with the whole component as its only piece.
    pub(crate) fn new(root: &Root<W>, component: usize) -> Self {
        let component = &root.components[component];
        let whole = WalkTask {
            rows: root.rows.clone(),
            component: component.clone(),
            side: None,
            owner: Unfinished::product(Destination::WalkResult),
            weight: WHOLE,
        };
        Walk {
            pieces: Mutex::new([Piece::Task(whole)].into()),
            wake: Condvar::new(),
            waiting_pieces: AtomicUsize::new(1),
            idle_workers: AtomicUsize::new(0),
            live_pieces: AtomicUsize::new(1),
            in_progress: (0..SHARDS).map(|_| Mutex::default()).collect(),
            unfinished_bytes: AtomicU64::new(0),
            work: AtomicU64::new(0),
            done: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            is_over: AtomicBool::new(true),
            value: Mutex::default(),
        }
    }

    /// Begins a slice of this many nanoseconds of work. Nobody may work on the walk meanwhile.
    pub(crate) fn begin_slice(&self, work: u64) {
        let limit = self.work().saturating_add(work);
        self.limit.store(limit, Ordering::Relaxed);
        let is_done = lock(&self.value).is_some();
        self.is_over.store(is_done, Ordering::Release);
    }

    /// Ends the slice for all workers.
    pub(super) fn end_slice(&self) {
        self.is_over.store(true, Ordering::Release);
        drop(lock(&self.pieces));
        self.wake.notify_all();
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// The value of the component, once it is counted.
    pub(crate) fn value(&self) -> Option<ComponentValue> {
        lock(&self.value).clone()
    }

    /// Whether no piece is left; then the component is counted.
    pub(crate) fn has_no_piece(&self) -> bool {
        self.live_pieces.load(Ordering::Acquire) == 0
    }

    /// Adds work and a share done to the sums, and ends the slice if its work is used up.
    pub(super) fn add(&self, work: u64, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
        let after = self.work.fetch_add(work, Ordering::Relaxed) + work;
        if after >= self.limit.load(Ordering::Relaxed) {
            self.end_slice();
        }
    }

    /// The nanoseconds of work so far.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// The share that is done, from 0 to 1.
    pub(crate) fn done(&self) -> f64 {
        let done = self.done.load(Ordering::Relaxed).min(WHOLE);
        done as f64 / WHOLE as f64
    }

    /// A lower bound for the count of the component, from all pieces. Nobody may work on the walk meanwhile.
    pub(crate) fn bound(&self) -> Count {
        if let Some(value) = &*lock(&self.value) {
            return value.count.clone();
        }
        let waiting = |key: &Key| {
            let shard = self.shard(key);
            let sides = shard.get(key).into_iter().flatten();
            sides.map(|gap| Arc::clone(&gap.side)).collect()
        };
        let mut bound = Bound::new(waiting);
        for piece in &*lock(&self.pieces) {
            match piece {
                Piece::Stack(stack) => bound.add_stack(&stack.frames),
                Piece::Task(task) => bound.add_task(task),
            }
        }
        bound.result()
    }

    /// Bytes of the pieces, claims and unfinished components.
    pub(crate) fn bytes(&self) -> u64 {
        let pieces: u64 = lock(&self.pieces).iter().map(Piece::bytes).sum();
        let claims = |shard: &Mutex<ComponentsInProgress<W>>| {
            let keys = lock(shard);
            let bytes = |key: &Key| size_of_val(&**key) as u64 + CLAIM_BYTES;
            keys.keys().map(bytes).sum::<u64>()
        };
        let claims: u64 = self.in_progress.iter().map(claims).sum();
        self.unfinished_bytes.load(Ordering::Relaxed) + pieces + claims
    }

    /// Whether more workers wait for pieces than pieces wait for workers.
    #[inline]
    pub(super) fn wants_tasks(&self) -> bool {
        self.idle_workers.load(Ordering::Relaxed) > self.waiting_pieces.load(Ordering::Relaxed)
    }

    /// Whether the unfinished components and the sides that wait for them have less than this number of bytes.
    pub(super) fn has_room(&self, max_bytes: u64) -> bool {
        self.unfinished_bytes.load(Ordering::Relaxed) < max_bytes
    }

    /// Gives a task away.
    pub(super) fn push_task(&self, task: WalkTask<W>) {
        self.live_pieces.fetch_add(1, Ordering::Relaxed);
        let mut pieces = lock(&self.pieces);
        pieces.push_back(Piece::Task(task));
        self.waiting_pieces.store(pieces.len(), Ordering::Relaxed);
        drop(pieces);
        self.wake.notify_one();
    }

    /// Takes back a piece whose worker has stopped because the slice is over.
    pub(super) fn put_back(&self, piece: Piece<W>) {
        let mut pieces = lock(&self.pieces);
        pieces.push_front(piece);
        self.waiting_pieces.store(pieces.len(), Ordering::Relaxed);
    }

    /// Records that a piece has ended. If that was the last one, the slice is over.
    pub(super) fn end_piece(&self) {
        if self.live_pieces.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end_slice();
        }
    }

    /// Waits for a piece: `None` after [`IDLE_POLL_INTERVAL`], or when the slice is over.
    pub(super) fn wait_for_piece(&self) -> Option<Piece<W>> {
        let mut pieces = lock(&self.pieces);
        if pieces.is_empty() && !self.is_over() {
            self.idle_workers.fetch_add(1, Ordering::Relaxed);
            let woken = self.wake.wait_timeout(pieces, IDLE_POLL_INTERVAL);
            pieces = woken.unwrap_or_else(PoisonError::into_inner).0;
            self.idle_workers.fetch_sub(1, Ordering::Relaxed);
        }
        if self.is_over() {
            return None;
        }
        let piece = pieces.pop_front()?;
        self.waiting_pieces.store(pieces.len(), Ordering::Relaxed);
        Some(piece)
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, ComponentsInProgress<W>> {
        lock(&self.in_progress[shard(key)])
    }

    /// Claims a component that is not counted yet. If another worker counts it and `has_room` is set, as by [`has_room`](Self::has_room),
    /// the side that `side` returns gets a gap and waits for the value.
    pub(super) fn claim(
        &self,
        component: &Component<W>,
        weight: u64,
        has_room: bool,
        side: impl FnOnce() -> Arc<Unfinished<W>>,
    ) -> Claim {
        if component.key.is_empty() {
            return Claim::Untracked;
        }
        let mut in_progress = self.shard(&component.key);
        match in_progress.get_mut(&component.key) {
            Some(waiting) if has_room => {
                let side = side();
                side.add_gap();
                let gap = WaitingSide {
                    side,
                    cells: component.rows.clone(),
                    weight,
                };
                self.unfinished_bytes
                    .fetch_add(gap.bytes(), Ordering::Relaxed);
                waiting.push(gap);
                Claim::InProgress
            }
            Some(_) => Claim::Untracked,
            None => {
                in_progress.insert(component.key.clone(), Vec::new());
                Claim::Mine
            }
        }
    }

    /// Removes a component from the table of those in progress; returns the sides that wait for it.
    pub(super) fn release(&self, key: &Key) -> Vec<WaitingSide<W>> {
        if key.is_empty() {
            return Vec::new();
        }
        let waiting = self.shard(key).remove(key).unwrap_or_default();
        let bytes = waiting.iter().map(WaitingSide::bytes).sum();
        self.unfinished_bytes.fetch_sub(bytes, Ordering::Relaxed);
        waiting
    }

    /// Adds the bytes of a component that becomes unfinished.
    pub(super) fn charge(&self, record: &ComponentRecord<W>) {
        self.unfinished_bytes
            .fetch_add(record.bytes(), Ordering::Relaxed);
    }

    /// Fills the gaps of all sides that wait for this component with its value.
    pub(super) fn fill_waiting(&self, store: &Store, key: &Key, value: &ComponentValue) {
        let waiting = self.release(key);
        let gap_values = waiting.into_iter().map(|gap| self.value_for(value, gap));
        self.fill_all(store, gap_values.collect());
    }

    /// The value of a component as one of the waiting sides receives it.
    fn value_for(
        &self,
        value: &ComponentValue,
        gap: WaitingSide<W>,
    ) -> (Arc<Unfinished<W>>, GapValue<W>) {
        self.add(0, gap.weight);
        (gap.side, GapValue::of(value, gap.cells))
    }

    /// Fills a gap. If that completes its owner, passes the value of the owner on in the same way, and so on.
    pub(super) fn fill(&self, store: &Store, into: Arc<Unfinished<W>>, gap_value: GapValue<W>) {
        self.fill_all(store, vec![(into, gap_value)]);
    }

    fn fill_all(&self, store: &Store, mut gap_values: Vec<(Arc<Unfinished<W>>, GapValue<W>)>) {
        while let Some((into, gap_value)) = gap_values.pop() {
            let Some((value, kind, destination)) = into.fill_gap(gap_value) else {
                continue;
            };
            match kind {
                Kind::Component { edges, record } => {
                    let Some(record) = record else {
                        debug_assert!(false, "a component without a record is on a stack");
                        continue;
                    };
                    self.unfinished_bytes
                        .fetch_sub(record.bytes(), Ordering::Relaxed);
                    let ComponentRecord { component, nodes } = record;
                    let value = ComponentValue {
                        node: store.add_node(edges.iter().map(Edge::as_ref), &value),
                        count: value,
                    };
                    // The value is stored before the key is released, so that a worker finds the one or the other.
                    store.insert(component.key.clone(), value.clone(), nodes);
                    let waiting = self.release(&component.key);
                    gap_values.extend(waiting.into_iter().map(|gap| self.value_for(&value, gap)));
                    if let Destination::Gap(side) = destination {
                        gap_values.push((side, GapValue::of(&value, component.rows)));
                    }
                }
                Kind::Side {
                    children,
                    graph_cells,
                } => {
                    let value = ComponentValue {
                        count: value,
                        node: children.last().map(|&(node, _)| node),
                    };
                    match destination {
                        Destination::WalkResult => {
                            *lock(&self.value) = Some(value);
                            self.end_slice();
                        }
                        Destination::WaitingSides(waiting) => {
                            gap_values
                                .extend(waiting.into_iter().map(|gap| self.value_for(&value, gap)));
                        }
                        Destination::Gap(open_component) => {
                            let edges = match graph_cells {
                                Some((cells, filled)) if !value.count.is_zero() => {
                                    let mut filled = filled.iter().copied();
                                    let filled = |_| filled.next().expect("one for each row");
                                    vec![edge(&cells, filled, children)]
                                }
                                _ => Vec::new(),
                            };
                            let gap_value = GapValue {
                                count: value.count,
                                edges,
                                children: Vec::new(),
                            };
                            gap_values.push((open_component, gap_value));
                        }
                        Destination::Nowhere => {
                            debug_assert!(false, "a component or side on a stack is not complete")
                        }
                    }
                }
            }
        }
    }
}
