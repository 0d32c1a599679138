//! Generates the successors of combinations and partitions them by hash, in bounded memory.
//!
//! Each thread has a [`Partitioner`], which collects the successors of each partition in a chain of blocks. When there is no free block it
//! stops, if need be amid the successors of one combination, and continues there once its blocks have been emptied. The others then stop too,
//! as soon as half of their blocks are filled, so that a quick thread waits little for a slow one, and batches are not too small.

use std::sync::atomic::{AtomicBool, Ordering};

use super::key::{Key, PathCount};
use super::layer::{Chunk, Chunks, Layer};
use super::resources::{BLOCK, Resources, SweepEnd};
use super::transition::{Successors, Transition};

/// Maximum number of combinations, read or generated, between two polls.
const COMBINATIONS_PER_POLL: u64 = 1 << 13;

/// Combinations without successors that take as long to read as one that has some.
const BLOCKED_PER_COMBINATION: u32 = 8;

/// No block.
const NONE: u32 = u32::MAX;

/// One thread's share of a transition: reads combinations, generates their successors, and partitions these.
#[derive(Debug)]
pub(crate) struct Partitioner<K, N> {
    successors: Successors<K>,
    /// What is left of the current chunk.
    chunk: Chunk,
    /// The path count of the current combination, if it may have more successors.
    open_paths: Option<N>,
    /// The blocks, and for each block the full one before it in the chain of the same partition.
    pool: Vec<(K, N)>,
    previous_block: Vec<u32>,
    /// For each partition its last block, and the index in `pool` for its next combination.
    last_block: Vec<u32>,
    next_index: Vec<u32>,
    /// Combinations without successors since the last one that was added to the work.
    blocked: u32,
    /// Combinations read and generated in this batch.
    pub(crate) work: u64,
}

/// The parameters of a batch.
#[derive(Debug)]
pub(crate) struct Batch<'b, K, N> {
    pub(crate) layer: &'b Layer<K, N>,
    pub(crate) transition: &'b Transition<'b, K>,
    pub(crate) chunks: &'b Chunks,
    /// Number of partitions.
    pub(crate) partitions: usize,
    /// What a partitioner may take: blocks, at least one for each partition, and combinations that are read or generated.
    pub(crate) max_blocks: usize,
    pub(crate) max_work: u64,
    /// Whether a partitioner has taken all that it may. Relaxed: nothing else depends on it.
    pub(crate) is_done: AtomicBool,
}

impl<K: Key, N: PathCount> Partitioner<K, N> {
    pub(crate) fn new(transition: &Transition<'_, K>) -> Self {
        Partitioner {
            successors: transition.successors(false),
            chunk: Chunk::default(),
            open_paths: None,
            pool: Vec::new(),
            previous_block: Vec::new(),
            last_block: Vec::new(),
            next_index: Vec::new(),
            blocked: 0,
            work: 0,
        }
    }

    /// Bytes of the blocks for this number of combinations.
    pub(crate) fn bytes(combinations: usize) -> u64 {
        (combinations * size_of::<(K, N)>() + combinations / BLOCK * size_of::<u32>()) as u64
    }

    /// Whether it may have more successors of the current combination, or more combinations of the current chunk.
    pub(crate) fn is_open(&self) -> bool {
        self.open_paths.is_some() || self.partition().is_some()
    }

    /// The partition of the current chunk, if it has not read all of it.
    pub(crate) fn partition(&self) -> Option<usize> {
        let chunk = self.chunk;
        (chunk.from < chunk.to).then_some(chunk.partition)
    }

