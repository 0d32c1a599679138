//! The meeting of the frontiers at the last line between them.

use rustc_hash::FxHashSet;

use super::front::Front;
use super::key::{Key, PathCount, bytes_of};
use super::layer::Layer;
use super::pass::{Generation, NextLayer};
use super::resources::{Resources, SweepEnd};
use super::step::{FillingClass, MeetingStep};
use super::table::Table;
use super::transition::Transition;
use super::walks::Walks;
use crate::solutions::Count;

/// The meeting of the frontiers: both are moved past the last line between them by a [`MeetingStep`], and the fillings of the component are
/// counted by a join over equal combinations.
///
/// There are several times as many of these combinations as of those before the line. So they are joined for one [class of
/// fillings](FillingClass) of the line after the other: as many classes as the memory seems to require, and a class that does not fit is
/// divided.
#[derive(Debug)]
pub(super) struct Meeting<K, N> {
    /// Whether what the near frontier leads to is stored, and not what the far one leads to.
    stores_near: bool,
    /// The classes of fillings still to be joined, the next one last.
    pub(super) classes: Vec<FillingClass>,
    /// The join of the next class, if it has paused on the way.
    pub(super) join: Option<Join<K, N>>,
    /// If the layers are kept: the combinations behind the line to which both frontiers lead, for the classes that are done.
    pub(super) met: Option<Vec<K>>,
    /// The sum for the classes that are done, and their share of all.
    pub(super) total: Count,
    share: f64,
    /// Bytes of memory that the sweep holds between two classes.
    pub(super) held: u64,
}

impl<K: Key, N: PathCount> Meeting<K, N> {
    /// A meeting of these frontiers that has not begun.
    pub(super) fn new(
        near: &Front<K, N>,
        far: &Front<K, N>,
        step: &MeetingStep<'_>,
        resources: &Resources<'_>,
    ) -> Self {
        let [near_room, far_room] = [near, far].map(|front| {
            let transition = step.transition(front.end, &FillingClass::default());
            Walks::new(&front.layer).pass(&transition).room()
        });
        let free = (resources.remaining() / bytes_of::<K, N>(1)) as f64;
        Meeting {
            stores_near: near_room < far_room,
            classes: FillingClass::classes(&step.line.crossings, near_room.min(far_room) / free),
            join: None,
            met: near.kept.as_ref().map(|_| Vec::new()),
            total: Count::ZERO,
            share: 0.0,
            held: resources.held(),
        }
    }

    /// The share of the meeting that is done, roughly.
    pub(super) fn share(&self) -> f64 {
        let class = self.classes.last().map_or(0.0, FillingClass::share);
        let join = self.join.as_ref().map_or(0.0, Join::share);
        self.share + class * join
    }

    /// Goes on until all fillings of the component are counted.
    pub(super) fn run(
        &mut self,
        near: &mut Front<K, N>,
        far: &mut Front<K, N>,
        step: &MeetingStep<'_>,
        resources: &mut Resources<'_>,
    ) -> Result<Count, SweepEnd> {
        let crossings = &step.line.crossings;
        let (first, second) = match self.stores_near {
            true => (far, near),
            false => (near, far),
        };
        while let Some(class) = self.classes.pop() {
            let to_first = step.transition(first.end, &class);
            let to_second = step.transition(second.end, &class);
            let first = (&mut first.layer, &to_first);
            let second = (&mut second.layer, &to_second);
            let join = self.join.get_or_insert_with(|| {
                Join::Second(NextLayer::new(second.0, second.1, false, resources))
            });
            let joint = join.run(self.met.is_some(), first, second, resources);
            if joint.as_ref().err() == Some(&SweepEnd::Paused) {
                self.classes.push(class);
                return Err(SweepEnd::Paused);
            }
            self.join = None;
            // Of the combinations behind the line, at most those that both lead to are kept.
            let kept = joint.as_ref().map_or(0, |(_, met)| size_of_val(&met[..]));
            self.held += kept as u64;
            resources.restore(self.held);
            match (joint, class.halves(crossings)) {
                (Ok((count, met)), _) => {
                    self.share += class.share();
                    self.total += &count;
                    if let Some(all) = &mut self.met {
                        all.extend(met);
                    }
                }
                (Err(SweepEnd::Full), Some(halves)) => {
                    // The other classes of this size would hardly fit either.
                    let smaller = |other: FillingClass| match other.halves(crossings) {
                        Some(halves) if other.share() == class.share() => halves.to_vec(),
                        _ => vec![other],
                    };
                    let others = std::mem::take(&mut self.classes);
                    let others = others.into_iter().flat_map(smaller);
                    self.classes = others.chain(halves).collect();
                }
                (Err(end), _) => return Err(end),
            }
        }
        Ok(std::mem::replace(&mut self.total, Count::ZERO))
    }
}

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

/// A partition of what the second layer leads to, and the sum so far of the products with the path counts of the first one.
#[derive(Debug)]
pub(super) struct JoinPartition<K, N> {
    table: Table<K, N>,
    sum: ProductSum,
    /// The combinations to which both layers lead, if these are kept.
    met: Option<FxHashSet<K>>,
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
    /// The share of the join that is done, roughly: each layer is half of it.
    pub(super) fn share(&self) -> f64 {
        match self {
            Join::Second(next) => next.share() / 2.0,
            Join::First(_, generation) => (1.0 + generation.chunks.share()) / 2.0,
        }
    }

    /// Goes on until all is joined. Returns the sum of the products of both path counts over all combinations to which both layers lead, and
    /// these combinations if `keeps_met`.
    pub(super) fn run(
        &mut self,
        keeps_met: bool,
        (first, to_first): Joined<'_, K, N>,
        (second, to_second): Joined<'_, K, N>,
        resources: &mut Resources<'_>,
    ) -> Result<(Count, Vec<K>), SweepEnd> {
        loop {
            match self {
                Join::Second(next) => {
                    next.build(second, to_second, resources)?;
                    let tables = std::mem::take(&mut next.tables).into_iter();
                    let partitions = tables.map(|table| JoinPartition {
                        table,
                        sum: ProductSum::default(),
                        met: keeps_met.then(FxHashSet::default),
                    });
                    let partitions = Vec::from_iter(partitions);
                    let generation =
                        Generation::new(first, to_first, partitions.len(), false, resources);
                    *self = Join::First(partitions, generation);
                }
                Join::First(partitions, generation) => {
                    let add = JoinPartition::add;
                    generation.run(first, to_first, partitions, resources, add, |_, _, _| true)?;
                    let (mut total, mut met) = (Count::ZERO, Vec::new());
                    for partition in partitions.drain(..) {
                        total += &partition.sum.total();
                        met.extend(partition.met.into_iter().flatten());
                    }
                    return Ok((total, met));
                }
            }
        }
    }
}

impl<K: Key, N: PathCount> JoinPartition<K, N> {
    /// Bytes charged for each combination to which both layers lead: a set of them has at most twice as many places, and there is a list of
    /// all.
    const MET_BYTES: u64 = (3 * size_of::<K>() + 2) as u64;

    /// Adds the products for a block of successors of the first layer.
    #[inline]
    fn add(&mut self, block: &[(K, N)], resources: &Resources<'_>) -> Result<(), SweepEnd> {
        let mut added = 0;
        for &(key, paths) in block {
            if let Some(others) = self.table.get(key) {
                self.sum.add(paths.wide(), others.wide());
                if let Some(met) = &mut self.met {
                    added += u64::from(met.insert(key));
                }
            }
        }
        match added {
            0 => Ok(()),
            _ => resources.charge(Self::MET_BYTES * added),
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
