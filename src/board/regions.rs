//! Splits the unknown cells into independent regions.
//!
//! A line splits at its *cuts*: known empty cells that have the same number of blocks before them in every arrangement. The cells between
//! two cuts form a piece. Unknown cells of the same piece are connected, and so are the pieces of a row and of a column that cross in an
//! unknown cell; a connected component is a region, and the fillings of different regions combine freely. (At a known filled cell a line
//! can split only if its block is fully known, and then the cells beside it are cuts.)

use std::sync::Arc;

use super::known_cells::Board;
use crate::line::Word;
use crate::puzzle::Cell;

/// A set of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region<W> {
    /// Index of its topmost row.
    top: usize,
    /// Its cells in each row from `top` on.
    rows: Box<[W]>,
}

impl<W: Word> Region<W> {
    /// Its size in memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of::<Self>() + size_of_val(&*self.rows)) as u64
    }

    /// All cells of a board.
    pub fn whole(board: &Board<'_, W>) -> Self {
        Region {
            top: 0,
            rows: vec![W::low(board.clues().width()); board.clues().height()].into(),
        }
    }

    /// The region of these cells, row by row from the top; rows without cells may be omitted.
    ///
    /// # Panics
    ///
    /// If the rows are not in order.
    pub fn of_rows(cells: impl IntoIterator<Item = (usize, W)>) -> Self {
        let (mut top, mut rows) = (0, Vec::new());
        for (row, cells) in cells {
            if rows.is_empty() {
                top = row;
            }
            assert!(row >= top + rows.len(), "rows are not in order");
            rows.resize(row - top, W::ZERO);
            rows.push(cells);
        }
        let rows = rows.into();
        Region { top, rows }
    }

    /// The union of several regions.
    pub fn union(regions: &[Arc<Self>]) -> Self {
        let tops = regions.iter().map(|region| region.top);
        let ends = regions.iter().map(|region| region.top + region.rows.len());
        let top = tops.min().unwrap_or_default();
        let mut rows = vec![W::ZERO; ends.max().map_or(0, |end| end - top)];
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

    /// Its rows: index and cells.
    pub fn rows(&self) -> impl Iterator<Item = (usize, W)> + '_ {
        self.rows
            .iter()
            .enumerate()
            .map(|(i, &cells)| (self.top + i, cells))
    }

    /// Whether it contains this cell.
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

/// The independent regions of the unknown cells of `region`, ordered by their first cells; `None` if `stop`, called before every line,
/// returns `true`. The board must be at a propagation fixpoint.
///
/// Settles each line of the region at most once.
pub fn split_unless<W: Word>(
    board: &mut Board<'_, W>,
    region: &Region<W>,
    mut stop: impl FnMut() -> bool,
) -> Option<Vec<Region<W>>> {
    // Numbers the pieces, and joins those that cross in an unknown cell.
    let mut pieces = DisjointSets::default();
    let (mut cells, mut row_piece) = (Vec::new(), Vec::new());
    let (height, width) = (board.clues().height(), board.clues().width());
    // First the number of cells per column, then the end of each column in `by_column`.
    let mut ends = vec![0; width + 1];
    for (row, region_cells) in region.rows() {
        let unknown = region_cells & board.unknown_in_row(row);
        if unknown.is_zero() {
            continue;
        }
        if stop() {
            return None;
        }
        let cuts = board.cuts(row);
        let has_cuts = !cuts.is_zero();
        let mut last = None;
        for column in unknown.cells() {
            let is_same_piece =
                last.is_some_and(|last| !(has_cuts && is_separated(cuts, last, column)));
            row_piece.push(if is_same_piece {
                pieces.count() - 1
            } else {
                pieces.add()
            });
            cells.push(Cell::new(row, column));
            ends[column + 1] += 1;
            last = Some(column);
        }
    }
    for column in 0..width {
        ends[column + 1] += ends[column];
    }
    // Each column from its first cell on, in row order.
    let mut by_column = vec![0; cells.len()];
    for (i, cell) in cells.iter().enumerate() {
        let end = &mut ends[usize::from(cell.column)];
        by_column[*end] = i;
        *end += 1;
    }
    let mut remaining = by_column.as_slice();
    while let Some(&first) = remaining.first() {
        if stop() {
            return None;
        }
        let column = cells[first].column;
        let count = remaining.partition_point(|&i| cells[i].column == column);
        let cuts = board.cuts(height + usize::from(column));
        let has_cuts = !cuts.is_zero();
        for pair in remaining[..count].windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let row = |i: usize| usize::from(cells[i].row);
            if !(has_cuts && is_separated(cuts, row(from), row(to))) {
                pieces.join(row_piece[to], row_piece[from]);
            }
        }
        remaining = &remaining[count..];
    }
    // Regions ordered by their first cells.
    let mut region_index = vec![usize::MAX; pieces.count()];
    let mut regions: Vec<Vec<Cell>> = Vec::new();
    let mut row = None;
    for (cell, &piece) in cells.iter().zip(&row_piece) {
        if row.replace(cell.row) != Some(cell.row) && stop() {
            return None;
        }
        let root = pieces.root(piece);
        if region_index[root] == usize::MAX {
            region_index[root] = regions.len();
            regions.push(Vec::new());
        }
        regions[region_index[root]].push(*cell);
    }
    #[cfg(feature = "checked")]
    super::checked::Rows::of(board.rows(), width).confirm_regions(board.clues(), &regions);
    regions
        .iter()
        .map(|cells| (!stop()).then(|| region_of(cells)))
        .collect()
}

