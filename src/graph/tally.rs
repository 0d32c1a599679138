//! One exact number for each node, in eight bytes where that suffices. Most numbers in a graph are small; the few that are not lie
//! apart, and their place is kept instead.

use super::room::room;
use crate::solutions::Count;

/// The rest is the place of a number among the large ones.
const LARGE: u64 = 1 << 63;

/// A list of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    small: Vec<u64>,
    large: Vec<Count>,
}

/// How long a list was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    small: usize,
    large: usize,
}

impl Tallies {
    pub(super) fn push(&mut self, number: Count) {
        room(&mut self.small, 1);
        self.small.push(match number.to_u64() {
            Some(n) if n < LARGE => n,
            _ => {
                self.large.push(number);
                LARGE + self.large.len() as u64 - 1
            }
        });
    }

    #[inline]
    pub(super) fn get(&self, i: usize) -> Count {
        match self.small[i] {
            n if n < LARGE => Count::from(n),
            n => self.large[(n - LARGE) as usize].clone(),
        }
    }

    /// The number, if it is small.
    #[inline]
    pub(super) fn small(&self, i: usize) -> Option<u64> {
        Some(self.small[i]).filter(|&n| n < LARGE)
    }

    /// The product of the numbers at these places.
    #[inline]
    pub(super) fn product(&self, places: impl Iterator<Item = usize> + Clone) -> Count {
        // Nearly always machine words do.
        let mut product = 1u128;
        for i in places.clone() {
            match self
                .small(i)
                .and_then(|n| product.checked_mul(u128::from(n)))
            {
                Some(n) => product = n,
                None => return self.large_product(places),
            }
        }
        Count::small(product)
    }

    #[cold]
    fn large_product(&self, places: impl Iterator<Item = usize>) -> Count {
        let mut product = Count::ONE;
        places.for_each(|i| product *= &self.get(i));
        product
    }

    /// This number of places, with nothing in them yet.
    pub(super) fn with_places(number: usize) -> Self {
        Tallies {
            small: vec![0; number],
            large: Vec::new(),
        }
    }

    /// Puts the numbers of another list into these places.
    pub(super) fn put(&mut self, places: &[u32], numbers: Tallies) {
        let before = self.large.len() as u64;
        for (&place, number) in places.iter().zip(numbers.small) {
            self.small[place as usize] = match number < LARGE {
                true => number,
                false => number + before,
            };
        }
        self.large.extend(numbers.large);
    }

    /// Gives spare room back.
    pub(super) fn shrink(&mut self) {
        self.small.shrink_to_fit();
        self.large.shrink_to_fit();
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            small: self.small.len(),
            large: self.large.len(),
        }
    }

    /// Forgets what was pushed since the mark; nothing before it may have been changed since.
    pub(super) fn cut(&mut self, mark: Mark) {
        self.small.truncate(mark.small);
        self.large.truncate(mark.large);
    }

    /// Bytes held, but for the digits of numbers beyond 128 bits, which are reckoned as 64.
    pub(super) fn bytes(&self) -> u64 {
        let large = size_of::<Count>() + 64;
        (self.small.capacity() * 8 + self.large.capacity() * large) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_keep_their_places() {
        let mut tallies = Tallies::default();
        let numbers = [
            Count::from(7),
            Count::from(LARGE),
            Count::from(LARGE - 1),
            Count::from_words(&[0, 0, 1]),
        ];
        for number in &numbers[..3] {
            tallies.push(number.clone());
        }
        let mark = tallies.mark();
        for _ in 0..2 {
            tallies.push(numbers[3].clone());
            tallies.push(Count::ONE);
            assert_eq!(tallies.get(3), numbers[3]);
            assert_eq!((tallies.small(3), tallies.small(4)), (None, Some(1)));
            let product = tallies.product([0, 3, 4].into_iter());
            assert_eq!(product, Count::from_words(&[0, 0, 7]));
            tallies.cut(mark);
        }
        for (i, number) in numbers[..3].iter().enumerate() {
            assert_eq!(tallies.get(i), *number);
        }
        assert_eq!(tallies.small(1), None);
        assert_eq!(tallies.small(2), Some(LARGE - 1));
    }
}
