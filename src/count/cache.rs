//! Regions counted before, by everything that their number depends on.
//!
//! Shared by all workers and bounded in bytes. When a part of it is full, what was cheapest to count is thrown out: the cost of an
//! entry is the number of nodes that it took, and the cheaper half of the bytes goes at once, so that an insertion takes constant time
//! on average. Losing an entry costs time, never truth.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

/// A region's full canonical state: never a hash of it alone.
pub(super) type Key = Box<[u32]>;

/// Parts with a lock each; more than twice the threads of a large machine, so that two seldom want the same.
const SHARDS: usize = 256;

/// Bytes of an entry besides its key and its value: the table's own, with room for its growth.
const OVERHEAD: usize = 40;

#[derive(Debug)]
struct Entry<V> {
    value: V,
    /// The logarithm of the nodes that it took.
    cost: u8,
}

#[derive(Debug)]
struct Shard<V> {
    entries: FxHashMap<Key, Entry<V>>,
    bytes: usize,
}

/// The cache.
#[derive(Debug)]
pub(super) struct Cache<V> {
    shards: Box<[Mutex<Shard<V>>]>,
    /// Most bytes of a shard.
    most: usize,
}

impl<V: Clone> Cache<V> {
    /// A cache of about so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let shard = || Shard {
            entries: FxHashMap::default(),
            bytes: 0,
        };
        Cache {
            shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(),
            most: usize::try_from(bytes).unwrap_or(usize::MAX) / SHARDS,
        }
    }

    fn shard(&self, key: &[u32]) -> MutexGuard<'_, Shard<V>> {
        let mut hasher = BuildHasherDefault::<FxHasher>::default().build_hasher();
        for &word in key {
            hasher.write_u32(word);
        }
        // The table within uses the same function; its lowest bits are as good as any, these are others.
        let index = (hasher.finish() >> 40) as usize % SHARDS;
        self.shards[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of this region.
    pub(super) fn get(&self, key: &[u32]) -> Option<V> {
        let shard = self.shard(key);
        shard.entries.get(key).map(|entry| entry.value.clone())
    }

    /// Keeps a region that took so many nodes. One without a key, of which it is not known what it depends on, is like no other.
    pub(super) fn insert(&self, key: Key, value: V, nodes: u64) {
        if key.is_empty() {
            return;
        }
        let bytes = size_of_entry::<V>(&key);
        let mut shard = self.shard(&key);
        if shard.bytes + bytes > self.most {
            shard.evict();
            if shard.bytes + bytes > self.most {
                return;
            }
        }
        let cost = (u64::BITS - nodes.leading_zeros()) as u8;
        if shard.entries.insert(key, Entry { value, cost }).is_none() {
            shard.bytes += bytes;
        }
    }
}

fn size_of_entry<V>(key: &[u32]) -> usize {
    size_of_val(key) + size_of::<(Key, Entry<V>)>() + OVERHEAD
}

impl<V> Shard<V> {
    /// Throws the cheaper half out.
    fn evict(&mut self) {
        let mut bytes_of_cost = [0; u64::BITS as usize + 1];
        for (key, entry) in &self.entries {
            bytes_of_cost[usize::from(entry.cost)] += size_of_entry::<V>(key);
        }
        let mut freed = 0;
        let dearest = bytes_of_cost.iter().position(|bytes| {
            freed += bytes;
            2 * freed >= self.bytes
        });
        let dearest = dearest.unwrap_or(bytes_of_cost.len()) as u8;
        self.entries.retain(|_, entry| entry.cost > dearest);
        self.bytes = self.entries.keys().map(|key| size_of_entry::<V>(key)).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> Key {
        vec![n; 4].into()
    }

    #[test]
    fn keeps_what_was_dear_and_stays_small() {
        let bytes = 1 << 20;
        let cache = Cache::new(bytes);
        for n in 0..100_000 {
            let nodes = if n % 100 == 0 { 1000 } else { 1 };
            cache.insert(key(n), n, nodes);
        }
        let held: usize = cache.shards.iter().map(|s| s.lock().unwrap().bytes).sum();
        assert!(held <= bytes as usize);
        let dear = (0..100_000).step_by(100);
        assert!(dear.clone().all(|n| cache.get(&key(n)) == Some(n)));
        assert!(
            (1..100_000)
                .step_by(100)
                .any(|n| cache.get(&key(n)).is_none())
        );
    }

    #[test]
    fn what_has_no_key_is_like_no_other() {
        let cache = Cache::new(1 << 20);
        cache.insert(Key::default(), 1, 1);
        assert_eq!(cache.get(&[]), None);
    }

    #[test]
    fn a_cache_without_room_keeps_nothing() {
        let cache = Cache::new(0);
        cache.insert(key(1), 1, 1);
        assert_eq!(cache.get(&key(1)), None);
    }
}
