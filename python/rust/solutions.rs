//! The iterator over solutions: the search runs on threads of its own, which also turn its solutions into bytes.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use numpy::IntoPyArray;
use numpy::ndarray::Array3;
use omnogram::search::Outcome;
use omnogram::solutions::{Batch, Sink, Stop};
use omnogram::{Limits, Puzzle, Search};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::error;
use crate::pool;
use crate::puzzle::NativePuzzle;
use crate::run::{Bounds, TICK};
use crate::values::{self, Figures};

/// Without a batch size, solutions are passed on in pieces of up to this number of grids and of bytes.
const MAX_GRIDS: usize = 256;
const MAX_BYTES: usize = 1 << 20;

/// Most pieces that wait to be read, for each thread of the search.
const MAX_WAITING_PER_THREAD: usize = 2;

/// The sink of the search: collects grids as bytes, one for each cell, and passes them on in pieces of equal size.
struct Pieces {
    ready: Sender<Vec<u8>>,
    /// Grids that are too few for a piece.
    rest: Arc<Mutex<Vec<u8>>>,
    width: usize,
    /// Size of a piece in bytes.
    size: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pieces {
    /// Passes on a full piece. Returns whether somebody still reads.
    fn send(&self, piece: &mut Vec<u8>) -> bool {
        let full = std::mem::replace(piece, Vec::with_capacity(self.size + 8));
        self.ready.send(full).is_ok()
    }

    /// Keeps grids that are too few for a piece, or passes a piece on if they fill one together with those kept before.
    fn keep(&self, mut piece: Vec<u8>) -> bool {
        loop {
            let mut rest = lock(&self.rest);
            if rest.is_empty() {
                *rest = piece;
                return true;
            }
            let other = std::mem::take(&mut *rest);
            drop(rest);
            let missing = (self.size - piece.len()).min(other.len());
            piece.extend_from_slice(&other[..missing]);
            if piece.len() == self.size && !self.send(&mut piece) {
                return false;
            }
            piece.extend_from_slice(&other[missing..]);
            if piece.is_empty() {
                return true;
            }
        }
    }
}

impl Sink for Pieces {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut piece = std::mem::take(&mut *lock(&self.rest));
        let mut is_read = batch.try_each(|words| {
            values::push_cells(words, self.width, &mut piece);
            piece.len() < self.size || self.send(&mut piece)
        });
        if is_read && !piece.is_empty() {
            is_read = self.keep(piece);
        }
        if is_read {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Stop::Closed)
        }
    }
}

/// The search behind an iterator, while it is open.
struct Source {
    ready: Receiver<Vec<u8>>,
    rest: Arc<Mutex<Vec<u8>>>,
    interrupt: Arc<AtomicBool>,
    search: JoinHandle<PyResult<Outcome>>,
    /// The process that started it: threads do not survive a fork.
    process: u32,
}

impl Source {
    fn open(
        puzzle: Arc<Puzzle>,
        threads: usize,
        limits: Limits,
        interrupt: Arc<AtomicBool>,
        size: usize,
    ) -> PyResult<Self> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let (sender, ready) = channel::bounded(MAX_WAITING_PER_THREAD * threads);
        let rest = Arc::default();
        let sink = Pieces {
            ready: sender,
            rest: Arc::clone(&rest),
            width: puzzle.width(),
            size,
        };
        let search = move || {
            let search = Search::new(&puzzle).limits(limits);
            match threads {
                1 => Ok(search.single_threaded().run(&sink)),
                // A pool of its own, because its threads wait while solutions are unread.
                threads => Ok(pool::build(threads)?.install(|| search.run(&sink))),
            }
        };
        let search = std::thread::Builder::new()
            .name("omnogram".to_owned())
            .spawn(search);
        Ok(Source {
            ready,
            rest,
            interrupt,
            search: search.map_err(|error| error::threads(&error))?,
            process: process::id(),
        })
    }

    /// Stops the search and waits for its end.
    fn close(self) -> PyResult<Option<Outcome>> {
        if self.process != process::id() {
            // In a fork the search's threads do not exist.
            std::mem::forget(self);
            return Ok(None);
        }
        // Relaxed: the flag publishes no other data.
        self.interrupt.store(true, Ordering::Relaxed);
        // A search that waits for room is woken by an error.
        drop(self.ready);
        match self.search.join() {
            Ok(outcome) => outcome.map(Some),
            Err(panic) => Err(error::panic(&*panic)),
        }
    }
}

