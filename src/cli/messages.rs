//! What is said beside the answers: messages on standard error. Where nobody can read them nothing is lost.
//!
//! Titles and file names may hold anything. What would steer a terminal, or reorder the text around it, is never printed as it is.

use std::borrow::Cow;
use std::io::{self, Write};

use omnogram::error::Error;

use super::status::Status;

/// One message, of one line or several.
pub(super) fn note(text: &str) {
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// A name or a title as it is printed in a line of text: control characters, those that break lines among them, and those that change
/// the direction of writing are escaped, such as `\u{1b}`.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    let steers =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(steers) {
        return text.into();
    }
    let mut escaped = String::new();
    for c in text.chars() {
        match steers(c) {
            true => escaped.extend(c.escape_default()),
            false => escaped.push(c),
        }
    }
    escaped.into()
}

/// Something that does not change the answer, but that its reader should know.
pub(super) fn warning(text: &str) {
    note(&format!("warning: {text}"));
}

/// Something that went wrong, and the exit status that this means.
pub(super) fn failed(error: &Error) -> Status {
    self::error(error);
    Status::from(error)
}

/// An error.
pub(super) fn error(error: &Error) {
    placed("error", error);
}

/// An error that has not changed the answer.
pub(super) fn warned(error: &Error) {
    placed("warning", error);
}

/// With the place if it has one, in one piece so that nothing comes in between. Of a line of which only the number is known, nothing is
/// shown.
fn placed(what: &str, error: &Error) {
    let mut text = format!("{what}: {}", escaped(&error.to_string()));
    let known = error.place().is_some_and(|place| !place.text.is_empty());
    for line in error
        .excerpt()
        .filter(|_| known)
        .unwrap_or_default()
        .lines()
    {
        text.push_str("\n  ");
        text.push_str(line);
    }
    note(&text);
}
