//! `omnogram verify`: whether every grid of a list is a solution, and no two are equal. It does not use the search, so it can check the
//! list of any solver.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use omnogram::error::Result;
use omnogram::format::{Entry, Solutions};
use omnogram::puzzle::{self, Mismatch, Puzzle};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::given::{Given, GivenOption};
use super::json::json_line;
use super::output::{print, print_last};
use super::status::{Answered, Status, usage};
use super::verify_proof::{self, CheckingOptions};
use super::words::counted;
use super::{input_files, inputs, messages};

/// Check a list of solutions against a puzzle, or a folder of certificates
///
/// Reads a list in either format that enumerate writes. Every grid must satisfy every clue, and no grid may be repeated. It does not check
/// whether the list is complete; compare the output of count.
///
/// With --json there is an object for each grid, and then one for the list. `grid` is the number of the grid, from 1, `line` the line of
/// the list where it begins, and `verdict` is valid, wrong, repeated or, if it did not fit --memory, unchecked. A wrong grid has `size`, or
/// in `lines` the `name`, the `clue` and the `blocks` of each wrong line, and in `given` the cells that contradict given ones, as
/// [row, column], counted from 0. A repeated grid has the number of the earlier one in `equals`. `reasons` says the same in words.
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

    #[command(flatten)]
    given: GivenOption,
    #[command(flatten)]
    checking: CheckingOptions,
}

/// Most wrong or repeated grids that are printed; the others are only counted.
const MAX_PRINTED_ERRORS: u64 = 10;

/// What is found of one grid, with --json.
#[derive(Debug, Serialize)]
struct Checked {
    /// Its number in the list, from 1.
    grid: u64,
    /// The line of the list at which it begins.
    line: usize,
    verdict: &'static str,
    /// Width and height of a grid that has not the size of the puzzle.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<(usize, usize)>,
    /// Row and column of each given cell that is contradicted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    given: Vec<(usize, usize)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<WrongLine>,
    /// The number of the earlier grid that is equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    equals: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
}

/// A line whose blocks are not those of its clue.
#[derive(Debug, Serialize)]
struct WrongLine {
    /// `row 3`
    name: String,
    clue: Vec<usize>,
    /// The lengths of the blocks in the grid.
    blocks: Vec<usize>,
}

impl Checked {
    fn new(grid: u64, line: usize, verdict: &'static str) -> Self {
        Checked {
            grid,
            line,
            verdict,
            size: None,
            given: Vec::new(),
            lines: Vec::new(),
            equals: None,
            reasons: Vec::new(),
        }
    }

    fn wrong(grid: u64, line: usize, mismatches: &[Mismatch]) -> Self {
        let mut checked = Checked::new(grid, line, "wrong");
        for mismatch in mismatches {
            checked.reasons.push(mismatch.to_string());
            match mismatch {
                Mismatch::Size(size, _) => checked.size = Some(*size),
                Mismatch::Given(cell, _) => {
                    let place = (cell.row.into(), cell.column.into());
                    checked.given.push(place);
                }
                Mismatch::Line(line, clue, found) => checked.lines.push(WrongLine {
                    name: line.to_string(),
                    clue: clue.lengths().collect(),
                    blocks: found.lengths().collect(),
                }),
                // A further kind is in the reasons.
                _ => {}
            }
        }
        checked
    }

    fn repeated(grid: u64, line: usize, first: u64) -> Self {
        Checked {
            equals: Some(first),
            reasons: vec![format!("grid {grid} equals grid {first}")],
            ..Checked::new(grid, line, "repeated")
        }
    }
}

/// Bytes of an entry in the table of grids, besides the words of the grid.
const BYTES_PER_ENTRY: u64 = 64;

/// The result of checking a list, which is also the last object of the answer as JSON.
#[derive(Debug, Default, Serialize)]
struct Findings {
    puzzle: String,
    list: String,
    solutions: u64,
    wrong: u64,
    repeated: u64,
    /// Grids that did not fit in memory, so that their repeats were not found.
    unchecked: u64,
    /// Set if the time limit ended the reading.
    stopped: Option<Stop>,
}

