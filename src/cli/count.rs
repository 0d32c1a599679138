//! `omnogram count`: exactly how many solutions each puzzle has.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use omnogram::cluster::Task;
use omnogram::count::{self, Scratch};
use omnogram::search::Outcome;

use super::classics::{Classics, SEED};
use super::counted::counted;
use super::estimate;
use super::graph::Graph;
use super::heat::{self, Picture};
use super::journal;
use super::messages;
use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::output::{Outputs, Replacing};
use super::report::{self, NoExtra};
use super::session::Session;
use super::status::{Answered, Halt, Status};
use super::subject::Subject;
use super::total::number;

/// Count the solutions exactly
///
/// Prints the number alone, after the puzzle's name where there are several. When the run was stopped it is a lower bound and begins
/// with "at least", and the exit status is 3.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram count puzzles/pictures/harbour.non
  omnogram count --time 10s --json puzzles/hard
  omnogram count --algorithm deducing --time 10s puzzles/pictures
  omnogram count --cells --exact --json puzzles/pictures/snail.non
  omnogram count --cells --svg snail.svg puzzles/pictures/snail.non
  omnogram count --graph harbour.nnf puzzles/pictures/harbour.non
  omnogram count --estimate --time 1m puzzles/families/permutation-20.non
  omnogram count --method frontier --scratch /var/tmp puzzles/families/permutation-20.non
  omnogram count --method tree --journal count.journal puzzles/families/permutation-12.non")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,

    /// How to count
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "auto",
        conflicts_with = "algorithm"
    )]
    method: Method,

    /// Also say of each cell in how many of the solutions it is filled: a character a cell, or six decimals with --json
    #[arg(long, conflicts_with_all = ["method", "algorithm"])]
    cells: bool,

    /// Say it exactly: in text the numbers themselves, with --json `fractions`, which have the number of all solutions as their denominator
    #[arg(long, requires = "cells")]
    exact: bool,

    /// Draw that as SVG into this file
    #[arg(long, value_name = "FILE", requires = "cells")]
    svg: Option<PathBuf>,

    /// Also write the graph of all solutions into this file, for programs that reason on formulas: a decision-DNNF in the text format of
    /// the d4 compiler. The cells are its variables 1, 2, 3 ... row by row
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "algorithm", "estimate"])]
    graph: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    estimate: estimate::Options,

    /// Write down in this file how far the count of one puzzle has come, every few seconds. If it is stopped or killed, the same command
    /// goes on from there
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cells", "graph", "estimate", "algorithm"])]
    journal: Option<PathBuf>,

    /// Where a sweep along a frontier needs more than half of --memory, go on in files in this folder, at the speed of its disk. The files
    /// have no names, or are removed, however the count ends
    #[arg(long, value_name = "DIR", conflicts_with_all = ["cells", "graph", "estimate", "algorithm", "journal"])]
    scratch: Option<PathBuf>,

    #[command(flatten)]
    classics: Classics,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// Whatever is fastest
    Auto,
    /// Search the tree, every solution a leaf of its own, and multiply where it falls apart into independent regions
    Tree,
    /// Branch, fall apart into independent regions, and look up those that were counted before
    Regions,
    /// Sweep line by line over the states of the open lines; where that outgrows the memory, branch first
    Frontier,
}

impl Method {
    /// As it is typed.
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl From<Method> for count::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Auto => count::Method::Auto,
            Method::Tree => count::Method::Tree,
            Method::Regions => count::Method::Regions,
            Method::Frontier => count::Method::Frontier,
        }
    }
}

