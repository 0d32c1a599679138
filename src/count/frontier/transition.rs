//! One line further: what every combination of states leads to.
//!
//! In a given combination each line across says whether its cell here may be empty, may be filled, and what it becomes. The line that is
//! passed says which cells can be so together, and then every filling of it that fits is met without a dead end.

use std::ops::BitXor;

use super::key::Key;
use super::line_fillings::{FillingsCursor, LineFillings};

/// Where the states of the lines across lie in a packed combination.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    /// For each line, its first bit and its bits.
    places: Vec<(u32, u32)>,
    /// Bits in all.
    pub(crate) bits: u32,
}

impl Packing {
    /// For lines with these numbers of states.
    pub(crate) fn new(states: impl Iterator<Item = usize>) -> Self {
        let mut bits = 0;
        let places = states.map(|states| {
            let first = bits;
            bits += usize::BITS - (states - 1).leading_zeros();
            (first, bits - first)
        });
        let places = places.collect();
        Packing { places, bits }
    }

    fn field(&self, line: usize) -> Field {
        let (first, bits) = self.places[line];
        Field {
            // A shift by all bits would be one too far.
            first: if bits == 0 { 0 } else { first },
            mask: (1 << bits) - 1,
        }
    }
}

/// Where the state of a line across is found.
#[derive(Clone, Copy, Debug)]
struct Field {
    first: u32,
    mask: u64,
}

impl Field {
    /// Of a line without a state.
    const NONE: Field = Field { first: 0, mask: 0 };

    #[inline]
    fn state<K: Key>(self, key: K) -> usize {
        (key.bits(self.first) & self.mask) as usize
    }

    fn key<K: Key>(self, state: u32) -> K {
        K::new(state, self.first)
    }
}

/// What a line across does when a line is passed: for every state, the states that it may become.
#[derive(Debug)]
pub(crate) enum Move {
    /// It is crossed, by an empty or by a filled cell.
    Crossed(Vec<[Vec<u32>; 2]>),
    /// It is not.
    Other(Vec<Vec<u32>>),
}

/// What a state becomes, in its place.
#[derive(Clone, Copy, Debug)]
struct Next<K> {
    /// What it becomes by an empty cell, and what a filled one changes of that. A cell that can only be filled changes nothing.
    first: K,
    change: K,
    /// May the cell be empty, may it be filled, and are there other states that it may become instead?
    can: u8,
}

/// Of [`Next::can`].
const EMPTY: u8 = 1;
const FILLED: u8 = 2;
const SEVERAL: u8 = 4;

/// Where the other states are that a state may become instead, by an empty cell and by a filled one: what they change.
type Others = [(u32, u32); 2];

/// What a line across becomes: for each state, where it is found in a combination.
#[derive(Debug)]
struct Becomes<K> {
    field: Field,
    next: Vec<Next<K>>,
    others: Vec<Others>,
}

impl<K: Key> Becomes<K> {
    /// Of a line of this field; `of` has what each state becomes.
    fn new(field: Field, of: impl Iterator<Item = (Next<K>, Others)>) -> Self {
        let (next, others) = of.unzip();
        Becomes {
            field,
            next,
            others,
        }
    }

    /// Of a known cell.
    fn known(fill: bool) -> Self {
        let next = Next {
            first: K::ZERO,
            change: K::ZERO,
            can: if fill { FILLED } else { EMPTY },
        };
        Becomes::new(Field::NONE, std::iter::once((next, [(0, 0); 2])))
    }
}

/// How to get past a line.
#[derive(Debug)]
pub(crate) struct Transition<'l, K> {
    line_fillings: &'l LineFillings,
    /// The lines across, cell by cell: for each state, what it becomes.
    crossed: Vec<Becomes<K>>,
    /// The lines that are not crossed: likewise, as by empty cells.
    others: Vec<Becomes<K>>,
    more: Vec<K>,
}

