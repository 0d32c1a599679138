//! `.gno`, the format of gnonograms: sections with headers in brackets. `[Dimensions]` has the number of rows and below it the number of
//! columns; `[Row clues]` and `[Column clues]` have one clue per line; `[Solution grid]` has the picture, one number per cell, 1 for empty,
//! 2 for filled and 0 for unknown. Clues or picture may be missing. `[Description]` has title and author, `[License]` the licence. Other
//! sections, such as a saved game, are skipped.

use super::brief::plural;
use super::fragment::{self, Fragment, section};
use super::number::numbers;
use crate::error::Result;
use crate::puzzle::{Grid, Notes, Puzzle};

const DIMENSIONS: &str = "[Dimensions]";
const ROWS: &str = "[Row clues]";
const COLUMNS: &str = "[Column clues]";
const SOLUTION: &str = "[Solution grid]";
/// The header of [`SOLUTION`] in older files.
const OLD_SOLUTION: &str = "[Solution]";
const DESCRIPTION: &str = "[Description]";
const LICENSE: &str = "[License]";

/// The title that the program gives to a picture without one.
pub(super) const UNTITLED: &str = "Untitled";

/// Whether one of the headers occurs that a puzzle needs.
pub(super) fn looks_like(text: &str) -> bool {
    let needed = [DIMENSIONS, ROWS, COLUMNS, SOLUTION];
    text.lines().any(|line| {
        needed
            .iter()
            .any(|header| line.trim().eq_ignore_ascii_case(header))
    })
}

fn is_header(line: &Fragment<'_>) -> bool {
    let line = line.text.trim();
    line.starts_with('[') && line.ends_with(']')
}

/// The header of the first section with one of these names, and the lines after it, up to the next header, known or not.
fn find<'a>(
    text: &'a str,
    names: &[&str],
) -> Option<(
    Fragment<'a>,
    impl Iterator<Item = Fragment<'a>> + Clone + use<'a>,
)> {
    let mut lines = Fragment::lines(text);
    let head = lines.find(|line| {
        let line = line.text.trim();
        names.iter().any(|name| line.eq_ignore_ascii_case(name))
    })?;
    Some((head, lines.take_while(|line| !is_header(line))))
}

/// The first `count` lines that are not blank in the section of this name.
fn nonblank_lines<'a>(text: &'a str, name: &str, count: usize) -> Vec<Fragment<'a>> {
    let lines = find(text, &[name]).into_iter().flat_map(|(_, body)| body);
    let nonblank_lines = lines.filter(|line| !line.is_blank()).map(Fragment::trim);
    nonblank_lines.take(count).collect()
}

/// Reads a puzzle.
pub(super) fn read(text: &str) -> Result<Puzzle> {
    let start = Fragment::line(1, text.lines().next().unwrap_or_default());
    let end = Fragment::lines(text).last().unwrap_or(start);
    let Some((head, _)) = find(text, &[DIMENSIONS]) else {
        return Err(start.error(format!("there is no section {DIMENSIONS}")));
    };
    let sizes = nonblank_lines(text, DIMENSIONS, 3);
    let [rows, columns] = sizes[..] else {
        let message = "the number of rows and, in a line below it, of columns must follow";
        return Err(head.error(message));
    };
    let (height, width) = (rows.size("height")?, columns.size("width")?);
    let goal = match find(text, &[SOLUTION, OLD_SOLUTION]) {
        Some((head, body)) => picture(body, head, width, height)?,
        None => None,
    };
    let clues = |name: &str, count, side| match find(text, &[name]) {
        Some((_, body)) => {
            let end = body.clone().last().unwrap_or(end);
            section(body, count, side, end).map(Some)
        }
        None => Ok(None),
    };
    let puzzle = match (
        clues(ROWS, height, "row")?,
        clues(COLUMNS, width, "column")?,
        &goal,
    ) {
        (Some(rows), Some(columns), _) => fragment::puzzle_of_sections(rows, columns, head)?,
        (None, None, Some(goal)) => Puzzle::from_grid(goal),
        (None, None, None) => {
            return Err(end.error("there are neither clues nor a whole picture in this file"));
        }
        (Some(_), None, _) => return Err(end.error(format!("there is no section {COLUMNS}"))),
        (None, Some(_), _) => return Err(end.error(format!("there is no section {ROWS}"))),
    };
    let note = |name: &str, i: usize| {
        let lines = nonblank_lines(text, name, 2);
        lines.get(i).map(|line| line.text.to_owned())
    };
    puzzle.with_notes(Notes {
        title: note(DESCRIPTION, 0).filter(|title| title != UNTITLED),
        author: note(DESCRIPTION, 1),
        license: note(LICENSE, 0),
        goal,
        ..Notes::default()
    })
}

/// The picture in these lines; `None` if a cell is unknown.
fn picture<'a>(
    body: impl Iterator<Item = Fragment<'a>> + Clone,
    head: Fragment<'a>,
    width: usize,
    height: usize,
) -> Result<Option<Grid>> {
    let lines = body.filter(|line| !line.is_blank()).map(Fragment::trim);
    let count = lines.clone().count();
    if count != height {
        let message = format!(
            "{} in the solution, for {height} rows",
            plural(count, "line")
        );
        return Err(head.error(message));
    }
    let mut goal = Grid::new(width, height);
    let mut known = true;
    for (row, line) in lines.enumerate() {
        let cells: Vec<Fragment<'_>> = line.words().take(width + 1).collect();
        if cells.len() != width {
            return Err(line.error(format!("a row of the solution must have {width} cells")));
        }
        for (column, cell) in cells.into_iter().enumerate() {
            match cell.text {
                "0" => known = false,
                "1" => {}
                "2" => goal.set(row, column, true),
                _ => {
                    return Err(
                        cell.error("a cell is 1, empty, or 2, filled, or 0 where it is unknown")
                    );
                }
            }
        }
    }
    Ok(known.then_some(goal))
}

