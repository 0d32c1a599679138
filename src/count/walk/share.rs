//! How a worker takes part in a walk: it begins or joins the walk, gives tasks away, and counts those of other workers.

use std::sync::Arc;
use std::time::Duration;

use super::dissection::LineRanks;
use super::frame::{Frame, bound};
use super::order::Order;
use super::paused_walks::PausedWalk;
use super::piece::{PausedStack, Piece, WalkTask};
use super::racer::Walk;
use super::unfinished::Unfinished;
use super::worker::{FIRST_QUESTION_NS, NODES_PER_POLL, Worker};
use crate::board::Cell;
use crate::count::plan::{Plan, Trial, TrialEnd};
use crate::line::Word;
use crate::run::lock;
use crate::sat::SatSolver;
use crate::search::WHOLE;
use crate::solutions::Count;

/// Minimum time between two records of the trail of a walk.
const TRAIL_INTERVAL: Duration = Duration::from_millis(20);

impl<W: Word> Worker<'_, '_, W> {
    /// Does a branching trial as a walk, which other workers may join unless the trial is for one worker. It goes on where the trial before
    /// has paused.
    pub(crate) fn run_walk(&mut self, trial: Trial) -> TrialEnd {
        let paused = lock(&self.shared.paused_walks).take(trial.component, trial.plan);
        let is_new = paused.is_none();
        let is_shared = paused.as_ref().is_some_and(PausedWalk::is_shared);
        let walk = Arc::new(match paused {
            None => Walk::new(trial),
            Some(paused) => Walk::resumed(trial, paused),
        });
        self.prepare(&walk, is_shared);
        if !self.oracle.is_built() {
            // A trial of a helper must ask the oracle as early as one of the host, so that both can be compared.
            self.expect_question_of(FIRST_QUESTION_NS);
        }
        // The trail of a short trial is not recorded, because no walk resumes it. Nor is that of a walk that builds a graph: a trail has
        // none.
        let is_recorded = trial.thorough && !self.shared.store.keeps_graph();
        if let Some(checkpointer) = self.shared.checkpointer.filter(|_| is_recorded) {
            self.recorded_plan = Some(trial.plan);
            checkpointer.begin_walk(trial.plan);
        }
        // The first piece is the stack of the whole component, if that is left. This worker takes it, because it records the trail.
        let first = (!is_new).then(|| walk.wait_for_piece()).flatten();
        if !trial.is_solo && self.shared_walk.is_some() {
            *lock(&self.shared.walk) = Some(Arc::clone(&walk));
        }
        match first {
            Some(piece) => self.run_piece(&walk, piece),
            None => self.begin_walk(&walk),
        }
        self.recorded_plan = None;
        self.run_tasks(&walk);
        self.end_walk(&walk)
    }

    /// Counts the whole component, from its first node or from where a trail ends.
    fn begin_walk(&mut self, walk: &Arc<Walk<W>>) {
        let trial = walk.trial;
        if std::mem::take(&mut self.has_moved) {
            self.board.set_rows(&self.shared.rows);
        }
        let component = self.shared.components[trial.component].clone();
        let witness = self.shared.witness.clone().map(Arc::new);
        let bottom = Frame::bottom(component, self.board.mark(), walk.root(), witness);
        let bottom =
            bottom.with_totals_before(self.statistics.nodes, self.work(), 0, self.recompute_cost);
        self.frames.push(Frame {
            weights: [WHOLE, 0],
            ..bottom
        });
        if let Some(trail) =
            (self.recorded_plan).and_then(|plan| self.shared.trail(trial.component, plan))
        {
            self.follow_trail(&trail);
        }
        walk.begin_stack();
        self.run_stack(walk, None);
    }

    /// Ends a walk that this worker has begun.
    fn end_walk(&mut self, walk: &Walk<W>) -> TrialEnd {
        if !walk.trial.is_solo && self.shared_walk.is_some() {
            *lock(&self.shared.walk) = None;
        }
        let was_shared = self.shared_walk.take().is_some();
        let paused = match walk.is_done() {
            true => None,
            false => walk.pause(|| self.shared.control.stopped()),
        };
        // While it waited for the other stacks, one of them may have completed the count.
        let ended = walk.take_end();
        if let Some(paused) = paused.filter(|_| !matches!(ended, TrialEnd::Done(_))) {
            if was_shared {
                self.raise_bound(walk, paused.bound());
            }
            if matches!(ended, TrialEnd::Spent { .. }) {
                self.keep_walk(walk.trial, paused);
            }
        }
        match ended {
            TrialEnd::Spent {
                forecast,
                is_recent,
                ..
            } => TrialEnd::Spent {
                forecast,
                proved: walk.best_bound(),
                is_recent,
            },
            ended => ended,
        }
    }

