//! `--given`: cells that are given from the start, beside those in the puzzles' own files; and the reading of positions.

use std::path::{Path, PathBuf};

use clap::Args;
use omnogram::error::{Error, Result};
use omnogram::format::{self, Entry};
use omnogram::puzzle::{Position, Puzzle};

use super::inputs;

/// Most bytes of a file with a position: 4096 rows of 4096 cells, with line breaks of two bytes.
const MAX_POSITION_BYTES: usize = 4096 * 4098;

/// The word for the grid that a puzzle's file has saved.
const SAVED: &str = "saved";

#[derive(Args, Clone, Debug)]
pub(super) struct GivenOption {
    /// Give cells from the start, beside those of the puzzle's file: FILE, or - for standard input, has rows of # for filled, . for empty
    /// and ? for other cells; saved takes the grid that the puzzle's own file has saved (webpbn, .non and JSON)
    #[arg(long, value_name = "FILE|saved")]
    given: Option<PathBuf>,
}

/// The cells that are given beside those of the puzzles' files.
#[derive(Debug, Default)]
pub(super) enum Given {
    #[default]
    Nothing,
    /// The cells of the grid that the file of each puzzle has saved.
    Saved,
    Cells(Position),
}

impl GivenOption {
    /// The file that it names, if any.
    pub(super) fn file(&self) -> &[PathBuf] {
        let file = self.given.as_slice();
        if file.iter().any(|path| path == Path::new(SAVED)) {
            return &[];
        }
        file
    }

    /// Reads the cells, for a verb with these PUZZLE arguments.
    pub(super) fn read(&self, puzzles: &[PathBuf]) -> Result<Given> {
        inputs::check_stdin_once(puzzles, self.file())?;
        match (&self.given, self.file()) {
            (None, _) => Ok(Given::Nothing),
            (Some(_), [path]) => read_position(path).map(Given::Cells),
            (Some(_), _) => Ok(Given::Saved),
        }
    }
}

impl Given {
    /// The entry with the given cells added to its puzzle, or with the error that this makes.
    pub(super) fn add_to(&self, mut entry: Entry) -> Entry {
        entry.puzzle = entry.puzzle.and_then(|puzzle| {
            self.add_to_puzzle(puzzle)
                .map_err(|error| error.in_file(&entry.name))
        });
        entry
    }

    fn add_to_puzzle(&self, puzzle: Puzzle) -> Result<Puzzle> {
        let mut cells = match self {
            Given::Nothing => return Ok(puzzle),
            Given::Cells(cells) => cells.clone(),
            Given::Saved => match &puzzle.notes().saved[..] {
                [] => {
                    return Err(Error::data(
                        "this puzzle has no saved grid for --given saved",
                    ));
                }
                [saved] => saved.clone(),
                several => {
                    let message = format!(
                        "this puzzle has {} saved grids: write one of them to a file for --given FILE",
                        several.len()
                    );
                    return Err(Error::data(message));
                }
            },
        };
        puzzle.add_given_to(&mut cells)?;
        puzzle.with_given(cells)
    }
}

/// Reads a position from a file, or from standard input for `-`.
pub(super) fn read_position(path: &Path) -> Result<Position> {
    let bytes = inputs::read_file(path)?;
    let position = if bytes.len() > MAX_POSITION_BYTES {
        Err(Error::data("too large for a position"))
    } else {
        format::decode(&bytes).and_then(|text| text.parse())
    };
    position.map_err(|error| error.in_file(&inputs::name(path)))
}
