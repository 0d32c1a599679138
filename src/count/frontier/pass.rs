//! One line further: the combinations that those of a layer lead to.
//!
//! In batches of two phases, so that threads need no locks. First each thread takes pieces of the layer and deals out by hash what they
//! lead to, into memory of its own; then each part is taken by one thread, which adds up in a table the ways of what all threads have
//! dealt to it. Memory is charged before it is taken. Where it ends, and there is a folder for scratch, a table is written there as a
//! sorted run and begun anew, and the runs are merged when they are read.

use rayon::prelude::*;

use super::allowance::{Allowance, Stop, SweepEnd};
use super::deal::{Batch, Dealer};
use super::key::{Key, PathCount};
use super::layer::{Layer, Partition, Pieces};
use super::memory::Memory;
use super::runs::{Merge, ScratchFile, SortedRun, most_runs};
use super::table::{Added, BLOCK, Deal, Table, bytes_of};
use super::transition::Transition;
use crate::count::scratch::Scratch;
use crate::solutions::Count;

/// Combinations that a part has, roughly, and the largest number of parts.
const IN_PART: u64 = 1 << 12;
const MAX_PARTITIONS: usize = 1 << 12;

/// When the parts hold more than half of this factor times as many combinations as they should, each is split into this number of parts.
const SPLIT: usize = 8;

/// Combinations that the first batch leads to; the factor by which each later batch is larger; and the size from which on all threads work
/// on a batch.
const FIRST: usize = 1 << 14;
const LARGER: usize = 4;
const SHARED: usize = 1 << 16;

/// Most bytes of a batch, and its share of the memory.
const BATCH: u64 = 1 << 26;
const BATCH_SHARE: u64 = 8;

/// The share of the memory for reading from disk; and that of a layer that stays in memory where there is a folder for scratch.
const READING_SHARE: u64 = 16;
const STAY_SHARE: u64 = 4;

/// Most combinations in a piece of a layer.
const PIECE: u64 = 1 << 10;

/// Combinations merged or matched between two looks at whether to stop.
const POLLED: u64 = 1 << 14;

/// What a sweep works with.
pub(crate) struct Means<'s> {
    pub(crate) memory: Memory,
    /// Bytes in all.
    bytes: u64,
    /// Combinations that may still be passed.
    passed: u64,
    threads: usize,
    pub(crate) stop: Stop<'s>,
    scratch: Option<&'s Scratch>,
}

impl<'s> Means<'s> {
    pub(crate) fn new(allowance: Allowance<'s>, stop: Stop<'s>) -> Self {
        Means {
            memory: Memory::new(allowance.bytes),
            bytes: allowance.bytes,
            passed: allowance.passed,
            threads: allowance.threads,
            stop,
            scratch: allowance.scratch,
        }
    }

    /// How many deal, when a batch is large: more than there are threads, so that none waits long for the others.
    fn dealers(&self) -> usize {
        match self.threads {
            1 => 1,
            threads => 2 * threads,
        }
    }

    /// Most combinations led to in a batch.
    fn room<K, N>(&self) -> usize {
        let bytes = (self.bytes / BATCH_SHARE).min(BATCH);
        (bytes / bytes_of::<K, N>(1)) as usize
    }

    /// The largest number of parts with which most blocks of a batch are still filled.
    fn most_parts<K, N>(&self) -> usize {
        let partitions = self.room::<K, N>() / self.dealers() / BLOCK / 4;
        (partitions + 1)
            .next_power_of_two()
            .div_ceil(2)
            .min(MAX_PARTITIONS)
    }

    /// Bytes for reading one part from disk.
    fn reading(&self) -> u64 {
        self.bytes / READING_SHARE / (self.dealers() + self.threads) as u64
    }

    /// Runs `work` on all parts, on all threads if it is much.
    fn each<T: Send>(
        &self,
        much: bool,
        partitions: &mut [T],
        work: impl Fn(usize, &mut T) -> Result<(), SweepEnd> + Sync,
    ) -> Result<(), SweepEnd> {
        let mut partitions = partitions.iter_mut().enumerate();
        match much && self.threads > 1 {
            true => partitions
                .collect::<Vec<_>>()
                .into_par_iter()
                .try_for_each(|(i, partition)| work(i, partition)),
            false => partitions.try_for_each(|(i, partition)| work(i, partition)),
        }
    }
}

