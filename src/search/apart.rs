//! Cubes searched one after the other, each with an answer of its own.
//!
//! A run over many small cubes must not pay again for what they have in common. So the puzzle is set up and its root propagated once,
//! the decisions that a cube shares with the one before it stay made, with all that probing has shown on the way, and what was learnt of
//! probing and of rests is passed on.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::queue::SegQueue;

use super::habit::Habit;
use super::task::{Rests, Shared};
use super::{
    Control, Cube, Decision, Limits, Node, Options, Outcome, Probing, Search, Task, WHOLE, conclude,
};
use crate::board::{Board, Clues, Inherited, Probed, Prober, Region};
use crate::line::{Wide, Word};
use crate::solutions::Sink;

/// Searches one cube within these limits, on the calling thread.
pub type Ask<'f> = dyn FnMut(&Cube, &Limits, &dyn Sink) -> Outcome + 'f;

impl Search<'_> {
    /// Does some work that searches cubes one after the other, in any order, each with limits and a sink of its own. The limits and
    /// cubes of the search itself are not looked at.
    ///
    /// Cubes that follow each other in the tree cost least.
    ///
    /// ```
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::search::{Cube, Limits, Search};
    /// use omnogram::solutions::Counter;
    ///
    /// let ones = vec![Clue::new([1])?; 4];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let outcome = Search::new(&puzzle).apart(|ask| ask(&Cube::default(), &Limits::default(), &Counter::new()));
    /// assert_eq!(outcome.solutions.to_string(), "24");
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When a cube decides a cell outside the puzzle.
    pub fn apart<T>(&self, work: impl FnOnce(&mut Ask<'_>) -> T) -> T {
        match self.puzzle.width().max(self.puzzle.height()) {
            0..=64 => self.each::<u64, T>(work),
            65..=128 => self.each::<u128, T>(work),
            129..=512 => self.each::<Wide<8>, T>(work),
            _ => self.each::<Wide<64>, T>(work),
        }
    }

    fn each<W: Word, T>(&self, work: impl FnOnce(&mut Ask<'_>) -> T) -> T {
        let clues = Clues::new(self.puzzle);
        let mut place = Place::<W>::new(&clues);
        let sums = self.puzzle.sums();
        let mut rests: SegQueue<Rests> = SegQueue::new();
        let mut habit = None;
        work(&mut |cube, limits, sink| {
            let control = Arc::new(Control::new(limits, false));
            let mut shared = self.shared::<W>(&clues, &control, sink, None, 1);
            shared.rests = std::mem::take(&mut rests);
            shared.habit = Mutex::new(habit);
            let (settles, probes) = (place.board.settles(), place.prober.probes());
            let probing = match self.options.probing {
                Probing::Always => true,
                Probing::Root | Probing::Never => false,
                Probing::Adaptive => habit.as_ref().is_none_or(Habit::probing),
            };
            let go = place.go_to(cube, &shared, probing);
            let node = match go {
                // Only a run that was stopped leaves it undecided.
                None => {
                    shared.cubes.push((cube.clone(), WHOLE));
                    None
                }
                Some(holds) => (holds && sums.0 == sums.1).then(|| place.node(cube, &self.options)),
            };
            if let Ok(totals) = shared.totals.get_mut() {
                totals.0.settles += place.board.settles() - settles;
                totals.0.probes += place.prober.probes() - probes;
            }
            match node {
                None => shared.meter.add(if go.is_some() { WHOLE } else { 0 }, 1),
                Some(node) => {
                    Task::run(&shared, node, None, None);
                    while let Some(node) = shared.pending.pop() {
                        Task::run(&shared, node, None, None);
                    }
                }
            }
            rests = std::mem::take(&mut shared.rests);
            habit = *shared.habit.lock().unwrap_or_else(PoisonError::into_inner);
            conclude(shared)
        })
    }
}

/// Where in the tree the board is: at the parent of the last cube.
struct Place<'a, W: Word> {
    board: Board<'a, W>,
    whole: Region<W>,
    prober: Prober<W>,
    /// Whether the root holds, once that is known.
    propagated: Option<bool>,
    /// The decisions that are made.
    steps: Vec<Step>,
    here: Here,
}

/// A decision, and what there was before it.
struct Step {
    decision: Decision,
    /// Where the board was, and the prober's records.
    mark: usize,
    records: usize,
    here: Here,
}

