//! `omnogram work`: answers the cubes of its input, one after the other.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use crossbeam::channel::{Receiver, RecvTimeoutError, bounded};
use omnogram::census::{Ended, Sweeper, Tables};
use omnogram::cluster::{
    Answer, CubeQueue, CubeSolver, CubeTask, Digest, DigestSink, Id, Job, Lines, Mode, Part,
    SetDigest, SolutionStore, seal,
};
use omnogram::error::{Error, Kind, Result};
use omnogram::format::Solutions;
use omnogram::puzzle::Puzzle;
use omnogram::render::{List, Listing};
use omnogram::search::{Cube, Limits, Outcome};
use omnogram::solutions::{Batch, Stop};

use super::census;
use super::drafts::Draft;
use super::input_files;
use super::inputs;
use super::messages;
use super::options::{SearchOptions, Verbosity};
use super::output::{Outputs, Replacing};
use super::session::{Session, no_threads};
use super::status::{Answered, Failure, Status};
use super::words::{Subject, counted};

/// Answer the cubes that split wrote
///
/// Reads cubes and writes one JSON object per cube, each on one line, as soon as the cube is answered: its id, its number of solutions,
/// nodes and seconds. If a limit stops a cube, its answer has the solutions found and the cubes left open, so that no work is lost or
/// repeated. Ctrl-C or a termination signal stops the running cubes in the same way, and starts no others; the exit status is then 3.
#[derive(Args, Debug)]
#[command(
    mut_arg("threads", |arg| arg.help("Number of threads; each answers a cube of its own, or all work on one cube if --method stores counts for reuse [default: all cores]")),
    mut_arg("time", |arg| arg.help("Stop after this time on each cube: 500ms, 90s, 5m, 1h30m")),
    mut_arg("nodes", |arg| arg.help("Stop after this many nodes of the search tree on each cube")),
    mut_arg("progress", |arg| arg.hide(true)),
    after_help = "\
Examples:
  omnogram work --puzzle puzzle.non cubes.jsonl > results.jsonl
  sed -n '1,50p' cubes.jsonl | omnogram work --puzzle puzzle.non --solutions-dir found/
  omnogram work --puzzle puzzle.non --threads 1 --time 10m < cubes.jsonl >> results.jsonl
  omnogram work --census slices.jsonl > results.jsonl"
)]
pub(super) struct Options {
    /// The puzzle that was split
    #[arg(long, value_name = "PUZZLE", required_unless_present = "census")]
    puzzle: Option<PathBuf>,

    /// The cubes are slices of a census
    #[arg(long, conflicts_with_all = ["puzzle", "method", "solutions_dir", "digest", "format", "force", "nodes"])]
    census: bool,

    /// The cubes: a file, or - for standard input
    #[arg(value_name = "CUBES", default_value = "-")]
    cubes: PathBuf,

    /// Counting method
    #[arg(long, value_name = "METHOD", default_value = "auto", conflicts_with_all = ["solutions_dir", "digest"])]
    method: omnogram::count::Method,

    /// Write the solutions of each cube into a file of its own in this folder; the results have its name and the digest of the solutions
    #[arg(long, alias = "solutions", value_name = "DIR")]
    solutions_dir: Option<PathBuf>,

    /// The format of the solutions
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        requires = "solutions_dir"
    )]
    format: Listing,

    #[command(flatten)]
    replacing: Replacing,

    /// List the solutions only to compute the digest of their set, and do not write them
    #[arg(long)]
    digest: bool,

    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// Time that a thread waits for a cube between two checks for an interrupt.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Most bad lines that are printed; the others are only counted.
const MAX_PRINTED_ERRORS: u64 = 5;

pub(super) fn run(options: &Options) -> Answered {
    let is_stdin = |puzzle: &PathBuf| inputs::is_stdin(puzzle);
    if options.puzzle.as_ref().is_some_and(is_stdin) && inputs::is_stdin(&options.cubes) {
        return Err(Error::new(Kind::Usage, "standard input can be read only once").into());
    }
    input_files::check_stdout(&[], std::slice::from_ref(&options.cubes))?;
    let verbosity = options.verbosity.clone();
    let session = &Session::new(&options.search_options, &verbosity.into())?;
    match &options.puzzle {
        Some(puzzle) => session.answer_one(puzzle, "", |subject| work(session, subject, options)),
        None => work_on_census(session, options),
    }
}

