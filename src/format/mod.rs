//! Files in and out: [`FORMATS`] lists what can be read and written. [`read`] detects the format of a file, mostly from its content, and
//! returns its puzzles; [`Format::write`] writes a file; [`Solutions`] reads back the grids of a solution list.
//!
//! For any bytes the result is a puzzle, or an error that says what is wrong and where. Time and memory are proportional to the size of
//! the file, or to the pixels of an image, whose number is bounded. A new format is a new file here and a row in the table.
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
mod characters;
mod clues;
mod contents;
mod cwd;
mod detect;
mod encoding;
mod enlarged;
mod foreign;
mod fragment;
mod g;
mod gno;
mod grey;
#[cfg(feature = "images")]
mod image;
#[cfg(not(feature = "images"))]
#[path = "no_image.rs"]
mod image;
pub mod json;
mod margin;
mod mk;
mod nin;
pub mod non;
mod number;
mod pattern;
mod picross;
mod picture;
mod place;
mod pnm;
mod properties;
mod puzzlink;
mod pynogram;
mod rosetta;
mod side;
mod solutions;
mod table;
mod text;
mod threshold;
mod tournament;
mod webpbn;

use std::borrow::Cow;
use std::str::FromStr;

pub(crate) use brief::plural;
pub use picture::TraceOptions;
pub use solutions::Solutions;
pub use table::{FORMATS, Format, GIVEN_CELLS, Pack};
pub use threshold::Threshold;

unstable! {
    use picture::Picture;
}

use crate::error::{Error, Result};
use crate::puzzle::Puzzle;
use contents::{Contents, Parsed, puzzle_of_picture};
use encoding::Decoded;
use table::Codec;

/// One puzzle of a file, or the error in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name of the file as given; in a pack with the puzzle's number, `file#1`, `file#2` and so on.
    pub name: String,
    /// The puzzle, or an error that contains `name` and usually a place in the file.
    pub puzzle: Result<Puzzle>,
    /// What the reader had to guess or to leave out, each in a sentence.
    pub warnings: Vec<String>,
}

impl Entry {
    /// An entry with this name, without warnings.
    pub fn new(name: impl Into<String>, puzzle: Result<Puzzle>) -> Self {
        Entry {
            name: name.into(),
            puzzle,
            warnings: Vec::new(),
        }
    }
}

/// Options for reading files. Each is set by the method with its name.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
#[must_use]
pub struct ReadOptions {
    /// The format of the files; detected from their content if not given.
    pub format: Option<&'static Format>,
    /// How pictures become puzzles.
    pub tracing: TraceOptions,
    /// The character of the filled cells of drawings as text; told from the characters if not given.
    pub filled: Option<char>,
}

/// Limits after which the rest of a pack is not read: the number of invalid puzzles, and the bytes of text that their errors quote, since
/// each may quote the same long line.
const MAX_INVALID: usize = 1000;
const MAX_QUOTED_BYTES: usize = 1 << 25;

/// The puzzles of a file: one, or all of a pack, or one error; never an empty list.
///
/// An invalid puzzle does not affect the others of its pack. After a thousand invalid ones, a last error says so and the rest is not read.
pub fn read(bytes: &[u8], file: &str) -> Vec<Entry> {
    ReadOptions::default().entries(bytes, file).collect()
}

/// The format of a file, from its content and, where that does not tell, from the ending of its name.
///
/// ```
/// let format = omnogram::format::detect(b"4x3:2/1.1/1.1/2/2/1.1/4", "notch").unwrap();
/// assert_eq!(format.name, "pattern");
/// ```
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data) if it is none that can be read.
pub fn detect(bytes: &[u8], file: &str) -> Result<&'static Format> {
    detect::format(bytes, &encoding::decode(bytes), file)
}

/// The format of a word that is a puzzle itself, so that it needs no file: a game ID, or an address of pzpr. It is judged by how the word
/// begins, so that errors in it are left to the reader.
///
/// ```
/// let format = omnogram::format::of_word("https://puzz.link/p?nonogram/1/1/11").unwrap();
/// assert_eq!(format.name, "puzzlink");
/// assert!(omnogram::format::of_word("heart.non").is_none());
/// ```
pub fn of_word(word: &str) -> Option<&'static Format> {
    let name = if pattern::is_id(word) {
        "pattern"
    } else if puzzlink::is_address(word) {
        "puzzlink"
    } else {
        return None;
    };
    Format::named(name)
}

