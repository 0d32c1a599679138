//! Clues as people type and paste them: one line of text for each line of the puzzle, the rows under a line `rows` and the columns under a
//! line `columns`; or, without such heads, first the rows and then the columns, with a line `---` or blank lines between them.
//!
//! Numbers are separated by blanks, commas, semicolons or dots, in brackets or not; `0`, `-` or `.` is an empty line. Blank lines do not
//! count but for those that divide the two sides.

use super::fragment::{self, Fragment};
use super::number::{is_number, number, sides};
use super::side::Side;
use super::{cwd, nin};
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Puzzle};

/// The lines of both sides.
struct Outline<'a> {
    rows: Vec<Fragment<'a>>,
    columns: Vec<Fragment<'a>>,
    /// Whether words or a rule tell the sides, so that it can be no other format.
    is_marked: bool,
}

pub(super) fn looks_like(text: &str) -> bool {
    let Some(outline) = outline(text) else {
        return is_list(text);
    };
    if outline.is_marked {
        return true;
    }
    // Two groups of numbers may also begin with the sizes of another format, which tell how many lines each group has.
    let numbers = |line: &Fragment<'_>| -> Vec<usize> {
        line.words().filter_map(|word| number(word.text)).collect()
    };
    let lines: Vec<Vec<usize>> = outline.rows.iter().take(2).map(numbers).collect();
    let (above, below) = (outline.rows.len(), outline.columns.len());
    let (other, fits): (fn(&str) -> Result<Puzzle>, bool) = match &lines[..] {
        [first, ..] if first.len() == 2 => (nin::read, above == first[1] + 1 && below == first[0]),
        [first, second] if first.len() == 1 && second.len() == 1 => {
            (cwd::read, above == first[0] + 2 && below == second[0])
        }
        _ => return true,
    };
    let is_balanced = |puzzle: &Puzzle| {
        let (in_rows, in_columns) = puzzle.sums();
        in_rows == in_columns
    };
    !fits && (other(text).is_err() || read(text).is_ok_and(|puzzle| is_balanced(&puzzle)))
}

pub(super) fn read(text: &str) -> Result<Puzzle> {
    let Some(outline) = outline(text) else {
        let message = "there must be one line rows and one line columns above the clues, or a single line --- between rows and columns";
        let first = Fragment::nonblank_lines(text).next();
        return Err(first.map_or(Error::data("the file is empty"), |line| line.error(message)));
    };
    let start = Fragment::nonblank_lines(text).next();
    let start = start.unwrap_or(Fragment::line(1, ""));
    if let Some(line) = unclear_gap(&outline) {
        return Err(line.error(
            "is there an empty clue before this line? write 0 for an empty line of the puzzle",
        ));
    }
    fragment::puzzle(&outline.rows, &outline.columns, start, clue)
}

pub(super) fn write(puzzle: &Puzzle) -> Result<String> {
    Ok(sides("rows\n".to_owned(), puzzle, "\ncolumns\n", "0"))
}

/// The first clue of a side that blank lines divide from the one before, unless they divide all: some people mean an empty clue by them.
fn unclear_gap<'a>(outline: &Outline<'a>) -> Option<Fragment<'a>> {
    let sides = [&outline.rows, &outline.columns];
    let pairs = || sides.into_iter().flat_map(|side| side.windows(2));
    let has_gap = |pair: &&[Fragment<'a>]| pair[1].number > pair[0].number + 1;
    let first = pairs().find(has_gap)?;
    (!pairs().all(|pair| has_gap(&pair))).then(|| first[1])
}

/// Whether there is nothing but clues, heads and rules. The sides may be unclear, which is an error.
fn is_list(text: &str) -> bool {
    let mut lines = Fragment::nonblank_lines(text);
    let mark = |line| head(line).is_some() || is_rule(line);
    lines.clone().any(mark) && lines.all(|line| mark(line) || is_clue(line))
}

