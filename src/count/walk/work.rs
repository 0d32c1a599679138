//! How a worker does its part of a slice of a walk: it takes pieces, counts them, gives tasks away, and puts back what it has not finished.

use std::sync::Arc;

use super::frame::Frame;
use super::piece::{PausedStack, Piece, WalkTask};
use super::pool::Walk;
use super::unfinished::Unfinished;
use super::worker::{NODES_PER_POLL, Worker};
use crate::board::Cell;
use crate::line::Word;
use crate::run::memory_plan;
use crate::sat::SatSolver;
use crate::search::WHOLE;

impl<W: Word> Worker<'_, '_, W> {
    /// Counts pieces of a walk until its slice is over.
    pub(crate) fn walk(&mut self, walk: &Arc<Walk<W>>) {
        self.reported.0 = self.work();
        self.work_limit = self.work().saturating_add(walk.work_left());
        self.shared_walk = (self.crew.workers > 1).then(|| Arc::clone(walk));
        while !walk.is_over() {
            match walk.wait_for_piece() {
                Some(piece) => self.run_piece(walk, piece),
                None if self.crew.control.poll() => walk.end_slice(),
                None => {}
            }
        }
        self.shared_walk = None;
        let reserved = std::mem::take(&mut self.reserved);
        self.crew.control.return_nodes(reserved);
    }

    fn run_piece(&mut self, walk: &Walk<W>, piece: Piece<W>) {
        let owner = match piece {
            Piece::Task(task) if task.owner.is_cancelled() => return walk.end_piece(),
            Piece::Task(task) => self.begin(task),
            Piece::Stack(stack) => self.load(stack),
        };
        self.run_stack(walk, &owner);
        let rest = self.unload(owner);
        self.prober.clear();
        match rest {
            Some(stack) => walk.put_back(Piece::Stack(stack)),
            None => walk.end_piece(),
        }
    }

    /// Begins a task; returns the owner of the gap for which it counts.
    fn begin(&mut self, task: WalkTask<W>) -> Arc<Unfinished<W>> {
        self.statistics.tasks += u64::from(task.weight < WHOLE);
        self.board.set_rows(&task.rows);
        self.path = task.path;
        self.alive_frames = 0;
        self.share_done = 0;
        self.reported.1 = 0;
        self.may_ask_oracle = task.may_ask_oracle && SatSolver::IS_BUILT_IN;
        let (mark, owner) = (self.board.mark(), Arc::clone(&task.owner));
        let (nodes_before, work_before_side) = (self.statistics.nodes, self.work());
        match task.side {
            None => {
                let bottom = Frame::bottom(task.component, mark, task.owner, task.witness_above);
                self.frames.push(Frame {
                    weights: [task.weight, 0],
                    is_alone: task.is_alone,
                    nodes_before,
                    work_before_side,
                    ..bottom
                });
            }
            Some((cell, filled)) => {
                let frame = Frame::new(task.component, mark, task.witness_above);
                self.frames.push(Frame {
                    decision: Some((cell, filled)),
                    open_component: Some(task.owner),
                    weights: match filled {
                        true => [0, task.weight],
                        false => [task.weight, 0],
                    },
                    nodes_before,
                    work_before_side,
                    ..frame
                });
                self.begin_side();
            }
        }
        owner
    }

    /// Takes over a stack; returns the owner of the gap for which it counts.
    fn load(&mut self, stack: PausedStack<W>) -> Arc<Unfinished<W>> {
        self.board.set_rows(&stack.rows);
        let mark = self.board.mark();
        self.board.redo(&stack.changes);
        self.path = stack.path;
        self.alive_frames = 0;
        self.may_ask_oracle = stack.may_ask_oracle;
        self.share_done = stack.share_done;
        self.reported.1 = stack.share_done;
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

    /// The stack of this worker as data, unless it is empty; leaves the worker without one.
    fn unload(&mut self, owner: Arc<Unfinished<W>>) -> Option<PausedStack<W>> {
        let mark = self.frames.first()?.mark;
        let mut frames = std::mem::take(&mut self.frames);
        frames.iter_mut().for_each(|frame| frame.mark -= mark);
        let stack = PausedStack {
            rows: self.board.rows_at(mark),
            changes: self.board.changes_since(mark),
            frames,
            owner,
            path: std::mem::take(&mut self.path),
            may_ask_oracle: self.may_ask_oracle,
            share_done: self.share_done,
            nodes: self.statistics.nodes,
            work: self.work(),
        };
        self.board.undo(mark);
        Some(stack)
    }

    /// Counts what is on the stack, until the stack is empty or the slice is over. `owner` is the owner of the gap for which it counts.
    fn run_stack(&mut self, walk: &Walk<W>, owner: &Unfinished<W>) {
        let mut polls = self.pace.polls();
        loop {
            if self.crew.control.stopped() {
                walk.end_slice();
                break;
            }
            if self.statistics.nodes >= self.polled_nodes + NODES_PER_POLL
                || self.pace.polls() != polls
            {
                polls = self.pace.polls();
                self.poll(walk);
                if self.crew.store.is_outgrown() {
                    walk.end_slice();
                }
                if walk.is_over() {
                    break;
                }
                if owner.is_cancelled() {
                    self.abandon(0);
                    break;
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
                        break;
                    }
                }
            }
        }
        self.poll(walk);
    }

    /// Gives away the piece nearest to the root that is not begun. If the oracle may be asked, every side above the piece must be known to
    /// have a solution, or be one that the oracle has given up on. Otherwise the work on the piece may be in vain, and if the oracle finds
    /// no solution in the piece, that may be due to the sides above it.
    fn give_task_away(&mut self, walk: &Walk<W>) {
        if !walk.has_room(memory_plan::DEFERRED.of(self.crew.memory)) {
            return;
        }
        let min_size = self.crew.options.min_shared_cells;
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
                    is_alone: true,
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
                    // The side is known to have a solution.
                    is_alone: frame.is_alive,
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
                    is_alone: false,
                });
            }
        }
    }

    /// Polls the limits, and adds the nodes to the status and the work to the walk.
    fn poll(&mut self, walk: &Walk<W>) {
        let nodes = self.statistics.nodes;
        (self.crew.status).add_nodes(nodes - std::mem::replace(&mut self.polled_nodes, nodes));
        self.crew.control.poll();
        let total = (self.work(), self.share_done.max(self.reported.1));
        walk.add(total.0 - self.reported.0, total.1 - self.reported.1);
        self.reported = total;
    }
}
