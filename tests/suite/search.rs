//! The search against brute force and closed forms: all options, all thread counts, all ways to stop.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{
    HISTOGRAM_OF_4X4, Random, brute_force, clue_sets_of_4x4, on_threads, permutation, pool, puzzle,
    switches,
};
use omnogram::puzzle::{Grid, Puzzle, verify};
use omnogram::search::{Limits, Options, Probing, Search, Snapshot, Total, Verdict};
use omnogram::solutions::{Batch, Count, Set, Sink, Stop};

/// Ways to search that must give the same answer.
fn all_options() -> Vec<Options> {
    let default = Options::default;
    vec![
        default(),
        Options {
            subproblem_cache: false,
            ..default()
        },
        Options {
            probing: Probing::Always,
            ..default()
        },
        Options {
            probing: Probing::Root,
            fewest_cells_to_split: 1,
            ..default()
        },
        Options {
            probing: Probing::Never,
            regions: false,
            settles_per_poll: 1,
            batch_leaves: 1,
            ..default()
        },
        Options {
            probing: Probing::Never,
            fewest_cells_to_split: 1,
            settles_per_poll: 1,
            region_bytes: 64,
            ..default()
        },
        Options {
            stretch_solutions: 1,
            probing_settles: 10,
            settles_per_poll: 1,
            region_bytes: 0,
            ..default()
        },
    ]
}

/// All solutions in order, and a check that none came twice.
fn collect(search: &Search) -> Vec<Grid> {
    let (grids, outcome) = search.collect();
    assert_eq!(
        outcome.solutions,
        Total::Exactly(Count::from(grids.len() as u64)),
        "a solution came twice"
    );
    assert!(outcome.cubes.is_empty());
    grids
}

#[test]
fn factorials_are_listed_each_once() {
    let mut factorial = 1;
    for n in 1..=9u64 {
        factorial *= n;
        let puzzle = permutation(n as usize);
        let (grids, outcome) = Search::new(&puzzle).collect();
        assert_eq!(outcome.solutions, Total::Exactly(Count::from(factorial)));
        assert_eq!(grids.len() as u64, factorial, "distinct");
        assert!(grids.iter().all(|grid| verify(&puzzle, grid).is_ok()));
        assert!(grids.is_sorted());
    }
}

#[test]
fn switches_are_powers_of_two() {
    for k in 1..=16 {
        let puzzle = switches(k);
        for options in [
            Options::default(),
            Options {
                probing: Probing::Never,
                ..Options::default()
            },
        ] {
            let outcome = Search::new(&puzzle).options(options).count();
            assert_eq!(outcome.solutions, Total::Exactly(Count::from(1 << k)));
            // Each switch is searched once, not under every filling of the others.
            assert!(
                outcome.statistics.nodes < 5 * k as u64 + 2,
                "{:?}",
                outcome.statistics
            );
        }
        if k <= 12 {
            let grids = collect(&Search::new(&puzzle));
            assert_eq!(grids.len(), 1 << k);
            assert!(grids.iter().all(|grid| verify(&puzzle, grid).is_ok()));
        }
    }
}

#[test]
fn many_switches_pass_machine_words() {
    let outcome = Search::new(&switches(140)).count();
    let expected = "1393796574908163946345982392040522594123776"
        .parse()
        .unwrap();
    assert_eq!(outcome.solutions, Total::Exactly(expected));
}

/// All 65,536 pictures of 4x4 by their clues, and every clue set searched.
#[test]
fn the_whole_space_of_4x4() {
    let clue_sets = clue_sets_of_4x4();
    assert_eq!(clue_sets.len(), 58_196);
    let mut histogram = BTreeMap::new();
    for (puzzle, grids) in clue_sets {
        let found = collect(&Search::new(&puzzle));
        assert_eq!(found, grids);
        *histogram.entry(found.len() as u64).or_insert(0) += 1;
    }
    assert_eq!(histogram, BTreeMap::from(HISTOGRAM_OF_4X4));
}

