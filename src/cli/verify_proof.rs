//! `omnogram verify --proof`: whether certificates prove their answers. It uses the module `certificate`, which shares no code with the
//! search.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use omnogram::certificate::{Bounds, Formula, Lemmas, Refuted, check_formula, check_refutation};
use omnogram::cluster::Lines;
use omnogram::error::{Error, Result};
use omnogram::puzzle::{self, Puzzle};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::certificate::{Certificate, Checksummed, LIST, ProofFile, bound_reached};
use super::options::Bytes;
use super::output::print;
use super::status::{Answered, Status};
use super::words::counted;
use super::{answer, input_files, inputs, messages};

/// What is asked for.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) folder: &'a Path,
    /// The puzzles that must have a certificate.
    pub(super) puzzles: &'a [PathBuf],
    pub(super) time: Option<Duration>,
    pub(super) memory: Bytes,
    pub(super) json: bool,
    pub(super) quiet: bool,
}

/// The result for one certificate as JSON.
#[derive(Serialize)]
struct Report<'a> {
    puzzle: &'a str,
    verdict: &'a str,
    solutions: Option<&'a str>,
    proved: bool,
    error: Option<String>,
    stopped: Option<&'static str>,
    seconds: f64,
}

pub(super) fn run(request: &Request<'_>) -> Answered {
    let list = request.folder.join(LIST);
    input_files::check_stdout(request.puzzles, std::slice::from_ref(&list))?;
    let file = File::open(&list).map_err(|error| Error::io(&inputs::name(&list), error))?;
    Verification::new(request)?.check_list(file, &inputs::name(&list))
}

/// The state of a verification.
struct Verification<'a> {
    request: &'a Request<'a>,
    deadline: Option<Instant>,
    /// The puzzles without a certificate so far, by their clues.
    missing: HashMap<Vec<puzzle::Clue>, Vec<String>>,
    status: Status,
    proved: u64,
    failed: u64,
}

/// The clues of a puzzle, rows first. Two puzzles with equal lists have the same number of cells in a row only if their sizes are equal, so
/// the first clue has the number of rows as its only block.
fn key(puzzle: &Puzzle) -> Vec<puzzle::Clue> {
    let height = puzzle::Clue::new([puzzle.height()]).expect("a height is the length of a line");
    let clues = puzzle.lines().map(|(_, clue)| clue.clone());
    [height].into_iter().chain(clues).collect()
}

impl<'a> Verification<'a> {
    fn new(request: &'a Request<'a>) -> Result<Self> {
        let mut missing: HashMap<_, Vec<String>> = HashMap::new();
        for source in inputs::find(request.puzzles) {
            for entry in source.read() {
                let names = missing.entry(key(&entry.puzzle?)).or_default();
                names.push(entry.name);
            }
        }
        let now = Instant::now();
        Ok(Verification {
            request,
            deadline: request.time.and_then(|time| now.checked_add(time)),
            missing,
            status: Status::Complete,
            proved: 0,
            failed: 0,
        })
    }

    /// Checks every certificate of the list.
    fn check_list(mut self, file: File, name: &str) -> Answered {
        let mut lines = Lines::new(BufReader::new(file), name);
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
        for puzzle in &missing {
            let message = "there is no valid certificate of this puzzle";
            self.status = self
                .status
                .max(messages::error(&Error::data(message).in_file(puzzle)));
        }
        if !self.request.quiet {
            let proved = counted(self.proved, "certificate");
            let failed = match self.failed {
                0 => String::new(),
                failed => format!(", {failed} not"),
            };
            messages::note(&format!("{proved} valid{failed}"));
        }
        Ok(self.status)
    }

    /// Checks a certificate, and prints the result.
    fn check_and_print(&mut self, certificate: &Certificate) -> Answered<()> {
        let started = Instant::now();
        let checked = self.check(certificate);
        let seconds = answer::round_to_micros(started.elapsed().as_secs_f64());
        let mut stopped = None;
        let name = messages::escaped(&certificate.puzzle);
        let text = match &checked {
            Ok(why) => {
                self.proved += 1;
                let answer = match (&*certificate.verdict, &certificate.solutions) {
                    ("multiple", Some(number)) => format!("{number} solutions"),
                    (verdict, _) => verdict.to_owned(),
                };
                Some(format!("{name}: {answer}, proved by {why}\n"))
            }
            Err(error) => {
                self.failed += 1;
                stopped = bound_reached(error);
                let status = match stopped {
                    Some(stop) => {
                        let option = if stop == Stop::Time { "time" } else { "memory" };
                        messages::note(&format!("{name}: not checked, stopped by --{option}"));
                        Status::Stopped
                    }
                    None => messages::error(error),
                };
                self.status = self.status.max(status);
                None
            }
        };
        let line = if self.request.json {
            answer::json_line(&Report {
                puzzle: &certificate.puzzle,
                verdict: &certificate.verdict,
                solutions: certificate.solutions.as_deref(),
                proved: checked.is_ok(),
                error: checked
                    .err()
                    .filter(|_| stopped.is_none())
                    .map(|error| error.to_string()),
                stopped: stopped.map(|stop| if stop == Stop::Time { "time" } else { "memory" }),
                seconds,
            })
        } else {
            match text.filter(|_| !self.request.quiet) {
                Some(text) => text,
                None => return Ok(()),
            }
        };
        print(&line)
    }

