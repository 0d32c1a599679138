//! All combinations at one place of the frontier, in memory or on disk, and how several threads read them.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::memory::Memory;
use super::runs::{Merge, ScratchFile, SortedRun};
use super::table::bytes_of;

/// All combinations at one place of the frontier, dealt out by hash.
#[derive(Debug)]
pub(crate) struct Layer<'s, K, N> {
    pub(crate) partitions: Vec<Partition<K, N>>,
    /// Where those are that are on disk.
    pub(crate) sheet: Option<ScratchFile<'s>>,
}

/// Some of the combinations.
#[derive(Debug)]
pub(crate) enum Partition<K, N> {
    Memory(Vec<(K, N)>),
    /// In runs, of which several may have the same combination.
    Disk(Vec<SortedRun>),
}

impl<K, N> Partition<K, N> {
    /// How many combinations there are at most.
    fn len(&self) -> u64 {
        match self {
            Partition::Memory(combinations) => combinations.len() as u64,
            Partition::Disk(runs) => runs.iter().map(|run| run.len).sum(),
        }
    }
}

impl<K: Key, N: PathCount> Layer<'_, K, N> {
    /// The one combination before anything is filled in.
    pub(crate) fn first() -> Self {
        Layer {
            partitions: vec![Partition::Memory(vec![(K::ZERO, N::ONE)])],
            sheet: None,
        }
    }

    /// No combination.
    pub(crate) fn nothing() -> Self {
        Layer {
            partitions: Vec::new(),
            sheet: None,
        }
    }

    /// How many combinations there are at most.
    pub(crate) fn len(&self) -> u64 {
        self.partitions.iter().map(Partition::len).sum()
    }

    /// Frees the memory of a part that has been read.
    pub(crate) fn free(&mut self, partition: usize, memory: &Memory) {
        if let Partition::Memory(combinations) = &mut self.partitions[partition] {
            memory.give(bytes_of::<K, N>(combinations.len()));
            *combinations = Vec::new();
        }
    }
}

/// The pieces of a layer that threads take one after the other.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// For each its part and where it begins and ends there.
    pieces: Vec<(usize, usize, usize)>,
    /// The next one. Relaxed: the layer was complete before the threads began.
    next: AtomicUsize,
}

impl Pieces {
    /// Divides a layer: a part in memory into pieces of at most `size` combinations, a part on disk not at all.
    pub(crate) fn new<K, N>(layer: &Layer<'_, K, N>, size: usize) -> Self {
        let mut pieces = Vec::new();
        for (i, partition) in layer.partitions.iter().enumerate() {
            match partition {
                Partition::Memory(combinations) => {
                    let starts = (0..combinations.len()).step_by(size);
                    let end = |from: usize| combinations.len().min(from + size);
                    pieces.extend(starts.map(|from| (i, from, end(from))));
                }
                Partition::Disk(runs) if runs.is_empty() => {}
                Partition::Disk(_) => pieces.push((i, 0, 0)),
            }
        }
        Pieces {
            pieces,
            next: AtomicUsize::new(0),
        }
    }

    fn take(&self) -> Option<(usize, usize, usize)> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.pieces.get(next).copied()
    }

    /// The part of the next piece; `None` when all are taken.
    pub(crate) fn partition(&self) -> Option<usize> {
        let next = self.next.load(Ordering::Relaxed);
        self.pieces.get(next).map(|&(partition, ..)| partition)
    }
}

/// The piece that a thread reads.
#[derive(Debug)]
pub(crate) struct Reading<K, N> {
    partition: usize,
    at: usize,
    to: usize,
    merge: Option<Merge<K, N>>,
}

impl<K: Key, N: PathCount> Reading<K, N> {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Reading {
            partition: 0,
            at: 0,
            to: 0,
            merge: None,
        }
    }

    /// The part that is not read to its end; `None` where that is not known to be so.
    pub(crate) fn partition(&self) -> Option<usize> {
        (self.at < self.to || self.merge.is_some()).then_some(self.partition)
    }

    /// The next combination, if there is one. A part on disk is read through a buffer of about the given number of bytes.
    #[inline]
    pub(crate) fn next(
        &mut self,
        layer: &Layer<'_, K, N>,
        pieces: &Pieces,
        bytes: u64,
    ) -> Result<Option<(K, N)>, SweepEnd> {
        loop {
            if self.at < self.to
                && let Partition::Memory(combinations) = &layer.partitions[self.partition]
            {
                self.at += 1;
                return Ok(Some(combinations[self.at - 1]));
            }
            if let (Some(merge), Some(sheet)) = (&mut self.merge, &layer.sheet) {
                match merge.next(sheet)? {
                    None => self.merge = None,
                    next => return Ok(next),
                }
            }
            let Some(piece) = pieces.take() else {
                return Ok(None);
            };
            (self.partition, self.at, self.to) = piece;
            if let (Partition::Disk(runs), Some(sheet)) =
                (&layer.partitions[self.partition], &layer.sheet)
            {
                self.merge = Some(Merge::new(sheet, runs, bytes)?);
            }
        }
    }
}
