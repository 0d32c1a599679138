//! Moves the frontier past one line: from the combinations of a layer to those of the next one.
//!
//! The successors are generated in batches of two phases, so that threads need no locks. In the first phase each thread takes chunks of the
//! layer, generates their successors and partitions these by hash into memory of its own. In the second phase one thread takes each
//! partition, and adds up in a table the path counts that all threads have put into it. Memory is charged before it is allocated.
//!
//! A pass can pause after any batch. What it has done until then is in [`Generation`] and [`NextLayer`].

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::layer::{Chunks, Layer};
use super::partitioner::{Batch, Partitioner, Quota};
use super::resources::{MAX_PARTITIONS, Resources};
use super::table::{BLOCK, Table};
use super::transition::Transition;

/// Intended number of combinations in a partition.
const COMBINATIONS_PER_PARTITION: u64 = 1 << 12;

/// When the partitions have on average more than 4 times the intended number of combinations, each is split into at most this number.
const MAX_SPLIT_FACTOR: usize = 8;

/// Successors in the first batch, and the factor by which each later batch is larger.
const FIRST_BATCH: usize = 1 << 14;
const BATCH_GROWTH: usize = 4;

/// From this number of combinations on, all threads work on a batch.
const MIN_SHARED_BATCH: usize = 1 << 16;

/// Where all threads work on a batch, it ends when all blocks but one in this number are filled, wherever they are.
const SPARE_BLOCKS_DIVISOR: usize = 4;

/// From this share of a layer on, the size of the next one is extrapolated.
const MIN_SHARE_TO_EXTRAPOLATE: f64 = 0.25;

/// Maximum number of combinations in a chunk of a layer.
const MAX_CHUNK: u64 = 1 << 10;

/// Blocks of successors that are taken between two polls of `stop`.
const BLOCKS_PER_POLL: u64 = (1 << 14) / BLOCK as u64;

/// How far the successors of a layer have been generated.
#[derive(Debug)]
pub(super) struct Generation<K, N> {
    chunks: Chunks,
    partitioners: Vec<Partitioner<K, N>>,
    /// Maximum number of successors in the next batch.
    batch_size: usize,
    /// Whether the memory of the layer is freed where it has been read, and the number of partitions that have been freed.
    frees: bool,
    freed: usize,
    /// See [`Batch::has_places`].
    pub(super) has_places: bool,
}

impl<K: Key, N: PathCount> Generation<K, N> {
    /// Begins to generate the successors of a layer, for this number of targets. If `frees`, the memory of the layer is freed where it has
    /// been read.
    pub(super) fn new(
        layer: &Layer<K, N>,
        transition: &Transition<'_, K>,
        targets: usize,
        frees: bool,
        resources: &Resources<'_>,
    ) -> Self {
        let chunk = layer.len() / (8 * resources.threads as u64);
        let max_batch = resources.max_batch::<K, N>();
        Generation {
            chunks: Chunks::new(layer, chunk.clamp(1, MAX_CHUNK) as usize),
            partitioners: vec![Partitioner::new(transition)],
            batch_size: FIRST_BATCH.max(4 * targets * BLOCK).min(max_batch),
            frees,
            freed: 0,
            has_places: false,
        }
    }

    /// The share of the layer that has been read, roughly.
    pub(super) fn share(&self) -> f64 {
        self.chunks.share()
    }

    /// Frees the memory of the batches.
    fn free_batches(&mut self, resources: &Resources<'_>) {
        self.partitioners.iter_mut().for_each(Partitioner::free);
        let bytes = Partitioner::<K, N>::bytes(resources.max_batch::<K, N>());
        resources.memory.release(bytes);
    }
}

/// The next layer, while it is being built.
#[derive(Debug)]
pub(super) struct NextLayer<K, N> {
    /// Its partitions. Their number grows with their size.
    pub(super) tables: Vec<Table<K, N>>,
    /// The share of the layer before and the number of combinations, after the batch before.
    before: (f64, usize),
    generation: Generation<K, N>,
}

