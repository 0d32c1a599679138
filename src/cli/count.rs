//! `omnogram count`: exactly how many solutions each puzzle has.

use clap::{Args, ValueEnum};
use omnogram::search;

use super::estimate;
use super::options::{Answering, Puzzles, Searching};
use super::report::{self, Nothing};
use super::session::{Session, Subject, counted};
use super::status::{Answered, Status};

/// Count the solutions exactly
///
/// Prints the number alone, after the puzzle's name where there are several. When the run was stopped it is a lower bound and begins
/// with "at least", and the exit status is 3.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram count puzzles/pictures/harbour.non
  omnogram count --time 10s --json puzzles/hard
  omnogram count --estimate --time 1m puzzles/families/permutation-20.non")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,

    /// How to count
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: Method,

    #[command(flatten)]
    estimate: estimate::Options,

    #[command(flatten)]
    searching: Searching,
    #[command(flatten)]
    answering: Answering,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Whatever is fastest
    Auto,
    /// Search the tree, every solution a leaf of its own, and multiply where it falls apart into independent regions
    Tree,
}

pub(super) fn run(options: &Options) -> Status {
    let Answering { json, talking } = &options.answering;
    Session::with(&options.searching, talking, *json, |session| {
        session.answer_each(&options.puzzles.puzzles, |subject| {
            match options.estimate.estimate {
                true => estimate::answer(session, subject, &options.estimate),
                false => answer(session, subject, options.method),
            }
        })
    })
}

fn answer(session: &Session, subject: &Subject<'_>, method: Method) -> Answered {
    let name = subject.name;
    let outcome = session.search(subject, session.limits(), true, |search| match method {
        Method::Auto => search.count(),
        Method::Tree => {
            let options = search::Options {
                rests: false,
                ..search::Options::default()
            };
            search.clone().options(options).count()
        }
    });
    if session.json() {
        session.print(&report::searched(subject, &outcome, Nothing {}))?;
    } else if subject.several {
        session.print(&format!("{name}: {}\n", outcome.solutions))?;
    } else {
        session.print(&format!("{}\n", outcome.solutions))?;
    }
    session.note_magnitude(name, &outcome.solutions);
    let Some(stop) = outcome.stopped else {
        return Ok(Status::Complete);
    };
    session.note(&format!(
        "{name}: {} after {}, {:.3} s",
        session.why(stop, None),
        counted(outcome.statistics.nodes, "node"),
        outcome.elapsed.as_secs_f64()
    ));
    Ok(Status::Stopped)
}
