//! The answers of verbs: as text, or as JSON with one object for each puzzle, on one line.

use omnogram::error::Error;
use serde::Serialize;

use super::messages;
use super::session::Session;
use super::status::Status;

/// The answer of a verb, for a puzzle or for the whole run. [`Session::answer`] prints it, as JSON or as text, and returns its status:
///
/// ```text
/// #[derive(Serialize)]
/// struct Solved<'a> {
///     #[serde(flatten)]
///     subject: &'a Subject<'a>,
///     #[serde(flatten)]
///     outcome: Outcome,
///     solution: Option<&'a Grid>,
/// }
///
/// impl Answer for Solved<'_> {
///     fn text(&self, _: &Session) -> String {
///         match self.solution {
///             Some(grid) => self.subject.block(&grid.to_string()),
///             None => String::new(),
///         }
///     }
///
///     fn text_note(&self, session: &Session) -> Option<String> {
///         let why = session.why_stopped(self.outcome.stopped, None);
///         self.solution.is_none().then(|| format!("{}: no solution{why}", self.subject.label()))
///     }
///
///     fn status(&self) -> Status {
///         Status::of(self.outcome.stopped)
///     }
/// }
///
/// pub(super) fn run(options: &Options) -> Answered {
///     let session = &Session::new(&options.search_options, &options.answer_options)?;
///     session.answer_each(&options.puzzles.puzzles, |subject| {
///         let limits = session.limits();
///         let (grids, outcome) = session.search(subject, limits, true, |search| search.first(1));
///         let solution = grids.first();
///         session.answer(&Solved { subject, outcome, solution })
///     })
/// }
/// ```
///
/// The fields that it serializes are those of its JSON. If it is about a puzzle, they begin with the [`Subject`], flattened.
pub(super) trait Answer: Serialize {
    /// The answer as text for standard output, with its line breaks.
    fn text(&self, _: &Session) -> String {
        String::new()
    }

    /// What standard error says beside the text, or in its place. It is not printed with `--json`, because the fields say it.
    fn text_note(&self, _: &Session) -> Option<String> {
        None
    }

    /// What standard error says beside the answer in both forms.
    fn note(&self, _: &Session) -> Option<String> {
        None
    }

    /// The exit status for this answer.
    fn status(&self) -> Status;
}

/// The object for an input that is not a puzzle, so that there is one object per input.
#[derive(Debug, Serialize)]
struct NotAPuzzle<'a> {
    puzzle: &'a str,
    error: String,
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
