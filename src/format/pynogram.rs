//! The "simple" formats of pynogram (INI) and nonogrid (TOML): a section `[clues]` with `columns` and `rows`, whose clues are separated
//! by commas and line breaks, possibly in quotes; the numbers of a clue are separated by blanks. `#` and `;` begin a comment, and blank
//! lines are ignored, so an empty line must be a `0`. A `[colors]` section gives letters for clues in colour.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fragment::{self, Fragment};
use super::place::{locate, offset};
use crate::error::{Error, Result};
use crate::puzzle::{Clue, Puzzle};

/// Whether there is a section `[clues]` in which the value of the first side is one quoted string.
pub(super) fn looks_like_toml(text: &str) -> bool {
    let values = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        ["rows", "columns"]
            .contains(&key.trim())
            .then(|| value.trim())
    });
    let quoted = |value: &str| {
        let bare = without_comment(value).trim();
        ["\"\"\"", "'''"]
            .iter()
            .any(|quotes| value.starts_with(quotes))
            || ['"', '\''].iter().any(|&quote| {
                let inner = bare
                    .strip_prefix(quote)
                    .and_then(|rest| rest.strip_suffix(quote));
                inner.is_some_and(|inner| !inner.contains(quote))
            })
    };
    looks_like_ini(text) && values.map(quoted).next().unwrap_or(false)
}

/// Whether there is a section `[clues]`.
pub(super) fn looks_like_ini(text: &str) -> bool {
    text.lines()
        .any(|line| without_comment(line).trim() == "[clues]")
}

/// A line without its comment.
fn without_comment(line: &str) -> &str {
    &line[..line.find(['#', ';']).unwrap_or(line.len())]
}

/// The clues in a line.
fn clues<'a>(line: Fragment<'a>) -> impl Iterator<Item = Fragment<'a>> {
    let unquoted = |part: Fragment<'a>| part.at(part.text.trim().trim_matches(['"', '\'']));
    let clues = line.at(without_comment(line.text)).split(',').map(unquoted);
    clues.filter(|clue| !clue.is_blank())
}

/// Reads a puzzle in an INI file.
pub(super) fn read_ini(text: &str) -> Result<Puzzle> {
    let (mut rows, mut columns) = (None, None);
    let mut head = None;
    // Whether the current line is in the section, and the side to which its clues belong.
    let mut inside = false;
    let mut side: Option<&mut Option<Vec<Fragment<'_>>>> = None;
    for line in Fragment::lines(text) {
        let bare = without_comment(line.text).trim();
        if bare.starts_with('[') && bare.ends_with(']') {
            inside = bare == "[clues]";
            head = head.or(inside.then_some(line));
            side = None;
            continue;
        }
        let value = bare.split_once(['=', ':']).filter(|_| inside);
        let Some((key, value)) = value else {
            if let Some(Some(parts)) = &mut side {
                parts.extend(clues(line));
            }
            continue;
        };
        side = match key.trim() {
            "rows" => Some(&mut rows),
            "columns" => Some(&mut columns),
            _ => None,
        };
        if let Some(side) = &mut side {
            if side.is_some() {
                return Err(line.error(format!("{} are given twice", key.trim())));
            }
            **side = Some(clues(line.at(value)).collect());
        }
    }
    let head = head.unwrap_or(Fragment::line(1, text.lines().next().unwrap_or_default()));
    let missing = |side: &str| head.error(format!("there are no {side} in the section [clues]"));
    let rows = rows.ok_or_else(|| missing("rows"))?;
    let columns = columns.ok_or_else(|| missing("columns"))?;
    fragment::puzzle(&rows, &columns, head, Fragment::clue)
}

/// Reads a puzzle in a TOML file.
pub(super) fn read_toml(text: &str) -> Result<Puzzle> {
    let document = DeTable::parse(text).map_err(|error| {
        let Range { start, .. } = error.span().unwrap_or_default();
        let words = error.message().lines().collect::<Vec<_>>().join(": ");
        let start = (0..=start.min(text.len()))
            .rev()
            .find(|&i| text.is_char_boundary(i));
        let here = &text[start.unwrap_or_default()..];
        locate(
            Error::data(format!("this is not the TOML of a puzzle: {words}")),
            text,
            here,
        )
    })?;
    let head = Fragment::lines(text).find(|line| line.text.trim() == "[clues]");
    let head = head.unwrap_or(Fragment::line(1, text.lines().next().unwrap_or_default()));
    let section = document.get_ref().get("clues").map(Spanned::get_ref);
    let side = |name: &str| match section.and_then(|section| section.get(name)) {
        Some(value) => match value.get_ref() {
            DeValue::String(string) => Ok(clues_of(text, value.span(), string)),
            _ => Err(locate(
                Error::data(format!("the {name} are not one text in quotes")),
                text,
                &text[value.span().start..],
            )),
        },
        None => Err(head.error(format!("there are no {name} in the section [clues]"))),
    };
    fragment::puzzle(&side("rows")?, &side("columns")?, head, Fragment::clue)
}

