//! `omnogram verify --proof`: whether certificates prove their answers. It uses the module `certificate`, which shares no code with the
//! search.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::slice;
use std::time::{Duration, Instant};

use clap::Args;
use omnogram::certificate::{Bounds, Formula, Lemmas, Refuted, check_formula, check_refutation};
use omnogram::cluster::{RecordReader, is_file_name};
use omnogram::error::{Error, Result};
use omnogram::puzzle::{self, Grid, Puzzle};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::certificate::{Certificate, Checksummed, LIST, ProofFile, bound_reached};
use super::given::Given;
use super::json::{json_line, round_to_micros};
use super::options::{Bytes, time};
use super::output::print;
use super::status::{Answered, Status};
use super::words::counted;
use super::{input_files, inputs, messages};

/// The limits on a check, and the form of its answer.
#[derive(Args, Debug)]
pub(super) struct CheckingOptions {
    /// Use at most about this much memory: 512M, 4G, 1T; repeats of grids that do not fit are not found, and a certificate that needs more
    /// is not checked
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = super::options::size)]
    pub(super) memory: Bytes,

    /// Stop reading the list, or checking certificates, after this time: 500ms, 90s, 5m, 1h30m
    #[arg(long, short, allow_hyphen_values = true, value_name = "TIME", value_parser = time)]
    pub(super) time: Option<Duration>,

    /// Print JSON objects, each on one line: one for each grid and then one for the list, or one for each certificate
    #[arg(long, help_heading = "Output options")]
    pub(super) json: bool,

    /// Print nothing if all grids are valid and none is repeated; with --json, no objects for valid grids
    #[arg(long, short, help_heading = "Output options")]
    pub(super) quiet: bool,
}

#[derive(Serialize)]
struct CheckedCertificate<'a> {
    puzzle: &'a str,
    verdict: &'a str,
    solutions: Option<&'a str>,
    proved: bool,
    error: Option<String>,
    stopped: Option<Stop>,
    seconds: f64,
}

/// Checks the certificates in a folder. There must be one of each of these puzzles.
pub(super) fn run(
    folder: &Path,
    puzzles: &[PathBuf],
    given: &Given,
    options: &CheckingOptions,
) -> Answered {
    let list = folder.join(LIST);
    input_files::check_stdout(puzzles, slice::from_ref(&list))?;
    let lines = RecordReader::new(inputs::open(&list)?, &inputs::name(&list));
    Verification::new(folder, puzzles, given, options)?.check_list(lines)
}

struct Verification<'a> {
    folder: &'a Path,
    options: &'a CheckingOptions,
    deadline: Option<Instant>,
    /// The puzzles without a certificate so far, by their clues.
    missing: HashMap<Key, Vec<String>>,
    status: Status,
    proved: u64,
    failed: u64,
}

/// What distinguishes a puzzle: its height, its clues, rows first, and its given cells with their values.
type Key = (usize, Vec<puzzle::Clue>, Vec<(puzzle::Cell, bool)>);

fn key(puzzle: &Puzzle) -> Key {
    let clues = puzzle.lines().map(|(_, clue)| clue.clone());
    (
        puzzle.height(),
        clues.collect(),
        puzzle.given_cells().collect(),
    )
}

impl<'a> Verification<'a> {
    fn new(
        folder: &'a Path,
        puzzles: &[PathBuf],
        given: &Given,
        options: &'a CheckingOptions,
    ) -> Result<Self> {
        let mut missing: HashMap<_, Vec<String>> = HashMap::new();
        for source in inputs::find(puzzles) {
            for entry in source.read() {
                let entry = given.add_to(entry);
                let names = missing.entry(key(&entry.puzzle?)).or_default();
                names.push(entry.name);
            }
        }
        let now = Instant::now();
        Ok(Verification {
            folder,
            options,
            deadline: options.time.and_then(|time| now.checked_add(time)),
            missing,
            status: Status::Complete,
            proved: 0,
            failed: 0,
        })
    }

