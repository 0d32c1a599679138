//! The command, run as its users run it.
#![allow(dead_code, reason = "each test uses its share")]

use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A puzzle that no test waits for: 20! solutions.
pub(crate) const LONG: &str = "puzzles/families/permutation-20.non";

pub(crate) fn omnogram(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omnogram"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null());
    command
}

pub(crate) fn output(arguments: &[&str]) -> Output {
    omnogram(arguments).output().expect("it runs")
}

pub(crate) fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("UTF-8")
}

/// Prints only, and must succeed.
pub(crate) fn answer(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?} {output:?}");
    stdout(&output).trim_end().to_owned()
}

/// Runs it with this on standard input.
pub(crate) fn fed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = spawn(omnogram(arguments).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that refuses its options may end before it has read all.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

pub(crate) fn spawn(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
}

/// The exit status, if it ends soon.
pub(crate) fn ends(child: &mut Child) -> Option<i32> {
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

/// A folder that is gone afterwards.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("omnogram-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// The file of a puzzle of which a count takes a second or so.
pub(crate) fn slow(scratch: &Scratch) -> String {
    let file = scratch.file("slow.non");
    let puzzle = omnogram::puzzle::Puzzle::from_grid(&super::Random(22).grid(14, 14, 0.35));
    std::fs::write(&file, omnogram::format::non::write(&puzzle)).unwrap();
    file
}

/// Whole solutions of a permutation puzzle, and nothing else; how many.
pub(crate) fn whole(text: &str, side: usize) -> usize {
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

/// One message, which is an error, and this status.
pub(crate) fn assert_refused(done: &Output, status: i32, message: &str) {
    let said = stderr(done);
    assert_eq!(done.status.code(), Some(status), "{said}");
    assert!(
        said.starts_with("error: ") && said.contains(message),
        "{said}"
    );
    let errors = said.lines().filter(|line| line.starts_with("error: "));
    assert_eq!(errors.count(), 1, "{said}");
}
