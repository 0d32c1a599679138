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
use crate::board::{Board, Prober};
use crate::count::components::{
    Component, ComponentFinder, ComponentValue, Key, PieceCache, Rows, edge,
};
use crate::count::crew::Crew;
use crate::count::options;
use crate::graph::Edge;
use crate::line::Word;
use crate::puzzle::Cell;
use crate::run::{Pace, Statistics, memory_plan};
use crate::solutions::Count;

/// What a thread needs to count pieces of walks, and a reference to what it shares with the others.
#[derive(Debug)]
pub(crate) struct Walker<'c, 'a, W: Word> {
    pub(crate) crew: &'c Crew<'a, W>,
    pub(super) board: Board<'a, W>,
    pub(super) piece_cache: PieceCache<W>,
    pub(super) component_finder: ComponentFinder<W>,
    pub(super) prober: Prober<W>,
    pub(super) frames: Vec<Frame<W>>,
    /// The walk under way, if other workers may work on it too.
    pub(super) shared_walk: Option<Arc<Walk<W>>>,
    /// The values of `work()` and of `share_done` at the last report to the walk.
    pub(super) reported: (u64, u64),
    /// Share of the walk that its current piece has done so far, out of [`WHOLE`](crate::search::WHOLE).
    pub(super) share_done: u64,
    /// Nodes reserved and not used yet.
    pub(super) reserved: u64,
    /// Nodes at the last poll, when they were added to the status.
    pub(super) polled_nodes: u64,
    /// Polls the control within a node: one node of a large puzzle can take seconds.
    pub(super) pace: Pace<'c>,
    /// Sum of the unknown cells of the branched component, over the nodes that propagation and probing did not refute.
    branched_cells: u64,
    pub(super) statistics: Statistics,
}

/// Nodes between two polls of the limits.
pub(super) const NODES_PER_POLL: u64 = 256;

impl<'c, 'a, W: Word> Walker<'c, 'a, W> {
    pub(crate) fn new(crew: &'c Crew<'a, W>) -> Self {
        let (width, height) = (crew.clues.width(), crew.clues.height());
        let part = |share: memory_plan::Share| share.part(crew.memory, crew.workers as u64);
        Walker {
            crew,
            board: Board::with_rows(crew.clues, &crew.rows),
            piece_cache: PieceCache::new(width + height, part(memory_plan::LINES)),
            component_finder: ComponentFinder::new(width, height),
            prober: Prober::new(part(memory_plan::PROBES)),
            frames: Vec::new(),
            shared_walk: None,
            reported: (0, 0),
            share_done: 0,
            reserved: 0,
            polled_nodes: 0,
            pace: Pace::new(&crew.control),
            branched_cells: 0,
            statistics: Statistics::default(),
        }
    }

    /// The statistics of all its work so far.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            settles: self.board.settles(),
            probes: self.prober.probes(),
            ..self.statistics
        }
    }

    /// All its work so far, in nanoseconds computed from counters.
    pub(crate) fn work(&self) -> u64 {
        let words = (W::BITS / u64::BITS as usize) as u64;
        words * options::NODE_NS * self.statistics.nodes
            + words * options::CELL_NS * self.branched_cells
            + words * words * options::SETTLE_NS * self.board.settles()
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
        // The weight of a side is divided equally among its components, that of a component between its sides by their odds.
        let weight = parent.weight() / parent.component_count;
        let (chance, total) = self.board.filled_chance(cell);
        let filled_weight = (u128::from(weight) * u128::from(chance) / u128::from(total)) as u64;
        let frame = Frame::new(component, self.board.mark());
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
        let top = self.frames.last_mut().expect("a side is begun on a frame");
        let (cell, filled) = top
            .decision
            .expect("a frame without a decision has no sides");
        top.component_count = 1;
        top.share_before_side = self.share_done;
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
        self.statistics.leaves += u64::from(top.pending.is_empty());
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
    }
}
