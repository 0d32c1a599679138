//! Writes solutions as they are found: batches arrive through a bounded channel, and are written as text in large blocks. The output always
//! consists of complete solutions. A solution is written within a short delay, even when solutions are rare.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use omnogram::graph::SolutionGraph;
use omnogram::puzzle::Grid;
use omnogram::render::List;
use omnogram::search::{Limits, Outcome, Total};
use omnogram::solutions::{Batches, Count, Stop, Stream};

use super::output::Output;
use super::session::{Session, no_threads};
use super::status::{Answered, Failure};
use super::words::Subject;

/// Longest delay of a solution while others are gathered to be written with it.
const MAX_DELAY: Duration = Duration::from_millis(20);

/// Pause of the writer when the channel is empty.
const IDLE_PAUSE: Duration = Duration::from_micros(100);

/// The limits on writing. The search has its own limits, but a slow reader can delay the writing beyond them, and a sorted list is written
/// after the search.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteLimits {
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: Option<Arc<AtomicBool>>,
}

impl WriteLimits {
    /// The limits on time and the interrupt of a run that began at `started`.
    pub(super) fn of(limits: &Limits, started: Instant) -> Self {
        WriteLimits {
            deadline: limits.time.and_then(|time| started.checked_add(time)),
            interrupt: limits.interrupt.clone(),
        }
    }

    /// The limit that has been reached, if any.
    pub(super) fn reached(&self) -> Option<Stop> {
        // Relaxed: the flag publishes no other data.
        let interrupt = self.interrupt.as_ref();
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Stop::Interrupt);
        }
        let is_late = (self.deadline).is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(Stop::Time)
    }
}

/// Capacity of the channel to the writer, in batches of some hundred leaves each: little memory, but enough that neither the search nor
/// the writer waits long for the other.
const MAX_WAITING_BATCHES: usize = 16;

/// Writes solutions as a run finds them; the writer runs on a thread of its own. The outcome counts the solutions that are written.
pub(super) fn write_streamed(
    output: &mut Output,
    list: List,
    limits: &Limits,
    run: impl FnOnce(&Stream) -> Outcome,
) -> Answered<Outcome> {
    let started = Instant::now();
    let writer = Writer::new(output, list, WriteLimits::of(limits, started));
    let (mut outcome, written) = thread::scope(|threads| {
        let (stream, batches) = Stream::new(MAX_WAITING_BATCHES);
        let written = thread::Builder::new()
            .spawn_scoped(threads, || writer.write_stream(batches))
            .map_err(|error| no_threads(&error))?;
        let outcome = run(&stream);
        drop(stream);
        let written = written.join();
        Ok::<_, Failure>((
            outcome,
            written.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
        ))
    })?;
    if let (written, Some(stop)) = written {
        outcome.stopped = Some(stop);
        outcome.solutions = Total::AtLeast(Count::from(written));
    }
    outcome.elapsed = started.elapsed();
    Ok(outcome)
}

/// Counts the solutions of a puzzle, and writes those that `show` takes from their graph. `show` passes them on as in
/// [`Writer::write_each`], and returns why it stopped before its end, if it did. The result is the outcome of the count and the number
/// written.
pub(super) fn write_from_graph(
    session: &Session,
    subject: &Subject<'_>,
    list: List,
    output: &mut Output,
    show: impl FnOnce(&SolutionGraph, &mut dyn FnMut(Option<&[u64]>) -> bool) -> Option<Stop>,
) -> Answered<(Outcome, u64)> {
    let started = Instant::now();
    let (graph, mut outcome) = session.solution_graph(subject, |counter| counter.quick_graph());
    let mut written = 0;
    if let Some(graph) = &graph {
        let writer = Writer::new(output, list, WriteLimits::of(&session.limits(), started));
        let mut stopped = None;
        (written, outcome.stopped) = writer.write_each(|each| stopped = show(graph, each))?;
        outcome.stopped = outcome.stopped.or(stopped);
    }
    outcome.elapsed = started.elapsed();
    Ok((outcome, written))
}

/// Writes the solutions of one puzzle.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    output: &'a mut Output,
    list: List,
    limits: WriteLimits,
    written: u64,
    /// Why the writer stopped before everything was written.
    end: Option<Answered<Stop>>,
}

/// The number of solutions written, and the limit that stopped the writing, if any.
pub(super) type Written = (u64, Option<Stop>);

impl<'a> Writer<'a> {
    /// A writer of solutions in the format and size of `list`.
    pub(super) fn new(output: &'a mut Output, list: List, limits: WriteLimits) -> Self {
        Writer {
            output,
            list,
            limits,
            written: 0,
            end: None,
        }
    }

    /// Writes the solutions of all batches until the channel is closed. An early return drops the receiver, which stops the search.
    pub(super) fn write_stream(mut self, batches: Batches) -> Answered<Written> {
        // The arrival time of the first solution in the list.
        let mut oldest = Instant::now();
        while self.end.is_none() {
            let batch = batches.try_recv().or_else(|_| {
                // A pause lets several batches gather. Waking this thread for each batch would cost the search more than finding its
                // solutions.
                thread::sleep(IDLE_PAUSE);
                if self.list.is_empty() {
                    batches.recv().map_err(RecvTimeoutError::from)
                } else {
                    batches.recv_timeout(MAX_DELAY.saturating_sub(oldest.elapsed()))
                }
            });
            match batch {
                Ok(batch) => {
                    if self.list.is_empty() {
                        oldest = Instant::now();
                    }
                    batch.try_each(|words| self.push(words));
                }
                Err(RecvTimeoutError::Timeout) => self.flush(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.close()
    }

    pub(super) fn write_grids(mut self, grids: &[Grid]) -> Answered<Written> {
        for grid in grids {
            if !self.push(grid.words()) {
                break;
            }
        }
        self.close()
    }

    /// Writes the solutions that `show` passes to its argument, which may arrive slowly. The argument returns `false` when writing has
    /// stopped. While the next solution takes long, `show` should call it with `None` from time to time, so that limits are checked.
    pub(super) fn write_each(
        mut self,
        show: impl FnOnce(&mut dyn FnMut(Option<&[u64]>) -> bool),
    ) -> Answered<Written> {
        let mut flushed = Instant::now();
        show(&mut |words| {
            if words.is_none_or(|words| self.push(words)) && flushed.elapsed() >= MAX_DELAY {
                if !self.list.is_empty() {
                    self.flush();
                }
                flushed = Instant::now();
                if self.end.is_none() {
                    self.end = self.limits.reached().map(Ok);
                }
            }
            self.end.is_none()
        });
        self.close()
    }

    /// Adds one solution; `false` when writing has stopped.
    #[inline]
    fn push(&mut self, words: &[u64]) -> bool {
        self.list.push(words);
        if self.list.is_full() {
            self.flush();
            if self.end.is_none() {
                self.end = self.limits.reached().map(Ok);
            }
        }
        self.end.is_none()
    }

    fn flush(&mut self) {
        match self.output.write(self.list.bytes()) {
            Ok(()) => self.written += self.list.solutions(),
            Err(failure) => self.end = Some(Err(failure)),
        }
        self.list.clear();
    }

    fn close(mut self) -> Answered<Written> {
        if self.end.is_none() {
            self.flush();
        }
        Ok((self.written, self.end.transpose()?))
    }
}
