//! Where the unknown cells fall apart into regions that know nothing of each other.
//!
//! A line falls apart at its *cuts*: known empty cells which every arrangement has behind the same number of blocks. What lies
//! between two cuts is a piece. Unknown cells of one piece belong together, and so do the pieces of a row and of a column that
//! cross in an unknown cell; what is connected so is a region, and any filling of one region goes with any filling of another.
//! (At a known filled cell a line can fall apart only where its block is settled whole, and then the cells beside it are cuts.)

use std::sync::Arc;

use super::{Board, Cell};
use crate::line::Word;

/// A set of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region<W> {
    /// Its topmost row.
    top: usize,
    /// Its cells in each row from the top one on.
    rows: Box<[W]>,
}

impl<W: Word> Region<W> {
    /// All cells of a board.
    pub fn whole(board: &Board<'_, W>) -> Self {
        Region {
            top: 0,
            rows: vec![W::low(board.clues().width()); board.clues().height()].into(),
        }
    }

    /// All cells of several regions.
    pub fn union(regions: &[Arc<Self>]) -> Self {
        let top = regions.iter().map(|region| region.top).min();
        let top = top.unwrap_or_default();
        let end = |region: &Arc<Self>| region.top + region.rows.len();
        let height = regions.iter().map(end).max().map_or(0, |end| end - top);
        let mut rows = vec![W::ZERO; height];
        for (r, cells) in regions.iter().flat_map(|region| region.rows()) {
            rows[r - top] |= cells;
        }
        Region {
            top,
            rows: rows.into(),
        }
    }

    /// Number of cells.
    pub fn size(&self) -> usize {
        self.rows.iter().map(|row| row.count()).sum()
    }

    /// Its rows: number and cells.
    pub fn rows(&self) -> impl Iterator<Item = (usize, W)> + '_ {
        self.rows
            .iter()
            .enumerate()
            .map(|(i, &cells)| (self.top + i, cells))
    }

    /// Is this cell in it?
    pub fn has(&self, cell: Cell) -> bool {
        let row = usize::from(cell.row)
            .checked_sub(self.top)
            .and_then(|i| self.rows.get(i));
        row.is_some_and(|row| row.has(usize::from(cell.column)))
    }

    /// Its cells that are unknown on a board, row by row.
    pub fn unknown<'a>(&'a self, board: &'a Board<'_, W>) -> impl Iterator<Item = Cell> + 'a {
        self.rows().flat_map(|(r, cells)| {
            (cells & board.unknown_in_row(r))
                .cells()
                .map(move |c| Cell::new(r, c))
        })
    }
}

/// The independent regions of the unknown cells of `region`, in order of their first cells. The board must be at a fixpoint.
///
/// Settles each line of the region once.
pub fn split<W: Word>(board: &mut Board<'_, W>, region: &Region<W>) -> Vec<Region<W>> {
    let cells: Vec<Cell> = region.unknown(board).collect();
    // Pieces are numbered, and joined where they cross in an unknown cell.
    let mut pieces = Pieces::default();
    let mut of_row = Vec::with_capacity(cells.len());
    let mut last = None;
    let mut cuts = W::ZERO;
    for cell in &cells {
        let (row, column) = (usize::from(cell.row), usize::from(cell.column));
        let same = match last {
            Some((r, c)) if r == row => !parted(cuts, c, column),
            _ => {
                cuts = board.cuts(row);
                false
            }
        };
        of_row.push(if same {
            pieces.count() - 1
        } else {
            pieces.add()
        });
        last = Some((row, column));
    }
    let mut by_column: Vec<usize> = (0..cells.len()).collect();
    by_column.sort_unstable_by_key(|&i| (cells[i].column, cells[i].row));
    let height = board.clues().height();
    let mut before: Option<usize> = None;
    for &i in &by_column {
        let (row, column) = (usize::from(cells[i].row), usize::from(cells[i].column));
        match before {
            Some(j) if usize::from(cells[j].column) == column => {
                if !parted(cuts, usize::from(cells[j].row), row) {
                    pieces.join(of_row[i], of_row[j]);
                }
            }
            _ => cuts = board.cuts(height + column),
        }
        before = Some(i);
    }
    // Regions in order of their first cells.
    let mut number = vec![usize::MAX; pieces.count()];
    let mut regions: Vec<Vec<Cell>> = Vec::new();
    for (cell, &piece) in cells.iter().zip(&of_row) {
        let root = pieces.root(piece);
        if number[root] == usize::MAX {
            number[root] = regions.len();
            regions.push(Vec::new());
        }
        regions[number[root]].push(*cell);
    }
    regions.iter().map(|cells| gather(cells)).collect()
}

/// Does a cut lie between two cells of a line?
fn parted<W: Word>(cuts: W, from: usize, to: usize) -> bool {
    !(cuts & W::low(to) & !W::low(from)).is_zero()
}

/// The region of these cells, which are in row order.
fn gather<W: Word>(cells: &[Cell]) -> Region<W> {
    let row = |cell: &Cell| usize::from(cell.row);
    let (top, bottom) = (row(&cells[0]), row(&cells[cells.len() - 1]));
    let mut rows = vec![W::ZERO; bottom - top + 1];
    for cell in cells {
        rows[row(cell) - top] |= W::bit(usize::from(cell.column));
    }
    Region {
        top,
        rows: rows.into(),
    }
}

/// Union-find over the pieces of lines.
#[derive(Default)]
struct Pieces {
    parent: Vec<usize>,
}

impl Pieces {
    fn count(&self) -> usize {
        self.parent.len()
    }

    fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn root(&mut self, mut piece: usize) -> usize {
        while self.parent[piece] != piece {
            self.parent[piece] = self.parent[self.parent[piece]];
            piece = self.parent[piece];
        }
        piece
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
