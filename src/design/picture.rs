//! A picture as words, row by row and column by column, whose cells can be flipped.

use crate::board::Clues;
use crate::line::Word;
use crate::puzzle::{Cell, Grid};

/// A picture. Lines are numbered rows first, then columns.
#[derive(Clone, Debug)]
pub(super) struct Picture<W> {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The filled cells of each line.
    pub(super) lines: Vec<W>,
}

impl<W: Word> Picture<W> {
    pub(super) fn new(grid: &Grid) -> Self {
        let (width, height) = (grid.width(), grid.height());
        let mut picture = Picture {
            width,
            height,
            lines: vec![W::ZERO; width + height],
        };
        // The columns as 64-bit parts, because a whole word per cell would take long on large pictures.
        let parts = height.div_ceil(64);
        let mut columns = vec![0_u64; width * parts];
        for row in 0..height {
            let cells = W::from_parts(grid.row(row));
            picture.lines[row] = cells;
            for column in cells.cells() {
                columns[column * parts + row / 64] |= 1 << (row % 64);
            }
        }
        let lines = picture.lines[height..].iter_mut();
        for (line, column) in lines.zip(columns.chunks(parts)) {
            *line = W::from_parts(column);
        }
        picture
    }

    /// The filled cells of a line.
    pub(super) fn line(&self, line: usize) -> W {
        self.lines[line]
    }

    /// Number of cells of a line.
    pub(super) fn length(&self, line: usize) -> usize {
        if line < self.height {
            self.width
        } else {
            self.height
        }
    }

    pub(super) fn get(&self, cell: Cell) -> bool {
        self.lines[usize::from(cell.row)].has(usize::from(cell.column))
    }

    pub(super) fn flip(&mut self, cell: Cell) {
        let (row, column) = cell.place();
        self.lines[row] = self.lines[row] ^ W::bit(column);
        self.lines[self.height + column] = self.lines[self.height + column] ^ W::bit(row);
    }

    pub(super) fn clues(&self) -> Clues {
        Clues::of_picture(self.width, self.height, &self.lines)
    }

    pub(super) fn to_grid(&self) -> Grid {
        grid_of_rows(self.width, self.lines[..self.height].iter().copied())
    }
}

/// The grid with these filled cells in its rows.
pub(super) fn grid_of_rows<W: Word>(width: usize, rows: impl Iterator<Item = W>) -> Grid {
    let rows: Vec<W> = rows.collect();
    let parts = 0..Grid::stride(width);
    let words = rows
        .iter()
        .flat_map(|row| parts.clone().map(|i| row.part(i)));
    Grid::from_words(width, rows.len(), words.collect())
}

/// The filled cells of a grid, row by row.
pub(super) fn filled_cells(grid: &Grid) -> impl Iterator<Item = Cell> + '_ {
    (0..grid.height())
        .flat_map(move |row| (0..grid.width()).map(move |column| Cell::new(row, column)))
        .filter(move |cell| cell.is_filled_in(grid))
}

#[cfg(test)]
mod tests {
    use super::*;

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
