//! The census against known numbers.

#![cfg(feature = "cli")]

use omnogram::census::{Census, Ended, Engine, Slice, Sweeper, Tables, Tally};
use omnogram::search::Limits;

fn census(height: usize, width: usize, engine: Engine) -> Tally {
    let tables = Tables::new(Census::new(height, width, engine).unwrap());
    let slice = Slice::whole(Census::new(height, width, engine).unwrap());
    let began = std::time::Instant::now();
    let (tally, ended) = Sweeper::new(&tables, 1 << 30)
        .sweep(&slice, &Limits::default(), |_| false)
        .unwrap();
    assert_eq!(ended, Ended::Done);
    println!("{height}x{width} {engine}: {tally:?} {:?}", began.elapsed());
    tally
}

#[test]
fn known() {
    for engine in [Engine::None, Engine::Lines, Engine::Count] {
        for (h, w) in [(2, 2), (2, 5), (3, 3), (3, 5), (4, 4), (4, 5), (5, 5)] {
            census(h, w, engine);
        }
    }
}
