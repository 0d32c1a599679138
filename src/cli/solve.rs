//! `omnogram solve`: one solution of each puzzle.

use clap::Args;
use omnogram::puzzle::Grid;
use omnogram::search::Outcome;
use omnogram::solutions::Stop;
use serde::Serialize;

use super::answer;
use super::classics::Classics;
use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, why_unsolvable};

/// Find one solution
///
/// Prints the solution as rows of '#' and '.', followed by a blank line if there are several puzzles. With --json the object has the
/// solution in `solution`, or null.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram solve puzzles/pictures/owl.non
  omnogram solve --algorithm set-based puzzles/known/wiki-test.non
  omnogram solve --json puzzles/pack.nonpack")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,
    #[command(flatten)]
    classics: Classics,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

#[derive(Serialize)]
struct Extra<'a> {
    solution: Option<&'a Grid>,
    /// The cells that a classic algorithm had decided when it got stuck: rows of '#' and '.', and '-' for undecided cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<Vec<String>>,
}

pub(super) fn run(options: &Options) -> Answered {
    let Options {
        classics,
        search_options,
        answer_options,
        ..
    } = options;
    let session = &Session::with_classic(search_options, classics, false, answer_options)?;
    session.find_first_of_each(&options.puzzles.puzzles, 1, |subject, grids, outcome| {
        answer(session, subject, grids, outcome)
    })
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    grids: &[Grid],
    mut outcome: Outcome,
) -> Answered {
    let name = subject.label();
    let grid = grids.first();
    if grid.is_some() {
        // The search was limited to one solution, so the answer is complete.
        outcome.stopped = None;
    }
    let status = match (grid, outcome.stopped) {
        (None, Some(_)) => Status::Stopped,
        _ => Status::Complete,
    };
    if session.json() {
        let extra = Extra {
            solution: grid,
            decided: decided(subject, &outcome),
        };
        session.print(&answer::answer_line(subject, &outcome, extra))?;
    } else if let Some(grid) = grid {
        let text = if subject.several {
            format!("==> {name} <==\n{grid}\n")
        } else {
            grid.to_string()
        };
        session.print(&text)?;
    } else if let Some(stop) = outcome.stopped {
        let why = session.stop_reason(stop, None);
        match decided(subject, &outcome) {
            None => session.note(&format!("{name}: undecided, {why}")),
            Some(rows) => {
                let cells = subject.puzzle.width() * subject.puzzle.height();
                let known = outcome.cubes[0].path.len();
                session.note(&format!(
                    "{name}: undecided, {why} with {known} of {cells} cells decided\n{}",
                    rows.join("\n")
                ));
            }
        }
    } else {
        let why = why_unsolvable(subject.puzzle).map_or(String::new(), |why| format!(" ({why})"));
        session.note(&format!("{name}: no solution{why}"));
    }
    Ok(status)
}

/// The cells that a classic algorithm had decided when it got stuck.
fn decided(subject: &Subject<'_>, outcome: &Outcome) -> Option<Vec<String>> {
    let [cube] = &*outcome.cubes else { return None };
    if outcome.stopped != Some(Stop::Stuck) {
        return None;
    }
    let mut rows = vec![vec![b'-'; subject.puzzle.width()]; subject.puzzle.height()];
    for decision in &cube.path {
        let cell = &mut rows[usize::from(decision.cell.row)][usize::from(decision.cell.column)];
        *cell = if decision.filled { b'#' } else { b'.' };
    }
    let text = |row: Vec<u8>| row.into_iter().map(char::from).collect();
    Some(rows.into_iter().map(text).collect())
}
