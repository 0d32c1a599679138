//! Pools of so many threads.

use rayon::{ThreadPool, ThreadPoolBuilder};

pub(crate) fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads")
}

/// Runs `work` in a pool of so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    pool(threads).install(work)
}