fn work(session: &Session, subject: &Subject<'_>, options: &Options) -> Answered {
    let puzzle = subject.puzzle;
    let (name, input) = open(options)?;
    let cubes = std::slice::from_ref(&options.cubes);
    let outputs = Outputs::new(options.replacing, options.puzzle.as_slice(), cubes);
    let folder = match &options.solutions_dir {
        Some(folder) => {
            outputs.folder(folder)?;
            Some(Folder {
                path: folder,
                format: options.format,
                outputs,
            })
        }
        None => None,
    };
    let mode = if folder.is_some() || options.digest {
        Mode::List
    } else {
        Mode::Count(options.method)
    };
    let threads = session.on_threads(rayon::current_num_threads);
    let digest = Digest::of(puzzle);
    let limits = session.limits();
    let memory = limits.memory.unwrap_or(u64::MAX);
    let cube_solver = CubeSolver::new(puzzle, mode, threads, memory);
    let checked = puzzle.clone();
    let check = move |piece: &CubeTask| piece.check(&checked, digest);
    let pieces = read(input, name.clone(), check)?;
    let queue = WorkQueue {
        desk: Desk::new(session, pieces, name),
        puzzle,
        cube_solver: &cube_solver,
        digest,
        folder,
        limits,
    };
    cube_solver.run(&queue)?;
    queue.desk.end(subject.name, "cube")
}

/// Works out slices of a census, each on one thread.
fn work_on_census(session: &Session, options: &Options) -> Answered {
    let (name, input) = open(options)?;
    let pieces = read(input, name.clone(), CubeTask::check_census)?;
    let desk = Desk::new(session, pieces, name);
    let limits = session.limits();
    let work = |threads: usize| {
        let limits = limits
            .clone()
            .memory(limits.memory.map(|memory| memory / threads as u64));
        while let Some(piece) = desk.piece() {
            let (slice, started) = (piece.cube, Instant::now());
            let tables = Tables::new(slice.census());
            let mut sweeper = Sweeper::new(&tables, limits.memory.unwrap_or(u64::MAX));
            let (tally, ended) = match sweeper.sweep(&slice, &limits, |_| false) {
                Ok(result) => result,
                Err(message) => return desk.fail(census::wrong(&message)),
            };
            let (next, stop) = match ended {
                Ended::Stopped(next, stop) => (next, Some(stop)),
                Ended::Paused(next) => (next, None),
                Ended::Done => (slice.to(), None),
            };
            let rest = slice.split_at(next).1;
            let open = if rest.is_empty() {
                Vec::new()
            } else {
                vec![rest]
            };
            let seconds = started.elapsed().as_secs_f64();
            desk.print(&Answer::of_slice(&slice, tally, open, stop, seconds));
        }
    };
    session
        .pool()
        .broadcast(|context| work(context.num_threads()));
    desk.end("census", "slice")
}

/// The file of cubes: its name, and what is in it.
fn open(options: &Options) -> Answered<(String, Box<dyn Read + Send>)> {
    let name = inputs::name(&options.cubes);
    if inputs::is_stdin(&options.cubes) {
        return Ok((name, Box::new(io::stdin())));
    }
    match File::open(&options.cubes) {
        Ok(file) => Ok((name, Box::new(file))),
        Err(error) => Err(Error::io(&name, error).into()),
    }
}

/// Reads cubes ahead of their turn, on a thread of its own, as reading a pipe may block for ever.
fn read<P: Part + Send + 'static>(
    input: Box<dyn Read + Send>,
    name: String,
    check: impl Fn(&CubeTask<P>) -> Result<()> + Send + 'static,
) -> Result<Receiver<Result<CubeTask<P>>>> {
    let (sender, receiver) = bounded(64);
    let read = move || {
        let mut lines = Lines::new(BufReader::new(input), &name);
        while let Some(piece) = lines.record::<CubeTask<P>>() {
            let checked = piece.and_then(|piece| match check(&piece) {
                Ok(()) => Ok(piece),
                Err(error) => Err(lines.at_last_line(error)),
            });
            if sender.send(checked).is_err() {
                break;
            }
        }
    };
    match thread::Builder::new().spawn(read) {
        Ok(_) => Ok(receiver),
        Err(error) => Err(no_threads(&error)),
    }
}

/// The cubes of a puzzle, and what becomes of them.
struct WorkQueue<'a> {
    desk: Desk<'a, Cube>,
    puzzle: &'a Puzzle,
    cube_solver: &'a CubeSolver<'a>,
    digest: Digest,
    folder: Option<Folder<'a>>,
    limits: Limits,
}

