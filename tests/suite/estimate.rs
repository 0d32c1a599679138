//! The estimate against the true numbers: unbiased within its spread, exact where nothing is left to chance.

use std::time::Duration;

use crate::common::{Random, corpus, on_threads, permutation, switches};
use omnogram::estimate::{Doubt, Estimate, Estimator};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::{Limits, Search, Verdict};
use omnogram::solutions::{Count, Stop};

fn estimate(puzzle: &Puzzle, crews: u64, seed: u64) -> Estimate {
    on_threads(1, || {
        Estimator::new(puzzle).populations(crews).seed(seed).run()
    })
}

/// A dithered picture, as `scripts/estimates` makes them, and its number of solutions.
fn dithered() -> (Puzzle, f64) {
    let grid = Grid::from_rows(&[
        ".#.#.#.#.#.##.##.#.#.#........",
        ".#..#.#.##.#.##.#.#.#..#.#..#.",
        "..#...#.#.###.##.#.#..#.......",
        "....#..#.#.#.##.##.#.......#..",
        ".#...#.#.##.##.##.#.#.#..#....",
        "...#..#.#.###.##.#.#...#....#.",
        ".....#.#.#.####.##.#.#....#..#",
        "...#..#.###.#.###.#.#.#.#...#.",
        ".#..#.#.#.#####.##.#.#...#.#.#",
        "....#.#.##.##.##.##.#.#.#.#.#.",
        ".#.#.#.#.########.##.#.#.#.#.#",
        "..#.#.####.#.#.###.##.##.#.##.",
        "#.#.#.#.#.#####.#.##.#.####.##",
        ".#.###.####.#.####.####.#.##.#",
        "###.#.##.#####.#.###.#########",
        "#.##.##.#.#.#.###.###.##.#.#.#",
        "##.###.###.#.#.#.##.##########",
        "####.##.#.#.##.##.###.##.##.#.",
        "##.##.##.#.#..#.##.###########",
        "######.#.#..#.#..##.#.##.##.#.",
        "##.#.#.#..#..#.#.#.#######.##.",
        "####.#..#..#...#.#.#.#.#.##.##",
        "#.#.#.#..#...#..#.##########..",
        "####.#.#......#..#..#.#.#..##.",
        "#.#.#.....#.#..#.#.#.##.###.#.",
        "##.#.#.#........#.#.#.##.#.#.#",
        ".#.#.....#...#.#..#.##.##.#.#.",
        "#.#.#.#....#....#.#.#.#.#.#.#.",
        "#.#....#.#..#.#.#.#.#.#.##.#.#",
        ".#.#.#..#..#..#.#.#.##.#.#.##.",
    ]);
    (Puzzle::from_grid(&grid.unwrap()), 7_391_916_793_674.0)
}

fn within_nodes(puzzle: &Puzzle, nodes: u64, seed: u64) -> Estimate {
    let limits = Limits::default().nodes(nodes);
    let estimating = Estimator::new(puzzle).limits(limits).seed(seed);
    on_threads(1, || estimating.run())
}

/// Within five standard errors of the truth, and no more than the truth is claimed.
fn holds(estimate: &Estimate, truth: &Count) {
    let number = estimate.number.expect("every region had a crew").to_f64();
    let truth = truth.to_f64();
    assert!(
        estimate.solutions.number().to_f64() <= truth,
        "{estimate:?}"
    );
    if estimate.solutions.is_exact() {
        assert_eq!((number, estimate.standard_error), (truth, Some(0.0)));
        assert_eq!(estimate.solutions.number().to_f64(), truth);
        return;
    }
    let error = estimate.standard_error.expect("several crews") * number;
    assert!(
        (number - truth).abs() <= 5.0 * error + 1e-9 * truth,
        "{number} is not {truth}, which {error} should tell"
    );
}

#[test]
fn nothing_is_left_to_chance_where_all_is_determined() {
    for name in ["known/wiki-test", "pictures/key", "hard/no-solution-sums"] {
        let puzzle = corpus::read(&format!("{name}.non"));
        let estimate = estimate(&puzzle, 3, 1);
        assert!(estimate.solutions.is_exact() && estimate.particles == 0);
        holds(&estimate, Search::new(&puzzle).count().solutions.number());
    }
}

