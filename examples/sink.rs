//! A sink of one's own: the smallest number of filled cells in the first row of any solution.
//! `cargo run --release --example sink puzzles/pictures/key.non`.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use omnogram::solutions::{Batch, Sink, Stop};
use omnogram::{Search, format};

/// All threads share the sink. Relaxed: the number is read when the search is over.
struct FirstRow(AtomicU32);

impl Sink for FirstRow {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        for grid in batch.grids() {
            let filled = grid.row(0).iter().map(|word| word.count_ones()).sum();
            self.0.fetch_min(filled, Ordering::Relaxed);
        }
        ControlFlow::Continue(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a puzzle")?;
    let puzzle = format::read_one(&std::fs::read(&path)?, &path)?;
    let sink = FirstRow(AtomicU32::new(u32::MAX));
    let outcome = Search::new(&puzzle).run(&sink);
    println!("{} of {} solutions", sink.0.into_inner(), outcome.solutions);
    Ok(())
}
