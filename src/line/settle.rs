//! The kernel of everything: completes one line exactly, a word of cells at a time.
//!
//! Two sweeps walk over the blocks, one from each end of the line, the right one on the mirrored line so that both are the same
//! code and run side by side. Each keeps, for every block, the *gap cells*: cells that can be empty with exactly that many blocks
//! before them, given what is known on that side. A block can start behind a gap cell (or at the line's end) where enough cells
//! are not known to be empty (log-step AND of shifts). The cell behind it must be able to be empty, and from there the gap reaches
//! through every cell not known to be filled: one addition, whose carry runs along the ones.
//!
//! Where both sweeps agree lie the arrangements: a cell can be empty if it is a gap cell of both for the same number of blocks,
//! and filled if a block starts so that it covers it (log-step OR) and both sides can be completed. What can be only one of the two
//! is decided. This is exact: generalised arc consistency, at about forty word operations a block.

use super::word::Word;

/// What is known of one line: two disjoint sets of cells, the rest is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known<W> {
    /// Cells known to be filled.
    pub filled: W,
    /// Cells known to be empty.
    pub empty: W,
}

impl<W: Word> Known<W> {
    /// Nothing known.
    pub const NOTHING: Self = Known {
        filled: W::ZERO,
        empty: W::ZERO,
    };

    /// The known cells.
    #[inline]
    pub fn cells(self) -> W {
        self.filled | self.empty
    }
}

/// One block, as the two sweeps leave it.
#[derive(Clone, Copy, Debug)]
struct Block<W> {
    /// Starts that the blocks before it allow.
    starts: W,
    /// Cells that can be empty with the blocks up to this one before them.
    left: W,
    /// Mirrored: cells that can be empty with all blocks after this one behind them.
    right: W,
}

/// Settles lines; holds the scratch memory so that a settle allocates nothing once the longest clue was seen.
#[derive(Clone, Debug)]
pub struct Kernel<W> {
    blocks: Vec<Block<W>>,
}

impl<W: Word> Default for Kernel<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// Cells from which `length` cells in a row lie in `free`.
#[inline(always)]
fn runs<W: Word>(free: W, length: usize) -> W {
    let (mut starts, mut have) = (free, 1);
    while have < length {
        let step = have.min(length - have);
        starts &= starts.down(step);
        have += step;
    }
    starts
}

/// Cells covered by blocks of `length` cells that start in `starts`.
#[inline(always)]
fn cover<W: Word>(starts: W, length: usize) -> W {
    let (mut cells, mut have) = (starts, 1);
    while have < length {
        let step = have.min(length - have);
        cells |= cells.up(step);
        have += step;
    }
    cells
}

/// `seeds`, which lie in `open`, and every cell of `open` above one of them without a cell outside `open` between.
#[inline(always)]
fn reach<W: Word>(seeds: W, open: W) -> W {
    ((open.plus(seeds) ^ open) | seeds) & open
}

impl<W: Word> Kernel<W> {
    /// A kernel without scratch memory yet.
    pub const fn new() -> Self {
        Kernel { blocks: Vec::new() }
    }

    /// Completes a line of `length` cells with blocks of these lengths; `None` when no arrangement fits what is known.
    ///
    /// The blocks must fit the line and `length` the word. The result contains `known`.
    #[inline]
    pub fn settle(&mut self, blocks: &[u16], length: usize, known: Known<W>) -> Option<Known<W>> {
        self.sweep(blocks, length, known, |_| {})
    }

    /// Settles, and gives the *cuts*: known empty cells that all arrangements have behind the same number of blocks. There the line
    /// falls apart: what is filled in on one side of a cut says nothing about the other side.
    pub fn cuts(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
    ) -> Option<(Known<W>, W)> {
        let (mut once, mut again) = (W::ZERO, W::ZERO);
        let settled = self.sweep(blocks, length, known, |gaps| {
            again |= once & gaps;
            once |= gaps;
        })?;
        Some((settled, settled.empty & !again))
    }

    /// `see` is shown, for 0, 1, 2 ... blocks, the cells that can be empty with that many blocks before them.
    #[inline(always)]
    fn sweep(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        mut see: impl FnMut(W),
    ) -> Option<Known<W>> {
        let all = W::low(length);
        let Some((&last, _)) = blocks.split_last() else {
            see(all);
            return known.filled.is_zero().then_some(Known {
                filled: W::ZERO,
                empty: all,
            });
        };
        if usize::from(last) == length {
            // One block fills the line; below, shifts by a block's length stay within the word.
            return known.empty.is_zero().then_some(Known {
                filled: all,
                empty: W::ZERO,
            });
        }
        let mirror = |word: W| word.reverse().down(W::BITS - length);
        let (free, open) = (all & !known.empty, all & !known.filled);
        let (mirrored_free, mirrored_open) = (mirror(free), mirror(open));

        // A block starts at the line's end or behind a gap cell; `up(1)` of the gap is where, and for the first block the end too.
        let first_left = reach(W::bit(0) & open, open);
        let first_right = reach(W::bit(0) & mirrored_open, mirrored_open);
        if self.blocks.len() < blocks.len() {
            self.blocks.resize(
                blocks.len(),
                Block {
                    starts: W::ZERO,
                    left: W::ZERO,
                    right: W::ZERO,
                },
            );
        }
        let scratch = &mut self.blocks[..blocks.len()];
        let (mut left, mut right) = (first_left, first_right);
        let mut end = W::bit(0);
        for i in 0..blocks.len() {
            let from_left = usize::from(blocks[i]);
            let starts = runs(free, from_left) & (left.up(1) | end);
            left = reach(starts.up(from_left) & open, open);
            scratch[i].starts = starts;
            scratch[i].left = left;

            let j = blocks.len() - 1 - i;
            let from_right = usize::from(blocks[j]);
            let starts = runs(mirrored_free, from_right) & (right.up(1) | end);
            scratch[j].right = right;
            right = reach(starts.up(from_right) & mirrored_open, mirrored_open);
            end = W::ZERO;
        }

        let gaps = first_left & mirror(right);
        see(gaps);
        let (mut can_empty, mut can_fill) = (gaps, W::ZERO);
        let mut end = W::bit(length - 1);
        for (block, &cells) in scratch.iter().zip(blocks).rev() {
            let cells = usize::from(cells);
            let right = mirror(block.right);
            // A block may start where its last cell is the line's last one, or where a gap that completes the rest follows.
            let starts = block.starts & (right.down(cells) | end.down(cells - 1));
            if starts.is_zero() {
                return None;
            }
            can_fill |= cover(starts, cells);
            let gaps = block.left & right;
            see(gaps);
            can_empty |= gaps;
            end = W::ZERO;
        }
        Some(Known {
            filled: all & !can_empty,
            empty: all & !can_fill,
        })
    }
}
