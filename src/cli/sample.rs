//! `omnogram sample`: solutions drawn uniformly at random.

use clap::Args;
use omnogram::search::Outcome;
use serde::Serialize;

use super::options::{PuzzleOptions, number, random_seed};
use super::output::Output;
use super::session::{Answer, Session};
use super::solution_output::ListingOptions;
use super::status::{Answered, Status};
use super::words::{Subject, counted, counted_solutions};
use super::writer::write_from_graph;

/// Draw solutions uniformly at random
///
/// All solutions are counted first; then each sample takes microseconds, however many solutions there are. Samples are independent, so
/// that a solution may be drawn twice. If the solutions cannot be counted within the limits, nothing is drawn and the exit status is 3.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram sample puzzles/pictures/harbour.non
  omnogram sample -n 1000 --seed 7 --format ndjson puzzles/families/permutation-8.non")]
pub(super) struct Options {
    /// Number of solutions to draw
    #[arg(long, short, value_name = "N", default_value = "1", value_parser = number)]
    number: u64,

    /// Seed of the random numbers: with --threads 1, the same seed gives the same solutions on every machine [default: a random seed,
    /// printed in the summary]
    #[arg(long, value_name = "S", value_parser = number)]
    seed: Option<u64>,

    #[command(flatten)]
    listing: ListingOptions,
    #[command(flatten)]
    common: PuzzleOptions,
}

#[derive(Serialize)]
struct Drawn<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    outcome: Outcome,
    samples: u64,
    /// As text, since it may exceed the range of numbers in JSON readers.
    seed: String,
}

impl Answer for Drawn<'_> {
    /// `key.non: 3 samples of 5 solutions, seed 7, 15x7, 9 nodes, 0.001 s`
    fn text_note(&self, session: &Session) -> Option<String> {
        let (subject, outcome, seed) = (self.subject, &self.outcome, &self.seed);
        Some(format!(
            "{}: {} of {}{}, seed {seed}, {}",
            subject.label(),
            counted(self.samples, "sample"),
            counted_solutions(&outcome.solutions),
            session.why_none_or_stopped(subject, outcome, None),
            subject.work(outcome)
        ))
    }

    fn status(&self) -> Status {
        Status::of(self.outcome.stopped)
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let mut output = options.listing.output(&options.common.inputs())?;
    let seed = options.seed.unwrap_or_else(random_seed);
    let session = &Session::for_puzzles(&options.common)?;
    let status = session.answer_each(options.common.puzzles(), |subject| {
        answer(session, subject, options, seed, &mut output)
    })?;
    Ok(status.and(output.finish()))
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    seed: u64,
    output: &mut Output,
) -> Answered {
    let list = options.listing.begin(session, subject, output)?;
    let (outcome, samples) = write_from_graph(session, subject, list, output, |graph, show| {
        let mut drawn = graph.samples(seed);
        let mut left = options.number;
        while left > 0
            && let Some(words) = drawn.next_words()
            && show(Some(words))
        {
            left -= 1;
        }
        None
    })?;
    session.answer(&Drawn {
        subject,
        outcome,
        samples,
        seed: seed.to_string(),
    })
}
