//! The engine: branch, propagate, fall apart, look up, multiply, add.
//!
//! A worker goes depth first on a stack of its own, one [`Frame`] for each part being counted: the sides of its branch add up, the
//! parts into which a side falls multiply. What it has counted goes into the cache that all workers share. Several workers share a
//! [`Walk`], which gives each of them pieces that no other one counts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::contest::{Plan, Trial};
use super::diagram::Lines;
use super::frontier::{Allowance, Halt, Way, sweep};
use super::oracle::Oracle;
use super::order::Order;
use super::part::{Part, Parts};
use super::trail::Step;
use super::walk::{Claim, Gift, Record, Task, Unfinished, Walk};
use super::{Becomes, Edge, NodeId, Shared, Worth};
use crate::board::{Board, Cell};
use crate::line::Word;
use crate::puzzle::Grid;
use crate::sat::Answer;
use crate::search::{Pace, Statistics, WHOLE};
use crate::solutions::{Count, Stop};

/// How a walk ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// All is counted.
    Done(Worth),
    /// It took more than it might; all of it would take this many nanoseconds of work, as far as can be foreseen.
    Spent(f64),
    /// It would take more memory than there is.
    Full,
    /// The run must stop.
    Stopped,
}

/// The cells of a part, as [`Part::rows`] has them.
pub(super) type Rows<W> = Box<[(u16, W)]>;

/// A part being counted, and the side of its branch that is under way.
#[derive(Debug)]
pub(super) struct Frame<W> {
    pub(super) part: Part<W>,
    /// Where the board was before the branch.
    mark: usize,
    /// The decision under way. The root has none.
    pub(super) decision: Option<(Cell, bool)>,
    /// Is the other side still to come?
    more: bool,
    /// The side before, if it is done.
    pub(super) sum: Count,
    /// The product of the side's parts counted so far, and those to come.
    product: Count,
    pending: Vec<Part<W>>,
    /// Where a graph is kept: the sides before, and the nodes of the parts counted so far.
    edges: Vec<Edge>,
    rest: Vec<(NodeId, Rows<W>)>,
    /// Into how many parts the side fell.
    parts: u64,
    /// Is there a solution on this side? For a part among others: as far as it is concerned.
    alive: bool,
    /// Solutions of the puzzle that lie in the part, and on this side of it.
    within: Option<Arc<Grid>>,
    witness: Option<Arc<Grid>>,
    /// Is it in the table of parts in progress?
    pub(super) claimed: bool,
    /// Are there parts of this side that are counted elsewhere?
    gaps: bool,
    /// Has the other side been given away?
    lent: bool,
    /// What others add to the part, and multiply into the side.
    pub(super) component: Option<Arc<Unfinished<W>>>,
    pub(super) side: Option<Arc<Unfinished<W>>>,
    /// What has been given away weighs so much of the side, and of the part.
    lent_of_side: u64,
    lent_of_part: u64,
    /// Nodes before the part, and before the side.
    began: u64,
    side_began: u64,
    /// What its two sides weigh, and what was done before the present one.
    weights: [u64; 2],
    done: u64,
    /// What the worker would have to do again before the part.
    again: u64,
}

impl<W> Frame<W> {
    /// A frame at this mark of the board, of which nothing is begun yet. A solution lies `within` the part.
    fn new(part: Part<W>, mark: usize, within: Option<Arc<Grid>>) -> Self {
        Frame {
            part,
            mark,
            decision: None,
            more: false,
            sum: Count::ZERO,
            product: Count::ZERO,
            pending: Vec::new(),
            edges: Vec::new(),
            rest: Vec::new(),
            parts: 1,
            alive: false,
            within,
            witness: None,
            claimed: false,
            gaps: false,
            lent: false,
            component: None,
            side: None,
            lent_of_side: 0,
            lent_of_part: 0,
            began: 0,
            side_began: 0,
            weights: [0, 0],
            done: 0,
            again: 0,
        }
    }

    /// The bottom of a stack on which nothing but this part is counted, for the side `of`.
    fn bottom(
        part: Part<W>,
        mark: usize,
        of: Arc<Unfinished<W>>,
        witness: Option<Arc<Grid>>,
    ) -> Self {
        Frame {
            product: Count::ONE,
            pending: vec![part],
            alive: witness.is_some(),
            witness,
            side: Some(of),
            ..Frame::new(Part::nothing(), mark, None)
        }
    }

    /// Notes what has been done before it: so many nodes, of the walk and again.
    fn since(self, nodes: u64, done: u64, again: u64) -> Self {
        Frame {
            began: nodes,
            side_began: nodes,
            done,
            again,
            ..self
        }
    }

