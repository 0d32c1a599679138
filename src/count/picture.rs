//! A packed picture on which the runs of a graph are filled.

use super::space::unpack;
use crate::puzzle::Grid;

/// A packed picture as in [`Grid`].
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    width: usize,
    stride: usize,
    words: Vec<u64>,
}

impl Canvas {
    pub(super) fn new(grid: &Grid) -> Self {
        Canvas {
            width: grid.width(),
            stride: Grid::stride(grid.width()),
            words: grid.words().to_vec(),
        }
    }

    /// Makes it this picture, of the same size.
    pub(super) fn reset(&mut self, grid: &Grid) {
        self.words.copy_from_slice(grid.words());
    }

    /// Fills the runs that are filled.
    #[inline]
    pub(super) fn fill(&mut self, runs: &[u32]) {
        for &run in runs {
            let words = &mut self.words;
            masks(run, self.width, self.stride, |spot, mask| {
                words[spot] |= mask
            });
        }
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Shows the words and bits of a packed picture that a run fills: nothing for an empty one.
#[inline]
pub(super) fn masks(run: u32, width: usize, stride: usize, show: impl FnMut(usize, u64)) {
    let (start, filled, end) = unpack(run);
    if filled {
        spread(start as usize, end as usize, width, stride, show);
    }
}

/// Shows the words and bits of a packed picture that these cells take, in reading order.
#[inline]
pub(super) fn spread(
    mut start: usize,
    end: usize,
    width: usize,
    stride: usize,
    mut show: impl FnMut(usize, u64),
) {
    let (mut row, mut column) = (start / width, start % width);
    while start < end {
        let bit = column % 64;
        let take = (end - start).min(width - column).min(64 - bit);
        show(row * stride + column / 64, u64::MAX >> (64 - take) << bit);
        start += take;
        column += take;
        if column == width {
            (row, column) = (row + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::space::run;

    #[test]
    fn runs_cross_words_and_rows() {
        for width in [1, 5, 63, 64, 65, 130] {
            for start in [0, 3, 60, 64, 100] {
                for length in [1, 2, 64, 70, 128] {
                    let mut canvas = Canvas::new(&Grid::new(width, 300));
                    if start + length > width * 300 {
                        continue;
                    }
                    canvas.fill(&[run(start, true, length), run(0, false, 2)]);
                    let mut grid = Grid::new(width, 300);
                    (start..start + length).for_each(|i| grid.set(i / width, i % width, true));
                    assert_eq!(canvas.words(), grid.words(), "{width} {start} {length}");
                }
            }
        }
    }
}
