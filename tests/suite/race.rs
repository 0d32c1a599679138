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

/// The racers that can count alone. The search for the backbone counts nothing.
const COUNTING: [&str; 4] = ["sweep-down", "sweep-right", "tree", "walk"];

/// All racers of `auto`.
const RACERS: u64 = 5;

/// The least slice, in nanoseconds.
const SLICE_NS: u64 = 20_000;

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

fn options() -> Options {
    let mut options = Options::default();
    options.slice_ns = SLICE_NS;
    options
}

/// Loose puzzles, which sweeps count best, dense ones, which the tree or a walk does, and some of two components.
fn puzzles() -> Vec<Puzzle> {
    let mut random = Random(41);
    let mut puzzles = vec![permutation(9)];
    for density in [0.3, 0.35, 0.4, 0.45] {
        for side in 8..12 {
            puzzles.push(random.puzzle(side, side, density));
            puzzles.push(random.puzzle(side + 2, side - 2, density));
        }
        let (left, right) = (random.puzzle(8, 8, density), random.puzzle(8, 9, density));
        puzzles.push(beside(&left, &right));
    }
    for side in 14..22 {
        puzzles.push(random.puzzle(side, side, 0.5));
        puzzles.push(random.puzzle(side, side, 0.55));
    }
    puzzles
}

fn keeps_the_guarantee(threads: usize) {
    let (mut raced, mut worst) = (0, 0.0_f64);
    let mut winners = BTreeMap::<&str, u64>::new();
    for (i, puzzle) in puzzles().iter().enumerate() {
        let (auto, number) = work(puzzle, options(), u64::MAX).expect("nothing stops it");
        if auto.slices == 0 {
            // The short search of the tree in the beginning has counted it.
            continue;
        }
        let mut best = (u64::MAX, "");
        for racer in COUNTING {
            let alone = options().racers(&[racer]).expect("the name of a racer");
            if let Some((alone, counted)) = work(puzzle, alone, best.0) {
                assert_eq!(counted, number, "{racer} {puzzle:?}");
                best = best.min((alone.all, racer));
            }
        }
        let guaranteed = 3 * (RACERS - 1) * (best.0 + SLICE_NS) + auto.first + auto.last;
        let ratio = auto.all as f64 / guaranteed as f64;
        eprintln!(
            "{threads} {i}: {} {} {} first {} last {} slices {}: {ratio}",
            auto.all, best.0, best.1, auto.first, auto.last, auto.slices
        );
        worst = worst.max(ratio);
        raced += 1;
        *winners.entry(best.1).or_default() += 1;
    }
    eprintln!("{threads}: {raced} {worst} {winners:?}");
    assert!(worst <= 1.0);
}

#[test]
fn auto_does_no_more_work_than_is_guaranteed() {
    for threads in [1, 2, 8] {
        on_threads(threads, || keeps_the_guarantee(threads));
    }
}