    /// Keeps a walk for a later trial of its plan.
    fn keep_walk(&self, trial: Trial, paused: PausedWalk<W>) {
        // A stack that the run has stopped may be within a node.
        if paused.is_empty() || self.shared.control.stopped() {
            return;
        }
        let mut paused_walks = lock(&self.shared.paused_walks);
        // A helper may end a walk of a component that has been counted meanwhile.
        if paused_walks.component() == trial.component {
            paused_walks.keep(trial.plan, paused);
            paused_walks.drop_beyond(self.shared.max_paused_bytes());
        }
    }

    /// Records a lower bound that a walk has proved for the count of its component.
    fn raise_bound(&self, walk: &Walk<W>, bound: Count) {
        walk.raise_bound(&bound);
        self.shared.raise_bound(walk.trial.component, bound);
    }

    /// Joins a walk that another worker has begun, and counts tasks until it is over.
    pub(crate) fn join_walk(&mut self, walk: &Arc<Walk<W>>) {
        walk.join();
        self.prepare(walk, true);
        self.run_tasks(walk);
        self.shared_walk = None;
    }

    /// Sets the worker up for the trial of a walk. A walk that several workers have shared `is_shared` even if the trial is for one worker.
    fn prepare(&mut self, walk: &Arc<Walk<W>>, is_shared: bool) {
        let trial = walk.trial;
        self.component = trial.component;
        self.may_ask_oracle = trial.thorough && SatSolver::IS_BUILT_IN;
        (self.order, self.sweep_size_bound) = match trial.plan {
            Plan::Branch(order) => (order, 0),
            _ => (Order::Narrow, self.shared.sweep_size_bound(trial.component)),
        };
        if self.order == Order::Dissected && self.ranked_component != Some(trial.component) {
            let (clues, component) = (self.shared.clues, &self.shared.components[trial.component]);
            let stop = || self.shared.control.poll();
            self.ranks = LineRanks::new(component, clues.width(), clues.height(), stop);
            self.ranked_component = Some(trial.component);
        }
        self.path.clear();
        self.alive_frames = 0;
        self.share_done = 0;
        self.reported = (self.work(), 0);
        self.work_limit = self.work().saturating_add(trial.budget);
        self.recorded_plan = None;
        let is_shared = is_shared || self.shared.workers > 1 && !trial.is_solo;
        self.shared_walk = is_shared.then(|| Arc::clone(walk));
    }

    /// Counts the tasks that other workers give away, until the walk is over.
    fn run_tasks(&mut self, walk: &Arc<Walk<W>>) {
        while !walk.is_over() {
            match walk.wait_for_piece() {
                Some(piece) => self.run_piece(walk, piece),
                None => {
                    if self.shared.control.poll() {
                        walk.end(TrialEnd::Stopped);
                    }
                }
            }
        }
        let reserved = std::mem::take(&mut self.reserved);
        self.shared.control.return_nodes(reserved);
    }

    fn run_piece(&mut self, walk: &Arc<Walk<W>>, piece: Piece<W>) {
        match piece {
            Piece::Task(task) if task.owner.is_cancelled() => {
                walk.end_stack(None);
                walk.end_piece();
            }
            Piece::Task(task) => self.run_task(walk, task),
            Piece::Stack(stack) => {
                let owner = self.resume(stack);
                self.run_stack(walk, owner.as_ref());
            }
        }
    }

    /// Takes over a stack that has paused; returns the owner of the gap for which it counts.
    fn resume(&mut self, stack: PausedStack<W>) -> Option<Arc<Unfinished<W>>> {
        self.board.set_rows(&stack.rows);
        self.has_moved = true;
        let mark = self.board.mark();
        self.board.redo(&stack.changes);
        self.path = stack.path;
        self.alive_frames = 0;
        self.may_ask_oracle = stack.may_ask_oracle;
        self.share_done = stack.share_done;
        self.reported.1 = stack.share_done;
        self.recompute_cost = stack.recompute_cost;
        let (nodes, work) = (self.statistics.nodes, self.work());
        let prober_mark = self.prober.mark();
        self.frames = stack.frames;
        for frame in &mut self.frames {
            frame.mark += mark;
            // What the sides were probed for is not kept.
            frame.prober_mark = prober_mark;
            frame.probed = None;
            frame.nodes_before = nodes.saturating_sub(stack.nodes - frame.nodes_before);
            frame.work_before_side = work.saturating_sub(stack.work - frame.work_before_side);
        }
        stack.owner
    }

