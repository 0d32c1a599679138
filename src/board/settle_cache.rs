//! A cache of settled lines.
//!
//! The nodes and the probes of a search settle a line with the same known cells many times: in counts of 25x25 puzzles the cache has nine of
//! ten results. It is direct-mapped: a result replaces another one that has the same index. Every board has its own, because a shared one
//! would need a lock or atomic operations, which take longer than a settle.

use crate::line::{Known, Word};

/// Maximum size of a cache, in bytes: a part of the second-level cache of a core.
const MAX_BYTES: usize = 1 << 19;

/// The widest words, in bits, whose results are kept. The lines of larger boards are more than the cache has room for.
const MAX_CACHED_BITS: usize = 128;

/// Number of settles before the cache is allocated, so that small puzzles and short tasks do without it.
const MIN_SETTLES: u32 = 1 << 13;

/// 2<sup>64</sup> divided by the golden ratio, as in Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): the high bits of a
/// product depend on all bits of the other factor.
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The result for one line.
#[derive(Clone, Copy, Debug)]
struct Entry<W> {
    /// The number of the line.
    line: u32,
    /// The known cells before.
    known: Known<W>,
    /// The cells that were decided, or [`SettleCache::contradiction`].
    new: Known<W>,
}

/// The cells that the lines of one puzzle decide when they are settled, by their known cells.
#[derive(Clone, Debug)]
pub(super) struct SettleCache<W> {
    /// Empty until [`MIN_SETTLES`] lines have been settled.
    entries: Vec<Entry<W>>,
    /// Number of settles before it was allocated.
    settles: u32,
}

impl<W: Word> SettleCache<W> {
    /// Number of bits of an index.
    const INDEX_BITS: u32 = (MAX_BYTES / size_of::<Entry<W>>()).ilog2();

    pub(super) const fn new() -> Self {
        SettleCache {
            entries: Vec::new(),
            settles: 0,
        }
    }

    /// The cells that a line with these known cells decides; `None` if no arrangement fits. `settle` computes it where it is not known.
    #[inline]
    pub(super) fn get_or_settle(
        &mut self,
        line: usize,
        known: Known<W>,
        settle: impl FnOnce() -> Option<Known<W>>,
    ) -> Option<Known<W>> {
        if W::BITS > MAX_CACHED_BITS || self.entries.is_empty() && !self.allocate() {
            return settle();
        }
        let index = Self::index(line, known);
        let entry = &mut self.entries[index];
        if entry.line != line as u32 || entry.known != known {
            *entry = Entry {
                line: line as u32,
                known,
                new: settle().unwrap_or_else(Self::contradiction),
            };
        }
        (entry.new.filled & entry.new.empty)
            .is_zero()
            .then_some(entry.new)
    }

    /// A cell both filled and empty: no arrangement fits the known cells.
    fn contradiction() -> Known<W> {
        Known {
            filled: W::bit(0),
            empty: W::bit(0),
        }
    }

    /// The index of the result, the high bits of a hash.
    fn index(line: usize, known: Known<W>) -> usize {
        let parts = 0..W::BITS / 64;
        let hash = parts.fold((line as u64) << 29, |hash, i| {
            let part = known.filled.part(i) ^ known.empty.part(i).rotate_left(29);
            (hash.rotate_left(23) ^ part).wrapping_mul(HASH_FACTOR)
        });
        (hash >> (64 - Self::INDEX_BITS)) as usize
    }

    /// Allocates the cache if it is time. Returns whether it is there.
    #[cold]
    fn allocate(&mut self) -> bool {
        self.settles += 1;
        if self.settles >= MIN_SETTLES {
            let none = Entry {
                line: u32::MAX,
                known: Known::NOTHING,
                new: Known::NOTHING,
            };
            self.entries = vec![none; 1 << Self::INDEX_BITS];
        }
        !self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{Kernel, Wide};

    /// The clues of three lines of 13 cells.
    const LINES: [&[u16]; 3] = [&[3, 1, 4], &[1, 1, 1, 1], &[]];

    /// Cells of the lines that are filled, empty or unknown, in all ways.
    const CELLS: [usize; 6] = [0, 2, 5, 7, 9, 12];

    /// Asks for all results once. Returns the number of those that were stored.
    fn ask_for_all<W: Word>(cache: &mut SettleCache<W>) -> usize {
        let (mut kernel, mut stored) = (Kernel::new(), 0);
        for (line, blocks) in LINES.into_iter().enumerate() {
            for ways in 0..3_usize.pow(CELLS.len() as u32) {
                let mut known = Known::NOTHING;
                for (i, cell) in CELLS.into_iter().enumerate() {
                    match ways / 3_usize.pow(i as u32) % 3 {
                        0 => known.filled |= W::bit(cell),
                        1 => known.empty |= W::bit(cell),
                        _ => {}
                    }
                }
                let settled = kernel.settle(blocks, 13, known);
                let new = settled.map(|settled| settled.without(known));
                stored += 1;
                let found = cache.get_or_settle(line, known, || {
                    stored -= 1;
                    new
                });
                assert_eq!(found, new, "line {line}, {known:?}");
            }
        }
        stored
    }

    fn stores_results<W: Word>() -> bool {
        let mut cache = SettleCache::<W>::new();
        for _ in 0..=MIN_SETTLES / 2000 {
            ask_for_all(&mut cache);
        }
        // Some results have the same index as another one.
        ask_for_all(&mut cache) > 1000
    }

    #[test]
    fn results_are_those_of_the_kernel() {
        assert!(stores_results::<u64>() && stores_results::<u128>());
        assert!(!stores_results::<Wide<8>>());
    }

    #[test]
    fn a_board_that_settles_few_lines_has_no_cache() {
        let mut cache = SettleCache::<u64>::new();
        assert_eq!(ask_for_all(&mut cache), 0);
        assert!(cache.entries.is_empty());
    }
}
