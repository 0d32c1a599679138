//! The workloads of `bench`: puzzles with known answers, so that only runs with the right answer give figures.

use std::fmt;
use std::time::Instant;

use clap::ValueEnum;
use omnogram::format;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::{Limits, Options, Search, Statistics};
use omnogram::solutions::{Count, CountSink, Stop};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;

use super::super::interrupt::Interrupt;

/// The workloads by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Name {
    /// Count the 3,628,800 solutions of the 10x10 permutation puzzle, one leaf each
    Permutation,
    /// Count the 1,389,820 solutions of a picture of 48x40 cells: branching, regions and dead ends of all sizes
    Ambiguous,
    /// Prove that a puzzle of 20x20 cells has one solution: a small tree with expensive nodes
    Hard,
    /// Check 1,000 random puzzles of 25x25 cells for a second solution, one puzzle per thread
    Batch,
}

impl fmt::Display for Name {
    /// The name on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value().expect("no name is hidden");
        f.pad(value.get_name())
    }
}

/// The puzzles of a workload, and their known answer.
#[derive(Debug)]
pub(super) struct Workload {
    pub(super) name: Name,
    pub(super) quick: bool,
    pub(super) puzzles: Vec<Puzzle>,
    /// Most solutions searched for in each puzzle.
    max_solutions: Option<u64>,
    /// The solutions of all puzzles together, each counted up to `max_solutions`: every run must find this number.
    pub(super) solutions: Count,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement {
    pub(super) seconds: f64,
    pub(super) statistics: Statistics,
}

/// Why a run gives no figures.
#[derive(Debug)]
pub(super) enum RunError {
    /// By an interrupt, or at the deadline.
    Stopped(Stop),
    /// The number of solutions found, which differs from the known one.
    Wrong(Count),
}

/// The puzzles of a file that is compiled into the program.
macro_rules! bundled {
    ($file:literal) => {
        bundled(include_bytes!(concat!("../../../puzzles/", $file)), $file)
    };
}

fn bundled(bytes: &[u8], file: &str) -> Vec<Puzzle> {
    let entries = format::read(bytes, file).into_iter();
    entries
        .map(|entry| entry.puzzle.expect("the tests read all bundled puzzles"))
        .collect()
}

impl Workload {
    /// The workload of this name; `quick`: a smaller one of the same kind.
    pub(super) fn new(name: Name, quick: bool) -> Self {
        let (puzzles, max_solutions, solutions) = match (name, quick) {
            (Name::Permutation, false) => {
                (bundled!("families/permutation-10.non"), None, 3_628_800)
            }
            (Name::Permutation, true) => (bundled!("families/permutation-9.non"), None, 362_880),
            (Name::Ambiguous, false) => (bundled!("bench/ambiguous.non"), None, 1_389_820),
            (Name::Ambiguous, true) => (bundled!("bench/ambiguous-quick.non"), None, 161_964),
            (Name::Hard, false) => (bundled!("bench/hard.non"), None, 1),
            (Name::Hard, true) => (bundled!("bench/hard-quick.non"), None, 1),
            // 71 of them have one solution, and 22 of the first 300.
            (Name::Batch, false) => (random_puzzles(1000), Some(2), 1000 + 929),
            (Name::Batch, true) => (random_puzzles(300), Some(2), 300 + 278),
        };
        Workload {
            name,
            quick,
            puzzles,
            max_solutions,
            solutions: Count::from(solutions),
        }
    }

    /// Runs the workload once, with the plain tree search, on the threads of the current pool, until the deadline. Several puzzles are
    /// searched in parallel, each on one thread.
    pub(super) fn run(
        &self,
        interrupt: &Interrupt,
        deadline: Option<Instant>,
    ) -> Result<Measurement, RunError> {
        let started = Instant::now();
        let limits = Limits::default()
            .solutions(self.max_solutions)
            .interrupt(interrupt.flag());
        let options = Options {
            subproblem_cache: false,
            ..Options::default()
        };
        let puzzles = self.puzzles.par_iter().with_max_len(1);
        let outcomes = puzzles.map(|puzzle| {
            let now = Instant::now();
            let time = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if time.is_some_and(|time| time.is_zero()) {
                return None;
            }
            let limits = limits.clone().time(time);
            let search = Search::new(puzzle).limits(limits).options(options.clone());
            Some(match self.puzzles.len() {
                1 => search.run(&CountSink::new()),
                _ => search.single_threaded().run(&CountSink::new()),
            })
        });
        let outcomes: Option<Vec<_>> = outcomes.collect();
        let seconds = started.elapsed().as_secs_f64();
        let mut solutions = Count::ZERO;
        let mut statistics = Statistics::default();
        for outcome in outcomes.ok_or(RunError::Stopped(Stop::Time))? {
            if let Some(stop @ (Stop::Interrupt | Stop::Time)) = outcome.stopped {
                return Err(RunError::Stopped(stop));
            }
            solutions += outcome.solutions.number();
            statistics.add(&outcome.statistics);
        }
        if solutions != self.solutions {
            return Err(RunError::Wrong(solutions));
        }
        Ok(Measurement {
            seconds,
            statistics,
        })
    }
}

/// Random puzzles of 25x25 cells, each cell filled with probability 1/2, from the seeds 0, 1, 2 and so on: those that `scripts/random`
/// writes.
fn random_puzzles(number: u64) -> Vec<Puzzle> {
    let grids = (0..number).map(random_grid);
    grids.map(|grid| Puzzle::from_grid(&grid)).collect()
}

fn random_grid(seed: u64) -> Grid {
    const SIDE: usize = 25;
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut grid = Grid::new(SIDE, SIDE);
    for cell in 0..SIDE * SIDE {
        grid.set(cell / SIDE, cell % SIDE, random.next_u64() < 1 << 63);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected clues are the output of `scripts/random 25 25 0.5 1`.
    #[test]
    fn random_puzzles_are_those_of_the_script() {
        let puzzle = &random_puzzles(2)[1];
        let clue = |lengths: &[usize]| omnogram::puzzle::Clue::new(lengths.iter().copied());
        assert_eq!(puzzle.rows()[0], clue(&[2, 1, 1, 1, 2, 5]).unwrap());
        assert_eq!(puzzle.columns()[24], clue(&[1, 5, 1, 1, 1, 1, 2]).unwrap());
    }

    #[test]
    fn quick_workloads_find_their_known_answers() {
        for &name in Name::value_variants() {
            let workload = Workload::new(name, true);
            let run = workload.run(&Interrupt::default(), None);
            assert!(run.is_ok_and(|run| run.statistics.nodes > 0), "{name}");
        }
    }

    #[test]
    fn a_wrong_answer_gives_no_figure() {
        let mut workload = Workload::new(Name::Permutation, true);
        workload.solutions = Count::from(362_881);
        let run = workload.run(&Interrupt::default(), None);
        assert!(matches!(run, Err(RunError::Wrong(found)) if found == Count::from(362_880)));
    }
}
