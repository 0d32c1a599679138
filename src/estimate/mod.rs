//! About how many solutions there are, where nobody can count them.
//!
//! Crews of random dives go through the tree, and in the mean a crew is worth exactly the number of solutions. What falls apart into
//! independent regions is estimated region by region and multiplied, so that the spread of one does not multiply that of another, and
//! a region that is small is counted. Before the first dive the backbone is taken out and a part of the time is given to an exact count
//! of each region. Where the first dives show that nearly all of them die, clause learning is asked about the way.
//!
//! The mean over crews that all had time to end is unbiased. A limit cuts off those that it finds on their way, which leaves the mean
//! over the others unbiased on one thread too, but for crews that would take longer than the whole run (Glynn and Heidelberger, "Bias
//! properties of budget constrained simulations", 1990); so crews are kept small beside the limits, and are as large as
//! that allows, for large ones spread less. How far the mean may be off is judged by how far the crews differ.

mod exact;
mod guide;
mod known;
mod particle;
mod plan;
mod population;
mod scaled;
mod spread;
mod steps;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::board::{Board, Clues, Probed, Prober, Region, split_unless};
use crate::line::{Word, by_width};
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Control, Limits, Statistics, shares};
use crate::search::Total;
use crate::solutions::{Count, Stop};
use exact::Exact;
use guide::Guide;
use plan::PopulationPlan;
use population::{Ending, ParticleFilter};
use spread::Populations;
use steps::Steps;

pub use scaled::Scaled;
pub use spread::Doubt;

/// Branches after which a region is no longer counted but estimated, and the share of all nodes, or of the time, after which it is too.
const BRANCHES: u64 = 2000;
const SHARE: u32 = 8;

/// The share of the time or of the nodes that goes into a solution and the backbone, and the share of the time that goes into counting
/// exactly. A sweep makes no nodes, so that a limit on nodes alone says nothing of what a count may take.
const BACKBONE: u32 = 8;
const COUNT: u32 = 4;

/// The dives of each of the two crews of a region that show whether dives die, and the share of dead ones that calls for help.
const SCOUTS: usize = 8;
const DYING: f64 = 0.75;

/// The share of dead dives above which the others are too few to speak for them.
const LOST: f64 = 0.9;

/// Crews for each region where there is no limit.
const CREWS: u64 = 100;

/// What the dives have come to.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// About how many solutions; `None` when the run was stopped before every region had a crew. Where there is a [`Doubt`], it is at
    /// least what is known for certain.
    pub number: Option<Scaled>,
    /// Standard error of the number, as a share of it; `None` with fewer than two crews, or when no solution was found. It allows for
    /// what a small number of crews may have missed, so that mostly the true number lies within two of them; but it is estimated itself, and
    /// where there is a [`Doubt`] it says nothing.
    pub standard_error: Option<f64>,
    /// Why neither the number nor its error is to be trusted, if so.
    pub doubt: Option<Doubt>,
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

impl Estimate {
    /// Nothing can be said yet.
    fn unknown(stopped: Option<Stop>, statistics: Statistics, elapsed: Duration) -> Self {
        Estimate {
            number: None,
            standard_error: None,
            doubt: Some(Doubt::Few),
            solutions: Total::AtLeast(Count::ZERO),
            dives: 0,
            dead_ends: 0,
            stopped,
            statistics,
            elapsed,
        }
    }
}

/// An estimate of the number of solutions of one puzzle.
///
/// ```
/// use omnogram::estimate::Estimator;
/// use omnogram::puzzle::{Clue, Puzzle};
///
/// let ones = vec![Clue::new([1]).unwrap(); 20];
/// let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
/// let estimate = Estimator::new(&puzzle).populations(4).run();
/// let factorial = 2_432_902_008_176_640_000.0;
/// let number = estimate.number.unwrap().to_f64();
/// assert!((number / factorial - 1.0).abs() < 0.2);
/// assert!(!estimate.solutions.is_exact());
/// ```
#[derive(Clone, Debug)]
pub struct Estimator<'a> {
    puzzle: &'a Puzzle,
    limits: Limits,
    populations: Option<u64>,
    seed: u64,
}

