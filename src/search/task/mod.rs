//! A task: walks one subtree depth first, in a loop, with an explicit stack of what is open.
//!
//! The board is changed in place; an open sibling is no more than a point of the undo trail and the decision to make there. Only when
//! too few tasks wait is the oldest open piece of the stack packed up as a [`Node`], which is data, and given to another task. When
//! the run must stop, everything open is handed back as cubes.

mod emit;
mod examine;
mod node;
mod rests;
mod share;

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::queue::SegQueue;
use crossbeam::utils::CachePadded;
use rayon::ScopeFifo;

use super::cube::{Cube, Decision};
use super::habit::Habit;
use super::meter::Meter;
use super::options::{Options, Probing};
use super::product::{Collecting, Part, Product, Results, Worth};
use super::race::{Race, Turns};
use crate::board::{Board, Cell, Clues, Inherited, Prober, Region};
use crate::line::Word;
use crate::run::Control;
use crate::run::Statistics;
use crate::solutions::{Batch, Count, Sink};

use examine::Finding;
pub(crate) use examine::narrowest;
pub(super) use node::{Context, Node};
use node::{Open, What};
pub(super) use rests::Rests;
pub(super) use share::spawn;

/// What all tasks of a run share.
pub(super) struct Shared<'a, W: Word> {
    pub(super) clues: &'a Clues,
    pub(super) options: &'a Options,
    pub(super) control: Arc<Control>,
    /// What is shared with clause learning, if the search is a race.
    pub(super) race: Option<Arc<Race>>,
    pub(super) meter: Meter,
    pub(super) sink: &'a dyn Sink,
    pub(super) collecting: Collecting,
    /// Settles between two looks at the clock.
    pub(super) breath: u64,
    /// Leaves that a batch may hold: no more than solutions are asked for.
    pub(super) most_leaves: usize,
    /// Solutions that a batch may hold: few enough that a sink is done with it in a moment.
    pub(super) most_in_batch: u64,
    /// Threads that work at most; 1 never splits.
    pub(super) threads: usize,
    /// Tasks spawned that have not begun. Relaxed: a hint whether to split.
    pub(super) waiting: CachePadded<AtomicUsize>,
    /// What was handed back, and what it weighs of the whole.
    pub(super) cubes: SegQueue<(Cube, u64)>,
    /// A bundle was cut in the middle, so that what was handed back is not all that is left.
    pub(super) torn: AtomicBool,
    /// Sums of finished tasks, and the solutions that the sink accepted.
    pub(super) totals: Mutex<(Statistics, Count)>,
    /// What a task that has ended or given something away knew of probing, for those that know nothing yet.
    pub(super) habit: Mutex<Option<Habit>>,
    /// Rests that tasks which have ended met, for those to come.
    pub(super) rests: SegQueue<Rests>,
    /// Nodes to search, where there is no pool to spawn them in.
    pub(super) pending: SegQueue<Node<W>>,
}

pub(super) struct Task<'s, 'a, W: Word> {
    shared: &'s Shared<'a, W>,
    /// Clause learning, where it shares the task's thread.
    turns: Option<&'s RefCell<Turns<'a>>>,
    board: Board<'a, W>,
    prober: Prober<W>,
    stack: Vec<Open<W>>,
    contexts: Vec<Context<W>>,
    path: Vec<Decision>,
    /// The present node.
    alive: bool,
    weight: u64,
    inherited: Option<Inherited>,
    split_at: usize,
    habit: Habit,
    /// Settles when the node began, when the task last looked up, passed solutions on, and gave something away.
    node_began: u64,
    looked: u64,
    passed: u64,
    gave: u64,
    /// Nodes reserved and not used.
    nodes_left: u64,
    /// The stack was never lower than this since the last leaf: what lies above has brought nothing yet, and nothing of it was given
    /// away.
    low: usize,
    /// Settles at the last leaf, or retreat.
    fertile: u64,
    /// This node is probed whatever the habit.
    insist: bool,
    rests: Rests,
    done: u64,
    batch: Batch,
    words: Vec<u64>,
    statistics: Statistics,
    /// Nodes that the meter knows of.
    passed_on: u64,
}

/// Times that a task looks up before it passes on a batch that is not full.
const BREATHS: u64 = 32;

/// Nodes that a task reserves at once.
const RESERVE: u64 = 64;