/// The lines of both sides; `None` if the text has another form. With heads, or with a rule, up to half of the lines may be no clues, so that
/// the reader can say what is wrong with them.
fn outline(text: &str) -> Option<Outline<'_>> {
    let first = Fragment::nonblank_lines(text).next()?;
    if let Some(side) = head(first) {
        return under_heads(text, side);
    }
    // Most other formats are told by their first line.
    if !is_clue(first) {
        return None;
    }
    let lines = || Fragment::nonblank_lines(text);
    let mut rules = lines().filter(|line| is_rule(*line));
    match (rules.next(), rules.next()) {
        (None, _) => in_two_groups(text),
        (Some(rule), None) => {
            let (rows, below): (Vec<_>, Vec<_>) =
                lines().partition(|line| line.number < rule.number);
            let columns = below.into_iter().skip(1).collect();
            mostly_clues(Outline {
                rows,
                columns,
                is_marked: true,
            })
        }
        (Some(_), Some(_)) => None,
    }
}

fn under_heads(text: &str, mut side: Side) -> Option<Outline<'_>> {
    let mut outline = Outline {
        rows: Vec::new(),
        columns: Vec::new(),
        is_marked: true,
    };
    let mut heads = 0;
    for line in Fragment::nonblank_lines(text) {
        if let Some(named) = head(line) {
            heads += 1;
            // The second head is that of the other side.
            if heads > 2 || (heads == 2) == (named == side) {
                return None;
            }
            side = named;
        } else if !is_rule(line) {
            match side {
                Side::Rows => outline.rows.push(line),
                Side::Columns => outline.columns.push(line),
            }
        }
    }
    if heads == 2 {
        mostly_clues(outline)
    } else {
        None
    }
}

fn mostly_clues(outline: Outline<'_>) -> Option<Outline<'_>> {
    let lines = || outline.rows.iter().chain(&outline.columns);
    let clues = lines()
        .filter(|line| is_clue(**line) || is_coloured(**line))
        .count();
    (2 * clues >= lines().count()).then_some(outline)
}

/// Two groups of clues with blank lines between them.
fn in_two_groups(text: &str) -> Option<Outline<'_>> {
    let mut groups: Vec<Vec<Fragment<'_>>> = Vec::new();
    let mut before_is_blank = true;
    for line in Fragment::lines(text).map(Fragment::trim) {
        let is_blank = line.is_blank();
        if !is_blank {
            if !is_clue(line) || may_be_drawn(line) || (before_is_blank && groups.len() == 2) {
                return None;
            }
            if before_is_blank {
                groups.push(Vec::new());
            }
            groups.last_mut()?.push(line);
        }
        before_is_blank = is_blank;
    }
    let [rows, columns] = <[_; 2]>::try_from(groups).ok()?;
    Some(Outline {
        rows,
        columns,
        is_marked: false,
    })
}

/// The side whose clues follow this line.
fn head(line: Fragment<'_>) -> Option<Side> {
    Side::named(line.text.trim_end_matches(':').trim_end())
}

fn is_rule(line: Fragment<'_>) -> bool {
    let text = line.text;
    text.len() >= 3
        && ["-", "=", "_"]
            .iter()
            .any(|c| text.trim_matches(|t| c.starts_with(t)).is_empty())
}

