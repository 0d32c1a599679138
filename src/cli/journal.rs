//! `--journal`, which `count` and `enumerate` share: a run that goes on where it was killed.

use std::fs::{self, File, OpenOptions};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omnogram::cluster::{
    Appending, CubeSolver, Digest, Header, Journal, JournalRecord, JournalledRun, Task,
};
use omnogram::error::{Error, Kind};
use omnogram::format::Solutions;
use omnogram::puzzle::{Puzzle, verify};
use omnogram::render::Listing;
use omnogram::search::Outcome;

use super::input_files;
use super::inputs;
use super::messages;
use super::session::Session;
use super::status::{Answered, Halt, Status};
use super::subject::Subject;

/// Why there must be one puzzle.
const ONE: &str = "a journal is of one puzzle, but ";

/// A journal is of one puzzle. Whether there are several in a file is seen when that is read, by [`answer`].
pub(super) fn is_for_one(journal: &Path, puzzles: &[PathBuf]) -> Result<(), Status> {
    let message = match puzzles {
        [_] if input_files::is_among(journal, puzzles) => {
            "this file is the puzzle, and not its journal"
        }
        [_] => return Ok(()),
        _ => &format!("{ONE}there are several"),
    };
    let error = Error::new(Kind::Usage, message).in_file(&inputs::name(journal));
    Err(messages::failed(&error))
}

/// Is there something in this journal, so that its run is gone on with?
pub(super) fn has_begun(journal: &Path) -> bool {
    fs::metadata(journal).is_ok_and(|there| there.len() > 0)
}

/// An error when a file is not the list to which a journal has written this number of bytes: what stands behind these bytes would be cut
/// off.
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

/// Gives the one puzzle that the arguments name its answer. Where a pack or a folder has several, nothing is begun.
pub(super) fn answer(
    session: &Session,
    puzzles: &[PathBuf],
    answer: impl FnOnce(&Subject<'_>) -> Answered,
) -> Status {
    let [puzzle] = puzzles else {
        unreachable!("nothing is begun with several")
    };
    session.answer_only(puzzle, ONE, answer)
}

/// Where a journalled run writes its solutions.
pub(super) struct SolutionFile<'a> {
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
    sheet: Option<SolutionFile<'_>>,
) -> Answered<Outcome> {
    let failed = Halt::Failed;
    let limits = session.limits();
    let header = Header::new(Digest::of(subject.puzzle), verb);
    let begun = has_begun(journal);
    let name = journal.display();
    let busy = |patience: Duration| {
        session.note(&format!(
            "{name}: another process is using this journal; waiting up to {patience:?} for its end"
        ));
    };
    let (journal, records) = Journal::open(journal, &header, busy).map_err(failed)?;
    if journal.torn() > 0 {
        session.note(&format!(
            "{}: the last line is torn; what it held is done again",
            journal.name()
        ));
    }
    let list = match sheet {
        Some(SolutionFile { path, listing }) => {
            let name = path.display().to_string();
            let length = |record: &JournalRecord| match record {
                JournalRecord::Answer(answer) => answer.length,
                JournalRecord::Progress(_) => None,
            };
            let written = records.iter().rev().find_map(length);
            if begun {
                is_of(path, &name, subject.puzzle, written.unwrap_or(0)).map_err(failed)?;
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(records.is_empty())
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
    let cube_solver = CubeSolver::new(subject.puzzle, task, threads, memory);
    let resumed = !records.is_empty();
    let run = JournalledRun::new(cube_solver, journal, records, list, limits).map_err(failed)?;
    if resumed {
        let (share, found) = run.so_far();
        let done = match share > 0.0 {
            true => format!(" at {:.1} %,", 100.0 * share),
            false => String::new(),
        };
        let name = subject.name;
        session.note(&format!(
            "{name}: going on{done} with {found} solutions so far"
        ));
    }
    let outcome = session.observed(subject, true, |observer| run.run(observer));
    outcome.map_err(failed)
}
