//! `omnogram studio`: the page on which a designer draws, served on this machine alone.

use std::path::PathBuf;
use std::{env, io};

use clap::Args;
use omnogram::format::Entry;
use omnogram::studio::{Studio, StudioOptions};

use super::given::Given;
use super::interrupt::Interrupt;
use super::options::{SearchOptions, Verbosity};
use super::queue::Queue;
use super::status::{Answered, Failure, Status};
use super::{input_files, inputs, messages, output};

/// Draw puzzles in the browser, and see at once whether they are unique
///
/// Opens a page in the browser, which this program serves on the loopback address; the page loads nothing from elsewhere, and works
/// without a network. After every stroke it shows the clues, whether the puzzle is unique, the number of its solutions and the ambiguous
/// cells. It repairs, explains, lets you solve the puzzle, and reads and writes all formats of convert. The address of the page is
/// printed as one line; it has a random token, without which the server answers nothing. Ctrl-C ends the program.
///
/// The limits --time and --nodes are those of each answer, --memory is that of all together. The page keeps the drawing in the browser,
/// under the port: choose one with --port to find the drawing again the next time.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram studio
  omnogram studio puzzles/pictures/key.non
  omnogram studio --port 8080 --no-open puzzles/pictures")]
pub(super) struct Options {
    /// Puzzle files, packs, folders, pictures, a game ID or an address of puzz.link, or - for standard input: the page begins with the first one and has them all in
    /// its collection
    #[arg(value_name = "PUZZLE")]
    puzzles: Vec<PathBuf>,

    /// The port to listen on [default: any free one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Print the address, but do not open a browser
    #[arg(long)]
    no_open: bool,

    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

pub(super) fn run(options: &Options) -> Answered {
    let interrupt = Interrupt::install();
    let (puzzles, status) = read(options, interrupt)?;
    if puzzles.is_empty() && status != Status::Complete {
        return Ok(status);
    }
    let mut studio_options = StudioOptions::default();
    studio_options.port = options.port.unwrap_or(0);
    studio_options.threads = options.search_options.threads.unwrap_or(0).into();
    studio_options.limits = options.search_options.limits();
    studio_options.puzzles = puzzles;
    let studio = Studio::new(studio_options)?;
    let address = studio.address();
    match output::print(&format!("{address}\n")) {
        Err(Failure::Closed) => return Ok(Status::Complete),
        printed => printed?,
    }
    if !options.verbosity.quiet {
        messages::note("The studio listens at this address. Ctrl-C ends it.");
    }
    if !options.no_open
        && let Err(error) = open_browser(&address)
        && !options.verbosity.quiet
    {
        messages::warning(&format!(
            "no browser could be opened ({error}): open the address in one"
        ));
    }
    studio.serve(|| interrupt.is_requested())?;
    Ok(Status::Complete)
}

/// Shows an address in the program that `BROWSER` names, or that the system would take.
fn open_browser(address: &str) -> io::Result<()> {
    match env::var_os("BROWSER") {
        Some(browser) if !browser.is_empty() => {
            open::with_detached(address, browser.to_string_lossy())
        }
        _ => open::that_detached(address),
    }
}

/// The puzzles of the arguments, and the gravest status of those that have an error, which is printed.
fn read(options: &Options, interrupt: &Interrupt) -> Answered<(Vec<Entry>, Status)> {
    input_files::check_stdout(&options.puzzles, &[])?;
    if !options.verbosity.quiet {
        inputs::note_skipped(&options.puzzles, None);
    }
    let mut queue = Queue::new(inputs::find(&options.puzzles), &Given::Nothing);
    let (mut puzzles, mut status) = (Vec::new(), Status::Complete);
    while let Some(item) = queue.next(interrupt, true) {
        match &item.entry.puzzle {
            Ok(_) => puzzles.push((*item.entry).clone()),
            Err(error) => status = status.max(messages::error(error)),
        }
    }
    Ok((puzzles, status))
}
