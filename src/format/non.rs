//! The `.non` format: Steve Simpson's, with the extensions of Jan Wolter's pbnsolve (`goal`, `saved`, blank lines for empty clues) and of
//! nonogram-db (`license`, `====` between the puzzles of a pack).
//!
//! A file is a list of keyword lines, which begin with a letter; the lines up to the next keyword line belong to it. So the order of
//! keywords does not matter, and unknown ones are skipped.
//!
//! A blank line in a clue section is ignored by Simpson, and is an empty clue for the other two. If there are enough clues without blank
//! lines, these are ignored. Otherwise each blank line between two clues is an empty clue, and so are as many of those before the first
//! and after the last clue as are still missing, provided that there is only one way to choose them and that rows and columns then have
//! equally many filled cells. Anything else is an error, never a guess.

mod write;

use std::ops::Range;

pub use write::write;

use super::brief::plural;
use super::contents::Contents;
use super::part::{self, Part, section};
use crate::error::{Error, Result};
use crate::puzzle::{Grid, Notes, Puzzle};

/// Whether a line begins with one of the keywords that every `.non` file has.
pub(super) fn looks_like(text: &str) -> bool {
    let known = ["width", "height", "rows", "columns"];
    text.lines().any(|line| {
        let (word, _) = word_and_value(line);
        known.iter().any(|known| word.eq_ignore_ascii_case(known))
    })
}

/// Reads a puzzle or a pack of them.
pub(super) fn read(text: &str) -> Contents<'_> {
    let lines: Vec<&str> = text.lines().collect();
    let separator = |line: &str| line.len() >= 4 && line.bytes().all(|b| b == b'=');
    let mut puzzles = Vec::new();
    let mut start = 0;
    for i in 0..=lines.len() {
        if lines.get(i).is_none_or(|line| separator(line.trim())) {
            puzzles.push(start..i);
            start = i + 1;
        }
    }
    let read = move |range: Range<usize>| {
        let first = range.start + 1;
        let lines = lines.get(range)?;
        let first_content = lines.iter().position(|line| !line.trim().is_empty())?;
        Some(Source { lines, first }.puzzle(first_content))
    };
    match puzzles.len() {
        1 => Contents::Single(
            read(puzzles.remove(0)).unwrap_or_else(|| Err(Error::data("the file is empty"))),
        ),
        _ => Contents::Pack(Box::new(puzzles.into_iter().filter_map(read))),
    }
}

/// The first word of a line and the text after it, both without blanks around them.
fn word_and_value(line: &str) -> (&str, &str) {
    let line = line.trim();
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_start())
}

/// The lines of one puzzle; `first` is the number of the first of them in the file.
struct Source<'a> {
    lines: &'a [&'a str],
    first: usize,
}

/// A value that may occur only once, with the index of the line where it was found.
type Found<T> = Option<(usize, T)>;

impl<'a> Source<'a> {
    /// The puzzle in these lines. Missing keywords are reported at line `start`.
    fn puzzle(&self, start: usize) -> Result<Puzzle> {
        let (mut width, mut height): (Found<usize>, Found<usize>) = (None, None);
        let (mut rows, mut columns): (Found<Range<usize>>, Found<Range<usize>>) = (None, None);
        let mut goal: Found<Range<usize>> = None;
        let mut notes = Notes::default();

        for (at, body) in self.parts() {
            let (word, value) = word_and_value(self.lines[at]);
            match word.to_ascii_lowercase().as_str() {
                // With a number the keyword is a size, without one it opens a section.
                "rows" if value.is_empty() => self.set_once(&mut rows, at, body, "rows section")?,
                "columns" if value.is_empty() => {
                    self.set_once(&mut columns, at, body, "columns section")?
                }
                "height" | "rows" => {
                    self.set_once(&mut height, at, self.size(at, "height")?, "height")?
                }
                "width" | "columns" => {
                    self.set_once(&mut width, at, self.size(at, "width")?, "width")?
                }
                "goal" => goal = goal.or(Some((at, body))),
                "title" => note(&mut notes.title, value),
                "by" => note(&mut notes.author, value),
                "copyright" => note(&mut notes.copyright, value),
                "license" => note(&mut notes.license, value),
                "catalogue" => note(&mut notes.catalogue, value),
                _ => {}
            }
        }

        let missing = |what: &str| {
            let text = self.lines[start].trim_start();
            self.error(start, text, format!("this puzzle has no {what}"))
        };
        let (_, width) = width.ok_or_else(|| missing("width"))?;
        let (_, height) = height.ok_or_else(|| missing("height"))?;
        let (_, rows) = rows.ok_or_else(|| missing("rows section"))?;
        let (_, columns) = columns.ok_or_else(|| missing("columns section"))?;

        let (body, end) = self.body(rows);
        let rows = section(body, height, "row", end)?;
        let (body, end) = self.body(columns);
        let columns = section(body, width, "column", end)?;
        let puzzle = part::puzzle_of_sections(rows, columns, self.part(start).trim())?;
        notes.goal = match goal {
            Some((at, body)) => Some(self.goal(at, body, width, height)?),
            None => None,
        };
        puzzle.with_notes(notes)
    }

