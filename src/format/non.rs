//! The `.non` format: Steve Simpson's, with the extensions of Jan Wolter's pbnsolve (`goal`, `saved`, blank lines for empty clues), of
//! nonogram-db (`license`, `====` between the puzzles of a pack), and our own `given`: cells that are given from the start, written as those
//! of `saved`, with `?` for an unknown one.
//!
//! A file is a list of keyword lines, which begin with a letter; the lines up to the next keyword line belong to it. So the order of
//! keywords does not matter, and unknown ones are skipped.
//!
//! A blank line in a clue section is ignored by Simpson, and is an empty clue for the other two. If there are enough clues without blank
//! lines, these are ignored. Otherwise each blank line between two clues is an empty clue, and so are as many of those before the first
//! and after the last clue as are still missing, provided that there is only one way to choose them and that rows and columns then have
//! equally many filled cells. Anything else is an error, never a guess.

use super::brief::plural;
use super::contents::Contents;
use super::fragment::{self, Fragment, ONLY_BLACK_AND_WHITE, section};
use super::number::numbers;
use super::properties::properties;
use super::side::Side;
use crate::error::{Error, Result};
use crate::puzzle::{Grid, Notes, Position, Puzzle};

/// Whether a line begins with one of the keywords that every `.non` file has.
pub(super) fn looks_like(text: &str) -> bool {
    Fragment::lines(text).any(|line| {
        let (word, _) = word_and_value(line);
        ["width", "height", "rows", "columns"]
            .iter()
            .any(|known| word.text.eq_ignore_ascii_case(known))
    })
}

/// Reads a puzzle or a pack of them.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut lines = Fragment::lines(text).peekable();
    if !lines.clone().any(is_separator) {
        return puzzle(&lines.collect::<Vec<_>>()).into();
    }
    let puzzles = std::iter::from_fn(move || {
        lines.peek()?;
        let lines = lines.by_ref().take_while(|line| !is_separator(*line));
        Some(lines.collect::<Vec<_>>())
    });
    Contents::pack(
        puzzles
            .filter(|lines| !lines.iter().all(|line| line.is_blank()))
            .map(|lines| puzzle(&lines)),
    )
}

/// Whether a line separates two puzzles of a pack.
fn is_separator(line: Fragment<'_>) -> bool {
    let text = line.text.trim();
    text.len() >= 4 && text.bytes().all(|b| b == b'=')
}

fn is_keyword(line: &Fragment<'_>) -> bool {
    line.text.trim_start().starts_with(char::is_alphabetic)
}

/// The first word of a line and the text after it, both without blanks around them.
fn word_and_value(line: Fragment<'_>) -> (Fragment<'_>, Fragment<'_>) {
    let text = line.text.trim();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (line.at(&text[..end]), line.at(text[end..].trim_start()))
}

/// A value that may be given only once, with the line of its keyword.
type Once<'a, T> = Option<(Fragment<'a>, T)>;

/// The lines below a keyword, and the line before which they end, or the last line of the puzzle.
type Body<'l, 'a> = (&'l [Fragment<'a>], Fragment<'a>);

