//! The game ID of Pattern in Simon Tatham's puzzle collection: `4x3:2/1.1/1.1/2/2/1.1/4`, the clues of the columns, then those of the
//! rows; the clue of an empty line is empty. Cells given from the start may follow after a comma: each letter skips cells, row by row, none
//! for `a`, 24 for `y`, and gives the next cell, as filled by a capital letter and as empty by a small one; `z` skips 25 and gives none.
//!
//! A saved game has the same in two of its lines: the sizes under `PARAMS`, the clues under `DESC`. The moves are not read.

use super::brief::{brief, plural};
use super::contents::Contents;
use super::fragment::{self, Fragment};
use super::number::{is_number, numbers};
use crate::error::Result;
use crate::puzzle::{Position, Puzzle};

/// Whether the first line is that of a saved game, or begins with two sizes or one, followed by a colon or by the number sign of a random
/// seed.
pub(super) fn looks_like(text: &str) -> bool {
    Fragment::nonblank_lines(text)
        .next()
        .is_some_and(|line| is_id(line.text) || is_saved_game(line.text))
}

/// Whether a line is the first one of a saved game of Simon Tatham's collection.
fn is_saved_game(line: &str) -> bool {
    line.starts_with("SAVEFILE:")
}

/// Whether a word begins like a game ID.
pub(super) fn is_id(word: &str) -> bool {
    let sizes = word.split([':', '#']).next().unwrap_or_default();
    sizes.len() < word.len() && sizes.splitn(2, 'x').all(is_number)
}

/// Reads one ID, or several, one per line; or a saved game.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut lines = Fragment::nonblank_lines(text).peekable();
    if let Some(first) = lines.peek().copied()
        && is_saved_game(first.text)
    {
        return saved_game(first, lines).into();
    }
    Contents::several(move || lines.next().map(puzzle))
}

fn puzzle(id: Fragment<'_>) -> Result<Puzzle> {
    if !is_id(id.text) {
        return Err(id.error("this is not a game ID: it begins with the sizes, such as 10x15:"));
    }
    let end = id.text.find([':', '#']).unwrap_or_default();
    let (sizes, rest) = id.text.split_at(end);
    if rest.starts_with('#') {
        let message = "this is a random seed, from which only Pattern can make the puzzle: copy the specific game ID instead";
        return Err(id.at(rest).error(message));
    }
    described(id, id.at(sizes), id.at(&rest[1..]))
}

/// The puzzle of a saved game, whose lines have a key, a colon, the length of the value, a colon, and the value.
fn saved_game<'a>(
    first: Fragment<'a>,
    lines: impl Iterator<Item = Fragment<'a>>,
) -> Result<Puzzle> {
    let (mut game, mut sizes, mut description) = (None, None, None);
    for line in lines {
        let mut fields = line.text.splitn(3, ':');
        let key = fields.next().unwrap_or_default().trim_end();
        let value = fields.nth(1).map(|value| line.at(value));
        match key {
            "GAME" => game = game.or(value),
            "PARAMS" => sizes = sizes.or(value),
            "DESC" => description = description.or(value),
            _ => {}
        }
    }
    if let Some(game) = game.filter(|game| game.text != "Pattern") {
        let message = format!(
            "this is a saved game of {}, not of Pattern",
            brief(game.text)
        );
        return Err(game.error(message));
    }
    let missing = |key: &str| first.error(format!("this saved game has no line {key}"));
    let sizes = sizes.ok_or_else(|| missing("PARAMS"))?;
    described(first, sizes, description.ok_or_else(|| missing("DESC"))?)
}

/// The puzzle with these sizes, and these clues and given cells; what is missing is reported at `whole`.
fn described(
    whole: Fragment<'_>,
    sizes: Fragment<'_>,
    description: Fragment<'_>,
) -> Result<Puzzle> {
    // One number makes a square.
    let (width, height) = sizes
        .text
        .split_once('x')
        .unwrap_or((sizes.text, sizes.text));
    let width = sizes.at(width).size("width")?;
    let height = sizes.at(height).size("height")?;
    let text = description.text;
    let (clues, given) = match text.find(',') {
        Some(comma) => (&text[..comma], Some(&text[comma + 1..])),
        None => (text, None),
    };
    let parts: Vec<Fragment<'_>> =
        (description.at(clues).split('/').take(width + height + 1)).collect();
    match parts.get(width + height) {
        Some(surplus) => {
            let message = format!("from here on there are too many clues for {width}x{height}");
            return Err(surplus.error(message));
        }
        None if parts.len() < width + height => {
            let message = format!("only {} for {width}x{height}", plural(parts.len(), "clue"));
            return Err(description.at(&clues[clues.len()..]).error(message));
        }
        None => {}
    }
    let (columns, rows) = parts.split_at(width);
    let puzzle = fragment::puzzle(rows, columns, whole, |part| part.clue_between(|c| c == '.'))?;
    match given {
        Some(given) => puzzle.with_given(given_cells(description.at(given), width, height)?),
        None => Ok(puzzle),
    }
}

/// Number of cells that `z` skips.
const LONGEST_SKIP: usize = 25;

