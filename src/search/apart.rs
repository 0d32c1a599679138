//! Cubes searched one after the other, each with an answer of its own.
//!
//! A run over many small cubes must not pay again for what they have in common. So the puzzle is set up and its root propagated once,
//! the decisions that a cube shares with the one before it stay made, and what was learnt of probing, and of rests, is passed on.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::queue::SegQueue;

use super::task::{Rests, Shared};
use super::{Control, Cube, Decision, Limits, Node, Outcome, Search, Task, WHOLE, conclude};
use crate::board::{Board, Clues};
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
        let mut place = Place {
            board: Board::<W>::new(&clues),
            propagated: None,
            steps: Vec::new(),
        };
        let sums = self.puzzle.sums();
        let mut rests: SegQueue<Rests> = SegQueue::new();
        let mut habit = None;
        work(&mut |cube, limits, sink| {
            let control = Arc::new(Control::new(limits, false));
            let mut shared = self.shared::<W>(&clues, &control, sink, None, 1);
            shared.rests = std::mem::take(&mut rests);
            shared.habit = Mutex::new(habit);
            let settles = place.board.settles();
            let go = place.go_to(cube, &shared);
            let node = match go {
                // Only a run that was stopped leaves it undecided.
                None => {
                    shared.cubes.push((cube.clone(), WHOLE));
                    None
                }
                Some(holds) => (holds && sums.0 == sums.1)
                    .then(|| Node::root(&place.board, cube.clone(), WHOLE, &self.options)),
            };
            if let Ok(totals) = shared.totals.get_mut() {
                totals.0.settles += place.board.settles() - settles;
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

/// Where in the tree the board is.
struct Place<'a, W: Word> {
    board: Board<'a, W>,
    /// Whether the root holds, once that is known.
    propagated: Option<bool>,
    /// The decisions that are made, each with where the board was before.
    steps: Vec<(usize, Decision)>,
}

impl<W: Word> Place<'_, W> {
    /// Goes to the root of a cube; does it hold? `None` when the run was stopped on the way.
    fn go_to(&mut self, cube: &Cube, shared: &Shared<'_, W>) -> Option<bool> {
        let root = match self.propagated {
            Some(root) => root,
            None => {
                // What has been settled of it stays.
                let mut settles = 0u64;
                let root = self.board.propagate_unless(|| {
                    settles += 1;
                    if settles.is_multiple_of(shared.breath) {
                        shared.control.look();
                    }
                    shared.control.stopped()
                });
                if root.is_none() {
                    self.board = Board::new(self.board.clues());
                }
                self.propagated = root;
                root?
            }
        };
        if !root {
            return Some(false);
        }
        let same = self
            .steps
            .iter()
            .zip(&cube.path)
            .take_while(|(step, decision)| step.1 == **decision)
            .count();
        if let Some(&(mark, _)) = self.steps.get(same) {
            self.board.undo(mark);
            self.steps.truncate(same);
        }
        for &decision in &cube.path[same..] {
            let mark = self.board.mark();
            let holds = match self.board.known(decision.cell) {
                Some(filled) => filled == decision.filled,
                None => self.board.decide(decision.cell, decision.filled),
            };
            if !holds {
                self.board.undo(mark);
                return Some(false);
            }
            self.steps.push((mark, decision));
        }
        Some(true)
    }
}
