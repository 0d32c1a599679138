//! The environment of a verb: the thread pool, the limits, the interrupt, and the loop over the puzzles, which gives each an [`Answer`]
//! or an error.

use std::collections::VecDeque;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crossbeam::channel::{Receiver, bounded};
use omnogram::count::{Counter, GraphProgress};
use omnogram::error::{Error, Kind, Result};
use omnogram::format::Entry;
use omnogram::graph::SolutionGraph;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Limits, Observer, Outcome, Search, Snapshot};
use omnogram::solutions::Stop;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use super::given::{Given, GivenOption};
use super::inputs;
use super::interrupt::Interrupt;
use super::json::{error_line, json_line};
use super::options::{AnswerOptions, PuzzleOptions, SearchOptions, Verbosity, When};
use super::progress::Progress;
use super::queue::{Item, MAX_AHEAD_PER_THREAD, Queue, Run, Waiting};
use super::report::{Fault, Form, Junit, annotation};
use super::status::{Answered, Status};
use super::words::{Subject, counted, goal_warning};
use super::{input_files, messages, output};

const MIB: u64 = 1 << 20;

/// The state that all puzzles of a run share.
#[derive(Debug)]
pub(super) struct Session {
    search_options: SearchOptions,
    form: Form,
    /// The report in the XML of JUnit, if that is the form.
    junit: Mutex<Junit>,
    quiet: bool,
    /// Files that the verb reads beside its PUZZLE arguments.
    also_reads: Vec<PathBuf>,
    /// The cells that are given beside those of the puzzles' files.
    given: Given,
    pub(super) pool: ThreadPool,
    pub(super) interrupt: &'static Interrupt,
}

impl Session {
    /// Starts the threads and handles Ctrl-C.
    pub(super) fn new(
        search_options: &SearchOptions,
        json: bool,
        verbosity: &Verbosity,
    ) -> Result<Self> {
        let threads = usize::from(search_options.threads.unwrap_or(0));
        Ok(Session {
            search_options: search_options.clone(),
            form: if json { Form::Json } else { Form::Text },
            junit: Mutex::default(),
            quiet: verbosity.quiet,
            also_reads: Vec::new(),
            given: Given::default(),
            pool: pool(threads)?,
            interrupt: Interrupt::install(),
        })
    }

    /// The session of a verb that answers puzzles.
    pub(super) fn for_puzzles(options: &PuzzleOptions) -> Result<Self> {
        let AnswerOptions { json, verbosity } = &options.answer_options;
        let session = Session::new(&options.search_options, *json, verbosity)?;
        session.giving(&options.given, options.puzzles())
    }

    /// The session of a verb with these PUZZLE arguments that adds given cells to each puzzle.
    pub(super) fn giving(mut self, given: &GivenOption, puzzles: &[PathBuf]) -> Result<Self> {
        self.given = given.read(puzzles)?;
        Ok(self.also_reading(given.file()))
    }

    /// The session of a verb that reads these files too beside its PUZZLE arguments. Standard output must be none of them.
    pub(super) fn also_reading(mut self, files: &[PathBuf]) -> Self {
        self.also_reads.extend_from_slice(files);
        self
    }

    /// The session with another form of the answers.
    pub(super) fn in_form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// The form of the answers.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Whether answers are JSON objects.
    pub(super) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// When progress is shown.
    pub(super) fn progress_mode(&self) -> When {
        if self.quiet {
            When::Never
        } else {
            self.search_options.progress
        }
    }

    pub(super) fn limits(&self) -> Limits {
        self.search_options
            .limits()
            .interrupt(self.interrupt.flag())
    }

    /// The limits on one puzzle, with the time that remains since `started`.
    pub(super) fn limits_since(&self, started: Instant) -> Limits {
        let time = self.search_options.time;
        self.limits()
            .time(time.map(|time| time.saturating_sub(started.elapsed())))
    }

