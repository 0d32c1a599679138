//! Journalled runs that are killed, torn and damaged.

#![cfg(feature = "cli")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::command::{Scratch, answer, omnogram, output, spawn, stderr, stdout};
use common::{Random, corpus, on_threads, permutation, restless};
use omnogram::board::Cell;
use omnogram::cluster::{Answer, Digest, Header, Id, Progress, seal};
use omnogram::count::{Checkpoint, Checkpointer, Counter, Method, Options};
use omnogram::format;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Cube, Decision, Limits, Outcome};
use serde_json::{Value, json};

/// Runs a command again and again, killed at a random moment each time but the last.
#[cfg(unix)]
fn kill_and_go_on(
    arguments: &[&str],
    kills: usize,
    longest: Duration,
    random: &mut Random,
) -> Output {
    for _ in 0..kills {
        let mut child = omnogram(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let wait = longest.as_micros() as usize;
        std::thread::sleep(Duration::from_micros(random.below(wait) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    output(arguments)
}

#[cfg(unix)]
#[test]
fn a_journalled_count_that_is_killed_ten_times_is_exact() {
    let scratch = Scratch::new("killed-count");
    let journal = scratch.file("journal");
    let puzzle = "puzzles/families/permutation-10.non";
    let arguments = ["count", "--method", "tree", "--journal", &journal, puzzle];
    let mut random = Random(1);
    let done = kill_and_go_on(&arguments, 10, Duration::from_millis(500), &mut random);
    assert_eq!(
        (stdout(&done).trim_end(), done.status.code()),
        ("3628800", Some(0)),
        "{done:?}"
    );
    // What is done is not done again.
    let size = fs::metadata(&journal).unwrap().len();
    assert_eq!(answer(&arguments), "3628800");
    assert_eq!(fs::metadata(&journal).unwrap().len(), size);
}

#[cfg(unix)]
#[test]
fn a_journalled_listing_that_is_killed_ten_times_has_every_solution_once() {
    let scratch = Scratch::new("killed-list");
    let (journal, list) = (scratch.file("journal"), scratch.file("list"));
    let puzzle = "puzzles/bench/ambiguous-quick.non";
    let arguments = [
        "enumerate",
        "--journal",
        &journal,
        "--output",
        &list,
        puzzle,
    ];
    let mut random = Random(2);
    let done = kill_and_go_on(&arguments, 10, Duration::from_millis(400), &mut random);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let sorted = |text: &str| {
        let mut solutions: Vec<String> = text.split_terminator("\n\n").map(str::to_owned).collect();
        solutions.sort_unstable();
        solutions
    };
    let there = sorted(&fs::read_to_string(&list).unwrap());
    let plain = sorted(str::from_utf8(&output(&["enumerate", puzzle]).stdout).unwrap());
    assert!(there == plain, "{} and {}", there.len(), plain.len());
}

/// A puzzle of which a count takes a second or so.
fn slow(scratch: &Scratch) -> String {
    let file = scratch.file("slow.non");
    let puzzle = Puzzle::from_grid(&Random(22).grid(14, 14, 0.35));
    fs::write(&file, format::non::write(&puzzle)).unwrap();
    file
}

/// Goes on with a run, each time for a part of the time that it takes undisturbed, until it is done; how often it was cut.
fn in_slices(arguments: &[&str], slice: Duration, killed: bool, most: usize) -> (Output, usize) {
    let time = format!("--time={}ms", slice.as_millis());
    for cuts in 0..most {
        let done = if killed {
            let mut child = omnogram(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(slice);
            let ended = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            ended.then(|| output(arguments))
        } else {
            Some(output(&[arguments, &[&time]].concat()))
        };
        if let Some(done) = done.filter(|done| done.status.code() != Some(3)) {
            return (done, cuts);
        }
    }
    panic!("{arguments:?}: not done after {most} parts of {slice:?}");
}

/// It began anew each time: in its first ten seconds nothing was written down.
#[test]
fn a_journalled_count_that_is_cut_short_again_and_again_gets_on() {
    let scratch = Scratch::new("slices");
    let puzzle = slow(&scratch);
    for (method, threads) in [("auto", "-j1"), ("regions", "-j2"), ("auto", "-j2")] {
        let plain = ["count", threads, "--method", method, &puzzle];
        let began = Instant::now();
        let number = answer(&plain);
        // A process that is killed before it has written anything down cannot get on.
        let slice = (began.elapsed() / 6).max(Duration::from_millis(250));
        for killed in [false, cfg!(unix)] {
            let journal = scratch.file(&format!("{method}{threads}{killed}"));
            let run = [&plain[..], &["--journal", &journal]].concat();
            let (done, cuts) = in_slices(&run, slice, killed, 120);
            assert_eq!(
                (stdout(&done).trim_end(), done.status.code()),
                (&*number, Some(0)),
                "{done:?}"
            );
            println!("{method} {threads} killed {killed}: {cuts} cuts of {slice:?}");
        }
    }
}

/// What a count has found is not lost when it is stopped: the bound that it gives never falls, and neither does the journal shrink.
#[test]
fn a_journalled_count_tells_what_its_earlier_parts_have_proved() {
    let scratch = Scratch::new("bounds");
    let journal = scratch.file("journal");
    let puzzle = slow(&scratch);
    let number = answer(&["count", &puzzle]);
    let run = ["count", "-j1", "--method", "regions", "--nodes", "4000"];
    let run = [&run[..], &["--journal", &journal, &puzzle]].concat();
    let (mut size, mut least) = (0, 0u64);
    for _ in 0..200 {
        let done = output(&run);
        let there = fs::metadata(&journal).unwrap().len();
        assert!(there > size, "it grows");
        size = there;
        let said = stdout(&done).trim_end();
        match done.status.code() {
            Some(0) => {
                assert_eq!(said, number);
                assert!(least > 0);
                return;
            }
            Some(3) => {
                let bound: u64 = said.strip_prefix("at least ").unwrap().parse().unwrap();
                assert!(bound >= least, "{bound} after {least}");
                least = bound;
            }
            _ => panic!("{done:?}"),
        }
    }
    panic!("it does not come to its end");
}

/// Goes on from checkpoints, each written by a process that had lived for so long.
fn go_on(checkpointer: &Checkpointer, written: &[String], life: Duration) {
    for line in written {
        let checkpoint: Checkpoint = serde_json::from_str(line).unwrap();
        checkpointer.read(checkpoint, life).unwrap();
    }
}

/// A `?` in a recorded solution was read as an empty cell, and any malformed solution was reported as wrong cells.
#[test]
fn a_recorded_solution_has_a_value_for_every_cell() {
    let puzzle = permutation(2);
    for (solution, is_valid) in [
        (r"#.\n.#\n", true),
        (r"#?\n.#\n", false),
        (r"#-\n.#\n", false),
        (r"#.\n.\n", false),
    ] {
        let line = format!("{{\"solution\":\"{solution}\"}}");
        let checkpoint: Checkpoint = serde_json::from_str(&line).unwrap();
        let read = Checkpointer::new(&puzzle, 1 << 20).read(checkpoint, Duration::ZERO);
        let message = read.err().map(|error| error.message().to_owned());
        let expected = (!is_valid).then(|| "this checkpoint has a wrong solution".to_owned());
        assert_eq!(message, expected, "{solution}");
    }
}

#[test]
fn a_count_that_another_process_goes_on_with_at_every_turn_is_exact() {
    let mut random = Random(7);
    let (mut cuts, mut parts, mut trails) = (0, 0, 0);
    for i in 0..160 {
        let side = 5 + random.below(5);
        let puzzle = Puzzle::from_grid(&random.grid(side, side, 0.3 + 0.01 * (i % 10) as f64));
        let method = [Method::Auto, Method::Regions, Method::Frontier][i % 3];
        let options = [Options::default(), restless()][i / 3 % 2].clone();
        let counting = Counter::new(&puzzle).method(method).options(options);
        let expected = counting.clone().run().solutions;
        let mut written: Vec<String> = Vec::new();
        let mut checks = 1 + random.below(30) as u64;
        loop {
            let checkpointer =
                Checkpointer::with_min_logged_nodes(&puzzle, 1 << 26, 1 + (i / 6 % 3) as u64);
            go_on(&checkpointer, &written, Duration::from_micros(1));
            let limits = Limits::default().checks(checks);
            let counting = counting.clone().limits(limits).checkpointer(&checkpointer);
            let outcome: Outcome = on_threads(1 + i % 2, || counting.run());
            assert!(outcome.solutions.number() <= expected.number());
            assert!(checkpointer.lower_bound() <= *expected.number());
            if let Some(checkpoint) = checkpointer.checkpoint() {
                let text = serde_json::to_string(&checkpoint).unwrap();
                parts += usize::from(!text.contains("\"components\":\"\""));
                trails += usize::from(!text.contains("\"trails\":[]"));
                written.push(text);
            }
            if outcome.is_complete() {
                assert_eq!(outcome.solutions, expected, "{method:?} {puzzle:?}");
                break;
            }
            cuts += 1;
            checks += checks / 8 + 1;
        }
    }
    let recorded = (cuts, parts, trails);
    assert!(cuts > 300 && parts > 100 && trails > 30, "{recorded:?}");
}

/// Each part of the run may take a twentieth of the nodes that the whole takes.
#[test]
fn what_was_counted_before_a_cut_is_not_counted_again() {
    let scratch = Scratch::new("nodes");
    let puzzle = corpus::read(&slow(&scratch));
    let counting = Counter::new(&puzzle).method(Method::Regions);
    let plain = on_threads(1, || counting.clone().run());
    let slice = plain.statistics.nodes / 20;
    let mut written: Vec<String> = Vec::new();
    for cuts in 0.. {
        assert!(
            cuts < 60,
            "{} nodes, {slice} at a time",
            plain.statistics.nodes
        );
        let checkpointer = Checkpointer::new(&puzzle, 1 << 30);
        go_on(&checkpointer, &written, Duration::from_secs(1));
        let limits = Limits::default().nodes(slice);
        let counting = counting.clone().limits(limits).checkpointer(&checkpointer);
        let outcome = on_threads(1, || counting.run());
        let checkpoint = checkpointer.checkpoint().unwrap();
        written.push(serde_json::to_string(&checkpoint).unwrap());
        if outcome.is_complete() {
            assert_eq!(outcome.solutions, plain.solutions);
            break;
        }
    }
}

/// How long work might go unrecorded depended on all the time that a run had taken: after twenty seconds nothing was recorded in the
/// first second.
#[cfg(unix)]
#[test]
fn an_old_run_that_is_killed_every_moment_gets_on() {
    let scratch = Scratch::new("old");
    let journal = scratch.file("journal");
    let puzzle = "puzzles/families/permutation-12.non";
    let run = ["count", "-j1", "--method", "tree", "--journal", &journal];
    let run = [&run[..], &[puzzle]].concat();
    output(&[&run[..], &["--nodes", "3000"]].concat());
    let text = fs::read_to_string(&journal).unwrap();
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    let mut old: Answer = serde_json::from_str(last).unwrap();
    old.elapsed = Some(100_000.0);
    fs::write(&journal, format!("{rest}\n{}", seal(&old))).unwrap();
    let mut grown = 0;
    for _ in 0..8 {
        let before = fs::metadata(&journal).unwrap().len();
        let mut child = omnogram(&run)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        child.kill().unwrap();
        child.wait().unwrap();
        grown += usize::from(fs::metadata(&journal).unwrap().len() > before);
    }
    assert!(grown >= 4, "{grown}");
}

/// A cube of which nothing comes in the time that there is must become smaller.
#[test]
fn a_cube_that_was_worked_on_in_vain_is_cut() {
    let scratch = Scratch::new("vain");
    let puzzle = "puzzles/families/permutation-7.non";
    let digest = Digest::of(&permutation(7));
    for verb in ["count", "enumerate"] {
        let (journal, list) = (scratch.file(verb), scratch.file("list"));
        let run = match verb {
            "count" => vec![
                verb,
                "-j1",
                "--method",
                "tree",
                "--journal",
                &journal,
                puzzle,
            ],
            _ => vec![verb, "-j1", "-o", &list, "--journal", &journal, puzzle],
        };
        output(&[&run[..], &["--nodes", "0"]].concat());
        let header = fs::read_to_string(&journal).unwrap();
        assert_eq!(header.lines().count(), 1, "{header}");
        let vain = Progress {
            id: Id::of(digest, &Cube::default()),
            puzzle: digest,
            elapsed: 1.0,
            process_age: 1.0,
            nodes: 0,
            checkpoint: None,
        };
        fs::write(&journal, format!("{header}{}", seal(&vain))).unwrap();
        let done = output(&run);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        let text = fs::read_to_string(&journal).unwrap();
        let first: Answer = serde_json::from_str(text.lines().nth(2).unwrap()).unwrap();
        assert!(first.open.len() > 1 && first.count.is_zero(), "{text}");
        match verb {
            "count" => assert_eq!(stdout(&done), "5040\n"),
            _ => assert_eq!(
                common::command::whole(&fs::read_to_string(&list).unwrap(), 7),
                5040
            ),
        }
    }
}

/// The same as below, for a count that cannot be left in the middle.
#[test]
fn a_journal_with_checkpoints_that_is_torn_or_changed() {
    let scratch = Scratch::new("torn-checkpoints");
    let journal = scratch.file("journal");
    let puzzle = slow(&scratch);
    let plain = ["count", "-j1", "--method", "regions"];
    let number = answer(&[&plain[..], &[&puzzle]].concat());
    let run = [&plain[..], &["--journal", &journal, &puzzle]].concat();
    for nodes in ["3000", "5000", "7000"] {
        output(&[&run[..], &["--nodes", nodes]].concat());
    }
    let half = fs::read(&journal).unwrap();
    let lines = half.iter().filter(|&&byte| byte == b'\n').count();
    assert!(lines >= 4, "{lines}");
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
    let (journal, list) = (scratch.file("journal"), scratch.file("list"));
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
            assert_eq!(
                (stdout(&done), stderr(&done), done.status.code()),
                ("", &*error, Some(2))
            );
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
    let (journal, list) = (scratch.file("journal"), scratch.file("list"));
    let puzzle = "puzzles/families/permutation-7.non";
    let count = [
        "count",
        "-j1",
        "--method",
        "tree",
        "--journal",
        &journal,
        puzzle,
    ];
    // Many short runs make a journal of many lines.
    for nodes in 0..6 {
        let nodes = format!("--nodes={}", 300 + nodes);
        output(&[&count[..], &[&nodes]].concat());
    }
    let half = fs::read(&journal).unwrap();
    let lines = half.iter().filter(|&&byte| byte == b'\n').count();
    assert!(lines >= 4, "{lines}");
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
        puzzle,
    ];
    assert_eq!(output(&listing).status.code(), Some(0));
    fs::write(scratch.file("out"), "").unwrap();
    let done = output(&listing);
    assert_eq!(done.status.code(), Some(65), "{done:?}");
}

#[test]
fn another_runs_journal_is_refused() {
    let scratch = Scratch::new("refused");
    let journal = scratch.file("journal");
    let puzzle = "puzzles/families/permutation-5.non";
    assert_eq!(answer(&["count", "--journal", &journal, puzzle]), "120");
    let said = |arguments: &[&str]| {
        let done = output(arguments);
        assert!(done.stdout.is_empty());
        (done.status.code(), stderr(&done).trim_end().to_owned())
    };
    let error = |text: &str| format!("error: {journal}: {text}");
    let other = "puzzles/families/permutation-6.non";
    assert_eq!(
        said(&["count", "--journal", &journal, other]),
        (Some(65), error("this journal belongs to another puzzle"))
    );
    let text = "this journal was started by `count --method auto`, not by `count --method tree`";
    assert_eq!(
        said(&["count", "--method", "tree", "--journal", &journal, puzzle]),
        (Some(65), error(text))
    );
    let text =
        "this journal was started by `count --method auto`, not by `enumerate --format text`";
    let list = scratch.file("list");
    assert_eq!(
        said(&["enumerate", "--journal", &journal, "-o", &list, puzzle]),
        (Some(65), error(text))
    );
    assert_eq!(
        said(&["count", "--journal", &journal, puzzle, other]),
        (
            Some(2),
            error("a journal is for one puzzle, but there are several")
        )
    );
    // Not a journal: it must not be touched.
    let text = fs::read(puzzle).unwrap();
    fs::write(&journal, &text).unwrap();
    assert_eq!(said(&["count", "--journal", &journal, puzzle]).0, Some(65));
    assert_eq!(fs::read(&journal).unwrap(), text);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let scratch = Scratch::new("full");
    let puzzle = "puzzles/families/permutation-5.non";
    let done = output(&["count", "--journal", "/dev/full", puzzle]);
    assert_eq!(
        (stdout(&done).trim_end(), done.status.code()),
        ("", Some(74))
    );
    assert!(stderr(&done).starts_with("error: /dev/full: no space left on device"));
    // The list cannot be written: the journal must not say that it was.
    let journal = scratch.file("journal");
    let done = output(&[
        "enumerate",
        "--journal",
        &journal,
        "-o",
        "/dev/full",
        puzzle,
    ]);
    assert_eq!(done.status.code(), Some(74), "{done:?}");
    assert!(stderr(&done).contains("/dev/full: no space left on device"));
    assert_eq!(fs::read_to_string(&journal).unwrap().lines().count(), 1);
    // Results that cannot be written.
    let cubes = scratch.file("cubes");
    answer(&["split", "-q", "-n", "5", "-o", &cubes, puzzle]);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let done = omnogram(&["work", "--puzzle", puzzle, &cubes])
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
    assert_eq!(
        (stdout(&done).trim_end(), done.status.code()),
        ("", Some(74)),
        "{done:?}"
    );
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
    let puzzle = "puzzles/families/permutation-5.non";
    answer(&["count", "--journal", &journal, puzzle]);
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o400)).unwrap();
    let may_all = fs::OpenOptions::new().append(true).open(&journal).is_ok();
    // Whoever may do everything is not kept from it by permissions, but by a folder.
    let journal = if may_all { scratch.file("") } else { journal };
    let done = output(&["count", "--journal", &journal, puzzle]);
    assert_eq!(
        (stdout(&done).trim_end(), done.status.code()),
        ("", Some(74)),
        "{done:?}"
    );
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
    let long = [
        "count",
        "--method",
        "tree",
        "--journal",
        &journal,
        "puzzles/families/permutation-20.non",
    ];
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
    let puzzle = "puzzles/families/permutation-7.non";
    let run = ["count", "-j1", "--method", "tree", "--journal", &journal];
    let run = [&run[..], &[puzzle]].concat();
    for _ in 0..6 {
        output(&[&run[..], &["--nodes", "300"]].concat());
    }
    let whole = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let last = lines.len();
    assert!(last >= 5, "{last}");
    let damage = |line: &str| line.replacen("\"nodes\":", "\"nodez\":", 1);
    let refused = |text: &[u8], line: usize, message: &str| {
        fs::write(&journal, text).unwrap();
        let done = output(&run);
        assert_eq!((stdout(&done), done.status.code()), ("", Some(65)));
        let place = format!("error: {journal}:{line}:");
        assert!(stderr(&done).starts_with(&place), "{done:?}");
        assert!(stderr(&done).contains(message), "{done:?}");
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
        assert_eq!((stdout(&done), done.status.code()), ("5040\n", Some(0)));
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
    let (journal, list) = (scratch.file("journal"), scratch.file("list"));
    let puzzle = "puzzles/families/permutation-5.non";
    let permutation = permutation(5);
    let count = ["count", "--method", "tree", "--journal", &journal, puzzle];
    let listing = ["enumerate", "--journal", &journal, "-o", &list, puzzle];
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
            assert_eq!((stdout(&done), done.status.code()), ("", Some(65)));
            let place = format!("error: {journal}:2:");
            assert!(stderr(&done).starts_with(&place), "{done:?}");
            assert!(stderr(&done).contains(message), "{done:?}");
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
    let (journal, file) = (scratch.file("journal"), scratch.file("large.non"));
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
        text += &seal(&Progress {
            id: Id::of(digest, cube),
            puzzle: digest,
            elapsed: 1.0,
            process_age: 1.0,
            nodes: 1,
            checkpoint: None,
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
    let (journal, list) = (scratch.file("journal"), scratch.file("list"));
    let puzzle = "puzzles/families/permutation-5.non";
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
        let run = [
            "enumerate",
            "--format",
            format,
            "--journal",
            &journal,
            "-o",
            &list,
            puzzle,
        ];
        for text in foreign {
            fs::write(&journal, &header).unwrap();
            fs::write(&list, text).unwrap();
            let done = output(&run);
            assert_eq!(done.status.code(), Some(65), "{done:?}");
            assert!(stderr(&done).contains("this file is not the list of this journal"));
            assert_eq!(fs::read_to_string(&list).unwrap(), *text);
        }
        // What a run has left that was killed while it wrote its first solution.
        for text in torn {
            fs::write(&journal, &header).unwrap();
            fs::write(&list, text).unwrap();
            let done = output(&run);
            assert_eq!(done.status.code(), Some(0), "{text} {done:?}");
            let verified = answer(&["verify", puzzle, &list]);
            assert!(
                verified.starts_with("120 solutions, all valid"),
                "{verified}"
            );
        }
    }
}

/// A cube with a checkpoint that is cut all the same: the nodes of its checkpoint, which no longer count, were subtracted from those of the
/// process, and `--nodes` ended the run at once (a fuzz target for journals found it).
#[test]
fn nodes_of_a_checkpoint_that_is_dropped_are_not_taken_from_the_limit() {
    let scratch = Scratch::new("dropped-checkpoint");
    let journal = scratch.file("journal");
    let puzzle = "puzzles/families/permutation-7.non";
    let run = ["count", "-j1", "--method", "regions", "--journal", &journal];
    let run = [&run[..], &[puzzle]].concat();
    let begun = output(&[&run[..], &["--nodes", "9"]].concat());
    assert_eq!(begun.status.code(), Some(3), "{begun:?}");
    let text = fs::read_to_string(&journal).unwrap();
    let last = text.lines().next_back().unwrap();
    let mut record: Value = serde_json::from_str(last).unwrap();
    assert!(record["checkpoint"].is_object(), "{record}");
    let fields = record.as_object_mut().unwrap();
    fields.remove("check");
    fields.remove("checkpoint");
    fs::write(&journal, text + &seal(&record)).unwrap();
    let done = output(&[&run[..], &["--nodes", "100000"]].concat());
    assert_eq!((stdout(&done), done.status.code()), ("5040\n", Some(0)));
}

/// A record with a duration near the largest one ended the program with a panic.
#[test]
fn the_numbers_of_a_record_may_be_as_large_as_their_types() {
    let scratch = Scratch::new("large-numbers");
    let journal = scratch.file("journal");
    let puzzle = "puzzles/families/permutation-5.non";
    let permutation = permutation(5);
    let digest = Digest::of(&permutation);
    for method in ["tree", "auto"] {
        let run = ["count", "--method", method, "--journal", &journal, puzzle];
        let mut text = seal(&Header::new(digest, format!("count --method {method}")));
        for round in 0..2 {
            let mut record = answer_to_all(&permutation, "0", &[""]);
            record["elapsed"] = json!(18_446_744_073_709_549_568u64);
            record["nodes"] = json!(u64::MAX - round);
            text += &seal(&record);
        }
        text += &seal(&Progress {
            id: Id::of(digest, &Cube::default()),
            puzzle: digest,
            elapsed: 18_446_744_073_709_549_568.0,
            process_age: 1.0,
            nodes: u64::MAX,
            checkpoint: None,
        });
        fs::write(&journal, text).unwrap();
        assert_eq!(answer(&run), "120");
    }
}
