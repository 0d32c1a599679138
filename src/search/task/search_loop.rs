//! The search loop of a task: examine a node, branch or backtrack, until nothing in the subtree is open.

use std::cell::RefCell;
use std::sync::Arc;

use rayon::ScopeFifo;

use super::super::cube::Decision;
use super::super::options::Probing;
use super::super::portfolio::SatTurns;
use super::super::product::{ProductResults, ProductValue, RegionCollector};
use super::node::{Context, Finding, Node, Pending, Product, StackEntry};
use super::state::{Shared, Task, poll};
use crate::board::{Board, Prober, Region};
use crate::line::Word;
use crate::puzzle::Cell;
use crate::run::{Statistics, lock};
use crate::solutions::Batch;

/// Polls of the control after which a task flushes a batch that is not full.
const POLLS_PER_FLUSH: u64 = 32;

/// Nodes that a task reserves from the control at once.
const NODES_PER_RESERVATION: u64 = 64;

impl<'s, 'a, W: Word> Task<'s, 'a, W> {
    /// Searches a subtree to its end. If the run is stopped first, everything still open is handed back.
    pub(in crate::search) fn run(
        shared: &'s Shared<'a, W>,
        node: Node<W>,
        scope: Option<&ScopeFifo<'s>>,
        turns: Option<&'s RefCell<SatTurns<'a>>>,
    ) {
        let (prober, inherited) = match node.probed {
            Some((prober, inherited)) => (prober, Some(inherited)),
            None => (Prober::new(shared.probe_bytes), None),
        };
        let board = Board::with_rows(shared.clues, &node.rows);
        let context = node.context.with_unknown_outside(&board);
        drop(node.rows);
        let mut policy = node.policy;
        if policy.is_unmeasured() {
            policy = lock(&shared.policy).unwrap_or(policy);
        }
        let mut task = Task {
            shared,
            turns,
            board,
            prober,
            stack: Vec::new(),
            contexts: vec![context],
            path: node.path,
            is_consistent: true,
            weight: node.weight,
            inherited,
            fewest_open_cells: node.fewest_open_cells,
            policy,
            settles_at_last_end: 0,
            settles_at_poll: 0,
            settles_at_flush: 0,
            settles_at_gift: 0,
            reserved_nodes: 0,
            retreat_floor: 0,
            settles_at_progress: 0,
            force_probe: false,
            cache: shared.caches.pop().unwrap_or_default(),
            unreported_weight: 0,
            batch: Batch::new(shared.clues.width(), shared.clues.height()),
            words: Vec::new(),
            statistics: Statistics::default(),
            reported_nodes: 0,
        };
        task.statistics.tasks = 1;
        let mut has_work = true;
        if let Some(results) = node.results {
            has_work = task.begin_pivot(results);
        } else if let Some(decision) = node.decision {
            task.decide(decision);
        }
        if has_work {
            task.search(scope);
        }
        task.finish(scope);
    }

    /// Examines the present node and acts on the finding, until nothing is open.
    fn search(&mut self, scope: Option<&ScopeFifo<'s>>) {
        loop {
            let finding = if self.must_stop() {
                Finding::Stopped
            } else {
                self.examine()
            };
            match finding {
                Finding::Stopped => return self.hand_back(),
                Finding::DeadEnd => {
                    self.end_node(false);
                    if self.retreat() {
                        continue;
                    }
                }
                Finding::Leaf => {
                    if self.next_region() {
                        continue;
                    }
                    self.emit(1, None);
                    self.end_node(true);
                }
                Finding::Fillings(number, factor) => {
                    self.emit(number, factor);
                    self.end_node(true);
                }
                Finding::Regions(regions) => self.split_node(regions),
                Finding::Branch(cell) => {
                    self.branch(cell);
                    self.give_oldest(scope);
                    continue;
                }
            }
            if !self.backtrack(scope) {
                return;
            }
        }
    }

    pub(super) fn context(&self) -> &Context<W> {
        let context = self.contexts.last();
        context.expect("a task has a context while it runs")
    }

    /// Number of unknown cells in the present region.
    pub(super) fn open_cells(&self) -> usize {
        self.board.unknown() - self.context().unknown_outside
    }

    /// Polls the control at intervals and counts a node; `true` when the run must stop.
    fn must_stop(&mut self) -> bool {
        if self.board.settles() - self.settles_at_poll >= self.shared.settles_per_poll {
            let settles = self.board.settles() - self.settles_at_poll;
            self.settles_at_poll = self.board.settles();
            poll(self.shared, self.turns, settles);
            self.report_progress();
            // Passing a batch to the sink costs more than searching a leaf, so leaves are collected, but no solution is held back for long.
            if self.settles_at_poll - self.settles_at_flush
                >= POLLS_PER_FLUSH * self.shared.settles_per_poll
            {
                self.flush();
            }
        }
        !self.count_node()
    }

