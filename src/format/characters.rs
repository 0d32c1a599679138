//! The characters of a drawing: which of its two kinds are the filled cells.

use crate::error::{Error, Remedy, Result};

/// A mark after some characters that asks for their form as an emoji. It is no cell.
const EMOJI_FORM: char = '\u{fe0f}';

/// Whether a character usually stands for a filled cell or for an empty one; `None` if it does for neither.
pub(super) fn usual(c: char) -> Option<bool> {
    match c {
        '#' | '█' | '▓' | '■' | '◼' | '◾' | '⬛' | '●' | '⚫' | 'X' | 'x' | '1' | '@' | '*' => {
            Some(true)
        }
        '.' | '░' | '□' | '◻' | '◽' | '⬜' | '·' | '-' | '_' | '0' | ' ' => Some(false),
        _ => None,
    }
}

/// Whether a character stands for no cell where blanks are none: a blank, a comma between two cells, or the mark of an emoji.
pub(super) fn is_between(c: char) -> bool {
    c.is_whitespace() || c == ',' || c == EMOJI_FORM
}

/// Whether a character stands for an unknown cell, or for half a cell or less.
fn is_no_cell(c: char) -> bool {
    matches!(c, '?' | '\u{2580}'..='\u{2587}' | '\u{2589}'..='\u{2590}' | '\u{2594}'..='\u{259f}')
}

/// Whether a character is a cross or a circle. Some people fill the one, some the other.
fn is_cross(c: char) -> bool {
    matches!(c, 'x' | 'X' | '×' | '✕' | '✗')
}

fn is_circle(c: char) -> bool {
    matches!(c, 'o' | 'O' | '○' | '◯' | '⭕')
}

/// Whether blanks are the empty cells of a drawing with these rows: there is one other character, which stands for filled cells and is no
/// digit, and blanks stand before or between some of them.
pub(super) fn blank_is_empty<'a>(rows: impl Iterator<Item = &'a str>) -> bool {
    let (mut filled, mut has_empty, mut height) = (None, false, 0);
    for row in rows {
        let row = row.trim_end();
        height += usize::from(!row.is_empty());
        for c in row.chars() {
            if c == ' ' {
                has_empty = true;
            } else if usual(c) != Some(true) || c == '1' || *filled.get_or_insert(c) != c {
                return false;
            }
        }
    }
    has_empty && height > 1
}

/// The kinds of characters of a drawing, of which there are not more than two, in the order in which they come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(Vec<char>);

impl Kinds {
    /// The kinds of these cells; `None` if there are more than two, or some that can be no cells.
    pub(super) fn of(mut cells: impl Iterator<Item = char>) -> Option<Self> {
        let mut kinds = Vec::new();
        let are_all = cells.all(|cell| {
            let is_known = kinds.contains(&cell);
            let is_new = !is_known && kinds.len() < 2 && !is_no_cell(cell);
            kinds.extend(is_new.then_some(cell));
            is_known || is_new
        });
        are_all.then_some(Kinds(kinds))
    }

    /// Whether there are both filled and empty cells, as far as one kind at least is known to be either.
    pub(super) fn are_told_apart(&self) -> bool {
        self.0.len() == 2 && self.filled().is_some()
    }

    /// The kinds themselves.
    pub(super) fn characters(&self) -> &[char] {
        &self.0
    }

    /// Tells whether a cell of the drawing is filled. With `filled`, that kind is, and no other.
    ///
    /// # Errors
    ///
    /// If it is not clear which kind is filled, with no place.
    pub(super) fn meaning(&self, filled: Option<char>) -> Result<impl Fn(char) -> bool + use<>> {
        let filled = match (filled, &self.0[..]) {
            (Some(filled), kinds) if !kinds.contains(&filled) => {
                return Err(Error::data(format!(
                    "no cell of this drawing is {filled:?}"
                )));
            }
            (Some(filled), _) => Some(filled),
            (None, []) => None,
            (None, &[only]) => match usual(only) {
                Some(is_filled) => Some(only).filter(|_| is_filled),
                None => return Err(doubt(&format!("whether {only:?} is"))),
            },
            (None, &[one, other, ..]) => match self.filled() {
                Some(filled) => Some(filled),
                None => return Err(doubt(&format!("which of {one:?} and {other:?} is"))),
            },
        };
        Ok(move |c| Some(c) == filled)
    }

    /// The filled one of two kinds, if they are known: one by itself, or by being not the other.
    fn filled(&self) -> Option<char> {
        let &[one, other] = &self.0[..] else {
            return None;
        };
        if is_cross(one) && is_circle(other) || is_circle(one) && is_cross(other) {
            return None;
        }
        match (usual(one), usual(other)) {
            (Some(true), Some(false) | None) | (None, Some(false)) => Some(one),
            (Some(false), Some(true) | None) | (None, Some(true)) => Some(other),
            (Some(true), Some(true)) | (Some(false), Some(false)) | (None, None) => None,
        }
    }
}

/// The rows of a drawing with `#` for filled cells and `.` for empty ones, or as they are if it is not clear which are which. `?` is kept.
pub(super) fn plain(rows: Vec<String>) -> Vec<String> {
    let all_count = blank_is_empty(rows.iter().map(String::as_str));
    let is_cell = |c: &char| all_count || !is_between(*c);
    let cells = rows.iter().flat_map(|row| row.chars().filter(is_cell));
    let kinds = Kinds::of(cells.filter(|c| *c != '?'));
    let Some(Ok(is_filled)) = kinds.map(|kinds| kinds.meaning(None)) else {
        return rows;
    };
    let drawn = |c| match c {
        '?' => '?',
        c if is_filled(c) => '#',
        _ => '.',
    };
    let rows = rows.iter();
    rows.map(|row| row.chars().filter(is_cell).map(drawn).collect())
        .collect()
}

fn doubt(what: &str) -> Error {
    let message = format!("it is not clear {what} a filled cell: draw with # and .");
    Error::data(message).with_remedy(Remedy::Filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(drawing: &str) -> String {
        let kinds = Kinds::of(drawing.chars()).unwrap();
        match kinds.meaning(None) {
            Ok(is_filled) => drawing.chars().filter(|&c| is_filled(c)).collect(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn two_kinds_are_told_apart_by_one_that_is_known() {
        for (drawing, expected) in [
            ("#..", "#"),
            ("⬛⬜", "⬛"),
            ("10", "1"),
            ("X ", "X"),
            ("o.", "o"),
            ("@-", "@"),
            ("..", ""),
            ("██", "██"),
        ] {
            assert_eq!(filled(drawing), expected, "{drawing}");
        }
        for drawing in ["ab", "#X", ".0", "a", "XO", "○×", "xo"] {
            assert!(
                filled(drawing).starts_with("it is not clear wh"),
                "{drawing}"
            );
        }
        assert_eq!(Kinds::of("#.?".chars()), None);
        assert_eq!(Kinds::of("#?".chars()), None);
        assert_eq!(Kinds::of("█▄".chars()), None);
        assert!(Kinds::of("ab".chars()).unwrap().meaning(Some('q')).is_err());
        let kinds = Kinds::of("ab".chars()).unwrap();
        assert!(
            kinds
                .meaning(Some('b'))
                .is_ok_and(|is_filled| is_filled('b') && !is_filled('a'))
        );
    }
}
