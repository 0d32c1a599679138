//! The table of answers: every puzzle of `puzzles/` by every engine and thread count, and the real puzzles beside the project.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::common::corpus::{KnownPuzzle, answers, files, folder, read};
use crate::common::on_threads;
use omnogram::board::{Board, Clues};
use omnogram::line::Wide;
use omnogram::puzzle::verify;
use omnogram::search::{Limits, Options, Probing, Search, Total, Verdict};
use omnogram::solutions::Count;

/// Every file of the folder is in the table.
#[test]
fn the_table_is_complete() {
    let answers = answers();
    let folder = folder();
    let mut files = 0;
    for group in ["pictures", "known", "families", "hard", "bench", "edge"] {
        for file in std::fs::read_dir(folder.join(group)).unwrap() {
            let name = format!("{group}/{}", file.unwrap().file_name().to_str().unwrap());
            assert!(
                answers.iter().any(|answer| answer.name == name),
                "{name} has no answer"
            );
            files += 1;
        }
    }
    assert!(files > 80);
}

#[test]
fn counted_with_every_number_of_threads() {
    for KnownPuzzle {
        name,
        puzzle,
        solutions,
        ..
    } in answers()
    {
        // A permutation puzzle is counted leaf by leaf; the table knows 12! and 20! for another method.
        if name.ends_with("permutation-12.non") || name.ends_with("permutation-20.non") {
            let limits = Limits::default().nodes(100_000);
            let outcome = Search::new(&puzzle).limits(limits).count();
            assert!(
                !outcome.is_complete() && outcome.solutions.number() > &Count::from(10_000),
                "{name}"
            );
            continue;
        }
        for threads in [1, 2, 4] {
            let total = on_threads(threads, || Search::new(&puzzle).count().solutions);
            assert!(total.is_exact());
            assert_eq!(total.to_string(), solutions, "{name} on {threads} threads");
        }
    }
}

#[test]
fn listed_with_every_engine() {
    let engines = [
        Options::default(),
        Options {
            probing: Probing::Always,
            ..Options::default()
        },
        Options {
            probing: Probing::Root,
            region_bytes: 1 << 10,
            ..Options::default()
        },
    ];
    for KnownPuzzle {
        name,
        puzzle,
        solutions,
        listable,
        ..
    } in answers()
    {
        // What takes the search a second takes an engine without its habits minutes.
        if !listable || solutions.len() > 6 || name.starts_with("bench/") {
            continue;
        }
        let mut first = None;
        for (i, options) in engines.iter().enumerate() {
            let (grids, outcome) = on_threads(1 + i, || {
                Search::new(&puzzle).options(options.clone()).collect()
            });
            assert_eq!(outcome.solutions.to_string(), solutions, "{name}");
            assert_eq!(
                grids.len().to_string(),
                solutions,
                "{name}: a solution came twice"
            );
            if first.is_none() {
                assert!(
                    grids.iter().all(|grid| verify(&puzzle, grid).is_ok()),
                    "{name}"
                );
                first = Some(grids);
            } else {
                assert!(first.as_ref() == Some(&grids), "{name}");
            }
        }
    }
}

/// Propagation alone decides exactly the puzzles that the table says, whatever the word.
#[test]
fn line_solving_alone() {
    for KnownPuzzle {
        name,
        puzzle,
        line_solvable,
        ..
    } in answers()
    {
        let clues = Clues::new(&puzzle);
        let mut board = Board::<Wide<8>>::new(&clues);
        let solved = board.propagate() && board.unknown() == 0;
        assert_eq!(solved, line_solvable, "{name}");
    }
}

/// Goals are solutions, and are among those listed.
#[test]
fn goals_are_solutions() {
    let mut goals = 0;
    for KnownPuzzle { name, puzzle, .. } in answers() {
        if let Some(goal) = &puzzle.notes().goal {
            assert_eq!(verify(&puzzle, goal), Ok(()), "{name}");
            goals += 1;
        }
    }
    assert!(goals > 15);
}

/// Real puzzles by other people, where they lie beside the project: verdicts, but for those that take longer than a test may.
#[test]
fn real_puzzles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/puzzles");
    if !folder.is_dir() {
        println!(
            "skipped: there is no {} with real puzzles",
            folder.display()
        );
        return;
    }
    let groups = ["survey", "nonogram-db", "minizinc", "csplib"];
    let mut paths = groups.map(|group| files(&folder.join(group))).concat();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "non"));
    assert_eq!(paths.len(), 14 + 39 + 26 + 6);
    // Hard for a search without clause learning: over ten seconds each, or unknown to anyone.
    let long = [
        "knotty",
        "faase",
        "dom_10",
        "dom_12",
        "dom_14",
        "non_fast_10",
    ];
    let counts = BTreeMap::from([("non_med_3", "2"), ("non_micro", "3"), ("p01", "2")]);
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let puzzle = read(path.to_str().unwrap());
        let limits = Limits::default().time(Duration::from_secs(60));
        let search = Search::new(&puzzle).limits(limits);
        if long.contains(&name) {
            let limits = Limits::default().time(Duration::from_millis(300));
            let outcome = search.limits(limits).count();
            assert!(outcome.solutions.verdict() != Verdict::None, "{name}");
            continue;
        }
        let expected = counts.get(name).copied().unwrap_or("1");
        let outcome = search.count();
        assert_eq!(
            outcome.solutions,
            Total::Exactly(Count::from(expected.parse::<u64>().unwrap())),
            "{name}"
        );
        let (grids, _) = search.first(1);
        assert_eq!(verify(&puzzle, &grids[0]), Ok(()), "{name}");
    }
}
