//! Where the unknown cells fall apart, and what a part of them depends on: its key.
//!
//! Parts are joined from the pieces of rows and columns, as [`diagram`](super::diagram) finds them, where those cross in an unknown
//! cell. The key of a part lists, for each of its row pieces, which of the part's column pieces it crosses and what it can be, and for
//! each column piece what it can be. That is all that the number of its fillings depends on, so two parts with one key have equally
//! many, wherever in the picture and whatever the cells around them; known cells within have vanished from it, and so have the lines'
//! clues.
//!
//! Row pieces and their cells stand in the key in reading order, and column pieces in the order of columns. So the cells of two parts
//! with one key correspond in reading order, the first one to the first one and so on, and so do their fillings.

use super::cache::Key;
use super::diagram::{Lines, NONE, Numbers};
use crate::board::Board;
use crate::line::Word;

/// Unknown cells that are independent of all others.
#[derive(Clone, Debug)]
pub(super) struct Part<W> {
    /// Its cells, row by row; a row where it has none may be missing.
    pub(super) rows: Box<[(u16, W)]>,
    /// Number of cells.
    pub(super) size: u32,
    /// What it depends on; empty when that is not known, for want of memory.
    pub(super) key: Key,
}

impl<W> Part<W> {
    /// A part without cells.
    pub(super) fn nothing() -> Self {
        Part {
            rows: Box::default(),
            size: 0,
            key: Key::default(),
        }
    }
}

/// A piece of a line within the cells at hand.
#[derive(Clone, Copy, Debug)]
struct Strip<W> {
    line: u16,
    number: u32,
    cells: W,
    /// For rows: the union-find parent; for columns: a row piece that it crosses.
    link: u32,
    /// Its number within its part.
    local: u32,
}

/// Scratch memory for falling apart.
#[derive(Debug)]
pub(super) struct Parts<W> {
    rows: Vec<Strip<W>>,
    columns: Vec<Strip<W>>,
    /// Of each row and column, its first strip.
    first_of_row: Vec<u32>,
    first_of_column: Vec<u32>,
    /// The open cells of each row.
    open: Vec<W>,
    roots: Vec<u32>,
    key: Vec<u32>,
}

