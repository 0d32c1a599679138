//! The classics: the published ways to solve a nonogram, one small file each, to learn from, to check the engine against, and to
//! measure how far the field has come.
//!
//! They come from a handful of well-loved write-ups and are told here anew, each as plainly as its author told it: none is made faster
//! than its idea. They stand on the [puzzle](crate::puzzle) alone and share nothing with the engine. A [`Classic`] runs one of them and
//! tells a [`Watch`] of every step and every solution; the watch says when to stop. Each module below tells one algorithm, or what two of
//! them share ([`slide`], [`numbers`]): its idea, its cost and its source.
//!
//! ```
//! use omnogram::classic::{Algorithm, Classic, End};
//! use omnogram::puzzle::{Clue, Puzzle};
//!
//! let one = || vec![Clue::new([1]).unwrap(); 3];
//! let puzzle = Puzzle::new(one(), one()).unwrap();
//! let mut grids = Vec::new();
//! assert_eq!(Classic::new(Algorithm::SetBased).run(&puzzle, &mut grids), End::Complete);
//! assert_eq!(grids.len(), 6);
//! ```

pub mod backtracking;
pub mod bitwise;
pub mod brute_force;
pub mod deducing;
pub mod exhaustive;
pub mod line_order;
pub mod numbers;
pub mod permutation_elimination;
mod rows;
pub mod set_based;
pub mod slide;
mod watch;

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use permutation_elimination::Needs;
pub use watch::{End, Flow, Watch};

use crate::error::{Error, Kind, Result};
use crate::puzzle::Puzzle;
use backtracking::Check;
use permutation_elimination::Tables;

/// Which of the published ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Random grids until one fits.
    BruteForce,
    /// All grids.
    Exhaustive,
    /// All combinations of row arrangements, columns checked at the end.
    Backtracking,
    /// The same, columns checked whenever a row is added.
    BacktrackingPrefix,
    /// What all arrangements of a line share, by turns, then all combinations of what is left.
    Deducing,
    /// Sets of positions within the clues, shrunk along lines and across.
    SetBased,
    /// Depth first over whole lines; a line that cannot be filled blames those that it crosses.
    LineOrder,
    /// Lines as numbers, AND, breadth-first over the rest.
    Bitwise,
    /// Lists of all arrangements, eliminated by what the crossing lists agree on.
    PermutationElimination,
}

impl Algorithm {
    /// All of them, from the plainest on.
    pub const ALL: [Algorithm; 9] = [
        Algorithm::BruteForce,
        Algorithm::Exhaustive,
        Algorithm::Backtracking,
        Algorithm::BacktrackingPrefix,
        Algorithm::Deducing,
        Algorithm::SetBased,
        Algorithm::LineOrder,
        Algorithm::Bitwise,
        Algorithm::PermutationElimination,
    ];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::BruteForce => "brute-force",
            Algorithm::Exhaustive => "exhaustive",
            Algorithm::Backtracking => "backtracking",
            Algorithm::BacktrackingPrefix => "backtracking-prefix",
            Algorithm::Deducing => "deducing",
            Algorithm::SetBased => "set-based",
            Algorithm::LineOrder => "line-order",
            Algorithm::Bitwise => "bitwise",
            Algorithm::PermutationElimination => "permutation-elimination",
        }
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Algorithm::BruteForce => {
                "random grids with the right number of filled cells until one fits; ends with that one"
            }
            Algorithm::Exhaustive => "all 2^cells grids",
            Algorithm::Backtracking => {
                "all arrangements of all rows combined, columns checked at the end"
            }
            Algorithm::BacktrackingPrefix => "the same, columns checked as rows are added",
            Algorithm::Deducing => {
                "what all arrangements of a line share, by turns; then all combinations of the rest"
            }
            Algorithm::SetBased => {
                "sets of positions in the clues for each cell, shrunk along lines and across; then guess"
            }
            Algorithm::LineOrder => {
                "whole lines depth first, fewest arrangements first; one that cannot be filled prunes its parent"
            }
            Algorithm::Bitwise => "lines as numbers, AND of what they can be; then breadth-first",
            Algorithm::PermutationElimination => {
                "lists of all arrangements, eliminated across; never guesses and may get stuck"
            }
        }
    }

    /// Does it list every solution, given the time? The others may end [stuck](End::Stuck).
    pub fn is_complete(self) -> bool {
        !matches!(
            self,
            Algorithm::BruteForce | Algorithm::PermutationElimination
        )
    }

    /// Can it hold this puzzle?
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] where it writes lines as numbers and one is too long.
    pub fn check(self, puzzle: &Puzzle) -> Result<()> {
        let longest = puzzle.width().max(puzzle.height());
        match self {
            Algorithm::Bitwise | Algorithm::PermutationElimination if longest > numbers::CELLS => {
                let message = format!(
                    "{self} writes lines as numbers of up to {} cells, and one has {longest}",
                    numbers::CELLS
                );
                Err(Error::new(Kind::Usage, message))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut all = Algorithm::ALL.into_iter();
        all.find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| Error::new(Kind::Usage, format!("no algorithm is called {name:?}")))
    }
}

