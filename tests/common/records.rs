//! The cluster's files of one small puzzle, whatever is in them: what is merged or resumed must be right.
#![allow(dead_code, reason = "each user takes its share")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use omnogram::cluster::{
    CubeSolver, Digest, Header, Journal, JournalledRun, Merge, Merged, Mode, RecordReader,
    UnitTask, seal,
};
use omnogram::count::Method;
use omnogram::puzzle::Puzzle;
use omnogram::search::{Limits, Total};
use serde_json::value::RawValue;

/// Number of solutions of [`puzzle`].
const SOLUTIONS: &str = "24";

/// Cubes of the puzzle, and results to them.
const CUBES: &str = include_str!("../fuzz/seeds/cubes.jsonl");
const RESULTS: &str = include_str!("../fuzz/seeds/results.jsonl");

/// The puzzle with 4! solutions.
fn puzzle() -> Puzzle {
    Puzzle::from_clues(&[[1]; 4], &[[1]; 4]).expect("4 ones")
}

/// Any bytes as the cubes of a split.
pub(crate) fn any_cubes(bytes: &[u8]) {
    assert_right(&merged(bytes, RESULTS.as_bytes()), false);
    assert_consistent(&merged(&sealed(bytes), RESULTS.as_bytes()));
    // A worker checks every cube before it answers it.
    let (puzzle, sealed) = (puzzle(), sealed(bytes));
    let digest = Digest::of(&puzzle);
    let mut lines = RecordReader::new(&sealed[..], "x");
    while let Some(task) = lines.record::<UnitTask>() {
        let _ = task.and_then(|task| task.check(&puzzle, digest));
    }
}

/// Any bytes as results.
pub(crate) fn any_results(bytes: &[u8]) {
    assert_right(&merged(CUBES.as_bytes(), bytes), true);
    assert_consistent(&merged(CUBES.as_bytes(), &sealed(bytes)));
}

fn merged(cubes: &[u8], results: &[u8]) -> Merged {
    let mut merge = Merge::default();
    merge
        .read_units(RecordReader::new(cubes, "x"))
        .expect("bytes");
    merge
        .read_results(RecordReader::new(results, "y"))
        .expect("bytes");
    merge.finish()
}

/// Without a new checksum a line is as it was written or refused. So an answer is right, or a bound. A split may lack a cube that nobody
/// knows of only if all its lines that say so are gone.
fn assert_right(merged: &Merged, all_cubes: bool) {
    assert_consistent(merged);
    let number = merged.solutions.number();
    assert!(
        number <= &SOLUTIONS.parse().expect("a number"),
        "{merged:?}"
    );
    if merged.solutions.is_exact() && (all_cubes || merged.units > 0) {
        assert_eq!(number.to_string(), SOLUTIONS, "{merged:?}");
    }
}

/// What must hold even if the records were made up.
fn assert_consistent(merged: &Merged) {
    if matches!(merged.solutions, Total::Exactly(_)) {
        assert!(
            merged.missing.is_empty() && !merged.has_invalid_input,
            "{merged:?}"
        );
    }
    assert!(merged.problem_count >= merged.problems.len() as u64 || merged.problems.len() <= 1);
    for problem in &merged.problems {
        let text = problem.to_string();
        assert!(text.starts_with('x') || text.starts_with('y'), "{text}");
    }
}

/// The lines with right checksums, where they are JSON objects.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::new();
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        match with_checksum(line) {
            Some(line) => sealed.extend_from_slice(line.as_bytes()),
            None => sealed.extend_from_slice(line),
        }
    }
    sealed
}

fn with_checksum(line: &[u8]) -> Option<String> {
    let text = str::from_utf8(line).ok()?.trim_end_matches('\n');
    let body = match text.rsplit_once(",\"check\":\"") {
        Some((body, _)) => format!("{body}}}"),
        None => text.to_owned(),
    };
    let is_object = body.starts_with('{') && body.ends_with('}') && body.len() > 2;
    let record = RawValue::from_string(body).ok().filter(|_| is_object)?;
    Some(seal(&record))
}

/// Any bytes as the journal of a count: it is refused, or the count that goes on from it is right.
pub(crate) fn any_journal(bytes: &[u8]) {
    if let Some(total) = resume(bytes) {
        assert_eq!(total, SOLUTIONS);
    }
    resume(&sealed(bytes));
}

/// A file that is gone afterwards.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What a count that goes on from this journal comes to; `None` if the journal is refused, or leaves the count incomplete.
fn resume(journal: &[u8]) -> Option<String> {
    let regions = b"--method regions";
    let (method, options) = if journal.windows(regions.len()).any(|part| part == regions) {
        (Method::Regions, "count --method regions")
    } else {
        (Method::Tree, "count --method tree")
    };
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    // Relaxed: it only numbers the files.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("omnogram-journal-{}-{number}", std::process::id());
    let scratch = Scratch(std::env::temp_dir().join(name));
    std::fs::write(&scratch.0, journal).expect("a file");
    let puzzle = puzzle();
    let header = Header::new(Digest::of(&puzzle), options);
    let (journal, records) = Journal::open(&scratch.0, &header, |_| {}).ok()?;
    let cube_solver = CubeSolver::new(&puzzle, Mode::Count(method), 1, 1 << 26);
    let limits = Limits::default().nodes(100_000);
    let run = JournalledRun::new(cube_solver, journal, records, None, limits).ok()?;
    let (done, _) = run.done_and_proved();
    assert!((0.0..=1.0).contains(&done), "{done}");
    let outcome = run.run(None).ok()?;
    outcome.is_complete().then(|| outcome.solutions.to_string())
}
