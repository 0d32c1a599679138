//! Lists the first solutions of a puzzle while the search goes on: `cargo run --release --example list puzzles/pictures/snail.non 3`.

use omnogram::{Search, format};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a puzzle")?;
    let most = arguments
        .next()
        .map_or(Ok(usize::MAX), |number| number.parse())?;
    let puzzle = format::read_one(&std::fs::read(&path)?, &path)?;
    // Dropping the iterator stops the search.
    for (i, grid) in Search::new(&puzzle).solutions().take(most).enumerate() {
        println!("solution {}\n{grid}", i + 1);
    }
    Ok(())
}
