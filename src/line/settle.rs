//! Completes one line exactly with bit-parallel operations on words of cells.
//!
//! Two sweeps process the blocks, one from each end of the line; the right one works on the mirrored line, so that both are the same code
//! and run interleaved. Each computes, for every block, the *gap cells*: cells that can be empty with exactly that many blocks before them,
//! given the known cells on that side. A block can start after a gap cell (or at the end of the line) where enough cells are not known to
//! be empty (log-step AND of shifts). The cell after the block must be able to be empty, and from there the gap extends through all
//! adjacent cells not known to be filled: one addition, whose carry runs along the ones.
//!
//! The arrangements are where both sweeps agree: a cell can be empty if it is a gap cell of both for the same number of blocks, and filled
//! if a block that covers it (log-step OR) starts where both sides can be completed. A cell that can be only one of the two is decided.
//! This is exact, generalised arc consistency, at about forty word operations per block.

use super::word::Word;

/// The known cells of a line: two disjoint sets; the other cells are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known<W> {
    /// Cells known to be filled.
    pub filled: W,
    /// Cells known to be empty.
    pub empty: W,
}

impl<W: Word> Known<W> {
    /// No known cells.
    pub const NOTHING: Self = Known {
        filled: W::ZERO,
        empty: W::ZERO,
    };

    /// One known cell.
    #[inline]
    pub fn of_cell(cell: usize, filled: bool) -> Self {
        let (bit, none) = (W::bit(cell), W::ZERO);
        let (filled, empty) = if filled { (bit, none) } else { (none, bit) };
        Known { filled, empty }
    }

    /// The known cells of a line, from the value of each of its cells; `None` is unknown.
    pub(crate) fn of_line(cells: impl IntoIterator<Item = Option<bool>>) -> Self {
        let mut known = Self::NOTHING;
        for (i, cell) in cells.into_iter().enumerate() {
            match cell {
                Some(true) => known.filled |= W::bit(i),
                Some(false) => known.empty |= W::bit(i),
                None => {}
            }
        }
        known
    }

    /// The known cells.
    #[inline]
    pub fn cells(self) -> W {
        self.filled | self.empty
    }

    /// The value of a cell; `None` if it is unknown.
    #[inline]
    pub fn get(self, cell: usize) -> Option<bool> {
        if self.filled.has(cell) {
            Some(true)
        } else {
            self.empty.has(cell).then_some(false)
        }
    }

    /// These cells but for those that `other` has with the same value.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Known {
            filled: self.filled & !other.filled,
            empty: self.empty & !other.empty,
        }
    }
}

/// The results of both sweeps for one block.
#[derive(Clone, Copy, Debug)]
struct Block<W> {
    /// Possible starts, given the blocks before it.
    starts: W,
    /// Gap cells of the left sweep: cells that can be empty with the blocks up to this one before them.
    left: W,
    /// Gap cells of the right sweep, mirrored: cells that can be empty with all blocks after this one behind them.
    right: W,
}

/// Settles lines; owns scratch memory, so a settle allocates nothing unless its clue has more blocks than all before.
#[derive(Clone, Debug)]
pub struct Kernel<W> {
    blocks: Vec<Block<W>>,
}

impl<W: Word> Default for Kernel<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// The starts of runs of `length` cells in `free`.
#[inline(always)]
fn runs<W: Word>(free: W, length: usize) -> W {
    let (mut starts, mut length_so_far) = (free, 1);
    while length_so_far < length {
        let step = length_so_far.min(length - length_so_far);
        starts &= starts.down(step);
        length_so_far += step;
    }
    starts
}

/// The cells covered by blocks of `length` cells that start in `starts`.
#[inline(always)]
fn cover<W: Word>(starts: W, length: usize) -> W {
    let (mut cells, mut length_so_far) = (starts, 1);
    while length_so_far < length {
        let step = length_so_far.min(length - length_so_far);
        cells |= cells.up(step);
        length_so_far += step;
    }
    cells
}

/// `seeds`, which must lie in `open`, and all cells of `open` reached from them upwards without leaving `open`.
#[inline(always)]
fn reach<W: Word>(seeds: W, open: W) -> W {
    ((open.plus(seeds) ^ open) | seeds) & open
}

/// Confirms a settled line, and its cuts where they are known.
#[cfg(feature = "checked")]
fn confirm<W: Word>(
    blocks: &[u16],
    length: usize,
    known: Known<W>,
    settled: Option<Known<W>>,
    cuts: Option<W>,
) {
    let cells = |known: Known<W>| -> Vec<_> { (0..length).map(|i| known.get(i)).collect() };
    let cuts = cuts.map(|cuts| (0..length).map(|i| cuts.has(i)).collect());
    super::checked::confirm_settled(blocks, &cells(known), settled.map(cells), cuts);
}

