//! Runs that end before they are done: pipes that close, signals, limits.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::command::{
    LONG, ends, fed, interrupt, omnogram, output, spawn, stderr, stdout, whole,
};

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for more in [&["--format", "text"], &["--format", "ndjson"]] {
        let mut child = spawn(omnogram(&["enumerate", LONG]).args(more));
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        assert!((0..3).all(|_| lines.next().is_some_and(|line| line.is_ok())));
        drop(lines);
        assert_eq!(ends(&mut child), Some(3));
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut said).expect("UTF-8");
        assert_eq!(said, "");
    }
}

/// Once, the other threads waited for further cubes for ever when the results could not be written.
#[test]
fn a_worker_whose_results_nobody_reads_ends_while_its_input_is_open() {
    let cubes = std::fs::read_to_string("tests/cmd/key-cubes.jsonl").expect("cubes");
    let arguments = [
        "work",
        "--puzzle",
        "puzzles/pictures/key.non",
        "--threads",
        "4",
        "-",
    ];
    let mut child = spawn(omnogram(&arguments).stdin(Stdio::piped()));
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(cubes.as_bytes()).expect("it reads");
    assert_eq!(ends(&mut child), Some(3));
    drop(input);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_count_with_a_lower_bound() {
    let mut child = spawn(&mut omnogram(&[
        "count",
        "--method",
        "tree",
        LONG,
        "puzzles/known",
    ]));
    std::thread::sleep(Duration::from_millis(400));
    interrupt(&child);
    assert_eq!(ends(&mut child), Some(3));
    let output = child.wait_with_output().expect("it has ended");
    let bound = format!("{LONG}: at least ");
    assert!(stdout(&output).starts_with(&bound), "{output:?}");
    assert_eq!(stdout(&output).lines().count(), 1);
    assert!(stderr(&output).contains("interrupted after"));
    assert!(stderr(&output).ends_with("interrupted: 6 files not begun\n"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_classic_with_a_lower_bound() {
    for algorithm in ["exhaustive", "deducing", "set-based", "line-order"] {
        let mut child = spawn(&mut omnogram(&["classic", algorithm, "--count", LONG]));
        std::thread::sleep(Duration::from_millis(400));
        interrupt(&child);
        assert_eq!(ends(&mut child), Some(3), "{algorithm}");
        let output = child.wait_with_output().expect("it has ended");
        assert!(stdout(&output).starts_with("at least "), "{output:?}");
        assert!(stderr(&output).contains("interrupted after"), "{output:?}");
    }
}

/// Nobody could list all of these arrangements; the first ones come at once.
#[test]
fn a_line_is_listed_as_it_comes() {
    for more in [&[][..], &["--json"]] {
        let mut child = spawn(omnogram(&["line", &"1 ".repeat(40), "--length", "400"]).args(more));
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut first = [0; 2000];
        stdout.read_exact(&mut first).expect("arrangements");
        drop(stdout);
        assert_eq!(ends(&mut child), Some(3));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_an_estimate_with_what_there_is() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/loose.json");
    std::fs::write(file, loose()).expect("a file");
    let mut child = spawn(&mut omnogram(&[
        "count",
        "--estimate",
        "--time",
        "1h",
        file,
    ]));
    std::thread::sleep(Duration::from_millis(400));
    interrupt(&child);
    assert_eq!(ends(&mut child), Some(3));
    let output = child.wait_with_output().expect("it has ended");
    assert!(stdout(&output).contains("(estimate; "), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_whole_solutions() {
    let mut child = spawn(&mut omnogram(&["enumerate", "--threads", "2", LONG]));
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    stdout.read_line(&mut text).expect("a line");
    interrupt(&child);
    stdout.read_to_string(&mut text).expect("UTF-8");
    assert_eq!(ends(&mut child), Some(3));
    let written = whole(&text, 20);
    let said = child.wait_with_output().expect("it has ended");
    let wanted = format!("{LONG}: at least {written} solutions (interrupted)");
    assert!(stderr(&said).starts_with(&wanted), "{said:?}");
}

/// Nobody reads what it writes, so that the first interrupt cannot end it.
#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_it_at_once() {
    let mut child = spawn(&mut omnogram(&["enumerate", LONG]));
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut String::new()).expect("a line");
    std::thread::sleep(Duration::from_millis(100));
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(child.try_wait().expect("a child"), None);
    interrupt(&child);
    assert_eq!(ends(&mut child), Some(130));
}

/// A loose puzzle that nobody counts in a moment.
fn loose() -> String {
    let grid = crate::common::Random(3).grid(30, 30, 0.3);
    let puzzle = omnogram::puzzle::Puzzle::from_grid(&grid);
    let clues = |lines: &[omnogram::puzzle::Clue]| -> Vec<Vec<usize>> {
        lines.iter().map(|clue| clue.lengths().collect()).collect()
    };
    let (rows, columns) = (clues(puzzle.rows()), clues(puzzle.columns()));
    serde_json::json!({ "rows": rows, "columns": columns }).to_string()
}

#[test]
fn a_count_that_is_stopped_says_a_lower_bound() {
    let text = loose();
    let started = Instant::now();
    // On a busy machine one second is not always enough for two solutions.
    let output = fed(&["count", "--time", "3s", "-"], text.as_bytes());
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let bound = stdout(&output).strip_prefix("at least ").expect("a bound");
    assert!(bound.trim().parse::<u64>().is_ok_and(|bound| bound > 1));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[cfg(unix)]
#[test]
fn an_interrupt_while_reading_ends_it_at_once() {
    let mut child = spawn(omnogram(&["check", "-"]).stdin(Stdio::piped()));
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(ends(&mut child), Some(130));
}

#[test]
fn every_limit_is_named_where_it_stops_a_run() {
    let cases: [(&[&str], &str, &str); 4] = [
        (&["enumerate", "--limit", "100"], "limit", "--limit 100"),
        (
            &["count", "--method", "tree", "--time", "50ms"],
            "time",
            "--time 50ms",
        ),
        (&["count", "--nodes", "1_00"], "nodes", "--nodes 100"),
        (
            &["enumerate", "--sort", "--memory", "1M"],
            "memory",
            "--memory 1M",
        ),
    ];
    for (arguments, word, option) in cases {
        let started = Instant::now();
        let text = omnogram(arguments).arg(LONG).output().expect("it runs");
        assert_eq!(text.status.code(), Some(3), "{text:?}");
        assert!(stderr(&text).contains(&format!("stopped by {option}")));
        if arguments[0] == "enumerate" {
            let written = whole(stdout(&text), 20);
            assert!(stderr(&text).contains(&format!("at least {written} solutions")));
        } else {
            assert!(stdout(&text).starts_with("at least "));
        }
        let json = omnogram(arguments).args(["--json", LONG]).output();
        let json = json.expect("it runs");
        assert_eq!(json.status.code(), Some(3), "{json:?}");
        let last = stdout(&json).lines().last().expect("an object");
        assert!(last.contains(&format!("\"exact\":false,\"stopped\":\"{word}\"")));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// Two million solutions stand in a single bundle, of which only writing takes time.
#[test]
fn a_time_limit_holds_while_one_bundle_is_written() {
    let started = Instant::now();
    let puzzle = "puzzles/families/switches-20.non";
    let output = output(&["enumerate", "--time", "50ms", puzzle]);
    assert_eq!(output.status.code(), Some(3));
    assert!(started.elapsed() < Duration::from_secs(5));
    let written = whole(stdout(&output), 84);
    assert!(written > 0);
    let wanted = format!("{puzzle}: at least {written} solutions (stopped by --time 50ms)");
    assert!(stderr(&output).starts_with(&wanted));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_measurement_with_what_there_is() {
    let arguments = "bench --quick --workload batch --workload hard --threads 1 --repeat 1000";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let mut child = spawn(&mut omnogram(&arguments));
    // The heading stands there before the first run.
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut String::new()).expect("a line");
    interrupt(&child);
    assert_eq!(ends(&mut child), Some(3));
    let mut table = String::new();
    stdout.read_to_string(&mut table).expect("UTF-8");
    assert!(!table.contains("hard"), "{table}");
    let said = child.wait_with_output().expect("it has ended");
    assert!(stderr(&said).ends_with("interrupted: the table is incomplete\n"));
}
