//! `omnogram verify`: whether every grid of a list is a solution, and no two are equal. It does not use the search, so it can check the
//! list of any solver.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use omnogram::error::{Error, Kind, Result};
use omnogram::format::{Entry, Solutions};
use omnogram::puzzle::{self, Puzzle};
use serde::Serialize;

use super::options::{Bytes, time};
use super::output::print_last;
use super::status::{Answered, Status};
use super::words::counted;
use super::{answer, input_files, inputs, messages, verify_proof};

/// Check a list of solutions against a puzzle, or a folder of certificates
///
/// Reads a list in either format that enumerate writes. Every grid must satisfy every clue, and no grid may be repeated. It does not check
/// whether the list is complete; compare the output of count.
///
/// With --proof, checks the certificates that check --proof and count --proof have written: that every clause follows from the clue of one
/// line, that every step of a refutation follows from earlier clauses, and that the models of a graph are the solutions of the puzzle. The
/// code that does this is separate from the search. Every certificate contains its puzzle; if PUZZLE is given, there must be a certificate
/// of each of these puzzles.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram enumerate puzzles/pictures/snail.non | omnogram verify puzzles/pictures/snail.non
  omnogram verify puzzles/pictures/snail.non snail.txt
  omnogram verify --proof certificates puzzles/pictures")]
pub(super) struct Options {
    /// The puzzle; FILE#2 is the second puzzle of a pack. With --proof also a pack or a folder
    #[arg(value_name = "PUZZLE", required_unless_present = "proof")]
    puzzle: Option<PathBuf>,

    /// The list of solutions, or - for standard input
    #[arg(
        value_name = "SOLUTIONS",
        default_value = "-",
        conflicts_with = "proof"
    )]
    solutions: PathBuf,

    /// Check the certificates in this folder
    #[arg(long, value_name = "DIR")]
    proof: Option<PathBuf>,

    /// Use at most about this much memory: 512M, 4G, 1T; repeats of grids that do not fit are not found, and a certificate that needs more
    /// is not checked
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = super::options::size)]
    memory: Bytes,

    /// Stop reading the list, or checking certificates, after this time: 500ms, 90s, 5m, 1h30m
    #[arg(long, short, allow_hyphen_values = true, value_name = "TIME", value_parser = time)]
    time: Option<Duration>,

    /// Print one JSON object, on one line; one for each certificate
    #[arg(long, help_heading = "Output options")]
    json: bool,

    /// Print nothing if all grids are valid and none is repeated; with --json the object is still printed
    #[arg(long, short, help_heading = "Output options")]
    quiet: bool,
}

/// Most wrong or repeated grids that are printed; the others are only counted.
const MAX_PRINTED_ERRORS: u64 = 10;

/// Bytes of an entry in the table of grids, besides the words of the grid.
const BYTES_PER_ENTRY: u64 = 64;

/// The result of checking a list.
#[derive(Debug, Default)]
struct Findings {
    grids: u64,
    wrong: u64,
    repeated: u64,
    /// Grids that did not fit in memory, so that their repeats were not found.
    unchecked: u64,
    /// The time limit, if it ended the reading.
    timed_out: Option<Duration>,
}

/// The result as JSON.
#[derive(Serialize)]
struct Report {
    puzzle: String,
    list: String,
    solutions: u64,
    wrong: u64,
    repeated: u64,
    /// Grids that did not fit in memory, so that their repeats were not found.
    unchecked: u64,
    stopped: Option<&'static str>,
}

pub(super) fn run(options: &Options) -> Answered {
    let path = match (&options.proof, &options.puzzle) {
        (Some(folder), puzzles) => {
            return verify_proof::run(&verify_proof::Request {
                folder,
                puzzles: puzzles.as_slice(),
                time: options.time,
                memory: options.memory,
                json: options.json,
                quiet: options.quiet,
            });
        }
        (None, Some(path)) => path,
        (None, None) => unreachable!("clap requires one of them"),
    };
    let read = [path, &options.solutions].map(std::slice::from_ref);
    input_files::check_stdout(read[0], read[1])?;
    let puzzle = puzzle(path, &options.solutions)?;
    let name = inputs::name(&options.solutions);
    let findings = if inputs::is_stdin(&options.solutions) {
        check(&puzzle, io::stdin().lock(), &name, options)
    } else {
        let file = File::open(&options.solutions).map_err(|error| Error::io(&name, error))?;
        let file = BufReader::with_capacity(1 << 16, file);
        check(&puzzle, file, &name, options)
    };
    findings?.report(path, options)
}

