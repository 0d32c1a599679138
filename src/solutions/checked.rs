//! The check build's test of solutions: each that a sink receives satisfies every clue.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::batch::Batch;
use super::sink::Sink;
use super::stop::Stop;
use crate::puzzle::{Grid, Puzzle, verify};

/// Maximum number of grids of a batch that are verified one by one. Of larger bundles, each filling of each region is verified too, in one
/// grid each.
const MAX_GRIDS: usize = 2000;

/// A sink that verifies the solutions and passes them on.
pub(crate) struct CheckedSink<'a> {
    puzzle: &'a Puzzle,
    sink: &'a dyn Sink,
}

impl<'a> CheckedSink<'a> {
    /// A checked form of this sink, for the solutions of this puzzle.
    pub(crate) fn new(puzzle: &'a Puzzle, sink: &'a dyn Sink) -> Self {
        CheckedSink { puzzle, sink }
    }
}

impl Sink for CheckedSink<'_> {
    fn wants_grids(&self) -> bool {
        self.sink.wants_grids()
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        if batch.leaves() > 0 {
            let grid =
                |words: &[u64]| Grid::from_words(batch.width(), batch.height(), words.into());
            let mut seen = HashSet::new();
            let all_shown = batch.try_each(|words| {
                confirm(self.puzzle, &grid(words));
                assert!(
                    seen.insert(words.to_vec()),
                    "checked: solution: found twice\n{}\n{}",
                    grid(words),
                    text(self.puzzle)
                );
                seen.len() < MAX_GRIDS
            });
            batch.each_filling(|words| confirm(self.puzzle, &grid(words)));
            assert!(
                !all_shown || batch.count().to_u64() == Some(seen.len() as u64),
                "checked: solution: {} grids in a batch of {}\n{}",
                seen.len(),
                batch.count(),
                text(self.puzzle)
            );
        }
        self.sink.take(batch)
    }
}

/// Confirms that a grid satisfies every clue.
///
/// # Panics
///
/// If it does not.
pub(crate) fn confirm(puzzle: &Puzzle, grid: &Grid) {
    if let Err(mismatch) = verify(puzzle, grid) {
        panic!("checked: solution: {mismatch}\n{grid}\n{}", text(puzzle));
    }
}

/// The clues as text, line by line.
fn text(puzzle: &Puzzle) -> String {
    let lines = puzzle.lines().map(|(line, clue)| format!("{line}: {clue}"));
    lines.collect::<Vec<_>>().join("\n")
}