impl<K: Key, N: PathCount> NextLayer<K, N> {
    /// Begins to build the next layer. If `frees`, the memory of `layer` is freed where it has been read. If not, the layer can be built for a
    /// smaller class of fillings instead, so it is [`SweepEnd::Full`] as soon as it is likely to outgrow the memory.
    pub(super) fn new(
        layer: &Layer<K, N>,
        transition: &Transition<'_, K>,
        frees: bool,
        resources: &Resources<'_>,
    ) -> Self {
        let wanted =
            usize::try_from(layer.len() / COMBINATIONS_PER_PARTITION).unwrap_or(usize::MAX);
        let count = (wanted.min(MAX_PARTITIONS) + 1)
            .next_power_of_two()
            .min(resources.max_partitions::<K, N>());
        NextLayer {
            tables: vec![Table::default(); count],
            before: (0.0, 0),
            generation: Generation::new(layer, transition, count, frees, resources),
        }
    }

    /// Goes on building it.
    pub(super) fn build(
        &mut self,
        layer: &mut Layer<K, N>,
        transition: &Transition<'_, K>,
        resources: &mut Resources<'_>,
    ) -> Result<(), SweepEnd> {
        let frees = self.generation.frees;
        let before = &mut self.before;
        layer.generate_successors(
            &mut self.generation,
            transition,
            &mut self.tables,
            resources,
            |table, block, _, resources| table.add(block, &resources.memory),
            |tables, resources, share| {
                let now = (share, tables.iter().map(Table::len).sum());
                let before = std::mem::replace(before, now);
                if !frees && outgrows(tables, resources, before, now) {
                    return Err(SweepEnd::Full);
                }
                split(tables, resources)
            },
        )
    }

    /// The number of combinations so far.
    pub(super) fn len(&self) -> usize {
        self.tables.iter().map(Table::len).sum()
    }

    /// The share of the layer before that has been read, roughly.
    pub(super) fn share(&self) -> f64 {
        self.generation.share()
    }

    /// Completes the layer.
    pub(super) fn finish(self, resources: &Resources<'_>) -> Result<Layer<K, N>, SweepEnd> {
        let is_large = self.len() >= MIN_SHARED_BATCH;
        let tables = self.tables.into_iter();
        let mut partitions: Vec<_> = tables.map(|table| (table, Vec::new())).collect();
        resources.for_each(is_large, &mut partitions, |_, (table, partition)| {
            if (resources.stop)() {
                return Err(SweepEnd::Stopped);
            }
            *partition = std::mem::take(table).into_vec(&resources.memory);
            Ok(())
        })?;
        let partitions = partitions.into_iter();
        Ok(Layer::new(
            partitions.map(|(_, partition)| partition).collect(),
        ))
    }
}

