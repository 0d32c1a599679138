//! Estimates of the number of solutions, where exact counting is out of reach.
//!
//! Populations of particles (random descents through the search tree) are sampled; the expected value of a population is exactly the number
//! of solutions. Independent regions are estimated separately and multiplied, so that their variances do not multiply, and small regions
//! are counted exactly. Before the first particle the backbone is computed, and a share of the time is given to an exact count of each
//! region. If the first particles show that nearly all of them die, the oracle guides the others.
//!
//! If all populations have time to finish, their mean is unbiased. If a limit cuts off unfinished ones, the mean over the others is still
//! unbiased on one thread, except for populations that would take longer than the whole run (Glynn and Heidelberger, "Bias properties of
//! budget constrained simulations", 1990). So each must cost little compared with the limits; within this bound, populations are as large
//! as possible, because large ones have less variance. The error of the mean is estimated from the differences between populations.

mod budget;
mod exact;
mod guide;
mod known;
mod particle;
mod plan;
mod population;
mod scaled;
mod spread;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::board::{Board, Clues, NodeProbeResult, Prober, Region, between_settles, split_unless};
use crate::line::{Word, by_width};
use crate::puzzle::{Grid, Puzzle};
use crate::run::{Control, Instant, Limits, Statistics, lock, memory_plan};
use crate::search::Total;
use crate::solutions::{Count, Stop};
use budget::Budget;
use exact::ExactCounter;
use guide::Guide;
use plan::PopulationPlan;
use population::{ParticleFilter, PopulationResult, ProvedFillings};
use spread::Populations;

pub use scaled::Scaled;
pub use spread::Doubt;

/// Maximum branches of the exact count of a small region. All such counts together may take the limits on nodes and time divided by
/// `EXACT_DIVISOR`.
const MAX_BRANCHES: u64 = 2000;
const EXACT_DIVISOR: u32 = 8;

/// A solution and the backbone may take the time limit divided by `BACKBONE_TIME_DIVISOR` and the node limit divided by `BACKBONE_DIVISOR`,
/// because most particles die among cells that the backbone decides. The exact count of the regions may take the time limit divided by
/// `COUNT_DIVISOR`; it is left out without a time limit, for a frontier sweep visits no nodes, so that a limit on nodes does not bound it.
const BACKBONE_TIME_DIVISOR: u32 = 3;
const BACKBONE_DIVISOR: u64 = 8;
const COUNT_DIVISOR: u32 = 4;

/// Size of each of the two pilot populations of a region, and the minimum share of dead particles for which the region is guided.
const PILOT_PARTICLES: usize = 8;
const MIN_GUIDED_DEATH_RATE: f64 = 0.75;

/// Maximum share of dead particles; above it, the living ones are too few to be representative.
const MAX_DEATH_RATE: f64 = 0.9;

/// Populations per region if there is no limit.
const DEFAULT_POPULATIONS: u64 = 100;

/// The result of an estimate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Estimate {
    /// Estimated number of solutions, with a [`Doubt`] at least the proved bound; `None` if a region had no population before a stop.
    pub number: Option<Scaled>,
    /// Relative standard error of the number; `None` with fewer than two populations, or if no solution was found. It allows for what a
    /// small number of populations may have missed, so that the true number mostly lies within two standard errors; but it is an estimate
    /// too, and means nothing if there is a [`Doubt`].
    pub standard_error: Option<f64>,
    /// Why the number and its error are not to be trusted; `None` if they are.
    pub doubt: Option<Doubt>,
    /// What is proved: the exact number, if no sampling was needed, or a lower bound from the solutions seen.
    pub solutions: Total,
    /// Number of finished particles.
    pub particles: u64,
    /// Number of particles that ended without a solution.
    pub dead_ends: u64,
    /// Why the run stopped early; `None` if it finished.
    pub stopped: Option<Stop>,
    /// Nodes, dead ends and leaves of the particles.
    pub statistics: Statistics,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Time of the run.
    pub elapsed: Duration,
}

impl Estimate {
    /// The share of particles that ended without a solution, from 0 to 1.
    pub fn dead_end_share(&self) -> f64 {
        self.dead_ends as f64 / self.particles.max(1) as f64
    }
}

