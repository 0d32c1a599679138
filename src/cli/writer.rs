//! Writes solutions as they are found: batches come through a bounded channel, and leave as text in large pieces. What is written is
//! always whole solutions. When solutions come slowly each is shown at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::RecvTimeoutError;
use omnogram::puzzle::Grid;
use omnogram::render::List;
use omnogram::solutions::{Batches, Stop};

use super::output::Output;
use super::status::{Answered, Halt};

/// The longest that a solution waits for others to be written with it.
const PROMPT: Duration = Duration::from_millis(20);

/// The rest that a writer takes when it has caught up.
const REST: Duration = Duration::from_micros(100);

/// When writing must stop although there is more to write: the search stops by itself, but what waits to be written can be long in
/// the writing where the reader is slow, and a sorted list is written when the search is over.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut {
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: Option<Arc<AtomicBool>>,
}

impl Cut {
    fn due(&self) -> Option<Stop> {
        // Relaxed: the flag is all there is to know.
        let asked = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if self.interrupt.as_ref().is_some_and(asked) {
            Some(Stop::Interrupt)
        } else if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            Some(Stop::Time)
        } else {
            None
        }
    }
}

/// Writes the solutions of one puzzle.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    output: &'a mut Output,
    list: List,
    cut: Cut,
    written: u64,
    end: Option<End>,
}

/// Why a writer stopped before everything was written.
#[derive(Debug)]
enum End {
    Halt(Halt),
    Cut(Stop),
}

/// How much was written, and why no more, if there was more.
pub(super) type Written = (u64, Option<Stop>);

impl<'a> Writer<'a> {
    /// A writer for the solutions that `list` is made for.
    pub(super) fn new(output: &'a mut Output, list: List, cut: Cut) -> Self {
        Writer {
            output,
            list,
            cut,
            written: 0,
            end: None,
        }
    }

    /// Writes what comes, until nothing more comes. Returning early closes the channel, and that stops the search.
    pub(super) fn stream(mut self, batches: Batches) -> Answered<Written> {
        // When the first of the solutions in the list came.
        let mut oldest = Instant::now();
        while self.end.is_none() {
            let batch = batches.try_recv().or_else(|_| {
                // A little rest lets several batches come together. To be woken for each of them would cost the search more than
                // finding them does.
                thread::sleep(REST);
                match self.list.is_empty() {
                    true => batches.recv().map_err(RecvTimeoutError::from),
                    false => batches.recv_deadline(oldest + PROMPT),
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

    /// Writes these grids.
    pub(super) fn grids(mut self, grids: &[Grid]) -> Answered<Written> {
        for grid in grids {
            if !self.push(grid.words()) {
                break;
            }
        }
        self.close()
    }

    /// Writes what is shown to it, which may come slowly. Whoever shows is told `false` when no more is wanted, and shows nothing now
    /// and then while he has to work for the next one.
    pub(super) fn each(
        mut self,
        show: impl FnOnce(&mut dyn FnMut(Option<&[u64]>) -> bool),
    ) -> Answered<Written> {
        let mut flushed = Instant::now();
        show(&mut |words| {
            if words.is_none_or(|words| self.push(words)) && flushed.elapsed() >= PROMPT {
                if !self.list.is_empty() {
                    self.flush();
                }
                flushed = Instant::now();
                self.end = self.end.take().or_else(|| self.cut.due().map(End::Cut));
            }
            self.end.is_none()
        });
        self.close()
    }

    /// Takes one solution; `false` when no more are wanted.
    #[inline]
    fn push(&mut self, words: &[u64]) -> bool {
        self.list.push(words);
        if self.list.is_full() {
            self.flush();
            if self.end.is_none() {
                self.end = self.cut.due().map(End::Cut);
            }
        }
        self.end.is_none()
    }

    fn flush(&mut self) {
        match self.output.write(self.list.bytes()) {
            Ok(()) => self.written += self.list.solutions(),
            Err(halt) => self.end = Some(End::Halt(halt)),
        }
        self.list.clear();
    }

    fn close(mut self) -> Answered<Written> {
        if self.end.is_none() {
            self.flush();
        }
        match self.end {
            Some(End::Halt(halt)) => Err(halt),
            Some(End::Cut(stop)) => Ok((self.written, Some(stop))),
            None => Ok((self.written, None)),
        }
    }
}
