//! A goal that a file gives, and that is a solution, is the first solution: `check` asks only whether there is another.

use crate::common::command::{ended, fed, output, stderr, stdout};
use crate::common::{Random, brute_force, corpus, eager, on_threads};
use omnogram::puzzle::{Clue, Grid, Puzzle, verify};
use omnogram::search::{Limits, Options, Probing, Search, Total, Verdict};
use omnogram::solutions::Stop;

/// Clause learning at once and all the time, or never, with and without probing.
fn options() -> [Options; 3] {
    let bare = Options {
        probing: Probing::Never,
        ..eager()
    };
    let tree = Options {
        sat_after_settles: None,
        ..Options::default()
    };
    [eager(), bare, tree]
}

#[test]
fn a_second_solution_is_found_wherever_there_is_one() {
    let mut source = Random(5);
    let (mut unique, mut far) = (0, 0);
    for round in 0..600 {
        let grid = source.any_grid(6);
        let puzzle = Puzzle::from_grid(&grid);
        let all = brute_force(&puzzle);
        let options = &options()[round % 3];
        let threads = 1 + round % 2;
        let search = || Search::new(&puzzle).options(options.clone()).second(&grid);
        let (found, outcome) = on_threads(threads, search);
        assert_eq!(found[0], grid);
        assert_eq!(found.len(), all.len().min(2), "{grid}");
        match &found[..] {
            [_, other] => {
                assert_eq!(outcome.solutions.verdict(), Verdict::Multiple);
                assert_eq!(verify(&puzzle, other), Ok(()));
                assert_ne!(*other, grid);
                far += usize::from(distance(&grid, other) > 4);
                // Four cells is the least, and is found where one block moves by itself in each line.
                let least = all
                    .iter()
                    .map(|one| distance(&grid, one))
                    .filter(|&cells| cells > 0);
                assert!(distance(&grid, other) >= least.min().expect("another"));
            }
            _ => {
                assert_eq!(outcome.solutions.verdict(), Verdict::Unique, "{grid}");
                unique += 1;
            }
        }
    }
    assert!(unique > 50 && far > 2, "{unique} {far}");
}

/// Cells in which two pictures differ.
fn distance(a: &Grid, b: &Grid) -> u32 {
    let words = a.words().iter().zip(b.words());
    words.map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[test]
fn a_solution_that_is_known_stays_known_when_it_is_stopped() {
    let mut source = Random(11);
    for checks in 0..60 {
        let grid = source.grid(12, 12, 0.45);
        let puzzle = Puzzle::from_grid(&grid);
        let limits = Limits::default().checks(checks);
        let eager = options()[0].clone();
        let (found, outcome) = Search::new(&puzzle)
            .options(eager)
            .limits(limits)
            .second(&grid);
        assert_eq!(found[0], grid);
        assert_ne!(outcome.solutions.verdict(), Verdict::None);
        if outcome.stopped == Some(Stop::Interrupt) {
            assert_eq!(outcome.solutions, Total::AtLeast(1u64.into()));
        }
    }
}

#[test]
fn what_is_no_solution_is_not_taken_for_one() {
    let one = || Clue::new([1]).expect("a clue");
    let puzzle = Puzzle::new(vec![one(), one()], vec![one(), one()]).expect("a puzzle");
    for wrong in [Grid::new(2, 2), Grid::new(3, 2)] {
        let (found, outcome) = Search::new(&puzzle).second(&wrong);
        assert_eq!(outcome.solutions.verdict(), Verdict::Multiple);
        assert!(found.len() == 2 && !found.contains(&wrong));
    }
}

/// It was `undecided`, and `no solution found yet`.
#[test]
fn a_goal_is_a_solution_before_any_search() {
    let puzzle = "puzzles/hard/stall-4x4.non";
    let run = ended(3, &["check", "--nodes", "0", puzzle]);
    assert_eq!(
        stdout(&run),
        format!("{puzzle}: undecided (stopped by --nodes 0, at least one solution: the goal)\n")
    );
    let run = output(&["check", "--json", "--nodes", "0", puzzle]);
    assert!(
        stdout(&run)
            .contains(r#""verdict":"undecided","solutions":"1","exact":false,"stopped":"nodes""#),
        "{run:?}"
    );
    assert!(stdout(&run).ends_with("\"goal\":true}\n"), "{run:?}");
    assert_eq!(
        stdout(&output(&["check", puzzle])),
        format!("{puzzle}: unique\n")
    );
}

/// Nothing is searched where four cells of the goal can be switched.
#[test]
fn the_second_solution_is_near_the_goal() {
    let run = ended(
        1,
        &["check", "--nodes", "0", "puzzles/pictures/observatory.non"],
    );
    assert!(stdout(&run).contains("multiple, these two differ in 4 cells\n"));
    assert!(stdout(&run).contains("1 in the goal only, 2 in the other only\n"));
    let run = output(&["check", "--json", "puzzles/pictures/observatory.non"]);
    let answer: serde_json::Value = serde_json::from_str(stdout(&run)).expect("JSON");
    let puzzle = corpus::read("pictures/observatory.non");
    let goal = puzzle.notes().goal.as_ref().expect("a goal").to_string();
    let rows: Vec<&str> = goal.lines().collect();
    assert_eq!(answer["examples"][0], serde_json::json!(rows));
    assert_eq!(answer["differs"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_wrong_goal_is_said_to_be_wrong() {
    let puzzle = b"width 2\nheight 2\nrows\n1\n1\ncolumns\n1\n1\ngoal 1010\n";
    let run = fed(&["check", "--json", "-"], puzzle);
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).starts_with("warning: <stdin>: its goal is not a solution: "));
    assert!(stdout(&run).ends_with("\"goal\":false}\n"), "{run:?}");
    assert!(stdout(&run).contains(r#""verdict":"multiple","solutions":"2""#));
    let run = fed(&["check", "-"], puzzle);
    assert!(stdout(&run).contains("1 in the first only, 2 in the second only\n"));
    let without = b"width 1\nheight 1\nrows\n1\ncolumns\n1\n";
    assert!(stdout(&fed(&["check", "--json", "-"], without)).ends_with("\"goal\":null}\n"));
}

#[test]
fn a_classic_algorithm_looks_for_another_solution_than_the_goal() {
    for (algorithm, puzzle, verdict) in [
        ("backtracking", "puzzles/hard/stall-4x4.non", "unique"),
        ("backtracking", "puzzles/pictures/key.non", "multiple"),
    ] {
        let run = output(&["classic", algorithm, "--check", puzzle]);
        assert!(
            stdout(&run).starts_with(&format!("{puzzle}: {verdict}")),
            "{run:?}"
        );
    }
}
