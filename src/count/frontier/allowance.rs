//! The limits of a sweep, and the reasons why it ends without a count.

use serde::{Deserialize, Serialize};

use crate::count::scratch::Scratch;

/// The direction in which the frontier moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) enum Direction {
    /// Row by row.
    Down,
    /// Column by column.
    Right,
}

/// The limits of a sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance<'s> {
    /// Bytes of memory.
    pub(crate) bytes: u64,
    /// Maximum nanoseconds of work, computed from the number of combinations of states that are read or generated.
    pub(crate) work_ns: u64,
    /// Whether a sweep that seems close to its end may exceed this work.
    pub(crate) may_exceed: bool,
    /// Number of threads of the current rayon pool that are used.
    pub(crate) threads: usize,
    /// The folder for what exceeds the memory.
    pub(crate) scratch: Option<&'s Scratch>,
}

/// Why a sweep ended without a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SweepEnd {
    /// It needs more memory than it may take: another try would fail as well.
    Full,
    /// It has used up its work. The number is a forecast of the nanoseconds of work of the whole sweep.
    Spent(f64),
    /// It was told to stop.
    Stopped,
    /// A path count exceeded its integer type.
    Overflow,
    /// A scratch file could not be written or read.
    Scratch,
}

/// Polled now and then; returns whether the sweep must stop.
pub(crate) type ShouldStop<'s> = &'s (dyn Fn() -> bool + Sync);