    /// Solutions of the present side that are proved, where so many are of the component above, if there is one: but for what fills its
    /// gaps.
    pub(super) fn proved(&self, inner: Option<&Count>) -> Count {
        let mut side = self.product.clone();
        match inner {
            _ if self.witness.is_some() => {
                // Parts not counted yet have a solution each.
                if let Some(inner) = inner.filter(|inner| !inner.is_zero()) {
                    side *= inner;
                }
                if side.is_zero() {
                    side = Count::ONE;
                }
            }
            None if !self.alive => side = Count::ZERO,
            _ if !self.pending.is_empty() => side = Count::ZERO,
            None => {}
            Some(inner) => side *= inner,
        }
        side
    }

    /// What the present side weighs of the whole.
    fn weight(&self) -> u64 {
        let filled = self.decision.is_some_and(|(_, filled)| filled);
        self.weights[usize::from(filled)]
    }
}

/// Everything that a worker has for itself.
#[derive(Debug)]
pub(super) struct Worker<'s, 'a, W: Word> {
    shared: &'s Shared<'a, W>,
    index: usize,
    board: Board<'a, W>,
    lines: Lines<W>,
    parts: Parts<W>,
    oracle: Oracle<'a>,
    frames: Vec<Frame<W>>,
    /// All frames below this one are alive.
    barren: usize,
    order: Order,
    /// The walk that it takes part in, if others do so as well; and the way to the bottom of its stack.
    walk: Option<Arc<Walk<W>>>,
    path: Vec<(Cell, bool)>,
    /// Has the board left the root?
    moved: bool,
    /// What the walk has been told of: work and share.
    told: (u64, u64),
    /// Which part of the whole is being counted.
    part: usize,
    /// The way that is tried, if somebody keeps track of it, and when the trail was last noted.
    plan: Option<Plan>,
    noted: Instant,
    /// May the oracle be asked?
    asks: bool,
    /// Parts a good deal smaller than this are swept.
    narrow: u32,
    /// Share done with, out of [`WHOLE`].
    done: u64,
    /// Nodes reserved and not used yet.
    reserved: u64,
    /// Nodes when limits were last looked at.
    looked: u64,
    /// Polls the control within a node: one node of a large puzzle can take seconds.
    pace: Pace<'s>,
    /// Nodes that a side may take without a solution before the oracle is asked: what a question costs, a running mean.
    price: u64,
    /// Nodes that it would take to do all this again with what is logged alone.
    again: u64,
    /// Nanoseconds of sweeping parts.
    swept: u64,
    statistics: Statistics,
}

/// Nodes between two looks at the limits.
const BREATH: u64 = 256;

/// How often a trail is noted.
const NOTED: Duration = Duration::from_millis(20);

/// What a node and a settle and a tick of the learner take, in nanoseconds, roughly: a measure of work that no clock disturbs.
const NODE: u64 = 1200;
const SETTLE: u64 = 60;
const TICK: u64 = 50;

/// And what a combination of states in a sweep takes.
const STATE: u64 = 40;

/// What a question to the oracle takes besides.
const QUESTION: u64 = 20_000;

/// The price of a question at first, and at most, in nodes: one hard question does not mean that the next ones are.
const CHEAPEST: u64 = 20;
const DEAREST: u64 = 400;

impl<'s, 'a, W: Word> Worker<'s, 'a, W> {
    pub(super) fn new(shared: &'s Shared<'a, W>, index: usize) -> Self {
        let clues = shared.clues;
        let (width, height) = (clues.width(), clues.height());
        let learner = shared.memory / 8 / shared.workers as u64;
        let lines = shared.memory / 16 / shared.workers as u64;
        Worker {
            shared,
            index,
            board: Board::with_rows(clues, &shared.rows),
            lines: Lines::new(width + height, lines),
            parts: Parts::new(width, height),
            oracle: Oracle::new(shared.puzzle, Arc::clone(&shared.control), learner),
            frames: Vec::new(),
            barren: 0,
            order: Order::Down,
            walk: None,
            path: Vec::new(),
            moved: false,
            told: (0, 0),
            part: 0,
            plan: None,
            noted: Instant::now(),
            asks: true,
            narrow: 0,
            done: 0,
            reserved: 0,
            looked: 0,
            pace: Pace::new(&shared.control),
            price: CHEAPEST,
            again: 0,
            swept: 0,
            statistics: Statistics::default(),
        }
    }

    /// What the worker has done so far.
    pub(super) fn statistics(&self) -> Statistics {
        Statistics {
            settles: self.board.settles(),
            conflicts: self.oracle.conflicts(),
            ..self.statistics
        }
    }

    /// Nanoseconds that all the work so far may have taken.
    fn work(&self) -> u64 {
        let ticks = TICK * self.oracle.ticks();
        NODE * self.statistics.nodes + SETTLE * self.board.settles() + ticks + self.swept
    }