impl<'a> Estimator<'a> {
    /// Without limits of its own: it ends after a hundred crews for each region.
    ///
    /// It works on the threads of the rayon pool that it is run in.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Estimator {
            puzzle,
            limits: Limits::default(),
            populations: None,
            seed: 1,
        }
    }

    /// Within these limits on time, nodes and memory. A crew that is on its way when the time or the nodes are used up is lost. Where
    /// the memory is too little for a single dive, there is no estimate.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With this number of crews for each region.
    #[must_use]
    pub fn populations(mut self, populations: u64) -> Self {
        self.populations = Some(populations);
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
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.drive::<W>())
    }

    fn drive<W: Word>(&self) -> Estimate {
        let started = Instant::now();
        let control = Arc::new(Control::new(&self.limits, false));
        let clues = Clues::new(self.puzzle);
        let mut run = SharedRun {
            exact: Count::ONE,
            regions: Vec::new(),
            witness: known::goal(self.puzzle),
            random: Xoshiro256PlusPlus::seed_from_u64(self.seed),
            statistics: Statistics {
                nodes: 1,
                ..Statistics::default()
            },
        };
        // Every thread has a diver, which is nearly as large as a dive, and its crew.
        let room = self.limits.bytes() / ParticleFilter::<W>::bytes(&clues);
        let threads = (rayon::current_num_threads() as u64).min(room / 3);
        let mut board = (threads > 0).then(|| Board::<W>::new(&clues));
        let sums = self.puzzle.sums();
        let open = match &mut board {
            _ if sums.0 != sums.1 => {
                run.exact = Count::ZERO;
                true
            }
            None => {
                control.stop(Stop::Memory);
                false
            }
            Some(board) => {
                run.open(board, &control, &self.limits) && self.know(&mut run, board, &control)
            }
        };
        if !open {
            return Estimate::unknown(control.reason(), run.statistics, started.elapsed());
        }
        let most = (room / threads.max(1)).saturating_sub(1);
        for tally in &mut run.regions {
            tally.plan = PopulationPlan::new(tally.region.size(), most as usize, self.budgeted());
        }
        if let Some(board) = board.filter(|_| !run.regions.is_empty()) {
            let mut diver = ParticleFilter::new(board, || control.poll());
            // A crew that is led may have more dives for a while, by the number of cells of the longest line.
            let more = self.puzzle.width().max(self.puzzle.height());
            self.scout(
                &mut run,
                &mut diver,
                (most as usize).saturating_sub(more),
                &control,
            );
            let run = &Mutex::new(run);
            let work = Work {
                run,
                control: &control,
                started,
                threads,
            };
            match threads {
                1 => self.send(&work, diver),
                threads => rayon::in_place_scope(|scope| {
                    for _ in 0..threads {
                        let (work, diver) = (&work, diver.clone());
                        scope.spawn(move |_| self.send(work, diver));
                    }
                }),
            }
            let run = std::mem::take(&mut *lock(run));
            return run.sum_up(control.reason(), started.elapsed());
        }
        run.sum_up(control.reason(), started.elapsed())
    }

    /// Takes the backbone out and counts, as far as a part of the limits allows; `false` when the run is stopped.
    fn know<W: Word>(
        &self,
        run: &mut SharedRun<W>,
        board: &mut Board<'_, W>,
        control: &Arc<Control>,
    ) -> bool {
        if !self.budgeted() || run.regions.is_empty() {
            return true;
        }
        let time = |share: u32| self.limits.time.map(|time| time / share);
        let limits = known::part(&self.limits, time(BACKBONE), BACKBONE.into());
        if limits.nodes == Some(0) {
            return true;
        }
        let (found, outcome) = known::backbone(self.puzzle, board, &limits);
        let mut steps = Steps::new(control);
        let made = (0..outcome.statistics.nodes).all(|_| steps.node());
        run.statistics.nodes += steps.take_nodes();
        if !made {
            return false;
        }
        let Some(witness) = found else {
            (run.exact, run.regions) = (Count::ZERO, Vec::new());
            return true;
        };
        let hard = witness.is_none();
        run.witness = run.witness.take().or(witness);
        run.regions.clear();
        drop(steps);
        if !run.open(board, control, &self.limits) {
            return false;
        }
        // Where not even one solution was found, there is no hope that they are soon counted.
        let Some(time) = time(COUNT).filter(|_| !hard) else {
            return true;
        };
        let began = Instant::now();
        let mut regions = std::mem::take(&mut run.regions);
        regions.sort_by_key(|tally| tally.region.size());
        let mut left = regions.len() as u32;
        for mut tally in regions {
            let time = time.saturating_sub(began.elapsed()) / left;
            left -= 1;
            let limits = known::part(&self.limits, Some(time), 1);
            let witness = run.witness.as_deref();
            match known::count(self.puzzle, board, &tally.region, witness, &limits) {
                Total::Exactly(number) => {
                    run.exact *= &number;
                    // The others are easier to dive into when its cells are known.
                    if let Some(witness) = run.witness.as_deref() {
                        known::fill(board, &tally.region, witness);
                    }
                }
                Total::AtLeast(number) => {
                    tally.least = number;
                    run.regions.push(tally);
                }
            }
        }
        !control.poll()
    }

    /// Sends a dive from either side into each region, and small crews where one of the two dies, and decides where the others are led. What
    /// these are worth does not count, as the decision would make it biased.
    fn scout<W: Word>(
        &self,
        run: &mut SharedRun<W>,
        diver: &mut ParticleFilter<'_, W>,
        most: usize,
        control: &Control,
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!self.seed);
        let mut steps = Steps::new(control);
        for tally in run.regions.iter_mut().filter(|_| most > 0) {
            for size in [1, SCOUTS.min(most)] {
                let mut dead = 0;
                for upwards in [false, true] {
                    let population = diver.population(
                        &tally.region,
                        size,
                        upwards,
                        None,
                        &mut random,
                        &mut steps,
                    );
                    run.statistics.nodes += steps.take_nodes();
                    let Some(ending) = population else {
                        return;
                    };
                    dead += ending.dead;
                }
                tally.led = dead as f64 >= DYING * (2 * size) as f64;
                // Where both of the first two come through, no others are needed.
                if dead == 0 {
                    break;
                }
            }
            if tally.led {
                tally.plan.at_most(most);
            }
        }
    }

    /// Is it a limit that ends the run, so that crews have to fit it?
    fn budgeted(&self) -> bool {
        self.populations.is_none() && (self.limits.time.is_some() || self.limits.nodes.is_some())
    }

    /// What every thread does: one crew after the other, for the region that has had fewest.
    fn send<W: Word>(&self, work: &Work<'_, W>, mut diver: ParticleFilter<'_, W>) {
        let (run, control) = (work.run, work.control);
        let most = match self.budgeted() {
            true => u64::MAX,
            false => self.populations.unwrap_or(CREWS),
        };
        let memory = self.limits.bytes() / shares::SOLVER / work.threads;
        let witness = lock(run).witness.clone();
        let oracle = Arc::clone(control);
        let mut guide = Guide::new(self.puzzle, oracle, memory, witness.as_ref());
        let mut steps = Steps::new(control);
        loop {
            let (at, region, size, upwards, led, mut random) = {
                let mut run = lock(run);
                let sent = |at: &usize| run.regions[*at].sent;
                let open = (0..run.regions.len()).filter(|&at| run.regions[at].counted.is_none());
                let Some(at) = open.min_by_key(sent) else {
                    return;
                };
                let tally = &mut run.regions[at];
                if tally.sent >= most || steps.stop() {
                    return;
                }
                let upwards = tally.sent % 2 == 1;
                tally.sent += 1;
                let (region, size) = (tally.region.clone(), tally.plan.size());
                let led = tally.led;
                // Every crew has random numbers of its own, 2^128 away from those of the next.
                let random = run.random.clone();
                run.random.jump();
                (at, region, size, upwards, led, random)
            };
            let begun = Instant::now();
            let guide = led.then_some(&mut guide);
            let ending = diver.population(&region, size, upwards, guide, &mut random, &mut steps);
            let nodes = steps.take_nodes();
            let mut run = lock(run);
            run.statistics.nodes += nodes;
            let Some(ending) = ending else {
                return;
            };
            run.statistics.dead_ends += ending.dead;
            run.statistics.leaves += ending.alive;
            let regions = run.regions.len() as f64;
            let dives = self.affords(work, run.statistics.nodes, (nodes, begun.elapsed()));
            run.regions[at].plan.afford(dives * size as f64 / regions);
            run.regions[at].add(ending, size, upwards);
        }
    }

    /// How many more crews the limits allow for, if each takes the nodes and the time in `taken`; `nodes` have been used so far.
    fn affords<W: Word>(&self, work: &Work<'_, W>, nodes: u64, taken: (u64, Duration)) -> f64 {
        let nodes = self.limits.nodes.map(|limit| limit.saturating_sub(nodes));
        let nodes = nodes.map(|left| left as f64 / taken.0.max(1) as f64);
        let time = self.limits.time;
        let time = time.map(|limit| limit.saturating_sub(work.started.elapsed()));
        let time = time
            .map(|left| work.threads as f64 * left.as_secs_f64() / taken.1.as_secs_f64().max(1e-9));
        nodes
            .unwrap_or(f64::INFINITY)
            .min(time.unwrap_or(f64::INFINITY))
    }
}