    /// Checks a certificate, and returns what proves its answer.
    fn check(&mut self, certificate: &Certificate) -> Result<String> {
        let wrong = |message: &str| Error::data(message).in_file(&certificate.puzzle);
        let puzzle = certificate.read_puzzle()?;
        let examples = certificate.read_examples()?;
        for grid in &examples {
            if let Err(mismatch) = puzzle::verify(&puzzle, grid) {
                return Err(wrong(&format!("an example is not a solution: {mismatch}")));
            }
        }
        let refuted = self.check_refutation(certificate, &puzzle)?;
        let (verdict, solutions) = (&*certificate.verdict, certificate.solutions.as_deref());
        let proof = match &refuted {
            Some(refuted) => format!(
                "{} and {}",
                counted(refuted.clauses, "clause"),
                counted(refuted.steps, "step")
            ),
            None => String::new(),
        };
        let why = if let Some(graph) = &certificate.graph {
            let none = Lemmas::default();
            let lemmas = refuted.as_ref().map_or(&none, |refuted| &refuted.lemmas);
            let (count, contexts) = self.check_graph(graph, &puzzle, lemmas)?;
            let expected = match &*count {
                "1" => "unique",
                _ => "multiple",
            };
            if solutions != Some(&count) || verdict != expected {
                return Err(wrong(&format!(
                    "the graph has {count} solutions, not what the record says"
                )));
            }
            let lemmas = match lemmas.clauses().len() {
                0 => String::new(),
                number => format!(" with {}, {proof}", counted(number as u64, "lemma")),
            };
            format!("a graph of {}{lemmas}", counted(contexts, "context"))
        } else {
            let refuted = refuted.unwrap_or_default();
            match (verdict, solutions, &examples[..]) {
                ("none", Some("0"), []) if refuted.is_unsolvable => proof,
                ("unique", Some("1"), [solution]) => {
                    for row in 0..puzzle.height() {
                        for column in 0..puzzle.width() {
                            let variable = (row * puzzle.width() + column + 1) as i32;
                            let filled = solution.get(row, column);
                            let literal = if filled { variable } else { -variable };
                            if !refuted.lemmas.imply(&[], literal) {
                                let message =
                                    "the refutation does not say that the solution is the only one";
                                return Err(wrong(message));
                            }
                        }
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
    fn check_refutation(
        &self,
        certificate: &Certificate,
        puzzle: &Puzzle,
    ) -> Result<Option<Refuted>> {
        let (Some(clauses), Some(refutation)) = (&certificate.clauses, &certificate.refutation)
        else {
            return Ok(None);
        };
        let mut clauses = ProofReader::open(self.request.folder, clauses)?;
        let mut refutation = ProofReader::open(self.request.folder, refutation)?;
        let refuted = check_refutation(
            puzzle,
            (&mut clauses.input, &clauses.path),
            (&mut refutation.input, &refutation.path),
            &mut self.bounds(&mut || self.is_late()),
        )?;
        clauses.finish()?;
        refutation.finish()?;
        Ok(Some(refuted))
    }

    /// Checks the graph of a certificate. Returns the number of solutions and of contexts.
    fn check_graph(
        &self,
        graph: &ProofFile,
        puzzle: &Puzzle,
        lemmas: &Lemmas,
    ) -> Result<(String, u64)> {
        let mut graph = ProofReader::open(self.request.folder, graph)?;
        let cells = puzzle.width() * puzzle.height();
        let mut is_late = || self.is_late();
        let mut bounds = self.bounds(&mut is_late);
        let formula = Formula::read(&mut graph.input, &graph.path, cells, &mut bounds)?;
        let mut imply = |holding: &[i32], literal| Ok(lemmas.imply(holding, literal));
        let checked =
            check_formula(puzzle, &formula, &mut imply, &mut bounds).map_err(|error| {
                match bound_reached(&error) {
                    Some(_) => error,
                    None => error.in_file(&graph.path),
                }
            })?;
        graph.finish()?;
        Ok((checked.solutions.to_string(), checked.contexts))
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn bounds<'b>(&self, stop: &'b mut dyn FnMut() -> bool) -> Bounds<'b> {
        Bounds {
            stop,
            memory: self.request.memory.0,
        }
    }
}

/// A file of a certificate that is being read.
struct ProofReader<'a> {
    file: &'a ProofFile,
    path: String,
    input: BufReader<Checksummed<File>>,
}

impl<'a> ProofReader<'a> {
    fn open(folder: &Path, file: &'a ProofFile) -> Result<Self> {
        let path = folder.join(&file.name);
        let name = inputs::name(&path);
        // A record could name any file.
        if !inputs::is_file_name(&file.name) {
            return Err(
                Error::data("a certificate has files in its own folder only").in_file(&name),
            );
        }
        let opened = File::open(&path).map_err(|error| Error::io(&name, error))?;
        Ok(ProofReader {
            file,
            path: name,
            input: BufReader::with_capacity(1 << 16, Checksummed::new(opened)),
        })
    }

    /// Reads the rest, and compares the checksum.
    fn finish(mut self) -> Result<()> {
        let mut rest = [0; 1 << 12];
        while self
            .input
            .read(&mut rest)
            .map_err(|error| Error::io(&self.path, error))?
            > 0
        {}
        let (read, _) = self.input.into_inner().finish(self.file.name.clone());
        if (read.bytes, &read.checksum) == (self.file.bytes, &self.file.checksum) {
            Ok(())
        } else {
            let message = "this file has been changed: its checksum is another";
            Err(Error::data(message).in_file(&self.path))
        }
    }
}
