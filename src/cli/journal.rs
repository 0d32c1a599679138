//! `--journal`, which `count`, `enumerate` and `census` share: a run that can be resumed after it was stopped or killed.

use std::fs;
use std::path::{Path, PathBuf};

use omnogram::cluster::{
    CubeSolver, Digest, Header, Journal, JournalRecord, JournalledRun, Mode, SolutionList, WorkUnit,
};
use omnogram::error::{Error, Kind};
use omnogram::render::Listing;
use omnogram::search::Outcome;

use super::input_files::InputFiles;
use super::inputs;
use super::session::Session;
use super::status::Answered;
use super::words::Subject;

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

/// Opens a journal, with notes if another process uses it or its last line is incomplete.
pub(super) fn open<U: WorkUnit>(
    session: &Session,
    path: &Path,
    header: &Header,
) -> Result<(Journal, Vec<JournalRecord<U>>), Error> {
    let name = path.display();
    let (journal, records) = Journal::open(path, header, |patience| {
        session.note(&format!(
            "{name}: another process is using this journal; waiting up to {patience:?} for it to end"
        ));
    })?;
    if journal.torn_bytes() > 0 {
        session.note(&format!(
            "{name}: the last line is incomplete; its work is repeated"
        ));
    }
    Ok((journal, records))
}

/// Runs the rest of a journalled run, after a note on the progress so far. `verb` is the verb with the options on which the answer depends,
/// `solution_file` where the solutions are written, and how.
pub(super) fn run(
    session: &Session,
    subject: &Subject<'_>,
    journal: &Path,
    verb: &str,
    mode: Mode,
    solution_file: Option<(&Path, Listing)>,
) -> Answered<Outcome> {
    let limits = session.limits();
    let header = Header::new(Digest::of(subject.puzzle), verb);
    let begun = has_begun(journal);
    let (journal, records) = open(session, journal, &header)?;
    let list = solution_file
        .map(|(path, listing)| SolutionList::open(path, listing, subject.puzzle, &records, begun));
    let list = list.transpose()?;
    let threads = session.pool.current_num_threads();
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
    Ok(session.run_observed(subject.name, true, |observer| run.run(observer))?)
}