/// An iterator over the solutions of a puzzle.
#[pyclass(name = "NativeSolutions", module = "omnogram._omnogram")]
pub(crate) struct Solutions {
    source: Option<Source>,
    /// What is being read, and how much of it has been read.
    piece: Vec<u8>,
    read: usize,
    height: usize,
    width: usize,
    batch: Option<usize>,
    /// Solutions that have been given out.
    given: u64,
    /// Whether it was closed before its end.
    closed: bool,
    end: Option<Outcome>,
}

#[pymethods]
impl Solutions {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let cells = self.height * self.width;
        if self.read == self.piece.len() {
            let Some(piece) = self.next_piece(py)? else {
                return Ok(None);
            };
            if self.batch.is_some() {
                let number = piece.len() / cells;
                self.given += number as u64;
                let array = Array3::from_shape_vec((number, self.height, self.width), piece);
                return Ok(Some(
                    array.expect("whole grids").into_pyarray(py).into_any(),
                ));
            }
            (self.piece, self.read) = (piece, 0);
        }
        let grid = &self.piece[self.read..self.read + cells];
        self.read += cells;
        self.given += 1;
        Ok(Some(
            values::array_of(py, self.height, self.width, grid).into_any(),
        ))
    }

    /// Stops the search. The solutions that are not read yet are lost.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.closed |= self.source.is_some() || self.read < self.piece.len();
        self.piece.clear();
        self.read = 0;
        if let Some(source) = self.source.take() {
            self.end = py.detach(|| source.close())?;
        }
        Ok(())
    }

    /// Number of solutions given out.
    #[getter]
    fn given(&self) -> u64 {
        self.given
    }

    /// The figures of the search, when it has ended.
    #[getter]
    fn figures(&self) -> Option<Figures> {
        let (stopped, nodes, seconds) = values::figures(self.end.as_ref()?);
        // Solutions that were found may not have been read.
        let closed = self.closed.then(|| Stop::Closed.to_string());
        Some((closed.or(stopped), nodes, seconds))
    }
}

impl Solutions {
    /// The next piece; `None` at the end.
    fn next_piece(&mut self, py: Python<'_>) -> PyResult<Option<Vec<u8>>> {
        let Some(source) = &self.source else {
            return Ok(None);
        };
        if source.process != process::id() {
            return Err(PyRuntimeError::new_err(
                "the search of this iterator runs in the process from which this one was forked",
            ));
        }
        loop {
            match py.detach(|| source.ready.recv_timeout(TICK)) {
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Disconnected) => {
                    let rest = std::mem::take(&mut *lock(&source.rest));
                    if let Some(source) = self.source.take() {
                        self.end = py.detach(|| source.close())?;
                    }
                    return Ok(Some(rest).filter(|rest| !rest.is_empty()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    py.check_signals()?;
                    // Few solutions need not wait for more, unless batches are to be full.
                    if self.batch.is_none() {
                        let rest = std::mem::take(&mut *lock(&source.rest));
                        if !rest.is_empty() {
                            return Ok(Some(rest));
                        }
                    }
                }
            }
        }
    }
}

impl Drop for Solutions {
    fn drop(&mut self) {
        if let Some(source) = self.source.take() {
            // An error of a search that nobody reads is lost.
            let _ = Python::try_attach(|py| py.detach(|| source.close().map(drop)));
        }
    }
}

/// The solutions of a puzzle, one by one or in batches, in the order in which they are found.
#[pyfunction]
#[pyo3(signature = (puzzle, limit, batch, bounds))]
pub(crate) fn solutions(
    puzzle: &NativePuzzle,
    limit: Option<u64>,
    batch: Option<usize>,
    bounds: Bounds,
) -> PyResult<Solutions> {
    let (height, width) = (puzzle.0.height(), puzzle.0.width());
    let cells = height * width;
    let grids = batch.unwrap_or_else(|| (MAX_BYTES / cells).clamp(1, MAX_GRIDS));
    let size = grids
        .checked_mul(cells)
        .filter(|&size| grids > 0 && size <= isize::MAX as usize / 2);
    let size = size
        .ok_or_else(|| PyValueError::new_err("the batch is empty or larger than memory can be"))?;
    let (limits, interrupt) = bounds.limits();
    let source = Source::open(
        Arc::clone(&puzzle.0),
        bounds.threads(),
        limits.solutions(limit),
        interrupt,
        size,
    )?;
    Ok(Solutions {
        source: Some(source),
        piece: Vec::new(),
        read: 0,
        height,
        width,
        batch,
        given: 0,
        closed: false,
        end: None,
    })
}
