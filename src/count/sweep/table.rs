//! A hash table that adds up path counts: one partition of the next layer, while it is being built.
//!
//! It grows only when its new memory has been charged, and belongs to one thread at a time.

use rustc_hash::FxHashMap;

use super::key::{Key, PathCount};
use super::memory::Memory;

/// Maximum number of combinations that are added at once.
pub(crate) const BLOCK: usize = 64;

/// Buckets of a table at its first allocation.
const FIRST_BUCKETS: usize = 2 * BLOCK;

/// The result of adding combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// All were added.
    All,
    /// None was added: there is no memory for a larger table.
    Full,
    /// A path count exceeded its integer type.
    Overflow,
}

/// A table from combinations to path counts.
#[derive(Clone, Debug)]
pub(crate) struct Table<K, N> {
    map: FxHashMap<K, N>,
    /// The number of buckets for which memory was charged; 0 before the first allocation.
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

/// The partitioning of combinations by hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partitioning {
    pub(crate) partitions: usize,
}

impl Partitioning {
    /// The partition of a combination.
    #[inline]
    pub(crate) fn partition<K: Key>(self, key: K) -> usize {
        ((u128::from(key.mix()) * self.partitions as u128) >> 64) as usize
    }
}

/// The bytes of this number of combinations with their path counts.
pub(crate) fn bytes_of<K, N>(combinations: usize) -> u64 {
    (combinations * size_of::<(K, N)>()) as u64
}

/// The bytes of this number of buckets: each has a combination, its path count, and one byte of the hash table's own.
fn bytes_of_buckets<K, N>(buckets: usize) -> u64 {
    bytes_of::<K, N>(buckets) + buckets as u64
}

/// The number of combinations that fit into this number of buckets, a power of two.
fn capacity(buckets: usize) -> usize {
    buckets / 8 * 7
}

impl<K: Key, N: PathCount> Table<K, N> {
    /// The number of its combinations.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// Bytes that the table takes more when it has grown to this number of combinations.
    pub(crate) fn bytes_to_grow(&self, len: usize) -> u64 {
        let mut buckets = self.buckets;
        while buckets > 0 && len > capacity(buckets) {
            buckets *= 2;
        }
        bytes_of_buckets::<K, N>(buckets - self.buckets)
    }

