//! Surroundings that nobody means well with, such as few threads, closed streams, odd names and devices: none makes the command panic, hang,
//! lie, or pass its limits.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::command::{
    Scratch, answer, assert_refused, ends, omnogram, output, spawn, stderr, stdout,
};

const KEY: &str = "puzzles/pictures/key.non";

/// Runs a shell command, in which `$O` is the command line program and `$K` a puzzle with five solutions.
fn shell(folder: &Path, script: &str) -> Output {
    let root = env!("CARGO_MANIFEST_DIR");
    Command::new("bash")
        .args(["-c", script])
        .env("O", env!("CARGO_BIN_EXE_omnogram"))
        .env("K", format!("{root}/{KEY}"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("bash runs")
}

#[test]
fn many_threads_give_the_same_answer() {
    assert_eq!(answer(&["count", "--threads", "1000", KEY]), "5");
}

/// Once, a thread that could not be started was a panic.
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let scratch = Scratch::new("hostile-threads");
    // Each stack is reserved, but not used: 2 MB, or more.
    for limit in (40..=200).step_by(40) {
        for verb in [
            "count --journal journal",
            "count -j1000",
            "enumerate -j20",
            "count --method tree --journal journal -j20",
            "count --estimate",
        ] {
            let script = format!("rm -f journal; ulimit -v {}; $O {verb} $K", 1000 * limit);
            let done = shell(&scratch, &script);
            match done.status.code() {
                Some(0) => {}
                Some(74) => assert_refused(&done, 74, "the threads cannot be started"),
                // Where the memory runs out while the new thread starts, the allocator, glibc or Rust's standard library says so, each in its way.
                Some(70) => assert!(
                    [
                        "memory allocation of",
                        "out of memory",
                        "Cannot allocate memory"
                    ]
                    .iter()
                    .any(|message| stderr(&done).contains(message)),
                    "{done:?}"
                ),
                _ => panic!("{script}: {done:?}"),
            }
            assert!(!stderr(&done).contains("panicked"), "{script}: {done:?}");
        }
    }
}

/// Once, the process ended by a signal.
#[test]
fn a_failed_allocation_is_an_internal_error() {
    let scratch = Scratch::new("hostile-allocation");
    let ones = "1\n".repeat(30);
    let puzzle = format!("width 30\nheight 30\nrows\n{ones}columns\n{ones}");
    fs::write(scratch.join("large.non"), puzzle).expect("a puzzle");
    let script = "ulimit -v 400000; $O enumerate -j1 --sort --memory 100G -o list large.non";
    let done = shell(&scratch, script);
    assert_eq!(done.status.code(), Some(70), "{done:?}");
    assert!(stderr(&done).contains("memory allocation of"), "{done:?}");
}

#[test]
fn few_open_files_are_enough_or_an_error() {
    let scratch = Scratch::new("hostile-files");
    for verb in [
        "count",
        "count --journal journal",
        "enumerate -o list",
        "check -j64",
        "show",
    ] {
        let done = shell(&scratch, &format!("rm -f list; ulimit -n 8; $O {verb} $K"));
        assert!(
            matches!(done.status.code(), Some(0 | 1)),
            "{verb}: {done:?}"
        );
        // Where not even the libraries can be loaded, the loader says so.
        let done = shell(&scratch, &format!("rm -f list; ulimit -n 4; $O {verb} $K"));
        match done.status.code() {
            Some(0 | 1 | 127) => {}
            _ => assert_refused(&done, 74, "too many open files"),
        }
    }
}

#[test]
fn closed_streams_change_no_answer() {
    let scratch = Scratch::new("hostile-streams");
    for (script, status, text) in [
        ("$O count $K <&-", 0, "5\n"),
        ("$O count $K 2>&-", 0, "5\n"),
        ("$O count $K >&-", 0, ""),
        ("$O count $K <&- >&- 2>&-", 0, ""),
        ("$O check $K >&- 2>&-", 1, ""),
        ("$O check nothing >&- 2>&-", 74, ""),
        ("$O count - <&-", 65, ""),
        ("$O enumerate --limit 1 -o list $K <&- >&- 2>&-", 3, ""),
        (
            "$O --version 2>&-",
            0,
            concat!("omnogram ", env!("CARGO_PKG_VERSION"), "\n"),
        ),
    ] {
        let done = shell(&scratch, script);
        assert_eq!(done.status.code(), Some(status), "{script}: {done:?}");
        assert_eq!(stdout(&done), text, "{script}");
    }
    // A file that is opened while standard output is closed is not written to by mistake.
    let list = fs::read_to_string(scratch.join("list")).expect("the list");
    assert_eq!(list.lines().count(), 8);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_for_every_verb_that_writes() {
    let scratch = Scratch::new("hostile-full");
    shell(
        &scratch,
        "$O enumerate -o list $K; $O split -n 2 -o cubes $K",
    );
    for verb in [
        "check $K",
        "check --json $K",
        "count $K",
        "enumerate $K",
        "enumerate --sort $K",
        "backbone $K",
        "sample $K",
        "solve $K",
        "explain $K",
        "repair $K",
        "show $K",
        "convert --to json $K -",
        "generate --size 5",
        "line 1 --length 5",
        "split -n 2 $K",
        "work --puzzle $K cubes",
        "verify --json $K list",
        "merge --json cubes",
        "help",
        "--version",
        "man",
        "completions bash",
    ] {
        let done = shell(&scratch, &format!("$O {verb} > /dev/full"));
        assert_eq!(done.status.code(), Some(74), "{verb}: {done:?}");
        let last = stderr(&done).lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with("error: <stdout>: "), "{verb}: {last}");
    }
    for verb in [
        "enumerate -o /dev/full $K",
        "enumerate --sort -o /dev/full $K",
        "sample -o /dev/full $K",
        "convert --to json $K /dev/full",
        "generate --size 5 -o /dev/full",
        "split -n 2 -o /dev/full $K",
        "show -o /dev/full $K",
        "count --journal /dev/full $K",
        "count --graph /dev/full $K",
    ] {
        let done = shell(&scratch, &format!("$O {verb}"));
        assert_refused(&done, 74, "/dev/full: ");
    }
    // Messages that cannot be written change nothing.
    let done = shell(&scratch, "$O count nothing $K 2> /dev/full");
    assert_eq!(
        (done.status.code(), stdout(&done).contains('5')),
        (Some(74), true),
        "{done:?}"
    );
}

#[test]
fn the_terminal_does_not_matter() {
    let scratch = Scratch::new("hostile-terminal");
    for set in [
        "TERM=dumb",
        "TERM=",
        "COLUMNS=0",
        "COLUMNS=1",
        "COLUMNS=9999999999",
        "LC_ALL=C",
        "RAYON_NUM_THREADS=-1",
    ] {
        for verb in [
            "count --progress always $K",
            "help count",
            "show $K",
            "check --full $K",
        ] {
            let done = shell(&scratch, &format!("{set} $O {verb}"));
            assert!(
                matches!(done.status.code(), Some(0 | 1)),
                "{set} {verb}: {done:?}"
            );
            assert!(!done.stdout.is_empty());
        }
    }
}

#[test]
fn names_of_any_bytes() {
    let scratch = Scratch::new("hostile-names");
    let names: [&[u8]; 9] = [
        b"-dash.non",
        b"sp ace.non",
        b"new\nline.non",
        b"bad\xff\xfe.non",
        b"escape\x1b[31m.non",
        "right-to-left\u{202e}.non".as_bytes(),
        b"hash#2",
        b"2x2:1",
        b"tab\t'\"\\.non",
    ];
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join(KEY);
    for name in names {
        let name = std::ffi::OsStr::from_bytes(name);
        fs::copy(&key, scratch.join(name)).expect("a copy");
        let run = |verb: &str| {
            let mut command = omnogram(&[verb, "--json", "--"]);
            let done = command.arg(name).current_dir(&*scratch).output();
            done.expect("it runs")
        };
        for verb in ["check", "count"] {
            let done = run(verb);
            assert!(matches!(done.status.code(), Some(0 | 1)), "{done:?}");
            let line: serde_json::Value = serde_json::from_str(stdout(&done)).expect("JSON");
            assert!(line["puzzle"].as_str().is_some_and(|name| !name.is_empty()));
        }
        // The output has a name of such bytes too.
        let list = [b"list-", name.as_bytes(), b".txt"].concat();
        let done = omnogram(&["enumerate", KEY, "-o"])
            .arg(scratch.join(std::ffi::OsStr::from_bytes(&list)))
            .output()
            .expect("it runs");
        assert_eq!(done.status.code(), Some(0), "{done:?}");
    }
    // On one line each, without what would steer the terminal.
    let done = omnogram(&["count", "."])
        .current_dir(&*scratch)
        .output()
        .expect("it runs");
    assert_eq!(stdout(&done).lines().count(), 7, "{done:?}");
    assert!(!stdout(&done).contains(['\x1b', '\u{202e}', '\t']));
    for name in ["x".repeat(300), "x/".repeat(3000)] {
        let done = output(&["check", &name]);
        assert_refused(&done, 74, &name);
        let done = output(&["enumerate", "-o", &name, KEY]);
        assert_eq!(done.status.code(), Some(74), "{done:?}");
    }
}

#[test]
fn links_that_lead_nowhere_and_folders_without_end() {
    let scratch = Scratch::new("hostile-links");
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join(KEY);
    for (from, to) in [
        ("self.non", "self.non"),
        ("a.non", "b.non"),
        ("b.non", "a.non"),
    ] {
        symlink(to, scratch.join(from)).expect("a link");
    }
    for name in ["self.non", "a.non"] {
        assert_refused(&output(&["count", &scratch.file(name)]), 74, name);
        let to = scratch.file(name);
        assert_refused(&output(&["enumerate", "--force", "-o", &to, KEY]), 74, name);
    }
    let folder = scratch.join("loop");
    fs::create_dir(&folder).expect("a folder");
    fs::copy(&key, folder.join("key.non")).expect("a copy");
    symlink("../loop", folder.join("again")).expect("a link");
    symlink("..", folder.join("up")).expect("a link");
    assert_eq!(answer(&["count", &scratch.file("loop")]), "5");
    // Folders inside each other: a thousand, and then so deep that the system does not take their name.
    let deep = "n/".repeat(1000);
    assert!(
        shell(
            &scratch,
            &format!("mkdir -p deep/{deep}; cp $K deep/{deep}")
        )
        .status
        .success()
    );
    let done = shell(&scratch, "ulimit -s 1024; $O count deep");
    assert_eq!(stdout(&done), "5\n", "{done:?}");
    let script = format!(
        "mkdir deeper; cd deeper; for i in $(seq 25); do mkdir {0}; cd {0}; done",
        "n".repeat(200)
    );
    assert!(shell(&scratch, &script).status.success());
    for verb in ["count deeper", "convert --to json deeper out"] {
        assert_refused(&shell(&scratch, &format!("$O {verb}")), 74, "deeper/nn");
    }
    assert!(shell(&scratch, "rm -r deep deeper").status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_processes_are_no_puzzles() {
    for (file, message) in [
        ("/dev/null", "the file is empty"),
        ("/dev/zero", "at most 256 MB"),
        ("/proc/self/status", "not a puzzle"),
        ("/proc/self/cmdline", "not a puzzle"),
    ] {
        assert_refused(&output(&["count", file]), 65, message);
    }
    assert_eq!(output(&["count", "/proc/self/mem"]).status.code(), Some(74));
    assert_eq!(
        output(&["count", "--journal", "/dev/zero", KEY])
            .status
            .code(),
        Some(74)
    );
    assert_eq!(
        output(&["work", "--puzzle", KEY, "/dev/zero"])
            .status
            .code(),
        Some(65)
    );
    assert_refused(
        &output(&["verify", KEY, "/dev/zero"]),
        65,
        "too long for a solution",
    );
}

/// Once, JSON and a puzzle that was converted for a terminal held the control characters of a title above U+007E as they were.
#[test]
fn a_title_does_not_control_the_terminal() {
    let title = "a\u{9b}2J\u{7f}\u{85}\u{2028}\u{202e}b";
    let key = String::from_utf8(fs::read(KEY).expect("a puzzle")).expect("UTF-8");
    let titled = key.replace("\"Key\"", &format!("\"{title}\""));
    let scratch = Scratch::new("hostile-title");
    let file = scratch.file("titled.non");
    fs::write(&file, &titled).expect("a file");
    for verb in ["backbone", "count", "solve"] {
        let line = answer(&[verb, "--json", &file]);
        assert!(line.is_ascii() && !line.contains('\x7f'), "{line}");
        assert!(
            line.contains(r"a\u009b2J\u007f\u0085\u2028\u202eb"),
            "{line}"
        );
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(value["title"], title);
    }
    let convert = format!("$O convert {file} --to non -");
    let piped = shell(&scratch, &convert);
    assert!(
        stdout(&piped).contains(title),
        "a pipe gets the title: {piped:?}"
    );
    // `script` runs it on a terminal of its own.
    let shown = shell(&scratch, &format!("script -qec '{convert}' /dev/null"));
    if shown.stdout.is_empty() {
        eprintln!("there is no `script`: not tried on a terminal");
        return;
    }
    let shown = stdout(&shown);
    assert!(
        !shown.contains('\u{9b}') && shown.contains(r"a\u{9b}2J\u{7f}"),
        "{shown}"
    );
}

#[test]
fn pipes_with_names_are_read_and_written() {
    let scratch = Scratch::new("hostile-pipes");
    let done = shell(&scratch, "mkfifo in out; cat $K > in & $O count in");
    assert_eq!(stdout(&done), "5\n", "{done:?}");
    let done = shell(
        &scratch,
        "cat out > copy & $O enumerate -o out $K; wait; grep -c '#' copy",
    );
    assert_eq!(stdout(&done), "35\n", "{done:?}");
    // In a folder they are left out, because reading one might never end.
    let done = shell(
        &scratch,
        "mkdir folder; mkfifo folder/x.non; $O count folder",
    );
    assert_refused(&done, 65, "no puzzle files");
}

/// Between two answers the second file shrinks, is replaced by a folder, or is gone.
#[test]
fn a_file_that_changes_meanwhile_is_an_error_of_its_own() {
    let scratch = Scratch::new("hostile-changes");
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join(KEY);
    for (change, status, message) in [
        ("gone", 74, "no such file"),
        ("shrunk", 65, "second"),
        ("folder", 74, "directory"),
        ("other", 0, ""),
    ] {
        let (pipe, second) = (scratch.file("pipe"), scratch.file("second.non"));
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .expect("mkfifo")
                .success()
        );
        fs::copy(&key, &second).expect("a copy");
        let mut child = spawn(&mut omnogram(&["count", "-j1", &pipe, &second]));
        // The command has found both files when it opens the pipe, and has not read the second.
        let mut feed = fs::OpenOptions::new()
            .write(true)
            .open(&pipe)
            .expect("the pipe");
        feed.write_all(&fs::read(&key).expect("the puzzle"))
            .expect("it is read");
        match change {
            "shrunk" => fs::write(&second, "width 15\nheight 7\nrows\n3\n").expect("a file"),
            "other" => fs::copy("puzzles/pictures/heart.non", &second)
                .map(drop)
                .expect("a copy"),
            _ => fs::remove_file(&second).expect("a file"),
        }
        if change == "folder" {
            fs::create_dir(&second).expect("a folder");
        }
        drop(feed);
        assert_eq!(ends(&mut child), Some(status), "{change}");
        let done = child.wait_with_output().expect("it has ended");
        assert!(
            stdout(&done).starts_with(&format!("{pipe}: 5\n")),
            "{done:?}"
        );
        assert!(stderr(&done).contains(message), "{done:?}");
        fs::remove_file(&pipe).expect("the pipe");
        let _ = fs::remove_dir(&second);
    }
}
