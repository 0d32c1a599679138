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

mod chunks;
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
mod part;
mod pattern;
mod picross;
mod picture;
mod pnm;
mod pynogram;
mod rosetta;
mod solutions;
mod table;
mod text;
mod tournament;
mod webpbn;

use std::borrow::Cow;

pub use pattern::is_id as is_game_id;
pub use picture::{Threshold, Tracing};
pub use solutions::Solutions;
pub use table::{FORMATS, Format, Pack};

use crate::error::{Error, Result};
use crate::puzzle::{Clue, Grid, MAX_SIDE, Notes, Puzzle};
use table::Kind;

/// One puzzle of a file, or what is wrong with it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file as the user named it; in a pack with the puzzle's number, `file#1`, `file#2` and so on.
    pub name: String,
    /// The puzzle, or an error that carries `name` and mostly a place in the file.
    pub puzzle: Result<Puzzle>,
}

/// What a reader found in a text. A pack is lazy, so that a hostile one can be left early.
enum Contents<'a> {
    Single(Result<Puzzle>),
    Pack(Box<dyn Iterator<Item = Result<Puzzle>> + 'a>),
    /// A pack if there is more than one in it.
    Several(Box<dyn Iterator<Item = Result<Puzzle>> + 'a>),
}

impl<'a> Contents<'a> {
    /// The puzzles that come out one after the other.
    fn several(next: impl FnMut() -> Option<Result<Puzzle>> + 'a) -> Self {
        Contents::Several(Box::new(std::iter::from_fn(next)))
    }
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

/// The puzzle of a picture, which is its goal.
fn drawn(picture: Grid) -> Result<Puzzle> {
    let puzzle = Puzzle::from_grid(&picture);
    puzzle.with_notes(Notes {
        goal: Some(picture),
        ..Notes::default()
    })
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

/// The error at the place where `part` begins in `text`, of which it is a slice.
fn place(error: Error, text: &str, part: &str) -> Error {
    let offset = offset(text, part);
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let number = before.matches('\n').count() + 1;
    let line = text[start..].lines().next().unwrap_or_default();
    // Of a line break of two characters neither is part of the line: both are just after its end.
    let column = before[start..].len().min(line.len());
    error.at(number, line[..column].chars().count() + 1, line)
}

/// Where the slice `part` begins in `text`, in bytes.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize)
        .saturating_sub(text.as_ptr() as usize)
        .min(text.len())
}

/// The value of a string of digits; `None` when no side and no block can be that long.
fn number(digits: &str) -> Option<usize> {
    let value = match digits.trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    (value <= MAX_SIDE).then_some(value)
}

/// A piece of the file short enough for a message.
fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// `1 clue`, `2 clues`.
fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// How a block that no line can hold is refused.
fn block_too_long(digits: &str) -> Error {
    Error::data(format!(
        "a block of {} cells is longer than the longest line, {MAX_SIDE}",
        brief(digits.trim_start_matches('0'))
    ))
}

/// Writes clues a line each, with this between two numbers, and this for an empty one.
fn numbers(text: &mut String, clues: &[Clue], between: &str, empty: &str) {
    for clue in clues {
        let lengths: Vec<String> = clue.lengths().map(|length| length.to_string()).collect();
        text.push_str(if lengths.is_empty() { empty } else { "" });
        text.push_str(&lengths.join(between));
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn places_count_characters() {
        let text = "a\r\nüb\n";
        let error = place(Error::data("x"), text, &text[5..]);
        assert_eq!(error.to_string(), "2:2: x");
        assert_eq!(error.place().unwrap().text, "üb");
        assert_eq!(
            place(Error::data("x"), text, &text[6..]).to_string(),
            "2:3: x"
        );
        // Between \r and \n.
        let error = place(Error::data("x"), text, &text[2..]);
        assert_eq!(error.to_string(), "1:2: x");
        assert_eq!(place(Error::data("x"), "", "").to_string(), "1:1: x");
    }

    #[test]
    fn numbers_end_at_the_longest_side() {
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("0004096"), Some(4096));
        assert_eq!(number("4097"), None);
        assert_eq!(number(&"9".repeat(1000)), None);
        assert_eq!(brief(&"9".repeat(1000)).len(), 27);
    }
}
