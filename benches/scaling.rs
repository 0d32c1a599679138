//! The same work on 1, 2, 4 and so on threads. `omnogram bench` measures larger ones, and draws them.

mod common;

use std::iter;
use std::thread;

use common::{brief, pool, puzzle};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use omnogram::search::{Search, Total};
use omnogram::solutions::Count;

fn scaling(c: &mut Criterion) {
    let most = thread::available_parallelism().map_or(1, usize::from);
    let doubled = iter::successors(Some(1), |threads| Some(threads * 2));
    let steps: Vec<usize> = doubled
        .take_while(|&threads| threads < most)
        .chain([most])
        .collect();
    for (name, solutions) in [
        ("families/permutation-9", 362_880u64),
        ("bench/ambiguous-quick", 161_964),
        ("bench/hard-quick", 1),
    ] {
        let puzzle = puzzle(name);
        let wanted = Total::Exactly(Count::from(solutions));
        let name = name.rsplit('/').next().unwrap_or(name);
        let mut group = c.benchmark_group("scaling");
        group.sample_size(10);
        for &threads in &steps {
            let pool = pool(threads);
            group.bench_function(BenchmarkId::new(name, threads), |b| {
                b.iter(|| {
                    let outcome = pool.install(|| Search::new(&puzzle).count());
                    assert_eq!(outcome.solutions, wanted);
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = brief();
    targets = scaling
}
criterion_main!(benches);