/// What is known of a node.
#[derive(Clone, Copy, Default)]
struct Here {
    probed: bool,
    /// It holds no solution.
    dead: bool,
    /// What the last node on the way that was probed has left.
    inherited: Option<Inherited>,
}

impl<'a, W: Word> Place<'a, W> {
    fn new(clues: &'a Clues) -> Self {
        let board = Board::new(clues);
        Place {
            whole: Region::whole(&board),
            board,
            prober: Prober::default(),
            propagated: None,
            steps: Vec::new(),
            here: Here::default(),
        }
    }

    /// Goes to the parent of a cube; may the cube hold anything? `None` when the run was stopped on the way.
    ///
    /// If `probing`, the nodes on the way are probed, as the search itself does it; so nobody below has to do it all again.
    fn go_to(&mut self, cube: &Cube, shared: &Shared<'_, W>, probing: bool) -> Option<bool> {
        if !self.propagate(shared)? {
            return Some(false);
        }
        let Some((last, way)) = cube.path.split_last() else {
            self.back_to(0);
            return Some(true);
        };
        let same = self.steps.iter().zip(way);
        let same = same.take_while(|(step, decision)| step.decision == **decision);
        self.back_to(same.count());
        for &decision in &way[self.steps.len()..] {
            if !self.look(probing, shared)? || !self.decide(decision) {
                return Some(false);
            }
        }
        let alive = self.look(probing, shared)?;
        Some(alive && self.board.known(last.cell) != Some(!last.filled))
    }

    /// A cube of which the present node is the parent.
    fn node(&self, cube: &Cube, options: &Options) -> Node<W> {
        let open = |decision: &&Decision| self.board.is_unknown(decision.cell);
        let mut node = Node::root(&self.board, cube.clone(), WHOLE, options);
        node.decision = cube.path.last().filter(open).copied();
        let inherited = self.here.inherited;
        node.probed = inherited.map(|inherited| self.prober.branch(inherited));
        node
    }

    /// Propagates the root.
    fn propagate(&mut self, shared: &Shared<'_, W>) -> Option<bool> {
        if self.propagated.is_none() {
            // What has been settled of it stays.
            let mut settles = 0u64;
            self.propagated = self.board.propagate_unless(|| {
                settles += 1;
                if settles.is_multiple_of(shared.breath) {
                    shared.control.look();
                }
                shared.control.stopped()
            });
            if self.propagated.is_none() {
                self.board = Board::new(self.board.clues());
            }
        }
        self.propagated
    }

    /// Takes all decisions back but the first ones.
    fn back_to(&mut self, steps: usize) {
        if let Some(step) = self.steps.get(steps) {
            self.board.undo(step.mark);
            self.prober.backtrack(step.records);
            self.here = step.here;
            self.steps.truncate(steps);
        }
    }

    /// Looks at the present node, if that has not been done: `false` when it holds no solution.
    fn look(&mut self, probing: bool, shared: &Shared<'_, W>) -> Option<bool> {
        if !probing || self.here.probed || self.here.dead {
            return Some(!self.here.dead);
        }
        let records = self.prober.mark();
        let inherited = self.here.inherited.take();
        let mut looked = self.board.settles();
        let stop = |board: &Board<'_, W>| {
            if board.settles() - looked >= shared.breath {
                looked = board.settles();
                shared.control.look();
            }
            shared.control.stopped()
        };
        let probed = self
            .prober
            .probe(&mut self.board, &self.whole, inherited, stop);
        match probed {
            Probed::Contradiction => self.here.dead = true,
            Probed::Stopped => {
                self.prober.backtrack(records);
                return None;
            }
            Probed::Fixpoint(inherited, _) => {
                self.here.probed = true;
                self.here.inherited = Some(inherited);
            }
        }
        Some(!self.here.dead)
    }

    /// Makes a decision; `false` when it contradicts, and then it is not made.
    fn decide(&mut self, decision: Decision) -> bool {
        let Decision { cell, filled } = decision;
        let mark = self.board.mark();
        self.board.take_changed();
        let holds = match self.board.known(cell) {
            Some(known) => known == filled,
            None => self.board.decide(cell, filled),
        };
        if !holds {
            self.board.undo(mark);
            return false;
        }
        let changed = self.board.take_changed();
        self.steps.push(Step {
            decision,
            mark,
            records: self.prober.mark(),
            here: self.here,
        });
        self.here = Here {
            inherited: self.here.inherited.map(|all| all.after(changed)),
            ..Here::default()
        };
        true
    }
}