/// The puzzle in these lines. What is missing is reported at the first that is not blank.
fn puzzle(lines: &[Fragment<'_>]) -> Result<Puzzle> {
    let Some(start) = lines.iter().find(|line| !line.is_blank()) else {
        return Err(Error::data("the file is empty"));
    };
    let (mut width, mut height): (Once<'_, usize>, Once<'_, usize>) = (None, None);
    let (mut rows, mut columns): (Once<'_, Body<'_, '_>>, Once<'_, Body<'_, '_>>) = (None, None);
    let (mut goal, mut given, mut saved) = (None, None, Vec::new());
    let mut notes = Notes::default();
    // The first sign of colours: a palette, or a clue that begins with a colour, so that it looks like a keyword line.
    let mut coloured = None;
    let mut is_after_clues = false;

    let mut next = lines.iter().position(is_keyword).unwrap_or(lines.len());
    for section in lines[next..].chunk_by(|_, line| !is_keyword(line)) {
        next += section.len();
        let (line, lines_below) = (section[0], &section[1..]);
        let body = (lines_below, lines[next.min(lines.len() - 1)]);
        let (word, value) = word_and_value(line);
        match word.text.to_ascii_lowercase().as_str() {
            // With a number the keyword is a size, without one it opens a section.
            "rows" if value.text.is_empty() => set_once(&mut rows, line, body, "rows section")?,
            "columns" if value.text.is_empty() => {
                set_once(&mut columns, line, body, "columns section")?
            }
            "height" | "rows" => {
                set_once(&mut height, line, size(word, value, "height")?, "height")?
            }
            "width" | "columns" => {
                set_once(&mut width, line, size(word, value, "width")?, "width")?
            }
            "goal" => goal = goal.or(Some((word, value, lines_below))),
            "given" => set_once(
                &mut given,
                line,
                (word, value, lines_below),
                "list of given cells",
            )?,
            "saved" => saved.push((word, value, lines_below)),
            "title" => note(&mut notes.title, value.text),
            "by" => note(&mut notes.author, value.text),
            "copyright" => note(&mut notes.copyright, value.text),
            "license" => note(&mut notes.license, value.text),
            "catalogue" => note(&mut notes.catalogue, value.text),
            "color" | "colour" => {
                coloured.get_or_insert_with(|| {
                    line.trim()
                        .error(format!("a puzzle in colours: {ONLY_BLACK_AND_WHITE}"))
                });
            }
            _ => match line.trim().colour() {
                Some(colour) if is_after_clues => {
                    coloured.get_or_insert_with(|| line.trim().coloured(colour));
                    continue;
                }
                _ => {}
            },
        }
        is_after_clues = value.text.is_empty() && Side::named(word.text).is_some();
    }

    let missing = |what: &str| start.trim().error(format!("this puzzle has no {what}"));
    let (_, width) = width.ok_or_else(|| missing("width"))?;
    let (_, height) = height.ok_or_else(|| missing("height"))?;
    let (_, (rows, rows_end)) = rows.ok_or_else(|| missing("rows section"))?;
    let (_, (columns, columns_end)) = columns.ok_or_else(|| missing("columns section"))?;
    let sections = || {
        fragment::puzzle_of_sections(
            section(rows.iter().copied(), height, "row", rows_end)?,
            section(columns.iter().copied(), width, "column", columns_end)?,
            start.trim(),
        )
    };
    // A palette may be there in black and white too.
    let puzzle = sections().map_err(|error| coloured.unwrap_or(error))?;
    let size = (width, height);
    if let Some(drawing) = goal {
        let cells = cells(drawing, false, size)?;
        let mut goal = Grid::new(width, height);
        for (i, filled) in cells.into_iter().enumerate() {
            goal.set(i / width, i % width, filled == Some(true));
        }
        notes.goal = Some(goal);
    }
    for drawing in saved {
        notes.saved.push(position(drawing, size)?);
    }
    let puzzle = puzzle.with_notes(notes)?;
    match given {
        Some((_, drawing)) => puzzle.with_given(position(drawing, size)?),
        None => Ok(puzzle),
    }
}

/// Sets a value, which must not be given yet, or fails.
fn set_once<'a, T>(slot: &mut Once<'a, T>, line: Fragment<'a>, value: T, name: &str) -> Result<()> {
    if let Some((before, _)) = slot {
        let message = format!("a second {name}: the first is in line {}", before.number);
        return Err(line.trim().error(message));
    }
    *slot = Some((line, value));
    Ok(())
}

/// The number in a width or height line.
fn size(word: Fragment<'_>, value: Fragment<'_>, name: &str) -> Result<usize> {
    if value.text.is_empty() {
        return Err(word.error(format!("the {name} is not given")));
    }
    value.size(name)
}

