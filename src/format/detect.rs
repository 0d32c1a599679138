//! What a file is, by its content and never by its name: first its encoding, then its format. Only the shape is looked at here;
//! what is wrong inside is for the reader to say.

use super::{Contents, json, non};
use crate::error::{Error, Result};

/// Turns a text of its format into puzzles or errors.
type Reader = for<'a> fn(&'a str) -> Contents<'a>;

/// A format: its name for people, whether a text looks like it, its reader.
type Format = (&'static str, fn(&str) -> bool, Reader);

/// Every format that can be read; the first that the text looks like is taken.
const FORMATS: [Format; 2] = [
    ("JSON", json::looks_like, json::read),
    (".non", non::looks_like, non::read),
];

/// The text of a file, without a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<&str> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(Error::data(
            "this file is compressed with gzip: unpack it first",
        ));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::data("this text is UTF-16: save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to(), 1))
}

/// The error for bytes that are not UTF-8 from `bad` on, in a text whose first line has the number `first`.
pub(super) fn not_utf8(bytes: &[u8], bad: usize, first: usize) -> Error {
    let (before, after) = bytes.split_at(bad);
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let end = after
        .iter()
        .position(|&b| b == b'\n')
        .map_or(bytes.len(), |i| bad + i);
    let line = String::from_utf8_lossy(&bytes[start..end]);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    let byte = after.first().copied().unwrap_or_default();
    Error::data(format!(
        "the byte {byte:#04x} is not UTF-8: save the file as UTF-8"
    ))
    .at(
        first + before.iter().filter(|&&b| b == b'\n').count(),
        column,
        line.trim_end(),
    )
}

/// Who reads this text.
pub(super) fn reader(text: &str) -> Result<Reader> {
    if let Some((_, _, reader)) = FORMATS.iter().find(|(_, looks_like, _)| looks_like(text)) {
        return Ok(*reader);
    }
    let Some((i, line)) = text
        .lines()
        .enumerate()
        .find(|(_, line)| !line.trim().is_empty())
    else {
        return Err(Error::data("the file is empty"));
    };
    let known = FORMATS.map(|(name, _, _)| name).join(" and ");
    Err(Error::data(format!(
        "this is not a puzzle in any format that omnogram knows: {known}"
    ))
    .at(i + 1, 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        let found = decode(bytes).and_then(|text| reader(text).map(|_| ()));
        found.unwrap_err().to_string()
    }

    #[test]
    fn says_what_a_strange_file_is() {
        assert_eq!(message(b""), "the file is empty");
        assert_eq!(message(b"\xef\xbb\xbf \r\n\t\n"), "the file is empty");
        assert!(message(&[0x1f, 0x8b, 8]).contains("gzip"));
        assert!(message(b"\xff\xfew\0").contains("UTF-16"));
        assert_eq!(
            message(b"\n4 3\n2\n"),
            "2:1: this is not a puzzle in any format that omnogram knows: JSON and .non"
        );
        assert!(message(b"[clues]\nx = 2\n").contains("not a puzzle"));
    }

    #[test]
    fn finds_the_first_bad_byte() {
        let error = decode("ü\nAndré é".as_bytes()).err();
        assert!(error.is_none());
        let error = decode(b"\xef\xbb\xbfx\ntitle \"\xc3\xbc\xe9t\xe9\"\r\nwidth 3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "2:9: the byte 0xe9 is not UTF-8: save the file as UTF-8"
        );
        assert_eq!(error.place().unwrap().text, "title \"ü\u{fffd}t\u{fffd}\"");
    }

    #[test]
    fn formats_are_told_apart() {
        assert!(json::looks_like(" \n{") && json::looks_like("[ {") && json::looks_like("["));
        assert!(!json::looks_like("[clues]") && !json::looks_like("rows"));
        assert!(non::looks_like("title x\n  Width 3") && !non::looks_like("widths 3\n{rows}"));
    }
}
