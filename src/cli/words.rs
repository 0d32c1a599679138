//! What answers and messages call things: puzzles with their names and titles, and numbers with a noun.

use std::path::Path;

use omnogram::format;
use omnogram::puzzle::{Puzzle, verify};
use omnogram::render::Sheet;
use omnogram::search::{Outcome, Total};
use omnogram::solutions::Count;
use serde::{Serialize, Serializer};

use super::messages;
use super::status::usage;

/// A puzzle to be answered. It is serialized as the first fields of its answer in JSON.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// The name of the puzzle for text output, escaped.
    pub(super) name: &'a str,
    /// The name as it is, for JSON and for file names.
    pub(super) raw_name: &'a str,
    pub(super) puzzle: &'a Puzzle,
    /// Whether it is one of several puzzles, so that the answer has to name it.
    pub(super) several: bool,
}

impl Serialize for Subject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            puzzle: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            title: Option<&'a str>,
            width: usize,
            height: usize,
        }
        Fields {
            puzzle: self.raw_name,
            title: self.title(),
            width: self.puzzle.width(),
            height: self.puzzle.height(),
        }
        .serialize(serializer)
    }
}

impl<'a> Subject<'a> {
    /// The title of the puzzle, or else its number in a catalogue.
    pub(super) fn title(&self) -> Option<&'a str> {
        let notes = self.puzzle.notes();
        let texts = [&notes.title, &notes.catalogue].into_iter().flatten();
        texts.map(|text| text.trim()).find(|text| !text.is_empty())
    }

    /// An error with this message if there are several puzzles.
    pub(super) fn require_single(&self, message: &str) -> omnogram::error::Result<()> {
        if self.several {
            return Err(usage(message));
        }
        Ok(())
    }

    /// The name of the puzzle in answers, with its title if it is one of a pack: `pack.nonpack#2 (Heart)`.
    pub(super) fn label(&self) -> String {
        match self
            .title()
            .filter(|_| pack_number(self.raw_name).is_some())
        {
            Some(title) => format!("{} ({})", self.name, messages::escaped(title)),
            None => self.name.to_owned(),
        }
    }

    /// An answer of one line, preceded by the name if there are several puzzles.
    pub(super) fn line(&self, answer: &str) -> String {
        if self.several {
            format!("{}: {answer}\n", self.label())
        } else {
            format!("{answer}\n")
        }
    }

    /// An answer of several lines; if there are several puzzles, the name stands above them and an empty line below.
    pub(super) fn block(&self, answer: &str) -> String {
        format!("{}{answer}{}", self.block_heading(), self.blank_line())
    }

    /// The line break of an empty line below the answer, if there are several puzzles.
    pub(super) fn blank_line(&self) -> &'static str {
        if self.several { "\n" } else { "" }
    }

    /// `==> key.non <==`, if there are several puzzles.
    pub(super) fn block_heading(&self) -> String {
        if self.several {
            format!("==> {} <==\n", self.label())
        } else {
            String::new()
        }
    }

    /// ` (the rows ask for 3 filled cells, the columns for 4)`, or nothing if the sums of the clues are equal.
    pub(super) fn why_no_solution(&self) -> String {
        why_unsolvable(self.puzzle).map_or(String::new(), |why| format!(" ({why})"))
    }

    /// The size of the puzzle and the work done on it: `15x7, 9 nodes, 0.001 s`.
    pub(super) fn work(&self, outcome: &Outcome) -> String {
        format!(
            "{}x{}, {}, {:.3} s",
            self.puzzle.width(),
            self.puzzle.height(),
            counted(outcome.statistics.nodes, "node"),
            outcome.elapsed.as_secs_f64()
        )
    }

    /// An empty sheet with the titles of the puzzle.
    pub(super) fn titled_sheet<'b>(&self) -> Sheet<'b> {
        let title = self.puzzle.notes().title.clone();
        let title = title.unwrap_or_else(|| {
            // A game ID or an address names no file, and says what the clues say.
            if format::of_word(self.raw_name).is_some() {
                return String::new();
            }
            let stem = Path::new(self.raw_name).file_stem();
            stem.map_or(self.raw_name.into(), |stem| stem.to_string_lossy())
                .into_owned()
        });
        Sheet::default().title(title).byline(self.byline())
    }

    /// `by Ann, 5x5`
    fn byline(&self) -> String {
        let size = format!("{}x{}", self.puzzle.width(), self.puzzle.height());
        match &self.puzzle.notes().author {
            Some(author) => format!("by {author}, {size}"),
            None => size,
        }
    }

    /// `heart.non: Heart, by Ann, 5x5`
    pub(super) fn heading(&self) -> String {
        let heading = match &self.puzzle.notes().title {
            Some(title) => format!("{}: {title}, {}", self.name, self.byline()),
            None => format!("{}: {}", self.name, self.byline()),
        };
        messages::escaped(&heading).into_owned()
    }
}

/// What --duplicates adds to an answer.
#[derive(Debug, Serialize)]
pub(super) struct DuplicateFields {
    pub(super) duplicate_of: Option<String>,
    pub(super) duplicate_how: Option<String>,
    /// The line that is added to the text, if there is a duplicate.
    #[serde(skip)]
    pub(super) text: String,
}

/// The number at the end of a puzzle's name, if it is one of a pack: `2` of `pack.nonpack#2`.
pub(super) fn pack_number(name: &str) -> Option<&str> {
    let (_, number) = name.rsplit_once('#')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then_some(number)
}

/// `1 file`, `2 files`.
pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `1 solution`, `at least 2 solutions`.
pub(super) fn counted_solutions(total: &Total) -> String {
    let plural = if *total.number() == Count::ONE {
        ""
    } else {
        "s"
    };
    format!("{total} solution{plural}")
}

/// A warning if the puzzle has a goal that is not a solution.
pub(super) fn goal_warning(name: &str, puzzle: &Puzzle) -> Option<String> {
    let mismatch = verify(puzzle, puzzle.notes().goal.as_ref()?).err()?;
    Some(format!("{name}: its goal is not a solution: {mismatch}"))
}

/// Why a puzzle has no solution, if the sums of its clues show it.
pub(super) fn why_unsolvable(puzzle: &Puzzle) -> Option<String> {
    let (rows, columns) = puzzle.sums();
    let cells = counted(rows as u64, "filled cell");
    (rows != columns).then(|| format!("the rows ask for {cells}, the columns for {columns}"))
}

/// Whether the goal of the puzzle's file is a solution; `None` if the file gives no goal.
pub(super) fn goal(puzzle: &Puzzle) -> Option<bool> {
    let goal = puzzle.notes().goal.as_ref()?;
    Some(verify(puzzle, goal).is_ok())
}