pub(super) fn run(options: &Options) -> Status {
    let mut outputs = Outputs::new(options.replacing, &options.puzzles.puzzles, &[]);
    let svg = options.svg.as_deref();
    let svg = svg.map(|path| outputs.file(Some(path))).transpose();
    let graph = options.graph.as_deref();
    let graph = graph.map(|path| Graph::new(&mut outputs, path)).transpose();
    let (svg, graph) = match (svg, graph) {
        (Ok(svg), Ok(graph)) => (svg, graph),
        (Err(error), _) | (_, Err(error)) => return messages::failed(&error),
    };
    if let Some(journal) = &options.journal
        && let Err(status) = journal::is_for_one(journal, &options.puzzles.puzzles)
    {
        return status;
    }
    let Options {
        classics,
        search_options,
        answer_options,
        ..
    } = options;
    let random = options.estimate.estimate;
    let seed = classics.seed.unwrap_or(SEED);
    let mut asked = GraphQueries {
        graph,
        picture: options.cells.then(|| Picture::new(svg, options.exact)),
    };
    Session::with_classic(
        search_options,
        classics,
        random,
        answer_options,
        |session| {
            if options.journal.is_some() {
                return journal::answer(session, &options.puzzles.puzzles, |subject| {
                    answer(session, subject, options)
                });
            }
            session.answer_each(&options.puzzles.puzzles, |subject| {
                if asked.graph.is_some() || asked.picture.is_some() {
                    asked.answer(session, subject)
                } else if random {
                    estimate::answer(session, subject, seed)
                } else {
                    answer(session, subject, options)
                }
            })
        },
    )
}

fn answer(session: &Session, subject: &Subject<'_>, options: &Options) -> Answered {
    let (method, limits) = (count::Method::from(options.method), session.limits());
    let scratch = options.scratch.as_ref().map(Scratch::new);
    let scratch = scratch.transpose().map_err(Halt::Failed)?;
    let outcome = match (&options.journal, session.classic()) {
        (Some(journal), _) => {
            let verb = format!("count --method {}", options.method.name());
            journal::run(session, subject, journal, &verb, Task::Count(method), None)?
        }
        (None, Some(_)) => session.search(subject, limits, true, |search| search.count()),
        (None, None) => session.count(subject, limits, |counting| {
            let counting = counting.clone().method(method);
            match &scratch {
                Some(scratch) => counting.scratch(scratch).run(),
                None => counting.run(),
            }
        }),
    };
    show(session, subject, &outcome)?;
    match scratch.and_then(|scratch| scratch.error()) {
        Some(error) => Ok(messages::failed(&error)),
        None => Ok(ended(session, subject, &outcome)),
    }
}

/// What is asked of the solution graph.
#[derive(Debug)]
struct GraphQueries {
    graph: Option<Graph>,
    picture: Option<Picture>,
}

impl GraphQueries {
    /// Counts the solutions of a puzzle, keeps their graph, and gets out of it whatever is asked.
    fn answer(&mut self, session: &Session, subject: &Subject<'_>) -> Answered {
        self.graph
            .iter()
            .try_for_each(|graph| graph.is_for(subject))?;
        self.picture
            .iter()
            .try_for_each(|picture| picture.is_for(subject))?;
        let started = Instant::now();
        let (space, mut outcome) = session.space(subject);
        let (mut cells, mut written) = (None, Ok(None));
        if let Some(space) = &space {
            if let Some(graph) = &mut self.graph {
                written = graph.write(space, &session.limits_since(started));
                outcome.stopped = written.as_ref().ok().copied().flatten();
            }
            if self.picture.is_some() {
                cells = heat::cells(space, &session.limits_since(started), &mut outcome);
            }
        }
        outcome.elapsed = started.elapsed();
        // The number is known, whatever has become of the file.
        match &mut self.picture {
            Some(picture) => picture.show(session, subject, &outcome, cells.as_ref())?,
            None => show(session, subject, &outcome)?,
        }
        written?;
        if let Some(graph) = &mut self.graph {
            graph.finish(session, subject)?;
        }
        Ok(ended(session, subject, &outcome))
    }
}

/// Prints the number of solutions, as the session wants it.
fn show(session: &Session, subject: &Subject<'_>, outcome: &Outcome) -> Answered<()> {
    if session.json() {
        session.print(&report::searched(subject, outcome, NoExtra {}))?;
    } else {
        number(session, subject, outcome)?;
    }
    session.note_magnitude(subject.name, &outcome.solutions);
    Ok(())
}

/// Says why it ended, if it was stopped.
pub(super) fn ended(session: &Session, subject: &Subject<'_>, outcome: &Outcome) -> Status {
    let Some(stop) = outcome.stopped else {
        return Status::Complete;
    };
    session.note(&format!(
        "{}: {} after {}, {:.3} s",
        subject.label(),
        session.why(stop, None),
        counted(outcome.statistics.nodes, "node"),
        outcome.elapsed.as_secs_f64()
    ));
    Status::Stopped
}
