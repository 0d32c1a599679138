//! A list of solutions, read back one grid at a time: drawn in rows of `#` and `.` with blank lines between two grids, or as
//! `{"solution": ["#..#", ...]}`, one object per line. Headings `==> name <==` and objects without a solution, such as a final summary,
//! are skipped.
//!
//! A list may have any length: at most one grid and one line of bounded length are in memory.

use std::io::{BufRead, Read};

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::json;
use super::place::not_utf8;
use crate::error::{Error, Result};
use crate::puzzle::{Grid, MAX_SIDE};

/// Length of the longest line in bytes: the largest grid as one object, with some room for blanks and other members.
const MAX_LINE_BYTES: usize = MAX_SIDE * (MAX_SIDE + 8) + 4096;

/// The grids of a list of solutions. It ends after the first error.
#[derive(Debug)]
pub struct Solutions<R> {
    input: R,
    file: String,
    /// Lines read so far.
    lines_read: usize,
    /// Number of the line at which the last grid began.
    line: usize,
    ended: bool,
}

/// A line of the list, without its line break.
enum Item {
    Skipped,
    Row(String),
    Object(String),
}

/// Whether this line is a heading with the name of the puzzle whose solutions follow.
pub(super) fn is_heading(line: &str) -> bool {
    line.starts_with("==> ") && line.ends_with(" <==")
}

impl<R: BufRead> Solutions<R> {
    /// Reads from `input`; `file` is its name in errors.
    pub fn new(input: R, file: &str) -> Self {
        Solutions {
            input,
            file: file.to_owned(),
            lines_read: 0,
            line: 0,
            ended: false,
        }
    }

    /// The number of the line at which the last grid began, from 1; 0 before the first.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The next line; `None` at the end.
    fn item(&mut self) -> Result<Option<Item>> {
        let mut bytes = Vec::new();
        let limit = MAX_LINE_BYTES as u64 + 1;
        let read = self
            .input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut bytes);
        if read.map_err(|error| Error::io(&self.file, error))? == 0 {
            return Ok(None);
        }
        self.lines_read += 1;
        if bytes.len() > MAX_LINE_BYTES {
            let start = String::from_utf8_lossy(&bytes[..100]);
            let message =
                format!("a line of more than {MAX_LINE_BYTES} bytes is too long for a solution");
            return Err(Error::data(message).at(self.lines_read, 1, &start));
        }
        if self.lines_read == 1 && bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let bad = error.utf8_error().valid_up_to();
            not_utf8(error.as_bytes(), bad, self.lines_read)
        })?;
        let line = text.trim_end();
        Ok(Some(match line.chars().next() {
            None => Item::Skipped,
            Some('=') if is_heading(line) => Item::Skipped,
            Some('{') => Item::Object(line.to_owned()),
            Some(_) => Item::Row(line.to_owned()),
        }))
    }

    /// The next grid; `None` at the end.
    fn grid(&mut self) -> Result<Option<Grid>> {
        let mut rows: Vec<String> = Vec::new();
        loop {
            match self.item()? {
                Some(Item::Row(row)) => {
                    if rows.is_empty() {
                        self.line = self.lines_read;
                    }
                    self.check_row(&rows, &row)?;
                    rows.push(row);
                }
                Some(Item::Object(text)) => {
                    if !rows.is_empty() {
                        let message = "a row of the grid or a blank line must come here";
                        return Err(Error::data(message).at(self.lines_read, 1, &text));
                    }
                    self.line = self.lines_read;
                    if let Some(grid) = self.object(&text)? {
                        return Ok(Some(grid));
                    }
                }
                None if rows.is_empty() => return Ok(None),
                Some(Item::Skipped) if rows.is_empty() => {}
                Some(Item::Skipped) | None => return Grid::from_rows(&rows).map(Some),
            }
        }
    }

    /// Checks that `row` can follow `rows` in a grid.
    fn check_row(&self, rows: &[String], row: &str) -> Result<()> {
        let junk = row
            .chars()
            .enumerate()
            .find(|(_, c)| !matches!(c, '#' | '.'));
        if let Some((column, junk)) = junk {
            let message = format!("{junk:?} in a grid: a cell is '#' or '.'");
            return Err(Error::data(message).at(self.lines_read, column + 1, row));
        }
        let message = if rows.len() == MAX_SIDE || row.len() > MAX_SIDE {
            format!("a grid has at most {MAX_SIDE} rows and columns")
        } else if let Some(first) = rows.first().filter(|first| first.len() != row.len()) {
            format!(
                "a row of length {} in a grid of width {}",
                row.len(),
                first.len()
            )
        } else {
            return Ok(());
        };
        Err(Error::data(message).at(self.lines_read, 1, row))
    }

    /// The solution in an object, if it has one.
    fn object(&self, text: &str) -> Result<Option<Grid>> {
        let object: Object = serde_json::from_str(text).map_err(|error| {
            let place = json::syntax(&error, text);
            let meaning = format!("a solution is a list of at most {MAX_SIDE} rows of '#' and '.'");
            let message = if error.is_data() {
                &meaning
            } else {
                place.message()
            };
            let column = place.place().map_or(1, |place| place.column);
            Error::data(message).at(self.lines_read, column, text)
        })?;
        let grid = object.solution.map(|rows| Grid::from_rows(&rows.0));
        grid.transpose()
            .map_err(|error| error.at(self.lines_read, 1, text))
    }
}

