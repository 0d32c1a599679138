//! The examples: each is run on a puzzle of the repository, and is short.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The examples, which `cargo test` builds beside the tests.
fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent);
    profile
        .expect("tests are in target/PROFILE/deps")
        .join("examples")
}

fn run(example: &str, arguments: &[&str]) -> String {
    let program = folder()
        .join(example)
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = Command::new(program);
    let output = command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let output = output.unwrap_or_else(|error| panic!("{example} cannot be run: {error}"));
    assert!(
        output.status.success(),
        "{example}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn examples_give_known_answers() {
    assert_eq!(
        run("solve", &["puzzles/pictures/cup.non"]).lines().count(),
        10
    );
    let listed = run("list", &["puzzles/pictures/key.non"]);
    assert_eq!(listed.matches("solution").count(), 5);
    assert!(run("list", &["puzzles/families/permutation-20.non", "2"]).contains("solution 2\n"));
    let shares = run("shares", &["puzzles/pictures/key.non"]);
    assert!(
        shares.starts_with("5 solutions\n") && shares.contains("\n0.40 1.00 1.00 1.00 1.00 0.60 "),
        "{shares}"
    );
    let checked = run("check_folder", &["puzzles/pictures"]);
    assert!(
        checked.contains("puzzles/pictures/key.non: multiple\n"),
        "{checked}"
    );
    assert!(
        checked.contains("puzzles/pictures/cup.non: unique\n"),
        "{checked}"
    );
    assert_eq!(
        run("sink", &["puzzles/pictures/key.non"]),
        "3 of 5 solutions\n"
    );
}

#[test]
fn examples_have_at_most_forty_lines() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files: Vec<PathBuf> = std::fs::read_dir(examples)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 5);
    for file in files {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 40, "{} has {lines} lines", file.display());
    }
}
