//! Objects of JSON, each on one line.

use omnogram::error::Error;
use serde::Serialize;

use super::messages;

/// The object for an input that is not a puzzle, so that there is one object per input, with its line break.
pub(super) fn error_line(name: &str, error: &Error) -> String {
    #[derive(Serialize)]
    struct NotAPuzzle<'a> {
        puzzle: &'a str,
        error: String,
    }
    json_line(&NotAPuzzle {
        puzzle: name,
        error: error.to_string(),
    })
}

/// A number rounded to six decimals, in seconds a microsecond.
pub(super) fn round_to_micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// An object on one line, with its line break. Characters that control a terminal are escaped, also those that JSON allows as they are.
/// Only strings have them, so that the value stays the same.
pub(super) fn json_line(object: &impl Serialize) -> String {
    let mut line = serde_json::to_string(object)
        .expect("strings, numbers and lists of them can always be serialized");
    if line.contains(messages::steers) {
        let mut escaped = String::with_capacity(line.len() + 64);
        for c in line.chars() {
            if messages::steers(c) {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)))
            } else {
                escaped.push(c)
            }
        }
        line = escaped;
    }
    line.push('\n');
    line
}
