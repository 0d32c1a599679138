//! Journals that are torn, changed, of other runs, or that cannot be written.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::command::{
    PERMUTATION_5, PERMUTATION_7, Scratch, answer, assert_bad_data, assert_printed, ended,
    omnogram, output, slow, spawn, split, stderr, stdout, words,
};
use crate::common::{Random, permutation};
use omnogram::cluster::{Attempt, Digest, Header, Id, seal};
use omnogram::format;
use omnogram::puzzle::{Cell, Puzzle};
use omnogram::search::{Cube, Decision};
use omnogram::solutions::Count;
use serde_json::{Value, json};

/// The journal of a run that goes on several times, each time for this number of nodes, which makes a journal of many lines.
fn after_short_runs(
    run: &[&str],
    journal: &str,
    nodes: impl IntoIterator<Item = usize>,
) -> Vec<u8> {
    for nodes in nodes {
        output(&[run, &[&format!("--nodes={nodes}")]].concat());
    }
    let text = fs::read(journal).unwrap();
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    assert!(lines >= 4, "{lines}");
    text
}

/// The same as below, for a count that cannot be left in the middle.
#[test]
fn a_journal_of_cubes_that_is_torn_or_changed() {
    let scratch = Scratch::new("torn-cubes");
    let journal = scratch.file("journal");
    let puzzle = slow(&scratch);
    let plain = ["count", "-j1", "--method", "regions"];
    let number = answer(&[&plain[..], &[&puzzle]].concat());
    let run = [&plain[..], &["--journal", &journal, &puzzle]].concat();
    let half = after_short_runs(&run, &journal, [3000, 5000, 7000]);
    let mut random = Random(3);
    let (mut refused, mut torn) = (0, 0);
    for i in 0..40 {
        let mut bytes = half.clone();
        let at = random.below(half.len());
        match i % 4 {
            0 if torn < 4 => bytes.truncate(at),
            _ => bytes[at] ^= 1 << random.below(8),
        }
        fs::write(&journal, &bytes).unwrap();
        // Whether it is refused is seen at once; of the others a few go on to the end.
        let stop: &[&str] = if i % 4 == 0 && torn < 4 {
            &[]
        } else {
            &["--nodes", "1"]
        };
        let done = output(&[&run[..], stop].concat());
        match done.status.code() {
            Some(0) => {
                assert_eq!(stdout(&done).trim_end(), number, "{i} {at}");
                torn += 1;
            }
            Some(3) => {}
            Some(65) => {
                assert_eq!(fs::read(&journal).unwrap(), bytes, "it is left as it is");
                refused += 1;
            }
            _ => panic!("{i} {at} {done:?}"),
        }
    }
    assert!(torn > 0 && refused > 5, "{torn} {refused}");
}

/// The first puzzle was counted, and then the journal was that of another one.
#[test]
fn a_journal_for_a_pack_or_a_folder_is_refused_before_anything_is_done() {
    let scratch = Scratch::new("pack");
    let [journal, list] = scratch.files(["journal", "list"]);
    let pack = "puzzles/pack.nonpack";
    for several in [pack, "puzzles/known"] {
        let error = format!(
            "error: {several}: a journal is for one puzzle, but there are several puzzles here: name one of them, as FILE#2\n"
        );
        for run in [
            &["count", "--journal", &journal, several][..],
            &["enumerate", "--journal", &journal, "-o", &list, several],
        ] {
            let done = output(run);
            assert_printed(&done, 2, "");
            assert_eq!(stderr(&done), error);
            assert!(!fs::exists(&journal).unwrap() && !fs::exists(&list).unwrap());
        }
    }
    let third = format!("{pack}#3");
    assert_eq!(answer(&["count", "--journal", &journal, &third]), "6");
    assert_eq!(answer(&["count", "--journal", &journal, &third]), "6");
}

