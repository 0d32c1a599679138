//! What a sweep may take, and why it gives up.

use serde::{Deserialize, Serialize};

use crate::count::scratch::Scratch;

/// Which way the frontier goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Direction {
    /// Row by row.
    Down,
    /// Column by column.
    Right,
}

/// What a sweep may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance<'s> {
    /// Bytes that it may hold.
    pub(crate) bytes: u64,
    /// Combinations of states that may be passed in all.
    pub(crate) passed: u64,
    /// Threads of the pool that it is run in.
    pub(crate) threads: usize,
    /// Where it goes on when its memory ends.
    pub(crate) scratch: Option<&'s Scratch>,
}

/// Why a sweep gave up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SweepEnd {
    /// It would take more memory than it may: no use in trying again.
    Full,
    /// It has passed as many combinations as it may. The number is an estimate of the combinations that the whole sweep would pass.
    Spent(f64),
    /// It was told to stop.
    Stopped,
    /// A number of ways grew too large for its word.
    Overflow,
    /// Its scratch could not be written or read.
    Scratch,
}

/// Asked every now and then: must the sweep stop?
pub(crate) type Stop<'s> = &'s (dyn Fn() -> bool + Sync);
