//! What several benches need: puzzles of `puzzles/`, pools, and random numbers that are always the same.
#![allow(dead_code, reason = "each bench uses its share")]

use std::path::Path;
use std::time::Duration;

use criterion::Criterion;
use omnogram::format;
use omnogram::puzzle::Puzzle;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A puzzle of `puzzles/`, by its path from there without the ending.
pub(crate) fn puzzle(name: &str) -> Puzzle {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("puzzles");
    let bytes = std::fs::read(folder.join(format!("{name}.non"))).expect("a file");
    let entry = format::read(&bytes, name).swap_remove(0);
    entry.puzzle.expect("a puzzle")
}

/// A pool of so many threads.
pub(crate) fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads")
}

/// A few seconds for each, so that all benches together take a few minutes.
pub(crate) fn brief() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
}

/// Splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// True one time in `n`.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }
}
