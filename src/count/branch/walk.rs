//! A walk through a component that several workers share, so that every component on the way is counted once.
//!
//! Each worker goes depth first, with the components that it has begun on a stack of its own, one [`Frame`] for each. When
//! another one has nothing to do, it gives the oldest piece away that it has not begun: the other side of a branch, or a component of a
//! side that has a solution, as data, a [`Task`]. What is given away leaves a *gap*.
//!
//! A component's key stands in the table of those in progress from when somebody begins it until it is counted. Whoever meets it
//! meanwhile leaves a gap as well, and goes on with something else. When nothing else is left of a side or of a component, but for gaps,
//! it is put aside as an [`Unfinished`]; whoever fills its last gap completes it, and what it leaves open in turn. So nobody waits, and
//! nothing is counted twice. There is no circle of gaps, as the components of a component are smaller than it.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHasher};

use super::frame::Frame;
use super::unfinished::{ComponentRecord, Gift, Kind, Then, Unfinished, Waiting};
use crate::board::Cell;
use crate::count::components::{Component, ComponentValue, Key, Store, edge};
use crate::count::plan::{Trial, TrialEnd};
use crate::line::{Known, Word};
use crate::puzzle::Grid;
use crate::run::lock;
use crate::search::WHOLE;
use crate::solutions::Count;

/// Parts of the table of components in progress, with a lock each.
const SHARDS: usize = 64;

/// A worker without a task looks this often whether the run goes on.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// So long is waited for workers to come back from a walk that is over.
const MAX_STACK_WAIT: Duration = Duration::from_millis(100);

/// A piece of a walk that nobody has begun.
#[derive(Debug)]
pub(crate) struct Task<W> {
    /// The known cells from which it is begun.
    pub(crate) rows: Vec<Known<W>>,
    pub(crate) component: Component<W>,
    /// One side of the branch on this cell alone, or the whole component.
    pub(crate) side: Option<(Cell, bool)>,
    /// What it is a gap of: a component where it is a side, and else a side.
    pub(crate) of: Arc<Unfinished<W>>,
    /// A solution of the puzzle that lies in the component.
    pub(crate) within: Option<Arc<Grid>>,
    /// Its share of the walk, out of [`WHOLE`].
    pub(crate) weight: u64,
    /// The decisions above it.
    pub(crate) path: Vec<(Cell, bool)>,
    /// May clause learning be asked? Then there is a solution in which all these decisions hold.
    pub(crate) may_ask: bool,
}

/// Components in progress, by their keys, with the gaps for each.
type Begun<W> = FxHashMap<Key, Vec<Waiting<W>>>;

/// A walk.
#[derive(Debug)]
pub(crate) struct Walk<W> {
    pub(crate) trial: Trial,
    tasks: Mutex<VecDeque<Task<W>>>,
    /// Wakes those who wait for a task.
    wake: Condvar,
    /// Tasks that wait, and workers that wait for one. Relaxed: hints.
    waiting: AtomicUsize,
    idle: AtomicUsize,
    /// Tasks that are waiting or under way.
    live_tasks: AtomicUsize,
    /// Components in progress, with the sides that have a gap for them.
    begun: Box<[Mutex<Begun<W>>]>,
    /// Bytes of what is put aside. Relaxed: a sum.
    bytes: AtomicU64,
    /// Nanoseconds that all workers have worked, and how much of [`WHOLE`] is done. Relaxed: sums.
    work: AtomicU64,
    done: AtomicU64,
    over: AtomicBool,
    ended: Mutex<Option<TrialEnd>>,
    /// Workers that have something on their stack, and what they leave there when the walk ends before it is counted.
    active_stacks: AtomicUsize,
    ended_stacks: Mutex<Vec<Vec<Frame<W>>>>,
    /// Values are lower bounds from now on, and not kept. Relaxed: no other worker fills gaps any more.
    partial: AtomicBool,
    /// The lower bound of the whole, once the walk has ended before it was counted.
    lower_bound: Mutex<Count>,
    /// The most solutions that have been proved, roughly.
    bound: Mutex<f64>,
}

/// What becomes of a component that somebody comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It is for whoever asks to count it, and others will leave it alone.
    Mine,
    /// It is for whoever asks to count it, whether others do so or not.
    Unclaimed,
    /// It is being counted: the side has a gap more.
    InProgress,
}

