//! `--proof` of `check` and `count`: a folder of certificates, which `verify --proof` and other programs can check.

use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use omnogram::certificate::{Bounds, Formula, Lemmas, check_formula};
use omnogram::cluster::seal;
use omnogram::error::{Error, Kind};
use omnogram::graph::SolutionGraph;
use omnogram::puzzle::Grid;
use omnogram::sat::{Claim, LemmaFinder, Refutation, write_refutation};
use omnogram::search::{Limits, Outcome, Verdict};
use omnogram::solutions::Stop;

use super::certificate::{Certificate, Checksummed, LIST, ProofFile, bound_reached};
use super::messages;
use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::{Answered, Failure, Status};
use super::words::Subject;

/// A folder of certificates that is being written.
#[derive(Debug)]
pub(super) struct CertificateFolder {
    path: PathBuf,
    outputs: Outputs,
    list: Output,
    /// Number of the current puzzle, which names the files of its certificate.
    number: u64,
}

/// Why there is no certificate, if there is none.
enum NoCertificate {
    /// A limit on the certificate.
    Stopped(Stop),
    /// The answer cannot be proved, because it is wrong.
    Wrong(String),
    Failure(Failure),
}

impl From<Failure> for NoCertificate {
    fn from(failure: Failure) -> Self {
        NoCertificate::Failure(failure)
    }
}

impl From<Error> for NoCertificate {
    fn from(error: Error) -> Self {
        NoCertificate::Failure(error.into())
    }
}

impl CertificateFolder {
    /// Creates the folder, and the list in it.
    pub(super) fn new(
        path: &Path,
        replacing: Replacing,
        puzzles: &[PathBuf],
    ) -> Result<Self, Error> {
        let mut outputs = Outputs::new(replacing, puzzles, &[]);
        outputs.folder(path)?;
        let list = outputs.file(Some(&path.join(LIST)))?;
        Ok(CertificateFolder {
            path: path.to_owned(),
            outputs,
            list,
            number: 0,
        })
    }

    /// Publishes the list.
    pub(super) fn finish(&mut self) -> Answered<()> {
        self.list.begin()?;
        self.list.finish()
    }

    /// Adds the certificate of a verdict. `solutions`: those that were found.
    pub(super) fn add_verdict(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        verdict: Verdict,
        solutions: &[Grid],
    ) -> Answered {
        self.number += 1;
        let certified = match verdict {
            Verdict::None => self.certify_none(session, subject),
            Verdict::Unique => self.certify_unique(session, subject, &solutions[0]),
            Verdict::Multiple => {
                let (name, puzzle) = (subject.raw_name, subject.puzzle);
                Ok(Certificate::new(name, puzzle, "multiple", solutions))
            }
            _ => {
                let name = subject.label();
                session.note(&format!("{name}: no certificate, as it is undecided"));
                return Ok(Status::Complete);
            }
        };
        self.add(session, subject, certified)
    }

    /// Adds the certificate of a count.
    pub(super) fn add_count(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        graph: Option<&SolutionGraph>,
        outcome: &Outcome,
    ) -> Answered {
        let Some(graph) = graph.filter(|_| outcome.is_complete()) else {
            let name = subject.label();
            session.note(&format!(
                "{name}: no certificate, as the count is incomplete"
            ));
            return Ok(Status::Complete);
        };
        self.number += 1;
        let certified = if graph.count().is_zero() {
            self.certify_none(session, subject)
        } else {
            self.certify_count(session, subject, graph)
        };
        self.add(session, subject, certified)
    }

    /// Adds a certificate to the list, or prints why there is none.
    fn add(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        certified: Result<Certificate, NoCertificate>,
    ) -> Answered {
        let name = subject.label();
        match certified {
            Ok(certificate) => {
                self.list.write(seal(&certificate).as_bytes())?;
                Ok(Status::Complete)
            }
            Err(NoCertificate::Stopped(stop)) => {
                let reason = session.stop_reason(stop, None);
                session.note(&format!("{name}: no certificate: {reason}"));
                Ok(Status::Stopped)
            }
            Err(NoCertificate::Wrong(why)) => {
                messages::note(&format!(
                    "error: {name}: the answer is wrong, please report this: {why}"
                ));
                Ok(Status::Wrong)
            }
            Err(NoCertificate::Failure(failure)) => Err(failure),
        }
    }

    fn certify_none(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
    ) -> Result<Certificate, NoCertificate> {
        let certificate = Certificate::new(subject.raw_name, subject.puzzle, "none", &[]);
        let limits = session.limits();
        let mut certificate = self.refute(subject, Claim::NoSolution, &limits, certificate)?;
        certificate.solutions = Some("0".to_owned());
        Ok(certificate)
    }

    fn certify_unique(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        solution: &Grid,
    ) -> Result<Certificate, NoCertificate> {
        let solutions = std::slice::from_ref(solution);
        let (name, puzzle) = (subject.raw_name, subject.puzzle);
        let certificate = Certificate::new(name, puzzle, "unique", solutions);
        let (claim, limits) = (Claim::OnlySolution(solution), session.limits());
        let mut certificate = self.refute(subject, claim, &limits, certificate)?;
        certificate.solutions = Some("1".to_owned());
        Ok(certificate)
    }