pub(super) fn run(options: &Options) -> Answered {
    if let Some(folder) = &options.proof {
        let puzzles = options.puzzle.as_slice();
        let given = options.given.read(puzzles)?;
        return verify_proof::run(folder, puzzles, &given, &options.checking);
    }
    let path = options.puzzle.as_ref();
    let path = path.expect("clap requires a puzzle or a folder");
    let read = [path, &options.solutions].map(std::slice::from_ref);
    input_files::check_stdout(read[0], read[1])?;
    inputs::check_stdin_once(options.given.file(), read[1])?;
    let given = options.given.read(read[0])?;
    if inputs::is_stdin(path) && inputs::is_stdin(&options.solutions) {
        let message = "the puzzle and the solutions cannot both come from standard input";
        return Err(usage(message).into());
    }
    let puzzle = read_puzzle(path, &given)?;
    let mut findings = Findings {
        puzzle: inputs::name(path),
        list: inputs::name(&options.solutions),
        ..Findings::default()
    };
    findings.check(&puzzle, options)?;
    findings.print(options)
}

/// Reads the puzzle; an error if the argument names several.
fn read_puzzle(path: &Path, given: &Given) -> Result<Puzzle> {
    let sources = inputs::find(&[path.to_owned()]).into_iter();
    let entries: Vec<Entry> = sources.flat_map(|source| source.read()).collect();
    match <[Entry; 1]>::try_from(entries) {
        Ok([entry]) => given.add_to(entry).puzzle,
        Err(entries) => {
            let (number, first) = (entries.len(), &entries[0].name);
            let message =
                format!("there are {number} puzzles here: name one of them, such as {first}");
            Err(usage(message).in_file(&inputs::name(path)))
        }
    }
}

impl Findings {
    /// Reads and checks the list to its end, to the time limit, or to the first syntax error.
    fn check(&mut self, puzzle: &Puzzle, options: &Options) -> Answered<()> {
        let time = options.checking.time;
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let name = self.list.clone();
        let mut seen: HashMap<Box<[u64]>, (u64, usize)> = HashMap::new();
        let mut bytes = 0;
        let mut list = Solutions::new(inputs::open(&options.solutions)?, &name);
        while let Some(grid) = list.next() {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.stopped = Some(Stop::Time);
                break;
            }
            let grid = grid?;
            let line = list.line();
            self.solutions += 1;
            let number = self.solutions;
            let mismatches = puzzle::mismatches(puzzle, &grid);
            let checked = if let Some(mismatch) = mismatches.first() {
                self.wrong += 1;
                self.print_error(&format!("{name}:{line}: not a solution: {mismatch}"));
                Checked::wrong(number, line, &mismatches)
            } else if let Some((first, its_line)) = seen.get(grid.words()) {
                self.repeated += 1;
                self.print_error(&format!(
                    "{name}:{line}: the same grid as in line {its_line}"
                ));
                Checked::repeated(number, line, *first)
            } else {
                bytes += grid.words().len() as u64 * 8 + BYTES_PER_ENTRY;
                if bytes <= options.checking.memory.0 {
                    seen.insert(grid.words().into(), (number, line));
                    Checked::new(number, line, "valid")
                } else {
                    self.unchecked += 1;
                    Checked::new(number, line, "unchecked")
                }
            };
            if options.checking.json && !(options.checking.quiet && checked.verdict == "valid") {
                print(&json_line(&checked))?;
            }
        }
        Ok(())
    }

    /// Prints an error about a grid, unless [`MAX_PRINTED_ERRORS`] have been printed before.
    fn print_error(&self, text: &str) {
        match (self.wrong + self.repeated).cmp(&(MAX_PRINTED_ERRORS + 1)) {
            Ordering::Less => messages::note(&format!("error: {text}")),
            Ordering::Equal => messages::note(
                "error: more wrong or repeated grids follow; only their number is printed",
            ),
            Ordering::Greater => {}
        }
    }

    fn print(&self, options: &Options) -> Answered {
        let (text, status) = if self.wrong + self.repeated > 0 {
            let (wrong, repeated) = (self.wrong, self.repeated);
            (format!("{wrong} wrong, {repeated} repeated"), Status::Data)
        } else if self.stopped.is_some() {
            let time = options.checking.time.unwrap_or_default();
            let text = format!("all valid so far; stopped by --time {time:?}");
            (text, Status::Stopped)
        } else if self.unchecked > 0 {
            let text = format!(
                "all valid; {} of them did not fit --memory and were not checked for repeats",
                self.unchecked
            );
            (text, Status::Stopped)
        } else if self.solutions == 0 {
            ("the list is empty".to_owned(), Status::Complete)
        } else {
            ("all valid, no repeats".to_owned(), Status::Complete)
        };
        if options.checking.json {
            print_last(json_line(self).as_bytes())?;
        } else if !options.checking.quiet || status != Status::Complete {
            let text = format!("{}, {text}\n", counted(self.solutions, "solution"));
            print_last(text.as_bytes())?;
        }
        Ok(status)
    }
}
