//! What a run has come to.

use std::fmt;
use std::time::Duration;

use super::cube::Cube;
use crate::run::Statistics;
use crate::solutions::{Count, Stop};

/// How many solutions a run has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Total {
    /// All of them.
    Exactly(Count),
    /// The run was stopped; there may be more.
    AtLeast(Count),
}

impl Total {
    /// The number, exact or a lower bound.
    pub fn number(&self) -> &Count {
        match self {
            Total::Exactly(count) | Total::AtLeast(count) => count,
        }
    }

    /// Is it all of them?
    pub fn is_exact(&self) -> bool {
        matches!(self, Total::Exactly(_))
    }

    /// What it says about the puzzle.
    pub fn verdict(&self) -> Verdict {
        match (self, self.number().to_u64()) {
            (Total::Exactly(_), Some(0)) => Verdict::None,
            (Total::Exactly(_), Some(1)) => Verdict::Unique,
            (Total::AtLeast(_), Some(0 | 1)) => Verdict::Undecided,
            _ => Verdict::Multiple,
        }
    }
}

impl fmt::Display for Total {
    /// `6`, or `at least 6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Total::Exactly(count) => count.fmt(f),
            Total::AtLeast(count) => write!(f, "at least {count}"),
        }
    }
}

/// Has a puzzle none, one, or several solutions?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No solution.
    None,
    /// Exactly one.
    Unique,
    /// More than one.
    Multiple,
    /// The run was stopped before it could be told.
    Undecided,
}

impl fmt::Display for Verdict {
    /// One word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::None => "none",
            Verdict::Unique => "unique",
            Verdict::Multiple => "multiple",
            Verdict::Undecided => "undecided",
        })
    }
}

/// What a run has come to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The solutions that the sink took.
    pub solutions: Total,
    /// Why the run stopped, if it did.
    pub stopped: Option<Stop>,
    /// What stays open: together with what the sink took, everything, and nothing twice. It is empty where that cannot be said by
    /// cubes: after [`Stop::Limit`], [`Stop::Memory`] and [`Stop::Closed`], and when the run was stopped within a bundle.
    pub cubes: Vec<Cube>,
    /// What each of them is likely to hold of all that stays open: they add up to 1.
    pub shares: Vec<f64>,
    /// Share of the tree that is finished, as [`Snapshot::share`](crate::run::Snapshot::share) has it.
    pub done: f64,
    /// What was done.
    pub statistics: Statistics,
    /// Time that the run took.
    pub elapsed: Duration,
}

impl Outcome {
    /// Has everything been searched?
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none()
    }
}
