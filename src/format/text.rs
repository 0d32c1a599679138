//! Pictures drawn in rows of two characters, such as `#` and `.`, with blank lines between them, as `solve` and `enumerate` print them.
//! Each picture becomes a puzzle with the picture as its goal.
//!
//! The [characters] tell which cells are filled. Blanks or commas may stand between the cells. If there is only one other character, one for
//! filled cells, blanks are the empty cells, and rows may be cut off after the last filled one.

use super::brief::plural;
use super::characters::{self, Kinds, is_between, usual};
use super::contents::{Contents, puzzle_of_picture};
use super::fragment::Fragment;
use super::solutions::is_heading;
use super::{clues, cwd, g, json, nin, non, rosetta};
use crate::error::{Error, Result};
use crate::puzzle::{Grid, MAX_SIDE, Puzzle};

/// Whether there are mostly rows of `#` and `.`, or nothing but rows of two characters that no other format can be.
pub(super) fn looks_like(text: &str) -> bool {
    let is_other = || json::looks_like(text) || non::looks_like(text) || g::looks_like(text);
    is_mostly_plain(text) && !is_other() || is_drawing(text)
}

/// Whether the first line that is not a heading is a row of `#` and `.`, and at least half of all such lines are.
fn is_mostly_plain(text: &str) -> bool {
    let mut lines = lines(text)
        .map(|line| line.text.trim_end())
        .filter(|line| !line.is_empty());
    if !lines.next().is_some_and(is_plain) {
        return false;
    }
    let (rows, others) = lines.fold((1, 0), |(rows, others), line| {
        if is_plain(line) {
            (rows + 1, others)
        } else {
            (rows, others + 1)
        }
    });
    rows >= others
}

/// Whether at least half of a line's characters are `#` or `.`. Errors in the others are left to the reader.
fn is_plain(line: &str) -> bool {
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

/// Whether all lines are rows of cells of two kinds, or of one that is no digit or letter, and no other format can be read.
fn is_drawing(text: &str) -> bool {
    let rows = || {
        lines(text)
            .map(|line| line.text)
            .filter(|line| !line.trim().is_empty())
    };
    if characters::blank_is_empty(rows()) {
        return !is_of_other_format(text);
    }
    // Either every row is one word, or every word is one cell.
    let is_word = |row: &str| !row.trim().contains(is_between_cells);
    let are_single = |row: &str| {
        row.split(is_between_cells)
            .all(|word| cells(word).count() <= 1)
    };
    if !(rows().all(is_word) || rows().all(are_single)) {
        return false;
    }
    let Some(kinds) = Kinds::of(rows().flat_map(cells)) else {
        return false;
    };
    let mut digits = kinds.characters().iter().filter(|c| c.is_ascii_digit());
    let is_possible = match kinds.characters() {
        _ if !digits.all(|c| matches!(c, '0' | '1')) => false,
        [only] => !only.is_ascii() && usual(*only).is_some(),
        [_, _] => kinds.are_told_apart() || !kinds.characters().iter().any(|c| c.is_alphanumeric()),
        _ => false,
    };
    let width = rows().next().map_or(0, |row| cells(row).count());
    let are_known = kinds.characters().iter().all(|c| usual(*c).is_some());
    is_possible
        && width >= 2
        && rows().nth(1).is_some()
        && (are_known || rows().all(|row| cells(row).count() == width))
        && !is_of_other_format(text)
}

/// Whether a character stands between two cells of a row and not after one that it belongs to.
fn is_between_cells(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// Whether a reader of numbers or letters can read this text.
fn is_of_other_format(text: &str) -> bool {
    let reads = |looks_like: fn(&str) -> bool, read: fn(&str) -> Result<Puzzle>| {
        looks_like(text) && read(text).is_ok()
    };
    reads(nin::looks_like, nin::read)
        || reads(cwd::looks_like, cwd::read)
        || clues::looks_like(text) && clues::read(text).is_ok()
        || rosetta::looks_like(text) && rosetta::read(text).puzzles.all(|puzzle| puzzle.is_ok())
}

/// The lines that are no headings.
fn lines(text: &str) -> impl Iterator<Item = Fragment<'_>> + Clone {
    Fragment::lines(text).filter(|line| !is_heading(line.text.trim_end()))
}

/// Reads all pictures; `filled` tells which character the filled cells have, if it is not a usual one. An invalid picture does not affect
/// the others.
pub(super) fn read(text: &str, filled: Option<char>) -> Contents<'_> {
    if characters::blank_is_empty(lines(text).map(|line| line.text)) {
        return with_blanks(text).and_then(puzzle_of_picture).into();
    }
    let all = Kinds::of(lines(text).flat_map(|line| cells(line.text)));
    let mut lines = Fragment::lines(text).peekable();
    Contents::several(move || {
        let is_end = |line: &Fragment<'_>| line.is_blank() || is_heading(line.text.trim_end());
        while lines.next_if(is_end).is_some() {}
        let rows: Vec<_> = std::iter::from_fn(|| lines.next_if(|line| !is_end(line))).collect();
        let first = *rows.first()?;
        let grid = || {
            let kinds = match all.clone() {
                Some(kinds) => kinds,
                None => Kinds::of(rows.iter().flat_map(|row| cells(row.text)))
                    .ok_or_else(|| third_kind(&rows))?,
            };
            let is_filled = kinds.meaning(filled).map_err(|error| first.locate(error))?;
            grid(&rows, |row| cells(row.text).map(&is_filled))
        };
        Some(grid().and_then(puzzle_of_picture))
    })
}

