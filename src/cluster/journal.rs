//! The journal of a run on one machine: a file of records to which is only added.
//!
//! Its first line says what the run is; every other one is a [`JournalRecord`]: what a cube has come to, or how far it has come. A machine that
//! fails may leave the last line torn. That is cut off, and what it held is done again; a line that is damaged anywhere else is no
//! accident of that kind, and the journal is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::cube::Id;
use super::digest::Digest;
use super::line::{Lines, seal};
use crate::count::Checkpoint;
use crate::error::{Error, Kind, Result};

/// The form of journals that this is.
const FORM: u32 = 1;

/// A run that has just been killed may still be writing, and holds the journal for as long.
const PATIENCE: Duration = Duration::from_secs(3);

/// A line of a journal.
#[derive(Clone, Debug)]
pub enum JournalRecord {
    /// What a cube has come to.
    Answer(Answer),
    /// How far a cube has come.
    Progress(Progress),
}

/// How far a cube has come that is not answered yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// The cube. It stands first, and so says what record this is.
    #[serde(rename = "cube")]
    pub id: Id,
    /// The puzzle whose cube it is.
    pub puzzle: Digest,
    /// Seconds that the run has taken so far, all its parts together.
    pub elapsed: f64,
    /// Seconds that the process has lived.
    pub life: f64,
    /// Nodes that the cube has taken so far, all parts of the run together.
    pub nodes: u64,
    /// What a count needs to go on. Where there is none, the cube was worked on and nothing came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
}

impl Progress {
    /// How its line begins.
    const BEGINNING: &str = "{\"cube\":";
}

impl JournalRecord {
    fn parse(line: &str) -> serde_json::Result<Self> {
        match line.starts_with(Progress::BEGINNING) {
            true => serde_json::from_str(line).map(JournalRecord::Progress),
            false => serde_json::from_str(line).map(JournalRecord::Answer),
        }
    }

    fn puzzle(&self) -> Digest {
        match self {
            JournalRecord::Answer(answer) => answer.puzzle,
            JournalRecord::Progress(progress) => progress.puzzle,
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
    /// Of a run of this puzzle, with these options: all that an answer depends on, as they may be typed.
    pub fn new(puzzle: Digest, options: impl Into<String>) -> Self {
        Header {
            journal: FORM,
            puzzle,
            options: options.into(),
        }
    }

    /// The puzzle.
    pub fn puzzle(&self) -> Digest {
        self.puzzle
    }

    /// Says so when another run's journal is not this one's.
    fn check(&self, other: &Header) -> Result<()> {
        let message = if other.journal != self.journal {
            format!(
                "this is a journal of form {}, and only form {FORM} is known here",
                other.journal
            )
        } else if other.puzzle != self.puzzle {
            "this is the journal of another puzzle".to_owned()
        } else if other.options != self.options {
            format!(
                "this is the journal of `{}`, not of `{}`",
                other.options, self.options
            )
        } else {
            return Ok(());
        };
        Err(Error::data(message))
    }
}

/// A journal that is open for more. Nobody else can open it meanwhile, where the file system knows locks.
#[derive(Debug)]
pub struct Journal {
    file: File,
    name: String,
    header: Header,
    /// Bytes cut off a torn end.
    torn: u64,
}

impl Journal {
    /// Opens a journal, or makes a new one, and reads what it holds. Where another process holds it, `busy` is called, and after a
    /// moment of waiting for one that is about to end the journal is refused.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when it cannot be read or written, or is in use; [`Kind::Data`] when it belongs to another run, is damaged, or is no
    /// journal at all. Then it is left as it is.
    pub fn open(
        path: &Path,
        header: &Header,
        busy: impl FnOnce(Duration),
    ) -> Result<(Self, Vec<JournalRecord>)> {
        let name = path.display().to_string();
        let failed = |error: std::io::Error| Error::io(&name, &error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let (began, mut busy) = (Instant::now(), Some(busy));
        // Not every file system knows locks, and what it does not know does not stop anybody.
        while let Err(TryLockError::WouldBlock) = file.try_lock() {
            if let Some(busy) = busy.take() {
                busy(PATIENCE);
            }
            if began.elapsed() >= PATIENCE {
                let message = "another process is using this journal";
                return Err(Error::new(Kind::Io, message).in_file(&name));
            }
            thread::sleep(PATIENCE / 50);
        }
        let (records, end, torn) = match file.metadata().map_err(failed)?.len() {
            0 => (Vec::new(), 0, 0),
            length => {
                let (records, end) = read(&file, header, &name)?;
                (records, end, length - end)
            }
        };
        if torn > 0 {
            file.set_len(end).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        let mut journal = Journal {
            file,
            name,
            header: header.clone(),
            torn,
        };
        if end == 0 {
            journal.append(&seal(header))?;
        }
        Ok((journal, records))
    }

    /// What it is the journal of.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes that were cut off its end when it was opened: a line that was torn.
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// Adds whole lines, and waits until they are on the disk.
    ///
    /// # Errors
    ///
    /// [`Kind::Io`] when that fails.
    pub fn append(&mut self, lines: &str) -> Result<()> {
        let written = self
            .file
            .write_all(lines.as_bytes())
            .and_then(|()| self.file.sync_data());
        written.map_err(|error| Error::io(&self.name, &error))
    }
}

/// What a journal holds, and where the last whole line ends.
fn read(file: &File, header: &Header, name: &str) -> Result<(Vec<JournalRecord>, u64)> {
    let mut lines = Lines::new(BufReader::new(file), name);
    let mut records = Vec::new();
    let mut bad: Option<Error> = None;
    let mut end = match lines.record::<Header>() {
        None => return Err(Error::data("this is not a journal").in_file(name)),
        Some(Ok(found)) if lines.is_whole() => {
            header.check(&found).map_err(|error| error.in_file(name))?;
            lines.bytes()
        }
        Some(Err(error)) if error.kind() == Kind::Io => return Err(error),
        Some(_) => {
            // Torn in its first line: only what this run would have written may be cut off.
            let mut start = String::new();
            let mut file = file;
            let text = file
                .seek(SeekFrom::Start(0))
                .and_then(|_| file.take(4096).read_to_string(&mut start));
            return match text {
                Ok(_) if seal(header).starts_with(&start) => Ok((records, 0)),
                _ => Err(
                    Error::data("this is not a journal, or its first line is damaged")
                        .in_file(name),
                ),
            };
        }
    };
    while let Some(record) = lines.record_by(JournalRecord::parse) {
        match record {
            Ok(_) if bad.is_some() => {
                // A line that was torn when the machine failed is the last one.
                let error = bad.take().expect("there is one");
                let message = format!(
                    "{}; this journal is damaged: without this line and all after it, it can be gone on with",
                    error.message()
                );
                let place = error.place().cloned();
                let error = Error::data(message);
                return Err(match place {
                    Some(place) => error.at(place.line, place.column, &place.text),
                    None => error,
                }
                .in_file(name));
            }
            Ok(record) if lines.is_whole() => {
                if record.puzzle() != header.puzzle {
                    return Err(lines.blame(Error::data("a record of another puzzle")));
                }
                records.push(record);
                end = lines.bytes();
            }
            Err(error) if error.kind() == Kind::Io => return Err(error),
            Err(error) => bad = bad.or(Some(error)),
            Ok(_) => {}
        }
    }
    Ok((records, end))
}
