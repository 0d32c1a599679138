//! `omnogram enumerate --from`: a part of the list in canonical order; earlier solutions are skipped by the counts of the solution graph.

use omnogram::graph::Advance;
use omnogram::render::List;
use omnogram::search::{Outcome, Total};
use omnogram::solutions::{Count, Stop};
use serde::Serialize;

use super::answer::Answer;
use super::output::Output;
use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, counted};
use super::writer::write_from_graph;

#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    outcome: Outcome,
    from: &'a Count,
    written: u64,
}

impl Answer for Written<'_> {
    /// `key.non: 2 solutions from number 3 on, of 5, 15x7, 9 nodes, 0.001 s`
    fn text_note(&self, session: &Session) -> Option<String> {
        let (subject, outcome, from) = (self.subject, &self.outcome, self.from);
        let solutions = &outcome.solutions;
        let part = match solutions {
            Total::Exactly(count) if from > count => format!("no solution number {from}"),
            _ => format!(
                "{} from number {from} on",
                counted(self.written, "solution")
            ),
        };
        Some(format!(
            "{}: {part}, of {solutions}{}, {}",
            subject.label(),
            session.why_stopped(outcome.stopped, None),
            subject.work(outcome)
        ))
    }

    fn status(&self) -> Status {
        Status::of(self.outcome.stopped)
    }
}

/// Counts the solutions of a puzzle, and writes those from number `from` on, counted from 1, but at most `limit`.
pub(super) fn answer(
    session: &Session,
    subject: &Subject<'_>,
    (from, limit): (&Count, Option<u64>),
    list: List,
    output: &mut Output,
) -> Answered {
    let max_bytes = session.limits().memory.unwrap_or(u64::MAX);
    let (outcome, written) = write_from_graph(session, subject, list, output, |graph, show| {
        let mut skip = from.clone();
        skip -= &Count::ONE;
        let mut ordered = graph.lexicographic(&skip);
        let mut left = limit.unwrap_or(u64::MAX);
        while left > 0 {
            let more = match ordered.advance_unless(&mut || !show(None)) {
                Advance::Found => {
                    left -= 1;
                    show(Some(ordered.words()))
                }
                Advance::Deciding if graph.bytes() + ordered.bytes() > max_bytes => {
                    return Some(Stop::Memory);
                }
                Advance::Deciding => show(None),
                Advance::Done | Advance::Stopped => false,
            };
            if !more {
                break;
            }
        }
        None
    })?;
    session.answer(&Written {
        subject,
        outcome,
        from,
        written,
    })
}