/// The text of a file, in whatever encoding.
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data) if it is not in the encoding that it declares, or no text by its first bytes.
#[cfg(feature = "unstable")]
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>> {
    encoding::decode(bytes).map(|decoded| decoded.text)
}

/// The one puzzle of a file.
///
/// # Errors
///
/// [`Kind::Data`](crate::error::Kind::Data) if the file has another number of puzzles, or the puzzle is invalid.
pub fn read_one(bytes: &[u8], file: &str) -> Result<Puzzle> {
    let mut entries = read(bytes, file);
    match entries.len() {
        1 => entries.swap_remove(0).puzzle,
        number => {
            let message = format!("expected one puzzle, found {number}");
            Err(Error::data(message).in_file(file))
        }
    }
}

/// The one puzzle in a text of any format.
///
/// ```
/// let puzzle: omnogram::Puzzle = r#"{"rows": [[1], [1]], "columns": [[1], [1]]}"#.parse()?;
/// assert_eq!(puzzle.width(), 2);
/// # Ok::<(), omnogram::Error>(())
/// ```
impl FromStr for Puzzle {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        read_one(text.as_bytes(), "<text>")
    }
}

impl ReadOptions {
    /// Sets the format of the files.
    pub fn format(mut self, format: impl Into<Option<&'static Format>>) -> Self {
        self.format = format.into();
        self
    }

    /// Sets how pictures become puzzles.
    pub fn tracing(mut self, tracing: TraceOptions) -> Self {
        self.tracing = tracing;
        self
    }

    /// Sets the character of the filled cells of drawings as text.
    pub fn filled(mut self, filled: impl Into<Option<char>>) -> Self {
        self.filled = filled.into();
        self
    }

    /// The puzzles of a file, as [`read`] gives them, one at a time.
    pub fn entries<'a>(
        &self,
        bytes: &'a [u8],
        file: &'a str,
    ) -> Box<dyn Iterator<Item = Entry> + 'a> {
        let decoded = encoding::decode(bytes);
        let format = self.format_of(bytes, &decoded, file);
        let text = match decoded {
            Ok(Decoded {
                text: Cow::Borrowed(text),
                ..
            }) => Ok(text),
            Err(error) => Err(error),
            // The text lives as long as this call, so that all is read at once.
            Ok(Decoded {
                text: Cow::Owned(text),
                guessed,
            }) => {
                let contents = format.and_then(|format| self.contents(format, bytes, Ok(&text)));
                let mut entries: Vec<_> = entries_of(contents, file).collect();
                let line = guessed.as_ref().and_then(|error| Some(error.place()?.line));
                let first = entries.iter_mut().find(|entry| entry.puzzle.is_ok());
                if let (Some(line), Some(first)) = (line, first) {
                    first.warnings.push(format!(
                        "from line {line} on, bytes that are not UTF-8 were read as Latin-1"
                    ));
                }
                return Box::new(entries.into_iter());
            }
        };
        let contents = format.and_then(|format| self.contents(format, bytes, text));
        Box::new(entries_of(contents, file))
    }

    /// The picture of a file, so that it can be traced in several ways: that of an image, which may be too large to be traced without a
    /// size if these options give one, or else the goal of the first puzzle.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the file is neither an image nor a puzzle with a goal.
    #[cfg(feature = "unstable")]
    pub fn picture(&self, bytes: &[u8], file: &str) -> Result<Picture> {
        if let Ok(format) = self.format_of(bytes, &encoding::decode(bytes), file)
            && let Codec::Picture(picture) = format.codec
        {
            return picture
                .read(bytes, &self.tracing)
                .map(Picture::from_grey)
                .map_err(|error| error.in_file(file));
        }
        let entry = self.entries(bytes, file).next();
        let puzzle = entry.expect("there is at least one entry").puzzle?;
        match &puzzle.notes().goal {
            Some(goal) => Ok(Picture::from_goal(goal.clone())),
            None => {
                Err(Error::data("this is neither an image nor a puzzle with a goal").in_file(file))
            }
        }
    }

    fn format_of(
        &self,
        bytes: &[u8],
        decoded: &Result<Decoded<'_>>,
        file: &str,
    ) -> Result<&'static Format> {
        match self.format {
            Some(format) => Ok(format),
            // Who names a character means a drawing.
            None if self.filled.is_some() && decoded.is_ok() => {
                Ok(Format::named("text").expect("there are drawings"))
            }
            None => detect::format(bytes, decoded, file),
        }
    }

    fn contents<'a>(
        &self,
        format: &Format,
        bytes: &[u8],
        text: Result<&'a str>,
    ) -> Result<Contents<'a>> {
        match format.codec {
            Codec::One(_, read, _) => Ok(read(text?).into()),
            Codec::Several(_, read, _) => Ok(read(text?)),
            Codec::Drawings(_, read, _) => Ok(read(text?, self.filled)),
            Codec::Picture(kind) => {
                let picture = kind.read(bytes, &self.tracing)?;
                let (picture, warnings) = picture::trace(&picture, &self.tracing);
                let puzzle = puzzle_of_picture(picture);
                Ok(puzzle.map(|puzzle| Parsed { puzzle, warnings }).into())
            }
        }
    }
}

