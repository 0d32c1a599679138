//! Pools of threads, kept from one call to the next because a thread takes longer to start than a small puzzle to solve.

use std::process;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error;

/// Most idle pools that are kept.
const MAX_IDLE: usize = 4;

/// The idle pools with the number of threads asked for, and the process that started them: threads do not survive a fork. It is locked only
/// by threads that are attached to the interpreter, so that no other thread holds the lock while Python forks.
static IDLE: Mutex<(u32, Vec<(usize, ThreadPool)>)> = Mutex::new((0, Vec::new()));

/// A pool that belongs to one call. Calls of different Python threads do not wait for each other, as each has a pool of its own.
pub(crate) struct Lease {
    threads: usize,
    pool: Option<ThreadPool>,
}

impl Lease {
    /// A pool with this number of threads; 0 means one per core.
    pub(crate) fn new(_attached: Python<'_>, threads: usize) -> PyResult<Self> {
        let idle = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let (owner, pools) = &mut *idle;
            if *owner != process::id() {
                *owner = process::id();
                // The threads of these pools are the parent's. Dropping a pool would wait for them.
                std::mem::take(pools).into_iter().for_each(std::mem::forget);
            }
            let found = pools.iter().position(|&(number, _)| number == threads);
            found.map(|at| pools.swap_remove(at).1)
        };
        let pool = match idle {
            Some(pool) => pool,
            None => build(threads)?,
        };
        Ok(Lease {
            threads,
            pool: Some(pool),
        })
    }

    pub(crate) fn pool(&self) -> &ThreadPool {
        self.pool.as_ref().expect("a lease has a pool")
    }

    /// Keeps the idle pool for the next call.
    pub(crate) fn give_back(mut self, _attached: Python<'_>) {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.0 == process::id()
            && idle.1.len() < MAX_IDLE
            && let Some(pool) = self.pool.take()
        {
            idle.1.push((self.threads, pool));
        }
    }
}

/// A new pool with this number of threads; 0 means one per core.
pub(crate) fn build(threads: usize) -> PyResult<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().map_err(|error| error::threads(&error))
}
