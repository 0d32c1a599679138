//! The fillings of the line that the frontier passes, under constraints on its cells.
//!
//! As when a line is settled (see [`crate::line`]), the possible starts of a block are one word. They are computed from the first block to
//! the last, by one addition per block: a block can start where it fits and where the blocks before it leave room. The fillings are then
//! enumerated from the last block to the first, each at one of these starts. So no choice leads to a dead end, and a filling costs a few
//! operations per block.

use std::ops::BitXor;

use crate::line::{Arrangements, Known, Word};
use crate::puzzle::Clue;

/// A line, restricted to the stretch in which its blocks can move.
#[derive(Clone, Debug)]
pub(crate) struct LineFillings {
    /// The cells of the stretch. Those of the component are unknown (`None`). The other ones are as in one fixed arrangement: as they are
    /// independent of the component, any arrangement will do.
    pub(crate) cells: Vec<Option<bool>>,
    /// The lengths of its blocks.
    blocks: Vec<u32>,
}

/// Maximum number of cells of the stretch: a word must have two positions more.
const MAX_CELLS: usize = 62;

impl LineFillings {
    /// The line with these blocks and known cells, restricted to `cells`, which are whole pieces of it. `None` when it is too long.
    /// O([`work`](Self::work)).
    pub(crate) fn new<W: Word>(
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        cells: W,
    ) -> Option<Self> {
        if cells.count() > MAX_CELLS {
            return None;
        }
        let known = (0..length).map(|cell| match known.filled.has(cell) {
            false if !known.empty.has(cell) => None,
            filled => Some(filled),
        });
        // The line in one arrangement, but for the cells of the component.
        let mut line = vec![Some(false); length];
        for (&block, (_, start)) in blocks
            .iter()
            .zip(first_and_last_starts(blocks, known.collect())?)
        {
            line[start..start + usize::from(block)].fill(Some(true));
        }
        cells.cells().for_each(|cell| line[cell] = None);
        // The blocks before and behind the stretch cannot move.
        let (mut from, mut to) = (0, length);
        let starts = first_and_last_starts(blocks, line.clone())?;
        let fixed = |(first, last): &&(usize, usize)| first == last;
        let before = starts.iter().take_while(fixed).count();
        let after = starts[before..].iter().rev().take_while(fixed).count();
        let end = blocks.len() - after;
        if before > 0 {
            from = starts[before - 1].0 + usize::from(blocks[before - 1]) + 1;
        }
        if after > 0 {
            to = starts[end].0 - 1;
        }
        (to <= from + MAX_CELLS).then(|| LineFillings {
            // It is empty where no block can move.
            cells: line.get(from..to).unwrap_or_default().to_vec(),
            blocks: blocks[before..end]
                .iter()
                .map(|&block| block.into())
                .collect(),
        })
    }

    /// Bound on the steps of [`new`](Self::new), each of a few nanoseconds.
    pub(crate) fn work(blocks: &[u16], length: usize) -> u64 {
        let filled: usize = blocks.iter().map(|&block| usize::from(block)).sum();
        4 * length as u64 * (filled + 2 * blocks.len() + 1) as u64
    }

    /// A cursor for enumerating its fillings.
    pub(crate) fn cursor<K: Copy>(&self, zero: K) -> FillingsCursor<K> {
        let start = BlockState {
            possible_starts: 0,
            base: zero,
            untried_starts: 0,
        };
        FillingsCursor {
            blocks: vec![start; self.blocks.len()],
            solid: 0,
            at: None,
        }
    }

    /// Begins to enumerate the fillings whose empty cells are among `empty` and whose filled ones are among `filled`: computes the possible
    /// starts of each block. A filling is reported as a key: `base`, changed by its filled cells.
    #[inline]
    pub(crate) fn begin<K: Copy>(
        &self,
        fillings: &mut FillingsCursor<K>,
        [empty, filled]: [u64; 2],
        base: K,
    ) {
        let length = self.cells.len() as u32;
        // Behind the last cell there is an empty cell, the gap behind a last block.
        let empty = empty | 1 << length;
        let mut free = reach(1, empty);
        for (&block, start) in self.blocks.iter().zip(&mut fillings.blocks) {
            let fits = run_starts(filled, block) & empty >> block;
            start.possible_starts = fits & free;
            free = reach(start.possible_starts << block << 1, empty);
        }
        fillings.solid = !empty;
        fillings.at = None;
        if free >> length & 2 == 0 {
            return;
        }
        match fillings.blocks.len().checked_sub(1) {
            None => fillings.at = Some((0, base)),
            Some(last) => {
                fillings.begin_block(last, base, self.blocks[last], length + 1);
                fillings.at = Some((last, base));
            }
        }
    }