    /// Counts a part as it is planned, or finds out that this takes too long.
    pub(super) fn try_out(&mut self, trial: Trial) -> Ended {
        let part = trial.part;
        self.part = part;
        match trial.plan {
            Plan::Branch(_) | Plan::BranchAndSweep => self.walk(trial),
            Plan::Sweep(way) => {
                if std::mem::take(&mut self.moved) {
                    self.board.set_rows(&self.shared.rows);
                }
                let allowance = Allowance {
                    threads: self.shared.workers,
                    scratch: self.shared.scratch,
                    ..self.allowance(1, trial.budget)
                };
                let swept = &self.shared.parts[part];
                match sweep(&self.board, swept, way, allowance, &self.stop()) {
                    Ok(count) => {
                        let worth = Worth { count, node: None };
                        let cache = &self.shared.counted.cache;
                        cache.insert(swept.key.clone(), worth.clone(), u64::MAX, u64::MAX);
                        Ended::Done(worth)
                    }
                    Err(Halt::Spent(passed)) => Ended::Spent(passed * STATE as f64),
                    Err(Halt::Full | Halt::Overflow) => Ended::Full,
                    Err(Halt::Scratch) => {
                        self.shared.control.stop(Stop::Memory);
                        Ended::Stopped
                    }
                    Err(Halt::Stopped) if self.shared.control.stopped() => Ended::Stopped,
                    Err(Halt::Stopped) => Ended::Full,
                }
            }
        }
    }

    /// For a sweep that is about to begin: must it stop, or was another worker first?
    fn stop(&self) -> impl Fn() -> bool + Sync + use<'s, 'a, W> {
        let (shared, part) = (self.shared, self.part);
        shared.closed.store(true, Ordering::Relaxed);
        move || {
            shared.control.look();
            // Relaxed: a hint, for the contest itself is behind a lock.
            shared.control.stopped() || shared.current.load(Ordering::Relaxed) != part
        }
    }