    /// Empties the blocks, and fills them with the next successors until it has taken all that it may, or another partitioner has and half of its own blocks
    /// are filled.
    pub(crate) fn fill(
        &mut self,
        batch: &Batch<'_, K, N>,
        resources: &Resources<'_>,
    ) -> Result<(), SweepEnd> {
        self.reset(batch.partitions, batch.max_blocks);
        let Partitioner {
            successors,
            chunk,
            open_paths,
            pool,
            previous_block,
            last_block,
            next_index,
            blocked,
            work,
        } = self;
        // The work that is left until the next poll, and behind it. What is done beyond a poll is paid from the work behind it.
        let (mut work_left, mut behind_poll) = (0i64, batch.max_work);
        let half = batch.max_blocks / 2;
        while previous_block.len() < half || !batch.is_done.load(Ordering::Relaxed) {
            if work_left <= 0 {
                resources.poll()?;
                let granted = behind_poll.min(COMBINATIONS_PER_POLL + work_left.unsigned_abs());
                behind_poll -= granted;
                work_left += granted as i64;
                if work_left <= 0 {
                    batch.is_done.store(true, Ordering::Relaxed);
                    break;
                }
            }
            let paths = match *open_paths {
                Some(paths) => paths,
                None => {
                    if chunk.from == chunk.to {
                        let Some(next) = batch.chunks.take() else {
                            break;
                        };
                        *chunk = next;
                    }
                    let (key, paths) = batch.layer.partitions[chunk.partition][chunk.from];
                    chunk.from += 1;
                    if batch.transition.blocks(key) {
                        *blocked += 1;
                        if *blocked == BLOCKED_PER_COMBINATION {
                            *blocked = 0;
                            work_left -= 1;
                        }
                        continue;
                    }
                    work_left -= 1;
                    successors.begin(batch.transition, key);
                    *open_paths = Some(paths);
                    paths
                }
            };
            let all = successors.resume(batch.transition, |key| {
                let partition = key.partition(batch.partitions);
                let at = next_index[partition] as usize;
                pool[at] = (key, paths);
                next_index[partition] = at as u32 + 1;
                work_left -= 1;
                if (at + 1).is_multiple_of(BLOCK) {
                    if previous_block.len() == batch.max_blocks {
                        batch.is_done.store(true, Ordering::Relaxed);
                        return false;
                    }
                    let block = previous_block.len() as u32;
                    previous_block.push(last_block[partition]);
                    last_block[partition] = block;
                    next_index[partition] = block * BLOCK as u32;
                    let taken = previous_block.len() * BLOCK;
                    if pool.len() < taken {
                        pool.resize(taken, (K::ZERO, N::ONE));
                    }
                }
                work_left > 0
            });
            if all {
                *open_paths = None;
            }
        }
        *work = ((batch.max_work - behind_poll) as i64 - work_left) as u64;
        Ok(())
    }

    /// Frees the memory of the blocks. They must have been visited.
    pub(crate) fn free(&mut self) {
        (self.pool, self.previous_block) = (Vec::new(), Vec::new());
    }

    /// Empties the blocks, and gives one to each partition.
    fn reset(&mut self, partitions: usize, max_blocks: usize) {
        self.previous_block.clear();
        if self.pool.capacity() < max_blocks * BLOCK {
            self.previous_block = Vec::with_capacity(max_blocks);
            self.pool = Vec::with_capacity(max_blocks * BLOCK);
        }
        self.previous_block.resize(partitions, NONE);
        if self.pool.len() < partitions * BLOCK {
            self.pool.resize(partitions * BLOCK, (K::ZERO, N::ONE));
        }
        self.last_block.clear();
        self.last_block.extend(0..partitions as u32);
        self.next_index.clear();
        self.next_index
            .extend((0..partitions).map(|partition| (partition * BLOCK) as u32));
    }

