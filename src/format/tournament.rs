//! The text format of the TAAI, TCGA and ICGA tournaments: a line `$k`, then the clues of the columns, then those of the rows, with
//! numbers separated by tabs, and a blank line or `0` for an empty clue. The size is not given, but the puzzles are square.

use super::brief::plural;
use super::contents::Contents;
use super::fragment::{self, Fragment};
use super::number::{is_number, numbers};
use crate::error::{Error, Result};
use crate::puzzle::{Clue, MAX_SIDE, Puzzle};

/// Whether the first line is `$` and a number.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(is_head)
}

fn is_head(line: &str) -> bool {
    line.trim().strip_prefix('$').is_some_and(is_number)
}

/// Reads all puzzles.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut lines = Fragment::lines(text)
        .skip_while(|line| line.is_blank())
        .peekable();
    Contents::several(move || {
        let head = lines.next()?;
        let body = std::iter::from_fn(|| lines.next_if(|line| !is_head(line.text)));
        let body: Vec<Fragment<'_>> = body.collect();
        Some(puzzle(head, &body))
    })
}

/// The puzzle after the line `head`. Among several readings, one in which columns and rows have equally many filled cells is preferred.
fn puzzle(head: Fragment<'_>, body: &[Fragment<'_>]) -> Result<Puzzle> {
    if !is_head(head.text) {
        return Err(head.error("a puzzle must begin with $ and its number"));
    }
    let written: Vec<Fragment<'_>> = body
        .iter()
        .filter(|line| !line.is_blank())
        .copied()
        .collect();
    let trailing = body.iter().rev().take_while(|line| line.is_blank()).count();
    // The readings in order of preference: if a 0 is written, only the nonblank lines are clues; all lines are, without none, one or two of
    // the blank lines at the end; without all of those; only the nonblank lines.
    let zero = written.iter().any(|line| line.text.trim() == "0");
    let with_blanks = (0..=trailing.min(2)).map(|none| &body[..body.len() - none]);
    let candidates = (zero.then_some(&written[..]).into_iter())
        .chain(with_blanks)
        .chain([&body[..body.len() - trailing], &written]);
    let mut readings: Vec<&[Fragment<'_>]> = Vec::new();
    for lines in candidates.filter(|lines| !lines.is_empty()) {
        // All contain the nonblank lines, so those of the same length are equal: each is tried once.
        if readings.iter().all(|other| other.len() != lines.len()) {
            readings.push(lines);
        }
    }
    let mut first = None;
    for lines in readings.iter().filter(|lines| lines.len() % 2 == 0) {
        let (columns, rows) = lines.split_at(lines.len() / 2);
        let found = fragment::puzzle(rows, columns, head, Fragment::clue);
        if found.as_ref().is_ok_and(is_balanced) {
            return found;
        }
        first = first.or(Some(found));
    }
    // Not square: accepted if there is exactly one consistent division into columns and rows.
    for lines in readings.iter().filter(|lines| lines.len() % 2 == 1) {
        if let Some(puzzle) = oblong(head, lines) {
            return Ok(puzzle);
        }
    }
    first.unwrap_or_else(|| {
        let lines = plural(written.len(), "clue");
        let message = format!(
            "{lines}: expected the same number of column clues and row clues after this line"
        );
        Err(head.error(message))
    })
}

fn is_balanced(puzzle: &Puzzle) -> bool {
    let (rows, columns) = puzzle.sums();
    rows == columns
}

/// The puzzle in these lines with an unknown number of columns, if exactly one number is consistent.
fn oblong(head: Fragment<'_>, lines: &[Fragment<'_>]) -> Option<Puzzle> {
    if lines.len() > 2 * MAX_SIDE {
        return None;
    }
    let clues: Vec<Clue> = lines
        .iter()
        .map(|line| line.clue().ok())
        .collect::<Option<_>>()?;
    // For each possible number of columns: the filled cells and the longest span of the columns, and the longest span of the rows.
    let filled = running(&clues, |sum, clue| sum + clue.filled());
    let column_spans = running(&clues, |longest, clue| longest.max(clue.span()));
    let row_spans = running(clues.iter().rev(), |longest, clue| longest.max(clue.span()));
    let total = filled[lines.len()];
    let fits = |width: &usize| {
        let height = lines.len() - width;
        2 * filled[*width] == total && column_spans[*width] <= height && row_spans[height] <= *width
    };
    let mut widths = (1..lines.len()).filter(fits);
    let (width, None) = (widths.next()?, widths.next()) else {
        return None;
    };
    let (columns, rows) = lines.split_at(width);
    fragment::puzzle(rows, columns, head, Fragment::clue).ok()
}

