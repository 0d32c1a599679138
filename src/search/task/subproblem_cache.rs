//! A cache of small subproblems: the unknown cells of a node, where they are few.
//!
//! On loosely constrained puzzles the same few unknown cells, with the same choices for their lines, remain under many partial grids. They
//! are searched once; the next time their fillings form a bundle without a search. The key holds all that these depend on, never a hash
//! alone.

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
    /// Approximate size of all entries, in bytes.
    bytes: u64,
    /// Look-ups of the present trial that found an entry, and those that found none.
    hits: u32,
    misses: u32,
    /// Nodes to skip before the next look-up.
    nodes_to_skip: u32,
}

/// Maximum unknown cells of a subproblem.
pub(super) const MAX_CELLS: usize = 32;

/// Maximum fillings of a cached list.
pub(super) const MAX_FILLINGS: u64 = 256;

/// Maximum settles to enumerate the fillings of one subproblem.
pub(super) const MAX_SETTLES: u64 = 4096;

/// Maximum size of the cache in bytes, at which it is cleared.
const MAX_BYTES: u64 = 4 << 20;

/// Approximate size of an entry in bytes, beside its key and its fillings.
const ENTRY_BYTES: u64 = 128;

/// Look-ups per trial, after which the hit rate is judged.
const TRIAL_LOOK_UPS: u32 = 256;

/// Nodes without a look-up after a trial with a low hit rate.
const SKIPPED_NODES: u32 = 64 * TRIAL_LOOK_UPS;

impl SubproblemCache {
    /// Whether to look up the subproblem of this node. Called once per node.
    pub(super) fn should_look_up(&mut self) -> bool {
        if self.nodes_to_skip > 0 {
            self.nodes_to_skip -= 1;
            return false;
        }
        if self.hits + self.misses >= TRIAL_LOOK_UPS {
            // A miss costs a little more than searching the subproblem without the cache.
            if 8 * self.hits < self.misses {
                self.nodes_to_skip = SKIPPED_NODES;
            }
            self.hits = 0;
            self.misses = 0;
        }
        true
    }

    /// The fillings of the unknown cells of a board, if they are cached; otherwise the caller passes them to [`SubproblemCache::insert`].
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

    /// Stores the fillings of the subproblem of the latest look-up. The cache may take this number of bytes, and at most 4 MiB.
    pub(super) fn insert(&mut self, fillings: Fillings, max_bytes: u64) {
        let words = match &fillings {
            Fillings::Listed(_, Some(factor)) => factor.words(),
            _ => 0,
        };
        let bytes = ENTRY_BYTES + 8 * (self.key.len() + words) as u64;
        let max_bytes = max_bytes.min(MAX_BYTES);
        if self.bytes + bytes > max_bytes {
            self.bytes = 0;
            self.entries.clear();
            if bytes > max_bytes {
                return;
            }
        }
        self.bytes += bytes;
        self.entries.insert(self.key.as_slice().into(), fillings);
    }
}

/// Appends the part of the key for one line. The fillings of its unknown cells depend on their positions, on the known cells between them,
/// and, for each side, on the number of blocks there and on the length of the run adjacent to the unknown cells.
fn push_line<W: Word>(key: &mut Vec<u64>, line: usize, known: Known<W>, unknown: W, length: usize) {
    if unknown.is_zero() {
        return;
    }
    let last_of = |cells: W| W::BITS - 1 - cells.reverse().first();
    let (first, last) = (unknown.first(), last_of(unknown));
    let filled = known.filled;
    // Beyond the first and the last unknown cell everything is known; a run adjacent to an unknown cell may continue into it.
    let (left, right) = (filled & W::low(first), filled & !W::low(last + 1));
    let left_starts = left & !left.up(1);
    let right_ends = right & !right.down(1);
    let gaps_left = !filled & W::low(first);
    let gaps_right = !filled & W::low(length) & !W::low(last + 1);
    let left_run = if gaps_left.is_zero() {
        first
    } else {
        first - 1 - last_of(gaps_left)
    };
    let right_run = gaps_right.first().min(length) - last - 1;
    key.push((line as u64) << 32 | (first as u64) << 16 | last as u64);
    key.push(
        (left_starts.count() as u64) << 48
            | (left_run as u64) << 32
            | (right_ends.count() as u64) << 16
            | right_run as u64,
    );
    let between = filled & W::low(last + 1) & !W::low(first);
    for i in first / 64..=last / 64 {
        key.push(unknown.part(i));
        key.push(between.part(i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cache had 4 MiB in each thread, outside of the memory limit.
    #[test]
    fn the_cache_takes_no_more_than_it_may() {
        let mut cache = SubproblemCache::default();
        let mut insert = |key: u64, max_bytes: u64| {
            cache.key = vec![key; 4];
            cache.insert(Fillings::TooMany, max_bytes);
            (cache.entries.len(), cache.bytes)
        };
        let entry = ENTRY_BYTES + 32;
        assert_eq!(insert(0, 2 * entry), (1, entry));
        assert_eq!(insert(1, 2 * entry), (2, 2 * entry));
        assert_eq!(insert(2, 2 * entry), (1, entry));
        assert_eq!(insert(3, entry - 1), (0, 0));
        for key in 0..MAX_BYTES / entry {
            assert_eq!(insert(key, u64::MAX), (key as usize + 1, (key + 1) * entry));
        }
        assert_eq!(insert(u64::MAX, u64::MAX), (1, entry));
    }
}
