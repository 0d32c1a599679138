//! Solves the puzzle in a file: `cargo run --release --example solve puzzles/pictures/cup.non`.

use omnogram::{Error, Search, format};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a puzzle")?;
    let puzzle = format::read_one(&std::fs::read(&path)?, &path)?;
    let (solution, outcome) = Search::new(&puzzle).solve();
    match solution {
        Some(grid) => print!("{grid}"),
        None if outcome.is_complete() => return Err(Error::data("it has no solution").into()),
        None => println!("undecided"),
    }
    Ok(())
}
