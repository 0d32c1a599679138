//! The record of a certificate: the puzzle, the answer, and the files that prove it, as one line of the list in a folder
//! of certificates.

use std::io::{self, Write};

use omnogram::error::Error;
use omnogram::puzzle::{Clue, Grid, Position};
use omnogram::solutions::Stop;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::words::Subject;

/// The name of the list in the folder.
pub(super) const LIST: &str = "certificates.jsonl";

/// An answer and what proves it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Certificate {
    /// The name of the puzzle, as the answer gives it.
    pub(super) puzzle: String,
    pub(super) rows: Vec<Vec<usize>>,
    pub(super) columns: Vec<Vec<usize>>,
    /// The rows of the given cells, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) given: Option<Vec<String>>,
    /// `none`, `unique` or `multiple`.
    pub(super) verdict: String,
    /// The exact number of solutions; `None` if all that is known is that there are several.
    pub(super) solutions: Option<String>,
    /// The only solution, or two of several.
    pub(super) examples: Vec<Vec<String>>,
    pub(super) clauses: Option<ProofFile>,
    pub(super) refutation: Option<ProofFile>,
    pub(super) graph: Option<ProofFile>,
}

/// A file of a certificate, in the same folder.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ProofFile {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) checksum: String,
}

impl Certificate {
    /// A certificate without files. `solutions`: their number, if it is known.
    pub(super) fn new(
        subject: &Subject<'_>,
        verdict: &str,
        solutions: Option<&str>,
        examples: &[Grid],
    ) -> Self {
        let puzzle = subject.puzzle;
        let lengths = |clue: &Clue| clue.lengths().collect();
        let rows = |grid: &Grid| grid.to_string().lines().map(str::to_owned).collect();
        Certificate {
            puzzle: subject.raw_name.to_owned(),
            rows: puzzle.rows().iter().map(lengths).collect(),
            columns: puzzle.columns().iter().map(lengths).collect(),
            given: puzzle.given().map(Position::rows),
            verdict: verdict.to_owned(),
            solutions: solutions.map(str::to_owned),
            examples: examples.iter().map(rows).collect(),
            clauses: None,
            refutation: None,
            graph: None,
        }
    }
}

/// The bound that ended a check, if this is its error.
pub(super) fn bound_reached(error: &Error) -> Option<Stop> {
    let source = std::error::Error::source(error)?.downcast_ref::<io::Error>()?;
    match source.kind() {
        io::ErrorKind::Interrupted => Some(Stop::Time),
        io::ErrorKind::OutOfMemory => Some(Stop::Memory),
        _ => None,
    }
}

/// Computes the checksum of what passes through it.
pub(super) struct Checksummed<T> {
    inner: T,
    hash: XxHash3_128,
    bytes: u64,
}

impl<T> Checksummed<T> {
    pub(super) fn new(inner: T) -> Self {
        Checksummed {
            inner,
            hash: XxHash3_128::new(),
            bytes: 0,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash.write(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// The file of this name with what has passed, and what it passed to.
    pub(super) fn finish(self, name: String) -> (ProofFile, T) {
        let file = ProofFile {
            name,
            bytes: self.bytes,
            checksum: format!("{:032x}", self.hash.finish_128()),
        };
        (file, self.inner)
    }
}

impl<T: Write> Write for Checksummed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: io::Read> io::Read for Checksummed<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.add(&into[..read]);
        Ok(read)
    }
}
