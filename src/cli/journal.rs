//! `--journal`, which `count`, `enumerate` and `census` share: a run that can be resumed after it was stopped or killed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use omnogram::cluster::{
    Appending, CubeSolver, Digest, Header, Journal, JournalRecord, JournalledRun, Mode, Part,
};
use omnogram::error::{Error, Kind};
use omnogram::format::Solutions;
use omnogram::puzzle::{Grid, Puzzle, verify};
use omnogram::render::{List, Listing};
use omnogram::search::Outcome;

use super::input_files::InputFiles;
use super::inputs;
use super::session::Session;
use super::status::{Answered, Failure};
use super::words::Subject;

/// The beginning of the error for several puzzles.
const ONE_PUZZLE: &str = "a journal is for one puzzle, but ";

/// An error unless there is one PUZZLE argument, and it is not the journal. Several puzzles in one file are detected when the file is
/// read, by [`answer`].
pub(super) fn check_one_puzzle(journal: &Path, puzzles: &[PathBuf]) -> Result<(), Error> {
    let message = match puzzles {
        [_] if InputFiles::new(puzzles, &[]).contains(journal) => {
            "this file is the puzzle, not a journal"
        }
        [_] => return Ok(()),
        _ => &format!("{ONE_PUZZLE}there are several"),
    };
    Err(Error::new(Kind::Usage, message).in_file(&inputs::name(journal)))
}

/// Whether this journal is not empty, so that its run is resumed.
pub(super) fn has_begun(journal: &Path) -> bool {
    fs::metadata(journal).is_ok_and(|metadata| metadata.len() > 0)
}

/// An error if a file does not look like the list of solutions of which the journal has recorded this number of bytes. The run truncates
/// the file to this length, so a wrong file would lose data.
fn check_list(
    path: &Path,
    name: &str,
    puzzle: &Puzzle,
    listing: Listing,
    written: u64,
) -> Result<(), Error> {
    let Some(metadata) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return Ok(());
    };
    if metadata.len() < written {
        // The run reports this error.
        return Ok(());
    }
    let failed = |error| Error::io(name, error);
    // The run may have been killed before it had written the first solution whole.
    let is_torn = || match written {
        0 => begins_solution(File::open(path)?, puzzle, listing),
        _ => Ok(false),
    };
    let file = File::open(path).map_err(failed)?;
    let first = Solutions::new(BufReader::new(file), name).next();
    match first {
        Some(Ok(grid)) if verify(puzzle, &grid).is_ok() => Ok(()),
        _ if is_torn().map_err(failed)? => Ok(()),
        _ => {
            let message = "this file is not the list of this journal: it does not begin with a solution of the puzzle";
            Err(Error::data(message).in_file(name))
        }
    }
}

/// Whether a file is empty, or is the beginning of a listed grid of the puzzle's size.
fn begins_solution(file: File, puzzle: &Puzzle, listing: Listing) -> io::Result<bool> {
    let mut list = List::new(listing, puzzle.width(), puzzle.height());
    let mut text = Vec::new();
    file.take(list.each() + 1).read_to_end(&mut text)?;
    // In the same place every grid has the byte of the empty grid or that of the full one.
    let mut grid = Grid::new(puzzle.width(), puzzle.height());
    list.push(grid.words());
    for row in 0..puzzle.height() {
        (0..puzzle.width()).for_each(|column| grid.set(row, column, true));
    }
    list.push(grid.words());
    let (empty, full) = list.bytes().split_at(list.each() as usize);
    let mut expected = empty.iter().zip(full);
    Ok(text.iter().all(|byte| {
        let grids = expected.next();
        grids.is_some_and(|(empty, full)| byte == empty || byte == full)
    }))
}

/// Answers the one puzzle that the arguments name. An error if a pack or folder has several; nothing is started then.
pub(super) fn answer(
    session: &Session,
    puzzles: &[PathBuf],
    answer: impl FnOnce(&Subject<'_>) -> Answered,
) -> Answered {
    let [puzzle] = puzzles else {
        unreachable!("`check_one_puzzle` has checked that there is one argument")
    };
    session.answer_one(puzzle, ONE_PUZZLE, answer)
}

/// The file to which a journalled run writes its solutions.
pub(super) struct SolutionFile<'a> {
    pub(super) path: &'a Path,
    pub(super) listing: Listing,
}

/// Opens a journal, with notes if another process uses it or its last line is incomplete.
pub(super) fn open<P: Part>(
    session: &Session,
    path: &Path,
    header: &Header,
) -> Result<(Journal, Vec<JournalRecord<P>>), Error> {
    let name = path.display();
    let note_busy = |patience: Duration| {
        session.note(&format!(
            "{name}: another process is using this journal; waiting up to {patience:?} for it to end"
        ));
    };
    let (journal, records) = Journal::open(path, header, note_busy)?;
    if journal.torn_bytes() > 0 {
        session.note(&format!(
            "{name}: the last line is incomplete; its work is repeated"
        ));
    }
    Ok((journal, records))
}

/// Runs the rest of a journalled run, after a note on the progress so far. `verb` is the verb with the options on which the answer depends.
pub(super) fn run(
    session: &Session,
    subject: &Subject<'_>,
    journal: &Path,
    verb: &str,
    mode: Mode,
    solution_file: Option<SolutionFile<'_>>,
) -> Answered<Outcome> {
    let limits = session.limits();
    let header = Header::new(Digest::of(subject.puzzle), verb);
    let begun = has_begun(journal);
    let (journal, records) = open(session, journal, &header)?;
    let list = match solution_file {
        Some(SolutionFile { path, listing }) => {
            let name = path.display().to_string();
            let length = |record: &JournalRecord| match record {
                JournalRecord::Answer(answer) => answer.length,
                JournalRecord::Attempt(_) => None,
            };
            let written = records.iter().rev().find_map(length);
            if begun {
                check_list(path, &name, subject.puzzle, listing, written.unwrap_or(0))?;
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(records.is_empty())
                .open(path)
                .map_err(|error| Failure::writing(&name, error))?;
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
    let cube_solver = CubeSolver::new(subject.puzzle, mode, threads, memory);
    let resumed = !records.is_empty();
    let run = JournalledRun::new(cube_solver, journal, records, list, limits)?;
    if resumed {
        let (share, found) = run.done_and_proved();
        let done = if share > 0.0 {
            format!(" at {:.1} %,", 100.0 * share)
        } else {
            String::new()
        };
        let name = subject.name;
        session.note(&format!(
            "{name}: resuming{done} with {found} solutions so far"
        ));
    }
    Ok(session.run_observed(subject, true, |observer| run.run(observer))?)
}
