//! `omnogram solve`: one solution of each puzzle.

use clap::Args;
use omnogram::puzzle::Grid;
use omnogram::search::Outcome;
use serde::Serialize;

use super::options::{Answering, Puzzles, Searching};
use super::report;
use super::session::{Session, Subject, why_none};
use super::status::{Answered, Status};

/// Find one solution
///
/// Prints the picture in rows of '#' and '.', and a blank line after it where there are several puzzles. With --json the object has
/// the picture in `solution`, or null.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram solve puzzles/pictures/owl.non
  omnogram solve --json puzzles/pack.nonpack")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,
    #[command(flatten)]
    searching: Searching,
    #[command(flatten)]
    answering: Answering,
}

#[derive(Serialize)]
struct Extra {
    solution: Option<Vec<String>>,
}

pub(super) fn run(options: &Options) -> Status {
    let Answering { json, talking } = &options.answering;
    Session::with(&options.searching, talking, *json, |session| {
        session.first_of_each(&options.puzzles.puzzles, 1, |subject, grids, outcome| {
            answer(session, subject, grids, outcome)
        })
    })
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    grids: &[Grid],
    mut outcome: Outcome,
) -> Answered {
    let name = subject.name;
    let grid = grids.first();
    if grid.is_some() {
        // One was all that was wanted.
        outcome.stopped = None;
    }
    let status = match (grid, outcome.stopped) {
        (None, Some(_)) => Status::Stopped,
        _ => Status::Complete,
    };
    if session.json() {
        let solution = grid.map(report::rows);
        session.print(&report::searched(subject, &outcome, Extra { solution }))?;
    } else if let Some(grid) = grid {
        let text = match subject.several {
            true => format!("==> {name} <==\n{grid}\n"),
            false => grid.to_string(),
        };
        session.print(&text)?;
    } else if let Some(stop) = outcome.stopped {
        session.note(&format!("{name}: undecided, {}", session.why(stop, None)));
    } else {
        let why = why_none(subject.puzzle).map_or(String::new(), |why| format!(" ({why})"));
        session.note(&format!("{name}: no solution{why}"));
    }
    Ok(status)
}
