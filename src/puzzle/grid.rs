//! A full grid, packed one bit per cell.

use std::cmp::Ordering;
use std::fmt;

use super::clue::Clue;
use super::line::{Line, MAX_SIDE};
use crate::error::{Error, Result};

/// A full grid: every cell is filled or empty.
///
/// Rows are stored one after the other in 64-bit words, [`Grid::stride`] words per row, the leftmost cell in the lowest bit. Bits beyond
/// the width are zero, so equality and hashing depend on the cells only.
///
/// Grids are ordered as their text: cell by cell from the top left, filled before empty, because `#` sorts before `.`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    width: u16,
    height: u16,
    words: Box<[u64]>,
}

impl Grid {
    /// Number of words of a row of `width` cells.
    pub fn stride(width: usize) -> usize {
        width.div_ceil(64)
    }

    /// A grid of empty cells.
    ///
    /// # Panics
    ///
    /// If a side is 0 or above [`MAX_SIDE`].
    pub fn new(width: usize, height: usize) -> Self {
        Self::from_words(width, height, vec![0; Self::stride(width) * height].into())
    }

    /// A grid from its packed rows.
    ///
    /// # Panics
    ///
    /// If a side is 0 or above [`MAX_SIDE`], or if the number of words is not `stride(width) * height`. Bits beyond the width must be zero;
    /// a debug build checks it.
    pub fn from_words(width: usize, height: usize, words: Box<[u64]>) -> Self {
        let side = 1..=MAX_SIDE;
        assert!(
            side.contains(&width) && side.contains(&height),
            "a grid of {width}x{height} cells"
        );
        let stride = Self::stride(width);
        assert_eq!(
            words.len(),
            stride * height,
            "words of a {width}x{height} grid"
        );
        debug_assert!(
            width.is_multiple_of(64)
                || words
                    .chunks(stride)
                    .all(|row| row[stride - 1] >> (width % 64) == 0),
            "bits beyond the width are zero"
        );
        // Sides are at most MAX_SIDE, so they fit into 16 bits.
        Grid {
            width: width as u16,
            height: height as u16,
            words,
        }
    }

    /// A grid from rows of `#` (filled) and `.` (empty).
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) for another character, rows of different lengths, or a size out of range.
    pub fn from_rows<S: AsRef<str>>(rows: &[S]) -> Result<Self> {
        let width = rows.first().map_or(0, |row| row.as_ref().chars().count());
        if width == 0 || width > MAX_SIDE || rows.len() > MAX_SIDE {
            return Err(Error::data(format!(
                "a grid of {} rows and {width} columns",
                rows.len()
            )));
        }
        let mut grid = Grid::new(width, rows.len());
        for (r, row) in rows.iter().enumerate() {
            let length = row.as_ref().chars().count();
            if length != width {
                return Err(Error::data(format!(
                    "row {} is {length} long, the first {width}",
                    r + 1
                )));
            }
            for (c, cell) in row.as_ref().chars().enumerate() {
                match cell {
                    '#' => grid.set(r, c, true),
                    '.' => {}
                    other => {
                        return Err(Error::data(format!(
                            "{other:?} in row {}: a cell is '#' or '.'",
                            r + 1
                        )));
                    }
                }
            }
        }
        Ok(grid)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// The packed rows.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The packed words of one row.
    ///
    /// # Panics
    ///
    /// If the row is outside the grid.
    pub fn row(&self, row: usize) -> &[u64] {
        let stride = Self::stride(self.width());
        &self.words[row * stride..][..stride]
    }

    /// Number of filled cells.
    pub fn filled(&self) -> usize {
        let words = self.words.iter();
        words.map(|word| word.count_ones() as usize).sum()
    }

    /// Whether this cell is filled.
    ///
    /// # Panics
    ///
    /// If the cell is outside the grid.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> bool {
        assert!(column < self.width(), "column {column} of {}", self.width);
        let word = row * Self::stride(self.width()) + column / 64;
        self.words[word] >> (column % 64) & 1 == 1
    }

    /// Fills or empties a cell.
    ///
    /// # Panics
    ///
    /// If the cell is outside the grid.
    pub fn set(&mut self, row: usize, column: usize, filled: bool) {
        assert!(
            row < self.height() && column < self.width(),
            "cell ({row}, {column}) of {}x{}",
            self.height,
            self.width
        );
        let word = &mut self.words[row * usize::from(self.width).div_ceil(64) + column / 64];
        let bit = 1 << (column % 64);
        *word = if filled { *word | bit } else { *word & !bit };
    }

    /// The cells of a line in order.
    ///
    /// # Panics
    ///
    /// If the line is outside the grid.
    pub fn cells(&self, line: Line) -> impl Iterator<Item = bool> + '_ {
        let length = match line {
            Line::Row(_) => self.width(),
            Line::Column(_) => self.height(),
        };
        (0..length).map(move |i| {
            let (row, column) = line.place(i);
            self.get(row, column)
        })
    }

    /// The clue of a line of this grid.
    ///
    /// # Panics
    ///
    /// If the line is outside the grid.
    pub fn clue(&self, line: Line) -> Clue {
        let mut lengths = Vec::new();
        let mut previous = false;
        for filled in self.cells(line) {
            match (previous, filled) {
                (false, true) => lengths.push(1),
                (true, true) => *lengths.last_mut().expect("a run has begun") += 1,
                _ => {}
            }
            previous = filled;
        }
        Clue::new(lengths).expect("runs of a grid are 1 to MAX_SIDE long")
    }
}

