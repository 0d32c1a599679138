//! An obstacle: cells that show why a picture is not good, and that still show it after any flip that does not touch their lines.
//!
//! There are two kinds. A *difference* is the set of cells in which another solution differs from the picture: the lines that it crosses
//! keep their clues when its cells are flipped. A *stuck set* is a set of cells that line solving cannot begin with even when all
//! other cells are known. Whether an obstacle *stands* in a picture is decided line by line, from the cells of its own lines alone. So an
//! edit that removes it flips a cell in one of them, and which single flips remove it follows from what each does to one row and one
//! column.
//!
//! The flips that keep an obstacle are computed once for the original picture, and once more for every first flip in one of its lines,
//! since the search meets the same few changed lines over and over.

use std::sync::OnceLock;

use super::edit::{CellSet, Edit, LineWords};
use super::packing::Helping;
use crate::board::blocks;
use crate::design::picture::Picture;
use crate::line::{Kernel, Known, Word};
use crate::puzzle::Cell;

/// What the cells of an obstacle are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObstacleKind {
    Difference,
    Stuck,
}

/// Scratch memory for settling lines.
#[derive(Debug)]
pub(super) struct Scratch<W: Word> {
    kernel: Kernel<W>,
    lengths: Vec<u16>,
    /// The cells that keep an obstacle in each of its lines.
    kept_in_lines: Vec<W>,
}

impl<W: Word> Default for Scratch<W> {
    fn default() -> Self {
        Scratch {
            kernel: Kernel::new(),
            lengths: Vec::new(),
            kept_in_lines: Vec::new(),
        }
    }
}

/// A line that an obstacle crosses.
#[derive(Debug)]
struct ObstacleLine<W> {
    line: usize,
    /// The cells of the obstacle.
    cells: W,
    /// Whether the obstacle stands there in the original picture.
    stands: bool,
    /// The cells of the line after whose flip in the original picture it stands there.
    kept: OnceLock<W>,
    /// The same as `kept`, after one flip in this line; by the flipped cell.
    after: OnceLock<Box<[OnceLock<W>]>>,
}

/// Cells that keep a picture from being good.
#[derive(Debug)]
pub(super) struct Obstacle<W> {
    kind: ObstacleKind,
    /// Rows first, in order.
    lines: Vec<ObstacleLine<W>>,
    /// The same lines.
    crossed: LineWords<W>,
    /// The lines in which it does not stand in the original picture. An edit after which it stands changes all of them.
    pub(super) fallen: LineWords<W>,
    /// The cells after whose flip the obstacle stands in the original picture; `None` if there is no such cell.
    kept: OnceLock<Option<CellSet<W>>>,
}

impl<W: Word> Obstacle<W> {
    /// The obstacle with these cells. `original` is the picture before any edit.
    pub(super) fn new(
        kind: ObstacleKind,
        cells: &CellSet<W>,
        original: &Picture<W>,
        scratch: &mut Scratch<W>,
    ) -> Self {
        let height = original.height;
        let mut by_line = cells.rows.clone();
        by_line.resize(original.lines.len(), W::ZERO);
        for cell in cells.iter() {
            by_line[height + usize::from(cell.column)] |= W::bit(cell.row.into());
        }
        let mut obstacle = Obstacle {
            kind,
            lines: Vec::new(),
            crossed: LineWords::NONE,
            fallen: LineWords::NONE,
            kept: OnceLock::new(),
        };
        let lines = by_line.into_iter().enumerate();
        for (line, cells) in lines.filter(|(_, cells)| !cells.is_zero()) {
            let (content, length) = (original.line(line), original.length(line));
            let stands = kind.stands_in(content, cells, length, scratch);
            obstacle.crossed.insert(line, height);
            if !stands {
                obstacle.fallen.insert(line, height);
            }
            obstacle.lines.push(ObstacleLine {
                line,
                cells,
                stands,
                kept: OnceLock::new(),
                after: OnceLock::new(),
            });
        }
        obstacle
    }