    /// Counts a node; `false` when the run must stop.
    pub(super) fn count_node(&mut self) -> bool {
        if self.shared.control.stopped() {
            return false;
        }
        if self.reserved_nodes == 0 {
            // A small task ends before it has settled enough lines to poll.
            if self.shared.control.poll() {
                return false;
            }
            self.reserved_nodes = self.shared.control.reserve_nodes(NODES_PER_RESERVATION);
            if self.reserved_nodes == 0 {
                return false;
            }
        }
        self.reserved_nodes -= 1;
        self.statistics.nodes += 1;
        true
    }

    /// Branches on a cell: continues with one side and pushes the other on the stack.
    fn branch(&mut self, cell: Cell) {
        let portfolio = self.shared.portfolio.as_ref();
        let first = portfolio.is_none_or(|portfolio| portfolio.first_value(cell));
        // The two sides share the weight in proportion to the estimated probabilities of the two values, which stand for their sizes.
        let (filled, total) = self.board.filled_chance(cell);
        let other = if first { total - filled } else { filled };
        let sibling = (u128::from(self.weight) * u128::from(other) / u128::from(total)) as u64;
        self.weight -= sibling;
        let decision = |filled| Decision { cell, filled };
        self.push(sibling, Pending::Sibling(decision(!first)));
        if std::mem::take(&mut self.force_probe) {
            // The forced probe has not refuted this node, so a later retreat must not come back to it, only to its descendants.
            self.retreat_floor = self.stack.len();
        }
        self.path.push(decision(first));
        self.decide(decision(first));
    }

    /// Pushes an entry with the present state.
    fn push(&mut self, weight: u64, pending: Pending<W>) {
        self.stack.push(StackEntry {
            mark: self.board.mark(),
            path_len: self.path.len(),
            context_index: self.contexts.len() - 1,
            weight,
            inherited: self.inherited,
            prober_mark: self.prober.mark(),
            fewest_open_cells: self.fewest_open_cells,
            pending,
        });
    }

    /// Returns to the state of an entry, but for its contexts.
    fn restore(&mut self, entry: &StackEntry<W>) {
        self.board.undo(entry.mark);
        self.path.truncate(entry.path_len);
        self.prober.backtrack(entry.prober_mark);
        self.inherited = entry.inherited;
        self.fewest_open_cells = entry.fewest_open_cells;
        self.is_consistent = true;
    }

    fn decide(&mut self, decision: Decision) {
        self.board.take_changed();
        let Decision { cell, filled } = decision;
        let decided = self.board.decide_under(cell, filled, &self.shared.control);
        // If the run has ended meanwhile, the search loop hands this node back.
        self.is_consistent = decided.unwrap_or(true);
        let changed = self.board.take_changed();
        self.inherited = self.inherited.map(|inherited| inherited.after(changed));
    }

    /// Pushes all regions on the stack. Each but the largest gets a search of its own, which collects its fillings. The largest, the
    /// *pivot*, is searched last, and each of its leaves stands for all combinations with the fillings collected.
    fn split_node(&mut self, mut regions: Vec<Region<W>>) {
        self.statistics.splits += 1;
        regions.sort_by_cached_key(Region::size);
        let pivot = Arc::new(regions.pop().expect("there are regions"));
        let product = Product::new(self.context().target.clone(), regions.len());
        let share = self.weight / (regions.len() as u64 + 1);
        let pivot_weight = self.weight - share * regions.len() as u64;
        self.push(pivot_weight, Pending::Join(Arc::clone(&product), pivot));
        // The smallest is searched first.
        for (index, region) in regions.into_iter().enumerate().rev() {
            let region = Arc::new(region);
            let (same, options) = (Arc::clone(&region), &self.shared.collect_options);
            let target = RegionCollector::target_of_region(&product, index, same, options);
            self.push(share, Pending::Region(region, target));
        }
        self.weight = 0;
        self.retreat_floor = self.stack.len();
    }

    /// At a leaf of one region, enters the next region to be decided in place; `false` if there is none.
    fn next_region(&mut self) -> bool {
        let context = self.context();
        let Some((region, rest)) = context.later_regions.split_first() else {
            return false;
        };
        let next = Context {
            region: Arc::clone(region),
            later_regions: rest.to_vec(),
            ..context.clone()
        };
        self.enter(next);
        // The probing records are those of cells of the previous region.
        self.inherited = None;
        true
    }

