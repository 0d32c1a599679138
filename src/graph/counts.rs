//! A list of exact counts in eight bytes each where these suffice; a large one is in a second list, and its index in the first.

use crate::solutions::Count;

/// Flag: the other bits are an index into the list of large counts.
const LARGE: u64 = 1 << 63;

/// A list of counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountList {
    small: Vec<u64>,
    large: Vec<Count>,
}

/// The length of a list at some time, for [`CountList::truncate`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    small: usize,
    large: usize,
}

impl CountList {
    pub(crate) fn push(&mut self, count: Count) {
        reserve(&mut self.small, 1);
        self.small.push(match count.to_u64() {
            Some(n) if n < LARGE => n,
            _ => {
                self.large.push(count);
                LARGE + self.large.len() as u64 - 1
            }
        });
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> Count {
        match self.small[i] {
            n if n < LARGE => Count::from(n),
            n => self.large[(n - LARGE) as usize].clone(),
        }
    }

    /// The count, if it is below 2^63.
    #[inline]
    pub(super) fn small(&self, i: usize) -> Option<u64> {
        Some(self.small[i]).filter(|&n| n < LARGE)
    }

    /// The product of the counts at these indices.
    #[inline]
    pub(super) fn product(&self, indices: impl Iterator<Item = usize> + Clone) -> Count {
        product(indices, |i| self.small(i), |i| self.get(i))
    }

    /// A list of `length` zeros.
    pub(super) fn with_length(length: usize) -> Self {
        CountList {
            small: vec![0; length],
            large: Vec::new(),
        }
    }

    /// Stores the counts of another list at these indices.
    pub(super) fn scatter(&mut self, indices: &[u32], counts: CountList) {
        let before = self.large.len() as u64;
        for (&index, count) in indices.iter().zip(counts.small) {
            self.small[index as usize] = if count < LARGE { count } else { count + before };
        }
        self.large.extend(counts.large);
    }

    /// Frees unused capacity.
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

    /// Removes everything pushed since the mark; entries before it must not have been changed since.
    pub(super) fn truncate(&mut self, mark: Mark) {
        self.small.truncate(mark.small);
        self.large.truncate(mark.large);
    }

    /// Bytes allocated, where the heap digits of a large count are assumed to take 64 bytes.
    pub(super) fn bytes(&self) -> u64 {
        let large = size_of::<Count>() + 64;
        (self.small.capacity() * 8 + self.large.capacity() * large) as u64
    }
}

/// The product of the counts of these items; `small` is the count where it has 64 bits.
#[inline]
pub(super) fn product<T>(
    items: impl Iterator<Item = T> + Clone,
    small: impl Fn(T) -> Option<u64>,
    count: impl Fn(T) -> Count,
) -> Count {
    // Nearly always 128 bits suffice.
    let mut factors = items.clone().map(small);
    let product = factors.try_fold(1u128, |product, n| product.checked_mul(n?.into()));
    product.map_or_else(|| large_product(items.map(count)), Count::small)
}

#[cold]
fn large_product(counts: impl Iterator<Item = Count>) -> Count {
    let mut product = Count::ONE;
    counts.for_each(|count| product *= &count);
    product
}

/// Reserves capacity for `more` items, growing by at least a quarter of the length; doubling could waste half of the memory.
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_counts_keep_their_indices() {
        let mut list = CountList::default();
        let counts = [
            Count::from(7),
            Count::from(LARGE),
            Count::from(LARGE - 1),
            Count::from_words(&[0, 0, 1]),
        ];
        for count in &counts[..3] {
            list.push(count.clone());
        }
        let mark = list.mark();
        for _ in 0..2 {
            list.push(counts[3].clone());
            list.push(Count::ONE);
            assert_eq!(list.get(3), counts[3]);
            assert_eq!((list.small(3), list.small(4)), (None, Some(1)));
            let product = list.product([0, 3, 4].into_iter());
            assert_eq!(product, Count::from_words(&[0, 0, 7]));
            list.truncate(mark);
        }
        for (i, count) in counts[..3].iter().enumerate() {
            assert_eq!(list.get(i), *count);
        }
        assert_eq!(list.small(1), None);
        assert_eq!(list.small(2), Some(LARGE - 1));
    }

    /// The first large count of a list has index 0, whichever large counts precede it in the joined list.
    #[test]
    fn scattered_counts_keep_their_values() {
        let list = |numbers: &[u64]| {
            let mut list = CountList::default();
            numbers.iter().for_each(|&n| list.push(Count::from(n)));
            list
        };
        let mut all = CountList::with_length(7);
        all.scatter(&[6, 0, 3], list(&[LARGE, 5, LARGE + 1]));
        all.scatter(&[1, 5, 2, 4], list(&[LARGE + 2, LARGE - 1, u64::MAX, 8]));
        let counts: Vec<Count> = (0..7).map(|i| all.get(i)).collect();
        let wanted = [5, LARGE + 2, u64::MAX, LARGE + 1, 8, LARGE - 1, LARGE];
        assert_eq!(counts, wanted.map(Count::from));
    }

    #[test]
    fn the_reported_bytes_cover_small_and_large_counts() {
        let mut list = CountList::default();
        for _ in 0..100 {
            list.push(Count::ONE);
        }
        let small = list.bytes();
        assert!((800..2000).contains(&small), "{small}");
        for _ in 0..100 {
            list.push(Count::from(u64::MAX));
        }
        let large = list.bytes() - small;
        assert!((8000..40_000).contains(&large), "{large}");
    }

    #[test]
    fn a_list_without_room_grows_by_a_quarter_or_by_what_is_needed() {
        let grown = |length: usize, more| {
            let mut list = vec![0u8; length];
            list.shrink_to_fit();
            reserve(&mut list, more);
            list.capacity() - length
        };
        // An allocator may give a little more.
        for (length, more, by) in [(0, 1, 64), (100, 1, 64), (1000, 1, 250), (1000, 300, 300)] {
            assert!((by..by + 16).contains(&grown(length, more)), "{length}");
        }
        assert!(grown(1000, 0) < 16);
    }

    #[test]
    fn a_list_with_room_stays() {
        let mut list = Vec::with_capacity(1000);
        list.resize(900, 0u8);
        let capacity = list.capacity();
        for more in [0, 50, capacity - 900] {
            reserve(&mut list, more);
            assert_eq!(list.capacity(), capacity);
        }
        reserve(&mut list, capacity - 899);
        assert!(list.capacity() > capacity);
    }
}
