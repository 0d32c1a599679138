//! A partly filled grid: what a player has found so far.

use std::fmt;
use std::str::FromStr;

use super::picture::grid_of_rows;
use super::rounds::{dirty_lines, line_of};
use crate::board::{Board, Cell, Clues};
use crate::error::{Error, Result};
use crate::line::{Word, by_width};
use crate::puzzle::{Grid, Line, MAX_SIDE, Puzzle};
use crate::run::{Control, Limits, Pace};
use crate::search::{Cube, Search, Verdict};
use crate::solutions::Stop;

/// A grid in which each cell is filled, empty or unknown.
///
/// Its text has a row per line, with `#` for filled, `.` for empty and `?` or `-` for unknown cells; blank lines are ignored.
///
/// ```
/// use omnogram::design::Position;
///
/// let position: Position = "#?\n?.\n".parse()?;
/// assert_eq!((position.get(0, 0), position.get(0, 1), position.get(1, 1)), (Some(true), None, Some(false)));
/// assert_eq!(position.to_string(), "#?\n?.\n");
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    pub(super) filled: Grid,
    pub(super) empty: Grid,
}

/// Whether a position can be completed to a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// Some solution agrees with all known cells.
    Right,
    /// These cells have the other value in every solution, row by row.
    Wrong(Vec<Cell>),
    /// No known cell is wrong by itself, but no solution agrees with all of them.
    Together,
    /// The puzzle has no solution.
    Unsolvable,
    /// The run was stopped before this was decided.
    Undecided(Stop),
}

impl Position {
    /// A position without known cells.
    ///
    /// # Panics
    ///
    /// If a side is 0 or above [`MAX_SIDE`].
    pub fn unknown(width: usize, height: usize) -> Self {
        Position {
            filled: Grid::new(width, height),
            empty: Grid::new(width, height),
        }
    }

    /// The cells that single lines decide, over and over, in a puzzle without known cells; or the first line that contradicts them.
    ///
    /// A run that a limit stops gives the cells decided until then. Takes some 50 microseconds for 30x30 cells.
    ///
    /// ```
    /// use omnogram::design::Position;
    /// use omnogram::{Limits, Puzzle};
    ///
    /// let limits = Limits::default();
    /// let puzzle = Puzzle::from_clues(&[vec![1], vec![1]], &[vec![2], vec![]])?;
    /// assert_eq!(Position::by_lines(&puzzle, &limits).unwrap().to_string(), "#.\n#.\n");
    /// let puzzle = Puzzle::from_clues(&[vec![1], vec![1]], &[vec![1], vec![]])?;
    /// assert!(Position::by_lines(&puzzle, &limits).is_err());
    /// # Ok::<(), omnogram::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The line for which no arrangement is left.
    pub fn by_lines(puzzle: &Puzzle, limits: &Limits) -> std::result::Result<Self, Line> {
        let clues = Clues::new(puzzle);
        let control = Control::new(limits, false);
        let mut pace = Pace::new(&control);
        by_width!(puzzle.width().max(puzzle.height()), W => {
            let mut board = Board::<W>::new(&clues);
            loop {
                let lines = dirty_lines(&mut board);
                if lines.is_empty() {
                    return Ok(Self::of_board(&board));
                }
                for line in lines {
                    if pace.spend(W::BITS as u64) {
                        return Ok(Self::of_board(&board));
                    }
                    let new = board.preview(line).ok_or(line_of(&clues, line))?;
                    board.learn(line, new);
                }
            }
        })
    }

    /// The known cells of a board.
    pub(super) fn of_board<W: Word>(board: &Board<'_, W>) -> Self {
        let width = board.clues().width();
        let rows = board.rows().iter();
        Position {
            filled: grid_of_rows(width, rows.clone().map(|row| row.filled)),
            empty: grid_of_rows(width, rows.map(|row| row.empty)),
        }
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.filled.width()
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.filled.height()
    }

    /// Whether this cell is filled; `None` if it is unknown.
    ///
    /// # Panics
    ///
    /// If the cell is outside the grid.
    pub fn get(&self, row: usize, column: usize) -> Option<bool> {
        let filled = self.filled.get(row, column);
        (filled || self.empty.get(row, column)).then_some(filled)
    }

    /// Sets the value of a cell.
    ///
    /// # Panics
    ///
    /// If the cell is outside the grid.
    pub fn set(&mut self, row: usize, column: usize, value: Option<bool>) {
        self.filled.set(row, column, value == Some(true));
        self.empty.set(row, column, value == Some(false));
    }

    /// Number of unknown cells.
    pub fn unknown_cells(&self) -> usize {
        self.width() * self.height() - self.filled.filled() - self.empty.filled()
    }

    /// Its rows, as in its text.
    pub fn rows(&self) -> Vec<String> {
        self.to_string().lines().map(str::to_owned).collect()
    }

