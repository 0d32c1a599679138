//! A part of the combinations that a layer leads to, while their ways are added up.
//!
//! A table of open addressing with linear probing in one piece of memory, ordered by hash but for what probing moves: so it can be
//! allocated, charged for and freed exactly, and to grow is to go through it once. The number of places may be any. It belongs to one
//! thread at a time.

use super::key::{A, Key, Ways};
use super::memory::Memory;

/// Combinations that are added at once: then their places are fetched from memory side by side.
pub(crate) const BLOCK: usize = 64;

/// Places of the first table, and by what it grows when three quarters of them are taken.
const FIRST: usize = 2 * BLOCK;
const GROWTH: (usize, usize) = (3, 2);

/// What came of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    All,
    /// Nothing: there is no memory for a larger table.
    Full,
    /// A number of ways grew too large for its word.
    Overflow,
}

/// A table of combinations, each with its ways.
#[derive(Clone, Debug)]
pub(crate) struct Table<K, N> {
    places: Vec<(K, N)>,
    len: usize,
}

impl<K, N> Default for Table<K, N> {
    fn default() -> Self {
        Table {
            places: Vec::new(),
            len: 0,
        }
    }
}

/// How combinations are dealt out by hash.
///
/// Each step has another salt. A layer is read in the order of its hash; if the next one had the same, its tables would be filled from one
/// end, where all are in each other's way, as long as they are small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deal {
    pub(crate) parts: usize,
    salt: u64,
}

impl Deal {
    /// To this many parts, in the step with this number.
    pub(crate) fn new(parts: usize, step: u64) -> Self {
        Deal {
            parts,
            salt: A.wrapping_mul(2 * step + 1),
        }
    }

    /// To which part a combination belongs, and where in it, as a fraction of 2^64.
    #[inline]
    pub(crate) fn place<K: Key>(self, key: K) -> (usize, u64) {
        let product = u128::from(key.mix(self.salt)) * self.parts as u128;
        ((product >> 64) as usize, product as u64)
    }
}

/// Bytes of so many combinations.
pub(crate) fn bytes_of<K, N>(combinations: usize) -> u64 {
    (combinations * size_of::<(K, N)>()) as u64
}

impl<K: Key, N: Ways> Table<K, N> {
    /// How many combinations it has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The place where a combination is looked for first.
    #[inline]
    fn home(&self, key: K, deal: Deal) -> usize {
        let (_, rest) = deal.place(key);
        ((u128::from(rest) * self.places.len() as u128) >> 64) as usize
    }

    /// The place of a combination: where it is, or where it belongs.
    #[inline]
    fn find(&self, key: K, home: usize) -> usize {
        let mut at = home;
        loop {
            let (other, ways) = self.places[at];
            if ways.is_none() || other == key {
                return at;
            }
            at += 1;
            if at == self.places.len() {
                at = 0;
            }
        }
    }

    /// The ways of a combination, if it is there.
    pub(crate) fn get(&self, key: K, deal: Deal) -> Option<N> {
        if self.places.is_empty() {
            return None;
        }
        let (_, ways) = self.places[self.find(key, self.home(key, deal))];
        (!ways.is_none()).then_some(ways)
    }

    /// Adds up to [`BLOCK`] combinations of this one of so many parts: all of them or none.
    pub(crate) fn add(&mut self, block: &[(K, N)], deal: Deal, memory: &Memory) -> Added {
        if 4 * (self.len + block.len()) > 3 * self.places.len() && !self.grow(deal, memory) {
            return Added::Full;
        }
        let mut homes = [0; BLOCK];
        let mut taken = false;
        for (home, &(key, _)) in homes.iter_mut().zip(block) {
            *home = self.home(key, deal);
            taken ^= self.places[*home].1.is_none();
        }
        // The look is for the cache alone.
        std::hint::black_box(taken);
        for (&home, &(key, ways)) in homes.iter().zip(block) {
            let at = self.find(key, home);
            let place = &mut self.places[at];
            if place.1.is_none() {
                *place = (key, ways);
                self.len += 1;
            } else {
                match place.1.add(ways) {
                    Some(sum) => place.1 = sum,
                    None => return Added::Overflow,
                }
            }
        }
        Added::All
    }

    /// Takes the places of a first table, even if there is no memory left for them.
    pub(crate) fn begin(&mut self, memory: &Memory) {
        memory.give(bytes_of::<K, N>(self.places.len()));
        memory.owe(bytes_of::<K, N>(FIRST));
        self.places = vec![(K::ZERO, N::NONE); FIRST];
    }

