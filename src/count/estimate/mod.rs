//! About how many solutions there are, where nobody can count them.
//!
//! Crews of random dives go down the tree, and in the mean a crew is worth exactly the number of solutions. What falls apart into
//! independent regions is estimated region by region and multiplied, so that the spread of one does not multiply that of another, and
//! a region that is small is counted.
//!
//! The mean is unbiased; how far it may be off is judged by how far the crews differ, and that is the weak point: where most solutions
//! lie behind choices that are hardly ever made, the crews agree with each other, and all of them are too low.

mod crew;
mod exact;
mod scaled;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::board::{Board, Clues, Probed, Prober, Region, split};
use crate::line::{Wide, Word};
use crate::puzzle::Puzzle;
use crate::search::{Control, Limits, Statistics, Total};
use crate::solutions::{Count, Stop};
use crew::{Diver, Ending};
use exact::Exact;

pub use scaled::Scaled;

/// Branches after which a region is no longer counted but estimated.
const BRANCHES: u64 = 2000;

/// Crews for each region where there is no limit.
const CREWS: u64 = 100;

/// Most dives of a crew, and most unknown cells of all of them: many dives together find solutions that are rare, but where each takes
/// long, there must be several crews to compare.
const DIVES: usize = 512;
const CELLS: usize = 250_000;

/// What the dives have come to.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// About how many solutions; `None` when the run was stopped before every region had a crew.
    pub number: Option<Scaled>,
    /// Standard error of the number, as a share of it; `None` with fewer than two crews, or when no solution was found. It is estimated
    /// itself, and mostly too low where it is not small.
    pub standard_error: Option<f64>,
    /// What is known for certain: exactly how many, where no dive was needed, or how many were seen.
    pub solutions: Total,
    /// Dives that were finished.
    pub dives: u64,
    /// Dives that ended without a solution.
    pub dead_ends: u64,
    /// Why the run stopped, if not of itself.
    pub stopped: Option<Stop>,
    /// What was done: nodes, dead ends and leaves of the dives.
    pub statistics: Statistics,
    /// Time that the run took.
    pub elapsed: Duration,
}

/// An estimate of the number of solutions of one puzzle.
///
/// ```
/// use omnogram::count::Estimating;
/// use omnogram::puzzle::{Clue, Puzzle};
///
/// let ones = vec![Clue::new([1]).unwrap(); 20];
/// let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
/// let estimate = Estimating::new(&puzzle).crews(4).run();
/// let factorial = 2_432_902_008_176_640_000.0;
/// let number = estimate.number.unwrap().to_f64();
/// assert!((number / factorial - 1.0).abs() < 0.2);
/// assert!(!estimate.solutions.is_exact());
/// ```
#[derive(Clone, Debug)]
pub struct Estimating<'a> {
    puzzle: &'a Puzzle,
    limits: Limits,
    crews: Option<u64>,
    seed: u64,
}

impl<'a> Estimating<'a> {
    /// Without limits of its own: it ends after a hundred crews for each region.
    ///
    /// It works on the threads of the rayon pool that it is run in.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Estimating {
            puzzle,
            limits: Limits::default(),
            crews: None,
            seed: 1,
        }
    }

    /// Within these limits on time and nodes. A crew that has begun when the nodes are used up is finished; one that is on its way
    /// when the time is up is lost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With so many crews for each region.
    #[must_use]
    pub fn crews(mut self, crews: u64) -> Self {
        self.crews = Some(crews);
        self
    }

    /// With random numbers from this seed: on one thread, the same numbers give the same estimate, unless time stops it.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sends crew after crew until a limit strikes.
    pub fn run(&self) -> Estimate {
        match self.puzzle.width().max(self.puzzle.height()) {
            0..=64 => self.drive::<u64>(),
            65..=128 => self.drive::<u128>(),
            129..=512 => self.drive::<Wide<8>>(),
            _ => self.drive::<Wide<64>>(),
        }
    }

    fn drive<W: Word>(&self) -> Estimate {
        let started = Instant::now();
        let control = Control::new(&self.limits, false);
        let clues = Clues::new(self.puzzle);
        let mut run = Run {
            exact: Count::ONE,
            regions: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(self.seed),
            statistics: Statistics {
                nodes: 1,
                ..Statistics::default()
            },
        };
        let sums = self.puzzle.sums();
        let mut board = Board::<W>::new(&clues);
        if sums.0 != sums.1 {
            run.exact = Count::ZERO;
        } else if !run.open(&mut board, &control) {
            // Nothing can be said yet.
            return Estimate {
                number: None,
                standard_error: None,
                solutions: Total::AtLeast(Count::ZERO),
                dives: 0,
                dead_ends: 0,
                stopped: control.reason(),
                statistics: run.statistics,
                elapsed: started.elapsed(),
            };
        }
        let run = Mutex::new(run);
        if !lock(&run).regions.is_empty() {
            let diver = Diver::new(board, || {
                control.look();
                control.stopped()
            });
            match rayon::current_num_threads() {
                1 => self.send(&run, diver, &control),
                threads => rayon::in_place_scope(|scope| {
                    for _ in 0..threads {
                        let (run, control, diver) = (&run, &control, diver.clone());
                        scope.spawn(move |_| self.send(run, diver, control));
                    }
                }),
            }
        }
        let run = run.into_inner().unwrap_or_else(PoisonError::into_inner);
        run.sum_up(control.reason(), started.elapsed())
    }

    /// What every thread does: one crew after the other, for the region that has had fewest.
    fn send<W: Word>(&self, run: &Mutex<Run<W>>, mut diver: Diver<'_, W>, control: &Control) {
        let endless = self.limits.time.is_some() || self.limits.nodes.is_some();
        let most = self.crews.unwrap_or(if endless { u64::MAX } else { CREWS });
        // A crew is finished when the nodes are used up: else those that take few would count too much.
        let stop = || {
            control.look();
            control.stopped() && control.reason() != Some(Stop::Nodes)
        };
        loop {
            let (at, region, mut random) = {
                let mut run = lock(run);
                let sent = |at: &usize| run.regions[*at].sent;
                let Some(at) = (0..run.regions.len()).min_by_key(sent) else {
                    return;
                };
                if run.regions[at].sent >= most || control.reason().is_some() || stop() {
                    return;
                }
                run.regions[at].sent += 1;
                // Every crew has random numbers of its own, 2^128 away from those of the next.
                let random = run.random.clone();
                run.random.jump();
                (at, run.regions[at].region.clone(), random)
            };
            let size = (CELLS / region.size().max(1)).clamp(8, DIVES);
            let Some(ending) = diver.crew(&region, size, &mut random, stop) else {
                return;
            };
            let mut run = lock(run);
            run.statistics.nodes += ending.nodes;
            run.statistics.dead_ends += ending.dead;
            run.statistics.leaves += size as u64 - ending.dead;
            run.regions[at].add(ending);
            if self
                .limits
                .nodes
                .is_some_and(|nodes| run.statistics.nodes >= nodes)
            {
                control.stop(Stop::Nodes);
            }
        }
    }
}