/// A journal torn at any byte is gone on with; one in which a bit is changed is refused, or is torn.
#[test]
fn a_journal_that_is_torn_or_changed() {
    let scratch = Scratch::new("torn");
    let [journal, list] = scratch.files(["journal", "list"]);
    let count = format!("count -j1 --method tree --journal {journal} {PERMUTATION_7}");
    let count = words(&count);
    let half = after_short_runs(&count, &journal, 300..306);
    let mut random = Random(3);
    let ends: Vec<usize> = (0..60).map(|_| random.below(half.len() + 1)).collect();
    for end in ends.into_iter().chain(0..40) {
        fs::write(&journal, &half[..end.min(half.len())]).unwrap();
        let done = output(&count);
        assert_eq!(
            (stdout(&done).trim_end(), done.status.code()),
            ("5040", Some(0)),
            "{end} {done:?}"
        );
    }
    let mut refused = 0;
    for _ in 0..100 {
        let (at, bit) = (random.below(half.len()), random.below(8));
        let mut bytes = half.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&journal, &bytes).unwrap();
        let done = output(&count);
        match done.status.code() {
            Some(0) => assert_eq!(stdout(&done).trim_end(), "5040", "{at} {bit}"),
            Some(65) => {
                assert!(
                    stdout(&done).trim_end().is_empty() && stderr(&done).contains(&journal),
                    "{done:?}"
                );
                assert_eq!(fs::read(&journal).unwrap(), bytes, "it is left as it is");
                refused += 1;
            }
            _ => panic!("{at} {bit} {done:?}"),
        }
    }
    assert!(refused > 30, "{refused}");
    // A list that is shorter than it should be is no list to go on with.
    let listing = [
        "enumerate",
        "--journal",
        &list,
        "--output",
        &scratch.file("out"),
        PERMUTATION_7,
    ];
    ended(0, &listing);
    fs::write(scratch.file("out"), "").unwrap();
    ended(65, &listing);
}

#[test]
fn another_runs_journal_is_refused() {
    let scratch = Scratch::new("refused");
    let journal = scratch.file("journal");
    assert_eq!(
        answer(&["count", "--journal", &journal, PERMUTATION_5]),
        "120"
    );
    let other = "puzzles/families/permutation-6.non";
    let list = scratch.file("list");
    let started = "this journal was started by `count --method auto`, not by";
    for (run, status, message) in [
        (
            format!("count {other}"),
            65,
            "this journal belongs to another puzzle",
        ),
        (
            format!("count --method tree {PERMUTATION_5}"),
            65,
            &format!("{started} `count --method tree`"),
        ),
        (
            format!("enumerate -o {list} {PERMUTATION_5}"),
            65,
            &format!("{started} `enumerate --format text`"),
        ),
        (
            format!("count {PERMUTATION_5} {other}"),
            2,
            "a journal is for one puzzle, but there are several",
        ),
    ] {
        let done = output(&[&words(&run)[..], &["--journal", &journal]].concat());
        assert_printed(&done, status, "");
        assert_eq!(stderr(&done), format!("error: {journal}: {message}\n"));
    }
    // Not a journal: it must not be touched.
    let text = fs::read(PERMUTATION_5).unwrap();
    fs::write(&journal, &text).unwrap();
    assert_printed(
        &output(&["count", "--journal", &journal, PERMUTATION_5]),
        65,
        "",
    );
    assert_eq!(fs::read(&journal).unwrap(), text);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let scratch = Scratch::new("full");
    let done = output(&["count", "--journal", "/dev/full", PERMUTATION_5]);
    assert_printed(&done, 74, "");
    assert!(stderr(&done).starts_with("error: /dev/full: no space left on device"));
    // The list cannot be written: the journal must not say that it was.
    let journal = scratch.file("journal");
    let done = ended(
        74,
        &words(&format!(
            "enumerate --journal {journal} -o /dev/full {PERMUTATION_5}"
        )),
    );
    assert!(stderr(&done).contains("/dev/full: no space left on device"));
    assert_eq!(fs::read_to_string(&journal).unwrap().lines().count(), 1);
    // Results that cannot be written.
    let cubes = split(&scratch, "5", PERMUTATION_5);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let done = omnogram(&["work", "--puzzle", PERMUTATION_5, &cubes])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(74), "{done:?}");
    // A disk that fills up on the way: a limit on the size of files, and no signal for it.
    let script = format!(
        "trap '' XFSZ; ulimit -f 2; exec {} count -j1 --method tree --journal {journal}-2 puzzles/families/permutation-10.non",
        env!("CARGO_BIN_EXE_omnogram")
    );
    let mut shell = Command::new("bash");
    shell
        .args(["-c", &script])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let done = shell.output().unwrap();
    assert_printed(&done, 74, "");
    let again = format!("{journal}-2");
    let puzzle = "puzzles/families/permutation-10.non";
    assert_eq!(
        answer(&["count", "--method", "tree", "--journal", &again, puzzle]),
        "3628800"
    );
}

