//! A cache of counted components, by their keys.
//!
//! It is shared by all workers and bounded in bytes. The cost of an entry is the number of nodes that its count took. When a shard is
//! full, the cheaper half of its bytes is evicted at once, so that an insertion takes constant amortised time. A lost entry costs time,
//! never correctness.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

use crate::run::lock;

/// The full canonical form of a component, never just a hash of it.
pub(crate) type Key = Box<[u32]>;

/// Number of shards, each with its own lock: more than twice the threads of a large machine, so that two threads seldom want the same.
const SHARDS: usize = 256;

/// Bytes of an entry besides its key and its value: the hash table's own, including spare capacity.
const ENTRY_OVERHEAD_BYTES: usize = 40;

#[derive(Debug)]
struct Entry<V> {
    value: V,
    /// The cost as the number of bits of the number of nodes that it took.
    cost_bits: u8,
}

#[derive(Debug)]
struct Shard<V> {
    entries: FxHashMap<Key, Entry<V>>,
    bytes: usize,
}

/// The cache of counted components.
#[derive(Debug)]
pub(crate) struct Cache<V> {
    shards: Box<[Mutex<Shard<V>>]>,
    max_shard_bytes: usize,
}

impl<V: Clone> Cache<V> {
    /// A cache of about `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let shard = || Shard {
            entries: FxHashMap::default(),
            bytes: 0,
        };
        Cache {
            shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(),
            max_shard_bytes: usize::try_from(bytes).unwrap_or(usize::MAX) / SHARDS,
        }
    }

    /// Bytes of all entries.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).bytes).sum()
    }

    fn shard(&self, key: &[u32]) -> MutexGuard<'_, Shard<V>> {
        let mut hasher = BuildHasherDefault::<FxHasher>::default().build_hasher();
        for &word in key {
            hasher.write_u32(word);
        }
        // The hash table of the shard uses the lowest bits of the same hash, so the shard is chosen by other bits.
        let index = (hasher.finish() >> 40) as usize % SHARDS;
        self.shards[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of the component with this key, if it is in the cache.
    pub(crate) fn get(&self, key: &[u32]) -> Option<V> {
        let shard = self.shard(key);
        shard.entries.get(key).map(|entry| entry.value.clone())
    }

    /// Keeps the value of a component whose count took `nodes` nodes. An empty key stands for an unknown one, so nothing is kept under it.
    pub(crate) fn insert(&self, key: Key, value: V, nodes: u64) {
        if key.is_empty() {
            return;
        }
        let bytes = entry_bytes::<V>(&key);
        let mut shard = self.shard(&key);
        if shard.bytes + bytes > self.max_shard_bytes {
            shard.evict();
            if shard.bytes + bytes > self.max_shard_bytes {
                return;
            }
        }
        let cost_bits = (u64::BITS - nodes.leading_zeros()) as u8;
        let entry = Entry { value, cost_bits };
        if shard.entries.insert(key, entry).is_none() {
            shard.bytes += bytes;
        }
    }
}

fn entry_bytes<V>(key: &[u32]) -> usize {
    size_of_val(key) + size_of::<(Key, Entry<V>)>() + ENTRY_OVERHEAD_BYTES
}

impl<V> Shard<V> {
    /// Removes the cheapest entries, all those of one cost at a time, until at least half of the bytes are freed.
    fn evict(&mut self) {
        let mut bytes_of_cost = [0; u64::BITS as usize + 1];
        for (key, entry) in &self.entries {
            bytes_of_cost[usize::from(entry.cost_bits)] += entry_bytes::<V>(key);
        }
        let mut freed = 0;
        let max_evicted_cost = bytes_of_cost.iter().position(|bytes| {
            freed += bytes;
            2 * freed >= self.bytes
        });
        let max_evicted_cost = max_evicted_cost.unwrap_or(bytes_of_cost.len()) as u8;
        self.entries
            .retain(|_, entry| entry.cost_bits > max_evicted_cost);
        self.bytes = self.entries.keys().map(|key| entry_bytes::<V>(key)).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> Key {
        vec![n; 4].into()
    }

    #[test]
    fn expensive_entries_survive_eviction() {
        let bytes = 1 << 20;
        let cache = Cache::new(bytes);
        for n in 0..100_000 {
            let nodes = if n % 100 == 0 { 1000 } else { 1 };
            cache.insert(key(n), n, nodes);
        }
        let held: usize = cache.shards.iter().map(|s| s.lock().unwrap().bytes).sum();
        assert!(held <= bytes as usize);
        let expensive = (0..100_000).step_by(100);
        assert!(expensive.clone().all(|n| cache.get(&key(n)) == Some(n)));
        assert!(
            (1..100_000)
                .step_by(100)
                .any(|n| cache.get(&key(n)).is_none())
        );
    }

    #[test]
    fn an_empty_key_is_not_kept() {
        let cache = Cache::new(1 << 20);
        cache.insert(Key::default(), 1, 1);
        assert_eq!(cache.get(&[]), None);
    }

    #[test]
    fn a_cache_without_memory_keeps_nothing() {
        let cache = Cache::new(0);
        cache.insert(key(1), 1, 1);
        assert_eq!(cache.get(&key(1)), None);
    }

    #[test]
    fn eviction_frees_half_of_the_bytes() {
        let mut shard = Shard {
            entries: FxHashMap::default(),
            bytes: 160 * entry_bytes::<u32>(&key(0)),
        };
        for n in 0..160 {
            let entry = Entry {
                value: n,
                cost_bits: (n % 16) as u8,
            };
            shard.entries.insert(key(n), entry);
        }
        shard.evict();
        assert_eq!(shard.entries.len(), 80);
        assert_eq!(shard.bytes, 80 * entry_bytes::<u32>(&key(0)));
        assert!(shard.entries.values().all(|entry| entry.cost_bits >= 8));
    }
}
