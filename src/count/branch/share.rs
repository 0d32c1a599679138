//! How a worker takes part in a walk: it begins one or joins it, gives pieces away, takes them, and goes back to where an earlier process
//! has left off.

use std::sync::Arc;
use std::time::Duration;

use super::frame::{Frame, bound};
use super::order::Order;
use super::unfinished::Unfinished;
use super::walk::{Task, Walk};
use super::worker::{INITIAL_QUESTION_NS, NODES_PER_POLL, Worker};
use crate::board::Cell;
use crate::count::plan::{Plan, Trial, TrialEnd};
use crate::line::Word;
use crate::run::lock;
use crate::sat::SatSolver;
use crate::search::WHOLE;
use crate::solutions::Count;

/// How often the way to where a walk is is noted.
const TRAIL_INTERVAL: Duration = Duration::from_millis(20);

impl<W: Word> Worker<'_, '_, W> {
    /// Walks through a part as it is planned, together with whoever joins in.
    pub(crate) fn walk(&mut self, trial: Trial) -> TrialEnd {
        let walk = Arc::new(Walk::new(trial));
        self.join(&walk);
        if !self.oracle.is_built() {
            // What a helper tries alone is to be comparable with what the host does.
            self.question_cost = INITIAL_QUESTION_NS;
        }
        if self.walk.is_some() {
            *lock(&self.shared.walk) = Some(Arc::clone(&walk));
        }
        // The opening is not gone on with.
        let tracked = trial.thorough && !self.shared.store.keeps_graph();
        self.plan = tracked.then_some(trial.plan);
        if std::mem::take(&mut self.has_moved) {
            self.board.set_rows(&self.shared.rows);
        }
        let component = self.shared.components[trial.component].clone();
        let witness = self.shared.witness.clone().map(Arc::new);
        let bottom = Frame::bottom(component, self.board.mark(), walk.root(), witness);
        let bottom = bottom.since(self.statistics.nodes, self.work(), 0, self.again);
        self.frames.push(Frame {
            weights: [WHOLE, 0],
            ..bottom
        });
        if let Some(trail) = (self.plan).and_then(|plan| self.shared.trail(trial.component, plan)) {
            self.follow(&trail);
        }
        walk.begin_stack();
        self.run(&walk, None);
        self.plan = None;
        self.work_in(&walk);
        if self.walk.is_some() {
            *lock(&self.shared.walk) = None;
        }
        let ended = walk.ended();
        if !matches!(ended, TrialEnd::Done(_)) && self.walk.take().is_some() {
            self.raise(&walk, walk.proved(&self.shared.store));
        }
        match ended {
            TrialEnd::Spent { foreseen, .. } => TrialEnd::Spent {
                foreseen,
                proved: walk.bound(),
            },
            ended => ended,
        }
    }

    /// Notes that a walk has proved this number of solutions of its part.
    fn raise(&self, walk: &Walk<W>, bound: Count) {
        walk.raise(&bound);
        self.shared.raise_bound(walk.trial.component, bound);
    }

    /// Takes part in a walk that another worker has begun, until it is over.
    pub(crate) fn help(&mut self, walk: &Arc<Walk<W>>) {
        self.join(walk);
        self.work_in(walk);
        self.walk = None;
    }

    fn join(&mut self, walk: &Arc<Walk<W>>) {
        let trial = walk.trial;
        self.component = trial.component;
        self.may_ask = trial.thorough && SatSolver::IS_BUILT_IN;
        (self.order, self.narrow) = match trial.plan {
            Plan::Branch(order) => (order, 0),
            _ => (Order::Narrow, self.shared.narrow(trial.component)),
        };
        self.path.clear();
        self.first_unproved = 0;
        self.done = 0;
        self.reported = (self.work(), 0);
        self.until = self.work().saturating_add(trial.budget);
        self.plan = None;
        self.walk = (self.shared.workers > 1 && !trial.alone).then(|| Arc::clone(walk));
    }