#[test]
fn permutations() {
    let mut truth = Count::from(120);
    for n in 6..=10 {
        truth *= &Count::from(n);
        let estimate = estimate(&permutation(n as usize), 8, n);
        holds(&estimate, &truth);
        if n >= 8 {
            assert!(!estimate.solutions.is_exact() && estimate.dead_ends == 0);
            assert!(estimate.standard_error < Some(0.05));
            assert_eq!(estimate.solutions.verdict(), Verdict::Multiple);
        }
    }
}

/// Independent regions are multiplied, not sampled together: that would spread without bounds.
#[test]
fn switches_are_counted_one_by_one() {
    for k in [1, 4, 20] {
        holds(&estimate(&switches(k), 2, 1), &Count::from(1 << k));
    }
    // Far beyond machine numbers.
    let many = estimate(&switches(400), 2, 1);
    let log = many.number.unwrap().log10();
    assert!((log - 400.0 * 2f64.log10()).abs() < 1e-9, "{log}");
}

/// Two permutations, kept apart by a filled cross, two cells wide,
/// between empty lines: the two regions are estimated apart and multiplied.
#[test]
fn regions_are_estimated_apart() {
    let (n, side) = (10, 24);
    let mut grid = Grid::new(side, side);
    for i in 0..n {
        grid.set(i, i, true);
        grid.set(n + 4 + i, n + 4 + i, true);
    }
    for i in 0..side {
        for middle in [n + 1, n + 2] {
            grid.set(middle, i, true);
            grid.set(i, middle, true);
        }
    }
    let estimate = estimate(&Puzzle::from_grid(&grid), 6, 1);
    holds(&estimate, &Count::from(3_628_800 * 3_628_800));
    assert_eq!(estimate.particles, 2 * 6 * 64);
}

#[test]
fn random_puzzles() {
    let mut random = Random(7);
    for i in 0..48 {
        let (width, height) = random.size(6, 5);
        let density = 0.25 + 0.1 * random.below(3) as f64;
        let puzzle = random.puzzle(width, height, density);
        let truth = Search::new(&puzzle).count().solutions;
        holds(&estimate(&puzzle, 8, i), truth.number());
    }
}

/// The mean of many small estimates is the truth, where a single one is far off.
#[test]
fn many_estimates_are_right_in_the_mean() {
    let mut random = Random(12);
    let puzzle = random.puzzle(11, 11, 0.35);
    let truth = Search::new(&puzzle).count().solutions.number().to_f64();
    let runs: Vec<f64> = (0..40)
        .map(|seed| estimate(&puzzle, 1, seed).number.unwrap().to_f64())
        .collect();
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    let squares: f64 = runs.iter().map(|run| (run - mean).powi(2)).sum();
    let error = (squares / 39.0 / 40.0).sqrt();
    assert!(
        (mean - truth).abs() < 5.0 * error + 1e-9 * truth,
        "{mean} is not {truth}"
    );
}

#[test]
fn one_thread_repeats_exactly() {
    let puzzle = permutation(12);
    let run = |seed| {
        let estimate = estimate(&puzzle, 3, seed);
        (
            estimate.number,
            estimate.standard_error,
            estimate.statistics,
        )
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).0, run(6).0);
    // More threads send the same crews.
    let many = on_threads(3, || Estimator::new(&puzzle).populations(3).seed(5).run());
    let (number, many) = (run(5).0.unwrap().to_f64(), many.number.unwrap().to_f64());
    assert!((number / many - 1.0).abs() < 1e-9);
}

#[test]
fn limits_stop_it() {
    let puzzle = permutation(20);
    let stopped = |limits: Limits| {
        let estimate = Estimator::new(&puzzle).limits(limits).run();
        (
            estimate.stopped,
            estimate.number.is_some(),
            estimate.particles > 0,
        )
    };
    let nodes = Some(50_000);
    let limits = Limits::default().nodes(nodes);
    assert_eq!(stopped(limits), (Some(Stop::Nodes), true, true));
    let time = Some(Duration::ZERO);
    let limits = Limits::default().time(time);
    assert_eq!(stopped(limits), (Some(Stop::Time), false, false));
    for checks in [0, 1, 10, 300, 1500] {
        let limits = Limits::default().checks(checks);
        assert_eq!(stopped(limits).0, Some(Stop::Interrupt), "{checks}");
    }
}