    /// Its cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let rows = self.lines.iter().take(self.crossed.rows.count());
        rows.flat_map(|row| row.cells.cells().map(|column| Cell::new(row.line, column)))
    }

    /// The cells among `allowed` whose flip can help to remove it, each with a lower bound on the size of a smallest set of flips that
    /// removes it and needs this one: 1 for the cells `removing`.
    ///
    /// If all flips of a set are needed, they lie in one line, for the obstacle stands if it stands in every line. There, beyond an empty
    /// cell on either side of the obstacle, all is known and a flip has no effect. So a flip is needed only together with those of all
    /// empty cells between itself and the obstacle, and not if one of these removes the obstacle alone.
    pub(super) fn helping(
        &self,
        picture: &Picture<W>,
        allowed: &CellSet<W>,
        removing: &CellSet<W>,
    ) -> Helping {
        let height = picture.height;
        let mut by_line = vec![Vec::new(); picture.lines.len()];
        for &ObstacleLine { line, cells, .. } in &self.lines {
            let (content, length) = (picture.line(line), picture.length(line));
            by_line[line] = sizes_in_line(content, cells, length, |i| {
                let cell = match line.checked_sub(height) {
                    None => Cell::new(line, i),
                    Some(column) => Cell::new(i, column),
                };
                allowed.has(cell) && !removing.has(cell)
            });
        }
        let mut helping = Vec::new();
        for cell in allowed.iter() {
            let (row, column) = cell.place();
            let in_row = by_line[row].get(column);
            let in_column = by_line[height + column].get(row);
            let size = in_row.into_iter().chain(in_column).min().copied();
            let size = if removing.has(cell) { Some(1) } else { size };
            helping.extend(
                size.filter(|&size| size < usize::MAX)
                    .map(|size| (cell, size)),
            );
        }
        helping
    }

    /// The approximate memory of it, in bytes.
    pub(super) fn bytes(&self, original: &Picture<W>) -> u64 {
        let word = size_of::<W>();
        let lines = self.lines.iter();
        let lines = lines.map(|line| size_of_val(line) + (word + 8) * original.length(line.line));
        (lines.sum::<usize>() + word * original.height) as u64
    }

    /// Whether it stands after an edit.
    pub(super) fn stands(&self, edit: &Edit<'_, W>, scratch: &mut Scratch<W>) -> bool {
        let picture = &edit.picture;
        edit.touched.covers(&self.fallen)
            && self.lines.iter().all(|line| {
                let (content, length) = (picture.line(line.line), picture.length(line.line));
                !edit.touched.has(line.line, picture.height)
                    || self.kind.stands_in(content, line.cells, length, scratch)
            })
    }

    /// Removes from `cells` those after whose flip, beside those of the edit, the obstacle stands.
    pub(super) fn remove_kept(
        &self,
        edit: &Edit<'_, W>,
        scratch: &mut Scratch<W>,
        cells: &mut CellSet<W>,
    ) {
        if self.crossed.meets(&edit.touched) {
            if let Some(kept) = self.kept_after(edit, scratch) {
                cells.remove_all(&kept);
            }
        } else if let Some(kept) = self.kept.get_or_init(|| self.kept_after(edit, scratch)) {
            cells.remove_all(kept);
        }
    }

    /// The cells after whose flip, beside those of the edit, the obstacle stands; `None` if there are none.
    fn kept_after(&self, edit: &Edit<'_, W>, scratch: &mut Scratch<W>) -> Option<CellSet<W>> {
        let (width, height) = (edit.original.width, edit.original.height);
        scratch.kept_in_lines.clear();
        // The row and the column in which it does not stand; a flip can change one of each.
        let (mut fallen_row, mut fallen_column) = (None, None);
        for line in &self.lines {
            let (stands, kept) = self.crossing(line, edit, scratch);
            if !stands {
                let is_second = match line.line.checked_sub(height) {
                    None => fallen_row.replace(line.line).is_some(),
                    Some(column) => fallen_column.replace(column).is_some(),
                };
                if is_second || kept.is_zero() {
                    return None;
                }
            }
            scratch.kept_in_lines.push(kept);
        }
        let in_row = fallen_column.map_or(W::low(width), W::bit);
        let mut kept = CellSet::none(height);
        match fallen_row {
            None => kept.rows.fill(in_row),
            Some(row) => kept.rows[row] = in_row,
        }
        for (line, &kept_in_line) in self.lines.iter().zip(&scratch.kept_in_lines) {
            match line.line.checked_sub(height) {
                None => kept.rows[line.line] &= kept_in_line,
                Some(column) => (W::low(height) & !kept_in_line)
                    .cells()
                    .for_each(|row| kept.rows[row] &= !W::bit(column)),
            }
        }
        Some(kept)
    }

    /// Whether it stands in this line after the edit, and the cells of the line after whose flip it does.
    fn crossing(
        &self,
        line: &ObstacleLine<W>,
        edit: &Edit<'_, W>,
        scratch: &mut Scratch<W>,
    ) -> (bool, W) {
        let picture = &edit.picture;
        let (height, length) = (picture.height, picture.length(line.line));
        let content = picture.line(line.line);
        let mut kept_in = || self.kind.kept_in(content, line.cells, length, scratch);
        if !edit.touched.has(line.line, height) {
            return (line.stands, *line.kept.get_or_init(kept_in));
        }
        let mut in_line = edit.flips.iter().filter_map(|cell| {
            let (row, column) = cell.place();
            match line.line.checked_sub(height) {
                None => (row == line.line).then_some(column),
                Some(own) => (column == own).then_some(row),
            }
        });
        let kept = match (in_line.next(), in_line.next()) {
            (Some(only), None) => {
                let empty = || (0..length).map(|_| OnceLock::new()).collect();
                *line.after.get_or_init(empty)[only].get_or_init(kept_in)
            }
            _ => kept_in(),
        };
        let stands = self.kind.stands_in(content, line.cells, length, scratch);
        (stands, kept)
    }
}

