//! Records as lines: JSON objects, one a line, each ending in a checksum of itself.
//!
//! A line that was torn or changed, were it by one bit, is seen for what it is, by itself and without its neighbours; and the lines of
//! several files can be put together in any order by the tools that people have for that.

use std::io::{BufRead, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::digest::short;
use crate::error::{Error, Result};

/// What the checksum stands in, at the end of the line.
const OPEN: &str = ",\"check\":\"";
const CLOSE: &str = "\"}";
const DIGITS: usize = 16;

/// Bytes of the longest line.
const LONGEST: u64 = 256 << 20;

/// Bytes of a line that an error shows.
const SHOWN: usize = 160;

/// A record as a line, with its checksum and line break.
pub fn seal(record: &impl Serialize) -> String {
    // Texts, numbers and lists of them can always be written as JSON.
    let mut line = serde_json::to_string(record).expect("plain data");
    debug_assert!(line.starts_with('{') && line.len() > 2, "an object");
    line.pop();
    let check = short(line.as_bytes());
    line.push_str(&format!("{OPEN}{check:016x}{CLOSE}\n"));
    line
}

/// The record in a line without its line break, as `parse` reads it.
fn unseal<T>(line: &str, parse: impl FnOnce(&str) -> serde_json::Result<T>) -> Result<T> {
    let torn = || Error::data("this line is torn: it does not end in its checksum");
    let rest = line.strip_suffix(CLOSE).ok_or_else(torn)?;
    let at = rest.len().checked_sub(DIGITS).ok_or_else(torn)?;
    let (body, digits) = rest.split_at_checked(at).ok_or_else(torn)?;
    let body = body.strip_suffix(OPEN).ok_or_else(torn)?;
    // The digits are compared as they stand: a capital is a change too.
    if format!("{:016x}", short(body.as_bytes())) != digits {
        return Err(Error::data(
            "this line has been changed: its checksum does not match",
        ));
    }
    parse(line).map_err(|error| {
        let column = error.column().clamp(1, line.len());
        Error::data(format!("this is not such a record: {error}")).at(0, column, line)
    })
}

/// Reads a file of records line by line.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    file: String,
    /// Lines, and bytes of them, read so far.
    line: usize,
    bytes: u64,
    /// Did the last one end in a line break?
    whole: bool,
    ended: bool,
    /// The last one, without its line break.
    text: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Reads from `input`; `file` is what errors call it.
    pub fn new(input: R, file: &str) -> Self {
        Lines {
            input,
            file: file.to_owned(),
            line: 0,
            bytes: 0,
            whole: true,
            ended: false,
            text: Vec::new(),
        }
    }

    /// The number of the last line, from 1; 0 before the first.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Did the last line end in a line break?
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// An error, said of the last line.
    pub fn blame(&self, error: Error) -> Error {
        let text = String::from_utf8_lossy(&self.text);
        let column = error.place().map_or(1, |place| place.column);
        // Whoever looks for the line has its number.
        let end = (0..=SHOWN.min(text.len()))
            .rfind(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        let text = match end < text.len() {
            true => format!("{} ...", &text[..end]),
            false => text.into_owned(),
        };
        Error::data(error.message())
            .at(self.line, column.min(text.len() + 1), &text)
            .in_file(&self.file)
    }

    /// The next record, or what is wrong with the next line; `None` at the end. Blank lines are passed over. After a failure to read
    /// nothing more comes.
    pub fn record<T: DeserializeOwned>(&mut self) -> Option<Result<T>> {
        self.record_by(|line| serde_json::from_str(line))
    }

    /// The same, where it depends on the line what record it is.
    pub(super) fn record_by<T>(
        &mut self,
        parse: impl FnOnce(&str) -> serde_json::Result<T>,
    ) -> Option<Result<T>> {
        loop {
            if self.ended {
                return None;
            }
            self.text.clear();
            let read = self
                .input
                .by_ref()
                .take(LONGEST + 1)
                .read_until(b'\n', &mut self.text);
            match read {
                Err(error) => {
                    self.ended = true;
                    return Some(Err(Error::io(&self.file, &error)));
                }
                Ok(0) => return None,
                Ok(read) => self.bytes += read as u64,
            }
            self.line += 1;
            self.whole = self.text.last() == Some(&b'\n');
            if self.whole {
                self.text.pop();
            }
            if self.text.is_empty() {
                continue;
            }
            if self.text.len() as u64 > LONGEST {
                self.ended = true;
                return Some(Err(self.blame(Error::data("this line is too long"))));
            }
            // What is not UTF-8 cannot match its checksum.
            let record = unseal(&String::from_utf8_lossy(&self.text), parse);
            return Some(record.map_err(|error| self.blame(error)));
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
    fn every_bit_counts() {
        let line = seal(&record());
        assert!(line.ends_with("\"}\n"));
        let parse = |line: &str| serde_json::from_str::<Record>(line);
        assert_eq!(unseal(line.trim_end(), parse).unwrap(), record());
        for at in 0..line.len() - 1 {
            for bit in 0..8 {
                let mut bytes = line.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let mut lines = Lines::new(&bytes[..], "file");
                let first = lines.record::<Record>().unwrap();
                assert!(first.is_err(), "{at} {bit}");
            }
        }
    }

    #[test]
    fn torn_anywhere_it_is_torn() {
        let text = seal(&record()).repeat(2);
        let each = text.len() / 2;
        for end in 0..=text.len() {
            let mut lines = Lines::new(&text.as_bytes()[..end], "file");
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
            // A line break alone may be missing.
            let whole = (end + 1) / each;
            assert_eq!((good, bad), (whole, usize::from(end > whole * each)));
        }
    }
}