#[cfg(unix)]
#[test]
fn a_journal_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("read-only");
    let journal = scratch.file("journal");
    answer(&["count", "--journal", &journal, PERMUTATION_5]);
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o400)).unwrap();
    let may_all = fs::OpenOptions::new().append(true).open(&journal).is_ok();
    // Whoever may do everything is not kept from it by permissions, but by a folder.
    let journal = if may_all { scratch.file("") } else { journal };
    let done = output(&["count", "--journal", &journal, PERMUTATION_5]);
    assert_printed(&done, 74, "");
    assert!(
        stderr(&done).starts_with(&format!("error: {journal}: ")),
        "{done:?}"
    );
}

#[cfg(unix)]
#[test]
fn two_runs_do_not_share_a_journal() {
    let scratch = Scratch::new("locked");
    let journal = scratch.file("journal");
    let long =
        format!("count --method tree --journal {journal} puzzles/families/permutation-20.non");
    let long = words(&long);
    let mut first = omnogram(&long)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(&journal).map_or(0, |file| file.len()) == 0 {
        assert!(first.try_wait().unwrap().is_none(), "it goes on for long");
        std::thread::sleep(Duration::from_millis(5));
    }
    // It says so at once, and refuses after a moment.
    let mut second = spawn(&mut omnogram(&long));
    let mut said = BufReader::new(second.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(second.try_wait().unwrap().is_none(), "it waits");
    let note = "another process is using this journal; waiting up to 3s for it to end";
    assert_eq!(line, format!("{journal}: {note}\n"));
    line.clear();
    said.read_line(&mut line).unwrap();
    let error = "another process is using this journal";
    assert_eq!(line, format!("error: {journal}: {error}\n"));
    assert_eq!(second.wait().unwrap().code(), Some(74));
    // One that is just about to end is waited for.
    let mut third = spawn(&mut omnogram(&[&long[..], &["--nodes", "1"]].concat()));
    let mut said = BufReader::new(third.stderr.take().unwrap());
    said.read_line(&mut line).unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(third.wait().unwrap().code(), Some(3));
}

/// A cube that decides cells of the first row, given by their columns from 0.
fn first_row(decisions: &[(usize, bool)]) -> Cube {
    let decision = |&(column, filled): &(usize, bool)| Decision {
        cell: Cell::new(0, column),
        filled,
    };
    Cube {
        path: decisions.iter().map(decision).collect(),
    }
}

/// The record of an answer to the whole puzzle that leaves these paths open.
fn answer_to_all(puzzle: &Puzzle, count: &str, open: &[&str]) -> Value {
    let digest = Digest::of(puzzle);
    let share = 1.0 / open.len() as f64;
    let open: Vec<Value> = open
        .iter()
        .map(|path| json!({"path": path, "share": share}))
        .collect();
    json!({
        "id": Id::of(digest, &Cube::default()), "puzzle": digest, "count": count, "set": null, "open": open, "stopped": null,
        "nodes": 1, "seconds": 0.0,
    })
}

/// Every run of damaged lines up to the end was taken for a torn last line and cut off: 200 of 202 whole lines were deleted without an
/// error.
#[test]
fn only_a_last_line_that_a_crash_has_torn_is_cut_off() {
    let scratch = Scratch::new("damaged-end");
    let journal = scratch.file("journal");
    let run = ["count", "-j1", "--method", "tree", "--journal", &journal];
    let run = [&run[..], &[PERMUTATION_7]].concat();
    let whole = String::from_utf8(after_short_runs(&run, &journal, [300; 6])).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let last = lines.len();
    assert!(last >= 5, "{last}");
    let damage = |line: &str| line.replacen("\"nodes\":", "\"nodez\":", 1);
    let refused = |text: &[u8], line: usize, message: &str| {
        fs::write(&journal, text).unwrap();
        let done = output(&run);
        assert_bad_data(&done, &format!("{journal}:{line}"), message);
        assert_eq!(fs::read(&journal).unwrap(), text, "it is left as it is");
    };
    let changed = "its checksum does not match; to resume from the records before it, delete this";
    for first in 2..=last {
        let damaged = lines[first - 1..].iter().map(|line| damage(line));
        let text = lines[..first - 1].concat() + &damaged.collect::<String>();
        refused(text.as_bytes(), first, changed);
    }
    // A crash can leave zeros where blocks were not written: they are in one line, since they replace line breaks too.
    let with_zeros = |from: usize, to: usize| {
        let mut bytes = whole.clone().into_bytes();
        bytes[from..to].fill(0);
        bytes
    };
    let begin = whole.len() - lines[last - 1].len();
    for (from, to) in [
        (begin + 9, begin + 30),
        (begin - 40, whole.len() - 5),
        (begin, whole.len()),
    ] {
        fs::write(&journal, with_zeros(from, to)).unwrap();
        let done = output(&run);
        assert_printed(&done, 0, "5040\n");
        assert!(
            stderr(&done).contains("the last line is incomplete"),
            "{done:?}"
        );
    }
    let middle = lines[0].len() + lines[1].len();
    refused(&with_zeros(middle + 9, middle + 30), 3, changed);
    // The record of another version, as the last line, with its line break or without.
    let unknown = seal(&json!({"id": "0123456789abcdef", "kind": "new"}));
    let message = "this is not a record of the expected kind";
    for unknown in [&unknown, unknown.trim_end()] {
        refused((whole.clone() + unknown).as_bytes(), last + 1, message);
    }
}

/// The cubes that a record leaves open could overlap, or be the answered cube itself beside its solutions, and these solutions were counted
/// twice: 6 instead of 4.
#[test]
fn a_record_by_which_solutions_would_be_counted_twice_is_refused() {
    let scratch = Scratch::new("overlapping");
    let [journal, list] = scratch.files(["journal", "list"]);
    let permutation = permutation(5);
    let count = [
        "count",
        "--method",
        "tree",
        "--journal",
        &journal,
        PERMUTATION_5,
    ];
    let listing = [
        "enumerate",
        "--journal",
        &journal,
        "-o",
        &list,
        PERMUTATION_5,
    ];
    for (run, options) in [
        (&count[..], "count --method tree"),
        (&listing, "enumerate --format text"),
    ] {
        let header = seal(&Header::new(Digest::of(&permutation), options));
        for (count, open, message) in [
            ("0", &["1:1#", "1:1.", "1:4#"][..], "overlap"),
            ("0", &["1:1#", "1:1# 2:2#"], "overlap"),
            ("24", &[""], "leaves the whole cube open"),
        ] {
            let record = seal(&answer_to_all(&permutation, count, open));
            fs::write(&journal, format!("{header}{record}")).unwrap();
            let done = output(run);
            assert_bad_data(&done, &format!("{journal}:2"), message);
        }
    }
    // The whole cube may stay open if nothing was found in it, and it may be cut.
    let header = seal(&Header::new(
        Digest::of(&permutation),
        "count --method tree",
    ));
    for open in [&[""][..], &["1:1#", "1:1. 1:2#", "1:1. 1:2."]] {
        let record = seal(&answer_to_all(&permutation, "0", open));
        fs::write(&journal, format!("{header}{record}")).unwrap();
        assert_eq!(answer(&count), "120");
    }
}

/// The cubes on which an earlier process had worked without a result were cut before the limits were polled: with 400 such cubes,
/// a run with `--time 500ms` took 9.5 s.
#[test]
fn cutting_the_cubes_of_an_earlier_process_stops_at_the_time_limit() {
    let scratch = Scratch::new("fruitless");
    let [journal, file] = scratch.files(["journal", "large.non"]);
    let puzzle = permutation(400);
    fs::write(&file, format::non::write(&puzzle)).unwrap();
    let digest = Digest::of(&puzzle);
    // The cubes are disjoint: each has another last filled cell among those that it decides.
    let path = |filled: usize| {
        let empty = (0..filled).map(|column| (column, false));
        empty.chain([(filled, true)]).collect::<Vec<_>>()
    };
    let paths: Vec<Cube> = (0..200).map(|filled| first_row(&path(filled))).collect();
    let text = |filled| {
        let decision = |(column, is_filled): (usize, bool)| {
            format!("1:{}{}", column + 1, if is_filled { "#" } else { "." })
        };
        path(filled)
            .into_iter()
            .map(decision)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let texts: Vec<String> = (0..200).map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut text = seal(&Header::new(digest, "count --method tree"));
    text += &seal(&answer_to_all(&puzzle, "0", &texts));
    for cube in &paths {
        text += &seal(&Attempt {
            id: Id::of(digest, cube),
            puzzle: digest,
            elapsed: 1.0,
            proved: Count::ZERO,
        });
    }
    fs::write(&journal, text).unwrap();
    let run = ["count", "-j1", "--method", "tree", "--time", "300ms"];
    let began = Instant::now();
    let done = output(&[&run[..], &["--journal", &journal, &file]].concat());
    let took = began.elapsed();
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(stderr(&done).contains("--time 300ms"), "{done:?}");
    assert!(took < Duration::from_secs(4), "{took:?}");
}

/// A small file of another kind was overwritten without --force when the journal had only its header.
#[test]
fn a_journal_without_records_does_not_overwrite_another_file() {
    let scratch = Scratch::new("foreign-list");
    let [journal, list] = scratch.files(["journal", "list"]);
    let digest = Digest::of(&permutation(5));
    for (format, foreign, torn) in [
        (
            "text",
            &["my own notes\n", "#....\n\n", "#....\n.....\n#x"],
            &["", "#", "#....\n.#"][..],
        ),
        (
            "ndjson",
            &["{\"note\":1}\n", "#....\n", "# notes"],
            &["", "{\"sol", "{\"solution\":[\"#....\",\"."],
        ),
    ] {
        let header = seal(&Header::new(digest, format!("enumerate --format {format}")));
        let run =
            format!("enumerate --format {format} --journal {journal} -o {list} {PERMUTATION_5}");
        let run = words(&run);
        for text in foreign {
            fs::write(&journal, &header).unwrap();
            fs::write(&list, text).unwrap();
            let done = ended(65, &run);
            assert!(stderr(&done).contains("this file is not the list of this journal"));
            assert_eq!(fs::read_to_string(&list).unwrap(), *text);
        }
        // What a run has left that was killed while it wrote its first solution.
        for text in torn {
            fs::write(&journal, &header).unwrap();
            fs::write(&list, text).unwrap();
            let done = output(&run);
            assert_eq!(done.status.code(), Some(0), "{text} {done:?}");
            let verified = answer(&["verify", PERMUTATION_5, &list]);
            assert!(
                verified.starts_with("120 solutions, all valid"),
                "{verified}"
            );
        }
    }
}

/// Its records do not say what those of this version do, so it is not resumed, and not changed.
#[test]
fn a_journal_of_an_earlier_version_is_refused() {
    let scratch = Scratch::new("old-version");
    let [journal, list] = scratch.files(["journal", "list"]);
    for (run, options) in [
        (vec!["count"], "count --method auto"),
        (vec!["enumerate", "-o", &list], "enumerate --format text"),
    ] {
        let header =
            json!({"journal": 1, "puzzle": Digest::of(&permutation(5)), "options": options});
        let old =
            seal(&header) + &seal(&json!({"cube": "0123456789abcdef", "life": 1.0, "nodes": 3}));
        fs::write(&journal, &old).unwrap();
        let done = output(&[&run[..], &["--journal", &journal, PERMUTATION_5]].concat());
        let message = "this journal has format version 1, but this program reads version 2 only";
        assert_printed(&done, 65, "");
        assert_eq!(stderr(&done), format!("error: {journal}: {message}\n"));
        assert_eq!(fs::read_to_string(&journal).unwrap(), old);
        assert!(!fs::exists(&list).unwrap());
    }
}

/// A record with a duration near the largest one ended the program with a panic.
#[test]
fn the_numbers_of_a_record_may_be_as_large_as_their_types() {
    let scratch = Scratch::new("large-numbers");
    let journal = scratch.file("journal");
    let permutation = permutation(5);
    let digest = Digest::of(&permutation);
    for method in ["tree", "auto"] {
        let run = [
            "count",
            "--method",
            method,
            "--journal",
            &journal,
            PERMUTATION_5,
        ];
        let mut text = seal(&Header::new(digest, format!("count --method {method}")));
        for round in 0..2 {
            let mut record = answer_to_all(&permutation, "0", &[""]);
            record["elapsed"] = json!(18_446_744_073_709_549_568u64);
            record["nodes"] = json!(u64::MAX - round);
            text += &seal(&record);
        }
        text += &seal(&Attempt {
            id: Id::of(digest, &Cube::default()),
            puzzle: digest,
            elapsed: 18_446_744_073_709_549_568.0,
            proved: Count::from(120),
        });
        fs::write(&journal, text).unwrap();
        assert_eq!(answer(&run), "120");
    }
}
