//! `omnogram backbone`: the cells that are the same in every solution.

use clap::Args;
use omnogram::search::{Outcome, Verdict};
use serde::Serialize;

use super::options::PuzzleOptions;
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::{Subject, counted};

/// Find the cells that are the same in every solution
///
/// Prints a picture with '#' for cells that are filled in every solution, '.' for cells that are empty in every solution, and '?' for
/// ambiguous cells: filled in one solution and empty in another. When the run was stopped, '-' marks undecided cells, and the exit status
/// is 3; the other cells are still correct. With --json the object has the picture in `backbone`, or null if there is no solution, and the
/// numbers of cells in `same`, `ambiguous` and `undecided`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram backbone puzzles/pictures/observatory.non
  omnogram backbone --time 10s --json puzzles/pictures")]
pub(super) struct Options {
    #[command(flatten)]
    common: PuzzleOptions,
}

#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    outcome: Outcome,
    /// The rows of the picture; `None` if there is no solution.
    backbone: Option<Vec<String>>,
    same: usize,
    ambiguous: usize,
    undecided: usize,
}

impl Answer for Found<'_> {
    fn text(&self, _: &Session) -> String {
        let rows = self.backbone.as_ref();
        rows.map_or(String::new(), |rows| {
            self.subject.block(&(rows.join("\n") + "\n"))
        })
    }

    fn text_note(&self, _: &Session) -> Option<String> {
        let (name, why) = (self.subject.label(), self.subject.why_no_solution());
        (self.backbone.is_none()).then(|| format!("{name}: no solution{why}"))
    }

    fn note(&self, session: &Session) -> Option<String> {
        let why = session.stop_reason(self.outcome.stopped?, None);
        let open = counted(self.undecided as u64, "cell");
        let found = if self.outcome.solutions.number().is_zero() {
            ", no solution found yet"
        } else {
            ""
        };
        let name = self.subject.label();
        Some(format!("{name}: {open} undecided{found}, {why}"))
    }

    fn status(&self) -> Status {
        Status::of(self.outcome.stopped)
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let session = &Session::for_puzzles(&options.common)?;
    session.answer_each(options.common.puzzles(), |subject| {
        let limits = session.limits();
        let (backbone, outcome) = session.search(subject, limits, true, |search| search.backbone());
        let none = outcome.solutions.verdict() == Verdict::None;
        session.answer(&Found {
            subject,
            outcome,
            backbone: (!none).then(|| backbone.to_string().lines().map(str::to_owned).collect()),
            same: backbone.same(),
            ambiguous: backbone.differing(),
            // Without a solution there is no picture, and so no undecided cell.
            undecided: if none { 0 } else { backbone.undecided() },
        })
    })
}