impl<W: Word> Parts<W> {
    /// For a picture of this size.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Parts {
            rows: Vec::new(),
            columns: Vec::new(),
            first_of_row: vec![0; height],
            first_of_column: vec![0; width],
            open: vec![W::ZERO; height],
            roots: Vec::new(),
            key: Vec::new(),
        }
    }

    /// The parts into which these cells fall, as far as they are unknown; the board must be at a fixpoint.
    pub(super) fn split(
        &mut self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        lines: &mut Lines<W>,
        numbers: &Numbers,
        parts: &mut Vec<Part<W>>,
    ) {
        self.gather(board, cells, lines, numbers);
        self.join();
        for i in 0..self.roots.len() {
            let part = self.part(self.roots[i]);
            parts.push(part);
        }
    }

    /// Finds all strips with open cells.
    fn gather(
        &mut self,
        board: &Board<'_, W>,
        cells: &[(u16, W)],
        lines: &mut Lines<W>,
        numbers: &Numbers,
    ) {
        let clues = board.clues();
        let (width, height) = (clues.width(), clues.height());
        let strip = |line: usize, piece: &super::diagram::Piece<W>, link: usize| Strip {
            line: line as u16,
            number: piece.number,
            cells: piece.cells,
            link: link as u32,
            local: 0,
        };
        self.rows.clear();
        self.columns.clear();
        let mut crossed = W::ZERO;
        for &(row, cells) in cells {
            let row = usize::from(row);
            let open = cells & board.unknown_in_row(row);
            self.open[row] = open;
            if open.is_zero() {
                continue;
            }
            crossed |= open;
            self.first_of_row[row] = self.rows.len() as u32;
            let known = board.rows()[row];
            for piece in lines.pieces(row, clues.line(row), width, known, numbers) {
                // A piece is in the part as a whole or not at all.
                if !(piece.cells & open).is_zero() {
                    self.rows.push(strip(row, piece, self.rows.len()));
                }
            }
        }
        for column in crossed.cells() {
            self.first_of_column[column] = self.columns.len() as u32;
            let (line, known) = (height + column, board.column(column));
            for piece in lines.pieces(line, clues.line(line), height, known, numbers) {
                let at = piece.cells.first();
                // Of a row without cells here the open cells are another part's, left from before.
                let here = self.open[at].has(column) && has_row(cells, at);
                if here {
                    let link = self.row_strip(at, column);
                    self.columns.push(strip(column, piece, link));
                }
            }
        }
    }

    /// The strip of this row that has this cell.
    fn row_strip(&self, row: usize, column: usize) -> usize {
        let mut i = self.first_of_row[row] as usize;
        while !self.rows[i].cells.has(column) {
            i += 1;
        }
        i
    }

    /// The strip of this column that has this cell.
    fn column_strip(&self, row: usize, column: usize) -> usize {
        let mut i = self.first_of_column[column] as usize;
        while !self.columns[i].cells.has(row) {
            i += 1;
        }
        i
    }

    fn root(&mut self, strip: u32) -> u32 {
        let mut i = strip;
        while self.rows[i as usize].link != i {
            let up = self.rows[i as usize].link;
            self.rows[i as usize].link = self.rows[up as usize].link;
            i = up;
        }
        i
    }

    /// Joins the rows that a column crosses.
    fn join(&mut self) {
        for j in 0..self.columns.len() {
            let Strip {
                line, cells, link, ..
            } = self.columns[j];
            let mut first = self.root(link);
            for row in cells.cells() {
                let other = self.row_strip(row, usize::from(line)) as u32;
                let other = self.root(other);
                if other != first {
                    let (low, high) = (first.min(other), first.max(other));
                    self.rows[high as usize].link = low;
                    first = low;
                }
            }
        }
        self.roots.clear();
        for i in 0..self.rows.len() as u32 {
            if self.root(i) == i {
                self.roots.push(i);
            }
        }
    }

    /// The part with this root.
    fn part(&mut self, root: u32) -> Part<W> {
        let mut columns = 0;
        for j in 0..self.columns.len() {
            if self.root(self.columns[j].link) == root {
                self.columns[j].local = columns;
                columns += 1;
            }
        }
        let (mut rows, mut size): (Vec<(u16, W)>, _) = (Vec::new(), 0);
        let mut numbered = true;
        self.key.clear();
        self.key.push(columns);
        let words = columns.div_ceil(u32::BITS) as usize;
        for i in 0..self.rows.len() {
            if self.root(i as u32) != root {
                continue;
            }
            let Strip {
                line,
                number,
                cells,
                ..
            } = self.rows[i];
            numbered &= number != NONE;
            size += cells.count() as u32;
            match rows.last_mut() {
                Some((row, all)) if *row == line => *all |= cells,
                _ => rows.push((line, cells)),
            }
            self.key.push(number);
            let at = self.key.len();
            self.key.resize(at + words, 0);
            for column in cells.cells() {
                let j = self.column_strip(usize::from(line), column);
                let local = self.columns[j].local;
                self.key[at + (local / u32::BITS) as usize] |= 1 << (local % u32::BITS);
            }
        }
        for j in 0..self.columns.len() {
            if self.root(self.columns[j].link) == root {
                numbered &= self.columns[j].number != NONE;
                self.key.push(self.columns[j].number);
            }
        }
        Part {
            rows: rows.into(),
            size,
            key: if numbered {
                self.key.as_slice().into()
            } else {
                Key::default()
            },
        }
    }
}

/// Is this row among the cells?
fn has_row<W>(cells: &[(u16, W)], row: usize) -> bool {
    cells
        .binary_search_by_key(&(row as u16), |&(row, _)| row)
        .is_ok()
}
