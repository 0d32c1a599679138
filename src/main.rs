//! The command `omnogram`.
use std::time::Instant;

use omnogram::search::Search;

fn main() {
    let mut total = 0.0;
    for file in std::env::args().skip(1) {
        let data = std::fs::read(&file).unwrap();
        for entry in omnogram::format::read(&data, &file) {
            let puzzle = match entry.puzzle {
                Ok(puzzle) => puzzle,
                Err(error) => {
                    println!("{error}");
                    continue;
                }
            };
            let t = Instant::now();
            let limits = omnogram::search::Limits {
                time: Some(std::time::Duration::from_secs(
                    std::env::var("SECS").map_or(60, |s| s.parse().unwrap()),
                )),
                ..Default::default()
            };
            let search = Search::new(&puzzle).limits(limits);
            let outcome = if std::env::var("FIRST").is_ok() {
                search.first(2).1
            } else {
                search.count()
            };
            let seconds = t.elapsed().as_secs_f64();
            total += seconds;
            println!(
                "{} {} {:.4} {:?}",
                entry.name, outcome.solutions, seconds, outcome.statistics
            );
        }
    }
    println!("{total:.3}");
}
