//! Checks every puzzle of a folder, one on each thread: `cargo run --release --example check_folder puzzles/pictures`.

use omnogram::{Search, format};
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
    let mut paths: Vec<_> = entries?
        .iter()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let check = |path: &std::path::PathBuf| {
        let name = path.display().to_string();
        let verdicts = format::read(&std::fs::read(path)?, &name)
            .into_iter()
            .map(|entry| match entry.puzzle {
                Ok(puzzle) => format!(
                    "{}: {}",
                    entry.name,
                    Search::new(&puzzle).single_threaded().check().0
                ),
                Err(error) => error.to_string(),
            });
        Ok::<_, std::io::Error>(verdicts.collect::<Vec<_>>())
    };
    let lines: Result<Vec<_>, _> = paths.par_iter().map(check).collect();
    lines?.concat().iter().for_each(|line| println!("{line}"));
    Ok(())
}
