//! Moves the frontier past one line: from the combinations of a layer to those of the next one.
//!
//! The successors are generated in batches of two phases, so that threads need no locks. In the first phase each thread takes chunks of the
//! layer, generates their successors and partitions these by hash into memory of its own. In the second phase one thread takes each
//! partition, and adds up in a table the path counts that all threads have put into it. Memory is charged before it is allocated. When it
//! is used up and there is a scratch folder, a table is written there as a sorted run and emptied; the runs are merged when they are read.

use rayon::prelude::*;

use super::allowance::{Allowance, ShouldStop, SweepEnd};
use super::key::{Key, PathCount};
use super::layer::{Chunks, Layer, Partition};
use super::memory::Memory;
use super::partitioner::{Batch, Partitioner};
use super::runs::{Merge, ScratchFile, SortedRun, max_merged_runs};
use super::table::{Added, BLOCK, Partitioning, Table, bytes_of};
use super::transition::Transition;
use crate::count::scratch::Scratch;
use crate::solutions::Count;

/// Intended number of combinations in a partition, and the maximum number of partitions.
const COMBINATIONS_PER_PARTITION: u64 = 1 << 12;
const MAX_PARTITIONS: usize = 1 << 12;

/// When the partitions have on average more than 4 times the intended number of combinations, each is split into at most this number.
const MAX_SPLIT_FACTOR: usize = 8;

/// Successors in the first batch, and the factor by which each later batch is larger.
const FIRST_BATCH: usize = 1 << 14;
const BATCH_GROWTH: usize = 4;

/// From this number of combinations on, all threads work on a batch.
const MIN_SHARED_BATCH: usize = 1 << 16;

/// A batch has at most this number of bytes, and at most the memory divided by this divisor.
const MAX_BATCH_BYTES: u64 = 1 << 26;
const BATCH_MEMORY_DIVISOR: u64 = 8;

/// The memory divided by this is for the buffers that read from disk.
const READ_MEMORY_DIVISOR: u64 = 16;

/// Where there is a scratch folder, a layer stays in memory if it takes at most the memory divided by this.
const LAYER_MEMORY_DIVISOR: u64 = 4;

/// Maximum number of combinations in a chunk of a layer.
const MAX_CHUNK: u64 = 1 << 10;

/// Combinations merged or joined between two polls of `stop`.
const COMBINATIONS_PER_POLL: u64 = 1 << 14;

/// The meeting of the frontiers may take its forecast times this margin, if the forecast is at most this multiple of what the sweep has taken.
/// The margin is large because each class of fillings takes a pass of its own, and one that does not fit into the memory is begun again.
const MEETING_MARGIN: f64 = 6.0;
const MAX_MEETING: f64 = 3.0;

/// The remaining resources of a sweep.
pub(crate) struct Resources<'s> {
    pub(crate) memory: Memory,
    /// Bytes of memory at the beginning.
    bytes: u64,
    combination_ns: u64,
    /// Number of combinations that may still be read or generated.
    combinations: u64,
    /// That number at the beginning, and with what has been granted since.
    max_combinations: u64,
    granted: u64,
    may_exceed: bool,
    /// The least forecast so far of the combinations from the beginning of a line to the end of the sweep.
    forecast: f64,
    /// The value of `combinations` at the last forecast.
    at_forecast: u64,
    threads: usize,
    pub(crate) stop: ShouldStop<'s>,
    scratch: Option<&'s Scratch>,
}

impl<'s> Resources<'s> {
    /// `combination_ns`: nanoseconds per combination.
    pub(crate) fn new(allowance: Allowance<'s>, combination_ns: u64, stop: ShouldStop<'s>) -> Self {
        let max_combinations = allowance.work_ns / combination_ns;
        Resources {
            memory: Memory::new(allowance.bytes),
            bytes: allowance.bytes,
            combination_ns,
            combinations: max_combinations,
            max_combinations,
            granted: max_combinations,
            may_exceed: allowance.may_exceed,
            forecast: f64::INFINITY,
            at_forecast: max_combinations,
            threads: allowance.threads,
            stop,
            scratch: allowance.scratch,
        }
    }

