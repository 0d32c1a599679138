//! `omnogram generate`: random puzzles that are unique, or solved by a given method, and puzzles near an image.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use clap::Args;
use crossbeam::channel::Receiver;
use omnogram::design::{Generated, Generator, Method, Repair, Repaired, Symmetry, Wanted};
use omnogram::error::Result;
use omnogram::format::{Format, Picture, ReadOptions, Threshold, TraceOptions};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::convert::size;
use super::json::json_line;
use super::options::{AnswerOptions, SearchOptions, number, random_seed};
use super::output::{Replacing, print};
use super::progress::Steps;
use super::puzzle_output::{PuzzleOutput, Target, target};
use super::queue::MAX_AHEAD_PER_THREAD;
use super::repair::edited;
use super::session::{self, Session};
use super::status::{Answered, Failure, Status};
use super::words::counted;
use super::{input_files, inputs, messages};

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
  omnogram generate --size 15x15 --sweeps 8.. -n 20 -o long.nonpack
  omnogram generate --size 20x20 --density 0.4 --line-solvable --reveal 3
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

    /// Make line-solvable puzzles that need this number of sweeps over rows and columns in turn: 5, or 3..8, 3.. and ..8, which include both ends
    #[arg(long, value_name = "RANGE", value_parser = sweeps, conflicts_with_all = ["unique", "method", "from"])]
    sweeps: Option<RangeInclusive<usize>>,

    /// Make unique puzzles, or with --line-solvable line-solvable ones, with up to N given cells: the picture is changed less
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..),
        conflicts_with_all = ["method", "sweeps", "from"]
    )]
    reveal: Option<u16>,

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
    /// puzzle is unique, or with --line-solvable solved by lines. The picture that keeps the drawing best comes first. - is standard
    /// input
    #[arg(long, value_name = "IMAGE")]
    from: Option<PathBuf>,

    /// Fill the light pixels of the image instead of the dark ones
    #[arg(long, requires = "from")]
    invert: bool,

    /// Keep an empty margin around the drawing in the image
    #[arg(long, requires = "from")]
    no_crop: bool,

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

/// Parses `5`, `3..8`, `3..` or `..8`; both ends are included.
fn sweeps(text: &str) -> std::result::Result<RangeInclusive<usize>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let end = |text: &str, open: usize| match text {
        "" => Some(open),
        digits => digits.parse().ok(),
    };
    let range = end(least, 0).zip(end(most, usize::MAX));
    let range = range.filter(|(least, most)| least <= most && !text.trim_matches('.').is_empty());
    range.map(|(least, most)| least..=most).ok_or_else(|| {
        "expected a number of sweeps, such as 5, or a range, such as 3..8, 3.. or ..8".to_owned()
    })
}

pub(super) fn run(options: &Options) -> Answered {
    let seed = options.seed.unwrap_or_else(random_seed);
    let generator = generator(options, seed)?;
    let mut output = open(options)?;
    let AnswerOptions { json, verbosity } = &options.answer_options;
    let session = &Session::new(&options.search_options, *json, verbosity)?;
    let made = match &options.from {
        Some(image) => make_near(session, options, image, &mut output),
        None => make_all(session, options, &generator, seed, &mut output),
    };
    // Titles are made up here, so that it needs no warning where the format has none.
    output.forgive_notes();
    Ok(made
        .unwrap_or_else(Failure::report)
        .max(output.end(verbosity.quiet)))
}

fn generator(options: &Options, seed: u64) -> Result<Generator> {
    // Without a size there is an image instead, and nothing is generated.
    let (width, height) = options.size.unwrap_or((1, None));
    let height = height.unwrap_or(width);
    let lines = options.line_solvable || options.sweeps.is_some();
    let wanted = match options.method {
        Some(method) => Wanted::Method(method),
        None if lines => Wanted::Method(Method::Lines),
        None if options.unique || options.reveal.is_some() => Wanted::Unique,
        None => Wanted::Anything,
    };
    let generator = Generator::new(width, height)?
        .density(options.density)?
        .symmetry(options.symmetric)?;
    Ok(generator
        .seed(seed)
        .wanted(wanted)
        .sweeps(options.sweeps.clone())
        .reveal(options.reveal.map_or(0, usize::from))
        .attempts(options.attempts))
}

