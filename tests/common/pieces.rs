//! A run in pieces within one process: cut, worked off in order, put together.
#![allow(dead_code, reason = "each test uses its share")]

use std::ops::ControlFlow;
use std::sync::Mutex;

use omnogram::cluster::{
    CubeSolver, Digest, Merge, Merged, Mode, RecordReader, SolutionStore, Splitter, UnitResult,
    UnitTask, seal,
};
use omnogram::puzzle::Puzzle;
use omnogram::search::{Cube, Limits};
use omnogram::solutions::{Batch, Stop};

/// Drops the solutions of a cube.
struct Nothing;

impl SolutionStore for Nothing {
    fn put(&mut self, _: Batch) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Works off these cubes, each within limits.
pub(crate) fn work(
    puzzle: &Puzzle,
    mode: Mode,
    threads: usize,
    mut cubes: Vec<Cube>,
    limits: impl Fn() -> Limits,
) -> Vec<UnitResult> {
    cubes.reverse();
    let (cubes, results) = (Mutex::new(cubes), Mutex::new(Vec::new()));
    let next = || Some((cubes.lock().unwrap().pop()?, Nothing));
    CubeSolver::new(puzzle, mode, threads, 1 << 30)
        .answer_each(&limits(), next, |result, _| {
            results.lock().unwrap().push(result)
        })
        .unwrap();
    results.into_inner().unwrap()
}

pub(crate) fn pieces(puzzle: &Puzzle, cubes: usize) -> Vec<UnitTask> {
    let split = Splitter::new(puzzle, cubes).run();
    let of = split.cubes.len() as u64;
    assert!(of <= cubes.max(1) as u64 + 1 && split.unknown.len() as u64 == of);
    let piece =
        |((cube, size), unknown)| UnitTask::new(Digest::of(puzzle), cube, of, size, Some(unknown));
    let cubes = split.cubes.into_iter().zip(split.unknown);
    cubes.map(piece).collect()
}

pub(crate) fn cubes_of(pieces: &[UnitTask]) -> Vec<Cube> {
    pieces.iter().map(|piece| piece.unit.clone()).collect()
}

/// The answers to these cubes, without limits, on one thread.
pub(crate) fn answers_to(puzzle: &Puzzle, mode: Mode, pieces: &[UnitTask]) -> Vec<UnitResult> {
    work(puzzle, mode, 1, cubes_of(pieces), Limits::default)
}

pub(crate) fn lines(records: &[impl serde::Serialize]) -> String {
    records.iter().map(|record| seal(record)).collect()
}

pub(crate) fn merged(pieces: &[UnitTask], results: &[&str]) -> Merged {
    let mut merge = Merge::default();
    merge
        .read_units(RecordReader::new(lines(pieces).as_bytes(), "cubes"))
        .unwrap();
    for (i, results) in results.iter().enumerate() {
        let reader = RecordReader::new(results.as_bytes(), &format!("results-{i}"));
        merge.read_results(reader).unwrap();
    }
    merge.finish()
}