    /// Calls `visit` with the key of each further filling: the base, changed (by exclusive or) by each of its filled cells. `changes` has
    /// the prefix sums of what the cells change. As soon as `visit` returns false this does too, and the next call continues from there.
    #[inline]
    pub(crate) fn resume<K: Copy + BitXor<Output = K>>(
        &self,
        fillings: &mut FillingsCursor<K>,
        changes: &[K],
        mut visit: impl FnMut(K) -> bool,
    ) -> bool {
        let Some((mut at, base)) = fillings.at else {
            return true;
        };
        if self.blocks.is_empty() {
            fillings.at = None;
            return visit(base);
        }
        let last = self.blocks.len() - 1;
        loop {
            let BlockState {
                base,
                untried_starts: untried,
                ..
            } = fillings.blocks[at];
            let block = self.blocks[at];
            let key =
                |start: u32| base ^ changes[start as usize] ^ changes[(start + block) as usize];
            let mut untried = untried;
            if at == 0 {
                while untried != 0 {
                    let start = untried.trailing_zeros();
                    untried &= untried - 1;
                    if !visit(key(start)) {
                        fillings.blocks[0].untried_starts = untried;
                        fillings.at = Some((0, base));
                        return false;
                    }
                }
            }
            if untried == 0 {
                at += 1;
                if at > last {
                    fillings.at = None;
                    return true;
                }
                continue;
            }
            let start = untried.trailing_zeros();
            fillings.blocks[at].untried_starts = untried & (untried - 1);
            at -= 1;
            fillings.begin_block(at, key(start), self.blocks[at], start);
        }
    }
}

/// The state of an enumeration of fillings.
#[derive(Clone, Debug)]
pub(crate) struct FillingsCursor<K> {
    /// The state of each block.
    blocks: Vec<BlockState<K>>,
    /// The cells that cannot be empty.
    solid: u64,
    /// The block that is placed next, and the base, which is the key of the only filling of a line without blocks. `None` at the end.
    at: Option<(usize, K)>,
}

/// The state of the enumeration for one block.
#[derive(Clone, Copy, Debug)]
struct BlockState<K> {
    /// All possible starts.
    possible_starts: u64,
    /// The key after the blocks behind this one.
    base: K,
    /// The starts not tried yet, with the current places of the blocks behind this one.
    untried_starts: u64,
}

impl<K: Copy> FillingsCursor<K> {
    /// Begins with the starts of block `at` such that all cells from its end to `next`, where the next block begins, can be empty.
    #[inline]
    fn begin_block(&mut self, at: usize, base: K, block: u32, next: u32) {
        let solid = self.solid & !(u64::MAX << next);
        let lowest = u64::BITS - solid.leading_zeros();
        let (low, high) = (
            lowest.saturating_sub(block + 1),
            next.wrapping_sub(block + 1),
        );
        let below = match high < u64::BITS {
            true => !(u64::MAX << high << 1),
            false => 0,
        };
        let start = &mut self.blocks[at];
        start.base = base;
        start.untried_starts = start.possible_starts & below & u64::MAX << low;
    }
}

/// The positions that can be reached from these by moving up over empty cells, themselves included.
#[inline]
fn reach(from: u64, empty: u64) -> u64 {
    (empty.wrapping_add(from & empty) ^ empty) | from
}

/// The cells at which `length` consecutive cells that can be filled begin.
#[inline]
fn run_starts(filled: u64, length: u32) -> u64 {
    let (mut run_starts, mut covered) = (filled, 1);
    while covered < length {
        let more = covered.min(length - covered);
        run_starts &= run_starts >> more;
        covered += more;
    }
    run_starts
}

