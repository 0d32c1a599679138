//! Writes a puzzle in the `.non` format, in the form that all programs read: an empty clue as `0`, the goal in one line.

use super::super::number::numbers;
use crate::puzzle::{Line, Puzzle};

/// The puzzle as `.non` text, which reads back as the same puzzle.
pub fn write(puzzle: &Puzzle) -> String {
    let notes = puzzle.notes();
    let mut text = String::new();
    let properties = [
        ("catalogue", &notes.catalogue),
        ("title", &notes.title),
        ("by", &notes.author),
        ("copyright", &notes.copyright),
        ("license", &notes.license),
    ];
    for (word, value) in properties {
        let Some(value) = value else { continue };
        // A licence code is written without quotes.
        let code = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
        if word == "license" && !value.is_empty() && value.bytes().all(code) {
            text += &format!("{word} {value}\n");
        } else {
            text += &format!("{word} \"{}\"\n", escape(value));
        }
    }
    text += &format!("width {}\nheight {}\n", puzzle.width(), puzzle.height());
    for (word, clues) in [("rows", puzzle.rows()), ("columns", puzzle.columns())] {
        text += &format!("\n{word}\n");
        numbers(&mut text, clues, ",", "0");
    }
    if let Some(goal) = &notes.goal {
        text += "\ngoal \"";
        for row in 0..goal.height() {
            text.extend(
                goal.cells(Line::Row(row))
                    .map(|filled| if filled { '1' } else { '0' }),
            );
        }
        text += "\"\n";
    }
    text
}

/// Escapes quotes and line breaks by character references, which the reader decodes.
fn escape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => text += "&amp;",
            '"' => text += "&quot;",
            '\n' => text += "&#10;",
            '\r' => text += "&#13;",
            c => text.push(c),
        }
    }
    text
}
