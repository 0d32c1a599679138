//! The command as its users meet it: snapshots of what it prints, in `cmd/`, and what snapshots cannot show: pipes that close, signals,
//! limits, and lists that are read back.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::command::{
    LONG, Scratch, assert_printed, ended, fed, omnogram, output, stderr, stdout, whole, words,
};

/// The status of a command of the shell, unless it is 0, and what it prints on either stream, as a page shows them.
fn printed(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_omnogram"));
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", binary.parent().unwrap())
        .stdin(Stdio::null())
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .spawn()
        .unwrap();
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    match child.wait().unwrap().code() {
        Some(0) => text,
        status => format!("? {}\n{text}", status.expect("no signal")),
    }
}

/// A page of `cmd/` as its commands would have it written: its blocks of code have commands, each after `$ `, and what they print.
fn replayed(page: &str) -> String {
    let mut replayed = String::new();
    for (i, part) in page.split_inclusive("```\n").enumerate() {
        if i % 2 == 0 {
            replayed += part;
            continue;
        }
        for line in part.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                replayed += &format!("{line}\n{}\n", printed(command));
            }
        }
        replayed += "```\n";
    }
    replayed
}

/// `SNAPSHOTS=overwrite` writes the pages anew. In them `[..]` stands for anything within a line.
#[test]
fn the_command_prints_what_its_pages_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut seen = 0;
    for file in folder.read_dir().unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let page = std::fs::read_to_string(&path).unwrap();
            snapbox::Assert::new()
                .action_env("SNAPSHOTS")
                .eq(replayed(&page), snapbox::Data::read_from(&path, None));
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn sorted_lists_do_not_depend_on_threads() {
    let list = |threads: &str, how: &str| {
        let puzzle = "puzzles/families/permutation-7.non";
        let output = ended(0, &["enumerate", how, "--threads", threads, "-q", puzzle]);
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
        let list = ended(0, &["enumerate", "--format", format, puzzle]);
        let verified = fed(&["verify", puzzle], &list.stdout);
        assert_eq!(
            stdout(&verified),
            "5040 solutions, all valid, no repeats\n",
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
    assert_printed(&run, 0, "#.\n");
    assert_eq!(
        stderr(&run),
        "warning: <stdin>: its goal is not a solution: column 1 has 0, its clue is 1\n"
    );
    assert_eq!(stderr(&fed(&["solve", "--quiet", "-"], puzzle)), "");
}

#[test]
fn a_file_gets_the_solutions_and_standard_output_the_summary() {
    let folder = Scratch::new("cli");
    let name = &folder.file("list.ndjson");
    let puzzle = "puzzles/pictures/snail.non";
    let run = ended(0, &["enumerate", "--json", "--output", name, puzzle]);
    assert!(stdout(&run).contains("\"verdict\":\"multiple\",\"solutions\":\"145\",\"exact\":true"));
    assert_eq!(stdout(&run).lines().count(), 1);
    let verified = output(&["verify", puzzle, name]);
    assert_eq!(stdout(&verified), "145 solutions, all valid, no repeats\n");

    // A folder without puzzles, and one that cannot be created in.
    let name = folder.to_str().expect("UTF-8");
    ended(65, &["count", name]);
    ended(74, &["enumerate", "-o", name, puzzle]);
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
    let folder = Scratch::new("name");
    let file = folder.join(std::ffi::OsStr::from_bytes(b"caf\xe9.non"));
    std::fs::copy("puzzles/known/diagonals.non", &file).expect("a copy");
    for path in [file.as_path(), &folder] {
        let output = omnogram(&["count"]).arg(path).output().expect("it runs");
        assert_eq!(stdout(&output), "2\n");
    }
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
    let folder = Scratch::new("output");
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
        let output = ended(2, &arguments);
        assert!(stderr(&output).contains("would be overwritten"));
    }
    let bad = "puzzles/bad/empty.non";
    ended(65, &["enumerate", "--force", "--output", name, bad]);
    assert_eq!(std::fs::read(&file).expect("a file"), puzzle);
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
    assert!(stdout(&output).contains("a\\u{1b}[31mred\\u{7}"));
    assert!(!stdout(&output).contains('\x1b'));
}

#[test]
fn figures_are_for_programs_too() {
    let arguments = "bench --quick --workload hard --threads 3 --repeat 1 --json";
    let output = ended(0, &arguments.split(' ').collect::<Vec<_>>());
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
    let folder = Scratch::new("bench");
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
    assert_printed(&run, 74, "");
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
        let part = ended(0, &["enumerate", "--from", &k, "--limit", &n, "-q", puzzle]);
        let wanted = pictures.iter().skip(from - 1).take(limit);
        assert_eq!(stdout(&part), wanted.copied().collect::<String>());
    }
}

