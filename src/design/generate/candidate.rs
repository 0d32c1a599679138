//! A picture that is being changed, with its clues and what line solving finds of it.
//!
//! A change of cells that line solving left unknown is judged in two steps. Its *optimistic* number of unknown cells follows from the cells
//! known before, by settling only the lines that changed and what follows from them. Line solving from the start can only know less, so a
//! change is rejected if this number is too large. If no line that changed had decided a cell, everything known still follows, and it
//! is exact; else line solving starts anew.

use crate::board::{Board, Clues};
use crate::design::picture::Picture;
use crate::line::{Known, Word};
use crate::puzzle::{Cell, Grid};
use crate::run::Control;

/// A cell by row and column.
pub(super) type At = (usize, usize);

/// The unit of looseness: as much as one unknown cell.
pub(super) const UNIT: i64 = 1024;

/// A picture, its clues, and the cells that line solving finds.
#[derive(Clone, Debug)]
pub(super) struct Candidate<W> {
    picture: Picture<W>,
    clues: Clues,
    /// What line solving knows of every line.
    known: Vec<Known<W>>,
    /// Number of cells that line solving leaves unknown.
    pub(super) unknown: usize,
    /// Whether each line has decided a cell.
    decides: Vec<bool>,
    /// How loose the clues are: the sum over all lines of the logarithm of the number of arrangements of the clue in an empty line, in
    /// [`UNIT`]s. It says which of two pictures is nearer to being solvable where line solving finds nothing in either.
    pub(super) looseness: i64,
    /// The logarithms of the factorials, in [`UNIT`]s.
    factorials: Vec<i64>,
    /// Lines settled so far.
    pub(super) settles: u64,
}

impl<W: Word> Candidate<W> {
    /// The state for this grid. If the control stops the run meanwhile, cells stay unknown that line solving would find.
    pub(super) fn new(grid: &Grid, control: &Control) -> Self {
        let picture = Picture::new(grid);
        let (width, height) = (grid.width(), grid.height());
        let mut sum = 0.0;
        let logarithms = (1..=width.max(height) + 1).map(|n| {
            sum += (n as f64).ln();
            (sum * UNIT as f64).round() as i64
        });
        let mut candidate = Candidate {
            clues: picture.clues(),
            picture,
            known: Vec::new(),
            unknown: 0,
            decides: vec![false; width + height],
            looseness: 0,
            factorials: std::iter::once(0).chain(logarithms).collect(),
            settles: 0,
        };
        let all = 0..width + height;
        candidate.looseness = all.map(|line| candidate.line_looseness(line)).sum();
        candidate.solve(control);
        candidate
    }

    /// The picture as a grid.
    pub(super) fn grid(&self) -> Grid {
        self.picture.to_grid()
    }

    /// Whether a cell is filled.
    pub(super) fn is_filled(&self, (row, column): At) -> bool {
        self.picture.line(row).has(column)
    }

    /// The cells that line solving leaves unknown, those that are filled in the picture first.
    pub(super) fn unknown_cells(&self) -> [Vec<At>; 2] {
        let mut cells = [Vec::new(), Vec::new()];
        for row in 0..self.picture.height {
            let unknown = !self.known[row].cells() & W::low(self.picture.width);
            for column in unknown.cells() {
                cells[usize::from(!self.picture.line(row).has(column))].push((row, column));
            }
        }
        cells
    }

    /// After these cells have been flipped: keeps this if line solving leaves at most `most` cells unknown, and returns whether it does.
    pub(super) fn keep_if(&mut self, cells: &[At], most: usize, control: &Control) -> bool {
        let mut places = cells.iter();
        if places.all(|&(row, column)| !self.known[row].cells().has(column)) {
            let mut board = Board::with_lines(&self.clues, self.known.clone());
            let height = self.picture.height;
            let lines = |&(row, column): &At| [row, height + column];
            let lines = cells.iter().flat_map(lines);
            lines.clone().for_each(|line| board.queue(line));
            let propagated = board.propagate_under(control);
            self.settles += board.settles();
            if propagated.is_none() || board.unknown() > most {
                return false;
            }
            if !lines.clone().any(|line| self.decides[line]) {
                for line in board.deciding_lines() {
                    self.decides[line] = true;
                }
                self.unknown = board.unknown();
                self.known = board.into_lines();
                return true;
            }
        }
        let (unknown, decides) = (self.unknown, self.decides.clone());
        let known = std::mem::take(&mut self.known);
        let keeps = self.solve(control) && self.unknown <= most;
        if !keeps {
            (self.known, self.unknown, self.decides) = (known, unknown, decides);
        }
        keeps
    }

