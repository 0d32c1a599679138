//! The limits of a sweep, what it may still take until it pauses, and how its work is shared out among threads.
//!
//! Every allocation that can grow is charged before it is made.

use std::sync::atomic::{AtomicI64, Ordering};

use rayon::prelude::*;

use super::key::bytes_of;

/// Combinations in a block of a batch.
pub(super) const BLOCK: usize = 64;

/// Maximum number of partitions of a layer.
const MAX_PARTITIONS: usize = 1 << 12;

/// A batch has at most this number of bytes, and at most the memory divided by this divisor.
const MAX_BATCH_BYTES: u64 = 1 << 26;
const BATCH_MEMORY_DIVISOR: u64 = 8;

/// Items of a list that a thread takes at once, and the number of such chunks from which on all threads work on it.
pub(super) const CHUNK: usize = 1 << 11;
const MIN_SHARED_CHUNKS: usize = 4;

/// A list is divided into at least this number of tasks for each thread, if it has as many items. A task is not divided when other threads
/// have nothing left to do.
const MIN_TASKS_PER_THREAD: usize = 8;

/// The limits of a sweep, until it pauses.
#[derive(Clone, Copy)]
pub(crate) struct Allowance<'r> {
    /// Bytes of memory, including those that the sweep already holds.
    pub(crate) bytes: u64,
    /// Maximum nanoseconds of work, computed from the number of combinations of states that are read or generated.
    pub(crate) work_ns: u64,
    /// Number of threads of the current rayon pool that are used.
    pub(crate) threads: usize,
    /// Polled now and then; returns whether the sweep must stop.
    pub(crate) stop: &'r (dyn Fn() -> bool + Sync),
    /// Called with the bytes that remain, whenever memory is charged. What else is held in the same memory can be freed then.
    pub(crate) make_room: &'r (dyn Fn(u64) + Sync),
    /// The bytes that something beside the sweep holds in the same memory now, and that the sweep cannot free: the graph, which other threads
    /// may extend meanwhile.
    pub(crate) beside: &'r (dyn Fn() -> u64 + Sync),
}

#[cfg(test)]
impl Allowance<'static> {
    /// An allowance on one thread, of a sweep that is never told to stop.
    pub(crate) fn of(bytes: u64, work_ns: u64) -> Self {
        Allowance {
            bytes,
            work_ns,
            threads: 1,
            stop: &|| false,
            make_room: &|_| (),
            beside: &|| 0,
        }
    }
}

/// Why a sweep ended without a count, or paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SweepEnd {
    /// It needs more memory than it may take: another try would fail as well.
    Full,
    /// It has used up its work, and can go on.
    Paused,
    /// It was told to stop.
    Stopped,
    /// A path count exceeded its integer type.
    Overflow,
}

/// The remaining resources of a sweep.
pub(crate) struct Resources<'r> {
    pub(super) allowance: Allowance<'r>,
    /// Bytes charged; more than there are after [`Resources::reserve`] beyond the budget. Relaxed: a sum that guards no other memory.
    held: AtomicI64,
    /// Number of combinations that may still be read or generated, and of those that have been.
    pub(super) combinations: u64,
    pub(super) spent: u64,
}

impl<'r> Resources<'r> {
    /// `combination_ns`: nanoseconds per combination. `held`: the bytes of the memory that the sweep holds already.
    pub(super) fn new(allowance: Allowance<'r>, combination_ns: u64, held: u64) -> Self {
        Resources {
            allowance,
            held: AtomicI64::new(held.try_into().unwrap_or(i64::MAX)),
            combinations: allowance.work_ns / combination_ns,
            spent: 0,
        }
    }

    /// [`SweepEnd::Stopped`] if the sweep is told to stop.
    pub(super) fn poll(&self) -> Result<(), SweepEnd> {
        match (self.allowance.stop)() {
            true => Err(SweepEnd::Stopped),
            false => Ok(()),
        }
    }

    /// Subtracts combinations that have been read or generated. [`SweepEnd::Paused`] if they do not remain.
    pub(super) fn spend(&mut self, combinations: u64) -> Result<(), SweepEnd> {
        self.spent += combinations;
        let left = self.combinations.checked_sub(combinations);
        self.combinations = left.unwrap_or(0);
        left.map(|_| ()).ok_or(SweepEnd::Paused)
    }

    /// The bytes that may be charged in all, less what is beside them now.
    fn limit(&self) -> i64 {
        let signed = |bytes: u64| bytes.try_into().unwrap_or(i64::MAX);
        signed(self.allowance.bytes).saturating_sub(signed((self.allowance.beside)()))
    }

    /// Charges this number of bytes. [`SweepEnd::Full`] if they do not remain.
    pub(super) fn charge(&self, bytes: u64) -> Result<(), SweepEnd> {
        let bytes = i64::try_from(bytes).map_err(|_| SweepEnd::Full)?;
        let limit = self.limit();
        let take = |held: i64| (held.saturating_add(bytes) <= limit).then_some(held + bytes);
        let relaxed = Ordering::Relaxed;
        let taken = self.held.fetch_update(relaxed, relaxed, take);
        taken.map_err(|_| SweepEnd::Full)?;
        (self.allowance.make_room)(self.remaining());
        Ok(())
    }