fn open(options: &Options) -> Result<PuzzleOutput> {
    let path = options.output.as_deref().unwrap_or(Path::new("-"));
    let named = Target::of(path).filter(|_| !inputs::is_stdin(path));
    let default = Format::named("non").map(Target::from);
    let to = options.to.or(named).or(default);
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
    let most_ahead = MAX_AHEAD_PER_THREAD * session.pool.current_num_threads();
    let to_terminal = options.output.is_none() && io::stdout().is_terminal();
    let mut steps = Steps::new(session.progress_mode(), !to_terminal, wanted);
    let mut waiting: VecDeque<Receiver<Generated>> = VecDeque::new();
    let mut numbers = 0..wanted;
    let (mut made, mut status) = (0, Status::Complete);
    let mut stop = None;
    let mut written = Ok(());
    while stop.is_none() && written.is_ok() {
        let free = most_ahead - waiting.len();
        waiting.extend(numbers.by_ref().take(free).map(|number| {
            let generator = generator.clone();
            session
                .spawn_on_one_thread(started, move |limits| generator.limits(limits).make(number))
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
    if session.is_json() && (generated.puzzle.is_some() || !interrupted) {
        print(&json_line(&generated))?;
    }
    if let Some(puzzle) = generated.puzzle {
        if session.is_json() && options.output.is_none() {
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

/// The thresholds at which an image is traced.
const THRESHOLDS: [Threshold; 6] = [
    Threshold::Auto,
    Threshold::Local,
    Threshold::Fixed(128),
    Threshold::Fixed(96),
    Threshold::Fixed(160),
    Threshold::Fixed(64),
];

/// An image with at most this number of pixels a side is traced with one cell per pixel, as is enlarged pixel art.
const MAX_PIXELS: usize = 60;

/// The widths at which a larger image is traced.
const WIDTHS: [usize; 4] = [20, 25, 30, 40];

/// Nodes of a repair, unless --nodes says otherwise: some seconds.
const REPAIR_NODES: u64 = 20_000;

/// Steps of likeness, from 0 to 1, that count when pictures are ranked.
const LIKENESS_STEPS: f64 = 20.0;

/// A puzzle near the image.
#[derive(Debug, Serialize)]
struct Near {
    #[serde(flatten)]
    puzzle: Puzzle,
    /// The grey level at which the image was traced, `auto` or `local`.
    threshold: String,
    /// How alike the drawings in the picture and in the image are, from -1 to 1.
    likeness: f64,
    /// Cells that differ from the tracing, and whether no smaller number suffices.
    changed: usize,
    minimal: bool,
}

/// Makes puzzles near an image, which is decoded once and traced in several ways; each tracing is repaired.
fn make_near(
    session: &Session,
    options: &Options,
    image: &Path,
    output: &mut PuzzleOutput,
) -> Answered {
    // There is nothing to report yet, so that a signal may end the process.
    let (picture, started) = session.interrupt.while_reading(|| read(options, image))?;
    let name = messages::escaped(&inputs::name(image)).into_owned();
    let traced = tracings(session, options, (&picture, &name), started);
    repair_all(session, options, &name, traced, started, output)
}

/// Reads and decodes the image, and tells when the decoding began: `--time` does not hold for the wait for an input.
fn read(options: &Options, image: &Path) -> Result<(Picture, Instant)> {
    let bytes = inputs::read_file(image)?;
    let started = Instant::now();
    // With a size, images are read that are too large to be traced without one.
    let size = options.size.unwrap_or((WIDTHS[0], None));
    let reading = ReadOptions::default().tracing(TraceOptions::default().size(size));
    let picture = reading.picture(&bytes, &inputs::name(image))?;
    Ok((picture, started))
}

/// A tracing of an image.
struct Tracing {
    grid: Grid,
    threshold: Threshold,
    /// The image with one pixel per cell.
    picture: Rc<Picture>,
}

/// The different tracings of the image, and what stopped the tracing before the last of them.
fn tracings(
    session: &Session,
    options: &Options,
    (picture, name): (&Picture, &str),
    started: Instant,
) -> (Vec<Tracing>, Option<Stop>) {
    let base = TraceOptions::default()
        .invert(options.invert)
        .keep_margin(options.no_crop);
    let whole = || picture.fitted(&base).0.size();
    let sizes: Vec<_> = match (options.size, picture.size()) {
        (Some(size), _) => vec![Some(size)],
        (None, (width, height)) if width.max(height) <= MAX_PIXELS => vec![None],
        (None, size) if whole() != size => vec![None],
        _ => WIDTHS.map(|width| Some((width, None))).to_vec(),
    };
    let mut tracings: Vec<Tracing> = Vec::new();
    let mut said = Vec::new();
    for size in sizes {
        let mut fitted = None;
        for threshold in THRESHOLDS {
            if let Some(stop) = stop(session, started) {
                return (tracings, Some(stop));
            }
            let picture = fitted.get_or_insert_with(|| {
                let (picture, words) = picture.fitted(&base.size(size));
                for word in words {
                    if !said.contains(&word) {
                        session.note(&format!("{name}: {word}"));
                        said.push(word);
                    }
                }
                Rc::new(picture)
            });
            let grid = picture.trace(&base.threshold(threshold));
            // A picture without filled or without empty cells shows nothing.
            let shows = grid.filled() > 0 && grid.filled() < grid.width() * grid.height();
            if shows && !tracings.iter().any(|other| other.grid == grid) {
                tracings.push(Tracing {
                    grid,
                    threshold,
                    picture: Rc::clone(picture),
                });
            }
        }
    }
    (tracings, None)
}

/// Whether the time since `started` is over, or there has been an interrupt.
fn stop(session: &Session, started: Instant) -> Option<Stop> {
    if session.interrupt.is_requested() {
        return Some(Stop::Interrupt);
    }
    let is_over = session.limits_since(started).time == Some(Duration::ZERO);
    is_over.then_some(Stop::Time)
}

/// Repairs all tracings, several at once, each on one thread, and writes the best.
fn repair_all(
    session: &Session,
    options: &Options,
    name: &str,
    (tracings, mut stopped): (Vec<Tracing>, Option<Stop>),
    started: Instant,
    output: &mut PuzzleOutput,
) -> Answered {
    let line_solvable = options.line_solvable;
    let repair = |tracing: &Tracing| {
        let grid = tracing.grid.clone();
        session.spawn_on_one_thread(started, move |limits| {
            let nodes = limits.nodes.unwrap_or(REPAIR_NODES);
            let repair = Repair::new(&grid)
                .line_solvable(line_solvable)
                .limits(limits.nodes(nodes));
            // On one thread a repair is reproducible.
            Some(session::pool(1).ok()?.install(|| repair.run()))
        })
    };
    let repairs: Vec<_> = tracings.iter().map(repair).collect();
    let mut found = Vec::new();
    for (tracing, receiver) in tracings.iter().zip(repairs) {
        let (width, height) = (tracing.grid.width(), tracing.grid.height());
        let about = format!("{name}: {width}x{height}, threshold {}", tracing.threshold);
        let repaired: Option<Repaired> = receiver.recv().ok().flatten();
        let stop = repaired.as_ref().and_then(|repaired| repaired.stopped);
        stopped = stopped.or(stop.filter(|&stop| stop != Stop::Nodes));
        let Some(near) = repaired.and_then(|repaired| near(tracing, &repaired, options.invert))
        else {
            session.note(&format!("{about}: no good picture found near it"));
            continue;
        };
        let cells = width * height;
        let share = 100.0 * near.changed as f64 / cells as f64;
        let changed = counted(near.changed as u64, "cell");
        let minimal = if near.minimal { ", proven minimal" } else { "" };
        let alike = 100.0 * near.likeness;
        session.note(&format!(
            "{about}: {changed} of {cells} changed ({share:.1} %{minimal}), {alike:.0} % alike"
        ));
        found.push((rank(&near, share), near));
    }
    // The sort keeps the order of equal ones.
    found.sort_by(|(a, _), (b, _)| a.partial_cmp(b).expect("these are numbers"));
    let most = usize::try_from(options.number).unwrap_or(usize::MAX);
    let made = found.len().min(most);
    for (i, (_, near)) in found.into_iter().take(most).enumerate() {
        if session.is_json() {
            print(&json_line(&near))?;
        }
        if !session.is_json() || options.output.is_some() {
            output.add(format!("generated#{}", i + 1), near.puzzle)?;
        }
    }
    output.finish()?;
    if made == most && stopped.is_none() {
        return Ok(Status::Complete);
    }
    let wanted = counted(options.number, "puzzle");
    let why = match stopped {
        Some(stop) => session.stop_reason(stop, None),
        None if tracings.is_empty() => "no tracing of this image shows anything".to_owned(),
        None => "there are no more tracings that differ".to_owned(),
    };
    session.note(&format!("{made} of {wanted} made: {why}"));
    Ok(Status::Stopped)
}

/// What the best picture has least of: unlikeness in steps that an eye sees, then the share of changed cells.
fn rank(near: &Near, share: f64) -> (f64, f64) {
    ((-near.likeness * LIKENESS_STEPS).round(), share)
}

/// The puzzle of a repaired tracing; `None` if there is no edit.
fn near(tracing: &Tracing, repaired: &Repaired, invert: bool) -> Option<Near> {
    let flips = repaired.flips.as_ref()?;
    let puzzle = edited(&Puzzle::from_grid(&tracing.grid), &tracing.grid, flips);
    let goal = puzzle
        .notes()
        .goal
        .as_ref()
        .expect("it is made from a picture");
    Some(Near {
        threshold: tracing.threshold.to_string(),
        likeness: tracing.picture.likeness(goal, invert),
        changed: flips.len(),
        minimal: repaired.minimal,
        puzzle,
    })
}
