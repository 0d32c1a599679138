//! Moves the frontier past one line: from the combinations of a layer to those of the next one.
//!
//! The successors are generated in batches of two phases, so that threads need no locks. In the first phase each thread takes chunks of the
//! layer, generates their successors and partitions these by hash into memory of its own. In the second phase one thread takes each
//! partition, and adds up in a table the path counts that all threads have put into it. Memory is charged before it is allocated. When it
//! is used up and there is a scratch folder, a table is written there as a sorted run and emptied; the runs are merged when they are read.
//!
//! A pass can pause after any batch. What it has done until then is in [`Generation`] and [`NextLayer`].

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::layer::{Chunks, Layer, Partition};
use super::partitioner::{Batch, Partitioner, Quota};
use super::resources::{MAX_PARTITIONS, Resources};
use super::runs::{Merge, ScratchFile, SortedRun, max_merged_runs};
use super::table::{Added, BLOCK, Partitioning, Table, bytes_of};
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

/// Where there is a scratch folder, a layer stays in memory if it takes at most the memory divided by this.
const LAYER_MEMORY_DIVISOR: u64 = 4;

/// Maximum number of combinations in a chunk of a layer.
const MAX_CHUNK: u64 = 1 << 10;

/// Combinations merged or joined between two polls of `stop`, and the number of blocks that have as many.
pub(super) const COMBINATIONS_PER_POLL: u64 = 1 << 14;
const BLOCKS_PER_POLL: u64 = COMBINATIONS_PER_POLL / BLOCK as u64;

/// A partition of the next layer, while it is being built.
#[derive(Debug)]
struct PartitionBuilder<K, N> {
    table: Table<K, N>,
    /// The combinations that did not fit into memory.
    runs: Vec<SortedRun>,
}

impl<K: Key, N: PathCount> PartitionBuilder<K, N> {
    fn new(table: Table<K, N>) -> Self {
        PartitionBuilder {
            table,
            runs: Vec::new(),
        }
    }

    fn add(
        &mut self,
        block: &[(K, N)],
        resources: &Resources<'_>,
        file: Option<&ScratchFile>,
    ) -> Result<(), SweepEnd> {
        match (self.table.add(block, &resources.memory), file) {
            (Added::All, _) => Ok(()),
            (Added::Overflow, _) => Err(SweepEnd::Overflow),
            (Added::Full, None) => Err(SweepEnd::Full),
            (Added::Full, Some(file)) => {
                if self.table.len() == 0 {
                    // The first allocation is so small that it may exceed the memory.
                    self.table.allocate_first(&resources.memory);
                } else {
                    self.write(resources, file)?;
                }
                match self.table.add(block, &resources.memory) {
                    Added::All => Ok(()),
                    Added::Overflow => Err(SweepEnd::Overflow),
                    Added::Full => Err(SweepEnd::Full),
                }
            }
        }
    }

