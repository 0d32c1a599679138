//! The combinations of states along a frontier, packed, each with the number of ways that lead to it.
//!
//! Going on, every combination leads to several, and many lead to the same. What they lead to is dealt out by hash to many small
//! tables, a batch at a time, so that each fits a core's cache while ways are added up in it, and that threads need no locks.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitXor, Shl, Shr};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::step::Step;
use super::{Allowance, Halt, Stop};
use crate::solutions::Count;

/// A packed combination of states.
pub(crate) trait Key:
    Copy
    + Debug
    + Eq
    + Hash
    + Send
    + Sync
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const ZERO: Self;
    fn new(state: u32) -> Self;
    /// Its lowest bits.
    fn low(self) -> u64;
    /// Bits that depend on all of it, other than those that tables look at.
    fn mix(self) -> u64;
}

impl Key for u64 {
    const ZERO: Self = 0;
    fn new(state: u32) -> Self {
        u64::from(state)
    }
    #[inline]
    fn low(self) -> u64 {
        self
    }
    #[inline]
    fn mix(self) -> u64 {
        let mixed = (self ^ self >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    }
}

impl Key for u128 {
    const ZERO: Self = 0;
    fn new(state: u32) -> Self {
        u128::from(state)
    }
    #[inline]
    fn low(self) -> u64 {
        self as u64
    }
    #[inline]
    fn mix(self) -> u64 {
        (self as u64 ^ ((self >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)).mix()
    }
}

/// A number of ways.
pub(crate) trait Ways: Copy + Debug + Send + Sync {
    const ONE: Self;
    fn add(self, other: Self) -> Option<Self>;
    fn wide(self) -> u128;
}

impl Ways for u64 {
    const ONE: Self = 1;
    #[inline]
    fn add(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
    #[inline]
    fn wide(self) -> u128 {
        u128::from(self)
    }
}

impl Ways for u128 {
    const ONE: Self = 1;
    #[inline]
    fn add(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
    #[inline]
    fn wide(self) -> u128 {
        self
    }
}

type Table<K, N> = FxHashMap<K, N>;

/// All combinations at one place of the frontier.
#[derive(Debug)]
pub(crate) struct Layer<K, N> {
    shards: Vec<Vec<(K, N)>>,
}

/// Combinations that are led to in one batch.
const BATCH: usize = 1 << 21;

/// Combinations that a block leads to between two looks at the limits.
const POLLED: u64 = 1 << 16;

/// Combinations in a table, as far as they can be foreseen, and most tables.
const IN_TABLE: usize = 1 << 14;
const TABLES: usize = 512;

/// Bytes of a combination in a table, for each two bytes of itself: a table doubles when it is 7/8 full.
const IN_TABLES: u64 = 5;

impl<K: Key, N: Ways> Layer<K, N> {
    /// The one combination before anything is filled in.
    pub(crate) fn first() -> Self {
        Layer {
            shards: vec![vec![(K::ZERO, N::ONE)]],
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(Vec::len).sum()
    }

    /// Bytes that it takes.
    fn bytes(&self) -> u64 {
        (self.len() * size_of::<(K, N)>()) as u64
    }

    /// The combinations that these lead to.
    pub(crate) fn step(
        &self,
        step: &Step<'_, K>,
        other: &Layer<K, N>,
        allowance: &mut Allowance,
        stop: Stop<'_>,
    ) -> Result<Layer<K, N>, Halt> {
        let held = self.bytes() + other.bytes();
        let tables = self.tables(step, held, allowance, stop)?;
        let shards = tables
            .into_par_iter()
            .map(|table| table.into_iter().collect())
            .collect();
        Ok(Layer { shards })
    }

    fn tables(
        &self,
        step: &Step<'_, K>,
        held: u64,
        allowance: &mut Allowance,
        stop: Stop<'_>,
    ) -> Result<Vec<Table<K, N>>, Halt> {
        let tables = (4 * self.len() / IN_TABLE)
            .next_power_of_two()
            .clamp(1, TABLES);
        let mut tables = vec![Table::<K, N>::default(); tables];
        let bytes = IN_TABLES * size_of::<(K, N)>() as u64 / 2;
        let most = allowance.bytes.saturating_sub(held) / bytes;
        self.pass(
            step,
            &mut tables,
            allowance,
            stop,
            |table, some| {
                for &(key, ways) in some {
                    let sum = match table.get_mut(&key) {
                        Some(sum) => sum,
                        None => {
                            table.insert(key, ways);
                            continue;
                        }
                    };
                    *sum = sum.add(ways).ok_or(Halt::Overflow)?;
                }
                Ok(())
            },
            |tables| {
                let held: usize = tables.iter().map(Table::len).sum();
                if held as u64 > most {
                    Err(Halt::Full)
                } else {
                    Ok(())
                }
            },
        )?;
        Ok(tables)
    }

    /// The sum over all pairs of a combination of `self` and one of `other` that go together: those where the step of both leads to the
    /// same.
    pub(crate) fn join(
        &self,
        step: &Step<'_, K>,
        other: &Layer<K, N>,
        step_of_other: &Step<'_, K>,
        allowance: &mut Allowance,
        stop: Stop<'_>,
    ) -> Result<Count, Halt> {
        let met = other.tables(step_of_other, self.bytes() + other.bytes(), allowance, stop)?;
        let mut sums: Vec<(&Table<K, N>, Count)> =
            met.iter().map(|table| (table, Count::ZERO)).collect();
        self.pass(
            step,
            &mut sums,
            allowance,
            stop,
            |(table, sum), some| {
                for (key, ways) in some {
                    let Some(others) = table.get(key) else {
                        continue;
                    };
                    let (ways, others) = (ways.wide(), others.wide());
                    match ways.checked_mul(others) {
                        Some(product) => *sum += &Count::small(product),
                        None => {
                            let mut product = Count::small(ways);
                            product *= &Count::small(others);
                            *sum += &product;
                        }
                    }
                }
                Ok(())
            },
            |_| Ok(()),
        )?;
        let mut total = Count::ZERO;
        sums.iter().for_each(|(_, sum)| total += sum);
        Ok(total)
    }

    /// Deals out to `targets`, by hash, what each combination leads to; after each batch `check` may end it.
    fn pass<T: Send>(
        &self,
        step: &Step<'_, K>,
        targets: &mut [T],
        allowance: &mut Allowance,
        stop: Stop<'_>,
        take: impl Fn(&mut T, &[(K, N)]) -> Result<(), Halt> + Sync,
        check: impl Fn(&[T]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let blocks = match targets.len() {
            1 => 1,
            _ => 4 * rayon::current_num_threads(),
        };
        let count = targets.len();
        let shift = u64::BITS - count.trailing_zeros();
        // A block returns its remaining combinations as soon as it has produced `enough` of them, and gives up when a single one
        // produces more than `most`, for which there is no memory.
        let enough = (4 * BATCH / blocks) as u64;
        let most = allowance.bytes / size_of::<(K, N)>() as u64 / blocks as u64 / 2;
        let deal = |block: &[(K, N)]| {
            let mut out = vec![Vec::new(); count];
            let mut walk = step.walk();
            let (mut passed, mut done) = (0, 0);
            for &(key, ways) in block {
                let mut halt = None;
                walk.each(key, |next| {
                    let at = if count == 1 { 0 } else { next.mix() >> shift };
                    out[at as usize].push((next, ways));
                    passed += 1;
                    if passed % POLLED == 0 {
                        halt = match passed > most.max(enough) {
                            true => Some(Halt::Full),
                            false => stop().then_some(Halt::Stopped),
                        };
                    }
                    halt.is_none()
                });
                if let Some(halt) = halt {
                    return Err(halt);
                }
                done += 1;
                if passed >= enough {
                    break;
                }
            }
            Ok(Dealt { done, passed, out })
        };
        // A first guess, corrected by what comes of it.
        let mut size = 256;
        let mut open: Vec<&[(K, N)]> = self.shards.iter().rev().map(Vec::as_slice).collect();
        let mut batch: Vec<&[(K, N)]> = Vec::with_capacity(blocks);
        loop {
            batch.clear();
            while batch.len() < blocks
                && let Some(rest) = open.pop()
            {
                let (block, later) = rest.split_at(rest.len().min(size));
                if !block.is_empty() {
                    batch.push(block);
                }
                if !later.is_empty() {
                    open.push(later);
                }
            }
            if batch.is_empty() {
                return Ok(());
            }
            let dealt: Result<Vec<Dealt<K, N>>, Halt> =
                batch.par_iter().map(|block| deal(block)).collect();
            let dealt = dealt?;
            targets
                .par_iter_mut()
                .enumerate()
                .try_for_each(|(i, target)| {
                    dealt
                        .iter()
                        .try_for_each(|dealt| take(target, &dealt.out[i]))
                })?;
            let (mut taken, mut passed) = (0, 0);
            for (block, dealt) in batch.iter().zip(&dealt) {
                let left = &block[dealt.done..];
                if !left.is_empty() {
                    open.push(left);
                }
                taken += dealt.done;
                passed += dealt.passed as usize;
            }
            allowance.passed = allowance
                .passed
                .checked_sub((taken + passed) as u64)
                .ok_or(Halt::Spent(0.0))?;
            size = (BATCH * taken / (passed + 1) / blocks).clamp(1, 1 << 16);
            if stop() {
                return Err(Halt::Stopped);
            }
            check(targets)?;
        }
    }
}

/// What a block of combinations has led to.
#[derive(Debug)]
struct Dealt<K, N> {
    /// How many combinations of the block that is.
    done: usize,
    /// How many combinations they led to.
    passed: u64,
    /// These, for each target.
    out: Vec<Vec<(K, N)>>,
}