impl<'l, K: Key> Transition<'l, K> {
    /// Past a lane with these crossings, when the lines across move like this.
    pub(crate) fn new(
        line_fillings: &'l LineFillings,
        crossings: &[usize],
        moves: &[Move],
        before: &Packing,
        after: &Packing,
    ) -> Self {
        let mut more = Vec::new();
        let mut next = |empty: &[u32], filled: &[u32], field: Field| {
            let mut key = |states: &[u32]| {
                let from = more.len() as u32;
                let mut keys = states.iter().map(|&state| field.key::<K>(state));
                let first = keys.next();
                more.extend(keys.map(|key| key ^ first.unwrap_or(K::ZERO)));
                (first, (from, more.len() as u32))
            };
            let ((by_empty, more_empty), (by_filled, more_filled)) = (key(empty), key(filled));
            let first = by_empty.or(by_filled).unwrap_or(K::ZERO);
            let flag = |flag: u8, holds: bool| if holds { flag } else { 0 };
            let several = more_empty.0 < more_empty.1 || more_filled.0 < more_filled.1;
            let next = Next {
                first,
                change: first ^ by_filled.unwrap_or(first),
                can: flag(EMPTY, by_empty.is_some())
                    | flag(FILLED, by_filled.is_some())
                    | flag(SEVERAL, several),
            };
            (next, [more_empty, more_filled])
        };
        let mut crossings = crossings.iter();
        let mut crossed = Vec::with_capacity(line_fillings.cells.len());
        for cell in &line_fillings.cells {
            crossed.push(match cell {
                Some(fill) => Becomes::known(*fill),
                None => {
                    let i = *crossings
                        .next()
                        .expect("an open cell lies on a line across");
                    let Move::Crossed(states) = &moves[i] else {
                        unreachable!("lines cross each other")
                    };
                    let next =
                        |[empty, filled]: &[Vec<u32>; 2]| next(empty, filled, after.field(i));
                    Becomes::new(before.field(i), states.iter().map(next))
                }
            });
        }
        let mut others = Vec::new();
        for (i, moved) in moves.iter().enumerate() {
            if let Move::Other(states) = moved {
                let next = |states: &Vec<u32>| next(states, &[], after.field(i));
                others.push(Becomes::new(before.field(i), states.iter().map(next)));
            }
        }
        Transition {
            line_fillings,
            crossed,
            others,
            more,
        }
    }

    /// Room to take it from one combination after the other.
    pub(crate) fn walk(&self) -> Walk<'_, K> {
        let cells = self.crossed.len();
        Walk {
            step: self,
            changes: vec![K::ZERO; cells + 1],
            fillings: self.line_fillings.room(K::ZERO),
            several: Vec::new(),
            traced_changes: vec![Traced(K::ZERO, 0); cells + 1],
            traced: self.line_fillings.room(Traced(K::ZERO, 0)),
            digits: Vec::new(),
        }
    }
}

/// Where a line may become one of several states: the cell by which it does, and whether that is filled, unless it is not crossed; and
/// where the other states are.
type Several = (Option<(usize, bool)>, (u32, u32));

/// A step, taken from one combination after the other.
#[derive(Debug)]
pub(crate) struct Walk<'s, K> {
    step: &'s Transition<'s, K>,
    /// What filled cells change, summed up from the first cell on.
    changes: Vec<K>,
    fillings: FillingsCursor<K>,
    /// Lines that may become several states here.
    several: Vec<Several>,
    /// The same where there are such lines, together with the cells that are filled.
    traced_changes: Vec<Traced<K>>,
    traced: FillingsCursor<Traced<K>>,
    /// What the present filling leads to, as far as it has not been shown.
    digits: Vec<Digit<K>>,
}

