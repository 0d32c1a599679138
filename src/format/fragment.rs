//! Slices of a text with their position, and the parsing that line-based formats share: clues, sizes, and sections in which a blank
//! line may be a clue.

use super::brief::{brief, plural};
use super::number::{block_too_long, number};
use super::place::offset;
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Line, MAX_SIDE, Puzzle};

/// What is said of puzzles in colour.
pub(super) const ONLY_BLACK_AND_WHITE: &str = "only black-and-white puzzles can be read so far";

/// A slice of one line, with its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment<'a> {
    /// Number of the line, from 1.
    pub(super) number: usize,
    line: &'a str,
    /// The slice itself.
    pub(super) text: &'a str,
}

impl<'a> Fragment<'a> {
    /// A whole line with its number, from 1.
    pub(super) fn line(number: usize, line: &'a str) -> Self {
        Fragment {
            number,
            line,
            text: line,
        }
    }

    /// All lines of a text.
    pub(super) fn lines(text: &'a str) -> impl Iterator<Item = Fragment<'a>> + Clone {
        text.lines()
            .zip(1..)
            .map(|(line, number)| Fragment::line(number, line))
    }

    /// The lines of a text that are not blank, without blanks around them.
    pub(super) fn nonblank_lines(text: &'a str) -> impl Iterator<Item = Fragment<'a>> + Clone {
        Fragment::lines(text)
            .filter(|line| !line.is_blank())
            .map(Fragment::trim)
    }

    /// Another slice of the same line.
    pub(super) fn at(self, text: &'a str) -> Self {
        Fragment { text, ..self }
    }

    /// The slice without blanks around it.
    pub(super) fn trim(self) -> Self {
        self.at(self.text.trim())
    }

    pub(super) fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }

    /// The slices between the `separator`s.
    pub(super) fn split(self, separator: char) -> impl Iterator<Item = Fragment<'a>> {
        self.text.split(separator).map(move |text| self.at(text))
    }

    /// The slices between blanks.
    pub(super) fn words(self) -> impl Iterator<Item = Fragment<'a>> {
        self.text.split_whitespace().map(move |text| self.at(text))
    }

    /// An error of invalid data at the beginning of this slice.
    pub(super) fn error(self, message: impl Into<String>) -> Error {
        self.locate(Error::data(message))
    }

    /// The error with the place of the beginning of this slice.
    pub(super) fn locate(self, error: Error) -> Error {
        let before = self.line.get(..offset(self.line, self.text));
        let column = before.unwrap_or_default().chars().count() + 1;
        error.at(self.number, column, self.line)
    }

    /// The clue in this slice: numbers separated by commas and blanks. A 0 anywhere is ignored, because some programs pad their clues
    /// with it.
    pub(super) fn clue(self) -> Result<Clue> {
        self.clue_between(|c| c == ',' || c.is_whitespace())
    }

    /// The clue in this slice, with these separators.
    pub(super) fn clue_between(self, separator: fn(char) -> bool) -> Result<Clue> {
        let mut lengths = Vec::new();
        let mut rest = self.text;
        loop {
            rest = rest.trim_start_matches(separator);
            let end = rest.find(|c: char| !c.is_ascii_digit());
            let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
            match (digits, after.chars().next()) {
                ("", None) => break,
                ("", Some('-')) => {
                    let message = "a minus sign in a clue: a block has at least one cell";
                    return Err(self.at(after).error(message));
                }
                ("", Some('?' | '*')) => return Err(self.at(after).blotted()),
                ("", Some(junk)) => {
                    if let Some(colour) = self.at(after).colour() {
                        return Err(self.at(after).coloured(colour));
                    }
                    let message = format!("{junk:?} in a clue: a clue is a list of numbers");
                    return Err(self.at(after).error(message));
                }
                (_, Some(colour)) if colour.is_ascii_alphabetic() => {
                    return Err(self.at(after).coloured(&after[..1]));
                }
                _ => {}
            }
            match number(digits) {
                Some(0) => {}
                Some(length) => lengths.push(length),
                None => return Err(self.at(digits).locate(block_too_long(digits))),
            }
            rest = after;
        }
        Clue::new(lengths).map_err(|error| self.locate(error))
    }

    /// The size in this slice, a single whole number; `name` is for errors.
    pub(super) fn size(self, name: &str) -> Result<usize> {
        let text = self.text;
        if text.is_empty() {
            return Err(self.error(format!("the {name} is not given")));
        }
        if let Some(junk) = text.find(|c: char| !c.is_ascii_digit()) {
            let message = format!("the {name} must be one whole number");
            return Err(self.at(&text[junk..]).error(message));
        }
        match number(text) {
            Some(size) if size > 0 => Ok(size),
            Some(_) => Err(self.error(format!(
                "the {name} is 0, but a puzzle has at least one cell"
            ))),
            None => Err(self.error(format!(
                "a {name} of {} is more than the {MAX_SIDE} that omnogram can hold",
                brief(text)
            ))),
        }
    }

    /// The name of a colour at the beginning of this slice, if the length of a block follows.
    pub(super) fn colour(self) -> Option<&'a str> {
        let rest = self
            .text
            .trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let name = &self.text[..self.text.len() - rest.len()];
        let length = rest.trim_start_matches(|c: char| c.is_whitespace() || ":=,".contains(c));
        let has_length = length.starts_with(|c: char| c.is_ascii_digit());
        (!name.is_empty() && has_length).then_some(name)
    }

    /// The error for a colour.
    pub(super) fn coloured(self, colour: &str) -> Error {
        self.error(format!(
            "{:?} is a colour: {ONLY_BLACK_AND_WHITE}",
            brief(colour)
        ))
    }

    /// The error for a block of unknown length.
    pub(super) fn blotted(self) -> Error {
        self.error("a block of unknown length: blotted clues cannot be read so far")
    }
}