/// A part of the combinations that a layer leads to.
#[derive(Debug)]
struct Growing<K, N> {
    table: Table<K, N>,
    /// What did not fit into memory.
    runs: Vec<SortedRun>,
}

impl<K: Key, N: PathCount> Growing<K, N> {
    fn new(table: Table<K, N>) -> Self {
        Growing {
            table,
            runs: Vec::new(),
        }
    }

    fn add(
        &mut self,
        block: &[(K, N)],
        means: &Means<'_>,
        sheet: Option<&ScratchFile<'_>>,
    ) -> Result<(), SweepEnd> {
        match (self.table.add(block, &means.memory), sheet) {
            (Added::All, _) => Ok(()),
            (Added::Overflow, _) => Err(SweepEnd::Overflow),
            (Added::Full, None) => Err(SweepEnd::Full),
            (Added::Full, Some(sheet)) => {
                if self.table.len() == 0 {
                    // The first table is small.
                    self.table.begin(&means.memory);
                } else {
                    self.write(means, sheet)?;
                }
                match self.table.add(block, &means.memory) {
                    Added::All => Ok(()),
                    Added::Overflow => Err(SweepEnd::Overflow),
                    Added::Full => Err(SweepEnd::Full),
                }
            }
        }
    }

    /// Writes the table to disk.
    fn write(&mut self, means: &Means<'_>, sheet: &ScratchFile<'_>) -> Result<(), SweepEnd> {
        // The sorted copy stands beside the table until it is written.
        let bytes = bytes_of::<K, N>(self.table.len());
        means.memory.owe(bytes);
        let combinations = self.table.drain();
        let len = combinations.len() as u64;
        let run = sheet.write(len, combinations.into_iter().map(Ok))?;
        means.memory.give(bytes);
        self.runs.push(run);
        if (means.stop)() {
            return Err(SweepEnd::Stopped);
        }
        if self.runs.len() >= most_runs(means.reading()) {
            let mut merge = Merge::<K, N>::new(sheet, &self.runs, means.reading())?;
            let most = self.runs.iter().map(|run| run.len).sum();
            let mut passed = 0;
            let merged = std::iter::from_fn(|| {
                passed += 1;
                match passed % POLLED == 0 && (means.stop)() {
                    true => Some(Err(SweepEnd::Stopped)),
                    false => merge.next(sheet).transpose(),
                }
            });
            self.runs = vec![sheet.write(most, merged)?];
        }
        Ok(())
    }
}

/// The parts of a layer that is being made, and where they go when there is no memory for them.
type Grown<'s, K, N> = (Vec<Growing<K, N>>, Option<ScratchFile<'s>>);

/// A part of what a front meets, and the sum of what it has met.
#[derive(Debug)]
struct Meeting<K, N> {
    table: Table<K, N>,
    sum: Sum,
}

/// A sum of products.
#[derive(Debug, Default)]
struct Sum {
    large: Count,
    small: u128,
}

