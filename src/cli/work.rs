//! `omnogram work`: answers the cubes of its input, one after the other.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::Args;
use omnogram::cluster::{
    CubeSolver, Digest, Id, Mode, SolutionStore, TaskReader, UnitResult, UnitTask, WorkUnit,
    answer_slices, lists_set, seal,
};
use omnogram::count::Method;
use omnogram::error::{Error, Kind, Result};
use omnogram::puzzle::Puzzle;
use omnogram::render::{List, Listing};
use omnogram::solutions::{Batch, Stop};

use super::drafts::Draft;
use super::given::GivenOption;
use super::options::{SearchOptions, Verbosity};
use super::output::{Outputs, Replacing, print};
use super::session::Session;
use super::solution_output::SolutionFolder;
use super::status::{Answered, Failure, Status};
use super::words::{Subject, counted};
use super::{census, input_files, inputs, messages};

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
    #[arg(long, conflicts_with_all = ["puzzle", "given", "method", "solutions_dir", "digest", "format", "force", "nodes"])]
    census: bool,

    /// The cubes: a file, or - for standard input
    #[arg(value_name = "CUBES", default_value = "-")]
    cubes: PathBuf,

    /// Counting method
    #[arg(long, value_name = "METHOD", default_value = "auto", conflicts_with_all = ["solutions_dir", "digest"])]
    method: Method,

    #[command(flatten)]
    solutions: SolutionFolder,

    #[command(flatten)]
    replacing: Replacing,

    /// List the solutions only to compute the digest of their set, and do not write them
    #[arg(long)]
    digest: bool,

    #[command(flatten)]
    given: GivenOption,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// Most bad lines that are printed; the others are only counted.
const MAX_PRINTED_ERRORS: u64 = 5;

pub(super) fn run(options: &Options) -> Answered {
    let cubes = std::slice::from_ref(&options.cubes);
    inputs::check_stdin_once(options.puzzle.as_slice(), cubes)?;
    inputs::check_stdin_once(options.given.file(), cubes)?;
    input_files::check_stdout(&[], cubes)?;
    let session = Session::new(&options.search_options, false, &options.verbosity)?;
    let session = &session.giving(&options.given, options.puzzle.as_slice())?;
    match &options.puzzle {
        Some(puzzle) => session.answer_one(puzzle, "", |subject| work(session, subject, options)),
        None => work_on_census(session, options),
    }
}

fn work(session: &Session, subject: &Subject<'_>, options: &Options) -> Answered {
    let puzzle = subject.puzzle;
    let (digest, checked) = (Digest::of(puzzle), puzzle.clone());
    let desk = Desk::open(session, options, move |task: &UnitTask| {
        task.check(&checked, digest)
    })?;
    let cubes = std::slice::from_ref(&options.cubes);
    let outputs = Outputs::new(options.replacing, options.puzzle.as_slice(), cubes);
    let folder = options.solutions.solutions_dir.as_deref();
    let folder = folder.map(|path| Folder {
        path,
        format: options.solutions.format,
        outputs,
    });
    if let Some(folder) = &folder {
        folder.outputs.folder(folder.path)?;
    }
    let mode = if folder.is_some() || options.digest {
        Mode::List
    } else {
        Mode::Count(options.method)
    };
    let threads = session.pool.current_num_threads();
    let limits = session.limits();
    let memory = limits.memory.unwrap_or(u64::MAX);
    let next = || {
        let task = desk.task()?;
        let folder = folder.as_ref();
        let file = folder.map(|folder| CubeSolutions::new(folder, puzzle, task.id));
        Some((task.unit, file))
    };
    let done = |mut result: UnitResult, file: Option<CubeSolutions>| {
        if let (Some(file), Some(folder)) = (file, &folder) {
            match file.keep(folder, result.set) {
                Ok(name) => result.file = name,
                Err(error) => return desk.halt(error.into()),
            }
        }
        desk.print(&result);
    };
    CubeSolver::new(puzzle, mode, threads, memory).answer_each(&limits, next, done)?;
    desk.end(subject.name, "cube")
}

/// Works out slices of a census, each on one thread.
fn work_on_census(session: &Session, options: &Options) -> Answered {
    let desk = Desk::open(session, options, UnitTask::check_census)?;
    let limits = session.limits();
    session.pool.install(|| {
        let next = || Some(desk.task()?.unit);
        answer_slices(&limits, next, |result| match result {
            Ok(result) => desk.print(&result),
            Err(message) => desk.fail(census::wrong(&message)),
        });
    });
    desk.end("census", "slice")
}

