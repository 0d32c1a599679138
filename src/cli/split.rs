//! `omnogram split`: splits a puzzle into cubes of similar size.

use std::path::PathBuf;

use clap::Args;
use omnogram::census::{Census, Engine, Tables, cut};
use omnogram::cluster::{Digest, Splitter, UnitTask, seal};

use super::census::size;
use super::given::GivenOption;
use super::options::{SearchOptions, Verbosity, When, number};
use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, counted};

/// Split a puzzle into cubes that can be answered independently
///
/// Writes one JSON object per cube, each on one line: its id, its decisions, the puzzle's digest, the total number of cubes, its estimated
/// size in nodes, and its number of unknown cells. The cubes are disjoint and together contain every solution. The same puzzle and options
/// give the same cubes on every machine. `omnogram work` answers the cubes, `omnogram merge` combines the answers. With --census a census
/// is split into slices instead, which are ranges of the tuples of row clues.
#[derive(Args, Debug)]
#[command(
    mut_arg("time", |option| option.help("Stop splitting after this time: 500ms, 90s, 5m, 1h30m. The cubes then differ from run to run")),
    mut_arg("memory", |option| option.help("Use at most about this much memory: 512M, 4G, 1T. There are fewer cubes if more would be needed")),
    after_help = "\
Examples:
  omnogram split --cubes 1000 puzzle.non > cubes.jsonl
  omnogram work --puzzle puzzle.non cubes.jsonl > results.jsonl
  omnogram merge cubes.jsonl results.jsonl
  omnogram split --census 5x6 --cubes 200 > slices.jsonl"
)]
pub(super) struct Options {
    /// The puzzle: a file, FILE#2 for the second puzzle of a pack, or - for standard input
    #[arg(value_name = "PUZZLE", required_unless_present = "census")]
    puzzle: Option<PathBuf>,

    /// Split the census of this size, rows and columns, instead of a puzzle
    #[arg(long, value_name = "HxW", value_parser = size, conflicts_with_all = ["puzzle", "given"])]
    census: Option<Census>,

    /// What the engine does with every clue set of the census
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "count",
        requires = "census"
    )]
    engine: Engine,

    /// Approximate number of cubes; a good choice is 30 to 100 per core. There may be fewer if nothing is left to split
    #[arg(long, short = 'n', value_name = "N", value_parser = number)]
    cubes: u64,

    /// Seed of the random numbers, by which the sizes of cubes are estimated
    #[arg(long, value_name = "S", default_value = "1", value_parser = number)]
    seed: u64,

    /// Write the cubes to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    given: GivenOption,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

pub(super) fn run(options: &Options) -> Answered {
    let puzzle = options.puzzle.as_slice();
    let mut outputs = Outputs::new(options.replacing, puzzle, options.given.file());
    let mut output = outputs.file(options.output.as_deref())?;
    let search_options = SearchOptions {
        nodes: None,
        progress: When::Never,
        ..options.search_options.clone()
    };
    let session = Session::new(&search_options, false, &options.verbosity)?;
    let session = &session.giving(&options.given, puzzle)?;
    match (&options.puzzle, options.census) {
        (Some(puzzle), _) => session.answer_one(puzzle, "", |subject| {
            split(session, subject, options, &mut output)
        }),
        (None, size) => {
            let size = size.expect("a puzzle or a census is required");
            let census = size.with_engine(options.engine);
            split_census(session, census, options, &mut output)
        }
    }
}

fn split_census(
    session: &Session,
    census: Census,
    options: &Options,
    output: &mut Output,
) -> Answered {
    let cubes = usize::try_from(options.cubes).unwrap_or(usize::MAX);
    let slices = cut(&Tables::new(census), cubes, options.seed);
    let (digest, of) = (Digest::of_census(census), slices.len() as u64);
    let largest = slices.iter().map(|(_, size)| *size).fold(0.0, f64::max);
    for (slice, size) in slices {
        output.write(seal(&UnitTask::new(digest, slice, of, size, None)).as_bytes())?;
    }
    output.finish()?;
    session.note(&format!(
        "{}x{}: {}, the largest about {:.1} % of the work",
        census.height(),
        census.width(),
        counted(of, "slice"),
        100.0 * largest / census.pictures() as f64
    ));
    Ok(Status::Complete)
}

fn split(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    output: &mut Output,
) -> Answered {
    let Subject { name, puzzle, .. } = subject;
    let cubes = usize::try_from(options.cubes).unwrap_or(usize::MAX);
    let split = session.pool.install(|| {
        Splitter::new(puzzle, cubes)
            .seed(options.seed)
            .limits(session.limits())
            .run()
    });
    let digest = Digest::of(puzzle);
    let of = split.cubes.len() as u64;
    let whole: f64 = split.cubes.iter().map(|(_, size)| size).sum();
    let shares = split.cubes.iter().map(|(_, size)| size / whole);
    let largest = shares.fold(0.0, f64::max);
    for ((cube, size), unknown) in split.cubes.into_iter().zip(split.unknown) {
        let piece = UnitTask::new(digest, cube, of, size, Some(unknown));
        output.write(seal(&piece).as_bytes())?;
    }
    output.finish()?;
    let why = session.why_stopped(split.stopped, None);
    session.note(&format!(
        "{name}: {}{why}, {} solved and {} refuted while splitting, the largest about {:.1} % of the work",
        counted(of, "cube"),
        split.solved,
        split.refuted,
        100.0 * largest
    ));
    // Fewer cubes than asked for are a complete answer too.
    Ok(Status::Complete)
}