/// The puzzle as `.gno` text.
pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    let notes = puzzle.notes();
    let mut text = String::new();
    if notes.title.is_some() || notes.author.is_some() {
        // The author is the second line, so a title must come first.
        let title = notes.title.as_deref().unwrap_or(UNTITLED);
        text.push_str(&format!("{DESCRIPTION}\n{title}\n"));
    }
    if let Some(author) = &notes.author {
        text.push_str(&format!("{author}\n"));
    }
    if let Some(license) = &notes.license {
        text.push_str(&format!("{LICENSE}\n{license}\n"));
    }
    text.push_str(&format!(
        "{DIMENSIONS}\n{}\n{}\n",
        puzzle.height(),
        puzzle.width()
    ));
    for (header, clues) in [(ROWS, puzzle.rows()), (COLUMNS, puzzle.columns())] {
        text.push_str(&format!("{header}\n"));
        numbers(&mut text, clues, ", ", "0");
    }
    if let Some(goal) = &notes.goal {
        text.push_str(&format!("{SOLUTION}\n"));
        for row in goal.to_string().lines() {
            let cells: Vec<&str> = row
                .chars()
                .map(|c| if c == '#' { "2" } else { "1" })
                .collect();
            text.push_str(&format!("{}\n", cells.join(" ")));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_refused, clues, failure, one};
    use super::*;

    const TEXT: &str = "[Description]\nNotchO\nus\n[Dimensions]\n3\n4\n[Row clues]\n2\n1, 1\n4\n[Column clues]\n2\n1, 1\n1, 1\n2\n";
    const PICTURE: &str = "[Solution grid]\n1 2 2 1\n2 1 1 2\n2 2 2 2\n";

    #[test]
    fn rows_come_first() {
        let puzzle = one(read(TEXT));
        assert_eq!(clues(&puzzle), NOTCH);
        let notes = puzzle.notes();
        assert_eq!(
            (notes.title.as_deref(), notes.author.as_deref()),
            (Some("NotchO"), Some("us"))
        );
        assert_eq!(write(&puzzle).unwrap(), TEXT);
        assert_eq!(
            failure(read(&TEXT.replace("3\n4\n[R", "4\n3\n[R"))),
            "10:1: only 3 clues for 4 rows"
        );
    }

    #[test]
    fn clues_are_derived_from_the_picture() {
        let picture = format!("[Dimensions]\n3\n4\n{PICTURE}");
        let puzzle = one(read(&picture));
        assert_eq!(clues(&puzzle), NOTCH);
        assert!(puzzle.notes().goal.is_some());
        let both = format!("{TEXT}{PICTURE}[Locked]\ntrue\n[Working grid]\n0 0\n");
        assert_eq!(one(read(&both)).notes().goal, puzzle.notes().goal);
        assert_eq!(
            write(&one(read(&both))).unwrap(),
            format!("{TEXT}{PICTURE}")
        );
        let unknown = both.replace("1 2 2 1", "0 2 2 1");
        assert_eq!(one(read(&unknown)).notes().goal, None);
        let with_row = |row| picture.replace("1 2 2 1", row);
        let cases = [
            (
                &*with_row("0 2 2 1"),
                "7:1: there are neither clues nor a whole picture in this file",
            ),
            (
                &*with_row("1 2 3 1"),
                "5:5: a cell is 1, empty, or 2, filled, or 0 where it is unknown",
            ),
        ];
        assert_refused(read, &cases);
    }

    /// A blank line once stood in for a missing clue, and another puzzle was read.
    #[test]
    fn a_blank_line_does_not_replace_a_missing_clue() {
        let row = TEXT.replace("4\n[Column", "\n[Column");
        let column = format!("{}\n", TEXT.trim_end_matches("2\n"));
        let cases = [
            (&*row, "10:1: only 2 clues for 3 rows"),
            (&*column, "15:1: only 3 clues for 4 columns"),
        ];
        assert_refused(read, &cases);
        assert_eq!(clues(&one(read(&TEXT.replace("\n[", "\n\n[")))), NOTCH);
    }

    /// The title of a puzzle called Untitled was once lost without a warning.
    #[test]
    fn the_title_that_stands_for_none_is_reported_as_lost() {
        let format = crate::format::Format::named("gno").unwrap();
        for (title, expected) in [("Untitled", vec!["the title"]), ("untitled", vec![])] {
            let puzzle = one(read(&TEXT.replace("NotchO", "x")));
            let puzzle = puzzle.with_notes(Notes {
                title: Some(title.to_owned()),
                author: Some("us".to_owned()),
                ..Notes::default()
            });
            let (kept, lost) = format.kept(&puzzle.unwrap());
            assert_eq!(lost, expected);
            assert_eq!(one(read(&write(&kept).unwrap())), kept);
        }
    }
}