#[test]
fn random_puzzles_agree_with_brute_force() {
    let mut random = Random(20);
    let pools = [1, 2, 4].map(pool);
    let options = all_options();
    for round in 0..2400 {
        let puzzle = random.sized_puzzle(1, 6, 0.2 + 0.6 * (round % 7) as f64 / 6.0);
        let expected = brute_force(&puzzle);
        let options = &options[if round % 2 == 0 {
            0
        } else {
            random.below(options.len())
        }];
        for pool in &pools {
            let search = Search::new(&puzzle).options(options.clone());
            assert_eq!(
                pool.install(|| collect(&search)),
                expected,
                "{puzzle:?} {options:?}"
            );
            let counted = pool.install(|| search.count());
            assert_eq!(
                counted.solutions,
                Total::Exactly(Count::from(expected.len() as u64)),
                "{puzzle:?} {options:?}"
            );
        }
    }
}

/// Puzzles of random clues, most of which have no solution.
#[test]
fn contradictory_clues_agree_with_brute_force() {
    let mut random = Random(4);
    let (mut without, mut with) = (0, 0);
    for _ in 0..2000 {
        let mixed = random.sized_mixed(1, 5);
        let expected = brute_force(&mixed);
        assert_eq!(collect(&Search::new(&mixed)), expected);
        *if expected.is_empty() {
            &mut without
        } else {
            &mut with
        } += 1;
    }
    assert!(without > 500 && with > 50, "{without} {with}");
}

/// Sums that differ are a puzzle without a solution; so can be sums that agree.
#[test]
fn no_solution_is_an_answer() {
    let sums_differ = puzzle(&[&[1], &[1]], &[&[1], &[]]);
    let sums_agree = puzzle(&[&[2], &[], &[2]], &[&[1], &[1], &[2]]);
    for puzzle in [sums_differ, sums_agree] {
        let outcome = Search::new(&puzzle).count();
        assert_eq!(outcome.solutions.verdict(), Verdict::None);
        assert!(outcome.is_complete());
    }
}

#[test]
fn medium_puzzles_agree_across_threads_and_options() {
    let mut random = Random(7);
    for round in 0..60 {
        let size = 8 + random.below(5);
        let puzzle = random.puzzle(size, size, 0.45);
        let expected = on_threads(1, || Search::new(&puzzle).count().solutions);
        if expected.number() > &Count::from(100_000) {
            continue;
        }
        let grids = on_threads(1, || collect(&Search::new(&puzzle)));
        assert!(grids.iter().all(|grid| verify(&puzzle, grid).is_ok()));
        for (i, options) in all_options().into_iter().enumerate() {
            if !options.regions && round % 4 > 0 {
                // Without probing and regions it takes long.
                continue;
            }
            let threads = 1 + (round + i) % 4;
            let search = Search::new(&puzzle).options(options);
            assert_eq!(on_threads(threads, || search.count().solutions), expected);
            assert_eq!(on_threads(threads, || collect(&search)), grids);
        }
    }
}

#[test]
fn one_thread_repeats_exactly() {
    let puzzle = Random(1).puzzle(16, 16, 0.33);
    let run = || {
        on_threads(1, || {
            Search::new(&puzzle)
                .limits(Limits::default().nodes(20_000))
                .count()
        })
    };
    let (a, b) = (run(), run());
    assert_eq!(
        (a.solutions, a.statistics, a.cubes),
        (b.solutions, b.statistics, b.cubes)
    );
    assert_eq!((a.statistics.nodes, a.stopped), (20_000, Some(Stop::Nodes)));
}

/// Puzzles of several kinds: loose, falling apart, with dead ends.
fn samples() -> Vec<(Puzzle, u64)> {
    let mut samples = vec![(permutation(5), 120), (switches(4), 16)];
    let mut random = Random(33);
    while samples.len() < 8 {
        let puzzle = random.puzzle(9, 9, 0.4);
        let Some(count) = Search::new(&puzzle).count().solutions.number().to_u64() else {
            continue;
        };
        if (100..2000).contains(&count) {
            samples.push((puzzle, count));
        }
    }
    samples
}