impl<W: Word> Kernel<W> {
    /// A kernel without scratch memory.
    pub const fn new() -> Self {
        Kernel { blocks: Vec::new() }
    }

    /// Completes a line of `length` cells with blocks of these lengths; `None` if no arrangement fits the known cells.
    ///
    /// The blocks must fit the line and `length` the word. The result includes `known`.
    #[inline]
    pub fn settle(&mut self, blocks: &[u16], length: usize, known: Known<W>) -> Option<Known<W>> {
        let settled = self.sweep(blocks, length, known, |_| {}, |_| {});
        #[cfg(feature = "checked")]
        confirm(blocks, length, known, settled, None);
        settled
    }

    /// Settles, and returns the *cuts* too: known empty cells that have the same number of blocks before them in all arrangements. The line
    /// splits there: the cells on one side of a cut are independent of those on the other.
    pub fn cuts(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
    ) -> Option<(Known<W>, W)> {
        let (mut in_one, mut in_several) = (W::ZERO, W::ZERO);
        let settled = self.sweep(
            blocks,
            length,
            known,
            |gaps| {
                in_several |= in_one & gaps;
                in_one |= gaps;
            },
            |_| {},
        );
        let cuts = settled.map(|settled| settled.empty & !in_several);
        #[cfg(feature = "checked")]
        confirm(blocks, length, known, settled, cuts);
        Some((settled?, cuts?))
    }

    /// For each block, the cells in which it starts in some arrangement; `None` if no arrangement fits the known cells.
    pub(crate) fn starts(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
    ) -> Option<Vec<W>> {
        let mut starts = Vec::with_capacity(blocks.len());
        self.sweep(
            blocks,
            length,
            known,
            |_| {},
            |of_block| starts.push(of_block),
        )?;
        starts.reverse();
        Some(starts)
    }

    /// Settles. Calls `visit_gaps` for each number of blocks with the cells that can be empty with that many blocks before them: first for
    /// 0, then from all blocks down to 1; and `visit_starts` for each block, from the last to the first, with the cells in which it can
    /// start.
    #[inline(always)]
    fn sweep(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        mut visit_gaps: impl FnMut(W),
        mut visit_starts: impl FnMut(W),
    ) -> Option<Known<W>> {
        let all = W::low(length);
        let Some((&last, _)) = blocks.split_last() else {
            visit_gaps(all);
            return known.filled.is_zero().then_some(Known {
                filled: W::ZERO,
                empty: all,
            });
        };
        if usize::from(last) == length {
            // One block fills the line; from here on, shifts by the length of a block are less than the word size.
            visit_starts(W::bit(0));
            return known.empty.is_zero().then_some(Known {
                filled: all,
                empty: W::ZERO,
            });
        }
        let mirror = |word: W| word.reverse().down(W::BITS - length);
        let (free, open) = (all & !known.empty, all & !known.filled);
        let (mirrored_free, mirrored_open) = (mirror(free), mirror(open));

        // A block starts after a gap cell, `up(1)` of the gap; the first block may also start at the end of the line.
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
        let mut line_end = W::bit(0);
        for i in 0..blocks.len() {
            let from_left = usize::from(blocks[i]);
            let starts = runs(free, from_left) & (left.up(1) | line_end);
            left = reach(starts.up(from_left) & open, open);
            scratch[i].starts = starts;
            scratch[i].left = left;

            let j = blocks.len() - 1 - i;
            let from_right = usize::from(blocks[j]);
            let starts = runs(mirrored_free, from_right) & (right.up(1) | line_end);
            scratch[j].right = right;
            right = reach(starts.up(from_right) & mirrored_open, mirrored_open);
            line_end = W::ZERO;
        }

        let gaps = first_left & mirror(right);
        visit_gaps(gaps);
        let (mut can_empty, mut can_fill) = (gaps, W::ZERO);
        let mut line_end = W::bit(length - 1);
        for (block, &cells) in scratch.iter().zip(blocks).rev() {
            let cells = usize::from(cells);
            let right = mirror(block.right);
            // A block may start where its last cell is that of the line, or where a gap cell follows from which the other blocks can be
            // completed.
            let starts = block.starts & (right.down(cells) | line_end.down(cells - 1));
            if starts.is_zero() {
                return None;
            }
            visit_starts(starts);
            can_fill |= cover(starts, cells);
            let gaps = block.left & right;
            visit_gaps(gaps);
            can_empty |= gaps;
            line_end = W::ZERO;
        }
        Some(Known {
            filled: all & !can_empty,
            empty: all & !can_fill,
        })
    }
}