    /// Charges this number of bytes even if they do not remain: for what is small or soon released.
    pub(super) fn reserve(&self, bytes: u64) {
        self.held.fetch_add(bytes as i64, Ordering::Relaxed);
        (self.allowance.make_room)(self.remaining());
    }

    /// Gives this number of bytes back.
    pub(super) fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    /// Gives back all that was charged since this number of bytes was held.
    pub(super) fn restore(&self, held: u64) {
        let held = held.try_into().unwrap_or(i64::MAX);
        self.held.store(held, Ordering::Relaxed);
    }

    /// The number of bytes charged.
    pub(super) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed).max(0) as u64
    }

    /// The number of remaining bytes.
    pub(super) fn remaining(&self) -> u64 {
        let held = self.held.load(Ordering::Relaxed);
        self.limit().saturating_sub(held).max(0) as u64
    }

    /// Maximum number of successors in a batch.
    pub(super) fn max_batch<K, N>(&self) -> usize {
        let bytes = (self.allowance.bytes / BATCH_MEMORY_DIVISOR).min(MAX_BATCH_BYTES);
        (bytes / bytes_of::<K, N>(1)) as usize
    }

    /// Maximum number of partitions such that most blocks of a batch are filled.
    pub(super) fn max_partitions<K, N>(&self) -> usize {
        let partitions = self.max_batch::<K, N>() / self.allowance.threads / BLOCK / 4;
        (partitions + 1)
            .next_power_of_two()
            .div_ceil(2)
            .min(MAX_PARTITIONS)
    }

    /// What `work` returns for each chunk of a list, in order, on all threads if there are many chunks. It is called with the index of the
    /// first item of the chunk.
    pub(super) fn in_chunks<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(usize, &[T]) -> Result<R, SweepEnd> + Sync,
    ) -> Result<Vec<R>, SweepEnd> {
        let work = |(i, chunk): (usize, &[T])| self.poll().and_then(|()| work(CHUNK * i, chunk));
        match self.allowance.threads > 1 && items.len() > MIN_SHARED_CHUNKS * CHUNK {
            true => items.par_chunks(CHUNK).enumerate().map(work).collect(),
            false => items.chunks(CHUNK).enumerate().map(work).collect(),
        }
    }

    /// Runs `work` on all items, on all threads if `is_large`.
    pub(super) fn for_each<T: Send>(
        &self,
        is_large: bool,
        items: &mut [T],
        work: impl Fn(usize, &mut T) -> Result<(), SweepEnd> + Sync,
    ) -> Result<(), SweepEnd> {
        let max_len = items.len() / (self.allowance.threads * MIN_TASKS_PER_THREAD) + 1;
        let work = |(i, item): (usize, &mut T)| work(i, item);
        match is_large && self.allowance.threads > 1 {
            true => {
                let items = items.par_iter_mut().enumerate();
                items.with_max_len(max_len).try_for_each(work)
            }
            false => items.iter_mut().enumerate().try_for_each(work),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::super::key::Pair;
    use super::*;

    /// Once, what was beside a sweep was read at its beginning alone, and both together outgrew their memory.
    #[test]
    fn what_is_beside_it_may_grow_into_what_is_not_held() {
        let beside = AtomicU64::new(0);
        let now = || beside.load(Ordering::Relaxed);
        let allowance = Allowance {
            beside: &now,
            ..Allowance::of(100, 0)
        };
        let resources = Resources::new(allowance, 1, 20);
        assert!(resources.charge(30).is_ok());
        beside.store(40, Ordering::Relaxed);
        assert_eq!((resources.held(), resources.remaining()), (50, 10));
        assert!(resources.charge(11).is_err() && resources.charge(10).is_ok());
        beside.store(u64::MAX, Ordering::Relaxed);
        assert_eq!((resources.held(), resources.remaining()), (60, 0));
        assert!(resources.charge(1).is_err());
        beside.store(0, Ordering::Relaxed);
        assert_eq!(resources.remaining(), 40);
    }

    #[test]
    fn batches_take_a_fixed_share_of_the_memory() {
        let resources = |bytes: u64, threads: usize| {
            let allowance = Allowance {
                threads,
                ..Allowance::of(bytes, 4500)
            };
            Resources::new(allowance, 45, 0)
        };
        let one = resources(1 << 20, 1);
        assert_eq!(one.combinations, 100);
        // An eighth of the memory, for combinations of 16 and of 32 bytes.
        assert_eq!(one.max_batch::<u64, u64>(), 1 << 13);
        assert_eq!(one.max_batch::<Pair, Pair>(), 1 << 12);
        // In a full batch a partition has four blocks of 64.
        assert_eq!(one.max_partitions::<u64, u64>(), 32);
        let four = resources(1 << 20, 4);
        assert_eq!(four.max_partitions::<u64, u64>(), 8);
        let large = resources(1 << 40, 1);
        assert_eq!(large.max_batch::<u64, u64>(), 1 << 22);
        assert_eq!(large.max_partitions::<u64, u64>(), MAX_PARTITIONS);
        assert_eq!(resources(0, 1).max_partitions::<u64, u64>(), 1);
    }
}
