//! The meeting of two frontiers: joins what both layers lead to behind the line between them.

use rustc_hash::FxHashSet;

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::layer::{Layer, Marks, Partition, Place};
use super::memory::Memory;
use super::pass::{COMBINATIONS_PER_POLL, Generation, NextLayer};
use super::resources::Resources;
use super::runs::Merge;
use super::table::Table;
use super::transition::Transition;
use crate::solutions::Count;

/// A layer that is joined, with its transition.
pub(super) type Joined<'j, K, N> = (&'j mut Layer<K, N>, &'j Transition<'j, K>);

/// A join under way. It can pause, and goes on with the same layers and transitions.
#[derive(Debug)]
pub(super) enum Join<K, N> {
    /// What the second layer leads to is being built.
    Second(NextLayer<K, N>),
    /// The successors of the first layer are looked up in what the second one leads to.
    InMemory(Vec<JoinPartition<K, N>>, Generation<K, N>),
    /// What the second layer leads to is on disk, and what the first one leads to is being built.
    OnDisk(Layer<K, N>, NextLayer<K, N>),
}

/// Bytes charged for each combination to which both layers lead: a set of them has at most twice as many places, and there is a list of all.
const fn met_bytes<K>() -> u64 {
    (3 * size_of::<K>() + 2) as u64
}

/// The result of a join: the number of fillings and, if they are wanted, the combinations to which both layers lead.
pub(super) type Joint<K> = (Count, Vec<K>);

/// A partition of what the second layer leads to, and the sum so far of the products with the path counts of the first one.
#[derive(Debug)]
pub(super) struct JoinPartition<K, N> {
    table: Table<K, N>,
    sum: ProductSum,
    /// If these are wanted: the combinations to which both layers lead.
    met: FxHashSet<K>,
}

/// A sum of products of path counts: of `small`, and of `large` for what `small` cannot hold.
#[derive(Debug, Default)]
pub(super) struct ProductSum {
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

impl<K: Key, N: PathCount> Join<K, N> {
    pub(super) fn new(
        second: &Layer<K, N>,
        transition: &Transition<'_, K>,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        NextLayer::new(second, transition, None, false, resources).map(Join::Second)
    }

    /// The share of the join that is done, roughly: each layer is half of it.
    pub(super) fn share(&self) -> f64 {
        match self {
            Join::Second(next) => next.share() / 2.0,
            Join::InMemory(_, generation) => (1.0 + generation.share()) / 2.0,
            Join::OnDisk(_, next) => (1.0 + next.share()) / 2.0,
        }
    }

    /// Goes on until all is joined or it pauses. Returns the sum, over all combinations to which both layers lead, of the product of the two
    /// path counts; and the join where it pauses. With `marks` of the first layer, it also returns these combinations, and marks those that
    /// lead to them.
    pub(super) fn run(
        self,
        marks: Option<&Marks>,
        (first, to_first): Joined<'_, K, N>,
        (second, to_second): Joined<'_, K, N>,
        resources: &mut Resources<'_>,
    ) -> Result<Result<Joint<K>, Self>, SweepEnd> {
        let mut join = self;
        let mut met = Vec::new();
        let sums: Vec<ProductSum> = loop {
            let ended = match &mut join {
                Join::Second(next) => next.build(second, to_second, resources),
                Join::InMemory(partitions, generation) => first.generate_successors(
                    generation,
                    to_first,
                    partitions,
                    resources,
                    |partition, block, layer, resources| match marks {
                        Some(marks) => partition.meet(block, layer, marks, &resources.memory),
                        None => {
                            partition.add(block);
                            Ok(())
                        }
                    },
                    |_, _, _| Ok(()),
                ),
                Join::OnDisk(_, next) => next.build(first, to_first, resources),
            };
            match ended {
                Ok(()) => {}
                Err(SweepEnd::Paused) => return Ok(Err(join)),
                Err(end) => return Err(end),
            }
            join = match join {
                Join::Second(next) if next.is_on_disk() => {
                    let second = next.write(resources)?;
                    let partitions = Some(second.partitions.len());
                    let next = NextLayer::new(first, to_first, partitions, false, resources)?;
                    Join::OnDisk(second, next)
                }
                Join::Second(next) => {
                    let partition = |table| JoinPartition {
                        table,
                        sum: ProductSum::default(),
                        met: FxHashSet::default(),
                    };
                    let tables = next.into_tables().into_iter();
                    let partitions: Vec<_> = tables.map(partition).collect();
                    let generation =
                        Generation::new(first, to_first, partitions.len(), false, resources)?;
                    let generation = match marks {
                        Some(_) => generation.with_places(),
                        None => generation,
                    };
                    Join::InMemory(partitions, generation)
                }
                Join::InMemory(partitions, _) => {
                    let sum = |partition: JoinPartition<K, N>| {
                        met.extend(partition.met);
                        partition.sum
                    };
                    break partitions.into_iter().map(sum).collect();
                }
                Join::OnDisk(second, next) => {
                    let first = next.write(resources)?;
                    let zero = |_: &Partition<K, N>| ProductSum::default();
                    let mut sums: Vec<ProductSum> = second.partitions.iter().map(zero).collect();
                    resources.for_each(true, &mut sums, |i, sum| {
                        first.join_on_disk(&second, i, sum, resources)
                    })?;
                    break sums;
                }
            };
        };
        let mut total = Count::ZERO;
        sums.into_iter().for_each(|sum| total += &sum.total());
        Ok(Ok((total, met)))
    }
}

impl<K: Key, N: PathCount> JoinPartition<K, N> {
    /// Adds the products for a block of successors of the first layer.
    #[inline]
    fn add(&mut self, block: &[(K, N)]) {
        for &(key, paths) in block {
            if let Some(others) = self.table.get(key) {
                self.sum.add(paths.wide(), others.wide());
            }
        }
    }

