//! `omnogram split`: a puzzle in cubes of about the same size.

use std::path::PathBuf;

use clap::Args;
use omnogram::cluster::{Digest, Piece, Splitter, seal};

use super::counted::counted;
use super::messages;
use super::options::{Common, number};
use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::{Answered, Status};
use super::subject::Subject;

/// Cut a puzzle into cubes that can be answered anywhere
///
/// Writes one JSON object a line for each cube: its id, the decisions that it stands for, the puzzle's digest, how many cubes there are in
/// all, about how many nodes it will take, and how many cells are unknown in it. The cubes are disjoint and hold every solution. The same
/// puzzle and options give the same cubes on every machine. `omnogram work` answers them, `omnogram merge` puts the answers together.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram split --cubes 1000 puzzle.non > cubes.jsonl
  omnogram work --puzzle puzzle.non cubes.jsonl > results.jsonl
  omnogram merge cubes.jsonl results.jsonl")]
pub(super) struct Options {
    /// The puzzle: a file, FILE#2 for the second puzzle of a pack, or - for standard input
    #[arg(value_name = "PUZZLE")]
    puzzle: PathBuf,

    /// About how many cubes: 30 to 100 for each core that will work on them. There may be one more, or fewer where there is nothing
    /// left to cut
    #[arg(long, short = 'n', value_name = "N", value_parser = number)]
    cubes: u64,

    /// Random numbers that judge sizes begin here
    #[arg(long, value_name = "S", default_value = "1", value_parser = number)]
    seed: u64,

    /// Write the cubes to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Status {
    let puzzles = std::slice::from_ref(&options.puzzle);
    let mut outputs = Outputs::new(options.replacing, puzzles, &[]);
    let mut output = match outputs.file(options.output.as_deref()) {
        Ok(output) => output,
        Err(error) => return messages::failed(&error),
    };
    Session::with(
        &options.common.search_options(),
        &options.common.verbosity,
        false,
        |session| {
            session.answer_one(&options.puzzle, |subject| {
                split(session, subject, options, &mut output)
            })
        },
    )
}

fn split(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    output: &mut Output,
) -> Answered {
    let Subject { name, puzzle, .. } = subject;
    let cubes = usize::try_from(options.cubes).unwrap_or(usize::MAX);
    let split = session.on_threads(|| {
        Splitter::new(puzzle, cubes)
            .seed(options.seed)
            .limits(session.limits())
            .run()
    });
    let digest = Digest::of(puzzle);
    let of = split.cubes.len() as u64;
    let whole: f64 = split.cubes.iter().map(|(_, size)| size).sum();
    let largest = split
        .cubes
        .iter()
        .map(|(_, size)| size / whole)
        .fold(0.0, f64::max);
    for ((cube, size), unknown) in split.cubes.into_iter().zip(split.unknown) {
        let piece = Piece::new(digest, cube, of, size).with_unknown(unknown);
        output.write(seal(&piece).as_bytes())?;
    }
    output.finish()?;
    let why = match split.stopped {
        Some(stop) => format!(" ({})", session.why(stop, None)),
        None => String::new(),
    };
    session.note(&format!(
        "{name}: {}{why}, {} solved and {} refuted on the way, the largest about {:.1} % of the whole",
        counted(of, "cube"),
        split.solved,
        split.refuted,
        100.0 * largest
    ));
    // Fewer cubes are as good an answer.
    Ok(Status::Complete)
}
