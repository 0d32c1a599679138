//! Records as lines: one JSON object per line, each ending in its own checksum.
//!
//! A line that was torn, or changed in a single bit, is recognised without looking at other lines. So the lines of several files can be
//! joined in any order by ordinary text tools.

use std::io::{BufRead, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::digest::hash64;
use crate::error::{Error, Result};

/// The text before and after the checksum at the end of a line, and the number of hexadecimal digits between.
const CHECK_PREFIX: &str = ",\"check\":\"";
const CHECK_SUFFIX: &str = "\"}";
const CHECK_DIGITS: usize = 16;

/// Length of the longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 256 << 20;

/// Number of bytes of a line that an error shows.
const MAX_SHOWN_BYTES: usize = 160;

/// Writes a record as a line, with its checksum and line break.
pub fn seal(record: &impl Serialize) -> String {
    let json = serde_json::to_string(record);
    let mut line = json.expect("records hold only strings, numbers and lists of them");
    let is_object = line.starts_with('{') && line.len() > 2;
    debug_assert!(is_object, "a record is a JSON object with fields");
    line.pop();
    let check = hash64(line.as_bytes());
    line.push_str(&format!("{CHECK_PREFIX}{check:016x}{CHECK_SUFFIX}\n"));
    line
}

/// Checks the checksum of a line without its line break.
fn check(line: &str) -> Result<()> {
    let torn = || Error::data("this line is incomplete: it does not end with its checksum");
    let rest = line.strip_suffix(CHECK_SUFFIX).ok_or_else(torn)?;
    let at = rest.len().checked_sub(CHECK_DIGITS).ok_or_else(torn)?;
    let (body, digits) = rest.split_at_checked(at).ok_or_else(torn)?;
    let body = body.strip_suffix(CHECK_PREFIX).ok_or_else(torn)?;
    // The digits are compared as text, so that a change to upper case is noticed too.
    if format!("{:016x}", hash64(body.as_bytes())) != digits {
        let message = "this line has been changed: its checksum does not match";
        return Err(Error::data(message));
    }
    Ok(())
}

/// Reads a file of records line by line.
#[derive(Debug)]
pub struct RecordReader<R> {
    input: R,
    file: String,
    /// Number of lines read so far, and of their bytes.
    line: usize,
    pub(super) bytes: u64,
    /// Whether the last line read ended in a line break.
    pub(super) whole: bool,
    /// Whether the last line read had the right checksum.
    pub(super) has_checksum: bool,
    ended: bool,
    /// The last line read, without its line break.
    text: Vec<u8>,
}

impl<R: BufRead> RecordReader<R> {
    /// Reads from `input`; `file` is its name in errors.
    pub fn new(input: R, file: &str) -> Self {
        RecordReader {
            input,
            file: file.to_owned(),
            line: 0,
            bytes: 0,
            whole: true,
            has_checksum: false,
            ended: false,
            text: Vec::new(),
        }
    }

    /// The number of the last line read, from 1; 0 before the first.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Whether the last line read is damaged as by a crash: its end is missing, or blocks of it read as zeros, which no record has.
    pub(super) fn is_torn(&self) -> bool {
        !self.has_checksum && !self.ended && (!self.whole || self.text.contains(&0))
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// This error, with the place and the text of the last line read.
    pub fn at_last_line(&self, error: Error) -> Error {
        let text = String::from_utf8_lossy(&self.text);
        let column = error.place().map_or(1, |place| place.column);
        // The text is shortened; the line number identifies the line.
        let end = (0..=MAX_SHOWN_BYTES.min(text.len()))
            .rfind(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        let text = if end < text.len() {
            format!("{} ...", &text[..end])
        } else {
            text.into_owned()
        };
        Error::data(error.message())
            .at(self.line, column.min(text.len() + 1), &text)
            .in_file(&self.file)
    }

    /// The next record, or the error in the next line; `None` at the end. Blank lines are skipped. After a failure to read, or a line
    /// that is too long, further calls return `None`.
    pub fn record<T: DeserializeOwned>(&mut self) -> Option<Result<T>> {
        self.record_by(|line| serde_json::from_str(line))
    }

    /// As [`record`](Self::record), with a parser that may choose the type of record by the line.
    pub(super) fn record_by<T>(
        &mut self,
        parse: impl FnOnce(&str) -> serde_json::Result<T>,
    ) -> Option<Result<T>> {
        loop {
            if self.ended {
                return None;
            }
            self.text.clear();
            let mut input = self.input.by_ref().take(MAX_LINE_BYTES + 1);
            match input.read_until(b'\n', &mut self.text) {
                Err(error) => {
                    self.ended = true;
                    return Some(Err(Error::io(&self.file, error)));
                }
                Ok(0) => return None,
                Ok(read) => self.bytes += read as u64,
            }
            self.line += 1;
            self.has_checksum = false;
            self.whole = self.text.last() == Some(&b'\n');
            if self.whole {
                self.text.pop();
            }
            if self.text.is_empty() {
                continue;
            }
            if self.text.len() as u64 > MAX_LINE_BYTES {
                self.ended = true;
                let error = Error::data("this line is too long for a record");
                return Some(Err(self.at_last_line(error)));
            }
            // A line that is not UTF-8 fails its checksum, because the replacement characters change it.
            let line = String::from_utf8_lossy(&self.text);
            let checked = check(&line);
            self.has_checksum = checked.is_ok();
            let record = checked.and_then(|()| {
                parse(&line).map_err(|error| {
                    let message = format!("this is not a record of the expected kind: {error}");
                    Error::data(message).at(0, error.column().clamp(1, line.len()), &line)
                })
            });
            return Some(record.map_err(|error| self.at_last_line(error)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Record {
        n: u32,
        text: String,
    }

    fn record() -> Record {
        Record {
            n: 7,
            text: "ä\"".to_owned(),
        }
    }

    #[test]
    fn flipping_any_bit_is_detected() {
        let line = seal(&record());
        assert!(line.ends_with("\"}\n"));
        assert!(check(line.trim_end()).is_ok());
        let read = RecordReader::new(line.as_bytes(), "file").record::<Record>();
        assert_eq!(read.unwrap().unwrap(), record());
        for at in 0..line.len() - 1 {
            for bit in 0..8 {
                let mut bytes = line.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let mut lines = RecordReader::new(&bytes[..], "file");
                let first = lines.record::<Record>().unwrap();
                assert!(first.is_err(), "{at} {bit}");
            }
        }
    }

    #[test]
    fn a_tear_at_any_byte_is_detected() {
        let text = seal(&record()).repeat(2);
        let each = text.len() / 2;
        for end in 0..=text.len() {
            let mut lines = RecordReader::new(&text.as_bytes()[..end], "file");
            let mut good = 0;
            let mut bad = 0;
            while let Some(record) = lines.record::<Record>() {
                match record {
                    Ok(_) => good += 1,
                    Err(error) => {
                        assert!(error.to_string().starts_with("file:"), "{error}");
                        bad += 1;
                    }
                }
            }
            // A line that lacks only its line break is valid.
            let whole = (end + 1) / each;
            assert_eq!((good, bad), (whole, usize::from(end > whole * each)));
        }
    }
}