/// What every thread is told.
struct Work<'a, W: Word> {
    run: &'a Mutex<SharedRun<W>>,
    control: &'a Arc<Control>,
    started: Instant,
    threads: u64,
}

/// What all threads share. The lock is taken twice for each crew, which takes milliseconds.
#[derive(Debug)]
struct SharedRun<W: Word> {
    /// Fillings of what was counted.
    exact: Count,
    regions: Vec<Tally<W>>,
    /// A solution, if one is at hand.
    witness: Option<Arc<Grid>>,
    random: Xoshiro256PlusPlus,
    statistics: Statistics,
}

fn lock<W: Word>(run: &Mutex<SharedRun<W>>) -> MutexGuard<'_, SharedRun<W>> {
    run.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the crews of one region have come to.
#[derive(Debug)]
struct Tally<W: Word> {
    region: Region<W>,
    plan: PopulationPlan,
    /// Crews sent.
    sent: u64,
    populations: Populations,
    seen: Option<Ending<W>>,
    /// Fillings that were counted: the lower bound, and the exact number where it is known.
    least: Count,
    counted: Option<u64>,
    /// Are its crews led by a guide?
    led: bool,
    /// Dives that found something, and dives that found nothing.
    alive: u64,
    dead: u64,
}

impl<W: Word> Tally<W> {
    fn new(region: Region<W>) -> Self {
        Tally {
            region,
            plan: PopulationPlan::default(),
            sent: 0,
            populations: Populations::default(),
            seen: None,
            least: Count::ZERO,
            counted: None,
            led: false,
            alive: 0,
            dead: 0,
        }
    }

