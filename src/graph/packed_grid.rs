//! A packed grid that is filled cell by cell while following a graph.

use crate::puzzle::Grid;

/// A packed grid, as in [`Grid`].
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

    /// Overwrites it with this grid, which must have the same size.
    pub(super) fn reset(&mut self, grid: &Grid) {
        self.words.copy_from_slice(grid.words());
    }

    /// Fills the cells at these bit positions.
    #[inline]
    pub(super) fn fill(&mut self, positions: &[u32]) {
        fill(&mut self.words, positions);
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Sets these bits.
#[inline]
pub(super) fn fill(words: &mut [u64], positions: &[u32]) {
    for &position in positions {
        words[position as usize / 64] |= 1 << (position % 64);
    }
}