/// Runs an algorithm on one puzzle or many.
///
/// Clones share what is worth keeping between puzzles: the arrangements that permutation elimination begins with, so that it runs on one
/// puzzle at a time.
#[derive(Clone, Debug)]
pub struct Classic {
    algorithm: Algorithm,
    seed: u64,
    tables: Arc<Mutex<Tables>>,
}

impl Classic {
    /// This algorithm.
    pub fn new(algorithm: Algorithm) -> Self {
        Classic {
            algorithm,
            seed: 1,
            tables: Arc::default(),
        }
    }

    /// With random numbers from this seed, which only [`Algorithm::BruteForce`] draws. The same seed gives the same run.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Which algorithm it is.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// What has to be listed before it can begin, if it is of that kind. What is kept of other puzzles is let go where there would
    /// not be enough memory with it.
    pub fn needs(&self, puzzle: &Puzzle, memory: Option<u64>) -> Option<Needs> {
        if self.algorithm != Algorithm::PermutationElimination {
            return None;
        }
        let mut tables = self.tables();
        let needs = tables.needs(puzzle);
        if memory.is_none_or(|memory| needs.bytes + needs.kept <= memory as f64) {
            return Some(needs);
        }
        *tables = Tables::default();
        Some(tables.needs(puzzle))
    }

    /// Bytes that are kept for other puzzles.
    pub fn kept(&self) -> u64 {
        self.tables().bytes() as u64
    }

    /// Runs it.
    ///
    /// # Panics
    ///
    /// When the algorithm cannot hold the puzzle, see [`Algorithm::check`].
    pub fn run(&self, puzzle: &Puzzle, watch: &mut dyn Watch) -> End {
        assert!(self.algorithm.check(puzzle).is_ok(), "lines too long");
        let flow = match self.algorithm {
            Algorithm::BruteForce => brute_force::run(puzzle, self.seed, watch),
            Algorithm::Exhaustive => exhaustive::run(puzzle, watch),
            Algorithm::Backtracking => backtracking::run(puzzle, Check::AtTheEnd, watch),
            Algorithm::BacktrackingPrefix => backtracking::run(puzzle, Check::EveryRow, watch),
            Algorithm::Deducing => deducing::run(puzzle, watch),
            Algorithm::SetBased => set_based::run(puzzle, watch),
            Algorithm::LineOrder => line_order::run(puzzle, watch),
            Algorithm::Bitwise => bitwise::run(puzzle, watch),
            Algorithm::PermutationElimination => {
                permutation_elimination::run(puzzle, &mut self.tables(), watch)
            }
        };
        match flow {
            Flow::Continue(end) => end,
            Flow::Break(()) => End::Stopped,
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // A table goes in when it is complete, so that a panic elsewhere leaves no torn ones.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
        }
        assert!("bruteforce".parse::<Algorithm>().is_err());
    }
}