    /// Pushes a context and continues in it on the present board.
    fn enter(&mut self, context: Context<W>) {
        let context = context.with_unknown_outside(&self.board);
        self.contexts.push(context);
        self.fewest_open_cells = self.open_cells();
        // A retreat must not leave the context.
        self.retreat_floor = self.stack.len();
    }

    /// Begins the search of the pivot when the other regions are complete; `false` if one of them has no filling.
    fn begin_pivot(&mut self, results: ProductResults<W>) -> bool {
        match results.combine() {
            ProductValue::Zero => {
                self.end_node(false);
                false
            }
            ProductValue::Unfinished => {
                // A region is unfinished only if the run has been stopped, and then the search loop hands this node back.
                debug_assert!(self.shared.control.stopped());
                true
            }
            ProductValue::Fillings(fillings) => {
                let mut context = self.context().clone();
                context.multiply(&fillings);
                // These regions have no list, because it exceeded a memory limit. They are searched again in place, one after the other,
                // and the pivot below their fillings.
                for region in fillings.unlisted.into_iter().rev() {
                    let later = std::mem::replace(&mut context.region, region);
                    context.later_regions.insert(0, later);
                }
                self.enter(context);
                true
            }
        }
    }

    /// If the search is not probing, and has spent more settles since the last leaf or retreat than probing a node costs, goes back to the
    /// entry at `retreat_floor`, to probe its node and search it again. `false` if that is not due, or if there is no such entry.
    fn retreat(&mut self) -> bool {
        let settles = self.board.settles() - self.settles_at_progress;
        let is_due =
            self.shared.options.probing == Probing::Adaptive && self.policy.should_retreat(settles);
        if !is_due || self.stack.len() <= self.retreat_floor {
            return false;
        }
        let mut retreated = self.stack.drain(self.retreat_floor..);
        let entry = retreated.next().expect("an entry above the floor");
        // The dead end has ended, and its weight is reported.
        self.weight = entry.weight + retreated.map(|entry| entry.weight).sum::<u64>();
        self.restore(&entry);
        self.force_probe = true;
        self.settles_at_progress = self.board.settles();
        true
    }

    /// Continues with the latest entry of the stack; `false` when the stack is empty.
    fn backtrack(&mut self, scope: Option<&ScopeFifo<'s>>) -> bool {
        while let Some(entry) = self.stack.pop() {
            self.retreat_floor = self.retreat_floor.min(self.stack.len());
            self.force_probe = false;
            self.restore(&entry);
            self.leave_contexts(entry.context_index + 1, scope);
            self.weight = entry.weight;
            match entry.pending {
                Pending::Sibling(decision) => {
                    self.path.push(decision);
                    self.decide(decision);
                    return true;
                }
                Pending::Region(region, target) => {
                    self.enter(Context::for_region(region, target));
                    return true;
                }
                Pending::Join(product, pivot) => {
                    let context = Context {
                        region: pivot,
                        ..self.context().clone()
                    };
                    let node = || Node {
                        rows: self.board.rows().to_vec(),
                        path: self.path.clone(),
                        decision: None,
                        context: context.clone(),
                        weight: entry.weight,
                        policy: self.policy,
                        fewest_open_cells: entry.fewest_open_cells,
                        probed: None,
                        results: None,
                    };
                    if let Some(results) = product.results_or_store(node) {
                        self.contexts.push(context);
                        if self.begin_pivot(results) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Drops all contexts but the first `keep`. If that completes a product with a stored pivot, the pivot is spawned as a task.
    pub(super) fn leave_contexts(&mut self, keep: usize, scope: Option<&ScopeFifo<'s>>) {
        while self.contexts.len() > keep {
            let context = self.contexts.pop().expect("more contexts than are kept");
            if let Some(node) = Node::from_released(context.target) {
                self.spawn(node, scope);
            }
        }
    }

    /// Ends a leaf or a dead end: its weight is finished, and it is charged, for the probing policy, with all settles since the last one. A
    /// node from the subproblem cache counts as one leaf, because the cache has enumerated its fillings only once.
    fn end_node(&mut self, is_leaf: bool) {
        let settles = self.board.settles();
        let mut solutions = 0;
        if is_leaf {
            let number = &self.context().fillings_per_leaf;
            solutions = number.to_u64().unwrap_or(u64::MAX);
            self.statistics.leaves += 1;
            self.retreat_floor = self.stack.len();
            self.settles_at_progress = settles;
        } else {
            self.statistics.dead_ends += 1;
        }
        let spent = settles - std::mem::replace(&mut self.settles_at_last_end, settles);
        self.policy.record_node(spent, solutions);
        self.unreported_weight += std::mem::take(&mut self.weight);
    }
}