/// Whether a cut lies between two cells of a line.
fn is_separated<W: Word>(cuts: W, from: usize, to: usize) -> bool {
    !(cuts & W::low(to) & !W::low(from)).is_zero()
}

/// The region of these cells, which are in row order.
fn region_of<W: Word>(cells: &[Cell]) -> Region<W> {
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

/// Disjoint sets of items, which are numbered in the order in which they are added (union-find).
#[derive(Default)]
pub(crate) struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    /// The items below this number, each in a set of its own.
    pub(crate) fn new(number: usize) -> Self {
        DisjointSets {
            parent: (0..number).collect(),
        }
    }

    fn count(&self) -> usize {
        self.parent.len()
    }

    /// Adds a set of one item, and returns its number.
    pub(crate) fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    /// The item that stands for the set of an item.
    pub(crate) fn root(&mut self, mut item: usize) -> usize {
        while self.parent[item] != item {
            self.parent[item] = self.parent[self.parent[item]];
            item = self.parent[item];
        }
        item
    }

    /// Joins the sets of two items.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::line::{Known, Wide};
    use crate::puzzle::Puzzle;
    use crate::run::{Control, Limits};

    /// Regression: splitting boards of millions of cells took minutes, whatever the limits were.
    #[test]
    fn split_stops_when_told_to() {
        let clues = Clues::new(&Puzzle::from_clues(&[[1]; 70], &[[1]; 70]).unwrap());
        let mut board = Board::<Wide<8>>::new(&clues);
        assert!(board.propagate());
        let whole = Region::whole(&board);
        let mut calls = 0;
        let mut split_with = |max_calls: u32| {
            calls = 0;
            split_unless(&mut board, &whole, || {
                calls += 1;
                calls > max_calls
            })
        };
        assert_eq!(split_with(u32::MAX), Some(vec![whole.clone()]));
        for max_calls in [0, 1, 30, 100, 139] {
            assert_eq!(split_with(max_calls), None);
        }
        assert!(calls == 140, "stop is called for every line");
    }

    /// Two permutations of two rows each.
    #[test]
    fn two_blocks_on_a_diagonal_are_two_regions() {
        let clues = Clues::new(&Puzzle::from_clues(&[[1]; 4], &[[1]; 4]).unwrap());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let whole = Region::whole(&board);
        assert_eq!(
            split_unless(&mut board, &whole, || false).unwrap(),
            std::slice::from_ref(&whole)
        );
        let (left, right) = (0b0011, 0b1100);
        let others_empty = |row| {
            let empty = if row < 2 { right } else { left };
            (row, Known { filled: 0, empty })
        };
        let control = Control::new(&Limits::default(), false);
        let decided = board.decide_all((0..4).map(others_empty), &control);
        assert_eq!((decided, board.unknown()), (Some(true), 8));
        let regions: Vec<Arc<Region<u64>>> = split_unless(&mut board, &whole, || false)
            .unwrap()
            .into_iter()
            .map(Arc::new)
            .collect();
        let rows = |region: &Region<u64>| region.rows().collect::<Vec<_>>();
        assert_eq!(
            regions.iter().map(|it| rows(it)).collect::<Vec<_>>(),
            [[(0, left), (1, left)], [(2, right), (3, right)]]
        );
        assert!(regions.iter().all(|region| region.size() == 4));
        let all = Region::union(&[Arc::clone(&regions[1]), Arc::clone(&regions[0])]);
        assert_eq!(rows(&all), [(0, left), (1, left), (2, right), (3, right)]);
        // Unions of regions that begin below the first row, and that have a row in common.
        assert_eq!(Region::union(&regions[1..]), *regions[1]);
        assert_eq!(
            Region::union(&[Arc::new(whole.clone()), Arc::clone(&regions[1])]),
            whole
        );
    }

    #[test]
    fn an_empty_line_between_two_blocks_separates_them() {
        let pairs: &[&[usize]] = &[&[1, 1], &[1, 1]];
        let single: &[&[usize]] = &[&[1], &[1], &[], &[1], &[1]];
        let cells = |rows: &[usize], columns: &[usize]| -> Vec<Cell> {
            let row = |&r: &usize| columns.iter().map(move |&c| Cell::new(r, c));
            rows.iter().flat_map(row).collect()
        };
        let (near, far, both) = ([0, 1], [3, 4], [0, 1]);
        for (rows, columns, wanted) in [
            (pairs, single, [cells(&both, &near), cells(&both, &far)]),
            (single, pairs, [cells(&near, &both), cells(&far, &both)]),
        ] {
            let clues = Clues::new(&Puzzle::from_clues(rows, columns).unwrap());
            let mut board = Board::<u64>::new(&clues);
            assert!(board.propagate());
            let whole = Region::whole(&board);
            let regions = split_unless(&mut board, &whole, || false).unwrap();
            let found: Vec<Vec<Cell>> = regions
                .iter()
                .map(|region| region.unknown(&board).collect())
                .collect();
            assert_eq!(found, wanted);
        }
    }
}