/// Estimates the number of solutions of one puzzle.
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
    /// An estimator without limits: it ends after a hundred populations per region.
    ///
    /// It uses the threads of the current rayon pool.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Estimator {
            puzzle,
            limits: Limits::default(),
            populations: None,
            seed: 1,
        }
    }

    /// Sets limits on time, nodes and memory. An unfinished population is discarded when the time or the nodes are used up. If the memory
    /// does not suffice for one particle, there is no estimate. A limit on solutions has no effect.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the number of populations per region.
    #[must_use]
    pub fn populations(mut self, populations: u64) -> Self {
        self.populations = Some(populations);
        self
    }

    /// Sets the seed: on one thread, the same seed gives the same estimate, unless the time limit stops it.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs populations until a limit is reached.
    pub fn run(&self) -> Estimate {
        let longest = self.puzzle.width().max(self.puzzle.height());
        by_width!(longest, W => self.run_for_width::<W>())
    }

    fn run_for_width<W: Word>(&self) -> Estimate {
        let started = Instant::now();
        let control = Arc::new(Control::new(&self.limits, false));
        let clues = Clues::new(self.puzzle);
        let mut run = SharedRun {
            exact: Count::ONE,
            regions: Vec::new(),
            witness: self.puzzle.solved_goal().cloned().map(Arc::new),
            is_unknown: false,
            random: Xoshiro256PlusPlus::seed_from_u64(self.seed),
            statistics: Statistics {
                nodes: 1,
                ..Statistics::default()
            },
        };
        // Every thread has a population, and a particle filter, which takes nearly as much memory as a particle.
        let max_particles = self.limits.bytes() / ParticleFilter::<W>::bytes(&clues);
        let threads = (rayon::current_num_threads() as u64).min(max_particles / 3);
        let sums = self.puzzle.sums();
        if sums.0 != sums.1 {
            run.exact = Count::ZERO;
        } else if let Some(share) = max_particles.checked_div(threads) {
            let mut board = Board::<W>::new(&clues);
            let prepared = run.prepare(&mut board, &control, &self.limits);
            let known = prepared.and_then(|()| self.compute_known(&mut run, &mut board, &control));
            run.is_unknown = known.is_none();
            if known.is_some() && !run.regions.is_empty() {
                let max_size = share.saturating_sub(1) as usize;
                run = self.sample(run, board, max_size, threads, &control, started);
            }
        } else {
            control.stop(Stop::Memory);
            run.is_unknown = true;
        }
        run.finish(control.reason(), self.seed, started.elapsed())
    }

    /// Runs populations of up to `max_size` particles for the regions that were not counted.
    fn sample<W: Word>(
        &self,
        mut run: SharedRun<W>,
        board: Board<'_, W>,
        max_size: usize,
        threads: u64,
        control: &Arc<Control>,
        started: Instant,
    ) -> SharedRun<W> {
        for estimate in &mut run.regions {
            let cells = estimate.region.size();
            estimate.plan = PopulationPlan::new(cells, max_size, self.has_budget());
        }
        let mut filter = ParticleFilter::new(board, || control.poll());
        // A guided population may temporarily have more particles, at most one per cell of the longest line.
        let extra = self.puzzle.width().max(self.puzzle.height());
        let max_guided = max_size.saturating_sub(extra);
        self.run_pilots(&mut run, &mut filter, max_guided, control);
        let worker = Worker {
            run: Mutex::new(run),
            control,
            started,
            threads,
        };
        if threads == 1 {
            self.run_worker(&worker, filter);
        } else {
            rayon::in_place_scope(|scope| {
                for _ in 0..threads {
                    let (worker, filter) = (&worker, filter.clone());
                    scope.spawn(move |_| self.run_worker(worker, filter));
                }
            });
        }
        worker.run.into_inner().unwrap_or_else(|e| e.into_inner())
    }

    /// Computes the backbone and exact counts, within a share of the limits; `None` if the run is stopped.
    fn compute_known<W: Word>(
        &self,
        run: &mut SharedRun<W>,
        board: &mut Board<'_, W>,
        control: &Arc<Control>,
    ) -> Option<()> {
        if !self.has_budget() || run.regions.is_empty() {
            return Some(());
        }
        let time = |divisor: u32| self.limits.time.map(|time| time / divisor);
        let limits = known::sub_limits(&self.limits, time(BACKBONE_TIME_DIVISOR), BACKBONE_DIVISOR);
        if limits.nodes == Some(0) {
            return Some(());
        }
        let (found, outcome) = known::decide_backbone(self.puzzle, board, &limits);
        let mut budget = Budget::new(control);
        let within_budget = (0..outcome.statistics.nodes).all(|_| budget.take_node());
        run.statistics.nodes += budget.take_nodes();
        drop(budget);
        if !within_budget {
            return None;
        }
        let Some(witness) = found else {
            (run.exact, run.regions) = (Count::ZERO, Vec::new());
            return Some(());
        };
        let lacks_witness = witness.is_none();
        run.witness = run.witness.take().or(witness);
        run.regions.clear();
        run.prepare(board, control, &self.limits)?;
        // If not even one solution was found, exact counts are out of reach.
        let Some(time) = time(COUNT_DIVISOR).filter(|_| !lacks_witness) else {
            return Some(());
        };
        let start = Instant::now();
        let mut regions = std::mem::take(&mut run.regions);
        regions.sort_by_key(|estimate| estimate.region.size());
        let left = (1..=regions.len() as u32).rev();
        for (left, mut estimate) in left.zip(regions) {
            let share = time.saturating_sub(start.elapsed()) / left;
            let most = Some(share.min(known::MAX_COUNT_TIME));
            let limits = known::sub_limits(&self.limits, most, 1);
            let witness = run.witness.as_deref();
            match known::count_region(self.puzzle, board, &estimate.region, witness, &limits) {
                Total::Exactly(number) => {
                    run.exact *= &number;
                    // Decided cells make the other regions easier to sample.
                    if let Some(witness) = witness {
                        known::apply_solution(board, &estimate.region, witness);
                    }
                }
                Total::AtLeast(number) => {
                    estimate.lower_bound = number;
                    run.regions.push(estimate);
                }
            }
        }
        (!control.poll()).then_some(())
    }

    /// Decides which regions are guided. For each region it samples one particle in each direction and, if one of the two dies, a pilot
    /// population in each direction. Their values are not used, because the mean would be biased by the decision that depends on them.
    fn run_pilots<W: Word>(
        &self,
        run: &mut SharedRun<W>,
        filter: &mut ParticleFilter<'_, W>,
        max_size: usize,
        control: &Control,
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(!self.seed);
        let mut budget = Budget::new(control);
        for estimate in run.regions.iter_mut().filter(|_| max_size > 0) {
            for size in [1, PILOT_PARTICLES.min(max_size)] {
                let mut dead = 0;
                let region = &estimate.region;
                for upwards in [false, true] {
                    let population =
                        filter.population(region, size, upwards, None, &mut random, &mut budget);
                    run.statistics.nodes += budget.take_nodes();
                    let Some(result) = population else {
                        return;
                    };
                    dead += result.dead;
                }
                estimate.is_guided = dead as f64 >= MIN_GUIDED_DEATH_RATE * (2 * size) as f64;
                // If both first particles survive, no further ones are needed.
                if dead == 0 {
                    break;
                }
            }
            if estimate.is_guided {
                estimate.plan.limit_size(max_size);
            }
        }
    }

    /// Whether a limit on time or nodes ends the run, so that population sizes must be adapted to it.
    fn has_budget(&self) -> bool {
        self.populations.is_none() && (self.limits.time.is_some() || self.limits.nodes.is_some())
    }

    /// Body of a worker thread: runs one population after the other, each for the region with the fewest populations.
    fn run_worker<W: Word>(&self, worker: &Worker<'_, W>, mut filter: ParticleFilter<'_, W>) {
        let (run, control) = (&worker.run, worker.control);
        let target = if self.has_budget() {
            u64::MAX
        } else {
            self.populations.unwrap_or(DEFAULT_POPULATIONS)
        };
        let memory = memory_plan::SOLVER.part(self.limits.bytes(), worker.threads);
        let witness = lock(run).witness.clone();
        let mut guide = Guide::new(self.puzzle, Arc::clone(control), memory, witness.as_ref());
        let mut budget = Budget::new(control);
        loop {
            let mut shared = lock(run);
            let uncounted = shared.regions.iter_mut().enumerate();
            let uncounted = uncounted.filter(|(_, estimate)| estimate.counted.is_none());
            let Some((index, estimate)) = uncounted.min_by_key(|(_, estimate)| estimate.launched)
            else {
                return;
            };
            if estimate.launched >= target || budget.must_stop() {
                return;
            }
            let upwards = estimate.launched % 2 == 1;
            estimate.launched += 1;
            let (region, size) = (estimate.region.clone(), estimate.plan.size);
            let guide = estimate.is_guided.then_some(&mut guide);
            // Every population has its own random stream, 2^128 steps after the previous one.
            let mut random = shared.random.clone();
            shared.random.jump();
            drop(shared);
            let start = Instant::now();
            let result = filter.population(&region, size, upwards, guide, &mut random, &mut budget);
            let nodes = budget.take_nodes();
            let mut run = lock(run);
            run.statistics.nodes += nodes;
            let Some(result) = result else {
                return;
            };
            run.statistics.dead_ends += result.dead;
            run.statistics.leaves += result.alive;
            let cost = (nodes, start.elapsed());
            let populations = self.affordable(worker, run.statistics.nodes, cost);
            let particles = populations * size as f64 / run.regions.len() as f64;
            run.regions[index].plan.adapt(particles);
            run.regions[index].add(result, size, upwards);
        }
    }

    /// How many further populations the limits allow, if each takes the nodes and the time in `cost`; `nodes` have been used so far.
    fn affordable<W: Word>(
        &self,
        worker: &Worker<'_, W>,
        nodes: u64,
        cost: (u64, Duration),
    ) -> f64 {
        let by_nodes = self.limits.nodes.map_or(f64::INFINITY, |limit| {
            limit.saturating_sub(nodes) as f64 / cost.0.max(1) as f64
        });
        let by_time = self.limits.time.map_or(f64::INFINITY, |limit| {
            let left = limit.saturating_sub(worker.started.elapsed()).as_secs_f64();
            worker.threads as f64 * left / cost.1.as_secs_f64().max(1e-9)
        });
        by_nodes.min(by_time)
    }
}

