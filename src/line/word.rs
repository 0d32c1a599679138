//! Sets of cells of a line as words with one bit per cell: `u64`, `u128`, and arrays of `u64` for longer lines.
//!
//! Generic code over this trait settles lines of every length. Cell 0 is the lowest bit. Bits at and beyond the length of the line are zero
//! in every word that stands for a set of cells.

use std::fmt;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A set of up to [`Word::BITS`] cells.
pub trait Word:
    Copy
    + Eq
    + fmt::Debug
    + Hash
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
{
    /// Number of cells it can hold.
    const BITS: usize;
    /// The empty set.
    const ZERO: Self;

    /// The set of cell `i` alone; `i < BITS`.
    fn bit(i: usize) -> Self;
    /// The set of cells `0..n`; `n <= BITS`.
    fn low(n: usize) -> Self;
    /// Moves every cell up by `n`; cells beyond the top are lost. `n < BITS`.
    fn up(self, n: usize) -> Self;
    /// Moves every cell down by `n`; cells below 0 are lost. `n < BITS`.
    fn down(self, n: usize) -> Self;
    /// The sum as integers; the carry out of the top is lost.
    fn plus(self, other: Self) -> Self;
    /// All `BITS` cells in reverse order.
    fn reverse(self) -> Self;
    /// The lowest cell; `BITS` when empty.
    fn first(self) -> usize;
    /// Number of cells.
    fn count(self) -> usize;
    /// The OR of all 64-bit parts: cell `i` becomes bit `i % 64`.
    fn fold(self) -> u64;
    /// The set of all cells `i` for which bit `i % 64` is set.
    fn spread(folded: u64) -> Self;
    /// The 64 bits from `64 * i` on; 0 beyond the top.
    fn part(self, i: usize) -> u64;
    /// The word with these 64-bit parts; missing ones are zero.
    fn from_parts(parts: &[u64]) -> Self;

    /// Whether it is the empty set.
    #[inline]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Whether it contains cell `i`.
    #[inline]
    fn has(self, i: usize) -> bool {
        self.part(i / 64) >> (i % 64) & 1 == 1
    }

    /// The cells in order.
    #[inline]
    fn cells(self) -> Cells<Self> {
        Cells {
            word: self,
            part: 0,
            rest: self.part(0),
        }
    }
}

/// Iterator over the cells of a [`Word`], lowest first. O(1) per cell and 64-bit part: a line of 4096 cells has 64 parts.
#[derive(Clone, Copy, Debug)]
pub struct Cells<W> {
    word: W,
    /// The index of the current part, and the cells of it that are left.
    part: usize,
    rest: u64,
}

impl<W: Word> Iterator for Cells<W> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.part += 1;
            if 64 * self.part >= W::BITS {
                return None;
            }
            self.rest = self.word.part(self.part);
        }
        let first = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(64 * self.part + first)
    }
}

macro_rules! impl_word {
    ($word:ty) => {
        impl Word for $word {
            const BITS: usize = <$word>::BITS as usize;
            const ZERO: Self = 0;

            #[inline]
            fn bit(i: usize) -> Self {
                1 << i
            }
            #[inline]
            fn low(n: usize) -> Self {
                if n == 0 {
                    0
                } else {
                    <$word>::MAX >> (<Self as Word>::BITS - n)
                }
            }
            #[inline]
            fn up(self, n: usize) -> Self {
                self << n
            }
            #[inline]
            fn down(self, n: usize) -> Self {
                self >> n
            }
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn reverse(self) -> Self {
                self.reverse_bits()
            }
            #[inline]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline]
            fn count(self) -> usize {
                self.count_ones() as usize
            }
            #[inline]
            fn fold(self) -> u64 {
                (0..<Self as Word>::BITS / 64).fold(0, |all, i| all | Word::part(self, i))
            }
            #[inline]
            fn spread(folded: u64) -> Self {
                (0..<Self as Word>::BITS / 64)
                    .fold(0, |all, i| all | Self::from(folded) << (i * 64))
            }
            #[inline]
            fn part(self, i: usize) -> u64 {
                if i * 64 < <Self as Word>::BITS {
                    (self >> (i * 64)) as u64
                } else {
                    0
                }
            }
            #[inline]
            fn from_parts(parts: &[u64]) -> Self {
                let used = parts.iter().take(<Self as Word>::BITS / 64).enumerate();
                used.fold(0, |word, (i, &part)| word | (part as $word) << (i * 64))
            }
        }
    };
}

impl_word!(u64);
impl_word!(u128);

/// A word of `64 * N` bits, for lines longer than 128 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    #[inline]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Wide(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl<const N: usize> BitAnd for Wide<N> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const N: usize> BitOr for Wide<N> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const N: usize> BitXor for Wide<N> {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const N: usize> Not for Wide<N> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Wide(self.0.map(|a| !a))
    }
}

impl<const N: usize> BitAndAssign for Wide<N> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const N: usize> BitOrAssign for Wide<N> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const N: usize> Word for Wide<N> {
    const BITS: usize = 64 * N;
    const ZERO: Self = Wide([0; N]);

