//! Limits hold on large loose puzzles, where a single node of the search takes long.

#![cfg(feature = "cli")]

use std::process::Command;

/// Once `count` built the states of all lines of a 300x300 puzzle again at each of 256 nodes before it looked at the clock: it took
/// five seconds more than its limit.
#[test]
fn a_large_puzzle_does_not_keep_a_verb_from_its_limit() {
    let python = std::env::var("OMNOGRAM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if Command::new(&python).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {python}");
        return;
    }
    let done = Command::new(&python)
        .args(["scripts/limits", "--quick", "--how", "time"])
        .args(["--puzzles", "ones-300", "--puzzles", "random-100-0.1"])
        .args(["--omnogram", env!("CARGO_BIN_EXE_omnogram")])
        // A machine that does other things may be slow; what was wrong took longer all the same.
        .args(["--within", "2"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("it runs");
    assert!(
        done.status.success(),
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}
