//! An obstacle: cells that show why a picture is not good, and that still show it after any flip that does not touch their lines.
//!
//! There are two kinds. A *difference* is the set of cells in which another solution differs from the picture: the lines that it crosses
//! keep their clues when its cells are flipped. A *stuck set* is a set of cells that line solving cannot begin with even when all
//! other cells are known. Whether an obstacle *stands* in a picture is decided line by line, from the cells of its own lines alone. So
//! an edit that removes it flips a cell in one of its rows or columns, and which single flips remove it follows from what a flip does to
//! one row and one column.
//!
//! The flips that keep an obstacle are computed once for the original picture, and once more for every first flip in one of its lines. The
//! search meets the same few changed lines over and over.

use std::sync::OnceLock;

use crate::board::{Cell, blocks};
use crate::design::picture::Picture;
use crate::line::{Kernel, Known, Word};

/// What the cells of an obstacle are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Difference,
    Stuck,
}

/// Scratch memory for settling lines.
#[derive(Debug)]
pub(super) struct Scratch<W: Word> {
    kernel: Kernel<W>,
    lengths: Vec<u16>,
    crossings: Vec<(usize, Crossing<W>)>,
}

impl<W: Word> Default for Scratch<W> {
    fn default() -> Self {
        Scratch {
            kernel: Kernel::new(),
            lengths: Vec::new(),
            crossings: Vec::new(),
        }
    }
}

/// A line of an obstacle in one state of the picture: whether the obstacle stands there, and the cells after whose flip it stands there.
#[derive(Clone, Copy, Debug)]
struct Crossing<W> {
    stands: bool,
    kept: W,
}

/// A line that an obstacle crosses.
#[derive(Debug)]
struct ObstacleLine<W> {
    line: usize,
    /// The cells of the obstacle.
    cells: W,
    /// In the original picture.
    stands: bool,
    kept: OnceLock<W>,
    /// The same as `kept`, after one flip in this line; by the flipped cell.
    after: OnceLock<Box<[OnceLock<W>]>>,
}

/// Cells that keep a picture from being good.
#[derive(Debug)]
pub(super) struct Obstacle<W> {
    kind: Kind,
    /// Rows first, in order.
    lines: Vec<ObstacleLine<W>>,
    rows: W,
    columns: W,
    /// The lines in which it does not stand in the original picture.
    fallen: Touched<W>,
    /// The cells after whose flip the obstacle stands in the original picture, by row; `None` if there is no such cell.
    kept: OnceLock<Option<Box<[W]>>>,
}

/// A set of lines, such as those in which an edit flips cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched<W> {
    rows: W,
    columns: W,
}

impl<W: Word> Touched<W> {
    pub(super) fn new(flips: &[Cell]) -> Self {
        let none = Touched {
            rows: W::ZERO,
            columns: W::ZERO,
        };
        flips.iter().fold(none, |touched, cell| Touched {
            rows: touched.rows | W::bit(usize::from(cell.row)),
            columns: touched.columns | W::bit(usize::from(cell.column)),
        })
    }

    /// Whether this line is touched, in a picture of this height.
    fn has(&self, line: usize, height: usize) -> bool {
        if line < height {
            self.rows.has(line)
        } else {
            self.columns.has(line - height)
        }
    }

    /// Whether all lines of `fallen` are touched.
    pub(super) fn covers(&self, fallen: &Touched<W>) -> bool {
        (fallen.rows & !self.rows | fallen.columns & !self.columns).is_zero()
    }

    /// Whether one more flip may touch all lines of `fallen`, at most one row and one column.
    pub(super) fn nearly_covers(&self, fallen: &Touched<W>) -> bool {
        let is_one = |lines: W| lines.is_zero() || (lines & !W::bit(lines.first())).is_zero();
        is_one(fallen.rows & !self.rows) && is_one(fallen.columns & !self.columns)
    }
}