/// For each cell of a line, a lower bound on the size of a smallest set of at least two flips of cells that `joins` accepts, in the line,
/// that removes an obstacle with these cells and needs the flip of this one; `usize::MAX` if there is no such set.
fn sizes_in_line<W: Word>(
    content: W,
    cells: W,
    length: usize,
    joins: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut sizes = vec![2; length];
    let (first, last) = (cells.first(), cells.cells().last().unwrap_or(0));
    let outwards: [&mut dyn Iterator<Item = usize>; 2] =
        [&mut (0..first).rev(), &mut (last + 1..length)];
    for places in outwards {
        // The number of empty cells passed so far; `None` after one whose flip is in no such set.
        let mut empty = Some(0);
        for at in places {
            sizes[at] = empty.map_or(usize::MAX, |empty| 2.max(1 + empty));
            if !content.has(at) {
                empty = empty.filter(|_| joins(at)).map(|empty| empty + 1);
            }
        }
    }
    sizes
}

impl ObstacleKind {
    /// Whether an obstacle with these cells in a line stands there, if the line has this content.
    fn stands_in<W: Word>(
        self,
        content: W,
        cells: W,
        length: usize,
        scratch: &mut Scratch<W>,
    ) -> bool {
        match self {
            ObstacleKind::Difference => blocks(content).eq(blocks(content ^ cells)),
            ObstacleKind::Stuck => {
                let known = Known {
                    filled: content & !cells,
                    empty: !content & !cells & W::low(length),
                };
                scratch.lengths.clear();
                scratch.lengths.extend(blocks(content));
                let settled = scratch.kernel.settle(&scratch.lengths, length, known);
                settled.is_some_and(|settled| (settled.cells() & cells).is_zero())
            }
        }
    }

    /// The cells of a line after whose flip an obstacle stands there.
    fn kept_in<W: Word>(self, content: W, cells: W, length: usize, scratch: &mut Scratch<W>) -> W {
        let mut kept = W::ZERO;
        let (mut from, mut to) = (0, length);
        if self == ObstacleKind::Difference {
            // Beyond an empty cell on either side of the difference, a flip changes both clues alike.
            let filled = content | cells;
            let first = cells.first();
            from = (0..first).rev().find(|&i| !filled.has(i)).unwrap_or(0);
            let last = cells.cells().last().unwrap_or(0);
            let behind = (last + 1..length).find(|&i| !filled.has(i));
            to = behind.map_or(length, |i| i + 1);
            if self.stands_in(content, cells, length, scratch) {
                kept = W::low(from) | (W::low(length) & !W::low(to));
            }
        }
        for i in from..to {
            if self.stands_in(content ^ W::bit(i), cells, length, scratch) {
                kept |= W::bit(i);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Grid;

    /// The cells after whose flip the obstacle stands, one after the other.
    fn kept_by_trial(
        obstacle: &Obstacle<u64>,
        original: &Picture<u64>,
        flips: &[Cell],
    ) -> Vec<u64> {
        let mut scratch = Scratch::default();
        let mut kept = vec![0; original.height];
        for (row, kept) in kept.iter_mut().enumerate() {
            for column in 0..original.width {
                let mut picture = Edit::new(original, flips).picture;
                picture.flip(Cell::new(row, column));
                let stands = obstacle.lines.iter().all(|line| {
                    let length = picture.length(line.line);
                    let content = picture.line(line.line);
                    obstacle
                        .kind
                        .stands_in(content, line.cells, length, &mut scratch)
                });
                *kept |= u64::from(stands) << column;
            }
        }
        kept
    }

    #[test]
    fn kept_cells_are_those_found_by_trial() {
        let mut scratch = Scratch::default();
        let mut seed = 1u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        let mut kept_some = 0;
        for round in 0..10_000 {
            let kind = [ObstacleKind::Difference, ObstacleKind::Stuck][round % 2];
            let rows: Vec<u64> = (0..5).map(|_| next() & next() & 0x7f).collect();
            let grid = Grid::from_words(7, 5, rows.into());
            let original = Picture::<u64>::new(&grid);
            // Obstacles mostly are the corners of rectangles.
            let (first, second) = (next() as usize % 5, next() as usize % 5);
            let columns = 1 << (next() % 7) | 1 << (next() % 7);
            let mut cells = CellSet::none(5);
            (cells.rows[first], cells.rows[second]) = (columns, columns);
            let obstacle = Obstacle::new(kind, &cells, &original, &mut scratch);
            for number in 0..4 {
                let mut flips: Vec<Cell> = (0..number)
                    .map(|_| Cell::new(next() as usize % 5, next() as usize % 7))
                    .collect();
                flips.sort_unstable();
                flips.dedup();
                let edit = Edit::new(&original, &flips);
                let mut left = CellSet::from_iter([0x7f; 5]);
                obstacle.remove_kept(&edit, &mut scratch, &mut left);
                let wanted = kept_by_trial(&obstacle, &original, &flips);
                kept_some += usize::from(wanted.iter().any(|&row| row != 0));
                let wanted: Vec<u64> = wanted.iter().map(|row| !row & 0x7f).collect();
                assert_eq!(left.rows, wanted, "{kind:?} {cells:?} {flips:?}");
            }
        }
        assert!(kept_some > 1000, "{kept_some}");
    }
}
