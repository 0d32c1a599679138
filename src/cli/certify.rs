//! `--proof` of `check` and `count`: a folder of certificates, which `verify --proof` and other programs can check.

use std::fs::File;
use std::io::{BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use omnogram::certificate::{Bounds, Formula, Lemmas, check_formula};
use omnogram::cluster::seal;
use omnogram::error::{Error, Kind, Result};
use omnogram::graph::SolutionGraph;
use omnogram::puzzle::Grid;
use omnogram::sat::{Claim, LemmaFinder, Refutation, write_refutation};
use omnogram::search::{Limits, Outcome, Verdict};
use omnogram::solutions::Stop;

use super::certificate::{Certificate, Checksummed, LIST, ProofFile, bound_reached};
use super::graph::write_nnf;
use super::messages;
use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::{Answered, Failure, Status};
use super::words::Subject;
use super::writer::WriteLimits;

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

type Certified<T = Certificate> = std::result::Result<T, NoCertificate>;

impl<E: Into<Failure>> From<E> for NoCertificate {
    fn from(failure: E) -> Self {
        NoCertificate::Failure(failure.into())
    }
}

impl CertificateFolder {
    /// Creates the folder, and the list in it.
    pub(super) fn new(path: &Path, replacing: Replacing, puzzles: &[PathBuf]) -> Result<Self> {
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
            Verdict::Unique => {
                let claim = Claim::OnlySolution(&solutions[0]);
                let certificate = Certificate::new(subject, "unique", Some("1"), &solutions[..1]);
                self.refute(subject, claim, &session.limits(), certificate)
            }
            Verdict::Multiple => Ok(Certificate::new(subject, "multiple", None, solutions)),
            _ => {
                let name = subject.label();
                session.note(&format!("{name}: no certificate, as it is undecided"));
                return Ok(Status::Complete);
            }
        };
        self.add(session, subject, certified)
    }

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
    fn add(&mut self, session: &Session, subject: &Subject<'_>, certified: Certified) -> Answered {
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

    fn certify_none(&mut self, session: &Session, subject: &Subject<'_>) -> Certified {
        let certificate = Certificate::new(subject, "none", Some("0"), &[]);
        self.refute(subject, Claim::NoSolution, &session.limits(), certificate)
    }

    fn certify_count(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        graph: &SolutionGraph,
    ) -> Certified {
        let started = Instant::now();
        let (file, mut copy) = self.write_graph(graph, &session.limits())?;
        let limits = session.limits_since(started);
        let lemmas = find_lemmas(subject, graph, &mut copy, &limits)?;
        let count = graph.count().to_string();
        let verdict = if count == "1" { "unique" } else { "multiple" };
        let mut certificate = Certificate::new(subject, verdict, Some(&count), &[]);
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
    ) -> Certified<(ProofFile, File)> {
        let (mut output, name) = self.open("nnf")?;
        let failed = |error| Error::io("the temporary file", error);
        let mut copy = tempfile::tempfile().map_err(failed)?;
        let written = write_nnf(graph, limits, |text| {
            let written = output.write_all(text);
            written.map_err(|error| Failure::writing(&name, error))?;
            Ok(copy.write_all(text).map_err(failed)?)
        })?;
        written.map_err(NoCertificate::Stopped)?;
        Ok((publish(output, name)?, copy))
    }

    /// Writes the clauses and the refutation for a claim, and adds both files to the certificate.
    fn refute(
        &mut self,
        subject: &Subject<'_>,
        claim: Claim<'_>,
        limits: &Limits,
        mut certificate: Certificate,
    ) -> Certified {
        let (mut clauses, clauses_name) = self.open("cnf")?;
        let (proof, proof_name) = self.open("lrat")?;
        let refuted = write_refutation(subject.puzzle, claim, limits, &mut clauses, proof);
        let folder = self.path.display().to_string();
        let (answer, proof) = refuted.map_err(|error| Failure::writing(&folder, error))?;
        match answer {
            Refutation::Complete => {
                certificate.clauses = Some(publish(clauses, clauses_name)?);
                certificate.refutation = Some(publish(proof, proof_name)?);
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
    fn open(&mut self, ending: &str) -> Result<(Checksummed<Output>, String)> {
        let name = format!("{}.{ending}", self.number);
        let output = self.outputs.file(Some(&self.path.join(&name)))?;
        Ok((Checksummed::new(output), name))
    }
}

fn publish(output: Checksummed<Output>, name: String) -> Answered<ProofFile> {
    let (file, mut output) = output.finish(name);
    output.finish()?;
    Ok(file)
}

/// Checks a graph as `verify` will, and finds the lemmas that this needs.
fn find_lemmas(
    subject: &Subject<'_>,
    graph: &SolutionGraph,
    text: &mut File,
    limits: &Limits,
) -> Certified<Lemmas> {
    let puzzle = subject.puzzle;
    let polled = WriteLimits::of(limits, Instant::now());
    let Some(mut finder) = LemmaFinder::new(puzzle, limits) else {
        let reason = polled.reached().unwrap_or(Stop::Memory);
        return Err(NoCertificate::Stopped(reason));
    };
    text.rewind()
        .map_err(|error| Error::io("the temporary file", error))?;
    let cells = puzzle.width() * puzzle.height();
    let mut text = BufReader::with_capacity(1 << 16, text);
    let mut reached = None;
    let mut stop = || {
        reached = polled.reached();
        reached.is_some()
    };
    let mut bounds = Bounds {
        stop: &mut stop,
        memory: limits.memory.unwrap_or(u64::MAX),
    };
    let checked = Formula::read(&mut text, "the graph", cells, &mut bounds).and_then(|formula| {
        let mut find = |holding: &[i32], literal| Ok(finder.find(holding, literal));
        check_formula(puzzle, &formula, &mut find, &mut bounds)
    });
    let error = match checked {
        Ok(checked) if checked.solutions.to_string() == graph.count().to_string() => {
            return Ok(finder.into_lemmas());
        }
        Ok(_) => Error::data("its graph has another number of solutions"),
        Err(error) => error,
    };
    let stopped = finder.stopped().or(reached).or(bound_reached(&error));
    Err(match stopped {
        Some(stop) => NoCertificate::Stopped(stop),
        None if error.kind() == Kind::Io => error.into(),
        None => NoCertificate::Wrong(error.to_string()),
    })
}
