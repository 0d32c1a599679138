//! The check build on the corpus: `cargo test --release --features checked --test checked`. The engine itself panics where what it finds
//! differs from what plain means find; these tests lead it along every road, and compare the answers with the known ones.

#![cfg(all(feature = "checked", feature = "cli"))]

mod common;

use std::io::Read;
use std::process::Stdio;

use common::command::{LONG, Scratch, ends, omnogram};
use common::corpus::{self, KnownPuzzle};
use common::{
    METHODS, Random, brute_force, eager, on_threads, permutation, puzzle, restless, switches,
};
use omnogram::count::{self, Counter, Method};
use omnogram::design::{Ambiguity, Generator, Repair};
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::search::{Options, Probing, Search, Total, Verdict};
use omnogram::solutions::Count;
use omnogram::{Estimator, Limits};

/// Asserts that a number is the known one, or a lower bound of it.
fn agrees(name: &str, found: &Total, wanted: &Count) {
    match found {
        Total::Exactly(number) => assert_eq!(number, wanted, "{name}"),
        Total::AtLeast(number) => assert!(number <= wanted, "{name}: {number}"),
    }
}

/// Options that lead the search along different roads.
fn search_options() -> Vec<Options> {
    let probing = |probing| Options {
        probing,
        ..Options::default()
    };
    vec![
        Options::default(),
        probing(Probing::Always),
        Options {
            fewest_cells_to_split: 2,
            subproblem_cache: false,
            batch_leaves: 1,
            ..probing(Probing::Never)
        },
        eager(),
    ]
}

/// Searches, lists, counts and decides a puzzle within these limits.
fn every_road(name: &str, puzzle: &Puzzle, wanted: &Count, limits: &Limits) {
    for options in search_options() {
        let search = Search::new(puzzle).limits(limits.clone()).options(options);
        agrees(name, &search.count().solutions, wanted);
        let list = limits.clone().solutions(500);
        let (grids, outcome) = search.clone().limits(list).collect();
        agrees(name, &outcome.solutions, wanted);
        assert!(outcome.stopped.is_some() || Count::from(grids.len() as u64) == *wanted);
        let (verdict, _, _) = search.check();
        let known = Total::Exactly(wanted.clone()).verdict();
        assert!([known, Verdict::Undecided].contains(&verdict), "{name}");
        search.backbone();
    }
    for method in METHODS {
        for options in [count::Options::default(), restless()] {
            let counter = Counter::new(puzzle).limits(limits.clone()).method(method);
            agrees(name, &counter.options(options).run().solutions, wanted);
        }
    }
    let (_, outcome) = Counter::new(puzzle).limits(limits.clone()).graph();
    agrees(name, &outcome.solutions, wanted);
}

/// The small puzzles by every road, the larger ones by a few nodes of some. The largest are left out: in this build a node of theirs takes
/// seconds.
#[test]
fn the_corpus() {
    for known in corpus::answers() {
        let KnownPuzzle {
            name,
            puzzle,
            solutions,
            ..
        } = known;
        let wanted = solutions.parse().unwrap();
        on_threads(2, || match puzzle.width() * puzzle.height() {
            0..=150 => every_road(&name, &puzzle, &wanted, &Limits::default().nodes(300)),
            151..=1300 => {
                let limits = Limits::default().nodes(20);
                let found = Search::new(&puzzle).limits(limits.clone()).count();
                agrees(&name, &found.solutions, &wanted);
                let counter = Counter::new(&puzzle).limits(limits);
                agrees(&name, &counter.run().solutions, &wanted);
            }
            _ => {}
        });
    }
}

#[test]
fn families() {
    for (name, puzzle, wanted) in [
        ("permutation", permutation(6), 720),
        ("switches", switches(3), 8),
        ("none", puzzle(&[&[2], &[1]], &[&[1], &[1]]), 0),
    ] {
        on_threads(2, || {
            every_road(name, &puzzle, &Count::from(wanted), &Limits::default())
        });
    }
}

#[test]
fn random_ambiguous_puzzles() {
    let mut random = Random(17);
    for round in 0..60 {
        let (width, height) = random.size(3, 5);
        let density = 0.2 + 0.5 * random.below(100) as f64 / 100.0;
        let puzzle = random.puzzle_or_mixed(round % 5 == 0, width, height, density);
        let wanted = Count::from(brute_force(&puzzle).len() as u64);
        on_threads(1 + round % 4, || {
            every_road("random", &puzzle, &wanted, &Limits::default())
        });
    }
}

