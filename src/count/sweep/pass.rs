//! Moves the frontier past one line: from the combinations of a layer to those of the next one.
//!
//! The successors are generated in batches of two phases, so that threads need no locks. In the first phase each thread takes chunks of the
//! layer, generates their successors and partitions these by hash into memory of its own. In the second phase one thread takes each
//! partition, and adds up in a table the path counts that all threads have put into it. Memory is charged before it is allocated.
//!
//! A pass can pause after any batch. What it has done until then is in [`Generation`] and [`NextLayer`].

use std::sync::atomic::AtomicBool;

use super::key::{Key, PathCount};
use super::layer::{Chunks, Layer};
use super::partitioner::{Batch, Partitioner};
use super::resources::{BLOCK, Resources, SweepEnd};
use super::table::Table;
use super::transition::Transition;

/// Combinations of a layer for each partition of the next one, which is several times as large in most cases.
const COMBINATIONS_PER_PARTITION: u64 = 1 << 12;

/// Successors in the first batch, and the factor by which each later batch is larger.
const FIRST_BATCH: usize = 1 << 14;
const BATCH_GROWTH: usize = 4;

/// From this number of combinations on, all threads work on a batch.
const MIN_SHARED_BATCH: usize = 1 << 16;

/// From this share of a layer on, the size of the next one is extrapolated.
const MIN_SHARE_TO_EXTRAPOLATE: f64 = 0.25;

/// Maximum number of combinations in a chunk of a layer.
const MAX_CHUNK: u64 = 1 << 10;

/// Blocks of successors that are taken between two polls of `stop`.
const BLOCKS_PER_POLL: u64 = (1 << 14) / BLOCK as u64;

