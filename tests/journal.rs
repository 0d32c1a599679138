//! Journalled runs that are killed, torn and damaged.

mod common;

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::Random;
use common::command::{Scratch, answer, omnogram, output, stderr, stdout};

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
        (Some(65), error("this is the journal of another puzzle"))
    );
    let text = "this is the journal of `count --method auto`, not of `count --method tree`";
    assert_eq!(
        said(&["count", "--method", "tree", "--journal", &journal, puzzle]),
        (Some(65), error(text))
    );
    let text = "this is the journal of `count --method auto`, not of `enumerate --format text`";
    let list = scratch.file("list");
    assert_eq!(
        said(&["enumerate", "--journal", &journal, "-o", &list, puzzle]),
        (Some(65), error(text))
    );
    assert_eq!(
        said(&["count", "--journal", &journal, puzzle, other]),
        (
            Some(2),
            error("a journal is of one puzzle, but there are several")
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
    let second = output(&long);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.status.code(), Some(74), "{second:?}");
    assert_eq!(
        stderr(&second),
        format!("error: {journal}: another run is using this journal\n")
    );
}
