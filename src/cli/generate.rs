//! `omnogram generate`: random puzzles that are unique, or solved by a given method.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use crossbeam::channel::Receiver;
use omnogram::design::{Generated, Generator, Method, Symmetry, Wanted};
use omnogram::error::Result;
use omnogram::format::Format;
use omnogram::solutions::Stop;

use super::convert::size;
use super::json::json_line;
use super::near_image::{self, WantedNear};
use super::options::{AnswerOptions, SearchOptions, number};
use super::output::Replacing;
use super::progress::Steps;
use super::puzzle_output::{PuzzleOutput, Target, target};
use super::queue::MAX_AHEAD_PER_THREAD;
use super::session::Session;
use super::status::{Answered, Failure, Status};
use super::words::counted;
use super::{input_files, inputs};

/// Make puzzles from random pictures
///
/// A random picture of the wanted density is changed, by swaps of a filled and an empty cell, until its puzzle is unique, or solved by the
/// wanted method. The picture is written as the goal of the puzzle. The same seed gives the same puzzles, in the same order, on any number
/// of threads. The puzzles are not a uniform sample: where random pictures of the density are mostly ambiguous, cells gather in longer
/// blocks. Without --unique, --line-solvable or --method, the random pictures are taken as they are. With --json one object for each puzzle
/// is printed, and without --output the puzzles are only in these objects. The exit status is 3 if not all puzzles could be made.
#[derive(Args, Debug)]
#[command(
    mut_arg("time", |arg| arg.help("Stop after this time, all puzzles together: 500ms, 90s, 5m, 1h30m")),
    after_help = "\
Examples:
  omnogram generate --size 10x10 --unique
  omnogram generate --size 20x15 --line-solvable --symmetric --seed 7
  omnogram generate --size 30x30 --density 0.55 --unique -n 1000 -o puzzles.nonpack
  omnogram generate --size 15x15 --method probing -n 20 -o out/
  omnogram generate --from portrait.png --size 30 --line-solvable -o portrait.non

--output takes the formats of convert. An existing file is replaced only with --force."
)]
pub(super) struct Options {
    /// Columns and rows; with W alone, the picture is square, or with --from has the proportions of the image
    #[arg(long, value_name = "WxH", value_parser = size, required_unless_present = "from")]
    size: Option<(usize, Option<usize>)>,

    /// The share of filled cells, from 0 to 1
    #[arg(long, value_name = "D", default_value = "0.5", value_parser = share, conflicts_with = "from")]
    density: f64,

    /// Seed of the random numbers [default: a random seed, which the titles of the puzzles name]
    #[arg(long, value_name = "S", value_parser = number, conflicts_with = "from")]
    seed: Option<u64>,

    /// Number of puzzles; with --from the best N tracings
    #[arg(long, short, value_name = "N", default_value = "1", value_parser = number)]
    number: u64,

    /// Make puzzles with exactly one solution
    #[arg(long, group = "wanted")]
    unique: bool,

    /// Make puzzles that are solved by looking at single lines; the same as --method lines
    #[arg(long, group = "wanted")]
    line_solvable: bool,

    /// Make unique puzzles for which this is the simplest method that solves them
    #[arg(long, group = "wanted", value_name = "METHOD", conflicts_with = "from")]
    method: Option<Method>,

    /// Make symmetric pictures [default of SYMMETRY: left-right]
    #[arg(
        long,
        value_name = "SYMMETRY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "left-right",
        conflicts_with = "from"
    )]
    symmetric: Option<Symmetry>,

    /// Give a puzzle up after N random pictures [default: after about 50 million settled lines]
    #[arg(long, value_name = "N", value_parser = number, conflicts_with = "from")]
    attempts: Option<u64>,

    /// Stay near this image: trace it at several thresholds and, without --size, sizes, and flip as few cells as can be found until the
    /// puzzle is unique, or with --line-solvable solved by lines. - is standard input
    #[arg(long, value_name = "IMAGE")]
    from: Option<PathBuf>,

    /// Write the puzzles to this file, in the format of its ending, or into a folder, one file each [default: standard output, as .non]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The output format [default: that of the ending of FILE, or non]
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,

    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

fn share(text: &str) -> std::result::Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.5".to_owned())
}

pub(super) fn run(options: &Options) -> Answered {
    // The standard library seeds its hash maps with random keys, which are good enough for a default seed.
    let seed = options
        .seed
        .unwrap_or_else(|| RandomState::new().hash_one(0));
    let generator = generator(options, seed)?;
    let mut output = open(options)?;
    let session = &Session::new(&options.search_options, &options.answer_options)?;
    let made = match &options.from {
        Some(image) => {
            let wanted = WantedNear {
                image,
                size: options.size,
                line_solvable: options.line_solvable,
                number: options.number,
                to_file: options.output.is_some(),
            };
            near_image::run(session, wanted, &mut output)
        }
        None => make_all(session, options, &generator, seed, &mut output),
    };
    // Titles are made up here, so that it needs no warning where the format has none.
    Ok(made.unwrap_or_else(Failure::report).max(output.end(true)))
}