/// The results of `add` over the first 0, 1, 2 and so on clues, beginning with 0.
fn running<'a>(
    clues: impl IntoIterator<Item = &'a Clue>,
    add: impl Fn(usize, &Clue) -> usize,
) -> Vec<usize> {
    let after = clues.into_iter().scan(0, |value, clue| {
        *value = add(*value, clue);
        Some(*value)
    });
    std::iter::once(0).chain(after).collect()
}

/// The clues of a square puzzle, without the line of its number, which [`head`] writes.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    if puzzle.width() != puzzle.height() {
        return Err(Error::data(format!(
            "{}x{} cells: a tournament's puzzles are square",
            puzzle.width(),
            puzzle.height()
        )));
    }
    // A blank line at the end is ambiguous, and so is any blank line if the sums of rows and columns differ.
    let last = puzzle.rows().last();
    let ends_empty = last.is_some_and(|clue| clue.blocks().is_empty());
    let empty = if ends_empty || !is_balanced(puzzle) {
        "0"
    } else {
        ""
    };
    let mut text = String::new();
    numbers(&mut text, puzzle.columns(), "\t", empty);
    numbers(&mut text, puzzle.rows(), "\t", empty);
    Ok(text)
}

/// The line before the clues of the `k`-th puzzle.
pub(super) fn head(k: usize) -> String {
    format!("${k}\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, all, clues, failure, one};
    use super::*;

    #[test]
    fn columns_come_first() {
        let square = "$1\n2\n1\n1\t1\n1\n1\t1\n2\n";
        assert!(looks_like(square));
        assert_eq!(clues(&one(read(square))), "1/1 1/2 | 2/1/1 1");
        assert_eq!(
            format!("$1\n{}", write(&one(read(square))).unwrap()),
            square
        );
        let oblong = "$1\n2\n1\t1\n1\t1\n2\n2\n1\t1\n4\n";
        assert_eq!(clues(&one(read(oblong))), NOTCH);
        assert!(
            write(&one(read(oblong)))
                .unwrap_err()
                .to_string()
                .contains("square")
        );
    }

    #[test]
    fn an_empty_clue_is_a_blank_line_or_0() {
        for text in [
            "$7\n1\n\n1\n\n",
            "$7\r\n1\r\n0\r\n1\r\n\r\n",
            "$7\n1\n0\n1\n0",
            "$7\n1\n0\n\n1\n0\n\n",
            "$7\n1\n0\n1\n0\n\n\n\n",
        ] {
            assert_eq!(clues(&one(read(text))), "1/0 | 1/0", "{text:?}");
        }
        let found = all(read("$1\n1\n1\n$2\n\n\n$3\n1\n"));
        assert_eq!(clues(found[1].as_ref().unwrap()), "0 | 0");
        assert_eq!(
            found[2].as_ref().unwrap_err().to_string(),
            "7:1: 1 clue: expected the same number of column clues and row clues after this line"
        );
        assert_eq!(
            failure(read("x\n1\n")),
            "1:1: a puzzle must begin with $ and its number"
        );
    }

    /// The blocks were once added up anew for every number of columns.
    #[test]
    fn reading_takes_time_proportional_to_the_file() {
        let text = format!("$1\n{}", format!("{}\n", ["1"; 50].join(" ")).repeat(8191));
        let began = std::time::Instant::now();
        assert_eq!(
            failure(read(&text)),
            "1:1: 8191 clues: expected the same number of column clues and row clues after this line"
        );
        // Generous, for a machine that does other work too; it took two seconds.
        assert!(began.elapsed().as_millis() < 1000, "{:?}", began.elapsed());
    }
}