    fn grow(&mut self, deal: Deal, memory: &Memory) -> bool {
        let (more, than) = GROWTH;
        let places = (self.places.len() * more / than).max(FIRST);
        if !memory.take(bytes_of::<K, N>(places)) {
            return false;
        }
        let before = std::mem::replace(&mut self.places, vec![(K::ZERO, N::NONE); places]);
        for &(key, ways) in before.iter().filter(|(_, ways)| !ways.is_none()) {
            let at = self.find(key, self.home(key, deal));
            self.places[at] = (key, ways);
        }
        memory.give(bytes_of::<K, N>(before.len()));
        true
    }

    /// The same in so many tables, when it is dealt out to so many times as many parts; `None` when there is no memory.
    pub(crate) fn split(self, times: usize, deal: Deal, memory: &Memory) -> Option<Vec<Self>> {
        // They come in the order of their hash: the tables must be large enough from the beginning.
        let places = self.split_places(times);
        if !memory.take(bytes_of::<K, N>(places * times)) {
            return None;
        }
        let empty = || Table {
            places: vec![(K::ZERO, N::NONE); places],
            len: 0,
        };
        let mut tables: Vec<Self> = (0..times).map(|_| empty()).collect();
        for place in self.places.iter().filter(|(_, ways)| !ways.is_none()) {
            let (part, _) = deal.place(place.0);
            let added = tables[part % times].add(&[*place], deal, memory);
            if added != Added::All {
                return None;
            }
        }
        memory.give(bytes_of::<K, N>(self.places.len()));
        Some(tables)
    }

    /// Places of each of the tables that it would be split into.
    pub(crate) fn split_places(&self, times: usize) -> usize {
        2 * self.len / times + 2 * FIRST
    }

    /// The combinations alone, in no order.
    pub(crate) fn dense(mut self, memory: &Memory) -> Vec<(K, N)> {
        let before = self.places.len();
        self.places.retain(|(_, ways)| !ways.is_none());
        self.places.shrink_to_fit();
        memory.give(bytes_of::<K, N>(before - self.places.len()));
        self.places
    }

    /// Shows the combinations in order of their keys, and forgets them; it keeps its memory.
    pub(crate) fn drain<T>(&mut self, see: impl FnOnce(&[(K, N)]) -> T) -> T {
        let mut len = 0;
        for at in 0..self.places.len() {
            if !self.places[at].1.is_none() {
                self.places.swap(len, at);
                len += 1;
            }
        }
        let taken = &mut self.places[..len];
        taken.sort_unstable_by_key(|&(key, _)| key);
        let seen = see(taken);
        taken.fill((K::ZERO, N::NONE));
        self.len = 0;
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Deal = Deal { parts: 1, salt: A };

    #[test]
    fn a_table_adds_up_and_grows_within_its_memory_alone() {
        let memory = Memory::new(1 << 20);
        let mut table = Table::<u64, u64>::default();
        let keys: Vec<(u64, u64)> = (0..5000).map(|i| (i * i % 4001, i + 1)).collect();
        let mut wanted = std::collections::BTreeMap::new();
        for block in keys.chunks(BLOCK) {
            assert_eq!(table.add(block, ONE, &memory), Added::All);
            block
                .iter()
                .for_each(|&(key, ways)| *wanted.entry(key).or_insert(0) += ways);
        }
        assert_eq!(table.len(), wanted.len());
        assert!(
            wanted
                .iter()
                .all(|(&key, &ways)| table.get(key, ONE) == Some(ways))
        );
        assert_eq!(table.get(4001, ONE), None);
        let four = Deal { parts: 4, ..ONE };
        let tables = table.split(4, four, &memory).unwrap();
        assert_eq!(tables.iter().map(Table::len).sum::<usize>(), wanted.len());
        for (&key, &ways) in &wanted {
            assert_eq!(tables[four.place(key).0].get(key, four), Some(ways));
        }
        let dense: Vec<_> = tables.into_iter().map(|t| t.dense(&memory)).collect();
        let bytes: usize = dense.iter().map(|part| part.capacity()).sum();
        assert_eq!(memory.left(), (1 << 20) - bytes_of::<u64, u64>(bytes));
        let mut dense: Vec<_> = dense.concat();
        dense.sort_unstable();
        assert_eq!(dense, Vec::from_iter(wanted));
    }

    #[test]
    fn a_table_without_memory_is_full_and_keeps_what_it_has() {
        let memory = Memory::new(4096);
        let mut table = Table::<u64, u64>::default();
        let added: Vec<Added> = (0..1000)
            .map(|key| table.add(&[(key, 1)], ONE, &memory))
            .collect();
        let all = added
            .iter()
            .take_while(|added| **added == Added::All)
            .count();
        assert!(all == 96 && added[all..].iter().all(|added| *added == Added::Full));
        table.drain(|all| assert!(all.is_sorted() && all.len() == 96));
        assert_eq!((table.len(), table.get(1, ONE)), (0, None));
        assert_eq!(table.add(&[(1, u64::MAX)], ONE, &memory), Added::All);
        assert_eq!(table.add(&[(1, 1)], ONE, &memory), Added::Overflow);
    }
}
