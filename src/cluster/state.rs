//! What a journalled run keeps: which cubes are open, which are worked on, what the others have come to, and what of this is not yet in
//! the journal and the list.
//!
//! It is made from the records of a journal, which it goes through in their order. Solutions are on the disk before the journal says how
//! long the list is, so that a list can be longer than its journal says, and is cut there, but not shorter.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::answer::{Answer, Open};
use super::cube::{Id, inside};
use super::journal::{Journal, JournalRecord};
use super::line::seal;
use super::work::{CubeSolver, is_same};
use crate::count::Checkpointer;
use crate::error::{Error, Kind, Result};
use crate::render::{List, Listing};
use crate::run::Statistics;
use crate::search::{Cube, Outcome, Total};
use crate::solutions::{Batch, Count, Stop};

/// A list of solutions that is added to.
#[derive(Debug)]
pub struct Appending {
    /// Opened for reading and writing, with whatever was in it.
    pub file: File,
    /// What errors call it.
    pub name: String,
    /// How solutions are written.
    pub listing: Listing,
}

/// Everything that changes, behind one lock that is taken a few times for each cube.
#[derive(Debug)]
pub(super) struct State {
    pub(super) journal: Journal,
    pub(super) list: Option<(Appending, List)>,
    /// Bytes of the list.
    pub(super) length: u64,
    /// What is open: the last one is taken next, so that there are never many.
    pub(super) open: Vec<OpenCube>,
    pub(super) running: Vec<ActiveCube>,
    /// Threads that have nothing to do.
    pub(super) idle: usize,
    pub(super) total: Count,
    pub(super) nodes: u64,
    /// Nodes that earlier processes have spent on the cube under way.
    pub(super) attempted: u64,
    /// Nodes of earlier parts of the run, of all these.
    pub(super) before: u64,
    /// The cube that is kept track of.
    pub(super) kept: Option<Id>,
    /// Share of the whole that is done.
    pub(super) done: f64,
    /// Time that earlier parts of the run have taken.
    pub(super) earlier: Duration,
    /// Records that are not in the journal yet.
    pub(super) pending: String,
    pub(super) committed: Instant,
    pub(super) stopped: Option<Stop>,
    pub(super) failed: Option<Error>,
    pub(super) tickets: usize,
}

/// A cube that is open.
#[derive(Clone, Debug)]
pub(super) struct OpenCube {
    pub(super) cube: Cube,
    /// What it is likely to hold of the whole.
    pub(super) share: f64,
    /// It has come back as it was, and is to be left alone for this long.
    pub(super) patience: Duration,
    /// An earlier process has worked on it in vain.
    tried: bool,
}

/// A cube that is worked on.
#[derive(Debug)]
pub(super) struct ActiveCube {
    pub(super) ticket: usize,
    pub(super) part: OpenCube,
    pub(super) since: Instant,
    pub(super) stop: Arc<AtomicBool>,
}

impl State {
    /// What the records of a journal and the list beside it say; cubes on which an earlier process has worked in vain are cut.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`] when the records contradict each other, or the list; [`Kind::Io`] when the list cannot be read or cut.
    pub(super) fn resume(
        journal: Journal,
        records: Vec<JournalRecord>,
        list: Option<Appending>,
        cube_solver: &CubeSolver<'_>,
        checkpointer: Option<&Checkpointer>,
    ) -> Result<Self> {
        let puzzle = cube_solver.puzzle();
        let list = list.map(|list| {
            let text = List::new(list.listing, puzzle.width(), puzzle.height());
            (list, text)
        });
        let mut state = State {
            journal,
            list,
            length: 0,
            open: Vec::new(),
            running: Vec::new(),
            idle: 0,
            total: Count::ZERO,
            nodes: 0,
            attempted: 0,
            before: 0,
            kept: None,
            done: 0.0,
            earlier: Duration::ZERO,
            pending: String::new(),
            committed: Instant::now(),
            stopped: None,
            failed: None,
            tickets: 0,
        };
        state.replay(records, cube_solver, checkpointer)?;
        state.before = state.nodes + state.attempted;
        state.trim()?;
        state.cut(cube_solver);
        Ok(state)
    }

    /// Goes through what a journal holds.
    fn replay(
        &mut self,
        records: Vec<JournalRecord>,
        cube_solver: &CubeSolver<'_>,
        checkpointer: Option<&Checkpointer>,
    ) -> Result<()> {
        let puzzle = self.journal.header().puzzle();
        let whole = OpenCube {
            cube: Cube::default(),
            share: 1.0,
            patience: Duration::ZERO,
            tried: false,
        };
        let mut open = FxHashMap::default();
        let mut order = 0u64;
        open.insert(Id::of(puzzle, &whole.cube), (order, whole));
        for (line, record) in (2..).zip(records) {
            let wrong = |message: String| {
                Err(Error::data(message)
                    .at(line, 1, "")
                    .in_file(self.journal.name()))
            };
            let time = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
            let answer = match record {
                JournalRecord::Answer(answer) => answer,
                JournalRecord::Progress(progress) => {
                    let Some((_, part)) = open.get_mut(&progress.id) else {
                        return wrong(format!("cube {} was not open here", progress.id));
                    };
                    self.earlier = time(progress.elapsed).unwrap_or(self.earlier);
                    match (checkpointer, progress.checkpoint) {
                        (Some(checkpointer), Some(checkpoint)) => {
                            if self.kept.replace(progress.id) != Some(progress.id) {
                                checkpointer.restart();
                            }
                            let life = time(progress.life).unwrap_or_default();
                            if let Err(error) = checkpointer.read(checkpoint, life) {
                                return wrong(error.message().to_owned());
                            }
                            self.attempted = progress.nodes;
                        }
                        _ => part.tried = true,
                    }
                    continue;
                }
            };
            if self.kept.is_some_and(|kept| kept == answer.id) {
                (self.kept, self.attempted) = (None, 0);
            }
            let Some((_, part)) = open.remove(&answer.id) else {
                return wrong(format!("cube {} was not open here", answer.id));
            };
            for Open { cube, .. } in &answer.open {
                if !cube.path.starts_with(&part.cube.path) {
                    return wrong("what stays open is not within the cube".to_owned());
                }
                inside(cube_solver.puzzle(), cube)?;
            }
            if let Some(length) = answer.length {
                self.length = length;
            }
            self.earlier = answer.elapsed.and_then(time).unwrap_or(self.earlier);
            self.open.clear();
            self.account(part.share, answer);
            for part in self.open.drain(..) {
                order += 1;
                open.insert(Id::of(puzzle, &part.cube), (order, part));
            }
        }
        let mut parts: Vec<(u64, OpenCube)> = open.into_values().collect();
        parts.sort_by_key(|&(order, _)| order);
        self.open = parts.into_iter().map(|(_, part)| part).collect();
        Ok(())
    }

