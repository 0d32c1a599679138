//! The state of a journalled run: the cubes that are open, the cubes that threads work on, the totals of the answers, and the records
//! that are not yet in the journal.
//!
//! It is built by replaying the records of a journal in order. Solutions are on the disk before the journal records the length of the
//! list. So a list may be longer than its journal says, and is then truncated to that length, but it may not be shorter.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::answer::{Answer, Open};
use super::cube::{Id, check_inside};
use super::journal::{Journal, JournalRecord};
use super::line::seal;
use super::part::Part;
use super::work::{CubeSolver, is_unchanged};
use crate::error::{Error, Kind, Result};
use crate::render::{List, Listing};
use crate::run::{Control, Snapshot, Statistics};
use crate::search::{Cube, Outcome, Total};
use crate::solutions::{Batch, Count, Stop};

/// Time after which cuts of cubes are recorded while the run is resumed.
const MAX_UNRECORDED_CUTS: Duration = Duration::from_secs(1);

/// A list of solutions to append to.
#[derive(Debug)]
pub struct Appending {
    /// Opened for reading and writing, and not truncated.
    pub file: File,
    /// The name of the file in errors.
    pub name: String,
    /// The format of the solutions.
    pub listing: Listing,
}

/// All mutable state of a run, behind one lock that is taken a few times per cube.
#[derive(Debug)]
pub(super) struct State {
    pub(super) journal: Journal,
    pub(super) list: Option<(Appending, List)>,
    /// Length of the list in bytes.
    pub(super) list_bytes: u64,
    /// The open cubes, as a stack: taking the last one next keeps their number small.
    pub(super) open: Vec<OpenCube>,
    pub(super) running: Vec<ActiveCube>,
    /// Number of threads that wait for a cube.
    pub(super) idle_threads: usize,
    /// Solutions in the answers so far.
    pub(super) total: Count,
    /// The best lower bound on the number of solutions so far. It may include solutions of cubes that were stopped, which are not in an
    /// answer.
    pub(super) proved: Count,
    /// Nodes of the answers so far, and of what this process has done without an answer.
    pub(super) nodes: u64,
    /// Nodes that this process has spent.
    pub(super) nodes_spent: u64,
    /// Share of the whole puzzle that is done, from 0 to 1.
    pub(super) done: f64,
    /// Time that earlier processes of the run have taken.
    pub(super) elapsed_before: Duration,
    /// Records that are not in the journal yet.
    pub(super) pending: String,
    /// Time of the last commit.
    pub(super) last_commit: Instant,
    /// Why the run must stop, if it must.
    pub(super) stopped: Option<Stop>,
    /// The first failure to write the journal or the list.
    pub(super) failed: Option<Error>,
    /// The number of the last job handed out.
    pub(super) last_ticket: usize,
}

/// A cube that is open.
#[derive(Clone, Debug)]
pub(super) struct OpenCube {
    pub(super) cube: Cube,
    /// Estimated share of the work of the whole puzzle, from 0 to 1.
    pub(super) share: f64,
    /// Minimum time before a thread that works on the cube is asked to stop: twice the time of the last attempt, if that left the cube
    /// unchanged.
    pub(super) min_run_time: Duration,
    /// Whether an earlier process has worked on the cube without a result.
    is_fruitless: bool,
}

/// A cube that a thread works on.
#[derive(Debug)]
pub(super) struct ActiveCube {
    pub(super) ticket: usize,
    pub(super) open_cube: OpenCube,
    pub(super) since: Instant,
    /// Asks its search to stop. Relaxed: it publishes no other data.
    pub(super) stop: Arc<AtomicBool>,
    /// Whether the journal says that the cube was worked on.
    pub(super) is_attempt_recorded: bool,
    /// How far a count of the cube with a component table is.
    pub(super) count: Option<Snapshot>,
}