    #[inline]
    fn bit(i: usize) -> Self {
        let mut word = Self::ZERO;
        word.0[i / 64] = 1 << (i % 64);
        word
    }

    #[inline]
    fn low(n: usize) -> Self {
        Wide(std::array::from_fn(|i| {
            u64::low(n.saturating_sub(64 * i).min(64))
        }))
    }

    #[inline]
    fn up(self, n: usize) -> Self {
        let (words, bits) = (n / 64, n % 64);
        let mut parts = self.0;
        if words > 0 {
            parts.copy_within(..N - words, words);
            parts[..words].fill(0);
        }
        // Without a condition, so that the compiler makes vector instructions of it. A shift by 1 and 63 - bits is one by 64 - bits, which
        // is allowed for 0 bits too.
        let mut shifted = [parts[0] << bits; N];
        for i in 1..N {
            shifted[i] = parts[i] << bits | parts[i - 1] >> 1 >> (63 - bits);
        }
        Wide(shifted)
    }

    #[inline]
    fn down(self, n: usize) -> Self {
        let (words, bits) = (n / 64, n % 64);
        let mut parts = self.0;
        if words > 0 {
            parts.copy_within(words.., 0);
            parts[N - words..].fill(0);
        }
        let mut shifted = [parts[N - 1] >> bits; N];
        for i in 0..N - 1 {
            shifted[i] = parts[i] >> bits | parts[i + 1] << 1 << (63 - bits);
        }
        Wide(shifted)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        let mut carry = false;
        self.add_with_carry(other, &mut carry)
    }

    #[inline]
    fn reverse(self) -> Self {
        Wide(std::array::from_fn(|i| self.0[N - 1 - i].reverse_bits()))
    }

    #[inline]
    fn first(self) -> usize {
        let word = self.0.iter().position(|&word| word != 0);
        word.map_or(Self::BITS, |i| 64 * i + self.0[i].trailing_zeros() as usize)
    }

    #[inline]
    fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    fn fold(self) -> u64 {
        self.0.iter().fold(0, |all, part| all | part)
    }

    #[inline]
    fn spread(folded: u64) -> Self {
        Wide([folded; N])
    }

    #[inline]
    fn part(self, i: usize) -> u64 {
        if i < N { self.0[i] } else { 0 }
    }

    #[inline]
    fn from_parts(parts: &[u64]) -> Self {
        Wide(std::array::from_fn(|i| parts.get(i).copied().unwrap_or(0)))
    }
}

impl<const N: usize> Wide<N> {
    #[inline]
    fn add_with_carry(self, other: Self, carry: &mut bool) -> Self {
        Wide(std::array::from_fn(|i| {
            let (sum, first) = self.0[i].overflowing_add(other.0[i]);
            let (sum, second) = sum.overflowing_add(u64::from(*carry));
            *carry = first | second;
            sum
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A wide word of two parts, which must behave as `u128`.
    fn wide(a: u128) -> Wide<2> {
        Wide::from_parts(&[a as u64, (a >> 64) as u64])
    }

    proptest! {
        #[test]
        fn two_parts_are_a_u128(a: u128, b: u128, n in 0usize..128) {
            // Every shift in every case: an error only at 0 or at 64 was often missed when shifts were random.
            for n in 0..128 {
                prop_assert_eq!(wide(a).up(n), wide(a << n));
                prop_assert_eq!(wide(a).down(n), wide(a >> n));
            }
            prop_assert_eq!(wide(a).plus(wide(b)), wide(a.wrapping_add(b)));
            prop_assert_eq!(wide(a).reverse(), wide(a.reverse_bits()));
            prop_assert_eq!(wide(a).first(), Word::first(a));
            prop_assert_eq!(wide(a).count(), Word::count(a));
            prop_assert_eq!(wide(a) & wide(b) | !wide(a), wide(a & b | !a));
            prop_assert_eq!(wide(a) ^ wide(b), wide(a ^ b));
            prop_assert_eq!(Wide::<2>::low(n), wide(<u128 as Word>::low(n)));
            prop_assert_eq!(Wide::<2>::bit(n), wide(<u128 as Word>::bit(n)));
            prop_assert_eq!(wide(a).fold(), Word::fold(a));
            prop_assert_eq!(wide(a).has(n), Word::has(a, n));
            prop_assert_eq!(wide(a).cells().collect::<Vec<_>>(), a.cells().collect::<Vec<_>>());
        }
    }

    #[test]
    fn full_and_empty_words() {
        assert_eq!(
            (u64::low(64), u64::low(0), <u128 as Word>::low(128)),
            (u64::MAX, 0, u128::MAX)
        );
        assert_eq!(Wide::<3>::low(192), !Wide::<3>::ZERO);
        assert_eq!((u64::first(0), Wide::<3>::ZERO.first()), (64, 192));
        assert_eq!(
            (7u64.part(1), 7u128.part(2), Wide::<3>::low(192).part(3)),
            (0, 0, 0)
        );
    }
}