impl<'s, 'a, W: Word> Task<'s, 'a, W> {
    /// Searches a subtree to its end, or until the run is stopped; then nothing of it is left but what was given away.
    pub(super) fn run<'scope>(
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
            habit,
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
        let learnt = || *shared.habit.lock().unwrap_or_else(PoisonError::into_inner);
        let habit = match habit.is_green() {
            true => learnt().unwrap_or(habit),
            false => habit,
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
            habit,
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

    /// Question and action, until nothing is open.
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

    fn context(&self) -> &Context<W> {
        self.contexts
            .last()
            .expect("a task has a context while it runs")
    }

    /// Cells still to be decided in the present region.
    fn open_cells(&self) -> usize {
        self.board.unknown() - self.context().outside
    }

    /// Looks at the limits; counts a node.
    fn must_stop(&mut self) -> bool {
        if self.board.settles() - self.looked >= self.shared.breath {
            let settles = self.board.settles() - self.looked;
            self.looked = self.board.settles();
            breathe(self.shared, self.turns, settles);
            self.pass_sums_on();
            // A solution that comes alone is not kept waiting for others; a batch costs its receiver more than a leaf costs here.
            if self.looked - self.passed >= BREATHS * self.shared.breath {
                self.pass_on();
            }
        }
        !self.count_node()
    }

    /// Counts a node; `false` when the run must stop.
    fn count_node(&mut self) -> bool {
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
        let race = self.shared.race.as_ref();
        let first = race.is_none_or(|race| race.side(cell));
        // A cell of which its lines want much filled is likely to be filled: that side's share of the tree is larger.
        let (filled, of) = self.board.odds(cell);
        let other = if first { of - filled } else { filled };
        let sibling = (u128::from(self.weight) * u128::from(other) / u128::from(of)) as u64;
        self.weight -= sibling;
        self.stack.push(Open {
            mark: self.board.mark(),
            path: self.path.len(),
            context: self.contexts.len() - 1,
            weight: sibling,
            inherited: self.inherited,
            records: self.prober.mark(),
            split_at: self.split_at,
            what: What::Sibling(Decision {
                cell,
                filled: !first,
            }),
        });
        if std::mem::take(&mut self.insist) {
            // What probing leaves open here it leaves open; the next retreat ends one step further down.
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

    /// Leaves all regions open, to be searched apart, and the largest one to be searched when the others are done.
    fn fall_apart(&mut self, mut regions: Vec<Region<W>>) {
        self.statistics.splits += 1;
        regions.sort_by_cached_key(Region::size);
        let pivot = Arc::new(regions.pop().expect("there are regions"));
        let product = Product::new(self.context().goal.clone(), regions.len());
        let share = self.weight / (regions.len() as u64 + 1);
        let frame = |weight, what| Open {
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
        self.stack
            .push(frame(pivot_weight, What::Join(Arc::clone(&product), pivot)));
        // The smallest is searched first.
        for (index, region) in regions.into_iter().enumerate().rev() {
            let region = Arc::new(region);
            let goal = Part::goal(
                &product,
                index,
                Arc::clone(&region),
                self.shared.clues.width(),
                &self.shared.collecting,
            );
            self.stack.push(frame(share, What::Region(region, goal)));
        }
        self.weight = 0;
        self.low = self.stack.len();
    }

    /// A leaf of one region, when others wait to be decided in place: goes on with the next one.
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
        // The records are of the cells of the region before.
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
            Worth::Nothing => {
                self.end_node(false);
                false
            }
            Worth::Unknown => {
                // Only a run that was stopped leaves a part unfinished; the search sees that first thing.
                debug_assert!(self.shared.control.stopped());
                true
            }
            Worth::Factors {
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

    /// Dead ends without end, and no probing: some decision far up was wrong. Goes back to the topmost node below which nothing was
    /// found yet, to search it again after probing it.
    fn retreat(&mut self) -> bool {
        let lost = self.shared.options.probing == Probing::Adaptive
            && self.habit.is_lost(self.board.settles() - self.fertile);
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

    /// Goes back to what was left open last. `false` when nothing is open.
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
                What::Sibling(decision) => {
                    self.path.push(decision);
                    self.decide(decision);
                    return true;
                }
                What::Region(region, goal) => {
                    self.enter(Context::apart(region, goal));
                    return true;
                }
                What::Join(product, pivot) => {
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
                        habit: self.habit,
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
    fn leave_contexts<'scope>(&mut self, keep: usize, scope: Option<&ScopeFifo<'scope>>)
    where
        's: 'scope,
        'a: 'scope,
    {
        while self.contexts.len() > keep {
            let context = self.contexts.pop().expect("there are more than are kept");
            if let Some(node) = context.goal.release() {
                self.spawn(node, scope);
            }
        }
    }

    /// Notes what the node has cost, and that its share of the tree is done. A rest is judged as one leaf: what it holds it costs
    /// once.
    fn end_node(&mut self, leaf: bool) {
        let settles = self.board.settles();
        let solutions = match leaf {
            true => self.context().number.to_u64().unwrap_or(u64::MAX),
            false => 0,
        };
        self.habit.node(settles - self.node_began, solutions);
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

/// Every now and then, after so many `settles`: a look at the limits, and the learner's turn.
fn breathe<W: Word>(shared: &Shared<'_, W>, turns: Option<&RefCell<Turns<'_>>>, settles: u64) {
    shared.control.look();
    match (turns, &shared.race) {
        (Some(turns), _) => turns.borrow_mut().spent(settles),
        (None, Some(race)) => {
            let all = race.spent(settles);
            if shared.options.learning.is_some_and(|alone| all >= alone) {
                race.call();
            }
        }
        (None, None) => {}
    }
}