/// What is soon counted is not left to chance, and where several regions are, they are counted one by one.
#[test]
fn a_part_of_the_time_goes_into_an_exact_count() {
    let limits = Limits::default().time(Duration::from_secs(20));
    let (dithered, truth) = dithered();
    for (puzzle, truth) in [(permutation(12), 479_001_600.0), (dithered, truth)] {
        let estimate = Estimator::new(&puzzle).limits(limits.clone()).run();
        let said = estimate.solutions.number().to_f64();
        if estimate.solutions.is_exact() {
            assert_eq!((said, estimate.particles), (truth, 0));
        } else {
            assert!(said <= truth, "{estimate:?}");
            holds(&estimate, &Count::from(truth as u64));
        }
    }
}

/// A crew of 512 dives that had begun was finished, which took 150,000 nodes.
#[test]
fn the_limit_on_nodes_was_overrun_by_a_whole_crew() {
    let (dithered, _) = dithered();
    for nodes in [1, 50, 400, 5000, 30_000] {
        for threads in [1, 2] {
            let limits = Limits::default().nodes(nodes);
            let estimating = Estimator::new(&dithered).limits(limits);
            let estimate = on_threads(threads, || estimating.run());
            let made = estimate.statistics.nodes;
            // The root is one more.
            assert!(made <= nodes + nodes / 10 + 1, "{made} of {nodes}");
            assert_eq!(estimate.stopped, Some(Stop::Nodes));
        }
    }
}

/// It was 3 to 12 times too small: crews whose dives were drawn again by their weights alone agreed on much too little.
#[test]
fn the_standard_error_was_too_small_on_a_dithered_picture() {
    let (dithered, truth) = dithered();
    let (mut trusted, mut within) = (0, 0);
    for seed in 1..=8 {
        let estimate = within_nodes(&dithered, 60_000, seed);
        let number = estimate.number.unwrap().to_f64();
        assert!((0.3..3.0).contains(&(number / truth)), "{estimate:?}");
        if estimate.doubt.is_none() {
            trusted += 1;
            let error = estimate.standard_error.unwrap() * number;
            within += i32::from((number - truth).abs() <= 2.0 * error);
        }
    }
    assert!(trusted >= 4, "{trusted} trusted");
    assert!(within >= trusted - 1, "{within} of {trusted}");
}

#[test]
fn a_node_limit_repeats_exactly() {
    let (dithered, _) = dithered();
    let run = || {
        let estimate = within_nodes(&dithered, 20_000, 3);
        (
            estimate.number,
            estimate.standard_error,
            estimate.statistics,
        )
    };
    assert_eq!(run(), run());
}

/// An estimate from one crew was printed without a word.
#[test]
fn few_dives_are_not_trusted() {
    let (dithered, _) = dithered();
    assert_eq!(estimate(&dithered, 1, 1).doubt, Some(Doubt::Few));
    let short = within_nodes(&dithered, 400, 1);
    assert_eq!((short.doubt, short.particles), (Some(Doubt::Few), 0));
    // Where nothing is left to chance there is nothing to doubt.
    assert_eq!(estimate(&switches(4), 1, 1).doubt, None);
}

#[test]
fn memory_bounds_the_crews() {
    let (dithered, _) = dithered();
    let run = |memory| {
        let limits = Limits::default().nodes(30_000).memory(memory);
        on_threads(2, || Estimator::new(&dithered).limits(limits).run())
    };
    // A dive takes some 24 kB.
    let none = run(50_000);
    assert_eq!((none.stopped, none.particles), (Some(Stop::Memory), 0));
    assert!(none.number.is_none() && none.doubt.is_some());
    let few = run(200_000);
    assert_eq!(few.stopped, Some(Stop::Nodes));
    assert!(few.number.is_some());
}
