//! All combinations at one position of the frontier, and how several threads read them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::memory::Memory;
use super::resources::Resources;
use super::table::bytes_of;

/// All combinations at one position of the frontier with their path counts, partitioned by hash.
#[derive(Debug)]
pub(crate) struct Layer<K, N> {
    pub(crate) partitions: Vec<Vec<(K, N)>>,
    /// If these are kept: the combinations of the partitions that have been freed, without their path counts.
    pub(crate) kept: Option<Vec<K>>,
}

impl<K: Key, N: PathCount> Layer<K, N> {
    /// The layer before the first line: one combination, reached by one path.
    pub(crate) fn first() -> Self {
        Layer::new(vec![vec![(K::ZERO, N::ONE)]])
    }

    /// A layer of these partitions.
    pub(super) fn new(partitions: Vec<Vec<(K, N)>>) -> Self {
        Layer {
            partitions,
            kept: None,
        }
    }

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
            if (resources.stop)() {
                return Err(SweepEnd::Stopped);
            }
            let len = allowed(i).count();
            if !resources.memory.try_reserve(bytes_of::<K, N>(len)) {
                return Err(SweepEnd::Full);
            }
            partition.reserve_exact(len);
            partition.extend(allowed(i));
            Ok(())
        })?;
        Ok(Layer::new(partitions))
    }

    /// The path count of the combination at this place.
    #[inline]
    pub(crate) fn paths_at(&self, place: Place) -> N {
        self.partitions[place.partition()][place.index()].1
    }

    /// Frees the memory of the layer. Returns its combinations, or, with `marks`, those that are marked.
    pub(crate) fn take(&mut self, marks: Option<&Marks>, memory: &Memory<'_>) -> Vec<K> {
        let len = marks.map_or(self.len(), Marks::len);
        let mut all = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        for (partition, combinations) in self.partitions.iter_mut().enumerate() {
            memory.release(bytes_of::<K, N>(combinations.len()));
            let combinations = std::mem::take(combinations).into_iter().enumerate();
            let taken = |index| marks.is_none_or(|marks| marks.has(Place::new(partition, index)));
            all.extend(combinations.filter_map(|(i, (key, _))| taken(i).then_some(key)));
        }
        memory.reserve(size_of_val(&all[..]) as u64);
        all
    }

    /// Keeps the combinations of the partitions that are freed from now on.
    pub(crate) fn keep_freed(&mut self) {
        let len = usize::try_from(self.len()).unwrap_or(0);
        self.kept.get_or_insert_with(|| Vec::with_capacity(len));
    }

    /// Frees the memory of a partition that has been read.
    pub(crate) fn free(&mut self, partition: usize, memory: &Memory<'_>) {
        let combinations = std::mem::take(&mut self.partitions[partition]);
        memory.release(bytes_of::<K, N>(combinations.len()));
        if let Some(kept) = &mut self.kept {
            memory.reserve((combinations.len() * size_of::<K>()) as u64);
            kept.extend(combinations.into_iter().map(|(key, _)| key));
        }
    }
}

/// The place of a combination in a layer: its partition, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) u64);

impl Place {
    /// Bits of the index.
    const INDEX_BITS: u32 = 40;

    #[inline]
    fn new(partition: usize, index: usize) -> Self {
        Place((partition as u64) << Self::INDEX_BITS | index as u64)
    }

    #[inline]
    fn partition(self) -> usize {
        (self.0 >> Self::INDEX_BITS) as usize
    }

    #[inline]
    fn index(self) -> usize {
        (self.0 & !(u64::MAX << Self::INDEX_BITS)) as usize
    }
}

/// Marks combinations of a layer. Several threads can do so at once. Relaxed: marks are read after these threads have ended.
#[derive(Debug)]
pub(crate) struct Marks(Vec<Vec<AtomicU64>>);

impl Marks {
    /// No marks, for the combinations of this layer.
    pub(crate) fn new<K, N>(layer: &Layer<K, N>) -> Self {
        let none = |words| std::iter::repeat_with(|| AtomicU64::new(0)).take(words);
        let partitions = layer.partitions.iter().map(|it| it.len().div_ceil(64));
        Marks(partitions.map(|words| none(words).collect()).collect())
    }

    /// Bytes that the marks take.
    pub(crate) fn bytes(&self) -> u64 {
        self.0
            .iter()
            .map(|words| size_of_val(&words[..]) as u64)
            .sum()
    }

    /// Marks the combination at this place.
    #[inline]
    pub(crate) fn mark(&self, place: Place) {
        let index = place.index();
        self.0[place.partition()][index / 64].fetch_or(1 << (index % 64), Ordering::Relaxed);
    }

    /// Number of marked combinations.
    fn len(&self) -> u64 {
        let words = self.0.iter().flatten();
        words
            .map(|word| u64::from(word.load(Ordering::Relaxed).count_ones()))
            .sum()
    }

    fn has(&self, place: Place) -> bool {
        let index = place.index();
        self.0[place.partition()][index / 64].load(Ordering::Relaxed) >> (index % 64) & 1 != 0
    }
}

