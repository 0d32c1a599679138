//! Batches of leaves, as a task passes them to a sink.
//!
//! Most leaves are a single grid; these are packed one after the other. A leaf with independent regions is a bundle: a base grid and, for
//! each region, a [`Factor`] that lists its fillings. It stands for their product, and is expanded only where the grids are needed, at a
//! few words per grid.

use std::sync::Arc;

use super::count::Count;
use crate::puzzle::Grid;

/// The fillings of one region, as words to be combined with a base grid in which the region is empty.
#[derive(Debug)]
pub struct Factor {
    /// Indices of the words of a packed grid that contain cells of the region.
    word_indices: Box<[u32]>,
    /// The filled cells of each filling, `word_indices.len()` words per filling.
    fillings: Box<[u64]>,
}

impl Factor {
    /// A factor from the words of its fillings, `word_indices.len()` words per filling.
    ///
    /// # Panics
    ///
    /// When `word_indices` is empty, or the number of words is not a multiple of its length.
    pub fn new(word_indices: Vec<u32>, fillings: Vec<u64>) -> Self {
        assert!(
            !word_indices.is_empty() && fillings.len().is_multiple_of(word_indices.len()),
            "the words are not whole fillings"
        );
        Factor {
            word_indices: word_indices.into(),
            fillings: fillings.into(),
        }
    }

    /// Number of fillings.
    pub fn count(&self) -> usize {
        self.fillings.len() / self.word_indices.len()
    }

    /// Size in words.
    pub(crate) fn words(&self) -> usize {
        self.word_indices.len() + self.fillings.len()
    }

    /// Replaces one filling in a grid by another, by exclusive or: the regions of a bundle are disjoint and empty in the base.
    fn exchange(&self, words: &mut [u64], from: usize, to: usize) {
        let size = self.word_indices.len();
        let [from, to] = [from, to].map(|filling| &self.fillings[filling * size..][..size]);
        for ((&index, &from), &to) in self.word_indices.iter().zip(from).zip(to) {
            words[index as usize] ^= from ^ to;
        }
    }

    /// Puts the first filling into a grid in which the region is empty.
    fn put_first(&self, words: &mut [u64]) {
        for (&index, &filling) in self.word_indices.iter().zip(&self.fillings) {
            words[index as usize] ^= filling;
        }
    }
}

/// Calls `show` with every grid of a bundle until it returns `false`; returns whether all were shown. `words`, the base, is left changed.
pub(crate) fn expand(
    words: &mut [u64],
    factors: &[Arc<Factor>],
    mut show: impl FnMut(&[u64]) -> bool,
) -> bool {
    if factors.iter().any(|factor| factor.count() == 0) {
        return true;
    }
    factors.iter().for_each(|factor| factor.put_first(words));
    let mut digits = vec![0; factors.len()];
    loop {
        if !show(words) {
            return false;
        }
        // Counts through the product like an odometer: one digit per factor, the last one changes fastest.
        let mut places = digits.iter_mut().zip(factors).rev();
        // Ends at the first digit that does not wrap.
        let has_wrapped = places.all(|(digit, factor)| {
            let following = *digit + 1;
            let next = if following == factor.count() {
                0
            } else {
                following
            };
            factor.exchange(words, *digit, next);
            *digit = next;
            next == 0
        });
        if has_wrapped {
            return true;
        }
    }
}

/// Some solutions of one puzzle, in the order in which they were found.
#[derive(Clone, Debug)]
pub struct Batch {
    width: usize,
    height: usize,
    /// Base grids, `size` words each.
    words: Vec<u64>,
    size: usize,
    /// The base grids with factors: index and factors, in order of the index.
    bundles: Vec<(usize, Box<[Arc<Factor>]>)>,
    count: Count,
    /// Maximum number of grids to show, after [`Batch::truncate`].
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

    /// Number of base grids; less than the number of solutions where there are bundles.
    pub fn leaves(&self) -> usize {
        self.words.len() / self.size
    }

    /// Adds one grid, packed as in [`Grid`].
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

    /// Adds a bundle: a base grid and its factors.
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

    /// Adds to the number of solutions alone, for a sink that does not want grids.
    pub fn push_count(&mut self, count: &Count) {
        self.count += count;
    }

    /// Adds one solution without its grid.
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

    /// Calls `show` with every grid, packed as in [`Grid`], in order.
    pub fn each(&self, mut show: impl FnMut(&[u64])) {
        self.try_each(|words| {
            show(words);
            true
        });
    }

    /// Calls `show` with every grid until it returns `false`; returns whether all grids were shown.
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

    /// For each bundle, calls `show` with one grid for each filling of each region.
    #[cfg(feature = "checked")]
    pub(crate) fn each_filling(&self, mut show: impl FnMut(&[u64])) {
        for (index, factors) in &self.bundles {
            if factors.iter().any(|factor| factor.count() == 0) {
                continue;
            }
            let mut words = self.words[index * self.size..][..self.size].to_vec();
            for factor in factors {
                factor.put_first(&mut words);
            }
            for factor in factors {
                for filling in 0..factor.count() {
                    factor.exchange(&mut words, 0, filling);
                    show(&words);
                    factor.exchange(&mut words, filling, 0);
                }
            }
        }
    }

    /// The grids, in order.
    pub fn grids(&self) -> Vec<Grid> {
        let mut grids = Vec::new();
        self.each(|words| grids.push(Grid::from_words(self.width, self.height, words.into())));
        grids
    }
}