/// How far the successors of a layer have been generated.
#[derive(Debug)]
pub(super) struct Generation<K, N> {
    pub(super) chunks: Chunks,
    partitioners: Vec<Partitioner<K, N>>,
    /// Maximum number of successors in the next batch.
    batch_size: usize,
    /// Whether the memory of the layer is freed where it has been read, and the number of partitions that have been freed.
    frees: bool,
    freed: usize,
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
        let chunk = layer.len() / (8 * resources.allowance.threads as u64);
        let max_batch = resources.max_batch::<K, N>();
        Generation {
            chunks: Chunks::new(layer, chunk.clamp(1, MAX_CHUNK) as usize),
            partitioners: vec![Partitioner::new(transition)],
            batch_size: FIRST_BATCH.max(4 * targets * BLOCK).min(max_batch),
            frees,
            freed: 0,
        }
    }

    /// Goes on generating the successors of all combinations, and partitions them by hash among `targets`. `take` adds a block of them to a
    /// target. After a batch, `may_fit` is told the share of the layer that has been read: [`SweepEnd::Full`] if it returns `false`.
    pub(super) fn run<T: Send>(
        &mut self,
        layer: &mut Layer<K, N>,
        transition: &Transition<'_, K>,
        targets: &mut [T],
        resources: &mut Resources<'_>,
        take: impl Fn(&mut T, &[(K, N)], &Resources<'_>) -> Result<(), SweepEnd> + Sync,
        mut may_fit: impl FnMut(&[T], f64, &Resources<'_>) -> bool,
    ) -> Result<(), SweepEnd> {
        let max_batch = resources.max_batch::<K, N>();
        let bytes = Partitioner::<K, N>::bytes(max_batch);
        resources.charge(bytes)?;
        let ended = loop {
            match self.run_batch(layer, transition, targets, resources, &take) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(end) => break Err(end),
            }
            if !may_fit(targets, self.chunks.share(), resources) {
                break Err(SweepEnd::Full);
            }
            self.batch_size = (self.batch_size * BATCH_GROWTH).min(max_batch);
        };
        self.partitioners.iter_mut().for_each(Partitioner::free);
        resources.release(bytes);
        ended
    }

    /// Generates a batch of successors. Returns whether there are more.
    fn run_batch<T: Send>(
        &mut self,
        layer: &mut Layer<K, N>,
        transition: &Transition<'_, K>,
        targets: &mut [T],
        resources: &mut Resources<'_>,
        take: impl Fn(&mut T, &[(K, N)], &Resources<'_>) -> Result<(), SweepEnd> + Sync,
    ) -> Result<bool, SweepEnd> {
        let partitioners = &mut self.partitioners;
        if self.batch_size >= MIN_SHARED_BATCH {
            partitioners.resize_with(resources.allowance.threads, || Partitioner::new(transition));
        }
        let count = partitioners.len();
        let batch = Batch {
            layer,
            transition,
            chunks: &self.chunks,
            partitions: targets.len(),
            max_blocks: (self.batch_size / BLOCK / count).max(2 * targets.len()),
            max_work: (resources.combinations / count as u64).saturating_add(1),
            is_done: AtomicBool::new(false),
        };
        let is_large = count > 1;
        resources.for_each(is_large, partitioners, |_, partitioner| {
            partitioner.fill(&batch, resources)
        })?;
        resources.for_each(is_large, targets, |i, target| {
            let mut blocks_until_poll = 0;
            let mut take_block = |block: &[(K, N)]| {
                if blocks_until_poll == 0 {
                    resources.poll()?;
                    blocks_until_poll = BLOCKS_PER_POLL;
                }
                blocks_until_poll -= 1;
                take(target, block, resources)
            };
            let mut filled = partitioners.iter();
            filled.try_for_each(|partitioner| partitioner.for_each_block(i, &mut take_block))
        })?;
        let work = partitioners.iter().map(|partitioner| partitioner.work);
        resources.spend(work.sum())?;
        resources.poll()?;
        let next = self.chunks.partition();
        let has_more = next.is_some() || partitioners.iter().any(Partitioner::is_open);
        if self.frees {
            let open = partitioners.iter().filter_map(Partitioner::partition);
            let read = match has_more {
                true => open.chain(next).min().unwrap_or(self.freed),
                false => layer.partitions.len(),
            };
            layer.free(self.freed..read, resources);
            self.freed = read;
        }
        Ok(has_more)
    }
}

/// The next layer, while it is being built.
#[derive(Debug)]
pub(super) struct NextLayer<K, N> {
    /// Its partitions.
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
        let wanted = (layer.len() / COMBINATIONS_PER_PARTITION) as usize + 1;
        let count = wanted.next_power_of_two();
        let count = count.min(resources.max_partitions::<K, N>());
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
        self.generation.run(
            layer,
            transition,
            &mut self.tables,
            resources,
            Table::add,
            |tables, share, resources| {
                let now = (share, tables.iter().map(Table::len).sum());
                let before = std::mem::replace(&mut self.before, now);
                frees || !outgrows(tables, resources, before, now)
            },
        )
    }

    /// The number of combinations so far.
    pub(super) fn len(&self) -> usize {
        self.tables.iter().map(Table::len).sum()
    }

    /// The share of the layer before that has been read, roughly.
    pub(super) fn share(&self) -> f64 {
        self.generation.chunks.share()
    }

    /// Completes the layer.
    pub(super) fn finish(self, resources: &Resources<'_>) -> Result<Layer<K, N>, SweepEnd> {
        let is_large = self.len() >= MIN_SHARED_BATCH;
        let tables = self.tables.into_iter();
        let mut partitions: Vec<_> = tables.map(|table| (table, Vec::new())).collect();
        resources.for_each(is_large, &mut partitions, |_, (table, partition)| {
            resources.poll()?;
            *partition = std::mem::take(table).into_vec(resources);
            Ok(())
        })?;
        let partitions = partitions.into_iter();
        Ok(Layer {
            partitions: partitions.map(|(_, partition)| partition).collect(),
        })
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
    tables.iter().map(bytes_to_grow).sum::<u64>() > resources.remaining()
}

#[cfg(test)]
mod tests;
