//! The engine: branch, propagate, fall apart, look up, multiply, add.
//!
//! A worker goes depth first on a stack of its own, one [`Frame`] for each part being counted: the sides of its branch add up, the
//! parts into which a side falls multiply. What it has counted goes into the cache that all workers share. Several workers share a
//! [`Walk`], which gives each of them pieces that no other one counts.

use std::sync::Arc;
use std::time::Instant;

use super::frame::Frame;

use super::order::Order;
use super::trail::TrailStep;
use super::unfinished::{ComponentRecord, Gift, Unfinished};
use super::walk::{Claim, Walk};
use crate::board::{Board, Cell, Prober};
use crate::count::components::{
    Component, ComponentFinder, ComponentValue, LineAutomata, Rows, edge,
};
use crate::count::plan::Plan;
use crate::count::shared::Shared;
use crate::line::Word;
use crate::puzzle::Grid;
use crate::run::{Pace, Statistics, shares};
use crate::sat::{Answer, Exchange};
use crate::search::{MAX_CONFLICTS, Oracle};
use crate::solutions::Count;

/// Everything that a worker has for itself.
#[derive(Debug)]
pub(crate) struct Worker<'s, 'a, W: Word> {
    pub(crate) shared: &'s Shared<'a, W>,
    pub(crate) board: Board<'a, W>,
    pub(crate) lines: LineAutomata<W>,
    pub(crate) components: ComponentFinder<W>,
    pub(crate) prober: Prober<W>,
    pub(crate) oracle: Oracle<'a>,
    pub(crate) frames: Vec<Frame<W>>,
    /// All frames below this one are alive.
    pub(crate) first_unproved: usize,
    pub(crate) order: Order,
    /// The walk that it takes part in, if others do so as well; and the way to the bottom of its stack.
    pub(crate) walk: Option<Arc<Walk<W>>>,
    pub(crate) path: Vec<(Cell, bool)>,
    /// Has the board left the root?
    pub(crate) has_moved: bool,
    /// What the walk has been told of: work and share.
    pub(crate) reported: (u64, u64),
    /// Which part of the whole is being counted.
    pub(crate) component: usize,
    /// The way that is tried, if somebody keeps track of it, and when the trail was last noted.
    pub(crate) plan: Option<Plan>,
    pub(crate) trail_noted: Instant,
    /// May the oracle be asked?
    pub(crate) may_ask: bool,
    /// Parts a good deal smaller than this are swept.
    pub(crate) narrow: u32,
    /// Share done with, out of [`WHOLE`].
    pub(crate) done: u64,
    /// Nodes reserved and not used yet.
    pub(crate) reserved: u64,
    /// Nodes when limits were last looked at. Whoever watches knows of them.
    pub(crate) polled_nodes: u64,
    /// Polls the control within a node: one node of a large puzzle can take seconds.
    pub(crate) pace: Pace<'s>,
    /// Nanoseconds of work that a side may take without a solution before the oracle is asked: what a question costs, a running mean.
    pub(crate) question_cost: u64,
    /// The worker's own work at which the trial at hand is spent at the latest; sooner where others take part in it.
    pub(crate) until: u64,
    /// Nodes that it would take to do all this again with what is logged alone.
    pub(crate) again: u64,
    /// Nanoseconds of sweeping parts.
    pub(crate) swept: u64,
    /// Unknown cells of the components that were branched, added up over all nodes.
    pub(crate) cells: u64,
    pub(crate) statistics: Statistics,
}

/// Nodes between two looks at the limits.
pub(crate) const NODES_PER_POLL: u64 = 256;

/// Nanoseconds that a node takes, and each unknown cell of the component that is branched there, a settle, and a tick of the solver: a
/// measure of work that no clock disturbs. Fitted to 234 trials on twelve puzzles, of which nine in ten took 0.6 to 1.35 times as long.
const NS_PER_NODE: u64 = 700;
const NS_PER_CELL: u64 = 45;
const NS_PER_SETTLE: u64 = 120;
const NS_PER_TICK: u64 = 46;

