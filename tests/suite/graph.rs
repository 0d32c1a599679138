//! The space of all solutions against the plain list of them.

use std::sync::Arc;

use crate::common::{
    Random, beside, brute_force, corpus, factorial, on_threads, permutation, restless, switches,
};
use omnogram::count::{Counter, Options};
use omnogram::graph::{Advance, Builder, CellFate, Edge, NodeId, SolutionGraph};
use omnogram::puzzle::{Cell, Clue, Grid, Puzzle, verify};
use omnogram::search::{Limits, Search};
use omnogram::solutions::{Count, Stop};

fn space(puzzle: &Puzzle) -> SolutionGraph {
    let (space, outcome) = Counter::new(puzzle).graph();
    assert!(outcome.is_complete());
    let space = space.expect("nothing stops it");
    assert_eq!(outcome.solutions.number(), space.count());
    space
}

/// The quick graph, by sweeps as early as possible.
fn quick_space(puzzle: &Puzzle) -> SolutionGraph {
    let counter = Counter::new(puzzle).options(restless());
    let (space, outcome) = counter.quick_graph();
    assert!(outcome.is_complete());
    let space = space.expect("nothing stops it");
    assert_eq!(outcome.solutions.number(), space.count());
    space
}

fn listed(puzzle: &Puzzle) -> Vec<Grid> {
    let (grids, outcome) = Search::new(puzzle).single_threaded().collect();
    assert!(outcome.is_complete());
    grids
}

/// Holds everything that a space says against the list; `jumps` places in the list are jumped to.
fn agrees(space: &SolutionGraph, list: &[Grid], jumps: usize, random: &mut Random) {
    assert_eq!(space.count(), &Count::from(list.len() as u64));
    let cells = space.cells();
    assert_eq!(
        (cells.height(), cells.width()),
        (space.height(), space.width())
    );
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
    assert!(space.lexicographic(&Count::ZERO).eq(list.iter().cloned()));
    for _ in 0..jumps {
        let skip = random.below(list.len() + 2);
        let from = space.lexicographic(&Count::from(skip as u64)).take(40);
        assert!(
            from.eq(list.iter().skip(skip).take(40).cloned()),
            "from {skip}"
        );
    }
    for sample in space.samples(random.next()).take(3.min(list.len())) {
        assert!(list.binary_search(&sample).is_ok());
    }
}

