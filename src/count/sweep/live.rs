//! The live combinations of the layers that a sweep has kept: those that lie on the way of a filling.
//!
//! At the meeting they are known: they lead to the combinations that both frontiers lead to. From there each frontier goes back layer by
//! layer: a combination is live if it leads to a live one of the layer behind.

use rustc_hash::FxHashMap;

use super::allowance::SweepEnd;
use super::key::Key;
use super::lines::{End, Lines};
use super::resources::{CHUNK, Resources};
use super::step::Step;
use super::transition::Transition;

/// Combinations whose successors are generated between two polls of `stop`: each may have many thousands.
pub(super) const SOURCES_PER_POLL: usize = 16;

/// The live combinations of a layer, numbered in order.
#[derive(Debug)]
pub(super) struct Live<K> {
    pub(super) keys: Vec<K>,
    numbers: FxHashMap<K, u32>,
}

impl<K: Key> Live<K> {
    /// Bytes charged for a combination: it is in a list and in a table, which may have twice as many places.
    const BYTES: u64 = (3 * size_of::<K>() + 10) as u64;

    /// These combinations, which are pairwise different.
    pub(super) fn new(mut keys: Vec<K>, resources: &Resources<'_>) -> Result<Self, SweepEnd> {
        if !(resources.memory).try_reserve(Self::BYTES * keys.len() as u64) {
            return Err(SweepEnd::Full);
        }
        // In this order, those that lead to the same combinations tend to be near each other, so nodes are found in the caches more often.
        keys.sort_unstable();
        let mut numbers = FxHashMap::with_capacity_and_hasher(keys.len(), Default::default());
        for (first, chunk) in (0..).step_by(CHUNK).zip(keys.chunks(CHUNK)) {
            if (resources.stop)() {
                return Err(SweepEnd::Stopped);
            }
            numbers.extend(chunk.iter().copied().zip(first..));
        }
        Ok(Live { keys, numbers })
    }

    /// The combinations of a layer that lead to these.
    fn before(
        &self,
        layer: &[K],
        transition: &Transition<'_, K>,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let live = resources.in_chunks(layer, |_, chunk| {
            let (mut successors, mut live) = (transition.successors(), Vec::new());
            for (i, &key) in chunk.iter().enumerate() {
                if i % SOURCES_PER_POLL == 0 && (resources.stop)() {
                    return Err(SweepEnd::Stopped);
                }
                successors.begin(transition, key);
                // It ends early at a live one.
                let ended = successors.resume(transition, |key| self.number(key).is_none());
                live.extend((!ended).then_some(key));
            }
            Ok(live)
        })?;
        Live::new(live.concat(), resources)
    }

    /// The number of a combination, if it is live.
    #[inline]
    pub(super) fn number(&self, key: K) -> Option<u32> {
        self.numbers.get(&key).copied()
    }
}

/// The layers of a frontier, whose memory is charged: the combinations before each line that it has passed, and the last ones.
#[derive(Debug)]
pub(super) struct Passed<K> {
    pub(super) end: End,
    pub(super) layers: Vec<Vec<K>>,
    /// Whether the last ones are known to be live.
    pub(super) is_last_live: bool,
}

impl<K: Key> Passed<K> {
    /// The depths of the frontier at each layer.
    pub(super) fn depths(&self, lines: &Lines) -> Vec<Vec<usize>> {
        lines.depths(self.end, self.layers.len() - 1)
    }

    /// The live combinations of each layer, the first layer first. `met` are those to which both frontiers lead, by the transition `across`
    /// in the case of this one. All other combinations are freed.
    pub(super) fn live(
        mut self,
        lines: &Lines,
        met: &Live<K>,
        across: &Transition<'_, K>,
        resources: &Resources<'_>,
    ) -> Result<Vec<Live<K>>, SweepEnd> {
        let depths = self.depths(lines);
        let mut all: Vec<Live<K>> = Vec::with_capacity(depths.len());
        while let Some(layer) = self.layers.pop() {
            let bytes = size_of_val(&layer[..]) as u64;
            let live = match all.last() {
                None if self.is_last_live => Live::new(layer, resources)?,
                None => met.before(&layer, across, resources)?,
                Some(behind) => {
                    let passed = self.layers.len();
                    let step = Step::new(lines, self.end, passed, &depths[passed]);
                    behind.before(&layer, &step.transition, resources)?
                }
            };
            resources.memory.release(bytes);
            all.push(live);
        }
        all.reverse();
        Ok(all)
    }
}