/// The input of cubes, or of slices of a census, and the output of results.
struct Desk<'a, P> {
    session: &'a Session,
    cubes: Receiver<Result<CubeTask<P>>>,
    /// The name of the file of cubes, and the number of its lines that are not cubes of this puzzle. Relaxed, as the numbers below:
    /// sums, which are read when all tasks have ended.
    name: String,
    bad: AtomicU64,
    /// Set when no further cube is to be started. Relaxed: it publishes no other data.
    is_over: AtomicBool,
    /// The number of cubes answered, and of those that were left open.
    answered: AtomicU64,
    open: AtomicU64,
    failures: Mutex<Failures>,
}

/// The errors of the run.
#[derive(Default)]
struct Failures {
    /// The gravest status of the input lines that are not cubes of this puzzle.
    bad_lines: Status,
    /// Why the work had to end.
    halt: Option<Failure>,
}

impl Failures {
    fn record_bad_line(&mut self, status: Status) {
        self.bad_lines = self.bad_lines.max(status);
    }

    /// Records why the work had to end. The first error is kept; it replaces a closed output, which has no message.
    fn record_halt(&mut self, halt: Failure) {
        if !matches!(self.halt, Some(Failure::Error(_))) {
            self.halt = Some(halt);
        }
    }

    /// The result of the run, if its answers alone have this status.
    fn into_result(self, status: Status) -> Answered {
        let status = status.max(self.bad_lines);
        match self.halt {
            Some(Failure::Error(error)) => Err(Failure::Error(error)),
            Some(Failure::Closed) => Ok(status.max(Status::Stopped)),
            None => Ok(status),
        }
    }
}

