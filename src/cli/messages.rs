//! Messages on standard error; answers go to standard output. A failure to write a message is ignored.
//!
//! Titles and file names may hold any character. Those that would control the terminal or reorder the text around them are escaped.

use std::borrow::Cow;
use std::io::{self, Write};

use omnogram::error::{Error, Remedy};

use super::status::{Answered, Failure, Status};

/// Prints a message of one or more lines.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", escaped_lines(text));
}

/// A text of one or more lines, each [escaped].
pub(super) fn escaped_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    lines.join("\n")
}

/// A name or a title for one line of text: control characters, line breaks among them, and characters that change the writing direction are
/// escaped, such as `\u{1b}`.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return text.into();
    }
    let mut escaped = String::new();
    for c in text.chars() {
        if steers(c) {
            escaped.extend(c.escape_default())
        } else {
            escaped.push(c)
        }
    }
    escaped.into()
}

/// Whether a character controls the terminal, or changes the writing direction.
pub(super) fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Prints a warning: it does not change the answer, but its reader should know it.
pub(super) fn warning(text: &str) {
    note(&format!("warning: {text}"));
}

/// Prints an error, and returns its exit status.
pub(super) fn error(error: &Error) -> Status {
    print_error("error", error);
    Status::from(error)
}

impl Failure {
    /// Prints the error, and returns the exit status. A verb passes its failures on with `?`, and this is called at the end of the run;
    /// only what must go on after a failure of one part calls it by itself.
    pub(super) fn report(self) -> Status {
        match self {
            Failure::Closed => Status::Stopped,
            Failure::Error(failed) => error(&failed),
        }
    }
}

impl Status {
    /// The graver of this status and that of a further part of the run, whose error is printed.
    pub(super) fn and(self, part: Answered<()>) -> Status {
        self.max(part.map_or_else(Failure::report, |()| Status::Complete))
    }
}

/// The option of the command that can do something about an error.
fn hint(error: &Error) -> &'static str {
    match error.remedy() {
        Some(Remedy::Format) => "; omnogram help convert lists them",
        Some(Remedy::Size) => "; convert --size scales the picture down",
        Some(Remedy::Filled) => ", or convert --filled with its character",
        _ => "",
    }
}

/// Prints an error, or as a `what` one that has not changed the answer, with its excerpt if the text of the line is known, in one write so
/// that other output cannot come in between.
pub(super) fn print_error(what: &str, error: &Error) {
    let mut text = format!("{what}: {}{}", escaped(&error.to_string()), hint(error));
    let known = error.place().is_some_and(|place| !place.text.is_empty());
    let excerpt = error.excerpt().filter(|_| known).unwrap_or_default();
    for line in excerpt.lines() {
        text += &format!("\n  {line}");
    }
    note(&text);
}