    /// Flips cells, all different, and sets the clues of their lines. What line solving knows is not changed: the caller either undoes this
    /// by a second call or calls [`Candidate::keep_if`] with success.
    pub(super) fn flip(&mut self, cells: &[At]) {
        for &(row, column) in cells {
            let lines = [row, self.picture.height + column];
            for line in lines {
                self.looseness -= self.line_looseness(line);
            }
            self.picture.flip(Cell::new(row, column));
            for line in lines {
                self.clues.set_line(line, self.picture.line(line));
                self.looseness += self.line_looseness(line);
            }
        }
    }

    /// The logarithm of the number of arrangements: that of n + 1 - f over k, for k blocks with f cells in a line of n.
    fn line_looseness(&self, line: usize) -> i64 {
        let gaps = self.picture.length(line) + 1 - self.clues.filled(line);
        let blocks = self.clues.line(line).len();
        self.factorials[gaps] - self.factorials[blocks] - self.factorials[gaps - blocks]
    }

    /// Whether the picture has the same clues after these cells are flipped: it is then ambiguous.
    pub(super) fn keeps_clues(&self, cells: &[At]) -> bool {
        let mut other: Vec<(usize, W)> = Vec::new();
        let mut flip = |line: usize, cell: usize| match other.iter_mut().find(|(l, _)| *l == line) {
            Some((_, filled)) => *filled = *filled ^ W::bit(cell),
            None => other.push((line, self.picture.line(line) ^ W::bit(cell))),
        };
        for &(row, column) in cells {
            flip(row, column);
            flip(self.picture.height + column, row);
        }
        let mut lines = other.into_iter();
        lines.all(|(line, filled)| self.clues.is_clue_of(line, filled))
    }

    /// Line solving from the start; `false` if the control stops the run meanwhile.
    fn solve(&mut self, control: &Control) -> bool {
        let mut board = Board::new(&self.clues);
        let mut settles = 0u64;
        let solved = board.propagate_unless(|| {
            settles += 1;
            settles.is_multiple_of(256) && control.poll()
        });
        self.settles += board.settles();
        self.unknown = board.unknown();
        self.decides.fill(false);
        for line in board.deciding_lines() {
            self.decides[line] = true;
        }
        self.known = board.into_lines();
        solved.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use crate::run::Limits;

    /// What is kept between changes must be what line solving finds from the start: a picture without unknown cells is taken as proved.
    #[test]
    fn changes_are_followed_exactly() {
        let control = Control::new(&Limits::default(), false);
        let mut kept = 0;
        for seed in 0..20 {
            let mut random = Random::new(seed, 0);
            let mut grid = Grid::new(12, 9);
            for (row, column) in (0..9).flat_map(|row| (0..12).map(move |column| (row, column))) {
                grid.set(row, column, random.below(100) < 45);
            }
            let mut picture = Candidate::<u64>::new(&grid, &control);
            for _ in 0..100 {
                let [filled, empty] = picture.unknown_cells();
                let swap = match (random.choose(&filled), random.choose(&empty)) {
                    (Some(&filled), Some(&empty)) => vec![filled, empty],
                    _ => vec![(random.below(9), random.below(12))],
                };
                picture.flip(&swap);
                if picture.keep_if(&swap, picture.unknown + 8, &control) {
                    kept += 1;
                } else {
                    picture.flip(&swap);
                }
                let anew = Candidate::<u64>::new(&picture.grid(), &control);
                assert_eq!(picture.known, anew.known);
                assert_eq!(
                    (picture.unknown, picture.looseness),
                    (anew.unknown, anew.looseness)
                );
            }
        }
        assert!(kept > 100);
    }

    #[test]
    fn a_difference_keeps_the_clues() {
        let control = Control::new(&Limits::default(), false);
        let grid = Grid::from_rows(&["#..", ".#.", "..."]).unwrap();
        let picture = Candidate::<u64>::new(&grid, &control);
        assert!(picture.keeps_clues(&[(0, 0), (0, 1), (1, 0), (1, 1)]));
        assert!(!picture.keeps_clues(&[(0, 0), (0, 2), (1, 0), (1, 1)]));
    }
}
