//! The letters of the Rosetta Code task: one line with the clues of the rows and one with those of the columns, blanks between clues, and
//! a letter for each number, A for 1 to Z for 26. An empty clue cannot be written. Puzzles are separated by blank lines.

use super::contents::Contents;
use super::fragment::{self, Fragment};
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Puzzle};

/// Whether there are at least two lines, and only capital letters and blanks.
pub(super) fn looks_like(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_uppercase() || b" \t\r\n".contains(&b))
        && Fragment::nonblank_lines(text).nth(1).is_some()
}

/// Reads all puzzles.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut lines = Fragment::nonblank_lines(text);
    Contents::several(move || {
        let rows = lines.next()?;
        Some(match lines.next() {
            Some(columns) => puzzle(rows, columns),
            None => Err(rows.error("a line with the columns must come after this one")),
        })
    })
}

fn puzzle(rows: Fragment<'_>, columns: Fragment<'_>) -> Result<Puzzle> {
    let (row_clues, column_clues): (Vec<_>, Vec<_>) =
        (rows.words().collect(), columns.words().collect());
    fragment::puzzle(&row_clues, &column_clues, rows, clue)
}

fn clue(part: Fragment<'_>) -> Result<Clue> {
    if let Some((i, other)) = part
        .text
        .char_indices()
        .find(|(_, c)| !c.is_ascii_uppercase())
    {
        let message = format!("{other:?} in a clue: a block is a letter from A to Z");
        return Err(part.at(&part.text[i..]).error(message));
    }
    Clue::new(part.text.bytes().map(|b| usize::from(b - b'A') + 1))
}

/// The puzzle as two lines of letters, if it has no empty clue and no block of more than 26 cells.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let mut text = String::new();
    for (i, clues) in [puzzle.rows(), puzzle.columns()].into_iter().enumerate() {
        for (k, clue) in clues.iter().enumerate() {
            if clue.blocks().is_empty() {
                let side = ["row", "column"][i];
                return Err(Error::data(format!(
                    "{side} {} is empty, and there is no letter for that",
                    k + 1
                )));
            }
            text.push_str(if k > 0 { " " } else { "" });
            for length in clue.lengths() {
                match u8::try_from(length - 1) {
                    Ok(letter @ 0..26) => text.push(char::from(b'A' + letter)),
                    _ => {
                        let message =
                            format!("a block of {length} cells has no letter: Z stands for 26");
                        return Err(Error::data(message));
                    }
                }
            }
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all, assert_notch, assert_refused, one};
    use super::*;

    const TEXT: &str = "B AA D\nB AA AA B\n";

    #[test]
    fn letters_are_numbers() {
        assert!(looks_like(TEXT) && !looks_like("B AA D\n") && !looks_like("B\n1\n"));
        assert_notch(read, write, TEXT);
        assert_eq!(all(read("A\nA\n\n\n B  \r\nA A")).len(), 2);
        let cases = [
            (
                "A\n",
                "1:1: a line with the columns must come after this one",
            ),
            (
                "A\nAé\n",
                "2:2: 'é' in a clue: a block is a letter from A to Z",
            ),
        ];
        assert_refused(read, &cases);
    }

    #[test]
    fn empty_clues_and_long_blocks_cannot_be_written() {
        let message = |id: &str| {
            write(&one(super::super::pattern::read(id)))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message("1x1:/"),
            "row 1 is empty, and there is no letter for that"
        );
        assert_eq!(
            message(&format!("1x27:27/{}", vec!["1"; 27].join("/"))),
            "a block of 27 cells has no letter: Z stands for 26"
        );
    }
}