impl State {
    /// The state that the records of a journal and its list describe. Cubes on which an earlier process worked without a result are cut,
    /// until the control stops the run.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`] when the records contradict each other or the list; [`Kind::Io`] when the list cannot be read or truncated.
    pub(super) fn resume(
        journal: Journal,
        records: Vec<JournalRecord>,
        list: Option<Appending>,
        cube_solver: &CubeSolver<'_>,
        control: &Control,
    ) -> Result<Self> {
        let puzzle = cube_solver.puzzle();
        let list = list.map(|list| {
            let text = List::new(list.listing, puzzle.width(), puzzle.height());
            (list, text)
        });
        let mut state = State {
            journal,
            list,
            list_bytes: 0,
            open: Vec::new(),
            running: Vec::new(),
            idle_threads: 0,
            total: Count::ZERO,
            proved: Count::ZERO,
            nodes: 0,
            nodes_spent: 0,
            done: 0.0,
            elapsed_before: Duration::ZERO,
            pending: String::new(),
            last_commit: Instant::now(),
            stopped: None,
            failed: None,
            last_ticket: 0,
        };
        state.replay(records, cube_solver)?;
        state.truncate_list()?;
        state.cut_fruitless(cube_solver, control);
        Ok(state)
    }

    /// Applies the records of a journal, in order, to the state of a new run.
    fn replay(&mut self, records: Vec<JournalRecord>, cube_solver: &CubeSolver<'_>) -> Result<()> {
        let puzzle = self.journal.header().puzzle();
        let whole = OpenCube {
            cube: Cube::default(),
            share: 1.0,
            min_run_time: Duration::ZERO,
            is_fruitless: false,
        };
        // Its keys come from a file, which must not be able to make them collide.
        let mut open = HashMap::new();
        let mut order = 0u64;
        open.insert(Id::of(puzzle, &whole.cube), (order, whole));
        for (line, record) in (2..).zip(records) {
            let wrong = |message: String| {
                Err(Error::data(message)
                    .at(line, 1, "")
                    .in_file(self.journal.name()))
            };
            let duration = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
            let answer = match record {
                JournalRecord::Answer(answer) => answer,
                JournalRecord::Attempt(attempt) => {
                    let Some((_, open_cube)) = open.get_mut(&attempt.id) else {
                        return wrong(format!(
                            "cube {} was not open when this record was written",
                            attempt.id
                        ));
                    };
                    self.elapsed_before = duration(attempt.elapsed).unwrap_or(self.elapsed_before);
                    open_cube.is_fruitless = true;
                    self.raise_bound(attempt.proved);
                    continue;
                }
            };
            let Some((_, open_cube)) = open.remove(&answer.id) else {
                return wrong(format!(
                    "cube {} was not open when this record was written",
                    answer.id
                ));
            };
            for Open { cube, .. } in &answer.open {
                if !cube.path.starts_with(&open_cube.cube.path) {
                    return wrong(format!(
                        "this record leaves a cube open that is not part of cube {}",
                        answer.id
                    ));
                }
                check_inside(cube_solver.puzzle(), cube)?;
            }
            let left: Vec<&Cube> = answer.open.iter().map(|open| &open.cube).collect();
            if !Cube::overlapping(&left).is_empty() {
                return wrong(format!(
                    "the cubes that this record leaves open in cube {} overlap",
                    answer.id
                ));
            }
            if left.contains(&&open_cube.cube) && !answer.count.is_zero() {
                return wrong(format!(
                    "this record has solutions of cube {}, but leaves the whole cube open",
                    answer.id
                ));
            }
            if let Some(length) = answer.length {
                self.list_bytes = length;
            }
            self.elapsed_before = answer
                .elapsed
                .and_then(duration)
                .unwrap_or(self.elapsed_before);
            self.open.clear();
            self.add_answer(open_cube.share, answer);
            for open_cube in self.open.drain(..) {
                order += 1;
                open.insert(Id::of(puzzle, &open_cube.cube), (order, open_cube));
            }
        }
        let mut open_cubes: Vec<(u64, OpenCube)> = open.into_values().collect();
        open_cubes.sort_by_key(|&(order, _)| order);
        self.open = open_cubes.into_iter().map(|(_, open)| open).collect();
        Ok(())
    }

