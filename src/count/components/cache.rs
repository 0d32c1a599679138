//! Regions counted before, by everything that their number depends on.
//!
//! Shared by all workers and bounded in bytes. When a part of it is full, what was cheapest to count is thrown out: the cost of an
//! entry is the number of nodes that it took, and the cheaper half of the bytes goes at once, so that an insertion takes constant time
//! on average. Losing an entry costs time, never truth.
//!
//! A cache may keep a log of its entries for a journal. The nodes that an entry took do not tell whether it is worth a line of the log:
//! they are few where other entries were found in the cache. So each entry has a *cost of recomputation*: the number of nodes below it,
//! without those below entries that are logged. An entry whose cost of recomputation reaches a bound is logged itself, and its cost
//! becomes 0.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

/// A region's full canonical state: never a hash of it alone.
pub(crate) type Key = Box<[u32]>;

/// Parts with a lock each; more than twice the threads of a large machine, so that two seldom want the same.
const SHARDS: usize = 256;

/// Bytes of an entry besides its key and its value: the table's own, with room for its growth.
const OVERHEAD: usize = 40;

#[derive(Debug)]
struct Entry<V> {
    value: V,
    /// The logarithm of the nodes that it took.
    cost: u8,
    /// Its cost of recomputation in nodes; 0 when it is logged.
    again: u32,
}

/// Entries that are worth writing down.
#[derive(Debug)]
struct Log<V> {
    /// Entries with at least this cost of recomputation, in nodes, are logged. Relaxed: no other memory depends on this number.
    least: AtomicU64,
    news: Mutex<Vec<(Key, V)>>,
}

#[derive(Debug)]
struct Shard<V> {
    entries: FxHashMap<Key, Entry<V>>,
    bytes: usize,
}

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache<V> {
    shards: Box<[Mutex<Shard<V>>]>,
    /// Most bytes of a shard.
    most: usize,
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
            most: usize::try_from(bytes).unwrap_or(usize::MAX) / SHARDS,
            log: None,
        }
    }

    /// The same cache with a log of all entries whose cost of recomputation is at least `least` nodes.
    pub(crate) fn logging(self, least: u64) -> Self {
        let log = Log {
            least: AtomicU64::new(least),
            news: Mutex::default(),
        };
        Cache {
            log: Some(log),
            ..self
        }
    }

    /// The entries logged since the last call. From now on, entries are logged whose cost of recomputation is at least `least` nodes.
    pub(crate) fn news(&self, least: u64) -> Vec<(Key, V)> {
        let Some(log) = &self.log else {
            return Vec::new();
        };
        log.least.store(least, Ordering::Relaxed);
        std::mem::take(&mut *log.news.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// The value of this region and its cost of recomputation, if it is kept.
    pub(crate) fn get(&self, key: &[u32]) -> Option<(V, u64)> {
        let shard = self.shard(key);
        let entry = shard.entries.get(key)?;
        Some((entry.value.clone(), u64::from(entry.again)))
    }

    /// Keeps the value of a region that took `nodes` nodes and whose cost of recomputation is `again` nodes. Returns the cost of
    /// recomputation from now on: 0 when the entry has been logged. A region without a key is equal to no other one, and is not kept.
    pub(crate) fn insert(&self, key: Key, value: V, nodes: u64, again: u64) -> u64 {
        if key.is_empty() {
            return again;
        }
        let log = self.log.as_ref();
        let log = log.filter(|log| again >= log.least.load(Ordering::Relaxed));
        let again = if log.is_some() { 0 } else { again };
        let bytes = size_of_entry::<V>(&key);
        let mut shard = self.shard(&key);
        // Another worker, or an earlier part of the run, may have logged it.
        let logged = |shard: &Shard<V>| shard.entries.get(&key).is_some_and(|old| old.again == 0);
        let logged = self.log.is_some() && logged(&shard);
        let again = if logged { 0 } else { again };
        if let Some(log) = log.filter(|_| !logged) {
            let news = (key.clone(), value.clone());
            let mut all = log.news.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(news);
        }
        if shard.bytes + bytes > self.most {
            shard.evict();
            if shard.bytes + bytes > self.most {
                return again;
            }
        }
        let entry = Entry {
            value,
            cost: (u64::BITS - nodes.leading_zeros()) as u8,
            again: u32::try_from(again).unwrap_or(u32::MAX),
        };
        if shard.entries.insert(key, entry).is_none() {
            shard.bytes += bytes;
        }
        again
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
            cache.insert(key(n), n, nodes, 1);
        }
        let held: usize = cache.shards.iter().map(|s| s.lock().unwrap().bytes).sum();
        assert!(held <= bytes as usize);
        let dear = (0..100_000).step_by(100);
        assert!(dear.clone().all(|n| cache.get(&key(n)) == Some((n, 1))));
        assert!(
            (1..100_000)
                .step_by(100)
                .any(|n| cache.get(&key(n)).is_none())
        );
    }

    #[test]
    fn what_has_no_key_is_like_no_other() {
        let cache = Cache::new(1 << 20);
        cache.insert(Key::default(), 1, 1, 1);
        assert_eq!(cache.get(&[]), None);
    }

    #[test]
    fn a_cache_without_room_keeps_nothing() {
        let cache = Cache::new(0);
        cache.insert(key(1), 1, 1, 1);
        assert_eq!(cache.get(&key(1)), None);
    }

    #[test]
    fn what_would_take_long_again_is_logged_once() {
        let cache = Cache::new(1 << 20).logging(100);
        assert_eq!(cache.insert(key(1), 1, 99, 99), 99);
        assert_eq!(cache.insert(key(2), 2, 1, 100), 0);
        assert_eq!(cache.insert(key(2), 2, 1, 100), 0);
        assert_eq!(cache.get(&key(1)), Some((1, 99)));
        assert_eq!(cache.get(&key(2)), Some((2, 0)));
        assert_eq!(cache.news(100), [(key(2), 2)]);
        assert_eq!(cache.news(100), []);
        assert_eq!(cache.insert(key(2), 2, 1, 200), 0);
        assert_eq!(cache.news(100), []);
    }
}