impl<W: Word> Obstacle<W> {
    /// The obstacle with these cells, by row. `original` is the picture before any edit.
    pub(super) fn new(
        kind: Kind,
        cells: &[W],
        original: &Picture<W>,
        scratch: &mut Scratch<W>,
    ) -> Self {
        let height = original.height();
        let mut all = cells.to_vec();
        all.resize(original.lines(), W::ZERO);
        let (mut rows, mut columns) = (W::ZERO, W::ZERO);
        for (r, row) in cells.iter().enumerate() {
            columns |= *row;
            if !row.is_zero() {
                rows |= W::bit(r);
            }
            row.cells().for_each(|c| all[height + c] |= W::bit(r));
        }
        let lines = all.iter().enumerate().filter(|(_, cells)| !cells.is_zero());
        let lines = lines.map(|(line, &cells)| ObstacleLine {
            line,
            cells,
            stands: kind.stands_in(
                original.line(line),
                cells,
                original.length(line),
                &mut *scratch,
            ),
            kept: OnceLock::new(),
            after: OnceLock::new(),
        });
        let lines: Vec<_> = lines.collect();
        let mut fallen = Touched::new(&[]);
        for line in lines.iter().filter(|line| !line.stands) {
            if line.line < height {
                fallen.rows |= W::bit(line.line)
            } else {
                fallen.columns |= W::bit(line.line - height)
            }
        }
        Obstacle {
            kind,
            lines,
            rows,
            columns,
            fallen,
            kept: OnceLock::new(),
        }
    }

    /// The lines in which it does not stand in the original picture. Where an edit leaves one of them as it is, the obstacle does not
    /// stand.
    pub(super) fn fallen(&self) -> Touched<W> {
        self.fallen
    }

