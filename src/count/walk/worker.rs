//! A worker counts components: it decides a cell, propagates, splits the other unknown cells into components, and looks each of them up in
//! the component table or counts it in turn.
//!
//! It does so depth first with a stack of its own, which has a [`Frame`] for each component that is being counted. The counts of the two
//! sides of a branch are added, and those of the components of a side are multiplied. Workers that share a [`Walk`] count different pieces
//! of it, and all workers share the component table.

use std::sync::Arc;

use super::frame::Frame;
use super::pool::{Claim, Walk};
use super::unfinished::{ComponentRecord, GapValue, Unfinished};
use crate::board::{Board, Cell, Prober};
use crate::count::components::{
    Component, ComponentFinder, ComponentValue, Key, PieceCache, Rows, edge,
};
use crate::count::crew::Crew;
use crate::graph::Edge;
use crate::line::Word;
use crate::puzzle::Grid;
use crate::run::{Pace, Statistics, memory_plan};
use crate::sat::{Answer, SatSolver};
use crate::search::{MAX_CONFLICTS, Oracle};
use crate::solutions::Count;

/// A worker: a thread's own state, and a reference to what it shares with the others.
#[derive(Debug)]
pub(crate) struct Worker<'c, 'a, W: Word> {
    pub(crate) crew: &'c Crew<'a, W>,
    pub(super) board: Board<'a, W>,
    pub(super) piece_cache: PieceCache<W>,
    pub(super) component_finder: ComponentFinder<W>,
    pub(super) prober: Prober<W>,
    pub(crate) oracle: Oracle<'a>,
    pub(super) frames: Vec<Frame<W>>,
    /// All frames before this index are known to be alive. The others may be alive or not.
    pub(super) alive_frames: usize,
    /// The walk under way, if other workers may work on it too.
    pub(super) shared_walk: Option<Arc<Walk<W>>>,
    /// The decisions from the root to the node where the stack starts; those of the frames follow them.
    pub(super) path: Vec<(Cell, bool)>,
    /// The values of `work()` and of `share_done` at the last report to the walk.
    pub(super) reported: (u64, u64),
    /// Whether the oracle may be asked.
    pub(super) may_ask_oracle: bool,
    /// Share of the walk that its current piece has done so far, out of [`WHOLE`](crate::search::WHOLE).
    pub(super) share_done: u64,
    /// Nodes reserved and not used yet.
    pub(super) reserved: u64,
    /// Nodes at the last poll, when they were added to the status.
    pub(super) polled_nodes: u64,
    /// Polls the control within a node: one node of a large puzzle can take seconds.
    pub(super) pace: Pace<'c>,
    /// The oracle is asked about a side without a known solution when the work on the side reaches this number of nanoseconds. It follows a
    /// percentage of the mean cost of a question ([`oracle_percent`](crate::count::options::Options::oracle_percent)). It is raised where
    /// questions seldom refute a side.
    pub(super) question_threshold_ns: u64,
    /// Running mean of the share of questions that refuted their side, out of [`ALL_QUESTIONS`].
    refuted_questions: u64,
    /// The value of `work()`, in nanoseconds, at which this worker alone would have used up the slice.
    pub(super) work_limit: u64,
    /// Sum of the unknown cells of the branched component, over the nodes that propagation and probing did not refute.
    branched_cells: u64,
    pub(super) statistics: Statistics,
}

/// Nodes between two polls of the limits.
pub(super) const NODES_PER_POLL: u64 = 256;

/// Nanoseconds per node, per unknown cell of the component branched at a node, per settle, and per tick of the SAT solver. Work is computed
/// from these counters and not read from a clock, so that it is reproducible. Fitted to 234 trials on twelve puzzles; nine in ten of these
/// trials took 0.6 to 1.35 times the computed time.
const NS_PER_NODE: u64 = 700;
const NS_PER_CELL: u64 = 45;
const NS_PER_SETTLE: u64 = 120;
pub(crate) const NS_PER_TICK: u64 = 46;