#[test]
fn samples_are_solutions_and_come_again() {
    let puzzle = "puzzles/pictures/harbour.non";
    let draw = |seed: &str| {
        output(&words(&format!(
            "sample -n 200 --seed {seed} -j 1 -q {puzzle}"
        )))
    };
    let some = draw("5");
    assert_eq!(some.status.code(), Some(0));
    assert!(some.stdout == draw("5").stdout && some.stdout != draw("6").stdout);
    let verified = fed(&["verify", puzzle], &some.stdout);
    assert!(stdout(&verified).starts_with("200 solutions, 0 wrong, ") || verified.status.success());
}

#[test]
fn shares_are_drawn() {
    let folder = Scratch::new("heat");
    let name = &folder.file("key.svg");
    let puzzle = "puzzles/pictures/key.non";
    ended(0, &["count", "--cells", "--svg", name, puzzle]);
    let svg = std::fs::read_to_string(name).expect("a picture");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("<title>row 1, column 3: 0.600000, filled in 3 of 5</title>"));
    let folder_name = folder.to_str().expect("UTF-8");
    ended(74, &["count", "--cells", "--svg", folder_name, puzzle]);
    let copy = folder.join("key.non");
    std::fs::copy("puzzles/pictures/key.non", &copy).expect("a copy");
    let copy = copy.to_str().expect("UTF-8");
    ended(2, &["count", "--cells", "--svg", copy, copy]);
}

#[test]
fn a_number_of_many_digits_comes_with_its_magnitude() {
    let count = |switches: usize, json: bool| {
        let puzzle = crate::common::switches(switches);
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

/// They went to the terminal as they are, and a line break in a name looked like another answer.
#[cfg(unix)]
#[test]
fn names_and_titles_cannot_steer_a_terminal() {
    let folder = Scratch::new("names");
    let title = "title \"a\u{1b}[2Jb\u{202e}c\"\nwidth 2\nheight 2\nrows\n1\n1\ncolumns\n1\n1\n";
    let file = folder.file("x\u{1b}[31my\nz.non");
    std::fs::write(&file, title).expect("it can be written");
    let name = folder.file("x\\u{1b}[31my\\nz.non");
    let clean = |text: &str| {
        text.chars()
            .all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}'))
    };
    for verb in [
        &["check"][..],
        &["count"],
        &["count", "--nodes", "0", "--method", "tree"],
        &["solve"],
        &["backbone"],
        &["enumerate"],
        &["sample"],
        &["show"],
        &["convert", "--to", "mk"],
        &["verify"],
    ] {
        let missing = folder.file("no\u{9b}such");
        let last = if verb[0] == "convert" {
            "-"
        } else {
            file.as_str()
        };
        let run = output(&[verb, &[&file, &missing, last]].concat());
        assert!(
            clean(stdout(&run)) && clean(stderr(&run)),
            "{verb:?} {run:?}"
        );
    }
    let run = output(&["check", &file]);
    assert!(
        stdout(&run).starts_with(&format!("{name}: multiple")),
        "{run:?}"
    );
    assert!(stdout(&output(&["show", &file])).contains("a\\u{1b}[2Jb\\u{202e}c, 2x2"));
    // For programs it stays what it is.
    let run = output(&["count", "--json", &file]);
    let answer: serde_json::Value = serde_json::from_str(stdout(&run)).expect("JSON");
    assert_eq!(answer["puzzle"], file.as_str());
    let run = output(&["count", &folder.file("no\u{1b}\nsuch")]);
    let missing = folder.file("no\\u{1b}\\nsuch");
    assert_eq!(
        stderr(&run),
        format!("error: {missing}: no such file or directory\n")
    );
}

/// `--help >/dev/full` exited with 0, and so did what ended in the middle of a line.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_an_error() {
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a device")
    };
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["help", "count"],
        &["show", "--help"],
        &["man"],
        &["completions", "bash"],
        &["solve", "puzzles/pictures/key.non"],
        &["enumerate", "puzzles/pictures/key.non"],
        &["count", "puzzles/pictures/key.non"],
        &["sample", "puzzles/pictures/key.non"],
        &["check", "puzzles/pictures/key.non"],
        &["backbone", "puzzles/pictures/key.non"],
        &["line", "2,1", "--length", "5"],
        &["verify", "puzzles/pictures/key.non"],
        &["show", "puzzles/pictures/key.non"],
        &["show", "--format", "png", "puzzles/known/diagonals.non"],
        &["show", "--format", "pdf", "puzzles/known/diagonals.non"],
        &["convert", "--to", "png", "puzzles/pictures/key.non", "-"],
        &["convert", "--to", "gif", "puzzles/pictures/heart.non", "-"],
        &["split", "--cubes", "3", "puzzles/pictures/key.non"],
        &[
            "work",
            "--puzzle",
            "puzzles/pictures/key.non",
            "tests/cmd/key-cubes.jsonl",
        ],
        &[
            "merge",
            "tests/cmd/key-cubes.jsonl",
            "tests/cmd/key-results.jsonl",
        ],
    ] {
        let run = omnogram(arguments)
            .stdout(full())
            .output()
            .expect("it runs");
        assert_eq!(run.status.code(), Some(74), "{arguments:?} {run:?}");
        let said = stderr(&run)
            .matches("error: <stdout>: no space left on device")
            .count();
        assert_eq!(said, 1, "{arguments:?} {run:?}");
    }
}

