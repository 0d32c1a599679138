//! The game ID of Pattern in Simon Tatham's puzzle collection: `4x3:2/1.1/1.1/2/2/1.1/4`, the clues of the columns, then those of the
//! rows; the clue of an empty line is empty. Cells given from the start, which may follow after a comma, are not supported.

use super::brief::plural;
use super::contents::Contents;
use super::fragment::{self, Fragment};
use super::number::{is_number, numbers};
use crate::error::Result;
use crate::puzzle::Puzzle;

/// Whether the first line begins with two sizes or one, followed by a colon or by the number sign of a random seed.
pub(super) fn looks_like(text: &str) -> bool {
    Fragment::nonblank_lines(text)
        .next()
        .is_some_and(|line| is_id(line.text))
}

/// Whether a word begins like a game ID.
pub fn is_id(word: &str) -> bool {
    let sizes = word.split([':', '#']).next().unwrap_or_default();
    sizes.len() < word.len() && sizes.splitn(2, 'x').all(is_number)
}

/// Reads one ID, or several, one per line.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut lines = Fragment::nonblank_lines(text);
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
    // One number makes a square.
    let (width, height) = sizes.split_once('x').unwrap_or((sizes, sizes));
    let width = id.at(width).size("width")?;
    let height = id.at(height).size("height")?;
    let rest = &rest[1..];
    let (clues, given) = match rest.find(',') {
        Some(comma) => (&rest[..comma], Some(&rest[comma + 1..])),
        None => (rest, None),
    };
    let parts: Vec<Fragment<'_>> = id.at(clues).split('/').take(width + height + 1).collect();
    match parts.get(width + height) {
        Some(surplus) => {
            let message = format!("from here on there are too many clues for {width}x{height}");
            return Err(surplus.error(message));
        }
        None if parts.len() < width + height => {
            let message = format!("only {} for {width}x{height}", plural(parts.len(), "clue"));
            return Err(id.at(&clues[clues.len()..]).error(message));
        }
        None => {}
    }
    if let Some(given) = given {
        none_given(id.at(given), width * height)?;
    }
    let (columns, rows) = parts.split_at(width);
    fragment::puzzle(rows, columns, id, |part| part.clue_between(|c| c == '.'))
}

/// Fails when the letters after the comma give a cell: `a` the next one, `b` the one after that, capitals if it is filled; `z` skips 25.
fn none_given(given: Fragment<'_>, cells: usize) -> Result<()> {
    let mut at = 0;
    for (i, letter) in given.text.char_indices() {
        let here = given.at(&given.text[i..]);
        if !letter.is_ascii_alphabetic() {
            return Err(here.error(format!(
                "{letter:?} in the list of given cells: expected letters"
            )));
        }
        let run = usize::from(letter.to_ascii_lowercase() as u8 - b'a');
        at += run;
        if run < 25 && at < cells {
            let message = "cells that are given from the start are not supported: delete the comma and all after it to read the clues alone";
            return Err(here.error(message));
        }
    }
    Ok(())
}

/// The puzzle as a game ID.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let mut text = String::new();
    numbers(&mut text, puzzle.columns(), ".", "");
    numbers(&mut text, puzzle.rows(), ".", "");
    // The last clue has no slash after it.
    text.pop();
    Ok(format!(
        "{}x{}:{}\n",
        puzzle.width(),
        puzzle.height(),
        text.replace('\n', "/")
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
                "1:1/1,A",
                "1:7: cells that are given from the start are not supported: delete the comma and all after it to read the clues alone",
            ),
        ];
        assert_refused(read, &cases);
        // Past the last cell: nothing is given.
        assert_eq!(clues(&one(read("1:1/1,B"))), "1 | 1");
    }
}
