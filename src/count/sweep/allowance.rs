//! The limits of a sweep, and the reasons why it ends or pauses without a count.

use serde::{Deserialize, Serialize};

/// The direction in which the frontier moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "unstable", derive(Serialize, Deserialize))]
pub(crate) enum Direction {
    /// Row by row.
    Down,
    /// Column by column.
    Right,
}

/// The limits of a sweep, until it pauses.
#[derive(Clone, Copy)]
pub(crate) struct Allowance<'r> {
    /// Bytes of memory, including those that the sweep already holds.
    pub(crate) bytes: u64,
    /// Maximum nanoseconds of work, computed from the number of combinations of states that are read or generated.
    pub(crate) work_ns: u64,
    /// Number of threads of the current rayon pool that are used.
    pub(crate) threads: usize,
    pub(crate) stop: ShouldStop<'r>,
    pub(crate) make_room: MakeRoom<'r>,
    pub(crate) beside: Beside<'r>,
}

#[cfg(test)]
impl Allowance<'static> {
    /// An allowance on one thread, of a sweep that is never told to stop.
    pub(crate) fn of(bytes: u64, work_ns: u64) -> Self {
        Allowance {
            bytes,
            work_ns,
            threads: 1,
            stop: &|| false,
            make_room: &|_| (),
            beside: &|| 0,
        }
    }
}

/// Why a sweep ended without a count, or paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SweepEnd {
    /// It needs more memory than it may take: another try would fail as well.
    Full,
    /// It has used up its work, and can go on.
    Paused,
    /// It was told to stop.
    Stopped,
    /// A path count exceeded its integer type.
    Overflow,
}

/// Polled now and then; returns whether the sweep must stop.
pub(crate) type ShouldStop<'r> = &'r (dyn Fn() -> bool + Sync);

/// Called with the bytes that remain, whenever memory is charged. What else is held in the same memory can be freed then.
pub(crate) type MakeRoom<'r> = &'r (dyn Fn(u64) + Sync);

/// The bytes that something beside the sweep holds in the same memory now, and that the sweep cannot free: the graph, which other threads
/// may extend meanwhile.
pub(crate) type Beside<'r> = &'r (dyn Fn() -> u64 + Sync);
