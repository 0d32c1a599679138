//! The set of fillings that a line still allows, as a number: equal numbers mean equal sets.
//!
//! The arrangements of a line that agree with its known cells are a set of words, with one letter (empty or filled) for each unknown
//! cell. The minimal layered automaton of this set is the same for two lines exactly when the sets are equal. Its states are hash-consed:
//! a state is identified by the numbers of its two successors and gets a number in a unique table (as in a binary decision diagram:
//! Bryant, "Graph-based algorithms for Boolean function manipulation", 1986, but without skipping a cell). So two lines with different
//! clues and different known cells get the same number when their unknown cells allow the same fillings.
//!
//! Where a layer has a single state, the cells before it are independent of those after it. Such layers cut the line into *pieces*, and
//! each piece has a number of its own.

use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use dashmap::DashMap;
use rustc_hash::{FxHashMap, FxHasher};

use crate::line::{Known, Word};
use crate::run::Pace;

/// As a successor: no word of the set continues there. As the number of a piece: the unique table was full.
pub(crate) const NONE: u32 = u32::MAX;

/// The accepting state: the number of the set that has only the empty word.
pub(crate) const END: u32 = 0;

/// Bytes of a state in the unique table.
pub(super) const BYTES_PER_STATE: u64 = 32;

/// The unique table: from the two successors of a state to its number. Shared by all workers.
#[derive(Debug)]
pub(crate) struct UniqueTable {
    states: DashMap<[u32; 2], u32, BuildHasherDefault<FxHasher>>,
    /// The next number. Relaxed: threads learn numbers through the map, which synchronises them.
    next: AtomicU32,
    /// Numbers stay below this bound, which concurrent calls may exceed by a few.
    max_states: u32,
    /// What the keys made of these numbers stand for.
    #[cfg(feature = "checked")]
    pub(crate) descriptions: super::checked::Descriptions,
}

impl UniqueTable {
    /// A table of about `bytes` bytes; when it is full, new states get no number.
    pub(crate) fn new(bytes: u64) -> Self {
        UniqueTable {
            states: DashMap::default(),
            next: AtomicU32::new(END + 1),
            // Threads that number states at the same time may exceed the bound by a few.
            max_states: (bytes / BYTES_PER_STATE).clamp(2, u64::from(NONE - (1 << 16))) as u32,
            #[cfg(feature = "checked")]
            descriptions: super::checked::Descriptions::default(),
        }
    }

    /// Whether a new state gets no number.
    pub(crate) fn is_full(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.max_states
    }

    /// The number of the state with these successors, a new one if needed; `None` when the table is full.
    pub(crate) fn number_of(&self, successors: [u32; 2]) -> Option<u32> {
        if let Some(known) = self.states.get(&successors) {
            return Some(*known);
        }
        if self.is_full() {
            return None;
        }
        let number = || self.next.fetch_add(1, Ordering::Relaxed);
        Some(*self.states.entry(successors).or_insert_with(number))
    }
}

/// A set of unknown cells of a line that is independent of the other ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<W> {
    /// Its unknown cells.
    pub(crate) cells: W,
    /// The number of the set of their fillings; [`NONE`] when the unique table was full.
    pub(crate) number: u32,
}

/// Cost of numbering a state, relative to visiting one.
const NUMBERING_COST: u64 = 8;

/// Maximum size of a worker's cache of pieces, in bytes.
const MAX_CACHED_BYTES: u64 = 100 << 20;

/// Least number of known cells of lines for which a cache has room.
const MIN_CACHED_LINES: usize = 256;

/// The range of the pieces of a line in [`PieceCache::pieces`].
type PieceRange = (u32, u32);

/// A cache of the pieces of lines, one for each worker. A full cache is emptied.
#[derive(Debug)]
pub(crate) struct PieceCache<W> {
    /// For each line, the ranges of its pieces, by its known cells.
    ranges: Vec<FxHashMap<Known<W>, PieceRange>>,
    /// For each line, the known cells that were looked up last, and the range of their pieces: from one split to the next, most lines stay
    /// as they are.
    latest: Vec<Option<(Known<W>, PieceRange)>>,
    pieces: Vec<Piece<W>>,
    /// Number of ranges, and the maximum size of the cache in bytes.
    cached_lines: usize,
    max_bytes: usize,
    builder: AutomatonBuilder,
}

