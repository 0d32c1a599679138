//! The meeting of two frontiers: joins what both layers lead to behind the line between them.

use rustc_hash::FxHashSet;

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::layer::{Layer, Marks, Place};
use super::memory::Memory;
use super::pass::{Generation, NextLayer};
use super::resources::Resources;
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
    First(Vec<JoinPartition<K, N>>, Generation<K, N>),
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
    ) -> Self {
        Join::Second(NextLayer::new(second, transition, false, resources))
    }

    /// The share of the join that is done, roughly: each layer is half of it.
    pub(super) fn share(&self) -> f64 {
        match self {
            Join::Second(next) => next.share() / 2.0,
            Join::First(_, generation) => (1.0 + generation.share()) / 2.0,
        }
    }

    /// Goes on until all is joined. Returns the sum, over all combinations to which both layers lead, of the product of the two path counts.
    /// With `marks` of the first layer, it also returns these combinations, and marks those that lead to them.
    pub(super) fn run(
        &mut self,
        marks: Option<&Marks>,
        (first, to_first): Joined<'_, K, N>,
        (second, to_second): Joined<'_, K, N>,
        resources: &mut Resources<'_>,
    ) -> Result<Joint<K>, SweepEnd> {
        loop {
            match self {
                Join::Second(next) => {
                    next.build(second, to_second, resources)?;
                    let tables = std::mem::take(&mut next.tables).into_iter();
                    let partitions: Vec<_> = tables.map(JoinPartition::new).collect();
                    let mut generation =
                        Generation::new(first, to_first, partitions.len(), false, resources);
                    generation.has_places = marks.is_some();
                    *self = Join::First(partitions, generation);
                }
                Join::First(partitions, generation) => {
                    first.generate_successors(
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
                    )?;
                    let (mut total, mut met) = (Count::ZERO, Vec::new());
                    for partition in partitions.drain(..) {
                        total += &partition.sum.total();
                        met.extend(partition.met);
                    }
                    return Ok((total, met));
                }
            }
        }
    }
}

impl<K: Key, N: PathCount> JoinPartition<K, N> {
    fn new(table: Table<K, N>) -> Self {
        JoinPartition {
            table,
            sum: ProductSum::default(),
            met: FxHashSet::default(),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