/// What all threads share. The lock is taken twice for each crew, which takes milliseconds.
#[derive(Debug)]
struct Run<W: Word> {
    /// Fillings of what was counted.
    exact: Count,
    regions: Vec<Tally<W>>,
    random: Xoshiro256PlusPlus,
    statistics: Statistics,
}

fn lock<W: Word>(run: &Mutex<Run<W>>) -> MutexGuard<'_, Run<W>> {
    run.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the crews of one region have come to.
#[derive(Debug)]
struct Tally<W: Word> {
    region: Region<W>,
    /// Crews sent, and those that have come back.
    sent: u64,
    crews: u64,
    sum: Scaled,
    squares: Scaled,
    seen: Option<Ending<W>>,
}

impl<W: Word> Tally<W> {
    fn new(region: Region<W>) -> Self {
        Tally {
            region,
            sent: 0,
            crews: 0,
            sum: Scaled::ZERO,
            squares: Scaled::ZERO,
            seen: None,
        }
    }

    fn add(&mut self, ending: Ending<W>) {
        self.crews += 1;
        self.sum = self.sum + ending.worth;
        self.squares = self.squares + ending.worth * ending.worth;
        match &mut self.seen {
            None => self.seen = Some(ending),
            Some(seen) => {
                if let Some(rows) = ending.witness {
                    seen.see(ending.seen, rows);
                }
            }
        }
    }

    /// Square of the standard error of the mean, as a share of the square of the mean.
    fn spread(&self) -> Option<f64> {
        if self.crews < 2 || self.sum.is_zero() {
            return None;
        }
        let crews = self.crews as f64;
        let ratio = (self.squares * Scaled::from(crews) / (self.sum * self.sum)).to_f64();
        // Less than this is rounding.
        Some((ratio - 1.0) / (crews - 1.0)).map(|spread| if spread < 1e-14 { 0.0 } else { spread })
    }
}

impl<W: Word> Run<W> {
    /// Propagates and probes the root, counts what is small, and notes the regions that are not; `false` when it was stopped before.
    fn open(&mut self, board: &mut Board<'_, W>, control: &Control) -> bool {
        let stop = || {
            control.look();
            control.stopped()
        };
        let whole = Region::whole(board);
        let alive = match board.propagate_unless(stop) {
            None => return false,
            Some(false) => false,
            Some(true) => match Prober::default().probe(board, &whole, None, |_| stop()) {
                Probed::Contradiction => false,
                Probed::Stopped => return false,
                Probed::Fixpoint(..) => true,
            },
        };
        if !alive {
            self.exact = Count::ZERO;
            return true;
        }
        let mut exact = Exact::new();
        for region in split(board, &whole) {
            if stop() {
                return false;
            }
            match exact.count(board, &region, BRANCHES) {
                Some(number) => self.exact *= &Count::from(number),
                None => self.regions.push(Tally::new(region)),
            }
        }
        if self.exact.is_zero() {
            self.regions.clear();
        }
        self.statistics.nodes += exact.take_nodes();
        self.statistics.settles = board.settles();
        true
    }

    /// Multiplies what the regions came to.
    fn sum_up(self, stopped: Option<Stop>, elapsed: Duration) -> Estimate {
        let mut number = Some(Scaled::from(&self.exact));
        let mut spread = Some(1.0);
        let mut known = self.exact;
        for tally in &self.regions {
            let mean = (tally.crews > 0).then(|| tally.sum / Scaled::from(tally.crews as f64));
            number = number.zip(mean).map(|(number, mean)| number * mean);
            spread = spread
                .zip(tally.spread())
                .map(|(all, one)| all * (1.0 + one));
            known *= &Count::from(tally.seen.as_ref().map_or(0, |seen| seen.seen));
        }
        let Statistics {
            leaves, dead_ends, ..
        } = self.statistics;
        Estimate {
            number,
            standard_error: spread.map(|spread| (spread - 1.0).sqrt()),
            solutions: match self.regions.is_empty() {
                true => Total::Exactly(known),
                false => Total::AtLeast(known),
            },
            dives: leaves + dead_ends,
            dead_ends,
            stopped,
            statistics: self.statistics,
            elapsed,
        }
    }
}
