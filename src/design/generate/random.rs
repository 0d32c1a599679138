//! Random numbers for generation.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A generator of random numbers that is the same on every machine.
#[derive(Clone, Debug)]
pub(super) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The generator of this puzzle of a run.
    pub(super) fn new(seed: u64, index: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&index.to_le_bytes());
        // Neighbouring seeds are mixed, as the generator itself starts slowly from seeds with few bits set.
        let mut mixed = Xoshiro256PlusPlus::from_seed(bytes);
        for _ in 0..64 {
            mixed.next_u64();
        }
        Random(Xoshiro256PlusPlus::seed_from_u64(mixed.next_u64()))
    }

    /// A number below `n`, which must not be 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// One of these; `None` if there is none.
    pub(super) fn choose<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        match of.len() {
            0 => None,
            n => Some(&of[self.below(n)]),
        }
    }
}
