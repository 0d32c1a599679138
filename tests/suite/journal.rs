//! Journalled runs that are killed, cut short, and gone on with.

use std::fs;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::command::{Scratch, answer, omnogram, output, slow, stdout};
use crate::common::{Random, corpus, on_threads, permutation, restless};
use omnogram::cluster::{Answer, Digest, Id, Progress, seal};
use omnogram::count::{Checkpoint, Checkpointer, Counter, Method, Options};
use omnogram::puzzle::Puzzle;
use omnogram::search::{Cube, Limits, Outcome};

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

/// The backbone search begins after a quick trial that is too short, and finds that no cell is the same in all permutations.
#[test]
fn a_checkpoint_says_which_cells_are_ambiguous() {
    let puzzle = permutation(11);
    let counter = Counter::new(&puzzle).options(restless());
    let checkpointer = Checkpointer::new(&puzzle, 1 << 24);
    let outcome = on_threads(1, || counter.checkpointer(&checkpointer).run());
    let written = serde_json::to_value(checkpointer.checkpoint().unwrap()).unwrap();
    assert_eq!(outcome.solutions.to_string(), "39916800");
    assert_eq!(written["cells"], format!("{}\n", "?".repeat(11)).repeat(11));
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
                crate::common::command::whole(&fs::read_to_string(&list).unwrap(), 7),
                5040
            ),
        }
    }
}
