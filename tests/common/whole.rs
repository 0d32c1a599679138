//! A whole puzzle by every way of the engine against brute force: for any bytes.
#![allow(dead_code, reason = "each user takes its share")]

use std::sync::OnceLock;

use omnogram::Cell;
use omnogram::count::{self, Counter};
use omnogram::graph::SolutionGraph;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::{self, Probing, Search, Total, Verdict};
use omnogram::solutions::Count;
use rayon::ThreadPool;

use super::brute::brute_force;
use super::habits::{METHODS, eager, restless};

/// Longest side, in cells.
pub(crate) const MAX_SIDE: usize = 5;

/// A pool of one thread: it is started once, and a run with a failure can be repeated.
pub(crate) fn one_thread() -> &'static ThreadPool {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.expect("a thread")
    })
}

/// A picture of at most 5x5 cells: the first byte gives the sizes, each further byte eight cells.
pub(crate) fn picture(bytes: &[u8]) -> Grid {
    let byte = |i: usize| bytes.get(i).copied().unwrap_or_default();
    let (width, height) = (
        usize::from(byte(0)) % MAX_SIDE + 1,
        usize::from(byte(0)) / MAX_SIDE % MAX_SIDE + 1,
    );
    let mut grid = Grid::new(width, height);
    for i in 0..width * height {
        grid.set(i / width, i % width, byte(1 + i / 8) >> (i % 8) & 1 == 1);
    }
    grid
}

/// Counts, checks and lists the puzzle that the bytes describe: a picture, and then either a second one whose columns are taken, or nothing.
pub(crate) fn any(bytes: &[u8]) {
    let first = picture(bytes);
    let puzzle = match bytes.get(5..) {
        Some(rest) if !rest.is_empty() => {
            let second = picture(&[&bytes[..1], rest].concat());
            let columns = Puzzle::from_grid(&second).columns().to_vec();
            Puzzle::new(Puzzle::from_grid(&first).rows().to_vec(), columns).unwrap()
        }
        _ => Puzzle::from_grid(&first),
    };
    one_thread().install(|| check(&puzzle));
}

fn check(puzzle: &Puzzle) {
    let list = brute_force(puzzle);
    let number = Total::Exactly(Count::from(list.len() as u64));
    for options in ways() {
        let search = Search::new(puzzle).options(options.clone());
        assert_eq!(search.count().solutions, number, "{options:?}");
        let (verdict, examples, _) = search.check();
        assert_eq!(verdict, number.verdict(), "{options:?}");
        assert_eq!(examples.len(), list.len().min(2));
        assert!(examples.iter().all(|grid| list.binary_search(grid).is_ok()));
        let (mut found, outcome) = search.collect();
        assert!(outcome.is_complete());
        found.sort();
        assert_eq!(found, list, "{options:?}");
        check_backbone(&search, &list);
    }
    for options in [count::Options::default(), restless()] {
        for method in METHODS {
            let counter = Counter::new(puzzle).options(options.clone()).method(method);
            assert_eq!(counter.run().solutions, number, "{method:?} {options:?}");
        }
        let (graph, outcome) = Counter::new(puzzle).options(options).graph();
        assert_eq!(outcome.solutions, number);
        check_graph(&graph.expect("nothing stops it"), &list);
    }
}

/// Settings of the search that differ as far as they can.
fn ways() -> [search::Options; 5] {
    let plain = search::Options::default();
    [
        plain.clone(),
        eager(),
        search::Options {
            probing: Probing::Always,
            fewest_cells_to_split: 0,
            ..plain.clone()
        },
        search::Options {
            probing: Probing::Never,
            regions: false,
            subproblem_cache: false,
            ..plain.clone()
        },
        search::Options {
            region_bytes: 0,
            batch_leaves: 1,
            settles_per_poll: 1,
            ..plain
        },
    ]
}

fn check_backbone(search: &Search<'_>, list: &[Grid]) {
    let (found, outcome) = search.backbone();
    assert_eq!(outcome.stopped, None);
    let Some(first) = list.first() else {
        assert_eq!(outcome.solutions.verdict(), Verdict::None);
        return;
    };
    for row in 0..first.height() {
        for column in 0..first.width() {
            let value = first.get(row, column);
            let same = list.iter().all(|grid| grid.get(row, column) == value);
            assert_eq!(found.get(row, column), same.then_some(value));
        }
    }
    assert!(found.is_complete());
}

fn check_graph(graph: &SolutionGraph, list: &[Grid]) {
    assert!(graph.lexicographic(&Count::ZERO).eq(list.iter().cloned()));
    for skip in [1, list.len() / 2, list.len()] {
        let mut from = graph.lexicographic(&Count::from(skip as u64));
        assert_eq!(from.next().as_ref(), list.get(skip));
    }
    let cells = graph.cells();
    for row in 0..graph.height() {
        for column in 0..graph.width() {
            let filled = list.iter().filter(|grid| grid.get(row, column)).count();
            let number = cells.filled(Cell::new(row, column));
            assert_eq!(number, &Count::from(filled as u64));
        }
    }
    for sample in graph.samples(list.len() as u64).take(3.min(list.len())) {
        assert!(list.binary_search(&sample).is_ok());
    }
}