/// The puzzles of a file as entries, with their names.
fn entries_of<'a>(
    contents: Result<Contents<'a>>,
    file: &'a str,
) -> impl Iterator<Item = Entry> + 'a {
    let mut contents = contents.unwrap_or_else(|error| Contents::from(Err::<Puzzle, _>(error)));
    let mut first_two: Vec<_> = contents
        .puzzles
        .by_ref()
        .take(if contents.numbered { 1 } else { 2 })
        .collect();
    let numbered = first_two.len() > usize::from(!contents.numbered);
    if first_two.is_empty() {
        first_two.push(Err(Error::data("there is no puzzle in this file")));
    }
    let (mut bad, mut quoted, mut ended) = (0, 0, false);
    let puzzles = first_two.into_iter().chain(contents.puzzles);
    puzzles.zip(1..).map_while(move |(mut puzzle, number)| {
        if ended {
            return None;
        }
        let mut name = file.to_owned();
        ended = bad == MAX_INVALID || quoted > MAX_QUOTED_BYTES;
        if ended {
            puzzle = Err(Error::data(format!(
                "{bad} puzzles of this file are bad; the rest of the file was not read"
            )));
        } else if numbered {
            name = format!("{name}#{number}");
        }
        if let Err(error) = &puzzle {
            bad += 1;
            quoted += error.place().map_or(0, |place| place.text.len());
        }
        let (puzzle, warnings) = match puzzle {
            Ok(found) => (Ok(found.puzzle), found.warnings),
            Err(error) => (Err(error.in_file(&name)), Vec::new()),
        };
        Some(Entry {
            name,
            puzzle,
            warnings,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Clue;

    /// The clues of the puzzle that most tests write in their format.
    pub(super) const NOTCH: &str = "2/1 1/4 | 2/1 1/1 1/2";

    /// Rows and columns with `/` between clues.
    pub(super) fn clues(puzzle: &Puzzle) -> String {
        let join = |clues: &[Clue]| {
            let clues: Vec<String> = clues.iter().map(Clue::to_string).collect();
            clues.join("/")
        };
        format!("{} | {}", join(puzzle.rows()), join(puzzle.columns()))
    }

    /// All puzzles that a reader found.
    pub(super) fn all<'a>(contents: impl Into<Contents<'a>>) -> Vec<Result<Puzzle>> {
        let puzzles = contents.into().puzzles;
        puzzles
            .map(|found| found.map(|found| found.puzzle))
            .collect()
    }

    /// The one puzzle of a file that is no pack, or its error.
    fn single<'a>(contents: impl Into<Contents<'a>>) -> Result<Puzzle> {
        let contents = contents.into();
        assert!(!contents.numbered, "a pack");
        let mut found = all(contents);
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    /// The one puzzle that a reader found.
    pub(super) fn one<'a>(contents: impl Into<Contents<'a>>) -> Puzzle {
        single(contents).unwrap()
    }

    /// The error of the one puzzle that a reader found.
    pub(super) fn failure<'a>(contents: impl Into<Contents<'a>>) -> String {
        single(contents).unwrap_err().to_string()
    }

    /// A reader refuses each of these texts, with this error.
    pub(super) fn assert_refused<'a, C: Into<Contents<'a>>>(
        read: impl Fn(&'a str) -> C,
        cases: &[(&'a str, &str)],
    ) {
        for &(text, message) in cases {
            assert_eq!(failure(read(text)), message, "{text:?}");
        }
    }

    /// A text is read as [`NOTCH`], and written again to the letter.
    pub(super) fn assert_notch<'a, C: Into<Contents<'a>>>(
        read: impl Fn(&'a str) -> C,
        write: impl Fn(&Puzzle) -> Result<String>,
        text: &'a str,
    ) {
        let puzzle = one(read(text));
        assert_eq!(clues(&puzzle), NOTCH);
        assert_eq!(write(&puzzle).unwrap(), text);
    }

    /// The puzzles of a pack, or their errors.
    pub(super) fn of_pack(contents: Contents<'_>) -> Vec<std::result::Result<Puzzle, String>> {
        assert!(contents.numbered, "not a pack");
        let puzzles = contents.puzzles;
        puzzles
            .map(|found| {
                found
                    .map(|found| found.puzzle)
                    .map_err(|error| error.to_string())
            })
            .collect()
    }

    /// Of 7,652 files of a public collection 83 were refused for a letter in a title.
    #[test]
    fn a_text_that_is_not_utf_8_is_read_with_a_warning() {
        let non = b"title \"Caf\xe9\"\nwidth 1\nheight 1\nrows\n1\ncolumns\n1\n";
        let entries = read(non, "x");
        let puzzle = entries[0].puzzle.as_ref().unwrap();
        assert_eq!(puzzle.notes().title.as_deref(), Some("Café"));
        let warning = "from line 1 on, bytes that are not UTF-8 were read as Latin-1";
        assert_eq!(entries[0].warnings, [warning]);
        let pack = [&non[..], b"====\n", non].concat();
        let warned: Vec<_> = read(&pack, "x")
            .iter()
            .map(|entry| entry.warnings.len())
            .collect();
        assert_eq!(warned, [1, 0], "once for a file");
        let utf_16: Vec<u8> = "\u{feff}1x1:1/1"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let entries = read(&utf_16, "x");
        assert_eq!(
            (
                clues(entries[0].puzzle.as_ref().unwrap()).as_str(),
                entries[0].warnings.len()
            ),
            ("1 | 1", 0)
        );
        let message = |bytes: &[u8]| read(bytes, "x")[0].puzzle.as_ref().unwrap_err().to_string();
        assert_eq!(
            message(b"\x80\x81\x82"),
            "x:1:1: the byte 0x80 is not UTF-8: save the file as UTF-8"
        );
        assert_eq!(
            message(b"width 1\nheight 1\nrows\n1\xb9\ncolumns\n1\n"),
            "x:4:2: '\u{b9}' in a clue: a clue is a list of numbers"
        );
    }

    #[test]
    fn reading_stops_after_too_many_invalid_puzzles() {
        let entries = read("{},".repeat(2000).as_bytes(), "x");
        assert_eq!(entries.len(), 1, "not valid JSON");
        let pack = format!("[{}{{}}]", "{},\n".repeat(2000));
        let entries = read(pack.as_bytes(), "x.json");
        assert_eq!(entries.len(), MAX_INVALID + 1);
        assert_eq!(
            entries[MAX_INVALID]
                .puzzle
                .as_ref()
                .unwrap_err()
                .to_string(),
            "x.json: 1000 puzzles of this file are bad; the rest of the file was not read"
        );
    }

    #[test]
    fn reading_stops_after_too_many_quoted_bytes() {
        let pack = format!("[{}{{}}]", "{},".repeat(333_000));
        let entries = read(pack.as_bytes(), "x.json");
        let quoted: usize = entries
            .iter()
            .filter_map(|entry| Some(entry.puzzle.as_ref().err()?.place()?.text.len()))
            .sum();
        assert!(quoted < MAX_QUOTED_BYTES + pack.len() + 1, "{quoted}");
    }

    /// The lines before each error of a pack were once counted from the beginning of the file: seconds for a file of a megabyte.
    #[test]
    fn errors_of_a_pack_are_placed_in_linear_time() {
        let lines = "\n".repeat(1_000_000);
        let json = |errors: usize| format!("[{lines}{}{{}}]", "{},".repeat(errors - 1));
        let xml = |errors: usize| {
            format!(
                "<puzzleset>{lines}{}</puzzleset>",
                "<puzzle/>".repeat(errors)
            )
        };
        let seconds = |text: String, errors: usize| {
            let began = std::time::Instant::now();
            let entries = read(text.as_bytes(), "x");
            let last = entries[errors - 1].puzzle.as_ref().unwrap_err();
            assert_eq!(last.place().unwrap().line, 1_000_001);
            began.elapsed().as_secs_f64()
        };
        for text in [&json as &dyn Fn(usize) -> String, &xml] {
            let (one, many) = (seconds(text(1), 1), seconds(text(1000), 1000));
            // In quadratic time it is hundreds of times as long.
            assert!(many < 20.0 * one, "{many} s, and {one} s for one error");
        }
    }
}