    fn check_list(mut self, mut lines: RecordReader<impl BufRead>) -> Answered {
        while let Some(certificate) = lines.record::<Certificate>() {
            match certificate {
                Ok(certificate) => {
                    if let Err(failure) = self.check_and_print(&certificate) {
                        return Ok(self.status.max(failure.report()));
                    }
                }
                Err(error) => {
                    self.failed += 1;
                    self.status = self.status.max(messages::error(&error));
                }
            }
        }
        let mut missing: Vec<&String> = self.missing.values().flatten().collect();
        missing.sort_unstable();
        for puzzle in missing {
            let error = Error::data("there is no valid certificate of this puzzle").in_file(puzzle);
            self.status = self.status.max(messages::error(&error));
        }
        if !self.options.quiet {
            let proved = counted(self.proved, "certificate");
            let failed = match self.failed {
                0 => String::new(),
                failed => format!(", {failed} not"),
            };
            messages::note(&format!("{proved} valid{failed}"));
        }
        Ok(self.status)
    }

    fn check_and_print(&mut self, certificate: &Certificate) -> Answered<()> {
        let started = Instant::now();
        let checked = self.check(certificate);
        let seconds = round_to_micros(started.elapsed().as_secs_f64());
        let name = messages::escaped(&certificate.puzzle);
        let stopped = checked.as_ref().err().and_then(bound_reached);
        if let Err(error) = &checked {
            self.failed += 1;
            let status = match stopped {
                Some(stop) => {
                    messages::note(&format!("{name}: not checked, stopped by --{stop}"));
                    Status::Stopped
                }
                None => messages::error(error),
            };
            self.status = self.status.max(status);
        } else {
            self.proved += 1;
        }
        if self.options.json {
            let proved = checked.is_ok();
            let error = checked.err().filter(|_| stopped.is_none());
            return print(&json_line(&CheckedCertificate {
                puzzle: &certificate.puzzle,
                verdict: &certificate.verdict,
                solutions: certificate.solutions.as_deref(),
                proved,
                error: error.map(|error| error.to_string()),
                stopped,
                seconds,
            }));
        }
        match checked {
            Ok(why) if !self.options.quiet => {
                let answer = match (&*certificate.verdict, &certificate.solutions) {
                    ("multiple", Some(number)) => format!("{number} solutions"),
                    (verdict, _) => verdict.to_owned(),
                };
                print(&format!("{name}: {answer}, proved by {why}\n"))
            }
            _ => Ok(()),
        }
    }

    /// Checks a certificate, and returns what proves its answer.
    fn check(&mut self, certificate: &Certificate) -> Result<String> {
        let wrong = |message: &str| Error::data(message).in_file(&certificate.puzzle);
        let mut puzzle = Puzzle::from_clues(&certificate.rows, &certificate.columns)?;
        if let Some(rows) = &certificate.given {
            puzzle = puzzle.with_given(rows.join("\n").parse()?)?;
        }
        let examples = certificate
            .examples
            .iter()
            .map(|rows| Grid::from_rows(rows));
        let examples: Vec<Grid> = examples.collect::<Result<_>>()?;
        for grid in &examples {
            puzzle::verify(&puzzle, grid)
                .map_err(|mismatch| wrong(&format!("an example is not a solution: {mismatch}")))?;
        }
        let refuted = self.check_refutation(certificate, &puzzle)?;
        let clauses = counted(refuted.clauses, "clause");
        let proof = format!("{clauses} and {}", counted(refuted.steps, "step"));
        let (verdict, solutions) = (&*certificate.verdict, certificate.solutions.as_deref());
        let why = if let Some(graph) = &certificate.graph {
            let (count, contexts) = self.check_graph(graph, &puzzle, &refuted.lemmas)?;
            let expected = if count == "1" { "unique" } else { "multiple" };
            if solutions != Some(&count) || verdict != expected {
                return Err(wrong(&format!(
                    "the graph has {count} solutions, not what the record says"
                )));
            }
            let lemmas = match refuted.lemmas.clauses().len() {
                0 => String::new(),
                number => format!(" with {}, {proof}", counted(number as u64, "lemma")),
            };
            format!("a graph of {}{lemmas}", counted(contexts, "context"))
        } else {
            match (verdict, solutions, &examples[..]) {
                ("none", Some("0"), []) if refuted.is_unsolvable => proof,
                ("unique", Some("1"), [solution]) => {
                    if !is_only_solution(solution, &refuted.lemmas) {
                        let message =
                            "the refutation does not say that the solution is the only one";
                        return Err(wrong(message));
                    }
                    proof
                }
                ("multiple", None, [first, second]) if first != second => {
                    "two solutions".to_owned()
                }
                _ => return Err(wrong("this certificate does not prove what it says")),
            }
        };
        self.missing.remove(&key(&puzzle));
        Ok(why)
    }

