//! The text format of Pierre Dejoue's picross-solver: `GRID name` begins a puzzle, `ROWS` and `COLUMNS` are followed by one clue per
//! line, `[ 1 2 3 ]`, and `[ ]` is an empty line. A line that begins with `#` is a comment.

use super::contents::Contents;
use super::fragment::{self, Fragment};
use crate::error::Result;
use crate::puzzle::{Notes, Puzzle};

/// Whether the first line that is not a comment begins with `GRID`.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| is_content(line));
    first.is_some_and(|line| title(line).is_some())
}

fn is_content(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

/// The name in a `GRID` line; `None` if it is not such a line.
fn title(line: &str) -> Option<&str> {
    let name = line.strip_prefix("GRID")?;
    (name.is_empty() || name.starts_with(char::is_whitespace)).then_some(name.trim())
}

/// Reads all puzzles.
pub(super) fn read(text: &str) -> Contents<'_> {
    let mut lines = Fragment::nonblank_lines(text)
        .filter(|line| is_content(line.text))
        .peekable();
    Contents::several(move || {
        let head = lines.next()?;
        let body = std::iter::from_fn(|| lines.next_if(|line| title(line.text).is_none()));
        Some(puzzle(head, body))
    })
}

fn puzzle<'a>(head: Fragment<'a>, body: impl Iterator<Item = Fragment<'a>>) -> Result<Puzzle> {
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    let mut side: Option<&mut Vec<Fragment<'a>>> = None;
    // All lines are read, even after an error, so that the next puzzle begins at its first line.
    let mut first_error = title(head.text)
        .is_none()
        .then(|| head.error("a puzzle must begin with GRID"));
    for line in body {
        match line.text {
            "ROWS" => side = Some(&mut rows),
            "COLUMNS" => side = Some(&mut columns),
            text => match (&mut side, text.strip_prefix('[')) {
                (Some(clues), Some(inner)) if text.ends_with(']') => {
                    clues.push(line.at(inner.trim_end_matches(']')));
                }
                _ => {
                    let message = "expected GRID, ROWS, COLUMNS or a clue, such as [ 1 2 ]";
                    first_error = first_error.or_else(|| Some(line.error(message)));
                }
            },
        }
    }
    if let Some(error) = first_error {
        return Err(error);
    }
    let puzzle = fragment::puzzle(&rows, &columns, head, Fragment::clue)?;
    let title = title(head.text).filter(|title| !title.is_empty());
    puzzle.with_notes(Notes::default().title(title.map(str::to_owned)))
}

/// The puzzle as a `GRID`.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let mut text = String::from("GRID");
    if let Some(title) = &puzzle.notes().title {
        text.push(' ');
        text.push_str(title);
    }
    for (word, clues) in [("ROWS", puzzle.rows()), ("COLUMNS", puzzle.columns())] {
        text.push_str(&format!("\n{word}\n"));
        let clues = clues.iter().map(|clue| match clue.blocks() {
            [] => "[ ]".to_owned(),
            _ => format!("[ {clue} ]"),
        });
        text.push_str(&clues.collect::<Vec<_>>().join("\n"));
    }
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, all, clues, one};
    use super::*;

    const TEXT: &str =
        "GRID NotchO\nROWS\n[ 2 ]\n[ 1 1 ]\n[ 4 ]\nCOLUMNS\n[ 2 ]\n[ 1 1 ]\n[ 1 1 ]\n[ 2 ]\n";

    #[test]
    fn reads_clues_in_brackets() {
        let puzzle = one(read(TEXT));
        assert_eq!(clues(&puzzle), NOTCH);
        assert_eq!(puzzle.notes().title.as_deref(), Some("NotchO"));
        assert_eq!(write(&puzzle).unwrap(), TEXT);
        let columns_first = "# own\nGRID\n\nCOLUMNS\n[]\n[0 1]\nROWS\n  [ 1 ]\n[ ]";
        assert!(looks_like(columns_first));
        assert_eq!(clues(&one(read(columns_first))), "1/0 | 0/1");
    }

    #[test]
    fn an_invalid_puzzle_does_not_affect_others() {
        let text = format!("GRID a\nROWS\n1 2\n[ x ]\n\n{TEXT}GRID\nROWS\n[ 1 ]\nGRIDS\n");
        let found: Vec<_> = all(read(&text));
        assert_eq!(
            found[0].as_ref().unwrap_err().to_string(),
            "3:1: expected GRID, ROWS, COLUMNS or a clue, such as [ 1 2 ]"
        );
        assert_eq!(clues(found[1].as_ref().unwrap()), NOTCH);
        assert!(found[2].is_err());
        assert_eq!(found.len(), 3);
        let text = "GRID\nROWS\n[ 1 ]\n";
        assert_eq!(
            all(read(text))[0].as_ref().unwrap_err().to_string(),
            "1:1: this puzzle has no columns"
        );
    }
}
