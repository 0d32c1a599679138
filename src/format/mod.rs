//! Files in and out: [`FORMATS`] lists what can be read and written. [`read`] finds out what a file is, mostly from its content, and gives
//! its puzzles; [`Format::write`] makes a file; [`Solutions`] reads back the grids of a solution list.
//!
//! Whatever the bytes are, the answer is a puzzle or an error that says what is wrong and where, in time and memory proportional
//! to the file, or to the pixels of an image, which are bounded. A new format is a new file here and a row in the table.
//!
//! ```
//! use omnogram::format::{self, Format};
//!
//! let puzzle = format::read(b"4x3:2/1.1/1.1/2/2/1.1/4", "notch").swap_remove(0).puzzle?;
//! let nin = Format::named("nin").unwrap();
//! assert_eq!(nin.write(&puzzle)?, b"4 3\n2\n1 1\n4\n2\n1 1\n1 1\n2\n");
//! # Ok::<(), omnogram::error::Error>(())
//! ```

mod brief;
mod chunks;
mod contents;
mod cwd;
mod detect;
mod entropy;
mod foreign;
mod g;
mod gno;
mod image;
mod jpeg;
pub mod json;
mod mk;
mod nin;
pub mod non;
mod number;
mod part;
mod pattern;
mod picross;
mod picture;
mod place;
mod pnm;
mod pynogram;
mod rosetta;
mod solutions;
mod table;
mod text;
mod tournament;
mod webpbn;

pub use pattern::is_id as is_game_id;
pub use picture::{Threshold, Tracing};
pub use solutions::Solutions;
pub use table::{FORMATS, Format, Pack};

use crate::error::{Error, Result};
use crate::puzzle::Puzzle;
use contents::{Contents, drawn};
use table::Kind;

/// One puzzle of a file, or what is wrong with it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file as the user named it; in a pack with the puzzle's number, `file#1`, `file#2` and so on.
    pub name: String,
    /// The puzzle, or an error that carries `name` and mostly a place in the file.
    pub puzzle: Result<Puzzle>,
}

/// How files are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// What the files are; found out from their content if it is not told.
    pub format: Option<&'static Format>,
    /// What becomes of pictures.
    pub tracing: Tracing,
}

/// Bad puzzles after which the rest of a pack is left unread, and the bytes of text that their errors may hold. Nobody reads a
/// thousand messages, and each of them may quote the same line of a megabyte.
const MOST_BAD: usize = 1000;
const MOST_QUOTED: usize = 1 << 25;

/// The puzzles of a file: one, or as many as the pack holds, or one error; never none.
///
/// A bad puzzle does not spoil the others of its pack. When a thousand are bad, a last error says so and the rest is not read.
pub fn read(bytes: &[u8], file: &str) -> Vec<Entry> {
    Reading::default().entries(bytes, file).collect()
}

impl Reading {
    /// The puzzles of a file, as [`read`] gives them, one at a time.
    pub fn entries<'a>(&self, bytes: &'a [u8], file: &'a str) -> impl Iterator<Item = Entry> + 'a {
        let contents = self.contents(bytes, file);
        let (puzzles, numbered): (Box<dyn Iterator<Item = _> + 'a>, bool) =
            match contents.unwrap_or_else(|error| Contents::Single(Err(error))) {
                Contents::Single(puzzle) => (Box::new(std::iter::once(puzzle)), false),
                Contents::Pack(pack) => (pack, true),
                Contents::Several(mut several) => {
                    let (first, second) = (several.next(), several.next());
                    let numbered = second.is_some();
                    (
                        Box::new(first.into_iter().chain(second).chain(several)),
                        numbered,
                    )
                }
            };
        Entries {
            file,
            puzzles,
            numbered,
            count: 0,
            bad: 0,
            quoted: 0,
            ended: false,
        }
    }

    fn contents<'a>(&self, bytes: &'a [u8], file: &str) -> Result<Contents<'a>> {
        let format = match self.format {
            Some(format) => format,
            None => detect::format(bytes, detect::decode(bytes), file)?,
        };
        match format.kind {
            Kind::Text { read, .. } => Ok(read(detect::decode(bytes)?)),
            Kind::Picture { read, .. } => {
                let goal = read(bytes, &self.tracing)?.trace(&self.tracing);
                Ok(Contents::Single(drawn(goal)))
            }
        }
    }
}