    /// Its cells, by row.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, W)> + '_ {
        let rows = self.rows.count();
        self.lines[..rows]
            .iter()
            .map(|line| (line.line, line.cells))
    }

    /// The cells among `allowed` whose flip can help to remove it, each with a lower bound on the size of a smallest set of flips that
    /// removes it and needs this one. The flips of the cells `removing` remove it alone.
    ///
    /// If all flips of a set are needed, they lie in one line, for the obstacle stands if it stands in every line. There, beyond an empty
    /// cell on either side of the obstacle, all is known and a flip has no effect. So a flip is needed only together with those of all
    /// empty cells between itself and the obstacle, and not if one of these removes the obstacle alone.
    pub(super) fn helping(
        &self,
        picture: &Picture<W>,
        allowed: &[W],
        removing: &[W],
    ) -> Vec<(Cell, usize)> {
        let (width, height) = (picture.width(), picture.height());
        let (rows, columns) = self.lines.split_at(self.rows.count());
        let sizes = |line: &ObstacleLine<W>, joins: &dyn Fn(usize) -> bool| {
            let content = picture.line(line.line);
            sizes_in_line(content, line.cells, picture.length(line.line), joins)
        };
        let joins =
            |row: usize, column: usize| allowed[row].has(column) && !removing[row].has(column);
        let by_column: Vec<(usize, Vec<usize>)> = columns
            .iter()
            .map(|line| {
                let column = line.line - height;
                (column, sizes(line, &|row| joins(row, column)))
            })
            .collect();
        let mut rows = rows.iter().peekable();
        let mut found = Vec::new();
        let mut of_row = Vec::new();
        for (row, &cells) in allowed.iter().enumerate() {
            of_row.clear();
            match rows.next_if(|line| line.line == row) {
                Some(line) => of_row.extend(sizes(line, &|column| joins(row, column))),
                None => of_row.resize(width, usize::MAX),
            }
            for (column, sizes) in &by_column {
                of_row[*column] = of_row[*column].min(sizes[row]);
            }
            for column in cells.cells() {
                let size = if removing[row].has(column) {
                    1
                } else {
                    of_row[column]
                };
                if size < usize::MAX {
                    found.push((Cell::new(row, column), size));
                }
            }
        }
        found
    }

    /// The approximate memory of it, in bytes.
    pub(super) fn bytes(&self, original: &Picture<W>) -> u64 {
        let word = size_of::<W>();
        let line = |line: &ObstacleLine<W>| {
            size_of::<ObstacleLine<W>>() + (word + 8) * original.length(line.line)
        };
        (self.lines.iter().map(line).sum::<usize>() + word * original.height()) as u64
    }

    /// Whether it crosses no line of `touched`.
    fn is_apart(&self, touched: &Touched<W>) -> bool {
        (self.rows & touched.rows | self.columns & touched.columns).is_zero()
    }

    /// Whether it stands in the picture with these flips.
    pub(super) fn stands(
        &self,
        picture: &Picture<W>,
        touched: &Touched<W>,
        scratch: &mut Scratch<W>,
    ) -> bool {
        let height = picture.height();
        touched.covers(&self.fallen)
            && self.lines.iter().all(|line| {
                !touched.has(line.line, height)
                    || self.kind.stands_in(
                        picture.line(line.line),
                        line.cells,
                        picture.length(line.line),
                        scratch,
                    )
            })
    }

    /// Removes from `cells`, which are given by row, those after whose flip the obstacle stands. `original` is the picture without, and
    /// `picture` the one with `flips`, which touch the lines of `touched`.
    pub(super) fn remove_kept(
        &self,
        original: &Picture<W>,
        picture: &Picture<W>,
        flips: &[Cell],
        touched: &Touched<W>,
        scratch: &mut Scratch<W>,
        cells: &mut [W],
    ) {
        if self.is_apart(touched) {
            let kept = self.kept.get_or_init(|| {
                let mut kept = vec![W::ZERO; original.height()].into_boxed_slice();
                self.add_kept(original, original, &[], touched, scratch, &mut kept)
                    .then_some(kept)
            });
            if let Some(kept) = kept {
                for (cells, &kept) in cells.iter_mut().zip(kept) {
                    *cells &= !kept;
                }
            }
            return;
        }
        let mut kept = vec![W::ZERO; original.height()];
        self.add_kept(original, picture, flips, touched, scratch, &mut kept);
        for (cells, kept) in cells.iter_mut().zip(kept) {
            *cells &= !kept;
        }
    }

    /// Sets in `kept` the cells after whose flip the obstacle stands; `false` if there are none.
    pub(super) fn add_kept(
        &self,
        original: &Picture<W>,
        picture: &Picture<W>,
        flips: &[Cell],
        touched: &Touched<W>,
        scratch: &mut Scratch<W>,
        kept: &mut [W],
    ) -> bool {
        let height = original.height();
        let mut crossings = std::mem::take(&mut scratch.crossings);
        crossings.clear();
        // The row and the column in which it does not stand; a flip can change one of each.
        let (mut fallen_row, mut fallen_column) = (None, None);
        let mut possible = true;
        for line in &self.lines {
            let crossing = self.crossing(line, original, picture, flips, touched, scratch);
            crossings.push((line.line, crossing));
            if !crossing.stands {
                let fallen = if line.line < height {
                    &mut fallen_row
                } else {
                    &mut fallen_column
                };
                possible &= fallen.replace(line.line).is_none() && !crossing.kept.is_zero();
                if !possible {
                    break;
                }
            }
        }
        if possible {
            let all = W::low(original.width());
            let in_columns = match fallen_column {
                Some(column) => W::bit(column - height),
                None => all,
            };
            let rows = self.rows.count();
            let (row_crossings, column_crossings) = crossings.split_at(rows);
            let mut row_crossings = row_crossings.iter().peekable();
            for (row, kept) in kept.iter_mut().enumerate() {
                let own = row_crossings.next_if(|(line, _)| *line == row);
                if fallen_row.is_some_and(|fallen| fallen != row) {
                    continue;
                }
                let mut cells = own.map_or(all, |(_, crossing)| crossing.kept) & in_columns;
                for (line, crossing) in column_crossings {
                    if !crossing.kept.has(row) {
                        cells &= !W::bit(line - height);
                    }
                }
                *kept = cells;
            }
        }
        scratch.crossings = crossings;
        possible
    }

    fn crossing(
        &self,
        line: &ObstacleLine<W>,
        original: &Picture<W>,
        picture: &Picture<W>,
        flips: &[Cell],
        touched: &Touched<W>,
        scratch: &mut Scratch<W>,
    ) -> Crossing<W> {
        let (height, length) = (original.height(), original.length(line.line));
        let is_row = line.line < height;
        let mut kept_in = |cells: W| self.kind.kept_in(cells, line.cells, length, scratch);
        if !touched.has(line.line, height) {
            let kept = line.kept.get_or_init(|| kept_in(original.line(line.line)));
            return Crossing {
                stands: line.stands,
                kept: *kept,
            };
        }
        let mut positions = flips.iter().filter_map(|cell| {
            let (row, column) = (usize::from(cell.row), usize::from(cell.column));
            if is_row {
                (row == line.line).then_some(column)
            } else {
                (column == line.line - height).then_some(row)
            }
        });
        let content = picture.line(line.line);
        let kept = match (positions.next(), positions.next()) {
            (Some(first), None) => {
                let after = line
                    .after
                    .get_or_init(|| (0..length).map(|_| OnceLock::new()).collect());
                *after[first].get_or_init(|| kept_in(content))
            }
            _ => kept_in(content),
        };
        Crossing {
            stands: self.kind.stands_in(content, line.cells, length, scratch),
            kept,
        }
    }
}

