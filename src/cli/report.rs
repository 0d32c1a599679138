//! The answer as JSON: one object for each puzzle, on one line.

use omnogram::error::Error;
use serde::Serialize;

use super::messages;
use super::subject::Subject;

/// The answer for a puzzle: the fields of its result, as the library serializes it, between those of the input and those that one verb
/// adds.
#[derive(Debug, Serialize)]
struct Report<'a, Answer, Extra> {
    puzzle: &'a str,
    /// The title in the file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    width: usize,
    height: usize,
    #[serde(flatten)]
    answer: Answer,
    #[serde(flatten)]
    extra: Extra,
}

/// The object for an input that is not a puzzle, so that there is one object per input.
#[derive(Debug, Serialize)]
struct NotAPuzzle<'a> {
    puzzle: &'a str,
    error: String,
}

/// No additional fields.
#[derive(Debug, Serialize)]
pub(super) struct NoExtra {}

/// The object for a puzzle and the result of its run, with its line break.
pub(super) fn answer_line(
    subject: &Subject<'_>,
    answer: &impl Serialize,
    extra: impl Serialize,
) -> String {
    json_line(&Report {
        puzzle: subject.raw_name,
        title: subject.title(),
        width: subject.puzzle.width(),
        height: subject.puzzle.height(),
        answer,
        extra,
    })
}

/// The object for an input that is not a puzzle, with its line break.
pub(super) fn error_line(name: &str, error: &Error) -> String {
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
