//! The entries of a frontier: a packed combination of states, with the layout of its states, and its path count.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::BitXor;

/// A packed combination of states.
pub(crate) trait Key:
    Copy + Debug + Ord + Hash + Send + Sync + BitXor<Output = Self>
{
    const ZERO: Self;
    /// Nanoseconds per combination that is read or generated, relative to the computed work of walks: for 64 bits as measured on sweeps of 1 to
    /// 22 seconds, for 128 bits by the measured ratio of both.
    const COMBINATION_NS: u64;
    /// The combination with this state in the field whose lowest bit is `first`, and 0 elsewhere.
    fn new(state: u32, first: u32) -> Self;
    /// The bits from `first` on, at least 32 of them.
    fn bits(self, first: u32) -> u64;
    /// A hash of all bits, independent of the hash that tables use.
    fn mix(self) -> u64;

    /// The partition of the combination among this number of partitions, by its hash.
    #[inline]
    fn partition(self, partitions: usize) -> usize {
        ((u128::from(self.mix()) * partitions as u128) >> 64) as usize
    }
}

/// A path count: the number of fillings of the cells behind the frontier that lead to a combination.
pub(crate) trait PathCount: Copy + Debug + Send + Sync {
    const ONE: Self;
    fn add(self, other: Self) -> Option<Self>;
    fn wide(self) -> u128;
}

/// 128 bits with the alignment of 64, so that an entry of key and path count has no padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(Rust, packed(8))]
pub(crate) struct Pair(u128);

impl BitXor for Pair {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Pair(self.0 ^ other.0)
    }
}

/// Odd multipliers with random-looking bits.
const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0xd6e8_feb8_6659_fd93;

/// The exclusive or of the two halves of the product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Key for u64 {
    const ZERO: Self = 0;
    const COMBINATION_NS: u64 = 90;

    fn new(state: u32, first: u32) -> Self {
        u64::from(state) << first
    }

    #[inline]
    fn bits(self, first: u32) -> u64 {
        self >> first
    }

    #[inline]
    fn mix(self) -> u64 {
        fold(self ^ A, B)
    }
}

impl Key for Pair {
    const ZERO: Self = Pair(0);
    const COMBINATION_NS: u64 = 200;

    fn new(state: u32, first: u32) -> Self {
        Pair(u128::from(state) << first)
    }

    #[inline]
    fn bits(self, first: u32) -> u64 {
        (self.0 >> first) as u64
    }

    #[inline]
    fn mix(self) -> u64 {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        (fold(low ^ A, B) ^ high).mix()
    }
}

impl PathCount for u64 {
    const ONE: Self = 1;

    #[inline]
    fn add(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }

    fn wide(self) -> u128 {
        self.into()
    }
}

impl PathCount for Pair {
    const ONE: Self = Pair(1);

    #[inline]
    fn add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Pair)
    }

    fn wide(self) -> u128 {
        self.0
    }
}

/// The layout of a packed combination: the field of each line across.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    pub(super) fields: Vec<Field>,
    /// Number of bits in all.
    pub(crate) bits: u32,
}

impl Packing {
    /// For lines with these numbers of states.
    pub(crate) fn new(states: impl Iterator<Item = usize>) -> Self {
        let mut bits = 0;
        let fields = states.map(|states| {
            let width = usize::BITS - (states - 1).leading_zeros();
            let field = Field {
                // An empty field at the end would have a shift by the whole width, which is not allowed.
                first: if width == 0 { 0 } else { bits },
                mask: (1 << width) - 1,
            };
            bits += width;
            field
        });
        let fields = fields.collect();
        Packing { fields, bits }
    }
}

/// The bits of the state of a line across.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    first: u32,
    mask: u64,
}

impl Field {
    /// The field for a known cell of the passed line, where no line across has a state.
    pub(super) const NONE: Field = Field { first: 0, mask: 0 };

    #[inline]
    pub(super) fn state<K: Key>(self, key: K) -> usize {
        (key.bits(self.first) & self.mask) as usize
    }

    pub(super) fn key<K: Key>(self, state: u32) -> K {
        K::new(state, self.first)
    }
}

/// The bytes of this number of combinations with their path counts.
pub(crate) fn bytes_of<K, N>(combinations: usize) -> u64 {
    (combinations * size_of::<(K, N)>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: u128 = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;

    #[test]
    fn a_pair_is_a_number_of_128_bits() {
        let pair = Pair(WIDE);
        assert_eq!(PathCount::wide(pair), WIDE);
        assert_eq!(pair.bits(0), WIDE as u64);
        assert_eq!(pair.bits(40), (WIDE >> 40) as u64);
        assert_eq!(pair.bits(100), (WIDE >> 100) as u64);
        assert_eq!(
            pair ^ Pair(WIDE.rotate_left(4)),
            Pair(WIDE ^ WIDE.rotate_left(4))
        );
        assert_eq!(<Pair as Key>::new(5, 63), Pair(5 << 63));
        // A sum carries into the upper half.
        let low = Pair(u64::MAX.into());
        assert_eq!(low.add(Pair::ONE), Some(Pair(1 << 64)));
        assert_eq!(Pair(u128::MAX).add(Pair::ONE), None);
    }

    /// Whether no two of 4096 combinations have the same hash, and whether they are spread evenly over 16 partitions.
    fn check_spread<K: Key>(keys: impl Iterator<Item = K>) {
        let keys: Vec<K> = keys.collect();
        let mut hashes: Vec<u64> = keys.iter().map(|key| key.mix()).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 4096);
        let mut sizes = [0; 16];
        keys.iter().for_each(|&key| sizes[key.partition(16)] += 1);
        assert!(
            sizes.iter().all(|size| (192..=320).contains(size)),
            "{sizes:?}"
        );
    }

    #[test]
    fn partitions_are_about_equally_large() {
        check_spread(0..4096u64);
        check_spread((0..4096u64).map(|key| key << 52));
        let wide = |shift: u32| (0..4096u128).map(move |key| Pair(key << shift));
        [0, 52, 58, 64, 116]
            .into_iter()
            .for_each(|shift| check_spread(wide(shift)));
    }
}
