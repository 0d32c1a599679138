//! The walk: a task examines a node, branches or goes back, and so on until nothing of its subtree is open.

use std::cell::RefCell;
use std::sync::{Arc, PoisonError};

use rayon::ScopeFifo;

use super::super::cube::Decision;
use super::super::options::Probing;
use super::super::portfolio::Turns;
use super::super::product::{ProductValue, RegionSearch, Results};
use super::node::{Context, Finding, Node, Pending, Product, StackEntry};
use super::state::{Shared, Task, breathe};
use crate::board::{Board, Cell, Prober, Region};
use crate::line::Word;
use crate::run::Statistics;
use crate::solutions::Batch;

/// Polls of the control after which a task passes on a batch that is not full.
const BREATHS: u64 = 32;

/// Nodes that a task reserves at once.
const RESERVE: u64 = 64;

impl<'s, 'a, W: Word> Task<'s, 'a, W> {
    /// Searches a subtree to its end, or until the run is stopped; what is open then is handed back as cubes.
    pub(in crate::search) fn run<'scope>(
        shared: &'s Shared<'a, W>,
        node: Node<W>,
        scope: Option<&ScopeFifo<'scope>>,
        turns: Option<&'s RefCell<Turns<'a>>>,
    ) where
        's: 'scope,
        'a: 'scope,
    {
        let Node {
            rows,
            path,
            decision,
            context,
            weight,
            policy,
            split_at,
            probed,
            results,
        } = node;
        let (prober, inherited) = match probed {
            Some((prober, inherited)) => (prober, Some(inherited)),
            None => (Prober::default(), None),
        };
        let board = Board::with_rows(shared.clues, &rows);
        let context = context.place(&board);
        drop(rows);
        let learnt = || *shared.policy.lock().unwrap_or_else(PoisonError::into_inner);
        let policy = match policy.is_green() {
            true => learnt().unwrap_or(policy),
            false => policy,
        };
        let mut task = Task {
            shared,
            turns,
            board,
            prober,
            stack: Vec::new(),
            contexts: vec![context],
            path,
            alive: true,
            weight,
            inherited,
            split_at,
            policy,
            node_began: 0,
            looked: 0,
            passed: 0,
            gave: 0,
            nodes_left: 0,
            low: 0,
            fertile: 0,
            insist: false,
            rests: shared.rests.pop().unwrap_or_default(),
            done: 0,
            batch: Batch::new(shared.clues.width(), shared.clues.height()),
            words: Vec::new(),
            statistics: Statistics::default(),
            passed_on: 0,
        };
        task.statistics.tasks = 1;
        let mut begun = true;
        if let Some(results) = results {
            begun = task.carry_on(results);
        } else if let Some(decision) = decision {
            task.decide(decision);
        }
        if begun || task.backtrack(scope) {
            task.search(scope);
        }
        task.close(scope);
    }

    /// Examines the present node and acts on what it finds, until nothing is open.
    fn search<'scope>(&mut self, scope: Option<&ScopeFifo<'scope>>)
    where
        's: 'scope,
        'a: 'scope,
    {
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
                Finding::Rest(number, factor) => {
                    self.emit(number, factor);
                    self.end_node(true);
                }
                Finding::Regions(regions) => self.fall_apart(regions),
                Finding::Branch(cell) => {
                    self.branch(cell);
                    self.feed(scope);
                    continue;
                }
            }
            if !self.backtrack(scope) {
                return;
            }
        }
    }

    pub(super) fn context(&self) -> &Context<W> {
        self.contexts
            .last()
            .expect("a task has a context while it runs")
    }

    /// Cells still to be decided in the present region.
    pub(super) fn open_cells(&self) -> usize {
        self.board.unknown() - self.context().outside
    }

    /// Polls the control at intervals and counts a node; `true` when the run must stop.
    fn must_stop(&mut self) -> bool {
        if self.board.settles() - self.looked >= self.shared.breath {
            let settles = self.board.settles() - self.looked;
            self.looked = self.board.settles();
            breathe(self.shared, self.turns, settles);
            self.pass_sums_on();
            // A batch costs its receiver more than a leaf costs here, but a single solution is not kept back for long.
            if self.looked - self.passed >= BREATHS * self.shared.breath {
                self.pass_on();
            }
        }
        !self.count_node()
    }

    /// Counts a node; `false` when the run must stop.
    pub(super) fn count_node(&mut self) -> bool {
        if self.shared.control.stopped() {
            return false;
        }
        if self.nodes_left == 0 {
            self.nodes_left = self.shared.control.reserve_nodes(RESERVE);
            if self.nodes_left == 0 {
                return false;
            }
        }
        self.nodes_left -= 1;
        self.statistics.nodes += 1;
        true
    }

    /// Decides the cell one way and leaves the other way open.
    fn branch(&mut self, cell: Cell) {
        let portfolio = self.shared.portfolio.as_ref();
        let first = portfolio.is_none_or(|portfolio| portfolio.side(cell));
        // The more filled cells its lines still need, the likelier the cell is filled, and the larger that side of the tree.
        let (filled, of) = self.board.odds(cell);
        let other = if first { of - filled } else { filled };
        let sibling = (u128::from(self.weight) * u128::from(other) / u128::from(of)) as u64;
        self.weight -= sibling;
        self.stack.push(StackEntry {
            mark: self.board.mark(),
            path: self.path.len(),
            context: self.contexts.len() - 1,
            weight: sibling,
            inherited: self.inherited,
            records: self.prober.mark(),
            split_at: self.split_at,
            what: Pending::Sibling(Decision {
                cell,
                filled: !first,
            }),
        });
        if std::mem::take(&mut self.insist) {
            // Probing has decided nothing more here: the next retreat ends one step further down.
            self.low = self.stack.len();
        }
        let decision = Decision {
            cell,
            filled: first,
        };
        self.path.push(decision);
        self.decide(decision);
    }

    fn decide(&mut self, decision: Decision) {
        self.board.take_changed();
        self.alive = self.board.decide(decision.cell, decision.filled);
        let changed = self.board.take_changed();
        self.inherited = self.inherited.map(|inherited| inherited.after(changed));
    }

    /// Puts all regions on the stack: the largest as the pivot, to be searched after the others, and each other one to be searched apart.
    fn fall_apart(&mut self, mut regions: Vec<Region<W>>) {
        self.statistics.splits += 1;
        regions.sort_by_cached_key(Region::size);
        let pivot = Arc::new(regions.pop().expect("there are regions"));
        let product = Product::new(self.context().goal.clone(), regions.len());
        let share = self.weight / (regions.len() as u64 + 1);
        let frame = |weight, what| StackEntry {
            mark: self.board.mark(),
            path: self.path.len(),
            context: self.contexts.len() - 1,
            weight,
            inherited: self.inherited,
            records: self.prober.mark(),
            split_at: self.split_at,
            what,
        };
        let pivot_weight = self.weight - share * regions.len() as u64;
        self.stack.push(frame(
            pivot_weight,
            Pending::Join(Arc::clone(&product), pivot),
        ));
        // The smallest is searched first.
        for (index, region) in regions.into_iter().enumerate().rev() {
            let region = Arc::new(region);
            let goal = RegionSearch::goal(
                &product,
                index,
                Arc::clone(&region),
                self.shared.clues.width(),
                &self.shared.collecting,
            );
            self.stack.push(frame(share, Pending::Region(region, goal)));
        }
        self.weight = 0;
        self.low = self.stack.len();
    }

    /// At a leaf of one region, goes on with the next region that is to be decided in place; `false` if there is none.
    fn next_region(&mut self) -> bool {
        let context = self.context();
        let Some((region, rest)) = context.rest.split_first() else {
            return false;
        };
        let next = Context {
            region: Arc::clone(region),
            rest: rest.to_vec(),
            ..context.clone()
        };
        self.enter(next);
        // The records are about cells of the previous region.
        self.inherited = None;
        true
    }

    /// Goes on in another context on the present board.
    fn enter(&mut self, context: Context<W>) {
        self.contexts.push(context.place(&self.board));
        self.split_at = self.open_cells();
        // A retreat stays within a context.
        self.low = self.stack.len();
    }

    /// Goes on with a pivot when the other regions are complete. `false` if there is nothing to go on with.
    fn carry_on(&mut self, results: Results<W>) -> bool {
        match results.worth() {
            ProductValue::Nothing => {
                self.end_node(false);
                false
            }
            ProductValue::Unknown => {
                // Only a run that was stopped leaves a part unfinished; the search sees that first thing.
                debug_assert!(self.shared.control.stopped());
                true
            }
            ProductValue::Factors {
                lists,
                number,
                open,
            } => {
                let mut context = self.context().clone();
                for (factor, held) in lists {
                    context.factors.push(factor);
                    context.held.push(held);
                }
                context.number *= &number;
                // Regions too large to list are searched before the pivot, each in place.
                if !open.is_empty() {
                    let pivot = std::mem::replace(&mut context.region, Arc::clone(&open[0]));
                    let mut rest = open[1..].to_vec();
                    rest.push(pivot);
                    rest.append(&mut context.rest);
                    context.rest = rest;
                }
                self.enter(context);
                true
            }
        }
    }

    /// After many dead ends without a leaf and without probing, an early decision is probably wrong: goes back to the topmost node
    /// without a leaf below it, to probe it and to search it again. `false` where that does not apply.
    fn retreat(&mut self) -> bool {
        let lost = self.shared.options.probing == Probing::Adaptive
            && self.policy.is_lost(self.board.settles() - self.fertile);
        if !lost || self.stack.len() <= self.low {
            return false;
        }
        self.weight = self.stack[self.low..].iter().map(|open| open.weight).sum();
        self.stack.truncate(self.low + 1);
        let Some(open) = self.stack.pop() else {
            return false;
        };
        self.board.undo(open.mark);
        self.path.truncate(open.path);
        self.prober.backtrack(open.records);
        self.inherited = open.inherited;
        self.split_at = open.split_at;
        self.alive = true;
        self.insist = true;
        self.fertile = self.board.settles();
        true
    }

    /// Goes on with the piece that was left open last; `false` when nothing is open.
    fn backtrack<'scope>(&mut self, scope: Option<&ScopeFifo<'scope>>) -> bool
    where
        's: 'scope,
        'a: 'scope,
    {
        while let Some(open) = self.stack.pop() {
            self.low = self.low.min(self.stack.len());
            self.insist = false;
            self.board.undo(open.mark);
            self.path.truncate(open.path);
            self.leave_contexts(open.context + 1, scope);
            self.prober.backtrack(open.records);
            self.weight = open.weight;
            self.inherited = open.inherited;
            self.split_at = open.split_at;
            self.alive = true;
            match open.what {
                Pending::Sibling(decision) => {
                    self.path.push(decision);
                    self.decide(decision);
                    return true;
                }
                Pending::Region(region, goal) => {
                    self.enter(Context::apart(region, goal));
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
                        weight: open.weight,
                        policy: self.policy,
                        split_at: open.split_at,
                        probed: None,
                        results: None,
                    };
                    if let Some(results) = product.join(node) {
                        self.contexts.push(context);
                        if self.carry_on(results) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Lets go of contexts above the first `keep`; a product that this completes goes on as a task of its own.
    pub(super) fn leave_contexts<'scope>(&mut self, keep: usize, scope: Option<&ScopeFifo<'scope>>)
    where
        's: 'scope,
        'a: 'scope,
    {
        while self.contexts.len() > keep {
            let context = self.contexts.pop().expect("there are more than are kept");
            if let Some(node) = Node::released(context.goal) {
                self.spawn(node, scope);
            }
        }
    }

    /// Records the cost of the node, and that its share of the tree is done. A rest counts as one leaf, as its fillings are found
    /// once.
    fn end_node(&mut self, leaf: bool) {
        let settles = self.board.settles();
        let solutions = match leaf {
            true => self.context().number.to_u64().unwrap_or(u64::MAX),
            false => 0,
        };
        self.policy.node(settles - self.node_began, solutions);
        self.node_began = settles;
        match leaf {
            true => {
                self.statistics.leaves += 1;
                self.low = self.stack.len();
                self.fertile = settles;
            }
            false => self.statistics.dead_ends += 1,
        }
        self.done += std::mem::take(&mut self.weight);
    }
}