#[test]
fn large_loose_puzzles() {
    let mut random = Random(5);
    for (width, height, density) in [(16, 16, 0.35), (30, 8, 0.4), (70, 4, 0.3)] {
        let puzzle = random.puzzle(width, height, density);
        let limits = Limits::default().nodes(50);
        on_threads(2, || {
            Search::new(&puzzle).limits(limits.clone()).count();
            for method in [Method::Auto, Method::Regions] {
                let counter = Counter::new(&puzzle).limits(limits.clone()).method(method);
                counter.options(restless()).run();
            }
            Estimator::new(&puzzle)
                .limits(limits.clone())
                .populations(1)
                .run();
            Ambiguity::of(&puzzle, &limits);
        });
    }
}

#[test]
fn designs() {
    let rows = ["..##..", ".#..#.", "#....#", "#....#", ".#..#.", "..##.."];
    let goal = Grid::from_rows(&rows).unwrap();
    on_threads(2, || {
        let limits = Limits::default().nodes(20_000);
        Repair::new(&goal).limits(limits.clone()).run();
        Repair::new(&goal)
            .line_solvable(true)
            .limits(limits.clone())
            .run();
        Generator::new(8, 8).unwrap().seed(3).limits(limits).make(2);
    });
}

/// In this build every check of the stop flag and every lock may let another thread go first.
#[test]
fn from_1_to_64_threads() {
    let loose = Random(3).puzzle(7, 7, 0.3);
    let wanted = on_threads(1, || Search::new(&loose).count());
    let (grids, _) = on_threads(1, || Search::new(&loose).collect());
    let backbone = on_threads(1, || Search::new(&loose).backbone().0);
    for threads in [1, 2, 3, 5, 8, 16, 32, 64] {
        on_threads(threads, || {
            let outcome = Search::new(&loose)
                .options(Options {
                    settles_per_poll: 1,
                    ..Options::default()
                })
                .count();
            assert_eq!(outcome.solutions, wanted.solutions, "{threads} threads");
            let (found, _) = Search::new(&loose).collect();
            assert!(found == grids, "{threads} threads");
            for method in METHODS {
                let counter = Counter::new(&loose).method(method).options(restless());
                assert_eq!(
                    counter.run().solutions,
                    wanted.solutions,
                    "{threads} threads, {method:?}"
                );
            }
            assert_eq!(
                Search::new(&loose).backbone().0,
                backbone,
                "{threads} threads"
            );
        });
    }
}

/// A panic in a task, in a sink's thread or anywhere else ends the command with a message and status 70, whoever waits for it.
#[test]
fn a_panic_ends_the_command() {
    let scratch = Scratch::new("panics");
    let list = scratch.file("list");
    let loose = "puzzles/hard/random-12x12-density-0.35-seed-2.non";
    let verbs: [&[&str]; 11] = [
        &["count", "--method", "tree", LONG],
        &["count", "--method", "regions", loose],
        &["count", "--method", "frontier", loose],
        &["count", loose],
        &["count", "--estimate", loose],
        &["enumerate", LONG],
        &["enumerate", "--sort", "--output", &list, loose],
        &["check", loose],
        &["backbone", loose],
        &["solve", loose],
        &["sample", loose],
    ];
    let mut panicked = 0;
    for (i, verb) in verbs.iter().enumerate() {
        for (threads, checks) in [("1", 1), ("3", 1), ("3", 40), ("2", 900)] {
            let mut command = omnogram(verb);
            let command = command.args(["--threads", threads, "-q"]);
            let command = command.env("OMNOGRAM_PANIC", checks.to_string());
            let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let status = ends(&mut child);
            let mut said = String::new();
            let mut stderr = child.stderr.take().unwrap();
            stderr.read_to_string(&mut said).unwrap();
            let case = format!("{i}: {verb:?}, {threads} threads, check {checks}: {said}");
            // Some are answered before.
            if status == Some(0) || status == Some(1) {
                continue;
            }
            assert_eq!(status, Some(70), "{case}");
            let wanted = "error: internal error: checked: the panic that OMNOGRAM_PANIC wants (src";
            assert!(
                said.starts_with(wanted) && said.lines().count() == 1,
                "{case}"
            );
            panicked += 1;
        }
    }
    assert!(panicked > 25, "{panicked}");
    // No draft stays behind.
    assert_eq!(std::fs::read_dir(&*scratch).unwrap().count(), 0);
}