    fn certify_count(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        graph: &SolutionGraph,
    ) -> Result<Certificate, NoCertificate> {
        let (started, puzzle) = (Instant::now(), subject.puzzle);
        let (file, mut copy) = self.write_graph(graph, &session.limits())?;
        let limits = session.limits_since(started);
        let lemmas = find_lemmas(subject, graph, &mut copy, &limits)?;
        let verdict = match graph.count().to_string().as_str() {
            "1" => "unique",
            _ => "multiple",
        };
        let mut certificate = Certificate::new(subject.raw_name, puzzle, verdict, &[]);
        certificate.solutions = Some(graph.count().to_string());
        certificate.graph = Some(file);
        if lemmas.clauses().is_empty() {
            return Ok(certificate);
        }
        let (claim, limits) = (Claim::Lemmas(&lemmas), session.limits_since(started));
        self.refute(subject, claim, &limits, certificate)
    }

    /// Writes the graph into a file of the folder, and into a temporary one that can be read.
    fn write_graph(
        &mut self,
        graph: &SolutionGraph,
        limits: &Limits,
    ) -> Result<(ProofFile, File), NoCertificate> {
        let (mut output, name) = self.open("nnf")?;
        let failed = |error: io::Error| Failure::Error(Error::io("the temporary file", error));
        let mut copy = tempfile::tempfile().map_err(failed)?;
        let mut result = Ok(());
        let written = graph.write_nnf(limits, |text| {
            result = output
                .write_all(text)
                .map_err(|error| Failure::writing(&name, error))
                .and_then(|()| copy.write_all(text).map_err(failed));
            result.is_ok()
        });
        result?;
        written.map_err(NoCertificate::Stopped)?;
        Ok((self.publish(output, name)?, copy))
    }

    /// Writes the clauses and the refutation for a claim, and adds both files to the certificate.
    fn refute(
        &mut self,
        subject: &Subject<'_>,
        claim: Claim<'_>,
        limits: &Limits,
        mut certificate: Certificate,
    ) -> Result<Certificate, NoCertificate> {
        let (mut clauses, clauses_name) = self.open("cnf")?;
        let (proof, proof_name) = self.open("lrat")?;
        let refuted = write_refutation(subject.puzzle, claim, limits, &mut clauses, proof);
        let folder = self.path.display().to_string();
        let (answer, proof) = refuted.map_err(|error| Failure::writing(&folder, error))?;
        match answer {
            Refutation::Complete => {
                certificate.clauses = Some(self.publish(clauses, clauses_name)?);
                certificate.refutation = Some(self.publish(proof, proof_name)?);
                Ok(certificate)
            }
            Refutation::Stopped(stop) => Err(NoCertificate::Stopped(stop)),
            Refutation::Wrong => {
                let why = "the SAT solver finds another solution";
                Err(NoCertificate::Wrong(why.to_owned()))
            }
        }
    }

    /// Opens a file of the next certificate, and gives its name in the folder.
    fn open(&mut self, ending: &str) -> Result<(Checksummed<PlainOutput>, String), Error> {
        let name = format!("{}.{ending}", self.number);
        let output = self.outputs.file(Some(&self.path.join(&name)))?;
        Ok((Checksummed::new(PlainOutput(output)), name))
    }

    /// Publishes a file.
    fn publish(
        &self,
        output: Checksummed<PlainOutput>,
        name: String,
    ) -> Result<ProofFile, NoCertificate> {
        let (file, mut output) = output.finish(name);
        output.0.finish()?;
        Ok(file)
    }
}

/// Checks a graph as `verify` will, and finds the lemmas that this needs.
fn find_lemmas(
    subject: &Subject<'_>,
    graph: &SolutionGraph,
    text: &mut File,
    limits: &Limits,
) -> Result<Lemmas, NoCertificate> {
    let puzzle = subject.puzzle;
    let deadline = limits
        .time
        .and_then(|time| Instant::now().checked_add(time));
    let mut stop_reason = None;
    // Relaxed: the flag publishes no other data.
    let is_interrupted = || {
        let flag = limits.interrupt.as_ref();
        flag.is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
    };
    let mut stop = || {
        if is_interrupted() {
            stop_reason = Some(Stop::Interrupt);
        } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            stop_reason = Some(Stop::Time);
        }
        stop_reason.is_some()
    };
    let Some(mut finder) = LemmaFinder::new(puzzle, limits) else {
        let reason = if stop() { stop_reason } else { None };
        return Err(NoCertificate::Stopped(reason.unwrap_or(Stop::Memory)));
    };
    text.rewind()
        .map_err(|error| Error::io("the temporary file", error))?;
    let cells = puzzle.width() * puzzle.height();
    let mut text = BufReader::with_capacity(1 << 16, text);
    let mut bounds = Bounds {
        stop: &mut stop,
        memory: limits.memory.unwrap_or(u64::MAX),
    };
    let formula = Formula::read(&mut text, "the graph", cells, &mut bounds);
    let checked = formula.and_then(|formula| {
        let mut find = |holding: &[i32], literal| Ok(finder.find(holding, literal));
        check_formula(puzzle, &formula, &mut find, &mut bounds)
    });
    match checked {
        Ok(checked) if checked.solutions.to_string() == graph.count().to_string() => {
            Ok(finder.into_lemmas())
        }
        Ok(_) => Err(NoCertificate::Wrong(
            "its graph has another number of solutions".to_owned(),
        )),
        Err(error) => match finder.stopped().or(stop_reason) {
            Some(stop) => Err(NoCertificate::Stopped(stop)),
            None if bound_reached(&error) == Some(Stop::Memory) => {
                Err(NoCertificate::Stopped(Stop::Memory))
            }
            None if error.kind() == Kind::Io => Err(error.into()),
            None => Err(NoCertificate::Wrong(error.to_string())),
        },
    }
}

/// An output as the standard library writes to it.
#[derive(Debug)]
struct PlainOutput(Output);

impl Write for PlainOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(Failure::Closed) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(Failure::Error(error)) => Err(io::Error::other(error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