    /// What one of so many sweeps may take for so much work, on one thread.
    fn allowance(&self, sweeps: u64, budget: u64) -> Allowance<'s> {
        Allowance {
            bytes: self.shared.memory / 2 / sweeps,
            passed: budget / STATE,
            threads: 1,
            scratch: None,
        }
    }

    /// Sweeps a part, if it is much narrower than the last one that was too wide. Tells how many nodes would have taken as long, too.
    fn sweep_part(&mut self, part: &Part<W>) -> Option<(Count, u64)> {
        // A sweep leaves no graph behind.
        if part.size > self.narrow - self.narrow / 8 || self.shared.graph.is_some() {
            return None;
        }
        let bite = self.shared.bite();
        let allowance = self.allowance(self.shared.workers as u64, bite);
        let (stop, began) = (self.stop(), Instant::now());
        let count = [Way::Down, Way::Right]
            .into_iter()
            .find_map(|way| sweep(&self.board, part, way, allowance, &stop).ok());
        if count.is_none() {
            self.narrow = part.size;
            self.shared.is_too_wide(part.size);
        }
        let took = began.elapsed().as_nanos() as u64;
        if bite < u64::MAX {
            // Where nothing limits a sweep the clock has no say, so that a run repeats.
            self.swept += took;
        }
        count.map(|count| (count, took / (NODE + 10 * SETTLE)))
    }

    /// Walks through a part as it is planned, together with whoever joins in.
    fn walk(&mut self, trial: Trial) -> Ended {
        let walk = Arc::new(Walk::new(trial));
        self.join(&walk);
        self.shared.begin_walk(&walk);
        // Only what begins alike can be compared. A first trial is of other boards, too.
        let tracked = trial.asks && self.shared.keeping.is_some();
        self.plan = tracked.then_some(trial.plan);
        if std::mem::take(&mut self.moved) {
            self.board.set_rows(&self.shared.rows);
        }
        let part = self.shared.parts[trial.part].clone();
        let witness = self.shared.witness.clone().map(Arc::new);
        let bottom = Frame::bottom(part, self.board.mark(), walk.root(), witness);
        let bottom = bottom.since(self.statistics.nodes, 0, self.again);
        self.frames.push(Frame {
            weights: [WHOLE, 0],
            ..bottom
        });
        if let Some(trail) = self.shared.trail(trial.part, self.plan) {
            self.follow(&trail);
        }
        walk.begin_stack();
        self.run(&walk, None);
        self.plan = None;
        self.work_in(&walk);
        self.shared.end_walk(&walk);
        let ended = walk.ended();
        if !matches!(ended, Ended::Done(_)) && self.walk.take().is_some() {
            let proved = walk.proved(self.shared);
            self.shared.raise_bound(trial.part, proved);
        }
        ended
    }

    /// Takes part in a walk that another worker has begun, until it is over.
    pub(super) fn help(&mut self, walk: &Arc<Walk<W>>) {
        self.join(walk);
        self.work_in(walk);
        self.walk = None;
    }

    fn join(&mut self, walk: &Arc<Walk<W>>) {
        let trial = walk.trial;
        self.part = trial.part;
        self.asks = trial.asks;
        (self.order, self.narrow) = match trial.plan {
            Plan::Branch(order) => (order, 0),
            _ => (Order::Narrow, self.shared.narrow(trial.part)),
        };
        self.path.clear();
        self.barren = 0;
        self.done = 0;
        self.told = (self.work(), 0);
        self.plan = None;
        self.walk = (self.shared.workers > 1).then(|| Arc::clone(walk));
    }

    /// Counts what others give away, until the walk is over.
    fn work_in(&mut self, walk: &Arc<Walk<W>>) {
        while !walk.is_over() {
            match walk.wait() {
                Some(task) if task.of.is_dead() => {
                    walk.end_stack(Vec::new());
                    walk.end_task();
                }
                Some(task) => self.take(walk, task),
                None => {
                    self.shared.control.look();
                    if self.shared.control.stopped() {
                        walk.end(Ended::Stopped);
                    } else if self.is_overtaken() {
                        walk.end(Ended::Spent(walk.foreseen()));
                    }
                }
            }
        }
        let reserved = std::mem::take(&mut self.reserved);
        self.shared.control.return_nodes(reserved);
    }

    /// Counts a piece that another worker has given away.
    fn take(&mut self, walk: &Arc<Walk<W>>, task: Task<W>) {
        self.statistics.tasks += 1;
        self.board.set_rows(&task.rows);
        self.moved = true;
        self.path = task.path;
        self.barren = 0;
        self.done = 0;
        self.told.1 = 0;
        self.asks = task.asks;
        let (mark, of) = (self.board.mark(), Arc::clone(&task.of));
        let (nodes, again) = (self.statistics.nodes, self.again);
        match task.side {
            None => {
                let bottom = Frame::bottom(task.part, mark, task.of, task.within);
                self.frames.push(Frame {
                    weights: [task.weight, 0],
                    ..bottom.since(nodes, 0, again)
                });
            }
            Some((cell, filled)) => {
                let frame = Frame::new(task.part, mark, task.within).since(nodes, 0, again);
                self.frames.push(Frame {
                    decision: Some((cell, filled)),
                    component: Some(task.of),
                    weights: match filled {
                        true => [0, task.weight],
                        false => [task.weight, 0],
                    },
                    ..frame
                });
                self.begin_side();
            }
        }
        self.run(walk, Some(&of));
    }

    /// Counts what is on the stack, for this gap if it is not the whole.
    fn run(&mut self, walk: &Arc<Walk<W>>, of: Option<&Unfinished<W>>) {
        let mut polls = self.pace.polls();
        let whole = loop {
            if self.shared.control.stopped() {
                walk.end(Ended::Stopped);
                break false;
            }
            if self.statistics.nodes >= self.looked + BREATH || self.pace.polls() != polls {
                polls = self.pace.polls();
                let work = self.breathe(walk, of.is_none());
                if self.plan.is_some() && self.noted.elapsed() >= NOTED {
                    self.note_trail();
                }
                if self.is_overtaken() || work >= walk.trial.budget {
                    walk.end(Ended::Spent(walk.foreseen()));
                }
                if walk.is_over() {
                    break false;
                }
                if of.is_some_and(Unfinished::is_dead) {
                    self.abandon(0);
                    break true;
                }
            }
            if self.walk.is_some() && walk.wants_tasks() {
                self.lend(walk);
            }
            let top = self.top();
            match top.pending.pop() {
                Some(part) if !top.product.is_zero() => self.enter(part),
                _ => {
                    if self.end_side(walk) {
                        break true;
                    }
                }
            }
        };
        self.breathe(walk, of.is_none() && !whole);
        if !whole {
            self.note_trail();
        }
        if let Some(bottom) = self.frames.first() {
            self.board.undo(bottom.mark);
        }
        walk.end_stack(std::mem::take(&mut self.frames));
        walk.end_task();
    }

    /// Has another worker been first?
    fn is_overtaken(&self) -> bool {
        // Relaxed: a hint, for the contest itself is behind a lock.
        self.shared.current.load(Ordering::Relaxed) != self.part
    }

    /// Gives away the oldest piece that is not begun. Where the oracle can be asked, there must be a solution on the way to it: below a
    /// side that has none all work is lost, and what the oracle says of the way is no answer about the piece.
    fn lend(&mut self, walk: &Walk<W>) {
        if !walk.has_room(self.shared.put_aside()) {
            return;
        }
        let least = self.shared.options.shared;
        for i in 0..self.frames.len() {
            let frame = &self.frames[i];
            if self.asks && i > 0 && !self.frames[i - 1].alive {
                break;
            }
            // Of the topmost side the next component is about to be begun here.
            let begun = i + 1 < self.frames.len();
            let component = begun && frame.alive && !frame.product.is_zero();
            let component =
                component && frame.pending.first().is_some_and(|part| part.size >= least);
            let other = frame.more && frame.part.size >= least;
            if !component && !other {
                continue;
            }
            let above = if other { i } else { i + 1 };
            let path = self.path_to(above);
            let mark = match other {
                true => frame.mark,
                false => self.frames[i + 1].mark,
            };
            let (rows, asks) = (self.board.rows_at(mark), self.asks);
            let frame = &mut self.frames[i];
            walk.give(if other {
                let (cell, filled) = frame.decision.expect("a branch has two sides");
                let weight = frame.weights[usize::from(!filled)];
                frame.more = false;
                frame.lent = true;
                frame.lent_of_part += weight;
                let of = frame.component.get_or_insert_with(Unfinished::component);
                of.open();
                Task {
                    rows,
                    part: frame.part.clone(),
                    side: Some((cell, !filled)),
                    of: Arc::clone(of),
                    within: frame.within.clone(),
                    weight,
                    path,
                    asks,
                }
            } else {
                // The largest is the first.
                let part = frame.pending.remove(0);
                let weight = frame.weight() / frame.parts;
                frame.gaps = true;
                frame.lent_of_side += weight;
                let of = frame.side.get_or_insert_with(Unfinished::side);
                of.open();
                Task {
                    rows,
                    part,
                    side: None,
                    of: Arc::clone(of),
                    within: frame.witness.clone(),
                    weight,
                    path,
                    asks,
                }
            });
            return;
        }
    }

    /// The decisions above a frame.
    fn path_to(&self, frame: usize) -> Vec<(Cell, bool)> {
        let above = self.frames[..frame].iter();
        let above = above.filter_map(|frame| frame.decision);
        self.path.iter().copied().chain(above).collect()
    }

    /// Drops all frames from this one on. What others wait for is given away.
    fn abandon(&mut self, from: usize) {
        let walk = self.walk.clone();
        while self.frames.len() > from {
            let frame = self.frames.pop().expect("there are more than these");
            frame.component.iter().for_each(|it| it.kill());
            if frame.decision.is_some() {
                frame.side.iter().for_each(|side| side.kill());
            }
            let Some(walk) = walk.as_ref().filter(|_| frame.claimed) else {
                continue;
            };
            let waiting = walk.release(&frame.part.key);
            if !waiting.is_empty() {
                walk.give(Task {
                    rows: self.board.rows_at(frame.mark),
                    part: frame.part,
                    side: None,
                    of: walk.instead(waiting),
                    within: frame.within,
                    weight: 0,
                    // There may be no solution on the way to it; that says nothing of it.
                    path: Vec::new(),
                    asks: false,
                });
            }
        }
    }

    /// Notes the way to where the walk is.
    fn note_trail(&mut self) {
        self.noted = Instant::now();
        let Some(plan) = self.plan else {
            return;
        };
        // The first frame has nothing but the one part, which is under way.
        let frames = self.frames.get(1..).unwrap_or_default();
        // Where others have added to a part, or are to do so, what is known here is not all: it is begun anew.
        let known = |frame: &&Frame<W>| frame.component.is_none() || frame.lent;
        let frames = &frames[..frames.iter().take_while(known).count()];
        let steps = frames.iter().enumerate().filter_map(|(i, frame)| {
            let (cell, filled) = frame.decision?;
            // The innermost side is begun anew.
            let parts = match i + 1 < frames.len() && !frame.gaps {
                true => frame.parts as usize - frame.pending.len() - 1,
                false => 0,
            };
            Some(Step {
                size: frame.part.size,
                cell,
                filled,
                more: frame.more || frame.lent,
                sum: frame.sum.clone(),
                of: frame.parts as u32,
                parts: parts as u32,
                product: match parts {
                    0 => Count::ONE,
                    _ => frame.product.clone(),
                },
            })
        });
        self.shared.note_trail(self.part, plan, steps.collect());
    }

    /// Goes to where an earlier walk in the same order has left off, as far as its trail leads.
    fn follow(&mut self, trail: &[Step]) {
        for (i, step) in trail.iter().enumerate() {
            let Some(part) = self.top().pending.pop() else {
                return;
            };
            let known = self.shared.counted.cache.get(&part.key).is_some();
            let cell = self.order.pick(&self.board, &part);
            let same = cell == step.cell && part.size == step.size;
            if known || !same || self.shared.control.stopped() {
                self.top().pending.push(part);
                return;
            }
            self.branch(part, cell, Some(step), false);
            let parts = step.parts as usize;
            let top = self.top();
            let fits = top.pending.len() == step.of as usize && parts < top.pending.len();
            if i + 1 == trail.len() || top.product.is_zero() || !fits || step.product.is_zero() {
                return;
            }
            // The last ones are counted first.
            top.pending.truncate(top.pending.len() - parts);
            top.product = step.product.clone();
        }
    }

    fn top(&mut self) -> &mut Frame<W> {
        self.frames.last_mut().expect("the root is the last to go")
    }

    /// Every now and then: a look at the limits, and a word to whoever wants to know; all the work of the walk so far. The `whole` may be
    /// what is on the stack.
    fn breathe(&mut self, walk: &Walk<W>, whole: bool) -> u64 {
        self.looked = self.statistics.nodes;
        self.shared.control.look();
        let now = (self.work(), self.done.max(self.told.1));
        let work = walk.add(now.0 - self.told.0, now.1 - self.told.1);
        self.told = now;
        let meter = &self.shared.meters[self.index];
        meter.nodes.store(self.statistics.nodes, Ordering::Relaxed);
        meter.done.fetch_max(walk.done(), Ordering::Relaxed);
        if whole && !self.frames.is_empty() {
            self.shared.raise_bound(self.part, self.bound());
        }
        work
    }

    /// A part is to be counted: known, or in progress, or a new frame.
    fn enter(&mut self, part: Part<W>) {
        let known = self.shared.counted.cache.get(&part.key);
        if let Some((worth, again)) = known.filter(|(worth, _)| self.shared.suffices(worth)) {
            self.statistics.leaves += 1;
            self.again += again;
            self.give(&worth, part.rows);
            return;
        }
        let mut claimed = false;
        if 3 * part.size >= self.shared.options.shared
            && let Some(walk) = &self.walk
        {
            let room = walk.has_room(self.shared.put_aside());
            let top = self.frames.last_mut().expect("the root is the last to go");
            let weight = top.weight() / top.parts;
            let side = || Arc::clone(top.side.get_or_insert_with(Unfinished::side));
            match walk.claim(&part, weight, room, side) {
                Claim::InProgress => {
                    top.gaps = true;
                    top.lent_of_side += weight;
                    return;
                }
                claim => claimed = claim == Claim::Mine,
            }
        }
        if let Some((count, again)) = self.sweep_part(&part) {
            let worth = Worth { count, node: None };
            let cost = u64::from(part.size);
            let cache = &self.shared.counted.cache;
            self.again += cache.insert(part.key.clone(), worth.clone(), cost, again);
            if let Some(walk) = self.walk.as_ref().filter(|_| claimed) {
                walk.give_to_all(self.shared, &part.key, &worth);
            }
            self.give(&worth, part.rows);
            return;
        }
        let cell = self.order.pick(&self.board, &part);
        self.branch(part, cell, None, claimed);
    }

    /// A new frame for a part, which branches on this cell; on the side on which another process has `left` it.
    fn branch(&mut self, part: Part<W>, cell: Cell, left: Option<&Step>, claimed: bool) {
        let parent = self.top();
        let within = parent.witness.clone();
        // What a side weighs is shared out among its parts, and what a part weighs between its sides.
        let weight = parent.weight() / parent.parts;
        let first = left.is_none_or(|step| step.filled);
        let more = left.is_none_or(|step| step.more);
        let (likely, of) = self.board.odds(cell);
        let filled = (u128::from(weight) * u128::from(likely) / u128::from(of)) as u64;
        let frame = Frame::new(part, self.board.mark(), within);
        let frame = frame.since(self.statistics.nodes, self.done, self.again);
        self.frames.push(Frame {
            decision: Some((cell, first)),
            more,
            sum: left.map_or(Count::ZERO, |step| step.sum.clone()),
            claimed,
            weights: [weight - filled, filled],
            ..frame
        });
        if !more {
            self.done += if first { weight - filled } else { filled };
            // What the first side took is not known here: much.
            self.again += u64::from(u32::MAX);
        }
        self.begin_side();
    }

    /// Decides the top frame's branch, as its decision says.
    fn begin_side(&mut self) {
        // Until it is known better, and should the run stop here.
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        top.product = Count::ZERO;
        top.rest.clear();
        top.gaps = false;
        top.alive = false;
        top.witness = None;
        if self.reserved == 0 {
            self.reserved = self.shared.control.reserve_nodes(BREATH);
            if self.reserved == 0 {
                return;
            }
        }
        self.reserved -= 1;
        self.statistics.nodes += 1;
        self.again += 1;
        let (nodes, done) = (self.statistics.nodes, self.done);
        self.barren = self.barren.min(self.frames.len() - 1);
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        let (cell, filled) = top.decision.expect("the root has no sides");
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        top.parts = 1;
        top.side_began = nodes;
        top.done = done;
        let here = |grid: &Arc<Grid>| grid.get(row, column) == filled;
        top.witness = top.within.clone().filter(here);
        top.alive = top.witness.is_some();
        if !self.is_believable() {
            self.statistics.dead_ends += 1;
            return;
        }
        // A settle reads a few words for each block of the line.
        let (pace, settle) = (&mut self.pace, W::BITS as u64);
        match (self.board).decide_unless(cell, filled, || pace.spend(settle)) {
            Some(true) => {}
            Some(false) => {
                self.statistics.dead_ends += 1;
                return;
            }
            // The run has been stopped.
            None => return,
        }
        let mut pending = Vec::new();
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        let (lines, numbers) = (&mut self.lines, &self.shared.counted.numbers);
        let (board, pace) = (&self.board, &mut self.pace);
        let split = (self.parts).split(board, &top.part.rows, lines, numbers, &mut pending, pace);
        if split.is_none() {
            return;
        }
        if pending.len() > 1 {
            top.parts = pending.len() as u64;
            self.statistics.splits += 1;
            // The smallest is the last, and so the first to be counted.
            pending.sort_by_key(|part| std::cmp::Reverse(part.size));
        }
        top.product = Count::ONE;
        top.pending = pending;
        if top.pending.is_empty() {
            self.statistics.leaves += 1;
            self.enliven();
        }
    }

    /// The side of the top frame is counted, but for what is counted elsewhere. Is the stack empty now?
    fn end_side(&mut self, walk: &Walk<W>) -> bool {
        let top = self
            .frames
            .last_mut()
            .expect("the bottom is the last to go");
        top.pending.clear();
        self.done = (top.done + top.weight()).saturating_sub(top.lent_of_side);
        top.lent_of_part += std::mem::take(&mut top.lent_of_side);
        if top.decision.is_none() {
            let bottom = self.frames.pop().expect("there is a top");
            let gift = Gift {
                count: bottom.product,
                edges: Vec::new(),
                rest: bottom.rest,
            };
            self.board.undo(bottom.mark);
            let side = bottom.side.expect("the bottom is there for a side");
            walk.fill(self.shared, side, gift);
            return true;
        }
        let keeps = self.shared.graph.is_some() && !top.product.is_zero();
        let rest = std::mem::take(&mut top.rest);
        let filled = |row: u16| self.board.rows()[usize::from(row)].filled;
        match top.side.take() {
            None => {
                top.sum += &top.product;
                if keeps {
                    top.edges.push(edge(&top.part.rows, filled, rest));
                }
            }
            // One of its parts has no solution.
            Some(side) if top.product.is_zero() || side.is_dead() => side.kill(),
            Some(side) => {
                let component = top.component.get_or_insert_with(Unfinished::component);
                component.open();
                let rows = &top.part.rows;
                let known = keeps.then(|| {
                    let filled = rows.iter().map(|&(row, _)| filled(row)).collect();
                    (rows.clone(), filled)
                });
                side.close_side(Arc::clone(component), known);
                let gift = Gift {
                    count: top.product.clone(),
                    edges: Vec::new(),
                    rest,
                };
                walk.fill(self.shared, side, gift);
            }
        }
        self.board.undo(top.mark);
        if top.more {
            top.more = false;
            top.decision = top.decision.map(|(cell, filled)| (cell, !filled));
            self.begin_side();
            return false;
        }
        let frame = self.frames.pop().expect("there is a top");
        self.barren = self.barren.min(self.frames.len());
        self.end_part(walk, frame)
    }

    /// The part of a frame is counted, but for what is counted elsewhere. Is the stack empty now?
    fn end_part(&mut self, walk: &Walk<W>, frame: Frame<W>) -> bool {
        let nodes = self.statistics.nodes - frame.began;
        let again = self.again - frame.again;
        let Some(parent) = self.frames.last_mut() else {
            // The bottom is one side of a part.
            let gift = Gift {
                count: frame.sum,
                edges: frame.edges,
                rest: Vec::new(),
            };
            let component = frame.component.expect("a side is counted for a component");
            walk.fill(self.shared, component, gift);
            return true;
        };
        parent.lent_of_side += frame.lent_of_part;
        let (count, edges) = match frame.component {
            None => (frame.sum, frame.edges),
            Some(component) => match component.leave_stack(&frame.sum, frame.edges) {
                Some(whole) => whole,
                None => {
                    parent.gaps = true;
                    let side = parent.side.get_or_insert_with(Unfinished::side);
                    side.open();
                    let record = Record {
                        part: frame.part,
                        nodes,
                        again,
                    };
                    walk.charge(&record);
                    component.close_component(Arc::clone(side), record);
                    walk.fill(self.shared, component, Gift::number(Count::ZERO));
                    return false;
                }
            },
        };
        let worth = Worth {
            count,
            node: self.shared.node(edges),
        };
        let cache = &self.shared.counted.cache;
        let key = frame.claimed.then(|| frame.part.key.clone());
        self.again = frame.again + cache.insert(frame.part.key, worth.clone(), nodes, again);
        if let Some(key) = key {
            walk.give_to_all(self.shared, &key, &worth);
        }
        self.give(&worth, frame.part.rows);
        false
    }

    /// Multiplies a part with these cells into the side it belongs to.
    fn give(&mut self, worth: &Worth, rows: Rows<W>) {
        let top = self.top();
        top.product *= &worth.count;
        top.rest.extend(worth.node.map(|node| (node, rows)));
        if !top.product.is_zero() && top.pending.is_empty() && !top.gaps {
            self.enliven();
        }
    }

    /// The top frame's side has a solution, and so have those above it, up to one of whose other parts nothing is known yet.
    fn enliven(&mut self) {
        for (above, frame) in self.frames.iter_mut().rev().enumerate() {
            let others = frame.pending.is_empty() && !frame.product.is_zero() && !frame.gaps;
            if frame.alive || above > 0 && frame.parts > 1 && !others {
                break;
            }
            frame.alive = true;
        }
    }

    /// Asks the oracle about the topmost side that has shown no solution for too long. `false` when the top frame's side, or one above
    /// it, turns out to have none: then that frame is the top one, and has been counted as such.
    fn is_believable(&mut self) -> bool {
        while self
            .frames
            .get(self.barren)
            .is_some_and(|frame| frame.alive)
        {
            self.barren += 1;
        }
        let Some(frame) = self.frames.get(self.barren) else {
            return true;
        };
        let waited = self.statistics.nodes.saturating_sub(frame.side_began);
        if waited < self.price || !self.asks || self.oracle.is_dumb() {
            return true;
        }
        match self.ask() {
            Answer::Solution(grid) => {
                let grid = Arc::new(grid);
                for frame in &mut self.frames {
                    if let Some((cell, filled)) = frame.decision
                        && grid.get(usize::from(cell.row), usize::from(cell.column)) != filled
                    {
                        break;
                    }
                    frame.alive = true;
                    frame.witness = Some(Arc::clone(&grid));
                }
                true
            }
            Answer::None => {
                // The parts in between were not counted to the end: nothing is said of them.
                self.abandon(self.barren + 1);
                let top = self.frames.last_mut().expect("the side in question");
                top.product = Count::ZERO;
                top.pending.clear();
                self.board.undo(top.mark);
                false
            }
            Answer::Unknown => {
                // Not again here, nor soon below.
                if let Some(frame) = self.frames.get_mut(self.barren) {
                    frame.side_began = self.statistics.nodes + 50 * DEAREST;
                }
                true
            }
        }
    }

    /// Asks the oracle about the topmost side of which no solution is known.
    fn ask(&mut self) -> Answer {
        let before = self.work();
        let path = self.path_to(self.barren + 1);
        let (clues, rows) = (self.shared.clues, &self.shared.rows);
        let answer = self.oracle.ask(clues, rows, path.into_iter());
        let nodes = (QUESTION + self.work() - before) / (NODE + 10 * SETTLE);
        self.again += nodes;
        self.price =
            ((15 * self.price + self.shared.options.patience * nodes / 100) / 16).min(DEAREST);
        answer
    }

    /// Solutions that are proved by now: what is done of the part.
    fn bound(&self) -> Count {
        let mut inner: Option<Count> = None;
        for frame in self.frames.iter().rev() {
            let mut sum = match frame.gaps && frame.witness.is_none() {
                // What fills the gaps may be nothing.
                true => Count::ZERO,
                false => frame.proved(inner.as_ref()),
            };
            sum += &frame.sum;
            if let Some(component) = &frame.component {
                sum += &component.value();
            }
            inner = Some(sum);
        }
        inner.unwrap_or(Count::ZERO)
    }
}