/// The lines of a section that are its clues.
pub(super) struct Section<'a> {
    pub(super) clues: Vec<Fragment<'a>>,
    /// If some of the clues are blank lines: the error to report if a clue is probably missing instead.
    doubt: Option<Error>,
}

impl<'a> Section<'a> {
    /// The first `count` clues and the others, as two sections.
    pub(super) fn split(mut self, count: usize) -> [Self; 2] {
        let clues = self.clues.split_off(count);
        [self, Section { clues, doubt: None }]
    }
}

/// The `count` clues of the section `body`, which ends before the line `end`; `side` names their lines in errors.
///
/// If there are enough clues without blank lines, these are ignored. Otherwise each blank line between two clues is an empty clue, and
/// so are as many of those before the first and after the last clue as are still missing, provided that there is only one way to choose
/// them. [`puzzle_of_sections`] checks that such clues are plausible.
///
/// Of a body of any length, only about four lines per clue are kept in memory.
pub(super) fn section<'a>(
    body: impl Iterator<Item = Fragment<'a>>,
    count: usize,
    side: &str,
    end: Fragment<'a>,
) -> Result<Section<'a>> {
    let mut lines: Vec<Fragment<'a>> = Vec::new();
    let (mut written, mut leading, mut inner, mut trailing) = (0, 0, 0, 0);
    let mut surplus = None;
    for line in body {
        if !line.is_blank() {
            written += 1;
            if written > count {
                surplus.get_or_insert(line);
                continue;
            }
            inner += trailing;
            trailing = 0;
        } else if written == 0 {
            // More than `count` lines cannot all be clues.
            if leading == count {
                continue;
            }
            leading += 1;
        } else {
            // More than `count` between clues are an error, and no more than `count` are clues after the last one.
            if inner + trailing > 2 * count {
                continue;
            }
            trailing += 1;
        }
        lines.push(line);
    }
    if let Some(surplus) = surplus {
        let message = format!(
            "{} for {}: from here on there are too many",
            plural(written, "clue"),
            plural(count, side)
        );
        return Err(surplus.trim().error(message));
    }
    if written == count {
        lines.retain(|line| !line.is_blank());
        return Ok(Section {
            clues: lines,
            doubt: None,
        });
    }

    if written == 0 {
        (leading, trailing) = (0, leading);
    }
    let missing = count - written;
    if missing < inner || missing > inner + leading + trailing {
        return Err(too_few(written, count, side, end));
    }
    let outer = missing - inner;
    let (fewest, most) = (outer.saturating_sub(trailing), outer.min(leading));
    if fewest != most {
        return Err(unclear(count, side, lines[0]));
    }
    Ok(Section {
        clues: lines[leading - most..][..count].to_vec(),
        doubt: Some(too_few(written, count, side, end)),
    })
}

/// The error for a section that ends before it has `count` clues.
pub(super) fn too_few(written: usize, count: usize, side: &str, end: Fragment<'_>) -> Error {
    end.trim().error(format!(
        "only {} for {}",
        plural(written, "clue"),
        plural(count, side)
    ))
}

/// The error for a section with too few clues in which more than one choice of blank lines would complete them.
pub(super) fn unclear(count: usize, side: &str, at: Fragment<'_>) -> Error {
    at.error(format!(
        "too few clues for {}, and it is not clear which blank lines are empty clues: write 0 for an empty line",
        plural(count, side)
    ))
}

/// The puzzle with the clues of these sections. If blank lines are among them, rows and columns must have equally many filled cells:
/// otherwise a clue is probably missing, and a blank line has been taken for an empty clue instead.
pub(super) fn puzzle_of_sections<'a>(
    rows: Section<'a>,
    columns: Section<'a>,
    start: Fragment<'a>,
) -> Result<Puzzle> {
    let puzzle = puzzle(&rows.clues, &columns.clues, start, Fragment::clue)?;
    let (in_rows, in_columns) = puzzle.sums();
    match rows.doubt.or(columns.doubt) {
        Some(error) if in_rows != in_columns => Err(error),
        _ => Ok(puzzle),
    }
}

/// The puzzle with these clues, each of which must fit its line. Errors of the puzzle as a whole are reported at `start`.
pub(super) fn puzzle<'a>(
    rows: &[Fragment<'a>],
    columns: &[Fragment<'a>],
    start: Fragment<'a>,
    read: fn(Fragment<'a>) -> Result<Clue>,
) -> Result<Puzzle> {
    for (side, parts) in [("row", rows), ("column", columns)] {
        if parts.is_empty() {
            return Err(start.error(format!("this puzzle has no {side}s")));
        }
        if let Some(surplus) = parts.get(MAX_SIDE) {
            let message = format!(
                "{} are more than the {MAX_SIDE} that omnogram can hold",
                plural(parts.len(), side)
            );
            return Err(surplus.error(message));
        }
    }
    let mut clues = [Vec::new(), Vec::new()];
    for (side, parts, length) in [(0, rows, columns.len()), (1, columns, rows.len())] {
        for (i, part) in parts.iter().enumerate() {
            let line = [Line::Row, Line::Column][side](i);
            let clue = read(*part)?;
            clue.check_fit(line, length)
                .map_err(|error| part.trim().locate(error))?;
            clues[side].push(clue);
        }
    }
    let [rows, columns] = clues;
    Puzzle::new(rows, columns)
}