/// The cells that are given by the letters after the comma. The last letter may skip all cells that are left.
fn given_cells(given: Fragment<'_>, width: usize, height: usize) -> Result<Position> {
    let mut position = Position::unknown(width, height);
    let mut next = 0;
    for (i, letter) in given.text.char_indices() {
        let here = given.at(&given.text[i..]);
        if !letter.is_ascii_alphabetic() {
            return Err(here.error(format!(
                "{letter:?} in the list of given cells: expected letters"
            )));
        }
        let skipped = usize::from(letter.to_ascii_lowercase() as u8 - b'a');
        if next + skipped > width * height || next == width * height {
            let message =
                format!("from here on there are too many given cells for {width}x{height}");
            return Err(here.error(message));
        }
        next += skipped;
        if skipped < LONGEST_SKIP && next < width * height {
            position.set(
                next / width,
                next % width,
                Some(letter.is_ascii_uppercase()),
            );
            next += 1;
        }
    }
    Ok(position)
}

/// The letters for given cells, with the comma before them.
fn write_given(given: &Position) -> String {
    let mut text = String::from(",");
    let letter = |first: u8, skipped: usize| char::from(first + skipped as u8);
    let mut skipped = 0;
    for row in 0..given.height() {
        for column in 0..given.width() {
            match given.get(row, column) {
                Some(filled) => {
                    text.push(letter(if filled { b'A' } else { b'a' }, skipped));
                    skipped = 0;
                }
                None if skipped + 1 == LONGEST_SKIP => {
                    text.push('z');
                    skipped = 0;
                }
                None => skipped += 1,
            }
        }
    }
    if skipped > 0 {
        text.push(letter(b'a', skipped));
    }
    text
}

/// The puzzle as a game ID.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let mut text = String::new();
    numbers(&mut text, puzzle.columns(), ".", "");
    numbers(&mut text, puzzle.rows(), ".", "");
    // The last clue has no slash after it.
    text.pop();
    Ok(format!(
        "{}x{}:{}{}\n",
        puzzle.width(),
        puzzle.height(),
        text.replace('\n', "/"),
        puzzle.given().map_or(String::new(), write_given)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all, assert_notch, assert_refused, clues, one};
    use super::*;

    const TEXT: &str = "4x3:2/1.1/1.1/2/2/1.1/4\n";

    #[test]
    fn columns_come_first() {
        assert!(
            looks_like(TEXT) && is_id("10#x") && !is_id("10x:") && !is_id("axb:1") && !is_id("4x3")
        );
        assert_notch(read, write, TEXT);
        assert_eq!(clues(&one(read("2:1///1"))), "0/1 | 1/0");
        assert_eq!(clues(&one(read("1x1:/"))), "0 | 0");
        assert_eq!(all(read("1:1/1\n\n1:/\r\n")).len(), 2);
    }

    #[test]
    fn errors_have_a_place() {
        let cases = [
            ("2:1/1/1", "1:8: only 3 clues for 2x2"),
            (
                "1:1/1/1",
                "1:7: from here on there are too many clues for 1x1",
            ),
            (
                "1:1/2",
                "1:5: the clue 2 of row 1 needs 2 cells, but the line has 1",
            ),
            ("1:1/1 ,", "1:6: ' ' in a clue: a clue is a list of numbers"),
            (
                "4x3#123",
                "1:4: this is a random seed, from which only Pattern can make the puzzle: copy the specific game ID instead",
            ),
            (
                "0x3:",
                "1:1: the width is 0, but a puzzle has at least one cell",
            ),
            (
                "1:1/1,A?",
                "1:8: '?' in the list of given cells: expected letters",
            ),
            (
                "1:1/1,AA",
                "1:8: from here on there are too many given cells for 1x1",
            ),
            (
                "1:1/1,c",
                "1:7: from here on there are too many given cells for 1x1",
            ),
        ];
        assert_refused(read, &cases);
        // Past the last cell: nothing is given.
        assert_eq!(one(read("1:1/1,B")).given(), None);
    }

    #[test]
    fn saved_games_are_read() {
        let text = "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection\nVERSION :1:1\nGAME    :7:Pattern\n\
                    PARAMS  :3:4x3\nCPARAMS :3:4x3\nDESC    :25:2/1.1/1.1/2/2/1.1/4,aB\nNSTATES :1:2\nMOVE    :8:F0,0,1,1\n";
        assert!(looks_like(text));
        let puzzle = one(read(text));
        assert_eq!(clues(&puzzle), super::super::tests::NOTCH);
        assert_eq!(puzzle.given().unwrap().to_string(), ".?#?\n????\n????\n");
        let cases = [
            (
                "SAVEFILE:1:x\nGAME :4:Solo\n",
                "2:9: this is a saved game of Solo, not of Pattern",
            ),
            (
                "SAVEFILE:1:x\nPARAMS:1:2\n",
                "1:1: this saved game has no line DESC",
            ),
            (
                "SAVEFILE:1:x\nPARAMS:1:2\nDESC:5:1/1/1\n",
                "3:13: only 3 clues for 2x2",
            ),
        ];
        assert_refused(read, &cases);
    }

    #[test]
    fn given_cells_are_read_and_written() {
        let id = "4x3:2/1.1/1.1/2/2/1.1/4,aBc";
        let puzzle = one(read(id));
        assert_eq!(puzzle.given().unwrap().to_string(), ".?#?\n?.??\n????\n");
        assert_eq!(write(&puzzle).unwrap(), "4x3:2/1.1/1.1/2/2/1.1/4,aBcg\n");
        // 25 cells or more between two that are given.
        for cells in 23..80 {
            let mut given = Position::unknown(90, 1);
            given.set(0, 0, Some(false));
            given.set(0, cells, Some(true));
            let puzzle = Puzzle::from_clues(&[vec![]], &vec![vec![]; 90]).unwrap();
            let puzzle = puzzle.with_given(given).unwrap();
            assert_eq!(one(read(&write(&puzzle).unwrap())), puzzle);
        }
    }
}
