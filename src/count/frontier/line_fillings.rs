//! The line that the frontier passes: all its fillings that go with a combination of states.
//!
//! As when a line is settled (see [`crate::line`]) the starts that each block can have are one word, found block by block: where the
//! block fits, and where those before it leave room, which is one addition away. Taking the blocks from the last one back, each among
//! the starts so found, no choice ever leads to a dead end, and a filling costs a few operations for each block.

use std::ops::BitXor;

use crate::line::{Known, Word};

/// A line of a part, as far as its blocks can move.
#[derive(Clone, Debug)]
pub(crate) struct LineFillings {
    /// What is known of its cells; those of the part are unknown. Those of other parts are as in any one arrangement, for they are
    /// independent.
    pub(crate) cells: Vec<Option<bool>>,
    /// The lengths of its blocks.
    blocks: Vec<u32>,
}

/// Most cells of a lane: two positions behind it must fit into a word.
const MOST: usize = 62;

impl LineFillings {
    /// The line with these blocks and known cells, as far as it lies in `cells`, which are whole pieces of it. `None` when it is too long.
    pub(crate) fn new<W: Word>(
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        cells: W,
    ) -> Option<Self> {
        if cells.count() > MOST {
            return None;
        }
        let written = Written::new(blocks);
        let fills = written.complete(length, |cell| match known.filled.has(cell) {
            false if !known.empty.has(cell) => None,
            filled => Some(filled),
        })?;
        let known = |cell: usize| (!cells.has(cell)).then_some(fills[cell]);
        // Blocks that cannot move are not looked at again.
        let (mut from, mut to) = (0, length);
        let starts = written.starts(length, known);
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
        (to <= from + MOST).then(|| LineFillings {
            cells: (from..to).map(known).collect(),
            blocks: blocks[before..end]
                .iter()
                .map(|&block| block.into())
                .collect(),
        })
    }

    /// Room to go through its fillings.
    pub(crate) fn room<K: Copy>(&self, zero: K) -> FillingsCursor<K> {
        let start = Start {
            can: 0,
            base: zero,
            left: 0,
        };
        FillingsCursor {
            starts: vec![start; self.blocks.len()],
            solid: 0,
            at: None,
        }
    }

    /// Finds the starts of each block, where the lane's cells can be empty and filled as `empty` and `filled` say. What is to be shown
    /// is `base`, changed by every filling.
    #[inline]
    pub(crate) fn begin<K: Copy>(
        &self,
        fillings: &mut FillingsCursor<K>,
        [empty, filled]: [u64; 2],
        base: K,
    ) {
        let length = self.cells.len() as u32;
        // Behind the last cell there is room for the gap behind a block.
        let empty = empty | 1 << length;
        let mut free = reach(1, empty);
        for (&block, start) in self.blocks.iter().zip(&mut fillings.starts) {
            let fits = runs(filled, block) & empty >> block;
            start.can = fits & free;
            free = reach(start.can << block << 1, empty);
        }
        fillings.solid = !empty;
        fillings.at = None;
        if free >> length & 2 == 0 {
            return;
        }
        match fillings.starts.len().checked_sub(1) {
            None => fillings.at = Some((0, base)),
            Some(last) => {
                fillings.enter(last, base, self.blocks[last], length + 1);
                fillings.at = Some((last, base));
            }
        }
    }

    /// Shows the next fillings, each by what its filled cells change, of which `changes` has the sums from the first cell on. As soon as
    /// `see` returns `false` it returns `false`, and goes on behind that filling when it is called again.
    #[inline]
    pub(crate) fn go_on<K: Copy + BitXor<Output = K>>(
        &self,
        fillings: &mut FillingsCursor<K>,
        changes: &[K],
        mut see: impl FnMut(K) -> bool,
    ) -> bool {
        let Some((mut at, base)) = fillings.at else {
            return true;
        };
        if self.blocks.is_empty() {
            fillings.at = None;
            return see(base);
        }
        let last = self.blocks.len() - 1;
        loop {
            let Start { base, left, .. } = fillings.starts[at];
            let block = self.blocks[at];
            let key =
                |start: u32| base ^ changes[start as usize] ^ changes[(start + block) as usize];
            let mut left = left;
            if at == 0 {
                while left != 0 {
                    let start = left.trailing_zeros();
                    left &= left - 1;
                    if !see(key(start)) {
                        fillings.starts[0].left = left;
                        fillings.at = Some((0, base));
                        return false;
                    }
                }
            }
            if left == 0 {
                at += 1;
                if at > last {
                    fillings.at = None;
                    return true;
                }
                continue;
            }
            let start = left.trailing_zeros();
            fillings.starts[at].left = left & (left - 1);
            at -= 1;
            fillings.enter(at, key(start), self.blocks[at], start);
        }
    }
}

/// How far the fillings of a lane have been gone through.
#[derive(Clone, Debug)]
pub(crate) struct FillingsCursor<K> {
    /// For each block.
    starts: Vec<Start<K>>,
    /// The cells that cannot be empty.
    solid: u64,
    /// The block that is to be laid next; and what a lane without blocks shows. `None` when there is nothing more.
    at: Option<(usize, K)>,
}

/// How far the starts of a block have been gone through.
#[derive(Clone, Copy, Debug)]
struct Start<K> {
    /// All that it can have.
    can: u64,
    /// What the blocks behind it have made of the base.
    base: K,
    /// Those not tried yet.
    left: u64,
}

