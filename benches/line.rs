//! One line at a time: how long it takes to settle lines of every length, and to count and list their arrangements.

mod common;

use std::hint::black_box;

use common::{Random, brief, puzzle};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use omnogram::line::{Arrangements, Kernel, Known, Wide, Word, arrangements};
use omnogram::puzzle::{Clue, Grid, Line, Puzzle};

/// A line of a picture, partly known.
struct Case {
    picture: Vec<bool>,
    known: Vec<Option<bool>>,
    clue: Clue,
}

impl Case {
    /// One cell in three is known, as in the midst of a search.
    fn new(picture: Vec<bool>, random: &mut Random) -> Self {
        let mut grid = Grid::new(picture.len(), 1);
        for (i, &filled) in picture.iter().enumerate() {
            grid.set(0, i, filled);
        }
        let clue = Puzzle::from_grid(&grid).rows()[0].clone();
        let known = |&filled| (random.below(3) == 0).then_some(filled);
        Case {
            known: picture.iter().map(known).collect(),
            picture,
            clue,
        }
    }
}

/// Random lines of this length, half filled.
fn random(length: usize) -> Vec<Case> {
    let mut random = Random(length as u64);
    let mut line = || {
        let picture = (0..length).map(|_| random.below(2) == 0).collect();
        Case::new(picture, &mut random)
    };
    (0..256).map(|_| line()).collect()
}

/// All lines of a drawn picture.
fn drawn(name: &str) -> Vec<Case> {
    let goal = puzzle(name).notes().goal.clone().expect("a drawing");
    let rows = (0..goal.height()).map(Line::Row);
    let columns = (0..goal.width()).map(Line::Column);
    let mut random = Random(0);
    rows.chain(columns)
        .map(|line| Case::new(goal.cells(line).collect(), &mut random))
        .collect()
}

/// A line as the kernel takes it: blocks, length, and what is known.
type Packed<W> = (Vec<u16>, usize, Known<W>);

fn packed<W: Word>(case: &Case) -> Packed<W> {
    let blocks = case.clue.lengths().map(|length| length as u16).collect();
    let cells = |value: bool| {
        let here = case.known.iter().enumerate();
        here.filter(|(_, cell)| **cell == Some(value))
            .fold(W::ZERO, |cells, (i, _)| cells | W::bit(i))
    };
    let known = Known {
        filled: cells(true),
        empty: cells(false),
    };
    (blocks, case.known.len(), known)
}

/// Settles all lines and counts the cells that are known then.
fn settle<W: Word>(kernel: &mut Kernel<W>, lines: &[Packed<W>]) -> usize {
    let known = lines.iter().map(|(blocks, length, known)| {
        let settled = kernel.settle(blocks, *length, *known);
        settled.expect("a line of a picture").cells().count()
    });
    known.sum()
}

/// Measures these lines, after looking whether they are settled rightly: no cell against the picture, and nothing left to settle.
fn settles<W: Word>(c: &mut Criterion, group: &str, name: &str, cases: &[Case]) {
    let lines: Vec<Packed<W>> = cases.iter().map(packed).collect();
    let mut kernel = Kernel::new();
    for (case, (blocks, length, known)) in cases.iter().zip(&lines) {
        let settled = kernel.settle(blocks, *length, *known).expect("a solution");
        for (i, &filled) in case.picture.iter().enumerate() {
            let against = if filled {
                settled.empty
            } else {
                settled.filled
            };
            assert!(!against.has(i), "{} of {name}", case.clue);
        }
        assert_eq!(kernel.settle(blocks, *length, settled), Some(settled));
    }
    let decided = settle(&mut kernel, &lines);
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Elements(lines.len() as u64));
    group.bench_function(name, |b| {
        b.iter(|| assert_eq!(settle(&mut kernel, black_box(&lines)), decided));
    });
    group.finish();
}

fn settle_random(c: &mut Criterion) {
    for length in [15, 25, 30, 50, 64, 100, 200] {
        let (cases, name) = (random(length), length.to_string());
        match length {
            0..=64 => settles::<u64>(c, "settle/random", &name, &cases),
            65..=128 => settles::<u128>(c, "settle/random", &name, &cases),
            _ => settles::<Wide<8>>(c, "settle/random", &name, &cases),
        }
    }
}

fn settle_drawn(c: &mut Criterion) {
    for name in ["cat", "owl", "castle", "locomotive"] {
        let cases = drawn(&format!("pictures/{name}"));
        settles::<u64>(c, "settle/drawn", name, &cases);
    }
    let cases = drawn("pictures/moonlit-bay");
    settles::<Wide<8>>(c, "settle/drawn", "moonlit-bay", &cases);
}

fn count_arrangements(c: &mut Criterion) {
    let mut group = c.benchmark_group("arrangements");
    for length in [25, 50, 100, 200] {
        // As many pairs as there may be ways to place them: C(n - 2k + k, k), for a fifth of the cells 3k = n.
        let blocks = length / 5;
        let clue = Clue::new(vec![2; blocks]).expect("it fits");
        let free = vec![None; length];
        let places = (length - 2 * blocks + 1) as u32;
        let binomial = (0..blocks as u32).fold(1u32.into(), |product: num_bigint::BigUint, i| {
            product * (places - i) / (i + 1)
        });
        group.bench_function(BenchmarkId::new("count", length), |b| {
            b.iter(|| assert_eq!(arrangements::count(black_box(&clue), &free), binomial));
        });
    }
    let clue = Clue::new([2, 2, 2, 2, 2]).expect("it fits");
    let free = [None; 25];
    group.throughput(Throughput::Elements(4368));
    group.bench_function(BenchmarkId::new("list", 25), |b| {
        // C(16, 5)
        b.iter(|| assert_eq!(Arrangements::new(black_box(&clue), &free).count(), 4368));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = brief();
    targets = settle_random, settle_drawn, count_arrangements
}
criterion_main!(benches);
