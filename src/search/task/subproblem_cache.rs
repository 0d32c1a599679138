//! A cache of small subproblems: the unknown cells of a node, where they are few.
//!
//! On loosely constrained puzzles the same few unknown cells, with the same choices for their lines, remain under many different partial
//! grids. Such a subproblem is searched once and its fillings are cached; the next time they form a bundle without a search. The key
//! holds everything that the fillings depend on, never a hash alone.

use std::collections::HashMap;
use std::sync::Arc;

use crate::board::Board;
use crate::line::{Known, Word};
use crate::solutions::Factor;

/// The fillings of a subproblem.
#[derive(Clone, Debug)]
pub(super) enum Fillings {
    /// Their number, and the fillings themselves where solutions are listed.
    Listed(u64, Option<Arc<Factor>>),
    /// More than [`MAX_FILLINGS`], or not found within [`MAX_SETTLES`].
    TooMany,
}

/// The subproblems that a task has seen.
#[derive(Debug, Default)]
pub(in crate::search) struct SubproblemCache {
    /// From key to fillings.
    entries: HashMap<Box<[u64]>, Fillings>,
    /// The key of the latest look-up.
    key: Vec<u64>,
    /// Approximate size of all entries, in words.
    size: usize,
    /// Look-ups of the present trial with and without a result.
    hits: u32,
    misses: u32,
    /// Nodes to skip before the next look-up.
    pause: u32,
}

/// Maximum unknown cells of a subproblem.
pub(super) const MAX_CELLS: usize = 32;

/// Maximum fillings of a cached list.
pub(super) const MAX_FILLINGS: u64 = 256;

/// Maximum settles to enumerate the fillings of one subproblem.
pub(super) const MAX_SETTLES: u64 = 4096;

/// Size in words at which the cache is cleared.
const MAX_WORDS: usize = 1 << 19;

/// Look-ups per trial, after which the hit rate is judged.
const TRIAL_LOOK_UPS: u32 = 256;

/// After a trial with a low hit rate look-ups pause for this many times [`TRIAL_LOOK_UPS`] nodes.
const PAUSE_FACTOR: u32 = 64;

impl SubproblemCache {
    /// Whether to look up the subproblem of this node. Called once per node.
    pub(super) fn should_look_up(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.hits + self.misses >= TRIAL_LOOK_UPS {
            // A miss costs a little more than searching the subproblem without the cache.
            if 8 * self.hits < self.misses {
                self.pause = TRIAL_LOOK_UPS * PAUSE_FACTOR;
            }
            self.hits = 0;
            self.misses = 0;
        }
        true
    }

    /// The fillings of the unknown cells of a board, if they are cached; else [`SubproblemCache::insert`] is to be called with them.
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
        let found = self.entries.get(&*self.key).cloned();
        match found {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        found
    }

    /// Stores the fillings of the subproblem of the latest look-up.
    pub(super) fn insert(&mut self, fillings: Fillings) {
        let words = match &fillings {
            Fillings::Listed(_, Some(factor)) => factor.words(),
            _ => 0,
        };
        self.size += self.key.len() + words + 16;
        if self.size > MAX_WORDS {
            self.size = 0;
            self.entries.clear();
        }
        self.entries.insert(self.key.as_slice().into(), fillings);
    }
}

/// Appends everything that the unknown cells of a line depend on: which they are, the known cells between them, and on either side the
/// number of blocks and the length of the run next to them.
fn push_line<W: Word>(key: &mut Vec<u64>, line: usize, known: Known<W>, unknown: W, length: usize) {
    if unknown.is_zero() {
        return;
    }
    let last_of = |cells: W| W::BITS - 1 - cells.reverse().first();
    let (first, last) = (unknown.first(), last_of(unknown));
    let filled = known.filled;
    // On either side everything is known; the nearest block there may continue into the unknown cells.
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
