//! Why a run ended early.

use std::fmt;

/// Why a run stopped before its answer was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stop {
    /// The limit on solutions was reached.
    Limit = 1,
    /// The time limit was reached.
    Time,
    /// The limit on nodes of the search tree was reached.
    Nodes,
    /// What has to be kept would exceed the memory limit.
    Memory,
    /// The user interrupted the run.
    Interrupt,
    /// The receiver of the solutions went away.
    Closed,
    /// The algorithm cannot decide more cells. The search never ends like this, but some of the [classics](crate::classic) do.
    Stuck,
}

impl fmt::Display for Stop {
    /// One word, as `--json` says it.
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