    /// The stack of this worker as data; leaves the worker without one.
    fn pause_stack(&mut self, owner: Option<&Arc<Unfinished<W>>>) -> Option<PausedStack<W>> {
        let mark = self.frames.first()?.mark;
        let mut frames = std::mem::take(&mut self.frames);
        frames.iter_mut().for_each(|frame| frame.mark -= mark);
        let stack = PausedStack {
            rows: self.board.rows_at(mark),
            changes: self.board.changes_since(mark),
            frames,
            owner: owner.cloned(),
            path: std::mem::take(&mut self.path),
            may_ask_oracle: self.may_ask_oracle,
            share_done: self.share_done,
            nodes: self.statistics.nodes,
            work: self.work(),
            recompute_cost: self.recompute_cost,
        };
        self.board.undo(mark);
        Some(stack)
    }

    /// Counts a task that another worker has given away.
    fn run_task(&mut self, walk: &Arc<Walk<W>>, task: WalkTask<W>) {
        self.statistics.tasks += 1;
        self.board.set_rows(&task.rows);
        self.has_moved = true;
        self.path = task.path;
        self.alive_frames = 0;
        self.share_done = 0;
        self.reported.1 = 0;
        self.may_ask_oracle = task.may_ask_oracle;
        let (mark, owner) = (self.board.mark(), Arc::clone(&task.owner));
        let (nodes, work, recompute_cost) =
            (self.statistics.nodes, self.work(), self.recompute_cost);
        match task.side {
            None => {
                let bottom = Frame::bottom(task.component, mark, task.owner, task.witness_above);
                self.frames.push(Frame {
                    weights: [task.weight, 0],
                    ..bottom.with_totals_before(nodes, work, 0, recompute_cost)
                });
            }
            Some((cell, filled)) => {
                let frame = Frame::new(task.component, mark, task.witness_above)
                    .with_totals_before(nodes, work, 0, recompute_cost);
                self.frames.push(Frame {
                    decision: Some((cell, filled)),
                    open_component: Some(task.owner),
                    weights: match filled {
                        true => [0, task.weight],
                        false => [task.weight, 0],
                    },
                    ..frame
                });
                self.begin_side();
            }
        }
        self.run_stack(walk, Some(&owner));
    }

    /// Counts what is on the stack, until the stack is empty or the walk is over. `owner` is the owner of the gap for which a task counts;
    /// `None` for the stack of the whole component.
    fn run_stack(&mut self, walk: &Arc<Walk<W>>, owner: Option<&Arc<Unfinished<W>>>) {
        let is_whole = owner.is_none();
        let mut polls = self.pace.polls();
        let is_complete = loop {
            if self.shared.control.stopped() {
                walk.end(TrialEnd::Stopped);
                break false;
            }
            if self.statistics.nodes >= self.polled_nodes + NODES_PER_POLL
                || self.pace.polls() != polls
            {
                polls = self.pace.polls();
                let work = self.poll(walk, is_whole);
                if is_whole
                    && self.shared.checkpointer.is_some()
                    && self.trail_recorded.elapsed() >= TRAIL_INTERVAL
                {
                    self.record_trail(work);
                }
                if self.shared.store.keeps_graph() {
                    // The graph has grown.
                    self.fit_paused_sweeps();
                }
                if self.shared.store.is_outgrown() {
                    walk.end(TrialEnd::Full);
                } else if self.shared.is_obsolete(walk.trial.component) {
                    walk.end(TrialEnd::Stopped);
                } else if work >= walk.trial.budget {
                    walk.end_out_of_budget();
                }
                if walk.is_over() {
                    break false;
                }
                if owner.is_some_and(|owner| owner.is_cancelled()) {
                    self.abandon(0);
                    break true;
                }
            }
            if self.shared_walk.is_some() && walk.wants_tasks() {
                // A side that is known to have no solution needs no question.
                let is_dead = self.top().product.is_zero();
                match is_dead || self.may_have_solution(true) {
                    true => self.give_task_away(walk),
                    // The current side has no solution.
                    false => self.statistics.dead_ends += 1,
                }
            }
            let top = self.top();
            match top.pending.pop() {
                Some(component) if !top.product.is_zero() => self.begin_component(component),
                _ => {
                    if self.end_side(walk) {
                        break true;
                    }
                }
            }
        };
        let work = self.poll(walk, is_whole && !is_complete);
        if is_whole && !is_complete {
            self.record_trail(work);
        }
        let stack = self.pause_stack(owner);
        self.prober.clear();
        walk.end_stack(stack);
        walk.end_piece();
    }

