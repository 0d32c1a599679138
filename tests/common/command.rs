//! The command, run as its users run it.
#![allow(dead_code, reason = "each test uses its share")]

use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A puzzle that no test waits for: 20! solutions.
pub(crate) const LONG: &str = "puzzles/families/permutation-20.non";

/// 120 solutions.
pub(crate) const PERMUTATION_5: &str = "puzzles/families/permutation-5.non";

/// 5040 solutions.
pub(crate) const PERMUTATION_7: &str = "puzzles/families/permutation-7.non";

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

/// The arguments in a line; the paths of the tests have no blanks.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Runs it, which must end with this exit status.
pub(crate) fn ended(status: i32, arguments: &[&str]) -> Output {
    let done = output(arguments);
    assert_eq!(done.status.code(), Some(status), "{arguments:?} {done:?}");
    done
}

/// It ended with this exit status, and has printed this.
pub(crate) fn assert_printed(done: &Output, status: i32, text: &str) {
    let found = (stdout(done), done.status.code());
    assert_eq!(found, (text, Some(status)), "{done:?}");
}

/// It has printed nothing but an error at this place of a file, with this message in it.
pub(crate) fn assert_bad_data(done: &Output, place: &str, message: &str) {
    assert_printed(done, 65, "");
    let said = stderr(done);
    assert!(said.starts_with(&format!("error: {place}:")), "{said}");
    assert!(said.contains(message), "{said}");
}

/// Prints only, and must succeed.
pub(crate) fn answer(arguments: &[&str]) -> String {
    stdout(&ended(0, arguments)).trim_end().to_owned()
}

/// The file of the cubes into which a puzzle is split, about this many.
pub(crate) fn split(scratch: &Scratch, number: &str, puzzle: &str) -> String {
    let cubes = scratch.file("cubes");
    answer(&["split", "-q", "-n", number, "-o", &cubes, puzzle]);
    cubes
}

/// Runs something that must leave a file as long as it is.
pub(crate) fn without_growth<T>(file: &str, run: impl FnOnce() -> T) -> T {
    let size = || std::fs::metadata(file).expect("a file").len();
    let before = size();
    let result = run();
    assert_eq!(size(), before, "{file}");
    result
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

/// Starts it, and kills it after this time; whether it had ended by itself.
pub(crate) fn kill_after(time: Duration, command: &mut Command) -> bool {
    let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(time);
    let ended = child.try_wait().expect("a child").is_some();
    child.kill().expect("a child");
    child.wait().expect("a child");
    ended
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

/// A time from zero to the longest.
pub(crate) fn moment(longest: Duration, random: &mut super::Random) -> Duration {
    Duration::from_micros(random.below(longest.as_micros() as usize) as u64)
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

    /// The paths of several files.
    pub(crate) fn files<const N: usize>(&self, names: [&str; N]) -> [String; N] {
        names.map(|name| self.file(name))
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
