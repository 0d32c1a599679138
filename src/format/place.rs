//! Adds the place in a file to errors.

use std::cell::Cell;

use crate::error::{Error, Result};
use crate::puzzle::{Clue, Line, MAX_SIDE, Puzzle};

/// A text for whose slices places are computed. The lines before a place are counted from the place before, so that the errors of a pack,
/// which come in the order of the text, take time proportional to the text together.
#[derive(Debug)]
pub(super) struct Places<'a> {
    pub(super) text: &'a str,
    /// The offset of the line of the last place, and the number of line breaks before it.
    last: Cell<(usize, usize)>,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Places {
            text,
            last: Cell::new((0, 0)),
        }
    }

    /// The error with the place at which `part`, a slice of the text, begins.
    pub(super) fn locate(&self, error: Error, part: &str) -> Error {
        let text = self.text;
        let offset = offset(text, part);
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let (from, breaks) = match self.last.get() {
            (last, breaks) if last <= start => (last, breaks),
            _ => (0, 0),
        };
        let between = text[from..start].bytes().filter(|&b| b == b'\n');
        let breaks = breaks + between.count();
        self.last.set((start, breaks));
        let line = text[start..].lines().next().unwrap_or_default();
        // A place in a line break of two characters counts as the end of the line.
        let column = before[start..].len().min(line.len());
        error.at(breaks + 1, line[..column].chars().count() + 1, line)
    }

    /// The puzzle with these clues, each with the slice in which it is; `whole` is that of the puzzle.
    pub(super) fn puzzle(
        &self,
        rows: Vec<(Clue, &str)>,
        columns: Vec<(Clue, &str)>,
        whole: &str,
    ) -> Result<Puzzle> {
        let (width, height) = (columns.len(), rows.len());
        if width.max(height) <= MAX_SIDE {
            for (i, (clue, part)) in rows.iter().enumerate() {
                let fits = clue.check_fit(Line::Row(i), width);
                fits.map_err(|error| self.locate(error, part))?;
            }
            for (i, (clue, part)) in columns.iter().enumerate() {
                let fits = clue.check_fit(Line::Column(i), height);
                fits.map_err(|error| self.locate(error, part))?;
            }
        }
        let [rows, columns] =
            [rows, columns].map(|side| side.into_iter().map(|(clue, _)| clue).collect());
        Puzzle::new(rows, columns).map_err(|error| self.locate(error, whole))
    }
}

/// The error with the place at which `part`, a slice of `text`, begins.
pub(super) fn locate(error: Error, text: &str, part: &str) -> Error {
    Places::new(text).locate(error, part)
}

/// The offset in bytes of the slice `part` in `text`.
pub(super) fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize)
        .saturating_sub(text.as_ptr() as usize)
        .min(text.len())
}

/// The error for bytes that are not UTF-8 from offset `bad` on, in a text whose first line has the number `first`.
pub(super) fn not_utf8(bytes: &[u8], bad: usize, first: usize) -> Error {
    let byte = bytes.get(bad).copied().unwrap_or_default();
    let message = format!("the byte {byte:#04x} is not UTF-8: save the file as UTF-8");
    at_byte(Error::data(message), bytes, bad, first)
}

/// The error with the place of the byte at offset `at`, in a file that may be binary and whose first line has the number `first`.
pub(super) fn at_byte(error: Error, bytes: &[u8], at: usize, first: usize) -> Error {
    let (before, after) = bytes.split_at(at.min(bytes.len()));
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let end = after
        .iter()
        .position(|&b| b == b'\n')
        .map_or(bytes.len(), |i| before.len() + i);
    let line = String::from_utf8_lossy(&bytes[start..end]);
    let line = line.trim_end();
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    // A place in the blanks at the end of a line is moved before them.
    let column = column.min(line.chars().count() + 1);
    let number = first + before.iter().filter(|&&b| b == b'\n').count();
    error.at(number, column, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a\r\nüb\n";
        let error = locate(Error::data("x"), text, &text[5..]);
        assert_eq!(error.to_string(), "2:2: x");
        assert_eq!(error.place().unwrap().text, "üb");
        assert_eq!(
            locate(Error::data("x"), text, &text[6..]).to_string(),
            "2:3: x"
        );
        // Between \r and \n.
        let error = locate(Error::data("x"), text, &text[2..]);
        assert_eq!(error.to_string(), "1:2: x");
        assert_eq!(locate(Error::data("x"), "", "").to_string(), "1:1: x");
    }

    #[test]
    fn places_may_be_computed_in_any_order() {
        let text = "\na\r\n\nüb\nc";
        let places = Places::new(text);
        let starts: Vec<usize> = (0..=text.len())
            .filter(|&i| text.is_char_boundary(i))
            .collect();
        for &first in &starts {
            for &second in &starts {
                for start in [first, second] {
                    let found = places.locate(Error::data("x"), &text[start..]);
                    let expected = locate(Error::data("x"), text, &text[start..]);
                    assert_eq!(found.place(), expected.place());
                }
            }
        }
    }
}
