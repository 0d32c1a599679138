//! The product of a few sorted lists in canonical order, from any place on.
//!
//! The cells of the lists lie in between each other, so that the product is not sorted list by list. But what is left of a list
//! when its first cells are decided is a range of it: at the first cell on which its first and its last picture differ it falls into
//! those that fill it and those that do not. So the walk halves ranges, always at the first open cell of all lists, and keeps a
//! picture up to date with the lists that are down to one.

use super::fillings::Fillings;
use crate::solutions::Count;

/// A list of the fillings of one region, sorted, and the range of it that is in play.
#[derive(Clone, Debug)]
struct RangedList {
    spots: Vec<u32>,
    words: Vec<u64>,
    from: usize,
    to: usize,
}

/// A range was halved.
#[derive(Clone, Copy, Debug)]
struct RangeSplit {
    list_index: u32,
    /// The place of the cell.
    cell: u32,
    /// The range before.
    from: usize,
    to: usize,
    /// Where those begin in which the cell is empty.
    middle: usize,
    /// Are these in play now?
    second: bool,
}

/// A walk through the product.
#[derive(Clone, Debug)]
pub(super) struct SortedProduct {
    lists: Vec<RangedList>,
    /// Lists of more than one picture: the place of the first cell in which they differ, the last one first, and which list it is.
    open: Vec<(u32, u32)>,
    splits: Vec<RangeSplit>,
    /// The one list left open, of which one picture after the other is shown: which list, and which picture.
    last: Option<(u32, usize)>,
    picture: Vec<u64>,
}

impl SortedProduct {
    /// The product of these fillings over a picture, of which `skip` are passed over. There must be more than these.
    pub(super) fn new(picture: Vec<u64>, lists: Vec<Fillings>, skip: Count) -> Self {
        let mut product = SortedProduct {
            lists: Vec::with_capacity(lists.len()),
            open: Vec::new(),
            splits: Vec::new(),
            last: None,
            picture,
        };
        for fillings in lists {
            // What is decided already is in the picture, and may be in the list too.
            let list_index = RangedList::sorted(fillings, &product.picture);
            let (from, to) = (list_index.from, list_index.to);
            product.lists.push(list_index);
            product.play(product.lists.len() as u32 - 1, from, to);
        }
        product.descend(skip);
        product
    }

    /// The picture that it shows.
    pub(super) fn words(&self) -> &[u64] {
        &self.picture
    }

