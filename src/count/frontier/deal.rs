//! What combinations lead to, dealt out by hash, in a bounded piece of memory.
//!
//! Each thread deals for itself, into blocks that it chains up for each part. When there is no block left it stops, if need be in the
//! middle of what one combination leads to, and goes on from there once its blocks have been emptied.

use super::allowance::{Stop, SweepEnd};
use super::key::{Key, PathCount};
use super::layer::{Layer, Pieces, Reading};
use super::table::{BLOCK, Deal};
use super::transition::{Transition, Walk};

/// Combinations, read or led to, between two looks at whether to stop.
const POLLED: i64 = 1 << 13;

/// No block.
const NONE: u32 = u32::MAX;

/// One thread's hand in taking a step.
#[derive(Debug)]
pub(crate) struct Dealer<'s, K, N> {
    walk: Walk<'s, K>,
    reading: Reading<K, N>,
    /// The ways of the combination whose consequences are dealt out, if there may be more.
    open: Option<N>,
    /// Blocks, and for each the full one before it that belongs to the same part.
    pool: Vec<(K, N)>,
    before: Vec<u32>,
    /// Most blocks.
    blocks: usize,
    /// For each part its last block, and where the next combination goes.
    last: Vec<u32>,
    next: Vec<u32>,
    /// Combinations read and led to in this batch.
    pub(crate) work: u64,
}

/// What a dealer needs to know of a batch.
#[derive(Debug)]
pub(crate) struct Batch<'b, 's, K, N> {
    pub(crate) layer: &'b Layer<'s, K, N>,
    pub(crate) pieces: &'b Pieces,
    /// How they are dealt out.
    pub(crate) deal: Deal,
    /// Most combinations that may be led to, and most that may be read and led to.
    pub(crate) room: usize,
    pub(crate) work: u64,
    /// Bytes for reading from disk.
    pub(crate) bytes: u64,
}

impl<'s, K: Key, N: PathCount> Dealer<'s, K, N> {
    pub(crate) fn new(step: &'s Transition<'_, K>) -> Self {
        Dealer {
            walk: step.walk(),
            reading: Reading::new(),
            open: None,
            pool: Vec::new(),
            before: Vec::new(),
            blocks: 0,
            last: Vec::new(),
            next: Vec::new(),
            work: 0,
        }
    }

    /// Bytes that a dealer with this room takes.
    pub(crate) fn bytes(room: usize) -> u64 {
        (room * size_of::<(K, N)>() + room / BLOCK * size_of::<u32>()) as u64
    }

    /// Is there something left of what it has begun?
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some() || self.reading.partition().is_some()
    }

    /// The part that it has begun to read, if it has not read all of it.
    pub(crate) fn partition(&self) -> Option<usize> {
        self.reading.partition()
    }

    /// Deals out what comes next, as long as there is room.
    pub(crate) fn deal(
        &mut self,
        batch: &Batch<'_, '_, K, N>,
        stop: Stop<'_>,
    ) -> Result<(), SweepEnd> {
        let deal = batch.deal;
        self.begin(deal.partitions, batch.room.max(2 * deal.partitions * BLOCK));
        let Dealer {
            walk,
            reading,
            open,
            pool,
            before,
            blocks,
            last,
            next,
            work,
        } = self;
        let most = i64::try_from(batch.work).unwrap_or(i64::MAX);
        let mut full = false;
        // The work that may be done before the next look, and all that may be done up to there.
        let mut left = POLLED.min(most);
        let mut granted = left;
        loop {
            let ways = match *open {
                Some(ways) => ways,
                None => {
                    let Some((key, ways)) = reading.next(batch.layer, batch.pieces, batch.bytes)?
                    else {
                        break;
                    };
                    walk.begin(key);
                    *open = Some(ways);
                    left -= 1;
                    ways
                }
            };
            let all = walk.go_on(|key| {
                let partition = deal.partition(key);
                let at = next[partition] as usize;
                pool[at] = (key, ways);
                next[partition] = at as u32 + 1;
                left -= 1;
                if (at + 1).is_multiple_of(BLOCK) {
                    if before.len() == *blocks {
                        full = true;
                        return false;
                    }
                    let block = before.len() as u32;
                    before.push(last[partition]);
                    last[partition] = block;
                    next[partition] = block * BLOCK as u32;
                    let taken = before.len() * BLOCK;
                    if pool.len() < taken {
                        pool.resize(taken, (K::ZERO, N::NONE));
                    }
                }
                left > 0
            });
            if all {
                *open = None;
            }
            if full {
                break;
            }
            if left <= 0 {
                if stop() {
                    return Err(SweepEnd::Stopped);
                }
                let more = POLLED.min(most - granted + left);
                if more <= 0 {
                    break;
                }
                granted += more - left;
                left = more;
            }
        }
        *work = (granted - left) as u64;
        Ok(())
    }

    /// Empties the blocks; each part gets one.
    fn begin(&mut self, partitions: usize, room: usize) {
        let blocks = room / BLOCK;
        self.before.clear();
        if self.blocks != blocks {
            self.blocks = blocks;
            self.before = Vec::with_capacity(blocks);
            self.pool = Vec::with_capacity(blocks * BLOCK);
        }
        self.before.resize(partitions, NONE);
        if self.pool.len() < partitions * BLOCK {
            self.pool.resize(partitions * BLOCK, (K::ZERO, N::NONE));
        }
        self.last.clear();
        self.last.extend(0..partitions as u32);
        self.next.clear();
        self.next
            .extend((0..partitions).map(|partition| (partition * BLOCK) as u32));
    }

    /// Shows what was dealt to a part, block by block.
    pub(crate) fn each(
        &self,
        partition: usize,
        mut see: impl FnMut(&[(K, N)]) -> Result<(), SweepEnd>,
    ) -> Result<(), SweepEnd> {
        let mut block = self.last[partition];
        let mut end = self.next[partition] as usize;
        loop {
            let from = block as usize * BLOCK;
            if from < end {
                see(&self.pool[from..end])?;
            }
            block = self.before[block as usize];
            if block == NONE {
                return Ok(());
            }
            end = (block as usize + 1) * BLOCK;
        }
    }
}