/// The cells of a row.
fn cells(row: &str) -> impl Iterator<Item = char> {
    row.chars().filter(|c| !is_between(*c))
}

/// The error for the first cell that is neither filled nor empty.
fn third_kind(rows: &[Fragment<'_>]) -> Error {
    let kind = |is_filled, default| {
        let mut all = rows.iter().flat_map(|row| cells(row.text));
        all.find(|c| usual(*c) == Some(is_filled))
            .unwrap_or(default)
    };
    let (filled, empty) = (kind(true, '#'), kind(false, '.'));
    let third = rows.iter().find_map(|row| {
        let mut cells = row.text.char_indices();
        let (at, c) = cells.find(|(_, c)| !is_between(*c) && ![filled, empty].contains(c))?;
        Some((row.at(&row.text[at..]), c))
    });
    let (place, c) = third.expect("there are more than two kinds");
    place.error(format!(
        "{c:?} in a grid: a cell is {filled:?} or {empty:?}"
    ))
}

/// The grid of these rows, whose cells are filled or not.
fn grid<'a, C: Iterator<Item = bool>>(
    rows: &[Fragment<'a>],
    cells: impl Fn(Fragment<'a>) -> C,
) -> Result<Grid> {
    let width = cells(rows[0]).count();
    if width == 0 {
        return Err(rows[0].error("there is no cell in this row"));
    }
    if let Some(surplus) = rows
        .get(MAX_SIDE)
        .or_else(|| rows.first().filter(|_| width > MAX_SIDE))
    {
        return Err(surplus.error(format!("a grid has at most {MAX_SIDE} rows and columns")));
    }
    let mut grid = Grid::new(width, rows.len());
    for (y, row) in rows.iter().enumerate() {
        let mut length = 0;
        for is_filled in cells(*row) {
            if is_filled && length < width {
                grid.set(y, length, true);
            }
            length += 1;
        }
        if length != width {
            let message = format!("a row of length {length} in a grid of width {width}");
            return Err(row.error(message));
        }
    }
    Ok(grid)
}

/// The picture of a text in which blanks are the empty cells. Rows of nothing but blanks count if they are as wide as the picture.
fn with_blanks(text: &str) -> Result<Grid> {
    let length = |line: &Fragment<'_>| line.text.chars().count();
    let drawn = || lines(text).filter(|line| !line.is_blank());
    // Blanks at the end of some rows only are no cells.
    let longest = drawn().map(|line| length(&line)).max().unwrap_or(0);
    let width = if drawn().all(|line| length(&line) == longest) {
        longest
    } else {
        let ends = drawn().map(|line| line.text.trim_end().chars().count());
        ends.max().unwrap_or(0)
    };
    let counts = |line: &Fragment<'_>| !line.is_blank() || length(line) == width;
    let mut rows: Vec<_> = lines(text).skip_while(|line| !counts(line)).collect();
    while rows.pop_if(|line| !counts(line)).is_some() {}
    if let Some(line) = rows.iter().find(|line| line.text.is_empty()) {
        let message = "an empty line may be a row of empty cells or divide two pictures: draw empty cells as .";
        return Err(line.error(message));
    }
    let spaced = |row: &Fragment<'_>| {
        row.text
            .trim()
            .split(' ')
            .map(str::len)
            .all(|length| length > 0)
    };
    let is_doubtful = rows.iter().all(|row| {
        spaced(row) && length(row) == width && row.text.chars().step_by(2).all(|c| c != ' ')
    });
    if is_doubtful && width > 1 {
        let message = format!(
            "blanks may be empty cells or stand between {}: draw empty cells as .",
            plural(width / 2 + 1, "cell")
        );
        return Err(rows[0].error(message));
    }
    grid(&rows, |row| {
        let cells = row.text.chars().map(|c| c != ' ');
        cells.chain(std::iter::repeat(false)).take(width)
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
            let puzzle = one(read(&text, None));
            assert_eq!(clues(&puzzle), NOTCH);
            assert_eq!(puzzle.notes().goal.as_ref().unwrap().to_string(), TEXT);
        }
        assert!(looks_like("#\n") && looks_like("."));
        assert_eq!(clues(&one(read("#", None))), "1 | 1");
    }

    /// Each of these drawings was refused or read as clues.
    #[test]
    fn drawings_in_other_characters() {
        for text in [
            "0110\n1001\n1111\n",
            "0 1 1 0\n1 0 0 1\n1 1 1 1\n",
            "0,1,1,0\n1,0,0,1\n1,1,1,1",
            "0, 1, 1, 0\r\n1, 0, 0, 1\r\n1, 1, 1, 1\r\n",
            "⬜⬛⬛⬜\n⬛⬜⬜⬛\n⬛⬛⬛⬛\n",
            "⬜\u{fe0f}⬛\u{fe0f}⬛⬜\n⬛⬜⬜⬛\n⬛⬛⬛⬛\n",
            "⬜ ⬛ ⬛ ⬜\n⬛ ⬜ ⬜ ⬛\n⬛ ⬛ ⬛ ⬛\n",
            "░██░\n█░░█\n████\n",
            // Here X is a filled cell and a blank an empty one.
            " XX \nX  X\nXXXX\n",
            " XX\nX  X\nXXXX\n",
            " ██\n█  █\n████\n",
            ".11.\n1..1\n1111\n",
            "0@@0\n@00@\n@@@@\n",
            "_@@_\n@__@\n@@@@\n",
            "-xx-\nx--x\nxxxx\n",
            ".oo.\no..o\noooo\n",
            "- # # -\n# - - #\n# # # #\n",
            "□■■□\n■□□■\n■■■■\n",
        ] {
            assert!(looks_like(text), "{text:?}");
            let puzzle = one(read(text, None));
            assert_eq!(clues(&puzzle), NOTCH, "{text:?}");
            assert_eq!(puzzle.notes().goal.as_ref().unwrap().to_string(), TEXT);
        }
        // A row of blanks counts if it is as wide as the picture.
        assert_eq!(
            clues(&one(read("   \nX X\n X \n", None))),
            "0/1 1/1 | 1/1/1"
        );
        assert_eq!(clues(&one(read("X X\n X \n ", None))), "1 1/1 | 1/1/1");
        assert_eq!(clues(&one(read("ab\nbb\n", Some('b')))), "1/2 | 1/2");
        assert_eq!(
            clues(&one(read("##  #  \n#\n### #\n", None))),
            "2 1/1/3 1 | 3/1 1/1/0/1 1"
        );
        // Pictures may differ in their characters.
        assert_eq!(all(read("#.\n\nX-\n", None)).len(), 2);
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for (text, message) in [
            (
                "~+\n+~\n",
                "1:1: it is not clear which of '~' and '+' is a filled cell: draw with # and .",
            ),
            (
                "\n-_\n__\n",
                "2:1: it is not clear which of '-' and '_' is a filled cell: draw with # and .",
            ),
            (
                "X X\n\nX X\n X\n",
                "2:1: an empty line may be a row of empty cells or divide two pictures: draw empty cells as .",
            ),
            (
                "X X\nX X\n",
                "1:1: blanks may be empty cells or stand between 2 cells: draw empty cells as .",
            ),
            ("#?\n?#\n", "1:2: '?' in a grid: a cell is '#' or '.'"),
            (
                "00100\n0111\n11111\n",
                "2:1: a row of length 4 in a grid of width 5",
            ),
        ] {
            assert!(looks_like(text), "{text:?}");
            assert_eq!(failure(read(text, None)), message, "{text:?}");
        }
    }

    #[test]
    fn numbers_and_letters_that_are_clues_are_left_to_their_readers() {
        for text in [
            // QNonograms: ten rows and columns of ten cells each.
            &"10\n".repeat(22),
            // Wilk: one cell.
            "1 1\n1 0\n0 1\n",
            // Clues of a line each; all are 1, and the columns have none beside.
            "1\n0\n\n1\n0\n",
            "A\nA\n",
            "AB\nBA\n",
            "12\n21\n",
            "1 2\n2 1\n",
            "2 0\n0 2\n",
            "1\n1\n1\n\n1\n",
            "1 1\n1\n1\n",
            "11\n11\n",
            "ab\nba\n",
        ] {
            assert!(!looks_like(text), "{text:?}");
        }
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
            failure(read("#.\n.?\n", None)),
            "2:2: '?' in a grid: a cell is '#' or '.'"
        );
        assert_eq!(
            failure(read(",\n", None)),
            "1:1: there is no cell in this row"
        );
        assert!(looks_like("..?##?\n?#..??\n") && looks_like("#X.\n"));
        let text = format!("{TEXT}\n#.\n#\n##\n\n{TEXT}");
        let found = all(read(&text, None));
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[1].as_ref().unwrap_err().to_string(),
            "6:1: a row of length 1 in a grid of width 2"
        );
        assert_eq!(clues(found[2].as_ref().unwrap()), NOTCH);
    }
}
