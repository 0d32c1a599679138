//! The product of a few sorted lists of fillings in canonical order, from any index.
//!
//! The cells of different lists interleave, so enumerating list by list would not give sorted solutions. Instead, a depth-first search
//! decides the cells in reading order. As each list is sorted, its fillings that agree with the decisions so far form a range. The first
//! undecided cell of a list is the first one where the first and the last filling of its range differ. Deciding it splits the range in two:
//! the fillings in which the cell is filled, and those in which it is empty. The search always decides the first undecided cell of all
//! lists. The grid shows the fillings of the lists whose range is a single filling.

use super::fillings::Fillings;
use crate::solutions::Count;

/// The sorted fillings of one region, and the current range.
#[derive(Clone, Debug)]
struct RangedList {
    word_indices: Vec<u32>,
    words: Vec<u64>,
    from: usize,
    to: usize,
}

/// An entry of the undo stack: a range was split at a cell.
#[derive(Clone, Copy, Debug)]
struct RangeSplit {
    list_index: u32,
    /// Position of the cell.
    cell: u32,
    /// The range before the split.
    from: usize,
    to: usize,
    /// Index of the first filling in which the cell is empty.
    middle: usize,
    /// Whether the current range is the second part, from `middle` on.
    is_second: bool,
}

/// An enumeration of the product.
#[derive(Clone, Debug)]
pub(super) struct SortedProduct {
    lists: Vec<RangedList>,
    /// The lists with a range of several fillings: position of the first cell in which these differ, in descending order, and index of the
    /// list.
    open: Vec<(u32, u32)>,
    splits: Vec<RangeSplit>,
    /// When a single list is open, its fillings are shown one after the other: index of the list, and of its current filling.
    cursor: Option<(u32, usize)>,
    grid: Vec<u64>,
}

impl SortedProduct {
    /// The product of these lists over a base grid, without its first `skip` solutions. There must be more than `skip`.
    pub(super) fn new(grid: Vec<u64>, lists: Vec<Fillings>, skip: Count) -> Self {
        let mut product = SortedProduct {
            lists: Vec::with_capacity(lists.len()),
            open: Vec::new(),
            splits: Vec::new(),
            cursor: None,
            grid,
        };
        for fillings in lists {
            // A list may contain cells that are filled in the base grid already; they are removed.
            let list = RangedList::sorted(fillings, &product.grid);
            let (from, to) = (list.from, list.to);
            product.lists.push(list);
            product.set_range(product.lists.len() as u32 - 1, from, to);
        }
        product.descend(skip);
        product
    }

    /// The current solution.
    pub(super) fn words(&self) -> &[u64] {
        &self.grid
    }