/// The edge of a part with these cells for what is known of them now: whether they are filled, row by row, but for those that are left to
/// one of these parts of it.
pub(super) fn edge<W: Word>(
    cells: &[(u16, W)],
    mut filled: impl FnMut(u16) -> W,
    rest: Vec<(NodeId, Rows<W>)>,
) -> Edge {
    // Of each of those parts, how many of its rows lie above; and the cells of those that have some in this row.
    let mut above = vec![0; rest.len()];
    let mut here: Vec<(u32, W)> = Vec::new();
    let size = cells.iter().map(|(_, cells)| cells.count()).sum();
    let mut becomes = Vec::with_capacity(size);
    for &(row, of_part) in cells {
        here.clear();
        for (i, ((_, rows), above)) in rest.iter().zip(&mut above).enumerate() {
            if let Some(&(_, left)) = rows.get(*above).filter(|&&(at, _)| at == row) {
                here.push((i as u32, left));
                *above += 1;
            }
        }
        let filled = filled(row);
        becomes.extend(of_part.cells().map(|column| {
            let left = here.iter().find(|(_, left)| left.has(column));
            match left {
                Some(&(i, _)) => Becomes::Left(i),
                None => Becomes::from(filled.has(column)),
            }
        }));
    }
    Edge::new(becomes, rest.into_iter().map(|(node, _)| node).collect())
}