    /// Checks the refutation of a certificate, if it has one.
    fn check_refutation(&self, certificate: &Certificate, puzzle: &Puzzle) -> Result<Refuted> {
        let (Some(clauses), Some(refutation)) = (&certificate.clauses, &certificate.refutation)
        else {
            return Ok(Refuted::default());
        };
        self.read_file(clauses, |clauses, clauses_name| {
            self.read_file(refutation, |refutation, refutation_name| {
                check_refutation(
                    puzzle,
                    (clauses, clauses_name),
                    (refutation, refutation_name),
                    &mut self.bounds(&mut || self.is_late()),
                )
            })
        })
    }

    /// Checks the graph of a certificate. Returns the number of solutions and of contexts.
    fn check_graph(
        &self,
        graph: &ProofFile,
        puzzle: &Puzzle,
        lemmas: &Lemmas,
    ) -> Result<(String, u64)> {
        self.read_file(graph, |text, name| {
            let cells = puzzle.width() * puzzle.height();
            let mut is_late = || self.is_late();
            let mut bounds = self.bounds(&mut is_late);
            let formula = Formula::read(text, name, cells, &mut bounds)?;
            let mut imply = |holding: &[i32], literal| Ok(lemmas.imply(holding, literal));
            match check_formula(puzzle, &formula, &mut imply, &mut bounds) {
                Ok(checked) => Ok((checked.solutions.to_string(), checked.contexts)),
                Err(error) if bound_reached(&error).is_some() => Err(error),
                Err(error) => Err(error.in_file(name)),
            }
        })
    }

    /// Reads a file of a certificate with its name in messages, and compares its checksum.
    fn read_file<T>(
        &self,
        file: &ProofFile,
        read: impl FnOnce(&mut dyn BufRead, &str) -> Result<T>,
    ) -> Result<T> {
        let path = self.folder.join(&file.name);
        let name = inputs::name(&path);
        // A record could name any file.
        if !is_file_name(&file.name) {
            let message = "a certificate has files in its own folder only";
            return Err(Error::data(message).in_file(&name));
        }
        let failed = |error| Error::io(&name, error);
        let opened = Checksummed::new(File::open(&path).map_err(failed)?);
        let mut input = BufReader::with_capacity(1 << 16, opened);
        let result = read(&mut input, &name)?;
        io::copy(&mut input, &mut io::sink()).map_err(failed)?;
        let (found, _) = input.into_inner().finish(file.name.clone());
        if found != *file {
            let message = "this file has been changed: its checksum is another";
            return Err(Error::data(message).in_file(&name));
        }
        Ok(result)
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn bounds<'b>(&self, stop: &'b mut dyn FnMut() -> bool) -> Bounds<'b> {
        Bounds {
            stop,
            memory: self.options.memory.0,
        }
    }
}

/// Whether these lemmas imply the value of every cell of a solution.
fn is_only_solution(solution: &Grid, lemmas: &Lemmas) -> bool {
    let (width, height) = (solution.width(), solution.height());
    (0..width * height).all(|cell| {
        let variable = cell as i32 + 1;
        let filled = solution.get(cell / width, cell % width);
        lemmas.imply(&[], if filled { variable } else { -variable })
    })
}
