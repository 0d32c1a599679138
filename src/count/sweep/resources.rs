//! What a sweep may still take until it pauses, and how its work is shared out among threads.

use rayon::prelude::*;

use super::allowance::{Allowance, ShouldStop, SweepEnd};
use super::memory::Memory;
use super::table::{BLOCK, bytes_of};

/// Maximum number of partitions of a layer.
pub(super) const MAX_PARTITIONS: usize = 1 << 12;

/// A batch has at most this number of bytes, and at most the memory divided by this divisor.
const MAX_BATCH_BYTES: u64 = 1 << 26;
const BATCH_MEMORY_DIVISOR: u64 = 8;

/// Items of a list that a thread takes at once, and the number of such chunks from which on all threads work on it.
pub(super) const CHUNK: usize = 1 << 11;
const MIN_SHARED_CHUNKS: usize = 4;

/// A list is divided into at least this number of tasks for each thread, if it has as many items. A task is not divided when other threads
/// have nothing left to do.
const MIN_TASKS_PER_THREAD: usize = 8;

/// The remaining resources of a sweep.
pub(crate) struct Resources<'r> {
    pub(crate) memory: Memory<'r>,
    /// Bytes of memory in all.
    pub(crate) bytes: u64,
    /// Number of combinations that may still be read or generated, and of those that have been.
    pub(crate) combinations: u64,
    pub(crate) spent: u64,
    pub(crate) threads: usize,
    pub(crate) stop: ShouldStop<'r>,
}

impl<'r> Resources<'r> {
    /// `combination_ns`: nanoseconds per combination. `held`: the bytes of the memory that the sweep holds already.
    pub(crate) fn new(allowance: Allowance<'r>, combination_ns: u64, held: u64) -> Self {
        Resources {
            memory: Memory::new(allowance, held),
            bytes: allowance.bytes,
            combinations: allowance.work_ns / combination_ns,
            spent: 0,
            threads: allowance.threads,
            stop: allowance.stop,
        }
    }

    /// Subtracts combinations that have been read or generated. [`SweepEnd::Paused`] if they do not remain.
    pub(crate) fn spend(&mut self, combinations: u64) -> Result<(), SweepEnd> {
        self.spent += combinations;
        let left = self.combinations.checked_sub(combinations);
        self.combinations = left.unwrap_or(0);
        left.map(|_| ()).ok_or(SweepEnd::Paused)
    }

    /// Maximum number of successors in a batch.
    pub(crate) fn max_batch<K, N>(&self) -> usize {
        let bytes = (self.bytes / BATCH_MEMORY_DIVISOR).min(MAX_BATCH_BYTES);
        (bytes / bytes_of::<K, N>(1)) as usize
    }

    /// Maximum number of partitions such that most blocks of a batch are filled.
    pub(crate) fn max_partitions<K, N>(&self) -> usize {
        let partitions = self.max_batch::<K, N>() / self.threads / BLOCK / 4;
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
        let work = |(i, chunk): (usize, &[T])| match (self.stop)() {
            true => Err(SweepEnd::Stopped),
            false => work(CHUNK * i, chunk),
        };
        match self.threads > 1 && items.len() > MIN_SHARED_CHUNKS * CHUNK {
            true => items.par_chunks(CHUNK).enumerate().map(work).collect(),
            false => items.chunks(CHUNK).enumerate().map(work).collect(),
        }
    }

    /// Runs `work` on all items, on all threads if `is_large`.
    pub(crate) fn for_each<T: Send>(
        &self,
        is_large: bool,
        items: &mut [T],
        work: impl Fn(usize, &mut T) -> Result<(), SweepEnd> + Sync,
    ) -> Result<(), SweepEnd> {
        let max_len = items.len() / (self.threads * MIN_TASKS_PER_THREAD) + 1;
        let mut items = items.iter_mut().enumerate();
        match is_large && self.threads > 1 {
            true => items
                .collect::<Vec<_>>()
                .into_par_iter()
                .with_max_len(max_len)
                .try_for_each(|(i, item)| work(i, item)),
            false => items.try_for_each(|(i, item)| work(i, item)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Pair;
    use super::*;

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
