//! A part of the combinations that a layer leads to, while their ways are added up.
//!
//! A hash table that grows only when its new memory has been charged. It belongs to one thread at a time.

use rustc_hash::FxHashMap;

use super::key::{Key, PathCount};
use super::memory::Memory;

/// Most combinations that are added at once.
pub(crate) const BLOCK: usize = 64;

/// Buckets of the first table.
const FIRST: usize = 2 * BLOCK;

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
    map: FxHashMap<K, N>,
    /// What its memory was charged for; 0 where it has none yet.
    buckets: usize,
}

impl<K, N> Default for Table<K, N> {
    fn default() -> Self {
        Table {
            map: FxHashMap::default(),
            buckets: 0,
        }
    }
}

/// How combinations are dealt out by hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deal {
    pub(crate) partitions: usize,
}

impl Deal {
    /// To which part a combination belongs.
    #[inline]
    pub(crate) fn partition<K: Key>(self, key: K) -> usize {
        ((u128::from(key.mix()) * self.partitions as u128) >> 64) as usize
    }
}

/// The bytes of this number of combinations.
pub(crate) fn bytes_of<K, N>(combinations: usize) -> u64 {
    (combinations * size_of::<(K, N)>()) as u64
}

/// The bytes of this number of buckets: a bucket is a combination and one byte of the table's own.
fn bytes_of_buckets<K, N>(buckets: usize) -> u64 {
    bytes_of::<K, N>(buckets) + buckets as u64
}

/// The combinations for which this number of buckets, a power of two, has room.
fn room(buckets: usize) -> usize {
    buckets / 8 * 7
}

impl<K: Key, N: PathCount> Table<K, N> {
    /// How many combinations it has.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// The ways of a combination, if it is there.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<N> {
        self.map.get(&key).copied()
    }

    /// Adds up to [`BLOCK`] combinations: all of them or none.
    #[inline]
    pub(crate) fn add(&mut self, block: &[(K, N)], memory: &Memory) -> Added {
        if self.map.len() + block.len() > room(self.buckets) && !self.grow(memory) {
            return Added::Full;
        }
        for &(key, ways) in block {
            match self.map.get_mut(&key) {
                None => {
                    self.map.insert(key, ways);
                }
                Some(sum) => match sum.add(ways) {
                    Some(more) => *sum = more,
                    None => return Added::Overflow,
                },
            }
        }
        Added::All
    }

    fn grow(&mut self, memory: &Memory) -> bool {
        let before = self.buckets;
        let buckets = (2 * before).max(FIRST);
        if !memory.take(bytes_of_buckets::<K, N>(buckets)) {
            return false;
        }
        self.have(buckets);
        memory.give(bytes_of_buckets::<K, N>(before));
        true
    }

    fn have(&mut self, buckets: usize) {
        self.buckets = buckets;
        self.map.reserve(room(buckets) - self.map.len());
    }

    /// Takes the memory of a first table, even if there is none left.
    pub(crate) fn begin(&mut self, memory: &Memory) {
        memory.owe(bytes_of_buckets::<K, N>(FIRST));
        self.have(FIRST);
    }

    /// Divides the combinations among `times` tables, each of which is one part of `deal`; `None` when there is no memory.
    pub(crate) fn split(mut self, times: usize, deal: Deal, memory: &Memory) -> Option<Vec<Self>> {
        let mut tables = vec![Table::default(); times];
        for combination in self.map.drain() {
            let table: &mut Self = &mut tables[deal.partition(combination.0) % times];
            if table.add(&[combination], memory) != Added::All {
                return None;
            }
        }
        memory.give(bytes_of_buckets::<K, N>(self.buckets));
        Some(tables)
    }

    /// The most bytes that dividing it among `times` tables takes.
    pub(crate) fn split_bytes(&self, times: usize) -> u64 {
        bytes_of_buckets::<K, N>(4 * self.map.len() + times * FIRST)
    }

    /// The combinations alone, in no order.
    pub(crate) fn dense(self, memory: &Memory) -> Vec<(K, N)> {
        // The copy stands beside the table until all of it is taken over.
        memory.owe(bytes_of::<K, N>(self.map.len()));
        let combinations = self.map.into_iter().collect();
        memory.give(bytes_of_buckets::<K, N>(self.buckets));
        combinations
    }

    /// The combinations in order of their keys; the table is empty afterwards, and keeps its memory.
    pub(crate) fn drain(&mut self) -> Vec<(K, N)> {
        let mut combinations: Vec<(K, N)> = self.map.drain().collect();
        combinations.sort_unstable_by_key(|&(key, _)| key);
        combinations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_adds_up_and_grows_within_its_memory_alone() {
        let memory = Memory::new(1 << 20);
        let mut table = Table::<u64, u64>::default();
        let keys: Vec<(u64, u64)> = (0..5000).map(|i| (i * i % 4001, i + 1)).collect();
        let mut wanted = std::collections::BTreeMap::new();
        for block in keys.chunks(BLOCK) {
            assert_eq!(table.add(block, &memory), Added::All);
            block
                .iter()
                .for_each(|&(key, ways)| *wanted.entry(key).or_insert(0) += ways);
        }
        assert_eq!(table.len(), wanted.len());
        assert!(
            wanted
                .iter()
                .all(|(&key, &ways)| table.get(key) == Some(ways))
        );
        assert_eq!(table.get(4001), None);
        // What was charged for is what it has.
        assert_eq!(table.map.capacity(), room(table.buckets));
        let taken = bytes_of_buckets::<u64, u64>(table.buckets);
        assert_eq!(memory.left(), (1 << 20) - taken);
        let four = Deal { partitions: 4 };
        let most = table.split_bytes(4);
        let tables = table.split(4, four, &memory).unwrap();
        assert!((1 << 20) - memory.left() <= most);
        assert_eq!(tables.iter().map(Table::len).sum::<usize>(), wanted.len());
        for (&key, &ways) in &wanted {
            assert_eq!(tables[four.partition(key)].get(key), Some(ways));
        }
        let dense: Vec<_> = tables.into_iter().map(|t| t.dense(&memory)).collect();
        let places: usize = dense.iter().map(|partition| partition.capacity()).sum();
        assert_eq!(memory.left(), (1 << 20) - bytes_of::<u64, u64>(places));
        let mut dense: Vec<_> = dense.concat();
        dense.sort_unstable();
        assert_eq!(dense, Vec::from_iter(wanted));
    }

    #[test]
    fn a_table_without_memory_is_full_and_keeps_what_it_has() {
        let memory = Memory::new(4096);
        let mut table = Table::<u64, u64>::default();
        let added: Vec<Added> = (0..1000)
            .map(|key| table.add(&[(key, 1)], &memory))
            .collect();
        let all = added
            .iter()
            .take_while(|added| **added == Added::All)
            .count();
        assert!(all == 112 && added[all..].iter().all(|added| *added == Added::Full));
        let all = table.drain();
        assert!(all.is_sorted() && all.len() == 112);
        assert_eq!((table.len(), table.get(1)), (0, None));
        assert_eq!(table.add(&[(1, u64::MAX)], &memory), Added::All);
        assert_eq!(table.add(&[(1, 1)], &memory), Added::Overflow);
    }
}
