//! The answers of verbs: as text, or as JSON.

use serde::Serialize;

use super::json::json_line;
use super::session::Session;
use super::status::{Answered, Status};

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
///     let session = &Session::asked(&options.asked)?;
///     session.answer_each(options.asked.puzzles(), |subject| {
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

impl Session {
    /// Prints an answer, as JSON or as text, and returns its exit status.
    pub(super) fn answer(&self, answer: &impl Answer) -> Answered {
        if self.json() {
            self.print(&json_line(answer))?;
        } else {
            self.print(&answer.text(self))?;
            if let Some(note) = answer.text_note(self) {
                self.note(&note);
            }
        }
        if let Some(note) = answer.note(self) {
            self.note(&note);
        }
        Ok(answer.status())
    }
}
