//! The space of all solutions against the plain list of them.

mod common;

use std::sync::Arc;

use common::{Random, on_threads, permutation, switches};
use omnogram::board::Cell;
use omnogram::count::{Builder, Counting, Edge, Space};
use omnogram::format;
use omnogram::puzzle::{Grid, Puzzle, verify};
use omnogram::search::Search;
use omnogram::solutions::{Count, Set};

fn space(puzzle: &Puzzle) -> Space {
    let (space, outcome) = Counting::new(puzzle).space();
    assert!(outcome.is_complete());
    let space = space.expect("nothing stops it");
    assert_eq!(outcome.solutions.number(), space.count());
    space
}

fn listed(puzzle: &Puzzle) -> Vec<Grid> {
    let (grids, outcome) = Search::new(puzzle).alone().collect();
    assert!(outcome.is_complete());
    grids
}

/// Holds everything that a space says against the list; `jumps` places in the list are jumped to.
fn agrees(space: &Space, list: &[Grid], jumps: usize, random: &mut Random) {
    assert_eq!(space.count(), &Count::from(list.len() as u64));
    let cells = space.cells();
    for row in 0..space.height() {
        for column in 0..space.width() {
            let filled = list.iter().filter(|grid| grid.get(row, column)).count() as u64;
            let cell = Cell::new(row, column);
            assert_eq!(cells.filled(cell), &Count::from(filled), "{cell:?}");
            let all = (list.len() as u64).max(1);
            let millionths = (2_000_000 * filled + all) / (2 * all);
            assert_eq!(u64::from(cells.millionths(cell)), millionths);
        }
    }
    assert!(space.ordered(&Count::ZERO).eq(list.iter().cloned()));
    for _ in 0..jumps {
        let skip = random.below(list.len() + 2);
        let from = space.ordered(&Count::from(skip as u64)).take(40);
        assert!(
            from.eq(list.iter().skip(skip).take(40).cloned()),
            "from {skip}"
        );
    }
    let set = Set::new(1 << 30);
    assert!(space.run(&set).is_continue());
    assert_eq!(set.repeats(), 0);
    assert!(set.into_sorted(space.width(), space.height()) == list);
    let mut shown = 0;
    assert!(space.each(|_| {
        shown += 1;
        true
    }));
    assert_eq!(shown, list.len());
    for sample in space.samples(random.next()).take(3.min(list.len())) {
        assert!(list.binary_search(&sample).is_ok());
    }
}

#[test]
fn random_puzzles_are_told_as_they_are_listed() {
    let mut random = Random(1);
    for i in 0..2000 {
        let (width, height) = (1 + random.below(6), 1 + random.below(6));
        let density = 0.1 + 0.6 * (i % 10) as f64 / 10.0;
        let puzzle = Puzzle::from_grid(&random.grid(width, height, density));
        let list = listed(&puzzle);
        let whole = space(&puzzle);
        agrees(&whole, &list, 3, &mut random);
        if list.len() < 60 {
            for k in 0..=list.len() {
                let mut from = whole.ordered(&Count::from(k as u64));
                assert_eq!(from.next().as_ref(), list.get(k));
            }
        }
    }
}