    /// The known cells with their values, row by row.
    pub fn known(&self) -> impl Iterator<Item = (Cell, bool)> + '_ {
        let cells = (0..self.height()).flat_map(|r| (0..self.width()).map(move |c| (r, c)));
        cells.filter_map(|(r, c)| Some((Cell::new(r, c), self.get(r, c)?)))
    }

    /// Whether the known cells agree with a solution of `puzzle`, which must be of the same size, and if not, which of them are wrong.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the sizes differ.
    pub fn check(&self, puzzle: &Puzzle, limits: &Limits) -> Result<Standing> {
        self.check_size(puzzle)?;
        let search = Search::new(puzzle).limits(limits.clone());
        let (grids, outcome) = search.first(2);
        match (outcome.solutions.verdict(), grids.as_slice()) {
            (Verdict::None, _) => return Ok(Standing::Unsolvable),
            (Verdict::Unique, [grid]) => {
                return Ok(self.against(|cell| Some(cell.is_filled_in(grid))));
            }
            (Verdict::Multiple, grids) => {
                let agrees = |grid| {
                    self.known()
                        .all(|(cell, own)| cell.is_filled_in(grid) == own)
                };
                if grids.iter().any(agrees) {
                    return Ok(Standing::Right);
                }
            }
            _ => return Ok(undecided(outcome.stopped)),
        }
        // Several solutions: one that agrees, or else the cells that are the same in all.
        let cubes = vec![Cube::of(self.known())];
        let (_, outcome) = search.clone().cubes(cubes).first(1);
        match outcome.solutions.verdict() {
            Verdict::None => {}
            Verdict::Undecided if outcome.solutions.number().is_zero() => {
                return Ok(undecided(outcome.stopped));
            }
            _ => return Ok(Standing::Right),
        }
        let (backbone, outcome) = search.backbone();
        if !outcome.is_complete() {
            return Ok(undecided(outcome.stopped));
        }
        let against = self.against(|cell| backbone.get(cell.row.into(), cell.column.into()));
        Ok(match against {
            Standing::Right => Standing::Together,
            wrong => wrong,
        })
    }

    /// Checks that it has the size of a puzzle.
    pub(crate) fn check_size(&self, puzzle: &Puzzle) -> Result<()> {
        let own = format!("{}x{}", self.width(), self.height());
        let wanted = format!("{}x{}", puzzle.width(), puzzle.height());
        if own == wanted {
            return Ok(());
        }
        let message = format!("the position is {own}, the puzzle {wanted}");
        Err(Error::data(message))
    }

    /// The cells whose value is known to be another.
    fn against(&self, value: impl Fn(Cell) -> Option<bool>) -> Standing {
        let known = self.known();
        let wrong = known.filter(|&(cell, own)| value(cell).is_some_and(|value| value != own));
        let wrong: Vec<Cell> = wrong.map(|(cell, _)| cell).collect();
        if wrong.is_empty() {
            Standing::Right
        } else {
            Standing::Wrong(wrong)
        }
    }
}

fn undecided(stopped: Option<Stop>) -> Standing {
    Standing::Undecided(stopped.unwrap_or(Stop::Interrupt))
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let rows = (1..).zip(text.lines().map(str::trim_end));
        let rows: Vec<(usize, &str)> = rows.filter(|(_, row)| !row.is_empty()).collect();
        let width = rows.first().map_or(0, |(_, row)| row.chars().count());
        if width == 0 || width > MAX_SIDE || rows.len() > MAX_SIDE {
            let error = Error::data(format!(
                "a position of {} rows and {width} columns: it has 1 to {MAX_SIDE} of each",
                rows.len()
            ));
            // The first row that is too long, or one too many; an empty text has no place.
            let first = if width > MAX_SIDE { 0 } else { MAX_SIDE };
            return Err(match rows.get(first) {
                Some((line, row)) => error.at(*line, 1, row),
                None => error,
            });
        }
        let mut position = Position::unknown(width, rows.len());
        for (r, (line, row)) in rows.into_iter().enumerate() {
            let length = row.chars().count();
            if length != width {
                let message = format!("a row of {length} cells in a position with {width} columns");
                return Err(Error::data(message).at(line, 1, row));
            }
            for (c, cell) in row.chars().enumerate() {
                match cell {
                    '#' => position.filled.set(r, c, true),
                    '.' => position.empty.set(r, c, true),
                    '?' | '-' => {}
                    other => {
                        let message = format!("{other:?} in a position: a cell is '#', '.' or '?'");
                        return Err(Error::data(message).at(line, c + 1, row));
                    }
                }
            }
        }
        Ok(position)
    }
}

impl fmt::Display for Position {
    /// Rows of `#`, `.` and `?`, each followed by a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for r in 0..self.height() {
            for c in 0..self.width() {
                f.write_str(match self.get(r, c) {
                    Some(true) => "#",
                    Some(false) => ".",
                    None => "?",
                })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position {}x{}\n{self}", self.width(), self.height())
    }
}
