//! Runs in pieces: split, work and merge against the plain search, and against what may go wrong on the way.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::command::{
    Scratch, answer, ended, omnogram, output, split, stderr, stdout, words,
};
use crate::common::pieces::{cubes_of, lines, merged, pieces, work};
use crate::common::{METHODS, Random, beside, brute_force, corpus, permutation, switches};
use omnogram::cluster::{Mode, UnitResult};
use omnogram::count::Method;
use omnogram::puzzle::{Cell, Puzzle};
use omnogram::search::{Cube, Decision, Limits, Search};
use omnogram::solutions::{Count, CountSink, Set};

/// Puzzles of some kinds: with many solutions, one, none; that fall apart, and that do not.
fn some() -> Vec<Puzzle> {
    let mut random = Random(5);
    let mut puzzles = vec![permutation(1), permutation(5), switches(4)];
    puzzles.extend((0..12).map(|i| {
        let (width, height) = (3 + random.below(6), 3 + random.below(5));
        random.puzzle(width, height, 0.25 + 0.03 * f64::from(i))
    }));
    puzzles.push(crate::common::puzzle(&[&[1], &[1]], &[&[2], &[1]]));
    let several = random.puzzle(6, 6, 0.3);
    puzzles.push(beside(&permutation(4), &beside(&several, &permutation(3))));
    puzzles.push(beside(
        &permutation(4),
        &crate::common::puzzle(&[&[1], &[1]], &[&[2], &[1]]),
    ));
    puzzles
}

/// What falls apart is searched once, not in every cube.
#[test]
fn two_puzzles_in_one_cost_no_more_than_both() {
    let puzzle = beside(&permutation(7), &permutation(6));
    let plain = crate::common::on_threads(1, || {
        omnogram::count::Counter::new(&puzzle)
            .method(Method::Tree)
            .run()
    });
    assert_eq!(plain.solutions.number(), &Count::from(5040 * 720));
    let cubes: Vec<_> = pieces(&puzzle, 300)
        .into_iter()
        .map(|piece| piece.unit)
        .collect();
    for mode in [Mode::Count(Method::Tree), Mode::List] {
        let answers = work(&puzzle, mode, 1, cubes.clone(), Limits::default);
        let number = |answer: &UnitResult| answer.count.clone();
        let sum = answers.iter().map(number).fold(Count::ZERO, |sum, count| {
            let mut sum = sum;
            sum += &count;
            sum
        });
        assert_eq!(&sum, plain.solutions.number());
        let nodes: u64 = answers.iter().map(|answer| answer.nodes).sum();
        assert!(
            10 * nodes < 11 * plain.statistics.nodes + 10 * 300,
            "{nodes} for {plain:?}"
        );
    }
}

/// What was counted of a region is no list of it.
#[test]
fn cubes_are_counted_and_listed_by_turns() {
    let puzzle = beside(&permutation(4), &permutation(3));
    let cubes = pieces(&puzzle, 12);
    Search::new(&puzzle).incremental(&mut |search_cube| {
        let mut all = Vec::new();
        let mut sum = Count::ZERO;
        for piece in &cubes {
            let counted = search_cube(&piece.unit, &Limits::default(), &CountSink::new());
            sum += counted.solutions.number();
            let set = Set::new(1 << 20);
            search_cube(&piece.unit, &Limits::default(), &set);
            all.extend(set.into_sorted(puzzle.width(), puzzle.height()));
        }
        all.sort();
        assert_eq!(all, Search::new(&puzzle).collect().0);
        assert_eq!(sum, Count::from(144));
    });
}

/// Cubes in any order, of any shape, whatever was searched before them.
#[test]
fn cubes_that_decide_in_several_regions() {
    let puzzle = beside(&permutation(4), &permutation(3));
    let cell = |row, column, filled| Decision {
        cell: Cell::new(row, column),
        filled,
    };
    let (first, second) = (cell(0, 0, true), cell(5, 5, true));
    let not = |decision: Decision| Decision {
        filled: !decision.filled,
        ..decision
    };
    let cubes: Vec<Cube> = [
        vec![first, second],
        vec![first, not(second)],
        vec![first],
        vec![not(first)],
        vec![not(first), cell(1, 0, true), second],
        vec![not(first), cell(1, 0, true)],
        vec![second, first],
        vec![second, cell(6, 6, true), not(first)],
        vec![not(second), cell(5, 6, false)],
        vec![],
    ]
    .map(|path| Cube { path })
    .into();
    let expected = |cube: &Cube| Search::new(&puzzle).cubes(vec![cube.clone()]).count();
    let mut random = Random(3);
    for _ in 0..50 {
        let some: Vec<Cube> = (0..8)
            .map(|_| cubes[random.below(cubes.len())].clone())
            .collect();
        for mode in [Mode::Count(Method::Tree), Mode::List] {
            let answers = work(&puzzle, mode, 1, some.clone(), Limits::default);
            for (cube, answer) in some.iter().zip(&answers) {
                assert_eq!(&answer.count, expected(cube).solutions.number(), "{cube:?}");
            }
        }
    }
}

