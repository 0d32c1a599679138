//! Runs of the engine: on threads of a pool, with the interpreter free for other threads, signals noticed, and progress reported.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, bounded};
use omnogram::Limits;
use omnogram::search::Snapshot;
use pyo3::prelude::*;

use crate::error;
use crate::pool::Lease;
use crate::values;

/// Time between two looks at signals, such as that of Ctrl-C.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The limits of a call: threads (0 means one per core), seconds, search tree nodes and bytes.
#[derive(FromPyObject)]
pub(crate) struct Bounds(usize, Option<f64>, Option<u64>, Option<u64>);

impl Bounds {
    pub(crate) fn threads(&self) -> usize {
        self.0
    }

    /// The limits for the engine, and the flag that stops a run under them.
    pub(crate) fn limits(&self) -> (Limits, Arc<AtomicBool>) {
        let &Bounds(_, seconds, nodes, memory) = self;
        let interrupt = Arc::new(AtomicBool::new(false));
        // A time that no Duration holds is no limit.
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let limits = Limits::default()
            .time(time)
            .nodes(nodes)
            .memory(memory)
            .interrupt(Arc::clone(&interrupt));
        (limits, interrupt)
    }
}

/// What a run is given: its limits, and where it leaves its progress.
pub(crate) struct Job {
    pub(crate) limits: Limits,
    snapshot: Arc<Mutex<Option<Snapshot>>>,
}

impl Job {
    /// The observer of the run.
    pub(crate) fn observer(&self) -> impl Fn(Snapshot) + Sync {
        |snapshot| *lock(&self.snapshot) = Some(snapshot)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on a pool and waits for its result, detached from the interpreter. A signal whose handler raises, or an exception in
/// `progress`, stops the run and is raised here.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    bounds: &Bounds,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Job) -> T + Send + 'static,
) -> PyResult<T> {
    let (limits, interrupt) = bounds.limits();
    let lease = Lease::new(py, bounds.threads())?;
    let snapshot = Arc::default();
    let job = Job {
        limits,
        snapshot: Arc::clone(&snapshot),
    };
    let (sender, receiver) = bounded(1);
    lease.pool().spawn(move || {
        // The receiver waits until this is sent.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&job))));
    });
    let mut reported = Instant::now();
    let mut tell = || {
        let Some(progress) = progress.filter(|_| reported.elapsed() >= REPORT_INTERVAL) else {
            return Ok(());
        };
        reported = Instant::now();
        match lock(&snapshot).take() {
            Some(snapshot) => progress.call1(values::progress(py, &snapshot)?).map(drop),
            None => Ok(()),
        }
    };
    let result = loop {
        match py.detach(|| receiver.recv_timeout(TICK)) {
            Ok(result) => break result,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the job sends before it ends"),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals().and_then(|()| tell()) {
                    stop(py, &interrupt, &receiver);
                    lease.give_back(py);
                    return Err(raised);
                }
            }
        }
    };
    lease.give_back(py);
    result.map_err(|panic| error::panic(&*panic))
}

/// Stops a run and waits for its end.
fn stop<T: Send>(py: Python<'_>, interrupt: &AtomicBool, receiver: &Receiver<T>) {
    // Relaxed: the flag publishes no other data.
    interrupt.store(true, Ordering::Relaxed);
    // The result of a run that was stopped by an exception is not used.
    py.detach(|| drop(receiver.recv()));
}
