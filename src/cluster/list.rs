//! The list of solutions of a journalled run. Solutions are appended to it, and it is synced before the journal records its length. So a
//! list may be longer than its journal says, and is then truncated to that length, but it may not be shorter.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::journal::JournalRecord;
use crate::error::{Error, Result};
use crate::format::Solutions;
use crate::puzzle::{Grid, Puzzle, verify};
use crate::render::{List, Listing};
use crate::solutions::Batch;

/// A list of solutions to append to.
#[derive(Debug)]
pub struct SolutionList {
    file: File,
    /// The name of the file in errors.
    name: String,
    text: List,
    /// Its length in bytes, by the records of the journal and what was appended since.
    pub(super) length: u64,
}

impl SolutionList {
    /// Opens or creates the list of a run of this puzzle, whose journal has these records. `is_resumed`: whether the journal has begun, so
    /// that an existing file must be its list.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) when the file is not the list of the journal;
    /// [`Kind::Io`](crate::error::Kind::Io) when it cannot be read or written.
    pub fn open(
        path: &Path,
        listing: Listing,
        puzzle: &Puzzle,
        records: &[JournalRecord],
        is_resumed: bool,
    ) -> Result<Self> {
        let name = path.display().to_string();
        let length = records.iter().rev().find_map(|record| match record {
            JournalRecord::Result(result) => result.length,
            JournalRecord::Attempt(_) => None,
        });
        let length = length.unwrap_or(0);
        if is_resumed {
            check_begin(path, &name, listing, puzzle, length)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(records.is_empty())
            .open(path)
            .map_err(|error| Error::io(&name, error))?;
        Ok(SolutionList {
            file,
            name,
            text: List::new(listing, puzzle.width(), puzzle.height()),
            length,
        })
    }

    /// Truncates the file to the length that the journal has recorded, and seeks to its end.
    pub(super) fn truncate(&mut self, journal: &str) -> Result<()> {
        let failed = |error: io::Error| Error::io(&self.name, error);
        let length = self.file.metadata().map_err(failed)?.len();
        if length < self.length {
            let message = format!(
                "the journal {journal} has recorded {} bytes of this list, but the file has only {length}",
                self.length
            );
            return Err(Error::data(message).in_file(&self.name));
        }
        // An output that is not a regular file, such as a pipe, cannot be truncated.
        if length > 0 {
            self.file.set_len(self.length).map_err(failed)?;
        }
        let end = SeekFrom::Start(self.length);
        self.file.seek(end).map(|_| ()).map_err(failed)
    }

    /// Bytes of one solution.
    pub(super) fn solution_bytes(&self) -> u64 {
        self.text.each()
    }

    /// Appends solutions: all of them, or after an error none.
    pub(super) fn append(&mut self, batches: &[Batch]) -> Result<()> {
        let written = self.write(batches);
        self.text.clear();
        match written {
            Ok(bytes) => {
                self.length += bytes;
                Ok(())
            }
            Err(error) => {
                // Remove what was partly written, if possible.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
                Err(Error::io(&self.name, error))
            }
        }
    }

    /// Writes solutions to the file; the number of bytes.
    fn write(&mut self, batches: &[Batch]) -> io::Result<u64> {
        let mut bytes = 0;
        let mut result = Ok(());
        for batch in batches {
            batch.try_each(|words| {
                self.text.push(words);
                if self.text.is_full() {
                    bytes += self.text.bytes().len() as u64;
                    result = self.file.write_all(self.text.bytes());
                    self.text.clear();
                }
                result.is_ok()
            });
            if result.is_err() {
                break;
            }
        }
        result?;
        self.file.write_all(self.text.bytes())?;
        Ok(bytes + self.text.bytes().len() as u64)
    }

    /// Waits until the list is on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        match self.file.sync_data() {
            // An output that cannot be synced, such as a pipe, has nothing to lose in a crash.
            Err(error) if error.kind() != ErrorKind::InvalidInput => {
                Err(Error::io(&self.name, error))
            }
            _ => Ok(()),
        }
    }
}

/// An error if an existing file, which the run truncates to `length` bytes, does not look like the list of its journal.
fn check_begin(
    path: &Path,
    name: &str,
    listing: Listing,
    puzzle: &Puzzle,
    length: u64,
) -> Result<()> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() && metadata.len() >= length => {}
        // Not a file, or a list that is too short, which is another error.
        _ => return Ok(()),
    }
    let failed = |error: io::Error| Error::io(name, error);
    let file = File::open(path).map_err(failed)?;
    let first = Solutions::new(BufReader::new(&file), name).next();
    if matches!(first, Some(Ok(grid)) if verify(puzzle, &grid).is_ok()) {
        return Ok(());
    }
    // The run may have been killed before it had written the first solution whole.
    if length == 0 && begins_solution(file, puzzle, listing).map_err(failed)? {
        return Ok(());
    }
    let message = "this file is not the list of this journal: it does not begin with a solution of the puzzle";
    Err(Error::data(message).in_file(name))
}

/// Whether a file is empty, or is the beginning of a listed grid of the puzzle's size.
fn begins_solution(mut file: File, puzzle: &Puzzle, listing: Listing) -> io::Result<bool> {
    let mut list = List::new(listing, puzzle.width(), puzzle.height());
    let mut text = Vec::new();
    file.rewind()?;
    file.take(list.each() + 1).read_to_end(&mut text)?;
    // In the same place every grid has the byte of the empty grid or that of the full one.
    let mut grid = Grid::new(puzzle.width(), puzzle.height());
    list.push(grid.words());
    for row in 0..puzzle.height() {
        (0..puzzle.width()).for_each(|column| grid.set(row, column, true));
    }
    list.push(grid.words());
    let (empty, full) = list.bytes().split_at(list.each() as usize);
    Ok(text.len() <= empty.len()
        && (text.iter().zip(empty).zip(full))
            .all(|((byte, empty), full)| byte == empty || byte == full))
}