#[test]
fn cubes_are_disjoint_and_hold_everything() {
    for puzzle in some() {
        let (all, _) = Search::new(&puzzle).collect();
        if puzzle.width() <= 10 {
            assert_eq!(all, brute_force(&puzzle));
        }
        for cubes in [1, 2, 7, 40] {
            let pieces = pieces(&puzzle, cubes);
            let mut found = Vec::new();
            for piece in &pieces {
                found.extend(
                    Search::new(&puzzle)
                        .cubes(vec![piece.unit.clone()])
                        .collect()
                        .0,
                );
            }
            found.sort();
            assert_eq!(found, all);
        }
    }
}

#[test]
fn a_split_repeats_whatever_the_threads() {
    let puzzle = permutation(7);
    let split = |threads| crate::common::on_threads(threads, || lines(&pieces(&puzzle, 100)));
    let one = split(1);
    assert_eq!(one, split(2));
    assert_eq!(one.lines().count(), 100);
}

/// The permutation puzzle and a real picture: no cube holds up all the others, and together they take little more than the plain run.
#[test]
fn a_split_is_balanced_and_costs_little() {
    let picture = corpus::read("bench/ambiguous-quick.non");
    for puzzle in [permutation(8), picture] {
        let plain = crate::common::on_threads(1, || {
            omnogram::count::Counter::new(&puzzle)
                .method(Method::Tree)
                .run()
        });
        let pieces = pieces(&puzzle, 300);
        let cubes = cubes_of(&pieces);
        let answers = work(
            &puzzle,
            Mode::Count(Method::Tree),
            1,
            cubes,
            Limits::default,
        );
        let nodes: Vec<u64> = answers.iter().map(|answer| answer.nodes).collect();
        let (sum, largest) = (nodes.iter().sum::<u64>(), *nodes.iter().max().unwrap());
        assert!(20 * largest < sum, "{largest} of {sum}");
        assert!(
            10 * sum < 11 * plain.statistics.nodes + 10 * 300,
            "{sum} for {plain:?}"
        );
    }
}

#[test]
fn pieces_add_up_to_the_plain_answer_by_every_method() {
    for puzzle in some() {
        let plain = Search::new(&puzzle).count().solutions;
        let pieces = pieces(&puzzle, 20);
        let modes = METHODS.map(Mode::Count).into_iter().chain([Mode::List]);
        for mode in modes {
            let cubes = cubes_of(&pieces);
            let answers = work(&puzzle, mode, 2, cubes, Limits::default);
            let sum = merged(&pieces, &[&lines(&answers)]);
            assert_eq!(sum.solutions, plain, "{mode:?}");
            assert!(sum.problems.is_empty() && sum.missing.is_empty());
        }
    }
}

#[test]
fn stopped_anywhere_nothing_is_lost_or_doubled() {
    for (seed, puzzle) in (0..).zip(some()) {
        let plain = Search::new(&puzzle).count().solutions;
        for mode in [
            Mode::Count(Method::Tree),
            Mode::List,
            Mode::Count(Method::Regions),
        ] {
            let pieces = pieces(&puzzle, 3);
            let mut results = Vec::new();
            let mut random = Random(seed);
            let mut sum = merged(&pieces, &[]);
            for round in 0.. {
                assert!(!sum.solutions.is_exact() && round < 400);
                let cubes = sum.missing.iter().map(|piece| piece.unit.clone()).collect();
                // Stopped by the clock, so that what cannot be left in the middle is cut; at last not at all.
                let checks = (round < 40).then(|| 1 + random.below(30 + 10 * round) as u64);
                let by_clock = round % 2 == 0;
                let answers = work(&puzzle, mode, 1, cubes, move || {
                    Limits::default()
                        .checks(checks.filter(|_| !by_clock))
                        .nodes(checks.filter(|_| by_clock))
                });
                results.push(lines(&answers));
                let all: Vec<&str> = results.iter().map(String::as_str).collect();
                sum = merged(&pieces, &all);
                assert!(sum.problems.is_empty(), "{:?}", sum.problems);
                assert!(sum.solutions.number() <= plain.number());
                if sum.missing.is_empty() {
                    break;
                }
            }
            assert_eq!(sum.solutions, plain);
        }
    }
}

