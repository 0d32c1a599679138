//! Counts the solutions of a puzzle and tells in which share of them each cell is filled:
//! `cargo run --release --example shares puzzles/pictures/key.non`.

use std::time::Duration;

use omnogram::{Cell, Counter, Limits, format};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a puzzle")?;
    let puzzle = format::read_one(&std::fs::read(&path)?, &path)?;
    let limits = Limits::default().time(Duration::from_secs(60));
    let (graph, outcome) = Counter::new(&puzzle).limits(limits).graph();
    println!("{} solutions", outcome.solutions);
    if let Some(graph) = graph.filter(|graph| !graph.count().is_zero()) {
        let cells = graph.cells();
        for row in 0..puzzle.height() {
            let share = |column| f64::from(cells.millionths(Cell::new(row, column))) / 1e6;
            let shares: Vec<String> = (0..puzzle.width())
                .map(|column| format!("{:.2}", share(column)))
                .collect();
            println!("{}", shares.join(" "));
        }
    }
    Ok(())
}