    /// Gives away the piece nearest to the root that is not begun. If the oracle may be asked, every side above the piece must be known to
    /// have a solution, or be one that the oracle has given up on. Otherwise the work on the piece may be in vain, and if the oracle finds
    /// no solution in the piece, that may be due to the sides above it.
    fn give_task_away(&mut self, walk: &Walk<W>) {
        if !walk.has_room(self.shared.max_unfinished_bytes()) {
            return;
        }
        let min_size = self.shared.options.min_shared_cells;
        for i in 0..self.frames.len() {
            let frame = &self.frames[i];
            if self.may_ask_oracle && i > 0 && !self.frames[i - 1].may_be_divided() {
                break;
            }
            // The worker itself is about to begin a component of the top frame.
            let is_top = i + 1 == self.frames.len();
            let gives_component = !is_top && frame.is_alive && !frame.product.is_zero();
            let gives_component = gives_component
                && frame
                    .pending
                    .first()
                    .is_some_and(|component| component.size >= min_size);
            let gives_side = frame.has_other_side && frame.component.size >= min_size;
            if !gives_component && !gives_side {
                continue;
            }
            let above = if gives_side { i } else { i + 1 };
            let path = self.path_to(above);
            let mark = match gives_side {
                true => frame.mark,
                false => self.frames[i + 1].mark,
            };
            let (rows, may_ask_oracle) = (self.board.rows_at(mark), self.may_ask_oracle);
            let frame = &mut self.frames[i];
            walk.push_task(if gives_side {
                let (cell, filled) = frame.decision.expect("a branch has two sides");
                let weight = frame.weights[usize::from(!filled)];
                frame.has_other_side = false;
                frame.gave_other_side = true;
                frame.gap_weight_in_component += weight;
                let owner = frame
                    .open_component
                    .get_or_insert_with(Unfinished::open_component);
                owner.add_gap();
                WalkTask {
                    rows,
                    component: frame.component.clone(),
                    side: Some((cell, !filled)),
                    owner: Arc::clone(owner),
                    witness_above: frame.witness_above.clone(),
                    weight,
                    path,
                    may_ask_oracle,
                }
            } else {
                // Pending components are sorted by size, the largest first.
                let component = frame.pending.remove(0);
                let weight = frame.weight() / frame.component_count;
                frame.has_gaps = true;
                frame.gap_weight_in_side += weight;
                let owner = frame.open_side.get_or_insert_with(Unfinished::open_side);
                owner.add_gap();
                WalkTask {
                    rows,
                    component,
                    side: None,
                    owner: Arc::clone(owner),
                    witness_above: frame.witness.clone(),
                    weight,
                    path,
                    may_ask_oracle,
                }
            });
            return;
        }
    }

    /// The decisions above the frame with this index, from the root on.
    pub(crate) fn path_to(&self, frame: usize) -> Vec<(Cell, bool)> {
        let above = self.frames[..frame].iter();
        let above = above.filter_map(|frame| frame.decision);
        self.path.iter().copied().chain(above).collect()
    }

    /// Drops all frames from this index on. Components for which other workers wait are given away as tasks.
    pub(crate) fn abandon(&mut self, from: usize) {
        let walk = self.shared_walk.clone();
        while self.frames.len() > from {
            let frame = self
                .frames
                .pop()
                .expect("the stack has more frames than `from`");
            frame.open_component.iter().for_each(|it| it.cancel());
            if frame.decision.is_some() {
                frame.open_side.iter().for_each(|side| side.cancel());
            }
            let Some(walk) = walk.as_ref().filter(|_| frame.is_claimed) else {
                continue;
            };
            let waiting = walk.release(&frame.component.key);
            if !waiting.is_empty() {
                walk.push_task(WalkTask {
                    rows: self.board.rows_at(frame.mark),
                    component: frame.component,
                    side: None,
                    owner: walk.owner_for_recount(waiting),
                    witness_above: frame.witness_above,
                    weight: 0,
                    // The decisions above it may have no solution, so the oracle must not be asked about them.
                    path: Vec::new(),
                    may_ask_oracle: false,
                });
            }
        }
    }

    /// Polls the limits, and adds the nodes to the status and the work to the walk. If `is_whole`, the stack holds the whole component, and
    /// the lower bound that it proves is recorded. Returns the work of all workers on the walk so far, in nanoseconds.
    fn poll(&mut self, walk: &Walk<W>, is_whole: bool) -> u64 {
        let nodes = self.statistics.nodes;
        (self.shared.status).add_nodes(nodes - std::mem::replace(&mut self.polled_nodes, nodes));
        self.shared.control.poll();
        let total = (self.work(), self.share_done.max(self.reported.1));
        let work = walk.add(total.0 - self.reported.0, total.1 - self.reported.1);
        self.reported = total;
        if is_whole && !self.frames.is_empty() {
            self.raise_bound(walk, bound(&self.frames));
        }
        work
    }
}

#[cfg(test)]
mod tests;
