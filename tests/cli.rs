//! The command as its users meet it: snapshots of what it prints, in `cmd/`, and what snapshots cannot show: pipes that close, signals,
//! limits, and lists that are read back.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A puzzle that no test waits for: 479,001,600 solutions.
const LONG: &str = "puzzles/families/permutation-20.non";

fn omnogram(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omnogram"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    omnogram(arguments).output().expect("it runs")
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("UTF-8")
}

/// Runs it with this on standard input.
fn fed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = spawn(omnogram(arguments).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input).expect("it reads all");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn spawn(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
}

/// The exit status, if it ends soon.
fn ends(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child");
    None
}

/// Whole solutions of a permutation puzzle, and nothing else; how many.
fn whole(text: &str, side: usize) -> usize {
    assert!(text.is_empty() || text.ends_with(".\n\n") || text.ends_with("#\n\n"));
    let solutions = text.split_terminator("\n\n");
    solutions
        .inspect(|solution| {
            let rows: Vec<&str> = solution.lines().collect();
            assert_eq!(rows.len(), side);
            assert!(rows.iter().all(|row| row.len() == side));
        })
        .count()
}

#[test]
fn snapshots() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

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
        let mut child = spawn(&mut omnogram(&["count", "--algorithm", algorithm, LONG]));
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
    let mut child = spawn(&mut omnogram(&[
        "count",
        "--estimate",
        "--time",
        "1h",
        LONG,
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

/// A loose puzzle that nobody counts in a moment, by the means of `--method auto`.
#[test]
fn a_count_that_is_stopped_says_a_lower_bound() {
    let grid = common::Random(3).grid(30, 30, 0.3);
    let puzzle = omnogram::puzzle::Puzzle::from_grid(&grid);
    let clues = |lines: &[omnogram::puzzle::Clue]| -> Vec<Vec<usize>> {
        lines.iter().map(|clue| clue.lengths().collect()).collect()
    };
    let (rows, columns) = (clues(puzzle.rows()), clues(puzzle.columns()));
    let text = serde_json::json!({ "rows": rows, "columns": columns }).to_string();
    let started = Instant::now();
    let output = fed(&["count", "--time", "1s", "-"], text.as_bytes());
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

#[test]
fn sorted_lists_do_not_depend_on_threads() {
    let list = |threads: &str, how: &str| {
        let puzzle = "puzzles/families/permutation-7.non";
        let output = output(&["enumerate", how, "--threads", threads, "-q", puzzle]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(stderr(&output), "");
        output.stdout
    };
    let one = list("1", "--sort");
    assert_eq!(whole(str::from_utf8(&one).expect("UTF-8"), 7), 5040);
    assert!(one == list("2", "--sort") && one == list("4", "--sort"));
    assert!(one == list("3", "--distinct"));
}

#[test]
fn lists_are_read_back() {
    let puzzle = "puzzles/families/permutation-7.non";
    for format in ["text", "ndjson"] {
        let list = output(&["enumerate", "--format", format, puzzle]);
        assert_eq!(list.status.code(), Some(0));
        let verified = fed(&["verify", puzzle], &list.stdout);
        assert_eq!(
            stdout(&verified),
            "5040 solutions, all right, each once\n",
            "{verified:?}"
        );
        assert_eq!(verified.status.code(), Some(0));
        // Twice the same list: everything in the second half is repeated.
        let verified = fed(&["verify", puzzle], &list.stdout.repeat(2));
        assert_eq!(verified.status.code(), Some(65));
        assert_eq!(
            stdout(&verified),
            "10080 solutions, 0 wrong, 5040 repeated\n"
        );
        assert_eq!(stderr(&verified).lines().count(), 11);
        let torn = &list.stdout[..list.stdout.len() - 12];
        assert_eq!(fed(&["verify", puzzle], torn).status.code(), Some(65));
    }
}

#[test]
fn a_wrong_goal_is_only_warned_of() {
    let puzzle = b"width 2\nheight 1\nrows\n1\ncolumns\n1\n0\ngoal 01\n";
    let run = fed(&["solve", "-"], puzzle);
    assert_eq!((run.status.code(), stdout(&run)), (Some(0), "#.\n"));
    assert_eq!(
        stderr(&run),
        "warning: <stdin>: its goal is not a solution: column 1 has 0, its clue is 1\n"
    );
    assert_eq!(stderr(&fed(&["solve", "--quiet", "-"], puzzle)), "");
}

#[test]
fn a_file_gets_the_solutions_and_standard_output_the_summary() {
    let folder = std::env::temp_dir().join(format!("omnogram-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("list.ndjson");
    let name = file.to_str().expect("UTF-8");
    let puzzle = "puzzles/pictures/snail.non";
    let run = output(&["enumerate", "--json", "--output", name, puzzle]);
    assert_eq!(run.status.code(), Some(0));
    assert!(stdout(&run).contains("\"verdict\":\"multiple\",\"solutions\":\"145\",\"exact\":true"));
    assert_eq!(stdout(&run).lines().count(), 1);
    let verified = output(&["verify", puzzle, name]);
    assert_eq!(stdout(&verified), "145 solutions, all right, each once\n");

    // A folder without puzzles, and one that cannot be created in.
    let name = folder.to_str().expect("UTF-8");
    assert_eq!(output(&["count", name]).status.code(), Some(65));
    assert_eq!(
        output(&["enumerate", "-o", name, puzzle]).status.code(),
        Some(74)
    );
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    for arguments in [
        &["enumerate", "puzzles/pictures/key.non"],
        &["count", "puzzles/pictures/key.non"],
        &["show", "puzzles/pictures/key.non"],
    ] {
        let mut command = omnogram(arguments);
        let output = command.stdout(full().expect("a device")).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(74));
        assert_eq!(
            stderr(&output),
            "error: <stdout>: no space left on device\n"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_a_name() {
    use std::os::unix::ffi::OsStrExt;
    let folder = std::env::temp_dir().join(format!("omnogram-name-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(std::ffi::OsStr::from_bytes(b"caf\xe9.non"));
    std::fs::copy("puzzles/known/diagonals.non", &file).expect("a copy");
    for path in [&file, &folder] {
        let output = omnogram(&["count"]).arg(path).output().expect("it runs");
        assert_eq!(stdout(&output), "2\n");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn puzzles_searched_side_by_side_are_answered_in_order() {
    let answers = |threads: &str, verb: &str| {
        let output = omnogram(&[verb, "-q", "-j", threads])
            .args(["puzzles/pack.nonpack", "puzzles/bad", "puzzles/pictures"])
            .output()
            .expect("it runs");
        (output.status.code(), stdout(&output).to_owned())
    };
    for verb in ["check", "solve"] {
        let one = answers("1", verb);
        assert!(one.0 == Some(65) && one.1.lines().count() > 20);
        let (status, text) = answers("3", verb);
        // Which two solutions are found may differ, and so may the cells in which they do.
        let verdicts = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| line.contains("puzzles/"));
            lines
                .map(|line| line.split(',').next().unwrap_or_default().to_owned())
                .collect()
        };
        assert_eq!((status, verdicts(&text)), (one.0, verdicts(&one.1)));
    }
}

#[test]
fn progress_is_said_in_lines_where_there_is_no_terminal() {
    let always = ["--progress", "always", "--time", "1300ms", LONG];
    let output = output(&[&["count", "--method", "tree"][..], &always].concat());
    let first = stderr(&output).lines().next().expect("a line");
    assert!(
        first.starts_with(&format!("{LONG}: ")) && first.contains(" solutions, "),
        "{first}"
    );
}

/// Once, `--output` emptied its file before anything was read: a puzzle given twice by mistake was gone.
#[test]
fn an_output_file_is_not_emptied_for_nothing() {
    let folder = std::env::temp_dir().join(format!("omnogram-output-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("key.non");
    let puzzle = std::fs::read("puzzles/pictures/key.non").expect("a puzzle");
    std::fs::write(&file, &puzzle).expect("a file");
    let (name, among) = (
        file.to_str().expect("UTF-8"),
        folder.to_str().expect("UTF-8"),
    );
    for arguments in [
        ["enumerate", "--output", name, name],
        ["enumerate", "--output", name, among],
    ] {
        let output = output(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("would overwrite it"));
    }
    let output = output(&["enumerate", "--output", name, "puzzles/bad/empty.non"]);
    assert_eq!(output.status.code(), Some(65));
    assert_eq!(std::fs::read(&file).expect("a file"), puzzle);
    std::fs::remove_dir_all(&folder).expect("a folder");
}

/// A list without a grid, as a program that failed leaves it, is not called right.
#[test]
fn an_empty_list_is_called_empty() {
    let output = fed(&["verify", "puzzles/pictures/key.non"], b"");
    assert_eq!(stdout(&output), "0 solutions, the list is empty\n");
}

/// Titles and names cannot steer the terminal.
#[test]
fn control_characters_are_not_passed_on() {
    let text = "title \"a\x1b[31mred\x07\"\nwidth 1\nheight 1\nrows\n1\ncolumns\n1\n";
    let output = fed(&["show", "-"], text.as_bytes());
    assert!(stdout(&output).contains("a\u{fffd}[31mred\u{fffd}"));
    assert!(!stdout(&output).contains('\x1b'));
}

#[test]
fn figures_are_for_programs_too() {
    let arguments = "bench --quick --workload hard --threads 3 --repeat 1 --json";
    let output = output(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let objects: Vec<serde_json::Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let threads: Vec<_> = objects.iter().map(|object| &object["threads"]).collect();
    assert_eq!(threads, [1, 2, 3]);
    for object in &objects {
        assert_eq!(object["workload"], "hard");
        assert_eq!(object["solutions"], "1");
        assert_eq!(object["runs"].as_array().map(Vec::len), Some(1));
        assert_eq!(object["runs"][0], object["seconds"]);
        assert!(object["nodes"].as_u64() > Some(100));
        assert!(object["statistics"]["settles"].as_u64() > Some(100_000));
        assert!(object["machine"]["cores"].as_u64() > Some(0));
        let ratio = |name: &str| object[name].as_f64().expect("a number");
        let ideal = ratio("efficiency") * ratio("threads");
        assert!((ratio("speed_up") - ideal).abs() < 1e-4);
    }
    assert_eq!(objects[0]["speed_up"], 1.0);
}

#[test]
fn figures_are_drawn() {
    let folder = std::env::temp_dir().join(format!("omnogram-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("speed-up.svg");
    let draw = |file: &std::path::Path| {
        let arguments = "bench --quick --workload permutation --threads 2 --repeat 1 --svg";
        let mut command = omnogram(&arguments.split(' ').collect::<Vec<_>>());
        command.arg(file).output().expect("it runs")
    };
    let run = draw(&file);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert!(stdout(&run).contains("\npermutation       1 "), "{run:?}");
    let svg = std::fs::read_to_string(&file).expect("a picture");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains(">permutation</text>"));

    // A file that cannot be written is said before anything is measured.
    let run = draw(&folder);
    assert_eq!((run.status.code(), stdout(&run)), (Some(74), ""));
    std::fs::remove_dir_all(&folder).expect("removed");
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

/// What is asked of the space of all solutions needs all of them counted.
#[test]
fn a_space_that_cannot_be_counted_is_not_told_of() {
    let long = "puzzles/families/permutation-20.non";
    for arguments in [
        &["count", "--cells"][..],
        &["sample", "-n", "3"],
        &["enumerate", "--from", "2"],
    ] {
        let output = omnogram(arguments).args(["--nodes", "5", long]).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(
            stderr(&output).contains("stopped by --nodes 5"),
            "{output:?}"
        );
        assert!(!stdout(&output).contains('#'), "{output:?}");
        let text = format!("{}{}", stdout(&output), stderr(&output));
        assert!(text.contains("at least "), "{output:?}");
    }
}

#[test]
fn a_part_of_the_sorted_list_is_that_part() {
    let puzzle = "puzzles/pictures/snail.non";
    let all = output(&["enumerate", "--sort", "-q", puzzle]);
    let pictures: Vec<&str> = stdout(&all).split_inclusive("\n\n").collect();
    assert_eq!(pictures.len(), 145);
    for (from, limit) in [(1, 1000), (2, 1), (77, 10), (145, 3), (146, 3)] {
        let (k, n) = (from.to_string(), limit.to_string());
        let part = output(&["enumerate", "--from", &k, "--limit", &n, "-q", puzzle]);
        assert_eq!(part.status.code(), Some(0));
        let wanted = pictures.iter().skip(from - 1).take(limit);
        assert_eq!(stdout(&part), wanted.copied().collect::<String>());
    }
}

#[test]
fn samples_are_solutions_and_come_again() {
    let puzzle = "puzzles/pictures/harbour.non";
    let draw = |seed: &str| {
        output(&[
            "sample", "-n", "200", "--seed", seed, "-j", "1", "-q", puzzle,
        ])
    };
    let some = draw("5");
    assert_eq!(some.status.code(), Some(0));
    assert!(some.stdout == draw("5").stdout && some.stdout != draw("6").stdout);
    let verified = fed(&["verify", puzzle], &some.stdout);
    assert!(stdout(&verified).starts_with("200 solutions, 0 wrong, ") || verified.status.success());
}

#[test]
fn shares_are_drawn() {
    let folder = std::env::temp_dir().join(format!("omnogram-heat-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("key.svg");
    let name = file.to_str().expect("UTF-8");
    let puzzle = "puzzles/pictures/key.non";
    let run = output(&["count", "--cells", "--svg", name, puzzle]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let svg = std::fs::read_to_string(&file).expect("a picture");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("<title>row 1, column 3: 0.600000, filled in 3 of 5</title>"));
    let folder_name = folder.to_str().expect("UTF-8");
    let run = output(&["count", "--cells", "--svg", folder_name, puzzle]);
    assert_eq!(run.status.code(), Some(74));
    let copy = folder.join("key.non");
    std::fs::copy("puzzles/pictures/key.non", &copy).expect("a copy");
    let copy = copy.to_str().expect("UTF-8");
    let run = output(&["count", "--cells", "--svg", copy, copy]);
    assert_eq!(run.status.code(), Some(2));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_number_of_many_digits_comes_with_its_magnitude() {
    let count = |switches: usize, json: bool| {
        let puzzle = common::switches(switches);
        let clues = |lines: &[omnogram::puzzle::Clue]| -> Vec<Vec<usize>> {
            lines.iter().map(|clue| clue.lengths().collect()).collect()
        };
        let (rows, columns) = (clues(puzzle.rows()), clues(puzzle.columns()));
        let text = serde_json::json!({ "rows": rows, "columns": columns }).to_string();
        let arguments: &[&str] = if json {
            &["count", "--json", "-"]
        } else {
            &["count", "-"]
        };
        fed(arguments, text.as_bytes())
    };
    let large = count(60, true);
    assert!(
        stdout(&large)
            .contains(r#""solutions":"1152921504606846976","magnitude":"1.2e18","exact":true"#),
        "{large:?}"
    );
    assert!(!stdout(&count(29, true)).contains("magnitude"));
    // The number stands alone where programs read it, and so do they where standard error is no terminal.
    let text = count(60, false);
    assert_eq!(
        (stdout(&text), stderr(&text)),
        ("1152921504606846976\n", "")
    );
}

/// An empty folder for a test.
fn fresh(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("omnogram-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn many_puzzles_go_into_a_folder_or_a_pack() {
    let folder = fresh("convert");
    let out = folder.join("out");
    let path = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    let there = format!("{}/", path(&out));
    let run = output(&[
        "convert",
        "--to",
        "webpbn",
        "puzzles/pictures",
        "puzzles/pack.nonpack",
        &there,
    ]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), 22);
    assert!(names.contains(&"heart.xml".to_owned()) && names.contains(&"pack-3.xml".to_owned()));
    // Nothing is written over, unless that is asked for.
    let again = [
        "convert",
        "--to",
        "webpbn",
        "puzzles/pictures/heart.non",
        &there,
    ];
    let run = output(&again);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        stderr(&run).contains("is there already: --force"),
        "{run:?}"
    );
    assert_eq!(
        output(&[&again[..], &["--force"]].concat()).status.code(),
        Some(0)
    );
    // What is read never is.
    let heart = path(&out.join("heart.xml"));
    let run = output(&["convert", "--force", &heart, &heart]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("among the puzzles"), "{run:?}");

    let pack = path(&folder.join("all.nonpack"));
    let run = output(&["convert", &there, &pack]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let checked = output(&["check", "-q", &pack]);
    assert_eq!(stdout(&checked).lines().count(), 22);
    let piped = output(&["convert", &pack, "--to", "json", "-"]);
    let back = fed(&["convert", "-", "--to", "non", "-"], &piped.stdout);
    assert_eq!(back.stdout, std::fs::read(&pack).expect("a pack"));
    // Nothing is made when there is nothing to write.
    let none = path(&folder.join("none.non"));
    let run = output(&["convert", "puzzles/bad/empty.non", &none]);
    assert_eq!(run.status.code(), Some(65));
    assert!(!std::path::Path::new(&none).exists());
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_picture_becomes_a_puzzle_and_a_puzzle_a_picture() {
    let folder = fresh("pictures");
    let png = folder.join("cat.png");
    let name = png.to_str().expect("UTF-8");
    let cat = "puzzles/pictures/cat.non";
    assert_eq!(output(&["convert", "-q", cat, name]).status.code(), Some(0));
    let solution = |puzzle: &str| output(&["solve", puzzle]).stdout;
    assert_eq!(solution(name), solution(cat));
    let smaller = output(&[
        "convert",
        name,
        "--size",
        "7x5",
        "--threshold",
        "auto",
        "--invert",
        "--dither",
        "--to",
        "pbm-plain",
        "-",
    ]);
    assert!(stdout(&smaller).starts_with("P1\n7 5\n"), "{smaller:?}");
    let bad = output(&["convert", name, "--size", "0x5", "--to", "non", "-"]);
    assert_eq!(bad.status.code(), Some(2));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn clauses_go_to_a_pipe_that_closes() {
    let mut child = spawn(&mut omnogram(&["convert", LONG, "--to", "dimacs", "-"]));
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    assert_eq!(line, "c t pmc\n");
    drop(reader);
    assert!(ends(&mut child).is_some());
}

/// The commands stand in the README.
#[test]
fn the_pictures_that_are_shown_are_what_is_drawn() {
    for (arguments, file) in [
        (&["show", "--solution"][..], "castle"),
        (&["show", "--ambiguous"][..], "snail"),
    ] {
        let puzzle = format!("puzzles/pictures/{file}.non");
        let drawn = output(&[arguments, &["--format", "svg", &puzzle]].concat());
        assert_eq!(drawn.status.code(), Some(0), "{drawn:?}");
        let path = format!("{}/puzzles/shown/{file}.svg", env!("CARGO_MANIFEST_DIR"));
        let shown = std::fs::read_to_string(path).expect("a picture");
        assert!(
            stdout(&drawn) == shown,
            "{file} is drawn in another way now"
        );
    }
}

#[test]
fn drawings_go_where_they_are_sent() {
    let folder = fresh("drawings");
    let name = folder.to_str().expect("a name");
    let run = output(&[
        "show",
        "--solution",
        "--format",
        "png",
        "-o",
        name,
        "puzzles/pack.nonpack",
    ]);
    assert_eq!((run.status.code(), stdout(&run)), (Some(0), ""), "{run:?}");
    for file in ["pack-1.png", "pack-2.png", "pack-3.png"] {
        let bytes = std::fs::read(folder.join(file)).expect("a file");
        assert!(bytes.starts_with(b"\x89PNG"));
    }
    let twice = [
        "show",
        "-o",
        name,
        "puzzles/pictures/heart.non",
        "puzzles/pictures/heart.non",
    ];
    let run = output(&twice);
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert!(stderr(&run).contains("a puzzle or another drawing has this name"));

    let list = folder.join("key.txt");
    let list = list.to_str().expect("a name");
    let key = "puzzles/pictures/key.non";
    assert!(output(&["enumerate", "-o", list, key]).status.success());
    let page = folder.join("key.html");
    let drawn = [
        "show",
        "--solutions-from",
        list,
        "-o",
        page.to_str().expect("a name"),
        key,
    ];
    let run = output(&drawn);
    assert_eq!((run.status.code(), stderr(&run)), (Some(0), ""));
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert_eq!(
        (
            html.matches("<svg ").count(),
            html.matches("<summary>Solutions</summary>").count()
        ),
        (2, 1)
    );
    // A list of another puzzle is refused, and a list that would be overwritten is spared.
    let run = output(&[
        "show",
        "--solutions-from",
        list,
        "puzzles/pictures/heart.non",
    ]);
    assert_eq!(run.status.code(), Some(65));
    let run = output(&["show", "--solutions-from", list, "-o", list, key]);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        std::fs::read_to_string(list)
            .expect("a list")
            .starts_with(['.', '#'])
    );
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn every_shell_gets_completions_and_every_verb_a_page() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = output(&["completions", shell]);
        assert_eq!(run.status.code(), Some(0));
        assert!(stdout(&run).contains("enumerate") && stdout(&run).contains("solutions-from"));
    }
    let page = output(&["man"]);
    assert!(stdout(&page).contains(".TH omnogram 1"), "{page:?}");
    let page = output(&["man", "show"]);
    assert!(stdout(&page).contains(".TH omnogram-show 1"), "{page:?}");
    let folder = fresh("manual");
    let run = output(&["man", "--dir", folder.to_str().expect("a name")]);
    assert_eq!((run.status.code(), stdout(&run)), (Some(0), ""));
    for verb in ["", "-solve", "-show", "-count", "-completions", "-man"] {
        assert!(folder.join(format!("omnogram{verb}.1")).is_file(), "{verb}");
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}
