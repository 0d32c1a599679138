//! `omnogram show`: puzzles drawn with their clues.

use clap::Args;
use omnogram::error::Error;
use omnogram::puzzle::Grid;
use omnogram::{puzzle::Puzzle, render};

use super::messages;
use super::options::{Puzzles, Searching, Talking};
use super::session::{Session, Subject, why_none};
use super::status::{Answered, Status};

/// Draw a puzzle with its clues
///
/// The grid is empty, or filled in with a solution or with the goal that the file gives.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram show puzzles/pictures/cup.non
  omnogram show --solution puzzles/pictures/cat.non
  omnogram show --goal puzzles/pictures/snail.non")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,

    /// Fill in the first solution that is found
    #[arg(long, conflicts_with = "goal")]
    solution: bool,

    /// Fill in the picture that the file gives as its goal
    #[arg(long)]
    goal: bool,

    #[command(flatten)]
    searching: Searching,
    #[command(flatten)]
    talking: Talking,
}

pub(super) fn run(options: &Options) -> Status {
    Session::with(&options.searching, &options.talking, false, |session| {
        let mut first = true;
        session.answer_each(&options.puzzles.puzzles, |subject| {
            let blank = if std::mem::take(&mut first) { "" } else { "\n" };
            answer(session, subject, options, blank)
        })
    })
}

fn answer(session: &Session, subject: &Subject<'_>, options: &Options, blank: &str) -> Answered {
    let Subject { name, puzzle, .. } = subject;
    let mut status = Status::Complete;
    let mut grid = None;
    if options.goal {
        grid = puzzle.notes().goal.clone();
        if grid.is_none() {
            let error = Error::data("this file gives no goal").in_file(name);
            messages::error(&error);
            status = Status::from(&error);
        }
    } else if options.solution {
        (grid, status) = solution(session, subject);
    }
    let picture = render::puzzle(puzzle, grid.as_ref());
    session.print(&format!("{blank}{}\n\n{picture}", heading(name, puzzle)))?;
    Ok(status)
}

/// The first solution, if there is one and it is found in time.
fn solution(session: &Session, subject: &Subject<'_>) -> (Option<Grid>, Status) {
    let name = subject.name;
    let (mut grids, outcome) =
        session.search(subject, session.limits(), true, |search| search.first(1));
    match (grids.pop(), outcome.stopped) {
        (Some(grid), _) => (Some(grid), Status::Complete),
        (None, None) => {
            let why = why_none(subject.puzzle).map_or(String::new(), |why| format!(" ({why})"));
            session.note(&format!("{name}: no solution{why}"));
            (None, Status::Complete)
        }
        (None, Some(stop)) => {
            session.note(&format!("{name}: undecided, {}", session.why(stop, None)));
            (None, Status::Stopped)
        }
    }
}

/// `heart.non: Heart, by Ann, 5x5`
fn heading(name: &str, puzzle: &Puzzle) -> String {
    let notes = puzzle.notes();
    let title = notes.title.iter().map(String::to_owned);
    let author = notes.author.iter().map(|author| format!("by {author}"));
    let size = format!("{}x{}", puzzle.width(), puzzle.height());
    let parts: Vec<String> = title.chain(author).chain([size]).collect();
    messages::harmless(&format!("{name}: {}", parts.join(", ")))
}
