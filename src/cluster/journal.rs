//! The journal of a run on one machine: an append-only file of records.
//!
//! Its first line identifies the run; every other line is a [`JournalRecord`]: the answer to a cube, or an attempt at one. A crash of
//! the machine may leave the last line torn: without its end, or with blocks of zeros. That line is cut off, and its work is done again.
//! Other damage may be in lines that are still worth something, so the journal is then refused, and not changed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Id, as_text};
use super::line::{RecordReader, seal};
use super::record::UnitResult;
use super::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::run::Instant;
use crate::search::Cube;
use crate::solutions::Count;

/// The version of the journal format.
const VERSION: u32 = 2;

/// Maximum wait for the lock of the journal. A process that has just been killed may still be writing, and holds the lock until it ends.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(3);

/// A line of a journal.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all records are results")]
pub enum JournalRecord<U = Cube> {
    /// The result of a cube.
    Result(UnitResult<U>),
    /// A process has worked on a cube, and had no answer yet.
    Attempt(Attempt),
}

/// A process has worked on a cube, and had no answer yet. If none follows, the next process cuts the cube.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Attempt {
    /// The cube. As the first field of the line it tells this record from a [`UnitResult`].
    #[serde(rename = "cube")]
    pub id: Id,
    /// The puzzle whose cube it is.
    pub puzzle: Digest,
    /// Seconds that the run has taken so far, summed over its processes.
    pub elapsed: f64,
    /// The best lower bound so far on the number of solutions of the puzzle, which may include solutions of cubes without an answer.
    #[serde(with = "as_text")]
    pub proved: Count,
}

impl Attempt {
    /// The beginning of its line.
    const LINE_PREFIX: &str = "{\"cube\":";
}

impl<U: WorkUnit> JournalRecord<U> {
    fn parse(line: &str) -> serde_json::Result<Self> {
        if line.starts_with(Attempt::LINE_PREFIX) {
            serde_json::from_str(line).map(JournalRecord::Attempt)
        } else {
            serde_json::from_str(line).map(JournalRecord::Result)
        }
    }

    fn puzzle(&self) -> Digest {
        match self {
            JournalRecord::Result(result) => result.puzzle,
            JournalRecord::Attempt(attempt) => attempt.puzzle,
        }
    }
}

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    journal: u32,
    puzzle: Digest,
    options: String,
}

impl Header {
    /// The header for a run of this puzzle. `options` holds the command-line options on which an answer depends.
    pub fn new(puzzle: Digest, options: impl Into<String>) -> Self {
        Header {
            journal: VERSION,
            puzzle,
            options: options.into(),
        }
    }

    /// The puzzle.
    pub fn puzzle(&self) -> Digest {
        self.puzzle
    }

    /// Checks that `other`, the header of an existing journal, is that of this run.
    fn check(&self, other: &Header) -> Result<()> {
        let message = if other.journal != self.journal {
            format!(
                "this journal has format version {}, but this program reads version {VERSION} only",
                other.journal
            )
        } else if other.options != self.options {
            format!(
                "this journal was started by `{}`, not by `{}`",
                other.options, self.options
            )
        } else if other.puzzle != self.puzzle {
            "this journal belongs to another puzzle".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::data(message))
    }
}

/// A journal that is open for appending. It is locked against other processes if the file system supports locks.
#[derive(Debug)]
pub struct Journal {
    file: File,
    name: String,
    header: Header,
    /// Length of the torn last line that was cut off, in bytes.
    torn_bytes: u64,
}

