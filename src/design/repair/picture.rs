//! A picture as words, row by row and column by column, whose cells can be flipped, and the clue of a line straight from its word.

use crate::board::Cell;
use crate::line::Word;
use crate::puzzle::Grid;

/// A picture. Lines are numbered rows first, then columns.
#[derive(Clone, Debug)]
pub(super) struct Picture<W> {
    width: usize,
    height: usize,
    lines: Vec<W>,
}

impl<W: Word> Picture<W> {
    pub(super) fn new(grid: &Grid) -> Self {
        let (width, height) = (grid.width(), grid.height());
        let mut picture = Picture {
            width,
            height,
            lines: vec![W::ZERO; width + height],
        };
        for row in 0..height {
            let cells = W::from_parts(grid.row(row));
            picture.lines[row] = cells;
            let columns = &mut picture.lines[height..];
            cells.cells().for_each(|c| columns[c] |= W::bit(row));
        }
        picture
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Number of lines.
    pub(super) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The filled cells of a line.
    pub(super) fn line(&self, line: usize) -> W {
        self.lines[line]
    }

    /// Number of cells of a line.
    pub(super) fn length(&self, line: usize) -> usize {
        match line < self.height {
            true => self.width,
            false => self.height,
        }
    }

    pub(super) fn get(&self, cell: Cell) -> bool {
        self.lines[usize::from(cell.row)].has(usize::from(cell.column))
    }

    pub(super) fn flip(&mut self, cell: Cell) {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        let line = &mut self.lines[row];
        *line = *line ^ W::bit(column);
        let line = &mut self.lines[self.height + column];
        *line = *line ^ W::bit(row);
    }

    /// The picture with these cells flipped.
    pub(super) fn flipped(&self, flips: &[Cell]) -> Self {
        let mut picture = self.clone();
        flips.iter().for_each(|&cell| picture.flip(cell));
        picture
    }

    pub(super) fn to_grid(&self) -> Grid {
        let stride = Grid::stride(self.width);
        let rows = self.lines[..self.height].iter();
        let words = rows.flat_map(|row| (0..stride).map(|i| row.part(i)));
        Grid::from_words(self.width, self.height, words.collect())
    }
}

/// Writes the lengths of the blocks of a line with these filled cells into `lengths`.
pub(super) fn blocks<W: Word>(cells: W, lengths: &mut Vec<u16>) {
    lengths.clear();
    let (starts, lasts) = ends(cells);
    let pairs = starts.cells().zip(lasts.cells());
    lengths.extend(pairs.map(|(start, last)| (last - start + 1) as u16));
}

/// Whether two lines have the same clue. O(blocks).
pub(super) fn same_clue<W: Word>(a: W, b: W) -> bool {
    let ((a_starts, a_lasts), (b_starts, b_lasts)) = (ends(a), ends(b));
    let mut a = a_starts.cells().zip(a_lasts.cells());
    let mut b = b_starts.cells().zip(b_lasts.cells());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some((a, a_last)), Some((b, b_last))) if a_last - a == b_last - b => {}
            _ => return false,
        }
    }
}

/// The first and the last cells of the blocks.
fn ends<W: Word>(cells: W) -> (W, W) {
    (cells & !cells.up(1), cells & !cells.down(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Line;

    #[test]
    fn clues_from_words_are_those_of_grids() {
        let clue = |bits: u64| {
            let mut lengths = Vec::new();
            blocks(bits, &mut lengths);
            lengths
        };
        for bits in 0u64..1 << 8 {
            let grid = Grid::from_words(8, 1, vec![bits].into());
            let wanted: Vec<u16> = grid
                .clue(Line::Row(0))
                .lengths()
                .map(|n| n as u16)
                .collect();
            assert_eq!(clue(bits), wanted);
            for other in 0u64..1 << 8 {
                assert_eq!(same_clue(bits, other), wanted == clue(other));
            }
        }
    }

    #[test]
    fn flipping_twice_changes_nothing() {
        let grid = Grid::from_rows(&["#.#", ".##"]).unwrap();
        let mut picture = Picture::<u64>::new(&grid);
        picture.flip(Cell::new(1, 0));
        assert_eq!(picture.to_grid().to_string(), "#.#\n###\n");
        assert_eq!(picture.line(2), 0b11);
        picture.flip(Cell::new(1, 0));
        assert_eq!(picture.to_grid(), grid);
    }
}
