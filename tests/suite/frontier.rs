//! The sweep along a frontier: on several threads, and within its limits.

use std::time::{Duration, Instant};

use crate::common::command::{Scratch, omnogram};
use crate::common::{Random, on_threads, permutation};
use omnogram::count::{Counter, Method};
use omnogram::format;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Limits, Outcome};

fn sweep(puzzle: &Puzzle, threads: usize, memory: u64) -> Outcome {
    let limits = Limits::default().memory(memory);
    on_threads(threads, || {
        let counter = Counter::new(puzzle).method(Method::Frontier);
        counter.limits(limits).run()
    })
}

/// Has nothing been branched?
fn is_swept(outcome: &Outcome) -> bool {
    outcome.statistics.nodes == 1
}

#[test]
fn a_sweep_that_outgrows_its_memory_goes_on_in_parts() {
    let puzzle = permutation(16);
    for threads in [1, 3] {
        let outcome = sweep(&puzzle, threads, 4 << 20);
        // 16!
        assert_eq!(outcome.solutions.to_string(), "20922789888000");
        assert!(is_swept(&outcome), "{threads}");
    }
}

#[test]
fn random_puzzles_have_as_many_solutions_on_several_threads_and_with_little_memory() {
    let mut random = Random(8);
    for i in 0..9 {
        let side = 10 + i % 3;
        let puzzle = random.puzzle(side, side, 0.35);
        let wanted = Counter::new(&puzzle)
            .method(Method::Regions)
            .run()
            .solutions;
        for (threads, memory) in [(1, 4 << 30), (3, 4 << 30), (1, 1 << 19), (3, 1 << 19)] {
            let outcome = sweep(&puzzle, threads, memory);
            assert_eq!(outcome.solutions, wanted, "{threads} {memory} {puzzle:?}");
        }
    }
}

#[test]
fn one_thread_repeats_a_sweep() {
    let puzzle = Random(3).puzzle(13, 13, 0.35);
    let memory = 4 << 20;
    let (first, second) = (sweep(&puzzle, 1, memory), sweep(&puzzle, 1, memory));
    assert_eq!(first.solutions, second.solutions);
    assert_eq!(first.statistics, second.statistics);
}

/// A random 60x60 of density 0.22 once took 554 MB and 3.9 s.
#[cfg(target_os = "linux")]
#[test]
fn a_sweep_keeps_to_its_memory_and_its_time() {
    let folder = Scratch::new("frontier-limits");
    let mut large = Vec::new();
    for (side, density, seed) in [(60, 0.22, 1), (40, 0.3, 2), (15, 0.3, 7)] {
        let puzzle = Puzzle::from_grid(&Random(seed).grid(side, side, density));
        let file = folder.file(&format!("{side}.json"));
        std::fs::write(&file, format::json::write(&puzzle)).unwrap();
        large.push(file);
    }
    for (file, threads) in large.iter().flat_map(|file| [(file, "1"), (file, "4")]) {
        let began = Instant::now();
        let mut running = omnogram(&[
            "count", "--method", "frontier", "--quiet", "--memory", "100M",
        ])
        .args(["--time", "2s", "--threads", threads, file])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
        let mut peak = 0;
        while running.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", running.id()));
            let status = status.unwrap_or_default();
            let line = status.lines().find(|line| line.starts_with("VmHWM:"));
            let kilo = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
            peak = peak.max(kilo.unwrap_or(0));
            std::thread::sleep(Duration::from_millis(5));
        }
        let took = began.elapsed();
        let most = (110 + 30) << 10;
        assert!(peak > 0 && peak <= most, "{file} {threads}: {peak} KiB");
        // It is 0.2 s on a machine that does nothing else.
        let late = took.saturating_sub(Duration::from_secs(2));
        assert!(late < Duration::from_secs(1), "{file} {threads}: {late:?}");
    }
}
