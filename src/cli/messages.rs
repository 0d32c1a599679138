//! What is said beside the answers: messages on standard error. Where nobody can read them nothing is lost.

use std::io::{self, Write};

use omnogram::error::Error;

use super::status::Status;

/// One message. Titles and file names may hold anything: what would steer the terminal is not passed on to it.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(text));
}

/// A text without control characters other than line breaks.
pub(super) fn harmless(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

/// A text of one line without control characters.
pub(super) fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
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
    let mut text = format!("{what}: {error}");
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
