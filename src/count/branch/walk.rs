//! A walk counts one component by branching, with one plan. Several workers share it, and each component within the component is counted
//! once.
//!
//! Each worker goes depth first. The components that it has begun are on a stack of its own, one [`Frame`] for each. While another worker
//! is idle, a worker gives away a piece that is not begun, the one nearest to the bottom of its stack, as a [`WalkTask`]. A piece is the other
//! side of a branch, or a component of a side that is known to have a solution. It leaves a *gap*.
//!
//! While a component is being counted, its key is in the table of components in progress. Another worker that meets the key in this time
//! leaves a gap as well, and continues with another component. When a side or component leaves the stack with gaps, it is kept as an
//! [`Unfinished`]. The worker that fills its last gap completes it, which may complete others in turn. So no worker waits for another, and
//! nothing is counted twice. Gaps form no cycle, because the components within a component are smaller than it.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHasher};

use super::frame::Frame;
use super::unfinished::{ComponentRecord, Destination, GapValue, Kind, Unfinished, WaitingSide};
use crate::board::Cell;
use crate::count::components::{Component, ComponentValue, Key, Store, edge};
use crate::count::plan::{Trial, TrialEnd};
use crate::graph::Edge;
use crate::line::{Known, Word};
use crate::puzzle::Grid;
use crate::run::lock;
use crate::search::WHOLE;
use crate::solutions::Count;

/// Number of shards of the table of components in progress; each has its own lock.
const SHARDS: usize = 64;

/// A worker without a task checks at this interval whether the run was stopped.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// In a forecast, a walk that several workers share is assumed to be slower from now on than so far by at most this factor. On eight threads,
/// a walk of a random 17x17 puzzle had done 73 % after an eighth of its budget, and 74 % at the end: it was slower by a factor of 180.
const MAX_SLOWDOWN: f64 = 1000.0;

/// Maximum time to wait for the stacks of the other workers when a walk is over.
const MAX_STACK_WAIT: Duration = Duration::from_millis(100);

/// A piece of a walk for any worker to begin.
#[derive(Debug)]
pub(crate) struct WalkTask<W> {
    /// The known cells of each row, before the piece is begun.
    pub(crate) rows: Vec<Known<W>>,
    pub(crate) component: Component<W>,
    /// The side of the branch on this cell; `None` for the whole component.
    pub(crate) side: Option<(Cell, bool)>,
    /// To what its result is passed: for a side, the component that it divides; for a component, the side that contains it.
    pub(crate) owner: Arc<Unfinished<W>>,
    /// A solution of the puzzle in which all decisions above the component hold.
    pub(crate) witness_above: Option<Arc<Grid>>,
    /// The estimated share of this piece in the work of the walk, out of [`WHOLE`].
    pub(crate) weight: u64,
    /// The decisions above the piece.
    pub(crate) path: Vec<(Cell, bool)>,
    /// Whether the oracle may be asked: only if all decisions of `path` hold in some solution.
    pub(crate) may_ask_oracle: bool,
}

/// The keys of components in progress, with the sides that wait for each.
type ComponentsInProgress<W> = FxHashMap<Key, Vec<WaitingSide<W>>>;

/// The state of a walk that its workers share.
#[derive(Debug)]
pub(crate) struct Walk<W> {
    pub(crate) trial: Trial,
    tasks: Mutex<VecDeque<WalkTask<W>>>,
    /// Wakes workers that wait for a task.
    wake: Condvar,
    /// Number of waiting tasks, and number of workers that wait for one. Relaxed: hints.
    waiting_tasks: AtomicUsize,
    idle_workers: AtomicUsize,
    /// Number of tasks that are waiting or under way. It is increased by a task that is under way, so relaxed: it cannot be 0 meanwhile.
    /// It is decreased with acquire and release, so that the last task to end sees whether another one has ended the walk.
    live_tasks: AtomicUsize,
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
    ended_stacks: Mutex<Vec<Vec<Frame<W>>>>,
    /// Whether values are only lower bounds, which must not be stored. Relaxed: it is set only when no other worker fills gaps any more.
    values_are_bounds: AtomicBool,
    /// When the walk has ended without a count: a lower bound, put together from all stacks and tasks.
    bound_at_end: Mutex<Count>,
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
            tasks: Mutex::default(),
            wake: Condvar::new(),
            waiting_tasks: AtomicUsize::new(0),
            idle_workers: AtomicUsize::new(0),
            live_tasks: AtomicUsize::new(1),
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
            values_are_bounds: AtomicBool::new(false),
            bound_at_end: Mutex::new(Count::ZERO),
            best_bound: Mutex::new(0.0),
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

