//! Checks of many puzzles, several at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam::channel::{RecvTimeoutError, unbounded};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::Outcome;
use omnogram::solutions::Stop;
use omnogram::{Limits, Search};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::answers::{Checked, checked, first_two};
use crate::error;
use crate::pool::Lease;
use crate::puzzle::NativePuzzle;
use crate::run::{Bounds, TICK};

/// Time limit of a puzzle that is checked on one thread. One that takes longer is checked again, alone on all threads.
const ALONE_TIME: Duration = Duration::from_secs(1);

/// What was found of a puzzle, or the message of a panic.
type Found = (usize, std::thread::Result<(Vec<Grid>, Outcome)>);

/// Checks puzzles, each within the limits. `done` is called with the index and the result of each, in the order in which they are finished.
#[pyfunction]
pub(crate) fn check_many<'py>(
    py: Python<'py>,
    puzzles: Vec<PyRef<'py, NativePuzzle>>,
    bounds: Bounds,
    done: Bound<'py, PyAny>,
) -> PyResult<()> {
    let puzzles: Vec<Arc<Puzzle>> = puzzles.iter().map(|puzzle| Arc::clone(&puzzle.0)).collect();
    let (limits, interrupt) = bounds.limits();
    let lease = Lease::new(py, bounds.threads())?;
    let (sender, results) = unbounded::<Found>();
    let flag = Arc::clone(&interrupt);
    lease.pool().spawn(move || {
        // Relaxed: the flag publishes no other data.
        let is_interrupted = || flag.load(Ordering::Relaxed);
        let send = |found| {
            // Without a receiver nobody waits for the results.
            let _ = sender.send(found);
        };
        let hard: Vec<usize> = (0..puzzles.len())
            .into_par_iter()
            .with_max_len(1)
            .filter(|_| !is_interrupted())
            .filter_map(|index| match easy(&puzzles[index], &limits) {
                Ok(None) => Some(index),
                Ok(Some(found)) => {
                    send((index, Ok(found)));
                    None
                }
                Err(panic) => {
                    send((index, Err(panic)));
                    None
                }
            })
            .collect();
        for index in hard.into_iter().take_while(|_| !is_interrupted()) {
            let search = || {
                first_two(
                    &Search::new(&puzzles[index]).limits(limits.clone()),
                    &puzzles[index],
                )
            };
            send((index, catch_unwind(AssertUnwindSafe(search))));
        }
    });
    let receive = || {
        loop {
            match py.detach(|| results.recv_timeout(TICK)) {
                Ok((index, found)) => {
                    let (grids, outcome) = found.map_err(|panic| error::panic(&*panic))?;
                    let result: Checked<'py> = checked(py, &grids, &outcome);
                    done.call1((index, result))?;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            py.check_signals()?;
        }
    };
    let result = receive();
    if result.is_err() {
        // Relaxed: the flag publishes no other data.
        interrupt.store(true, Ordering::Relaxed);
        py.detach(|| results.iter().for_each(drop));
    }
    lease.give_back(py);
    result
}

/// What is found on one thread; `None` if that takes too long.
fn easy(puzzle: &Puzzle, limits: &Limits) -> std::thread::Result<Option<(Vec<Grid>, Outcome)>> {
    let shorter = limits.time.is_none_or(|time| time > ALONE_TIME);
    let own = if shorter {
        limits.clone().time(ALONE_TIME)
    } else {
        limits.clone()
    };
    let memory = own
        .memory
        .map(|memory| memory / rayon::current_num_threads() as u64);
    let search = || {
        first_two(
            &Search::new(puzzle)
                .single_threaded()
                .limits(own.memory(memory)),
            puzzle,
        )
    };
    let (grids, outcome) = catch_unwind(AssertUnwindSafe(search))?;
    Ok(if shorter && outcome.stopped == Some(Stop::Time) {
        None
    } else {
        Some((grids, outcome))
    })
}
