//! The backbone: the cells that are the same in every solution.
//!
//! A cell that two known solutions fill differently is *ambiguous*; every other open cell is a *candidate*. The learner is asked for a
//! solution that flips at least one candidate of a chunk. When there is one, every candidate that it flips is ambiguous; when there is
//! none, the whole chunk belongs to the backbone. What the learner proves of other cells by the way counts as well. So there are
//! never more questions than open cells, and far fewer as a rule.

use std::fmt;

use super::solver::{Answer, SatSolver};
use crate::puzzle::Grid;

/// What is known of which cells are the same in every solution.
///
/// The three pictures share no cell. A cell that is in none of them is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backbone {
    /// Cells that are filled in every solution.
    pub filled: Grid,
    /// Cells that are empty in every solution.
    pub empty: Grid,
    /// Cells that some solution fills and another leaves empty: both have been found.
    pub ambiguous: Grid,
}

impl Backbone {
    /// Everything undecided.
    pub fn unknown(width: usize, height: usize) -> Self {
        let nothing = Grid::new(width, height);
        Backbone {
            filled: nothing.clone(),
            empty: nothing.clone(),
            ambiguous: nothing,
        }
    }

    /// That of a single solution.
    pub fn of_one(grid: &Grid) -> Self {
        let mut backbone = Backbone::unknown(grid.width(), grid.height());
        for row in 0..grid.height() {
            for column in 0..grid.width() {
                backbone.fix(row, column, grid.get(row, column));
            }
        }
        backbone
    }

    /// Number of cells that are the same in every solution.
    pub fn same(&self) -> usize {
        self.filled.filled() + self.empty.filled()
    }

    /// Number of cells that are known to differ.
    pub fn differing(&self) -> usize {
        self.ambiguous.filled()
    }

    /// Number of cells of which it is not known.
    pub fn undecided(&self) -> usize {
        self.filled.width() * self.filled.height() - self.same() - self.differing()
    }

    /// Is every cell decided?
    pub fn is_complete(&self) -> bool {
        self.undecided() == 0
    }

    /// What this cell is in every solution, if that is known.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Option<bool> {
        let empty = || self.empty.get(row, column).then_some(false);
        self.filled.get(row, column).then_some(true).or_else(empty)
    }

    /// Notes where two solutions differ.
    pub(crate) fn differ(&mut self, first: &Grid, other: &Grid) {
        let words = self.ambiguous.words().iter();
        let words = words.zip(first.words()).zip(other.words());
        let words = words.map(|((ambiguous, first), other)| ambiguous | (first ^ other));
        self.ambiguous = Grid::from_words(first.width(), first.height(), words.collect());
    }

    /// Notes what a cell is in every solution.
    fn fix(&mut self, row: usize, column: usize, filled: bool) {
        match filled {
            true => self.filled.set(row, column, true),
            false => self.empty.set(row, column, true),
        }
    }
}

