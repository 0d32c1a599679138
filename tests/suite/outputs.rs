//! Outputs: what is read is never written over, what is there is not replaced without `--force`, and a run that ends early leaves whole
//! files and nothing else.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::command::{
    LONG, Scratch, answer, assert_refused, ends, omnogram, output, spawn, stderr, stdout,
};

const KEY: &str = "puzzles/pictures/key.non";
const HEART: &str = "puzzles/pictures/heart.non";

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("UTF-8")
    };
    let mut names: Vec<String> = fs::read_dir(folder).expect("a folder").map(name).collect();
    names.sort();
    names
}

/// Waits until a folder holds a draft.
fn draft(folder: &Path) -> String {
    let started = Instant::now();
    loop {
        let draft = names(folder)
            .into_iter()
            .find(|name| name.ends_with(".part"));
        match draft {
            Some(draft) => return draft,
            None => assert!(started.elapsed() < Duration::from_secs(10), "no draft"),
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until something has been written to a draft.
#[cfg(unix)]
fn filled(folder: &Path) -> String {
    let part = draft(folder);
    let started = Instant::now();
    while fs::metadata(folder.join(&part)).unwrap().len() == 0 {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "nothing written"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    part
}

/// Cubes of a puzzle, and the results to them with the solutions in a folder.
fn answered(scratch: &Scratch) -> [String; 3] {
    let [cubes, results, found] = ["cubes", "results", "found"].map(|name| scratch.file(name));
    answer(&["split", "-q", "-n", "4", "-o", &cubes, KEY]);
    let done = answer(&[
        "work",
        "-q",
        "--puzzle",
        KEY,
        "--solutions-dir",
        &found,
        &cubes,
    ]);
    fs::write(&results, done + "\n").unwrap();
    [cubes, results, found]
}

/// Once, `merge --missing results cubes results` left no results, and `merge --missing cubes cubes` no cubes, through links too.
#[test]
fn merge_does_not_write_over_what_it_reads() {
    let scratch = Scratch::new("merge-reads");
    let [cubes, results, found] = answered(&scratch);
    let (there, given) = (fs::read(&cubes).unwrap(), fs::read(&results).unwrap());
    let (link, hard) = (scratch.file("link"), scratch.file("hard"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("cubes", &link).unwrap();
    #[cfg(not(unix))]
    fs::copy(&cubes, &link).unwrap();
    fs::hard_link(&results, &hard).unwrap();
    let listed = fs::read_dir(&found)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let solutions = fs::read(&listed).unwrap();
    let mut refused = vec![
        vec!["--missing", &results],
        vec!["--missing", &cubes],
        vec!["--solutions-dir", &found, "-o", &cubes],
        vec!["--solutions-dir", &found, "-o", &results],
        vec!["--solutions-dir", &found, "-o", listed.to_str().unwrap()],
    ];
    if cfg!(unix) {
        refused.push(vec!["--missing", &link]);
        refused.push(vec!["--solutions-dir", &found, "--missing", &hard]);
    }
    for how in refused {
        for force in [&["--force"][..], &[]] {
            let done = output(&[&["merge"], force, &how, &[&cubes, &results]].concat());
            assert_eq!(done.status.code(), Some(2), "{how:?} {done:?}");
            assert_eq!(stdout(&done), "", "{how:?}");
            assert!(
                fs::read(&cubes).unwrap() == there && fs::read(&results).unwrap() == given,
                "{how:?}"
            );
            assert_eq!(fs::read(&listed).unwrap(), solutions);
        }
    }
    // Two outputs of one name.
    let again = scratch.file("again");
    let both = ["--missing", &again, "--solutions-dir", &found, "-o", &again];
    let done = output(&[&["merge"], &both[..], &[&cubes, &results]].concat());
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(stderr(&done).contains("named for two outputs"));
    assert!(names(&scratch).iter().all(|name| !name.ends_with(".part")));
}

/// Once, most verbs replaced what was there, and only `convert` refused. `FILE` stands for the file, `DIR` for its folder, in which it has
/// the name that the verb gives.
#[test]
fn no_verb_replaces_a_file_without_force() {
    let scratch = Scratch::new("force");
    let [cubes, results, found] = answered(&scratch);
    let verbs: [(&str, &[&str]); 19] = [
        ("f.txt", &["enumerate", "-o", "FILE", KEY]),
        ("f.txt", &["enumerate", "--sort", "-o", "FILE", KEY]),
        ("f.txt", &["enumerate", "--from", "2", "-o", "FILE", KEY]),
        (
            "f.txt",
            &["enumerate", "--journal", "JOURNAL", "-o", "FILE", KEY],
        ),
        ("f.txt", &["sample", "-o", "FILE", KEY]),
        ("f.svg", &["count", "--cells", "--svg", "FILE", KEY]),
        ("f.nnf", &["count", "--graph", "FILE", KEY]),
        ("f.svg", &["check", "--full", "--svg", "FILE", HEART]),
        ("f.html", &["check", "--full", "--html", "FILE", HEART]),
        ("f.non", &["convert", KEY, "FILE"]),
        ("key.nin", &["convert", "--to", "nin", KEY, "DIR/"]),
        ("f.html", &["show", "-o", "FILE", KEY]),
        ("key.svg", &["show", "--format", "svg", "-o", "DIR", KEY]),
        ("f", &["split", "-n", "4", "-o", "FILE", KEY]),
        ("f", &["merge", "--missing", "FILE", &cubes, &results]),
        (
            "f",
            &[
                "merge",
                "--solutions-dir",
                &found,
                "-o",
                "FILE",
                &cubes,
                &results,
            ],
        ),
        (
            "f.svg",
            &[
                "bench",
                "--quick",
                "-w",
                "permutation",
                "-j1",
                "--repeat",
                "1",
                "--svg",
                "FILE",
            ],
        ),
        ("omnogram.1", &["man", "--dir", "DIR"]),
        ("omnogram-show.1", &["man", "--dir", "DIR"]),
    ];
    for (i, (name, arguments)) in verbs.into_iter().enumerate() {
        let folder = scratch.join(i.to_string());
        fs::create_dir(&folder).unwrap();
        let file = folder.join(name);
        fs::write(&file, "mine\n").unwrap();
        let journal = scratch.file(&format!("journal-{i}"));
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match *argument {
                "FILE" => file.display().to_string(),
                "DIR" => folder.display().to_string(),
                "DIR/" => format!("{}/", folder.display()),
                "JOURNAL" => journal.clone(),
                other => other.to_owned(),
            })
            .collect();
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let done = output(&arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?} {done:?}");
        assert!(
            stderr(&done).contains(": this file already exists"),
            "{done:?}"
        );
        assert_eq!(stdout(&done), "", "nothing is done: {arguments:?}");
        assert_eq!(fs::read(&file).unwrap(), b"mine\n", "{arguments:?}");
        assert_eq!(names(&folder), [name], "{arguments:?}");
        assert!(!Path::new(&journal).exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        }
        arguments.push("--force");
        let done = output(&arguments);
        assert_eq!(done.status.code(), Some(0), "{arguments:?} {done:?}");
        assert_ne!(fs::read(&file).unwrap(), b"mine\n", "{arguments:?}");
        assert!(names(&folder).iter().all(|name| !name.ends_with(".part")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640, "{arguments:?}");
        }
    }
}

#[test]
fn no_verb_writes_over_the_puzzle_that_it_reads() {
    let scratch = Scratch::new("reads");
    let folder = scratch.join("puzzles");
    fs::create_dir(&folder).unwrap();
    let (puzzle, hard) = (folder.join("key.non"), folder.join("hard.svg"));
    fs::copy(KEY, &puzzle).unwrap();
    fs::hard_link(&puzzle, &hard).unwrap();
    let [puzzle, hard, within] = [&puzzle, &hard, &folder].map(|path| path.to_str().unwrap());
    let (journal, list) = (scratch.file("journal"), scratch.file("list"));
    for arguments in [
        &["enumerate", "-o", puzzle, within][..],
        &["enumerate", "-o", hard, puzzle],
        &["enumerate", "--journal", &journal, "-o", hard, puzzle],
        &["enumerate", "--journal", hard, "-o", &list, puzzle],
        &["sample", "-o", hard, puzzle],
        &["count", "--cells", "--svg", hard, puzzle],
        &["count", "--graph", hard, puzzle],
        &["count", "--journal", hard, puzzle],
        &["convert", puzzle, "--to", "non", hard],
        &["convert", "--to", "non", within, &format!("{within}/")],
        &["show", "-o", hard, puzzle],
        &["split", "-n", "3", "-o", hard, puzzle],
    ] {
        for force in [&["--force"][..], &[]] {
            let journalled = arguments[0] == "count" && arguments[1] == "--journal";
            let done = output(&[arguments, if journalled { &[] } else { force }].concat());
            assert_eq!(done.status.code(), Some(2), "{arguments:?} {done:?}");
            assert_eq!(fs::read(puzzle).unwrap(), fs::read(KEY).unwrap());
            assert_eq!(names(&folder), ["hard.svg", "key.non"], "{arguments:?}");
        }
    }
    assert!(!Path::new(&journal).exists() && !Path::new(&list).exists());
}

/// A shell's `>>` after the file that is read, and `<` before the file that is to be written.
#[cfg(unix)]
#[test]
fn standard_input_and_output_are_files_too() {
    let scratch = Scratch::new("standard");
    let puzzle = scratch.file("key.non");
    fs::copy(KEY, &puzzle).unwrap();
    for arguments in [
        &["enumerate", &puzzle][..],
        &["check", &puzzle],
        &["convert", &puzzle, "--to", "non", "-"],
        &["verify", KEY, &puzzle],
        &["work", "--puzzle", KEY, &puzzle],
        &["merge", &puzzle, KEY],
    ] {
        let end = fs::OpenOptions::new().append(true).open(&puzzle).unwrap();
        let done = omnogram(arguments).stdout(end).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?} {done:?}");
        assert_eq!(fs::read(&puzzle).unwrap(), fs::read(KEY).unwrap());
    }
    let begin = fs::File::open(&puzzle).unwrap();
    let done = omnogram(&["convert", "--force", "-", &puzzle])
        .stdin(begin)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert_eq!(fs::read(&puzzle).unwrap(), fs::read(KEY).unwrap());
}

/// Once, `enumerate - -o /dev/stdin < FILE` added the solutions to FILE, without `--force`: the file behind a descriptor was not compared
/// with the inputs. A descriptor that was opened for reading only was opened anew and written, and the list of a journal emptied the file.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_leads_to_no_file_that_is_read() {
    let scratch = Scratch::new("descriptors");
    let shell = |script: &str| {
        let done = std::process::Command::new("bash")
            .args(["-c", script])
            .env("O", env!("CARGO_BIN_EXE_omnogram"))
            .env("K", Path::new(env!("CARGO_MANIFEST_DIR")).join(KEY))
            .current_dir(&*scratch)
            .output();
        done.expect("bash runs")
    };
    let (puzzle, other) = (scratch.file("key.non"), scratch.file("other"));
    fs::copy(KEY, &puzzle).unwrap();
    let empty = omnogram::puzzle::Position::unknown(15, 7).to_string();
    fs::write(&other, &empty).unwrap();
    let input = "this is an input file";
    let closed = "open for reading only: it cannot be written";
    for (script, status, message) in [
        ("$O enumerate - -o /dev/stdin < key.non", 2, input),
        ("$O enumerate - -o /dev/fd/0 0<> key.non", 2, input),
        ("$O enumerate key.non -o /dev/fd/3 3< key.non", 2, input),
        ("$O enumerate key.non -o /dev/fd/3 3<> key.non", 2, input),
        ("$O enumerate key.non -o /dev/fd/3 3>> key.non", 2, input),
        (
            "$O convert --force --to json key.non /dev/stdin < key.non",
            2,
            input,
        ),
        (
            "$O enumerate --journal j -o /dev/stdin key.non < key.non",
            2,
            input,
        ),
        (
            "$O explain --position other --html /dev/fd/3 $K 3>> other",
            2,
            input,
        ),
        ("$O enumerate $K -o /dev/fd/3 3< other", 74, closed),
        ("$O enumerate $K -o /dev/stdin < other", 74, closed),
        (
            "$O enumerate --journal j -o /dev/fd/3 $K 3< other",
            74,
            closed,
        ),
        ("cat other | $O enumerate $K -o /dev/stdin", 74, closed),
    ] {
        let done = shell(script);
        assert_refused(&done, status, message);
        assert_eq!(
            fs::read(&puzzle).unwrap(),
            fs::read(KEY).unwrap(),
            "{script}"
        );
        assert_eq!(fs::read_to_string(&other).unwrap(), empty, "{script}");
        assert_eq!(names(&scratch), ["key.non", "other"], "{script}");
    }
    // What the shell has opened for writing is written.
    let list = answer(&["enumerate", "-q", KEY]);
    for redirection in ["3>> other", "3<> other", "3> other"] {
        fs::write(&other, "").unwrap();
        let done = shell(&format!("$O enumerate -q -o /dev/fd/3 $K {redirection}"));
        assert_eq!(done.status.code(), Some(0), "{redirection} {done:?}");
        assert_eq!(fs::read_to_string(&other).unwrap().trim_end(), list);
    }
    let done = shell("$O enumerate -q -o /dev/stderr $K");
    assert_eq!(stderr(&done).trim_end(), list);
}

/// Once, only the PUZZLE arguments were compared with standard output: `explain --position FILE PUZZLE >> FILE` added to FILE.
#[cfg(unix)]
#[test]
fn standard_output_is_no_other_file_that_is_read() {
    let scratch = Scratch::new("also-read");
    let (position, list) = (scratch.file("position"), scratch.file("list"));
    let mask = scratch.file("mask.non");
    let empty = omnogram::puzzle::Position::unknown(15, 7).to_string();
    fs::write(&position, empty).unwrap();
    fs::write(&list, answer(&["enumerate", "-q", KEY]) + "\n").unwrap();
    fs::copy(KEY, &mask).unwrap();
    for (arguments, file) in [
        (&["explain", KEY, "--position", &position][..], &position),
        (&["repair", KEY, "--keep", &mask], &mask),
        (&["show", KEY, "--solutions-from", &list], &list),
        (&["generate", "--from", &mask], &mask),
    ] {
        let before = fs::read(file).unwrap();
        let end = fs::OpenOptions::new().append(true).open(file).unwrap();
        let done = omnogram(arguments).stdout(end).output().unwrap();
        assert_refused(&done, 2, "<stdout>: this is an input file");
        assert_eq!(fs::read(file).unwrap(), before, "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_file_is_written_in_place() {
    let scratch = Scratch::new("streams");
    let list = answer(&["enumerate", "-q", KEY]);
    for name in ["/dev/null", "/dev/stdout", "-", "/dev/fd/1"] {
        let done = output(&["enumerate", "-q", "-o", name, KEY]);
        assert_eq!(done.status.code(), Some(0), "{name} {done:?}");
        let expected = if name == "/dev/null" { "" } else { &list };
        assert_eq!(stdout(&done).trim_end(), expected, "{name}");
    }
    // Standard output that is a file, and not an empty one, is added to.
    let file = scratch.file("list");
    fs::write(&file, "first\n").unwrap();
    let end = fs::OpenOptions::new().append(true).open(&file).unwrap();
    let done = omnogram(&["enumerate", "-q", "-o", "/dev/stdout", KEY])
        .stdout(end)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.trim_end(), format!("first\n{list}"));
    // A FIFO.
    let fifo = scratch.file("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let mut child = spawn(&mut omnogram(&["enumerate", "-q", "-o", &fifo, KEY]));
    assert_eq!(fs::read_to_string(&fifo).unwrap().trim_end(), list);
    assert_eq!(ends(&mut child), Some(0));
    assert_eq!(names(&scratch), ["fifo", "list"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_what_it_leads_to_is_written() {
    let scratch = Scratch::new("links");
    let (link, there) = (scratch.file("link"), scratch.file("there"));
    fs::create_dir(scratch.join("far")).unwrap();
    std::os::unix::fs::symlink("middle", &link).unwrap();
    std::os::unix::fs::symlink("far/list", scratch.join("middle")).unwrap();
    let list = answer(&["enumerate", "-q", KEY]);
    answer(&["enumerate", "-q", "-o", &link, KEY]);
    let done = output(&["sample", "-q", "-o", &link, KEY]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    answer(&["enumerate", "-q", "--force", "--sort", "-o", &link, KEY]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let written = fs::read_to_string(scratch.join("far/list")).unwrap();
    assert_eq!(written.len(), list.len() + 2);
    assert_eq!(names(&scratch.join("far")), ["list"]);
    // A circle of links is no place.
    std::os::unix::fs::symlink("there", &there).unwrap();
    let done = output(&["enumerate", "-o", &there, KEY]);
    assert_eq!(done.status.code(), Some(74), "{done:?}");
}

#[test]
fn a_list_that_a_limit_stops_is_kept() {
    let scratch = Scratch::new("limit");
    let list = scratch.file("list");
    for (limit, least) in [(["--limit", "7"], 7), (["--time", "300ms"], 1)] {
        let how = ["enumerate", "-q", "--force", "-o", &list];
        let done = output(&[&how[..], &limit, &[LONG]].concat());
        assert_eq!(done.status.code(), Some(3), "{done:?}");
        let text = fs::read_to_string(&list).unwrap();
        assert!(crate::common::command::whole(&text, 20) >= least);
        assert_eq!(names(&scratch), ["list"]);
    }
}

#[test]
fn a_run_that_fails_leaves_what_was_there() {
    let scratch = Scratch::new("fails");
    let file = scratch.file("page.html");
    fs::write(&file, "mine\n").unwrap();
    let list = scratch.file("list");
    fs::write(&list, "#\n\n").unwrap();
    let bad = "puzzles/bad/empty.non";
    for (arguments, status) in [
        (&["enumerate", "-o", &file, bad][..], 65),
        (&["show", "-o", &file, bad], 65),
        (&["show", "-o", &file, "--solutions-from", &list, KEY], 65),
        (&["split", "-n", "3", "-o", &file, bad], 65),
        (&["convert", "--to", "non", bad, &file], 65),
        (
            &["convert", "--to", "nin", "puzzles/pack.nonpack", &file],
            2,
        ),
        (&["merge", "--missing", &file, &list], 65),
        (&["sample", "--nodes", "1", "-o", "/dev/null/x", KEY], 74),
    ] {
        let done = output(&[arguments, &["--force"]].concat());
        assert_eq!(done.status.code(), Some(status), "{arguments:?} {done:?}");
        assert_eq!(fs::read(&file).unwrap(), b"mine\n", "{arguments:?}");
        assert_eq!(names(&scratch), ["list", "page.html"], "{arguments:?}");
    }
}

/// Verbs that search are waiting for a puzzle here, and `convert` never looks whether it is asked to stop.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_draft() {
    let scratch = Scratch::new("interrupt");
    let file = scratch.file("list.non");
    for arguments in [
        &["enumerate", "-o", &file, "-"][..],
        &["show", "--format", "svg", "-o", &file, "-"],
        &["convert", "-", &file],
    ] {
        for signal in ["-INT", "-TERM"] {
            let mut child = spawn(omnogram(arguments).stdin(Stdio::piped()));
            assert!(draft(&scratch).starts_with(".list.non-"));
            // The second one ends it at once, whatever it was doing at the first.
            let mut status = None;
            for _ in 0..100 {
                let kill = std::process::Command::new("kill")
                    .args([signal, &child.id().to_string()])
                    .status();
                assert!(kill.is_ok());
                std::thread::sleep(Duration::from_millis(100));
                status = child.try_wait().unwrap();
                if status.is_some() {
                    break;
                }
            }
            let status = status.and_then(|status| status.code());
            assert!(
                [Some(130), Some(3)].contains(&status),
                "{arguments:?} {status:?}"
            );
            assert!(names(&scratch).is_empty(), "{arguments:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_list_is_kept() {
    let scratch = Scratch::new("kept");
    let list = scratch.file("list");
    let mut child = spawn(&mut omnogram(&["enumerate", "-o", &list, LONG]));
    filled(&scratch);
    crate::common::command::interrupt(&child);
    assert_eq!(ends(&mut child), Some(3));
    assert_eq!(names(&scratch), ["list"]);
    let text = fs::read_to_string(&list).unwrap();
    assert!(crate::common::command::whole(&text, 20) > 0);
}

/// Nobody wins a race for a name: what has come while the list was made stays, and so does the list.
#[cfg(unix)]
#[test]
fn what_has_come_meanwhile_is_not_replaced() {
    let scratch = Scratch::new("meanwhile");
    let list = scratch.file("list");
    let mut child = spawn(&mut omnogram(&["enumerate", "-o", &list, LONG]));
    let part = filled(&scratch);
    fs::write(&list, "mine\n").unwrap();
    crate::common::command::interrupt(&child);
    // The gravest: 3 for the interrupt.
    assert_eq!(ends(&mut child), Some(3));
    let done = child.wait_with_output().unwrap();
    let said = format!(
        "error: {list}: this file was created during the run, and is not replaced; the output is in {}\n",
        scratch.join(&part).display()
    );
    assert!(stderr(&done).ends_with(&said), "{done:?}");
    assert_eq!(fs::read(&list).unwrap(), b"mine\n");
    assert_eq!(names(&scratch), [part.as_str(), "list"]);
}

/// The list of a journal is continued; one that is not its own is left alone.
#[test]
fn a_journal_continues_its_own_list_only() {
    let scratch = Scratch::new("journal-list");
    let (journal, list, other) = (
        scratch.file("journal"),
        scratch.file("list"),
        scratch.file("other"),
    );
    let puzzle = "puzzles/families/permutation-7.non";
    let run = ["enumerate", "-q", "-j1", "--journal", &journal, "-o"];
    let done = output(&[&run[..], &[&list, "--nodes", "300", puzzle]].concat());
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    let begun = fs::metadata(&list).unwrap().len();
    assert!(begun > 0);
    let mine = "mine, and long enough\n".repeat(100_000);
    fs::write(&other, &mine).unwrap();
    for force in [&[][..], &["--force"]] {
        let done = output(&[&run[..], &[&other, puzzle], force].concat());
        assert_eq!(done.status.code(), Some(65), "{done:?}");
        assert!(stderr(&done).contains("this file is not the list of this journal"));
        assert_eq!(fs::read_to_string(&other).unwrap(), mine);
    }
    answer(&[&run[..], &[&list, puzzle]].concat());
    let verified = answer(&["verify", puzzle, &list]);
    assert_eq!(verified, "5040 solutions, all valid, no repeats");
}

/// Work that is done again finds its files there: they hold what their names say, or they are named.
#[test]
fn a_cube_that_is_answered_again_has_its_file_already() {
    let scratch = Scratch::new("again");
    let [cubes, _, found] = answered(&scratch);
    let work = [
        "work",
        "-q",
        "--puzzle",
        KEY,
        "--solutions-dir",
        &found,
        &cubes,
    ];
    let before = names(Path::new(&found));
    answer(&work);
    assert_eq!(names(Path::new(&found)), before);
    let file = Path::new(&found).join(&before[0]);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, "torn").unwrap();
    let done = output(&work);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(stderr(&done).contains("its content does not match its name: --force"));
    assert_eq!(fs::read(&file).unwrap(), b"torn");
    answer(&[&work[..], &["--force"]].concat());
    assert_eq!(fs::read(&file).unwrap(), whole);
    assert_eq!(names(Path::new(&found)), before);
}

/// Once, a certificate that could not be written kept a drawing from its name.
#[test]
fn a_drawing_is_kept_when_a_certificate_fails() {
    let scratch = Scratch::new("drawn");
    let (folder, drawing) = (scratch.file("certificates"), scratch.file("a.svg"));
    fs::create_dir_all(Path::new(&folder).join("1.cnf")).unwrap();
    let run = [
        "check", "-q", "--full", "--svg", &drawing, "--proof", &folder, HEART,
    ];
    let done = output(&run);
    assert_eq!(done.status.code(), Some(74), "{done:?}");
    assert!(stderr(&done).contains("is a directory"), "{done:?}");
    assert!(fs::read_to_string(&drawing).unwrap().contains("</svg>"));
}
