//! The reasons why a run stops early.

use std::fmt;

/// Why a run stopped before its answer was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u8)]
pub enum Stop {
    /// The limit on solutions was reached.
    Limit = 1,
    /// The time limit was reached.
    Time,
    /// The limit on nodes of the search tree was reached.
    Nodes,
    /// The data to be kept would exceed the memory limit.
    Memory,
    /// The user interrupted the run.
    Interrupt,
    /// The receiver of the solutions was closed.
    Closed,
    /// The algorithm cannot decide more cells. The search never ends like this, but some of the classic algorithms do.
    Stuck,
}

impl fmt::Display for Stop {
    /// One word, as in the output of `--json`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Limit => "limit",
            Stop::Time => "time",
            Stop::Nodes => "nodes",
            Stop::Memory => "memory",
            Stop::Interrupt => "interrupt",
            Stop::Closed => "closed",
            Stop::Stuck => "stuck",
        })
    }
}