/// The examples stood under EXTRA.
#[test]
fn manual_pages_have_examples() {
    let folder = Scratch::new("man");
    let name = folder.to_str().expect("UTF-8");
    ended(0, &["man", "--dir", name]);
    let mut pages = 0;
    for entry in std::fs::read_dir(&*folder).expect("a folder") {
        let path = entry.expect("a page").path();
        let page = std::fs::read_to_string(&path).expect("text");
        assert!(page.contains(".SH EXAMPLES\n.nf\n  omnogram "), "{path:?}");
        assert!(
            !page.contains("EXTRA") && !page.contains("Examples:"),
            "{path:?}"
        );
        pages += 1;
    }
    assert_eq!(pages, 23);
    let main = output(&["man"]);
    assert!(stdout(&main).contains(".SH \"EXIT STATUS\"\n0 answered in full"));
    let written = std::fs::read(folder.join("omnogram-show.1")).expect("a page");
    assert!(written == output(&["man", "show"]).stdout);
}

/// Some verbs refused options that others take.
#[test]
fn common_options_that_change_nothing_are_taken() {
    let key = "puzzles/pictures/key.non";
    let folder = Scratch::new("common");
    let cubes = [folder.file("cubes"), folder.file("results")];
    ended(0, &["split", "--cubes", "3", "--output", &cubes[0], key]);
    let work = output(&["work", "--puzzle", key, &cubes[0]]);
    std::fs::write(&cubes[1], &work.stdout).expect("it can be written");
    let cubes = [cubes[0].as_str(), cubes[1].as_str()];
    for verb in [
        &["classic", "backtracking", key][..],
        &["merge", cubes[0], cubes[1]],
        &["line", "2,1", "--length", "5"],
        &["verify", key],
        &["show", key],
        &["split", "--cubes", "3", key],
        &["census", "3x3"],
        &["convert", "--to", "mk", key, "-"],
        &["completions", "bash"],
        &["man"],
    ] {
        let plain = output(&[verb, &["-q"]].concat());
        let with = output(&[verb, &["--progress", "never", "-q"]].concat());
        assert_eq!(
            (with.status.code(), stderr(&with)),
            (Some(0), ""),
            "{verb:?}"
        );
        assert!(with.stdout == plain.stdout, "{verb:?}");
    }
    let merge = [&["merge"], &cubes[..]].concat();
    let run = ended(
        0,
        &[
            &merge[..],
            &["--threads", "1", "--time", "1h", "--nodes", "9"],
        ]
        .concat(),
    );
    assert!(stderr(&run).starts_with(
        "warning: --time has no effect on merge\nwarning: --nodes has no effect on merge\n"
    ));
    let run = ended(
        3,
        &["bench", "--quick", "--time", "0", "--progress", "never"],
    );
    assert!(
        stderr(&run).ends_with("stopped by --time 0ns: the table is incomplete\n"),
        "{run:?}"
    );
    let run = output(&["line", "--time", "0", "1", "--length", "3"]);
    assert_printed(&run, 3, "3 arrangements\n???\n");
    let run = fed(&["verify", "--json", key], b"");
    assert_eq!(
        stdout(&run),
        format!(
            "{{\"puzzle\":\"{key}\",\"list\":\"<stdin>\",\"solutions\":0,\"wrong\":0,\"repeated\":0,\"unchecked\":0,\"stopped\":null}}\n"
        )
    );
}