    /// Cuts the cubes on which an earlier process has worked in vain.
    fn cut(&mut self, cube_solver: &CubeSolver<'_>) {
        let open = std::mem::take(&mut self.open);
        for part in open {
            let pieces = match part.tried {
                true => cube_solver.pieces(&part.cube, nothing(&part.cube)),
                false => nothing(&part.cube),
            };
            if is_same(&part.cube, &pieces) {
                self.open.push(part);
                continue;
            }
            let puzzle = self.journal.header().puzzle();
            let mut answer = Answer::new(puzzle, Id::of(puzzle, &part.cube), &pieces, None);
            answer.length = self.list.is_some().then_some(self.length);
            self.pending.push_str(&seal(&answer));
            self.account(part.share, answer);
        }
    }

    /// Adds up an answer to a cube of this share.
    pub(super) fn account(&mut self, share: f64, answer: Answer) {
        self.total += &answer.count;
        self.nodes += answer.nodes;
        let left: f64 = answer.open.iter().map(|open| open.share).sum();
        self.done += share * (1.0 - left).max(0.0);
        self.open.extend(
            answer
                .open
                .into_iter()
                .map(|Open { cube, share: of }| OpenCube {
                    cube,
                    share: share * of,
                    patience: Duration::ZERO,
                    tried: false,
                }),
        );
    }

    /// Cuts the list where the journal says that it ends.
    fn trim(&mut self) -> Result<()> {
        let Some((list, _)) = &mut self.list else {
            return Ok(());
        };
        let failed = |error: std::io::Error| Error::io(&list.name, &error);
        let there = list.file.metadata().map_err(failed)?.len();
        if there < self.length {
            let message = format!(
                "the journal {} has written {} bytes to this list, but there are {there}",
                self.journal.name(),
                self.length
            );
            return Err(Error::data(message).in_file(&list.name));
        }
        // What no file is, such as a pipe, has no end to be cut.
        if there > 0 {
            list.file.set_len(self.length).map_err(failed)?;
        }
        list.file
            .seek(SeekFrom::Start(self.length))
            .map_err(failed)?;
        Ok(())
    }

    /// Adds solutions to the list.
    pub(super) fn write(&mut self, batches: &[Batch]) -> Result<()> {
        let Some((list, text)) = &mut self.list else {
            return Ok(());
        };
        let mut result = Ok(());
        let mut flush = |text: &mut List, length: &mut u64| {
            result = list.file.write_all(text.bytes());
            *length += text.bytes().len() as u64;
            text.clear();
            result.is_ok()
        };
        let mut length = self.length;
        let mut whole = true;
        for batch in batches {
            whole = whole
                && batch.try_each(|words| {
                    text.push(words);
                    !text.is_full() || flush(text, &mut length)
                });
        }
        if whole && !text.is_empty() {
            flush(text, &mut length);
        }
        text.clear();
        match result {
            Ok(()) => {
                self.length = length;
                Ok(())
            }
            Err(error) => {
                // What was torn off at the end goes away again, where that can be done.
                let _ = list.file.set_len(self.length);
                let _ = list.file.seek(SeekFrom::Start(self.length));
                Err(Error::io(&list.name, &error))
            }
        }
    }

    /// Writes down what is not in the journal yet. The list is on the disk first.
    pub(super) fn commit(&mut self) {
        self.committed = Instant::now();
        if self.pending.is_empty() || self.failed.is_some() {
            return;
        }
        let synced = match &self.list {
            Some((list, _)) => match list.file.sync_data() {
                // What cannot be synced, such as a pipe, cannot be lost either.
                Err(error) if error.kind() != std::io::ErrorKind::InvalidInput => {
                    Err(Error::io(&list.name, &error))
                }
                _ => Ok(()),
            },
            None => Ok(()),
        };
        let pending = std::mem::take(&mut self.pending);
        if let Err(error) = synced.and_then(|()| self.journal.append(&pending)) {
            self.failed = Some(match error.kind() {
                Kind::Io => error,
                _ => Error::new(Kind::Io, error.message()),
            });
        }
    }
}

/// What has come of a cube on which nobody has worked.
fn nothing(cube: &Cube) -> Outcome {
    Outcome {
        solutions: Total::AtLeast(Count::ZERO),
        stopped: Some(Stop::Interrupt),
        cubes: vec![cube.clone()],
        shares: vec![1.0],
        done: 0.0,
        statistics: Statistics::default(),
        elapsed: Duration::ZERO,
    }
}
