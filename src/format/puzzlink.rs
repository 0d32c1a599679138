//! Addresses of nonograms at puzz.link and at other places that run pzpr: `https://puzz.link/p?nonogram/4/3/2g11112g2g114g`. The part from
//! `nonogram` on is enough.
//!
//! After the width and the height, the address fills the places for numbers beside the grid: those of each column, (height + 1) / 2, from
//! the grid outward, so that the last block comes first; then those of each row, (width + 1) / 2, likewise. A hexadecimal digit is a number,
//! `-` begins one of two digits and `+` one of three; a letter from `g` to `z` leaves 1 to 20 places empty.

use super::brief::brief;
use super::contents::{Contents, Parsed};
use super::fragment::{self, Fragment};
use super::number::is_number;
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Line, Puzzle};

/// The longest block that pzpr reads from an address.
const LONGEST: usize = 255;

/// The most empty places that one letter leaves.
const LONGEST_GAP: usize = 20;

/// What a number or letter of the address stands for.
enum Token {
    Number(usize),
    Gap(usize),
}

pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = Fragment::nonblank_lines(text);
    lines.next().is_some_and(|line| is_address(line.text))
}

/// Whether a word begins like an address of a puzzle of pzpr, whichever puzzle it is.
pub(super) fn is_address(word: &str) -> bool {
    parts(word).is_some()
}

/// The kind of puzzle that an address names, and what follows after the slash.
fn parts(address: &str) -> Option<(&str, &str)> {
    let schemes = ["https://", "http://"];
    let is_whole = schemes.iter().any(|scheme| address.starts_with(scheme));
    let mut query = match address.strip_prefix('?') {
        Some(query) => query,
        None if is_whole => &address[address.find('?')? + 1..],
        None => address,
    };
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    // Such as type=player&.
    while let Some((pair, rest)) = query.split_once('&')
        && let Some((name, value)) = pair.split_once('=')
        && is_word(name)
        && is_word(value)
    {
        query = rest;
    }
    let (kind, rest) = query.split_once('/')?;
    let kind = ["_edit", "_play"]
        .iter()
        .find_map(|mode| kind.strip_suffix(mode))
        .unwrap_or(kind);
    let mut sizes = rest.split('/');
    let has_sizes = sizes.next().is_some_and(is_number) && sizes.next().is_some_and(is_number);
    let is_known = if is_whole {
        is_word(kind)
    } else {
        kind == "nonogram"
    };
    (is_known && has_sizes).then_some((kind, rest))
}

/// Reads one address, or several, one per line.
pub(super) fn read(text: &str) -> Contents<'_> {
    let lines = Fragment::nonblank_lines(text);
    Contents {
        puzzles: Box::new(lines.map(puzzle)),
        numbered: false,
    }
}