/// What a question to the oracle takes besides.
const QUESTION_OVERHEAD_NS: u64 = 20_000;

/// The price of a question at first, and at most, in nanoseconds: one hard question does not mean that the next ones are.
pub(crate) const INITIAL_QUESTION_NS: u64 = 60_000;
const MAX_QUESTION_NS: u64 = 1_200_000;

/// The price of the first question of a helper: what it takes to make a solver.
const SOLVER_BUILD_NS: u64 = 20_000_000;

/// Where others wait for tasks a side of which no solution is known is asked about at this share of the question_cost: only a side with a solution
/// has something to give away.
const WANTED_DISCOUNT: u64 = 8;

/// Nanoseconds of work on a side for which a question about it may take one conflict.
const NS_PER_ALLOWED_CONFLICT: u64 = 2_000;

/// Conflicts that any question may take, however little work its side has had.
const MIN_CONFLICTS: u64 = 100;

/// Conflicts that a question may take when the trial is nearly spent; and the nanoseconds that a conflict is assumed to take before the first
/// one.
const MIN_LAST_CONFLICTS: u64 = 20;
const ASSUMED_CONFLICT_NS: u64 = 20_000;

/// A question that ends without an answer is repeated when the work on its side has grown by this factor.
const RETRY_FACTOR: u64 = 4;

/// Nodes that take this number of nanoseconds, each with the settles and cells that it usually has.
pub(crate) fn nodes_in(nanoseconds: u64) -> u64 {
    nanoseconds / (NS_PER_NODE + 10 * NS_PER_SETTLE + 50 * NS_PER_CELL)
}

impl<'s, 'a, W: Word> Worker<'s, 'a, W> {
    pub(crate) fn new(shared: &'s Shared<'a, W>, exchange: Option<Arc<Exchange>>) -> Self {
        let clues = shared.clues;
        let (width, height) = (clues.width(), clues.height());
        let solver = shared.memory / shares::SOLVERS / shared.workers as u64;
        let lines = shared.memory / shares::LINES / shared.workers as u64;
        Worker {
            shared,
            board: Board::with_rows(clues, &shared.rows),
            lines: LineAutomata::new(width + height, lines),
            components: ComponentFinder::new(width, height),
            prober: Prober::default(),
            oracle: Oracle::new(shared.puzzle, Arc::clone(&shared.control), solver)
                .sharing(exchange),
            frames: Vec::new(),
            first_unproved: 0,
            order: Order::Down,
            walk: None,
            path: Vec::new(),
            has_moved: false,
            reported: (0, 0),
            component: 0,
            plan: None,
            trail_noted: Instant::now(),
            may_ask: true,
            narrow: 0,
            done: 0,
            reserved: 0,
            polled_nodes: 0,
            pace: Pace::new(&shared.control),
            question_cost: INITIAL_QUESTION_NS,
            until: u64::MAX,
            again: 0,
            swept: 0,
            cells: 0,
            statistics: Statistics::default(),
        }
    }

    /// Postpones the first question, and with it the making of a solver, until a side without a solution has taken as much work as
    /// that costs.
    pub(crate) fn delay_first_question(&mut self) {
        self.question_cost = SOLVER_BUILD_NS;
    }