    fn add(&mut self, ending: Ending<W>, size: usize, upwards: bool) {
        self.populations.add(size, ending.worth, upwards);
        self.alive += ending.alive;
        self.dead += ending.dead;
        if ending.exact {
            self.counted = Some(ending.seen);
        }
        match &mut self.seen {
            None => self.seen = Some(ending),
            Some(seen) => {
                seen.seen = seen.seen.max(ending.seen);
                if let Some(rows) = ending.witness {
                    seen.see(ending.seen, rows);
                }
            }
        }
    }

    /// Why the mean of its crews is not to be trusted, if so.
    fn doubt(&self) -> Option<Doubt> {
        // Where nearly all dives die, there may be many solutions that no dive has reached.
        let dying = self.dead as f64 > LOST * (self.alive + self.dead) as f64;
        self.populations.doubt().max(dying.then_some(Doubt::Dying))
    }
}

impl<W: Word> Default for SharedRun<W> {
    fn default() -> Self {
        SharedRun {
            exact: Count::ONE,
            regions: Vec::new(),
            witness: None,
            random: Xoshiro256PlusPlus::seed_from_u64(0),
            statistics: Statistics::default(),
        }
    }
}

impl<W: Word> SharedRun<W> {
    /// Propagates and probes the root, counts what is small, and notes the regions that are not; `false` when it was stopped before.
    fn open(&mut self, board: &mut Board<'_, W>, control: &Control, limits: &Limits) -> bool {
        let started = Instant::now();
        let mut steps = Steps::new(control);
        let late = || {
            let share = limits.time.map(|time| time / SHARE);
            share.is_some_and(|share| started.elapsed() > share)
        };
        let whole = Region::whole(board);
        let alive = match board.propagate_unless(|| steps.stop()) {
            None => return false,
            Some(false) => false,
            Some(true) => {
                let mut prober = Prober::default();
                match prober.probe(board, &whole, None, |_| steps.stop() || late()) {
                    Probed::Contradiction => false,
                    Probed::Stopped if steps.stop() => return false,
                    // What is not probed is searched all the same.
                    Probed::Stopped | Probed::Fixpoint(..) => true,
                }
            }
        };
        if !alive {
            self.exact = Count::ZERO;
            return true;
        }
        let mut exact = Exact::default();
        let Some(regions) = split_unless(board, &whole, || steps.stop()) else {
            return false;
        };
        let share = u64::from(SHARE) * regions.len().max(1) as u64;
        let most = limits.nodes.map_or(BRANCHES, |nodes| nodes / share);
        let most = most.min(BRANCHES);
        for region in regions {
            let number = match late() {
                true => None,
                false => exact.count(board, &region, most, &mut steps),
            };
            if steps.stop() {
                break;
            }
            match number {
                Some(number) => {
                    self.exact *= &Count::from(number);
                    exact.fill(board);
                }
                None => self.regions.push(Tally::new(region)),
            }
        }
        if self.exact.is_zero() {
            self.regions.clear();
        }
        self.statistics.nodes += steps.take_nodes();
        self.statistics.settles = board.settles();
        !steps.stop()
    }