impl<W: Word> Walk<W> {
    pub(crate) fn new(trial: Trial) -> Self {
        Walk {
            trial,
            tasks: Mutex::default(),
            wake: Condvar::new(),
            waiting: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
            live_tasks: AtomicUsize::new(1),
            begun: (0..SHARDS).map(|_| Mutex::default()).collect(),
            bytes: AtomicU64::new(0),
            work: AtomicU64::new(0),
            done: AtomicU64::new(0),
            over: AtomicBool::new(false),
            ended: Mutex::new(None),
            active_stacks: AtomicUsize::new(0),
            ended_stacks: Mutex::default(),
            partial: AtomicBool::new(false),
            lower_bound: Mutex::new(Count::ZERO),
            bound: Mutex::new(0.0),
        }
    }

    /// What the value of the whole is put into.
    pub(crate) fn root(&self) -> Arc<Unfinished<W>> {
        Unfinished::product(Then::Ends)
    }

    /// Adds to what the workers have done: the work of the whole so far.
    pub(crate) fn add(&self, work: u64, done: u64) -> u64 {
        self.done.fetch_add(done, Ordering::Relaxed);
        self.work.fetch_add(work, Ordering::Relaxed) + work
    }

    /// How much of [`WHOLE`] is done.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed).min(WHOLE)
    }

    /// Ends it, as it has taken all the work that it might.
    pub(crate) fn end_spent(&self) {
        let share = self.done() as f64 / WHOLE as f64;
        self.end(TrialEnd::Spent {
            foreseen: self.work.load(Ordering::Relaxed) as f64 / share,
            proved: self.bound(),
        });
    }

    /// Notes that at least this number of solutions are proved.
    pub(crate) fn raise(&self, bound: &Count) {
        let mut best = lock(&self.bound);
        *best = best.max(bound.to_f64().min(f64::MAX));
    }

    /// The most solutions that have been proved, roughly.
    pub(crate) fn bound(&self) -> f64 {
        *lock(&self.bound)
    }

    /// Ends it for all its workers; the first reason counts.
    pub(crate) fn end(&self, how: TrialEnd) {
        lock(&self.ended).get_or_insert(how);
        // Release: whoever sees it finds the reason.
        self.over.store(true, Ordering::Release);
        drop(lock(&self.tasks));
        self.wake.notify_all();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// How it ended, for the worker that has begun it.
    pub(crate) fn ended(&self) -> TrialEnd {
        let ended = lock(&self.ended).take();
        ended.unwrap_or(TrialEnd::Stopped)
    }

    /// A worker begins with a stack.
    pub(crate) fn begin_stack(&self) {
        self.active_stacks.fetch_add(1, Ordering::Relaxed);
    }

    /// A worker has left this on its stack.
    pub(crate) fn end_stack(&self, frames: Vec<Frame<W>>) {
        if !frames.is_empty() {
            lock(&self.ended_stacks).push(frames);
        }
        // Release: what it has done is seen by who waits for it.
        self.active_stacks.fetch_sub(1, Ordering::Release);
    }

    /// The number that is proved of a walk that has ended before it was counted, for the worker that has begun it: what is on all stacks,
    /// put together. Nothing, if another worker is not soon back.
    pub(crate) fn proved(&self, store: &Store) -> Count {
        let began = Instant::now();
        while self.active_stacks.load(Ordering::Acquire) > 0 {
            if began.elapsed() > MAX_STACK_WAIT {
                return Count::ZERO;
            }
            std::thread::yield_now();
        }
        self.partial.store(true, Ordering::Relaxed);
        for frames in std::mem::take(&mut *lock(&self.ended_stacks)) {
            self.put_aside(store, frames);
        }
        for task in std::mem::take(&mut *lock(&self.tasks)) {
            // A component of a side that has a solution has one, too.
            let one = task.side.is_none() && task.within.is_some();
            let count = if one { Count::ONE } else { Count::ZERO };
            self.fill(store, task.of, Gift::number(count));
        }
        std::mem::replace(&mut *lock(&self.lower_bound), Count::ZERO)
    }

    /// Puts a whole stack aside, with nothing for what is not counted.
    fn put_aside(&self, store: &Store, mut frames: Vec<Frame<W>>) {
        // What is proved of the component that the frame above is about.
        let mut inner: Option<Count> = None;
        while let Some(mut frame) = frames.pop() {
            let side = frame.proved(inner.as_ref());
            if frame.decision.is_none() {
                if let Some(of) = frame.side {
                    self.fill(store, of, Gift::number(side));
                }
                return;
            }
            match frame.side.take() {
                None => frame.sum += &side,
                Some(gaps) => {
                    let open_component = frame
                        .open_component
                        .get_or_insert_with(Unfinished::open_component);
                    open_component.open();
                    gaps.close_side(Arc::clone(open_component), None);
                    self.fill(store, gaps, Gift::number(side));
                }
            }
            let Some(parent) = frames.last_mut() else {
                if let Some(of) = frame.open_component {
                    self.fill(store, of, Gift::number(frame.sum));
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
                    if frame.claimed {
                        let value = ComponentValue::number(count.clone());
                        self.give_to_all(store, &frame.component.key, &value);
                    }
                    count
                }
                (None, Some(open_component)) => {
                    let side = parent.side.get_or_insert_with(Unfinished::side);
                    side.open();
                    let record = ComponentRecord {
                        component: frame.component,
                        nodes: 0,
                        again: 0,
                    };
                    self.charge(&record);
                    open_component.close_component(Arc::clone(side), record);
                    self.fill(store, open_component, Gift::number(Count::ZERO));
                    // It is a factor that comes by itself.
                    Count::ONE
                }
                (None, None) => unreachable!("what has no gaps is whole"),
            });
        }
    }

    /// Does somebody wait for a task?
    #[inline]
    pub(crate) fn wants_tasks(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > self.waiting.load(Ordering::Relaxed)
    }

    /// Is there memory for more to be put aside?
    pub(crate) fn has_room(&self, most: u64) -> bool {
        self.bytes.load(Ordering::Relaxed) < most
    }

    /// Gives a task away.
    pub(crate) fn give(&self, task: Task<W>) {
        self.live_tasks.fetch_add(1, Ordering::Relaxed);
        let mut tasks = lock(&self.tasks);
        tasks.push_back(task);
        self.waiting.store(tasks.len(), Ordering::Relaxed);
        drop(tasks);
        self.wake.notify_one();
    }

    /// A task has ended: the whole has ended without a value if that was the last one.
    pub(crate) fn end_task(&self) {
        if self.live_tasks.fetch_sub(1, Ordering::AcqRel) == 1 && !self.is_over() {
            self.end(TrialEnd::Full);
        }
    }

    /// A task, or after a while `None`. Whoever gets one has a stack from then on; no one does when the walk is over.
    pub(crate) fn wait(&self) -> Option<Task<W>> {
        let mut tasks = lock(&self.tasks);
        if tasks.is_empty() && !self.is_over() {
            self.idle.fetch_add(1, Ordering::Relaxed);
            let woken = self.wake.wait_timeout(tasks, IDLE_POLL_INTERVAL);
            tasks = woken.unwrap_or_else(PoisonError::into_inner).0;
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
        if self.is_over() {
            return None;
        }
        let task = tasks.pop_front()?;
        self.waiting.store(tasks.len(), Ordering::Relaxed);
        self.begin_stack();
        Some(task)
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, Begun<W>> {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(key);
        lock(&self.begun[(hash >> 32) as usize % SHARDS])
    }

    /// Somebody comes to a component that is not counted yet, on the side that `side` says.
    pub(crate) fn claim(
        &self,
        component: &Component<W>,
        weight: u64,
        room: bool,
        side: impl FnOnce() -> Arc<Unfinished<W>>,
    ) -> Claim {
        if component.key.is_empty() {
            return Claim::Unclaimed;
        }
        let mut begun = self.shard(&component.key);
        match begun.get_mut(&component.key) {
            Some(waiting) if room => {
                let side = side();
                side.open();
                let gap = Waiting {
                    side,
                    cells: component.rows.clone(),
                    weight,
                };
                self.bytes.fetch_add(gap.bytes(), Ordering::Relaxed);
                waiting.push(gap);
                Claim::InProgress
            }
            Some(_) => Claim::Unclaimed,
            None => {
                begun.insert(component.key.clone(), Vec::new());
                Claim::Mine
            }
        }
    }

    /// A component is counted, or not in progress any more: the sides that wait for it.
    pub(crate) fn release(&self, key: &Key) -> Vec<Waiting<W>> {
        if key.is_empty() {
            return Vec::new();
        }
        let waiting = self.shard(key).remove(key).unwrap_or_default();
        let bytes = waiting.iter().map(Waiting::bytes).sum();
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        waiting
    }

    /// What stands for a component that nobody counts any more, for those that wait for it.
    pub(crate) fn replacement(&self, waiting: Vec<Waiting<W>>) -> Arc<Unfinished<W>> {
        Unfinished::product(Then::IntoAll(waiting))
    }

    /// Charges what is put aside to the memory.
    pub(crate) fn charge(&self, record: &ComponentRecord<W>) {
        self.bytes.fetch_add(record.bytes(), Ordering::Relaxed);
    }

    /// Gives a component that is counted to all sides that wait for it.
    pub(crate) fn give_to_all(&self, store: &Store, key: &Key, value: &ComponentValue) {
        let waiting = self.release(key);
        let gifts = waiting.into_iter().map(|gap| self.gift(value, gap));
        self.fill_all(store, gifts.collect());
    }

    /// What a component is for one of those that wait for it.
    fn gift(&self, value: &ComponentValue, gap: Waiting<W>) -> (Arc<Unfinished<W>>, Gift<W>) {
        self.add(0, gap.weight);
        (gap.side, Gift::of(value, gap.cells))
    }

    /// Fills one gap; and those that can be filled then, and so on.
    pub(crate) fn fill(&self, store: &Store, into: Arc<Unfinished<W>>, gift: Gift<W>) {
        self.fill_all(store, vec![(into, gift)]);
    }

    fn fill_all(&self, store: &Store, mut gifts: Vec<(Arc<Unfinished<W>>, Gift<W>)>) {
        while let Some((into, gift)) = gifts.pop() {
            let Some((value, kind, then)) = into.fill(gift) else {
                continue;
            };
            match kind {
                Kind::Component { edges, record } => {
                    let Some(record) = record else {
                        debug_assert!(false, "a component without a record is on a stack");
                        continue;
                    };
                    self.bytes.fetch_sub(record.bytes(), Ordering::Relaxed);
                    let ComponentRecord {
                        component,
                        nodes,
                        again,
                    } = record;
                    // Of a lower bound there is no graph.
                    let edges = match self.partial.load(Ordering::Relaxed) {
                        true => Vec::new(),
                        false => edges,
                    };
                    let value = ComponentValue {
                        node: store.node(&edges, &value),
                        count: value,
                    };
                    let waiting = self.keep(store, &component.key, &value, nodes, again);
                    gifts.extend(waiting.into_iter().map(|gap| self.gift(&value, gap)));
                    if let Then::Into(side) = then {
                        gifts.push((side, Gift::of(&value, component.rows)));
                    }
                }
                Kind::Side { rest, known } => {
                    let value = ComponentValue {
                        count: value,
                        node: rest.last().map(|&(node, _)| node),
                    };
                    match then {
                        Then::Ends if self.partial.load(Ordering::Relaxed) => {
                            *lock(&self.lower_bound) = value.count;
                        }
                        Then::Ends => self.end(TrialEnd::Done(value)),
                        Then::IntoAll(waiting) => {
                            gifts.extend(waiting.into_iter().map(|gap| self.gift(&value, gap)));
                        }
                        Then::Into(open_component) => {
                            let edges = match known {
                                Some((cells, filled)) if !value.count.is_zero() => {
                                    let mut filled = filled.iter().copied();
                                    let filled = |_| filled.next().expect("one for each row");
                                    vec![edge(&cells, filled, rest)]
                                }
                                _ => Vec::new(),
                            };
                            let gift = Gift {
                                count: value.count,
                                edges,
                                rest: Vec::new(),
                            };
                            gifts.push((open_component, gift));
                        }
                        Then::Stays => debug_assert!(false, "what is on a stack is not complete"),
                    }
                }
            }
        }
    }

    /// Keeps a component that is counted: the sides that wait for it.
    fn keep(
        &self,
        store: &Store,
        key: &Key,
        value: &ComponentValue,
        nodes: u64,
        again: u64,
    ) -> Vec<Waiting<W>> {
        // Into the table first: whoever does not find it in progress any more finds it there.
        if !self.partial.load(Ordering::Relaxed) {
            store.keep(key.clone(), value.clone(), nodes, again);
        }
        self.release(key)
    }
}