fn generator(options: &Options, seed: u64) -> Result<Generator> {
    // Without a size there is an image instead, and nothing is generated.
    let (width, height) = options.size.unwrap_or((1, None));
    let height = height.unwrap_or(width);
    let wanted = match (options.method, options.line_solvable) {
        (Some(method), _) => Wanted::Method(method),
        (None, true) => Wanted::Method(Method::Lines),
        (None, false) if options.unique => Wanted::Unique,
        (None, false) => Wanted::Anything,
    };
    let generator = Generator::new(width, height)?
        .density(options.density)?
        .symmetry(options.symmetric)?;
    Ok(generator
        .seed(seed)
        .wanted(wanted)
        .attempts(options.attempts))
}

fn open(options: &Options) -> Result<PuzzleOutput> {
    let path = options.output.as_deref().unwrap_or(Path::new("-"));
    let named = Target::of(path).filter(|_| !inputs::is_stdin(path));
    let to = options
        .to
        .or(named)
        .or(Format::named("non").map(Target::from));
    let images = options.from.as_slice();
    input_files::check_stdout(&[], images)?;
    let output = PuzzleOutput::new(path, to, options.replacing, &[], images)?;
    output.check_number(options.number)?;
    Ok(output)
}

/// Makes all puzzles, several at once, each on one thread, and writes them in order.
fn make_all(
    session: &Session,
    options: &Options,
    generator: &Generator,
    seed: u64,
    output: &mut PuzzleOutput,
) -> Answered {
    let (wanted, started) = (options.number, Instant::now());
    let most_ahead = MAX_AHEAD_PER_THREAD * session.pool().current_num_threads();
    let to_terminal = options.output.is_none() && io::stdout().is_terminal();
    let mut steps = Steps::new(session.show_progress(), !to_terminal, wanted);
    let mut waiting: VecDeque<Receiver<Generated>> = VecDeque::new();
    let mut numbers = 0..wanted;
    let (mut made, mut status) = (0, Status::Complete);
    let mut stop = None;
    let mut written = Ok(());
    while stop.is_none() && written.is_ok() {
        let free = most_ahead - waiting.len();
        waiting.extend(numbers.by_ref().take(free).map(|number| {
            let generator = generator.clone();
            session.start(started, move |limits| generator.limits(limits).make(number))
        }));
        let Some(Ok(generated)) = waiting.pop_front().map(|receiver| receiver.recv()) else {
            break;
        };
        steps.advance();
        stop = generated.stopped.filter(|&stop| stop != Stop::Nodes);
        if generated.puzzle.is_some() {
            made += 1;
        } else {
            status = Status::Stopped;
        }
        written = steps.suspend(|| write(session, options, seed, generated, output));
    }
    steps.end();
    written?;
    if let Some(stop) = stop {
        let wanted = counted(wanted, "puzzle");
        let why = session.stop_reason(stop, None);
        session.note(&format!("{made} of {wanted} made: {why}"));
    }
    output.finish()?;
    Ok(status)
}

/// Writes a puzzle, or says that it could not be made.
fn write(
    session: &Session,
    options: &Options,
    seed: u64,
    mut generated: Generated,
    output: &mut PuzzleOutput,
) -> Answered<()> {
    let number = generated.number + 1;
    generated.number = number;
    generated.puzzle = generated.puzzle.map(|puzzle| {
        let title = format!("Seed {seed}, number {number}");
        let notes = puzzle.notes().clone().title(title);
        puzzle.with_notes(notes).expect("the goal is unchanged")
    });
    // A run that is stopped does not answer the puzzles that it was making.
    let interrupted = generated.stopped.is_some_and(|stop| stop != Stop::Nodes);
    if session.json() && (generated.puzzle.is_some() || !interrupted) {
        session.print(&json_line(&generated))?;
    }
    if let Some(puzzle) = generated.puzzle {
        if session.json() && options.output.is_none() {
            return Ok(());
        }
        return output.add(format!("generated#{number}"), puzzle);
    }
    if !interrupted {
        let why = match generated.stopped {
            Some(stop) => session.stop_reason(stop, None),
            None => format!("given up after {}", counted(generated.attempts, "attempt")),
        };
        session.note(&format!("number {number}: {why}"));
    }
    Ok(())
}