    /// What the worker has done so far.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            settles: self.board.settles(),
            probes: self.prober.probes(),
            conflicts: self.oracle.conflicts(),
            ..self.statistics
        }
    }

    /// Nanoseconds that all the work so far may have taken.
    pub(crate) fn work(&self) -> u64 {
        NS_PER_NODE * self.statistics.nodes
            + NS_PER_CELL * self.cells
            + NS_PER_SETTLE * self.board.settles()
            + NS_PER_TICK * self.oracle.ticks()
            + self.swept
    }

    pub(crate) fn top(&mut self) -> &mut Frame<W> {
        self.frames.last_mut().expect("the root is the last to go")
    }

    /// A part is to be counted: known, or in progress, or a new frame.
    pub(crate) fn enter(&mut self, component: Component<W>) {
        if let Some((value, again)) = self.shared.store.get(&component.key) {
            self.statistics.leaves += 1;
            self.again += again;
            self.give(&value, component.rows);
            return;
        }
        let mut claimed = false;
        if 3 * component.size >= self.shared.options.shared
            && let Some(walk) = &self.walk
        {
            let room = walk.has_room(self.shared.put_aside());
            let top = self.frames.last_mut().expect("the root is the last to go");
            let weight = top.weight() / top.components;
            let side = || Arc::clone(top.side.get_or_insert_with(Unfinished::side));
            match walk.claim(&component, weight, room, side) {
                Claim::InProgress => {
                    top.gaps = true;
                    top.lent_of_side += weight;
                    return;
                }
                claim => claimed = claim == Claim::Mine,
            }
        }
        if let Some((count, again)) = self.sweep_component(&component) {
            let (value, cost) = (ComponentValue::number(count), u64::from(component.size));
            let store = &self.shared.store;
            self.again += store.keep(component.key.clone(), value.clone(), cost, again);
            if let Some(walk) = self.walk.as_ref().filter(|_| claimed) {
                walk.give_to_all(&self.shared.store, &component.key, &value);
            }
            self.give(&value, component.rows);
            return;
        }
        let cell = self.pick(&component);
        self.branch(component, cell, None, claimed);
    }

    /// A new frame for a part, which branches on this cell; on the side on which another process has `left` it.
    pub(crate) fn branch(
        &mut self,
        component: Component<W>,
        cell: Cell,
        left: Option<&TrailStep>,
        claimed: bool,
    ) {
        let parent = self.top();
        let within = parent.witness.clone();
        // What a side weighs is shared out among its parts, and what a part weighs between its sides.
        let weight = parent.weight() / parent.components;
        let first = left.is_none_or(|step| step.filled);
        let more = left.is_none_or(|step| step.more);
        let (likely, of) = self.board.odds(cell);
        let filled = (u128::from(weight) * u128::from(likely) / u128::from(of)) as u64;
        let mut frame = Frame::new(component, self.board.mark(), within);
        frame.records = self.prober.mark();
        let frame = frame.since(self.statistics.nodes, 0, self.done, self.again);
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
    pub(crate) fn begin_side(&mut self) {
        // Until it is known better, and should the run stop here.
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        top.product = Count::ZERO;
        top.rest.clear();
        top.gaps = false;
        top.alive = false;
        top.witness = None;
        top.probed = None;
        self.prober.backtrack(top.records);
        if self.reserved == 0 {
            self.reserved = self.shared.control.reserve_nodes(NODES_PER_POLL);
            if self.reserved == 0 {
                return;
            }
        }
        self.reserved -= 1;
        self.statistics.nodes += 1;
        self.again += 1;
        let (work, done) = (self.work(), self.done);
        self.first_unproved = self.first_unproved.min(self.frames.len() - 1);
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        let (cell, filled) = top.decision.expect("the root has no sides");
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        top.components = 1;
        top.side_began = work;
        top.retry_price = 0;
        top.done = done;
        let here = |grid: &Arc<Grid>| grid.get(row, column) == filled;
        top.witness = top.within.clone().filter(here);
        top.alive = top.witness.is_some();
        if !self.check_for_solution(false) {
            self.statistics.dead_ends += 1;
            return;
        }
        // A settle reads a few words for each block of the line.
        let (pace, settle) = (&mut self.pace, W::BITS as u64);
        self.board.take_changed();
        match (self.board).decide_unless(cell, filled, || pace.spend(settle)) {
            Some(true) => {}
            Some(false) => {
                self.statistics.dead_ends += 1;
                return;
            }
            // The run has been stopped.
            None => return,
        }
        if self.order == Order::Probed && !self.probe() {
            return;
        }
        let mut pending = Vec::new();
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        self.cells += u64::from(top.component.size);
        let (lines, numbers) = (&mut self.lines, &self.shared.store.table.numbers);
        let (board, pace) = (&self.board, &mut self.pace);
        let split = (self.components).split(
            board,
            &top.component.rows,
            lines,
            numbers,
            &mut pending,
            pace,
        );
        if split.is_none() {
            return;
        }
        if pending.len() > 1 {
            top.components = pending.len() as u64;
            self.statistics.splits += 1;
            // The smallest is the last, and so the first to be counted.
            pending.sort_by_key(|component| std::cmp::Reverse(component.size));
        }
        top.product = Count::ONE;
        top.pending = pending;
        if top.pending.is_empty() {
            self.statistics.leaves += 1;
            self.mark_alive();
        }
    }

    /// The side of the top frame is counted, but for what is counted elsewhere. Is the stack empty now?
    pub(crate) fn end_side(&mut self, walk: &Walk<W>) -> bool {
        let top = self
            .frames
            .last_mut()
            .expect("the bottom is the last to go");
        top.pending.clear();
        self.done = (top.done + top.weight()).saturating_sub(top.lent_of_side);
        top.lent_of_component += std::mem::take(&mut top.lent_of_side);
        if top.decision.is_none() {
            let bottom = self.frames.pop().expect("there is a top");
            let gift = Gift {
                count: bottom.product,
                edges: Vec::new(),
                rest: bottom.rest,
            };
            self.board.undo(bottom.mark);
            let side = bottom.side.expect("the bottom is there for a side");
            walk.fill(&self.shared.store, side, gift);
            return true;
        }
        let keeps = self.shared.store.keeps_graph() && !top.product.is_zero();
        let rest = std::mem::take(&mut top.rest);
        let filled = |row: u16| self.board.rows()[usize::from(row)].filled;
        match top.side.take() {
            None => {
                top.sum += &top.product;
                if keeps {
                    top.edges.push(edge(&top.component.rows, filled, rest));
                }
            }
            // One of its parts has no solution.
            Some(side) if top.product.is_zero() || side.is_dead() => side.kill(),
            Some(side) => {
                let open_component = top
                    .open_component
                    .get_or_insert_with(Unfinished::open_component);
                open_component.open();
                let rows = &top.component.rows;
                let known = keeps.then(|| {
                    let filled = rows.iter().map(|&(row, _)| filled(row)).collect();
                    (rows.clone(), filled)
                });
                side.close_side(Arc::clone(open_component), known);
                let gift = Gift {
                    count: top.product.clone(),
                    edges: Vec::new(),
                    rest,
                };
                walk.fill(&self.shared.store, side, gift);
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
        self.first_unproved = self.first_unproved.min(self.frames.len());
        self.end_component(walk, frame)
    }

    /// The part of a frame is counted, but for what is counted elsewhere. Is the stack empty now?
    fn end_component(&mut self, walk: &Walk<W>, frame: Frame<W>) -> bool {
        let nodes = self.statistics.nodes - frame.began;
        let again = self.again - frame.again;
        let Some(parent) = self.frames.last_mut() else {
            // The bottom is one side of a part.
            let gift = Gift {
                count: frame.sum,
                edges: frame.edges,
                rest: Vec::new(),
            };
            let open_component = frame
                .open_component
                .expect("a side is counted for a component");
            walk.fill(&self.shared.store, open_component, gift);
            return true;
        };
        parent.lent_of_side += frame.lent_of_component;
        let (count, edges) = match frame.open_component {
            None => (frame.sum, frame.edges),
            Some(open_component) => match open_component.leave_stack(&frame.sum, frame.edges) {
                Some(whole) => whole,
                None => {
                    parent.gaps = true;
                    let side = parent.side.get_or_insert_with(Unfinished::side);
                    side.open();
                    let record = ComponentRecord {
                        component: frame.component,
                        nodes,
                        again,
                    };
                    walk.charge(&record);
                    open_component.close_component(Arc::clone(side), record);
                    walk.fill(
                        &self.shared.store,
                        open_component,
                        Gift::number(Count::ZERO),
                    );
                    return false;
                }
            },
        };
        let value = ComponentValue {
            node: self.shared.store.node(&edges, &count),
            count,
        };
        let key = frame.claimed.then(|| frame.component.key.clone());
        let store = &self.shared.store;
        self.again = frame.again + store.keep(frame.component.key, value.clone(), nodes, again);
        if let Some(key) = key {
            walk.give_to_all(&self.shared.store, &key, &value);
        }
        self.give(&value, frame.component.rows);
        false
    }

    /// Multiplies a part with these cells into the side it belongs to.
    fn give(&mut self, value: &ComponentValue, rows: Rows<W>) {
        let top = self.top();
        top.product *= &value.count;
        top.rest.extend(value.node.map(|node| (node, rows)));
        if !top.product.is_zero() && top.pending.is_empty() && !top.gaps {
            self.mark_alive();
        }
    }

    /// The top frame's side has a solution, and so have those above it, up to one of whose other parts nothing is known yet.
    fn mark_alive(&mut self) {
        for (above, frame) in self.frames.iter_mut().rev().enumerate() {
            let others = frame.pending.is_empty() && !frame.product.is_zero() && !frame.gaps;
            if frame.alive || above > 0 && frame.components > 1 && !others {
                break;
            }
            frame.alive = true;
        }
    }

    /// Asks the oracle about the topmost side that has shown no solution for too long. `false` when the top frame's side, or one above
    /// it, turns out to have none: then that frame is the top one, and has been counted as such.
    pub(crate) fn check_for_solution(&mut self, wanted: bool) -> bool {
        while self
            .frames
            .get(self.first_unproved)
            .is_some_and(|frame| frame.alive)
        {
            self.first_unproved += 1;
        }
        let Some(frame) = self.frames.get(self.first_unproved) else {
            return true;
        };
        let waited = self.work().saturating_sub(frame.side_began);
        let price = match wanted {
            true => self.question_cost / WANTED_DISCOUNT,
            false => self.question_cost,
        };
        let enough = price.max(frame.retry_price);
        if waited < enough || !self.may_ask || self.oracle.is_unavailable() {
            return true;
        }
        match self.ask((waited / NS_PER_ALLOWED_CONFLICT).max(MIN_CONFLICTS)) {
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
                self.abandon(self.first_unproved + 1);
                let top = self.frames.last_mut().expect("the side in question");
                top.product = Count::ZERO;
                top.pending.clear();
                self.board.undo(top.mark);
                false
            }
            Answer::Unknown => {
                // Not soon again here, nor below.
                if let Some(frame) = self.frames.get_mut(self.first_unproved) {
                    frame.retry_price = RETRY_FACTOR * waited;
                }
                true
            }
        }
    }

    /// Asks the oracle about the topmost side of which no solution is known.
    fn ask(&mut self, conflicts: u64) -> Answer {
        let before = self.work();
        let path = self.path_to(self.first_unproved + 1);
        let (clues, rows) = (self.shared.clues, &self.shared.rows);
        // A trial of little work is not to be spent on one question.
        let each = (NS_PER_TICK * self.oracle.ticks()).checked_div(self.oracle.conflicts());
        let left = self.until.saturating_sub(before) / each.unwrap_or(ASSUMED_CONFLICT_NS).max(1);
        let conflicts = conflicts
            .min(left.max(MIN_LAST_CONFLICTS))
            .min(MAX_CONFLICTS.into()) as u32;
        let answer = (self.oracle).ask(clues, rows, path.into_iter(), conflicts);
        let took = QUESTION_OVERHEAD_NS + self.work() - before;
        self.again += nodes_in(took);
        let price = 15 * self.question_cost + self.shared.options.oracle_percent * took / 100;
        self.question_cost = (price / 16).min(MAX_QUESTION_NS);
        answer
    }
}