/// The input of cubes, or of slices of a census, and the output of results.
struct Desk<'a, U> {
    session: &'a Session,
    /// The name of the file of cubes.
    name: String,
    tasks: TaskReader<U>,
    totals: Mutex<Totals>,
}

#[derive(Default)]
struct Totals {
    /// The number of cubes answered, and of those that were left open.
    answered: u64,
    open: u64,
    /// The number of lines that are not cubes of this puzzle.
    bad: u64,
    /// The gravest status of these lines, and of a wrong answer.
    status: Status,
    /// Whether no further cube is to be started.
    is_over: bool,
    /// Why the work had to end. The first error is kept; it replaces a closed output, which has no message.
    failure: Option<Failure>,
}

impl<'a, U: WorkUnit> Desk<'a, U> {
    /// Opens the file of cubes, each of which has to pass this check.
    fn open(
        session: &'a Session,
        options: &Options,
        check: impl Fn(&UnitTask<U>) -> Result<()> + Send + 'static,
    ) -> Answered<Self> {
        let name = inputs::name(&options.cubes);
        Ok(Desk {
            session,
            tasks: TaskReader::start(inputs::open_file(&options.cubes)?, &name, check)?,
            name,
            totals: Mutex::default(),
        })
    }

    fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next valid cube; `None` at the end of the input, on an interrupt, or after a fatal error.
    fn task(&self) -> Option<UnitTask<U>> {
        loop {
            let interrupt = self.session.interrupt;
            let is_over = || interrupt.is_requested() || self.totals().is_over;
            match self.tasks.next(is_over)? {
                Ok(task) => return Some(task),
                Err(error) => {
                    let mut totals = self.totals();
                    totals.bad += 1;
                    totals.status = totals.status.max(Status::from(&error));
                    if totals.bad <= MAX_PRINTED_ERRORS || error.kind() == Kind::Io {
                        messages::error(&error);
                    }
                }
            }
        }
    }

    fn print(&self, result: &UnitResult<U>) {
        let mut totals = self.totals();
        totals.answered += 1;
        totals.open += u64::from(!result.is_complete());
        drop(totals);
        if let Err(failure) = print(&seal(result)) {
            self.halt(failure);
        }
    }

    /// Starts no further cube.
    fn halt(&self, failure: Failure) {
        let mut totals = self.totals();
        totals.is_over = true;
        if !matches!(totals.failure, Some(Failure::Error(_))) {
            totals.failure = Some(failure);
        }
    }

    /// Starts no further cube; the run ends with this status.
    fn fail(&self, status: Status) {
        let mut totals = self.totals();
        totals.is_over = true;
        totals.status = totals.status.max(status);
    }

    /// Prints how the work on what has this name ended; `what` are its parts.
    fn end(self, name: &str, what: &str) -> Answered {
        let totals = (self.totals.into_inner()).unwrap_or_else(PoisonError::into_inner);
        if totals.bad > MAX_PRINTED_ERRORS {
            let more = counted(totals.bad - MAX_PRINTED_ERRORS, "more line");
            let error = Error::data(format!("{more} that cannot be answered"));
            messages::error(&error.in_file(&self.name));
        }
        let interrupted = self.session.interrupt.is_requested();
        self.session.note(&format!(
            "{name}: {} answered, {} of them left open{}",
            counted(totals.answered, what),
            totals.open,
            if interrupted { ", interrupted" } else { "" }
        ));
        let stopped = interrupted || totals.open > 0 || totals.failure.is_some();
        match totals.failure {
            Some(Failure::Error(error)) => Err(error.into()),
            Some(Failure::Closed) | None => Ok(Status::stopped_if(stopped).max(totals.status)),
        }
    }
}

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
        CubeSolutions {
            path: folder.path.join(id.to_string()),
            id,
            list: List::new(folder.format, puzzle.width(), puzzle.height()),
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
        let draft = match &mut self.draft {
            Some(draft) => draft,
            None => self.draft.insert(Draft::create_beside(&self.path, false)?),
        };
        draft.write(self.list.bytes())?;
        self.list.clear();
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
        // The file exists already if the cube was answered before.
        let outputs = &folder.outputs;
        outputs.publish_draft(draft, &path, || lists_set(&path, set))?;
        Ok(Some(name))
    }
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
