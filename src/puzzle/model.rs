//! The puzzle: the clues of its rows and columns, the cells that it gives from the start, and the metadata of its file.

use super::cell::Cell;
use super::clue::Clue;
use super::grid::Grid;
use super::line::{Line, MAX_SIDE};
use super::position::Position;
use crate::error::{Error, Result};

/// Metadata of a puzzle. Each field is set by the method with its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Notes {
    /// The title.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// The copyright notice.
    pub copyright: Option<String>,
    /// The licence, usually an SPDX identifier.
    pub license: Option<String>,
    /// Its number in a collection.
    pub catalogue: Option<String>,
    /// The solution intended by the author. It is reported, never trusted: it need not satisfy the clues, nor be the only solution.
    pub goal: Option<Grid>,
    /// The grids of players who have not finished, of the size of the puzzle. They bind nothing.
    pub saved: Vec<Position>,
}

impl Notes {
    /// Sets the title.
    pub fn title(mut self, title: impl Into<Option<String>>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the author.
    pub fn author(mut self, author: impl Into<Option<String>>) -> Self {
        self.author = author.into();
        self
    }

    /// Sets the copyright notice.
    pub fn copyright(mut self, copyright: impl Into<Option<String>>) -> Self {
        self.copyright = copyright.into();
        self
    }

    /// Sets the licence.
    pub fn license(mut self, license: impl Into<Option<String>>) -> Self {
        self.license = license.into();
        self
    }

    /// Sets the number in a collection.
    pub fn catalogue(mut self, catalogue: impl Into<Option<String>>) -> Self {
        self.catalogue = catalogue.into();
        self
    }

    /// Sets the solution intended by the author.
    pub fn goal(mut self, goal: impl Into<Option<Grid>>) -> Self {
        self.goal = goal.into();
        self
    }

    /// Sets the grids of players who have not finished.
    pub fn saved(mut self, saved: impl Into<Vec<Position>>) -> Self {
        self.saved = saved.into();
        self
    }
}

/// The clues of all rows and columns, each of which fits its line, and the cells that are given from the start.
///
/// A given cell binds as a clue does: a solution satisfies all clues, and has the value of every given cell. A puzzle may have no solution.
/// It has 1 to [`MAX_SIDE`] rows and 1 to [`MAX_SIDE`] columns.
///
/// ```
/// use omnogram::puzzle::{Clue, Puzzle};
///
/// let clue = |blocks: &[usize]| Clue::new(blocks.iter().copied()).unwrap();
/// let diagonals = Puzzle::new(vec![clue(&[1]), clue(&[1])], vec![clue(&[1]), clue(&[1])]).unwrap();
/// assert_eq!((diagonals.width(), diagonals.height()), (2, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    rows: Box<[Clue]>,
    columns: Box<[Clue]>,
    /// The given cells, of which there is at least one.
    given: Option<Box<Position>>,
    notes: Notes,
}

impl Puzzle {
    /// A puzzle from the clues of its rows, top to bottom, and columns, left to right.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if there are no rows or columns or more than [`MAX_SIDE`], or if a clue does not fit its
    /// line.
    pub fn new(rows: Vec<Clue>, columns: Vec<Clue>) -> Result<Self> {
        for (side, count) in [("row", rows.len()), ("column", columns.len())] {
            if count == 0 {
                return Err(Error::data(format!("a puzzle needs at least one {side}")));
            }
            if count > MAX_SIDE {
                return Err(Error::data(format!(
                    "{count} {side}s are more than the {MAX_SIDE} that omnogram can hold"
                )));
            }
        }
        let puzzle = Puzzle {
            rows: rows.into(),
            columns: columns.into(),
            given: None,
            notes: Notes::default(),
        };
        for (line, clue) in puzzle.lines() {
            clue.check_fit(line, puzzle.length(line))?;
        }
        Ok(puzzle)
    }

    /// A puzzle from the block lengths of its rows, top to bottom, and columns, left to right. An empty line has no blocks, or one 0.
    ///
    /// ```
    /// let puzzle = omnogram::Puzzle::from_clues(&[vec![1], vec![0], vec![1, 1]], &[vec![2], vec![], vec![1]]);
    /// assert_eq!(puzzle.unwrap().height(), 3);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Puzzle::new`], and if a block has no cells.
    pub fn from_clues<L: AsRef<[usize]>>(rows: &[L], columns: &[L]) -> Result<Self> {
        let clue = |lengths: &L| match lengths.as_ref() {
            [0] => Clue::new([]),
            lengths => Clue::new(lengths.iter().copied()),
        };
        let clues = |lines: &[L]| lines.iter().map(clue).collect::<Result<Vec<_>>>();
        Puzzle::new(clues(rows)?, clues(columns)?)
    }

    /// The puzzle with the clues of `grid`, which is one of its solutions.
    pub fn from_grid(grid: &Grid) -> Self {
        Puzzle {
            rows: (0..grid.height())
                .map(|r| grid.clue(Line::Row(r)))
                .collect(),
            columns: (0..grid.width())
                .map(|c| grid.clue(Line::Column(c)))
                .collect(),
            given: None,
            notes: Notes::default(),
        }
    }