    /// The same for successors with places in the first layer. Adds the combinations to which both layers lead, and marks those of the
    /// first one that lead to them.
    fn meet(
        &mut self,
        block: &[(K, N)],
        first: &Layer<K, N>,
        marks: &Marks,
        memory: &Memory<'_>,
    ) -> Result<(), SweepEnd> {
        let mut added = 0;
        for &(key, place) in block {
            if let Some(others) = self.table.get(key) {
                let place = Place(place.wide() as u64);
                self.sum.add(first.paths_at(place).wide(), others.wide());
                marks.mark(place);
                added += u64::from(self.met.insert(key));
            }
        }
        match added == 0 || memory.try_reserve(met_bytes::<K>() * added) {
            true => Ok(()),
            false => Err(SweepEnd::Full),
        }
    }
}

impl<K: Key, N: PathCount> Layer<K, N> {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::allowance::Allowance;
    use super::super::line_fillings::LineFillings;
    use super::super::runs::ScratchFile;
    use super::super::transition::{Move, Packing};
    use super::*;
    use crate::count::scratch::Scratch;
    use crate::line::Known;

    #[test]
    fn a_sum_of_products_has_any_number_of_bits() {
        let mut sum = ProductSum::default();
        sum.add(u128::MAX, u128::MAX);
        sum.add(u128::MAX, 1);
        sum.add(3, 5);
        sum.add(1 << 64, 1 << 64);
        // (x - 1)² + (x - 1) + 15 + x = x² + 15 for x = 2^128.
        assert_eq!(sum.total(), Count::from_words(&[15, 0, 0, 0, 1]));
    }

    #[test]
    fn a_join_on_disk_is_polled_now_and_then() {
        let scratch = Scratch::new(std::env::temp_dir()).unwrap();
        let layer = |keys: std::ops::Range<u64>| {
            let file = ScratchFile::new(&scratch).unwrap();
            let len = keys.end - keys.start;
            let run = file.write(len, keys.map(|key| Ok((key, 2u64)))).unwrap();
            Layer {
                partitions: vec![Partition::<u64, u64>::Disk(vec![run])],
                file: Some(file),
                kept: None,
            }
        };
        let (first, second) = (layer(0..40_000), layer(10_000..50_000));
        for stops in [false, true] {
            let polls = AtomicU64::new(0);
            let stop = || {
                polls.fetch_add(1, Ordering::Relaxed);
                stops
            };
            let allowance = Allowance {
                bytes: 1 << 20,
                work_ns: u64::MAX,
                threads: 1,
                scratch: Some(&scratch),
                may_divide: true,
                stop: &stop,
                make_room: &|_| (),
                beside: &|| 0,
            };
            let resources = Resources::new(allowance, 1, 0);
            let mut sum = ProductSum::default();
            let ended = first.join_on_disk(&second, 0, &mut sum, &resources);
            if stops {
                assert_eq!(ended, Err(SweepEnd::Stopped));
                continue;
            }
            assert_eq!(ended, Ok(()));
            assert_eq!(sum.total(), Count::from(30_000 * 4));
            // The first layer is read to its end.
            assert_eq!(polls.into_inner(), 40_000 / COMBINATIONS_PER_POLL);
        }
    }

    #[test]
    fn each_layer_is_half_of_a_join_on_disk() {
        // A line of one cell, which is filled.
        let known = Known {
            filled: 0u64,
            empty: 0,
        };
        let line_fillings = LineFillings::new(&[1], 1, known, 1).unwrap();
        let moves = [Move::Crossed(vec![[vec![], vec![0]]])];
        let packing = Packing::new(std::iter::once(1));
        let transition = Transition::new(&line_fillings, &[0], &moves, &packing, &packing);
        let allowance = Allowance {
            bytes: 1 << 20,
            work_ns: 1 << 20,
            threads: 1,
            scratch: None,
            may_divide: true,
            stop: &|| false,
            make_room: &|_| (),
            beside: &|| 0,
        };
        let mut resources = Resources::new(allowance, 1, 0);
        let mut layer = Layer::<u64, u64>::first();
        for share in [0.0, 1.0] {
            let mut next = NextLayer::new(&layer, &transition, Some(1), false, &resources).unwrap();
            if share > 0.0 {
                assert_eq!(next.build(&mut layer, &transition, &mut resources), Ok(()));
            }
            let join = Join::OnDisk(Layer::first(), next);
            assert_eq!(join.share(), 0.5 + share / 2.0);
        }
    }
}