/// For each cell of a line, a lower bound on the size of a smallest set of at least two flips in the line that removes an obstacle with
/// these cells and needs the flip of this one; `usize::MAX` if there is no such set. Only flips of cells that `joins` accepts are in such
/// sets.
fn sizes_in_line<W: Word>(
    content: W,
    cells: W,
    length: usize,
    joins: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let mut sizes = vec![2; length];
    let (first, last) = (cells.first(), cells.cells().last().unwrap_or(0));
    let mut bound = |positions: &mut dyn Iterator<Item = usize>| {
        let mut between = Some(0);
        for at in positions {
            sizes[at] = between.map_or(usize::MAX, |empty| 2.max(1 + empty));
            if !content.has(at) {
                between = between.filter(|_| joins(at)).map(|empty| empty + 1);
            }
        }
    };
    bound(&mut (0..first).rev());
    bound(&mut (last + 1..length));
    sizes
}

impl Kind {
    /// Whether an obstacle with these cells in a line stands there, if the line has this content.
    fn stands_in<W: Word>(
        self,
        content: W,
        cells: W,
        length: usize,
        scratch: &mut Scratch<W>,
    ) -> bool {
        match self {
            Kind::Difference => blocks(content).eq(blocks(content ^ cells)),
            Kind::Stuck => {
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
        if self == Kind::Difference {
            // Beyond an empty cell on either side of the difference, a flip changes both clues alike.
            let filled = content | cells;
            let first = cells.first();
            from = (0..first).rev().find(|&i| !filled.has(i)).unwrap_or(0);
            let last = cells.cells().last().unwrap_or(0);
            to = (last + 1..length)
                .find(|&i| !filled.has(i))
                .map_or(length, |i| i + 1);
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
        let mut kept = vec![0; original.height()];
        for (row, kept) in kept.iter_mut().enumerate() {
            for column in 0..original.width() {
                let mut picture = original.flipped(flips);
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
            let kind = [Kind::Difference, Kind::Stuck][round % 2];
            let rows: Vec<u64> = (0..5).map(|_| next() & next() & 0x7f).collect();
            let grid = Grid::from_words(7, 5, rows.into());
            let original = Picture::<u64>::new(&grid);
            // Obstacles mostly are the corners of rectangles.
            let (first, second) = (next() as usize % 5, next() as usize % 5);
            let columns = 1 << (next() % 7) | 1 << (next() % 7);
            let mut cells = vec![0; 5];
            (cells[first], cells[second]) = (columns, columns);
            let obstacle = Obstacle::new(kind, &cells, &original, &mut scratch);
            for number in 0..4 {
                let mut flips: Vec<Cell> = (0..number)
                    .map(|_| Cell::new(next() as usize % 5, next() as usize % 7))
                    .collect();
                flips.sort_unstable();
                flips.dedup();
                let (picture, touched) = (original.flipped(&flips), Touched::new(&flips));
                let mut left = [0x7f; 5];
                obstacle.remove_kept(
                    &original,
                    &picture,
                    &flips,
                    &touched,
                    &mut scratch,
                    &mut left,
                );
                let wanted = kept_by_trial(&obstacle, &original, &flips);
                kept_some += usize::from(wanted.iter().any(|&row| row != 0));
                let wanted: Vec<u64> = wanted.iter().map(|row| !row & 0x7f).collect();
                assert_eq!(left.to_vec(), wanted, "{kind:?} {cells:?} {flips:?}");
            }
        }
        assert!(kept_some > 1000, "{kept_some}");
    }
}