impl<'a, P: Part> Desk<'a, P> {
    fn new(session: &'a Session, cubes: Receiver<Result<CubeTask<P>>>, name: String) -> Self {
        Desk {
            session,
            cubes,
            name,
            bad: AtomicU64::new(0),
            open: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            failures: Mutex::default(),
        }
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts no further cube.
    fn halt(&self, halt: Failure) {
        // Relaxed: the flag publishes no other data.
        self.is_over.store(true, Ordering::Relaxed);
        self.failures().record_halt(halt);
    }

    /// Starts no further cube; the run ends with this status.
    fn fail(&self, status: Status) {
        // Relaxed: the flag publishes no other data.
        self.is_over.store(true, Ordering::Relaxed);
        self.failures().record_bad_line(status);
    }

    /// Prints an answer.
    fn print(&self, answer: &Answer<P>) {
        self.answered.fetch_add(1, Ordering::Relaxed);
        if !answer.is_complete() {
            self.open.fetch_add(1, Ordering::Relaxed);
        }
        if let Err(halt) = self.session.print(&seal(answer)) {
            self.halt(halt);
        }
    }

    /// Prints how the work on what has this name ended; `what` are its parts.
    fn end(self, name: &str, what: &str) -> Answered {
        let (answered, open) = (self.answered.into_inner(), self.open.into_inner());
        if let Some(more) = self.bad.into_inner().checked_sub(MAX_PRINTED_ERRORS + 1) {
            let more = format!("{} that cannot be answered", counted(more + 1, "more line"));
            messages::error(&Error::data(more).in_file(&self.name));
        }
        let interrupted = self.session.interrupt().is_requested();
        self.session.note(&format!(
            "{name}: {} answered, {open} of them left open{}",
            counted(answered, what),
            if interrupted { ", interrupted" } else { "" }
        ));
        let status = if interrupted || open > 0 {
            Status::Stopped
        } else {
            Status::Complete
        };
        let failures = self.failures.into_inner();
        failures
            .unwrap_or_else(PoisonError::into_inner)
            .into_result(status)
    }

    /// The next valid cube; `None` at the end of the input, on an interrupt, or after a fatal error.
    fn piece(&self) -> Option<CubeTask<P>> {
        loop {
            if self.is_over.load(Ordering::Relaxed) || self.session.interrupt().is_requested() {
                return None;
            }
            match self.cubes.recv_timeout(INTERRUPT_POLL_INTERVAL) {
                Ok(Ok(piece)) => return Some(piece),
                Ok(Err(error)) => {
                    let before = self.bad.fetch_add(1, Ordering::Relaxed);
                    if before < MAX_PRINTED_ERRORS || error.kind() == Kind::Io {
                        messages::error(&error);
                    }
                    self.failures().record_bad_line(Status::from(&error));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

impl CubeQueue for WorkQueue<'_> {
    type SolutionStore = Option<CubeSolutions>;

    fn next(&self) -> Option<Job<Self::SolutionStore>> {
        let piece = self.desk.piece()?;
        let file = |folder: &Folder<'_>| CubeSolutions::new(folder, self.puzzle, piece.id);
        Some(Job {
            cube: piece.cube,
            limits: self.limits.clone(),
            sink: DigestSink::new(self.folder.as_ref().map(file)),
            ticket: 0,
        })
    }

    fn submit(&self, job: Job<Self::SolutionStore>, outcome: Outcome, solutions_are_usable: bool) {
        let outcome = self.cube_solver.cut(&job.cube, outcome);
        let (file, set) = job.sink.into_parts();
        let listed = solutions_are_usable && self.cube_solver.mode() == Mode::List;
        let id = Id::of(self.digest, &job.cube);
        let mut answer = Answer::new(self.digest, id, &outcome, listed.then_some(set));
        if let Some((file, folder)) = file.zip(self.folder.as_ref()) {
            match file.keep(folder, solutions_are_usable.then_some(set)) {
                Ok(file) => answer.file = file,
                Err(error) => return self.desk.halt(Failure::Error(error)),
            }
        }
        self.desk.print(&answer);
    }
}

/// The folder of the files of solutions.
struct Folder<'a> {
    path: &'a Path,
    format: Listing,
    outputs: Outputs,
}

/// The file of the solutions of one cube, a draft until it is complete.
struct CubeSolutions {
    /// The path beside which the draft is created; the final name depends on the digest of the content.
    path: PathBuf,
    id: Id,
    list: List,
    draft: Option<Draft>,
    failed: Option<Error>,
}

impl CubeSolutions {
    fn new(folder: &Folder<'_>, puzzle: &Puzzle, id: Id) -> Self {
        let listing = folder.format;
        CubeSolutions {
            path: folder.path.join(id.to_string()),
            id,
            list: List::new(listing, puzzle.width(), puzzle.height()),
            draft: None,
            failed: None,
        }
    }

    fn flush(&mut self) -> ControlFlow<Stop> {
        if let Err(error) = self.write() {
            let name = self.path.display().to_string();
            self.failed = self.failed.take().or(Some(Error::io(&name, error)));
            return ControlFlow::Break(Stop::Closed);
        }
        ControlFlow::Continue(())
    }

    fn write(&mut self) -> io::Result<()> {
        let mut draft = match self.draft.take() {
            Some(draft) => draft,
            None => Draft::create_beside(&self.path, false)?,
        };
        draft.write(self.list.bytes())?;
        self.list.clear();
        self.draft = Some(draft);
        Ok(())
    }

    /// Publishes the file under a name with the digest of its content, and returns this name. Without a digest or without solutions there
    /// is no file.
    fn keep(mut self, folder: &Folder<'_>, set: Option<Digest>) -> Result<Option<String>> {
        if self.failed.is_none() && set.is_some() && !self.list.is_empty() {
            let _ = self.flush();
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        let (Some(draft), Some(set)) = (self.draft, set) else {
            return Ok(None);
        };
        let ending = match folder.format {
            Listing::Ndjson => "ndjson",
            _ => "txt",
        };
        let name = format!("{}-{set}.{ending}", self.id);
        let path = folder.path.join(&name);
        let published = folder
            .outputs
            .publish_draft(draft, &path, || holds(&path, set));
        published.map(|()| Some(name))
    }
}

/// Whether this file lists the set of solutions with this digest. It may exist already if the cube was answered before.
fn holds(path: &Path, set: Digest) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut found = SetDigest::new();
    let mut solutions = Solutions::new(BufReader::with_capacity(1 << 18, file), "");
    let whole = solutions.all(|grid| grid.map(|grid| found.add(grid.words())).is_ok());
    whole && found.digest() == set
}

impl SolutionStore for CubeSolutions {
    fn put(&mut self, batch: Batch) -> ControlFlow<Stop> {
        let mut flow = ControlFlow::Continue(());
        batch.try_each(|words| {
            self.list.push(words);
            if self.list.is_full() {
                flow = self.flush();
            }
            flow.is_continue()
        });
        flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_status_is_kept() {
        let mut failures = Failures::default();
        failures.record_bad_line(Status::Io);
        failures.record_bad_line(Status::Data);
        failures.record_halt(Failure::Closed);
        assert_eq!(failures.into_result(Status::Stopped).unwrap(), Status::Io);

        let mut failures = Failures::default();
        failures.record_halt(Failure::Error(Error::data("first")));
        failures.record_halt(Failure::Closed);
        failures.record_bad_line(Status::Data);
        assert!(matches!(
            failures.into_result(Status::Complete),
            Err(Failure::Error(_))
        ));
    }
}