/// Builds the automata of lines; keeps its memory between calls.
#[derive(Debug, Default)]
pub(crate) struct AutomatonBuilder {
    /// The clue written out as cells, true where filled. A position in it is a state.
    filled: Vec<bool>,
    /// For each number of leading cells and each state: whether these cells can lead to it.
    reached: Vec<bool>,
    /// Numbers of the states before the current cell, and behind it.
    here: Vec<u32>,
    next: Vec<u32>,
}

impl<W: Word> PieceCache<W> {
    /// A cache for this number of lines, of about `bytes` bytes.
    pub(crate) fn new(lines: usize, bytes: u64) -> Self {
        PieceCache {
            ranges: (0..lines).map(|_| FxHashMap::default()).collect(),
            latest: vec![None; lines],
            pieces: Vec::new(),
            cached_lines: 0,
            max_bytes: bytes.min(MAX_CACHED_BYTES) as usize,
            builder: AutomatonBuilder::default(),
        }
    }

    /// Whether there is no room for more. Tables and lists may be half empty, and a table has a byte for each place.
    fn is_full(&self) -> bool {
        let bytes_per_line = 2 * (size_of::<(Known<W>, PieceRange)>() + 1);
        let bytes = self.cached_lines * bytes_per_line + 2 * size_of_val(&self.pieces[..]);
        bytes >= self.max_bytes && self.cached_lines >= MIN_CACHED_LINES
    }

    /// The pieces of a line with these blocks and these known cells, which must be at a fixpoint. Pieces without unknown cells are left
    /// out. `None` when the run was stopped meanwhile.
    pub(crate) fn pieces(
        &mut self,
        line: usize,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        numbers: &UniqueTable,
        pace: &mut Pace<'_>,
    ) -> Option<&[Piece<W>]> {
        // A lookup hashes and compares all words of the known cells.
        if pace.spend(W::BITS as u64 / 8) {
            return None;
        }
        if let Some((latest, (from, to))) = self.latest[line]
            && latest == known
        {
            return Some(&self.pieces[from as usize..to as usize]);
        }
        let (from, to) = match self.ranges[line].get(&known) {
            Some(&range) => range,
            None => {
                if self.is_full() {
                    self.ranges.iter_mut().for_each(FxHashMap::clear);
                    self.latest.fill(None);
                    self.pieces.clear();
                    self.cached_lines = 0;
                }
                let mut number = |successors| numbers.number_of(successors);
                let mut stop = |work| pace.spend(work);
                let pieces = self
                    .builder
                    .build(blocks, length, known, &mut number, &mut stop)?;
                let from = self.pieces.len() as u32;
                self.pieces.extend(pieces);
                let range = (from, self.pieces.len() as u32);
                self.ranges[line].insert(known, range);
                self.cached_lines += 1;
                range
            }
        };
        self.latest[line] = Some((known, (from, to)));
        Some(&self.pieces[from as usize..to as usize])
    }
}