/// Nanoseconds of a question to the oracle, without the ticks of the solver.
const QUESTION_OVERHEAD_NS: u64 = 20_000;

/// The nanoseconds that the first question is assumed to take, besides building the SAT solver.
const FIRST_QUESTION_NS: u64 = 150_000;

/// The nanoseconds of building a SAT solver.
pub(crate) const SOLVER_BUILD_NS: u64 = 20_000_000;

/// The maximum value of [`Worker::question_threshold_ns`]. There is a maximum because one hard question does not mean that the next
/// questions are hard.
const MAX_QUESTION_THRESHOLD_NS: u64 = 100_000_000;

/// All questions, as a value of `refuted_questions`.
const ALL_QUESTIONS: u64 = 1 << 16;

/// The threshold for a question is meant for a walk in which half of the questions refute their side. A walk that probes finds nearly all
/// dead ends itself, and most of its questions are wasted. The threshold is divided by the share of questions that refute their
/// side, relative to a half, and the share counts as at least this number.
const MIN_REFUTED_QUESTIONS: u64 = ALL_QUESTIONS / 64;

/// While other workers wait for tasks, the threshold for a question is divided by this number, because tasks are given away only in the
/// subtree of a side about which the oracle has been asked.
const TASKS_WANTED_DIVISOR: u64 = 80;

/// The conflict limit of a question is the nanoseconds of work on its side, divided by this number.
const NS_PER_ALLOWED_CONFLICT: u64 = 2_000;

/// Least conflict limit of a question, unless the slice is nearly used up.
const MIN_CONFLICTS: u64 = 100;

/// Least conflict limit of a question when the slice is nearly used up.
const MIN_LAST_CONFLICTS: u64 = 20;

/// Nanoseconds that a conflict is assumed to take as long as the worker's solver has had no conflict.
const ASSUMED_CONFLICT_NS: u64 = 20_000;

/// A question that ends without an answer is repeated when the work on its side has grown by this factor.
const RETRY_FACTOR: u64 = 4;

impl<'c, 'a, W: Word> Worker<'c, 'a, W> {
    pub(crate) fn new(crew: &'c Crew<'a, W>) -> Self {
        let (width, height) = (crew.clues.width(), crew.clues.height());
        let part = |share: memory_plan::Share| share.part(crew.memory, crew.workers as u64);
        Worker {
            crew,
            board: Board::with_rows(crew.clues, &crew.rows),
            piece_cache: PieceCache::new(width + height, part(memory_plan::LINES)),
            component_finder: ComponentFinder::new(width, height),
            prober: Prober::new(part(memory_plan::PROBES)),
            oracle: Oracle::new(
                crew.puzzle,
                Arc::clone(&crew.control),
                part(memory_plan::SOLVERS),
            )
            .sharing(crew.exchange.clone()),
            frames: Vec::new(),
            alive_frames: 0,
            shared_walk: None,
            path: Vec::new(),
            reported: (0, 0),
            may_ask_oracle: SatSolver::IS_BUILT_IN,
            share_done: 0,
            reserved: 0,
            polled_nodes: 0,
            pace: Pace::new(&crew.control),
            question_threshold_ns: crew.options.oracle_threshold_ns(SOLVER_BUILD_NS / 4),
            refuted_questions: ALL_QUESTIONS / 2,
            work_limit: u64::MAX,
            branched_cells: 0,
            statistics: Statistics::default(),
        }
    }