/// The puzzles of a file on the way out.
struct Entries<'a> {
    file: &'a str,
    puzzles: Box<dyn Iterator<Item = Result<Puzzle>> + 'a>,
    /// Does the file hold several?
    numbered: bool,
    count: usize,
    bad: usize,
    quoted: usize,
    ended: bool,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.ended {
            return None;
        }
        let mut name = self.file.to_owned();
        let puzzle = if self.bad == MOST_BAD || self.quoted > MOST_QUOTED {
            self.ended = true;
            Err(Error::data(format!(
                "{} puzzles of this file are bad; the rest of it was not read",
                self.bad
            )))
        } else {
            match self.puzzles.next() {
                Some(puzzle) => {
                    self.count += 1;
                    if self.numbered {
                        name = format!("{name}#{}", self.count);
                    }
                    puzzle
                }
                None if self.count > 0 => return None,
                None => {
                    self.ended = true;
                    Err(Error::data("there is no puzzle in this file"))
                }
            }
        };
        if let Err(error) = &puzzle {
            self.bad += 1;
            self.quoted += error.place().map_or(0, |place| place.text.len());
        }
        Some(Entry {
            puzzle: puzzle.map_err(|error| error.in_file(&name)),
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Clue;

    /// The clues of the puzzle that most tests write down in every format.
    pub(super) const NOTCH: &str = "2/1 1/4 | 2/1 1/1 1/2";

    /// Rows and columns with `/` between clues.
    pub(super) fn clues(puzzle: &Puzzle) -> String {
        let join = |clues: &[Clue]| {
            let clues: Vec<String> = clues.iter().map(Clue::to_string).collect();
            clues.join("/")
        };
        format!("{} | {}", join(puzzle.rows()), join(puzzle.columns()))
    }

    /// All that a reader found.
    pub(super) fn all(contents: Contents<'_>) -> Vec<Result<Puzzle>> {
        match contents {
            Contents::Single(puzzle) => vec![puzzle],
            Contents::Pack(puzzles) | Contents::Several(puzzles) => puzzles.collect(),
        }
    }

    /// The one puzzle that a reader found.
    pub(super) fn one(contents: Contents<'_>) -> Puzzle {
        let mut found = all(contents);
        assert_eq!(found.len(), 1);
        found.remove(0).unwrap()
    }

    /// What a reader said of the one puzzle that it found.
    pub(super) fn failure(contents: Contents<'_>) -> String {
        let mut found = all(contents);
        assert_eq!(found.len(), 1);
        found.remove(0).unwrap_err().to_string()
    }

    #[test]
    fn a_pack_of_nothing_but_errors_is_left_early() {
        let entries = read("{},".repeat(2000).as_bytes(), "x");
        assert_eq!(entries.len(), 1, "not valid JSON");
        let pack = format!("[{}{{}}]", "{},\n".repeat(2000));
        let entries = read(pack.as_bytes(), "x.json");
        assert_eq!(entries.len(), MOST_BAD + 1);
        assert_eq!(
            entries[MOST_BAD].puzzle.as_ref().unwrap_err().to_string(),
            "x.json: 1000 puzzles of this file are bad; the rest of it was not read"
        );
    }

    #[test]
    fn errors_do_not_each_keep_a_long_line() {
        let pack = format!("[{}{{}}]", "{},".repeat(333_000));
        let entries = read(pack.as_bytes(), "x.json");
        let quoted: usize = entries
            .iter()
            .filter_map(|entry| Some(entry.puzzle.as_ref().err()?.place()?.text.len()))
            .sum();
        assert!(quoted < MOST_QUOTED + pack.len() + 1, "{quoted}");
    }
}
