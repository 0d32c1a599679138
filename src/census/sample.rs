//! Random tuples of row clues: to cut a census into slices of about equal work, and to estimate how long it takes.
//!
//! A uniformly random picture has the rows of a tuple with a probability proportional to the number of pictures with these rows, which is
//! known. Half of the tuples are drawn in this way, because the work of most tuples grows with their pictures. The others are drawn
//! uniformly, because every tuple takes some time. So a number of the whole census is the mean of that number of one tuple, divided by the
//! mean of the two probabilities to draw the tuple. This estimate is unbiased (Horvitz and Thompson 1952; Veach and Guibas 1995).

use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::problem::Census;
use super::slice::Slice;
use super::sweep::{Ended, Sweeper};
use super::tables::Tables;
use crate::run::{Instant, Limits, lock};
use crate::solutions::Stop;

/// Random pictures that are drawn for each slice.
const PICTURES_PER_SLICE: usize = 64;

/// Most random pictures for all slices.
const MAX_PICTURES: usize = 1 << 22;

/// Cuts a census into at most `slices` slices, at least one, each with the estimated number of pictures that its clue sets stand for. That
/// is also a measure of the work. The same seed gives the same slices.
pub fn cut(tables: &Tables, slices: usize, seed: u64) -> Vec<(Slice, f64)> {
    let census = tables.census;
    let whole = Slice::whole(census);
    let slices = slices.clamp(1, MAX_PICTURES);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let pictures = (slices * PICTURES_PER_SLICE).min(MAX_PICTURES);
    let draws = (0..pictures).map(|_| {
        let (rows, columns) = random_clues(tables, &mut random);
        tables.worked_out_with(&rows, &columns)
    });
    let mut drawn = Vec::from_iter(draws);
    drawn.sort_unstable();
    let mut ends: Vec<u64> = (1..slices).map(|i| drawn[i * pictures / slices]).collect();
    ends.push(whole.to());
    ends.dedup();
    let (mut rest, mut cut, mut before) = (whole, Vec::new(), 0);
    for end in ends {
        let (slice, after) = rest.split_at(end);
        let below = drawn.partition_point(|&number| number < end);
        if !slice.is_empty() {
            let share = (below - before).max(1) as f64 / pictures as f64;
            cut.push((slice, share * census.pictures() as f64));
        }
        (rest, before) = (after, below);
    }
    cut
}

/// The row and column clues of a uniformly random picture.
fn random_clues(tables: &Tables, random: &mut impl Rng) -> (Vec<usize>, Vec<usize>) {
    let cells = random.next_u64();
    let is_filled = |row: usize, column: usize| cells >> (row * tables.columns + column) & 1 == 1;
    let rows = (0..tables.rows).map(|row| {
        let line = (0..tables.columns).filter(|&column| is_filled(row, column));
        tables.row_clues.number(line)
    });
    let columns = (0..tables.columns).map(|column| {
        let line = (0..tables.rows).filter(|&row| is_filled(row, column));
        tables.column_clues.number(line)
    });
    (rows.collect(), columns.collect())
}

/// An estimated number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The estimate.
    pub mean: f64,
    /// Its standard error; infinite for a single tuple.
    pub standard_error: f64,
}

impl Figure {
    fn of(values: Vec<f64>) -> Self {
        let number = values.len() as f64;
        let mean = values.iter().sum::<f64>() / number;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = match values.len() {
            0 | 1 => f64::INFINITY,
            _ => (squares / (number - 1.0) / number).sqrt(),
        };
        Figure {
            mean,
            standard_error,
        }
    }
}

/// The estimated numbers of a whole census.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Estimated {
    /// Number of tuples that were worked out.
    pub tuples: u64,
    /// Seconds of processor time.
    pub seconds: Figure,
    /// Seconds of the longest of the tuples.
    pub longest: f64,
    /// Number of clue sets.
    pub clue_sets: Figure,
    /// Number of clue sets with exactly one solution.
    pub unique: Figure,
    /// Number of clue sets that line solving alone solves.
    pub line_solvable: Figure,
    /// Why fewer tuples were worked out than were wanted, if a limit was reached.
    pub stopped: Option<Stop>,
}

/// Works out this number of random tuples, and estimates the numbers and the time of the whole census from them. It runs on the threads
/// of the current rayon pool.
///
/// # Errors
///
/// A message if the engine contradicts the enumeration.
pub fn estimate(
    tables: &Tables,
    tuples: u64,
    seed: u64,
    limits: &Limits,
) -> Result<Estimated, String> {
    let began = Instant::now();
    let census = tables.census;
    let memory = limits.bytes() / rayon::current_num_threads() as u64;
    let failed = Mutex::new((None, None));
    let draws = (0..tuples).into_par_iter().filter_map(|draw| {
        if *lock(&failed) != (None, None) {
            return None;
        }
        // Each draw has a generator of its own, so that the draws do not depend on the threads.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1 << 32) ^ draw);
        let mut rows = vec![0; tables.rows];
        match draw % 2 {
            0 => rows = random_clues(tables, &mut random).0,
            // The numbers of tuples are far below 2^64, so the remainder is uniform but for a negligible error.
            _ => tables.tuple(random.next_u64() % census.tuples(), &mut rows),
        }
        let (tuple, probability) = drawn_tuple(census, tables, &rows);
        let mut sweeper = Sweeper::new(tables, memory);
        let started = cpu_time(began);
        match sweeper.sweep(
            &Slice::new(census, tuple, tuple + 1),
            &limits.left_since(began),
            |_| false,
        ) {
            Ok((_, Ended::Stopped(_, stop))) => lock(&failed).0 = Some(stop),
            Err(message) => lock(&failed).1 = Some(message),
            Ok((tally, _)) => {
                let seconds = (cpu_time(began) - started).as_secs_f64();
                let numbers = [tally.clue_sets, tally.unique(), tally.line_solvable];
                return Some((seconds, numbers.map(|number| number as f64), probability));
            }
        }
        None
    });
    let draws: Vec<(f64, [f64; 3], f64)> = draws.collect();
    let (stopped, wrong) = failed.into_inner().unwrap_or_default();
    if let Some(message) = wrong {
        return Err(message);
    }
    let figure =
        |i: usize| Figure::of(draws.iter().map(|(_, numbers, p)| numbers[i] / p).collect());
    Ok(Estimated {
        tuples: draws.len() as u64,
        seconds: Figure::of(draws.iter().map(|(seconds, _, p)| seconds / p).collect()),
        longest: (draws.iter()).fold(0.0, |longest, (seconds, ..)| seconds.max(longest)),
        clue_sets: figure(0),
        unique: figure(1),
        line_solvable: figure(2),
        stopped,
    })
}

/// The first mirror image of the tuple of these rows, which is worked out, and the probability to draw one of its images.
fn drawn_tuple(census: Census, tables: &Tables, rows: &[usize]) -> (u64, f64) {
    let mut images = tables.row_codes(rows).to_vec();
    images.sort_unstable();
    images.dedup();
    let clues = &tables.row_clues.clues;
    let pictures: f64 = rows.iter().map(|&clue| clues[clue].lines as f64).product();
    let by_picture = pictures / census.pictures() as f64;
    let uniformly = 1.0 / census.tuples() as f64;
    let probability = images.len() as f64 * (by_picture + uniformly) / 2.0;
    (tables.number(images[0]), probability)
}

/// The time that this thread has had a processor, where the system tells it in a file, as Linux does; elsewhere the time since `began`.
fn cpu_time(began: Instant) -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = text.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| began.elapsed(), Duration::from_nanos)
}
