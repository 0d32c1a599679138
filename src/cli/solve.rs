//! `omnogram solve`: one solution of each puzzle.

use clap::Args;
use omnogram::puzzle::Grid;
use omnogram::search::Outcome;
use serde::Serialize;

use super::options::PuzzleOptions;
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::Subject;

/// Find one solution
///
/// Prints the solution as rows of '#' and '.', followed by a blank line if there are several puzzles. With --json the object has the
/// solution in `solution`, or null.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram solve puzzles/pictures/owl.non
  omnogram solve --json puzzles/pack.nonpack")]
pub(super) struct Options {
    #[command(flatten)]
    common: PuzzleOptions,
}

#[derive(Serialize)]
pub(super) struct Solved<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    outcome: Outcome,
    solution: Option<&'a Grid>,
    /// The cells that an algorithm had decided when it got stuck: rows of '#' and '.', and '-' for undecided cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<Vec<String>>,
}

impl<'a> Solved<'a> {
    pub(super) fn new(
        subject: &'a Subject<'a>,
        solutions: &'a [Grid],
        mut outcome: Outcome,
        decided: Option<Vec<String>>,
    ) -> Self {
        let solution = solutions.first();
        if solution.is_some() {
            // The search was limited to one solution, so the answer is complete.
            outcome.stopped = None;
        }
        Solved {
            subject,
            outcome,
            solution,
            decided,
        }
    }
}

impl Answer for Solved<'_> {
    fn text(&self, _: &Session) -> String {
        let grid = self.solution.map(Grid::to_string);
        grid.map_or(String::new(), |grid| self.subject.block(&grid))
    }

    fn text_note(&self, session: &Session) -> Option<String> {
        if self.solution.is_some() {
            return None;
        }
        let name = self.subject.label();
        let Some(stop) = self.outcome.stopped else {
            let why = self.subject.why_no_solution();
            return Some(format!("{name}: no solution{why}"));
        };
        let why = session.stop_reason(stop, None);
        let decided = self.decided.as_ref().map_or(String::new(), |rows| {
            let rows = rows.join("\n");
            let cells = rows.replace('\n', "");
            let known = cells.replace('-', "").len();
            format!(" with {known} of {} cells decided\n{rows}", cells.len())
        });
        Some(format!("{name}: undecided, {why}{decided}"))
    }

    fn status(&self) -> Status {
        Status::of(self.outcome.stopped)
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let session = &Session::for_puzzles(&options.common)?;
    session.run_on_each(
        options.common.puzzles(),
        |search, _, _| {
            let (solutions, outcome) = search.first(1);
            let stopped = outcome.stopped;
            ((solutions, outcome), stopped)
        },
        |subject, (solutions, outcome)| {
            session.answer(&Solved::new(subject, &solutions, outcome, None))
        },
    )
}
