//! A whole board: propagating pictures from nothing, and probing a root to its fixpoint.

mod common;

use common::{brief, puzzle};
use criterion::{Criterion, criterion_group, criterion_main};
use omnogram::board::{Board, Clues, NodeProbeResult, Prober, Region};
use omnogram::line::{Wide, Word};
use omnogram::puzzle::{Cell, Grid, Puzzle};

/// How many cells the board of a puzzle leaves unknown, having been propagated, and probed if wanted.
fn left<W: Word>(clues: &Clues, probe: bool) -> usize {
    let board = worked_on::<W>(clues, probe);
    board.unknown()
}

fn worked_on<W: Word>(clues: &Clues, probe: bool) -> Board<'_, W> {
    let mut board = Board::<W>::new(clues);
    assert!(board.propagate());
    if probe {
        let whole = Region::whole(&board);
        let probed = Prober::default().probe(&mut board, &whole, None, || false, |_| false);
        assert!(matches!(probed, NodeProbeResult::Fixpoint(..)));
    }
    board
}

/// Is everything that the board knows so in this solution?
fn agrees<W: Word>(board: &Board<'_, W>, solution: &Grid) -> bool {
    let cells = (0..solution.height())
        .flat_map(|row| (0..solution.width()).map(move |column| (row, column)));
    cells.into_iter().all(|(row, column)| {
        let known = board.known(Cell::new(row, column));
        known.is_none_or(|filled| filled == solution.get(row, column))
    })
}

/// Measures it, after looking whether the drawing is still possible then; `open` is how many cells stay unknown.
fn measure<W: Word>(c: &mut Criterion, name: &str, puzzle: &Puzzle, probe: bool, open: usize) {
    let clues = Clues::new(puzzle);
    if let Some(goal) = &puzzle.notes().goal {
        assert!(agrees(&worked_on::<W>(&clues, probe), goal), "{name}");
    }
    assert_eq!(left::<W>(&clues, probe), open, "{name}");
    let group = if probe { "probe" } else { "propagate" };
    let mut group = c.benchmark_group(group);
    group.bench_function(name, |b| {
        b.iter(|| assert_eq!(left::<W>(&clues, probe), open));
    });
    group.finish();
}

fn propagate(c: &mut Criterion) {
    for (name, open) in [
        ("castle", 0),
        ("knight", 0),
        ("locomotive", 0),
        ("lighthouse", 50),
        ("harbour", 83),
    ] {
        let puzzle = puzzle(&format!("pictures/{name}"));
        measure::<u64>(c, name, &puzzle, false, open);
    }
    let puzzle = puzzle("pictures/moonlit-bay");
    measure::<Wide<8>>(c, "moonlit-bay", &puzzle, false, 12);
}

fn probe(c: &mut Criterion) {
    for (name, open) in [
        ("pictures/snail", 97),
        ("pictures/harbour", 81),
        ("hard/random-25x25-density-0.5-seed-2", 53),
        ("hard/unique-25x25-seed-7427", 0),
        ("bench/hard-quick", 386),
        ("bench/ambiguous", 341),
    ] {
        let puzzle = puzzle(name);
        let name = name.rsplit('/').next().unwrap_or(name);
        measure::<u64>(c, name, &puzzle, true, open);
    }
    let puzzle = puzzle("pictures/moonlit-bay");
    measure::<Wide<8>>(c, "moonlit-bay", &puzzle, true, 12);
}

criterion_group! {
    name = benches;
    config = brief();
    targets = propagate, probe
}
criterion_main!(benches);