    /// Answers every puzzle, in order, and returns the gravest status. For a bad puzzle an error is printed, and the next one follows; the
    /// loop ends when answers cannot be written.
    pub(super) fn answer_each(
        &self,
        arguments: &[PathBuf],
        mut answer: impl FnMut(&Subject<'_>) -> Answered,
    ) -> Answered {
        let nothing = |_: &Search<'_>, _: &Puzzle, _: &Limits| ((), None);
        self.answer_in_order(arguments, 1, &nothing, |subject, _| answer(subject))
    }

    /// Answers the one puzzle that an argument names; an error, which begins with `reason`, if the argument names several.
    pub(super) fn answer_one(
        &self,
        argument: &Path,
        reason: &str,
        answer: impl FnOnce(&Subject<'_>) -> Answered,
    ) -> Answered {
        let arguments = [argument.to_owned()];
        input_files::check_stdout(&arguments, &self.also_reads)?;
        let mut queue = Queue::new(inputs::find(&arguments), &self.given);
        let mut next = || queue.next(self.interrupt, true);
        let (Some(item), None) = (next(), next()) else {
            let message =
                format!("{reason}there are several puzzles here: name one of them, as FILE#2");
            return Err(Error::new(Kind::Usage, message)
                .in_file(&inputs::name(argument))
                .into());
        };
        self.answer_entry(&item.entry, false, answer)
    }

    /// Runs something on every puzzle, and passes the results to `answer` in order. Several puzzles are examined at once, each on one
    /// thread; a puzzle that is too hard for that is examined alone on all threads.
    pub(super) fn run_on_each<T: Send + 'static>(
        &self,
        arguments: &[PathBuf],
        run: impl Run<T>,
        mut answer: impl FnMut(&Subject<'_>, T) -> Answered,
    ) -> Answered {
        let ahead = match self.pool.current_num_threads() {
            1 => 1,
            threads => MAX_AHEAD_PER_THREAD * threads,
        };
        self.answer_in_order(arguments, ahead, &run, |subject, found_early| {
            let found = found_early.unwrap_or_else(|| {
                let limits = self.limits();
                self.search(subject, limits.clone(), true, |search| {
                    run(search, subject.puzzle, &limits).0
                })
            });
            answer(subject, found)
        })
    }

    /// Answers all puzzles in order. Up to `ahead` of them are read in advance; if these are several, `run` is started on each, and `answer`
    /// gets what it has found ahead of the turn of the puzzle, if anything.
    fn answer_in_order<T: Send + 'static>(
        &self,
        arguments: &[PathBuf],
        ahead: usize,
        run: &impl Run<T>,
        mut answer: impl FnMut(&Subject<'_>, Option<T>) -> Answered,
    ) -> Answered {
        input_files::check_stdout(arguments, &self.also_reads)?;
        if !self.quiet {
            inputs::note_skipped(arguments, None);
        }
        let mut queue = Queue::new(inputs::find(arguments), &self.given);
        let mut gravest = Status::Complete;
        let mut waiting = VecDeque::new();
        loop {
            while waiting.len() < ahead
                && !self.interrupt.is_requested()
                && let Some(item) = queue.next(self.interrupt, waiting.is_empty())
            {
                waiting.push_back(Waiting::new(item));
            }
            if waiting.len() > 1 {
                let limits = self.limits();
                for puzzle in &mut waiting {
                    puzzle.start(&self.pool, &limits, run);
                }
            }
            let Some(next) = waiting.front() else {
                break;
            };
            let found_early = next.wait();
            if found_early.is_none() && self.interrupt.is_requested() {
                break;
            }
            let Item { entry, several } = &next.item;
            match self.answer_entry(entry, *several, |subject| answer(subject, found_early)) {
                Ok(status) => gravest = gravest.max(status),
                Err(failure) => return Ok(gravest.max(failure.report())),
            }
            waiting.pop_front();
        }
        if waiting.is_empty() && queue.is_empty() {
            return Ok(gravest);
        }
        let left = queue.remaining(waiting.len());
        self.note(&format!("interrupted: {left} not begun"));
        Ok(gravest.max(Status::Stopped))
    }

    /// Answers the puzzle of an entry, or prints the error in its place.
    fn answer_entry(
        &self,
        entry: &Entry,
        several: bool,
        answer: impl FnOnce(&Subject<'_>) -> Answered,
    ) -> Answered {
        let name = entry.name.as_str();
        match &entry.puzzle {
            Err(error) => self.answer_with_error(name, error),
            Ok(puzzle) => {
                let shown = messages::escaped(name);
                for warning in &entry.warnings {
                    self.warn(&format!("{shown}: {warning}"));
                }
                if let Some(warning) = goal_warning(&shown, puzzle) {
                    self.warn(&warning);
                }
                answer(&Subject {
                    name: &shown,
                    raw_name: name,
                    puzzle,
                    several,
                })
            }
        }
    }

    /// Prints an answer, as JSON or as text, and returns its exit status. The other forms have [rows](Form::Csv) or
    /// [reports](Session::report).
    pub(super) fn answer(&self, answer: &impl Answer) -> Answered {
        if self.is_json() {
            output::print(&json_line(answer))?;
        } else {
            output::print(&answer.text(self))?;
            if let Some(note) = answer.text_note(self) {
                self.note(&note);
            }
        }
        if let Some(note) = answer.note(self) {
            self.note(&note);
        }
        Ok(answer.status())
    }

    /// Reports on a puzzle, if the form is a report: what is wrong with it, if anything, and the text that says so.
    pub(super) fn report(
        &self,
        name: &str,
        fault: Option<&Fault>,
        text: &str,
        seconds: f64,
    ) -> Answered<()> {
        match (self.form, fault) {
            (Form::Github, Some(fault)) => output::print(&annotation(name, fault, text, None)),
            (Form::Junit, _) => {
                self.junit().add(name, fault, text, seconds);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Prints the report that has the whole run, if that is the form.
    pub(super) fn finish_report(&self) -> Answered<()> {
        match self.form {
            Form::Junit => output::print_last(self.junit().report().as_bytes()),
            _ => Ok(()),
        }
    }

    fn junit(&self) -> MutexGuard<'_, Junit> {
        self.junit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints an error in place of the answer for the puzzle of this name, also as JSON or in a report, so that the next puzzle can follow.
    pub(super) fn answer_with_error(&self, name: &str, error: &Error) -> Answered {
        let status = messages::error(error);
        match self.form {
            Form::Json => output::print(&error_line(name, error))?,
            Form::Github => {
                let (fault, text) = (Fault::of(error), error.to_string());
                output::print(&annotation(name, &fault, &text, Some(error)))?;
            }
            Form::Junit => self.report(name, Some(&Fault::of(error)), &error.to_string(), 0.0)?,
            Form::Text | Form::Csv => {}
        }
        Ok(status)
    }

    /// Searches a puzzle on all threads of the session, within these limits. Shows progress if `use_bar` and the options say so.
    pub(super) fn search<T: Send>(
        &self,
        subject: &Subject<'_>,
        limits: Limits,
        use_bar: bool,
        run: impl FnOnce(&Search<'_>) -> T + Send,
    ) -> T {
        self.run_observed(subject.name, use_bar, |observer| {
            let mut search = Search::new(subject.puzzle).limits(limits);
            if let Some(observer) = observer {
                search = search.observer(observer);
            }
            run(&search)
        })
    }

    /// Counts the solutions of a puzzle on all threads of the session, within its limits, and builds their solution graph. If that takes
    /// long, notes report what is known so far. `build` is [`Counter::graph`] or [`Counter::quick_graph`].
    pub(super) fn solution_graph(
        &self,
        subject: &Subject<'_>,
        build: impl FnOnce(&Counter<'_>) -> (Option<SolutionGraph>, Outcome) + Send,
    ) -> (Option<SolutionGraph>, Outcome) {
        let progress = Progress::new(self.progress_mode(), true, subject.name);
        let tell = |graph: &GraphProgress| {
            if !self.quiet {
                progress.note(&self.graph_progress_text(subject, graph));
            }
        };
        self.run_with_display(&progress, |observer| {
            let mut counting = Counter::new(subject.puzzle)
                .limits(self.limits())
                .graph_observer(&tell);
            if let Some(observer) = observer {
                counting = counting.observer(observer);
            }
            build(&counting)
        })
    }

    /// `key.non: exactly 5 solutions; their graph takes longer: 1234567 nodes so far, 120 of at most 1366 MiB (a part of --memory 4G)`
    fn graph_progress_text(&self, subject: &Subject<'_>, graph: &GraphProgress) -> String {
        let number = match &graph.solutions {
            Some(number) => format!("exactly {number} solutions; their graph"),
            None => "not counted yet; the graph of all solutions".to_owned(),
        };
        format!(
            "{}: {number} takes longer: {} so far, {} of at most {} MiB (a part of --memory {})",
            subject.name,
            counted(graph.nodes, "node"),
            graph.bytes.div_ceil(MIB),
            graph.max_bytes.div_ceil(MIB),
            self.search_options.memory
        )
    }

    /// Runs a closure on all threads, with an observer if the options show progress, under this name; no bar unless `use_bar`, as where
    /// it would overwrite other output.
    pub(super) fn run_observed<T: Send>(
        &self,
        name: &str,
        use_bar: bool,
        run: impl FnOnce(Option<Observer<'_>>) -> T + Send,
    ) -> T {
        let progress = Progress::new(self.progress_mode(), use_bar, name);
        self.run_with_display(&progress, run)
    }

    /// Runs a closure on all threads, with an observer that updates this display.
    fn run_with_display<T: Send>(
        &self,
        progress: &Progress,
        run: impl FnOnce(Option<Observer<'_>>) -> T + Send,
    ) -> T {
        let observer = |snapshot: Snapshot| progress.show(&snapshot);
        let observer: Observer<'_> = &observer;
        let shown = progress.is_shown().then_some(observer);
        let answer = self.pool.install(|| run(shown));
        progress.end();
        answer
    }

    /// Starts something on one thread of the session, as soon as one is free, within the limits: the time since `started`, and a share of
    /// the memory.
    pub(super) fn spawn_on_one_thread<T: Send + 'static>(
        &self,
        started: Instant,
        work: impl FnOnce(Limits) -> T + Send + 'static,
    ) -> Receiver<T> {
        let (sender, receiver) = bounded(1);
        let limits = self.limits();
        let threads = self.pool.current_num_threads() as u64;
        let memory = limits.memory.map(|memory| memory / threads);
        self.pool.spawn_fifo(move || {
            let time = limits
                .time
                .map(|time| time.saturating_sub(started.elapsed()));
            // There is no receiver any more if the run has ended.
            let _ = sender.send(work(limits.time(time).memory(memory)));
        });
        receiver
    }

    /// Why the run on a puzzle was stopped, or else why there is no solution; in brackets, or nothing.
    pub(super) fn why_none_or_stopped(
        &self,
        subject: &Subject<'_>,
        outcome: &Outcome,
        limit: Option<u64>,
    ) -> String {
        if outcome.is_complete() {
            subject.why_no_solution()
        } else {
            self.why_stopped(outcome.stopped, limit)
        }
    }

    /// Prints a message beside the answer, unless `--quiet` is given.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            messages::note(text);
        }
    }

    /// Prints a warning, unless `--quiet` is given.
    pub(super) fn warn(&self, text: &str) {
        if !self.quiet {
            messages::warning(text);
        }
    }

    /// ` (stopped by --time 1s)`, or nothing if the run was not stopped.
    pub(super) fn why_stopped(&self, stopped: Option<Stop>, limit: Option<u64>) -> String {
        stopped.map_or(String::new(), |stop| {
            format!(" ({})", self.stop_reason(stop, limit))
        })
    }

    /// Why a run stopped, in words, with the option that stopped it; `limit` is the value of `--limit`.
    pub(super) fn stop_reason(&self, stop: Stop, limit: Option<u64>) -> String {
        let (time, nodes) = (self.search_options.time, self.search_options.nodes);
        match stop {
            Stop::Limit => format!("stopped by --limit {}", limit.unwrap_or_default()),
            Stop::Time => format!("stopped by --time {:?}", time.unwrap_or_default()),
            Stop::Nodes => format!("stopped by --nodes {}", nodes.unwrap_or_default()),
            Stop::Memory => format!("stopped by --memory {}", self.search_options.memory),
            Stop::Interrupt => "interrupted".to_owned(),
            Stop::Closed => "the output was closed".to_owned(),
            other => other.to_string(),
        }
    }
}

/// The answer of a verb, for a puzzle or for the whole run. [`Session::answer`] prints it, as JSON or as text, and returns its status.
///
/// The fields that it serializes are those of its JSON. If it is about a puzzle, they begin with the [`Subject`], flattened.
pub(super) trait Answer: Serialize {
    /// The answer as text for standard output, with its line breaks.
    fn text(&self, _: &Session) -> String {
        String::new()
    }

    /// What standard error says beside the text, or in its place. It is not printed with `--json`, because the fields say it.
    fn text_note(&self, _: &Session) -> Option<String> {
        None
    }

    /// What standard error says beside the answer in both forms.
    fn note(&self, _: &Session) -> Option<String> {
        None
    }

    /// The exit status for this answer.
    fn status(&self) -> Status;
}

/// A pool of this number of threads; 0 means one per core.
pub(super) fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| no_threads(&error))
}

pub(super) fn no_threads(error: &dyn Display) -> Error {
    Error::new(Kind::Io, format!("the threads cannot be started: {error}"))
}