/// The line without the brackets of a list and the comma after it.
fn bare(line: Fragment<'_>) -> Fragment<'_> {
    let text = line.text.trim();
    let listed = text.strip_suffix(',').unwrap_or(text);
    let inner = |open, close| listed.strip_prefix(open)?.strip_suffix(close);
    line.at(inner('[', ']').or(inner('(', ')')).unwrap_or(text))
        .trim()
}

fn separates(c: char) -> bool {
    c.is_whitespace() || ",;.".contains(c)
}

fn is_empty_line(text: &str) -> bool {
    matches!(text, "" | "-" | ".")
}

/// Whether a line has the form of a clue.
fn is_clue(line: Fragment<'_>) -> bool {
    let text = bare(line).text;
    let mut words = text.split(separates).filter(|word| !word.is_empty());
    is_empty_line(text) || text.starts_with(|c: char| c.is_ascii_digit()) && words.all(is_number)
}

/// Whether a line has the form of a clue in colour, which is refused in words.
fn is_coloured(line: Fragment<'_>) -> bool {
    let digits = line.text.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_letter = digits.starts_with(|c: char| c.is_ascii_alphabetic());
    line.colour().is_some() || (has_letter && digits.len() < line.text.len())
}

/// Whether a line may as well be a row of a drawing in 0 and 1: it has a zero beside other digits.
fn may_be_drawn(line: Fragment<'_>) -> bool {
    let text = line.text;
    text.len() > 1 && text.split(separates).any(|word| word.starts_with('0'))
}

fn clue(line: Fragment<'_>) -> Result<Clue> {
    let line = bare(line);
    if is_empty_line(line.text) {
        return Clue::new([]);
    }
    line.clue_between(separates)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_notch, assert_refused, clues, one};
    use super::*;

    const TEXT: &str = "rows\n2\n1 1\n4\n\ncolumns\n2\n1 1\n1 1\n2\n";

    #[test]
    fn heads_a_rule_or_a_blank_line_divide_the_sides() {
        assert!(looks_like(TEXT));
        assert_notch(read, write, TEXT);
        for text in [
            "Rows:\n\n2\n1,1\n4\nColumns:\n2\n1,1\n1,1\n2",
            "Rows:\n2\n\n1,1\n\n4\n\nColumns:\n2\n\n1,1\n\n1,1\n\n\n2",
            "columns\n2\n1 1\n1 1\n2\nrows\n2\n1 1\n4",
            "ROW CLUES\n[2],\n[1, 1],\n[4]\ncol clues\n[2],\n[1, 1],\n[1, 1],\n[2]\n",
            "2\n1 1\n4\n---\n2\n1 1\n1 1\n2\n",
            "  2\n1.1\n4\n=====\n2\n1;1\n(1 1)\n2\n",
            "2\n1 1\n4\n\n2\n1 1\n1 1\n2\n",
            "\r\n2\r\n1 1\r\n4\r\n\r\n\r\n2\r\n1 1\r\n1 1\r\n2\r\n\r\n",
            "row\n2\n1 1\n4\n-----\nvertical\n2\n1 1\n1 1\n2\n",
        ] {
            assert!(looks_like(text), "{text:?}");
            assert_eq!(clues(&one(read(text))), NOTCH, "{text:?}");
        }
        assert_eq!(clues(&one(read("1\n-\n---\n0\n1"))), "1/0 | 0/1");
    }

    #[test]
    fn other_formats_with_two_groups_are_left_to_their_readers() {
        for text in [
            // QNonograms, Wilk, pictures, Simpson.
            "3\n4\n2\n1 1\n4\n\n2\n1 1\n1 1\n2\n",
            "4 3\n2\n1 1\n4\n\n2\n1 1\n1 1\n2\n",
            "00100\n01110\n\n00100\n01110\n",
            "title x\nwidth 4\nheight 3\nrows\n2\n1,1\n4\ncolumns\n2\n1,1\n1,1\n2\n",
            "rows\nthe clues\nof the rows\ncolumns\nand of the columns\n",
            "1 1\n\n1\n\n1\n",
            "",
        ] {
            assert!(!looks_like(text), "{text:?}");
        }
        // Two groups of equal length are no sizes and clues of QNonograms.
        assert!(looks_like("1\n1\n\n1\n1\n") && looks_like("2\n2\n0\n\n2\n2\n0\n"));
        // The sizes of QNonograms would not leave as many cells in the rows as in the columns.
        assert!(looks_like("3\n3\n1\n1\n\n4\n2\n2\n0\n"));
    }

    #[test]
    fn errors_have_their_place() {
        let cases = [
            (
                "rows\n2\n1 x\n4\ncolumns\n2\n1\n1\n2",
                "3:3: 'x' in a clue: a clue is a list of numbers",
            ),
            (
                "rows\n2\n1 3\ncolumns\n2\n1\n1\n2",
                "3:1: the clue 1 3 of row 2 needs 5 cells, but the line has 4",
            ),
            ("rows\ncolumns\n1", "1:1: this puzzle has no rows"),
            (
                "rows\n1\n\n2\ncolumns\n1\n2\n",
                "4:1: is there an empty clue before this line? write 0 for an empty line of the puzzle",
            ),
            (
                "1\n1\n2\n---\n1\n\n3\n",
                "7:1: is there an empty clue before this line? write 0 for an empty line of the puzzle",
            ),
            (
                "rows\n1r 1b\n2b\ncolumns\n1r\n1b\n",
                "2:2: \"r\" is a colour: only black-and-white puzzles can be read so far",
            ),
            (
                "\nrows\n2\n1\n",
                "2:1: there must be one line rows and one line columns above the clues, or a single line --- between rows and columns",
            ),
            (
                "rows\n3a\n1\n1\ncolumns\n1\n1\n1",
                "2:2: \"a\" is a colour: only black-and-white puzzles can be read so far",
            ),
        ];
        assert_refused(read, &cases);
    }
}