impl AutomatonBuilder {
    /// The pieces of a line, by the automaton that reads it cell by cell.
    ///
    /// The clue is written out as cells: an empty cell, then each block followed by an empty cell. A state is the position of the latest
    /// cell in it. Empty cells may repeat.
    ///
    /// `number` maps the successors of a state (behind an empty cell, and behind a filled one) to its number. `stop` is called with the
    /// work since its last call, in visited states; when it returns `true`, `None` is returned.
    ///
    /// O(length * cells of the written-out clue) states.
    pub(crate) fn build<W: Word>(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        number: &mut dyn FnMut([u32; 2]) -> Option<u32>,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Vec<Piece<W>>> {
        self.filled.clear();
        self.filled.push(false);
        for &block in blocks {
            self.filled
                .extend(std::iter::repeat_n(true, usize::from(block)));
            self.filled.push(false);
        }
        let (filled, count) = (&self.filled[..], self.filled.len());
        let step = |state: usize, fill: bool| match (fill, filled[state]) {
            (false, false) => Some(state),
            _ => (state + 1 < count && filled[state + 1] == fill).then_some(state + 1),
        };
        let can = |cell: usize, fill: bool| match fill {
            true => !known.empty.has(cell),
            false => !known.filled.has(cell),
        };
        // Before the first unknown cell there is one way, and behind the last one there is one way on.
        let unknown = W::low(length) & !known.cells();
        let (begin, end) = match unknown.is_zero() {
            true => (length, length),
            false => (unknown.first(), W::BITS - unknown.reverse().first()),
        };
        let fill = |i: usize| known.filled.has(i);
        let follow = |from: usize, mut cells: Range<usize>| {
            cells.try_fold(from, |state, i| step(state, fill(i)))
        };
        let is_complete = |state: usize| {
            let last = follow(state, end..length);
            last.is_some_and(|last| last + 1 == count || last + 2 == count && filled[last])
        };
        // After `i` cells no state above `i` is reached, and no state so low that the other cells cannot reach the end.
        let window = |i: usize| {
            let low = (count + i).saturating_sub(length + 2);
            low..(i + 1).min(count)
        };
        if stop(length as u64) {
            return None;
        }
        self.reached.clear();
        self.reached.resize((end + 1) * count, false);
        if let Some(first) = follow(0, 0..begin) {
            self.reached[begin * count + first] = true;
        }
        for i in begin..end {
            let (before, after) = self.reached.split_at_mut((i + 1) * count);
            let before = &before[i * count..];
            if stop(window(i).len() as u64) {
                return None;
            }
            for state in window(i) {
                if before[state] {
                    for fill in [false, true] {
                        if can(i, fill)
                            && let Some(next) = step(state, fill)
                        {
                            after[next] = true;
                        }
                    }
                }
            }
        }
        self.next.clear();
        self.next.resize(count, NONE);
        self.here.clear();
        self.here.resize(count, NONE);
        for last in window(end) {
            if self.reached[end * count + last] && is_complete(last) {
                self.next[last] = END;
            }
        }
        let mut pieces = Vec::new();
        let mut cells = W::ZERO;
        for i in (begin..end).rev() {
            let is_unknown = unknown.has(i);
            if is_unknown {
                cells |= W::bit(i);
            }
            let (mut first, mut is_single, mut is_numbered) = (None, true, true);
            self.here.fill(NONE);
            if stop(NUMBERING_COST * window(i).len() as u64) {
                return None;
            }
            for state in window(i) {
                if !self.reached[i * count + state] {
                    continue;
                }
                let successor = |fill: bool| match step(state, fill) {
                    Some(next) if can(i, fill) => self.next[next],
                    _ => NONE,
                };
                let successors = [successor(false), successor(true)];
                let number = match successors {
                    [NONE, NONE] => continue,
                    _ if is_unknown => number(successors).unwrap_or_else(|| {
                        is_numbered = false;
                        END
                    }),
                    [empty, filled] => empty.min(filled),
                };
                self.here[state] = number;
                is_single &= *first.get_or_insert(number) == number;
            }
            if !is_numbered {
                // The table is full: all unknown cells are one piece without a number.
                return Some(vec![Piece {
                    cells: unknown,
                    number: NONE,
                }]);
            }
            if is_single {
                if !cells.is_zero() {
                    let number = first.unwrap_or(NONE);
                    pieces.push(Piece { cells, number });
                    cells = W::ZERO;
                }
                for number in &mut self.here {
                    if *number != NONE {
                        *number = END;
                    }
                }
            }
            std::mem::swap(&mut self.here, &mut self.next);
        }
        pieces.reverse();
        Some(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Control, Limits};

    /// What was looked up last must not outlive the pieces that a full cache drops.
    #[test]
    fn a_cache_that_is_emptied_again_and_again_gives_the_same_pieces() {
        let (length, numbers) = (10, UniqueTable::new(1 << 20));
        let control = Control::new(&Limits::default(), false);
        let mut pace = Pace::new(&control);
        let (mut small, mut large) = (PieceCache::new(2, 0), PieceCache::new(2, 1 << 20));
        // One filled cell among those that are not known to be empty. Line 1 is always the same.
        for empty in (0..1u64 << length).filter(|empty| empty.count_ones() <= 8) {
            for (line, empty) in [(0, empty), (1, 1)] {
                let known = Known { filled: 0, empty };
                let mut pieces = |cache: &mut PieceCache<u64>| {
                    let pieces = cache.pieces(line, &[1], length, known, &numbers, &mut pace);
                    let pieces = pieces.expect("nothing stops it").iter();
                    pieces.map(|it| (it.cells, it.number)).collect::<Vec<_>>()
                };
                let found = pieces(&mut small);
                assert_eq!(found, pieces(&mut large));
                assert_eq!(found.len(), 1);
                assert_eq!(found[0].0, u64::low(length) & !empty);
            }
        }
        assert!(small.cached_lines <= MIN_CACHED_LINES && large.cached_lines > 900);
    }
}
