//! A walk counts one component by branching, with one plan. Several workers share it, and each component within the component is counted
//! once.
//!
//! Each worker goes depth first. The components that it has begun are on a stack of its own, one [`Frame`](super::frame::Frame) for each.
//! While another worker is idle, a worker gives away a [`WalkTask`], the one nearest to the bottom of its stack. That leaves a *gap*.
//!
//! While a component is being counted, its key is in the table of components in progress. Another worker that meets the key in this time
//! leaves a gap as well, and continues with another component. When a side or component leaves the stack with gaps, it is kept as an
//! [`Unfinished`]. The worker that fills its last gap completes it, which may complete others in turn. So no worker waits for another, and
//! nothing is counted twice. Gaps form no cycle, because the components within a component are smaller than it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::paused_walks::PausedWalk;
use super::piece::{ComponentsInProgress, PausedStack, Piece, SHARDS, WalkTask, shard};
use super::unfinished::{ComponentRecord, Destination, GapValue, Kind, Unfinished, WaitingSide};
use crate::count::components::{Component, ComponentValue, Key, Store, edge};
use crate::count::plan::{Trial, TrialEnd};
use crate::graph::Edge;
use crate::line::Word;
use crate::run::lock;
use crate::search::WHOLE;
use crate::solutions::Count;

/// A worker without a task checks at this interval whether the run was stopped.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// In a forecast, a walk that several workers share is assumed to be slower from now on than so far by at most this factor. On eight threads,
/// a walk of a random 17x17 puzzle had done 73 % after an eighth of its budget, and 74 % at the end: it was slower by a factor of 180.
const MAX_SLOWDOWN: f64 = 1000.0;

/// Maximum time to wait for the stacks of the other workers when a walk is over, and when the run is stopped.
const MAX_STACK_WAIT: Duration = Duration::from_secs(1);
const MAX_STACK_WAIT_OF_STOP: Duration = Duration::from_millis(100);

/// The state of a walk that its workers share.
#[derive(Debug)]
pub(crate) struct Walk<W> {
    pub(crate) trial: Trial,
    pieces: Mutex<VecDeque<Piece<W>>>,
    /// Wakes workers that wait for a piece.
    wake: Condvar,
    /// Number of waiting pieces, and number of workers that wait for one. Relaxed: hints.
    waiting_pieces: AtomicUsize,
    idle_workers: AtomicUsize,
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
    /// The share that was done when half of the budget was used up. Relaxed: for a forecast.
    done_at_half: AtomicU64,
    /// Whether other workers have joined it. Relaxed: for a forecast.
    is_joined: AtomicBool,
    /// Whether the walk has ended; and its result, until it is taken. Stored with release and read with acquire, so that who sees the end
    /// sees the result.
    has_ended: AtomicBool,
    result: Mutex<Option<TrialEnd>>,
    /// Number of workers with a stack. It is increased relaxed, by the worker that begins the walk or under the lock of the tasks, and
    /// decreased with release, so that who reads 0 with acquire sees the stacks. When the walk has ended without a count: the stacks that
    /// were not empty.
    active_stacks: AtomicUsize,
    ended_stacks: Mutex<Vec<PausedStack<W>>>,
    /// The best lower bound that has been proved for the count of the component, rounded.
    best_bound: Mutex<f64>,
}

/// The result of a worker's attempt to claim a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The worker must count it; others will not.
    Mine,
    /// The worker must count it, although others may do so too.
    Untracked,
    /// Another worker counts it: the side has one more gap.
    InProgress,
}

impl<W: Word> Walk<W> {
    pub(crate) fn new(trial: Trial) -> Self {
        Walk {
            trial,
            pieces: Mutex::default(),
            wake: Condvar::new(),
            waiting_pieces: AtomicUsize::new(0),
            idle_workers: AtomicUsize::new(0),
            live_pieces: AtomicUsize::new(1),
            in_progress: (0..SHARDS).map(|_| Mutex::default()).collect(),
            unfinished_bytes: AtomicU64::new(0),
            work: AtomicU64::new(0),
            done: AtomicU64::new(0),
            done_at_half: AtomicU64::new(0),
            is_joined: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            result: Mutex::new(None),
            active_stacks: AtomicUsize::new(0),
            ended_stacks: Mutex::default(),
            best_bound: Mutex::new(0.0),
        }
    }

    /// A walk that goes on where an earlier one has paused.
    pub(crate) fn resumed(trial: Trial, paused: PausedWalk<W>) -> Self {
        Walk {
            waiting_pieces: AtomicUsize::new(paused.pieces.len()),
            live_pieces: AtomicUsize::new(paused.pieces.len()),
            pieces: Mutex::new(paused.pieces),
            in_progress: paused.in_progress.into_iter().map(Mutex::new).collect(),
            unfinished_bytes: AtomicU64::new(paused.unfinished_bytes),
            done: AtomicU64::new(paused.done),
            done_at_half: AtomicU64::new(paused.done),
            ..Walk::new(trial)
        }
    }

