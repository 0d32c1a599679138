//! A cache of counted components, by their keys.
//!
//! It is shared by all workers and bounded in bytes. The cost of an entry is the number of nodes that its count took. When a shard is
//! full, the cheaper half of its bytes is evicted at once, so that an insertion takes constant amortised time. A lost entry costs time,
//! never correctness.
//!
//! A cache may log its entries for a journal. The nodes that an entry took do not tell whether it should be logged: they are few where
//! other entries were found in the cache. So each entry has a *recomputation cost*: the number of nodes below it, without those below
//! logged entries. An entry whose recomputation cost reaches a bound is logged itself, and its cost becomes 0.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
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
    /// Recomputation cost in nodes; 0 when the entry is logged.
    recompute_cost: u32,
}

/// The log of a cache.
#[derive(Debug)]
struct Log<V> {
    /// Minimum recomputation cost of an entry that is logged, in nodes. Relaxed: no other memory depends on this number.
    min_cost: AtomicU64,
    /// Entries logged since [`Cache::take_log`] was last called.
    entries: Mutex<Vec<(Key, V)>>,
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
    log: Option<Log<V>>,
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
            log: None,
        }
    }

    /// The same cache with a log of all entries whose recomputation cost is at least `min_cost` nodes.
    pub(crate) fn with_log(self, min_cost: u64) -> Self {
        let log = Log {
            min_cost: AtomicU64::new(min_cost),
            entries: Mutex::default(),
        };
        Cache {
            log: Some(log),
            ..self
        }
    }

    /// The entries logged since the last call. From now on, entries are logged whose recomputation cost is at least `min_cost` nodes.
    pub(crate) fn take_log(&self, min_cost: u64) -> Vec<(Key, V)> {
        let Some(log) = &self.log else {
            return Vec::new();
        };
        log.min_cost.store(min_cost, Ordering::Relaxed);
        std::mem::take(&mut *lock(&log.entries))
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

    /// The value of the component with this key and its recomputation cost, if it is in the cache.
    pub(crate) fn get(&self, key: &[u32]) -> Option<(V, u64)> {
        let shard = self.shard(key);
        let entry = shard.entries.get(key)?;
        Some((entry.value.clone(), u64::from(entry.recompute_cost)))
    }

    /// Keeps the value of a component whose count took `nodes` nodes. Returns its recomputation cost from now on: 0 when the entry has
    /// been logged. An empty key stands for an unknown one, so nothing is kept under it.
    pub(crate) fn insert(&self, key: Key, value: V, nodes: u64, recompute_cost: u64) -> u64 {
        if key.is_empty() {
            return recompute_cost;
        }
        let log = self.log.as_ref();
        let log = log.filter(|log| recompute_cost >= log.min_cost.load(Ordering::Relaxed));
        let recompute_cost = if log.is_some() { 0 } else { recompute_cost };
        let bytes = entry_bytes::<V>(&key);
        let mut shard = self.shard(&key);
        // Another worker, or an earlier part of the run, may have logged it.
        let has_logged_entry =
            |shard: &Shard<V>| (shard.entries.get(&key)).is_some_and(|old| old.recompute_cost == 0);
        let is_logged = self.log.is_some() && has_logged_entry(&shard);
        let recompute_cost = if is_logged { 0 } else { recompute_cost };
        if let Some(log) = log.filter(|_| !is_logged) {
            let entry = (key.clone(), value.clone());
            let mut entries = lock(&log.entries);
            entries.push(entry);
        }
        if shard.bytes + bytes > self.max_shard_bytes {
            shard.evict();
            if shard.bytes + bytes > self.max_shard_bytes {
                return recompute_cost;
            }
        }
        let entry = Entry {
            value,
            cost_bits: (u64::BITS - nodes.leading_zeros()) as u8,
            recompute_cost: u32::try_from(recompute_cost).unwrap_or(u32::MAX),
        };
        if shard.entries.insert(key, entry).is_none() {
            shard.bytes += bytes;
        }
        recompute_cost
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
            cache.insert(key(n), n, nodes, 1);
        }
        let held: usize = cache.shards.iter().map(|s| s.lock().unwrap().bytes).sum();
        assert!(held <= bytes as usize);
        let expensive = (0..100_000).step_by(100);
        assert!(
            expensive
                .clone()
                .all(|n| cache.get(&key(n)) == Some((n, 1)))
        );
        assert!(
            (1..100_000)
                .step_by(100)
                .any(|n| cache.get(&key(n)).is_none())
        );
    }

    #[test]
    fn an_empty_key_is_not_kept() {
        let cache = Cache::new(1 << 20);
        cache.insert(Key::default(), 1, 1, 1);
        assert_eq!(cache.get(&[]), None);
    }

    #[test]
    fn a_cache_without_memory_keeps_nothing() {
        let cache = Cache::new(0);
        cache.insert(key(1), 1, 1, 1);
        assert_eq!(cache.get(&key(1)), None);
    }

    #[test]
    fn entries_with_a_high_recomputation_cost_are_logged_once() {
        let cache = Cache::new(1 << 20).with_log(100);
        assert_eq!(cache.insert(key(1), 1, 99, 99), 99);
        assert_eq!(cache.insert(key(2), 2, 1, 100), 0);
        assert_eq!(cache.insert(key(2), 2, 1, 100), 0);
        assert_eq!(cache.get(&key(1)), Some((1, 99)));
        assert_eq!(cache.get(&key(2)), Some((2, 0)));
        assert_eq!(cache.take_log(100), [(key(2), 2)]);
        assert_eq!(cache.take_log(100), []);
        assert_eq!(cache.insert(key(2), 2, 1, 200), 0);
        assert_eq!(cache.take_log(100), []);
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
                recompute_cost: 1,
            };
            shard.entries.insert(key(n), entry);
        }
        shard.evict();
        assert_eq!(shard.entries.len(), 80);
        assert_eq!(shard.bytes, 80 * entry_bytes::<u32>(&key(0)));
        assert!(shard.entries.values().all(|entry| entry.cost_bits >= 8));
    }
}
