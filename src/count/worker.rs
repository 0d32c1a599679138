//! The engine: branch, propagate, fall apart, look up, multiply, add.
//!
//! A worker walks the whole space depth first on a stack of its own, one [`Frame`] for each part being counted: the sides of its
//! branch add up, the parts into which a side falls multiply. What it has counted goes into the cache that all workers share. They
//! all walk the same space, each in its own order and trying other sides first, so that what one has counted the others find; the
//! first to come to the end has the answer. So nothing waits for anything, and nothing is handed over but numbers in the cache.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::contest::{Plan, Trial};
use super::diagram::Lines;
use super::frontier::{Allowance, Halt, Way, sweep};
use super::oracle::Oracle;
use super::order::Order;
use super::part::{Part, Parts};
use super::trail::Step;
use super::{Becomes, Edge, NodeId, Shared, Worth};
use crate::board::{Board, Cell};
use crate::line::Word;
use crate::puzzle::Grid;
use crate::sat::Answer;
use crate::search::{Pace, Statistics, WHOLE};
use crate::solutions::Count;

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
type Rows<W> = Box<[(u16, W)]>;

/// A part being counted, and the side of its branch that is under way.
#[derive(Debug)]
struct Frame<W> {
    part: Part<W>,
    /// Where the board was before the branch.
    mark: usize,
    /// The decision under way. The root has none.
    decision: Option<(Cell, bool)>,
    /// Is the other side still to come?
    more: bool,
    /// The side before, if it is done.
    sum: Count,
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
    within: Option<Rc<Grid>>,
    witness: Option<Rc<Grid>>,
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
    /// Which part of the whole is being counted.
    part: usize,
    /// The way that is tried, if somebody keeps track of it, and when the trail was last noted.
    plan: Option<Plan>,
    noted: Instant,
    /// May the oracle be asked?
    asks: bool,
    /// Which of those on the same way it is.
    turn: u64,
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
            part: 0,
            plan: None,
            noted: Instant::now(),
            asks: true,
            turn: 0,
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
    pub(super) fn try_out(&mut self, trial: &Trial) -> Ended {
        let part = trial.part;
        self.part = part;
        self.narrow = 0;
        // Only what begins alike can be compared.
        self.asks = trial.asks;
        // A first trial is of other boards, too.
        let tracked = trial.rated && trial.asks && self.shared.keeping.is_some();
        self.plan = tracked.then_some(trial.plan);
        self.turn = if trial.rated {
            0
        } else {
            self.index.max(1) as u64
        };

        match trial.plan {
            Plan::Branch(order) => self.walk(part, order, trial.budget),
            Plan::Sweep(way) => {
                let allowance = self.allowance(1, trial.budget);
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
                    Err(Halt::Stopped) if self.shared.control.stopped() => Ended::Stopped,
                    Err(Halt::Stopped) => Ended::Full,
                }
            }
            Plan::BranchAndSweep => {
                self.narrow = self.shared.narrow(part);
                self.walk(part, Order::Narrow, trial.budget)
            }
        }
    }

    /// Must a sweep stop, or was another worker first?
    fn stop(&self) -> impl Fn() -> bool + Sync + use<'s, 'a, W> {
        let (shared, part) = (self.shared, self.part);
        move || {
            shared.control.look();
            // Relaxed: a hint, for the contest itself is behind a lock.
            shared.control.stopped() || shared.current.load(Ordering::Relaxed) != part
        }
    }

    /// What one of so many sweeps may take for so much work.
    fn allowance(&self, sweeps: u64, budget: u64) -> Allowance {
        Allowance {
            bytes: self.shared.memory / 2 / sweeps,
            passed: budget / STATE,
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

    /// Counts one of the parts of the whole in this order, unless that takes more than so much work or another worker is first.
    pub(super) fn walk(&mut self, part: usize, order: Order, budget: u64) -> Ended {
        self.order = order;
        self.done = 0;
        self.barren = 0;
        let began = self.work();
        let limit = began.saturating_add(budget);
        self.frames.push(Frame {
            part: Part::nothing(),
            mark: self.board.mark(),
            decision: None,
            more: false,
            sum: Count::ZERO,
            product: Count::ONE,
            parts: 1,
            pending: vec![self.shared.parts[part].clone()],
            edges: Vec::new(),
            rest: Vec::new(),
            alive: self.shared.witness.is_some(),
            within: None,
            witness: self.shared.witness.clone().map(Rc::new),
            began: self.statistics.nodes,
            side_began: self.statistics.nodes,
            weights: [WHOLE, 0],
            done: 0,
            again: self.again,
        });
        if let Some(trail) = self.shared.trail(part, self.plan) {
            self.follow(&trail);
        }
        let mut polls = self.pace.polls();
        let ended = loop {
            if self.shared.control.stopped() {
                break Ended::Stopped;
            }
            if self.statistics.nodes >= self.looked + BREATH || self.pace.polls() != polls {
                polls = self.pace.polls();
                self.breathe();
                if self.plan.is_some() && self.noted.elapsed() >= NOTED {
                    self.note_trail();
                }
                // Relaxed: a hint, for the contest itself is behind a lock.
                let overtaken = self.shared.current.load(Ordering::Relaxed) != part;
                if overtaken || self.work() >= limit {
                    let share = self.done as f64 / WHOLE as f64;
                    break Ended::Spent((self.work() - began) as f64 / share);
                }
            }
            let top = self.top();
            match top.pending.pop() {
                Some(part) if !top.product.is_zero() => self.enter(part),
                _ => {
                    if let Some(worth) = self.end_side() {
                        break Ended::Done(worth);
                    }
                }
            }
        };
        self.breathe();
        if !matches!(ended, Ended::Done(_)) {
            self.note_trail();
        }
        if let Some(root) = self.frames.first() {
            self.board.undo(root.mark);
        }
        self.frames.clear();
        self.shared
            .control
            .return_nodes(std::mem::take(&mut self.reserved));
        ended
    }

    /// Notes the way to where the walk is.
    fn note_trail(&mut self) {
        self.noted = Instant::now();
        let Some(plan) = self.plan else {
            return;
        };
        // The first frame has nothing but the one part, which is under way.
        let frames = self.frames.get(1..).unwrap_or_default();
        let steps = frames.iter().enumerate().filter_map(|(i, frame)| {
            let (cell, filled) = frame.decision?;
            // The innermost side is begun anew.
            let parts = match i + 1 < frames.len() {
                true => frame.parts as usize - frame.pending.len() - 1,
                false => 0,
            };
            Some(Step {
                size: frame.part.size,
                cell,
                filled,
                more: frame.more,
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
            self.branch(part, cell, Some(step));
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

    /// Every now and then: a look at the limits, and a word to whoever wants to know.
    fn breathe(&mut self) {
        self.looked = self.statistics.nodes;
        self.shared.control.look();
        let meter = &self.shared.meters[self.index];
        meter.nodes.store(self.statistics.nodes, Ordering::Relaxed);
        meter.done.fetch_max(self.done, Ordering::Relaxed);
        let bound = self.bound();
        let mut best = self
            .shared
            .bound
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Relaxed: it changes under this lock alone. What is proved of a part says nothing of the one after it.
        let overtaken = self.shared.current.load(Ordering::Relaxed) != self.part;
        if !overtaken && !self.frames.is_empty() && bound > *best {
            *best = bound;
        }
    }

    /// Which side of a branch comes first. Of two workers on the same way one begins with the filled side, the other with the empty one,
    /// and they meet in the middle; more of them mix both, each differently.
    fn first_side(&self, cell: Cell) -> bool {
        match self.turn {
            0 => true,
            1 => false,
            turn => {
                let place = u64::from(cell.row) << 16 | u64::from(cell.column);
                let mixed = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (turn << 32 | turn));
                mixed >> 63 == 0
            }
        }
    }

    /// A part is to be counted: known, or a new frame.
    fn enter(&mut self, part: Part<W>) {
        let known = self.shared.counted.cache.get(&part.key);
        if let Some((worth, again)) = known.filter(|(worth, _)| self.shared.suffices(worth)) {
            self.statistics.leaves += 1;
            self.again += again;
            self.give(&worth, part.rows);
            return;
        }
        if let Some((count, again)) = self.sweep_part(&part) {
            let worth = Worth { count, node: None };
            let cost = u64::from(part.size);
            let cache = &self.shared.counted.cache;
            self.again += cache.insert(part.key, worth.clone(), cost, again);
            self.give(&worth, part.rows);
            return;
        }
        let cell = self.order.pick(&self.board, &part);
        self.branch(part, cell, None);
    }

    /// A new frame for a part, which branches on this cell; on the side on which another process has `left` it.
    fn branch(&mut self, part: Part<W>, cell: Cell, left: Option<&Step>) {
        let parent = self.top();
        let within = parent.witness.clone();
        // What a side weighs is shared out among its parts, and what a part weighs between its sides.
        let weight = parent.weight() / parent.parts;
        let first = left.map_or_else(|| self.first_side(cell), |step| step.filled);
        let more = left.is_none_or(|step| step.more);
        let (likely, of) = self.board.odds(cell);
        let filled = (u128::from(weight) * u128::from(likely) / u128::from(of)) as u64;
        let nodes = self.statistics.nodes;
        self.frames.push(Frame {
            part,
            mark: self.board.mark(),
            decision: Some((cell, first)),
            more,
            sum: left.map_or(Count::ZERO, |step| step.sum.clone()),
            product: Count::ZERO,
            pending: Vec::new(),
            edges: Vec::new(),
            rest: Vec::new(),
            parts: 1,
            alive: false,
            within,
            witness: None,
            began: nodes,
            side_began: nodes,
            weights: [weight - filled, filled],
            done: self.done,
            again: self.again,
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
        let here = |grid: &Rc<Grid>| grid.get(row, column) == filled;
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

    /// The side of the top frame is counted. The whole, when it was the last side of the root.
    fn end_side(&mut self) -> Option<Worth> {
        let top = self.frames.last_mut().expect("the root is the last to go");
        top.sum += &top.product;
        top.pending.clear();
        if self.shared.graph.is_some() && top.decision.is_some() && !top.product.is_zero() {
            let rest = std::mem::take(&mut top.rest);
            top.edges.push(edge(&self.board, &top.part, rest));
        }
        self.board.undo(top.mark);
        self.done = top.done + top.weight();
        if top.more {
            top.more = false;
            top.decision = top.decision.map(|(cell, filled)| (cell, !filled));
            self.begin_side();
            return None;
        }
        let frame = self.frames.pop().expect("there is a top");
        self.barren = self.barren.min(self.frames.len());
        let mut worth = Worth {
            count: frame.sum,
            node: None,
        };
        if self.frames.is_empty() {
            // The root has nothing but the one part.
            worth.node = frame.rest.last().map(|&(node, _)| node);
            return Some(worth);
        }
        if let Some(graph) = &self.shared.graph
            && !frame.edges.is_empty()
        {
            let mut graph = graph.lock().unwrap_or_else(PoisonError::into_inner);
            worth.node = Some(graph.node(frame.edges));
            let full = graph.bytes() > self.shared.most_of_graph;
            drop(graph);
            if full {
                self.shared.give_graph_up();
            }
        }
        let nodes = self.statistics.nodes - frame.began;
        let again = self.again - frame.again;
        let cache = &self.shared.counted.cache;
        self.again = frame.again + cache.insert(frame.part.key, worth.clone(), nodes, again);
        self.give(&worth, frame.part.rows);
        None
    }

    /// Multiplies a part with these cells into the side it belongs to.
    fn give(&mut self, worth: &Worth, rows: Rows<W>) {
        let top = self.top();
        top.product *= &worth.count;
        top.rest.extend(worth.node.map(|node| (node, rows)));
        if !top.product.is_zero() && top.pending.is_empty() {
            self.enliven();
        }
    }

    /// The top frame's side has a solution, and so have those above it, up to one of whose other parts nothing is known yet.
    fn enliven(&mut self) {
        for (above, frame) in self.frames.iter_mut().rev().enumerate() {
            let others = frame.pending.is_empty() && !frame.product.is_zero();
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
        let before = self.work();
        let path = self.frames[..=self.barren].iter();
        let answer = self
            .oracle
            .ask(&self.board, path.filter_map(|frame| frame.decision));
        let nodes = (QUESTION + self.work() - before) / (NODE + 10 * SETTLE);
        self.again += nodes;
        self.price =
            ((15 * self.price + self.shared.options.patience * nodes / 100) / 16).min(DEAREST);
        match answer {
            Answer::Solution(grid) => {
                let grid = Rc::new(grid);
                for frame in &mut self.frames {
                    if let Some((cell, filled)) = frame.decision
                        && grid.get(usize::from(cell.row), usize::from(cell.column)) != filled
                    {
                        break;
                    }
                    frame.alive = true;
                    frame.witness = Some(Rc::clone(&grid));
                }
                true
            }
            Answer::None => {
                // The parts in between were not counted to the end: nothing is said of them.
                self.frames.truncate(self.barren + 1);
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

    /// Solutions that are proved by now: what is done of the part.
    fn bound(&self) -> Count {
        // Of what is below the innermost frame nothing is known but what that frame says.
        let mut inner = Count::ONE;
        for (i, frame) in self.frames.iter().enumerate().rev() {
            let innermost = i + 1 == self.frames.len();
            let mut side = frame.product.clone();
            if frame.witness.is_some() {
                // Parts not counted yet have a solution each.
                if !inner.is_zero() {
                    side *= &inner;
                }
            } else if !frame.pending.is_empty() || innermost && !frame.alive {
                side = Count::ZERO;
            } else {
                side *= &inner;
            }
            if side.is_zero() && frame.witness.is_some() {
                side = Count::ONE;
            }
            side += &frame.sum;
            inner = side;
        }
        inner
    }
}

/// The edge of a part for what the board says of its cells now: known, or left to one of these parts of it.
fn edge<W: Word>(board: &Board<'_, W>, part: &Part<W>, rest: Vec<(NodeId, Rows<W>)>) -> Edge {
    // Of each of those parts, how many of its rows lie above; and the cells of those that have some in this row.
    let mut above = vec![0; rest.len()];
    let mut here: Vec<(u32, W)> = Vec::new();
    let mut cells = Vec::with_capacity(part.size as usize);
    for &(row, of_part) in &part.rows {
        here.clear();
        for (i, ((_, rows), above)) in rest.iter().zip(&mut above).enumerate() {
            if let Some(&(_, left)) = rows.get(*above).filter(|&&(at, _)| at == row) {
                here.push((i as u32, left));
                *above += 1;
            }
        }
        let known = board.rows()[usize::from(row)];
        cells.extend(of_part.cells().map(|column| {
            let left = here.iter().find(|(_, left)| left.has(column));
            match left {
                Some(&(i, _)) => Becomes::Left(i),
                None => Becomes::from(known.filled.has(column)),
            }
        }));
    }
    Edge::new(cells, rest.into_iter().map(|(node, _)| node).collect())
}