    /// Writes the table to disk.
    fn write(&mut self, resources: &Resources<'_>, file: &ScratchFile) -> Result<(), SweepEnd> {
        // The sorted copy and the table exist at the same time until the run is written.
        let bytes = bytes_of::<K, N>(self.table.len());
        resources.memory.reserve(bytes);
        let combinations = self.table.drain_sorted();
        let len = combinations.len() as u64;
        let run = file.write(len, combinations.into_iter().map(Ok))?;
        resources.memory.release(bytes);
        self.runs.push(run);
        if (resources.stop)() {
            return Err(SweepEnd::Stopped);
        }
        if self.runs.len() >= max_merged_runs(resources.read_bytes()) {
            let mut merge = Merge::<K, N>::new(file, &self.runs, resources.read_bytes())?;
            let max_len = self.runs.iter().map(|run| run.len).sum();
            let mut combinations = 0;
            let merged = std::iter::from_fn(|| {
                combinations += 1;
                match combinations % COMBINATIONS_PER_POLL == 0 && (resources.stop)() {
                    true => Some(Err(SweepEnd::Stopped)),
                    false => merge.next(file).transpose(),
                }
            });
            self.runs = vec![file.write(max_len, merged)?];
        }
        Ok(())
    }
}

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
    has_places: bool,
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
    ) -> Result<Self, SweepEnd> {
        if !resources.memory.try_reserve(resources.all_read_bytes()) {
            return Err(SweepEnd::Full);
        }
        let chunk = layer.len() / (8 * resources.threads as u64);
        let max_batch = resources.max_batch::<K, N>();
        Ok(Generation {
            chunks: Chunks::new(layer, chunk.clamp(1, MAX_CHUNK) as usize),
            partitioners: vec![Partitioner::new(transition)],
            batch_size: FIRST_BATCH.max(4 * targets * BLOCK).min(max_batch),
            frees,
            freed: 0,
            has_places: false,
        })
    }

    /// Lets each successor have, instead of a path count, the place of the combination that leads to it. The layer must be in memory.
    pub(super) fn with_places(self) -> Self {
        Generation {
            has_places: true,
            ..self
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
    builders: Vec<PartitionBuilder<K, N>>,
    /// The file for what exceeds the memory.
    file: Option<ScratchFile>,
    /// Whether the number of partitions may grow.
    may_split: bool,
    /// The share of the layer before and the number of combinations, after the batch before.
    before: (f64, usize),
    generation: Generation<K, N>,
}

impl<K: Key, N: PathCount> NextLayer<K, N> {
    /// Begins to build the next layer in this number of partitions, or, for `None`, in a number that fits its size. If `frees`, the memory of
    /// `layer` is freed where it has been read. If not, the layer can be built for a smaller class of fillings instead, so it is
    /// [`SweepEnd::Full`] as soon as it is likely to outgrow the memory.
    pub(super) fn new(
        layer: &Layer<K, N>,
        transition: &Transition<'_, K>,
        partitions: Option<usize>,
        frees: bool,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let wanted =
            usize::try_from(layer.len() / COMBINATIONS_PER_PARTITION).unwrap_or(usize::MAX);
        let count = partitions.unwrap_or_else(|| {
            (wanted.min(MAX_PARTITIONS) + 1)
                .next_power_of_two()
                .min(resources.max_partitions::<K, N>())
        });
        let builder = || PartitionBuilder::new(Table::default());
        Ok(NextLayer {
            builders: (0..count).map(|_| builder()).collect(),
            file: resources.scratch.map(ScratchFile::new).transpose()?,
            may_split: partitions.is_none(),
            before: (0.0, 0),
            generation: Generation::new(layer, transition, count, frees, resources)?,
        })
    }

    /// Goes on building it.
    pub(super) fn build(
        &mut self,
        layer: &mut Layer<K, N>,
        transition: &Transition<'_, K>,
        resources: &mut Resources<'_>,
    ) -> Result<(), SweepEnd> {
        let (file, may_split) = (self.file.as_ref(), self.may_split);
        let frees = self.generation.frees;
        let before = &mut self.before;
        layer.generate_successors(
            &mut self.generation,
            transition,
            &mut self.builders,
            resources,
            |partition, block, _, resources| partition.add(block, resources, file),
            |builders, resources, share| {
                let tables = builders.iter().map(|partition| &partition.table);
                let now = (share, tables.map(Table::len).sum());
                let before = std::mem::replace(before, now);
                if !frees && file.is_none() && outgrows(builders, resources, before, now) {
                    return Err(SweepEnd::Full);
                }
                match may_split {
                    true => split(builders, resources),
                    false => Ok(()),
                }
            },
        )
    }

    /// The number of combinations so far, without those on disk.
    pub(super) fn len(&self) -> usize {
        let tables = self.builders.iter().map(|partition| &partition.table);
        tables.map(Table::len).sum()
    }

    /// The share of the layer before that has been read, roughly.
    pub(super) fn share(&self) -> f64 {
        self.generation.share()
    }

    /// Whether a part of it is on disk.
    pub(super) fn is_on_disk(&self) -> bool {
        self.builders.iter().any(|it| !it.runs.is_empty())
    }

    /// The tables of its partitions, none of which is on disk.
    pub(super) fn into_tables(self) -> Vec<Table<K, N>> {
        let builders = self.builders.into_iter();
        builders.map(|partition| partition.table).collect()
    }

    /// Completes the layer: on disk if a part of it is there or if it is large, else in memory.
    pub(super) fn finish(mut self, resources: &Resources<'_>) -> Result<Layer<K, N>, SweepEnd> {
        let is_large = bytes_of::<K, N>(self.len()) > resources.bytes / LAYER_MEMORY_DIVISOR;
        if !is_large && !self.is_on_disk() {
            self.file = None;
        }
        self.write(resources)
    }

    /// Completes the layer: on disk if there is a file for it, else in memory.
    pub(super) fn write(self, resources: &Resources<'_>) -> Result<Layer<K, N>, SweepEnd> {
        let is_large = self.len() >= MIN_SHARED_BATCH;
        let NextLayer { builders, file, .. } = self;
        let mut partitions: Vec<(PartitionBuilder<K, N>, Partition<K, N>)> = builders
            .into_iter()
            .map(|partition| (partition, Partition::Disk(Vec::new())))
            .collect();
        resources.for_each(is_large, &mut partitions, |_, (builder, partition)| {
            if (resources.stop)() {
                return Err(SweepEnd::Stopped);
            }
            if let Some(file) = &file {
                if builder.table.len() > 0 {
                    builder.write(resources, file)?;
                }
                std::mem::take(&mut builder.table).into_vec(&resources.memory);
                *partition = Partition::Disk(std::mem::take(&mut builder.runs));
            } else {
                let table = std::mem::take(&mut builder.table);
                *partition = Partition::Memory(table.into_vec(&resources.memory));
            }
            Ok(())
        })?;
        Ok(Layer {
            partitions: partitions
                .into_iter()
                .map(|(_, partition)| partition)
                .collect(),
            file,
            kept: None,
        })
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
            let partitioning = Partitioning {
                partitions: targets.len(),
            };
            let first_blocks = count * targets.len();
            let blocks = (*batch_size / BLOCK).max(2 * first_blocks);
            let batch = Batch {
                layer: self,
                transition,
                chunks,
                partitioning,
                max_blocks: blocks / count,
                read_bytes: resources.read_bytes(),
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
        resources.memory.release(resources.all_read_bytes());
        Ok(())
    }
}

/// Whether the next layer is likely to outgrow the memory, extrapolated from its number of combinations at two shares of the layer before.
/// The number grows as a power of the share, as later combinations more often lead to ones that are known.
fn outgrows<K: Key, N: PathCount>(
    builders: &[PartitionBuilder<K, N>],
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
    let bytes_to_grow = |partition: &PartitionBuilder<K, N>| {
        let len = factor * partition.table.len() as f64;
        partition.table.bytes_to_grow(len as usize)
    };
    builders.iter().map(bytes_to_grow).sum::<u64>() > resources.memory.remaining()
}

/// Splits the partitions when they have become large, unless part of them is on disk or the memory does not suffice.
fn split<K: Key, N: PathCount>(
    builders: &mut Vec<PartitionBuilder<K, N>>,
    resources: &Resources<'_>,
) -> Result<(), SweepEnd> {
    let count = builders.len();
    let factor = MAX_SPLIT_FACTOR.min(resources.max_partitions::<K, N>() / count);
    let len: usize = builders.iter().map(|partition| partition.table.len()).sum();
    let tables = builders.iter().map(|partition| &partition.table);
    let needed: u64 = tables.map(|table| table.split_bytes(factor)).sum();
    if factor < 2
        || (len as u64) < 4 * COMBINATIONS_PER_PARTITION * count as u64
        || needed > resources.memory.remaining()
        || builders.iter().any(|partition| !partition.runs.is_empty())
    {
        return Ok(());
    }
    let partitioning = Partitioning {
        partitions: count * factor,
    };
    let tables = builders.drain(..).map(|partition| vec![partition.table]);
    let mut tables: Vec<Vec<Table<K, N>>> = tables.collect();
    resources.for_each(true, &mut tables, |_, tables| {
        if (resources.stop)() {
            return Err(SweepEnd::Stopped);
        }
        let table = tables.pop().unwrap_or_default();
        *tables = table
            .split(factor, partitioning, &resources.memory)
            .ok_or(SweepEnd::Full)?;
        Ok(())
    })?;
    let tables = tables.into_iter().flatten();
    builders.extend(tables.map(PartitionBuilder::new));
    Ok(())
}

#[cfg(test)]
mod tests;