/// The clues in a string, with their places in the file; only the first line is known if the string contains escapes.
fn clues_of<'a>(text: &'a str, span: Range<usize>, value: &'a str) -> Vec<Fragment<'a>> {
    let Range { start, end } = span;
    let (start, end) = match text[start..end].find(value) {
        Some(at) => (start + at, start + at + value.len()),
        None => {
            let number = text[..start].matches('\n').count() + 1;
            let lines = value.lines().map(|line| Fragment::line(number, line));
            return lines.flat_map(clues).collect();
        }
    };
    let lines = Fragment::lines(text).filter_map(|line| {
        let from = offset(text, line.text);
        let (first, last) = (from.max(start), (from + line.text.len()).min(end));
        (first < last).then(|| line.at(&text[first..last]))
    });
    lines.flat_map(clues).collect()
}

/// The clues of a side, one per line.
fn lines(clues: &[Clue]) -> String {
    clues.iter().map(|clue| format!("  {clue}\n")).collect()
}

/// The puzzle as INI text.
pub(super) fn write_ini(puzzle: &Puzzle) -> Result<String> {
    let (columns, rows) = (lines(puzzle.columns()), lines(puzzle.rows()));
    Ok(format!("[clues]\ncolumns =\n{columns}\nrows =\n{rows}"))
}

/// The puzzle as TOML text.
pub(super) fn write_toml(puzzle: &Puzzle) -> Result<String> {
    let (columns, rows) = (lines(puzzle.columns()), lines(puzzle.rows()));
    Ok(format!(
        "[clues]\ncolumns = \"\"\"\n{columns}\"\"\"\nrows = \"\"\"\n{rows}\"\"\"\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTCH, assert_refused, clues, one};
    use super::*;

    const TOML: &str = "[clues]\ncolumns = \"2, 1 1, 1 1, 2\"\nrows = \"2, 1 1, 4\"\n";
    const INI: &str = "[clues]\ncolumns=2,1 1,1 1,2\nrows=2,1 1,4\n";

    #[test]
    fn ini_and_toml_are_distinguished() {
        assert!(looks_like_toml(TOML) && looks_like_ini(INI) && !looks_like_toml(INI));
        let quoted = "[clues]\ncolumns = \"2\", \"1 1\"\nrows = '2'  , '1'\n";
        assert!(!looks_like_toml(quoted));
        assert!(looks_like_toml("[clues]\nrows = \"\"\" 3 # three"));
        assert!(!looks_like_ini("clues\nrows = 2"));
    }

    #[test]
    fn ini_and_toml_are_read() {
        assert_eq!(clues(&one(read_toml(TOML))), NOTCH);
        assert_eq!(clues(&one(read_ini(INI))), NOTCH);
        let ini = "; by us\n[colors]\nr = (red) %\n[clues]\ncolumns =\n  2 # first\n\n  \"1 1\", '1 1',\n  2\nrows: 2\n1 1; 9\n4\n[x]\n5\n";
        assert_eq!(clues(&one(read_ini(ini))), NOTCH);
        let toml = "[colors]\ndefs = ['r = (red) %']\n[clues]\ncolumns = \"\"\"\r\n2 # first\r\n\r\n1 1, '1 1',\r\n2\"\"\"\r\nrows = '''2\n1 1 ; 9\n4'''\n";
        assert_eq!(clues(&one(read_toml(toml))), NOTCH);
        let escaped = "clues.rows = \"2\\t\\n1 1\\n4\"\nclues.columns = '2,1 1,1 1,2'";
        assert_eq!(clues(&one(read_toml(escaped))), NOTCH);
        for (text, written) in [
            (
                write_ini(&one(read_ini(INI))),
                read_ini as fn(&str) -> Result<Puzzle>,
            ),
            (write_toml(&one(read_ini(INI))), read_toml),
        ] {
            assert_eq!(clues(&one(written(&text.unwrap()))), NOTCH);
        }
    }

    #[test]
    fn errors_have_a_place() {
        let coloured = TOML.replace("2, 1 1, 4", "2, 1 1r, 4");
        let cases = [
            (
                &*coloured,
                "3:15: \"r\" is a colour: only black-and-white puzzles can be read so far",
            ),
            (
                "[clues]\nrows = \"\"\"\n1\n1 1\"\"\"\ncolumns = '1,1'",
                "4:1: the clue 1 1 of row 2 needs 3 cells, but the line has 2",
            ),
            (
                "[clues]\nrows = \"1\\u0020x\"\ncolumns = '1'",
                "2:3: 'x' in a clue: a clue is a list of numbers",
            ),
            (
                "[clues]\nrows = '1'\n",
                "1:1: there are no columns in the section [clues]",
            ),
            (
                "[clues]\nrows = 1\ncolumns = '1'",
                "2:8: the rows are not one text in quotes",
            ),
        ];
        assert_refused(read_toml, &cases);
        let cases = [
            (
                "x\n[clues]\nrows = 1\n",
                "2:1: there are no columns in the section [clues]",
            ),
            ("[clues]\nrows = 1\nrows = 2\n", "3:1: rows are given twice"),
        ];
        assert_refused(read_ini, &cases);
    }
}
