//! The answer with the number of solutions of a puzzle.

use std::io::{self, IsTerminal};

use omnogram::search::Outcome;
use serde::Serialize;

use super::session::{Answer, Session};
use super::status::Status;
use super::words::{Subject, counted};

/// The number of solutions, or a lower bound.
#[derive(Serialize)]
pub(super) struct Counted<'a> {
    #[serde(flatten)]
    pub(super) subject: &'a Subject<'a>,
    #[serde(flatten)]
    pub(super) outcome: &'a Outcome,
}

impl Answer for Counted<'_> {
    fn text(&self, _: &Session) -> String {
        self.subject.line(&self.outcome.solutions.to_string())
    }

    /// The rough size of a number of 16 digits or more, on a terminal.
    fn text_note(&self, _: &Session) -> Option<String> {
        let rough = self.outcome.solutions.number().rough()?;
        let is_shown = rough.power() >= 15 && io::stderr().is_terminal();
        is_shown.then(|| format!("{}: about {rough}", self.subject.name))
    }

    fn note(&self, session: &Session) -> Option<String> {
        Some(format!(
            "{}: {} after {}, {:.3} s",
            self.subject.label(),
            session.stop_reason(self.outcome.stopped?, None),
            counted(self.outcome.statistics.nodes, "node"),
            self.outcome.elapsed.as_secs_f64()
        ))
    }

    fn status(&self) -> Status {
        Status::of(self.outcome.stopped)
    }
}