    /// Calls `visit` with each block of a partition.
    pub(crate) fn for_each_block(
        &self,
        partition: usize,
        mut visit: impl FnMut(&[(K, N)]) -> Result<(), SweepEnd>,
    ) -> Result<(), SweepEnd> {
        let mut block = self.last_block[partition];
        let mut end = self.next_index[partition] as usize;
        loop {
            let from = block as usize * BLOCK;
            if from < end {
                visit(&self.pool[from..end])?;
            }
            block = self.previous_block[block as usize];
            if block == NONE {
                return Ok(());
            }
            end = (block as usize + 1) * BLOCK;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{fills_once, must_fill, with_transition};
    use super::super::resources::Allowance;
    use super::*;

    const PARTITIONS: usize = 4;
    const CHUNK: usize = 100;

    fn resources() -> Resources<'static> {
        Resources::new(Allowance::of(1 << 20, 0), 1, 0)
    }

    /// Calls `test` with a batch of these partitions of combinations, of this number of bits. The successors of a combination are, for each
    /// cleared bit, the one where it is set. If `only_first`, only those where the first bit is set.
    fn with_batch(
        bits: usize,
        partitions: Vec<Vec<u64>>,
        only_first: bool,
        test: impl FnOnce(Batch<'_, u64, u64>),
    ) {
        let mut moves = vec![fills_once(); bits];
        if only_first {
            moves[0] = must_fill();
        }
        let partition = |keys: Vec<u64>| keys.into_iter().map(|key| (key, key)).collect();
        let layer = Layer {
            partitions: partitions.into_iter().map(partition).collect(),
        };
        with_transition(&[1], &moves, |transition| {
            test(Batch {
                layer: &layer,
                transition,
                chunks: &Chunks::new(&layer, CHUNK),
                partitions: PARTITIONS,
                max_blocks: 2 * PARTITIONS,
                max_work: u64::MAX,
                is_done: AtomicBool::new(false),
            })
        });
    }

    /// Fills the blocks again and again until all successors of the combinations of ten bits, in two partitions, are generated. Returns all
    /// successors, and the work and the number of successors of each time.
    fn fill_all(max_work: u64, only_first: bool) -> (Vec<u64>, Vec<(u64, usize)>) {
        let mut filled = None;
        let partitions = vec![(0..512).collect(), (512..1024).collect()];
        with_batch(10, partitions, only_first, |batch| {
            filled = Some(fill_batch(Batch { max_work, ..batch }));
        });
        filled.unwrap()
    }

    fn fill_batch(batch: Batch<'_, u64, u64>) -> (Vec<u64>, Vec<(u64, usize)>) {
        let mut partitioner = Partitioner::<u64, u64>::new(batch.transition);
        let (mut all, mut times, mut last_read) = (Vec::new(), Vec::new(), 0);
        loop {
            batch.is_done.store(false, Ordering::Relaxed);
            partitioner.fill(&batch, &resources()).unwrap();
            // There are at most two blocks for each partition.
            assert!(partitioner.pool.len() <= 2 * PARTITIONS * BLOCK);
            assert!(partitioner.previous_block.len() <= 2 * PARTITIONS);
            let before = all.len();
            for partition in 0..PARTITIONS {
                let visit = |block: &[(u64, u64)]| {
                    assert!(!block.is_empty() && block.len() <= BLOCK);
                    for &(key, before) in block {
                        assert_eq!(key.partition(PARTITIONS), partition);
                        assert_eq!((key & before, (key ^ before).count_ones()), (before, 1));
                        last_read = last_read.max(before as usize);
                        all.push(key);
                    }
                    Ok(())
                };
                partitioner.for_each_block(partition, visit).unwrap();
            }
            times.push((partitioner.work, all.len() - before));
            if !partitioner.is_open() && batch.chunks.partition().is_none() {
                return (all, times);
            }
            // Unless the last combination of a chunk has been read, the rest of the chunk is still to be read.
            let (partition, at) = (last_read / 512, last_read % 512);
            let is_last = (at + 1) % CHUNK == 0 || at == 511;
            assert_eq!(partitioner.partition(), (!is_last).then_some(partition));
        }
    }

    #[test]
    fn every_successor_is_in_a_block_of_its_partition() {
        let (mut all, times) = fill_all(u64::MAX, false);
        all.sort_unstable();
        let wanted = (0..1024u64).flat_map(|key| vec![key; key.count_ones() as usize]);
        assert_eq!(all, Vec::from_iter(wanted));
        assert_eq!(times.iter().map(|(work, _)| work).sum::<u64>(), 1024 + 5120);
        // Before there is no free block, four are full besides the one that was filled last.
        let (_, before) = times.split_last().unwrap();
        assert!(
            before.iter().all(|(_, generated)| *generated >= 5 * BLOCK),
            "{times:?}"
        );
    }

    #[test]
    fn a_batch_has_the_work_that_it_may_have() {
        // One successor of each combination that is read is generated in any case.
        for (max_work, work) in [(1, 2), (2, 2), (3, 3), (9, 9)] {
            let (all, times) = fill_all(max_work, false);
            assert_eq!((all.len(), times[0].0), (5120, work));
        }
    }

    /// They once had equal parts of a batch, and the quick ones waited for the slow ones.
    #[test]
    fn a_partitioner_stops_when_another_one_has_no_free_block() {
        with_batch(10, vec![(0..1024).collect()], false, |batch| {
            let [mut quick, mut slow] =
                [(); 2].map(|()| Partitioner::<u64, u64>::new(batch.transition));
            for partitioner in [&mut quick, &mut slow] {
                partitioner.fill(&batch, &resources()).unwrap();
            }
            assert!(quick.work > 0 && slow.work == 0);
            // In the next batch the slow one may be the first.
            batch.is_done.store(false, Ordering::Relaxed);
            slow.fill(&batch, &resources()).unwrap();
            assert!(slow.work > 0);
        });
    }

    #[test]
    fn eight_combinations_without_successors_count_as_one() {
        let (all, times) = fill_all(u64::MAX, true);
        assert_eq!(all.len(), 512);
        assert_eq!(
            times.iter().map(|(work, _)| work).sum::<u64>(),
            512 / 8 + 2 * 512
        );
    }

    #[test]
    fn blocks_take_the_bytes_that_are_charged() {
        // An entry has 16 bytes, and the index of a block four.
        assert_eq!(
            Partitioner::<u64, u64>::bytes(10 * BLOCK),
            10 * (16 * BLOCK + 4) as u64
        );
    }

    #[test]
    fn the_last_combination_may_have_more_successors() {
        with_batch(10, vec![vec![0]], false, |batch| {
            let mut partitioner = Partitioner::<u64, u64>::new(batch.transition);
            let batch = Batch {
                max_work: 1,
                ..batch
            };
            let mut fill = || {
                batch.is_done.store(false, Ordering::Relaxed);
                partitioner.fill(&batch, &resources()).unwrap();
                (partitioner.is_open(), partitioner.partition())
            };
            for generated in 1..=10 {
                assert_eq!(fill(), (true, None), "{generated}");
            }
            fill();
            assert!(!partitioner.is_open());
        });
    }

    #[test]
    fn a_combination_that_is_read_at_a_poll_counts_once() {
        // Of 16 combinations the eight even ones have a successor, and the odd ones count as one. So a poll is due after 481 times 17 and 15
        // more, which is between a combination and its successor.
        let partitions = vec![(0..1 << 13).collect()];
        with_batch(13, partitions, true, |batch| {
            let blocks = (1 << 13) / BLOCK;
            let batch = Batch {
                max_blocks: blocks,
                ..batch
            };
            let mut partitioner = Partitioner::<u64, u64>::new(batch.transition);
            partitioner.fill(&batch, &resources()).unwrap();
            assert!(!partitioner.is_open());
            assert_eq!(partitioner.work, (1 << 13) / 16 * 17);
        });
    }

    #[test]
    fn the_blocks_grow_with_the_partitions_and_are_freed() {
        with_batch(10, vec![vec![0]], false, |batch| {
            let mut partitioner = Partitioner::<u64, u64>::new(batch.transition);
            for partitions in [2, 4, 8] {
                partitioner.reset(partitions, 100);
                assert_eq!(partitioner.pool.len(), partitions * BLOCK);
            }
            partitioner.free();
            assert_eq!(partitioner.pool.capacity(), 0);
            assert_eq!(partitioner.previous_block.capacity(), 0);
        });
    }
}
