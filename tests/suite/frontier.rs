//! The sweep along a frontier: on several threads, within its limits, and on disk.

use std::time::{Duration, Instant};

use crate::common::command::{LONG, Scratch, omnogram, output, stderr, stdout};
use crate::common::{Random, on_threads, permutation};
use omnogram::count::{self, Counter, Method};
use omnogram::error::Kind;
use omnogram::format;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Limits, Outcome};

/// 20!
const ORDERS: &str = "2432902008176640000";

fn sweep(
    puzzle: &Puzzle,
    threads: usize,
    memory: u64,
    scratch: Option<&count::Scratch>,
) -> Outcome {
    let limits = Limits::default().memory(memory);
    on_threads(threads, || {
        let counting = Counter::new(puzzle).method(Method::Frontier).limits(limits);
        match scratch {
            Some(scratch) => counting.scratch(scratch).run(),
            None => counting.run(),
        }
    })
}

/// Has nothing been branched?
fn is_swept(outcome: &Outcome) -> bool {
    outcome.statistics.nodes == 1
}

#[test]
fn a_sweep_that_outgrows_its_memory_goes_on_on_disk() {
    let folder = Scratch::new("frontier-disk");
    let scratch = count::Scratch::new(&*folder).unwrap();
    let puzzle = permutation(20);
    let without = sweep(&puzzle, 1, 8 << 20, None);
    assert_eq!(without.solutions.to_string(), ORDERS);
    assert!(
        !is_swept(&without),
        "it has enough memory: this shows nothing"
    );
    for (threads, memory) in [(1, 8 << 20), (3, 8 << 20), (2, 2 << 20)] {
        let outcome = sweep(&puzzle, threads, memory, Some(&scratch));
        assert_eq!(outcome.solutions.to_string(), ORDERS, "{threads} {memory}");
        assert!(is_swept(&outcome), "{threads} {memory}");
    }
    assert!(scratch.error().is_none());
    assert_eq!(std::fs::read_dir(&*folder).unwrap().count(), 0);
}

#[test]
fn random_puzzles_have_as_many_solutions_on_disk_and_on_several_threads() {
    let folder = Scratch::new("frontier-random");
    let scratch = count::Scratch::new(&*folder).unwrap();
    let mut random = Random(8);
    let mut large = 0;
    for i in 0..9 {
        let side = 10 + i % 3;
        let puzzle = Puzzle::from_grid(&random.grid(side, side, 0.35));
        let wanted = Counter::new(&puzzle)
            .method(Method::Regions)
            .run()
            .solutions;
        for (threads, memory) in [(1, 4 << 30), (3, 4 << 30), (1, 1 << 19), (3, 1 << 19)] {
            let outcome = sweep(&puzzle, threads, memory, Some(&scratch));
            assert_eq!(outcome.solutions, wanted, "{threads} {memory} {puzzle:?}");
            let larger = sweep(&puzzle, threads, memory, None);
            assert_eq!(larger.solutions, wanted, "{threads} {memory} {puzzle:?}");
            large += usize::from(is_swept(&outcome) && !is_swept(&larger));
        }
    }
    assert!(large > 0, "none needed the disk");
}

#[test]
fn one_thread_repeats_a_sweep() {
    let puzzle = Puzzle::from_grid(&Random(3).grid(13, 13, 0.35));
    let memory = 4 << 20;
    let (first, second) = (
        sweep(&puzzle, 1, memory, None),
        sweep(&puzzle, 1, memory, None),
    );
    assert_eq!(first.solutions, second.solutions);
    assert_eq!(first.statistics, second.statistics);
}

#[test]
fn a_folder_that_cannot_be_written_is_said_before_anything_is_counted() {
    let error = count::Scratch::new("/nowhere/at/all").unwrap_err();
    assert_eq!(error.kind(), Kind::Io);
    let done = output(&["count", "--scratch", "/nowhere/at/all", LONG]);
    assert_eq!(done.status.code(), Some(74), "{done:?}");
    assert_eq!(stdout(&done), "");
    assert_eq!(stderr(&done).lines().count(), 1, "{done:?}");
    assert!(stderr(&done).contains("/nowhere/at/all: "), "{done:?}");
}

/// The shell limits the size of files, which fails as a full disk does.
#[cfg(unix)]
#[test]
fn a_full_disk_is_said_and_what_is_known_is_kept() {
    let folder = Scratch::new("frontier-full");
    let script = "trap '' 25; ulimit -f 1; exec \"$0\" \"$@\"";
    let done = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_omnogram"), "count"])
        .args(["--method", "frontier", "--memory", "1M", "--scratch"])
        .arg(&*folder)
        .arg(LONG)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(74), "{done:?}");
    assert!(stdout(&done).starts_with("at least "), "{done:?}");
    let folder_name = folder.display().to_string();
    let said = stderr(&done);
    assert_eq!(said.lines().count(), 1, "{done:?}");
    assert!(
        said.starts_with(&format!("error: {folder_name}: ")),
        "{done:?}"
    );
    assert_eq!(std::fs::read_dir(&*folder).unwrap().count(), 0);
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
        let disk = ["--scratch".to_owned(), folder.display().to_string()];
        for scratch in [&[][..], &disk] {
            let began = Instant::now();
            let mut running = omnogram(&[
                "count", "--method", "frontier", "--quiet", "--memory", "100M",
            ])
            .args(["--time", "2s", "--threads", threads, file])
            .args(scratch)
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
            assert!(
                peak > 0 && peak <= most,
                "{file} {threads} {scratch:?}: {peak} KiB"
            );
            // It is 0.2 s on a machine that does nothing else.
            let late = took.saturating_sub(Duration::from_secs(2));
            assert!(
                late < Duration::from_secs(1),
                "{file} {threads} {scratch:?}: {late:?}"
            );
        }
    }
}
