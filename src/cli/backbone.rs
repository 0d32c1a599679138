//! `omnogram backbone`: the cells that are the same in every solution.

use clap::Args;
use omnogram::sat::Backbone;
use omnogram::search::{Outcome, Verdict};
use serde::Serialize;

use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::plural::counted;
use super::report;
use super::session::{Session, why_unsolvable};
use super::status::{Answered, Status};
use super::subject::Subject;

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
    puzzles: Puzzles,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

#[derive(Serialize)]
struct Extra {
    backbone: Option<Vec<String>>,
    same: usize,
    ambiguous: usize,
    undecided: usize,
}

pub(super) fn run(options: &Options) -> Answered {
    let AnswerOptions { json, verbosity } = &options.answer_options;
    let session = &Session::new(&options.search_options, verbosity, *json)?;
    session.answer_each(&options.puzzles.puzzles, |subject| {
        let limits = session.limits();
        let (backbone, outcome) = session.search(subject, limits, true, |search| search.backbone());
        answer(session, subject, &backbone, &outcome)
    })
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    backbone: &Backbone,
    outcome: &Outcome,
) -> Answered {
    let name = subject.label();
    let none = outcome.solutions.verdict() == Verdict::None;
    if session.json() {
        let rows = || backbone.to_string().lines().map(str::to_owned).collect();
        let extra = Extra {
            backbone: (!none).then(rows),
            same: backbone.same(),
            ambiguous: backbone.differing(),
            // Without a solution there is no picture, and so no undecided cell.
            undecided: if none { 0 } else { backbone.undecided() },
        };
        session.print(&report::answer_line(subject, outcome, extra))?;
    } else if !none {
        let text = if subject.several {
            format!("==> {name} <==\n{backbone}\n")
        } else {
            backbone.to_string()
        };
        session.print(&text)?;
    }
    if let Some(stop) = outcome.stopped {
        let open = counted(backbone.undecided() as u64, "cell");
        let found = match outcome.solutions.number().to_u64() {
            Some(0) => ", no solution found yet",
            _ => "",
        };
        let why = session.stop_reason(stop, None);
        session.note(&format!("{name}: {open} undecided{found}, {why}"));
        return Ok(Status::Stopped);
    }
    if none && !session.json() {
        let why = why_unsolvable(subject.puzzle).map_or(String::new(), |why| format!(" ({why})"));
        session.note(&format!("{name}: no solution{why}"));
    }
    Ok(Status::Complete)
}
