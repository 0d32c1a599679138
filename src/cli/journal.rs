//! `--journal`, which `count` and `enumerate` share: a run that goes on where it was killed.

use std::fs::{self, File, OpenOptions};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use omnogram::cluster::{Appending, Digest, Header, Journal, Run, Task, Working};
use omnogram::error::{Error, Kind};
use omnogram::format::Solutions;
use omnogram::puzzle::{Puzzle, verify};
use omnogram::render::Listing;
use omnogram::search::Outcome;

use super::inputs;
use super::messages;
use super::reads;
use super::session::{Session, Subject};
use super::status::{Answered, Halt, Status};

/// A journal is of one puzzle.
pub(super) fn is_for_one(journal: &Path, puzzles: &[PathBuf]) -> Result<(), Status> {
    let message = match puzzles {
        [_] if reads::is_among(journal, puzzles) => "this file is the puzzle, and not its journal",
        [_] => return Ok(()),
        _ => "a journal is of one puzzle, but there are several",
    };
    let error = Error::new(Kind::Usage, message).in_file(&inputs::name(journal));
    Err(messages::failed(&error))
}

/// Is there something in this journal, so that its run is gone on with?
pub(super) fn has_begun(journal: &Path) -> bool {
    fs::metadata(journal).is_ok_and(|there| there.len() > 0)
}

/// Says so when a file is not the list that a journal has written so many bytes to, but a list of something else, or none: what is
/// behind these bytes would be cut off.
fn is_of(path: &Path, name: &str, puzzle: &Puzzle, written: u64) -> Result<(), Error> {
    let Some(there) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return Ok(());
    };
    if there.len() < written {
        // Which the run says.
        return Ok(());
    }
    let file = File::open(path).map_err(|error| Error::io(name, &error))?;
    let first = Solutions::new(BufReader::new(file), name).next();
    let torn =
        written == 0 && there.len() < (2 * puzzle.width() + 16) as u64 * puzzle.height() as u64;
    match first {
        Some(Ok(grid)) if verify(puzzle, &grid).is_ok() => Ok(()),
        // Killed before it had written one.
        None | Some(Err(_)) if torn => Ok(()),
        _ => {
            let message = "this is not the list of the journal: it does not begin with a solution of the puzzle";
            Err(Error::data(message).in_file(name))
        }
    }
}

/// Where a journalled run writes its solutions.
pub(super) struct Sheet<'a> {
    pub(super) path: &'a Path,
    pub(super) listing: Listing,
}

/// Does what is still to be done of a run, and says what had been done before. `verb` names it with the options that its answer depends
/// on.
pub(super) fn run(
    session: &Session,
    subject: &Subject<'_>,
    journal: &Path,
    verb: &str,
    task: Task,
    sheet: Option<Sheet<'_>>,
) -> Answered<Outcome> {
    let failed = Halt::Failed;
    let limits = session.limits();
    let header = Header::new(Digest::of(subject.puzzle), verb);
    let begun = has_begun(journal);
    let (journal, answers) = Journal::open(journal, &header).map_err(failed)?;
    if journal.torn() > 0 {
        session.note(&format!(
            "{}: the last line is torn; what it held is done again",
            journal.name()
        ));
    }
    let list = match sheet {
        Some(Sheet { path, listing }) => {
            let name = path.display().to_string();
            let written = answers.iter().rev().find_map(|answer| answer.length);
            if begun {
                is_of(path, &name, subject.puzzle, written.unwrap_or(0)).map_err(failed)?;
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(answers.is_empty())
                .open(path)
                .map_err(|error| Halt::writing(&name, &error))?;
            Some(Appending {
                file,
                name,
                listing,
            })
        }
        None => None,
    };
    let threads = session.on_threads(rayon::current_num_threads);
    let memory = limits.memory.unwrap_or(u64::MAX);
    let working = Working::new(subject.puzzle, task, threads, memory);
    let resumed = !answers.is_empty();
    let run = Run::new(working, journal, answers, list, limits).map_err(failed)?;
    if resumed {
        let (share, found) = run.so_far();
        session.note(&format!(
            "{}: going on at {:.1} %, with {found} solutions so far",
            subject.name,
            100.0 * share
        ));
    }
    let outcome = session.observed(subject, true, |observer| run.run(observer));
    outcome.map_err(failed)
}
