//! The open cells of a node, where they are few and the same are met repeatedly.
//!
//! On loose puzzles the same few open cells, with the same choices for their lines, are met under many different pictures. Such a
//! *rest* is searched once, and its fillings are kept: met again it is a bundle at once. Rests are compared by all that their
//! fillings depend on, never by a hash alone.

use std::collections::HashMap;
use std::sync::Arc;

use crate::board::Board;
use crate::line::{Known, Word};
use crate::solutions::Factor;

/// The fillings of a rest.
#[derive(Clone, Debug)]
pub(super) enum Fillings {
    /// Their number, and what they are where solutions are listed.
    Listed(u64, Option<Arc<Factor>>),
    /// Too many, or too long to find.
    TooMany,
}

/// The rests that a task has met.
#[derive(Debug, Default)]
pub(in crate::search) struct Rests {
    /// By what their fillings depend on.
    known: HashMap<Box<[u64]>, Fillings>,
    key: Vec<u64>,
    /// Words that they take.
    size: usize,
    /// Rests met lately that were known, and that were not.
    hits: u32,
    misses: u32,
    /// Nodes to let pass before the next look.
    pause: u32,
}

/// Most open cells of a rest.
pub(super) const CELLS: usize = 32;

/// Most fillings of a rest.
pub(super) const FILLINGS: u64 = 256;

/// Most settles to find them.
pub(super) const SETTLES: u64 = 4096;

/// Words that are kept before all is forgotten.
const SIZE: usize = 1 << 19;

/// Look-ups before the hit rate is judged; a poor rate suspends them for as many nodes as the product of both numbers.
const TRIAL: (u32, u32) = (256, 64);

impl Rests {
    /// Whether rests are looked up here.
    pub(super) fn are_worth_it(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.hits + self.misses >= TRIAL.0 {
            // Filling one in costs about as much as searching it plainly, and a little more.
            if 8 * self.hits < self.misses {
                self.pause = TRIAL.0 * TRIAL.1;
            }
            self.hits = 0;
            self.misses = 0;
        }
        true
    }

    /// The rest of a board with a few unknown cells, if it has been met before; or else it is the one that [`Rests::keep`] keeps.
    pub(super) fn look_up<W: Word>(&mut self, board: &Board<'_, W>) -> Option<Fillings> {
        self.key.clear();
        let (width, height) = (board.clues().width(), board.clues().height());
        for (r, &row) in board.rows().iter().enumerate() {
            push_line(&mut self.key, r, row, board.unknown_in_row(r), width);
        }
        let open = (0..height).fold(W::ZERO, |open, r| open | board.unknown_in_row(r));
        for c in open.cells() {
            let unknown = board.unknown_in_column(c);
            push_line(&mut self.key, height + c, board.column(c), unknown, height);
        }
        let found = self.known.get(&*self.key).cloned();
        match found {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        found
    }

    /// Keeps the rest that was looked up last.
    pub(super) fn keep(&mut self, fillings: Fillings) {
        let words = match &fillings {
            Fillings::Listed(_, Some(factor)) => factor.words(),
            _ => 0,
        };
        self.size += self.key.len() + words + 16;
        if self.size > SIZE {
            self.size = 0;
            self.known.clear();
        }
        self.known.insert(self.key.as_slice().into(), fillings);
    }
}

/// All that the open cells of a line depend on: which they are, what is known between them, and how many blocks and which part of
/// one are laid to either side.
fn push_line<W: Word>(key: &mut Vec<u64>, line: usize, known: Known<W>, unknown: W, length: usize) {
    if unknown.is_zero() {
        return;
    }
    let last_of = |cells: W| W::BITS - 1 - cells.reverse().first();
    let (first, last) = (unknown.first(), last_of(unknown));
    let filled = known.filled;
    // To either side everything is known; the nearest block there may go on.
    let (left, right) = (filled & W::low(first), filled & !W::low(last + 1));
    let begun = left & !left.up(1);
    let ended = right & !right.down(1);
    let gaps_left = !filled & W::low(first);
    let gaps_right = !filled & W::low(length) & !W::low(last + 1);
    let run_in = match gaps_left.is_zero() {
        true => first,
        false => first - 1 - last_of(gaps_left),
    };
    let run_out = gaps_right.first().min(length) - last - 1;
    key.push((line as u64) << 32 | (first as u64) << 16 | last as u64);
    key.push(
        (begun.count() as u64) << 48
            | (run_in as u64) << 32
            | (ended.count() as u64) << 16
            | run_out as u64,
    );
    let between = filled & W::low(last + 1) & !W::low(first);
    for i in first / 64..=last / 64 {
        key.push(unknown.part(i));
        key.push(between.part(i));
    }
}