impl<K: Key> Walk<'_, K> {
    /// Begins to go through the combinations that this one leads to.
    #[inline]
    pub(crate) fn begin(&mut self, key: K) {
        let step = self.step;
        self.several.clear();
        self.digits.clear();
        let (mut base, mut sum) = (K::ZERO, K::ZERO);
        let mut can = [0; 2];
        for (i, line) in step.crossed.iter().enumerate() {
            let state = line.field.state(key);
            let next = &line.next[state];
            can[0] |= u64::from(next.can & EMPTY) << i;
            can[1] |= u64::from(next.can & FILLED) << i;
            base = base ^ next.first;
            sum = sum ^ next.change;
            self.changes[i + 1] = sum;
            if next.can & SEVERAL != 0 {
                for (range, fill) in line.others[state].into_iter().zip([false, true]) {
                    if range.0 < range.1 {
                        self.several.push((Some((i, fill)), range));
                    }
                }
            }
        }
        // The flag of a filled cell is the second bit.
        can[1] >>= 1;
        for line in &step.others {
            let state = line.field.state(key);
            let next = &line.next[state];
            base = base ^ next.first;
            if next.can & SEVERAL != 0 {
                self.several.push((None, line.others[state][0]));
            }
        }
        if self.several.is_empty() {
            step.line_fillings.begin(&mut self.fillings, can, base);
            return;
        }
        // Seldom: which cells are filled must be known, too.
        let traced = |(i, &change): (usize, &K)| Traced(change, !(u64::MAX << i));
        self.traced_changes.clear();
        self.traced_changes
            .extend(self.changes.iter().enumerate().map(traced));
        step.line_fillings
            .begin(&mut self.traced, can, Traced(base, 0));
    }

    /// Shows the next combinations. As soon as `emit` returns `false` it returns `false`, and goes on behind that one when it is called
    /// again.
    #[inline]
    pub(crate) fn go_on(&mut self, mut emit: impl FnMut(K) -> bool) -> bool {
        let step = self.step;
        if self.several.is_empty() {
            return step
                .line_fillings
                .go_on(&mut self.fillings, &self.changes, emit);
        }
        let (several, digits) = (&self.several, &mut self.digits);
        let mut others = |digits: &mut [Digit<K>]| {
            while let Some(key) = turn(digits, &step.more) {
                if !emit(key) {
                    return false;
                }
            }
            true
        };
        others(digits)
            && (step.line_fillings).go_on(
                &mut self.traced,
                &self.traced_changes,
                |Traced(base, cells)| {
                    digits.clear();
                    let first = Digit {
                        base,
                        others: (0, 0),
                        at: None,
                    };
                    digits.push(first);
                    digits.extend(several.iter().filter_map(|&(by, others)| {
                        let here = by.is_none_or(|(i, fill)| (cells >> i & 1 != 0) == fill);
                        here.then_some(Digit {
                            base,
                            others,
                            // They turn when the first one has.
                            at: Some(others.1),
                        })
                    }));
                    others(digits)
                },
            )
    }
}

/// A line that may become one of several states, while all combinations of these are gone through.
#[derive(Clone, Copy, Debug)]
struct Digit<K> {
    /// What the lines before have made of the combination.
    base: K,
    /// Where the states are that it may become instead of the first.
    others: (u32, u32),
    /// The next of them; `None` where the first itself is the next.
    at: Option<u32>,
}

/// The next combination, if there is one.
fn turn<K: Key>(digits: &mut [Digit<K>], more: &[K]) -> Option<K> {
    let turns = |digit: &Digit<K>| digit.at.is_none_or(|at| at < digit.others.1);
    let place = digits.iter().rposition(turns)?;
    let digit = &mut digits[place];
    let key = match digit.at {
        None => digit.base,
        Some(at) => digit.base ^ more[at as usize],
    };
    digit.at = Some(digit.at.map_or(0, |at| at + 1));
    for later in &mut digits[place + 1..] {
        later.base = key;
        later.at = Some(later.others.0);
    }
    Some(key)
}

/// A combination, and the cells that are filled.
#[derive(Clone, Copy, Debug)]
struct Traced<K>(K, u64);

impl<K: Key> BitXor for Traced<K> {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Traced(self.0 ^ other.0, self.1 ^ other.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_combinations_of_states_are_gone_through_once() {
        // Two lines that may become one of three and of two states, and one that has no choice.
        let more = [1u64, 2, 4];
        let digit = |others: (u32, u32), at| Digit {
            base: 64,
            others,
            at,
        };
        let mut digits = [
            digit((0, 0), None),
            digit((0, 2), Some(2)),
            digit((2, 2), Some(2)),
            digit((2, 3), Some(3)),
        ];
        let mut found = Vec::new();
        while let Some(key) = turn(&mut digits, &more) {
            found.push(key);
        }
        found.sort_unstable();
        assert_eq!(found, [64, 65, 66, 68, 69, 70]);
    }
}
