//! The plain description of a region, for the check build: the pieces of its lines, and the set of fillings that each of them allows. It is
//! equal for two regions exactly when their fillings are the same, cell by cell in reading order, and are restricted by equal pieces.

use std::collections::HashMap;

use super::clues::Clues;
use crate::line::checked::{Cells, FillingSet, PlainLine};
use crate::line::{Known, Word};

/// The pieces of rows in reading order, then those of columns: the numbers of the cells of each, and its fillings. The cells of the region
/// are numbered in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainRegion {
    cells: usize,
    pieces: Vec<(Vec<usize>, FillingSet)>,
}

impl PlainRegion {
    /// The region of these unknown cells on a board with these rows.
    ///
    /// # Panics
    ///
    /// If it contains some cells of a piece and not the others.
    pub(crate) fn of<W: Word>(
        clues: &Clues,
        board: &[Known<W>],
        region: impl IntoIterator<Item = (usize, W)>,
    ) -> Self {
        let rows: Vec<(usize, W)> = region
            .into_iter()
            .filter(|(_, cells)| !cells.is_zero())
            .collect();
        let mut numbers = HashMap::new();
        for &(row, cells) in &rows {
            for column in cells.cells() {
                numbers.insert((row, column), numbers.len());
            }
        }
        let mut pieces = Vec::new();
        let mut add = |blocks: &[u16], cells: Cells, number: &dyn Fn(usize) -> Option<usize>| {
            for piece in PlainLine::of(blocks, &cells).pieces() {
                let inside: Vec<usize> = piece
                    .cells
                    .iter()
                    .filter_map(|&cell| number(cell))
                    .collect();
                assert!(
                    inside.is_empty() || inside.len() == piece.cells.len(),
                    "checked: component: it has only some cells of a piece\nclue {blocks:?}, cells {cells:?}, piece {piece:?}"
                );
                if !inside.is_empty() {
                    pieces.push((inside, piece.fillings));
                }
            }
        };
        let columns = rows.iter().fold(W::ZERO, |all, &(_, cells)| all | cells);
        for &(row, _) in &rows {
            let cells = (0..clues.width())
                .map(|column| board[row].get(column))
                .collect();
            add(clues.line(row), cells, &|column| {
                numbers.get(&(row, column)).copied()
            });
        }
        for column in columns.cells() {
            let cells = (0..clues.height())
                .map(|row| board[row].get(column))
                .collect();
            let line = clues.height() + column;
            add(clues.line(line), cells, &|row| {
                numbers.get(&(row, column)).copied()
            });
        }
        PlainRegion {
            cells: numbers.len(),
            pieces,
        }
    }

    /// The number of fillings, by trying both values of every cell in turn; `None` when that takes more than this number of steps.
    pub(crate) fn count(&self, max_steps: u64) -> Option<u64> {
        let mut pieces_of_cell = vec![Vec::new(); self.cells];
        for (piece, (cells, _)) in self.pieces.iter().enumerate() {
            for (place, &cell) in cells.iter().enumerate() {
                pieces_of_cell[cell].push((piece, place));
            }
        }
        let mut left = max_steps;
        self.count_from(
            0,
            &pieces_of_cell,
            &mut vec![0; self.pieces.len()],
            &mut left,
        )
    }

    /// The number of fillings of the cells from this one on; `classes` are those of the states of the pieces.
    fn count_from(
        &self,
        cell: usize,
        pieces: &[Vec<(usize, usize)>],
        classes: &mut Vec<usize>,
        left: &mut u64,
    ) -> Option<u64> {
        *left = left.checked_sub(1)?;
        let Some(here) = pieces.get(cell) else {
            return Some(1);
        };
        let mut count = 0;
        for value in [0, 1] {
            let before = classes.clone();
            let fits = here.iter().all(|&(piece, place)| {
                let after = self.pieces[piece].1[place][classes[piece]][value];
                after.inspect(|&class| classes[piece] = class).is_some()
            });
            if fits {
                count += self.count_from(cell + 1, pieces, classes, left)?;
            }
            *classes = before;
        }
        Some(count)
    }
}
