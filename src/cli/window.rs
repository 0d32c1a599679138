//! `omnogram enumerate --from`: a part of the list in canonical order; earlier solutions are skipped by the counts of the solution graph.

use std::time::Instant;

use omnogram::graph::{Advance, SolutionGraph};
use omnogram::render::List;
use omnogram::search::{Outcome, Total};
use omnogram::solutions::{Count, Stop};
use serde::Serialize;

use super::answer::Answer;
use super::output::Output;
use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, counted};
use super::writer::{WriteLimits, Writer};

/// The range of solutions to write.
#[derive(Debug)]
pub(super) struct Window<'a> {
    /// The number of the first solution, from 1.
    pub(super) from: &'a Count,
    /// Most solutions to write.
    pub(super) limit: Option<u64>,
}

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
        let Written {
            subject,
            outcome,
            from,
            written,
        } = self;
        let solutions = &outcome.solutions;
        let part = match solutions {
            Total::Exactly(count) if from > &count => format!("no solution number {from}"),
            _ => format!("{} from number {from} on", counted(*written, "solution")),
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

impl Window<'_> {
    /// Counts the solutions of a puzzle and writes those in the range.
    pub(super) fn answer(
        &self,
        session: &Session,
        subject: &Subject<'_>,
        list: List,
        output: &mut Output,
    ) -> Answered {
        let started = Instant::now();
        let (graph, mut outcome) = session.solution_graph(subject, |counter| counter.quick_graph());
        let mut written = 0;
        if let Some(graph) = &graph {
            let limits = session.limits();
            let writer = Writer::new(output, list, WriteLimits::of(&limits, started));
            let max_bytes = limits.memory.unwrap_or(u64::MAX);
            let mut fits = true;
            (written, outcome.stopped) =
                writer.write_each(|show| fits = self.show_range(graph, max_bytes, show))?;
            outcome.stopped = outcome.stopped.or((!fits).then_some(Stop::Memory));
        }
        outcome.elapsed = started.elapsed();
        session.answer(&Written {
            subject,
            outcome,
            from: self.from,
            written,
        })
    }

    /// Passes the solutions in the range to `show`; `false` if that would need more than `max_bytes` bytes of memory.
    fn show_range(
        &self,
        graph: &SolutionGraph,
        max_bytes: u64,
        show: &mut dyn FnMut(Option<&[u64]>) -> bool,
    ) -> bool {
        let mut skip = self.from.clone();
        skip -= &Count::ONE;
        let mut ordered = graph.lexicographic(&skip);
        let mut left = self.limit.unwrap_or(u64::MAX);
        while left > 0 {
            let more = match ordered.advance_unless(&mut || !show(None)) {
                Advance::Found => {
                    left -= 1;
                    show(Some(ordered.words()))
                }
                Advance::Deciding if graph.bytes() + ordered.bytes() > max_bytes => {
                    return false;
                }
                Advance::Deciding => show(None),
                Advance::Done | Advance::Stopped => false,
            };
            if !more {
                break;
            }
        }
        true
    }
}
