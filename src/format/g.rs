//! `.g`, the general format of Petr Olšák's `grid`, for black and white puzzles: free text, a line that begins with `:`, the clues of the
//! rows, a line `:`, the clues of the columns, and `:` or the end. The sizes are not given. A blank line is an empty clue.
//!
//! In the free text `#d` opens the declaration of colours and `#t` makes it a triddler; numbers in a colour are followed by its letter.

use super::fragment::{self, Fragment};
use super::number::sides;
use crate::error::Result;
use crate::puzzle::{Clue, Puzzle};

/// Whether at least two lines begin with a colon.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines()
        .filter(|line| line.starts_with(':'))
        .nth(1)
        .is_some()
}

/// Reads a puzzle.
pub(super) fn read(text: &str) -> Result<Puzzle> {
    let mut lines = Fragment::lines(text);
    let mut last = Fragment::line(1, "");
    let head = loop {
        let Some(line) = lines.next() else {
            return Err(
                last.error("there is no line beginning with ':' before the clues of the rows")
            );
        };
        if line.text.starts_with(':') {
            break line;
        }
        if line.text.starts_with("#t") || line.text.starts_with("#T") {
            return Err(line.error("a triddler: only rows and columns can be read so far"));
        }
        last = line;
    };
    let mut rows = Vec::new();
    loop {
        match lines.next() {
            Some(line) if line.text.starts_with(':') => break,
            Some(line) => rows.push(line),
            None => {
                let end = rows.last().copied().unwrap_or(head);
                return Err(end
                    .error("there is no line beginning with ':' before the clues of the columns"));
            }
        }
    }
    let mut columns = Vec::new();
    let mut ended = false;
    for line in lines {
        ended = line.text.starts_with(':');
        if ended {
            break;
        }
        columns.push(line);
    }
    if let Some(end) = columns.last().filter(|line| !ended && line.is_blank()) {
        let message = "a blank line at the end may be an empty clue or nothing: end the columns with a line ':'";
        return Err(end.error(message));
    }
    fragment::puzzle(&rows, &columns, head, clue)
}

/// A clue. A sign before a number would be a triangle, half a cell, which is an error.
fn clue(part: Fragment<'_>) -> Result<Clue> {
    let triangle = part.words().find(|word| {
        let word = word.text.trim_start_matches(',');
        word.starts_with(|c: char| !c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_digit())
            && !word.starts_with(['-', '?', '*'])
    });
    match triangle {
        Some(triangle) => {
            Err(triangle.error("a triangle before a number: only whole cells can be read so far"))
        }
        None => part.clue(),
    }
}

/// The puzzle as `.g` text.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    Ok(sides(": rows\n".to_owned(), puzzle, ": columns\n", "") + ":\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_notch, assert_refused, clues, failure, one};
    use super::*;

    const TEXT: &str = ": rows\n2\n1 1\n4\n: columns\n2\n1 1\n1 1\n2\n:\n";

    #[test]
    fn reads_between_the_colons() {
        assert!(looks_like(TEXT));
        assert_notch(read, write, TEXT);
        let text = format!("what it is\n#d\n 0:_ #ffffff white\n{TEXT}solution: none\n");
        assert_eq!(clues(&one(read(&text))), NOTCH);
        assert_eq!(clues(&one(read(TEXT.strip_suffix(":\n").unwrap()))), NOTCH);
    }

    #[test]
    fn a_blank_line_is_an_empty_clue() {
        assert_eq!(clues(&one(read(":\n1\n\n:\n\n1\n:"))), "1/0 | 0/1");
        assert_eq!(
            failure(read(":\n1\n\n:\n1\n\n")),
            "6:1: a blank line at the end may be an empty clue or nothing: end the columns with a line ':'"
        );
    }

    #[test]
    fn colours_and_triangles_are_refused() {
        let cases = [
            (
                "c\n#d\n  a:A  #ff0000  red\n: rows\n1a 2b\n: columns\n1a\n1b\n1b\n:\n",
                "5:2: \"a\" is a colour: only black-and-white puzzles can be read so far",
            ),
            (
                "#T\n:\n1\n:\n1\n:\n",
                "1:1: a triddler: only rows and columns can be read so far",
            ),
            (
                ":\n1 /2\n:\n1\n:\n",
                "2:3: a triangle before a number: only whole cells can be read so far",
            ),
            (
                ":\n1\n",
                "2:1: there is no line beginning with ':' before the clues of the columns",
            ),
        ];
        assert_refused(read, &cases);
    }
}
