//! All combinations at one position of the frontier, and the chunks in which several threads read them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::key::{Key, PathCount, bytes_of};
use super::resources::{Resources, SweepEnd};

/// All combinations at one position of the frontier with their path counts, partitioned by hash.
#[derive(Debug)]
pub(crate) struct Layer<K, N> {
    pub(crate) partitions: Vec<Vec<(K, N)>>,
}

impl<K: Key, N: PathCount> Layer<K, N> {
    /// The number of combinations.
    pub(crate) fn len(&self) -> u64 {
        self.partitions.iter().map(|it| it.len() as u64).sum()
    }

    /// About this number of combinations, evenly spread, or all of them.
    pub(crate) fn sample(&self, number: u64) -> impl Iterator<Item = K> {
        let step = (self.len() / number).max(1) as usize;
        let combinations = self.partitions.iter().flatten();
        combinations.step_by(step).map(|&(key, _)| key)
    }

    /// A layer with the combinations of this one for which `allows` returns `true`.
    pub(super) fn restricted(
        &self,
        allows: impl Fn(K) -> bool + Sync,
        resources: &Resources<'_>,
    ) -> Result<Self, SweepEnd> {
        let allowed = |partition: usize| {
            let combinations = self.partitions[partition].iter().copied();
            combinations.filter(|&(key, _)| allows(key))
        };
        let mut partitions: Vec<Vec<(K, N)>> = self.partitions.iter().map(|_| Vec::new()).collect();
        resources.for_each(true, &mut partitions, |i, partition| {
            resources.poll()?;
            let len = allowed(i).count();
            resources.charge(bytes_of::<K, N>(len))?;
            partition.reserve_exact(len);
            partition.extend(allowed(i));
            Ok(())
        })?;
        Ok(Layer { partitions })
    }

    /// All combinations, without their path counts. Their memory is charged.
    pub(crate) fn keys(&self, resources: &Resources<'_>) -> Result<Vec<K>, SweepEnd> {
        let bytes = self.len() * size_of::<K>() as u64;
        resources.charge(bytes)?;
        let mut keys = Vec::with_capacity(self.len() as usize);
        let combinations = self.partitions.iter().flatten();
        keys.extend(combinations.map(|&(key, _)| key));
        Ok(keys)
    }

    /// Frees the memory of these partitions.
    pub(crate) fn free(&mut self, partitions: Range<usize>, resources: &Resources<'_>) {
        for partition in &mut self.partitions[partitions] {
            let combinations = std::mem::take(partition);
            resources.release(bytes_of::<K, N>(combinations.len()));
        }
    }
}

/// A part of a partition: the index of the partition, and where the rest of the chunk that is not read yet begins and ends there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) partition: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// The chunks of a layer, which threads take one after the other.
#[derive(Debug)]
pub(crate) struct Chunks {
    chunks: Vec<Chunk>,
    /// The next chunk. Relaxed: the layer was complete before the threads began.
    next: AtomicUsize,
}

impl Chunks {
    /// Divides each partition into chunks of at most `size` combinations.
    pub(crate) fn new<K, N>(layer: &Layer<K, N>, size: usize) -> Self {
        let mut chunks = Vec::new();
        for (partition, combinations) in layer.partitions.iter().enumerate() {
            let len = combinations.len();
            let chunk = |from: usize| Chunk {
                partition,
                from,
                to: len.min(from + size),
            };
            chunks.extend((0..len).step_by(size).map(chunk));
        }
        Chunks {
            chunks,
            next: AtomicUsize::new(0),
        }
    }

    pub(crate) fn take(&self) -> Option<Chunk> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.chunks.get(next).copied()
    }

    /// The share of the chunks that are taken.
    pub(crate) fn share(&self) -> f64 {
        let taken = self.next.load(Ordering::Relaxed).min(self.chunks.len());
        taken as f64 / self.chunks.len().max(1) as f64
    }

    /// The partition of the next chunk; `None` when all are taken.
    pub(crate) fn partition(&self) -> Option<usize> {
        let next = self.next.load(Ordering::Relaxed);
        self.chunks.get(next).map(|chunk| chunk.partition)
    }
}

#[cfg(test)]
mod tests {
    use super::super::resources::Allowance;
    use super::*;

    fn layer() -> Layer<u64, u64> {
        Layer {
            partitions: vec![vec![(1, 10), (2, 20), (3, 30)], vec![(4, 40)]],
        }
    }

    #[test]
    fn a_sample_is_spread_evenly() {
        assert_eq!(layer().len(), 4);
        assert_eq!(Vec::from_iter(layer().sample(2)), [1, 3]);
        assert_eq!(Vec::from_iter(layer().sample(100)), [1, 2, 3, 4]);
    }

    #[test]
    fn the_combinations_of_a_layer_can_be_kept_when_it_is_freed() {
        let resources = Resources::new(Allowance::of(100, 0), 1, 64);
        let mut layer = layer();
        assert_eq!(layer.keys(&resources), Ok(vec![1, 2, 3, 4]));
        assert_eq!(resources.remaining(), 100 - 64 - 4 * 8);
        // There is no room for a second copy.
        assert_eq!(layer.keys(&resources), Err(SweepEnd::Full));
        layer.free(1..2, &resources);
        layer.free(0..2, &resources);
        assert_eq!(layer.len(), 0);
        assert_eq!(resources.remaining(), 100 - 4 * 8);
    }

    #[test]
    fn the_chunks_of_a_layer_are_taken_one_after_the_other() {
        let chunks = Chunks::new(&layer(), 2);
        // The partition of each chunk, and where it begins and ends there.
        for (i, wanted) in [(0, 0, 2), (0, 2, 3), (1, 0, 1)].into_iter().enumerate() {
            assert_eq!(chunks.share(), i as f64 / 3.0);
            assert_eq!(chunks.partition(), Some(wanted.0));
            let chunk = chunks.take().unwrap();
            assert_eq!((chunk.partition, chunk.from, chunk.to), wanted);
        }
        assert!(chunks.take().is_none() && chunks.partition().is_none());
        assert_eq!(chunks.share(), 1.0);
    }
}