impl Journal {
    /// Opens a journal, or creates it, and reads its records. If another process holds its lock, calls `busy` with the maximum wait, and
    /// waits for the lock, because that process may be about to end. If the lock is still held after the maximum wait, the journal is
    /// refused.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when it cannot be read or written, or is in use; [`Kind::Data`] when it belongs to another run, is damaged, or is not
    /// a journal. In these cases the file is not changed.
    pub fn open<U: WorkUnit>(
        path: &Path,
        header: &Header,
        busy: impl FnOnce(Duration),
    ) -> Result<(Self, Vec<JournalRecord<U>>)> {
        let name = path.display().to_string();
        let failed = |error: std::io::Error| Error::io(&name, error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let (began, mut busy) = (Instant::now(), Some(busy));
        // Not every file system supports locks; without one the journal is opened all the same.
        while let Err(TryLockError::WouldBlock) = file.try_lock() {
            if let Some(busy) = busy.take() {
                busy(MAX_LOCK_WAIT);
            }
            if began.elapsed() >= MAX_LOCK_WAIT {
                let message = "another process is using this journal";
                return Err(Error::new(Kind::Io, message).in_file(&name));
            }
            thread::sleep(MAX_LOCK_WAIT / 50);
        }
        let (records, end, torn_bytes) = match file.metadata().map_err(failed)?.len() {
            0 => (Vec::new(), 0, 0),
            length => {
                let (records, end) = read(&file, header, &name)?;
                (records, end, length - end)
            }
        };
        if torn_bytes > 0 {
            file.set_len(end).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        let mut journal = Journal {
            file,
            name,
            header: header.clone(),
            torn_bytes,
        };
        if end == 0 {
            journal.append(&seal(header))?;
        }
        Ok((journal, records))
    }

    /// The header: the puzzle and the options of the run.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of the torn last line that was cut off when the journal was opened, in bytes.
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// Appends whole lines, and waits until they are on the disk.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when the file cannot be written or synced.
    pub fn append(&mut self, lines: &str) -> Result<()> {
        let written = self.file.write_all(lines.as_bytes());
        let synced = written.and_then(|()| self.file.sync_data());
        synced.map_err(|error| Error::io(&self.name, error))
    }
}

/// The records of a journal, and the offset in bytes at which its last whole line ends.
fn read<U: WorkUnit>(
    file: &File,
    header: &Header,
    name: &str,
) -> Result<(Vec<JournalRecord<U>>, u64)> {
    let mut lines = RecordReader::new(BufReader::new(file), name);
    let mut records = Vec::new();
    let mut torn: Option<Error> = None;
    let mut end = match lines.record::<Header>() {
        None => return Err(Error::data("this is not a journal").in_file(name)),
        Some(Ok(found)) if lines.whole => {
            header.check(&found).map_err(|error| error.in_file(name))?;
            lines.bytes
        }
        Some(Err(error)) if error.kind() == Kind::Io => return Err(error),
        Some(_) => {
            // The first line is torn. It may be cut off only if it is a prefix of the header of this run.
            let (mut file, mut start) = (file, String::new());
            let rewound = file.rewind();
            return match rewound.and_then(|()| file.take(4096).read_to_string(&mut start)) {
                Ok(_) if seal(header).starts_with(&start) => Ok((records, 0)),
                _ => {
                    let message = "this is not a journal, or its first line is damaged";
                    Err(Error::data(message).in_file(name))
                }
            };
        }
    };
    while let Some(record) = lines.record_by(JournalRecord::<U>::parse) {
        if let Some(error) = torn.take() {
            // A line torn by a crash can only be the last one.
            return Err(damaged(&error, name));
        }
        match record {
            Err(error) if error.kind() == Kind::Io => return Err(error),
            Err(error) if lines.is_torn() => torn = Some(error),
            // A record of another version of the program, which is not damaged: its work is not to be thrown away.
            Err(error) if lines.has_checksum => return Err(error),
            Err(error) => return Err(damaged(&error, name)),
            Ok(record) if lines.whole => {
                if record.puzzle() != header.puzzle {
                    let error = Error::data("this record belongs to another puzzle");
                    return Err(lines.at_last_line(error));
                }
                records.push(record);
                end = lines.bytes;
            }
            // Only the line break is missing.
            Ok(_) => {}
        }
    }
    Ok((records, end))
}

/// The error of a damaged line, with the way to resume without it.
fn damaged(error: &Error, name: &str) -> Error {
    let message = format!(
        "{}; to resume from the records before it, delete this line and all lines after it",
        error.message()
    );
    let mut with_hint = Error::data(message);
    if let Some(place) = error.place() {
        with_hint = with_hint.at(place.line, place.column, &place.text);
    }
    with_hint.in_file(name)
}
