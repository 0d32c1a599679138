//! The guarantee of the race: whatever the forecasts say, `auto` does at most 3(k - 1) times the work of the best of its k racers, and some
//! slices more.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{Random, beside, on_threads, permutation};
use omnogram::count::{Counter, Options, Slice};
use omnogram::puzzle::Puzzle;
use omnogram::search::Limits;
use omnogram::solutions::Count;

/// The racers of `auto`. The last one counts nothing alone.
const RACERS: [&str; 4] = ["sweep-down", "sweep-right", "walk", "backbone"];

/// The least slice, in nanoseconds.
const SLICE_NS: u64 = 20_000;

/// Puzzles for which the race takes more work are left out, in nanoseconds.
const MOST_NS: u64 = 200_000_000;

/// What the slices of a count add up to, in nanoseconds of work.
#[derive(Default)]
struct Work {
    /// The last slice of each racer on each component: the work by then.
    spent: BTreeMap<(usize, String), u64>,
    all: u64,
    /// The first slices of all racers, and the last slice of the count.
    first: u64,
    last: u64,
    slices: u64,
}

impl Work {
    fn add(&mut self, slice: &Slice) {
        let before = self
            .spent
            .insert((slice.component, slice.racer.clone()), slice.spent);
        // A racer that has less work than before has begun again.
        let before = before.filter(|before| *before <= slice.spent);
        self.last = slice.spent - before.unwrap_or(0);
        self.all += self.last;
        self.first += if before.is_none() { self.last } else { 0 };
        self.slices += 1;
    }
}

/// The work of a count and its number; `None` if it does more work than `most`.
fn work(puzzle: &Puzzle, options: Options, most: u64) -> Option<(Work, Count)> {
    let (work, stop) = (Mutex::<Work>::default(), Arc::<AtomicBool>::default());
    let note = |slice: &Slice| {
        let mut work = work.lock().unwrap();
        work.add(slice);
        stop.store(work.all > most, Ordering::Relaxed);
    };
    let limits = Limits::default().interrupt(Arc::clone(&stop));
    let counter = Counter::new(puzzle).options(options).limits(limits);
    let outcome = counter.slice_observer(&note).run();
    let number = outcome
        .is_complete()
        .then(|| outcome.solutions.number().clone())?;
    Some((work.into_inner().unwrap(), number))
}

/// Only these racers, without probing before the race.
fn only(racers: &[&str]) -> Options {
    let mut options = Options::default();
    options.slice_ns = SLICE_NS;
    options.max_probing_settles = 0;
    options.racers(racers).expect("the names of racers")
}

/// Loose puzzles, which sweeps count best, dense ones, which a walk does, and some of two components.
fn puzzles() -> Vec<Puzzle> {
    let mut random = Random(41);
    let mut puzzles = vec![permutation(9)];
    for density in [0.3, 0.35, 0.4, 0.45] {
        for side in 9..13 {
            puzzles.push(random.puzzle(side, side, density));
            puzzles.push(random.puzzle(side + 2, side - 2, density));
        }
        let (left, right) = (random.puzzle(8, 8, density), random.puzzle(8, 9, density));
        puzzles.push(beside(&left, &right));
    }
    for side in 14..26 {
        puzzles.push(random.puzzle(side, side, 0.48));
    }
    puzzles
}

fn keeps_the_guarantee(threads: usize) {
    let mut winners = BTreeMap::<&str, u64>::new();
    for puzzle in &puzzles() {
        let Some((race, number)) = work(puzzle, only(&RACERS), MOST_NS) else {
            continue;
        };
        if race.slices == 0 {
            // Propagation alone solves it.
            continue;
        }
        let mut best = (u64::MAX, "");
        for racer in &RACERS[..3] {
            if let Some((alone, counted)) = work(puzzle, only(&[racer]), best.0) {
                assert_eq!(counted, number, "{racer} {puzzle:?}");
                best = best.min((alone.all, racer));
            }
        }
        *winners.entry(best.1).or_default() += 1;
        let others = RACERS.len() as u64 - 1;
        let guaranteed = 3 * others * (best.0 + SLICE_NS) + race.first + race.last;
        assert!(
            race.all <= guaranteed,
            "{} on {threads} threads, {best:?} alone: {puzzle:?}",
            race.all
        );
    }
    let raced: u64 = winners.values().sum();
    assert!(raced >= 40 && winners.len() >= 3, "{winners:?}");
}

#[test]
fn a_race_does_no_more_work_than_is_guaranteed() {
    for threads in [1, 2, 8] {
        on_threads(threads, || keeps_the_guarantee(threads));
    }
}
