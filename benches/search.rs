//! The search on one thread, where a run repeats exactly: counting, listing, writing, and proving that there is one solution.

mod common;

use std::hint::black_box;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{brief, pool, puzzle};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use omnogram::puzzle::Puzzle;
use omnogram::render::{List, Listing};
use omnogram::search::{Search, Total, Verdict};
use omnogram::solutions::{Batch, Count, Sink, Stop};

/// Looks at every picture and keeps none.
#[derive(Debug, Default)]
struct Seen {
    pictures: AtomicU64,
}

impl Sink for Seen {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut pictures = 0;
        batch.each(|words| {
            black_box(words);
            pictures += 1;
        });
        // Relaxed: a sum that is read when the search is over.
        self.pictures.fetch_add(pictures, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

/// Writes every picture as text to where nobody reads it.
#[derive(Debug)]
struct Written {
    list: Mutex<(List, u64)>,
}

impl Written {
    fn new(puzzle: &Puzzle) -> Self {
        let list = List::new(Listing::Text, puzzle.width(), puzzle.height());
        Written {
            list: Mutex::new((list, 0)),
        }
    }

    /// How many pictures were written.
    fn end(self) -> u64 {
        let (list, written) = self.list.into_inner().expect("no panic");
        written + list.solutions()
    }
}

impl Sink for Written {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let (list, written) = &mut *self.list.lock().expect("no panic");
        batch.each(|words| {
            list.push(words);
            if list.is_full() {
                io::sink().write_all(list.bytes()).expect("a sink");
                *written += list.solutions();
                list.clear();
            }
        });
        ControlFlow::Continue(())
    }
}

/// Puzzles whose solutions are listed, with their number.
const LISTED: [(&str, u64); 5] = [
    ("families/permutation-8", 40_320),
    ("families/permutation-9", 362_880),
    ("families/permutation-10", 3_628_800),
    ("families/switches-16", 1 << 16),
    ("families/switches-20", 1 << 20),
];

/// Measures something that finds `solutions`, and holds every time that it does.
fn measure(
    c: &mut Criterion,
    group: &str,
    name: &str,
    solutions: u64,
    find: impl Fn() -> u64 + Send + Sync,
) {
    let one = pool(1);
    let mut group = c.benchmark_group(group);
    group.sample_size(10);
    group.throughput(Throughput::Elements(solutions));
    group.bench_function(name.rsplit('/').next().unwrap_or(name), |b| {
        b.iter(|| assert_eq!(one.install(&find), solutions));
    });
    group.finish();
}

fn count(c: &mut Criterion) {
    for (name, solutions) in [
        LISTED[0],
        LISTED[1],
        ("pictures/harbour", 73_728),
        ("bench/ambiguous-quick", 161_964),
    ] {
        let puzzle = puzzle(name);
        measure(c, "count", name, solutions, || {
            let total = Search::new(&puzzle).count().solutions;
            assert_eq!(total, Total::Exactly(Count::from(solutions)));
            solutions
        });
    }
}

fn list(c: &mut Criterion) {
    for (name, solutions) in LISTED {
        let puzzle = puzzle(name);
        measure(c, "list", name, solutions, || {
            let seen = Seen::default();
            Search::new(&puzzle).run(&seen);
            seen.pictures.into_inner()
        });
    }
}

fn write(c: &mut Criterion) {
    for (name, solutions) in LISTED {
        let puzzle = puzzle(name);
        measure(c, "write", name, solutions, || {
            let written = Written::new(&puzzle);
            Search::new(&puzzle).run(&written);
            written.end()
        });
    }
}

fn unique(c: &mut Criterion) {
    for name in [
        "hard/unique-10x10-seed-800",
        "hard/unique-15x15-seed-593",
        "hard/unique-20x20-seed-2114",
        "hard/unique-25x25-seed-7427",
        "bench/hard-quick",
    ] {
        let puzzle = puzzle(name);
        measure(c, "unique", name, 1, || {
            let (grids, outcome) = Search::new(&puzzle).first(2);
            assert_eq!(outcome.solutions.verdict(), Verdict::Unique);
            grids.len() as u64
        });
    }
}

criterion_group! {
    name = benches;
    config = brief();
    targets = count, list, write, unique
}
criterion_main!(benches);
