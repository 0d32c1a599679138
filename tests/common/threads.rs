//! Thread pools of a given size, for tests and benchmarks.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool with this number of threads.
pub(crate) fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads")
}

/// Runs `work` in a pool with this number of threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    pool(threads).install(work)
}