    /// The statistics of all its work so far.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            settles: self.board.settles(),
            probes: self.prober.probes(),
            conflicts: self.oracle.conflicts(),
            ..self.statistics
        }
    }

    /// All its work so far, in nanoseconds computed from counters.
    pub(crate) fn work(&self) -> u64 {
        NS_PER_NODE * self.statistics.nodes
            + NS_PER_CELL * self.branched_cells
            + NS_PER_SETTLE * self.board.settles()
            + NS_PER_TICK * self.oracle.ticks()
    }

    pub(crate) fn top(&mut self) -> &mut Frame<W> {
        self.frames.last_mut().expect("the stack has a frame")
    }

    /// Counts a component of the current side: looks it up in the component table, leaves a gap if another worker is counting it, or pushes
    /// a frame for it.
    pub(crate) fn begin_component(&mut self, mut component: Component<W>) {
        if self.look_up(&mut component).is_some() {
            return;
        }
        let mut is_claimed = false;
        if 3 * component.size >= self.crew.options.min_shared_cells
            && let Some(walk) = &self.shared_walk
        {
            let has_room = walk.has_room(memory_plan::DEFERRED.of(self.crew.memory));
            let top = self.frames.last_mut().expect("the stack has a frame");
            let weight = top.weight() / top.component_count;
            let side = || Arc::clone(top.open_side.get_or_insert_with(Unfinished::open_side));
            match walk.claim(&component, weight, has_room, side) {
                Claim::InProgress => {
                    top.has_gaps = true;
                    top.gap_weight_in_side += weight;
                    return;
                }
                claim => is_claimed = claim == Claim::Mine,
            }
        }
        // Between the look-up above and the claim, the worker that had claimed it before may have stored and released it.
        if is_claimed && let Some(value) = self.look_up(&mut component) {
            self.release(&component.key, &value);
            return;
        }
        let cell = self.pick(&component);
        self.branch(component, cell, is_claimed);
    }

    /// Looks a component up in the component table. If it is there, multiplies the current side by its value, moves its cells there, and
    /// returns the value.
    fn look_up(&mut self, component: &mut Component<W>) -> Option<ComponentValue> {
        let value = self.crew.store.get(&component.key)?;
        #[cfg(feature = "checked")]
        {
            let descriptions = &self.crew.store.table.state_numbers.descriptions;
            descriptions.confirm(&component.key, &self.board, &component.rows);
            descriptions.confirm_count(&component.key, &value.count);
        }
        self.statistics.leaves += 1;
        self.multiply_into_side(&value, std::mem::take(&mut component.rows));
        Some(value)
    }

    /// Ends the claim on a component, and passes its value to the sides that wait for it.
    fn release(&self, key: &Key, value: &ComponentValue) {
        if let Some(walk) = &self.shared_walk {
            walk.fill_waiting(&self.crew.store, key, value);
        }
    }

    /// Pushes a frame for a component, which branches on this cell, and begins its filled side.
    fn branch(&mut self, component: Component<W>, cell: Cell, is_claimed: bool) {
        let parent = self.top();
        let witness_above = parent.witness.clone();
        // The weight of a side is divided equally among its components, that of a component between its sides by their odds.
        let weight = parent.weight() / parent.component_count;
        let (chance, total) = self.board.filled_chance(cell);
        let filled_weight = (u128::from(weight) * u128::from(chance) / u128::from(total)) as u64;
        let frame = Frame::new(component, self.board.mark(), witness_above);
        self.frames.push(Frame {
            decision: Some((cell, true)),
            has_other_side: true,
            is_claimed,
            prober_mark: self.prober.mark(),
            weights: [weight - filled_weight, filled_weight],
            nodes_before: self.statistics.nodes,
            share_before_side: self.share_done,
            ..frame
        });
        self.begin_side();
    }

    /// Begins the side of the top frame that its `decision` names: decides the cell, propagates, and splits the component.
    pub(crate) fn begin_side(&mut self) {
        // These values stay if the side has no solution, or if the run is stopped here.
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        top.product = Count::ZERO;
        top.children.clear();
        top.has_gaps = false;
        top.is_alive = false;
        top.witness = None;
        top.probed = None;
        self.prober.backtrack(top.prober_mark);
        if self.reserved == 0 {
            self.reserved = self.crew.control.reserve_nodes(NODES_PER_POLL);
            if self.reserved == 0 {
                return;
            }
        }
        self.reserved -= 1;
        self.statistics.nodes += 1;
        let (work, done) = (self.work(), self.share_done);
        self.alive_frames = self.alive_frames.min(self.frames.len() - 1);
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        let (cell, filled) = top
            .decision
            .expect("a frame without a decision has no sides");
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        top.component_count = 1;
        top.work_before_side = work;
        top.retry_threshold_ns = 0;
        top.share_before_side = done;
        let agrees = |grid: &Arc<Grid>| grid.get(row, column) == filled;
        top.witness = top.witness_above.clone().filter(agrees);
        top.is_alive = top.witness.is_some();
        if !self.may_have_solution(false) {
            // The side to be begun may have been dropped with its frame.
            self.statistics.dead_ends += 1;
            return;
        }
        // The pace is charged for each settle by the bits of a line: a settle reads a few words for each block.
        let (pace, settle_cost) = (&mut self.pace, W::BITS as u64);
        self.board.take_changed();
        match (self.board).decide_unless(cell, filled, || pace.spend(settle_cost)) {
            Some(true) => {}
            Some(false) => {
                self.statistics.dead_ends += 1;
                return;
            }
            // The run has been stopped.
            None => return,
        }
        if !self.probe() {
            return;
        }
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        // Empty, with the memory of the side before.
        let mut pending = std::mem::take(&mut top.pending);
        self.branched_cells += u64::from(top.component.size);
        let (lines, numbers) = (&mut self.piece_cache, &self.crew.store.table.state_numbers);
        let (board, pace) = (&self.board, &mut self.pace);
        let split = (self.component_finder).split(
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
            top.component_count = pending.len() as u64;
            self.statistics.splits += 1;
            // Pending components are taken from the end. With the largest first in the list, the smallest is counted first.
            pending.sort_by_key(|component| std::cmp::Reverse(component.size));
        }
        top.product = Count::ONE;
        top.pending = pending;
        if top.pending.is_empty() {
            self.statistics.leaves += 1;
            self.mark_alive();
        }
    }

    /// Ends the current side of the top frame: all its components are counted, or other workers count them. Begins the other side or ends
    /// the component. Returns whether the stack is empty now.
    pub(crate) fn end_side(&mut self, walk: &Walk<W>) -> bool {
        let top = self.frames.last_mut().expect("the stack has a frame");
        top.pending.clear();
        self.share_done =
            (top.share_before_side + top.weight()).saturating_sub(top.gap_weight_in_side);
        top.gap_weight_in_component += std::mem::take(&mut top.gap_weight_in_side);
        if top.decision.is_none() {
            let bottom = self.frames.pop().expect("the stack has a frame");
            let gap_value = GapValue {
                count: bottom.product,
                edges: Vec::new(),
                children: bottom.children,
            };
            self.board.undo(bottom.mark);
            let side = bottom
                .open_side
                .expect("the bottom frame has the side that it counts for");
            walk.fill(&self.crew.store, side, gap_value);
            return true;
        }
        let keeps_graph = self.crew.store.keeps_graph() && !top.product.is_zero();
        let children = std::mem::take(&mut top.children);
        let filled = |row: u16| self.board.rows()[usize::from(row)].filled;
        match top.open_side.take() {
            None => {
                top.sum += &top.product;
                if keeps_graph {
                    top.edges.push(edge(&top.component.rows, filled, children));
                }
            }
            // One of the side's components has no solution.
            Some(side) if top.product.is_zero() || side.is_cancelled() => side.cancel(),
            Some(side) => {
                let open_component = top
                    .open_component
                    .get_or_insert_with(Unfinished::open_component);
                open_component.add_gap();
                let rows = &top.component.rows;
                let graph_cells = keeps_graph.then(|| {
                    let filled = rows.iter().map(|&(row, _)| filled(row)).collect();
                    (rows.clone(), filled)
                });
                side.close_side(Arc::clone(open_component), graph_cells);
                let gap_value = GapValue {
                    count: top.product.clone(),
                    edges: Vec::new(),
                    children,
                };
                walk.fill(&self.crew.store, side, gap_value);
            }
        }
        self.board.undo(top.mark);
        if top.has_other_side {
            top.has_other_side = false;
            top.decision = top.decision.map(|(cell, filled)| (cell, !filled));
            self.begin_side();
            return false;
        }
        let frame = self.frames.pop().expect("the stack has a frame");
        self.alive_frames = self.alive_frames.min(self.frames.len());
        self.end_component(walk, frame)
    }

    /// Ends the component of a frame that was popped: all its sides are counted, or other workers count the rest. Returns whether the stack
    /// is empty now.
    fn end_component(&mut self, walk: &Walk<W>, frame: Frame<W>) -> bool {
        let nodes = self.statistics.nodes - frame.nodes_before;
        let Some(parent) = self.frames.last_mut() else {
            // The stack has counted one side of a component, for another worker.
            let gap_value = GapValue {
                count: frame.sum,
                edges: frame.edges,
                children: Vec::new(),
            };
            let open_component = frame
                .open_component
                .expect("the bottom frame has the component that it counts for");
            walk.fill(&self.crew.store, open_component, gap_value);
            return true;
        };
        parent.gap_weight_in_side += frame.gap_weight_in_component;
        let (count, edges) = match frame.open_component {
            None => (frame.sum, frame.edges),
            Some(open_component) => match open_component.leave_stack(&frame.sum, frame.edges) {
                Some(whole) => whole,
                None => {
                    parent.has_gaps = true;
                    let side = parent.open_side.get_or_insert_with(Unfinished::open_side);
                    side.add_gap();
                    let record = ComponentRecord {
                        component: frame.component,
                        nodes,
                    };
                    walk.charge(&record);
                    open_component.close_component(Arc::clone(side), record);
                    walk.fill(
                        &self.crew.store,
                        open_component,
                        GapValue::number(Count::ZERO),
                    );
                    return false;
                }
            },
        };
        let value = ComponentValue {
            node: self
                .crew
                .store
                .add_node(edges.iter().map(Edge::as_ref), &count),
            count,
        };
        let key = frame.is_claimed.then(|| frame.component.key.clone());
        let store = &self.crew.store;
        store.insert(frame.component.key, value.clone(), nodes);
        if let Some(key) = key {
            walk.fill_waiting(&self.crew.store, &key, &value);
        }
        self.multiply_into_side(&value, frame.component.rows);
        false
    }

    /// Multiplies the value of a component with these cells into the current side of the top frame.
    fn multiply_into_side(&mut self, value: &ComponentValue, rows: Rows<W>) {
        let top = self.top();
        top.product *= &value.count;
        top.children.extend(value.node.map(|node| (node, rows)));
        if !top.product.is_zero() && top.pending.is_empty() && !top.has_gaps {
            self.mark_alive();
        }
    }

    /// Marks the top frame as alive, and then its ancestors, until one has another component that may have no solution.
    pub(super) fn mark_alive(&mut self) {
        for (depth, frame) in self.frames.iter_mut().rev().enumerate() {
            let others_alive =
                frame.pending.is_empty() && !frame.product.is_zero() && !frame.has_gaps;
            if frame.is_alive || depth > 0 && frame.component_count > 1 && !others_alive {
                break;
            }
            frame.is_alive = true;
        }
    }

    /// If a question is due, asks the oracle about a side on the stack that is not known to be alive. A question is due once the work on the
    /// side reaches a threshold, which is lower if `tasks_wanted`. The side nearest to the root is asked about first. After a question
    /// without an answer the next one about the same side has to wait; meanwhile the sides of later frames are asked about. `false` if the
    /// side has no solution: then it is the top of the stack, with the value zero, and all later frames are dropped. `true` otherwise, also
    /// without an answer.
    pub(crate) fn may_have_solution(&mut self, tasks_wanted: bool) -> bool {
        while self
            .frames
            .get(self.alive_frames)
            .is_some_and(|frame| frame.is_alive)
        {
            self.alive_frames += 1;
        }
        if !self.may_ask_oracle || self.oracle.is_unavailable() {
            return true;
        }
        let threshold = match tasks_wanted {
            true => self.question_threshold_ns / TASKS_WANTED_DIVISOR,
            false => {
                let refuted = self.refuted_questions.max(MIN_REFUTED_QUESTIONS);
                self.question_threshold_ns * (ALL_QUESTIONS / 2) / refuted
            }
        };
        let work = self.work();
        let mut asked = self.alive_frames;
        let side_work = loop {
            let Some(frame) = self.frames.get(asked) else {
                return true;
            };
            let side_work = work.saturating_sub(frame.work_before_side);
            if side_work < threshold {
                return true;
            }
            if side_work >= frame.retry_threshold_ns {
                break side_work;
            }
            if !frame.may_be_divided() {
                return true;
            }
            asked += 1;
        };
        let conflicts = (side_work / NS_PER_ALLOWED_CONFLICT).max(MIN_CONFLICTS);
        let answer = self.ask_oracle(asked, conflicts);
        // A question that is asked early for the sake of a task says little about the others.
        if !tasks_wanted && answer != Answer::Unknown {
            let refuted = ALL_QUESTIONS * u64::from(answer == Answer::None);
            self.refuted_questions = (31 * self.refuted_questions + refuted) / 32;
        }
        match answer {
            Answer::Solution(grid) => {
                let grid = Arc::new(grid);
                self.crew.record_witness(&grid);
                for frame in &mut self.frames {
                    if let Some((cell, filled)) = frame.decision
                        && grid.get(usize::from(cell.row), usize::from(cell.column)) != filled
                    {
                        break;
                    }
                    frame.is_alive = true;
                    frame.witness = Some(Arc::clone(&grid));
                }
                true
            }
            Answer::None => {
                // The components of the dropped frames are not counted to the end: they get no value.
                self.abandon(asked + 1);
                let top = self
                    .frames
                    .last_mut()
                    .expect("the frame that the question was about is left");
                top.product = Count::ZERO;
                top.pending.clear();
                self.board.undo(top.mark);
                false
            }
            Answer::Unknown => {
                self.frames[asked].retry_threshold_ns = RETRY_FACTOR * side_work;
                true
            }
        }
    }

    /// Asks the oracle whether the current side of the frame with index `asked` has a solution, within a number of conflicts.
    fn ask_oracle(&mut self, asked: usize, conflicts: u64) -> Answer {
        let before = self.work();
        let path = self.path_to(asked + 1);
        let (clues, rows) = (self.crew.clues, &self.crew.rows);
        // One question must not use up the rest of a small budget.
        let conflict_ns = (NS_PER_TICK * self.oracle.ticks()).checked_div(self.oracle.conflicts());
        let conflict_ns = conflict_ns.unwrap_or(ASSUMED_CONFLICT_NS).max(1);
        let affordable = self.work_limit.saturating_sub(before) / conflict_ns;
        let conflicts = conflicts
            .min(affordable.max(MIN_LAST_CONFLICTS))
            .min(MAX_CONFLICTS.into()) as u32;
        let is_first = !self.oracle.is_built();
        let answer = (self.oracle).ask(clues, rows, path.into_iter(), conflicts);
        let took = match is_first {
            true => FIRST_QUESTION_NS,
            false => QUESTION_OVERHEAD_NS + self.work() - before,
        };
        if is_first {
            self.question_threshold_ns = self.crew.options.oracle_threshold_ns(took);
        }
        // A running mean, in which the latest question has a weight of 1/16.
        let sum = 15 * self.question_threshold_ns + self.crew.options.oracle_threshold_ns(took);
        self.question_threshold_ns = (sum / 16).min(MAX_QUESTION_THRESHOLD_NS);
        answer
    }
}