    /// Counts what others give away, until the walk is over.
    fn work_in(&mut self, walk: &Arc<Walk<W>>) {
        while !walk.is_over() {
            match walk.wait() {
                Some(task) if task.of.is_dead() => {
                    walk.end_stack(Vec::new());
                    walk.end_task();
                }
                Some(task) => self.run_task(walk, task),
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

    /// Counts a piece that another worker has given away.
    fn run_task(&mut self, walk: &Arc<Walk<W>>, task: Task<W>) {
        self.statistics.tasks += 1;
        self.board.set_rows(&task.rows);
        self.has_moved = true;
        self.path = task.path;
        self.first_unproved = 0;
        self.done = 0;
        self.reported.1 = 0;
        self.may_ask = task.may_ask;
        let (mark, of) = (self.board.mark(), Arc::clone(&task.of));
        let (nodes, work, again) = (self.statistics.nodes, self.work(), self.again);
        match task.side {
            None => {
                let bottom = Frame::bottom(task.component, mark, task.of, task.within);
                self.frames.push(Frame {
                    weights: [task.weight, 0],
                    ..bottom.since(nodes, work, 0, again)
                });
            }
            Some((cell, filled)) => {
                let frame =
                    Frame::new(task.component, mark, task.within).since(nodes, work, 0, again);
                self.frames.push(Frame {
                    decision: Some((cell, filled)),
                    open_component: Some(task.of),
                    weights: match filled {
                        true => [0, task.weight],
                        false => [task.weight, 0],
                    },
                    ..frame
                });
                self.begin_side();
            }
        }
        self.run(walk, Some(&of));
    }

    /// Counts what is on the stack, for this gap if it is not the whole.
    fn run(&mut self, walk: &Arc<Walk<W>>, of: Option<&Unfinished<W>>) {
        let mut polls = self.pace.polls();
        let whole = loop {
            if self.shared.control.stopped() {
                walk.end(TrialEnd::Stopped);
                break false;
            }
            if self.statistics.nodes >= self.polled_nodes + NODES_PER_POLL
                || self.pace.polls() != polls
            {
                polls = self.pace.polls();
                let work = self.poll(walk, of.is_none());
                if self.shared.checkpointer.is_some()
                    && self.trail_noted.elapsed() >= TRAIL_INTERVAL
                {
                    self.note_trail();
                }
                if self.shared.store.is_outgrown() {
                    walk.end(TrialEnd::Full);
                } else if self.shared.is_obsolete(walk.trial.component) {
                    walk.end(TrialEnd::Stopped);
                } else if work >= walk.trial.budget {
                    walk.end_spent();
                }
                if walk.is_over() {
                    break false;
                }
                if of.is_some_and(Unfinished::is_dead) {
                    self.abandon(0);
                    break true;
                }
            }
            if self.walk.is_some() && walk.wants_tasks() {
                match self.check_for_solution(true) {
                    true => self.lend(walk),
                    // The side is at its end.
                    false => self.statistics.dead_ends += 1,
                }
            }
            let top = self.top();
            match top.pending.pop() {
                Some(component) if !top.product.is_zero() => self.enter(component),
                _ => {
                    if self.end_side(walk) {
                        break true;
                    }
                }
            }
        };
        self.poll(walk, of.is_none() && !whole);
        if !whole {
            self.note_trail();
        }
        if let Some(bottom) = self.frames.first() {
            self.board.undo(bottom.mark);
        }
        walk.end_stack(std::mem::take(&mut self.frames));
        self.prober.backtrack(0);
        walk.end_task();
    }

    /// Gives away the oldest piece that is not begun. Where the oracle can be asked, there must be a solution on the way to it: below a
    /// side that has none all work is lost, and what the oracle says of the way is no answer about the piece.
    fn lend(&mut self, walk: &Walk<W>) {
        if !walk.has_room(self.shared.put_aside()) {
            return;
        }
        let least = self.shared.options.shared;
        for i in 0..self.frames.len() {
            let frame = &self.frames[i];
            if self.may_ask && i > 0 && !self.frames[i - 1].alive {
                break;
            }
            // Of the topmost side the next component is about to be begun here.
            let begun = i + 1 < self.frames.len();
            let open_component = begun && frame.alive && !frame.product.is_zero();
            let open_component = open_component
                && frame
                    .pending
                    .first()
                    .is_some_and(|component| component.size >= least);
            let other = frame.more && frame.component.size >= least;
            if !open_component && !other {
                continue;
            }
            let above = if other { i } else { i + 1 };
            let path = self.path_to(above);
            let mark = match other {
                true => frame.mark,
                false => self.frames[i + 1].mark,
            };
            let (rows, may_ask) = (self.board.rows_at(mark), self.may_ask);
            let frame = &mut self.frames[i];
            walk.give(if other {
                let (cell, filled) = frame.decision.expect("a branch has two sides");
                let weight = frame.weights[usize::from(!filled)];
                frame.more = false;
                frame.lent = true;
                frame.lent_of_component += weight;
                let of = frame
                    .open_component
                    .get_or_insert_with(Unfinished::open_component);
                of.open();
                Task {
                    rows,
                    component: frame.component.clone(),
                    side: Some((cell, !filled)),
                    of: Arc::clone(of),
                    within: frame.within.clone(),
                    weight,
                    path,
                    may_ask,
                }
            } else {
                // The largest is the first.
                let component = frame.pending.remove(0);
                let weight = frame.weight() / frame.components;
                frame.gaps = true;
                frame.lent_of_side += weight;
                let of = frame.side.get_or_insert_with(Unfinished::side);
                of.open();
                Task {
                    rows,
                    component,
                    side: None,
                    of: Arc::clone(of),
                    within: frame.witness.clone(),
                    weight,
                    path,
                    may_ask,
                }
            });
            return;
        }
    }

    /// The decisions above a frame.
    pub(crate) fn path_to(&self, frame: usize) -> Vec<(Cell, bool)> {
        let above = self.frames[..frame].iter();
        let above = above.filter_map(|frame| frame.decision);
        self.path.iter().copied().chain(above).collect()
    }

    /// Drops all frames from this one on. What others wait for is given away.
    pub(crate) fn abandon(&mut self, from: usize) {
        let walk = self.walk.clone();
        while self.frames.len() > from {
            let frame = self.frames.pop().expect("there are more than these");
            frame.open_component.iter().for_each(|it| it.kill());
            if frame.decision.is_some() {
                frame.side.iter().for_each(|side| side.kill());
            }
            let Some(walk) = walk.as_ref().filter(|_| frame.claimed) else {
                continue;
            };
            let waiting = walk.release(&frame.component.key);
            if !waiting.is_empty() {
                walk.give(Task {
                    rows: self.board.rows_at(frame.mark),
                    component: frame.component,
                    side: None,
                    of: walk.replacement(waiting),
                    within: frame.within,
                    weight: 0,
                    // There may be no solution on the way to it; that says nothing of it.
                    path: Vec::new(),
                    may_ask: false,
                });
            }
        }
    }

    /// Every now and then: a look at the limits, and a word to whoever wants to know; all the work of the walk so far. The `whole` may be
    /// what is on the stack.
    fn poll(&mut self, walk: &Walk<W>, whole: bool) -> u64 {
        let nodes = self.statistics.nodes;
        (self.shared.status).add_nodes(nodes - std::mem::replace(&mut self.polled_nodes, nodes));
        self.shared.control.poll();
        let now = (self.work(), self.done.max(self.reported.1));
        let work = walk.add(now.0 - self.reported.0, now.1 - self.reported.1);
        self.reported = now;
        if whole && !self.frames.is_empty() {
            self.raise(walk, bound(&self.frames));
        }
        work
    }
}