impl<K: Key, N: PathCount> Layer<K, N> {
    /// Goes on generating the successors of all combinations, and partitions them by hash among `targets`. `take` adds a block of them to a
    /// target, and is told this layer; `after_batch` may split the targets, and is told the share of the layer that has been read.
    pub(super) fn generate_successors<T: Send>(
        &mut self,
        generation: &mut Generation<K, N>,
        transition: &Transition<'_, K>,
        targets: &mut Vec<T>,
        resources: &mut Resources<'_>,
        take: impl Fn(&mut T, &[(K, N)], &Self, &Resources<'_>) -> Result<(), SweepEnd> + Sync,
        mut after_batch: impl FnMut(&mut Vec<T>, &Resources<'_>, f64) -> Result<(), SweepEnd>,
    ) -> Result<(), SweepEnd> {
        let max_batch = resources.max_batch::<K, N>();
        if !(resources.memory).try_reserve(Partitioner::<K, N>::bytes(max_batch)) {
            return Err(SweepEnd::Full);
        }
        let Generation {
            chunks,
            partitioners,
            batch_size,
            frees,
            freed,
            has_places,
        } = generation;
        loop {
            if *batch_size >= MIN_SHARED_BATCH {
                partitioners.resize_with(resources.threads, || Partitioner::new(transition));
            }
            let (stop, count) = (resources.stop, partitioners.len());
            let first_blocks = count * targets.len();
            let blocks = (*batch_size / BLOCK).max(2 * first_blocks);
            let batch = Batch {
                layer: self,
                transition,
                chunks,
                partitions: targets.len(),
                max_blocks: blocks / count,
                has_places: *has_places,
            };
            let is_large = count > 1;
            // A thread may fill more blocks than the others, so all together fill less than they have.
            let filled = match is_large {
                true => blocks - blocks / SPARE_BLOCKS_DIVISOR,
                false => blocks,
            };
            let work = resources.combinations.saturating_add(count as u64);
            let quota = Quota::new(count, filled - first_blocks, work);
            resources.for_each(is_large, partitioners, |_, partitioner| {
                partitioner.fill(&batch, &quota, stop)
            })?;
            let layer = &*self;
            resources.for_each(is_large, targets, |i, target| {
                let mut blocks_until_poll = 0;
                let mut take_block = |block: &[(K, N)]| {
                    if blocks_until_poll == 0 {
                        if stop() {
                            return Err(SweepEnd::Stopped);
                        }
                        blocks_until_poll = BLOCKS_PER_POLL;
                    }
                    blocks_until_poll -= 1;
                    take(target, block, layer, resources)
                };
                let mut filled = partitioners.iter();
                filled.try_for_each(|partitioner| partitioner.for_each_block(i, &mut take_block))
            })?;
            let work = partitioners
                .iter()
                .map(|partitioner| partitioner.work)
                .sum();
            if let Err(end) = resources.spend(work) {
                generation.free_batches(resources);
                return Err(end);
            }
            if stop() {
                return Err(SweepEnd::Stopped);
            }
            let next = chunks.partition();
            if next.is_none() && !partitioners.iter().any(Partitioner::is_open) {
                break;
            }
            let read = partitioners
                .iter()
                .filter_map(Partitioner::partition)
                .chain(next)
                .min();
            let read = read.filter(|_| *frees).unwrap_or(*freed);
            for partition in *freed..read {
                self.free(partition, &resources.memory);
            }
            *freed = read;
            after_batch(targets, resources, chunks.share())?;
            *batch_size = (*batch_size * BATCH_GROWTH).min(max_batch);
        }
        if *frees {
            for partition in *freed..self.partitions.len() {
                self.free(partition, &resources.memory);
            }
        }
        generation.free_batches(resources);
        Ok(())
    }
}

/// Whether the next layer is likely to outgrow the memory, extrapolated from its number of combinations at two shares of the layer before.
/// The number grows as a power of the share, as later combinations more often lead to ones that are known.
fn outgrows<K: Key, N: PathCount>(
    tables: &[Table<K, N>],
    resources: &Resources<'_>,
    (share_before, len_before): (f64, usize),
    (share, len): (f64, usize),
) -> bool {
    if share < MIN_SHARE_TO_EXTRAPOLATE || share_before == 0.0 || share <= share_before {
        return false;
    }
    let growth = (len as f64 / len_before.max(1) as f64).ln();
    let exponent = growth / (share / share_before).ln();
    let factor = (1.0 / share).powf(exponent);
    let bytes_to_grow =
        |table: &Table<K, N>| table.bytes_to_grow((factor * table.len() as f64) as usize);
    tables.iter().map(bytes_to_grow).sum::<u64>() > resources.memory.remaining()
}

/// Splits the partitions when they have become large, unless the memory does not suffice.
fn split<K: Key, N: PathCount>(
    tables: &mut Vec<Table<K, N>>,
    resources: &Resources<'_>,
) -> Result<(), SweepEnd> {
    let count = tables.len();
    let factor = MAX_SPLIT_FACTOR.min(resources.max_partitions::<K, N>() / count);
    let len: usize = tables.iter().map(Table::len).sum();
    let needed: u64 = tables.iter().map(|table| table.split_bytes(factor)).sum();
    if factor < 2
        || (len as u64) < 4 * COMBINATIONS_PER_PARTITION * count as u64
        || needed > resources.memory.remaining()
    {
        return Ok(());
    }
    let whole = tables.drain(..).map(|table| vec![table]);
    let mut parts: Vec<Vec<Table<K, N>>> = whole.collect();
    resources.for_each(true, &mut parts, |_, tables| {
        if (resources.stop)() {
            return Err(SweepEnd::Stopped);
        }
        let table = tables.pop().unwrap_or_default();
        *tables = table.split(factor, count * factor, &resources.memory)?;
        Ok(())
    })?;
    tables.extend(parts.into_iter().flatten());
    Ok(())
}

#[cfg(test)]
mod tests;