#[test]
fn random_puzzles_are_told_as_they_are_listed() {
    let mut random = Random(1);
    for i in 0..2000 {
        let puzzle = random.sized_puzzle(1, 6, 0.1 + 0.6 * (i % 10) as f64 / 10.0);
        let list = listed(&puzzle);
        let whole = space(&puzzle);
        agrees(&whole, &list, 3, &mut random);
        agrees(&quick_space(&puzzle), &list, 3, &mut random);
        if list.len() < 60 {
            for k in 0..=list.len() {
                let mut from = whole.lexicographic(&Count::from(k as u64));
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
        let puzzle = corpus::read(name);
        agrees(&space(&puzzle), &listed(&puzzle), 10, &mut random);
        agrees(&quick_space(&puzzle), &listed(&puzzle), 10, &mut random);
    }
    agrees(
        &space(&permutation(7)),
        &listed(&permutation(7)),
        50,
        &mut random,
    );
    agrees(&space(&switches(8)), &listed(&switches(8)), 50, &mut random);
}

/// One cell or the other.
fn either(builder: &mut Builder) -> NodeId {
    let way = |first: bool| Edge::new([CellFate::from(first), CellFate::from(!first)], vec![]);
    builder.add_node(vec![way(false), way(true)])
}

/// Cells of one row.
fn in_row(row: usize, columns: impl IntoIterator<Item = usize>) -> Vec<Cell> {
    let cell = |column| Cell::new(row, column);
    columns.into_iter().map(cell).collect()
}

/// 500 pairs of cells, of each of which exactly one is filled: 2^500 pictures. Pairs stand in one row, first cells first.
fn pairs() -> SolutionGraph {
    let mut builder = Builder::new();
    let pair = either(&mut builder);
    // Half of them as roots, half below a node that decides nothing by itself.
    let cells = (0..2).flat_map(|_| (0..250).map(CellFate::Child));
    let below = builder.add_node(vec![Edge::new(cells, vec![pair; 250])]);
    let mut roots: Vec<_> = (0..250).map(|i| (pair, in_row(0, [i, 500 + i]))).collect();
    roots.push((below, in_row(0, (250..500).chain(750..1000))));
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
        let picture = space.lexicographic(&skip).next().expect("a picture");
        for column in 0..500 {
            let place = 499 - column;
            let empty = words[place / 64] >> (place % 64) & 1 == 1;
            assert_eq!(picture.get(0, column), !empty);
            assert_eq!(picture.get(0, 500 + column), empty);
        }
    }
    let mut last = space.count().clone();
    assert!(space.lexicographic(&last).next().is_none());
    last -= &Count::ONE;
    assert_eq!(space.lexicographic(&last).count(), 1);
    let sample = space.samples(1).next().expect("a picture");
    assert!((0..500).all(|i| sample.get(0, i) != sample.get(0, 500 + i)));
    let ones = (0..500).filter(|&i| sample.get(0, i)).count();
    assert!((200..300).contains(&ones));
}

/// A product of large regions whose cells lie in between each other, in a number beyond 64 bits.
#[test]
fn regions_in_between_each_other_are_walked_in_order() {
    let mut builder = Builder::new();
    // Even rows belong to one region, odd rows to the other. Each region is a chain of choices, and both are the same chain.
    let mut rest = vec![];
    for length in 0..20 {
        let way = |which| {
            let row = (0..4).map(move |c| CellFate::from(c == which));
            Edge::new(
                row.chain(vec![CellFate::Child(0); 4 * length]),
                rest.clone(),
            )
        };
        let ways: Vec<_> = (0..3).map(way).collect();
        rest = vec![builder.add_node(ways)];
    }
    let cells = |parity: usize| {
        let rows = (parity..40).step_by(2);
        rows.flat_map(|row| in_row(row, 0..4)).collect()
    };
    let roots = vec![(rest[0], cells(0)), (rest[0], cells(1))];
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
        let mut walk = space.lexicographic(&Count::from(skip));
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
    let mut builder = Builder::new();
    let shared = either(&mut builder);
    let (upper, lower) = (CellFate::Child(0), CellFate::Child(1));
    let (filled, empty) = (CellFate::Filled, CellFate::Empty);
    let root = builder.add_node(vec![
        Edge::new(
            [filled, upper, upper, empty, lower, lower],
            vec![shared, shared],
        ),
        Edge::new([empty, upper, upper, filled, filled, filled], vec![shared]),
    ]);
    let cells = (0..6).map(|i| Cell::new(i / 3, i % 3)).collect();
    let space = builder.finish(&Grid::new(3, 2), vec![(root, cells)]);
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

/// The edges of a quick graph may decide lines; it tells the same as the graph of branching, on any number of threads.
#[test]
fn quick_graphs_tell_the_same_as_graphs() {
    let mut random = Random(23);
    let mut fewer_nodes = 0;
    for i in 0..24 {
        let grid = random.grid(9 + i % 4, 10 + i % 3, 0.3 + 0.02 * (i % 5) as f64);
        let puzzle = Puzzle::from_grid(&grid);
        let (graph, quick) = (space(&puzzle), |threads, options: Options| {
            let counter = Counter::new(&puzzle).options(options);
            let (quick, outcome) = on_threads(threads, || counter.quick_graph());
            assert!(outcome.is_complete());
            quick.expect("nothing stops it")
        });
        let skip = Count::from(random.below(1000) as u64);
        let first: Vec<Grid> = graph.lexicographic(&skip).take(50).collect();
        for (threads, options) in [
            (1, Options::default()),
            (1, restless()),
            (2, restless()),
            (4, restless()),
        ] {
            let quick = quick(threads, options);
            assert_eq!(quick.count(), graph.count());
            assert!(
                quick
                    .lexicographic(&skip)
                    .take(50)
                    .eq(first.iter().cloned())
            );
            let (cells, wanted) = (quick.cells(), graph.cells());
            for row in 0..graph.height() {
                for column in 0..graph.width() {
                    let cell = Cell::new(row, column);
                    assert_eq!(cells.filled(cell), wanted.filled(cell), "{cell:?}");
                }
            }
            for sample in quick.samples(random.next()).take(5) {
                assert!(verify(&puzzle, &sample).is_ok());
            }
            fewer_nodes += usize::from(quick.nodes() < graph.nodes());
        }
    }
    // A graph with fewer nodes is one of a sweep.
    assert!(fewer_nodes > 8, "{fewer_nodes}");
}

/// Whichever thread adds which node: the graph holds the same solutions. Slices are so short that all threads take part from the second
/// one on.
#[test]
fn graphs_of_any_number_of_threads_tell_the_same() {
    let mut random = Random(11);
    let mut puzzles: Vec<Puzzle> = (0..8)
        .map(|i| random.puzzle(10 + i % 3, 11, 0.38))
        .collect();
    puzzles.push(permutation(8));
    for puzzle in &puzzles {
        let on = |threads| {
            let mut options = Options::default();
            options.slice_ns = 1_000;
            on_threads(threads, || Counter::new(puzzle).options(options).graph())
        };
        let (Some(one), _) = on(1) else {
            unreachable!("nothing stops it");
        };
        let first: Vec<Grid> = one.lexicographic(&Count::ZERO).take(100).collect();
        let samples: Vec<Grid> = one.samples(3).take(20).collect();
        for threads in [1, 2, 8] {
            let (space, outcome) = on(threads);
            let space = space.expect("nothing stops it");
            assert_eq!(space.count(), one.count(), "{threads} threads");
            assert_eq!(outcome.solutions.number(), one.count());
            let (cells, of_one) = (space.cells(), one.cells());
            for row in 0..space.height() {
                for column in 0..space.width() {
                    let cell = Cell::new(row, column);
                    assert_eq!(cells.filled(cell), of_one.filled(cell), "{cell:?}");
                }
            }
            assert!(
                space
                    .lexicographic(&Count::ZERO)
                    .take(100)
                    .eq(first.iter().cloned())
            );
            if threads == 1 {
                assert!(space.samples(3).take(20).eq(samples.iter().cloned()));
                assert_eq!((space.nodes(), space.edges()), (one.nodes(), one.edges()));
            }
            let all = space
                .samples(4)
                .take(20)
                .all(|grid| verify(puzzle, &grid).is_ok());
            assert!(all, "{threads} threads");
        }
    }
}

#[test]
fn samples_satisfy_the_puzzle_and_repeat() {
    let puzzle = permutation(8);
    let space = space(&puzzle);
    let some: Vec<Grid> = space.samples(9).take(50).collect();
    assert!(some.iter().all(|grid| verify(&puzzle, grid).is_ok()));
    assert!(space.samples(9).take(50).eq(some.iter().cloned()));
    assert!(!space.samples(10).take(50).eq(some));
    assert!(
        SolutionGraph::unsatisfiable(3, 3)
            .samples(1)
            .next()
            .is_none()
    );
}

/// Edges of very many cells, and of very many regions, are written in another form.
#[test]
fn an_edge_may_be_as_large_as_a_puzzle() {
    let side = 300;
    let all = (0..side * side).map(|i| Cell::new(i / side, i % side));
    let filled = |cell: Cell| usize::from(cell.row + cell.column) % 2;
    let chess = |odd| {
        Edge::new(
            all.clone().map(|c| CellFate::from(filled(c) == odd)),
            vec![],
        )
    };
    let mut builder = Builder::new();
    let root = builder.add_node(vec![chess(0), chess(1)]);
    let space = builder.finish(&Grid::new(side, side), vec![(root, all.clone().collect())]);
    let cells = space.cells();
    assert!(all.clone().all(|cell| cells.millionths(cell) == 500_000));
    let grids: Vec<Grid> = space.lexicographic(&Count::ZERO).collect();
    assert!(grids.len() == 2 && grids[0].get(0, 0) && grids[1].get(0, 1));

    let mut builder = Builder::new();
    let single = builder.add_node(vec![Edge::new([CellFate::Filled], vec![])]);
    let number = (side * side) as u32;
    let edge = Edge::new((0..number).map(CellFate::Child), vec![single; side * side]);
    let root = builder.add_node(vec![edge]);
    let space = builder.finish(&Grid::new(side, side), vec![(root, all.clone().collect())]);
    assert_eq!(space.count(), &Count::ONE);
    let cells = space.cells();
    assert!(all.clone().all(|cell| cells.filled(cell) == &Count::ONE));
    let full = space.samples(1).next().expect("a picture");
    assert!(
        all.clone()
            .all(|cell| full.get(cell.row.into(), cell.column.into()))
    );
    assert!(space.lexicographic(&Count::ZERO).eq([full]));
}

/// In canonical order the filled cells of the rows are orders of the columns, sorted as words are.
fn order_of(picture: &Grid) -> Vec<usize> {
    let side = picture.width();
    let filled = |row: usize| (0..side).find(|&c| picture.get(row, c));
    (0..side).filter_map(filled).collect()
}

/// Any rows and columns of a permutation puzzle leave a smaller one, which was a node for each choice of them: 2^20 of them and more.
#[test]
fn a_permutation_has_a_node_for_each_size_and_not_for_each_place() {
    let mut random = Random(11);
    for side in [12, 20, 25] {
        let puzzle = permutation(side);
        let space = space(&puzzle);
        assert_eq!(space.count(), &factorial(side as u64));
        assert!(space.nodes() < side * side, "{} nodes", space.nodes());
        let cells = space.cells();
        let share = factorial(side as u64 - 1);
        for i in 0..side * side {
            assert_eq!(cells.filled(Cell::new(i / side, i % side)), &share);
        }
        // The digits of a number, each to a greater base than the next one, say which of the columns left comes next.
        let mut last = space.count().clone();
        last -= &Count::ONE;
        let mut skips = vec![Count::ZERO, last, Count::from(400_000_000)];
        if side >= 20 {
            skips.push(Count::from(1_000_000_000_000_000_000));
            skips.push(Count::from(random.next() >> 2));
        }
        for skip in skips {
            let picture = space.lexicographic(&skip).next().expect("a picture");
            let (mut left, mut columns): (_, Vec<usize>) = (skip, (0..side).collect());
            let mut order = Vec::new();
            for row in (0..side as u64).rev() {
                let (digit, rest) = left.div_rem(&factorial(row));
                left = rest;
                order.push(columns.remove(digit.to_u64().expect("a digit") as usize));
            }
            assert_eq!(order_of(&picture), order);
        }
        let mut before: Option<Grid> = None;
        for picture in space.lexicographic(&Count::from(123_456_789)).take(3000) {
            assert!(verify(&puzzle, &picture).is_ok());
            assert!(before.is_none_or(|before| before < picture));
            before = Some(picture);
        }
        // Where the filled cell of each row is: uniform, as chi-squared has it.
        let mut times = vec![0u64; side * side];
        let number = 4000;
        for picture in space.samples(random.next()).take(number) {
            assert!(verify(&puzzle, &picture).is_ok());
            for (row, column) in order_of(&picture).into_iter().enumerate() {
                times[row * side + column] += 1;
            }
        }
        let expected = number as f64 / side as f64;
        let far = |&times: &u64| (times as f64 - expected).powi(2) / expected;
        let squared: f64 = times.iter().map(far).sum();
        let freedom = ((side - 1) * (side - 1)) as f64;
        assert!(
            (squared - freedom).abs() < 6.0 * (2.0 * freedom).sqrt(),
            "{squared} for {freedom} degrees of freedom"
        );
    }
}

/// A puzzle with its columns in the other order.
fn mirrored(puzzle: &Puzzle) -> Puzzle {
    let turned = |clue: &Clue| {
        let mut lengths: Vec<usize> = clue.lengths().collect();
        lengths.reverse();
        Clue::new(lengths).expect("the same clue")
    };
    let rows = puzzle.rows().iter().map(turned).collect();
    let columns = puzzle.columns().iter().rev().cloned().collect();
    Puzzle::new(rows, columns).expect("the same puzzle")
}

#[test]
fn equal_regions_elsewhere_have_their_own_cells() {
    let mut random = Random(12);
    let mut seen = 0;
    while seen < 60 {
        let one = random.sized_puzzle(2, 4, 0.4);
        let number = listed(&one).len();
        if !(2..=12).contains(&number) {
            continue;
        }
        seen += 1;
        let twice = beside(&one, &one);
        agrees(&space(&twice), &listed(&twice), 5, &mut random);
        let other = beside(&one, &mirrored(&one));
        agrees(&space(&other), &listed(&other), 5, &mut random);
        if number < 6 {
            // At more places than are gone through one by one.
            let all = beside(&beside(&twice, &one), &twice);
            agrees(&space(&all), &listed(&all), 5, &mut random);
        }
    }
    let space = space(&switches(20));
    assert_eq!((space.nodes(), space.count().to_u64()), (1, Some(1 << 20)));
    let cells = space.cells();
    let half = (0..84 * 84).filter(|i| cells.millionths(Cell::new(i / 84, i % 84)) == 500_000);
    assert_eq!(half.count(), 80);
}

#[test]
fn random_puzzles_are_told_as_brute_force_has_them() {
    let mut random = Random(13);
    for i in 0..300 {
        let puzzle = random.sized_puzzle(2, 6, 0.15 + 0.4 * (i % 10) as f64 / 10.0);
        agrees(&space(&puzzle), &brute_force(&puzzle), 3, &mut random);
    }
}

/// A graph in which most regions lie in many places, and whose numbers outgrow machine words: a permutation beside another one.
fn large() -> SolutionGraph {
    space(&beside(&permutation(22), &permutation(9)))
}

#[test]
fn telling_of_each_cell_stops_at_limits() {
    let space = large();
    let within = |limits: &Limits| {
        space
            .cells_within(limits)
            .map(|cells| cells.count().clone())
    };
    assert_eq!(within(&Limits::default()).as_ref(), Ok(space.count()));
    let time = Limits::default().time(std::time::Duration::ZERO);
    assert_eq!(within(&time), Err(Stop::Time));
    let interrupt = Limits::default().interrupt(Arc::new(true.into()));
    assert_eq!(within(&interrupt), Err(Stop::Interrupt));
    let memory = |bytes| Limits::default().memory(bytes);
    assert_eq!(within(&memory(space.bytes())), Err(Stop::Memory));
    assert_eq!(within(&memory(space.bytes() + 1_000)), Err(Stop::Memory));
    assert!(within(&memory(space.bytes() + (4 << 20))).is_ok());
    // Without a solution there is no pass, which would find the limit again.
    let none = Puzzle::from_clues(&[&[2][..], &[]], &[&[], &[2][..]]).unwrap();
    let none = self::space(&none);
    let stop = none.cells_within(&memory(none.bytes())).err();
    assert_eq!(stop, Some(Stop::Memory));
    let mut checks = 1;
    loop {
        let limits = Limits::default().checks(checks);
        match within(&limits) {
            Ok(count) => break assert_eq!(&count, space.count()),
            Err(stop) => assert_eq!(stop, Stop::Interrupt),
        }
        checks = checks * 3 / 2 + 1;
    }
    assert!(checks > 1000);
}

#[test]
fn a_walk_that_was_stopped_goes_on_where_it_was() {
    let space = large();
    for skip in ["0", "7000000000", "407869826434007040000000"] {
        let skip = skip.parse().expect("a number");
        let wanted: Vec<Grid> = space.lexicographic(&skip).take(500).collect();
        let mut random = Random(14);
        let (mut walk, mut stops) = (space.lexicographic(&skip), 0);
        for picture in wanted {
            loop {
                match walk.advance_unless(&mut || random.chance(0.3)) {
                    Advance::Found => break,
                    Advance::Stopped => stops += 1,
                    Advance::Deciding => {}
                    Advance::Done => panic!("there are more"),
                }
            }
            assert_eq!(walk.words(), picture.words());
        }
        assert!(stops > 0);
    }
}

/// Once, when a count was resumed in a later component than the first, its next piece of work was taken for one of a component that was
/// counted already: it ended at once, and was waited for ever after.
#[test]
fn a_pause_in_a_later_component_is_no_end() {
    let mut random = Random(29);
    let mut pauses = 0;
    for _ in 0..40 {
        let puzzle = beside(&switches(1), &random.puzzle(11, 11, 0.35));
        let limits = Limits::default().nodes(20_000);
        let number = on_threads(1, || Counter::new(&puzzle).limits(limits).run());
        if number.stopped.is_some() || number.statistics.nodes < 500 {
            continue;
        }
        let mut options = Options::default();
        // Slices are so short that the large component takes several.
        options.slice_ns = 100_000;
        options.max_probing_settles = 0;
        for threads in [1, 3] {
            let slices = std::sync::atomic::AtomicU64::new(0);
            let observe = |slice: &omnogram::count::Slice| {
                let is_later = u64::from(slice.component > 0);
                slices.fetch_add(is_later, std::sync::atomic::Ordering::Relaxed);
            };
            let limits = Limits::default().time(std::time::Duration::from_secs(60));
            let counter = Counter::new(&puzzle)
                .options(options.clone())
                .limits(limits);
            let counter = counter.slice_observer(&observe);
            let (graph, outcome) = on_threads(threads, || counter.graph());
            assert_eq!(outcome.stopped, None, "{puzzle:?}");
            assert_eq!(graph.unwrap().count(), number.solutions.number());
            pauses += slices.into_inner();
        }
    }
    assert!(pauses > 5, "{pauses}");
}

/// Once, what was counted after the graph had outgrown its memory ended at once, because the graph had.
#[test]
fn the_number_is_counted_when_the_graph_does_not_fit() {
    let puzzle = corpus::read("hard/random-12x12-density-0.35-seed-2.non");
    let limits = Limits::default().memory(512 << 10);
    let (graph, outcome) = on_threads(1, || Counter::new(&puzzle).limits(limits).graph());
    assert!(graph.is_none());
    assert_eq!(outcome.stopped, Some(Stop::Memory));
    assert_eq!(outcome.solutions.to_string(), "35371");
}
