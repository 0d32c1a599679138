//! The outcome of a run.

use std::fmt;
use std::time::Duration;

use super::cube::Cube;
use crate::run::Statistics;
use crate::solutions::{Count, Stop};

/// The number of solutions that a run has found. There are no other cases, so a `match` needs no `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Total {
    /// The number of all solutions.
    Exactly(Count),
    /// The run was stopped; there may be more.
    AtLeast(Count),
}

impl Total {
    /// The total of a run that found this number of solutions, and was stopped for this reason, if it was.
    pub(crate) fn of(count: Count, stopped: Option<Stop>) -> Self {
        match stopped {
            None => Total::Exactly(count),
            Some(_) => Total::AtLeast(count),
        }
    }

    /// The number, exact or a lower bound.
    pub fn number(&self) -> &Count {
        match self {
            Total::Exactly(count) | Total::AtLeast(count) => count,
        }
    }

    /// Whether it is the number of all solutions.
    pub fn is_exact(&self) -> bool {
        matches!(self, Total::Exactly(_))
    }

    /// The verdict on the puzzle.
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

/// Whether a puzzle has no, one, or several solutions. There are no other cases, so a `match` needs no `_`.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No solution.
    None,
    /// Exactly one.
    Unique,
    /// More than one.
    Multiple,
    /// The run was stopped before this was decided.
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

/// The result of a run.
///
/// With the feature `serde` it is serialized as the command prints it with `--json`; the cubes are left out.
///
/// ```
/// use omnogram::{Puzzle, Search};
///
/// let puzzle = Puzzle::from_clues(&[[1], [1]], &[[1], [1]])?;
/// let outcome = Search::new(&puzzle).count();
/// # #[cfg(feature = "serde")]
/// # {
/// let text = serde_json::to_string(&outcome)?;
/// assert!(text.starts_with(r#"{"verdict":"multiple","solutions":"2","exact":true,"stopped":null,"nodes":"#));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The solutions that the sink took.
    pub solutions: Total,
    /// Why the run stopped, if it did.
    pub stopped: Option<Stop>,
    /// The cubes still open: their solutions and those that the sink took are disjoint, and together all solutions. Empty where cubes
    /// cannot express that: after [`Stop::Limit`], [`Stop::Memory`] and [`Stop::Closed`], when the run was stopped within a bundle, when
    /// the SAT solver has taken part, and when a solution was known before.
    pub cubes: Vec<Cube>,
    /// For each of the cubes, its estimated share of the open work. The shares add up to 1.
    pub shares: Vec<f64>,
    /// Finished share of the tree, from 0 to 1, as in [`Snapshot::share`](crate::run::Snapshot::share).
    pub done: f64,
    /// Counters of the work done.
    pub statistics: Statistics,
    /// Duration of the run.
    pub elapsed: Duration,
}

impl Outcome {
    /// Whether the run was not stopped, so that the answer is complete.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none()
    }
}
