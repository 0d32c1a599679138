//! Whether a position can be completed to a solution, and the position that single lines decide.

use super::picture::grid_of_rows;
use super::rounds::{dirty_lines, line_of};
use crate::board::{Board, Clues};
use crate::error::Result;
use crate::line::{Word, by_width};
use crate::puzzle::{Cell, Line, Position, Puzzle};
use crate::run::{Control, Limits, Pace};
use crate::search::{Cube, Search, Verdict};
use crate::solutions::Stop;

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
    /// The cells that single lines decide, over and over, from the given cells; or the first line that contradicts them.
    ///
    /// A run that a limit stops gives the cells decided until then. Takes some 50 microseconds for 30x30 cells.
    ///
    /// ```
    /// use omnogram::puzzle::Position;
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
        Position::of_grids(
            grid_of_rows(width, rows.clone().map(|row| row.filled)),
            grid_of_rows(width, rows.map(|row| row.empty)),
        )
    }

    /// Whether the known cells agree with a solution of `puzzle`, which must be of the same size, and if not, which of them are wrong.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the sizes differ.
    pub fn check(&self, puzzle: &Puzzle, limits: &Limits) -> Result<Standing> {
        self.check_size(puzzle.width(), puzzle.height())?;
        let search = Search::new(puzzle).limits(limits.clone());
        let (grids, outcome) = search.first(2);
        match (outcome.solutions.verdict(), grids.as_slice()) {
            (Verdict::None, _) => return Ok(Standing::Unsolvable),
            (Verdict::Unique, [grid]) => {
                return Ok(self.against(|cell| Some(cell.is_filled_in(grid))));
            }
            (Verdict::Multiple, grids) => {
                if grids.iter().any(|grid| self.agrees_with(grid)) {
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
