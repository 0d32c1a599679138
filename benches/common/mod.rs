//! What several benches need: puzzles of `puzzles/`, pools, and random numbers that are always the same.
#![allow(dead_code, reason = "each bench uses its share")]

#[path = "../../tests/common/corpus.rs"]
mod corpus;
#[path = "../../tests/common/random.rs"]
mod random;
#[path = "../../tests/common/threads.rs"]
mod threads;

use std::time::Duration;

use criterion::Criterion;
use omnogram::puzzle::Puzzle;

#[allow(unused_imports, reason = "each bench uses its share")]
pub(crate) use {random::Random, threads::pool};

/// A puzzle of `puzzles/`, by its path from there without the ending.
pub(crate) fn puzzle(name: &str) -> Puzzle {
    corpus::read(&format!("{name}.non"))
}

/// A few seconds for each, so that all benches together take a few minutes.
pub(crate) fn brief() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
}