/// The first and the last start of each block in all arrangements that agree with these cells; `None` if there is none.
///
/// In the leftmost arrangement all blocks are leftmost at once, because of two arrangements the one that takes the left place of every block
/// is an arrangement too.
fn first_and_last_starts(
    blocks: &[u16],
    mut cells: Vec<Option<bool>>,
) -> Option<Vec<(usize, usize)>> {
    let mut blocks: Vec<usize> = blocks.iter().map(|&block| block.into()).collect();
    let leftmost = |blocks: &[usize], cells: &[Option<bool>]| {
        let clue = Clue::new(blocks.iter().copied()).ok()?;
        Arrangements::new(&clue, cells).next()
    };
    let first = leftmost(&blocks, &cells)?;
    blocks.reverse();
    cells.reverse();
    let mirrored = leftmost(&blocks, &cells)?;
    let last = mirrored.iter().zip(&blocks);
    let last = last.map(|(start, block)| cells.len() - start - block);
    Some(first.into_iter().zip(last.rev()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Known;

    /// All fillings of a line as words of cells.
    fn fillings(line_fillings: &LineFillings, can: [u64; 2]) -> Vec<u64> {
        let mut fillings = line_fillings.cursor(0);
        let changes: Vec<u64> = (0..=line_fillings.cells.len())
            .map(|i| !(u64::MAX << i))
            .collect();
        let mut found = Vec::new();
        line_fillings.begin(&mut fillings, can, 0);
        // The enumeration is interrupted after every third filling.
        while !line_fillings.resume(&mut fillings, &changes, |filling| {
            found.push(filling);
            found.len() % 3 != 0
        }) {}
        found.sort_unstable();
        found
    }

    #[test]
    fn every_filling_under_the_constraints_is_visited_once() {
        let clues: [&[u16]; 6] = [&[], &[3], &[1, 1, 1], &[2, 1, 3], &[10], &[1, 2]];
        for blocks in clues {
            let line_fillings = LineFillings::new(blocks, 10, Known::NOTHING, 0x3ffu64).unwrap();
            let all: Vec<u64> = (0..1u64 << 10)
                .filter(|&word| blocks_of(word) == blocks)
                .collect();
            if line_fillings.cells.len() < 10 {
                // No block can move.
                assert_eq!(all.len(), 1);
                continue;
            }
            for seed in 0..2000u64 {
                let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let filled = mixed >> 40 & 0x3ff;
                let empty = (mixed >> 20 | !filled) & 0x3ff;
                let (filled, empty) = match seed % 3 {
                    0 => (filled, empty),
                    1 => (filled | mixed >> 10 & 0x3ff, empty),
                    _ => (filled | mixed & 0x3ff, empty | mixed >> 30 & 0x3ff),
                };
                let fits = |word: &&u64| *word & !filled == 0 && !*word & 0x3ff & !empty == 0;
                let wanted: Vec<u64> = all.iter().filter(fits).copied().collect();
                assert_eq!(
                    fillings(&line_fillings, [empty, filled]),
                    wanted,
                    "{blocks:?} {filled:b} {empty:b}"
                );
            }
        }
    }

    fn blocks_of(word: u64) -> Vec<u16> {
        let (mut blocks, mut run) = (Vec::new(), 0);
        for i in 0..64 {
            match word >> i & 1 {
                1 => run += 1,
                _ if run > 0 => blocks.push(std::mem::take(&mut run)),
                _ => {}
            }
        }
        blocks
    }

    #[test]
    fn blocks_that_cannot_move_are_outside_the_stretch() {
        let known = Known {
            filled: 0b11u64,
            empty: 0,
        };
        let line_fillings = LineFillings::new(&[2, 1], 6, known, 0b11_1000u64).unwrap();
        assert_eq!(line_fillings.cells, [None; 3]);
        assert_eq!(
            fillings(&line_fillings, [0b111, 0b111]),
            [0b001, 0b010, 0b100]
        );
    }

    #[test]
    fn the_work_is_that_of_four_passes_over_the_cells_of_each_block() {
        assert_eq!(LineFillings::work(&[1, 1], 10), 4 * 10 * (2 + 4 + 1));
        assert_eq!(LineFillings::work(&[], 10), 4 * 10);
    }

    #[test]
    fn a_block_behind_the_stretch_stays_outside_it() {
        // The block of two would also fit into the stretch, but then none would be left for the cells behind it.
        let known = Known {
            filled: 0b1_1000_0000u64,
            empty: 0b100_0000,
        };
        let line_fillings = LineFillings::new(&[1, 1, 2], 9, known, 0b11_1111u64).unwrap();
        assert_eq!(line_fillings.cells, [None; 6]);
        assert_eq!(line_fillings.blocks, [1, 1]);
    }
}