impl<K: Copy> FillingsCursor<K> {
    /// Takes up the starts of a block behind which all is empty up to the next one, which begins at `next`.
    #[inline]
    fn enter(&mut self, at: usize, base: K, block: u32, next: u32) {
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
        let start = &mut self.starts[at];
        start.base = base;
        start.left = start.can & below & u64::MAX << low;
    }
}

/// Positions that are reached from these through empty cells, themselves included.
#[inline]
fn reach(from: u64, empty: u64) -> u64 {
    (empty.wrapping_add(from & empty) ^ empty) | from
}

/// The cells at which `length` consecutive cells that can be filled begin.
#[inline]
fn runs(filled: u64, length: u32) -> u64 {
    let (mut runs, mut have) = (filled, 1);
    while have < length {
        let more = have.min(length - have);
        runs &= runs >> more;
        have += more;
    }
    runs
}

/// A clue written out as cells, its blocks with an empty cell before, between and behind them.
struct Written {
    filled: Vec<bool>,
}

impl Written {
    fn new(blocks: &[u16]) -> Self {
        let mut filled = vec![false];
        for &block in blocks {
            filled.extend(std::iter::repeat_n(true, usize::from(block)));
            filled.push(false);
        }
        Written { filled }
    }

    /// Where a cell leads to from a place in the clue.
    fn step(&self, place: usize, fill: bool) -> Option<usize> {
        match (fill, self.filled[place]) {
            (false, false) => Some(place),
            _ => (self.filled.get(place + 1) == Some(&fill)).then_some(place + 1),
        }
    }

    /// From which places can a line be completed, before each of its cells and behind the last?
    fn alive(&self, length: usize, known: impl Fn(usize) -> Option<bool>) -> Vec<Vec<bool>> {
        let places = self.filled.len();
        let mut alive = vec![vec![false; places]; length + 1];
        alive[length][places - 1] = true;
        if places > 1 {
            alive[length][places - 2] = true;
        }
        for cell in (0..length).rev() {
            for place in 0..places {
                alive[cell][place] = [false, true].into_iter().any(|fill| {
                    let next = self.step(place, fill);
                    known(cell) != Some(!fill) && next.is_some_and(|next| alive[cell + 1][next])
                });
            }
        }
        alive
    }

    /// Any one arrangement.
    fn complete(&self, length: usize, known: impl Fn(usize) -> Option<bool>) -> Option<Vec<bool>> {
        let alive = self.alive(length, &known);
        let mut place = 0;
        (0..length)
            .map(|cell| {
                let leads = |fill: bool| {
                    let next = self.step(place, fill);
                    next.filter(|&next| known(cell) != Some(!fill) && alive[cell + 1][next])
                };
                let (fill, next) = [false, true]
                    .into_iter()
                    .find_map(|fill| Some((fill, leads(fill)?)))?;
                place = next;
                Some(fill)
            })
            .collect()
    }

    /// The first and the last start of each block in all arrangements.
    fn starts(&self, length: usize, known: impl Fn(usize) -> Option<bool>) -> Vec<(usize, usize)> {
        let alive = self.alive(length, &known);
        let mut reached = vec![false; self.filled.len()];
        reached[0] = true;
        let mut starts = vec![None; self.filled.len()];
        for cell in 0..length {
            let mut next = vec![false; reached.len()];
            for place in (0..reached.len()).filter(|&place| reached[place]) {
                for fill in [false, true] {
                    let leads = self.step(place, fill);
                    let leads =
                        leads.filter(|&to| known(cell) != Some(!fill) && alive[cell + 1][to]);
                    let Some(to) = leads else {
                        continue;
                    };
                    next[to] = true;
                    if fill && !self.filled[place] {
                        starts[to].get_or_insert((cell, cell)).1 = cell;
                    }
                }
            }
            reached = next;
        }
        starts.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Known;

    /// All fillings of a lane, cells as bits.
    fn fillings(line_fillings: &LineFillings, can: [u64; 2]) -> Vec<u64> {
        let mut fillings = line_fillings.room(0);
        let changes: Vec<u64> = (0..=line_fillings.cells.len())
            .map(|i| !(u64::MAX << i))
            .collect();
        let mut found = Vec::new();
        line_fillings.begin(&mut fillings, can, 0);
        // A break after every third one must make no difference.
        while !line_fillings.go_on(&mut fillings, &changes, |filling| {
            found.push(filling);
            found.len() % 3 != 0
        }) {}
        found.sort_unstable();
        found
    }

    #[test]
    fn every_filling_that_fits_is_met_once() {
        let clues: [&[u16]; 6] = [&[], &[3], &[1, 1, 1], &[2, 1, 3], &[10], &[1, 2]];
        for blocks in clues {
            let known = Known {
                filled: 0u64,
                empty: 0,
            };
            let line_fillings = LineFillings::new(blocks, 10, known, 0x3ffu64).unwrap();
            let all: Vec<u64> = (0..1u64 << 10)
                .filter(|&word| clue(word) == blocks)
                .collect();
            if line_fillings.cells.len() < 10 {
                // Nothing can move.
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

    fn clue(word: u64) -> Vec<u16> {
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
    fn blocks_that_cannot_move_are_left_out() {
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
}