/// Reads the puzzle; an error if the argument names several.
fn puzzle(puzzle: &Path, solutions: &Path) -> Result<Puzzle> {
    let stdin = |path: &Path| inputs::is_stdin(path);
    if stdin(puzzle) && stdin(solutions) {
        let message = "the puzzle and the solutions cannot both come from standard input";
        return Err(Error::new(Kind::Usage, message));
    }
    let mut entries = Vec::new();
    for source in inputs::find(&[puzzle.to_owned()]) {
        entries.extend(source.read());
    }
    match <[Entry; 1]>::try_from(entries) {
        Ok([entry]) => entry.puzzle,
        Err(entries) => {
            let message = format!(
                "there are {} puzzles here: name one of them, such as {}",
                entries.len(),
                entries[0].name
            );
            Err(Error::new(Kind::Usage, message).in_file(&inputs::name(puzzle)))
        }
    }
}

/// Reads and checks the list to its end, to the time limit, or to the first syntax error.
fn check(puzzle: &Puzzle, input: impl BufRead, name: &str, options: &Options) -> Result<Findings> {
    let deadline = options
        .time
        .and_then(|time| Instant::now().checked_add(time));
    let mut findings = Findings::default();
    let mut seen: HashMap<Box<[u64]>, usize> = HashMap::new();
    let mut bytes = 0;
    let mut solutions = Solutions::new(input, name);
    while let Some(grid) = solutions.next() {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            findings.timed_out = options.time;
            break;
        }
        let grid = grid?;
        let line = solutions.line();
        findings.grids += 1;
        if let Err(mismatch) = puzzle::verify(puzzle, &grid) {
            findings.wrong += 1;
            findings.print_error(&format!("{name}:{line}: not a solution: {mismatch}"));
            continue;
        }
        if let Some(first) = seen.get(grid.words()) {
            findings.repeated += 1;
            findings.print_error(&format!("{name}:{line}: the same grid as in line {first}"));
            continue;
        }
        bytes += grid.words().len() as u64 * 8 + BYTES_PER_ENTRY;
        if bytes <= options.memory.0 {
            seen.insert(grid.words().into(), line);
        } else {
            findings.unchecked += 1;
        }
    }
    Ok(findings)
}

impl Findings {
    /// Prints an error about a grid, unless [`MAX_PRINTED_ERRORS`] have been printed before.
    fn print_error(&self, text: &str) {
        match (self.wrong + self.repeated).cmp(&(MAX_PRINTED_ERRORS + 1)) {
            std::cmp::Ordering::Less => messages::note(&format!("error: {text}")),
            std::cmp::Ordering::Equal => messages::note(
                "error: more wrong or repeated grids follow; only their number is printed",
            ),
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Prints the answer, and returns the exit status.
    fn report(&self, puzzle: &Path, options: &Options) -> Answered {
        let Findings {
            grids,
            wrong,
            repeated,
            unchecked,
            timed_out,
        } = *self;
        let (text, status) = match (wrong + repeated, timed_out, unchecked) {
            (0, Some(time), _) => (
                format!("all valid so far; stopped by --time {time:?}"),
                Status::Stopped,
            ),
            (0, None, 0) if grids == 0 => ("the list is empty".to_owned(), Status::Complete),
            (0, None, 0) => ("all valid, no repeats".to_owned(), Status::Complete),
            (0, None, unchecked) => (
                format!(
                    "all valid; {unchecked} of them did not fit --memory and were not checked for repeats"
                ),
                Status::Stopped,
            ),
            _ => (format!("{wrong} wrong, {repeated} repeated"), Status::Data),
        };
        if options.quiet && !options.json && status == Status::Complete {
            return Ok(status);
        }
        let line = if options.json {
            answer::json_line(&Report {
                puzzle: inputs::name(puzzle),
                list: inputs::name(&options.solutions),
                solutions: grids,
                wrong,
                repeated,
                unchecked,
                stopped: timed_out.map(|_| "time"),
            })
        } else {
            format!("{}, {text}\n", counted(grids, "solution"))
        };
        print_last(line.as_bytes())?;
        Ok(status)
    }
}
