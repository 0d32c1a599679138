//! Pictures drawn in rows of `#` and `.`, with blank lines between them, as `solve` and `enumerate` print them: the same lists that
//! [`Solutions`] reads. Each picture becomes a puzzle with the picture as its goal.

use super::contents::{Contents, puzzle_of_picture};
use super::solutions::Solutions;

/// Whether the first line that is not a heading is a row, and at least half of all such lines are.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !super::solutions::is_heading(line));
    if !lines.next().is_some_and(is_row) {
        return false;
    }
    let (rows, others) = lines.fold((1, 0), |(rows, others), line| {
        if is_row(line) {
            (rows + 1, others)
        } else {
            (rows, others + 1)
        }
    });
    rows >= others
}

/// Whether at least half of a line's characters are cells. Errors in the others are left to the reader.
fn is_row(line: &str) -> bool {
    let (mut cells, mut others) = (0, 0);
    for c in line.chars() {
        match c {
            '#' | '.' => cells += 1,
            c if c.is_whitespace() => return false,
            _ => others += 1,
        }
    }
    cells > 0 && cells >= others
}

/// Reads all pictures. An invalid one is skipped up to the next blank line.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut list = Solutions::new(text.as_bytes(), "");
    Contents::several(move || {
        let grid = list.next()?;
        if grid.is_err() {
            list.resume();
        }
        Some(grid.and_then(puzzle_of_picture))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, all, clues, failure, one};
    use super::*;

    const TEXT: &str = ".##.\n#..#\n####\n";

    #[test]
    fn a_picture_is_its_own_goal() {
        for text in [
            TEXT.to_owned(),
            TEXT.trim_end().to_owned(),
            format!("\n\n{TEXT}\n\n"),
            TEXT.replace('\n', "\r\n"),
            TEXT.replace('\n', " \t\n"),
            format!("==> puzzles/notch.non <==\n{TEXT}"),
        ] {
            assert!(looks_like(&text), "{text:?}");
            let puzzle = one(read(&text));
            assert_eq!(clues(&puzzle), NOTCH);
            assert_eq!(puzzle.notes().goal.as_ref().unwrap().to_string(), TEXT);
        }
        assert!(looks_like("#\n") && looks_like("."));
        assert_eq!(clues(&one(read("#"))), "1 | 1");
    }

    #[test]
    fn other_texts_are_not_taken_for_pictures() {
        for text in [
            "",
            "\n",
            "# a comment\n####\n",
            "#!/bin/sh\n",
            "##########\n[clues]\nrows = 1\ncolumns = 1\n",
            "......\nwidth 2\nheight 2\n",
            "----\n",
            "==> a <==\n",
            "#include <x>\n",
        ] {
            assert!(!looks_like(text), "{text:?}");
        }
    }

    #[test]
    fn errors_have_a_place_and_do_not_affect_other_pictures() {
        assert_eq!(
            failure(read("#.\n.?\n")),
            "2:2: '?' in a grid: a cell is '#' or '.'"
        );
        assert!(looks_like("..?##?\n?#..??\n") && looks_like("#X.\n"));
        let text = format!("{TEXT}\n#.\n#\n##\n\n{TEXT}");
        let found = all(read(&text));
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[1].as_ref().unwrap_err().to_string(),
            "6:1: a row of length 1 in a grid of width 2"
        );
        assert_eq!(clues(found[2].as_ref().unwrap()), NOTCH);
    }
}