    /// A new owner for the whole component: when its gap is filled, the walk ends with that value.
    pub(crate) fn root(&self) -> Arc<Unfinished<W>> {
        Unfinished::product(Destination::WalkResult)
    }

    /// Adds work and a share done to the sums; returns the work of the whole walk so far.
    pub(crate) fn add(&self, work: u64, done: u64) -> u64 {
        let all_done = self.done.fetch_add(done, Ordering::Relaxed) + done;
        let before = self.work.fetch_add(work, Ordering::Relaxed);
        let (after, half) = (before + work, self.trial.budget / 2);
        if before < half && half <= after {
            self.done_at_half.store(all_done, Ordering::Relaxed);
        }
        after
    }

    /// Records that another worker joins the walk.
    pub(crate) fn join(&self) {
        self.is_joined.store(true, Ordering::Relaxed);
    }

    /// The share of the walk that is done, out of [`WHOLE`].
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed).min(WHOLE)
    }

    /// Ends the walk because its budget is used up.
    pub(crate) fn end_out_of_budget(&self) {
        let is_joined = self.is_joined.load(Ordering::Relaxed);
        let work = self.work.load(Ordering::Relaxed) as f64;
        let share = self.done() as f64 / WHOLE as f64;
        let forecast = match is_joined {
            true => self.recent_forecast(work, share),
            false => work / share,
        };
        self.end(TrialEnd::Spent {
            forecast,
            proved: self.best_bound(),
            is_recent: is_joined,
        });
    }

    /// Forecast for a walk that several workers share, from the progress since half of the budget was used up. Several workers begin at many
    /// places of the component at once, and soon end where it is easy. So the share that is done is large at first, and then grows slowly.
    fn recent_forecast(&self, work: f64, share: f64) -> f64 {
        let done_at_half = self.done_at_half.load(Ordering::Relaxed).min(WHOLE);
        let progress = share - done_at_half as f64 / WHOLE as f64;
        let all_work = self.trial.earlier_work as f64 + work;
        let remaining = all_work * (1.0 / share - 1.0);
        let recent = match progress > 0.0 {
            true => work / 2.0 * (1.0 - share) / progress,
            false => f64::INFINITY,
        };
        let remaining = recent.clamp(remaining, MAX_SLOWDOWN * remaining);
        work * (1.0 + remaining / all_work)
    }

    /// Records a lower bound for the count of the component.
    pub(crate) fn raise_bound(&self, bound: &Count) {
        let mut best = lock(&self.best_bound);
        *best = best.max(bound.to_f64().min(f64::MAX));
    }

    /// The best lower bound that has been proved for the count of the component, rounded.
    pub(crate) fn best_bound(&self) -> f64 {
        *lock(&self.best_bound)
    }

    /// Ends the walk for all its workers. The first result given is kept, but the value of the component replaces any other one.
    pub(crate) fn end(&self, how: TrialEnd) {
        let mut result = lock(&self.result);
        if result.is_none() || matches!(how, TrialEnd::Done(_)) {
            *result = Some(how);
        }
        drop(result);
        // Release: a worker that sees it sees the result too.
        self.has_ended.store(true, Ordering::Release);
        drop(lock(&self.pieces));
        self.wake.notify_all();
    }

    /// Whether the walk has ended with the value of the component.
    pub(crate) fn is_done(&self) -> bool {
        matches!(*lock(&self.result), Some(TrialEnd::Done(_)))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Takes the result of the walk, for the worker that began it.
    pub(crate) fn take_end(&self) -> TrialEnd {
        let result = lock(&self.result).take();
        result.unwrap_or(TrialEnd::Stopped)
    }

    /// Records that a worker has a stack.
    pub(crate) fn begin_stack(&self) {
        self.active_stacks.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that a worker has no stack any more, and keeps what is left on it.
    pub(crate) fn end_stack(&self, stack: Option<PausedStack<W>>) {
        lock(&self.ended_stacks).extend(stack);
        // Release: the worker that waits for this sees the frames.
        self.active_stacks.fetch_sub(1, Ordering::Release);
    }

    /// When the walk has ended without a count: takes its stacks and tasks, for the worker that began the walk. `None` when another worker
    /// does not end its stack within [`MAX_STACK_WAIT`], or within [`MAX_STACK_WAIT_OF_STOP`] if the run `is_stopped`.
    pub(crate) fn pause(&self, is_stopped: impl Fn() -> bool) -> Option<PausedWalk<W>> {
        let began = Instant::now();
        // A worker that takes a task counts its stack before it lets go of the tasks. So each one that has taken a task before the end has
        // a stack from here on, and no other one takes a task any more.
        drop(lock(&self.pieces));
        // Acquire: the frames of the stacks that have ended are seen.
        while self.active_stacks.load(Ordering::Acquire) > 0 {
            let max_wait = match is_stopped() {
                true => MAX_STACK_WAIT_OF_STOP,
                false => MAX_STACK_WAIT,
            };
            if began.elapsed() > max_wait {
                return None;
            }
            std::thread::yield_now();
        }
        let mut stacks = std::mem::take(&mut *lock(&self.ended_stacks));
        // That of the whole component first.
        stacks.sort_by_key(|stack| stack.owner.is_some());
        let stacks = stacks.into_iter().map(Piece::Stack);
        let tasks = std::mem::take(&mut *lock(&self.pieces));
        let shards = self.in_progress.iter();
        Some(PausedWalk {
            pieces: stacks.chain(tasks).collect(),
            in_progress: shards
                .map(|shard| std::mem::take(&mut *lock(shard)))
                .collect(),
            unfinished_bytes: self.unfinished_bytes.load(Ordering::Relaxed),
            done: self.done.load(Ordering::Relaxed),
        })
    }

    /// Whether more workers wait for tasks than tasks wait for workers.
    #[inline]
    pub(crate) fn wants_tasks(&self) -> bool {
        self.idle_workers.load(Ordering::Relaxed) > self.waiting_pieces.load(Ordering::Relaxed)
    }

    /// Whether the unfinished components and the sides that wait for them have less than this number of bytes.
    pub(crate) fn has_room(&self, max_bytes: u64) -> bool {
        self.unfinished_bytes.load(Ordering::Relaxed) < max_bytes
    }

    /// Gives a task away.
    pub(crate) fn push_task(&self, task: WalkTask<W>) {
        self.live_pieces.fetch_add(1, Ordering::Relaxed);
        let mut pieces = lock(&self.pieces);
        pieces.push_back(Piece::Task(task));
        self.waiting_pieces.store(pieces.len(), Ordering::Relaxed);
        drop(pieces);
        self.wake.notify_one();
    }

    /// Records that a piece has ended. If that was the last one, the walk ends without a value.
    pub(crate) fn end_piece(&self) {
        if self.live_pieces.fetch_sub(1, Ordering::AcqRel) == 1 && !self.is_over() {
            self.end(TrialEnd::Full);
        }
    }

    /// Waits for a piece: `None` after [`IDLE_POLL_INTERVAL`], or when the walk is over. A worker that gets one has a stack from then on.
    pub(crate) fn wait_for_piece(&self) -> Option<Piece<W>> {
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
        self.begin_stack();
        Some(piece)
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, ComponentsInProgress<W>> {
        lock(&self.in_progress[shard(key)])
    }

    /// Claims a component that is not counted yet. If another worker counts it and `has_room` is set, as by [`has_room`](Self::has_room),
    /// the side that `side` returns gets a gap and waits for the value.
    pub(crate) fn claim(
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
    pub(crate) fn release(&self, key: &Key) -> Vec<WaitingSide<W>> {
        if key.is_empty() {
            return Vec::new();
        }
        let waiting = self.shard(key).remove(key).unwrap_or_default();
        let bytes = waiting.iter().map(WaitingSide::bytes).sum();
        self.unfinished_bytes.fetch_sub(bytes, Ordering::Relaxed);
        waiting
    }

    /// A new owner for a component that must be counted again. It passes the value to the sides that wait for the component.
    pub(crate) fn owner_for_recount(&self, waiting: Vec<WaitingSide<W>>) -> Arc<Unfinished<W>> {
        Unfinished::product(Destination::WaitingSides(waiting))
    }

    /// Adds the bytes of a component that becomes unfinished.
    pub(crate) fn charge(&self, record: &ComponentRecord<W>) {
        self.unfinished_bytes
            .fetch_add(record.bytes(), Ordering::Relaxed);
    }

    /// Fills the gaps of all sides that wait for this component with its value.
    pub(crate) fn fill_waiting(&self, store: &Store, key: &Key, value: &ComponentValue) {
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
    pub(crate) fn fill(&self, store: &Store, into: Arc<Unfinished<W>>, gap_value: GapValue<W>) {
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
                    let ComponentRecord {
                        component,
                        nodes,
                        recompute_cost,
                    } = record;
                    let value = ComponentValue {
                        node: store.add_node(edges.iter().map(Edge::as_ref), &value),
                        count: value,
                    };
                    let waiting =
                        self.store_value(store, &component.key, &value, nodes, recompute_cost);
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
                        Destination::WalkResult => self.end(TrialEnd::Done(value)),
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

    /// Stores the value of a component; returns the sides that wait for it.
    fn store_value(
        &self,
        store: &Store,
        key: &Key,
        value: &ComponentValue,
        nodes: u64,
        recompute_cost: u64,
    ) -> Vec<WaitingSide<W>> {
        // The value is stored before the key is released, so that a worker finds the one or the other.
        store.insert(key.clone(), value.clone(), nodes, recompute_cost);
        self.release(key)
    }
}

#[cfg(test)]
mod tests;
