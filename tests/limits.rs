//! Limits on time and memory hold on large loose puzzles, where a single node of the search takes long.

#![cfg(feature = "cli")]

use std::process::Command;

/// Runs `scripts/limits`, which must find no run that stops too late or takes too much memory.
fn all_keep_their_limits(arguments: &[&str]) {
    let python = std::env::var("OMNOGRAM_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if Command::new(&python).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {python}");
        return;
    }
    let done = Command::new(&python)
        .args(["scripts/limits", "--quick", "--how", "time"])
        .args(arguments)
        .args(["--omnogram", env!("CARGO_BIN_EXE_omnogram")])
        // A machine that does other things may be slow; what was wrong took longer all the same.
        .args(["--within", "2"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("it runs");
    let (out, err) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(done.status.success(), "{out}{err}");
    assert!(!out.starts_with("0 runs"), "{out}");
}

/// Once `count` built the states of all lines of a 300x300 puzzle again at each of 256 nodes before it looked at the clock: it took
/// five seconds more than its limit.
#[test]
fn a_large_puzzle_does_not_keep_a_verb_from_its_limit() {
    all_keep_their_limits(&["--puzzles", "ones-300", "--puzzles", "random-100-0.1"]);
}

/// Once a single decision in a dense picture of 600x600 cells settled tens of thousands of lines before anything looked at the clock: most
/// verbs took more than ten seconds longer than their limit.
#[test]
fn a_long_propagation_does_not_keep_a_verb_from_its_limit() {
    let verbs = ["check", "count --method", "explain", "repair", "split"];
    let mut arguments = vec!["--puzzles", "random-600-0.75"];
    arguments.extend(verbs.iter().flat_map(|verb| ["--only", verb]));
    all_keep_their_limits(&arguments);
}

/// Once most verbs took 80 to 180 MB on eight threads, because the records and the cells of probes had no limit.
#[test]
fn every_verb_keeps_its_memory_on_many_threads() {
    let arguments = ["--puzzles", "random-100-0.1", "--threads", "8"];
    all_keep_their_limits(&[&arguments[..], &["--memory", "40"]].concat());
}