    /// Shows the next picture; `false` when there is none.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        if let Some((list_index, at)) = self.last {
            let list = &self.lists[list_index as usize];
            list.lay(at, &mut self.picture);
            if at + 1 < list.to {
                list.lay(at + 1, &mut self.picture);
                self.last = Some((list_index, at + 1));
                return true;
            }
            self.last = None;
        }
        while let Some(split) = self.splits.pop() {
            if split.second {
                self.withdraw(split.list_index);
                let list = &mut self.lists[split.list_index as usize];
                (list.from, list.to) = (split.from, split.to);
                self.insert(split.cell, split.list_index);
            } else {
                self.withdraw(split.list_index);
                self.play(split.list_index, split.middle, split.to);
                self.splits.push(RangeSplit {
                    second: true,
                    ..split
                });
                self.descend(Count::ZERO);
                return true;
            }
        }
        false
    }

    /// Goes to the picture that has `skip` pictures of the ranges in play before it.
    fn descend(&mut self, mut skip: Count) {
        let mut left = Count::ONE;
        if !skip.is_zero() {
            for &(_, list_index) in &self.open {
                left *= &self.lists[list_index as usize].length();
            }
        }
        while self.open.len() > 1 {
            let Some((cell, list_index)) = self.open.pop() else {
                break;
            };
            let list = &self.lists[list_index as usize];
            let (from, to) = (list.from, list.to);
            let middle = list.middle(cell);
            let mut second = false;
            if !skip.is_zero() {
                let others = left.div_rem(&list.length()).0;
                let times = |pictures: usize| {
                    let mut product = others.clone();
                    product *= &Count::from(pictures as u64);
                    product
                };
                let before = times(middle - from);
                second = skip >= before;
                left = if second {
                    times(to - middle)
                } else {
                    before.clone()
                };
                if second {
                    skip -= &before;
                }
            }
            self.splits.push(RangeSplit {
                list_index,
                cell,
                from,
                to,
                middle,
                second,
            });
            match second {
                true => self.play(list_index, middle, to),
                false => self.play(list_index, from, middle),
            }
        }
        if let Some(&(_, list_index)) = self.open.first() {
            let list = &self.lists[list_index as usize];
            // What is left to be passed over is less than the range.
            let at = list.from + skip.to_u64().unwrap_or_default() as usize;
            list.lay(at, &mut self.picture);
            self.last = Some((list_index, at));
        }
    }

    /// Puts a range of a list in play: onto the picture, if it is a single one.
    fn play(&mut self, list_index: u32, from: usize, to: usize) {
        let list = &mut self.lists[list_index as usize];
        (list.from, list.to) = (from, to);
        match list.differ() {
            Some(cell) => self.insert(cell, list_index),
            None => list.lay(from, &mut self.picture),
        }
    }

    /// Takes a range out of play.
    fn withdraw(&mut self, list_index: u32) {
        let list = &self.lists[list_index as usize];
        match list.differ() {
            Some(cell) => {
                let place = self.place(cell);
                self.open.remove(place);
            }
            None => list.lay(list.from, &mut self.picture),
        }
    }

    fn insert(&mut self, cell: u32, list_index: u32) {
        let place = self.place(cell);
        self.open.insert(place, (cell, list_index));
    }

    /// Where an open list with this cell stands; cells of different lists are different.
    fn place(&self, cell: u32) -> usize {
        self.open.partition_point(|open| open.0 > cell)
    }
}

impl RangedList {
    /// The list in canonical order, without the cells that are filled in the picture.
    fn sorted(fillings: Fillings, picture: &[u64]) -> Self {
        let Fillings { spots, mut words } = fillings;
        let size = spots.len();
        for filling in words.chunks_exact_mut(size) {
            for (word, &spot) in filling.iter_mut().zip(&spots) {
                *word &= !picture[spot as usize];
            }
        }
        let mut sorted: Vec<&[u64]> = words.chunks_exact(size).collect();
        sorted.sort_unstable_by(|a, b| crate::puzzle::order(a, b));
        let to = sorted.len();
        RangedList {
            words: sorted.concat(),
            spots,
            from: 0,
            to,
        }
    }

    fn length(&self) -> Count {
        Count::from((self.to - self.from) as u64)
    }

    fn row(&self, i: usize) -> &[u64] {
        let size = self.spots.len();
        &self.words[i * size..][..size]
    }

    /// The place of the first cell in which pictures of the range differ: as they are sorted, it is that of the first and the last.
    fn differ(&self) -> Option<u32> {
        let (first, last) = (self.row(self.from), self.row(self.to - 1));
        let differ = first.iter().zip(last).zip(&self.spots);
        differ
            .map(|((a, b), &spot)| (a ^ b, spot))
            .find(|&(differ, _)| differ != 0)
            .map(|(differ, spot)| spot * 64 + differ.trailing_zeros())
    }

    /// Where the pictures of the range begin in which the cell at this place is empty.
    fn middle(&self, cell: u32) -> usize {
        let spot = self.spots.partition_point(|&spot| spot < cell / 64);
        let bit = 1 << (cell % 64);
        let (mut from, mut to) = (self.from, self.to);
        while from < to {
            let i = from + (to - from) / 2;
            match self.row(i)[spot] & bit {
                0 => to = i,
                _ => from = i + 1,
            }
        }
        from
    }

    /// Lays a picture of the list on, or takes it off again.
    #[inline]
    fn lay(&self, i: usize, picture: &mut [u64]) {
        for (&word, &spot) in self.row(i).iter().zip(&self.spots) {
            picture[spot as usize] ^= word;
        }
    }
}
