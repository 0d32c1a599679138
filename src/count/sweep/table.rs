//! A hash table that adds up path counts: one partition of the next layer, while it is being built.
//!
//! It grows only when its new memory has been charged, and belongs to one thread at a time.

use rustc_hash::FxHashMap;

use super::key::{Key, PathCount, bytes_of};
use super::resources::{BLOCK, Resources, SweepEnd};

/// Buckets of a table at its first allocation.
const FIRST_BUCKETS: usize = 2 * BLOCK;

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

    /// Adds up to [`BLOCK`] combinations. [`SweepEnd::Full`] when there is no memory for a larger table.
    #[inline]
    pub(crate) fn add(
        &mut self,
        block: &[(K, N)],
        resources: &Resources<'_>,
    ) -> Result<(), SweepEnd> {
        if self.map.len() + block.len() > capacity(self.buckets) {
            self.grow(resources)?;
        }
        for &(key, paths) in block {
            match self.map.get_mut(&key) {
                None => {
                    self.map.insert(key, paths);
                }
                Some(sum) => match sum.add(paths) {
                    Some(more) => *sum = more,
                    None => return Err(SweepEnd::Overflow),
                },
            }
        }
        Ok(())
    }

    fn grow(&mut self, resources: &Resources<'_>) -> Result<(), SweepEnd> {
        let before = self.buckets;
        let buckets = (2 * before).max(FIRST_BUCKETS);
        resources.charge(bytes_of_buckets::<K, N>(buckets))?;
        self.buckets = buckets;
        self.map.reserve(capacity(buckets) - self.map.len());
        resources.release(bytes_of_buckets::<K, N>(before));
        Ok(())
    }

    /// The combinations with their path counts, in no particular order.
    pub(crate) fn into_vec(self, resources: &Resources<'_>) -> Vec<(K, N)> {
        // The vector and the table exist at the same time until all is copied.
        resources.reserve(bytes_of::<K, N>(self.map.len()));
        let combinations = self.map.into_iter().collect();
        resources.release(bytes_of_buckets::<K, N>(self.buckets));
        combinations
    }
}

#[cfg(test)]
mod tests {
    use super::super::resources::Allowance;
    use super::*;

    #[test]
    fn a_table_adds_up_path_counts_and_stays_within_its_memory() {
        let resources = Resources::new(Allowance::of(1 << 20, 0), 1, 0);
        let mut table = Table::<u64, u64>::default();
        let keys: Vec<(u64, u64)> = (0..5000).map(|i| (i * i % 4001, i + 1)).collect();
        let mut wanted = std::collections::BTreeMap::new();
        for block in keys.chunks(BLOCK) {
            assert_eq!(table.add(block, &resources), Ok(()));
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
        assert_eq!(resources.remaining(), (1 << 20) - taken);
        let mut dense = table.into_vec(&resources);
        let taken = bytes_of::<u64, u64>(dense.capacity());
        assert_eq!(resources.remaining(), (1 << 20) - taken);
        dense.sort_unstable();
        assert_eq!(dense, Vec::from_iter(wanted));
    }

    #[test]
    fn a_table_without_memory_is_full_and_keeps_its_entries() {
        let resources = Resources::new(Allowance::of(4096, 0), 1, 0);
        let mut table = Table::<u64, u64>::default();
        let mut add = |key| table.add(&[(key, 1)], &resources);
        assert!((0..112).all(|key| add(key) == Ok(())));
        assert!((112..1000).all(|key| add(key) == Err(SweepEnd::Full)));
        assert_eq!((table.len(), table.get(1)), (112, Some(1)));
    }

    #[test]
    fn a_path_count_that_is_too_large_is_an_overflow() {
        let resources = Resources::new(Allowance::of(1 << 20, 0), 1, 0);
        let mut table = Table::<u64, u64>::default();
        assert_eq!(table.add(&[(1, u64::MAX)], &resources), Ok(()));
        assert_eq!(table.add(&[(1, 1)], &resources), Err(SweepEnd::Overflow));
    }

    #[test]
    fn a_table_grows_to_the_next_power_of_two() {
        let resources = Resources::new(Allowance::of(1 << 20, 0), 1, 0);
        let mut table = Table::<u64, u64>::default();
        assert_eq!(table.bytes_to_grow(0), 0);
        assert_eq!(table.add(&[(1, 1)], &resources), Ok(()));
        // It has 128 buckets of 17 bytes, an eighth of which stays free.
        assert_eq!(resources.remaining(), (1 << 20) - 128 * 17);
        assert_eq!(table.bytes_to_grow(112), 0);
        assert_eq!(table.bytes_to_grow(113), 128 * 17);
        assert_eq!(table.bytes_to_grow(1000), (2048 - 128) * 17);
    }
}