/// The data that all worker threads share.
struct Worker<'a, W: Word> {
    run: Mutex<SharedRun<W>>,
    control: &'a Arc<Control>,
    started: Instant,
    threads: u64,
}

/// State shared by all threads. The lock is taken twice per population, which takes milliseconds.
#[derive(Debug)]
struct SharedRun<W: Word> {
    /// Product of the numbers of fillings of the regions counted exactly.
    exact: Count,
    /// The other regions.
    regions: Vec<RegionEstimate<W>>,
    /// A solution, if one is known.
    witness: Option<Arc<Grid>>,
    /// Whether the run was stopped before it could begin to sample, so that there is no estimate.
    is_unknown: bool,
    random: Xoshiro256PlusPlus,
    statistics: Statistics,
}

/// The results of the populations of one region.
#[derive(Debug)]
struct RegionEstimate<W: Word> {
    region: Region<W>,
    plan: PopulationPlan,
    /// Number of populations started.
    launched: u64,
    populations: Populations,
    proved: ProvedFillings<W>,
    /// A lower bound on the number of fillings, from an exact count that was not completed.
    lower_bound: Count,
    /// The exact number of fillings, if a population has proved it.
    counted: Option<u64>,
    /// Whether its populations are guided.
    is_guided: bool,
    /// Particles that found a solution, and particles that died.
    alive: u64,
    dead: u64,
}