    /// Moves to the next solution; `false` if there is none.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        if let Some((list_index, at)) = self.cursor {
            let list = &self.lists[list_index as usize];
            list.toggle(at, &mut self.grid);
            if at + 1 < list.to {
                list.toggle(at + 1, &mut self.grid);
                self.cursor = Some((list_index, at + 1));
                return true;
            }
            self.cursor = None;
        }
        while let Some(split) = self.splits.pop() {
            if split.is_second {
                self.clear_range(split.list_index);
                let list = &mut self.lists[split.list_index as usize];
                (list.from, list.to) = (split.from, split.to);
                self.insert(split.cell, split.list_index);
            } else {
                self.clear_range(split.list_index);
                self.set_range(split.list_index, split.middle, split.to);
                self.splits.push(RangeSplit {
                    is_second: true,
                    ..split
                });
                self.descend(Count::ZERO);
                return true;
            }
        }
        false
    }

    /// Moves to the solution with index `skip` in the product of the current ranges.
    fn descend(&mut self, mut skip: Count) {
        let mut combinations = Count::ONE;
        if !skip.is_zero() {
            for &(_, list_index) in &self.open {
                combinations *= &self.lists[list_index as usize].length();
            }
        }
        while self.open.len() > 1 {
            let Some((cell, list_index)) = self.open.pop() else {
                break;
            };
            let list = &self.lists[list_index as usize];
            let (from, to) = (list.from, list.to);
            let middle = list.middle(cell);
            let mut is_second = false;
            if !skip.is_zero() {
                let others = combinations.div_rem(&list.length()).0;
                let times = |fillings: usize| {
                    let mut product = others.clone();
                    product *= &Count::from(fillings as u64);
                    product
                };
                let before = times(middle - from);
                is_second = skip >= before;
                combinations = if is_second {
                    times(to - middle)
                } else {
                    before.clone()
                };
                if is_second {
                    skip -= &before;
                }
            }
            self.splits.push(RangeSplit {
                list_index,
                cell,
                from,
                to,
                middle,
                is_second,
            });
            match is_second {
                true => self.set_range(list_index, middle, to),
                false => self.set_range(list_index, from, middle),
            }
        }
        if let Some(&(_, list_index)) = self.open.first() {
            let list = &self.lists[list_index as usize];
            // The remaining `skip` is less than the length of the range.
            let at = list.from + skip.to_u64().unwrap_or_default() as usize;
            list.toggle(at, &mut self.grid);
            self.cursor = Some((list_index, at));
        }
    }

    /// Sets the current range of a list: as an open list, or onto the grid if it is a single filling.
    fn set_range(&mut self, list_index: u32, from: usize, to: usize) {
        let list = &mut self.lists[list_index as usize];
        (list.from, list.to) = (from, to);
        match list.first_difference() {
            Some(cell) => self.insert(cell, list_index),
            None => list.toggle(from, &mut self.grid),
        }
    }

    /// Undoes [`SortedProduct::set_range`].
    fn clear_range(&mut self, list_index: u32) {
        let list = &self.lists[list_index as usize];
        match list.first_difference() {
            Some(cell) => {
                let index = self.index(cell);
                self.open.remove(index);
            }
            None => list.toggle(list.from, &mut self.grid),
        }
    }

    fn insert(&mut self, cell: u32, list_index: u32) {
        let index = self.index(cell);
        self.open.insert(index, (cell, list_index));
    }

    /// Index in `open` for this cell; different lists have different cells.
    fn index(&self, cell: u32) -> usize {
        self.open.partition_point(|open| open.0 > cell)
    }
}

impl RangedList {
    /// Sorts a list canonically, after removing the cells that are filled in the base grid.
    fn sorted(fillings: Fillings, grid: &[u64]) -> Self {
        let Fillings {
            word_indices,
            mut words,
        } = fillings;
        let size = word_indices.len();
        for filling in words.chunks_exact_mut(size) {
            for (word, &word_index) in filling.iter_mut().zip(&word_indices) {
                *word &= !grid[word_index as usize];
            }
        }
        let mut sorted: Vec<&[u64]> = words.chunks_exact(size).collect();
        sorted.sort_unstable_by(|a, b| crate::puzzle::order(a, b));
        let to = sorted.len();
        RangedList {
            words: sorted.concat(),
            word_indices,
            from: 0,
            to,
        }
    }

    fn length(&self) -> Count {
        Count::from((self.to - self.from) as u64)
    }

    fn filling(&self, i: usize) -> &[u64] {
        let size = self.word_indices.len();
        &self.words[i * size..][..size]
    }

    /// Position of the first cell in which fillings of the range differ; as they are sorted, comparing the first and the last suffices.
    fn first_difference(&self) -> Option<u32> {
        let (first, last) = (self.filling(self.from), self.filling(self.to - 1));
        let words = first.iter().zip(last).zip(&self.word_indices);
        words
            .map(|((a, b), &word_index)| (a ^ b, word_index))
            .find(|&(difference, _)| difference != 0)
            .map(|(difference, word_index)| word_index * 64 + difference.trailing_zeros())
    }

    /// Index of the first filling of the range in which this cell is empty.
    fn middle(&self, cell: u32) -> usize {
        let word_index = self
            .word_indices
            .partition_point(|&word_index| word_index < cell / 64);
        let bit = 1 << (cell % 64);
        let (mut from, mut to) = (self.from, self.to);
        while from < to {
            let i = from + (to - from) / 2;
            match self.filling(i)[word_index] & bit {
                0 => to = i,
                _ => from = i + 1,
            }
        }
        from
    }

    /// Adds a filling to the grid, or removes it again (xor).
    #[inline]
    fn toggle(&self, i: usize, grid: &mut [u64]) {
        for (&word, &word_index) in self.filling(i).iter().zip(&self.word_indices) {
            grid[word_index as usize] ^= word;
        }
    }
}