/// Stopped at the n-th check, for many n: what was found is a lower bound, and with what is handed back it is everything, once.
#[test]
fn what_is_handed_back_completes_what_was_found() {
    for (puzzle, count) in samples() {
        for options in all_options() {
            for threads in [1, 3] {
                let pool = pool(threads);
                let mut n = 0;
                loop {
                    let set = Set::new(1 << 30);
                    let mut cubes = None;
                    let mut runs = 0;
                    // Every run is stopped again, each later than the one before.
                    loop {
                        let limits = Limits::default().checks((n + 1) << runs.min(30));
                        let mut search =
                            Search::new(&puzzle).options(options.clone()).limits(limits);
                        if let Some(cubes) = cubes.take() {
                            search = search.cubes(cubes);
                        }
                        let outcome = pool.install(|| search.run(&set));
                        runs += 1;
                        assert!(outcome.solutions.number() <= &Count::from(count));
                        if outcome.is_complete() {
                            break;
                        }
                        assert!(
                            !outcome.cubes.is_empty() && outcome.stopped == Some(Stop::Interrupt)
                        );
                        cubes = Some(outcome.cubes);
                    }
                    assert_eq!(
                        (set.len() as u64, set.repeats()),
                        (count, 0),
                        "stopped at {n} with {options:?}"
                    );
                    if runs == 1 {
                        break;
                    }
                    n += 1 + n / 3;
                }
            }
        }
    }
}

#[test]
fn every_limit_is_named() {
    let puzzle = permutation(12);
    let run = |limits| Search::new(&puzzle).limits(limits).count();
    let none = Limits::default;
    let cases = [
        (none().solutions(1000), Stop::Limit),
        (none().time(Duration::from_millis(50)), Stop::Time),
        (none().nodes(5000), Stop::Nodes),
        (
            none().interrupt(Arc::new(AtomicBool::new(true))),
            Stop::Interrupt,
        ),
    ];
    for (limits, stop) in cases {
        let outcome = run(limits);
        assert_eq!(outcome.stopped, Some(stop));
        assert!(outcome.solutions.to_string().starts_with("at least "));
        assert_eq!(outcome.cubes.is_empty(), stop == Stop::Limit);
        if stop == Stop::Limit {
            assert_eq!(outcome.solutions.number(), &Count::from(1000));
        }
        if stop == Stop::Nodes {
            // Several tasks reserve nodes ahead, and may be stopped before they use them.
            assert!((4900..=5000).contains(&outcome.statistics.nodes));
        }
    }
    let (_, outcome) = Search::new(&puzzle)
        .limits(none().memory(100_000))
        .collect();
    assert_eq!(outcome.stopped, Some(Stop::Memory));
}

/// A limit is exact, also in the middle of a bundle, and takes solutions of all regions.
#[test]
fn limits_on_solutions_are_exact() {
    let puzzle = switches(6);
    for limit in [1, 2, 3, 17, 63, 64, 65] {
        for threads in [1, 2] {
            let search = Search::new(&puzzle).limits(Limits::default().solutions(limit));
            let (grids, outcome) = on_threads(threads, || search.collect());
            assert_eq!(grids.len() as u64, limit.min(64));
            assert!(grids.iter().all(|grid| verify(&puzzle, grid).is_ok()));
            assert_eq!(outcome.is_complete(), limit > 64);
        }
    }
    let (grids, outcome) = Search::new(&puzzle).first(2);
    assert_eq!(
        (grids.len(), outcome.solutions.verdict()),
        (2, Verdict::Multiple)
    );
}