/// One verb had it as a number, which readers of JSON round when it is large.
#[test]
fn a_seed_is_text_wherever_it_is_told() {
    let seed = "18446744073709551615";
    let told = format!("\"seed\":\"{seed}\"");
    for verb in [&["sample"][..], &["count", "--estimate", "--nodes", "50"]] {
        let puzzle = ["--json", "--seed", seed, "puzzles/pictures/snail.non"];
        let run = output(&[verb, &puzzle].concat());
        assert!(stdout(&run).contains(&told), "{run:?}");
    }
}

#[test]
fn times_of_several_units_and_papers_in_capitals_are_taken() {
    let cup = "puzzles/pictures/cup.non";
    for time in ["1h30m", "1h 30m", "1m30s", "90S"] {
        let run = output(&["count", "--time", time, cup]);
        assert_eq!(
            (run.status.code(), stdout(&run)),
            (Some(0), "1\n"),
            "{time}"
        );
    }
    for paper in ["A4", "a4", "Letter"] {
        let run = output(&["show", "--format", "SVG", "--paper", paper, cup]);
        assert!(stdout(&run).starts_with("<svg "), "{paper}");
    }
}

#[test]
fn shares_are_told_exactly() {
    let key = "puzzles/pictures/key.non";
    let run = output(&["count", "--cells", "--exact", key]);
    let mut lines = stdout(&run).lines();
    assert_eq!(lines.next(), Some("5"));
    let numbers = |line: &str| -> Vec<u64> {
        line.split_whitespace()
            .map(|number| number.parse().expect("a number"))
            .collect()
    };
    let shares: Vec<Vec<u64>> = lines.map(numbers).collect();
    let run = output(&["count", "--cells", "--exact", "--json", key]);
    let answer: serde_json::Value = serde_json::from_str(stdout(&run)).expect("JSON");
    let fractions = &answer["fractions"];
    assert_eq!(fractions["denominator"], "5");
    let all = output(&["enumerate", "-q", key]);
    for (row, shares) in shares.iter().enumerate() {
        for (column, &share) in shares.iter().enumerate() {
            let pictures = stdout(&all).split_terminator("\n\n");
            let filled = pictures.filter(|picture| {
                let line = picture.lines().nth(row).expect("a row");
                line.as_bytes()[column] == b'#'
            });
            assert_eq!(filled.count() as u64, share);
            assert_eq!(fractions["numerators"][row][column], share.to_string());
        }
    }
    // Greater than any machine word.
    let puzzle = crate::common::switches(130);
    let clues = |lines: &[omnogram::puzzle::Clue]| -> Vec<Vec<usize>> {
        lines.iter().map(|clue| clue.lengths().collect()).collect()
    };
    let (rows, columns) = (clues(puzzle.rows()), clues(puzzle.columns()));
    let text = serde_json::json!({ "rows": rows, "columns": columns }).to_string();
    let run = fed(
        &["count", "--cells", "--exact", "--json", "-"],
        text.as_bytes(),
    );
    let answer: serde_json::Value = serde_json::from_str(stdout(&run)).expect("JSON");
    let (all, half) = (
        "1361129467683753853853498429727072845824",
        "680564733841876926926749214863536422912",
    );
    assert_eq!(answer["fractions"]["denominator"], all);
    assert_eq!(answer["fractions"]["numerators"][2][2], half);
    // Not counted: nothing, and not something wrong.
    let run = output(&[
        "count", "--cells", "--exact", "--json", "--nodes", "5", LONG,
    ]);
    assert!(stdout(&run).contains("\"fractions\":null"), "{run:?}");
    ended(2, &["count", "--exact", key]);
}

/// It was a traceback.
#[test]
fn the_script_for_dask_has_help_without_dask() {
    let script = |argument: &str| {
        // Without the packages that are installed.
        let mut command = std::process::Command::new("python3");
        command.args(["-S", "-E", "scripts/cluster/omnogram_dask.py", argument]);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).output()
    };
    let Ok(help) = script("--help") else {
        return;
    };
    assert!(
        help.status.success() && stdout(&help).contains("--scheduler"),
        "{help:?}"
    );
    let run = script("puzzles/pictures/key.non").expect("it runs");
    assert_eq!(stderr(&run).lines().count(), 1, "{run:?}");
    assert!(
        stderr(&run).contains("needs the Python packages dask and distributed"),
        "{run:?}"
    );
}
