//! `.mk`, the short format of Petr Olšák's `grid`: a line `H W`, the clues of the rows, a line `#`, the clues of the columns. An empty
//! clue is `0` or a blank line.

use super::fragment::{self, Fragment, section};
use super::nin::{sizes, starts_with_two};
use super::number::sides;
use crate::error::Result;
use crate::puzzle::Puzzle;

/// Whether the first line has two numbers, and some line is `#`.
pub(super) fn looks_like(text: &str) -> bool {
    starts_with_two(text) && text.lines().any(|line| line.trim() == "#")
}

/// Reads a puzzle.
pub(super) fn read(text: &str) -> Result<Puzzle> {
    let mut lines = Fragment::lines(text).skip_while(|line| line.is_blank());
    let head = lines.next().unwrap_or(Fragment::line(1, ""));
    let [height, width] = sizes(head, ["height", "width"])?;
    let end = lines.clone().last().unwrap_or(head);
    let is_middle = |line: &Fragment<'_>| line.text.trim() == "#";
    let above = lines.clone().take_while(|line| !is_middle(line));
    let Some(middle) = lines.find(is_middle) else {
        return Err(end.error("there is no line # between rows and columns"));
    };
    let rows = section(above, height, "row", middle)?;
    let columns = section(lines, width, "column", end)?;
    fragment::puzzle_of_sections(rows, columns, head)
}

/// The puzzle as `.mk` text.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let sizes = format!("{} {}\n", puzzle.height(), puzzle.width());
    Ok(sides(sizes, puzzle, "#\n", "0"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_notch, assert_refused, clues, failure, one};
    use super::*;

    const TEXT: &str = "3 4\n2\n1 1\n4\n#\n2\n1 1\n1 1\n2\n";

    #[test]
    fn the_height_comes_first() {
        assert!(looks_like(TEXT) && !super::super::nin::looks_like(TEXT));
        assert_notch(read, write, TEXT);
        assert_eq!(
            failure(read(&TEXT.replace("3 4", "4 3"))),
            "5:1: only 3 clues for 4 rows"
        );
    }

    #[test]
    fn an_empty_clue_is_0_or_a_blank_line() {
        for text in [
            "2 2\n1\n0\n#\n1\n0\n",
            "2 2\n1\n\n#\n1\n\n",
            "2 2\r\n1 0\r\n  \r\n#\r\n1\r\n0",
        ] {
            assert_eq!(clues(&one(read(text))), "1/0 | 1/0", "{text:?}");
        }
        assert_eq!(
            failure(read("2 2\n1\n1\n")),
            "3:1: there is no line # between rows and columns"
        );
    }

    /// A blank line at the end once stood in for a missing clue, and another puzzle was read.
    #[test]
    fn a_blank_line_does_not_replace_a_missing_clue() {
        let cases = [
            (
                "3 4\n2\n1 1\n4\n#\n2\n1 1\n1 1\n\n",
                "9:1: only 3 clues for 4 columns",
            ),
            (
                "3 4\n2\n1 1\n\n#\n2\n1 1\n1 1\n2\n",
                "5:1: only 2 clues for 3 rows",
            ),
        ];
        assert_refused(read, &cases);
        assert_eq!(clues(&one(read(&format!("{TEXT}\n\n")))), NOTCH);
    }
}