/// A line of JSON; other members than the solution are skipped.
struct Object {
    solution: Option<Rows>,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Object, A::Error> {
                let mut solution = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key != "solution" {
                        map.next_value::<IgnoredAny>()?;
                    } else if solution.replace(map.next_value()?).is_some() {
                        return Err(A::Error::custom("two solutions"));
                    }
                }
                Ok(Object {
                    solution: solution.flatten(),
                })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// The rows of a grid, limited to the largest number that a grid can have: a line of empty rows would take many times its length in
/// memory.
struct Rows(Vec<String>);

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Rows;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of rows")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> std::result::Result<Rows, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = list.next_element()? {
                    if rows.len() == MAX_SIDE {
                        return Err(A::Error::custom("too many rows"));
                    }
                    rows.push(row);
                }
                Ok(Rows(rows))
            }
        }
        deserializer.deserialize_seq(List)
    }
}

impl<R: BufRead> Iterator for Solutions<R> {
    type Item = Result<Grid>;

    fn next(&mut self) -> Option<Result<Grid>> {
        if self.ended {
            return None;
        }
        let grid = self.grid().transpose();
        self.ended = !matches!(grid, Some(Ok(_)));
        grid.map(|grid| grid.map_err(|error| error.in_file(&self.file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<String> {
        let mut solutions = Solutions::new(text, "list");
        let mut found = Vec::new();
        while let Some(grid) = solutions.next() {
            found.push(match grid {
                Ok(grid) => format!(
                    "{} {}",
                    solutions.line(),
                    grid.to_string().replace('\n', "/")
                ),
                Err(error) => error.to_string(),
            });
        }
        found
    }

    #[test]
    fn text_with_headings_and_many_blank_lines() {
        let text = "\u{feff}==> a.non#1 <==\r\n#.\r\n.#  \r\n\n\n..\n##\n==> b <==\n#";
        assert_eq!(read(text.as_bytes()), ["2 #./.#/", "6 ../##/", "9 #/"]);
        assert!(read(b"").is_empty() && read(b"\n \n==> a <==\n").is_empty());
    }

    #[test]
    fn objects_with_a_summary() {
        let text = "{\"solution\":[\"#.\",\".#\"]}\n{\"n\": 1, \"solution\":[\"#\"]}\n{\"solutions\":\"2\",\"deep\":[[{}]]}\n";
        assert_eq!(read(text.as_bytes()), ["1 #./.#/", "2 #/"]);
    }

    #[test]
    fn errors_name_their_place_and_end_the_list() {
        let cases: [(&[u8], &str); 10] = [
            (b"#.\n.x\n", "list:2:2: 'x' in a grid: a cell is '#' or '.'"),
            (
                b"\n#.\n.\n",
                "list:3:1: a row of length 1 in a grid of width 2",
            ),
            (
                b"#\n{}\n",
                "list:2:1: a row of the grid or a blank line must come here",
            ),
            (
                b"\n{\"solution\": 5}",
                "list:2:14: a solution is a list of at most 4096 rows of '#' and '.'",
            ),
            (
                b"\n{\"solution\": [5]}",
                "list:2:15: a solution is a list of at most 4096 rows of '#' and '.'",
            ),
            (
                b"{\"solution\": [\"#\"",
                "list:1:17: the JSON ends in the middle of a value",
            ),
            (
                b"{}\n{,}",
                "list:2:2: this is not JSON: a key must be a text",
            ),
            (
                b"{\"solution\": []}",
                "list:1:1: a grid of 0 rows and 0 columns",
            ),
            (
                b"{\"solution\": [\"#\", \"?\"]}",
                "list:1:1: '?' in row 2: a cell is '#' or '.'",
            ),
            (
                b"#\n\n.\xff\n",
                "list:3:2: the byte 0xff is not UTF-8: save the file as UTF-8",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).last().map(String::as_str), Some(message));
        }
        assert_eq!(read(b"#\n\nx\n\n#\n").len(), 2, "nothing after an error");
    }

    #[test]
    fn memory_is_bounded() {
        let endless = std::io::BufReader::new(std::io::repeat(b'#'));
        let error = Solutions::new(endless, "list").next().unwrap().unwrap_err();
        assert!(
            error.message().starts_with("a line of more than"),
            "{error}"
        );
        assert!(error.place().unwrap().text.len() < 1000);
        let rows = "#\n".repeat(MAX_SIDE + 1);
        assert_eq!(
            read(rows.as_bytes()),
            ["list:4097:1: a grid has at most 4096 rows and columns"]
        );
        let rows = format!("{{\"solution\":[{}\"\"]}}", "\"\",".repeat(MAX_SIDE));
        assert!(read(rows.as_bytes())[0].contains("at most 4096 rows"));
        let widest = format!("{}\n", "#".repeat(MAX_SIDE)).repeat(2);
        assert!(read(widest.as_bytes())[0].starts_with("1 ##"));
    }
}
