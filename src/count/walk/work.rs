//! How a worker does its part of a slice of a walk: it takes pieces, counts them, gives tasks away, and puts back what it has not finished.

use std::sync::Arc;

use super::frame::Frame;
use super::piece::{PausedStack, Piece, WalkTask};
use super::pool::Walk;
use super::unfinished::{Destination, Unfinished};
use super::walker::{NODES_PER_POLL, Walker};
use crate::line::Word;
use crate::run::memory_plan;
use crate::search::WHOLE;

impl<W: Word> Walker<'_, '_, W> {
    /// Counts pieces of a walk until its slice is over.
    pub(crate) fn walk(&mut self, walk: &Arc<Walk<W>>) {
        self.reported.0 = self.work();
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
        self.share_done = 0;
        self.reported.1 = 0;
        let (mark, owner) = (self.board.mark(), Arc::clone(&task.owner));
        let nodes_before = self.statistics.nodes;
        match task.side {
            None => {
                let bottom = Frame::bottom(task.component, mark, task.owner);
                self.frames.push(Frame {
                    weights: [task.weight, 0],
                    nodes_before,
                    ..bottom
                });
            }
            Some((cell, filled)) => {
                let frame = Frame::new(task.component, mark);
                self.frames.push(Frame {
                    decision: Some((cell, filled)),
                    open_component: Some(task.owner),
                    weights: match filled {
                        true => [0, task.weight],
                        false => [task.weight, 0],
                    },
                    nodes_before,
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
        self.share_done = stack.share_done;
        self.reported.1 = stack.share_done;
        let nodes = self.statistics.nodes;
        let prober_mark = self.prober.mark();
        self.frames = stack.frames;
        for frame in &mut self.frames {
            frame.mark += mark;
            // What the sides were probed for is not kept.
            frame.prober_mark = prober_mark;
            frame.probed = None;
            frame.nodes_before = nodes.saturating_sub(stack.nodes - frame.nodes_before);
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
            share_done: self.share_done,
            nodes: self.statistics.nodes,
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
                    self.abandon(walk);
                    break;
                }
            }
            if self.shared_walk.is_some() && walk.wants_tasks() {
                self.give_task_away(walk);
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

    /// Gives away the other side of the branch nearest to the root whose other side is not begun. Pending components are never given away: the
    /// work on one would be in vain if another component of the side had no filling.
    fn give_task_away(&mut self, walk: &Walk<W>) {
        if !walk.has_room(memory_plan::DEFERRED.of(self.crew.memory)) {
            return;
        }
        let min_size = self.crew.options.min_shared_cells;
        let has_side =
            |frame: &&mut Frame<W>| frame.has_other_side && frame.component.size >= min_size;
        let Some(frame) = self.frames.iter_mut().find(has_side) else {
            return;
        };
        let (cell, filled) = frame.decision.expect("a branch has two sides");
        let weight = frame.weights[usize::from(!filled)];
        frame.has_other_side = false;
        frame.gap_weight_in_component += weight;
        let owner = frame
            .open_component
            .get_or_insert_with(Unfinished::open_component);
        owner.add_gap();
        walk.push_task(WalkTask {
            rows: self.board.rows_at(frame.mark),
            component: frame.component.clone(),
            side: Some((cell, !filled)),
            owner: Arc::clone(owner),
            weight,
        });
    }

    /// Drops the stack. Components for which other workers wait are given away as tasks.
    fn abandon(&mut self, walk: &Walk<W>) {
        while let Some(frame) = self.frames.pop() {
            frame.open_component.iter().for_each(|it| it.cancel());
            if frame.decision.is_some() {
                frame.open_side.iter().for_each(|side| side.cancel());
            }
            if !frame.is_claimed {
                continue;
            }
            let waiting = walk.release(&frame.component.key);
            if !waiting.is_empty() {
                walk.push_task(WalkTask {
                    rows: self.board.rows_at(frame.mark),
                    component: frame.component,
                    side: None,
                    owner: Unfinished::product(Destination::WaitingSides(waiting)),
                    weight: 0,
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
