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
struct Wheel {
    spots: Vec<u32>,
    words: Vec<u64>,
    from: usize,
    to: usize,
}

/// A range was halved.
#[derive(Clone, Copy, Debug)]
struct Turn {
    wheel: u32,
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
pub(super) struct Odometer {
    wheels: Vec<Wheel>,
    /// Lists of more than one picture: the place of the first cell in which they differ, the last one first, and which list it is.
    open: Vec<(u32, u32)>,
    turns: Vec<Turn>,
    /// The one list left open, of which one picture after the other is shown: which list, and which picture.
    last: Option<(u32, usize)>,
    picture: Vec<u64>,
}

impl Odometer {
    /// The product of these fillings over a picture, of which `skip` are passed over. There must be more than these.
    pub(super) fn new(picture: Vec<u64>, lists: Vec<Fillings>, skip: Count) -> Self {
        let mut odometer = Odometer {
            wheels: Vec::with_capacity(lists.len()),
            open: Vec::new(),
            turns: Vec::new(),
            last: None,
            picture,
        };
        for fillings in lists {
            // What is decided already is in the picture, and may be in the list too.
            let wheel = Wheel::sorted(fillings, &odometer.picture);
            let (from, to) = (wheel.from, wheel.to);
            odometer.wheels.push(wheel);
            odometer.play(odometer.wheels.len() as u32 - 1, from, to);
        }
        odometer.descend(skip);
        odometer
    }

    /// The picture that it shows.
    pub(super) fn words(&self) -> &[u64] {
        &self.picture
    }

    /// Shows the next picture; `false` when there is none.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        if let Some((wheel, at)) = self.last {
            let list = &self.wheels[wheel as usize];
            list.lay(at, &mut self.picture);
            if at + 1 < list.to {
                list.lay(at + 1, &mut self.picture);
                self.last = Some((wheel, at + 1));
                return true;
            }
            self.last = None;
        }
        while let Some(turn) = self.turns.pop() {
            if turn.second {
                self.withdraw(turn.wheel);
                let list = &mut self.wheels[turn.wheel as usize];
                (list.from, list.to) = (turn.from, turn.to);
                self.insert(turn.cell, turn.wheel);
            } else {
                self.withdraw(turn.wheel);
                self.play(turn.wheel, turn.middle, turn.to);
                self.turns.push(Turn {
                    second: true,
                    ..turn
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
            for &(_, wheel) in &self.open {
                left *= &self.wheels[wheel as usize].length();
            }
        }
        while self.open.len() > 1 {
            let Some((cell, wheel)) = self.open.pop() else {
                break;
            };
            let list = &self.wheels[wheel as usize];
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
            self.turns.push(Turn {
                wheel,
                cell,
                from,
                to,
                middle,
                second,
            });
            match second {
                true => self.play(wheel, middle, to),
                false => self.play(wheel, from, middle),
            }
        }
        if let Some(&(_, wheel)) = self.open.first() {
            let list = &self.wheels[wheel as usize];
            // What is left to be passed over is less than the range.
            let at = list.from + skip.to_u64().unwrap_or_default() as usize;
            list.lay(at, &mut self.picture);
            self.last = Some((wheel, at));
        }
    }

    /// Puts a range of a list in play: onto the picture, if it is a single one.
    fn play(&mut self, wheel: u32, from: usize, to: usize) {
        let list = &mut self.wheels[wheel as usize];
        (list.from, list.to) = (from, to);
        match list.differ() {
            Some(cell) => self.insert(cell, wheel),
            None => list.lay(from, &mut self.picture),
        }
    }

    /// Takes a range out of play.
    fn withdraw(&mut self, wheel: u32) {
        let list = &self.wheels[wheel as usize];
        match list.differ() {
            Some(cell) => {
                let place = self.place(cell);
                self.open.remove(place);
            }
            None => list.lay(list.from, &mut self.picture),
        }
    }

    fn insert(&mut self, cell: u32, wheel: u32) {
        let place = self.place(cell);
        self.open.insert(place, (cell, wheel));
    }

    /// Where an open list with this cell stands; cells of different lists are different.
    fn place(&self, cell: u32) -> usize {
        self.open.partition_point(|open| open.0 > cell)
    }
}

impl Wheel {
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
        Wheel {
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