    /// Each keyword line with the lines that follow it up to the next one.
    fn parts(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let keyword = |&i: &usize| self.lines[i].trim_start().starts_with(char::is_alphabetic);
        let mut next = (0..self.lines.len()).find(keyword);
        std::iter::from_fn(move || {
            let at = next?;
            next = (at + 1..self.lines.len()).find(keyword);
            Some((at, at + 1..next.unwrap_or(self.lines.len())))
        })
    }

    /// Sets a slot, which must be empty, or fails.
    fn set_once<T>(&self, slot: &mut Found<T>, at: usize, value: T, name: &str) -> Result<()> {
        if let Some((before, _)) = slot {
            let message = format!(
                "a second {name}: the first is in line {}",
                self.first + *before
            );
            return Err(self.error(at, self.lines[at].trim_start(), message));
        }
        *slot = Some((at, value));
        Ok(())
    }

    /// The number in a width or height line.
    fn size(&self, at: usize, name: &str) -> Result<usize> {
        let (word, value) = word_and_value(self.lines[at]);
        match value {
            "" => Err(self.error(at, word, format!("the {name} is not given"))),
            value => self.part(at).at(value).size(name),
        }
    }

    /// A whole line.
    fn part(&self, at: usize) -> Part<'a> {
        Part::line(self.first + at, self.lines[at])
    }

    /// The lines of a section, and the line at which it ends.
    fn body(&self, lines: Range<usize>) -> (impl Iterator<Item = Part<'a>>, Part<'a>) {
        let end = self.part(lines.end.min(self.lines.len() - 1));
        (lines.map(|at| self.part(at)), end)
    }

    /// The picture of a goal, which may extend over several lines.
    fn goal(&self, at: usize, body: Range<usize>, width: usize, height: usize) -> Result<Grid> {
        let (word, value) = word_and_value(self.lines[at]);
        let mut cells = Vec::new();
        let texts = body.map(|i| (i, self.lines[i]));
        for (i, text) in std::iter::once((at, value)).chain(texts) {
            for (k, c) in text.char_indices() {
                match c {
                    '0' => cells.push(false),
                    '1' => cells.push(true),
                    c if c.is_alphabetic() => return Err(self.part(i).at(&text[k..]).coloured(c)),
                    c if c.is_numeric() => {
                        let message = format!("{c:?} in the goal: a cell is 0 or 1");
                        return Err(self.error(i, &text[k..], message));
                    }
                    // Quotes and other characters that structure the picture are skipped.
                    _ => {}
                }
            }
        }
        if cells.len() != width * height {
            let message = format!(
                "the goal has {}, but a {width}x{height} puzzle has {}",
                plural(cells.len(), "cell"),
                width * height
            );
            let text = if value.is_empty() { word } else { value };
            return Err(self.error(at, text, message));
        }
        let mut goal = Grid::new(width, height);
        for (i, _) in cells.iter().enumerate().filter(|(_, filled)| **filled) {
            goal.set(i / width, i % width, true);
        }
        Ok(goal)
    }

    /// An error in line `at`, at the beginning of its slice `part`.
    fn error(&self, at: usize, part: &'a str, message: impl Into<String>) -> Error {
        self.part(at).at(part).error(message)
    }
}

/// Stores a property without its outermost quotes, with HTML character references decoded. The first of several is kept.
fn note(slot: &mut Option<String>, value: &str) {
    let inner = value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    if slot.is_none() && !value.is_empty() {
        *slot = Some(html_escape::decode_html_entities(inner.unwrap_or(value)).into_owned());
    }
}

#[cfg(test)]
mod tests;
