//! Inputs and options that nobody means well with: none makes the command panic, hang, lie, or pass its limits.

#![cfg(unix)]

use std::fs;
use std::io::{BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::command::{
    Scratch, answer, assert_refused, ended, ends, fed, omnogram, output, spawn, stderr, stdout,
    words,
};

const KEY: &str = "puzzles/pictures/key.non";

/// The most cells of a line.
const SIDE: usize = 4096;

/// Every verb that searches a puzzle, with little time and memory.
const VERBS: [&[&str]; 14] = [
    &["check"],
    &["count"],
    &["count", "--method", "frontier"],
    &["count", "--estimate"],
    &["count", "--cells"],
    &["enumerate", "--limit", "2"],
    &["enumerate", "--sort", "--limit", "2"],
    &["backbone"],
    &["explain"],
    &["repair"],
    &["repair", "--reveal"],
    &["sample"],
    &["solve"],
    &["check", "--full"],
];

/// A puzzle in the format .non.
fn write(path: &str, rows: &[String], columns: &[String]) {
    let (width, height) = (columns.len(), rows.len());
    let (rows, columns) = (rows.join("\n"), columns.join("\n"));
    let text = format!("width {width}\nheight {height}\nrows\n{rows}\ncolumns\n{columns}\n");
    fs::write(path, text).expect("a file");
}

fn ones(number: usize) -> String {
    vec!["1"; number].join(",")
}

#[test]
fn lines_of_4096_cells_stop_by_their_limits() {
    let scratch = Scratch::new("hostile-lines");
    let full = vec![SIDE.to_string(); SIDE];
    let single = vec!["1".to_owned(); SIDE];
    let empty = vec!["0".to_owned(); SIDE];
    for (name, clues) in [("full", full), ("ones", single), ("empty", empty)] {
        let file = scratch.file(&format!("{name}.non"));
        write(&file, &clues, &clues);
        for verb in VERBS {
            let limits = ["-q", "--time", "20ms", "--memory", "32M", &file];
            let done = output(&[verb, &limits].concat());
            assert_eq!(done.status.code(), Some(3), "{name} {verb:?} {done:?}");
        }
    }
}

#[test]
fn a_thousand_blocks_in_a_line() {
    let scratch = Scratch::new("hostile-blocks");
    let file = scratch.file("blocks.non");
    // The rows have no room to move, so that the puzzle is unique.
    let rows = vec![ones(1000); 2];
    let columns: Vec<String> = (0..1999)
        .map(|i| if i % 2 == 0 { "2" } else { "0" }.to_owned())
        .collect();
    write(&file, &rows, &columns);
    assert_eq!(answer(&["count", &file]), "1");
    assert_eq!(answer(&["check", &file]), format!("{file}: unique"));
    ended(0, &["line", &ones(1000), "--length", "2000", "--json"]);
    ended(2, &["line", &ones(1000), "--length", "1998"]);
}

/// Once, the columns of a picture were built by a word of 4096 cells for each cell: a second passed after the limit, and six on a loaded
/// machine.
#[test]
fn a_large_picture_is_generated_within_its_time() {
    let done = ended(3, &words("generate --size 4096x64 --unique --time 50ms"));
    assert!(stderr(&done).contains("stopped by --time 50ms"));
}

/// Once, the number of alternatives and one more was 0: a repair said that there is no edit.
#[test]
fn any_number_of_alternatives_may_be_asked_for() {
    let few = answer(&["repair", "--json", "--alternatives", "999", KEY]);
    let all = answer(&[
        "repair",
        "--json",
        "--alternatives",
        &u64::MAX.to_string(),
        KEY,
    ]);
    let alternatives = |text: &str| -> serde_json::Value {
        let answer: serde_json::Value = serde_json::from_str(text).expect("JSON");
        answer["alternatives"].clone()
    };
    assert_eq!(alternatives(&few), alternatives(&all));
    assert!(!few.contains("\"alternatives\":[]"), "{few}");
}

#[test]
fn numbers_that_are_none_are_refused() {
    let options: [(&[&str], &str); 14] = [
        (&["check", KEY], "--time"),
        (&["check", KEY], "--nodes"),
        (&["check", KEY], "--memory"),
        (&["check", KEY], "--threads"),
        (&["enumerate", KEY], "--limit"),
        (&["enumerate", KEY], "--from"),
        (&["sample", KEY], "--number"),
        (&["sample", KEY], "--seed"),
        (&["generate", "--size", "5"], "--number"),
        (&["generate"], "--size"),
        (&["generate", "--size", "5"], "--density"),
        (&["repair", KEY], "--budget"),
        (&["split", KEY], "--cubes"),
        (&["line", "1"], "--length"),
    ];
    for (verb, option) in options {
        for number in [
            "-1", "nan", "inf", "1e30", "", " ", "0x10", "٣", "1__", "--",
        ] {
            let done = output(&[verb, &[&format!("{option}={number}")]].concat());
            assert_eq!(done.status.code(), Some(2), "{option} {number}: {done:?}");
            assert_eq!(stdout(&done), "");
        }
    }
    for (option, number) in [
        ("--memory", "9999999999T"),
        ("--time", "99999999999999999999d"),
    ] {
        let done = output(&["check", option, number, KEY]);
        assert_refused(&done, 2, number);
    }
    for number in ["0", "4097"] {
        assert_refused(&output(&["check", "--threads", number, KEY]), 2, number);
    }
}

#[test]
fn a_limit_of_0_is_a_limit() {
    for (option, word) in [
        ("--time", "time"),
        ("--nodes", "nodes"),
        ("--memory", "memory"),
    ] {
        for verb in VERBS {
            let done = output(&[verb, &["-q", "--json", option, "0", KEY]].concat());
            let text = stdout(&done);
            match done.status.code() {
                // Propagation finds this puzzle's answer before a limit is looked at.
                Some(0 | 1) => assert!(!text.contains("\"stopped\":\""), "{verb:?} {text}"),
                Some(3) if text.contains("\"stopped\":\"limit\"") => {}
                Some(3) => assert!(text.contains(word) || text.is_empty(), "{verb:?} {text}"),
                _ => panic!("{verb:?} {done:?}"),
            }
        }
    }
}

/// Once, the mask was read for ever.
#[cfg(target_os = "linux")]
#[test]
fn a_mask_without_end_is_refused() {
    assert_refused(
        &output(&["repair", "--keep", "/dev/zero", KEY]),
        65,
        "at most 256 MB",
    );
}

/// Once, the image was decoded 21 times, and neither a limit nor Ctrl-C was looked at before the last of them.
#[test]
fn a_large_image_is_decoded_once_and_traced_within_the_time() {
    let scratch = Scratch::new("hostile-image");
    let image = scratch.file("stripes.pbm");
    let side = 8000;
    let mut bytes = format!("P4\n{side} {side}\n").into_bytes();
    for y in 0..side {
        let pixels = if y / 200 % 2 == 0 { 0xf0 } else { 0x0f };
        bytes.resize(bytes.len() + side / 8, pixels);
    }
    fs::write(&image, bytes).expect("a file");
    let started = Instant::now();
    answer(&["convert", "--size", "20", &image, "--to", "non", "-"]);
    let once = started.elapsed();
    let started = Instant::now();
    let run = output(&["generate", "--from", &image, "--time", "1ms"]);
    let took = started.elapsed();
    assert_eq!(run.status.code(), Some(3), "{run:?}");
    assert_eq!(
        stderr(&run),
        "0 of 1 puzzle made: stopped by --time 1ms\n",
        "{run:?}"
    );
    assert!(
        took < 5 * once + Duration::from_secs(1),
        "{took:?}, and {once:?} to decode it once"
    );
}

/// Once, `-` was accepted as the name of these files too, but opened as a file of that name.
#[test]
fn every_input_may_be_standard_input() {
    let list = answer(&["enumerate", "-q", KEY]) + "\n";
    let key = fs::read(KEY).expect("a puzzle");
    for (arguments, input) in [
        // One thread: which of the smallest edits is found depends on their number.
        (
            &["repair", "--threads", "1", "--keep", "-", KEY][..],
            &key[..],
        ),
        (&["generate", "--from", "-"], &key),
        (&["show", "--solutions-from", "-", KEY], list.as_bytes()),
    ] {
        let scratch = Scratch::new("hostile-stdin");
        let file = scratch.file("input");
        fs::write(&file, input).expect("a file");
        let named: Vec<&str> = arguments
            .iter()
            .map(|&argument| if argument == "-" { &file } else { argument })
            .collect();
        let done = fed(arguments, input);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        assert_eq!(stdout(&done).trim_end(), answer(&named), "{arguments:?}");
    }
    for arguments in [
        ["repair", "--keep", "-", "-"],
        ["show", "--solutions-from", "-", "-"],
        ["explain", "--position", "-", "-"],
    ] {
        assert_refused(&fed(&arguments, &key), 2, "only once");
    }
}

/// Once, the error had no place, and that of a byte that is not UTF-8 not even a line.
#[test]
fn an_error_in_a_position_has_its_place() {
    let scratch = Scratch::new("hostile-position");
    let file = scratch.file("position");
    for (text, message) in [
        (
            &b"#.\n.x\n"[..],
            ":2:2: 'x' in a position: a cell is '#', '.' or '?'\n  2 | .x\n    |  ^\n",
        ),
        (
            b"\n#.\n.\n",
            ":3:1: a row of 1 cells in a position with 2 columns\n  3 | .\n    | ^\n",
        ),
        (
            b"#.\n.\xff\n",
            ":2:2: 'ÿ' in a position: a cell is '#', '.' or '?'\n  2 | .ÿ\n    |  ^\n",
        ),
        (b"", ": a position of 0 rows and 0 columns"),
    ] {
        fs::write(&file, text).expect("a file");
        let done = output(&["explain", "--position", &file, KEY]);
        assert_refused(&done, 65, &format!("error: {file}{message}"));
    }
    // A byte order mark is none of the cells.
    let position = omnogram::puzzle::Position::unknown(15, 7);
    fs::write(&file, format!("\u{feff}{position}")).expect("a file");
    answer(&["explain", "--position", &file, KEY]);
}

#[test]
fn a_pack_of_many_tiny_puzzles() {
    let scratch = Scratch::new("hostile-pack");
    let file = scratch.file("tiny.json");
    let puzzles = vec!["{\"rows\":[[1]],\"columns\":[[1]]}"; 20_000].join(",\n");
    fs::write(&file, format!("[{puzzles}]")).expect("a file");
    let done = ended(0, &["check", "-q", "-j2", "--memory", "1M", &file]);
    assert_eq!(stdout(&done).lines().count(), 20_000);
    // As many that are none: the first thousand are named.
    fs::write(&file, format!("[{}{{}}]", "{},\n".repeat(20_000))).expect("a file");
    let done = ended(65, &["check", "-q", &file]);
    assert_eq!(stderr(&done).matches("error: ").count(), 1001);
}

/// What is fed on standard input may end anywhere, or never come.
#[test]
fn an_input_that_is_torn_is_refused() {
    let text = fs::read(KEY).expect("the puzzle");
    for end in (0..text.len()).step_by(7) {
        let done = fed(&["check", "-q", "-"], &text[..end]);
        assert!(
            matches!(done.status.code(), Some(0 | 1 | 65)),
            "{end}: {done:?}"
        );
    }
    let mut child = spawn(omnogram(&["merge", "-", KEY]).stdin(Stdio::piped()));
    drop(child.stdin.take());
    assert_eq!(ends(&mut child), Some(65));
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    errors.read_to_string(&mut said).expect("UTF-8");
    assert!(said.starts_with("error: "), "{said}");
}