impl<W: Word> RegionEstimate<W> {
    fn new(region: Region<W>) -> Self {
        RegionEstimate {
            region,
            plan: PopulationPlan::default(),
            launched: 0,
            populations: Populations::default(),
            proved: ProvedFillings::NONE,
            lower_bound: Count::ZERO,
            counted: None,
            is_guided: false,
            alive: 0,
            dead: 0,
        }
    }

    fn add(&mut self, result: PopulationResult<W>, size: usize, upwards: bool) {
        self.populations.add(size, result.value, upwards);
        self.alive += result.alive;
        self.dead += result.dead;
        if result.is_exact {
            self.counted = Some(result.proved.number);
        }
        if let Some(rows) = result.proved.witness {
            self.proved.record(result.proved.number, rows);
        }
    }

    /// Why the mean of its populations is not to be trusted; `None` if it is.
    fn doubt(&self) -> Option<Doubt> {
        // If nearly all particles die, there may be many solutions that no particle reaches.
        let mostly_dead = self.dead as f64 > MAX_DEATH_RATE * (self.alive + self.dead) as f64;
        let doubt = mostly_dead.then_some(Doubt::Dying);
        self.populations.doubt().max(doubt)
    }
}

impl<W: Word> SharedRun<W> {
    /// Propagates and probes the root, counts small regions, and stores the others; `None` if stopped before the end.
    fn prepare(
        &mut self,
        board: &mut Board<'_, W>,
        control: &Control,
        limits: &Limits,
    ) -> Option<()> {
        let started = Instant::now();
        let mut budget = Budget::new(control);
        let is_late = || (limits.time).is_some_and(|time| started.elapsed() > time / EXACT_DIVISOR);
        let whole = Region::whole(board);
        let mut alive = board.propagate_unless(|| budget.must_stop())?;
        if alive {
            let is_over = between_settles::<W>(control);
            let stop = |_: &Board<'_, W>| budget.must_stop() || is_late();
            match Prober::default().probe(board, &whole, None, is_over, stop) {
                NodeProbeResult::Contradiction => alive = false,
                NodeProbeResult::Stopped if budget.must_stop() => return None,
                // Without probing the search is still correct.
                NodeProbeResult::Stopped | NodeProbeResult::Fixpoint(..) => {}
            }
        }
        if !alive {
            self.exact = Count::ZERO;
            return Some(());
        }
        let mut exact = ExactCounter::default();
        let regions = split_unless(board, &whole, || budget.must_stop())?;
        let share = u64::from(EXACT_DIVISOR) * regions.len().max(1) as u64;
        let max_branches = MAX_BRANCHES.min(limits.nodes.map_or(u64::MAX, |nodes| nodes / share));
        for region in regions {
            let mut number = None;
            if !is_late() {
                number = exact.count(board, &region, max_branches, &mut budget);
            }
            if budget.must_stop() {
                break;
            }
            if let Some(number) = number {
                self.exact *= &Count::from(number);
                exact.apply_filling(board);
            } else {
                self.regions.push(RegionEstimate::new(region));
            }
        }
        if self.exact.is_zero() {
            self.regions.clear();
        }
        self.statistics.nodes += budget.take_nodes();
        self.statistics.settles = board.settles();
        (!budget.must_stop()).then_some(())
    }