fn puzzle(address: Fragment<'_>) -> Result<Parsed> {
    let Some((kind, rest)) = parts(address.text) else {
        let message =
            "this is not the address of a nonogram, such as https://puzz.link/p?nonogram/1/1/11";
        return Err(address.error(message));
    };
    if kind != "nonogram" {
        let message = format!(
            "this is the address of the puzzle {}, not of a nonogram",
            brief(kind)
        );
        return Err(address.at(kind).error(message));
    }
    let (width, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let (height, body) = rest.split_once('/').unwrap_or((rest, ""));
    let width = address.at(width).size("width")?;
    let height = address.at(height).size("height")?;
    let body = body.strip_suffix('/').unwrap_or(body);
    let (per_column, per_row) = (height.div_ceil(2), width.div_ceil(2));
    let in_columns = width * per_column;
    let total = in_columns + height * per_row;
    let line_at = |place: usize| match place.checked_sub(in_columns) {
        Some(place) => width + place / per_row,
        None => place / per_column,
    };
    // The numbers of each line, columns first.
    let mut spans = vec![address.at(&body[..0]); width + height];
    let (mut place, mut at) = (0, 0);
    while at < body.len() {
        let here = address.at(&body[at..]);
        let (token, length) = token(here)?;
        let places = match token {
            Token::Number(_) => 1,
            Token::Gap(places) => places,
        };
        if place + places > total {
            let message = format!("from here on there are too many numbers for {width}x{height}");
            return Err(here.error(message));
        }
        if let Token::Number(_) = token {
            let span = &mut spans[line_at(place)];
            let start = match span.text.len() {
                0 => at,
                // Spans are slices of the body.
                _ => span.text.as_ptr() as usize - body.as_ptr() as usize,
            };
            *span = address.at(&body[start..at + length]);
        }
        place += places;
        at += length;
    }
    let (columns, rows) = spans.split_at(width);
    let puzzle = fragment::puzzle(rows, columns, address, clue)?;
    let mut parsed = Parsed::from(puzzle);
    if place < total {
        let line = match line_at(place) {
            column if column < width => Line::Column(column),
            row => Line::Row(row - width),
        };
        parsed.warnings.push(format!(
            "the address ends early, in the numbers of {line}: is it cut off?"
        ));
    }
    Ok(parsed)
}

/// The first number or letter of this slice, and its length in bytes.
fn token(rest: Fragment<'_>) -> Result<(Token, usize)> {
    let first = rest.text.chars().next().unwrap_or_default();
    let digits = match first {
        '0'..='9' | 'a'..='f' => 0..1,
        '-' => 1..3,
        '+' => 1..4,
        'g'..='z' => return Ok((Token::Gap(first as usize - 'f' as usize), 1)),
        '.' => return Err(rest.blotted()),
        _ => {
            let message = format!(
                "{first:?} in an address: the numbers are hexadecimal, and letters from g to z leave places empty"
            );
            return Err(rest.error(message));
        }
    };
    let end = digits.end;
    let number = rest.text.get(digits).filter(|digits| {
        let mut bytes = digits.bytes();
        bytes.all(|b| b.is_ascii_hexdigit())
    });
    match number.and_then(|digits| usize::from_str_radix(digits, 16).ok()) {
        Some(number) => Ok((Token::Number(number), end)),
        None => Err(rest.error(format!(
            "after {first:?} there must be {} hexadecimal digits",
            end - 1
        ))),
    }
}

/// The clue whose numbers are in this slice, the last one first. A 0 is no block.
fn clue(mut part: Fragment<'_>) -> Result<Clue> {
    let whole = part;
    let mut lengths = Vec::new();
    while !part.text.is_empty() {
        let (token, length) = token(part)?;
        if let Token::Number(number) = token
            && number > 0
        {
            lengths.push(number);
        }
        part = part.at(&part.text[length..]);
    }
    lengths.reverse();
    Clue::new(lengths).map_err(|error| whole.locate(error))
}

/// The address at puzz.link.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let mut text = format!("https://puzz.link/p?nonogram/{width}/{height}/");
    let mut empty = 0;
    let sides = [(puzzle.columns(), height), (puzzle.rows(), width)];
    for (clues, length) in sides {
        for clue in clues {
            for block in clue.lengths().rev() {
                push_gap(&mut text, std::mem::take(&mut empty));
                text += &match block {
                    0..16 => format!("{block:x}"),
                    16..=LONGEST => format!("-{block:x}"),
                    _ => {
                        return Err(Error::data(format!(
                            "puzz.link reads no block of more than {LONGEST} cells from an address"
                        )));
                    }
                };
            }
            empty += length.div_ceil(2) - clue.blocks().len();
        }
    }
    push_gap(&mut text, empty);
    text.push('\n');
    Ok(text)
}

