//! What a task hands over at once: the leaves that it found, as bundles.
//!
//! Most leaves are one picture; those lie packed one after the other. A leaf where regions were independent is a bundle: a base
//! picture and, for each region, a [`Factor`] that lists its fillings; it stands for their product, and is expanded only where the
//! pictures are needed, a few words a picture.

use std::sync::Arc;

use super::count::Count;
use crate::puzzle::Grid;

/// The fillings of one region, as words to be laid over a base picture in which the region is empty.
#[derive(Debug)]
pub struct Factor {
    /// Which words of a packed grid the region touches.
    spots: Box<[u32]>,
    /// The filled cells of each filling, `spots.len()` words each.
    fillings: Box<[u64]>,
}

impl Factor {
    /// Fillings of `spots.len()` words each, of the words of a packed grid that `spots` names.
    ///
    /// # Panics
    ///
    /// When the number of words is not a multiple of the number of spots.
    pub fn new(spots: Vec<u32>, fillings: Vec<u64>) -> Self {
        assert!(
            !spots.is_empty() && fillings.len().is_multiple_of(spots.len()),
            "torn fillings"
        );
        Factor {
            spots: spots.into(),
            fillings: fillings.into(),
        }
    }

    /// Number of fillings.
    pub fn count(&self) -> usize {
        self.fillings.len() / self.spots.len()
    }

    /// Words that it takes.
    pub(crate) fn words(&self) -> usize {
        self.spots.len() + self.fillings.len()
    }

    /// Lays the difference of two fillings over a picture: takes one out and puts the other in. Regions are disjoint, so that the
    /// exclusive or does both.
    fn exchange(&self, words: &mut [u64], from: usize, to: usize) {
        let size = self.spots.len();
        let (from, to) = (
            &self.fillings[from * size..][..size],
            &self.fillings[to * size..][..size],
        );
        for ((&spot, &from), &to) in self.spots.iter().zip(from).zip(to) {
            words[spot as usize] ^= from ^ to;
        }
    }

    fn put(&self, words: &mut [u64]) {
        for (&spot, &filling) in self.spots.iter().zip(&self.fillings) {
            words[spot as usize] ^= filling;
        }
    }
}

/// Shows every picture of a bundle: `words` is its base and is left as the last picture. Stops when `show` returns `false`, and
/// says whether it went to the end.
pub(crate) fn expand(
    words: &mut [u64],
    factors: &[Arc<Factor>],
    mut show: impl FnMut(&[u64]) -> bool,
) -> bool {
    if factors.iter().any(|factor| factor.count() == 0) {
        return true;
    }
    factors.iter().for_each(|factor| factor.put(words));
    let mut digits = vec![0; factors.len()];
    loop {
        if !show(words) {
            return false;
        }
        // An odometer whose wheels are the factors, the last one turning fastest.
        let mut wheel = factors.len();
        loop {
            let Some(i) = wheel.checked_sub(1) else {
                return true;
            };
            let next = if digits[i] + 1 == factors[i].count() {
                0
            } else {
                digits[i] + 1
            };
            factors[i].exchange(words, digits[i], next);
            digits[i] = next;
            if next != 0 {
                break;
            }
            wheel = i;
        }
    }
}

/// Some solutions of one puzzle, in the order in which they were found.
#[derive(Clone, Debug)]
pub struct Batch {
    width: usize,
    height: usize,
    /// Base pictures, `size` words each.
    words: Vec<u64>,
    size: usize,
    /// Bases that have factors: their index, in order.
    bundles: Vec<(usize, Box<[Arc<Factor>]>)>,
    count: Count,
    /// Show no more than this many.
    limit: Option<u64>,
}

impl Batch {
    /// An empty batch for grids of this size.
    pub fn new(width: usize, height: usize) -> Self {
        let size = Grid::stride(width) * height;
        Batch {
            width,
            height,
            words: Vec::new(),
            size,
            bundles: Vec::new(),
            count: Count::ZERO,
            limit: None,
        }
    }

    /// Number of columns of its grids.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows of its grids.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Number of solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Number of leaves that carry pictures; less than the number of solutions where bundles are among them.
    pub fn leaves(&self) -> usize {
        self.words.len() / self.size
    }

    /// Adds one picture, packed as in [`Grid`].
    ///
    /// # Panics
    ///
    /// When it has another number of words than the batch's grids.
    #[inline]
    pub fn push_grid(&mut self, words: &[u64]) {
        assert_eq!(words.len(), self.size, "words of a grid");
        self.words.extend_from_slice(words);
        self.count.add_one();
    }

    /// Adds a bundle: a base picture and the factors that are laid over it.
    ///
    /// # Panics
    ///
    /// When it has another number of words than the batch's grids.
    pub fn push_bundle(&mut self, words: &[u64], factors: &[Arc<Factor>]) {
        assert_eq!(words.len(), self.size, "words of a grid");
        let mut product = Count::ONE;
        for factor in factors {
            product *= &Count::from(factor.count() as u64);
        }
        if !factors.is_empty() {
            self.bundles.push((self.leaves(), factors.into()));
        }
        self.words.extend_from_slice(words);
        self.count += &product;
    }

    /// Adds to the number alone, for a sink that does not look at pictures.
    pub fn push_count(&mut self, count: &Count) {
        self.count += count;
    }

    /// One more solution without its picture.
    #[inline]
    pub fn push_one(&mut self) {
        self.count.add_one();
    }

    /// Keeps the first `limit` solutions.
    pub fn truncate(&mut self, limit: u64) {
        if self.count > Count::from(limit) {
            self.count = Count::from(limit);
            self.limit = Some(limit);
        }
    }

    /// Shows every picture, packed as in [`Grid`], in order.
    pub fn each(&self, mut show: impl FnMut(&[u64])) {
        self.try_each(|words| {
            show(words);
            true
        });
    }

    /// Shows pictures until `show` returns `false`; says whether it went to the end.
    pub fn try_each(&self, mut show: impl FnMut(&[u64]) -> bool) -> bool {
        let mut left = self.limit.unwrap_or(u64::MAX);
        let mut bundles = self.bundles.iter().peekable();
        let mut scratch = Vec::new();
        for (i, words) in self.words.chunks_exact(self.size).enumerate() {
            if left == 0 {
                break;
            }
            match bundles.next_if(|bundle| bundle.0 == i) {
                None => {
                    left -= 1;
                    if !show(words) {
                        return false;
                    }
                }
                Some((_, factors)) => {
                    scratch.clear();
                    scratch.extend_from_slice(words);
                    let mut wanted = true;
                    expand(&mut scratch, factors, |words| {
                        left -= 1;
                        wanted = show(words);
                        wanted && left > 0
                    });
                    if !wanted {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Its grids, in order.
    pub fn grids(&self) -> Vec<Grid> {
        let mut grids = Vec::new();
        self.each(|words| grids.push(Grid::from_words(self.width, self.height, words.into())));
        grids
    }
}