/// The commands on every puzzle that is quick enough, and the lists byte for byte.
#[test]
fn split_work_and_merge_agree_with_the_plain_verbs() {
    let scratch = Scratch::new("agree");
    let [cubes, results, found] = scratch.files(["cubes", "results", "found"]);
    let mut tried = 0;
    for row in corpus::answers() {
        let puzzle = format!("puzzles/{}", row.name);
        let _ = fs::remove_dir_all(&found);
        answer(&["split", "-qf", "--cubes", "12", "--output", &cubes, &puzzle]);
        let count = ended(0, &["work", "-q", "--puzzle", &puzzle, &cubes]);
        fs::write(&results, &count.stdout).unwrap();
        let merged = answer(&["merge", &cubes, &results]);
        assert_eq!(merged, row.solutions, "{puzzle}");
        if row.has_at_most(20_000) {
            let list = ended(
                0,
                &words(&format!(
                    "work -q --puzzle {puzzle} --solutions-dir {found} {cubes}"
                )),
            );
            fs::write(&results, &list.stdout).unwrap();
            let merged = answer(&words(&format!(
                "merge --sort --solutions-dir {found} {cubes} {results}"
            )));
            assert_eq!(
                merged,
                answer(&["enumerate", "--sort", &puzzle]),
                "{puzzle}"
            );
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
}

/// The batch systems' warning: what is under way is handed back, and the total stays exact.
#[cfg(unix)]
#[test]
fn work_that_is_told_to_terminate_hands_back_what_is_open() {
    let scratch = Scratch::new("term");
    let [one, two, missing] = scratch.files(["one", "two", "missing"]);
    let puzzle = "puzzles/families/permutation-10.non";
    let cubes = split(&scratch, "6", puzzle);
    let task = ["work", "--puzzle", puzzle, "-j1", "--method", "tree"];
    let child = omnogram(&[&task[..], &[&cubes]].concat())
        .stdout(fs::File::create(&one).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(60));
    let kill = Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert!([Some(3), Some(0)].contains(&done.status.code()), "{done:?}");
    let text = fs::read_to_string(&one).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    let merge = output(&["merge", "--missing", &missing, &cubes, &one]);
    if done.status.code() == Some(3) {
        assert_eq!(merge.status.code(), Some(3), "{merge:?}");
        assert!(
            stdout(&merge).trim_end().starts_with("at least "),
            "{merge:?}"
        );
        let rest = omnogram(&[&task[..], &[&missing]].concat())
            .stdout(fs::File::create(&two).unwrap())
            .output()
            .unwrap();
        assert_eq!(rest.status.code(), Some(0), "{rest:?}");
    } else {
        fs::write(&two, "").unwrap();
    }
    assert_eq!(answer(&["merge", &cubes, &one, &two]), "3628800");
}

#[test]
fn bad_cubes_are_named_and_the_others_worked_on() {
    let scratch = Scratch::new("bad");
    let results = scratch.file("results");
    let (puzzle, other) = (
        "puzzles/families/permutation-5.non",
        "puzzles/families/permutation-6.non",
    );
    let cubes = split(&scratch, "5", puzzle);
    let text = fs::read_to_string(&cubes).unwrap();
    let strange = answer(&["split", "-q", "-n", "2", other]);
    fs::write(&cubes, format!("{}x{text}{strange}", &text[..40])).unwrap();
    let done = ended(65, &["work", "--puzzle", puzzle, &cubes]);
    let said = stderr(&done);
    assert!(
        said.contains(&format!("{cubes}:1:1: ")) && said.contains("belongs to another puzzle"),
        "{said}"
    );
    fs::write(&results, &done.stdout).unwrap();
    assert_eq!(stdout(&done).trim_end().lines().count(), 4);
    assert!(Path::new(&results).exists());
}

/// On a cluster whose workers are killed while they work, and to which one is added late, the total is exact. Runs where Python has the
/// packages; `OMNOGRAM_PYTHON` names one that has.
#[cfg(unix)]
#[test]
fn a_dask_cluster_whose_workers_die() {
    let python = std::env::var("OMNOGRAM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python)
        .args(["-c", "import dask, distributed"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        eprintln!("skipped: {python} has no dask and distributed");
        return;
    }
    let done = Command::new(&python)
        .args(["tests/dask.py", env!("CARGO_BIN_EXE_omnogram")])
        .args(["puzzles/families/permutation-10.non", "3628800"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
}