    /// Whether a forecast that takes `cost` steps is worth them: at least as many combinations have been read or generated since the last.
    pub(crate) fn wants_forecast(&self, cost: u64) -> bool {
        self.at_forecast.saturating_sub(self.combinations) >= cost
    }

    /// Records a forecast of the combinations from here, the beginning of a line, to the end of the sweep.
    pub(crate) fn record_forecast(&mut self, forecast: f64) {
        self.forecast = self.forecast.min(forecast);
        self.at_forecast = self.combinations;
    }

    /// Grants the combinations that the meeting of the frontiers is expected to take, if they are few compared with those of the sweep so
    /// far: a sweep that starts over later has to do all of it again.
    pub(crate) fn grant_meeting(&mut self, forecast: f64) {
        let spent = self.granted - self.combinations;
        if self.may_exceed && forecast < MAX_MEETING * spent as f64 {
            let needed = (MEETING_MARGIN * forecast) as u64;
            self.granted = self.granted.max(spent.saturating_add(needed));
            self.combinations = self.combinations.max(needed);
        }
    }

    /// Subtracts combinations that have been read or generated. If they do not remain, but the sweep has ever been expected to end with as
    /// many as at the beginning, twice as many as at the beginning are granted, once: a sweep that starts over later has to do the same
    /// work again.
    fn spend(&mut self, combinations: u64) -> Result<(), SweepEnd> {
        let max = self.max_combinations;
        let may_exceed = self.may_exceed && self.granted == max && self.forecast < max as f64;
        if combinations > self.combinations && may_exceed {
            self.granted = max.saturating_mul(3);
            self.combinations = self.combinations.saturating_add(self.granted - max);
        }
        let Some(left) = self.combinations.checked_sub(combinations) else {
            return Err(SweepEnd::Spent(
                self.combination_ns as f64 * self.granted as f64,
            ));
        };
        self.combinations = left;
        Ok(())
    }

    /// The number of partitioners for a large batch: more than there are threads, so that no thread waits long for the others.
    fn partitioners(&self) -> usize {
        match self.threads {
            1 => 1,
            threads => 2 * threads,
        }
    }

    /// Maximum number of successors in a batch.
    fn max_batch<K, N>(&self) -> usize {
        let bytes = (self.bytes / BATCH_MEMORY_DIVISOR).min(MAX_BATCH_BYTES);
        (bytes / bytes_of::<K, N>(1)) as usize
    }

    /// Maximum number of partitions such that most blocks of a batch are filled.
    fn max_partitions<K, N>(&self) -> usize {
        let partitions = self.max_batch::<K, N>() / self.partitioners() / BLOCK / 4;
        (partitions + 1)
            .next_power_of_two()
            .div_ceil(2)
            .min(MAX_PARTITIONS)
    }

    /// Bytes of the buffers for reading one partition from disk.
    fn read_bytes(&self) -> u64 {
        self.bytes / READ_MEMORY_DIVISOR / (self.partitioners() + self.threads) as u64
    }

    /// Runs `work` on all items, on all threads if `is_large`.
    fn for_each<T: Send>(
        &self,
        is_large: bool,
        items: &mut [T],
        work: impl Fn(usize, &mut T) -> Result<(), SweepEnd> + Sync,
    ) -> Result<(), SweepEnd> {
        let mut items = items.iter_mut().enumerate();
        match is_large && self.threads > 1 {
            true => items
                .collect::<Vec<_>>()
                .into_par_iter()
                .try_for_each(|(i, item)| work(i, item)),
            false => items.try_for_each(|(i, item)| work(i, item)),
        }
    }
}

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
        file: Option<&ScratchFile<'_>>,
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
    fn write(&mut self, resources: &Resources<'_>, file: &ScratchFile<'_>) -> Result<(), SweepEnd> {
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

/// The partitions of the next layer, and the file for what exceeds the memory.
type LayerBuilder<'s, K, N> = (Vec<PartitionBuilder<K, N>>, Option<ScratchFile<'s>>);