    /// Cuts the cubes on which an earlier process has worked without a result. That may take long, so it ends when the run is stopped, and
    /// what is cut is recorded every now and then.
    fn cut_fruitless(&mut self, cube_solver: &CubeSolver<'_>, control: &Control) {
        let open = std::mem::take(&mut self.open);
        for open_cube in open {
            let pieces = match open_cube.is_fruitless && self.failed.is_none() && !control.poll() {
                true => cube_solver.replace_by_pieces(&open_cube.cube, unsearched(&open_cube.cube)),
                false => unsearched(&open_cube.cube),
            };
            if is_unchanged(&open_cube.cube, &pieces) {
                self.open.push(open_cube);
                continue;
            }
            let puzzle = self.journal.header().puzzle();
            let mut answer = Answer::new(puzzle, Id::of(puzzle, &open_cube.cube), &pieces, None);
            answer.length = self.list.is_some().then_some(self.list_bytes);
            self.pending.push_str(&seal(&answer));
            self.add_answer(open_cube.share, answer);
            if self.last_commit.elapsed() >= MAX_UNRECORDED_CUTS {
                self.commit();
            }
        }
    }

    /// The share of the work of the whole puzzle that is done, from 0 to 1.
    pub(super) fn share_done(&self) -> f64 {
        match self.open.is_empty() && self.running.is_empty() {
            true => 1.0,
            false => self.done.clamp(0.0, 1.0),
        }
    }

    /// Raises the lower bound on the number of solutions, if `proved` is higher.
    pub(super) fn raise_bound(&mut self, proved: Count) {
        if self.proved < proved {
            self.proved = proved;
        }
    }

    /// Adds an answer to the totals, and its open cubes to the stack. `share` is the share of the answered cube in the work of the whole
    /// puzzle.
    pub(super) fn add_answer(&mut self, share: f64, answer: Answer) {
        self.total += &answer.count;
        self.raise_bound(self.total.clone());
        // Saturating, because the record of a file may hold any number.
        self.nodes = self.nodes.saturating_add(answer.nodes);
        let open_share: f64 = answer.open.iter().map(|open| open.share).sum();
        self.done += share * (1.0 - open_share).max(0.0);
        self.open.extend(
            answer
                .open
                .into_iter()
                .map(|Open { cube, share: of }| OpenCube {
                    cube,
                    share: share * of,
                    min_run_time: Duration::ZERO,
                    is_fruitless: false,
                }),
        );
    }

    /// Truncates the list to the length that the journal records, and seeks to its end.
    fn truncate_list(&mut self) -> Result<()> {
        let Some((list, _)) = &mut self.list else {
            return Ok(());
        };
        let failed = |error: std::io::Error| Error::io(&list.name, error);
        let length = list.file.metadata().map_err(failed)?.len();
        if length < self.list_bytes {
            let message = format!(
                "the journal {} has recorded {} bytes of this list, but the file has only {length}",
                self.journal.name(),
                self.list_bytes
            );
            return Err(Error::data(message).in_file(&list.name));
        }
        // An output that is not a regular file, such as a pipe, cannot be truncated.
        if length > 0 {
            list.file.set_len(self.list_bytes).map_err(failed)?;
        }
        list.file
            .seek(SeekFrom::Start(self.list_bytes))
            .map_err(failed)?;
        Ok(())
    }

    /// Appends solutions to the list.
    pub(super) fn append_solutions(&mut self, batches: &[Batch]) -> Result<()> {
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
        let mut length = self.list_bytes;
        let mut is_written = true;
        for batch in batches {
            is_written = is_written
                && batch.try_each(|words| {
                    text.push(words);
                    !text.is_full() || flush(text, &mut length)
                });
        }
        if is_written && !text.is_empty() {
            flush(text, &mut length);
        }
        text.clear();
        match result {
            Ok(()) => {
                self.list_bytes = length;
                Ok(())
            }
            Err(error) => {
                // Remove what was partly written, if possible.
                let _ = list.file.set_len(self.list_bytes);
                let _ = list.file.seek(SeekFrom::Start(self.list_bytes));
                Err(Error::io(&list.name, error))
            }
        }
    }

    /// Appends the pending records to the journal, after syncing the list to the disk.
    pub(super) fn commit(&mut self) {
        self.last_commit = Instant::now();
        if self.pending.is_empty() || self.failed.is_some() {
            return;
        }
        let synced = match &self.list {
            Some((list, _)) => match list.file.sync_data() {
                // An output that cannot be synced, such as a pipe, has nothing to lose in a crash.
                Err(error) if error.kind() != std::io::ErrorKind::InvalidInput => {
                    Err(Error::io(&list.name, error))
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

/// The outcome of a cube on which no work has been done.
fn unsearched(cube: &Cube) -> Outcome {
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