impl fmt::Display for Backbone {
    /// Rows of `#` and `.` for cells that are the same in every solution, `?` for ambiguous and `-` for undecided ones, each with a line
    /// break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::with_capacity(self.filled.width());
        for row in 0..self.filled.height() {
            let [filled, empty, ambiguous] =
                [&self.filled, &self.empty, &self.ambiguous].map(|grid| grid.row(row));
            line.clear();
            for column in 0..self.filled.width() {
                let has = |row: &[u64]| row[column / 64] >> (column % 64) & 1 == 1;
                line.push(match () {
                    () if has(filled) => '#',
                    () if has(empty) => '.',
                    () if has(ambiguous) => '?',
                    () => '-',
                });
            }
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// What asking for the backbone has come to.
#[derive(Clone, Debug)]
pub struct BackboneResult {
    /// Which cells are the same. Complete unless it was stopped.
    pub backbone: Backbone,
    /// Solutions found by the way, all different from each other and from those that were given.
    pub solutions: u64,
}

/// Cells of a chunk. The solver flips one after the other, so that the size matters little: over 39 tournament puzzles this took least,
/// 4, 64 and all at once up to a third longer, and a size that grew with every refusal and shrank with every solution longest.
const CHUNK: usize = 16;

/// The conflicts that a question may take before others have their turn: the first number, and those that it has had so far divided by the
/// second number. So the easy cells are decided when a limit strikes.
const BITE: (u64, u64) = (2000, 8);

/// Finds the backbone of the solutions that a learner has not been forbidden. `first` is one of them, `others` are more, if there are
/// any at hand: all different.
///
/// `stop` is told before every question how many cells are undecided and how many conflicts the learner has met, and says whether to
/// give up; the learner's own `stop` is asked
/// while it looks for an answer. What was found by then is true, but not complete. Whether or not, the learner knows it from now on.
///
/// ```
/// use omnogram::puzzle::{Clue, Grid, Puzzle};
/// use omnogram::sat::{Answer, SatSolver, backbone};
///
/// let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
/// let columns = vec![clue(&[3]), clue(&[1]), clue(&[1])];
/// let puzzle = Puzzle::new(vec![clue(&[1]), clue(&[2]), clue(&[1, 1])], columns).unwrap();
/// let unknown = Grid::new(3, 3);
/// let mut solver = SatSolver::new(&puzzle, &unknown, &unknown, u64::MAX, || false, |_, _, _| {}).unwrap();
/// let Answer::Solution(first) = solver.solve(None) else {
///     panic!("there is one");
/// };
/// let found = backbone(&mut solver, &first, &[], |_, _| false);
/// assert_eq!(found.backbone.to_string(), "#..\n##.\n#.#\n");
/// ```
pub fn backbone(
    solver: &mut SatSolver,
    first: &Grid,
    others: &[Grid],
    mut stop: impl FnMut(usize, u64) -> bool,
) -> BackboneResult {
    let mut open = Candidates::new(first);
    let mut solutions = 0;
    for other in others {
        open.flip(other);
    }
    open.settle(solver);
    while !open.cells.is_empty() && !stop(open.cells.len(), solver.conflicts()) {
        let chunk = open.cells.len().saturating_sub(CHUNK);
        solver.differ(first, &open.cells[chunk..]);
        let before = solver.conflicts();
        let bite = BITE.0 + before / BITE.1;
        match solver.solve(u32::try_from(bite).ok()) {
            Answer::Solution(other) => {
                solutions += 1;
                open.flip(&other);
            }
            Answer::None => open.fix(chunk, solver),
            // With conflicts to spare, it was told to stop.
            Answer::Unknown if solver.conflicts() - before < bite => break,
            Answer::Unknown => open.cells.rotate_left(chunk),
        }
        open.settle(solver);
    }
    open.settle(solver);
    BackboneResult {
        backbone: open.backbone,
        solutions,
    }
}

/// The cells that no solution has flipped yet and nobody has proved.
struct Candidates<'a> {
    first: &'a Grid,
    cells: Vec<(usize, usize)>,
    backbone: Backbone,
}

impl<'a> Candidates<'a> {
    fn new(first: &'a Grid) -> Self {
        let (width, height) = (first.width(), first.height());
        let row = |row| (0..width).map(move |column| (row, column));
        Candidates {
            first,
            cells: (0..height).flat_map(row).collect(),
            backbone: Backbone::unknown(width, height),
        }
    }

    /// Takes away those that this solution flips.
    fn flip(&mut self, other: &Grid) {
        self.cells.retain(|&(row, column)| {
            let same = self.first.get(row, column) == other.get(row, column);
            if !same {
                self.backbone.ambiguous.set(row, column, true);
            }
            same
        });
    }

    /// Those from this place on cannot be flipped.
    fn fix(&mut self, from: usize, solver: &mut SatSolver) {
        for (row, column) in self.cells.drain(from..) {
            let filled = self.first.get(row, column);
            solver.know(row, column, filled);
            self.backbone.fix(row, column, filled);
        }
    }

    /// Takes away those that the learner has proved by itself.
    fn settle(&mut self, solver: &SatSolver) {
        self.cells.retain(|&(row, column)| {
            let known = solver.known(row, column);
            if let Some(filled) = known {
                self.backbone.fix(row, column, filled);
            }
            known.is_none()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Clue, Puzzle};

    #[test]
    fn marks_are_told_apart() {
        let mut backbone = Backbone::unknown(3, 2);
        assert_eq!(backbone.to_string(), "---\n---\n");
        backbone.fix(0, 0, true);
        backbone.fix(0, 1, false);
        backbone.ambiguous.set(1, 2, true);
        assert_eq!(backbone.to_string(), "#.-\n--?\n");
        let numbers = (backbone.same(), backbone.differing(), backbone.undecided());
        assert_eq!(numbers, (2, 1, 3));
        assert!(!backbone.is_complete());
    }

    #[test]
    fn other_solutions_spare_questions() {
        let one = || Clue::new([1]).unwrap();
        let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).unwrap();
        let unknown = Grid::new(2, 2);
        let new = || {
            SatSolver::new(
                &puzzle,
                &unknown,
                &unknown,
                u64::MAX,
                || false,
                |_, _, _| {},
            )
        };
        let first = Grid::from_rows(&["#.", ".#"]).unwrap();
        let other = Grid::from_rows(&[".#", "#."]).unwrap();
        let asked = |others: &[Grid]| {
            let mut questions = 0;
            let found = backbone(&mut new().unwrap(), &first, others, |_, _| {
                questions += 1;
                false
            });
            assert_eq!(found.backbone.to_string(), "??\n??\n");
            (questions, found.solutions)
        };
        assert_eq!(asked(&[]), (1, 1));
        assert_eq!(asked(&[other]), (0, 0));
    }
}