    /// Gives the known cells of a position from the start, instead of those that were given before. They may contradict the clues: then the
    /// puzzle has no solution.
    ///
    /// ```
    /// use omnogram::{Puzzle, Search};
    ///
    /// let puzzle = Puzzle::from_clues(&[[1], [1]], &[[1], [1]])?;
    /// assert_eq!(Search::new(&puzzle).count().solutions.to_string(), "2");
    /// let puzzle = puzzle.with_given("#?\n??".parse()?)?;
    /// assert_eq!(Search::new(&puzzle).count().solutions.to_string(), "1");
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the position differs in size from the puzzle.
    pub fn with_given(mut self, given: Position) -> Result<Self> {
        given.check_size(self.width(), self.height())?;
        let is_given = given.known().next().is_some();
        self.given = is_given.then(|| Box::new(given));
        Ok(self)
    }

    /// The puzzle without its given cells.
    pub(crate) fn without_given(&self) -> Self {
        Puzzle {
            given: None,
            ..self.clone()
        }
    }

    /// Sets the metadata.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the goal or a saved grid differs in size from the puzzle.
    pub fn with_notes(mut self, notes: Notes) -> Result<Self> {
        if let Some(goal) = &notes.goal
            && (goal.width(), goal.height()) != (self.width(), self.height())
        {
            return Err(Error::data(format!(
                "the goal is {}x{}, the puzzle {}x{}",
                goal.width(),
                goal.height(),
                self.width(),
                self.height()
            )));
        }
        for saved in &notes.saved {
            saved.check_size(self.width(), self.height())?;
        }
        self.notes = notes;
        Ok(self)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Row clues, top to bottom.
    pub fn rows(&self) -> &[Clue] {
        &self.rows
    }

    /// Column clues, left to right.
    pub fn columns(&self) -> &[Clue] {
        &self.columns
    }

    /// The cells that are given from the start; `None` if there are none.
    pub fn given(&self) -> Option<&Position> {
        self.given.as_deref()
    }

    /// The cells that are given from the start, with their values, row by row.
    pub fn given_cells(&self) -> impl Iterator<Item = (Cell, bool)> + '_ {
        self.given().into_iter().flat_map(Position::known)
    }

    /// The metadata.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The clue of a line.
    ///
    /// # Panics
    ///
    /// If there is no such line.
    pub fn clue(&self, line: Line) -> &Clue {
        match line {
            Line::Row(row) => &self.rows[row],
            Line::Column(column) => &self.columns[column],
        }
    }

    /// Number of cells in a line.
    pub fn length(&self, line: Line) -> usize {
        match line {
            Line::Row(_) => self.width(),
            Line::Column(_) => self.height(),
        }
    }

    /// All lines with their clues, rows first.
    pub fn lines(&self) -> impl Iterator<Item = (Line, &Clue)> {
        let rows = self
            .rows
            .iter()
            .enumerate()
            .map(|(i, clue)| (Line::Row(i), clue));
        rows.chain(
            self.columns
                .iter()
                .enumerate()
                .map(|(i, clue)| (Line::Column(i), clue)),
        )
    }

    /// Total number of filled cells by the row clues, and by the column clues. If they differ, there is no solution.
    pub fn sums(&self) -> (usize, usize) {
        let sum = |clues: &[Clue]| clues.iter().map(Clue::filled).sum();
        (sum(&self.rows), sum(&self.columns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::verify;

    fn clue(blocks: &[usize]) -> Clue {
        Clue::new(blocks.iter().copied()).unwrap()
    }

    #[test]
    fn sizes_and_fits_are_checked() {
        assert!(Puzzle::new(vec![], vec![clue(&[])]).is_err());
        assert!(Puzzle::new(vec![clue(&[1])], vec![]).is_err());
        let error = Puzzle::new(vec![clue(&[1, 1])], vec![clue(&[1]), clue(&[])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the clue 1 1 of row 1 needs 3 cells, but the line has 2"
        );
        assert!(Puzzle::new(vec![clue(&[]); MAX_SIDE + 1], vec![clue(&[])]).is_err());
        assert!(Puzzle::new(vec![clue(&[]); MAX_SIDE], vec![clue(&[MAX_SIDE])]).is_ok());
    }

    #[test]
    fn a_grid_solves_its_own_puzzle() {
        let grid = Grid::from_rows(&[".##.", "#..#", "####"]).unwrap();
        let puzzle = Puzzle::from_grid(&grid);
        assert_eq!(puzzle.rows(), [clue(&[2]), clue(&[1, 1]), clue(&[4])]);
        assert_eq!(
            puzzle.columns(),
            [clue(&[2]), clue(&[1, 1]), clue(&[1, 1]), clue(&[2])]
        );
        assert_eq!(verify(&puzzle, &grid), Ok(()));
        assert_eq!(puzzle.sums(), (8, 8));
    }
}
