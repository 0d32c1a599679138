//! Files in and out. [`read`] finds out what a file is from its content and gives its puzzles; [`non`] and [`json`] also write;
//! [`Solutions`] reads back the grids of a solution list.
//!
//! Whatever the bytes are, the answer is a puzzle or an error that says what is wrong and where, in time and memory proportional
//! to the file. A new format is a new file here and a line in `detect`.

mod detect;
pub mod json;
pub mod non;
mod solutions;

use std::borrow::Cow;

pub use solutions::Solutions;

use crate::error::{Error, Result};
use crate::puzzle::{MAX_SIDE, Puzzle};

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
}

/// Bad puzzles after which the rest of a pack is left unread, and the bytes of text that their errors may hold. Nobody reads a
/// thousand messages, and each of them may quote the same line of a megabyte.
const MOST_BAD: usize = 1000;
const MOST_QUOTED: usize = 1 << 25;

/// The puzzles of a file: one, or as many as the pack holds, or one error; never none.
///
/// A bad puzzle does not spoil the others of its pack. When a thousand are bad, a last error says so and the rest is not read.
pub fn read(bytes: &[u8], file: &str) -> Vec<Entry> {
    let entry = |name: String, puzzle: Result<Puzzle>| Entry {
        puzzle: puzzle.map_err(|error| error.in_file(&name)),
        name,
    };
    let contents = detect::decode(bytes)
        .and_then(|text| Ok(detect::reader(text)?(text)))
        .unwrap_or_else(|error| Contents::Single(Err(error)));
    let pack = match contents {
        Contents::Single(puzzle) => return vec![entry(file.to_owned(), puzzle)],
        Contents::Pack(pack) => pack,
    };

    let mut entries = Vec::new();
    let (mut bad, mut quoted) = (0, 0);
    for puzzle in pack {
        if bad == MOST_BAD || quoted > MOST_QUOTED {
            let error = Error::data(format!(
                "{bad} puzzles of this file are bad; the rest of it was not read"
            ));
            entries.push(entry(file.to_owned(), Err(error)));
            break;
        }
        if let Err(error) = &puzzle {
            bad += 1;
            quoted += error.place().map_or(0, |place| place.text.len());
        }
        entries.push(entry(format!("{file}#{}", entries.len() + 1), puzzle));
    }
    if entries.is_empty() {
        entries.push(entry(
            file.to_owned(),
            Err(Error::data("there is no puzzle in this file")),
        ));
    }
    entries
}

/// The error at the place where `part` begins in `text`, of which it is a slice.
fn place(error: Error, text: &str, part: &str) -> Error {
    let offset = offset(text, part);
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let number = before.matches('\n').count() + 1;
    let line = text[start..].lines().next().unwrap_or_default();
    error.at(number, before[start..].chars().count() + 1, line)
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

/// How a block that no line can hold is refused.
fn block_too_long(digits: &str) -> Error {
    Error::data(format!(
        "a block of {} cells is longer than the longest line, {MAX_SIDE}",
        brief(digits.trim_start_matches('0'))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
