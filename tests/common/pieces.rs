//! A run in pieces within one process: cut, worked off in order, put together.
#![allow(dead_code, reason = "each test uses its share")]

use std::sync::Mutex;

use omnogram::cluster::{
    Answer, CubeQueue, CubeSolver, CubeTask, Digest, DigestSink, Id, Job, Lines, Merge, Merged,
    Mode, Splitter, seal,
};
use omnogram::puzzle::Puzzle;
use omnogram::search::{Cube, Limits, Outcome};
use omnogram::solutions::{Batch, Stop};

/// Cubes in order, and what they have come to.
struct Desk<'a> {
    cube_solver: &'a CubeSolver<'a>,
    digest: Digest,
    cubes: Mutex<Vec<Cube>>,
    limits: Box<dyn Fn() -> Limits + Sync>,
    answers: Mutex<Vec<Answer>>,
}

impl CubeQueue for Desk<'_> {
    type SolutionStore = Option<Nothing>;

    fn next(&self) -> Option<Job<Self::SolutionStore>> {
        let cube = self.cubes.lock().unwrap().pop()?;
        Some(Job {
            cube,
            limits: (self.limits)(),
            sink: DigestSink::new(None),
            ticket: 0,
        })
    }

    fn submit(&self, job: Job<Self::SolutionStore>, outcome: Outcome, solutions_are_usable: bool) {
        let outcome = self.cube_solver.cut(&job.cube, outcome);
        let set = job.sink.into_parts().1;
        let listed = solutions_are_usable && self.cube_solver.mode() == Mode::List;
        let id = Id::of(self.digest, &job.cube);
        let answer = Answer::new(self.digest, id, &outcome, listed.then_some(set));
        self.answers.lock().unwrap().push(answer);
    }
}

struct Nothing;

impl omnogram::cluster::SolutionStore for Nothing {
    fn put(&mut self, _: Batch) -> std::ops::ControlFlow<Stop> {
        std::ops::ControlFlow::Continue(())
    }
}

/// Works off these cubes, each within limits.
pub(crate) fn work(
    puzzle: &Puzzle,
    mode: Mode,
    threads: usize,
    mut cubes: Vec<Cube>,
    limits: impl Fn() -> Limits + Sync + 'static,
) -> Vec<Answer> {
    cubes.reverse();
    let cube_solver = CubeSolver::new(puzzle, mode, threads, 1 << 30);
    let desk = Desk {
        cube_solver: &cube_solver,
        digest: Digest::of(puzzle),
        cubes: Mutex::new(cubes),
        limits: Box::new(limits),
        answers: Mutex::new(Vec::new()),
    };
    cube_solver.run(&desk).unwrap();
    desk.answers.into_inner().unwrap()
}

pub(crate) fn pieces(puzzle: &Puzzle, cubes: usize) -> Vec<CubeTask> {
    let split = Splitter::new(puzzle, cubes).run();
    let of = split.cubes.len() as u64;
    assert!(of <= cubes.max(1) as u64 + 1 && split.unknown.len() as u64 == of);
    let piece = |((cube, size), unknown)| {
        CubeTask::new(Digest::of(puzzle), cube, of, size).with_unknown(unknown)
    };
    let cubes = split.cubes.into_iter().zip(split.unknown);
    cubes.map(piece).collect()
}

pub(crate) fn lines(records: &[impl serde::Serialize]) -> String {
    records.iter().map(|record| seal(record)).collect()
}

pub(crate) fn merged(pieces: &[CubeTask], results: &[&str]) -> Merged {
    let mut merge = Merge::new();
    merge
        .read_cubes(Lines::new(lines(pieces).as_bytes(), "cubes"))
        .unwrap();
    let names: Vec<String> = (0..results.len()).map(|i| format!("results-{i}")).collect();
    for (i, results) in results.iter().enumerate() {
        merge
            .read_results(Lines::new(results.as_bytes(), &names[i]), i)
            .unwrap();
    }
    merge.finish("cubes", &names)
}