    /// Multiplies what the regions came to.
    fn sum_up(self, stopped: Option<Stop>, elapsed: Duration) -> Estimate {
        let mut number = Some(Scaled::from(&self.exact));
        let mut spread = Some(1.0);
        let mut doubt = None;
        let mut known = self.exact;
        for tally in &self.regions {
            if let Some(counted) = tally.counted {
                let counted = Count::from(counted);
                number = number.map(|number| number * Scaled::from(&counted));
                known *= &counted;
                continue;
            }
            let mean = tally.populations.mean();
            number = number.zip(mean).map(|(number, mean)| number * mean);
            let one = tally.populations.spread();
            spread = spread.zip(one).map(|(all, one)| all * (1.0 + one));
            doubt = doubt.max(tally.doubt());
            let seen = tally.seen.as_ref().map_or(0, |seen| seen.seen);
            let seen = Count::from(seen.max(u64::from(self.witness.is_some())));
            known *= if seen < tally.least {
                &tally.least
            } else {
                &seen
            };
        }
        // What is proved is no less true where the dives have missed it.
        let least = Scaled::from(&known);
        number = number.map(|number| match doubt {
            Some(_) if number.log10() < least.log10() => least,
            _ => number,
        });
        // Of what was lost the spread says nothing.
        spread = spread.filter(|_| doubt != Some(Doubt::Dying));
        let spread = spread.map(|spread| spread - 1.0);
        if spread.is_some_and(spread::too_wide) {
            doubt = doubt.max(Some(Doubt::Heavy));
        }
        let Statistics {
            leaves, dead_ends, ..
        } = self.statistics;
        Estimate {
            number,
            standard_error: spread.map(f64::sqrt),
            doubt,
            solutions: match self.regions.iter().all(|tally| tally.counted.is_some()) {
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
