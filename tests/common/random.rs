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

    /// A width and a height from `least` on, each one of this number of values.
    pub(crate) fn size(&mut self, least: usize, values: usize) -> (usize, usize) {
        (least + self.below(values), least + self.below(values))
    }

    /// The puzzle of a random picture of a random [size](Self::size).
    pub(crate) fn sized_puzzle(&mut self, least: usize, values: usize, density: f64) -> Puzzle {
        let (width, height) = self.size(least, values);
        self.puzzle(width, height, density)
    }

    /// A [mixed](Self::mixed) puzzle of a random [size](Self::size), of which half the cells are filled.
    pub(crate) fn sized_mixed(&mut self, least: usize, values: usize) -> Puzzle {
        let (width, height) = self.size(least, values);
        self.mixed(width, height, 0.5)
    }

    /// The puzzles of random pictures of the same size.
    pub(crate) fn puzzles(
        mut self,
        number: usize,
        width: usize,
        height: usize,
        density: f64,
    ) -> impl Iterator<Item = Puzzle> {
        (0..number).map(move |_| self.puzzle(width, height, density))
    }

    /// The rows of one picture and the columns of another: mostly without a solution.
    pub(crate) fn mixed(&mut self, width: usize, height: usize, density: f64) -> Puzzle {
        let rows = self.puzzle(width, height, density).rows().to_vec();
        let columns = self.puzzle(width, height, density).columns().to_vec();
        Puzzle::new(rows, columns).unwrap()
    }

    /// A picture of any density, with sides of up to this number of cells.
    pub(crate) fn any_grid(&mut self, longest: usize) -> Grid {
        let (width, height) = self.size(1, longest);
        let density = 0.2 + 0.1 * self.below(7) as f64;
        self.grid(width, height, density)
    }

    /// A puzzle of any density, with sides of up to this number of cells, mixed or that of a picture.
    pub(crate) fn any_puzzle(&mut self, mixed: bool, longest: usize) -> Puzzle {
        let (width, height) = self.size(1, longest);
        let density = 0.2 + 0.1 * self.below(7) as f64;
        self.puzzle_or_mixed(mixed, width, height, density)
    }

    /// A puzzle that is [mixed](Self::mixed), or that of a picture.
    pub(crate) fn puzzle_or_mixed(
        &mut self,
        mixed: bool,
        width: usize,
        height: usize,
        density: f64,
    ) -> Puzzle {
        if mixed {
            self.mixed(width, height, density)
        } else {
            self.puzzle(width, height, density)
        }
    }
}