/// A partition of one layer of a join, and the sum so far of the products with the path counts of the other layer.
#[derive(Debug)]
struct JoinPartition<K, N> {
    table: Table<K, N>,
    sum: ProductSum,
}

/// A sum of products of path counts: of `small`, and of `large` for what `small` cannot hold.
#[derive(Debug, Default)]
struct ProductSum {
    large: Count,
    small: u128,
}

impl ProductSum {
    /// Adds the product of two numbers.
    #[inline]
    fn add(&mut self, a: u128, b: u128) {
        let sum = a.checked_mul(b);
        match sum.and_then(|product| self.small.checked_add(product)) {
            Some(sum) => self.small = sum,
            None => {
                let mut product = Count::small(a);
                product *= &Count::small(b);
                self.large += &product;
            }
        }
    }

    fn total(mut self) -> Count {
        self.large += &Count::small(self.small);
        self.large
    }
}

impl<'s, K: Key, N: PathCount> Layer<'s, K, N> {
    /// The layer behind the next line.
    pub(crate) fn advance(
        mut self,
        transition: &Transition<'_, K>,
        resources: &mut Resources<'s>,
    ) -> Result<Layer<'s, K, N>, SweepEnd> {
        let (partitions, file) = self.build_next(transition, None, resources, true)?;
        let is_on_disk = resources.scratch.is_some() && {
            let len: usize = partitions
                .iter()
                .map(|partition| partition.table.len())
                .sum();
            let is_large = bytes_of::<K, N>(len) > resources.bytes / LAYER_MEMORY_DIVISOR;
            is_large
                || partitions
                    .iter()
                    .any(|partition| !partition.runs.is_empty())
        };
        finish(partitions, file.filter(|_| is_on_disk), resources)
    }

    /// Generates what both layers lead to behind the line between them. Returns the sum, over all combinations that both results contain,
    /// of the product of the two path counts.
    pub(crate) fn join(
        &mut self,
        transition: &Transition<'_, K>,
        other: &mut Layer<'s, K, N>,
        transition_of_other: &Transition<'_, K>,
        resources: &mut Resources<'s>,
    ) -> Result<Count, SweepEnd> {
        let (others, file) = other.build_next(transition_of_other, None, resources, false)?;
        let sums: Vec<ProductSum> = if others.iter().any(|partition| !partition.runs.is_empty()) {
            let count = others.len();
            let others = finish(others, file, resources)?;
            let (own, file) = self.build_next(transition, Some(count), resources, false)?;
            let own = finish(own, file, resources)?;
            let mut sums: Vec<ProductSum> = (0..count).map(|_| ProductSum::default()).collect();
            resources.for_each(true, &mut sums, |i, sum| {
                own.join_on_disk(&others, i, sum, resources)
            })?;
            sums
        } else {
            let partition = |partition: PartitionBuilder<K, N>| JoinPartition {
                table: partition.table,
                sum: ProductSum::default(),
            };
            let mut others: Vec<_> = others.into_iter().map(partition).collect();
            self.generate_successors(
                transition,
                &mut others,
                resources,
                false,
                |partition, block, _| {
                    for &(key, paths) in block {
                        if let Some(others) = partition.table.get(key) {
                            partition.sum.add(paths.wide(), others.wide());
                        }
                    }
                    Ok(())
                },
                |_, _| Ok(()),
            )?;
            others.into_iter().map(|partition| partition.sum).collect()
        };
        let mut total = Count::ZERO;
        sums.into_iter().for_each(|sum| total += &sum.total());
        Ok(total)
    }

    /// Builds the next layer in this number of partitions, or, for `None`, in a number that fits its size. If `frees`, the memory of this
    /// layer is freed where it has been read.
    fn build_next(
        &mut self,
        transition: &Transition<'_, K>,
        partitions: Option<usize>,
        resources: &mut Resources<'s>,
        frees: bool,
    ) -> Result<LayerBuilder<'s, K, N>, SweepEnd> {
        let file = resources.scratch.map(ScratchFile::new).transpose()?;
        let max = resources.max_partitions::<K, N>();
        let wanted = usize::try_from(self.len() / COMBINATIONS_PER_PARTITION).unwrap_or(usize::MAX);
        let count = partitions.unwrap_or_else(|| {
            (wanted.min(MAX_PARTITIONS) + 1)
                .next_power_of_two()
                .min(max)
        });
        let new = || PartitionBuilder::new(Table::default());
        let mut builders: Vec<PartitionBuilder<K, N>> = (0..count).map(|_| new()).collect();
        self.generate_successors(
            transition,
            &mut builders,
            resources,
            frees,
            |partition, block, resources| partition.add(block, resources, file.as_ref()),
            |builders, resources| match partitions {
                None => split(builders, max, resources),
                Some(_) => Ok(()),
            },
        )?;
        Ok((builders, file))
    }

    /// Partitions the successors of all combinations by hash among `targets`. `take` adds a block of them to a target; `after_batch` may
    /// split the targets. If `frees`, the memory of this layer is freed where it has been read.
    fn generate_successors<T: Send>(
        &mut self,
        transition: &Transition<'_, K>,
        targets: &mut Vec<T>,
        resources: &mut Resources<'s>,
        frees: bool,
        take: impl Fn(&mut T, &[(K, N)], &Resources<'s>) -> Result<(), SweepEnd> + Sync,
        mut after_batch: impl FnMut(&mut Vec<T>, &Resources<'s>) -> Result<(), SweepEnd>,
    ) -> Result<(), SweepEnd> {
        let max_batch = resources.max_batch::<K, N>();
        let charged = Partitioner::<K, N>::bytes(max_batch)
            + resources
                .scratch
                .map_or(0, |_| resources.bytes / READ_MEMORY_DIVISOR);
        if !resources.memory.try_reserve(charged) {
            return Err(SweepEnd::Full);
        }
        let chunk = self.len() / (8 * resources.partitioners() as u64);
        let chunks = Chunks::new(self, chunk.clamp(1, MAX_CHUNK) as usize);
        let mut partitioners = vec![Partitioner::new(transition)];
        let mut size = FIRST_BATCH.max(4 * targets.len() * BLOCK).min(max_batch);
        let mut freed = 0;
        loop {
            if size >= MIN_SHARED_BATCH {
                partitioners.resize_with(resources.partitioners(), || Partitioner::new(transition));
            }
            let (stop, count) = (resources.stop, partitioners.len());
            let partitioning = Partitioning {
                partitions: targets.len(),
            };
            let batch = Batch {
                layer: self,
                chunks: &chunks,
                partitioning,
                max_generated: size / count,
                max_work: resources.combinations / count as u64 + 1,
                read_bytes: resources.read_bytes(),
            };
            let is_large = count > 1;
            resources.for_each(is_large, &mut partitioners, |_, partitioner| {
                partitioner.fill(&batch, stop)
            })?;
            resources.for_each(is_large, targets, |i, target| {
                let mut filled = partitioners.iter();
                filled.try_for_each(|partitioner| {
                    partitioner.for_each_block(i, |block| take(target, block, resources))
                })
            })?;
            let work = partitioners
                .iter()
                .map(|partitioner| partitioner.work)
                .sum();
            resources.spend(work)?;
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
            let read = read.filter(|_| frees).unwrap_or(freed);
            for partition in freed..read {
                self.free(partition, &resources.memory);
            }
            freed = read;
            after_batch(targets, resources)?;
            size = (size * BATCH_GROWTH).min(max_batch);
        }
        if frees {
            for partition in freed..self.partitions.len() {
                self.free(partition, &resources.memory);
            }
        }
        resources.memory.release(charged);
        Ok(())
    }

    /// Adds to `sum` the products of the path counts of the combinations that both layers have in common, for one partition. Both layers
    /// are on disk.
    fn join_on_disk(
        &self,
        other: &Self,
        partition: usize,
        sum: &mut ProductSum,
        resources: &Resources<'_>,
    ) -> Result<(), SweepEnd> {
        let read = |layer: &Self| match (&layer.partitions[partition], &layer.file) {
            (Partition::Disk(runs), Some(file)) => {
                Merge::<K, N>::new(file, runs, resources.read_bytes())
            }
            _ => unreachable!("all partitions have been written to disk"),
        };
        let files = self.file.as_ref().zip(other.file.as_ref());
        let (of_self, of_other) = files.expect("both layers are on disk");
        let (mut own, mut others) = (read(self)?, read(other)?);
        let (mut a, mut b) = (own.next(of_self)?, others.next(of_other)?);
        let mut combinations = 0;
        while let (Some((key, paths)), Some((other, other_paths))) = (a, b) {
            combinations += 1;
            if combinations % COMBINATIONS_PER_POLL == 0 && (resources.stop)() {
                return Err(SweepEnd::Stopped);
            }
            if key == other {
                sum.add(paths.wide(), other_paths.wide());
            }
            if key <= other {
                a = own.next(of_self)?;
            }
            if other <= key {
                b = others.next(of_other)?;
            }
        }
        Ok(())
    }
}

/// Splits the partitions when they have become large, unless part of them is on disk or the memory does not suffice.
fn split<K: Key, N: PathCount>(
    builders: &mut Vec<PartitionBuilder<K, N>>,
    max_partitions: usize,
    resources: &Resources<'_>,
) -> Result<(), SweepEnd> {
    let count = builders.len();
    let factor = MAX_SPLIT_FACTOR.min(max_partitions / count);
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

/// Completes a layer: on disk if there is a file for it, else in memory.
fn finish<'s, K: Key, N: PathCount>(
    builders: Vec<PartitionBuilder<K, N>>,
    file: Option<ScratchFile<'s>>,
    resources: &Resources<'s>,
) -> Result<Layer<'s, K, N>, SweepEnd> {
    let len: usize = builders.iter().map(|partition| partition.table.len()).sum();
    let mut partitions: Vec<(PartitionBuilder<K, N>, Partition<K, N>)> = builders
        .into_iter()
        .map(|partition| (partition, Partition::Disk(Vec::new())))
        .collect();
    let is_large = len >= MIN_SHARED_BATCH;
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(combinations: u64) -> Resources<'static> {
        let allowance = Allowance {
            bytes: 1 << 20,
            work_ns: 100 * combinations,
            may_exceed: true,
            threads: 1,
            scratch: None,
        };
        Resources::new(allowance, 100, &|| false)
    }

    /// A sweep of a random 15x15 puzzle gave up shortly before its end, and the next one began again.
    #[test]
    fn a_sweep_that_has_got_to_its_last_line_may_end() {
        let mut resources = resources(1000);
        assert!(resources.spend(900).is_ok());
        resources.grant_meeting(2000.0);
        assert!(resources.spend(12_000).is_ok());
        // The work of the whole sweep, in nanoseconds.
        assert_eq!(resources.spend(1), Err(SweepEnd::Spent(1_290_000.0)));
    }

    #[test]
    fn a_long_meeting_needs_a_round_with_more_work() {
        let mut resources = resources(1000);
        assert!(resources.spend(900).is_ok());
        resources.grant_meeting(2800.0);
        assert!(resources.spend(100).is_ok());
        assert_eq!(resources.spend(1), Err(SweepEnd::Spent(100_000.0)));
    }

    #[test]
    fn a_sweep_that_was_expected_to_end_is_granted_more_once() {
        let mut resources = resources(1000);
        resources.record_forecast(999.0);
        assert!(resources.spend(3000).is_ok());
        assert_eq!(resources.spend(1), Err(SweepEnd::Spent(300_000.0)));
    }
}
