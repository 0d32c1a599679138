//! The bodies of requests: what is asked, and of which puzzle.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::refusal::Refusal;
use crate::design::Only;
use crate::format;
use crate::puzzle::{Grid, Position, Puzzle};
use crate::solutions::Count;

/// Maximum number of digits of a number: reading one takes quadratic time.
const MAX_DIGITS: usize = 20_000;

/// Maximum number of solutions of one answer, and of their cells.
const MAX_SOLUTIONS: usize = 1000;
const MAX_CELLS: usize = 1 << 20;

/// What a request asks. The fields that a request does not need have their defaults.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Question<'a> {
    /// The subject as rows of `#` and `.`; the question is about the puzzle with the clues of this picture.
    #[serde(borrow)]
    picture: Option<Vec<&'a str>>,
    /// The given cells of the picture's puzzle, as rows of `#`, `.` and `?`. A puzzle in the JSON format has its own.
    #[serde(borrow)]
    given: Option<Vec<&'a str>>,
    /// Or the subject as a puzzle in the JSON format.
    #[serde(borrow)]
    puzzle: Option<&'a RawValue>,
    /// The limit on time, in seconds.
    seconds: Option<f64>,
    /// Rows of `#`, `.` and `?`.
    #[serde(borrow)]
    position: Option<Vec<&'a str>>,
    /// Whether one step of an explanation is enough.
    pub(super) hint: bool,
    /// Rows with `#` for the cells that a repair must not flip.
    #[serde(borrow)]
    keep: Option<Vec<&'a str>>,
    only: Option<How>,
    pub(super) line_solvable: bool,
    pub(super) alternatives: usize,
    /// Maximum number of flips.
    pub(super) budget: Option<usize>,
    /// Index of the first solution in sorted order, from 0, in decimal digits.
    from: Option<String>,
    /// Number of solutions.
    pub(super) number: Option<usize>,
    /// The puzzles to be written.
    #[serde(borrow)]
    puzzles: Vec<&'a RawValue>,
    /// The name of the format to be written.
    pub(super) format: String,
    /// The kind of drawing.
    pub(super) r#as: String,
    pub(super) what: What,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum How {
    Add,
    Remove,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum What {
    #[default]
    Puzzle,
    Solution,
}

impl<'a> Question<'a> {
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, Refusal> {
        serde_json::from_slice(body)
            .map_err(|error| Refusal::bad(format!("this is not a question in JSON: {error}")))
    }

    /// The puzzle in question; that of a picture has the picture as its goal.
    pub(super) fn subject(&self) -> Result<Puzzle, Refusal> {
        match (&self.picture, self.puzzle) {
            (Some(rows), None) => {
                let goal = Grid::from_rows(rows)?;
                let puzzle = self.of_picture(&goal)?;
                let notes = puzzle.notes().clone().goal(goal);
                Ok(puzzle.with_notes(notes)?)
            }
            (None, Some(_)) if self.given.is_some() => Err(Refusal::bad(
                "`given` goes with a picture; a puzzle has its own given cells",
            )),
            (None, Some(json)) => read_puzzle(json),
            _ => Err(Refusal::bad(
                "the question must have either a picture or a puzzle",
            )),
        }
    }

    /// The puzzle of a picture, with the given cells, which may contradict it.
    fn of_picture(&self, picture: &Grid) -> Result<Puzzle, Refusal> {
        let puzzle = Puzzle::from_grid(picture);
        match position(self.given.as_deref())? {
            Some(given) => Ok(puzzle.with_given(given)?),
            None => Ok(puzzle),
        }
    }

    /// The picture in question, and the given cells.
    pub(super) fn picture(&self) -> Result<(Grid, Option<Position>), Refusal> {
        let Some(rows) = &self.picture else {
            return Err(Refusal::bad("the question must have a picture"));
        };
        Ok((Grid::from_rows(rows)?, position(self.given.as_deref())?))
    }

    /// The mask of cells that are kept, of the size of this picture.
    pub(super) fn keep(&self, picture: &Grid) -> Result<Option<Grid>, Refusal> {
        let Some(rows) = &self.keep else {
            return Ok(None);
        };
        let mask = Grid::from_rows(rows)?;
        if (mask.width(), mask.height()) == (picture.width(), picture.height()) {
            Ok(Some(mask))
        } else {
            Err(Refusal::bad(
                "the mask `keep` must have the size of the picture",
            ))
        }
    }

    /// Which cells may be flipped.
    pub(super) fn only(&self) -> Option<Only> {
        self.only.map(|how| match how {
            How::Add => Only::Add,
            How::Remove => Only::Remove,
        })
    }

    /// The known cells, if there are any.
    pub(super) fn position(&self) -> Result<Option<Position>, Refusal> {
        position(self.position.as_deref())
    }

    /// The limit on time.
    pub(super) fn time(&self) -> Result<Option<Duration>, Refusal> {
        match self.seconds {
            Some(seconds) if seconds < 0.0 => Err(Refusal::bad("`seconds` must not be negative")),
            // More than there are is no limit.
            seconds => Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())),
        }
    }

    /// The index of the first solution, from 0.
    pub(super) fn from(&self) -> Result<Count, Refusal> {
        let text = self.from.as_deref().unwrap_or("0");
        let number = (text.len() <= MAX_DIGITS).then(|| text.parse().ok());
        number.flatten().ok_or_else(|| {
            let message = "`from` must be a whole number of up to 20,000 decimal digits";
            Refusal::bad(message)
        })
    }

    /// The puzzles to be written.
    pub(super) fn puzzles(&self) -> Result<Vec<Puzzle>, Refusal> {
        if self.puzzles.is_empty() {
            return Err(Refusal::bad("there are no puzzles to be written"));
        }
        self.puzzles.iter().map(|json| read_puzzle(json)).collect()
    }
}

/// The most solutions of this puzzle that one answer may hold.
pub(super) fn most_solutions(puzzle: &Puzzle) -> usize {
    (MAX_CELLS / (puzzle.width() * puzzle.height())).clamp(1, MAX_SOLUTIONS)
}

/// The position with these rows.
fn position(rows: Option<&[&str]>) -> Result<Option<Position>, Refusal> {
    let position = rows.map(|rows| rows.join("\n").parse());
    Ok(position.transpose()?)
}

fn read_puzzle(json: &RawValue) -> Result<Puzzle, Refusal> {
    Ok(format::read_one(json.get().as_bytes(), "puzzle.json")?)
}