/// The chunks of a layer, which threads take one after the other.
#[derive(Debug)]
pub(crate) struct Chunks {
    /// The partition of each chunk, and where the chunk begins and ends there.
    chunks: Vec<(usize, usize, usize)>,
    /// The next chunk. Relaxed: the layer was complete before the threads began.
    next: AtomicUsize,
}

impl Chunks {
    /// Divides each partition into chunks of at most `size` combinations.
    pub(crate) fn new<K, N>(layer: &Layer<K, N>, size: usize) -> Self {
        let mut chunks = Vec::new();
        for (i, partition) in layer.partitions.iter().enumerate() {
            let starts = (0..partition.len()).step_by(size);
            let end = |from: usize| partition.len().min(from + size);
            chunks.extend(starts.map(|from| (i, from, end(from))));
        }
        Chunks {
            chunks,
            next: AtomicUsize::new(0),
        }
    }

    fn take(&self) -> Option<(usize, usize, usize)> {
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
        self.chunks.get(next).map(|&(partition, ..)| partition)
    }
}

/// Reads chunks of a layer, for one thread. At first it has no chunk.
#[derive(Debug, Default)]
pub(crate) struct LayerReader {
    /// The partition of the current chunk, and what remains of the chunk there.
    partition: usize,
    at: usize,
    to: usize,
}

impl LayerReader {
    /// The partition of the current chunk, unless the chunk is read to its end.
    pub(crate) fn partition(&self) -> Option<usize> {
        (self.at < self.to).then_some(self.partition)
    }

    /// The place of the combination that was read last.
    #[inline]
    pub(crate) fn place(&self) -> Place {
        Place::new(self.partition, self.at - 1)
    }

    /// The next combination with its path count, from the current or the next chunk.
    #[inline]
    pub(crate) fn next<K: Key, N: PathCount>(
        &mut self,
        layer: &Layer<K, N>,
        chunks: &Chunks,
    ) -> Option<(K, N)> {
        if self.at == self.to {
            (self.partition, self.at, self.to) = chunks.take()?;
        }
        self.at += 1;
        Some(layer.partitions[self.partition][self.at - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::super::allowance::Allowance;
    use super::*;

    fn layer() -> Layer<u64, u64> {
        Layer::new(vec![vec![(1, 10), (2, 20), (3, 30)], vec![(4, 40)]])
    }

    #[test]
    fn a_sample_is_spread_evenly() {
        assert_eq!(layer().len(), 4);
        assert_eq!(Vec::from_iter(layer().sample(2)), [1, 3]);
        assert_eq!(Vec::from_iter(layer().sample(100)), [1, 2, 3, 4]);
    }

    #[test]
    fn the_combinations_of_freed_partitions_are_kept() {
        let memory = Memory::new(Allowance::of(64, 0), 64);
        let mut layer = layer();
        layer.free(1, &memory);
        layer.keep_freed();
        layer.free(0, &memory);
        layer.free(1, &memory);
        assert_eq!(layer.kept, Some(vec![1, 2, 3]));
        // Four combinations with path counts are freed, and three without are kept.
        assert_eq!(memory.remaining(), 4 * 16 - 3 * 8);
    }

    #[test]
    fn of_a_layer_with_marks_only_the_marked_combinations_are_taken() {
        let memory = Memory::new(Allowance::of(64, 0), 64);
        let mut layer = layer();
        let marks = Marks::new(&layer);
        assert_eq!(marks.bytes(), 2 * 8);
        for (partition, index) in [(0, 2), (1, 0), (0, 2)] {
            marks.mark(Place::new(partition, index));
        }
        assert_eq!(marks.len(), 2);
        assert_eq!(layer.take(Some(&marks), &memory), [3, 4]);
        // Four combinations with path counts are freed, and two without are kept.
        assert_eq!(memory.remaining(), 4 * 16 - 2 * 8);
        assert!(layer.take(None, &memory).is_empty());
    }

    #[test]
    fn a_reader_tells_the_partition_that_it_has_not_read_to_the_end() {
        let (layer, mut reader) = (layer(), LayerReader::default());
        let chunks = Chunks::new(&layer, 2);
        assert_eq!((chunks.share(), chunks.partition()), (0.0, Some(0)));
        assert_eq!(reader.partition(), None);
        // The partitions of the current and of the next chunk after each combination, and the share of the three chunks.
        let wanted = [
            ((1, 10), Some(0), Some(0), 1.0),
            ((2, 20), None, Some(0), 1.0),
            ((3, 30), None, Some(1), 2.0),
            ((4, 40), None, None, 3.0),
        ];
        for (combination, current, next, taken) in wanted {
            assert_eq!(reader.next(&layer, &chunks), Some(combination));
            assert_eq!(layer.paths_at(reader.place()), combination.1);
            assert_eq!((reader.partition(), chunks.partition()), (current, next));
            assert_eq!(chunks.share(), taken / 3.0);
        }
        assert_eq!(reader.next(&layer, &chunks), None);
    }
}
