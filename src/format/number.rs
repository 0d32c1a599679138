//! The numbers of clues, read and written.

use super::brief::brief;
use crate::error::Error;
use crate::puzzle::{Clue, MAX_SIDE, Puzzle};

/// Whether a text is a number: digits, at least one.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The value of a string of digits; `None` if it is larger than any side or block can be.
pub(super) fn number(digits: &str) -> Option<usize> {
    let value = match digits.trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    (value <= MAX_SIDE).then_some(value)
}

/// The error for a block that is longer than any line.
pub(super) fn block_too_long(digits: &str) -> Error {
    Error::data(format!(
        "a block of {} cells is longer than the longest line, {MAX_SIDE}",
        brief(digits.trim_start_matches('0'))
    ))
}

/// Writes one clue per line, with `between` between two numbers and `empty` for a clue without blocks.
pub(super) fn numbers(text: &mut String, clues: &[Clue], between: &str, empty: &str) {
    for clue in clues {
        let lengths: Vec<String> = clue.lengths().map(|length| length.to_string()).collect();
        text.push_str(if lengths.is_empty() { empty } else { "" });
        text.push_str(&lengths.join(between));
        text.push('\n');
    }
}

/// Writes after this text the clues of the rows, one per line with blanks between numbers, `between`, and the clues of the columns.
pub(super) fn sides(mut text: String, puzzle: &Puzzle, between: &str, empty: &str) -> String {
    numbers(&mut text, puzzle.rows(), " ", empty);
    text.push_str(between);
    numbers(&mut text, puzzle.columns(), " ", empty);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_above_the_largest_side_are_rejected() {
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("0004096"), Some(4096));
        assert_eq!(number("4097"), None);
        assert_eq!(number(&"9".repeat(1000)), None);
        assert_eq!(brief(&"9".repeat(1000)).len(), 27);
    }
}
