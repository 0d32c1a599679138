//! One exact number for each node, in eight bytes where that suffices. Most numbers in a graph are small; the few that are not lie
//! apart, and their place is kept instead.

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
    /// So many zeros.
    pub(super) fn zeros(length: usize) -> Self {
        Tallies {
            small: vec![0; length],
            large: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, number: Count) {
        super::builder::room(&mut self.small, 1);
        self.small.push(0);
        self.set(self.small.len() - 1, number);
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

    pub(super) fn add(&mut self, i: usize, more: &Count) {
        let mut sum = self.get(i);
        sum += more;
        self.set(i, sum);
    }

    /// Numbers that were large once keep their place.
    fn set(&mut self, i: usize, number: Count) {
        match (self.small[i], number.to_u64()) {
            (old, _) if old >= LARGE => self.large[(old - LARGE) as usize] = number,
            (_, Some(n)) if n < LARGE => self.small[i] = n,
            _ => {
                self.small[i] = LARGE + self.large.len() as u64;
                self.large.push(number);
            }
        }
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
        let mut tallies = Tallies::zeros(2);
        tallies.push(Count::from(u64::MAX));
        tallies.push(Count::from(7));
        let mark = tallies.mark();
        tallies.push(Count::from_words(&[0, 0, 1]));
        tallies.add(0, &Count::from(u64::MAX >> 1));
        assert_eq!(tallies.small(0), Some(u64::MAX >> 1));
        assert_eq!(
            tallies.get(4).to_string(),
            "340282366920938463463374607431768211456"
        );
        tallies.cut(mark);
        tallies.add(2, &Count::ONE);
        tallies.add(3, &Count::ONE);
        tallies.add(0, &Count::ONE);
        let numbers: Vec<String> = (0..4).map(|i| tallies.get(i).to_string()).collect();
        let wanted = ["9223372036854775808", "0", "18446744073709551616", "8"];
        assert_eq!(numbers, wanted);
        assert_eq!((tallies.small(0), tallies.small(3)), (None, Some(8)));
    }
}