    /// The path count of a combination, if it is in the table.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<N> {
        self.map.get(&key).copied()
    }

    /// Adds up to [`BLOCK`] combinations: all of them or none.
    #[inline]
    pub(crate) fn add(&mut self, block: &[(K, N)], memory: &Memory<'_>) -> Added {
        if self.map.len() + block.len() > capacity(self.buckets) && !self.grow(memory) {
            return Added::Full;
        }
        for &(key, paths) in block {
            match self.map.get_mut(&key) {
                None => {
                    self.map.insert(key, paths);
                }
                Some(sum) => match sum.add(paths) {
                    Some(more) => *sum = more,
                    None => return Added::Overflow,
                },
            }
        }
        Added::All
    }

    fn grow(&mut self, memory: &Memory<'_>) -> bool {
        let before = self.buckets;
        let buckets = (2 * before).max(FIRST_BUCKETS);
        if !memory.try_reserve(bytes_of_buckets::<K, N>(buckets)) {
            return false;
        }
        self.resize(buckets);
        memory.release(bytes_of_buckets::<K, N>(before));
        true
    }

    fn resize(&mut self, buckets: usize) {
        self.buckets = buckets;
        self.map.reserve(capacity(buckets) - self.map.len());
    }

    /// Makes the first allocation even if that exceeds the memory.
    pub(crate) fn allocate_first(&mut self, memory: &Memory<'_>) {
        memory.reserve(bytes_of_buckets::<K, N>(FIRST_BUCKETS));
        self.resize(FIRST_BUCKETS);
    }

    /// Divides the combinations among `factor` tables, each of which is one partition of `partitioning`; `None` when there is no memory.
    pub(crate) fn split(
        mut self,
        factor: usize,
        partitioning: Partitioning,
        memory: &Memory<'_>,
    ) -> Option<Vec<Self>> {
        let mut tables = vec![Table::default(); factor];
        for combination in self.map.drain() {
            let table: &mut Self = &mut tables[partitioning.partition(combination.0) % factor];
            if table.add(&[combination], memory) != Added::All {
                return None;
            }
        }
        memory.release(bytes_of_buckets::<K, N>(self.buckets));
        Some(tables)
    }

    /// An upper bound on the bytes that dividing it among `factor` tables takes.
    pub(crate) fn split_bytes(&self, factor: usize) -> u64 {
        bytes_of_buckets::<K, N>(4 * self.map.len() + factor * FIRST_BUCKETS)
    }

    /// The combinations with their path counts, in no particular order.
    pub(crate) fn into_vec(self, memory: &Memory<'_>) -> Vec<(K, N)> {
        // The vector and the table exist at the same time until all is copied.
        memory.reserve(bytes_of::<K, N>(self.map.len()));
        let combinations = self.map.into_iter().collect();
        memory.release(bytes_of_buckets::<K, N>(self.buckets));
        combinations
    }

    /// Removes all combinations and returns them sorted by key. The table keeps its memory.
    pub(crate) fn drain_sorted(&mut self) -> Vec<(K, N)> {
        let mut combinations: Vec<(K, N)> = self.map.drain().collect();
        combinations.sort_unstable_by_key(|&(key, _)| key);
        combinations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_adds_up_path_counts_and_stays_within_its_memory() {
        let memory = Memory::new(1 << 20, 0, &|_| ());
        let mut table = Table::<u64, u64>::default();
        let keys: Vec<(u64, u64)> = (0..5000).map(|i| (i * i % 4001, i + 1)).collect();
        let mut wanted = std::collections::BTreeMap::new();
        for block in keys.chunks(BLOCK) {
            assert_eq!(table.add(block, &memory), Added::All);
            block
                .iter()
                .for_each(|&(key, paths)| *wanted.entry(key).or_insert(0) += paths);
        }
        assert_eq!(table.len(), wanted.len());
        assert!(
            wanted
                .iter()
                .all(|(&key, &paths)| table.get(key) == Some(paths))
        );
        assert_eq!(table.get(4001), None);
        // Memory is charged for exactly the buckets that are allocated.
        assert_eq!(table.map.capacity(), capacity(table.buckets));
        let taken = bytes_of_buckets::<u64, u64>(table.buckets);
        assert_eq!(memory.remaining(), (1 << 20) - taken);
        assert_eq!(
            table.split_bytes(4),
            bytes_of_buckets::<u64, u64>(4 * wanted.len() + 4 * FIRST_BUCKETS)
        );
        let four = Partitioning { partitions: 4 };
        let most = table.split_bytes(4);
        let tables = table.split(4, four, &memory).unwrap();
        assert!((1 << 20) - memory.remaining() <= most);
        assert_eq!(tables.iter().map(Table::len).sum::<usize>(), wanted.len());
        for (&key, &paths) in &wanted {
            assert_eq!(tables[four.partition(key)].get(key), Some(paths));
        }
        let dense: Vec<_> = tables.into_iter().map(|t| t.into_vec(&memory)).collect();
        let places: usize = dense.iter().map(|partition| partition.capacity()).sum();
        assert_eq!(memory.remaining(), (1 << 20) - bytes_of::<u64, u64>(places));
        let mut dense: Vec<_> = dense.concat();
        dense.sort_unstable();
        assert_eq!(dense, Vec::from_iter(wanted));
    }

    #[test]
    fn a_table_without_memory_is_full_and_keeps_its_entries() {
        let memory = Memory::new(4096, 0, &|_| ());
        let mut table = Table::<u64, u64>::default();
        let added: Vec<Added> = (0..1000)
            .map(|key| table.add(&[(key, 1)], &memory))
            .collect();
        let all = added
            .iter()
            .take_while(|added| **added == Added::All)
            .count();
        assert!(all == 112 && added[all..].iter().all(|added| *added == Added::Full));
        let all = table.drain_sorted();
        assert!(all.is_sorted() && all.len() == 112);
        assert_eq!((table.len(), table.get(1)), (0, None));
        assert_eq!(table.add(&[(1, u64::MAX)], &memory), Added::All);
        assert_eq!(table.add(&[(1, 1)], &memory), Added::Overflow);
    }

    #[test]
    fn a_table_grows_to_the_next_power_of_two() {
        let memory = Memory::new(1 << 20, 0, &|_| ());
        let mut table = Table::<u64, u64>::default();
        assert_eq!(table.bytes_to_grow(0), 0);
        assert_eq!(table.add(&[(1, 1)], &memory), Added::All);
        // It has 128 buckets of 17 bytes, an eighth of which stays free.
        assert_eq!(memory.remaining(), (1 << 20) - 128 * 17);
        assert_eq!(table.bytes_to_grow(112), 0);
        assert_eq!(table.bytes_to_grow(113), 128 * 17);
        assert_eq!(table.bytes_to_grow(1000), (2048 - 128) * 17);
    }
}
