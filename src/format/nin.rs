//! `.nin`, the format of Jakub Wilk's solver: a line `W H`, the clues of the rows, then those of the columns, with numbers separated by
//! blanks, and `0` for an empty line.

use super::fragment::{self, Fragment, section, unclear};
use super::number::{is_number, sides};
use crate::error::Result;
use crate::puzzle::Puzzle;

/// Whether the first line has two numbers, and no line is the `#` of `.mk`.
pub(super) fn looks_like(text: &str) -> bool {
    starts_with_two(text) && !text.lines().any(|line| line.trim() == "#")
}

/// Whether the first line has two numbers.
pub(super) fn starts_with_two(text: &str) -> bool {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| {
            line.split_whitespace().count() == 2 && line.split_whitespace().all(is_number)
        })
}

/// Reads a puzzle.
pub(super) fn read(text: &str) -> Result<Puzzle> {
    let mut lines = Fragment::lines(text).skip_while(|line| line.is_blank());
    let head = lines.next().unwrap_or(Fragment::line(1, ""));
    let [width, height] = sizes(head, ["width", "height"])?;
    let end = lines.clone().last().unwrap_or(head);
    let [rows, columns] = section(lines, width + height, "line", end)?.split(height);
    // Some programs separate rows and columns by a blank line, and then a clue is missing elsewhere.
    if let Some(separator) = columns.clues.first().filter(|line| line.is_blank()) {
        return Err(unclear(width + height, "line", *separator));
    }
    fragment::puzzle_of_sections(rows, columns, head)
}

/// The two sizes in a line; `names` are for errors.
pub(super) fn sizes(head: Fragment<'_>, names: [&str; 2]) -> Result<[usize; 2]> {
    let words: Vec<Fragment<'_>> = head.words().take(3).collect();
    match words[..] {
        [first, second] => Ok([first.size(names[0])?, second.size(names[1])?]),
        _ => Err(head.trim().error(format!(
            "the first line must be the {} and the {}",
            names[0], names[1]
        ))),
    }
}

/// The puzzle as `.nin` text.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let sizes = format!("{} {}\n", puzzle.width(), puzzle.height());
    Ok(sides(sizes, puzzle, "", "0"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_notch, assert_refused, clues, failure, one};
    use super::*;

    const TEXT: &str = "4 3\n2\n1 1\n4\n2\n1 1\n1 1\n2\n";

    #[test]
    fn the_width_comes_first() {
        assert_notch(read, write, TEXT);
        let other_way_round = TEXT.replace("4 3", "3 4");
        assert_eq!(
            failure(read(&other_way_round)),
            "4:1: the clue 4 of row 3 needs 4 cells, but the line has 3"
        );
    }

    #[test]
    fn clues_are_counted() {
        let one_more = format!("{TEXT}1\n");
        let cases = [
            ("4 3\n2\n1 1\n4\n2\n", "5:1: only 4 clues for 7 lines"),
            (
                &one_more,
                "9:1: 8 clues for 7 lines: from here on there are too many",
            ),
            (
                "4 0\n",
                "1:3: the height is 0, but a puzzle has at least one cell",
            ),
            (
                "1000000000 1000000000\n",
                "1:1: a width of 1000000000 is more than the 4096 that omnogram can hold",
            ),
        ];
        assert_refused(read, &cases);
    }

    #[test]
    fn blank_lines_are_empty_clues_where_clues_are_missing() {
        assert_eq!(clues(&one(read("\n2 2\r\n\t1\r\n\r\n1\r\n0"))), "1/0 | 1/0");
        assert_eq!(clues(&one(read("2 2\n1 0 0\n\n1\n\n"))), "1/0 | 1/0");
    }

    /// A blank line between rows and columns once stood in for a clue that was missing elsewhere, and another puzzle was read.
    #[test]
    fn a_blank_line_does_not_replace_a_missing_clue() {
        let unclear = "too few clues for 7 lines, and it is not clear which blank lines are empty clues: write 0 for an empty line";
        assert_eq!(
            failure(read("4 3\n2\n1 1\n4\n\n2\n1 1\n1 1\n")),
            format!("5:1: {unclear}")
        );
        // Here the sums of rows and columns are equal.
        assert!(failure(read("3 3\n1\n0\n1\n\n1\n1\n")).starts_with("5:1: too few clues for 6"));
        assert_eq!(
            failure(read("4 3\n2\n1 1\n4\n2\n1 1\n1 1\n\n")),
            "8:1: only 6 clues for 7 lines"
        );
        assert_eq!(clues(&one(read(&TEXT.replace("4\n2", "4\n\n2")))), NOTCH);
    }
}