impl Sum {
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
    /// The combinations that these lead to.
    pub(crate) fn step(
        self,
        step: &Transition<'_, K>,
        means: &mut Means<'s>,
    ) -> Result<Layer<'s, K, N>, SweepEnd> {
        let (partitions, sheet) = self.grow(step, None, means)?;
        let on_disk = means.scratch.is_some() && {
            let len: usize = partitions
                .iter()
                .map(|partition| partition.table.len())
                .sum();
            let large = bytes_of::<K, N>(len) > means.bytes / STAY_SHARE;
            large
                || partitions
                    .iter()
                    .any(|partition| !partition.runs.is_empty())
        };
        finish(partitions, sheet.filter(|_| on_disk), means)
    }

    /// The sum over all pairs of a combination of `self` and one of `other` that go together: those where the step of both leads to the
    /// same.
    pub(crate) fn join(
        self,
        step: &Transition<'_, K>,
        other: Layer<'s, K, N>,
        step_of_other: &Transition<'_, K>,
        means: &mut Means<'s>,
    ) -> Result<Count, SweepEnd> {
        let (met, sheet) = other.grow(step_of_other, None, means)?;
        let sums: Vec<Sum> = if met.iter().any(|partition| !partition.runs.is_empty()) {
            let count = met.len();
            let met = finish(met, sheet, means)?;
            let (own, sheet) = self.grow(step, Some(count), means)?;
            let own = finish(own, sheet, means)?;
            let mut sums: Vec<Sum> = (0..count).map(|_| Sum::default()).collect();
            means.each(true, &mut sums, |i, sum| own.match_up(&met, i, sum, means))?;
            sums
        } else {
            let meeting = |partition: Growing<K, N>| Meeting {
                table: partition.table,
                sum: Sum::default(),
            };
            let mut met: Vec<_> = met.into_iter().map(meeting).collect();
            self.pass(
                step,
                &mut met,
                means,
                |partition, block, _| {
                    for &(key, ways) in block {
                        if let Some(others) = partition.table.get(key) {
                            partition.sum.add(ways.wide(), others.wide());
                        }
                    }
                    Ok(())
                },
                |_, _| Ok(()),
            )?;
            met.into_iter().map(|partition| partition.sum).collect()
        };
        let mut total = Count::ZERO;
        sums.into_iter().for_each(|sum| total += &sum.total());
        Ok(total)
    }

    /// What these lead to, in this many parts or as many as are good.
    fn grow(
        self,
        step: &Transition<'_, K>,
        partitions: Option<usize>,
        means: &mut Means<'s>,
    ) -> Result<Grown<'s, K, N>, SweepEnd> {
        let sheet = means.scratch.map(ScratchFile::new).transpose()?;
        let most = means.most_parts::<K, N>();
        let good = usize::try_from(self.len() / IN_PART).unwrap_or(usize::MAX);
        let good = partitions
            .unwrap_or_else(|| (good.min(MAX_PARTITIONS) + 1).next_power_of_two().min(most));
        let new = || Growing::new(Table::default());
        let mut growing: Vec<Growing<K, N>> = (0..good).map(|_| new()).collect();
        self.pass(
            step,
            &mut growing,
            means,
            |partition, block, means| partition.add(block, means, sheet.as_ref()),
            |growing, means| match partitions {
                None => split(growing, most, means),
                Some(_) => Ok(()),
            },
        )?;
        Ok((growing, sheet))
    }

    /// Deals out to `targets`, by hash, what each combination leads to, which they take; after each batch
    /// they may be changed.
    fn pass<T: Send>(
        mut self,
        step: &Transition<'_, K>,
        targets: &mut Vec<T>,
        means: &mut Means<'s>,
        take: impl Fn(&mut T, &[(K, N)], &Means<'s>) -> Result<(), SweepEnd> + Sync,
        mut change: impl FnMut(&mut Vec<T>, &Means<'s>) -> Result<(), SweepEnd>,
    ) -> Result<(), SweepEnd> {
        let most = means.room::<K, N>();
        let charged =
            Dealer::<K, N>::bytes(most) + means.scratch.map_or(0, |_| means.bytes / READING_SHARE);
        if !means.memory.take(charged) {
            return Err(SweepEnd::Full);
        }
        let share = self.len() / (8 * means.dealers() as u64);
        let pieces = Pieces::new(&self, share.clamp(1, PIECE) as usize);
        let mut dealers = vec![Dealer::new(step)];
        let mut size = FIRST.max(4 * targets.len() * BLOCK).min(most);
        let mut freed = 0;
        loop {
            if size >= SHARED {
                dealers.resize_with(means.dealers(), || Dealer::new(step));
            }
            let (stop, count) = (means.stop, dealers.len());
            let deal = Deal {
                partitions: targets.len(),
            };
            let batch = Batch {
                layer: &self,
                pieces: &pieces,
                deal,
                room: size / count,
                work: means.passed / count as u64 + 1,
                bytes: means.reading(),
            };
            let much = count > 1;
            means.each(much, &mut dealers, |_, dealer| dealer.deal(&batch, stop))?;
            means.each(much, targets, |i, target| {
                let mut dealt = dealers.iter();
                dealt.try_for_each(|dealer| dealer.each(i, |block| take(target, block, means)))
            })?;
            let work = dealers.iter().map(|dealer| dealer.work).sum();
            let left = means.passed.checked_sub(work);
            means.passed = left.ok_or(SweepEnd::Spent(0.0))?;
            if stop() {
                return Err(SweepEnd::Stopped);
            }
            let next = pieces.partition();
            if next.is_none() && !dealers.iter().any(Dealer::is_open) {
                break;
            }
            let read = dealers
                .iter()
                .filter_map(Dealer::partition)
                .chain(next)
                .min();
            for partition in freed..read.unwrap_or(freed) {
                self.free(partition, &means.memory);
            }
            freed = read.unwrap_or(freed);
            change(targets, means)?;
            size = (size * LARGER).min(most);
        }
        for partition in freed..self.partitions.len() {
            self.free(partition, &means.memory);
        }
        means.memory.give(charged);
        Ok(())
    }

    /// Adds up the products of the combinations that a part of this layer has in common with the same part of another. Both are on disk.
    fn match_up(
        &self,
        other: &Self,
        partition: usize,
        sum: &mut Sum,
        means: &Means<'_>,
    ) -> Result<(), SweepEnd> {
        let read = |layer: &Self| match (&layer.partitions[partition], &layer.sheet) {
            (Partition::Disk(runs), Some(sheet)) => {
                Merge::<K, N>::new(sheet, runs, means.reading())
            }
            _ => unreachable!("all parts have been written"),
        };
        let sheets = self.sheet.as_ref().zip(other.sheet.as_ref());
        let (of_self, of_other) = sheets.expect("both are on disk");
        let (mut own, mut others) = (read(self)?, read(other)?);
        let (mut a, mut b) = (own.next(of_self)?, others.next(of_other)?);
        let mut passed = 0;
        while let (Some((key, ways)), Some((other, others_ways))) = (a, b) {
            passed += 1;
            if passed % POLLED == 0 && (means.stop)() {
                return Err(SweepEnd::Stopped);
            }
            if key == other {
                sum.add(ways.wide(), others_ways.wide());
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

/// Makes more parts when they have grown large, unless something of them is on disk, or there is no memory to do so.
fn split<K: Key, N: PathCount>(
    growing: &mut Vec<Growing<K, N>>,
    most: usize,
    means: &Means<'_>,
) -> Result<(), SweepEnd> {
    let count = growing.len();
    let times = SPLIT.min(most / count);
    let len: usize = growing.iter().map(|partition| partition.table.len()).sum();
    let tables = growing.iter().map(|partition| &partition.table);
    let needed: u64 = tables.map(|table| table.split_bytes(times)).sum();
    if times < 2
        || (len as u64) < 4 * IN_PART * count as u64
        || needed > means.memory.left()
        || growing.iter().any(|partition| !partition.runs.is_empty())
    {
        return Ok(());
    }
    let deal = Deal {
        partitions: count * times,
    };
    let tables = growing.drain(..).map(|partition| vec![partition.table]);
    let mut tables: Vec<Vec<Table<K, N>>> = tables.collect();
    means.each(true, &mut tables, |_, tables| {
        let table = tables.pop().unwrap_or_default();
        *tables = table
            .split(times, deal, &means.memory)
            .ok_or(SweepEnd::Full)?;
        Ok(())
    })?;
    let tables = tables.into_iter().flatten();
    growing.extend(tables.map(Growing::new));
    Ok(())
}

/// A layer that is complete, on disk if there is a sheet for it.
fn finish<'s, K: Key, N: PathCount>(
    growing: Vec<Growing<K, N>>,
    sheet: Option<ScratchFile<'s>>,
    means: &Means<'s>,
) -> Result<Layer<'s, K, N>, SweepEnd> {
    let len: usize = growing.iter().map(|partition| partition.table.len()).sum();
    let mut partitions: Vec<(Growing<K, N>, Partition<K, N>)> = growing
        .into_iter()
        .map(|partition| (partition, Partition::Disk(Vec::new())))
        .collect();
    let much = len >= SHARED;
    means.each(much, &mut partitions, |_, (growing, partition)| {
        if (means.stop)() {
            return Err(SweepEnd::Stopped);
        }
        if let Some(sheet) = &sheet {
            if growing.table.len() > 0 {
                growing.write(means, sheet)?;
            }
            std::mem::take(&mut growing.table).dense(&means.memory);
            *partition = Partition::Disk(std::mem::take(&mut growing.runs));
        } else {
            let table = std::mem::take(&mut growing.table);
            *partition = Partition::Memory(table.dense(&means.memory));
        }
        Ok(())
    })?;
    Ok(Layer {
        partitions: partitions
            .into_iter()
            .map(|(_, partition)| partition)
            .collect(),
        sheet,
    })
}
