//! A packed picture on which the cells of a graph are filled.

use crate::puzzle::Grid;

/// A packed picture as in [`Grid`].
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    words: Vec<u64>,
}

impl Canvas {
    pub(super) fn new(grid: &Grid) -> Self {
        Canvas {
            words: grid.words().to_vec(),
        }
    }

    /// Makes it this picture, of the same size.
    pub(super) fn reset(&mut self, grid: &Grid) {
        self.words.copy_from_slice(grid.words());
    }

    /// Fills the cells at these places.
    #[inline]
    pub(super) fn fill(&mut self, places: &[u32]) {
        fill(&mut self.words, places);
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Sets the bits at these places.
#[inline]
pub(super) fn fill(words: &mut [u64], places: &[u32]) {
    for &place in places {
        words[place as usize / 64] |= 1 << (place % 64);
    }
}
