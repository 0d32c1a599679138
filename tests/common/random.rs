//! Random numbers that are always the same, and random puzzles.

use omnogram::puzzle::{Grid, Puzzle};

/// Splitmix64: small, and the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn chance(&mut self, p: f64) -> bool {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 <= p
    }

    pub(crate) fn grid(&mut self, width: usize, height: usize, density: f64) -> Grid {
        let mut grid = Grid::new(width, height);
        for r in 0..height {
            for c in 0..width {
                grid.set(r, c, self.chance(density));
            }
        }
        grid
    }

    /// The puzzle of a random picture.
    pub(crate) fn puzzle(&mut self, width: usize, height: usize, density: f64) -> Puzzle {
        Puzzle::from_grid(&self.grid(width, height, density))
    }

    /// The rows of one picture and the columns of another: mostly without a solution.
    pub(crate) fn mixed(&mut self, width: usize, height: usize, density: f64) -> Puzzle {
        let rows = self.puzzle(width, height, density).rows().to_vec();
        let columns = self.puzzle(width, height, density).columns().to_vec();
        Puzzle::new(rows, columns).unwrap()
    }
}