/// A batch that is cut after the run was stopped for another reason leaves no cubes that pose as all the rest.
#[test]
fn a_batch_cut_after_the_stop_leaves_no_cubes() {
    let puzzle = permutation(5);
    for checks in 0..400 {
        for solutions in [3, 50, 119, 120] {
            let set = Set::new(1 << 30);
            let limits = Limits::default().checks(checks).solutions(solutions);
            let outcome = on_threads(1, || Search::new(&puzzle).limits(limits).run(&set));
            if !outcome.cubes.is_empty() {
                let rest = Search::new(&puzzle).cubes(outcome.cubes).run(&set);
                assert!(rest.is_complete());
                assert_eq!(
                    (set.len(), set.repeats()),
                    (120, 0),
                    "stopped at check {checks}, limit {solutions}"
                );
            }
        }
    }
}

/// Regions searched in place, while the habit of probing changes: records of probes once were read beyond their end.
#[test]
fn records_outlive_regions_searched_in_place() {
    let options = Options {
        region_bytes: 0,
        stretch_solutions: 3,
        probing_settles: 10,
        ..Options::default()
    };
    let mut random = Random(99);
    for _ in 0..4000 {
        let size = 5 + random.below(2);
        let puzzle = random.puzzle(size, size, 0.35);
        let counted = on_threads(1, || {
            Search::new(&puzzle)
                .options(options.clone())
                .count()
                .solutions
        });
        assert_eq!(counted.to_string(), brute_force(&puzzle).len().to_string());
    }
}

/// A sink that goes through every grid, until it has more than enough.
struct Reader {
    read: AtomicU64,
    enough: u64,
}

impl Reader {
    fn new(enough: u64) -> Self {
        Reader {
            read: AtomicU64::new(0),
            enough,
        }
    }
}

impl Sink for Reader {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut read = 0;
        batch.each(|_| read += 1);
        match self.read.fetch_add(read, Ordering::Relaxed) {
            before if before > self.enough => ControlFlow::Break(Stop::Closed),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// 2^60 solutions in one bundle: a run over them can be stopped, and what the sink saw is what is reported.
#[test]
fn a_huge_bundle_can_be_stopped() {
    let puzzle = switches(60);
    for limits in [
        Limits::default().time(Duration::from_millis(30)),
        Limits::default().checks(500),
        Limits::default().solutions(12_345),
    ] {
        for threads in [1, 2] {
            let sink = Reader::new(u64::MAX);
            let search = Search::new(&puzzle).limits(limits.clone());
            let outcome = on_threads(threads, || search.run(&sink));
            assert!(!outcome.is_complete());
            assert!(outcome.elapsed < Duration::from_secs(5));
            assert_eq!(
                outcome.solutions,
                Total::AtLeast(Count::from(sink.read.into_inner()))
            );
        }
    }
}

/// A sink that is slow sees everything; one that has enough stops the run.
#[test]
fn a_sink_can_stop_the_run() {
    let outcome = Search::new(&permutation(10)).run(&Reader::new(1000));
    assert_eq!(outcome.stopped, Some(Stop::Closed));
}

#[test]
fn progress_only_grows_and_ends_at_the_whole() {
    for (puzzle, options) in [
        (permutation(9), Options::default()),
        (switches(9), Options::default()),
        (
            Random(5).puzzle(12, 12, 0.4),
            Options {
                probing: Probing::Always,
                ..Options::default()
            },
        ),
    ] {
        for threads in [1, 2] {
            let seen: Mutex<Vec<Snapshot>> = Mutex::new(Vec::new());
            let note = |snapshot| seen.lock().unwrap().push(snapshot);
            let search = Search::new(&puzzle)
                .options(options.clone())
                .observer(&note);
            let outcome = on_threads(threads, || search.count());
            assert!(outcome.is_complete());
            let seen = seen.into_inner().unwrap();
            assert!(
                seen.windows(2)
                    .all(|pair| pair[0].share <= pair[1].share && pair[0].nodes <= pair[1].nodes)
            );
            let last = seen.last().unwrap();
            assert!((last.share.unwrap() - 1.0).abs() < 1e-12, "{last:?}");
            assert_eq!(last.solutions, *outcome.solutions.number());
        }
    }
}