    /// Ends the walk for all its workers; the first result given is kept.
    pub(crate) fn end(&self, how: TrialEnd) {
        lock(&self.result).get_or_insert(how);
        // Release: a worker that sees it sees the result too.
        self.has_ended.store(true, Ordering::Release);
        drop(lock(&self.tasks));
        self.wake.notify_all();
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

    /// Records that a worker has no stack any more, and keeps the frames left on it.
    pub(crate) fn end_stack(&self, frames: Vec<Frame<W>>) {
        if !frames.is_empty() {
            lock(&self.ended_stacks).push(frames);
        }
        // Release: the worker that waits for this sees the frames.
        self.active_stacks.fetch_sub(1, Ordering::Release);
    }

    /// When the walk has ended without a count: puts the lower bound together from all stacks and tasks, for the worker that began the
    /// walk. Zero when another worker does not end its stack within [`MAX_STACK_WAIT`].
    pub(crate) fn collect_bound_at_end(&self, store: &Store) -> Count {
        let began = Instant::now();
        // A worker that takes a task counts its stack before it lets go of the tasks. So each one that has taken a task before the end has
        // a stack from here on, and no other one takes a task any more.
        drop(lock(&self.tasks));
        // Acquire: the frames of the stacks that have ended are seen.
        while self.active_stacks.load(Ordering::Acquire) > 0 {
            if began.elapsed() > MAX_STACK_WAIT {
                return Count::ZERO;
            }
            std::thread::yield_now();
        }
        self.values_are_bounds.store(true, Ordering::Relaxed);
        for frames in std::mem::take(&mut *lock(&self.ended_stacks)) {
            self.close_stack(store, frames);
        }
        for task in std::mem::take(&mut *lock(&self.tasks)) {
            // A component of a side with a solution has a solution too.
            let one = task.side.is_none() && task.witness_above.is_some();
            let count = if one { Count::ONE } else { Count::ZERO };
            self.fill(store, task.owner, GapValue::number(count));
        }
        std::mem::replace(&mut *lock(&self.bound_at_end), Count::ZERO)
    }

    /// Closes the frames of an ended stack from the top down, and fills the gaps that they would have filled. The values are lower bounds:
    /// sides that are not counted yet add nothing.
    fn close_stack(&self, store: &Store, mut frames: Vec<Frame<W>>) {
        // The lower bound of the component of the frame above on the stack; `None` for the topmost frame.
        let mut inner: Option<Count> = None;
        while let Some(mut frame) = frames.pop() {
            let side = frame.proved(inner.as_ref());
            if frame.decision.is_none() {
                if let Some(owner) = frame.open_side {
                    self.fill(store, owner, GapValue::number(side));
                }
                return;
            }
            match frame.open_side.take() {
                None => frame.sum += &side,
                Some(gaps) => {
                    let open_component = frame
                        .open_component
                        .get_or_insert_with(Unfinished::open_component);
                    open_component.add_gap();
                    gaps.close_side(Arc::clone(open_component), None);
                    self.fill(store, gaps, GapValue::number(side));
                }
            }
            let Some(parent) = frames.last_mut() else {
                if let Some(owner) = frame.open_component {
                    self.fill(store, owner, GapValue::number(frame.sum));
                }
                return;
            };
            let whole = match &frame.open_component {
                None => Some(frame.sum),
                Some(open_component) => {
                    let whole = open_component.leave_stack(&frame.sum, Vec::new());
                    whole.map(|(count, _)| count)
                }
            };
            inner = Some(match (whole, frame.open_component) {
                (Some(count), _) => {
                    if frame.is_claimed {
                        let value = ComponentValue::number(count.clone());
                        self.fill_waiting(store, &frame.component.key, &value);
                    }
                    count
                }
                (None, Some(open_component)) => {
                    let side = parent.open_side.get_or_insert_with(Unfinished::open_side);
                    side.add_gap();
                    let record = ComponentRecord {
                        component: frame.component,
                        nodes: 0,
                        recompute_cost: 0,
                    };
                    self.charge(&record);
                    open_component.close_component(Arc::clone(side), record);
                    self.fill(store, open_component, GapValue::number(Count::ZERO));
                    // The value of the component multiplies the side when its own gap is filled. Until then its factor is one.
                    Count::ONE
                }
                (None, None) => unreachable!("a component without gaps has its whole value"),
            });
        }
    }

    /// Whether more workers wait for tasks than tasks wait for workers.
    #[inline]
    pub(crate) fn wants_tasks(&self) -> bool {
        self.idle_workers.load(Ordering::Relaxed) > self.waiting_tasks.load(Ordering::Relaxed)
    }

    /// Whether the unfinished components and the sides that wait for them have less than this number of bytes.
    pub(crate) fn has_room(&self, max_bytes: u64) -> bool {
        self.unfinished_bytes.load(Ordering::Relaxed) < max_bytes
    }

    /// Gives a task away.
    pub(crate) fn push_task(&self, task: WalkTask<W>) {
        self.live_tasks.fetch_add(1, Ordering::Relaxed);
        let mut tasks = lock(&self.tasks);
        tasks.push_back(task);
        self.waiting_tasks.store(tasks.len(), Ordering::Relaxed);
        drop(tasks);
        self.wake.notify_one();
    }

    /// Records that a task has ended. If that was the last one, the walk ends without a value.
    pub(crate) fn end_task(&self) {
        if self.live_tasks.fetch_sub(1, Ordering::AcqRel) == 1 && !self.is_over() {
            self.end(TrialEnd::Full);
        }
    }

    /// Waits for a task: `None` after [`IDLE_POLL_INTERVAL`], or when the walk is over. A worker that gets a task has a stack from then on.
    pub(crate) fn wait_for_task(&self) -> Option<WalkTask<W>> {
        let mut tasks = lock(&self.tasks);
        if tasks.is_empty() && !self.is_over() {
            self.idle_workers.fetch_add(1, Ordering::Relaxed);
            let woken = self.wake.wait_timeout(tasks, IDLE_POLL_INTERVAL);
            tasks = woken.unwrap_or_else(PoisonError::into_inner).0;
            self.idle_workers.fetch_sub(1, Ordering::Relaxed);
        }
        if self.is_over() {
            return None;
        }
        let task = tasks.pop_front()?;
        self.waiting_tasks.store(tasks.len(), Ordering::Relaxed);
        self.begin_stack();
        Some(task)
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, ComponentsInProgress<W>> {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(key);
        lock(&self.in_progress[(hash >> 32) as usize % SHARDS])
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
                    // A lower bound has no graph.
                    let edges = match self.values_are_bounds.load(Ordering::Relaxed) {
                        true => Vec::new(),
                        false => edges,
                    };
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
                        Destination::WalkResult
                            if self.values_are_bounds.load(Ordering::Relaxed) =>
                        {
                            *lock(&self.bound_at_end) = value.count;
                        }
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
        if !self.values_are_bounds.load(Ordering::Relaxed) {
            store.insert(key.clone(), value.clone(), nodes, recompute_cost);
        }
        self.release(key)
    }
}

#[cfg(test)]
mod tests;