#[test]
fn larger_puzzles_are_told_as_they_are_listed() {
    let mut random = Random(2);
    for name in [
        "pictures/key.non",
        "pictures/snail.non",
        "pictures/observatory.non",
        "pictures/bicycle.non",
        "pictures/heart.non",
        "pictures/moonlit-bay.non",
        "hard/no-solution.non",
        "hard/no-solution-sums.non",
        "hard/random-8x8-density-0.3-seed-1.non",
        "hard/random-10x10-density-0.35-seed-1.non",
        "hard/random-15x10-density-0.3-seed-4.non",
        "edge/65x65.non",
        "edge/1x129.non",
        "edge/300x3.non",
        "edge/1x1-empty.non",
    ] {
        let path = format!("{}/puzzles/{name}", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a file");
        let entry = format::read(&bytes, name).swap_remove(0);
        let puzzle = entry.puzzle.expect("a puzzle");
        agrees(&space(&puzzle), &listed(&puzzle), 10, &mut random);
    }
    agrees(
        &space(&permutation(7)),
        &listed(&permutation(7)),
        50,
        &mut random,
    );
    agrees(&space(&switches(8)), &listed(&switches(8)), 50, &mut random);
}

/// One cell or the other, at these two places.
fn either(builder: &mut Builder, a: Cell, b: Cell) -> omnogram::count::NodeId {
    let way = |first: bool| Edge {
        cells: vec![(b, !first), (a, first)],
        rest: vec![],
    };
    builder.node(vec![way(false), way(true)])
}

/// 500 pairs of cells, of each of which exactly one is filled: 2^500 pictures. Pairs stand in one row, first cells first.
fn pairs() -> Space {
    let mut builder = Builder::new(1000, 1);
    let nodes = (0..500).map(|i| either(&mut builder, Cell::new(0, i), Cell::new(0, 500 + i)));
    let nodes: Vec<_> = nodes.collect();
    // Half of them as roots, half below a node that decides nothing by itself.
    let (some, others) = nodes.split_at(250);
    let below = builder.node(vec![Edge {
        cells: vec![],
        rest: others.to_vec(),
    }]);
    let roots = some.iter().copied().chain([below]).collect();
    builder.finish(&Grid::new(1000, 1), roots)
}

#[test]
fn more_solutions_than_any_machine_word_holds() {
    let space = pairs();
    let power = |exponent: usize| {
        let mut words = vec![0; exponent / 64 + 1];
        words[exponent / 64] = 1 << (exponent % 64);
        Count::from_words(&words)
    };
    assert_eq!(space.count(), &power(500));
    let cells = space.cells();
    for column in [0, 249, 250, 499, 500, 999] {
        assert_eq!(cells.filled(Cell::new(0, column)), &power(499));
        assert_eq!(cells.millionths(Cell::new(0, column)), 500_000);
    }
    // The number of a picture is the binary number of its empty first cells, the leftmost highest.
    let mut random = Random(3);
    for _ in 0..20 {
        let mut words: Vec<u64> = (0..8).map(|_| random.next()).collect();
        words[7] >>= 64 - (500 - 448);
        let skip = Count::from_words(&words);
        let picture = space.ordered(&skip).next().expect("a picture");
        for column in 0..500 {
            let place = 499 - column;
            let empty = words[place / 64] >> (place % 64) & 1 == 1;
            assert_eq!(picture.get(0, column), !empty);
            assert_eq!(picture.get(0, 500 + column), empty);
        }
    }
    let mut last = space.count().clone();
    assert!(space.ordered(&last).next().is_none());
    last -= &Count::ONE;
    assert_eq!(space.ordered(&last).count(), 1);
    let sample = space.samples(1).next().expect("a picture");
    assert!((0..500).all(|i| sample.get(0, i) != sample.get(0, 500 + i)));
    let ones = (0..500).filter(|&i| sample.get(0, i)).count();
    assert!((200..300).contains(&ones));
}

/// A product of large regions whose cells lie in between each other, in a number beyond 64 bits.
#[test]
fn regions_in_between_each_other_are_walked_in_order() {
    let mut builder = Builder::new(4, 40);
    // Left and right halves of rows: even rows belong to one region, odd rows to the other. Each region is a chain of choices.
    let mut roots = Vec::new();
    for parity in [0, 1] {
        let mut rest = vec![];
        for row in (parity..40).step_by(2) {
            let ways = (0..3).map(|which| Edge {
                cells: (0..4).map(|c| (Cell::new(row, c), c == which)).collect(),
                rest: rest.clone(),
            });
            rest = vec![builder.node(ways.collect())];
        }
        roots.append(&mut rest);
    }
    let space = builder.finish(&Grid::new(4, 40), roots);
    assert_eq!(space.count().to_string(), "12157665459056928801");
    // In canonical order the rows are the digits of the number to the base 3.
    for skip in [
        0u64,
        1,
        4095,
        6561,
        1_000_000_007,
        12157665459056928801 - 7000,
    ] {
        let mut walk = space.ordered(&Count::from(skip));
        for number in skip..skip + 7000 {
            let picture = walk.next().expect("a picture");
            let mut digits = number;
            for row in (0..40).rev() {
                assert!(
                    picture.get(row, (digits % 3) as usize),
                    "row {row} of {number}"
                );
                digits /= 3;
            }
        }
        assert_eq!(walk.next().is_none(), skip + 7000 == 12157665459056928801);
    }
}

/// Chi-squared with many degrees of freedom is close to normal: six standard deviations are far out.
#[test]
fn samples_are_uniform() {
    for (puzzle, seed) in [
        (permutation(3), 1),
        (permutation(5), 2),
        (switches(4), 3),
        (
            Puzzle::from_grid(&Grid::from_rows(&["#.#..", ".#..#", "#...#", "..#.."]).unwrap()),
            4,
        ),
    ] {
        let list = listed(&puzzle);
        let mut times = vec![0u64; list.len()];
        for sample in space(&puzzle).samples(seed).take(100_000) {
            times[list.binary_search(&sample).expect("a solution")] += 1;
        }
        let expected = 100_000.0 / list.len() as f64;
        let far = |&times: &u64| (times as f64 - expected).powi(2) / expected;
        let squared: f64 = times.iter().map(far).sum();
        let freedom = (list.len() - 1) as f64;
        assert!(
            (squared - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(),
            "{squared} for {freedom} degrees of freedom"
        );
    }
}

/// Nodes are reached in several ways, with different numbers of other solutions beside them.
#[test]
fn shared_nodes_have_their_share_of_every_way() {
    let mut builder = Builder::new(3, 2);
    let shared = either(&mut builder, Cell::new(0, 1), Cell::new(0, 2));
    let beside = either(&mut builder, Cell::new(1, 1), Cell::new(1, 2));
    let root = builder.node(vec![
        Edge {
            cells: vec![(Cell::new(0, 0), true), (Cell::new(1, 0), false)],
            rest: vec![shared, beside],
        },
        Edge {
            cells: vec![
                (Cell::new(0, 0), false),
                (Cell::new(1, 0), true),
                (Cell::new(1, 1), true),
                (Cell::new(1, 2), true),
            ],
            rest: vec![shared],
        },
    ]);
    let space = builder.finish(&Grid::new(3, 2), vec![root]);
    let mut list = Vec::new();
    for rows in [
        ["##.", ".#."],
        ["##.", "..#"],
        ["#.#", ".#."],
        ["#.#", "..#"],
        [".#.", "###"],
        ["..#", "###"],
    ] {
        list.push(Grid::from_rows(&rows).unwrap());
    }
    list.sort();
    agrees(&space, &list, 20, &mut Random(4));
    let mut times = [0; 6];
    for sample in space.samples(5).take(6000) {
        times[list.binary_search(&sample).unwrap()] += 1;
    }
    assert!(
        times.iter().all(|times| (900..1100).contains(times)),
        "{times:?}"
    );
}

#[test]
fn several_threads_can_build() {
    let builder = std::sync::Mutex::new(Builder::new(8, 8));
    let roots = std::sync::Mutex::new(Vec::new());
    on_threads(3, || {
        rayon::scope(|scope| {
            for row in 0..8 {
                let (builder, roots) = (&builder, &roots);
                scope.spawn(move |_| {
                    let (a, b) = (Cell::new(row, 0), Cell::new(row, 7));
                    let node = either(&mut builder.lock().unwrap(), a, b);
                    roots.lock().unwrap().push(node);
                });
            }
        });
    });
    let roots = roots.into_inner().unwrap();
    let space = Arc::new(
        builder
            .into_inner()
            .unwrap()
            .finish(&Grid::new(8, 8), roots),
    );
    assert_eq!(space.count(), &Count::from(256));
    assert_eq!(space.ordered(&Count::ZERO).count(), 256);
}

#[test]
fn samples_satisfy_the_puzzle_and_repeat() {
    let puzzle = permutation(8);
    let space = space(&puzzle);
    let some: Vec<Grid> = space.samples(9).take(50).collect();
    assert!(some.iter().all(|grid| verify(&puzzle, grid).is_ok()));
    assert!(space.samples(9).take(50).eq(some.iter().cloned()));
    assert!(!space.samples(10).take(50).eq(some));
    assert!(Space::none(3, 3).samples(1).next().is_none());
}

/// Edges of very many cells, and of very many regions, are written in another form.
#[test]
fn an_edge_may_be_as_large_as_a_puzzle() {
    let side = 300;
    let mut builder = Builder::new(side, side);
    let all = (0..side * side).map(|i| Cell::new(i / side, i % side));
    let chess = |odd: usize| {
        let cells = all.clone();
        let filled = |cell: Cell| usize::from(cell.row + cell.column) % 2 == odd;
        cells.map(|cell| (cell, filled(cell))).collect()
    };
    let way = |cells| Edge {
        cells,
        rest: vec![],
    };
    let boards = vec![way(chess(0)), way(chess(1))];
    let root = builder.node(boards);
    let space = builder.finish(&Grid::new(side, side), vec![root]);
    let cells = space.cells();
    assert!(all.clone().all(|cell| cells.millionths(cell) == 500_000));
    let grids: Vec<Grid> = space.ordered(&Count::ZERO).collect();
    assert!(grids.len() == 2 && grids[0].get(0, 0) && grids[1].get(0, 1));

    let mut builder = Builder::new(side, side);
    let mut singles = |cell| builder.node(vec![way(vec![(cell, true)])]);
    let rest: Vec<_> = all.clone().map(&mut singles).collect();
    let edge = Edge {
        cells: vec![],
        rest,
    };
    let root = builder.node(vec![edge]);
    let space = builder.finish(&Grid::new(side, side), vec![root]);
    assert_eq!(space.count(), &Count::ONE);
    let full = space.samples(1).next().expect("a picture");
    assert!(
        all.clone()
            .all(|cell| full.get(cell.row.into(), cell.column.into()))
    );
    assert!(space.ordered(&Count::ZERO).eq([full]));
}
