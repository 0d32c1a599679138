//! `omnogram enumerate`: every solution of each puzzle, in the order found or in canonical order. With `--from`, earlier solutions are
//! skipped by the counts of the solution graph.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use omnogram::cluster::Mode;
use omnogram::error::{Error, Kind, Result};
use omnogram::graph::Advance;
use omnogram::render::List;
use omnogram::search::{Limits, Outcome, Total};
use omnogram::solutions::{Count, Stop};
use serde::Serialize;

use super::options::{PuzzleOptions, number, ordinal};
use super::output::{self, Output, Outputs};
use super::session::{Answer, Session};
use super::solution_output::ListingOptions;
use super::status::{Answered, Status};
use super::words::{Subject, counted, counted_solutions};
use super::writer::{WriteLimits, Writer, write_from_graph, write_streamed};
use super::{inputs, journal};

/// List every solution
///
/// Solutions are written as they are found. As text, a solution is rows of '#' and '.' followed by a blank line, and a summary is printed
/// on standard error. With --json the summary is an object on standard output, after the puzzle's solutions.
#[derive(Args, Debug)]
#[command(
    mut_arg("time", |arg| arg.help("Stop searching after this time on each puzzle: 500ms, 90s, 5m, 1h30m; solutions that --sort holds by then are still written")),
    after_help = "\
Examples:
  omnogram enumerate puzzles/pictures/key.non
  omnogram enumerate --limit 3 --format ndjson puzzles/families/permutation-20.non
  omnogram enumerate --sort --output snail.txt puzzles/pictures/snail.non
  omnogram enumerate --from 524_288 --limit 2 puzzles/families/switches-20.non
  omnogram enumerate --journal key.journal --output key.txt puzzles/pictures/key.non
  omnogram enumerate puzzles/pictures/key.non | omnogram verify puzzles/pictures/key.non"
)]
pub(super) struct Options {
    /// Stop after this many solutions of each puzzle, and report "at least" that number; which solutions these are is unspecified, even
    /// with --sort
    #[arg(long, short = 'n', value_name = "N", value_parser = number)]
    limit: Option<u64>,

    /// Write the solutions in canonical order, '#' before '.', once all are found; until then they are held in memory (see --memory)
    #[arg(long)]
    sort: bool,

    /// Write the solutions in canonical order from the K-th on. All are counted first, and the earlier ones are skipped by their counts, so
    /// that the size of K does not matter; with --limit N, only N solutions are written, and that is a complete answer
    #[arg(long, value_name = "K", value_parser = ordinal, conflicts_with = "distinct")]
    from: Option<Count>,

    /// Hold all solutions in memory (see --memory), remove duplicates, and write the rest in canonical order, as --sort does. The search
    /// never finds a solution twice, so this is only a check
    #[arg(long)]
    distinct: bool,

    #[command(flatten)]
    listing: ListingOptions,

    /// Save the state of the listing of one puzzle to this file every few seconds. If the run is stopped or killed, the same command
    /// resumes it, and no solution is in --output twice
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with_all = ["limit", "sort", "from", "distinct"])]
    journal: Option<PathBuf>,

    #[command(flatten)]
    common: PuzzleOptions,
}

/// The summary of a list.
#[derive(Serialize)]
pub(super) struct Listed<'a> {
    #[serde(flatten)]
    pub(super) subject: &'a Subject<'a>,
    #[serde(flatten)]
    pub(super) outcome: Outcome,
    /// The value of --limit.
    #[serde(skip)]
    pub(super) limit: Option<u64>,
}

impl Answer for Listed<'_> {
    /// `key.non: 5 solutions, 15x7, 9 nodes, 0.001 s`
    fn text_note(&self, session: &Session) -> Option<String> {
        let (subject, outcome) = (self.subject, &self.outcome);
        Some(format!(
            "{}: {}{}, {}",
            subject.label(),
            counted_solutions(&outcome.solutions),
            session.why_none_or_stopped(subject, outcome, self.limit),
            subject.work(outcome)
        ))
    }

    fn status(&self) -> Status {
        Status::of(self.outcome.stopped)
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let mut output = match (&options.journal, &options.listing.output) {
        (Some(journal), Some(list)) => {
            check_journal_and_list(options, journal, list)?;
            Output::Stdout
        }
        _ => options.listing.output(&options.common.inputs())?,
    };
    let session = &Session::for_puzzles(&options.common)?;
    let puzzles = options.common.puzzles();
    let answer = |subject: &Subject<'_>| answer(session, subject, options, &mut output);
    let status = if options.journal.is_some() {
        journal::answer(session, puzzles, answer)?
    } else {
        session.answer_each(puzzles, answer)?
    };
    // However the run ended, the output consists of complete solutions.
    Ok(status.and(output.finish()))
}

/// Checks that a journal has one puzzle and a list of solutions that is another file: the list of this journal, or a new one.
fn check_journal_and_list(options: &Options, journal: &Path, list: &Path) -> Result<()> {
    let puzzles = options.common.puzzles();
    journal::check_one_puzzle(journal, puzzles)?;
    if output::is_same(journal, list) {
        let message = "the journal cannot be the list of solutions itself";
        return Err(Error::new(Kind::Usage, message).in_file(&inputs::name(journal)));
    }
    Outputs::new(options.listing.replacing, &options.common.inputs(), &[])
        .check_journal_list(list, !journal::has_begun(journal))
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    output: &mut Output,
) -> Answered {
    let limit = options.limit;
    let outcome = if let (Some(journal), Some(path)) = (&options.journal, &options.listing.output) {
        let listing = options.listing.format_for(session);
        let verb = format!("enumerate --format {}", listing.name());
        let file = Some((&**path, listing));
        journal::run(session, subject, journal, &verb, Mode::List, file)?
    } else {
        let list = options.listing.begin(session, subject, output)?;
        if let Some(from) = &options.from {
            return answer_from(session, subject, (from, limit), list, output);
        }
        let limits = session.limits().solutions(limit);
        if options.sort || options.distinct {
            write_sorted(session, subject, list, limits, output)?
        } else {
            // No progress bar on the terminal that shows the solutions: it would overwrite them.
            let visible = !matches!(output, Output::Stdout) || !io::stdout().is_terminal();
            write_streamed(output, list, &limits, |stream| {
                session.search(subject, limits.clone(), visible, |search| {
                    search.run(stream)
                })
            })?
        }
    };
    session.answer(&Listed {
        subject,
        outcome,
        limit,
    })
}

/// Collects the solutions, each once, and writes them in canonical order.
fn write_sorted(
    session: &Session,
    subject: &Subject<'_>,
    list: List,
    limits: Limits,
    output: &mut Output,
) -> Answered<Outcome> {
    let started = Instant::now();
    let (grids, mut outcome) = session.search(subject, limits, true, |search| search.collect());
    // If an interrupt has stopped the search, the solutions found so far are still written.
    let interrupt = session.interrupt;
    let write_limits = WriteLimits {
        deadline: None,
        interrupt: (!interrupt.is_requested()).then(|| interrupt.flag()),
    };
    let (written, stopped) = Writer::new(output, list, write_limits).write_grids(&grids)?;
    outcome.stopped = outcome.stopped.or(stopped);
    if outcome.stopped.is_some() {
        outcome.solutions = Total::AtLeast(Count::from(written));
    }
    outcome.elapsed = started.elapsed();
    Ok(outcome)
}

/// The summary of a part of a list.
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
fn answer_from(
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