/// A drawing of cells: its keyword, the value after that, and the lines below, in which it may go on.
type Drawing<'l, 'a> = (Fragment<'a>, Fragment<'a>, &'l [Fragment<'a>]);

/// The position that is drawn.
fn position(drawing: Drawing<'_, '_>, (width, height): (usize, usize)) -> Result<Position> {
    let mut position = Position::unknown(width, height);
    for (i, cell) in cells(drawing, true, (width, height))?
        .into_iter()
        .enumerate()
    {
        position.set(i / width, i % width, cell);
    }
    Ok(position)
}

/// The cells of a drawing, row by row: `1` is filled, `0` is empty, and `?`, where it `may_be_unknown`, is unknown.
fn cells(
    (word, value, lines): Drawing<'_, '_>,
    may_be_unknown: bool,
    (width, height): (usize, usize),
) -> Result<Vec<Option<bool>>> {
    let name = match word.text.to_ascii_lowercase().as_str() {
        "given" => "grid of given cells",
        "saved" => "saved grid",
        _ => "goal",
    };
    let mut cells = Vec::new();
    for line in std::iter::once(&value).chain(lines) {
        for (i, c) in line.text.char_indices() {
            match c {
                '0' => cells.push(Some(false)),
                '1' => cells.push(Some(true)),
                '?' if may_be_unknown => cells.push(None),
                c if c.is_alphabetic() => {
                    let colour = &line.text[i..i + c.len_utf8()];
                    return Err(line.at(&line.text[i..]).coloured(colour));
                }
                c if c.is_numeric() => {
                    let kinds = if may_be_unknown {
                        "0, 1 or ?"
                    } else {
                        "0 or 1"
                    };
                    let message = format!("{c:?} in the {name}: a cell is {kinds}");
                    return Err(line.at(&line.text[i..]).error(message));
                }
                // Quotes and other characters that structure the picture are skipped.
                _ => {}
            }
        }
    }
    if cells.len() != width * height {
        let place = if value.text.is_empty() { word } else { value };
        return Err(place.error(format!(
            "the {name} has {}, but a {width}x{height} puzzle has {}",
            plural(cells.len(), "cell"),
            width * height
        )));
    }
    Ok(cells)
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

/// The puzzle as `.non` text, in the form that all programs read: an empty clue as `0`, the goal in one line. It reads back as the same
/// puzzle.
pub fn write(puzzle: &Puzzle) -> String {
    let notes = puzzle.notes();
    let mut text = String::new();
    let words = ["catalogue", "title", "by", "copyright", "license"];
    for (word, value) in properties(notes, words) {
        // A licence code is written without quotes.
        let code = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
        if word == "license" && !value.is_empty() && value.bytes().all(code) {
            text += &format!("{word} {value}\n");
        } else {
            text += &format!("{word} \"{}\"\n", escape(value));
        }
    }
    text += &format!("width {}\nheight {}\n", puzzle.width(), puzzle.height());
    for (word, clues) in [("rows", puzzle.rows()), ("columns", puzzle.columns())] {
        text += &format!("\n{word}\n");
        numbers(&mut text, clues, ",", "0");
    }
    if let Some(goal) = &notes.goal {
        let cells = goal.to_string().replace('\n', "");
        let digits = cells.replace('#', "1").replace('.', "0");
        text += &format!("\ngoal \"{digits}\"\n");
    }
    let saved = notes.saved.iter().map(|saved| ("saved", saved));
    for (word, position) in puzzle
        .given()
        .map(|given| ("given", given))
        .into_iter()
        .chain(saved)
    {
        let cells = position.to_string().replace('\n', "");
        let digits = cells.replace('#', "1").replace('.', "0");
        text += &format!("\n{word} \"{digits}\"\n");
    }
    text
}

/// Escapes quotes and line breaks by character references, which the reader decodes.
fn escape(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
}

#[cfg(test)]
mod tests;