    /// Multiplies the results of the regions.
    fn finish(self, stopped: Option<Stop>, seed: u64, elapsed: Duration) -> Estimate {
        let statistics = self.statistics;
        let mut result = Estimate {
            number: None,
            standard_error: None,
            doubt: Some(Doubt::Few),
            solutions: Total::AtLeast(Count::ZERO),
            particles: statistics.leaves + statistics.dead_ends,
            dead_ends: statistics.dead_ends,
            stopped,
            statistics,
            seed,
            elapsed,
        };
        if self.is_unknown {
            return result;
        }
        let mut number = Some(Scaled::from(&self.exact));
        let (mut variance, mut doubt) = (Some(1.0), None);
        let mut proved = self.exact;
        for estimate in &self.regions {
            if let Some(counted) = estimate.counted {
                let counted = Count::from(counted);
                number = number.map(|number| number * Scaled::from(&counted));
                proved *= &counted;
                continue;
            }
            let mean = estimate.populations.mean();
            number = number.zip(mean).map(|(number, mean)| number * mean);
            let own_variance = estimate.populations.relative_variance();
            let variances = variance.zip(own_variance);
            variance = variances.map(|(all, own)| all * (1.0 + own));
            doubt = doubt.max(estimate.doubt());
            let at_least = u64::from(self.witness.is_some());
            let fillings = Count::from(estimate.proved.number.max(at_least));
            proved *= &fillings.max(estimate.lower_bound.clone());
        }
        // If the particles missed solutions, the estimate may be below the proved lower bound.
        let lower_bound = Scaled::from(&proved);
        result.number = number.map(|number| match doubt {
            Some(_) if number.log10() < lower_bound.log10() => lower_bound,
            _ => number,
        });
        // The variance does not account for solutions that no particle reached.
        variance = variance.filter(|_| doubt != Some(Doubt::Dying));
        let variance = variance.map(|variance| variance - 1.0);
        let is_too_wide = variance.is_some_and(spread::is_too_wide);
        result.doubt = doubt.max(is_too_wide.then_some(Doubt::Heavy));
        result.standard_error = variance.map(f64::sqrt);
        let is_exact = (self.regions.iter()).all(|estimate| estimate.counted.is_some());
        result.solutions = if is_exact {
            Total::Exactly(proved)
        } else {
            Total::AtLeast(proved)
        };
        result
    }
}
