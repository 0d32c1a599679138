//! The classic algorithms: published ways to solve a nonogram, one small file each. They serve as an introduction, as oracles for the
//! tests of the engine, and as baselines for its speed.
//!
//! Each follows its published description, with no optimisation beyond the original idea. They use only the [puzzle](crate::puzzle)
//! model and share no code with the engine. A [`Classic`] runs one of them and reports every step and every solution to a [`Observer`],
//! which says when to stop. Each module below describes one algorithm, or what two of them share ([`slide`], [`numbers`]): its idea, its
//! cost and its source.
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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use permutation_elimination::Needs;
pub use watch::{End, Flow, Observer};

use crate::error::{Error, Kind, Result};
use crate::puzzle::Puzzle;
use backtracking::Check;
use permutation_elimination::Tables;

/// A published algorithm.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Tries random grids with the right number of filled cells; ends with the first solution
    BruteForce,
    /// Tries all 2^cells grids
    Exhaustive,
    /// Combines all arrangements of all rows; checks the columns at the end
    Backtracking,
    /// The same, but checks the columns after each row
    BacktrackingPrefix,
    /// Finds the cells on which all arrangements of a line agree; then combines the remaining arrangements
    Deducing,
    /// Keeps a set of possible positions in the clue for each cell, reduced along both lines; then guesses
    SetBased,
    /// Fills whole lines depth first, those with the fewest arrangements first; backtracks when a line has none
    LineOrder,
    /// Stores arrangements as numbers and combines them with AND; then searches breadth first
    Bitwise,
    /// Lists all arrangements and removes those that contradict crossing lines; never guesses, so it may get stuck
    PermutationElimination,
}

impl Algorithm {
    /// All algorithms, the simplest first.
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

    /// The name on the command line.
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

    /// Whether it lists every solution, given enough time. The others may end [stuck](End::Stuck).
    pub fn is_complete(self) -> bool {
        !matches!(
            self,
            Algorithm::BruteForce | Algorithm::PermutationElimination
        )
    }

    /// Checks that it can represent this puzzle.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] when the puzzle has given cells, which no published algorithm knows, or when the algorithm represents lines as
    /// numbers and a line is too long.
    pub fn check(self, puzzle: &Puzzle) -> Result<()> {
        if puzzle.given().is_some() {
            let message = format!("{self} was published for puzzles without given cells");
            return Err(Error::new(Kind::Usage, message));
        }
        let longest = puzzle.width().max(puzzle.height());
        match self {
            Algorithm::Bitwise | Algorithm::PermutationElimination
                if longest > numbers::MAX_CELLS =>
            {
                let message = format!(
                    "{self} stores a line in {} bits, but this puzzle has a line of {longest} cells",
                    numbers::MAX_CELLS
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

/// Runs an algorithm on one puzzle or several.
///
/// Clones share the tables of arrangements of permutation elimination, which are kept between puzzles; so that algorithm runs on one
/// puzzle at a time.
#[derive(Clone, Debug)]
pub struct Classic {
    algorithm: Algorithm,
    seed: u64,
    tables: Arc<Mutex<Tables>>,
}

impl Classic {
    /// A runner of this algorithm.
    pub fn new(algorithm: Algorithm) -> Self {
        Classic {
            algorithm,
            seed: 1,
            tables: Arc::default(),
        }
    }

    /// Sets the seed of the random numbers, which only [`Algorithm::BruteForce`] uses. The same seed gives the same run.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The tables that permutation elimination has to build before it starts; `None` for other algorithms. If they do not fit `memory`
    /// bytes together with the tables kept for other puzzles, the kept ones are dropped.
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

    /// Bytes of the tables that are kept for other puzzles.
    pub fn kept(&self) -> u64 {
        self.tables().bytes() as u64
    }

    /// Runs the algorithm on a puzzle.
    ///
    /// # Panics
    ///
    /// When [`Algorithm::check`] fails for the puzzle.
    pub fn run(&self, puzzle: &Puzzle, watch: &mut dyn Observer) -> End {
        assert!(
            self.algorithm.check(puzzle).is_ok(),
            "the puzzle has too long lines for this algorithm"
        );
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
        // A table is inserted when it is complete, so a panic leaves no partial ones.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