impl Ord for Grid {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.height, self.width)
            .cmp(&(other.height, other.width))
            .then_with(|| order(&self.words, &other.words))
    }
}

impl PartialOrd for Grid {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of two packed grids of the same size: at the first cell in which they differ, the filled one comes first.
pub(crate) fn order(a: &[u64], b: &[u64]) -> Ordering {
    for (word, bits) in a.iter().enumerate() {
        let difference = bits ^ b[word];
        if difference != 0 {
            let first = difference & difference.wrapping_neg();
            return if bits & first != 0 {
                Ordering::Less
            } else {
                Ordering::Greater
            };
        }
    }
    Ordering::Equal
}

impl fmt::Display for Grid {
    /// Rows of `#` and `.`, each followed by a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::with_capacity(self.width() + 1);
        for r in 0..self.height() {
            line.clear();
            line.extend(
                self.cells(Line::Row(r))
                    .map(|filled| if filled { '#' } else { '.' }),
            );
            line.push('\n');
            f.write_str(&line)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid {}x{}\n{self}", self.width, self.height)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A square picture of this size with random cells, half of them filled.
    pub(crate) fn random_grid(size: usize, seed: u64) -> Grid {
        let mut state = seed;
        let mut grid = Grid::new(size, size);
        for i in 0..size * size {
            // A linear congruential generator (Knuth, MMIX); its high bits are the random ones.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            grid.set(i / size, i % size, state >> 63 == 1);
        }
        grid
    }

    #[test]
    fn text_form_is_parsed_and_written_alike() {
        let rows = ["#.#", "...", "###"];
        assert_eq!(
            Grid::from_rows(&rows).unwrap().to_string(),
            rows.map(|row| format!("{row}\n")).concat()
        );
        assert!(Grid::from_rows(&["#.", "#"]).is_err());
        assert!(Grid::from_rows(&["#x"]).is_err());
        assert!(Grid::from_rows::<&str>(&[]).is_err());
        assert!(Grid::from_rows(&[""]).is_err());
    }

    #[test]
    fn wide_rows_take_several_words() {
        let mut grid = Grid::new(130, 2);
        for c in [0, 63, 64, 127, 129] {
            grid.set(1, c, true);
        }
        assert_eq!(grid.row(1), [1 | 1 << 63, 1 | 1 << 63, 2]);
        assert_eq!(grid.clue(Line::Row(1)).to_string(), "1 2 1 1");
        grid.set(1, 64, false);
        assert!(!grid.get(1, 64) && grid.get(1, 127));
        assert_eq!(grid.clue(Line::Column(129)).to_string(), "1");
    }

    #[test]
    fn grids_are_ordered_as_their_text() {
        let mut grids: Vec<Grid> = (0..64u32)
            .map(|bits| {
                let mut grid = Grid::new(3, 2);
                (0..6).for_each(|i| grid.set(i / 3, i % 3, bits >> i & 1 == 1));
                grid
            })
            .collect();
        grids.sort();
        let texts: Vec<String> = grids.iter().map(Grid::to_string).collect();
        assert!(texts.is_sorted());
    }
}