/// Appends the letters that leave this many places empty.
fn push_gap(text: &mut String, places: usize) {
    let letter = |places: usize| char::from(b'f' + places as u8);
    text.extend(std::iter::repeat_n('z', places / LONGEST_GAP));
    if !places.is_multiple_of(LONGEST_GAP) {
        text.push(letter(places % LONGEST_GAP));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all, assert_notch, assert_refused, clues, one};
    use super::*;

    const TEXT: &str = "https://puzz.link/p?nonogram/4/3/2g11112g2g114g\n";

    #[test]
    fn columns_come_first_and_numbers_from_the_grid_outward() {
        assert_notch(read, write, TEXT);
        // Two blocks of different lengths: 1 stands above 2, and 3 is left of 1.
        let puzzle = one(read("nonogram/5/4/21j1g1g13g3n"));
        assert_eq!(clues(&puzzle), "3 1/3/0/0 | 1 2/0/0/1/1");
        for start in [
            "https://puzz.link/p?nonogram/",
            "http://pzv.jp/p.html?nonogram/",
            "https://pzplus.tck.mn/p?type=player&nonogram/",
            "https://puzz.link/p?nonogram_edit/",
            "?nonogram/",
            "nonogram/",
        ] {
            let text = format!("{start}4/3/2g11112g2g114g/\n");
            assert!(looks_like(&text), "{text}");
            assert_eq!(clues(&one(read(&text))), super::super::tests::NOTCH);
        }
        for text in [
            "nonogram/a.non",
            "https://example.com/p",
            "sudoku/9/9/1",
            "",
        ] {
            assert!(!looks_like(text), "{text}");
        }
        assert_eq!(all(read(&TEXT.repeat(3))).len(), 3);
    }

    #[test]
    fn long_blocks_and_long_gaps() {
        for (block, number) in [(15, "f"), (16, "-10"), (255, "-ff")] {
            let puzzle = Puzzle::from_clues(&[vec![block]], &vec![vec![1]; block]).unwrap();
            let text = write(&puzzle).unwrap();
            assert!(
                text.contains(&format!("/{}{number}", "1".repeat(block))),
                "{text}"
            );
            assert_eq!(one(read(&text)), puzzle);
        }
        for cells in 1..90 {
            let puzzle = Puzzle::from_clues(&[vec![]], &vec![vec![]; cells]).unwrap();
            assert_eq!(one(read(&write(&puzzle).unwrap())), puzzle);
        }
        let long = Puzzle::from_clues(&[vec![256]], &vec![vec![1]; 256]).unwrap();
        assert!(write(&long).unwrap_err().to_string().contains("255"));
        let text = format!("nonogram/256/1/{}+100{}", "1".repeat(256), "zzzzzzm");
        assert_eq!(one(read(&text)), long);
    }

    #[test]
    fn errors_have_a_place() {
        let cases = [
            (
                "nonogram/1/1/1!",
                "1:15: '!' in an address: the numbers are hexadecimal, and letters from g to z leave places empty",
            ),
            (
                "nonogram/1/1/111",
                "1:16: from here on there are too many numbers for 1x1",
            ),
            (
                "nonogram/1/1/1z",
                "1:15: from here on there are too many numbers for 1x1",
            ),
            (
                "nonogram/1/1/-1",
                "1:14: after '-' there must be 2 hexadecimal digits",
            ),
            (
                "nonogram/1/1/12",
                "1:15: the clue 2 of row 1 needs 2 cells, but the line has 1",
            ),
            (
                "nonogram/1/1/.1",
                "1:14: a block of unknown length: blotted clues cannot be read so far",
            ),
            (
                "nonogram/0/1/1",
                "1:10: the width is 0, but a puzzle has at least one cell",
            ),
            (
                "https://puzz.link/p?sudoku/9/9/1",
                "1:21: this is the address of the puzzle sudoku, not of a nonogram",
            ),
        ];
        assert_refused(read, &cases);
    }

    #[test]
    fn an_address_that_is_cut_off_is_told() {
        let mut contents = read("nonogram/4/3/2g11112g2g1");
        let parsed = contents.puzzles.next().unwrap().unwrap();
        let warning = "the address ends early, in the numbers of row 2: is it cut off?";
        assert_eq!(parsed.warnings, [warning]);
    }
}
