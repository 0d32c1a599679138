//! `.cwd`, of QNonograms and of Sukhoy's solver: the height and the width, on a line each; the clues of the rows, a blank line, the clues
//! of the columns; `0` for an empty line. Any other blank line is ignored, or is an empty clue where clues are missing.

use super::fragment::{self, Fragment, section, too_few};
use super::number::{is_number, sides};
use crate::error::Result;
use crate::puzzle::Puzzle;

/// Whether the first two lines are a number each.
pub(super) fn looks_like(text: &str) -> bool {
    let lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty());
    lines.take(2).filter(|line| is_number(line)).count() == 2
}

/// Reads a puzzle.
pub(super) fn read(text: &str) -> Result<Puzzle> {
    let mut lines = Fragment::lines(text).skip_while(|line| line.is_blank());
    let head = lines.next().unwrap_or(Fragment::line(1, ""));
    let height = head.trim().size("height")?;
    let second = lines
        .next()
        .unwrap_or(head.at(&head.text[head.text.len()..]));
    let width = second.trim().size("width")?;
    let end = lines.clone().last().unwrap_or(second);
    let count = height + width;
    let written = lines.clone().filter(|line| !line.is_blank()).count();
    if written >= count {
        let [rows, columns] = section(lines, count, "line", end)?.split(height);
        return fragment::puzzle_of_sections(rows, columns, head);
    }
    // Blank lines are clues only if a blank line after `height` lines separates the rows from the columns. It is no clue itself.
    let body: Vec<Fragment<'_>> = lines.by_ref().take(count + 1).collect();
    if body.len() <= count || !body[height].is_blank() || !lines.all(|line| line.is_blank()) {
        return Err(too_few(written, count, "line", end));
    }
    let (above, below) = (&body[..height], &body[height + 1..]);
    let rows = section(above.iter().copied(), height, "row", body[height])?;
    let columns = section(below.iter().copied(), width, "column", end)?;
    fragment::puzzle_of_sections(rows, columns, head)
}

/// The puzzle as `.cwd` text.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let sizes = format!("{}\n{}\n", puzzle.height(), puzzle.width());
    Ok(sides(sizes, puzzle, "\n", "0"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_notch, assert_refused, clues, failure, one};
    use super::*;

    const TEXT: &str = "3\n4\n2\n1 1\n4\n\n2\n1 1\n1 1\n2\n";

    #[test]
    fn the_height_is_first_and_a_blank_line_separates_the_sides() {
        assert!(looks_like(TEXT));
        assert_notch(read, write, TEXT);
        let without = TEXT.replace("\n\n", "\n");
        assert_eq!(clues(&one(read(&without))), NOTCH);
        let other_way_round = TEXT.replace("3\n4\n", "4\n3\n");
        assert_eq!(
            failure(read(&other_way_round)),
            "5:1: the clue 4 of row 3 needs 4 cells, but the line has 3"
        );
    }

    #[test]
    fn the_separating_blank_line_is_not_a_clue() {
        assert_eq!(clues(&one(read("2\n2\n1\n0\n\n0\n1\n"))), "1/0 | 0/1");
        assert_eq!(clues(&one(read("2\n2\n1\n\n\n1\n\n\n"))), "1/0 | 1/0");
        assert_eq!(failure(read("7\n")), "1:2: the width is not given");
    }

    /// The separating blank line once stood in for a clue that was missing elsewhere, and another puzzle was read.
    #[test]
    fn a_blank_line_does_not_replace_a_missing_clue() {
        let cases = [
            (
                "3\n4\n2\n1 1\n4\n\n2\n1 1\n1 1\n",
                "9:1: only 6 clues for 7 lines",
            ),
            // Here the sums of rows and columns are equal.
            ("3\n3\n1\n0\n1\n\n1\n1\n", "8:1: only 5 clues for 6 lines"),
            ("3\n3\n1\n1\n\n0\n1\n1\n", "8:1: only 5 clues for 6 lines"),
            (
                "3\n4\n2\n1 1\n4\n\n2\n1 1\n1 1\n\n",
                "10:1: only 3 clues for 4 columns",
            ),
            (
                "3\n4\n2\n1 1\n\n\n2\n1 1\n1 1\n2\n",
                "6:1: only 2 clues for 3 rows",
            ),
        ];
        assert_refused(read, &cases);
    }
}
